/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_BOOT_BACKEND_H
#define HLRC_BOOT_BACKEND_H

/*
 * The back ends of boot.h: one for each way to be started. boot_single.c is the smallest: read it
 * first.
 *
 *   - boot_open() calls the back ends in the order of its table. open() returns -ENOENT if the
 *     process was not started in its way; any other error has been reported to the user, and no
 *     other back end is tried.
 *   - open() sets *out on success only, with ops, node, nodes and fd.
 *   - exchange() may assume that len has been checked, and that one thread calls it at a time.
 *   - report() and detail() may run in a signal handler and in several threads.
 *   - A program with more rights than its caller (set-user-ID and the like) obeys no variable,
 *     neither of options nor of a launcher: secure_getenv(). boot_single.c reads them nevertheless,
 *     only to refuse to be one of several.
 */

#include "boot/boot.h"

struct boot_ops {
    enum boot_launcher launcher;
    int (*exchange)(struct boot *boot, const void *mine, size_t len, void *all);
    /* NULL for all of these: there is no launcher, and lines go to standard error */
    void (*goodbye)(struct boot *boot, bool finalized);
    int (*quit)(struct boot *boot, int status);
    void (*report)(struct boot *boot, int status, const char *line);
    void (*detail)(struct boot *boot, const char *line);
    /* NULL: dropped */
    void (*progress)(struct boot *boot, const struct boot_counters *counters);
    void (*stats)(struct boot *boot, const void *stats, size_t len, bool last);
    void (*take_signals)(struct boot *boot);
    void (*resize)(struct boot *boot, enum boot_resize_state state, const char *why);
    int (*timeline)(struct boot *boot, int fd); /* NULL: the launcher keeps none */
    /* NULL, both of them: the launcher does not gather reports */
    int (*waits)(struct boot *boot, const void *report, size_t len);
    int (*asked)(struct boot *boot, uint32_t *number);
    void (*close)(struct boot *boot); /* frees boot */
};

/* Head of a back end's own structure; written by open() only. */
struct boot {
    const struct boot_ops *ops;
    int node, nodes;
    int fd;      /* hangs up when the launcher dies; -1: there is none */
    bool united; /* boot_unite(); set by boot.c */
};

int boot_local_open(struct boot **out);  /* hlrcrun */
int boot_pmix_open(struct boot **out);   /* mpirun, srun, prterun */
int boot_single_open(struct boot **out); /* no launcher: never -ENOENT */

/*
 * boot_inherited - true if the launcher's variables in the environment belong to a node that
 * started this process, which is then not a node itself. (A node removes hlrcrun's; PMIx's stay,
 * for MPI in the same program.)
 */
bool boot_inherited(void);

/* boot_mark_environment - marks the environment: programs that this one starts are not nodes */
void boot_mark_environment(void);

/* boot_allow_single_copies - no page of this process will be protected, so MPI may read it from
 * other processes (boot_environment.c). Before MPI_Init. */
void boot_allow_single_copies(void);

#endif
