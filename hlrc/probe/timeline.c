/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline.c - see timeline.h for the invariants. */
#include "hlrc/probe/timeline.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/clock.h"
#include "hlrc/core/engine.h"
#include "hlrc/probe/probe.h"

#define PEER_BITS 32

static struct timeline_head *head;
static struct timeline_lane *lanes;
static struct timeline_record *records;
/* The last lane is the handler's, which has no slot; the one before is of checkpoints. */
static uint32_t per_lane, last_lane;
static size_t bytes;
static _Atomic uint64_t grants;

static_assert(sizeof(struct timeline_record) == 40 && sizeof(struct timeline_lane) == 64,
              "hlrc_timeline and the library may come from different builds");

void timeline_note(unsigned kind, int64_t begin, int64_t end, uint64_t object, int peer,
                   uint64_t extra)
{
    uint32_t lane = kind == TIMELINE_CHECKPOINT ? last_lane - 1
                    : probe_current             ? probe_current->lane
                                                : last_lane;
    debug_assert(lane <= last_lane);
    uint64_t number = atomic_fetch_add_explicit(&lanes[lane].count, 1, memory_order_relaxed);
    struct timeline_record *r = &records[(size_t)lane * per_lane + number % per_lane];
    atomic_store_explicit(&r->what, TIMELINE_NONE, memory_order_relaxed);
    /* orders the clearing before the other stores */
    atomic_thread_fence(memory_order_release);
    r->begin = begin;
    r->end = end;
    r->object = object;
    r->extra = extra;
    atomic_store_explicit(&r->what, (uint64_t)kind << PEER_BITS | (uint32_t)(peer + 1),
                          memory_order_release);
}

uint64_t timeline_grant(void)
{
    return (uint64_t)(engine.node + 1) << 48 |
           (atomic_fetch_add_explicit(&grants, 1, memory_order_relaxed) + 1);
}

static int64_t timeline_time_of_day(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void timeline_fill_head(uint64_t size, uint32_t workers, uint64_t machine)
{
    static const struct timeline_offset none = { .error = -1 };
    *head = (struct timeline_head){ .node = (uint32_t)engine.node,
                                    .nodes = (uint32_t)engine.nodes,
                                    .lanes = last_lane + 1,
                                    .records = per_lane,
                                    .pid = (uint32_t)getpid(),
                                    .workers = workers,
                                    .size = size,
                                    .machine = machine,
                                    .start = clock_both(),
                                    .real_ns = timeline_time_of_day(),
                                    .offset = { none, none } };
    config_value(&engine.config, CONFIG_ID_protocol, head->protocol, sizeof head->protocol);
    snprintf(head->fabric, sizeof head->fabric, "%.31s", engine.config.fabric);
    (void)gethostname(head->host, sizeof head->host - 1);
    head->magic = TIMELINE_MAGIC;
}

int timeline_memory(size_t room, void **mem)
{
    int fd = memfd_create("hlrc timeline", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    *mem = ftruncate(fd, (off_t)room) == 0
               ? addresses_map(room, PROT_READ | PROT_WRITE, MAP_SHARED, fd)
               : MAP_FAILED;
    if (*mem != MAP_FAILED)
        return fd;
    int rc = -errno;
    close(fd);
    return rc;
}

int timeline_open(uint64_t size, uint32_t threads, uint32_t workers, uint64_t machine)
{
    last_lane = threads + 1;
    per_lane = (uint32_t)(size / sizeof *records);
    bytes = sizeof *head + (last_lane + 1) * (sizeof *lanes + per_lane * sizeof *records);
    void *mem;
    int fd = timeline_memory(bytes, &mem);
    if (fd < 0)
        return fd;
    (void)madvise(mem, bytes, MADV_DONTDUMP);
    head = mem;
    lanes = (struct timeline_lane *)(head + 1);
    records = (struct timeline_record *)(lanes + last_lane + 1);
    timeline_fill_head(size, workers, machine);
    probe_on |= PROBE_TIMELINE;
    return fd;
}

struct timeline_head *timeline_head(void)
{
    return head;
}

size_t timeline_bytes(void)
{
    return bytes;
}

void timeline_stop(void)
{
    probe_on &= ~(unsigned)PROBE_TIMELINE;
}

void timeline_close(void)
{
    if (head)
        addresses_unmap(head, bytes);
    head = NULL;
}
