/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run_options.c - see run_options.h. */
#include "sim/run_options.h"

#include <stdlib.h>

#include "base/config.h"

#define OPTION(kind, type, field, name, initial, low, high, values, agree, help) \
    { "--" name, initial, (uint64_t)(high), CONFIG_##kind == CONFIG_CHOICE },

static const struct {
    const char *name, *initial;
    uint64_t most;
    bool is_choice;
} options[] = { CONFIG_OPTIONS(OPTION) };

static const struct {
    enum config_id id;
    enum record_setting at;
} kept[] = {
    { CONFIG_ID_ahead, RECORD_SET_ahead },
    { CONFIG_ID_renew, RECORD_SET_renew },
    { CONFIG_ID_hot_pages, RECORD_SET_hot_pages },
    { CONFIG_ID_exclusive_pages, RECORD_SET_exclusive },
    { CONFIG_ID_lazy_release, RECORD_SET_lazy_release },
    { CONFIG_ID_move_homes, RECORD_SET_move_homes },
};

/* The first word of a switch is its default: on. */
bool run_option(unsigned i, struct run_option *o)
{
    if (i >= sizeof kept / sizeof *kept)
        return false;
    enum config_id id = kept[i].id;
    *o = (struct run_option){ .name = options[id].name, .at = kept[i].at };
    o->is_switch = options[id].is_choice;
    o->usual = o->is_switch ? 0 : strtoull(options[id].initial, NULL, 10);
    o->most = o->is_switch ? 1 : options[id].most;
    return true;
}
