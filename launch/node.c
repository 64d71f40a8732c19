/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One node as seen by hlrcrun: its messages, and the consequences of its end. job.h has the rules.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/wire.h"
#include "launch/job.h"
#include "launch/process.h"
#include "launch/program.h"

struct node_packet {
    struct wire_head head;
    char body[WIRE_PIECE + 1];
    size_t len; /* of the body */
    pid_t pid;  /* of the sender; 0: unknown */
    int fd;     /* that came with the packet; -1: none */
};

void node_init(struct node *node, const struct spawn_child_ids *spawned, int label,
               struct output_sink *out, struct output_sink *err)
{
    *node = (struct node){ .pid = spawned->pid,
                           .pidfd = spawned->pidfd,
                           .sock = spawned->sock,
                           .engine_fd = -1,
                           .timeline = -1 };
    output_stream_open(&node->output[0], spawned->output[0], label, out);
    output_stream_open(&node->output[1], spawned->output[1], label, err);
}

static void node_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void node_free(struct node *node)
{
    node_close_fd(&node->pidfd);
    node_close_fd(&node->engine_fd);
    node_close_fd(&node->sock);
    node_close_fd(&node->timeline);
    output_stream_close(&node->output[0]);
    output_stream_close(&node->output[1]);
    look_heard_forget(&node->heard);
}

static bool node_engine_alive(const struct node *node)
{
    return node->engine != 0 && (node->engine == node->pid ? !node->ended : node->engine_fd >= 0);
}

bool node_alive(const struct node *node)
{
    return !node->ended || node->engine_fd >= 0;
}

/* Does not kill a process that is dumping core. */
static void node_signal_unless_dumping(pid_t pid, int pidfd, int sig)
{
    if (sig != SIGKILL || !process_dumping(pid))
        process_signal(pidfd, sig);
}

void node_signal(struct node *node, int sig)
{
    if (node->engine_fd >= 0)
        node_signal_unless_dumping(node->engine, node->engine_fd, sig);
    if (!node->ended)
        node_signal_unless_dumping(node->pid, node->pidfd, sig);
}

pid_t node_dumping(const struct node *node)
{
    if (node->engine_fd >= 0 && process_dumping(node->engine))
        return node->engine;
    return !node->ended && process_dumping(node->pid) ? node->pid : 0;
}

void node_reaped(struct node *node, int wait_status)
{
    node->ended = true;
    node->signalled = WIFSIGNALED(wait_status);
    node->core = node->signalled && WCOREDUMP(wait_status);
    node->status = node->signalled ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void node_engine_ended(struct node *node)
{
    node_close_fd(&node->engine_fd);
}

static void node_message_hello(struct job *job, int index, const struct node_packet *packet)
{
    struct node *node = &job->nodes[index];

    if (packet->head.status != WIRE_VERSION) {
        job_end(job, 1, -1,
                "hlrcrun: node %d uses version %d of the launch protocol, hlrcrun uses version %d; "
                "use the "
                "hlrcrun that was installed with the library",
                index, packet->head.status, WIRE_VERSION);
        return;
    }
    if (node->state == NODE_RUNNING && node_engine_alive(node)) {
        job_end(
            job, 1, -1,
            "hlrcrun: node %d calls hlrc_init in two processes (pids %d and %d); run one of them "
            "without HLRC_LAUNCH_FD",
            index, (int)node->engine, (int)packet->pid);
        return;
    }
    node_close_fd(&node->engine_fd);
    look_heard_forget(&node->heard);
    node->state = NODE_RUNNING;
    node->told = node->told_last = node->takes_signals = false;
    job->finished = false; /* a script may run one program after another */
    node->lost_at = 0;
    node->lost_looks = 0;
    node->engine = packet->pid != 0 ? packet->pid : node->pid;
    if (index == 0)
        resize_hello(job);
    oom_watch(&job->oom, node->engine); /* a script may have moved it to another group */
    if (node->engine == node->pid)
        return;
    node->engine_fd = process_open(node->engine);
    if (node->engine_fd >= 0)
        guard_watch(&job->guard, node->engine, node->engine_fd);
    else if (node->engine_fd !=
             -ESRCH) /* -ESRCH: it has ended already; otherwise we cannot watch it and use the
                      * child */
        node->engine = node->pid;
}

static void node_message_exchange(struct job *job, int index, const struct node_packet *packet)
{
    switch (exchange_piece(&job->exchange, index, &packet->head, packet->body, packet->len)) {
    case 1:
        for (int i = 0; i < job->config->nodes; i++)
            if (job->nodes[i].sock >= 0)
                exchange_send(&job->exchange, i, job->nodes[i].sock);
        break;
    case -EMSGSIZE:
        job_end(job, 1, -1,
                "hlrcrun: node %d sends %u bytes in a collective exchange, other nodes send %zu; "
                "the nodes run "
                "different "
                "versions of the library or of the program",
                index, packet->head.total, job->exchange.blob);
        break;
    case -ENOMEM:
        job_end(job, 1, -1, "hlrcrun: no memory for an exchange of %u bytes from each node",
                packet->head.total);
        break;
    case -EPROTO:
        job_end(job, 1, -1,
                "hlrcrun: node %d sent an unexpected message; check that nothing else writes to "
                "descriptor HLRC_LAUNCH_FD",
                index);
        break;
    default:
        break;
    }
}

/* Before job_end, which the first death calls. */
static void node_death(struct job *job, int sig)
{
    if (!job->ending)
        job->death = sig;
}

static int node_exit_status(int status)
{
    return status >= 1 && status <= 255 ? status : 1;
}

static void node_message_report(struct job *job, int index, const struct node_packet *packet)
{
    int status = node_exit_status(packet->head.status), spared = status > 128 ? index : -1;
    bool named = job->config->nodes > 1;
    if (spared >= 0)
        node_death(job, status - 128);
    const char *line = packet->body, *join = diag_join(named, &line);

    if (!job->ending)
        job->speaker = index;
    if (named)
        job_end(job, status, spared, "hlrc: node %d%s%s", index, join, line);
    else
        job_end(job, status, spared, "hlrc: %s", line);
}

/* Prints a further line of the node whose report was printed. */
static void node_message_detail(struct job *job, int index, const struct node_packet *packet)
{
    if (index != job->speaker)
        return;
    if (job->config->nodes > 1)
        job_say(job, "hlrc: node %d: %s", index, packet->body);
    else
        job_say(job, "hlrc: %s", packet->body);
}

static void node_message_stats(struct node *node, const struct node_packet *packet)
{
    if (packet->len != sizeof node->stats)
        return;
    memcpy(&node->stats, packet->body, sizeof node->stats);
    node->told = true;
    node->told_last = packet->head.status != 0;
}

static void node_message_handle(struct job *job, int index, struct node_packet *packet)
{
    struct node *node = &job->nodes[index];

    packet->body[packet->len] = '\0';
    switch (packet->head.type) {
    case WIRE_HELLO:
        node_message_hello(job, index, packet);
        break;
    case WIRE_EXCHANGE:
        node_message_exchange(job, index, packet);
        break;
    case WIRE_PROGRESS:
        if (packet->len == sizeof node->counters)
            memcpy(&node->counters, packet->body, sizeof node->counters);
        break;
    case WIRE_WAITS:
        look_received(job, index, packet->body, packet->len);
        break;
    case WIRE_REPORT:
        node_message_report(job, index, packet);
        break;
    case WIRE_STATS:
        node_message_stats(node, packet);
        break;
    case WIRE_DETAIL:
        node_message_detail(job, index, packet);
        break;
    case WIRE_RESIZE:
        resize_heard(job, packet->head.status, packet->body);
        break;
    case WIRE_SIGNALS:
        node->takes_signals = true;
        break;
    case WIRE_TIMELINE:
        node_close_fd(&node->timeline);
        node->timeline = packet->fd;
        packet->fd = -1;
        break;
    case WIRE_GOODBYE:
        node->state = packet->head.status != 0 ? NODE_FINALIZED : NODE_APART;
        job->finished |= node->state == NODE_FINALIZED;
        break;
    case WIRE_QUIT:
        job_quit(job, packet->head.status & 255);
        break;
    case WIRE_NO_EXEC:
        job_end(job, node_exit_status(packet->head.status), -1, "hlrcrun: %s", packet->body);
        break;
    default:
        job_end(job, 1, -1,
                "hlrcrun: node %d sent a message of unknown type %u; use the hlrcrun that was "
                "installed with "
                "the library",
                index, packet->head.type);
    }
}

static void node_part_take(struct node_packet *packet, struct cmsghdr *part)
{
    if (part->cmsg_type == SCM_CREDENTIALS) {
        struct ucred sender;

        memcpy(&sender, CMSG_DATA(part), sizeof sender);
        packet->pid = sender.pid;
    } else if (part->cmsg_type == SCM_RIGHTS) {
        memcpy(&packet->fd, CMSG_DATA(part), sizeof packet->fd);
    }
}

/* Length of a packet, 0 at the end, or a negative errno. */
static ssize_t node_packet_receive(int sock, struct node_packet *packet)
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof packet->fd)];
    } control;
    struct iovec iov[2] = { { &packet->head, sizeof packet->head }, { packet->body, WIRE_PIECE } };
    struct msghdr msg = { .msg_iov = iov,
                          .msg_iovlen = 2,
                          .msg_control = control.space,
                          .msg_controllen = sizeof control.space };
    ssize_t got = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    if (got < 0)
        return -errno;
    packet->pid = 0;
    packet->fd = -1;
    packet->len = got > (ssize_t)sizeof packet->head ? (size_t)got - sizeof packet->head : 0;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&msg); got > 0 && part != NULL;
         part = CMSG_NXTHDR(&msg, part))
        node_part_take(packet, part);
    return got;
}

void node_receive(struct job *job, int index)
{
    static struct node_packet packet; /* too large for a stack */
    struct node *node = &job->nodes[index];

    while (node->sock >= 0) {
        ssize_t got = node_packet_receive(node->sock, &packet);

        /* it ended before it read what we sent; its earlier messages are still readable */
        if (got == -EINTR || got == -ECONNRESET)
            continue;
        if (got == -EAGAIN)
            return;
        if (got < (ssize_t)sizeof packet.head) {
            node_close_fd(&node->sock);
            return;
        }
        node_message_handle(job, index, &packet);
        node_close_fd(&packet.fd);
    }
}

/* True if it was killed for lack of memory, and the job is ending. */
static bool node_judge_memory(struct job *job, int index, pid_t pid)
{
    char limit[128];

    if (!oom_seen(&job->oom, limit, sizeof limit))
        return false;
    node_death(job, SIGKILL);
    job_end(job, 128 + SIGKILL, -1,
            "hlrcrun: node %d (pid %d) was killed by the kernel because memory ran out: %s; start "
            "fewer nodes, share less memory, or raise the limit; ending the job",
            index, (int)pid, limit);
    return true;
}

static void node_judge_signal(struct job *job, int index, pid_t pid, int sig)
{
    const struct node *node = &job->nodes[index];
    /* the node reports all other signals itself */
    bool unserved = sig == SIGSEGV && node->state == NODE_RUNNING;

    if (sig == SIGKILL && node_judge_memory(job, index, pid))
        return;
    if (index == 0 && sig == job->forwarded) {
        job_end(job, 128 + sig, -1, "hlrcrun: ended by signal %d (%s)", sig, strsignal(sig));
        return;
    }
    node_death(job, sig);
    job_end(job, 128 + sig, -1,
            "hlrcrun: node %d (pid %d) was killed by signal %d (%s)%s%s; ending the job", index,
            (int)pid, sig, strsignal(sig), node->core ? ", core dumped" : "",
            unserved ? ", which HLRC did not handle: the stack of a thread unknown to HLRC has "
                       "overflowed, or a library has installed a signal handler after hlrc_init"
                     : "");
}

/* A wrapper's status of 128 + N counts as signal N of its program, as in shells. */
static void node_judge_status(struct job *job, int index)
{
    struct node *node = &job->nodes[index];
    bool lost = node->state == NODE_RUNNING && node->engine != node->pid;
    int sig = node->signalled                                           ? node->status
              : lost && node->status > 128 && node->status < 128 + NSIG ? node->status - 128
                                                                        : 0;
    pid_t pid = lost ? node->engine : node->pid;

    /* It has finalized and has reported its own error: let the others finish. */
    if (sig == 0 && node->state >= NODE_APART) {
        if (job->status == 0)
            job->status = node->status;
        return;
    }
    if (sig != 0)
        node_judge_signal(job, index, pid, sig);
    else
        job_end(job, node->status, -1,
                "hlrcrun: node %d (pid %d) exited with status %d; ending the job", index, (int)pid,
                node->status);
}

/* Ends the job if a node waits in an exchange for this one, which has ended. */
static void node_judge_waiting(struct job *job, int index)
{
    int waiting = exchange_waiting(&job->exchange);

    if (waiting >= 0 && !job->exchange.whole[index])
        job_end(job, 1, -1,
                "hlrcrun: node %d (pid %d) ended %s, where node %d waits for it; ending the job",
                index, (int)job->nodes[index].pid,
                job->nodes[index].state == NODE_SILENT ? "before hlrc_init" : "too early", waiting);
}

/* Its program has ended, and the wrapper will not report how: it has ended as well, or continues
 * with something else. On a busy machine a wrapper that is about to end may have to wait for a
 * CPU. */
static bool node_wrapper_silent(struct node *node, int64_t now)
{
    if (node->lost_at == 0)
        node->lost_at = now;
    if (node->ended)
        return true;
    if (now < node->lost_at + JOB_WRAPPER_MS)
        return false;
    if (node->lost_looks == JOB_WRAPPER_LOOKS || !process_runs(node->pid))
        return true;
    node->lost_at = now;
    node->lost_looks++;
    return false;
}

void node_judge(struct job *job, int index, int64_t now)
{
    struct node *node = &job->nodes[index];

    if (node->ended && node->status != 0) {
        node_judge_status(job, index);
    } else if (node->state == NODE_RUNNING && !node_engine_alive(node)) {
        if (node_wrapper_silent(node, now) && !node_judge_memory(job, index, node->engine))
            job_end(job, 1, -1,
                    "hlrcrun: node %d (pid %d) ended without hlrc_finalize; ending the job", index,
                    (int)node->engine);
    } else if (!node_alive(node)) {
        node_judge_waiting(job, index);
    }
}

void node_note_copies(struct job *job)
{
    int nodes = job->config->nodes;

    if (nodes == 1 || job->ending || job->status != 0)
        return;
    for (int i = 0; i < nodes; i++)
        if (job->nodes[i].state != NODE_SILENT)
            return;
    if (program_starts_threads(job->spawn.path))
        job_say(job,
                "hlrcrun: no process called hlrc_init, so %d processes ran %s, each by itself; "
                "build a program of threads with hlrcc",
                nodes, job->spawn.path);
}
