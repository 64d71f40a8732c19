/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* early.c - see early.h. */
#include "compat/start/early.h"

#include <errno.h>
#include <hlrc.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/parse.h"
#include "base/procfs.h"
#include "compat/start/reload.h"
#include "compat/start/start.h"

#define PER_NODE      "HLRC_THREADS_PER_NODE"
#define NODES_UNKNOWN 128 /* used if no variable gives the number */
#define NOT_PARTED    (-1)

static int part = NOT_PARTED; /* the node whose slice of addresses this process has */

int early_number(const char *variable)
{
    const char *text = secure_getenv(variable);
    int64_t n;
    return text && parse_number(text, "", 1, HLRC_MAX_NODES, &n) == 0 ? (int)n : 0;
}

extern int MPI_Init(int *argc, char ***argv) __attribute__((weak));

bool early_is_rank(void)
{
    return MPI_Init && !secure_getenv("HLRC_LAUNCH_FD");
}

/* Needed before hlrc_init, to share stacks and to choose slices. */
int early_nodes(void)
{
    static const char *const variables[] = { "HLRC_NODES", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                             "SLURM_NTASKS" };
    /* a program with more rights than its caller is no node: exec would clear its personality */
    if (early_is_rank() || (!secure_getenv("HLRC_LAUNCH_FD") && !secure_getenv("PMIX_RANK")))
        return 1;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (early_number(variables[i]))
            return early_number(variables[i]);
    return NODES_UNKNOWN;
}

/* ---- one process instead of several ---- */

const char *early_observer(void)
{
    static const struct {
        const char *variable, *option;
    } by[] = { { "HLRC_CHECK", "--check" },
               { "HLRC_TRACE", "--trace" },
               { "HLRC_TRACE_SIM", "--trace-sim" },
               { "HLRC_PROFILE", "--profile" },
               { "HLRC_ADVISE", "--advise" },
               { "HLRC_WATCHDOG", "--watchdog" },
               { "HLRC_GDB", "--gdb" } };
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (getenv(by[i].variable))
            return by[i].option;
    return NULL;
}

/* hlrcrun starts processes on its own host only. */
static bool early_is_one_host(void)
{
    int nodes = early_nodes();
    return getenv("HLRC_LAUNCH_FD") || early_number("OMPI_COMM_WORLD_LOCAL_SIZE") == nodes ||
           early_number("MPI_LOCALNRANKS") == nodes || early_number("SLURM_STEP_NUM_NODES") == 1;
}

const char *early_obstacle(void)
{
    const char *control = getenv("HLRC_PLACEMENT_CONTROL");
    if (control && strcmp(control, "on") != 0)
        return "--placement-control";
    if (early_observer())
        return early_observer();
    return early_is_one_host() ? NULL : EARLY_HOSTS;
}

bool early_measures(const char *obstacle)
{
    const char *control = getenv("HLRC_PLACEMENT_CONTROL");
    return strcmp(obstacle, EARLY_HOSTS) == 0 || (control && strcmp(control, "measure") == 0);
}

const char *early_is_one(const char *obstacle)
{
    const char *saved = getenv("HLRC_CHECKPOINT"), *before = getenv("HLRC_RESTART");
    if (!early_measures(obstacle))
        return NULL;
#ifndef __x86_64__
    return EARLY_ONLY;
#endif
    return (saved && *saved) || (before && *before)
               ? "--checkpoint saves a program of hlrcc as one process"
               : NULL;
}

/* The number with which its value begins, as "8,2" or "8(x3)". */
static int early_leading_number(const char *variable)
{
    const char *text = getenv(variable);
    long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n <= THREADS_MOST ? (int)n : 0;
}

/* Processors that this process may use. */
static int early_usable(int unknown)
{
    cpu_set_t usable;
    return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : unknown;
}

/* Processors of each node. hlrcrun counts them (HLRC_PROCESSORS). Other launchers bind nodes, or
 * let each node use all processors of its host: a node counts its share of the host's processors,
 * and no more than it may use. */
static int early_processors(void)
{
    static const char *const here[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_TASKS_PER_NODE" };
    int cores = early_number("HLRC_PROCESSORS"), all = early_number("SLURM_CPUS_ON_NODE"),
        nodes = 0;
    if (cores)
        return cores;
    for (size_t i = 0; i < sizeof here / sizeof here[0] && nodes == 0 && early_nodes() > 1; i++)
        nodes = early_leading_number(here[i]);
    int each = (all ? all : get_nprocs()) / (nodes ? nodes : 1), mine = early_usable(each);
    return each < 1 ? 1 : mine < each ? mine : each;
}

int early_threads_united(int nodes)
{
    int threads = early_number(PER_NODE) * nodes, team = early_leading_number("OMP_NUM_THREADS"),
        most = THREADS_MOST - THREADS_OWN;
    if (threads == 0)
        threads = team ? team : early_usable(get_nprocs());
    return threads < most ? threads : most;
}

int early_threads(int nodes)
{
    char text[16];
    int threads = early_number(PER_NODE), team = early_leading_number("OMP_NUM_THREADS");
    if (threads == 0) {
        threads = team ? (team + nodes - 1) / nodes : early_processors();
        snprintf(text, sizeof text, "%d", threads);
        (void)setenv(PER_NODE, text, 1);
    }
    return threads;
}

/* ---- equal addresses; libraries where their system calls are identified by address ---- */

static bool early_serves_calls(void)
{
    const char *asked = getenv("HLRC_SYSCALLS");
    return (!asked || strcmp(asked, "off") != 0) && !getenv("HLRC_FILTERED");
}

_Noreturn static void early_load_again(void)
{
    const char *denied = strerror(errno);
    int rc = reload_begin();
    start_fail(
        "equal addresses on all nodes: personality(2) fails: %s; and the libraries cannot be "
        "loaded again: %s; in a container, allow personality",
        denied, strerror(-rc));
}

static void early_without_aslr(char **argv)
{
    char path[PATH_MAX];
    int now = personality(0xffffffff), wanted = ADDR_NO_RANDOMIZE;
    if (early_serves_calls())
        wanted |= ADDR_COMPAT_LAYOUT; /* removed once the job has begun */
    if (now >= 0 && (now & wanted) == wanted)
        return;
    if (reload_done()) {
        reload_end();
        return;
    }
    ssize_t len = procfs_program(path, sizeof path);
    if (now < 0 || len <= 0 || personality((unsigned long)(now | wanted)) < 0)
        early_load_again();
    execv(path, argv);
    start_fail("cannot execute %s again without address space randomisation: %s", path,
               strerror(errno));
}

/* ---- private memory of this node only ---- */

static void early_leave_slice(int nodes)
{
    const char *text = getenv(getenv("HLRC_LAUNCH_FD") ? "HLRC_NODE" : "PMIX_RANK");
    int node = text ? atoi(text) : 0;
    if (node < 0 || node >= nodes)
        start_fail("node %d of %d nodes: no such node; set HLRC_NODES to the number of nodes", node,
                   nodes);
    int rc = hlrc_addresses_part(node, nodes);
    if (rc == -EEXIST)
        start_fail("the addresses for the threads' stacks are in use, as by -fsanitize=address or "
                   "thread, or by valgrind; run without it, or start one node");
    if (rc == -EBUSY)
        start_fail("a library allocates memory before all others are initialised, as by LD_AUDIT; "
                   "run without it, or start one node");
    if (rc == -ENOMEM)
        start_fail("HLRC reserves 128 TiB of addresses to separate the private memory of nodes, "
                   "which the limit on address space forbids; use ulimit -v unlimited");
    if (rc)
        start_fail("cannot reserve the addresses of other nodes' memory: %s; mount /proc",
                   strerror(-rc));
    part = node;
}

void hlrc_begin(int argc, char **argv, char **envp)
{
    (void)argc;
    environ = envp; /* the C library's own initialisation comes later */
    int nodes = early_nodes();
    const char *obstacle = nodes == 1 ? NULL : early_obstacle();
    if (!obstacle || early_is_one(obstacle))
        return;
#ifndef __x86_64__
    start_fail("%s: " EARLY_ONLY "; leave it out", obstacle);
#endif
    early_without_aslr(argv);
    early_leave_slice(nodes);
}

void early_check_node(int node)
{
    if (part == NOT_PARTED)
        start_fail("this program was not linked by this version of hlrcc; link it again");
    if (part != node)
        start_fail("node %d started as node %d according to the launcher's variables; start the "
                   "job with hlrcrun",
                   node, part);
}
