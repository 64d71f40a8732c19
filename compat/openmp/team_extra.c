/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_extra.c - see team_extra.h for the invariants. */
#include "compat/openmp/team_extra.h"

#include <hlrc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/futex.h"
#include "compat/openmp/places.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

struct team_extra {
    struct lane lane;
    int place;
    bool stays;
    void (*fn)(void *); /* NULL: it ends */
    void *arg;
    _Atomic uint32_t asked, done; /* calls of fn, if it stays */
    struct team_extra *next;
};

/* Of this node; guarded by the mutex. */
static struct team_extra *all, *idle;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* By number - 1; only thread 0 of the job uses them. */
static struct team_extra **kept;
static int kept_count;
static bool kept_run;

/* ---- on the thread ---- */

static void team_extra_serve(struct team_extra *e)
{
    for (uint32_t seen = 0;; seen++) {
        while (atomic_load(&e->asked) == seen)
            futex_wait(&e->asked, seen, -1);
        if (!e->fn)
            return;
        lane_run(&e->lane, e->fn, e->arg);
        atomic_store(&e->done, seen + 1);
        futex_wake(&e->done, 1);
    }
}

static void *team_extra_body(void *arg)
{
    struct team_extra *e = arg;
    places_inherit(e->place);
    if (e->stays)
        team_extra_serve(e);
    else
        lane_run(&e->lane, e->fn, e->arg);
    return NULL;
}

/* ---- by the team's thread 0 ---- */

/* The caller has counted it: there is one. */
static struct team_extra *team_extra_take(void)
{
    pthread_mutex_lock(&mutex);
    if (!all) {
        all = calloc((size_t)start_extras, sizeof *all);
        if (!all)
            start_fail("OpenMP: no memory for nested teams");
        for (int i = 0; i < start_extras; i++) {
            all[i].lane.nested = true;
            all[i].next = idle;
            idle = &all[i];
        }
    }
    struct team_extra *e = idle;
    idle = e->next;
    pthread_mutex_unlock(&mutex);
    return e;
}

static struct team_extra *team_extra_start(int number, bool stays, int place, void (*fn)(void *),
                                           void *arg)
{
    struct team_extra *e = team_extra_take();
    e->stays = stays;
    e->place = place;
    e->fn = fn;
    e->arg = arg;
    int rc =
        start_thread(&e->lane, hlrc_node_id() * start_extras + (int)(e - all), team_extra_body, e);
    if (rc)
        start_thread_fail(number, rc);
    return e;
}

static void team_extra_ask(struct team_extra *e, void (*fn)(void *), void *arg)
{
    e->fn = fn;
    e->arg = arg;
    atomic_fetch_add(&e->asked, 1);
    futex_wake(&e->asked, 1);
}

struct team_extra *team_extra_run(int number, bool stays, int place, void (*fn)(void *), void *arg)
{
    if (!stays)
        return team_extra_start(number, false, place, fn, arg);
    if (!kept && !(kept = calloc((size_t)start_extras, sizeof(struct team_extra *))))
        start_fail("OpenMP: no memory for thread %d", number);
    if (number > kept_count)
        kept[kept_count++] = team_extra_start(number, true, place, fn, arg);
    team_extra_ask(kept[number - 1], fn, arg);
    return kept[number - 1];
}

void team_extra_await(struct team_extra *e)
{
    if (e->stays) {
        uint32_t asked = atomic_load(&e->asked), done;
        while ((done = atomic_load(&e->done)) != asked)
            futex_wait(&e->done, done, -1);
        return;
    }
    pthread_join(e->lane.thread, NULL);
    pthread_mutex_lock(&mutex);
    e->next = idle;
    idle = e;
    pthread_mutex_unlock(&mutex);
}

int team_extra_hold(int threads)
{
    kept_run = true;
    return kept_count > threads ? kept_count : threads;
}

void team_extra_release(void)
{
    kept_run = false;
}

int team_extra_idle(void)
{
    return kept_run ? 0 : kept_count;
}

void team_extra_end(void)
{
    for (int i = 0; i < kept_count; i++) {
        team_extra_ask(kept[i], NULL, NULL);
        pthread_join(kept[i]->lane.thread, NULL);
    }
    kept_count = 0;
}
