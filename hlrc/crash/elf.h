/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elf.h - names of functions and variables, from the symbol table of an executable or library;
 * without allocating, for crash.c, one file at a time. */
#ifndef HLRC_ELF_H
#define HLRC_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const unsigned char *bytes;
    size_t size;
};

bool elf_open(const char *path, struct elf *out); /* false: no 64-bit ELF file that can be read */
void elf_close(struct elf *elf);

/* The address that the file gives to what is at this offset in it. */
bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address);

/* The function that holds an address, and how far behind its beginning; NULL: unknown. */
const char *elf_function(const struct elf *elf, uint64_t address, uint64_t *behind);
/* The variable that does. */
const char *elf_variable(const struct elf *elf, uint64_t address, uint64_t *behind);

#endif
