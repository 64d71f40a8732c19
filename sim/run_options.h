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

#endif
