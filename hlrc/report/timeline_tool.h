/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_tool.h - passes the records of all nodes (timeline.h) to hlrc_timeline, which joins them
 * to the file of --trace: at the end of a job, by hlrcrun, or by node 0 under another launcher. */
#ifndef HLRC_TIMELINE_TOOL_H
#define HLRC_TIMELINE_TOOL_H

#include <stdbool.h>

/* timeline_tool_write - `fd`: by node, of its records; -1: the node has none. If hlrc_timeline
 * cannot be run, the records are written beside `file`, and a line names the command to run.
 * `signals`: as for companion_run(). Returns 0, STATUS_OUTPUT if nothing was written, or 128 + N if
 * signal N ended hlrc_timeline; both after a line. */
int timeline_tool_write(const char *file, const int *fd, int nodes, bool failed, int signals);

#endif
