/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_JOB_H
#define HLRC_JOB_H

/*
 * A job: the nodes that hlrcrun started, from the first fork to its own exit.
 *
 *     a node     SILENT --HELLO--> RUNNING --GOODBYE 1--> FINALIZED   (HELLO again: scripts)
 *                                     \-----GOODBYE 0--> APART: its process may end in any way
 *     the job    running --job_end()--> ending --all ended, or time is up--> over
 *                    \------------------ all ended ------------------------^
 *
 *   - The child of hlrcrun and the process that calls hlrc_init() may differ: a script or a
 *     debugger may wrap a node. The node has ended when both have.
 *   - A death is: an exit status other than 0 (after GOODBYE it only sets hlrcrun's own status), a
 *     signal, the end of a RUNNING process, or an end that leaves others waiting in hlrc_init().
 *     The first death ends the job; only job_end() prints, and only once. A QUIT ends the job as
 *     well and is not a death.
 *   - Before a node's end is judged, everything that it sent is read: prefer the node's own report
 *     over a guess from its exit status.
 *   - job_end() sends the others SIGTERM, and SIGKILL half a second later. A node that reported a
 *     signal gets longer, to report its stack. hlrcrun ends JOB_GIVE_UP_MS after SIGKILL, whatever
 *     happens.
 *   - hlrcrun is a subreaper: processes that outlive their node become children of hlrcrun. They
 *     are killed if the job fails.
 *   - A node that is dumping core is not killed until the dump is complete, or for JOB_DUMP_MS at
 *     most. A line reports the wait. A signal from the user ends it.
 *   - With --stats, each node is notified that the job ends before any node is signalled. It may
 *     send its last statistics for JOB_TELL_MS at most. When all nodes have ended, the received
 *     statistics are written, unless a node has finalized: then node 0 wrote them.
 *   - With --trace, hlrcrun has the descriptor of the memory into which a node writes its timeline.
 *     It is read after all nodes have ended, however they ended.
 *   - Of deaths found at the same time, signals are judged before exits, since nodes may fail
 *     because another one was killed. Within each kind, the first node to end is judged first.
 *   - If a finalized node fails, the job keeps that status, whatever death follows. Only a signal
 *     from the user replaces it.
 */

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/config.h"
#include "boot/boot.h"
#include "hlrc/probe/timeline.h"
#include "launch/ends.h"
#include "launch/exchange.h"
#include "launch/forward.h"
#include "launch/guard.h"
#include "launch/hosts_loss.h"
#include "launch/look.h"
#include "launch/oom.h"
#include "launch/output.h"
#include "launch/progress.h"
#include "launch/resize.h"
#include "launch/spawn.h"

enum {
    JOB_KILL_MS = 500, /* from SIGTERM to SIGKILL */
    /* from a signal from the user to SIGKILL: programs may save their state */
    JOB_SIGNAL_MS = 1000,
    JOB_CRASH_MS = 20000, /* for the node that failed, until its dump begins */
    JOB_DUMP_MS = 600000,
    JOB_DUMP_LOOK_MS = 50,
    JOB_DUMP_QUIET_MS = 1500, /* no message for a shorter dump */
    JOB_GIVE_UP_MS = 1300,
    JOB_TELL_MS = 500,     /* from the cause of the end to the first signal, with --stats */
    JOB_WRAPPER_MS = 200,  /* for a wrapper to exit and report how its program ended */
    JOB_WRAPPER_LOOKS = 50 /* further such waits while the wrapper has not gone to sleep */
};

enum node_state { NODE_SILENT, NODE_RUNNING, NODE_APART, NODE_FINALIZED };

struct node {
    pid_t pid; /* hlrcrun's child */
    int pidfd;
    bool ended;     /* the child has been reaped */
    bool signalled; /* by a signal, with its number in status */
    bool core;
    int status;
    int sock;
    enum node_state state;
    bool takes_signals; /* the user's signals are for this node only */
    pid_t engine;       /* pid of the sender of HELLO; 0: none yet */
    int engine_fd;      /* its pidfd if it is not the child; -1: it is the child, or has ended */
    /* when a wrapped engine ended while RUNNING, or the wrapper was last checked; 0: neither */
    int64_t lost_at;
    int lost_looks;
    struct output_stream output[2];
    struct boot_counters counters;
    bool told, told_last; /* statistics have arrived; no more will arrive */
    struct hlrc_stats stats;
    struct look_heard heard;
    int timeline; /* memory of its timeline for --trace; -1: not received */
};

struct job {
    const struct config *config;
    const char *memory; /* directory of --partner; empty: none */
    struct spawn spawn;
    struct guard guard;
    struct guard before; /* of the job that this one continues; pid 0: none */
    struct node *nodes;  /* config->nodes of them */
    struct ends ends;    /* of the nodes' children */
    struct exchange exchange;
    struct progress progress;
    struct oom oom;
    struct look look;
    struct resize resize;
    struct output_sink out, err_room, *err;
    int signal_fd;
    bool ending;
    bool killed;   /* SIGKILL has been sent */
    int status;    /* hlrcrun's exit status */
    int speaker;   /* node whose report was printed, or -1 */
    int spared;    /* crashed node, still reporting where, or -1 */
    int forwarded; /* last signal that the program was left to decide about; 0: none */
    int64_t forwarded_at;
    int signal;             /* signal that asks the others to end */
    bool asked;             /* that signal has been sent */
    bool finished;          /* a node has finalized: the statistics have been printed */
    bool hurried;           /* the user does not want to wait */
    bool told;              /* the wait for a dump has been reported */
    struct hosts_loss loss; /* of a job on several hosts */
    int death;              /* signal by which a node died, which ended the job; 0: none */
    uint64_t user;          /* signals that hlrcrun got, as bits */
    /* start of the ending; when the others are signalled; time from there to SIGKILL; when
     * SIGKILL, or the next test for it, is due; when hlrcrun ends */
    int64_t ending_since, ask_at, grace_ms, kill_at, give_up_at;
};

/* job_run - returns hlrcrun's exit status. ASSUMPTION: the signals of job_signals() are
 * blocked. */
int job_run(struct job *job);

/* job_end - print the line and end the job with status; does nothing if the job is already
 * ending */
void job_end(struct job *job, int status, int spared, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* job_quit - the same without a line, at a node's request */
void job_quit(struct job *job, int status);

/* job_say - print a line without ending the job */
void job_say(struct job *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* node.c */
void node_init(struct node *node, const struct spawn_child_ids *spawned, int label,
               struct output_sink *out, struct output_sink *err);
void node_free(struct node *node);
bool node_alive(const struct node *node); /* the child, or the process that it wraps */
/* the process that is dumping core: the child, or the process that it wraps; 0: none */
pid_t node_dumping(const struct node *node);
void node_signal(struct node *node, int sig);
void node_reaped(struct node *node, int wait_status);
void node_engine_ended(struct node *node);
void node_receive(struct job *job, int index);            /* all messages that have arrived */
void node_judge(struct job *job, int index, int64_t now); /* handles it if it is a death */
/* Says so when a program of threads has run without HLRC, once for each node. */
void node_note_copies(struct job *job);

#endif
