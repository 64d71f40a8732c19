/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks the names of variables, and suggests the nearest known name for an unknown one. A
 * misspelt variable would have no effect, and nothing else would report it.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/config.h"
#include "base/nearest.h"

#define PREFIX "HLRC_"

extern char **environ;

/* Hooks for tests (base/perturb.h, fabric/chaos/chaos.h); spelt as option names. */
static const char *const hooks[] = {
    "perturb",    "perturb-seed", "chaos-seed", "chaos-strength", "chaos-ordered",
    "chaos-lazy", "chaos-heal",   "chaos-slow", "chaos-drop",
};

/* Not set by the user, or not HLRC's; text after a '*' does not matter. */
static const char *const others[] = {
    /* between hlrcrun and its nodes, and between a node and a program that it starts */
    "node",
    "launch-fd",
    "tools",
    "terminal",
    "lines",
    "processors",
    "pmix-node",
    "filtered",
    "rerun",
    "lost",
    /* of the test suite */
    "test-*",
    "soak*",
    "kill-*",
    "info",
    "mutants-run",
    /* of hlrcc */
    "cc",
    "cxx",
    "fc",
    "as",
    /* installation paths: names that environment modules usually set */
    "root",
    "home",
    "dir",
    "base",
    "bin",
    "lib",
    "inc",
    "version",
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Not by <ctype.h>, which depends on the program's locale. */
static char config_names_respelt(char c)
{
    if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
        return (char)(c ^ ('a' ^ 'A'));
    return c == '_' ? '-' : c == '-' ? '_' : c;
}

/* "HLRC_HOT_PAGES=3" to "hot-pages". The case of each letter is swapped, so a name in another case
 * becomes the name of no option. Truncated to len. */
static void config_names_option_spelling(const char *variable, char *name, size_t len)
{
    const char *from = variable + strlen(PREFIX);
    size_t count = strcspn(from, "=");

    count = count < len ? count : len - 1;
    for (size_t i = 0; i < count; i++)
        name[i] = config_names_respelt(from[i]);
    name[count] = '\0';
}

static bool config_names_other_matches(const char *other, const char *name)
{
    size_t len = strcspn(other, "*");

    return strncmp(other, name, len) == 0 && (other[len] == '*' || name[len] == '\0');
}

static bool config_names_known(const char *name)
{
    for (int id = 0; id < CONFIG_COUNT; id++)
        if (strcmp(config_option((enum config_id)id)->name, name) == 0)
            return true;
    for (size_t i = 0; i < COUNT(hooks); i++)
        if (strcmp(hooks[i], name) == 0)
            return true;
    for (size_t i = 0; i < COUNT(others); i++)
        if (config_names_other_matches(others[i], name))
            return true;
    return false;
}

void config_offer(struct nearest *nearest)
{
    for (int id = 0; id < CONFIG_COUNT; id++)
        nearest_offer(nearest, config_option((enum config_id)id)->name);
}

static int config_names_refuse(const char *variable, const char *name, char *err, size_t errlen)
{
    struct nearest nearest;
    char meant[64];

    nearest_begin(&nearest, name);
    config_offer(&nearest);
    for (size_t i = 0; i < COUNT(hooks); i++)
        nearest_offer(&nearest, hooks[i]);
    if (nearest.name != NULL)
        snprintf(err, errlen, "%.200s: no such option; did you mean %s?", variable,
                 config_variable(nearest.name, meant, sizeof meant));
    else
        snprintf(err, errlen, "%.200s: no such option; unset it (hlrc_info lists the options)",
                 variable);
    config_one_line(err);
    return -EINVAL;
}

int config_check_names(char *err, size_t errlen)
{
    char name[64];

    if (getauxval(AT_SECURE) != 0) /* boot_backend.h */
        return 0;
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        const char *value = strchr(*variable, '=');

        if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0 || value == NULL || value[1] == '\0')
            continue;
        config_names_option_spelling(*variable, name, sizeof name);
        if (!config_names_known(name))
            return config_names_refuse(*variable, name, err, errlen);
    }
    return 0;
}
