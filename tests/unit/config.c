/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of options: defaults, environment, values, errors, resolution, memory limits, manual
 * page. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/config_memory.h"
#include "base/headroom.h"
#include "base/nearest.h"
#include "fabric/fabric.h"
#include "tests/unit/unit.h"

static char err[CONFIG_ERROR_MAX];

static void clear_environment(void)
{
    char name[64];

    for (int id = 0; id < CONFIG_COUNT; id++)
        unsetenv(config_environment_name((enum config_id)id, name, sizeof name));
    memset(err, 0, sizeof err);
    config_ask_fabrics(fabric_probe);
}

static int load_with(struct config *cfg, const char *name, const char *value)
{
    int ret;

    setenv(name, value, 1);
    ret = config_load(cfg, err, sizeof err);
    unsetenv(name);
    return ret;
}

static void defaults(void)
{
    struct config cfg;

    assert_int_equal(config_load(&cfg, err, sizeof err), 0);
    assert_int_equal(cfg.nodes, 1);
    assert_int_equal(cfg.protocol, PROTOCOL_ARDMAR);
    assert_int_equal(cfg.pages, PAGES_ARDMAR);
    assert_int_equal(cfg.diffs, DIFFS_MESSAGE);
    assert_int_equal(cfg.notices, NOTICES_LOG);
    assert_int_equal(cfg.locks, LOCKS_MANAGER);
    assert_int_equal(cfg.barrier, BARRIER_MASTER);
    assert_string_equal(cfg.fabric, "auto");
    assert_true(cfg.memory == 0);
    assert_string_equal(cfg.stats, "");
    assert_int_equal(cfg.handler, HANDLER_BLOCK);
    assert_int_equal(cfg.spin, -1);
    assert_int_equal(cfg.threads, 64);
    assert_int_equal(cfg.bind, BIND_AUTO);
    assert_false(cfg.label || cfg.progress || cfg.no_aslr);
    assert_int_equal(cfg.gdb, -1);
    assert_int_equal(cfg.peer_timeout, 5);
    for (int id = 0; id < CONFIG_COUNT; id++)
        assert_int_equal(cfg.source[id], CONFIG_DEFAULT);
}

/* Every default, and every word of every choice, is read back as it is written. */
static void round_trip(void)
{
    struct config cfg;
    char text[CONFIG_TEXT_MAX], words[128];

    config_default(&cfg);
    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;
        const struct config_option *row = config_option(id);

        assert_string_equal(config_value(&cfg, id, text, sizeof text), row->fallback);
        if (row->kind != CONFIG_CHOICE)
            continue;
        snprintf(words, sizeof words, "%s", row->values);
        for (char *word = strtok(words, "|"); word != NULL; word = strtok(NULL, "|")) {
            assert_int_equal(config_set(&cfg, id, word, CONFIG_COMMAND, err, sizeof err), 0);
            assert_string_equal(config_value(&cfg, id, text, sizeof text), word);
        }
    }
}

/* The enums of config.h count the words of the table in their order. */
static void enums_follow_table(void)
{
    struct config cfg;

#define SAME(field_, word_, value_)                                                     \
    assert_int_equal(config_set(&cfg, CONFIG_ID_##field_, (word_), CONFIG_COMMAND, err, \
                                sizeof err),                                            \
                     0);                                                                \
    assert_int_equal(cfg.field_, (value_))
    SAME(protocol, "async", PROTOCOL_ASYNC);
    SAME(protocol, "ardmar", PROTOCOL_ARDMAR);
    SAME(protocol, "onesided", PROTOCOL_ONESIDED);
    SAME(check, "off", CHECK_OFF);
    SAME(check, "races", CHECK_RACES);
    SAME(pages, "auto", PAGES_AUTO);
    SAME(pages, "async", PAGES_ASYNC);
    SAME(pages, "ardmar", PAGES_ARDMAR);
    SAME(diffs, "auto", DIFFS_AUTO);
    SAME(diffs, "message", DIFFS_MESSAGE);
    SAME(diffs, "write", DIFFS_WRITE);
    SAME(notices, "auto", NOTICES_AUTO);
    SAME(notices, "log", NOTICES_LOG);
    SAME(notices, "read", NOTICES_READ);
    SAME(locks, "manager", LOCKS_MANAGER);
    SAME(locks, "mcs", LOCKS_MCS);
    SAME(barrier, "master", BARRIER_MASTER);
    SAME(barrier, "counter", BARRIER_COUNTER);
    SAME(barrier, "tree", BARRIER_TREE);
    SAME(barrier, "pairs", BARRIER_PAIRS);
    SAME(handler, "block", HANDLER_BLOCK);
    SAME(handler, "spin-block", HANDLER_SPIN_BLOCK);
    SAME(handler, "poll", HANDLER_POLL);
    SAME(core, "small", CORE_SMALL);
    SAME(core, "full", CORE_FULL);
    SAME(bind, "auto", BIND_AUTO);
    SAME(bind, "core", BIND_CORE);
    SAME(bind, "none", BIND_NONE);
#undef SAME
}

static void sizes(void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = { { "1048576", 1 << 20 },      { "1024K", 1 << 20 },
                 { "1m", 1 << 20 },           { "1MiB", 1 << 20 },
                 { "2MB", 2 << 20 },          { "1.5G", UINT64_C(3) << 29 },
                 { "1T", UINT64_C(1) << 40 }, { "1048577", (1 << 20) + 4096 } };
    static const char *const bad[] = { "",    "G",  "-1M", "1Z",    "1MM", "1M ", "0x100000",
                                       "inf", "1K", "65T", "1e400", "1 M", "1iB" };
    struct config cfg;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        config_default(&cfg);
        assert_int_equal(config_set(&cfg, CONFIG_ID_memory, good[i].text, CONFIG_COMMAND, err,
                                    sizeof err),
                         0);
        assert_int_equal(config_resolve(&cfg, err, sizeof err), 0);
        assert_true(cfg.memory == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        config_default(&cfg);
        assert_true(config_set(&cfg, CONFIG_ID_memory, bad[i], CONFIG_COMMAND, err, sizeof err) <
                    0);
        assert_true(cfg.memory == 0);
        assert_int_equal(cfg.source[CONFIG_ID_memory], CONFIG_DEFAULT);
    }
}

static void environment(void)
{
    struct config cfg;

    assert_int_equal(load_with(&cfg, "HLRC_PEER_TIMEOUT", "7"), 0);
    assert_int_equal(cfg.peer_timeout, 7);
    assert_int_equal(cfg.source[CONFIG_ID_peer_timeout], CONFIG_ENVIRONMENT);
    assert_int_equal(load_with(&cfg, "HLRC_PEER_TIMEOUT", ""), 0);
    assert_int_equal(cfg.peer_timeout, 5);
    assert_int_equal(load_with(&cfg, "HLRC_NO_ASLR", "on"), 0);
    assert_true(cfg.no_aslr);
    assert_int_equal(load_with(&cfg, "HLRC_SPIN", "-1"), 0);
    assert_int_equal(cfg.spin, -1);
    assert_int_equal(load_with(&cfg, "HLRC_SPIN", "0"), 0);
    assert_int_equal(cfg.spin, 0);
}

/* One line, the variable and its value, the reason, the remedy. */
static void errors(void)
{
    static const struct {
        const char *name, *value;
        int ret;
        const char *line;
    } cases[] = {
        { "HLRC_THREADS", "0", -ERANGE, "HLRC_THREADS=0: out of range; give 1 to 1024" },
        { "HLRC_THREADS", "1025", -ERANGE, "HLRC_THREADS=1025: out of range; give 1 to 1024" },
        { "HLRC_THREADS", "x", -EINVAL, "HLRC_THREADS=x: not a number; give 1 to 1024" },
        { "HLRC_GDB", "-2", -ERANGE, "HLRC_GDB=-2: out of range; give 0 to 1023 or none|all" },
        { "HLRC_LABEL", "2", -EINVAL, "HLRC_LABEL=2: not yes or no" },
        { "HLRC_PROTOCOL", "ARDMAR", -EINVAL,
          "HLRC_PROTOCOL=ARDMAR: no such choice; choose from async|ardmar|onesided" },
        { "HLRC_PAGES", "onesided", -EINVAL,
          "HLRC_PAGES=onesided: no such choice; choose from auto|async|ardmar" },
        { "HLRC_DIFFS", "onesided", -EINVAL,
          "HLRC_DIFFS=onesided: no such choice; choose from auto|message|write" },
        { "HLRC_FABRIC", "tcp", -EINVAL,
          "HLRC_FABRIC=tcp: no such fabric; choose from shm|verbs|mixed|ofi|auto" },
        { "HLRC_THREDS", "3", -EINVAL,
          "HLRC_THREDS=3: no such option; did you mean HLRC_THREADS?" },
        { "HLRC_PERTRUB", "a:1:1", -EINVAL,
          "HLRC_PERTRUB=a:1:1: no such option; did you mean HLRC_PERTURB?" },
        { "HLRC_QUUX", "a\nb", -EINVAL,
          "HLRC_QUUX=a?b: no such option; unset it (hlrc_info lists the options)" },
    };
    struct config cfg;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(load_with(&cfg, cases[i].name, cases[i].value), cases[i].ret);
        assert_string_equal(err, cases[i].line);
    }
}

/* What is nearest is found, the first of equally near ones; what is far is not. */
static void nearest_names(void)
{
    static const struct {
        const char *given, *name;
        int distance;
    } cases[] = {
        { "memory", "memory", 0 },
        { "MEMORY", "memory", 0 },
        { "memroy", "memory", 1 },
        { "emmory", "memory", 1 },
        { "memry", "memory", 1 },
        { "memoryy", "memory", 1 },
        { "mxmory", "memory", 1 },
        { "mmeroy", "memory", 2 },
        { "mem", "memory", 2 },
        { "mexxry", "memory", 2 },
        { "mxxxry", NULL, 0 },
        { "spim", "spin", 1 },
        { "xxin", "spin", 2 },
        { "ab", NULL, 0 },
        { "a", NULL, 0 },
        { "", NULL, 0 },
        { "peertimeout", "peer-timeout", 1 },
        { "ahead", "ahead", 0 },
        { "release", "lazy-release", 2 },
        { "numanodes", "nodes", 2 },
        { "hot", "hot-pages", 2 },
        { "exclusive", "exclusive-pages", 2 },
    };
    char text[100];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nearest nearest;

        nearest_begin(&nearest, cases[i].given);
        config_offer(&nearest);
        if (cases[i].name == NULL) {
            assert_null(nearest.name);
            continue;
        }
        assert_non_null(nearest.name);
        assert_string_equal(nearest.name, cases[i].name);
        assert_int_equal(nearest.distance, cases[i].distance);
    }
    struct nearest nearest;

    nearest_begin(&nearest, "bcd");
    nearest_offer(&nearest, "bcx");
    nearest_offer(&nearest, "xcd");
    assert_string_equal(nearest.name, "bcx");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    nearest_begin(&nearest, text);
    nearest_offer(&nearest, text + 1);
    assert_null(nearest.name);
}

/* What only a launcher can do, a node of another one refuses; defaults it does not mind. */
static void launched(void)
{
    static const struct {
        const char *name, *value, *line;
    } cases[] = {
        { "HLRC_LABEL", "on",
          "HLRC_LABEL=yes: for hlrcrun, and not done by the launcher of this job: mpirun "
          "--tag-output and srun --label begin lines with their node" },
        { "HLRC_PROGRESS", "1",
          "HLRC_PROGRESS=yes: for hlrcrun, and not done by the launcher of this job: only hlrcrun "
          "shows it, on one machine; unset it" },
        { "HLRC_BIND", "none",
          "HLRC_BIND=none: for hlrcrun, and not done by the launcher of this job: mpirun --bind-to "
          "and srun --cpu-bind bind nodes" },
        { "HLRC_GDB", "0",
          "HLRC_GDB=0: for hlrcrun, and not done by the launcher of this job: attach to a node: "
          "gdb "
          "-p PID" },
        { "HLRC_WDIR", "/tmp",
          "HLRC_WDIR=/tmp: for hlrcrun, and not done by the launcher of this job: mpirun --wdir "
          "and "
          "srun --chdir choose the directory" },
        { "HLRC_REPORT_BINDINGS", "1",
          "HLRC_REPORT_BINDINGS=yes: for hlrcrun, and not done by the launcher of this job: mpirun "
          "--report-bindings and srun --cpu-bind=verbose report it" },
        { "HLRC_LABEL", "no", NULL },
        { "HLRC_BIND", "auto", NULL },
        { "HLRC_SPIN", "3", NULL },
        { "HLRC_NO_ASLR", "yes", NULL },
    };
    struct config cfg;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(load_with(&cfg, cases[i].name, cases[i].value), 0);
        assert_int_equal(config_check_launched(&cfg, err, sizeof err),
                         cases[i].line != NULL ? -ENOTSUP : 0);
        if (cases[i].line != NULL)
            assert_string_equal(err, cases[i].line);
    }
}

/* A node, whose number of nodes comes from elsewhere, must not refuse what the launcher took. */
static void debugged_node(void)
{
    struct config cfg;

    assert_int_equal(load_with(&cfg, "HLRC_GDB", "1"), 0);
    assert_int_equal(config_check_job(&cfg, err, sizeof err), -ERANGE);
    assert_string_equal(err, "HLRC_GDB=1: no such node; the nodes of this job are 0 to 0");
    cfg.nodes = 2;
    assert_int_equal(config_check_job(&cfg, err, sizeof err), 0);
}

static void long_values(void)
{
    static char text[2 * CONFIG_TEXT_MAX];
    struct config cfg;

    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < CONFIG_COUNT; i++) {
        config_default(&cfg);
        assert_true(config_set(&cfg, (enum config_id)i, text, CONFIG_COMMAND, err, sizeof err) <
                        0 ||
                    config_option((enum config_id)i)->kind == CONFIG_TEXT);
        assert_true(strlen(err) < sizeof err);
    }
    text[CONFIG_TEXT_MAX - 1] = '\0';
    assert_int_equal(config_set(&cfg, CONFIG_ID_stats, text, CONFIG_COMMAND, err, sizeof err), 0);
    text[CONFIG_TEXT_MAX - 1] = 'x';
    assert_int_equal(config_set(&cfg, CONFIG_ID_stats, text, CONFIG_COMMAND, err, sizeof err),
                     -ERANGE);
}

static void parts(void)
{
    struct config cfg;

    assert_int_equal(load_with(&cfg, "HLRC_PROTOCOL", "async"), 0);
    assert_int_equal(cfg.pages, PAGES_ASYNC);
    assert_int_equal(cfg.source[CONFIG_ID_pages], CONFIG_DEFAULT);
    setenv("HLRC_PAGES", "ardmar", 1);
    assert_int_equal(load_with(&cfg, "HLRC_PROTOCOL", "async"), 0);
    assert_int_equal(cfg.pages, PAGES_ARDMAR);
    assert_int_equal(cfg.diffs, DIFFS_MESSAGE);
    unsetenv("HLRC_PAGES");
}

/* What hlrcrun exports is what a node loads. */
static void export_and_load(void)
{
    struct config given, loaded;

    setenv("HLRC_SPIN", "3", 1);
    config_default(&given);
    assert_int_equal(config_set(&given, CONFIG_ID_memory, "1.5M", CONFIG_COMMAND, err, sizeof err),
                     0);
    assert_int_equal(config_set(&given, CONFIG_ID_stats, NULL, CONFIG_COMMAND, err, sizeof err), 0);
    assert_int_equal(config_set(&given, CONFIG_ID_label, NULL, CONFIG_COMMAND, err, sizeof err), 0);
    assert_int_equal(config_set(&given, CONFIG_ID_protocol, "async", CONFIG_COMMAND, err,
                                sizeof err),
                     0);
    assert_int_equal(config_resolve(&given, err, sizeof err), 0);
    assert_int_equal(config_export(&given), 0);
    assert_null(getenv("HLRC_SPIN"));
    assert_null(getenv("HLRC_PAGES"));
    assert_int_equal(config_load(&loaded, err, sizeof err), 0);
    assert_true(loaded.memory == 3 << 19);
    assert_string_equal(loaded.stats, "-");
    assert_true(loaded.label);
    assert_null(config_difference(&given, &loaded));
    loaded.label = false;
    assert_null(config_difference(&given, &loaded));
    loaded.memory += 4096;
    assert_string_equal(config_difference(&given, &loaded), "memory");
    loaded.pages = PAGES_ARDMAR;
    assert_string_equal(config_difference(&given, &loaded), "pages");
}

static void file_put(const char *root, const char *path, const char *text)
{
    char name[512];
    FILE *file;

    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(name, sizeof name, "%s%.*s", root, (int)(slash - path), path);
        mkdir(name, 0777);
    }
    snprintf(name, sizeof name, "%s%s", root, path);
    file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_limit(const char *root, uint64_t bytes, const char *what)
{
    struct config_memory_limit limit;

    config_memory_limit(root, &limit);
    assert_true(limit.bytes == bytes);
    assert_string_equal(limit.what, what);
}

static void expect_whole(const char *root, uint64_t bytes, const char *what)
{
    struct config_memory_limit limit;

    config_memory_whole(root, &limit);
    assert_true(limit.bytes == bytes);
    assert_string_equal(limit.what, what);
}

static void expect_headroom(const char *root, int64_t left, int64_t whole)
{
    headroom_open(root);
    struct headroom h = headroom_now();
    assert_true(h.left == left && h.whole == whole);
    headroom_close();
}

#define KIB INT64_C(1024)

static void headroom(void)
{
    char root[] = "/tmp/hlrc-config-XXXXXX", command[64];

    assert_non_null(mkdtemp(root));
    expect_headroom(root, INT64_MAX, INT64_MAX);
    file_put(root, "/proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:    4000 kB\n");
    expect_headroom(root, 4000 * KIB, 8000 * KIB);

    /* the tightest of the groups; what files take counts where little is left, and not before */
    file_put(root, "/proc/self/cgroup", "0::/a/b\n");
    file_put(root, "/sys/fs/cgroup/a/memory.max", "2048000\n");
    file_put(root, "/sys/fs/cgroup/a/memory.current", "1024000\n");
    file_put(root, "/sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 1000\nactive_file 24\n");
    expect_headroom(root, 1000 * KIB, 2000 * KIB);
    file_put(root, "/sys/fs/cgroup/a/memory.current", "2000000\n");
    expect_headroom(root, 48000 + 1024, 2000 * KIB);
    file_put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    file_put(root, "/sys/fs/cgroup/a/b/memory.current", "1\n");
    expect_headroom(root, 48000 + 1024, 2000 * KIB);

    /* version 1 */
    file_put(root, "/proc/self/cgroup", "5:cpu:/x\n4:memory:/c\n0::/\n");
    file_put(root, "/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "102400\n");
    file_put(root, "/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "100000\n");
    file_put(root, "/sys/fs/cgroup/memory/c/memory.stat",
             "inactive_file 5\ntotal_inactive_file 100\ntotal_active_file 10\n");
    expect_headroom(root, 2400 + 110, 102400);
    file_put(root, "/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
    expect_headroom(root, 4000 * KIB, 8000 * KIB);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

static void memory(void)
{
    char root[] = "/tmp/hlrc-config-XXXXXX", command[64];
    struct config cfg;

    assert_non_null(mkdtemp(root));
    expect_limit(root, UINT64_MAX, "no limit");
    file_put(root, "/proc/meminfo",
             "MemTotal: 8000000 kB\nMemAvailable:    4194304 kB\nSwapFree: 0 kB\n");
    expect_limit(root, UINT64_C(4) << 30, "MemAvailable");
    file_put(root, "/proc/meminfo", "MemAvailable:    4194304 kB\nSwapFree: 1048576 kB\n");
    expect_limit(root, UINT64_C(5) << 30, "MemAvailable and SwapFree");

    /* version 2: a limit may stand at any group above */
    file_put(root, "/proc/self/cgroup", "0::/a/b\n");
    file_put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    expect_limit(root, UINT64_C(5) << 30, "MemAvailable and SwapFree");
    file_put(root, "/sys/fs/cgroup/a/memory.max", "1073741824\n");
    expect_limit(root, UINT64_C(1) << 30, "the limit of the control group");

    /* version 1: the group is not visible in a container, but its root is */
    file_put(root, "/proc/self/cgroup", "5:cpu:/x\n4:memory:/docker/1\n0::/\n");
    file_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect_limit(root, UINT64_C(5) << 30, "MemAvailable and SwapFree");
    file_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
    expect_limit(root, UINT64_C(2) << 30, "the limit of the control group");

    /* auto begins with all of it, used or not, and is not refused */
    file_put(
        root, "/proc/meminfo",
        "MemTotal: 8388608 kB\nMemAvailable: 1024 kB\nSwapTotal: 1048576 kB\nSwapFree: 0 kB\n");
    expect_limit(root, UINT64_C(1) << 20, "MemAvailable");
    expect_whole(root, UINT64_C(2) << 30, "the limit of the control group");
    file_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect_whole(root, UINT64_C(9) << 30, "the memory of the machine");
    config_default(&cfg);
    assert_int_equal(config_memory_check(root, &cfg, err, sizeof err), 0);
    file_put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
    file_put(root, "/proc/meminfo", "MemAvailable:    4194304 kB\nSwapFree: 1048576 kB\n");
    assert_int_equal(config_set(&cfg, CONFIG_ID_memory, "3G", CONFIG_COMMAND, err, sizeof err), 0);
    assert_int_equal(config_memory_check(root, &cfg, err, sizeof err), MEMORY_MAY_NOT_FIT);
    assert_string_equal(err, "--memory 3G: only 2.0 GiB available (the limit of the control "
                             "group); a job that touches more is killed by the kernel");

    /* counted before it is touched: what is not promised yet */
    file_put(root, "/proc/meminfo", "CommitLimit: 3000 kB\nCommitted_AS: 1000 kB\n");
    assert_true(config_memory_promisable(root) == UINT64_MAX);
    file_put(root, "/proc/sys/vm/overcommit_memory", "1\n");
    assert_true(config_memory_promisable(root) == UINT64_MAX);
    file_put(root, "/proc/sys/vm/overcommit_memory", "2\n");
    assert_true(config_memory_promisable(root) == 2000 * 1024);
    file_put(root, "/proc/meminfo", "CommitLimit: 3000 kB\nCommitted_AS: 4000 kB\n");
    assert_true(config_memory_promisable(root) == 0);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

/* Every option shows in each listing. */
static void listings(void)
{
    static void (*const list[])(FILE *) = { config_help, config_man };
    char *text, name[64];
    size_t len;

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        FILE *out = open_memstream(&text, &len);

        list[i](out);
        fclose(out);
        for (int id = 0; id < CONFIG_COUNT; id++)
            assert_non_null(
                strstr(text, config_environment_name((enum config_id)id, name, sizeof name)));
        free(text);
    }
}

UNIT_MAIN(clear_environment, NULL, TEST(defaults), TEST(round_trip), TEST(enums_follow_table),
          TEST(sizes), TEST(environment), TEST(errors), TEST(nearest_names), TEST(launched),
          TEST(debugged_node), TEST(long_values), TEST(parts), TEST(export_and_load), TEST(memory),
          TEST(headroom), TEST(listings))
