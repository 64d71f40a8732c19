/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_SPAWN_H
#define HLRC_SPAWN_H

/*
 * Starting the nodes.
 *
 *   - A node executes nothing of the user's before the guard knows it: it waits for one byte on the
 *     gate. If hlrcrun dies first, the node reads end of file and exits.
 *   - A node inherits directory, environment, umask, signal dispositions and mask, and limits as
 *     hlrcrun got them.
 *   - Every descriptor of hlrcrun is closed on exec. Only the node's own socket is passed on.
 */

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/config.h"
#include "launch/bind.h"

struct spawn {
    const struct config *config;
    const char *path; /* of the program */
    char **argv;
    /* as they were when hlrcrun started */
    sigset_t mask;
    struct sigaction pipe_action;
    struct rlimit files;
    const struct bind_bindings *bindings;
    int gate[2];
};

struct spawn_child_ids {
    pid_t pid;
    int pidfd;
    int sock;      /* hlrcrun's end of the launch socket */
    int output[2]; /* read ends of standard output and error; -1: not through hlrcrun */
};

/* Descriptors of hlrcrun: pipes, sockets and pidfds of each node, and a few more. */
enum { SPAWN_FILES_PER_NODE = 7, SPAWN_FILES_MORE = 32 };
static inline rlim_t spawn_files_needed(int nodes)
{
    return (rlim_t)(nodes * SPAWN_FILES_PER_NODE + SPAWN_FILES_MORE);
}

/* Both return 0 or a negative errno. */
int spawn_open(struct spawn *spawn); /* creates the gate */
int spawn_node(struct spawn *spawn, int node, struct spawn_child_ids *out);
int spawn_release(struct spawn *spawn, int nodes); /* opens the gate */
void spawn_close(struct spawn *spawn);

#endif
