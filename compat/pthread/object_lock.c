/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* object_lock.c - see object_lock.h. */
#include "compat/pthread/object_lock.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "compat/openmp/lock_word.h"

#define WORDS \
    (1u << 28)         /* memory only where they are used; more locks than jobs of 256 nodes have */
#define NEW (1u << 27) /* from here on: created in the child */

static _Atomic uint32_t *words;
static _Atomic uint32_t created;

static void object_lock_map(void)
{
    void *at = mmap(NULL, WORDS * sizeof *words, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        start_fail("no memory for the locks of a forked child: %s", strerror(errno));
    words = at;
}

static _Atomic uint32_t *object_lock_word(hlrc_lock_t lock)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, object_lock_map);
    return &words[lock % WORDS];
}

int object_lock_create_here(hlrc_lock_t *lock)
{
    *lock = NEW + atomic_fetch_add(&created, 1) % NEW;
    return 0;
}

void object_lock_take_here(hlrc_lock_t lock)
{
    lock_word_await(object_lock_word(lock), false);
}

int object_lock_try_here(hlrc_lock_t lock)
{
    return lock_word_try(object_lock_word(lock)) ? 0 : -EBUSY;
}

void object_lock_drop_here(hlrc_lock_t lock)
{
    lock_word_drop(object_lock_word(lock));
}
