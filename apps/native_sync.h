/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* native_sync.h - the part of the locks and condition variables of native.h that native.c
 * needs. */
#ifndef APPS_NATIVE_SYNC_H
#define APPS_NATIVE_SYNC_H

/* Maps the tables, before the nodes are forked. Returns 0, or -1 after a message. */
int native_sync_init(void);

#endif
