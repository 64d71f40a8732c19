/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Children that do not call exec: they find the memory of the moment of their fork, store to it and
 * allocate, and neither process sees what the other stores. The argument selects more memory than
 * is copied. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
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

/* Ends by its own error. */
static void *crashes(void *arg)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_DUMPABLE, 0);
        if (arg)
            abort();
        *(volatile int *)arg = 1;
    }
    waitpid(pid, &status, 0);
    printf("ended by %d\n", WTERMSIG(status));
    return arg;
}

static int end_of(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* Other ways to start one, and calls for it. */
static void *starts(void *arg)
{
    char text[40] = "", *args[] = { "sh", "-c", "exit 7", NULL };
    int master, folder = open("/bin", O_RDONLY | O_DIRECTORY);
    struct dirent **list = NULL;
    pid_t pid = forkpty(&master, NULL, NULL, NULL);
    if (pid == 0)
        _exit(write(1, isatty(1) ? "terminal" : "nothing.", 8) == 8 ? 5 : 1);
    printf("forkpty %d", read(master, text, 8) == 8);
    printf(" %s %d", text, end_of(pid));
    pid = _Fork();
    if (pid == 0)
        _exit(6);
    printf(", _Fork %d", end_of(pid));
    pid = fork();
    if (pid == 0)
        execveat(folder, "sh", args, environ, 0);
    printf(", execveat %d", end_of(pid));
    pid = fork();
    if (pid == 0)
        _exit(pause());
    int fd = pidfd_open(pid, 0);
    printf(", pidfd %d", pidfd_send_signal(fd, SIGKILL, NULL, 0));
    printf(" %d", end_of(pid));
    int count = scandirat(folder, "../etc", &list, NULL, alphasort);
    printf(", scandirat %d %s\n", count > 2, count > 0 ? list[0]->d_name : "");
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
    close(master);
    close(folder);
    close(fd);
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
        run_everywhere(starts);
        run_everywhere(crashes);
        crashes(NULL);
    }
    return 0;
}
