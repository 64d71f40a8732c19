/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keys.c - see keys.h. */
#include "compat/pthread/keys.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compat/pthread/object_lock.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#define KEYS PTHREAD_KEYS_MAX
/* A key has this bit, and no key of the C library, which a library may have made for itself. */
#define JOBS 0x40000000U

/* In shared memory; changed under LOCK_KEYS. The program orders a key's creation before its
 * uses. */
struct keys_key {
    uint64_t life; /* odd: the key exists */
    void (*destructor)(void *);
};

struct keys_value {
    uint64_t life;
    void *value;
};

static struct keys_key *keys;
static _Thread_local struct keys_value *values; /* KEYS of them; NULL: none was set */
static pthread_key_t exit_key;

struct keys_making {
    void (*destructor)(void *);
    pthread_key_t key;
    int rc;
};

static void keys_make(void *arg)
{
    struct keys_making *m = arg;
    void (*destructor)(void *) = m->destructor;
    unsigned k = 0;
    object_lock_take(LOCK_KEYS);
    while (k < KEYS && (keys[k].life & 1))
        k++;
    if (k < KEYS) {
        keys[k].life++;
        keys[k].destructor = destructor;
    }
    object_lock_drop(LOCK_KEYS);
    m->rc = k < KEYS ? 0 : EAGAIN;
    m->key = k;
}

static void keys_unmake(void *arg)
{
    struct keys_making *m = arg;
    unsigned k = m->key;
    object_lock_take(LOCK_KEYS);
    bool there = k < KEYS && (keys[k].life & 1);
    if (there)
        keys[k].life++;
    object_lock_drop(LOCK_KEYS);
    m->rc = there ? 0 : EINVAL;
}

WRAP_OBJECT(int, pthread_key_create, (pthread_key_t * key, void (*destructor)(void *)),
            (key, destructor))
{
    struct keys_making m = { .destructor = destructor };
    lane_call(keys_make, &m);
    if (m.rc == 0)
        *key = m.key | JOBS;
    return m.rc;
}

WRAP_OBJECT(int, pthread_key_delete, (pthread_key_t key), (key))
{
    struct keys_making m = { .key = key & ~JOBS };
    if (!(key & JOBS))
        return pthread_key_delete(key);
    lane_call(keys_unmake, &m);
    return m.rc;
}

static bool keys_make_values(void)
{
    values = calloc(KEYS, sizeof *values);
    if (values)
        (void)pthread_setspecific(exit_key, values);
    return values != NULL;
}

static void *keys_get(unsigned k)
{
    return values && k < KEYS && values[k].life == keys[k].life ? values[k].value : NULL;
}

WRAP_OBJECT(void *, pthread_getspecific, (pthread_key_t key), (key))
{
    return key & JOBS ? keys_get(key & ~JOBS) : pthread_getspecific(key);
}

WRAP_OBJECT(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))
{
    unsigned k = key & ~JOBS;
    if (!(key & JOBS))
        return pthread_setspecific(key, value);
    if (k >= KEYS || !(keys[k].life & 1))
        return EINVAL;
    if (!values && !keys_make_values())
        return ENOMEM;
    values[k] = (struct keys_value){ keys[k].life, (void *)(uintptr_t)value };
    return 0;
}

static bool keys_destroy_once(void)
{
    bool any = false;
    for (unsigned k = 0; k < KEYS; k++) {
        void *value = keys_get(k);
        void (*destructor)(void *) = value ? keys[k].destructor : NULL;
        if (!value)
            continue;
        values[k].value = NULL;
        if (destructor) {
            destructor(value);
            any = true;
        }
    }
    return any;
}

void keys_destroy_values(void)
{
    for (int i = 0; values && i < PTHREAD_DESTRUCTOR_ITERATIONS && keys_destroy_once(); i++)
        ;
}

/* ---- threads that move ---- */

bool keys_are_set(void)
{
    return values != NULL;
}

size_t keys_bytes(void)
{
    return KEYS * sizeof *values;
}

void keys_give(void *to)
{
    memcpy(to, values, keys_bytes());
}

void keys_take(const void *from)
{
    if (!keys_make_values())
        start_fail("no memory for the thread-specific data of a thread that moves");
    memcpy(values, from, keys_bytes());
}

/* ---- start ---- */

/* Of a thread that a library or a forked child has started. Others have destroyed their values. */
static void keys_forget(void *arg)
{
    if (start_is_child || !lane_current)
        keys_destroy_values();
    free(arg);
    values = NULL;
}

static void keys_begin(void)
{
    if (start_sharing)
        keys = start_shared_memory(KEYS * sizeof *keys, "keys of threads");
}

__attribute__((constructor)) static void keys_at_start(void)
{
    if (pthread_key_create(&exit_key, keys_forget) != 0)
        start_fail("no pthread key for threads that end");
    start_at_begin(keys_begin);
}
