/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_text.c - prints the report of --profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/profile_data.h"

#define SHOWN   20            /* blocks, lines of false sharing, locks */
#define COLUMNS PROFILE_parts /* counts that each block has */

/* The nodes for which it holds: "0 1 2". */
static void profile_text_put_nodes(FILE *out, const struct json_read *block,
                                   bool (*holds)(const struct json_read *part))
{
    int node = 0;
    bool some = false;
    for (JSON_READ_EACH(part, json_read_list(block, "by_node"))) {
        if (holds(part))
            fprintf(out, " %d", node);
        some |= holds(part);
        node++;
    }
    if (!some)
        fputs(" none", out);
}

static bool profile_text_writes(const struct json_read *part)
{
    return strcmp(json_read_text(part, "writes"), "true") == 0;
}

static bool profile_text_reads(const struct json_read *part)
{
    return json_read_count(part, "fetches") || json_read_count(part, "read_faults");
}

static void profile_text_put_block(FILE *out, const struct json_read *block)
{
    char name[PROFILE_NAME];
    uint64_t bytes = json_read_count(block, "part_bytes"), words = json_read_count(block, "words");
    fprintf(out, "%12.6f", json_read_number(block, "seconds"));
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, " %13" PRIu64, json_read_count(block, profile_data_counts[k]));
    fprintf(out, " %8" PRIu64 "  %s\n%14swritten by", json_read_count(block, "pages"),
            profile_data_name(block, name, sizeof name), "");
    profile_text_put_nodes(out, block, profile_text_writes);
    fputs(", read by", out);
    profile_text_put_nodes(out, block, profile_text_reads);
    fputs("; seconds by node:", out);
    for (JSON_READ_EACH(part, json_read_list(block, "by_node")))
        fprintf(out, " %.6f", json_read_number(part, "seconds"));
    if (json_read_count(block, "parts"))
        fprintf(out, "; %" PRIu64 " bytes by hlrc_get and hlrc_put", bytes);
    if (words)
        fprintf(out, "; %" PRIu64 " operations on words", words);
    fputc('\n', out);
}

static void profile_text_put_blocks(FILE *out, const struct json_read *profile)
{
    uint32_t count = 0;
    fprintf(out, "%12s", "seconds");
    for (int k = 0; k < COLUMNS; k++)
        fprintf(out, " %13s", profile_data_counts[k]);
    fprintf(out, " %8s  allocated by, size\n", "pages");
    for (JSON_READ_EACH(block, json_read_list(profile, "blocks")))
        if (count++ < SHOWN)
            profile_text_put_block(out, block);
    if (count > SHOWN)
        fprintf(out, "%12s %" PRIu32 " blocks more, which cost less\n", "", count - SHOWN);
}

static void profile_text_put_false(FILE *out, const struct json_read *block)
{
    const struct json_read *f = json_read_member(block, "false_sharing");
    char name[PROFILE_NAME];
    uint64_t pages = json_read_count(f, "pages"), other = json_read_count(f, "other_bytes");
    fprintf(out, "hlrc: false sharing: %" PRIu64 " page%s of %s", pages, pages > 1 ? "s" : "",
            profile_data_name(block, name, sizeof name));
    if (other)
        fprintf(out, ", and the block of %" PRIu64 " bytes at %s", other,
                json_read_text(f, "other"));
    fputs(": nodes", out);
    for (JSON_READ_EACH(node, json_read_list(f, "nodes")))
        fprintf(out, " %s", node->text);
    fprintf(out, " write different bytes and do not read each other's; %s; would save %.6f s\n",
            json_read_text(f, "cure"), json_read_number(f, "saves_seconds"));
}

static void profile_text_put_locks(FILE *out, const struct json_read *profile)
{
    struct profile_data_lock *lock;
    size_t count = profile_data_locks(profile, &lock);
    if (count > 0)
        fprintf(out, "%12s %13s %13s  lock\n", "wait seconds", "waits", "from others");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        fprintf(out, "%12.6f %13" PRIu64 " %13" PRIu64 "  ", lock[i].seconds, lock[i].waits,
                lock[i].hands);
        fprintf(out, lock[i].lock < 0 ? "all others\n" : "%" PRId64 "\n", lock[i].lock);
    }
    if (count > SHOWN)
        fprintf(out, "%12s %zu locks more, which were waited for less\n", "", count - SHOWN);
    free(lock);
}

static void profile_text_put_barriers(FILE *out, const struct json_read *profile)
{
    const struct json_read *nodes = json_read_list(profile, "by_node");
    double least = 0, most = 0;
    for (JSON_READ_EACH(node, nodes)) {
        double s = json_read_number(node, "barrier_seconds");
        least = node == nodes || s < least ? s : least;
        most = s > most ? s : most;
    }
    fprintf(out, "hlrc: barriers: %" PRIu64 "; imbalance %.6f s; seconds waited by node:",
            nodes ? json_read_count(nodes, "barriers") : 0, most - least);
    for (JSON_READ_EACH(node, nodes))
        fprintf(out, " %.6f", json_read_number(node, "barrier_seconds"));
    fputc('\n', out);
}

void profile_text(FILE *out, const struct json_read *profile)
{
    uint64_t nodes = json_read_count(profile, "nodes");
    uint32_t lines = 0;
    fprintf(out,
            "hlrc: profile: protocol %s, %" PRIu64 " node%s, %.6f s; seconds, summed over all "
            "threads\n",
            json_read_text(profile, "protocol"), nodes, nodes > 1 ? "s" : "",
            json_read_number(profile, "wall_seconds"));
    profile_text_put_blocks(out, profile);
    for (JSON_READ_EACH(block, json_read_list(profile, "blocks")))
        if (json_read_list(block, "false_sharing") && lines++ < SHOWN)
            profile_text_put_false(out, block);
    profile_text_put_locks(out, profile);
    profile_text_put_barriers(out, profile);
    profile_advise(out, profile);
}
