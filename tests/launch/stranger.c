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
 *
 * and for look.sh, two of them, whose only threads wait for a lock that the other one's holds:
 *
 *   stranger waits steady         and say so whenever they are asked
 *   stranger waits moving N       and have waited for another one each of the N times that they are
 *                                 asked, and say so before they answer; then they end well
 *   stranger waits late           and answer the first question when nobody waits for that any more
 *   stranger waits deaf           and then end well without reading what they are asked
 *   stranger waits mute           and only node 0 answers the first question; then they end well
 *   stranger waits badly          and what they send is no report
 */
#include <poll.h>
#include <stdbool.h>
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
#include "hlrc/report/deadlock_report.h"
#include "hlrc/report/identity.h"
#include "launch/look.h"

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

static int launch_fd(void)
{
    const char *fd = getenv("HLRC_LAUNCH_FD");

    return fd != NULL ? atoi(fd) : -1;
}

static int message_send(struct wire_head head)
{
    return send(launch_fd(), &head, sizeof head, MSG_NOSIGNAL) == (ssize_t)sizeof head ? 0 : 93;
}

static int report_send(uint32_t number, uint64_t epoch, uint32_t bytes)
{
    struct {
        struct wire_head head;
        struct report report;
        struct report_wait wait;
        struct report_held held;
    } packet = { .head = { .type = WIRE_WAITS } };
    uint16_t node = (uint16_t)atoi(getenv("HLRC_NODE"));

    packet.report = (struct report){ .bytes = bytes,
                                     .number = number,
                                     .node = node,
                                     .still = 1,
                                     .waits = 1,
                                     .held = 1,
                                     .epoch = epoch };
    packet.wait = (struct report_wait){ .what = WAITS_LOCK, .object = 1U - node, .ms = 2000 };
    packet.held = (struct report_held){ .lock = node };
    return send(launch_fd(), &packet, sizeof packet.head + bytes, MSG_NOSIGNAL) > 0 ? 0 : 94;
}

/* The number of the next question; 0 at the end of hlrcrun. */
static uint32_t question_receive(void)
{
    struct wire_head head = { 0 };
    ssize_t got = recv(launch_fd(), &head, sizeof head, 0);

    return got == (ssize_t)sizeof head && head.type == WIRE_LOOK ? head.total : 0;
}

static int waits(char **argv)
{
    bool moving = strcmp(argv[2], "moving") == 0, late = strcmp(argv[2], "late") == 0,
         mute = strcmp(argv[2], "mute") == 0;
    uint32_t bytes =
                 sizeof(struct report) + sizeof(struct report_wait) + sizeof(struct report_held),
             number;
    struct wire_head hello = { .type = WIRE_HELLO, .status = WIRE_VERSION },
                     goodbye = { .type = WIRE_GOODBYE };
    struct pollfd question = { .fd = launch_fd(), .events = POLLIN };
    int left = moving ? atoi(argv[3]) : 1, ret = message_send(hello);

    if (ret == 0)
        ret = report_send(0, 1, strcmp(argv[2], "badly") == 0 ? bytes - 8 : bytes);
    if (strcmp(argv[2], "deaf") == 0)
        left = poll(&question, 1, -1) == 1 ? 0 : 1;
    for (uint64_t epoch = 1; ret == 0 && left > 0 && (number = question_receive()) != 0;) {
        if (late)
            usleep((LOOK_MS + 500) * 1000);
        late = false;
        epoch += moving ? 1 : 0;
        if (moving && report_send(0, epoch, bytes) != 0)
            return 95;
        left -= moving || mute ? 1 : 0;
        if (!mute || strcmp(getenv("HLRC_NODE"), "0") == 0)
            ret = report_send(number, epoch, bytes);
    }
    if (mute)
        usleep((LOOK_MS + 500) * 1000); /* the look is over before they are */
    return ret == 0 ? message_send(goodbye) : ret;
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
    if (strcmp(argv[1], "waits") == 0)
        return waits(argv);
    return strcmp(argv[1], "version") == 0 || strcmp(argv[1], "page") == 0 ||
                   strcmp(argv[1], "option") == 0
               ? differ(argv)
               : speak(argv);
}
