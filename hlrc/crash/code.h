/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * code.h - instructions and variables of the program by name, also those of other nodes.
 *
 *   CD1  An instruction travels by its file, of which a digest of the name says which, and its
 *        address there: nodes may have it at different addresses. Files that were loaded after
 *        hlrc_init are not known: what is in them is told by its address in the node that ran it.
 */
#ifndef HLRC_CODE_H
#define HLRC_CODE_H

#include <stddef.h>
#include <stdint.h>

void code_init(void); /* looks at what is loaded */

uint64_t code_for_all(uint64_t address); /* of this process; as it travels: CD1. 0 stays 0 */

/* By one thread at a time; runs addr2line, which may take seconds. */

/* Function and place, as far as they are known: "work, prog.c:33". */
void code_say(uint64_t code, char *text, size_t len);
/* The same of the call that returns there. */
void code_say_call(uint64_t code, char *text, size_t len);

/* The variable of the program that has the address, and how far behind its beginning; NULL:
 * unknown. Valid until the next call. */
const char *code_variable(uintptr_t address, uint64_t *behind);

#endif
