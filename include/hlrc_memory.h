/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface of HLRC, of which hlrc.h includes this part: having shared memory. The form
 * of a block is described there. */
#ifndef HLRC_MEMORY_H
#define HLRC_MEMORY_H

#include <stddef.h>

/* Most ranges of the program's own memory that are shared. */
#define HLRC_MAX_SHARED 16

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
 * hlrc_calloc, hlrc_realloc, hlrc_usable_size - allocations of other sizes
 *
 * hlrc_calloc() is hlrc_malloc() of `count` times `size` bytes.
 *
 * hlrc_realloc() makes the allocation at `ptr`, of whatever node, `size` bytes long; it may move,
 * and holds what it held before, as far as it reaches; what is added holds nothing certain. With
 * NULL it is hlrc_malloc().
 *
 * hlrc_usable_size() says how many bytes the allocation at `ptr` has, which may be more than were
 * asked for.
 *
 * RETURN VALUE: hlrc_calloc() and hlrc_realloc() return the address of the memory, or NULL with
 * errno set; then what was at `ptr` is as it was. hlrc_usable_size() returns 0 where nothing of
 * hlrc_malloc() or hlrc_aligned_alloc() begins at `ptr`, which may be any address but that of
 * memory that was given back.
 *
 * ERRORS:
 *     ENOMEM  the shared space has no free block of this size; --memory sets how large it is
 *
 * NOTES: hlrc_realloc() of anything but a live allocation ends the job.
 *
 * SEE ALSO: hlrc_malloc, hlrc_free
 */
void *hlrc_calloc(size_t count, size_t size);
void *hlrc_realloc(void *ptr, size_t size);
size_t hlrc_usable_size(const void *ptr);

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

/* Where hlrc_alloc_placed() puts pages. */
typedef enum { HLRC_BLOCK, HLRC_CYCLIC, HLRC_AT } hlrc_placement;

/**
 * hlrc_alloc_placed - allocate shared memory whose pages have their homes
 *
 * Collective: hlrc_malloc_all(), and the homes of the pages are chosen as by hlrc_place(). With
 * HLRC_BLOCK each node has as many pages in a row as every other, the first ones node 0, the last
 * node fewer where it does not come out even. With HLRC_CYCLIC `unit` bytes, rounded up to whole
 * pages, 0 for one page, are at each node in turn. With HLRC_AT all are at node number `unit`.
 * hlrc_free_all() gives the memory back.
 *
 * RETURN VALUE: The same address on every node, or NULL with errno set on every node.
 *
 * ERRORS:
 *     ENOMEM  as hlrc_malloc_all()
 *     EINVAL  `how` is none of the three, or `unit` is not a node of the job
 *
 * SEE ALSO: hlrc_malloc_all, hlrc_place, hlrc_home
 */
void *hlrc_alloc_placed(size_t size, hlrc_placement how, size_t unit);

/**
 * hlrc_share - share memory of the program's own
 *
 * Makes the `len` bytes at `start` shared memory from hlrc_init() on: a global array, or what the
 * program has mapped itself. They keep their address and what is in them. Called before
 * hlrc_init(), by every node with the same arguments, in the same order, up to HLRC_MAX_SHARED
 * times. `start` and `len` are multiples of the page size, 4096; an array gets that by
 * __attribute__((aligned(4096))) and a size to match.
 *
 * Each node has the memory already, so nothing is sent at the start. What is in it must therefore
 * be the same on all nodes when they call hlrc_init(), which compares it; nodes that differ end the
 * job with one line. hlrc_home(), hlrc_place(), hlrc_prefetch() and hlrc_touch() take it as they do
 * other shared memory. A job of one node leaves it as it is.
 *
 * After hlrc_finalize() it is private again, and holds what this node has seen of it.
 *
 *     static double field[1024][1024] __attribute__((aligned(4096)));
 *
 *     int main(int argc, char **argv)
 *     {
 *         if (hlrc_share(field, sizeof field) != 0 || hlrc_init(&argc, &argv) != 0)
 *             return 1;
 *
 * RETURN VALUE: 0, or a negative errno value; then nothing has changed.
 *
 * ERRORS:
 *     EBUSY   the job has begun
 *     EINVAL  no whole pages, or no bytes; or they are not all private memory for loads and stores,
 *             or shared by an earlier call, or hold the stack of the caller, or data of the C
 *             library or of HLRC, as .data does in a program that is linked statically
 *     ENOMEM  more than HLRC_MAX_SHARED calls, or 1 TiB
 *
 * NOTES: A program that is loaded at different addresses on the nodes has its arrays there, too;
 * link it with -no-pie, or run it with --no-aslr. A forked child has the memory in common with its
 * parent until it calls an exec function.
 *
 * SEE ALSO: hlrc_init, hlrc_malloc_all
 */
int hlrc_share(void *start, size_t len);

/**
 * hlrc_note_read - says that bytes of shared memory are read
 *
 * With hlrcrun --check races, where HLRC sees which bytes a node has written, but not which it has
 * read: the `size` bytes at `ptr` are about to be read by the calling thread, and a write of
 * another node that no lock and no barrier orders with that is reported. `code` is the address
 * behind the access, for the report; NULL: the caller. Bytes that are not shared memory count for
 * nothing, and without --check races the call does nothing.
 *
 * Programs that are compiled with -fsanitize=thread, and linked without it but with -lhlrc_reads,
 * call it for each access; see DATA RACES in hlrcrun(1).
 *
 * SEE ALSO: hlrcrun(1)
 */
void hlrc_note_read(const void *ptr, size_t size, const void *code);

#ifdef __cplusplus
}
#endif

#endif
