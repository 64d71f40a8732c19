/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi.h - the fabric over any network that libfabric reaches, plain TCP first: declarations that
 * its files share.
 *
 *   ofi_choose.c   loading libfabric, and the choice of a provider
 *   ofi_numa.c     how far an adapter is
 *   ofi_connect.c  endpoints, and connecting them
 *   ofi_link.c     buffers, sending and receiving
 *   ofi_pack.c     small writes of a burst in one message
 *   ofi_stream.c   the same by the sockets of TCP connections
 *   ofi_long.c     large reads and writes over these, without a copy here
 *   ofi_progress.c the progress thread
 *   ofi_serve.c    what a request does to the windows of the node that receives it
 *   ofi.c          operations
 *
 * Every operation at another node is a request, a message that the other node's fabric performs
 * and answers. So a provider needs nothing but messages that arrive in the order in which they
 * were sent. The one-sided operations of a provider over TCP are done by the target's CPU as well,
 * and would not hold [fabric.whole-word]: the kernel delivers parts of words.
 *
 * A provider has connections or only datagrams. With connections (MSG) there is one to every other
 * node, made at start. The listener is closed once all of them exist.
 *
 * Over plain TCP libfabric makes the connections, and this fabric then uses their sockets (a
 * stream). libfabric's own messages take three more system calls each, may allocate memory, and
 * hide what the kernel knows of the peer.
 *
 * Each end copies data once, beside the kernel's copies. The node that starts an operation copies,
 * since an access to the program's memory can fault. The target copies, since the kernel's copy
 * would divide words [fabric.whole-word], and since a later request may change what a read has to
 * return. Messages of 32 or 64 KiB instead of OFI_PART_STREAM gain nothing. The memory of
 * fabric_read_long and fabric_write_long does not fault: over streams data is sent from there, and
 * received there, without a copy. A get of 1 MiB then takes 0.8 to 1 of the time: the target is
 * slower than the receiver. It copies, and sends OFI_PART_STREAM bytes at a time; larger answers
 * would leave its cache. A put is one message, of OFI_PART_LONG bytes at most: 1 MiB takes 0.5 of
 * the time that eight messages take.
 *
 * Invariants
 *   [ofi.secret] Each node makes a secret at start and gives it to the others through the launcher.
 *       A request for a connection, its acceptance and every message carry the secret of the node
 *       that receives it. A connection without it is closed, a message without it is dropped, and
 *       both are counted. Nothing else of a message is read before.
 *   - `net_lock` guards all calls of libfabric after the start, and the performing of requests. So
 *     the requests of one sender are performed in the order in which they were sent:
 *     [fabric.write-order], [fabric.atomic-order], [fabric.read-order], [fabric.event-order].
 *     Nothing that holds it waits, or touches memory that can fault.
 *   [ofi.no-malloc] A thread in a fault handler may have interrupted malloc, and libfabric may
 *       allocate memory. So a thread of the program sends and receives only over streams. Otherwise
 *       only the progress thread does. `list_lock` guards what both use, and is not held in calls
 *       of libfabric.
 *   [ofi.burst] A small write that follows others is added to their message until that is sent. It
 *       waits only while another request to that node is sent and not answered. The thread that
 *       takes the answer sends what waits then. So no write waits for longer than a round trip, and
 *       a lone write does not wait. Writes stay in their order, since only the last unsent message
 *       to a node grows [fabric.write-order].
 *       1,000 puts of 8 bytes, started together, take 0.1 us each in this way, as those of Open MPI
 *       over TCP, and 8 us by a message each.
 *   - Every request is answered once it is performed. An operation is complete when all its
 *     requests are answered, and a node has at most `flight` unanswered ones at another.
 *   - The progress thread performs requests while the program computes. A thread that waits
 *     performs them as well over streams. While one does, the progress thread naps: it sleeps
 *     where no message wakes it, and tests after each nap whether that thread still polls.
 *   - The node that serves a request answers from a buffer that is free, or leaves the request,
 *     and all later ones, in `held`. Answers to this node are never held, so two nodes whose
 *     buffers are all in use do not wait for each other. Over streams there is always one free: a
 *     node has a buffer for each request that all peers may have unanswered.
 *   [ofi.kernel-answers] Over streams the kernel of a peer's host decides whether the peer is
 *       alive. A peer that is stopped, or gets no CPU, does not answer, but its kernel confirms
 *       what arrives. Otherwise the answer to a ping decides.
 *   - Operations at the own node are done at once, by the same function [fabric.atomics-only]. With
 *     the mixed fabric so are reads, writes and atomics at a near peer, whose memory is mapped:
 *     they are complete when they return, so [fabric.read-order] holds. Events and wakes at it are
 *     messages without data, sent after the data is written [fabric.write-order].
 */
#ifndef FABRIC_OFI_H
#define FABRIC_OFI_H

#include <assert.h>
#include <pthread.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <signal.h>

#include "fabric/fabric.h"
#include "fabric/shm/shm_queue.h"

#define OFI_PART        8192 /* bytes of a window in one message, at most */
#define OFI_PART_STREAM 131072
#define OFI_PART_LONG   1048576 /* of fabric_write_long over streams */
#define OFI_SMALL       256     /* bytes of a write that is added to a message, at most */
#define OFI_PACKED      8192    /* bytes of such a message, at most */
#define OFI_JOINED      16384 /* bytes of several messages in one call, of threads of the program */
#define OFI_WAITERS     64    /* operations that wait for one answer, at most */
#define OFI_FLIGHT      32  /* unanswered requests at a node, at most; over streams of large ones */
#define OFI_FLIGHT_MOST 128 /* over streams of all, as many pages as delays of a network hold */
#define OFI_ADDRESS     128 /* bytes of an endpoint's address at most */
#define OFI_SECRET      16  /* bytes */

enum ofi_kind {
    OFI_ANSWER,
    OFI_PING,
    OFI_READ,
    OFI_WRITE,
    OFI_WRITE_EVENT,
    OFI_WRITE_URGENT,
    OFI_WRITE_WAKE,
    OFI_CAS,
    OFI_ADD,
    OFI_EXCHANGE,
    OFI_KINDS
};

/* A message; `len` bytes of data follow if it carries some, from ofi_data on. The whole is a
 * multiple of 8 bytes. */
struct ofi_message {
    unsigned char secret[OFI_SECRET]; /* [ofi.secret] */
    uint16_t kind, from;
    uint16_t win;
    uint16_t woke; /* of an answer: the request woke a thread */
    uint32_t id;   /* of the request's buffer at its sender */
    uint32_t len;
    uint64_t off;
    /* operands of an atomic; a: previous value in its answer, or of an OFI_WRITE the bytes of the
     * further writes (struct ofi_part) after its data */
    uint64_t a, b;
    uint32_t imm, unused;
};

static_assert(sizeof(struct ofi_message) % 8 == 0, "a stream keeps messages aligned");

/* A further write of a message; its data follows as that of a message. */
struct ofi_part {
    uint64_t off;
    uint32_t len;
    uint16_t win, unused;
};

static_assert(sizeof(struct ofi_part) % 8 == 0, "the data of a part is aligned");

/* Bytes of data in a message, or in a part. */
static inline size_t ofi_data_bytes(uint64_t off, size_t len)
{
    return len ? (off % 8 + len + 7) / 8 * 8 : 0;
}

/* Data begins at off % 8, so that both ends have one alignment [fabric.whole-word]. */
static inline const void *ofi_data(const struct ofi_message *m)
{
    return (const char *)(m + 1) + m->off % 8;
}

static inline void *ofi_room(struct ofi_message *m)
{
    return (char *)(m + 1) + m->off % 8;
}

/* A buffer for one message. */
struct ofi_slot {
    struct fi_context2 context; /* first: names the slot to libfabric */
    struct ofi_slot *next;
    bool receives, sending, answered;
    int peer;  /* -1: not known before the message is (datagrams) */
    bool open; /* the last unsent message, to which writes are added; list_lock */
    struct fabric_op *waiter[OFI_WAITERS]; /* of a request: lowered when it is answered */
    int waiters;
    void *dst;                  /* where the answer's data goes */
    bool placed;                /* it is received there: an access does not fault */
    const char *source;         /* the data of this message, which is not in it; NULL: it is */
    struct ofi_message message; /* last: its data follows */
};

struct ofi_list {
    struct ofi_slot *first, *last;
};

/* The bytes of an answer's data that are received at their destination. The message in the buffer
 * lacks them. */
struct ofi_gap {
    size_t at, bytes; /* a multiple of 8, so that the next message stays aligned; 0: none */
    char *to;         /* where the next of them goes */
    size_t left;      /* have not arrived */
};

/* With net_lock. */
struct ofi_stream {
    bool open;
    int fd;   /* libfabric's, which closes it */
    char *in; /* arrived and not yet performed: [from, to) */
    size_t from, to;
    struct ofi_gap gap; /* of the message at `from` */
    uint64_t received;  /* bytes */
    size_t sent;        /* bytes of the first unsent message that the kernel has taken */
    bool full, watched; /* the kernel took not all; the progress thread waits for that */
};

struct ofi_peer {
    struct fid_ep *ep; /* connected to this peer, or the only one */
    fi_addr_t address; /* of a peer without connection */
    bool connected;
    unsigned char secret[OFI_SECRET];
    int64_t lost_ns; /* when its connection broke; 0: it did not */
    struct ofi_list unsent;
    uint64_t queued;                /* requests in it; with list_lock */
    _Atomic uint64_t started, done; /* requests */
    _Atomic uint64_t bulk;          /* unanswered ones of more than OFI_PART bytes */
    _Atomic uint64_t placed;        /* unanswered ones whose answer is received in its place */
    struct fabric_op check;         /* the ping that tests whether it answers */
    int64_t checked_ms;
    struct ofi_stream stream;
};

struct ofi_window {
    size_t size; /* 0: none */
    int fd;
    /* by node: this node's, and with `mixed` near peers' too; else NULL */
    char *at[NODES_MAX];
};

/* In memory that near peers map: they count what they move. */
struct ofi_traffic {
    _Atomic uint64_t in, out;
};

struct ofi_fabric {
    struct fabric head;
    struct fabric_job job;
    struct fi_info *info;
    struct fid_fabric *net;
    struct fid_domain *domain;
    struct fid_pep *listener; /* with connections; closed when all exist */
    struct fid_eq *eq;
    struct fid_ep *ep; /* without connections */
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_mr *mr;
    int cq_fd; /* readable when there are completions; -1: the provider has none */

    bool local; /* all nodes are on this host */
    bool mixed;
    bool near[NODES_MAX]; /* with `mixed` */
    bool streams;         /* messages are sent by sockets of TCP */
    unsigned char secret[OFI_SECRET];
    uint64_t refused; /* connections and messages without it */

    pthread_mutex_t net_lock;  /* also guards free_answers, held and unposted */
    pthread_mutex_t list_lock; /* guards free_requests, and `unsent` and `started` of peers */
    char *slots;               /* ofi_link_slot */
    size_t slot_count, slot_bytes, part;
    uint64_t flight;
    struct ofi_list free_requests, free_answers, held, unposted;
    _Atomic int unsent;      /* messages in all peers' lists */
    bool stuck;              /* libfabric took not all of them; with net_lock */
    char joined[OFI_JOINED]; /* messages that are sent by one call; with net_lock */
    struct ofi_peer peer[NODES_MAX];
    struct ofi_window window[FABRIC_WINDOWS], traffic; /* traffic: struct ofi_traffic */
    _Atomic int windows;

    pthread_t progress;
    bool progress_runs;
    _Atomic bool closing, ends;    /* peers may be gone; the progress thread ends */
    _Atomic bool dozing;           /* the progress thread sleeps, or is about to */
    int kick_fd;                   /* wakes it */
    int wait_fd;                   /* readable when kick_fd or a stream is */
    _Atomic uint32_t naps;         /* the progress thread naps */
    _Atomic uint64_t polls;        /* by threads of the program */
    uint64_t served;               /* requests of other nodes; with net_lock */
    int64_t yield_until, yield_ns; /* the progress thread: not to spin before; for that long */
    _Atomic int sleepers;

    struct shm_queue *queue;
    _Atomic uint64_t reads, writes, atomics, wakes;
};

static inline struct ofi_fabric *ofi_of(struct fabric *f)
{
    return (struct ofi_fabric *)f;
}

static inline struct ofi_traffic *ofi_traffic_of(struct ofi_fabric *o, int node)
{
    return (struct ofi_traffic *)(void *)o->traffic.at[node];
}

static inline void ofi_count(_Atomic uint64_t *counter, uint64_t by)
{
    atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* Compares all bytes whatever they are: the time says nothing about the secret. */
static inline bool ofi_same_secret(const unsigned char *a, const unsigned char *b)
{
    unsigned char differ = 0;
    for (int i = 0; i < OFI_SECRET; i++)
        differ |= a[i] ^ b[i];
    return differ == 0;
}

static inline bool ofi_connects(const struct ofi_fabric *o)
{
    return o->info->ep_attr->type == FI_EP_MSG;
}

/* ofi_choose.c */
/* Chooses the provider and the interface: sets o->info. `why` gets the reason if there is none. */
int ofi_choose(struct ofi_fabric *o, char *why, size_t len);
void ofi_choose_end(struct ofi_fabric *o);
/* Providers install handlers of signals, SIGSEGV among them: the actions from before are restored,
 * with a check of each. */
struct ofi_signals {
    struct sigaction action[32];
};
void ofi_choose_save(struct ofi_signals *out);
void ofi_choose_restore(const struct ofi_signals *before);
int ofi_choose_open(struct ofi_fabric *o); /* opens the network of that provider */
void ofi_choose_free(struct fi_info *info);
const char *ofi_choose_error(int err);            /* of libfabric, positive or negative */
int ofi_probe(char *why, size_t len);             /* as fabric_probe */
void ofi_describe(void (*say)(const char *line)); /* as fabric_describe */

/* ofi_numa.c: as the kernel gives it, from the CPU of this thread: 10 is the same NUMA node; -1
 * unknown */
int ofi_numa_distance(const struct fi_info *info);

/* ofi_connect.c: 0, or a negative error of libfabric and a reason in why[len] */
int ofi_connect_start(struct ofi_fabric *o); /* this node's listener or endpoint */
/* Collective: to all other nodes, with the secrets that the launcher hands out. */
int ofi_connect(struct ofi_fabric *o, char *why, size_t len);
void ofi_connect_end(struct ofi_fabric *o);

/* ofi_link.c */
int ofi_link_start(struct ofi_fabric *o); /* this node's buffers and completion queue */
void ofi_link_end(struct ofi_fabric *o);
void ofi_link_post(struct ofi_fabric *o, int peer); /* posts the receives for this peer */
/* Starts a request, once there is room for it. `with` is its head; the data is copied. `more`: it
 * is sent with the next one, or by ofi_link_send_queued, one of which follows at once. */
void ofi_link_request(struct ofi_fabric *o, int peer, const struct ofi_message *with,
                      const void *src, struct fabric_op *op, void *dst, bool more);
/* The same, but the data is sent from `src`, or received at `dst`: a write of more than OFI_SMALL
 * bytes, or a read, over a stream. The memory does not fault, and stays mapped until the answer. */
void ofi_link_request_placed(struct ofi_fabric *o, int peer, const struct ofi_message *with,
                             const void *src, struct fabric_op *op, void *dst, bool more);
void ofi_link_send_queued(struct ofi_fabric *o, int peer);
/* Performs and takes what has arrived; true if something of a stream has. */
bool ofi_link_progress(struct ofi_fabric *o);
_Noreturn void ofi_fail(struct ofi_fabric *o, const char *what, int peer, const char *why);
_Noreturn void ofi_fail_silent(struct ofi_fabric *o, int peer); /* it no longer answers */
/* With net_lock: */
bool ofi_link_advance(struct ofi_fabric *o);        /* as ofi_link_progress */
void ofi_link_lose(struct ofi_fabric *o, int peer); /* its connection is broken */
size_t ofi_link_bytes(const struct ofi_message *m);
bool ofi_link_is_from_job(struct ofi_fabric *o, const struct ofi_message *m, size_t len);
bool ofi_link_is_sound(struct ofi_fabric *o, int peer, const struct ofi_message *m);
/* Where the data of this answer is received; NULL: in a buffer. */
char *ofi_link_place_of(struct ofi_fabric *o, const struct ofi_message *m);
/* Takes an answer, which may have a gap, or performs a request: its answer is in `unsent`. */
void ofi_link_take_message(struct ofi_fabric *o, const struct ofi_message *m,
                           const struct ofi_gap *gap);
/* The oldest unsent messages to this peer. */
int ofi_link_unsent(struct ofi_fabric *o, struct ofi_peer *p, struct ofi_slot **out, int most);
void ofi_link_sent(struct ofi_fabric *o, struct ofi_peer *p, struct ofi_slot **sent, int count);

/* ofi_pack.c */
/* Registers the operation for the answer. False: there are too many. With list_lock, or before the
 * message is queued. */
bool ofi_pack_wait(struct ofi_slot *s, struct fabric_op *op);
bool ofi_pack_takes(const struct ofi_message *m); /* is small, and without effects but its write */
/* Adds a write to the last unsent message; false: there is none, or no room. *stays: it waits with
 * it [ofi.burst]. */
bool ofi_pack_add(struct ofi_fabric *o, int peer, const struct ofi_message *with, const void *src,
                  struct fabric_op *op, bool *stays);
bool ofi_pack_stays(struct ofi_fabric *o, int peer); /* the unsent message [ofi.burst] */

/* ofi_long.c: as fabric_read_long and fabric_write_long */
void ofi_long_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                   struct fabric_op *op);
void ofi_long_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                    struct fabric_op *op);

/* ofi_stream.c */
/* Takes the sockets of all connections, none of which is used yet. 0 or a negative error of
 * libfabric. */
int ofi_stream_take_all(struct ofi_fabric *o);
void ofi_stream_end(struct ofi_fabric *o);
/* With net_lock: */
void ofi_stream_flush(struct ofi_fabric *o, int peer);
bool ofi_stream_receive(struct ofi_fabric *o); /* true: something has arrived */
void ofi_stream_lose(struct ofi_fabric *o, int peer);
void ofi_stream_watch(struct ofi_fabric *o); /* before the progress thread blocks */
/* The peer's kernel has confirmed nothing for `ms`, although it had to [ofi.kernel-answers]. */
bool ofi_stream_silent(struct ofi_fabric *o, int peer, int64_t ms);

/* ofi_progress.c */
int ofi_progress_start(struct ofi_fabric *o);
void ofi_progress_end(struct ofi_fabric *o);
void ofi_progress_kick(struct ofi_fabric *o);  /* lets the thread send unsent messages */
void ofi_progress_rouse(struct ofi_fabric *o); /* ends its nap: the caller will sleep */

/* ofi_serve.c */
/* Performs a request of `from` at the windows of node `at`, whose data is at `in`; what it reads
 * goes to `out`, and *answer gets the rest of the result. */
void ofi_serve(struct ofi_fabric *o, int at, int from, const struct ofi_message *request,
               const void *in, void *out, struct ofi_message *answer);

#endif
