/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refuse.c - messages about addresses that are not symmetric; see inner.h. */
#include "compat/fail.h"
#include "compat/shmem/inner.h"

void inner_sh_refuse_memory(const char *call, const void *at, size_t len)
{
    if (inner_sh_find(at, 1))
        fail_job("%s: %zu bytes at %p go beyond the end of their symmetric object", call, len, at);
    if (inner_sh_heap_had(at))
        fail_job("%s: %zu bytes at %p are in the symmetric heap, but in no block; use memory of "
                 "shmem_malloc before shmem_free",
                 call, len, at);
    fail_job("%s: %zu bytes at %p are not symmetric; use memory of shmem_malloc%s", call, len, at,
             sh.data ? ", or a global variable of the executable"
                     : ": global variables are not, since this library is linked statically");
}
