/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* request.h - wire format of requests to the handler of another node, and of answers; see
 * msg.h. */
#ifndef HLRC_REQUEST_H
#define HLRC_REQUEST_H

#include <assert.h>
#include <stdint.h>

enum request_type {
    /* object: page; flags: prefetch; arg[0]: destination of the copy (window << 56 | offset);
     * arg[1]: `ticket` of the answer (pages_async.c); vec: needed versions */
    REQUEST_PAGE,
    REQUEST_HOME,  /* object: page; answer: arg = home + 1, 0 while unassigned */
    REQUEST_PLACE, /* object: page; arg[0]: node; answer as REQUEST_HOME */
    REQUEST_LOCK,  /* object: lock, at its manager */
    /* object: lock, at the last node in the queue; answer: vec = vector time */
    REQUEST_LOCK_OWNER,
    REQUEST_TRY,       /* object: lock, at its manager; answer: status 0 and vec, or -EBUSY */
    REQUEST_TRY_OWNER, /* object: lock, at its last owner */
    /* object: lock, back at its manager; arg[0]: 1 granted, 0 busy; arg[1]: number of the grant
     * (timeline.h), also the arg of answers to lock requests; vec: vector time */
    REQUEST_TRY_RESULT,
    /* object, arg[0]: epoch; arg[1]: kind and call; vec: vector time; answer: vec = merged time */
    REQUEST_BARRIER,
    /* object: condition variable, at its manager; arg[0]: the token to answer at the signal, with
     * vec = vector time of the signaller; answer to this request: it is registered */
    REQUEST_COND_WAIT,
    /* object: the reader; drain the log of req->from; answer: nothing */
    REQUEST_LOG_DRAIN,
    /* object: word; arg[0], arg[1]: operands; flags: operation; answer: arg = old value */
    REQUEST_ATOMIC,
    /* object: page; arg[0], arg[1]: operands; flags: offset and operation (sync/word.c); answer as
     * above */
    REQUEST_WORD,
    /* arg[0]: address; answer: status: stamp or -ENOENT, arg: code, vec: block, size (sites.h) */
    REQUEST_SITE,
    /* answer: nothing; all earlier messages of this node have been served [races.reads-first] */
    REQUEST_SERVED,
    REQUEST_TYPES
};

struct request {
    uint16_t type, from; /* enum request_type; the requester */
    uint32_t token;      /* of the requester */
    uint32_t object, flags;
    uint64_t arg[2];
    uint64_t vec[]; /* one per node, if the type has it */
};

struct request_reply {
    int64_t status;
    uint64_t arg;
    uint64_t vec[];
};

static_assert(sizeof(struct request) == 32 && sizeof(struct request_reply) == 16,
              "sent between nodes as raw bytes");

#endif
