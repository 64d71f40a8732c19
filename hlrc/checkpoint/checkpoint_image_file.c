/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_image_file.c - see checkpoint_image_file.h. */
#include "hlrc/checkpoint/checkpoint_image_file.h"

#include <errno.h>
#include <stdbool.h>

void checkpoint_image_file_put(struct checkpoint_file *f, const struct checkpoint_image_head *head,
                               const struct checkpoint_maps *m)
{
    checkpoint_file_put(f, head, sizeof *head);
    checkpoint_file_put(f, &m->system, sizeof m->system);
    checkpoint_file_put(f, m->map, m->count * sizeof *m->map);
    checkpoint_file_put(f, m->names, m->names_used);
}

/* The digests of the blocks are right, so this finds only a file of another program. */
static bool checkpoint_image_file_is_sound(uint32_t generation,
                                           const struct checkpoint_image_head *head,
                                           const struct checkpoint_maps *m)
{
    if (head->magic != CHECKPOINT_IMAGE_MAGIC || head->names == 0 || head->generation != generation)
        return false;
    return !m || (head->maps <= m->room && head->names <= m->names_room);
}

void checkpoint_image_file_get(struct checkpoint_file *f, uint32_t generation,
                               struct checkpoint_image_head *head, struct checkpoint_maps *m)
{
    struct checkpoint_maps_system system;
    checkpoint_file_get(f, head, sizeof *head);
    if (checkpoint_file_status(f) == 0 && !checkpoint_image_file_is_sound(generation, head, m))
        checkpoint_file_fail(f, -EBADMSG);
    checkpoint_file_get(f, m ? &m->system : &system, sizeof system);
    if (checkpoint_file_status(f) != 0)
        return;
    if (!m) {
        checkpoint_file_skip(f, head->maps * sizeof(struct checkpoint_map) + head->names);
        return;
    }
    m->count = head->maps;
    m->names_used = head->names;
    m->pages = head->pages;
    checkpoint_file_get(f, m->map, m->count * sizeof *m->map);
    checkpoint_file_get(f, m->names, m->names_used);
}
