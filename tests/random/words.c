/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* words.c - the atomic words of a random program: even ones count, odd ones are exchanged. */
#include "tests/random/actor.h"

static hlrc_atomic_t word_handle(struct actor *a, uint32_t word)
{
    return (hlrc_atomic_t){ (uint32_t)(cell_get(a, a->p->word[word].cell) - 1) };
}

/* Notes that a value was returned as the one before a change: that happens once. */
static void note_before(struct actor *a, uint32_t word, uint64_t value)
{
    uint64_t number = value - atomic_load(&a->o->word_base[word]);
    expect(a, number < MAX_TICKETS, "atomic word %u: %#llx was never in it", word,
           (unsigned long long)value);
    uint8_t seen = atomic_exchange(&a->o->word_seen[word][number], 1);
    expect(a, seen == 0, "atomic word %u: number %llu was returned twice", word,
           (unsigned long long)number);
}

static void word_saw(struct actor *a, uint32_t word, uint64_t value)
{
    uint64_t base = atomic_load(&a->o->word_base[word]);
    if (a->word_base[word] != base)
        a->word_last[word] = 0;
    a->word_base[word] = base;
    expect(a, value - base >= a->word_last[word], "atomic word %u goes back: %llu after %llu", word,
           (unsigned long long)(value - base), (unsigned long long)a->word_last[word]);
    a->word_last[word] = value - base;
}

static void count_word(struct actor *a, const struct op *op, hlrc_atomic_t handle)
{
    uint64_t value = hlrc_atomic_load(handle), tried = value;
    word_saw(a, op->target, value);
    if (op->a == 0)
        return;
    atomic_fetch_add(&a->o->word_ops[op->target], 1);
    if (op->a == 1) {
        tried = hlrc_atomic_fetch_add(handle, 1);
    } else {
        while (!hlrc_atomic_compare_exchange(handle, &value, tried + 1)) {
            expect(a, value != tried,
                   "hlrc_atomic_compare_exchange failed and found what it expected");
            tried = value;
        }
    }
    word_saw(a, op->target, tried);
    note_before(a, op->target, tried);
}

static void exchange_word(struct actor *a, const struct op *op, hlrc_atomic_t handle)
{
    uint64_t value = hlrc_atomic_load(handle), base = atomic_load(&a->o->word_base[op->target]);
    expect(a, value - base <= atomic_load(&a->o->word_ops[op->target]),
           "atomic word %u: %#llx was never in it", op->target, (unsigned long long)value);
    if (op->a == 0)
        return;
    uint64_t mine = base + atomic_fetch_add(&a->o->word_ops[op->target], 1) + 1;
    if (op->a == 1) {
        note_before(a, op->target, hlrc_atomic_exchange(handle, mine));
    } else {
        while (!hlrc_atomic_compare_exchange(handle, &value, mine))
            ;
        note_before(a, op->target, value);
    }
}

void perform_word(struct actor *a, const struct op *op)
{
    hlrc_atomic_t handle = word_handle(a, op->target);
    for (uint32_t i = 0; i < op->b; i++) {
        doing(a, DOING_CALL);
        if (op->target % 2 == 0)
            count_word(a, op, handle);
        else
            exchange_word(a, op, handle);
    }
}

/* Nobody uses the word any more. */
void word_check_end(struct actor *a, int word)
{
    uint64_t base = atomic_load(&a->o->word_base[word]),
             value = hlrc_atomic_load(word_handle(a, (uint32_t)word));
    uint32_t ops = atomic_load(&a->o->word_ops[word]);
    if (word % 2 == 0)
        expect(a, value - base == ops, "atomic word %d counted %llu, not %u", word,
               (unsigned long long)(value - base), ops);
    else
        expect(a, value - base <= ops && !a->o->word_seen[word][value - base],
               "atomic word %d: its last value %#llx was overwritten before", word,
               (unsigned long long)value);
}
