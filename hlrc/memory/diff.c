/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See diff.h for the invariants and the encoding, diff_loops.h for the loops over a page. */
#include "hlrc/memory/diff_loops.h"

#include <assert.h>
#include <errno.h>

#define MAX_RUNS (DIFF_BITMAP_BYTES / sizeof(struct diff_run))

enum diff_form { DIFF_RUNS = 1, DIFF_BITMAP = 2 };

struct diff_header {
    uint16_t form;
    uint16_t count;
};

struct diff_run {
    uint16_t offset;
    uint16_t length;
};

static_assert(sizeof(struct diff_header) == DIFF_HEADER, "a header is sent as two 16-bit numbers");
static_assert(sizeof(struct diff_run) == 4, "a run is sent as two 16-bit numbers");
static_assert(DIFF_WORDS == 64, "a set of words fits one word");
static_assert(DIFF_PAGE <= UINT16_MAX, "offsets and lengths are sent in 16 bits");

/* The words that are not zero, as bits. Most pages change only in a few places. */
static inline uint64_t diff_changed_lines(const uint64_t *mask)
{
    uint64_t lines = 0;

    for (unsigned w = 0; w < DIFF_WORDS; w++)
        lines |= (uint64_t)(mask[w] != 0) << w;
    return lines;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static uint8_t *diff_encode_header(uint8_t *out, enum diff_form form, unsigned count)
{
    struct diff_header header = { (uint16_t)form, (uint16_t)count };

    memcpy(out, &header, sizeof(header));
    return out + sizeof(header);
}

/*
 * List the runs of MASK. Begins and ends are found independently, as a run may span words: the
 * k-th end belongs to the k-th begin, which is never in a later word.
 */
static void diff_list_runs(struct diff_run *run, const uint64_t *mask, uint64_t lines)
{
    struct diff_run *open = run;

    for (; lines != 0; lines &= lines - 1) {
        unsigned w = (unsigned)__builtin_ctzll(lines);
        uint64_t before = w > 0 ? mask[w - 1] >> 63 : 0,
                 after = w + 1 < DIFF_WORDS ? mask[w + 1] << 63 : 0;
        uint64_t begins = diff_run_begins(mask[w], before);
        uint64_t lasts = mask[w] & ~(mask[w] >> 1 | after);
        for (; begins != 0; begins &= begins - 1)
            open++->offset = (uint16_t)(64 * w + (unsigned)__builtin_ctzll(begins));
        for (; lasts != 0; lasts &= lasts - 1, run++)
            run->length = (uint16_t)(64 * w + (unsigned)__builtin_ctzll(lasts) + 1 - run->offset);
    }
}

static size_t diff_encode_runs(uint8_t *out, const uint8_t *page, const uint64_t *mask,
                               uint64_t lines, unsigned count)
{
    struct diff_run run[MAX_RUNS];
    uint8_t *at = diff_encode_header(out, DIFF_RUNS, count);

    diff_list_runs(run, mask, lines);
    memcpy(at, run, count * sizeof(run[0]));
    at += count * sizeof(run[0]);
    for (unsigned i = 0; i < count; i++) {
        diff_copy_run(at, page + run[i].offset, run[i].length);
        at += run[i].length;
    }
    return (size_t)(at - out);
}

static size_t diff_encode_bitmap(uint8_t *out, const uint8_t *page, const uint64_t *mask,
                                 unsigned count)
{
    uint8_t *at = diff_encode_header(out, DIFF_BITMAP, count);

    memcpy(at, mask, DIFF_BITMAP_BYTES);
    diff_loops->pack(at + DIFF_BITMAP_BYTES, page, mask);
    return DIFF_HEADER + DIFF_BITMAP_BYTES + count;
}

size_t diff_encode(const void *page, const void *twin, void *out)
{
    uint64_t mask[DIFF_WORDS];

    if (diff_loops->scan(page, twin, mask) == 0)
        return 0;

    uint64_t lines = diff_changed_lines(mask);
    struct diff_tally tally = diff_loops->tally(mask, lines);
    if (tally.runs <= MAX_RUNS)
        return diff_encode_runs(out, page, mask, lines, tally.runs);
    return diff_encode_bitmap(out, page, mask, tally.bytes);
}

bool diff_is_zero(const void *page)
{
    const char *bytes = page;
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, PAGE_SIZE - 1) == 0;
}

bool diff_differs(const void *page, const void *twin)
{
    return diff_loops->differs(page, twin);
}

/* ---- Applying -------------------------------------------------------------------------------- */

/* A diff that passed all checks. */
struct diff_parsed {
    enum diff_form form;
    unsigned count;
    unsigned bytes;       /* bytes of the page that it carries */
    const uint8_t *index; /* runs or bitmap */
    const uint8_t *data;
};

static struct diff_run diff_run_at(const uint8_t *index, unsigned i)
{
    struct diff_run run;

    memcpy(&run, index + i * sizeof(run), sizeof(run));
    return run;
}

static int diff_parse_runs(struct diff_parsed *parsed, size_t room)
{
    unsigned end = 0;

    if (parsed->count == 0 || parsed->count > MAX_RUNS ||
        room < parsed->count * sizeof(struct diff_run))
        return -EINVAL;
    parsed->data = parsed->index + parsed->count * sizeof(struct diff_run);
    for (unsigned i = 0; i < parsed->count; i++) {
        struct diff_run run = diff_run_at(parsed->index, i);
        if (run.length == 0 || (i > 0 && run.offset <= end) || run.offset + run.length > DIFF_PAGE)
            return -EINVAL;
        end = (unsigned)run.offset + run.length;
        parsed->bytes += run.length;
    }
    return room == parsed->count * sizeof(struct diff_run) + parsed->bytes ? 0 : -EINVAL;
}

static int diff_parse_bitmap(struct diff_parsed *parsed, size_t room)
{
    uint64_t mask[DIFF_WORDS];

    if (room < DIFF_BITMAP_BYTES)
        return -EINVAL;
    parsed->data = parsed->index + DIFF_BITMAP_BYTES;
    memcpy(mask, parsed->index, sizeof(mask));
    parsed->bytes = diff_loops->tally(mask, diff_changed_lines(mask)).bytes;
    if (parsed->bytes == 0 || parsed->bytes != parsed->count)
        return -EINVAL;
    return room == (size_t)DIFF_BITMAP_BYTES + parsed->bytes ? 0 : -EINVAL;
}

/* ASSUMPTIONS: LEN is not 0. *PARSED is meaningful only when 0 is returned. */
static int diff_parse(struct diff_parsed *parsed, const uint8_t *diff, size_t len)
{
    struct diff_header header;

    if (len < sizeof(header))
        return -EINVAL;
    memcpy(&header, diff, sizeof(header));
    *parsed = (struct diff_parsed){ .count = header.count, .index = diff + sizeof(header) };
    switch (header.form) {
    case DIFF_RUNS:
        parsed->form = DIFF_RUNS;
        return diff_parse_runs(parsed, len - sizeof(header));
    case DIFF_BITMAP:
        parsed->form = DIFF_BITMAP;
        return diff_parse_bitmap(parsed, len - sizeof(header));
    default:
        return -EINVAL;
    }
}

static void diff_apply_runs(uint8_t *page, const struct diff_parsed *parsed)
{
    const uint8_t *data = parsed->data;

    for (unsigned i = 0; i < parsed->count; i++) {
        struct diff_run run = diff_run_at(parsed->index, i);
        diff_copy_run(page + run.offset, data, run.length);
        data += run.length;
    }
}

static void diff_apply_bitmap(uint8_t *page, const struct diff_parsed *parsed)
{
    uint64_t mask[DIFF_WORDS];

    memcpy(mask, parsed->index, sizeof(mask));
    diff_loops->unpack(page, parsed->data, mask);
}

int diff_apply(void *page, const void *diff, size_t len)
{
    struct diff_parsed parsed;

    if (len == 0)
        return 0;
    if (diff_parse(&parsed, diff, len) != 0)
        return -EINVAL;
    if (parsed.form == DIFF_RUNS)
        diff_apply_runs(page, &parsed);
    else
        diff_apply_bitmap(page, &parsed);
    return 0;
}

uint32_t diff_list(const void *diff, size_t len, struct fabric_run *run, const void **bytes)
{
    struct diff_parsed parsed;
    struct diff_run all[DIFF_RUNS_MOST];
    uint64_t mask[DIFF_WORDS];
    unsigned count;

    if (len == 0 || diff_parse(&parsed, diff, len) != 0)
        return 0;
    count = parsed.count;
    if (parsed.form == DIFF_RUNS) {
        memcpy(all, parsed.index, count * sizeof(all[0]));
    } else {
        memcpy(mask, parsed.index, sizeof(mask));
        count = diff_loops->tally(mask, diff_changed_lines(mask)).runs;
        diff_list_runs(all, mask, diff_changed_lines(mask));
    }
    for (unsigned i = 0; i < count; i++)
        run[i] = (struct fabric_run){ all[i].offset, all[i].length };
    *bytes = parsed.data;
    return count;
}

static void diff_set_bits(uint64_t *mask, struct diff_run run)
{
    for (unsigned at = run.offset, end = at + run.length; at < end;) {
        unsigned n = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;
        mask[at / 64] |= (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << at % 64;
        at += n;
    }
}

bool diff_scan(const void *page, const void *twin, uint64_t *mask)
{
    return diff_loops->scan(page, twin, mask) != 0;
}

bool diff_track(const void *page, void *twin, uint64_t *mask)
{
    return diff_loops->track(page, twin, mask) != 0;
}

bool diff_mask(const void *diff, size_t len, uint64_t *mask)
{
    struct diff_parsed parsed;
    memset(mask, 0, DIFF_BITMAP_BYTES);
    if (len == 0)
        return true;
    if (diff_parse(&parsed, diff, len) != 0)
        return false;
    if (parsed.form == DIFF_BITMAP)
        memcpy(mask, parsed.index, DIFF_BITMAP_BYTES);
    for (unsigned i = 0; parsed.form == DIFF_RUNS && i < parsed.count; i++)
        diff_set_bits(mask, diff_run_at(parsed.index, i));
    return true;
}

size_t diff_changed_bytes(const void *diff, size_t len)
{
    struct diff_parsed parsed;

    return len != 0 && diff_parse(&parsed, diff, len) == 0 ? parsed.bytes : 0;
}

void diff_merge(void *page, void *twin, const void *fetched)
{
    diff_loops->merge(page, twin, fetched);
}

/* [update.own-stores] */
void diff_renew(void *page, void *twin, const void *fetched)
{
    uint8_t diff[DIFF_MAX];
    (void)diff_apply(page, diff, diff_encode(fetched, twin, diff));
    memcpy(twin, fetched, DIFF_PAGE);
}
