/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder.c - see recorder.h for the invariants. */
#include "hlrc/probe/recorder.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "base/reserve.h"
#include "base/system_sigaction.h"
#include "hlrc/probe/probe.h"

#define SHIFT       2      /* of counter ticks: a unit is a nanosecond or two */
#define LONG_NS     200000 /* longer spans: the CPU time is read */
#define CALIBRATION 2000000
#define FAULTS      101

bool record_all;

struct recorder_lane {
    unsigned char *at, *begin, *end;
    uint64_t page;     /* the last one */
    uint64_t closings; /* flushes noted */
    int64_t since;     /* ticks: computing began */
    int64_t left;      /* ticks: computing ended */
    int64_t computed;  /* ticks of computing since the last item */
    int64_t cpu_ns;    /* CPU time of the thread at the last reading */
    int64_t running;   /* ticks known to be spent running since then */
    bool cut, used;
    char unused[38]; /* each thread has its own cache lines */
};

/* The current flush, then all. Written by the flushing thread. */
static struct {
    unsigned char *at, *begin, *end;
    unsigned char *pages; /* of the current flush: `count` pages, `length` bytes */
    size_t length;
    uint64_t page, count;
    bool cut;
} closing;

static struct recorder_lane *lanes;
static uint32_t lane_count;
static uint64_t lane_bytes;
static _Atomic uint64_t closings, looks;
static double ticks_ns; /* ticks per nanosecond */
static int64_t start_ticks, start_ns;

#define PAGES_BYTES ((size_t)64 << 20) /* of one flush */

static int64_t recorder_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool recorder_is_long(int64_t ticks)
{
    return (double)ticks > LONG_NS * ticks_ns;
}

static void recorder_look_at_cpu(struct recorder_lane *l, int64_t *span)
{
    int64_t now = recorder_cpu_ns();
    int64_t ran = (int64_t)((double)(now - l->cpu_ns) * ticks_ns) - l->running;
    if (ran < *span)
        *span = ran > 0 ? ran : 0;
    l->cpu_ns = now;
    l->running = 0;
}

void recorder_record_leaves(uint32_t thread, int64_t now)
{
    struct recorder_lane *l = &lanes[thread];
    if (thread >= lane_count)
        return;
    int64_t span = l->since ? now - l->since : 0;
    if (recorder_is_long(span))
        recorder_look_at_cpu(l, &span);
    else
        l->running += span;
    l->computed += span;
    l->left = now;
}

void recorder_record_returns(uint32_t thread, int64_t now)
{
    struct recorder_lane *l = &lanes[thread];
    if (thread >= lane_count)
        return;
    int64_t away = now - l->left;
    if (!l->used || recorder_is_long(away)) {
        l->cpu_ns = recorder_cpu_ns();
        l->running = 0;
    } else {
        l->running += away;
    }
    l->used = true;
    l->since = now;
}

static void recorder_put(struct recorder_lane *l, enum record_kind kind, uint64_t time,
                         const uint64_t *arg)
{
    l->cut = l->cut || l->end - l->at < RECORD_LONGEST;
    if (!l->cut)
        l->at = record_put(l->at, &l->page, kind, time, arg);
}

static uint64_t recorder_units_of(int64_t ticks)
{
    return (uint64_t)ticks >> recorder_record_shift();
}

static bool recorder_computes(const struct probe_thread *t)
{
    return t->lane < lane_count &&
           atomic_load_explicit(&t->clock.category, memory_order_relaxed) == STATS_COMPUTE;
}

/* ASSUMPTION: the thread computes. */
static int64_t recorder_leave(struct probe_thread *t)
{
    struct recorder_lane *l = &lanes[t->lane];
    int64_t now = clock_ticks();
    if (!l->used) /* since it got its slot */
        l->since = atomic_load_explicit(&t->clock.since, memory_order_relaxed);
    l->used = true;
    recorder_record_leaves(t->lane, now);
    return now;
}

void recorder_record_suspend(struct probe_thread *t)
{
    if (!recorder_computes(t))
        return;
    (void)recorder_leave(t);
    lanes[t->lane].since = 0;
}

void recorder_record_resume(struct probe_thread *t)
{
    if (recorder_computes(t))
        recorder_record_returns(t->lane, clock_ticks());
}

void recorder_record_add(struct probe_thread *t, enum record_kind kind, uint64_t a, uint64_t b,
                         uint64_t c, uint64_t d)
{
    const uint64_t arg[RECORD_ARGS] = { a, b, c, d };
    struct recorder_lane *l = &lanes[t->lane];
    if (t->lane >= lane_count)
        return;
    if (recorder_computes(t))
        l->since = recorder_leave(t);
    uint64_t seen = atomic_load_explicit(&closings, memory_order_acquire);
    if (seen != l->closings) {
        uint64_t more = seen - l->closings;
        recorder_put(l, RECORD_CLOSED, 0, &more);
        l->closings = seen;
    }
    if (kind == RECORD_LOOK)
        atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    recorder_put(l, kind, recorder_units_of(l->computed), arg);
    l->computed &=
        ((int64_t)1 << recorder_record_shift()) - 1; /* the bits shifted away count the next time */
}

/* ---- flushes ---- */

void recorder_record_closing_page(uint32_t page, bool home, size_t length, size_t changed)
{
    unsigned char *at = closing.pages + closing.length;
    closing.cut = closing.cut || closing.length + RECORD_LONGEST > PAGES_BYTES;
    if (closing.cut)
        return;
    at = record_number_put(at, record_fold((int64_t)page - (int64_t)closing.page));
    at = record_number_put(at, length << 1 | home);
    at = record_number_put(at, changed);
    closing.page = page;
    closing.length = (size_t)(at - closing.pages);
    closing.count++;
}

void recorder_record_closing_end(bool asked)
{
    closing.cut =
        closing.cut || (size_t)(closing.end - closing.at) < closing.length + RECORD_LONGEST;
    if (!closing.cut) {
        closing.at = record_number_put(closing.at, closing.count << 1 | asked);
        memcpy(closing.at, closing.pages, closing.length);
        closing.at += closing.length;
    }
    closing.length = 0;
    closing.count = closing.page = 0;
    atomic_fetch_add_explicit(&closings, 1, memory_order_release);
}

/* ---- time of a fault outside of the handler ---- */

static void *volatile fault_at;
static volatile int64_t fault_begun, fault_ended;

static void recorder_on_fault(int sig)
{
    (void)sig;
    fault_begun = clock_ticks();
    mprotect(fault_at, 1, PROT_READ);
    fault_ended = clock_ticks();
}

/* ASSUMPTION: no other handler of faults is installed yet. */
int64_t recorder_record_fault_ticks(void)
{
    struct sigaction mine = { .sa_handler = recorder_on_fault }, before;
    int64_t least = INT64_MAX;
    volatile char *page = reserve(1);
    fault_at = (void *)(uintptr_t)page;
    sigemptyset(&mine.sa_mask);
    if (!page || system_sigaction(SIGSEGV, &mine, &before) != 0)
        return 0;
    (void)*page;
    for (int i = 0; i < FAULTS && mprotect(fault_at, 1, PROT_NONE) == 0; i++) {
        int64_t begin = clock_ticks();
        (void)*page;
        int64_t took = clock_ticks() - begin - (fault_ended - fault_begun);
        least = took < least ? took : least;
    }
    system_sigaction(SIGSEGV, &before, NULL);
    reserve_end(fault_at, 1);
    return least == INT64_MAX ? 0 : least;
}

/* ---- start and end ---- */

static void recorder_calibrate(void)
{
    start_ticks = clock_ticks();
    start_ns = clock_ns();
    ticks_ns = 1;
    if (!clock_counter)
        return;
    while (clock_ns() - start_ns < CALIBRATION)
        ;
    ticks_ns = (double)(clock_ticks() - start_ticks) / (double)(clock_ns() - start_ns);
}

int recorder_record_shift(void)
{
    return clock_counter ? SHIFT : 0;
}

uint64_t recorder_record_units(void)
{
    double ticks = (double)(clock_ticks() - start_ticks), ns = (double)(clock_ns() - start_ns);
    return clock_counter ? (uint64_t)(ticks / ns * 1e9 / (1 << SHIFT)) : UINT64_C(1000000000);
}

int recorder_record_open(uint64_t size, uint32_t threads)
{
    lane_count = threads;
    lane_bytes = size;
    recorder_calibrate();
    atomic_store(&closings, 0);
    atomic_store(&looks, 0);
    memset(&closing, 0, sizeof closing);
    lanes = reserve((threads + 1) * sizeof *lanes);
    closing.begin = closing.at = reserve(size);
    closing.pages = reserve(PAGES_BYTES);
    if (!lanes || !closing.begin || !closing.pages)
        return -ENOMEM;
    closing.end = closing.begin + size;
    for (uint32_t i = 0; i < threads; i++) {
        lanes[i].begin = lanes[i].at = reserve(size);
        if (!lanes[i].begin)
            return -ENOMEM;
        lanes[i].end = lanes[i].begin + size;
    }
    probe_on |= PROBE_RECORD;
    return 0;
}

void recorder_record_stop(void)
{
    probe_on &= ~(unsigned)PROBE_RECORD;
    record_all = false;
}

void recorder_record_close(void)
{
    for (uint32_t i = 0; lanes && i < lane_count; i++)
        reserve_end(lanes[i].begin, lane_bytes);
    reserve_end(closing.begin, lane_bytes);
    reserve_end(closing.pages, PAGES_BYTES);
    reserve_end(lanes, (lane_count + 1) * sizeof *lanes);
    lanes = NULL;
    lane_count = 0;
    closing.begin = NULL;
}

uint64_t recorder_record_looks(void)
{
    return atomic_load(&looks);
}

bool recorder_record_stream(int thread, const unsigned char **at, size_t *bytes, uint64_t *count)
{
    if (thread < 0) {
        *at = closing.begin;
        *bytes = (size_t)(closing.at - closing.begin);
        *count = atomic_load(&closings);
        return !closing.cut;
    }
    const struct recorder_lane *l = &lanes[thread];
    *at = l->begin;
    *bytes = (size_t)(l->at - l->begin);
    *count = l->used;
    return !l->cut;
}
