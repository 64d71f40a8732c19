/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* versions.c - versions that a copy has and needs: replay.h, struct versions. */
#include "sim/replay.h"

void versions_raise(struct versions *v, uint32_t writer, uint32_t interval)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (v->at[i].writer == writer) {
            if (v->at[i].interval < interval)
                v->at[i].interval = interval;
            return;
        }
    *MAP_PUSH(v->at, v->count, v->room) = (struct replay_version){ writer, interval };
}

uint32_t versions_of(const struct versions *v, uint32_t writer)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (v->at[i].writer == writer)
            return v->at[i].interval;
    return 0;
}

bool versions_cover(const struct versions *have, const struct versions *need)
{
    for (uint32_t i = 0; i < need->count; i++)
        if (versions_of(have, need->at[i].writer) < need->at[i].interval)
            return false;
    return true;
}
