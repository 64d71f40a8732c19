/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identity.h - what the nodes of a job must agree on before they speak: version, size of a page,
 * options, memory of the program's own that is shared; with --no-aslr also where the code lies.
 */
#ifndef HLRC_IDENTITY_H
#define HLRC_IDENTITY_H

#include <stdint.h>

#include "base/config.h"
#include "boot/boot.h"
#include "hlrc/engine.h"
#include "hlrc/memory/range.h"

struct identity {
    char version[32];
    uint32_t page_size;
    uint64_t code[2]; /* with --no-aslr: of the program and of this library; else 0 */
    struct config config;
    struct range_identity ranges[RANGES_MAX];
};

/* That of this process. */
void identity_fill(struct identity *out, const struct config *config);

uint64_t identity_digest(const struct identity *id); /* alike where no two have to be told apart */

/* Whether all nodes are alike: the digests are exchanged, and where these differ all of it.
 * Collective. 0; -EINVAL after a line that says what differs, and at which node; an error of the
 * exchange. */
int identity_agree(struct boot *boot, const struct identity *mine);

#endif
