/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * driver.c - drives a fuzz target where there is no libFuzzer: random changes of its seeds and of
 * what came of them.
 *
 *   target [--seed N] [--seconds T | --runs N]     (defaults 1 and 2 seconds)
 *   target FILE...                      performs these inputs once, e.g. what libFuzzer found
 *
 * On a failure the input stays in fuzz-failure, in the current folder.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 8192, POOL = 64 };

struct input {
    size_t size;
    uint8_t data[INPUT_MAX];
};

static struct input pool[POOL]; /* what new inputs are made from */
static struct input current;
static size_t pooled;
static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(size_t n)
{
    return (size_t)(draw() % n);
}

static void save_current(int sig)
{
    FILE *f = fopen("fuzz-failure", "wb");
    if (f) {
        fwrite(current.data, 1, current.size, f);
        fclose(f);
    }
    fprintf(stderr, "signal %d on an input of %zu bytes, kept in fuzz-failure\n", sig,
            current.size);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void insert(struct input *in, size_t at, size_t len)
{
    if (in->size + len > INPUT_MAX)
        return;
    memmove(in->data + at + len, in->data + at, in->size - at);
    for (size_t i = 0; i < len; i++)
        in->data[at + i] = (uint8_t)draw();
    in->size += len;
}

static void erase(struct input *in, size_t at, size_t len)
{
    memmove(in->data + at, in->data + at + len, in->size - at - len);
    in->size -= len;
}

static void change_number(struct input *in, size_t at)
{
    static const uint16_t edges[] = { 0,   1,    2,    127,   128,   255,  511,
                                      512, 4095, 4096, 32767, 32768, 65535 };
    uint16_t value = edges[below(sizeof edges / sizeof edges[0])];
    if (in->size - at >= 2)
        memcpy(in->data + at, &value, 2);
}

static void mutate(struct input *in)
{
    size_t at = in->size ? below(in->size) : 0;
    switch (below(7)) {
    case 0:
        if (in->size)
            in->data[at] ^= (uint8_t)(1u << below(8));
        return;
    case 1:
        if (in->size)
            in->data[at] = (uint8_t)draw();
        return;
    case 2:
        insert(in, at, 1 + below(8));
        return;
    case 3:
        if (in->size)
            erase(in, at, 1 + below(in->size - at));
        return;
    case 4:
        change_number(in, at);
        return;
    case 5: { /* a part of another one */
        const struct input *other = &pool[below(pooled)];
        size_t from = other->size ? below(other->size) : 0,
               len = other->size ? 1 + below(other->size - from) : 0;
        if (len > INPUT_MAX - at)
            len = INPUT_MAX - at;
        memcpy(in->data + at, other->data + from, len);
        if (in->size < at + len)
            in->size = at + len;
        return;
    }
    default:
        insert(in, at, 1 + below(300));
        return;
    }
}

static void fill_pool(void)
{
    for (const struct fuzz_seed *s = fuzz_seeds; s->data && pooled < POOL; s++, pooled++) {
        pool[pooled].size = s->size < INPUT_MAX ? s->size : INPUT_MAX;
        memcpy(pool[pooled].data, s->data, pool[pooled].size);
    }
    for (; pooled < POOL; pooled++)
        pool[pooled].size = 0;
}

/* As many as most says, or (0) until the time is over. */
static void run_random(double seconds, uint64_t most)
{
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    uint64_t runs = 0;
    fill_pool();
    for (; most ? runs < most : runs % 64 != 0 || clock() < end; runs++) {
        size_t from = below(POOL);
        current = pool[from];
        for (size_t n = 1 + below(6); n > 0; n--)
            mutate(&current);
        LLVMFuzzerTestOneInput(current.data, current.size);
        if (below(8) == 0) /* keep some, so that changes add up */
            pool[below(POOL)] = current;
        if (below(4096) == 0) {
            pooled = 0;
            fill_pool();
        }
    }
    printf("%llu inputs\n", (unsigned long long)runs);
}

static void run_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    if (!f) {
        perror(name);
        exit(2);
    }
    current.size = fread(current.data, 1, INPUT_MAX, f);
    fclose(f);
    LLVMFuzzerTestOneInput(current.data, current.size);
}

int main(int argc, char **argv)
{
    double seconds = 2;
    uint64_t runs = 0;
    bool files = false;
    state = 1;
    signal(SIGSEGV, save_current);
    signal(SIGABRT, save_current);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            seconds = strtod(argv[++i], NULL);
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            runs = strtoull(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            state = strtoull(argv[++i], NULL, 0);
        } else {
            run_file(argv[i]);
            files = true;
        }
    }
    if (!files)
        run_random(seconds, runs);
    return 0;
}
