/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * group.c - groups of processes, and their collectives.
 *
 * The lowest process of the list chooses the context of a group and sends it, with the list, to the
 * others, which compare. Contexts differ, since they contain that process and its count of groups.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compat/armci/inner.h"

#define GROUPS 4096 /* of one process at a time; 0 is the world */
#define NONE   (-1) /* number of a group that the caller is no member of */

static struct armci_group *groups[GROUPS];
static int preset; /* the default group */
static uint64_t led;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* guards these, except entry 0 */

static struct armci_group *group_alloc(const char *call, int size)
{
    struct armci_group *g = calloc(1, sizeof *g + (size_t)size * sizeof g->member[0]);
    if (!g)
        fail_job("%s: no private memory for a group of %d processes", call, size);
    g->size = size;
    return g;
}

const struct armci_group *inner_armci_world(void)
{
    (void)pthread_mutex_lock(&guard);
    if (!groups[0]) {
        struct armci_group *g = group_alloc("ARMCI_Init", armci_job.n);
        for (int i = 0; i < g->size; i++)
            g->member[i] = i;
        g->me = armci_job.me;
        g->comm = inner_armci_comm_create(g);
        groups[0] = g;
    }
    (void)pthread_mutex_unlock(&guard);
    return groups[0];
}

const struct armci_group *inner_armci_self(void)
{
    static struct armci_group *self;
    (void)pthread_mutex_lock(&guard);
    if (!self) {
        self = group_alloc("ARMCI_Memget", 1);
        self->context = CONTEXT_SELF;
        self->member[0] = armci_job.me;
    }
    (void)pthread_mutex_unlock(&guard);
    return self;
}

const struct armci_group *inner_armci_group(const char *call, const ARMCI_Group *group)
{
    inner_armci_check(call, 0);
    int number = group->number;
    if (number == 0)
        return inner_armci_world();
    if (number == NONE)
        fail_job("%s: process %d is not in the group; only its members make this call", call,
                 armci_job.me);
    if (number < 0 || number >= GROUPS || !groups[number])
        fail_job("%s: there is no group %d; pass one of ARMCI_Group_create, before "
                 "ARMCI_Group_free",
                 call, number);
    return groups[number];
}

/* ---- creation ---- */

static int group_store(const char *call, struct armci_group *g)
{
    int number = 1;
    (void)pthread_mutex_lock(&guard);
    while (number < GROUPS && groups[number])
        number++;
    if (number < GROUPS)
        groups[number] = g;
    (void)pthread_mutex_unlock(&guard);
    if (number == GROUPS)
        fail_job("%s: %d groups exist; free some with ARMCI_Group_free", call, GROUPS - 1);
    return number;
}

/* All members get the context; each has compared the list. */
static void group_invite(const char *call, struct armci_group *g)
{
    size_t bytes = (size_t)g->size * sizeof g->member[0];
    int lead = g->member[0];
    for (int i = 1; i < g->size; i++)
        lead = g->member[i] < lead ? g->member[i] : lead;
    if (lead == armci_job.me) {
        (void)pthread_mutex_lock(&guard);
        g->context = (uint64_t)lead << 32 | (++led & UINT32_MAX);
        (void)pthread_mutex_unlock(&guard);
        for (int i = 0; i < g->size; i++) {
            if (g->member[i] == lead)
                continue;
            inner_armci_send(CONTEXT_GROUP, 0, &g->context, sizeof g->context, g->member[i]);
            inner_armci_send(CONTEXT_GROUP, 1, g->member, bytes, g->member[i]);
        }
        return;
    }
    size_t room = (size_t)armci_job.n * sizeof g->member[0];
    int *list = malloc(room);
    if (!list)
        fail_job("%s: no private memory for a list of %d processes", call, armci_job.n);
    (void)inner_armci_receive(call, CONTEXT_GROUP, 0, &g->context, sizeof g->context, &lead);
    size_t has = inner_armci_receive(call, CONTEXT_GROUP, 1, list, room, &lead);
    if (has != bytes || memcmp(list, g->member, bytes) != 0)
        fail_job("%s: processes %d and %d pass different lists; pass one list on all members, and "
                 "create groups in one order",
                 call, armci_job.me, lead);
    free(list);
}

static void group_check_list(const char *call, const struct armci_group *parent, int count,
                             const int *procs)
{
    if (count < 1 || count > parent->size)
        fail_job("%s: %d processes; pass 1 to %d", call, count, parent->size);
    for (int i = 0; i < count; i++) {
        if (procs[i] < 0 || procs[i] >= parent->size)
            fail_job("%s: no process %d in the parent group; pass 0 to %d", call, procs[i],
                     parent->size - 1);
        for (int j = 0; j < i; j++)
            if (procs[i] == procs[j])
                fail_job("%s: process %d is in the list twice; pass it once", call, procs[i]);
    }
}

static void group_create(const char *call, int count, const int *procs, ARMCI_Group *group,
                         const struct armci_group *parent)
{
    inner_armci_check_mail(call);
    group_check_list(call, parent, count, procs);
    struct armci_group *g = group_alloc(call, count);
    g->me = NONE;
    for (int i = 0; i < count; i++) {
        g->member[i] = parent->member[procs[i]];
        if (g->member[i] == armci_job.me)
            g->me = i;
    }
    *group = (ARMCI_Group){ NULL, NONE };
    if (g->me == NONE) {
        free(g);
        return;
    }
    group_invite(call, g);
    g->comm = inner_armci_comm_create(g);
    *group = (ARMCI_Group){ g->comm, group_store(call, g) };
}

/* The ranks are those in the default group. */
void ARMCI_Group_create(int count, int *procs, ARMCI_Group *group)
{
    ARMCI_Group parent = { NULL, preset };
    group_create("ARMCI_Group_create", count, procs, group,
                 inner_armci_group("ARMCI_Group_create", &parent));
}

void ARMCI_Group_create_child(int count, int *procs, ARMCI_Group *group, ARMCI_Group *parent)
{
    group_create("ARMCI_Group_create_child", count, procs, group,
                 inner_armci_group("ARMCI_Group_create_child", parent));
}

/* The world, and a group of others, stay. */
void ARMCI_Group_free(ARMCI_Group *group)
{
    inner_armci_check("ARMCI_Group_free", 0);
    if (group->number == 0 || group->number == NONE)
        return;
    inner_armci_comm_free(inner_armci_group("ARMCI_Group_free", group));
    (void)pthread_mutex_lock(&guard);
    free(groups[group->number]);
    groups[group->number] = NULL;
    if (preset == group->number)
        preset = 0;
    (void)pthread_mutex_unlock(&guard);
    *group = (ARMCI_Group){ NULL, NONE };
}

/* ---- queries ---- */

int ARMCI_Group_rank(ARMCI_Group *group, int *rank)
{
    inner_armci_check("ARMCI_Group_rank", 0);
    if (group->number == NONE) {
        *rank = -1;
        return 1;
    }
    *rank = inner_armci_group("ARMCI_Group_rank", group)->me;
    return 0;
}

void ARMCI_Group_size(ARMCI_Group *group, int *size)
{
    *size = inner_armci_group("ARMCI_Group_size", group)->size;
}

void ARMCI_Group_get_default(ARMCI_Group *group)
{
    *group = (ARMCI_Group){ NULL, preset };
    group->comm = inner_armci_group("ARMCI_Group_get_default", group)->comm;
}

void ARMCI_Group_set_default(ARMCI_Group *group)
{
    (void)inner_armci_group("ARMCI_Group_set_default", group);
    preset = group->number;
}

void ARMCI_Group_get_world(ARMCI_Group *group)
{
    inner_armci_check("ARMCI_Group_get_world", 0);
    *group = (ARMCI_Group){ inner_armci_world()->comm, 0 };
}

int ARMCI_Absolute_id(ARMCI_Group *group, int rank)
{
    const struct armci_group *g = inner_armci_group("ARMCI_Absolute_id", group);
    if (rank < 0 || rank >= g->size)
        fail_job("ARMCI_Absolute_id: no rank %d; pass 0 to %d", rank, g->size - 1);
    return g->member[rank];
}

/* ---- collectives ---- */

static void group_send(const struct armci_group *g, const void *data, size_t bytes, int rank)
{
    inner_armci_send(g->context, 0, data, bytes, g->member[rank]);
}

static void group_receive(const struct armci_group *g, void *data, size_t bytes, int rank)
{
    int from = g->member[rank];
    (void)inner_armci_receive("a collective call of a group", g->context, 0, data, bytes, &from);
}

/* Dissemination. */
void inner_armci_meet(const struct armci_group *g)
{
    for (int by = 1; by < g->size; by *= 2) {
        group_send(g, NULL, 0, (g->me + by) % g->size);
        group_receive(g, NULL, 0, (g->me - by + g->size) % g->size);
    }
}

/* Binomial tree: counted from the root, a rank's parent is its number without the highest bit. */
void inner_armci_spread(const struct armci_group *g, void *data, size_t bytes, int root)
{
    int rank = (g->me - root + g->size) % g->size, bit = 1;
    while (bit <= rank)
        bit *= 2;
    if (rank > 0)
        group_receive(g, data, bytes, (rank - bit / 2 + root) % g->size);
    for (; rank + bit < g->size; bit *= 2)
        group_send(g, data, bytes, (rank + bit + root) % g->size);
}

/* Up a tree to rank 0, whose children have one more low bit, and down again. */
void inner_armci_combine(const struct armci_group *g, void *data, size_t bytes,
                         armci_combine *combine, void *arg)
{
    void *other = malloc(bytes ? bytes : 1);
    if (!other)
        fail_job("no private memory for %zu bytes of a reduction", bytes);
    for (int bit = 1; bit < g->size; bit *= 2) {
        if (g->me & bit) {
            group_send(g, data, bytes, g->me - bit);
            break;
        }
        if (g->me + bit >= g->size)
            continue;
        group_receive(g, other, bytes, g->me + bit);
        combine(data, other, arg);
    }
    free(other);
    inner_armci_spread(g, data, bytes, 0);
}
