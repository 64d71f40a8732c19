/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law.h - a workload model (law): the accesses and synchronization of one node of a program, for
 * any number of nodes and any size. It is a text of statements, one per line. doc/growth.md
 * explains them; share/laws has the laws of programs.
 *
 *   param NAME = EXPR           a size, which --set replaces
 *   weak NAME = EXPR            its value with --weak; M: nodes of the largest trace
 *   let NAME = EXPR             def NAME(NAME, ...) = EXPR
 *   array NAME[BYTES]           whole pages, each array after the previous one
 *   read NAME[FROM .. TO]       bytes of it; write; update: read and written; touch: hlrc_touch
 *                               for stores; prefetch
 *   seen NAME = ARRAY           offset in bytes of the lowest page of it that any node had to load
 *                               in this part of the largest trace; -1: none
 *   mark EXPR                   marked() of it is 1 from then on
 *   work EXPR                   units of computing, in the part that ends with the next of these:
 *   barrier, lock EXPR, unlock EXPR, and the end
 *   for NAME = FROM .. TO, if EXPR, else, end
 *
 * N is the number of nodes, n this node, page the bytes of a page.
 *
 *   LW1  The actions of a node depend only on the law, the parameters, N and n: a law that is run
 *        twice does the same.
 *   LW2  A range outside its array is an error, reported with the line.
 */
#ifndef SIM_LAW_H
#define SIM_LAW_H

#include "sim/law_expr.h"

#define LAW_STATEMENTS 256
#define LAW_ARRAYS     16
#define LAW_WRONG      160

enum { NAME_N, NAME_NODE, NAME_M, NAME_PAGE }; /* predefined names */

enum law_kind {
    LAW_PARAM,
    LAW_LET,
    LAW_WEAK,
    LAW_ARRAY,
    LAW_READ,
    LAW_WRITE,
    LAW_UPDATE,
    LAW_TOUCH,
    LAW_PREFETCH,
    LAW_SEEN,
    LAW_MARK,
    LAW_WORK,
    LAW_BARRIER,
    LAW_LOCK,
    LAW_UNLOCK,
    LAW_FOR,
    LAW_IF,
    LAW_ELSE,
    LAW_END,
};

struct law_statement {
    enum law_kind kind;
    uint32_t line;
    uint32_t name;  /* or the array */
    uint32_t array; /* of a seen */
    uint32_t begin; /* of an end: the statement that it closes */
    uint32_t end;   /* index of its end or else */
    uint16_t expr[2];
};

struct law {
    struct law_exprs e;
    struct law_statement at[LAW_STATEMENTS + 1]; /* followed by the end */
    uint32_t count;
    char array[LAW_ARRAYS][LAW_WORD];
    uint32_t arrays;
    int64_t given[LAW_NAMES]; /* parameter values from --set */
    bool is_given[LAW_NAMES], is_param[LAW_NAMES];
    char wrong[LAW_WRONG];
};

/* A page that a node loaded in a part; synchronization points separate the parts, numbered
 * from 0. */
struct law_seen {
    uint32_t part, page;
};

/* A run of the law for one node. */
struct law_job {
    uint32_t nodes, node;
    uint32_t traced; /* nodes of the largest trace, M */
    bool weak;
    uint64_t page_bytes, first_page; /* of the first array */
    const struct law_seen *seen;     /* in ascending order */
    uint32_t seen_count;
};

struct law_access {
    enum law_kind kind;
    uint32_t site;       /* the statement */
    uint64_t begin, end; /* bytes of the space; not empty */
};

struct law_sink {
    void (*access)(void *self, const struct law_access *a);
    /* kind LAW_END: the last call. `work`: of the part that it ends. Returns false to stop. */
    bool (*sync)(void *self, enum law_kind kind, uint64_t arg, uint32_t site, uint64_t work);
};

/* law_read - parses a text; NULL, or the error message, stored in the law */
const char *law_read(struct law *l, const char *text);

/* law_say - stores an error message for a line in the law, and returns it */
const char *law_say(struct law *l, uint32_t line, const char *what);

/* law_load - reads a file; ends the program with an error line if that fails */
void law_load(struct law *l, const char *file);

/* law_set - false if there is no such parameter */
bool law_set(struct law *l, const char *name, int64_t value);

/* law_run - runs the law for a node, in order; NULL, or the error message */
const char *law_run(struct law *l, const struct law_job *job, const struct law_sink *sink,
                    void *self);

#endif
