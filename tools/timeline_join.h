/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline_join.h - finds events of a job that belong together: timeline.h. */
#ifndef HLRC_TIMELINE_JOIN_H
#define HLRC_TIMELINE_JOIN_H

#include "tools/timeline_read.h"

/* timeline_join - fills in `arrows` and `held` from the nodes' events. Returns 0 or -ENOMEM. */
int timeline_join(struct timeline_read_all *t);

#endif
