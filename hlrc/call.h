/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* call.h - what every public call checks first. */
#ifndef HLRC_CALL_H
#define HLRC_CALL_H

/* Ends the program with one line when the runtime does not run, or runs in the parent of this forked child. */
void call_check(const char *call);

#endif
