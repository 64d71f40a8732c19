/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A node from another build, or none at all: what mixed.sh puts beside true nodes.
 *
 *   stranger version TEXT         another version of the library
 *   stranger page BYTES           pages of another size
 *   stranger option NAME VALUE    another value of an option
 *   stranger hello N              version N of the launch protocol
 *   stranger type N               a message of type N
 *   stranger piece TOTAL OFFSET   a piece of a blob of TOTAL bytes, which begins at OFFSET
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <hlrc.h>

#include "base/config.h"
#include "boot/boot.h"
#include "boot/wire.h"
#include "hlrc/identity.h"

/* The others say what is wrong and end the job; this one has nothing to say. */
static void await_end(void)
{
    for (;;)
        pause();
}

static int option_set(struct config *config, const char *name, const char *value)
{
    char err[CONFIG_ERROR_MAX];

    for (int id = 0; id < CONFIG_COUNT; id++)
        if (strcmp(config_option((enum config_id)id)->name, name) == 0)
            return config_set(config, (enum config_id)id, value, CONFIG_ENVIRONMENT, err,
                              sizeof err);
    return -1;
}

static int differ(char **argv)
{
    static struct config config;
    static struct identity mine, all[HLRC_MAX_NODES];
    uint64_t digest, digests[HLRC_MAX_NODES];
    char err[CONFIG_ERROR_MAX];
    struct boot *boot;

    if (boot_open(&boot) < 0 || config_load(&config, err, sizeof err) < 0)
        return 90;
    identity_fill(&mine, &config);
    if (strcmp(argv[1], "version") == 0)
        snprintf(mine.version, sizeof mine.version, "%s", argv[2]);
    else if (strcmp(argv[1], "page") == 0)
        mine.page_size = (uint32_t)atol(argv[2]);
    else if (option_set(&mine.config, argv[2], argv[3]) < 0)
        return 91;
    digest = identity_digest(&mine);
    if (boot_exchange(boot, &digest, sizeof digest, digests) < 0 ||
        boot_exchange(boot, &mine, sizeof mine, all) < 0)
        return 92;
    await_end();
    return 0;
}

static int message_send(struct wire_head head)
{
    const char *fd = getenv("HLRC_LAUNCH_FD");

    return fd != NULL && send(atoi(fd), &head, sizeof head, MSG_NOSIGNAL) == (ssize_t)sizeof head
               ? 0
               : 93;
}

static int speak(char **argv)
{
    int number = atoi(argv[2]), ret;
    struct wire_head hello = { .type = WIRE_HELLO, .status = WIRE_VERSION },
                     next = { .type = WIRE_EXCHANGE };

    if (strcmp(argv[1], "hello") == 0)
        hello.status = number;
    ret = message_send(hello);
    if (strcmp(argv[1], "type") == 0)
        next.type = (uint32_t)number;
    if (strcmp(argv[1], "piece") == 0) {
        next.total = (uint32_t)number;
        next.offset = (uint32_t)atoi(argv[3]);
    }
    if (ret == 0 && strcmp(argv[1], "hello") != 0)
        ret = message_send(next);
    if (ret == 0)
        await_end();
    return ret;
}

int main(int argc, char **argv)
{
    if (argc < 3 || (argc < 4 && (strcmp(argv[1], "option") == 0 || strcmp(argv[1], "piece") == 0)))
        return 2;
    return strcmp(argv[1], "version") == 0 || strcmp(argv[1], "page") == 0 ||
                   strcmp(argv[1], "option") == 0
               ? differ(argv)
               : speak(argv);
}
