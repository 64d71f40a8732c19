/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law.h - a workload model (law): the accesses and synchronization of one node of a program, for
 * any number of nodes and any size. A law is a C function that calls law_read(), law_barrier() and
 * the others below in the order of the program. doc/growth.md explains how to add one.
 *
 *   - The actions of a node depend only on the law, the parameters, N and n: a law that is run
 *     twice does the same.
 *   - A range outside its array is an error, reported with its line in the law's file. The law's
 *     function is left there, and wherever the trace does not match: what it allocates is freed if
 *     law_alloc() allocated it.
 *   - law_divide() rounds towards minus infinity, and the result of law_rest() has the sign of the
 *     divisor. So distributions over nodes match the programs', below 0 as well.
 */
#ifndef SIM_LAW_H
#define SIM_LAW_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAW_LINES  400 /* more than the file of any law has */
#define LAW_PARAMS 10
#define LAW_ALLOCS 4 /* of one run */

enum law_kind {
    LAW_READ,
    LAW_WRITE,
    LAW_UPDATE, /* read, then written */
    LAW_TOUCH,  /* hlrc_touch for stores */
    LAW_PREFETCH,
    LAW_BARRIER,
    LAW_LOCK,
    LAW_UNLOCK,
    LAW_END,
};

/* A size of the program. The limits keep the law's products below 2^63, and divisors above 0. */
struct law_param {
    const char *name;
    int64_t usual, least, most;
};

struct law_run;

struct law {
    const char *name;
    void (*run)(struct law_run *r);
    struct law_param param[LAW_PARAMS + 1]; /* ended by one without a name */
};

/* A page that a node loaded in a part; synchronization points separate the parts, numbered
 * from 0. */
struct law_seen {
    uint32_t part, page;
};

/* A run of the law for one node. */
struct law_job {
    const struct law *law;
    const int64_t *param; /* values, in the law's order */
    uint32_t nodes, node;
    uint32_t traced; /* nodes of the largest trace */
    bool weak;
    uint64_t page_bytes, first_page; /* of the first array */
    uint64_t pages;                  /* of the space; 0: as many as a trace can have */
    const struct law_seen *seen;     /* in ascending order */
    uint32_t seen_count;
};

struct law_access {
    enum law_kind kind;
    uint32_t site;       /* line of the call */
    uint64_t begin, end; /* bytes of the space; not empty */
};

struct law_sink {
    void (*access)(void *self, const struct law_access *a);
    /* kind LAW_END: the last call, site 0. `work`: of the part that it ends. Returns false to
     * stop. NULL: continues. */
    bool (*sync)(void *self, enum law_kind kind, uint64_t arg, uint32_t site, uint64_t work);
};

/* law_named - NULL if there is no such law */
const struct law *law_named(const char *name);

/* law_names - all names, separated by commas */
const char *law_names(void);

/* law_defaults - sets all parameters to their usual values */
void law_defaults(const struct law *l, int64_t *param);

/* law_param - the index of the parameter whose name has this LENGTH, or -1 */
int law_param(const struct law *l, const char *name, size_t length);

/* law_run_node - runs the law for a node, in order; NULL, or the error message, which is valid
 * until the next call */
const char *law_run_node(const struct law_job *job, const struct law_sink *sink, void *self);

/* ---- for laws ---- */

struct law_run {
    int64_t nodes, node, traced, page; /* page: its bytes */
    const int64_t *param;
    bool weak; /* sizes grow with the nodes */
    /* of law.c */
    const struct law_job *job;
    const struct law_sink *sink;
    void *self;
    uint64_t next_page, work;
    uint32_t part, accesses; /* accesses: in the part */
    void *owned[LAW_ALLOCS];
    int owned_count;
    jmp_buf stop;
    const char *wrong;
};

/* Whole pages, each array after the previous one. */
struct law_array {
    uint64_t begin, bytes;
};

#define law_array(r, bytes)          law_array_add(r, __LINE__, bytes)
#define law_read(r, a, from, to)     law_access(r, LAW_READ, __LINE__, a, from, to)
#define law_write(r, a, from, to)    law_access(r, LAW_WRITE, __LINE__, a, from, to)
#define law_update(r, a, from, to)   law_access(r, LAW_UPDATE, __LINE__, a, from, to)
#define law_touch(r, a, from, to)    law_access(r, LAW_TOUCH, __LINE__, a, from, to)
#define law_prefetch(r, a, from, to) law_access(r, LAW_PREFETCH, __LINE__, a, from, to)
#define law_barrier(r)               law_sync(r, LAW_BARRIER, __LINE__, 0)
/* hlrc_malloc_all, and a barrier at the end of some computing */
#define law_array_all(r, bytes)       law_array_all_add(r, __LINE__, bytes)
#define law_barrier_after(r, units)   (law_work(r, units), law_barrier(r))
#define law_lock(r, lock)             law_sync(r, LAW_LOCK, __LINE__, lock)
#define law_unlock(r, lock)           law_sync(r, LAW_UNLOCK, __LINE__, lock)
#define law_require(r, is_true, what) ((is_true) ? (void)0 : law_fail(r, __LINE__, what))

struct law_array law_array_add(struct law_run *r, uint32_t line, int64_t bytes);
struct law_array law_array_all_add(struct law_run *r, uint32_t line, int64_t bytes);

/* law_access - bytes of the array, of which `to` is the first after them; nothing if there are
 * none */
void law_access(struct law_run *r, enum law_kind kind, uint32_t line, struct law_array a,
                int64_t from, int64_t to);

/* law_sync - ends a part */
void law_sync(struct law_run *r, enum law_kind kind, uint32_t line, int64_t arg);

/* law_fail - ends the run with an error message */
_Noreturn void law_fail(struct law_run *r, uint32_t line, const char *what);

/* law_alloc - zeros; freed at the end of the run */
void *law_alloc(struct law_run *r, size_t count, size_t size);

/* law_work - adds units of computing to this part */
void law_work(struct law_run *r, int64_t units);

/* law_seen_first - offset in bytes of the lowest page of an array that any node had to load in
 * this part of the largest trace; -1: none */
int64_t law_seen_first(const struct law_run *r, struct law_array a);

int64_t law_divide(int64_t a, int64_t b);
int64_t law_rest(int64_t a, int64_t b);
int64_t law_root(int64_t of);
int64_t law_log2(int64_t of);

static inline int64_t law_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t law_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Rounded up to a multiple of UNIT. */
static inline int64_t law_whole(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Where the part of node j begins, of ALL in equal parts. */
static inline int64_t law_share(const struct law_run *r, int64_t all, int64_t j)
{
    return all * j / r->nodes;
}

/* The same of ALL values of 4 bytes, in whole pages. */
static inline int64_t law_share_pages(const struct law_run *r, int64_t all, int64_t j)
{
    int64_t unit = r->page / 4;

    return law_min(all, law_share(r, (all + unit - 1) / unit, j) * unit);
}

/* A size that grows with the nodes, in weak scaling. */
static inline int64_t law_grown(const struct law_run *r, int64_t size)
{
    return r->weak ? size * r->nodes / r->traced : size;
}

#endif
