/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fork.c - children of the program. They are expected to call exec; what they do before it, they do
 * with copies.
 *
 * Invariants
 *   - The child has a private stack at the same address; otherwise it would share its parent's.
 *   - It has a private copy of the shared memory that its node could read. If there is
 *     too much to copy at once, a page of the rest is copied by the first store to it. An access to
 *     other shared memory ends it with a line.
 *   - It has these before functions of pthread_atfork run in it, and its parent runs its own after
 *     that. So none of them changes what the other process finds. Other threads of the parent run
 *     on while the copies are made.
 *   - If the copies are not all, its parent waits until it has called exec or has ended, so that
 *     the child still finds what it executes, but at most a second, since the child may wait for
 *     its parent. Then a line says that the child may find later stores.
 */
#include "compat/start/fork.h"

#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/procfs.h"
#include "compat/start/heap.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"
#include "hlrc/memory/only_node.h"

#define FRAMES     1024 /* saved below the frame that is passed here on the shared stack */
#define WAIT_MS    1000
#define LOOKED_AT  512                /* bytes of a block of the heap */
#define COPIED     ((size_t)64 << 20) /* most bytes copied at once */
#define FETCHED    ((size_t)16 << 20) /* most bytes of variables fetched for the child */
#define PAGE_BYTES 4096

struct fork_state {
    char *from, *top; /* the part of the shared stack that the child needs */
    pid_t pid;
    int error;
};

/* The frames that return to the program. */
struct fork_stack {
    char *from, *copy;
    size_t live;
    char *top;
};

/* The heap's range, which a child gets only on request; guarded by the mutex. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *heap_begin, *heap_end;

/* ---- mappings ---- */

typedef void mapping_fn(char *begin, char *end, const struct procfs_map *map);

/* Calls fn for each shared mapping. Runs in a child, too: allocates nothing. */
static void fork_each_mapping(mapping_fn *fn)
{
    static struct procfs_maps maps;
    struct procfs_map map;
    if (!procfs_maps_open(&maps, 0))
        return;
    while (procfs_maps_next(&maps, &map))
        if (start_is_shared((void *)map.begin))
            fn((char *)map.begin, (char *)map.end, &map);
    procfs_maps_close(&maps);
}

static void fork_find_heap(char *begin, char *end, const struct procfs_map *map)
{
    if (!heap_is_shared(begin) || !map->is_shared) /* the rest is reserved: [addresses.reserved] */
        return;
    if (!heap_begin || begin < heap_begin)
        heap_begin = begin;
    if (end > heap_end)
        heap_end = end;
}

static void fork_pass_heap(bool on)
{
    if (!heap_begin)
        fork_each_mapping(fork_find_heap);
    if (heap_begin)
        (void)madvise(heap_begin, (size_t)(heap_end - heap_begin),
                      on ? MADV_DOFORK : MADV_DONTFORK);
}

/* Bytes, in the child. */
static size_t copied, not_copied;

/* Its parent's stores remain visible in pages of a private mapping that have not been stored to. */
static void fork_copy_pages(volatile char *from, size_t bytes)
{
    size_t now = bytes < COPIED - copied ? bytes : COPIED - copied;
    for (size_t at = 0; at < now; at += PAGE_BYTES)
        from[at] = from[at];
    copied += now;
    not_copied += bytes - now;
}

/* Pages without data on this node are zeros. */
static void fork_keep(char *begin, char *end, const struct procfs_map *map)
{
    size_t bytes = (size_t)(end - begin);
    int fd = hlrc_space_fd(), flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
    off_t from = (off_t)map->offset, to = from + (off_t)bytes;
    if (!map->readable || !map->is_shared)
        return;
    if (mmap(begin, bytes, PROT_READ | PROT_WRITE, flags, fd, from) != begin)
        start_fail("fork: no memory for the child's copies: %s", strerror(errno));
    for (off_t data = from; (data = lseek(fd, data, SEEK_DATA)) >= 0 && data < to;) {
        off_t hole = lseek(fd, data, SEEK_HOLE);
        hole = hole < to ? hole : to;
        fork_copy_pages(begin + (data - from), (size_t)(hole - data));
        data = hole;
    }
}

/* ---- the stack ---- */

static struct fork_stack fork_save_stack(const struct fork_state *f)
{
    struct fork_stack s = { .from = f->from, .top = f->top };
    if (!f->top)
        return s;
    s.live = (size_t)(s.top - s.from);
    s.copy = malloc(s.live);
    if (s.copy)
        memcpy(s.copy, s.from, s.live);
    return s;
}

static void fork_take_stack(const struct fork_stack *s)
{
    if (!s->live)
        return;
    size_t bytes = lane_stack_bytes();
    char *at = s->top - bytes;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != at)
        start_fail("fork: no memory for the child's stack: %s", strerror(errno));
    memcpy(s->from, s->copy, s->live);
}

/* ---- parent and child ---- */

/* The calling thread forks by fork_perform. */
static _Thread_local const struct fork_stack *forking;
/* The child writes to ends[1] what it has not copied, and closes it when it calls exec or ends.
 * Guarded. */
static int ends[2];
static size_t left; /* as the child has written */

/* These two run before what the program has registered by pthread_atfork, which may store to its
 * variables. */
static void fork_become_child(void)
{
    if (!forking)
        return;
    fork_each_mapping(fork_keep);
    fork_take_stack(forking);
    start_sharing = start_spread = start_fences = start_away = false;
    start_is_child = true;
    while (write(ends[1], &not_copied, sizeof not_copied) < 0 && errno == EINTR)
        ;
}

/* Until the child has its copies, if there is a child. */
static void fork_await_copies(void)
{
    if (!forking)
        return;
    close(ends[1]);
    left = 0;
    while (read(ends[0], &left, sizeof left) < 0 && errno == EINTR)
        ;
}

__attribute__((constructor)) static void fork_at_start(void)
{
    if (pthread_atfork(NULL, fork_await_copies, fork_become_child) != 0)
        start_fail("no memory for what fork calls");
}

static void fork_await_child(int fd, size_t bytes)
{
    struct pollfd end = { .fd = fd, .events = POLLIN };
    int rc;
    while ((rc = poll(&end, 1, WAIT_MS)) < 0 && errno == EINTR)
        ;
    if (rc == 0)
        fprintf(stderr,
                "hlrc: a forked child uses %zu MB of the program's memory and has called no exec "
                "in 1 s: it copies at most %zu MB, and may find later stores in the rest; let it "
                "call exec, or run the program on one node\n",
                (bytes + COPIED) >> 20, COPIED >> 20);
}

/* Makes the block accessible that this word may point to, and the blocks that the first words in
 * that block point to, such as arguments for exec. */
static void fork_fetch_block(uintptr_t word, int depth)
{
    char *at = (char *)word;
    if (!heap_is_shared(at) || hlrc_touch(at, LOOKED_AT, 0) != 0)
        return;
    uintptr_t *words = (uintptr_t *)((word + 7) & ~(uintptr_t)7);
    for (size_t i = 0; depth > 0 && i < LOOKED_AT / sizeof *words - 1; i++)
        fork_fetch_block(words[i], depth - 1);
}

/* That exec passes on, and execvp reads. */
static void fork_fetch_environment(void)
{
    for (char **e = environ; e; e = *e ? e + 1 : NULL) {
        fork_fetch_block((uintptr_t)e, 0);
        if (*e && heap_is_shared(*e))
            (void)hlrc_touch(*e, strlen(*e) + 1, 0);
    }
}

/* What this node has had, and another node has changed since. A child cannot fetch pages. */
static void fork_fetch_changed(char *begin, char *end, const struct procfs_map *map)
{
    off_t from = (off_t)map->offset, to = from + (end - begin);
    if (map->readable || !map->is_shared)
        return;
    for (off_t data = from; (data = lseek(hlrc_space_fd(), data, SEEK_DATA)) >= 0 && data < to;) {
        off_t hole = lseek(hlrc_space_fd(), data, SEEK_HOLE);
        hole = hole < to ? hole : to;
        (void)hlrc_touch(begin + (data - from), (size_t)(hole - data), 0);
        data = hole;
    }
}

static void fork_perform(void *arg)
{
    struct fork_state *f = arg;
    fork_fetch_environment();
    struct fork_stack s = fork_save_stack(f);
    f->pid = -1;
    f->error = ENOMEM;
    if (s.live && !s.copy)
        return;
    pthread_mutex_lock(&mutex);
    fork_each_mapping(fork_fetch_changed);
    f->error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    int from_child = f->error ? -1 : ends[0];
    if (from_child >= 0) {
        fork_pass_heap(true);
        forking = &s;
        f->pid = fork();
        f->error = errno;
        forking = NULL;
        if (f->pid != 0)
            fork_pass_heap(false);
    }
    size_t rest = left;
    pthread_mutex_unlock(&mutex);
    if (f->pid > 0 && rest > 0)
        fork_await_child(from_child, rest);
    if (from_child >= 0)
        close(from_child);
    free(s.copy);
}

pid_t fork_here(void)
{
    struct fork_state f = { 0 };
    if (!start_sharing) {
        f.pid = fork();
        start_is_child |= f.pid == 0;
        return f.pid;
    }
    if (lane_is_shared(&f)) {
        f.from = (char *)((uintptr_t)&f - FRAMES);
        f.top = lane_current->shared_top;
    }
    lane_call(fork_perform, &f);
    if (f.pid < 0)
        errno = f.error;
    return f.pid;
}

/* The caller has used them on another node. */
static void fork_fetch(const struct fork_state *f)
{
    size_t bytes = (size_t)(start_image.end - start_image.begin);
    if (bytes > 0 && bytes <= FETCHED)
        (void)hlrc_touch(start_image.begin, bytes, 0);
    const uintptr_t *words = (const uintptr_t *)((uintptr_t)f->from & ~(uintptr_t)7);
    for (; (const char *)words < f->top; words++)
        fork_fetch_block(*words, 1);
}

pid_t fork_for(char *from, char *top)
{
    struct fork_state f = { .from = from - FRAMES, .top = top };
    fork_fetch(&f);
    fork_perform(&f);
    if (f.pid < 0)
        errno = f.error;
    return f.pid;
}
