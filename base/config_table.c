/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* config_table.c - the rows of the table of options (config.h). */
#include "base/config.h"

#include <stddef.h>
#include <stdio.h>

#define ROW(kind_, type, field, name_, default_, low_, high_, values_, agree_, help_) \
    [CONFIG_ID_##field] = { .kind = CONFIG_##kind_,                                   \
                            .name = (name_),                                          \
                            .fallback = (default_),                                   \
                            .values = (values_),                                      \
                            .help = (help_),                                          \
                            .low = (low_),                                            \
                            .high = (high_),                                          \
                            .offset = offsetof(struct config, field),                 \
                            .agree = (agree_) },
static const struct config_option rows[CONFIG_COUNT] = { CONFIG_OPTIONS(ROW) };
#undef ROW

const struct config_option *config_option(enum config_id id)
{
    return &rows[id];
}

const struct config_alias *config_alias(int index)
{
    static const struct config_alias aliases[] = {
        { CONFIG_ID_diffs, "handler", "message" },  { CONFIG_ID_notices, "handler", "log" },
        { CONFIG_ID_locks, "handler", "manager" },  { CONFIG_ID_locks, "queue", "mcs" },
        { CONFIG_ID_barrier, "handler", "master" }, { CONFIG_ID_barrier, "central", "counter" },
        { CONFIG_ID_barrier, "gb", "tree" },        { CONFIG_ID_barrier, "pe", "pairs" },
    };

    return (size_t)index < sizeof aliases / sizeof *aliases ? &aliases[index] : NULL;
}

const char *config_variable(const char *name, char *buf, size_t len)
{
    snprintf(buf, len, "HLRC_%s", name);
    for (char *c = buf; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    return buf;
}

const char *config_environment_name(enum config_id id, char *buf, size_t len)
{
    return config_variable(rows[id].name, buf, len);
}

void config_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}
