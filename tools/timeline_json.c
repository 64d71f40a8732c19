/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_json.c - see timeline_json.h. */
#include "tools/timeline_json.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/json.h"
#include "base/outfile.h"
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
    const struct timeline_read_all *timeline;
    bool complete;
};

/* ns, printed as microseconds. */
static void timeline_json_put_time(struct json *j, const char *name, int64_t ns)
{
    json_put(j, name, "%lld.%03d", (long long)(ns / 1000), (int)(ns % 1000));
}

/* `lane` -1: of the node. */
static void timeline_json_begin(struct json *j, const char *phase, const char *name, int node,
                                int lane)
{
    json_line(j);
    json_open(j, NULL, '{');
    json_put_string(j, "ph", phase);
    if (*phase != 'M')
        json_put_string(j, "cat",
                        *phase == 'X'                    ? "hlrc"
                        : *phase == 'b' || *phase == 'e' ? "held"
                                                         : "flow");
    json_put_string(j, "name", name);
    json_put(j, "pid", "%d", node);
    if (lane >= 0)
        json_put(j, "tid", "%d", lane);
}

static void timeline_json_put_args(struct json *j, const struct timeline_read_event *e)
{
    const struct timeline_json_look *l = &looks[e->kind];
    bool diff = e->kind == TIMELINE_DIFF;
    json_open(j, "args", '{');
    if (l->object)
        json_put_count(j, l->object, e->object);
    if (l->peer)
        json_put(j, l->peer, "%d", e->peer);
    if (l->extra && e->kind == TIMELINE_PREFETCH)
        timeline_json_put_time(j, l->extra, e->end - (int64_t)e->extra);
    else if (l->extra)
        json_put_count(j, l->extra, diff ? e->extra & 0xffff : e->extra);
    if (diff)
        json_put_count(j, "interval", e->extra >> 16);
    json_close(j, '}');
}

static void timeline_json_put_event(struct json *j, int node, const struct timeline_read_event *e)
{
    if (!looks[e->kind].name)
        return;
    timeline_json_begin(j, "X", looks[e->kind].name, node, (int)e->lane);
    timeline_json_put_time(j, "ts", e->begin);
    timeline_json_put_time(j, "dur", e->end - e->begin);
    timeline_json_put_args(j, e);
    json_close(j, '}');
}

/* Metadata: a name, or with NULL a position. */
static void timeline_json_put_name(struct json *j, int node, int lane, const char *what,
                                   const char *name)
{
    timeline_json_begin(j, "M", what, node, lane);
    json_open(j, "args", '{');
    if (name)
        json_put_string(j, strcmp(what, "process_labels") == 0 ? "labels" : "name", name);
    else
        json_put(j, "sort_index", "%d", lane >= 0 ? lane : node);
    json_close(j, '}');
    json_close(j, '}');
}

/* Names the process, and its threads that have noted something. */
static void timeline_json_put_names(struct json *j, int index,
                                    const struct timeline_read_node *node)
{
    int last = (int)node->head->lanes - 1, workers = (int)node->head->workers, seen = -1;
    char name[128];
    snprintf(name, sizeof name, "node %d (%s, pid %u)", index, node->head->host, node->head->pid);
    timeline_json_put_name(j, index, -1, "process_name", name);
    timeline_json_put_name(j, index, -1, "process_sort_index", NULL);
    for (size_t i = 0; i < node->count; i++) {
        int lane = (int)node->events[i].lane;
        if (lane == seen)
            continue;
        seen = lane;
        snprintf(name, sizeof name, "thread %d", lane);
        timeline_json_put_name(j, index, lane, "thread_name",
                               lane == last                 ? "handler"
                               : lane == last - 1           ? "checkpoints"
                               : lane >= last - 1 - workers ? "worker"
                                                            : name);
        timeline_json_put_name(j, index, lane, "thread_sort_index", NULL);
    }
}

static void timeline_json_put_held(struct json *j, const struct timeline_read_held *h)
{
    char name[40];
    for (int end = 0; end < (h->end < 0 ? 1 : 2); end++) {
        snprintf(name, sizeof name, "lock %llu", (unsigned long long)h->lock);
        timeline_json_begin(j, end ? "e" : "b", name, h->node, 0);
        json_put(j, "id2", "{\"local\":\"%llu\"}", (unsigned long long)h->lock);
        timeline_json_put_time(j, "ts", end ? h->end : h->begin);
        json_close(j, '}');
    }
}

static void timeline_json_put_arrow(struct json *j, size_t number,
                                    const struct timeline_read_arrow *a)
{
    timeline_json_begin(j, "s", a->name, a->from, (int)a->from_lane);
    json_put_count(j, "id", number);
    timeline_json_put_time(j, "ts", a->begin);
    json_close(j, '}');
    timeline_json_begin(j, "f", a->name, a->to, (int)a->to_lane);
    json_put_count(j, "id", number);
    json_put_string(j, "bp", "e");
    timeline_json_put_time(j, "ts", a->end);
    json_close(j, '}');
}

static void timeline_json_put_clock(struct json *j, const struct timeline_read_all *t, int index)
{
    const struct timeline_head *h = t->node[index].head;
    struct timeline_offset begin = timeline_read_offset_of(t, index, h->start.ns);
    struct timeline_offset end =
        timeline_read_offset_of(t, index, h->end.ns ? h->end.ns : h->start.ns);
    json_put(j, "clock_aligned", begin.error < 0 ? "false" : "true");
    if (begin.error < 0)
        return;
    json_put(j, "clock_ahead_at_start_ns", "%lld", (long long)begin.ahead);
    json_put(j, "clock_ahead_at_end_ns", "%lld", (long long)end.ahead);
    json_put(j, "clock_error_ns", "%lld", (long long)end.error);
}

/* The clock and buffers of a node. */
static void timeline_json_put_node(struct json *j, const struct timeline_read_all *t, int index)
{
    const struct timeline_read_node *node = &t->node[index];
    json_line(j);
    json_open(j, NULL, '{');
    json_put(j, "node", "%d", index);
    if (node->head) {
        json_put_string(j, "host", node->head->host);
        json_put_count(j, "pid", node->head->pid);
        json_put_count(j, "events", node->count);
        json_put_count(j, "dropped", node->dropped);
        json_put(j, "finalized", node->head->end.ns ? "true" : "false");
        timeline_json_put_clock(j, t, index);
    }
    json_close(j, '}');
}

/* The head of any node; NULL: no node has noted anything. */
static const struct timeline_head *timeline_json_head_of(const struct timeline_read_all *t)
{
    for (int n = 0; n < t->nodes; n++)
        if (t->node[n].head)
            return t->node[n].head;
    return NULL;
}

static void timeline_json_put_other(struct json *j, const struct timeline_json_writing *w)
{
    const struct timeline_read_all *t = w->timeline;
    const struct timeline_head *any = timeline_json_head_of(t);
    json_put_string(j, "displayTimeUnit", "ns");
    json_line(j);
    json_open(j, "otherData", '{');
    json_put_string(j, "writer", "hlrc " PACKAGE_VERSION);
    json_put(j, "nodes", "%d", t->nodes);
    json_put_string(j, "protocol", any ? any->protocol : "");
    json_put_string(j, "fabric", any ? any->fabric : "");
    json_put(j, "complete", w->complete ? "true" : "false");
    json_put(j, "start_realtime_ns", "%lld",
             t->node[0].head ? (long long)t->node[0].head->real_ns : 0);
    json_put_count(j, "arrows", t->arrow_count);
    json_put_count(j, "arrows_left_out", t->backward);
    json_open(j, "per_node", '[');
    for (int n = 0; n < t->nodes; n++)
        timeline_json_put_node(j, t, n);
    json_close(j, ']');
    json_close(j, '}');
}

static void timeline_json_put_all(FILE *out, const void *arg)
{
    const struct timeline_json_writing *w = arg;
    const struct timeline_read_all *t = w->timeline;
    struct json j = { out, false };
    json_open(&j, NULL, '{');
    timeline_json_put_other(&j, w);
    json_line(&j);
    json_open(&j, "traceEvents", '[');
    timeline_json_put_name(&j, 0, -1, "process_labels", "HLRC");
    for (int n = 0; n < t->nodes; n++) {
        if (t->node[n].head)
            timeline_json_put_names(&j, n, &t->node[n]);
        for (size_t i = 0; i < t->node[n].count; i++)
            timeline_json_put_event(&j, n, &t->node[n].events[i]);
    }
    for (size_t i = 0; i < t->held_count; i++)
        timeline_json_put_held(&j, &t->held[i]);
    for (size_t i = 0; i < t->arrow_count; i++)
        timeline_json_put_arrow(&j, i + 1, &t->arrows[i]);
    fputc('\n', out);
    json_close(&j, ']');
    json_close(&j, '}');
    fputc('\n', out);
}

static void timeline_json_report_dropped(const struct timeline_read_all *t, const char *where)
{
    static struct config config;
    unsigned long long dropped = 0;
    int nodes = 0;
    char size[32];
    for (int n = 0; n < t->nodes; n++) {
        dropped += t->node[n].dropped;
        nodes += t->node[n].dropped > 0;
        config.trace_size = t->node[n].dropped ? t->node[n].head->size : config.trace_size;
    }
    if (dropped)
        diag_warn("--trace %s: the oldest %llu events of %d node%s are missing: a thread recorded "
                  "more than %s events; raise --trace-size",
                  where, dropped, nodes, nodes > 1 ? "s" : "",
                  config_value(&config, CONFIG_ID_trace_size, size, sizeof size));
}

int timeline_json_write(const struct timeline_read_all *t, const char *where, bool complete)
{
    struct timeline_json_writing w = { t, complete };
    int rc = outfile_write(where, complete, timeline_json_put_all, &w);
    timeline_json_report_dropped(t, where);
    return rc;
}
