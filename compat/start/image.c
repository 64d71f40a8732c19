/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* image.c - see image.h. */
#include "compat/start/image.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#define PAGE ((uintptr_t)4096)

#if defined(__x86_64__)
#    define IS_COPY(type) ((type) == R_X86_64_COPY)
#else
#    error "define the copy relocation of this CPU here"
#endif

static uintptr_t image_page_up(uintptr_t at)
{
    return (at + PAGE - 1) & ~(PAGE - 1);
}

/* The executable comes first. */
static int image_look(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct image *image = arg;
    uintptr_t data = UINTPTR_MAX, end = 0, sealed = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
            data = at < data ? at : data;
            end = at + p->p_memsz > end ? at + p->p_memsz : end;
        } else if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
            image->code = (const char *)at;
            image->code_end = image->code + p->p_memsz;
        } else if (p->p_type == PT_GNU_RELRO) {
            sealed = at + p->p_memsz;
        } else if (p->p_type == PT_TLS) {
            image->tls_bytes = p->p_memsz;
            image->tls_room = p->p_memsz + p->p_align;
        }
    }
    if (sealed > data)
        data = sealed;
    image->begin = (char *)image_page_up(data);
    image->end = (char *)image_page_up(end);
    if (end == 0 || image->begin > image->end)
        image->begin = image->end = (char *)0;
    return 1;
}

bool image_find(struct image *out)
{
    *out = (struct image){ 0 };
    return dl_iterate_phdr(image_look, out) == 1;
}

static int image_tls_of(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(void **)arg = info->dlpi_tls_data;
    return 1;
}

void *image_tls(void)
{
    void *block = NULL;
    (void)dl_iterate_phdr(image_tls_of, &block);
    return block;
}

/* The values of the executable's dynamic section, by tag. */
struct image_section {
    uintptr_t base;
    ElfW(Addr) value[DT_NUM];
};

static int image_read_section(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct image_section *s = arg;
    const ElfW(Dyn) *d = NULL;
    (void)size;
    s->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag > DT_NULL && d->d_tag < DT_NUM)
            s->value[d->d_tag] = d->d_un.d_ptr;
    return 1;
}

/* NULL: the section has no such table. */
static const void *image_table(const struct image_section *s, int tag)
{
    ElfW(Addr) at = s->value[tag];
    return (const void *)(at && at < s->base ? s->base + at : at);
}

void image_each_needed(void (*fn)(const char *name, bool copied, size_t bytes))
{
    static const struct {
        int table, bytes;
    } relocations[] = { { DT_RELA, DT_RELASZ }, { DT_JMPREL, DT_PLTRELSZ } };
    struct image_section s = { 0 };
    (void)dl_iterate_phdr(image_read_section, &s);
    const ElfW(Sym) *symbols = image_table(&s, DT_SYMTAB);
    const char *names = image_table(&s, DT_STRTAB);
    for (int k = 0; symbols && names && k < 2; k++) {
        const ElfW(Rela) *r = image_table(&s, relocations[k].table);
        const ElfW(Rela) *end = r ? r + s.value[relocations[k].bytes] / sizeof *r : r;
        for (; r < end; r++) {
            const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(r->r_info)];
            bool copied = IS_COPY(ELF64_R_TYPE(r->r_info));
            if (ELF64_R_SYM(r->r_info) && (copied || symbol->st_shndx == SHN_UNDEF))
                fn(names + symbol->st_name, copied, symbol->st_size);
        }
    }
}
