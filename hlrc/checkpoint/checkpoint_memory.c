/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_memory.c - see checkpoint_memory.h. */
#include "hlrc/checkpoint/checkpoint_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/limits.h"
#include "hlrc/checkpoint/checkpoint_calls.h"
#include "hlrc/checkpoint/checkpoint_descriptors.h"

#define MEMORY_END    UINT64_MAX          /* in place of an address */
#define PRESENT       (UINT64_C(3) << 62) /* or swapped out */
#define OF_FILE       (UINT64_C(1) << 61)
#define PAGEMAP_WORDS 4096
#define ALIGNED       (UINT64_C(2) << 20)

struct checkpoint_memory_run {
    uint64_t address, pages;
};

/* Bytes of an object. */
struct checkpoint_memory_part {
    uint64_t inode, offset, bytes;
};

static bool checkpoint_memory_is_zero(const char *page)
{
    const uint64_t *word = (const void *)page;
    uint64_t sum = 0;
    for (size_t i = 0; i < PAGE_SIZE / sizeof *word && sum == 0; i += 8)
        for (size_t k = 0; k < 8; k++)
            sum |= word[i + k];
    return sum == 0;
}

/* ---- digests ---- */

int checkpoint_memory_table_room(struct checkpoint_memory_table *t, uint64_t pages)
{
    if (t->room >= pages)
        return 0;
    checkpoint_memory_table_close(t);
    uint64_t *memory = checkpoint_maps_scratch((pages + 1) * sizeof *t->page);
    if (!memory)
        return -ENOMEM;
    *t = (struct checkpoint_memory_table){ (void *)(memory + 2), pages, memory };
    return 0;
}

void checkpoint_memory_table_close(struct checkpoint_memory_table *t)
{
    if (t->count)
        munmap(t->count, (t->room + 1) * sizeof *t->page);
    *t = (struct checkpoint_memory_table){ .page = NULL };
}

/* ---- saving ---- */

static void checkpoint_memory_put_part(struct checkpoint_file *f, const struct checkpoint_map *map,
                                       uint64_t offset, uint64_t bytes)
{
    struct checkpoint_memory_part part = { map->inode, map->offset + offset, bytes };
    checkpoint_file_put(f, &part, sizeof part);
    checkpoint_file_put(f, (const void *)(map->begin + offset), bytes);
}

/* Zero pages are holes of a new object. */
static void checkpoint_memory_save_bytes(struct checkpoint_file *f,
                                         const struct checkpoint_map *map, uint64_t from,
                                         uint64_t to)
{
    for (uint64_t at = from; at < to; at += PAGE_SIZE)
        if (!checkpoint_memory_is_zero((const char *)map->begin + at))
            checkpoint_memory_put_part(f, map, at, PAGE_SIZE);
}

/* fd: of the object; -1: there is none, and holes are not known. */
static void checkpoint_memory_save_object(struct checkpoint_file *f,
                                          const struct checkpoint_map *map, int fd)
{
    uint64_t bytes = map->end - map->begin, at = 0;
    if (fd < 0) {
        checkpoint_memory_save_bytes(f, map, 0, bytes);
        return;
    }
    while (at < bytes) {
        long data = CALL(lseek, fd, map->offset + at, SEEK_DATA);
        long hole = data < 0 ? data : CALL(lseek, fd, data, SEEK_HOLE);
        if (data < 0 || hole < 0 || (uint64_t)data >= map->offset + bytes)
            return;
        uint64_t end = (uint64_t)hole - map->offset;
        checkpoint_memory_save_bytes(f, map, (uint64_t)data - map->offset,
                                     end < bytes ? end : bytes);
        at = end;
    }
}

/* Another mapping has shown the same bytes. */
static bool checkpoint_memory_is_saved(const struct checkpoint_maps *m, uint32_t i)
{
    const struct checkpoint_map *map = &m->map[i];
    for (uint32_t k = 0; k < i; k++) {
        const struct checkpoint_map *other = &m->map[k];
        if (other->kind == CHECKPOINT_MAPS_OBJECT && other->inode == map->inode &&
            (other->prot & PROT_READ) && other->offset <= map->offset &&
            other->offset + (other->end - other->begin) >= map->offset + (map->end - map->begin))
            return true;
    }
    return false;
}

static bool checkpoint_memory_is_saved_here(const struct checkpoint_maps *m, uint32_t i)
{
    return m->map[i].kind == CHECKPOINT_MAPS_OBJECT && (m->map[i].prot & PROT_READ) &&
           !checkpoint_memory_is_saved(m, i);
}

/* Objects are sparse. */
static uint64_t checkpoint_memory_object_bytes(const struct checkpoint_map *map)
{
    struct stat st;
    uint64_t bytes = map->end - map->begin, used = bytes;
    int fd = checkpoint_descriptors_of(map->inode);
    if (fd >= 0 && CALL(fstat, fd, &st) == 0)
        used = (uint64_t)st.st_blocks * 512;
    return used < bytes ? used : bytes;
}

uint64_t checkpoint_memory_objects_bytes(const struct checkpoint_maps *m)
{
    const uint64_t page = PAGE_SIZE + sizeof(struct checkpoint_memory_part);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (checkpoint_memory_is_saved_here(m, i))
            bytes += (checkpoint_memory_object_bytes(&m->map[i]) / PAGE_SIZE + 1) * page;
    return bytes;
}

void checkpoint_memory_save_objects(struct checkpoint_file *f, const struct checkpoint_maps *m)
{
    const struct checkpoint_memory_part end = { .bytes = 0 };
    for (uint32_t i = 0; i < m->count; i++) {
        const struct checkpoint_map *map = &m->map[i];
        if (checkpoint_memory_is_saved_here(m, i))
            checkpoint_memory_save_object(f, map, checkpoint_descriptors_of(map->inode));
    }
    checkpoint_file_put(f, &end, sizeof end);
}

struct checkpoint_memory_saving {
    struct checkpoint_file *f;
    const struct checkpoint_memory_table *last;
    struct checkpoint_memory_table *next;
    uint64_t before; /* index in `last` */
    uint64_t saved;
};

static bool checkpoint_memory_is_same(struct checkpoint_memory_saving *s, uint64_t address,
                                      uint64_t digest)
{
    const struct checkpoint_memory_table *last = s->last;
    if (!last)
        return false;
    while (s->before < *last->count && last->page[s->before].address < address)
        s->before++;
    return s->before < *last->count && last->page[s->before].address == address &&
           last->page[s->before].digest == digest;
}

static void checkpoint_memory_save_page(struct checkpoint_memory_saving *s, uint64_t address)
{
    const void *page = (const void *)address;
    uint64_t digest = digest_of_words(page, PAGE_SIZE);
    if (*s->next->count == s->next->room) {
        checkpoint_file_fail(s->f, -EAGAIN); /* the program has mapped much more since */
        return;
    }
    s->next->page[(*s->next->count)++] = (struct checkpoint_memory_page){ address, digest };
    if (checkpoint_memory_is_same(s, address, digest))
        return;
    s->saved++;
    checkpoint_file_put(s->f, &address, sizeof address);
    checkpoint_file_put(s->f, page, PAGE_SIZE);
}

static bool checkpoint_memory_open(const struct checkpoint_map *map, struct checkpoint_file *f)
{
    unsigned char present;
    if (CALL(mincore, map->begin, PAGE_SIZE, &present) != 0)
        checkpoint_file_fail(f, -ENOTSUP); /* MADV_DONTFORK */
    if (!(map->prot & PROT_READ) &&
        CALL(mprotect, map->begin, map->end - map->begin, PROT_READ) != 0)
        checkpoint_file_fail(f, -EACCES);
    return checkpoint_file_status(f) == 0;
}

static void checkpoint_memory_save_map(struct checkpoint_memory_saving *s, int pagemap,
                                       const struct checkpoint_map *map)
{
    static uint64_t word[PAGEMAP_WORDS];
    bool is_open = false;
    for (uint64_t at = map->begin; at < map->end; at += PAGEMAP_WORDS * PAGE_SIZE) {
        uint64_t pages = (map->end - at) / PAGE_SIZE;
        pages = pages < PAGEMAP_WORDS ? pages : PAGEMAP_WORDS;
        long bytes = (long)(pages * sizeof *word);
        if (CALL(pread64, pagemap, word, bytes, at / PAGE_SIZE * sizeof *word) != bytes) {
            checkpoint_file_fail(s->f, -EIO);
            return;
        }
        for (uint64_t i = 0; i < pages && checkpoint_file_status(s->f) == 0; i++) {
            const char *page = (const char *)at + i * PAGE_SIZE;
            if (!(word[i] & PRESENT) || (word[i] & OF_FILE))
                continue;
            if (!is_open && !(is_open = checkpoint_memory_open(map, s->f)))
                return;
            if (map->kind == CHECKPOINT_MAPS_FILE || !checkpoint_memory_is_zero(page))
                checkpoint_memory_save_page(s, (uint64_t)(uintptr_t)page);
        }
    }
    if (is_open && !(map->prot & PROT_READ))
        (void)CALL(mprotect, map->begin, map->end - map->begin, map->prot);
}

/* Runs of all pages with contents. */
static void checkpoint_memory_put_list(struct checkpoint_file *f,
                                       const struct checkpoint_memory_table *t)
{
    struct checkpoint_memory_run run = { 0, 0 };
    for (uint64_t i = 0; i < *t->count; i++) {
        if (run.pages > 0 && run.address + run.pages * PAGE_SIZE == t->page[i].address) {
            run.pages++;
            continue;
        }
        if (run.pages > 0)
            checkpoint_file_put(f, &run, sizeof run);
        run = (struct checkpoint_memory_run){ t->page[i].address, 1 };
    }
    if (run.pages > 0)
        checkpoint_file_put(f, &run, sizeof run);
    run.pages = 0;
    checkpoint_file_put(f, &run, sizeof run);
}

uint64_t checkpoint_memory_save(struct checkpoint_file *f, const struct checkpoint_maps *m,
                                const struct checkpoint_memory_table *last,
                                struct checkpoint_memory_table *next)
{
    struct checkpoint_memory_saving s = { f, last, next, 0, 0 };
    const uint64_t end = MEMORY_END;
    int pagemap = (int)CALL(openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    *next->count = 0;
    if (pagemap < 0)
        checkpoint_file_fail(f, pagemap);
    for (uint32_t i = 0; i < m->count && checkpoint_file_status(f) == 0; i++)
        if (m->map[i].kind != CHECKPOINT_MAPS_OBJECT && !m->map[i].is_shared)
            checkpoint_memory_save_map(&s, pagemap, &m->map[i]);
    checkpoint_file_put(f, &end, sizeof end);
    checkpoint_memory_put_list(f, next);
    if (pagemap >= 0)
        (void)CALL(close, pagemap);
    return s.saved;
}

/* ---- loading ---- */

/* Room for a mapping that begins at the same offset from 2 MiB, for huge pages. */
static uint64_t checkpoint_memory_room(const struct checkpoint_map *map)
{
    uint64_t bytes = map->end - map->begin + (map->begin & (ALIGNED - 1));
    return ((bytes + ALIGNED - 1) & ~(ALIGNED - 1)) + ALIGNED;
}

uint64_t checkpoint_memory_bytes(const struct checkpoint_maps *m)
{
    uint64_t bytes = ALIGNED;
    for (uint32_t i = 0; i < m->count; i++)
        bytes += checkpoint_memory_room(&m->map[i]);
    return bytes;
}

/* One object for all its mappings. */
static int checkpoint_memory_object(struct checkpoint_memory_image *image, uint32_t i)
{
    const struct checkpoint_maps *m = &image->maps;
    uint64_t size = 0;
    for (uint32_t k = 0; k < i; k++)
        if (m->map[k].kind == CHECKPOINT_MAPS_OBJECT && m->map[k].inode == m->map[i].inode)
            return image->object_fd[k];
    for (uint32_t k = i; k < m->count; k++)
        if (m->map[k].kind == CHECKPOINT_MAPS_OBJECT && m->map[k].inode == m->map[i].inode &&
            m->map[k].offset + (m->map[k].end - m->map[k].begin) > size)
            size = m->map[k].offset + (m->map[k].end - m->map[k].begin);
    char name[64];
    const char *saved = m->names + m->map[i].name;
    saved += strncmp(saved, "/memfd:", 7) == 0 ? 7 : 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(saved, " ("), saved);
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    return fd < 0 ? -errno : fd;
}

static int checkpoint_memory_map_one(struct checkpoint_memory_image *image, uint32_t i, char *at)
{
    const struct checkpoint_map *map = &image->maps.map[i];
    int flags = MAP_FIXED | MAP_NORESERVE | (map->is_shared ? MAP_SHARED : MAP_PRIVATE);
    int fd = -1, prot = (int)map->prot;
    if (map->kind == CHECKPOINT_MAPS_ANONYMOUS) {
        flags |= MAP_ANONYMOUS | (map->grows_down ? MAP_GROWSDOWN : 0);
    } else if (map->kind == CHECKPOINT_MAPS_OBJECT) {
        fd = image->object_fd[i] = checkpoint_memory_object(image, i);
        prot = PROT_READ | PROT_WRITE;
    } else {
        fd = open(image->maps.names + map->name, O_RDONLY | O_CLOEXEC);
        fd = fd < 0 ? -errno : fd;
    }
    if (map->kind != CHECKPOINT_MAPS_ANONYMOUS && fd < 0)
        return fd;
    image->at[i] = at;
    image->is_open[i] = prot & PROT_WRITE;
    void *got = mmap(at, map->end - map->begin, prot, flags, fd,
                     map->kind == CHECKPOINT_MAPS_ANONYMOUS ? 0 : (off_t)map->offset);
    int rc = got == MAP_FAILED ? -errno : 0;
    if (map->kind == CHECKPOINT_MAPS_FILE)
        close(fd);
    return rc;
}

int checkpoint_memory_map(struct checkpoint_memory_image *image, char *begin, char *why, size_t len)
{
    const struct checkpoint_maps *m = &image->maps;
    image->at = calloc(m->count + 1, sizeof *image->at);
    image->is_open = calloc(m->count + 1, sizeof *image->is_open);
    image->object_fd = calloc(m->count + 1, sizeof *image->object_fd);
    image->wanted = checkpoint_maps_scratch((m->pages / 64 + 1) * sizeof *image->wanted);
    int rc = image->at && image->is_open && image->object_fd && image->wanted ? 0 : -ENOMEM;
    if (rc)
        snprintf(why, len, "%s", strerror(-rc));
    for (uint32_t i = 0; i < m->count && rc == 0; i++) {
        rc = checkpoint_memory_map_one(image, i, begin + (m->map[i].begin & (ALIGNED - 1)));
        begin += checkpoint_memory_room(&m->map[i]);
        if (rc)
            snprintf(why, len, "%s %llu bytes: %s", m->names + m->map[i].name,
                     (unsigned long long)(m->map[i].end - m->map[i].begin), strerror(-rc));
    }
    return rc;
}

void *checkpoint_memory_find(struct checkpoint_memory_image *image, uint64_t address)
{
    const struct checkpoint_map *map = checkpoint_maps_at(&image->maps, address);
    if (!map)
        return NULL;
    size_t i = (size_t)(map - image->maps.map);
    if (!image->is_open[i] &&
        mprotect(image->at[i], map->end - map->begin, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    image->is_open[i] = true;
    return image->at[i] + (address - map->begin);
}

void checkpoint_memory_load_objects(struct checkpoint_memory_image *image,
                                    struct checkpoint_file *f)
{
    struct checkpoint_memory_part part = { .bytes = 0 };
    char page[PAGE_SIZE];
    for (;;) {
        int fd = -1;
        checkpoint_file_get(f, &part, sizeof part);
        if (checkpoint_file_status(f) != 0 || part.bytes == 0)
            return;
        for (uint32_t i = 0; i < image->maps.count && fd < 0; i++)
            if (image->maps.map[i].kind == CHECKPOINT_MAPS_OBJECT &&
                image->maps.map[i].inode == part.inode)
                fd = image->object_fd[i];
        if (fd < 0 || part.bytes != PAGE_SIZE) {
            checkpoint_file_fail(f, -EBADMSG);
            return;
        }
        checkpoint_file_get(f, page, PAGE_SIZE);
        if (pwrite(fd, page, PAGE_SIZE, (off_t)part.offset) != PAGE_SIZE)
            checkpoint_file_fail(f, errno ? -errno : -ENOSPC);
    }
}

void checkpoint_memory_skip_objects(struct checkpoint_file *f)
{
    struct checkpoint_memory_part part = { .bytes = 0 };
    do {
        checkpoint_file_get(f, &part, sizeof part);
        checkpoint_file_skip(f, part.bytes);
    } while (checkpoint_file_status(f) == 0 && part.bytes != 0);
}

static uint64_t checkpoint_memory_number(const struct checkpoint_memory_image *image,
                                         uint64_t address)
{
    const struct checkpoint_map *map = checkpoint_maps_at(&image->maps, address);
    return map && map->kind != CHECKPOINT_MAPS_OBJECT
               ? map->first + (address - map->begin) / PAGE_SIZE
               : UINT64_MAX;
}

static bool checkpoint_memory_bit(const struct checkpoint_memory_image *image, uint64_t number)
{
    return image->wanted[number / 64] >> number % 64 & 1;
}

static void checkpoint_memory_flip(struct checkpoint_memory_image *image, uint64_t number)
{
    image->wanted[number / 64] ^= UINT64_C(1) << number % 64;
}

/* The list of the newest file: pages that it has itself have been marked. */
static void checkpoint_memory_load_list(struct checkpoint_memory_image *image,
                                        struct checkpoint_file *f)
{
    for (;;) {
        struct checkpoint_memory_run run = { 0, 0 };
        checkpoint_file_get(f, &run, sizeof run);
        if (checkpoint_file_status(f) != 0 || run.pages == 0)
            return;
        for (uint64_t i = 0; i < run.pages && checkpoint_file_status(f) == 0; i++) {
            uint64_t number = checkpoint_memory_number(image, run.address + i * PAGE_SIZE);
            if (number == UINT64_MAX) {
                checkpoint_file_fail(f, -EBADMSG);
                continue;
            }
            checkpoint_memory_flip(image, number);
            image->left += checkpoint_memory_bit(image, number);
        }
    }
}

void checkpoint_memory_load(struct checkpoint_memory_image *image, struct checkpoint_file *f,
                            bool newest)
{
    for (;;) {
        uint64_t address = MEMORY_END;
        checkpoint_file_get(f, &address, sizeof address);
        if (checkpoint_file_status(f) != 0 || address == MEMORY_END)
            break;
        uint64_t number = checkpoint_memory_number(image, address);
        bool stores = number != UINT64_MAX && checkpoint_memory_bit(image, number) == !newest;
        void *to = stores ? checkpoint_memory_find(image, address) : NULL;
        if ((stores && !to) || (newest && !stores))
            checkpoint_file_fail(f, -EBADMSG);
        else if (!stores)
            checkpoint_file_skip(f, PAGE_SIZE);
        else
            checkpoint_file_get(f, to, PAGE_SIZE);
        if (stores) {
            checkpoint_memory_flip(image, number);
            image->left -= !newest;
        }
    }
    if (newest)
        checkpoint_memory_load_list(image, f);
}
