/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/look.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/diag.h"
#include "boot/wire.h"
#include "hlrc/report/deadlock_detect.h"
#include "launch/job.h"

static const char *look_absent(void *ctx, int node)
{
    const struct job *job = ctx;
    const struct node *n = &job->nodes[node];

    if (!node_alive(n))
        return "has ended";
    if (n->state == NODE_SILENT)
        return "has not called hlrc_init";
    if (n->state == NODE_APART)
        return "runs the program as one process";
    if (n->state == NODE_FINALIZED)
        return "has left the job with hlrc_finalize";
    if (exchange_waits(&job->exchange, node))
        return "waits for the other nodes in hlrc_init, or at the end of hlrc_finalize";
    return "does not answer; it may be stopped";
}

/* Builds the detector's input from the last reports of all nodes; with `answers`, only from
 * answers to this query. */
static struct deadlock_detect_judge look_judge_of(struct job *job, bool answers)
{
    static const struct report *reports[NODES_MAX];

    for (int i = 0; i < job->config->nodes; i++) {
        const struct look_heard *heard = &job->nodes[i].heard;

        reports[i] = heard->answered || !answers ? heard->report : NULL;
    }
    return (struct deadlock_detect_judge){
        .nodes = job->config->nodes, .reports = reports, .absent = look_absent, .ctx = job
    };
}

void look_heard_forget(struct look_heard *heard)
{
    free(heard->report);
    *heard = (struct look_heard){ 0 };
}

void look_init(struct job *job, int64_t now)
{
    job->look = (struct look){ .confirm_at = INT64_MAX, .timeout_at = INT64_MAX };
    if (job->config->timeout > 0)
        job->look.timeout_at = now + (int64_t)job->config->timeout * 1000;
}

static void look_question_send(struct job *job, int sock)
{
    struct wire_head head = { .type = WIRE_LOOK, .total = job->look.number };

    /* a node without room in its socket does not answer, like a stopped one */
    (void)send(sock, &head, sizeof head, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void look_ask(struct job *job, unsigned why)
{
    struct look *look = &job->look;

    if (job->ending)
        return;
    if (look->why == 0) {
        look->number++;
        look->until = clock_ms() + LOOK_MS;
        for (int i = 0; i < job->config->nodes; i++) {
            struct node *node = &job->nodes[i];

            node->heard.answered = false;
            if (node->state == NODE_RUNNING && node->sock >= 0)
                look_question_send(job, node->sock);
        }
    }
    look->why |= why;
}

/* Whether the last report of every node says that it waits. */
static bool look_all_still(const struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++) {
        const struct node *node = &job->nodes[i];

        if (node->state != NODE_RUNNING || node->heard.report == NULL || !node->heard.report->still)
            return false;
    }
    return true;
}

/* Takes the last reports as a first look. */
static void look_first_look(struct job *job)
{
    job->look.confirm_at = INT64_MAX;
    if (!look_all_still(job))
        return;
    for (int i = 0; i < job->config->nodes; i++)
        job->nodes[i].heard.epoch = job->nodes[i].heard.report->epoch;
    job->look.confirm_at = clock_ms() + JUDGE_GAP_MS;
}

void look_received(struct job *job, int index, const void *report, size_t len)
{
    struct look_heard *heard = &job->nodes[index].heard;
    struct report *copy = len > 0 ? malloc(len) : NULL;

    if (copy == NULL)
        return;
    memcpy(copy, report, len);
    if (len < sizeof *copy || !deadlock_report_whole(copy, len, index)) {
        free(copy);
        job_end(job, 1, -1,
                "hlrcrun: node %d sent an invalid report of %zu bytes; use the hlrcrun that "
                "was installed with the library",
                index, len);
        return;
    }
    free(heard->report);
    heard->report = copy;
    if (job->look.why == 0)
        look_first_look(job);
    else if (copy->number == job->look.number)
        heard->answered = true; /* an unsolicited report is no first look now */
}

static bool look_all_answered(const struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (job->nodes[i].state == NODE_RUNNING && !job->nodes[i].heard.answered)
            return false;
    return true;
}

/* [deadlock.two-rounds] */
static bool look_same_epochs(const struct job *job)
{
    for (int i = 0; i < job->config->nodes; i++)
        if (job->nodes[i].heard.report->epoch != job->nodes[i].heard.epoch)
            return false;
    return true;
}

static void look_say(void *ctx, const char *line)
{
    job_say(ctx, "hlrcrun: %s", line);
}

static void look_end_timeout(struct job *job, const struct deadlock_detect_judge *judge)
{
    char line[DIAG_LINE_MAX / 2];

    if (deadlock_detect_cause(judge, false, line, sizeof line))
        job_say(job, "hlrcrun: in a circle: %s", line);
    job_end(job, STATUS_TIMEOUT, -1, "hlrcrun: the job takes longer than --timeout %d; ending it",
            job->config->timeout);
}

static void look_end(struct job *job)
{
    char line[DIAG_LINE_MAX / 2];
    struct deadlock_detect_judge judge = look_judge_of(job, true);
    unsigned why = job->look.why;
    bool stuck = deadlock_detect_stuck(&judge) && look_all_still(job);
    bool deadlock = (why & LOOK_CONFIRM) && stuck && look_same_epochs(job);

    job->look.why = 0;
    if ((why & ~(unsigned)LOOK_CONFIRM) || deadlock)
        deadlock_detect_tell(&judge, look_say);
    if (deadlock && deadlock_detect_cause(&judge, true, line, sizeof line)) {
        job_end(job, STATUS_DEADLOCK, -1, "hlrcrun: deadlock: %s", line);
        return;
    }
    if (why & LOOK_TIMEOUT)
        look_end_timeout(job, &judge);
    else if ((why & LOOK_USER) && deadlock_detect_cause(&judge, false, line, sizeof line))
        job_say(job, "hlrcrun: in a circle: %s", line);
    if (look_all_answered(job))
        look_first_look(job); /* otherwise when the others answer */
}

void look_proceed(struct job *job, int64_t now)
{
    struct look *look = &job->look;

    if (job->ending)
        return;
    if (look->timeout_at <= now) {
        look->timeout_at = INT64_MAX;
        look_ask(job, LOOK_TIMEOUT);
    }
    if (look->confirm_at <= now && look->why == 0) {
        look->confirm_at = INT64_MAX;
        look_ask(job, LOOK_CONFIRM);
    }
    if (look->why != 0 && (look_all_answered(job) || look->until <= now))
        look_end(job);
}

int64_t look_due(const struct job *job)
{
    const struct look *look = &job->look;
    int64_t due = look->confirm_at < look->timeout_at ? look->confirm_at : look->timeout_at;

    if (job->ending)
        return INT64_MAX;
    return look->why != 0 && look->until < due ? look->until : due;
}
