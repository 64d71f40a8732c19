/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* transports.h - the transports of this build, only for fabric.c. */
#ifndef FABRIC_TRANSPORTS_H
#define FABRIC_TRANSPORTS_H

#include "fabric/fabric.h"

/* the nodes of one machine, by memory objects that all of them map */
extern const struct fabric_ops fabric_shm;

#ifdef HAVE_VERBS
extern const struct fabric_ops fabric_verbs; /* RDMA adapters, by libibverbs */
/* verbs between machines, mapped memory within one */
extern const struct fabric_ops fabric_mixed;
#endif

#ifdef HAVE_OFI
extern const struct fabric_ops fabric_ofi; /* any network, by libfabric */
/* the same, but pages of peers on this machine are copied through memory that both map */
extern const struct fabric_ops fabric_ofi_mixed;
#endif

#endif
