/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * children.c - processes that the program starts, and exec: node 0 does both (delegate.h). The
 * system reads arguments and environment, which may be inaccessible shared memory, so they are
 * copied.
 *
 * exec cannot replace node 0, where the job's other nodes have their memory. So the new program
 * runs as a child, and the job ends with its status. A child of vfork has node 0's memory, but is
 * another process, which exec replaces.
 */
#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <limits.h>
#include <pty.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <utmp.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/fork.h"
#include "compat/start/heap.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* ---- private copies ---- */

static void children_free(char **texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        free(texts[i]);
    free(texts);
}

static char **children_copy(char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(texts[i]))) {
            children_free(copy);
            copy = NULL;
        }
    return copy;
}

typedef int children_spawn_fn(pid_t *pid, const char *path,
                              const posix_spawn_file_actions_t *actions,
                              const posix_spawnattr_t *attributes, char *const *argv,
                              char *const *envp);

static int children_spawn(children_spawn_fn *spawn, pid_t *out, const char *path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const *argv, char *const *envp)
{
    char **args = children_copy(argv), **env = children_copy(envp ? envp : environ);
    char *program = strdup(path);
    pid_t pid = -1;
    int rc = args && env && program ? spawn(&pid, program, actions, attributes, args, env) : ENOMEM;
    children_free(args);
    children_free(env);
    free(program);
    if (rc == 0 && out)
        *out = pid;
    return rc;
}

/* ---- children ---- */

#define SPAWN(name)                                                                             \
    HERE(int, name,                                                                             \
         (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,             \
          const posix_spawnattr_t *attributes, char *const *argv, char *const *envp),           \
         (pid, path, actions, attributes, argv, envp),                                          \
         WORDS((long)pid, (long)path, (long)actions, (long)attributes, (long)argv, (long)envp)) \
    {                                                                                           \
        return children_spawn(name, pid, path, actions, attributes, argv, envp);                \
    }
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

HERE(int, system, (const char *command), (command), WORDS((long)command))
{
    char *mine = command ? strdup(command) : NULL;
    int status = command && !mine ? -1 : system(mine);
    int error = errno;
    free(mine);
    errno = error;
    return status;
}

HERE(FILE *, popen, (const char *command, const char *mode), (command, mode),
     WORDS((long)command, (long)mode))
{
    char *mine = strdup(command);
    FILE *file = mine ? popen(mine, mode) : NULL;
    int error = errno;
    free(mine);
    errno = error;
    return file;
}

/* ---- fork ---- */

/* On the stack of the calling thread, which continues in the child from here, too. */
struct children_fork {
    ucontext_t context;
    char *from, *top;
    void *variables; /* copies of its thread-local ones, in shared memory */
    bool in_child;
};

/* By node 0. The child becomes the caller: it is the proxy's thread, on the caller's stack, with
 * its values of thread-local variables. */
static pid_t children_fork_for(struct children_fork *f)
{
    if (f->variables)
        memcpy(image_tls(), f->variables, start_image.tls_bytes);
    pid_t pid = fork_for(f->from, f->top);
    if (pid == 0) {
        f->in_child = true;
        (void)setcontext(&f->context);
    }
    return pid;
}

pid_t __wrap_fork(void)
{
    struct children_fork f;
    if (!start_away || !lane_is_shared(__builtin_frame_address(0)))
        return fork_here();
    f.from =
        (char *)__builtin_frame_address(0) < (char *)&f ? __builtin_frame_address(0) : (char *)&f;
    f.top = lane_current->shared_top;
    f.in_child = false;
    f.variables = start_image.tls_bytes > 0 ? heap_malloc(start_image.tls_bytes) : NULL;
    if (f.variables)
        memcpy(f.variables, image_tls(), start_image.tls_bytes);
    else if (start_image.tls_bytes > 0)
        return -1;
    if (getcontext(&f.context) != 0)
        return -1;
    if (*(volatile bool *)&f.in_child)
        return 0;
    pid_t pid = (pid_t)DELEGATE(children_fork_for, (long)&f);
    int error = errno;
    heap_free(f.variables);
    errno = error;
    return pid;
}

pid_t __wrap__Fork(void) __attribute__((alias("__wrap_fork")));

static void children_close(int fd)
{
    (void)(start_away ? DELEGATE(close, fd) : close(fd));
}

pid_t __wrap_forkpty(int *out, char *name, const struct termios *t, const struct winsize *size)
{
    int master, slave;
    if (!start_sharing)
        return forkpty(out, name, t, size);
    if (start_away
            ? (int)DELEGATE(openpty, (long)&master, (long)&slave, (long)name, (long)t, (long)size)
            : openpty(&master, &slave, name, t, size))
        return -1;
    pid_t pid = __wrap_fork();
    if (pid == 0) {
        close(master);
        if (login_tty(slave) != 0)
            _exit(1);
        return 0;
    }
    if (pid > 0)
        *out = master;
    else
        children_close(master);
    children_close(slave);
    return pid;
}

/* ---- exec ---- */

struct children_exec {
    children_spawn_fn *spawn;
    const char *path;
    char *const *argv;
    char *const *envp;
};

static void children_leave_job(void *status)
{
    hlrc_exit(*(int *)status);
}

static pid_t own_process; /* that of this node */

/* By a child of vfork. */
static int children_replace(const struct children_exec *e)
{
    char **args = children_copy(e->argv), **env = children_copy(e->envp ? e->envp : environ);
    char *program = strdup(e->path);
    if (args && env && program && e->spawn == posix_spawnp)
        (void)execvpe(program, args, env);
    else if (args && env && program)
        (void)execve(program, args, env);
    int error = errno;
    children_free(args);
    children_free(env);
    free(program);
    errno = error;
    return -1;
}

/* By node 0. Returns only if the program cannot be executed. */
static int children_execute(const struct children_exec *e)
{
    int status = 0;
    pid_t pid;
    if (getpid() != own_process)
        return children_replace(e);
    int rc = children_spawn(e->spawn, &pid, e->path, NULL, NULL, e->argv, e->envp);
    if (rc) {
        errno = rc;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    lane_call(children_leave_job, &code);
    return -1;
}

static int children_exec(children_spawn_fn *spawn, const char *path, char *const *argv,
                         char *const *envp)
{
    struct children_exec e = { spawn, path, argv, envp };
    return start_away ? (int)DELEGATE(children_execute, (long)&e) : children_execute(&e);
}

int __wrap_execve(const char *path, char *const argv[], char *const envp[])
{
    return start_sharing ? children_exec(posix_spawn, path, argv, envp) : execve(path, argv, envp);
}

int __wrap_execv(const char *path, char *const argv[])
{
    return start_sharing ? children_exec(posix_spawn, path, argv, NULL) : execv(path, argv);
}

int __wrap_execvp(const char *file, char *const argv[])
{
    return start_sharing ? children_exec(posix_spawnp, file, argv, NULL) : execvp(file, argv);
}

int __wrap_execvpe(const char *file, char *const argv[], char *const envp[])
{
    return start_sharing ? children_exec(posix_spawnp, file, argv, envp)
                         : execvpe(file, argv, envp);
}

/* The number of arguments from `first` up to a null pointer. */
static size_t children_count(const char *first, va_list args)
{
    size_t count = 0;
    va_list copy;
    va_copy(copy, args);
    for (const char *arg = first; arg; arg = va_arg(copy, const char *))
        count++;
    va_end(copy);
    return count;
}

/* Stores them with the null pointer. */
static void children_gather(char **argv, const char *first, size_t count, va_list *args)
{
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= count; i++)
        argv[i] = va_arg(*args, char *);
}

#define EXEC_LIST(name, execute)                                \
    int __wrap_##name(const char *path, const char *first, ...) \
    {                                                           \
        va_list args;                                           \
        va_start(args, first);                                  \
        size_t count = children_count(first, args);             \
        char **argv = heap_calloc(count + 1, sizeof *argv);     \
        if (!argv)                                              \
            return -1;                                          \
        children_gather(argv, first, count, &args);             \
        int rc = __wrap_##execute;                              \
        va_end(args);                                           \
        heap_free(argv);                                        \
        return rc;                                              \
    }
EXEC_LIST(execl, execv(path, argv))
EXEC_LIST(execlp, execvp(path, argv))
EXEC_LIST(execle, execve(path, argv, va_arg(args, char **)))

int __wrap_fexecve(int fd, char *const argv[], char *const envp[])
{
    char path[32];
    if (!start_sharing)
        return fexecve(fd, argv, envp);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return children_exec(posix_spawn, path, argv, envp);
}

int __wrap_execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
    char full[PATH_MAX];
    if (!start_sharing)
        return execveat(dir, path, argv, envp, flags);
    if ((flags & AT_EMPTY_PATH) && !*path)
        return __wrap_fexecve(dir, argv, envp);
    if (*path == '/' || dir == AT_FDCWD)
        return __wrap_execve(path, argv, envp);
    if (snprintf(full, sizeof full, "/proc/self/fd/%d/%s", dir, path) >= (int)sizeof full) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return __wrap_execve(full, argv, envp);
}

/* ---- start ---- */

static void children_begin(void)
{
    own_process = getpid();
}

__attribute__((constructor)) static void children_at_start(void)
{
    start_at_begin(children_begin);
}
