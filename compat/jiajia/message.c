/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * message.c - JIAJIA's messages, in shared memory: each host has an inbox, a list of messages in
 * order of arrival, under its own lock.
 *
 * Invariants
 *   - Messages from one host to another are taken in the order in which they were sent, among the
 *     messages that match the request. A sender never waits.
 *   - Messages of jia_bcast, jia_reduce and jia_loadcheck have separate kinds: jia_recv takes none
 *     of them, whatever its tag.
 */
#include <errno.h>
#include <hlrc.h>
#include <stdlib.h>
#include <string.h>

#include "compat/jiajia/jia.h"
#include "compat/jiajia/jiajia.h"

#define PAGE 4096

enum message_kind { MESSAGE, BCAST, REDUCE, LOAD };

struct message {
    struct message *next;
    int from, tag, len;
    enum message_kind kind;
    char data[];
};

/* A page for each host. */
struct message_inbox {
    hlrc_lock_t lock;
    hlrc_cond_t came;
    struct message *first, *last; /* guarded by the lock; last is valid while first is not NULL */
    char rest[PAGE - 2 * sizeof(hlrc_lock_t) - 2 * sizeof(void *)];
};

static struct message_inbox *inboxes;

void jiajia_message_begin(void)
{
    inboxes = hlrc_malloc_all((size_t)jia_hosts * sizeof *inboxes);
    if (!inboxes)
        jia_error("jia_init: cannot create inboxes: %s", strerror(errno));
    struct message_inbox *in = &inboxes[jia_pid];
    if (hlrc_lock_create(&in->lock) < 0 || hlrc_cond_create(&in->came) < 0)
        jia_error("jia_init: no memory for inboxes");
}

static void message_post(const void *buf, int len, int host, int tag, enum message_kind kind)
{
    struct message *m = hlrc_malloc(sizeof *m + (size_t)len);
    if (!m)
        jia_error("jia_send: no shared memory left for %d bytes; raise --memory", len);
    m->from = jia_pid;
    m->tag = tag;
    m->len = len;
    m->kind = kind;
    memcpy(m->data, buf, (size_t)len);
    struct message_inbox *to = &inboxes[host];
    hlrc_lock(to->lock);
    if (to->first)
        to->last->next = m;
    else
        to->first = m;
    to->last = m;
    hlrc_cond_signal(to->came);
    hlrc_unlock(to->lock);
}

/* Takes the first match out of the list; the lock is held. */
static struct message *message_find(struct message_inbox *in, int host, int tag,
                                    enum message_kind kind)
{
    struct message *before = NULL, *m = in->first;
    while (m && (m->kind != kind || (host != MSG_PROC_ALL && m->from != host) ||
                 (tag != MSG_TAG_ALL && m->tag != tag))) {
        before = m;
        m = m->next;
    }
    if (!m)
        return NULL;
    if (before)
        before->next = m->next;
    else
        in->first = m->next;
    if (in->last == m)
        in->last = before;
    return m;
}

static int message_receive(void *buf, int len, int host, int tag, enum message_kind kind)
{
    struct message_inbox *in = &inboxes[jia_pid];
    struct message *m;
    hlrc_lock(in->lock);
    while (!(m = message_find(in, host, tag, kind)))
        hlrc_cond_wait(in->came, in->lock);
    hlrc_unlock(in->lock);
    if (len > m->len)
        len = m->len;
    memcpy(buf, m->data, (size_t)len);
    hlrc_free(m);
    return len;
}

static void message_check_len(const char *call, int len)
{
    if (len < 0)
        jia_error("%s: %d bytes; pass 0 or more", call, len);
}

void jia_send(const void *buf, int len, int host, int tag)
{
    jiajia_check("jia_send", "host", host, jia_hosts);
    message_check_len("jia_send", len);
    message_post(buf, len, host, tag, MESSAGE);
}

int jia_recv(void *buf, int len, int host, int tag)
{
    if (host != MSG_PROC_ALL)
        jiajia_check("jia_recv", "host", host, jia_hosts);
    message_check_len("jia_recv", len);
    return message_receive(buf, len, host, tag, MESSAGE);
}

void jia_bcast(void *buf, int len, int root)
{
    jiajia_check("jia_bcast", "host", root, jia_hosts);
    message_check_len("jia_bcast", len);
    if (jia_pid != root) {
        int came = message_receive(buf, len, root, 0, BCAST);
        if (came != len)
            jia_error("jia_bcast: host %d sends %d bytes, host %d receives %d; pass one size on "
                      "all hosts",
                      root, came, jia_pid, len);
        return;
    }
    for (int host = 0; host < jia_hosts; host++)
        if (host != root)
            message_post(buf, len, host, 0, BCAST);
}

/* ---- reductions ---- */

#define REDUCE_WITH(type)                                         \
    for (int i = 0; i < count; i++) {                             \
        type *a = (type *)to + i;                                 \
        const type b = ((const type *)from)[i];                   \
        *a = how == 0 ? *a + b : (how == 1) == (b > *a) ? b : *a; \
    }

/* how: 0 sum, 1 maximum, 2 minimum */
static void message_combine(void *to, const void *from, int count, int op)
{
    int how = op % 10;
    if (op < SUM_FLOAT) {
        REDUCE_WITH(int)
    } else if (op < SUM_DOUBLE) {
        REDUCE_WITH(float)
    } else {
        REDUCE_WITH(double)
    }
}

static size_t message_size_of(int op)
{
    if (op < 0 || op > MIN_DOUBLE || op % 10 > 2)
        jia_error("jia_reduce: unknown operation %d", op);
    return op < SUM_FLOAT ? sizeof(int) : op < SUM_DOUBLE ? sizeof(float) : sizeof(double);
}

void jia_reduce(const void *from, void *to, int count, int op, int root)
{
    size_t len = message_size_of(op) * (size_t)(count > 0 ? count : 0);
    jiajia_check("jia_reduce", "host", root, jia_hosts);
    message_check_len("jia_reduce", count);
    if (len > 0x7fffffff)
        jia_error("jia_reduce: %d numbers exceed the limit of 2 GiB", count);
    if (jia_pid != root) {
        message_post(from, (int)len, root, op, REDUCE);
        return;
    }
    memmove(to, from, len);
    void *theirs = malloc(len ? len : 1);
    if (!theirs)
        jia_error("jia_reduce: no memory left for %zu bytes", len);
    for (int host = 0; host < jia_hosts; host++) {
        if (host == root)
            continue;
        int came = message_receive(theirs, (int)len, host, op, REDUCE);
        if (came != (int)len)
            jia_error(
                "jia_reduce: host %d has %d bytes, host %d has %zu; pass one size on all hosts",
                host, came, root, len);
        message_combine(to, theirs, count, op);
    }
    free(theirs);
}

void jiajia_message_gather(float mine, float *times)
{
    for (int host = 0; host < jia_hosts; host++)
        message_post(&mine, sizeof mine, host, 0, LOAD);
    for (int host = 0; host < jia_hosts; host++)
        (void)message_receive(&times[host], sizeof times[host], host, 0, LOAD);
}
