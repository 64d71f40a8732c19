/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/restart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int restart_options_export(const struct checkpoint_manifest *saved)
{
    char nodes[16];

    for (char **option = saved->options; *option != NULL; option++) {
        char *value = strchr(*option, '=');

        if (value == NULL)
            continue;
        *value = '\0';
        if (setenv(*option, value + 1, 0) < 0)
            return -ENOMEM;
    }
    snprintf(nodes, sizeof nodes, "%u", saved->nodes);
    return setenv("HLRC_NODES", nodes, 0) < 0 ? -ENOMEM : 0;
}

static int restart_command_make(struct restart *restart, int argc, char **argv, int rest)
{
    int saved = 0, count = argc;

    while (restart->saved.args[saved] != NULL)
        saved++;
    restart->argv = calloc((size_t)(argc + saved) + 2, sizeof *restart->argv);
    if (restart->argv == NULL)
        return -ENOMEM;
    memcpy(restart->argv, argv, (size_t)argc * sizeof *argv);
    if (rest >= argc) {
        restart->argv[count++] = restart->saved.path;
        memcpy(restart->argv + count, restart->saved.args, (size_t)saved * sizeof *argv);
        count += saved;
    }
    restart->argc = count;
    return 0;
}

int restart_read(struct restart *restart, const char *dir, int argc, char **argv, int rest,
                 char *err, size_t errlen)
{
    int ret = checkpoint_manifest_read(dir, &restart->saved, err, errlen);

    if (ret < 0)
        return ret;
    ret = restart_options_export(&restart->saved);
    if (ret == 0)
        ret = restart_command_make(restart, argc, argv, rest);
    if (ret < 0)
        snprintf(err, errlen, "out of memory");
    return ret;
}

void restart_free(struct restart *restart)
{
    free(restart->argv);
    checkpoint_manifest_free(&restart->saved);
    *restart = (struct restart){ .argc = 0 };
}
