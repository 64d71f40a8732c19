/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* laws.c - the list of laws; see law.h. */
#include <string.h>

#include "sim/law.h"

extern const struct law law_cg, law_fft3d, law_gauss, law_is, law_lu, law_radix, law_sor, law_water;

static const struct law *const laws[] = { &law_cg, &law_fft3d, &law_gauss, &law_is,
                                          &law_lu, &law_radix, &law_sor,   &law_water };

#define LAWS (sizeof laws / sizeof *laws)

const struct law *law_named(const char *name)
{
    for (size_t i = 0; i < LAWS; i++)
        if (strcmp(laws[i]->name, name) == 0)
            return laws[i];
    return NULL;
}

const char *law_names(void)
{
    static char names[16 * LAWS];

    names[0] = '\0';
    for (size_t i = 0; i < LAWS; i++)
        strcat(strcat(names, i > 0 ? ", " : ""), laws[i]->name);
    return names;
}
