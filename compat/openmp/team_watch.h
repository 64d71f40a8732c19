/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* team_watch.h - calls what displays the team's threads (display.c), if it is to. */
#ifndef COMPAT_TEAM_WATCH_H
#define COMPAT_TEAM_WATCH_H

#include <stdbool.h>

struct team_watcher {
    /* on each node, before the program begins; shared memory of TEAM_ROOM bytes. True: `region`
     * is to be called */
    bool (*begin)(char *room, bool is_first_node);
    void (*region)(void); /* by a thread that has entered one */
};
void team_watch(const struct team_watcher *w); /* by a constructor */

/* On each node, after the team's plan is known; by a thread that has entered a region. */
void team_watch_begin(void);
void team_watch_region(void);

#endif
