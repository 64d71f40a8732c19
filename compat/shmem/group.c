/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * group.c - building blocks of collectives, among the PEs of a team or active set: signals, and
 * the trees that they follow. inner.h has the rules.
 *
 * A signal is a put, or an atomic operation, after the data that it announces. Only the slot's own
 * PE reads it, and each PE sends and awaits at most ceil(log2 n) signals in a pass over all PEs.
 */
#include <string.h>

#include "compat/shmem/inner.h"

#define SCAN_BYTES 4096 /* of a piece of a scan */

/* ---- signals ---- */

/* To the PE 2^r above (UP) or below. */
static void group_signal_to(struct shmem_group *g, unsigned slot, int index)
{
    uint64_t one = 1, *word = &g->slots[slot];
    int pe = inner_sh_member(g, index);
    if (!g->sent) {
        (void)hlrc_word_fetch(hlrc_word_window(word, pe), HLRC_UINT64, HLRC_SUM, &one, NULL,
                              HLRC_RELAXED);
        return;
    }
    one = ++g->sent[slot];
    hlrc_put(word, &one, sizeof one, pe);
}

static void group_await(struct shmem_group *g, unsigned slot)
{
    uint64_t least = g->sent ? ++g->seen[slot] : 1, taken = UINT64_MAX;
    unsigned tries = 0;
    while (__atomic_load_n(&g->slots[slot], __ATOMIC_ACQUIRE) < least)
        inner_sh_pause(&tries);
    if (!g->sent)
        (void)hlrc_word_fetch(hlrc_word_window(&g->slots[slot], inner_sh_member(g, g->me)),
                              HLRC_UINT64, HLRC_SUM, &taken, NULL, HLRC_RELAXED);
}

static int group_above(const struct shmem_group *g, int by)
{
    return (g->me + by) % g->size;
}

static int group_below(const struct shmem_group *g, int by)
{
    return (g->me - by + g->size) % g->size;
}

/* ---- barrier: dissemination ---- */

void inner_sh_meet(struct shmem_group *g)
{
    for (unsigned r = 0; 1 << r < g->size; r++) {
        group_signal_to(g, UP + r, group_above(g, 1 << r));
        group_await(g, UP + r);
    }
}

/* ---- down a binomial tree ---- */

/* Counted from the root, a PE's parent is its number without the highest bit. */
void inner_sh_broadcast(struct shmem_group *g, void *to, const void *from, size_t bytes, int root)
{
    int rank = (g->me - root + g->size) % g->size;
    unsigned r = 0;
    while (rank >> r != 0)
        r++;
    if (r > 0) {
        group_await(g, UP + r - 1);
        from = to;
    }
    for (; rank + (1 << r) < g->size; r++) {
        int child = group_above(g, 1 << r);
        if (bytes)
            hlrc_put(to, from, bytes, inner_sh_member(g, child));
        group_signal_to(g, UP + r, child);
    }
}

/* ---- up one, and down again ---- */

/* To index 0, whose `to` has the result; a PE's children have one more low bit. */
static void group_gather(struct shmem_group *g, char *to, size_t count, size_t bytes,
                         sh_combine *combine)
{
    size_t part = g->inbox_bytes / LEVELS;
    for (unsigned r = 0; 1 << r < g->size; r++) {
        char *inbox = g->inbox + r * part;
        if (g->me >> r & 1) {
            int parent = group_below(g, 1 << r);
            hlrc_put(inbox, to, count * bytes, inner_sh_member(g, parent));
            group_signal_to(g, DOWN + r, parent);
            return;
        }
        if (g->me + (1 << r) >= g->size)
            continue;
        group_await(g, DOWN + r);
        combine(to, inbox, count);
    }
}

/* In pieces of an inbox's size. A PE has the result of the piece before, which went through the
 * root, before it sends the next. All get the root's bits. */
void inner_sh_reduce(struct shmem_group *g, void *to, const void *from, size_t count, size_t bytes,
                     sh_combine *combine)
{
    size_t most = g->inbox_bytes / LEVELS / bytes;
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < most ? count - done : most;
        char *at = (char *)to + done * bytes;
        const char *source = (const char *)from + done * bytes;
        if (at != source)
            memcpy(at, source, n * bytes);
        group_gather(g, at, n, bytes, combine);
        inner_sh_broadcast(g, at, at, n * bytes, 0);
    }
}

/* One piece. In round r a member sends what it has to the one 2^r above: the combination of up to
 * 2^r members, and takes that of as many before them. `has`: there were members before this one. */
static void group_scan_piece(struct shmem_group *g, char *all, char *before, size_t count,
                             size_t bytes, sh_combine *combine)
{
    size_t part = g->inbox_bytes / LEVELS, len = count * bytes;
    bool has = false;
    for (unsigned r = 0; 1 << r < g->size; r++) {
        char *inbox = g->inbox + r * part;
        if (g->me + (1 << r) < g->size) {
            hlrc_put(inbox, all, len, inner_sh_member(g, g->me + (1 << r)));
            group_signal_to(g, UP + r, g->me + (1 << r));
        }
        if (g->me < 1 << r)
            continue;
        group_await(g, UP + r);
        combine(all, inbox, count);
        if (has)
            combine(before, inbox, count);
        else
            memcpy(before, inbox, len);
        has = true;
    }
}

void inner_sh_scan(struct shmem_group *g, void *to, const void *from, size_t count, size_t bytes,
                   sh_combine *combine, bool exclusive)
{
    _Alignas(16) char all[SCAN_BYTES], before[SCAN_BYTES];
    size_t part = g->inbox_bytes / LEVELS, most = (part < SCAN_BYTES ? part : SCAN_BYTES) / bytes;
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < most ? count - done : most;
        memcpy(all, (const char *)from + done * bytes, n * bytes);
        memset(before, 0, n * bytes);
        group_scan_piece(g, all, before, n, bytes, combine);
        inner_sh_meet(g); /* the inboxes have been read */
        memcpy((char *)to + done * bytes, exclusive ? before : all, n * bytes);
    }
}

/* ---- blocks of all PEs ---- */

/* Blocks of one size: in each round a PE sends all blocks that it has, doubling in number, to the
 * PE that many below it. */
void inner_sh_fcollect(struct shmem_group *g, char *to, const char *from, size_t bytes)
{
    if (bytes && to + (size_t)g->me * bytes != from)
        memcpy(to + (size_t)g->me * bytes, from, bytes);
    for (unsigned r = 0; 1 << r < g->size; r++) {
        int has = 1 << r, n = has < g->size - has ? has : g->size - has,
            other = group_below(g, has);
        int first = g->size - g->me < n ? g->size - g->me : n; /* up to the end */
        char *at = to + (size_t)g->me * bytes;
        if (bytes) {
            hlrc_put(at, at, (size_t)first * bytes, inner_sh_member(g, other));
            if (n > first)
                hlrc_put(to, to, (size_t)(n - first) * bytes, inner_sh_member(g, other));
        }
        group_signal_to(g, DOWN + r, other);
        group_await(g, DOWN + r);
    }
}

/* The sum over lower indices. */
static uint64_t group_sum_before(struct shmem_group *g, uint64_t mine)
{
    uint64_t sum = mine;
    for (unsigned r = 0; 1 << r < g->size; r++) {
        if (g->me + (1 << r) < g->size) {
            int other = g->me + (1 << r);
            hlrc_put(&g->slots[VALUE + r], &sum, sizeof sum, inner_sh_member(g, other));
            group_signal_to(g, UP + r, other);
        }
        if (g->me < 1 << r)
            continue;
        group_await(g, UP + r);
        sum += g->slots[VALUE + r];
        g->slots[VALUE + r] = 0;
    }
    return sum - mine;
}

/* Of any size: each PE puts its block after the blocks of lower indices. */
void inner_sh_collect(struct shmem_group *g, char *to, const char *from, size_t bytes)
{
    size_t before = group_sum_before(g, bytes);
    for (int i = 0; bytes && i < g->size; i++)
        hlrc_put_nb(to + before, from, bytes, inner_sh_member(g, group_above(g, i)), NULL);
    hlrc_fence_all();
    inner_sh_meet(g);
}

/* Consecutive elements, of `bytes` each, are `dst` elements apart in `to` and `sst` in `from`. */
void inner_sh_alltoall(struct shmem_group *g, char *to, const char *from, size_t dst, size_t sst,
                       size_t nelems, size_t bytes)
{
    size_t d = dst * bytes, s = sst * bytes, counts[] = { bytes, nelems };
    char *at = to + (size_t)g->me * nelems * d;
    for (int i = 0; nelems && bytes && i < g->size; i++) {
        int other = group_above(g, i);
        const char *source = from + (size_t)other * nelems * s;
        hlrc_put_strided_nb(at, &d, source, &s, counts, 1, inner_sh_member(g, other), NULL);
    }
    hlrc_fence_all();
    inner_sh_meet(g);
}
