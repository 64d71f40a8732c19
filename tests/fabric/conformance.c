/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs the tests of conformance.h on every fabric that this machine has, with several numbers of
 * nodes; on the stripped variants that stand for adapters which lack an operation; and under the
 * hook that delays and reorders what it may.
 *
 *   conformance                     everything
 *   conformance FABRIC NODES [TEST] one fabric, for debugging one test
 *
 * The nodes are processes of this program's own; they find each other through anonymous shared
 * memory, so that nothing but the fabric is tested. A hang ends with SIGALRM.
 *
 * Environment: CONFORMANCE_PERCENT of the usual rounds (an emulated adapter takes a hundred times
 * as long as shared memory); CONFORMANCE_SECONDS after which a test hangs (default 400);
 * CONFORMANCE_DEVICES, adapters that the nodes take in turn, with commas between;
 * CONFORMANCE_APART=1 puts every second node into an IPC namespace of its own, so that to the mixed
 * fabric it is far from the others; in a build with --enable-perturb, what base/perturb.h says.
 */
#include "tests/fabric/conformance.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/perturb.h"
#include "tests/time_limit.h"

#define TEST_SECONDS 400 /* of a test that hangs */
#ifdef HLRC_INSTRUMENTED /* it is slow, and the plain build does all */
#    define USUAL_PERCENT    10
#    define MESSAGES_PERCENT 0 /* the least number of rounds */
#else
#    define USUAL_PERCENT    50
#    define MESSAGES_PERCENT 5
#endif
#define EXCHANGE_MAX 4096 /* bytes of one node in an exchange */

/* Shared by the processes of one run. */
struct meeting {
    pthread_barrier_t barrier;
    _Atomic uint64_t word[MAX_NODES];
    char blob[MAX_NODES * EXCHANGE_MAX];
};

static struct meeting *meeting;
static const char *only_test;
static struct run *this_run;

_Noreturn void fail(const struct run *r, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "FAILED: %s, %d nodes, node %d: %s: %s\n", r->fabric_name, r->nodes, r->node,
            r->test, text);
    _exit(1);
}

void meet(struct run *r)
{
    (void)r;
    pthread_barrier_wait(&meeting->barrier);
}

static int exchange(void *ctx, const void *mine, size_t len, void *all)
{
    struct run *r = ctx;
    if (len > EXCHANGE_MAX)
        return -EMSGSIZE;
    if (len)
        memcpy(meeting->blob + (size_t)r->node * len, mine, len);
    meet(r);
    if (len)
        memcpy(all, meeting->blob, (size_t)r->nodes * len);
    meet(r);
    return 0;
}

/* ---- operations ---- */

void finish(struct run *r, struct fabric_op *op)
{
    fabric_wait(r->f, op);
    expect(r, atomic_load(&op->pending) == 0, "fabric_wait returns while %u operations are pending",
           op->pending);
}

/* Where the line goes by which an operation ends the job: to the test that expects it
 * (expect_lack), or it fails. */
jmp_buf expected_end;
bool end_expected;

static void end_of_job(const char *line)
{
    if (!end_expected || !strstr(line, " has no "))
        fail(this_run, "the job ends: %s", line);
    end_expected = false;
    longjmp(expected_end, 1);
}

void put(struct run *r, int peer, size_t off, const void *src, size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_write(r->f, peer, r->win.id, off, src, len, &op);
    finish(r, &op);
}

void get(struct run *r, int peer, size_t off, void *dst, size_t len)
{
    struct fabric_op op = FABRIC_OP_INIT;
    fabric_read(r->f, peer, r->win.id, off, dst, len, &op);
    finish(r, &op);
}

uint64_t add(struct run *r, int peer, size_t off, uint64_t by)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;
    fabric_fetch_add(r->f, peer, r->win.id, off, by, &old, &op);
    finish(r, &op);
    return old;
}

uint64_t swap(struct run *r, int peer, size_t off, uint64_t expected, uint64_t desired)
{
    struct fabric_op op = FABRIC_OP_INIT;
    uint64_t old = 0;
    fabric_cas(r->f, peer, r->win.id, off, expected, desired, &old, &op);
    finish(r, &op);
    return old;
}

void put_word(struct run *r, int peer, size_t off, uint64_t value)
{
    fabric_write(r->f, peer, r->win.id, off, &value, sizeof value, NULL);
}

void await_word(struct run *r, size_t off, uint64_t value)
{
    while (own_word(r, off) < value)
        sched_yield();
}

/* ---- one run: a fabric, a number of nodes ---- */

static const struct test *const lists[] = { data_tests, flight_tests, queue_tests, sleep_tests };
#define LISTS (sizeof lists / sizeof lists[0])

static bool is_test(const char *name)
{
    for (size_t i = 0; i < LISTS; i++)
        for (const struct test *t = lists[i]; t->name; t++)
            if (strcmp(t->name, name) == 0)
                return true;
    return false;
}

static void run_tests(struct run *r, const struct test *tests)
{
    for (const struct test *t = tests; t->name; t++) {
        r->test = t->name;
        if ((only_test && strcmp(only_test, t->name) != 0) || r->nodes < t->min_nodes ||
            (t->caps & ~r->f->caps))
            continue;
        atomic_store(&meeting->word[r->node], 0);
        time_limit_alarm(getppid(), r->seconds);
        meet(r);
        t->run(r);
        meet(r);
    }
}

/* Of the names in CONFORMANCE_DEVICES the one whose turn it is; "" to leave the choice to the
 * fabric. */
static void choose_device(int node, char *out, size_t len)
{
    const char *list = getenv("CONFORMANCE_DEVICES");
    int count = 1;
    out[0] = '\0';
    if (!list || !*list)
        return;
    for (const char *c = list; *c; c++)
        count += *c == ',';
    for (int skip = node % count; skip > 0; skip--)
        list = strchr(list, ',') + 1;
    snprintf(out, len, "%.*s", (int)strcspn(list, ","), list);
}

static void open_all(struct run *r)
{
    static char device[64];
    static struct fabric_job job;
    job = (struct fabric_job){ .node = r->node,
                               .nodes = r->nodes,
                               .rx_depth = RX_DEPTH,
                               .exchange = exchange,
                               .ctx = r,
                               .device = device,
                               .fail = end_of_job };
    r->job = &job;
    r->test = "open";
    choose_device(r->node, device, sizeof device);
    if (getenv("CONFORMANCE_APART") && r->node % 2)
        expect(r, unshare(CLONE_NEWIPC) == 0, "unshare: %s", strerror(errno));
    int rc = fabric_open(r->fabric_name, &job, &r->f);
    expect(r, rc == 0, "fabric_open: %s", strerror(-rc));
    expect(r, r->f->node == r->node && r->f->nodes == r->nodes, "says it is node %d of %d",
           r->f->node, r->f->nodes);
    rc = fabric_window_create(r->f, WINDOW_BYTES, &r->win);
    expect(r, rc == 0, "fabric_window_create: %s", strerror(-rc));
    expect(r, fabric_window_prepare(r->f, r->win.id, 0, WINDOW_BYTES) == 0,
           "fabric_window_prepare");
    expect(r, r->win.base != NULL && r->win.size >= WINDOW_BYTES, "a window of %zu bytes",
           r->win.size);
}

/* Nothing of this node's is under way any more when all its peers have what it sent last
 * [fabric.write-order]. */
static void settle(struct run *r)
{
    r->test = "close";
    for (int n = 0; n < r->nodes; n++)
        put(r, n, AREA_TARGET, own(r, AREA_SOURCE), 8);
    meet(r);
}

/* Which test hangs; the parent says where. */
static void tell_hang(int sig)
{
    static const char begin[] = "hangs: ";
    (void)!write(STDERR_FILENO, begin, sizeof begin - 1);
    (void)!write(STDERR_FILENO, this_run->test, strlen(this_run->test));
    (void)!write(STDERR_FILENO, "\n", 1);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Its operations are messages through the kernel: fewer rounds and fewer cases. */
static bool uses_messages(const char *fabric)
{
    char why[256];
    return strncmp(fabric, "ofi", 3) == 0 ||
           (strncmp(fabric, "mixed", 5) == 0 && fabric_probe("verbs", why, sizeof why) != 0);
}

static int node_main(const char *fabric, int node, int nodes)
{
    struct run r = { .fabric_name = fabric, .node = node, .nodes = nodes, .word = meeting->word };
    const char *percent = getenv("CONFORMANCE_PERCENT"), *seconds = getenv("CONFORMANCE_SECONDS");
    r.hooked = strchr(fabric, '+') != NULL;
    r.heals = r.hooked && getenv("HLRC_CHAOS_HEAL");
    unsigned usual = uses_messages(fabric) ? MESSAGES_PERCENT : USUAL_PERCENT;
    r.percent = percent ? (unsigned)atoi(percent) : usual;
    this_run = &r;
    signal(SIGALRM, tell_hang);
    perturb_start(node);
    r.seconds = seconds ? (unsigned)atoi(seconds) : TEST_SECONDS;
    time_limit_alarm(getppid(), r.seconds);
    open_all(&r);
    for (size_t i = 0; i < LISTS; i++)
        run_tests(&r, lists[i]);
    settle(&r);
    fabric_close(r.f);
    return 0;
}

static struct meeting *make_meeting(int nodes)
{
    struct meeting *m =
        mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t attr;
    if (m == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&m->barrier, &attr, (unsigned)nodes);
    return m;
}

/* The first that fails ends the others, which would wait for it. */
static int reap(pid_t *pids, int nodes, const char *fabric)
{
    int failures = 0, status;
    for (int left = nodes; left > 0; left--) {
        pid_t pid = wait(&status);
        bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        for (int n = 0; n < nodes; n++) {
            if (pids[n] == pid)
                pids[n] = 0;
            else if (!good && pids[n] && failures == 0)
                kill(pids[n], SIGKILL);
        }
        if (!good && failures++ == 0 && WIFSIGNALED(status))
            fprintf(stderr, "FAILED: %s, %d nodes: %s\n", fabric, nodes,
                    WTERMSIG(status) == SIGALRM ? "hangs" : strsignal(WTERMSIG(status)));
    }
    return failures;
}

static int run(const char *fabric, int nodes)
{
    pid_t pids[MAX_NODES];
    fflush(NULL);
    meeting = make_meeting(nodes);
    for (int n = 0; n < nodes; n++) {
        pids[n] = fork();
        if (pids[n] == 0)
            _exit(node_main(fabric, n, nodes));
        if (pids[n] < 0) {
            perror("fork");
            exit(1);
        }
    }
    int failures = reap(pids, nodes, fabric);
    munmap(meeting, sizeof *meeting);
    printf("%s, %d nodes: %s\n", fabric, nodes, failures ? "FAILED" : "ok");
    return failures ? 1 : 0;
}

static int run_fabric(const char *fabric)
{
    static const int nodes[] = { 1, 2, 3, 5 };
    static const char *const variants[] = { "-noread", "-noimm", "-noswap", "-noswap+chaos",
                                            "+chaos" };
    char name[64];
    int failures = 0;
    size_t first = uses_messages(fabric), step = first + 1;
    for (size_t i = first; i < sizeof nodes / sizeof nodes[0]; i += step)
        failures += run(fabric, nodes[i]);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i += step) {
        snprintf(name, sizeof name, "%s%s", fabric, variants[i]);
        failures += run(name, strchr(variants[i], '+') ? 3 : 2);
    }
    if (step > 1)
        return failures;
    setenv("HLRC_CHAOS_HEAL", "1", 1);
    failures += run(name, 3);
    unsetenv("HLRC_CHAOS_HEAL");
    return failures;
}

int main(int argc, char **argv)
{
    static const char *const fabrics[] = { "shm", "verbs", "mixed", "ofi" };
    int failures = 0;
    if (argc > 2) {
        only_test = argc > 3 ? argv[3] : NULL;
        if (only_test && !is_test(only_test)) {
            fprintf(stderr, "conformance: no test \"%s\"\n", only_test);
            return 2;
        }
        int nodes = atoi(argv[2]);
        return nodes < 1 || nodes > MAX_NODES ? 2 : run(argv[1], nodes);
    }
    for (size_t i = 0; i < sizeof fabrics / sizeof fabrics[0]; i++) {
        char why[256] = "";
        if (fabric_probe(fabrics[i], why, sizeof why) == 0)
            failures += run_fabric(fabrics[i]);
        else
            printf("%s: left out: %s\n", fabrics[i], why);
    }
    return failures ? 1 : 0;
}
