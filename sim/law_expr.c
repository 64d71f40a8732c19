/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* law_expr.c - see law_expr.h. */
#include "sim/law_expr.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define DEEPEST 64 /* nested brackets */

struct parser {
    struct law_exprs *e;
    struct law_text *t;
    unsigned depth;
};

static uint16_t parse_choice(struct parser *p);

/* ---- names and signs ---- */

uint32_t law_name(const struct law_exprs *e, const char *word)
{
    for (uint32_t i = 0; i < e->names; i++)
        if (strcmp(e->name[i].word, word) == 0)
            return i;
    return LAW_NAMES;
}

uint32_t law_name_add(struct law_exprs *e, const char *word)
{
    if (e->names == LAW_NAMES || law_name(e, word) != LAW_NAMES)
        return LAW_NAMES;
    e->name[e->names] = (struct law_name){ 0 };
    strcpy(e->name[e->names].word, word);
    return e->names++;
}

static void skip(struct law_text *t)
{
    while (*t->at == ' ' || *t->at == '\t')
        t->at++;
}

bool law_word(struct law_text *t, char *word)
{
    size_t n = 0;

    skip(t);
    if (!isalpha((unsigned char)*t->at))
        return false;
    while (isalnum((unsigned char)t->at[n]) || t->at[n] == '_')
        n++;
    if (n >= LAW_WORD)
        return false;
    memcpy(word, t->at, n);
    word[n] = '\0';
    t->at += n;
    return true;
}

bool law_sign(struct law_text *t, const char *sign)
{
    size_t n = strlen(sign);

    skip(t);
    if (strncmp(t->at, sign, n) != 0)
        return false;
    t->at += n;
    return true;
}

/* ---- parts of expressions ---- */

static uint16_t fail(struct parser *p, const char *wrong)
{
    if (p->t->wrong == NULL)
        p->t->wrong = wrong;
    return 0;
}

static uint16_t make(struct parser *p, enum law_op op, int64_t value, uint16_t a, uint16_t b,
                     uint16_t c)
{
    if (p->e->nodes == LAW_NODES)
        return fail(p, "there are too many expressions");
    p->e->node[p->e->nodes] = (struct law_node){ op, value, { a, b, c } };
    return (uint16_t)p->e->nodes++;
}

static void want(struct parser *p, const char *sign, const char *wrong)
{
    if (!law_sign(p->t, sign))
        (void)fail(p, wrong);
}

static uint16_t parse_number(struct parser *p)
{
    int64_t value = 0;

    for (; isdigit((unsigned char)*p->t->at); p->t->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p->t->at - '0', &value))
            return fail(p, "a number has more than 63 bits");
    return make(p, LAW_VALUE, value, 0, 0, 0);
}

static uint32_t parse_args(struct parser *p, uint16_t *arg)
{
    uint32_t count = 0;

    do {
        if (count == 3) {
            (void)fail(p, "a function has three arguments at most");
            return 0;
        }
        arg[count++] = parse_choice(p);
    } while (law_sign(p->t, ","));
    want(p, ")", "a bracket is not closed");
    return count;
}

static uint16_t parse_call(struct parser *p, const char *word)
{
    static const struct {
        const char *word;
        enum law_op op;
        uint32_t args;
    } own[] = { { "min", LAW_MIN, 2 },
                { "max", LAW_MAX, 2 },
                { "root", LAW_ROOT, 1 },
                { "log2", LAW_LOG2, 1 },
                { "marked", LAW_MARKED, 1 } };
    uint16_t arg[3] = { 0 };
    uint32_t args = parse_args(p, arg), name = law_name(p->e, word);

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].word, word) == 0 && own[i].args == args)
            return make(p, own[i].op, 0, arg[0], arg[1], arg[2]);
    if (name == LAW_NAMES || !p->e->name[name].is_function || p->e->name[name].args != args)
        return fail(p, "there is no such function, or the number of arguments is wrong");
    return make(p, LAW_CALL, name, arg[0], arg[1], arg[2]);
}

static uint16_t parse_name(struct parser *p)
{
    char word[LAW_WORD];
    uint32_t name;

    if (!law_word(p->t, word))
        return fail(p, "a number or a name is missing");
    if (law_sign(p->t, "("))
        return parse_call(p, word);
    name = law_name(p->e, word);
    if (name == LAW_NAMES || p->e->name[name].is_function)
        return fail(p, "a name is not known here");
    return make(p, LAW_NAME, name, 0, 0, 0);
}

static uint16_t parse_unit(struct parser *p)
{
    uint16_t inner;

    skip(p->t);
    if (p->t->wrong != NULL)
        return 0;
    if (isdigit((unsigned char)*p->t->at))
        return parse_number(p);
    if (law_sign(p->t, "-"))
        return make(p, LAW_NEGATE, 0, parse_unit(p), 0, 0);
    if (law_sign(p->t, "!"))
        return make(p, LAW_NOT, 0, parse_unit(p), 0, 0);
    if (!law_sign(p->t, "("))
        return parse_name(p);
    inner = parse_choice(p);
    want(p, ")", "a bracket is not closed");
    return inner;
}

/* The tightest binding last; of two signs, the longer first. */
static const struct {
    const char *sign;
    enum law_op op;
    int level;
} signs[] = {
    { "||", LAW_OR, 0 },       { "&&", LAW_AND, 1 },     { "==", LAW_EQUAL, 2 },
    { "!=", LAW_UNEQUAL, 2 },  { "<=", LAW_AT_MOST, 2 }, { "<", LAW_LESS, 2 },
    { ">=", LAW_AT_LEAST, 2 }, { ">", LAW_MORE, 2 },     { "+", LAW_ADD, 3 },
    { "-", LAW_SUBTRACT, 3 },  { "*", LAW_TIMES, 4 },    { "/", LAW_DIVIDE, 4 },
    { "%", LAW_REST, 4 },
};

#define LEVELS 5

static bool next_sign(struct parser *p, int level, enum law_op *op)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].level == level && law_sign(p->t, signs[i].sign)) {
            *op = signs[i].op;
            return true;
        }
    return false;
}

static uint16_t parse_level(struct parser *p, int level)
{
    uint16_t left;
    enum law_op op;

    if (level == LEVELS)
        return parse_unit(p);
    left = parse_level(p, level + 1);
    while (p->t->wrong == NULL && next_sign(p, level, &op))
        left = make(p, op, 0, left, parse_level(p, level + 1), 0);
    return left;
}

static uint16_t parse_choice(struct parser *p)
{
    uint16_t test, yes, no;

    if (++p->depth > DEEPEST)
        return fail(p, "brackets are nested too deeply");
    test = parse_level(p, 0);
    if (p->t->wrong == NULL && law_sign(p->t, "?")) {
        yes = parse_choice(p);
        want(p, ":", "a choice has no second part");
        no = parse_choice(p);
        test = make(p, LAW_CHOOSE, 0, test, yes, no);
    }
    p->depth--;
    return test;
}

uint16_t law_parse(struct law_exprs *e, struct law_text *t)
{
    struct parser p = { e, t, 0 };

    return parse_choice(&p);
}

/* ---- values ---- */

static int64_t root(int64_t of)
{
    int64_t low = 0, high = INT64_C(3037000499);

    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (middle * middle <= of)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t log2_of(int64_t of)
{
    return of < 1 ? 0 : 63 - __builtin_clzll((uint64_t)of);
}

static bool is_marked(const struct law_values *v, int64_t number)
{
    return v->mark != NULL && number >= 0 && number < LAW_MARKS &&
           (v->mark[number / 8] >> number % 8 & 1) != 0;
}

/* LE1, LE2 */
static int64_t divide(int64_t a, int64_t b, bool rest, bool *wrong)
{
    int64_t q, r;

    if (b == 0) {
        *wrong = true;
        return 0;
    }
    if (b == -1)
        return rest ? 0 : (int64_t)(0 - (uint64_t)a);
    q = a / b;
    r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q--;
        r += b;
    }
    return rest ? r : q;
}

static int64_t combine(enum law_op op, int64_t a, int64_t b, bool *wrong)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (op) {
    case LAW_MIN:
        return a < b ? a : b;
    case LAW_MAX:
        return a > b ? a : b;
    case LAW_ADD:
        return (int64_t)(x + y);
    case LAW_SUBTRACT:
        return (int64_t)(x - y);
    case LAW_TIMES:
        return (int64_t)(x * y);
    case LAW_DIVIDE:
    case LAW_REST:
        return divide(a, b, op == LAW_REST, wrong);
    case LAW_LESS:
        return a < b;
    case LAW_AT_MOST:
        return a <= b;
    case LAW_MORE:
        return a > b;
    case LAW_AT_LEAST:
        return a >= b;
    case LAW_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

static int64_t call(const struct law_exprs *e, const struct law_node *n, struct law_values *v)
{
    const struct law_name *f = &e->name[n->value];
    int64_t value[3];

    for (uint32_t i = 0; i < f->args; i++)
        value[i] = law_value(e, n->arg[i], v);
    for (uint32_t i = 0; i < f->args; i++)
        v->name[f->arg[i]] = value[i];
    return law_value(e, f->body, v);
}

int64_t law_value(const struct law_exprs *e, uint16_t expr, struct law_values *v)
{
    const struct law_node *n = &e->node[expr];
    int64_t a;

    switch (n->op) {
    case LAW_VALUE:
        return n->value;
    case LAW_NAME:
        return v->name[n->value];
    case LAW_CALL:
        return call(e, n, v);
    default:
        break;
    }
    a = law_value(e, n->arg[0], v);
    switch (n->op) {
    case LAW_NOT:
        return a == 0;
    case LAW_NEGATE:
        return (int64_t)(0 - (uint64_t)a);
    case LAW_ROOT:
        return root(a);
    case LAW_LOG2:
        return log2_of(a);
    case LAW_MARKED:
        return is_marked(v, a);
    case LAW_CHOOSE:
        return law_value(e, n->arg[a != 0 ? 1 : 2], v);
    case LAW_AND:
        return a != 0 && law_value(e, n->arg[1], v) != 0;
    case LAW_OR:
        return a != 0 || law_value(e, n->arg[1], v) != 0;
    default:
        return combine(n->op, a, law_value(e, n->arg[1], v), &v->wrong);
    }
}
