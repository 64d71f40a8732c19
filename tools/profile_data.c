/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_data.c - see profile_data.h. */
#include "tools/profile_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const profile_data_counts[PROFILE_COUNTERS] = {
#define X(name) #name,
    PROFILE_COUNTS(X)
#undef X
};

const char *profile_data_name(const struct json_read *block, char *text, size_t len)
{
    const char *where = json_read_text(block, "where");
    if (strcmp(json_read_text(block, "kind"), "heap") == 0)
        snprintf(text, len, "%.200s, block of %" PRIu64 " bytes at %s", where,
                 json_read_count(block, "bytes"), json_read_text(block, "address"));
    else
        snprintf(text, len, "%.200s", where);
    return text;
}

static int profile_data_by_wait(const void *a, const void *b)
{
    const struct profile_data_lock *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void profile_data_add_lock(struct profile_data_lock *list, size_t *count,
                                  const struct json_read *of)
{
    int64_t lock = (int64_t)json_read_number(of, "lock");
    struct profile_data_lock *l = list;
    while (l < list + *count && l->lock != lock)
        l++;
    if (l == list + *count)
        list[(*count)++].lock = lock;
    l->waits += json_read_count(of, "waits");
    l->hands += json_read_count(of, "from_others");
    l->seconds += json_read_number(of, "seconds");
}

size_t profile_data_locks(const struct json_read *profile, struct profile_data_lock **locks)
{
    size_t all = 0, count = 0;
    for (JSON_READ_EACH(node, json_read_list(profile, "by_node")))
        for (JSON_READ_EACH(lock, json_read_list(node, "locks")))
            all++;
    *locks = calloc(all + 1, sizeof **locks);
    for (JSON_READ_EACH(node, json_read_list(profile, "by_node")))
        for (JSON_READ_EACH(lock, *locks ? json_read_list(node, "locks") : NULL))
            profile_data_add_lock(*locks, &count, lock);
    if (count > 0)
        qsort(*locks, count, sizeof **locks, profile_data_by_wait);
    return count;
}
