/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* start.c - see start.h for the invariants. */
#include "compat/start/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <hlrc.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/addresses.h"
#include "base/parse.h"
#include "compat/start/descriptors.h"
#include "compat/start/early.h"
#include "compat/start/fresh.h"
#include "compat/start/heap.h"
#include "compat/start/image.h"
#include "compat/start/lane.h"
#include "compat/start/last_thread.h"
#include "compat/start/layers.h"
#include "compat/start/variables.h"
#include "hlrc/core/engine.h"
#include "hlrc/job_signals.h"
#include "hlrc/memory/only_node.h"
#include "hlrc/unite.h"

#define STACK_DEFAULT ((size_t)8 << 20)
#define STACK_MOST    ((size_t)1 << 30)
#define LARGEST_KEPT  (32 << 20) /* bytes of an allocation; the C library allows no more */
#define MOST_KEPT     (256 << 20)

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                     void *);

int start_lanes = 1, start_extras, start_span = 1;
bool start_sharing, start_objects, start_spread, start_fences, start_crowded, start_is_child,
    start_leaving, start_away;
const char *start_obstacle;
static int united = 1;      /* processes that became this one, */
static int united_here = 1; /* on its host */
static pid_t own_pid;

#define PARTS_MOST 32
static const struct start_layer *layer;
static const char *why_one; /* the program cannot run on several nodes */
static void (*begins[PARTS_MOST])(void), (*at_end)(void);
static size_t begin_count;
static int layer_threads;
struct image start_image;
static struct lane *lanes;

/* Arguments passed by the program's first function. */
static struct {
    start_fn *start;
    main_fn *main;
    int argc;
    char **argv;
    void (*init)(void), (*fini)(void), (*rtld_fini)(void);
    void *stack_end;
} program;

void start_at_begin(void (*fn)(void))
{
    if (begin_count == PARTS_MOST)
        start_fail("more than %d parts", PARTS_MOST);
    begins[begin_count++] = fn;
}

void (*start_before_flush)(void);

void start_at_end(void (*fn)(void))
{
    at_end = fn;
}

void *start_shared_memory(size_t bytes, const char *what)
{
    void *memory = NULL;
    if (hlrc_node_id() == 0 && !(memory = hlrc_calloc(1, bytes)))
        start_fail("no shared memory for %s; raise --memory", what);
    if (hlrc_broadcast(&memory, sizeof memory, 0) != 0)
        start_fail("%s: hlrc_broadcast failed", what);
    return memory;
}

static bool start_is_in_range(const void *ptr)
{
    return lane_is_shared(ptr) || heap_is_shared(ptr) ||
           ((const char *)ptr >= start_image.begin && (const char *)ptr < start_image.end);
}

bool start_is_shared(const void *ptr)
{
    return start_sharing && start_is_in_range(ptr);
}

bool start_has_object(const void *ptr)
{
    return start_objects && start_is_in_range(ptr);
}

size_t start_stack_asked(void)
{
    static const char units[] = "bBkKmMgG";
    const char *text = getenv("OMP_STACKSIZE");
    int64_t n;
    if (!text || !*text)
        return 0;
    const char *end = text + strspn(text, " 0123456789");
    const char *unit = *end ? strchr(units, *end) : units + 2;
    int shift = unit ? 10 * (int)((unit - units) / 2) : 0;
    if (!unit || (*end && end[1]) || parse_number(text, units, 1, STACK_MOST >> shift, &n) != 0)
        start_fail("OMP_STACKSIZE=%s: use a number of KiB, or one with B, K, M or G, up to 1G",
                   text);
    return (size_t)n << shift;
}

static size_t start_stack_bytes(void)
{
    struct rlimit limit;
    size_t asked = start_stack_asked(), bytes = asked > STACK_DEFAULT ? asked : STACK_DEFAULT;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > bytes)
        bytes = limit.rlim_cur < STACK_MOST ? (size_t)limit.rlim_cur : STACK_MOST;
    return bytes;
}

/* ---- system calls ---- */

#define SERVE "HLRC_SYSCALLS"

/* This process set the variable. */
static bool serve_is_ours;

static void start_serve_calls(void)
{
    const char *asked = getenv(SERVE);
    serve_is_ours = !asked || *asked == '\0';
    if (serve_is_ours && setenv(SERVE, "auto", 1) != 0)
        start_fail("no memory for the environment");
}

/* ---- 2: sharing ---- */

static void start_share(int nodes)
{
    if (!image_find(&start_image))
        start_fail("cannot find this program's segments");
    if (nodes == 1) {
        (void)lane_reserve(0, start_stack_bytes(), false);
        return;
    }
    size_t bytes = (size_t)(start_image.end - start_image.begin);
    variables_before_sharing();
    int rc = bytes ? hlrc_share(start_image.begin, bytes) : 0;
    if (rc == -EINVAL)
        start_fail("this program's data cannot be shared; link it with hlrcc, and not "
                   "statically");
    if (rc == 0)
        rc = lane_reserve(nodes * (start_lanes + start_extras) + layer_threads, start_stack_bytes(),
                          start_image.runs_stack);
    if (rc == -EEXIST)
        start_fail("the addresses for the threads' stacks are in use, as by -fsanitize=address or "
                   "thread; compile without it, or start one node");
    if (rc)
        start_fail("cannot allocate stacks of %zu bytes: %s; lower ulimit -s", start_stack_bytes(),
                   strerror(-rc));
}

/* ---- arguments of node 0 ---- */

static char **environment; /* this process's own */

static void *start_shared_copy(const void *from, size_t bytes)
{
    void *copy = hlrc_malloc(bytes);
    if (!copy)
        start_fail("no shared memory for arguments and environment; raise --memory");
    return memcpy(copy, from, bytes);
}

static char *start_shared_text(char *text)
{
    return text ? start_shared_copy(text, strlen(text) + 1) : NULL;
}

/* Texts that are shared already stay. */
static char **start_shared_texts(char **texts)
{
    size_t n = 0;
    while (texts[n])
        n++;
    char **copy = start_shared_copy(texts, (n + 1) * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        if (!start_is_shared(texts[i]))
            copy[i] = start_shared_text(texts[i]);
    return copy;
}

/* The C library allocates another array when the environment grows. */
char **start_shared_environment(void)
{
    if (environ && !heap_is_shared(environ))
        environ = start_shared_texts(environ);
    return environ;
}

static void start_share_arguments(void)
{
    program.argv = start_shared_texts(program.argv);
    if (!heap_is_shared(program.argv))
        start_fail(
            "shared memory is at %p, in the range for private memory; no other range was free",
            (void *)program.argv);
    (void)start_shared_environment();
    variables_set(start_shared_text);
}

/* ---- C++ streams ---- */

/* std::cout and the like are created by constructors of the program, which run only on node 0. */
static void start_streams_call(const char *name)
{
    static char init;
    void (*fn)(char *) = (void (*)(char *))(uintptr_t)dlsym(RTLD_DEFAULT, name);
    if (fn)
        fn(&init);
}

static void start_streams_begin(void)
{
    start_streams_call("_ZNSt8ios_base4InitC1Ev");
}

static void start_streams_end(void)
{
    start_streams_call("_ZNSt8ios_base4InitD1Ev"); /* flushes them */
    fflush(NULL);
}

/* ---- 5: the end ---- */

static void start_finalize(void *arg)
{
    (void)arg;
    start_sharing = start_objects = start_spread = start_fences = false;
    if (environment)
        environ = environment;
    hlrc_finalize();
}

/* After hlrc_finalize the shared stack has only the parts that this node has seen; the live part
 * is needed. */
static void start_finalize_and_keep_stack(void *arg)
{
    char *from = *(char **)arg;
    size_t live = (size_t)(lane_current->shared_top - from);
    char *copy = malloc(live);
    if (!copy)
        start_fail("no memory for %zu bytes of the stack", live);
    memcpy(copy, from, live);
    start_finalize(NULL);
    memcpy(from, copy, live);
    free(copy);
}

static void start_report(void)
{
    if (united > 1 && getenv("HLRC_STATS"))
        fprintf(stderr, "hlrc: one process ran the program, instead of %d: %s\n", united,
                why_one ? why_one : "all nodes are on one host");
}

static void start_end_layer(void *arg)
{
    (void)arg;
    if (start_sharing)
        hlrc_program_ended();
    if (at_end && start_sharing)
        at_end();
    if (layer)
        layer->end();
}

/* Ends the job with this status, whatever other threads do. */
static void start_leave_job(void *status)
{
    hlrc_exit(*(int *)status);
}

void __wrap__exit(int status);
void __wrap__exit(int status)
{
    if (start_sharing && getpid() == own_pid) /* not a child that shares this memory */
        lane_call(start_leave_job, &status);
    _exit(status);
}

void __wrap__Exit(int status) __attribute__((alias("__wrap__exit")));

/* Registered first, so it runs after all handlers and destructors of the program. */
static void start_at_exit(int status, void *arg)
{
    char *from;
    (void)arg;
    fflush(NULL);
    if (start_is_child)
        _exit(status);
    if (layer && (start_leaving || layer->amid())) {
        if (!start_sharing) /* they continue until then, as without HLRC */
            _exit(status);
        if (layer->leave)
            layer->leave(status);
        else if (hlrc_node_id() == 0) /* the program's exit handlers have run */
            lane_call(start_leave_job, &status);
        fprintf(stderr, "hlrc: exit(%d) while other threads run the program; the job ends\n",
                status);
        _exit(status ? status : 1);
    }
    lane_call(start_end_layer, NULL);
    start_report();
    for (int i = 1; i < start_lanes; i++)
        pthread_join(lanes[i].thread, NULL);
    if (lane_live(&from))
        lane_call(start_finalize_and_keep_stack, &from);
    else
        lane_call(start_finalize, NULL);
}

/* ---- 3, 4 ---- */

static void start_run_program(void *arg)
{
    (void)arg;
    program.start(program.main, program.argc, program.argv, program.init, program.fini,
                  program.rtld_fini, program.stack_end);
}

static void *start_lane_body(void *arg)
{
    struct lane *l = arg;
    if (l->index == 0) {
        start_share_arguments();
        if (layer && layer->enter)
            layer->enter();
        lane_run(l, start_run_program, NULL);
    } else if (layer) {
        layer->serve(l);
    }
    return NULL;
}

static void start_others(int node, int first)
{
    for (int i = first; i < start_lanes; i++) {
        int rc = lane_start(&lanes[i], node * start_lanes + i, start_image.tls_room,
                            start_lane_body, &lanes[i]);
        if (rc)
            start_fail("starting thread %d: %s", i, strerror(-rc));
    }
}

/* Its index follows those for the first threads of all nodes. */
int start_thread(struct lane *l, int number, void *(*body)(void *), void *arg)
{
    return lane_start(l, hlrc_node_count() * start_lanes + number, start_image.tls_room, body, arg);
}

/* Blocks signals, except this thread's own errors: they are for the program's threads. On node 0
 * the program, and HLRC, may have ended by now. */
static void start_wait_for_lanes(int node)
{
    lane_block_signals(NULL);
    if (node == 0)
        for (;;)
            pause(); /* until exit */
    for (int i = 0; i < start_lanes; i++)
        pthread_join(lanes[i].thread, NULL);
    if (start_before_flush)
        start_before_flush();
    start_streams_end();
    start_finalize(NULL);
    _exit(0);
}

/* Arrays that a program allocates and frees in each step keep their pages: by default the C library
 * returns them to the system, and the program's threads fault on all of them again. Environment
 * variables of the C library prevail. */
static void start_keep_freed_memory(void)
{
    static const char *const set[] = { "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_",
                                       "GLIBC_TUNABLES" };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (getenv(set[i]))
            return;
    (void)mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT);
    (void)mallopt(M_TRIM_THRESHOLD, MOST_KEPT);
}

/* A job of one node: continues in the C library's function. */
static int start_run_alone(void)
{
    start_keep_freed_memory();
    hlrc_addresses_release_stack();
    lane_adopt(&lanes[0], 0);
    start_others(0, 1);
    last_thread_begin();
    fresh_hide_freed();
    start_run_program(NULL);
    return 0;
}

/* Slots of the engine for all threads on one node (compat/openmp/gather.h), where the others' calls
 * are performed, too (compat/process/delegate.h), unless the user says how many a node has. */
static void start_make_slots(int nodes)
{
    char number[16];
    int slots = nodes * start_lanes + THREADS_OWN, given = early_number("HLRC_THREADS");
    int most = given ? given : THREADS_ALL_NODES / nodes;
    if (nodes > 1)
        slots += (nodes - 1) * start_lanes + 1;
    if (most > THREADS_OF_TEAMS && !given)
        most = THREADS_OF_TEAMS;
    if (layer && !layer->threads && slots < most) {
        /* node 0 has one more for each of another node's */
        start_extras = nodes > 1 ? (most - slots) / nodes : 0;
        slots = most;
    }
    if (slots <= (given ? given : THREADS_DEFAULT) || slots > THREADS_MOST)
        return;
    snprintf(number, sizeof number, "%d", slots);
    (void)setenv("HLRC_THREADS", number, united > 1);
}

/* Threads on several nodes are not saved. After hlrc_init, so that the job says so once. */
static void start_refuse_checkpoint(void)
{
    const char *checkpoint = getenv("HLRC_CHECKPOINT");
    if (!checkpoint || !*checkpoint)
        return;
    if (hlrc_node_id() != 0)
        for (;;)
            pause(); /* node 0 ends the job */
    fprintf(stderr,
            "hlrc: --checkpoint: a program of hlrcc is saved only where it runs as one process, "
            "and not on several nodes: %s\n",
            start_obstacle);
    hlrc_exit(1);
}

static int start_unite(enum unite_way way)
{
    united = hlrc_unite(way, &united_here);
    if (united < 0)
        _exit(1);
    return 1;
}

/* Returns the number of nodes. A program that begins on node 0 touches most of its memory there,
 * and stays there if it cannot run on several nodes, or is to be saved. */
static int start_choose_nodes(void)
{
    static char why[512];
    int nodes = early_nodes();
    if (nodes == 1 || !(start_obstacle = early_obstacle()))
        return start_unite(early_is_rank() ? UNITE_ALONE : UNITE_HOST);
    const char *cannot = layers_choose(nodes);
    bool measures = early_measures(start_obstacle);
    if (!cannot)
        cannot = early_is_one(start_obstacle);
    if (measures)
        (void)setenv("HLRC_DEFAULT_HOMES", "first", 0);
    if (!measures || !cannot)
        return nodes;
    snprintf(why, sizeof why, "%s", cannot);
    why_one = why;
    return start_unite(UNITE_HOSTS);
}

static void start_choose_layer(int nodes)
{
    char line[512];
    const char *cannot = layers_choose(nodes);
    layer = layers_chosen();
    if (!cannot)
        return;
    snprintf(line, sizeof line, "%s", cannot);
    if (nodes > 1 && !layers_choose(1))
        start_fail("%s; without %s it runs on one node", line, start_obstacle);
    start_fail("%s", line);
}

static int start_execute(void)
{
    own_pid = getpid();
    descriptors_raise();
    int nodes = start_choose_nodes();
    start_choose_layer(nodes);
    start_lanes = united > 1 ? early_threads_united(united_here) : early_threads(nodes);
    if (!layer || layer->threads)
        start_lanes = 1;
    if (layer && layer->threads && nodes > 1)
        layer_threads = layer->threads(nodes);
    start_make_slots(nodes);
    start_share(nodes);
    start_serve_calls();
    if (hlrc_init(NULL, NULL) != 0)
        _exit(1);
    hlrc_program_unaware();
    if (serve_is_ours)
        unsetenv(SERVE);
    lanes = calloc((size_t)start_lanes, sizeof *lanes);
    if (!lanes || on_exit(start_at_exit, NULL) != 0)
        start_fail("no memory for %d threads", start_lanes);
    start_sharing = start_objects = start_spread = start_fences = hlrc_node_count() > 1;
    environment = environ;
    if (hlrc_node_count() > nodes)
        start_fail("the job has %d nodes, but no environment variable gives their number; set "
                   "HLRC_NODES to it",
                   hlrc_node_count());
    if (nodes > 1) {
        early_check_node(hlrc_node_id());
        start_refuse_checkpoint();
    }
    for (size_t i = 0; i < begin_count; i++)
        begins[i]();
    if (layer)
        layer->begin();
    descriptors_lower();
    if (!start_sharing)
        return start_run_alone();
    int node = hlrc_node_id();
    if (node != 0)
        start_streams_begin();
    start_others(node, 0);
    start_wait_for_lanes(node);
    return 0;
}

/* Replaces the C library's. */
int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    program.start = (start_fn *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    if (!program.start)
        start_fail("cannot find the C library's __libc_start_main");
    program.main = main;
    program.argc = argc;
    program.argv = argv;
    program.init = init;
    program.fini = fini;
    program.rtld_fini = rtld_fini;
    program.stack_end = stack_end;
    return start_execute();
}
