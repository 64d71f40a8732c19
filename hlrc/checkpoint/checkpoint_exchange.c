/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_exchange.c - see checkpoint_exchange.h. */
#include "hlrc/checkpoint/checkpoint_exchange.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "hlrc/core/engine.h"
#include "hlrc/progress/thread.h"

#define SLEEP_LEAST_NS 20000
#define SLEEP_MOST_NS  1000000

struct checkpoint_exchange_slot {
    char part[CHECKPOINT_EXCHANGE_MOST];
    _Atomic uint64_t round; /* written last */
    uint64_t unused;
};

static uint64_t round_now;

size_t checkpoint_exchange_room(int nodes)
{
    bool used = engine.config.checkpoint[0] || engine.config.restart[0];
    return used ? 2 * (size_t)nodes * sizeof(struct checkpoint_exchange_slot) : 0;
}

void checkpoint_exchange_reset(void)
{
    round_now = 0;
}

static size_t checkpoint_exchange_at(int node)
{
    size_t slot = (round_now & 1) * (size_t)engine.nodes + (size_t)node;
    return engine.at.checkpoint + slot * sizeof(struct checkpoint_exchange_slot);
}

void checkpoint_exchange_write(int node, size_t at, const void *from, size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    struct thread *t = thread_current ? thread_enter() : NULL;
    fabric_write(engine.fabric, node, engine.control.id, at, from, len, &op);
    fabric_wait(engine.fabric, &op);
    if (t)
        thread_leave(t);
}

static void checkpoint_exchange_send(int node, const void *mine, size_t len)
{
    size_t at = checkpoint_exchange_at(engine.node);
    if (len > 0)
        checkpoint_exchange_write(node, at, mine, len);
    checkpoint_exchange_write(node, at + offsetof(struct checkpoint_exchange_slot, round),
                              &round_now, sizeof round_now);
}

/* Other threads of the program compute: sleeps, longer each time. */
static void checkpoint_exchange_await(const struct checkpoint_exchange_slot *slot)
{
    for (long ns = SLEEP_LEAST_NS;
         atomic_load_explicit(&slot->round, memory_order_acquire) < round_now;
         ns = 2 * ns < SLEEP_MOST_NS ? 2 * ns : SLEEP_MOST_NS)
        nanosleep(&(struct timespec){ 0, ns }, NULL);
}

void checkpoint_exchange(const void *mine, size_t len, void *all)
{
    debug_assert(len <= CHECKPOINT_EXCHANGE_MOST);
    round_now++;
    for (int n = 0; n < engine.nodes; n++)
        if (n != engine.node)
            checkpoint_exchange_send(n, mine, len);
    for (int n = 0; n < engine.nodes; n++) {
        const struct checkpoint_exchange_slot *slot = engine_control_at(checkpoint_exchange_at(n));
        if (n != engine.node)
            checkpoint_exchange_await(slot);
        if (len > 0)
            memcpy((char *)all + (size_t)n * len, n == engine.node ? mine : slot->part, len);
    }
}
