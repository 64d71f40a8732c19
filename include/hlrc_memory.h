/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of the public interface, included by hlrc.h: allocation of shared memory. hlrc.h describes
 * the form of a block. */
#ifndef HLRC_MEMORY_H
#define HLRC_MEMORY_H

#include <stddef.h>

/* Maximum number of ranges of the program's own memory that are shared. */
#define HLRC_MAX_SHARED 16

#ifdef __cplusplus
extern "C" {
#endif

/**
 * hlrc_malloc, hlrc_aligned_alloc, hlrc_alloc_uninitialized - allocate shared memory
 *
 * Any node may allocate at any time. The memory is zero-filled and valid at the same address on
 * all nodes; the others get the pointer through shared memory. hlrc_malloc() aligns it to 16
 * bytes, hlrc_aligned_alloc() to `align` bytes, a power of two; `size` need not be a multiple of
 * it. A size of 0 is treated as a size of 1.
 *
 * hlrc_alloc_uninitialized() is hlrc_aligned_alloc() whose memory has undefined contents: no node
 * writes zeros into it, so its pages stay where they are cached, and their first writes need not
 * fetch zeros from another node.
 *
 * RETURN VALUE: The address of the memory, or NULL with errno set.
 *
 * ERRORS:
 *     ENOMEM  the shared space has no free block of this size; it is as large as the memory of the
 *             machines, or the limits of their control groups, unless --memory says otherwise
 *     EINVAL  `align` is not a power of two, or larger than 1 GiB
 *
 * NOTES: Data of different nodes in one page is correct, but costs page traffic. Give each node
 * its own pages by hlrc_aligned_alloc() or hlrc_malloc_all().
 *
 * SEE ALSO: hlrc_free, hlrc_malloc_all, hlrc_place
 */
void *hlrc_malloc(size_t size);
void *hlrc_aligned_alloc(size_t align, size_t size);
void *hlrc_alloc_uninitialized(size_t align, size_t size);

/**
 * hlrc_calloc, hlrc_realloc, hlrc_usable_size - allocations of other sizes
 *
 * hlrc_calloc() is hlrc_malloc() of `count` times `size` bytes. Sizes of 0 are treated as 1.
 *
 * hlrc_realloc() changes the allocation at `ptr`, made on any node, to `size` bytes. The
 * allocation may move. It keeps its contents up to the smaller of both sizes; added bytes are
 * undefined. With NULL it is hlrc_malloc().
 *
 * hlrc_usable_size() returns the number of bytes of the allocation at `ptr`, which may be more
 * than requested.
 *
 * RETURN VALUE: hlrc_calloc() and hlrc_realloc() return the address of the memory, or NULL with
 * errno set; then the allocation at `ptr` is unchanged. hlrc_usable_size() returns 0 if no
 * allocation of hlrc_malloc() or hlrc_aligned_alloc() begins at `ptr`, which may be any address
 * except one in freed memory.
 *
 * ERRORS:
 *     ENOMEM  the shared space has no free block of this size; --memory sets its size
 *
 * NOTES: hlrc_realloc() of a pointer that is not a live allocation ends the job.
 *
 * SEE ALSO: hlrc_malloc, hlrc_free
 */
void *hlrc_calloc(size_t count, size_t size);
void *hlrc_realloc(void *ptr, size_t size);
size_t hlrc_usable_size(const void *ptr);

/**
 * hlrc_free - free shared memory
 *
 * Frees memory of hlrc_malloc(), hlrc_aligned_alloc() and the other calls that are not collective,
 * allocated on this node or another. NULL is ignored. It is a release, and the allocation that gets
 * the memory next is an acquire. A pointer that is not a live allocation ends the job.
 *
 * NOTES: Free memory from hlrc_malloc_all() by hlrc_free_all().
 *
 * SEE ALSO: hlrc_malloc, hlrc_free_all
 */
void hlrc_free(void *ptr);

/**
 * hlrc_malloc_all - allocate shared memory on all nodes together
 *
 * Collective. Every node passes the same `size` and gets the same address, which is page-aligned.
 * The memory is zero-filled. Nodes that disagree on the size end the job.
 *
 * RETURN VALUE: The same address on every node, or NULL with errno set on every node.
 *
 * ERRORS:
 *     ENOMEM  the shared space has no free block of this size; --memory sets its size
 *
 * SEE ALSO: hlrc_free_all, hlrc_malloc, hlrc_place
 */
void *hlrc_malloc_all(size_t size);

/**
 * hlrc_free_all - free shared memory on all nodes together
 *
 * Collective. Frees memory that hlrc_malloc_all() returned; every node passes the same pointer.
 * NULL on every node is ignored.
 *
 * SEE ALSO: hlrc_malloc_all
 */
void hlrc_free_all(void *ptr);

/* Placement of pages by hlrc_alloc_placed(). */
typedef enum { HLRC_BLOCK, HLRC_CYCLIC, HLRC_AT } hlrc_placement;

/**
 * hlrc_alloc_placed - allocate shared memory with chosen homes
 *
 * Collective: hlrc_malloc_all(), with the homes of the pages chosen as by hlrc_place(). With
 * HLRC_BLOCK each node has the same number of consecutive pages, node 0 the first; if the pages do
 * not divide evenly the last node has fewer. With HLRC_CYCLIC blocks of `unit` bytes, rounded up
 * to whole pages, 0 for one page, go to each node in turn. With HLRC_AT all pages are at node
 * number `unit`. hlrc_free_all() frees the memory.
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

/* For hlrc_alloc(): all nodes make the call, and get the same address; the homes of the pages are
 * chosen; the contents are undefined. */
#define HLRC_ALLOC_ALL           1U
#define HLRC_ALLOC_PLACED        2U
#define HLRC_ALLOC_UNINITIALIZED 4U

/* Options of hlrc_alloc(). New fields are added only at the end, and 0 means what it did before. */
struct hlrc_alloc_options {
    size_t size;              /* bytes of this struct, set by the caller */
    size_t align;             /* of the memory: a power of two; 0 means 16 */
    unsigned flags;           /* HLRC_ALLOC_... */
    hlrc_placement placement; /* with HLRC_ALLOC_PLACED */
    size_t unit;              /* of the placement */
};

/**
 * hlrc_alloc - allocate shared memory, with options
 *
 * Allocates `size` bytes as `options` say; NULL means hlrc_malloc(). With HLRC_ALLOC_ALL the call
 * is collective, as hlrc_malloc_all(), and every node passes the same options. HLRC_ALLOC_PLACED
 * with it chooses the homes of the pages, as hlrc_alloc_placed(). HLRC_ALLOC_UNINITIALIZED saves
 * the zeros, as hlrc_alloc_uninitialized(); memory of all nodes may be zero nevertheless.
 *
 *     struct hlrc_alloc_options all = { sizeof all, .flags = HLRC_ALLOC_ALL | HLRC_ALLOC_PLACED,
 *                                       .placement = HLRC_CYCLIC };
 *     double *field = hlrc_alloc(bytes, &all);
 *
 * hlrc_free_all() frees memory of HLRC_ALLOC_ALL, hlrc_free() other memory.
 *
 * RETURN VALUE: The address of the memory, or NULL with errno set.
 *
 * ERRORS:
 *     EINVAL  the field `size` does not reach beyond `flags`, or a later version's field is not 0;
 *             a flag is unknown, or HLRC_ALLOC_PLACED is without HLRC_ALLOC_ALL; the alignment is
 *             not a power of two, or larger than 1 GiB, or with HLRC_ALLOC_ALL than a page; or as
 *             hlrc_alloc_placed()
 *     ENOMEM  as hlrc_malloc()
 *
 * SEE ALSO: hlrc_malloc, hlrc_malloc_all, hlrc_alloc_placed, hlrc_free, hlrc_free_all
 */
void *hlrc_alloc(size_t size, const struct hlrc_alloc_options *options);

/**
 * hlrc_share - share the program's own memory
 *
 * Makes the `len` bytes at `start` shared memory from hlrc_init() on: a global array, or memory
 * that the program has mapped. They keep their address and their contents. Every node calls it
 * before hlrc_init(), with the same arguments, in the same order, up to HLRC_MAX_SHARED times.
 * `start` and `len` are multiples of the page size, 4096; for an array use
 * __attribute__((aligned(4096))) and a suitable size.
 *
 * Each node has the memory already, so nothing is sent at the start. The contents must therefore
 * be the same on all nodes when they call hlrc_init(), which compares them; nodes that differ end
 * the job with one line. hlrc_home(), hlrc_place(), hlrc_prefetch() and hlrc_touch() accept it
 * like other shared memory. A job of one node leaves it as it is.
 *
 * After hlrc_finalize() it is private again, and holds the contents that this node has seen.
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
 *     EINVAL  the range is empty or is not whole pages; or it is not all private readable and
 *             writable memory, overlaps an earlier call, or contains the stack of the caller, or
 *             data of the C library or of HLRC, as .data does in a statically linked program
 *     ENOMEM  more than HLRC_MAX_SHARED calls, or more than 1 TiB
 *
 * NOTES: If the nodes load the program at different addresses, its arrays are at different
 * addresses, too; link it with -no-pie, or run it with --no-aslr. A forked child has the memory in
 * common with its parent until it calls an exec function.
 *
 * SEE ALSO: hlrc_init, hlrc_malloc_all
 */
int hlrc_share(void *start, size_t len);

/**
 * hlrc_note_read - declare a read of shared memory
 *
 * For hlrcrun --check races, where HLRC sees which bytes a node has written, but not which bytes
 * it has read. The calling thread is about to read the `size` bytes at `ptr`; a write of another
 * node that no lock and no barrier orders with the read is reported. `code` is the address of the
 * instruction after the access, for the report; NULL means the caller. Bytes outside shared memory
 * are ignored, and without --check races the call does nothing.
 *
 * Programs that are compiled with -fsanitize=thread, and linked without it but with -lhlrc_reads,
 * call it for each access; see DATA RACES in hlrcrun(1).
 *
 * SEE ALSO: hlrcrun(1)
 */
void hlrc_note_read(const void *ptr, size_t size, const void *code);

/**
 * hlrc_checkpoint, hlrc_checkpoint_any - save the job, to continue it after its end
 *
 * Collective. With hlrcrun --checkpoint, saves the job into files if a checkpoint is due: the given
 * time has passed, or hlrcrun has received SIGUSR1. Otherwise the call is a barrier; without
 * --checkpoint it does nothing.
 *
 * The call copies what has changed since the last checkpoint into memory, and a thread of the node
 * compresses and writes it while the program runs. It waits for the thread if memory is short, and
 * with --checkpoint 0. A checkpoint that becomes due while another one is being written begins
 * after it; one that SIGUSR1 requests waits for it, as does hlrc_finalize(). If the job dies before
 * a checkpoint is complete, it continues from the one before.
 *
 * hlrcrun --restart runs the program again from its beginning. Its first hlrc_checkpoint() replaces
 * all shared memory by the saved one, and returns 1. What the program allocated and stored before
 * that call is lost. Saved are shared memory with its allocations, locks, condition variables,
 * atomic words, windows, and the private memory of hlrc_protect(). Before the first call the
 * program calls hlrc_protect() and hlrc_window_create() in the same order, with the same sizes, as
 * in the saved job. All else in private memory, open files and threads are the program's task.
 *
 * hlrc_checkpoint_any() is for programs that can continue on another number of nodes. Then node n
 * gets the protected memory of node n modulo the saved number, and no window may exist. hlrcrun
 * --resize has a running job end in such a call, and continue at once on another number.
 *
 *     hlrc_protect(&step, sizeof step);
 *     hlrc_protect(&field, sizeof field);
 *     for (; step < steps; step++) {
 *         if (hlrc_checkpoint() < 0)
 *             fputs("no checkpoint\n", stderr);
 *         compute(field);
 *     }
 *
 * RETURN VALUE: 0: the job continues, saved if that was due; 1: it has been restored; a negative
 * errno value on all nodes: it was not saved, and the checkpoint before is kept. An error of the
 * thread that writes is the result of a later call.
 *
 * ERRORS:
 *     EBUSY   a node holds a lock
 *     ENOSPC  the disk is full; or another error of the file system
 *     ENOMEM  a node has no memory for its tables
 *
 * NOTES: No other thread of the job may be in a call or access shared memory during this call. A
 * damaged or missing file at a restart ends the job with one line, and changes no file.
 *
 * SEE ALSO: hlrc_protect, hlrc_barrier, hlrcrun(1)
 */
int hlrc_checkpoint(void);
int hlrc_checkpoint_any(void);

/**
 * hlrc_protect - private memory that checkpoints save
 *
 * hlrc_checkpoint() saves and restores the `len` bytes at `ptr`, which belong to this node: a loop
 * counter, a pointer to shared memory. Another call with the same `ptr` replaces the length.
 *
 * RETURN VALUE: 0, or a negative errno value.
 *
 * ERRORS:
 *     EINVAL  `len` is 0, or `ptr` is in shared memory, which is saved anyway
 *     ENOMEM  no memory for the table
 *
 * SEE ALSO: hlrc_checkpoint
 */
int hlrc_protect(void *ptr, size_t len);

#ifdef __cplusplus
}
#endif

#endif
