/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_file.h - one file of a checkpoint: a sequence of blocks, each with a digest, and
 * compressed where libzstd is found, which is loaded for the first block.
 *
 *   - A block is checked before a byte of it is returned: damage is found as -EBADMSG, and nothing
 *     that depends on a damaged number is done.
 *   - An error stays: later calls do nothing, a read returns zeros, and the last call returns it.
 */
#ifndef HLRC_CHECKPOINT_FILE_H
#define HLRC_CHECKPOINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checkpoint_file;
struct checkpoint_queue;

/* Both return NULL and a negative errno in *rc on failure. */
struct checkpoint_file *checkpoint_file_create(const char *path, int *rc);
struct checkpoint_file *checkpoint_file_open(const char *path, int *rc);

/* What is put there passes through the queue, to a thread that writes the file. It ends with
 * checkpoint_file_close. */
struct checkpoint_file *checkpoint_file_divert(struct checkpoint_queue *queue, int *rc);

/* `room` is called before each few megabytes, and its error is that of the file. The file is in
 * memory: it is compressed with less CPU time. NULL: it is not. */
void checkpoint_file_limit(struct checkpoint_file *f, int (*room)(void));

void checkpoint_file_put(struct checkpoint_file *f, const void *from, size_t len);
void checkpoint_file_get(struct checkpoint_file *f, void *to, size_t len);
void checkpoint_file_skip(struct checkpoint_file *f, uint64_t len);
void checkpoint_file_fail(struct checkpoint_file *f, int rc); /* keeps an earlier error */
int checkpoint_file_status(const struct checkpoint_file *f);

/* What is put is kept in that memory first, and compressed and written by the other function, or
 * when the memory is full: then checkpoint_file_has_waited is true. */
void checkpoint_file_keep(struct checkpoint_file *f, void *memory, size_t bytes);
void checkpoint_file_put_kept(struct checkpoint_file *f);
bool checkpoint_file_has_waited(const struct checkpoint_file *f);

/* Completes a file that was created: it is on the disk. *bytes is its length. 0 or a negative
 * errno. Allocates nothing, like checkpoint_file_put. */
int checkpoint_file_complete(struct checkpoint_file *f, uint64_t *bytes);
int checkpoint_file_descriptor(const struct checkpoint_file *f);
/* The same, and closes it. */
int checkpoint_file_finish(struct checkpoint_file *f, uint64_t *bytes);
/* Closes a file that was opened. 0 or a negative errno. */
int checkpoint_file_close(struct checkpoint_file *f);

#endif
