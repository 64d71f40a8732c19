/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * netdb.c - entries of services, protocols, networks and hosts: node 0 has the C library's
 * variables for them (delegate.h), and the program gets copies in shared memory, one of each kind.
 */
#include <netdb.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#define LISTED     128
#define TEXT_BYTES 8192

struct netdb_lists {
    char *aliases[LISTED + 1], *addresses[LISTED + 1];
    char text[TEXT_BYTES];
};

/* In shared memory. */
static struct netdb_results {
    struct servent service;
    struct protoent protocol;
    struct netent network;
    struct rpcent program;
    struct hostent host;
    struct netdb_lists of_service, of_protocol, of_network, of_program, of_host;
    int host_error;
} * results;

/* ---- copies ---- */

static char *netdb_put(struct netdb_lists *to, size_t *used, const void *from, size_t bytes)
{
    if (bytes > TEXT_BYTES - *used)
        start_fail("an entry of a network database has more than %d bytes", TEXT_BYTES);
    char *copy = memcpy(to->text + *used, from, bytes);
    *used += bytes;
    return copy;
}

static char *netdb_text(struct netdb_lists *to, size_t *used, const char *text)
{
    return text ? netdb_put(to, used, text, strlen(text) + 1) : NULL;
}

/* Of texts, or of addresses of `bytes` each. */
static char **netdb_list(struct netdb_lists *to, char **list, size_t *used, char **from,
                         size_t bytes)
{
    size_t count = 0;
    for (; from && from[count] && count < LISTED; count++)
        list[count] =
            bytes ? netdb_put(to, used, from[count], bytes) : netdb_text(to, used, from[count]);
    list[count] = NULL;
    return list;
}

static struct servent *netdb_service(const struct servent *from)
{
    struct netdb_lists *lists = &results->of_service;
    size_t used = 0;
    if (!from)
        return NULL;
    results->service = *from;
    results->service.s_name = netdb_text(lists, &used, from->s_name);
    results->service.s_proto = netdb_text(lists, &used, from->s_proto);
    results->service.s_aliases = netdb_list(lists, lists->aliases, &used, from->s_aliases, 0);
    return &results->service;
}

static struct protoent *netdb_protocol(const struct protoent *from)
{
    struct netdb_lists *lists = &results->of_protocol;
    size_t used = 0;
    if (!from)
        return NULL;
    results->protocol = *from;
    results->protocol.p_name = netdb_text(lists, &used, from->p_name);
    results->protocol.p_aliases = netdb_list(lists, lists->aliases, &used, from->p_aliases, 0);
    return &results->protocol;
}

static struct netent *netdb_network(const struct netent *from)
{
    struct netdb_lists *lists = &results->of_network;
    size_t used = 0;
    results->host_error = h_errno;
    if (!from)
        return NULL;
    results->network = *from;
    results->network.n_name = netdb_text(lists, &used, from->n_name);
    results->network.n_aliases = netdb_list(lists, lists->aliases, &used, from->n_aliases, 0);
    return &results->network;
}

static struct rpcent *netdb_program(const struct rpcent *from)
{
    struct netdb_lists *lists = &results->of_program;
    size_t used = 0;
    if (!from)
        return NULL;
    results->program = *from;
    results->program.r_name = netdb_text(lists, &used, from->r_name);
    results->program.r_aliases = netdb_list(lists, lists->aliases, &used, from->r_aliases, 0);
    return &results->program;
}

static struct hostent *netdb_host(const struct hostent *from)
{
    struct netdb_lists *lists = &results->of_host;
    size_t used = 0;
    results->host_error = h_errno;
    if (!from)
        return NULL;
    results->host = *from;
    results->host.h_name = netdb_text(lists, &used, from->h_name);
    results->host.h_aliases = netdb_list(lists, lists->aliases, &used, from->h_aliases, 0);
    results->host.h_addr_list =
        netdb_list(lists, lists->addresses, &used, from->h_addr_list, (size_t)from->h_length);
    return &results->host;
}

/* ---- the calls ---- */

HERE(struct servent *, getservbyname, (const char *name, const char *protocol), (name, protocol),
     WORDS((long)name, (long)protocol))
{
    return netdb_service(getservbyname(name, protocol));
}

HERE(struct servent *, getservbyport, (int port, const char *protocol), (port, protocol),
     WORDS(port, (long)protocol))
{
    return netdb_service(getservbyport(port, protocol));
}

HERE(struct servent *, getservent, (void), (), WORDS(0))
{
    return netdb_service(getservent());
}

HERE(struct protoent *, getprotobyname, (const char *name), (name), WORDS((long)name))
{
    return netdb_protocol(getprotobyname(name));
}

HERE(struct protoent *, getprotobynumber, (int number), (number), WORDS(number))
{
    return netdb_protocol(getprotobynumber(number));
}

HERE(struct protoent *, getprotoent, (void), (), WORDS(0))
{
    return netdb_protocol(getprotoent());
}

HERE(struct rpcent *, getrpcbyname, (const char *name), (name), WORDS((long)name))
{
    return netdb_program(getrpcbyname(name));
}

HERE(struct rpcent *, getrpcbynumber, (int number), (number), WORDS(number))
{
    return netdb_program(getrpcbynumber(number));
}

HERE(struct rpcent *, getrpcent, (void), (), WORDS(0))
{
    return netdb_program(getrpcent());
}

/* Calls that set h_errno, which a thread has on its node. */
#define SEARCH(type, copy, name, parameters, arguments, words)                         \
    static type there_##name parameters                                                \
    {                                                                                  \
        return copy(name arguments);                                                   \
    }                                                                                  \
    type __wrap_##name parameters                                                      \
    {                                                                                  \
        if (!start_sharing)                                                            \
            return name arguments;                                                     \
        if (!delegate_is_away())                                                       \
            return there_##name arguments;                                             \
        type found = (type)delegate_call(DELEGATE_FN(there_##name),                    \
                                         (const long[DELEGATE_WORDS]){ words }, NULL); \
        h_errno = results->host_error;                                                 \
        return found;                                                                  \
    }
SEARCH(struct netent *, netdb_network, getnetbyname, (const char *name), (name), WORDS((long)name))
SEARCH(struct netent *, netdb_network, getnetbyaddr, (uint32_t net, int type), (net, type),
       WORDS((long)net, type))
SEARCH(struct netent *, netdb_network, getnetent, (void), (), WORDS(0))
SEARCH(struct hostent *, netdb_host, gethostbyname, (const char *name), (name), WORDS((long)name))
SEARCH(struct hostent *, netdb_host, gethostbyname2, (const char *name, int family), (name, family),
       WORDS((long)name, family))
SEARCH(struct hostent *, netdb_host, gethostbyaddr,
       (const void *address, socklen_t bytes, int family), (address, bytes, family),
       WORDS((long)address, (long)bytes, family))
SEARCH(struct hostent *, netdb_host, gethostent, (void), (), WORDS(0))

static void netdb_begin(void)
{
    if (start_sharing)
        results = start_shared_memory(sizeof *results, "results of the C library");
}

__attribute__((constructor)) static void netdb_at_start(void)
{
    start_at_begin(netdb_begin);
}
