/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* growth_write.c - see growth.h: writes the trace of the requested number of nodes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "sim/fail.h"
#include "sim/growth.h"
#include "sim/run_options.h"

#define OFTEN \
    3 /* flushes, or parts, in which only one node uses a page, after which it is unshared */
#define ALL UINT32_MAX

struct growth_write_bytes {
    unsigned char *at;
    size_t count, room;
};

/* A page of the law's arrays. */
struct growth_write_place {
    uint32_t user; /* node + 1; ALL: several */
    uint8_t loads, closings;
};

struct growth_write_change {
    uint32_t page, bytes, length;
};

struct growth_write_maker {
    struct growth *g;
    const struct growth_wish *wish;
    uint64_t set[RECORD_SETTING_COUNT];
    struct law_job job;
    struct growth_write_place *place;
    uint32_t room;
    uint64_t last_page;
    bool quiet; /* unshared pages are left out */
    /* of the current node */
    struct growth_write_bytes stream, closings;
    uint64_t page, closing_count;
    struct law_access *part; /* since the last synchronization */
    uint32_t parts, part_room;
    struct map pages;       /* changed since the last release */
    uint64_t each, carried; /* units of computing before each page; units not yet in an item */
};

/* ---- bytes ---- */

static unsigned char *growth_write_room_for(struct growth_write_bytes *b, size_t more)
{
    if (b->room - b->count < more)
        b->at = fail_realloc(b->at, b->room = b->room * 2 + more + 4096, 1);
    return b->at + b->count;
}

static void growth_write_put_number(struct growth_write_bytes *b, uint64_t value)
{
    b->count = (size_t)(record_number_put(growth_write_room_for(b, 10), value) - b->at);
}

static void growth_write_put_item(struct growth_write_maker *m, enum record_kind kind,
                                  uint64_t time, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t arg[RECORD_ARGS] = { a, b, c };
    unsigned char *at = growth_write_room_for(&m->stream, RECORD_LONGEST);

    m->stream.count = (size_t)(record_put(at, &m->page, kind, time, arg) - m->stream.at);
}

/* ---- the users of each page: computed over all nodes first ---- */

static struct growth_write_place *growth_write_place_of(struct growth_write_maker *m, uint64_t page)
{
    uint32_t i = (uint32_t)(page - m->job.first_page);

    m->place = map_grow(m->place, &m->room, i + 1, sizeof *m->place);
    m->last_page = page > m->last_page ? page : m->last_page;
    return &m->place[i];
}

static void growth_write_note_user(void *self, const struct law_access *a)
{
    struct growth_write_maker *m = self;
    uint64_t bytes = m->job.page_bytes;

    for (uint64_t p = (a->end - 1) / bytes + 1; p-- > a->begin / bytes;) {
        struct growth_write_place *place = growth_write_place_of(m, p);
        if (place->user != m->job.node + 1)
            place->user = place->user == 0 ? m->job.node + 1 : ALL;
    }
}

/* ---- the actions of a node ---- */

static void growth_write_note_part(void *self, const struct law_access *a)
{
    struct growth_write_maker *m = self;

    *MAP_PUSH(m->part, m->parts, m->part_room) = *a;
}

static uint64_t growth_write_pages_of(const struct growth_write_maker *m,
                                      const struct law_access *a)
{
    return (a->end - 1) / m->job.page_bytes - a->begin / m->job.page_bytes + 1;
}

static void growth_write_put_access(struct growth_write_maker *m, enum record_kind kind,
                                    uint64_t page)
{
    growth_write_put_item(m, kind, m->carried + m->set[RECORD_SET_fault_units], page, 0, 0);
    m->carried = 0;
}

static void growth_write_note_change(struct growth_write_maker *m, const struct law_access *a,
                                     uint64_t page)
{
    const struct growth_change *c = &m->g->change[a->site];
    uint64_t bytes = m->job.page_bytes, begin = page * bytes, end = begin + bytes;
    uint64_t written = (end < a->end ? end : a->end) - (begin > a->begin ? begin : a->begin);
    struct growth_write_change *it = map_at(&m->pages, (uint32_t)page, sizeof *it);

    it->page = (uint32_t)page;
    if (c->written > 0)
        written = (written * c->bytes + c->written - 1) / c->written;
    it->bytes += (uint32_t)written;
    it->length += (uint32_t)(c->bytes > 0 ? written * c->length / c->bytes : written);
}

static bool growth_write_left_out(const struct growth_write_maker *m,
                                  const struct growth_write_place *p, uint8_t before)
{
    return m->quiet && p->user != ALL && before >= OFTEN;
}

static void growth_write_visit(struct growth_write_maker *m, const struct law_access *a,
                               uint64_t page)
{
    struct growth_write_place *p = &m->place[page - m->job.first_page];
    bool loads = a->kind == LAW_READ || a->kind == LAW_UPDATE;

    m->carried += m->each;
    if (loads && !growth_write_left_out(m, p, p->loads)) {
        growth_write_put_access(m, RECORD_READ, page);
        p->loads = (uint8_t)(p->loads < OFTEN ? p->loads + 1 : OFTEN);
    }
    if (a->kind == LAW_READ || growth_write_left_out(m, p, p->closings))
        return;
    if (a->kind != LAW_TOUCH)
        growth_write_put_access(m, RECORD_WRITE, page);
    growth_write_note_change(m, a, page);
}

/* Puts an access: touched or prefetched pages as one item. */
static void growth_write_put_part(struct growth_write_maker *m, const struct law_access *a)
{
    uint64_t first = a->begin / m->job.page_bytes, count = growth_write_pages_of(m, a);

    if (a->kind == LAW_TOUCH || a->kind == LAW_PREFETCH) {
        growth_write_put_item(m, a->kind == LAW_TOUCH ? RECORD_TOUCH : RECORD_PREFETCH, m->carried,
                              first, count, a->kind == LAW_TOUCH);
        m->carried = 0;
    }
    for (uint64_t p = first; a->kind != LAW_PREFETCH && p < first + count; p++)
        growth_write_visit(m, a, p);
}

static int growth_write_by_page(const void *a, const void *b)
{
    const struct growth_write_change *const *x = a, *const *y = b;

    return ((*x)->page > (*y)->page) - ((*x)->page < (*y)->page);
}

static void growth_write_put_closing(struct growth_write_maker *m)
{
    struct growth_write_bytes *b = &m->closings;
    uint64_t before = 0, most = m->job.page_bytes;
    uint32_t count = m->pages.count;

    if (count == 0)
        return;
    qsort(m->pages.value, count, sizeof *m->pages.value, growth_write_by_page); /* cleared below */
    growth_write_put_number(b, (uint64_t)count << 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct growth_write_change *c = m->pages.value[i];
        struct growth_write_place *p = &m->place[c->page - m->job.first_page];
        growth_write_put_number(b, record_fold((int64_t)(c->page - before)));
        growth_write_put_number(b, (uint64_t)c->length << 1);
        growth_write_put_number(b, c->bytes < most ? c->bytes : most);
        before = c->page;
        p->closings = (uint8_t)(p->closings < OFTEN ? p->closings + 1 : OFTEN);
    }
    map_clear(&m->pages);
    m->closing_count++;
    growth_write_put_item(m, RECORD_CLOSED, 0, 1, 0, 0);
}

static bool growth_write_put_sync(void *self, enum law_kind kind, uint64_t arg, uint32_t site,
                                  uint64_t work)
{
    static const enum record_kind kinds[] = {
        [LAW_LOCK] = RECORD_LOCK, [LAW_UNLOCK] = RECORD_UNLOCK, [LAW_END] = RECORD_END
    };
    struct growth_write_maker *m = self;
    uint64_t units = (uint64_t)((__uint128_t)growth_ns(m->g, site, work) *
                                m->set[RECORD_SET_units_s] / 1000000000);
    uint64_t visits = 1;

    for (uint32_t i = 0; i < m->parts; i++)
        visits += m->part[i].kind == LAW_PREFETCH ? 0 : growth_write_pages_of(m, &m->part[i]);
    m->each = units / visits;
    m->carried = units - m->each * (visits - 1);
    for (uint32_t i = 0; i < m->parts; i++)
        growth_write_put_part(m, &m->part[i]);
    m->parts = 0;
    if (kind != LAW_LOCK)
        growth_write_put_closing(m);
    if (kind == LAW_BARRIER) {
        growth_write_put_item(m, RECORD_ARRIVE, m->carried, 1, 0, 0);
        growth_write_put_item(m, RECORD_DEPART, 0, 0, 0, 0);
    } else {
        growth_write_put_item(m, kinds[kind], m->carried, arg, 0, 0);
    }
    m->carried = 0;
    return true;
}

/* ---- the file ---- */

static void growth_write_bytes(FILE *out, uint64_t *digest, const void *bytes, size_t count)
{
    *digest = digest_add(*digest, bytes, count);
    (void)fwrite(bytes, 1, count, out);
}

static void growth_write_fixed(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void growth_write_front(struct growth_write_maker *m, FILE *out, uint64_t *digest)
{
    struct growth_write_bytes b = { 0 };

    memcpy(growth_write_room_for(&b, 12), RECORD_MAGIC, 8);
    growth_write_fixed(b.at + 8, RECORD_VERSION, 4);
    b.count = 12;
    growth_write_put_number(&b, RECORD_SETTING_COUNT);
    for (size_t i = 0; i < RECORD_SETTING_COUNT; i++)
        growth_write_put_number(&b, m->set[i]);
    growth_write_bytes(out, digest, b.at, b.count);
    free(b.at);
}

static void growth_write_part(struct growth_write_maker *m, FILE *out, uint64_t *digest)
{
    struct growth_write_bytes b = { 0 };

    growth_write_put_number(&b, RECORD_COUNTER_COUNT);
    for (size_t i = 0; i < RECORD_COUNTER_COUNT; i++)
        growth_write_put_number(&b, 0); /* never measured */
    growth_write_put_number(&b, m->closings.count);
    growth_write_bytes(out, digest, b.at, b.count);
    growth_write_bytes(out, digest, m->closings.at, m->closings.count);
    b.count = 0;
    growth_write_put_number(&b, m->closing_count);
    growth_write_put_number(&b, 1);
    growth_write_put_number(&b, m->stream.count);
    growth_write_bytes(out, digest, b.at, b.count);
    growth_write_bytes(out, digest, m->stream.at, m->stream.count);
    free(b.at);
}

/* ---- the whole trace ---- */

/* Sets hlrcrun's defaults, but for options that depend on faults, which are unknown here. */
static void growth_write_default_options(uint64_t *set)
{
    struct run_options_option o;

    for (unsigned i = 0; run_options_entry(i, &o); i++)
        if (o.at != RECORD_SET_ahead && o.at != RECORD_SET_move_homes)
            set[o.at] = o.usual;
}

static const char *growth_write_run_all(struct growth_write_maker *m, const struct law_sink *sink,
                                        FILE *out, uint64_t *digest)
{
    const char *wrong = NULL;

    for (m->job.node = 0; m->job.node < m->job.nodes && wrong == NULL; m->job.node++) {
        m->page = m->closing_count = 0;
        m->stream.count = m->closings.count = 0;
        wrong = law_run_node(&m->job, sink, m);
        if (out != NULL && wrong == NULL)
            growth_write_part(m, out, digest);
    }
    return wrong;
}

static const char *growth_write_all(struct growth_write_maker *m, FILE *out)
{
    static const struct law_sink users = { growth_write_note_user, NULL },
                                 items = { growth_write_note_part, growth_write_put_sync };
    uint64_t digest = DIGEST_START;
    unsigned char end[8];
    const char *wrong = growth_write_run_all(m, &users, NULL, NULL);

    if (wrong != NULL)
        return wrong;
    if (m->last_page >= m->set[RECORD_SET_heap_pages])
        m->set[RECORD_SET_heap_pages] = m->last_page + 1;
    if (m->set[RECORD_SET_heap_pages] > m->set[RECORD_SET_pages])
        m->set[RECORD_SET_pages] = m->set[RECORD_SET_heap_pages];
    growth_write_front(m, out, &digest);
    wrong = growth_write_run_all(m, &items, out, &digest);
    growth_write_fixed(end, digest, 8);
    (void)fwrite(end, 1, 8, out);
    return wrong;
}

const char *growth_write(struct growth *g, const struct growth_wish *wish, FILE *out)
{
    const uint64_t *set = g->largest->set;
    struct growth_write_maker m = { .g = g, .wish = wish, .job = growth_job(g, wish->nodes) };
    const char *wrong;

    m.job.weak = wish->weak;
    memcpy(m.set, set, sizeof m.set);
    m.set[RECORD_SET_nodes] = wish->nodes;
    if (!wish->traced_options)
        growth_write_default_options(m.set);
    m.quiet = m.set[RECORD_SET_exclusive] == 0 && !wish->all;
    wrong = growth_write_all(&m, out);
    free(m.stream.at);
    free(m.closings.at);
    free(m.place);
    free(m.part);
    map_free(&m.pages);
    return wrong;
}
