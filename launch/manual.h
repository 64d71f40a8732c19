/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_MANUAL_H
#define HLRC_MANUAL_H

#include <stdio.h>

/* Writes the manual pages of the two programs; their options come from the table in
 * base/config.h. */
void manual_hlrcrun(FILE *out);
void manual_hlrc_info(FILE *out);

#endif
