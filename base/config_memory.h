/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_CONFIG_MEMORY_H
#define HLRC_CONFIG_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct config;

struct config_memory_limit {
    uint64_t bytes;   /* UINT64_MAX: unknown */
    const char *what; /* the limit's name */
    uint64_t group;   /* inode of the control group's limit file; 0: not a limit of a control
                       * group */
};

/* config_memory_limit - the lowest limit in /proc and the control groups; root is put before their
 * paths */
void config_memory_limit(const char *root, struct config_memory_limit *limit);

/* config_memory_whole - the same for all memory, used or not */
void config_memory_whole(const char *root, struct config_memory_limit *limit);

/* config_memory_promisable - the untouched private memory that the system still promises;
 * UINT64_MAX if it does not count that (vm.overcommit_memory is not 2) */
uint64_t config_memory_promisable(const char *root);

/* config_memory_each_group - visits the control group that limits the memory of a process ("self",
 * or its number), and its ancestors; passes each group's directory and the version (1 or 2) of its
 * files */
void config_memory_each_group(const char *root, const char *process,
                              void (*visit)(const char *dir, int version, void *arg), void *arg);

/* config_memory_group_limit - lowers the limit to that of one group */
void config_memory_group_limit(const char *dir, int version, struct config_memory_limit *limit);

/* config_memory_check - config_check_memory() against the files below root */
int config_memory_check(const char *root, const struct config *cfg, char *err, size_t errlen);

#endif
