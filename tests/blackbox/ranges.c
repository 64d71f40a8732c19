/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrc_share and its callers: the cases of ranges.sh, one per run. Each ends with "node N: done"
 * when the job went on.
 */
#include "tests/proc_status.h"

#include <hlrc.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE    4096u
#define OF_PAGE __attribute__((aligned(4096)))
#define LARGE   ((size_t)1 << 30)

static volatile char array[8 * PAGE] OF_PAGE;
static const char constant[PAGE] OF_PAGE = { 1 };
static int failures;

static void *page(unsigned n)
{
    return (void *)(uintptr_t)(array + n * PAGE);
}

static int node_to_be(void)
{
    const char *node = getenv("HLRC_NODE");
    return node ? atoi(node) : 0;
}

static void expect(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "FAILED: %s\n", what);
        failures++;
    }
}

static void share(void *at, size_t len)
{
    expect(hlrc_share(at, len) == 0, "hlrc_share");
}

/* ---- before the job ---- */

static void other_contents(void)
{
    share(page(0), 4 * PAGE);
    array[PAGE + 5] = (char)(node_to_be() == 1);
}

static void other_length(void)
{
    share(page(0), node_to_be() == 1 ? 2 * PAGE : 3 * PAGE);
}

static void not_everywhere(void)
{
    if (node_to_be() == 0)
        share(page(0), PAGE);
}

static void everything(void)
{
    share(page(0), 8 * PAGE);
    array[0] = 7;
}

static void refused(void)
{
    char mine[2 * PAGE],
        *other = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *hole = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole + PAGE, PAGE);
    uintptr_t stack = ((uintptr_t)mine + PAGE) & ~(uintptr_t)(PAGE - 1);
    share(page(2), 2 * PAGE);
    expect(hlrc_share(page(0), 0) == -EINVAL, "no bytes");
    expect(hlrc_share(page(0), 100) == -EINVAL, "a part of a page");
    expect(hlrc_share((char *)page(0) + 8, PAGE) == -EINVAL, "amid a page");
    expect(hlrc_share(page(0), 3 * PAGE) == -EINVAL, "what is shared, at the end");
    expect(hlrc_share(page(3), PAGE) == -EINVAL, "what is shared");
    expect(hlrc_share((void *)(uintptr_t)constant, PAGE) == -EINVAL, "constants");
    expect(hlrc_share(other, 4 * PAGE) == -EINVAL, "memory of several processes");
    expect(hlrc_share(hole, 4 * PAGE) == -EINVAL, "memory with a hole");
    expect(hlrc_share((void *)(stack - 16 * PAGE), 64 * PAGE) == -EINVAL, "the stack");
    expect(hlrc_share(page(0), SIZE_MAX - PAGE + 1) == -EINVAL, "more than there is");
    share(page(0), PAGE);
    share(page(1), PAGE);
    share(hole + 2 * PAGE, 2 * PAGE);
    munmap(other, 4 * PAGE);
}

static void too_many(void)
{
    char *at = mmap((void *)0x5a0000000000, 2 * HLRC_MAX_SHARED * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < HLRC_MAX_SHARED; i++)
        share(at + 2 * i * PAGE, PAGE);
    expect(hlrc_share(page(0), PAGE) == -ENOMEM, "one more");
}

static char *large;

/* At an address that is free in each process. */
static void untouched(void)
{
    large = mmap((void *)0x5a0000000000, LARGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    expect(large == (void *)0x5a0000000000, "the address");
    large[LARGE / 2] = 5;
    (void)*(volatile char *)(large + LARGE / 4);
    share(large, LARGE);
}

/* With --memory 15T one page more than page numbers have. */
static void beyond(void)
{
    void *at = mmap((void *)0x5a0000000000, (size_t)1 << 40, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    share(at, (size_t)1 << 40);
}

/* ---- in the job ---- */

/* What nobody touched takes no memory. */
static void look_at_large(void)
{
    expect(large[LARGE / 2] == 5 && large[LARGE - 1] == 0 && large[LARGE / 4] == 0, "contents");
    expect(proc_status_kib("VmRSS") > 0 && proc_status_kib("VmRSS") < 128 << 10,
           "1 GiB is not touched");
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        large[LARGE - 1] = 6;
    hlrc_barrier();
    expect(large[LARGE - 1] == 6, "what node 0 has written");
}

static void free_it(void)
{
    hlrc_free(page(0));
}

static void free_it_all(void)
{
    hlrc_free_all(page(0));
}

/* The command that it runs is in shared memory. */
static void run_child(void)
{
    int status;
    strcpy(page(1), "true");
    pid_t pid = fork();
    if (pid == 0) {
        execlp(page(1), page(1), (char *)NULL);
        _exit(98);
    }
    expect(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
               WEXITSTATUS(status) == 0,
           "a child's command");
}

static void nothing(void)
{
}

static const struct {
    const char *name;
    void (*before)(void), (*within)(void);
} cases[] = {
    { "other-contents", other_contents, nothing },
    { "other-length", other_length, nothing },
    { "not-everywhere", not_everywhere, nothing },
    { "refused", refused, nothing },
    { "too-many", too_many, nothing },
    { "beyond", beyond, nothing },
    { "untouched", untouched, look_at_large },
    { "free", everything, free_it },
    { "free-all", everything, free_it_all },
    { "child", everything, run_child },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        cases[i].before();
        if (hlrc_init(&argc, &argv) != 0)
            return 1;
        cases[i].within();
        printf("node %d: done\n", hlrc_node_id());
        hlrc_finalize();
        return failures != 0;
    }
    return 99;
}
