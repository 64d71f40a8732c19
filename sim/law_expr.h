/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_expr.h - expressions of a law (sim/law.h): whole numbers, names, + - * / %, comparisons, &&,
 * ||, a ? b : c, min(), max(), root(), log2(), marked() and functions of the law's own.
 *
 *   LE1  A quotient is rounded towards minus infinity, and a remainder has the sign of the divisor:
 *        what is dealt to nodes is dealt as the programs do it, below 0 as well.
 *   LE2  Nothing is undefined: what exceeds 64 bits wraps, and a division by 0 is an error that the
 *        law's reader is told of, not a number.
 */
#ifndef SIM_LAW_EXPR_H
#define SIM_LAW_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#define LAW_NAMES 96 /* variables, parameters and arguments of functions */
#define LAW_NODES 4096
#define LAW_WORD  24
#define LAW_MARKS 1048576 /* numbers that can be marked: those below */

enum law_op {
    LAW_VALUE,
    LAW_NAME,
    LAW_CALL,
    LAW_NOT,
    LAW_NEGATE,
    LAW_CHOOSE,
    LAW_MIN,
    LAW_MAX,
    LAW_ROOT,
    LAW_LOG2,
    LAW_MARKED,
    LAW_ADD,
    LAW_SUBTRACT,
    LAW_TIMES,
    LAW_DIVIDE,
    LAW_REST,
    LAW_LESS,
    LAW_AT_MOST,
    LAW_MORE,
    LAW_AT_LEAST,
    LAW_EQUAL,
    LAW_UNEQUAL,
    LAW_AND,
    LAW_OR,
};

/* A piece of an expression; others by their numbers. */
struct law_node {
    enum law_op op;
    int64_t value;   /* or the name */
    uint16_t arg[3]; /* of a call: the values of its arguments */
};

struct law_name {
    char word[LAW_WORD];
    bool is_function;
    uint16_t args, arg[3], body;
};

struct law_exprs {
    struct law_node node[LAW_NODES];
    uint32_t nodes;
    struct law_name name[LAW_NAMES];
    uint32_t names;
};

struct law_text {
    const char *at;
    const char *wrong; /* in words; NULL: nothing */
};

/* law_name - the number of a name, LAW_NAMES where there is none */
uint32_t law_name(const struct law_exprs *e, const char *word);

/* law_name_add - a new one; LAW_NAMES where there is no room, or it is there */
uint32_t law_name_add(struct law_exprs *e, const char *word);

/* law_word - reads a name; false where there is none */
bool law_word(struct law_text *t, char *word);

/* law_sign - reads these characters, if they are next */
bool law_sign(struct law_text *t, const char *sign);

/* law_parse - an expression: its number. t->wrong is set where it is none. */
uint16_t law_parse(struct law_exprs *e, struct law_text *t);

struct law_values {
    int64_t name[LAW_NAMES];
    const uint8_t *mark; /* LAW_MARKS / 8 bytes; NULL: none is marked */
    bool wrong;          /* there was a division by 0: LE2 */
};

int64_t law_value(const struct law_exprs *e, uint16_t expr, struct law_values *v);

#endif
