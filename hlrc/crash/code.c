/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* code.c - see code.h. */
#include "hlrc/crash/code.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/procfs.h"
#include "hlrc/crash/elf.h"
#include "hlrc/crash/lines.h"

#define FILES         128
#define FILE_SHIFT    48 /* in a code: digest of the file's name above, address below */
#define ADDRESS(code) ((code) & ((UINT64_C(1) << FILE_SHIFT) - 1))
#define SECONDS       10 /* limit of addr2line for one code */

/* Files that were loaded at the start. */
static struct code_file {
    char path[512];
    uint64_t digest, bias, start, end;
} files[FILES];
static int file_count;

static const char *code_name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* 1 .. 2^16 - 1 */
static uint64_t code_digest_of(const char *name)
{
    uint64_t digest = 0;
    for (; *name; name++)
        digest = (digest * 31 + (unsigned char)*name) % 0xffff;
    return digest + 1 > 0xffff ? 1 : digest + 1;
}

static int code_add_file(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (file_count == FILES)
        return 1;
    struct code_file *f = &files[file_count];
    *f = (struct code_file){ .bias = info->dlpi_addr, .start = UINT64_MAX };
    snprintf(f->path, sizeof f->path, "%s", info->dlpi_name ? info->dlpi_name : "");
    if (file_count == 0 && procfs_program(f->path, sizeof f->path) < 0)
        return 0;
    f->digest = code_digest_of(code_name_of(f->path));
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uint64_t start = f->bias + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        f->start = start < f->start ? start : f->start;
        f->end = start + info->dlpi_phdr[i].p_memsz;
    }
    file_count++;
    return 0;
}

void code_init(void)
{
    file_count = 0;
    (void)dl_iterate_phdr(code_add_file, NULL);
}

static const struct code_file *code_loaded_at(uint64_t address)
{
    for (int i = 0; i < file_count; i++)
        if (address - files[i].start < files[i].end - files[i].start)
            return &files[i];
    return NULL;
}

uint64_t code_for_all(uint64_t address)
{
    const struct code_file *f = address ? code_loaded_at(address) : NULL;
    return f ? f->digest << FILE_SHIFT | ADDRESS(address - f->bias) : ADDRESS(address);
}

bool code_is_std(uint64_t address)
{
    static const char *const starts[] = { "_ZS",  "_ZNS",          "_ZNKS",         "_Znw",
                                          "_Zna", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx" };
    const struct code_file *f = code_loaded_at(address);
    uint64_t behind;
    struct elf elf;
    bool is_std = false;
    if (!f || !elf_open(f->path, &elf))
        return false;
    const char *name = elf_function(&elf, address - f->bias, &behind);
    for (size_t i = 0; name && i < sizeof starts / sizeof *starts; i++)
        is_std |= strncmp(name, starts[i], strlen(starts[i])) == 0;
    elf_close(&elf);
    return is_std;
}

static const struct code_file *code_file_of(uint64_t code)
{
    for (int i = 0; i < file_count; i++)
        if (files[i].digest == code >> FILE_SHIFT)
            return &files[i];
    return NULL;
}

/* In "std::vector<int>& std::f<int>(int)" the name is "std::f<int>": after the last space that is
 * outside of brackets, before the parameters. */
static bool code_name_is_std(const char *function)
{
    const char *name = function;
    int depth = 0;
    for (const char *c = function; *c && (depth > 0 || *c != '(' || c == name); c++) {
        depth += strchr("<({", *c) != NULL;
        depth -= strchr(">)}", *c) != NULL;
        if (*c == ' ' && depth == 0)
            name = c + 1;
    }
    return strncmp(name, "std::", 5) == 0 || strncmp(name, "__gnu_cxx::", 11) == 0;
}

/* By addr2line; false: it has no answer. */
static bool code_say_line(const struct code_file *f, uint64_t address, char *text, size_t len)
{
    static struct lines lines;
    struct lines *out = &lines;
    lines.count = 0;
    lines_begin(SECONDS);
    lines_find(f->path, &address, &out, 1);
    int at = 0;
    while (at + 1 < lines.count && code_name_is_std(lines.of[at].function))
        at++;
    if (lines.count == 0 || lines.of[at].place[0] == '\0')
        return false;
    snprintf(text, len, "%.100s, %.120s", lines.of[at].function, code_name_of(lines.of[at].place));
    return true;
}

void code_say(uint64_t code, char *text, size_t len)
{
    const struct code_file *f = code_file_of(code);
    uint64_t address = ADDRESS(code), behind = 0;
    struct elf elf;
    snprintf(text, len, "at 0x%" PRIx64 "%s%s", address, f ? " of " : "",
             f ? code_name_of(f->path) : "");
    if (!f || code_say_line(f, address, text, len) || !elf_open(f->path, &elf))
        return;
    const char *name = elf_function(&elf, address, &behind);
    if (name)
        snprintf(text, len, "%.100s+0x%" PRIx64 " in %s", name, behind, code_name_of(f->path));
    elf_close(&elf);
}

void code_say_call(uint64_t code, char *text, size_t len)
{
    code_say(code - 1, text, len); /* the return address may belong to the next line */
}

const char *code_variable(uintptr_t address, uint64_t *behind)
{
    static char name[160];
    const struct code_file *f = code_loaded_at(address);
    struct elf elf;
    if (!f || !elf_open(f->path, &elf))
        return NULL;
    const char *found = elf_variable(&elf, address - f->bias, behind);
    snprintf(name, sizeof name, "%s", found ? found : "");
    elf_close(&elf);
    return found ? name : NULL;
}
