/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* combine.h - values of the types of hlrc_sync.h, and what its operations make of two of them. */
#ifndef HLRC_COMBINE_H
#define HLRC_COMBINE_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether they are of those listed, and the operation is one of values of this type that gives
 * another: neither HLRC_REPLACE nor HLRC_NO_OP. */
bool combine_knows(hlrc_type type, hlrc_op op);

/* ASSUMPTION of all: combine_knows. */
size_t combine_bytes(hlrc_type type); /* of one value */
const char *combine_type_name(hlrc_type type);
const char *combine_op_name(hlrc_op op);

/* a = a op b, of n values each, which are aligned. */
void combine(hlrc_type type, hlrc_op op, void *a, const void *b, size_t n);

#endif
