/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jiajia.h - what the files of JIAJIA's interface have in common. */
#ifndef COMPAT_JIAJIA_JIAJIA_H
#define COMPAT_JIAJIA_JIAJIA_H

/* Ends the job where a number is not one of 0 to limit - 1. */
void jiajia_check(const char *call, const char *what, int value, int limit);

/* By all hosts, at the start: the inboxes. */
void jiajia_message_begin(void);

/* All hosts learn how long each has computed, in times[jiahosts], ordered by host. */
void jiajia_message_gather(float mine, float *times);

#endif
