/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_json.c - see timeline_json.h. Numbers have a decimal point in any locale. */
#include "hlrc/report/timeline_json.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/json.h"
#include "hlrc/probe/outfile.h"
#include "hlrc/progress/bulk.h"

struct timeline_json_look {
    const char *name, *object, *peer, *extra;
};

/* clang-format off */
static const struct timeline_json_look looks[] = {
    [TIMELINE_NONE] = { NULL, NULL, NULL, NULL },
#define X(kind, name, object, peer, extra) [kind] = { name, object, peer, extra },
    TIMELINE_KINDS(X)
#undef X
    [TIMELINE_SERVE + REQUEST_PAGE] = { "serve page", "page", "from", NULL },
    [TIMELINE_SERVE + REQUEST_HOME] = { "serve question for home", "page", "from", NULL },
    [TIMELINE_SERVE + REQUEST_PLACE] = { "serve choice of home", "page", "from", NULL },
    [TIMELINE_SERVE + REQUEST_LOCK] = { "serve lock request", "lock", "from", NULL },
    [TIMELINE_SERVE + REQUEST_LOCK_OWNER] = { "serve lock request as owner", "lock", "from", NULL },
    [TIMELINE_SERVE + REQUEST_TRY] = { "serve try", "lock", "from", NULL },
    [TIMELINE_SERVE + REQUEST_TRY_OWNER] = { "serve try as owner", "lock", "from", NULL },
    [TIMELINE_SERVE + REQUEST_TRY_RESULT] = { "serve result of try", "lock", "from", NULL },
    [TIMELINE_SERVE + REQUEST_BARRIER] = { "serve arrival", "number", "from", NULL },
    [TIMELINE_SERVE + REQUEST_COND_WAIT] = { "serve waiter", "condition", "from", NULL },
    [TIMELINE_SERVE + REQUEST_LOG_DRAIN] = { "serve full log", NULL, "from", NULL },
    [TIMELINE_SERVE + REQUEST_ATOMIC] = { "serve atomic", "word", "from", NULL },
    [TIMELINE_SERVE + REQUEST_WORD] = { "serve word operation", "page", "from", NULL },
    [TIMELINE_SERVE + REQUEST_SITE] = { "serve question for block", "page", "from", NULL },
    [TIMELINE_SERVE + REQUEST_SERVED] = { "serve question whether reads came", NULL, "from", NULL },
    [TIMELINE_SERVE_BULK + BULK_DIFFS] = { "apply diffs", "bytes", "from", NULL },
    [TIMELINE_SERVE_BULK + BULK_SIGNAL] = { "serve signal", "bytes", "from", NULL },
};
/* clang-format on */

struct timeline_json_writing {
    const struct timeline_json_report *report;
    const struct timeline_read_all *timeline;
};

/* ns, printed as microseconds. */
static void timeline_json_put_time(FILE *out, const char *before, int64_t ns)
{
    fprintf(out, "%s%lld.%03d", before, (long long)(ns / 1000), (int)(ns % 1000));
}

static void timeline_json_put_at(FILE *out, int node, uint32_t lane, int64_t at)
{
    fprintf(out, "\"pid\":%d,\"tid\":%u", node, lane);
    timeline_json_put_time(out, ",\"ts\":", at);
}

static uint64_t timeline_json_extra_of(const struct timeline_read_event *e)
{
    return e->kind == TIMELINE_DIFF ? e->extra & 0xffff : e->extra;
}

static void timeline_json_put_args(FILE *out, const struct timeline_read_event *e)
{
    const struct timeline_json_look *l = &looks[e->kind];
    const char *comma = "";
    fputs(",\"args\":{", out);
    if (l->object) {
        fprintf(out, "\"%s\":%llu", l->object, (unsigned long long)e->object);
        comma = ",";
    }
    if (l->peer) {
        fprintf(out, "%s\"%s\":%d", comma, l->peer, e->peer);
        comma = ",";
    }
    if (l->extra && e->kind == TIMELINE_PREFETCH)
        timeline_json_put_time(out, ",\"under_way_us\":", e->end - (int64_t)e->extra);
    else if (l->extra)
        fprintf(out, "%s\"%s\":%llu", comma, l->extra,
                (unsigned long long)timeline_json_extra_of(e));
    if (e->kind == TIMELINE_DIFF)
        fprintf(out, ",\"interval\":%llu", (unsigned long long)(e->extra >> 16));
    fputs("}}", out);
}

static void timeline_json_put_event(FILE *out, int node, const struct timeline_read_event *e)
{
    if (!looks[e->kind].name)
        return;
    fprintf(out, ",\n{\"ph\":\"X\",\"cat\":\"hlrc\",\"name\":\"%s\",", looks[e->kind].name);
    timeline_json_put_at(out, node, e->lane, e->begin);
    timeline_json_put_time(out, ",\"dur\":", e->end - e->begin);
    timeline_json_put_args(out, e);
}

static void timeline_json_put_name(FILE *out, int node, int lane, const char *what,
                                   const char *name, int number)
{
    fprintf(out, ",\n{\"ph\":\"M\",\"pid\":%d,", node);
    if (lane >= 0)
        fprintf(out, "\"tid\":%d,", lane);
    fprintf(out, "\"name\":\"%s\",\"args\":{\"name\":\"", what);
    json_put_text(out, name);
    if (number >= 0)
        fprintf(out, " %d", number);
    fputs("\"}}", out);
}

/* Names the process, and its threads that have noted something. */
static void timeline_json_put_names(FILE *out, int index, const struct timeline_read_node *node)
{
    int last = (int)node->head->lanes - 1, workers = (int)node->head->workers, seen = -1;
    char name[128];
    snprintf(name, sizeof name, "node %d (%s, pid %u)", index, node->head->host, node->head->pid);
    timeline_json_put_name(out, index, -1, "process_name", name, -1);
    fprintf(out,
            ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":"
            "%d}}",
            index, index);
    for (size_t i = 0; i < node->count; i++) {
        int lane = (int)node->events[i].lane;
        if (lane == seen)
            continue;
        seen = lane;
        timeline_json_put_name(out, index, lane, "thread_name",
                               lane == last             ? "handler"
                               : lane >= last - workers ? "worker"
                                                        : "thread",
                               lane >= last - workers ? -1 : lane);
        fprintf(out,
                ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{"
                "\"sort_index\":%d}}",
                index, lane, lane);
    }
}

static void timeline_json_put_held(FILE *out, const struct timeline_read_held *h)
{
    for (int end = 0; end < (h->end < 0 ? 1 : 2); end++) {
        fprintf(out,
                ",\n{\"ph\":\"%c\",\"cat\":\"held\",\"name\":\"lock %llu\",\"id2\":{\"local\":"
                "\"%llu\"},",
                end ? 'e' : 'b', (unsigned long long)h->lock, (unsigned long long)h->lock);
        timeline_json_put_at(out, h->node, 0, end ? h->end : h->begin);
        fputc('}', out);
    }
}

static void timeline_json_put_arrow(FILE *out, size_t number, const struct timeline_read_arrow *a)
{
    fprintf(out, ",\n{\"ph\":\"s\",\"cat\":\"flow\",\"name\":\"%s\",\"id\":%zu,", a->name, number);
    timeline_json_put_at(out, a->from, a->from_lane, a->begin);
    fprintf(out, "},\n{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"flow\",\"name\":\"%s\",\"id\":%zu,",
            a->name, number);
    timeline_json_put_at(out, a->to, a->to_lane, a->end);
    fputc('}', out);
}

/* The clock and buffers of a node. */
static void timeline_json_put_node(FILE *out, const struct timeline_read_all *t, int index)
{
    const struct timeline_read_node *node = &t->node[index];
    if (!node->head) {
        fprintf(out, "{\"node\":%d}", index);
        return;
    }
    struct timeline_offset begin = timeline_read_offset_of(t, index, node->head->start.ns);
    struct timeline_offset end =
        timeline_read_offset_of(t, index,
                                node->head->end.ns ? node->head->end.ns : node->head->start.ns);
    fprintf(out, "{\"node\":%d,\"host\":\"", index);
    json_put_text(out, node->head->host);
    fprintf(out, "\",\"pid\":%u,\"events\":%zu,\"dropped\":%llu,\"finalized\":%s", node->head->pid,
            node->count, (unsigned long long)node->dropped, node->head->end.ns ? "true" : "false");
    if (begin.error < 0)
        fputs(",\"clock_aligned\":false}", out);
    else
        fprintf(out,
                ",\"clock_aligned\":true,\"clock_ahead_at_start_ns\":%lld,"
                "\"clock_ahead_at_end_ns\":%lld,\"clock_error_ns\":%lld}",
                (long long)begin.ahead, (long long)end.ahead, (long long)end.error);
}

static void timeline_json_put_other(FILE *out, const struct timeline_json_writing *w)
{
    const struct timeline_read_all *t = w->timeline;
    const struct config *config = w->report->config;
    char protocol[32];
    fprintf(out,
            "\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"writer\":\"hlrc %s\",\"nodes\":%d,"
            "\"protocol\":\"%s\",\"fabric\":\"%s\",\"complete\":%s,\"start_realtime_ns\":%lld,"
            "\"arrows\":%zu,\"arrows_left_out\":%zu,\"per_node\":[",
            PACKAGE_VERSION, t->nodes,
            config_value(config, CONFIG_ID_protocol, protocol, sizeof protocol), config->fabric,
            w->report->complete ? "true" : "false",
            t->node[0].head ? (long long)t->node[0].head->real_ns : 0, t->arrow_count, t->backward);
    for (int n = 0; n < t->nodes; n++) {
        fputs(n ? ",\n" : "\n", out);
        timeline_json_put_node(out, t, n);
    }
    fputs("]}", out);
}

static void timeline_json_put_all(FILE *out, const void *arg)
{
    const struct timeline_json_writing *w = arg;
    const struct timeline_read_all *t = w->timeline;
    fputc('{', out);
    timeline_json_put_other(out, w);
    fputs(",\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"process_labels\",\"args\":{"
          "\"labels\":\"HLRC\"}}",
          out);
    for (int n = 0; n < t->nodes; n++) {
        if (t->node[n].head)
            timeline_json_put_names(out, n, &t->node[n]);
        for (size_t i = 0; i < t->node[n].count; i++)
            timeline_json_put_event(out, n, &t->node[n].events[i]);
    }
    for (size_t i = 0; i < t->held_count; i++)
        timeline_json_put_held(out, &t->held[i]);
    for (size_t i = 0; i < t->arrow_count; i++)
        timeline_json_put_arrow(out, i + 1, &t->arrows[i]);
    fputs("\n]}\n", out);
}

static void timeline_json_tell_dropped(const struct timeline_json_writing *w, const char *where)
{
    const struct timeline_read_all *t = w->timeline;
    unsigned long long dropped = 0;
    int nodes = 0;
    char size[32];
    for (int n = 0; n < t->nodes; n++) {
        dropped += t->node[n].dropped;
        nodes += t->node[n].dropped > 0;
    }
    if (dropped)
        diag_warn("--trace %s: the oldest %llu events of %d node%s are missing: a thread recorded "
                  "more than %s events; raise --trace-size",
                  where, dropped, nodes, nodes > 1 ? "s" : "",
                  config_value(w->report->config, CONFIG_ID_trace_size, size, sizeof size));
}

int timeline_json_write(const struct timeline_json_report *report, const char *where)
{
    struct timeline_read_all t;
    struct timeline_json_writing w = { report, &t };
    int rc = timeline_read(&t, report->memory, report->nodes, report->before, report->after);
    if (rc == 0) {
        rc = outfile_write(where, report->complete, timeline_json_put_all, &w);
        timeline_json_tell_dropped(&w, where);
        timeline_read_end(&t);
    }
    if (rc)
        diag_warn("--trace %s: cannot write the timeline: %s; give a file in a directory that can "
                  "be written and has room",
                  where, strerror(-rc));
    return rc;
}
