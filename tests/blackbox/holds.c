/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls on shared memory that wait, that are interrupted, that programs make which this one
 * starts, and that are refused; one case for each word that may be given. holds.sh says what must
 * become of the job. Node 0 makes the calls, and ends with "ok" where it goes on.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <linux/aio_abi.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096
#define ROUNDS 40
#define TEXT   "0123456789abcdef" /* 16 */
#define LOCK   3

#define expect(what)                                                                        \
    do {                                                                                    \
        if (!(what)) {                                                                      \
            fprintf(stderr, "FAILED: line %d: %s: %s\n", __LINE__, #what, strerror(errno)); \
            _exit(1);                                                                       \
        }                                                                                   \
    } while (0)

static char *shared; /* four pages */
static int fds[2], other[2];
static volatile pid_t reader;

/* ---- [syscalls.copies]: another node's requests close the page of a read that waits ---- */

static void *read_into_page(void *arg)
{
    reader = gettid();
    expect(syscall(SYS_read, fds[0], shared + 100, 200) == 16);
    expect(memcmp(shared + 100, TEXT, 16) == 0);
    return arg;
}

static void await_reader(void)
{
    char name[64], line[256], state = 'R';
    while (!reader)
        usleep(1000);
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)reader);
    for (int i = 0; i < 10000 && state != 'S'; i++) {
        int fd = open(name, O_RDONLY);
        ssize_t len = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
        expect(len > 0);
        line[len] = '\0';
        close(fd);
        const char *behind = strrchr(line, ')');
        state = behind ? behind[2] : 'R';
        usleep(1000);
    }
    expect(state == 'S');
}

static void count_under_lock(uint64_t *word)
{
    for (int i = 0; i < ROUNDS; i++) {
        hlrc_lock(LOCK);
        ++*word;
        hlrc_unlock(LOCK);
    }
}

static void wait_amid_closings(void)
{
    pthread_t thread;
    uint64_t *word = (uint64_t *)(void *)shared; /* in the page that is read into */
    if (hlrc_node_id() == 0) {
        expect(pthread_create(&thread, NULL, read_into_page, NULL) == 0);
        await_reader();
    }
    hlrc_barrier();
    count_under_lock(word);
    hlrc_barrier();
    expect(*word == (uint64_t)ROUNDS * (uint64_t)hlrc_node_count());
    if (hlrc_node_id() == 0) {
        expect(write(fds[1], TEXT, 16) == 16);
        expect(pthread_join(thread, NULL) == 0);
    }
    hlrc_barrier();
    expect(memcmp(shared + 100, TEXT, 16) == 0);
}

/* ---- a signal comes to a thread that waits; its handler makes such a call ---- */

static volatile sig_atomic_t handled;

static void handler(int sig)
{
    (void)sig;
    expect(syscall(SYS_write, other[1], shared + PAGE, 16) == 16);
    handled = 1;
}

static void interrupt(int flags, long wanted)
{
    pthread_t thread;
    struct sigaction act = { .sa_handler = handler, .sa_flags = flags };
    char got[16];
    sigfillset(&act.sa_mask);
#ifdef __SANITIZE_ADDRESS__ /* sigaction is the sanitizer's */
    sigdelset(&act.sa_mask, SIGSYS);
    sigdelset(&act.sa_mask, SIGSEGV);
#endif
    expect(sigaction(SIGUSR1, &act, NULL) == 0);
    handled = reader = 0;
    if (wanted > 0) {
        expect(pthread_create(&thread, NULL, read_into_page, NULL) == 0);
        await_reader();
        pthread_kill(thread, SIGUSR1);
        expect(read(other[0], got, 16) == 16 && memcmp(got, TEXT, 16) == 0);
        expect(write(fds[1], TEXT, 16) == 16);
        expect(pthread_join(thread, NULL) == 0);
    } else {
        struct timespec *left = (struct timespec *)(void *)(shared + 64);
        *left = (struct timespec){ .tv_sec = 100 };
        timer_t timer;
        struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
        struct itimerspec soon = { .it_value.tv_nsec = 20000000 };
        expect(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
        expect(timer_settime(timer, 0, &soon, NULL) == 0);
        expect(syscall(SYS_nanosleep, left, left) == -1 && errno == EINTR);
        expect(left->tv_sec == 99);
        expect(read(other[0], got, 16) == 16 && memcmp(got, TEXT, 16) == 0);
    }
    expect(handled);
}

static void interrupted(void)
{
    if (hlrc_node_id() == 1)
        memcpy(shared + PAGE, TEXT, 16);
    hlrc_barrier();
    if (hlrc_node_id() == 0) {
        interrupt(SA_RESTART, 16);
        interrupt(0, -1);
    }
}

/* All signals blocked, in any way that programs have. */
static void blocked(void)
{
    sigset_t all, was;
    sigfillset(&all);
    expect(pthread_sigmask(SIG_BLOCK, &all, &was) == 0);
    expect(write(fds[1], TEXT, 16) == 16);
    expect(syscall(SYS_read, fds[0], shared, 100) == 16);
    expect(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    expect(syscall(SYS_write, fds[1], shared, 16) == 16);
    expect(syscall(SYS_read, fds[0], shared + 32, 16) == 16);
    expect(sigprocmask(SIG_SETMASK, NULL, &all) == 0 && sigismember(&all, SIGUSR1) == 1);
    expect(pthread_sigmask(SIG_SETMASK, &was, NULL) == 0);
}

/* ---- what this program starts ---- */

/* As a program that knows nothing of HLRC: memory of its own at the same addresses. */
static int as_child(const char *address)
{
    char *at = (char *)(uintptr_t)strtoull(address, NULL, 16), back[16];
    at = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    struct iovec piece = { at, 16 };
    expect(at != MAP_FAILED && pipe(fds) == 0);
    memcpy(at, TEXT, 16);
    expect(write(fds[1], at, 16) == 16 && read(fds[0], at + 16, 16) == 16);
    expect(writev(fds[1], &piece, 1) == 16 && read(fds[0], back, 16) == 16);
    expect(memcmp(back, TEXT, 16) == 0);
    return 7;
}

static char *self;

static void children(void)
{
    char command[4096];
    snprintf(command, sizeof command, "'%s' child %llx", self,
             (unsigned long long)(uintptr_t)shared);
    int status = system(command);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    if (getenv("HOLDS_JOB")) { /* a job, which does without */
        status = system(getenv("HOLDS_JOB"));
        expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/* ---- a call with unknown memory arguments ---- */

static void unknown(void)
{
    syscall(SYS_bpf, 0, shared + 8, 16);
}

static void newer(void)
{
    syscall(1000, 1, shared + 8);
}

static void request(void)
{
    syscall(SYS_ioctl, fds[0], 0x1234, shared);
}

static void lent(void)
{
    struct iovec piece = { shared, 16 };
    syscall(SYS_vmsplice, fds[1], &piece, 1, 0);
}

static void submitted(void)
{
    struct iocb control = { .aio_buf = (uintptr_t)shared }, *list[] = { &control };
    syscall(SYS_io_submit, 0, 1, list);
}

/* Threads of this process that have the filter. */
static int filtered(void)
{
    char name[300], text[4096];
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    expect(tasks);
    for (struct dirent *d = readdir(tasks); d; d = readdir(tasks)) {
        snprintf(name, sizeof name, "/proc/self/task/%s/status", d->d_name);
        int fd = d->d_name[0] == '.' ? -1 : open(name, O_RDONLY);
        ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
        text[len > 0 ? len : 0] = '\0';
        count += strstr(text, "\nSeccomp_filters:\t1\n") != NULL;
        close(fd);
    }
    closedir(tasks);
    return count;
}

/* Arguments that are no memory, whatever their values are; and what is the engine's own. */
static void innocent(void)
{
    expect(filtered() == 1);
    expect(syscall(SYS_getppid, shared, shared, shared, shared, shared, shared) > 0);
    expect(syscall(SYS_lseek, -1, shared, 0) == -1 && errno == EBADF);
    expect(syscall(1000, 1, 2, 3, 4, 5, 6) == -1 && errno == ENOSYS);
    expect(syscall(SYS_readv, -1, &fds, 1) == -1 && errno == EBADF);
    expect(syscall(SYS_readv, fds[0], (void *)8, 1) == -1 && errno == EFAULT);
    expect(syscall(SYS_sendmsg, fds[0], (void *)8, 0) == -1 &&
           (errno == EFAULT || errno == ENOTSOCK));
}

/* ---- a filter that cannot be installed ---- */

static void refused_by_system(void)
{
    expect(write(fds[1], TEXT, 16) == 16);
    expect(syscall(SYS_read, fds[0], shared, 100) == -1 && errno == EFAULT);
}

/* A system that has no seccomp. */
static void without_seccomp(char **argv)
{
    struct sock_filter steps[] = {
        { BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr) },
        { BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_seccomp },
        { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS },
        { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
    };
    struct sock_fprog program = { 4, steps };
    expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    expect(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    execv(argv[0], argv);
    expect(!"execv");
}

/* The program's own small alternate stack (altstack.h). */
static void small_stack(void)
{
    size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + 8192;
    stack_t stack = { .ss_sp = malloc(bytes), .ss_size = bytes }, after;
    expect(sigaltstack(&stack, NULL) == 0);
    expect(write(fds[1], TEXT, 16) == 16);
    expect(syscall(SYS_read, fds[0], shared + 2 * PAGE - 8, 100) == 16);
    expect(memcmp(shared + 2 * PAGE - 8, TEXT, 16) == 0);
    expect(sigaltstack(NULL, &after) == 0 && after.ss_sp == stack.ss_sp);
}

static const struct {
    const char *name;
    void (*run)(void);
    int all; /* every node takes part */
} cases[] = { { "wait", wait_amid_closings, 1 },  { "interrupt", interrupted, 1 },
              { "blocked", blocked, 0 },          { "children", children, 0 },
              { "unknown", unknown, 0 },          { "newer", newer, 0 },
              { "request", request, 0 },          { "lent", lent, 0 },
              { "submitted", submitted, 0 },      { "innocent", innocent, 0 },
              { "efault", refused_by_system, 0 }, { "small", small_stack, 0 } };

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 2 && strcmp(argv[1], "child") == 0)
        return as_child(argv[2]);
    if (argc > 2 && strcmp(argv[1], "without") == 0)
        without_seccomp(argv + 2);
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    shared = hlrc_malloc_all(4 * PAGE);
    expect(shared && pipe(fds) == 0 && pipe(other) == 0);
    for (int k = 1; k < argc; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            if (strcmp(argv[k], cases[i].name) == 0) {
                if (cases[i].all || hlrc_node_id() == 0)
                    cases[i].run();
                hlrc_barrier();
            }
    if (hlrc_node_id() == 0)
        puts("ok");
    hlrc_finalize();
    return 0;
}
