/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_BOOT_H
#define HLRC_BOOT_H

/*
 * Wire-up of a job: this node's number, the number of nodes, and an exchange of addresses before
 * the network exists.
 *
 * Three back ends (boot_backend.h); the first that matches is used:
 *
 *   local   hlrcrun started this process and left a socket in it (HLRC_LAUNCH_FD, HLRC_NODE,
 *           HLRC_NODES)
 *   pmix    a launcher that speaks PMIx started it: mpirun, srun --mpi=pmix, prterun
 *           (PMIX_NAMESPACE, PMIX_RANK)
 *   single  no launcher: a job of one node
 *
 *   - From boot_open() until boot_goodbye() the end of the process counts as a death, which ends
 *     the whole job.
 *   - boot_report() and boot_stats() may be called by several threads and in signal handlers,
 *     boot_progress() by any thread.
 *   - A program that a node starts is not part of the job: sockets are closed on exec, hlrcrun's
 *     variables are removed from the environment, and PMIx's, which stay for MPI in the same
 *     program, are marked as used.
 *   - No back end has a thread that runs during the job: it would make each mprotect of the
 *     application more expensive. PMIx's threads sleep, with all signals blocked.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot;

struct boot_counters {
    uint64_t faults;   /* page faults so far */
    uint64_t bytes;    /* bytes received from other nodes */
    uint64_t barriers; /* barriers passed */
};

enum { BOOT_BLOB_MAX = 1 << 20 };

/* boot_open - 0, or a negative errno after one line to the user. Not thread-safe: it changes the
 * environment. */
int boot_open(struct boot **out);
/* boot_open_alone - the same for a job of one node, whatever the launcher's variables say */
int boot_open_alone(struct boot **out);
/* boot_open_by - a node of a job that the program connects (boot_user.c): `gather` gathers the
 * bytes of all nodes in the order of the nodes, and returns 0 */
int boot_open_by(struct boot **out, int node, int nodes,
                 int (*gather)(const void *mine, size_t bytes, void *all, void *arg), void *arg);

int boot_node(const struct boot *boot);
int boot_nodes(const struct boot *boot);

/* boot_unite - node 0 goes on as a job of one node: from now on boot_nodes() is 1 and an exchange
 * copies. Under hlrcrun its process may end in any way, or execute another program, as without a
 * launcher. The others end, in here, with status 0: at once under hlrcrun, otherwise with node 0,
 * since a launcher may end a job whose processes end at different times. Collective. */
void boot_unite(struct boot *boot);

/* boot_launcher - the launcher that started the node: it decides which launcher options work */
enum boot_launcher { BOOT_NOBODY, BOOT_HLRCRUN, BOOT_OTHER };
enum boot_launcher boot_launcher(const struct boot *boot);

/*
 * boot_exchange - every node contributes len bytes and gets the bytes of all, in the order of the
 * nodes, in all[nodes * len]. Also a barrier. len is the same on all nodes, at most BOOT_BLOB_MAX;
 * 0 is allowed (all is not touched then). Collective; one thread of a node at a time. ERRORS:
 * -EINVAL len; -ECONNRESET the launcher has died, and so the job ends; -EPROTO the nodes passed
 * blobs of different lengths (hlrcrun reports that and ends the job)
 */
int boot_exchange(struct boot *boot, const void *mine, size_t len, void *all);

/* boot_goodbye - the node has finalized: the process may end */
void boot_goodbye(struct boot *boot);

/* boot_quit - called before this process exits with this status, 0 to 255: the job ends with it,
 * with no message. -ENOTSUP: the launcher cannot do that */
int boot_quit(struct boot *boot, int status);

/*
 * boot_report - reports a fatal line to the user ("hlrc: node 2: line"), and ends the job with
 * this status. hlrcrun prints the first one of the job; under other launchers the first node of
 * each host writes it to standard error, as a single node does. Safe in a signal handler. status >
 * 128: the caller is about to die of a signal.
 */
void boot_report(struct boot *boot, int status, const char *line);

/* boot_detail - one more line of a report, after it, by the same thread; shown if the report was.
 * Safe in a signal handler. */
void boot_detail(struct boot *boot, const char *line);

/* boot_speak - from now on the lines of base/diag.h name this node, and fatal ones go through
 * boot_report(); NULL: no longer */
void boot_speak(struct boot *boot);

/* boot_last_words - sets a function that is called before a fatal line is sent, perhaps in a
 * signal handler; until the next boot_speak() */
void boot_last_words(void (*last_words)(void));

/* boot_progress - counters of this node for hlrcrun --progress; dropped if hlrcrun is busy, and
 * under other launchers */
void boot_progress(struct boot *boot, const struct boot_counters *counters);

/* boot_stats - statistics of this node so far, which the launcher keeps in case the job fails;
 * last: the final ones. Dropped if hlrcrun is busy, and under other launchers. Safe in a signal
 * handler. */
void boot_stats(struct boot *boot, const void *stats, size_t len, bool last);

/* boot_take_signals - by node 0: the user's signals are for this node, which decides what they do,
 * and not for the others. No effect under other launchers than hlrcrun. */
void boot_take_signals(struct boot *boot);

/*
 * boot_resize - by node 0: the state of a resize. The launcher sends SIGUSR1 with the new number of
 * nodes as its value. `why`: with BOOT_RESIZE_REFUSED the reason, otherwise NULL. Safe in a signal
 * handler. No effect under other launchers than hlrcrun.
 */
enum boot_resize_state {
    BOOT_RESIZE_READY, /* this process handles that signal */
    BOOT_RESIZE_BEGUN, /* the job is being saved for it */
    BOOT_RESIZE_REFUSED,
    BOOT_RESIZE_SAVED,   /* the processes end now, with STATUS_CONTINUE */
    BOOT_RESIZE_RESTORED /* the continued job runs */
};
void boot_resize(struct boot *boot, enum boot_resize_state state, const char *why);

/* boot_timeline - passes the descriptor of memory that outlives this node to the launcher. 0,
 * -ENOTSUP under other launchers than hlrcrun, or another negative errno */
int boot_timeline(struct boot *boot, int fd);

/*
 * boot_gathers - true if the launcher collects reports of the nodes' waits, and requests them.
 * Only then:
 *
 * boot_waits - sends a report. 0, or -EAGAIN if there is no room for it now.
 *
 * boot_asked - without waiting: 0 and the *number of a request by the launcher; -EAGAIN there is
 * none; -EBUSY another thread is in boot_exchange() and receives the requests: call again later
 */
bool boot_gathers(const struct boot *boot);
int boot_waits(struct boot *boot, const void *report, size_t len);
int boot_asked(struct boot *boot, uint32_t *number);

/* boot_fd - hangs up (POLLHUP, always reported) when the launcher dies; readable (POLLIN) when it
 * has sent a request; POLLRDHUP: the job is ending, and the launcher waits for the last
 * statistics. -1 for a single node */
int boot_fd(const struct boot *boot);

/* boot_close - frees; without boot_goodbye() before it, this counts as a death */
void boot_close(struct boot *boot);

#endif
