/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the list of hosts (hlrcrun --hosts). The first byte of an input is --nodes, 0 for
 * not given; the rest is the list. What is accepted is written out again and must give the same
 * hosts; what is refused leaves one line.
 */
#include "launch/hosts.c"

#include "tests/fuzz/fuzz.h"

enum { TEXT = 16384 };

static void check_hosts(const struct hosts *hosts, int nodes)
{
    int sum = 0;

    must(hosts->count >= 0 && hosts->count <= NODES_MAX);
    for (int i = 0; i < hosts->count; i++) {
        const struct hosts_host *host = &hosts->host[i];
        size_t len = strnlen(host->name, sizeof host->name);
        must(len > 0 && len < sizeof host->name);
        /* it becomes a word of a command */
        must(host->name[0] != '-' && strpbrk(host->name, ",: /'\"$") == NULL);
        must(host->nodes >= 1 && host->nodes <= NODES_MAX);
        sum += host->nodes;
    }
    must(sum == hosts->nodes && sum <= NODES_MAX);
    must(nodes == 0 || sum == nodes);
}

static void check_again(const struct hosts *hosts)
{
    static char text[TEXT + 1024];
    struct hosts again = { .count = 0 };
    size_t used = 0;
    char err[400];

    text[0] = '\0';
    for (int i = 0; i < hosts->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%d", i ? "," : "",
                                 hosts->host[i].name, hosts->host[i].nodes);
    must(used < sizeof text);
    must(hosts_parse(text, &again, err, sizeof err) == 0);
    must(again.count == hosts->count && again.nodes == hosts->nodes);
    for (int i = 0; i < again.count; i++)
        must(strcmp(again.host[i].name, hosts->host[i].name) == 0 &&
             again.host[i].nodes == hosts->host[i].nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config cfg;
    struct hosts hosts = { .count = 0 };
    char err[400] = "";

    if (size == 0 || size > sizeof cfg.hosts)
        return 0;
    memset(&cfg, 0, sizeof cfg);
    memcpy(cfg.hosts, data + 1, size - 1);
    cfg.gdb = -1;
    cfg.nodes = data[0] % (NODES_MAX + 1);
    cfg.source[CONFIG_ID_nodes] = cfg.nodes ? CONFIG_COMMAND : CONFIG_DEFAULT;
    if (hosts_read(&cfg, &hosts, err, sizeof err) == 0) {
        check_hosts(&hosts, cfg.nodes);
        check_again(&hosts);
    } else {
        must(err[0] != '\0' && strnlen(err, sizeof err) < sizeof err);
    }
    return 0;
}

#define SEED(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
const struct fuzz_seed fuzz_seeds[] = {
    SEED("\0h1:2,h2:2"),
    SEED("\3h1,h2,h3"),
    SEED("\0node-1.example.org:128"),
    SEED("\0,"),
    SEED("\1h1:0"),
    SEED("\0h1:"),
    SEED("\5a:99999999999999999999"),
    SEED("\0-x"),
    SEED("\0a b"),
    SEED("\0h1:2,"),
    { NULL, 0 },
};
