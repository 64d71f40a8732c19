/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * random - random programs without data races, every read compared with what the order of
 * synchronisation says.
 *
 *   random --seed S --runs K [--protocol P,...] [--fabric F,...] ...
 *                                        runs programs S, S+1, ... by hlrcrun
 *   random --oracle FILE --seed S --nodes N --threads T --prefix M
 *                                        a node of such a job
 *
 * A failure prints the seed and the shortest prefix of the program that still fails, and how to
 * have it again. The program and everything that is chosen follow from the seed; the order in which
 * nodes run does not, so a failure may need several runs to come again (--repeat). Exit status: 0,
 * or 1 after a failure.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/random/actor.h"
#include "tests/random/driver.h"

struct options {
    uint64_t seed;
    uint32_t runs, repeat, tries, prefix;
    int nodes, threads;
    const char *protocols, *fabrics, *oracle;
    double seconds, timeout;
    bool print, keep_going;
    struct files files;
};

static struct program program;
static struct options opt = { .seed = 1,
                              .runs = 1,
                              .repeat = 1,
                              .tries = 6,
                              .prefix = UINT32_MAX,
                              .protocols = "ardmar,async",
                              .fabrics = "shm",
                              .timeout = 60 };

/* ---- a node ---- */

static int be_node(void)
{
    int fd = open(opt.oracle, O_RDWR | O_CLOEXEC);
    struct oracle *o =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (o == MAP_FAILED) {
        perror(opt.oracle);
        return STATUS_WRONG;
    }
    close(fd);
    return node_run(&program, o);
}

static void make(uint64_t seed, uint32_t prefix)
{
    program_make(&program, seed, opt.nodes, opt.threads);
    program_cut(&program, prefix);
}

/* ---- shortening ---- */

/* Whether the first `ops` operations fail, in any of some runs; *out is what was seen then. */
static bool fails(struct job *job, uint32_t ops, struct result *out)
{
    struct result r;
    make(job->seed, ops);
    job->ops = ops;
    for (uint32_t i = 0; i < opt.tries; i++) {
        job_run(job, &program, &r);
        if (r.verdict != JOB_GOOD) {
            *out = r;
            return true;
        }
    }
    return false;
}

/* The shortest prefix that fails; 0 when it did not fail again at all. */
static uint32_t shorten(struct job *job, uint32_t ops, struct result *r)
{
    struct result again;
    uint32_t low = 0, high = r->op < ops && r->op > 0 ? r->op : ops; /* low passes, high fails */
    if (!fails(job, high, &again)) {
        low = high;
        high = ops;
        if (!fails(job, high, &again))
            return 0;
    }
    *r = again;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (again.op > low && again.op < middle)
            middle = again.op;
        if (fails(job, middle, &again)) {
            high = middle;
            *r = again;
        } else {
            low = middle;
        }
    }
    return high;
}

static void report(const struct job *job, uint32_t ops, uint32_t of, const struct result *r)
{
    printf("    %s\n", r->text);
    if (ops == 0)
        printf("    not seen again in %u runs of the whole program\n", 2 * opt.tries);
    else
        printf("    shortest failing prefix: %u of %u operations\n", ops, of);
    printf("    again: %s --seed %" PRIu64
           " --protocol %s --fabric %s --nodes %d --threads %d --prefix %u "
           "--repeat 50\n",
           opt.files.self, job->seed, job->protocol, job->fabric, job->nodes, job->threads,
           ops ? ops : of);
    fflush(stdout);
}

static void failed(struct job *job, struct result *r)
{
    uint32_t of = job->ops, ops = of;
    printf("FAILED seed %" PRIu64 ", %s over %s, %d nodes, %d threads\n    %s\n", job->seed,
           job->protocol, job->fabric, job->nodes, job->threads, r->text);
    fflush(stdout);
    opt.files.stacks = false;
    if (opt.tries) {
        if (job->timeout > 8)
            job->timeout = 8;
        ops = shorten(job, of, r);
    }
    report(job, ops, of, r);
}

/* ---- which programs ---- */

/* The i-th word of a list with commas. */
static bool word_of(const char *list, uint32_t i, char *out, size_t len)
{
    for (; i > 0 && list; i--) {
        list = strchr(list, ',');
        list += list != NULL;
    }
    if (!list || !*list)
        return false;
    snprintf(out, len, "%.*s", (int)strcspn(list, ","), list);
    return true;
}

static bool run_one(struct job *job)
{
    struct result r;
    make(job->seed, opt.prefix);
    job->nodes = program.nodes;
    job->threads = program.threads;
    for (uint32_t i = 0; i < opt.repeat; i++) {
        job->ops = program.op_count;
        job->timeout = opt.timeout;
        job_run(job, &program, &r);
        if (r.verdict != JOB_GOOD) {
            failed(job, &r);
            return false;
        }
    }
    return true;
}

/* One program over each fabric and protocol; returns how many failed. */
static uint32_t run_seed(uint64_t seed, uint32_t *done)
{
    struct job job = { .seed = seed };
    uint32_t failures = 0;
    for (uint32_t f = 0; word_of(opt.fabrics, f, job.fabric, sizeof job.fabric); f++)
        for (uint32_t p = 0; word_of(opt.protocols, p, job.protocol, sizeof job.protocol); p++) {
            failures += !run_one(&job);
            ++*done;
            if (failures && !opt.keep_going)
                return failures;
        }
    return failures;
}

static int run_all(void)
{
    time_t start = time(NULL);
    uint32_t failures = 0, done = 0, seeds = 0;
    for (; seeds < opt.runs; seeds++) {
        if (opt.seconds > 0 && difftime(time(NULL), start) >= opt.seconds)
            break;
        failures += run_seed(opt.seed + seeds, &done);
        if (failures && !opt.keep_going)
            break;
    }
    printf("random: seeds %" PRIu64 "..%" PRIu64
           ", %s over %s: %u programs run in %.0f s, %u failed\n",
           opt.seed, opt.seed + seeds, opt.protocols, opt.fabrics, done,
           difftime(time(NULL), start), failures);
    return failures ? 1 : 0;
}

/* ---- options ---- */

/* The index of an option in this table is its value for getopt_long(). */
static const struct {
    const char *name;
    /* of the variable: bool, const char *, uint64_t, uint32_t or int, double */
    enum { FLAG, WORD, NUMBER, COUNT, SECONDS } kind;
    void *to;
} takes[] = {
    { "seed", NUMBER, &opt.seed },           { "runs", COUNT, &opt.runs },
    { "repeat", COUNT, &opt.repeat },        { "tries", COUNT, &opt.tries },
    { "prefix", COUNT, &opt.prefix },        { "nodes", COUNT, &opt.nodes },
    { "threads", COUNT, &opt.threads },      { "protocol", WORD, &opt.protocols },
    { "fabric", WORD, &opt.fabrics },        { "oracle", WORD, &opt.oracle },
    { "seconds", SECONDS, &opt.seconds },    { "timeout", SECONDS, &opt.timeout },
    { "print", FLAG, &opt.print },           { "keep-going", FLAG, &opt.keep_going },
    { "hlrcrun", WORD, &opt.files.hlrcrun }, { "stacks", FLAG, &opt.files.stacks },
};
enum { TAKES = sizeof takes / sizeof *takes };

static const char usage[] =
    "usage: random [options]\n"
    "  --seed S          first program (1)\n"
    "  --runs K          how many programs, seeds S, S+1, ... (1)\n"
    "  --seconds T       begin none after this time\n"
    "  --protocol P,...  each program runs with each of these (ardmar,async)\n"
    "  --fabric F,...    and over each of these (shm)\n"
    "  --nodes N, --threads T   instead of what the seed says\n"
    "  --prefix M        only the first M operations\n"
    "  --repeat R        each program R times (1)\n"
    "  --timeout T      a job in which nothing moves for T seconds hangs (60)\n"
    "  --tries R         a shorter program counts as good when it was so R times (6); 0: do not "
    "shorten\n"
    "  --keep-going      go on after a failure\n"
    "  --stacks          show the stacks of a job that hangs, by gdb\n"
    "  --print           show the program, do not run it\n"
    "  --hlrcrun PATH    the launcher ($top_builddir/hlrcrun, ./hlrcrun)\n";

_Noreturn static void refuse(void)
{
    fputs(usage, stderr);
    exit(2);
}

static void take_option(int index)
{
    void *to = takes[index].to;
    switch (takes[index].kind) {
    case FLAG:
        *(bool *)to = true;
        return;
    case WORD:
        *(const char **)to = optarg;
        return;
    case NUMBER:
        *(uint64_t *)to = strtoull(optarg, NULL, 0);
        return;
    case COUNT:
        *(uint32_t *)to = (uint32_t)strtoul(optarg, NULL, 0);
        return;
    case SECONDS:
        *(double *)to = strtod(optarg, NULL);
        return;
    }
}

static void take_options(int argc, char **argv)
{
    struct option options[TAKES + 1] = { { 0 } };
    int c;
    for (int i = 0; i < TAKES; i++)
        options[i] = (struct option){ takes[i].name, takes[i].kind != FLAG, NULL, i };
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == '?')
            refuse();
        take_option(c);
    }
    if (opt.nodes < 0 || opt.nodes > MAX_NODES || opt.threads < 0 || opt.threads > MAX_THREADS ||
        optind < argc)
        refuse();
}

static const char *find_hlrcrun(void)
{
    static char path[4096];
    const char *top = getenv("top_builddir");
    snprintf(path, sizeof path, "%s/hlrcrun", top ? top : ".");
    return path;
}

static const char *find_self(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

int main(int argc, char **argv)
{
    take_options(argc, argv);
    make(opt.seed, opt.prefix);
    if (opt.oracle)
        return be_node();
    if (opt.print) {
        program_print(&program);
        return 0;
    }
    if (!opt.files.hlrcrun)
        opt.files.hlrcrun = find_hlrcrun();
    opt.files.self = find_self();
    if (job_init(&opt.files) != 0) {
        perror("memory file");
        return 2;
    }
    return run_all();
}
