/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * law_expr.h - expressions of a law (sim/law.h): integers, names, + - * / %, comparisons, &&, ||,
 * a ? b : c, min(), max(), root(), log2(), marked() and functions that the law defines.
 *
 *   LE1  A quotient is rounded towards minus infinity, and a remainder has the sign of the
 *        divisor. So distributions over nodes match the programs', below 0 as well.
 *   LE2  Nothing is undefined: results beyond 64 bits wrap, and a division by 0 is an error that
 *        is reported to the caller, not a number.
 */
#ifndef SIM_LAW_EXPR_H
#define SIM_LAW_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#define LAW_NAMES 96 /* variables, parameters and arguments of functions */
#define LAW_NODES 4096
#define LAW_WORD  24
#define LAW_MARKS 1048576 /* numbers below it can be marked */

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

/* A node of an expression tree; refers to others by index. */
struct law_node {
    enum law_op op;
    int64_t value;   /* or the name's index */
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
    const char *wrong; /* error message; NULL: none */
};

/* law_name - the index of a name, or LAW_NAMES if undefined */
uint32_t law_name(const struct law_exprs *e, const char *word);

/* law_name_add - adds a name; LAW_NAMES if there is no room or it is already defined */
uint32_t law_name_add(struct law_exprs *e, const char *word);

/* law_word - reads a name; false if there is none */
bool law_word(struct law_text *t, char *word);

/* law_sign - reads these characters, if they are next */
bool law_sign(struct law_text *t, const char *sign);

/* law_parse - parses an expression and returns its index; sets t->wrong on an error */
uint16_t law_parse(struct law_exprs *e, struct law_text *t);

struct law_values {
    int64_t name[LAW_NAMES];
    const uint8_t *mark; /* LAW_MARKS / 8 bytes; NULL: none is marked */
    bool wrong;          /* division by 0: LE2 */
};

int64_t law_value(const struct law_exprs *e, uint16_t expr, struct law_values *v);

#endif
