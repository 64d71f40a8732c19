/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The public interface of HLRC, with hlrc_memory.h, hlrc_rma.h and hlrc_sync.h, and its manual:
 * scripts/mkman turns each block that opens with two stars into a page of section 3 (the first
 * block into hlrc(7)), and `make check` fails where a prototype has no block.
 *
 * Form of a block: "names - what they are for", then paragraphs, then the sections RETURN VALUE,
 * ERRORS, NOTES and SEE ALSO, in this order, each opened by its name and a colon. Lines indented by
 * four spaces are lists or code. A block speaks for all prototypes between it and the next block.
 */
#ifndef HLRC_H
#define HLRC_H

#include <stddef.h>
#include <stdint.h>

#define HLRC_VERSION_MAJOR  0
#define HLRC_VERSION_MINOR  1
#define HLRC_VERSION_PATCH  0
#define HLRC_VERSION_STRING "0.1.0"
/* One number to compare: 0xMMmmpp. */
#define HLRC_VERSION \
    (HLRC_VERSION_MAJOR * 0x10000 + HLRC_VERSION_MINOR * 0x100 + HLRC_VERSION_PATCH)

/* Locks 0 .. HLRC_STATIC_LOCKS-1 exist from the start. */
#define HLRC_STATIC_LOCKS 1024
/* Most nodes in a job. */
#define HLRC_MAX_NODES 1024
/* Most groups that have the same node as their lowest. */
#define HLRC_MAX_GROUPS 64

#ifdef __cplusplus
extern "C" {
#endif

/**
 * hlrc - shared memory across the processes of a cluster
 *
 * A program that uses HLRC is started as several processes, the nodes of a job. Memory from
 * hlrc_malloc() or hlrc_malloc_all() has the same address and the same contents on all of them; it
 * is read and written by ordinary loads and stores, and pointers into it may be stored in it. Pages
 * travel on demand: the first touch of a page whose contents are out of date fetches it from the
 * node that is its home.
 *
 * The memory model is lazy release consistency. What a node wrote is seen by another one only after
 * the first has released and the second has then acquired: by a lock, a barrier, a condition
 * variable or a collective call. A program without data races behaves as it would on one machine;
 * two nodes may write different bytes of one page at the same time.
 *
 * A call marked collective is made by every node, by one thread of each, in the same order on all,
 * and orders memory as hlrc_barrier() does; one marked as collective among some nodes, by those.
 * All other calls, between hlrc_init() and hlrc_finalize(), may be made by any number of threads at
 * once. Memory passed to a call may itself be shared memory, unless the call says otherwise.
 *
 * Functions that can fail return 0 or a negative errno value, those that return a pointer NULL with
 * errno set. What the program itself does wrong (a call before hlrc_init(), the unlock of a lock
 * that is not held, a handle that was never created) ends the job: one line says what happened and
 * what to do, and the exit status is not zero.
 *
 * What keeps threads of one process together does not reach other nodes. C11 atomics and those of
 * the compiler, a flag that is spun on, mutexes and other objects of pthreads, and futexes act on
 * this node's copy of a page: in shared memory, two nodes add to the same value, both hold the
 * mutex, and who waits for a flag may never see it. Use hlrc_lock() instead of a mutex,
 * hlrc_cond_wait() or a barrier instead of a flag, hlrc_fetch_op() or hlrc_atomic_fetch_add()
 * instead of atomics; threads of one node have mutexes and atomics of their own in private memory.
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
 * It is built with the flags that pkg-config gives and started by hlrcrun:
 *
 *     cc -o sum sum.c $(pkg-config --cflags --libs hlrc)
 *     hlrcrun -n 4 --protocol ardmar ./sum
 *
 * A signal handler may read and write shared memory. One that interrupts its thread in the midst of
 * a call of HLRC cannot be served there: such a touch ends the job with one line, unless the job
 * was started with --signals mask, which holds the signals that a program handles (not SIGTERM,
 * SIGINT, SIGQUIT, SIGHUP and SIGTSTP, and not those of errors) back while a call is at work; it
 * costs two system calls for each. While a page is fetched they are held back in any case. A signal
 * handler makes no call of HLRC.
 *
 * A system call that is given shared memory fails with EFAULT where a page of it is not accessible
 * at that moment, unless the job was started with --syscalls touch (or auto, where that can be):
 * then a handler of SIGSYS makes it with memory of its own; see hlrc_touch(), and SYSTEM CALLS in
 * hlrcrun(1).
 *
 * Valgrind sees a node as it sees any program, if it is told to keep registers exact where memory
 * is accessed; hlrc_init() refuses to go on without that.
 *
 *     hlrcrun -n 2 valgrind --vex-iropt-register-updates=allregs-at-mem-access ./sum
 * A job in which all threads of all nodes wait for each other, in locks, barriers and condition
 * variables, is found some seconds later and ends: a line for each thread says what it waits for
 * and who holds it up. A thread that computes, or waits in a system call of its own, is none of
 * them, nor is the job of one that has such a thread. hlrcrun(1) has more.
 *
 * A program may be built with -fsanitize=address or -fsanitize=thread. The latter knows the order
 * that HLRC makes, and reports data races between the threads of a node. Those between nodes are
 * seen by neither, but hlrcrun --check races reports two nodes that write the same bytes, where no
 * lock, barrier or other call orders the two, with their lines of source; see DATA RACES in
 * hlrcrun(1).
 *
 * A program that dies of SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT, and does not handle it, is
 * told of in one line: node, thread, signal, address, and what lies there; then come the calls that
 * led there, with functions, and lines of source if it has them (-g) and addr2line is there:
 *
 *     hlrc: node 2, thread 0: SIGSEGV at 0x10: not shared memory: write through a NULL pointer
 *     hlrc: node 2: #0 insert at tree.c:83
 *
 * Then the signal ends the process as if nobody had handled it. Core dumps have nothing of shared
 * memory; with --core full they have the pages that the node has touched.
 *
 * NOTES: HLRC handles SIGSEGV, and has it open whatever the program blocks; faults outside shared
 * memory go to the handler that was installed before hlrc_init(). One that the program sets later,
 * by sigaction() or signal(), does not take the place of HLRC's: the library defines both for the
 * signals above, and hands on to it what is no page fault; of the first such crash it tells before.
 * A handler that a library sets later does take its place, and page faults then go there; load such
 * libraries before hlrc_init(). Threads that use HLRC have an alternate signal stack (sigaltstack)
 * from then on, unless they had one: a thread's own stack may lie in shared memory, if it makes no
 * call of HLRC there. A child made by fork() after hlrc_init() may only call an exec function or
 * _exit().
 *
 * SEE ALSO: hlrc_init, hlrc_malloc, hlrc_malloc_all, hlrc_share, hlrc_lock, hlrc_barrier,
 * hlrc_window_create, hlrcrun(1)
 */

/* A lock: a plain value, which may live in shared memory and be passed to other nodes. */
typedef uint32_t hlrc_lock_t;
/* A condition variable: a plain value, as above. */
typedef uint32_t hlrc_cond_t;
/* An atomic 64-bit word at a home node: a plain value, as above. */
typedef uint32_t hlrc_atomic_t;
/* A group of nodes: a plain value, as above, for its members. */
typedef uint32_t hlrc_group;

/**
 * hlrc_init - join the job
 *
 * Makes the calling process a node of the job it was started in, maps the shared space and starts
 * handling page faults. Every node calls it once, before any other call but hlrc_version() and
 * hlrc_share(), and returns when all have. A program started without hlrcrun is a job of one node.
 *
 * Options come from the environment, as HLRC_PROTOCOL, HLRC_MEMORY and so on, where hlrcrun puts
 * those of its own command line. `argc` and `argv` are the addresses of main's arguments, or NULL;
 * they are left as they are, and are there for launchers that pass options in them.
 *
 * RETURN VALUE: 0, or a negative errno value after a line on standard error that names cause,
 * value, limit and remedy. After an error no other call but hlrc_version() may be made.
 *
 * ERRORS:
 *     EINVAL    an option is unknown, malformed or out of range, or the nodes differ in version,
 *               page size or options
 *     ENOTSUP   an option asks for something that this build or this machine does not have
 *     ENOMEM    the machine cannot back the shared space, or no common address is free on all nodes
 *     EALREADY  the process has called hlrc_init() before
 *
 * NOTES: All nodes need the same executable, since pointers to functions and string literals do not
 * become valid elsewhere by being shared. To share pointers to functions, run with --no-aslr.
 *
 * SEE ALSO: hlrc_finalize, hlrc_node_id, hlrc_version, hlrcrun(1), hlrc_info(1)
 */
int hlrc_init(int *argc, char ***argv);

/**
 * hlrc_finalize - leave the job
 *
 * Collective. Waits until all nodes have called it, writes the statistics if they were asked for,
 * and unmaps the shared space: pointers into it are not valid any more, but those to memory of
 * hlrc_share(). A node that ends without this call has died, and the whole job ends with it. No
 * other call but hlrc_version() may follow.
 *
 * NOTES: No other thread of the process may be in a call or touch shared memory at this time.
 *
 * SEE ALSO: hlrc_init
 */
void hlrc_finalize(void);

/**
 * hlrc_exit - end the job from here
 *
 * Ends all nodes of the job at once, whatever they are doing, and the calling process. The job has
 * the exit status `status`, of which the low 8 bits count, and nothing is said of its end. Any
 * thread of any node may call it; nothing is waited for, no exit handler is run, and what stdio has
 * buffered is lost, on this node too: call fflush() before.
 *
 * Where several nodes call it the first counts. hlrc_finalize() is the end of a job in which each
 * node has done its part.
 *
 * RETURN VALUE: It does not return.
 *
 * NOTES: Under other launchers than hlrcrun the status 0 cannot be had in this way: the job ends
 * with a line and status 1.
 *
 * SEE ALSO: hlrc_finalize, hlrcrun(1)
 */
void hlrc_exit(int status);

/**
 * hlrc_node_id, hlrc_node_count - who am I, how many are we
 *
 * The nodes of a job are numbered from 0. Both numbers stay the same from hlrc_init() to
 * hlrc_finalize().
 *
 * RETURN VALUE: hlrc_node_id() returns the number of this node, hlrc_node_count() the number of
 * nodes in the job,
 * 1 to HLRC_MAX_NODES.
 *
 * SEE ALSO: hlrc_init
 */
int hlrc_node_id(void);
int hlrc_node_count(void);

/**
 * hlrc_version - version of the library
 *
 * The version of the library that the program runs with; HLRC_VERSION_STRING is that of the header
 * it was compiled with. It may be called at any time.
 *
 * RETURN VALUE: A constant string such as "0.1.0".
 *
 * SEE ALSO: hlrc_init
 */
const char *hlrc_version(void);

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
 * hlrc_lock_create, hlrc_lock_destroy - make and remove a lock
 *
 * hlrc_lock_create() stores the handle of a new lock, free, in *`lock`. It may be used on every
 * node that learns it. Locks are cheap: a million of them fit. hlrc_lock_destroy() removes a lock
 * that nobody holds or waits for; its handle may be given out again.
 *
 * Locks 0 to HLRC_STATIC_LOCKS-1 exist without being created and cannot be destroyed.
 *
 * RETURN VALUE: hlrc_lock_create() returns 0, or a negative errno value and leaves *`lock` alone.
 *
 * ERRORS:
 *     ENOMEM  no more locks
 *
 * SEE ALSO: hlrc_lock
 */
int hlrc_lock_create(hlrc_lock_t *lock);
void hlrc_lock_destroy(hlrc_lock_t lock);

/**
 * hlrc_lock, hlrc_trylock, hlrc_unlock - mutual exclusion, and order of memory
 *
 * At most one thread of all nodes holds a lock. hlrc_lock() waits until the lock is free,
 * hlrc_trylock() does not. To take a lock is an acquire: what the threads that held it before had
 * written or seen is now visible here. hlrc_unlock() is a release. Locks are not recursive. Taking
 * again a lock that was last held on this node costs no message.
 *
 * RETURN VALUE: hlrc_trylock() returns 0 when it took the lock, otherwise -EBUSY; then nothing has
 * changed.
 *
 * ERRORS:
 *     EBUSY  the lock is held (hlrc_trylock())
 *
 * NOTES: An unlock of a lock that is not held, a handle that does not exist, or a second
 * hlrc_lock() by the thread that holds the lock ends the job. A lock that is still held in
 * hlrc_finalize() is named in a line.
 *
 * SEE ALSO: hlrc_lock_create, hlrc_cond_wait, hlrc_barrier
 */
void hlrc_lock(hlrc_lock_t lock);
int hlrc_trylock(hlrc_lock_t lock);
void hlrc_unlock(hlrc_lock_t lock);

/**
 * hlrc_barrier, hlrc_barrier_arrive, hlrc_barrier_depart - wait for all nodes
 *
 * Collective: one thread speaks for a node. hlrc_barrier() returns when all nodes have called it;
 * what any of them wrote before is then visible to all.
 *
 * hlrc_barrier_arrive() followed by hlrc_barrier_depart() is the same barrier in two steps, with
 * work between them that need not wait for anybody. Arrival releases what was written before it.
 * What is written between the two becomes visible to others at a later release; what others wrote
 * before they arrived is visible after departure.
 *
 * NOTES: All nodes make the same collective calls in the same order; where they meet in different
 * ones, hlrc_finalize() included, the job ends and one line names both calls. Arrival twice without
 * departure, or departure without arrival, ends the job. Between the two no other collective call
 * may be made but hlrc_group_barrier(). With --barrier pe other nodes may have to wait for a node
 * until it departs; there it must not wait, between the two, for what they do behind the barrier.
 *
 * SEE ALSO: hlrc_group_barrier, hlrc_lock, hlrc_cond_wait
 */
void hlrc_barrier(void);
void hlrc_barrier_arrive(void);
void hlrc_barrier_depart(void);

/**
 * hlrc_group_create - name some nodes that meet without the others
 *
 * Collective among the `count` nodes in `nodes`: each of them, and no other, makes the call, and
 * passes the same list in the same order. It stores the handle of the group in *`group`, the same
 * on all of them. Groups may overlap, and stay until hlrc_finalize(). The call orders no memory.
 *
 * RETURN VALUE: 0, or a negative errno value; then *`group` is left alone.
 *
 * ERRORS:
 *     EINVAL  `count` is not 1 to the number of nodes, a node is listed twice or is none of the
 *             job, or this node is not listed; found before another node is asked
 *     ENOMEM  the lowest node of the list is that of HLRC_MAX_GROUPS groups already; on all nodes
 *             of the list
 *
 * NOTES: One thread of a node creates a group at a time, and nodes that have several groups in
 * common create these in the same order. Lists that differ end the job with one line where the
 * lowest node is in all of them; otherwise the nodes may wait for each other for ever.
 *
 * SEE ALSO: hlrc_group_barrier
 */
int hlrc_group_create(const int *nodes, int count, hlrc_group *group);

/**
 * hlrc_group_barrier - wait for the nodes of a group
 *
 * Collective among the nodes of the group: one thread speaks for a node. It returns when all of
 * them have called it; what any of them wrote before, or had seen, is then visible to all of them.
 * The other nodes take no part. Barriers of several groups may be under way at the same time, those
 * of one node by several threads.
 *
 * It is a dissemination barrier (Hensgen, Finkel and Manber, Two Algorithms for Barrier
 * Synchronization, 1988) of ceil(log2 n) rounds for n nodes, by remote writes, whatever --barrier
 * says.
 *
 * NOTES: A handle that is not that of a group of this node, and a call while another thread of this
 * node waits in the barrier of the same group, end the job.
 *
 * SEE ALSO: hlrc_group_create, hlrc_barrier
 */
void hlrc_group_barrier(hlrc_group group);

/**
 * hlrc_cond_create, hlrc_cond_destroy - make and remove a condition variable
 *
 * hlrc_cond_create() stores the handle of a new condition variable in *`cond`. It may be used on
 * every node that learns it. hlrc_cond_destroy() removes one that nobody waits for; its handle may
 * be given out again.
 *
 * RETURN VALUE: hlrc_cond_create() returns 0, or a negative errno value and leaves *`cond` alone.
 *
 * ERRORS:
 *     ENOMEM  no more condition variables
 *
 * SEE ALSO: hlrc_cond_wait
 */
int hlrc_cond_create(hlrc_cond_t *cond);
void hlrc_cond_destroy(hlrc_cond_t cond);

/**
 * hlrc_cond_wait, hlrc_cond_signal, hlrc_cond_broadcast - wait until another thread says so
 *
 * hlrc_cond_wait() releases `lock`, which the caller holds, and waits; no signal sent after the
 * release is missed. Before it returns it has taken the lock again. hlrc_cond_signal() wakes one
 * waiting thread, hlrc_cond_broadcast() all, of whatever nodes; nobody waiting, they do nothing.
 *
 * Memory is ordered by the lock, as with hlrc_unlock() and hlrc_lock().
 *
 * NOTES: A thread may wake without a signal, or find that another one was faster: test the
 * condition in a loop. Signal while holding the lock under which the condition was changed. All
 * threads that wait on one condition variable at a time use the same lock.
 *
 * SEE ALSO: hlrc_cond_create, hlrc_lock
 */
void hlrc_cond_wait(hlrc_cond_t cond, hlrc_lock_t lock);
void hlrc_cond_signal(hlrc_cond_t cond);
void hlrc_cond_broadcast(hlrc_cond_t cond);

/**
 * hlrc_atomic_create, hlrc_atomic_destroy - make and remove an atomic word
 *
 * hlrc_atomic_create() stores in *`word` the handle of a new 64-bit word that holds `value`. It may
 * be used on every node that learns it. The word is not part of the shared space.
 * hlrc_atomic_destroy() removes it; its handle may be given out again.
 *
 * RETURN VALUE: hlrc_atomic_create() returns 0, or a negative errno value and leaves *`word` alone.
 *
 * ERRORS:
 *     ENOMEM  no more atomic words
 *
 * SEE ALSO: hlrc_atomic_load
 */
int hlrc_atomic_create(hlrc_atomic_t *word, uint64_t value);
void hlrc_atomic_destroy(hlrc_atomic_t word);

/**
 * hlrc_atomic_load, hlrc_atomic_fetch_add, hlrc_atomic_exchange, hlrc_atomic_compare_exchange -
 * atomic operations
 *
 * Operations on one word happen one after the other, in the same order for all nodes.
 * hlrc_atomic_fetch_add() adds `value` modulo 2^64, hlrc_atomic_exchange() stores `value`.
 * hlrc_atomic_compare_exchange() stores `desired` if the word equals *`expected`; if not, it stores
 * what the word was in *`expected`.
 *
 * They do not order memory: who learns through an atomic word that data is ready has not acquired
 * that data.
 *
 * RETURN VALUE: The first three return the word as it was before. hlrc_atomic_compare_exchange()
 * returns 1 if it stored `desired`, otherwise 0.
 *
 * NOTES: A word fits a ticket counter or a list of tasks. To pass data on, use a lock or a barrier.
 * Atomics of the C language do not take their place in shared memory: see hlrc(7).
 *
 * SEE ALSO: hlrc_atomic_create, hlrc_lock
 */
uint64_t hlrc_atomic_load(hlrc_atomic_t word);
uint64_t hlrc_atomic_fetch_add(hlrc_atomic_t word, uint64_t value);
uint64_t hlrc_atomic_exchange(hlrc_atomic_t word, uint64_t value);
int hlrc_atomic_compare_exchange(hlrc_atomic_t word, uint64_t *expected, uint64_t desired);

/**
 * hlrc_home - which node is home of an address
 *
 * The home of a page holds its reference copy; to read there costs no fetch. A page gets its home
 * when it is first used: with the one-sided protocols by the first node that writes it, with the
 * async protocol by the first that asks for it. Where hlrc_place() puts it, it stays; otherwise it
 * moves, in a barrier, to a node that alone goes on writing the page (--move-homes). The call does
 * not touch the page.
 *
 * RETURN VALUE: The node that is home of the page of `addr`, -1 while there is none, or -EINVAL. In
 * a job of one node it is always that node.
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
 * Makes `node` the home of those pages that the `len` bytes at `addr` lie in, in whole or in part,
 * as long as nobody has used them; they stay there. Any node may do this, for pages that it alone
 * uses until it next releases.
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
 * Starts to fetch the pages that the `len` bytes at `addr` lie in, those of them that are out of
 * date here, and does not wait for them. It is a hint: the program is as correct with it as without
 * it.
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
 * Makes the pages that the `len` bytes at `addr` lie in readable, and writable if `write` is not 0,
 * as loads or stores to each of them would. Call it before the range is given to a system call,
 * such as read() or write(), which would otherwise fail with EFAULT (but see --syscalls).
 *
 * RETURN VALUE: 0, or a negative errno value.
 *
 * ERRORS:
 *     EINVAL  the range is not all in shared memory
 *
 * NOTES: It pins nothing: an acquire or release by another thread of this process can revoke the
 * access before the system call; what other nodes do cannot. A threaded program copies through
 * private memory, or keeps its other threads out of such calls.
 *
 * SEE ALSO: hlrc_prefetch
 */
int hlrc_touch(void *addr, size_t len, int write);

/* What a node did since hlrc_init() or hlrc_stats_reset(). New fields are added at the end only. */
struct hlrc_stats {
    size_t size;      /* bytes of this struct, set by the caller */
    double wall_s;    /* seconds that passed: compute + page + lock + barrier + diff */
    double compute_s; /* seconds in the program itself, faults included */
    double page_s;    /* seconds from the request for a page to its arrival */
    double lock_s;    /* seconds in condition variables, and in locks but those had at once */
    double barrier_s; /* seconds in barriers and collectives */
    double diff_s;    /* seconds making and sending diffs */
    double handler_s; /* CPU seconds of the handler and of its helper, outside the sum */
    /* seconds handling faults besides the fetch, a part of compute_s */
    double fault_s;
    uint64_t read_faults;        /* faults by loads */
    uint64_t write_faults;       /* faults by stores */
    uint64_t first_write_faults; /* write faults on pages that nobody had written before */
    uint64_t page_fetches;       /* pages fetched from their home */
    uint64_t fetch_retries;      /* fetches repeated since the page was not recent enough */
    uint64_t homes_assigned;     /* pages whose home became this node */
    uint64_t twins;              /* copies taken to compare with later */
    uint64_t diffs;              /* diffs sent or applied at home */
    uint64_t diff_bytes;         /* changed bytes in them */
    uint64_t write_notices;      /* pages announced by this node as written */
    uint64_t invalidations;      /* pages revoked since others wrote them */
    uint64_t lock_acquires;      /* locks taken */
    uint64_t barriers;           /* barriers departed from, those of groups, too */
    uint64_t messages;           /* requests sent that a handler serves */
    uint64_t wakes;              /* sleepers woken on other nodes */
    uint64_t rdma_reads;         /* remote reads, of own words too */
    uint64_t rdma_writes;        /* remote writes, with immediate or without */
    uint64_t atomics;            /* remote atomics, on own words too */
    uint64_t bytes_in;           /* bytes that came from other nodes */
    uint64_t bytes_out;          /* bytes that went to other nodes */
    uint64_t fetch_round_trips;  /* to the network and back, one after the other, in page fetches */
    uint64_t hot_pages;          /* pages left writable by a closing that found them changed */
    uint64_t hot_unchanged;      /* pages left writable by a closing that found them as they were */
    uint64_t ahead_pages;     /* pages opened or sent for before a fault, behind those of others */
    uint64_t exclusive_pages; /* home pages not tracked from then on: no node else reads them */
    uint64_t homes_moved;     /* pages whose home became this node, which alone wrote them */
    uint64_t lazy_releases;   /* unlocks that published nothing, though there was something */
    uint64_t evictions;       /* copies given back to make room (--cache-size) */
    uint64_t renewed_pages;   /* copies that were renewed instead of closed (--renew) */
    uint64_t log_overflows; /* times that notices had to be compacted, at a full log (--notices) */
    uint64_t word_ops;      /* operations of hlrc_fetch_op and hlrc_compare_swap */
};

/**
 * hlrc_stats_get, hlrc_stats_reset - what this node has done
 *
 * hlrc_stats_get() fills in *`stats` the fields that lie within its first `size` bytes, `size`
 * being the field that the caller has set to sizeof(struct hlrc_stats). Times are in seconds. The
 * numbers are those of this node alone, since hlrc_init() or its last hlrc_stats_reset(), which
 * sets them to 0.
 *
 *     struct hlrc_stats stats = { .size = sizeof stats };
 *     hlrc_stats_get(&stats);
 *
 * NOTES: While other threads work, the fields need not be of one moment. If the library is older
 * than the program, `size` becomes the number of bytes that were filled in, and what lies beyond is
 * left alone.
 *
 * SEE ALSO: hlrcrun(1)
 */
void hlrc_stats_get(struct hlrc_stats *stats);
void hlrc_stats_reset(void);

#ifdef __cplusplus
}
#endif

#include "hlrc_memory.h"
#include "hlrc_rma.h"
#include "hlrc_sync.h"

#endif
