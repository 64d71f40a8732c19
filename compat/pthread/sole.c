/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sole.c - see sole.h. */
#include "compat/pthread/sole.h"

#include "hlrc/memory/only_node.h"

static bool used;

void sole_begin(void)
{
    used = true;
    sole_set(true);
}

void sole_set(bool is)
{
    if (!used)
        return;
    hlrc_only_node(is);
    hlrc_no_readers(is);
}
