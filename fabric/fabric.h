/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fabric.h - what a network adapter does, and no more.
 *
 * A job's nodes own windows of registered memory, the same windows with the same sizes on every
 * node. A node reads, writes and atomically changes words of any node's windows; none of these
 * involves the target's CPUs. A write can carry a 32-bit immediate: it then also lands in the
 * target's receive queue, and wakes a thread that sleeps on it. Or it wakes the sleeper and leaves
 * nothing in the queue. Nothing here knows what a page, a diff or a lock is.
 *
 * Invariants
 *   F1  write -> write: two writes of one endpoint to one target become visible in the order they
 *       were started; a write with immediate is a write, and its event is delivered after its data
 *       and after all earlier writes. A wake (fabric_wake, fabric_write_wake) ends a sleep after
 *       all earlier writes are visible and all earlier events can be taken.
 *   F2  write -> atomic: an atomic is performed after earlier writes of the same endpoint to the
 *       same target.
 *   F3  read or atomic -> read or atomic is ordered only where `caps` has FABRIC_READ_ORDERED;
 *       otherwise wait for the first one.
 *   F4  nothing is ordered across endpoints or targets.
 *   F5  an aligned 8-byte access is single-copy atomic: a read sees the whole of one write or
 *       nothing of it.
 *   F6  a word changed by fabric atomics is changed by them alone, its owner's accesses included;
 *       reads of it by fabric_read are allowed.
 *   F7  events of one sender are delivered in the order in which it sent them; every event is
 *       delivered once.
 *   F8  a sleeper that armed the queue and found nothing pending is woken by the next event that
 *       its level admits, and by the next wake of any node: who waits for a word that is written
 *       with a wake looks at it after arming.
 *
 * State of the receive queue, and who moves it:
 *
 *            rx_arm(APP)                        rx_arm(HANDLER, URGENT | ALL)
 *     APP <---------------- POLLING -----------------------> HANDLER_URGENT | HANDLER_ALL
 *      |                     ^   ^                                   |
 *      +---------------------+   +-----------------------------------+
 *        rx_busy, or a sender's wake           rx_busy, or a sender's wake
 *
 * One thread at a time polls or arms (the holder of the engine's progress lock); senders only move
 * the state to POLLING.
 *
 * Threads: all data operations may be called by several threads at once. No call allocates memory
 * or touches stdio after fabric_open and fabric_window_create, so that they are safe inside a fault
 * handler.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum fabric_caps {
    FABRIC_READ = 1,      /* fabric_read */
    FABRIC_ATOMICS = 2,   /* fabric_cas, fabric_fetch_add, fabric_exchange */
    FABRIC_WRITE_IMM = 4, /* fabric_write_imm, fabric_write_wake */
    /* F3: reads and atomics of one endpoint at one target are performed in order */
    FABRIC_READ_ORDERED = 8,
    /* a wake of a node where no thread sleeps costs it nothing, and leaves nothing there */
    FABRIC_SEES_SLEEPERS = 16,
    /* atomics leave the bytes beside those that they change as any CPU of the job may store them at
     * the same time */
    FABRIC_ATOMICS_NARROW = 32,
};

enum fabric_sleeper { FABRIC_HANDLER, FABRIC_APP };
enum fabric_level { FABRIC_URGENT, FABRIC_ALL }; /* which events wake a sleeping handler */

#define FABRIC_WINDOWS 4     /* windows of a job at most */
#define FABRIC_EVENTS  32767 /* events that every adapter's receive queue holds; some hold more */
#define FABRIC_INLINE \
    4096 /* a write of at most this many bytes may pass op == NULL: its source is copied */

#define FABRIC_LONG 65536 /* from here on registering memory may pay */

/* One or more operations in flight. The starter owns it until fabric_wait returned or fabric_test
 * said true. */
struct fabric_op {
    /* operations started and not complete; raised by the starter, lowered by completion */
    _Atomic uint32_t pending;
};

#define FABRIC_OP_INIT \
    {                  \
        0              \
    }

struct fabric_window {
    int id;
    /* the memory object behind it, to map it a second time; -1 where the fabric has none */
    int fd;
    char *base;  /* this node's own window, always readable and writable */
    size_t size; /* bytes */
};

/* Of a scattered write: so many bytes at an offset. */
struct fabric_run {
    uint32_t offset, bytes;
};

/* Of a transfer of many parts: so many bytes, here and at an offset there. */
struct fabric_piece {
    size_t off;
    void *local;
    size_t len;
};

struct fabric_event {
    int from; /* node that sent the write with immediate */
    uint32_t imm;
};

struct fabric_counters {             /* of this node, since it started */
    uint64_t reads, writes, atomics; /* operations started here */
    /* sleepers of other nodes that this node woke; verbs: once they are awake */
    uint64_t wakes;
    /* payload that arrived here and left here, whichever node started the operation */
    uint64_t bytes_in, bytes_out;
};

struct fabric_job {
    int node, nodes;
    /* events and writes that wake that one node may have outstanding at another, at most */
    uint32_t rx_depth;
    /* gathers `len` bytes of every node into all[nodes * len], in node order; collective; 0 or a
     * negative errno */
    int (*exchange)(void *ctx, const void *mine, size_t len, void *all);
    void *ctx;
    /* Says one line and ends the process: what becomes of an operation that failed, and of one that
     * the transport lacks. NULL: the line goes to stderr, and the process ends with abort. */
    void (*fail)(const char *line);
    const char *device; /* "NAME[:PORT[:GID INDEX]]" of the adapter, NULL or "" to find one */
    /* seconds until an operation at a node that does not answer has failed; 0: 5 */
    int peer_timeout;
    /* fabric_open fills it in: fabric_probe, for transports */
    int (*probe)(const char *name, char *why, size_t len);
};

struct fabric;

/*
 * One transport; each function as the one of its name below says. A data operation that a transport
 * leaves NULL is filled with one that ends the job, saying that this transport lacks it (`caps`
 * tells beforehand).
 */
struct fabric_ops {
    const char *name;
    unsigned caps;
    int (*probe)(char *why, size_t len);             /* NULL: can always be used */
    void (*describe)(void (*say)(const char *line)); /* may stay NULL: nothing to say */
    int (*open)(const struct fabric_job *job, struct fabric **out);
    void (*close)(struct fabric *f);
    int (*window_create)(struct fabric *f, size_t size, struct fabric_window *out);
    int (*window_discard)(struct fabric *f, int win, size_t off, size_t len);
    /* may stay NULL: no memory comes back */
    bool (*window_release)(struct fabric *f, int win, size_t off, size_t len);
    /* may stay NULL: nothing to prepare */
    int (*window_prepare)(struct fabric *f, int win, size_t off, size_t len);
    /* likewise */
    void (*window_require)(struct fabric *f, int peer, int win, size_t off, size_t len);
    void (*read)(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                 struct fabric_op *op);
    void (*write)(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                  struct fabric_op *op);
    /* may stay NULL: a write for each run */
    void (*write_runs)(struct fabric *f, int peer, int win, size_t off,
                       const struct fabric_run *runs, uint32_t count, const void *src,
                       struct fabric_op *op);
    /* may stay NULL: a read, or a write, for each piece */
    void (*read_pieces)(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                        size_t count, struct fabric_op *op);
    void (*write_pieces)(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                         size_t count, struct fabric_op *op);
    /* may stay NULL: as read and write */
    void (*read_long)(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                      struct fabric_op *op);
    void (*write_long)(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                       struct fabric_op *op);
    void (*write_imm)(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      uint32_t imm, bool urgent, struct fabric_op *op);
    void (*write_wake)(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                       struct fabric_op *op);
    void (*cas)(struct fabric *f, int peer, int win, size_t off, uint64_t expect, uint64_t desired,
                uint64_t *old, struct fabric_op *op);
    void (*fetch_add)(struct fabric *f, int peer, int win, size_t off, uint64_t add, uint64_t *old,
                      struct fabric_op *op);
    /* may stay NULL: fabric_exchange goes by compare-and-swap */
    void (*exchange)(struct fabric *f, int peer, int win, size_t off, uint64_t value, uint64_t *old,
                     struct fabric_op *op);
    void (*wait)(struct fabric *f, struct fabric_op *op);
    /* may stay NULL: operations complete unlooked at */
    bool (*test)(struct fabric *f, struct fabric_op *op);
    int (*rx_poll)(struct fabric *f, struct fabric_event *ev);
    bool (*rx_pending)(struct fabric *f);
    /* may stay NULL, with rx_past: events come in order */
    uint64_t (*rx_mark)(struct fabric *f);
    bool (*rx_past)(struct fabric *f, uint64_t mark);
    void (*rx_busy)(struct fabric *f);
    uint32_t (*rx_ticket)(struct fabric *f, enum fabric_sleeper s);
    bool (*rx_arm)(struct fabric *f, enum fabric_sleeper s, enum fabric_level level);
    void (*rx_sleep)(struct fabric *f, enum fabric_sleeper s, uint32_t ticket, int64_t timeout_ns);
    void (*rx_wake)(struct fabric *f, enum fabric_sleeper s);
    void (*wake)(struct fabric *f, int peer);
    void (*counters)(struct fabric *f, struct fabric_counters *out);
    /* may stay NULL: the system tells of a node's death */
    void (*check)(struct fabric *f);
};

struct fabric {            /* head of every transport's own structure */
    struct fabric_ops ops; /* complete: nothing NULL */
    int node, nodes;
    int neighbours; /* nodes under this kernel, this one included (locality.h) */
    unsigned caps;
    void (*fail)(const char *line); /* of struct fabric_job */
    /* the least that a read from another node took while this was opened; 0: none to measure */
    int64_t round_trip_ns;
};

/* Opens the transport called `name` ("shm"). Collective. 0; -ENOENT for an unknown name; a negative
 * errno. */
int fabric_open(const char *name, const struct fabric_job *job, struct fabric **out);

/* Collective, once no node accesses another node's windows any more. */
void fabric_close(struct fabric *f);

/* Whether the transport called `name` can be used on this machine: 0, or a negative errno and the
 * reason in why[len]. */
int fabric_probe(const char *name, char *why, size_t len);

/* Says what the transport called `name` finds on this machine, and its limits, a line at a time. */
void fabric_describe(const char *name, void (*say)(const char *line));

/*
 * Makes the next window: `size` zero-filled bytes on every node, sparse. Collective, same size
 * everywhere. On success *out is set. The window lives until fabric_close.
 */
static inline int fabric_window_create(struct fabric *f, size_t size, struct fabric_window *out)
{
    return f->ops.window_create(f, size, out);
}

/* Makes [off, off+len) of this node's own window zero again and gives its memory back. Nobody may
 * access it meanwhile. */
static inline int fabric_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    return f->ops.window_discard(f, win, off, len);
}

/* Gives the memory of [off, off+len) of this node's own window back if all of it can be: true, and
 * what was there is lost. Memory that is registered cannot: that was prepared, or read into. No
 * peer may access it meanwhile. Allowed in a fault handler. */
static inline bool fabric_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    return f->ops.window_release && f->ops.window_release(f, win, off, len);
}

/*
 * Makes [off, off+len) of this node's own window known to all others, where memory has to be
 * registered before the network reaches it, and is so piece by piece. A node that accesses a piece
 * that was not prepared waits until its owner has done so, which is slow, and of which the owner
 * learns when it polls the receive queue. This waits, too, but allocates nothing and takes no lock:
 * allowed in a fault handler. 0 or a negative errno.
 */
static inline int fabric_window_prepare(struct fabric *f, int win, size_t off, size_t len)
{
    return f->ops.window_prepare ? f->ops.window_prepare(f, win, off, len) : 0;
}

/* Returns once [off, off+len) of the peer's window is prepared: asks its owner where it is not;
 * else costs nothing. */
static inline void fabric_window_require(struct fabric *f, int peer, int win, size_t off,
                                         size_t len)
{
    if (f->ops.window_require)
        f->ops.window_require(f, peer, win, off, len);
}

/*
 * Data operations. `peer` may be this node. Local buffers lie in one of this node's windows, or the
 * transport copies (with op == NULL: writes up to FABRIC_INLINE). With op != NULL the operation is
 * complete when fabric_wait(op) returns; until then its local buffer stays untouched; reads and
 * atomics have one.
 * A write is complete when it is placed in the target's memory, and its event, if it has one, is in
 * the target's queue. They report nothing: an operation that fails, now or later, and one that the
 * transport lacks end the job through job.fail, with a line that says why.
 */
static inline void fabric_read(struct fabric *f, int peer, int win, size_t off, void *dst,
                               size_t len, struct fabric_op *op)
{
    f->ops.read(f, peer, win, off, dst, len, op);
}

static inline void fabric_write(struct fabric *f, int peer, int win, size_t off, const void *src,
                                size_t len, struct fabric_op *op)
{
    f->ops.write(f, peer, win, off, src, len, op);
}

/* As many writes as it takes for each to be short enough to be copied (FABRIC_INLINE), in the order
 * of their offsets: the source may change when this returns. */
static inline void fabric_write_copied(struct fabric *f, int peer, int win, size_t off,
                                       const void *src, size_t len)
{
    for (size_t at = 0; at < len; at += FABRIC_INLINE)
        f->ops.write(f, peer, win, off + at, (const char *)src + at,
                     len - at < FABRIC_INLINE ? len - at : FABRIC_INLINE, NULL);
}

/* As many writes, in this order, of bytes that lie at `src` one run behind the other; to `off` and
 * what each run says. Bytes between runs are not written. op is not NULL, the source in one of this
 * node's windows. */
static inline void fabric_write_runs(struct fabric *f, int peer, int win, size_t off,
                                     const struct fabric_run *runs, uint32_t count, const void *src,
                                     struct fabric_op *op)
{
    if (f->ops.write_runs) {
        f->ops.write_runs(f, peer, win, off, runs, count, src, op);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        f->ops.write(f, peer, win, off + runs[i].offset, src, runs[i].bytes, op);
        src = (const char *)src + runs[i].bytes;
    }
}

/* As many reads, or writes in this order; the list may change when this returns. op is not NULL. */
static inline void fabric_read_pieces(struct fabric *f, int peer, int win,
                                      const struct fabric_piece *pieces, size_t count,
                                      struct fabric_op *op)
{
    if (f->ops.read_pieces) {
        f->ops.read_pieces(f, peer, win, pieces, count, op);
        return;
    }
    for (size_t i = 0; i < count; i++)
        f->ops.read(f, peer, win, pieces[i].off, pieces[i].local, pieces[i].len, op);
}

static inline void fabric_write_pieces(struct fabric *f, int peer, int win,
                                       const struct fabric_piece *pieces, size_t count,
                                       struct fabric_op *op)
{
    if (f->ops.write_pieces) {
        f->ops.write_pieces(f, peer, win, pieces, count, op);
        return;
    }
    for (size_t i = 0; i < count; i++)
        f->ops.write(f, peer, win, pieces[i].off, pieces[i].local, pieces[i].len, op);
}

/*
 * A read and a write of FABRIC_LONG bytes or more, whose local buffer may be any memory that stays
 * mapped until it is complete: where the network needs memory that it knows, this registers it. By
 * a thread that may allocate memory: not in a fault handler. op is not NULL.
 */
static inline void fabric_read_long(struct fabric *f, int peer, int win, size_t off, void *dst,
                                    size_t len, struct fabric_op *op)
{
    if (f->ops.read_long)
        f->ops.read_long(f, peer, win, off, dst, len, op);
    else
        f->ops.read(f, peer, win, off, dst, len, op);
}

static inline void fabric_write_long(struct fabric *f, int peer, int win, size_t off,
                                     const void *src, size_t len, struct fabric_op *op)
{
    if (f->ops.write_long)
        f->ops.write_long(f, peer, win, off, src, len, op);
    else
        f->ops.write(f, peer, win, off, src, len, op);
}

/* A write whose arrival is an event at the target. A non-urgent event leaves a handler asleep that
 * armed for urgent ones. */
static inline void fabric_write_imm(struct fabric *f, int peer, int win, size_t off,
                                    const void *src, size_t len, uint32_t imm, bool urgent,
                                    struct fabric_op *op)
{
    f->ops.write_imm(f, peer, win, off, src, len, imm, urgent, op);
}

/* The same as several writes, of which the last carries the immediate (F1). */
static inline void fabric_write_imm_copied(struct fabric *f, int peer, int win, size_t off,
                                           const void *src, size_t len, uint32_t imm, bool urgent)
{
    size_t before = len > FABRIC_INLINE ? (len - 1) / FABRIC_INLINE * FABRIC_INLINE : 0;
    fabric_write_copied(f, peer, win, off, src, before);
    f->ops.write_imm(f, peer, win, off + before, (const char *)src + before, len - before, imm,
                     urgent, NULL);
}

/*
 * A write after which a sleeper on the peer's receive queue, of any level, is woken as by
 * fabric_wake; no event lands in the queue. Until the peer polls, looks or arms, it may take the
 * room of one (rx_depth).
 */
static inline void fabric_write_wake(struct fabric *f, int peer, int win, size_t off,
                                     const void *src, size_t len, struct fabric_op *op)
{
    f->ops.write_wake(f, peer, win, off, src, len, op);
}

/* 8-byte atomics at an 8-byte aligned offset; *old is the value before, valid once complete. A
 * compare-and-swap may have NULL, where nobody wants that. */
static inline void fabric_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                              uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    f->ops.cas(f, peer, win, off, expect, desired, old, op);
}

static inline void fabric_fetch_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                                    uint64_t *old, struct fabric_op *op)
{
    f->ops.fetch_add(f, peer, win, off, add, old, op);
}

/*
 * Exchanges the word, and waits for it: the value before. Where the adapter has no such operation,
 * by compare-and-swap until one meets what it expects, the first of them `guess`: one round trip
 * if that is right.
 */
uint64_t fabric_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                         uint64_t guess);

static inline void fabric_wait(struct fabric *f, struct fabric_op *op)
{
    f->ops.wait(f, op);
}

/* Whether the operation is complete; does what it takes to find out, without waiting. */
static inline bool fabric_test(struct fabric *f, struct fabric_op *op)
{
    return f->ops.test ? f->ops.test(f, op)
                       : atomic_load_explicit(&op->pending, memory_order_acquire) == 0;
}

/*
 * The receive queue. poll: 1 and *ev, or 0 when nothing is pending. busy: declare that a thread
 * polls, so that senders wake no thread. ticket, arm, sleep: take the ticket, then arm; when arm
 * returns true nothing was pending and sleep returns at the next admitted event, at rx_wake, after
 * timeout_ns (negative: no limit), or spuriously.
 */
static inline int fabric_rx_poll(struct fabric *f, struct fabric_event *ev)
{
    return f->ops.rx_poll(f, ev);
}
static inline bool fabric_rx_pending(struct fabric *f)
{
    return f->ops.rx_pending(f);
}
/*
 * An event can be in the queue and not be pending yet, since one before it is still being put in by
 * its sender. mark names what has arrived by now, those included; past says whether all of that has
 * been taken by rx_poll.
 */
static inline uint64_t fabric_rx_mark(struct fabric *f)
{
    return f->ops.rx_mark ? f->ops.rx_mark(f) : 0;
}
static inline bool fabric_rx_past(struct fabric *f, uint64_t mark)
{
    return f->ops.rx_past ? f->ops.rx_past(f, mark) : !f->ops.rx_pending(f);
}

static inline void fabric_rx_busy(struct fabric *f)
{
    f->ops.rx_busy(f);
}
static inline uint32_t fabric_rx_ticket(struct fabric *f, enum fabric_sleeper s)
{
    return f->ops.rx_ticket(f, s);
}
static inline bool fabric_rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    return f->ops.rx_arm(f, s, level);
}
static inline void fabric_rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket,
                                   int64_t timeout_ns)
{
    f->ops.rx_sleep(f, s, ticket, timeout_ns);
}
static inline void fabric_rx_wake(struct fabric *f, enum fabric_sleeper s)
{
    f->ops.rx_wake(f, s);
}

/* Wakes the thread that sleeps on the peer's receive queue, so that it looks at what non-urgent
 * events and writes left there; ordered behind the earlier ones of this endpoint (F1). */
static inline void fabric_wake(struct fabric *f, int peer)
{
    f->ops.wake(f, peer);
}

/* Needs no peer's CPU, but its windows: not after a peer may have closed. */
static inline void fabric_counters(struct fabric *f, struct fabric_counters *out)
{
    f->ops.counters(f, out);
}

/*
 * Looks whether all peers answer, without waiting: to be called by one thread, some times in
 * job.peer_timeout, until peers may close. A peer that does not answer ends this process through
 * job.fail, as any failed operation does; so also a node that waits for nothing of that peer learns
 * of its death.
 */
static inline void fabric_check(struct fabric *f)
{
    if (f->ops.check)
        f->ops.check(f);
}

#endif
