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

#include "compat/start/image.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

/* basic_ios in the binary interface of libstdc++ on x86-64. */
enum { AT_FORMAT = 8, FORMAT_BYTES = 28, AT_FILL = 224, FILL_BYTES = 8 };
enum { SKIPWS_DEC = 0x1002, UNITBUF = 0x2000 };

static const char *const names[] = { "_ZSt4cout",  "_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",
                                     "_ZSt5wcout", "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog" };
enum { STREAMS = sizeof names / sizeof *names };

/* From precision to state; the fill character and whether it is set. */
struct streams_format {
    char format[FORMAT_BYTES], fill[FILL_BYTES];
};

/* In shared memory; guarded by LOCK_DELEGATE. */
static struct streams_shown {
    uint64_t changes;
    struct streams_format of[STREAMS];
} * shown;

static void *objects[STREAMS];               /* that the program uses; NULL: it does not */
static struct streams_format known[STREAMS]; /* of this node, as last shown or taken */
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

static struct streams_format streams_read(int i)
{
    struct streams_format f = { 0 };
    memcpy(f.format, streams_ios(i) + AT_FORMAT, FORMAT_BYTES);
    memcpy(f.fill, streams_ios(i) + AT_FILL, streams_fill_bytes(i));
    return f;
}

static void streams_write(int i, const struct streams_format *f)
{
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
    struct streams_format f = { 0 };
    memcpy(f.format, &usual, FORMAT_BYTES);
    return f;
}

static void streams_begin(void)
{
    if (!start_sharing)
        return;
    image_each_needed(streams_look_at_name);
    for (int i = 0; i < STREAMS; i++)
        uses |= objects[i] != NULL;
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
