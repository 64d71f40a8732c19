/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The event loop. node.c handles the events of a node; job.h has the rules.
 */
#include "launch/job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "hlrc/probe/stats.h"
#include "hlrc/report/timeline_tool.h"
#include "launch/debugger.h"
#include "launch/process.h"

/* Each node has fixed slots in the array for poll(), which skips a descriptor of -1. */
enum { SLOT_SIGNAL, SLOT_OUT, SLOT_ERR, SLOT_NODES };
enum { NODE_SOCK, NODE_ENGINE, NODE_OUT, NODE_ERR, NODE_SLOTS };

static void job_nodes_signal(struct job *job, int sig, int spared)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (i != spared && node_alive(&job->nodes[i]))
            node_signal(&job->nodes[i], sig);
}

/* Kills even nodes that are dumping core. */
static void job_nodes_kill(struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++) {
        if (job->nodes[i].engine_fd >= 0)
            process_signal(job->nodes[i].engine_fd, SIGKILL);
        if (!job->nodes[i].ended)
            process_signal(job->nodes[i].pidfd, SIGKILL);
    }
}

/* Prints one line on standard error; line breaks inside it become blanks. */
__attribute__((format(printf, 2, 0))) static void job_line_print(struct job *job, const char *fmt,
                                                                 va_list args)
{
    char line[DIAG_LINE_MAX + 64];
    int len = vsnprintf(line, sizeof line - 1, fmt, args);

    if (len < 0)
        return;
    len = len < (int)sizeof line - 1 ? len : (int)sizeof line - 2;
    for (int i = 0; i < len; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = ' ';
    line[len] = '\n';
    output_sink_put(job->err, line, (size_t)len + 1);
}

void job_say(struct job *job, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    job_line_print(job, fmt, args);
    va_end(args);
}

static bool job_stats_wanted(const struct job *job)
{
    return job->config->stats[0] != '\0' && !job->finished;
}

/* A node learns of it by reading end of file. */
static void job_stats_ask(const struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (job->nodes[i].sock >= 0)
            shutdown(job->nodes[i].sock, SHUT_WR);
}

/* Whether statistics of a node may still arrive. */
static bool job_stats_awaited(const struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++) {
        const struct node *node = &job->nodes[i];

        if (node->sock >= 0 && node->state == NODE_RUNNING && !node->told_last && node_alive(node))
            return true;
    }
    return false;
}

/* Kills all descendants of hlrcrun but its guard (job.h). Returns their number. */
static int job_family_kill(const struct job *job)
{
    pid_t self = getpid();

    return process_sweep(&self, 1, false, job->guard.pid, SIGKILL);
}

/* A node that is reporting a crash or dumping core, or -1. */
static int job_node_awaited(const struct job *job, int64_t now)
{
    int64_t since = now - job->ending_since;

    if (job->hurried)
        return -1;
    for (int i = 0; i < job->config->nodes; i++)
        if (node_alive(&job->nodes[i]) &&
            ((i == job->spared && since < JOB_CRASH_MS) ||
             (since < JOB_DUMP_MS && node_dumping(&job->nodes[i]) != 0)))
            return i;
    return -1;
}

static void job_dump_tell(struct job *job, int index)
{
    pid_t pid = node_dumping(&job->nodes[index]);

    if (pid == 0)
        return;
    job_say(job,
            "hlrcrun: the system writes the core dump of node %d (pid %d): waiting for it, %d "
            "minutes at most; a signal (Ctrl-C) ends the wait",
            index, (int)pid, JOB_DUMP_MS / 60000);
    job->told = true;
}

/* Signals the remaining nodes, then kills them, each as soon as it is due. */
static void job_ending_proceed(struct job *job, int64_t now)
{
    int awaited;

    if (!job->ending || job->killed)
        return;
    if (!job->asked && (now >= job->ask_at || !job_stats_awaited(job))) {
        job->asked = true;
        job->kill_at = now + job->grace_ms;
        job_nodes_signal(job, job->signal, job->spared);
    }
    if (!job->asked || now < job->kill_at)
        return;
    awaited = job_node_awaited(job, now);
    if (awaited >= 0) {
        job_nodes_signal(job, SIGKILL, awaited);
        if (!job->told && now - job->ending_since >= JOB_DUMP_QUIET_MS)
            job_dump_tell(job, awaited);
        job->kill_at = now + JOB_DUMP_LOOK_MS;
        return;
    }
    job_nodes_kill(job);
    job_family_kill(job);
    job->killed = true;
    job->give_up_at = now + JOB_GIVE_UP_MS;
}

/* Sends sig to all other nodes and gives them ms to end. Sets the job's status. */
static void job_ending_begin(struct job *job, int status, int spared, int sig, int64_t ms)
{
    int64_t now = clock_ms();

    output_sink_write(job->err);
    guard_hush(&job->guard);
    job->ending = true;
    job->status = status;
    job->spared = spared;
    job->ending_since = now;
    job->signal = sig;
    job->grace_ms = ms;
    job->ask_at = job_stats_wanted(job) ? now + JOB_TELL_MS : now;
    if (job_stats_wanted(job))
        job_stats_ask(job);
    job_ending_proceed(job, now);
}

static int job_status_of_first(const struct job *job, int status)
{
    return job->status != 0 ? job->status : status;
}

void job_end(struct job *job, int status, int spared, const char *fmt, ...)
{
    va_list args;

    if (job->ending)
        return;
    va_start(args, fmt);
    job_line_print(job, fmt, args);
    va_end(args);
    job_ending_begin(job, job_status_of_first(job, status), spared, SIGTERM, JOB_KILL_MS);
}

void job_quit(struct job *job, int status)
{
    if (!job->ending)
        job_ending_begin(job, job_status_of_first(job, status), -1, SIGTERM, JOB_KILL_MS);
}

/* Passes the user's signal on unchanged. A second one ends the waiting. */
static void job_interrupt(struct job *job, const struct signalfd_siginfo *info)
{
    int sig = (int)info->ssi_signo;

    if (job->ending) {
        job->ask_at = job->grace_ms = job->kill_at = 0;
        job->hurried = true;
        return;
    }
    if (forward_ending(job, info))
        return;
    job_say(job, "hlrcrun: ended by signal %d (%s)", sig, strsignal(sig));
    job_ending_begin(job, 128 + sig, -1, sig, JOB_SIGNAL_MS);
}

static struct node *job_node_by_pid(struct job *job, pid_t pid)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (job->nodes[i].pid == pid && !job->nodes[i].ended)
            return &job->nodes[i];
    return NULL;
}

/* Reaps nodes, the guard if something killed it, and processes that outlived their node. */
static void job_children_reap(struct job *job)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct node *node = job_node_by_pid(job, pid);

        if (node != NULL)
            node_reaped(node, status);
        else if (pid == job->guard.pid)
            job->guard.pid = 0;
    }
    ends_read(&job->ends); /* after reaping, so that none of the reaped is missing */
}

static void job_signals_read(struct job *job)
{
    struct signalfd_siginfo info;

    while (read(job->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        int sig = (int)info.ssi_signo;

        job->user |= UINT64_C(1) << sig;
        if (sig == SIGUSR2 && resize_request(job, &info))
            continue;
        if (sig == SIGUSR1 || sig == SIGUSR2)
            forward_signal(job, sig);
        else if (sig == SIGQUIT)
            look_ask(job, LOOK_USER);
        else if (sig != SIGCHLD)
            job_interrupt(job, &info);
    }
    job_children_reap(job);
}

static void job_engines_check(struct job *job, const struct pollfd *fds)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (fds[SLOT_NODES + i * NODE_SLOTS + NODE_ENGINE].revents != 0)
            node_engine_ended(&job->nodes[i]);
}

static void job_ended_judge(struct job *job, bool signalled, int64_t now)
{
    for (int k = 0; k < job->ends.count && !job->ending; k++) {
        int i = job->ends.order[k];

        if (job->nodes[i].ended && job->nodes[i].signalled == signalled) {
            node_receive(job, i);
            node_judge(job, i, now);
        }
    }
}

/* Signals before exits, then all nodes, since a wrapper may outlive its program. */
static void job_nodes_judge(struct job *job)
{
    int64_t now = clock_ms();

    job_ended_judge(job, true, now);
    job_ended_judge(job, false, now);
    for (int i = 0; i < job->config->nodes && !job->ending; i++) {
        if (!node_alive(&job->nodes[i]))
            node_receive(job, i);
        node_judge(job, i, now);
    }
}

static void job_sockets_handle(struct job *job, const struct pollfd *fds)
{
    for (int i = 0; i < job->config->nodes; i++) {
        short events = fds[SLOT_NODES + i * NODE_SLOTS + NODE_SOCK].revents;

        if (events & POLLOUT && job->nodes[i].sock >= 0)
            exchange_send(&job->exchange, i, job->nodes[i].sock);
        if (events & ~POLLOUT)
            node_receive(job, i);
    }
}

static void job_outputs_handle(struct job *job, const struct pollfd *fds)
{
    for (int i = 0; i < job->config->nodes; i++)
        for (int k = 0; k < 2; k++)
            if (fds[SLOT_NODES + i * NODE_SLOTS + NODE_OUT + k].revents != 0)
                output_stream_read(&job->nodes[i].output[k]);
    output_sink_write(&job->out);
    if (job->err != &job->out)
        output_sink_write(job->err);
    if (job->out.error != 0)
        job_end(job, job->out.error == EPIPE ? 128 + SIGPIPE : 1, -1,
                "hlrcrun: standard output: %s; ending the job", strerror(job->out.error));
}

static void job_poll_fill(struct job *job, struct pollfd *fds)
{
    fds[SLOT_SIGNAL] = (struct pollfd){ .fd = job->signal_fd, .events = POLLIN };
    fds[SLOT_OUT] = (struct pollfd){ .fd = output_sink_pending(&job->out) ? job->out.fd : -1,
                                     .events = POLLOUT };
    fds[SLOT_ERR] = (struct pollfd){ .fd = output_sink_pending(job->err) ? job->err->fd : -1,
                                     .events = POLLOUT };
    for (int i = 0; i < job->config->nodes; i++) {
        struct node *node = &job->nodes[i];
        struct pollfd *at = &fds[SLOT_NODES + i * NODE_SLOTS];
        short events = exchange_reading(&job->exchange, i) ? POLLIN | POLLOUT : POLLIN;

        at[NODE_SOCK] = (struct pollfd){ .fd = node->sock, .events = events };
        at[NODE_ENGINE] =
            (struct pollfd){ .fd = node->engine_fd >= 0 ? node->engine_fd : -1, .events = POLLIN };
        for (int k = 0; k < 2; k++) {
            struct output_stream *stream = &node->output[k];

            at[NODE_OUT + k] =
                (struct pollfd){ .fd = output_sink_full(stream->sink) ? -1 : stream->fd,
                                 .events = POLLIN };
        }
    }
}

static int64_t job_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Milliseconds until the next event is due, or -1. */
static int job_poll_timeout(const struct job *job, int64_t now)
{
    int64_t due = job_earlier(job->progress.next_at, look_due(job));

    if (job->ending)
        due = job_earlier(due, job->killed  ? job->give_up_at
                               : job->asked ? job->kill_at
                                            : job->ask_at);
    for (int i = 0; i < job->config->nodes; i++)
        if (job->nodes[i].lost_at != 0)
            due = job_earlier(due, job->nodes[i].lost_at + JOB_WRAPPER_MS);
    if (due == INT64_MAX)
        return -1;
    return due <= now ? 0 : due - now < 60000 ? (int)(due - now) : 60000;
}

static void job_progress_update(struct job *job, int64_t now)
{
    struct boot_counters total = { 0 };

    if (now < job->progress.next_at)
        return;
    for (int i = 0; i < job->config->nodes; i++) {
        const struct boot_counters *counters = &job->nodes[i].counters;

        total.faults += counters->faults;
        total.bytes += counters->bytes;
        if (counters->barriers > total.barriers)
            total.barriers = counters->barriers;
    }
    progress_show(&job->progress, &total, now, job->err);
}

static bool job_nodes_alive(const struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (node_alive(&job->nodes[i]))
            return true;
    return false;
}

static void job_loop(struct job *job, struct pollfd *fds)
{
    nfds_t count = (nfds_t)(SLOT_NODES + job->config->nodes * NODE_SLOTS);

    while (job_nodes_alive(job)) {
        int64_t now = clock_ms();

        if (job->killed && now >= job->give_up_at)
            return;
        job_ending_proceed(job, now);
        job_progress_update(job, now);
        look_proceed(job, now);
        job_poll_fill(job, fds);
        if (poll(fds, count, job_poll_timeout(job, clock_ms())) < 0)
            continue;
        job_signals_read(job);
        job_engines_check(job, fds);
        job_nodes_judge(job);
        job_sockets_handle(job, fds);
        job_nodes_judge(job);
        job_outputs_handle(job, fds);
    }
}

/* Reads the nodes' last output from their pipes. A failed job does not wait for a reader that has
 * stopped. */
static void job_outputs_finish(struct job *job, struct pollfd *fds)
{
    int64_t until = job->killed ? job->give_up_at : clock_ms() + JOB_GIVE_UP_MS;
    bool more = true;

    for (int i = 0; i < job->config->nodes; i++)
        node_receive(job, i); /* the last messages of nodes that have ended */
    output_sink_clear(job->err);
    while (more || output_sink_pending(&job->out) || output_sink_pending(job->err)) {
        bool room = !output_sink_full(&job->out) && !output_sink_full(job->err);
        int timeout = job->ending ? 20 : -1;

        if (job->ending && clock_ms() >= until)
            break;
        more = !room;
        for (int i = 0; room && i < job->config->nodes; i++)
            for (int k = 0; k < 2; k++)
                more = output_stream_read(&job->nodes[i].output[k]) || more;
        job_poll_fill(job, fds);
        if (!more && !output_sink_pending(&job->out) && !output_sink_pending(job->err))
            break;
        if (poll(fds, SLOT_NODES, room && more ? 0 : timeout) > 0 && fds[SLOT_SIGNAL].revents != 0)
            job_signals_read(job);
        job_outputs_handle(job, fds);
    }
    for (int i = 0; i < job->config->nodes; i++) {
        output_stream_close(&job->nodes[i].output[0]);
        output_stream_close(&job->nodes[i].output[1]);
    }
    output_sink_write(&job->out);
    output_sink_write(job->err);
}

/* Writes the statistics that nodes of a failed job have sent. */
static void job_stats_keep(struct job *job)
{
    size_t nodes = (size_t)job->config->nodes;
    struct hlrc_stats *stats = calloc(nodes, sizeof *stats);
    int *numbers = calloc(nodes, sizeof *numbers), count = 0;
    struct stats_report report = {
        .config = job->config, .nodes = job->config->nodes, .stats = stats, .node = numbers
    };

    if (stats == NULL || numbers == NULL)
        return;
    for (int i = 0; i < job->config->nodes; i++) {
        node_receive(job, i);
        if (job->nodes[i].told) {
            numbers[count] = i;
            stats[count++] = job->nodes[i].stats;
        }
    }
    report.count = count;
    if ((count > 0 ? stats_write : stats_write_part)(&report, job->config->stats) != 0)
        job->status = job_status_of_first(job, STATUS_OUTPUT);
    free(stats);
    free(numbers);
}

static int job_node_start(struct job *job, int index)
{
    struct spawn_child_ids spawned;
    int err = spawn_node(&job->spawn, index, &spawned);

    if (err < 0)
        return err;
    node_init(&job->nodes[index], &spawned, job->config->label ? index : -1, &job->out, job->err);
    err = ends_watch(&job->ends, index, spawned.pidfd);
    return err < 0 ? err : guard_watch(&job->guard, spawned.pid, spawned.pidfd);
}

static void job_nodes_start(struct job *job)
{
    int err = spawn_open(&job->spawn);

    for (int i = 0; i < job->config->nodes; i++) {
        job->nodes[i].ended = true; /* until it has started */
        job->nodes[i].pidfd = job->nodes[i].sock = job->nodes[i].engine_fd = -1;
        job->nodes[i].timeline = -1;
        job->nodes[i].output[0].fd = job->nodes[i].output[1].fd = -1;
        job->nodes[i].output[0].sink = job->nodes[i].output[1].sink = &job->out;
    }
    for (int i = 0; err == 0 && i < job->config->nodes; i++)
        err = job_node_start(job, i);
    if (err == 0)
        err = spawn_release(&job->spawn, job->config->nodes);
    if (err == 0 && job->config->gdb == GDB_ALL)
        debugger_attach(job);
    if (err < 0)
        job_end(job, 1, -1,
                "hlrcrun: cannot start %d nodes: %s; start fewer, or raise the limits of processes "
                "and open "
                "files (ulimit -u, -n)",
                job->config->nodes, strerror(-err));
    spawn_close(&job->spawn);
}

static void job_finish(struct job *job)
{
    for (int tries = 0; job->ending && tries < 20 && job_family_kill(job) > 0; tries++) {
        poll(NULL, 0, 5);
        job_children_reap(job);
    }
    for (int i = 0; i < job->config->nodes; i++)
        node_free(&job->nodes[i]);
    exchange_free(&job->exchange);
    ends_close(&job->ends);
    if (job->memory[0] == '\0' || job->guard.pid == 0)
        guard_dismiss(&job->guard);
    job_children_reap(job);
    output_sink_free(&job->out);
    output_sink_free(&job->err_room);
}

/* ASSUMPTION: all nodes have ended. */
static void job_timeline_write(struct job *job)
{
    static int fd[NODES_MAX];

    if (job->config->trace[0] == '\0')
        return;
    for (int i = 0; i < job->config->nodes; i++) {
        node_receive(job, i);
        fd[i] = job->nodes[i].timeline;
    }
    int status = timeline_tool_write(job->config->trace, fd, job->config->nodes, job->ending,
                                     job->signal_fd);
    job->status = job_status_of_first(job, status);
}

int job_run(struct job *job)
{
    size_t nodes = (size_t)job->config->nodes;
    struct pollfd *fds = calloc(SLOT_NODES + nodes * NODE_SLOTS, sizeof *fds);
    int err = 0;

    job->nodes = calloc(nodes, sizeof *job->nodes);
    job->spared = job->speaker = -1;
    if (fds == NULL || job->nodes == NULL)
        err = -ENOMEM;
    if (err == 0)
        err = guard_start(&job->guard, job->memory);
    if (job->before.pid > 0)
        guard_dismiss(&job->before);
    if (err == 0)
        err = ends_open(&job->ends, job->config->nodes);
    if (err < 0) {
        fprintf(stderr, "hlrcrun: cannot start: %s\n", strerror(-err));
        free(fds);
        free(job->nodes);
        return 1;
    }
    clock_choose();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    output_sink_pair(&job->out, &job->err_room, &job->err);
    exchange_init(&job->exchange, job->config->nodes);
    oom_watch(&job->oom, 0);
    job_nodes_start(job);
    progress_init(&job->progress, job->config, clock_ms());
    look_init(job, clock_ms());
    job_loop(job, fds);
    node_note_copies(job);
    resize_end(job);
    job_outputs_finish(job, fds);
    if (job->ending && job_stats_wanted(job))
        job_stats_keep(job);
    job_timeline_write(job);
    job_finish(job);
    free(fds);
    free(job->nodes);
    return job->status;
}
