/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * direct.c - in a job of one process the program calls the C library itself: its slots for the
 * functions that replace the library's get the library's addresses before main, and a call costs
 * what it costs natively. These are functions that only pass the call on in such a job; others
 * are not in the table. Slots of the program are its global offset table (image.h).
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/start/image.h"
#include "compat/start/start.h"

#define PREFIX "__wrap_"

/* The table has pairs of a name and the function that a call in this library would reach: of the
 * program, of a library that was preloaded, or of the C library. */
/* clang-format off */
#define DIRECT(...) ".irp name, " #__VA_ARGS__ "\n direct_entry \\name\n.endr\n"
#define NAMES(count, ...) DIRECT(__VA_ARGS__)
#define PROGRAM_NAMES(count, ...)
#define WEAK_NAMES(count, ...) \
    ".irp name, " #__VA_ARGS__ "\n .weak \\name\n.endr\n" DIRECT(__VA_ARGS__)
#define POINTS NAMES
__asm__(".pushsection .data.rel, \"aw\"\n"
        ".balign 8\n"
        ".globl direct_functions, direct_functions_end\n"
        ".hidden direct_functions, direct_functions_end\n"
        "direct_functions:\n"
        ".popsection\n"
        ".macro direct_entry name\n"
        ".pushsection .rodata\n"
        "direct_text_\\name: .asciz \"\\name\"\n"
        ".popsection\n"
        ".pushsection .data.rel, \"aw\"\n"
        ".quad direct_text_\\name, \\name\n"
        ".popsection\n"
        ".endm\n"
        DIRECT(malloc, calloc, realloc, free, malloc_usable_size, strdup, strndup)
        DIRECT(read, write, pread, pwrite, pread64, pwrite64, recv, send, fread, fwrite, fgets,
               fputs, puts)
        DIRECT(pthread_mutex_init, pthread_mutex_destroy, pthread_mutex_lock,
               pthread_mutex_trylock, pthread_mutex_timedlock, pthread_mutex_unlock,
               pthread_cond_init, pthread_cond_wait, pthread_cond_timedwait, pthread_cond_signal,
               pthread_cond_broadcast, pthread_rwlock_init, pthread_rwlock_rdlock,
               pthread_rwlock_tryrdlock, pthread_rwlock_wrlock, pthread_rwlock_trywrlock,
               pthread_rwlock_unlock, pthread_spin_init, pthread_spin_lock, pthread_spin_trylock,
               pthread_spin_unlock, pthread_barrier_wait, pthread_getspecific,
               pthread_setspecific, sem_wait, sem_trywait, sem_post, sem_getvalue)
#include "compat/process/names.h"
        ".pushsection .data.rel, \"aw\"\n"
        "direct_functions_end:\n"
        ".popsection\n"
        ".purgem direct_entry\n");
/* clang-format on */

extern struct direct_function {
    const char *name;
    const void *function;
} direct_functions[], direct_functions_end[];

/* Of this library: from the first byte of its image to the last. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static int direct_compare(const void *a, const void *b)
{
    return strcmp(((const struct direct_function *)a)->name,
                  ((const struct direct_function *)b)->name);
}

/* calls.c replaces functions in the whole process, which in this job pass the call on, too. */
static const void *direct_beyond(const struct direct_function *f)
{
    uintptr_t at = (uintptr_t)f->function;
    bool here = at >= (uintptr_t)__ehdr_start && at < (uintptr_t)_end;
    return here ? dlsym(RTLD_NEXT, f->name) : f->function;
}

static const void *direct_find(const char *name)
{
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return NULL;
    const struct direct_function wanted = { name + sizeof PREFIX - 1, NULL };
    const struct direct_function *f =
        bsearch(&wanted, direct_functions, (size_t)(direct_functions_end - direct_functions),
                sizeof wanted, direct_compare);
    return f ? direct_beyond(f) : NULL;
}

static void direct_begin(void)
{
    if (start_sharing)
        return;
    qsort(direct_functions, (size_t)(direct_functions_end - direct_functions),
          sizeof *direct_functions, direct_compare);
    image_bind_program(direct_find);
}

__attribute__((constructor)) static void direct_at_start(void)
{
    start_at_begin(direct_begin);
}
