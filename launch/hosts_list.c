/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* One "name" or "name:nodes" of len bytes. */
static bool hosts_list_parse_host(const char *text, size_t len, struct hosts_list_host *host)
{
    size_t name = 0;
    int64_t nodes = 1;

    while (name < len && text[name] != ':')
        name++;
    if (name == 0 || name >= sizeof host->name || text[0] == '-')
        return false;
    if (name < len && parse_number(text + name + 1, ",", 1, NODES_MAX, &nodes) != 0)
        return false;
    memcpy(host->name, text, name);
    host->name[name] = '\0';
    host->nodes = (int)nodes;
    return strpbrk(host->name, " /\\'\"$*[]") == NULL;
}

int hosts_list_parse(const char *text, struct hosts_list *hosts, char *err, size_t errlen)
{
    for (size_t len; *text != '\0'; text += len + (text[len] == ',')) {
        len = strcspn(text, ",");
        if (hosts->count == NODES_MAX ||
            !hosts_list_parse_host(text, len, &hosts->host[hosts->count])) {
            snprintf(
                err, errlen,
                "--hosts %.*s: not a host; give NAME or NAME:NODES (1 to %d), with commas between",
                (int)(len < 200 ? len : 200), text, NODES_MAX);
            return -EINVAL;
        }
        hosts->nodes += hosts->host[hosts->count++].nodes;
    }
    return 0;
}

/* Keeps the first places if -n asks for fewer. */
int hosts_list_trim(struct hosts_list *hosts, int nodes, char *err, size_t errlen)
{
    if (nodes > hosts->nodes) {
        snprintf(err, errlen, "--nodes %d: the hosts have slots for %d; write HOST:NODES", nodes,
                 hosts->nodes);
        return -EINVAL;
    }
    while (hosts->nodes > nodes) {
        struct hosts_list_host *last = &hosts->host[hosts->count - 1];

        hosts->nodes--;
        if (--last->nodes == 0)
            hosts->count--;
    }
    return 0;
}

/* Parses a host name and its number of nodes: "h1", "h1:2" or "h1 slots=2". The last is mpirun's
 * form, whose max_slots is ignored. */
static bool hosts_list_parse_line(char *line, struct hosts_list_host *host)
{
    char *at = NULL, *word = strtok_r(line, " \t\r\n", &at);

    if (word == NULL || !hosts_list_parse_host(word, strlen(word), host))
        return false;
    while ((word = strtok_r(NULL, " \t\r\n", &at)) != NULL) {
        const char *number = strchr(word, '=');
        int64_t value;

        if (number == NULL || parse_number(number + 1, "", 1, INT64_MAX, &value) != 0)
            return false;
        if (strncmp(word, "slots=", 6) == 0 && value <= NODES_MAX)
            host->nodes = (int)value;
        else if (strncmp(word, "max_slots=", 10) != 0 && strncmp(word, "max-slots=", 10) != 0)
            return false;
    }
    return true;
}

static int hosts_list_parse_file(FILE *file, const char *name, struct hosts_list *hosts, char *err,
                                 size_t errlen)
{
    char line[1024];

    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        bool whole = strchr(line, '\n') != NULL || feof(file);

        line[strcspn(line, "#")] = '\0';
        if (whole && line[strspn(line, " \t\r\n")] == '\0')
            continue;
        if (!whole || hosts->count == NODES_MAX ||
            !hosts_list_parse_line(line, &hosts->host[hosts->count])) {
            snprintf(err, errlen,
                     "--hostfile %.200s: line %d is not a host; write HOST, HOST:N or HOST slots=N "
                     "(1 to %d)",
                     name, number, NODES_MAX);
            return -EINVAL;
        }
        hosts->nodes += hosts->host[hosts->count++].nodes;
    }
    return ferror(file) ? -errno : 0;
}

int hosts_list_read_file(const char *name, struct hosts_list *hosts, char *err, size_t errlen)
{
    FILE *file = fopen(name, "re");
    int ret = file == NULL ? -errno : hosts_list_parse_file(file, name, hosts, err, errlen);

    if (file != NULL)
        fclose(file);
    if (ret < 0 && ret != -EINVAL)
        snprintf(err, errlen, "--hostfile %.200s: %s; give a file with a host in each line", name,
                 strerror(-ret));
    else if (ret == 0 && hosts->count == 0)
        snprintf(err, errlen, "--hostfile %.200s: contains no host; write one host in each line",
                 name);
    return ret < 0 || hosts->count == 0 ? -EINVAL : 0;
}

/* ---- the loss of a host ---- */

static bool hosts_list_is(const struct hosts_list *hosts, int host, const char *name)
{
    return strcmp(hosts->host[host].name, name) == 0;
}

/* Places of the host at the end of the list, or with its others from `first` on. */
static void hosts_list_add(struct hosts_list *hosts, int first, const char *name, int nodes)
{
    int at = first;

    while (at < hosts->count && !hosts_list_is(hosts, at, name))
        at++;
    if (nodes <= 0 || at == NODES_MAX)
        return;
    if (at == hosts->count) {
        snprintf(hosts->host[at].name, sizeof hosts->host[at].name, "%s", name);
        hosts->host[at].nodes = 0;
        hosts->count++;
    }
    hosts->host[at].nodes += nodes;
    hosts->nodes += nodes;
}

/* Takes at most that number of spare places of another host than `name`. They begin at `spare`. */
static int hosts_list_take_spare(struct hosts_list *hosts, int *spare, const char *name, int most)
{
    while (*spare < hosts->count &&
           (hosts->host[*spare].nodes == 0 || hosts_list_is(hosts, *spare, name)))
        ++*spare;
    if (*spare == hosts->count)
        return 0;
    int taken = hosts->host[*spare].nodes < most ? hosts->host[*spare].nodes : most;
    hosts->host[*spare].nodes -= taken;
    return taken;
}

/* Separates the places of the nodes from the spare ones. Returns the first host of the latter. */
static int hosts_list_divide(struct hosts_list *hosts, const struct hosts_list *from, int nodes)
{
    int spare = 0;

    for (int i = 0; i < from->count; i++) {
        int used = from->host[i].nodes < nodes ? from->host[i].nodes : nodes;

        hosts_list_add(hosts, hosts->count, from->host[i].name, used);
        spare = nodes > 0 ? hosts->count : spare;
        hosts_list_add(hosts, hosts->count, from->host[i].name, from->host[i].nodes - used);
        nodes -= used;
    }
    return spare;
}

void hosts_list_lose(struct hosts_list *hosts, int nodes, const char *name)
{
    static struct hosts_list parts, left;

    parts.count = parts.nodes = left.count = left.nodes = 0;
    int first = hosts_list_divide(&parts, hosts, nodes), spare = first;
    for (int i = 0; i < first; i++) {
        int lost = hosts_list_is(&parts, i, name) ? parts.host[i].nodes : 0, taken = 0;

        if (lost == 0)
            hosts_list_add(&left, 0, parts.host[i].name, parts.host[i].nodes);
        while (lost > 0 && (taken = hosts_list_take_spare(&parts, &spare, name, lost)) > 0) {
            hosts_list_add(&left, 0, parts.host[spare].name, taken);
            lost -= taken;
        }
    }
    first = left.count;
    for (int i = spare; i < parts.count; i++)
        if (!hosts_list_is(&parts, i, name))
            hosts_list_add(&left, first, parts.host[i].name, parts.host[i].nodes);
    *hosts = left;
}

const char *hosts_list_of(const struct hosts_list *hosts, int node)
{
    for (int i = 0; i < hosts->count; i++) {
        if (node < hosts->host[i].nodes)
            return hosts->host[i].name;
        node -= hosts->host[i].nodes;
    }
    return NULL;
}
