/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "microbench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json.h"

/* ---- The JSON file --------------------------------------------------------------------------- */

static FILE *file;
static bool first = true; /* the next member of an object or array is its first */

static void file_open(void)
{
    if (bench.json == NULL)
        return;
    file = fopen(bench.json, "we");
    if (file == NULL)
        bench_fail(1, "--json %s: %s", bench.json, strerror(errno));
    bench_json_begin(NULL, '{');
}

/* Begins a member, whose value the caller writes. Returns false without a file. */
static bool member(const char *name)
{
    if (file == NULL)
        return false;
    fputs(first ? "" : ", ", file);
    if (name != NULL)
        fprintf(file, "\"%s\": ", name);
    first = false;
    return true;
}

void bench_json_begin(const char *name, char bracket)
{
    if (member(name))
        fputc(bracket, file);
    first = true;
}

void bench_json_end(char bracket)
{
    if (file != NULL)
        fputc(bracket, file);
    first = false;
}

void bench_json_string(const char *name, const char *value)
{
    if (member(name))
        json_put_string(&(struct json){ .out = file }, NULL, value);
}

/* JSON has no NaN or infinity: writes null. */
void bench_json_number(const char *name, double value)
{
    if (member(name))
        fprintf(file, isfinite(value) ? "%.9g" : "null", value);
}

static void json_figures(const struct bench_stat *stat)
{
    bench_json_number("median", stat->median);
    bench_json_number("min", stat->min);
    bench_json_number("max", stat->max);
    bench_json_number("mean", stat->mean);
    bench_json_number("count", (double)stat->count);
    bench_json_number("p10", stat->p10);
    bench_json_number("p50", stat->p50);
    bench_json_number("p90", stat->p90);
    bench_json_number("p99", stat->p99);
    bench_json_number("p999", stat->p999);
    bench_json_begin("histogram", '[');
    for (size_t i = 0; i < BENCH_BUCKETS; i++) {
        if (stat->log2[i] == 0)
            continue;
        bench_json_begin(NULL, '[');
        bench_json_number(NULL, bench_bucket_from(i));
        bench_json_number(NULL, (double)stat->log2[i]);
        bench_json_end(']');
    }
    bench_json_end(']');
}

void bench_json_stat(const char *name, const struct bench_stat *stat)
{
    bench_json_begin(name, '{');
    json_figures(stat);
    bench_json_end('}');
}

/* Names and values in turn; text that is no number becomes a string. */
static void json_shape(const char *shape)
{
    char text[400], *rest = text, *end;
    const char *name, *value;

    snprintf(text, sizeof text, "%s", shape);
    while ((name = strsep(&rest, " ")) != NULL && (value = strsep(&rest, " ")) != NULL) {
        double number = strtod(value, &end);
        if (*value != '\0' && *end == '\0')
            bench_json_number(name, number);
        else
            bench_json_string(name, value);
    }
}

/* ---- Programs without figures ---------------------------------------------------------------- */

void bench_begin_rows(const char *unit)
{
    file_open();
    printf("%-22s %10s %10s %10s  in %s\n", "", "median", "min", "max", unit);
}

void bench_row_print(const char *name, struct bench_stat stat, const char *what)
{
    printf("%-22s %10.3f %10.3f %10.3f  %s\n", name, stat.median, stat.min, stat.max, what);
}

void bench_row(const char *name, const char *unit, struct bench_stat stat, const char *what)
{
    char key[64];

    bench_row_print(name, stat, what);
    snprintf(key, sizeof key, "%s_%s", name, unit);
    bench_json_stat(key, &stat);
}

/* ---- Program and machine --------------------------------------------------------------------- */

/* Processor name from the kernel, or an empty string. */
static void cpu_model(char model[256])
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    char line[256];

    model[0] = '\0';
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "model name : %255[^\n]", model) == 1)
            break;
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
    cpu_model(model);
    bench_json_begin("machine", '{');
    bench_json_string("name", system.nodename);
    bench_json_string("architecture", system.machine);
    bench_json_string("cpu", model);
    bench_json_number("cores", cores > 0 ? (double)cores : 1);
    bench_json_end('}');
    bench_json_string("kernel", system.release);
    bench_json_number("load", load_now());
    printf("machine %s, %ld cores, Linux %s, load %.2f\n", system.nodename, cores, system.release,
           load_now());
}

void bench_begin(const char *fabric, int nodes, const char *about)
{
    file_open();
    bench_json_string("benchmark", program_invocation_short_name);
    bench_json_string("version", PACKAGE_VERSION);
    printf("%s of hlrc %s\n", program_invocation_short_name, PACKAGE_VERSION);
    tell_machine();
    bench_json_string("fabric", fabric);
    bench_json_number("nodes", nodes);
    json_shape(about);
    printf("fabric %s, nodes %d%s%s\n", fabric, nodes, *about != '\0' ? " " : "", about);
    bench_json_number("warmup", (double)bench.warmup);
    bench_json_number("repetitions", (double)bench.repetitions);
    bench_json_number("seconds", bench.seconds);
    bench_json_number("clock_ns", bench_clock_cost());
    printf("a reading of the clock, taken off each sample: %.0f ns\n\n", bench_clock_cost());
    printf("%-24s %-7s %10s %10s %10s %10s %7s\n", "", "unit", "median", "min", "p99", "max",
           "samples");
    bench_json_begin("results", '[');
}

void bench_result(const char *name, const char *unit, const char *shape,
                  const struct bench_stat *stat, void (*more)(void))
{
    printf("%-24s %-7s %10.3f %10.3f %10.3f %10.3f %7zu %s\n", name, unit, stat->median, stat->min,
           stat->p99, stat->max, stat->count, shape);
    bench_json_begin(NULL, '{');
    bench_json_string("name", name);
    bench_json_string("unit", unit);
    json_shape(shape);
    bench_json_number("load", load_now());
    json_figures(stat);
    if (more != NULL)
        more();
    bench_json_end('}');
    if (file != NULL)
        fputc('\n', file);
    fflush(stdout);
}

const char *bench_shape(const char *format, ...)
{
    static char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

void bench_report(const char *name, const char *unit, bench_once *once, const char *shape)
{
    if (!bench_wants(name))
        return;
    struct bench_stat stat = bench_measure(once);
    bench_result(name, unit, shape, &stat, NULL);
}

void bench_end(void (*more)(void))
{
    if (bench.program->figures != NULL)
        bench_json_end(']');
    if (more != NULL)
        more();
    if (file == NULL)
        return;
    fputs("}\n", file);
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad)
        bench_fail(1, "--json %s: %s", bench.json, strerror(errno));
    file = NULL;
}
