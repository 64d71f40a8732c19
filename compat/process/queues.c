/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * queues.c - messages of System V. A system call fails with EFAULT if memory is inaccessible at
 * that moment, as any shared page may be, so they go through private memory. These functions
 * replace the C library's in the whole process, as those of calls.c do.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/types.h>

#include "compat/pthread/wrap.h"
#include "compat/start/start.h"

#define EXPORTED __attribute__((visibility("default")))
#define LIBC(name)     \
    static void *next; \
    __typeof__(&name) libc = (__typeof__(&name))(uintptr_t)wrap_next(&next, #name)

/* A message is a long and `len` bytes. */
static void *queues_copy(const void *from, size_t bytes)
{
    void *mine = bytes < SIZE_MAX / 2 ? malloc(bytes) : NULL;
    if (mine && from)
        memcpy(mine, from, bytes);
    if (!mine)
        errno = ENOMEM;
    return mine;
}

static void queues_free(void *mine)
{
    int before = errno;
    free(mine);
    errno = before;
}

EXPORTED int msgsnd(int id, const void *message, size_t len, int flags)
{
    LIBC(msgsnd);
    if (!start_sharing || !start_is_shared(message))
        return libc(id, message, len, flags);
    void *mine = queues_copy(message, sizeof(long) + len);
    int rc = mine ? libc(id, mine, len, flags) : -1;
    queues_free(mine);
    return rc;
}

EXPORTED ssize_t msgrcv(int id, void *message, size_t len, long type, int flags)
{
    LIBC(msgrcv);
    if (!start_sharing || !start_is_shared(message))
        return libc(id, message, len, type, flags);
    void *mine = queues_copy(NULL, sizeof(long) + len);
    ssize_t got = mine ? libc(id, mine, len, type, flags) : -1;
    if (got >= 0)
        memcpy(message, mine, sizeof(long) + (size_t)got);
    queues_free(mine);
    return got;
}

/* What the state of a queue is copied to is not larger. */
EXPORTED int msgctl(int id, int command, struct msqid_ds *state)
{
    LIBC(msgctl);
    if (!start_sharing || !state || !start_is_shared(state))
        return libc(id, command, state);
    struct msqid_ds *mine = queues_copy(state, sizeof *state);
    int rc = mine ? libc(id, command, mine) : -1;
    if (rc >= 0)
        *state = *mine;
    queues_free(mine);
    return rc;
}
