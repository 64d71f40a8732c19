/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * data.c - makes the executable's global variables symmetric (inner.h): their bytes are copied to a
 * window, and a second mapping of the window takes their place. An executable may have another
 * address in each PE: offsets identify variables.
 *
 * Not done if this library, and the engine with it, is linked statically: threads of the engine
 * have variables there, too, and may store to them during the copy.
 */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compat/shmem/inner.h"

/* .data and .bss, in whole pages; without the part that the loader has write-protected. */
struct data_segment {
    uintptr_t begin, end;
    size_t page;
};

/* The executable comes first. */
static int data_look(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct data_segment *s = arg;
    uintptr_t begin = UINTPTR_MAX, end = 0, sealed = 0, mask = ~(s->page - 1);
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_RELRO)
            sealed = (at + p->p_memsz) & mask;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_W))
            continue;
        begin = at < begin ? at : begin;
        end = at + p->p_memsz > end ? at + p->p_memsz : end;
    }
    if (end == 0)
        return 1;
    begin = sealed > begin ? sealed : begin & mask;
    s->begin = begin;
    s->end = (end + s->page - 1) & mask;
    return 1;
}

/* Word by word: memory between variables may be forbidden by a sanitizer. Zero pages stay
 * untouched in the window. */
static __attribute__((no_sanitize("address"))) void
data_copy_page(uint64_t *to, const uint64_t *from, size_t words)
{
    uint64_t any = 0;
    for (size_t i = 0; i < words; i++)
        any |= from[i];
    const volatile uint64_t *source = from;
    for (size_t i = 0; any && i < words; i++)
        to[i] = source[i];
}

/* Nothing may store to the variables from here until this returns. */
static int data_replace(const struct data_segment *s, char *window, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += s->page)
        data_copy_page((uint64_t *)(window + at), (const uint64_t *)(s->begin + at), s->page / 8);
    /* old size 0: maps the same pages a second time */
    void *p = mremap(window, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)s->begin);
    if (p == MAP_FAILED)
        return -errno;
    (void)madvise(p, bytes, MADV_DOFORK); /* a forked child has its variables until exec */
    (void)madvise(p, bytes, MADV_DODUMP);
    return 0;
}

void inner_sh_data_begin(void)
{
    struct data_segment s = { .page = (size_t)sysconf(_SC_PAGESIZE) };
    (void)dl_iterate_phdr(data_look, &s);
    uintptr_t own = (uintptr_t)&sh;
    if (s.end <= s.begin || (own >= s.begin && own < s.end))
        return;
    size_t bytes = s.end - s.begin;
    char *window = hlrc_window_create(bytes);
    if (!window)
        fail_job("shmem_init: the executable's variables, %zu bytes, cannot be made symmetric: %s; "
                 "raise --memory",
                 bytes, strerror(errno));
    int rc = data_replace(&s, window, bytes);
    if (rc)
        fail_job("shmem_init: cannot map %zu bytes of variables: %s", bytes, strerror(-rc));
    sh.data_window = window;
    sh.data_bytes = bytes;
    sh.data = (char *)s.begin;
}
