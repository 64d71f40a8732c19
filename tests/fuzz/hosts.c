/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the list of hosts (hlrcrun --hosts). The first byte of an input is --nodes, 0 for
 * not given; the rest is the list. What is accepted is written out again and must give the same
 * hosts. Without the first host no place of it is left, and all others are. What is refused leaves
 * one line.
 */
#include "launch/hosts.c"
#include "launch/hosts_list.c"

#include "tests/fuzz/fuzz.h"

enum { TEXT = 16384 };

static void check_hosts(const struct hosts_list *hosts, int nodes)
{
    int sum = 0;

    must(hosts->count >= 0 && hosts->count <= NODES_MAX);
    for (int i = 0; i < hosts->count; i++) {
        const struct hosts_list_host *host = &hosts->host[i];
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

static void check_again(const struct hosts_list *hosts)
{
    static char text[TEXT + 1024];
    struct hosts_list again = { .count = 0 };
    size_t used = 0;
    char err[400];

    text[0] = '\0';
    for (int i = 0; i < hosts->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s:%d", i ? "," : "",
                                 hosts->host[i].name, hosts->host[i].nodes);
    must(used < sizeof text);
    must(hosts_list_parse(text, &again, err, sizeof err) == 0);
    must(again.count == hosts->count && again.nodes == hosts->nodes);
    for (int i = 0; i < again.count; i++)
        must(strcmp(again.host[i].name, hosts->host[i].name) == 0 &&
             again.host[i].nodes == hosts->host[i].nodes);
}

static void check_loss(const struct config *cfg, int nodes)
{
    static struct hosts_list before, after;
    char err[400], name[sizeof before.host[0].name];
    int places = 0;

    if (hosts_places(cfg, &before, err, sizeof err) < 0 || before.count == 0)
        return;
    after = before;
    snprintf(name, sizeof name, "%s", before.host[0].name);
    hosts_list_lose(&after, nodes, name);
    for (int i = 0; i < before.count; i++)
        places += strcmp(before.host[i].name, name) != 0 ? before.host[i].nodes : 0;
    must(after.nodes == places || before.count == NODES_MAX);
    for (int i = 0; i < after.count; i++)
        must(after.host[i].nodes > 0 && strcmp(after.host[i].name, name) != 0);
    for (int n = 0; n < nodes && n < places; n++)
        must(hosts_list_of(&after, n) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config cfg;
    struct hosts_list hosts = { .count = 0 };
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
        check_loss(&cfg, hosts.nodes);
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
    SEED("\4h1:2,h2:2,h3:1,h4:3"),
    SEED("\3h1,h2,h1,h3:2"),
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
