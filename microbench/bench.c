/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Time and statistics --------------------------------------------------------------------- */

uint64_t bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void bench_wait_until(uint64_t when)
{
    while (bench_now() < when)
        bench_relax();
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct bench_stat bench_stat(double *samples, size_t n)
{
    qsort(samples, n, sizeof(samples[0]), ascending);
    return (struct bench_stat){
        .median = (samples[n / 2] + samples[(n - 1) / 2]) / 2,
        .min = samples[0],
        .max = samples[n - 1],
    };
}

/* ---- Cores ----------------------------------------------------------------------------------- */

/* A number of the kernel's description of a CPU, -1 when there is none. */
static int topology(int cpu, const char *what)
{
    char path[128];
    int value = -1;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    if (fscanf(file, "%d", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

/* How good CPU is as the other core of FIRST: 0 is the same physical core. */
static int distance_rank(int first, int cpu)
{
    bool same_package =
        topology(first, "physical_package_id") == topology(cpu, "physical_package_id");
    bool same_core = same_package && topology(first, "core_id") == topology(cpu, "core_id");

    /* Where the kernel does not tell, every CPU is taken for a core of its own. */
    if (same_core && topology(first, "core_id") >= 0)
        return 0;
    return same_package ? 2 : 1;
}

int bench_cores(int core[2])
{
    cpu_set_t allowed;
    int found = 0, best = 0;

    core[0] = core[1] = 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &allowed))
            continue;
        if (found++ == 0) {
            core[0] = core[1] = cpu;
        } else if (distance_rank(core[0], cpu) > best) {
            best = distance_rank(core[0], cpu);
            core[1] = cpu;
        }
    }
    return core[0] == core[1] ? 1 : 2;
}

void bench_pin(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        bench_fail(1, "cannot run on core %d: %s", core, strerror(errno));
}

/* ---- Arguments and failure ------------------------------------------------------------------- */

error_t bench_option(int key, char *arg, struct argp_state *state, const char **json)
{
    if (key == 'j') {
        *json = arg;
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        argp_error(state, "%s: no argument is expected", arg);
    return ARGP_ERR_UNKNOWN;
}

unsigned long bench_number(const char *option, const char *text, unsigned long low,
                           unsigned long high)
{
    size_t length = strlen(text);
    unsigned long value = 0;
    bool good = length > 0 && length < 19 && strspn(text, "0123456789") == length;

    if (good)
        value = strtoul(text, NULL, 10);
    if (!good || value < low || value > high)
        bench_fail(2, "%s %s: not a number from %lu to %lu", option, text, low, high);
    return value;
}

void bench_fail(int status, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(status);
}

/* ---- Results --------------------------------------------------------------------------------- */

void bench_heading(const char *unit)
{
    printf("%-22s %10s %10s %10s  in %s\n", "", "median", "min", "max", unit);
}

void bench_row(const char *name, struct bench_stat stat, const char *what)
{
    printf("%-22s %10.3f %10.3f %10.3f  %s\n", name, stat.median, stat.min, stat.max, what);
}

static void json_name(struct bench_json *json, const char *name)
{
    fprintf(json->file, "%s\"%s\": ", json->first ? "" : ", ", name);
    json->first = false;
}

void bench_json_open(struct bench_json *json, const char *path)
{
    *json = (struct bench_json){ .path = path, .first = true };
    if (path == NULL)
        return;
    json->file = fopen(path, "we");
    if (json->file == NULL)
        bench_fail(1, "--json %s: %s", path, strerror(errno));
    fputc('{', json->file);
}

void bench_json_begin(struct bench_json *json, const char *name)
{
    if (json->file == NULL)
        return;
    json_name(json, name);
    fputc('{', json->file);
    json->first = true;
}

void bench_json_end(struct bench_json *json)
{
    if (json->file == NULL)
        return;
    fputc('}', json->file);
    json->first = false;
}

void bench_json_string(struct bench_json *json, const char *name, const char *value)
{
    if (json->file == NULL)
        return;
    json_name(json, name);
    fputc('"', json->file);
    for (; *value != '\0'; value++) {
        unsigned char c = (unsigned char)*value;
        if (c < 0x20)
            fprintf(json->file, "\\u%04x", c);
        else
            fprintf(json->file, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    fputc('"', json->file);
}

void bench_json_unsigned(struct bench_json *json, const char *name, uint64_t value)
{
    if (json->file == NULL)
        return;
    json_name(json, name);
    fprintf(json->file, "%llu", (unsigned long long)value);
}

void bench_json_double(struct bench_json *json, const char *name, double value)
{
    if (json->file == NULL)
        return;
    json_name(json, name);
    fprintf(json->file, "%.6g", value);
}

void bench_json_stat(struct bench_json *json, const char *name, struct bench_stat stat)
{
    bench_json_begin(json, name);
    bench_json_double(json, "median", stat.median);
    bench_json_double(json, "min", stat.min);
    bench_json_double(json, "max", stat.max);
    bench_json_end(json);
}

void bench_json_close(struct bench_json *json)
{
    if (json->file == NULL)
        return;
    fputs("}\n", json->file);
    bool bad = ferror(json->file) != 0;
    if (fclose(json->file) != 0 || bad)
        bench_fail(1, "--json %s: %s", json->path, strerror(errno));
    json->file = NULL;
}
