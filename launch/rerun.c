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

#include "base/clock.h"
#include "base/diag.h"
#include "base/procfs.h"
#include "hlrc/checkpoint/checkpoint_manifest.h"
#include "launch/hosts.h"
#include "launch/partner_hosts.h"
#include "launch/process.h"

#define VARIABLE "HLRC_RERUN"
#define RESIZED  "HLRC_RESIZED"
#define LOST     "HLRC_LOST"

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
    char **copy = calloc(count + 3, sizeof *copy); /* room for the variables */

    if (copy != NULL)
        memcpy(copy, environ, count * sizeof *copy);
    return copy;
}

static void rerun_descriptors_keep(const struct rerun *rerun, int flags)
{
    if (rerun->partner.fd >= 0)
        fcntl(rerun->partner.fd, F_SETFD, flags);
    if (rerun->guard.pid > 0)
        fcntl(rerun->guard.fd, F_SETFD, flags);
}

static void rerun_variable_read(struct rerun *rerun, const char *value)
{
    char *end;
    uint64_t bits = strtoull(value, &end, 16);
    const char *root = strchr(end, '/');

    sigemptyset(&rerun->mask);
    for (int sig = 1; sig <= SIGNALS; sig++)
        if (bits >> (sig - 1) & 1)
            sigaddset(&rerun->mask, sig);
    if (root == NULL)
        return;
    snprintf(rerun->partner.root, sizeof rerun->partner.root, "%s", root);
    rerun->partner.fd = (int)strtol(end, &end, 10);
    rerun->guard.pid = (pid_t)strtol(end, &end, 10);
    rerun->guard.fd = (int)strtol(end, NULL, 10);
    rerun_descriptors_keep(rerun, FD_CLOEXEC);
}

static void rerun_resized_read(struct rerun *rerun)
{
    const char *value = getenv(RESIZED);

    if (value != NULL &&
        sscanf(value, "%d %" SCNd64, &rerun->resize.from, &rerun->resize.begun) != 2)
        rerun->resize.from = 0;
    unsetenv(RESIZED);
}

void rerun_begin(struct rerun *rerun)
{
    const char *value = getenv(VARIABLE);

    *rerun = (struct rerun){ .again = value != NULL };
    if (value != NULL)
        rerun_variable_read(rerun, value);
    unsetenv(VARIABLE);
    rerun_resized_read(rerun);
    if (getenv(LOST) != NULL)
        (void)hosts_lose(getenv(LOST));
    unsetenv(LOST);
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

/* The nodes' options of a saved job are in the environment: its manifest is not read again. */
static int rerun_start_on_hosts(struct rerun *rerun, const struct config *cfg, char *err,
                                size_t errlen)
{
    rerun->environment = rerun_environment_copy();
    if (rerun->partner.root[0] != '\0')
        return 0;
    rerun->partner.fd = -1;
    return partner_hosts_name(rerun->partner.root, cfg->partner, err, errlen);
}

int rerun_start(struct rerun *rerun, const struct config *cfg, char *err, size_t errlen)
{
    const char *dir;

    /* the nodes refuse a directory that has others, so they are of this job after a restart */
    rerun->newest = rerun->again ? 0 : rerun_newest(cfg, &dir);
    if (cfg->partner[0] == '\0')
        return 0;
    if (hosts_given(cfg))
        return rerun_start_on_hosts(rerun, cfg, err, errlen);
    int ret = rerun->partner.root[0] != '\0'
                  ? 0
                  : partner_make(&rerun->partner, cfg->partner, err, errlen);
    if (ret == 0 && setenv("HLRC_PARTNER", rerun->partner.root, 1) < 0) {
        snprintf(err, errlen, "out of memory");
        ret = -ENOMEM;
    }
    return ret;
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

static bool rerun_is_memory(const struct rerun *rerun, const char *dir)
{
    size_t root = strlen(rerun->partner.root);

    return root > 0 && strncmp(dir, rerun->partner.root, root) == 0;
}

/* The newest checkpoint of the job on a disk, and its directory; 0: none. */
static uint32_t rerun_checkpoint(const struct rerun *rerun, const struct config *cfg,
                                 const char **dir)
{
    uint32_t newest = rerun_newest(cfg, dir);

    if (newest > rerun->newest)
        return newest;
    if (cfg->restart[0] == '\0' || rerun_is_memory(rerun, cfg->restart))
        return 0;
    *dir = cfg->restart;
    return checkpoint_manifest_newest(cfg->restart);
}

/* Waits until no process of the job is left. */
static bool rerun_processes_end(const struct rerun *rerun)
{
    pid_t self = getpid();

    for (int ms = 0; ms < RERUN_END_MS; ms += RERUN_LOOK_MS) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (process_sweep(&self, 1, false, rerun->guard.pid, SIGKILL) == 0)
            return true;
        poll(NULL, 0, RERUN_LOOK_MS);
    }
    return false;
}

static char *rerun_variable_make(const struct rerun *rerun, const sigset_t *mask)
{
    static char variable[sizeof VARIABLE + SIGNALS / 4 + CONFIG_TEXT_MAX + 48];
    uint64_t bits = 0;

    for (int sig = 1; sig <= SIGNALS; sig++)
        if (sigismember(mask, sig) == 1)
            bits |= UINT64_C(1) << (sig - 1);
    int len = snprintf(variable, sizeof variable, VARIABLE "=%" PRIx64, bits);
    if (rerun->partner.root[0] != '\0') {
        snprintf(variable + len, sizeof variable - (size_t)len, " %d %d %d %s", rerun->partner.fd,
                 (int)rerun->guard.pid, rerun->guard.fd, rerun->partner.root);
        rerun_descriptors_keep(rerun, 0);
    }
    return variable;
}

/* The next job. */
struct rerun_plan {
    const char *dir; /* with the checkpoint */
    int nodes, restarts, timeout;
    const char *variable; /* a further one; NULL: none */
};

/* The command line with further options after the others, which override them. The nodes start in
 * the directory in which they started before. */
static char **rerun_command_make(const struct command_line *line, const struct rerun_plan *plan)
{
    static char option[6][CONFIG_TEXT_MAX + 16], here[PATH_MAX];
    const struct config *cfg = &line->config;
    size_t count = rerun_words(line->argv), end = (size_t)line->options.end, more = 4;
    char **argv = calloc(count + sizeof option / sizeof *option + 1, sizeof *argv);

    if (argv == NULL || getcwd(here, sizeof here) == NULL || strlen(here) >= CONFIG_TEXT_MAX)
        return NULL;
    (void)snprintf(option[0], sizeof option[0], "--wdir=%.*s", CONFIG_TEXT_MAX,
                   cfg->wdir[0] != '\0' ? cfg->wdir : here); /* on other hosts; here */
    (void)snprintf(option[1], sizeof option[1], "--restart=%s", plan->dir);
    (void)snprintf(option[2], sizeof option[2], "--checkpoint=%s", cfg->checkpoint);
    (void)snprintf(option[3], sizeof option[3], "--nodes=%d", plan->nodes);
    if (cfg->source[CONFIG_ID_restarts] != CONFIG_DEFAULT)
        (void)snprintf(option[more++], sizeof *option, "--restarts=%d", plan->restarts);
    if (plan->timeout > 0)
        (void)snprintf(option[more++], sizeof *option, "--timeout=%d", plan->timeout);
    memcpy(argv, line->argv, end * sizeof *argv);
    for (size_t i = 0; i < more; i++)
        argv[end + i] = option[i];
    memcpy(argv + end + more, line->argv + end, (count - end) * sizeof *argv);
    return argv;
}

/* Returns only if that fails. */
static void rerun_execute(const struct rerun *rerun, const struct command_line *line,
                          const struct spawn *spawn, const struct rerun_plan *plan)
{
    char self[PATH_MAX];
    char **argv = rerun_command_make(line, plan);

    if (argv == NULL || rerun->environment == NULL || rerun->directory < 0 ||
        procfs_program(self, sizeof self) <= 0) {
        errno = ENOMEM;
        return;
    }
    if (fchdir(rerun->directory) < 0)
        return;
    size_t words = rerun_words(rerun->environment);
    rerun->environment[words] = rerun_variable_make(rerun, &spawn->mask);
    rerun->environment[words + 1] = (char *)(uintptr_t)plan->variable;
    setrlimit(RLIMIT_NOFILE, &spawn->files);
    sigaction(SIGPIPE, &spawn->pipe_action, NULL);
    execve(self, argv, rerun->environment);
}

/* The checkpoint from which the job continues; otherwise 0 after one line. */
static uint32_t rerun_choose(const struct rerun *rerun, const struct config *cfg,
                             const struct hosts_loss *loss, const char **dir)
{
    static char memory[PATH_MAX];
    uint32_t lost = 0, node = 0, newest = rerun_checkpoint(rerun, cfg, dir), number = 0;

    if (rerun->partner.root[0] != '\0')
        number = partner_newest(&rerun->partner, cfg->nodes, memory, sizeof memory, &lost, &node);
    if (number > newest) {
        *dir = memory;
        return number;
    }
    if (lost > newest) {
        char disk[PATH_MAX + 80] = "no checkpoint is on a disk";

        if (newest > 0)
            snprintf(disk, sizeof disk,
                     "checkpoint %" PRIu32 " is the newest: hlrcrun --restart %s", newest, *dir);
        fprintf(stderr,
                "hlrcrun: not continued: checkpoint %" PRIu32
                " in memory is lost, since no copy of node %" PRIu32 " is left; %s\n",
                lost, node, disk);
        return 0;
    }
    if (newest == 0)
        fprintf(stderr, "hlrcrun: not continued: %s%sno checkpoint of this job is complete\n",
                loss->nodes ? loss->text : "", loss->nodes ? "; " : "");
    return newest;
}

/* Why a job with a checkpoint is not continued; NULL: it is. */
static const char *rerun_refusal(const struct config *cfg, const struct hosts_loss *loss,
                                 bool ended)
{
    if (loss->nodes && !loss->placed)
        return loss->text;
    if (cfg->restarts == 0)
        return "no restart is left";
    return ended ? NULL : "a process of the job does not end";
}

/* The variable with the hosts that are lost; NULL: none. */
static char *rerun_lost_make(const struct hosts_loss *loss)
{
    static char lost[sizeof LOST + CONFIG_TEXT_MAX];

    if (loss->names[0] != '\0' && !hosts_lose(loss->names))
        fprintf(stderr, "hlrcrun: too many hosts are lost; some are tried again\n");
    snprintf(lost, sizeof lost, LOST "=%s", hosts_lost());
    return hosts_lost()[0] != '\0' ? lost : NULL;
}

/* On several hosts the nodes choose the checkpoint. Returns if the job is not continued. */
static void rerun_try_on_hosts(const struct rerun *rerun, const struct command_line *line,
                               const struct job *job)
{
    const struct config *cfg = &line->config;
    const struct hosts_loss *loss = &job->loss;
    const char *dir = "", *refusal = rerun_refusal(cfg, loss, rerun_processes_end(rerun));
    uint32_t newest = rerun_checkpoint(rerun, cfg, &dir);

    if (refusal && newest > 0)
        fprintf(stderr,
                "hlrcrun: not continued: %s; checkpoint %" PRIu32
                " is the newest on a disk: hlrcrun --restart %s\n",
                refusal, newest, dir);
    else if (refusal)
        fprintf(stderr, "hlrcrun: not continued: %s; no checkpoint is on a disk\n", refusal);
    if (refusal)
        return;
    fprintf(stderr,
            "hlrcrun: continues from the newest checkpoint in memory; restarts left: %d%s%s\n",
            cfg->restarts - 1, loss->nodes ? "; " : "", loss->nodes ? loss->text : "");
    fflush(NULL);
    rerun_execute(rerun, line, &job->spawn,
                  &(struct rerun_plan){ rerun->partner.root, cfg->nodes, cfg->restarts - 1, 0,
                                        rerun_lost_make(loss) });
    fprintf(stderr, "hlrcrun: cannot continue: %s\n", strerror(errno));
}

/* Returns if the job is not continued. */
static void rerun_try(const struct rerun *rerun, const struct command_line *line,
                      const struct job *job)
{
    char disk[PATH_MAX + 40] = "";
    const struct config *cfg = &line->config;
    const struct hosts_loss *loss = &job->loss;
    const char *dir = "";
    bool ended = rerun_processes_end(rerun);
    uint32_t newest = rerun_choose(rerun, cfg, loss, &dir);
    bool memory = rerun_is_memory(rerun, dir);
    const char *refusal = rerun_refusal(cfg, loss, ended);

    if (newest == 0)
        return;
    if (!memory)
        snprintf(disk, sizeof disk, ": hlrcrun --restart %s", dir);
    if (refusal) {
        fprintf(stderr, "hlrcrun: not continued: %s; checkpoint %" PRIu32 " is the newest%s\n",
                refusal, newest, disk);
        return;
    }
    fprintf(stderr, "hlrcrun: continues from checkpoint %" PRIu32 " in %s; restarts left: %d%s%s\n",
            newest, memory ? "memory" : dir, cfg->restarts - 1, loss->nodes ? "; " : "",
            loss->nodes ? loss->text : "");
    fflush(NULL);
    rerun_execute(rerun, line, &job->spawn,
                  &(struct rerun_plan){ dir, cfg->nodes, cfg->restarts - 1, 0,
                                        rerun_lost_make(loss) });
    fprintf(stderr, "hlrcrun: cannot continue: %s\n", strerror(errno));
}

/* ---- another number of nodes ---- */

/* The part of --timeout that is left; 0: there is none. */
static int rerun_timeout_left(const struct job *job)
{
    int64_t left = job->look.timeout_at - clock_ms();

    if (job->config->timeout == 0 || hosts_given(job->config)) /* there the nodes count */
        return 0;
    return left < 1000 ? 1 : (int)(left / 1000);
}

/* Returns only if that fails. The checkpoints in memory are of the number before. */
static void rerun_resize(struct rerun *rerun, const struct command_line *line, struct job *job,
                         int nodes, bool back)
{
    static char resized[sizeof RESIZED + 48];
    const struct config *cfg = &line->config;
    const char *dir = "";
    bool ended = rerun_processes_end(rerun);
    uint32_t newest = rerun_checkpoint(rerun, cfg, &dir);

    partner_end(&rerun->partner);
    if (job->guard.pid > 0)
        guard_dismiss(&job->guard);
    snprintf(resized, sizeof resized, RESIZED "=%d %" PRId64, cfg->nodes, job->resize.begun);
    errno = newest == 0 ? ENOENT : EBUSY;
    if (back)
        fprintf(stderr,
                "hlrcrun: not resized from %d to %d nodes: the job fails with that number; it "
                "continues\n",
                nodes, cfg->nodes);
    fflush(NULL);
    if (ended && newest > 0)
        rerun_execute(rerun, line, &job->spawn,
                      &(struct rerun_plan){ dir, nodes, cfg->restarts, rerun_timeout_left(job),
                                            back               ? NULL
                                            : hosts_given(cfg) ? rerun_lost_make(&job->loss)
                                                               : resized });
    fprintf(stderr, "hlrcrun: cannot continue with %d nodes: %s; later: hlrcrun --restart %s\n",
            nodes, strerror(errno), dir);
}

static bool rerun_is_death(const struct job *job, int status)
{
    return (job->death != 0 && status == 128 + job->death) || job->loss.nodes;
}

int rerun_proceed(struct rerun *rerun, const struct command_line *line, struct job *job, int status)
{
    rerun->guard = job->guard;
    if (job->resize.saved && status == STATUS_CONTINUE && !rerun_user_ended(job))
        rerun_resize(rerun, line, job, job->resize.wanted, false);
    else if (job->resize.from > 0 && !job->resize.restored && status != 0 && !rerun_user_ended(job))
        rerun_resize(rerun, line, job, job->resize.from, true);
    else if (line->config.source[CONFIG_ID_restarts] != CONFIG_DEFAULT &&
             rerun_is_death(job, status) && !rerun_user_ended(job)) {
        if (partner_is_on_hosts(rerun->partner.root))
            rerun_try_on_hosts(rerun, line, job);
        else
            rerun_try(rerun, line, job);
    }
    partner_end(&rerun->partner);
    if (job->guard.pid > 0)
        guard_dismiss(&job->guard);
    return status;
}
