/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fault.c - see fault.h for the invariants. */
#include "hlrc/memory/fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef HAVE_CONFIG_H
#    include <config.h>
#endif
#ifdef HAVE_LIBSIGSEGV
#    include <sigsegv.h>
#endif

#include "base/diag.h"
#include "base/system_sigaction.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/ahead.h"
#include "hlrc/memory/copies.h"
#include "hlrc/memory/debugger.h"
#include "hlrc/memory/exact.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/range.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/altstack.h"
#include "hlrc/progress/thread.h"

#define VAIN_MAX 1000

static struct sigaction before; /* previous action, for faults outside shared space */
static bool late;               /* the program has set it since fault_install */
static struct sigaction front;  /* our handler */
static void (*unserved)(int, siginfo_t *, void *, bool);
static bool (*serves_other)(void *);
#ifdef HAVE_LIBSIGSEGV
static struct sigaction dispatcher; /* libsigsegv's own handler */
/* whether libsigsegv is asked about an overflow of this thread's stack, and its answer */
static _Thread_local bool looking;
#endif
static _Thread_local bool overflow;
static bool forked;
static _Thread_local uintptr_t handling;       /* stack address of the program's handler, or 0 */
static _Thread_local unsigned vain;            /* faults in a row that found nothing to do */
static _Thread_local enum fault_kind kind_now; /* of the fault being handled */
static _Thread_local uintptr_t code_now;       /* the instruction that caused it */

#if defined(__x86_64__)
enum fault_kind fault_kind(const void *context)
{
    const ucontext_t *uc = context;
    greg_t code = uc->uc_mcontext.gregs[REG_ERR];
    return code & 0x10 ? FAULT_EXECUTE : code & 2 ? FAULT_WRITE : FAULT_READ;
}
#elif defined(__aarch64__)
#    define ESR_WNR   (1u << 6) /* write, not read */
#    define ESR_CM    (1u << 8) /* cache maintenance: WNR is set, though reading is enough */
#    define ESR_CLASS 26        /* bits from here on; 0x20: an instruction fetch */

/* Records follow the registers, each with its size; the last has magic 0. Linux writes one with
 * the ESR for every data abort; qemu-user (7.2) does not. */
enum fault_kind fault_kind(const void *context)
{
    const mcontext_t *mc = &((const ucontext_t *)context)->uc_mcontext;
    const unsigned char *at = (const unsigned char *)mc->__reserved,
                        *end = at + sizeof mc->__reserved;
    while ((size_t)(end - at) >= sizeof(struct esr_context)) {
        const struct esr_context *record = (const void *)at;
        if (record->head.magic == ESR_MAGIC) {
            if (record->esr >> ESR_CLASS == 0x20)
                return FAULT_EXECUTE;
            return (record->esr & (ESR_WNR | ESR_CM)) == ESR_WNR ? FAULT_WRITE : FAULT_READ;
        }
        if (record->head.magic == 0 || record->head.size == 0 ||
            record->head.size > (size_t)(end - at))
            break;
        at += record->head.size;
    }
    return FAULT_UNKNOWN;
}
#else
#    error "distinguish reads from writes for this CPU here"
#endif

uintptr_t fault_code(const void *context)
{
    const ucontext_t *uc = context;
#if defined(__x86_64__)
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)uc->uc_mcontext.pc;
#endif
}

/* True if there was something to do; *write: it was for a store. */
static bool fault_open_page(uint32_t page, enum fault_kind kind, bool *write)
{
    *write = kind == FAULT_WRITE;
    if (page_access(page, *write))
        return true;
    if (kind != FAULT_UNKNOWN)
        return false;
    *write = true;
    return page_access(page, true);
}

/* Handles a fault at addr, if it lies in shared space. */
static bool fault_resolve(void *addr)
{
    if (!engine_in_space(addr))
        return false;
    if (forked)
        diag_fatal(
            1, "a forked child accessed shared memory at %p; after hlrc_init a child may only exec",
            addr);
    if (thread_self()->inside)
        diag_fatal(1,
                   "a signal handler accessed shared memory at %p inside an HLRC call of the same "
                   "thread; block the signal around calls, or start with --signals mask",
                   addr);
    struct thread *t = thread_enter();
    struct probe_span span = PROBE_BEGIN(fault);
    const struct page *p = page_at(engine_page_of(addr));
    /* a watched page (page_move.h) would fault without the trace, too */
    bool write, look = probe_records() && p->looked && !p->migrate.watched;
    first_write_by(code_now);
    if (fault_open_page(engine_page_of(addr), kind_now, &write)) {
        look = look && !write;
        PROBE(fault_resolved, engine_page_of(addr), write, look);
        if (!look)
            ahead_fault(engine_page_of(addr), write);
        copies_trim();
        PROBE_END(fault, span, engine_page_of(addr), (uintptr_t)addr % PAGE_SIZE, write, code_now);
        vain = 0;
    } else {
        probe_drop(span);
        vain++;
    }
    first_write_by(0);
    thread_leave(t);
    return true;
}

#ifdef HAVE_LIBSIGSEGV
/* While libsigsegv only checks for an overflow, it must not give the signal its default action. */
static int fault_on_segv(void *addr, int serious)
{
    return looking ? serious : fault_resolve(addr);
}

static void fault_on_overflow(int emergency, stackoverflow_context_t context)
{
    (void)emergency, (void)context;
    overflow = true;
}
#endif

static bool fault_is_handler(const struct sigaction *act)
{
    return (act->sa_flags & SA_SIGINFO) ||
           (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN);
}

/* Blocks the signals that would be blocked without HLRC: the handler may never return. */
void fault_hand_on(const struct sigaction *to, int sig, siginfo_t *info, void *context)
{
    sigset_t set = to->sa_mask;
    for (int s = 1; s < SIGRTMAX; s++)
        if (sigismember(&((const ucontext_t *)context)->uc_sigmask, s) == 1)
            sigaddset(&set, s);
    if (!(to->sa_flags & SA_NODEFER))
        sigaddset(&set, sig);
    if (!engine.alone) /* the handler may access shared memory */
        sigdelset(&set, SIGSEGV);
    system_sigaction_mask(SIG_SETMASK, &set, NULL);
    if (to->sa_flags & SA_SIGINFO)
        to->sa_sigaction(sig, info, context);
    else
        to->sa_handler(sig);
}

/* The handler itself has caused it. SIGSEGV is not blocked then if memory is shared. A handler that
 * was left by siglongjmp has left the alternate stack, too. */
static bool fault_is_in_handler(const struct sigaction *to, const void *context)
{
    stack_t alt;
    uintptr_t sp = altstack_interrupted(context);
    return handling && sp < handling && !(to->sa_flags & SA_NODEFER) &&
           sigaltstack(NULL, &alt) == 0 && sp - (uintptr_t)alt.ss_sp < alt.ss_size;
}

static void fault_hand_on_segv(const struct sigaction *to, int sig, siginfo_t *info, void *context)
{
    uintptr_t outer = handling;
    handling = (uintptr_t)__builtin_frame_address(0);
    fault_hand_on(to, sig, info, context);
    handling = outer;
}

static bool fault_is_served(const siginfo_t *info)
{
    if (!serves_other || info->si_code <= 0)
        return false;
    sigset_t segv, outer;
    sigemptyset(&segv);
    sigaddset(&segv, SIGSEGV);
    system_sigaction_mask(SIG_UNBLOCK, &segv, &outer);
    bool served = serves_other(info->si_addr);
    system_sigaction_mask(SIG_SETMASK, &outer, NULL);
    return served;
}

void hlrc_fault_other(bool (*serve)(void *addr))
{
    serves_other = serve;
}

/* As without HLRC. Returning repeats the access under the handler that is installed then. */
static void fault_pass_on(int sig, siginfo_t *info, void *context)
{
    struct sigaction to = before;
    if (fault_is_served(info))
        return;
    bool handled = fault_is_handler(&to) && !fault_is_in_handler(&to, context);
    if (!handled)
        hlrc_debug_fault_foreign();
    if (!handled || (late && !engine.alone))
        unserved(sig, info, context, handled);
    if (handled && ((unsigned)to.sa_flags & SA_RESETHAND))
        before = (struct sigaction){ .sa_handler = SIG_DFL };
    if (handled)
        fault_hand_on_segv(&to, sig, info, context);
}

void fault_next(const struct sigaction *act, struct sigaction *was)
{
    *was = before;
    if (!act)
        return;
    before = *act;
    late = true;
}

/* libsigsegv checks for an overflow of the main thread's stack after its handler has declined. */
bool fault_overflows(int sig, siginfo_t *info, void *context)
{
    overflow = false;
#ifdef HAVE_LIBSIGSEGV
    looking = true;
    dispatcher.sa_sigaction(sig, info, context);
    looking = false;
#else
    (void)sig, (void)info, (void)context;
#endif
    return overflow;
}

struct fault {
    int sig;
    siginfo_t *info;
    void *context;
};

static void fault_dispatch(void *arg)
{
    const struct fault *f = arg;
#ifdef HAVE_LIBSIGSEGV
    dispatcher.sa_sigaction(f->sig, f->info, f->context);
#else
    fault_resolve(f->info->si_addr);
#endif
}

static bool fault_may_execute(const void *addr)
{
    const struct engine_range *r = engine_range_of(addr);
    return r && r->executable;
}

static bool fault_is_guard(const void *addr)
{
    uint32_t n = 1;
    return !engine_in_heap(addr) && range_is_guard(engine_page_of(addr), &n);
}

static bool fault_is_ours(const siginfo_t *info)
{
    return info->si_code > 0 && !engine.alone && engine_in_space(info->si_addr) &&
           (kind_now != FAULT_EXECUTE || fault_may_execute(info->si_addr)) &&
           !fault_is_guard(info->si_addr);
}

static void fault_on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    struct fault fault = { sig, info, context };
    kind_now = fault_kind(context);
    code_now = fault_code(context);
    if (!fault_is_ours(info))
        fault_pass_on(sig, info, context);
    else if (altstack_is_small(context))
        altstack_run(thread_self()->index, fault_dispatch, &fault);
    else
        fault_dispatch(&fault);
    if (vain >= VAIN_MAX) {
        vain = 0;
        hlrc_debug_fault_foreign();
        unserved(sig, info, context, false);
    }
    if (altstack_is_new(context))
        altstack_keep(context);
    errno = saved;
}

/* [thread.no-fault]: the system blocks them, at no cost. */
static void fault_block_signals(sigset_t *mask)
{
    sigset_t some;
    thread_signals(&some);
    for (int sig = 1; sig <= SIGRTMAX; sig++)
        if (sigismember(&some, sig) == 1)
            sigaddset(mask, sig);
}

#ifdef HAVE_LIBSIGSEGV
/* Installs libsigsegv's handler, with its search for overflows if this thread has an alternate
 * stack. */
static int fault_install_dispatcher(void)
{
    stack_t stack;
    if (sigsegv_install_handler(fault_on_segv) != 0)
        return -ENOTSUP;
    if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE) &&
        stackoverflow_install_handler(fault_on_overflow, stack.ss_sp, stack.ss_size) != 0)
        return -ENOTSUP;
    if (system_sigaction(SIGSEGV, NULL, &dispatcher) != 0 || !(dispatcher.sa_flags & SA_SIGINFO))
        return -ENOTSUP;
    front = dispatcher; /* its flags and mask */
    return 0;
}
#else
static int fault_install_dispatcher(void)
{
    front = (struct sigaction){ .sa_flags = SA_SIGINFO };
    sigemptyset(&front.sa_mask);
    return 0;
}
#endif

void hlrc_signal_handled(int sig, bool handled)
{
    thread_handles_signal(sig, handled);
    if (front.sa_sigaction != fault_on_signal)
        return;
    fault_block_signals(&front.sa_mask);
    (void)system_sigaction(SIGSEGV, &front, NULL);
}

int fault_install(void (*crash)(int, siginfo_t *, void *, bool))
{
    forked = late = false;
    unserved = crash;
    hlrc_debug_faults_begin();
    int rc = engine.alone ? 0 : exact_check();
    if (rc == 0 && system_sigaction(SIGSEGV, NULL, &before) != 0)
        rc = -errno;
    if (rc == 0)
        rc = fault_install_dispatcher();
    if (rc)
        return rc;
    front.sa_flags |= SA_ONSTACK;
    front.sa_flags &= ~SA_NODEFER; /* [thread.no-fault] */
    fault_block_signals(&front.sa_mask);
    front.sa_sigaction = fault_on_signal;
    return system_sigaction(SIGSEGV, &front, NULL) == 0 ? 0 : -errno;
}

/* If there was no handler before, crashes are reported until the end. */
bool fault_remove(void)
{
    hlrc_debug_faults_end();
    if (!fault_is_handler(&before))
        return false;
#ifdef HAVE_LIBSIGSEGV
    sigsegv_deinstall_handler();
#endif
    system_sigaction(SIGSEGV, &before, NULL);
    return true;
}

void fault_forked(void)
{
    forked = true;
}
