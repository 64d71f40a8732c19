/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run_options.c - see run_options.h. */
#include "sim/run_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "sim/fail.h"

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
bool run_options_entry(unsigned i, struct run_options_option *o)
{
    if (i >= sizeof kept / sizeof *kept)
        return false;
    enum config_id id = kept[i].id;
    *o = (struct run_options_option){ .name = options[id].name, .at = kept[i].at };
    o->is_switch = options[id].is_choice;
    o->usual = o->is_switch ? 0 : strtoull(options[id].initial, NULL, 10);
    o->most = o->is_switch ? 1 : options[id].most;
    return true;
}

static uint64_t run_options_switch_of(const struct run_options_option *o, const char *text)
{
    if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
        fail_with(SIM_WRONG_USE, "%s %s: not a switch value; choose on or off", o->name, text);
    return strcmp(text, "off") == 0;
}

static uint64_t run_options_number_of(const struct run_options_option *o, const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || value > o->most)
        fail_with(SIM_WRONG_USE,
                  "%s %s: it takes a number from 0 to %" PRIu64 "; see hlrc_sim --help", o->name,
                  text, o->most);
    return value;
}

int run_options_choose(struct run_options_choice *c, char *const *argv)
{
    struct run_options_option o;

    if (strcmp(argv[0], "--default-options") == 0) {
        c->usual = true;
        return 1;
    }
    for (unsigned i = 0; run_options_entry(i, &o); i++)
        if (strcmp(argv[0], o.name) == 0 && argv[1] != NULL) {
            c->named[o.at] = true;
            c->value[o.at] = o.is_switch ? run_options_switch_of(&o, argv[1])
                                         : run_options_number_of(&o, argv[1]);
            return 2;
        }
    return 0;
}

void run_options_settings(const struct run_options_choice *c, const uint64_t *traced, uint64_t *set)
{
    struct run_options_option o;

    memcpy(set, traced, sizeof c->value);
    for (unsigned i = 0; run_options_entry(i, &o); i++)
        if (c->named[o.at] || c->usual)
            set[o.at] = c->named[o.at] ? c->value[o.at] : o.usual;
}
