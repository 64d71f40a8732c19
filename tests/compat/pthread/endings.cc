/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What belongs to the process: how it ends, its signals, its threads by name. The argument selects one; prints what it saw. */
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static char *self;
static pthread_t told;
static std::atomic<bool> runs;
static volatile sig_atomic_t seen;
static sigjmp_buf back;

static void by_exit_at_once()
{
    puts("before");
    fflush(stdout);
    atexit([] { puts("never"); });
    _exit(7);
}

static void by_quick_exit()
{
    at_quick_exit([] { puts("quickly"), fflush(stdout); });
    std::thread([] { quick_exit(8); }).join();
}

static void by_exec()
{
    char again[] = "second", *args[] = { self, again, nullptr };
    fflush(stdout);
    execv(self, args);
}

static void by_exit_in_region()
{
    atexit([] { puts("handler"); });
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
        exit(9);
    else
        for (;;)
            pause();
}

static void by_terminate()
{
    std::set_terminate([] { puts("terminated"), fflush(stdout), _exit(10); });
    std::thread([] { throw 1; }).join();
}

static void new_handler()
{
    static int calls;
    bool thrown = false;
    std::set_new_handler([] { calls++, std::set_new_handler(nullptr); });
    std::thread([&] {
        try {
            char *volatile p = new char[(size_t)1 << 60];
            (void)p;
        } catch (const std::bad_alloc &) {
            thrown = true;
        }
    }).join();
    printf("%d call, thrown %d\n", calls, thrown);
}

static void own_faults()
{
    static const size_t bytes = 16 << 12;
    static char *memory;
    memory = (char *)mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction act = {};
    act.sa_flags = SA_SIGINFO;
    act.sa_sigaction = [](int, siginfo_t *info, void *) {
        seen = seen + 1;
        mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095), 4096,
                 PROT_READ | PROT_WRITE);
    };
    sigaction(SIGSEGV, &act, nullptr);
    for (size_t at = 0; at < bytes; at += 4096)
        memory[at] = 1;
    printf("%d pages\n", (int)seen);
    signal(SIGSEGV, [](int) { siglongjmp(back, 1); });
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    puts("jumped");
}

static void signal_of_thread()
{
    signal(SIGUSR1, [](int) { seen = pthread_equal(pthread_self(), told) ? 1 : 2; });
    std::thread t([] {
        told = pthread_self();
        runs = true;
        while (!seen)
            usleep(100);
    });
    pthread_kill(t.native_handle(), 0);
    while (!runs) /* a busy machine may start the thread late */
        usleep(100);
    pthread_kill(t.native_handle(), SIGUSR1);
    t.join();
    printf("signal %d\n", (int)seen);
}

static void *sleeps(void *)
{
    pthread_cleanup_push([](void *) { puts("cleaned"); }, nullptr);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return nullptr;
}

static void cancelled()
{
    pthread_t t;
    void *result;
    pthread_create(&t, nullptr, sleeps, nullptr);
    pthread_cancel(t);
    pthread_join(t, &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
}

/* Ends at the second signal, with a status of its own. */
static void heeds_signals()
{
    signal(SIGTERM, [](int) { seen = seen + 1; });
    for (int told_of = -1; told_of < 2; usleep(1000))
        if (told_of < seen) {
            printf("signals %d\n", ++told_of);
            fflush(stdout);
        }
    exit(12);
}

static void named()
{
    cpu_set_t set;
    char name[16];
    pthread_setname_np(pthread_self(), "worker");
    pthread_getname_np(pthread_self(), name, sizeof name);
    int rc = pthread_getaffinity_np(pthread_self(), sizeof set, &set);
    rc |= pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    sem_t *sem = sem_open("/hlrc-endings", O_CREAT, 0600, 1);
    rc |= sem == SEM_FAILED || sem_wait(sem) != 0;
    sem_unlink("/hlrc-endings");
    printf("%s %d\n", name, rc);
}

static void threads_of_c()
{
    thrd_t t;
    int result = 0;
    thrd_create(
        &t, [](void *arg) { return *(int *)arg + 1; }, &result);
    thrd_join(t, &result);
    printf("C11 %d\n", result);
}

/* glibc gives threads of a child the stacks of threads that the child does not have. */
static void *prints_stack(void *)
{
    pthread_attr_t attr;
    size_t size = 0;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstacksize(&attr, &size);
    printf("%d smallest\n", (int)((long)size / sysconf(_SC_THREAD_STACK_MIN)));
    return nullptr;
}

static void stack_in_child()
{
    pid_t child = fork();
    if (child == 0) {
        pthread_attr_t attr;
        pthread_t thread;
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
        pthread_create(&thread, &attr, prints_stack, nullptr);
        pthread_join(thread, nullptr);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } all[] = { { "exit-at-once", by_exit_at_once },
                { "quick-exit", by_quick_exit },
                { "exec", by_exec },
                { "exit-in-region", by_exit_in_region },
                { "terminate", by_terminate },
                { "new-handler", new_handler },
                { "own-faults", own_faults },
                { "signal", signal_of_thread },
                { "cancel", cancelled },
                { "named", named },
                { "c11", threads_of_c },
                { "stack", stack_in_child } };
    self = argv[0];
    while (argc > 1 && strcmp(argv[1], "wait") == 0)
        pause();
    if (argc > 1 && strcmp(argv[1], "signals") == 0)
        heeds_signals();
    for (const auto &one : all)
        if (argc > 1 && strcmp(argv[1], one.name) == 0)
            one.run();
        else if (argc == 1)
            puts(one.name);
    puts("the end");
    return argc > 1 && strcmp(argv[1], "second") == 0 ? 11 : 0;
}
