/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public interface of HLRC, with the headers that it includes at its end, and its manual.
 * scripts/mkman turns each block that opens with two stars into a page of section 3, the first
 * block into hlrc(7). `make check` fails if a prototype has no block.
 *
 * Form of a block: "names - purpose", then paragraphs, then the sections RETURN VALUE, ERRORS,
 * NOTES and SEE ALSO, in this order, each opened by its name and a colon. Lines indented by four
 * spaces are lists or code. A block describes all prototypes between it and the next block.
 */
#ifndef HLRC_H
#define HLRC_H

#include <stddef.h>
#include <stdint.h>

#define HLRC_VERSION_MAJOR  1
#define HLRC_VERSION_MINOR  0
#define HLRC_VERSION_PATCH  0
#define HLRC_VERSION_STRING "1.0.0"
/* The version as one number: 0xMMmmpp. */
#define HLRC_VERSION \
    (HLRC_VERSION_MAJOR * 0x10000 + HLRC_VERSION_MINOR * 0x100 + HLRC_VERSION_PATCH)

/* Locks 0 to HLRC_STATIC_LOCKS-1 exist from the start. */
#define HLRC_STATIC_LOCKS 1024
/* Maximum number of nodes in a job. */
#define HLRC_MAX_NODES 1024
/* In place of a time in nanoseconds: no limit, as any negative time. */
#define HLRC_FOREVER (-1)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * hlrc - shared memory across the processes of a cluster
 *
 * A program that uses HLRC runs as several processes, the nodes of a job. Memory from
 * hlrc_malloc() or hlrc_malloc_all() has the same address and the same contents on all nodes. The
 * program reads and writes it by ordinary loads and stores, and may store pointers into it in it.
 * Pages move on demand: the first access to a page that is out of date fetches it from its home
 * node.
 *
 * The memory model is lazy release consistency. A node sees the writes of another node only after
 * that node has released and the reader has then acquired: by a lock, a barrier, a condition
 * variable or a collective call. A program without data races behaves as on one machine. Two nodes
 * may write different bytes of one page at the same time.
 *
 * A collective call is made by every node, by one thread of each, in the same order on all nodes,
 * and orders memory as hlrc_barrier() does. A call that is collective among some nodes is made by
 * those nodes. Between hlrc_init() and hlrc_finalize() any number of threads may make all other
 * calls concurrently. Memory passed to a call may be shared memory, unless the call says
 * otherwise.
 *
 * Functions that can fail return 0, or a value that their page names, or a negative errno value;
 * hlrc_strerror() describes it. Functions that return a pointer return NULL with errno set. Then
 * nothing has changed, unless the page says otherwise. An error of the program itself ends the job:
 * a call before hlrc_init(), the unlock of a lock that is not held, a handle that was never
 * created. One line says what happened and what to do, and the exit status is not zero.
 *
 * Synchronization between threads of one process does not reach other nodes. C11 and compiler
 * atomics, a flag in a spin loop, mutexes and other objects of pthreads, and futexes act on this
 * node's copy of a page. In shared memory two nodes may then add to the same old value, both hold
 * the mutex, or never see the flag. Use hlrc_lock() instead of a mutex, hlrc_cond_wait() or a
 * barrier instead of a flag, and hlrc_word_fetch() or hlrc_atomic_fetch_add() instead of atomics.
 * Threads of one node may use mutexes and atomics in private memory.
 *
 * A minimal program:
 *
 *     #include <hlrc.h>
 *     #include <stdio.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         if (hlrc_init(&argc, &argv) != 0)
 *             return 1;
 *         long *sum = hlrc_malloc_all(sizeof *sum);
 *         if (sum == NULL)
 *             return 1;
 *         hlrc_lock(0);
 *         *sum += hlrc_node_id();
 *         hlrc_unlock(0);
 *         hlrc_barrier();
 *         if (hlrc_node_id() == 0)
 *             printf("%ld\n", *sum);
 *         hlrc_finalize();
 *         return 0;
 *     }
 *
 * Build it with the flags from pkg-config and start it with hlrcrun:
 *
 *     cc -o sum sum.c $(pkg-config --cflags --libs hlrc)
 *     hlrcrun -n 4 --protocol ardmar ./sum
 *
 * A signal handler may read and write shared memory, and makes no call of HLRC. If it interrupts
 * its thread inside an HLRC call, such an access ends the job with one line, unless the job was
 * started with --signals mask. That option blocks the signals that the program handles during a
 * call, at a cost of two system calls per call. Signals of errors, and SIGTERM, SIGINT, SIGQUIT,
 * SIGHUP and SIGTSTP, are not blocked. During a page fetch the program's signals are blocked in
 * any case.
 *
 * A system call that is given shared memory fails with EFAULT where a page of it is not accessible
 * at that moment, unless the job was started with --syscalls touch (or auto, where that is
 * possible). Then a SIGSYS handler makes the call with private memory and copies the data. For
 * details see hlrc_touch(), and SYSTEM CALLS in hlrcrun(1).
 *
 * Valgrind runs a node like any program if it keeps registers exact at memory accesses; without
 * that option hlrc_init() fails.
 *
 *     hlrcrun -n 2 valgrind --vex-iropt-register-updates=allregs-at-mem-access ./sum
 *
 * If all threads of all nodes wait for each other in locks, barriers and condition variables, the
 * deadlock detector ends the job after some seconds. A line for each thread says what it waits for
 * and which thread or node it depends on. A job with a thread that computes, or waits in a system
 * call of the program, is not deadlocked. hlrcrun(1) has more.
 *
 * A program may be built with -fsanitize=address or -fsanitize=thread. The latter knows the order
 * that HLRC establishes, and reports data races between the threads of a node. Neither sees races
 * between nodes. hlrcrun --check races reports two nodes that write the same bytes with no lock,
 * barrier or other call ordering the two, with their source lines; see DATA RACES in hlrcrun(1).
 *
 * If a program dies of SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT without handling it, a crash
 * report gives the node, the thread, the signal, the address and a description of the address.
 * Then come the calls on the stack with their functions, and with source lines if the program has
 * them (-g) and addr2line is installed:
 *
 *     hlrc: node 2, thread 0: SIGSEGV at 0x10: not shared memory: write through a NULL pointer
 *     hlrc: node 2: #0 insert at tree.c:83
 *
 * Then the signal ends the process with its default action. Core dumps contain no shared memory;
 * with --core full they contain the pages that the node has accessed.
 *
 * NOTES: HLRC handles SIGSEGV and keeps it unblocked even if the program blocks it. Faults outside
 * shared memory go to the handler that was installed before hlrc_init(). A handler that the
 * program sets later, by sigaction() or signal(), does not replace HLRC's: the library defines
 * both functions for the signals above, and passes to that handler each signal that is not a page
 * fault. Before the first such crash is passed on, its crash report is printed. A handler that a
 * library sets later does replace HLRC's, and page faults then go there; load such libraries
 * before hlrc_init(). A thread that uses HLRC gets an alternate signal stack (sigaltstack), unless
 * it had one. So a thread's own stack may lie in shared memory, if it makes no HLRC call on that
 * stack. A child made by fork() after hlrc_init() may only call an exec function or _exit().
 *
 * SEE ALSO: hlrc_init, hlrc_malloc, hlrc_malloc_all, hlrc_share, hlrc_lock, hlrc_barrier,
 * hlrc_window_create, hlrcrun(1)
 */

/* A lock: its number, a plain value, which may be stored in shared memory and passed to other
 * nodes. */
typedef uint32_t hlrc_lock_t;
/* Other handles are plain values as well, of a type each: the compiler rejects a condition variable
 * in place of an atomic word. The number `id` is only for messages. */
typedef struct {
    uint32_t id;
} hlrc_cond_t;

/**
 * hlrc_init - join the job
 *
 * Makes the calling process a node of the job it was started in, maps the shared space and starts
 * handling page faults. Every node calls it once, before any other call except hlrc_version(),
 * hlrc_strerror() and hlrc_share(). It returns when all nodes have called it. A program started
 * without hlrcrun is a job of one node.
 *
 * Options come from the environment, as HLRC_PROTOCOL, HLRC_MEMORY and so on, where hlrcrun puts
 * the options of its command line. `argc` and `argv` are the addresses of main's arguments, or
 * NULL. They exist for launchers that pass options in them, and are not changed.
 *
 * RETURN VALUE: 0, or a negative errno value after a line on standard error that gives cause,
 * value, limit and remedy. After EALREADY the job continues. After any other error only
 * hlrc_version() and hlrc_strerror() may be called.
 *
 * ERRORS:
 *     EINVAL    an option is unknown, malformed or out of range, or the nodes differ in version,
 *               page size or options
 *     ENOTSUP   an option requests a feature that this build or this machine does not have
 *     ENOMEM    the machine cannot back the shared space, or no common address is free on all
 *               nodes
 *     EALREADY  the process has called hlrc_init() or hlrc_init_with() before
 *
 * NOTES: All nodes need the same executable. A pointer to a function or to a string literal does
 * not become valid on another node because it is stored in shared memory. To share pointers to
 * functions, run with --no-aslr.
 *
 * SEE ALSO: hlrc_finalize, hlrc_node_id, hlrc_version, hlrcrun(1), hlrc_info(1)
 */
int hlrc_init(int *argc, char ***argv);

/* How the nodes of a job find each other, for hlrc_init_with(). */
struct hlrc_exchange {
    size_t size; /* bytes of this struct, set by the caller */
    int node;    /* number of this node, from 0 */
    int nodes;   /* how many there are */
    /* copies `bytes` bytes at `mine` of each node to `all`, in the order of the nodes; 0 if done */
    int (*gather)(const void *mine, size_t bytes, void *all, void *arg);
    void *arg; /* passed to it */
};

/**
 * hlrc_init_with - join a job of some processes
 *
 * hlrc_init() for processes that the program connects itself: some ranks of an MPI job, or forked
 * processes. It uses no launcher. The nodes of the job, and no others, call it with the same number
 * `nodes`, each with another number `node`. gather() is called on all of them in the same order, by
 * one thread at a time: until hlrc_init_with() returns, and in hlrc_finalize(). Jobs of other
 * processes may exist at the same time.
 *
 *     static int gather(const void *mine, size_t bytes, void *all, void *arg)
 *     {
 *         return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE,
 *                              *(MPI_Comm *)arg);
 *     }
 *
 *     struct hlrc_exchange e = { sizeof e, rank, ranks, gather, &half_of_the_ranks };
 *     if (hlrc_init_with(&e) != 0)
 *         return 1;
 *
 * RETURN VALUE: As hlrc_init().
 *
 * ERRORS:
 *     EINVAL  no function, or numbers of nodes that do not exist; or as hlrc_init()
 *
 * NOTES: Options come from the environment. If a node ends without hlrc_finalize() those on its
 * host end, with status 1 and a line that names it. Nodes on other hosts are ended by what started
 * the processes, or by the network.
 *
 * SEE ALSO: hlrc_init, hlrc_finalize
 */
int hlrc_init_with(const struct hlrc_exchange *exchange);

/**
 * hlrc_finalize - leave the job
 *
 * Collective. Waits until all nodes have called it, writes the statistics if they were requested,
 * and unmaps the shared space. Pointers into the space become invalid, except pointers to memory
 * of hlrc_share(). A node that ends without this call counts as dead, and the whole job ends with
 * it. No other call except hlrc_version() and hlrc_strerror() may follow.
 *
 * NOTES: No other thread of the process may be in a call or access shared memory during this call.
 *
 * SEE ALSO: hlrc_init
 */
void hlrc_finalize(void);

/**
 * hlrc_exit - end the job from here
 *
 * Ends all nodes of the job at once, whatever they are doing, and the calling process. The exit
 * status of the job is `status`, of which only the low 8 bits count; no message is printed. Any
 * thread of any node may call it. It waits for nothing and runs no exit handler. Buffered output
 * of stdio is lost, on this node too: call fflush() before.
 *
 * If several nodes call it, the first call counts.
 *
 * RETURN VALUE: It does not return.
 *
 * NOTES: Under launchers other than hlrcrun the status 0 is not possible in this way: the job ends
 * with a line and status 1.
 *
 * SEE ALSO: hlrc_finalize, hlrcrun(1)
 */
void hlrc_exit(int status);

/**
 * hlrc_node_id, hlrc_node_count - number of this node, number of nodes
 *
 * The nodes of a job are numbered from 0. Both numbers stay the same from hlrc_init() to
 * hlrc_finalize().
 *
 * RETURN VALUE: hlrc_node_id() returns the number of this node, hlrc_node_count() the number of
 * nodes in the job, 1 to HLRC_MAX_NODES.
 *
 * SEE ALSO: hlrc_init
 */
int hlrc_node_id(void);
int hlrc_node_count(void);

/**
 * hlrc_version - version of the library
 *
 * The version of the library that the program runs with; HLRC_VERSION_STRING is the version of the
 * header that the program was compiled with. It may be called at any time.
 *
 * RETURN VALUE: A constant string such as "1.0.0".
 *
 * SEE ALSO: hlrc_init
 */
const char *hlrc_version(void);

/**
 * hlrc_strerror - description of an error
 *
 * `error` is what a call returned, or an errno value: both signs mean the same. It may be called at
 * any time, in a signal handler too.
 *
 * RETURN VALUE: A constant string, in English. For a number that means nothing it is "unknown
 * error".
 *
 * SEE ALSO: hlrc_init
 */
const char *hlrc_strerror(int error);

/**
 * hlrc_broadcast - copy a private buffer to all nodes
 *
 * Collective. Copies the `len` bytes at `buf` on node `root` to `buf` on all others. The buffers
 * are private memory, and may lie at different addresses. Every node passes the same `len` and
 * `root`.
 *
 * RETURN VALUE: 0, or a negative errno value on every node.
 *
 * ERRORS:
 *     EINVAL  `root` is not a node of the job
 *
 * SEE ALSO: hlrc_malloc_all, hlrc_barrier
 */
int hlrc_broadcast(void *buf, size_t len, int root);

/**
 * hlrc_lock_create, hlrc_lock_destroy - create and destroy a lock
 *
 * hlrc_lock_create() stores the handle of a new lock, free, in *`lock`. Every node that has the
 * handle may use it. Locks are cheap: a node may create a million, or one per KiB of the space.
 * hlrc_lock_destroy() removes a lock that no thread holds or waits for; its handle may be reused.
 *
 * Locks 0 to HLRC_STATIC_LOCKS-1 exist from the start; to destroy one of them does nothing.
 *
 * RETURN VALUE: hlrc_lock_create() returns 0, or a negative errno value and leaves *`lock`
 * unchanged.
 *
 * ERRORS:
 *     ENOMEM  no more locks
 *
 * SEE ALSO: hlrc_lock
 */
int hlrc_lock_create(hlrc_lock_t *lock);
void hlrc_lock_destroy(hlrc_lock_t lock);

/**
 * hlrc_lock, hlrc_trylock, hlrc_lock_for, hlrc_unlock - mutual exclusion, and order of memory
 *
 * At most one thread of all nodes holds a lock. hlrc_lock() waits until the lock is free,
 * hlrc_trylock() does not, and hlrc_lock_for() for at most `timeout` nanoseconds, or without a
 * limit if that is negative (HLRC_FOREVER). Locking is an acquire: all that the previous holders
 * had written or seen is now visible here. hlrc_unlock() is a release. Locks are not recursive.
 * Relocking a lock that was last held on this node costs no message.
 *
 * RETURN VALUE: hlrc_trylock() and hlrc_lock_for() return 0 if they acquired the lock, otherwise
 * -EBUSY and -ETIMEDOUT; then nothing has changed.
 *
 * ERRORS:
 *     EBUSY      the lock is held (hlrc_trylock())
 *     ETIMEDOUT  the lock was held all the time (hlrc_lock_for())
 *
 * NOTES: hlrc_lock_for() tries again and again: it has no place in the queue of a lock, and its
 * thread does not count as waiting for the deadlock detector. An unlock of a lock that is not held,
 * a handle that does not exist, or a second hlrc_lock() by the thread that holds the lock ends the
 * job. hlrc_finalize() reports a lock that is still held in a line.
 *
 * SEE ALSO: hlrc_lock_create, hlrc_cond_wait, hlrc_barrier
 */
void hlrc_lock(hlrc_lock_t lock);
int hlrc_trylock(hlrc_lock_t lock);
int hlrc_lock_for(hlrc_lock_t lock, int64_t timeout);
void hlrc_unlock(hlrc_lock_t lock);

/**
 * hlrc_barrier, hlrc_barrier_arrive, hlrc_barrier_test, hlrc_barrier_depart - wait for all nodes
 *
 * Collective: one thread calls for its node. hlrc_barrier() returns when all nodes have called it.
 * All writes of any node before the barrier are then visible to all.
 *
 * hlrc_barrier_arrive() followed by hlrc_barrier_depart() is the same barrier in two steps, with
 * work between them that depends on no other node. Arrival releases the writes before it. Writes
 * between the two steps become visible to others at a later release. After departure, all that
 * other nodes wrote before they arrived is visible. Between the two hlrc_barrier_test() shows
 * whether departure would wait for a node that has not arrived; it makes nothing visible.
 *
 * RETURN VALUE: hlrc_barrier_test() returns 1 if all nodes have arrived, otherwise 0.
 *
 * NOTES: All nodes make the same collective calls in the same order. If they are in different ones
 * at the same time, hlrc_finalize() included, the job ends and one line names both calls. Arrival
 * twice without departure, or departure without arrival, ends the job. Between the two the only
 * collective call allowed is hlrc_group_barrier(). With --barrier pairs other nodes may have to
 * wait until this node departs or tests. There a node must not wait, between the two steps, for
 * work that other nodes do after the barrier.
 *
 * SEE ALSO: hlrc_group_barrier, hlrc_lock, hlrc_cond_wait
 */
void hlrc_barrier(void);
void hlrc_barrier_arrive(void);
int hlrc_barrier_test(void);
void hlrc_barrier_depart(void);

/**
 * hlrc_cond_create, hlrc_cond_destroy - create and destroy a condition variable
 *
 * hlrc_cond_create() stores the handle of a new condition variable in *`cond`. Every node that has
 * the handle may use it. hlrc_cond_destroy() removes a condition variable that no thread waits
 * for; its handle may be reused.
 *
 * RETURN VALUE: hlrc_cond_create() returns 0, or a negative errno value and leaves *`cond`
 * unchanged.
 *
 * ERRORS:
 *     ENOMEM  no more condition variables
 *
 * SEE ALSO: hlrc_cond_wait
 */
int hlrc_cond_create(hlrc_cond_t *cond);
void hlrc_cond_destroy(hlrc_cond_t cond);

/**
 * hlrc_cond_wait, hlrc_cond_wait_for, hlrc_cond_signal, hlrc_cond_broadcast - wait for a signal of
 * another thread
 *
 * hlrc_cond_wait() releases `lock`, which the caller holds, and waits; no signal sent after the
 * release is missed. Before it returns it acquires the lock again. hlrc_cond_wait_for() waits for a
 * signal at most `timeout` nanoseconds, or without a limit if that is negative. hlrc_cond_signal()
 * wakes one waiting thread, hlrc_cond_broadcast() wakes all, on any node. If no thread waits they
 * do nothing.
 *
 * Memory is ordered by the lock, as with hlrc_unlock() and hlrc_lock().
 *
 * RETURN VALUE: hlrc_cond_wait_for() returns 0, or -ETIMEDOUT. Either way it holds the lock again.
 *
 * ERRORS:
 *     ETIMEDOUT  no signal came within that time
 *
 * NOTES: A wait whose time is over wakes all threads that wait on the condition variable. A thread
 * may wake without a signal, or find that another thread was faster: test the condition in a loop.
 * Signal while holding the lock under which the condition was changed. All threads that wait on one
 * condition variable at a time use the same lock.
 *
 * SEE ALSO: hlrc_cond_create, hlrc_lock
 */
void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock);
int hlrc_cond_wait_for(hlrc_cond_t cond, hlrc_lock_t lock, int64_t timeout);
void hlrc_cond_signal(hlrc_cond_t cond);
void hlrc_cond_broadcast(hlrc_cond_t cond);

/**
 * hlrc_home - home node of an address
 *
 * The home of a page holds its reference copy; an access there needs no fetch. A page gets its
 * home at first use: with the one-sided protocols the first node that writes it, with the async
 * protocol the first node that requests it. A home chosen by hlrc_place() is fixed. Any other page
 * may migrate, in a barrier, to a node that keeps writing it while no other node does
 * (--move-homes). The call does not access the page.
 *
 * RETURN VALUE: The home node of the page of `addr`, -1 while it has none, or -EINVAL. In a job of
 * one node it is always that node.
 *
 * ERRORS:
 *     EINVAL  `addr` is not in shared memory
 *
 * SEE ALSO: hlrc_place
 */
int hlrc_home(const void *addr);

/**
 * hlrc_place - choose the home of pages
 *
 * Makes `node` the home of the pages that contain any of the `len` bytes at `addr`, if no node has
 * used them yet; their homes do not migrate. Any node may do this for pages that no other node
 * uses before the caller's next release.
 *
 * RETURN VALUE: 0, or a negative errno value.
 *
 * ERRORS:
 *     EINVAL  `node` is not a node of the job, or the range is not all in shared memory; nothing
 *             has changed
 *     EBUSY   some pages have another home already and keep it; the others were placed
 *
 * SEE ALSO: hlrc_home, hlrc_malloc_all
 */
int hlrc_place(void *addr, size_t len, int node);

/**
 * hlrc_prefetch - start to fetch pages
 *
 * Starts to fetch the pages of the `len` bytes at `addr` that are out of date here, and does not
 * wait for them. It is a hint: it does not change the result of the program.
 *
 * RETURN VALUE: 0, or a negative errno value.
 *
 * ERRORS:
 *     EINVAL  the range is not all in shared memory
 *
 * SEE ALSO: hlrc_touch
 */
int hlrc_prefetch(const void *addr, size_t len);

/**
 * hlrc_touch - make a range accessible now
 *
 * Makes the pages of the `len` bytes at `addr` readable, and writable if `write` is not 0, as a
 * load or store to each of them would. Call it before the range is passed to a system call, such
 * as read() or write(), which would otherwise fail with EFAULT (but see --syscalls).
 *
 * RETURN VALUE: 0, or a negative errno value.
 *
 * ERRORS:
 *     EINVAL  the range is not all in shared memory
 *
 * NOTES: It pins nothing: an acquire or release by another thread of this process can revoke the
 * access before the system call; other nodes cannot. A program with threads copies through private
 * memory, or keeps its other threads out of acquires and releases during the system call.
 *
 * SEE ALSO: hlrc_prefetch
 */
int hlrc_touch(void *addr, size_t len, int write);

/* Statistics of a node. New fields are added only at the end. */
struct hlrc_stats {
    size_t size;           /* bytes of this struct, set by the caller */
    double wall_s;         /* elapsed seconds: compute + page + lock + barrier + diff */
    double compute_s;      /* seconds in the program itself, fault handling included */
    double page_s;         /* seconds from the request for a page to its arrival */
    double lock_s;         /* seconds in condition variables, and in locks not acquired at once */
    double barrier_s;      /* seconds in barriers and collectives */
    double diff_s;         /* seconds making and sending diffs */
    double handler_s;      /* CPU seconds of the handler and worker threads, not part of wall_s */
    double fault_s;        /* seconds handling faults without fetches, part of compute_s */
    uint64_t read_faults;  /* faults by loads */
    uint64_t write_faults; /* faults by stores */
    uint64_t first_write_faults; /* write faults on pages that no node had written before */
    uint64_t page_fetches;       /* pages fetched from their home */
    uint64_t fetch_retries;      /* fetches repeated because the page was too old */
    uint64_t homes_assigned;     /* pages whose home became this node */
    uint64_t twins;              /* twins made, copies to compare with later */
    uint64_t diffs;              /* diffs sent or applied at home */
    uint64_t diff_bytes;         /* changed bytes in them */
    uint64_t write_notices;      /* pages announced by this node as written */
    uint64_t invalidations;      /* pages revoked because other nodes wrote them */
    uint64_t lock_acquires;      /* locks acquired */
    uint64_t barriers;           /* barriers departed from, group barriers included */
    uint64_t messages;           /* requests sent that a handler serves */
    uint64_t wakes;              /* sleepers woken on other nodes */
    uint64_t rdma_reads;         /* remote reads, also of this node's words */
    uint64_t rdma_writes;        /* remote writes, with or without immediate */
    uint64_t atomics;            /* remote atomics, also on this node's words */
    uint64_t bytes_in;           /* bytes from other nodes */
    uint64_t bytes_out;          /* bytes to other nodes */
    uint64_t fetch_round_trips;  /* sequential network round trips in page fetches */
    uint64_t hot_pages;          /* retained writable pages that a flush found changed */
    uint64_t hot_unchanged;      /* retained writable pages that a flush found unchanged */
    uint64_t ahead_pages;        /* readahead: pages opened or requested before a fault */
    uint64_t exclusive_pages;    /* home pages that became unshared: no longer tracked */
    uint64_t homes_moved;        /* pages whose home migrated here, their only writer */
    uint64_t lazy_releases;      /* unlocks of biased locks that deferred the publication */
    uint64_t evictions;          /* copies evicted to make room (--cache-size) */
    uint64_t renewed_pages;      /* copies updated instead of invalidated (--renew) */
    uint64_t log_overflows;      /* compactions of a full log of notices (--notices) */
    uint64_t word_ops;           /* operations of hlrc_word_fetch on shared memory */
    double kernel_s;       /* CPU seconds of the process in the kernel; a part lies in compute_s */
    uint64_t minor_faults; /* page faults that the kernel served alone, without reading a file */
    /* --checkpoint: the program was stopped, and then they were written while it ran */
    uint64_t checkpoints, checkpoint_pages, checkpoint_bytes, checkpoint_us, checkpoint_write_us;
};

/**
 * hlrc_stats_get, hlrc_stats_reset - statistics of this node
 *
 * hlrc_stats_get() fills in the fields of *`stats` that lie within its first `size` bytes. The
 * caller sets the field `size` to sizeof(struct hlrc_stats) before. Times are in seconds. The
 * numbers are this node's, since hlrc_init() or its last hlrc_stats_reset(), which clears them.
 *
 *     struct hlrc_stats stats = { .size = sizeof stats };
 *     hlrc_stats_get(&stats);
 *
 * NOTES: While other threads work, the fields may be of different moments. If the library is older
 * than the program, `size` becomes the number of bytes that were filled in, and the fields beyond
 * it are unchanged.
 *
 * SEE ALSO: hlrcrun(1)
 */
void hlrc_stats_get(struct hlrc_stats *stats);
void hlrc_stats_reset(void);

#ifdef __cplusplus
}
#endif

#include "hlrc_atomic.h"
#include "hlrc_group.h"
#include "hlrc_memory.h"
#include "hlrc_rma.h"
#include "hlrc_sync.h"

#endif
