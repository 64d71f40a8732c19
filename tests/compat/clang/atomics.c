/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Atomic operations of C11, of GNU C and of OpenMP, of every size, which clang puts in line: by all
 * threads on the same words, and as the only order of plain variables. */
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define ROUNDS 60
#define SETS   40

static _Atomic uint8_t bytes;
static _Atomic int16_t halves;
static _Atomic uint32_t words;
static _Atomic int64_t longs;
static _Atomic _Bool flags[2];
static atomic_flag taken = ATOMIC_FLAG_INIT;
static _Atomic double real;
static _Atomic float small;
static _Atomic long double large;
static struct {
    long a, b, c;
} plain;
static _Atomic struct pair {
    int32_t a, b;
} pair;
static int before, low = 1000000, omp_count, guarded;
static unsigned char high_byte;
static long high, apart[64];
static unsigned both = ~0u;
static double omp_real;
static long double omp_large;
static char pad[5000];
static _Atomic int stages[SETS][16];
static long message;

#ifdef __clang__
#    define MAXIMUM(at, value) __atomic_fetch_max(at, value, __ATOMIC_RELAXED)
#    define MINIMUM(at, value) __atomic_fetch_min(at, value, __ATOMIC_SEQ_CST)
#else
#    define BETTER(at, value, op)                                                                 \
        ({                                                                                        \
            __typeof__(*(at)) old = __atomic_load_n(at, __ATOMIC_RELAXED), new = value;           \
            while (new op old && !__atomic_compare_exchange_n(at, &old, new, 1, __ATOMIC_SEQ_CST, \
                                                              __ATOMIC_SEQ_CST))                  \
                continue;                                                                         \
        })
#    define MAXIMUM(at, value) BETTER(at, value, >)
#    define MINIMUM(at, value) BETTER(at, value, <)
#endif

static void count(int k)
{
    bytes += 3;
    atomic_fetch_sub(&halves, 7);
    atomic_fetch_add_explicit(&words, 5, memory_order_relaxed);
    longs ^= 1L << (k % 48);
    real += .5;
    small += .25f;
    large += 2;
    struct pair seen = atomic_load(&pair), next;
    do
        next = (struct pair){ seen.a + 1, seen.b - 2 };
    while (!atomic_compare_exchange_weak(&pair, &seen, next));
    (void)__sync_fetch_and_add(&before, 2);
    (void)__sync_and_and_fetch(&both, ~(1u << (k % 30)));
    int value = (k * 7919) % 10007;
    MINIMUM(&low, value + 3);
    MAXIMUM(&high, (long)value << 20);
    MAXIMUM(&high_byte, (unsigned char)(value % 251));
#pragma omp atomic
    omp_real += 1.5;
#pragma omp atomic
    omp_large -= 1;
#pragma omp atomic capture
    value = omp_count++;
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        continue;
    guarded += value >= 0;
    plain.a = plain.a + 1;
    plain.c = plain.a + plain.b;
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

/* One thread writes, the next reads what it wrote and writes in turn. */
static void pass_on(int me, int threads, int set)
{
    _Atomic int *stage = stages[set];
    for (int round = 0; round < 4; round++) {
        int mine = round * threads + me;
        if (round % 2) {
            while (atomic_load_explicit(stage, memory_order_acquire) != mine)
                continue;
            message = message * 3 % 1000003 + mine;
            atomic_store_explicit(stage, mine + 1, memory_order_release);
        } else {
            while (atomic_load_explicit(stage, memory_order_relaxed) != mine)
                continue;
            atomic_thread_fence(memory_order_acquire);
            message = message * 3 % 1000003 + mine;
            pad[(set + round) * 100 % sizeof pad] = 1;
            atomic_thread_fence(memory_order_release);
            atomic_store_explicit(stage, mine + 1, memory_order_relaxed);
        }
    }
    while (atomic_load_explicit(stage, memory_order_acquire) != 4 * threads)
        continue;
}

int main(void)
{
    int threads = 2;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
        for (int k = 0; k < 2 * ROUNDS; k++)
            count(k);
        for (int w = 0; w < 64 * 50; w++) /* either thread's is the greater one by turns */
            MAXIMUM(&apart[w % 64], w / 64 * 2 + (w + omp_get_thread_num()) % 2);
        for (int set = 0; set < SETS; set++)
            pass_on(omp_get_thread_num(), threads, set);
        flags[omp_get_thread_num()] = 1;
    }
    struct pair p = pair;
    printf("%d %d %u %lx %.1f %.2f %.0Lf\n", bytes, halves, words, (unsigned long)longs, real,
           (double)small, large);
    printf("%d %d, %d %x %d %ld %d, %.1f %.0Lf %d %d\n", p.a, p.b, before, both, low, high >> 20,
           high_byte, omp_real, omp_large, omp_count, guarded);
    long all = 0;
    for (int w = 0; w < 64; w++)
        all += apart[w];
    printf("%ld, %ld %ld, %d %ld %d\n", all, plain.a, plain.c, stages[SETS - 1][0], message,
           flags[0] + flags[1]);
    return 0;
}
