/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* transports.h - the transports of this build, for fabric.c alone. */
#ifndef FABRIC_TRANSPORTS_H
#define FABRIC_TRANSPORTS_H

#include "fabric/fabric.h"

/* the nodes of one machine, over memory objects that all of them map */
extern const struct fabric_ops fabric_shm;

#ifdef HAVE_VERBS
extern const struct fabric_ops fabric_verbs; /* RDMA adapters, by libibverbs */
/* the same between machines, memory that both map within one */
extern const struct fabric_ops fabric_mixed;
#endif

#endif
