/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_LAUNCH_TIMELINE_H
#define HLRC_LAUNCH_TIMELINE_H

struct job;

/* timeline_keep - with --trace, writes the nodes' timelines. ASSUMPTION: all nodes have ended. */
void timeline_keep(struct job *job);

#endif
