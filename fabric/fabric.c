/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric.c - the table of transports, and substitutes for the functions that a transport lacks. */
#include "fabric/fabric.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fabric/chaos/chaos.h"
#include "fabric/failure.h"
#include "fabric/locality.h"
#include "fabric/transports.h"

static const struct fabric_ops *const transports[] = {
    &fabric_shm,
#ifdef HAVE_VERBS
    &fabric_verbs, &fabric_mixed,
#endif
#ifdef HAVE_OFI
    &fabric_ofi,   &fabric_ofi_mixed,
#endif
};

#define TRANSPORTS (sizeof transports / sizeof transports[0])

static void fabric_no_read(struct fabric *f, int p, int w, size_t o, void *d, size_t n,
                           struct fabric_op *op)
{
    (void)p, (void)w, (void)o, (void)d, (void)n, (void)op;
    failure_fabric_lacks(f, "read");
}

static void fabric_no_write_imm(struct fabric *f, int p, int w, size_t o, const void *s, size_t n,
                                uint32_t imm, bool urgent, struct fabric_op *op)
{
    (void)p, (void)w, (void)o, (void)s, (void)n, (void)imm, (void)urgent, (void)op;
    failure_fabric_lacks(f, "write with immediate");
}

static void fabric_no_write_wake(struct fabric *f, int p, int w, size_t o, const void *s, size_t n,
                                 struct fabric_op *op)
{
    (void)p, (void)w, (void)o, (void)s, (void)n, (void)op;
    failure_fabric_lacks(f, "write that wakes");
}

static void fabric_no_cas(struct fabric *f, int p, int w, size_t o, uint64_t e, uint64_t d,
                          uint64_t *old, struct fabric_op *op)
{
    (void)p, (void)w, (void)o, (void)e, (void)d, (void)old, (void)op;
    failure_fabric_lacks(f, "compare-and-swap");
}

static void fabric_no_fetch_add(struct fabric *f, int p, int w, size_t o, uint64_t a, uint64_t *old,
                                struct fabric_op *op)
{
    (void)p, (void)w, (void)o, (void)a, (void)old, (void)op;
    failure_fabric_lacks(f, "fetch-and-add");
}

static int fabric_no_discard(struct fabric *f, int w, size_t o, size_t n)
{
    (void)f, (void)w, (void)o, (void)n;
    return -ENOTSUP;
}

/* Fills in missing functions; the capabilities show which are missing. */
static void fabric_complete_ops(struct fabric *f, const struct fabric_ops *ops)
{
    f->ops = *ops;
    f->caps |= ops->caps; /* in addition to those found when it was opened */
    f->ops.read = ops->read ? ops->read : fabric_no_read;
    f->ops.write_imm = ops->write_imm ? ops->write_imm : fabric_no_write_imm;
    f->ops.write_wake = ops->write_wake ? ops->write_wake : fabric_no_write_wake;
    f->ops.cas = ops->cas ? ops->cas : fabric_no_cas;
    f->ops.fetch_add = ops->fetch_add ? ops->fetch_add : fabric_no_fetch_add;
    f->ops.window_discard = ops->window_discard ? ops->window_discard : fabric_no_discard;
}

/* "shm-noread" is shm without reads and atomics, "shm-noimm" shm without write-with-immediate,
 * "shm-noswap" shm with only the two atomics of verbs, which may overwrite the bytes beside a
 * word. They imitate adapters that lack these, for tests that show which protocol needs which
 * operation. */
static void fabric_strip_ops(struct fabric *f, const char *suffix)
{
    if (strcmp(suffix, "-noread") == 0) {
        f->ops.read = fabric_no_read;
        f->ops.read_pieces = NULL;
        f->ops.read_long = NULL;
        f->ops.cas = fabric_no_cas;
        f->ops.fetch_add = fabric_no_fetch_add;
        f->ops.exchange = NULL;
        f->caps &= ~(unsigned)(FABRIC_READ | FABRIC_ATOMICS | FABRIC_READ_ORDERED);
    } else if (strcmp(suffix, "-noswap") == 0) {
        f->ops.exchange = NULL;
        f->caps &= ~(unsigned)FABRIC_ATOMICS_NARROW;
    } else {
        f->ops.write_imm = fabric_no_write_imm;
        f->ops.write_wake = fabric_no_write_wake;
        f->caps &= ~(unsigned)FABRIC_WRITE_IMM;
    }
}

static bool fabric_known_suffix(const char *s)
{
    return *s == '\0' || strcmp(s, "-noread") == 0 || strcmp(s, "-noimm") == 0 ||
           strcmp(s, "-noswap") == 0;
}

/* Whether transport i is not the last of its name, and some node cannot use it: then a later one
 * takes its place. Collective. 1, 0 or an error of the exchange. */
static int fabric_is_replaced(const struct fabric_job *job, size_t i)
{
    char why[256];
    bool last = true;
    for (size_t k = i + 1; k < TRANSPORTS; k++)
        last &= strcmp(transports[k]->name, transports[i]->name) != 0;
    if (last)
        return 0;
    int32_t lacks = transports[i]->probe && transports[i]->probe(why, sizeof why) != 0;
    int32_t every[NODES_MAX];
    int rc = job->exchange(job->ctx, &lacks, sizeof lacks, every);
    for (int n = 0; n < job->nodes && rc == 0; n++)
        rc = every[n] != 0;
    return rc;
}

static int fabric_open_transport(const char *name, const struct fabric_job *job,
                                 struct fabric **out)
{
    for (size_t i = 0; i < TRANSPORTS; i++) {
        size_t len = strlen(transports[i]->name);
        if (strncmp(name, transports[i]->name, len) != 0 || !fabric_known_suffix(name + len))
            continue;
        int replaced = fabric_is_replaced(job, i);
        if (replaced < 0)
            return replaced;
        if (replaced)
            continue;
        struct fabric *f;
        int rc = transports[i]->open(job, &f);
        if (rc)
            return rc;
        f->node = job->node;
        f->nodes = job->nodes;
        f->fail = job->fail;
        fabric_complete_ops(f, transports[i]);
        if (name[len])
            fabric_strip_ops(f, name + len);
        if (f->neighbours == 0) /* unless the transport knows */
            rc = locality_neighbours(job, &f->neighbours);
        if (rc)
            fabric_close(f);
        else
            *out = f;
        return rc;
    }
    return -ENOENT;
}

/* "auto": shared memory if all nodes have it, else between machines the best that all have. */
static int fabric_choose(const struct fabric_job *job, char *name)
{
    struct fabric_job quiet = *job;
    quiet.fail = NULL;
    int rc = strcmp(name, "auto") == 0 ? locality_all_together(&quiet) : 1;
    if (rc == 0 || rc == -EXDEV)
        strcpy(name, rc == 0 ? "shm" : "mixed");
    return rc == -EXDEV || rc > 0 ? 0 : rc;
}

/* "NAME+chaos" stacks the hook of chaos.h on what NAME opens. */
int fabric_open(const char *name, const struct fabric_job *job, struct fabric **out)
{
    char base[64];
    const char *hook = strchr(name, '+');
    size_t len = hook ? (size_t)(hook - name) : strlen(name);
    if (len >= sizeof base || (hook && strcmp(hook, "+chaos") != 0))
        return -ENOENT;
    memcpy(base, name, len);
    base[len] = '\0';
    struct fabric *f = NULL;
    int rc = fabric_choose(job, base);
    rc = rc ? rc : fabric_open_transport(base, job, &f);
    if (rc == 0 && hook) {
        struct fabric *below = f;
        rc = chaos_stack(below, &f);
        if (rc)
            fabric_close(below);
    }
    if (rc == 0)
        *out = f;
    return rc;
}

static uint64_t fabric_exchange_by_cas(struct fabric *f, int peer, int win, size_t off,
                                       uint64_t value, uint64_t guess)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t expect, old = guess;
    do {
        expect = old;
        fabric_cas(f, peer, win, off, expect, value, &old, &op);
        fabric_wait(f, &op);
    } while (old != expect);
    return old;
}

uint64_t fabric_exchange(struct fabric *f, int peer, int win, size_t off, uint64_t value,
                         uint64_t guess)
{
    if (!f->ops.exchange)
        return fabric_exchange_by_cas(f, peer, win, off, value, guess);
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;
    f->ops.exchange(f, peer, win, off, value, &old, &op);
    fabric_wait(f, &op);
    return old;
}

void fabric_close(struct fabric *f)
{
    f->ops.close(f);
}

void fabric_describe(const char *name, void (*say)(const char *line))
{
    for (size_t i = 0; i < TRANSPORTS; i++)
        if (strcmp(name, transports[i]->name) == 0 && transports[i]->describe)
            transports[i]->describe(say);
}

static int fabric_probe_any(const char *name, bool quick, char *why, size_t len)
{
    int rc = strcmp(name, "auto") == 0 ? 0 : -ENOENT;
    snprintf(why, len, "left out of this build");
    for (size_t i = 0; i < TRANSPORTS && rc; i++)
        if (strcmp(name, transports[i]->name) == 0)
            rc = transports[i]->probe && !(quick && transports[i]->slow_probe)
                     ? transports[i]->probe(why, len)
                     : 0;
    return rc;
}

int fabric_probe(const char *name, char *why, size_t len)
{
    return fabric_probe_any(name, false, why, len);
}

int fabric_probe_quick(const char *name, char *why, size_t len)
{
    return fabric_probe_any(name, true, why, len);
}
