/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/aliases.h"

#include <string.h>

#include "base/config.h"

#define PLACES \
    "nodes are placed along NUMA domains and cores in the order of their numbers; see --bind"
#define PER_HOST "write --hosts HOST:N,HOST:N, with N nodes for each host"

/* clang-format off */
static const struct alias aliases[] = {
    { "np", 'c', "N", ALIAS_SAME, CONFIG_ID_nodes, NULL, NULL },
    { "ntasks", 0, "N", ALIAS_SAME, CONFIG_ID_nodes, NULL, NULL },
    { "host", 'H', "HOST:N,...", ALIAS_SAME, CONFIG_ID_hosts, NULL, NULL },
    { "machinefile", 0, "FILE", ALIAS_SAME, CONFIG_ID_hostfile, NULL, NULL },
    { "wd", 0, "DIR", ALIAS_SAME, CONFIG_ID_wdir, NULL, NULL },
    { "chdir", 0, "DIR", ALIAS_SAME, CONFIG_ID_wdir, NULL, NULL },
    { "tag-output", 0, NULL, ALIAS_SAME, CONFIG_ID_label, NULL, NULL },
    { "bind-to", 0, "core|none", ALIAS_SAME, CONFIG_ID_bind, "core|none",
      "choose from core|none, or --bind share, by which each node has its share of the machine" },
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
      "a setting of Open MPI's; HLRC's own are listed by --help" },
    { "output-filename", 0, NULL, ALIAS_INSTEAD, 0, NULL,
      "redirect the output, with --label to tell the nodes apart" },
};
/* clang-format on */
#define ALIASES (int)(sizeof aliases / sizeof *aliases)

const struct alias *alias(int index)
{
    return index < ALIASES ? &aliases[index] : NULL;
}

/* True if value is one of "a|b". */
static bool among(const char *values, const char *value)
{
    size_t len = strlen(value);

    for (const char *word = values; len > 0;) {
        const char *end = strchrnul(word, '|');

        if ((size_t)(end - word) == len && strncmp(word, value, len) == 0)
            return true;
        if (*end == '\0')
            break;
        word = end + 1;
    }
    return false;
}

bool alias_refuses(const struct alias *a, const char *value, char *err, size_t errlen)
{
    if (a->meaning == ALIAS_INSTEAD) {
        snprintf(err, errlen, "--%s: not an option here: %s", a->name, a->text);
        return true;
    }
    if (a->only == NULL || among(a->only, value))
        return false;
    snprintf(err, errlen, "--%s %.200s: %s", a->name, value, a->text);
    return true;
}

/* "-c N, --np N" */
static void spelling_print(FILE *out, const struct alias *a, const char *dash)
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
static void line_print(FILE *out, enum alias_meaning meaning, int id, const char *dash)
{
    const char *before = "";

    for (const struct alias *a = aliases; a < aliases + ALIASES; a++)
        if (a->meaning == meaning && (id < 0 || a->id == id)) {
            fputs(before, out);
            spelling_print(out, a, dash);
            before = ", ";
        }
}

static bool has_alias(int id)
{
    for (const struct alias *a = aliases; a < aliases + ALIASES; a++)
        if (a->meaning == ALIAS_SAME && a->id == id)
            return true;
    return false;
}

void alias_help(FILE *out)
{
    fprintf(out, "\nAs mpirun and srun call them; two dashes may be one:\n");
    for (int id = 0; id < CONFIG_COUNT; id++)
        if (has_alias(id)) {
            fprintf(out, "  for --%s: ", config_option((enum config_id)id)->name);
            line_print(out, ALIAS_SAME, id, "-");
            fputc('\n', out);
        }
    fprintf(out, "  a variable of the nodes: ");
    line_print(out, ALIAS_EXPORT, -1, "-");
    fprintf(out, "\n  so without being said: ");
    line_print(out, ALIAS_NOTHING, -1, "-");
    fputs(", ", out);
    line_print(out, ALIAS_ROOT, -1, "-");
    fputc('\n', out);
}

void alias_man(FILE *out)
{
    fputs(".SS As mpirun and srun call them\n"
          "These are taken as well; what begins with two dashes may begin with one.\n",
          out);
    for (int id = 0; id < CONFIG_COUNT; id++)
        if (has_alias(id)) {
            fputs(".TP\n.B ", out);
            line_print(out, ALIAS_SAME, id, "\\-");
            fprintf(out, "\nFor \\-\\-%s.\n", config_option((enum config_id)id)->name);
        }
    fputs(".TP\n.B ", out);
    line_print(out, ALIAS_EXPORT, -1, "\\-");
    fputs(
        "\nA variable of the nodes' environment. They have the whole environment of hlrcrun, so a\n"
        "name alone matters with \\-\\-hosts only.\n.TP\n.B ",
        out);
    line_print(out, ALIAS_NOTHING, -1, "\\-");
    fputs(", ", out);
    line_print(out, ALIAS_ROOT, -1, "\\-");
    fputs("\nNodes may outnumber cores, and belong to any user, without being asked for it.\n.PP\n",
          out);
    line_print(out, ALIAS_INSTEAD, -1, "\\-");
    fputs("\nare refused with a line that says what to write instead.\n", out);
}
