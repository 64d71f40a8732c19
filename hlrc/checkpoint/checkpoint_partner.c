/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_partner.c - see checkpoint_partner.h. */
#include "hlrc/checkpoint/checkpoint_partner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_exchange.h"
#include "hlrc/checkpoint/checkpoint_room.h"
#include "hlrc/checkpoint/checkpoint_store.h"
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

/* A file passes from one node to another. */
struct checkpoint_partner_move {
    int from, to;   /* from: -1: it has passed */
    uint32_t owner; /* the node that wrote it */
};

/* What this node sends and receives at the same time. */
struct checkpoint_partner_way {
    int to, from;            /* -1: nothing */
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

int checkpoint_partner_room(void)
{
    return checkpoint_room(SPARE_PART, SPARE_MOST) > 0 ? 0 : -ENOSPC;
}

/* ---- slots ---- */

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

/* All nodes, which agree before and after. `bytes`: of the files of all owners. */
static int checkpoint_partner_pass(const char *dir, uint32_t generation, const uint64_t *bytes,
                                   const struct checkpoint_partner_way *way)
{
    static uint64_t passes;
    struct checkpoint_partner_flow f = { .way = *way, .pass = ++passes, .in = -1, .out = -1 };
    if (way->to >= 0) {
        f.in = checkpoint_partner_file(dir, generation, way->sent, O_RDONLY);
        f.send_bytes = bytes[way->sent];
    }
    if (way->from >= 0) {
        f.out =
            checkpoint_partner_file(dir, generation, way->received, O_WRONLY | O_CREAT | O_TRUNC);
        f.receive_bytes = bytes[way->received];
    }
    if ((way->to >= 0 && f.in < 0) || (way->from >= 0 && f.out < 0))
        f.rc = way->to >= 0 && f.in < 0 ? f.in : f.out;
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

static int checkpoint_partner_agree(int64_t mine)
{
    static int64_t all[NODES_MAX];
    int rc = 0;
    checkpoint_exchange(&mine, sizeof mine, all);
    for (int n = 0; n < engine.nodes && rc == 0; n++)
        rc = (int)all[n];
    return rc;
}

/* The moves of a round: each node sends one file at most, and receives one at most. Returns their
 * number. */
static int checkpoint_partner_choose_round(struct checkpoint_partner_move *moves, int count,
                                           struct checkpoint_partner_way *way)
{
    static bool sends[NODES_MAX], receives[NODES_MAX];
    int chosen = 0;
    memset(sends, 0, sizeof sends);
    memset(receives, 0, sizeof receives);
    *way = (struct checkpoint_partner_way){ .to = -1, .from = -1 };
    for (struct checkpoint_partner_move *m = moves; m < moves + count; m++) {
        if (m->from < 0 || sends[m->from] || receives[m->to])
            continue;
        sends[m->from] = receives[m->to] = true;
        if (m->from == engine.node) {
            way->to = m->to;
            way->sent = m->owner;
        }
        if (m->to == engine.node) {
            way->from = m->from;
            way->received = m->owner;
        }
        m->from = -1;
        chosen++;
    }
    return chosen;
}

/* Collective; all nodes have the same moves. *mine: the error of this node, for a file of
 * *received. Returns the error of any. */
static int checkpoint_partner_move(const char *dir, const struct checkpoint_manifest *m, uint32_t g,
                                   struct checkpoint_partner_move *moves, int count, int *mine,
                                   uint32_t *received)
{
    struct checkpoint_partner_way way;
    int rc = 0;
    *mine = 0;
    while (rc == 0 && checkpoint_partner_choose_round(moves, count, &way) > 0) {
        *mine = checkpoint_partner_pass(dir, g, checkpoint_partner_row(m, g), &way);
        *received = way.received;
        rc = checkpoint_partner_agree(*mine);
    }
    return rc;
}

/* Each node's file, and a copy of it [checkpoint.other-store]. */
static int checkpoint_partner_moves_of_copies(struct checkpoint_partner_move *moves)
{
    int count = 0;
    for (int n = 0; n < engine.nodes; n++) {
        int partner = checkpoint_store_partner(n);
        if (partner >= 0)
            moves[count++] = (struct checkpoint_partner_move){ n, partner, (uint32_t)n };
    }
    return count;
}

int checkpoint_partner_copy(const char *dir, const struct checkpoint_manifest *m, uint32_t last)
{
    static struct checkpoint_partner_move moves[NODES_MAX];
    int mine = 0, count = checkpoint_partner_moves_of_copies(moves);
    uint32_t received = 0;
    int rc = checkpoint_partner_move(dir, m, m->generation, moves, count, &mine, &received);
    if (mine)
        diag_warn("checkpoint %u: copy of the file of node %u in %s: %s; checkpoint %u is the last "
                  "complete one",
                  m->generation, received, dir, strerror(-mine), last);
    return rc;
}

/* ---- recovery ---- */

/* has[node * nodes + owner]: the store of the node has the file of the owner. Collective. */
static int checkpoint_partner_gather(const char *dir, const struct checkpoint_manifest *m,
                                     uint32_t g, unsigned char *has)
{
    static unsigned char mine[NODES_MAX];
    for (uint32_t owner = 0; owner < m->nodes; owner++)
        mine[owner] = checkpoint_manifest_has_file(dir, m, g, owner);
    return boot_exchange(engine.boot, mine, m->nodes, has);
}

/* The first node whose store has it, or -1. */
static int checkpoint_partner_source(const unsigned char *has, int owner)
{
    for (int n = 0; n < engine.nodes; n++)
        if (has[n * engine.nodes + owner])
            return n;
    return -1;
}

/* Files that nodes do not have, then copies that do not exist. */
static int checkpoint_partner_recover_one(const char *dir, const struct checkpoint_manifest *m,
                                          uint32_t g, unsigned char *has)
{
    static struct checkpoint_partner_move moves[NODES_MAX];
    int mine = 0, count = 0, kept = 0;
    uint32_t received = 0;
    int rc = checkpoint_partner_gather(dir, m, g, has);
    for (int n = 0; n < engine.nodes && rc == 0; n++) {
        int from = checkpoint_partner_source(has, n);
        if (from < 0)
            rc = -ENOENT;
        else if (!has[n * engine.nodes + n])
            moves[count++] = (struct checkpoint_partner_move){ from, n, (uint32_t)n };
    }
    if (rc == 0)
        rc = checkpoint_partner_move(dir, m, g, moves, count, &mine, &received);
    count = checkpoint_partner_moves_of_copies(moves);
    for (int i = 0; i < count; i++)
        if (!has[moves[i].to * engine.nodes + moves[i].from])
            moves[kept++] = moves[i];
    return rc ? rc : checkpoint_partner_move(dir, m, g, moves, kept, &mine, &received);
}

/* The manifest is written after all files are there [checkpoint.copy-first]. */
int checkpoint_partner_recover(const char *dir, const struct checkpoint_manifest *m)
{
    char path[PATH_MAX];
    unsigned char *has = malloc((size_t)engine.nodes * (size_t)engine.nodes);
    int rc = has ? 0 : -ENOMEM;
    rc = checkpoint_partner_agree(rc);
    for (uint32_t g = m->base; g <= m->generation && rc == 0 && engine.nodes > 1; g++)
        rc = checkpoint_partner_recover_one(dir, m, g, has);
    free(has);
    checkpoint_manifest_path(path, sizeof path, dir, m->generation);
    if (rc || !checkpoint_store_leads(engine.node))
        return rc;
    if (access(path, F_OK) != 0)
        rc = checkpoint_manifest_write(dir, m, &engine.config);
    checkpoint_manifest_clean_newer(dir, m->generation); /* [checkpoint.newer-removed] */
    return rc;
}

void checkpoint_partner_discard(const char *dir, const struct checkpoint_manifest *m)
{
    char path[PATH_MAX];
    (void)unlink(checkpoint_manifest_path(path, sizeof path, dir, m->generation));
    for (int n = 0; n < engine.nodes; n++)
        if (n == engine.node || checkpoint_store_partner(n) == engine.node)
            (void)unlink(
                checkpoint_manifest_file(path, sizeof path, dir, m->generation, (uint32_t)n));
}
