/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* size.c - see size.h. */
#include "hlrc/size.h"
#include "hlrc/layout.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "base/config_memory.h"
#include "base/diag.h"
#include "base/digest.h"
#include "boot/boot.h"
#include "fabric/locality.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/space.h"
#include "hlrc/progress/thread.h"

#define SPACE_LEAST (UINT64_C(1) << 20)  /* as --memory allows */
#define ADDRESSES   (UINT64_C(64) << 40) /* half of a process's address space */

/* Bytes mapped for each page in addition to it. */
#define CONTROL_BYTES(nodes) (64 + 8 * (uint64_t)(nodes))
#define TABLE_BYTES(nodes)   (256 + 32 * (uint64_t)(nodes))
#define FIXED_BYTES          (UINT64_C(160) << 20) /* tables of locks, stacks, libraries */

/* Of the space itself: two views, and every candidate during the search for an address. */
#define SPACE_TIMES 10

struct size_offer {
    uint64_t limit; /* of the machine's memory or of a control group's */
    uint64_t whose; /* identifies that limit */
    uint64_t most;  /* that this node can map */
};

static uint64_t size_resource(__rlimit_resource_t which, uint64_t most)
{
    struct rlimit limit;
    return getrlimit(which, &limit) == 0 && limit.rlim_cur < most ? limit.rlim_cur : most;
}

static uint64_t size_lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Half of a limit after subtracting the fixed part; the rest is the program's. */
static uint64_t size_share(uint64_t limit, uint64_t fixed)
{
    return limit > fixed ? (limit - fixed) / 2 : 0;
}

/* Bytes of a space that fits with its tables, and with the mappings of the other nodes under this
 * kernel. */
static uint64_t size_mappable(void)
{
    struct engine_layout window;
    layout_init(&window, engine.nodes, 0, engine.tokens,
                (uint32_t)engine.config.threads + THREADS_OWN);
    uint64_t control = CONTROL_BYTES(engine.nodes), beside = (uint64_t)engine.neighbours;
    uint64_t own = PAGE_SIZE + TABLE_BYTES(engine.nodes); /* twins, too */
    uint64_t each = SPACE_TIMES * PAGE_SIZE + own + beside * (PAGE_SIZE + control);
    uint64_t fixed = FIXED_BYTES + (1 + beside) * window.end;
    uint64_t data =
        size_lower(size_resource(RLIMIT_DATA, UINT64_MAX), config_memory_promisable("") / beside);
    uint64_t pages = size_share(size_resource(RLIMIT_AS, ADDRESSES), fixed) / each;
    uint64_t file = size_share(size_resource(RLIMIT_FSIZE, UINT64_MAX), window.end);
    pages = size_lower(pages, size_share(data, FIXED_BYTES) / own);
    pages = size_lower(pages, file / (control > PAGE_SIZE ? control : PAGE_SIZE));
    return size_lower(pages * PAGE_SIZE, space_most());
}

static struct size_offer size_own_offer(void)
{
    struct config_memory_limit limit;
    struct locality here;
    config_memory_whole("", &limit);
    locality_here(&here);
    uint64_t whose = digest_add(DIGEST_START, here.boot_id, strlen(here.boot_id));
    return (struct size_offer){ .limit = size_lower(limit.bytes, space_most()),
                                .whose = digest_add(whose, &limit.group, sizeof limit.group),
                                .most = size_mappable() };
}

/* Nodes that share a limit count it once. */
static bool size_seen_before(const struct size_offer *all, int n)
{
    for (int other = 0; other < n; other++)
        if (all[other].whose == all[n].whose)
            return true;
    return false;
}

int size_agree(void)
{
    static struct size_offer all[NODES_MAX];
    uint64_t sum = 0, most = UINT64_MAX;
    if (engine.config.memory != 0)
        return 0;
    struct size_offer mine = size_own_offer();
    int rc = boot_exchange(engine.boot, &mine, sizeof mine, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++) {
        sum += size_seen_before(all, n) ? 0 : all[n].limit;
        most = size_lower(most, all[n].most);
    }
    if (rc) {
        diag_report(1, "cannot agree on the size of the shared space: %s", strerror(-rc));
        return rc;
    }
    sum = size_lower(sum, most) & ~(uint64_t)(PAGE_SIZE - 1);
    engine.config.memory = sum > SPACE_LEAST ? sum : SPACE_LEAST;
    return 0;
}
