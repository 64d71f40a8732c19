/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/atomic_unit.h"

#include "sim/fail.h"

#include <assert.h>
#include <stdlib.h>

static void atomic_unit_ask_tick(struct atomic_unit *unit);

void atomic_unit_init(struct atomic_unit *unit, struct event_loop *loop, struct host_port *port,
                      const struct atomic_unit_config *cfg, event_fn done, void *self)
{
    *unit = (struct atomic_unit){ .loop = loop, .port = port, .cfg = *cfg };
    unit->done = done;
    unit->self = self;
    if (cfg->lines > 0)
        nic_cache_init(&unit->cache, cfg->lines, cfg->ways);
    unit->raw = fail_alloc(cfg->raw, sizeof *unit->raw);
}

void atomic_unit_free(struct atomic_unit *unit)
{
    nic_cache_free(&unit->cache);
    free(unit->queue);
    free(unit->raw);
}

static struct atomic_unit_op *atomic_unit_op_at(const struct atomic_unit *unit, uint64_t number)
{
    return &unit->queue[number & (unit->room - 1)];
}

/* ---- the read-after-write buffer ---- */

static bool atomic_unit_raw_has(const struct atomic_unit *unit, uint64_t address)
{
    for (unsigned i = 0; i < unit->raw_known; i++)
        if (unit->raw[i] == address)
            return true;
    return false;
}

static void atomic_unit_raw_drop(struct atomic_unit *unit, uint64_t address)
{
    unsigned i = 0;

    while (unit->raw[i] != address)
        i++;
    unit->raw[i] = unit->raw[--unit->raw_known];
    unit->raw_used--;
}

/* ---- results ---- */

/* A write has arrived in the host's memory. */
static void atomic_unit_write_done(void *self, uint64_t address)
{
    struct atomic_unit *unit = self;

    atomic_unit_raw_drop(unit, address);
    atomic_unit_ask_tick(unit);
}

/* The result is computed. Operations end in order, since the ALU is a pipeline. A line whose value
 * is kept was marked when its operation began. */
static void atomic_unit_result(void *self, uint64_t to_register)
{
    struct atomic_unit *unit = self;
    struct atomic_unit_op *op = atomic_unit_op_at(unit, unit->written++);

    if (op->line != NULL) {
        op->line->computes = false;
        op->line->users--;
    }
    if (!to_register) {
        assert(unit->raw_known < unit->raw_used);
        unit->raw[unit->raw_known++] = op->address;
        host_port_write(unit->port, atomic_unit_write_done, unit, op->address);
    }
    unit->done(unit->self, op->source);
    atomic_unit_ask_tick(unit);
}

/* True if one of the next operations has the same word, and none before it can need the line. */
static bool atomic_unit_soon_again(const struct atomic_unit *unit, const struct atomic_unit_op *op)
{
    uint64_t end = unit->computed + 1 + unit->cfg.window;
    uint64_t set = nic_cache_set(&unit->cache, op->address);

    if (end > unit->came)
        end = unit->came;
    for (uint64_t n = unit->computed + 1; n < end; n++) {
        uint64_t address = atomic_unit_op_at(unit, n)->address;

        if (address == op->address)
            return true;
        if (n >= unit->fetched && nic_cache_set(&unit->cache, address) == set)
            return false;
    }
    return false;
}

static bool atomic_unit_young(const struct atomic_unit *unit, const struct nic_cache_line *line)
{
    bool few = line->kept < unit->cfg.aging_count;
    bool backed_up = unit->port->waiting > unit->cfg.aging_queue;

    switch (unit->cfg.aging) {
    case AGING_COUNT:
        return few;
    case AGING_QUEUE:
        return backed_up;
    case AGING_BOTH:
        return few && backed_up;
    case AGING_NONE:
        break;
    }
    return true;
}

static bool atomic_unit_goes_to_register(const struct atomic_unit *unit,
                                         const struct atomic_unit_op *op)
{
    const struct nic_cache_line *line = op->line;

    return line != NULL && (line->registered || unit->registers_used < unit->cfg.registers) &&
           atomic_unit_young(unit, line) && atomic_unit_soon_again(unit, op);
}

static void atomic_unit_mark(struct atomic_unit *unit, struct nic_cache_line *line,
                             bool to_register)
{
    line->computes = true;
    line->kept = to_register ? line->kept + 1 : 0;
    unit->registers_used += to_register;
    unit->registers_used -= line->registered;
    line->registered = to_register;
    unit->kept += to_register;
}

/* The ALU takes the next operation; false if it cannot. */
static bool atomic_unit_compute(struct atomic_unit *unit)
{
    struct atomic_unit_op *op = atomic_unit_op_at(unit, unit->computed);
    bool to_register;

    if (unit->computed == unit->fetched)
        return false;
    if (op->line != NULL ? op->line->waits || op->line->computes : !op->here)
        return false;
    to_register = atomic_unit_goes_to_register(unit, op);
    if (!to_register && unit->raw_used == unit->cfg.raw)
        return false;
    unit->raw_used += !to_register;
    if (op->line != NULL)
        atomic_unit_mark(unit, op->line, to_register);
    unit->computed++;
    event_after(unit->loop, unit->cfg.alu_cycles * unit->cfg.cycle, atomic_unit_result, unit,
                to_register);
    return true;
}

/* ---- words ---- */

static void atomic_unit_line_here(void *self, uint64_t index)
{
    struct atomic_unit *unit = self;

    unit->cache.line[index].waits = false;
    atomic_unit_ask_tick(unit);
}

static void atomic_unit_op_here(void *self, uint64_t number)
{
    struct atomic_unit *unit = self;

    atomic_unit_op_at(unit, number)->here = true;
    atomic_unit_ask_tick(unit);
}

static bool atomic_unit_in_pipeline(const struct atomic_unit *unit, uint64_t address)
{
    for (uint64_t n = unit->written; n < unit->fetched; n++)
        if (atomic_unit_op_at(unit, n)->address == address)
            return true;
    return false;
}

/* Without a cache, or past it. */
static bool atomic_unit_fetch_uncached(struct atomic_unit *unit, struct atomic_unit_op *op)
{
    if (atomic_unit_in_pipeline(unit, op->address) || atomic_unit_raw_has(unit, op->address)) {
        unit->stalled_raw++;
        return false;
    }
    unit->misses++;
    host_port_read(unit->port, atomic_unit_op_here, unit, unit->fetched);
    return true;
}

static bool atomic_unit_fetch_missed(struct atomic_unit *unit, struct atomic_unit_op *op)
{
    if (atomic_unit_raw_has(unit, op->address)) {
        unit->stalled_raw++;
        return false;
    }
    if (unit->cfg.passes && atomic_unit_in_pipeline(unit, op->address)) {
        unit->stalled_raw++;
        return false;
    }
    op->line = nic_cache_place(&unit->cache, op->address);
    if (op->line == NULL && unit->cfg.passes)
        return atomic_unit_fetch_uncached(unit, op);
    if (op->line == NULL) {
        unit->stalled_set++;
        return false;
    }
    unit->misses++;
    op->line->waits = true;
    host_port_read(unit->port, atomic_unit_line_here, unit,
                   (uint64_t)(op->line - unit->cache.line));
    return true;
}

/* The issue unit requests the next operation's word; false if it cannot. */
static bool atomic_unit_fetch(struct atomic_unit *unit)
{
    struct atomic_unit_op *op = atomic_unit_op_at(unit, unit->fetched);

    if (unit->fetched == unit->came || unit->fetched - unit->computed == unit->cfg.pipeline)
        return false;
    if (unit->cfg.lines == 0) {
        if (!atomic_unit_fetch_uncached(unit, op))
            return false;
    } else {
        op->line = nic_cache_find(&unit->cache, op->address);
        unit->hits += op->line != NULL;
        if (op->line == NULL && !atomic_unit_fetch_missed(unit, op))
            return false;
        if (op->line != NULL)
            op->line->users++;
    }
    unit->fetched++;
    return true;
}

/* ---- cycles ---- */

static void atomic_unit_tick(void *self, uint64_t arg)
{
    struct atomic_unit *unit = self;

    (void)arg;
    unit->ticks = false;
    unit->last_tick = unit->loop->now + 1;
    bool computed = atomic_unit_compute(unit);
    bool fetched = atomic_unit_fetch(unit);
    if (computed || fetched)
        atomic_unit_ask_tick(unit);
}

/* Schedules a tick in the next cycle. */
static void atomic_unit_ask_tick(struct atomic_unit *unit)
{
    sim_time when = (unit->loop->now + unit->cfg.cycle - 1) / unit->cfg.cycle * unit->cfg.cycle;

    if (unit->ticks)
        return;
    if (when < unit->last_tick)
        when += unit->cfg.cycle;
    unit->ticks = true;
    event_at(unit->loop, when, atomic_unit_tick, unit, 0);
}

static void atomic_unit_grow(struct atomic_unit *unit)
{
    size_t room = unit->room == 0 ? 64 : unit->room * 2;
    struct atomic_unit_op *queue = fail_alloc(room, sizeof *queue);

    for (uint64_t n = unit->written; n < unit->came; n++)
        queue[n & (room - 1)] = *atomic_unit_op_at(unit, n);
    free(unit->queue);
    unit->queue = queue;
    unit->room = room;
}

void atomic_unit_add(struct atomic_unit *unit, uint64_t address, uint64_t source)
{
    if (unit->came - unit->written == unit->room)
        atomic_unit_grow(unit);
    *atomic_unit_op_at(unit, unit->came++) =
        (struct atomic_unit_op){ .address = address, .source = source };
    atomic_unit_ask_tick(unit);
}
