/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/rerun.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procfs.h"
#include "hlrc/checkpoint/checkpoint_manifest.h"
#include "launch/process.h"

#define VARIABLE "HLRC_RERUN"

/* For processes of the job to end after SIGKILL; a large one takes seconds. */
enum { RERUN_END_MS = 30000, RERUN_LOOK_MS = 10, SIGNALS = 64 };

extern char **environ;

/* ---- the start ---- */

static size_t rerun_words(char **words)
{
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    return count;
}

/* A copy: setenv and unsetenv change the array. */
static char **rerun_environment_copy(void)
{
    size_t count = rerun_words(environ) + 1;
    char **copy = calloc(count + 1, sizeof *copy); /* room for the variable */

    if (copy != NULL)
        memcpy(copy, environ, count * sizeof *copy);
    return copy;
}

static void rerun_mask_read(sigset_t *mask, const char *value)
{
    uint64_t bits = strtoull(value, NULL, 16);

    sigemptyset(mask);
    for (int sig = 1; sig <= SIGNALS; sig++)
        if (bits >> (sig - 1) & 1)
            sigaddset(mask, sig);
}

void rerun_begin(struct rerun *rerun)
{
    const char *value = getenv(VARIABLE);

    *rerun = (struct rerun){ .again = value != NULL };
    if (value != NULL)
        rerun_mask_read(&rerun->mask, value);
    unsetenv(VARIABLE);
    rerun->environment = rerun_environment_copy();
    rerun->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static uint32_t rerun_newest(const struct config *cfg, const char **dir)
{
    int64_t seconds;

    if (cfg->checkpoint[0] == '\0' || config_checkpoint(cfg, &seconds, dir) < 0)
        return 0;
    return checkpoint_manifest_newest(*dir);
}

void rerun_start(struct rerun *rerun, const struct config *cfg)
{
    const char *dir;

    rerun->newest = rerun_newest(cfg, &dir);
}

/* ---- the end ---- */

static bool rerun_user_ended(const struct job *job)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (job->user >> ends[i] & 1)
            return true;
    return job->user >> job->death & 1;
}

/* The newest checkpoint of the job, and its directory; 0: none. */
static uint32_t rerun_checkpoint(const struct rerun *rerun, const struct config *cfg,
                                 const char **dir)
{
    uint32_t newest = rerun_newest(cfg, dir);

    if (newest > rerun->newest)
        return newest;
    if (cfg->restart[0] == '\0')
        return 0;
    *dir = cfg->restart;
    return checkpoint_manifest_newest(cfg->restart);
}

/* Waits until no process of the job is left. */
static bool rerun_processes_end(void)
{
    pid_t self = getpid();

    for (int ms = 0; ms < RERUN_END_MS; ms += RERUN_LOOK_MS) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (process_sweep(&self, 1, false, 0, SIGKILL) == 0)
            return true;
        poll(NULL, 0, RERUN_LOOK_MS);
    }
    return false;
}

static char *rerun_mask_variable(const sigset_t *mask)
{
    static char variable[sizeof VARIABLE + 1 + SIGNALS / 4];
    uint64_t bits = 0;

    for (int sig = 1; sig <= SIGNALS; sig++)
        if (sigismember(mask, sig) == 1)
            bits |= UINT64_C(1) << (sig - 1);
    snprintf(variable, sizeof variable, VARIABLE "=%" PRIx64, bits);
    return variable;
}

/* The command line with further options after the others, which override them. The nodes start in
 * the directory in which they started before. */
static char **rerun_command_make(const struct command_line *line, const char *dir)
{
    static char option[4][CONFIG_TEXT_MAX + 16], here[PATH_MAX];
    const struct config *cfg = &line->config;
    size_t count = rerun_words(line->argv), end = (size_t)line->options.end, more = 4;
    char **argv = calloc(count + more + 1, sizeof *argv);

    if (argv == NULL || getcwd(here, sizeof here) == NULL || strlen(here) >= CONFIG_TEXT_MAX)
        return NULL;
    (void)snprintf(option[0], sizeof option[0], "--wdir=%.*s", CONFIG_TEXT_MAX, here);
    (void)snprintf(option[1], sizeof option[1], "--restart=%s", dir);
    (void)snprintf(option[2], sizeof option[2], "--checkpoint=%s", cfg->checkpoint);
    (void)snprintf(option[3], sizeof option[3], "--restarts=%d", cfg->restarts - 1);
    memcpy(argv, line->argv, end * sizeof *argv);
    for (size_t i = 0; i < more; i++)
        argv[end + i] = option[i];
    memcpy(argv + end + more, line->argv + end, (count - end) * sizeof *argv);
    return argv;
}

/* Returns only if that fails. */
static void rerun_execute(const struct rerun *rerun, const struct command_line *line,
                          const struct spawn *spawn, const char *dir)
{
    char self[PATH_MAX];
    char **argv = rerun_command_make(line, dir);

    if (argv == NULL || rerun->environment == NULL || rerun->directory < 0 ||
        procfs_program(self, sizeof self) <= 0) {
        errno = ENOMEM;
        return;
    }
    if (fchdir(rerun->directory) < 0)
        return;
    rerun->environment[rerun_words(rerun->environment)] = rerun_mask_variable(&spawn->mask);
    setrlimit(RLIMIT_NOFILE, &spawn->files);
    sigaction(SIGPIPE, &spawn->pipe_action, NULL);
    execve(self, argv, rerun->environment);
}

int rerun_proceed(const struct rerun *rerun, const struct command_line *line, const struct job *job,
                  int status)
{
    const struct config *cfg = &line->config;
    const char *dir = "";

    if (cfg->source[CONFIG_ID_restarts] == CONFIG_DEFAULT || job->death == 0 ||
        status != 128 + job->death || rerun_user_ended(job))
        return status;
    bool ended = rerun_processes_end();
    uint32_t newest = rerun_checkpoint(rerun, cfg, &dir);
    if (newest == 0) {
        fprintf(stderr, "hlrcrun: not continued: no checkpoint of this job is complete\n");
    } else if (cfg->restarts == 0) {
        fprintf(stderr,
                "hlrcrun: not continued: no restart is left; checkpoint %" PRIu32
                " is the newest: hlrcrun --restart %s\n",
                newest, dir);
    } else if (!ended) {
        fprintf(stderr,
                "hlrcrun: not continued: a process of the job does not end; later: hlrcrun "
                "--restart %s\n",
                dir);
    } else {
        fprintf(stderr, "hlrcrun: continues from checkpoint %" PRIu32 " in %s; restarts left: %d\n",
                newest, dir, cfg->restarts - 1);
        fflush(NULL);
        rerun_execute(rerun, line, &job->spawn, dir);
        fprintf(stderr, "hlrcrun: cannot continue: %s\n", strerror(errno));
    }
    return status;
}
