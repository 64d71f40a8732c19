/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_RESIZE_H
#define HLRC_RESIZE_H

/*
 * hlrcrun --resize: the number of nodes of a running job changes.
 *
 *     hlrcrun --resize N     SIGUSR2 with the value N --> hlrcrun of the job, which may refuse
 *     hlrcrun of the job     SIGUSR1 with the value N --> node 0, once it is READY
 *     node 0                 REFUSED, and the program continues; or BEGUN, then SAVED
 *     the nodes              end with STATUS_CONTINUE
 *     hlrcrun of the job     executes itself with --restart and --nodes N (rerun.h)
 *     node 0 of the new job  RESTORED
 *
 *   - The answer to the command is a datagram to an abstract socket whose name has the sender's
 *     pid. If there is none, as with kill -q, the job's hlrcrun prints a refusal itself.
 *   - If the new job ends with an error before it is RESTORED, hlrcrun continues the old one from
 *     the same checkpoint.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/config.h"

struct job;

struct resize {
    int wanted;    /* nodes; 0: none */
    bool ready;    /* node 0 handles the signal */
    bool asked;    /* it has been sent */
    bool saved;    /* the nodes end */
    bool restored; /* this job runs */
    int from;      /* nodes of the job that this one continues; 0: it does not */
    int64_t begun; /* that one was being saved, or this one is: clock_ms() */
};

/* The answer of the job's hlrcrun. */
struct resize_answer {
    int status; /* exit status of the command */
    char line[CONFIG_ERROR_MAX + 128];
};

/* resize_request - SIGUSR2 of the user. False: it has no value, so it is for the program. */
bool resize_request(struct job *job, const struct signalfd_siginfo *info);
/* resize_answer_make - to a request for `nodes` nodes; `why` it is refused; NULL: it is not */
void resize_answer_make(struct resize_answer *answer, const struct job *job, int nodes,
                        const char *why);
/* resize_answer_send - true if the process `pid` waits for the answer */
bool resize_answer_send(pid_t pid, const struct resize_answer *answer);
/* resize_heard - WIRE_RESIZE of node 0 */
void resize_heard(struct job *job, int state, const char *why);
/* resize_hello - a program of node 0 starts */
void resize_hello(struct job *job);
/* resize_end - the job has ended: a line if it was to be resized */
void resize_end(struct job *job);

/* resize_command - hlrcrun --resize: sends the request, and prints the answer. `pid`: NULL for the
 * only job of the user. Returns the exit status, after one line in err if it is not 0. */
int resize_command(const char *nodes, const char *pid, char *err, size_t errlen);

/* Where the answer to the process `pid` goes. Returns the length. */
socklen_t resize_address(struct sockaddr_un *address, pid_t pid);

#endif
