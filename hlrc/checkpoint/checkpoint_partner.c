/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_partner.c - see checkpoint_partner.h. */
#include "hlrc/checkpoint/checkpoint_partner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/checkpoint/checkpoint_exchange.h"
#include "hlrc/checkpoint/checkpoint_room.h"
#include "hlrc/core/engine.h"

#define PIECE ((size_t)256 << 10)
#define SLOTS 3
/* Bytes that stay free: a part of all, and at most this number. */
#define SPARE_PART 32
#define SPARE_MOST ((int64_t)256 << 20)

/* A file of node `owner` passes from one node to another. */
struct checkpoint_partner_way {
    int to, from;            /* this node sends to one, and receives of the other */
    uint32_t sent, received; /* owners of these files */
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

/* ---- one file of each node ---- */

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
    return engine.config.partner[0] ? SLOTS * PIECE : 0;
}

static size_t checkpoint_partner_slot_at(unsigned slot)
{
    return engine.at.checkpoint_pieces + slot * PIECE;
}

static char *checkpoint_partner_slot(unsigned slot)
{
    return engine_control_at(checkpoint_partner_slot_at(slot));
}

static size_t checkpoint_partner_length(uint64_t bytes, uint64_t piece)
{
    uint64_t left = bytes > piece * PIECE ? bytes - piece * PIECE : 0;
    return left < PIECE ? (size_t)left : PIECE;
}

/* Slot 0 is for sending, slots 1 and 2 are the halves that other nodes write. */
static int checkpoint_partner_send(int fd, int to, uint64_t piece, size_t len)
{
    char *at = checkpoint_partner_slot(0);
    if (len == 0)
        return 0;
    ssize_t n = pread(fd, at, len, (off_t)(piece * PIECE));
    if (n != (ssize_t)len)
        return n < 0 ? -errno : -EBADMSG;
    checkpoint_exchange_write(to, checkpoint_partner_slot_at(1 + (unsigned)(piece & 1)), at, len);
    return 0;
}

static int checkpoint_partner_receive(int fd, uint64_t piece, size_t len)
{
    const char *at = checkpoint_partner_slot(1 + (unsigned)(piece & 1));
    int rc = len ? checkpoint_partner_room() : 0;
    ssize_t n = len && rc == 0 ? pwrite(fd, at, len, (off_t)(piece * PIECE)) : 0;
    if (rc)
        return rc;
    return n == (ssize_t)len ? 0 : n < 0 ? -errno : -ENOSPC;
}

static int checkpoint_partner_file(const char *dir, uint32_t generation, uint32_t owner, int flags)
{
    char path[PATH_MAX];
    checkpoint_manifest_file(path, sizeof path, dir, generation, owner);
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static uint64_t checkpoint_partner_pieces(const uint64_t *bytes)
{
    uint64_t most = 0;
    for (int n = 0; n < engine.nodes; n++)
        most = bytes[n] > most ? bytes[n] : most;
    return (most + PIECE - 1) / PIECE;
}

/* All nodes. `bytes`: of the files of all owners; gives and takes: this node takes part. */
static int checkpoint_partner_pass(const char *dir, uint32_t generation, const uint64_t *bytes,
                                   const struct checkpoint_partner_way *way, bool gives, bool takes)
{
    int rc = 0;
    int in = gives ? checkpoint_partner_file(dir, generation, way->sent, O_RDONLY) : -1;
    int out = takes ? checkpoint_partner_file(dir, generation, way->received,
                                              O_WRONLY | O_CREAT | O_TRUNC)
                    : -1;
    if ((gives && in < 0) || (takes && out < 0))
        rc = gives && in < 0 ? in : out;
    uint64_t pieces = checkpoint_partner_pieces(bytes);
    for (uint64_t k = 0; k < pieces; k++) {
        if (rc == 0 && gives)
            rc = checkpoint_partner_send(in, way->to, k,
                                         checkpoint_partner_length(bytes[way->sent], k));
        checkpoint_exchange(NULL, 0, NULL);
        if (rc == 0 && takes)
            rc = checkpoint_partner_receive(out, k,
                                            checkpoint_partner_length(bytes[way->received], k));
    }
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && rc == 0)
        rc = -errno;
    return rc;
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
