/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Three ways to learn which pages of shared memory were written since the last release:
 * nanoseconds per page of the set and interval, stores and release together.
 *
 *  sealed_K   each release write-protects all pages by one mprotect; the first store to a page
 *             raises SIGSEGV, and the handler makes it writable
 *  compared_K pages stay writable; each release compares each page with its twin and copies those
 *  pages that differ [page.retained-twin]
 *  kernel_K   asynchronous write-protection by userfaultfd: the kernel itself makes a page
 *             writable at its first store; each release queries the written pages by PAGEMAP_SCAN,
 *             which protects them again (Linux 6.7 and later)
 *
 * K is the number of pages, out of 64, written in each interval. The pages that the last two
 * report in each interval are checked against the pages written.
 */
#include "hlrc/memory/diff.h"
#include "microbench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The interface of Linux 6.7, for older headers; values as in the kernel. */
struct scan_region {
    uint64_t start, end, categories;
};

struct scan_arg {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_PAGEMAP   _IOWR('f', 16, struct scan_arg)
#define SCAN_PROTECT   UINT64_C(1) /* write-protect the pages found */
#define SCAN_CHECK     UINT64_C(2) /* fail if the range is not registered for write-protection */
#define IS_WRITTEN     UINT64_C(2)
#define WP_UNPOPULATED (UINT64_C(1) << 13)
#define WP_ASYNC       (UINT64_C(1) << 15)

#define OF        64 /* pages, of which K are written */
#define INTERVALS 16 /* per sample */

static unsigned long pages = 1024;
static unsigned char *page, *twin;
static size_t bytes;
static volatile uint64_t faults; /* counted by the signal handler */
static uint64_t value;

static volatile uint64_t *word_of(size_t p)
{
    return (volatile uint64_t *)(void *)(page + p * BENCH_PAGE);
}

/* Writes K of every OF pages, different ones in the next interval; returns their number. */
static uint64_t write_some(unsigned k)
{
    uint64_t n = 0;

    value++;
    for (size_t p = 0; p < pages; p++) {
        if ((p + value) % OF >= k)
            continue;
        *word_of(p) = value;
        n++;
    }
    return n;
}

static void found(const char *way, uint64_t n, uint64_t written)
{
    if (n != written)
        bench_fail(1, "%s finds %ju pages, %ju were written", way, (uintmax_t)n,
                   (uintmax_t)written);
}

/* ---- Write-protected ---- */

static void on_store(int sig, siginfo_t *info, void *context)
{
    unsigned char *at = (unsigned char *)((uintptr_t)info->si_addr & ~(uintptr_t)(BENCH_PAGE - 1));

    (void)sig, (void)context;
    if (at < page || at >= page + bytes || mprotect(at, BENCH_PAGE, PROT_READ | PROT_WRITE) != 0)
        _exit(1);
    faults++;
}

static int sealed_begin(void)
{
    struct sigaction action = { .sa_sigaction = on_store, .sa_flags = SA_SIGINFO };

    if (sigaction(SIGSEGV, &action, NULL) != 0)
        return -errno;
    return mprotect(page, bytes, PROT_READ) == 0 ? 0 : -errno;
}

static void sealed_interval(unsigned k)
{
    faults = 0;
    uint64_t written = write_some(k);
    if (mprotect(page, bytes, PROT_READ) != 0)
        bench_fail(1, "mprotect: %s", strerror(errno));
    found("mprotect", faults, written);
}

static void sealed_end(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)mprotect(page, bytes, PROT_READ | PROT_WRITE);
}

/* ---- Compared ---- */

static int compared_begin(void)
{
    memcpy(twin, page, bytes);
    return 0;
}

static void compared_interval(unsigned k)
{
    uint64_t written = write_some(k), n = 0;

    for (size_t at = 0; at < bytes; at += BENCH_PAGE) {
        if (!diff_differs(page + at, twin + at))
            continue;
        memcpy(twin + at, page + at, BENCH_PAGE);
        n++;
    }
    found("a comparison", n, written);
}

static void compared_end(void)
{
}

/* ---- By the kernel ---- */

static int uffd = -1, pagemap = -1;
static struct scan_region *regions;

static int kernel_begin(void)
{
    struct uffdio_api api = { .api = UFFD_API, .features = WP_UNPOPULATED | WP_ASYNC };
    struct uffdio_register range = { .range = { (uintptr_t)page, bytes },
                                     .mode = UFFDIO_REGISTER_MODE_WP };
    struct uffdio_writeprotect protect = { .range = { (uintptr_t)page, bytes },
                                           .mode = UFFDIO_WRITEPROTECT_MODE_WP };

    uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (uffd < 0 || pagemap < 0 || ioctl(uffd, UFFDIO_API, &api) != 0 ||
        ioctl(uffd, UFFDIO_REGISTER, &range) != 0 ||
        ioctl(uffd, UFFDIO_WRITEPROTECT, &protect) != 0)
        return -errno;
    return 0;
}

static void kernel_interval(unsigned k)
{
    struct scan_arg scan = { .size = sizeof(scan),
                             .flags = SCAN_PROTECT | SCAN_CHECK,
                             .start = (uintptr_t)page,
                             .end = (uintptr_t)page + bytes,
                             .vec = (uintptr_t)regions,
                             .vec_len = pages,
                             .category_mask = IS_WRITTEN,
                             .return_mask = IS_WRITTEN };
    uint64_t written = write_some(k), n = 0;

    long count = ioctl(pagemap, SCAN_PAGEMAP, &scan);
    if (count < 0)
        bench_fail(1, "PAGEMAP_SCAN: %s", strerror(errno));
    for (long i = 0; i < count; i++)
        n += (regions[i].end - regions[i].start) / BENCH_PAGE;
    found("PAGEMAP_SCAN", n, written);
}

static void kernel_end(void)
{
    if (uffd >= 0)
        close(uffd);
    if (pagemap >= 0)
        close(pagemap);
    uffd = pagemap = -1;
}

/* ---- The program ---- */

static const struct way {
    const char *name;
    int (*begin)(void); /* 0, or a negative errno: not available on this machine */
    void (*interval)(unsigned k);
    void (*end)(void);
} ways[] = {
    { "sealed", sealed_begin, sealed_interval, sealed_end },
    { "compared", compared_begin, compared_interval, compared_end },
    { "kernel", kernel_begin, kernel_interval, kernel_end },
};

static const struct way *now;
static unsigned written; /* pages of OF */

static double once(void)
{
    uint64_t start = bench_now();

    for (int i = 0; i < INTERVALS; i++)
        now->interval(written);
    return (double)(bench_now() - start) / (double)(INTERVALS * pages);
}

static void measure(unsigned k)
{
    char name[48], what[64];

    written = k;
    snprintf(name, sizeof(name), "%s_%u", now->name, k);
    snprintf(what, sizeof(what), "%u of %d pages written in each interval", k, OF);
    bench_row(name, "ns", bench_measure(once), what);
}

static void measure_way(void)
{
    int rc = now->begin();

    if (rc != 0)
        printf("%-24s not on this machine: %s\n", now->name, strerror(-rc));
    else
        for (unsigned k = OF; k > 0; k /= 8)
            measure(k);
    if (rc == 0)
        measure(0);
    now->end();
}

static void make_pages(void)
{
    int fd = memfd_create("tracking", MFD_CLOEXEC);

    pages -= pages % OF;
    bytes = pages * BENCH_PAGE;
    twin = aligned_alloc(BENCH_PAGE, bytes);
    regions = calloc(pages, sizeof(*regions));
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0 || twin == NULL || regions == NULL)
        bench_fail(1, "no memory for %lu pages", pages);
    page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        bench_fail(1, "mapping %lu pages: %s", pages, strerror(errno));
    close(fd);
    memset(page, 1, bytes);
}

static const struct bench_program program =
    BENCH_PROGRAM_OF_ROWS("Measure three ways to learn which pages were written.", 1, 30,
                          BENCH_OPTION_NUMBER("pages", 'p', "pages of the set, a multiple of 64",
                                              &pages, OF, 1ul << 20),
                          BENCH_OPTION_ROUNDS(100000), BENCH_OPTIONS_END);

int main(int argc, char **argv)
{
    int core[2];

    bench_arguments(&program, argc, argv);
    bench_cores(core);
    bench_pin(core[0]);
    make_pages();
    bench_begin_rows("ns per page of the set and interval");
    for (now = ways; now < ways + BENCH_COUNT(ways); now++)
        measure_way();
    bench_end(NULL);
    return 0;
}
