/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * checkpoint_manifest.h - the file that makes a checkpoint complete. It names what was saved, and
 * how to start the program again: lines of a word and a value, the last one a digest of the others.
 *
 * Files in the directory, with G the number of the checkpoint:
 *   manifest.G   exists only if all files of checkpoint G are complete
 *   G.node.N     the state of node N, and its pages that changed since checkpoint G - 1; in a full
 *                one all of its pages
 */
#ifndef HLRC_CHECKPOINT_MANIFEST_H
#define HLRC_CHECKPOINT_MANIFEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"

/* Checkpoints without a full one, at most. */
#define CHECKPOINT_CHAIN 16
/* The program has windows, which are saved for its number of nodes only. */
#define CHECKPOINT_ANY_WINDOWS 2

struct checkpoint_manifest {
    uint32_t generation, base; /* this one, and the last full one */
    uint32_t nodes;
    uint32_t any;         /* of hlrc_checkpoint_any: 1, or CHECKPOINT_ANY_WINDOWS */
    uint64_t app, memory; /* address of shared memory, and its size (--memory) */
    uint64_t program;     /* digest of the program's file */
    uint32_t processes;   /* that became one process (checkpoint_image.h); 0: not saved so */
    bool partner;         /* in memory (checkpoint_partner.h) */
    uint64_t *bytes;      /* of the files: (generation - base + 1) rows of nodes */
    char version[32];
    /* read only: */
    char *path;     /* of the program */
    char **options; /* NAME=VALUE of each option; NULL after the last */
    char **args;    /* after the program's name; NULL after the last */
    char *text;     /* to which these point */
};

char *checkpoint_manifest_path(char *path, size_t len, const char *dir, uint32_t generation);
char *checkpoint_manifest_file(char *path, size_t len, const char *dir, uint32_t generation,
                               uint32_t node);

/* Of --partner: the directory of a node in ROOT. */
char *checkpoint_manifest_node_dir(char *path, size_t len, const char *root, uint32_t node);
/* True if this file of checkpoint m is there with its length. */
bool checkpoint_manifest_has_file(const char *dir, const struct checkpoint_manifest *m,
                                  uint32_t generation, uint32_t node);

/* Writes m and what this process is (its program, arguments, directory and options). 0 or a
 * negative errno. */
int checkpoint_manifest_write(const char *dir, const struct checkpoint_manifest *m,
                              const struct config *config);
/* Its text, and the text after the last length has become known, which allocates nothing. */
struct checkpoint_manifest_text {
    char *text; /* NULL: no memory */
    size_t len;
    uint32_t generation;
};
struct checkpoint_manifest_text checkpoint_manifest_prepare(const struct checkpoint_manifest *m,
                                                            const struct config *config);
void checkpoint_manifest_set_last_length(struct checkpoint_manifest_text *t, uint64_t bytes);
/* Reads the newest one, and checks that its files have their lengths, which those of --partner may
 * not. 0, or a negative errno and one line. */
int checkpoint_manifest_read(const char *dir, struct checkpoint_manifest *m, char *err,
                             size_t errlen);
/* The same for another one, of --partner. */
int checkpoint_manifest_read_one(const char *dir, uint32_t generation,
                                 struct checkpoint_manifest *m, char *err, size_t errlen);
/* The same of a text that another node has read, without a line. */
int checkpoint_manifest_adopt(const char *text, size_t len, struct checkpoint_manifest *m);
void checkpoint_manifest_free(struct checkpoint_manifest *m);

/* Number of the newest manifest; 0: none. */
uint32_t checkpoint_manifest_newest(const char *dir);
/* Removes files of checkpoints before `base`, and manifests before `oldest`. */
void checkpoint_manifest_clean(const char *dir, uint32_t base, uint32_t oldest);
/* Removes files and manifests of checkpoints after `newest`. */
void checkpoint_manifest_clean_newer(const char *dir, uint32_t newest);

uint64_t checkpoint_manifest_program(void); /* digest of the running program's file */

#endif
