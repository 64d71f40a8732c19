/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_wire.h - strangers at the ports of a job over libfabric; see ofi_wire.c. */
#ifndef HLRC_TESTS_OFI_WIRE_H
#define HLRC_TESTS_OFI_WIRE_H

#include "fabric/ofi/ofi.h"

/* What the nodes of a job exchange to connect. */
struct wire_address {
    char at[OFI_ADDRESS];
    unsigned char secret[OFI_SECRET];
};

#define WIRE_CARDS \
    5 /* well-formed requests of wire_stranger_connect without the right to connect */

/* Connects to the TCP port of node `node` of `nodes` in many wrong ways; returns false if the port
 * takes no connection. Some connections stay open until this process ends. */
bool wire_stranger_connect(const struct wire_address *all, int nodes, int node);

#define WIRE_MESSAGES 4 /* messages of wire_stranger_send that are no messages of the job */

/* Sends wrong messages to an endpoint without connections. 0, or what libfabric says. */
int wire_stranger_send(const char *provider, const struct wire_address *to);

#endif
