/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* copies.c - see copies.h for the invariants. */
#include "hlrc/memory/copies.h"

#include <errno.h>
#include <stddef.h>

#include "base/headroom.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/page_view.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/progress.h"

#define BATCH_MOST 64u  /* pages examined together */
#define LOOK_LEAST 256u /* faults and copies between two checks of the memory left */
#define LOOK_MOST  16384u
/* If less than 1/LOW_PART of the whole is left, within these bounds, copies are evicted until
 * twice as much is left. */
#define LOW_PART     16
#define LOW_LEAST    (INT64_C(8) << 20)
#define LOW_MOST     (INT64_C(256) << 20)
#define ENOUGH_TIMES 4 /* above this multiple of it there is no limit */

enum { NOT_QUEUED, ACTIVE, OLD };

struct copies_queue {
    uint32_t first, last; /* page + 1; 0: empty */
    _Atomic uint32_t count;
};

static struct copies_queue queues[OLD + 1]; /* guarded by `lock` */
static uint32_t *next;                      /* by page: the next one + 1 */
static spin_lock_word lock;                 /* taken after a page's */
static _Atomic bool trimming;               /* a thread trims; others need not */
static _Atomic uint32_t limit;              /* most copies; UINT32_MAX: no limit */
static _Atomic int32_t patience; /* faults until the next attempt, after one without success */
static _Atomic bool crowded;
static _Atomic int32_t until_look; /* -1 or less: time to check the memory left */
static _Atomic bool may_go;        /* copies may have to be evicted */
static int64_t left_at_start;
static void (*close_interval)(void);

static size_t copies_next_bytes(void)
{
    return (size_t)engine.pages * sizeof *next;
}

static bool copies_automatic(void)
{
    return engine.config.cache_size == 0;
}

/* Faults and copies until the next check; the memory left is shared with the other nodes of this
 * machine. */
static int32_t copies_next_look(int64_t left)
{
    int64_t pages = left / 8 / engine.neighbours >> PAGE_SHIFT;
    return (int32_t)(pages < LOOK_LEAST ? LOOK_LEAST : pages > LOOK_MOST ? LOOK_MOST : pages);
}

bool copies_may_go(void)
{
    return atomic_load_explicit(&may_go, memory_order_relaxed);
}

/* If no size was given, the space is as large as possible, and it is unknown how much of it will
 * be used. */
static bool copies_may_be_short(void)
{
    return !copies_automatic() ||
           (engine.size_given && (int64_t)engine.config.memory > left_at_start / engine.neighbours);
}

int copies_init(void)
{
    for (int q = ACTIVE; q <= OLD; q++)
        queues[q] = (struct copies_queue){ 0 };
    uint64_t most = engine.config.cache_size >> PAGE_SHIFT;
    atomic_store(&limit, copies_automatic() || most > UINT32_MAX ? UINT32_MAX : (uint32_t)most);
    atomic_store(&patience, 0);
    atomic_store(&crowded, false);
    if (copies_automatic() || engine.config.checkpoint[0])
        headroom_open("");
    left_at_start = headroom_now().left;
    atomic_store(&until_look, copies_next_look(left_at_start));
    atomic_store(&may_go, copies_may_be_short());
    next = reserve(copies_next_bytes());
    return next ? 0 : -ENOMEM;
}

void copies_end(void)
{
    headroom_close();
    reserve_end(next, copies_next_bytes());
    next = NULL;
}

void copies_on_crowd(void (*close)(void))
{
    close_interval = close;
}

bool copies_crowded(void)
{
    return atomic_load_explicit(&crowded, memory_order_relaxed);
}

uint32_t copies_room(void)
{
    uint32_t most = atomic_load_explicit(&limit, memory_order_relaxed) / 2;
    return most ? most : 1;
}

static uint32_t copies_in_queue(int q)
{
    return atomic_load_explicit(&queues[q].count, memory_order_relaxed);
}

static uint32_t copies_total(void)
{
    return copies_in_queue(ACTIVE) + copies_in_queue(OLD);
}

static void copies_append(int q, uint32_t page)
{
    struct copies_queue *to = &queues[q];
    spin_lock(&lock);
    next[page] = 0;
    if (to->last)
        next[to->last - 1] = page + 1;
    else
        to->first = page + 1;
    to->last = page + 1;
    atomic_fetch_add(&to->count, 1);
    spin_unlock(&lock);
}

/* Takes up to `most` pages off the head, into out; returns their number. Their state still says
 * that they are queued. */
static uint32_t copies_take(int q, uint32_t *out, uint32_t most)
{
    struct copies_queue *from = &queues[q];
    uint32_t n = 0;
    spin_lock(&lock);
    while (n < most && from->first) {
        out[n] = from->first - 1;
        from->first = next[out[n++]];
    }
    if (!from->first)
        from->last = 0;
    atomic_fetch_sub(&from->count, n);
    spin_unlock(&lock);
    return n;
}

bool copies_over(void)
{
    return copies_total() > atomic_load_explicit(&limit, memory_order_relaxed);
}

void copies_add(uint32_t page, struct page *p)
{
    atomic_fetch_sub_explicit(&until_look, 1, memory_order_relaxed);
    if (p->copy != NOT_QUEUED)
        return;
    p->copy = ACTIVE;
    copies_append(ACTIVE, page);
}

/* ---- copies at the head of their queue ---- */

enum copies_fate { FORGOTTEN, STAYS, AGED, GIVEN };

/* ASSUMPTION: locked. */
static enum copies_fate copies_fate_of(uint32_t page, const struct page *p)
{
    bool in_use = p->held || page_held(page) || (p->flags & (PAGE_BUSY | PAGE_DIRTY));
    if (in_use || p->renewal.pending)
        return STAYS; /* [copies.evict-clean] */
    if (p->home == 0 || page_is_home(p, engine.node))
        return FORGOTTEN;
    if (p->flags & PAGE_STALE)
        return GIVEN;
    if (p->copy == ACTIVE)
        return AGED;
    return p->access == ACCESS_NONE ? GIVEN : STAYS;
}

/* ASSUMPTION: locked. */
static void copies_settle(uint32_t page, struct page *p, enum copies_fate fate)
{
    if (fate == GIVEN)
        p->flags |= PAGE_BUSY; /* [copies.evict-clean] */
    else if (fate == FORGOTTEN)
        p->copy = NOT_QUEUED;
    else
        copies_append(p->copy = fate == AGED ? OLD : ACTIVE, page);
}

/* Decides about a run of consecutive pages, and closes them where required [copies.evict-clean];
 * false if the kernel had no room for it. given[i]: page i is BUSY, and has to be evicted. */
static bool copies_decide(uint32_t first, uint32_t n, bool *given)
{
    enum copies_fate fate[BATCH_MOST];
    bool closed[BATCH_MOST];
    for (uint32_t i = 0; i < n; i++) {
        const struct page *p = page_lock(first + i);
        fate[i] = copies_fate_of(first + i, p);
        closed[i] = (fate[i] == AGED || fate[i] == GIVEN) && p->access != ACCESS_NONE;
    }
    int rc = page_view_change_marked(first, n, closed, ACCESS_NONE);
    for (uint32_t i = 0; i < n; i++) {
        struct page *p = page_at(first + i);
        copies_settle(first + i, p, rc && fate[i] != FORGOTTEN ? STAYS : fate[i]);
        given[i] = !rc && fate[i] == GIVEN;
        page_unlock(p);
    }
    if (rc)
        page_view_mend(first, n);
    return rc == 0;
}

/* [copies.evict-clean]. ASSUMPTION: BUSY, closed. */
static void copies_give_back(uint32_t first, uint32_t n)
{
    PROBE(copy_closed);
    bool gone = fabric_window_release(engine.fabric, engine.space.id, (size_t)first << PAGE_SHIFT,
                                      (size_t)n << PAGE_SHIFT);
    PROBE(copy_gone);
    for (uint32_t i = first; i < first + n; i++) {
        struct page *p = page_lock(i);
        if (gone)
            p->flags |= PAGE_STALE;
        p->flags &= (uint8_t)~PAGE_BUSY;
        p->copy = NOT_QUEUED;
        page_unlock(p);
        progress_changed(p);
    }
    if (gone)
        PROBE(pages_evicted, n);
}

static void copies_give_back_marked(uint32_t first, uint32_t n, const bool *given)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t k = 0;
        while (i + k < n && given[i + k])
            k++;
        if (k)
            copies_give_back(first + i, k);
        i += k ? k : 1;
    }
}

static void copies_sort(uint32_t *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t page = list[i], k = i;
        for (; k > 0 && list[k - 1] > page; k--)
            list[k] = list[k - 1];
        list[k] = page;
    }
}

/* Processes up to `most` pages at the head of a queue. */
static void copies_step(int q, uint32_t most)
{
    uint32_t list[BATCH_MOST];
    bool given[BATCH_MOST];
    uint32_t n = copies_take(q, list, most < BATCH_MOST ? most : BATCH_MOST);
    copies_sort(list, n);
    for (uint32_t i = 0; i < n;) {
        uint32_t k = 1;
        while (i + k < n && list[i + k] == list[i] + k)
            k++;
        if (copies_decide(list[i], k, given))
            copies_give_back_marked(list[i], k, given);
        i += k;
    }
}

/* Until at most `most` are left, or each has been examined twice. */
static void copies_trim_to(uint32_t most)
{
    uint32_t batch = most / 8 < BATCH_MOST ? most / 8 + 1 : BATCH_MOST;
    for (uint32_t looked = 2 * copies_total() + 2 * batch; copies_total() > most && looked >= batch;
         looked -= batch) {
        uint32_t active = copies_in_queue(ACTIVE), old = copies_in_queue(OLD);
        copies_step(active > most - most / 4 || old == 0 ? ACTIVE : OLD, batch);
    }
}

/* ---- how many copies are allowed ---- */

static int64_t copies_low_mark(int64_t whole)
{
    int64_t low = whole / LOW_PART < LOW_LEAST ? LOW_LEAST : whole / LOW_PART;
    if (low > whole / 4)
        low = whole / 4;
    return low < LOW_MOST ? low : LOW_MOST;
}

/* The other nodes of this machine check as well. */
static void copies_look_at_memory(void)
{
    struct headroom h = headroom_now();
    int64_t low = copies_low_mark(h.whole);
    if (h.left < left_at_start / 2)
        atomic_store(&may_go, true);
    if (h.left < low) {
        int64_t less = (2 * low - h.left) / engine.neighbours >> PAGE_SHIFT;
        int64_t most = (int64_t)copies_total() - less;
        atomic_store(&limit, most > COPIES_LEAST ? (uint32_t)most : COPIES_LEAST);
    } else if (h.left > ENOUGH_TIMES * low) {
        atomic_store(&limit, UINT32_MAX);
    }
    atomic_store(&until_look, copies_next_look(h.left));
}

/* [copies.flush-early]. */
static void copies_relieve(uint32_t most)
{
    atomic_store(&crowded, true);
    close_interval();
    copies_trim_to(most);
    atomic_store(&crowded, false);
}

void copies_trim(void)
{
    if (copies_automatic() && atomic_fetch_sub_explicit(&until_look, 1, memory_order_relaxed) < 0) {
        atomic_store(&until_look, LOOK_MOST); /* one thread checks */
        copies_look_at_memory();
    }
    uint32_t most = atomic_load_explicit(&limit, memory_order_relaxed), before = copies_total();
    if (before <= most || atomic_fetch_sub_explicit(&patience, 1, memory_order_relaxed) > 0 ||
        atomic_exchange(&trimming, true))
        return;
    uint32_t batch =
        most / 8 < BATCH_MOST ? most / 8 : BATCH_MOST; /* leaves slack for some faults */
    copies_trim_to(most - batch);
    if (copies_total() > most)
        copies_relieve(most - batch);
    atomic_store(&patience, copies_total() < before ? 0 : (int32_t)(before / 8));
    atomic_store(&trimming, false);
}
