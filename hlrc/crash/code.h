/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * code.h - names of instructions and variables of the program, including other nodes'
 * instructions.
 *
 *   - An instruction is sent as its file, identified by a digest of the file's name, and its
 *     address in that file: nodes may have loaded it at different addresses. Files loaded after
 *     hlrc_init are unknown: an instruction in them is reported by its address in the node that ran
 *     it.
 */
#ifndef HLRC_CODE_H
#define HLRC_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void code_init(void); /* records the loaded files */

/* this process's address in the form that all nodes know; 0 stays 0 */
uint64_t code_for_all(uint64_t address);

/* Whether the function at this address of the process is of namespace std, or operator new. */
bool code_is_std(uint64_t address);

/* Called by one thread at a time; these run addr2line, which may take seconds. */

/* Function and source line, as far as known: "work, prog.c:33". Of inlined functions, the innermost
 * that is not of namespace std. */
void code_say(uint64_t code, char *text, size_t len);
/* The same for the call that returns to this address. */
void code_say_call(uint64_t code, char *text, size_t len);

/* The program's variable that contains the address, and the offset in it (*behind); NULL: unknown.
 * Valid until the next call. */
const char *code_variable(uintptr_t address, uint64_t *behind);

#endif
