/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An option that is given its default value has the same effect as one that is not given
 * (base/config.h): each option beside each value of each other one. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "fabric/fabric.h"
#include "tests/unit/unit.h"

static char err[CONFIG_ERROR_MAX];

static void clear_environment(void)
{
    char name[64];

    for (int id = 0; id < CONFIG_COUNT; id++)
        unsetenv(config_environment_name((enum config_id)id, name, sizeof name));
    config_ask_fabrics(fabric_probe);
}

/* Some other value of each option, where it is good alone. Of a choice: every word. */
static const char *other_value(const struct config_option *row, int index, char *buf, size_t len)
{
    const char *word = row->values;

    switch (row->kind) {
    case CONFIG_CHOICE:
        for (; index > 0 && word; index--)
            word = (word = strchr(word, '|')) ? word + 1 : NULL;
        if (!word)
            return NULL;
        snprintf(buf, len, "%.*s", (int)strcspn(word, "|"), word);
        return buf;
    case CONFIG_NUMBER:
    case CONFIG_SIZE:
        if (index > 1 || (index == 1 && row->low == row->high))
            return NULL;
        snprintf(buf, len, "%lld", (long long)(index ? row->high : row->low));
        return buf;
    case CONFIG_FLAG:
        return index == 0 ? "yes" : NULL;
    case CONFIG_TEXT:
        return index > 0 ? NULL : row->offset == offsetof(struct config, fabric) ? "shm" : "x";
    }
    return NULL;
}

struct pair {
    enum config_id id;
    const char *value;
};

/* What a node makes of these options, by the launcher's export. */
static int resolve_given(struct config *node, const struct pair *given, size_t count)
{
    struct config cfg;

    config_default(&cfg);
    for (size_t i = 0; i < count; i++)
        if (given[i].value &&
            config_set(&cfg, given[i].id, given[i].value, CONFIG_COMMAND, err, sizeof err) != 0)
            return -EINVAL;
    int ret = config_resolve(&cfg, err, sizeof err);
    if (ret == 0)
        ret = config_export(&cfg);
    if (ret == 0)
        ret = config_load(node, err, sizeof err);
    clear_environment();
    memset(node->source, 0, sizeof node->source);
    return ret;
}

/* Every option is given its default beside `context`: the same as without it. */
static void expect_no_effect(const struct pair context[2])
{
    struct config without, with;

    if (resolve_given(&without, context, 2) != 0)
        return; /* not good alone */
    for (int id = 0; id < CONFIG_COUNT; id++) {
        const char *fallback = config_option((enum config_id)id)->fallback;
        struct pair given[3] = { { (enum config_id)id, fallback }, context[0], context[1] };

        *err = '\0';
        int ret = resolve_given(&with, given, 3);
        if (ret != 0 || memcmp(&with, &without, sizeof with) != 0)
            fail_msg("--%s %s beside --%s %s: %s", config_option((enum config_id)id)->name,
                     fallback, config_option(context[0].id)->name,
                     context[0].value ? context[0].value : "", ret ? err : "another value");
    }
}

static void defaults_given(void)
{
    struct pair context[2] = { { CONFIG_ID_nodes, NULL }, { CONFIG_ID_trace_sim, NULL } };
    char word[64];
    int contexts = 0;

    expect_no_effect(context);
    for (int with_file = 0; with_file < 2; with_file++)
        for (int id = 0; id < CONFIG_COUNT; id++)
            for (int i = 0; i < 8; i++) {
                const struct config_option *row = config_option((enum config_id)id);
                const char *value = other_value(row, i, word, sizeof word);

                if (!value)
                    break;
                context[0] = (struct pair){ (enum config_id)id, value };
                context[1].value = with_file ? "x" : NULL;
                expect_no_effect(context);
                contexts++;
            }
    assert_true(contexts > 2 * CONFIG_COUNT);
}

UNIT_MAIN(clear_environment, NULL, TEST(defaults_given))
