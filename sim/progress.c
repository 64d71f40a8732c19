/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* progress.c - see progress.h. */
#include "sim/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { TERMINAL_MS = 500, OTHER_MS = 10000 };

static int64_t progress_clock_ms(void)
{
    return clock_ns() / 1000000;
}

void progress_begin(struct progress *p)
{
    p->begun = progress_clock_ms();
    p->terminal = isatty(STDERR_FILENO) == 1;
    p->next = p->begun + (p->terminal ? TERMINAL_MS : OTHER_MS);
    p->shown = false;
}

bool progress_due(struct progress *p)
{
    int64_t now = progress_clock_ms();

    if (now < p->next)
        return false;
    p->next = now + (p->terminal ? TERMINAL_MS : OTHER_MS);
    return true;
}

void progress_show(struct progress *p, uint64_t done, uint64_t all, uint64_t events)
{
    int64_t ms = progress_clock_ms() - p->begun, seconds = ms / 1000;
    double share = all > 0 ? (double)done / (double)all : 1, rate = (double)events / (double)ms;

    fprintf(stderr, "%shlrc_sim: %lld:%02d:%02d  %.1f %%  %.2f M events/s%s",
            p->terminal ? "\r" : "", (long long)(seconds / 3600), (int)(seconds / 60 % 60),
            (int)(seconds % 60), share * 100, rate / 1000, p->terminal ? "\033[K" : "\n");
    p->shown = true;
}

void progress_end(struct progress *p)
{
    if (p->terminal && p->shown)
        fputs("\r\033[K", stderr);
}
