/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* time_limit.c - see time_limit.h. */
#include "tests/time_limit.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD 0.5  /* seconds between samples, at least */
#define COST   0.02 /* share of the time that samples may take */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A small file of /proc as a string; empty when the process is gone. */
static char *proc_text(const char *path, char *text, size_t len)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, len - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    return text;
}

/* ---- which processes ---- */

struct process {
    pid_t pid, parent;
    bool ours;
};

/* A process or thread by its stat: its state, and its parent. */
static char stat_of(const char *path, int *parent)
{
    char text[512], state = '?';
    char *end = strrchr(proc_text(path, text, sizeof text), ')'); /* names may contain blanks */
    if (!end || sscanf(end + 1, " %c %d", &state, parent) != 2)
        *parent = 0;
    return state;
}

static pid_t parent_of(pid_t pid)
{
    char path[64];
    int parent;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    stat_of(path, &parent);
    return parent;
}

static struct process *list_processes(int *count)
{
    struct process *list = NULL;
    int room = 0;
    *count = 0;
    DIR *dir = opendir("/proc");
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir)) {
        if (!isdigit((unsigned char)d->d_name[0]))
            continue;
        if (*count == room) {
            struct process *more = realloc(list, (size_t)(room = room * 2 + 64) * sizeof *list);
            if (!more)
                break;
            list = more;
        }
        pid_t pid = (pid_t)atoi(d->d_name);
        list[(*count)++] = (struct process){ .pid = pid, .parent = parent_of(pid) };
    }
    if (dir)
        closedir(dir);
    return list;
}

static void mark_descendants(struct process *list, int count, pid_t root)
{
    for (int i = 0; i < count; i++)
        list[i].ours = list[i].pid == root;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < count && !list[i].ours; k++)
                if (list[k].ours && list[k].pid == list[i].parent)
                    list[i].ours = changed = true;
    }
}

/* ---- what their threads have had, and waited for ---- */

static int compare_threads(const void *a, const void *b)
{
    pid_t x = ((const struct time_limit_thread *)a)->tid,
          y = ((const struct time_limit_thread *)b)->tid;
    return (x > y) - (x < y);
}

struct sample {
    struct time_limit_thread *threads;
    int count, room;
};

static void add_thread(struct sample *s, pid_t pid, pid_t tid)
{
    char path[80], text[128];
    struct time_limit_thread t = { .tid = tid };
    int parent;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    if (sscanf(proc_text(path, text, sizeof text), "%ju %ju", (uintmax_t *)&t.run_ns,
               (uintmax_t *)&t.delay_ns) != 2)
        return;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    t.runnable = stat_of(path, &parent) == 'R';
    if (s->count == s->room) {
        struct time_limit_thread *more =
            realloc(s->threads, (size_t)(s->room * 2 + 16) * sizeof *more);
        if (!more)
            return;
        s->threads = more;
        s->room = s->room * 2 + 16;
    }
    s->threads[s->count++] = t;
}

static void add_process(struct sample *s, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir))
        if (isdigit((unsigned char)d->d_name[0]))
            add_thread(s, pid, (pid_t)atoi(d->d_name));
    if (dir)
        closedir(dir);
}

static struct sample sample_threads(pid_t root)
{
    struct sample s = { 0 };
    int count;
    struct process *list = list_processes(&count);
    mark_descendants(list, count, root);
    for (int i = 0; i < count; i++)
        if (list[i].ours)
            add_process(&s, list[i].pid);
    free(list);
    if (s.count > 0)
        qsort(s.threads, (size_t)s.count, sizeof *s.threads, compare_threads);
    return s;
}

/* CPU seconds that the machine has used, those that its host took included. */
static double machine_busy(void)
{
    char text[512];
    uintmax_t user, nice, system, idle, wait, irq, softirq, steal = 0;
    if (sscanf(proc_text("/proc/stat", text, sizeof text), "cpu %ju %ju %ju %ju %ju %ju %ju %ju",
               &user, &nice, &system, &idle, &wait, &irq, &softirq, &steal) < 7)
        return 0;
    return (double)(user + nice + system + irq + softirq + steal) / (double)sysconf(_SC_CLK_TCK);
}

/* ---- the clock ---- */

/* Adds the CPU seconds that a thread has had of the last `elapsed` ones, and those that it waited
 * for. */
static void thread_times(const struct time_limit *limit, const struct time_limit_thread *t,
                         double elapsed, double *run, double *delay)
{
    const struct time_limit_thread *before = NULL;
    if (limit->thread_count > 0)
        before =
            bsearch(t, limit->threads, (size_t)limit->thread_count, sizeof *t, compare_threads);
    double had = (double)(t->run_ns - (before ? before->run_ns : 0)) * 1e-9,
           waited = (double)(t->delay_ns - (before ? before->delay_ns : 0)) * 1e-9;
    had = had < elapsed ? had : elapsed;
    if (t->runnable || waited > elapsed - had) /* the wait goes on, or began before */
        waited = elapsed - had;
    *run += had;
    *delay += waited;
}

/* Takes a sample. Returns the part of the `elapsed` seconds since the last one in which the
 * processes could run. */
static double sample_counts(struct time_limit *limit, double elapsed)
{
    struct sample now = sample_threads(limit->root);
    double busy = machine_busy(), run = 0, delay = 0;
    for (int i = 0; i < now.count; i++)
        thread_times(limit, &now.threads[i], elapsed, &run, &delay);
    double others = busy - limit->busy - run;
    double lost = others <= 0 ? 0 : delay < others ? delay : others;
    double share = run + lost > 0 ? run / (run + lost) : 1;
    double waited = elapsed > lost ? elapsed - lost : 0; /* one thread waits for no more than all */
    free(limit->threads);
    limit->threads = now.threads;
    limit->thread_count = now.count;
    limit->busy = busy;
    return elapsed * share > waited ? elapsed * share : waited;
}

void time_limit_begin(struct time_limit *limit, pid_t root, double seconds)
{
    *limit = (struct time_limit){ .root = root, .seconds = seconds, .period = PERIOD };
    limit->last = seconds_now();
    limit->busy = machine_busy();
}

void time_limit_end(struct time_limit *limit)
{
    free(limit->threads);
    limit->threads = NULL;
    limit->thread_count = 0;
}

bool time_limit_exceeded(struct time_limit *limit)
{
    double now = seconds_now(), elapsed = now - limit->last;
    if (elapsed >= limit->period) {
        if (elapsed > 2 * limit->period)
            elapsed = 2 * limit->period;
        limit->counted += sample_counts(limit, elapsed);
        limit->last = seconds_now();
        limit->period = (limit->last - now) / COST > PERIOD ? (limit->last - now) / COST : PERIOD;
    }
    return limit->counted > limit->seconds;
}

void time_limit_restart(struct time_limit *limit)
{
    limit->counted = 0;
    limit->last = seconds_now();
}

/* ---- the alarm ---- */

static pthread_mutex_t alarm_lock = PTHREAD_MUTEX_INITIALIZER;
static struct time_limit alarm_limit;
static pid_t alarm_process; /* that has the thread; a forked child has none */

static void *alarm_main(void *arg)
{
    bool over = false;
    (void)arg;
    while (!over) {
        usleep(100000);
        pthread_mutex_lock(&alarm_lock);
        over = time_limit_exceeded(&alarm_limit);
        if (over)
            alarm_process = 0;
        pthread_mutex_unlock(&alarm_lock);
    }
    kill(getpid(), SIGALRM);
    return NULL;
}

void time_limit_alarm(pid_t root, double seconds)
{
    pthread_t thread;
    sigset_t all, old;
    if (alarm_process != getpid())
        pthread_mutex_init(&alarm_lock, NULL); /* whatever the parent's thread did with it */
    pthread_mutex_lock(&alarm_lock);
    time_limit_end(&alarm_limit);
    time_limit_begin(&alarm_limit, root, seconds);
    pthread_mutex_unlock(&alarm_lock);
    if (alarm_process == getpid())
        return;
    alarm_process = getpid();
    sigfillset(&all); /* it handles none of the program's signals */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, alarm_main, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
