/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts_loss.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "launch/hosts.h"
#include "launch/hosts_probe.h"

/* Text that is cut at the end of its room. */
struct hosts_loss_text {
    char *at;
    size_t room;
};

__attribute__((format(printf, 2, 3))) static void hosts_loss_print(struct hosts_loss_text *text,
                                                                   const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(text->at, text->room, fmt, args);
    va_end(args);
    size_t used = len < 0 ? 0 : (size_t)len < text->room ? (size_t)len : text->room - 1;
    text->at += used;
    text->room -= used;
}

/* Each host occurs once. Returns their number. */
static int hosts_loss_names(struct hosts_loss *loss, const struct hosts_list *hosts,
                            const bool *lost)
{
    struct hosts_loss_text text = { loss->names, sizeof loss->names };
    int count = 0;

    for (int i = 0; i < hosts->count; i++) {
        bool again = false;

        for (int k = 0; k < i; k++)
            again = again || strcmp(hosts->host[k].name, hosts->host[i].name) == 0;
        if (lost[i] && !again)
            hosts_loss_print(&text, "%s%s", count++ > 0 ? "," : "", hosts->host[i].name);
    }
    return count;
}

static bool hosts_loss_has(const struct hosts_loss *loss, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = loss->names; (at = strstr(at, name)) != NULL; at++)
        if ((at == loss->names || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

/* "nodes 2-3,5" */
static void hosts_loss_print_nodes(struct hosts_loss_text *text, const bool *moved, int nodes)
{
    int count = 0;

    for (int n = 0; n < nodes; n++)
        count += moved[n];
    hosts_loss_print(text, "%s ", count == 1 ? "node" : "nodes");
    for (int n = 0, first = 0, before = 0; n < nodes; n++) {
        first = moved[n] && (n == 0 || !moved[n - 1]) ? n : first;
        if (!moved[n] || (n + 1 < nodes && moved[n + 1]))
            continue;
        hosts_loss_print(text, n > first ? "%s%d-%d" : "%s%d", before++ > 0 ? "," : "", first, n);
    }
}

/* "h3,h4" */
static void hosts_loss_print_hosts(struct hosts_loss_text *text, const struct hosts_list *after,
                                   const bool *moved, int nodes)
{
    const char *last = "";

    for (int n = 0; n < nodes; n++) {
        const char *name = moved[n] ? hosts_list_of(after, n) : NULL;

        if (name == NULL || strcmp(name, last) == 0)
            continue;
        hosts_loss_print(text, "%s%s", *last != '\0' ? "," : "", name);
        last = name;
    }
}

static void hosts_loss_place(struct hosts_loss *loss, const struct hosts_list *before, int nodes,
                             int count)
{
    static struct hosts_list after;
    static bool moved[NODES_MAX];
    struct hosts_loss_text text = { loss->text, sizeof loss->text };
    char names[CONFIG_TEXT_MAX], *at = NULL;

    after = *before;
    snprintf(names, sizeof names, "%s", loss->names);
    for (char *name = strtok_r(names, ",", &at); name != NULL; name = strtok_r(NULL, ",", &at))
        hosts_list_lose(&after, nodes, name);
    for (int n = 0; n < nodes; n++) {
        moved[n] = hosts_loss_has(loss, hosts_list_of(before, n));
        loss->nodes = loss->nodes || moved[n];
    }
    loss->placed = after.nodes >= nodes;
    hosts_loss_print(&text,
                     count > 1 ? "hosts %.200s are lost: " : "host %.200s is lost: ", loss->names);
    if (!loss->placed)
        hosts_loss_print(&text, "no place is left for ");
    hosts_loss_print_nodes(&text, moved, nodes);
    if (!loss->placed)
        return;
    hosts_loss_print(&text, " now on ");
    hosts_loss_print_hosts(&text, &after, moved, nodes);
}

void hosts_loss_find(struct hosts_loss *loss, const struct config *cfg, const sigset_t *mask,
                     const bool *silent)
{
    static struct hosts_list hosts;
    static bool lost[NODES_MAX];
    char *command[] = { (char *)(uintptr_t) "true", NULL }, err[CONFIG_ERROR_MAX];

    *loss = (struct hosts_loss){ .nodes = false };
    if (hosts_places(cfg, &hosts, err, sizeof err) < 0)
        return;
    memcpy(lost, silent, sizeof lost);
    hosts_probe_run(&hosts, command, mask, lost);
    int count = hosts_loss_names(loss, &hosts, lost);
    if (count > 0)
        hosts_loss_place(loss, &hosts, cfg->nodes, count);
}
