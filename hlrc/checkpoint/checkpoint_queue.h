/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_queue.h - bytes on their way from the thread that captures a checkpoint to the one
 * that writes it.
 *
 *   - Memory is allocated by pieces, while the host has room. Without room the first thread waits
 *     until the other has written a piece. There are two pieces at least, so one of them is always
 *     being filled, being written, or free: none waits for ever.
 *   - A forked child does not have the pieces.
 */
#ifndef HLRC_CHECKPOINT_QUEUE_H
#define HLRC_CHECKPOINT_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECKPOINT_QUEUE_PIECE ((size_t)2 << 20)

struct checkpoint_queue_piece {
    struct checkpoint_queue_piece *next;
    size_t used;
    char bytes[];
};

struct checkpoint_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under `lock` */
    struct checkpoint_queue_piece *first, *last, *unused;
    uint32_t pieces; /* allocated */
    bool closed, waits;
    /* of the thread that fills it */
    struct checkpoint_queue_piece *filling;
    int (*room)(void); /* 0: another piece may be allocated */
    bool waited;       /* for the other thread, since there was no room */
};

/* 0 or -ENOMEM. */
int checkpoint_queue_open(struct checkpoint_queue *q, int (*room)(void));
void checkpoint_queue_end(struct checkpoint_queue *q);

void checkpoint_queue_put(struct checkpoint_queue *q, const void *from, size_t len);
/* There is no more. */
void checkpoint_queue_close(struct checkpoint_queue *q);

/* The next piece, after the queue is closed, or while the other thread waits: compression would
 * take the CPU of those that capture. NULL: there is none any more. */
struct checkpoint_queue_piece *checkpoint_queue_take(struct checkpoint_queue *q);
void checkpoint_queue_release(struct checkpoint_queue *q, struct checkpoint_queue_piece *piece);

#endif
