/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* only_node.h - phases in which only one node runs threads of the program, such as libhlrc_compat's
 * (compat/openmp/gather.h). */
#ifndef HLRC_ONLY_NODE_H
#define HLRC_ONLY_NODE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether from now on only this node runs the program: its first writes claim whole blocks
 * [readahead.first-blocks]. A hint. Exported for libhlrc_compat. */
void hlrc_only_node(bool is);

/* The program has ended on all nodes: this node's releases publish no page that no other node has
 * read [unshared.ended]. Exported for libhlrc_compat. */
void hlrc_program_ended(void);

/* Pages of the space that have memory on this node. A system call. Exported for libhlrc_compat. */
uint64_t hlrc_pages_here(void);

/* The file of the space's memory on this node; at which offset it is mapped, /proc/self/maps says.
 * Exported for libhlrc_compat. */
int hlrc_space_fd(void);

/* A message to another node and its answer, as measured at the start; 0: memory. Exported for
 * libhlrc_compat. */
int64_t hlrc_round_trip_ns(void);

/* From now on no other node than this one runs threads that acquire what this node writes, until
 * the call with false: releases publish nothing. Then all of it is published, before the call
 * returns [interval.no-readers]. Exported for libhlrc_compat. */
void hlrc_no_readers(bool are);

#endif
