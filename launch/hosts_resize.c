/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts_resize.h"

#include <stdio.h>
#include <unistd.h>

#include "hlrc/checkpoint/checkpoint_manifest.h"
#include "launch/command.h"
#include "launch/hosts.h"
#include "launch/resize.h"

/* False after the reason in `why`. */
static bool hosts_resize_possible(const struct job *job, int nodes, char *why, size_t len)
{
    static struct hosts_list hosts;
    const struct config *cfg = job->config;
    char err[CONFIG_ERROR_MAX];

    if (job->resize.wanted > 0)
        snprintf(why, len, "it is being resized");
    else if (nodes == cfg->nodes)
        snprintf(why, len, "it has as many");
    else if (hosts_places(cfg, &hosts, err, sizeof err) < 0 || nodes < 1 || nodes > hosts.nodes ||
             nodes > NODES_MAX)
        snprintf(why, len, "the hosts have places for 1 to %d",
                 hosts.nodes < NODES_MAX ? hosts.nodes : NODES_MAX);
    else
        return true;
    return false;
}

bool hosts_resize_request(struct job *job, struct hosts_resize *resize,
                          const struct signalfd_siginfo *info)
{
    struct resize_answer answer;
    char why[CONFIG_ERROR_MAX] = "";
    int nodes = info->ssi_int;
    bool possible = hosts_resize_possible(job, nodes, why, sizeof why);
    int64_t seconds;

    resize_answer_make(&answer, job, nodes, possible ? NULL : why);
    if (!resize_answer_send((pid_t)info->ssi_pid, &answer) && !possible)
        fprintf(stderr, "hlrcrun: %s\n", answer.line);
    if (!possible)
        return false;
    (void)config_checkpoint(job->config, &seconds, &resize->dir);
    resize->before = checkpoint_manifest_newest(resize->dir);
    job->resize.wanted = nodes;
    return true;
}

bool hosts_resize_proceed(struct job *job, const struct hosts_resize *resize)
{
    struct checkpoint_manifest m;
    char err[CONFIG_ERROR_MAX];

    if (job->resize.wanted == 0 || job->resize.saved ||
        checkpoint_manifest_newest(resize->dir) <= resize->before)
        return false;
    const char *why = NULL;
    if (checkpoint_manifest_read(resize->dir, &m, err, sizeof err) < 0)
        why = err;
    else if (!m.any)
        why = "the program is saved by hlrc_checkpoint for this number of nodes; have it call "
              "hlrc_checkpoint_any";
    else if (m.any == CHECKPOINT_ANY_WINDOWS)
        why = "the program has windows (hlrc_window_create), which are saved for this number of "
              "nodes only";
    if (why != NULL)
        fprintf(stderr, "hlrcrun: not resized from %d to %d nodes: %s; the job continues\n",
                job->config->nodes, job->resize.wanted, why);
    else
        fprintf(stderr, "hlrcrun: saved in checkpoint %u; continues with %d instead of %d nodes\n",
                m.generation, job->resize.wanted, job->config->nodes);
    if (why != err)
        checkpoint_manifest_free(&m);
    job->resize.saved = why == NULL;
    if (why != NULL)
        job->resize.wanted = 0;
    return job->resize.saved;
}
