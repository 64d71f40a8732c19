/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* init_with.c - hlrc_init_with: a job whose nodes the program itself connects. */
#include <errno.h>
#include <hlrc.h>
#include <stddef.h>

#include "base/diag.h"
#include "boot/boot.h"
#include "hlrc/core/call.h"
#include "hlrc/core/engine.h"

int hlrc_init_with(const struct hlrc_exchange *exchange)
{
    if (call_get() == CALL_BEFORE && !engine.boot) {
        if (!exchange || exchange->size < sizeof *exchange || !exchange->gather) {
            diag_warn("hlrc_init_with: no exchange; pass a struct with its size and the function "
                      "`gather`");
            return -EINVAL;
        }
        if (exchange->nodes < 1 || exchange->nodes > HLRC_MAX_NODES || exchange->node < 0 ||
            exchange->node >= exchange->nodes) {
            diag_warn("hlrc_init_with: node %d of %d; pass 1 to %d nodes, numbered from 0",
                      exchange->node, exchange->nodes, HLRC_MAX_NODES);
            return -EINVAL;
        }
        int rc = boot_open_by(&engine.boot, exchange->node, exchange->nodes, exchange->gather,
                              exchange->arg);
        if (rc)
            return rc;
    }
    return hlrc_init(NULL, NULL);
}
