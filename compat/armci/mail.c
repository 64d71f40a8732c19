/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mail.c - messages between two processes, by puts only.
 *
 * Each process has a slot for each sender, in a window. A message goes through it in chunks.
 *
 *   sender                                        receiver
 *   waits until the receiver has taken the last chunk
 *   puts the chunk, then `sent` ----------------> appends the chunk to its list
 *                                 <-------------- puts `taken` in the sender's slot for it
 *
 * Invariants
 *   - `sent` of a slot is written by its sender only, after the chunk; `taken` by the process that
 *     the slot's owner sends to. Both count chunks.
 *   - A process that waits, to send or to receive, takes in the chunks of all senders. So processes
 *     that send to each other do not wait for each other's receive.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "compat/armci/inner.h"

#define CHUNK  16320 /* a slot is 16 KiB */
#define SPINS  2000
#define YIELDS 20000
#define NAP_NS 50000

struct mail_chunk {
    uint64_t context, total; /* of the message, in bytes */
    int32_t tag;
    uint32_t bytes; /* in this chunk */
    char data[CHUNK];
};

struct mail_slot {
    _Atomic uint64_t sent, taken;
    uint64_t spare[2];
    struct mail_chunk chunk;
};

struct mail_message {
    struct mail_message *next;
    uint64_t context;
    size_t total, has;
    int tag;
    char data[];
};

/* From and to a process. Guarded. */
struct mail_peer {
    struct mail_message *first, **last; /* complete, except perhaps the last one */
    uint64_t taken, sent;
};

static struct mail_slot *slots;
static struct mail_peer *peers;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER; /* before guard */

void inner_armci_mail_start(void)
{
    size_t n = (size_t)armci_job.n;
    slots = hlrc_window_create(n * sizeof *slots);
    peers = calloc(n, sizeof *peers);
    if (!peers)
        fail_job("ARMCI_Init: no private memory for %zu processes", n);
    for (size_t i = 0; i < n; i++)
        peers[i].last = &peers[i].first;
}

void inner_armci_check_mail(const char *call)
{
    inner_armci_check(call, 0);
    if (!slots)
        fail_job("%s: no window for messages could be created; choose a fabric with reads and "
                 "atomics, or raise --memory",
                 call);
}

/* ---- arrivals ---- */

static struct mail_message *mail_message_begin(struct mail_peer *p, const struct mail_chunk *c)
{
    struct mail_message *m = malloc(sizeof *m + c->total);
    if (!m)
        fail_job("no private memory for an ARMCI message of %llu bytes",
                 (unsigned long long)c->total);
    *m = (struct mail_message){ NULL, c->context, c->total, 0, c->tag };
    *p->last = m;
    return m;
}

/* Guarded. */
static void mail_take_from(int from)
{
    struct mail_peer *p = &peers[from];
    const struct mail_slot *s = &slots[from];
    while (atomic_load_explicit(&s->sent, memory_order_acquire) != p->taken) {
        struct mail_message *m = *p->last ? *p->last : mail_message_begin(p, &s->chunk);
        memcpy(m->data + m->has, s->chunk.data, s->chunk.bytes);
        m->has += s->chunk.bytes;
        if (m->has == m->total)
            p->last = &m->next;
        p->taken++;
        hlrc_put(&slots[armci_job.me].taken, &p->taken, sizeof p->taken, from);
    }
}

static void mail_take_all(void)
{
    (void)pthread_mutex_lock(&guard);
    for (int i = 0; i < armci_job.n; i++)
        mail_take_from(i);
    (void)pthread_mutex_unlock(&guard);
}

/* ---- send ---- */

static void mail_chunk_send(struct mail_chunk *c, int to)
{
    const struct mail_slot *s = &slots[to];
    struct mail_peer *p = &peers[to];
    for (unsigned tries = 0; atomic_load_explicit(&s->taken, memory_order_acquire) != p->sent;
         tries++) {
        mail_take_all();
        backoff_pause(tries, SPINS, YIELDS, NAP_NS);
    }
    struct mail_slot *there = &slots[armci_job.me];
    hlrc_put(&there->chunk, c, offsetof(struct mail_chunk, data) + c->bytes, to);
    p->sent++;
    hlrc_put(&there->sent, &p->sent, sizeof p->sent, to);
}

void inner_armci_send(uint64_t context, int tag, const void *data, size_t bytes, int to)
{
    struct mail_chunk c;
    size_t done = 0;
    c.context = context;
    c.total = bytes;
    c.tag = tag;
    (void)pthread_mutex_lock(&sending);
    do {
        size_t len = bytes - done < CHUNK ? bytes - done : CHUNK;
        c.bytes = (uint32_t)len;
        if (len)
            memcpy(c.data, (const char *)data + done, len);
        mail_chunk_send(&c, to);
        done += len;
    } while (done < bytes);
    (void)pthread_mutex_unlock(&sending);
}

/* ---- receive ---- */

/* Unlinks the first complete message that fits, or returns NULL. Guarded. */
static struct mail_message *mail_find(struct mail_peer *p, uint64_t context, int tag)
{
    for (struct mail_message **m = &p->first; *m; m = &(*m)->next) {
        struct mail_message *found = *m;
        if (found->context != context || found->tag != tag || found->has != found->total)
            continue;
        *m = found->next;
        if (p->last == &found->next)
            p->last = m;
        return found;
    }
    return NULL;
}

static struct mail_message *mail_find_from(uint64_t context, int tag, int *from)
{
    struct mail_message *m = NULL;
    int first = *from < 0 ? 0 : *from, end = *from < 0 ? armci_job.n : *from + 1;
    mail_take_all();
    (void)pthread_mutex_lock(&guard);
    for (int i = first; !m && i < end; i++) {
        m = mail_find(&peers[i], context, tag);
        if (m)
            *from = i;
    }
    (void)pthread_mutex_unlock(&guard);
    return m;
}

size_t inner_armci_receive(const char *call, uint64_t context, int tag, void *data, size_t most,
                           int *from)
{
    struct mail_message *m;
    for (unsigned tries = 0; !(m = mail_find_from(context, tag, from)); tries++)
        backoff_pause(tries, SPINS, YIELDS, NAP_NS);
    size_t total = m->total;
    if (total > most)
        fail_job(
            "%s: the message of process %d has %zu bytes, the buffer %zu; pass a larger buffer",
            call, *from, total, most);
    if (total)
        memcpy(data, m->data, total);
    free(m);
    return total;
}
