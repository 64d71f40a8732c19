/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes.h - shared by the parts of barnes: the arrays in shared memory, and the spatial order.
 *
 * Space is a cube around all bodies, cut into eight, each of these into eight, KEY_LEVELS times. A
 * body's key is the number of the smallest of these cubes that contains it, with three bits (z, y,
 * x) per level, the coarsest first: Morton order. A cube of any level is a range of keys. A zone
 * is a range of keys too: the bodies in it belong to one node.
 *
 * Each array has one part per node, written only by that node; parts are whole pages and begin at
 * node * stride. Bodies are identified by their index in the array.
 */
#ifndef APPS_BARNES_H
#define APPS_BARNES_H

#include <assert.h>
#include <stdint.h>

#include "apps/common.h"

#define KEY_LEVELS 21
#define KEY_END    (UINT64_C(1) << 3 * KEY_LEVELS)
#define LEAF       10  /* maximum bodies of a leaf */
#define CUTS       160 /* cuts that a node offers */
#define ROOTS      512 /* at most 7 at each of KEY_LEVELS levels, on both sides of a zone */
#define CHECKS     3   /* values of theta for which forces are checked */
#define MAX_BODIES (UINT64_C(1) << 22)

/* Elements of a part with room for `n`: 256 bodies, motions, entries or cells fill whole pages. */
static inline size_t stride_of(size_t n)
{
    return (n + 255) / 256 * 256;
}

struct body {
    double x, y, z, mass;
};

struct motion {
    /* velocity, half a step ahead of the position except at the start and the end */
    double x, y, z;
    uint32_t id;   /* index in the input */
    uint32_t cost; /* interactions and opened cells of its last force computation */
};

/* A body in key order. */
struct entry {
    uint64_t key;
    uint32_t id;   /* orders bodies with equal keys */
    uint32_t from; /* index of the body, in the arrays before this step */
};

enum moment { XX, XY, XZ, YY, YZ, ZZ, MOMENTS };

/* See barnes_tree.h; moments about the centre of mass. */
struct cell {
    double x, y, z, mass;  /* centre of mass */
    float second[MOMENTS]; /* second moments, by enum moment */
    float side;            /* of the cube */
    float offset;          /* of the centre of mass from the centre of the cube */
    /* cell at which the walk continues if this one is not opened, or CELL_END */
    uint32_t next;
    /* first of its children, which are consecutive; CELL_LEAF without children */
    uint32_t child;
    uint32_t first, count; /* its bodies */
};

#define CELL_LEAF 0 /* the first cell is never a child */
#define CELL_END  UINT32_MAX

/* A key at which a zone may end: no leaf has bodies on both sides. */
struct cut {
    uint64_t key;
    uint64_t cost;   /* total cost of the node's bodies with lower keys */
    uint32_t before; /* their number */
    uint32_t unused;
};

struct box {
    double low[3], high[3];
};

struct cube {
    double low[3], side;
};

/* Findings of a node about its bodies at the end of the run. */
struct findings {
    double error2[CHECKS]; /* sum of squares over the sample, for each theta */
    double force2;
    double ratio[CHECKS]; /* greatest error relative to its bound */
    double moments;       /* greatest error of a cell's moments */
    uint64_t hash;        /* of positions and velocities; a sum, so independent of the order */
    uint64_t id_hash;
    uint32_t sample;
    uint32_t lost; /* positions or velocities that are not finite; bodies missing from a shared
                    * tree */
};

/* Data of a node for the others. A barrier separates each write from the reads, and the reads from
 * the next write. */
struct note {
    _Alignas(APP_PAGE) struct box box; /* of its bodies at the next step */
    uint64_t first_key, last_key, cost;
    uint32_t sorted, cuts;         /* number of entries and cuts */
    uint32_t bodies, cells, roots; /* number of each in its part of the tree */
    uint32_t depth;                /* of its part of the shared tree: barnes_shared.h */
    double kinetic, potential;
    uint64_t interactions;
    struct findings findings;
    struct cut cut[CUTS];
};

static_assert(sizeof(struct note) == APP_PAGE, "a note is one page");
static_assert(sizeof(struct cell) == 80, "many cells to a page");
static_assert(sizeof(uint64_t) * ROOTS % APP_PAGE == 0, "a node's roots are whole pages");

/* The shared arrays. The two arrays of a pair swap roles at each step. */
struct space {
    uint32_t total; /* bodies */
    size_t stride, cell_stride;
    struct body *body[2];
    struct motion *motion[2];
    struct entry *sorted;
    struct cell *cell;
    uint64_t *root; /* for each root, the key of one of its bodies */
    struct note *notes;
};

static inline struct cell *cells_of(const struct space *s, int node)
{
    return &s->cell[(size_t)node * s->cell_stride];
}

static inline uint64_t *roots_of(const struct space *s, int node)
{
    return &s->root[(size_t)node * ROOTS];
}

static inline struct entry *sorted_of(const struct space *s, int node)
{
    return &s->sorted[(size_t)node * s->stride];
}

static inline struct note *note_of(const struct space *s, int node)
{
    return &s->notes[node];
}

/* The level of the smallest cube that contains both keys. */
static inline unsigned common_level(uint64_t a, uint64_t b)
{
    return a == b ? KEY_LEVELS : (unsigned)(__builtin_clzll(a ^ b) - 1) / 3;
}

/* Number of key bits below a level. */
static inline unsigned bits_below(unsigned level)
{
    return 3 * (KEY_LEVELS - level);
}

/* The first key of the cube of this level that contains `key`. */
static inline uint64_t cube_begin(uint64_t key, unsigned level)
{
    return key >> bits_below(level) << bits_below(level);
}

/* The first of the sorted entries [begin, end) whose key is at least `key`. */
uint32_t entry_search(const struct entry *entry, uint32_t begin, uint32_t end, uint64_t key);

#endif
