/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_map.c - see profile_map.h. */
#include "hlrc/report/profile_map.h"

#include <stdlib.h>

static double profile_map_column_of(const struct profile_job_node *n)
{
    return (double)(UINT64_C(1) << n->head->time_shift) * n->head->tick_s;
}

/* Columns of nodes differ by powers of two, and by the measured speed of their clocks: the middle
 * of a node's column falls into one of the map's. */
static void profile_map_add_node(struct profile_map *map, const struct profile_job_node *n)
{
    double each = profile_map_column_of(n) / map->column_s;
    for (uint32_t r = 0; r < n->head->heat_rows; r++) {
        uint32_t page = (uint32_t)(n->heat[r].group << n->head->page_shift);
        for (int k = 0; k < HEAT_KINDS; k++)
            for (uint32_t c = 0; c < HEAT_COLUMNS; c++) {
                uint64_t time = (uint64_t)(((double)c + 0.5) * each);
                if (n->heat[r].count[k][c])
                    heat_add(&map->heat, (enum heat_kind)k, page, time, n->heat[r].count[k][c]);
            }
    }
}

/* The column in which the last node's job ends. */
static uint64_t profile_map_last_of(const struct profile_job_node *nodes, int count,
                                    double column_s)
{
    double wall = 0;
    for (int n = 0; n < count; n++)
        wall = nodes[n].head->wall_s > wall ? nodes[n].head->wall_s : wall;
    return (uint64_t)(wall / column_s);
}

struct profile_map *profile_map_make(const struct profile_job_node *nodes, int count)
{
    struct profile_map *map = calloc(1, sizeof *map);
    if (!map)
        return NULL;
    for (int n = 0; n < count; n++) {
        double each = profile_map_column_of(&nodes[n]);
        map->column_s = each > map->column_s ? each : map->column_s;
        heat_widen(&map->heat, nodes[n].head->page_shift);
    }
    for (int n = 0; n < count; n++)
        profile_map_add_node(map, &nodes[n]);
    heat_sort(&map->heat);
    uint64_t last = profile_map_last_of(nodes, count, map->column_s);
    heat_reach(&map->heat, last);
    map->columns = (uint32_t)(last >> map->heat.time_shift) + 1;
    map->column_s *= (double)(UINT64_C(1) << map->heat.time_shift);
    return map;
}
