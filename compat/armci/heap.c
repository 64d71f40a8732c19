/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap.c - memory of groups: blocks of one window, which ARMCI_Init creates on all processes,
 * because the members cannot create windows without the others. Each process divides its own part,
 * so members have different addresses.
 *
 * The members of a group count its allocations. A member that has no memory there, and passes NULL
 * to ARMCI_Free_group, so learns which block the others free.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compat/armci/inner.h"

#define DEFAULT_BYTES (32UL << 20)
#define LEAST_BYTES   (1UL << 20)
#define ALIGNMENT     64U
#define FAILED        UINT64_MAX

/* Of a process. */
struct heap_part {
    uint64_t off, bytes; /* in its part of the window */
};

/* An allocation. `part` is by process; the parts of processes that are no members are empty. */
struct heap_block {
    struct heap_block *next; /* by rising offset here */
    uint64_t context, count;
    struct heap_part part[];
};

static char *heap;
static size_t heap_bytes = DEFAULT_BYTES;
static struct heap_block *blocks;
static uint64_t allocations;                                /* of any group */
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER; /* guards the list */

/* Before ARMCI_Init; at each process. */
void ARMCI_Set_shm_limit(unsigned long bytes)
{
    if (!armci_job.joined)
        heap_bytes = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

/* ARMCI_DEFAULT_SHMMAX is in MiB, as for other ARMCI. */
static void heap_configure(void)
{
    const char *text = secure_getenv("ARMCI_DEFAULT_SHMMAX");
    if (!text)
        return;
    char *end;
    errno = 0;
    unsigned long mib = strtoul(text, &end, 10);
    if (end == text || *end || text[0] == '-' || errno || mib < 1 || mib > SIZE_MAX >> 20)
        fail_job("ARMCI_DEFAULT_SHMMAX=%s: not a size; give a number of MiB, from 1 on", text);
    heap_bytes = (size_t)mib << 20;
}

/* As large as fits: all processes see the same failures. */
void inner_armci_heap_start(void)
{
    heap_configure();
    uint64_t most = heap_bytes;
    (void)hlrc_reduce(&most, &most, 1, HLRC_UINT64, HLRC_MAX);
    for (heap_bytes = most; heap_bytes >= LEAST_BYTES; heap_bytes /= 2) {
        heap = hlrc_window_create(heap_bytes);
        if (heap)
            return;
    }
    heap_bytes = 0;
}

bool inner_armci_heap_has(const void *at)
{
    return heap && (uintptr_t)at - (uintptr_t)heap < heap_bytes;
}

size_t inner_armci_heap_bytes(const void *at, int proc)
{
    uint64_t off = (uint64_t)((const char *)at - heap);
    size_t bytes = 0;
    (void)pthread_rwlock_rdlock(&guard);
    for (const struct heap_block *b = blocks; b && !bytes; b = b->next)
        if (off - b->part[proc].off < b->part[proc].bytes)
            bytes = b->part[proc].bytes - (off - b->part[proc].off);
    (void)pthread_rwlock_unlock(&guard);
    return bytes;
}

/* Links it where it first fits, and sets its offset here. Guarded. */
static bool heap_link(struct heap_block *new, uint64_t bytes)
{
    struct heap_part *mine = &new->part[armci_job.me];
    struct heap_block **b = &blocks;
    uint64_t at = 0;
    for (; *b; b = &(*b)->next) {
        const struct heap_part *used = &(*b)->part[armci_job.me];
        if (used->off - at >= bytes)
            break;
        at = (used->off + used->bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    }
    if (bytes > heap_bytes || at > heap_bytes - bytes)
        return false;
    *mine = (struct heap_part){ at, bytes };
    new->next = *b;
    *b = new;
    return true;
}

static void heap_unlink(struct heap_block *block)
{
    (void)pthread_rwlock_wrlock(&guard);
    struct heap_block **b = &blocks;
    while (*b != block)
        b = &(*b)->next;
    *b = block->next;
    (void)pthread_rwlock_unlock(&guard);
    free(block);
}

/* Each member has filled in its own part and count. */
static void heap_merge(void *mine, const void *other, void *arg)
{
    uint64_t *words = mine;
    const uint64_t *more = other;
    for (size_t i = 0, n = *(const size_t *)arg; i < n; i++)
        words[i] |= more[i];
}

static void heap_max(void *mine, const void *other, void *arg)
{
    uint64_t *a = mine;
    const uint64_t *b = other;
    (void)arg;
    *a = *a > *b ? *a : *b;
}

int inner_armci_heap_take(const struct armci_group *g, void *ptr_arr[], size_t bytes)
{
    size_t n = (size_t)armci_job.n, words = 2 * n;
    struct heap_block *b = calloc(1, sizeof *b + n * sizeof b->part[0]);
    struct heap_part *parts = calloc(n, sizeof *parts);
    if (!b || !parts)
        fail_job("ARMCI_Malloc_group: no private memory for %zu sizes", n);
    (void)pthread_rwlock_wrlock(&guard);
    bool linked = heap_link(b, bytes);
    (void)pthread_rwlock_unlock(&guard);
    parts[armci_job.me] = linked ? b->part[armci_job.me] : (struct heap_part){ 0, FAILED };
    inner_armci_combine(g, parts, words * sizeof(uint64_t), heap_merge, &words);
    uint64_t count = ++allocations;
    inner_armci_combine(g, &count, sizeof count, heap_max, NULL);
    allocations = count;
    bool failed = false;
    for (int i = 0; i < g->size; i++) {
        const struct heap_part *part = &parts[g->member[i]];
        failed |= part->bytes == FAILED;
        ptr_arr[i] = part->bytes ? heap + part->off : NULL;
    }
    if (failed) {
        memset(ptr_arr, 0, (size_t)g->size * sizeof *ptr_arr);
        free(parts);
        if (linked)
            heap_unlink(b);
        else
            free(b);
        return 1;
    }
    (void)pthread_rwlock_wrlock(&guard);
    b->context = g->context;
    b->count = count;
    memcpy(b->part, parts, n * sizeof *parts);
    (void)pthread_rwlock_unlock(&guard);
    free(parts);
    return 0;
}

bool inner_armci_heap_return(const struct armci_group *g, void *ptr)
{
    uint64_t count = 0, off = ptr ? (uint64_t)((char *)ptr - heap) : 0;
    struct heap_block *b;
    for (b = blocks; ptr && b && !count; b = b->next)
        if (b->context == g->context && b->part[armci_job.me].bytes &&
            b->part[armci_job.me].off == off)
            count = b->count;
    if (ptr && !count)
        return false;
    inner_armci_combine(g, &count, sizeof count, heap_max, NULL);
    for (b = blocks; b && (b->context != g->context || b->count != count); b = b->next)
        continue;
    if (b)
        heap_unlink(b);
    return true;
}

/* ---- blocks of one other process ---- */

/* Frees notes of blocks that overlap these bytes at that process: it has freed them since. Guarded.
 */
static void heap_forget(uint64_t off, uint64_t bytes, int proc)
{
    for (struct heap_block **b = &blocks; *b;) {
        struct heap_block *old = *b;
        const struct heap_part *p = &old->part[proc];
        if (old->context != CONTEXT_SELF || p->off >= off + bytes || off >= p->off + p->bytes) {
            b = &old->next;
            continue;
        }
        *b = old->next;
        free(old);
    }
}

/* The note has no bytes here, and follows all blocks of this process. */
bool inner_armci_heap_learn(const void *at, size_t bytes, int proc)
{
    uint64_t off = (uint64_t)((const char *)at - heap);
    if (!inner_armci_heap_has(at) || bytes > heap_bytes - off)
        return false;
    struct heap_block *new = calloc(1, sizeof *new + (size_t)armci_job.n * sizeof new->part[0]),
                      **b = &blocks;
    if (!new)
        fail_job("ARMCI_Memat: no private memory for %d sizes", armci_job.n);
    new->context = CONTEXT_SELF;
    new->part[armci_job.me].off = heap_bytes;
    new->part[proc] = (struct heap_part){ off, bytes };
    (void)pthread_rwlock_wrlock(&guard);
    heap_forget(off, bytes, proc);
    while (*b)
        b = &(*b)->next;
    *b = new;
    (void)pthread_rwlock_unlock(&guard);
    return true;
}

void inner_armci_heap_forget(const void *at, int proc)
{
    (void)pthread_rwlock_wrlock(&guard);
    heap_forget((uint64_t)((const char *)at - heap), 1, proc);
    (void)pthread_rwlock_unlock(&guard);
}
