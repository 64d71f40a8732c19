/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* radix_keys.c - see radix_keys.h. */
#include "apps/radix_keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tally tally_empty = { 0, 0, 1 };

/* Factors are odd, so the product never becomes 0. */
void tally_add(struct tally *t, uint32_t key)
{
    uint64_t number = app_scramble(key);

    t->keys++;
    t->sum += number;
    t->product *= number | 1;
}

void tally_join(struct tally *t, const struct tally *other)
{
    t->keys += other->keys;
    t->sum += other->sum;
    t->product *= other->product;
}

bool tally_equal(const struct tally *a, const struct tally *b)
{
    return a->keys == b->keys && a->sum == b->sum && a->product == b->product;
}

/* The upper 32 bits of a random number, scaled. */
void keys_generate(uint32_t *key, struct app_range range, uint64_t max_key, struct tally *t)
{
    uint64_t state = app_random_skip(app.seed, range.begin);

    for (size_t i = range.begin; i < range.end; i++) {
        key[i] = (uint32_t)((app_random(&state) >> 14) * max_key >> 32);
        tally_add(t, key[i]);
    }
}

static FILE *open_keys(const char *path)
{
    FILE *f = fopen(path, "r");

    if (f == NULL)
        app_usage_error("--input %s: %s; name a file that every node can read", path,
                        strerror(errno));
    return f;
}

/* The next line's key; false at the end. `line` counts from 1. */
static bool next_key(FILE *f, const char *path, size_t line, uint32_t *key)
{
    char text[64];
    uint64_t value;
    char *rest;

    if (fgets(text, sizeof text, f) == NULL)
        return false;
    value = strtoull(text, &rest, 10);
    if (text[0] < '0' || text[0] > '9' || (*rest != '\n' && *rest != '\0') || value > UINT32_MAX)
        app_usage_error("--input %s: line %zu is no key; write one number from 0 to %" PRIu32
                        " in each line",
                        path, line, UINT32_MAX);
    *key = (uint32_t)value;
    return true;
}

static void close_keys(FILE *f, const char *path)
{
    if (ferror(f))
        app_usage_error("--input %s: %s", path, strerror(errno));
    fclose(f);
}

size_t keys_in_file(const char *path, uint32_t *largest)
{
    FILE *f = open_keys(path);
    size_t keys = 0;
    uint32_t key;

    *largest = 0;
    while (next_key(f, path, keys + 1, &key)) {
        *largest = key > *largest ? key : *largest;
        keys++;
    }
    close_keys(f, path);
    if (keys == 0)
        app_usage_error("--input %s: no keys; write one number in each line", path);
    if (keys > MAX_KEYS)
        app_usage_error("--input %s: %zu keys; choose a file of at most %" PRIu64, path, keys,
                        MAX_KEYS);
    return keys;
}

void keys_read(const char *path, uint32_t *key, struct app_range range, struct tally *t)
{
    FILE *f = open_keys(path);
    uint32_t value;

    for (size_t i = 0; i < range.end && next_key(f, path, i + 1, &value); i++) {
        if (i < range.begin)
            continue;
        key[i] = value;
        tally_add(t, value);
    }
    close_keys(f, path);
}

int keys_write(const char *path, const uint32_t *key, size_t keys)
{
    FILE *f = fopen(path, "w");
    bool good = f != NULL;

    for (size_t i = 0; good && i < keys; i++)
        good = fprintf(f, "%" PRIu32 "\n", key[i]) > 0;
    if (f != NULL && fclose(f) != 0)
        good = false;
    return good ? 0 : app_unwritten("output", path);
}
