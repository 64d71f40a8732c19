/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law.h - what one node of a program does, for any number of nodes and any size: a text of
 * statements, one a line. doc/growth.md has them in words; share/laws has the laws of programs.
 *
 *   param NAME = EXPR           a size, which --set replaces
 *   weak NAME = EXPR            what it becomes with --weak; M: nodes of the largest trace
 *   let NAME = EXPR             def NAME(NAME, ...) = EXPR
 *   array NAME[BYTES]           in whole pages, one behind the other
 *   read NAME[FROM .. TO]       bytes of it; write; update: read and written; touch: hlrc_touch
 *                               for stores; prefetch
 *   seen NAME = ARRAY           the byte of it where the lowest page begins that any node had to
 *                               load in this part of the largest trace; -1: there was none
 *   mark EXPR                   marked() is 1 of it from then on
 *   work EXPR                   units of computing, in the part that ends with the next of these:
 *   barrier, lock EXPR, unlock EXPR, and the end
 *   for NAME = FROM .. TO, if EXPR, else, end
 *
 * N is the number of nodes, n this one, page the bytes of a page.
 *
 *   LW1  What a node does depends on the law, the parameters, N and n alone: a law that is run
 *        twice does the same.
 *   LW2  No range lies outside its array: it is an error, told with the line.
 */
#ifndef SIM_LAW_H
#define SIM_LAW_H

#include "sim/law_expr.h"

#define LAW_STATEMENTS 256
#define LAW_ARRAYS     16
#define LAW_WRONG      160

enum { NAME_N, NAME_NODE, NAME_M, NAME_PAGE }; /* the names that are there from the beginning */

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
    uint32_t begin; /* of an end: what it ends */
    uint32_t end;   /* where it ends, or its else is */
    uint16_t expr[2];
};

struct law {
    struct law_exprs e;
    struct law_statement at[LAW_STATEMENTS + 1]; /* the last one: the end */
    uint32_t count;
    char array[LAW_ARRAYS][LAW_WORD];
    uint32_t arrays;
    int64_t given[LAW_NAMES]; /* of parameters, by --set */
    bool is_given[LAW_NAMES], is_param[LAW_NAMES];
    char wrong[LAW_WRONG];
};

/* A page that a node loaded in that part, counted from 0 by where it synchronized. */
struct law_seen {
    uint32_t part, page;
};

/* One run of it: of a node of so many. */
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
    uint64_t begin, end; /* bytes of the space; some */
};

struct law_sink {
    void (*access)(void *self, const struct law_access *a);
    /* kind LAW_END: the last one. `work`: of the part that it ends. False: no more of it. */
    bool (*sync)(void *self, enum law_kind kind, uint64_t arg, uint32_t site, uint64_t work);
};

/* law_read - a text; NULL, or what is wrong in words, in the law */
const char *law_read(struct law *l, const char *text);

/* law_say - what is wrong in that line, in the law */
const char *law_say(struct law *l, uint32_t line, const char *what);

/* law_load - a file; ends the program with a line if it is none */
void law_load(struct law *l, const char *file);

/* law_set - false where there is no such parameter */
bool law_set(struct law *l, const char *name, int64_t value);

/* law_run - what the node does, in order; NULL, or what is wrong */
const char *law_run(struct law *l, const struct law_job *job, const struct law_sink *sink,
                    void *self);

#endif
