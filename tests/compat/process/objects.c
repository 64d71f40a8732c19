/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Robust mutexes, named semaphores, mappings of memory, and clocks that no wait has. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static pthread_mutex_t mutex;
static sem_t *named;

static void *ends_as_owner(void *arg)
{
    printf("lock %s\n", strerror(pthread_mutex_lock(&mutex)));
    return arg;
}

static void *repairs(void *arg)
{
    int rc = pthread_mutex_lock(&mutex);
    printf("lock %d", rc == EOWNERDEAD);
    if (arg)
        printf(", consistent %d", pthread_mutex_consistent(&mutex));
    printf(", unlock %d", pthread_mutex_unlock(&mutex));
    printf(", again %d\n", pthread_mutex_unlock(&mutex) == EPERM);
    return arg;
}

static void robust(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    for (int i = 0; i < THREADS; i++) {
        run_in(ends_as_owner, NULL);
        run_in(repairs, &mutex);
    }
    run_in(ends_as_owner, NULL);
    run_in(repairs, NULL);
    printf("lost %d\n", pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    run_in(ends_as_owner, NULL);
}

static void *uses_named(void *arg)
{
    struct timespec past = { 0, 0 };
    int value = -1;
    printf("trywait %d", sem_trywait(named));
    printf(" timedwait %d", sem_timedwait(named, &past));
    printf(" %s", strerror(errno));
    printf(" post %d", sem_post(named));
    printf(" value %d", sem_getvalue(named, &value));
    printf(" %d\n", value);
    return arg;
}

static void *opens_named(void *name)
{
    named = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    printf("open %d unlink %d\n", named != SEM_FAILED, sem_unlink(name));
    return NULL;
}

#define PAGE   4096
#define PAGES  4
#define MAPPED ((size_t)PAGES * PAGE)

static char *anonymous, *of_file;

static void *maps(void *arg)
{
    static const char text[] = "text of a file";
    int number = (int)(long)arg, fd = open("objects", O_RDWR | O_CREAT, 0600);
    printf("write %d\n", pwrite(fd, text, sizeof text, PAGE) == sizeof text);
    anonymous = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    of_file = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
    printf("mapped %d %d, %s\n", anonymous != MAP_FAILED, of_file != MAP_FAILED, of_file);
    anonymous[number] = (char)(number + 'a');
    of_file[0] = 'T';
    char found[sizeof text] = "";
    printf("read %d", pread(fd, found, sizeof found, PAGE) == sizeof found);
    printf(" %s, close %d\n", found, close(fd));
    printf("no such file %d", mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
    printf(" %s", strerror(errno));
    fd = open("objects", O_WRONLY);
    printf(", no right %d", mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
    printf(" %s %d\n", strerror(errno), close(fd));
    return arg;
}

static void *sees_mapped(void *arg)
{
    int number = (int)(long)arg;
    printf("%c %d, %s\n", anonymous[number], anonymous[MAPPED - 1], of_file);
    anonymous[MAPPED - 1] = 1;
    printf("protect %d\n", mprotect(anonymous, MAPPED, PROT_READ | PROT_WRITE));
    return arg;
}

static void *lengthens(void *arg)
{
    int number = (int)(long)arg;
    char *longer = mremap(anonymous, MAPPED, 2 * MAPPED, MREMAP_MAYMOVE);
    printf("longer %c %d %d\n", longer[number], longer[MAPPED - 1], longer[2 * MAPPED - 1]);
    printf("shorter %d\n", mremap(longer, 2 * MAPPED, MAPPED + PAGE, 0) == longer);
    anonymous = longer;
    return arg;
}

static void *unmaps(void *arg)
{
    printf("given up %d", madvise(anonymous, MAPPED, MADV_DONTNEED));
    printf(" %d\n", anonymous[(long)arg]);
    printf("unmapped %d", munmap(anonymous, MAPPED));
    printf(" %d", munmap(anonymous + MAPPED, PAGE));
    printf(" %d\n", munmap(of_file, MAPPED));
    return arg;
}

/* More than there is, if unmapped memory stays. */
static void shortens(void)
{
    const size_t bytes = (size_t)1 << 25;
    int fine = 0;
    for (int i = 0; i < 10; i++) {
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fine += at != MAP_FAILED && mremap(at, bytes, PAGE, 0) == at && munmap(at, PAGE) == 0;
    }
    printf("shortened %d\n", fine);
}

static void mappings(void)
{
    shortens();
    for (long i = 0; i < THREADS; i++) {
        run_in(maps, (void *)i);
        sees_mapped((void *)i);
        run_in(sees_mapped, (void *)i);
        run_in(lengthens, (void *)i);
        run_in(unmaps, (void *)i);
    }
}

/* ---- a limit on addresses: threads run out, and the program continues ---- */

static void *waits_for_main(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void create_most(void)
{
    static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t[100];
    int count = 0, rc = 0;
    pthread_mutex_lock(&held);
    while (count < 100 && (rc = pthread_create(&t[count], NULL, waits_for_main, &held)) == 0)
        count++;
    pthread_mutex_unlock(&held);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    printf("%d, then %s\n", count > 5 && count < 14, rc == EAGAIN ? "EAGAIN" : strerror(rc));
}

static void runs_out(void)
{
    struct rlimit before, limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1 || getrlimit(RLIMIT_AS, &before) != 0)
        exit(3);
    fclose(file);
    limit = before;
    limit.rlim_cur = pages * PAGE + (100 << 20);
    printf("setrlimit %d", setrlimit(RLIMIT_AS, &limit));
    getrlimit(RLIMIT_AS, &before);
    printf(" getrlimit %d\n", before.rlim_cur == limit.rlim_cur);
    create_most();
    create_most();
    limit.rlim_cur = limit.rlim_max;
    printf("setrlimit %d\n", setrlimit(RLIMIT_AS, &limit));
    run_in(waits_for_main, &(pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER);
}

static sigjmp_buf caught;

static void on_overflow(int sig)
{
    siglongjmp(caught, sig);
}

static int recurses(const volatile char *before)
{
    volatile char frame[10000];
    frame[0] = before ? before[0] : 1;
    return recurses(frame) + frame[1];
}

static void *overflows(void *arg)
{
    struct sigaction act = { .sa_handler = on_overflow, .sa_flags = SA_ONSTACK };
    stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &act, NULL);
    int sig = sigsetjmp(caught, 1);
    if (sig == 0)
        printf("%d", recurses(NULL));
    printf("overflow %d\n", sig);
    signal(SIGSEGV, SIG_DFL);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    free(stack.ss_sp);
    return arg;
}

static void *names(void *arg)
{
    char name[16] = "", same[16] = "";
    printf("prctl %d", prctl(PR_SET_NAME, arg ? "of another" : "longer than a name"));
    printf(" %d %s", prctl(PR_GET_NAME, name), name);
    printf(" %d %s", pthread_getname_np(pthread_self(), same, sizeof same), same);
    printf(" %d %s\n", pthread_setname_np(pthread_self(), "set"),
           prctl(PR_GET_NAME, name) == 0 ? name : "");
    return arg;
}

int main(int argc, char **argv)
{
    struct timespec now = { 0, 0 };
    char name[40];
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    robust();
    mappings();
    runs_out();
    run_everywhere(names);
    run_everywhere(overflows);
    snprintf(name, sizeof name, "/hlrc-objects-%d", (int)getpid());
    run_in(opens_named, name);
    run_everywhere(uses_named);
    printf("close %d\n", sem_close(named));
    pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER;
    printf("clock %d\n",
           pthread_mutex_clocklock(&free_one, CLOCK_PROCESS_CPUTIME_ID, &now) == EINVAL);
    printf("held at the end %d\n", pthread_mutex_lock(&free_one));
    return 0;
}
