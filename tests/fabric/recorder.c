/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder.c - see recorder.h. */
#include "tests/fabric/recorder.h"

#include <string.h>

struct recorder recorder;

static void record(const struct step *s)
{
    uint32_t n = atomic_load_explicit(&recorder.steps, memory_order_relaxed);
    recorder.step[n % MAX_STEPS] = *s;
    atomic_store_explicit(&recorder.steps, n + 1, memory_order_relaxed);
    if (s->kind == STEP_WAKE) /* both: order the step before the sight of its arrival */
        atomic_fetch_add_explicit(&recorder.wakes, 1, memory_order_release);
    else
        atomic_fetch_add_explicit(&recorder.arrived[slot_at(s->off)], (uint32_t)s->len,
                                  memory_order_release);
}

static void record_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                        struct fabric_op *op)
{
    (void)f, (void)win, (void)op;
    memcpy(dst, recorder.memory[peer] + off, len);
    record(&(struct step){ .kind = STEP_READ, .peer = peer, .off = off, .len = len });
}

static void record_write(struct fabric *f, int peer, int win, size_t off, const void *src,
                         size_t len, struct fabric_op *op)
{
    (void)f, (void)win, (void)op;
    memcpy(recorder.memory[peer] + off, src, len);
    record(&(struct step){ .kind = STEP_WRITE, .peer = peer, .off = off, .len = len });
}

static void record_event(struct fabric *f, int peer, int win, size_t off, const void *src,
                         size_t len, uint32_t imm, bool urgent, struct fabric_op *op)
{
    (void)f, (void)win, (void)op;
    memcpy(recorder.memory[peer] + off, src, len);
    record(&(struct step){
        .kind = STEP_EVENT, .peer = peer, .off = off, .len = len, .imm = imm, .urgent = urgent });
}

/* The rounds begin their operations anywhere. */
static uint64_t load_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static void recorder_record_add(struct fabric *f, int peer, int win, size_t off, uint64_t add,
                                uint64_t *old, struct fabric_op *op)
{
    char *at = recorder.memory[peer] + off;
    (void)f, (void)win, (void)op;
    *old = load_word(at);
    memcpy(at, &(uint64_t){ *old + add }, sizeof add);
    record(&(struct step){ .kind = STEP_ATOMIC, .peer = peer, .off = off, .len = 8 });
}

static void record_cas(struct fabric *f, int peer, int win, size_t off, uint64_t expect,
                       uint64_t desired, uint64_t *old, struct fabric_op *op)
{
    uint64_t word = load_word(recorder.memory[peer] + off);
    recorder_record_add(f, peer, win, off, word == expect ? desired - expect : 0, old, op);
}

static void record_wake(struct fabric *f, int peer)
{
    (void)f;
    record(&(struct step){ .kind = STEP_WAKE, .peer = peer });
}

static void at_once(struct fabric *f, struct fabric_op *op)
{
    (void)f, (void)op;
}

static int never_pending(struct fabric *f, struct fabric_event *ev)
{
    (void)f, (void)ev;
    return 0;
}

static bool record_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level)
{
    (void)f, (void)s, (void)level;
    recorder.arms++;
    return true;
}

static void record_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket,
                         int64_t timeout_ns)
{
    (void)f, (void)s, (void)ticket;
    recorder.sleeps++;
    recorder.timeout = timeout_ns;
}

static void record_ring(struct fabric *f, enum fabric_sleeper s)
{
    (void)f, (void)s;
    atomic_fetch_add(&recorder.rings, 1);
}

static void nothing_to_close(struct fabric *f)
{
    (void)f;
}

static const struct fabric_ops ops = {
    .name = "recorder",
    .close = nothing_to_close,
    .read = record_read,
    .write = record_write,
    .write_imm = record_event,
    .cas = record_cas,
    .fetch_add = recorder_record_add,
    .wait = at_once,
    .rx_poll = never_pending,
    .rx_arm = record_arm,
    .rx_sleep = record_sleep,
    .rx_wake = record_ring,
    .wake = record_wake,
};

void recorder_forget(void)
{
    atomic_store(&recorder.steps, 0);
    atomic_store(&recorder.wakes, 0);
    for (int i = 0; i < SLOTS; i++)
        atomic_store(&recorder.arrived[i], 0);
}

void recorder_reset(unsigned caps)
{
    memset(&recorder, 0, sizeof recorder);
    recorder.head = (struct fabric){ .ops = ops, .node = 0, .nodes = NODES, .caps = caps };
}
