/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the configuration. An input is a list of settings: a byte that chooses the option
 * and where the value comes from, then the value up to the next zero byte. What is accepted must be
 * in range, and must come back the same when it is exported to the environment and loaded again;
 * what is refused leaves one line.
 */
#include "base/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/* One line, and a code that the header promises. */
static void check_refusal(int rc, const char *err, size_t errlen)
{
    must(rc == -EINVAL || rc == -ERANGE || rc == -ENOTSUP || rc == -ENOMEM);
    must(memchr(err, '\0', errlen) != NULL);
    must(errlen == 1 || *err != '\0');
    must(strchr(err, '\n') == NULL);
}

static int number_of(const struct config *cfg, enum config_id id)
{
    int value;
    memcpy(&value, (const char *)cfg + config_option(id)->offset, sizeof value);
    return value;
}

static int choices_of(const struct config_option *o)
{
    int n = 1;
    for (const char *c = o->values; *c; c++)
        n += *c == '|';
    return n;
}

static void check_value(const struct config *cfg, enum config_id id)
{
    const struct config_option *o = config_option(id);
    const char *field = (const char *)cfg + o->offset;
    uint64_t bytes;
    switch (o->kind) {
    case CONFIG_CHOICE:
        must(number_of(cfg, id) >= 0 && number_of(cfg, id) < choices_of(o));
        return;
    case CONFIG_NUMBER:
        must((number_of(cfg, id) >= o->low && number_of(cfg, id) <= o->high) ||
             (*o->values && number_of(cfg, id) == -1));
        return;
    case CONFIG_SIZE:
        memcpy(&bytes, field, sizeof bytes);
        must((bytes >= (uint64_t)o->low && bytes <= (uint64_t)o->high) ||
             (strchr(o->values, '|') && bytes == 0));
        return;
    case CONFIG_TEXT:
        must(memchr(field, '\0', CONFIG_TEXT_MAX) != NULL);
        return;
    case CONFIG_FLAG:
        must(*(const unsigned char *)field <= 1);
        return;
    }
}

static void check_accepted(const struct config *cfg)
{
    for (int id = 0; id < CONFIG_COUNT; id++)
        check_value(cfg, (enum config_id)id);
    must(cfg->memory % (uint64_t)sysconf(_SC_PAGESIZE) == 0);
    must(cfg->pages != PAGES_AUTO && cfg->diffs != DIFFS_AUTO && cfg->notices != NOTICES_AUTO &&
         cfg->locks != LOCKS_AUTO && cfg->barrier != BARRIER_AUTO);
}

/* What hlrcrun passes on by the environment is what a node reads there. */
static void check_export(const struct config *cfg)
{
    static struct config again;
    char err[CONFIG_ERROR_MAX], one[CONFIG_TEXT_MAX], two[CONFIG_TEXT_MAX];
    must(config_export(cfg) == 0);
    must(config_load(&again, err, sizeof err) == 0);
    must(config_difference(cfg, &again) == NULL);
    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;
        must(strcmp(config_value(cfg, id, one, sizeof one),
                    config_value(&again, id, two, sizeof two)) == 0);
    }
}

static void clear_environment(void)
{
    char name[64];
    for (int id = 0; id < CONFIG_COUNT; id++)
        unsetenv(config_environment_name((enum config_id)id, name, sizeof name));
}

static int set_one(struct config *cfg, uint8_t head, const char *value, char *err, size_t errlen)
{
    enum config_id id = (enum config_id)((head & 127) % CONFIG_COUNT);
    char name[64];
    if (head & 128)
        return setenv(config_environment_name(id, name, sizeof name), value, 1);
    return config_set(cfg, id, value, CONFIG_COMMAND, err, errlen);
}

/* Performs the settings; returns what is left. */
static int set_all(struct config *cfg, const uint8_t *data, size_t size, char *err, size_t errlen)
{
    char value[4096];
    int rc = 0;
    while (size > 0 && rc == 0) {
        uint8_t head = *data++;
        const uint8_t *end = memchr(data, 0, --size);
        size_t len = end ? (size_t)(end - data) : size,
               take = len < sizeof value - 1 ? len : sizeof value - 1;
        memcpy(value, data, take);
        value[take] = '\0';
        rc = set_one(cfg, head, value, err, errlen);
        len += end != NULL;
        data += len;
        size -= len;
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config cfg;
    size_t errlen = size && data[0] % 8 == 0 ? 1 + data[size - 1] : CONFIG_ERROR_MAX;
    char *err = malloc(errlen); /* as long as it says: a sanitizer sees a write behind it */
    must(err != NULL);
    memset(err, 'x', errlen);
    clear_environment();
    config_default(&cfg);
    int rc = set_all(&cfg, data, size, err, errlen);
    if (rc == 0)
        rc = config_environment(&cfg, err, errlen);
    if (rc == 0)
        rc = config_resolve(&cfg, err, errlen);
    if (rc != 0)
        check_refusal(rc, err, errlen);
    else {
        check_accepted(&cfg);
        check_export(&cfg);
    }
    free(err);
    return 0;
}

#define SEED(text)        \
    {                     \
        text, sizeof text \
    }
const struct fuzz_seed fuzz_seeds[] = {
    SEED("\x00"
         "4"),
    SEED("\x01"
         "async\0\x02"
         "ardmar"),
    SEED("\x80"
         "8\0\x81"
         "onesided"),
    SEED("\x06"
         "shm+chaos"),
    SEED("\x07"
         "1.5G\0\x00"
         "3"),
    SEED("\x87"
         "512MiB"),
    SEED("\x08"
         "stats.json"),
    SEED("\x09"
         "spin-block"),
    SEED("\x0a"
         "auto\0\x8a"
         "100"),
    SEED("\x0b"
         "1024"),
    SEED("\x0c"
         "core\0\x0d"
         "yes\0\x8e"
         "on"),
    SEED("\x10"
         "0\0\x00"
         "2"),
    SEED("\x11"
         "3600"),
    SEED("\x06"
         "verbs"),
    SEED("\x07"
         "99999999999T"),
    { NULL, 0 },
};
