/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of the wire-up: chooses the back end and forwards calls to it.
 */
#include "boot/boot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "boot/boot_backend.h"

/* In this order: a job that hlrcrun starts within one of mpirun or srun is hlrcrun's. */
static int (*const backends[])(struct boot **) = {
    boot_local_open,
#ifdef HAVE_PMIX
    boot_pmix_open,
#endif
    boot_single_open,
};

int boot_open(struct boot **out)
{
    int err = -ENOENT;

    for (size_t i = 0; i < sizeof backends / sizeof *backends && err == -ENOENT; i++)
        err = backends[i](out);
    if (err == 0)
        boot_mark_environment();
    return err;
}

int boot_open_alone(struct boot **out)
{
    boot_mark_environment();
    boot_allow_single_copies();
    return boot_single_open(out);
}

int boot_node(const struct boot *boot)
{
    return boot->node;
}

int boot_nodes(const struct boot *boot)
{
    return boot->united ? 1 : boot->nodes;
}

/* Until node 0's goodbye, unless the launcher is hlrcrun. */
static void boot_wait_for_others(struct boot *boot)
{
    if (boot->nodes > 1 && boot_launcher(boot) == BOOT_OTHER)
        (void)boot->ops->exchange(boot, NULL, 0, NULL);
}

static void boot_say_goodbye(struct boot *boot, bool finalized)
{
    if (boot->ops->goodbye != NULL)
        boot->ops->goodbye(boot, finalized);
}

void boot_unite(struct boot *boot)
{
    if (boot->node != 0) {
        boot_wait_for_others(boot);
        boot_say_goodbye(boot, false);
        _exit(0);
    }
    boot->united = true;
    boot_allow_single_copies();
    if (boot_launcher(boot) == BOOT_HLRCRUN)
        boot_say_goodbye(boot, false);
}

enum boot_launcher boot_launcher(const struct boot *boot)
{
    return boot->ops->launcher;
}

int boot_fd(const struct boot *boot)
{
    return boot->fd;
}

int boot_exchange(struct boot *boot, const void *mine, size_t len, void *all)
{
    if (len > BOOT_BLOB_MAX)
        return -EINVAL;
    if (!boot->united)
        return boot->ops->exchange(boot, mine, len, all);
    if (len > 0)
        memcpy(all, mine, len);
    return 0;
}

void boot_goodbye(struct boot *boot)
{
    if (boot->united)
        boot_wait_for_others(boot);
    boot_say_goodbye(boot, true);
}

int boot_quit(struct boot *boot, int status)
{
    return boot->ops->quit != NULL ? boot->ops->quit(boot, status) : 0;
}

void boot_report(struct boot *boot, int status, const char *line)
{
    boot->ops->report(boot, status, line);
}

void boot_detail(struct boot *boot, const char *line)
{
    boot->ops->detail(boot, line);
}

static struct boot *speaker;
static void (*speakers_last)(void);

static void boot_write_line(int status, const char *line)
{
    if (speakers_last != NULL)
        speakers_last();
    boot_report(speaker, status, line);
}

static void boot_speak_more(const char *line)
{
    boot_detail(speaker, line);
}

void boot_speak(struct boot *boot)
{
    bool launched;
    static struct diag_sink sink;

    diag_set_sink(NULL);
    speakers_last = NULL;
    if (boot == NULL)
        return;
    speaker = boot;
    launched = boot_fd(boot) >= 0;
    sink = (struct diag_sink){ boot_node(boot), boot_nodes(boot), launched ? boot_write_line : NULL,
                               launched ? boot_speak_more : NULL };
    diag_set_sink(&sink);
}

void boot_last_words(void (*last_words)(void))
{
    speakers_last = last_words;
}

void boot_progress(struct boot *boot, const struct boot_counters *counters)
{
    if (boot->ops->progress != NULL)
        boot->ops->progress(boot, counters);
}

void boot_stats(struct boot *boot, const void *stats, size_t len, bool last)
{
    if (boot->ops->stats != NULL)
        boot->ops->stats(boot, stats, len, last);
}

void boot_take_signals(struct boot *boot)
{
    if (boot->ops->take_signals != NULL)
        boot->ops->take_signals(boot);
}

void boot_resize(struct boot *boot, enum boot_resize_state state, const char *why)
{
    if (boot->ops->resize != NULL)
        boot->ops->resize(boot, state, why != NULL ? why : "");
}

int boot_timeline(struct boot *boot, int fd)
{
    return boot->ops->timeline != NULL ? boot->ops->timeline(boot, fd) : -ENOTSUP;
}

bool boot_gathers(const struct boot *boot)
{
    return boot->ops->waits != NULL;
}

int boot_waits(struct boot *boot, const void *report, size_t len)
{
    return boot->ops->waits(boot, report, len);
}

int boot_asked(struct boot *boot, uint32_t *number)
{
    return boot->ops->asked(boot, number);
}

void boot_close(struct boot *boot)
{
    if (boot != NULL)
        boot->ops->close(boot);
}
