/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * qsort.c - sorting of integers by quicksort (Hoare, The Computer Journal 5(1), 1962), of ranges
 * that nodes take from a shared stack.
 *
 * A node takes a range of the keys and partitions it: it pushes one part on the stack and
 * continues with the other, until that is no longer than the threshold. This it sorts locally, and
 * takes another range. The program with which TreadMarks was compared with message passing is
 * organized like this (Lu et al., Supercomputing '95). It uses a bubblesort below the threshold,
 * where this one continues with quicksort and ends with an insertion sort.
 *
 * The larger part goes to the stack. So the part that a node continues with is at most half as
 * long each time, and the stack stays short: with one node it holds at most log2(keys) ranges. If
 * the stack is full, the node that has the range sorts it.
 *
 *   key     [i]   the keys, in one array. Of a range, only the node that has taken it reads and
 *                 writes; the stack's lock orders that before the next node's accesses.
 *   stack         the ranges to be sorted, the number of working nodes. Protected by STACK_LOCK.
 *
 * A node waits while the stack is empty and others are working. The keys are sorted when the stack
 * is empty and no node is working.
 *
 * How pages move. A range that another node has partitioned is fetched completely, and returns to
 * its home as diffs of nearly all of its bytes. Nodes share pages where their ranges meet.
 */
#include <inttypes.h>
#include <stdio.h>

#include "apps/common.h"
#include "apps/radix_keys.h"

#define DEFAULT_KEYS      (UINT64_C(1) << 20)
#define DEFAULT_THRESHOLD 1024

#define MAX_KEY    (UINT64_C(1) << 32) /* keys are below */
#define MAX_RANGES 4096
#define FEW        16 /* different keys */
#define INSERTION  16 /* maximum keys of an insertion sort */

enum { STACK_LOCK }; /* a static lock of HLRC */

enum distribution { UNIFORM, SORTED, REVERSED, FEW_VALUES };

static const char *const distribution_name[] = { "uniform", "sorted", "reversed", "few", NULL };

struct problem {
    size_t keys, threshold;
    enum distribution distribution;
    const char *input, *output;
};

struct stack {
    hlrc_cond_t changed;
    int32_t working; /* nodes that may still add ranges */
    int32_t ranges;
    struct app_range range[MAX_RANGES];
};

struct sorter {
    uint32_t *key;
    struct stack *stack;
    size_t threshold;
};

/* Waits for work. Returns false when no more will come. */
static bool take(struct stack *stack, struct app_range *range)
{
    bool found;

    hlrc_lock(STACK_LOCK);
    stack->working--;
    while (stack->ranges == 0 && stack->working > 0)
        hlrc_cond_wait(stack->changed, STACK_LOCK);
    found = stack->ranges > 0;
    if (found) {
        *range = stack->range[--stack->ranges];
        stack->working++;
    } else {
        hlrc_cond_broadcast(stack->changed);
    }
    hlrc_unlock(STACK_LOCK);
    return found;
}

/* False if there is no room. */
static bool put(struct stack *stack, struct app_range range)
{
    bool room;

    hlrc_lock(STACK_LOCK);
    room = stack->ranges < MAX_RANGES;
    if (room) {
        stack->range[stack->ranges++] = range;
        hlrc_cond_signal(stack->changed);
    }
    hlrc_unlock(STACK_LOCK);
    return room;
}

static uint32_t median(uint32_t a, uint32_t b, uint32_t c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/*
 * Hoare's partition, by the median of the first, the middle and the last key: no key from the
 * returned index on is smaller than any before it. Neither part is empty: of the other two keys,
 * one is not larger than the median, and one not smaller. ASSUMPTION: three keys or more.
 */
static size_t partition(uint32_t *key, struct app_range range)
{
    size_t low = range.begin, high = range.end - 1;
    uint32_t pivot = median(key[low], key[low + (high - low) / 2], key[high]);

    for (;;) {
        uint32_t other;

        while (key[low] < pivot)
            low++;
        while (key[high] > pivot)
            high--;
        if (low >= high)
            return low;
        other = key[low];
        key[low++] = key[high];
        key[high--] = other;
    }
}

static void insertion_sort(uint32_t *key, struct app_range range)
{
    for (size_t i = range.begin + 1; i < range.end; i++) {
        uint32_t moved = key[i];
        size_t place = i;

        for (; place > range.begin && key[place - 1] > moved; place--)
            key[place] = key[place - 1];
        key[place] = moved;
    }
}

/* The two parts of a range that was partitioned at an index. */
struct parts {
    struct app_range smaller, larger;
};

static struct parts parts_at(struct app_range range, size_t middle)
{
    struct app_range low = { range.begin, middle }, high = { middle, range.end };

    return app_length(low) < app_length(high) ? (struct parts){ low, high }
                                              : (struct parts){ high, low };
}

/* Recurses into the smaller part, hence at most log2(keys) deep. */
static void sort_alone(uint32_t *key, struct app_range range)
{
    while (app_length(range) > INSERTION) {
        struct parts parts = parts_at(range, partition(key, range));

        sort_alone(key, parts.smaller);
        range = parts.larger;
    }
    insertion_sort(key, range);
}

static void sort_shared(struct sorter *s, struct app_range range)
{
    while (app_length(range) > s->threshold) {
        struct parts parts = parts_at(range, partition(s->key, range));

        if (!put(s->stack, parts.larger))
            sort_alone(s->key, parts.larger);
        range = parts.smaller;
    }
    sort_alone(s->key, range);
}

/* Collective. Returns the time taken. */
static double sort(struct sorter *s)
{
    struct app_range range;
    double start;

    hlrc_barrier();
    start = app_now();
    while (take(s->stack, &range))
        sort_shared(s, range);
    hlrc_barrier();
    return app_now() - start;
}

/* Keys in a known order: ascending, or descending if reversed. */
static void make_ordered(uint32_t *key, size_t keys, bool reversed, struct tally *given)
{
    for (size_t i = 0; i < keys; i++) {
        key[i] = (uint32_t)(reversed ? keys - 1 - i : i);
        tally_add(given, key[i]);
    }
}

static void make_keys(uint32_t *key, const struct problem *problem, struct tally *given)
{
    struct app_range all = { 0, problem->keys };

    if (problem->input != NULL)
        keys_read(problem->input, key, all, given);
    else if (problem->distribution == SORTED || problem->distribution == REVERSED)
        make_ordered(key, problem->keys, problem->distribution == REVERSED, given);
    else
        keys_generate(key, all, problem->distribution == UNIFORM ? MAX_KEY : FEW, given);
}

/* Collective. Node 0 makes the keys, and pushes all of them on the stack as one range. */
static void sorter_init(struct sorter *s, const struct problem *problem, struct tally *given)
{
    uint32_t *key = app_shared("the keys", problem->keys * sizeof *key);
    struct stack *stack = app_shared("the stack", sizeof *stack);

    *s = (struct sorter){ key, stack, problem->threshold };
    if (app.node != 0)
        return;
    make_keys(key, problem, given);
    stack->working = app.nodes;
    if (hlrc_cond_create(&stack->changed) != 0)
        app_no_memory("a condition variable", sizeof stack->changed);
    put(stack, (struct app_range){ 0, problem->keys });
}

/* The input was summed as it was generated, not as read back from shared memory. */
static void inspect(const uint32_t *key, size_t keys, const struct tally *given,
                    struct app_result *result)
{
    struct tally sorted = tally_empty;
    uint64_t misplaced = 0, checksum = 0;
    bool kept;

    for (size_t i = 0; i < keys; i++) {
        misplaced += i > 0 && key[i] < key[i - 1];
        checksum += key_at(key[i], i);
        tally_add(&sorted, key[i]);
    }
    kept = tally_equal(given, &sorted);
    result->verified = misplaced == 0 && kept;
    APP_PRINT(result->checksum, "%016" PRIx64, checksum);
    APP_PRINT(result->evidence,
              "%s: of %zu keys, %" PRIu64 " are smaller than the one before; %s of the input",
              result->verified ? "right" : "wrong", keys, misplaced,
              kept ? "sum and product are those" : "they are not those");
}

/* Only on node 0. */
static void report(const struct problem *problem, struct app_result *result)
{
    bool made = problem->input == NULL;

    APP_PRINT(result->size, "%zu", problem->keys);
    APP_PRINT(result->problem, "quicksort, %zu keys, ranges up to %zu by one node, %s%s%s",
              problem->keys, problem->threshold,
              made ? distribution_name[problem->distribution] : "", made ? ", " : "",
              app_source(problem->input));
    result->mops = 1e-6 * (double)problem->keys / result->time_s;
}

static const struct app_option options[] = {
    { "keys", 'k', "N", "Number of keys, also as 2^n (default 2^20)",
      APP_NUMBER(problem, keys, 1, MAX_KEYS) },
    { "threshold", 't', "T",
      "A range of at most T keys is sorted by one node, 16 or more (default 1024)",
      APP_NUMBER(problem, threshold, INSERTION, MAX_KEYS) },
    { "distribution", 'd', "NAME",
      "uniform below 2^32 (default), sorted, reversed, or few: 16 different keys",
      APP_WORD_OF(problem, distribution, distribution_name) },
    { "input", 'i', "FILE", "Sort the keys in FILE, one number in each line",
      APP_TEXT(problem, input) },
    { "output", 'o', "FILE", "Write the sorted keys to FILE, one in each line",
      APP_TEXT(problem, output) },
    { 0 },
};

int main(int argc, char **argv)
{
    struct problem problem = { DEFAULT_KEYS, DEFAULT_THRESHOLD, UNIFORM, NULL, NULL };
    struct app_result result = { 0 };
    struct tally given = tally_empty;
    struct sorter s;
    uint32_t largest;
    int unwritten = 0;

    app_begin("qsort", "Sorting of integers: quicksort on a shared stack of ranges.", options,
              &problem, argc, argv);
    if (problem.input != NULL)
        problem.keys = keys_in_file(problem.input, &largest);
    sorter_init(&s, &problem, &given);
    result.time_s = sort(&s);
    if (app.node == 0) {
        report(&problem, &result);
        inspect(s.key, problem.keys, &given, &result);
        if (problem.output != NULL)
            unwritten = keys_write(problem.output, s.key, problem.keys);
    }
    return app_end(&result) | unwritten;
}
