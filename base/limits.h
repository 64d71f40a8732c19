/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* limits.h - limits common to all parts of the runtime; public as HLRC_MAX_NODES and
 * HLRC_MAX_SHARED. */
#ifndef HLRC_LIMITS_H
#define HLRC_LIMITS_H

#define NODES_MAX  1024 /* nodes of a job at most: a node's number fits into ten bits */
#define RANGES_MAX 16   /* of the program's own memory that are shared (hlrc/memory/range.h) */

#define PAGE_SIZE  4096u /* bytes of a page, on every machine of a job */
#define PAGE_SHIFT 12

#endif
