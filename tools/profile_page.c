/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_page.c - writes --profile=FILE.html: a self-contained page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/profile_data.h"

#define SHOWN 100 /* blocks, locks */

static const char style[] =
    ":root{--ink:#1c1f24;--paper:#fff;--soft:#5d646e;--line:#d4d8de;--bad:#b3362d}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e3e6ea;--paper:#15181c;--soft:#9aa2ad;"
    "--line:#363c45;--bad:#f0837a}}\n"
    "@media print{:root{--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;--bad:#000}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:76rem;padding:1rem;color:var(--ink);background:var(--paper);"
    "font:1rem/1.5 sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.7rem;line-height:1.2}\nh2{font-size:1.25rem;margin:2rem 0 .4rem}\n"
    "p,li{max-width:46rem}\nli{margin:.4rem 0}\nb{color:var(--bad)}\n"
    ".maps{display:grid;gap:1.5rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr))}\n"
    "figure{margin:0;max-width:36rem;break-inside:avoid}\n"
    "svg{display:block;width:100%;height:auto;color:var(--ink)}\n"
    ".scroll{overflow-x:auto}\ntable{border-collapse:collapse;font-size:.9rem}\n"
    "th,td{padding:.25rem .9rem .25rem 0;text-align:right;vertical-align:top;"
    "border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}\n"
    "th{color:var(--soft);font-weight:600}\n.text{text-align:left;min-width:14rem}\n";

static void profile_page_put_head(FILE *out, const struct json_read *profile)
{
    uint64_t nodes = json_read_count(profile, "nodes");
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>Profile</title>\n"
            "<style>\n%s</style>\n</head>\n<body>\n<h1>The cost of shared memory</h1>\n"
            "<p>%" PRIu64 " node%s, protocol ",
            style, nodes, nodes > 1 ? "s" : "");
    profile_draw_put_text(out, json_read_text(profile, "protocol"));
    fprintf(out,
            ", %.6f s from hlrc_init to hlrc_finalize. Times below are sums over all "
            "threads.</p>\n",
            json_read_number(profile, "wall_seconds"));
}

static void profile_page_put_maps(FILE *out, const struct json_read *profile)
{
    fputs("<h2>Where and when</h2>\n<div class=\"maps\">\n", out);
    for (int k = 0; k < HEAT_KINDS; k++) {
        fputs("<figure>", out);
        profile_draw_map(out, profile, (enum heat_kind)k);
        fputs("</figure>\n", out);
    }
    fputs("<figure>", out);
    profile_draw_traffic(out, profile);
    fputs("</figure>\n</div>\n", out);
}

static void profile_page_put_false(FILE *out, const struct json_read *profile)
{
    char name[PROFILE_NAME];
    const char *open = "<h2>False sharing</h2>\n<ul>\n", *close = "";
    for (JSON_READ_EACH(block, json_read_list(profile, "blocks"))) {
        const struct json_read *f = json_read_member(block, "false_sharing");
        uint64_t pages = json_read_count(f, "pages");
        if (pages == 0)
            continue;
        fprintf(out, "%s<li><b>%" PRIu64 " page%s</b> of ", open, pages, pages > 1 ? "s" : "");
        profile_draw_put_text(out, profile_data_name(block, name, sizeof name));
        fputs(": nodes write different bytes and do not read each other&#39;s; ", out);
        profile_draw_put_text(out, json_read_text(f, "cure"));
        fprintf(out, "; would save <b>%.6f s</b></li>\n", json_read_number(f, "saves_seconds"));
        open = "";
        close = "</ul>\n";
    }
    fputs(close, out);
}

/* `heading`: from inside <h2>. Names of columns have underscores for spaces. */
static void profile_page_begin_table(FILE *out, const char *heading, const char *const *columns,
                                     int count)
{
    fprintf(out, "<h2>%s\n<div class=\"scroll\"><table>\n<thead><tr>", heading);
    for (int i = 0; i < count; i++) {
        fputs(strcmp(columns[i], "allocated by") == 0 ? "<th class=\"text\">" : "<th>", out);
        for (const char *c = columns[i]; *c; c++)
            fputc(*c == '_' ? ' ' : *c, out);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void profile_page_end_table(FILE *out, size_t rows, const char *more)
{
    fputs("</tbody></table></div>\n", out);
    if (rows > SHOWN)
        fprintf(out, "<p>%zu %s.</p>\n", rows - SHOWN, more);
}

static void profile_page_put_block(FILE *out, const struct json_read *block)
{
    char name[PROFILE_NAME];
    int node = 0;
    fputs("<tr><td class=\"text\">", out);
    profile_draw_put_text(out, profile_data_name(block, name, sizeof name));
    fprintf(out, "</td><td>%" PRIu64 "</td><td>%.6f", json_read_count(block, "pages"),
            json_read_number(block, "seconds"));
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        fprintf(out, "</td><td>%" PRIu64, json_read_count(block, profile_data_counts[k]));
    fputs("</td><td>", out);
    for (JSON_READ_EACH(part, json_read_list(block, "by_node"))) {
        if (strcmp(json_read_text(part, "writes"), "true") == 0)
            fprintf(out, "%d ", node);
        node++;
    }
    fputs("</td></tr>\n", out);
}

static void profile_page_put_blocks(FILE *out, const struct json_read *profile)
{
    const char *columns[PROFILE_COUNTERS + 4] = { "allocated by", "pages", "seconds" };
    size_t count = 0;
    memcpy(columns + 3, profile_data_counts, sizeof profile_data_counts);
    columns[PROFILE_COUNTERS + 3] = "written by nodes";
    profile_page_begin_table(out, "Blocks, the most costly first</h2>", columns,
                             PROFILE_COUNTERS + 4);
    for (JSON_READ_EACH(block, json_read_list(profile, "blocks")))
        if (count++ < SHOWN)
            profile_page_put_block(out, block);
    profile_page_end_table(out, count, "blocks more, which cost less");
}

static void profile_page_put_locks(FILE *out, const struct json_read *profile)
{
    static const char *const columns[] = { "lock", "seconds", "waits", "from other nodes" };
    struct profile_data_lock *lock;
    size_t count = profile_data_locks(profile, &lock);
    if (count > 0)
        profile_page_begin_table(out, "Locks, by the time they were waited for</h2>", columns, 4);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        fprintf(out, lock[i].lock < 0 ? "<tr><td>all others" : "<tr><td>%" PRId64, lock[i].lock);
        fprintf(out, "</td><td>%.6f</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n",
                lock[i].seconds, lock[i].waits, lock[i].hands);
    }
    if (count > 0)
        profile_page_end_table(out, count, "locks more, which were waited for less");
    free(lock);
}

static void profile_page_put_barriers(FILE *out, const struct json_read *profile)
{
    static const char *const columns[] = { "node", "barriers", "seconds waited", "longest" };
    profile_page_begin_table(out, "Barriers</h2>\n<p>The node that waits least arrives last.</p>",
                             columns, 4);
    for (JSON_READ_EACH(node, json_read_list(profile, "by_node")))
        fprintf(out,
                "<tr><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%.6f</td><td>%.6f</td></tr>\n",
                json_read_count(node, "node"), json_read_count(node, "barriers"),
                json_read_number(node, "barrier_seconds"),
                json_read_number(node, "longest_barrier_seconds"));
    profile_page_end_table(out, 0, "");
}

void profile_page_write(FILE *out, const void *profile)
{
    profile_page_put_head(out, profile);
    profile_page_put_false(out, profile);
    profile_page_put_maps(out, profile);
    profile_page_put_blocks(out, profile);
    profile_page_put_locks(out, profile);
    profile_page_put_barriers(out, profile);
    fputs("</body>\n</html>\n", out);
}
