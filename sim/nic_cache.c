/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/nic_cache.h"

#include "sim/fail.h"

#include <assert.h>
#include <stdlib.h>

void nic_cache_init(struct nic_cache *cache, unsigned lines, unsigned ways)
{
    assert(ways > 0 && lines > 0 && lines % ways == 0);
    *cache = (struct nic_cache){ .lines = lines, .ways = ways };
    cache->line = fail_alloc(lines, sizeof *cache->line);
}

void nic_cache_free(struct nic_cache *cache)
{
    free(cache->line);
    cache->line = NULL;
}

static struct nic_cache_line *nic_cache_set_of(const struct nic_cache *cache, uint64_t address)
{
    return cache->line + nic_cache_set(cache, address) * cache->ways;
}

struct nic_cache_line *nic_cache_find(struct nic_cache *cache, uint64_t address)
{
    struct nic_cache_line *set = nic_cache_set_of(cache, address);

    for (unsigned i = 0; i < cache->ways; i++)
        if (set[i].used > 0 && set[i].address == address) {
            set[i].used = ++cache->clock;
            return &set[i];
        }
    return NULL;
}

static bool nic_cache_in_use(const struct nic_cache_line *line)
{
    return line->users > 0 || line->waits || line->computes || line->registered;
}

struct nic_cache_line *nic_cache_place(struct nic_cache *cache, uint64_t address)
{
    struct nic_cache_line *set = nic_cache_set_of(cache, address), *oldest = NULL;

    for (unsigned i = 0; i < cache->ways; i++) {
        assert(set[i].used == 0 || set[i].address != address);
        if (!nic_cache_in_use(&set[i]) && (oldest == NULL || set[i].used < oldest->used))
            oldest = &set[i];
    }
    if (oldest != NULL)
        *oldest = (struct nic_cache_line){ .address = address, .used = ++cache->clock };
    return oldest;
}
