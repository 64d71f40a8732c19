/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elf.h - names of functions and variables, from the symbol table of an executable or library.
 * Does not allocate, for crash.c; one file at a time. */
#ifndef HLRC_ELF_H
#define HLRC_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const unsigned char *bytes;
    size_t size;
};

bool elf_open(const char *path, struct elf *out); /* false: not a readable 64-bit ELF file */
void elf_close(struct elf *elf);

/* The virtual address of the byte at this offset in the file. */
bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address);

/* The function that contains an address, and the offset in it (*behind); NULL: unknown. */
const char *elf_function(const struct elf *elf, uint64_t address, uint64_t *behind);
/* The same for a variable. */
const char *elf_variable(const struct elf *elf, uint64_t address, uint64_t *behind);

#endif
