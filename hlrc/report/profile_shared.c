/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_shared.c - see profile_shared.h for the rules. */
#include "hlrc/report/profile_shared.h"

#define NOBODY  (-1)
#define SEVERAL (-2)
#define WORD    8

static bool profile_shared_has(const struct profile_shared_side *s, uint32_t byte)
{
    return s->mask && s->mask->written[byte / 64] >> byte % 64 & 1;
}

static bool profile_shared_writes(const struct profile_shared_side *s)
{
    for (uint32_t i = 0; s->mask && i < PROFILE_WORDS; i++)
        if (s->mask->written[i])
            return true;
    return false;
}

/* The only side that writes a byte, or NOBODY, or SEVERAL. */
static int profile_shared_owner_of(const struct profile_shared_side *side, int count, uint32_t byte)
{
    int owner = NOBODY;
    for (int n = 0; n < count; n++)
        if (profile_shared_has(&side[n], byte))
            owner = owner == NOBODY ? n : SEVERAL;
    return owner;
}

/* The most frequent distance: if a diff lacks the first byte of an element, others are off. */
static uint32_t profile_shared_usual(const uint16_t *distances)
{
    uint32_t most = 0;
    for (uint32_t d = 1; d < PAGE_SIZE; d++)
        if (distances[d] > distances[most])
            most = d;
    return most;
}

static void profile_shared_find_form(const struct profile_shared_side *side, int count,
                                     struct profile_shared_form *form)
{
    int before = NOBODY;
    uint32_t begin = 0, last = 0, first = PAGE_SIZE; /* the first piece may begin before the page */
    uint16_t distances[PAGE_SIZE] = { 0 };
    form->pieces = 0;
    form->distance = PAGE_SIZE;
    for (uint32_t byte = 0; byte < PAGE_SIZE; byte++) {
        int owner = profile_shared_owner_of(side, count, byte);
        if (owner < 0)
            continue;
        form->words |= before != NOBODY && owner != before && last / WORD == byte / WORD;
        last = byte;
        if (owner == before)
            continue;
        if (form->pieces == 1)
            first = byte - begin;
        else if (form->pieces > 1)
            distances[byte - begin]++;
        before = owner;
        begin = byte;
        form->pieces++;
    }
    if (form->pieces >= 2)
        form->distance = form->pieces == 2 ? first : profile_shared_usual(distances);
}

static bool profile_shared_overlaps(const struct profile_shared_side *side, int count)
{
    for (uint32_t byte = 0; byte < PAGE_SIZE; byte++)
        if (profile_shared_owner_of(side, count, byte) == SEVERAL)
            return true;
    return false;
}

static bool profile_shared_reads_others(const struct profile_shared_side *side, int count, int n)
{
    uint64_t samples = 0, others = 0;
    for (int i = 0; side[n].mask && i < PROFILE_TOUCHED; i++) {
        uint32_t touched = side[n].mask->touched[i], times = touched & 0xffff;
        int owner = times ? profile_shared_owner_of(side, count, touched >> 16) : NOBODY;
        samples += times;
        others += owner >= 0 && owner != n ? times : 0;
    }
    return (others > side[n].looks ? others : side[n].looks) * SHARED_READS > samples;
}

enum profile_shared_verdict profile_shared_judge(const struct profile_shared_side *side, int count,
                                                 struct profile_shared_form *form)
{
    uint64_t turns = 0, reads = 0;
    *form = (struct profile_shared_form){ 0 };
    for (int n = 0; n < count; n++) {
        form->writers += profile_shared_writes(&side[n]);
        turns += side[n].turns;
        reads += profile_shared_writes(&side[n]) ? 0 : side[n].fetches;
    }
    if (form->writers < 2)
        return SHARED_NOT;
    profile_shared_find_form(side, count, form);
    if (turns < (form->words ? SHARED_WORD_TURNS : SHARED_TURNS))
        return SHARED_SELDOM;
    if (profile_shared_overlaps(side, count))
        return SHARED_OVERLAP;
    for (int n = 0; n < count; n++)
        if (profile_shared_writes(&side[n]) && profile_shared_reads_others(side, count, n))
            return SHARED_READ;
    return reads * SHARED_READS > turns ? SHARED_READ : SHARED_FALSE;
}
