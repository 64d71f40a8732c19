/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrc_sim barrier: each run has the barrier at the host and at the adapter, and prints the
 * results of the paper's equations and measurements as well.
 *
 * The paper has totals and no parts. The times of card lanai4 are fitted to its seven totals: 16
 * nodes with PE and GB at both places, 8 nodes with PE (the factor), and the two of lanai7, whose
 * adapter takes half the time (66 MHz instead of 33). See doc/simulation.md.
 */
#include "sim/commands.h"

#include "sim/fail.h"
#include "sim/nic_barrier.h"

#include <inttypes.h>

#define MB 1000000 /* per second */

enum { LANAI4, LANAI7 };

static const char *const cards[] = { "lanai4", "lanai7", NULL };
static const char *const algorithms[] = { "pe", "gb", NULL };

#define MOST 1000000000

/* X(name, as in struct sim_option) */
#define OPTIONS(X)                                                                                 \
    X(CARD, "card", "", "card whose times are used: LANai 4.3 at 33 MHz, or LANai 7.2 at 66 MHz",  \
      0, 0, "lanai4", cards)                                                                       \
    X(ALGORITHM, "algorithm", "",                                                                  \
      "pairwise exchange (pe), or gathering and broadcast along a tree (gb)", 0, 0, "pe",          \
      algorithms)                                                                                  \
    X(NODES, "nodes", "", "nodes", 2, 1024, "16", NULL)                                            \
    X(DIMENSION, "dimension", "",                                                                  \
      "children of a node in the tree; 0: the best value up to the number of nodes less 1, "       \
      "chosen separately for the host and for the adapter",                                        \
      0, 1023, "0", NULL)                                                                          \
    X(GROUPS, "groups", "", "processes of a node, each in a barrier with one of each other node",  \
      1, 8, "1", NULL)                                                                             \
    X(SKEW, "skew", "ns", "maximum time that a process computes before each barrier", 0, MOST,     \
      "0", NULL)                                                                                   \
    X(COMPUTE, "compute", "ns",                                                                    \
      "time that a process computes between entering a split barrier and awaiting its end", 0,     \
      MOST, "0", NULL)                                                                             \
    X(BARRIERS, "barriers", "", "number of barriers, one after the other", 1, 1000000, "100",      \
      NULL)                                                                                        \
    X(SEND, "send", "ns",                                                                          \
      "CPU time until the adapter notices a message; this and the times below replace the times "  \
      "of the card",                                                                               \
      0, MOST, NULL, NULL)                                                                         \
    X(SDMA, "sdma", "ns", "adapter time to fetch a message of the host and make a packet of it",   \
      0, MOST, NULL, NULL)                                                                         \
    X(NETWORK, "network", "ns", "from adapter to adapter", 0, MOST, NULL, NULL)                    \
    X(RECV, "recv", "ns", "adapter time to receive a packet", 0, MOST, NULL, NULL)                 \
    X(RDMA, "rdma", "ns", "adapter time to transfer it to the host", 0, MOST, NULL, NULL)          \
    X(HRECV, "hrecv", "ns", "CPU time to detect and receive it", 0, MOST, NULL, NULL)              \
    X(WORK, "work", "ns", "adapter time to make a packet of a barrier among adapters", 0, MOST,    \
      NULL, NULL)                                                                                  \
    X(ACK, "ack", "ns",                                                                            \
      "adapter time to send or receive the acknowledgement of a packet of the host; 0: no "        \
      "acknowledgement",                                                                           \
      0, MOST, NULL, NULL)                                                                         \
    X(BUSY, "busy", "percent", "share of the adapter's times that occupies its processor", 0, 100, \
      NULL, NULL)                                                                                  \
    X(RATE, "rate", "MB/s", "a link", 1, 1000000, "160", NULL)                                     \
    X(BYTES, "bytes", "bytes", "a packet", 0, 65536, "24", NULL)                                   \
    X(SEED, "seed", "", "seed of the random compute times", 0, UINT64_MAX - 1, "1", NULL)

enum { OPTIONS(OPTIONS_NUMBER) };

static const struct sim_option options[] = { OPTIONS(OPTIONS_ROW){ .name = NULL } };

static const struct sim_figure figures[] = {
    { "5", "both cards and algorithms by nodes, with the measured values",
      (const char *const[]){ "--card lanai4 --algorithm pe,gb --nodes 2,4,8,16",
                             "--card lanai7 --algorithm pe,gb --nodes 2,4,8", NULL } },
    { "dimension", "the tree of 16 nodes by its dimension",
      (const char *const[]){ "--algorithm gb --dimension 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                             NULL } },
    { "early", "processes that arrive at different times",
      (const char *const[]){ "--algorithm pe,gb --dimension 4 --skew 0,20000,50000,100000,200000",
                             NULL } },
    { "groups", "several barriers at once",
      (const char *const[]){ "--algorithm pe,gb --dimension 4 --groups 1,2,4,8", NULL } },
    { "split", "a split barrier, by computing time",
      (const char *const[]){ "--card lanai4 --algorithm pe,gb --compute "
                             "0,10000,20000,40000,60000,80000,100000,150000,200000,300000",
                             "--card lanai7 --nodes 8 --compute "
                             "0,10000,20000,30000,40000,50000,75000,100000,150000",
                             NULL } },
    { "scale", "up to 1,024 nodes",
      (const char *const[]){
          "--card lanai4,lanai7 --nodes 2,4,8,16,32,64,128,256,512,1024 --barriers 20", NULL } },
    { NULL, NULL, NULL },
};

/* ---- costs ---- */

/* In ns; lanai7 takes half the adapter's times. */
static const struct {
    unsigned send, sdma, network, recv, rdma, hrecv, work, ack, busy;
} lanai4 = { 7600, 13300, 500, 5100, 12000, 6800, 13200, 0, 60 };

static sim_time barrier_command_cost(const uint64_t *v, unsigned option, uint64_t of_card)
{
    return (v[option] != SIM_NOT_GIVEN ? v[option] : of_card) * SIM_NS;
}

static struct nic_barrier_costs barrier_command_costs_of(const uint64_t *v)
{
    unsigned part = v[O_CARD] == LANAI7 ? 2 : 1;

    return (struct nic_barrier_costs){
        .send = barrier_command_cost(v, O_SEND, lanai4.send),
        .sdma = barrier_command_cost(v, O_SDMA, lanai4.sdma / part),
        .network = barrier_command_cost(v, O_NETWORK, lanai4.network),
        .recv = barrier_command_cost(v, O_RECV, lanai4.recv / part),
        .rdma = barrier_command_cost(v, O_RDMA, lanai4.rdma / part),
        .hrecv = barrier_command_cost(v, O_HRECV, lanai4.hrecv),
        .work = barrier_command_cost(v, O_WORK, lanai4.work / part),
        .ack = barrier_command_cost(v, O_ACK, lanai4.ack / part),
        .busy = (unsigned)(v[O_BUSY] != SIM_NOT_GIVEN ? v[O_BUSY] : lanai4.busy),
        .rate = v[O_RATE] * MB,
        .bytes = (unsigned)v[O_BYTES],
    };
}

/* ---- measurements: section 6 of the paper, in us; 0: not given ---- */

static const struct barrier_command_measured {
    unsigned card, algorithm, nodes;
    double nic, factor;
} measured[] = {
    { LANAI4, BARRIER_PE, 16, 102.14, 1.78 },
    { LANAI4, BARRIER_GB, 16, 152.27, 1.46 },
    { LANAI4, BARRIER_PE, 8, 0, 1.66 },
    { LANAI7, BARRIER_PE, 8, 49.25, 1.83 },
};

static bool barrier_command_as_on_card(const uint64_t *v)
{
    for (unsigned o = O_SEND; o <= O_BUSY; o++)
        if (v[o] != SIM_NOT_GIVEN)
            return false;
    return v[O_GROUPS] == 1 && v[O_SKEW] == 0 && v[O_COMPUTE] == 0 &&
           (v[O_ALGORITHM] == BARRIER_PE || v[O_DIMENSION] == 0);
}

static void barrier_command_print_measured(const uint64_t *v)
{
    for (size_t i = 0; i < sizeof measured / sizeof *measured && barrier_command_as_on_card(v); i++)
        if (measured[i].card == v[O_CARD] && measured[i].algorithm == v[O_ALGORITHM] &&
            measured[i].nodes == v[O_NODES]) {
            if (measured[i].nic > 0)
                printf(",%.2f,%.2f\n", measured[i].nic, measured[i].factor);
            else
                printf(",,%.2f\n", measured[i].factor);
            return;
        }
    puts(",,");
}

/* ---- one run ---- */

static void barrier_command_check(const uint64_t *v)
{
    if (v[O_ALGORITHM] == BARRIER_GB && v[O_DIMENSION] >= v[O_NODES])
        fail_with(SIM_WRONG_USE,
                  "barrier: --dimension %" PRIu64 ": a tree of %" PRIu64
                  " nodes has at most %" PRIu64 " children; lower it",
                  v[O_DIMENSION], v[O_NODES], v[O_NODES] - 1);
    if (v[O_GROUPS] * v[O_BARRIERS] > 4000000)
        fail_with(SIM_WRONG_USE,
                  "barrier: --barriers %" PRIu64 ": more than 4000000 in all groups; lower it",
                  v[O_BARRIERS]);
}

struct barrier_command_best {
    unsigned dimension;
    struct nic_barrier_result r;
    uint64_t events;
};

/* The best of the requested dimensions. */
static struct barrier_command_best barrier_command_best_of(const uint64_t *v,
                                                           struct nic_barrier_config cfg)
{
    unsigned first = v[O_DIMENSION] > 0 ? (unsigned)v[O_DIMENSION] : 1, last = first;
    struct barrier_command_best best = { 0 };

    if (v[O_DIMENSION] == 0 && cfg.algorithm == BARRIER_GB)
        last = cfg.nodes - 1;
    for (cfg.dimension = first; cfg.dimension <= last; cfg.dimension++) {
        struct nic_barrier_result r = nic_barrier_run(&cfg);

        best.events += r.events;
        if (best.dimension == 0 || r.time < best.r.time) {
            best.dimension = cfg.dimension;
            best.r = r;
        }
    }
    if (cfg.algorithm == BARRIER_PE)
        best.dimension = 0;
    return best;
}

static void barrier_command_print_place(const struct barrier_command_best *b, uint64_t barriers)
{
    printf(",%u,%.3f,%.3f,%" PRIu64 ",%.3f", b->dimension,
           (double)b->r.time / SIM_US / (double)barriers, tally_mean(&b->r.last_in) / SIM_US,
           b->r.early, b->r.nic_used);
}

static double barrier_command_ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Prints the equations, which cover only PE. */
static void barrier_command_print_equations(const uint64_t *v, const struct nic_barrier_costs *c)
{
    unsigned nodes = (unsigned)v[O_NODES];
    double host = nic_barrier_equation_host(c, nodes), nic = nic_barrier_equation_nic(c, nodes);
    double printed = nic_barrier_equation_printed(c, nodes);

    if (v[O_ALGORITHM] == BARRIER_PE)
        printf(",%.3f,%.3f,%.4f,%.3f,%.4f", host / SIM_US, nic / SIM_US,
               barrier_command_ratio(host, nic), printed / SIM_US,
               barrier_command_ratio(host, printed));
    else
        printf(",,,,,");
}

static uint64_t barrier_command_run(const uint64_t *v)
{
    struct nic_barrier_config cfg = {
        .algorithm = (enum nic_barrier_algorithm)v[O_ALGORITHM],
        .nodes = (unsigned)v[O_NODES],
        .groups = (unsigned)v[O_GROUPS],
        .barriers = (unsigned)v[O_BARRIERS],
        .skew = v[O_SKEW] * SIM_NS,
        .compute = v[O_COMPUTE] * SIM_NS,
        .seed = v[O_SEED],
        .costs = barrier_command_costs_of(v),
    };
    struct barrier_command_best host = barrier_command_best_of(v, cfg);

    cfg.at_nic = true;
    struct barrier_command_best nic = barrier_command_best_of(v, cfg);
    printf("%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
           cards[v[O_CARD]], algorithms[v[O_ALGORITHM]], v[O_NODES], v[O_GROUPS], v[O_SKEW],
           v[O_COMPUTE], v[O_BARRIERS], v[O_SEED]);
    barrier_command_print_place(&host, v[O_BARRIERS]);
    barrier_command_print_place(&nic, v[O_BARRIERS]);
    printf(",%.4f", barrier_command_ratio((double)host.r.time, (double)nic.r.time));
    barrier_command_print_equations(v, &cfg.costs);
    printf(",%" PRIu64, host.events + nic.events);
    barrier_command_print_measured(v);
    return host.events + nic.events;
}

const struct sim_command barrier_command = {
    .name = "barrier",
    .text = "Barriers among network adapters, compared with barriers among their hosts.",
    .options = options,
    .figures = figures,
    .head = "card,algorithm,nodes,groups,skew_ns,compute_ns,barriers,seed,dimension_host,host_us,"
            "host_last_us,early_host,host_nic_used,dimension_nic,nic_us,nic_last_us,early_nic,"
            "nic_nic_used,factor,equation_host_us,equation_nic_us,equation_factor,"
            "printed_nic_us,printed_factor,events,paper_nic_us,paper_factor",
    .check = barrier_command_check,
    .run = barrier_command_run,
};
