/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints the configuration: values, the list of hlrc_info, --help, and the options of the manual
 * page.
 */
#include <string.h>

#include "base/config.h"
#include "base/fold.h"

static const void *config_show_field(const struct config *cfg, enum config_id id)
{
    return (const char *)cfg + config_option(id)->offset;
}

static int config_show_field_int(const struct config *cfg, enum config_id id)
{
    int value;

    memcpy(&value, config_show_field(cfg, id), sizeof value);
    return value;
}

/* Word number index of "a|b|c". */
static void config_show_choice_word(const char *choices, int index, char *buf, size_t len)
{
    while (index-- > 0)
        choices = strchr(choices, '|') + 1;
    snprintf(buf, len, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void config_show_size_text(uint64_t bytes, const char *values, char *buf, size_t len)
{
    static const char units[] = "KMGT";
    const char *word = strchr(values, '|');
    int unit = -1;

    while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    if (bytes == 0 && word != NULL)
        snprintf(buf, len, "%s", word + 1);
    else if (unit < 0)
        snprintf(buf, len, "%llu", (unsigned long long)bytes);
    else
        snprintf(buf, len, "%llu%c", (unsigned long long)bytes, units[unit]);
}

const char *config_value(const struct config *cfg, enum config_id id, char *buf, size_t len)
{
    const struct config_option *row = config_option(id);

    switch (row->kind) {
    case CONFIG_CHOICE:
        config_show_choice_word(row->values, config_show_field_int(cfg, id), buf, len);
        break;
    case CONFIG_NUMBER:
        if (config_show_field_int(cfg, id) < 0 && *row->values != '\0')
            config_show_choice_word(row->values, -1 - config_show_field_int(cfg, id), buf, len);
        else
            snprintf(buf, len, "%d", config_show_field_int(cfg, id));
        break;
    case CONFIG_SIZE:
        config_show_size_text(*(const uint64_t *)config_show_field(cfg, id), row->values, buf, len);
        break;
    case CONFIG_TEXT:
        snprintf(buf, len, "%s", (const char *)config_show_field(cfg, id));
        break;
    case CONFIG_FLAG:
        snprintf(buf, len, "%s", *(const bool *)config_show_field(cfg, id) ? "yes" : "no");
        break;
    }
    return buf;
}

const char *config_argument(enum config_id id, char *buf, size_t len)
{
    const struct config_option *row = config_option(id);

    if (row->kind == CONFIG_FLAG)
        snprintf(buf, len, "%s", "");
    else if (row->kind != CONFIG_NUMBER)
        snprintf(buf, len, "%s", row->values);
    else
        snprintf(buf, len, "%lld..%lld%s%s", (long long)row->low, (long long)row->high,
                 *row->values != '\0' ? "|" : "", row->values);
    return buf;
}

void config_list(FILE *out, const struct config *cfg)
{
    static const char *const sources[] = { "default", "environment", "command line" };
    char value[CONFIG_TEXT_MAX];

    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;

        config_value(cfg, id, value, sizeof value);
        int at = fprintf(out, "  %-13s %-9s %-13s ", config_option(id)->name,
                         *value != '\0' ? value : "(off)", sources[cfg->source[id]]);
        fold_print(out, (size_t)at, 16, config_option(id)->help);
    }
}

/* "-n, --nodes=1..128", "    --stats[=FILE]" */
static void config_show_option_text(enum config_id id, char *buf, size_t len)
{
    const struct config_option *row = config_option(id);
    char argument[128];

    config_argument(id, argument, sizeof argument);
    if (row->kind == CONFIG_FLAG)
        snprintf(buf, len, "    --%s", row->name);
    else if (config_optional(id))
        snprintf(buf, len, "    --%s[=%s]", row->name, argument);
    else
        snprintf(buf, len, "%s--%s=%s", id == CONFIG_ID_nodes ? "-n, " : "    ", row->name,
                 argument);
}

struct config_show_row {
    const struct config_option *option;
    const char *text, *fallback, *environment; /* "-n, --nodes=N", "1", "HLRC_NODES" */
};

static void config_show_each(FILE *out, void (*print)(FILE *out, const struct config_show_row *row))
{
    char text[160], name[40];

    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;
        const struct config_option *option = config_option(id);

        config_show_option_text(id, text, sizeof text);
        print(out, &(struct config_show_row){ option, text,
                                              *option->fallback != '\0' ? option->fallback : "off",
                                              config_environment_name(id, name, sizeof name) });
    }
}

static void config_show_help_row(FILE *out, const struct config_show_row *row)
{
    char text[1024];

    snprintf(text, sizeof text, "%s (%s%s%s)", row->option->help, row->fallback,
             row->option->kind == CONFIG_FLAG ? "; " : "; or ", row->environment);
    fprintf(out, "  %s\n        ", row->text);
    fold_print(out, 8, 8, text);
}

void config_help(FILE *out)
{
    config_show_each(out, config_show_help_row);
}

/* '-' is a hyphen to troff; "\-" is the character that a user types. */
static void config_show_man_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        fprintf(out, *text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
}

/* "--locks handler (manager), queue (mcs)" */
static void config_show_aliases(FILE *out)
{
    const struct config_alias *a;
    int before = -1;

    fputs(".PP\nOlder values are accepted:", out);
    for (int i = 0; (a = config_alias(i)) != NULL; before = (int)a->id, i++) {
        fputs(i > 0 ? "," : "", out);
        if ((int)a->id != before)
            fprintf(out, " \\-\\-%s", config_option(a->id)->name);
        fprintf(out, " %s (%s)", a->old, a->value);
    }
    fputs(".\n", out);
}

static void config_show_man_row(FILE *out, const struct config_show_row *row)
{
    fprintf(out, ".TP\n.B ");
    config_show_man_text(out, row->text + strspn(row->text, " "));
    fprintf(out, "\n");
    config_show_man_text(out, row->option->help);
    fprintf(out, ".\nDefault: %s.  Environment: %s.\n", row->fallback, row->environment);
}

void config_man(FILE *out)
{
    config_show_each(out, config_show_man_row);
    config_show_aliases(out);
}
