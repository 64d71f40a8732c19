/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random access patterns: the cost of a policy that suits some programs for the others.
 *
 * A pattern is a number of pages and of intervals. Each page draws the nodes that store to it (one
 * node, nodes in turn, any node, all nodes at different words, none), the nodes that load it
 * (none, one node, any node, all), and the node that stores to it first. In an interval all stores
 * come first, then a barrier, the loads, and a barrier. Every load is checked.
 *
 * Times of node 0: per pattern in microseconds, including the first touch but not the allocation.
 * The patterns depend only on --seed and the number of nodes.
 */
#include "microbench/job.h"

#include <string.h>

#define WORDS     BENCH_PAGE_WORDS
#define MOST      128 /* maximum pages of a pattern */
#define INTERVALS 40  /* maximum of a pattern */
#define SMALL     4   /* maximum words of a small store: the share of a node of 128 */

static unsigned long patterns = 1000, seed = 1;
static uint64_t wrong;

enum who { NOBODY, ONE, IN_TURN, ANY, ALL, KINDS };

struct page_pattern {
    enum who stores, loads;
    uint64_t first, one, turn, draw; /* `turn`: intervals before the next node's turn */
    uint64_t words;                  /* words per store */
};

struct pattern {
    uint64_t pages, intervals;
    struct page_pattern page[MOST];
};

/* The generator of Steele, Lea and Flood (SplitMix, 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Half of the patterns have mostly equal pages; in the other half each page is drawn
 * separately. */
static void draw_pattern(struct pattern *p, uint64_t state)
{
    uint64_t nodes = (uint64_t)hlrc_node_count();
    uint64_t alike = draw(&state) % 2;
    enum who stores = (enum who)(draw(&state) % KINDS), loads = (enum who)(draw(&state) % KINDS);

    p->pages = 1 + draw(&state) % MOST;
    p->intervals = 4 + draw(&state) % (INTERVALS - 3);
    for (uint64_t i = 0; i < p->pages; i++) {
        bool own = !alike || draw(&state) % 8 == 0;
        p->page[i] = (struct page_pattern){
            .stores = own ? (enum who)(draw(&state) % KINDS) : stores,
            .loads = own ? (enum who)(draw(&state) % KINDS) : loads,
            .first = draw(&state) % nodes,
            .one = draw(&state) % nodes,
            .turn = 1 + draw(&state) % 8,
            .draw = draw(&state),
            .words = draw(&state) % 2 ? 1 + draw(&state) % SMALL : WORDS / nodes,
        };
    }
}

static bool takes_part(enum who who, const struct page_pattern *p, uint64_t node, uint64_t interval)
{
    uint64_t nodes = (uint64_t)hlrc_node_count(), state = p->draw + interval;

    switch (who) {
    case ONE:
        return node == p->one;
    case IN_TURN:
        return node == (p->one + interval / p->turn) % nodes;
    case ANY:
        return node == draw(&state) % nodes;
    case ALL:
        return true;
    default:
        return false;
    }
}

/* Word AT of the given node's share of the page. */
static volatile uint64_t *word_of(volatile uint64_t *page, uint64_t node, uint64_t at)
{
    return &page[node * (WORDS / (uint64_t)hlrc_node_count()) + at];
}

static void store_page(volatile uint64_t *page, const struct page_pattern *p, uint64_t node,
                       uint64_t interval)
{
    for (uint64_t k = 0; k < p->words; k++)
        *word_of(page, node, k) = interval + k;
}

static void store(volatile uint64_t *data, const struct pattern *p, uint64_t interval)
{
    uint64_t me = (uint64_t)hlrc_node_id();

    for (uint64_t i = 0; i < p->pages; i++)
        if (takes_part(p->page[i].stores, &p->page[i], me, interval))
            store_page(&data[i * WORDS], &p->page[i], me, interval);
}

/* Checks the first and the last word that a node stored in its last interval; 0 means none. */
static uint64_t wrong_words(volatile uint64_t *page, const struct page_pattern *p, uint64_t node,
                            uint64_t interval)
{
    if (interval == 0)
        return *word_of(page, node, 0) != 0;
    return (uint64_t)(*word_of(page, node, 0) != interval) +
           (uint64_t)(*word_of(page, node, p->words - 1) != interval + p->words - 1);
}

/* `last`: interval of the last stores, by page and node. */
static void load(volatile uint64_t *data, const struct pattern *p, uint64_t interval,
                 uint64_t (*last)[HLRC_MAX_NODES])
{
    uint64_t me = (uint64_t)hlrc_node_id(), nodes = (uint64_t)hlrc_node_count();

    for (uint64_t i = 0; i < p->pages; i++) {
        for (uint64_t w = 0; w < nodes; w++)
            if (takes_part(p->page[i].stores, &p->page[i], w, interval))
                last[i][w] = interval;
        if (!takes_part(p->page[i].loads, &p->page[i], me, interval + 1))
            continue;
        for (uint64_t w = 0; w < nodes; w++)
            wrong += wrong_words(&data[i * WORDS], &p->page[i], w, last[i][w]);
    }
}

static double run_pattern(uint64_t number)
{
    static uint64_t last[MOST][HLRC_MAX_NODES];
    static struct pattern p;

    memset(last, 0, sizeof last);
    draw_pattern(&p, number);
    volatile uint64_t *data = job_allocate(p.pages * BENCH_PAGE, "");
    hlrc_barrier();
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < p.pages; i++)
        if (p.page[i].first == (uint64_t)hlrc_node_id())
            data[i * WORDS] = 0;
    for (uint64_t t = 1; t <= p.intervals; t++) {
        hlrc_barrier();
        store(data, &p, t);
        hlrc_barrier();
        load(data, &p, t, last);
    }
    hlrc_barrier();
    double us = (double)(bench_now() - start) / 1000;
    hlrc_free_all((void *)data);
    return us;
}

static const struct bench_program program =
    BENCH_PROGRAM_OF_ROWS("Run random access patterns, every load checked; run it under hlrcrun.",
                          0, 1,
                          BENCH_OPTION_NUMBER("patterns", 'n', "how many", &patterns, 1, 1000000),
                          BENCH_OPTION_NUMBER("seed", 's', "which", &seed, 0, 1ul << 62),
                          BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    struct bench_series series = { 0 };

    job_begin(&argc, &argv, &program, 1);
    for (uint64_t i = 0; i < patterns; i++) {
        double us = run_pattern(seed + i);
        char name[32];
        snprintf(name, sizeof(name), "pattern_%ju_us", (uintmax_t)i);
        if (hlrc_node_id() != 0)
            continue;
        bench_json_number(name, us);
        bench_series_add(&series, us);
    }
    struct bench_stat stat = job_stat(&series);
    if (hlrc_node_id() == 0) {
        bench_row_print("pattern", stat, "of 1 to 128 pages, 4 to 40 intervals");
        bench_json_stat("patterns_us", &stat);
    }
    job_end(wrong, NULL);
}
