/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jiajia.h - internals shared by the parts of JIAJIA's interface. */
#ifndef COMPAT_JIAJIA_JIAJIA_H
#define COMPAT_JIAJIA_JIAJIA_H

/* Ends the job unless 0 <= value < limit. */
void jiajia_check(const char *call, const char *what, int value, int limit);

/* Called by all hosts at the start: creates the inboxes. */
void jiajia_message_begin(void);

/* All hosts get the computing times of all, in times[jiahosts]. */
void jiajia_message_gather(float mine, float *times);

#endif
