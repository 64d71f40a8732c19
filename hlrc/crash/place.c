/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* place.c - see place.h. */
#include "hlrc/crash/place.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/addresses.h"
#include "hlrc/core/engine.h"
#include "hlrc/crash/maps.h"
#include "hlrc/heap/heap_look.h"
#include "hlrc/memory/fault.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/range.h"
#include "hlrc/progress/altstack.h"

#define NULL_BYTES ((uintptr_t)1 << 16) /* left unmapped at 0 by the system */
#define FAR_BYTES  ((uintptr_t)1 << 40) /* nothing else is mapped this close to shared space */
#define FRAME_MAX  ((uintptr_t)1 << 16) /* a frame's accesses are this near the stack pointer */

/* Written while the process has one thread. */
static const struct place_image *images;
static int images_count, image_own;
static struct {
    uintptr_t start;
    size_t bytes;
} finalized;

/* A crash being described. */
struct place_look {
    const char *access, *of; /* "read", "read of", ... */
    enum fault_kind kind;
    int signal;
    uintptr_t address, stack;
    char *text;
    size_t len;
};

struct place_image place_image(void)
{
    struct place_image image = { .start = UINT64_MAX, .pid = getpid() };
    uintptr_t at = getauxval(AT_PHDR), bias = 0;
    const ElfW(Phdr) *parts = (const void *)at;
    unsigned long count = at ? getauxval(AT_PHNUM) : 0;
    for (unsigned long i = 0; i < count; i++)
        if (parts[i].p_type == PT_PHDR)
            bias = at - parts[i].p_vaddr;
    for (unsigned long i = 0; i < count; i++) {
        uint64_t start = bias + parts[i].p_vaddr, end = start + parts[i].p_memsz;
        if (parts[i].p_type != PT_LOAD)
            continue;
        image.start = start < image.start ? start : image.start;
        image.end = end > image.end ? end : image.end;
    }
    return image;
}

void place_meet(const struct place_image *all, int nodes, int node)
{
    images = all;
    images_count = nodes;
    image_own = node;
}

void place_finalized(const void *start, size_t bytes)
{
    finalized.start = (uintptr_t)start;
    finalized.bytes = bytes;
}

uintptr_t place_instruction(const void *context)
{
    return fault_code(context);
}

static bool place_is_guard(const void *address)
{
    uint32_t n = 1;
    return engine_range_of(address) && range_is_guard(engine_page_of(address), &n);
}

bool place_is_accessible(const siginfo_t *info, const void *context)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    static struct maps_mapping found;
    if (place_is_guard(info->si_addr))
        return false;
    if (atomic_flag_test_and_set(&busy))
        return true; /* another thread is in here: let the access fault again */
    bool write = fault_kind(context) == FAULT_WRITE;
    /* the lock keeps other threads from changing the page's access: if it is inaccessible by now,
     * or could not be opened, the program did not close it */
    struct page *p = page_lock(engine_page_of(info->si_addr));
    bool closed = p->unsure || p->access < (write ? ACCESS_WRITE : ACCESS_READ);
    bool mapped = maps_find((uintptr_t)info->si_addr, &found, NULL, NULL);
    bool accessible = mapped && (write ? found.writable : found.readable || found.writable);
    page_unlock(p);
    atomic_flag_clear(&busy);
    return accessible || closed;
}

bool place_is_code(uintptr_t address)
{
    static struct maps_mapping found;
    return maps_find(address, &found, NULL, NULL) && found.executable;
}

/* ---- shared memory ---- */

static void place_describe_block(const struct place_look *l, const char *what,
                                 const struct heap_place *p)
{
    size_t into = l->address - (uintptr_t)p->block;
    const char *more = l->signal == SIGBUS || l->kind == FAULT_EXECUTE
                           ? ""
                           : ": the program has changed its protection or mapping (mprotect, mmap, "
                             "munmap)";
    const char *doubt = p->doubtful ? ", unless another node has allocated there since" : "";
    if (p->size == 0)
        snprintf(l->text, l->len, "%s %s%s%s", l->of, what, doubt, more);
    else
        snprintf(l->text, l->len, "%s %s (block of %zu bytes at %p, %zu bytes into it)%s%s", l->of,
                 what, p->size, p->block, into, doubt, more);
}

static void place_describe_shared(const struct place_look *l)
{
    static const char *const words[] = {
        [HEAP_LIVE] = "memory of hlrc_malloc",
        [HEAP_ALL] = "memory of hlrc_malloc_all",
        [HEAP_FREED] = "memory freed by hlrc_free",
        [HEAP_FREED_ALL] = "memory freed by hlrc_free_all",
        [HEAP_UNUSED] = "shared memory that was never allocated",
        [HEAP_TABLES] = "the tables of the shared heap",
        [HEAP_UNKNOWN] = "shared memory where this node knows no block",
    };
    struct heap_place place = heap_look((const void *)l->address);
    place_describe_block(l, words[place.what], &place);
}

/* Describes an address beside shared space; nothing else is mapped there. */
static bool place_describe_beside(const struct place_look *l, uintptr_t start, size_t bytes)
{
    uintptr_t beyond = l->address - (start + bytes), before = start - l->address;
    if (beyond < FAR_BYTES)
        snprintf(l->text, l->len,
                 "not shared memory: %s %zu bytes beyond its end (%p); --memory sets its size",
                 l->access, (size_t)beyond, (void *)(start + bytes));
    else if (before < FAR_BYTES)
        snprintf(l->text, l->len, "not shared memory: %s %zu bytes before its beginning (%p)",
                 l->access, (size_t)before, (void *)start);
    return beyond < FAR_BYTES || before < FAR_BYTES;
}

static bool place_describe_space(const struct place_look *l)
{
    if (engine.app && engine_in_heap((const void *)l->address)) {
        place_describe_shared(l);
        return true;
    }
    if (engine_range_of((const void *)l->address)) {
        snprintf(l->text, l->len, "%s program data that is shared", l->of);
        return true;
    }
    if (l->address - finalized.start < finalized.bytes) {
        snprintf(l->text, l->len, "%s shared memory after hlrc_finalize, which unmapped it", l->of);
        return true;
    }
    if (engine.app)
        return place_describe_beside(l, (uintptr_t)engine.app,
                                     (size_t)engine_heap_pages() << PAGE_SHIFT);
    return finalized.bytes && place_describe_beside(l, finalized.start, finalized.bytes);
}

/* ---- the stack ---- */

/* True if a frame beyond the low end of its stack made the access: the address is not mapped for
 * it, the stack pointer is near it, and the next mapping above is a stack's. */
static bool place_is_near(uintptr_t address, uintptr_t stack)
{
    return address - stack < FRAME_MAX || stack - address < FRAME_MAX;
}

bool place_is_near_stack(const siginfo_t *info, void *context)
{
    return place_is_near((uintptr_t)info->si_addr, altstack_interrupted(context));
}

static bool place_overflows(const struct place_look *l, const struct maps_mapping *at, bool mapped,
                            uintptr_t above)
{
    static struct maps_mapping stack;
    if (!place_is_near(l->address, l->stack) || (mapped && (at->readable || at->writable)))
        return false;
    return maps_find(mapped ? at->end : above, &stack, NULL, NULL) && stack.writable;
}

static void place_describe_overflow(const struct place_look *l)
{
    struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
    getrlimit(RLIMIT_STACK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY)
        snprintf(l->text, l->len,
                 "not shared memory: stack overflow: unbounded recursion, or large local arrays");
    else
        snprintf(l->text, l->len,
                 "not shared memory: stack overflow: unbounded recursion, or large local arrays; "
                 "ulimit -s is %zu KiB",
                 (size_t)(limit.rlim_cur >> 10));
}

/* ---- other nodes ---- */

/* Executables loaded at the same address cannot be distinguished. */
static int place_image_holder(uintptr_t address)
{
    for (int n = 0; images && n < images_count; n++)
        if (n != image_own && images[n].start != images[image_own].start &&
            address >= images[n].start && address < images[n].end)
            return n;
    return -1;
}

struct place_peer_search {
    uintptr_t address, image;
    bool is_peer, found, executable;
    char name[MAP_NAME_MAX];
};

static bool place_look_at_peer(const struct maps_mapping *mapping, void *arg)
{
    struct place_peer_search *s = arg;
    s->is_peer = s->is_peer || mapping->start == (s->image & ~(uintptr_t)(PAGE_SIZE - 1));
    bool accessible = mapping->readable || mapping->writable || mapping->executable;
    if (accessible && s->address >= mapping->start && s->address < mapping->end) {
        s->found = true;
        s->executable = mapping->executable;
        memcpy(s->name, mapping->name, sizeof s->name);
    }
    return true;
}

/* A mapping of one other node on this machine. */
static bool place_in_peer(uintptr_t address, int n, struct place_peer_search *s)
{
    *s = (struct place_peer_search){ .address = address, .image = images[n].start };
    return maps_walk((pid_t)images[n].pid, place_look_at_peer, s) && s->is_peer && s->found;
}

static bool place_look_for_code(const struct maps_mapping *mapping, void *arg)
{
    struct place_peer_search *s = arg;
    s->executable |= mapping->executable && strcmp(mapping->name, s->name) == 0;
    return !s->executable;
}

/* True if the file that place_in_peer has found is a library, which contains code; else it is
 * data. */
static bool place_is_library(int n, struct place_peer_search *s)
{
    (void)maps_walk((pid_t)images[n].pid, place_look_for_code, s);
    return s->executable;
}

/* hlrc_malloc is unknown to programs of hlrcc. */
static const char *place_for_shared_memory(void)
{
    return addresses_parted(NULL, NULL) ? "malloc in the program's own code allocates shared memory"
                                        : "hlrc_malloc allocates shared memory";
}

static void place_describe_private(const struct place_look *l, int node, const char *name)
{
    snprintf(l->text, l->len,
             "not shared memory: %s node %d's private memory%s%.60s: pointers to it are not valid "
             "on other nodes; %s",
             l->of, node, name[0] ? " " : "", name, place_for_shared_memory());
}

/* Without address randomisation one node has loaded it later, or only one node has. */
static const char *place_for_equal_addresses(void)
{
    int now = personality(0xffffffff);
    return now >= 0 && (now & ADDR_NO_RANDOMIZE)
               ? "link the program with it, so that all nodes load it"
               : "start with --no-aslr";
}

/* `code`: only code matches, since this process has something else there. */
static bool place_describe_foreign(const struct place_look *l, bool code)
{
    static struct place_peer_search s;
    int holder = place_image_holder(l->address);
    if (holder >= 0) {
        snprintf(l->text, l->len,
                 "not shared memory: %s the program as node %d has loaded it: pointers to "
                 "functions, virtual tables and static data differ between nodes; start with "
                 "--no-aslr",
                 l->of, holder);
        return true;
    }
    for (int n = 0; images && n < images_count; n++) {
        if (n == image_own || !place_in_peer(l->address, n, &s) || (code && !s.executable))
            continue;
        if (s.name[0] != '/' || strstr(s.name, "memfd:"))
            place_describe_private(l, n, s.name);
        else if (!place_is_library(n, &s))
            snprintf(l->text, l->len,
                     "not shared memory: %s %.300s as node %d has mapped it: this mapping is on "
                     "that node only; %s",
                     l->of, s.name, n, place_for_shared_memory());
        else
            snprintf(l->text, l->len,
                     "not shared memory: %s %.300s as node %d has loaded it: pointers to "
                     "functions and static data differ between nodes; %s",
                     l->of, s.name, n, place_for_equal_addresses());
        return true;
    }
    int owner = code ? -1 : addresses_node(l->address); /* on another machine, or unmapped */
    if (owner < 0 || owner == image_own)
        return false;
    place_describe_private(l, owner, "");
    return true;
}

/* ---- this process ---- */

/* A reservation of [addresses.reserved]. */
static bool place_is_reserved(const struct place_look *l, const struct maps_mapping *at)
{
    uintptr_t begin, end;
    return addresses_parted(&begin, &end) && (l->address < begin || l->address >= end) &&
           !at->readable && !at->writable && !at->executable && !at->name[0];
}

static void place_describe_mapping(const struct place_look *l, const struct maps_mapping *at)
{
    const char *name = at->name[0] ? at->name : "no file";
    const char *why = l->signal == SIGBUS                       ? "mapped"
                      : l->kind == FAULT_EXECUTE                ? "no code"
                      : !at->readable && !at->writable          ? "not accessible"
                      : l->kind == FAULT_WRITE && !at->writable ? "read-only"
                                                                : "mapped";
    snprintf(l->text, l->len, "not shared memory: %s memory that is %s (%.300s)", l->of, why, name);
}

/* libsigsegv knows only the main thread's stack. */
static bool place_is_overflow(const struct place_look *l, const struct maps_mapping *at,
                              bool mapped, uintptr_t above, int sig, siginfo_t *info, void *context)
{
    if (sig != SIGSEGV || l->kind == FAULT_EXECUTE)
        return false;
    return fault_overflows(sig, info, context) || place_overflows(l, at, mapped, above);
}

/* The access is beyond the upper end of the stack. */
static bool place_is_overrun(const struct place_look *l, uintptr_t below)
{
    static struct maps_mapping stack;
    return l->address - below < FRAME_MAX && maps_find(below - 1, &stack, NULL, NULL) &&
           l->stack >= stack.start && l->stack < stack.end;
}

static void place_describe_rest(const struct place_look *l, int sig, siginfo_t *info, void *context)
{
    static struct maps_mapping at;
    uintptr_t above, below;
    bool mapped = maps_find(l->address, &at, &below, &above);
    if (place_is_overflow(l, &at, mapped, above, sig, info, context))
        place_describe_overflow(l);
    else if (mapped && !place_is_reserved(l, &at) &&
             (l->kind != FAULT_EXECUTE || !place_describe_foreign(l, true)))
        place_describe_mapping(l, &at);
    else if (mapped && !place_is_reserved(l, &at))
        return;
    else if (place_is_overrun(l, below))
        snprintf(l->text, l->len,
                 "not shared memory: %s beyond the upper end of the stack: an array on the stack "
                 "is too short for this access",
                 l->access);
    else if (!place_describe_foreign(l, false))
        snprintf(l->text, l->len, "not shared memory: %s where no memory is mapped", l->access);
}

static void place_words_of(struct place_look *l)
{
    static const char *const words[][2] = {
        [FAULT_READ] = { "read", "read of" },
        [FAULT_WRITE] = { "write", "write to" },
        [FAULT_EXECUTE] = { "execution", "execution of" },
        [FAULT_UNKNOWN] = { "access", "access to" },
    };
    l->access = words[l->kind][0];
    l->of = words[l->kind][1];
}

void place_describe(int sig, siginfo_t *info, void *context, char *text, size_t len)
{
    struct place_look l = { .kind = fault_kind(context),
                            .signal = sig,
                            .address = (uintptr_t)info->si_addr,
                            .stack = altstack_interrupted(context),
                            .text = text,
                            .len = len };
    place_words_of(&l);
    if (l.address < NULL_BYTES)
        snprintf(text, len, "not shared memory: %s through a NULL pointer",
                 l.kind == FAULT_EXECUTE ? "call" : l.access);
    else if (place_is_guard((const void *)l.address))
        place_describe_overflow(&l);
    else if (!place_describe_space(&l))
        place_describe_rest(&l, sig, info, context);
}
