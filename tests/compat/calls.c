/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls that go past the functions which the library has in place of the C library's: with
 * variables, the stack and the heap, which threads of other nodes have written just before. Prints
 * what does not depend on the machine. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define LARGE (150 << 10)

static char buffer[3 * 4096], large[LARGE];
static struct utsname name;
static struct stat info;
static struct statx more;
static struct rusage usage;
static struct timespec now;
static struct msghdr message;
static struct iovec pieces[2];
static struct pollfd ready;
static sigset_t set;
static socklen_t len;
static int type, ends[2];

/* The last thread writes to all of that: it is another node's. */
static void written_elsewhere(int value, char *heap, char *stack)
{
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
        memset(buffer, value, sizeof buffer);
        memset(large, value, sizeof large);
        memset(&name, value, sizeof name);
        memset(&info, value, sizeof info);
        memset(&more, value, sizeof more);
        memset(&usage, value, sizeof usage);
        memset(&now, value, sizeof now);
        memset(&set, value, sizeof set);
        memset(heap, value, 8192);
        memset(stack, value, 100);
    }
}

static void ask(int fd)
{
    syscall(SYS_uname, &name);
    printf("%s\n", name.sysname);
    printf("%ld %d\n", syscall(SYS_newfstatat, AT_FDCWD, "/proc", &info, 0), S_ISDIR(info.st_mode));
    printf("%d", statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &more));
    printf(" %d\n", (int)more.stx_size);
    printf("%ld %d\n", syscall(SYS_getrusage, 0, &usage), usage.ru_maxrss > 100);
    printf("%ld %d\n", syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now), now.tv_nsec < 1000000000);
    printf("%d %d\n", sigprocmask(SIG_SETMASK, NULL, &set), sigismember(&set, SIGUSR1));
}

static void pass(char *heap, char *stack)
{
    int p[2];
    if (pipe(p) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return;
    printf("%ld ", syscall(SYS_write, p[1], buffer + 4090, 60));
    printf("%ld ", syscall(SYS_read, p[0], heap + 4090, 60));
    printf("%d\n", memcmp(heap + 4090, buffer + 4090, 60));
    pieces[0] = (struct iovec){ stack, 50 };
    pieces[1] = (struct iovec){ buffer + 4000, 200 };
    message = (struct msghdr){ .msg_iov = pieces, .msg_iovlen = 2 };
    printf("%d ", (int)sendmsg(ends[0], &message, 0));
    ready = (struct pollfd){ .fd = ends[1], .events = POLLIN };
    printf("%d %d ", poll(&ready, 1, -1), ready.revents);
    pieces[0].iov_base = heap;
    printf("%d ", (int)recvmsg(ends[1], &message, 0));
    printf("%d\n", memcmp(heap, stack, 50));
    len = sizeof type;
    printf("%d ", getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &type, &len));
    printf("%d %d\n", type == SOCK_STREAM, (int)len);
}

int main(int argc, char **argv)
{
    char *heap = malloc(8192), stack[100];
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    for (int k = 1; k < 4; k++) {
        written_elsewhere(k, heap, stack);
        lseek(fd, 0, SEEK_SET);
        printf("%ld\n", syscall(SYS_write, fd, large, (size_t)LARGE));
        ask(fd);
        pass(heap, stack);
        written_elsewhere(99, heap, stack);
        FILE *f = fopen(argv[1], "r");
        printf("%zu %d %d\n", fread(large, 1, LARGE, f), large[0], large[LARGE - 1]);
        fclose(f);
        printf("%d %d\n", system("exit 3"), (int)strlen(heap + 4096) > 0);
        fflush(stdout);
    }
    free(heap);
    return 0;
}
