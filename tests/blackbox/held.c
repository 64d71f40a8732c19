/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: with --syscalls touch system calls are given shared memory in whatever state its pages
 * are, past the C library's functions too, and have the effect that they have with private memory
 * [syscalls.copies]. Each call is made with memory that nobody has touched, that another node has
 * written, and that this node has written and published; afterwards all nodes have the same there.
 */
#include "tests/litmus/litmus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

LITMUS("syscalls.copies: system calls on shared memory", 2, 3)

LITMUS_SET(SYSCALLS, "touch")

#define TEXT "0123456789abcdefghijklmnopqrstuvwxyz" /* 36 */
#define HERE "/proc/self/cwd"

/* Two pages; `at` is where they meet, less EDGE bytes. */
#define EDGE 24
struct place {
    char *pages, *at;
};

static int fds[2], pair[2];
static char path[64]; /* of a file that has no name any more */
static int file;

#define call(name, ...) syscall(SYS_##name, __VA_ARGS__)
#define ok(value, wanted)                                                          \
    do {                                                                           \
        long got_ = (value);                                                       \
        expect(got_ == (wanted), "line %d: %s is %ld, %s", __LINE__, #value, got_, \
               strerror(errno));                                                   \
    } while (0)
#define same(a, b, len) expect(memcmp(a, b, len) == 0, "line %d: %s", __LINE__, #a)

/* ---- files ---- */

static void read_and_write(struct place p)
{
    char after = p.at[16];
    ok(write(fds[1], TEXT, 16), 16);
    ok(call(read, fds[0], p.at, 100), 16);
    same(p.at, TEXT, 16);
    expect(p.at[16] == after, "a byte behind what was read has changed");
    ok(call(write, fds[1], p.at - 4, 30), 30);
    char own[30];
    ok(read(fds[0], own, 30), 30);
    same(own, p.at - 4, 30);
}

static void with_offset(struct place p)
{
    memcpy(p.at, TEXT, 36);
    ok(call(pwrite64, file, p.at, 36, 100), 36);
    ok(call(pread64, file, p.at + 10, 30, 106), 30);
    same(p.at + 10, TEXT + 6, 30);
}

/* The structures are the thread's own, and point to shared memory; or all is shared. */
static void vectors(struct place p, bool shared)
{
    char own[5];
    struct iovec mine[3] = { { own, 5 }, { p.at, EDGE + 4 }, { p.pages, 100 } };
    struct iovec *v = shared ? (struct iovec *)(void *)(p.pages + 512) : mine;
    memcpy(v, mine, sizeof mine);
    char after = p.pages[3];
    ok(write(fds[1], TEXT, 36), 36);
    ok(call(readv, fds[0], v, 3), 36);
    same(own, TEXT, 5);
    same(p.at, TEXT + 5, EDGE + 4);
    same(p.pages, TEXT + 33, 3);
    expect(p.pages[3] == after, "a byte behind what was read has changed");
    v[2].iov_len = 3;
    ok(call(writev, fds[1], v, 3), 36);
    char back[36];
    ok(read(fds[0], back, 36), 36);
    same(back, TEXT, 36);
    ok(call(pwritev, file, v, 3, 0L, 0L), 36);
    memset(p.at, 0, EDGE);
    ok(call(preadv, file, v, 3, 0L, 0L), 36);
    same(p.at, TEXT + 5, EDGE);
}

static void private_vectors(struct place p)
{
    vectors(p, false);
}

static void shared_vectors(struct place p)
{
    vectors(p, true);
}

static void names(struct place p)
{
    struct stat *st = (void *)(p.at + 8), own;
    memcpy(p.pages + 1, "/proc", 6);
    ok(stat("/proc", &own), 0);
    ok(call(newfstatat, AT_FDCWD, p.pages + 1, st, 0), 0);
    expect(st->st_ino == own.st_ino && st->st_mode == own.st_mode, "stat of /proc");
    ok(call(fstat, file, p.at), 0);
    ok(fstat(file, &own), 0);
    same(p.at, &own, sizeof own);
    struct statx *sx = (void *)(p.pages + 1024);
    ok(call(statx, file, "", AT_EMPTY_PATH, STATX_ALL, sx), 0);
    expect(sx->stx_ino == own.st_ino, "statx");
    char here[4096], *name = p.at - 2000;
    long len = call(getcwd, here, sizeof here);
    ok(call(getcwd, name, 2000L + EDGE), len);
    same(name, here, (size_t)len);
    memcpy(p.pages, HERE, sizeof HERE);
    ok(call(readlink, p.pages, p.at, 200), len - 1 < 200 ? len - 1 : 200);
    same(p.at, here, len - 1 < 200 ? (size_t)len - 1 : 200);
    long fd = call(open, p.pages, O_RDONLY | O_DIRECTORY);
    expect(fd >= 0, "open: %s", strerror(errno));
    expect(call(getdents64, fd, p.pages + 16, 4000L) > 0, "getdents64: %s", strerror(errno));
    close((int)fd);
}

/* More than is copied at once, and a buffer of stdio's. */
static void streams(struct place p)
{
    enum { MANY = 150 << 10 };
    static char out[MANY];
    char *large = hlrc_malloc(MANY);
    FILE *f = fopen(path, "w+");
    expect(f && large, "%s: %s", path, strerror(errno));
    ok(setvbuf(f, p.pages, _IOFBF, PAGE + 64), 0);
    for (int i = 0; i < MANY; i++)
        out[i] = (char)(i * 7 + i / 256);
    expect(fwrite(out, 1, MANY, f) == MANY && fflush(f) == 0, "fwrite");
    rewind(f);
    expect(fread(large, 1, 100, f) == 100 && fread(large + 100, 1, MANY - 100, f) == MANY - 100,
           "fread: %s", strerror(errno));
    same(large, out, MANY);
    fclose(f);
    hlrc_free(large);
}

/* ---- sockets ---- */

static void messages(struct place p)
{
    struct msghdr *m = (void *)p.at;
    struct iovec *v = (void *)(p.pages + 64);
    char *control = p.pages + 256, *data = p.at + 128;
    *v = (struct iovec){ data, 20 };
    memcpy(data, TEXT, 20);
    *m = (struct msghdr){ .msg_iov = v,
                          .msg_iovlen = 1,
                          .msg_control = control,
                          .msg_controllen = CMSG_SPACE(sizeof(int)) };
    *CMSG_FIRSTHDR(m) = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(m)), &file, sizeof file);
    ok(call(sendmsg, pair[0], m, 0), 20);
    memset(data, 0, 20);
    memset(control, 0, CMSG_SPACE(sizeof(int)));
    v->iov_len = 100;
    m->msg_controllen = 128;
    ok(call(recvmsg, pair[1], m, 0), 20);
    same(data, TEXT, 20);
    int passed;
    struct stat a, b;
    expect(m->msg_controllen == CMSG_SPACE(sizeof(int)), "%zu bytes of control",
           (size_t)m->msg_controllen);
    memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(m)), sizeof passed);
    ok(fstat(passed, &a), 0);
    ok(fstat(file, &b), 0);
    expect(a.st_ino == b.st_ino, "another file was passed");
    close(passed);
    struct mmsghdr many[2] = { { .msg_hdr = { .msg_iov = v, .msg_iovlen = 1 } },
                               { .msg_hdr = { .msg_iov = v + 1, .msg_iovlen = 1 } } };
    v[0] = (struct iovec){ data, 4 };
    v[1] = (struct iovec){ data + 4, 6 };
    ok(call(sendmmsg, pair[0], many, 2, 0), 2);
    memset(data, 0, 10);
    v[0].iov_len = v[1].iov_len = 10;
    v[1].iov_base = data + 10;
    ok(call(recvmmsg, pair[1], many, 2, 0, NULL), 2);
    expect(many[0].msg_len == 4 && many[1].msg_len == 6, "lengths of messages");
    same(data, TEXT, 4);
    same(data + 10, TEXT + 4, 6);
}

static void sockets(struct place p)
{
    int *number = (void *)p.at;
    socklen_t *len = (void *)(p.pages + 8);
    *len = 4;
    ok(call(getsockopt, pair[0], SOL_SOCKET, SO_TYPE, number, len), 0);
    expect(*number == SOCK_DGRAM && *len == 4, "type %d of %u bytes", *number, *len);
    *number = 70000;
    ok(call(setsockopt, pair[0], SOL_SOCKET, SO_SNDBUF, number, 4), 0);
    *len = 100;
    ok(call(getsockname, pair[0], p.at, len), 0);
    expect(*len == 2 && *(short *)(void *)p.at == AF_UNIX, "a name of %u bytes", *len);
    memcpy(p.at, TEXT, 36);
    ok(call(sendto, pair[0], p.at, 36, 0, NULL, 0), 36);
    ok(call(ioctl, pair[1], FIONREAD, number), 0);
    expect(*number == 36, "%d bytes to read", *number);
    memset(p.at, 0, 36);
    *len = 110;
    ok(call(recvfrom, pair[1], p.at, 100, 0, p.pages + 64, len), 36);
    same(p.at, TEXT, 36);
    ok(call(socketpair, AF_UNIX, SOCK_STREAM, 0, number), 0);
    close(number[0]);
    close(number[1]);
}

/* ---- waiting, time, signals ---- */

static void waiting(struct place p)
{
    struct pollfd *f = (void *)p.at;
    struct timespec *t = (void *)(p.pages + 16);
    *f = (struct pollfd){ fds[0], POLLIN, -1 };
    *t = (struct timespec){ 0, 1000 };
    ok(call(ppoll, f, 1, t, NULL, 8), 0);
    expect(f->revents == 0, "revents %d of an empty pipe", f->revents);
    ok(write(fds[1], TEXT, 1), 1);
    ok(call(poll, f, 1, -1), 1);
    expect(f->revents == POLLIN, "revents %d", f->revents);
    fd_set *set = (void *)(p.at + 16);
    struct timeval *tv = (void *)(p.pages + 64);
    FD_ZERO(set);
    FD_SET(fds[0], set);
    *tv = (struct timeval){ 5, 0 };
    ok(call(select, fds[0] + 1, set, NULL, NULL, tv), 1);
    expect(FD_ISSET(fds[0], set), "select");
    int e = epoll_create1(0);
    struct epoll_event *event = (void *)(p.at + 7), want = { EPOLLIN, { .u64 = 0x123456789 } };
    memcpy(event, &want, sizeof want);
    ok(call(epoll_ctl, e, EPOLL_CTL_ADD, fds[0], event), 0);
    memset(event, 0, sizeof want);
    ok(call(epoll_wait, e, event, 2, -1), 1);
    same(event, &want, sizeof want);
    close(e);
    ok(call(read, fds[0], p.at, 1), 1);
}

static void times_and_names(struct place p)
{
    struct timespec *now = (void *)p.at, before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    ok(call(clock_gettime, CLOCK_MONOTONIC, now), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    expect(now->tv_sec >= before.tv_sec && now->tv_sec <= after.tv_sec, "the time");
    *now = (struct timespec){ 0, 1000 };
    ok(call(nanosleep, now, p.pages), 0);
    struct utsname own;
    ok(uname(&own), 0);
    ok(call(uname, p.at - 100), 0);
    same(p.at - 100, &own, sizeof own);
    struct rusage *r = (void *)(p.at - 16);
    ok(call(getrusage, RUSAGE_SELF, r), 0);
    expect(r->ru_maxrss > 100, "%ld KiB", r->ru_maxrss);
    struct rlimit limit;
    ok(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ok(call(prlimit64, 0, RLIMIT_NOFILE, NULL, p.at), 0);
    same(p.at, &limit, sizeof limit);
    ok(call(getrandom, p.at, 40, 0), 40);
    ok(call(prctl, PR_GET_NAME, p.at, 0, 0, 0), 0);
    char name[16];
    ok(prctl(PR_GET_NAME, name), 0);
    same(p.at, name, strlen(name) + 1);
    struct flock *lock = (void *)p.at;
    *lock = (struct flock){ .l_type = F_WRLCK };
    ok(call(fcntl, file, F_GETLK, lock), 0);
    expect(lock->l_type == F_UNLCK, "a lock of type %d", lock->l_type);
}

/* The thread's mask and alternate stack are what the calls have made of them; SIGSYS stays open. */
static void signals(struct place p)
{
    static const int open_[] = { SIGKILL, SIGSTOP, SIGSYS, SIGSEGV };
    uint64_t *set = (void *)p.at, *old = (void *)(p.pages + 8), now;
    *set = ~UINT64_C(0);
    ok(call(rt_sigprocmask, SIG_BLOCK, set, old, 8), 0);
    ok(call(rt_sigprocmask, SIG_BLOCK, NULL, &now, 8), 0);
    for (size_t i = 0; i < sizeof open_ / sizeof *open_; i++)
        now |= UINT64_C(1) << (open_[i] - 1);
    expect(now == ~UINT64_C(0), "the mask is %llx", (unsigned long long)now);
    read_and_write(p);
    ok(call(rt_sigprocmask, SIG_SETMASK, old, NULL, 8), 0);
    stack_t *stack = (void *)p.at, was;
    ok(sigaltstack(NULL, &was), 0);
    ok(call(sigaltstack, NULL, stack), 0);
    expect(stack->ss_sp == was.ss_sp && stack->ss_size == was.ss_size, "the alternate stack");
    ok(call(sigaltstack, stack, NULL), 0);
    ok(call(sigaltstack, NULL, &was), 0);
    expect(stack->ss_sp == was.ss_sp && stack->ss_size == was.ss_size, "the stack put back");
    ok(call(rt_sigaction, SIGUSR2, NULL, p.at, 8), 0);
    ok(call(rt_sigaction, SIGUSR2, p.at, NULL, 8), 0);
}

/* ---- all of them ---- */

static void (*const checks[])(struct place) = { read_and_write,  with_offset, private_vectors,
                                                shared_vectors,  names,       streams,
                                                messages,        sockets,     waiting,
                                                times_and_names, signals };
#define CHECKS (sizeof checks / sizeof *checks)
enum { UNTOUCHED, OF_ANOTHER, SEALED, STATES };
#define BYTES (STATES * CHECKS * 2 * PAGE)

static char *place_of(char *all, size_t state, size_t check)
{
    return all + (state * CHECKS + check) * 2 * PAGE;
}

static uint64_t digest(const char *at, size_t bytes)
{
    uint64_t sum = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ (unsigned char)at[i]) * 1099511628211u;
    return sum;
}

static void prepare(char *all)
{
    hlrc_barrier();
    if (me == nodes - 1)
        memset(place_of(all, OF_ANOTHER, 0), 0x55, CHECKS * 2 * PAGE);
    if (me == 0)
        memset(place_of(all, SEALED, 0), 0x66, CHECKS * 2 * PAGE);
    hlrc_barrier();
}

static void run_checks(char *all)
{
    ok(pipe(fds), 0);
    ok(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    char name[] = "/tmp/held.XXXXXX";
    file = mkstemp(name);
    expect(file >= 0 && unlink(name) == 0, "%s: %s", name, strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (size_t state = 0; state < STATES; state++)
        for (size_t check = 0; check < CHECKS; check++) {
            char *pages = place_of(all, state, check);
            checks[check]((struct place){ pages, pages + PAGE - EDGE });
        }
}

/* More than is copied at once: special.c. */
static void large_file(char *large, size_t bytes)
{
    char name[] = "/tmp/held.XXXXXX";
    int fd = mkstemp(name);
    expect(fd >= 0 && unlink(name) == 0, "%s: %s", name, strerror(errno));
    for (size_t i = 0; i < bytes; i += 8)
        *(uint64_t *)(void *)(large + i) = i * 0x9e3779b97f4a7c15u;
    ok(call(write, fd, large, bytes), (long)bytes);
    uint64_t sum = digest(large, bytes);
    memset(large, 0, bytes);
    ok(call(pread64, fd, large, bytes, 0), (long)bytes);
    expect(digest(large, bytes) == sum, "what was read is not what was written");
    ok(call(pread64, fd, large, bytes, 64), (long)bytes - 64);
    close(fd);
}

void litmus_run(void)
{
    char *all = hlrc_malloc_all(BYTES);
    uint64_t *sum = hlrc_malloc_all(sizeof *sum);
    expect(all && sum, "no memory");
    prepare(all);
    if (me == 0) {
        run_checks(all);
        *sum = digest(all, BYTES);
    }
    hlrc_barrier();
    expect(digest(all, BYTES) == *sum, "node %d has other bytes than node 0", me);
    size_t bytes = ((size_t)4 << 20) + PAGE + 64;
    char *large = hlrc_malloc_all(bytes);
    if (me == 1)
        large_file(large, bytes);
    hlrc_barrier();
}
