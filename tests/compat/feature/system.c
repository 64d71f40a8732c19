/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of the C library that ask the system, with buffers on the stack, the heap and in .bss, from
 * every thread, behind releases that may have closed the pages. */
#define _GNU_SOURCE
#include <langinfo.h>
#include <locale.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static char name[8][300];
static struct timeval now[8];

static int ask(int me)
{
    int wrong = 0;
    char host[200], buffer[64], *heap = malloc(100);
    struct timespec t = { 0, 1000 };
    struct rusage usage;
    cpu_set_t set;
    struct tm parts;
    time_t seconds = time(NULL);

    wrong += gethostname(host, sizeof host) != 0 || strlen(host) == 0;
    wrong += gethostname(name[me], sizeof name[me]) != 0 || strcmp(name[me], host) != 0;
    wrong += gethostname(heap, 100) != 0 || strcmp(heap, host) != 0;
    wrong += sysconf(_SC_NPROCESSORS_ONLN) < 1 || sysconf(_SC_PAGESIZE) != 4096;
    wrong += gettimeofday(&now[me], NULL) != 0 || now[me].tv_sec < 1000000;
    wrong += nanosleep(&t, NULL) != 0 || usleep(10) != 0;
    wrong += getrusage(RUSAGE_SELF, &usage) != 0;
    wrong += sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1;
    wrong += localtime_r(&seconds, &parts) == NULL;
    wrong += strftime(buffer, sizeof buffer, "%Y", &parts) != 4;
    wrong += clock() == (clock_t)-1 || getpid() < 2 || getenv("PATH") == NULL;
    free(heap);
    return wrong;
}

/* Variables of the C library, as main has left them. */
static int differs(int round)
{
    char wanted[20];
    int found = 0;
    snprintf(wanted, sizeof wanted, "OF_MAIN=%d", round);
    for (char **e = environ; *e; e++)
        found += strcmp(*e, wanted) == 0;
    return found != 1 || optind != 7 + round ||
           (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) != (round % 2 == 0);
}

static int inherited(void)
{
    int wrong = 0;
    for (int round = 0; round < 4; round++) {
        char text[4];
        snprintf(text, sizeof text, "%d", round);
        setenv("OF_MAIN", text, 1);
        setlocale(LC_ALL, round % 2 ? "C" : "C.UTF-8");
        optind = 7 + round;
#pragma omp parallel reduction(+ : wrong)
        wrong += differs(round);
    }
    return wrong;
}

int main(void)
{
    int wrong = inherited();

#pragma omp parallel reduction(+ : wrong)
    for (int k = 0; k < 6; k++) {
        wrong += ask(omp_get_thread_num() % 8);
#pragma omp barrier
    }
    printf("%d wrong\n", wrong);
    return 0;
}
