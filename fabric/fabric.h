/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fabric.h - the operations of a network adapter, and nothing else.
 *
 * A job's nodes own windows of registered memory, the same windows with the same sizes on every
 * node. A node reads, writes and atomically changes words of any node's windows without the
 * target's CPUs. A write can carry a 32-bit immediate: it then also lands in the target's receive
 * queue, and wakes a thread that sleeps on it. Or a write wakes the sleeper and leaves nothing in
 * the queue. The fabric does not know pages, diffs or locks.
 *
 * Invariants
 *   [fabric.write-order] write -> write: two writes of one endpoint to one target become visible in
 *       the order they were started; a write with immediate is a write, and its event is delivered
 *       after its data and after all earlier writes. A wake (fabric_wake, fabric_write_wake) ends a
 *       sleep after all earlier writes are visible and all earlier events can be taken.
 *   [fabric.atomic-order] write -> atomic: an atomic is performed after earlier writes of the same
 *       endpoint to the same target.
 *   [fabric.read-order] read or atomic -> read or atomic is ordered only if `caps` has
 *       FABRIC_READ_ORDERED; otherwise wait for the first one.
 *   [fabric.target-order] nothing is ordered across endpoints or targets.
 *   [fabric.whole-word] an aligned 8-byte access is single-copy atomic: a read sees the whole of
 *       one write or nothing of it.
 *   [fabric.atomics-only] a word changed by fabric atomics is changed only by them, by its owner as
 *       well; fabric_read may read it.
 *   [fabric.event-order] events of one sender are delivered in the order in which it sent them;
 *       every event is delivered once.
 *   [fabric.armed-wake] a sleeper that armed the queue and found nothing pending is woken by the
 *       next event that its level admits, and by the next wake of any node. So a thread that waits
 *       for a word written with a wake tests the word after arming.
 *
 * State of the receive queue, and what changes it:
 *
 *            rx_arm(APP)                        rx_arm(HANDLER, URGENT | ALL)
 *     APP <---------------- POLLING -----------------------> HANDLER_URGENT | HANDLER_ALL
 *      |                     ^   ^                                   |
 *      +---------------------+   +-----------------------------------+
 *        rx_busy, or a sender's wake           rx_busy, or a sender's wake
 *
 * One thread at a time polls or arms (the holder of the engine's progress lock); senders only
 * change the state to POLLING.
 *
 * Threads: several threads may call data operations at the same time. After fabric_open and
 * fabric_window_create no call allocates memory or touches stdio, so that all are safe in a fault
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
    /* [fabric.read-order]: reads and atomics of one endpoint at one target are performed in
     * order */
    FABRIC_READ_ORDERED = 8,
    /* waking a node in which no thread sleeps is free, and leaves nothing there */
    FABRIC_SEES_SLEEPERS = 16,
    /* atomics leave the adjacent bytes intact, even while a CPU of the job stores to them */
    FABRIC_ATOMICS_NARROW = 32,
};

enum fabric_sleeper { FABRIC_HANDLER, FABRIC_APP };
enum fabric_level { FABRIC_URGENT, FABRIC_ALL }; /* which events wake a sleeping handler */

#define FABRIC_WINDOWS 4     /* windows of a job at most */
#define FABRIC_EVENTS  32767 /* events that every adapter's receive queue holds; some hold more */
#define FABRIC_INLINE \
    4096 /* a write of at most this many bytes may pass op == NULL: its source is copied */

#define FABRIC_LONG 65536 /* from this size on registering memory may pay */

/* One or more operations in flight. The starter owns it until fabric_wait returned or fabric_test
 * returned true. */
struct fabric_op {
    /* operations started but not complete; raised by the starter, lowered by completion */
    _Atomic uint32_t pending;
};

#define FABRIC_OP_INIT \
    {                  \
        0              \
    }

struct fabric_window {
    int id;
    /* its memory object, to map it a second time; -1 if the fabric has none */
    int fd;
    char *base;  /* this node's own window, always readable and writable */
    size_t size; /* bytes */
};

/* Part of a scattered write: `bytes` bytes at an offset. */
struct fabric_run {
    uint32_t offset, bytes;
};

/* Changes of an aligned word of 8 bytes, of a list. `old`, unless it is NULL, gets its previous
 * value. */
enum fabric_change { FABRIC_ADD, FABRIC_AND, FABRIC_OR, FABRIC_XOR, FABRIC_EXCHANGE };
struct fabric_update {
    size_t off;
    uint64_t value, *old;
    int32_t peer;
    enum fabric_change change;
};

/* Part of a transfer of many parts: `len` bytes, here and at an offset there. */
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
    /* sleepers of other nodes that this node woke; verbs: counted once they are awake */
    uint64_t wakes;
    /* payload that this node received and sent, whichever node started the operation */
    uint64_t bytes_in, bytes_out;
};

struct fabric_job {
    int node, nodes;
    /* events and waking writes that one node may have outstanding at another, at most */
    uint32_t rx_depth;
    /* gathers `len` bytes of every node into all[nodes * len], in node order; collective; 0 or a
     * negative errno */
    int (*exchange)(void *ctx, const void *mine, size_t len, void *all);
    void *ctx;
    /* Prints one line and ends the process: for an operation that failed, or that the transport
     * lacks. NULL: the line goes to stderr, and the process ends with abort. */
    void (*fail)(const char *line);
    /* Prints one line about what the job survives; NULL: nothing is printed. */
    void (*note)(const char *line);
    const char *device; /* "NAME[:PORT[:GID INDEX]]" of the adapter, NULL or "" to find one */
    /* seconds until an operation at a node that does not answer fails; 0: 5 */
    int peer_timeout;
};

struct fabric;

/*
 * One transport; each function is specified below by its name. fabric_open replaces a data
 * operation that is NULL by one that ends the job and reports that this transport lacks it (`caps`
 * has it before that).
 */
struct fabric_ops {
    const char *name;
    unsigned caps;
    int (*probe)(char *why, size_t len);             /* NULL: always usable */
    bool slow_probe;                                 /* fabric_probe_quick leaves it out */
    void (*describe)(void (*say)(const char *line)); /* optional */
    int (*open)(const struct fabric_job *job, struct fabric **out);
    void (*close)(struct fabric *f);
    int (*window_create)(struct fabric *f, size_t size, struct fabric_window *out);
    int (*window_discard)(struct fabric *f, int win, size_t off, size_t len);
    /* optional: without it no memory is returned */
    bool (*window_release)(struct fabric *f, int win, size_t off, size_t len);
    /* optional: nothing to prepare */
    int (*window_prepare)(struct fabric *f, int win, size_t off, size_t len);
    /* optional */
    void (*window_require)(struct fabric *f, int peer, int win, size_t off, size_t len);
    void (*read)(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                 struct fabric_op *op);
    void (*write)(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                  struct fabric_op *op);
    /* optional: a write for each run */
    void (*write_runs)(struct fabric *f, int peer, int win, size_t off,
                       const struct fabric_run *runs, uint32_t count, const void *src,
                       struct fabric_op *op);
    /* optional: a read, or a write, for each piece */
    void (*read_pieces)(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                        size_t count, struct fabric_op *op);
    void (*write_pieces)(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                         size_t count, struct fabric_op *op);
    /* optional: as read and write */
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
    /* optional: fabric_exchange uses compare-and-swap */
    void (*exchange)(struct fabric *f, int peer, int win, size_t off, uint64_t value, uint64_t *old,
                     struct fabric_op *op);
    /* optional, for a fabric whose atomics complete at once: each change of the list, in any order;
     * all are complete when it returns */
    void (*update)(struct fabric *f, int win, const struct fabric_update *list, size_t count);
    void (*wait)(struct fabric *f, struct fabric_op *op);
    /* optional: operations complete without test */
    bool (*test)(struct fabric *f, struct fabric_op *op);
    int (*rx_poll)(struct fabric *f, struct fabric_event *ev);
    bool (*rx_pending)(struct fabric *f);
    /* optional, with rx_past: events arrive in order */
    uint64_t (*rx_mark)(struct fabric *f);
    bool (*rx_past)(struct fabric *f, uint64_t mark);
    void (*rx_busy)(struct fabric *f);
    uint32_t (*rx_ticket)(struct fabric *f, enum fabric_sleeper s);
    bool (*rx_arm)(struct fabric *f, enum fabric_sleeper s, enum fabric_level level);
    void (*rx_sleep)(struct fabric *f, enum fabric_sleeper s, uint32_t ticket, int64_t timeout_ns);
    void (*rx_wake)(struct fabric *f, enum fabric_sleeper s);
    void (*wake)(struct fabric *f, int peer);
    void (*counters)(struct fabric *f, struct fabric_counters *out);
    /* optional: the operating system reports a node's death */
    void (*check)(struct fabric *f);
};

struct fabric {            /* head of every transport's own structure */
    struct fabric_ops ops; /* complete: nothing NULL */
    int node, nodes;
    int neighbours;  /* nodes under this kernel, this one included (locality.h) */
    char device[64]; /* what it uses, as --device selects it; "" for memory */
    unsigned caps;
    void (*fail)(const char *line); /* from struct fabric_job */
    /* shortest time of a read from another node during fabric_open; 0: not measured */
    int64_t round_trip_ns;
};

/* Opens the transport called `name` ("shm"); "auto" chooses one: shm if all nodes can share memory,
 * else mixed. mixed is over verbs if all nodes have RDMA devices, else over ofi. Collective. 0;
 * -ENOENT for an unknown name; a negative errno. */
int fabric_open(const char *name, const struct fabric_job *job, struct fabric **out);

/* Collective, after all nodes have stopped accessing other nodes' windows. */
void fabric_close(struct fabric *f);

/* Whether the transport called `name` can be used on this machine: 0, or a negative errno and the
 * reason in why[len]. */
int fabric_probe(const char *name, char *why, size_t len);

/* As fabric_probe, but 0 if that would take as long as fabric_open: then fabric_open reports what
 * is missing. For a launcher, whose machine need not be one of the job's, and for nodes. */
int fabric_probe_quick(const char *name, char *why, size_t len);

/* Prints what the transport called `name` finds on this machine, and its limits, a line at a
 * time. */
void fabric_describe(const char *name, void (*say)(const char *line));

/*
 * Makes the next window: `size` zero-filled bytes on every node, sparse. Collective, same size
 * everywhere. On success *out is set. The window lives until fabric_close.
 */
static inline int fabric_window_create(struct fabric *f, size_t size, struct fabric_window *out)
{
    return f->ops.window_create(f, size, out);
}

/* Zeroes [off, off+len) of this node's own window and frees its memory. No thread or node may
 * access it during the call. */
static inline int fabric_window_discard(struct fabric *f, int win, size_t off, size_t len)
{
    return f->ops.window_discard(f, win, off, len);
}

/* Frees the memory of [off, off+len) of this node's own window if all of it can be freed: true,
 * and the contents are lost. Registered memory cannot: memory that was prepared, or read into. No
 * peer may access it during the call. Allowed in a fault handler. */
static inline bool fabric_window_release(struct fabric *f, int win, size_t off, size_t len)
{
    return f->ops.window_release && f->ops.window_release(f, win, off, len);
}

/*
 * Makes [off, off+len) of this node's own window accessible to all nodes, if the network needs
 * memory to be registered, piece by piece. A node that accesses an unprepared piece waits until
 * its owner has prepared it. That is slow: the owner learns of it when it polls the receive queue.
 * This call may wait as well, but allocates nothing and takes no lock: allowed in a fault handler.
 * 0 or a negative errno.
 */
static inline int fabric_window_prepare(struct fabric *f, int win, size_t off, size_t len)
{
    return f->ops.window_prepare ? f->ops.window_prepare(f, win, off, len) : 0;
}

/* Returns once [off, off+len) of the peer's window is prepared: requests it from the owner if it
 * is not, else costs nothing. */
static inline void fabric_window_require(struct fabric *f, int peer, int win, size_t off,
                                         size_t len)
{
    if (f->ops.window_require)
        f->ops.window_require(f, peer, win, off, len);
}

/*
 * Data operations. `peer` may be this node. A local buffer lies in one of this node's windows, or
 * the transport copies it (with op == NULL: writes up to FABRIC_INLINE). With op != NULL the
 * operation is complete when fabric_wait(op) returns, and until then its local buffer must not be
 * touched; reads and atomics need an op. A write is complete when it is placed in the target's
 * memory and its event, if any, is in the target's queue. They return no error: an operation that
 * fails, at once or later, or that the transport lacks, ends the job through job.fail, with a line
 * that gives the reason.
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

/* Splits a write so that each part is short enough to be copied (FABRIC_INLINE), in the order of
 * their offsets: the source may change when this returns. */
static inline void fabric_write_copied(struct fabric *f, int peer, int win, size_t off,
                                       const void *src, size_t len)
{
    for (size_t at = 0; at < len; at += FABRIC_INLINE)
        f->ops.write(f, peer, win, off + at, (const char *)src + at,
                     len - at < FABRIC_INLINE ? len - at : FABRIC_INLINE, NULL);
}

/* A write for each run, in this order. The runs' bytes lie at `src` one after the other, and go to
 * `off` plus the run's offset. Bytes between runs are not written. op is not NULL, the source lies
 * in one of this node's windows. */
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

/* A read, or a write in this order, for each piece; the list may change when this returns. op is
 * not NULL. */
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
 * mapped until the operation is complete: if the network needs it, this registers the memory. Only
 * for a thread that may allocate memory: not in a fault handler. op is not NULL.
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

/* A write whose arrival is an event at the target. A non-urgent event does not wake a handler that
 * armed for urgent ones. */
static inline void fabric_write_imm(struct fabric *f, int peer, int win, size_t off,
                                    const void *src, size_t len, uint32_t imm, bool urgent,
                                    struct fabric_op *op)
{
    f->ops.write_imm(f, peer, win, off, src, len, imm, urgent, op);
}

/* The same split into several writes, of which the last carries the immediate
 * [fabric.write-order]. */
static inline void fabric_write_imm_copied(struct fabric *f, int peer, int win, size_t off,
                                           const void *src, size_t len, uint32_t imm, bool urgent)
{
    size_t before = len > FABRIC_INLINE ? (len - 1) / FABRIC_INLINE * FABRIC_INLINE : 0;
    fabric_write_copied(f, peer, win, off, src, before);
    f->ops.write_imm(f, peer, win, off + before, (const char *)src + before, len - before, imm,
                     urgent, NULL);
}

/*
 * A write that then wakes a sleeper on the peer's receive queue, of any level, as fabric_wake
 * does; no event lands in the queue. Until the peer polls, tests or arms, it may take the room of
 * one (rx_depth).
 */
static inline void fabric_write_wake(struct fabric *f, int peer, int win, size_t off,
                                     const void *src, size_t len, struct fabric_op *op)
{
    f->ops.write_wake(f, peer, win, off, src, len, op);
}

/* 8-byte atomics at an 8-byte aligned offset; *old is the previous value, valid on completion.
 * `old` of a compare-and-swap may be NULL. */
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
 * Exchanges the word, waits, and returns the previous value. If the adapter lacks the operation,
 * it repeats compare-and-swap until one finds the value that it expects, first `guess`: one round
 * trip if that is right.
 */
uint64_t fabric_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                         uint64_t guess);

static inline void fabric_wait(struct fabric *f, struct fabric_op *op)
{
    f->ops.wait(f, op);
}

/* True if the operation is complete; makes progress to find out, without waiting. */
static inline bool fabric_test(struct fabric *f, struct fabric_op *op)
{
    return f->ops.test ? f->ops.test(f, op)
                       : atomic_load_explicit(&op->pending, memory_order_acquire) == 0;
}

/*
 * The receive queue. poll: 1 and *ev, or 0 if nothing is pending. busy: declares that a thread
 * polls, so that senders wake no thread. ticket, arm, sleep: take the ticket, then arm; if arm
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
 * An event can be in the queue without being pending, while the sender of an earlier one is still
 * writing that. mark names all events in the queue, including these; past is true once rx_poll has
 * taken all of them.
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

/* Wakes the thread that sleeps on the peer's receive queue, so that it finds what non-urgent events
 * and writes left there; ordered after the earlier ones of this endpoint [fabric.write-order]. */
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
 * Checks whether all peers answer, without waiting. One thread calls it several times in
 * job.peer_timeout, until peers may close. A peer that does not answer ends this process through
 * job.fail, as any failed operation does. So a node that waits for no operation at that peer
 * detects its death as well.
 */
static inline void fabric_check(struct fabric *f)
{
    if (f->ops.check)
        f->ops.check(f);
}

#endif
