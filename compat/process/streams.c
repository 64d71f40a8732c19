/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* streams.c - see streams.h. */
#include "compat/process/streams.h"

#include <dlfcn.h>
#include <hlrc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compat/process/inherit.h"
#include "compat/start/image.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

/* basic_ios in the binary interface of libstdc++ on x86-64. */
enum {
    AT_FORMAT = 8,
    FORMAT_BYTES = 28,
    AT_LOCALE = 208,
    AT_FILL = 224,
    FILL_BYTES = 8,
    AT_BUFFER = 232
};
enum { SKIPWS_DEC = 0x1002, UNITBUF = 0x2000 };

static const char *const names[] = { "_ZSt4cout",  "_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",
                                     "_ZSt5wcout", "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog" };
enum { STREAMS = sizeof names / sizeof *names };

/* A std::locale is a pointer. A member function that returns one gets memory for it first. */
typedef void *streams_imbue_fn(void **result, void *ios, void *const *locale);
typedef void **streams_classic_fn(void);
static streams_imbue_fn *imbue[2]; /* of narrow streams, of wide ones */
static void *classic;              /* std::locale::classic(), which all nodes have */

/* From precision to state; the fill character and whether it is set. */
struct streams_format {
    void *locale, *buffer; /* NULL: the library's own */
    char format[FORMAT_BYTES], fill[FILL_BYTES];
};

/* In shared memory; guarded by LOCK_DELEGATE. */
static struct streams_shown {
    uint64_t changes;
    struct streams_format of[STREAMS];
} * shown;

static void *objects[STREAMS];               /* that the program uses; NULL: it does not */
static struct streams_format known[STREAMS]; /* of this node, as last shown or taken */
static void *own_buffers[STREAMS];
static _Atomic uint64_t known_changes;
static bool uses;

/* basic_ios is a virtual base: its offset is in the table of virtual functions. */
static char *streams_ios(int i)
{
    const ptrdiff_t *table = *(const ptrdiff_t *const *)objects[i];
    return (char *)objects[i] + table[-3];
}

/* The library constructs them when a program's constructors run. */
static bool streams_is_made(int i)
{
    return objects[i] && *(void *const *)objects[i];
}

/* A wide fill character has four bytes, a narrow one a byte. */
static size_t streams_fill_bytes(int i)
{
    return i < STREAMS / 2 ? 2 : 5;
}

static void **streams_locale(int i)
{
    return (void **)(void *)(streams_ios(i) + AT_LOCALE);
}

static void **streams_buffer(int i)
{
    return (void **)(void *)(streams_ios(i) + AT_BUFFER);
}

static struct streams_format streams_read(int i)
{
    struct streams_format f = { .locale = *streams_locale(i) };
    if (f.locale != classic && !start_is_shared(f.locale)) /* of this node only */
        f.locale = known[i].locale;
    if (start_is_shared(*streams_buffer(i)))
        f.buffer = *streams_buffer(i);
    else
        own_buffers[i] = *streams_buffer(i);
    memcpy(f.format, streams_ios(i) + AT_FORMAT, FORMAT_BYTES);
    memcpy(f.fill, streams_ios(i) + AT_FILL, streams_fill_bytes(i));
    return f;
}

static void streams_write(int i, const struct streams_format *f)
{
    void *before; /* not released: the stream's buffer may refer to it */
    streams_imbue_fn *fn = imbue[i >= STREAMS / 2];
    if (fn && f->locale != *streams_locale(i))
        (void)fn(&before, streams_ios(i), &f->locale);
    if (f->buffer || own_buffers[i])
        *streams_buffer(i) = f->buffer ? f->buffer : own_buffers[i];
    memcpy(streams_ios(i) + AT_FORMAT, f->format, FORMAT_BYTES);
    memcpy(streams_ios(i) + AT_FILL, f->fill, streams_fill_bytes(i));
}

static bool streams_differ(int i)
{
    if (!streams_is_made(i))
        return false;
    struct streams_format now = streams_read(i);
    return memcmp(&now, &known[i], sizeof now) != 0;
}

/* Under the lock. What this node has set prevails over what it has not taken yet. */
static void streams_publish(void)
{
    bool current = known_changes == shown->changes;
    for (int i = 0; i < STREAMS; i++)
        if (streams_differ(i)) {
            known[i] = shown->of[i] = streams_read(i);
            inherit_keep_locale(known[i].locale);
            shown->changes++;
        }
    if (current)
        known_changes = shown->changes;
}

void streams_show(void)
{
    bool differs = false;
    for (int i = 0; uses && i < STREAMS && !differs; i++)
        differs = streams_differ(i);
    if (!differs)
        return;
    hlrc_lock(LOCK_DELEGATE);
    streams_publish();
    hlrc_unlock(LOCK_DELEGATE);
}

void streams_take(void)
{
    if (!uses || known_changes == shown->changes)
        return;
    hlrc_lock(LOCK_DELEGATE);
    for (int i = 0; i < STREAMS; i++)
        if (streams_is_made(i) && !streams_differ(i) &&
            memcmp(&known[i], &shown->of[i], sizeof known[i]) != 0) {
            known[i] = shown->of[i];
            streams_write(i, &known[i]);
        }
    known_changes = shown->changes;
    hlrc_unlock(LOCK_DELEGATE);
}

/* The program's buffers may be gone when the library flushes the streams of other nodes. */
static void streams_end(void)
{
    for (int i = 0; uses && start_away && i < STREAMS; i++)
        if (streams_is_made(i) && own_buffers[i])
            *streams_buffer(i) = own_buffers[i];
}

static void streams_look_at_name(const char *name, bool copied, size_t bytes)
{
    (void)copied, (void)bytes;
    for (int i = 0; i < STREAMS; i++)
        if (strcmp(name, names[i]) == 0)
            objects[i] = dlsym(RTLD_DEFAULT, name);
}

/* As the library constructs them. */
static struct streams_format streams_usual(int i)
{
    const struct {
        long precision, width;
        int flags, exceptions, state;
    } usual = { 6, 0, i % 4 == 2 ? SKIPWS_DEC | UNITBUF : SKIPWS_DEC, 0, 0 };
    struct streams_format f = { .locale = classic };
    memcpy(f.format, &usual, FORMAT_BYTES);
    return f;
}

/* std::ios_base::sync_with_stdio. Unsynchronised, each node would buffer what its threads
 * write, and read ahead for them. So it has no effect but its result. */
bool streams_sync(bool sync) __asm__("_ZNSt8ios_base15sync_with_stdioEb")
    __attribute__((visibility("default")));
bool streams_sync(bool sync)
{
    static bool now = true;
    bool (*next)(bool) =
        (bool (*)(bool))(uintptr_t)dlsym(RTLD_NEXT, "_ZNSt8ios_base15sync_with_stdioEb");
    if (!start_sharing)
        return next(sync);
    bool before = now;
    now = sync;
    return before;
}

static void streams_find_locales(void)
{
    static const char *const imbues[] = {
        "_ZNSt9basic_iosIcSt11char_traitsIcEE5imbueERKSt6locale",
        "_ZNSt9basic_iosIwSt11char_traitsIwEE5imbueERKSt6locale"
    };
    streams_classic_fn *fn =
        (streams_classic_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, "_ZNSt6locale7classicEv");
    for (int i = 0; i < 2; i++)
        imbue[i] = (streams_imbue_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, imbues[i]);
    classic = fn ? *fn() : NULL;
}

static void streams_begin(void)
{
    if (!start_sharing)
        return;
    start_before_flush = streams_end;
    image_each_needed(streams_look_at_name);
    for (int i = 0; i < STREAMS; i++)
        uses |= objects[i] != NULL;
    if (uses)
        streams_find_locales();
    for (int i = 0; i < STREAMS; i++)
        known[i] = streams_usual(i);
    shown = start_shared_memory(sizeof *shown, "formats of streams");
    if (hlrc_node_id() == 0)
        memcpy(shown->of, known, sizeof known);
}

__attribute__((constructor)) static void streams_at_start(void)
{
    start_at_begin(streams_begin);
}
