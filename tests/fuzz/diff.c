/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: diffs [diff.exact-bytes], compared with a decoder that is written from the
 * description of the encoding and works byte by byte. The first byte of an input says what it is:
 *   even   the rest is a diff from the network: diff_apply
 *   odd    the rest says how page and twin differ: diff_encode, diff_apply, diff_merge
 * Buffers end where an inaccessible page begins, so that an access behind them ends the process.
 */
#include "hlrc/memory/diff.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/fuzz/fuzz.h"

enum { DIFF_BYTES = 16384 };

/* diff_end: where a buffer of DIFF_BYTES ends */
static uint8_t *page, *twin, *other, *out, *diff_end;
static const char *const loops[] = { "portable", "avx2", "avx512" };

/* `size` bytes between two inaccessible pages, at the end of the room. */
static uint8_t *guarded(size_t size)
{
    size_t space = (size + 4095) / 4096 * 4096;
    uint8_t *base = mmap(NULL, space + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(base != MAP_FAILED);
    must(mprotect(base + 4096, space, PROT_READ | PROT_WRITE) == 0);
    return base + 4096 + space - size;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    page = guarded(DIFF_PAGE);
    twin = guarded(DIFF_PAGE);
    other = guarded(DIFF_PAGE);
    out = guarded(DIFF_MAX);
    diff_end = guarded(DIFF_BYTES) + DIFF_BYTES;
    return 0;
}

/* ---- the reference: which bytes a diff carries, and where they are; false when it is malformed
 * ---- */

static unsigned number_at(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static bool decode_runs(const uint8_t *d, size_t len, unsigned count, int *source)
{
    size_t data = 4 + 4 * (size_t)count, end = 0;
    if (count == 0 || count > 128 || len < data)
        return false;
    for (unsigned i = 0; i < count; i++) {
        unsigned off = number_at(d + 4 + 4 * i), size = number_at(d + 6 + 4 * i);
        if (size == 0 || off + size > DIFF_PAGE || (i > 0 && off <= end))
            return false;
        for (unsigned k = 0; k < size; k++)
            source[off + k] = (int)data++;
        end = off + size;
    }
    return data == len;
}

static bool decode_bitmap(const uint8_t *d, size_t len, unsigned count, int *source)
{
    size_t data = 4 + 512;
    if (len < data)
        return false;
    for (int i = 0; i < DIFF_PAGE; i++)
        if (d[4 + i / 8] >> i % 8 & 1)
            source[i] = (int)data++;
    return data == len && count == data - 516 && count > 0;
}

/* source[i]: index in the diff of the page's byte i, -1 when it is not in it. */
static bool decode(const uint8_t *d, size_t len, int *source)
{
    for (int i = 0; i < DIFF_PAGE; i++)
        source[i] = -1;
    if (len == 0)
        return true;
    if (len < 4)
        return false;
    if (number_at(d) == 1)
        return decode_runs(d, len, number_at(d + 2), source);
    return number_at(d) == 2 && decode_bitmap(d, len, number_at(d + 2), source);
}

/* ---- a diff from the network ---- */

static void check_apply(const uint8_t *d, size_t len)
{
    static int source[DIFF_PAGE];
    bool good = decode(d, len, source);
    size_t carried = 0;
    for (int i = 0; i < DIFF_PAGE; i++)
        page[i] = other[i] = (uint8_t)(i * 7 + 3);
    must(diff_apply(page, d, len) == (good ? 0 : -EINVAL));
    for (int i = 0; i < DIFF_PAGE; i++) {
        bool in = good && source[i] >= 0;
        must(page[i] == (in ? d[source[i]] : other[i])); /* [diff.exact-bytes] */
        carried += in;
    }
    must(diff_changed_bytes(d, len) == carried);
}

static void fuzz_apply(const uint8_t *data, size_t size)
{
    if (size > DIFF_BYTES)
        size = DIFF_BYTES;
    memcpy(diff_end - size, data, size);
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (diff_use(loops[i]) == 0)
            check_apply(diff_end - size, size);
}

/* ---- a page and its twin ---- */

/* Each five bytes of the input change a run. */
static void make_pages(const uint8_t *data, size_t size)
{
    for (int i = 0; i < DIFF_PAGE; i++)
        page[i] = twin[i] = (uint8_t)(i * 13);
    for (; size >= 5; data += 5, size -= 5) {
        unsigned off = number_at(data) % DIFF_PAGE, len = data[2], step = 1 + data[3] % 4u;
        if (data[3] & 128)
            len *= 16;
        for (unsigned i = 0; i < len && off + i * step < DIFF_PAGE; i++)
            page[off + i * step] = (uint8_t)(page[off + i * step] + data[4]);
    }
}

static size_t check_encode(void)
{
    static int source[DIFF_PAGE];
    size_t len = diff_encode(page, twin, out);
    must(len <= DIFF_MAX);
    must(decode(out, len, source));
    for (int i = 0; i < DIFF_PAGE; i++) {
        must((source[i] >= 0) == (page[i] != twin[i])); /* [diff.exact-bytes] */
        must(source[i] < 0 || out[source[i]] == page[i]);
    }
    return len;
}

static void check_merge(const uint8_t *data, size_t size)
{
    static uint8_t fetched[DIFF_PAGE], want[DIFF_PAGE];
    for (int i = 0; i < DIFF_PAGE; i++) {
        fetched[i] = size ? (uint8_t)(twin[i] + data[(size_t)i % size] % 3) : twin[i];
        want[i] = page[i] != twin[i] ? page[i] : fetched[i];
    }
    diff_merge(page, twin, fetched);
    must(memcmp(page, want, DIFF_PAGE) == 0);
    must(memcmp(twin, fetched, DIFF_PAGE) == 0);
}

static void fuzz_encode(const uint8_t *data, size_t size)
{
    static uint8_t first[DIFF_MAX];
    size_t first_len = 0;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        if (diff_use(loops[i]) != 0)
            continue;
        make_pages(data, size);
        size_t len = check_encode();
        if (i == 0) {
            first_len = len;
            memcpy(first, out, len);
        }
        must(len == first_len && memcmp(first, out, len) == 0);
        memcpy(other, twin, DIFF_PAGE);
        must(diff_apply(other, out, len) == 0);
        must(memcmp(other, page, DIFF_PAGE) == 0);
        check_merge(data, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 2 == 0)
        fuzz_apply(data + 1, size - 1);
    else
        fuzz_encode(data + 1, size - 1);
    return 0;
}

/* ---- seeds: well-formed diffs of both forms, and descriptions ---- */

static const uint8_t one_run[] = { 0, 1, 0, 1, 0, 10, 0, 3, 0, 'a', 'b', 'c' };
static const uint8_t two_runs[] = { 0, 1, 0, 2, 0, 0, 0, 1, 0, 2, 0, 2, 0, 'x', 'y', 'z' };
static const uint8_t last_byte[] = { 0, 1, 0, 1, 0, 255, 15, 1, 0, '!' };
static const uint8_t bitmap[1 + 4 + 512 + 3] = { 0,   2,   0,  3, 0, 5, [1 + 4 + 511] = 128,
                                                 'p', 'q', 'r' };
static const uint8_t page_changes[] = { 1, 0, 0, 1, 0, 1, 255, 15, 9, 0, 7, 100, 0, 255, 129, 3 };

const struct fuzz_seed fuzz_seeds[] = {
    { one_run, sizeof one_run },           { two_runs, sizeof two_runs },
    { last_byte, sizeof last_byte },       { bitmap, sizeof bitmap },
    { page_changes, sizeof page_changes }, { NULL, 0 },
};
