/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface of HLRC, of which hlrc.h includes this part: having shared memory. The form
 * of a block is described there. */
#ifndef HLRC_MEMORY_H
#define HLRC_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * hlrc_malloc, hlrc_aligned_alloc - allocate shared memory
 *
 * Any node may allocate at any time. The memory is filled with zeros and valid at the same address
 * on all nodes; the others learn the pointer through shared memory. hlrc_malloc() aligns it to 16
 * bytes, hlrc_aligned_alloc() to `align` bytes, a power of two; `size` need not be a multiple of
 * it. A size of 0 is served as a size of 1.
 *
 * RETURN VALUE: The address of the memory, or NULL with errno set.
 *
 * ERRORS:
 *     ENOMEM  the shared space has no free block of this size; it is as large as the memory of the
 *             machines, or what their control groups allow, unless --memory says otherwise
 *     EINVAL  `align` is not a power of two, or larger than 1 GiB
 *
 * NOTES: Data of different nodes in one page costs page traffic, although it is correct. Give each
 * node its own pages by hlrc_aligned_alloc() or hlrc_malloc_all().
 *
 * SEE ALSO: hlrc_free, hlrc_malloc_all, hlrc_place
 */
void *hlrc_malloc(size_t size);
void *hlrc_aligned_alloc(size_t align, size_t size);

/**
 * hlrc_free - give shared memory back
 *
 * Gives back what hlrc_malloc() or hlrc_aligned_alloc() returned, on this node or another one. NULL
 * is ignored. It is a release, and the allocation that gets the memory next is an acquire. A
 * pointer that is not that of a live allocation ends the job.
 *
 * NOTES: Memory from hlrc_malloc_all() goes back by hlrc_free_all().
 *
 * SEE ALSO: hlrc_malloc, hlrc_free_all
 */
void hlrc_free(void *ptr);

/**
 * hlrc_malloc_all - allocate shared memory on all nodes together
 *
 * Collective. Every node passes the same `size` and gets the same address, which begins a page. The
 * memory is filled with zeros. Nodes that disagree on the size end the job.
 *
 * RETURN VALUE: The same address on every node, or NULL with errno set on every node.
 *
 * ERRORS:
 *     ENOMEM  the shared space has no free block of this size; --memory sets how large it is
 *
 * SEE ALSO: hlrc_free_all, hlrc_malloc, hlrc_place
 */
void *hlrc_malloc_all(size_t size);

/**
 * hlrc_free_all - give back shared memory on all nodes together
 *
 * Collective. Gives back what hlrc_malloc_all() returned; every node passes the same pointer. NULL
 * on every node is ignored.
 *
 * SEE ALSO: hlrc_malloc_all
 */
void hlrc_free_all(void *ptr);

#ifdef __cplusplus
}
#endif

#endif
