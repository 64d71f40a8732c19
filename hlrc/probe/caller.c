/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* caller.c - see caller.h. */
#include "hlrc/probe/caller.h"

#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

#define LIBRARIES 16
#define KNOWN     1024 /* addresses of which it is known whether they are skipped */

bool (*caller_is_std)(uint64_t code);

/* Constant after caller_init. */
static struct {
    uintptr_t start, end;
} libraries[LIBRARIES];
static unsigned library_count;

static _Atomic uint64_t known[KNOWN]; /* address * 2, + 1 if it is skipped */

static bool caller_is_runtime(const char *path)
{
    static const char *const names[] = { "libhlrc", "libc.", "libstdc++", "libgomp", "ld-linux" };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int caller_add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (!caller_is_runtime(info->dlpi_name ? info->dlpi_name : "") || library_count == LIBRARIES)
        return 0;
    uintptr_t start = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        start = from < start ? from : start;
        end = from + info->dlpi_phdr[i].p_memsz;
    }
    libraries[library_count].start = start;
    libraries[library_count++].end = end;
    return 0;
}

void caller_init(void)
{
    library_count = 0;
    (void)dl_iterate_phdr(caller_add_library, NULL);
}

static bool caller_find_skipped(uintptr_t code)
{
    for (unsigned i = 0; i < library_count; i++)
        if (code - libraries[i].start < libraries[i].end - libraries[i].start)
            return true;
    return caller_is_std && caller_is_std(code);
}

static bool caller_is_skipped(uintptr_t code)
{
    _Atomic uint64_t *at = &known[code / 2 % KNOWN];
    uint64_t found = atomic_load_explicit(at, memory_order_relaxed);
    if (found / 2 != code) {
        found = code * 2 + caller_find_skipped(code);
        atomic_store_explicit(at, found, memory_order_relaxed);
    }
    return found % 2;
}

struct caller_walk {
    uintptr_t from, found;
    bool begun;
};

/* Frames of a signal handler come before the one that the walk begins with. */
static _Unwind_Reason_Code caller_step(struct _Unwind_Context *context, void *arg)
{
    struct caller_walk *walk = arg;
    uintptr_t code = _Unwind_GetIP(context);
    walk->begun = walk->begun || code == walk->from;
    if (!walk->begun || code == 0 || caller_is_skipped(code))
        return _URC_NO_REASON;
    walk->found = code;
    return _URC_END_OF_STACK;
}

uintptr_t caller_outside(uintptr_t code)
{
    struct caller_walk walk = { .from = code };
    if (!caller_is_skipped(code))
        return code;
    (void)_Unwind_Backtrace(caller_step, &walk);
    return walk.found;
}
