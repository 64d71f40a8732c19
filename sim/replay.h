/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay.h - replays a traced program on another machine or under another protocol. Simulates the
 * pages, intervals, locks and barriers of its nodes by the rules of the library. Rule labels not
 * defined here come from the library's headers ([page.field-lock], [page.open-not-stale],
 * [page.writable-tracked], [page.needed-versions], [page.dirty-twin], rule 7, [page.busy-capture],
 * [page.retained-twin], [page.equal-twin], [page.touched] and so on). Code names: close (flush),
 * ahead (readahead), renew (update), exclusive (unshared), move (home migration).
 *
 *   - A fiber executes its node's script in order. Time for local actions is added up (`debt`) and
 *     passes before the node does anything that another node could notice.
 *   - A node's knowledge of another node comes by a message or a remote operation, at its time of
 *     arrival.
 *   - If two nodes want a page at about the same time, a few nanoseconds decide which becomes home.
 *     Under the protocol of the traced run it is the node that was home there; of several (MV), the
 *     first. A node that wrote the page earlier while another was home is not the first.
 *   - The state of the page here decides whether an access faults: a trace item that finds its page
 *     open costs nothing. Pages that were opened by readahead or left open in the traced run count
 *     as used, one after the other, while the program computes until its next item. Pages that an
 *     acquire left open are used after it; those left open by a round of home migration, after that
 *     round.
 *   - Readahead opens the same pages as in the traced run if protocol and options of pages are the
 *     same: it follows the order of faults, which the program determines. Otherwise the faults
 *     differ, and readahead follows from them by the library's rules (ahead.h, past.h).
 *   - A message is served by the first thread to poll: the node's thread, if it waits or begins to,
 *     or the handler, if it runs. Otherwise it wakes the handler [progress.sleep-test],
 *     [progress.holder], except for barrier arrivals and the diffs of their flushes, which are not
 *     urgent. On a node with one CPU the handler runs after preempt_ns, and the computation has
 *     lost switch_ns when it continues. A handler that finds that a waiting thread has served all
 *     messages occupies the CPU for the same time [progress.holder].
 *   - Homes migrate when the library's rules say so here [home-migration.held],
 *     [home-migration.full-barrier], whenever they did in the traced run. Pages found and announced
 *     by the flushes of such a round [page.equal-twin] are counted.
 *   - One-time costs of a job. With ASYNC a node that touches a page of which it is the default
 *     home opens the pages of the block that no node has requested [page.unshared-block]. It
 *     write-protects an open one when another node requests it first (page_demote). Copying a page
 *     to memory that never held one includes clearing that memory: with ASYNC at the home,
 *     otherwise at the fetching node. Memory that the program touches first is part of its
 *     computing time, as traced.
 *   - A wait for a condition ends with the signal that ended it in the traced run, whichever comes
 *     first here: the awaited condition holds by then. A wait whose signal the trace does not show
 *     ends at once.
 *   - A put or a get takes the time of its remote operations, by their number and bytes. If the
 *     call does not wait for them the node continues. Later a fence, or the end of a handle, waits
 *     for the operations begun by then at a node.
 *   - An operation on a word of shared memory counts as a store, takes one atomic, and finds no
 *     unsent store of this node to the word. A traced flush of a page that is not dirty here is
 *     attributed to the operations on it.
 *   - A node has a copy of a page from the first time that it, or its work as a home, touches it.
 *     For all other pages it has one bit: a notice of the page has arrived. A new copy needs the
 *     versions of the page that were announced to the node by then (`noticed`).
 *   - A waiting thread that has seen nothing for spin_ns sleeps [progress.sleep-test]. The next
 *     arrival for it then takes wake_ns longer. Waking it, or a handler, takes notify_ns of the
 *     waker's CPU; of several wakers, only the first pays.
 *   - An accumulate reads its values after an atomic that takes the block's lock, or together with
 *     it if reads are ordered. It writes them before the atomic that releases the lock. The number
 *     of attempts at this, or at an atomic on a word of a window, is as in the traced run.
 *   - Put and get of shared memory follow the homes and page states of this replay, by the
 *     library's rules [part.stale-only], [word.ordered], [word.announced], [unshared.reader-mark].
 *     A put is a store, or is in the home's page after the call, and nothing else shows it. Where
 *     it is a store, all its bytes count as changed.
 *   - Members of a group synchronize pairwise, and agree on the group when it is created, as in the
 *     library.
 *   - A try that failed in the traced run fails here: it queries the lock's location and changes
 *     nothing, whether or not another node holds the lock.
 *   - An adapter answers several reads at a time, each by the unit that is free first, and atomics
 *     one after the other, by one of the units (replay_time.c).
 *   - A mutex of a node is a queue like a lock's, but orders no memory. The time here decides its
 *     next holder.
 */
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/streams.h"
#include "hlrc/policy/policy_migrate.h"
#include "hlrc/policy/policy_retain.h"
#include "hlrc/policy/policy_update.h"
#include "sim/decisions.h"
#include "sim/event.h"
#include "sim/fiber.h"
#include "sim/machine.h"
#include "sim/map.h"
#include "sim/progress.h"
#include "sim/replay_system.h"
#include "sim/run_options.h"
#include "sim/script.h"
#include "sim/server.h"
#include "sim/spans.h"

enum replay_protocol { REPLAY_ASYNC, REPLAY_ARDMAR, REPLAY_ONESIDED };

enum { SPENT_PAGES, SPENT_LOCKS, SPENT_BARRIERS, SPENT_FLUSHES, SPENT_KINDS };

enum replay_copy_access { CLOSED, OPEN_LOADS, OPEN_STORES };

enum { COPY_STALE = 1, COPY_DIRTY = 2, COPY_BUSY = 4, COPY_EXCLUSIVE = 8, COPY_LISTED = 16 };

struct replay_fetch;
struct replay_shared;

struct replay_version {
    uint32_t writer, interval;
};

struct versions {
    struct replay_version *at;
    uint32_t count, room;
};

/* A page at one node, as struct page. */
struct replay_copy {
    uint32_t page;
    struct replay_shared *shared;
    struct versions need;
    struct replay_fetch *fetch; /* prefetch in progress */
    uint32_t others;            /* page_flush.c */
    /* changed since the twin was made, and the size of a diff of it; 0: unknown */
    uint32_t bytes, length;
    uint32_t put;  /* bytes of puts that were stores */
    uint16_t home; /* node + 1 */
    uint8_t flags, access, stores;
    struct policy_retain retain;
    struct policy_update renewal;
    struct policy_migrate migrate;
    bool held;
    uint16_t turns[2]; /* past.c, loads and stores */
    bool changed, twin, introduced, blank, listed, touched, worded;
    bool in_memory;
};

/* 64 consecutive pages at a node: bits of the pages seen, of those with a notice, of those with
 * copies (in this order in `copy`), and of those opened as default home. */
struct replay_chunk {
    uint64_t met, told, here, open;
    struct replay_copy **copy;
};

/* A page at its home and its default home. */
struct replay_shared {
    struct versions applied;
    struct replay_version *announced; /* by all nodes, in the order of flushes */
    uint32_t announcements, announced_room, page;
    uint16_t home;      /* node + 1: the home word */
    uint16_t traced;    /* node + 1 of its first home in the traced run; 0: unknown */
    uint32_t traced_at; /* number of barriers before it is known to be home */
    uint16_t tried;     /* the same, a guess from its attempt, for `traced` 0 */
    /* node + 1 of the node, its trace being read, that wrote it while another was home */
    uint16_t wrote;
    uint32_t diff_bytes; /* of the last diff: [replay-system.reads] */
    bool readers, written, claimed, placed;
    struct replay_parked *parked; /* fetches that wait for versions */
};

struct replay_parked {
    struct replay_parked *next;
    struct replay_fetch *fetch;
};

struct replay_fetch {
    struct replay_node *node;
    struct replay_copy *copy;
    int home;
    bool hint, early, done, assigned, refused, diffs_back;
    uint32_t diffs;              /* reads of diffs in progress */
    struct versions needed, had; /* had: the home's versions, compared when the page was read */
};

struct replay_lock_here {
    uint32_t lock;
    bool moved, held, waiting, listed; /* moved: HAVE, inverted at the manager */
    uint8_t stays;
    int next; /* node + 1 of the next holder, at the unlock */
    int last; /* manager: node + 1 of the tail of the queue */
    uint64_t mark;
    uint32_t *time, *got; /* home: vector time of the free lock; as read there: [mcs.time-first] */
};

/* An access to a page, or the changes that a flush found there. */
struct replay_use {
    uint32_t page, length, bytes;
    enum { USE_LOAD, USE_STORE, USE_CHANGED, USE_RENEWED } what;
};

struct replay_interval {
    uint32_t *page;
    uint32_t count;
    /* in the ring of its writer, in words since the start: notices_read.c */
    uint64_t begins, ends;
};

/* Read position in a writer's ring. */
struct replay_reader {
    uint32_t seen;
    uint64_t place;
};

/* Operations that a node waits for together. */
enum { REPLAY_WRITES, REPLAY_READS, REPLAY_KINDS };

struct replay_moves;
struct replay_cond_table;
struct replay_rma_left;

/* How a node arrives at a barrier. Plain: it does not wait there, or is in a round of home
 * migration [home-migration.full-barrier]. */
enum replay_arrives { ARRIVES_PLAIN = 1, ARRIVES_WAITING = 2, ARRIVES_MOVING = 4 };

struct replay_time_served;

struct replay_node {
    struct replay *r;
    unsigned id;
    struct fiber *fiber;
    struct script script;
    struct spans_pace pace;
    bool waits, runs, ended;
    bool waking, rousing, called;
    bool quiet;
    uint64_t ops;
    sim_time debt, stolen, since, ends, computed;
    sim_time taken_until; /* of its CPU, by a handler that found nothing to do */
    sim_time spins_from;
    uint64_t waited; /* number of waits */
    struct server out, in, handler;
    struct server first_out, first_in; /* [replay-system.levels] */
    bool shares;                       /* [replay-system.multicast]: what it sends leaves once */
    sim_time shared_left;
    /* its units for reads: each read takes the one that is free first */
    struct server adapter[MACHINE_READS_AT_ONCE];
    struct replay_time_served *pending, **last_pending; /* messages not yet served */
    struct replay_time_remote *reads_waiting, **last_waiting;
    uint64_t reads_under_way;
    struct map chunks, locks;
    struct replay_chunk *chunk; /* of the last access */
    uint32_t chunk_key;
    uint32_t known;    /* pages seen here */
    uint32_t *noticed; /* by writer: the last interval whose notices were taken */
    uint32_t *vt;
    struct replay_interval *interval; /* of this node, from 1 */
    uint32_t intervals_room;
    uint32_t *dirty, *taken, dirty_count, dirty_room, taken_room;
    uint32_t *exclusive, exclusive_count, exclusive_room;
    uint64_t arrivals, seen, closes;
    uint32_t *renewing, renewing_count, renewing_room;
    struct policy_update_habit *habits;
    uint32_t expected;
    bool told[POLICY_UPDATE_EXPECTED];
    struct replay_reader *reader; /* by writer */
    uint64_t ring_end;
    uint32_t ring_oldest, *block, block_room, blocks_end;
    uint32_t under_way[REPLAY_KINDS]; /* operations of the node's fiber in progress */
    bool over[REPLAY_KINDS];          /* none is */
    struct replay_rma_left *left;
    uint64_t left_begun, left_awaited;
    bool left_over; /* none of the awaited operations is in progress */
    bool named;
    uint8_t acquire;
    struct streams_table streams;
    uint32_t turn;
    struct replay_use *use; /* due until the next item */
    uint32_t uses, use_room;
    uint64_t epoch;
    uint32_t departed;           /* barriers it has left */
    enum replay_arrives arrives; /* the last one */
    struct replay_moves *moves;
    struct map groups;
    struct replay_release *release;
    uint32_t *partner[2];   /* the partner's vector time, by parity of the epoch */
    unsigned partner_is[2]; /* how the partner arrived */
    bool got_release, woken, answered;
    uint32_t *answer;                   /* to a request: the vector time of a grant */
    uint32_t asked;                     /* the lock it requests */
    struct replay_cond_waiting *awaits; /* its last wait */
    uint32_t *signalled;                /* the vector time of the waker */
    bool closing, worker, in_event;     /* replay_sync.c work */
    uint64_t count[RECORD_COUNTER_COUNT];
    sim_time spent[SPENT_KINDS];
};

struct replay_release {
    uint32_t *vt;
    unsigned users;
    bool moves;
};

struct replay_meeting {
    uint32_t arrived;
    unsigned arrives; /* of all nodes */
    uint32_t *vt;
};

struct replay {
    struct event_loop loop;
    const struct trace *trace;
    struct machine m;
    struct replay_system system;
    enum replay_protocol protocol;
    unsigned nodes;
    bool own_ahead;
    uint64_t set[RECORD_SETTING_COUNT]; /* of this run */
    struct replay_node *node;
    struct map pages;
    struct replay_meeting meeting[2], *gathered; /* by gathering and parity */
    struct progress progress;
    struct replay_cond_table *conds;
    struct decisions *decisions; /* NULL: not noted */
    uint64_t between[2];         /* of struct replay_wish */
    sim_time between_at[2];      /* when the last node had left each */
    const char *wrong;
    unsigned wrong_node;
};

#define COUNT(n, name, by) ((n)->count[RECORD_COUNT_##name] += (uint64_t)(by))

/* ---- versions.c ---- */

void versions_raise(struct versions *v, uint32_t writer, uint32_t interval);
uint32_t versions_of(const struct versions *v, uint32_t writer);
bool versions_cover(const struct versions *have, const struct versions *need);

/* ---- replay_time.c: time, CPUs, and the network ---- */

/* Converts units of a trace to ps. */
sim_time replay_units(const struct replay *r, uint64_t units);
/* The node's fiber: lets its debt pass; returns the time then. */
sim_time replay_settle(struct replay_node *n);
/* The same, after it has posted COUNT operations. */
void replay_post(struct replay_node *n, uint64_t count);
void replay_resume(void *self, uint64_t arg); /* an event: the node's fiber runs */
/* The node's fiber: waits until the word is set; the setter calls replay_wake afterwards. */
void replay_await(struct replay_node *n, const bool *word);
void replay_wake(struct replay_node *n);
/* The same for MOST at most; false: the word is not set. */
bool replay_await_for(struct replay_node *n, const bool *word, sim_time most);
/* A message to a handler; FN(SELF, ARG) when it has been served. Called by code that runs
 * at FROM. */
void replay_message(struct replay_node *from, struct replay_node *to, uint64_t bytes, event_fn fn,
                    void *self, uint64_t arg);
/* The same; the handler takes MORE time for it. */
void replay_message_long(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                         sim_time more, event_fn fn, void *self, uint64_t arg);
/* A request of a page: [replay-system.answer]. */
void replay_message_page(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                         const struct replay_shared *page, event_fn fn, void *self, uint64_t arg);
/* The node's fiber: sends a request, which calls FN(N, TO) there, and awaits the answer: the event
 * replay_answered at N, whose ARG becomes `answer`. */
void replay_ask(struct replay_node *n, unsigned to, event_fn fn);
void replay_answered(void *self, uint64_t arg);
/* The handler works for LENGTH more on a message that it has served; FN(SELF, ARG) afterwards. */
void replay_serve_on(struct replay_node *n, sim_time length, event_fn fn, void *self, uint64_t arg);
/* A remote write, seen by polling. FN and caller as above, no handler. */
void replay_write(struct replay_node *from, struct replay_node *to, uint64_t bytes, event_fn fn,
                  void *self, uint64_t arg);
/* The same; wakes a thread that sleeps at TO. */
void replay_write_wake(struct replay_node *from, struct replay_node *to, uint64_t bytes,
                       event_fn fn, void *self, uint64_t arg);
/* A remote read or atomic at TO: THERE(SELF, ARG), which may be NULL, when it is done there, BACK
 * when the answer has arrived. */
void replay_read(struct replay_node *from, struct replay_node *to, uint64_t bytes, bool atomic,
                 event_fn there, event_fn back, void *self, uint64_t arg);
/* The node's fiber: an atomic at TO and back; THERE(SELF) when it is done there. */
void replay_atomic(struct replay_node *n, struct replay_node *to, event_fn there, void *self);

/* ---- replay_copy.c ---- */

struct replay_shared *replay_shared_of(struct replay *r, uint32_t page);
struct replay_copy *replay_copy_of(struct replay_node *n, uint32_t page);
struct replay_copy *replay_copy_found(struct replay_node *n, uint32_t page); /* NULL: none */
/* A notice of a page that has no copy here; true: it invalidates the page. */
bool replay_copy_tell(struct replay_node *n, uint32_t page);
void replay_copies_each(struct replay_node *n,
                        void (*fn)(struct replay_node *n, struct replay_copy *c));
/* The number of versions that the copies of each node need, including copies not made yet. The
 * caller frees it. */
uint64_t *replay_copies_needs(struct replay *r);
void replay_copy_begin(struct replay_node *n, struct replay_copy *c); /* initial state */
unsigned replay_default_home(const struct replay *r, uint32_t page);
/* page.c open_alone: of a copy that is_shut. */
bool replay_copy_is_shut(const struct replay_copy *c);
void replay_copy_open_alone(struct replay_node *n, struct replay_copy *c);
void replay_copy_shut(struct replay_node *n, uint32_t page); /* the page is freed */
bool replay_copy_is_home(const struct replay_copy *c, const struct replay_node *n);
bool replay_exclusive_begin_copy(struct replay_node *n, struct replay_copy *c);
void replay_exclusive_end_copy(struct replay_node *n,
                               struct replay_copy *c); /* [unshared.new-readers] */
void replay_dirty_add_copy(struct replay_node *n, struct replay_copy *c);

/* ---- replay_page.c ---- */

/* A load or store of the program, or a declared one. */
void replay_access(struct replay_node *n, uint32_t page, bool write);
void replay_open(struct replay_node *n, uint32_t page, bool write); /* by a call: no fault */
void replay_touch(struct replay_node *n, uint32_t first, uint32_t count, bool write);
void replay_ahead(struct replay_node *n, const struct script_op *op);
void replay_prefetch(struct replay_node *n, uint32_t first, uint32_t count);
void replay_open_ahead(struct replay_node *n, uint32_t first, uint32_t count, bool write,
                       bool here);
void replay_open_here(struct replay_node *n, uint32_t first, uint32_t count);
uint32_t replay_page_within_space(const struct replay *r, uint32_t first, uint32_t count);
void replay_claim_ahead(struct replay_node *n, uint32_t first, uint32_t count);

/* ---- replay_ahead.c ---- */

/* A fault on this page, which is open now: opens the following pages. */
void replay_faulted(struct replay_node *n, uint32_t page, bool write);
void replay_turn(struct replay_node *n); /* a flush or an acquire: past.c */

/* ---- replay_fetch.c ---- */

/* Fetches the page; its home is known afterwards. True: this node has become the home. */
bool replay_fetch(struct replay_node *n, struct replay_copy *c);
bool replay_fetch_ahead(struct replay_node *n, struct replay_copy *c, bool early);
void replay_note_reader(struct replay_node *home,
                        struct replay_shared *s); /* [unshared.reader-mark] */
/* Completes the operation in progress on a page, if there is one. */
void replay_finish(struct replay_node *n, struct replay_copy *c);
bool replay_arrived(const struct replay_copy *c);
void replay_applied(struct replay *r, struct replay_shared *s, uint32_t writer, uint32_t interval);
unsigned replay_claim(struct replay_node *n, struct replay_copy *c, bool *assigned);

/* ---- replay_close.c ---- */

sim_time replay_close(struct replay_node *n); /* returns the time */
bool replay_clean(const struct replay_node *n, bool arrivals);
void replay_judge_load(struct replay_copy *c, bool written);

/* ---- replay_renew.c ---- */

/* OCCASION: a lock, or OCCASION_MEETING. */
void replay_acquire(struct replay_node *n, const uint32_t *want, uint32_t occasion);
void replay_notice(struct replay_node *n, uint32_t writer, uint32_t interval);
#define OCCASION_MEETING UINT32_MAX

/* ---- replay_write.c ---- */

uint32_t replay_others(const struct replay_node *n, const struct replay_copy *c);
void replay_write_diff(struct replay_node *n, struct replay_copy *c, uint32_t interval,
                       uint32_t bytes);
void replay_await_written(struct replay_node *n);
void replay_written(void *self, uint64_t arg); /* event: a write `under_way` has arrived */
void replay_record(struct replay_node *n, uint32_t interval);
void replay_read_notices(struct replay_node *n, const uint32_t *want);
/* The writes that replay_await_written waits for. */
void replay_post_write(struct replay_node *n, struct replay_node *to, uint64_t bytes);
/* Reads by the node's fiber; several may be in progress. */
void replay_post_read(struct replay_node *n, struct replay_node *from, uint64_t bytes);
void replay_post_atomic(struct replay_node *n, struct replay_node *at); /* the same */
void replay_await_reads(struct replay_node *n);
void replay_await_all(struct replay_node *n); /* all of these */
void replay_write_now(struct replay_node *n, struct replay_node *to, uint64_t bytes);
void replay_read_now(struct replay_node *n, struct replay_node *from, uint64_t bytes);

/* ---- replay_queue.c ---- */

void replay_queue_lock(struct replay_node *n, uint32_t lock);
void replay_queue_try(struct replay_node *n, uint32_t lock); /* fails */
void replay_queue_unlock(struct replay_node *n, uint32_t lock);
/* Queues without a vector time: the guards of condition variables' records [conds-mcs.guarded], and
 * mutexes of nodes (rma/mutex.c). */
void replay_guard(struct replay_node *n, uint32_t cond, bool enter);
void replay_mutex(struct replay_node *n, const struct script_op *op);
void replay_gather(struct replay_node *n);

/* ---- replay_rma.c ---- */

void replay_transfer(struct replay_node *n, const struct script_op *op); /* put, get */
void replay_accumulate(struct replay_node *n, const struct script_op *op);
void replay_fence(struct replay_node *n, const struct script_op *op);
void replay_change(struct replay_node *n, const struct script_op *op);
void replay_atomic_word(struct replay_node *n, unsigned home);

/* ---- replay_part.c ---- */

void replay_part(struct replay_node *n, uint32_t page, uint32_t bytes, bool put);
void replay_expect(struct replay_node *n, uint32_t first, uint32_t count);

/* ---- replay_word.c ---- */

void replay_word_note(struct replay_node *n, struct replay_copy *c); /* [word.announced] */

void replay_word(struct replay_node *n, uint32_t page);

/* ---- replay_cond.c ---- */

void replay_conds_begin(struct replay *r);
void replay_conds_free(struct replay *r);
void replay_wait(struct replay_node *n, uint32_t cond, uint32_t lock); /* releases the lock */
void replay_woken(struct replay_node *n, uint32_t lock);               /* takes it again */
void replay_signal(struct replay_node *n, uint32_t cond, bool all, uint32_t number);

/* ---- replay_sync.c ---- */

/* Copies a vector time; NULL: all 0. */
uint32_t *replay_vt_copy(const struct replay *r, const uint32_t *vt);
void replay_vt_merge(const struct replay *r, uint32_t *vt, const uint32_t *other);
/* The end of a barrier: ARRIVES of all nodes. */
struct replay_release *replay_release_new(uint32_t *vt, unsigned users, unsigned arrives);
void replay_take_release(void *self, uint64_t arg); /* event at a node, ARG: the release */
struct replay_lock_here *replay_lock_of(struct replay_node *n, uint32_t lock);
void replay_lock(struct replay_node *n, uint32_t lock);
void replay_try(struct replay_node *n, uint32_t lock); /* fails */
void replay_unlock(struct replay_node *n, uint32_t lock);
/* WAITS: whether it waits there, in the same call. */
void replay_arrive(struct replay_node *n, bool waits);
void replay_depart(struct replay_node *n);
void replay_meet(struct replay_node *n); /* barrier.c barrier_meet */
bool replay_moves(unsigned arrives);     /* of all nodes */

/* ---- replay_group.c ---- */

void replay_member(struct replay_node *n, const struct script_op *op);
void replay_group(struct replay_node *n, uint32_t number); /* its barrier */
void replay_groups_free(struct replay_node *n);

/* ---- replay_move.c ---- */

/* At the home: a diff of that node was applied, or the home wrote the page itself. */
void replay_move_note(struct replay_node *n, struct replay_copy *c, unsigned writer,
                      uint32_t bytes);
void replay_move_tell(struct replay_node *n, struct replay_copy *c, uint32_t bytes);
void replay_move_used(struct replay_node *n, struct replay_copy *c);
void replay_moves_free(struct replay_node *n);

/* ---- replay_round.c ---- */

bool replay_offer_homes(struct replay_node *n);
void replay_move_homes(struct replay_node *n);

/* ---- replay.c ---- */

struct replay_wish {
    enum replay_protocol protocol;
    const uint64_t *set; /* settings of base/record.h; NULL: the trace's */
    /* of another run, to use its pace (spans.h); NULL: this trace */
    const struct trace *times;
    /* notes the decisions of this replay; readahead follows from its faults; NULL: not */
    struct decisions *decisions;
    struct replay_system system;
    uint64_t between[2]; /* barriers, from 1: the time from one to the other; 0: of all */
};

static inline void replay_decided(const struct replay_node *n, enum decisions_kind kind,
                                  uint32_t page)
{
    decisions_note(n->r->decisions,
                   (struct decisions_entry){ n->id, n->departed, page, kind, false });
}

/* replay_protocol_named - async, ardmar or onesided; ends the program with a line if it is none */
enum replay_protocol replay_protocol_named(const char *name);

/* replay_run - replays the trace on that machine. If a script is wrong, `wrong` describes it.
 * ASSUMPTION: nodes of `times` synchronize as these do. */
void replay_run(struct replay *r, const struct trace *t, const struct machine *m,
                const struct replay_wish *wish);
void replay_free(struct replay *r);

#endif
