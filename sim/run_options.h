/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run_options.h - hlrcrun's options for the handling of pages, as settings of a trace. */
#ifndef SIM_RUN_OPTIONS_H
#define SIM_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"

struct run_options_option {
    const char *name; /* --ahead and so on */
    enum record_setting at;
    uint64_t usual, most; /* default; maximum */
    bool is_switch;       /* 0: on, 1: off */
};

/* run_options_entry - the option with index i; false after the last */
bool run_options_entry(unsigned i, struct run_options_option *o);

/* The choice made on a command line. */
struct run_options_choice {
    /* --default-options: options that are not named have their defaults, otherwise the traced
     * values */
    bool usual;
    bool named[RECORD_SETTING_COUNT];
    uint64_t value[RECORD_SETTING_COUNT];
};

/* run_options_choose - the number of words at ARGV, ended by NULL, that are such an option and
 * its value; 0: none. Ends the program with an error line if the value is invalid. */
int run_options_choose(struct run_options_choice *c, char *const *argv);

/* run_options_settings - computes SET for a run whose trace has TRACED; RECORD_SETTING_COUNT
 * of each */
void run_options_settings(const struct run_options_choice *c, const uint64_t *traced,
                          uint64_t *set);

#endif
