/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* waits.c - see waits.h. */
#include "hlrc/core/waits.h"

#include <hlrc.h>
#include <stdio.h>

static const struct {
    const char *words, *node;
    int number;
} rows[WAITS_KINDS] = {
#define X(kind, words_, number_, node_) [kind] = { words_, node_, number_ },
    WAITS(X)
#undef X
};

const char *waits_words(struct waits_wait what, char *buf, size_t len)
{
    char number[24] = "", node[40] = "";
    if (what.what >= WAITS_KINDS)
        what.what = WAITS_NOTHING;
    if (what.what == WAITS_LOCK && what.object == HLRC_STATIC_LOCKS) {
        snprintf(buf, len, "the lock of the shared heap");
        return buf;
    }
    if (rows[what.what].number)
        snprintf(number, sizeof number, " %llu", (unsigned long long)what.object);
    if (rows[what.what].node)
        snprintf(node, sizeof node, "%s%d", rows[what.what].node, what.node);
    snprintf(buf, len, "%s%s%s", rows[what.what].words, number, node);
    return buf;
}
