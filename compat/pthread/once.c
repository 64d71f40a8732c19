/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* once.c - see once.h. */
#include "compat/pthread/once.h"

#include <stdatomic.h>

#include "compat/pthread/monitor.h"
#include "compat/pthread/mutex_word.h"
#include "compat/pthread/wrap.h"
#include "compat/start/lane.h"

struct once_turn {
    void *object;
    once_word *word;
    int to;
    bool mine;
};

/* There is no space for a queue, so this polls. */
static void pthread_once_begin(void *arg)
{
    struct once_turn *out = arg, t = *out;
    int found;
    long ns = 0;
    do {
        hlrc_lock_t monitor = monitor_enter(t.object);
        found = t.word(t.object, -1);
        if (found == ONCE_UNDONE)
            (void)t.word(t.object, ONCE_UNDER_WAY);
        monitor_leave(monitor);
    } while (found == ONCE_UNDER_WAY && monitor_nap(&ns, NULL));
    out->mine = found == ONCE_UNDONE;
}

static void pthread_once_end(void *arg)
{
    struct once_turn t = *(struct once_turn *)arg;
    hlrc_lock_t monitor = monitor_enter(t.object);
    (void)t.word(t.object, t.to);
    monitor_leave(monitor);
}

bool once_begin(void *object, once_word *word)
{
    struct once_turn t = { .object = object, .word = word };
    if (mutex_word_is_only_way() && word(object, -1) == ONCE_DONE) {
        atomic_thread_fence(memory_order_acquire);
        return false;
    }
    lane_call(pthread_once_begin, &t);
    return t.mine;
}

void once_end(void *object, once_word *word, bool done)
{
    struct once_turn t = { .object = object, .word = word, .to = done ? ONCE_DONE : ONCE_UNDONE };
    lane_call(pthread_once_end, &t);
}

static int once_word_of(void *object, int to)
{
    int *word = object;
    return to < 0 ? *word : (*word = to);
}

struct once_doing {
    pthread_once_t *once;
    bool done;
};

/* Also called if fn ended by an exception: then it is undone. */
static void once_finish(struct once_doing *d)
{
    once_end(d->once, once_word_of, d->done);
}

WRAP_OBJECT(int, pthread_once, (pthread_once_t * once, void (*fn)(void)), (once, fn))
{
    if (once_begin(once, once_word_of)) {
        struct once_doing d __attribute__((cleanup(once_finish))) = { once, false };
        fn();
        d.done = true;
    }
    return 0;
}
