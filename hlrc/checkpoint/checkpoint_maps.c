/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_maps.c - see checkpoint_maps.h. */
#include "hlrc/checkpoint/checkpoint_maps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __x86_64__
#    include <cpuid.h>
#endif

#include "base/digest.h"
#include "base/procfs.h"
#include "hlrc/checkpoint/checkpoint_calls.h"

#define MAPS_MOST  70000u /* vm.max_map_count, and some */
#define NAMES_MOST (16u << 20)
#define PAGE       4096u
#define MAPS_BYTES (MAPS_MOST * sizeof(struct checkpoint_map) + NAMES_MOST)

extern void *__libc_stack_end __attribute__((weak));

void *checkpoint_maps_scratch(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

int checkpoint_maps_open(struct checkpoint_maps *m)
{
    memset(m, 0, sizeof *m);
    m->map = checkpoint_maps_scratch(MAPS_BYTES);
    if (!m->map)
        return -ENOMEM;
    m->names = (char *)(m->map + MAPS_MOST);
    m->room = MAPS_MOST;
    m->names_room = NAMES_MOST;
    checkpoint_maps_without(m, m->map, MAPS_BYTES);
    return 0;
}

void checkpoint_maps_close(struct checkpoint_maps *m)
{
    if (m->map)
        munmap(m->map, MAPS_BYTES);
    memset(m, 0, sizeof *m);
}

void checkpoint_maps_without(struct checkpoint_maps *m, const void *begin, size_t len)
{
    uint64_t at = (uint64_t)(uintptr_t)begin;
    m->without[m->withouts].begin = at;
    m->without[m->withouts++].end = at + ((len + PAGE - 1) & ~(uint64_t)(PAGE - 1));
}

/* ---- the system ---- */

static void checkpoint_maps_read_cpu(uint32_t cpu[12])
{
    memset(cpu, 0, 12 * sizeof *cpu);
#ifdef __x86_64__
    uint32_t a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        cpu[0] = c;
        cpu[1] = d;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        cpu[2] = b;
        cpu[3] = c;
        cpu[4] = d;
    }
    if (__get_cpuid(0x80000001, &a, &b, &c, &d)) {
        cpu[5] = c;
        cpu[6] = d;
    }
    if (__get_cpuid_count(0xd, 0, &a, &b, &c, &d)) {
        cpu[8] = a; /* from here on equal, otherwise a subset */
        cpu[9] = b;
        cpu[10] = d;
    }
#endif
}

static bool checkpoint_maps_cpu_suffices(const uint32_t saved[12], const uint32_t here[12])
{
    for (int i = 0; i < 12; i++)
        if (i < 8 ? (saved[i] & ~here[i]) != 0 : saved[i] != here[i])
            return false;
    return true;
}

/* Fields of /proc/self/stat, in the order of struct prctl_mm_map; 0: brk, which is not there. */
static const int bound_fields[CHECKPOINT_MAPS_BOUNDS] = {
    26, 27, 45, 46, 47, 0, 28, 48, 49, 50, 51
};

static void checkpoint_maps_read_bounds(uint64_t *bounds)
{
    char text[2048];
    ssize_t got = procfs_read("/proc/self/stat", text, sizeof text);
    for (int i = 0; i < CHECKPOINT_MAPS_BOUNDS; i++) {
        const char *field =
            got > 0 && bound_fields[i] ? procfs_stat_field(text, bound_fields[i]) : NULL;
        bounds[i] = field ? strtoull(field, NULL, 10) : 0;
    }
    bounds[5] = (uint64_t)CALL(brk, 0);
}

static void checkpoint_maps_read_system(struct checkpoint_maps_system *s)
{
    struct utsname name;
    memset(s, 0, sizeof *s);
    if (uname(&name) == 0)
        snprintf(s->release, sizeof s->release, "%s %s", name.release, name.version);
    checkpoint_maps_read_cpu(s->cpu);
    checkpoint_maps_read_bounds(s->bounds);
}

/* ---- the mappings ---- */

static uint32_t checkpoint_maps_name(struct checkpoint_maps *m, const char *name)
{
    size_t len = strlen(name) + 1;
    uint32_t at = m->names_used;
    if (m->count > 0 && strcmp(m->names + m->map[m->count - 1].name, name) == 0)
        return m->map[m->count - 1].name;
    if (len > m->names_room - at)
        return 0;
    memcpy(m->names + at, name, len);
    m->names_used += (uint32_t)len;
    return at;
}

static bool checkpoint_maps_is_without(const struct checkpoint_maps *m, const struct procfs_map *p)
{
    for (uint32_t i = 0; i < m->withouts; i++)
        if (p->begin >= m->without[i].begin && p->end <= m->without[i].end)
            return true;
    return false;
}

/* Why a mapping cannot be saved; NULL: it can. */
static const char *checkpoint_maps_refuse(const struct procfs_map *p)
{
    const char *deleted = strstr(p->name, " (deleted)");
    bool is_memory = strncmp(p->name, "/memfd:", 7) == 0 || strncmp(p->name, "/dev/zero", 9) == 0;
    if (strncmp(p->name, "/SYSV", 5) == 0)
        return "System V shared memory";
    if (strncmp(p->name, "/anon_hugepage", 14) == 0)
        return "huge pages";
    if (p->inode == 0 || is_memory)
        return NULL;
    if (strncmp(p->name, "/dev/", 5) == 0 || strncmp(p->name, "anon_inode:", 11) == 0)
        return strncmp(p->name, "/dev/shm/", 9) == 0 ? "shared memory of several processes"
                                                     : "a device";
    if (deleted && deleted[10] == '\0')
        return "a file that was deleted";
    if (p->is_shared && p->writable)
        return "a file that is shared and can be written";
    return NULL;
}

static bool checkpoint_maps_add_special(struct checkpoint_maps *m, const struct procfs_map *p)
{
    struct checkpoint_maps_system *s = &m->system;
    if (strcmp(p->name, "[vsyscall]") == 0)
        return true;
    if (strcmp(p->name, "[vdso]") != 0 && strncmp(p->name, "[vvar", 5) != 0)
        return false;
    if (s->specials < CHECKPOINT_MAPS_SPECIALS)
        s->special[s->specials++] =
            (struct checkpoint_maps_special){ p->begin, p->end, checkpoint_maps_name(m, p->name) };
    if (p->name[2] == 'd')
        s->vdso = digest_of_words((const void *)p->begin, p->end - p->begin);
    return true;
}

static void checkpoint_maps_add(struct checkpoint_maps *m, const struct procfs_map *p)
{
    uint64_t stack = &__libc_stack_end ? (uint64_t)(uintptr_t)__libc_stack_end : 0;
    bool is_file = p->inode != 0 && p->name[0] == '/';
    bool is_memory = strncmp(p->name, "/memfd:", 7) == 0 || strncmp(p->name, "/dev/zero", 9) == 0;
    struct checkpoint_map *out = &m->map[m->count];
    *out = (struct checkpoint_map){ .begin = p->begin,
                                    .end = p->end,
                                    .offset = p->offset,
                                    .inode = p->inode,
                                    .first = m->pages,
                                    .is_shared = p->is_shared,
                                    .grows_down = p->begin <= stack && stack < p->end };
    out->prot = (p->readable ? PROT_READ : 0u) | (p->writable ? PROT_WRITE : 0u) |
                (p->executable ? PROT_EXEC : 0u);
    out->kind = !is_file                    ? CHECKPOINT_MAPS_ANONYMOUS
                : is_memory && p->is_shared ? CHECKPOINT_MAPS_OBJECT
                                            : CHECKPOINT_MAPS_FILE;
    out->name = checkpoint_maps_name(m, p->name);
    if (out->kind != CHECKPOINT_MAPS_OBJECT)
        m->pages += (p->end - p->begin) / PAGE;
    m->count++;
}

int checkpoint_maps_read(struct checkpoint_maps *m, char *why, size_t len)
{
    static struct procfs_maps in; /* the caller's stack may be small */
    struct procfs_map p;
    const char *refused = NULL;
    m->count = m->names_used = 0;
    m->pages = 0;
    checkpoint_maps_read_system(&m->system);
    m->names_used = 1; /* 0: the empty name */
    if (!procfs_maps_open(&in, 0)) {
        snprintf(why, len, "/proc/self/maps: %s", strerror(-in.error));
        return in.error ? in.error : -EIO;
    }
    while (!refused && procfs_maps_next(&in, &p)) {
        if (checkpoint_maps_is_without(m, &p) || checkpoint_maps_add_special(m, &p))
            continue;
        if ((refused = checkpoint_maps_refuse(&p)) != NULL)
            snprintf(why, len, "%.300s is mapped, %s", p.name, refused);
        else if (m->count == m->room || m->names_room - m->names_used < 4200)
            snprintf(why, len, "%s", refused = "too many mappings");
        else
            checkpoint_maps_add(m, &p);
    }
    procfs_maps_close(&in);
    if (!refused && in.error)
        snprintf(why, len, "/proc/self/maps: %s", strerror(-in.error));
    return refused ? -ENOTSUP : in.error;
}

const struct checkpoint_map *checkpoint_maps_at(const struct checkpoint_maps *m, uint64_t address)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->map[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->map[low].begin <= address ? &m->map[low] : NULL;
}

/* ---- files ---- */

static void checkpoint_maps_print_id(char *id, size_t len, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count && 2 * i + 3 < len; i++)
        snprintf(id + 2 * i, len - 2 * i, "%02x", bytes[i]);
}

/* The build-id in the notes of a segment. */
static bool checkpoint_maps_note(const unsigned char *note, size_t size, char *id, size_t len)
{
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
        Elf64_Nhdr head;
        memcpy(&head, note + at, sizeof head);
        size_t name = at + sizeof head, desc = name + ((head.n_namesz + 3u) & ~3u),
               end = desc + ((head.n_descsz + 3u) & ~3u);
        if (desc > size || end > size)
            return false;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(note + name, "GNU", 4) == 0) {
            checkpoint_maps_print_id(id, len, note + desc, head.n_descsz);
            return true;
        }
        at = end;
    }
    return false;
}

static bool checkpoint_maps_build_id(int fd, char *id, size_t len)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    unsigned char note[1024];
    if (CALL(pread64, fd, &head, sizeof head, 0) != (long)sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        long at = (long)(head.e_phoff + i * sizeof segment);
        if (CALL(pread64, fd, &segment, sizeof segment, at) != (long)sizeof segment)
            return false;
        size_t size = segment.p_filesz < sizeof note ? segment.p_filesz : sizeof note;
        if (segment.p_type == PT_NOTE &&
            CALL(pread64, fd, note, size, segment.p_offset) == (long)size &&
            checkpoint_maps_note(note, size, id, len))
            return true;
    }
    return false;
}

/* A build-id; without one, the file's size and the time of its last change. */
int checkpoint_maps_identity(const char *path, char *id, size_t len)
{
    struct stat st;
    int fd = (int)CALL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fd;
    int rc = (int)CALL(fstat, fd, &st);
    if (rc == 0 && !checkpoint_maps_build_id(fd, id, len))
        snprintf(id, len, "%lld %lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                 st.st_mtim.tv_nsec);
    (void)CALL(close, fd);
    return rc;
}

int checkpoint_maps_identify(struct checkpoint_maps *m, char *why, size_t len)
{
    const struct checkpoint_map *last = NULL;
    for (uint32_t i = 0; i < m->count; i++) {
        struct checkpoint_map *p = &m->map[i];
        if (p->kind != CHECKPOINT_MAPS_FILE)
            continue;
        int rc = 0;
        if (last && last->name == p->name)
            memcpy(p->identity, last->identity, sizeof p->identity);
        else
            rc = checkpoint_maps_identity(m->names + p->name, p->identity, sizeof p->identity);
        if (rc) {
            snprintf(why, len, "%.300s: %s", m->names + p->name, strerror(-rc));
            return rc;
        }
        last = p;
    }
    return 0;
}

/* ---- another process ---- */

static int checkpoint_maps_check_files(const struct checkpoint_maps *saved, char *why, size_t len)
{
    char id[sizeof saved->map->identity] = "";
    for (uint32_t i = 0; i < saved->count; i++) {
        const struct checkpoint_map *p = &saved->map[i];
        const char *path = saved->names + p->name;
        if (p->kind != CHECKPOINT_MAPS_FILE || (i > 0 && p[-1].name == p->name))
            continue;
        memset(id, 0, sizeof id);
        int rc = checkpoint_maps_identity(path, id, sizeof id);
        if (rc)
            snprintf(why, len, "%.300s: %s", path, strerror(-rc));
        else if (strcmp(id, p->identity) != 0)
            snprintf(why, len, "%.300s is another version than the one that was saved", path);
        else
            continue;
        return rc ? rc : -EINVAL;
    }
    return 0;
}

static bool checkpoint_maps_same_specials(const struct checkpoint_maps *saved,
                                          const struct checkpoint_maps *here)
{
    const struct checkpoint_maps_system *a = &saved->system, *b = &here->system;
    if (a->specials != b->specials || a->vdso != b->vdso)
        return false;
    for (uint32_t i = 0; i < a->specials; i++)
        if (strcmp(saved->names + a->special[i].name, here->names + b->special[i].name) != 0 ||
            a->special[i].begin - a->special[0].begin !=
                b->special[i].begin - b->special[0].begin ||
            a->special[i].end - a->special[i].begin != b->special[i].end - b->special[i].begin)
            return false;
    return true;
}

int checkpoint_maps_check(const struct checkpoint_maps *saved, const struct checkpoint_maps *here,
                          char *why, size_t len)
{
    if (strcmp(saved->system.release, here->system.release) != 0)
        snprintf(why, len, "saved under Linux %s; this is %s", saved->system.release,
                 here->system.release);
    else if (!checkpoint_maps_same_specials(saved, here))
        snprintf(why, len, "the kernel's code in processes is another one than when it was saved");
    else if (!checkpoint_maps_cpu_suffices(saved->system.cpu, here->system.cpu))
        snprintf(why, len, "this CPU lacks features of the one on which it was saved");
    else
        return checkpoint_maps_check_files(saved, why, len);
    return -EINVAL;
}
