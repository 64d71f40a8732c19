/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_choice.c - see checkpoint_choice.h. */
#include "hlrc/checkpoint/checkpoint_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"

/* Of one node. */
struct checkpoint_choice_found {
    uint32_t memory, disk; /* newest manifests; 0: none */
    uint64_t bytes;        /* of the one in memory */
};

/* The newest one in memory that was lost, and a node of which no file is left. */
struct checkpoint_choice_loss {
    uint32_t generation, node;
};

/* Each node contributes `len` bytes; that of one node is returned in *out, to be freed. */
static int checkpoint_choice_share(const void *mine, size_t len, int from, char **out)
{
    char *all = malloc((size_t)engine.nodes * len);
    if (!all)
        return -ENOMEM;
    int rc = boot_exchange(engine.boot, mine, len, all);
    memmove(all, all + (size_t)from * len, len);
    *out = all;
    return rc;
}

/* The manifest of the node that has it. */
static int checkpoint_choice_manifest(const char *store, uint32_t generation, size_t len, int from,
                                      struct checkpoint_manifest *m)
{
    char path[PATH_MAX], *text = NULL, *mine = calloc(1, len + 1);
    if (!mine)
        return -ENOMEM;
    checkpoint_manifest_path(path, sizeof path, store, generation);
    FILE *in = from == engine.node ? fopen(path, "re") : NULL;
    size_t got = in ? fread(mine, 1, len, in) : 0;
    if (in)
        fclose(in);
    int rc = checkpoint_choice_share(mine, len, from, &text);
    free(mine);
    (void)got; /* a short text has another digest */
    if (rc == 0)
        rc = checkpoint_manifest_adopt(text, len, m);
    free(text);
    return rc;
}

/* Bit n: file n of all rows is in this node's store. */
static void checkpoint_choice_look(const char *store, const struct checkpoint_manifest *m,
                                   unsigned char *bits, uint32_t files)
{
    for (uint32_t i = 0; i < files; i++)
        if (checkpoint_manifest_has_file(store, m, m->base + i / m->nodes, i % m->nodes))
            bits[i / 8] = (unsigned char)(bits[i / 8] | 1u << i % 8);
}

/* 0: each file is in a store; 1: a file of *node is in none; or a negative errno. */
static int checkpoint_choice_check(const char *store, const struct checkpoint_manifest *m,
                                   uint32_t *node)
{
    uint32_t files = (m->generation - m->base + 1) * m->nodes;
    size_t len = (files + 7) / 8;
    unsigned char *mine = calloc(1, len), *all = calloc((size_t)engine.nodes, len);
    int rc = mine && all ? 0 : -ENOMEM;
    if (rc == 0) {
        checkpoint_choice_look(store, m, mine, files);
        rc = boot_exchange(engine.boot, mine, len, all);
    }
    for (uint32_t i = 0; i < files && rc == 0; i++) {
        unsigned char any = 0;
        for (int n = 0; n < engine.nodes; n++)
            any = (unsigned char)(any | (all[(size_t)n * len + i / 8] >> i % 8 & 1u));
        rc = any ? 0 : 1;
        *node = i % m->nodes;
    }
    free(mine);
    free(all);
    return rc;
}

/* The newest one in memory, and node 0's view of the disk. */
static int checkpoint_choice_gather(const char *store, const char *disk,
                                    struct checkpoint_choice_found *best, int *from)
{
    static struct checkpoint_choice_found all[NODES_MAX];
    char path[PATH_MAX];
    struct checkpoint_choice_found mine = { .memory = checkpoint_manifest_newest(store) };
    if (engine.node == 0)
        mine.disk = checkpoint_manifest_newest(disk);
    FILE *in = fopen(checkpoint_manifest_path(path, sizeof path, store, mine.memory), "re");
    if (in && fseek(in, 0, SEEK_END) == 0)
        mine.bytes = (uint64_t)ftell(in);
    if (in)
        fclose(in);
    int rc = boot_exchange(engine.boot, &mine, sizeof mine, all);
    *best = (struct checkpoint_choice_found){ .disk = all[0].disk };
    for (int n = 0; n < engine.nodes; n++)
        if (all[n].memory > best->memory) {
            best->memory = all[n].memory;
            best->bytes = all[n].bytes;
            *from = n;
        }
    return rc;
}

/* By node 0; the launcher then ends the others. */
static int checkpoint_choice_refuse(const struct checkpoint_choice_loss *loss, uint32_t on_disk,
                                    const char *disk)
{
    char newest[PATH_MAX + 80] = "no checkpoint is on a disk";
    if (on_disk > 0)
        snprintf(newest, sizeof newest,
                 "checkpoint %" PRIu32 " is the newest: hlrcrun --restart %s", on_disk, disk);
    if (engine.node != 0)
        (void)boot_exchange(engine.boot, NULL, 0, NULL);
    else if (loss->generation == 0)
        diag_report(1, "not continued: no checkpoint of this job is complete");
    else
        diag_report(1,
                    "not continued: checkpoint %" PRIu32
                    " in memory is lost, since no copy of node %" PRIu32 " is left; %s",
                    loss->generation, loss->node, newest);
    return -ENOENT;
}

int checkpoint_choice_make(const char *store, const char *disk, struct checkpoint_manifest *m)
{
    struct checkpoint_choice_found best;
    struct checkpoint_choice_loss loss = { 0, 0 };
    char path[PATH_MAX];
    for (;;) {
        uint32_t node = 0;
        int from = 0, rc = checkpoint_choice_gather(store, disk, &best, &from);
        if (rc)
            return rc;
        if (best.memory <= best.disk && (best.disk == 0 || loss.generation > best.disk))
            return checkpoint_choice_refuse(&loss, best.disk, disk);
        if (best.memory <= best.disk) {
            checkpoint_manifest_clean_newer(store, 0); /* [checkpoint.newer-removed] */
            return 0;
        }
        rc = checkpoint_choice_manifest(store, best.memory, best.bytes, from, m);
        if (rc == 0)
            rc = checkpoint_choice_check(store, m, &node);
        if (rc == 0)
            return 1;
        if (rc < 0 && rc != -EBADMSG)
            return rc;
        checkpoint_manifest_free(m);
        if (loss.generation == 0)
            loss = (struct checkpoint_choice_loss){ best.memory, node };
        (void)unlink(checkpoint_manifest_path(path, sizeof path, store, best.memory));
    }
}
