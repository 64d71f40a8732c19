/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ends.h - the order in which processes ended.
 *
 * poll() and waitpid() do not tell which of two zombies ended first. An epoll instance does: it
 * reports descriptors in the order in which they became ready, and a pidfd becomes ready when its
 * process ends, before that process can be reaped.
 */
#ifndef HLRC_ENDS_H
#define HLRC_ENDS_H

struct ends {
    int epoll;
    int *order; /* numbers of the processes that have ended, in that order; `count` entries */
    int count, most;
};

int ends_open(struct ends *ends, int most); /* `most` processes at most; 0 or a negative errno */
int ends_watch(struct ends *ends, int number, int pidfd); /* before it may end; same result */
void ends_read(struct ends *ends);                        /* appends the new ones */
void ends_close(struct ends *ends);

#endif
