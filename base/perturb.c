/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perturb.c - see perturb.h. */
#include "base/perturb.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define RECENT 32 /* acts that are remembered */

static const char *const names[] = {
#define NAME_(name, text) #name,
    PERTURB_POINTS(NAME_)
#undef NAME_
};
static const char *const texts[] = {
#define TEXT_(name, text) text,
    PERTURB_POINTS(TEXT_)
#undef TEXT_
};

/* How a point acts: in of_1024 of 1,024 passes, by a sleep of up to `us` microseconds; 0:
 * yields. */
struct perturb_strength {
    uint16_t of_1024;
    uint32_t us;
};

/* Written by perturb_start, constant afterwards. */
static struct perturb_strength strengths[PERTURB_COUNT];
static uint64_t seed;
static int node;
static uint16_t failures; /* PERTURB_FAILS, of 1,024 */
static _Atomic bool active;

static _Atomic uint32_t acts;
static _Atomic uint32_t recent[RECENT]; /* thread << 16 | point + 1 */

static uint64_t perturb_mix(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Not the number of points: then a new one would change what each seed does to all others. */
#define OF_A_SEED 82u

/* Half of the points act; a point that acts more often delays for less time. */
static struct perturb_strength perturb_strength_of(uint64_t of_seed, int point)
{
    static const struct perturb_strength some[] = { { 4, 3000 },  { 32, 1000 }, { 128, 300 },
                                                    { 512, 0 },   { 1024, 0 },  { 512, 30 },
                                                    { 256, 100 }, { 16, 300 } };
    uint64_t h = perturb_mix(of_seed * OF_A_SEED + (uint64_t)point);
    return h & 1 ? some[h >> 8 & 7] : (struct perturb_strength){ 0, 0 };
}

/* POINT:PERCENT:MICROSECONDS,... */
static void perturb_read_list(const char *list)
{
    char name[32];
    unsigned percent, us;
    for (const char *at = list; at && sscanf(at, "%31[^:]:%u:%u", name, &percent, &us) == 3;) {
        for (int i = 0; i < PERTURB_COUNT; i++)
            if (strcmp(name, names[i]) == 0)
                strengths[i] = (struct perturb_strength){ (uint16_t)(percent * 1024 / 100), us };
        if (strcmp(name, "fail") == 0)
            failures = (uint16_t)(percent * 1024 / 100);
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
}

void perturb_start(int of_node)
{
    const char *number = secure_getenv("HLRC_PERTURB_SEED"), *list = secure_getenv("HLRC_PERTURB");
    bool by_seed = number && *number && !(list && *list);
    seed = number && *number ? strtoull(number, NULL, 0) : 1;
    node = of_node;
    memset(strengths, 0, sizeof strengths);
    failures = by_seed && perturb_mix(seed) % 4 == 0 ? 8 : 0;
    for (int i = 0; i < PERTURB_COUNT && by_seed; i++)
        strengths[i] = perturb_strength_of(seed, i);
    if (list && *list)
        perturb_read_list(list);
    atomic_store(&active, by_seed || (list && *list));
}

#ifdef HLRC_PERTURB

static _Atomic uint32_t threads; /* that have reached a point */

/* Of each thread: its number and its random state, 0 before its first point. */
static _Thread_local uint32_t number_of_thread;
static _Thread_local uint64_t state;

static uint64_t perturb_draw(void) /* xorshift64* */
{
    if (state == 0) {
        number_of_thread = atomic_fetch_add(&threads, 1);
        state = perturb_mix(seed + ((uint64_t)node << 32) + number_of_thread) | 1;
    }
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717);
}

/* Of each thread: its own name during a delay, else empty. */
static _Thread_local char name_of_thread[16];

/* Sets the thread's name by the first system call and makes no other after it: a stop takes effect
 * when a call returns. */
static void perturb_cover(void)
{
    (void)snprintf(name_of_thread, sizeof name_of_thread, "%s", program_invocation_short_name);
    (void)prctl(PR_SET_NAME, PERTURB_THREAD);
}

static void perturb_uncover(void)
{
    int saved = errno;
    (void)prctl(PR_SET_NAME, name_of_thread);
    name_of_thread[0] = '\0';
    errno = saved;
}

static void perturb_pause_for(uint64_t us)
{
    struct timespec t = { .tv_nsec = (long)(us * 1000) };
    int saved = errno;
    perturb_cover();
    if (us == 0)
        sched_yield();
    else
        nanosleep(&t, NULL);
    errno = saved;
}

void perturb_at(enum perturb_point at)
{
    if (!atomic_load_explicit(&active, memory_order_relaxed))
        return;
    if (name_of_thread[0]) /* PERTURB_queue_filled: the drawn position is filled now */
        perturb_uncover();
    struct perturb_strength s = strengths[at];
    if (s.of_1024 == 0)
        return;
    uint64_t r = perturb_draw();
    if ((r >> 20) % 1024 >= s.of_1024)
        return;
    uint32_t slot = atomic_fetch_add_explicit(&acts, 1, memory_order_relaxed) % RECENT;
    atomic_store_explicit(&recent[slot], number_of_thread << 16 | ((uint32_t)at + 1),
                          memory_order_relaxed);
    perturb_pause_for(s.us ? 1 + (r >> 40) % s.us : 0);
    if (at != PERTURB_queue_drawn)
        perturb_uncover();
}

bool perturb_fails(void)
{
    return atomic_load_explicit(&active, memory_order_relaxed) && failures != 0 &&
           (perturb_draw() >> 20) % 1024 < failures;
}

#endif

void perturb_report(void (*say)(const char *line))
{
    char line[900];
    if (!atomic_load(&active))
        return;
    int used = snprintf(line, sizeof line, "perturbed: HLRC_PERTURB_SEED=%llu, %u acts, the last:",
                        (unsigned long long)seed, atomic_load(&acts));
    uint32_t end = atomic_load(&acts);
    for (uint32_t i = end < RECENT ? 0 : end - RECENT; i < end && used < (int)sizeof line - 64;
         i++) {
        uint32_t act = atomic_load(&recent[i % RECENT]);
        if (act != 0 && (act & 0xffff) <= PERTURB_COUNT)
            used += snprintf(line + used, sizeof line - (size_t)used, " %u:%s", act >> 16,
                             names[(act & 0xffff) - 1]);
    }
    say(line);
}

void perturb_describe(void (*say)(const char *line))
{
    char line[200];
    for (int i = 0; i < PERTURB_COUNT; i++) {
        snprintf(line, sizeof line, "%-17s %4u of 1024, up to %4u us: %s", names[i],
                 (unsigned)strengths[i].of_1024, (unsigned)strengths[i].us, texts[i]);
        say(line);
    }
}
