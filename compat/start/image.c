/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* image.c - see image.h. */
#include "compat/start/image.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((uintptr_t)4096)

#if defined(__x86_64__)
#    define IS_COPY(type) ((type) == R_X86_64_COPY)
#    define IS_ADDRESS(type) \
        ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined(__aarch64__)
#    define IS_COPY(type) ((type) == R_AARCH64_COPY)
#    define IS_ADDRESS(type) \
        ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#else
#    error "define the relocations of this CPU here"
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
        } else if (p->p_type == PT_GNU_STACK) {
            image->runs_stack = p->p_flags & PF_X;
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

/* The values of an object's dynamic section, by tag. */
struct image_section {
    uintptr_t base;
    ElfW(Addr) value[DT_NUM];
};

static void image_read_section(const struct dl_phdr_info *info, struct image_section *s)
{
    const ElfW(Dyn) *d = NULL;
    *s = (struct image_section){ .base = info->dlpi_addr };
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag > DT_NULL && d->d_tag < DT_NUM)
            s->value[d->d_tag] = d->d_un.d_ptr;
}

/* NULL: the section has no such table. */
static const void *image_table(const struct image_section *s, int tag)
{
    ElfW(Addr) at = s->value[tag];
    return (const void *)(at && at < s->base ? s->base + at : at);
}

typedef void image_relocation_fn(const ElfW(Rela) * r, const ElfW(Sym) * symbol, const char *name,
                                 void *arg);

/* Those for symbols. */
static void image_each_relocation(const struct image_section *s, image_relocation_fn *fn, void *arg)
{
    static const struct {
        int table, bytes;
    } relocations[] = { { DT_RELA, DT_RELASZ }, { DT_JMPREL, DT_PLTRELSZ } };
    const ElfW(Sym) *symbols = image_table(s, DT_SYMTAB);
    const char *names = image_table(s, DT_STRTAB);
    for (int k = 0; symbols && names && k < 2; k++) {
        const ElfW(Rela) *r = image_table(s, relocations[k].table);
        const ElfW(Rela) *end = r ? r + s->value[relocations[k].bytes] / sizeof *r : r;
        for (; r < end; r++) {
            const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(r->r_info)];
            if (ELF64_R_SYM(r->r_info))
                fn(r, symbol, names + symbol->st_name, arg);
        }
    }
}

/* ---- what the executable needs ---- */

static void image_pass_needed(const ElfW(Rela) * r, const ElfW(Sym) * symbol, const char *name,
                              void *arg)
{
    image_needed_fn *fn = *(image_needed_fn **)arg;
    bool copied = IS_COPY(ELF64_R_TYPE(r->r_info));
    if (copied || symbol->st_shndx == SHN_UNDEF)
        fn(name, copied, symbol->st_size);
}

static int image_look_at_needed(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct image_section s;
    (void)size;
    image_read_section(info, &s);
    image_each_relocation(&s, image_pass_needed, arg);
    return 1;
}

void image_each_needed(image_needed_fn *fn)
{
    (void)dl_iterate_phdr(image_look_at_needed, &fn);
}

/* ---- calls of libraries ---- */

struct image_binding {
    image_replacement_fn *find;
    bool own;                           /* of functions that the library defines itself */
    uintptr_t base, sealed, sealed_end; /* the loader made these pages read-only */
};

static void image_bind_one(const ElfW(Rela) * r, const ElfW(Sym) * symbol, const char *name,
                           void *arg)
{
    const struct image_binding *b = arg;
    void *slot = (void *)(b->base + r->r_offset), *page = (void *)((uintptr_t)slot & ~(PAGE - 1));
    bool sealed = (uintptr_t)page >= b->sealed && (uintptr_t)page < b->sealed_end;
    const void *to = IS_ADDRESS(ELF64_R_TYPE(r->r_info)) &&
                             (b->own || symbol->st_shndx == SHN_UNDEF) && r->r_addend == 0
                         ? b->find(name)
                         : NULL;
    if (!to || (sealed && mprotect(page, PAGE, PROT_READ | PROT_WRITE) != 0))
        return;
    __atomic_store_n((const void **)slot, to, __ATOMIC_RELEASE);
    if (sealed)
        (void)mprotect(page, PAGE, PROT_READ);
}

/* The C library, its loader and HLRC keep their calls. */
static bool image_is_bound(const char *path)
{
    static const char *const kept[] = { "libc.so.", "ld-linux", "libhlrc", "linux-vdso" };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strncmp(name, kept[i], strlen(kept[i])) == 0)
            return false;
    return *name; /* the executable has none */
}

static void image_bind_calls_of(const struct dl_phdr_info *info, image_replacement_fn *find,
                                bool own)
{
    struct image_binding b = { find, own, info->dlpi_addr, 0, 0 };
    struct image_section s;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_GNU_RELRO)
            continue;
        b.sealed = (info->dlpi_addr + p->p_vaddr) & ~(PAGE - 1);
        b.sealed_end = (info->dlpi_addr + p->p_vaddr + p->p_memsz) & ~(PAGE - 1);
    }
    image_read_section(info, &s);
    image_each_relocation(&s, image_bind_one, &b);
}

static int image_bind_object(struct dl_phdr_info *info, size_t size, void *find)
{
    (void)size;
    if (image_is_bound(info->dlpi_name))
        image_bind_calls_of(info, *(image_replacement_fn **)find, false);
    return 0;
}

static int image_bind_c_object(struct dl_phdr_info *info, size_t size, void *find)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)size;
    if (slash && strncmp(slash, "/libc.so.", 9) == 0)
        image_bind_calls_of(info, *(image_replacement_fn **)find, true);
    return 0;
}

void image_bind(image_replacement_fn *find)
{
    (void)dl_iterate_phdr(image_bind_object, &find);
}

void image_bind_c_library(image_replacement_fn *find)
{
    (void)dl_iterate_phdr(image_bind_c_object, &find);
}

static int image_bind_first(struct dl_phdr_info *info, size_t size, void *find)
{
    (void)size;
    image_bind_calls_of(info, *(image_replacement_fn **)find, false);
    return 1;
}

void image_bind_program(image_replacement_fn *find)
{
    (void)dl_iterate_phdr(image_bind_first, &find);
}
