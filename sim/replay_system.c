/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay_system.c - see replay_system.h. */
#include "sim/replay_system.h"

#include <string.h>

#include "sim/fail.h"

#define OFF 1 /* of a switch among the settings */

/* [BPG V.A], hosts of 700 MHz: compare-and-swap by a server that blocks 45.4 us, that polls
 * 32.2 us. */
#define INTERRUPT_NS (45400 - 32200)

/* [NP 5.2], to post: the page 9.5 us, the control message 6.7 us, a receive descriptor 8.44 us. */
#define ANSWER_NS  (9500 + 6700 + 8440)
#define CONTROL_NS 6700

static const char *const names[] = {
#define X(name, text) #name,
    REPLAY_SYSTEM_PARTS(X)
#undef X
};

static const char *const ideas[] = {
#define X(name) #name,
    REPLAY_SYSTEM_IDEAS(X)
#undef X
};

static int replay_system_compare(const char *name, const char *word, size_t length)
{
    size_t i = 0;

    while (i < length && name[i] != '\0' && (name[i] == '_' ? '-' : name[i]) == word[i])
        i++;
    return i == length && name[i] == '\0';
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The bits of the words of a list. */
static unsigned replay_system_bits(const char *option, const char *list, const char *const *table,
                                   size_t count)
{
    unsigned bits = 0;

    for (const char *word = list;; word++) {
        size_t length = strcspn(word, ","), i = 0;
        while (i < count && !replay_system_compare(table[i], word, length))
            i++;
        if (i == count)
            fail_with(SIM_WRONG_USE, "%s %s: %.*s is no such part; see hlrc_sim replay --help",
                      option, list, (int)length, word);
        bits |= 1u << i;
        word += length;
        if (*word == '\0')
            return bits;
    }
}

unsigned replay_system_parse(const char *list)
{
    if (strcmp(list, "all") == 0)
        return (1u << REPLAY_SYSTEM_COUNT) - 1;
    return replay_system_bits("--as-2004", list, names, COUNT(names));
}

void replay_system_ideas(struct replay_system *s, const char *list)
{
    unsigned bits = replay_system_bits("--with", list, ideas, COUNT(ideas)), i = 0;

#define X(name) s->name = s->name || (bits & 1u << i++);
    REPLAY_SYSTEM_IDEAS(X)
#undef X
}

static void replay_system_set(struct run_options_choice *c, enum record_setting at, uint64_t value)
{
    if (c->named[at])
        return;
    c->named[at] = true;
    c->value[at] = value;
}

static void replay_system_set_options(unsigned parts, struct run_options_choice *c)
{
    if (parts & 1u << REPLAY_SYSTEM_eager)
        replay_system_set(c, RECORD_SET_lazy_release, 0);
    if (parts & 1u << REPLAY_SYSTEM_fixed_homes)
        replay_system_set(c, RECORD_SET_move_homes, OFF);
    if (parts & 1u << REPLAY_SYSTEM_on_demand)
        replay_system_set(c, RECORD_SET_ahead, 0);
    if (parts & 1u << REPLAY_SYSTEM_invalidate) {
        replay_system_set(c, RECORD_SET_renew, 0);
        replay_system_set(c, RECORD_SET_hot_pages, 0);
        replay_system_set(c, RECORD_SET_exclusive, OFF);
    }
}

struct replay_system replay_system_apply(unsigned parts, struct machine *m,
                                         struct run_options_choice *c, struct replay_system s)
{
    s.single_diffs = parts & 1u << REPLAY_SYSTEM_single_diffs;
    replay_system_set_options(parts, c);
    if (parts & 1u << REPLAY_SYSTEM_one_request) {
        s.single_fetch = true;
        m->reads_most = 1;
    }
    if (parts & 1u << REPLAY_SYSTEM_posting) {
        s.answer_ns = ANSWER_NS > m->serve_ns ? ANSWER_NS - m->serve_ns : 0;
        s.notice_ns = CONTROL_NS;
    }
    if (parts & 1u << REPLAY_SYSTEM_interrupt) {
        s.interrupts = true;
        m->handler = 2;
        m->cpus = 1;
        m->wake_ns = m->preempt_ns = m->switch_ns = INTERRUPT_NS;
    }
    return s;
}
