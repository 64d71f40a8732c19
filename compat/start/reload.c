/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reload.c - see reload.h. No variable of the executable is used after its data are mapped again,
 * and nothing is allocated. */
#include "compat/start/reload.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>) /* since version 2.35 of the C library */
#    include <sys/rseq.h>
#endif

#include "base/limits.h"
#include "base/procfs.h"
#include "compat/start/heap.h"

#define LIMIT       OTHERS_END                  /* libraries go below; heap.h knows this range */
#define KEPT_FROM   ((uintptr_t)0x7e0000000000) /* what was mapped at the start is above */
#define HEADER_MOST 4096

extern void *__libc_stack_end; /* the loader's: where the system put the number of arguments */

bool reload_done(void)
{
    uintptr_t at = (uintptr_t)&__libc_stack_end; /* a variable of the loader */
    return at >= OTHERS_LOW && at < LIMIT;
}

void reload_end(void)
{
    if (reload_done())
        (void)munmap((void *)LIMIT, KEPT_FROM - LIMIT);
}

#ifdef __x86_64__

static uintptr_t reload_page_of(uintptr_t at)
{
    return at & ~(uintptr_t)(PAGE_SIZE - 1);
}

static uintptr_t reload_page_up(uintptr_t at)
{
    return reload_page_of(at + PAGE_SIZE - 1);
}

/* ---- addresses above the limit ---- */

static int reload_reserve(uintptr_t begin, uintptr_t end)
{
    if (begin >= end)
        return 0;
    void *p = mmap((void *)begin, end - begin, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return p == MAP_FAILED ? -errno : 0;
}

/* Up to the first stack, below which the system maps nothing. */
static int reload_reserve_gaps(void)
{
    static struct procfs_maps maps;
    struct procfs_map map;
    uintptr_t end = LIMIT;
    int rc = 0;
    if (!procfs_maps_open(&maps, 0))
        return maps.error;
    while (rc == 0 && procfs_maps_next(&maps, &map) && strcmp(map.name, "[stack]") != 0) {
        if (map.begin > end)
            rc = reload_reserve(end, map.begin);
        end = map.end > end ? map.end : end;
    }
    rc = rc ? rc : maps.error;
    procfs_maps_close(&maps);
    return rc;
}

/* ---- mapping of segments ---- */

static int reload_protection(uint32_t flags)
{
    return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
           (flags & PF_X ? PROT_EXEC : 0);
}

/* Maps a segment of the file at its address, with zeros behind what the file has. */
static int reload_map_segment(int fd, uintptr_t base, const Elf64_Phdr *segment)
{
    uintptr_t at = base + segment->p_vaddr, begin = reload_page_of(at),
              file_end = at + segment->p_filesz, end = at + segment->p_memsz,
              zeros = reload_page_up(file_end);
    int prot = reload_protection(segment->p_flags);
    if (mmap((void *)begin, file_end - begin, prot, MAP_PRIVATE | MAP_FIXED, fd,
             (off_t)reload_page_of(segment->p_offset)) == MAP_FAILED)
        return -errno;
    if (end > file_end && (prot & PROT_WRITE)) /* to the end of the page, as the system does */
        memset((void *)file_end, 0, zeros - file_end);
    if (end > zeros && mmap((void *)zeros, end - zeros, prot,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return -errno;
    return 0;
}

/* ---- the executable ---- */

static const Elf64_Phdr *reload_segments(size_t *count)
{
    *count = getauxval(AT_PHNUM);
    return (const Elf64_Phdr *)getauxval(AT_PHDR);
}

static const char *reload_loader_path(void)
{
    size_t count;
    const Elf64_Phdr *segments = reload_segments(&count);
    for (size_t i = 0; i < count; i++)
        if (segments[i].p_type == PT_INTERP)
            return (const char *)segments[i].p_vaddr;
    return NULL;
}

/* What the first loader has written there has to be undone. */
static int reload_map_data(void)
{
    size_t count;
    const Elf64_Phdr *segments = reload_segments(&count);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -errno : 0;
    for (size_t i = 0; i < count && rc == 0; i++)
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_W))
            rc = reload_map_segment(fd, 0, &segments[i]);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* ---- the second loader ---- */

struct reload_loader {
    uintptr_t base, entry;
};

static int reload_map_parts(int fd, const char *header, struct reload_loader *loader)
{
    const Elf64_Ehdr *elf = (const void *)header;
    const Elf64_Phdr *segments = (const void *)(header + elf->e_phoff);
    uintptr_t end = 0;
    int rc = 0;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->e_phoff + elf->e_phnum * sizeof *segments > HEADER_MOST)
        return -ENOEXEC;
    for (int i = 0; i < elf->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            end = segments[i].p_vaddr + segments[i].p_memsz;
    void *room = mmap(NULL, reload_page_up(end), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return -errno;
    *loader = (struct reload_loader){ (uintptr_t)room, (uintptr_t)room + elf->e_entry };
    for (int i = 0; i < elf->e_phnum && rc == 0; i++)
        if (segments[i].p_type == PT_LOAD)
            rc = reload_map_segment(fd, loader->base, &segments[i]);
    return rc;
}

static int reload_map_loader(struct reload_loader *loader)
{
    static _Alignas(16) char header[HEADER_MOST];
    const char *path = reload_loader_path();
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1, rc;
    if (fd < 0)
        return path ? -errno : -ENOEXEC;
    rc = pread(fd, header, sizeof header, 0) == (ssize_t)sizeof header
             ? reload_map_parts(fd, header, loader)
             : -ENOEXEC;
    close(fd);
    return rc;
}

/* The vector behind arguments and environment tells the loader its own address. */
static void reload_tell_base(uintptr_t base)
{
    char **at = __libc_stack_end;
    at += 1 + *(long *)at + 1;
    while (*at++)
        ;
    for (Elf64_auxv_t *aux = (void *)at; aux->a_type != AT_NULL; aux++)
        if (aux->a_type == AT_BASE)
            aux->a_un.a_val = base;
}

/* The system writes to the first C library's area until then; the second registers its own. */
static void reload_drop_rseq(void)
{
#    ifdef RSEQ_SIG
    char *self = __builtin_thread_pointer();
    if (__rseq_size)
        (void)syscall(SYS_rseq, self + __rseq_offset, sizeof(struct rseq), RSEQ_FLAG_UNREGISTER,
                      RSEQ_SIG);
#    endif
}

int reload_begin(void)
{
    struct reload_loader loader = { 0 };
    int rc = reload_reserve_gaps();
    if (rc == 0)
        rc = reload_map_loader(&loader);
    if (rc == 0)
        rc = reload_map_data();
    if (rc)
        return rc;
    reload_tell_base(loader.base);
    reload_drop_rseq();
    __asm__ volatile("mov %0, %%rsp\n\txor %%edx, %%edx\n\txor %%ebp, %%ebp\n\tjmp *%1"
                     :
                     : "a"(__libc_stack_end), "c"(loader.entry)
                     : "memory");
    __builtin_unreachable();
}

#else

int reload_begin(void)
{
    return -ENOSYS;
}

#endif
