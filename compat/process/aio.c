/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * aio.c - asynchronous input and output, by node 0 (delegate.h).
 *
 * Invariants
 *   [aio.private] The C library transfers in threads of its own. They block all signals, so they
 *       can access no shared memory. So the C library gets control blocks, lists and buffers of
 *       private memory, on a private stack. Data that was read, and results, are copied to the
 *       program's when it first asks for the result of a transfer that has ended.
 */
#include <aio.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/process/pending.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* Of node 0; guarded by the mutex, which is not held while the C library waits. */
struct aio_transfer {
    struct aiocb mine;
    struct aiocb *theirs;
    bool reads;
    int users; /* waiting threads, and the list */
    struct aio_transfer *next;
};
static struct aio_transfer *transfers; /* the latest first */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- transfers ---- */

/* Under the mutex. */
static struct aio_transfer *aio_find(const struct aiocb *theirs)
{
    struct aio_transfer *t = transfers;
    while (t && t->theirs != theirs)
        t = t->next;
    return t;
}

static void aio_drop_user(struct aio_transfer *t)
{
    if (--t->users > 0)
        return;
    free((void *)(uintptr_t)t->mine.aio_buf);
    free(t);
}

static void aio_unlink(struct aio_transfer *t)
{
    struct aio_transfer **at = &transfers;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    aio_drop_user(t);
}

/* Its result: EINPROGRESS, or what it has ended with, which the program's block has from then on.
 */
static int aio_settle(struct aio_transfer *t)
{
    int error = aio_error(&t->mine);
    if (error == EINPROGRESS)
        return error;
    ssize_t result = aio_return(&t->mine);
    if (t->reads && result > 0)
        memcpy((void *)(uintptr_t)t->theirs->aio_buf, (void *)(uintptr_t)t->mine.aio_buf,
               (size_t)result);
    t->theirs->__error_code = error;
    t->theirs->__return_value = result;
    aio_unlink(t);
    return error;
}

/* [aio.private]. NULL, with errno: no memory. */
static struct aio_transfer *aio_add(struct aiocb *theirs, bool reads, bool writes)
{
    struct aio_transfer *t = calloc(1, sizeof *t);
    void *buffer = t && (reads || writes) ? malloc(theirs->aio_nbytes + 1) : NULL;
    if (!t || ((reads || writes) && !buffer) ||
        !pending_copy(&t->mine.aio_sigevent, &theirs->aio_sigevent)) {
        free(buffer);
        free(t);
        errno = EAGAIN;
        return NULL;
    }
    t->mine.aio_fildes = theirs->aio_fildes;
    t->mine.aio_lio_opcode = theirs->aio_lio_opcode;
    t->mine.aio_reqprio = theirs->aio_reqprio;
    t->mine.aio_offset = theirs->aio_offset;
    t->mine.aio_nbytes = theirs->aio_nbytes;
    t->mine.aio_buf = buffer;
    if (writes)
        memcpy(buffer, (void *)(uintptr_t)theirs->aio_buf, theirs->aio_nbytes);
    t->theirs = theirs;
    t->reads = reads;
    t->users = 1;
    struct aio_transfer *before = aio_find(theirs);
    if (before) /* the program does not want its result */
        aio_unlink(before);
    t->next = transfers;
    transfers = t;
    return t;
}

/* ---- calls, on the private stack ---- */

struct aio_call {
    int (*fn)(struct aio_call *c);
    int what, count; /* operation or mode; entries of the list */
    struct aiocb *one;
    struct aiocb *const *list;
    void *other; /* the time or the event */
    int result, error;
    sigset_t mask; /* of the caller, whose handlers may call these functions, too */
};

static void aio_enter(struct aio_call *c)
{
    lane_block_signals(&c->mask);
    pthread_mutex_lock(&mutex);
}

static void aio_leave(struct aio_call *c)
{
    pthread_mutex_unlock(&mutex);
    (void)pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
}

static void aio_perform(void *arg)
{
    struct aio_call *c = arg;
    aio_enter(c);
    c->result = c->fn(c);
    c->error = errno;
    aio_leave(c);
}

/* `result` and errno of the call. */
static int aio_call(struct aio_call c)
{
    lane_call(aio_perform, &c);
    errno = c.error;
    return c.result;
}

enum { AIO_READ = 100, AIO_WRITE };

static int aio_begin(struct aio_call *c)
{
    struct aio_transfer *t = aio_add(c->one, c->what == AIO_READ, c->what == AIO_WRITE);
    if (!t)
        return -1;
    int rc = c->what == AIO_READ    ? aio_read(&t->mine)
             : c->what == AIO_WRITE ? aio_write(&t->mine)
                                    : aio_fsync(c->what, &t->mine);
    int error = errno;
    if (rc != 0)
        aio_unlink(t);
    errno = error;
    return rc;
}

static int aio_ask(struct aio_call *c)
{
    struct aio_transfer *t = aio_find(c->one);
    return t ? aio_settle(t) : c->one->__error_code;
}

static int aio_stop(struct aio_call *c)
{
    struct aio_transfer *t = c->one ? aio_find(c->one) : NULL;
    return c->one && !t ? AIO_ALLDONE : aio_cancel(c->what, t ? &t->mine : NULL);
}

/* The C library waits for all transfers of the list, or, with a mode, begins them first. */
static int aio_wait(struct aio_call *c, struct aio_transfer **each, struct aiocb **mine)
{
    for (int i = 0; i < c->count; i++)
        mine[i] = each[i] ? &each[i]->mine : NULL;
    for (int i = 0; i < c->count; i++)
        if (each[i])
            each[i]->users++;
    aio_leave(c);
    int rc = c->what < 0 ? aio_suspend((const struct aiocb *const *)mine, c->count, c->other)
                         : lio_listio(c->what, mine, c->count, c->other);
    int error = errno;
    aio_enter(c);
    for (int i = 0; i < c->count; i++)
        if (each[i]) {
            if (aio_find(each[i]->theirs) == each[i])
                (void)aio_settle(each[i]);
            aio_drop_user(each[i]);
        }
    errno = error;
    return rc;
}

/* Transfers of the list's entries: begun before, or, with a mode, added. False: no memory. */
static bool aio_collect(struct aio_call *c, struct aio_transfer **each, bool *ended)
{
    for (int i = 0; i < c->count; i++) {
        struct aiocb *one = c->list[i];
        int op = one ? one->aio_lio_opcode : LIO_NOP;
        if (one && c->what < 0)
            each[i] = aio_find(one);
        else if (op != LIO_NOP && !(each[i] = aio_add(one, op == LIO_READ, op == LIO_WRITE)))
            return false;
        *ended |= one && !each[i];
    }
    return true;
}

static int aio_each(struct aio_call *c)
{
    size_t count = c->count > 0 ? (size_t)c->count : 0;
    struct aio_transfer **each = calloc(count + 1, sizeof *each);
    struct aiocb **mine = calloc(count + 1, sizeof *mine);
    bool ended = false;
    int rc = -1;
    if (!each || !mine || !aio_collect(c, each, &ended))
        errno = EAGAIN;
    else
        rc = c->what < 0 && ended ? 0 : aio_wait(c, each, mine);
    int error = errno;
    free(each);
    free(mine);
    errno = error;
    return rc;
}

/* ---- the program's calls ---- */

HERE(int, aio_read, (struct aiocb * one), (one), WORDS((long)one))
{
    return aio_call((struct aio_call){ .fn = aio_begin, .what = AIO_READ, .one = one });
}

HERE(int, aio_write, (struct aiocb * one), (one), WORDS((long)one))
{
    return aio_call((struct aio_call){ .fn = aio_begin, .what = AIO_WRITE, .one = one });
}

HERE(int, aio_fsync, (int how, struct aiocb *one), (how, one), WORDS(how, (long)one))
{
    return aio_call((struct aio_call){ .fn = aio_begin, .what = how, .one = one });
}

HERE(int, aio_error, (const struct aiocb *one), (one), WORDS((long)one))
{
    return aio_call((struct aio_call){ .fn = aio_ask, .one = (struct aiocb *)(uintptr_t)one });
}

HERE(ssize_t, aio_return, (struct aiocb * one), (one), WORDS((long)one))
{
    (void)aio_call((struct aio_call){ .fn = aio_ask, .one = one });
    return one->__return_value;
}

HERE(int, aio_cancel, (int fd, struct aiocb *one), (fd, one), WORDS(fd, (long)one))
{
    return aio_call((struct aio_call){ .fn = aio_stop, .what = fd, .one = one });
}

HERE(int, lio_listio, (int mode, struct aiocb *const *list, int count, struct sigevent *event),
     (mode, list, count, event), WORDS(mode, (long)list, count, (long)event))
{
    struct sigevent mine;
    if (event && !pending_copy(&mine, event))
        return -1;
    if (mode != LIO_WAIT && mode != LIO_NOWAIT) {
        errno = EINVAL;
        return -1;
    }
    return aio_call((struct aio_call){ .fn = aio_each,
                                       .what = mode,
                                       .list = list,
                                       .count = count,
                                       .other = event ? &mine : NULL });
}

static int aio_suspend_here(const struct aiocb *const *list, int count, const struct timespec *time)
{
    struct timespec mine = time ? *time : (struct timespec){ 0 };
    return aio_call((struct aio_call){ .fn = aio_each,
                                       .what = -1,
                                       .list = (struct aiocb *const *)(uintptr_t)list,
                                       .count = count,
                                       .other = time ? &mine : NULL });
}

int __wrap_aio_suspend(const struct aiocb *const *list, int count, const struct timespec *time)
{
    delegate_point();
    int rc = !start_sharing       ? aio_suspend(list, count, time)
             : delegate_is_away() ? (int)DELEGATE(aio_suspend_here, (long)list, count, (long)time)
                                  : aio_suspend_here(list, count, time);
    delegate_point();
    return rc;
}

#define ALIAS(name, as) \
    extern __typeof__(__wrap_##as) __wrap_##name __attribute__((alias("__wrap_" #as)))
ALIAS(aio_read64, aio_read);
ALIAS(aio_write64, aio_write);
ALIAS(aio_fsync64, aio_fsync);
ALIAS(aio_error64, aio_error);
ALIAS(aio_return64, aio_return);
ALIAS(aio_cancel64, aio_cancel);
ALIAS(lio_listio64, lio_listio);
ALIAS(aio_suspend64, aio_suspend);
