/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrc_sim atomics: the atomic unit of an adapter. Defaults are the paper's where it states them
 * (tables I and II, sections IV to VI).
 */
#include "sim/commands.h"

#include "sim/atomics.h"
#include "sim/fail.h"

#include <inttypes.h>

#define MB 1000000 /* per second */

static const char *const workloads[] = { "one", "sixteen", "random", "shmem", NULL };
static const char *const agings[] = { "none", "count", "queue", "both", NULL };
static const char *const busy_sets[] = { "wait", "pass", NULL };
static const char *const layouts[] = { "anywhere", "row", NULL };

/* X(name, as in struct sim_option) */
#define OPTIONS(X)                                                                                 \
    X(WORKLOAD, "workload", "",                                                                    \
      "one: all processes (PEs) operate on one word of PE 0; sixteen: each on 16 words there; "    \
      "random: RandomAccess, all on words of all; shmem: the same by messages that CPUs apply",    \
      0, 0, "one", workloads)                                                                      \
    X(PES, "pes", "", "processes, two of them on a node", 2, 4096, "64", NULL)                     \
    X(LATENCY, "latency", "ns", "from adapter to host, one way", 0, 100000, "250", NULL)           \
    X(TAGS, "tags", "", "requests to the host that may be outstanding", 1, 4096, "32", NULL)       \
    X(LINES, "lines", "", "words in the cache; 0 is no cache", 0, 65536, "32", NULL)               \
    X(WAYS, "ways", "", "lines of a set of the cache", 1, 65536, "1", NULL)                        \
    X(BUSY_SET, "busy-set", "",                                                                    \
      "a miss while all lines of its set are in use waits for one of them, or passes the cache",   \
      0, 0, "wait", busy_sets)                                                                     \
    X(WINDOW, "window", "", "operations that the issue unit examines in advance", 0, 1024, "16",   \
      NULL)                                                                                        \
    X(REGISTERS, "registers", "", "words in the register file", 0, 1024, "8", NULL)                \
    X(AGING, "aging", "",                                                                          \
      "when results may stay in the register file as long as the window has another operation on " \
      "the word: always (none), some times in a row, while the queue to the host is long, or "     \
      "while both hold",                                                                           \
      0, 0, "queue", agings)                                                                       \
    X(AGING_COUNT, "aging-count", "", "results in a row that may stay there", 1, 1000000, "8",     \
      NULL)                                                                                        \
    X(AGING_QUEUE, "aging-queue", "",                                                              \
      "waiting requests above which the queue to the host counts as long", 0, 65536, "0", NULL)    \
    X(RAW, "raw", "", "entries of the read-after-write buffer", 1, 4096, "128", NULL)              \
    X(PIPELINE, "pipeline", "", "operations that wait for their words", 1, 65536, "256", NULL)     \
    X(CYCLE, "cycle", "ns", "a cycle of the adapter", 1, 1000, "2", NULL)                          \
    X(ALU, "alu", "", "cycles from a word to its result", 1, 1000, "3", NULL)                      \
    X(OPERATIONS, "operations", "", "operations of each PE", 1, 10000000, "1000", NULL)            \
    X(OUTSTANDING, "outstanding", "", "operations of a PE that may be in flight", 1, 1000000,      \
      "1024", NULL)                                                                                \
    X(LAYOUT, "layout", "", "16 words of a PE: anywhere in its part of the table, or in a row", 0, \
      0, "anywhere", layouts)                                                                      \
    X(TABLE, "table", "", "words at each node", 65536, 4294967296, "1048576", NULL)                \
    X(HOST_RATE, "host-rate", "MB/s", "adapter and host, each way", 1, 1000000, "2300", NULL)      \
    X(MEMORY, "memory", "ns", "latency of the memory", 0, 100000, "70", NULL)                      \
    X(NETWORK_RATE, "network-rate", "MB/s", "a link of the network", 1, 1000000, "4000", NULL)     \
    X(MESSAGE, "message", "bytes", "an operation on the network", 1, 4096, "48", NULL)             \
    X(ROUTER, "router", "ns", "latency of a router", 0, 100000, "50", NULL)                        \
    X(READ_BYTES, "read-bytes", "bytes", "a read request to the host", 1, 4096, "8", NULL)         \
    X(WRITE_BYTES, "write-bytes", "bytes", "a write to the host", 1, 4096, "16", NULL)             \
    X(ANSWER_BYTES, "answer-bytes", "bytes", "the answer to a read", 1, 4096, "12", NULL)          \
    X(COMMAND_BYTES, "command-bytes", "bytes", "a command of a CPU to its adapter", 1, 4096, "32", \
      NULL)                                                                                        \
    X(CPU_UPDATE, "cpu-update", "ns", "an update by a CPU, with shmem", 0, 100000, "0", NULL)      \
    X(SEED, "seed", "", "seed of all random choices", 0, UINT64_MAX - 1, "1", NULL)

enum { OPTIONS(OPTIONS_NUMBER) };

static const struct sim_option options[] = { OPTIONS(OPTIONS_ROW){ .name = NULL } };

#define NO_CACHE "--lines 0 --latency 50,100,150,200,250"
#define SIZES    "--workload sixteen --ways 1,4,16 --lines 32,64,128,256,512 --pes 8,16,32,64"
#define SIZES_64 "--workload sixteen --ways 64 --lines 64,128,256,512 --pes 8,16,32,64"
#define PES      "--pes 4,8,16,32,64"

static const struct sim_figure figures[] = {
    { "2", "no cache, by latency and tags",
      (const char *const[]){ "--workload one " NO_CACHE,
                             "--workload sixteen --tags 16,32,64,128 " NO_CACHE, NULL } },
    { "3", "a direct mapped cache of 32 lines, by latency and PEs",
      (const char *const[]){ "--workload one --latency 50,100,150,200,250",
                             "--workload sixteen --pes 8,16,32,64 --latency 50,100,150,200,250",
                             NULL } },
    { "4", "lines and ways of the cache, 32 tags",
      (const char *const[]){ "--tags 32 " SIZES, "--tags 32 " SIZES_64, NULL } },
    { "5", "the same, 128 tags",
      (const char *const[]){ "--tags 128 " SIZES, "--tags 128 " SIZES_64, NULL } },
    { "6", "RandomAccess with a cache, by PEs",
      (const char *const[]){ "--workload random --tags 32,64 --lines 32,128 --ways 1,4,16 " PES,
                             NULL } },
    { "7", "RandomAccess without a cache, by PEs",
      (const char *const[]){ "--workload random --lines 0 --tags 32,64,128 " PES, NULL } },
    { "8", "RandomAccess by messages and by atomics, by PEs",
      (const char *const[]){ "--workload shmem " PES, "--workload random --lines 0 --tags 128 " PES,
                             NULL } },
    { NULL, NULL, NULL },
};

/* ---- one run ---- */

static void atomics_command_check(const uint64_t *v)
{
    if (v[O_LINES] > 0 && v[O_LINES] % v[O_WAYS] != 0)
        fail_with(SIM_WRONG_USE,
                  "atomics: --lines %" PRIu64 " --ways %" PRIu64
                  ": not a whole number of sets; give a multiple of the ways",
                  v[O_LINES], v[O_WAYS]);
    if (v[O_TABLE] / v[O_PES] < ATOMICS_WORDS)
        fail_with(SIM_WRONG_USE,
                  "atomics: --table %" PRIu64 ": fewer than %d words for each of %" PRIu64
                  " PEs; raise it",
                  v[O_TABLE], ATOMICS_WORDS, v[O_PES]);
}

static struct host_port_config atomics_command_port_config(const uint64_t *v)
{
    return (struct host_port_config){
        .tags = (unsigned)v[O_TAGS],
        .latency = v[O_LATENCY] * SIM_NS,
        .memory = v[O_MEMORY] * SIM_NS,
        .rate = v[O_HOST_RATE] * MB,
        .read_bytes = (unsigned)v[O_READ_BYTES],
        .write_bytes = (unsigned)v[O_WRITE_BYTES],
        .answer_bytes = (unsigned)v[O_ANSWER_BYTES],
        .command_bytes = (unsigned)v[O_COMMAND_BYTES],
    };
}

static struct atomic_unit_config atomics_command_unit_config(const uint64_t *v)
{
    return (struct atomic_unit_config){
        .lines = (unsigned)v[O_LINES],
        .passes = v[O_BUSY_SET] == 1,
        .ways = (unsigned)v[O_WAYS],
        .window = (unsigned)v[O_WINDOW],
        .registers = (unsigned)v[O_REGISTERS],
        .aging = (enum atomic_unit_aging)v[O_AGING],
        .aging_count = (unsigned)v[O_AGING_COUNT],
        .aging_queue = (unsigned)v[O_AGING_QUEUE],
        .raw = (unsigned)v[O_RAW],
        .pipeline = (unsigned)v[O_PIPELINE],
        .cycle = v[O_CYCLE] * SIM_NS,
        .alu_cycles = (unsigned)v[O_ALU],
    };
}

static void atomics_command_print_run(const uint64_t *v, const struct atomics_result *r)
{
    double us = (double)r->time / SIM_US, rate = us > 0 ? (double)r->operations / us : 0;

    printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
           workloads[v[O_WORKLOAD]], v[O_PES], v[O_LATENCY], v[O_TAGS], v[O_LINES], v[O_WAYS],
           v[O_WINDOW], v[O_REGISTERS]);
    printf(",%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%.3f,%.4f,%.3f", busy_sets[v[O_BUSY_SET]],
           agings[v[O_AGING]], layouts[v[O_LAYOUT]], v[O_SEED], r->operations,
           (double)r->time / SIM_NS, rate, rate * 8);
    printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->hits, r->misses, r->kept,
           r->reads, r->writes);
    printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.4f,%.4f,%.4f,%" PRIu64 ",%.3f,%.3f,%" PRIu64
           "\n",
           r->stalled_set, r->stalled_raw, r->no_tag, r->to_host_used, r->to_nic_used,
           r->network_used, r->network_bytes, tally_mean(&r->latency) / SIM_NS,
           (double)r->latency.most / SIM_NS, r->events);
}

static uint64_t atomics_command_run(const uint64_t *v)
{
    struct atomics_config cfg = {
        .workload = (enum atomics_workload)v[O_WORKLOAD],
        .pes = (unsigned)v[O_PES],
        .operations = (unsigned)v[O_OPERATIONS],
        .outstanding = (unsigned)v[O_OUTSTANDING],
        .in_a_row = v[O_LAYOUT] == 1,
        .seed = v[O_SEED],
        .table = v[O_TABLE],
        .message_bytes = (unsigned)v[O_MESSAGE],
        .network_rate = v[O_NETWORK_RATE] * MB,
        .router = v[O_ROUTER] * SIM_NS,
        .cpu_update = v[O_CPU_UPDATE] * SIM_NS,
        .port = atomics_command_port_config(v),
        .unit = atomics_command_unit_config(v),
    };
    struct atomics_result r = atomics_run(&cfg);

    atomics_command_print_run(v, &r);
    return r.events;
}

/* ---- equations ---- */

/* Equations 1 to 4: bytes that cross the interface between adapter and host for an update by a
 * message, for an atomic, and for an atomic at a target that sends none. A command of a CPU, a read
 * request (8 bytes in equation 3; the text before it says 16), its answer, a write. */
enum { COMMAND = 32, REQUEST = 8, ANSWER = 12, WRITE = 16 };
enum { MESSAGE, ATOMIC, AT_TARGET };

static const struct {
    unsigned to_host, to_nic;
} crossing[] = { [MESSAGE] = { WRITE, COMMAND },
                 [ATOMIC] = { REQUEST + WRITE, COMMAND + ANSWER },
                 [AT_TARGET] = { REQUEST + WRITE, ANSWER } };

#define PAPER_HOST    2.3e9
#define PAPER_NETWORK (4e9 / 48)

/* Equation 5: updates per second. */
static double atomics_command_rate(int what)
{
    unsigned to_host = crossing[what].to_host, to_nic = crossing[what].to_nic;

    return PAPER_HOST / (to_host > to_nic ? to_host : to_nic);
}

/* Equation 6: outstanding requests that are needed, with 70 ns in the memory. */
static double atomics_command_outstanding(double rate, double read_ns, double write_ns)
{
    return rate * (read_ns + write_ns + 70) / 1e9;
}

static void atomics_command_equations(void)
{
    puts("what,paper,here,unit");
    printf("equation 1: message to host,16,%u,bytes\n", crossing[MESSAGE].to_host);
    printf("equation 2: message to NIC,32,%u,bytes\n", crossing[MESSAGE].to_nic);
    printf("equation 3: atomic to host,24,%u,bytes\n", crossing[ATOMIC].to_host);
    printf("equation 4: atomic to NIC,44,%u,bytes\n", crossing[ATOMIC].to_nic);
    printf("equation 5: atomics of a node,52,%.3f,million/s\n", atomics_command_rate(ATOMIC) / 1e6);
    printf("equation 5: messages of a node,,%.3f,million/s\n", atomics_command_rate(MESSAGE) / 1e6);
    printf("equation 5: atomics at a target,95,%.3f,million/s\n",
           atomics_command_rate(AT_TARGET) / 1e6);
    printf("network,83,%.3f,million/s\n", PAPER_NETWORK / 1e6);
}

/* Tables III and IV, from the rates that the paper prints: table III is rounded to nearest, table
 * IV up. */
static void atomics_command_requests(void)
{
    static const struct {
        unsigned read, write, random, target;
    } row[] = { { 500, 250, 43, 69 }, { 300, 150, 27, 44 }, { 100, 50, 11, 19 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double random = atomics_command_outstanding(52e6, row[i].read, row[i].write);
        double target = atomics_command_outstanding(83e6, row[i].read, row[i].write);

        printf("table III: %u/%u ns,%u,%u,requests\n", row[i].read, row[i].write, row[i].random,
               (unsigned)(random + 0.5));
        printf("table IV: %u/%u ns,%u,%u,requests\n", row[i].read, row[i].write, row[i].target,
               (unsigned)target + (target > (unsigned)target));
    }
}

/* Figure 9: peak rates of a system in MB/s of payload, two PEs to a node. */
static void atomics_command_peaks(void)
{
    for (unsigned pes = 4; pes <= 64; pes *= 2) {
        double scale = pes / 2 * 8 / 1e6;

        printf("figure 9: atomics of %u PEs,,%.0f,MB/s\n", pes,
               scale * atomics_command_rate(ATOMIC));
        printf("figure 9: messages of %u PEs,,%.0f,MB/s\n", pes,
               scale * atomics_command_rate(MESSAGE));
        printf("figure 9: network of %u PEs,,%.0f,MB/s\n", pes, scale * PAPER_NETWORK);
    }
}

static void atomics_command_tables(void)
{
    atomics_command_equations();
    atomics_command_requests();
    atomics_command_peaks();
}

const struct sim_command atomics_command = {
    .name = "atomics",
    .text = "Atomic operations at an adapter, with a cache of words, a register file and a port to "
            "the host's memory.",
    .options = options,
    .figures = figures,
    .head = "workload,pes,latency_ns,tags,lines,ways,window,registers,busy_set,aging,layout,seed,"
            "operations,"
            "time_ns,rate_mops,mb_s,hits,misses,kept,host_reads,host_writes,stalls_set,stalls_raw,"
            "stalls_tag,to_host_used,to_nic_used,network_used,network_bytes,mean_ns,max_ns,events",
    .check = atomics_command_check,
    .run = atomics_command_run,
    .tables = atomics_command_tables,
};
