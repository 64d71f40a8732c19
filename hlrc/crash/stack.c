/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stack.c - see stack.h. */
#include "hlrc/crash/stack.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "hlrc/crash/elf.h"
#include "hlrc/crash/lines.h"
#include "hlrc/crash/maps.h"
#include "hlrc/crash/place.h"

#define HEAD    20      /* frames that are reported: the first ones, */
#define TAIL    6       /* and the last ones */
#define DEPTH   1000000 /* frames that are visited */
#define MODULES 24      /* files that contain them */

struct stack_frame {
    uintptr_t pc;
    bool exact;      /* the interrupted instruction; else a return address */
    int module;      /* -1: in no file */
    uint64_t offset; /* in the file */
    uint64_t address, behind;
    char function[LINES_NAME];
    struct lines lines;
};

/* One crash is reported, by one thread. */
static struct stack_frame frames[HEAD + TAIL];
static unsigned long count; /* of all frames; after HEAD, the last TAIL frames in a ring */
static char modules[MODULES][MAP_NAME_MAX];
static int module_count;

static struct stack_frame *stack_frame_at(unsigned long number)
{
    return number < HEAD ? &frames[number] : &frames[HEAD + (number - HEAD) % TAIL];
}

static void stack_note(uintptr_t pc, bool exact)
{
    struct stack_frame *f = stack_frame_at(count++);
    memset(f, 0, sizeof *f);
    f->pc = pc;
    f->exact = exact;
    f->module = -1;
}

/* ---- unwinding ---- */

struct stack_walk {
    uintptr_t from;
    bool begun;
};

/* Skips the handler's own frames, which come first. */
static _Unwind_Reason_Code stack_step(struct _Unwind_Context *context, void *arg)
{
    struct stack_walk *walk = arg;
    int exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &exact);
    walk->begun = walk->begun || pc == walk->from;
    if (walk->begun && pc != 0)
        stack_note(pc, exact);
    return count < DEPTH ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void stack_walk_from(uintptr_t pc)
{
    struct stack_walk walk = { .from = pc };
    (void)_Unwind_Backtrace(stack_step, &walk);
}

/*
 * After a jump to an address without code the unwinder finds no caller. So the context is
 * temporarily changed to that of the call: the return address is where a call puts it, and minus
 * one it lies in the call itself.
 */
#if defined(__x86_64__)
static void stack_walk_from_caller(ucontext_t *uc)
{
    greg_t *regs = uc->uc_mcontext.gregs, pc = regs[REG_RIP], sp = regs[REG_RSP];
    const greg_t *top = (const void *)sp; /* NOLINT: a stack pointer */
    regs[REG_RIP] = *top - 1;
    regs[REG_RSP] = sp + 8;
    stack_walk_from((uintptr_t)regs[REG_RIP]);
    regs[REG_RIP] = pc;
    regs[REG_RSP] = sp;
}
#else
static void stack_walk_from_caller(ucontext_t *uc)
{
    uint64_t pc = uc->uc_mcontext.pc;
    uc->uc_mcontext.pc = uc->uc_mcontext.regs[30] - 1;
    stack_walk_from((uintptr_t)uc->uc_mcontext.pc);
    uc->uc_mcontext.pc = pc;
}
#endif

void stack_capture(void *context)
{
    uintptr_t pc = place_instruction(context);
    count = 0;
    if (place_is_code(pc)) {
        stack_walk_from(pc);
    } else {
        stack_note(pc, true);
        stack_walk_from_caller(context);
    }
    if (count == 0)
        stack_note(pc, true);
}

/* ---- files and functions ---- */

static unsigned long stack_told(void)
{
    return count < HEAD + TAIL ? count : HEAD + TAIL;
}

/* For a return address, the call before it. */
static uintptr_t stack_code_of(const struct stack_frame *f)
{
    return f->exact ? f->pc : f->pc - 1;
}

static int stack_module_of(const char *name)
{
    if (name[0] != '/' || strncmp(name, "/memfd:", 7) == 0)
        return -1;
    for (int m = 0; m < module_count; m++)
        if (strcmp(modules[m], name) == 0)
            return m;
    if (module_count == MODULES)
        return -1;
    memcpy(modules[module_count], name, MAP_NAME_MAX);
    return module_count++;
}

static bool stack_place_frames(const struct maps_mapping *mapping, void *arg)
{
    (void)arg;
    for (unsigned long i = 0; i < stack_told(); i++) {
        struct stack_frame *f = &frames[i];
        uintptr_t code = stack_code_of(f);
        if (code < mapping->start || code >= mapping->end)
            continue;
        f->module = stack_module_of(mapping->name);
        f->offset = code - mapping->start + mapping->offset;
    }
    return true;
}

static void stack_name_frames(int module)
{
    struct elf elf;
    if (!elf_open(modules[module], &elf))
        return;
    for (unsigned long i = 0; i < stack_told(); i++) {
        struct stack_frame *f = &frames[i];
        if (f->module != module || !elf_address(&elf, f->offset, &f->address))
            continue;
        const char *name = elf_function(&elf, f->address, &f->behind);
        snprintf(f->function, sizeof f->function, "%s", name ? name : "");
    }
    elf_close(&elf);
}

static void stack_find_lines(int module)
{
    struct lines *out[HEAD + TAIL];
    uint64_t address[HEAD + TAIL];
    int n = 0;
    for (unsigned long i = 0; i < stack_told(); i++)
        if (frames[i].module == module && frames[i].address) {
            out[n] = &frames[i].lines;
            address[n++] = frames[i].address;
        }
    if (n > 0)
        lines_find(modules[module], address, out, n);
}

/* ---- reporting ---- */

static const char *stack_file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void stack_tell_plain(const struct stack_frame *f, unsigned long number, const char *again,
                             void (*say)(const char *, ...))
{
    const char *file = f->module >= 0 ? stack_file_of(modules[f->module]) : "";
    const char *name = f->lines.count > 0 ? f->lines.of[0].function : f->function;
    unsigned long long pc = f->pc;
    if (f->module < 0)
        say("#%lu 0x%llx, in no file%s", number, pc, again);
    else if (name[0] == '\0')
        say("#%lu 0x%llx in %s+0x%llx%s", number, pc, file, (unsigned long long)f->offset, again);
    else
        say("#%lu %s+0x%llx in %s%s", number, name, (unsigned long long)f->behind, file, again);
}

/* Returns the number of lines: inlined functions have their own. */
static unsigned long stack_tell_frame(const struct stack_frame *f, unsigned long number,
                                      const char *again, void (*say)(const char *, ...))
{
    if (f->lines.count == 0 || f->lines.of[0].place[0] == '\0') {
        stack_tell_plain(f, number, again, say);
        return 1;
    }
    for (int i = 0; i < f->lines.count; i++)
        say("#%lu %s at %s%s%s", number + (unsigned long)i, f->lines.of[i].function,
            f->lines.of[i].place, i + 1 < f->lines.count ? " (inlined)" : "", again);
    return (unsigned long)f->lines.count;
}

/* Number of frames from this one on with the same pc. */
static unsigned long stack_repeated(unsigned long first, unsigned long end)
{
    unsigned long n = 1;
    while (first + n < end && stack_frame_at(first + n)->pc == stack_frame_at(first)->pc)
        n++;
    return n;
}

static void stack_tell_frames(unsigned long first, unsigned long end, unsigned long *number,
                              void (*say)(const char *, ...))
{
    for (unsigned long i = first, n; i < end; i += n) {
        char again[32] = "";
        n = stack_repeated(i, end);
        if (n > 1)
            snprintf(again, sizeof again, ", %lu times", n);
        *number += n * stack_tell_frame(stack_frame_at(i), *number, again, say);
    }
}

void stack_tell(void (*say)(const char *fmt, ...))
{
    unsigned long number = 0, left_out = count - stack_told();
    unsigned long head = count < HEAD ? count : HEAD;
    module_count = 0;
    (void)maps_walk(0, stack_place_frames, NULL);
    for (int m = 0; m < module_count; m++)
        stack_name_frames(m);
    lines_begin(SK_SECONDS);
    for (int m = 0; m < module_count; m++)
        stack_find_lines(m);
    stack_tell_frames(0, head, &number, say);
    if (left_out > 0)
        say("... %lu more calls", left_out);
    number += left_out;
    stack_tell_frames(head + left_out, count, &number, say);
}
