/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mutex.h - mutexes by number at a node, hlrc_mutex_lock and hlrc_mutex_unlock. */
#ifndef HLRC_MUTEX_H
#define HLRC_MUTEX_H

int mutex_mutexes_start(void);
void mutex_mutexes_stop(void);

#endif
