/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_JOB_H
#define HLRC_JOB_H

/*
 * A job: the nodes that hlrcrun started, from the first fork to its own exit.
 *
 *     a node     SILENT --HELLO--> RUNNING --GOODBYE--> FINALIZED   (HELLO again: scripts)
 *     the job    running --job_end()--> ending --all ended, or time is up--> over
 *                    \------------------ all ended ------------------------^
 *
 *   J1  The child of hlrcrun and the process that calls hlrc_init() need not be the same: a node
 *       may be wrapped by a script or a debugger. The node has ended when both have.
 *   J2  A death is: an exit status other than 0 (after GOODBYE that is only hlrcrun's own status),
 *       a signal, the end of a RUNNING process, or an end that leaves others waiting in
 *       hlrc_init(). The first death ends the job; only job_end() prints, and only once. A QUIT
 *       ends it, too, and is no death.
 *   J3  Before a node is judged, everything that it had sent is read: its own words come before our
 *       guess.
 *   J4  job_end() asks the others to end by SIGTERM and ends them by SIGKILL half a second later. A
 *       node that reported a signal of its own gets longer, to tell its stack. JOB_GIVE_UP_MS after
 *       SIGKILL hlrcrun ends, come what may.
 *   J5  hlrcrun is a subreaper: what a node leaves behind becomes a child of hlrcrun, and is ended
 *       with a job that fails.
 *   J6  A node that the system dumps core of is left alone until that is done, for JOB_DUMP_MS at
 *       most; a line says that it is waited for. A signal of the user's ends the wait.
 *   J7  With --stats, before anybody is asked to end, each node is let know that the job ends, and
 *       may tell its last figures, for JOB_TELL_MS at most. What the nodes have told is written
 *       down when all is over, unless one has finalized: then node 0 did that.
 *   J8  With --trace, hlrcrun has the descriptor of the memory in which a node notes. It is read
 *       when all is over, however the node ended.
 *   J9  Of deaths that are seen at once, those by a signal are judged before exits: nodes may fail
 *       because another was killed. Within each kind the node that ended first is judged first.
 *   J10  A failure of a node that had finalized keeps the job's status, whatever death follows.
 *       Only a signal of the user's replaces it.
 */

#include <hlrc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/config.h"
#include "boot/boot.h"
#include "hlrc/progress/timeline.h"
#include "launch/ends.h"
#include "launch/exchange.h"
#include "launch/guard.h"
#include "launch/look.h"
#include "launch/oom.h"
#include "launch/output.h"
#include "launch/progress.h"
#include "launch/spawn.h"

enum {
    JOB_KILL_MS = 500, /* from SIGTERM to SIGKILL */
    /* from a signal of the user's to SIGKILL: programs may save their state */
    JOB_SIGNAL_MS = 1000,
    JOB_CRASH_MS = 20000, /* for the node that failed, until its dump begins */
    JOB_DUMP_MS = 600000,
    JOB_DUMP_LOOK_MS = 50,
    JOB_DUMP_QUIET_MS = 1500, /* a dump that takes no longer is waited for without a word */
    JOB_GIVE_UP_MS = 1300,
    JOB_TELL_MS = 500,     /* from the cause of an end to the first signal, with --stats */
    JOB_WRAPPER_MS = 200,  /* for a wrapper to exit, and tell how its program ended; */
    JOB_WRAPPER_LOOKS = 50 /* so often again for one that has not come to sleep */
};

enum node_state { NODE_SILENT, NODE_RUNNING, NODE_FINALIZED };

struct node {
    pid_t pid; /* hlrcrun's child */
    int pidfd;
    bool ended;     /* the child has been reaped */
    bool signalled; /* by a signal: status is its number */
    bool core;
    int status;
    int sock;
    enum node_state state;
    pid_t engine;    /* who said HELLO; 0: nobody */
    int engine_fd;   /* its pidfd when it is not the child; -1: it is, or it has ended */
    int64_t lost_at; /* when a wrapped engine ended while RUNNING, or was looked at; 0: neither */
    int lost_looks;
    struct stream output[2];
    struct boot_counters counters;
    bool told, told_last; /* figures have come; no more will */
    struct hlrc_stats stats;
    struct heard heard;
    int timeline; /* what it notes for --trace; -1: nothing has come */
};

struct job {
    const struct config *config;
    struct spawn spawn;
    struct guard guard;
    struct node *nodes; /* config->nodes of them */
    struct ends ends;   /* of the nodes' children */
    struct exchange exchange;
    struct progress progress;
    struct oom oom;
    struct look look;
    struct sink out, err_room, *err;
    int signal_fd;
    bool ending;
    bool killed;                  /* SIGKILL has been sent */
    struct timeline_moment began; /* by hlrcrun's clock */
    int status;                   /* hlrcrun's exit status */
    int speaker;                  /* node whose report was printed, or -1 */
    int spared;                   /* node that tells where it crashed, or -1 */
    int signal;                   /* by which the others are asked to end */
    bool asked;                   /* they have been */
    bool finished;                /* a node has finalized: the statistics have been printed */
    bool hurried;                 /* the user does not wait */
    bool told;                    /* that a dump is waited for */
    /* since when it is ending; when the others are asked; how long after that SIGKILL is due, and
     * when, or looking whether it is; when hlrcrun ends */
    int64_t ending_since, ask_at, grace_ms, kill_at, give_up_at;
};

/* job_run - returns hlrcrun's exit status. The signals of job_signals() are blocked by then. */
int job_run(struct job *job);

/* job_end - print the line, and end the job with status; does nothing when it is ending already */
void job_end(struct job *job, int status, int spared, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* job_quit - the same without a line: a node has asked for it */
void job_quit(struct job *job, int status);

/* job_say - a line that ends nothing */
void job_say(struct job *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* node.c */
void node_init(struct node *node, const struct spawned *spawned, int label, struct sink *out,
               struct sink *err);
void node_free(struct node *node);
bool node_alive(const struct node *node); /* the child, or the process that it wraps */
/* of which core is dumped: the child, or the process that it wraps; 0: none */
pid_t node_dumping(const struct node *node);
void node_signal(struct node *node, int sig);
void node_reaped(struct node *node, int wait_status);
void node_engine_ended(struct node *node);
void node_receive(struct job *job, int index);            /* all messages that are there */
void node_judge(struct job *job, int index, int64_t now); /* is this a death? */

#endif
