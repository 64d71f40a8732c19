/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tsp.c - the travelling salesman, by branch and bound: the shortest closed tour through the
 * cities.
 *
 * Nodes share a pool of partial tours, which all begin at city 0. A node takes the most promising
 * one, extends it by each city not visited yet, and puts these tours into the pool. A tour with
 * few missing cities is not extended that way: the node tries all its completions locally, depth
 * first. A tour is dropped once it cannot become shorter than the shortest complete one found so
 * far. The organization, with its pool, queue and stack, is that of the program used to evaluate
 * TreadMarks (Keleher et al., USENIX Winter 1994; Amza et al., IEEE Computer 29(2), 1996); the
 * bound is simpler.
 *
 * Lower bound of a tour: the length of its edges, and for each city not left yet the distance of
 * the nearest other city. Each added edge replaces one such distance.
 *
 *   map    the distances. Written by node 0, before the start.
 *   pool   the partial tours, each in a slot; a heap of waiting tours, by their bound; a stack of
 *          free slots; the number of working nodes. Protected by POOL_LOCK.
 *   best   the shortest tour found so far. Protected by BEST_LOCK.
 *
 * A node waits while the pool is empty and others are working, since they may fill it. The search
 * ends when the pool is empty and no node is working. Within one task a node uses the length of
 * the shortest tour as known at its start, or improved by its own finds: a newer value would only
 * save work.
 *
 * How pages move. The pool moves with its lock from node to node. Inserting or removing a tour
 * writes its slot, a path through the heap and the top of the stack, all of them on pages that
 * other nodes have written in between.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/common.h"

#define MIN_CITIES     3
#define DEFAULT_CITIES 16
#define MAX_CITIES     20 /* 40 MB for the exact method */
#define MAX_COORDINATE 1000000
#define SIDE           1000
#define MAX_TOURS      16384 /* maximum waiting tours */

enum { POOL_LOCK, BEST_LOCK }; /* static locks of HLRC */

struct problem {
    int cities;
    int threshold; /* missing cities at or below which a tour is completed by one node */
    const char *input;
};

struct city {
    int32_t x, y;
};

struct map {
    int32_t cities;
    int32_t distance[MAX_CITIES][MAX_CITIES];
    int32_t cheapest[MAX_CITIES]; /* distance of the nearest other city */
};

struct tour {
    int32_t bound;   /* lower bound of all tours that begin like this */
    int32_t visited; /* number of cities, in this order: */
    uint8_t city[MAX_CITIES];
    uint32_t set; /* the same cities, as bits */
};

struct pool {
    hlrc_cond_t changed;
    int32_t working; /* nodes that may still add tours */
    int32_t waiting; /* tours */
    int32_t free;    /* slots */
    uint16_t heap[MAX_TOURS];
    uint16_t stack[MAX_TOURS];
    struct tour slot[MAX_TOURS];
};

struct best {
    int32_t length;
    uint8_t city[MAX_CITIES];
    uint64_t steps; /* by all nodes, set at the end */
};

struct search {
    const struct map *map;
    struct pool *pool;
    struct best *best;
    int threshold;
    int32_t shortest; /* best->length as known to this node */
    uint64_t steps;   /* partial tours that this node has visited */
};

/*
 * ---- cities ----
 *
 * They are in a plane, at integer coordinates from 0 to MAX_COORDINATE. Their distance is
 * Euclidean, rounded to an integer, as in TSPLIB (EUC_2D).
 */

/* Cities at random places, by app.seed, of a square with sides of SIDE. */
static void cities_generate(struct city *city, int cities)
{
    uint64_t state = app.seed;

    for (int i = 0; i < cities; i++) {
        city[i].x = (int32_t)((app_random(&state) >> 14) * SIDE >> 32);
        city[i].y = (int32_t)((app_random(&state) >> 14) * SIDE >> 32);
    }
}

/* Parses a coordinate at *text and advances *text past it. Returns false if there is none. */
static bool parse_coordinate(char **text, int32_t *coordinate)
{
    char *rest;
    long value = strtol(*text, &rest, 10);

    if (rest == *text || value < 0 || value > MAX_COORDINATE)
        return false;
    *coordinate = (int32_t)value;
    *text = rest;
    return true;
}

static struct city parse_city(const char *path, int line, char *text)
{
    struct city city;

    if (!parse_coordinate(&text, &city.x) || !parse_coordinate(&text, &city.y) ||
        text[strspn(text, " \t\r\n")] != '\0')
        app_usage_error("--input %s: line %d is no city; write two numbers from 0 to %d in each "
                        "line",
                        path, line, MAX_COORDINATE);
    return city;
}

/* One city per line: x, blanks, y. Every node reads the file. Returns the number of cities. Ends
 * the program if that is not MIN_CITIES to MAX_CITIES, or if the file cannot be read. */
static int cities_read(const char *path, struct city *city)
{
    FILE *f = fopen(path, "r");
    char text[128];
    int cities = 0;

    if (f == NULL)
        app_usage_error("--input %s: %s; name a file that every node can read", path,
                        strerror(errno));
    while (cities <= MAX_CITIES && fgets(text, sizeof text, f) != NULL) {
        struct city found = parse_city(path, cities + 1, text);

        if (cities < MAX_CITIES)
            city[cities] = found;
        cities++;
    }
    fclose(f);
    if (cities < MIN_CITIES || cities > MAX_CITIES)
        app_usage_error("--input %s: %s cities; choose a file of %d to %d", path,
                        cities < MIN_CITIES ? "too few" : "too many", MIN_CITIES, MAX_CITIES);
    return cities;
}

static int32_t distance(struct city a, struct city b)
{
    double x = a.x - b.x, y = a.y - b.y;

    return (int32_t)(sqrt(x * x + y * y) + 0.5);
}

static void map_make(struct map *map, const struct city *city, int cities)
{
    map->cities = cities;
    for (int a = 0; a < cities; a++) {
        map->cheapest[a] = INT32_MAX;
        for (int b = 0; b < cities; b++) {
            int32_t d = distance(city[a], city[b]);

            map->distance[a][b] = d;
            if (a != b && d < map->cheapest[a])
                map->cheapest[a] = d;
        }
    }
}

/* ---- the search ---- */

/* Increase of the bound by the edge between the two cities. */
static int32_t surplus(const struct map *map, int from, int to)
{
    return map->distance[from][to] - map->cheapest[from];
}

static int last_city(const struct tour *tour)
{
    return tour->city[tour->visited - 1];
}

static struct tour tour_extended(const struct map *map, const struct tour *tour, int city)
{
    struct tour longer = *tour;

    longer.bound += surplus(map, last_city(tour), city);
    longer.city[longer.visited++] = (uint8_t)city;
    longer.set |= UINT32_C(1) << city;
    return longer;
}

static struct tour tour_of_one_city(const struct map *map)
{
    struct tour tour = { .visited = 1, .set = 1 };

    for (int c = 0; c < map->cities; c++)
        tour.bound += map->cheapest[c];
    return tour;
}

static void pool_init(struct pool *pool)
{
    for (int i = 0; i < MAX_TOURS; i++)
        pool->stack[i] = (uint16_t)i;
    pool->free = MAX_TOURS;
    pool->working = app.nodes;
    if (hlrc_cond_create(&pool->changed) != 0)
        app_no_memory("a condition variable", sizeof pool->changed);
}

/* True if the tour at heap position `a` comes before the one at `b`. */
static bool is_before(const struct pool *pool, int a, int b)
{
    return pool->slot[pool->heap[a]].bound < pool->slot[pool->heap[b]].bound;
}

static void swap_places(struct pool *pool, int a, int b)
{
    uint16_t other = pool->heap[a];

    pool->heap[a] = pool->heap[b];
    pool->heap[b] = other;
}

/* ASSUMPTION: a slot is free. */
static void pool_put(struct pool *pool, const struct tour *tour)
{
    uint16_t slot = pool->stack[--pool->free];
    int place = pool->waiting++;

    pool->slot[slot] = *tour;
    pool->heap[place] = slot;
    for (; place > 0 && is_before(pool, place, (place - 1) / 2); place = (place - 1) / 2)
        swap_places(pool, place, (place - 1) / 2);
}

/* The tour with the least bound. ASSUMPTION: there is one. */
static struct tour pool_get(struct pool *pool)
{
    uint16_t slot = pool->heap[0];
    int place = 0, first = 0;

    pool->stack[pool->free++] = slot;
    pool->heap[0] = pool->heap[--pool->waiting];
    do {
        swap_places(pool, place, first);
        place = first;
        for (int child = 2 * place + 1; child <= 2 * place + 2; child++)
            if (child < pool->waiting && is_before(pool, child, first))
                first = child;
    } while (first != place);
    return pool->slot[slot];
}

static int32_t shortest_so_far(const struct search *s)
{
    int32_t length;

    hlrc_lock(BEST_LOCK);
    length = s->best->length;
    hlrc_unlock(BEST_LOCK);
    return length;
}

/* Takes the most promising tour; false if no waiting tour can become shorter than `shortest`. */
static bool pool_get_below(struct pool *pool, int32_t shortest, struct tour *tour)
{
    while (pool->waiting > 0) {
        *tour = pool_get(pool);
        if (tour->bound < shortest)
            return true;
    }
    return false;
}

/* Waits for work. Returns false when no more will come. */
static bool take(struct search *s, struct tour *tour)
{
    struct pool *pool = s->pool;
    bool found;

    s->shortest = shortest_so_far(s);
    hlrc_lock(POOL_LOCK);
    pool->working--;
    while (!(found = pool_get_below(pool, s->shortest, tour)) && pool->working > 0)
        hlrc_cond_wait(pool->changed, POOL_LOCK);
    if (found)
        pool->working++;
    else
        hlrc_cond_broadcast(pool->changed);
    hlrc_unlock(POOL_LOCK);
    return found;
}

/* Puts the extensions of the tour by one city into the pool; false if it has no room. */
static bool extend(struct search *s, const struct tour *tour)
{
    bool room;

    s->steps++;
    hlrc_lock(POOL_LOCK);
    room = s->pool->free >= s->map->cities - tour->visited;
    for (int city = 0; room && city < s->map->cities; city++) {
        struct tour longer;

        if ((tour->set >> city & 1) != 0)
            continue;
        longer = tour_extended(s->map, tour, city);
        if (longer.bound < s->shortest)
            pool_put(s->pool, &longer);
    }
    hlrc_cond_broadcast(s->pool->changed);
    hlrc_unlock(POOL_LOCK);
    return room;
}

/* All cities are visited: the bound, with the edge back to the start, is the length. */
static void offer(struct search *s, const struct tour *tour)
{
    int32_t length = tour->bound + surplus(s->map, last_city(tour), tour->city[0]);

    if (length >= s->shortest)
        return;
    hlrc_lock(BEST_LOCK);
    if (length < s->best->length) {
        s->best->length = length;
        memcpy(s->best->city, tour->city, sizeof tour->city);
    }
    s->shortest = s->best->length;
    hlrc_unlock(BEST_LOCK);
}

static void complete(struct search *s, const struct tour *tour)
{
    int last = last_city(tour);

    s->steps++;
    if (tour->visited == s->map->cities) {
        offer(s, tour);
        return;
    }
    for (int city = 0; city < s->map->cities; city++) {
        struct tour longer;

        if ((tour->set >> city & 1) != 0 ||
            tour->bound + surplus(s->map, last, city) >= s->shortest)
            continue;
        longer = tour_extended(s->map, tour, city);
        complete(s, &longer);
    }
}

/* Collective. Stores the time of the search. */
static void search(struct search *s, double *seconds)
{
    struct tour tour;
    double start;

    hlrc_barrier();
    start = app_now();
    while (take(s, &tour))
        if (s->map->cities - tour.visited <= s->threshold || !extend(s, &tour))
            complete(s, &tour);
    hlrc_barrier();
    *seconds = app_now() - start;
    hlrc_lock(BEST_LOCK);
    s->best->steps += s->steps;
    hlrc_unlock(BEST_LOCK);
    hlrc_barrier();
}

/* Collective. Node 0 fills in the shared data. */
static void search_init(struct search *s, const struct problem *problem, const struct city *city)
{
    struct map *map = app_shared("the distances", sizeof *map);
    struct pool *pool = app_shared("the pool", sizeof *pool);
    struct best *best = app_shared("the shortest tour", sizeof *best);
    struct tour first;

    *s = (struct search){ map, pool, best, problem->threshold, 0, 0 };
    if (app.node != 0)
        return;
    map_make(map, city, problem->cities);
    best->length = INT32_MAX;
    pool_init(pool);
    first = tour_of_one_city(map);
    pool_put(pool, &first);
}

/* ---- the check ---- */

/* Length of the closed tour through the cities in this order. */
static int32_t tour_length(const struct map *map, const uint8_t *order)
{
    int32_t length = map->distance[order[map->cities - 1]][order[0]];

    for (int i = 1; i < map->cities; i++)
        length += map->distance[order[i - 1]][order[i]];
    return length;
}

/* True if each city occurs once. */
static bool tour_complete(const struct map *map, const uint8_t *order)
{
    uint32_t seen = 0;

    for (int i = 0; i < map->cities; i++) {
        if (order[i] >= map->cities)
            return false;
        seen |= UINT32_C(1) << order[i];
    }
    return seen == (UINT32_C(1) << map->cities) - 1;
}

/* The shortest path from city 0 through all of `set` to its member `last`. City c has bit and index
 * c - 1. ASSUMPTION: the table is complete for smaller sets. */
static int32_t shortest_path(const struct map *map, const int32_t *table, uint32_t set, int last)
{
    int others = map->cities - 1;
    uint32_t before = set & ~(UINT32_C(1) << last);
    int32_t shortest = INT32_MAX;

    if (before == 0)
        return map->distance[0][last + 1];
    for (int c = 0; c < others; c++) {
        int32_t length;

        if ((before >> c & 1) == 0)
            continue;
        length =
            table[(size_t)before * (size_t)others + (size_t)c] + map->distance[c + 1][last + 1];
        shortest = length < shortest ? length : shortest;
    }
    return shortest;
}

/*
 * Length of the shortest tour, by dynamic programming (Held and Karp, Journal of SIAM 10(1), 1962;
 * Bellman, Journal of the ACM 9(1), 1962): of the paths from city 0 that visit a set of cities and
 * end at the same city, only the shortest matters. Time n^2 2^n, memory 2n 2^n bytes.
 */
static int32_t shortest_tour(const struct map *map)
{
    size_t others = (size_t)map->cities - 1;
    uint32_t all = (UINT32_C(1) << others) - 1;
    int32_t *table = app_private("the exact method", (all + 1) * others * sizeof *table);
    int32_t shortest = INT32_MAX;

    for (uint32_t set = 1; set <= all; set++)
        for (size_t last = 0; last < others; last++)
            if ((set >> last & 1) != 0)
                table[set * others + last] = shortest_path(map, table, set, (int)last);
    for (size_t last = 0; last < others; last++) {
        int32_t length = table[all * others + last] + map->distance[last + 1][0];

        shortest = length < shortest ? length : shortest;
    }
    free(table);
    return shortest;
}

/* Checks against the input cities, on a private map. */
static void verify(const struct best *best, const struct city *city, int cities,
                   struct app_result *result)
{
    struct map map;
    int32_t shortest;
    bool complete, kept;

    map_make(&map, city, cities);
    shortest = shortest_tour(&map);
    complete = tour_complete(&map, best->city);
    kept = complete && tour_length(&map, best->city) == best->length;
    result->verified = kept && best->length == shortest;
    APP_PRINT(result->evidence,
              "%s: length %" PRId32 ", by dynamic programming %" PRId32 "; the tour %s",
              result->verified ? "right" : "wrong", best->length, shortest,
              kept       ? "visits each city and is that long"
              : complete ? "has another length"
                         : "does not visit each city once");
}

/* Only on node 0. */
static void report(const struct search *s, const struct problem *problem, const struct city *city,
                   struct app_result *result)
{
    APP_PRINT(result->size, "%d", problem->cities);
    APP_PRINT(result->problem, "shortest tour, %d cities, the last %d by one node, %s",
              problem->cities, problem->threshold, app_source(problem->input));
    APP_PRINT(result->checksum, "%" PRId32, s->best->length);
    result->mops = 1e-6 * (double)s->best->steps / result->time_s;
    if (app.verify)
        verify(s->best, city, problem->cities, result);
}

static const struct app_option options[] = {
    { "cities", 'c', "N", "Number of cities, 3 to 20 (default 16)",
      APP_NUMBER(problem, cities, MIN_CITIES, MAX_CITIES) },
    { "threshold", 't', "T",
      "A tour that lacks at most T cities is completed by one node (default: the cities less 4)",
      APP_NUMBER(problem, threshold, 1, MAX_CITIES) },
    { "input", 'i', "FILE", "The cities in FILE, two coordinates in each line",
      APP_TEXT(problem, input) },
    { 0 },
};

static void complete_problem(struct problem *problem, struct city *city)
{
    if (problem->input != NULL)
        problem->cities = cities_read(problem->input, city);
    else
        cities_generate(city, problem->cities);
    if (problem->threshold == 0)
        problem->threshold = problem->cities > 5 ? problem->cities - 4 : 1;
}

int main(int argc, char **argv)
{
    struct problem problem = { DEFAULT_CITIES, 0, NULL };
    struct app_result result = { 0 };
    struct city city[MAX_CITIES];
    struct search s;

    app_begin("tsp", "The travelling salesman, by branch and bound.", options, &problem, argc,
              argv);
    complete_problem(&problem, city);
    search_init(&s, &problem, city);
    search(&s, &result.time_s);
    if (app.node == 0)
        report(&s, &problem, city, &result);
    return app_end(&result);
}
