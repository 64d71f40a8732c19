/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_queue.c - see checkpoint_queue.h. */
#include "hlrc/checkpoint/checkpoint_queue.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define PIECES_LEAST 2
#define PIECE_ROOM   (CHECKPOINT_QUEUE_PIECE - sizeof(struct checkpoint_queue_piece))

/* ---- pieces ---- */

/* Aligned to its size, that of a huge page: the program waits for one fault instead of 512. */
static struct checkpoint_queue_piece *checkpoint_queue_allocate(void)
{
    const uintptr_t size = CHECKPOINT_QUEUE_PIECE;
    char *at = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    uintptr_t before = -(uintptr_t)at & (size - 1);
    if (before > 0)
        munmap(at, before);
    munmap(at + before + size, size - before);
    (void)madvise(at + before, size, MADV_HUGEPAGE);
    (void)madvise(at + before, size, MADV_DONTFORK);
    return (void *)(at + before);
}

static void checkpoint_queue_free_all(struct checkpoint_queue_piece *piece)
{
    while (piece) {
        struct checkpoint_queue_piece *next = piece->next;
        munmap(piece, CHECKPOINT_QUEUE_PIECE);
        piece = next;
    }
}

static void checkpoint_queue_keep(struct checkpoint_queue *q, struct checkpoint_queue_piece *piece)
{
    piece->used = 0;
    piece->next = q->unused;
    q->unused = piece;
}

int checkpoint_queue_open(struct checkpoint_queue *q, int (*room)(void))
{
    *q = (struct checkpoint_queue){ .room = room };
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_cond_init(&q->changed, NULL);
    for (; q->pieces < PIECES_LEAST; q->pieces++) {
        struct checkpoint_queue_piece *piece = checkpoint_queue_allocate();
        if (!piece) {
            checkpoint_queue_end(q);
            return -ENOMEM;
        }
        checkpoint_queue_keep(q, piece);
    }
    return 0;
}

void checkpoint_queue_end(struct checkpoint_queue *q)
{
    checkpoint_queue_free_all(q->first);
    checkpoint_queue_free_all(q->unused);
    checkpoint_queue_free_all(q->filling);
    (void)pthread_cond_destroy(&q->changed);
    (void)pthread_mutex_destroy(&q->lock);
    *q = (struct checkpoint_queue){ .pieces = 0 };
}

/* ---- the thread that fills it ---- */

static struct checkpoint_queue_piece *checkpoint_queue_take_unused(struct checkpoint_queue *q)
{
    struct checkpoint_queue_piece *piece = q->unused;
    if (piece)
        q->unused = piece->next;
    return piece;
}

/* A new piece, or NULL: there is no room. */
static struct checkpoint_queue_piece *checkpoint_queue_grow(struct checkpoint_queue *q)
{
    struct checkpoint_queue_piece *piece = q->room() == 0 ? checkpoint_queue_allocate() : NULL;
    if (!piece)
        return NULL;
    pthread_mutex_lock(&q->lock);
    q->pieces++;
    pthread_mutex_unlock(&q->lock);
    return piece;
}

static struct checkpoint_queue_piece *checkpoint_queue_await_unused(struct checkpoint_queue *q)
{
    struct checkpoint_queue_piece *piece;
    pthread_mutex_lock(&q->lock);
    q->waits = true;
    pthread_cond_broadcast(&q->changed); /* the other thread begins now */
    while (!(piece = checkpoint_queue_take_unused(q))) {
        q->waited = true;
        pthread_cond_wait(&q->changed, &q->lock);
    }
    q->waits = false;
    pthread_mutex_unlock(&q->lock);
    return piece;
}

static struct checkpoint_queue_piece *checkpoint_queue_next(struct checkpoint_queue *q)
{
    pthread_mutex_lock(&q->lock);
    struct checkpoint_queue_piece *piece = checkpoint_queue_take_unused(q);
    pthread_mutex_unlock(&q->lock);
    if (!piece)
        piece = checkpoint_queue_grow(q);
    return piece ? piece : checkpoint_queue_await_unused(q);
}

/* Passes on what has been filled. */
static void checkpoint_queue_pass(struct checkpoint_queue *q, bool closes)
{
    struct checkpoint_queue_piece *piece = q->filling;
    q->filling = NULL;
    pthread_mutex_lock(&q->lock);
    if (piece) {
        piece->next = NULL;
        *(q->first ? &q->last->next : &q->first) = piece;
        q->last = piece;
    }
    q->closed = closes;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void checkpoint_queue_put(struct checkpoint_queue *q, const void *from, size_t len)
{
    const char *at = from;
    while (len > 0) {
        if (!q->filling)
            q->filling = checkpoint_queue_next(q);
        size_t left = PIECE_ROOM - q->filling->used, n = left < len ? left : len;
        memcpy(q->filling->bytes + q->filling->used, at, n);
        q->filling->used += n;
        at += n;
        len -= n;
        if (n == left)
            checkpoint_queue_pass(q, false);
    }
}

void checkpoint_queue_close(struct checkpoint_queue *q)
{
    checkpoint_queue_pass(q, true);
}

/* ---- the thread that empties it ---- */

struct checkpoint_queue_piece *checkpoint_queue_take(struct checkpoint_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->closed && !(q->first && q->waits))
        pthread_cond_wait(&q->changed, &q->lock);
    struct checkpoint_queue_piece *piece = q->first;
    if (piece)
        q->first = piece->next;
    pthread_mutex_unlock(&q->lock);
    return piece;
}

void checkpoint_queue_release(struct checkpoint_queue *q, struct checkpoint_queue_piece *piece)
{
    pthread_mutex_lock(&q->lock);
    bool keeps = q->waits || q->pieces <= PIECES_LEAST;
    if (keeps)
        checkpoint_queue_keep(q, piece);
    else
        q->pieces--;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    if (!keeps)
        munmap(piece, CHECKPOINT_QUEUE_PIECE);
}
