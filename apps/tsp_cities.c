/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tsp_cities.c - see tsp_cities.h. */
#include "apps/tsp_cities.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 1000

void cities_generate(struct city *city, int cities)
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

int cities_read(const char *path, struct city *city)
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

void profile_map_make(struct map *map, const struct city *city, int cities)
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

int32_t tour_length(const struct map *map, const uint8_t *order)
{
    int32_t length = map->distance[order[map->cities - 1]][order[0]];

    for (int i = 1; i < map->cities; i++)
        length += map->distance[order[i - 1]][order[i]];
    return length;
}

bool tour_complete(const struct map *map, const uint8_t *order)
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

int32_t shortest_tour(const struct map *map)
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
