/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lane.c - see lane.h for the invariants. */
#include "compat/start/lane.h"

#include <errno.h>
#include <hlrc.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/stack_switch.h"
#include "hlrc/memory/range.h"

/* Far from all other addresses, HLRC's heap included. */
#define SHARED_AT   ((char *)ADDRESSES_STACKS)
#define PRIVATE_AT  (SHARED_AT + ((ADDRESSES_SPACE - ADDRESSES_STACKS) / 2))
#define GUARD_BYTES ((size_t)64 << 10)
#define GUARD_SHARED \
    ((size_t)16 << 20)                 /* below each shared stack: large variables do not pass it */
#define OWN_BYTES    ((size_t)1 << 20) /* of a private stack used only for HLRC calls */
#define LEFT_BELOW   256               /* bytes below frames that continue */
#define ONE_AT_LEAST ((size_t)64 << 10)

_Thread_local struct lane *lane_current;
_Thread_local unsigned lane_bonds;
char *const lane_shared_from = SHARED_AT, *const lane_shared_to = PRIVATE_AT;

static size_t shared_bytes;              /* of one stack with its guard; 0 in a job of one node */
static size_t private_bytes = OWN_BYTES; /* besides thread-local variables */

static char *lane_map(char *at, size_t bytes, int more)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = hlrc_addresses_map_at(at, bytes, PROT_READ | PROT_WRITE | more, flags, -1);
    return p == MAP_FAILED ? NULL : p;
}

static size_t lane_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) & ~(to - 1);
}

int lane_reserve(int lanes, size_t bytes, bool executable)
{
    if (lanes == 0) {
        private_bytes = bytes;
        return 0;
    }
    shared_bytes = lane_up(bytes < ONE_AT_LEAST ? ONE_AT_LEAST : bytes, GUARD_BYTES) + GUARD_SHARED;
    if (!lane_map(SHARED_AT, (size_t)lanes * shared_bytes, executable ? PROT_EXEC : 0))
        return -errno;
    int rc = hlrc_share(SHARED_AT, (size_t)lanes * shared_bytes);
    if (rc == 0)
        hlrc_share_guards(shared_bytes, GUARD_SHARED);
    return rc;
}

size_t lane_stack_bytes(void)
{
    return shared_bytes ? shared_bytes - GUARD_SHARED : 0;
}

void lane_leave_own_signals(sigset_t *set)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(set, own[i]);
}

void lane_block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    lane_leave_own_signals(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

struct start {
    struct lane *lane;
    sigset_t mask; /* of the starting thread */
    void *(*body)(void *);
    void *arg;
};

/* The first HLRC call gives the thread its alternate stack, which faults on the shared stack
 * need. */
static void *lane_begin(void *arg)
{
    struct start s = *(struct start *)arg;
    lane_current = s.lane;
    s.lane->id = gettid();
    if (s.lane->shared_top)
        (void)hlrc_touch(s.lane->shared_top - 1, 1, 0);
    pthread_sigmask(SIG_SETMASK, &s.mask, NULL);
    void *result = s.body(s.arg);
    lane_block_signals(NULL);
    return result;
}

static struct lane *_Atomic started; /* the last */

static void lane_enlist(struct lane *l)
{
    l->next = atomic_load(&started);
    while (!atomic_compare_exchange_strong(&started, &l->next, l))
        ;
}

void lane_each(void (*act)(struct lane *lane, void *arg), void *arg)
{
    for (struct lane *l = atomic_load(&started); l; l = l->next)
        act(l, arg);
}

size_t lane_private_bytes(size_t tls)
{
    return lane_up(private_bytes + tls, GUARD_BYTES);
}

int lane_start(struct lane *l, int index, size_t tls, void *(*body)(void *), void *arg)
{
    static struct start starts[1024];
    size_t bytes = lane_private_bytes(tls);
    char *at = PRIVATE_AT + (size_t)index * (bytes + GUARD_BYTES) + GUARD_BYTES;
    pthread_attr_t attr;
    sigset_t mask;
    if (!l->private_at && !lane_map(at, bytes, 0))
        return -errno;
    bool first = !l->private_at;
    l->index = index; /* not the whole: lane_each may read it */
    l->private_at = at;
    l->private_sp = l->resume_at = NULL;
    l->channel = NULL;
    atomic_store(&l->waiter, NULL);
    atomic_store(&l->told, 0);
    l->name = 0;
    atomic_store(&l->single, 0);
    if (first)
        lane_enlist(l);
    if (shared_bytes)
        l->shared_top = SHARED_AT + (size_t)(index + 1) * shared_bytes;
    struct start *s = &starts[index % 1024];
    *s = (struct start){ .lane = l, .body = body, .arg = arg };
    lane_block_signals(&mask);
    s->mask = mask;
    pthread_attr_init(&attr);
    int rc = pthread_attr_setstack(&attr, at, bytes);
    if (rc == 0)
        rc = pthread_create(&l->thread, &attr, lane_begin, s);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_attr_destroy(&attr);
    return -rc;
}

void lane_adopt(struct lane *l, int index)
{
    *l = (struct lane){ .index = index, .thread = pthread_self() };
    lane_current = l;
}

static char *lane_below(char *used)
{
    return used - LEFT_BELOW - (uintptr_t)used % 16;
}

void lane_run(struct lane *l, void (*act)(void *), void *arg)
{
    if (!l->shared_top) {
        act(arg);
        return;
    }
    char *top = l->resume_at ? lane_below(l->resume_at) : l->shared_top;
    stack_switch_call(act, arg, top, &l->private_sp);
    l->private_sp = NULL;
}

/* A thread that left the shared stack by an exception, as in pthread_exit, is on the private one
 * again, and private_sp is stale. */
void lane_call(void (*act)(void *), void *arg)
{
    struct lane *l = lane_current;
    void *sp = l ? l->private_sp : NULL, *left;
    if (!sp || !lane_is_shared(__builtin_frame_address(0))) {
        act(arg);
        return;
    }
    l->private_sp = NULL;
    stack_switch_call(act, arg, sp, &left);
    l->private_sp = sp;
}

bool lane_is_shared(const void *ptr)
{
    return (const char *)ptr >= SHARED_AT && (const char *)ptr < PRIVATE_AT;
}

size_t lane_live(char **from)
{
    struct lane *l = lane_current;
    *from = (char *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)63);
    return l && l->private_sp && lane_is_shared(*from) ? (size_t)(l->shared_top - *from) : 0;
}
