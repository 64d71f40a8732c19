/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identity.h - properties on which the nodes of a job must agree before they communicate: version,
 * page size, options, shared memory of the program's own; with --no-aslr also the code
 * addresses. */
#ifndef HLRC_IDENTITY_H
#define HLRC_IDENTITY_H

#include <stdint.h>

#include "base/config.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"
#include "hlrc/memory/range.h"

struct identity {
    char version[32];
    uint32_t page_size;
    uint64_t code[2]; /* with --no-aslr: of the program and of this library; else 0 */
    struct config config;
    struct range_identity ranges[RANGES_MAX];
};

/* Fills in this process's identity. */
void identity_fill(struct identity *out, const struct config *config);

uint64_t identity_digest(const struct identity *id); /* equal if no comparison is needed */

/* Checks that all nodes agree: the digests are exchanged, and if these differ everything.
 * Collective. 0; -EINVAL after a message with the difference and its node; an error of the
 * exchange. */
int identity_agree(struct boot *boot, const struct identity *mine);

#endif
