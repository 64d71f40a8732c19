/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats_print.c - the statistics of a job: a table for people, or JSON for programs. */
#include "hlrc/probe/stats.h"

#include <assert.h>
#include <errno.h>
#include <hlrc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/counts.h"
#include "base/diag.h"
#include "base/outfile.h"

#define SECONDS(X) \
    X(wall_s)      \
    X(compute_s) X(page_s) X(lock_s) X(barrier_s) X(diff_s) X(handler_s) X(fault_s) X(kernel_s)

struct stats_print_field {
    const char *name;
    size_t offset;
    bool seconds;
};

#define SECONDS_FIELD(name) { #name, offsetof(struct hlrc_stats, name), true },
#define COUNTS_FIELD(name)  { #name, offsetof(struct hlrc_stats, name), false },
static const struct stats_print_field fields[] = { SECONDS(SECONDS_FIELD) HLRC_COUNTS(COUNTS_FIELD)
                                                       COUNTS_FIELD(minor_faults) };
#define FIELDS (sizeof fields / sizeof fields[0])

/* A new field of the struct has to be added above, or to HLRC_COUNTS. */
static_assert(sizeof(struct hlrc_stats) == sizeof(size_t) + FIELDS * 8,
              "every field of struct hlrc_stats is listed");

/* A table has at most 80 columns, unless a count has more than 11 digits. */
#define COLUMNS    4 /* nodes that have a column each */
#define WIDTH      11
#define NAME_WIDTH 19
#define NODE_WIDTH 5

static double stats_print_seconds_of(const struct hlrc_stats *s, const struct stats_print_field *f)
{
    double value;
    memcpy(&value, (const char *)s + f->offset, sizeof value);
    return value > 0 ? value : 0;
}

static uint64_t stats_print_count_of(const struct hlrc_stats *s, const struct stats_print_field *f)
{
    uint64_t value;
    memcpy(&value, (const char *)s + f->offset, sizeof value);
    return value;
}

/* With a decimal point in any locale; 1, 3 or 6 digits after it. */
static void stats_print_text_decimal(double value, int digits, char *buf, size_t len)
{
    unsigned long long unit = digits == 1 ? 10 : digits == 3 ? 1000 : 1000000;
    unsigned long long parts = (unsigned long long)(value * (double)unit + 0.5);
    snprintf(buf, len, "%llu.%0*llu", parts / unit, digits, parts % unit);
}

static void stats_print_text_of(const struct hlrc_stats *s, const struct stats_print_field *f,
                                int digits, char *buf, size_t len)
{
    if (f->seconds)
        stats_print_text_decimal(stats_print_seconds_of(s, f), digits, buf, len);
    else
        snprintf(buf, len, "%llu", (unsigned long long)stats_print_count_of(s, f));
}

/* All nodes: counts are added, seconds averaged, so that they are comparable with one
 * node's. */
static void stats_print_text_total(const struct stats_report *r, const struct stats_print_field *f,
                                   char *buf, size_t len)
{
    double seconds = 0;
    uint64_t count = 0;
    for (int n = 0; n < r->count; n++) {
        if (f->seconds)
            seconds += stats_print_seconds_of(&r->stats[n], f);
        else
            count += stats_print_count_of(&r->stats[n], f);
    }
    if (f->seconds)
        stats_print_text_decimal(seconds / r->count, 3, buf, len);
    else
        snprintf(buf, len, "%llu", (unsigned long long)count);
}

static double stats_print_wall_of(const struct stats_report *r)
{
    double wall = 0;
    for (int n = 0; n < r->count; n++)
        wall = r->stats[n].wall_s > wall ? r->stats[n].wall_s : wall;
    return wall;
}

static const char *stats_print_protocol_name(const struct stats_report *r, char *buf, size_t len)
{
    return config_value(r->config, CONFIG_ID_protocol, buf, len);
}

static int stats_print_number_of(const struct stats_report *r, int index)
{
    return r->node ? r->node[index] : index;
}

/* For few nodes: a row per field, a column per node. */
static void stats_print_table_by_node(FILE *out, const struct stats_report *r)
{
    char text[32];
    fprintf(out, "%-*s", NAME_WIDTH, "");
    for (int n = 0; n < r->count; n++) {
        snprintf(text, sizeof text, "node %d", stats_print_number_of(r, n));
        fprintf(out, " %*s", WIDTH, text);
    }
    fprintf(out, " %*s\n", WIDTH, "all");
    for (const struct stats_print_field *f = fields; f < fields + FIELDS; f++) {
        fprintf(out, "%-*s", NAME_WIDTH, f->name);
        for (int n = 0; n < r->count; n++) {
            stats_print_text_of(&r->stats[n], f, 3, text, sizeof text);
            fprintf(out, " %*s", WIDTH, text);
        }
        stats_print_text_total(r, f, text, sizeof text);
        fprintf(out, " %*s\n", WIDTH, text);
    }
}

static bool stats_print_is_more(const struct hlrc_stats *a, const struct hlrc_stats *b,
                                const struct stats_print_field *f)
{
    return f->seconds ? stats_print_seconds_of(a, f) > stats_print_seconds_of(b, f)
                      : stats_print_count_of(a, f) > stats_print_count_of(b, f);
}

/* The value of a node, and the node. */
static void stats_print_put_extreme(FILE *out, const struct stats_report *r,
                                    const struct stats_print_field *f, int index)
{
    char text[32];
    stats_print_text_of(&r->stats[index], f, 3, text, sizeof text);
    fprintf(out, " %*s %*d", WIDTH, text, NODE_WIDTH, stats_print_number_of(r, index));
}

static void stats_print_put_mean(FILE *out, const struct stats_report *r,
                                 const struct stats_print_field *f)
{
    double sum = 0;
    char text[32];
    for (int n = 0; n < r->count; n++)
        sum += f->seconds ? stats_print_seconds_of(&r->stats[n], f)
                          : (double)stats_print_count_of(&r->stats[n], f);
    stats_print_text_decimal(sum / r->count, f->seconds ? 3 : 1, text, sizeof text);
    fprintf(out, " %*s", WIDTH, text);
}

/* For many nodes: the least and the greatest value of each field, with the first node that has it,
 * and the mean. */
static void stats_print_table_of_extremes(FILE *out, const struct stats_report *r)
{
    char text[32];
    fprintf(out, "%-*s %*s %*s %*s %*s %*s %*s\n", NAME_WIDTH, "", WIDTH, "min", NODE_WIDTH, "node",
            WIDTH, "mean", WIDTH, "max", NODE_WIDTH, "node", WIDTH, "all");
    for (const struct stats_print_field *f = fields; f < fields + FIELDS; f++) {
        int least = 0, most = 0;
        for (int n = 1; n < r->count; n++) {
            least = stats_print_is_more(&r->stats[least], &r->stats[n], f) ? n : least;
            most = stats_print_is_more(&r->stats[n], &r->stats[most], f) ? n : most;
        }
        fprintf(out, "%-*s", NAME_WIDTH, f->name);
        stats_print_put_extreme(out, r, f, least);
        stats_print_put_mean(out, r, f);
        stats_print_put_extreme(out, r, f, most);
        stats_print_text_total(r, f, text, sizeof text);
        fprintf(out, " %*s\n", WIDTH, text);
    }
}

static void stats_print_write_table(FILE *out, const struct stats_report *r)
{
    char name[32], wall[32];
    const char *s = r->nodes == 1 ? "" : "s";
    stats_print_text_decimal(stats_print_wall_of(r), 3, wall, sizeof wall);
    fprintf(out, "hlrc: statistics: protocol %s, fabric %s, %d node%s, %s s\n",
            stats_print_protocol_name(r, name, sizeof name), r->config->fabric, r->nodes, s, wall);
    if (!r->complete)
        fprintf(out, "hlrc: statistics: before the end of the job, of %d of %d node%s\n", r->count,
                r->nodes, s);
    fputs("hlrc: all: seconds averaged, counts added", out);
    fputs(r->count > COLUMNS ? "; --stats=FILE.json has each node\n" : "\n", out);
    if (r->count > COLUMNS)
        stats_print_table_of_extremes(out, r);
    else if (r->count > 0)
        stats_print_table_by_node(out, r);
}

static void stats_print_write_json(FILE *out, const struct stats_report *r)
{
    char text[32];
    fprintf(out, "{\"protocol\": \"%s\", ", stats_print_protocol_name(r, text, sizeof text));
    stats_print_text_decimal(stats_print_wall_of(r), 6, text, sizeof text);
    fprintf(out, "\"fabric\": \"%s\", \"nodes\": %d, \"wall_s\": %s, %s\"per_node\": [",
            r->config->fabric, r->nodes, text, r->complete ? "" : "\"complete\": false, ");
    for (int n = 0; n < r->count; n++) {
        fprintf(out, "%s\n  {\"node\": %d", n ? "," : "", stats_print_number_of(r, n));
        for (const struct stats_print_field *f = fields; f < fields + FIELDS; f++) {
            stats_print_text_of(&r->stats[n], f, 6, text, sizeof text);
            fprintf(out, ", \"%s\": %s", f->name, text);
        }
        fputc('}', out);
    }
    fprintf(out, "\n]}\n");
}

static bool stats_print_ends_in_json(const char *name)
{
    size_t len = strlen(name);
    return len >= 5 && strcmp(name + len - 5, ".json") == 0;
}

/* Composes in memory first, so that only opening, writing and renaming a file can fail later. */
static int stats_print_compose(const struct stats_report *r, bool json, char **text, size_t *len)
{
    FILE *out = open_memstream(text, len);
    if (!out)
        return -ENOMEM;
    if (json)
        stats_print_write_json(out, r);
    else
        stats_print_write_table(out, r);
    bool bad = ferror(out) != 0;
    if (fclose(out) == 0 && !bad)
        return 0;
    free(*text);
    return -ENOMEM;
}

struct stats_print_text {
    const char *bytes;
    size_t len;
};

static void stats_print_put_text(FILE *out, const void *arg)
{
    const struct stats_print_text *t = arg;
    (void)fwrite(t->bytes, 1, t->len, out);
}

/* A failed job does not wait for a reader of a pipe. */
static int stats_print_write_file(const char *name, const char *text, size_t len, bool waits)
{
    struct stats_print_text t = { text, len };
    return outfile_write(name, waits, stats_print_put_text, &t);
}

static int stats_print_write_stderr(const char *text, size_t len)
{
    fflush(stderr);
    while (len) {
        ssize_t n = write(STDERR_FILENO, text, len);
        if (n < 0 && errno != EINTR)
            return -errno;
        text += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int stats_write(const struct stats_report *r, const char *where)
{
    char *text = NULL;
    size_t len = 0;
    int rc = stats_print_compose(r, config_is_file(where) && stats_print_ends_in_json(where), &text,
                                 &len);
    if (rc == 0) {
        rc = config_is_file(where) ? stats_print_write_file(where, text, len, r->complete)
                                   : stats_print_write_stderr(text, len);
        free(text);
    }
    if (rc)
        diag_warn("--stats=%s: cannot write the statistics: %s; give a file in a directory that "
                  "can be written",
                  where, strerror(-rc));
    return rc;
}

int stats_write_part(const struct stats_report *r, const char *where)
{
    return config_is_file(where) && !outfile_special(where) ? stats_write(r, where) : 0;
}
