/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run_options.h - the options of hlrcrun by which a run keeps its pages, as settings of a trace. */
#ifndef SIM_RUN_OPTIONS_H
#define SIM_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"

struct run_option {
    const char *name; /* --ahead and so on */
    enum record_setting at;
    uint64_t usual, most; /* by default; at most */
    bool is_switch;       /* 0: on, 1: off */
};

/* run_option - false behind the last one */
bool run_option(unsigned i, struct run_option *o);

/* What a command line says of them. */
struct run_choice {
    bool usual; /* --default-options: those that are not named are as by default, else as traced */
    bool named[RECORD_SETTING_COUNT];
    uint64_t value[RECORD_SETTING_COUNT];
};

/* run_choose - how many words at ARGV, which NULL ends, are one of them and its value; 0: none.
 * Ends the program with a line where the value is none. */
int run_choose(struct run_choice *c, char *const *argv);

/* run_settings - SET, of a run whose trace has TRACED: RECORD_SETTING_COUNT of each */
void run_settings(const struct run_choice *c, const uint64_t *traced, uint64_t *set);

#endif
