/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* begin.c - linked into each program of hlrcc: see early.h, and variables.h. */
#include <errno.h>
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
    int error = errno;
    hlrc_bind_libraries();
    if (library)
        hlrc_handle_note(library, mode);
    errno = error;
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

/* ---- variables of the C library, in the program's data (variables.h) ---- */

#define SHARED_VARIABLE   __attribute__((weak))
#define SAME_VARIABLE(as) __attribute__((weak, alias(as)))

#define PAGE_BYTES 4096 /* lgamma stores to it, so no variable of the program shares its page */
SHARED_VARIABLE int __signgam __attribute__((aligned(PAGE_BYTES)));
extern int signgam SAME_VARIABLE("__signgam");

/* getopt */
SHARED_VARIABLE char *optarg;
SHARED_VARIABLE int optind = 1, opterr = 1, optopt = '?';

/* tzset */
SHARED_VARIABLE char *__tzname[2] = { "GMT", "GMT" };
SHARED_VARIABLE long __timezone;
SHARED_VARIABLE int __daylight;
extern char *tzname[2] SAME_VARIABLE("__tzname");
extern long timezone SAME_VARIABLE("__timezone");
extern int daylight SAME_VARIABLE("__daylight");

/* messages */
SHARED_VARIABLE unsigned error_message_count;
SHARED_VARIABLE int error_one_per_line;
SHARED_VARIABLE void (*error_print_progname)(void);
SHARED_VARIABLE char *__progname = "", *__progname_full = "";
extern char *program_invocation_short_name SAME_VARIABLE("__progname");
extern char *program_invocation_name SAME_VARIABLE("__progname_full");

/* argp_parse, obstack_begin, getdate, re_compile_pattern */
struct argp_state;
SHARED_VARIABLE const char *argp_program_version, *argp_program_bug_address;
SHARED_VARIABLE void (*argp_program_version_hook)(void *, struct argp_state *);
SHARED_VARIABLE int argp_err_exit_status = 64, obstack_exit_failure = 1, getdate_err;
SHARED_VARIABLE void (*obstack_alloc_failed_handler)(void);
SHARED_VARIABLE unsigned long re_syntax_options;
