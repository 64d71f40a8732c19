/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * radix.c - sorting of integers, digit by digit: the radix sort of SPLASH-2 (Woo et al., ISCA
 * 1995), by the algorithm of Blelloch et al. (SPAA 1991).
 *
 * From the lowest digit to the highest, the keys are sorted stably by that digit; otherwise a pass
 * would lose the order of the passes before. A pass counts the keys by their digit, on each node
 * separately. The sums of the counts over lower digits, and over lower nodes within a digit, give
 * the destination of each key.
 *
 * If the node that has a key writes it to its destination (SPLASH-2), a page of the result is
 * written by all nodes whose keys meet there: with 2.6 million keys, radix 1,024 and 16 nodes by
 * seven of them. Each node then faults on about half of all pages, and sends most of its writes as
 * diffs. Here the owner of the destination writes it:
 *
 *   bucket   A node sorts its own keys by the digit, within its own part of this array. A place of
 *            the result is then known as (node, index). The keys for the part of one node are
 *            consecutive at each of the others, since a part of the result is a range of digits.
 *   pieces   The node that owns a part of the result reads them there: by digit, and within a
 *            digit by node, which is the order of the result. It need not write the result: it
 *            counts the next digit while it reads the pieces, and reads them a second time to put
 *            the keys into its part of the other bucket array. After the last pass the pieces are
 *            copied to their places.
 *
 * So keys move between nodes once per pass, always as runs of whole pages, and each page has one
 * writer.
 *
 *   key        [i]            the input; a node owns a part of whole pages. Not changed.
 *   bucket     [2][i]         alternating: other nodes read one of them until the other is
 *                             complete. The result ends in the one that was not written in the
 *                             last pass.
 *   histogram  [2][node][d]   number of keys with digit d in the node's part of that bucket array
 *   notes      [node]         for the verification
 *
 * How pages move. After each pass a node reads from each of the others about 1/N of its part,
 * keys/N^2 in a row, so 4 keys (N-1)/N bytes move in all; and a row of each histogram, one page
 * with radix 1,024. It writes its part, keys/N, at home. There is one barrier per pass. A page at
 * the end of a piece can be read by two nodes; none is written by two. For comparison, one whole
 * pass at 2.6 million keys and 16 nodes: about 180 pages read and 160 written by each node,
 * instead of about 1,200 written with twin and diff.
 *
 * That is --by reads. With --by writes, as in SPLASH-2, a node writes each of its keys to its
 * destination. Results are the same.
 *
 * With one node there is nothing to exchange: the last pass has already put every key in its
 * place.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/common.h"
#include "apps/radix_keys.h"

#define UNIT (APP_PAGE / sizeof(uint32_t)) /* elements of a page */

/* Default sizes as in SPLASH-2. */
#define DEFAULT_KEYS    (UINT64_C(1) << 20)
#define DEFAULT_RADIX   1024
#define DEFAULT_MAX_KEY (UINT64_C(1) << 19)

#define MAX_RADIX   65536
#define MAX_MAX_KEY (UINT64_C(1) << 32)

struct problem {
    size_t keys;
    uint32_t radix;
    bool writes;
    uint64_t max_key; /* keys are below */
    const char *input, *output;
};

/* Data of a node for the others; written between barriers, read by all after them. */
struct note {
    _Alignas(APP_PAGE) struct tally given;
    struct tally sorted; /* of its parts of the input and the result */
    uint64_t misplaced;  /* keys smaller than the one before */
    uint64_t checksum;
};

struct sorter {
    size_t keys;
    uint32_t radix;
    bool writes;
    unsigned digit_bits, passes;
    size_t row; /* elements of a row of the histogram */
    uint32_t *key, *bucket[2], *histogram[2];
    struct note *notes;
    struct app_range mine; /* this node's part of each array of keys */
    uint32_t *position;    /* private, by digit */
    size_t *local;         /* private, by node: struct pieces */
    struct app_range *span;
    struct app_steps steps; /* the passes */
};

/*
 * A walk over the pieces of this node's part of the result: for each digit, the keys of each node
 * that have it. The walk itself starts at the start of the result, where it only adds up counts.
 */
struct pieces {
    const uint32_t *from;      /* the array that contains the pieces */
    const uint32_t *histogram; /* of that array */
    uint32_t digit;
    int node;      /* next to be visited, with this digit */
    size_t place;  /* index of its first key in the result */
    size_t *local; /* by node: index of its first key with this digit, in `from` */
};

struct piece {
    int node;
    struct app_range at; /* indices in `from` */
    size_t place;
};

static unsigned passes_of(uint64_t max_key, unsigned digit_bits)
{
    unsigned bits = 1;

    while (bits < 32 && (max_key - 1) >> bits != 0)
        bits++;
    return (bits + digit_bits - 1) / digit_bits;
}

static void sorter_init(struct sorter *s, const struct problem *problem)
{
    size_t nodes = (size_t)app.nodes;

    s->keys = problem->keys;
    s->radix = problem->radix;
    s->writes = problem->writes;
    s->digit_bits = app_log2(s->radix);
    s->passes = passes_of(problem->max_key, s->digit_bits);
    s->row = (s->radix + UNIT - 1) / UNIT * UNIT;
    s->mine = app_part(s->keys, UNIT, app.node);
    s->key = app_shared("the keys", s->keys * sizeof *s->key);
    for (int i = 0; i < 2; i++) {
        s->bucket[i] = app_shared("the keys", s->keys * sizeof *s->key);
        s->histogram[i] = app_shared("the histograms", nodes * s->row * sizeof *s->histogram[i]);
    }
    s->notes = app_shared("the notes", nodes * sizeof *s->notes);
    s->position = app_private("a histogram", s->radix * sizeof *s->position);
    s->local = app_private("indices", nodes * sizeof *s->local);
    s->span = app_private("ranges", nodes * sizeof *s->span);
}

static void pieces_begin(const struct sorter *s, unsigned pass, struct pieces *walk)
{
    *walk = (struct pieces){ s->bucket[pass & 1], s->histogram[pass & 1], 0, 0, 0, s->local };
    for (int node = 0; node < app.nodes; node++)
        walk->local[node] = app_part(s->keys, UNIT, node).begin;
}

/* Advances to the next nonzero count; false at the end. */
static bool pieces_step(const struct sorter *s, struct pieces *walk, struct piece *piece)
{
    for (; walk->digit < s->radix; walk->digit++, walk->node = 0)
        for (; walk->node < app.nodes; walk->node++) {
            size_t count = walk->histogram[(size_t)walk->node * s->row + walk->digit];
            size_t first = walk->local[walk->node];

            if (count == 0)
                continue;
            *piece = (struct piece){ walk->node, { first, first + count }, walk->place };
            walk->local[walk->node++] += count;
            walk->place += count;
            return true;
        }
    return false;
}

/* The next piece of this node's part of the result. */
static bool pieces_next(const struct sorter *s, struct pieces *walk, struct piece *piece)
{
    do {
        if (walk->place >= s->mine.end || !pieces_step(s, walk, piece))
            return false;
    } while (walk->place <= s->mine.begin);
    if (piece->place < s->mine.begin) {
        piece->at.begin += s->mine.begin - piece->place;
        piece->place = s->mine.begin;
    }
    if (walk->place > s->mine.end)
        piece->at.end -= walk->place - s->mine.end;
    return true;
}

/* Starts to fetch the pieces; the pieces of one node are consecutive. Starts with the next
 * node. */
static void pieces_fetch(const struct sorter *s, unsigned pass)
{
    struct pieces walk;
    struct piece piece;

    if (app.nodes == 1)
        return;
    for (int distance = 1; distance < app.nodes; distance++)
        app_will_read(&s->histogram[pass & 1][(size_t)((app.node + distance) % app.nodes) * s->row],
                      s->radix * sizeof **s->histogram);
    memset(s->span, 0, (size_t)app.nodes * sizeof *s->span);
    pieces_begin(s, pass, &walk);
    while (pieces_next(s, &walk, &piece)) {
        struct app_range *span = &s->span[piece.node];

        span->begin = span->end == 0 ? piece.at.begin : span->begin;
        span->end = piece.at.end;
    }
    for (int distance = 1; distance < app.nodes; distance++) {
        struct app_range span = s->span[(app.node + distance) % app.nodes];

        app_will_read(&walk.from[span.begin], app_length(span) * sizeof *walk.from);
    }
}

static void count_digits(const struct sorter *s, const uint32_t *restrict key, size_t keys,
                         unsigned shift)
{
    uint32_t *restrict count = s->position;
    uint32_t mask = s->radix - 1;

    for (size_t i = 0; i < keys; i++)
        count[key[i] >> shift & mask]++;
}

static void place_keys(const struct sorter *s, const uint32_t *restrict key, size_t keys,
                       unsigned shift, uint32_t *restrict to)
{
    uint32_t *restrict position = s->position;
    uint32_t mask = s->radix - 1;

    for (size_t i = 0; i < keys; i++)
        to[position[key[i] >> shift & mask]++] = key[i];
}

/* Publishes the counts, and turns them into the start positions of each digit in this node's
 * part. */
static void make_positions(struct sorter *s, unsigned pass)
{
    uint32_t *row = &s->histogram[pass & 1][(size_t)app.node * s->row];
    uint32_t place = (uint32_t)s->mine.begin;

    app_will_write(row, s->radix * sizeof *row);
    memcpy(row, s->position, s->radix * sizeof *row);
    for (uint32_t digit = 0; digit < s->radix; digit++) {
        uint32_t count = s->position[digit];

        s->position[digit] = place;
        place += count;
    }
}

static void will_write_part(const struct sorter *s, uint32_t *array)
{
    app_will_write(&array[s->mine.begin], app_length(s->mine) * sizeof *array);
}

/* Sorts this node's part of the input into its part of the first bucket array. */
static void first_pass(struct sorter *s)
{
    const uint32_t *key = &s->key[s->mine.begin];
    size_t keys = app_length(s->mine);

    memset(s->position, 0, s->radix * sizeof *s->position);
    count_digits(s, key, keys, 0);
    make_positions(s, 0);
    will_write_part(s, s->bucket[0]);
    place_keys(s, key, keys, 0, s->bucket[0]);
    hlrc_barrier();
}

/* Sorts this node's part of the previous pass's result, read from all nodes, into its part of the
 * other bucket array. */
static void next_pass(struct sorter *s, unsigned pass)
{
    unsigned shift = pass * s->digit_bits;
    struct pieces walk;
    struct piece piece;

    pieces_fetch(s, pass - 1);
    memset(s->position, 0, s->radix * sizeof *s->position);
    pieces_begin(s, pass - 1, &walk);
    while (pieces_next(s, &walk, &piece))
        count_digits(s, &walk.from[piece.at.begin], app_length(piece.at), shift);
    make_positions(s, pass);
    will_write_part(s, s->bucket[pass & 1]);
    pieces_begin(s, pass - 1, &walk);
    while (pieces_next(s, &walk, &piece))
        place_keys(s, &walk.from[piece.at.begin], app_length(piece.at), shift, s->bucket[pass & 1]);
    hlrc_barrier();
}

/* Copies the pieces of the last pass to their places. */
static void gather(struct sorter *s, uint32_t *result)
{
    struct pieces walk;
    struct piece piece;

    pieces_fetch(s, s->passes - 1);
    will_write_part(s, result);
    pieces_begin(s, s->passes - 1, &walk);
    while (pieces_next(s, &walk, &piece))
        memcpy(&result[piece.place], &walk.from[piece.at.begin],
               app_length(piece.at) * sizeof *result);
    hlrc_barrier();
}

/* For each digit, the place of this node's first key with it: after all keys with lower digits,
 * and those of lower nodes with the same digit. */
static void find_destinations(struct sorter *s, unsigned pass)
{
    uint32_t place = 0;

    for (uint32_t digit = 0; digit < s->radix; digit++)
        for (int node = 0; node < app.nodes; node++) {
            if (node == app.node)
                s->position[digit] = place;
            place += s->histogram[pass & 1][(size_t)node * s->row + digit];
        }
}

static void pass_by_writes(struct sorter *s, unsigned pass)
{
    const uint32_t *from = pass == 0 ? s->key : s->bucket[(pass - 1) & 1];
    unsigned shift = pass * s->digit_bits;

    memset(s->position, 0, s->radix * sizeof *s->position);
    count_digits(s, &from[s->mine.begin], app_length(s->mine), shift);
    memcpy(&s->histogram[pass & 1][(size_t)app.node * s->row], s->position,
           s->radix * sizeof *s->position);
    hlrc_barrier();
    find_destinations(s, pass);
    place_keys(s, &from[s->mine.begin], app_length(s->mine), shift, s->bucket[pass & 1]);
    hlrc_barrier();
}

/* Returns the array that holds the sorted keys. */
static uint32_t *sort(struct sorter *s, bool saves)
{
    uint32_t *result = s->bucket[s->passes & 1];

    for (s->steps.done = 0; s->steps.done < s->passes; s->steps.done++) {
        if (saves)
            app_steps_save(&s->steps, hlrc_checkpoint);
        if (s->writes)
            pass_by_writes(s, (unsigned)s->steps.done);
        else if (s->steps.done == 0)
            first_pass(s);
        else
            next_pass(s, (unsigned)s->steps.done);
    }
    if (s->writes || app.nodes == 1)
        return s->bucket[(s->passes - 1) & 1];
    gather(s, result);
    return result;
}

static void make_keys(struct sorter *s, const struct problem *problem)
{
    struct note *note = &s->notes[app.node];
    struct tally given = tally_empty;

    if (problem->input != NULL)
        keys_read(problem->input, s->key, s->mine, &given);
    else
        keys_generate(s->key, s->mine, problem->max_key, &given);
    note->given = given;
    hlrc_barrier();
}

/* The keys are sorted once before, untimed: that touches every page. The input is not changed by
 * it. */
static const uint32_t *timed_sort(struct sorter *s, double *seconds)
{
    const uint32_t *result;

    sort(s, false);
    app_steps_begin(&s->steps);
    result = sort(s, true);
    *seconds = app_steps_seconds(&s->steps);
    return result;
}

/* Checks this node's part of the result, and the place before it. */
static void inspect(struct sorter *s, const uint32_t *result)
{
    struct note *note = &s->notes[app.node];
    struct note found = { .given = note->given, .sorted = tally_empty };
    uint32_t before =
        s->mine.begin > 0 && s->mine.begin < s->mine.end ? result[s->mine.begin - 1] : 0;

    for (size_t i = s->mine.begin; i < s->mine.end; i++) {
        found.misplaced += result[i] < before;
        found.checksum += key_at(result[i], i);
        tally_add(&found.sorted, result[i]);
        before = result[i];
    }
    *note = found;
    hlrc_barrier();
}

static void verify(const struct note *all, struct app_result *result)
{
    const struct tally *given = &all->given, *sorted = &all->sorted;
    bool kept = tally_equal(given, sorted);

    result->verified = all->misplaced == 0 && kept;
    if (result->verified)
        APP_PRINT(result->evidence,
                  "%" PRIu64 " keys in order; their sum and product equal the input", sorted->keys);
    else
        APP_PRINT(result->evidence,
                  "wrong: %" PRIu64 " keys smaller than the one before; %" PRIu64
                  " keys, %s, of %" PRIu64,
                  all->misplaced, sorted->keys,
                  kept ? "the same as in the input" : "not the same as in the input", given->keys);
}

static struct note notes_of_all(const struct sorter *s)
{
    struct note all = { .given = tally_empty, .sorted = tally_empty };

    for (int node = 0; node < app.nodes; node++) {
        const struct note *note = &s->notes[node];

        tally_join(&all.given, &note->given);
        tally_join(&all.sorted, &note->sorted);
        all.misplaced += note->misplaced;
        all.checksum += note->checksum;
    }
    return all;
}

/* Only on node 0. */
static void report(const struct sorter *s, const struct problem *problem, struct app_result *result)
{
    struct note all = notes_of_all(s);

    APP_PRINT(result->size, "%zu", s->keys);
    APP_PRINT(result->problem, "sort, %zu keys below %" PRIu64 ", radix %" PRIu32 ", %u passes, %s",
              s->keys, problem->max_key, s->radix, s->passes, app_source(problem->input));
    APP_PRINT(result->checksum, "%016" PRIx64, all.checksum);
    result->mops = 1e-6 * (double)s->keys / result->time_s;
    if (app.verify)
        verify(&all, result);
}

static const struct app_option options[] = {
    { "keys", 'k', "N", "Number of keys, also as 2^n (default 2^20)",
      APP_NUMBER(problem, keys, 1, MAX_KEYS) },
    { "radix", 'r', "R", "Values of a digit, a power of two (default 1024)",
      APP_POWER(problem, radix, 2, MAX_RADIX) },
    { "max-key", 'm', "M", "Keys are uniform below M, up to 2^32 (default 2^19)",
      APP_NUMBER(problem, max_key, 1, MAX_MAX_KEY) },
    { "by", 'w', "HOW", "reads (default): the owner of a place fetches its key; or writes",
      APP_WORDS(problem, writes, "reads", "writes") },
    { "input", 'i', "FILE", "Sort the keys in FILE, one number in each line",
      APP_TEXT(problem, input) },
    { "output", 'o', "FILE", "Write the sorted keys to FILE, one in each line",
      APP_TEXT(problem, output) },
    { 0 },
};

/* Keys from a file determine their number and the largest key. */
static void complete(struct problem *problem)
{
    uint32_t largest;

    if (problem->input == NULL)
        return;
    problem->keys = keys_in_file(problem->input, &largest);
    problem->max_key = (uint64_t)largest + 1;
}

int main(int argc, char **argv)
{
    static struct sorter s;
    struct problem problem = { .keys = DEFAULT_KEYS,
                               .radix = DEFAULT_RADIX,
                               .max_key = DEFAULT_MAX_KEY };
    struct app_result result = { 0 };
    const uint32_t *sorted;
    int unwritten = 0;

    app_begin("radix", "Sorting of integers: the radix sort of SPLASH-2.", options, &problem, argc,
              argv);
    complete(&problem);
    sorter_init(&s, &problem);
    make_keys(&s, &problem);
    sorted = timed_sort(&s, &result.time_s);
    inspect(&s, sorted);
    if (app.node == 0) {
        report(&s, &problem, &result);
        if (problem.output != NULL)
            unwritten = keys_write(problem.output, sorted, s.keys);
    }
    return app_end(&result) | unwritten;
}
