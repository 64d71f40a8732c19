/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_choice.h - the nodes of a job on several hosts choose the checkpoint from which they
 * continue: hlrcrun does not see their stores (checkpoint_store.h). On one machine hlrcrun chooses
 * (launch/partner.c).
 *
 *   - The newest one in memory of which each file is in a store. Manifests of others are removed.
 *   - If the newest one on the disk is newer, that one.
 *   - If one in memory is lost that was newer than all of these, the job ends: the user decides
 *     about the older one.
 */
#ifndef HLRC_CHECKPOINT_CHOICE_H
#define HLRC_CHECKPOINT_CHOICE_H

#include "hlrc/checkpoint/checkpoint_manifest.h"

/* Collective. `store`: of this node; `disk`: the directory of --checkpoint. 1 and *m: in memory; 0:
 * on the disk; or a negative errno after one line. */
int checkpoint_choice_make(const char *store, const char *disk, struct checkpoint_manifest *m);

#endif
