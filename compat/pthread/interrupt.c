/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* interrupt.c - see interrupt.h for the invariants. */
#include "compat/pthread/interrupt.h"

#include "compat/pthread/move.h"

#if MOVE_POSSIBLE

#    include <errno.h>
#    include <hlrc.h>
#    include <pthread.h>
#    include <signal.h>
#    include <stdatomic.h>
#    include <stddef.h>
#    include <string.h>
#    include <sys/syscall.h>
#    include <time.h>
#    include <ucontext.h>
#    include <unistd.h>

#    include "base/system_sigaction.h"
#    include "compat/pthread/table.h"
#    include "compat/start/image.h"
#    include "compat/start/lane.h"
#    include "compat/start/start.h"

#    define SIGNAL       (SIGRTMAX - 2)
#    define RED_ZONE     128
#    define DIRECTION    0x400 /* flag of string instructions; calls expect it clear */
#    define VECTOR_BYTES 3072  /* AVX-512 and less */
#    define LEGACY_BYTES 512   /* without extensions */
#    define RECORD_AT    464   /* in these: the system's record of the extensions */

/* Of the calling thread, as it was interrupted. */
static _Thread_local struct {
    bool restores; /* the next signal stores them */
    gregset_t general;
    size_t bytes;
    char vector[VECTOR_BYTES];
} saved;

/* This node's threads, by entry. */
static struct interrupt_thread {
    _Atomic pid_t id; /* 0: none */
    int home;
    clockid_t clock;
    int64_t computed; /* ns, at the last look */
} threads[TABLE_THREADS + 1];
static _Thread_local struct interrupt_thread *own;
static bool possible;
static bool foreign_variables; /* the program uses them */

void interrupt_look_at(const char *name)
{
    foreign_variables |= strstr(name, "__once_call") != NULL;
}

/* ---- registers ---- */

/* Bytes of the vector registers in a signal's frame; the layout is the system's. */
static size_t interrupt_vector_bytes(const ucontext_t *u)
{
    const struct _fpx_sw_bytes *extended =
        (const void *)((const char *)u->uc_mcontext.fpregs + RECORD_AT);
    return extended->magic1 == FP_XSTATE_MAGIC1 ? extended->extended_size : LEGACY_BYTES;
}

/* [interrupt.registers] */
static void interrupt_save(const ucontext_t *u)
{
    memcpy(saved.general, u->uc_mcontext.gregs, sizeof saved.general);
    memcpy(saved.vector, u->uc_mcontext.fpregs, saved.bytes);
}

/* Segments and the record of an error stay. */
static void interrupt_restore(ucontext_t *u)
{
    for (int i = 0; i <= REG_EFL; i++)
        u->uc_mcontext.gregs[i] = saved.general[i];
    if (interrupt_vector_bytes(u) != saved.bytes)
        start_fail("a thread that moved has other vector registers here");
    memcpy(u->uc_mcontext.fpregs, saved.vector, saved.bytes);
}

/* ---- the handler ---- */

/* On the shared stack, below the red zone of the interrupted code. */
_Noreturn static void interrupt_move(void)
{
    move_leave();
    saved.restores = true;
    for (;;)
        (void)syscall(SYS_tgkill, getpid(), gettid(), SIGNAL);
}

static bool interrupt_may(const ucontext_t *u)
{
    const char *at = (const char *)u->uc_mcontext.gregs[REG_RIP];
    return at >= start_image.code && at < start_image.code_end &&
           lane_is_shared((const void *)u->uc_mcontext.gregs[REG_RSP]) &&
           interrupt_vector_bytes(u) <= VECTOR_BYTES && move_is_due((uintptr_t)at);
}

static void interrupt_handle(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    int error = errno;
    (void)sig, (void)info;
    if (saved.restores) {
        saved.restores = false;
        interrupt_restore(u);
    } else if (own && interrupt_may(u)) {
        saved.bytes = interrupt_vector_bytes(u);
        interrupt_save(u);
        move_carry(&saved, sizeof saved);
        greg_t *g = u->uc_mcontext.gregs;
        g[REG_RSP] = ((g[REG_RSP] - RED_ZONE) & ~(greg_t)15) - (greg_t)sizeof(void *);
        g[REG_RIP] = (greg_t)(uintptr_t)interrupt_move;
        g[REG_EFL] &= ~(greg_t)DIRECTION;
    }
    errno = error;
}

/* ---- threads of this node ---- */

/* The extensions that the system has enabled. */
static uint64_t interrupt_extensions(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

void interrupt_start(void)
{
    struct sigaction act = { .sa_sigaction = interrupt_handle,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
    uint64_t mine = __builtin_cpu_supports("avx") ? interrupt_extensions() : 0, all[2];
    if (foreign_variables)
        return;
    if (hlrc_reduce(&mine, &all[0], 1, HLRC_UINT64, HLRC_MIN) != 0 ||
        hlrc_reduce(&mine, &all[1], 1, HLRC_UINT64, HLRC_MAX) != 0 || all[0] != all[1])
        return;
    sigfillset(&act.sa_mask);
    sigdelset(&act.sa_mask, SIGSEGV);
    possible = system_sigaction(SIGNAL, &act, NULL) == 0;
}

static int64_t interrupt_computed(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? t.tv_sec * INT64_C(1000000000) + t.tv_nsec : 0;
}

void interrupt_begin(uint32_t entry, int home)
{
    struct interrupt_thread *t = &threads[entry];
    if (!possible || pthread_getcpuclockid(pthread_self(), &t->clock) != 0)
        return;
    t->home = home;
    t->computed = 0;
    own = t;
    atomic_store(&t->id, gettid());
}

void interrupt_end(void)
{
    if (own)
        atomic_store(&own->id, 0);
    own = NULL;
}

void interrupt_busy(int64_t since)
{
    for (struct interrupt_thread *t = threads; t <= threads + TABLE_THREADS; t++) {
        pid_t id = atomic_load(&t->id);
        if (id == 0)
            continue;
        int64_t now = interrupt_computed(t->clock), took = now - t->computed;
        t->computed = now;
        if (took > since / 2 && took <= 2 * since && move_is_misplaced(t->home))
            (void)syscall(SYS_tgkill, getpid(), id, SIGNAL);
    }
}

#else

void interrupt_look_at(const char *name)
{
    (void)name;
}

void interrupt_start(void)
{
}

void interrupt_begin(uint32_t entry, int home)
{
    (void)entry, (void)home;
}

void interrupt_end(void)
{
}

void interrupt_busy(int64_t since)
{
    (void)since;
}

#endif
