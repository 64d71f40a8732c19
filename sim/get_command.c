/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrc_sim get: the get of a large piece, after Nieplocha, Ju and Apra, One-Sided Communication on
 * Myrinet (section 3, and the model of section 4). A server thread copies the data of shared
 * memory, which the adapter cannot read, to a buffer, and sends it into the client's memory.
 *
 *   baseline    The server copies all, sends it, and the client copies it out of its buffer.
 *   registered  Both sides register their memory, and nothing is copied.
 *   pipelined   The client registers its memory, then requests. The server copies a chunk while
 *               the one before is on the wire.
 *   overlapped  As pipelined, but the client registers while the server copies; the first chunk is
 *               sent once both are done. With one chunk it is the paper's model.
 *
 * As in the paper the request takes no time. CPUs, and the link, do one thing after the other.
 */
#include "sim/commands.h"

#include <inttypes.h>

#include "sim/event.h"
#include "sim/fail.h"
#include "sim/server.h"

static const char *const schemes[] = { "baseline", "registered", "pipelined", "overlapped", NULL };

enum { BASELINE, REGISTERED, PIPELINED, OVERLAPPED };

#define OPTIONS(X)                                                                                \
    X(SCHEME, "scheme", "", "how the memory of both sides is made fit for the adapter", 0, 0,     \
      "baseline,registered,overlapped", schemes)                                                  \
    X(BYTES, "bytes", "bytes", "the piece", 1, 1u << 30, "1048576", NULL)                         \
    X(CHUNK, "chunk", "bytes", "what is copied and sent at once; 0: all", 0, 1u << 30, "0", NULL) \
    X(COPY, "copy", "kB/s", "bandwidth of copies by the CPU", 1, 1000000000, "149000", NULL)      \
    X(REGISTER, "register", "kB/s", "bandwidth of registration", 1, 1000000000, "350000", NULL)   \
    X(NETWORK, "network", "kB/s", "bandwidth of the network", 1, 1000000000, "101800", NULL)

enum { OPTIONS(OPTIONS_NUMBER) };

static const struct sim_option options[] = { OPTIONS(OPTIONS_ROW){ .name = NULL } };

static const struct sim_figure figures[] = {
    { "3", "schemes by the size of the piece, in chunks of 16 KiB",
      (const char *const[]){ "--scheme baseline,pipelined,overlapped --chunk 16384 --bytes "
                             "16384,65536,262144,1048576",
                             NULL } },
    { NULL, NULL, NULL }
};

static sim_time get_command_takes(uint64_t bytes, uint64_t kb_s)
{
    return bytes * UINT64_C(1000000000) / kb_s;
}

/* When the last chunk has arrived: the server copies them one after the other, and sends none
 * before the client is READY. */
static sim_time get_command_send(const uint64_t *v, sim_time begins, sim_time ready, bool copies)
{
    struct server cpu = { .free_at = begins }, link = { 0 };
    uint64_t chunk = v[O_CHUNK] > 0 ? v[O_CHUNK] : v[O_BYTES];
    sim_time last = 0;

    for (uint64_t left = v[O_BYTES]; left > 0; left -= chunk) {
        chunk = chunk < left ? chunk : left;
        sim_time copied =
            server_take(&cpu, begins, copies ? get_command_takes(chunk, v[O_COPY]) : 0);
        last = server_take(&link, copied > ready ? copied : ready,
                           get_command_takes(chunk, v[O_NETWORK]));
    }
    return last;
}

static sim_time get_command_time(const uint64_t *v)
{
    sim_time copy = get_command_takes(v[O_BYTES], v[O_COPY]);
    sim_time registers = get_command_takes(v[O_BYTES], v[O_REGISTER]);
    uint64_t whole[sizeof options / sizeof *options];

    switch (v[O_SCHEME]) {
    case BASELINE:
        for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
            whole[i] = v[i];
        whole[O_CHUNK] = 0;
        return get_command_send(whole, 0, 0, true) + copy;
    case REGISTERED:
        return get_command_send(v, 2 * registers, 0, false);
    case PIPELINED:
        return get_command_send(v, registers, 0, true);
    default:
        return get_command_send(v, 0, registers, true);
    }
}

/* The paper's formulas, in MB/s; 0: it has none. */
static double get_command_formula(const uint64_t *v)
{
    double copy = 1000.0 / (double)v[O_COPY], registers = 1000.0 / (double)v[O_REGISTER];
    double network = 1000.0 / (double)v[O_NETWORK];

    switch (v[O_SCHEME]) {
    case BASELINE:
        return 1 / (2 * copy + network);
    case REGISTERED:
        return 1 / (2 * registers + network);
    case OVERLAPPED:
        return 1 / ((copy > registers ? copy : registers) + network);
    default:
        return 0;
    }
}

static const char *get_command_printed(uint64_t scheme)
{
    static const char *const printed[] = { "43.01", "51.68", "", "60.48" };

    return printed[scheme];
}

static void get_command_check(const uint64_t *v)
{
    if (v[O_CHUNK] > v[O_BYTES])
        fail_with(SIM_WRONG_USE,
                  "get: --chunk %" PRIu64 ": more than the %" PRIu64
                  " bytes of the piece; lower it",
                  v[O_CHUNK], v[O_BYTES]);
}

static uint64_t get_command_run(const uint64_t *v)
{
    double seconds = (double)get_command_time(v) / 1e12, formula = get_command_formula(v);

    printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.2f,",
           schemes[v[O_SCHEME]], v[O_BYTES], v[O_CHUNK], v[O_COPY], v[O_REGISTER], v[O_NETWORK],
           (double)v[O_BYTES] / 1e6 / seconds);
    if (formula > 0)
        printf("%.2f", formula);
    printf(",%s\n", get_command_printed(v[O_SCHEME]));
    return 1;
}

const struct sim_command get_command = {
    .name = "get",
    .text = "Gets of large pieces, by copies or by registration, after the ARMCI paper.",
    .options = options,
    .figures = figures,
    .head = "scheme,bytes,chunk,copy_kb_s,register_kb_s,network_kb_s,mb_s,formula_mb_s,paper_mb_s",
    .check = get_command_check,
    .run = get_command_run,
};
