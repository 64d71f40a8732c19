/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* litmus.c - what the litmus programs share; see litmus.h. */
#include "tests/litmus/litmus.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/perturb.h"
#include "tests/time_limit.h"

int me, nodes;
bool async;

static const char *program;

/* ---- within a node ---- */

_Noreturn void litmus_fail(const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "FAILED: %s, node %d: %s\n", litmus_rule, me, text);
    _exit(1);
}

void litmus_expect_word(uint64_t got, uint64_t want, const char *fmt, ...)
{
    char text[256];
    va_list args;
    if (got == want)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    litmus_fail("%s is %ju (%#jx), not %ju (%#jx)", text, (uintmax_t)got, (uintmax_t)got,
                (uintmax_t)want, (uintmax_t)want);
}

static void *allocate(uint64_t bytes)
{
    void *at = hlrc_malloc_all(bytes);
    expect(at != NULL, "hlrc_malloc_all(%ju): %s", (uintmax_t)bytes, strerror(errno));
    return at;
}

volatile uint64_t *shared_words(uint64_t count)
{
    return allocate(count * sizeof(uint64_t));
}

volatile unsigned char *shared_bytes(uint64_t count)
{
    return allocate(count);
}

void place(volatile void *at, uint64_t len, int node)
{
    int rc = hlrc_place((void *)(uintptr_t)at, len, node);
    expect(rc == 0, "hlrc_place(%ju bytes, node %d): %s", (uintmax_t)len, node, strerror(-rc));
}

void post(hlrc_lock_t lock, volatile uint64_t *word, uint64_t value)
{
    hlrc_lock(lock);
    *word = value;
    hlrc_unlock(lock);
}

void await(hlrc_lock_t lock, volatile uint64_t *word, uint64_t value)
{
    for (uint64_t seen = 0; seen < value; sched_yield()) {
        hlrc_lock(lock);
        seen = *word;
        hlrc_unlock(lock);
    }
}

struct thread_call {
    void (*fn)(int);
    int index;
};

static void *thread_main(void *arg)
{
    struct thread_call *call = arg;
    call->fn(call->index);
    return NULL;
}

void in_threads(int count, void (*fn)(int))
{
    pthread_t threads[LITMUS_THREADS];
    struct thread_call calls[LITMUS_THREADS];
    for (int i = 0; i < count; i++) {
        calls[i] = (struct thread_call){ fn, i };
        expect(pthread_create(&threads[i], NULL, thread_main, &calls[i]) == 0, "pthread_create: %s",
               strerror(errno));
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void (*halves[2])(void);

static void run_half(int thread)
{
    halves[thread]();
}

void in_two_threads(void (*first)(void), void (*second)(void))
{
    halves[0] = first;
    halves[1] = second;
    in_threads(2, run_half);
}

void sleep_ms(int milliseconds)
{
    struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    while (nanosleep(&t, &t) != 0)
        ;
}

/* ---- other nodes as processes ---- */

static int pids[HLRC_MAX_NODES];
static struct {
    int node, milliseconds;
    pthread_t thread;
    atomic_bool done;
} later;

void meet_pids(void)
{
    pids[me] = getpid();
    for (int n = 0; n < nodes; n++)
        expect(hlrc_broadcast(&pids[n], sizeof pids[n], n) == 0, "hlrc_broadcast of node %d", n);
}

/* The state letter of a process or thread, behind the last ')' of its stat; '-' while a point
 * delays it. */
static char state_of(const char *path)
{
    char text[1024] = "";
    FILE *f = fopen(path, "re");
    if (!f)
        return '?';
    if (fread(text, 1, sizeof text - 1, f) == 0)
        text[0] = '\0';
    fclose(f);
    char *end = strrchr(text, ')');
    if (strstr(text, "(" PERTURB_THREAD ")"))
        return '-';
    return end && end[1] ? end[2] : '?';
}

/* Whether all threads of a process are in this state. */
static bool all_are(char state, int pid)
{
    char path[64], task[400];
    bool all = true;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *dir = opendir(path);
    expect(dir != NULL, "%s: %s", path, strerror(errno));
    for (struct dirent *d = readdir(dir); d && all; d = readdir(dir)) {
        snprintf(task, sizeof task, "%s/%s/stat", path, d->d_name);
        all = d->d_name[0] == '.' || state_of(task) == state;
    }
    closedir(dir);
    return all;
}

/* Whether all threads of a node have slept for three milliseconds; not while a point delays one. */
static bool rests(int node)
{
    for (int times = 0; times < 3; times++) {
        if (!all_are('S', pids[node]))
            return false;
        sleep_ms(1);
    }
    return true;
}

void await_asleep(int node)
{
    while (!rests(node))
        sleep_ms(1);
}

/* A node is stopped while its threads sleep, and no point delays one of them: other nodes may wait
 * for what a thread is about to do, for example for an entry at its position in their queue. */
void stop_node(int node)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (bool stands = false; !stands;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        expect(now.tv_sec - begun.tv_sec < 60, "node %d does not stop", node);
        if (!rests(node)) {
            sleep_ms(1);
            continue;
        }
        expect(kill(pids[node], SIGSTOP) == 0, "SIGSTOP to node %d: %s", node, strerror(errno));
        for (int tries = 0; tries < 100 && !stands; tries++) {
            sched_yield();
            stands = all_are('T', pids[node]);
        }
        if (!stands)
            continue_node(node);
    }
}

void await_rest(void)
{
    meet_outside();
    if (me == 0)
        await_asleep(1);
    meet_outside();
    if (me == 1)
        await_asleep(0);
    meet_outside();
}

struct hlrc_stats stats(void)
{
    struct hlrc_stats s = { .size = sizeof s };
    hlrc_stats_get(&s);
    return s;
}

static void await_signal(void)
{
    sigset_t set;
    int sig;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    expect(sigwait(&set, &sig) == 0, "sigwait");
}

static void send_signal(int node)
{
    expect(sigqueue(pids[node], SIGRTMIN, (union sigval){ 0 }) == 0, "signal to node %d: %s", node,
           strerror(errno));
}

void meet_outside(void)
{
    if (me != 0) {
        send_signal(0);
        await_signal();
        return;
    }
    for (int n = 1; n < nodes; n++)
        await_signal();
    for (int n = 1; n < nodes; n++)
        send_signal(n);
}

void continue_node(int node)
{
    expect(kill(pids[node], SIGCONT) == 0, "SIGCONT to node %d: %s", node, strerror(errno));
}

static void *continue_later(void *arg)
{
    (void)arg;
    sleep_ms(later.milliseconds);
    atomic_store(&later.done, true);
    continue_node(later.node);
    return NULL;
}

void continue_node_after(int node, int milliseconds)
{
    later.node = node;
    later.milliseconds = milliseconds;
    atomic_store(&later.done, false);
    expect(pthread_create(&later.thread, NULL, continue_later, NULL) == 0, "pthread_create: %s",
           strerror(errno));
}

bool node_continued(void)
{
    return atomic_load(&later.done);
}

void await_continued(void)
{
    pthread_join(later.thread, NULL);
}

/* ---- atomics, which tell the time but order nothing ---- */

hlrc_atomic_t shared_atomic(void)
{
    hlrc_atomic_t word = { 0 };
    if (me == 0)
        expect(hlrc_atomic_create(&word, 0) == 0, "hlrc_atomic_create");
    expect(hlrc_broadcast(&word, sizeof word, 0) == 0, "hlrc_broadcast");
    return word;
}

void await_atomic(hlrc_atomic_t word, uint64_t value)
{
    while (hlrc_atomic_load(word) < value)
        sleep_ms(1);
}

static int node_main(int argc, char **argv)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN); /* for meet_outside; in all threads */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    const char *protocol = getenv("HLRC_PROTOCOL");
    me = hlrc_node_id();
    nodes = hlrc_node_count();
    async = protocol && strcmp(protocol, "async") == 0;
    litmus_run();
    hlrc_finalize();
    return 0;
}

/* ---- the test: all cases, one after the other ---- */

/* hlrcrun of the build tree: HLRCRUN, or top_builddir, or two folders above the program. */
static const char *find_hlrcrun(void)
{
    static char path[4096];
    const char *given = getenv("HLRCRUN"), *top = getenv("top_builddir");
    if (given)
        return given;
    if (top) {
        snprintf(path, sizeof path, "%s/hlrcrun", top);
    } else {
        const char *slash = strrchr(program, '/');
        snprintf(path, sizeof path, "%.*s/../../hlrcrun", slash ? (int)(slash - program) : 1,
                 slash ? program : ".");
    }
    return path;
}

static int seconds_per_case(void)
{
    const char *given = getenv("LITMUS_SECONDS");
    return given ? atoi(given) : 120;
}

/* The exit status of a child, 128 + signal, or 124 when it had to be ended. */
static int await_child(pid_t pid)
{
    int status;
    struct time_limit limit;
    time_limit_begin(&limit, pid, seconds_per_case());
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (time_limit_exceeded(&limit)) {
            kill(pid, SIGTERM);
            waitpid(pid, &status, 0);
            time_limit_end(&limit);
            return 124;
        }
        sleep_ms(1);
    }
    time_limit_end(&limit);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_case(const char *protocol, int count)
{
    char number[16];
    const char *hlrcrun = find_hlrcrun();
    snprintf(number, sizeof number, "%d", count);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execl(hlrcrun, hlrcrun, "-n", number, "--protocol", protocol, program, (char *)NULL);
        perror(hlrcrun);
        _exit(1);
    }
    int status = pid < 0 ? 1 : await_child(pid);
    if (status != 0)
        fprintf(stderr, "FAILED: %s: %s, %d nodes: %s %d\n", litmus_rule, protocol, count,
                status == 124 ? "hangs; status" : "status", status);
    else
        printf("%s, %d nodes: ok\n", protocol, count);
    if (status != 0 && getenv("LITMUS_STOP"))
        exit(1);
    return status == 0 ? 0 : 1;
}

/* Where each job takes several times as long the protocols take turns at the numbers of nodes. */
static bool has_turn(int protocol, int which)
{
#ifdef HLRC_INSTRUMENTED
    return getenv("LITMUS_PROTOCOLS") || litmus_nodes[1] == 0 || (protocol + which) % 2 == 0;
#else
    (void)protocol, (void)which;
    return true;
#endif
}

static int run_protocol(const char *protocol, int index)
{
    const char *given = getenv("LITMUS_NODES");
    int failures = 0;
    if (given) {
        char *end;
        for (long n = strtol(given, &end, 10); n > 0; n = strtol(end, &end, 10)) {
            const int *k = litmus_nodes;
            while (*k && *k != n)
                k++;
            /* some programs need a certain number */
            failures += *k ? run_case(protocol, (int)n) : 0;
        }
        return failures;
    }
    for (int k = 0; litmus_nodes[k]; k++)
        if (has_turn(index, k))
            failures += run_case(protocol, litmus_nodes[k]);
    return failures;
}

static int run_all(void)
{
    const char *given = getenv("LITMUS_PROTOCOLS");
    char text[128];
    int failures = 0, index = 0;
    snprintf(text, sizeof text, "%s", given ? given : "async ardmar");
    for (char *save, *p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save))
        failures += run_protocol(p, index++);
    return failures ? 1 : 0;
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (getenv("HLRC_LAUNCH_FD") || getenv("PMIX_RANK"))
        return node_main(argc, argv);
    return run_all();
}
