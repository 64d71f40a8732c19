/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* protocol.c - what the engine offers to protocols; see protocol.h. */
#include "hlrc/protocol/protocol.h"

#include "hlrc/engine.h"
#include "hlrc/progress/serve.h"
#include "hlrc/progress/stats.h"

struct fabric *protocol_fabric(void) { return engine.fabric; }
int protocol_control(void) { return engine.control.id; }
int protocol_space(void) { return engine.space.id; }
int protocol_node(void) { return engine.node; }
int protocol_nodes(void) { return engine.nodes; }
int protocol_default_home(uint32_t page) { return default_home(page); }
size_t protocol_home_at(uint32_t page) { return home_at(page); }
size_t protocol_versions_at(uint32_t page) { return applied_at(page, 0); }
size_t protocol_page_at(uint32_t page) { return (size_t)page << PAGE_SHIFT; }

void protocol_count_round_trip(void)
{
    stats_count(STAT_FETCH_ROUND_TRIPS, 1);
}

void protocol_count_retry(void)
{
    stats_count(STAT_FETCH_RETRIES, 1);
}

void protocol_wait(const char *what, uint64_t object, bool (*done)(void *), void *arg)
{
    serve_wait((struct wait_for){ what, object }, done, arg, WAIT_STATE);
}
