/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- The JSON file --------------------------------------------------------------------------- */

static void json_name(struct bench_json *json, const char *name)
{
    fprintf(json->file, "%s", json->first ? "" : ", ");
    if (name != NULL)
        fprintf(json->file, "\"%s\": ", name);
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

void bench_json_array(struct bench_json *json, const char *name)
{
    if (json->file == NULL)
        return;
    json_name(json, name);
    fputs("[", json->file);
    json->first = true;
}

void bench_json_array_end(struct bench_json *json)
{
    if (json->file == NULL)
        return;
    fputs("]", json->file);
    json->first = false;
}

/* JSON has no NaN or infinity: writes null. */
void bench_json_double(struct bench_json *json, const char *name, double value)
{
    if (json->file == NULL)
        return;
    json_name(json, name);
    if (isfinite(value))
        fprintf(json->file, "%.9g", value);
    else
        fputs("null", json->file);
}

static void json_histogram(struct bench_json *json, const struct bench_stat *stat)
{
    bench_json_array(json, "histogram");
    for (size_t i = 0; i < BENCH_BUCKETS; i++) {
        if (stat->log2[i] == 0)
            continue;
        bench_json_array(json, NULL);
        bench_json_double(json, NULL, bench_bucket_from(i));
        bench_json_unsigned(json, NULL, stat->log2[i]);
        bench_json_array_end(json);
    }
    bench_json_array_end(json);
}

static void json_figures(struct bench_json *json, const struct bench_stat *stat)
{
    bench_json_double(json, "median", stat->median);
    bench_json_double(json, "min", stat->min);
    bench_json_double(json, "max", stat->max);
    bench_json_double(json, "mean", stat->mean);
    bench_json_unsigned(json, "count", stat->count);
    bench_json_double(json, "p10", stat->p10);
    bench_json_double(json, "p50", stat->p50);
    bench_json_double(json, "p90", stat->p90);
    bench_json_double(json, "p99", stat->p99);
    bench_json_double(json, "p999", stat->p999);
    json_histogram(json, stat);
}

void bench_json_stat(struct bench_json *json, const char *name, const struct bench_stat *stat)
{
    bench_json_begin(json, name);
    json_figures(json, stat);
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

/* ---- Tables of programs that do not use bench_begin ------------------------------------------ */

void bench_heading(const char *unit)
{
    printf("%-22s %10s %10s %10s  in %s\n", "", "median", "min", "max", unit);
}

void bench_row(const char *name, struct bench_stat stat, const char *what)
{
    printf("%-22s %10.3f %10.3f %10.3f  %s\n", name, stat.median, stat.min, stat.max, what);
}

/* ---- Program and machine --------------------------------------------------------------------- */

static struct bench_json file;

static void trim(char *line)
{
    line[strcspn(line, "\n")] = '\0';
}

/* Processor name from the kernel, or an empty string. */
static void cpu_model(char *model, size_t len)
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    char line[256];

    model[0] = '\0';
    while (in != NULL && model[0] == '\0' && fgets(line, sizeof line, in) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ')
            snprintf(model, len, "%s", colon + 2);
    }
    trim(model);
    if (in != NULL)
        fclose(in);
}

/* Load average of the last minute; -1 if unknown. */
static double load_now(void)
{
    double load = -1;

    return getloadavg(&load, 1) == 1 ? load : -1;
}

static void tell_machine(void)
{
    struct utsname system = { 0 };
    char model[256];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    (void)uname(&system);
    cpu_model(model, sizeof model);
    bench_json_begin(&file, "machine");
    bench_json_string(&file, "name", system.nodename);
    bench_json_string(&file, "architecture", system.machine);
    bench_json_string(&file, "cpu", model);
    bench_json_unsigned(&file, "cores", cores > 0 ? (uint64_t)cores : 1);
    bench_json_end(&file);
    bench_json_string(&file, "kernel", system.release);
    bench_json_double(&file, "load", load_now());
    printf("machine %s, %ld cores, Linux %s, load %.2f\n", system.nodename, cores, system.release,
           load_now());
}

static void tell_shape(const struct bench_shape *shape)
{
    for (; shape != NULL && shape->name != NULL; shape++) {
        if (shape->text != NULL)
            bench_json_string(&file, shape->name, shape->text);
        else
            bench_json_double(&file, shape->name, shape->value);
    }
}

static void print_shape(const struct bench_shape *shape)
{
    for (; shape != NULL && shape->name != NULL; shape++) {
        if (shape->text != NULL)
            printf(" %s %s", shape->name, shape->text);
        else
            printf(" %s %.10g", shape->name, shape->value);
    }
    putchar('\n');
}

void bench_begin(const char *fabric, int nodes, const struct bench_shape *about)
{
    bench_json_open(&file, bench.json);
    bench_json_string(&file, "benchmark", bench.program->name);
    bench_json_string(&file, "version", PACKAGE_VERSION);
    printf("%s of hlrc %s\n", bench.program->name, PACKAGE_VERSION);
    tell_machine();
    bench_json_string(&file, "fabric", fabric);
    bench_json_unsigned(&file, "nodes", (uint64_t)nodes);
    tell_shape(about);
    printf("fabric %s, nodes %d", fabric, nodes);
    print_shape(about);
    bench_json_unsigned(&file, "warmup", bench.warmup);
    bench_json_unsigned(&file, "repetitions", bench.repetitions);
    bench_json_double(&file, "seconds", bench.seconds);
    bench_json_double(&file, "clock_ns", bench_clock_cost());
    printf("a reading of the clock, taken off each sample: %.0f ns\n\n", bench_clock_cost());
    printf("%-24s %-7s %10s %10s %10s %10s %7s\n", "", "unit", "median", "min", "p99", "max",
           "samples");
    bench_json_array(&file, "results");
}

struct bench_json *bench_result_begin(const char *name, const char *unit,
                                      const struct bench_shape *shape,
                                      const struct bench_stat *stat)
{
    printf("%-24s %-7s %10.3f %10.3f %10.3f %10.3f %7zu", name, unit, stat->median, stat->min,
           stat->p99, stat->max, stat->count);
    print_shape(shape);
    bench_json_begin(&file, NULL);
    bench_json_string(&file, "name", name);
    bench_json_string(&file, "unit", unit);
    tell_shape(shape);
    bench_json_double(&file, "load", load_now());
    json_figures(&file, stat);
    return &file;
}

void bench_result_end(void)
{
    bench_json_end(&file);
    if (file.file != NULL)
        fputc('\n', file.file);
    fflush(stdout);
}

void bench_result(const char *name, const char *unit, const struct bench_shape *shape,
                  const struct bench_stat *stat)
{
    (void)bench_result_begin(name, unit, shape, stat);
    bench_result_end();
}

struct bench_json *bench_results_end(void)
{
    bench_json_array_end(&file);
    return &file;
}

void bench_end(void)
{
    bench_json_close(&file);
}
