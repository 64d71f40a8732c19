/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_draw.c - draws maps. All coordinates are in tenths of a pixel. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tools/profile_data.h"

#define LEVELS  7
#define WIDTH   4800
#define LEFT    1280 /* start and end of the cells: */
#define RIGHT   4720
#define TOP     680
#define LABEL   140  /* a row of text */
#define TALLEST 3200 /* of all cells */
#define SIDE    64   /* most rows and columns of the traffic map */
#define WRITTEN 6    /* with at most this many columns a cell has room for a number */

/* Sequential, of one hue: larger values contrast more with the page, both light and dark. Level 0
 * is the page itself. */
static const char style[] =
    "<style>.hp1{fill:#d3e4f3}.hp2{fill:#a9cbe6}.hp3{fill:#79aed6}.hp4{fill:#4c8fc2}"
    ".hp5{fill:#2b70a9}.hp6{fill:#12528b}.hp7{fill:#08306b}.hp-soft{opacity:.7}"
    ".hp-on-light{fill:#10202f}.hp-on-dark{fill:#fff}"
    "@media (prefers-color-scheme:dark){.hp1{fill:#1d3247}.hp2{fill:#214a6d}.hp3{fill:#296594}"
    ".hp4{fill:#3a82bb}.hp5{fill:#5fa1d6}.hp6{fill:#92c2ea}.hp7{fill:#d2e6fa}"
    ".hp-on-light{fill:#fff}.hp-on-dark{fill:#06131f}}"
    "@media print{.hp1{fill:#d3e4f3}.hp2{fill:#a9cbe6}.hp3{fill:#79aed6}.hp4{fill:#4c8fc2}"
    ".hp5{fill:#2b70a9}.hp6{fill:#12528b}.hp7{fill:#08306b}"
    ".hp-on-light{fill:#10202f}.hp-on-dark{fill:#fff}}</style>\n";

/* ---- colours ---- */

/* Level i + 1 begins with first[i]; each is `factor` times the one before. */
struct profile_draw_scale {
    uint64_t first[LEVELS];
    int levels;
};

static int profile_draw_steps(uint64_t from, uint64_t factor, uint64_t most)
{
    int n = 1;
    for (; from <= most / factor && n <= LEVELS; from *= factor)
        n++;
    return n;
}

/* Few levels if values differ little; steps by a round factor, from the least. */
static struct profile_draw_scale profile_draw_scale_of(uint64_t least, uint64_t most, bool binary)
{
    static const uint64_t tens[] = { 2, 3, 5, 10, 20, 50, 100, 1000, 10000, UINT64_C(1) << 20 };
    static const uint64_t twos[] = { 2, 4, 8, 16, 64, 256, 1024, UINT64_C(1) << 20 };
    const uint64_t *factor = binary ? twos : tens;
    struct profile_draw_scale s;
    uint64_t from = 1;
    while (binary && from * 2 <= least)
        from *= 2;
    while (profile_draw_steps(from, *factor, most) > LEVELS)
        factor++;
    s.levels = profile_draw_steps(from, *factor, most);
    for (int i = 0; i < s.levels; i++, from *= *factor)
        s.first[i] = from;
    return s;
}

/* 0 to LEVELS: the highest value has the last colour. */
static int profile_draw_level_of(const struct profile_draw_scale *s, uint64_t value)
{
    int i = 0;
    while (i < s->levels && value >= s->first[i])
        i++;
    return i == 0 ? 0 : LEVELS - s->levels + i;
}

/* ---- parts of a drawing ---- */

void profile_draw_put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else if ((unsigned char)*text < ' ')
            fputc('?', out);
        else
            fputc(*text, out);
}

/* "12.3 MiB" */
static const char *profile_draw_bytes(uint64_t bytes, char *buf, size_t len)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1024;
    value = (double)(uint64_t)(value * 10) / 10;
    bool whole = unit == 0 || value >= 100 || value == (double)(uint64_t)value;
    snprintf(buf, len, whole ? "%.0f %s" : "%.1f %s", whole ? (double)(uint64_t)value : value,
             units[unit]);
    return buf;
}

static void profile_draw_begin(FILE *out, int height, const char *name, const char *title,
                               const char *under)
{
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" data-map=\"%s\" aria-label=\"", WIDTH,
            height, name);
    profile_draw_put_text(out, title);
    fprintf(out,
            "\" font-family=\"sans-serif\" font-size=\"%d\" fill=\"currentColor\">\n%s"
            "<text x=\"40\" y=\"180\" font-size=\"170\" font-weight=\"600\">",
            LABEL, style);
    profile_draw_put_text(out, title);
    fputs("</text>\n<text x=\"40\" y=\"380\" class=\"hp-soft\">", out);
    profile_draw_put_text(out, under);
    fputs("</text>\n", out);
}

static void profile_draw_put_label(FILE *out, int x, int y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
    profile_draw_put_text(out, text);
    fputs("</text>\n", out);
}

static void profile_draw_put_frame(FILE *out, int x, int y, int width, int height)
{
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"currentColor\" stroke-width=\"8\"/>\n",
            x, y, width, height);
}

static void profile_draw_put_legend(FILE *out, const struct profile_draw_scale *s, int y,
                                    const char *what, bool binary)
{
    int each = (WIDTH - 80) / LEVELS;
    fprintf(out, "<text x=\"40\" y=\"%d\" class=\"hp-soft\">", y);
    profile_draw_put_text(out, what);
    fputs("</text>\n", out);
    for (int i = 0; i < s->levels; i++) {
        char text[40];
        int x = 40 + i * each;
        if (binary)
            profile_draw_bytes(s->first[i], text, sizeof text);
        else
            snprintf(text, sizeof text, "%" PRIu64, s->first[i]);
        fprintf(out, "<rect class=\"hp%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"110\"/>\n",
                LEVELS - s->levels + i + 1, x, y + 60, each);
        profile_draw_put_label(out, x, y + 320, "start", text);
    }
}

/* The step of at most `most` labels over `all`: 1, 2 or 5 times a power of ten. */
static uint64_t profile_draw_round_step(uint64_t all, uint64_t most)
{
    uint64_t ten = 1;
    for (;; ten *= 10)
        for (uint64_t k = 1; k <= 5; k += k < 2 ? 1 : 3)
            if (all / (k * ten) <= most)
                return k * ten;
}

/* ---- pages over time ---- */

static int profile_draw_edge(int from, int to, uint32_t i, uint32_t of)
{
    return from + (int)((int64_t)(to - from) * i / of);
}

/* A row of the map, with the block of its first page that any node used. */
struct profile_draw_row {
    uint64_t page;
    uint32_t count[HEAT_COLUMNS];
    const struct json_read *block; /* NULL: none */
};

struct profile_draw_table {
    uint32_t rows, columns, pages_each;
    double column_s;
    uint64_t most;
    struct profile_draw_row row[HEAT_ROWS];
};

static void profile_draw_read_row(struct profile_draw_table *t, const struct json_read *from,
                                  const char *name)
{
    struct profile_draw_row *row = &t->row[t->rows++];
    uint32_t column = 0;
    *row = (struct profile_draw_row){ .page = json_read_count(from, "page") };
    for (JSON_READ_EACH(count, json_read_list(from, name))) {
        if (column == t->columns)
            return;
        row->count[column] = (uint32_t)strtoul(count->text, NULL, 10);
        t->most = row->count[column] > t->most ? row->count[column] : t->most;
        column++;
    }
}

/* Pages and rows ascend. */
static void profile_draw_read_blocks(struct profile_draw_table *t, const struct json_read *profile)
{
    const struct json_read *page = json_read_list(profile, "pages");
    for (struct profile_draw_row *row = t->row; row < t->row + t->rows; row++) {
        while (page && json_read_count(page, "page") < row->page)
            page = page->next;
        if (!page || json_read_count(page, "page") >= row->page + t->pages_each)
            continue;
        uint64_t index = json_read_count(page, "block");
        row->block = json_read_list(profile, "blocks");
        while (row->block && index-- > 0)
            row->block = row->block->next;
    }
}

static void profile_draw_read(struct profile_draw_table *t, const struct json_read *profile,
                              const char *name)
{
    const struct json_read *map = json_read_member(profile, "map");
    uint64_t columns = json_read_count(map, "columns");
    *t = (struct profile_draw_table){ .pages_each = (uint32_t)json_read_count(map, "pages_each"),
                                      .column_s = json_read_number(map, "seconds_each") };
    t->columns = (uint32_t)(columns < 1 ? 1 : columns > HEAT_COLUMNS ? HEAT_COLUMNS : columns);
    for (JSON_READ_EACH(row, json_read_list(map, "rows")))
        if (t->rows < HEAT_ROWS)
            profile_draw_read_row(t, row, name);
    profile_draw_read_blocks(t, profile);
}

/* All cells of a level are one path, adjacent ones one piece of it. */
static void profile_draw_put_level(FILE *out, const struct profile_draw_table *t,
                                   const struct profile_draw_scale *s, int level, int bottom)
{
    bool any = false;
    for (uint32_t r = 0; r < t->rows; r++) {
        const uint32_t *count = t->row[r].count;
        int y = profile_draw_edge(TOP, bottom, r, t->rows),
            end = profile_draw_edge(TOP, bottom, r + 1, t->rows);
        for (uint32_t c = 0, first; c < t->columns; c++) {
            if (profile_draw_level_of(s, count[c]) != level)
                continue;
            for (first = c; c + 1 < t->columns && profile_draw_level_of(s, count[c + 1]) == level;
                 c++)
                ;
            int x = profile_draw_edge(LEFT, RIGHT, first, t->columns);
            if (!any)
                fprintf(out, "<path class=\"hp%d\" shape-rendering=\"crispEdges\" d=\"", level);
            any = true;
            fprintf(out, "M%d %dH%dV%dH%dz", x, y,
                    profile_draw_edge(LEFT, RIGHT, c + 1, t->columns), end, x);
        }
    }
    if (any)
        fputs("\"/>\n", out);
}

/* "prog.c:12" of "main, prog.c:12", or all of it; long text is cut. */
static void profile_draw_say_shortly(const struct json_read *b, char *text, size_t len)
{
    const char *where = b ? json_read_text(b, "where") : "", *line = strrchr(where, ',');
    where = line && strchr(line, ':') ? line + 1 + (line[1] == ' ') : where;
    const char *file = strrchr(where, '/');
    where = file ? file + 1 : where;
    size_t all = strlen(where);
    bool fits = all < len;
    memcpy(text, where, fits ? all + 1 : len - 4);
    if (!fits)
        memcpy(text + len - 4, "...", 4);
}

/* True if there is room for its size. */
static bool profile_draw_has_size(const struct json_read *b, int y, int end)
{
    return b && json_read_count(b, "bytes") && end - y >= 2 * LABEL;
}

/* Beside consecutive rows: the call that allocated them and, if there is room, the size. */
static void profile_draw_put_block(FILE *out, const struct json_read *b, int y, int end)
{
    char text[17];
    int middle = (y + end) / 2 + 45;
    bool both = profile_draw_has_size(b, y, end);
    profile_draw_say_shortly(b, text, sizeof text);
    profile_draw_put_label(out, LEFT - 70, both ? middle - LABEL / 2 : middle, "end", text);
    if (both)
        profile_draw_put_label(out, LEFT - 70, middle + LABEL / 2, "end",
                               profile_draw_bytes(json_read_count(b, "bytes"), text, sizeof text));
}

static void profile_draw_put_blocks(FILE *out, const struct profile_draw_table *t, int bottom)
{
    uint32_t rows = t->rows;
    int free_from = TOP - LABEL / 2; /* from here on no label yet */
    for (uint32_t row = 0, end; row < rows; row = end) {
        const struct json_read *b = t->row[row].block;
        for (end = row + 1; end < rows && t->row[end].block == b; end++)
            ;
        int y = profile_draw_edge(TOP, bottom, row, rows),
            next = profile_draw_edge(TOP, bottom, end, rows);
        int middle = (y + next) / 2, half = profile_draw_has_size(b, y, next) ? LABEL : LABEL / 2;
        if (row > 0)
            fprintf(out,
                    "<path d=\"M%d %dH%d\" stroke=\"currentColor\" stroke-width=\"5\" "
                    "opacity=\".35\"/>\n",
                    LEFT - 60, y, RIGHT);
        if (middle - half < free_from)
            continue;
        profile_draw_put_block(out, b, y, next);
        free_from = middle + half;
    }
}

static void profile_draw_put_times(FILE *out, const struct profile_draw_table *t, int bottom)
{
    double all = t->column_s * t->columns;
    const char *unit = all >= 5 ? "s" : all >= 5e-3 ? "ms" : "us";
    double unit_s = all >= 5 ? 1 : all >= 5e-3 ? 1e-3 : 1e-6;
    uint64_t step = profile_draw_round_step((uint64_t)(all / unit_s), 5);
    char text[60];
    for (uint64_t at = 0; (double)at * unit_s <= all; at += step) {
        int x = LEFT + (int)((double)(RIGHT - LEFT) * ((double)at * unit_s / all));
        fprintf(out, "<path d=\"M%d %dv50\" stroke=\"currentColor\" stroke-width=\"8\"/>\n", x,
                bottom);
        snprintf(text, sizeof text, "%" PRIu64, at);
        profile_draw_put_label(out, x, bottom + 190, "middle", text);
    }
    snprintf(text, sizeof text, "time since hlrc_init, %s", unit);
    profile_draw_put_label(out, (LEFT + RIGHT) / 2, bottom + 370, "middle", text);
}

void profile_draw_map(FILE *out, const struct json_read *profile, enum heat_kind kind)
{
    static const struct {
        const char *name, *title;
    } maps[HEAT_KINDS] = { [HEAT_FAULTS] = { "faults", "Page faults over time" },
                           [HEAT_FETCHES] = { "fetches", "Fetches over time" },
                           [HEAT_DIFFS] = { "diffs", "Diffs over time" } };
    static struct profile_draw_table t;
    profile_draw_read(&t, profile, maps[kind].name);
    int rows = (int)(t.rows ? t.rows : 1), tall = rows * 160 < TALLEST ? rows * 160 : TALLEST,
        bottom = TOP + tall;
    struct profile_draw_scale s = profile_draw_scale_of(1, t.most ? t.most : 1, false);
    char under[160];
    snprintf(under, sizeof under, "a cell: %u page%s by %.3f ms", t.pages_each,
             t.pages_each > 1 ? "s" : "", t.column_s * 1e3);
    profile_draw_begin(out, bottom + 1000, maps[kind].name, maps[kind].title, under);
    profile_draw_put_label(out, 40, TOP - 100, "start", "pages, by allocation");
    for (int level = 1; level <= LEVELS; level++)
        profile_draw_put_level(out, &t, &s, level, bottom);
    profile_draw_put_blocks(out, &t, bottom);
    profile_draw_put_frame(out, LEFT, TOP, RIGHT - LEFT, tall);
    profile_draw_put_times(out, &t, bottom);
    if (t.most == 0)
        profile_draw_put_label(out, (LEFT + RIGHT) / 2, TOP + tall / 2 + 45, "middle", "none");
    snprintf(under, sizeof under, "%s in a cell, at least", maps[kind].name);
    profile_draw_put_legend(out, &s, bottom + 600, under, false);
    fputs("</svg>\n", out);
}

/* ---- node by node ---- */

/* With more than SIDE nodes several are merged into one. */
struct profile_draw_traffic {
    uint64_t bytes[SIDE][SIDE];
    int side, each;
    uint64_t least, most; /* that is not 0 */
};

/* A list by node: bytes from it to `node`, or from `node` to it. */
static void profile_draw_add_traffic(struct profile_draw_traffic *t, const struct json_read *of,
                                     int node, bool to_it, uint64_t unit)
{
    for (int other = 0; of && other < t->side * t->each; of = of->next, other++) {
        int from = to_it ? node : other, to = to_it ? other : node;
        t->bytes[from / t->each][to / t->each] += strtoull(of->text, NULL, 10) * unit;
    }
}

/* Copies, and reads of hlrc_get; diffs, and writes of hlrc_put. */
static void profile_draw_sum_traffic(struct profile_draw_traffic *t,
                                     const struct json_read *profile)
{
    uint64_t count = json_read_count(profile, "nodes"),
             page = json_read_count(profile, "page_bytes");
    int nodes = (int)(count < NODES_MAX ? count : NODES_MAX), n = 0;
    *t = (struct profile_draw_traffic){ .each = 1, .least = UINT64_MAX };
    while (nodes > SIDE * t->each)
        t->each *= 2;
    t->side = (nodes + t->each - 1) / t->each;
    for (JSON_READ_EACH(node, json_read_list(profile, "by_node"))) {
        if (n == nodes)
            break;
        profile_draw_add_traffic(t, json_read_list(node, "pages_from"), n, false, page);
        profile_draw_add_traffic(t, json_read_list(node, "got_bytes_from"), n, false, 1);
        profile_draw_add_traffic(t, json_read_list(node, "diff_bytes_to"), n, true, 1);
        profile_draw_add_traffic(t, json_read_list(node, "put_bytes_to"), n, true, 1);
        n++;
    }
    for (int i = 0; i < t->side * t->side; i++) {
        uint64_t b = t->bytes[i / t->side][i % t->side];
        t->most = b > t->most ? b : t->most;
        t->least = b && b < t->least ? b : t->least;
    }
}

static void profile_draw_put_cell(FILE *out, const struct profile_draw_traffic *t,
                                  const struct profile_draw_scale *s, int from, int to, int size)
{
    char text[40];
    uint64_t bytes = t->bytes[from][to];
    int level = profile_draw_level_of(s, bytes), x = LEFT + to * size, y = TOP + from * size;
    if (level == 0)
        return;
    profile_draw_bytes(bytes, text, sizeof text);
    fprintf(out,
            "<rect class=\"hp%d\" shape-rendering=\"crispEdges\" x=\"%d\" y=\"%d\" width=\"%d\" "
            "height=\"%d\"><title>%s from node %d to node %d</title></rect>\n",
            level, x, y, size, size, text, from * t->each, to * t->each);
    if (t->side <= WRITTEN)
        fprintf(out,
                "<text class=\"hp-on-%s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\" "
                "font-size=\"%d\">%s</text>\n",
                level >= 4 ? "dark" : "light", x + size / 2, y + size / 2 + 40,
                size / 5 < 120 ? size / 5 : 120, text);
}

static void profile_draw_put_nodes(FILE *out, const struct profile_draw_traffic *t, int size)
{
    int step = (int)profile_draw_round_step((uint64_t)t->side * (uint64_t)t->each, 12),
        tall = size * t->side;
    char text[40];
    for (int n = 0; n < t->side * t->each; n += step) {
        int middle = (int)((int64_t)size * (2 * (n / t->each) + 1) / 2);
        snprintf(text, sizeof text, "%d", n);
        profile_draw_put_label(out, LEFT + middle, TOP + tall + 190, "middle", text);
        profile_draw_put_label(out, LEFT - 70, TOP + middle + 45, "end", text);
    }
    profile_draw_put_label(out, LEFT + tall / 2, TOP + tall + 370, "middle", "to node");
    profile_draw_put_label(out, LEFT - 330, TOP + tall / 2 + 45, "end", "from node");
}

void profile_draw_traffic(FILE *out, const struct json_read *profile)
{
    static struct profile_draw_traffic t;
    char under[160];
    profile_draw_sum_traffic(&t, profile);
    int size = TALLEST / (t.side > 4 ? t.side : 4), tall = size * t.side;
    struct profile_draw_scale s =
        profile_draw_scale_of(t.most ? t.least : 1, t.most ? t.most : 1, true);
    if (t.each > 1)
        snprintf(under, sizeof under, "pages, diffs, puts and gets; a cell: %d nodes by %d", t.each,
                 t.each);
    else
        snprintf(under, sizeof under, "pages, diffs, puts and gets");
    profile_draw_begin(out, TOP + tall + 1000, "traffic", "Bytes from node to node", under);
    for (int from = 0; from < t.side; from++)
        for (int to = 0; to < t.side; to++)
            profile_draw_put_cell(out, &t, &s, from, to, size);
    profile_draw_put_frame(out, LEFT, TOP, tall, tall);
    profile_draw_put_nodes(out, &t, size);
    profile_draw_put_legend(out, &s, TOP + tall + 600, "bytes in a cell, at least", true);
    fputs("</svg>\n", out);
}
