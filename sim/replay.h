/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay.h - a traced program again, on another machine or under another protocol: what its nodes'
 * pages, intervals, locks and barriers do, by the rules of the code. Labels of rules are those of
 * the headers that keep them (hlrc/memory/page.h P1 to P10 and so on).
 *
 *   RY1  A fiber does what its node's script says, in that order. What it does at its own node
 *        alone takes time, which is added up (`debt`) and passes before the node does anything that
 *        another one could notice.
 *   RY2  What a node knows of another one came by a message or a remote operation, at the time
 *        when that was there.
 *   RY3  Which of two nodes is home that want a page at about the same time, a few nanoseconds
 *        decide: under the protocol of the traced run it is the one that was home there, of several
 *        (MV) the first. Who wrote it before for another home is not the first.
 *   RY4  A fault is what the state of the page makes one: an item of the trace that finds its page
 *        open costs nothing. Pages that were opened ahead in the traced run, or left open, count as
 *        used: one after the other, while the program computed until its next item. What an
 *        acquire left open is used behind it; what a round of homes that move did, behind that.
 *   RY5  What is opened ahead is what was in the traced run, where pages have the same protocol and
 *        options are the same: it goes by the order of faults, which is the program's. Else faults
 *        are others, and what is opened ahead follows from them, by the library's rules (ahead.h,
 *        past.h).
 *   RY6  A message is served by who looks first: the node's thread, if it waits or begins to, or
 *        the handler, if it runs; else it wakes that one (progress.h S5, S6), but for arrivals at
 *        barriers and the diffs of their closings, which are not urgent. Where a node has one CPU
 *        the handler runs after preempt_ns, and the computation has lost switch_ns when it goes on.
 *        A handler that finds a thread waiting that has served all has the CPU as long (S7).
 *   RY7  Homes move when the library's rules say so here (homes.h MV1 to MV4), whenever they did in
 *        the traced run. What the closings of such a round find, and announce (P9), is counted.
 *   RY8  What a job pays once. With ASYNC a node opens the pages of which it is the default home
 *        when it touches one, those of the block that nobody has asked for (page.h P11); one that
 *        is open it closes for stores when another node asks for it first (page_demote). Who copies
 *        a page to where it never was, has memory cleared for it: with ASYNC the home, else who
 *        fetches. What the program touches first itself is in its computing, as traced.
 *   RY9  A wait for a condition ends with the signal that ended it in the traced run, whichever of
 *        the two is first here: what the program waited for is there by then. A wait of which the
 *        trace does not know that ends at once.
 *   RY10  A put or a get takes what so many remote operations of so many bytes take; where the
 *        call does not wait for them the node goes on, until a fence, or the end of a handle, waits
 *        for what was begun by then at a node.
 *   RY11  An operation on a word of shared memory counts as one that stores, takes one atomic, and
 *        finds no store of its own node's to the word that is not sent yet. What closings find of a
 *        page that is not dirty here they have found for the operations on it.
 *   RY12  A node has a copy of a page from when it, or a home's business, touches it. Of all others
 *        it has a bit: told that somebody wrote it. What such a copy needs when it is made are the
 *        announcements of the page that the node has had by then (`noticed`).
 *   RY13  A thread that waits and has seen nothing for spin_ns sleeps (progress.h S5). What comes
 *        for it then takes wake_ns longer. Who wakes it, or a handler, is busy with that for
 *        notify_ns, the first one of several.
 *   RY14  What is accumulated is read behind an atomic that takes its block's lock, or with it
 *        where reads keep their order, and written in front of one that lets go. How often that, or
 *        an atomic on a word of a window, is tried is as in the traced run.
 *   RY15  Put and get of shared memory go by the homes and states of pages that are here, as the
 *        code's do (page_part.h PP1 to PP5): what is put is a store, or in the home's page behind
 *        the call, and nothing else shows it. Of what is stored so all bytes have changed.
 *   RY16  Members of a group meet by pairs, and agree on it when it is made, as the code's do.
 *   RY17  A try that failed fails: it asks where the lock is here, and changes nothing, whether
 *        another node has it or not.
 *   RY18  An adapter answers so many reads at once, each by the one of its units that is free
 *        first, and atomics one after the other, by one of them (replay_time.c).
 *   RY19  A mutex of a node is a queue as that of a lock, and orders no memory. Who has it next,
 *        the time here decides.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/streams.h"
#include "sim/event.h"
#include "sim/fiber.h"
#include "sim/machine.h"
#include "sim/map.h"
#include "sim/progress.h"
#include "sim/run_options.h"
#include "sim/script.h"
#include "sim/server.h"
#include "sim/spans.h"

enum replay_protocol { REPLAY_ASYNC, REPLAY_ARDMAR, REPLAY_ONESIDED };

enum copy_access { CLOSED, OPEN_LOADS, OPEN_STORES };

enum { COPY_STALE = 1, COPY_DIRTY = 2, COPY_BUSY = 4, COPY_EXCLUSIVE = 8, COPY_LISTED = 16 };

struct fetch;
struct shared;

struct version {
    uint32_t writer, interval;
};

struct versions {
    struct version *at;
    uint32_t count, room;
};

/* Of a page, at a node: struct page. */
struct copy {
    uint32_t page;
    struct shared *shared;
    struct versions need;
    struct fetch *fetch; /* ahead, under way */
    uint32_t others;     /* page_flush.c */
    uint32_t bytes,
        length;    /* changed since its twin, and what a diff of that takes; 0: not known */
    uint32_t put;  /* bytes, by puts that were stores: RY15 */
    uint16_t home; /* node + 1 */
    uint8_t flags, access, budget, idle, stores;
    uint8_t left, renew_budget, renew_acquire, missed, used;
    uint16_t spent, writer; /* page_move.h, as the next three */
    uint8_t tries;
    bool watched, noted, held;
    uint16_t turns[2]; /* past.c, loads and stores */
    bool pending, probing, changed, twin, loaded, introduced, blank, listed, touched, worded;
    bool in_memory; /* RY8 */
};

/* Of 64 pages in a row, at a node (RY12): bits of those that were met, of those that it was told
 * of, of those that it has copies of, which are in their order, and of those that it has opened as
 * their default home (RY8). */
struct chunk {
    uint64_t met, told, here, open;
    struct copy **copy;
};

/* Of a page, at its home and its default home. */
struct shared {
    struct versions applied;
    struct version *announced; /* by all, in the order of closings: RY12 */
    uint32_t announcements, announced_room, page;
    uint16_t home;      /* node + 1: the home word */
    uint16_t traced;    /* node + 1 that was its first home in the traced run; 0: not known */
    uint32_t traced_at; /* how many barriers were before it is known to be */
    uint16_t tried;     /* the same that may have been, since it tried, if `traced` is not known */
    uint16_t wrote; /* node + 1, whose trace is read, that wrote it while another one was home */
    bool readers, written, claimed, placed;
    struct parked *parked; /* who waits for versions */
};

struct parked {
    struct parked *next;
    struct fetch *fetch;
};

struct fetch {
    struct replay_node *node;
    struct copy *copy;
    int home;
    bool hint, early, done, assigned, refused;
    struct versions needed, had; /* of the home: what was compared when the page was read */
};

struct lock_here {
    uint32_t lock;
    bool moved, held, waiting, listed; /* moved: HAVE, inverted at the manager */
    uint8_t stays;
    int next; /* node + 1 that gets it at the unlock */
    int last; /* manager: node + 1 of the last in the queue */
    uint64_t mark;
    uint32_t *time, *got; /* home: of the free lock; as it was read there: mcs.h MQ3 */
};

/* An access to a page, or what has changed there by a closing. */
struct use {
    uint32_t page, length, bytes;
    enum { USE_LOAD, USE_STORE, USE_CHANGED, USE_RENEWED } what;
};

struct interval {
    uint32_t *page;
    uint32_t count;
    uint64_t begins, ends; /* in the ring of its writer, words since the start: notice_read.c */
};

/* Of a writer's ring. */
struct reader {
    uint32_t seen;
    uint64_t place;
};

struct habit;
struct moves;
struct conds;
struct group_here;
struct left;

/* At a barrier: plain is who does not wait there, or amid a round of homes that move (MV2). */
enum arrives { ARRIVES_PLAIN = 1, ARRIVES_WAITING = 2, ARRIVES_MOVING = 4 };

struct served;

struct replay_node {
    struct replay *r;
    unsigned id;
    struct fiber *fiber;
    struct script script;
    struct pace pace;
    bool waits, runs, ended;
    bool waking, rousing, called; /* RY13 */
    bool quiet;                   /* RY6 */
    uint64_t ops;
    sim_time debt, stolen, since, ends, computed;
    sim_time taken_until; /* of its CPU by a handler that found nothing to do */
    sim_time spins_from;  /* RY13 */
    uint64_t waited;      /* how often */
    struct server out, in, handler;
    struct server adapter[MACHINE_READS_AT_ONCE]; /* of each read the one that is free first */
    struct served *pending, **last_pending;       /* messages that wait for a look (RY6) */
    struct remote *reads_waiting, **last_waiting;
    uint64_t reads_under_way;
    struct map chunks, lock_map;
    struct chunk *chunk;
    uint32_t chunks_room, chunk_key, chunk_index; /* the last one */
    uint32_t known;                               /* pages that were met here */
    uint32_t *noticed; /* by writer: the last interval whose announcements were taken */
    struct lock_here *lock;
    uint32_t locks_room;
    uint32_t *vt;
    struct interval *interval; /* of this node, from 1 on */
    uint32_t intervals_room;
    uint32_t *dirty, *taken, dirty_count, dirty_room, taken_room;
    uint32_t *exclusive, exclusive_count, exclusive_room;
    uint64_t arrivals, seen, closes;
    uint32_t *renewing, renewing_count, renewing_room;
    struct habit *habits; /* RN5 */
    uint32_t expected;
    bool told[16];
    struct reader *reader; /* by writer */
    uint64_t ring_end;
    uint32_t ring_oldest, *block, block_room, blocks_end;
    uint32_t writing, reading; /* operations of the node's fiber */
    struct left *left;         /* RY10 */
    uint64_t left_begun, left_awaited;
    bool left_over; /* none of those that are awaited is under way */
    bool all_written, all_read, named;
    uint8_t acquire;
    struct ahead_streams streams;
    uint32_t turn;
    struct use *use; /* that are due until the next item */
    uint32_t uses, use_room;
    uint64_t epoch;
    enum arrives arrives; /* last */
    struct moves *moves;
    struct group_here *groups;
    struct release *release;
    uint32_t *partner[2];   /* the other one's vector time, by parity of the epoch */
    unsigned partner_is[2]; /* how it has arrived */
    bool got_release, granted, registered, woken, answered;
    uint32_t *signalled;            /* the vector time of who has woken it */
    bool closing, worker, in_event; /* replay_sync.c work */
    uint32_t *grant;
    uint64_t count[RECORD_COUNTER_COUNT];
    sim_time spent[4]; /* pages, locks, barriers, closings */
};

struct release {
    uint32_t *vt;
    unsigned users;
    bool moves; /* R5 */
};

struct meeting {
    uint32_t arrived;
    unsigned arrives; /* of all */
    uint32_t *vt;
};

struct replay {
    struct event_loop loop;
    const struct trace *trace;
    struct machine m;
    enum replay_protocol protocol;
    unsigned nodes;
    bool own_ahead;                     /* RY5 */
    uint64_t set[RECORD_SETTING_COUNT]; /* of this run */
    struct replay_node *node;
    struct map pages;
    struct shared **shared;
    uint32_t shared_room;
    struct meeting meeting[2], *gathered; /* by gathering and parity */
    struct progress progress;
    struct conds *conds;
    const char *wrong;
    unsigned wrong_node;
};

#define COUNT(n, name, by) ((n)->count[RECORD_COUNT_##name] += (uint64_t)(by))

/* ---- versions.c ---- */

void versions_raise(struct versions *v, uint32_t writer, uint32_t interval);
uint32_t versions_of(const struct versions *v, uint32_t writer);
bool versions_cover(const struct versions *have, const struct versions *need);

/* ---- replay_time.c: time, CPUs, and what is between nodes ---- */

/* Units of a trace in ps. */
sim_time replay_units(const struct replay *r, uint64_t units);
/* The node's fiber: lets its debt pass. */
void replay_settle(struct replay_node *n);
/* The node's fiber: until the word is set; others call replay_wake behind it. */
void replay_await(struct replay_node *n, const bool *word);
void replay_wake(struct replay_node *n);
/* The same for so long at most; false: it is not set. */
bool replay_await_for(struct replay_node *n, const bool *word, sim_time most);
/* A message to a handler; FN(SELF, ARG) when it has been served. By what is at FROM. */
void replay_message(struct replay_node *from, struct replay_node *to, uint64_t bytes, event_fn fn,
                    void *self, uint64_t arg);
/* The same, for which the handler takes so much longer. */
void replay_message_long(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                         sim_time more, event_fn fn, void *self, uint64_t arg);
/* The handler goes on for so long with what it has served; FN(SELF, ARG) behind that. */
void replay_serve_on(struct replay_node *n, sim_time length, event_fn fn, void *self, uint64_t arg);
/* A remote write, seen by who polls; likewise, with nobody who serves. */
void replay_write(struct replay_node *from, struct replay_node *to, uint64_t bytes, event_fn fn,
                  void *self, uint64_t arg);
/* The same, which wakes who sleeps at TO. */
void replay_write_wake(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                       event_fn fn, void *self, uint64_t arg);
/* A remote read or atomic of TO: THERE(SELF, ARG), which may be NULL, when it is done there, BACK
 * when the answer is here. */
void replay_read(struct replay_node *from, struct replay_node *to, uint64_t bytes, bool atomic,
                 event_fn there, event_fn back, void *self, uint64_t arg);
/* The node's fiber: an atomic at TO and back; THERE(SELF) when it is done there. */
void replay_atomic(struct replay_node *n, struct replay_node *to, event_fn there, void *self);

/* ---- replay_copy.c ---- */

struct shared *shared_of(struct replay *r, uint32_t page);
struct copy *copy_of(struct replay_node *n, uint32_t page);
struct copy *copy_found(struct replay_node *n, uint32_t page); /* NULL: none */
/* RY12: an announcement of a page that has no copy here; true: it closes it. */
bool copy_tell(struct replay_node *n, uint32_t page);
void copies_each(struct replay_node *n, void (*fn)(struct replay_node *n, struct copy *c));
/* How many versions the copies of each node need, with those that are not made yet; for free(). */
uint64_t *copies_needs(struct replay *r);
void copy_begin(struct replay_node *n, struct copy *c); /* as at first */
unsigned replay_default_home(const struct replay *r, uint32_t page);
/* RY8, page.c open_alone: of a copy that is_shut. */
bool copy_is_shut(const struct copy *c);
void copy_open_alone(struct replay_node *n, struct copy *c);
void copy_shut(struct replay_node *n, uint32_t page); /* given back */
bool copy_is_home(const struct copy *c, const struct replay_node *n);
bool exclusive_begin_copy(struct replay_node *n, struct copy *c);
void exclusive_end_copy(struct replay_node *n, struct copy *c); /* EP3, EP6 */
void dirty_add_copy(struct replay_node *n, struct copy *c);

/* ---- replay_page.c ---- */

/* A load or store of the program, or what it says to be one. */
void replay_access(struct replay_node *n, uint32_t page, bool write);
void replay_open(struct replay_node *n, uint32_t page, bool write); /* as a call does: no fault */
void replay_touch(struct replay_node *n, uint32_t first, uint32_t count, bool write);
void replay_ahead(struct replay_node *n, const struct script_op *op);
void replay_prefetch(struct replay_node *n, uint32_t first, uint32_t count);
void replay_open_ahead(struct replay_node *n, uint32_t first, uint32_t count, bool write,
                       bool here);
void replay_open_here(struct replay_node *n, uint32_t first, uint32_t count);
void replay_claim_ahead(struct replay_node *n, uint32_t first, uint32_t count);

/* ---- replay_ahead.c ---- */

/* A fault on this page, which is open now: opens what follows (RY5). */
void replay_faulted(struct replay_node *n, uint32_t page, bool write);
void replay_turn(struct replay_node *n); /* a closing or an acquire: past.c */

/* ---- replay_fetch.c ---- */

/* The page comes; its home is known afterwards. True: it has become this node. */
bool replay_fetch(struct replay_node *n, struct copy *c);
bool replay_fetch_ahead(struct replay_node *n, struct copy *c, bool early);
void replay_note_reader(struct replay_node *home, struct shared *s); /* EP1 */
/* Finishes what is under way to a busy page. */
void replay_finish(struct replay_node *n, struct copy *c);
bool replay_arrived(const struct copy *c);
void replay_applied(struct replay *r, struct shared *s, uint32_t writer, uint32_t interval);
unsigned replay_claim(struct replay_node *n, struct copy *c, bool *assigned);

/* ---- replay_close.c ---- */

void replay_close(struct replay_node *n);
bool replay_clean(const struct replay_node *n, bool arrivals);
void replay_judge_load(struct copy *c, bool written); /* AH4 */

/* ---- replay_renew.c ---- */

/* OCCASION: a lock, or OCCASION_MEETING. */
void replay_acquire(struct replay_node *n, const uint32_t *want, uint32_t occasion);
void replay_notice(struct replay_node *n, uint32_t writer, uint32_t interval);
#define OCCASION_MEETING UINT32_MAX

/* ---- replay_write.c ---- */

uint32_t replay_others(const struct replay_node *n, const struct copy *c);
void replay_write_diff(struct replay_node *n, struct copy *c, uint32_t interval, uint32_t bytes);
void replay_await_written(struct replay_node *n);
void replay_written(struct replay_node *n); /* there is what one of `writing` wrote */
void replay_record(struct replay_node *n, uint32_t interval);
void replay_read_notices(struct replay_node *n, const uint32_t *want);
/* The writes that replay_await_written waits for. */
void replay_post_write(struct replay_node *n, struct replay_node *to, uint64_t bytes);
/* Reads by the node's fiber, of which several may be under way. */
void replay_post_read(struct replay_node *n, struct replay_node *from, uint64_t bytes);
void replay_post_atomic(struct replay_node *n, struct replay_node *at); /* likewise */
void replay_await_reads(struct replay_node *n);

/* ---- replay_queue.c ---- */

void replay_queue_lock(struct replay_node *n, uint32_t lock);
void replay_queue_try(struct replay_node *n, uint32_t lock); /* in vain */
void replay_queue_unlock(struct replay_node *n, uint32_t lock);
/* Queues without a vector time: by which the record of a condition variable is guarded (cond_mcs.c
 * CQ1), and mutexes of nodes (rma/mutex.c). */
void replay_guard(struct replay_node *n, uint32_t cond);
void replay_unguard(struct replay_node *n, uint32_t cond);
void replay_mutex(struct replay_node *n, const struct script_op *op, bool lock);
void replay_gather(struct replay_node *n);

/* ---- replay_rma.c ---- */

void replay_put(struct replay_node *n, const struct script_op *op);
void replay_get(struct replay_node *n, const struct script_op *op);
void replay_accumulate(struct replay_node *n, const struct script_op *op);
void replay_fence(struct replay_node *n, const struct script_op *op);
void replay_change(struct replay_node *n, const struct script_op *op);
void replay_atomic_word(struct replay_node *n, unsigned home);

/* ---- replay_part.c ---- */

void replay_part(struct replay_node *n, uint32_t page, uint32_t bytes, bool put);
void replay_expect(struct replay_node *n, uint32_t first, uint32_t count);

/* ---- replay_word.c ---- */

void replay_word_note(struct replay_node *n, struct copy *c); /* WD4 */

void replay_word(struct replay_node *n, uint32_t page);

/* ---- replay_cond.c ---- */

void replay_conds_begin(struct replay *r);
void replay_conds_free(struct replay *r);
void replay_wait(struct replay_node *n, uint32_t cond, uint32_t lock); /* lets go of the lock */
void replay_woken(struct replay_node *n, uint32_t lock);               /* and has it again */
void replay_signal(struct replay_node *n, uint32_t cond, bool all, uint32_t number);

/* ---- replay_sync.c ---- */

struct lock_here *replay_lock_of(struct replay_node *n, uint32_t lock);
void replay_lock(struct replay_node *n, uint32_t lock);
void replay_try(struct replay_node *n, uint32_t lock);        /* in vain: RY17 */
void replay_lock_again(struct replay_node *n, uint32_t lock); /* which is not counted */
void replay_unlock(struct replay_node *n, uint32_t lock);
/* Whether it WAITS there, by the same call. */
void replay_arrive(struct replay_node *n, bool waits);
void replay_depart(struct replay_node *n);
void replay_meet(struct replay_node *n); /* barrier.c barrier_meet */
bool replay_moves(unsigned arrives);     /* R5: of all nodes */

/* ---- replay_group.c ---- */

void replay_member(struct replay_node *n, const struct script_op *op);
void replay_group(struct replay_node *n, uint32_t number); /* its barrier */
void replay_groups_free(struct replay_node *n);

/* ---- replay_move.c ---- */

/* At the home: a diff of that node was applied, or the home wrote the page itself. */
void replay_move_note(struct replay_node *n, struct copy *c, unsigned writer, uint32_t bytes);
void replay_move_tell(struct replay_node *n, struct copy *c, uint32_t bytes);
void replay_move_used(struct replay_node *n, struct copy *c);
void replay_moves_free(struct replay_node *n);

/* ---- replay_round.c ---- */

bool replay_offer_homes(struct replay_node *n);
void replay_move_homes(struct replay_node *n);

/* ---- replay.c ---- */

struct replay_wish {
    enum replay_protocol protocol;
    const uint64_t *set; /* settings of base/record.h; NULL: those of the trace */
    const struct trace
        *times; /* of another run, whose pace this one has (spans.h); NULL: its own */
};

/* replay_protocol_named - async, ardmar or onesided; ends the program with a line if it is none */
enum replay_protocol replay_protocol_named(const char *name);

/* replay_run - the trace on that machine. What is wrong with a script, if one is, is in `wrong`
 * then. ASSUMPTION: nodes of `times` synchronize as these do. */
void replay_run(struct replay *r, const struct trace *t, const struct machine *m,
                const struct replay_wish *wish);
void replay_free(struct replay *r);

#endif
