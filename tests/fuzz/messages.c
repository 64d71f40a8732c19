/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: messages with diffs, as they lie in a slot of the receive ring (bulk.h). The first
 * two bytes of an input are the length that the message claims, modulo more than a slot holds; the
 * rest is its payload. The ring and the pages end where an inaccessible page begins. A message that
 * is not well-formed ends the program with one line; one that is has changed no byte but those of
 * its diffs, and each page's version is the message's.
 */
#include "hlrc/core/engine.h"
#include "hlrc/layout.h"
#include "hlrc/memory/diff.h"
#include "hlrc/memory/interval.h"
#include "hlrc/memory/page.h"
#include "hlrc/progress/bulk.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/fuzz/fuzz.h"

enum { PAGES = 8, NODES = 2, INTERVAL = 5 };

static jmp_buf refused;
static char *before;      /* the pages as they were */
static struct bulk *slot; /* the last of the ring */
static uint32_t last_slot;

_Noreturn void __wrap_diag_fatal(int status, const char *fmt, ...);
_Noreturn void __wrap_diag_fatal(int status, const char *fmt, ...)
{
    char line[400];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    must(status != 0 && len > 0 && (size_t)len < sizeof line);
    longjmp(refused, 1);
}

void __wrap_progress_changed(const void *what);
void __wrap_progress_changed(const void *what)
{
    (void)what; /* nobody waits here */
}

static void write_nothing(struct fabric *f, int peer, int win, size_t off, const void *src,
                          size_t len, struct fabric_op *op)
{
    (void)f, (void)peer, (void)win, (void)off, (void)src, (void)len, (void)op; /* credits */
}

/* `size` bytes that end where an inaccessible page begins. */
static char *guarded(size_t size)
{
    size_t space = (size + 4095) / 4096 * 4096;
    char *base = mmap(NULL, space + 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(base != MAP_FAILED && mprotect(base + space, 4096, PROT_NONE) == 0);
    return base + space - size;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static struct fabric fabric;
    static struct protocol_pages protocol;

    (void)argc, (void)argv;
    fabric.ops.write = write_nothing;
    engine.fabric = &fabric;
    engine.protocol.pages = &protocol;
    engine.nodes = NODES;
    engine.pages = PAGES;
    engine.alone = true; /* no view is protected */
    must(page_init() == 0 && diffs_by_message.init() == 0);
    engine.tokens = msg_token_count(1, PREFETCHES);
    layout_init(&engine.at, NODES, PAGES, engine.tokens, 1 + THREADS_OWN);
    /* the tables, which lie behind the slots, go where requests would be */
    must((size_t)PAGES * (NODES * 8 + 16) <= engine.at.replies - engine.at.requests);
    engine.at.applied = engine.at.requests;
    engine.at.home = engine.at.applied + (size_t)PAGES * NODES * 8;
    engine.at.has_readers = engine.at.home + (size_t)PAGES * 8;
    engine.at.placed = engine.at.has_readers + (size_t)PAGES * 4;
    last_slot = engine.at.bulk_slots - 1;
    size_t last =
        engine.at.bulk + ((size_t)engine.at.bulk_slots + last_slot) * engine.at.bulk_slot_size;
    /* what lies behind the ring is not needed */
    engine.control.base = guarded(last + BULK_SLOT_BYTES);
    slot = (struct bulk *)(void *)(engine.control.base + last);
    engine.mem = guarded(PAGES * PAGE_SIZE);
    before = guarded(PAGES * PAGE_SIZE);
    LLVMFuzzerTestOneInput(fuzz_seeds[0].data, fuzz_seeds[0].size);
    /* or nothing well-formed is ever seen */
    must(memcmp(engine.mem + 3 * PAGE_SIZE + 100, "abcd", 4) == 0);
    return 0;
}

/* The pages that a well-formed message names, by a reader of its own; false when it is none. */
static bool pages_named(const uint8_t *payload, uint32_t bytes, bool *named)
{
    for (uint32_t at = 0; at < bytes;) {
        uint32_t head[2];
        if (bytes - at < sizeof head)
            return false;
        memcpy(head, payload + at, sizeof head);
        if (head[0] >= PAGES || head[1] > bytes - at - sizeof head)
            return false;
        named[head[0]] = true;
        at += (uint32_t)sizeof head + (head[1] + 7) / 8 * 8;
    }
    return true;
}

static void serve(uint32_t claimed)
{
    bool named[PAGES] = { false },
         formed = claimed <= BULK_PAYLOAD && pages_named(slot->payload, claimed, named);

    for (uint32_t p = 0; p < PAGES; p++)
        atomic_store(engine_applied_here(p, 1), 1);
    memset(engine.mem, 0x5a, PAGES * PAGE_SIZE);
    memcpy(before, engine.mem, PAGES * PAGE_SIZE);
    if (setjmp(refused) != 0)
        return; /* also a diff that is malformed in itself */
    bulk_serve(1, last_slot);
    must(formed);
    for (uint32_t p = 0; p < PAGES; p++) {
        must(atomic_load(engine_applied_here(p, 1)) == (named[p] ? INTERVAL : 1));
        must(named[p] ||
             memcmp(engine.mem + p * PAGE_SIZE, before + p * PAGE_SIZE, PAGE_SIZE) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    uint32_t claimed = (data[0] | (uint32_t)data[1] << 8) % (BULK_PAYLOAD + 64);
    size_t given = size - 2 < BULK_PAYLOAD ? size - 2 : BULK_PAYLOAD;
    *slot = (struct bulk){ .type = BULK_DIFFS, .bytes = claimed, .interval = INTERVAL };
    memset(slot->payload, 0, BULK_PAYLOAD);
    memcpy(slot->payload, data + 2, given);
    serve(claimed);
    return 0;
}

/* One run of 4 bytes at 100: form, count, offset and length, the bytes. */
#define DIFF        "\1\0\1\0\x64\0\4\0abcd"
#define ENTRY(page) page "\0\0\0\x0c\0\0\0" DIFF "\0\0\0\0"
#define SEED(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
const struct fuzz_seed fuzz_seeds[] = {
    SEED("\x18\0" ENTRY("\3")),
    SEED("\x30\0" ENTRY("\3") ENTRY("\7")),
    SEED("\x14\0" ENTRY("\0")),
    SEED("\x04\0" ENTRY("\1")),
    SEED("\x18\0" ENTRY("\x08")),
    SEED("\xff\x1f" ENTRY("\2")),
    { NULL, 0 },
};
