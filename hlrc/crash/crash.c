/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* crash.c - see crash.h. */
#include "hlrc/crash/crash.h"

#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/diag.h"
#include "base/system_sigaction.h"
#include "hlrc/core/engine.h"
#include "hlrc/crash/handlers.h"
#include "hlrc/crash/place.h"
#include "hlrc/crash/shared_core.h"
#include "hlrc/crash/stack.h"
#include "hlrc/memory/fault.h"
#include "hlrc/progress/thread.h"

#define WHAT_MAX     768
#define SIGNAL_BYTES 8 /* bytes of a signal set of the kernel */

struct crash {
    int sig;
    siginfo_t *info;
    void *context;
    bool handled;
    char what[WHAT_MAX];
};

static const struct {
    int sig;
    const char *name;
} told[] = { { SIGSEGV, "SIGSEGV" },
             { SIGBUS, "SIGBUS" },
             { SIGFPE, "SIGFPE" },
             { SIGILL, "SIGILL" },
             { SIGABRT, "SIGABRT" } };
#define TOLD (sizeof told / sizeof *told)

/* Written at start, in hlrc_finalize, and in a child of fork. */
static struct diag_sink sink; /* used when the launcher no longer listens */
static bool forked, finalized;

static _Atomic pid_t owner;
static struct crash crash;
static sigjmp_buf way_out; /* exit from the owner's current step */
static volatile sig_atomic_t has_way_out;

static const char *crash_name_of(int sig)
{
    for (size_t i = 0; i < TOLD; i++)
        if (told[i].sig == sig)
            return told[i].name;
    return "a signal";
}

/* ---- the line ---- */

static void crash_describe_sender(const siginfo_t *info, char *text, size_t len)
{
    if (info->si_pid != getpid())
        snprintf(text, len, "sent by process %d", (int)info->si_pid);
    else
        snprintf(text, len, "%s",
                 info->si_signo == SIGABRT ? "the program called abort()"
                                           : "the program sent it to itself");
}

static const char *crash_float_words(int code)
{
    switch (code) {
    case FPE_INTDIV:
        return "integer division by zero, or a quotient that is too large";
    case FPE_INTOVF:
        return "integer overflow";
    case FPE_FLTDIV:
        return "division by zero (floating point)";
    case FPE_FLTOVF:
        return "overflow (floating point)";
    case FPE_FLTINV:
        return "invalid operation (floating point)";
    default:
        return "arithmetic exception";
    }
}

static const char *crash_bus_words(int code)
{
    switch (code) {
    case BUS_ADRALN:
        return "misaligned address: ";
    case BUS_MCEERR_AR:
    case BUS_MCEERR_AO:
        return "memory error (hardware): ";
    default:
        return "no memory is available for the page, or the mapped file is shorter than its "
               "mapping: ";
    }
}

static void crash_describe_memory(struct crash *c)
{
    const char *bus = c->sig == SIGBUS ? crash_bus_words(c->info->si_code) : "";
    size_t used = (size_t)snprintf(c->what, sizeof c->what, " at 0x%lx: %s",
                                   (unsigned long)c->info->si_addr, bus);
    place_describe(c->sig, c->info, c->context, c->what + used, sizeof c->what - used);
}

/* Describes the signal; the text follows its name. */
static void crash_describe(void *arg)
{
    struct crash *c = arg;
    char sender[64];
    if (c->info->si_code <= 0) {
        crash_describe_sender(c->info, sender, sizeof sender);
        snprintf(c->what, sizeof c->what, ": %s", sender);
    } else if (c->sig == SIGFPE) {
        snprintf(c->what, sizeof c->what, " at 0x%lx: %s", (unsigned long)c->info->si_addr,
                 crash_float_words(c->info->si_code));
    } else if (c->sig == SIGILL) {
        snprintf(c->what, sizeof c->what,
                 " at 0x%lx: not an instruction of this processor: a compiler trap, code for "
                 "another processor, or not code",
                 (unsigned long)c->info->si_addr);
    } else if (c->info->si_code == SI_KERNEL) {
        snprintf(c->what, sizeof c->what,
                 ": not shared memory: an invalid address, from a damaged pointer; the processor "
                 "does not report it");
    } else if (c->sig == SIGSEGV || c->sig == SIGBUS) {
        crash_describe_memory(c);
    }
}

/* The thread, after the name of the node. After hlrc_finalize only the main thread still has an
 * engine's thread number. */
static void crash_name_thread(char *text, size_t len)
{
    char name[17] = "";
    if (forked)
        snprintf(text, len, ", process %d, forked by node %d", (int)getpid(), sink.node);
    else if (thread_current)
        snprintf(text, len, ", thread %u", thread_current->index);
    else if (finalized && gettid() == getpid())
        snprintf(text, len, ", thread 0");
    else if (prctl(PR_GET_NAME, name) == 0)
        snprintf(text, len, ", thread %d (%s)", (int)gettid(), name);
}

static void crash_say_what(void *arg)
{
    struct crash *c = arg;
    char who[96];
    crash_name_thread(who, sizeof who);
    if (c->handled)
        diag_warn("%s: %s%s; the program handles it", who, crash_name_of(c->sig), c->what);
    else
        diag_report(128 + c->sig, "%s: %s%s", who, crash_name_of(c->sig), c->what);
}

/* ---- the steps ---- */

static void crash_find_stack(void *arg)
{
    stack_capture(((struct crash *)arg)->context);
}

static void crash_say_stack(void *arg)
{
    stack_tell(((struct crash *)arg)->handled ? diag_warn : diag_detail);
}

static void crash_mark_core(void *arg)
{
    (void)arg;
    shared_core_mark();
}

/* SIGSEGV and SIGBUS are blocked while their handler runs. */
static void crash_attempt(void (*step)(void *), struct crash *c)
{
    if (sigsetjmp(way_out, 1) == 0) {
        sigset_t set;
        sigemptyset(&set);
        for (size_t i = 0; i < TOLD; i++)
            sigaddset(&set, told[i].sig);
        has_way_out = 1;
        system_sigaction_mask(SIG_UNBLOCK, &set, NULL);
        step(c);
        system_sigaction_mask(SIG_BLOCK, &set, NULL);
    }
    has_way_out = 0;
}

/* Takes effect when the handler returns. Other pending signals, such as SIGCHLD of addr2line, stay
 * blocked: the program runs no more. */
static void crash_end_by(int sig, siginfo_t *info, ucontext_t *context)
{
    sigset_t set;
    handlers_default(sig);
    thread_signals(&set);
    sigdelset(&set, sig);
    memcpy(&context->uc_sigmask, &set, SIGNAL_BYTES);
    if (info->si_code <= 0)
        (void)syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sig, info);
}

/* The reporting thread itself has crashed. */
static void crash_skip_step(void)
{
    if (atomic_load(&owner) == gettid() && has_way_out)
        siglongjmp(way_out, 1);
}

/* False: this thread is the owner already. */
static bool crash_claim(void)
{
    for (;;) {
        pid_t who = 0;
        if (atomic_compare_exchange_strong(&owner, &who, gettid()))
            return true;
        if (who == gettid())
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
}

static void crash_tell(int sig, siginfo_t *info, void *context, bool handled)
{
    if (finalized)
        diag_set_sink(&sink);
    crash = (struct crash){ .sig = sig, .info = info, .context = context, .handled = handled };
    crash_attempt(crash_find_stack, &crash);
    crash_attempt(crash_describe, &crash);
    crash_attempt(crash_say_what, &crash);
    crash_attempt(crash_say_stack, &crash);
}

/* The address means something on another node, or to HLRC. */
static bool crash_is_of_job(const siginfo_t *info)
{
    int node = info->si_code > 0 ? addresses_node((uintptr_t)info->si_addr) : -1;
    return info->si_code > 0 &&
           ((node >= 0 && node != engine.node) || engine_in_space(info->si_addr));
}

/* Only once, since a program may use a handler regularly. The stacks of an unchanged program are
 * shared memory, but that they overflow is the program's. */
static void crash_tell_once(int sig, siginfo_t *info, void *context)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    if (engine.unaware && (!crash_is_of_job(info) || place_is_near_stack(info, context)))
        return;
    if (!atomic_flag_test_and_set(&done) && crash_claim()) {
        crash_tell(sig, info, context, true);
        atomic_store(&owner, 0);
    }
}

/* On other nodes compat/process/signals.c finds out whether the program has a handler. */
static bool crash_is_told_later(void)
{
    return engine.unaware && engine.node != 0;
}

void hlrc_crash_handled(int sig, siginfo_t *info, void *context)
{
    crash_tell_once(sig, info, context);
}

/* Only the program may wait for how its child ends, as without HLRC. */
static bool crash_is_of_child(const siginfo_t *info)
{
    return forked && engine.unaware && !crash_is_of_job(info);
}

static void crash_end(int sig, siginfo_t *info, void *context)
{
    if (!crash_is_of_child(info) && crash_claim()) {
        crash_tell(sig, info, context, false);
        crash_attempt(crash_mark_core, &crash);
    }
    crash_end_by(sig, info, context);
}

/* Handles all but SIGSEGV. */
static void crash_on_crash(int sig, siginfo_t *info, void *context)
{
    struct sigaction next = handlers_next(sig);
    bool sent = info->si_code <= 0;
    crash_skip_step();
    if (!(next.sa_flags & SA_SIGINFO) && next.sa_handler == SIG_IGN && sent)
        return;
    if (!(next.sa_flags & SA_SIGINFO) &&
        (next.sa_handler == SIG_DFL || next.sa_handler == SIG_IGN)) {
        crash_end(sig, info, context);
        return;
    }
    if (!crash_is_told_later())
        crash_tell_once(sig, info, context);
    fault_hand_on(&next, sig, info, context);
}

/* If the engine regards a fault in shared space as resolved, the mapping must allow the access. */
static void crash_segv(int sig, siginfo_t *info, void *context, bool handled)
{
    crash_skip_step();
    if (info->si_code > 0 && info->si_code != SI_KERNEL && engine.app && !engine.alone &&
        engine_in_space(info->si_addr) && fault_kind(context) != FAULT_EXECUTE &&
        place_is_accessible(info, context))
        return;
    if (!handled)
        crash_end(sig, info, context);
    else if (!crash_is_told_later())
        crash_tell_once(sig, info, context);
}

/* ---- start and end ---- */

static void crash_install_for(int sig)
{
    struct sigaction now,
        act = { .sa_sigaction = crash_on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    thread_signals(&act.sa_mask);
    if (system_sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL && system_sigaction(sig, &act, NULL) == 0)
        handlers_front(sig, true);
}

int crash_install(void)
{
    int rc = fault_install(crash_segv);
    if (rc)
        return rc;
    handlers_front(SIGSEGV, true);
    handlers_open(SIGSEGV, !engine.alone);
    sink = (struct diag_sink){ .node = engine.node, .nodes = engine.nodes };
    for (size_t i = 0; i < TOLD; i++)
        if (told[i].sig != SIGSEGV)
            crash_install_for(told[i].sig);
    return 0;
}

void crash_finalized(void)
{
    handlers_open(SIGSEGV, false);
    handlers_front(SIGSEGV, false);
    handlers_front(SIGSEGV, !fault_remove());
    finalized = true;
    place_finalized(engine.app, (size_t)engine_heap_pages() << PAGE_SHIFT);
}

void crash_forked(void)
{
    forked = true;
}
