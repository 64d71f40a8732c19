/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elf.c - see elf.h. The file may be damaged, or replaced since: all offsets in it are checked
 * against its size. */
#include "hlrc/crash/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool elf_open(const char *path, struct elf *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *bytes = MAP_FAILED;
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        (size_t)status.st_size >= sizeof(Elf64_Ehdr))
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    *out = (struct elf){ .bytes = bytes, .size = (size_t)status.st_size };
    if (memcmp(bytes, ELFMAG, SELFMAG) == 0 && out->bytes[EI_CLASS] == ELFCLASS64)
        return true;
    elf_close(out);
    return false;
}

void elf_close(struct elf *elf)
{
    munmap((void *)(uintptr_t)elf->bytes, elf->size);
    *elf = (struct elf){ 0 };
}

/* A table of `count` entries of `size` bytes each; NULL: not entirely in the file. */
static const void *elf_table(const struct elf *elf, uint64_t offset, uint64_t count, size_t size)
{
    if (offset > elf->size || count > (elf->size - offset) / size || offset % 8 != 0)
        return NULL;
    return elf->bytes + offset;
}

bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address)
{
    const Elf64_Ehdr *head = (const void *)elf->bytes;
    const Elf64_Phdr *parts = elf_table(elf, head->e_phoff, head->e_phnum, sizeof *parts);
    for (unsigned i = 0; parts && i < head->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD && offset >= parts[i].p_offset &&
            offset - parts[i].p_offset < parts[i].p_filesz) {
            *address = parts[i].p_vaddr + (offset - parts[i].p_offset);
            return true;
        }
    return false;
}

static const Elf64_Shdr *elf_sections(const struct elf *elf, unsigned *count)
{
    const Elf64_Ehdr *head = (const void *)elf->bytes;
    *count = head->e_shnum;
    return elf_table(elf, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr));
}

static bool elf_is_function(unsigned type)
{
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static bool elf_is_variable(unsigned type)
{
    return type == STT_OBJECT;
}

struct elf_wanted {
    uint64_t address;
    bool (*type)(unsigned type);
};

static bool elf_holds(const Elf64_Sym *symbol, struct elf_wanted what)
{
    uint64_t address = what.address;
    return what.type(ELF64_ST_TYPE(symbol->st_info)) && symbol->st_shndx != SHN_UNDEF &&
           address >= symbol->st_value && address - symbol->st_value < symbol->st_size;
}

/* Searches one symbol table. */
static const char *elf_search(const struct elf *elf, const Elf64_Shdr *symbols,
                              const Elf64_Shdr *strings, struct elf_wanted what, uint64_t *behind)
{
    uint64_t count = symbols->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *symbol = elf_table(elf, symbols->sh_offset, count, sizeof *symbol);
    for (uint64_t i = 0; symbol && i < count; i++) {
        uint64_t at = strings->sh_offset + symbol[i].st_name;
        if (!elf_holds(&symbol[i], what) || symbol[i].st_name >= strings->sh_size ||
            at >= elf->size)
            continue;
        if (memchr(elf->bytes + at, '\0', elf->size - at) == NULL)
            continue;
        *behind = what.address - symbol[i].st_value;
        return (const char *)elf->bytes + at;
    }
    return NULL;
}

/* A stripped file still has the table of the dynamic linker. */
static const char *elf_search_all(const struct elf *elf, struct elf_wanted what, uint64_t *behind)
{
    static const unsigned types[] = { SHT_SYMTAB, SHT_DYNSYM };
    unsigned count;
    const Elf64_Shdr *section = elf_sections(elf, &count);
    for (unsigned t = 0; section && t < 2; t++)
        for (unsigned i = 0; i < count; i++) {
            if (section[i].sh_type != types[t] || section[i].sh_link >= count)
                continue;
            const char *name =
                elf_search(elf, &section[i], &section[section[i].sh_link], what, behind);
            if (name)
                return name;
        }
    return NULL;
}

const char *elf_function(const struct elf *elf, uint64_t address, uint64_t *behind)
{
    return elf_search_all(elf, (struct elf_wanted){ address, elf_is_function }, behind);
}

const char *elf_variable(const struct elf *elf, uint64_t address, uint64_t *behind)
{
    return elf_search_all(elf, (struct elf_wanted){ address, elf_is_variable }, behind);
}
