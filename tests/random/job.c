/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job.c - see driver.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/random/actor.h"
#include "tests/random/driver.h"
#include "tests/time_limit.h"

static struct files files;
static int oracle_file;
static struct oracle *oracle;

int job_init(const struct files *f)
{
    files = *f;
    oracle_file = memfd_create("oracle", MFD_CLOEXEC);
    if (oracle_file < 0 || ftruncate(oracle_file, sizeof *oracle) != 0)
        return -errno;
    oracle = mmap(NULL, sizeof *oracle, PROT_READ | PROT_WRITE, MAP_SHARED, oracle_file, 0);
    return oracle == MAP_FAILED ? -errno : 0;
}

/* ---- starting; what the seed decides besides the program ---- */

static void set_number(const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    setenv(name, text, 1);
}

static void set_unless_given(const char *name, uint64_t value)
{
    if (!getenv(name))
        set_number(name, value);
}

/* Those that are not named are the protocol's own. */
static void choose_parts(const struct job *job, struct rng *r)
{
    static const char *const barriers[] = { "master", "master", "pairs", "counter", "tree" };
    bool reads = !strstr(job->fabric, "-noread"), messages = !strstr(job->fabric, "-noimm");
    if (!messages || (strcmp(job->protocol, "onesided") == 0 && rng_chance(r, 60)))
        return;
    setenv("HLRC_LOCKS", rng_chance(r, 40) && reads ? "mcs" : "manager", 0);
    setenv("HLRC_DIFFS", rng_chance(r, 40) ? "write" : "message", 0);
    setenv("HLRC_NOTICES", rng_chance(r, 40) && reads ? "read" : "log", 0);
    setenv("HLRC_BARRIER", barriers[rng_below(r, reads ? 5 : 3)], 0);
}

static void set_environment(const struct job *job)
{
    static const char *const handlers[] = { "block", "block", "spin-block", "poll" };
    struct rng r = { hash(job->seed, 11, 0) };
    setenv("HLRC_HANDLER", handlers[rng_below(&r, 4)], 0);
    if (rng_chance(&r, 50))
        set_number("HLRC_SPIN", rng_below(&r, 300));
    static const char *const sizes[] = { "64M", "64M", "200M", "1G" };
    setenv("HLRC_MEMORY", sizes[rng_below(&r, 4)], 0); /* decides where default homes are */
    set_number("HLRC_CHAOS_SEED", job->seed);
    set_unless_given("HLRC_CHAOS_STRENGTH", rng_between(&r, 1, 5));
    set_unless_given("HLRC_CHAOS_ORDERED", rng_below(&r, 2));
    set_unless_given("HLRC_CHAOS_LAZY", rng_below(&r, 2));
    static const uint64_t hot[] = { 0, 1, 16, 16 }, ahead[] = { 0, 8, 32, 32 };
    set_unless_given("HLRC_HOT_PAGES", hot[rng_below(&r, 4)]);
    set_unless_given("HLRC_AHEAD", ahead[rng_below(&r, 4)]);
    static const uint64_t renew[] = { 0, 1, 32, 32 };
    set_unless_given("HLRC_RENEW", renew[rng_below(&r, 4)]);
    setenv("HLRC_MOVE_HOMES", rng_chance(&r, 75) ? "on" : "off", 0);
    setenv("HLRC_EXCLUSIVE_PAGES", rng_chance(&r, 75) ? "on" : "off", 0);
    static const uint64_t lazy[] = { 0, 1, 1, 8 };
    set_unless_given("HLRC_LAZY_RELEASE", lazy[rng_below(&r, 4)]);
    static const char *const caches[] = { "auto", "auto", "64K", "256K" };
    setenv("HLRC_CACHE_SIZE", caches[rng_below(&r, 4)], 0);
    choose_parts(job, &r);
    set_unless_given("HLRC_BARRIER_FAN", rng_between(&r, 2, 4));
    setenv("HLRC_DEFAULT_HOMES", rng_chance(&r, 25) ? "first" : "dealt", 0);
}

_Noreturn static void exec_job(const struct job *job, int output)
{
    char text[8][64];
    uint64_t values[] = { (uint64_t)job->nodes, job->seed, (uint64_t)job->nodes,
                          (uint64_t)job->threads, job->ops };
    for (int i = 0; i < 5; i++)
        snprintf(text[i], sizeof text[i], "%" PRIu64, values[i]);
    snprintf(text[5], sizeof text[5], "/proc/%d/fd/%d", (int)getppid(), oracle_file);
    set_environment(job);
    if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
        _exit(126);
    execl(files.hlrcrun, "hlrcrun", "-n", text[0], "--protocol", job->protocol, "--fabric",
          job->fabric, files.self, "--oracle", text[5], "--seed", text[1], "--nodes", text[2],
          "--threads", text[3], "--prefix", text[4], (char *)NULL);
    fprintf(stderr, "%s: %s\n", files.hlrcrun, strerror(errno));
    _exit(127);
}

static pid_t start_job(const struct job *job, int output)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exec_job(job, output);
    return pid;
}

/* ---- watching ---- */

static uint64_t signs_of_life(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < MAX_ACTORS; i++)
        sum += atomic_load_explicit(&oracle->actor[i].steps, memory_order_relaxed);
    return sum;
}

static int signal_node(int node_fd, int sig)
{
    return (int)syscall(SYS_pidfd_send_signal, node_fd, sig, NULL, 0);
}

/* Now and then a whole node stands still for a while. By pidfd: it may have ended, and its number
 * be another's. */
static void stall(struct rng *r, int nodes, int *node_fds)
{
    uint32_t n = rng_below(r, (uint32_t)nodes);
    int pid = atomic_load(&oracle->pid[n]);
    if (node_fds[n] < 0 && pid > 0)
        node_fds[n] = (int)syscall(SYS_pidfd_open, pid, 0);
    if (node_fds[n] < 0 || signal_node(node_fds[n], SIGSTOP) != 0)
        return;
    usleep(rng_size(r, 500, 20000));
    signal_node(node_fds[n], SIGCONT);
}

/* Waits for the end of hlrcrun; false when it does not come while nothing moves for `timeout`
 * seconds (time_limit.h). */
static bool await_end(pid_t pid, double timeout, int *status, struct rng *stalls, int nodes)
{
    int node_fds[MAX_NODES];
    uint64_t seen = 0, signs;
    struct time_limit limit;
    useconds_t pause = 500;
    bool ended;
    memset(node_fds, -1, sizeof node_fds);
    time_limit_begin(&limit, pid, timeout);
    while (!(ended = waitpid(pid, status, WNOHANG) != 0) && !time_limit_exceeded(&limit)) {
        usleep(pause);
        pause = pause < 5000 ? pause * 2 : pause;
        if (stalls)
            stall(stalls, nodes, node_fds);
        signs = signs_of_life();
        if (signs != seen)
            time_limit_restart(&limit);
        seen = signs;
    }
    time_limit_end(&limit);
    for (int n = 0; n < nodes; n++)
        if (node_fds[n] >= 0)
            close(node_fds[n]);
    return ended;
}

static void append(struct result *out, const char *text)
{
    size_t used = strlen(out->text);
    snprintf(out->text + used, sizeof out->text - used, "%s", text);
}

/* Where everybody was when nothing moved any more. */
static void describe_actors(const struct program *p, struct result *out)
{
    static const char *const what[DOING_KINDS] = { "accesses memory",   "locks",
                                                   "unlocks",           "waits for its turn",
                                                   "in hlrc_cond_wait", "in a call or access",
                                                   "meets its threads", "in a collective" };
    char line[600], op[400];
    for (int i = 0; i < p->actors; i++) {
        uint32_t at = atomic_load(&oracle->actor[i].op),
                 doing = (uint32_t)atomic_load(&oracle->actor[i].doing);
        if (at == 0)
            snprintf(op, sizeof op, "node %d thread %d: at the start", actor_node(p, i),
                     i % p->threads);
        else if (at > p->op_count)
            snprintf(op, sizeof op, "node %d thread %d: final check", actor_node(p, i),
                     i % p->threads);
        else
            program_describe(p, at - 1, op, sizeof op);
        snprintf(line, sizeof line, "\n      %s: %s", doing < DOING_KINDS ? what[doing] : "?", op);
        append(out, line);
    }
}

static void show_stacks(const struct job *job)
{
    char command[160];
    for (int n = 0; n < job->nodes && files.stacks; n++) {
        int pid = atomic_load(&oracle->pid[n]);
        snprintf(command, sizeof command,
                 "gdb -q -batch -p %d -ex 'thread apply all bt' 2>&1 </dev/null", pid);
        printf("---- node %d, process %d\n", n, pid);
        fflush(stdout);
        if (pid > 0 && system(command) != 0)
            printf("gdb failed\n");
    }
}

static void end_job(pid_t pid)
{
    int status;
    kill(pid, SIGTERM);
    if (!await_end(pid, 4, &status, NULL, 0)) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
}

static void furthest_op(const struct program *p, struct result *out)
{
    out->op = 0;
    for (int i = 0; i < p->actors; i++)
        if (atomic_load(&oracle->actor[i].op) > out->op)
            out->op = atomic_load(&oracle->actor[i].op);
    uint32_t failed = atomic_load(&oracle->failed);
    if (failed > 0 && failed <= (uint32_t)p->actors)
        out->op = atomic_load(&oracle->actor[failed - 1].op);
}

static void read_output(int output, char *buf, size_t len)
{
    ssize_t n = pread(output, buf, len - 1, 0);
    buf[n > 0 ? n : 0] = '\0';
    while (n > 0 && buf[n - 1] == '\n')
        buf[--n] = '\0';
}

static void judge(const struct job *job, const struct program *p, int status, int output,
                  struct result *out)
{
    char said[2000], line[100];
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == 0 && atomic_load(&oracle->finished) == (uint32_t)job->nodes)
        return;
    furthest_op(p, out);
    read_output(output, said, sizeof said);
    if (atomic_load(&oracle->text_ready)) {
        out->verdict = JOB_WRONG;
        append(out, oracle->text);
        return;
    }
    out->verdict = JOB_CRASHES;
    snprintf(line, sizeof line, "ends with status %d, %u of %d nodes came to the end:\n", code,
             atomic_load(&oracle->finished), job->nodes);
    append(out, line);
    append(out, said);
    describe_actors(p, out);
}

void job_run(const struct job *job, const struct program *p, struct result *out)
{
    int status, output = memfd_create("output", MFD_CLOEXEC);
    *out = (struct result){ .verdict = JOB_GOOD };
    if (ftruncate(oracle_file, 0) != 0 || ftruncate(oracle_file, sizeof *oracle) != 0 ||
        output < 0) {
        perror("memory file");
        exit(2);
    }
    pid_t pid = start_job(job, output);
    if (pid < 0) {
        perror("fork");
        exit(2);
    }
    struct rng stalls = { hash(job->seed, 31, 0) };
    bool stall_some = rng_chance(&stalls, 30);
    if (await_end(pid, job->timeout, &status, stall_some ? &stalls : NULL, job->nodes)) {
        judge(job, p, status, output, out);
    } else {
        out->verdict = JOB_HANGS;
        snprintf(out->text, sizeof out->text, "hangs: nothing moved for %g s", job->timeout);
        furthest_op(p, out);
        describe_actors(p, out);
        show_stacks(job);
        end_job(pid);
    }
    close(output);
}
