/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* move.c - see move.h for the invariants. */
#include "compat/pthread/move.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "compat/process/clocks.h"
#include "compat/process/streams.h"
#include "compat/pthread/keys.h"
#include "compat/pthread/table.h"
#include "compat/start/exceptions.h"
#include "compat/start/fork.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/modes.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#define PATIENT 64 /* points that a thread which could not move skips, at most */

bool move_may;

static enum move_where where;
static int span = 1;
static void (*forget_entry)(void);

/* Of the calling thread. */
static _Thread_local struct {
    uint32_t entry; /* 0: it does not move */
    int home;
    uint32_t points, skip, skipped;
    int target;
    void *private_sp; /* as it leaves */
    stack_switch_context frames;
    void *carried; /* goes with it to the same address */
    size_t carried_bytes;
} mine;

/* ---- programs whose threads do not move ---- */

static const char *obstacle = MOVE_POSSIBLE ? NULL : "this CPU";

/* Their state is in the C library of one node, or in the system's thread. */
static const char bound[] =
    " setjmp _setjmp __sigsetjmp sigsetjmp getcontext swapcontext makecontext sigaltstack"
    " pthread_cancel pthread_setcancelstate pthread_kill timer_create gettid __cxa_thread_atexit"
    " sched_setaffinity pthread_setaffinity_np pthread_setschedparam pthread_setschedprio"
    " pthread_getcpuclockid uselocale setlocale localeconv nl_langinfo flockfile ftrylockfile"
    " localtime gmtime asctime ctime readdir readdir64 getpwnam getpwuid getgrnam getgrgid"
    " gethostbyname getservbyname inet_ntoa __h_errno_location strerror strsignal dlerror ttyname"
    " ptsname getlogin tmpnam hsearch gcvt ecvt fcvt l64a crypt getmntent fgetpwent hlrc_lock"
    " hlrc_trylock ";

void move_look_at(const char *name)
{
    static char found[64];
    char word[sizeof found];
    if (strncmp(name, "__wrap_", 7) == 0)
        name += 7;
    int length = snprintf(word, sizeof word, " %s ", name);
    if (obstacle || length >= (int)sizeof word || !strstr(bound, word))
        return;
    strcpy(found, name);
    obstacle = found;
}

const char *move_obstacle(void)
{
    return obstacle;
}

void move_begin(void (*forget)(void))
{
    forget_entry = forget;
}

void move_set(enum move_where to, int of_nodes)
{
    where = to;
    span = of_nodes;
    __atomic_store_n(&move_may, to != MOVE_NOT && !obstacle, __ATOMIC_RELEASE);
}

/* ---- where to ---- */

static int move_target(int home)
{
    int node = hlrc_node_id();
    return where == MOVE_AROUND    ? (node + 1) % hlrc_node_count()
           : where == MOVE_TO_SPAN ? home - home % span
                                   : node;
}

bool move_is_misplaced(int home)
{
    return move_may && move_target(home) != hlrc_node_id();
}

#if MOVE_POSSIBLE

/* ---- [move.bound] ---- */

struct move_walk {
    const void *program, *here; /* where they are loaded */
    uintptr_t from;             /* the first frame that counts is at this code; 0: any */
    bool shared, bound, complete;
};

static const void *move_module_of(const void *code)
{
    Dl_info info;
    return dladdr(code, &info) ? info.dli_fbase : NULL;
}

/* The frames on the shared stack, until the first on the private one. */
static _Unwind_Reason_Code move_step(struct _Unwind_Context *c, void *arg)
{
    struct move_walk *w = arg;
    if (w->from && _Unwind_GetIP(c) != w->from)
        return _URC_NO_REASON;
    w->from = 0;
    if (!lane_is_shared((void *)_Unwind_GetCFA(c))) {
        w->complete = w->shared;
        return w->shared ? _URC_END_OF_STACK : _URC_NO_REASON;
    }
    const void *module = move_module_of((void *)(_Unwind_GetIP(c) - 1));
    w->shared = true;
    w->bound |= !module || (module != w->program && module != w->here);
    return w->bound ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static bool move_is_bound(uintptr_t from)
{
    static struct move_walk known;
    if (!known.here) {
        known.program = move_module_of(start_image.code);
        known.here = move_module_of((void *)(uintptr_t)move_is_bound);
    }
    struct move_walk w = known;
    w.from = from;
    if (exceptions_are_under_way())
        return true;
    (void)_Unwind_Backtrace(move_step, &w);
    return w.bound || !w.complete;
}

/* ---- leaving ---- */

static void *move_room(void *room, size_t bytes)
{
    void *at = room ? room : hlrc_malloc(bytes);
    if (!at)
        start_fail("no shared memory for a thread that moves; raise --memory");
    return at;
}

/* The thread's own data, for the one that continues. */
static void move_give(struct table_entry *e)
{
    if (start_image.tls_bytes) {
        e->variables = move_room(e->variables, start_image.tls_bytes);
        memcpy(e->variables, image_tls(), start_image.tls_bytes);
    }
    e->has_values = keys_are_set();
    if (e->has_values) {
        e->values = move_room(e->values, keys_bytes());
        keys_give(e->values);
    }
    e->points = mine.points;
    e->used = clocks_thread();
    clocks_usage(&e->usage);
    e->carried_at = mine.carried;
    e->carried_bytes = mine.carried_bytes;
    if (mine.carried) {
        e->carried = move_room(e->carried, mine.carried_bytes);
        memcpy(e->carried, mine.carried, mine.carried_bytes);
    }
}

/* On the private stack. Continues the program's frames, on the shared one. */
static void move_return(const sigset_t *mask)
{
    stack_switch_context scratch;
    lane_current->private_sp = mine.private_sp;
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    stack_switch_to(&scratch, &mine.frames);
}

static void move_depart(void)
{
    sigset_t mask;
    struct table_entry *e = &table->entries[mine.entry];
    lane_block_signals(&mask);
    streams_show();
    hlrc_lock(LOCK_THREADS);
    move_give(e);
    e->mask = mask;
    e->frames = mine.frames;
    e->private_sp = mine.private_sp;
    bool goes = table_move(mine.entry, mine.target);
    hlrc_unlock(LOCK_THREADS); /* [move.release] */
    if (!goes)
        move_return(&mask);
    mine.entry = 0;
    forget_entry();
    pthread_exit(NULL); /* no frame of the program is on this stack */
}

__attribute__((noinline)) void move_leave(void)
{
    struct lane *l = lane_current;
    struct modes modes = modes_get(); /* which calls need not keep */
    int error = errno;
    stack_switch_context depart;
    mine.private_sp = l->private_sp;
    l->private_sp = NULL;
    (void)stack_switch_prepare(&depart, l->private_at,
                               (size_t)((char *)mine.private_sp - l->private_at), move_depart);
    stack_switch_to(&mine.frames, &depart);
    /* on the other node, or not */
    mine.carried = NULL;
    modes_set(&modes);
    errno = error;
}

bool move_is_due(uintptr_t from)
{
    if (!move_may || mine.entry == 0 || lane_is_bound() || start_is_child ||
        !lane_current->private_sp)
        return false;
    mine.target = move_target(mine.home);
    return mine.target != hlrc_node_id() && !move_is_bound(from);
}

void move_carry(void *at, size_t bytes)
{
    mine.carried = at;
    mine.carried_bytes = bytes;
}

/* MOVE_AROUND: at every fourth point, in no regular pattern. */
static bool move_is_turn(void)
{
    return ++mine.points * 2654435761u >> 30 == 0;
}

void move_now(void)
{
    bool turn = !start_is_child && (where != MOVE_AROUND || move_is_turn());
    if (!turn || lane_is_bound() || !move_is_misplaced(mine.home) || mine.skipped++ < mine.skip)
        return;
    mine.skipped = 0;
    bool due = lane_is_shared(__builtin_frame_address(0)) && move_is_due(0);
    mine.skip = due || where == MOVE_AROUND ? 0 : mine.skip < PATIENT ? 2 * mine.skip + 1 : PATIENT;
    if (due)
        move_leave();
}

/* ---- arriving ---- */

/* On the shared stack, below the frames that it continues. */
static void move_continue(void *arg)
{
    struct lane *l = lane_current;
    stack_switch_context scratch, frames = l->resume_at;
    (void)arg;
    l->resume_at = NULL;
    if (l->private_sp != mine.private_sp)
        start_fail("a thread that moved has its private stack elsewhere");
    stack_switch_to(&scratch, &frames);
}

move_act *move_arrive(uint32_t entry, move_act *begins)
{
    struct table_entry *e = &table->entries[entry];
    mine.entry = entry;
    mine.home = e->home;
    mine.points = e->points;
    clocks_continue(e->used, &e->usage);
    if (!e->frames)
        return begins;
    if (start_image.tls_bytes)
        memcpy(image_tls(), e->variables, start_image.tls_bytes);
    if (e->has_values)
        keys_take(e->values);
    if (e->carried_at)
        memcpy(e->carried_at, e->carried, e->carried_bytes);
    mine.private_sp = e->private_sp;
    lane_current->resume_at = e->frames;
    return move_continue;
}

#else

void move_now(void)
{
}

void move_leave(void)
{
}

move_act *move_arrive(uint32_t entry, move_act *begins)
{
    (void)entry;
    return begins;
}

#endif

void move_end(void)
{
    mine.entry = 0;
}
