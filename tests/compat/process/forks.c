/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children that do not call exec: they find the memory of the moment of their fork, store to it and
 * allocate, and neither process sees what the other stores. The argument selects more memory than
 * is copied. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

#define LARGE ((size_t)80 << 20)

static long variable = 1, *heap, *local;
static char *large;
static int pipes[2][2]; /* to the child, to the parent */

static void tell(int fd)
{
    if (write(fd, "", 1) != 1)
        exit(3);
}

static void await(int fd)
{
    char byte;
    if (read(fd, &byte, 1) != 1)
        exit(4);
}

static void child(void)
{
    await(pipes[0][0]); /* after its parent has stored */
    printf("child finds %ld %ld %ld", variable, heap[0], *local);
    variable = heap[0] = heap[70] = *local = 99;
    char *text = realloc(strcpy(malloc(20), "text"), 5000);
    heap = realloc(heap, 200 * sizeof *heap);
    printf(", has %ld %ld %ld %s", variable, heap[70], heap[1], text);
    free(text);
    free(heap);
    if (large)
        memset(large, 7, LARGE / 2);
    printf(", %d\n", large ? large[LARGE - 1] : 0);
    fflush(stdout);
    tell(pipes[1][1]);
    _exit(9);
}

static void *forks(void *arg)
{
    int status = 0;
    long before = heap[0] + (heap[70] = 0); /* its node has the pages */
    fflush(stdout);
    if (pipe(pipes[0]) || pipe(pipes[1]))
        return NULL;
    pid_t pid = fork();
    if (pid == 0)
        child();
    heap[0]++;
    variable++;
    ++*local;
    tell(pipes[0][1]);
    await(pipes[1][0]);
    printf("parent %d has %ld %ld %ld", waitpid(pid, &status, 0) == pid, heap[0] - before, variable,
           *local);
    printf(", status %d, %d\n", WEXITSTATUS(status), large ? large[0] : 0);
    for (int i = 0; i < 4; i++)
        close(pipes[i / 2][i % 2]);
    return arg;
}

static void *fills(void *arg)
{
    heap[1] += 5;
    return arg;
}

int main(int argc, char **argv)
{
    long on_stack = 1;
    (void)argv;
    local = &on_stack;
    heap = calloc(100, sizeof *heap);
    if (argc > 2 && (large = malloc(LARGE)))
        memset(large, 1, LARGE);
    run_everywhere(fills);
    run_in(forks, NULL);
    if (!large) {
        forks(NULL);
        run_everywhere(forks);
    }
    return 0;
}
