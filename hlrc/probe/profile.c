/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.c - see profile.h for the invariants. */
#include "hlrc/probe/profile.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/procfs.h"
#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/caller.h"
#include "hlrc/probe/probe.h"
#include "hlrc/probe/timeline.h"

#define SAMPLES_ALL  16   /* first visits of a page, which all sample it, */
#define ACQUIRED     4096 /* pages among which the time of one acquire is divided, at most */
#define CODES_ALL    16   /* first faults of a page of which the line counts, */
#define CODES_EACH   16   /* then one in this number */
#define SAMPLES_EACH 64   /* then one visit in this number; */
#define SAMPLES_MOST 64   /* samples of a node, plus one for each SAMPLES_LESS visits */
#define SAMPLES_LESS 256

#define HOST_ID "/proc/sys/kernel/random/boot_id"

#define CHUNK        1024
#define FIRST_COLUMN 16 /* log2 of the ticks of a column of the map at first */

static struct profile_page *pages;
static _Atomic bool *noted; /* by CHUNK pages: one of them has a count */
static struct profile_mask *masks;
static struct profile_lock *locks;
static struct profile_sums *sums;
static struct heat *heat;
static spin_lock_word heat_lock; /* guards `heat` */
static spin_lock_word lock;      /* guards locks, sums of barriers, and additions to the list */
static uint32_t *told; /* pages with another known writer, in order of their first notices */
static _Atomic uint32_t told_count;
static _Atomic uint64_t barriers;
static uint32_t acquired[ACQUIRED]; /* pages named by notices of the acquire in progress; by it */
static _Atomic uint32_t acquired_count;
static _Atomic bool acquiring; /* between the two calls */
static uint32_t *acquires;     /* visits of each page of the list; by acquires, with `next` */
static uint32_t next, looks, samples;
static int64_t aside; /* ticks; by flushes */
static struct clock_moment start, end;
static struct profile_host host;

/* X(table, bytes) */
#define PROFILE_TABLES(X)                            \
    X(pages, (size_t)engine.pages * sizeof *pages)   \
    X(noted, (size_t)engine.pages / CHUNK + 1)       \
    X(masks, (size_t)engine.pages * sizeof *masks)   \
    X(told, (size_t)engine.pages * sizeof *told)     \
    X(acquires, (size_t)engine.pages * sizeof *told) \
    X(locks, PROFILE_LOCKS * sizeof *locks)          \
    X(sums, sizeof *sums)                            \
    X(heat, sizeof *heat)

int profile_init(void)
{
    if (!config_profiles(&engine.config) || engine.alone)
        return 0;
    bool all = true PROFILE_TABLES(RESERVE_TABLE);
    atomic_store(&told_count, 0);
    atomic_store(&barriers, 0);
    atomic_store(&acquiring, false);
    next = looks = samples = 0;
    if (!all)
        return -ENOMEM;
    heat->time_shift = FIRST_COLUMN;
    probe_on |= PROBE_PROFILE;
    return 0;
}

/* Before a program binds its threads. */
static void profile_note_host(void)
{
    if (procfs_read(HOST_ID, host.id, sizeof host.id) <= 0)
        host.id[0] = '\0';
    if (sched_getaffinity(0, sizeof host.processors, &host.processors) != 0)
        CPU_ZERO(&host.processors);
}

void profile_start(void)
{
    start = clock_both();
    profile_note_host();
}

void profile_stop(void)
{
    probe_on &= ~(unsigned)PROBE_PROFILE;
    end = clock_both();
}

void profile_end(void)
{
    probe_on &= ~(unsigned)PROBE_PROFILE;
    PROFILE_TABLES(RESERVE_TABLE_END)
}

static struct profile_page *profile_note(uint32_t page)
{
    if (!atomic_load_explicit(&noted[page / CHUNK], memory_order_relaxed))
        atomic_store_explicit(&noted[page / CHUNK], true, memory_order_relaxed);
    return &pages[page];
}

static void profile_add(_Atomic uint64_t *to, uint64_t by)
{
    atomic_fetch_add_explicit(to, by, memory_order_relaxed);
}

static void profile_add_ticks(struct profile_page *p, uint64_t ticks)
{
    profile_add(&p->ticks, ticks);
    if (atomic_load_explicit(&p->told, memory_order_relaxed))
        profile_add(&p->shared, ticks);
}

static void profile_heat_note(enum heat_kind kind, uint32_t page, int64_t now)
{
    uint64_t time = start.ticks && now > start.ticks ? (uint64_t)(now - start.ticks) : 0;
    spin_lock(&heat_lock);
    heat_add(heat, kind, page, time, 1);
    spin_unlock(&heat_lock);
}

static void profile_touch(struct profile_page *p, uint32_t page, uint32_t byte)
{
    _Atomic uint32_t *touched = masks[page].touched;
    if (!atomic_load_explicit(&p->told, memory_order_relaxed))
        return;
    for (int i = 0; i < PROFILE_TOUCHED;) {
        uint32_t was = atomic_load_explicit(&touched[i], memory_order_relaxed);
        if (was != 0 && was >> 16 != byte)
            i++;
        else if ((was & 0xffff) == 0xffff ||
                 atomic_compare_exchange_weak(&touched[i], &was, byte << 16 | ((was & 0xffff) + 1)))
            return;
    }
}

static uint32_t profile_phase_now(void)
{
    return (uint32_t)atomic_load_explicit(&barriers, memory_order_relaxed) + 1;
}

/* A read of an earlier phase that was followed by no store is one of `looks`. */
static void profile_read_in_phase(struct profile_page *p)
{
    uint32_t now = profile_phase_now(),
             was = atomic_load_explicit(&p->reading, memory_order_relaxed);
    if (was == now)
        return;
    if (was)
        atomic_fetch_add_explicit(&p->looks, 1, memory_order_relaxed);
    atomic_store_explicit(&p->reading, now, memory_order_relaxed);
}

/* By majority (Boyer and Moore 1981): one that causes most faults of the page stays. */
static uint64_t profile_vote(uint64_t was, uintptr_t code)
{
    uint64_t lead = was >> 48, one = UINT64_C(1) << 48;
    if (PROFILE_CODE(was) == code)
        return lead < UINT16_MAX ? was + one : was;
    return lead > 0 ? was - one : code + one;
}

/* Where the program called a library, the stack is walked: not at each fault. */
static void profile_note_code(struct profile_page *p, bool write, uintptr_t code)
{
    uint64_t faults = p->count[write ? PROFILE_write_faults : PROFILE_read_faults];
    if (code == 0 || (faults > CODES_ALL && faults % CODES_EACH != 0))
        return;
    uintptr_t caller = caller_outside(code);
    uint64_t was = p->code[write];
    caller += caller == code; /* the instruction itself, not a return address */
    while (caller && !atomic_compare_exchange_weak(&p->code[write], &was,
                                                   profile_vote(was, PROFILE_CODE(caller))))
        ;
}

void profile_fault(uint32_t page, uint32_t byte, bool write, uintptr_t code, int64_t begin)
{
    if (!begin)
        return;
    struct profile_page *p = profile_note(page);
    profile_touch(p, page, byte);
    if (!write && atomic_load_explicit(&p->told, memory_order_relaxed))
        profile_read_in_phase(p);
    if (atomic_load_explicit(&p->sampled, memory_order_relaxed) &&
        atomic_exchange(&p->sampled, false))
        return;
    int64_t now = clock_ticks();
    profile_add(&p->count[write ? PROFILE_write_faults : PROFILE_read_faults], 1);
    profile_add_ticks(p, (uint64_t)(now - begin));
    profile_heat_note(HEAT_FAULTS, page, now);
    profile_note_code(p, write, code);
}

void profile_count(uint32_t page, enum profile_count what, uint64_t by)
{
    profile_add(&profile_note(page)->count[what], by);
}

void profile_fetched(uint32_t page, int home)
{
    atomic_store(&pages[page].sampled, false); /* the sample did not cause this fault */
    profile_add(&profile_note(page)->count[PROFILE_fetches], 1);
    profile_add((_Atomic uint64_t *)&sums->fetched[home], 1);
    profile_heat_note(HEAT_FETCHES, page, clock_ticks());
}

void profile_part(uint32_t page, bool put, size_t bytes, int home, int64_t begin)
{
    if (!begin)
        return;
    struct profile_page *p = profile_note(page);
    profile_add(&p->count[PROFILE_parts], 1);
    profile_add(&p->count[PROFILE_part_bytes], bytes);
    profile_add((_Atomic uint64_t *)(put ? &sums->put[home] : &sums->got[home]), bytes);
    profile_add_ticks(p, (uint64_t)(clock_ticks() - begin));
}

void profile_word(uint32_t page, int64_t begin)
{
    if (!begin)
        return;
    profile_add(&profile_note(page)->count[PROFILE_words], 1);
    profile_add_ticks(&pages[page], (uint64_t)(clock_ticks() - begin));
}

static void profile_list_add(uint32_t page)
{
    spin_lock(&lock);
    uint32_t n = atomic_load_explicit(&told_count, memory_order_relaxed);
    told[n] = page;
    atomic_store_explicit(&told_count, n + 1, memory_order_release);
    spin_unlock(&lock);
}

void profile_told(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        struct profile_page *p = profile_note(i);
        if (!atomic_load_explicit(&p->told, memory_order_relaxed) &&
            !atomic_exchange(&p->told, true)) {
            atomic_store(&p->code[0], 0); /* first touches do not share it */
            atomic_store(&p->code[1], 0);
            profile_list_add(i);
        }
        if (atomic_load_explicit(&p->wrote, memory_order_relaxed) &&
            atomic_exchange(&p->wrote, false))
            atomic_fetch_add_explicit(&p->turns, 1, memory_order_relaxed);
        uint32_t n = atomic_fetch_add(&acquired_count, 1);
        if (n < ACQUIRED)
            acquired[n] = i;
    }
}

bool profile_is_told(uint32_t page)
{
    return (probe_on & PROBE_PROFILE) &&
           atomic_load_explicit(&pages[page].told, memory_order_relaxed);
}

void profile_diff(uint32_t page, size_t bytes, int home)
{
    struct profile_page *p = profile_note(page);
    profile_add(&p->count[PROFILE_diffs], 1);
    profile_add(&p->count[PROFILE_diff_bytes], bytes);
    profile_add((_Atomic uint64_t *)&sums->sent[home], bytes);
    profile_heat_note(HEAT_DIFFS, page, clock_ticks());
}

/* If it is unknown whether a home has written, it counts as if it had read nothing. */
void profile_written(uint32_t page, const uint64_t *mask, bool home)
{
    struct profile_page *p = profile_note(page);
    p->home = home;
    if ((mask || (home && engine.config.diffs == DIFFS_WRITE)) && p->reading == profile_phase_now())
        atomic_store(&p->reading, 0);
    if (!mask)
        return;
    for (uint32_t i = 0; i < PROFILE_WORDS; i++)
        masks[page].written[i] |= mask[i];
    atomic_store_explicit(&p->wrote, true, memory_order_relaxed);
}

static void profile_share(const uint32_t *list, uint32_t count, int64_t begin)
{
    if (!begin || count == 0)
        return;
    uint64_t each = (uint64_t)(clock_ticks() - begin) / count;
    for (uint32_t i = 0; i < count; i++)
        profile_add_ticks(profile_note(list[i]), each);
}

void profile_aside(int64_t begin)
{
    aside += clock_ticks() - begin;
}

void profile_close(const uint32_t *announced, uint32_t count, int64_t begin)
{
    if (begin)
        profile_share(announced, count, begin + aside);
    aside = 0;
}

int64_t profile_acquire_begin(void)
{
    if (atomic_exchange(&acquiring, true))
        return 0;
    atomic_store(&acquired_count, 0);
    return clock_ticks();
}

void profile_acquire_end(int64_t begin)
{
    if (!begin)
        return;
    uint32_t n = atomic_load(&acquired_count);
    atomic_store(&acquiring, false);
    profile_share(acquired, n < ACQUIRED ? n : ACQUIRED, begin);
}

/* ---- locks and barriers ---- */

/* The last entry is for all locks that find no other. ASSUMPTION: the lock is held. */
static struct profile_lock *profile_place_of(uint32_t number)
{
    uint32_t at = number * UINT32_C(2654435769) >> 20;
    for (uint32_t i = 0; i < PROFILE_LOCKS - 1; i++) {
        struct profile_lock *l = &locks[(at + i) % (PROFILE_LOCKS - 1)];
        if (l->lock == 0)
            l->lock = number + 1;
        if (l->lock == number + 1)
            return l;
    }
    locks[PROFILE_LOCKS - 1].lock = UINT32_MAX;
    return &locks[PROFILE_LOCKS - 1];
}

/* A wait of which no frame belongs to the program, such as that of a worker between two regions,
 * has no line. A later one may have it. */
enum { PROFILE_LOOKS = 64 };

void profile_lock(uint32_t number, int64_t begin, int granter)
{
    uint64_t ticks = (uint64_t)(clock_ticks() - begin);
    spin_lock(&lock);
    struct profile_lock *l = profile_place_of(number);
    if (l->waits++ < PROFILE_LOOKS && !l->code)
        l->code = caller_outside((uintptr_t)__builtin_return_address(0));
    l->hands += granter >= 0 && granter != engine.node;
    l->ticks += ticks;
    spin_unlock(&lock);
}

void profile_barrier(int64_t begin)
{
    if (!begin)
        return;
    uint64_t ticks = (uint64_t)(clock_ticks() - begin);
    spin_lock(&lock);
    atomic_fetch_add(&barriers, 1);
    sums->barrier_ticks += ticks;
    sums->barrier_most = ticks > sums->barrier_most ? ticks : sums->barrier_most;
    spin_unlock(&lock);
}

/* ---- samples ---- */

bool profile_next(uint32_t *page, bool *due)
{
    uint32_t count = atomic_load_explicit(&told_count, memory_order_acquire);
    if (count == 0)
        return false;
    next = next + 1 < count ? next + 1 : 0;
    *page = told[next];
    uint32_t n = acquires[next]++;
    *due = (n < SAMPLES_ALL || n % SAMPLES_EACH == 0) &&
           samples < SAMPLES_MOST + looks++ / SAMPLES_LESS;
    samples += *due;
    return true;
}

void profile_sampled(uint32_t page)
{
    atomic_store(&pages[page].sampled, true);
}

/* ---- the end ---- */

static bool profile_has_something(const struct profile_page *p)
{
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        if (p->count[k])
            return true;
    return p->ticks || p->told;
}

uint32_t profile_page_next(uint32_t page)
{
    while (page < engine.pages && !(noted[page / CHUNK] && profile_has_something(&pages[page])))
        page = noted[page / CHUNK] ? page + 1 : (page / CHUNK + 1) * CHUNK;
    return page < engine.pages ? page : UINT32_MAX;
}

const struct profile_page *profile_page(uint32_t page)
{
    return &pages[page];
}

const struct profile_mask *profile_mask(uint32_t page)
{
    return &masks[page];
}

const struct profile_lock *profile_locks(void)
{
    return locks;
}

const struct profile_sums *profile_sums(void)
{
    sums->barriers = atomic_load(&barriers);
    return sums;
}

const struct heat *profile_heat(void)
{
    return heat;
}

const struct profile_host *profile_host(void)
{
    return &host;
}

struct profile_time profile_time(double tick_s)
{
    struct profile_time time = { 0 };
    time.threads = stats_spent(time.spent, &time.most, tick_s);
    return time;
}

void profile_times(double *tick_s, double *wall_s)
{
    *wall_s = (double)(end.ns - start.ns) * 1e-9;
    *tick_s = end.ticks > start.ticks ? *wall_s / (double)(end.ticks - start.ticks) : 1e-9;
}
