/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* begin.c - linked into each program of hlrcc: see early.h. */
#include <stddef.h>

#include "compat/process/bind.h"
#include "compat/process/handles.h"
#include "compat/start/early.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

__attribute__((section(".preinit_array"), used)) static void (*const begin)(int, char **,
                                                                            char **) = hlrc_begin;

/* The caller is in the program, since the loader looks for a library, and for RTLD_NEXT, where its
 * caller says. */
extern void *__real_dlopen(const char *file, int mode);
extern void *__real_dlsym(void *handle, const char *name);
extern void *__real_dlvsym(void *handle, const char *name, const char *version);
extern int __real_dlinfo(void *handle, int request, void *out);
extern int __real_dlclose(void *handle);

void *__wrap_dlopen(const char *file, int mode)
{
    char room[HANDLES_PATH];
    void *library = __real_dlopen(hlrc_handle_path(file, room), mode);
    hlrc_bind_libraries();
    if (library)
        hlrc_handle_note(library, mode);
    return library;
}

/* This node's handle in place of `handle`. False: dlerror says why there is none. */
static int begin_handle(void **handle)
{
    char path[HANDLES_PATH];
    int mode;
    void *there = *handle;
    if (!hlrc_handle_find(handle, path, &mode))
        return 1;
    *handle = __real_dlopen(path[0] ? path : NULL, mode);
    if (!*handle)
        return 0;
    hlrc_bind_libraries();
    hlrc_handle_opened(there, *handle);
    return 1;
}

void *__wrap_dlsym(void *handle, const char *name)
{
    return begin_handle(&handle) ? __real_dlsym(handle, name) : NULL;
}

void *__wrap_dlvsym(void *handle, const char *name, const char *version)
{
    return begin_handle(&handle) ? __real_dlvsym(handle, name, version) : NULL;
}

int __wrap_dlinfo(void *handle, int request, void *out)
{
    return begin_handle(&handle) ? __real_dlinfo(handle, request, out) : -1;
}

/* The node that has opened a library keeps it until one of its threads calls this. */
int __wrap_dlclose(void *handle)
{
    char path[HANDLES_PATH];
    int mode;
    void *there = handle;
    if (hlrc_handle_find(&handle, path, &mode))
        return 0;
    int rc = __real_dlclose(handle);
    if (handle != there)
        hlrc_handle_opened(there, NULL);
    return rc;
}
