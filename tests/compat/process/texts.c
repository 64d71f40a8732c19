/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts that the C library keeps for each thread, entries of file systems and networks, and what
 * fork calls: of threads of several nodes. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

static char *shared[3 * THREADS];
static pthread_barrier_t together;

/* A thread keeps the texts until it ends. Each has its own. */
static void *texts_of_thread(void *arg)
{
    struct in_addr address = { htonl(0x7f000001u + (unsigned)(long)arg) };
    char **mine = shared + 3 * (long)arg;
    mine[0] = inet_ntoa(address);
    mine[1] = strsignal(arg ? 200 + (int)(long)arg : SIGINT);
    mine[2] = strerror(arg ? 5000 + (int)(long)arg : ENOENT);
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    return arg;
}

static void texts(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&together, NULL, THREADS + 1);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, texts_of_thread, (void *)i);
    pthread_barrier_wait(&together);
    for (int i = 0; i < 3 * THREADS; i++)
        printf("text %s\n", shared[i]);
    pthread_barrier_wait(&together);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

/* The C library has one of these for all threads. */
static void *texts_in_common(void *arg)
{
    int point, sign;
    struct ether_addr address = { { 1, 2, 3, 4, 5, (unsigned char)(long)arg } };
    shared[0] = ecvt(3.25 + (double)(long)arg, 4, &point, &sign);
    shared[1] = l64a(77777 + (long)arg);
    shared[2] = ether_ntoa(&address);
    return arg;
}

static void *numbers(void *arg)
{
    int point, sign;
    shared[0] = (long)arg & 1 ? fcvt(1e300, 2, &point, &sign) : qfcvt(-2.5L, 2, &point, &sign);
    shared[1] = qecvt(1e9L, 3, &point, &sign);
    return arg;
}

static void in_common(void)
{
    for (long i = 0; i < THREADS; i++) {
        run_in(texts_in_common, (void *)i);
        printf("%s %s %s\n", shared[0], shared[1], shared[2]);
        run_in(numbers, (void *)i);
        printf("%d %s\n", (int)strlen(shared[0]), shared[1]);
    }
}

static FILE *mounts;
static struct mntent *mounted;

static void *sees_mount(void *arg)
{
    if (mounted)
        printf("was %s\n", mounted->mnt_dir);
    mounted = getmntent(mounts);
    return arg;
}

static void file_systems(void)
{
    char dirs[THREADS][20];
    mounts = setmntent("file_systems", "w+");
    for (int i = 0; i < THREADS; i++) {
        struct mntent m = { "none", dirs[i], "tmpfs", "rw,size=1", i, 0 };
        sprintf(dirs[i], "/dir %d", i);
        addmntent(mounts, &m);
    }
    rewind(mounts);
    run_everywhere(sees_mount);
    printf("now %s %s %d\n", mounted->mnt_dir, hasmntopt(mounted, "size"), mounted->mnt_freq);
    run_in(sees_mount, NULL);
    printf("end %d\n", mounted == NULL);
    endmntent(mounts);
    unlink("file_systems");
}

/* ---- of networks ---- */

static struct servent *service;
static struct protoent *protocol;
static struct hostent *host;
static char *terminal;

/* What the thread before has found on another node. */
static void *sees_entries(void *arg)
{
    if (service)
        printf("%s/%s %d, %s %d, %s %s, %s\n", service->s_name, service->s_proto,
               ntohs((uint16_t)service->s_port), protocol->p_aliases[0], protocol->p_proto,
               host->h_name, inet_ntoa(*(struct in_addr *)(void *)host->h_addr_list[0]), terminal);
    service = getservbyname(arg ? "domain" : "smtp", "tcp");
    protocol = getprotobyname(arg ? "udp" : "tcp");
    terminal = ctermid(NULL);
    host = gethostbyname("127.0.0.9");
    h_errno = 0;
    printf("none %d", gethostbyname("") == NULL);
    printf(" %d\n", h_errno);
    host = gethostbyname("127.0.0.1");
    return arg;
}

/* ---- of fork ---- */

static int prepared, seen;

static void prepares(void)
{
    prepared++;
}

static void sees(void)
{
    seen += prepared;
}

static void *forks(void *arg)
{
    int status = 0;
    printf("registered %d", pthread_atfork(prepares, sees, sees));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(seen + 10 * prepared);
    printf(" forked %d", waitpid(child, &status, 0) == child);
    printf(" %d, here %d %d\n", WEXITSTATUS(status), prepared, seen);
    return arg;
}

int main(void)
{
    texts();
    in_common();
    file_systems();
    if (getservbyname("smtp", "tcp") && getprotobyname("tcp"))
        run_everywhere(sees_entries);
    run_everywhere(forks);
    return 0;
}
