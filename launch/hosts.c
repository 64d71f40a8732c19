/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/hosts.h"

#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "launch/hosts_list.h"

/* Names of hosts that are left out; separated by commas. */
static char hosts_lost_names[CONFIG_TEXT_MAX];

/* Arguments of the launcher. The size is that of its longest command. They are for exec and never
 * freed. */
struct command {
    char **argv;
    size_t count;
};

static void hosts_add(struct command *command, const char *word)
{
    command->argv[command->count++] = (char *)(uintptr_t)word;
}

__attribute__((format(printf, 2, 3))) static void hosts_add_text(struct command *command,
                                                                 const char *fmt, ...)
{
    va_list args;
    char *text;

    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) >= 0)
        hosts_add(command, text);
    va_end(args);
}

bool hosts_given(const struct config *cfg)
{
    return cfg->hosts[0] != '\0' || cfg->hostfile[0] != '\0';
}

/* Refuses options that only hlrcrun supports, on one machine. */
static int hosts_options_check(const struct config *cfg, char *err, size_t errlen)
{
    const char *name = cfg->gdb != GDB_NONE      ? "gdb"
                       : cfg->progress           ? "progress"
                       : cfg->bind == BIND_SHARE ? "bind share"
                                                 : NULL;

    if (cfg->hosts[0] != '\0' && cfg->hostfile[0] != '\0') {
        snprintf(err, errlen,
                 "--hostfile %.200s: conflicts with --hosts %.200s; give only one of them",
                 cfg->hostfile, cfg->hosts);
        return -EINVAL;
    }
    if (name == NULL)
        return 0;
    snprintf(err, errlen, "--%s: works on this machine only; omit it or --%s", name,
             cfg->hosts[0] != '\0' ? "hosts" : "hostfile");
    return -EINVAL;
}

bool hosts_lose(const char *names)
{
    size_t len = strlen(hosts_lost_names);
    int more = snprintf(hosts_lost_names + len, sizeof hosts_lost_names - len, "%s%s",
                        len > 0 ? "," : "", names);

    return more < (int)(sizeof hosts_lost_names - len);
}

const char *hosts_lost(void)
{
    return hosts_lost_names;
}

static void hosts_leave_out(struct hosts_list *hosts, int nodes)
{
    char names[CONFIG_TEXT_MAX], *at = NULL;

    snprintf(names, sizeof names, "%s", hosts_lost_names);
    for (char *name = strtok_r(names, ",", &at); name != NULL; name = strtok_r(NULL, ",", &at))
        hosts_list_lose(hosts, nodes, name);
}

int hosts_places(const struct config *cfg, struct hosts_list *hosts, char *err, size_t errlen)
{
    bool given = cfg->source[CONFIG_ID_nodes] != CONFIG_DEFAULT;

    hosts->count = hosts->nodes = 0;
    int ret = hosts_options_check(cfg, err, errlen);
    if (ret == 0)
        ret = cfg->hosts[0] != '\0' ? hosts_list_parse(cfg->hosts, hosts, err, errlen)
                                    : hosts_list_read_file(cfg->hostfile, hosts, err, errlen);
    if (ret == 0)
        hosts_leave_out(hosts, given ? cfg->nodes : hosts->nodes);
    return ret;
}

static int hosts_read(const struct config *cfg, struct hosts_list *hosts, char *err, size_t errlen)
{
    int ret = hosts_places(cfg, hosts, err, errlen);

    if (ret == 0 && cfg->source[CONFIG_ID_nodes] != CONFIG_DEFAULT)
        ret = hosts_list_trim(hosts, cfg->nodes, err, errlen);
    if (ret == 0 && hosts->nodes > NODES_MAX) {
        snprintf(err, errlen, "--hosts: %d nodes; at most %d", hosts->nodes, NODES_MAX);
        ret = -EINVAL;
    }
    return ret;
}

int hosts_check(const struct config *cfg, char *err, size_t errlen)
{
    static struct hosts_list hosts;
    int ret = hosts_read(cfg, &hosts, err, errlen);

    return ret < 0 ? ret : hosts.nodes;
}

/* "h1:2,h2:2" for mpirun; srun has "h1,h1,h2,h2". */
static void hosts_append(struct command *command, const struct hosts_list *hosts, bool counted)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL)
        return;
    for (int i = 0; i < hosts->count; i++)
        for (int times = 0; times < (counted ? 1 : hosts->host[i].nodes); times++)
            if (counted)
                fprintf(out, "%s%s:%d", i > 0 ? "," : "", hosts->host[i].name,
                        hosts->host[i].nodes);
            else
                fprintf(out, "%s%s", i + times > 0 ? "," : "", hosts->host[i].name);
    fclose(out);
    hosts_add(command, text);
}

static void hosts_srun_command(struct command *command, const struct config *cfg,
                               const struct hosts_list *hosts, const char **exported)
{
    hosts_add(command, "srun");
    hosts_add(command, "--mpi=pmix");
    hosts_add(command, "--kill-on-bad-exit=1");
    hosts_add(command, "--input=0"); /* node 0 reads standard input */
    hosts_add_text(command, "--ntasks=%d", hosts->nodes);
    hosts_add(command, "--distribution=arbitrary"); /* in the order listed, not in srun's */
    hosts_add(command, "-w");
    hosts_append(command, hosts, false);
    (void)exported;
    if (cfg->label)
        hosts_add(command, "--label");
    if (cfg->wdir[0] != '\0')
        hosts_add_text(command, "--chdir=%s", cfg->wdir);
    if (cfg->bind != BIND_AUTO || cfg->report_bindings)
        hosts_add_text(command, "--cpu-bind=%s%s%s", cfg->report_bindings ? "verbose" : "",
                       cfg->report_bindings && cfg->bind != BIND_AUTO ? "," : "",
                       cfg->bind == BIND_CORE   ? "cores"
                       : cfg->bind == BIND_NONE ? "none"
                                                : "");
}

extern char **environ;

/* srun exports the whole environment; these two launchers export only named variables. */
static void hosts_add_environment(struct command *command, const char **exported)
{
    for (; *exported != NULL; exported++)
        if (strncmp(*exported, "HLRC_", 5) != 0) {
            hosts_add(command, "-x");
            hosts_add_text(command, "%.*s", (int)strcspn(*exported, "="), *exported);
        }
    for (char **variable = environ; *variable != NULL; variable++) {
        size_t len = strcspn(*variable, "=");

        if (strncmp(*variable, "HLRC_", 5) != 0 && strncmp(*variable, "LD_LIBRARY_PATH=", 16) != 0)
            continue;
        hosts_add(command, "-x");
        hosts_add_text(command, "%.*s", (int)len, *variable);
    }
}

static void hosts_mpirun_command(struct command *command, const struct config *cfg,
                                 const struct hosts_list *hosts, const char **exported)
{
    hosts_add_text(command, "%d", hosts->nodes);
    hosts_add(command, "--host");
    hosts_append(command, hosts, true);
    if (cfg->bind != BIND_AUTO) {
        hosts_add(command, "--bind-to");
        hosts_add(command, cfg->bind == BIND_CORE ? "core" : "none");
    }
    if (cfg->wdir[0] != '\0') {
        hosts_add(command, "--wdir");
        hosts_add(command, cfg->wdir);
    }
    hosts_add_environment(command, exported);
}

static void hosts_openmpi_command(struct command *command, const struct config *cfg,
                                  const struct hosts_list *hosts, const char **exported)
{
    hosts_add(command, "mpirun");
    if (cfg->label)
        hosts_add(command, "--tag-output");
    if (cfg->report_bindings)
        hosts_add(command, "--report-bindings");
    hosts_add(command, "-n");
    hosts_mpirun_command(command, cfg, hosts, exported);
}

static void hosts_prterun_command(struct command *command, const struct config *cfg,
                                  const struct hosts_list *hosts, const char **exported)
{
    hosts_add(command, "prterun");
    if (cfg->label) {
        hosts_add(command, "--output");
        hosts_add(command, "tag");
    }
    if (cfg->report_bindings) {
        hosts_add(command, "--display");
        hosts_add(command, "bind");
    }
    hosts_add(command, "-n");
    hosts_mpirun_command(command, cfg, hosts, exported);
}

/* In order of preference. A srun without its Slurm, or mpirun of another MPI, may be installed but
 * unusable: the probe's output shows that. */
static const struct {
    const char *name, *probe, *answer;
    bool by_ssh; /* enters hosts by their names; Slurm has names of its own */
    void (*command)(struct command *, const struct config *, const struct hosts_list *,
                    const char **);
} launchers[] = {
    { "srun", "srun --mpi=list", "pmix", false, hosts_srun_command },
    { "mpirun", "mpirun --version", "(Open MPI)", true, hosts_openmpi_command },
    { "prterun", "prterun --version", "prterun", true, hosts_prterun_command },
};

static bool hosts_launcher_answers(const char *probe, const char *answer)
{
    char text[1024];
    bool found = false;
    FILE *said;

    snprintf(text, sizeof text, "exec timeout 5 %s </dev/null 2>&1", probe);
    said = popen(text, "re");
    if (said == NULL)
        return false;
    while (fgets(text, sizeof text, said) != NULL)
        found = found || strstr(text, answer) != NULL;
    return pclose(said) == 0 && found;
}

/* Whether the configuration of ssh has another name for the host, or reaches it through a third
 * one. hosts_list_parse_host() admits no quotes in a name. */
static bool hosts_ssh_knows(const char *name)
{
    char text[1024], own[sizeof((struct hosts_list_host *)NULL)->name + 16];
    bool known = false;

    snprintf(text, sizeof text, "exec timeout 5 ssh -G '%s' </dev/null 2>/dev/null", name);
    snprintf(own, sizeof own, "hostname %s\n", name);
    FILE *said = popen(text, "re");
    if (said == NULL)
        return false;
    while (fgets(text, sizeof text, said) != NULL)
        known = known || (strncmp(text, "hostname ", 9) == 0 && strcasecmp(text, own) != 0) ||
                strncmp(text, "proxyjump ", 10) == 0 || strncmp(text, "proxycommand ", 13) == 0;
    (void)pclose(said);
    return known;
}

/* Reports the first host without an address: the launcher's own message hides the cause in many
 * lines. Only a report, since another agent than ssh may know the name. */
static void hosts_unknown_report(const struct config *cfg, const struct hosts_list *hosts,
                                 const char *launcher)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };

    for (int i = 0; i < hosts->count; i++) {
        const char *name = hosts->host[i].name;
        struct addrinfo *found = NULL;
        int err = getaddrinfo(name, NULL, &hints, &found);

        if (err == 0) {
            freeaddrinfo(found);
        } else if (!hosts_ssh_knows(name)) {
            fprintf(stderr,
                    "hlrcrun: --%s: %s has no address here (%s), so %s will probably fail; check "
                    "the name, or add the host to /etc/hosts\n",
                    cfg->hosts[0] != '\0' ? "hosts" : "hostfile", name, gai_strerror(err),
                    launcher);
            return;
        }
    }
}

static size_t hosts_words(char **list)
{
    size_t count = 0;

    while (list[count] != NULL)
        count++;
    return count;
}

int hosts_launcher_find(void)
{
    static int found = -ENOENT;

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers && found < 0; i++)
        if (hosts_launcher_answers(launchers[i].probe, launchers[i].answer))
            found = (int)i;
    return found;
}

int hosts_execute_at(const char *host, char *const *argv)
{
    static struct hosts_list hosts;
    static const char *none[] = { NULL };
    static struct config cfg;
    struct command command = { 0 };
    int which = hosts_launcher_find();

    if (which < 0)
        return which;
    config_default(&cfg);
    hosts.count = hosts.nodes = hosts.host[0].nodes = 1;
    snprintf(hosts.host[0].name, sizeof hosts.host[0].name, "%s", host);
    command.argv = calloc(hosts_words((char **)(uintptr_t)argv) + 2 * hosts_words(environ) + 40,
                          sizeof(char *));
    if (command.argv == NULL)
        return -ENOMEM;
    launchers[which].command(&command, &cfg, &hosts, none);
    while (*argv != NULL)
        hosts_add(&command, *argv++);
    execvp(command.argv[0], command.argv);
    return -errno;
}

static void hosts_command_print(const struct command *command, int nodes)
{
    fprintf(stderr, "hlrcrun: %s starts the %d nodes:", command->argv[0], nodes);
    for (size_t i = 0; i < command->count; i++)
        fprintf(stderr, " %s", command->argv[i]);
    fprintf(stderr, "\n");
}

static int hosts_command_run(struct command *command, const struct config *cfg,
                             const char **exported, char **argv, const struct hosts_list *hosts,
                             int which)
{
    bool apart = cfg->syscalls != SYSCALLS_OFF && !getenv("HLRC_FILTERED");
    launchers[which].command(command, cfg, hosts, exported);
    if (cfg->no_aslr || apart)
        hosts_add(command, "setarch");
    if (cfg->no_aslr)
        hosts_add(command, "-R");
    if (apart)
        hosts_add(command, "-L");
    while (*argv != NULL)
        hosts_add(command, *argv++);
    if (launchers[which].by_ssh)
        hosts_unknown_report(cfg, hosts, launchers[which].name);
    hosts_command_print(command, hosts->nodes);
    execvp(command->argv[0], command->argv);
    return -errno;
}

/* Removes options that the launcher handles, or that hlrcrun has handled: the nodes would report
 * that they cannot follow them. */
static void hosts_environment_trim(void)
{
    static const enum config_id launchers_own[] = { CONFIG_ID_hosts, CONFIG_ID_hostfile,
                                                    CONFIG_ID_nodes, CONFIG_ID_label,
                                                    CONFIG_ID_bind,  CONFIG_ID_report_bindings,
                                                    CONFIG_ID_wdir,  CONFIG_ID_restarts };
    char name[64];

    for (size_t i = 0; i < sizeof launchers_own / sizeof *launchers_own; i++)
        unsetenv(config_environment_name(launchers_own[i], name, sizeof name));
}

int hosts_hand_over(const struct config *cfg, const char **exported, char **argv, char *err,
                    size_t errlen)
{
    static struct hosts_list hosts;
    struct command command = { 0 };
    int ret = hosts_read(cfg, &hosts, err, errlen);

    if (ret < 0)
        return ret;
    if (config_export(cfg) < 0 ||
        (command.argv = calloc(hosts_words(argv) + 2 * hosts_words(environ) +
                                   2 * hosts_words((char **)exported) + 40,
                               sizeof(char *))) == NULL) {
        snprintf(err, errlen, "out of memory");
        return -ENOMEM;
    }
    hosts_environment_trim();
    int which = hosts_launcher_find();
    if (which < 0) {
        snprintf(err, errlen,
                 "--%s %.100s: neither srun (of a Slurm with PMIx) nor mpirun (Open MPI) nor "
                 "prterun works "
                 "here; install one (Debian: openmpi-bin)",
                 cfg->hosts[0] != '\0' ? "hosts" : "hostfile",
                 cfg->hosts[0] != '\0' ? cfg->hosts : cfg->hostfile);
        return -ENOENT;
    }
    ret = hosts_command_run(&command, cfg, exported, argv, &hosts, which);
    snprintf(err, errlen, "%s: %s", launchers[which].name, strerror(-ret));
    return ret;
}
