/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* delegate.c - see delegate.h for the invariants. */
#include "compat/process/delegate.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <hlrc.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/addresses.h"
#include "compat/process/carry.h"
#include "compat/process/catcher.h"
#include "compat/process/locale_slot.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"
#include "hlrc/progress/uncounted.h"

#define CHANNEL_BYTES 4096 /* a page: no other call shares it */

enum delegate_channel_state { CHANNEL_IDLE, CHANNEL_ASKED, CHANNEL_DONE, CHANNEL_END };

struct delegate_channel_request {
    delegate_fn *fn;
    long words[DELEGATE_WORDS];
    sigset_t mask;
    locale_t locale; /* 0: the proxy's */
    pthread_t caller;
    int error;
    long result;
    struct __jmp_buf_tag *jump; /* NULL: none [delegate.jumps] */
    int jump_value;
};

/* In shared memory; guarded by its lock, `next` by LOCK_DELEGATE. */
struct delegate_channel {
    hlrc_lock_t lock;
    hlrc_cond_t asked, done;
    enum delegate_channel_state state;
    pthread_t proxy;
    pid_t proxy_id;
    uint64_t sent; /* signals to the proxy during the call, as bits */
    struct delegate_channel_request request;
    struct delegate_channel *next; /* without a proxy yet */
    char text[];                   /* for a small buffer */
};
#define TEXT_BYTES (CHANNEL_BYTES - sizeof(struct delegate_channel))

/* In shared memory; guarded by LOCK_DELEGATE. */
static struct delegate_table {
    struct delegate_channel *fresh;
    hlrc_cond_t news;
    bool ending;
} * table;

const char *delegate_program_end;
void (*delegate_at_point)(void);
bool delegate_detours, delegate_counts, delegate_looks, delegate_looks_at_points;
static_assert(offsetof(struct lane, calls) == 24, "names.c has this number");

/* ---- channels of this node ---- */

static _Thread_local struct delegate_channel *own; /* NULL: none, or in use */

/* Of threads that have ended. */
struct delegate_channel_kept {
    struct delegate_channel *channel;
    struct delegate_channel_kept *next;
};
static struct delegate_channel_kept *kept;
static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t exit_key;

static void delegate_channel_keep(void *channel)
{
    struct delegate_channel_kept *k = malloc(sizeof *k);
    own = NULL;
    if (!k) /* its proxy waits until the end */
        return;
    k->channel = channel;
    pthread_mutex_lock(&kept_mutex);
    k->next = kept;
    kept = k;
    pthread_mutex_unlock(&kept_mutex);
}

static struct delegate_channel *delegate_channel_reuse(void)
{
    pthread_mutex_lock(&kept_mutex);
    struct delegate_channel_kept *k = kept;
    if (k)
        kept = k->next;
    pthread_mutex_unlock(&kept_mutex);
    struct delegate_channel *channel = k ? k->channel : NULL;
    free(k);
    return channel;
}

/* Node 0 gives it a proxy. */
static struct delegate_channel *delegate_channel_make(void)
{
    struct delegate_channel *c = hlrc_aligned_alloc(CHANNEL_BYTES, CHANNEL_BYTES);
    if (!c || hlrc_lock_create(&c->lock) != 0 || hlrc_cond_create(&c->asked) != 0 ||
        hlrc_cond_create(&c->done) != 0)
        start_fail("no shared memory for calls that node 0 performs; raise --memory");
    hlrc_lock(LOCK_DELEGATE);
    c->next = table->fresh;
    table->fresh = c;
    hlrc_cond_signal(table->news);
    hlrc_unlock(LOCK_DELEGATE);
    return c;
}

/* A handler that interrupts a call uses another one. */
static struct delegate_channel *delegate_channel_take(void)
{
    struct delegate_channel *c = own;
    own = NULL;
    if (!c)
        c = delegate_channel_reuse();
    return c ? c : delegate_channel_make();
}

static void delegate_channel_leave(struct delegate_channel *c)
{
    if (own) {
        delegate_channel_keep(c);
        return;
    }
    own = c;
    (void)pthread_setspecific(exit_key, c);
}

/* ---- the caller ---- */

struct delegate_asking {
    struct delegate_channel_request request;
    struct delegate_buffer buffer; /* memory NULL: none */
    uint64_t carried;              /* signals that the proxy may have for the caller */
};

/* Memory for the buffer that both nodes can access. */
static char *delegate_lend(struct delegate_channel *c, struct delegate_asking *a)
{
    char *lent =
        a->buffer.bytes <= TEXT_BYTES ? c->text : hlrc_alloc_uninitialized(16, a->buffer.bytes);
    if (!lent)
        start_fail("no shared memory for a call with %zu bytes; raise --memory", a->buffer.bytes);
    memcpy(lent, a->buffer.memory, a->buffer.bytes);
    a->request.words[a->buffer.at] = (long)lent;
    return lent;
}

/* A test of its first and its last byte. True if the system allows no test. */
static bool delegate_can_read(const struct delegate_buffer *b)
{
    char ends[2], *from = b->memory;
    struct iovec to = { ends, sizeof ends }, of[] = { { from, 1 }, { from + b->bytes - 1, 1 } };
    return process_vm_readv(getpid(), &to, 1, of, 2, 0) == sizeof ends || errno != EFAULT;
}

static void delegate_take_back(struct delegate_channel *c, struct delegate_asking *a, char *lent)
{
    if (a->buffer.stores)
        memcpy(a->buffer.memory, lent, a->buffer.bytes);
    if (a->request.result == (long)lent)
        a->request.result = (long)a->buffer.memory;
    if (lent != c->text)
        hlrc_free(lent);
}

/* Signals that end or stop the job may arrive during the call, unless the program blocks or handles
 * them. */
static void delegate_unblock_ends(const sigset_t *before)
{
    static const int ends[] = { SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP };
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!sigismember(before, ends[i]) && !catcher_is_handled(ends[i]))
            sigaddset(&set, ends[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void delegate_exchange(struct delegate_channel *c, struct delegate_asking *a)
{
    hlrc_lock(c->lock);
    char *lent = a->buffer.memory ? delegate_lend(c, a) : NULL;
    c->request = a->request;
    c->state = CHANNEL_ASKED;
    hlrc_cond_signal(c->asked);
    while (c->state != CHANNEL_DONE)
        hlrc_cond_wait(c->done, c->lock);
    c->state = CHANNEL_IDLE;
    a->request = c->request;
    a->carried |= c->sent;
    c->sent = 0;
    if (lent)
        delegate_take_back(c, a, lent);
    hlrc_unlock(c->lock);
}

/* By node 0. Its buffer is memory that the system may be unable to access. */
static long delegate_carry_put(const siginfo_t *lent)
{
    siginfo_t info = *lent;
    carry_put(&info);
    return 0;
}

static long delegate_carry_take(siginfo_t *lent, long set)
{
    siginfo_t info;
    bool got = carry_take((uint64_t)set, &info);
    if (got)
        *lent = info;
    return got;
}

static long delegate_carry(struct delegate_channel *c, delegate_fn *fn, siginfo_t *info,
                           uint64_t *set)
{
    struct delegate_asking a = {
        .request = { .fn = fn, .words = { 0, (long)*set } },
        .buffer = { 0, info, sizeof *info, true },
    };
    sigfillset(&a.request.mask);
    delegate_exchange(c, &a);
    *set |= a.carried;
    return a.request.result;
}

/* [delegate.carries] While `sending`, another thread is sending one that it has noted. */
static void delegate_carry_there(struct delegate_channel *c, struct delegate_asking *a)
{
    siginfo_t info;
    while (lane_current && atomic_load(&lane_current->sending))
        sched_yield();
    uint64_t set = carry_noted(&a->request.mask);
    while (set && carry_take(set, &info)) {
        a->carried = set;
        (void)delegate_carry(c, DELEGATE_FN(delegate_carry_put), &info, &a->carried);
    }
}

static void delegate_carry_back(struct delegate_channel *c, struct delegate_asking *a)
{
    siginfo_t info;
    while (a->carried && delegate_carry(c, DELEGATE_FN(delegate_carry_take), &info, &a->carried)) {
        if (lane_current)
            carry_note(lane_current, info.si_signo);
        carry_put(&info);
    }
}

/* On the private stack. */
static void delegate_perform(void *arg)
{
    struct delegate_asking *out = arg, a = *out;
    sigset_t before;
    if (a.buffer.system && !delegate_can_read(&a.buffer)) {
        out->request.result = -1;
        out->request.error = EFAULT;
        return;
    }
    lane_block_signals(&before);
    struct delegate_channel *c = delegate_channel_take();
    void *outer = lane_current ? lane_current->channel : NULL;
    a.request.mask = before;
    a.request.locale = locale_slot_current();
    a.request.caller = lane_current ? lane_current->name : 0;
    delegate_unblock_ends(&before);
    if (lane_current)
        lane_current->channel = c;
    delegate_carry_there(c, &a);
    delegate_exchange(c, &a);
    lane_block_signals(NULL);
    delegate_carry_back(c, &a);
    if (lane_current)
        lane_current->channel = outer;
    delegate_channel_leave(c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    *out = a;
}

long delegate_call(delegate_fn *fn, const long words[DELEGATE_WORDS],
                   const struct delegate_buffer *buffer)
{
    struct delegate_asking a = { .request = { .fn = fn, .error = errno } };
    memcpy(a.request.words, words, sizeof a.request.words);
    if (buffer)
        a.buffer = *buffer;
    lane_call(delegate_perform, &a);
    errno = a.request.error;
    if (a.request.jump)
        siglongjmp(a.request.jump, a.request.jump_value);
    return a.request.result;
}

bool delegate_is_private(uintptr_t word)
{
    return word >= (uintptr_t)lane_shared_to && word < ADDRESSES_SPACE;
}

_Noreturn static void delegate_refuse(delegate_fn *fn, int at)
{
    Dl_info info;
    bool named = dladdr((void *)(uintptr_t)fn, &info) && info.dli_sname;
    start_fail("%s: argument %d is a thread-local variable of a thread of node %d, which node 0 "
               "cannot access; pass another variable",
               named ? info.dli_sname : "a call of the C library", at + 1, hlrc_node_id());
}

long delegate_words(long a, long b, long c, long d, long e, long f, delegate_fn *fn, int count)
{
    long words[DELEGATE_WORDS] = { a, b, c, d, e, f };
    bool point = count & DELEGATE_POINT;
    if (point)
        delegate_point();
    for (int i = 0; start_away && i < (count & ~DELEGATE_POINT); i++)
        if (delegate_is_private((uintptr_t)words[i]))
            delegate_refuse(fn, i);
    long result = start_away ? delegate_call(fn, words, NULL) : fn(a, b, c, d, e, f);
    if (point)
        delegate_point();
    return result;
}

void delegate_watch_points(void (*at_point)(void))
{
    delegate_at_point = at_point;
    delegate_detours = delegate_looks_at_points = true;
}

void delegate_count_calls(void)
{
    delegate_counts = delegate_looks = delegate_looks_at_points = true;
}

/* ---- node 0 ---- */

struct delegate_proxy {
    struct delegate_channel *channel;
    pthread_t thread;
    struct delegate_proxy *next;
};
static struct delegate_proxy *proxies; /* only the listener, and after its end delegate_end */
static pthread_t listener;

/* [delegate.jumps] On the stack of the proxy, which performs a call. */
struct delegate_leaving {
    jmp_buf proxy;
    struct delegate_channel_request *request;
};
static _Thread_local struct delegate_leaving *leaving;

static void delegate_proxy_call(struct delegate_channel_request *r)
{
    struct delegate_leaving l = { .request = r };
    const long *w = r->words;
    leaving = &l;
    if (_setjmp(l.proxy) == 0)
        r->result = r->fn(w[0], w[1], w[2], w[3], w[4], w[5]);
    leaving = NULL;
}

_Thread_local pthread_t delegate_caller;

/* [delegate.mask], [delegate.locale] */
static void delegate_proxy_execute(struct delegate_channel_request *r)
{
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, &r->mask, &before);
    locale_t outer = uselocale(r->locale);
    delegate_caller = r->caller;
    errno = r->error;
    delegate_proxy_call(r);
    r->error = errno;
    delegate_caller = 0;
    (void)uselocale(outer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The stack pointer that is restored, if a thread of this process has stored it. Elsewhere than on
 * x86-64 nothing is delegated. */
static uintptr_t delegate_jump_target(const struct __jmp_buf_tag *env)
{
#ifdef __x86_64__
    uintptr_t sp = (uintptr_t)env->__jmpbuf[6];
    __asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(sp) : : "cc");
    return sp;
#else
    (void)env;
    return 0;
#endif
}

static void delegate_jump(struct __jmp_buf_tag *env, int value)
{
    struct delegate_leaving *l = leaving;
    uintptr_t target = l ? delegate_jump_target(env) : 0;
    if (!l || (target > (uintptr_t)__builtin_frame_address(0) && target < (uintptr_t)l))
        return;
    l->request->jump = env;
    l->request->jump_value = value;
    longjmp(l->proxy, 1);
}

/* The program's names. */
#define DELEGATE_JUMPS(name)                                                                \
    extern _Noreturn void delegate_real_##name(struct __jmp_buf_tag *, int) __asm__(#name); \
    _Noreturn void __wrap_##name(struct __jmp_buf_tag *env, int value);                     \
    _Noreturn void __wrap_##name(struct __jmp_buf_tag *env, int value)                      \
    {                                                                                       \
        delegate_jump(env, value);                                                          \
        delegate_real_##name(env, value);                                                   \
    }
DELEGATE_JUMPS(longjmp)
DELEGATE_JUMPS(_longjmp)
DELEGATE_JUMPS(siglongjmp)
DELEGATE_JUMPS(__longjmp_chk)

static void *delegate_proxy_body(void *arg)
{
    struct delegate_channel *c = arg;
    lane_block_signals(NULL);
    hlrc_thread_uncounted();
    hlrc_lock(c->lock);
    c->proxy = pthread_self();
    c->proxy_id = gettid();
    while (c->state != CHANNEL_END) {
        if (c->state != CHANNEL_ASKED) {
            hlrc_cond_wait(c->asked, c->lock);
            continue;
        }
        struct delegate_channel_request r = c->request;
        hlrc_unlock(c->lock);
        delegate_proxy_execute(&r);
        hlrc_lock(c->lock);
        c->request = r;
        c->state = CHANNEL_DONE;
        hlrc_cond_signal(c->done);
    }
    hlrc_unlock(c->lock);
    return NULL;
}

static int delegate_proxy_interrupt(struct delegate_channel *c, int sig, int code, void *value)
{
    union sigval with = { .sival_ptr = value };
    int rc = ESRCH;
    hlrc_lock(c->lock);
    if (c->state == CHANNEL_ASKED && c->proxy)
        rc = code != SI_TKILL ? carry_queue(c->proxy_id, sig, code, with)
                              : pthread_kill(c->proxy, sig);
    if (rc == 0)
        c->sent |= carry_bit(sig);
    hlrc_unlock(c->lock);
    return rc;
}

static bool delegate_interrupt_by(const struct lane *lane, const siginfo_t *info)
{
    void *c = start_away ? lane->channel : NULL;
    return c && DELEGATE(delegate_proxy_interrupt, (long)c, info->si_signo, info->si_code,
                         (long)info->si_ptr) == 0;
}

bool delegate_interrupt(const struct lane *lane, int sig)
{
    return delegate_interrupt_by(lane, &(siginfo_t){ .si_signo = sig, .si_code = SI_TKILL });
}

void delegate_send(struct lane *lane, const siginfo_t *info)
{
    bool sent = false;
    while (!sent && !delegate_interrupt_by(lane, info)) {
        atomic_fetch_add(&lane->sending, 1);
        sent = !lane->channel;
        if (sent) {
            carry_note(lane, info->si_signo);
            carry_send(lane, info);
        }
        atomic_fetch_sub(&lane->sending, 1);
    }
}

/* [delegate.own-proxy] */
static void delegate_proxy_start(struct delegate_channel *c)
{
    struct delegate_proxy *p = malloc(sizeof *p);
    int rc = p ? pthread_create(&p->thread, NULL, delegate_proxy_body, c) : ENOMEM;
    if (rc)
        start_fail("cannot start a thread for calls of another node: %s; raise the limit on "
                   "processes (ulimit -u)",
                   strerror(rc));
    p->channel = c;
    p->next = proxies;
    proxies = p;
}

static void *delegate_listen(void *arg)
{
    (void)arg;
    lane_block_signals(NULL);
    hlrc_thread_uncounted();
    hlrc_lock(LOCK_DELEGATE);
    while (!table->ending) {
        struct delegate_channel *c = table->fresh;
        if (c) {
            table->fresh = c->next;
            delegate_proxy_start(c);
        } else {
            hlrc_cond_wait(table->news, LOCK_DELEGATE);
        }
    }
    hlrc_unlock(LOCK_DELEGATE);
    return NULL;
}

void delegate_end(void)
{
    hlrc_lock(LOCK_DELEGATE);
    table->ending = true;
    hlrc_cond_signal(table->news);
    hlrc_unlock(LOCK_DELEGATE);
    pthread_join(listener, NULL);
    while (proxies) {
        struct delegate_proxy *p = proxies;
        hlrc_lock(p->channel->lock);
        p->channel->state = CHANNEL_END;
        hlrc_cond_signal(p->channel->asked);
        hlrc_unlock(p->channel->lock);
        pthread_join(p->thread, NULL);
        proxies = p->next;
        free(p);
    }
}

/* ---- start ---- */

static void delegate_begin(void)
{
    if (!start_sharing)
        return;
    table = start_shared_memory(sizeof *table, "calls that node 0 performs");
    delegate_program_end = start_image.code_end;
    start_away = hlrc_node_id() != 0;
    if (start_away) {
        delegate_detours = delegate_looks = delegate_looks_at_points = true;
        return;
    }
    sigset_t before;
    lane_block_signals(&before); /* the listener inherits it */
    int rc = hlrc_cond_create(&table->news) != 0
                 ? EAGAIN
                 : pthread_create(&listener, NULL, delegate_listen, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc)
        start_fail("cannot start a thread: %s", strerror(rc));
}

__attribute__((constructor)) static void delegate_at_start(void)
{
    if (pthread_key_create(&exit_key, delegate_channel_keep) != 0)
        start_fail("no pthread key for threads that end");
    start_at_begin(delegate_begin);
    start_at_end(delegate_end);
}
