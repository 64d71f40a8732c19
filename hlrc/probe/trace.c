/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trace.c - see trace.h. */
#include "hlrc/probe/trace.h"

#include <stdio.h>

#include "base/clock.h"

#define OBJECT_BITS 56
#define OBJECT_MASK ((UINT64_C(1) << OBJECT_BITS) - 1)

static const char *const words[] = {
#define X(kind, words) [kind] = words,
    TRACE_KINDS(X)
#undef X
};

void trace_note(struct trace_ring *r, enum trace_kind kind, uint64_t object)
{
    uint64_t count = atomic_load_explicit(&r->count, memory_order_relaxed);
    uint64_t at = count % TRACE_EVENTS;
    atomic_store_explicit(&r->count, count + 1, memory_order_relaxed);
    atomic_store_explicit(&r->event[at].ns, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* orders the clearing before the event */
    atomic_store_explicit(&r->event[at].what,
                          (uint64_t)kind << OBJECT_BITS | (object & OBJECT_MASK),
                          memory_order_relaxed);
    atomic_store_explicit(&r->event[at].ns, clock_ns(), memory_order_release);
}

/* False if the event is being written. */
static bool trace_read_event(const struct trace_ring *r, uint64_t number, int64_t *ns,
                             uint64_t *what)
{
    uint64_t at = number % TRACE_EVENTS;
    *ns = atomic_load_explicit(&r->event[at].ns, memory_order_acquire);
    *what = atomic_load_explicit(&r->event[at].what, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire); /* orders the event before the second read */
    return *ns != 0 && *ns == atomic_load_explicit(&r->event[at].ns, memory_order_relaxed);
}

void trace_last(const struct trace_ring *ring, unsigned most, char *line, size_t len)
{
    uint64_t end = atomic_load_explicit(&ring->count, memory_order_relaxed);
    uint64_t begin = end > most ? end - most : 0, what;
    int64_t now = clock_ns(), ns;
    size_t used = 0;
    line[0] = '\0';
    for (uint64_t n = begin; n < end && used < len; n++) {
        if (!trace_read_event(ring, n, &ns, &what) ||
            what >> OBJECT_BITS >= sizeof words / sizeof *words)
            continue;
        int64_t ms = (now - ns) / 1000000;
        used +=
            (size_t)snprintf(line + used, len - used, "%s%s %llu (%d.%d s ago)", used ? ", " : "",
                             words[what >> OBJECT_BITS], (unsigned long long)(what & OBJECT_MASK),
                             (int)(ms / 1000), (int)(ms / 100 % 10));
    }
}
