/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_CONFIG_MEMORY_H
#define HLRC_CONFIG_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct config;

struct memory_limit {
    uint64_t bytes;   /* UINT64_MAX: none is known */
    const char *what; /* which limit it is */
};

/* memory_limit - the lowest of what /proc and the control groups say; root is put before their
 * paths */
void memory_limit(const char *root, struct memory_limit *limit);

/* memory_check - config_check_memory() against the files below root */
int memory_check(const char *root, const struct config *cfg, char *err, size_t errlen);

#endif
