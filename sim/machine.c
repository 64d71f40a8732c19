/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine.c - see machine.h. */
#include "sim/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "sim/fail.h"

#define VALUE_MOST UINT64_C(1000000000)

static const struct {
    const char *name;
    size_t at;
} values[] = {
#define X(name, unit, text) { #name, offsetof(struct machine, name) },
    MACHINE_VALUES(X)
#undef X
};

#define VALUES (sizeof values / sizeof *values)

static const char *machine_put(struct machine *m, const char *name, uint64_t value, bool *given)
{
    for (size_t i = 0; i < VALUES; i++) {
        if (strcmp(values[i].name, name) != 0)
            continue;
        if (given[i])
            return "a name occurs twice";
        given[i] = true;
        *(uint64_t *)(void *)((char *)m + values[i].at) = value;
        return NULL;
    }
    return "a name is unknown; see doc/simulation.md";
}

static const char *machine_check(const struct machine *m)
{
    if (m->reads_at_once == 0 || m->reads_at_once > MACHINE_READS_AT_ONCE)
        return "reads_at_once is from 1 to 64";
    if (m->rate_mb_s == 0 || m->reads_most == 0 || m->cpus == 0 || m->compute_percent == 0)
        return "rate_mb_s, reads_most, cpus and compute_percent are 1 at least";
    if (m->reads_ordered > 1 || m->memory > 1 || m->handler > 2)
        return "reads_ordered and memory are 0 or 1, handler is 0, 1 or 2";
    return NULL;
}

const char *machine_read(struct machine *m, FILE *in)
{
    bool given[VALUES] = { false };
    char line[256], name[64], more;
    const char *wrong;
    uint64_t value;

    memset(m, 0, sizeof *m);
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "#")] = '\0';
        int got = sscanf(line, "%63s %" SCNu64 " %c", name, &value, &more);
        if (got <= 0)
            continue;
        if (got != 2 || strchr(line, '-') != NULL || value > VALUE_MOST)
            return "a line is not a name and a whole number up to 10^9";
        wrong = machine_put(m, name, value, given);
        if (wrong != NULL)
            return wrong;
    }
    for (size_t i = 0; i < VALUES; i++)
        if (!given[i])
            return "a name is missing; see doc/simulation.md";
    return machine_check(m);
}

void machine_load(struct machine *m, const char *file)
{
    FILE *in = fopen(file, "r");
    const char *wrong = in == NULL ? strerror(errno) : machine_read(m, in);

    if (wrong != NULL)
        fail_with(SIM_WRONG_USE, "--machine %s: %s; there are some in share/hlrc/machines", file,
                  wrong);
    fclose(in);
}
