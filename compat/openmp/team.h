/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * team.h - the threads of the job as one team of OpenMP: those of all nodes, numbered node by node.
 *
 * A region begins with a meeting of all lanes, in which each node learns from the first what it is
 * about (hlrc_broadcast), and ends with a barrier. Between regions all lanes but the first wait in
 * that meeting. A region within one of several threads is one thread's.
 *
 *           broadcast                          barrier
 *   lane 0 ------------------> fn(data) ---------------------> goes on
 *   others ------------------> fn(data), or not in this team ---------> wait for the next fork
 *
 * Invariants
 *   TM1  All lanes take part in each barrier, whether they are of the team or not, so that it is
 *        one of the job's. Those that are not look behind each whether it was the one that ends the
 *        region, whose number lane 0 has written before it.
 *   TM2  All lanes that wait between regions wait for a fork, and those of a team for its barriers:
 *        so all nodes make the same collective calls. A node's copy of a fork is written when all
 *        its lanes have come to the next meeting for one.
 *   TM3  The atomic words of worksharing constructs are in two sets, used between barriers in turn.
 *        Lane 0 sets those that were used to 0 behind the barrier that ends their use, which is
 *        before the barrier that begins the next. A construct takes the next pair of its set; when
 *        there is none left all lanes pass a barrier, as all lanes of a team come to each
 *        construct.
 *   TM4  A loop that begins with its region may have a barrier before the first chunk is taken,
 *        where a variable is firstprivate and lastprivate. It has the first pair of the set behind
 *        it.
 *   TM5  Between the end of a region and the next one the program runs on node 0 alone. So node 0
 *        publishes nothing at the end, since it will when it forks, and the others nothing there,
 *        since they have at the end.
 *   TM6  What is cancelled before meeting k is in word k % 3 of `ended`. All lanes look at it
 *        behind that meeting, and find the same. If it is the region, who was in a barrier goes to
 *        the end of it, where all meet once more, those too that are not of the team; who cannot,
 *        passes the barriers that are left alone. Lane 0 sets the word to 0 behind meeting k + 1.
 */
#ifndef COMPAT_TEAM_H
#define COMPAT_TEAM_H

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>

#define CONSTRUCTS 1024u /* between two barriers; each has two atomic words */

enum schedule { SCHEDULE_STATIC = 1, SCHEDULE_DYNAMIC, SCHEDULE_GUIDED, SCHEDULE_AUTO };

/* What a thread of a team inherits (internal control variables). */
struct settings {
    int threads; /* nthreads-var */
    enum schedule schedule;
    int chunk;
    bool dynamic;
    int levels;             /* max-active-levels-var */
    uintptr_t allocator;    /* def-allocator-var */
    int limit;              /* thread-limit-var */
    int league, team;       /* teams of the construct around it, and which this is */
    int teams, teams_limit; /* nteams-var, teams-thread-limit-var; 0: none */
};

/* A loop, or sections, in iteration numbers from 0: at `start`, start + incr, ... */
struct loop {
    enum schedule schedule;
    bool ordered;
    unsigned long long start, end, incr, count, chunk;
    /* of this lane: what is next (static), what it has just now (ordered), its atomic words */
    unsigned long long next, low, high;
    bool has;
    unsigned pair;
    bool untouched; /* began with its region, and nothing has been taken: TM4 */
    int thread, threads;
};

/* A region that a lane is in. */
struct region {
    struct region *outer;
    int thread, threads; /* its number in the team, and how many that has */
    bool shared;         /* of several lanes */
    int around;          /* regions of one thread around it that this lane was not in */
    unsigned pair;       /* the next construct's */
    struct loop loop;
    struct settings settings;
    bool final;          /* in a final task */
    unsigned cancelled;  /* enum cancelled, as far as this lane has to know */
    struct group *group; /* of tasks, the innermost */
    struct kept *kept, *kept_over;
    void (*code)(void *);  /* of all lanes of the team */
    bool has_phase;        /* its last barrier, crew.h */
    struct family *family; /* the current task's children; NULL: none. crew.h */
    int top_lane;          /* who has given what the current task comes from, as what; -1: nobody */
    uint64_t top_ref;
};

enum cancelled { CANCELLED_REGION = 1, CANCELLED_SHARING = 2 /* loop or sections */ };

/* Of the calling lane. */
struct region *team_region(void);

/* Both on the private stack or the shared one. The pairs of words are of the calling lane's set. */
void team_barrier(void);
unsigned team_construct(void);
hlrc_atomic_t team_count(unsigned pair);
hlrc_atomic_t team_turn(unsigned pair);
hlrc_atomic_t team_progress(int thread); /* doacross.h */

/* Runs fn(data) in a team of at most `threads`, 0: as many as there are. `first`: a loop that
 * each of them is in from the beginning, or NULL. */
void team_parallel(void (*fn)(void *), void *data, unsigned threads, const struct loop *first);
/* The same with a group of tasks around what each does, which has these reductions. */
void team_parallel_reducing(void (*fn)(void *), void *data, unsigned threads,
                            uintptr_t *reductions);
/* How many that will be. */
unsigned team_size_for(void (*fn)(void *), unsigned threads);

/* Where OMP_CANCELLATION is on: what is cancelled; cancels for all of the team. TM6. */
unsigned team_cancelled(void);
void team_cancel(enum cancelled what);
/* Whether the region is cancelled and the caller's barriers are none any more. */
bool team_is_over(void);

#define TEAM_ROOM 512

/* Who shows what threads there are (display.c). */
struct team_watcher {
    /* on each node, before the program begins; shared memory of TEAM_ROOM bytes */
    void (*begin)(char *room, bool is_first_node);
    void (*region)(void); /* by a thread that is in one now */
};
void team_watch(const struct team_watcher *w); /* by a constructor */

/* Who has to do with tasks: crew.h. */
struct team_crew {
    void (*begin)(int lanes); /* on every node, if the program has tasks */
    /* before a meeting of all in a region: by its lanes, on their shared stacks, and by others */
    void (*end_phase)(struct region *r);
    void (*pass_phase)(struct region *r);
    void (*leave)(struct region *r); /* all constructs, by a jump out of one too */
};
void team_use(const struct team_crew *c); /* by a constructor */

int team_lanes(void);
int team_level(bool active); /* regions around the caller, or those of several lanes */

/* An address that one thread shows to all of its team, and its thread-local variables: valid from
 * the next barrier to the one behind it. */
void team_show(void *what);
void *team_shown(void);

#endif
