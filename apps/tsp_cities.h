/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tsp_cities.h - the cities of tsp and their distances; exact shortest tours for the check.
 *
 * Cities are in a plane, at integer coordinates from 0 to MAX_COORDINATE. Their distance is
 * Euclidean, rounded to an integer, as in TSPLIB (EUC_2D).
 */
#ifndef APPS_TSP_CITIES_H
#define APPS_TSP_CITIES_H

#include <stdint.h>

#include "apps/common.h"

#define MIN_CITIES     3
#define MAX_CITIES     20 /* 40 MB for the exact method */
#define MAX_COORDINATE 1000000

struct city {
    int32_t x, y;
};

struct map {
    int32_t cities;
    int32_t distance[MAX_CITIES][MAX_CITIES];
    int32_t cheapest[MAX_CITIES]; /* distance of the nearest other city */
};

/* Cities at random places, by app.seed, of a square with sides of 1000. */
void cities_generate(struct city *city, int cities);

/* One city per line: x, blanks, y. Every node reads the file. Returns the number of cities. Ends
 * the program if that is not MIN_CITIES to MAX_CITIES, or if the file cannot be read. */
int cities_read(const char *path, struct city *city);

void profile_map_make(struct map *map, const struct city *city, int cities);

/* Length of the closed tour through the cities in this order. */
int32_t tour_length(const struct map *map, const uint8_t *order);

/* True if each city occurs once. */
bool tour_complete(const struct map *map, const uint8_t *order);

/*
 * Length of the shortest tour, by dynamic programming (Held and Karp, Journal of SIAM 10(1), 1962;
 * Bellman, Journal of the ACM 9(1), 1962): of the paths from city 0 that visit a set of cities and
 * end at the same city, only the shortest matters. Time n^2 2^n, memory 2n 2^n bytes.
 */
int32_t shortest_tour(const struct map *map);

#endif
