/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ofi_wire.c - jobs over libfabric: strangers reach their ports [ofi.secret], their threads must
 * not allocate memory [ofi.no-malloc], and nodes die.
 *
 * Each node is a process; they exchange what a launcher would through shared memory. While the
 * nodes exchange addresses, each of them is also a stranger at another one's port.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/fabric/ofi_wire.h"
#include "tests/time_limit.h"

#define NODES      3
#define ROUNDS     200
#define TIMEOUT_S  2
#define WORDS      64
#define TEST_LIMIT 60
#define LONG_AT    ((size_t)1 << 20) /* where long writes arrive, */
#define LONG_ROOM  ((size_t)3 << 20) /* each in its room */

/* STOPPED: counts as dead; RESUMED: does not, and continues; REFUSED: lives, and node 0 gives
 * memory that it may not access */
enum fate { LIVES, KILLED, STOPPED, RESUMED, REFUSED };

/* A job to run. */
struct plan {
    const char *name, *device;
    bool connections, messages; /* of strangers */
    enum fate fate;             /* of the last node */
    int least_refused;          /* at node 0 */
    const char *refusal;        /* the line that ends a job that cannot start, or REFUSED */
};

static struct shared {
    pthread_barrier_t barrier;
    _Atomic int known, strangers; /* addresses; strangers that have not sent all yet */
    _Atomic int stops;            /* the process that stops */
    char blob[NODES * sizeof(struct wire_address)];
    struct wire_address address[NODES];
} * shared;

static const struct plan *plan;
static int node, noted;

static _Noreturn void fail(const char *what, const char *detail)
{
    fprintf(stderr, "FAILED: %s, node %d: %s: %s\n", plan->name, node, what, detail);
    _exit(1);
}

static void expect(bool good, const char *what)
{
    if (!good)
        fail(what, "no");
}

/* ---- within operations: memory that is allocated, and calls of libfabric ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local bool inside;
static _Atomic int allocated, looked;

static void count_allocation(void)
{
    if (inside)
        atomic_fetch_add(&allocated, 1);
}

/* The providers for TCP look for what has arrived by this call. */
int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    if (inside)
        atomic_fetch_add(&looked, 1);
    return (int)syscall(SYS_epoll_wait, fd, events, most, timeout);
}

#ifndef __SANITIZE_ADDRESS__
void *malloc(size_t n)
{
    count_allocation();
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t each)
{
    count_allocation();
    return __libc_calloc(n, each);
}

void *realloc(void *at, size_t n)
{
    count_allocation();
    return __libc_realloc(at, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
    count_allocation();
    *out = __libc_memalign(align, n);
    return *out ? 0 : ENOMEM;
}
#endif

/* ---- the job ---- */

static int exchange(void *ctx, const void *mine, size_t len, void *all)
{
    (void)ctx;
    if (len)
        memcpy(shared->blob + (size_t)node * len, mine, len);
    pthread_barrier_wait(&shared->barrier);
    if (len)
        memcpy(all, shared->blob, NODES * len);
    if (len == sizeof(struct wire_address)) {
        memcpy(shared->address, all, sizeof shared->address);
        if (plan->connections)
            expect(wire_stranger_connect(all, NODES, (node + 1) % NODES), "the port listens");
        atomic_store(&shared->known, 1);
    }
    pthread_barrier_wait(&shared->barrier);
    return 0;
}

/* ofi: node 2 no longer answers: ... */
static void end_of_job(const char *line)
{
    if (plan->refusal && strstr(line, plan->refusal)) {
        if (plan->fate == REFUSED)
            pthread_barrier_wait(&shared->barrier);
        _exit(0);
    }
    if ((plan->fate == KILLED || plan->fate == STOPPED) && strstr(line, "node 2 no longer answers"))
        _exit(0);
    fail("the job ends", line);
}

static void note(const char *line)
{
    if (sscanf(line, "ofi: %d connections", &noted) != 1)
        fail("unknown line", line);
}

static void finish(struct fabric *f, struct fabric_op *op)
{
    fabric_wait(f, op);
    inside = false;
}

static struct fabric_op *begin(struct fabric_op *op)
{
    *op = (struct fabric_op)FABRIC_OP_INIT;
    inside = true;
    return op;
}

/* All nodes add to all words of all nodes, and write and read blocks that belong to one writer. */
static void compute(struct fabric *f, const struct fabric_window *w, int rounds)
{
    static char out[20000], in[20000];
    struct fabric_op op;
    uint64_t old;
    size_t block = 4096 + (size_t)node * sizeof out;
    for (int i = 0; i < rounds; i++) {
        int peer = (node + i) % NODES;
        fabric_fetch_add(f, peer, w->id, 8 * (size_t)(i % WORDS), 1, &old, begin(&op));
        finish(f, &op);
        memset(out, i, sizeof out);
        fabric_write(f, peer, w->id, block, out, sizeof out, begin(&op));
        finish(f, &op);
        fabric_read(f, peer, w->id, block, in, sizeof in, begin(&op));
        finish(f, &op);
        expect(memcmp(in, out, sizeof in) == 0, "a block is read as it was written");
    }
}

/* Several long messages and a short end, at an address that is no multiple of 8, while others do
 * the same; the last of two writes is what is there. */
static void move_long(struct fabric *f, const struct fabric_window *w)
{
    static unsigned char out[2][2 * OFI_PART_LONG + OFI_PART_STREAM + 13], in[sizeof *out + 2];
    struct fabric_op op = FABRIC_OP_INIT;
    size_t at = LONG_AT + (size_t)node * LONG_ROOM + 3;
    int peer = (node + 1) % NODES;
    for (size_t i = 0; i < sizeof *out; i++) {
        out[0][i] = (unsigned char)(i / 253);
        out[1][i] = (unsigned char)(i % 251 + 1);
    }
    for (int k = 0; k < 2; k++)
        fabric_write_long(f, peer, w->id, at, out[k], sizeof *out, &op);
    fabric_wait(f, &op);
    fabric_read_long(f, peer, w->id, at - 1, in, sizeof in, &op);
    fabric_wait(f, &op);
    expect(memcmp(in + 1, out[1], sizeof *out) == 0, "a long write arrives as it was");
    expect(in[0] == 0 && in[sizeof in - 1] == 0, "a long write leaves what is around it");
}

static uint64_t sum_of(struct fabric *f, const struct fabric_window *w)
{
    uint64_t words[WORDS], sum = 0;
    for (int n = 0; n < NODES; n++) {
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_read(f, n, w->id, 0, words, sizeof words, &op);
        fabric_wait(f, &op);
        for (int i = 0; i < WORDS; i++)
            sum += words[i];
    }
    return sum;
}

/* No stranger can begin anything once the job runs, and none on another host could before. */
static void expect_no_listener(void)
{
    struct sockaddr_in at;
    int listens = 0;
    socklen_t len = sizeof listens;
    memcpy(&at, shared->address[node].at, sizeof at);
    expect(at.sin_family == AF_INET && ntohl(at.sin_addr.s_addr) == INADDR_LOOPBACK,
           "the address is that of the loopback interface");
    for (int fd = 0; fd < 1024; fd++, len = sizeof listens)
        expect(getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) != 0 || !listens,
               "no socket listens");
}

static void check_for(struct fabric *f, int ms)
{
    for (int64_t begun = clock_ms(); clock_ms() - begun < ms; usleep(TIMEOUT_S * 1000000 / 8))
        fabric_check(f);
}

/* Until the others find that the last node is gone: end_of_job. Node 1 is about to read what it
 * sends, if it dies. */
static void await_death(struct fabric *f, const struct fabric_window *w)
{
    static char in[4 * OFI_PART_STREAM];
    if (node == NODES - 1) {
        usleep(100000);
        raise(plan->fate == KILLED ? SIGKILL : SIGSTOP);
    }
    for (int64_t begun = clock_ms();
         node == 1 && plan->fate == KILLED && clock_ms() - begun < 3000 * TIMEOUT_S;) {
        struct fabric_op op = FABRIC_OP_INIT;
        fabric_read_long(f, NODES - 1, w->id, 0, in, sizeof in, &op);
        fabric_wait(f, &op);
    }
    check_for(f, 3000 * TIMEOUT_S);
    fail("the death of node 2 is found", "no");
}

/* Node 0 reads into memory that it may not write, or writes from memory that it may not read:
 * end_of_job. */
static void await_refusal(struct fabric *f, const struct fabric_window *w)
{
    const size_t len = OFI_PART_STREAM;
    struct fabric_op op = FABRIC_OP_INIT;
    if (node != 0) {
        pthread_barrier_wait(&shared->barrier);
        _exit(0);
    }
    char *mem = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(mem != MAP_FAILED, "mmap");
    if (strstr(plan->refusal, "source"))
        fabric_write_long(f, 1, w->id, 0, mem, len, &op);
    else
        fabric_read_long(f, 1, w->id, 0, mem, len, &op);
    fabric_wait(f, &op);
    fail("the job ends", "no");
}

/* The last node stops, with more on its way than its kernel takes, for longer than the timeout
 * [ofi.kernel-answers]. All of it arrives afterwards. */
static void outlast_stop(struct fabric *f, const struct fabric_window *w)
{
    static char out[OFI_FLIGHT][OFI_PART_STREAM], in[OFI_PART_STREAM];
    struct fabric_op op = FABRIC_OP_INIT;
    size_t at = w->size / 2 + (size_t)node * sizeof in;
    if (node == NODES - 1) {
        atomic_store(&shared->stops, getpid());
        raise(SIGSTOP);
        return;
    }
    while (!atomic_load(&shared->stops))
        usleep(1000);
    usleep(100000);
    /* node 0 still has room for a ping */
    for (int i = node == 0 ? OFI_FLIGHT - 1 : 0; i < OFI_FLIGHT; i++) {
        memset(out[i], i, sizeof in);
        fabric_write(f, NODES - 1, w->id, at, out[i], sizeof in, &op);
    }
    check_for(f, 3000 * TIMEOUT_S);
    kill(atomic_load(&shared->stops), SIGCONT);
    fabric_wait(f, &op);
    fabric_read(f, NODES - 1, w->id, at, in, sizeof in, &op);
    fabric_wait(f, &op);
    expect(memcmp(in, out[OFI_FLIGHT - 1], sizeof in) == 0,
           "the last write to a stopped node arrives last");
}

static int node_main(void)
{
    const struct fabric_job job = { .node = node,
                                    .nodes = NODES,
                                    .rx_depth = 16,
                                    .exchange = exchange,
                                    .fail = end_of_job,
                                    .note = note,
                                    .device = plan->device,
                                    .peer_timeout = TIMEOUT_S };
    struct fabric *f;
    struct fabric_window w;
    struct sigaction before, after;
    sigaction(SIGSEGV, NULL, &before);
    expect(fabric_open("ofi", &job, &f) == 0, "fabric_open");
    sigaction(SIGSEGV, NULL, &after);
    expect(before.sa_sigaction == after.sa_sigaction, "the action of SIGSEGV is what it was");
    expect(fabric_window_create(f, LONG_AT + NODES * LONG_ROOM, &w) == 0, "fabric_window_create");
    if (plan->fate == RESUMED)
        outlast_stop(f, &w);
    else if (plan->fate == REFUSED)
        await_refusal(f, &w);
    else if (plan->fate != LIVES)
        await_death(f, &w);
    if (plan->connections)
        expect_no_listener();
    int rounds = 0;
    move_long(f, &w);
    do {
        compute(f, &w, ROUNDS);
        rounds += ROUNDS;
    } while (atomic_load(&shared->strangers));
    pthread_barrier_wait(&shared->barrier);
    expect(atomic_load(&allocated) == 0, "no operation allocates memory");
    expect(!plan->messages || atomic_load(&looked) == 0,
           "no operation calls a provider that may allocate memory");
    expect(!plan->connections || atomic_load(&looked), "calls of libfabric are counted");
    static uint64_t all[NODES];
    uint64_t mine = (uint64_t)rounds, sum = sum_of(f, &w);
    exchange(NULL, &mine, sizeof mine, all);
    expect(sum == all[0] + all[1] + all[2], "the sum is that of all additions");
    fabric_close(f);
    if (node == 0 && noted < plan->least_refused)
        fail("connections and messages that were refused", "too few");
    return 0;
}

/* ---- all jobs ---- */

/* Another process of this machine, which the nodes do not know. */
static int stranger_main(void)
{
    while (!atomic_load(&shared->known))
        usleep(1000);
    int rc = wire_stranger_send(plan->device, &shared->address[0]);
    if (rc)
        fprintf(stderr, "FAILED: %s: the stranger: %s\n", plan->name, fi_strerror(abs(rc)));
    atomic_store(&shared->strangers, 0);
    return rc ? 1 : 0;
}

static pid_t start(int number)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        node = number;
        _exit(number < NODES ? node_main() : stranger_main());
    }
    return pid;
}

static void kill_all(const pid_t *pids)
{
    for (int n = 0; n <= NODES; n++)
        if (pids[n] > 0)
            kill(pids[n], SIGKILL);
}

/* The first that fails ends the others, which would wait for it. */
static int reap(pid_t *pids, int left)
{
    int failures = 0, status;
    for (; left > 0; left--) {
        if (left == 1 && plan->fate == STOPPED)
            kill(pids[NODES - 1], SIGKILL);
        pid_t pid = wait(&status);
        bool dies = (plan->fate == KILLED || plan->fate == STOPPED) && pid == pids[NODES - 1];
        for (int n = 0; n <= NODES; n++)
            pids[n] = pids[n] == pid ? 0 : pids[n];
        if (dies ? WIFSIGNALED(status) : status == 0)
            continue;
        failures++;
        kill_all(pids);
    }
    return failures;
}

static int run(const struct plan *p)
{
    pthread_barrierattr_t attr;
    pid_t pids[NODES + 1] = { 0 };
    plan = p;
    memset(shared, 0, sizeof *shared);
    pthread_barrierattr_init(&attr);
    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attr, NODES);
    shared->strangers = p->messages;
    time_limit_alarm(getpid(), TEST_LIMIT);
    for (int n = 0; n < NODES + p->messages; n++)
        pids[n] = start(n);
    int failures = reap(pids, NODES + p->messages);
    printf("%s: %s\n", p->name, failures ? "FAILED" : "ok");
    return failures ? 1 : 0;
}

/* The connections of two other nodes reach node 0's port: one of them is a stranger's as well. */
static const struct plan plans[] = {
    { .name = "strangers connect", .connections = true, .least_refused = WIRE_CARDS },
    { .name = "strangers send, tcp",
      .device = "tcp;ofi_rxm",
      .messages = true,
      .least_refused = WIRE_MESSAGES },
    { .name = "strangers send, udp",
      .device = "udp;ofi_rxd",
      .messages = true,
      .least_refused = WIRE_MESSAGES },
    { .name = "memory of one host", .device = "shm" },
    { .name = "a node is killed", .fate = KILLED },
    { .name = "a node is stopped", .fate = RESUMED },
    { .name = "a node is stopped, without connections", .device = "tcp;ofi_rxm", .fate = STOPPED },
    { .name = "destination that cannot be written",
      .fate = REFUSED,
      .refusal = "ofi: read at node 1 failed: its destination is not memory that can be written" },
    { .name = "source that cannot be read",
      .fate = REFUSED,
      .refusal = "ofi: write at node 1 failed: its source is not memory that can be read" },
    { .name = "unknown provider",
      .device = "tcpp",
      .refusal = "ofi: --device tcpp: no such provider or interface (hlrc_info lists them)" },
};

int main(int argc, char **argv)
{
    char why[256];
    int failures = 0;
#ifdef __SANITIZE_ADDRESS__
    printf("skipped: nodes are forked, and a thread may hold a lock of the sanitizer then\n");
    return 77;
#endif
    if (fabric_probe("ofi", why, sizeof why) != 0) {
        printf("skipped: %s\n", why);
        return 77;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        if (argc < 2 || strcmp(argv[1], plans[i].name) == 0)
            failures += run(&plans[i]);
    return failures ? 1 : 0;
}
