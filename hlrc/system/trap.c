/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trap.c - see trap.h for the invariants. */
#include "hlrc/system/trap.h"

#include <errno.h>
#include <string.h>

#include "base/system_sigaction.h"
#include "hlrc/core/engine.h"
#include "hlrc/crash/handlers.h"
#include "hlrc/memory/fault.h"
#include "hlrc/progress/altstack.h"
#include "hlrc/progress/thread.h"

#if defined(__x86_64__)

#    define TEXT_MOST 4096 /* bytes of a path or another text, with its NUL */
#    define TRAPPED   1    /* SYS_SECCOMP: si_code */

static struct sigaction before; /* the previous handler of SIGSYS */

static bool trap_is_shared(uint64_t address)
{
    return engine_in_space((const void *)(uintptr_t)address);
}

/* ---- calls by the table ---- */

static size_t trap_text_bytes(uint64_t address)
{
    size_t len = strnlen((const char *)(uintptr_t)address, TEXT_MOST - 1);
    return len + 1;
}

static size_t trap_bit_bytes(uint64_t bits)
{
    return (size_t)((bits + 63) / 64 * 8);
}

/* Bytes of an argument that is in shared memory. */
static size_t trap_arg_bytes(const struct trap *t, const struct calls_arg *a)
{
    uint32_t room = 0;
    switch ((enum calls_how)a->how) {
    case CALL_TEXT:
        return trap_text_bytes(t->args[a->at]);
    case CALL_IN_MANY:
    case CALL_OUT_MANY:
    case CALL_OUT_FOUND:
        return (size_t)t->args[a->of] * a->bytes;
    case CALL_IN_BITS:
    case CALL_OUT_BITS:
        return trap_bit_bytes(t->args[a->of]);
    case CALL_ADDRESS:
        return trap_look(&room, t->args[a->of], sizeof room) && (int32_t)room >= 0 ? room : 0;
    case CALL_STRANGE:
        trap_refuse(t, a->at, t->args[a->at], "and HLRC does not know what this call does with it");
    default:
        return a->bytes;
    }
}

static bool trap_is_read(enum calls_how how)
{
    return how == CALL_IN || how == CALL_BOTH || how == CALL_TEXT || how == CALL_IN_MANY ||
           how == CALL_IN_BITS;
}

/* [syscalls.copies]: how many of `bytes` the system has written. */
static size_t trap_written(const struct trap *t, const struct calls_arg *a, size_t bytes,
                           long result)
{
    uint32_t now = 0;
    size_t found = 0;
    if (a->how == CALL_OUT_LEFT)
        return result == -EINTR ? bytes : 0;
    if (trap_failed(result))
        return 0;
    switch ((enum calls_how)a->how) {
    case CALL_OUT:
    case CALL_BOTH:
    case CALL_OUT_MANY:
    case CALL_OUT_BITS:
        return bytes;
    case CALL_OUT_SOME:
        return result > 0 ? bytes : 0;
    case CALL_OUT_FOUND:
        found = (size_t)result * a->bytes;
        return found < bytes ? found : bytes;
    case CALL_ADDRESS:
        found = trap_look(&now, t->pass[a->of], sizeof now) ? now : 0;
        return found < bytes ? found : bytes;
    default:
        return 0;
    }
}

static long trap_make_by_table(struct trap *t)
{
    const struct calls_arg *args = t->call->args;
    size_t bytes[sizeof t->call->args / sizeof *args] = { 0 };
    size_t count = 0;
    for (; count < sizeof bytes / sizeof *bytes && args[count].how; count++) {
        const struct calls_arg *a = &args[count];
        if (!trap_is_shared(t->args[a->at]))
            continue;
        bytes[count] = trap_arg_bytes(t, a);
        (void)trap_own(t, a->at, bytes[count], trap_is_read((enum calls_how)a->how));
    }
    long result = trap_make(t);
    for (size_t i = 0; i < count; i++)
        trap_give(t, args[i].at, trap_written(t, &args[i], bytes[i], result));
    return result;
}

static long trap_make_unknown(struct trap *t)
{
    for (int i = 0; i < CALL_ARGS && t->number >= calls_end(); i++)
        if (trap_is_shared(t->args[i]))
            trap_refuse(t, i, t->args[i], "and HLRC does not know this call");
    return trap_make(t);
}

static void trap_serve(void *arg)
{
    struct trap *t = arg;
    greg_t *regs = t->context->uc_mcontext.gregs;
    static const int registers[CALL_ARGS] = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 };
    for (int i = 0; i < CALL_ARGS; i++)
        t->args[i] = t->pass[i] = (uint64_t)regs[registers[i]];
    t->call = calls_by_number(t->number);
    bounce_begin(&t->own, engine.app && thread_current ? thread_current->index : BOUNCE_NONE);
    regs[REG_RAX] = !t->call           ? trap_make_unknown(t)
                    : t->call->special ? t->call->special(t)
                                       : trap_make_by_table(t);
    bounce_end(&t->own);
}

static void trap_pass_on(int sig, siginfo_t *info, void *context)
{
    struct sigaction next = handlers_next(SIGSYS);
    bool is_set = (next.sa_flags & SA_SIGINFO) || next.sa_handler != SIG_DFL;
    if (!is_set)
        next = before;
    if ((next.sa_flags & SA_SIGINFO) ||
        (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN)) {
        fault_hand_on(&next, sig, info, context);
    } else if (next.sa_handler == SIG_DFL || info->si_code > 0) {
        handlers_default(sig);
        (void)raise(sig); /* not blocked */
    }
}

static void trap_on_trap(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    struct trap t;
    if (info->si_code != TRAPPED || trap_is_own(info->si_call_addr)) {
        trap_pass_on(sig, info, context);
    } else {
        bool none = altstack_is_new(context);
        debug_assert(sigismember(&((ucontext_t *)context)->uc_sigmask, SIGSYS) != 1);
        t.number = info->si_syscall;
        t.context = context;
        if (engine.app && altstack_is_small(context))
            altstack_run(thread_self()->index, trap_serve, &t);
        else
            trap_serve(&t);
        if (none && altstack_is_new(context))
            altstack_keep(context); /* a fault installed this thread's alternate stack */
    }
    errno = saved;
}

int trap_install(void)
{
    struct sigaction act = { .sa_sigaction = trap_on_trap,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART };
    int rc = trap_page();
    if (rc == 0)
        rc = bounce_init(thread_max());
    sigemptyset(&act.sa_mask);
    if (rc == 0 && system_sigaction(SIGSYS, &act, &before) != 0)
        rc = -errno;
    if (rc == 0) {
        handlers_front(SIGSYS, true);
        handlers_open(SIGSYS, true);
    }
    return rc;
}
#else
int trap_install(void)
{
    return -ENOSYS;
}
#endif
