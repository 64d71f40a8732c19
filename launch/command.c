/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "fabric/fabric.h"
#include "launch/hosts.h"
#include "launch/program.h"

/* Changes to the nodes' start directory, given relative to hlrcrun's; the nodes inherit it. */
static int command_directory_enter(struct config *cfg, char *err, size_t errlen)
{
    if (cfg->wdir[0] == '\0')
        return 0;
    if (chdir(cfg->wdir) < 0) {
        snprintf(err, errlen, "--wdir %.300s: %s; give a directory that can be entered", cfg->wdir,
                 strerror(errno));
        return EXIT_USAGE;
    }
    cfg->wdir[0] = '\0';
    cfg->source[CONFIG_ID_wdir] = CONFIG_DEFAULT;
    return 0;
}

/* Makes the name absolute: the nodes may start elsewhere, and their scripts may change
 * directory. */
static void command_file_place(char name[CONFIG_TEXT_MAX])
{
    char path[CONFIG_TEXT_MAX + PATH_MAX], here[PATH_MAX];

    if (name[0] == '\0' || name[0] == '/' || getcwd(here, sizeof here) == NULL)
        return;
    if (snprintf(path, sizeof path, "%s/%s", here, name) < CONFIG_TEXT_MAX)
        strcpy(name, path);
}

static int command_program_choose(struct command_line *line, const char *name, char *err,
                                  size_t errlen)
{
    int ret = program_find(name, line->path, sizeof line->path, err, errlen);

    return ret == 0 ? 0 : ret == -ENOENT ? EXIT_NO_PROGRAM : EXIT_NO_ACCESS;
}

/* A script of a node may start another job. With hlrcrun as the program, one of the two is a
 * mistake. */
static int command_nested_check(const struct command_line *line, char *err, size_t errlen)
{
    if (line->config.nodes == 1 || !program_is_this(line->path))
        return 0;
    snprintf(err, errlen,
             "%.300s: the program is hlrcrun, and each of the %d nodes would start a job of its "
             "own; write hlrcrun only once",
             line->path, line->config.nodes);
    return EXIT_USAGE;
}

static int command_debugger_check(const struct config *cfg, char *err, size_t errlen)
{
    char path[PATH_MAX], why[CONFIG_ERROR_MAX], value[16];

    if (cfg->gdb == GDB_NONE || program_find("gdb", path, sizeof path, why, sizeof why) == 0)
        return 0;
    snprintf(err, errlen, "--gdb %s: no gdb in PATH; install it",
             config_value(cfg, CONFIG_ID_gdb, value, sizeof value));
    return EXIT_NO_PROGRAM;
}

static int command_restarts_check(const struct config *cfg, char *err, size_t errlen)
{
    const char *why = cfg->checkpoint[0] == '\0' ? "needs --checkpoint TIME:DIR; add it"
                      : cfg->gdb != GDB_NONE     ? "does not work with --gdb; omit one of the two"
                                                 : NULL;

    if (cfg->restarts == 0 || why == NULL)
        return 0;
    snprintf(err, errlen, "--restarts %d: %s", cfg->restarts, why);
    return EXIT_USAGE;
}

/* With --partner a job is restarted without being told to. */
enum { COMMAND_PARTNER_RESTARTS = 10 };

static int command_partner_check(struct config *cfg, char *err, size_t errlen)
{
    const char *why = cfg->checkpoint[0] == '\0' ? "needs --checkpoint TIME; add it"
                      : cfg->gdb != GDB_NONE     ? "does not work with --gdb; omit one of the two"
                                                 : NULL;

    if (strcmp(cfg->partner, "off") == 0)
        cfg->partner[0] = '\0';
    if (cfg->partner[0] == '\0')
        return 0;
    if (strcmp(cfg->partner, "on") != 0)
        command_file_place(cfg->partner);
    if (cfg->source[CONFIG_ID_restarts] == CONFIG_DEFAULT) {
        cfg->restarts = COMMAND_PARTNER_RESTARTS;
        cfg->source[CONFIG_ID_restarts] = CONFIG_COMMAND;
    }
    if (why == NULL)
        return 0;
    snprintf(err, errlen, "--partner %.300s: %s", cfg->partner, why);
    return EXIT_USAGE;
}

static int command_job_check(struct command_line *line, const char *program, char *err,
                             size_t errlen)
{
    int ret = config_resolve(&line->config, err, errlen);

    if (ret == 0)
        ret = config_check_job(&line->config, err, errlen);
    if (ret == 0)
        ret = config_check_memory(&line->config, line->note, sizeof line->note);
    if (ret < 0) {
        if (line->note[0] != '\0')
            snprintf(err, errlen, "%s", line->note);
        return EXIT_USAGE;
    }
    ret = command_partner_check(&line->config, err, errlen);
    if (ret == 0)
        ret = command_restarts_check(&line->config, err, errlen);
    if (ret == 0)
        ret = command_directory_enter(&line->config, err, errlen);
    if (ret == 0)
        ret = command_program_choose(line, program, err, errlen);
    if (ret == 0)
        ret = command_nested_check(line, err, errlen);
    return ret != 0 ? ret : command_debugger_check(&line->config, err, errlen);
}

/* The same for the directory of --checkpoint. */
static void command_checkpoint_place(struct config *cfg)
{
    char dir[CONFIG_TEXT_MAX];
    const char *given;
    int64_t seconds;

    if (cfg->checkpoint[0] == '\0' || config_checkpoint(cfg, &seconds, &given) < 0)
        return;
    strcpy(dir, given);
    command_file_place(dir);
    (void)snprintf(cfg->checkpoint, sizeof cfg->checkpoint, "%llds:%.*s", (long long)seconds,
                   CONFIG_TEXT_MAX - 32, dir);
}

static int command_resize_check(int argc, char **argv, const struct command_line *line, char *err,
                                size_t errlen)
{
    const struct options *o = &line->options;

    if (!o->others && argc - o->rest <= 1)
        return 0;
    snprintf(err, errlen, "--resize %.100s: %.200s: give only the number of nodes and a pid",
             o->resize, o->others ? "other options" : argv[o->rest + 1]);
    return EXIT_USAGE;
}

/* The program may exist only on the other hosts. */
static int command_hosts_check(struct command_line *line, const char *program, char *err,
                               size_t errlen)
{
    int nodes = hosts_check(&line->config, err, errlen);

    if (nodes < 0)
        return EXIT_USAGE;
    line->config.nodes = nodes;
    int ret = command_partner_check(&line->config, err, errlen);
    if (ret == 0)
        ret = command_restarts_check(&line->config, err, errlen);
    char why[CONFIG_ERROR_MAX];

    if (ret != 0 || program_find(program, line->path, sizeof line->path, why, sizeof why) < 0)
        return ret;
    return command_nested_check(line, err, errlen);
}

static int command_wish_check(int argc, char **argv, struct command_line *line, char *err,
                              size_t errlen)
{
    if (strcmp(line->config.stats, "-") != 0)
        command_file_place(line->config.stats);
    if (strcmp(line->config.profile, "-") != 0)
        command_file_place(line->config.profile);
    command_file_place(line->config.trace);
    command_file_place(line->config.trace_sim);
    command_file_place(line->config.restart);
    command_checkpoint_place(&line->config);
    line->wish = line->options.help           ? COMMAND_HELP
                 : line->options.version      ? COMMAND_VERSION
                 : line->options.man          ? COMMAND_MAN
                 : line->options.resize       ? COMMAND_RESIZE
                 : hosts_given(&line->config) ? COMMAND_HOSTS
                                              : COMMAND_JOB;
    if (line->wish == COMMAND_RESIZE)
        return command_resize_check(argc, argv, line, err, errlen);
    if (line->wish != COMMAND_JOB && line->wish != COMMAND_HOSTS)
        return 0;
    if (line->options.rest >= argc) {
        snprintf(err, errlen, "no program is given; hlrcrun -n N [options] program [arguments]");
        return EXIT_USAGE;
    }
    if (line->wish == COMMAND_HOSTS)
        return command_hosts_check(line, argv[line->options.rest], err, errlen);
    if (strcmp(line->config.fabric, "auto") == 0)
        strcpy(line->config.fabric, "shm"); /* all nodes are on this machine */
    return command_job_check(line, argv[line->options.rest], err, errlen);
}

static int command_options_read(int argc, struct command_line *line, char *err, size_t errlen)
{
    return options_parse(argc, line->argv, &line->config, &line->options, err, errlen) < 0
               ? EXIT_USAGE
               : 0;
}

/* With --restart, the saved command line is the rest of this one. */
static int command_restart_read(int argc, struct command_line *line, char *err, size_t errlen)
{
    int ret = command_options_read(argc, line, err, errlen);

    if (ret != 0 || line->config.restart[0] == '\0' ||
        strstr(line->config.restart, "/" CONFIG_HOSTS_ROOT) != NULL || line->options.help ||
        line->options.version || line->options.man || line->options.resize)
        return ret;
    ret = restart_read(&line->restart, line->config.restart, argc, line->argv, line->options.rest,
                       err, errlen);
    options_free(&line->options);
    line->argv = line->restart.argv;
    return ret < 0 ? EXIT_USAGE : 0;
}

int command_read(int argc, char **argv, struct command_line *line, char *err, size_t errlen)
{
    int ret;

    memset(line, 0, sizeof *line);
    config_ask_fabrics(fabric_probe_quick);
    line->argv = argv;
    ret = command_restart_read(argc, line, err, errlen);
    if (ret == 0 && line->restart.argc > 0)
        ret = command_options_read(line->restart.argc, line, err, errlen);
    if (ret == 0)
        ret = command_wish_check(line->restart.argc > 0 ? line->restart.argc : argc, line->argv,
                                 line, err, errlen);
    if (ret != 0)
        config_one_line(err);
    return ret;
}

void command_free(struct command_line *line)
{
    options_free(&line->options);
    restart_free(&line->restart);
}
