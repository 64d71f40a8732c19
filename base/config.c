/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the configuration. The table is in config.h and config_table.c; config_show.c prints
 * values and the table.
 */
#include "base/config.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/parse.h"

enum { ENV_NAME_MAX = 40 };

/* A choice and a number are both read and written as an int. */
static_assert(sizeof(enum config_protocol) == sizeof(int), "an enum is as large as an int");

static void *config_field(const struct config *cfg, enum config_id id)
{
    return (char *)(uintptr_t)cfg + config_option(id)->offset;
}

/* Writes the option as the user wrote it, and why it is refused; returns code. */
__attribute__((format(printf, 7, 8))) static int
config_complain(char *err, size_t errlen, enum config_id id, const char *value,
                enum config_source from, int code, const char *why, ...)
{
    char name[ENV_NAME_MAX];
    va_list args;
    int used;

    if (from == CONFIG_ENVIRONMENT)
        used = snprintf(err, errlen, "%s=%.200s: ", config_environment_name(id, name, sizeof name),
                        value);
    else
        used = snprintf(err, errlen, "--%s %.200s: ", config_option(id)->name, value);
    va_start(args, why);
    if (used >= 0 && (size_t)used < errlen)
        vsnprintf(err + used, errlen - (size_t)used, why, args);
    va_end(args);
    config_one_line(err);
    return code;
}

int config_choice_index(const char *choices, const char *word)
{
    size_t len = strlen(word);
    int index = 0;

    for (const char *c = choices; len > 0; index++) {
        const char *end = strchrnul(c, '|');

        if ((size_t)(end - c) == len && strncmp(c, word, len) == 0)
            return index;
        if (*end == '\0')
            break;
        c = end + 1;
    }
    return -1;
}

/* The value for an older word, or the word itself. */
static const char *config_choice_value(enum config_id id, const char *word)
{
    const struct config_alias *a;

    for (int i = 0; (a = config_alias(i)) != NULL; i++)
        if (a->id == id && strcmp(a->old, word) == 0)
            return a->value;
    return word;
}

static int config_set_choice(struct config *cfg, enum config_id id, const char *value,
                             enum config_source from, char *err, size_t errlen)
{
    int index = config_choice_index(config_option(id)->values, config_choice_value(id, value));

    if (index < 0)
        return config_complain(err, errlen, id, value, from, -EINVAL,
                               "no such choice; choose from %s", config_option(id)->values);
    memcpy(config_field(cfg, id), &index, sizeof index);
    return 0;
}

static int config_set_flag(struct config *cfg, enum config_id id, const char *value,
                           enum config_source from, char *err, size_t errlen)
{
    static const char *const words[] = { "no", "yes", "0", "1", "off", "on", "false", "true" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0) {
            *(bool *)config_field(cfg, id) = i % 2 == 1;
            return 0;
        }
    return config_complain(err, errlen, id, value, from, -EINVAL, "not yes or no");
}

static int config_set_number(struct config *cfg, enum config_id id, const char *value,
                             enum config_source from, char *err, size_t errlen)
{
    const struct config_option *row = config_option(id);
    const char *or_word = *row->values != '\0' ? " or " : "";
    int64_t number = 0;
    int stored, rc = parse_number(value, "", row->low, row->high, &number);

    if (*row->values != '\0' && config_choice_index(row->values, value) >= 0)
        number = -1 - config_choice_index(row->values, value);
    else if (*row->values != '\0' && strcmp(value, "-1") == 0)
        number = -1;
    else if (rc == -EINVAL)
        return config_complain(err, errlen, id, value, from, -EINVAL,
                               "not a number; give %lld to %lld%s%s", (long long)row->low,
                               (long long)row->high, or_word, row->values);
    else if (rc == -ERANGE)
        return config_complain(err, errlen, id, value, from, -ERANGE,
                               "out of range; give %lld to %lld%s%s", (long long)row->low,
                               (long long)row->high, or_word, row->values);
    stored = (int)number;
    memcpy(config_field(cfg, id), &stored, sizeof stored);
    return 0;
}

/* Digits with at most one point. Not strtod(), whose point depends on the program's locale. */
static const char *config_decimal_parse(const char *text, double *value)
{
    double weight = 1;
    bool fraction = false;

    for (*value = 0; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        *value = *value * 10 + (*text - '0');
        weight *= fraction ? 10 : 1;
    }
    *value /= weight;
    return text;
}

/* "64", "64K", "1.5G", "2GiB": powers of 1,024. False if it is none of these. */
static bool config_size_parse(const char *text, double *bytes)
{
    static const char units[] = "KMGT";
    const char *end, *unit;

    if (*text < '0' || *text > '9')
        return false;
    end = config_decimal_parse(text, bytes);
    if (*end == '\0' || strcasecmp(end, "B") == 0)
        return true;
    unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
    if (unit == NULL)
        return false;
    for (const char *u = units; u <= unit; u++)
        *bytes *= 1024;
    end++;
    return *end == '\0' || strcasecmp(end, "B") == 0 || strcasecmp(end, "iB") == 0;
}

static int config_set_size(struct config *cfg, enum config_id id, const char *value,
                           enum config_source from, char *err, size_t errlen)
{
    const struct config_option *row = config_option(id);
    const char *word = strchr(row->values, '|');
    char low_unit = row->low >> 20 ? 'M' : 'K';
    double bytes;

    if (word != NULL && strcmp(value, word + 1) == 0)
        bytes = 0;
    else if (!config_size_parse(value, &bytes))
        return config_complain(
            err, errlen, id, value, from, -EINVAL,
            "not a size; give bytes, or a number with K, M, G or T, such as 512M%s%s",
            word != NULL ? ", or " : "", word != NULL ? word + 1 : "");
    else if (!(bytes >= (double)row->low && bytes <= (double)row->high))
        return config_complain(err, errlen, id, value, from, -ERANGE,
                               "out of range; give %lld%c to %lldT",
                               (long long)(row->low >> (low_unit == 'M' ? 20 : 10)), low_unit,
                               (long long)(row->high >> 40));
    *(uint64_t *)config_field(cfg, id) = (uint64_t)bytes;
    return 0;
}

static int config_set_text(struct config *cfg, enum config_id id, const char *value,
                           enum config_source from, char *err, size_t errlen)
{
    if (strlen(value) >= CONFIG_TEXT_MAX)
        return config_complain(err, errlen, id, value, from, -ERANGE, "longer than %d characters",
                               CONFIG_TEXT_MAX - 1);
    strcpy(config_field(cfg, id), value);
    return 0;
}

int config_set(struct config *cfg, enum config_id id, const char *value, enum config_source from,
               char *err, size_t errlen)
{
    static int (*const set[])(struct config *, enum config_id, const char *, enum config_source,
                              char *, size_t) = { [CONFIG_CHOICE] = config_set_choice,
                                                  [CONFIG_NUMBER] = config_set_number,
                                                  [CONFIG_SIZE] = config_set_size,
                                                  [CONFIG_TEXT] = config_set_text,
                                                  [CONFIG_FLAG] = config_set_flag };
    int ret;

    if (value == NULL)
        value = config_option(id)->kind == CONFIG_FLAG ? "yes" : "-";
    ret = set[config_option(id)->kind](cfg, id, value, from, err, errlen);
    if (ret == 0)
        cfg->source[id] = (unsigned char)from;
    return ret;
}

void config_default(struct config *cfg)
{
    char err[CONFIG_ERROR_MAX];

    memset(cfg, 0, sizeof *cfg); /* padding too: the struct travels between nodes */
    for (int id = 0; id < CONFIG_COUNT; id++) {
        int ret = config_set(cfg, (enum config_id)id, config_option(id)->fallback, CONFIG_DEFAULT,
                             err, sizeof err);

        assert(ret == 0);
        (void)ret;
    }
}

int config_environment(struct config *cfg, char *err, size_t errlen)
{
    char name[ENV_NAME_MAX];

    for (int id = 0; id < CONFIG_COUNT; id++) {
        const char *value =
            secure_getenv(config_environment_name((enum config_id)id, name, sizeof name));
        int ret = 0;

        if (value != NULL && *value != '\0')
            ret = config_set(cfg, (enum config_id)id, value, CONFIG_ENVIRONMENT, err, errlen);
        if (ret < 0)
            return ret;
    }
    return config_check_names(err, errlen);
}

#define FABRIC_NAME(name_, reason_)   name_,
#define FABRIC_REASON(name_, reason_) reason_,
static const char *const fabric_names[] = { CONFIG_FABRICS(FABRIC_NAME) NULL };
static const char *const left_out[] = { CONFIG_FABRICS(FABRIC_REASON) NULL };

static int (*ask_fabric)(const char *name, char *why, size_t len);

void config_ask_fabrics(int (*ask)(const char *name, char *why, size_t len))
{
    ask_fabric = ask;
}

const char *config_fabric_reason(int index, const char **name)
{
    static char why[CONFIG_ERROR_MAX];

    *name = fabric_names[index];
    if (*name == NULL || left_out[index] != NULL)
        return left_out[index];
    return ask_fabric == NULL || ask_fabric(*name, why, sizeof why) == 0 ? NULL : why;
}

/* True if text is the name of a fabric, with or without the hooks of tests. */
static bool config_fabric_is(const char *text, const char *name)
{
    size_t len = strlen(name);

    return strncmp(text, name, len) == 0 &&
           (text[len] == '\0' || config_choice_index(CONFIG_FABRIC_HOOKS, text + len) >= 0);
}

static int config_check_fabric(const struct config *cfg, char *err, size_t errlen)
{
    const enum config_id id = CONFIG_ID_fabric;
    const enum config_source from = (enum config_source)cfg->source[id];
    char known[128] = "";
    const char *name;

    for (int i = 0;; i++) {
        size_t used = strlen(known);

        name = fabric_names[i];
        if (name == NULL)
            return config_complain(err, errlen, id, cfg->fabric, from, -EINVAL,
                                   "no such fabric; choose from %s", known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? "|" : "", name);
        if (!config_fabric_is(cfg->fabric, name))
            continue;
        const char *reason = config_fabric_reason(i, &name);
        return reason == NULL
                   ? 0
                   : config_complain(err, errlen, id, name, from, -ENOTSUP, "%s; use shm", reason);
    }
}

static void config_resolve_parts(struct config *cfg)
{
    bool handler = cfg->protocol != PROTOCOL_ONESIDED;

    if (cfg->pages == PAGES_AUTO)
        cfg->pages = cfg->protocol == PROTOCOL_ASYNC ? PAGES_ASYNC : PAGES_ARDMAR;
    if (cfg->diffs == DIFFS_AUTO)
        cfg->diffs = handler ? DIFFS_MESSAGE : DIFFS_WRITE;
    if (cfg->notices == NOTICES_AUTO)
        cfg->notices = handler ? NOTICES_LOG : NOTICES_READ;
    if (cfg->locks == LOCKS_AUTO)
        cfg->locks = handler ? LOCKS_MANAGER : LOCKS_MCS;
    if (cfg->barrier == BARRIER_AUTO)
        cfg->barrier = handler ? BARRIER_MASTER : BARRIER_TREE;
}

/* A value that one option requires of another. */
struct config_need {
    enum config_id id;
    const char *value;
};

static int config_demand(struct config *cfg, const char *what, const struct config_need *need,
                         char *err, size_t errlen)
{
    enum config_source from = (enum config_source)cfg->source[need->id];
    const char *fallback = config_option(need->id)->fallback;
    char value[CONFIG_TEXT_MAX];

    config_value(cfg, need->id, value, sizeof value);
    if (strcmp(value, fallback) != 0 && strcmp(value, need->value) != 0)
        return config_complain(err, errlen, need->id, value, from, -EINVAL,
                               "%s needs %s; leave one of the two out", what, need->value);
    return config_set(cfg, need->id, need->value, from, err, errlen);
}

static int config_resolve_check(struct config *cfg, char *err, size_t errlen)
{
    static const struct config_need needs[] = {
        { CONFIG_ID_diffs, "message" },
        { CONFIG_ID_locks, "mcs" },
        { CONFIG_ID_move_homes, "off" },
    };
    int ret = 0;

    for (size_t i = 0; ret == 0 && i < sizeof needs / sizeof *needs; i++)
        ret = config_demand(cfg, "--check races", &needs[i], err, errlen);
    return ret;
}

static int config_resolve_detail(struct config *cfg, char *err, size_t errlen)
{
    static const struct config_need needs[] = {
        { CONFIG_ID_ahead, "0" },        { CONFIG_ID_renew, "0" },
        { CONFIG_ID_hot_pages, "0" },    { CONFIG_ID_exclusive_pages, "off" },
        { CONFIG_ID_lazy_release, "0" }, { CONFIG_ID_move_homes, "off" },
    };
    int ret = 0;

    for (size_t i = 0; ret == 0 && i < sizeof needs / sizeof *needs; i++)
        ret = config_demand(cfg, "--trace-sim-detail all", &needs[i], err, errlen);
    return ret;
}

int config_checkpoint(const struct config *cfg, int64_t *seconds, const char **dir)
{
    const char *value = cfg->checkpoint, *unit = value + strspn(value, "0123456789");
    const char *end = unit + (*unit != '\0' && *unit != ':');
    int64_t number;
    int ret = parse_number(value, "smh:", 0, CONFIG_CHECKPOINT_MOST, &number);

    if (ret < 0 || (*end != '\0' && *end != ':') || (*end == ':' && end[1] == '\0'))
        return -EINVAL;
    *seconds = number * (*unit == 'h' ? 3600 : *unit == 'm' ? 60 : 1);
    *dir = *end == ':' ? end + 1 : cfg->restart[0] != '\0' ? cfg->restart : "hlrc-checkpoint";
    return 0;
}

static int config_check_checkpoint(const struct config *cfg, char *err, size_t errlen)
{
    const enum config_id id = CONFIG_ID_checkpoint;
    const char *dir;
    int64_t seconds;

    if (cfg->checkpoint[0] == '\0' || config_checkpoint(cfg, &seconds, &dir) == 0)
        return 0;
    return config_complain(err, errlen, id, cfg->checkpoint, (enum config_source)cfg->source[id],
                           -EINVAL, "not TIME[:DIR]; give 60s, 5m or 2h, and a directory");
}

int config_resolve(struct config *cfg, char *err, size_t errlen)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int ret = cfg->check == CHECK_RACES ? config_resolve_check(cfg, err, errlen) : 0;

    if (ret == 0 && cfg->trace_sim_detail == DETAIL_ALL && cfg->trace_sim[0] != '\0')
        ret = config_resolve_detail(cfg, err, errlen);
    if (ret == 0)
        ret = config_check_checkpoint(cfg, err, errlen);
    if (ret < 0)
        return ret;
    config_resolve_parts(cfg);
    cfg->memory = (cfg->memory + page - 1) / page * page;
    return config_check_fabric(cfg, err, errlen);
}

int config_check_job(const struct config *cfg, char *err, size_t errlen)
{
    const enum config_id id = CONFIG_ID_gdb;
    char value[16];

    if (cfg->gdb < cfg->nodes)
        return 0;
    return config_complain(err, errlen, id, config_value(cfg, id, value, sizeof value),
                           (enum config_source)cfg->source[id], -ERANGE,
                           "no such node; the nodes of this job are 0 to %d", cfg->nodes - 1);
}

int config_check_launched(const struct config *cfg, char *err, size_t errlen)
{
    static const struct {
        enum config_id id;
        const char *instead;
    } launchers[] = {
        { CONFIG_ID_label, "mpirun --tag-output and srun --label begin lines with their node" },
        { CONFIG_ID_progress, "only hlrcrun shows it, on one machine; unset it" },
        { CONFIG_ID_bind, "mpirun --bind-to and srun --cpu-bind bind nodes" },
        { CONFIG_ID_report_bindings,
          "mpirun --report-bindings and srun --cpu-bind=verbose report it" },
        { CONFIG_ID_gdb, "attach to a node: gdb -p PID" },
        { CONFIG_ID_restarts, "have the job script start it again, with HLRC_RESTART" },
        { CONFIG_ID_partner, "only hlrcrun does it; unset it, or use hlrcrun --hosts" },
        { CONFIG_ID_wdir, "mpirun --wdir and srun --chdir choose the directory" },
        { CONFIG_ID_hosts, "mpirun --host and srun --nodelist choose the hosts" },
        { CONFIG_ID_hostfile, "mpirun --hostfile and srun --nodelist choose the hosts" },
    };
    char value[CONFIG_TEXT_MAX];

    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        enum config_id id = launchers[i].id;

        if (strcmp(config_value(cfg, id, value, sizeof value), config_option(id)->fallback) != 0 &&
            !(id == CONFIG_ID_partner && strstr(value, "/" CONFIG_HOSTS_ROOT) != NULL))
            return config_complain(err, errlen, id, value, (enum config_source)cfg->source[id],
                                   -ENOTSUP,
                                   "for hlrcrun, and not done by the launcher of this job: %s",
                                   launchers[i].instead);
    }
    return 0;
}

int config_load(struct config *cfg, char *err, size_t errlen)
{
    int ret;

    config_default(cfg);
    ret = config_environment(cfg, err, errlen);
    return ret < 0 ? ret : config_resolve(cfg, err, errlen);
}

int config_export(const struct config *cfg)
{
    char name[ENV_NAME_MAX], value[CONFIG_TEXT_MAX];

    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;
        int ret;

        config_environment_name(id, name, sizeof name);
        if (cfg->source[id] == CONFIG_DEFAULT)
            ret = unsetenv(name);
        else
            ret = setenv(name, config_value(cfg, id, value, sizeof value), 1);
        if (ret != 0)
            return -errno;
    }
    return 0;
}

const char *config_difference(const struct config *a, const struct config *b)
{
    char one[CONFIG_TEXT_MAX], other[CONFIG_TEXT_MAX];

    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;

        if (config_option((enum config_id)i)->agree &&
            strcmp(config_value(a, id, one, sizeof one),
                   config_value(b, id, other, sizeof other)) != 0)
            return config_option((enum config_id)i)->name;
    }
    return NULL;
}

uint64_t config_digest(const struct config *config, uint64_t digest)
{
    char text[CONFIG_TEXT_MAX];

    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;

        if (config_option(id)->agree) {
            const char *value = config_value(config, id, text, sizeof text);

            digest = digest_add(digest, value, strlen(value) + 1);
        }
    }
    return digest;
}
