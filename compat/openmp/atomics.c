/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * atomics.c - atomic operations on the program's variables, which gcc with -fno-inline-atomics
 * leaves to a library: the interface of libatomic. clang leaves them to ThreadSanitizer's
 * (compat/cc/hlrcc.in), without its runtime.
 *
 * A processor's atomic instruction has no effect between nodes. An operation on 4 or 8 bytes is
 * performed at the home of the word (hlrc_word_fetch). If it orders memory, it does so with earlier
 * ones on that word, in one of two ways. First it is performed under a lock that the address
 * chooses. The lock stays on its node, which publishes nothing until another node requests it. Once
 * nodes have passed a lock to each other a few times, its words are contended: an operation
 * releases before and acquires after, without the lock (hlrc_release, hlrc_acquire). If an
 * operation cannot be performed at the home, only the lock makes it atomic. In a job of one node it
 * is the instruction.
 *
 * Invariants
 *   - Operations on one word are all performed at its home, or all under its lock. So operations of
 *     any size use the lock if the program has instructions inserted by compat/cc/as: each object
 *     that has some says so.
 *   - Words become contended under their lock, for good, and no operation that the lock orders
 *     begins under it afterwards. A node operates without the lock only after it has held the lock
 *     and found the words contended. So it has acquired from all operations that the lock ordered.
 *   - An operation that need not order memory, as `omp atomic` without a clause, takes no lock and
 *     ends no interval. Exceptions: a flush that only acquires or only releases leaves no
 *     instruction that compat/cc/as could replace, and a fence of C11 may order an operation here
 *     with one elsewhere that orders memory itself. In a program that has one, or may have one, all
 *     operations order memory. Its objects say so.
 */
#include "compat/openmp/atomics.h"

#include <fenv.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compat/openmp/locks.h"
#include "compat/openmp/wide.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

hlrc_lock_t atomics_lock_of(const volatile void *word)
{
    uint64_t hash = ((uintptr_t)word >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    return LOCK_WORDS + (hlrc_lock_t)((hash >> 33) % LOCK_WORDS_COUNT);
}

/* Functions with names built into the compiler are declared under other names. */
#define NAMED(name) __asm__(#name) __attribute__((visibility("default")))

/* ---- ELF notes of the objects ---- */

static bool words_are_locked, words_are_fences;

/* Notes of these types, made by compat/cc/as, have only a name. */
enum { NOTE_LOCKED = 4097, NOTE_FENCES };

struct atomics_note {
    uint32_t name_bytes, bytes, type;
    char name[8];
};

static void atomics_read_notes(const char *at, const char *end)
{
    static const char name[8] = "HLRC";
    while (end - at >= (ptrdiff_t)offsetof(struct atomics_note, name)) {
        const struct atomics_note *n = (const struct atomics_note *)(const void *)at;
        size_t text = (n->name_bytes + 3u) & ~(size_t)3;
        bool ours = n->name_bytes == 5 && memcmp(n->name, name, 5) == 0;
        words_are_locked |= ours && n->type == NOTE_LOCKED;
        words_are_fences |= ours && n->type == NOTE_FENCES;
        at += offsetof(struct atomics_note, name) + text + ((n->bytes + 3u) & ~(size_t)3);
    }
}

static int atomics_read_object(struct dl_phdr_info *object, size_t bytes, void *arg)
{
    (void)bytes, (void)arg;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_NOTE && part->p_align <= 4)
            atomics_read_notes(at, at + part->p_memsz);
    }
    return 0;
}

/* Runs on all nodes, unlike the program's own constructors. */
__attribute__((constructor)) static void atomics_look_at_objects(void)
{
    dl_iterate_phdr(atomics_read_object, NULL);
}

/* ---- operations ---- */

enum { NAND = HLRC_NO_OP + 1, COMPARE };

struct atomics_operation {
    volatile void *word;
    int op; /* hlrc_op, NAND, or COMPARE with `old` */
    uint64_t value, old;
    hlrc_type type;
    int result;
};

#define OPERATION(word, op, value)               \
    {                                            \
        (word), (op), (uint64_t)(value), 0, 0, 0 \
    }

static int nand(void *word, struct atomics_operation *o)
{
    int rc =
        hlrc_word_fetch(hlrc_word_shared(word), o->type, HLRC_NO_OP, NULL, &o->old, HLRC_RELAXED);
    while (rc == 0) {
        uint64_t next = ~(o->old & o->value);
        rc = hlrc_word_compare(hlrc_word_shared(word), o->type, &o->old, &next, HLRC_RELAXED);
    }
    return rc;
}

/* On the private stack. */
static void atomics_operate(void *arg)
{
    struct atomics_operation *o = arg;
    void *word = (void *)(uintptr_t)o->word;
    if (o->op == NAND)
        o->result = nand(word, o);
    else if (o->op == COMPARE)
        o->result =
            hlrc_word_compare(hlrc_word_shared(word), o->type, &o->old, &o->value, HLRC_RELAXED);
    else
        o->result = hlrc_word_fetch(hlrc_word_shared(word), o->type, (hlrc_op)o->op, &o->value,
                                    &o->old, HLRC_RELAXED);
}

#define SAME_LOADS 64u /* of one word, in succession */

/* A thread that reads a word repeatedly waits for another thread, which may need this core. */
static void atomics_offer_core(const struct atomics_operation *o)
{
    static _Thread_local const volatile void *word;
    static _Thread_local uint64_t value;
    static _Thread_local unsigned times;
    times = o->op == HLRC_NO_OP && word == o->word && value == o->old ? times + 1 : 0;
    word = o->word;
    value = o->old;
    if (times >= SAME_LOADS)
        sched_yield();
}

static bool atomics_done_at_home(struct atomics_operation *o, size_t bytes)
{
    if (words_are_locked || (bytes != 4 && bytes != 8))
        return false;
    o->type = bytes == 8 ? HLRC_UINT64 : HLRC_UINT32;
    lane_call(atomics_operate, o);
    if (o->result < 0)
        return false;
    atomics_offer_core(o);
    return true;
}

/* ---- order ---- */

#define TURNS_MOST 4 /* of a lock, between nodes, until its words are contended */

/* By lock, in shared memory, guarded by the lock. */
struct atomics_turns {
    int node; /* that had it last, + 1 */
    int turns;
};
static struct atomics_turns *atomics_turns;
static _Atomic bool contended[LOCK_WORDS_COUNT]; /* as this node knows */

static void atomics_make_turns(void)
{
    atomics_turns =
        start_shared_memory(LOCK_WORDS_COUNT * sizeof *atomics_turns, "atomic operations");
}

static bool has_wide;

__attribute__((constructor)) static void atomics_ask_for_turns(void)
{
    has_wide = wide_exists();
    start_at_begin(atomics_make_turns);
}

/* ASSUMPTION: the lock is held. */
static bool atomics_is_contended(hlrc_lock_t lock)
{
    struct atomics_turns *t = &atomics_turns[lock - LOCK_WORDS];
    int node = hlrc_node_id() + 1;
    if (t->node != node && t->turns < TURNS_MOST) {
        t->turns += t->node != 0;
        t->node = node;
    }
    return t->turns == TURNS_MOST && !locks_only;
}

static bool atomics_done_without_lock(struct atomics_operation *o, size_t bytes)
{
    if (o->op != HLRC_NO_OP)
        locks_release();
    bool done = atomics_done_at_home(o, bytes);
    if (done)
        (void)locks_acquire();
    return done;
}

/* The lock is held if the operation was not performed. */
static bool atomics_done_in_order(struct atomics_operation *o, size_t bytes)
{
    hlrc_lock_t lock = atomics_lock_of(o->word);
    _Atomic bool *known = &contended[lock - LOCK_WORDS];
    bool done;
    if (!atomic_load(known)) {
        locks_take(lock);
        if (!atomics_is_contended(lock)) {
            done = atomics_done_at_home(o, bytes);
            if (done)
                locks_drop(lock);
            return done;
        }
        locks_drop(lock);
        atomic_store(known, true);
    }
    done = atomics_done_without_lock(o, bytes);
    if (!done)
        locks_take(lock);
    return done;
}

/* True: the operation was performed. Otherwise the caller performs it and calls end. */
static bool atomics_begin(struct atomics_operation *o, size_t bytes, int order)
{
    if (order != __ATOMIC_RELAXED || words_are_fences)
        return atomics_done_in_order(o, bytes);
    bool done = atomics_done_at_home(o, bytes);
    if (!done)
        locks_take(atomics_lock_of(o->word));
    return done;
}

static void atomics_end(const struct atomics_operation *o)
{
    locks_drop(atomics_lock_of(o->word));
}

#define YIELDS 64 /* operations on one word, after which a thread counts as spinning */

/* If threads share a processor, a spinning thread yields it. */
static void atomics_note(const volatile void *word, int order, bool may_spin)
{
    static _Thread_local const volatile void *last;
    static _Thread_local unsigned times;
    locks_syncs += order != __ATOMIC_RELAXED;
    if (!start_crowded || !may_spin)
        return;
    times = word == last ? times + 1 : 0;
    last = word;
    if (times == YIELDS) {
        times = 0;
        sched_yield();
    }
}

/* While one node runs the program, if the processor has the instruction: up to 8 bytes. */
#define NATIVE_1(may_spin, statement)            \
    if (!start_spread) {                         \
        if (start_fences)                        \
            atomics_note(word, order, may_spin); \
        statement;                               \
    }
#define NATIVE_2(may_spin, statement) NATIVE_1(may_spin, statement)
#define NATIVE_4(may_spin, statement) NATIVE_1(may_spin, statement)
#define NATIVE_8(may_spin, statement) NATIVE_1(may_spin, statement)
#define NATIVE_16(may_spin, statement)
/* 16 bytes. */
#define WIDE_1(statement)
#define WIDE_2(statement)
#define WIDE_4(statement)
#define WIDE_8(statement)
#define WIDE_16(statement)                   \
    if (has_wide && !start_spread) {         \
        if (start_fences)                    \
            atomics_note(word, order, true); \
        statement;                           \
    }
#define NATIVE(n, may_spin, e) NATIVE_##n(may_spin, return e)
#define NATIVE_STORE(n, word, value) \
    NATIVE_##n(false, __atomic_store_n(word, value, __ATOMIC_SEQ_CST); return;)

#define LOAD_STORE(n, type)                                                             \
    type atomic_load_##n(const volatile type *, int) NAMED(__atomic_load_##n);          \
    type atomic_load_##n(const volatile type *word, int order)                          \
    {                                                                                   \
        NATIVE(n, true, __atomic_load_n(word, __ATOMIC_SEQ_CST));                       \
        WIDE_##n(return wide_load(word));                                               \
        struct atomics_operation o = OPERATION((void *)(uintptr_t)word, HLRC_NO_OP, 0); \
        if (atomics_begin(&o, n, order))                                                \
            return (type)o.old;                                                         \
        type value = *word;                                                             \
        atomics_end(&o);                                                                \
        return value;                                                                   \
    }                                                                                   \
    void atomic_store_##n(volatile type *, type, int) NAMED(__atomic_store_##n);        \
    void atomic_store_##n(volatile type *word, type value, int order)                   \
    {                                                                                   \
        NATIVE_STORE(n, word, value)                                                    \
        WIDE_##n(type old = *word; while (!wide_cas(word, &old, value)); return );      \
        struct atomics_operation o = OPERATION(word, HLRC_REPLACE, value);              \
        if (!atomics_begin(&o, n, order)) {                                             \
            *word = value;                                                              \
            atomics_end(&o);                                                            \
        }                                                                               \
    }

/* `op` makes `expression` from `old` and `value`: from the word and `operand`. Defines the
 * function that returns the old value; `native` is its name in the compiler. */
#define FETCH_OLD(n, type, name, native, op, operand, expression)                                  \
    type atomic_##name##_##n(volatile type *, type, int) NAMED(__atomic_##name##_##n);             \
    type atomic_##name##_##n(volatile type *word, type value, int order)                           \
    {                                                                                              \
        NATIVE(n, (int)(op) != HLRC_SUM, native(word, value, __ATOMIC_SEQ_CST));                   \
        WIDE_##n(type old = *word; while (!wide_cas(word, &old, (type)(expression))); return old); \
        struct atomics_operation o = OPERATION(word, op, operand);                                 \
        if (atomics_begin(&o, n, order))                                                           \
            return (type)o.old;                                                                    \
        type old = *word;                                                                          \
        *word = (type)(expression);                                                                \
        atomics_end(&o);                                                                           \
        return old;                                                                                \
    }

#define COMPARE_EXCHANGE(n, type)                                                          \
    bool atomic_cas_##n(volatile type *, type *, type, int, int)                           \
        NAMED(__atomic_compare_exchange_##n);                                              \
    bool atomic_cas_##n(volatile type *word, type *expected, type value, int yes, int no)  \
    {                                                                                      \
        int order = yes | no;                                                              \
        NATIVE(n, true,                                                                    \
               __atomic_compare_exchange_n(word, expected, value, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST));                             \
        WIDE_##n(return wide_cas(word, expected, value));                                  \
        type want = *expected;                                                             \
        struct atomics_operation o = OPERATION(word, COMPARE, value);                      \
        o.old = (uint64_t)want;                                                            \
        if (atomics_begin(&o, n, order)) {                                                 \
            if (!o.result)                                                                 \
                *expected = (type)o.old;                                                   \
            return o.result;                                                               \
        }                                                                                  \
        type old = *word;                                                                  \
        if (old == want)                                                                   \
            *word = value;                                                                 \
        atomics_end(&o);                                                                   \
        if (old != want)                                                                   \
            *expected = old;                                                               \
        return old == want;                                                                \
    }

/* Also the function that returns the new value. */
#define FETCH(n, type, name, op, operand, expression)                                              \
    FETCH_OLD(n, type, fetch_##name, __atomic_fetch_##name, op, operand, expression)               \
    type atomic_##name##_fetch_##n(volatile type *, type, int) NAMED(__atomic_##name##_fetch_##n); \
    type atomic_##name##_fetch_##n(volatile type *word, type value, int order)                     \
    {                                                                                              \
        NATIVE(n, (int)(op) != HLRC_SUM, __atomic_##name##_fetch(word, value, __ATOMIC_SEQ_CST));  \
        type old = atomic_fetch_##name##_##n(word, value, order);                                  \
        return (type)(expression);                                                                 \
    }

#define ALL(n, type)                                                              \
    LOAD_STORE(n, type)                                                           \
    COMPARE_EXCHANGE(n, type)                                                     \
    FETCH_OLD(n, type, exchange, __atomic_exchange_n, HLRC_REPLACE, value, value) \
    FETCH(n, type, add, HLRC_SUM, value, old + value)                             \
    FETCH(n, type, sub, HLRC_SUM, (type)-value, old - value)                      \
    FETCH(n, type, and, HLRC_AND, value, old &value)                              \
    FETCH(n, type, xor, HLRC_XOR, value, old ^ value)                             \
    FETCH(n, type, or, HLRC_OR, value, old | value)                               \
    FETCH(n, type, nand, NAND, value, ~(old & value))

ALL(1, uint8_t)
ALL(2, uint16_t)
ALL(4, uint32_t)
ALL(8, uint64_t)
ALL(16, uint128_t)

/* ---- the same, as clang names them ---- */

#define TSAN_AS(bits, n, name)                                              \
    extern __typeof__(atomic_##name##_##n) atomics_tsan_##name##_##n NAMED( \
        __tsan_atomic##bits##_##name) __attribute__((alias("__atomic_" #name "_" #n)));

#define TSAN(bits, n, type)                                                                    \
    TSAN_AS(bits, n, load)                                                                     \
    TSAN_AS(bits, n, store)                                                                    \
    TSAN_AS(bits, n, exchange)                                                                 \
    TSAN_AS(bits, n, fetch_add)                                                                \
    TSAN_AS(bits, n, fetch_sub)                                                                \
    TSAN_AS(bits, n, fetch_and)                                                                \
    TSAN_AS(bits, n, fetch_xor)                                                                \
    TSAN_AS(bits, n, fetch_or)                                                                 \
    TSAN_AS(bits, n, fetch_nand)                                                               \
    type atomics_tsan_cas_##n(volatile type *, type, type, int, int)                           \
        NAMED(__tsan_atomic##bits##_compare_exchange_val);                                     \
    type atomics_tsan_cas_##n(volatile type *word, type expected, type value, int yes, int no) \
    {                                                                                          \
        (void)atomic_cas_##n(word, &expected, value, yes, no);                                 \
        return expected;                                                                       \
    }

TSAN(8, 1, uint8_t)
TSAN(16, 2, uint16_t)
TSAN(32, 4, uint32_t)
TSAN(64, 8, uint64_t)
TSAN(128, 16, uint128_t)

/* ---- words of any size ---- */

static struct atomics_operation atomics_of_bytes(const void *word, int op, const void *value,
                                                 size_t bytes)
{
    struct atomics_operation o = OPERATION((void *)(uintptr_t)word, op, 0);
    if (value && bytes <= sizeof o.value)
        memcpy(&o.value, value, bytes);
    return o;
}

void atomics_load_any(size_t, const void *, void *, int) NAMED(__atomic_load);
void atomics_load_any(size_t bytes, const void *word, void *value, int order)
{
    struct atomics_operation o = atomics_of_bytes(word, HLRC_NO_OP, NULL, bytes);
    if (atomics_begin(&o, bytes, order)) {
        memcpy(value, &o.old, bytes);
        return;
    }
    memcpy(value, word, bytes);
    atomics_end(&o);
}

void atomics_store_any(size_t, void *, const void *, int) NAMED(__atomic_store);
void atomics_store_any(size_t bytes, void *word, const void *value, int order)
{
    struct atomics_operation o = atomics_of_bytes(word, HLRC_REPLACE, value, bytes);
    if (!atomics_begin(&o, bytes, order)) {
        memcpy(word, value, bytes);
        atomics_end(&o);
    }
}

void atomics_exchange_any(size_t, void *, const void *, void *, int) NAMED(__atomic_exchange);
void atomics_exchange_any(size_t bytes, void *word, const void *value, void *old, int order)
{
    struct atomics_operation o = atomics_of_bytes(word, HLRC_REPLACE, value, bytes);
    if (atomics_begin(&o, bytes, order)) {
        memcpy(old, &o.old, bytes);
        return;
    }
    memcpy(old, word, bytes);
    memcpy(word, value, bytes);
    atomics_end(&o);
}

bool atomics_cas_any(size_t, void *, void *, const void *, int, int)
    NAMED(__atomic_compare_exchange);
bool atomics_cas_any(size_t bytes, void *word, void *expected, const void *value, int yes, int no)
{
    struct atomics_operation o = atomics_of_bytes(word, COMPARE, value, bytes);
    if (bytes <= sizeof o.old)
        memcpy(&o.old, expected, bytes);
    if (atomics_begin(&o, bytes, yes | no)) {
        if (!o.result)
            memcpy(expected, &o.old, bytes);
        return o.result;
    }
    bool same = memcmp(word, expected, bytes) == 0;
    if (same)
        memcpy(word, value, bytes);
    else
        memcpy(expected, word, bytes);
    atomics_end(&o);
    return same;
}

bool atomics_test_and_set(volatile uint8_t *, int) NAMED(__atomic_test_and_set_1);
bool atomics_test_and_set(volatile uint8_t *word, int order)
{
    return atomic_exchange_1(word, 1, order) != 0;
}

bool atomics_is_lock_free(size_t, const void *) NAMED(__atomic_is_lock_free);
bool atomics_is_lock_free(size_t bytes, const void *word)
{
    (void)word;
    return bytes <= 8 && (bytes & (bytes - 1)) == 0;
}

/* After an operation on a floating-point object has stored its result. */
void atomics_raise(int exceptions) NAMED(__atomic_feraiseexcept);
void atomics_raise(int exceptions)
{
    feraiseexcept(exceptions);
}
