/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.c - see record.h. */
#include "base/record.h"

#define KIND_BITS 5
#define KIND_MASK ((1u << KIND_BITS) - 1)

_Static_assert(RECORD_KIND_COUNT <= KIND_MASK + 1, "a kind has room in the first number");

const char *const record_args[RECORD_KIND_COUNT] = {
#define X(kind, word, args) [kind] = args,
    RECORD_KINDS(X)
#undef X
};

const char *const record_words[RECORD_KIND_COUNT] = {
#define X(kind, word, args) [kind] = word,
    RECORD_KINDS(X)
#undef X
};

unsigned char *record_put(unsigned char *at, uint64_t *page, enum record_kind kind, uint64_t time,
                          const uint64_t *arg)
{
    at = record_number_put(at, time << KIND_BITS | kind);
    for (const char *a = record_args[kind]; *a; a++, arg++) {
        if (*a == 'p') {
            at = record_number_put(at, record_fold((int64_t)(*arg - *page)));
            *page = *arg;
        } else {
            at = record_number_put(at, *a == 's' ? record_fold((int64_t)*arg) : *arg);
        }
    }
    return at;
}

bool record_number(struct record_reader *r, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        unsigned char byte = *r->at++;
        if (shift > 63 || (shift == 63 && byte > 1))
            return false;
        sum |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return byte != 0 || shift == 0; /* a number has one encoding */
        }
    }
    return false;
}

bool record_page(struct record_reader *r, uint64_t *page)
{
    uint64_t away;
    if (!record_number(r, &away))
        return false;
    uint64_t next = r->page + (uint64_t)record_unfold(away);
    if (next >= r->pages)
        return false;
    r->page = *page = next;
    return true;
}

static bool record_get_arg(struct record_reader *r, char letter, uint64_t *arg)
{
    if (letter == 'p')
        return record_page(r, arg);
    if (!record_number(r, arg))
        return false;
    if (letter == 's')
        *arg = (uint64_t)record_unfold(*arg);
    return true;
}

int record_get(struct record_reader *r, struct record_item *out)
{
    uint64_t first;
    if (r->at == r->end)
        return 0;
    if (!record_number(r, &first) || (first & KIND_MASK) >= RECORD_KIND_COUNT)
        return -1;
    struct record_item item = { .kind = (enum record_kind)(first & KIND_MASK),
                                .time = first >> KIND_BITS };
    const char *letters = record_args[item.kind];
    for (int i = 0; letters[i]; i++)
        if (!record_get_arg(r, letters[i], &item.arg[i]))
            return -1;
    *out = item;
    return 1;
}
