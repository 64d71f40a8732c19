/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_page.c - writes --profile=FILE.html: a self-contained page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hlrc/core/engine.h"
#include "hlrc/report/profile_map.h"

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

static void profile_page_put_seconds(FILE *out, double value)
{
    char text[40];
    fputs(profile_report_seconds(value, text, sizeof text), out);
}

static void profile_page_put_head(FILE *out, const struct profile_report *r)
{
    char protocol[32];
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
            "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>Profile</title>\n"
            "<style>\n%s</style>\n</head>\n<body>\n<h1>The cost of shared memory</h1>\n"
            "<p>%d node%s, protocol %s, ",
            style, r->nodes, r->nodes > 1 ? "s" : "",
            config_value(&engine.config, CONFIG_ID_protocol, protocol, sizeof protocol));
    profile_page_put_seconds(out, r->node[0].head->wall_s);
    fputs(" s from hlrc_init to hlrc_finalize. Times below are sums over all threads.</p>\n", out);
}

static void profile_page_put_maps(FILE *out, const struct profile_report *r)
{
    fputs("<div class=\"maps\">\n", out);
    for (int k = 0; k < HEAT_KINDS; k++) {
        fputs("<figure>", out);
        profile_map_draw(out, r, (enum heat_kind)k);
        fputs("</figure>\n", out);
    }
    fputs("<figure>", out);
    profile_map_draw_traffic(out, r);
    fputs("</figure>\n</div>\n", out);
}

static void profile_page_put_false(FILE *out, const struct profile_report *r)
{
    char name[PROFILE_WHERE + 100], cure[256];
    const char *open = "<h2>False sharing</h2>\n<ul>\n", *close = "";
    for (uint32_t i = 0; i < r->blocks; i++) {
        const struct profile_report_block *b = &r->block[i];
        if (b->shared.pages == 0)
            continue;
        profile_report_name(b, name, sizeof name);
        profile_report_cure(b, cure, sizeof cure);
        fprintf(out, "%s<li><b>%" PRIu32 " page%s</b> of ", open, b->shared.pages,
                b->shared.pages > 1 ? "s" : "");
        profile_map_put_text(out, name);
        fputs(": nodes write different bytes and do not read each other&#39;s; ", out);
        profile_map_put_text(out, cure);
        fputs("; would save <b>", out);
        profile_page_put_seconds(out, b->shared.saves_s);
        fputs(" s</b></li>\n", out);
        open = "";
        close = "</ul>\n";
    }
    fputs(close, out);
}

static void profile_page_put_block(FILE *out, const struct profile_report *r,
                                   const struct profile_report_block *b)
{
    char name[PROFILE_WHERE + 100];
    profile_report_name(b, name, sizeof name);
    fputs("<tr><td class=\"text\">", out);
    profile_map_put_text(out, name);
    fprintf(out, "</td><td>%" PRIu32 "</td><td>", b->pages);
    profile_page_put_seconds(out, b->all.seconds);
    for (int k = 0; k < PROFILE_COUNTERS; k++)
        fprintf(out, "</td><td>%" PRIu64, b->all.count[k]);
    fputs("</td><td>", out);
    for (int n = 0; n < r->nodes; n++)
        if (b->by_node[n].writes)
            fprintf(out, "%d ", n);
    fputs("</td></tr>\n", out);
}

static void profile_page_put_blocks(FILE *out, const struct profile_report *r)
{
    fputs("<h2>Blocks, the most costly first</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
          "<th class=\"text\">allocated by</th><th>pages</th><th>seconds</th>",
          out);
    for (int k = 0; k < PROFILE_COUNTERS; k++) {
        fputs("<th>", out);
        for (const char *c = profile_counts[k]; *c; c++)
            fputc(*c == '_' ? ' ' : *c, out);
        fputs("</th>", out);
    }
    fputs("<th>written by nodes</th></tr></thead>\n<tbody>\n", out);
    for (uint32_t i = 0; i < r->blocks && i < SHOWN; i++)
        profile_page_put_block(out, r, &r->block[i]);
    fputs("</tbody></table></div>\n", out);
    if (r->blocks > SHOWN)
        fprintf(out, "<p>%" PRIu32 " blocks more, which cost less.</p>\n", r->blocks - SHOWN);
}

static void profile_page_put_locks(FILE *out, const struct profile_report *r)
{
    struct profile_report_lock_sum *sum;
    size_t count = profile_report_lock_sums(r, &sum);
    if (count > 0)
        fputs("<h2>Locks, by the time they were waited for</h2>\n<div class=\"scroll\"><table>\n"
              "<thead><tr><th>lock</th><th>seconds</th><th>waits</th><th>from other nodes</th></tr>"
              "</thead>\n<tbody>\n",
              out);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        if (sum[i].lock == UINT32_MAX)
            fputs("<tr><td>all others</td><td>", out);
        else
            fprintf(out, "<tr><td>%" PRIu32 "</td><td>", sum[i].lock - 1);
        profile_page_put_seconds(out, sum[i].seconds);
        fprintf(out, "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td></tr>\n", sum[i].waits,
                sum[i].hands);
    }
    if (count > 0)
        fputs("</tbody></table></div>\n", out);
    if (count > SHOWN)
        fprintf(out, "<p>%zu locks more, which were waited for less.</p>\n", count - SHOWN);
    free(sum);
}

static void profile_page_put_barriers(FILE *out, const struct profile_report *r)
{
    fputs("<h2>Barriers</h2>\n<p>The node that waits least arrives last.</p>\n<div "
          "class=\"scroll\"><table>\n"
          "<thead><tr><th>node</th><th>barriers</th><th>seconds waited</th><th>longest</th></tr>"
          "</thead>\n<tbody>\n",
          out);
    for (int n = 0; n < r->nodes; n++) {
        const struct profile_job_head *h = r->node[n].head;
        fprintf(out, "<tr><td>%d</td><td>%" PRIu64 "</td><td>", n, h->sums.barriers);
        profile_page_put_seconds(out, profile_report_barrier_s(&r->node[n]));
        fputs("</td><td>", out);
        profile_page_put_seconds(out, (double)h->sums.barrier_most * h->tick_s);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void profile_map_profile_html(FILE *out, const void *report)
{
    const struct profile_report *r = report;
    profile_page_put_head(out, r);
    profile_page_put_false(out, r);
    fputs("<h2>Where and when</h2>\n", out);
    profile_page_put_maps(out, r);
    profile_page_put_blocks(out, r);
    profile_page_put_locks(out, r);
    profile_page_put_barriers(out, r);
    fputs("</body>\n</html>\n", out);
}
