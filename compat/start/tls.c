/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tls.c - see tls.h for the invariants. */
#include "compat/start/tls.h"

#include <hlrc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/addresses.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define PAGE ((size_t)4096)

/* Per compute thread, and one more of thread 0, in shared memory: [tls.fork-apart]. */
struct tls_shown {
    uint64_t version; /* raised when the bytes change; of thread 0's no two are equal */
    char *at;         /* their address on that thread's node */
    char bytes[];
};

/* For a thread of another node. */
struct tls_mirror {
    char *writable; /* the bytes at `at`, by a private address of this node */
    uint64_t version;
};

static char *slots;
static size_t slot_bytes, block_bytes;
static int fork_slot;
static uint64_t last_version; /* of thread 0's, on node 0 */
static struct tls_mirror *mirrors;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct tls_shown *tls_slot(int lane)
{
    return (struct tls_shown *)(void *)(slots + (size_t)lane * slot_bytes);
}

static void tls_measure(void)
{
    block_bytes = start_image.tls_bytes;
    slot_bytes = (sizeof(struct tls_shown) + block_bytes + PAGE - 1) & ~(PAGE - 1);
}

void *tls_create(int lanes)
{
    tls_measure();
    if (!start_sharing || block_bytes == 0)
        return NULL;
    void *all = hlrc_aligned_alloc(PAGE, (size_t)(lanes + 1) * slot_bytes);
    if (!all)
        start_fail("no shared memory for thread-local variables; raise --memory");
    return all;
}

void tls_begin(void *shown, int lanes)
{
    tls_measure();
    slots = shown;
    fork_slot = lanes;
    if (slots && !(mirrors = calloc((size_t)lanes, sizeof *mirrors)))
        start_fail("no memory for %d compute threads", lanes);
}

static void tls_show_in(int slot)
{
    if (!slots)
        return;
    struct tls_shown *s = tls_slot(slot);
    char *mine = image_tls();
    if (s->version && memcmp(s->bytes, mine, block_bytes) == 0)
        return;
    s->at = mine;
    s->version = lane_current->index == 0 ? ++last_version : s->version + 1;
    memcpy(s->bytes, mine, block_bytes);
}

void tls_show(void)
{
    tls_show_in(lane_current->index);
}

void tls_show_fork(void)
{
    tls_show_in(fork_slot);
}

/* Maps the memory twice, read-only at its own address. */
static void tls_map(struct tls_mirror *m, const struct tls_shown *s)
{
    char *page = (char *)((uintptr_t)s->at & ~(uintptr_t)(PAGE - 1));
    size_t before = (size_t)(s->at - page), len = (before + block_bytes + PAGE - 1) & ~(PAGE - 1);
    int fd = memfd_create("hlrc thread-local", MFD_CLOEXEC);
    char *p = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)len) == 0)
        p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED ||
        hlrc_addresses_map_at(page, len, PROT_READ, MAP_SHARED, fd) == MAP_FAILED)
        start_fail("no room for %zu bytes of another node's thread-local variables", len);
    close(fd);
    m->writable = p + before;
}

static void tls_see_in(int slot, int lane)
{
    if (!slots || start_node_of(lane) == hlrc_node_id())
        return;
    struct tls_mirror *m = &mirrors[lane];
    const struct tls_shown *s = tls_slot(slot);
    pthread_mutex_lock(&mutex);
    if (!m->writable)
        tls_map(m, s);
    if (m->version != s->version)
        memcpy(m->writable, s->bytes, block_bytes);
    m->version = s->version;
    pthread_mutex_unlock(&mutex);
}

void tls_see(int lane)
{
    tls_see_in(lane, lane);
}

void tls_see_fork(void)
{
    tls_see_in(fork_slot, 0);
}

/* ---- threads that move ---- */

void tls_take(void)
{
    const struct tls_shown *s = slots ? tls_slot(lane_current->index) : NULL;
    if (s && s->version)
        memcpy(image_tls(), s->bytes, block_bytes);
}

void tls_give(void)
{
    struct tls_shown *s = slots ? tls_slot(lane_current->index) : NULL;
    if (!s)
        return;
    s->at = image_tls();
    s->version++;
    memcpy(s->bytes, s->at, block_bytes);
}

void tls_hold(void)
{
    if (slots)
        mirrors[lane_current->index].writable = image_tls();
}
