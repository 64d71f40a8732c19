/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.c - see table.h for the invariants. */
#include "compat/pthread/table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compat/pthread/sole.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#define NAME_ENTRY_BITS 12 /* of a name; the other bits count names */

struct table *table;

static uint32_t per_node;
static enum { CYCLIC, BLOCK, LOCAL } placement;
static uint32_t block; /* consecutive threads placed on one node */

static pthread_t table_new_name(uint32_t entry)
{
    return ++table->names << NAME_ENTRY_BITS | entry;
}

static void table_read_placement(void)
{
    const char *text = getenv("HLRC_PLACEMENT"), *threads = getenv("HLRC_THREADS_PER_NODE");
    if (text && strcmp(text, "block") == 0)
        placement = BLOCK;
    else if (text && strcmp(text, "local") == 0)
        placement = LOCAL;
    block = threads && *threads ? (uint32_t)strtoul(threads, NULL, 10) : 1;
}

static void pthread_table_make(void)
{
    table = hlrc_aligned_alloc(4096, sizeof *table);
    if (!table)
        start_fail("no shared memory for the table of threads; raise --memory");
    for (int n = 0; n < hlrc_node_count(); n++) {
        table->nodes[n].full = true; /* until the agent has looked */
        if (hlrc_cond_create(&table->nodes[n].news) != 0)
            start_fail("no condition variable for node %d", n);
    }
    if (hlrc_atomic_create(&table->ended, 0) != 0)
        start_fail("no atomic word for the end");
    for (uint32_t i = 0; i <= TABLE_THREADS; i++)
        table->entries[i].node = -1;
    table->entries[0].node = 0;
    table->entries[0].state = ENTRY_RUNNING;
    table->entries[0].name = table_new_name(0);
    table->span = hlrc_node_count();
}

void table_begin(uint32_t most)
{
    per_node = most;
    table_read_placement();
    if (hlrc_node_id() == 0)
        pthread_table_make();
    if (hlrc_broadcast(&table, sizeof table, 0) != 0)
        start_fail("threads: hlrc_broadcast failed");
}

/* Main is the first thread of node 0. */
static int table_node_in_turn(uint32_t number)
{
    uint32_t nodes = (uint32_t)hlrc_node_count();
    switch (placement) {
    case BLOCK:
        return (int)((number + 1) / block % nodes);
    case LOCAL:
        return 0;
    default:
        return (int)((number + 1) % nodes);
    }
}

static int table_node_with_room(int wanted)
{
    int nodes = hlrc_node_count();
    for (int i = 0; i < nodes; i++)
        if (table->nodes[(wanted + i) % nodes].threads < per_node)
            return (wanted + i) % nodes;
    return -1;
}

/* An entry that this node has used before, else one that no node has, else any. */
static uint32_t table_free_entry(int node)
{
    uint32_t fresh = 0, other = 0;
    for (uint32_t i = 1; i <= TABLE_THREADS; i++) {
        const struct table_entry *e = &table->entries[i];
        if (e->state != ENTRY_FREE)
            continue;
        if (e->node == node)
            return i;
        if (e->node < 0)
            return fresh ? fresh : i;
        if (!other)
            other = i;
    }
    return other;
}

static void table_post(uint32_t entry, int node)
{
    struct table_mailbox *m = &table->nodes[node];
    if (m->last)
        table->entries[m->last].next = entry;
    else
        m->first = entry;
    m->last = entry;
    m->threads++;
    if (node != 0)
        sole_set(false); /* [sole.published] */
    hlrc_cond_signal(m->news);
}

bool table_is_local(void)
{
    return placement == LOCAL;
}

bool table_has_room(void)
{
    return per_node >= TABLE_THREADS;
}

uint32_t table_ask_on(int node, void *(*fn)(void *), void *arg, bool detached)
{
    uint32_t i = table_free_entry(node);
    if (!i)
        return 0;
    const struct table_entry *before = &table->entries[i];
    table->entries[i] = (struct table_entry){ .state = ENTRY_ASKED_FOR,
                                              .detached = detached,
                                              .node = node,
                                              .home = node,
                                              .variables = before->variables,
                                              .values = before->values,
                                              .carried = before->carried,
                                              .name = table_new_name(i),
                                              .fn = fn,
                                              .arg = arg };
    table->live++;
    table_post(i, node);
    return i;
}

uint32_t table_ask(void *(*fn)(void *), void *arg, bool detached)
{
    int home = table_node_in_turn(table->created);
    int node = table_node_with_room(home - home % table->span);
    uint32_t i = node < 0 ? 0 : table_ask_on(node, fn, arg, detached);
    if (i) {
        table->entries[i].home = home;
        table->created++;
    }
    return i;
}

bool table_move(uint32_t entry, int to)
{
    struct table_entry *e = &table->entries[entry];
    if (table->nodes[to].threads >= per_node)
        return false;
    table->nodes[e->node].threads--;
    e->node = to;
    e->state = ENTRY_ASKED_FOR;
    e->next = 0;
    table_post(entry, to);
    table->nodes[to].signals += e->signals != 0;
    table->moves++;
    return true;
}

static void table_wake_agents(void)
{
    for (int n = 0; n < hlrc_node_count(); n++)
        hlrc_cond_signal(table->nodes[n].news);
}

void table_tell_all(void)
{
    sole_set(false); /* [sole.published] */
    table_wake_agents();
}

void table_end(void)
{
    (void)hlrc_atomic_exchange(table->ended, 1);
    table_wake_agents();
}

uint32_t table_take(int node)
{
    struct table_mailbox *m = &table->nodes[node];
    uint32_t i = m->first;
    if (!i)
        return 0;
    m->first = table->entries[i].next;
    if (!m->first)
        m->last = 0;
    table->entries[i].state = ENTRY_RUNNING;
    return i;
}

struct table_entry *table_find(pthread_t name)
{
    uint32_t i = (uint32_t)(name & ((1u << NAME_ENTRY_BITS) - 1));
    if (i > TABLE_THREADS)
        return NULL;
    struct table_entry *e = &table->entries[i];
    return e->state != ENTRY_FREE && e->name == name ? e : NULL;
}

void table_free(struct table_entry *e)
{
    e->name = 0;
    e->freed = e->awaited;
    if (!e->awaited)
        e->state = ENTRY_FREE;
}

bool table_await_start(uint32_t entry)
{
    struct table_entry *e = &table->entries[entry];
    e->awaited = true;
    (void)monitor_queue_wait(&e->creator, LOCK_THREADS, 0, NULL);
    e->awaited = false;
    bool started = !e->refused;
    if (e->freed)
        table_free(e);
    return started;
}

void table_report_start(uint32_t entry, bool started)
{
    struct table_entry *e = &table->entries[entry];
    if (!started) {
        e->refused = e->detached = true;
        table_done(e);
    }
    monitor_queue_wake_all(&e->creator);
}

void table_done(struct table_entry *e)
{
    e->state = ENTRY_DONE;
    monitor_queue_wake_all(&e->joiners);
    if (e != &table->entries[0]) {
        table->nodes[e->node].threads--;
        if (--table->live == 0)
            monitor_queue_wake_all(&table->all_done);
    }
    if (e->detached)
        table_free(e);
}
