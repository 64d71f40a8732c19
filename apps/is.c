/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * is.c - ranking of integers: the IS benchmark of the NAS Parallel Benchmarks.
 *
 * Ten times, two keys are replaced and the rank of every key is computed: the number of smaller
 * keys. Keys and key values are both distributed over the nodes, in whole pages (1,024 elements):
 *
 *   key        a node generates and counts its share of the keys; only the replaced ones are
 *              written again.
 *   histogram  one row per node, by key value. A node counts into a private row and copies to the
 *              shared one the counts of key values that belong to other nodes.
 *   note       one page per node: the number of keys with a value of its share, and the ranks
 *              within the share of the few keys that the benchmark checks in each iteration. The
 *              totals make ranks absolute.
 *   rank       by key value, within the share of its node. A node adds up all nodes' counts of its
 *              values and turns them into ranks in its private row. It writes them here after the
 *              last iteration, when other nodes need them.
 *   sorted     the keys in order; only for the verification.
 *
 * A node writes whole pages that it touched first and is the home of, except in `sorted`, where a
 * page shared by two shares of key values has two writers.
 *
 * How pages move. In each iteration a node reads from each of the others the part of its row for
 * its own key values: 4 max_key / N bytes, 4 max_key (N-1)/N in all, each page once; it writes the
 * same amount of its own. Keys do not move. There are two barriers per iteration: before the rows
 * are read, and before they are overwritten. For the verification each node reads all keys once
 * and sorts the keys with values of its share.
 *
 * With --by lock, as in the IS of TreadMarks, all nodes add their counts to one shared row under a
 * lock, each in turn, and copy the totals. A node then fetches and writes the whole row in each
 * iteration, and sends diffs of it.
 *
 * Counts are integers, so that nothing depends on the number of nodes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/common.h"
#include "apps/is_check.h"

#define UNIT (APP_PAGE / sizeof(uint32_t)) /* elements of a page */

#define TOTALS_LOCK 0 /* of --by lock */

#define MIN_KEYS    1024
#define MAX_KEYS    (UINT64_C(1) << 30)
#define MIN_MAX_KEY 32
#define MAX_MAX_KEY (UINT64_C(1) << 28)

struct problem {
    const struct is_class *class; /* NULL for a user-defined size */
    size_t keys;
    uint32_t max_key; /* 0: one value per 16 keys */
    bool lock;
    uint32_t index[IS_TESTS];
};

/* Data of a node for the others; written between barriers, read by all after them. */
struct note {
    /* keys with a value of this node's share */
    _Alignas(APP_PAGE) uint32_t total;
    uint32_t rank[IS_TESTS]; /* of the checked keys, if their value is in this node's share */
    uint64_t misplaced;      /* keys that were out of place when this node checked */
    uint64_t sum_given;      /* over this node's share of the keys, before and after sorting */
    uint64_t sum_sorted;
};

struct sorter {
    size_t keys;
    bool lock;
    uint32_t max_key;
    size_t row;    /* elements of a row of the histogram */
    uint32_t *key; /* shared, as described above */
    uint32_t *histogram;
    uint32_t *rank;
    uint32_t *sorted;
    struct note *notes;      /* by node, a page each */
    uint32_t *count;         /* private, by key value */
    struct app_range mine;   /* share of the keys */
    struct app_range values; /* share of the key values */
    struct app_steps iterations;
    uint64_t wrong_ranks; /* of the keys checked in each iteration; node 0 */
};

static void sorter_init(struct sorter *s, const struct problem *problem)
{
    s->keys = problem->keys;
    s->lock = problem->lock;
    s->max_key = problem->max_key;
    s->row = (s->max_key + UNIT - 1) / UNIT * UNIT;
    s->mine = app_part(s->keys, UNIT, app.node);
    s->values = app_part(s->max_key, UNIT, app.node);
    s->key = app_shared("the keys", s->keys * sizeof *s->key);
    s->histogram = app_shared("the histograms", (size_t)app.nodes * s->row * sizeof *s->histogram);
    s->rank = app_shared("the ranks", s->max_key * sizeof *s->rank);
    s->notes = app_shared("the notes", (size_t)app.nodes * sizeof *s->notes);
    s->sorted = app.verify ? app_shared("the sorted keys", s->keys * sizeof *s->sorted) : NULL;
    s->count = app_private("a histogram", s->max_key * sizeof *s->count);
}

static void generate_keys(struct sorter *s)
{
    uint64_t state = is_key_state(app.seed, s->mine.begin);

    for (size_t i = s->mine.begin; i < s->mine.end; i++)
        s->key[i] = is_next_key(&state, s->max_key);
}

static void replace_key(struct sorter *s, size_t index, uint32_t key)
{
    if (index >= s->mine.begin && index < s->mine.end)
        s->key[index] = key;
}

static void count_keys(struct sorter *s)
{
    uint32_t *restrict count = s->count;
    const uint32_t *restrict key = s->key;

    memset(count, 0, s->max_key * sizeof *count);
    for (size_t i = s->mine.begin; i < s->mine.end; i++)
        count[key[i]]++;
}

/* Copies counts of a range of key values to this node's row of the histogram. */
static void publish(struct sorter *s, size_t begin, size_t end)
{
    uint32_t *to = &s->histogram[(size_t)app.node * s->row + begin];

    app_will_write(to, (end - begin) * sizeof *to);
    memcpy(to, &s->count[begin], (end - begin) * sizeof *to);
}

/* The counts of one other node for this node's share of the key values. */
static const uint32_t *counts_of(const struct sorter *s, int node)
{
    return &s->histogram[(size_t)node * s->row + s->values.begin];
}

/* Starts with the next node, so that requests are spread over the nodes. */
static void add_counts_of_others(struct sorter *s)
{
    uint32_t *restrict count = &s->count[s->values.begin];
    size_t n = app_length(s->values);

    for (int distance = 1; distance < app.nodes; distance++)
        app_will_read(counts_of(s, (app.node + distance) % app.nodes), n * sizeof *count);
    for (int distance = 1; distance < app.nodes; distance++) {
        const uint32_t *restrict other = counts_of(s, (app.node + distance) % app.nodes);

        for (size_t k = 0; k < n; k++)
            count[k] += other[k];
    }
}

/* Turns counts into ranks within this node's share of the key values. */
static void make_ranks(struct sorter *s)
{
    uint32_t smaller = 0;

    for (size_t k = s->values.begin; k < s->values.end; k++) {
        uint32_t here = s->count[k];

        s->count[k] = smaller;
        smaller += here;
    }
    s->notes[app.node].total = smaller;
}

static void note_ranks(struct sorter *s, const struct problem *problem)
{
    for (int test = 0; test < IS_TESTS; test++) {
        uint32_t key = s->key[problem->index[test]];

        if (key >= s->values.begin && key < s->values.end)
            s->notes[app.node].rank[test] = s->count[key];
    }
}

/* Publishes the ranks of the last iteration. */
static void share_ranks(struct sorter *s)
{
    uint32_t *to = &s->rank[s->values.begin];
    size_t bytes = app_length(s->values) * sizeof *to;

    app_will_write(to, bytes);
    memcpy(to, &s->count[s->values.begin], bytes);
    hlrc_barrier();
}

/* The number of keys with values in shares lower than that of `node`. */
static uint32_t keys_below(const struct sorter *s, int node)
{
    uint32_t below = 0;

    for (int i = 0; i < node; i++)
        below += s->notes[i].total;
    return below;
}

/* Row 0 has the totals. Each node clears its share of it for the next iteration. */
static void add_under_lock(struct sorter *s)
{
    uint32_t *total = s->histogram;

    hlrc_lock(TOTALS_LOCK);
    for (size_t k = 0; k < s->max_key; k++)
        total[k] += s->count[k];
    hlrc_unlock(TOTALS_LOCK);
    hlrc_barrier();
    memcpy(s->count, total, s->max_key * sizeof *s->count);
    hlrc_barrier();
    memset(&total[s->values.begin], 0, app_length(s->values) * sizeof *total);
}

static void exchange_counts(struct sorter *s)
{
    publish(s, 0, s->values.begin);
    publish(s, s->values.end, s->max_key);
    hlrc_barrier();
    add_counts_of_others(s);
}

/* One iteration. On return the notes may be read, until the next barrier. */
static void rank_keys(struct sorter *s, const struct problem *problem, int iteration)
{
    replace_key(s, (size_t)iteration, (uint32_t)iteration);
    replace_key(s, (size_t)iteration + IS_ITERATIONS, s->max_key - (uint32_t)iteration);
    count_keys(s);
    if (s->lock)
        add_under_lock(s);
    else
        exchange_counts(s);
    make_ranks(s);
    note_ranks(s, problem);
    hlrc_barrier();
}

static void check_ranks(struct sorter *s, const struct problem *problem,
                        const uint32_t expected[IS_TESTS])
{
    for (int test = 0; test < IS_TESTS; test++) {
        int owner = app_owner(s->max_key, UNIT, s->key[problem->index[test]]);

        if (keys_below(s, owner) + s->notes[owner].rank[test] != expected[test])
            s->wrong_ranks++;
    }
}

static void expected_ranks(const struct sorter *s, const struct problem *problem,
                           uint32_t expected[IS_ITERATIONS + 1][IS_TESTS])
{
    struct is_reference reference = { s->keys, s->max_key, app.seed, s->count };

    if (problem->class == NULL || app.seed != APP_SEED) {
        is_reference_ranks(&reference, problem->index, expected);
        return;
    }
    for (int i = 1; i <= IS_ITERATIONS; i++)
        for (int test = 0; test < IS_TESTS; test++)
            expected[i][test] = is_published_rank(problem->class, test, i);
}

/* One untimed iteration precedes, as the benchmark requires: it touches every page. */
static double timed_run(struct sorter *s, const struct problem *problem)
{
    uint32_t expected[IS_ITERATIONS + 1][IS_TESTS];
    bool check = app.verify && app.node == 0;

    if (check)
        expected_ranks(s, problem, expected);
    generate_keys(s);
    rank_keys(s, problem, 1);
    app_protect(&s->wrong_ranks, sizeof s->wrong_ranks);
    app_steps_begin(&s->iterations);
    while (s->iterations.done < IS_ITERATIONS) {
        app_steps_save(&s->iterations, hlrc_checkpoint);
        s->iterations.done++;
        rank_keys(s, problem, (int)s->iterations.done);
        if (check)
            check_ranks(s, problem, expected[s->iterations.done]);
        app_progress(s->iterations.done, IS_ITERATIONS);
    }
    return app_steps_seconds(&s->iterations);
}

/* Of one node's share of the keys, puts the keys with values of this node's share in their
 * places. */
static void place_keys(struct sorter *s, struct app_range theirs)
{
    uint32_t *restrict position = s->count;
    size_t n = app_length(s->values);

    app_will_read(&s->key[theirs.begin], app_length(theirs) * sizeof *s->key);
    for (size_t i = theirs.begin; i < theirs.end; i++) {
        uint32_t key = s->key[i];

        if (key - s->values.begin >= n)
            continue;
        if (position[key] < s->keys)
            s->sorted[position[key]] = key;
        position[key]++;
    }
}

/* Sorts by the ranks. Returns the number of key values that did not fill their places exactly. */
static uint64_t sort_keys(struct sorter *s)
{
    uint32_t below = keys_below(s, app.node);
    uint64_t wrong = 0;

    for (size_t k = s->values.begin; k < s->values.end; k++)
        s->count[k] = below + s->rank[k];
    for (int distance = 0; distance < app.nodes; distance++)
        place_keys(s, app_part(s->keys, UNIT, (app.node + distance) % app.nodes));
    for (size_t k = s->values.begin; k + 1 < s->values.end; k++)
        wrong += s->count[k] != below + s->rank[k + 1];
    if (app_length(s->values) != 0)
        wrong += s->count[s->values.end - 1] != below + s->notes[app.node].total;
    return wrong;
}

/* Checks this node's share of the sorted array, and the place before it. */
static void inspect_sorted(struct sorter *s, struct note *note)
{
    if (s->mine.begin > 0 && app_length(s->mine) != 0)
        note->misplaced += s->sorted[s->mine.begin - 1] > s->sorted[s->mine.begin];
    for (size_t i = s->mine.begin; i < s->mine.end; i++) {
        note->misplaced += i > s->mine.begin && s->sorted[i - 1] > s->sorted[i];
        note->sum_given += app_scramble(s->key[i]);
        note->sum_sorted += app_scramble(s->sorted[i]);
    }
}

/* Called on every node. */
static void verify_sorted(struct sorter *s)
{
    struct note *note = &s->notes[app.node];
    struct note found = { .misplaced = sort_keys(s) };

    hlrc_barrier();
    inspect_sorted(s, &found);
    found.total = note->total;
    *note = found;
    hlrc_barrier();
}

static uint64_t checksum(const struct sorter *s)
{
    uint64_t sum = 0;
    int owner = 0;
    struct app_range values = app_part(s->max_key, UNIT, 0);

    for (size_t k = 0, below = 0; k < s->max_key; k++) {
        while (k >= values.end) {
            values = app_part(s->max_key, UNIT, ++owner);
            below = keys_below(s, owner);
        }
        sum += app_scramble(k << 32 | (uint32_t)(below + s->rank[k]));
    }
    return sum;
}

/* Only on node 0: compares all ranks with ranks counted in one thread. */
static uint64_t wrong_table(struct sorter *s)
{
    struct is_reference reference = { s->keys, s->max_key, app.seed, s->count };
    uint64_t wrong = 0;

    is_reference_table(&reference);
    for (int node = 0; node < app.nodes; node++) {
        struct app_range values = app_part(s->max_key, UNIT, node);
        uint32_t below = keys_below(s, node);

        for (size_t k = values.begin; k < values.end; k++)
            wrong += below + s->rank[k] != s->count[k];
    }
    return wrong;
}

static void verify(struct sorter *s, const struct problem *problem, struct app_result *result)
{
    bool published = problem->class != NULL && app.seed == APP_SEED;
    uint64_t table = wrong_table(s), misplaced = 0, difference = 0;

    for (int node = 0; node < app.nodes; node++) {
        misplaced += s->notes[node].misplaced;
        difference += s->notes[node].sum_given - s->notes[node].sum_sorted;
    }
    result->verified = s->wrong_ranks == 0 && table == 0 && misplaced == 0 && difference == 0;
    if (result->verified)
        APP_PRINT(result->evidence,
                  "%d ranks equal those %s, %" PRIu32
                  " those counted anew; %zu keys in order, none lost",
                  IS_TESTS * IS_ITERATIONS, published ? "published" : "counted sequentially",
                  s->max_key, s->keys);
    else
        APP_PRINT(result->evidence,
                  "wrong: %" PRIu64 " of %d ranks %s, %" PRIu64 " of %" PRIu32
                  " counted anew; %" PRIu64 " keys out of order, keys %s",
                  s->wrong_ranks, IS_TESTS * IS_ITERATIONS,
                  published ? "published" : "counted sequentially", table, s->max_key, misplaced,
                  difference == 0 ? "kept" : "lost");
}

/* Only on node 0. */
static void report(struct sorter *s, const struct problem *problem, struct app_result *result)
{
    if (problem->class != NULL)
        APP_PRINT(result->size, "%c", problem->class->name);
    else
        APP_PRINT(result->size, "2^%u", app_log2(s->keys));
    APP_PRINT(result->problem,
              "NAS IS, %s%s, %zu keys below %" PRIu32 ", %d iterations, seed %" PRIu64,
              problem->class != NULL ? "class " : "size ", result->size, s->keys, s->max_key,
              IS_ITERATIONS, app.seed);
    APP_PRINT(result->checksum, "%016" PRIx64, checksum(s));
    result->mops = 1e-6 * IS_ITERATIONS * (double)s->keys / result->time_s;
    if (app.verify)
        verify(s, problem, result);
}

/* Size options make it a user-defined size. */
static void leave_class(void *input, const char *text)
{
    struct problem *problem = input;

    (void)text;
    if (problem->class != NULL)
        problem->max_key = 0;
    problem->class = NULL;
}

static void set_class(void *input, const char *name)
{
    struct problem *problem = input;

    problem->class =
        app_class(name, is_classes, sizeof *is_classes, "S, W, A, B or C, or a size by --keys");
    problem->keys = problem->class->keys;
    problem->max_key = problem->class->max_key;
    memcpy(problem->index, problem->class->index, sizeof problem->index);
}

/* For a user-defined size: the checked keys are spread evenly after the replaced ones. */
static void complete(struct problem *problem)
{
    if (problem->class != NULL)
        return;
    if (problem->max_key == 0)
        problem->max_key = (uint32_t)(problem->keys / 16);
    for (uint32_t test = 0; test < IS_TESTS; test++)
        problem->index[test] = (uint32_t)(problem->keys / (IS_TESTS + 1) * (test + 1));
}

static const struct app_option options[] = {
    { "class", 'c', "CLASS",
      "Size: S (2^16 keys below 2^11, default), W (2^20, 2^16), A (2^23, 2^19), "
      "B (2^25, 2^21), C (2^27, 2^23)",
      .call = set_class },
    { "keys", 'k', "N", "Size: number of keys, a power of two, also as 2^n", .call = leave_class,
      APP_POWER(problem, keys, MIN_KEYS, MAX_KEYS) },
    { "max-key", 'm', "M", "Keys are below M, a power of two (default N/16)", .call = leave_class,
      APP_POWER(problem, max_key, MIN_MAX_KEY, MAX_MAX_KEY) },
    { "by", 'w', "HOW", "rows (default): of counts, one per node; or lock: one row for all",
      APP_WORDS(problem, lock, "rows", "lock") },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct sorter s;
    struct problem problem = { 0 };
    struct app_result result = { 0 };

    set_class(&problem, "S");
    app_begin("is", "Ranking of integers: the IS benchmark of the NAS Parallel Benchmarks.",
              options, &problem, argc, argv);
    complete(&problem);
    sorter_init(&s, &problem);
    result.time_s = timed_run(&s, &problem);
    share_ranks(&s);
    if (app.verify)
        verify_sorted(&s);
    if (app.node == 0)
        report(&s, &problem, &result);
    return app_end(&result);
}
