/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TERMINAL_MS = 500, OTHER_MS = 10000, LONG_MS = 5000 };

/* gdb needs the terminal. */
static bool progress_is_automatic(const struct config *config)
{
    return config->source[CONFIG_ID_progress] == CONFIG_DEFAULT && config->gdb < 0 &&
           isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

void progress_init(struct progress *progress, const struct config *config, int64_t now)
{
    *progress = (struct progress){ .nodes = config->nodes, .begun = now, .shown_at = now };
    progress->terminal = isatty(STDERR_FILENO) == 1;
    progress->automatic = !config->progress && progress_is_automatic(config);
    progress->next_at = progress->automatic ? now + LONG_MS
                        : !config->progress ? INT64_MAX
                                            : now + (progress->terminal ? TERMINAL_MS : OTHER_MS);
}

/* Whether the line is left out this time. */
static bool progress_rests(struct progress *progress, const struct boot_counters *total,
                           int64_t now, const struct output_sink *sink)
{
    bool idle = memcmp(total, &progress->shown, sizeof *total) == 0;

    if (progress->automatic)
        progress->next_at = sink->busy ? INT64_MAX : now + TERMINAL_MS;
    return progress->automatic && (sink->busy || idle);
}

/* "12.3 M": three digits and a unit of 1,000. */
static void progress_rate_text(uint64_t count, int64_t ms, char *buf, size_t len)
{
    static const char *const units[] = { "", "k", "M", "G", "T" };
    double rate = (double)count * 1000 / (double)(ms > 0 ? ms : 1);
    size_t unit = 0;

    while (rate >= 999.5 && unit < sizeof units / sizeof *units - 1) {
        rate /= 1000;
        unit++;
    }
    snprintf(buf, len, "%.*f %s", unit > 0 && rate < 99.95 ? 1 : 0, rate, units[unit]);
}

/* The increase since the last line. A script may run several programs, each counting from 0. */
static uint64_t progress_growth(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

void progress_show(struct progress *progress, const struct boot_counters *total, int64_t now,
                   struct output_sink *sink)
{
    int64_t ms = now - progress->shown_at, seconds = (now - progress->begun) / 1000;
    char faults[32], bytes[32], line[200];
    int len;

    if (now < progress->next_at || progress_rests(progress, total, now, sink))
        return;
    progress_rate_text(progress_growth(total->faults, progress->shown.faults), ms, faults,
                       sizeof faults);
    progress_rate_text(progress_growth(total->bytes, progress->shown.bytes), ms, bytes,
                       sizeof bytes);
    len = snprintf(line, sizeof line,
                   "hlrcrun: %lld:%02d:%02d  %d nodes  %sfaults/s  %sB/s  %llu barriers",
                   (long long)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60),
                   progress->nodes, faults, bytes, (unsigned long long)total->barriers);
    if (progress->terminal) {
        output_sink_transient(sink, line);
    } else {
        line[len] = '\n';
        output_sink_put(sink, line, (size_t)len + 1);
    }
    progress->shown = *total;
    progress->shown_at = now;
    progress->next_at = now + (progress->terminal ? TERMINAL_MS : OTHER_MS);
}
