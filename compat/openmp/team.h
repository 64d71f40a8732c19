/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team.h - all compute threads (lanes) of the job as one OpenMP team, numbered node by node.
 *
 * A region begins with a collective of all threads, in which each node gets its description from
 * node 0 (hlrc_broadcast), and ends with a barrier. Between regions all threads except thread 0
 * wait in that collective. A region nested in one of several threads has one thread, or in a job of
 * one process a nested team: team_nest.h.
 *
 *             broadcast                          barrier
 *    lane 0 ------------------> fn(data) ---------------------> continues
 *    others ------------------> fn(data), or not in this team ---------> wait for the next fork
 *
 * Where it is faster, the threads of all nodes run on node 0 instead: gather.h.
 *
 * Invariants
 *   - All threads take part in each barrier, also those outside the team, so that it is one of the
 *     job. After each barrier the latter test whether it ended the region. Thread 0 writes the
 *     number of that barrier before it.
 *   - Threads between regions all wait for a fork, threads of a team for its barriers: so all nodes
 *     make the same collective calls. A node's copy of a fork is overwritten only after all its
 *     threads have arrived at the next collective for one.
 *   - The atomic words of worksharing constructs form two sets, used alternately between barriers.
 *     After the barrier that ends a set's use, and before the one that begins its next, thread 0
 *     zeroes its used words. A construct takes the next pair of its set. If none is left all
 *     threads pass a barrier; all threads of a team reach each construct.
 *   - A loop that begins with its region may have a barrier before its first chunk is taken, if a
 *     variable is firstprivate and lastprivate. After it the loop has the set's first pair.
 *   - Between regions only node 0 runs the program. So node 0 does not publish its writes at a
 *     region's end, since it does at the fork; the others publish at the end and not at the fork.
 *   - Word k % 3 of `ended` records cancellations before collective k. All threads read it after
 *     that collective, and find the same value. If the region is cancelled, a thread that was in a
 *     barrier goes to the region's end, where all enter one more collective, also those outside the
 *     team. A thread that cannot passes the remaining barriers without waiting. Thread 0 zeroes the
 *     word after collective k + 1.
 */
#ifndef COMPAT_TEAM_H
#define COMPAT_TEAM_H

#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum team_schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_AUTO };

/* Internal control variables (ICVs) that a thread of a team inherits. */
struct settings {
    int threads; /* nthreads-var */
    enum team_schedule schedule;
    int chunk;
    bool dynamic;
    int levels;             /* max-active-levels-var */
    uintptr_t allocator;    /* def-allocator-var */
    int limit;              /* thread-limit-var */
    int league, team;       /* of the teams construct: number of teams, number of this one */
    int teams, teams_limit; /* nteams-var, teams-thread-limit-var; 0: none */
    int device;             /* default-device-var */
};

/* A loop or sections, in iteration numbers from 0: at `start`, start + incr, ... */
struct loop {
    enum team_schedule schedule;
    bool ordered;
    unsigned long long start, end, incr, count, chunk;
    /* this thread's next chunk (static), its current chunk (ordered), its atomic words */
    unsigned long long next, low, high;
    bool has;
    unsigned pair;
    bool untouched; /* began with its region, and no chunk was taken */
    int thread, threads;
};

/* A region that a thread is in. */
struct team_region {
    struct team_region *outer;
    struct team_region *around_target; /* of a target region, which has no outer one */
    _Atomic uint64_t counted;          /* threads of nested teams in it, if that is limited */
    int thread, threads;               /* its number in the team; the team's size */
    bool shared;                       /* by several threads, */
    bool of_job;                       /* which are the job's: not a nested team (team_nest.h) */
    int around;    /* enclosing one-thread regions that this thread was not in */
    unsigned pair; /* of the next construct */
    struct loop loop;
    struct settings settings;
    bool final;              /* in a final task */
    unsigned cancelled;      /* enum team_cancelled, as known to this thread */
    struct taskgroup *group; /* the innermost taskgroup */
    struct retained *retained, *retained_over;
    void (*code)(void *);       /* run by all threads of the team */
    bool has_phase;             /* its last barrier has one; scheduler.h */
    struct task_family *family; /* the current task's children; NULL: none. scheduler.h */
    int top_lane;               /* thread that sent an ancestor of the current task; -1: none */
    uint64_t top_ref;
    unsigned open; /* not shared: deferred tasks that are not complete */
    uint64_t task; /* number of the current task among this thread's; team_next_task */
    unsigned nest_dims, nest_room; /* of the current loop nest with ordered(n); doacross.c */
    unsigned long long *nest_counts;
    void *nest_ranges; /* kmpc_loop.c */
};

enum team_cancelled { CANCELLED_REGION = 1, CANCELLED_SHARING = 2 /* loop or sections */ };

/* An atomic word of a team: of the job's, or of a nested one's, at `here`. */
struct team_word {
    _Atomic uint64_t *here; /* NULL: of the job's */
    hlrc_atomic_t of_job;
};

/* Of the calling lane. */
extern _Thread_local struct team_region *team_innermost __attribute__((visibility("hidden")));
extern _Thread_local uint64_t team_tasks __attribute__((visibility("hidden")));
struct team_region *team_outermost(void); /* enters it */

static inline struct team_region *team_region(void)
{
    return team_innermost ? team_innermost : team_outermost();
}

/* The number of a task that the calling thread begins. */
static inline uint64_t team_next_task(void)
{
    return ++team_tasks;
}

/* On either stack. The pairs of words belong to the calling thread's set. */
void team_barrier(void);
unsigned team_construct(void);
struct team_word team_count(unsigned pair);
struct team_word team_turn(unsigned pair);
struct team_word team_progress(int thread); /* doacross.h */
/* Calls act(arg), which accesses such words and nothing else of HLRC's. */
void team_with_words(void (*act)(void *), void *arg);
/* They return the value before. */
uint64_t team_word_load(struct team_word w);
uint64_t team_word_add(struct team_word w, uint64_t value);
uint64_t team_word_exchange(struct team_word w, uint64_t value);
bool team_word_compare_exchange(struct team_word w, uint64_t *expected, uint64_t desired);

/* Runs fn(data) in a team of at most `threads`, 0: as many as there are. `first`: a loop that each
 * thread is in from the start, or NULL. */
void team_parallel(void (*fn)(void *), void *data, unsigned threads, const struct loop *first);
/* The same; fn calls `code` of the program. */
void team_parallel_of(void (*code)(void *), void (*fn)(void *), void *data, unsigned threads);
/* The same, with a taskgroup with these reductions around each call. */
void team_parallel_reducing(void (*fn)(void *), void *data, unsigned threads,
                            uintptr_t *reductions);
/* A region of one thread that the caller begins and ends. */
void team_begin_alone(void);
void team_end_alone(void);
/* Calls fn(data) as a target region, which begins as the program does. limit: of its threads; 0:
 * none. */
void team_run_target(void (*fn)(void *), void *data, int limit);
/* The size of a team for fn that the calling thread would begin in region r, if the job's has
 * `lanes` threads. */
unsigned team_size_for(const struct team_region *r, void (*fn)(void *), unsigned threads,
                       int lanes);
/* The same for the calling thread. */
unsigned team_size(void (*fn)(void *), unsigned threads);

/* The word of `ended` for the next collective. */
struct team_word team_next_ended(void);
/* If OMP_CANCELLATION is on: reads what was cancelled; cancels for the whole team. */
unsigned team_cancelled(void);
void team_cancel(enum team_cancelled what);
/* Is the region cancelled, so that the caller's barriers do nothing? */
bool team_is_over(void);

/* Callbacks of the task scheduler: scheduler.h. */
struct team_scheduler {
    bool (*begin)(int lanes); /* on every node, if the program has tasks; may one be deferred? */
    /* if so, before a collective in a region that is not cancelled: by its threads, on shared
     * stacks; by others */
    void (*end_phase)(struct team_region *r);
    void (*pass_phase)(struct team_region *r);
    void (*leave)(struct team_region *r);  /* leaves all constructs, also by a jump out of one */
    void (*finish)(struct team_region *r); /* waits for its `open` tasks */
    void (*resume)(void); /* by all threads, in the first region after some have moved; gather.h */
    bool (*grow)(int lanes); /* more threads, in a job of one process; as begin. A resume follows */
};
void team_use_scheduler(const struct team_scheduler *c); /* by a constructor */

int team_lanes(void);
/* Of the job's threads. A thread that the program creates itself is none: its regions are its
 * own. */
bool team_is_first(void);
/* Regions around the one in r; active: only those of several threads. */
int team_level_of(const struct team_region *r, bool active);
static inline int team_level(bool active)
{
    return team_level_of(team_region(), active);
}

#endif
