/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_cancel.c - cancels what a team does, by the word of the next collective; see team.h. */
#include "compat/openmp/team.h"
#include "compat/start/lane.h"

static void team_cancel_look(void *arg)
{
    *(unsigned *)arg = (unsigned)team_word_load(team_next_ended());
}

unsigned team_cancelled(void)
{
    const struct team_region *r = team_region();
    unsigned word = 0;
    if (r->shared && !r->cancelled)
        lane_call(team_cancel_look, &word);
    return r->cancelled | word;
}

static void team_cancel_mark(void *arg)
{
    struct team_word word = team_next_ended();
    uint64_t seen = team_word_load(word), what = *(const unsigned *)arg;
    while ((seen & what) != what && !team_word_compare_exchange(word, &seen, seen | what))
        continue;
}

void team_cancel(enum team_cancelled what)
{
    struct team_region *r = team_region();
    unsigned bits = what;
    if (!r->shared)
        r->cancelled |= bits;
    else if (!r->cancelled)
        lane_call(team_cancel_mark, &bits);
}

bool team_is_over(void)
{
    return team_region()->cancelled & CANCELLED_REGION;
}
