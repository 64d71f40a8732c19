/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* need.c - see need.h for the invariants. */
#include "hlrc/memory/need.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/reserve.h"
#include "base/spin.h"
#include "hlrc/core/engine.h"

/* The lower bits of each word of a line are the interval of one writer, 0 none. The upper bits of
 * the first three are the number of the next line, 0 none, 16 bits in each; the fourth has the
 * group. Where one line has room for all nodes there is neither. */
#define LOW   ((UINT64_C(1) << 48) - 1)
#define GROUP 3 /* the word with the group in its upper bits */

static uint64_t *lines;     /* of `words` words each; 0 is none */
static size_t words;        /* a multiple of a cache line, or less than one */
static spin_lock_word lock; /* taken after a page's; guards the variables below */
static uint64_t free_first; /* a stack, linked by their first words */
static uint64_t made, used; /* lines made, `used` of them in chains */

static size_t need_lines_bytes(void)
{
    size_t groups = ((size_t)engine.nodes + NEED_WRITERS - 1) / NEED_WRITERS;
    return ((size_t)engine.pages * groups + 1) * words * sizeof *lines;
}

int need_init(void)
{
    words = engine.nodes < NEED_WRITERS ? (size_t)engine.nodes : NEED_WRITERS;
    free_first = made = used = 0;
    lines = reserve(need_lines_bytes());
    return lines ? 0 : -ENOMEM;
}

void need_end(void)
{
    reserve_end(lines, need_lines_bytes());
    lines = NULL;
}

/* ---- one line ---- */

static uint64_t *need_line_at(uint64_t link)
{
    return link ? lines + link * words : NULL;
}

static uint64_t need_link_of(const uint64_t *line)
{
    if (words < NEED_WRITERS)
        return 0;
    return line[0] >> 48 | line[1] >> 48 << 16 | line[2] >> 48 << 32;
}

static void need_set_link(uint64_t *line, uint64_t link)
{
    for (int i = 0; i < GROUP; i++, link >>= 16)
        line[i] = (line[i] & LOW) | link << 48;
}

static const uint64_t *need_next_of(const uint64_t *line)
{
    return need_line_at(need_link_of(line));
}

static int need_group_of(const uint64_t *line)
{
    return words < NEED_WRITERS ? 0 : (int)(line[GROUP] >> 48);
}

static const uint64_t *need_first_of(uint64_t needs)
{
    return need_line_at(needs & LOW);
}

/* ---- the pool ---- */

static uint64_t need_take_line(void)
{
    spin_lock(&lock);
    uint64_t n = free_first;
    if (n)
        free_first = *need_line_at(n);
    else
        n = ++made;
    used++;
    spin_unlock(&lock);
    return n;
}

static void need_give_line(uint64_t n)
{
    spin_lock(&lock);
    *need_line_at(n) = free_first;
    free_first = n;
    used--;
    spin_unlock(&lock);
}

/* ---- a chain ---- */

/* A new line for this group, linked to `next`. */
static uint64_t need_new_line(int group, uint64_t next)
{
    uint64_t n = need_take_line(), *line = need_line_at(n);
    memset(line, 0, words * sizeof *line);
    if (words == NEED_WRITERS) {
        need_set_link(line, next);
        line[GROUP] = (uint64_t)group << 48;
    }
    return n;
}

/* The word for the interval of this writer, in a new line if required. */
static uint64_t *need_place_of(uint64_t *needs, int writer)
{
    int group = writer / NEED_WRITERS;
    uint64_t n = *needs & LOW, *before = NULL;
    while (n && need_group_of(need_line_at(n)) > group) {
        before = need_line_at(n);
        n = need_link_of(before);
    }
    if (!n || need_group_of(need_line_at(n)) < group) {
        n = need_new_line(group, n);
        if (before)
            need_set_link(before, n);
        else
            *needs = NEED_MANY | n;
    }
    return need_line_at(n) + writer % NEED_WRITERS;
}

static void need_put(uint64_t *needs, int writer, uint64_t interval)
{
    uint64_t *at = need_place_of(needs, writer);
    if ((*at & LOW) < interval)
        *at = (*at & ~LOW) | interval;
}

void need_add_line(uint64_t *needs, int writer, uint64_t interval)
{
    if (!(*needs & NEED_MANY)) {
        uint64_t one = *needs;
        *needs = NEED_MANY;
        need_put(needs, protocol_version_writer(one), protocol_version_interval(one));
    }
    need_put(needs, writer, interval);
}

uint32_t need_list_lines(uint64_t needs, uint64_t *out)
{
    uint32_t n = 0;
    for (const uint64_t *line = need_first_of(needs); line; line = need_next_of(line))
        for (size_t i = 0; i < words; i++)
            if (line[i] & LOW)
                out[n++] =
                    protocol_version_of(need_group_of(line) * NEED_WRITERS + (int)i, line[i] & LOW);
    return n;
}

bool need_covered_lines(uint64_t needs, const uint64_t *versions)
{
    for (const uint64_t *line = need_first_of(needs); line; line = need_next_of(line)) {
        const uint64_t *have = versions + need_group_of(line) * NEED_WRITERS;
        for (size_t i = 0; i < words; i++)
            if ((line[i] & LOW) && have[i] < (line[i] & LOW))
                return false;
    }
    return true;
}

void need_drop_lines(uint64_t needs)
{
    for (uint64_t n = needs & LOW, next; n; n = next) {
        next = need_link_of(need_line_at(n));
        need_give_line(n);
    }
}

/* ---- for tests, and debug builds ---- */

uint64_t need_of(uint64_t needs, int writer)
{
    if (!(needs & NEED_MANY))
        return needs && protocol_version_writer(needs) == writer ? protocol_version_interval(needs)
                                                                 : 0;
    for (const uint64_t *line = need_first_of(needs); line; line = need_next_of(line))
        if (need_group_of(line) == writer / NEED_WRITERS)
            return line[writer % NEED_WRITERS] & LOW;
    return 0;
}

uint64_t need_lines_of(uint64_t needs)
{
    uint64_t n = 0;
    for (const uint64_t *line = (needs & NEED_MANY) ? need_first_of(needs) : NULL; line;
         line = need_next_of(line))
        n++;
    return n;
}

uint64_t need_lines_used(uint64_t *most)
{
    spin_lock(&lock);
    uint64_t n = used;
    *most = made;
    spin_unlock(&lock);
    return n;
}
