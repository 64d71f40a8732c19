/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_CONFIG_MEMORY_H
#define HLRC_CONFIG_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct config;

struct memory_limit {
    uint64_t bytes;   /* UINT64_MAX: none is known */
    const char *what; /* which limit it is */
    uint64_t group;   /* its file's number in this machine; 0: no control group's */
};

/* memory_limit - the lowest of what /proc and the control groups say; root is put before their
 * paths */
void memory_limit(const char *root, struct memory_limit *limit);

/* memory_whole - the same of all memory, whether or not it is used at the moment */
void memory_whole(const char *root, struct memory_limit *limit);

/* memory_promisable - what the system still promises of private memory that is not touched yet;
 * UINT64_MAX where it does not count that (vm.overcommit_memory is not 2) */
uint64_t memory_promisable(const char *root);

/* memory_each_group - visits the control group that bounds the memory of a process ("self", or its
 * number), and those above it: the group's directory, and the version (1 or 2) of its files */
void memory_each_group(const char *root, const char *process,
                       void (*visit)(const char *dir, int version, void *arg), void *arg);

/* memory_group_limit - lowers the limit to that of one group */
void memory_group_limit(const char *dir, int version, struct memory_limit *limit);

/* memory_check - config_check_memory() against the files below root */
int memory_check(const char *root, const struct config *cfg, char *err, size_t errlen);

#endif
