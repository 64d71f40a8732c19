/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared_core.c - see shared_core.h. */
#include "hlrc/crash/shared_core.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/diag.h"
#include "hlrc/core/engine.h"

#define GAP ((off_t)64 << PAGE_SHIFT) /* shorter runs of untouched pages are dumped too */

static off_t shared_core_run_end(off_t from, off_t size)
{
    for (off_t end = from;;) {
        end = lseek(engine.space.fd, end, SEEK_HOLE);
        if (end < 0 || end >= size)
            return size;
        off_t next = lseek(engine.space.fd, end, SEEK_DATA);
        if (next < 0 || next - end >= GAP)
            return end;
        end = next;
    }
}

void shared_core_mark(void)
{
    off_t size = (off_t)engine_heap_pages() << PAGE_SHIFT, from = 0;
    if (!engine.app || engine.config.core != CORE_FULL)
        return;
    while (from < size && (from = lseek(engine.space.fd, from, SEEK_DATA)) >= 0) {
        off_t end = shared_core_run_end(from, size);
        if (madvise(engine.app + from, (size_t)(end - from), MADV_DODUMP) != 0) {
            diag_detail("--core full: shared memory from %p on is not in the core dump: too many "
                        "mappings in this process; raise vm.max_map_count",
                        (void *)(engine.app + from));
            return;
        }
        from = end;
    }
}
