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

struct image_tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * relocations[2];
    size_t bytes[2];
};

static const void *image_at(uintptr_t base, ElfW(Addr) address)
{
    return (const void *)(address < base ? base + address : address);
}

static int image_find_tables(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct image_tables *t = arg;
    const ElfW(Dyn) *d = NULL;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            t->symbols = image_at(info->dlpi_addr, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            t->names = image_at(info->dlpi_addr, d->d_un.d_ptr);
            break;
        case DT_RELA:
            t->relocations[0] = image_at(info->dlpi_addr, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            t->bytes[0] = d->d_un.d_val;
            break;
        case DT_JMPREL:
            t->relocations[1] = image_at(info->dlpi_addr, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            t->bytes[1] = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return 1;
}

void image_each_needed(void (*fn)(const char *name, bool copied, size_t bytes))
{
    struct image_tables t = { 0 };
    (void)dl_iterate_phdr(image_find_tables, &t);
    if (!t.symbols || !t.names)
        return;
    for (int k = 0; k < 2; k++) {
        size_t n = t.relocations[k] ? t.bytes[k] / sizeof *t.relocations[k] : 0;
        for (size_t i = 0; i < n; i++) {
            const ElfW(Rela) *r = &t.relocations[k][i];
            const ElfW(Sym) *s = &t.symbols[ELF64_R_SYM(r->r_info)];
            bool copied = IS_COPY(ELF64_R_TYPE(r->r_info));
            if (ELF64_R_SYM(r->r_info) && (copied || s->st_shndx == SHN_UNDEF))
                fn(t.names + s->st_name, copied, s->st_size);
        }
    }
}
