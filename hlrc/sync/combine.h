/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* combine.h - values of the types of hlrc_sync.h, and the result of its operations on them. */
#ifndef HLRC_COMBINE_H
#define HLRC_COMBINE_H

#include <hlrc.h>
#include <stdbool.h>
#include <stddef.h>

/* True if both are listed and the operation combines two values of the type into a third: neither
 * HLRC_REPLACE nor HLRC_NO_OP. */
bool combine_knows(hlrc_type type, hlrc_op op);

/* ASSUMPTION of all: combine_knows. */
size_t combine_bytes(hlrc_type type); /* of one value */
const char *combine_type_name(hlrc_type type);
const char *combine_op_name(hlrc_op op);

/* a = a op b, of n values each; both aligned. */
void combine(hlrc_type type, hlrc_op op, void *a, const void *b, size_t n);

#endif
