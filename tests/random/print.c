/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* print.c - a random program as text, for those who look into a failure. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/random/program.h"

static const char *const names[OP_KINDS] = {
    [OP_READ] = "read",         [OP_WRITE] = "write",
    [OP_SECTION] = "section",   [OP_BATON] = "baton",
    [OP_GIVE] = "give",         [OP_TAKE] = "take",
    [OP_POOL] = "pool",         [OP_CHURN] = "churn",
    [OP_ALLOC] = "alloc",       [OP_FREE] = "free",
    [OP_PREFETCH] = "prefetch", [OP_TOUCH] = "touch",
    [OP_HOME] = "home",         [OP_PLACE] = "place",
    [OP_NEW_LOCK] = "new-lock", [OP_WORD] = "word",
    [OP_FILE] = "file",         [OP_NEW_COND] = "new-cond",
    [OP_SLEEP] = "sleep",       [OP_STATS] = "stats",
    [OP_NEW_WORD] = "new-word", [OP_TRY_SECTION] = "try-section",
};

const char *program_op_name(enum op_kind kind)
{
    return names[kind];
}

struct text {
    char *buf;
    uint32_t len, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    if (t->used >= t->len)
        return;
    va_start(args, fmt);
    int n = vsnprintf(t->buf + t->used, t->len - t->used, fmt, args);
    va_end(args);
    t->used += n > 0 ? (uint32_t)n : 0;
}

static void put_accesses(struct text *t, const struct program *p, const struct op *op)
{
    for (uint32_t i = 0; i < op->count; i++) {
        const struct access *a = &op->access[i];
        const struct range *g = &p->range[a->range];
        put(t, "%s %s r%u=a%u+%u..%u", i ? "," : "", a->write ? "write" : "read", a->range, g->area,
            g->off, g->off + g->len);
        if (a->version != VERSION_ORACLE)
            put(t, " v%u", a->version);
    }
}

static void put_arguments(struct text *t, const struct op *op)
{
    switch (op->kind) {
    case OP_BATON:
        put(t, " baton %u turn %u:", op->target, op->a);
        break;
    case OP_PREFETCH:
    case OP_TOUCH:
    case OP_HOME:
        put(t, " a%u+%u..%u%s", op->target, op->a, op->a + op->b,
            op->touch_write ? " to write" : "");
        break;
    case OP_PLACE:
        put(t, " page %u of a%u at node %u", op->a, op->target, op->b);
        break;
    case OP_GIVE:
    case OP_TAKE:
    case OP_POOL:
    case OP_ALLOC:
    case OP_FREE:
    case OP_NEW_LOCK:
    case OP_NEW_COND:
    case OP_NEW_WORD:
    case OP_WORD:
        put(t, " %u (%u, %u)", op->target, op->a, op->b);
        break;
    case OP_SLEEP:
    case OP_CHURN:
        put(t, " %u, %u", op->a, op->b);
        break;
    default:
        break;
    }
}

void program_describe(const struct program *p, uint32_t op, char *buf, uint32_t len)
{
    const struct op *o = &p->op[op];
    struct text t = { buf, len, 0 };
    put(&t, "op %u, phase %d%s, node %d thread %d: %s", op, o->phase,
        o->between ? " (arrived)" : "", actor_node(p, o->actor), o->actor % p->threads,
        names[o->kind]);
    if (o->kind == OP_SECTION || o->kind == OP_TRY_SECTION)
        put(&t, " {locks %#x}", o->locks);
    put_arguments(&t, o);
    put_accesses(&t, p, o);
}

static void print_resource(const char *what, int i, const struct resource *res)
{
    if (res->cell < 0)
        printf("%s %d: static %u\n", what, i, res->number);
    else
        printf("%s %d: created, cell %d\n", what, i, res->cell);
}

static void print_frame(const struct program *p)
{
    printf("seed %" PRIu64
           ": %d nodes, %d threads%s, %d phases, %u operations, %u ranges, %u areas\n",
           p->seed, p->nodes, p->threads, p->churn ? " made anew for each phase" : "", p->phases,
           p->op_count, p->range_count, p->area_count);
    for (int i = 0; i < p->lock_count; i++)
        print_resource("lock", i, &p->lock[i]);
    for (int i = 0; i < p->cond_count; i++)
        print_resource("cond", i, &p->cond[i]);
    for (int i = 0; i < p->word_count; i++)
        print_resource("word", i, &p->word[i]);
    for (int i = 0; i < p->baton_count; i++)
        printf("baton %d: lock %u, cond %d, token r%u, data r%u\n", i, p->baton[i].lock,
               p->baton[i].cond, p->baton[i].token, p->baton[i].data);
    for (int i = 0; i < p->sem_count; i++)
        printf("semaphore %d: lock %u, cond %d, count r%u\n", i, p->sem[i].lock, p->sem[i].cond,
               p->sem[i].count);
    for (uint32_t i = 0; i < p->area_count; i++) {
        const struct area *a = &p->area[i];
        printf("area %u: %s of %u bytes, ranges %u..%u, phases %d..%d%s\n", i,
               a->object ? "object" : "collective", a->bytes, a->first, a->first + a->count,
               a->from, a->to, a->placing ? ", placed" : "");
    }
}

void program_print(const struct program *p)
{
    static const char *const ends[] = { "barrier", "split barrier", "broadcast", "malloc_all",
                                        "free_all" };
    char line[1024];
    print_frame(p);
    for (int i = 0; i < p->phases; i++) {
        const struct phase *ph = &p->phase[i];
        for (uint32_t k = ph->first; k < ph->end; k++) {
            if (k == ph->between)
                printf("-- phase %d: arrive\n", i);
            program_describe(p, k, line, sizeof line);
            printf("%s\n", line);
        }
        printf("-- phase %d: %s %u, root %d\n", i, ends[ph->how], ph->arg, ph->root);
    }
}
