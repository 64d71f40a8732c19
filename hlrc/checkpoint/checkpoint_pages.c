/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_pages.c - see checkpoint_pages.h. */
#include "hlrc/checkpoint/checkpoint_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/reserve.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/default_home.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/range.h"
#include "hlrc/memory/space.h"
#include "hlrc/memory/unchanged.h"
#include "hlrc/progress/thread.h"

#define PAGES_END UINT32_MAX /* in place of a page number */
#define GROUP     64u        /* pages that one node stores, of files that several read */

struct checkpoint_pages_run {
    uint32_t first, count;
};

static uint64_t *saved; /* digest of the page as saved last; 0: it is in no file of this node */

static size_t checkpoint_pages_bytes(void)
{
    return (size_t)engine.pages * sizeof *saved;
}

int checkpoint_pages_init(void)
{
    saved = reserve(checkpoint_pages_bytes());
    return saved ? unchanged_init() : -ENOMEM;
}

void checkpoint_pages_end(void)
{
    unchanged_end();
    reserve_end(saved, checkpoint_pages_bytes());
    saved = NULL;
}

/* ---- saving ---- */

/* The list of pages that this node is home of. */
struct checkpoint_pages_list {
    struct checkpoint_pages_run *run;
    uint32_t count, room;
};

static bool checkpoint_pages_list_add(struct checkpoint_pages_list *l, uint32_t page)
{
    struct checkpoint_pages_run *last = l->count ? &l->run[l->count - 1] : NULL;
    if (last && last->first + last->count == page) {
        last->count++;
        return true;
    }
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 256;
        struct checkpoint_pages_run *more = realloc(l->run, room * sizeof *more);
        if (!more)
            return false;
        l->run = more;
        l->room = room;
    }
    l->run[l->count++] = (struct checkpoint_pages_run){ page, 1 };
    return true;
}

/* A job of one node leaves ranges where they are. */
static const char *checkpoint_pages_at(uint32_t page)
{
    uint32_t in_a_row;
    return engine.alone ? engine_app_run(page, &in_a_row) : engine_page_mem(page);
}

static bool checkpoint_pages_is_home(uint32_t page, uint32_t token)
{
    if (engine.alone)
        return true;
    int home = page_known_home(page);
    if (home < 0 && engine.config.pages == PAGES_ASYNC && default_home_of(page) == engine.node)
        return !range_as_begun(page); /* the default home may have stored to it [rule 7] */
    if (home < 0)
        home = engine.protocol.pages->home(page, token);
    return home == engine.node;
}

/* Zero is the initial state of the heap, but not of ranges. */
static bool checkpoint_pages_is_saved(uint32_t page, uint32_t token)
{
    bool zero = page < engine_heap_pages() && diff_is_zero(checkpoint_pages_at(page));
    return !zero && checkpoint_pages_is_home(page, token);
}

/* The next pages from *first on that have memory here; false: none. */
static bool checkpoint_pages_next(uint32_t *first, uint32_t *end)
{
    uint32_t heap = engine_heap_pages();
    if (*first >= engine.pages)
        return false;
    if (engine.alone && *first >= heap) {
        *end = engine.pages;
        return true;
    }
    off_t data = lseek(engine.space.fd, (off_t)*first << PAGE_SHIFT, SEEK_DATA);
    off_t hole = data < 0 ? -1 : lseek(engine.space.fd, data, SEEK_HOLE);
    uint32_t all = engine.alone ? heap : engine.pages;
    *first = hole < 0 || data >> PAGE_SHIFT > all ? all : (uint32_t)(data >> PAGE_SHIFT);
    *end = hole < 0 || (hole - 1) >> PAGE_SHIFT >= all ? all
                                                       : (uint32_t)((hole - 1) >> PAGE_SHIFT) + 1;
    return *first < engine.pages;
}

/* [checkpoint.lost-page]. Memory of the table is freed, where that is possible. */
static void checkpoint_pages_forget(uint32_t first, uint32_t end)
{
    const uintptr_t mask = PAGE_SIZE - 1;
    uintptr_t at = (uintptr_t)&saved[first], stop = (uintptr_t)&saved[end];
    uintptr_t whole = (at + mask) & ~mask, whole_end = stop & ~mask;
    if (whole < whole_end && madvise((void *)whole, whole_end - whole, MADV_DONTNEED) == 0) {
        memset((void *)at, 0, whole - at);
        at = whole_end;
    }
    memset((void *)at, 0, stop - at);
}

struct checkpoint_pages_saving {
    struct checkpoint_file *f;
    struct checkpoint_pages_list list;
    uint32_t token;
    bool full, crowded; /* crowded: the view has no room for more borders */
    uint64_t count;
};

static void checkpoint_pages_put(struct checkpoint_pages_saving *s, uint32_t page, bool changed)
{
    if (!checkpoint_pages_list_add(&s->list, page))
        checkpoint_file_fail(s->f, -ENOMEM);
    if (!changed && !s->full)
        return;
    checkpoint_file_put(s->f, &page, sizeof page);
    checkpoint_file_put(s->f, checkpoint_pages_at(page), PAGE_SIZE);
    s->count++;
}

/* Whether the page has been stored to since it was saved. A page that is saved for the first time
 * may never be stored to again. */
static bool checkpoint_pages_save_one(struct checkpoint_pages_saving *s, uint32_t page)
{
    uint64_t before = saved[page], now = 0;
    if (checkpoint_pages_is_saved(page, s->token))
        now = digest_of_words(checkpoint_pages_at(page), PAGE_SIZE) | 1;
    if (before != now)
        saved[page] = now;
    if (now)
        checkpoint_pages_put(s, page, before != now);
    return before && before != now;
}

/* Pages of a run, and registers them (unchanged.h). Where pages are stored to, the chunk stays open
 * for stores. */
static void checkpoint_pages_save_run(struct checkpoint_pages_saving *s, uint32_t first,
                                      uint32_t count)
{
    bool read[RUN_PAGES], close[RUN_PAGES], any = false;
    for (uint32_t i = 0, chunk = 0; i < count; i++) {
        chunk = (first + i) % UNCHANGED_CHUNK == 0 ? i : chunk;
        close[i] = i == chunk || close[i - 1];
        read[i] = !unchanged_holds(first + i);
        any |= read[i];
        if (!read[i] && saved[first + i])
            checkpoint_pages_put(s, first + i, false);
        else if (read[i] && checkpoint_pages_save_one(s, first + i))
            memset(&close[chunk], false, i + 1 - chunk);
    }
    if (any && !engine.alone && !s->crowded)
        s->crowded = !unchanged_register(first, count, read, close);
}

static void checkpoint_pages_save_all(struct checkpoint_pages_saving *s)
{
    uint32_t done = 0, first = 0, end;
    for (; checkpoint_pages_next(&first, &end) && checkpoint_file_status(s->f) == 0; first = end) {
        checkpoint_pages_forget(done, first);
        for (uint32_t rest; first < end; first += rest) {
            rest = RUN_PAGES - first % RUN_PAGES;
            rest = rest < end - first ? rest : end - first;
            checkpoint_pages_save_run(s, first, rest);
        }
        done = end;
    }
    checkpoint_pages_forget(done, engine.pages);
}

uint64_t checkpoint_pages_save(struct checkpoint_file *f, bool full)
{
    const uint32_t last = PAGES_END;
    struct thread *t = thread_enter();
    struct checkpoint_pages_saving s = { .f = f, .token = t->call_token, .full = full };
    checkpoint_pages_save_all(&s);
    thread_leave(t);
    checkpoint_file_put(f, &last, sizeof last);
    checkpoint_file_put(f, &s.list.count, sizeof s.list.count);
    checkpoint_file_put(f, s.list.run, s.list.count * sizeof *s.list.run);
    free(s.list.run);
    return s.count;
}

/* ---- loading ---- */

/* Consecutive pages, stored together. */
static struct {
    uint32_t first, count;
    char bytes[GROUP][PAGE_SIZE];
} batch;

static void checkpoint_pages_store(void)
{
    uint32_t in_a_row;
    if (batch.count == 0)
        return;
    if (!engine.alone) {
        struct thread *t = thread_enter();
        page_touch(batch.first, batch.count, true);
        thread_leave(t);
    }
    space_populate(batch.first, batch.count);
    memcpy(engine_app_run(batch.first, &in_a_row), batch.bytes, (size_t)batch.count << PAGE_SHIFT);
    batch.count = 0;
}

/* Room for the contents of a page in the batch. */
static char *checkpoint_pages_room(uint32_t page)
{
    uint32_t in_a_row;
    if (batch.count > 0)
        (void)engine_app_run(batch.first, &in_a_row);
    if (batch.count > 0 &&
        (batch.count == GROUP || batch.count == in_a_row || page != batch.first + batch.count))
        checkpoint_pages_store();
    if (batch.count == 0)
        batch.first = page;
    return batch.bytes[batch.count++];
}

static bool checkpoint_pages_own(const struct checkpoint_pages_load *l, uint32_t page)
{
    return page / GROUP % l->share == l->rank;
}

static bool checkpoint_pages_bit(const struct checkpoint_pages_load *l, uint32_t page)
{
    return l->wanted[page / 64] >> page % 64 & 1;
}

static void checkpoint_pages_flip(struct checkpoint_pages_load *l, uint32_t page)
{
    l->wanted[page / 64] ^= UINT64_C(1) << page % 64;
}

/* The pages of a file. In the newest all are stored, and marked; in others those that are
 * wanted. */
static void checkpoint_pages_read(struct checkpoint_pages_load *l, struct checkpoint_file *f,
                                  bool newest)
{
    char other[PAGE_SIZE];
    for (;;) {
        uint32_t page = PAGES_END;
        checkpoint_file_get(f, &page, sizeof page);
        if (checkpoint_file_status(f) != 0 || page == PAGES_END)
            break;
        if (page >= engine.pages) {
            checkpoint_file_fail(f, -EBADMSG);
            break;
        }
        bool stores = checkpoint_pages_own(l, page) && checkpoint_pages_bit(l, page) == !newest;
        checkpoint_file_get(f, stores ? checkpoint_pages_room(page) : other, PAGE_SIZE);
        if (!stores)
            continue;
        checkpoint_pages_flip(l, page);
        l->left -= !newest;
    }
    if (checkpoint_file_status(f) == 0)
        checkpoint_pages_store();
    batch.count = 0;
}

static size_t checkpoint_pages_bitmap_bytes(void)
{
    return ((size_t)engine.pages / 64 + 1) * sizeof(uint64_t);
}

void checkpoint_pages_load_newest(struct checkpoint_pages_load *l, struct checkpoint_file *f)
{
    l->wanted = reserve(checkpoint_pages_bitmap_bytes());
    if (!l->wanted) {
        checkpoint_file_fail(f, -ENOMEM);
        return;
    }
    checkpoint_pages_read(l, f, true);
    uint32_t runs = 0;
    checkpoint_file_get(f, &runs, sizeof runs);
    for (uint32_t i = 0; i < runs && checkpoint_file_status(f) == 0; i++) {
        struct checkpoint_pages_run run = { 0, 0 };
        checkpoint_file_get(f, &run, sizeof run);
        if (run.first >= engine.pages || run.count > engine.pages - run.first)
            checkpoint_file_fail(f, -EBADMSG);
        for (uint32_t k = 0; k < run.count && checkpoint_file_status(f) == 0; k++)
            if (checkpoint_pages_own(l, run.first + k)) {
                checkpoint_pages_flip(l, run.first + k);
                l->left += checkpoint_pages_bit(l, run.first + k);
            }
    }
}

void checkpoint_pages_load_older(struct checkpoint_pages_load *l, struct checkpoint_file *f)
{
    checkpoint_pages_read(l, f, false);
}

void checkpoint_pages_load_end(struct checkpoint_pages_load *l)
{
    reserve_end(l->wanted, checkpoint_pages_bitmap_bytes());
    l->wanted = NULL;
}
