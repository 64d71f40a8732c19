/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs.h - the fabric over an RDMA adapter, by libibverbs: declarations that its files share.
 *
 *   verbs_device.c     finding the adapter, queue pairs, connecting them
 *   verbs_memory.c     windows, registration, keys, bounce slots
 *   verbs_registrar.c  the registrar thread, which registers memory
 *   verbs_rx.c         the receive queue and sleeping
 *   verbs_near.c       the mixed fabric: peers of the same machine, by memory that both map
 *   verbs_count.c      counters, and whether peers answer
 *   verbs_pieces.c     transfers of many pieces
 *   verbs_long.c       long transfers
 *   verbs.c            data operations and their completion
 *
 * One reliable-connected queue pair to every node, including this one, made at start: a queue pair
 * costs only some KiB, and making one on first use would need the peer's CPU. All share one
 * completion queue for sends and one receive queue (SRQ) with its own completion queue.
 *
 * Invariants
 *   - Order: one queue pair per pair of nodes gives [fabric.write-order], [fabric.atomic-order].
 *     Soft-RoCE answers reads and atomics of one queue pair in order (its responder serves requests
 *     one by one), so FABRIC_READ_ORDERED is offered for it. The reads of other adapters may
 *     overtake each other on the bus (PCIe), so it is not offered for them. Nor is it for mixed: a
 *     read of a near peer completes before an earlier atomic has left.
 *   - Every signalled work request has a slot (struct verbs_work), and its wr_id names the slot.
 *     Unsignalled requests complete only if they fail. A signalled one follows before the send
 *     queue is full, so their entries are freed.
 *   - posted - retired <= depth for each queue pair: nothing is posted without a free entry.
 *   - The receive queue holds a receive for every event, and every waking write, that can be
 *     outstanding: rx_depth for each node. So the adapter never answers a sender "receiver not
 *     ready". Entries of send queues become free whatever a peer's CPU does, and a serving thread
 *     never waits for one. With fewer it would: two serving nodes, each waiting for an entry after
 *     an event for which the other has no receive, would deadlock. An adapter that takes fewer than
 *     rx_depth * nodes is refused at start, in one line.
 *   - Atomics use the adapter for the owner's words too [fabric.atomics-only]: a queue pair to
 *     itself.
 *   - A piece of a large window is registered once, and stays registered. It is known when its key
 *     is in every peer's key table; a call that prepares it returns then. Registered memory is
 *     never punched out: discarding writes zeros.
 *   - Mixed: reads and writes of a near peer are copies, complete when they return; its events, its
 *     wakes and all atomics use the adapter [fabric.atomics-only]. This node has no other
 *     operations in flight to a near peer, so [fabric.write-order], [fabric.atomic-order] hold.
 *   - An operation that a peer does not answer fails within job.peer_timeout: the queue pair
 *     repeats it for a shorter time (to_send), and fabric_check keeps an operation in flight to
 *     every peer.
 *   - Memory is registered only by the registrar thread, in opening, in fabric_window_create and by
 *     a thread that starts a long transfer: not in a fault handler, and not by a serving thread
 *     (verbs_register asserts it). Data in memory that is not registered yet is sent from and
 *     received into bounce slots.
 */
#ifndef FABRIC_VERBS_H
#define FABRIC_VERBS_H

#include <infiniband/verbs.h>
#include <pthread.h>

#include "fabric/fabric.h"

#define VERBS_DEPTH        128 /* entries of a send queue */
#define VERBS_SIGNAL_EVERY 32  /* one of this many unsignalled writes is signalled */
#define VERBS_WORKS        512 /* signalled operations in flight per node */
#define VERBS_BOUNCE       256 /* slots of FABRIC_INLINE bytes for buffers outside of windows */
#define VERBS_PARTS        64  /* of a read at most */
#define VERBS_REGIONS      32  /* of the program's memory, registered for transfers */
#define VERBS_PIECE_LEAST  ((size_t)1 << 20)  /* registered at once of a large window: ... */
#define VERBS_PIECE_MOST   ((size_t)16 << 20) /* ... and more only for the largest */
#define VERBS_PIECES_LIKED 4096               /* of a window, for pieces below VERBS_PIECE_MOST */
#define VERBS_LARGE        ((size_t)64 << 20) /* a larger window is registered piece by piece */
#define VERBS_PIECES       ((size_t)1 << 16)  /* pieces of a window at most */

/* Immediates from here on are the fabric's, not its user's. */
#define VERBS_IMM_INTERNAL 0xf0000000u
#define VERBS_IMM_WAKE     0xffffffffu
#define VERBS_IMM_PREPARE(win, piece) \
    (VERBS_IMM_INTERNAL | (uint32_t)(win) << 24 | (uint32_t)(piece))

enum verbs_kind { VERBS_READ, VERBS_WRITE, VERBS_WRITE_IMM, VERBS_CAS, VERBS_FETCH_ADD };

/* A node's counts of its traffic with one peer. The peer reads them one-sidedly: together the two
 * rows have both directions. */
struct verbs_count {
    _Atomic uint64_t read_bytes, written_bytes; /* moved by this node from the peer, and to it */
    /* sleeps of this node that an event of the peer ended */
    _Atomic uint64_t woken;
};

/* A signalled operation in flight. */
struct verbs_work {
    struct fabric_op *op; /* lowered at completion; NULL: no thread waits */
    int peer;
    int bounce; /* slot in use, -1 none */
    void *dst;  /* destination of the bounce slot's contents at completion, NULL none */
    size_t len;
    struct verbs_region *region; /* region of its memory, NULL none */
    int parts;                   /* parts of its data, in v->part[bounce]; 0 none */
    uint32_t retires;            /* send-queue entries that its completion frees */
};

/* Some bytes of a read, and their destination. */
struct verbs_part {
    void *dst;
    uint16_t at, len;
};

/* Memory registered for a transfer (verbs_long.c). */
struct verbs_region {
    _Atomic int state, users; /* users: operations in flight, and the thread that starts them */
    struct ibv_mr *mr;
};

struct verbs_window {
    char *base;
    size_t size, piece_size, pieces;
    int fd;
    pthread_mutex_t lock; /* excludes registering during discarding, and the reverse */
    /* this node's regions by piece; the registrar writes, with release */
    _Atomic(struct ibv_mr *) *mr;
    _Atomic uint64_t *wanted, *known; /* a bit per piece of this node; verbs_registrar.c */
    /* [node][piece]: rkey + 1 of every node's pieces, 0 unknown; peers write theirs */
    _Atomic uint64_t *keys;
    struct ibv_mr *keys_mr;
    uint64_t peer_base[NODES_MAX], peer_keys[NODES_MAX];
    uint32_t peer_keys_rkey[NODES_MAX];
    /* the peer's window in this process, NULL if the peer is not near */
    char *near[NODES_MAX];
};

struct verbs_peer {
    struct ibv_qp *qp;
    pthread_spinlock_t lock;  /* guards posting and the three fields below */
    uint32_t posted, retired; /* work requests */
    uint32_t unsignalled;     /* since the last signalled one */
    bool near;
    uint64_t counts; /* address of the peer's row for this node, and its key */
    uint32_t counts_rkey;
    struct fabric_op check; /* the read that tests whether it answers */
};

struct verbs_fabric {
    struct fabric head;
    struct fabric_job job;
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *send_cq, *recv_cq;
    struct ibv_comp_channel *send_channel, *recv_channel;
    struct ibv_srq *srq;
    int port, gid_index;
    struct ibv_port_attr port_attr;
    struct ibv_device_attr device_attr;
    uint32_t max_inline, receives;
    struct verbs_peer peer[NODES_MAX];
    struct verbs_window window[FABRIC_WINDOWS];
    _Atomic int windows;
    bool mixed;

    pthread_t registrar;
    bool registrar_runs;
    _Atomic bool registrar_stops;
    _Atomic uint32_t asked, served; /* verbs_registrar.c */

    pthread_spinlock_t work_lock; /* guards free_work, free_bounce and their counts */
    struct verbs_work work[VERBS_WORKS];
    uint16_t free_work[VERBS_WORKS], free_bounce[VERBS_BOUNCE];
    int free_works, free_bounces;
    char *bounce;
    struct ibv_mr *bounce_mr;
    struct verbs_part part[VERBS_BOUNCE][VERBS_PARTS]; /* for reads into a slot */
    struct verbs_region region[VERBS_REGIONS];
    pthread_spinlock_t poll_lock; /* one thread at a time takes completions */

    pthread_spinlock_t rx_lock; /* guards stash, unreturned and woken */
    bool stashed;
    struct fabric_event stash; /* an event that was taken from the adapter but not polled yet */
    uint32_t unreturned;       /* receives to be posted again */
    /* the last sleep ended with an event whose sender is not known yet */
    bool woken;
    _Atomic int rx_mode; /* as in shm_queue.h; only this process reads it */
    _Atomic uint32_t bell[2];
    /* consecutive wakes of the handler that were for another thread; only the handler uses it */
    int misled;
    _Atomic bool off_channel; /* the handler sleeps only on its bell */
    int bell_fd[2];           /* eventfds by enum fabric_sleeper */
    _Atomic uint64_t reads, writes, atomics;
    struct verbs_count *count; /* by peer; registered */
    struct ibv_mr *count_mr;
};

static inline struct verbs_fabric *verbs_of(struct fabric *f)
{
    return (struct verbs_fabric *)f;
}

#endif
