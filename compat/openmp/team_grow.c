/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_grow.c - see team_grow.h. */
#include "compat/openmp/team_grow.h"

#include <stdlib.h>
#include <string.h>

#include "compat/openmp/gather.h"
#include "compat/openmp/places.h"
#include "compat/openmp/team_plan.h"
#include "compat/start/early.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

struct team_grow_thread {
    struct lane lane;
    void (*serve)(struct lane *lane);
    struct team_grow_thread *next;
};
static struct team_grow_thread *threads;

/* The engine has --threads slots. */
int team_grow_most(int lanes)
{
    static int most;
    if (start_sharing || !team_plan.shown) /* the program is one of POSIX threads */
        return lanes;
    if (!most) {
        int slots = early_number("HLRC_THREADS");
        most = (slots ? slots : THREADS_DEFAULT) - THREADS_OWN;
    }
    return most > lanes ? most : lanes;
}

static void *team_grow_body(void *arg)
{
    struct team_grow_thread *t = arg;
    t->serve(&t->lane);
    return NULL;
}

static void team_grow_start(int from, int to, void (*serve)(struct lane *lane))
{
    for (int k = from; k < to; k++) {
        struct team_grow_thread *t = calloc(1, sizeof *t);
        if (!t)
            start_fail("OpenMP: no memory for thread %d", k);
        t->serve = serve;
        t->next = threads;
        threads = t;
        int rc = lane_start(&t->lane, k, start_image.tls_room, team_grow_body, t);
        if (rc)
            start_thread_fail(k, rc);
    }
}

bool team_grow(int from, int to, bool (*grow)(int lanes), void (*serve)(struct lane *lane))
{
    places_grow(to);
    bool has_phases = grow && grow(to);
    gather_run_here(to, false);
    team_grow_start(from, to, serve);
    return has_phases;
}

void team_grow_end(void)
{
    for (const struct team_grow_thread *t = threads; t; t = t->next)
        pthread_join(t->lane.thread, NULL);
}
