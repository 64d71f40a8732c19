/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_BOOT_H
#define HLRC_BOOT_H

/*
 * Wire-up of a job: who am I, how many are we, and a way to swap addresses before any network
 * stands.
 *
 * Three back ends (boot_backend.h), the first that fits:
 *
 *   local   hlrcrun started this process and left a socket in it (HLRC_LAUNCH_FD, HLRC_NODE,
 *           HLRC_NODES)
 *   pmix    a launcher that speaks PMIx did: mpirun, srun --mpi=pmix, prterun (PMIX_NAMESPACE,
 *           PMIX_RANK)
 *   single  nobody did, and this is a job of one node
 *
 *   BT1  From boot_open() until boot_goodbye() the end of the process is a death, which ends the
 *        whole job.
 *   BT2  boot_report() and boot_stats() may be called by several threads and in signal handlers,
 *        boot_progress() by any thread.
 *   BT3  A program that a node starts is no part of the job: sockets are closed on exec, hlrcrun's
 *        variables are taken out of the environment, and PMIx's, which stay for MPI in the same
 *        program, are marked as used.
 *   BT4  No back end has a thread that runs while the job does: it would make each mprotect of the
 *        application dearer. PMIx's threads sleep, and have all signals blocked.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot;

struct boot_counters {
    uint64_t faults;   /* page faults so far */
    uint64_t bytes;    /* bytes that came in from other nodes */
    uint64_t barriers; /* barriers passed */
};

enum { BOOT_BLOB_MAX = 1 << 20 };

/* boot_open - 0, or a negative errno after one line to the user. Not thread-safe: it changes the
 * environment. */
int boot_open(struct boot **out);

int boot_node(const struct boot *boot);
int boot_nodes(const struct boot *boot);

/* boot_launcher - who started the node, and so, who does what a launcher's options ask for */
enum boot_launcher { BOOT_NOBODY, BOOT_HLRCRUN, BOOT_OTHER };
enum boot_launcher boot_launcher(const struct boot *boot);

/*
 * boot_exchange - every node gives len bytes and gets those of all, in the order of the nodes, in
 * all[nodes * len]. Also a barrier. len is the same on all nodes, at most BOOT_BLOB_MAX; 0 is
 * allowed (all is not touched then). Collective; one thread of a node at a time. ERRORS: -EINVAL
 * len; -ECONNRESET the launcher is gone, and with it the job; -EPROTO the nodes gave blobs of
 * different lengths (hlrcrun ends the job and says so)
 */
int boot_exchange(struct boot *boot, const void *mine, size_t len, void *all);

/* boot_goodbye - the node has finalized: its end is no death any more */
void boot_goodbye(struct boot *boot);

/* boot_quit - before the caller's own end with this status, 0 to 255: the job ends with it, without
 * a word. -ENOTSUP: this launcher has no such end */
int boot_quit(struct boot *boot, int status);

/*
 * boot_report - a fatal line for the user ("hlrc: node 2: line"), and the end of the job with this
 * status. hlrcrun prints the first one of the job; under other launchers the first node of each
 * host writes it to standard error, as a single node does. Safe in a signal handler. status > 128:
 * the caller is about to die of a signal.
 */
void boot_report(struct boot *boot, int status, const char *line);

/* boot_detail - one more line of what was reported, after it, by the same thread; shown where that
 * was. Safe in a signal handler. */
void boot_detail(struct boot *boot, const char *line);

/* boot_speak - the lines of base/diag.h are this node's now, and fatal ones travel by
 * boot_report(); NULL: no more */
void boot_speak(struct boot *boot);

/* boot_last_words - from now on called before a fatal line travels, maybe in a signal handler;
 * until the next boot_speak() */
void boot_last_words(void (*last_words)(void));

/* boot_progress - counters of this node for hlrcrun --progress; dropped when it is busy, and under
 * other launchers */
void boot_progress(struct boot *boot, const struct boot_counters *counters);

/* boot_stats - statistics of this node so far, for a launcher that keeps them in case the job
 * fails; last: there will be no more. Dropped when it is busy, and under other launchers than
 * hlrcrun. Safe in a signal handler. */
void boot_stats(struct boot *boot, const void *stats, size_t len, bool last);

/* boot_timeline - memory that outlives this node, for a launcher that keeps it: its descriptor. 0,
 * -ENOTSUP under other launchers than hlrcrun, or another negative errno */
int boot_timeline(struct boot *boot, int fd);

/*
 * boot_gathers - whether the launcher gathers what nodes report of their waits, and asks for it.
 * Only then:
 *
 * boot_waits - a report for it. 0, or -EAGAIN where there is no room for it now.
 * boot_asked - without waiting: 0 and the *number of a question that the launcher has asked;
 * -EAGAIN there is none; -EBUSY another thread is in boot_exchange() and takes the questions, which
 * this will tell later
 */
bool boot_gathers(const struct boot *boot);
int boot_waits(struct boot *boot, const void *report, size_t len);
int boot_asked(struct boot *boot, uint32_t *number);

/* boot_fd - hangs up (POLLHUP, asked for or not) when the launcher is gone; readable (POLLIN) when
 * it has asked; POLLRDHUP: the job is ending, and the launcher waits for the last statistics. -1
 * for a single node */
int boot_fd(const struct boot *boot);

/* boot_close - frees; boot_goodbye() comes first, or this is a death */
void boot_close(struct boot *boot);

#endif
