/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_image_file.h - the beginning of a file of checkpoint_image.h: where the process is
 * entered, its mappings, and the names of their files. */
#ifndef HLRC_CHECKPOINT_IMAGE_FILE_H
#define HLRC_CHECKPOINT_IMAGE_FILE_H

#include <stdint.h>

#include "hlrc/checkpoint/checkpoint_file.h"
#include "hlrc/checkpoint/checkpoint_maps.h"

#define CHECKPOINT_IMAGE_MAGIC UINT64_C(0x31676d4963726c68)

struct checkpoint_image_head {
    uint64_t magic;
    uint64_t context, tls; /* of the first thread */
    uint64_t load;         /* address of checkpoint_context_load */
    uint64_t given;        /* address of struct checkpoint_image_given */
    uint64_t pages;
    uint32_t maps, names, generation, unused;
};

void checkpoint_image_file_put(struct checkpoint_file *f, const struct checkpoint_image_head *head,
                               const struct checkpoint_maps *m);
/* m: open, or NULL: skips it. */
void checkpoint_image_file_get(struct checkpoint_file *f, uint32_t generation,
                               struct checkpoint_image_head *head, struct checkpoint_maps *m);

#endif
