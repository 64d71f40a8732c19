/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* alone.c - see alone.h. */
#include "compat/pthread/alone.h"

#include "hlrc/memory/only_node.h"

static bool used;

void alone_begin(void)
{
    used = true;
    alone_set(true);
}

void alone_set(bool is)
{
    if (!used)
        return;
    hlrc_only_node(is);
    hlrc_no_readers(is);
}
