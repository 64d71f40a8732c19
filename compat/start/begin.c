/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* begin.c - linked into each program of hlrcc: see early.h. */
#include "compat/process/bind.h"
#include "compat/start/early.h"

__attribute__((section(".preinit_array"), used)) static void (*const begin)(int, char **,
                                                                            char **) = hlrc_begin;

/* The caller is in the program, since the loader looks for a library where its caller says. */
extern void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
    void *library = __real_dlopen(file, mode);
    hlrc_bind_libraries();
    return library;
}
