/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * verbs.h - the fabric over an RDMA adapter, by libibverbs: parts that its files share.
 *
 *   verbs_device.c     finding the adapter, queue pairs, connecting them
 *   verbs_memory.c     windows, registration, keys, bounce slots
 *   verbs_registrar.c  the thread that registers
 *   verbs_rx.c         the receive queue and sleeping
 *   verbs_near.c       the mixed fabric: peers of the same machine, by memory that both map
 *   verbs_count.c      counters, and whether peers answer
 *   verbs_pieces.c     transfers of many pieces
 *   verbs_long.c       long transfers
 *   verbs.c            data operations and their completion
 *
 * One reliable-connected queue pair to every node, this one included, made at start: what a queue
 * pair costs (some KiB) is small, and making one on first use would need the peer's CPU. All share
 * one completion queue for what they send and one receive queue (SRQ) with its own completion
 * queue.
 *
 * Invariants
 *   V1  Order: one queue pair per pair of nodes gives F1 and F2. Reads and atomics of one are
 *       answered in order by soft-RoCE (its responder works through requests one by one), so
 *       FABRIC_READ_ORDERED is offered for it; an adapter may have its reads overtake each other on
 *       the bus (PCIe), so it is not offered for others; nor mixed, where a read of a near peer is
 *       over before an atomic has left (V7).
 *   V2  Every signalled work request has a slot (struct verbs_work), which its wr_id names.
 *       Unsignalled ones complete when they fail only, and are followed by a signalled one before
 *       the send queue is full, so its places come back.
 *   V3  posted - retired <= depth for each queue pair: nothing is posted without a place.
 *   V4  The receive queue holds a receive for every event, and every write that wakes, that can be
 *       outstanding: rx_depth for each node. So the adapter never tells a sender "receiver not
 *       ready", places of send queues come back whatever a peer's CPU does, and who serves never
 *       waits for one (V3). With fewer it would: two nodes that serve, each waiting for a place
 *       behind an event that the other has no receive for, would wait for ever. An adapter that
 *       takes fewer than rx_depth * nodes is refused at start, in one line.
 *   V5  Atomics go through the adapter for the owner's words too (F6): a queue pair to itself.
 *   V6  A piece of a large window is registered once, and stays so. It is known when its key is in
 *       every peer's key table; a call that prepares it returns then. Memory that was registered is
 *       never punched out: discarding writes zeros.
 *   V7  Mixed: reads and writes of a near peer are copies, complete when they return; its events,
 *       its wakes and all atomics go through the adapter (F6). Nothing else of this node's is under
 *       way to a near peer, so F1 and F2 hold.
 *   V8  What a peer does not answer fails within job.peer_timeout: the queue pair repeats it for
 *       less than that (to_send), and fabric_check has something under way to every peer.
 *   V9  Memory is registered in the registrar thread, in opening, in fabric_window_create and by
 *       who starts a long transfer, nowhere else: not in a fault handler, and not by a thread that
 *       serves (verbs_register asserts it). What is not registered yet is sent from and received
 *       into bounce slots.
 */
#ifndef FABRIC_VERBS_H
#define FABRIC_VERBS_H

#include <infiniband/verbs.h>
#include <pthread.h>

#include "fabric/fabric.h"

#define VERBS_DEPTH        128 /* places of a send queue */
#define VERBS_SIGNAL_EVERY 32  /* an unsignalled write in so many is signalled (V2) */
#define VERBS_WORKS        512 /* signalled operations in flight per node */
#define VERBS_BOUNCE       256 /* slots of FABRIC_INLINE bytes for buffers outside of windows */
#define VERBS_PARTS        64  /* of a read at most (VP1) */
#define VERBS_REGIONS      32  /* of the program's memory, registered for a transfer */
#define VERBS_PIECE_LEAST  ((size_t)1 << 20)  /* registered at once of a large window: ... */
#define VERBS_PIECE_MOST   ((size_t)16 << 20) /* ... and more only for the largest */
#define VERBS_PIECES_LIKED 4096               /* of a window, while pieces are smaller than that */
#define VERBS_LARGE        ((size_t)64 << 20) /* a larger window is registered piece by piece */
#define VERBS_PIECES       ((size_t)1 << 16)  /* of a window at most */

/* Immediates above this belong to the fabric, not to its user. */
#define VERBS_IMM_INTERNAL 0xf0000000u
#define VERBS_IMM_WAKE     0xffffffffu
#define VERBS_IMM_PREPARE(win, piece) \
    (VERBS_IMM_INTERNAL | (uint32_t)(win) << 24 | (uint32_t)(piece))

enum verbs_kind { VERBS_READ, VERBS_WRITE, VERBS_WRITE_IMM, VERBS_CAS, VERBS_FETCH_ADD };

/* What a node counts of its traffic with one peer, which reads it one-sidedly: together they have
 * both directions. */
struct verbs_count {
    _Atomic uint64_t read_bytes, written_bytes; /* that this node moved from the peer, and to it */
    /* sleeps of this node that an event of the peer ended */
    _Atomic uint64_t woken;
};

/* A signalled operation in flight. */
struct verbs_work {
    struct fabric_op *op; /* lowered at completion; NULL: no thread waits */
    int peer;
    int bounce; /* slot in use, -1 none */
    void *dst;  /* where the bounce slot's contents go at completion, NULL nowhere */
    size_t len;
    struct verbs_region *region; /* that its memory is in (VL1), NULL none */
    int parts;                   /* of what it brings, which go to v->part[bounce] (VP1); 0 none */
    uint32_t retires;            /* places of the send queue that its completion gives back */
};

/* Some bytes of a read, and where they belong (VP1). */
struct verbs_part {
    void *dst;
    uint16_t at, len;
};

/* Memory that is registered for a transfer (verbs_long.c). */
struct verbs_region {
    _Atomic int state, users; /* users: operations under way, and who starts them */
    struct ibv_mr *mr;
};

struct verbs_window {
    char *base;
    size_t size, piece_size, pieces;
    int fd;
    pthread_mutex_t lock; /* keeps registering and discarding apart */
    /* this node's regions by piece; the registrar writes, with release */
    _Atomic(struct ibv_mr *) *mr;
    _Atomic uint64_t *wanted, *known; /* a bit per piece of this node; verbs_registrar.c */
    /* [node][piece]: rkey + 1 of every node's pieces, 0 not known; peers write theirs */
    _Atomic uint64_t *keys;
    struct ibv_mr *keys_mr;
    uint64_t peer_base[NODES_MAX], peer_keys[NODES_MAX];
    uint32_t peer_keys_rkey[NODES_MAX];
    /* the peer's window in this process, NULL where it is not near (V7) */
    char *near[NODES_MAX];
};

struct verbs_peer {
    struct ibv_qp *qp;
    pthread_spinlock_t lock;  /* guards posting and the three below */
    uint32_t posted, retired; /* work requests (V3) */
    uint32_t unsignalled;     /* since the last signalled one */
    bool near;                /* V7 */
    uint64_t counts;          /* address of its row for this node, and the key to it */
    uint32_t counts_rkey;
    struct fabric_op check; /* the look whether it answers */
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
    bool mixed; /* V7 */

    pthread_t registrar;
    bool registrar_runs;
    _Atomic bool registrar_stops;
    _Atomic uint32_t asked, served; /* verbs_registrar.c K2, K3 */

    pthread_spinlock_t work_lock; /* guards free_work, free_bounce and their counts */
    struct verbs_work work[VERBS_WORKS];
    uint16_t free_work[VERBS_WORKS], free_bounce[VERBS_BOUNCE];
    int free_works, free_bounces;
    char *bounce;
    struct ibv_mr *bounce_mr;
    struct verbs_part part[VERBS_BOUNCE][VERBS_PARTS]; /* of what is read into a slot */
    struct verbs_region region[VERBS_REGIONS];
    pthread_spinlock_t poll_lock; /* one thread at a time takes completions */

    pthread_spinlock_t rx_lock; /* guards stash, unreturned and woken */
    bool stashed;
    struct fabric_event stash; /* an event that was looked at and not yet taken */
    uint32_t unreturned;       /* receives to be posted again */
    /* the last sleep ended with an event, whose sender is not known yet */
    bool woken;
    _Atomic int rx_mode; /* as in shm_queue.h; only the own process looks at it */
    _Atomic uint32_t bell[2];
    /* wakes of the handler in a row that were for another thread; its own alone (E5) */
    int misled;
    _Atomic bool off_channel; /* the handler sleeps on its bell alone: E5 */
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
