/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/aliases.h"

#include <string.h>

#include "base/config.h"

#define PLACES \
    "nodes are placed along NUMA domains and cores in the order of their numbers; see --bind"
#define PER_HOST "write --hosts HOST:N,HOST:N, with N nodes for each host"

/* clang-format off */
static const struct aliases_entry aliases[] = {
    { "np", 'c', "N", ALIAS_SAME, CONFIG_ID_nodes, NULL, NULL },
    { "ntasks", 0, "N", ALIAS_SAME, CONFIG_ID_nodes, NULL, NULL },
    { "host", 'H', "HOST:N,...", ALIAS_SAME, CONFIG_ID_hosts, NULL, NULL },
    { "machinefile", 0, "FILE", ALIAS_SAME, CONFIG_ID_hostfile, NULL, NULL },
    { "wd", 0, "DIR", ALIAS_SAME, CONFIG_ID_wdir, NULL, NULL },
    { "chdir", 0, "DIR", ALIAS_SAME, CONFIG_ID_wdir, NULL, NULL },
    { "tag-output", 0, NULL, ALIAS_SAME, CONFIG_ID_label, NULL, NULL },
    { "bind-to", 0, "core|none", ALIAS_SAME, CONFIG_ID_bind, "core|none",
      "choose from core|none, or use --bind share, which gives each node its share of the "
      "machine" },
    { NULL, 'x', "NAME[=VALUE]", ALIAS_EXPORT, 0, NULL, NULL },
    { "oversubscribe", 0, NULL, ALIAS_NOTHING, 0, NULL, NULL },
    { "allow-run-as-root", 0, NULL, ALIAS_ROOT, 0, NULL, NULL },
    { "map-by", 0, NULL, ALIAS_INSTEAD, 0, NULL, PLACES },
    { "rank-by", 0, NULL, ALIAS_INSTEAD, 0, NULL, PLACES },
    { "cpu-bind", 0, NULL, ALIAS_INSTEAD, 0, NULL, "see --bind" },
    { "npernode", 0, NULL, ALIAS_INSTEAD, 0, NULL, PER_HOST },
    { "ntasks-per-node", 0, NULL, ALIAS_INSTEAD, 0, NULL, PER_HOST },
    { "nodelist", 0, NULL, ALIAS_INSTEAD, 0, NULL, PER_HOST },
    { "mca", 0, NULL, ALIAS_INSTEAD, 0, NULL,
      "a setting of Open MPI; --help lists the options of HLRC" },
    { "spares", 0, NULL, ALIAS_INSTEAD, 0, NULL,
      "give --hosts more places than -n has nodes: the last ones are spare" },
    { "output-filename", 0, NULL, ALIAS_INSTEAD, 0, NULL,
      "redirect the output, and use --label to distinguish the nodes" },
};
/* clang-format on */
#define ALIASES (int)(sizeof aliases / sizeof *aliases)

const struct aliases_entry *alias(int index)
{
    return index < ALIASES ? &aliases[index] : NULL;
}

bool aliases_alias_refuses(const struct aliases_entry *a, const char *value, char *err,
                           size_t errlen)
{
    if (a->meaning == ALIAS_INSTEAD) {
        snprintf(err, errlen, "--%s: not an option here: %s", a->name, a->text);
        return true;
    }
    if (a->only == NULL || config_choice_index(a->only, value) >= 0)
        return false;
    snprintf(err, errlen, "--%s %.200s: %s", a->name, value, a->text);
    return true;
}

/* "-c N, --np N" */
static void aliases_spelling_print(FILE *out, const struct aliases_entry *a, const char *dash)
{
    const char *space = a->argument != NULL ? " " : "",
               *argument = a->argument != NULL ? a->argument : "";

    if (a->letter != '\0')
        fprintf(out, "%s%c%s%s%s", dash, a->letter, space, argument, a->name != NULL ? ", " : "");
    if (a->name == NULL)
        return;
    fprintf(out, "%s%s", dash, dash);
    for (const char *c = a->name; *c != '\0'; c++)
        if (*c == '-')
            fprintf(out, "%s", dash);
        else
            fputc(*c, out);
    fprintf(out, "%s%s", space, argument);
}

/* Prints all aliases of one meaning in one line: those for option id, or all if id < 0. */
static void aliases_line_print(FILE *out, enum aliases_meaning meaning, int id, const char *dash)
{
    const char *before = "";

    for (const struct aliases_entry *a = aliases; a < aliases + ALIASES; a++)
        if (a->meaning == meaning && (id < 0 || a->id == id)) {
            fputs(before, out);
            aliases_spelling_print(out, a, dash);
            before = ", ";
        }
}

static bool aliases_has_alias(int id)
{
    for (const struct aliases_entry *a = aliases; a < aliases + ALIASES; a++)
        if (a->meaning == ALIAS_SAME && a->id == id)
            return true;
    return false;
}

void aliases_alias_help(FILE *out)
{
    fprintf(out, "\nNames as in mpirun and srun, with one or two dashes:\n");
    for (int id = 0; id < CONFIG_COUNT; id++)
        if (aliases_has_alias(id)) {
            fprintf(out, "  for --%s: ", config_option((enum config_id)id)->name);
            aliases_line_print(out, ALIAS_SAME, id, "-");
            fputc('\n', out);
        }
    fprintf(out, "  set a variable of the nodes: ");
    aliases_line_print(out, ALIAS_EXPORT, -1, "-");
    fprintf(out, "\n  accepted for compatibility: ");
    aliases_line_print(out, ALIAS_NOTHING, -1, "-");
    fputs(", ", out);
    aliases_line_print(out, ALIAS_ROOT, -1, "-");
    fputc('\n', out);
}

void aliases_alias_man(FILE *out)
{
    fputs(".SS Names as in mpirun and srun\nThese names are accepted as well, with one dash or "
          "two.\n",
          out);
    for (int id = 0; id < CONFIG_COUNT; id++)
        if (aliases_has_alias(id)) {
            fputs(".TP\n.B ", out);
            aliases_line_print(out, ALIAS_SAME, id, "\\-");
            fprintf(out, "\nSame as \\-\\-%s.\n", config_option((enum config_id)id)->name);
        }
    fputs(".TP\n.B ", out);
    aliases_line_print(out, ALIAS_EXPORT, -1, "\\-");
    fputs("\nSets a variable in the environment of the nodes. The nodes inherit the whole "
          "environment of\nhlrcrun, so a name without a value has an effect only with "
          "\\-\\-hosts.\n.TP\n.B ",
          out);
    aliases_line_print(out, ALIAS_NOTHING, -1, "\\-");
    fputs(", ", out);
    aliases_line_print(out, ALIAS_ROOT, -1, "\\-");
    fputs("\nAccepted for compatibility. A job may always have more nodes than cores, and belong "
          "to any user.\n.PP\n",
          out);
    aliases_line_print(out, ALIAS_INSTEAD, -1, "\\-");
    fputs("\nare refused, with a message that names the replacement.\n", out);
}
