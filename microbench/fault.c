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

#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/spin.h"

#define WARM_UP      2
#define EXTRA_FAULTS 8
#define FEW_PAGES    64
#define TURNS        20000   /* in one sample */
#define COLD_ROUNDS  20      /* maximum; each uses its own memory */
#define IDLE_SHORT   100000  /* ns */
#define IDLE_LONG    2000000 /* as in locks.c */

static unsigned long pages = 1024, rounds;
static uint64_t value; /* last value written by the other process; different in each round */
static uint64_t wrong; /* values read */

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
    action_open(page);
}

static void action_fetch(size_t page)
{
    memcpy(lab.fabric + lab_offset(page), lab.peer + lab_offset(page), BENCH_PAGE);
    lab_protect(page, 1, PROT_READ);
}

static void action_twin(size_t page)
{
    memcpy(lab.twins + page * BENCH_PAGE, lab.fabric + lab_offset(page), BENCH_PAGE);
    action_open(page);
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

/* ---- Measured ---- */

static double own_ns; /* set by a function that takes the time itself; otherwise NAN */

static void run_writes(void)
{
    for (size_t i = 0; i < lab.pages; i++)
        *(volatile char *)(lab.app + lab_offset(i)) = 2;
}

static double ns_of_writes(lab_action action, bool plain)
{
    lab_on_fault(action, plain);
    uint64_t start = bench_now();
    run_writes();
    return (double)(bench_now() - start);
}

static void late_writes(bool plain)
{
    double at_once = ns_of_writes(action_open, plain);

    prepare_none();
    own_ns = fmax(ns_of_writes(action_open_late, plain) - at_once, 0);
}

static void run_late_writes(void)
{
    late_writes(false);
}

static void run_late_writes_plain(void)
{
    late_writes(true);
}

static void run_reads(void)
{
    for (size_t i = 0; i < lab.pages; i++) {
        size_t word = i % BENCH_PAGE_WORDS;
        wrong += ((volatile uint64_t *)(void *)(lab.app + lab_offset(i)))[word] != value;
    }
}

static void run_protect_each(void)
{
    for (size_t i = 0; i < lab.pages; i++)
        lab_protect(i, 1, PROT_READ);
}

static void run_protect_all(void)
{
    lab_protect(0, lab.pages, PROT_NONE);
}

static void run_copy(void)
{
    for (size_t i = 0; i < FEW_PAGES; i++)
        memcpy(lab.fabric + lab_offset(i), lab.peer + lab_offset(i), BENCH_PAGE);
}

static void run_copy_own(void)
{
    for (size_t i = 0; i < FEW_PAGES; i++)
        memcpy(lab.fabric + i % 4 * BENCH_PAGE, lab.twins + i % 4 * BENCH_PAGE, BENCH_PAGE);
}

static void rest(uint64_t idle)
{
    if (lab.cores == 2)
        bench_wait_until(bench_now() + idle);
    else
        usleep((useconds_t)(idle / 1000));
}

/* Sets own_ns until the echo arrives; returns ns until the call has returned. */
static double wake(uint64_t idle)
{
    uint32_t bell = atomic_load_explicit(&lab.words->bell, memory_order_relaxed) + 1;

    rest(idle);
    uint64_t start = bench_now();
    atomic_store_explicit(&lab.words->bell, bell, memory_order_release);
    futex_wake_shared(&lab.words->bell, 1);
    double call = (double)(bench_now() - start);
    while (atomic_load_explicit(&lab.words->echo, memory_order_acquire) != bell) {
        if (lab.cores == 1)
            sched_yield();
        spin_cpu_relax();
    }
    own_ns = (double)(bench_now() - start);
    return call;
}

static void run_wake_short(void)
{
    (void)wake(IDLE_SHORT);
}

static void run_wake_long(void)
{
    (void)wake(IDLE_LONG);
}

static void run_wake_call(void)
{
    double call = wake(IDLE_SHORT);

    own_ns = call;
}

static void run_wake_lost(void)
{
    rest(IDLE_SHORT);
    uint64_t before = lab_second_lost();
    (void)wake(0);
    rest(IDLE_SHORT); /* until that thread has its core again */
    own_ns = (double)(lab_second_lost() - before);
}

static void run_handover(void)
{
    lab_turns(TURNS, false);
}

static void run_handover_page(void)
{
    const volatile uint64_t *word = (const uint64_t *)(const void *)lab.peer;
    uint64_t before = *word;

    lab_turns(TURNS, true);
    wrong += *word != before + TURNS;
}

/* ---- The figures ---- */

enum per { PER_PAGE, PER_FEW, PER_FAULT, PER_TURN, PER_CALL };

enum mode {
    HERE,
    WITH_THREAD, /* a second thread runs meanwhile, as in BUSY */
    WAKE,        /* the other process listens; four times the rounds */
    BUSY,        /* the same, while a thread computes on the sleeper's core */
    TURN_BY_TURN,
    COLD,
};

static const struct figure {
    const char *name, *what;
    lab_action action;
    void (*prepare)(void);
    void (*run)(void);
    enum per per;
    enum mode mode;
} figures[] = {
    { "floor", "read fault + copy + mprotect, per page", action_fetch, prepare_fetch, run_reads,
      PER_PAGE, HERE },
    { "floor_mt", "... while a second thread runs", action_fetch, prepare_fetch, run_reads,
      PER_PAGE, WITH_THREAD },
    { "write_floor", "write fault + twin + mprotect", action_twin, prepare_read, run_writes,
      PER_PAGE, HERE },
    { "write_floor_mt", "... while a second thread runs", action_twin, prepare_read, run_writes,
      PER_PAGE, WITH_THREAD },
    { "segv", "signal, dispatch, return", NULL, prepare_none, run_late_writes, PER_FAULT, HERE },
    { "segv_plain", "... by plain sigaction", NULL, prepare_none, run_late_writes_plain, PER_FAULT,
      HERE },
    { "segv_open", "fault, mprotect none to read-write", action_open, prepare_none, run_writes,
      PER_PAGE, HERE },
    { "segv_open_mt", "... while a second thread runs", action_open, prepare_none, run_writes,
      PER_PAGE, WITH_THREAD },
    { "mprotect", "one touched page to read", action_open, touch_all, run_protect_each, PER_PAGE,
      HERE },
    { "mprotect_mt", "... while a second thread runs", action_open, touch_all, run_protect_each,
      PER_PAGE, WITH_THREAD },
    { "mprotect_run", "all pages to none, one call", action_open, touch_all, run_protect_all,
      PER_CALL, HERE },
    { "mprotect_run_mt", "... while a second thread runs", action_open, touch_all, run_protect_all,
      PER_CALL, WITH_THREAD },
    { "copy", "4 KiB that the other core just wrote", action_open, prepare_copy, run_copy, PER_FEW,
      HERE },
    { "copy_own", "4 KiB in this core's cache", action_open, prepare_nothing, run_copy_own, PER_FEW,
      HERE },
    { "wake", "wake of a sleeper until it runs", action_open, prepare_nothing, run_wake_long,
      PER_CALL, WAKE },
    { "wake_early", "... asleep for 100 us only", action_open, prepare_nothing, run_wake_short,
      PER_CALL, WAKE },
    { "wake_call", "... what the waker is busy with", action_open, prepare_nothing, run_wake_call,
      PER_CALL, WAKE },
    { "wake_busy", "... whose core a thread computes on", action_open, prepare_nothing,
      run_wake_short, PER_CALL, BUSY },
    { "wake_lost", "... what that thread loses", action_open, prepare_nothing, run_wake_lost,
      PER_CALL, BUSY },
    { "handover", "from core to core, both spinning", action_open, prepare_nothing, run_handover,
      PER_TURN, TURN_BY_TURN },
    { "handover_page", "... with 4 KiB that the other wrote", action_open, prepare_nothing,
      run_handover_page, PER_TURN, TURN_BY_TURN },
    { "floor_cold", "... page never touched before", action_fetch, prepare_cold, run_reads,
      PER_PAGE, COLD },
};

static double divisor(enum per per)
{
    const double by[] = { [PER_PAGE] = (double)lab.pages,
                          [PER_FEW] = FEW_PAGES,
                          [PER_FAULT] = (double)(lab.pages * EXTRA_FAULTS),
                          [PER_TURN] = TURNS,
                          [PER_CALL] = 1 };

    return by[per];
}

static const struct figure *now;

/* us per operation */
static double once(void)
{
    now->prepare();
    if (now->mode == WITH_THREAD)
        lab_second_thread(true);
    own_ns = NAN;
    uint64_t start = bench_now();
    now->run();
    double all = (double)(bench_now() - start);
    if (now->mode == WITH_THREAD)
        lab_second_thread(false);
    return (isnan(own_ns) ? all : own_ns) / 1000 / divisor(now->per);
}

static struct bench_stat measure(void)
{
    bool listens = now->mode == WAKE || now->mode == BUSY;

    bench.warmup = now->mode == COLD ? 1 : WARM_UP;
    bench.repetitions = listens                                     ? 4 * rounds
                        : now->mode == COLD && rounds > COLD_ROUNDS ? COLD_ROUNDS
                                                                    : rounds;
    if (now->mode == BUSY)
        lab_second_thread(true);
    if (listens)
        lab_other_listens((uint32_t)(bench.warmup + bench.repetitions));
    lab_on_fault(now->action, false);
    struct bench_stat stat = bench_measure(once);
    if (listens)
        lab_other_listened();
    if (now->mode == BUSY)
        lab_second_thread(false);
    return stat;
}

/* ---- Results ---- */

static struct bench_stat stats[BENCH_COUNT(figures)]; /* count 0: not measured */

static bool needs_two_cores(void)
{
    return now->mode == WITH_THREAD || now->mode == BUSY || now->mode == TURN_BY_TURN;
}

static void measure_all(void)
{
    for (size_t i = 0; i < BENCH_COUNT(figures); i++) {
        now = &figures[i];
        if (needs_two_cores() && lab.cores < 2)
            continue;
        stats[i] = measure();
        bench_row_print(now->name, stats[i], now->what);
    }
    if (wrong != 0)
        bench_fail(1, "%llu values were read wrong", (unsigned long long)wrong);
}

/* All medians, or all statistics. */
static void write_figures(bool medians)
{
    char name[64];

    for (size_t i = 0; i < BENCH_COUNT(figures); i++) {
        if (stats[i].count == 0)
            continue;
        snprintf(name, sizeof(name), "%s_us", figures[i].name);
        if (medians)
            bench_json_number(name, stats[i].median);
        else
            bench_json_stat(name, &stats[i]);
    }
}

static void write_json(void)
{
    write_figures(true);
    bench_json_number("pages", (double)pages);
    bench_json_number("rounds", (double)rounds);
    bench_json_number("cores", lab.cores);
#if defined(HAVE_LIBSIGSEGV)
    bench_json_string("dispatch", "libsigsegv");
#else
    bench_json_string("dispatch", "sigaction");
#endif
    bench_json_begin("spread", '{');
    write_figures(false);
    bench_json_end('}');
}

/* ---- The program ---- */

static const struct bench_program program =
    BENCH_PROGRAM_OF_ROWS("Measure page faults, and the floor of a page fetch.", WARM_UP, 30,
                          BENCH_OPTION_NUMBER("pages", 'p', "pages of a region", &pages, FEW_PAGES,
                                              65536),
                          BENCH_OPTION_ROUNDS(10000), BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    bench_arguments(&program, argc, argv);
    rounds = bench.repetitions;
    lab_open(pages, (rounds < COLD_ROUNDS ? rounds : COLD_ROUNDS) + 2);
    bench_begin_rows("us");
    measure_all();
    lab_close();
    bench_end(write_json);
    return 0;
}
