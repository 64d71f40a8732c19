/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of page faults on this machine, and the lower bound of a page fetch built on them. Uses
 * no part of the engine: a SIGSEGV handler, mprotect, memcpy, futex. Every figure is a time in
 * microseconds, the median over the rounds. "per page" figures cover all pages of a region in
 * ascending order, 1,024 by default.
 *
 *  floor        the floor of a page fetch, warm. The other process has just rewritten all pages on
 *               its core. Each read of a word here faults on a page without access. The handler
 *               copies the page from the other process's memory into the always writable view and
 *               makes the page readable with one mprotect. Revoking access (one mprotect of all
 *               pages, before the clock starts) is not included.
 *  floor_cold   the same on pages that only the other process has touched. Allocating the page
 *               here and entering it in the page tables of three mappings are added.
 *  write_floor  the floor of a write to a valid page: fault on a readable page, copy of it to its
 *               twin (memory already touched), one mprotect to read-write.
 *  segv         delivery of the signal, dispatch and return only. Computed as the difference
 *               between faults whose handler opens the page at once and faults whose handler opens
 *               it at the ninth call.
 *  segv_open    signal, mprotect none to read-write in the handler, return.
 *  mprotect     one touched page from read-write to read, outside any handler.
 *  mprotect_run all pages, touched, from read-write to none in one call (the time of that call).
 *  copy         4 KiB that the other process has just written on its core; few enough pages for
 *               its cache.
 *  copy_own     4 KiB that are in the cache of this core.
 *  wake         from before FUTEX_WAKE of a process asleep on the other core until its next store
 *               is seen here by spinning: one wake and one cache line. It has slept for 2 ms, as a
 *               handler usually has.
 *  wake_early   the same after 100 us: a core that has just become idle is not in a deep sleep
 *               state yet; on a virtual machine it may not sleep at all.
 *  wake_call    only the FUTEX_WAKE call, which occupies this process.
 *  wake_busy    as wake_early, but the sleeper's core is used by a second thread of this process,
 *               which it has to preempt.
 *  wake_lost    CPU time that thread loses by the preemption.
 *  handover     from one core to the other and back, both spinning: the time per turn.
 *  handover_page
 *               the same, each turn with 4 KiB that the other core has just written, which are
 *               copied and written anew: the floor of a lock that moves from node to node with a
 *               page.
 *
 * A name that ends in _mt is measured while a second thread of this process runs on the other
 * core, one that ends in _plain without libsigsegv. Figures that need a second core are omitted on
 * a machine with one core. There the other process shares the core, so it sleeps while this one
 * runs.
 */
#include "microbench/lab.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WARM_UP      2
#define EXTRA_FAULTS 8
#define FEW_PAGES    64
#define TURNS        20000   /* in one sample */
#define IDLE_SHORT   100000  /* ns */
#define IDLE_LONG    2000000 /* as in locks.c */

struct options {
    unsigned long rounds;
    unsigned long pages;
};

static uint64_t value; /* last value written by the other process; different in each round */

/* ---- Actions on a fault ---- */

static unsigned refusals; /* number of handler calls that return without opening the page */

static void action_open(size_t page)
{
    lab_protect(page, 1, PROT_READ | PROT_WRITE);
}

static void action_open_late(size_t page)
{
    if (refusals++ < EXTRA_FAULTS)
        return;
    refusals = 0;
    lab_protect(page, 1, PROT_READ | PROT_WRITE);
}

static void action_fetch(size_t page)
{
    memcpy(lab.fabric + lab_offset(page), lab.peer + lab_offset(page), BENCH_PAGE);
    lab_protect(page, 1, PROT_READ);
}

static void action_twin(size_t page)
{
    memcpy(lab.twins + page * BENCH_PAGE, lab.fabric + lab_offset(page), BENCH_PAGE);
    lab_protect(page, 1, PROT_READ | PROT_WRITE);
}

/* ---- Before the clock starts ---- */

static void touch_all(void)
{
    lab_protect(0, lab.pages, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < lab.pages; i++)
        *(volatile char *)(lab.app + lab_offset(i)) = 1;
}

static void prepare_none(void)
{
    touch_all();
    lab_protect(0, lab.pages, PROT_NONE);
}

static void prepare_read(void)
{
    touch_all();
    lab_protect(0, lab.pages, PROT_READ);
}

static void prepare_fetch(void)
{
    lab_protect(0, lab.pages, PROT_NONE);
    lab_other_writes(lab.pages, ++value);
}

/* Uses the next untouched region. */
static void prepare_cold(void)
{
    lab.region++;
    lab_other_writes(lab.pages, ++value);
}

static void prepare_copy(void)
{
    lab_other_writes(FEW_PAGES, ++value);
}

static void prepare_nothing(void)
{
}

/* ---- Measured: each returns ns ---- */

static uint64_t run_writes(void)
{
    uint64_t start = bench_now();

    for (size_t i = 0; i < lab.pages; i++)
        *(volatile char *)(lab.app + lab_offset(i)) = 2;
    return bench_now() - start;
}

static uint64_t run_late_writes(void)
{
    lab_on_fault(action_open, false);
    uint64_t at_once = run_writes();
    prepare_none();
    lab_on_fault(action_open_late, false);
    uint64_t late = run_writes();
    return late > at_once ? late - at_once : 0;
}

static uint64_t run_late_writes_plain(void)
{
    lab_on_fault(action_open, true);
    uint64_t at_once = run_writes();
    prepare_none();
    lab_on_fault(action_open_late, true);
    uint64_t late = run_writes();
    return late > at_once ? late - at_once : 0;
}

static uint64_t run_reads(void)
{
    size_t wrong = 0;
    uint64_t start = bench_now();

    for (size_t i = 0; i < lab.pages; i++) {
        size_t word = i % (BENCH_PAGE / sizeof(uint64_t));
        wrong += ((volatile uint64_t *)(void *)(lab.app + lab_offset(i)))[word] != value;
    }
    uint64_t time = bench_now() - start;
    if (wrong != 0)
        bench_fail(1, "%zu of %zu pages were read with a wrong value", wrong, lab.pages);
    return time;
}

static uint64_t run_protect_each(void)
{
    uint64_t start = bench_now();

    for (size_t i = 0; i < lab.pages; i++)
        lab_protect(i, 1, PROT_READ);
    return bench_now() - start;
}

static uint64_t run_protect_all(void)
{
    uint64_t start = bench_now();

    lab_protect(0, lab.pages, PROT_NONE);
    return bench_now() - start;
}

static uint64_t copy_pages(char *to, const char *from, size_t pages)
{
    uint64_t start = bench_now();

    for (size_t i = 0; i < pages; i++)
        memcpy(to + i * BENCH_PAGE, from + i * BENCH_PAGE, BENCH_PAGE);
    return bench_now() - start;
}

static uint64_t run_copy(void)
{
    return copy_pages(lab.fabric + lab_offset(0), lab.peer + lab_offset(0), FEW_PAGES);
}

static uint64_t run_copy_own(void)
{
    uint64_t start = bench_now();

    for (size_t i = 0; i < FEW_PAGES; i++)
        memcpy(lab.fabric + i % 4 * BENCH_PAGE, lab.twins + i % 4 * BENCH_PAGE, BENCH_PAGE);
    return bench_now() - start;
}

static void rest(uint64_t idle)
{
    if (lab.cores == 2)
        bench_wait_until(bench_now() + idle);
    else
        usleep((useconds_t)(idle / 1000));
}

/* Returns ns until the echo arrives. *CALL, unless NULL: ns until FUTEX_WAKE returned. */
static uint64_t wake(uint64_t idle, uint64_t *call)
{
    uint32_t bell = atomic_load_explicit(&lab.words->bell, memory_order_relaxed) + 1;

    rest(idle);
    uint64_t start = bench_now();
    atomic_store_explicit(&lab.words->bell, bell, memory_order_release);
    syscall(SYS_futex, &lab.words->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    if (call != NULL)
        *call = bench_now() - start;
    while (atomic_load_explicit(&lab.words->echo, memory_order_acquire) != bell) {
        if (lab.cores == 1)
            sched_yield();
        bench_relax();
    }
    return bench_now() - start;
}

static uint64_t run_wake_short(void)
{
    return wake(IDLE_SHORT, NULL);
}

static uint64_t run_wake_long(void)
{
    return wake(IDLE_LONG, NULL);
}

static uint64_t run_wake_call(void)
{
    uint64_t call;

    (void)wake(IDLE_SHORT, &call);
    return call;
}

static uint64_t run_wake_lost(void)
{
    rest(IDLE_SHORT);
    uint64_t before = lab_second_lost();
    (void)wake(0, NULL);
    rest(IDLE_SHORT); /* until that thread has its core again */
    return lab_second_lost() - before;
}

static uint64_t run_handover(void)
{
    uint64_t start = bench_now();

    lab_turns(TURNS, false);
    return bench_now() - start;
}

static uint64_t run_handover_page(void)
{
    const volatile uint64_t *word = (const uint64_t *)(const void *)lab.peer;
    uint64_t before = *word, start = bench_now();

    lab_turns(TURNS, true);
    uint64_t time = bench_now() - start;
    if (*word != before + TURNS)
        bench_fail(1, "%d turns raised the word in the page by %llu", TURNS,
                   (unsigned long long)(*word - before));
    return time;
}

/* ---- The figures ---- */

enum per { PER_PAGE, PER_FEW, PER_FAULT, PER_TURN, PER_CALL };

struct figure {
    const char *name;
    lab_action action;
    void (*prepare)(void);
    uint64_t (*run)(void);
    enum per per;
    bool second_thread;
    const char *what;
};

static const struct figure figures[] = {
    { "floor", action_fetch, prepare_fetch, run_reads, PER_PAGE, false,
      "read fault + copy + mprotect, per page" },
    { "floor_mt", action_fetch, prepare_fetch, run_reads, PER_PAGE, true,
      "... while a second thread runs" },
    { "write_floor", action_twin, prepare_read, run_writes, PER_PAGE, false,
      "write fault + twin + mprotect" },
    { "write_floor_mt", action_twin, prepare_read, run_writes, PER_PAGE, true,
      "... while a second thread runs" },
    { "segv", NULL, prepare_none, run_late_writes, PER_FAULT, false, "signal, dispatch, return" },
    { "segv_plain", NULL, prepare_none, run_late_writes_plain, PER_FAULT, false,
      "... by plain sigaction" },
    { "segv_open", action_open, prepare_none, run_writes, PER_PAGE, false,
      "fault, mprotect none to read-write" },
    { "segv_open_mt", action_open, prepare_none, run_writes, PER_PAGE, true,
      "... while a second thread runs" },
    { "mprotect", action_open, touch_all, run_protect_each, PER_PAGE, false,
      "one touched page to read" },
    { "mprotect_mt", action_open, touch_all, run_protect_each, PER_PAGE, true,
      "... while a second thread runs" },
    { "mprotect_run", action_open, touch_all, run_protect_all, PER_CALL, false,
      "all pages to none, one call" },
    { "mprotect_run_mt", action_open, touch_all, run_protect_all, PER_CALL, true,
      "... while a second thread runs" },
    { "copy", action_open, prepare_copy, run_copy, PER_FEW, false,
      "4 KiB that the other core just wrote" },
    { "copy_own", action_open, prepare_nothing, run_copy_own, PER_FEW, false,
      "4 KiB in this core's cache" },
};

static const struct figure cold = {
    "floor_cold",
    action_fetch,
    prepare_cold,
    run_reads,
    PER_PAGE,
    false,
    "... page never touched before",
};

static const struct figure wakes[] = {
    { "wake", action_open, prepare_nothing, run_wake_long, PER_CALL, false,
      "wake of a sleeper until it runs" },
    { "wake_early", action_open, prepare_nothing, run_wake_short, PER_CALL, false,
      "... asleep for 100 us only" },
    { "wake_call", action_open, prepare_nothing, run_wake_call, PER_CALL, false,
      "... what the waker is busy with" },
};

/* A thread computes all the time on the sleeper's core. */
static const struct figure busy_wakes[] = {
    { "wake_busy", action_open, prepare_nothing, run_wake_short, PER_CALL, false,
      "... whose core a thread computes on" },
    { "wake_lost", action_open, prepare_nothing, run_wake_lost, PER_CALL, false,
      "... what that thread loses" },
};

static const struct figure handovers[] = {
    { "handover", action_open, prepare_nothing, run_handover, PER_TURN, false,
      "from core to core, both spinning" },
    { "handover_page", action_open, prepare_nothing, run_handover_page, PER_TURN, false,
      "... with 4 KiB that the other wrote" },
};

static double divisor(enum per per)
{
    switch (per) {
    case PER_PAGE:
        return (double)lab.pages;
    case PER_FEW:
        return FEW_PAGES;
    case PER_FAULT:
        return (double)(lab.pages * EXTRA_FAULTS);
    case PER_TURN:
        return TURNS;
    case PER_CALL:
        break;
    }
    return 1;
}

static struct bench_stat measure(const struct figure *f, unsigned long warm_up,
                                 unsigned long rounds)
{
    double *sample = calloc(rounds, sizeof(*sample));

    if (sample == NULL)
        bench_fail(1, "out of memory");
    lab_on_fault(f->action, false);
    for (unsigned long r = 0; r < warm_up + rounds; r++) {
        f->prepare();
        if (f->second_thread)
            lab_second_thread(true);
        uint64_t time = f->run();
        if (f->second_thread)
            lab_second_thread(false);
        if (r >= warm_up)
            sample[r - warm_up] = (double)time / 1000 / divisor(f->per);
    }
    struct bench_stat stat = bench_stat(sample, rounds);
    free(sample);
    return stat;
}

struct result {
    const struct figure *figure;
    struct bench_stat stat;
};

static struct result results[sizeof(figures) / sizeof(figures[0]) + 8];
static size_t result_count;

static void take(const struct figure *f, struct bench_stat stat)
{
    results[result_count++] = (struct result){ f, stat };
    bench_row(f->name, stat, f->what);
}

static void measure_wakes(const struct figure *f, size_t figures_count, unsigned long count)
{
    for (size_t i = 0; i < figures_count; i++) {
        lab_other_listens((uint32_t)(WARM_UP + count));
        take(&f[i], measure(&f[i], WARM_UP, count));
        lab_other_listened();
    }
}

static void measure_all(const struct options *options, unsigned long cold_rounds)
{
    bench_heading("us");
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (!figures[i].second_thread || lab.cores == 2)
            take(&figures[i], measure(&figures[i], WARM_UP, options->rounds));

    measure_wakes(wakes, sizeof(wakes) / sizeof(wakes[0]), 4 * options->rounds);
    if (lab.cores == 2) {
        lab_second_thread(true);
        measure_wakes(busy_wakes, sizeof(busy_wakes) / sizeof(busy_wakes[0]), 4 * options->rounds);
        lab_second_thread(false);
    }
    for (size_t i = 0; lab.cores == 2 && i < sizeof(handovers) / sizeof(handovers[0]); i++)
        take(&handovers[i], measure(&handovers[i], WARM_UP, options->rounds));
    take(&cold, measure(&cold, 1, cold_rounds));
}

static void write_json(struct bench_json *json, const struct options *options)
{
    char name[64];

    for (size_t i = 0; i < result_count; i++) {
        snprintf(name, sizeof(name), "%s_us", results[i].figure->name);
        bench_json_double(json, name, results[i].stat.median);
    }
    bench_json_unsigned(json, "pages", options->pages);
    bench_json_unsigned(json, "rounds", options->rounds);
    bench_json_unsigned(json, "cores", (uint64_t)lab.cores);
#if defined(HAVE_LIBSIGSEGV)
    bench_json_string(json, "dispatch", "libsigsegv");
#else
    bench_json_string(json, "dispatch", "sigaction");
#endif
    bench_json_begin(json, "spread");
    for (size_t i = 0; i < result_count; i++) {
        snprintf(name, sizeof(name), "%s_us", results[i].figure->name);
        bench_json_stat(json, name, &results[i].stat);
    }
    bench_json_end(json);
    bench_json_close(json);
}

/* ---- The program ---- */

static struct options options = { .rounds = 30, .pages = 1024 };

static const struct bench_value values[] = {
    { "pages", 'p', "pages of a region (default 1024)", &options.pages, FEW_PAGES, 65536 },
    { "rounds", 'r', "samples of each figure (default 30)", &options.rounds, 1, 10000 },
    { 0 },
};

int main(int argc, char **argv)
{
    struct bench_json json;

    const char *path =
        bench_values("Measure page faults, and the floor of a page fetch.", values, argc, argv);
    bench_json_open(&json, path);
    /* Each cold round uses its own memory. */
    unsigned long cold_rounds = options.rounds < 20 ? options.rounds : 20;
    lab_open(options.pages, cold_rounds + 2);
    measure_all(&options, cold_rounds);
    write_json(&json, &options);
    lab_close();
    return 0;
}
