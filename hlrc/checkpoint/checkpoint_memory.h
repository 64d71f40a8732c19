/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_memory.h - the contents of a process's mappings.
 *
 * A file has the pages that differ from the last saved ones, and then the list of all pages that
 * have contents. The others are zero, or as in the mapped file. Changes are found by digests, as in
 * checkpoint_pages.h. [checkpoint.lost-page] holds, since the digests of a checkpoint are of its
 * pages only.
 *
 * Shared memory without a file is copied while all threads are stopped, and saved completely each
 * time. Private memory is saved by a child, which has it as it was when the child was created.
 */
#ifndef HLRC_CHECKPOINT_MEMORY_H
#define HLRC_CHECKPOINT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_file.h"
#include "hlrc/checkpoint/checkpoint_maps.h"

/* The pages of a checkpoint, by ascending address. */
struct checkpoint_memory_page {
    uint64_t address, digest;
};

struct checkpoint_memory_table {
    struct checkpoint_memory_page *page; /* scratch memory */
    uint64_t room;
    uint64_t *count; /* at its beginning */
};

/* Room for that number of pages; keeps buffers that are large enough. 0 or -ENOMEM. */
int checkpoint_memory_table_room(struct checkpoint_memory_table *t, uint64_t pages);
void checkpoint_memory_table_close(struct checkpoint_memory_table *t);

/* Bytes that checkpoint_memory_save_objects would put, at most, by an estimate. */
uint64_t checkpoint_memory_objects_bytes(const struct checkpoint_maps *m);
void checkpoint_memory_save_objects(struct checkpoint_file *f, const struct checkpoint_maps *m);
/* `last`: of the last checkpoint; NULL: all pages are saved. Returns the number of saved ones. */
uint64_t checkpoint_memory_save(struct checkpoint_file *f, const struct checkpoint_maps *m,
                                const struct checkpoint_memory_table *last,
                                struct checkpoint_memory_table *next);

/* A process in the making: each mapping lies at another address first. */
struct checkpoint_memory_image {
    struct checkpoint_maps maps;
    char **at;        /* of each mapping */
    bool *is_open;    /* may be written */
    int *object_fd;   /* of each mapping of an object */
    uint64_t *wanted; /* a bit per page: in the list, and not stored yet */
    uint64_t left;
};

/* 0, or a negative errno after a line in `why`. */
int checkpoint_memory_map(struct checkpoint_memory_image *image, char *begin, char *why,
                          size_t len);
uint64_t checkpoint_memory_bytes(const struct checkpoint_maps *m);
void checkpoint_memory_load_objects(struct checkpoint_memory_image *image,
                                    struct checkpoint_file *f);
void checkpoint_memory_skip_objects(struct checkpoint_file *f);
/* The newest file, and then older ones. */
void checkpoint_memory_load(struct checkpoint_memory_image *image, struct checkpoint_file *f,
                            bool newest);
/* Where the byte of an address is now; NULL: nowhere. May be written. */
void *checkpoint_memory_find(struct checkpoint_memory_image *image, uint64_t address);

#endif
