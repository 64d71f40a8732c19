/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_maps.h - the mappings of a process, and what the process that continues it must have
 * in common with it: the system, the CPU, and the files that are mapped.
 */
#ifndef HLRC_CHECKPOINT_MAPS_H
#define HLRC_CHECKPOINT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum checkpoint_maps_kind {
    CHECKPOINT_MAPS_ANONYMOUS, /* private; its pages are saved */
    CHECKPOINT_MAPS_FILE,      /* private, or shared and read only; its changed pages are saved */
    CHECKPOINT_MAPS_OBJECT,    /* shared memory without a file; saved once for each object */
};

struct checkpoint_map {
    uint64_t begin, end, offset, inode;
    uint64_t first; /* number of its first page, among the pages of all mappings */
    uint32_t prot;  /* PROT_ */
    uint32_t kind;  /* enum checkpoint_maps_kind */
    uint32_t name;  /* of the file, in the names */
    bool is_shared, grows_down;
    char identity[54]; /* of the file */
};

/* Of [vdso], [vvar] and the like, which the system maps. */
struct checkpoint_maps_special {
    uint64_t begin, end;
    uint32_t name;
};

#define CHECKPOINT_MAPS_SPECIALS 6
#define CHECKPOINT_MAPS_BOUNDS   11 /* of struct prctl_mm_map, in its order */

struct checkpoint_maps_system {
    char release[160];
    uint32_t cpu[12];
    uint64_t vdso; /* digest of its code */
    uint64_t bounds[CHECKPOINT_MAPS_BOUNDS];
    struct checkpoint_maps_special special[CHECKPOINT_MAPS_SPECIALS];
    uint32_t specials;
};

struct checkpoint_maps {
    struct checkpoint_map *map;
    char *names;
    uint32_t count, room;
    uint32_t names_used, names_room;
    uint64_t pages; /* of all private ones, and files */
    struct checkpoint_maps_system system;
    struct {
        uint64_t begin, end;
    } without[5]; /* not to be saved */
    uint32_t withouts;
};

/* Memory that is not saved, and that a child shares: a separate mapping, which the system joins
 * with no other. NULL: none. */
void *checkpoint_maps_scratch(size_t bytes);
/* Room for the mappings; not saved itself. 0, or -ENOMEM. */
int checkpoint_maps_open(struct checkpoint_maps *m);
void checkpoint_maps_close(struct checkpoint_maps *m);
void checkpoint_maps_without(struct checkpoint_maps *m, const void *begin, size_t len);
/* Of this process. 0, or a negative errno after one line in `why`. Allocates nothing. */
int checkpoint_maps_read(struct checkpoint_maps *m, char *why, size_t len);
/* The identities of files. The same. */
int checkpoint_maps_identify(struct checkpoint_maps *m, char *why, size_t len);
int checkpoint_maps_identity(const char *path, char *id, size_t len);

/* 0, or a negative errno after a line why this process cannot continue the one of `saved`. */
int checkpoint_maps_check(const struct checkpoint_maps *saved, const struct checkpoint_maps *here,
                          char *why, size_t len);

/* The one that has the address; NULL: none. */
const struct checkpoint_map *checkpoint_maps_at(const struct checkpoint_maps *m, uint64_t address);

#endif
