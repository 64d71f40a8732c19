/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hlrc_info: prints the properties of this build, the configuration that a job would have, and
 * whether this machine suffices.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/config.h"
#include "base/config_memory.h"
#include "base/procfs.h"
#include "fabric/fabric.h"
#include "launch/manual.h"
#include "launch/options.h"

static void hlrc_info_help_print(void)
{
    printf("Usage: hlrc_info [options]\n"
           "Show version, build, configuration and limits, for a job with these options\n"
           "of hlrcrun.\n\n");
    config_help(stdout);
    printf("  -h, --help\n        this text\n  -V, --version\n        the version\n"
           "      --man\n        the manual page, for man -l -\n");
}

static void hlrc_info_build_print(void)
{
#ifdef HAVE_LIBSIGSEGV
    const char *faults = "libsigsegv (GPL as a whole)";
#else
    const char *faults = "sigaction (LGPL)";
#endif
#ifdef HLRC_DEBUG
    const char *debug = "yes";
#else
    const char *debug = "no";
#endif

#ifdef HAVE_HWLOC
    const char *cores = "by hwloc " HWLOC_FOUND;
#else
    const char *cores = "one for each CPU (built without hwloc)";
#endif

    printf("hlrc %s\n\nbuild\n", PACKAGE_VERSION);
    printf("  compiler      %s\n", __VERSION__);
    printf("  page faults   %s\n", faults);
    printf("  debug checks  %s\n", debug);
    printf("  cores         %s\n", cores);
    printf("  nodes         up to %d\n", NODES_MAX);
    printf("  page size     %ld bytes\n", sysconf(_SC_PAGESIZE));
}

static const char *hlrc_info_auto_choice(void)
{
    char why[256];
    return fabric_probe("verbs", why, sizeof why) == 0 ? "shm, or mixed over verbs between machines"
           : fabric_probe("ofi", why, sizeof why) == 0 ? "shm, or mixed over ofi between machines"
                                                       : "shm; no network between machines";
}

static void hlrc_info_fabrics_print(void)
{
    const char *name;

    printf("\nfabrics\n");
    for (int i = 0;; i++) {
        const char *reason = config_fabric_reason(i, &name);

        if (name == NULL)
            return;
        printf("  %-13s %s\n", name,
               reason != NULL              ? reason
               : strcmp(name, "auto") == 0 ? hlrc_info_auto_choice()
                                           : "available");
    }
}

static void hlrc_info_device_print(const char *line)
{
    printf("  %s\n", line);
}

/* Prints each device as --device expects it, with its limits. */
static void hlrc_info_devices_print(void)
{
    char why[256];

    if (fabric_probe("verbs", why, sizeof why) == 0) {
        printf("\ndevices for verbs and mixed (NAME:PORT:GID)\n");
        fabric_describe("verbs", hlrc_info_device_print);
    }
    if (fabric_probe("ofi", why, sizeof why) == 0) {
        printf("\ndevices for ofi (PROVIDER:INTERFACE)\n");
        fabric_describe("ofi", hlrc_info_device_print);
    }
}

static void hlrc_info_size_text(uint64_t bytes, char *buf, size_t len)
{
    if (bytes == UINT64_MAX)
        snprintf(buf, len, "unlimited");
    else if (bytes >= UINT64_C(1) << 30)
        snprintf(buf, len, "%.1f GiB", (double)bytes / (1 << 30));
    else
        snprintf(buf, len, "%.1f MiB", (double)bytes / (1 << 20));
}

static uint64_t hlrc_info_limit_value(__rlimit_resource_t resource)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
                                                                              : limit.rlim_cur;
}

static void hlrc_info_cores_print(const struct config *cfg)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) < 0 ? 0 : CPU_COUNT(&cores);

    if (count >= cfg->nodes)
        printf("  %-17s %-12d enough: a core for each node\n", "cores", count);
    else
        printf("  %-17s %-12d few: %d nodes share them\n", "cores", count, cfg->nodes);
}

/* The size of the space, or the size that auto would choose with one node on this machine. */
static uint64_t hlrc_info_space_of(const struct config *cfg)
{
    struct config_memory_limit limit;

    config_memory_whole("", &limit);
    return cfg->memory != 0 ? cfg->memory : limit.bytes;
}

/* Continues an explanation of a limit in the next line, in its column. */
#define HLRC_INFO_NEXT "\n                                 "

static void hlrc_info_memory_print(const struct config *cfg)
{
    struct config_memory_limit limit;
    char text[32], space[32];

    config_memory_limit("", &limit);
    hlrc_info_size_text(limit.bytes, text, sizeof text);
    if (cfg->memory == 0) {
        hlrc_info_size_text(hlrc_info_space_of(cfg), space, sizeof space);
        printf("  %-17s %-12s available (%s); the shared space" HLRC_INFO_NEXT
               "has %s of addresses\n",
               "memory", text, limit.what, space);
        return;
    }
    printf("  %-17s %-12s %s (%s)\n", "memory", text,
           cfg->memory > limit.bytes ? "too little for --memory"
           : cfg->memory > limit.bytes / (unsigned)cfg->nodes
               ? "enough, unless every node touches all of it"
               : "enough",
           limit.what);
}

static void hlrc_info_mappings_print(const struct config *cfg)
{
    unsigned long long most = procfs_number("/proc/sys/vm/max_map_count", 0),
                       pages = hlrc_info_space_of(cfg) / (uint64_t)sysconf(_SC_PAGESIZE);

    printf("  %-17s %-12llu %s\n", "vm.max_map_count", most,
           most > pages ? "enough for any pattern of page states"
                        : "enough, unless the states of neighbouring pages" HLRC_INFO_NEXT
                          "alternate; raising it avoids refetching then");
}

static void hlrc_info_limits_print(const struct config *cfg)
{
    char memory[32], text[32];
    uint64_t memlock = hlrc_info_limit_value(RLIMIT_MEMLOCK),
             files = hlrc_info_limit_value(RLIMIT_NOFILE);

    printf("\nlimits, for %d node%s and --memory %s\n", cfg->nodes, cfg->nodes > 1 ? "s" : "",
           config_value(cfg, CONFIG_ID_memory, memory, sizeof memory));
    hlrc_info_cores_print(cfg);
    hlrc_info_memory_print(cfg);
    hlrc_info_mappings_print(cfg);
    hlrc_info_size_text(memlock, text, sizeof text);
    printf("  %-17s %-12s %s\n", "memlock", text,
           memlock > hlrc_info_space_of(cfg) ? "enough"
           : strncmp(cfg->fabric, "shm", 3) == 0 || strcmp(cfg->fabric, "auto") == 0
               ? "enough for shm; verbs needs more than --memory" HLRC_INFO_NEXT "(ulimit -l)"
               : "too little for --memory, which verbs locks as" HLRC_INFO_NEXT
                 "it is used (ulimit -l)");
    hlrc_info_size_text(hlrc_info_limit_value(RLIMIT_AS), text, sizeof text);
    printf("  %-17s %-12s %s\n", "address space", text,
           hlrc_info_limit_value(RLIMIT_AS) / 2 > cfg->memory
               ? "enough"
               : "too little: each node maps --memory twice" HLRC_INFO_NEXT "(ulimit -v)");
    printf("  %-17s %-12llu %s\n", "open files", (unsigned long long)files,
           files >= 1024 ? "enough" : "few (ulimit -n)");
}

/* Prints whether a job with these options can run here; returns 0 or 1. */
static int hlrc_info_all_print(const struct config *cfg)
{
    char err[CONFIG_ERROR_MAX];
    int suits;

    hlrc_info_build_print();
    hlrc_info_fabrics_print();
    hlrc_info_devices_print();
    printf("\noptions\n");
    config_list(stdout, cfg);
    hlrc_info_limits_print(cfg);
    suits = config_check_memory(cfg, err, sizeof err);
    fflush(stdout);
    if (suits != 0)
        fprintf(stderr, "hlrc_info: %s\n", err);
    return suits < 0;
}

int main(int argc, char **argv)
{
    static struct config cfg;
    char err[CONFIG_ERROR_MAX];
    struct options options;
    int ret, status = 0;

    config_ask_fabrics(fabric_probe);
    ret = options_parse(argc, argv, &cfg, &options, err, sizeof err);
    options_free(&options);
    if (ret == 0 && options.resize) {
        snprintf(err, sizeof err, "--resize: only hlrcrun does it");
        ret = -EINVAL;
    }
    if (ret == 0 && !options.help && !options.version && !options.man)
        ret = config_resolve(&cfg, err, sizeof err);
    if (ret == 0)
        ret = config_check_job(&cfg, err, sizeof err);
    if (ret < 0) {
        fprintf(stderr, "hlrc_info: %s\n", err);
        return 2;
    }
    if (options.help)
        hlrc_info_help_print();
    else if (options.version)
        printf("hlrc_info %s\n", PACKAGE_VERSION);
    else if (options.man)
        manual_hlrc_info(stdout);
    else
        status = hlrc_info_all_print(&cfg);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "hlrc_info: standard output: %s; free some room\n", strerror(errno));
    return 1;
}
