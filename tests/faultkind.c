/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes told apart by the context of a SIGSEGV: on contexts made up here, and in a
 * handler, for accesses that fault. With --emulated the context of a real fault may say nothing,
 * since qemu-user leaves the ESR record of aarch64 out (fault.h): the program says so, and passes.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "hlrc/memory/fault.h"

static int failures;

static void expect_kind(enum fault_kind got, enum fault_kind want, const char *what)
{
    static const char *const names[] = { "a read", "a write", "unknown", "an instruction fetch" };
    if (got == want)
        return;
    printf("FAILED: %s is %s, not %s\n", what, names[got], names[want]);
    failures++;
}

/* ---- contexts made up ---- */

#if defined(__x86_64__)
/* The error code of a page fault: bit 0 the page is present, 1 write, 2 user mode, 4 instruction
 * fetch. */
static void made_up(void)
{
    static const struct {
        int code;
        enum fault_kind kind;
    } cases[] = { { 4, FAULT_READ },       { 5, FAULT_READ },  { 0x14, FAULT_EXECUTE },
                  { 0x15, FAULT_EXECUTE }, { 6, FAULT_WRITE }, { 7, FAULT_WRITE } };
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        char what[64];
        ucontext_t uc;
        memset(&uc, 0, sizeof uc);
        uc.uc_mcontext.gregs[REG_ERR] = cases[k].code;
        snprintf(what, sizeof what, "error code %#x", (unsigned)cases[k].code);
        expect_kind(fault_kind(&uc), cases[k].kind, what);
    }
}
#elif defined(__aarch64__)
static void put(ucontext_t *uc, size_t *at, uint32_t magic, uint32_t size)
{
    struct _aarch64_ctx head = { magic, size };
    memcpy((unsigned char *)uc->uc_mcontext.__reserved + *at, &head, sizeof head);
    *at += size;
}

static void put_esr(ucontext_t *uc, size_t *at, uint64_t esr)
{
    size_t record = *at;
    put(uc, at, ESR_MAGIC, sizeof(struct esr_context));
    memcpy((unsigned char *)uc->uc_mcontext.__reserved + record + sizeof(struct _aarch64_ctx), &esr,
           sizeof esr);
}

/* Class 0x24 is a data abort from user mode, 0x20 an instruction fetch; 0x07 a page that is not
 * there, 0x0f one that may not be accessed so; bit 6 is WnR, bit 8 cache maintenance. */
static void made_up_records(void)
{
    static const struct {
        uint64_t esr;
        enum fault_kind kind;
    } cases[] = { { 0x92000007, FAULT_READ },  { 0x9200000f, FAULT_READ },
                  { 0x92000047, FAULT_WRITE }, { 0x9200004f, FAULT_WRITE },
                  { 0x92000147, FAULT_READ },  { 0x8200000f, FAULT_EXECUTE } };
    for (unsigned k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        char what[64];
        ucontext_t uc;
        size_t at = 0;
        memset(&uc, 0, sizeof uc);
        if (k % 2) /* behind the registers for floating point, as Linux has it */
            put(&uc, &at, FPSIMD_MAGIC, sizeof(struct fpsimd_context));
        put_esr(&uc, &at, cases[k / 2].esr);
        snprintf(what, sizeof what, "ESR %#jx, record %u", (uintmax_t)cases[k / 2].esr, k % 2);
        expect_kind(fault_kind(&uc), cases[k / 2].kind, what);
    }
}

static void made_up_without(void)
{
    ucontext_t uc;
    size_t at = 0;
    memset(&uc, 0, sizeof uc);
    expect_kind(fault_kind(&uc), FAULT_UNKNOWN, "no record");
    put(&uc, &at, FPSIMD_MAGIC, sizeof(struct fpsimd_context));
    size_t end = at;
    at += 16;
    put_esr(&uc, &at, 0x92000047);
    expect_kind(fault_kind(&uc), FAULT_UNKNOWN, "a record behind the last one");
    put(&uc, &end, FPSIMD_MAGIC, 0);
    expect_kind(fault_kind(&uc), FAULT_UNKNOWN, "a record without a size");
    at = 0;
    put(&uc, &at, FPSIMD_MAGIC, sizeof uc.uc_mcontext.__reserved);
    expect_kind(fault_kind(&uc), FAULT_UNKNOWN, "a record that fills all");
    at = 0;
    put(&uc, &at, FPSIMD_MAGIC, 1u << 30);
    expect_kind(fault_kind(&uc), FAULT_UNKNOWN, "a record longer than all");
}

static void made_up(void)
{
    made_up_records();
    made_up_without();
}
#endif

/* ---- faults that happen ---- */

static unsigned char *page;
static size_t page_size;
static volatile sig_atomic_t faults, kind_seen;

static void on_segv(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    faults++;
    kind_seen = (int)fault_kind(context);
    if (faults > 1 || mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0)
        _exit(1);
}

static void read_byte(void)
{
    (void)*(volatile unsigned char *)page;
}
static void read_word(void)
{
    (void)*(volatile uint64_t *)(void *)page;
}
static void write_byte(void)
{
    *(volatile unsigned char *)page = 1;
}
static void write_word(void)
{
    *(volatile uint64_t *)(void *)page = 1;
}
static void clear(void)
{
    memset(page, 0, page_size);
}

static const struct {
    const char *what;
    void (*act)(void);
    int protection;
    enum fault_kind kind;
} accesses[] = {
    { "reading a byte", read_byte, PROT_NONE, FAULT_READ },
    { "reading a word", read_word, PROT_NONE, FAULT_READ },
    { "writing a byte of a page without access", write_byte, PROT_NONE, FAULT_WRITE },
    { "writing a word of a page without access", write_word, PROT_NONE, FAULT_WRITE },
    { "writing a byte of a page to be read", write_byte, PROT_READ, FAULT_WRITE },
    { "writing a word of a page to be read", write_word, PROT_READ, FAULT_WRITE },
    { "clearing a page to be read", clear, PROT_READ, FAULT_WRITE },
};

static void real(bool emulated)
{
    struct sigaction act = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    int unknown = 0, count = sizeof accesses / sizeof *accesses;
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || sigaction(SIGSEGV, &act, NULL) != 0) {
        perror("FAILED: a page and a handler");
        failures++;
        return;
    }
    for (int k = 0; k < count; k++) {
        mprotect(page, page_size, accesses[k].protection);
        faults = 0;
        accesses[k].act();
        if (faults != 1) {
            printf("FAILED: %s: %d faults\n", accesses[k].what, (int)faults);
            failures++;
        }
        if (emulated && kind_seen == FAULT_UNKNOWN)
            unknown++;
        else
            expect_kind((enum fault_kind)kind_seen, accesses[k].kind, accesses[k].what);
    }
    if (unknown == 0)
        printf("%d real faults told apart\n", count);
    else
        printf("%d of %d real faults come without a record that tells reads from writes\n", unknown,
               count);
}

int main(int argc, char **argv)
{
    made_up();
    real(argc > 1 && strcmp(argv[1], "--emulated") == 0);
    return failures > 0;
}
