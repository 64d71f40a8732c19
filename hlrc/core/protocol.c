/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* protocol.c - the memory layout, for protocols; see protocol.h. */
#include "hlrc/core/protocol.h"

#include "hlrc/core/engine.h"

const struct protocol_env *protocol_env;

struct fabric *protocol_fabric(void)
{
    return engine.fabric;
}
int protocol_control(void)
{
    return engine.control.id;
}
int protocol_space(void)
{
    return engine.space.id;
}
int protocol_node(void)
{
    return engine.node;
}
int protocol_nodes(void)
{
    return engine.nodes;
}
int protocol_default_home(uint32_t page)
{
    return engine_default_home(page);
}
size_t protocol_home_at(uint32_t page)
{
    return engine_home_at(page);
}
size_t protocol_versions_at(uint32_t page)
{
    return engine_applied_at(page, 0);
}
size_t protocol_has_readers_at(uint32_t page)
{
    return engine_has_readers_at(page);
}
size_t protocol_arrivals_at(void)
{
    return engine.at.arrivals;
}
size_t protocol_page_at(uint32_t page)
{
    return (size_t)page << PAGE_SHIFT;
}

uint32_t protocol_pages(void)
{
    return engine.pages;
}

uint32_t protocol_tokens(void)
{
    return engine.tokens;
}

size_t protocol_answers_at(uint32_t token)
{
    return engine.at.answers + (size_t)token * 8;
}

void *protocol_here(size_t at)
{
    return engine_control_at(at);
}

_Atomic uint64_t *protocol_applied_here(uint32_t page, int writer)
{
    return engine_applied_here(page, writer);
}

char *protocol_page_here(uint32_t page)
{
    return engine_page_mem(page);
}
