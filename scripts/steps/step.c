/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * step.c - runs a program and single-steps a thread between two SIGUSR1 that the thread sends
 * itself and does not receive. The other threads run. The address of each instruction is
 * written to OUT, as "FILE OFFSET" where the file is that of the mapping. A repeated instruction
 * (rep movsb) counts once.
 *
 * usage: step OUT PROGRAM [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAPPINGS 1000
#define STEPS    2000000

struct mapping {
    uintptr_t begin, end, offset;
    char file[256];
};

static struct mapping mappings[MAPPINGS];
static int mapping_count;
static uintptr_t steps[STEPS];
static size_t step_count;

static void mappings_read(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *in = fopen(path, "r");
    mapping_count = 0;
    while (in && mapping_count < MAPPINGS && fgets(line, sizeof line, in)) {
        struct mapping *m = &mappings[mapping_count];
        char right;
        if (sscanf(line, "%lx-%lx %*c%*c%c%*c %lx %*s %*s %255s", &m->begin, &m->end, &right,
                   &m->offset, m->file) == 5 &&
            right == 'x' && m->file[0] == '/')
            mapping_count++;
    }
    if (in)
        fclose(in);
}

static void step_print(FILE *out, uintptr_t at)
{
    for (int i = 0; i < mapping_count; i++)
        if (mappings[i].begin <= at && at < mappings[i].end) {
            fprintf(out, "%s %lx\n", mappings[i].file, at - mappings[i].begin + mappings[i].offset);
            return;
        }
    fprintf(out, "- 0\n");
}

static void step_note(pid_t pid)
{
    struct user_regs_struct regs;
    struct iovec room = { &regs, sizeof regs };
    if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &room) != 0)
        return;
#if defined(__x86_64__)
    uintptr_t at = regs.rip;
#else
    uintptr_t at = regs.pc;
#endif
    if (step_count < STEPS && (step_count == 0 || steps[step_count - 1] != at))
        steps[step_count++] = at;
}

/* Stops that are no signal of the program: steps, new threads, exec. */
static bool step_is_own(int status)
{
    return WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP;
}

/* Returns the exit status of the program. */
static int step_program(pid_t program, const char *path)
{
    pid_t stepped = 0;
    bool done = false, set = false;
    int status;
    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0)
            return 1;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == program)
                break;
            continue;
        }
        if (!set)
            ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE);
        set = true;
        int pass = step_is_own(status) ? 0 : WSTOPSIG(status);
        if (pass == SIGUSR1 && !done) {
            done = stepped == pid;
            stepped = done ? 0 : pid;
            mappings_read(pid);
            pass = 0;
        }
        if (stepped == pid)
            step_note(pid);
        ptrace(stepped == pid ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, 0, (void *)(intptr_t)pass);
    }
    FILE *out = done ? fopen(path, "w") : NULL;
    for (size_t i = 0; out && i < step_count; i++)
        step_print(out, steps[i]);
    if (out && fclose(out) != 0)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: step OUT PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    return step_program(pid, argv[1]);
}
