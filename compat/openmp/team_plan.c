/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_plan.c - see team_plan.h. */
#include "compat/openmp/team_plan.h"

#include "compat/start/start.h"
#include "compat/start/tls.h"

struct team_plan team_plan;
struct team_plan_here team_plan_here;
_Static_assert(TEAM_MOST >= THREADS_MOST, "a word for each thread");

static void team_plan_make_word(hlrc_atomic_t *word)
{
    if (hlrc_atomic_create(word, 0) != 0)
        start_fail("OpenMP: no atomic words");
}

static void team_plan_make_memory(int lanes)
{
    struct team_plan *p = &team_plan;
    p->shown = hlrc_aligned_alloc(4096, sizeof *p->shown);
    p->tls = tls_create(lanes);
    p->room = hlrc_malloc(TEAM_ROOM);
    if (!p->shown || !p->room)
        start_fail("OpenMP: no shared memory; raise --memory");
}

static void team_plan_make_words(int lanes)
{
    team_plan_make_word(&team_plan.last);
    team_plan_make_word(&team_plan.nested);
    for (unsigned k = 0; k < 3; k++)
        team_plan_make_word(&team_plan.ended[k]);
    for (unsigned s = 0; s < 2; s++) {
        hlrc_atomic_t *words = hlrc_calloc((size_t)lanes, sizeof *words);
        if (!words)
            start_fail("OpenMP: no shared memory; raise --memory");
        for (int k = 0; k < lanes; k++)
            team_plan_make_word(&words[k]);
        team_plan.progress[s] = words;
    }
    for (unsigned s = 0; s < 2; s++)
        for (unsigned k = 0; k < CONSTRUCTS; k++)
            for (unsigned w = 0; w < 2; w++)
                team_plan_make_word(&team_plan.words[s][k][w]);
}

void team_plan_begin(int lanes)
{
    if (hlrc_node_id() == 0) {
        team_plan_make_memory(lanes);
        if (start_sharing) /* otherwise all are here */
            team_plan_make_words(lanes);
    }
    if (hlrc_broadcast(&team_plan, sizeof team_plan, 0) != 0)
        start_fail("OpenMP: hlrc_broadcast failed");
}
