/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_partner.c - see checkpoint_partner.h. */
#include "hlrc/checkpoint/checkpoint_partner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_exchange.h"
#include "hlrc/checkpoint/checkpoint_room.h"
#include "hlrc/core/engine.h"

#define PIECE          ((size_t)256 << 10)
#define RING           4          /* slots for pieces that have arrived */
#define SLOTS          (RING + 1) /* and one for sending */
#define ROOM_PIECES    16         /* between two looks at the room */
#define SLEEP_LEAST_NS 20000
#define SLEEP_MOST_NS  200000
/* Bytes that stay free: a part of all, and at most this number. */
#define SPARE_PART 32
#define SPARE_MOST ((int64_t)256 << 20)

/* A file of node `owner` passes from one node to another. */
struct checkpoint_partner_way {
    int to, from;            /* this node sends to one, and receives of the other */
    uint32_t sent, received; /* owners of these files */
};

/* In the control window. Each has the number of the pass in its upper half. */
struct checkpoint_partner_counts {
    _Atomic uint64_t arrived; /* pieces for this node: written by their sender */
    _Atomic uint64_t taken;   /* pieces of this node: written by their receiver */
};

/* A file to another node, and one from another node. */
struct checkpoint_partner_flow {
    struct checkpoint_partner_way way;
    uint64_t pass;
    int in, out, rc;
    uint64_t send_bytes, receive_bytes;
    uint64_t sent, received; /* pieces */
};

/* Of one node: the file that it does not have. */
struct checkpoint_partner_lack {
    int64_t rc;
    bool own, copy;
};

static uint32_t checkpoint_partner_of(int node)
{
    return (uint32_t)((node + 1) % engine.nodes);
}

static uint32_t checkpoint_partner_previous(void)
{
    return (uint32_t)((engine.node + engine.nodes - 1) % engine.nodes);
}

int checkpoint_partner_open(const char *root, char path[PATH_MAX])
{
    if (!root[0] || boot_launcher(engine.boot) != BOOT_HLRCRUN)
        return 0;
    checkpoint_manifest_node_dir(path, PATH_MAX, root, (uint32_t)engine.node);
    int rc = mkdir(path, 0700) != 0 && errno != EEXIST ? -errno : 0;
    if (rc)
        diag_report(1, "--partner: %s: %s", path, strerror(-rc));
    return rc;
}

int checkpoint_partner_room(void)
{
    return checkpoint_room(SPARE_PART, SPARE_MOST) > 0 ? 0 : -ENOSPC;
}

/* ---- slots ---- */

/* Copies pass to the partner, lost files back from it. */
static struct checkpoint_partner_way checkpoint_partner_way_of(bool back)
{
    uint32_t me = (uint32_t)engine.node, next = checkpoint_partner_of(engine.node);
    uint32_t previous = checkpoint_partner_previous();
    if (back)
        return (struct checkpoint_partner_way){ (int)previous, (int)next, previous, me };
    return (struct checkpoint_partner_way){ (int)next, (int)previous, me, previous };
}

size_t checkpoint_partner_bytes(void)
{
    return engine.config.partner[0] ? SLOTS * PIECE + sizeof(struct checkpoint_partner_counts) : 0;
}

static size_t checkpoint_partner_slot_at(uint64_t slot)
{
    return engine.at.checkpoint_pieces + slot * PIECE;
}

static char *checkpoint_partner_slot(uint64_t slot)
{
    return engine_control_at(checkpoint_partner_slot_at(slot));
}

static uint64_t checkpoint_partner_pieces(uint64_t bytes)
{
    return (bytes + PIECE - 1) / PIECE;
}

static size_t checkpoint_partner_length(uint64_t bytes, uint64_t piece)
{
    uint64_t left = bytes - piece * PIECE;
    return left < PIECE ? (size_t)left : PIECE;
}

/* ---- counts ---- */

static size_t checkpoint_partner_counts_at(void)
{
    return checkpoint_partner_slot_at(SLOTS);
}

static struct checkpoint_partner_counts *checkpoint_partner_counts(void)
{
    return engine_control_at(checkpoint_partner_counts_at());
}

/* A count of an earlier pass is none. */
static uint64_t checkpoint_partner_count(const struct checkpoint_partner_flow *f,
                                         const _Atomic uint64_t *word)
{
    uint64_t value = atomic_load_explicit(word, memory_order_acquire);
    return value >> 32 == f->pass ? (uint32_t)value : 0;
}

static void checkpoint_partner_notify(const struct checkpoint_partner_flow *f, int node,
                                      size_t field, uint64_t count)
{
    uint64_t value = f->pass << 32 | count;
    checkpoint_exchange_write(node, checkpoint_partner_counts_at() + field, &value, sizeof value);
}

/* ---- pieces ---- */

/* Slot 0 is for sending, the others are those that the sender of this node writes. */
static int checkpoint_partner_send_piece(struct checkpoint_partner_flow *f)
{
    char *at = checkpoint_partner_slot(0);
    size_t len = checkpoint_partner_length(f->send_bytes, f->sent);
    ssize_t n = pread(f->in, at, len, (off_t)(f->sent * PIECE));
    if (n != (ssize_t)len)
        return n < 0 ? -errno : -EBADMSG;
    checkpoint_exchange_write(f->way.to, checkpoint_partner_slot_at(1 + f->sent % RING), at, len);
    return 0;
}

static int checkpoint_partner_store_piece(struct checkpoint_partner_flow *f)
{
    const char *at = checkpoint_partner_slot(1 + f->received % RING);
    size_t len = checkpoint_partner_length(f->receive_bytes, f->received);
    int rc = f->received % ROOM_PIECES == 0 ? checkpoint_partner_room() : 0;
    ssize_t n = rc == 0 ? pwrite(f->out, at, len, (off_t)(f->received * PIECE)) : 0;
    if (rc)
        return rc;
    return n == (ssize_t)len ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* False: there is no free slot, or no piece left. */
static bool checkpoint_partner_send(struct checkpoint_partner_flow *f)
{
    uint64_t taken = checkpoint_partner_count(f, &checkpoint_partner_counts()->taken);
    if (f->sent == checkpoint_partner_pieces(f->send_bytes) || f->sent - taken >= RING)
        return false;
    if (f->rc == 0)
        f->rc = checkpoint_partner_send_piece(f);
    checkpoint_partner_notify(f, f->way.to, offsetof(struct checkpoint_partner_counts, arrived),
                              ++f->sent);
    return true;
}

static bool checkpoint_partner_receive(struct checkpoint_partner_flow *f)
{
    if (checkpoint_partner_count(f, &checkpoint_partner_counts()->arrived) == f->received)
        return false;
    if (f->rc == 0)
        f->rc = checkpoint_partner_store_piece(f);
    checkpoint_partner_notify(f, f->way.from, offsetof(struct checkpoint_partner_counts, taken),
                              ++f->received);
    return true;
}

/* Other threads of the program compute: sleeps while there is nothing to do, longer each time. */
static void checkpoint_partner_flow(struct checkpoint_partner_flow *f)
{
    long ns = SLEEP_LEAST_NS;
    while (f->sent < checkpoint_partner_pieces(f->send_bytes) ||
           f->received < checkpoint_partner_pieces(f->receive_bytes)) {
        bool sent = checkpoint_partner_send(f), received = checkpoint_partner_receive(f);
        if (sent || received) {
            ns = SLEEP_LEAST_NS;
            continue;
        }
        nanosleep(&(struct timespec){ 0, ns }, NULL);
        ns = 2 * ns < SLEEP_MOST_NS ? 2 * ns : SLEEP_MOST_NS;
    }
}

/* ---- one file of each node ---- */

static int checkpoint_partner_file(const char *dir, uint32_t generation, uint32_t owner, int flags)
{
    char path[PATH_MAX];
    checkpoint_manifest_file(path, sizeof path, dir, generation, owner);
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

/* All nodes, which agree before and after. `bytes`: of the files of all owners; gives and takes:
 * this node takes part. */
static int checkpoint_partner_pass(const char *dir, uint32_t generation, const uint64_t *bytes,
                                   const struct checkpoint_partner_way *way, bool gives, bool takes)
{
    static uint64_t passes;
    struct checkpoint_partner_flow f = { .way = *way, .pass = ++passes, .in = -1, .out = -1 };
    if (gives) {
        f.in = checkpoint_partner_file(dir, generation, way->sent, O_RDONLY);
        f.send_bytes = bytes[way->sent];
    }
    if (takes) {
        f.out =
            checkpoint_partner_file(dir, generation, way->received, O_WRONLY | O_CREAT | O_TRUNC);
        f.receive_bytes = bytes[way->received];
    }
    if ((gives && f.in < 0) || (takes && f.out < 0))
        f.rc = gives && f.in < 0 ? f.in : f.out;
    checkpoint_partner_flow(&f);
    if (f.in >= 0)
        close(f.in);
    if (f.out >= 0 && close(f.out) != 0 && f.rc == 0)
        f.rc = -errno;
    return f.rc;
}

/* ---- all of a checkpoint ---- */

static const uint64_t *checkpoint_partner_row(const struct checkpoint_manifest *m, uint32_t g)
{
    return m->bytes + (size_t)(g - m->base) * m->nodes;
}

static int checkpoint_partner_agree(const struct checkpoint_partner_lack *mine,
                                    struct checkpoint_partner_lack *all)
{
    int rc = 0;
    checkpoint_exchange(mine, sizeof *mine, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        rc = (int)all[n].rc;
    return rc;
}

int checkpoint_partner_copy(const char *dir, const struct checkpoint_manifest *m, uint32_t last)
{
    static struct checkpoint_partner_lack all[NODES_MAX];
    struct checkpoint_partner_way way = checkpoint_partner_way_of(false);
    struct checkpoint_partner_lack mine = { 0 };
    mine.rc = checkpoint_partner_pass(dir, m->generation, checkpoint_partner_row(m, m->generation),
                                      &way, true, true);
    if (mine.rc)
        diag_warn("checkpoint %u: copy of the file of node %u in %s: %s; checkpoint %u is the last "
                  "complete one",
                  m->generation, way.received, dir, strerror((int)-mine.rc), last);
    return checkpoint_partner_agree(&mine, all);
}

static bool checkpoint_partner_lacks(const char *dir, const struct checkpoint_manifest *m,
                                     uint32_t generation, uint32_t owner)
{
    return !checkpoint_manifest_has_file(dir, m, generation, owner);
}

static bool checkpoint_partner_any(const struct checkpoint_partner_lack *all, bool own)
{
    bool any = false;
    for (int n = 0; n < engine.nodes; n++)
        any |= own ? all[n].own : all[n].copy;
    return any;
}

static int checkpoint_partner_fetch_one(const char *dir, const struct checkpoint_manifest *m,
                                        uint32_t g)
{
    static struct checkpoint_partner_lack all[NODES_MAX], after[NODES_MAX];
    const uint64_t *bytes = checkpoint_partner_row(m, g);
    struct checkpoint_partner_lack mine = {
        0, checkpoint_partner_lacks(dir, m, g, (uint32_t)engine.node),
        checkpoint_partner_lacks(dir, m, g, checkpoint_partner_previous())
    };
    int rc = checkpoint_partner_agree(&mine, all);
    for (int back = 1; back >= 0 && rc == 0; back--) {
        struct checkpoint_partner_way way = checkpoint_partner_way_of(back);
        if (!checkpoint_partner_any(all, back))
            continue;
        mine.rc =
            checkpoint_partner_pass(dir, g, bytes, &way, back ? all[way.to].own : all[way.to].copy,
                                    back ? mine.own : mine.copy);
        rc = checkpoint_partner_agree(&mine, after);
    }
    return rc;
}

/* The manifest is written after all files are there [checkpoint.copy-first]. */
int checkpoint_partner_recover(const char *dir, const struct checkpoint_manifest *m)
{
    char path[PATH_MAX];
    int rc = 0;
    for (uint32_t g = m->base; g <= m->generation && rc == 0 && engine.nodes > 1; g++)
        rc = checkpoint_partner_fetch_one(dir, m, g);
    checkpoint_manifest_path(path, sizeof path, dir, m->generation);
    if (rc == 0 && access(path, F_OK) != 0)
        rc = checkpoint_manifest_write(dir, m, &engine.config);
    return rc;
}

void checkpoint_partner_discard(const char *dir, const struct checkpoint_manifest *m)
{
    char path[PATH_MAX];
    (void)unlink(checkpoint_manifest_path(path, sizeof path, dir, m->generation));
    (void)unlink(
        checkpoint_manifest_file(path, sizeof path, dir, m->generation, (uint32_t)engine.node));
    (void)unlink(checkpoint_manifest_file(path, sizeof path, dir, m->generation,
                                          checkpoint_partner_previous()));
}
