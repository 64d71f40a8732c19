/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables that the C library and libm keep for the process: what a function of the library, or
 * the program, has stored on one node is read on all others. */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <locale.h>
#include <math.h>
#include <obstack.h>
#include <regex.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static volatile double small = -0.5;
static int setter; /* the thread that stores */

static void failed(void)
{
    printf("no memory for an obstack\n");
}

static void names(void)
{
    printf("this program\n");
}

static void shows(const char *reader)
{
    printf("%s: sign %d, option %d %d %d %s, zone %ld %d %s %s", reader, signgam, optind, opterr,
           optopt, optarg ? optarg : "none", timezone, daylight, tzname[0], tzname[1]);
    printf(", errors %u %d %d, program %d %s", error_message_count, error_one_per_line,
           error_print_progname == names, strncmp(program_invocation_name, "?", 1) == 0,
           strncmp(program_invocation_short_name, "variables", 9) == 0
               ? "variables"
               : program_invocation_short_name);
    printf(", argp %d %s %s %d", argp_err_exit_status,
           argp_program_version ? argp_program_version : "none",
           argp_program_bug_address ? argp_program_bug_address : "none",
           argp_program_version_hook != NULL);
    printf(", others %d %d %d %lx\n", getdate_err, obstack_exit_failure,
           obstack_alloc_failed_handler == failed, (unsigned long)re_syntax_options);
}

static void version(FILE *to, struct argp_state *state)
{
    (void)to, (void)state;
}

static void *stores(void *arg)
{
    static char *words[] = { "program", "-b", "beta", "-c", NULL };
    (void)lgamma(small);
    optind = 1;
    opterr = 0;
    while (getopt(4, words, "b:") != -1)
        if (optarg)
            printf("argument %s\n", optarg);
    setenv("TZ", setter ? "ABC+5DEF" : "GHI-3", 1);
    tzset();
    error_one_per_line = 1;
    error_print_progname = names;
    for (int i = 0; i < 2; i++)
        error_at_line(0, 0, "file", 7 + i / 2, "%d", i);
    program_invocation_name = "?program";
    program_invocation_short_name = "renamed";
    argp_err_exit_status = 40 + setter;
    argp_program_version = "version 2";
    argp_program_bug_address = "nobody@localhost";
    argp_program_version_hook = version;
    (void)getdate("nothing");
    obstack_exit_failure = 7;
    obstack_alloc_failed_handler = failed;
    re_set_syntax(setter ? RE_SYNTAX_POSIX_EXTENDED : RE_SYNTAX_POSIX_BASIC);
    return arg;
}

static void *reads(void *arg)
{
    (void)arg;
    shows("thread");
    return NULL;
}

/* Names of zones are readable on all nodes for good. */
static const char *zone;

static void *tells_time(void *arg)
{
    static _Thread_local struct tm own;
    time_t when = 0;
    if (zone)
        printf("before %s, ", zone);
    localtime_r(&when, &own);
    printf("local %d %s", own.tm_hour, own.tm_zone);
    own.tm_isdst = -1;
    when = mktime(&own);
    zone = own.tm_zone;
    printf(", made %ld %s %ld, zone %s\n", (long)when, own.tm_zone, own.tm_gmtoff, tzname[0]);
    return arg;
}

/* A stream variable that main has set. */
static void *writes(void *arg)
{
    fprintf(stdout, "to the variable\n");
    printf("the other way\n");
    return arg;
}

static void streams(void)
{
    FILE *file = tmpfile(), *out = stdout;
    fflush(stdout);
    stdout = file;
    run_everywhere(writes);
    stdout = out;
    printf("in the file %ld\n", ftell(file));
    fclose(file);
    run_everywhere(writes);
}

/* Each node's C library sets its zone by these. */
static void *universal(void *arg)
{
    struct tm t = { .tm_year = 70, .tm_mday = 3 };
    char text[40] = "";
    strftime_l(text, sizeof text, "%H", &t, newlocale(LC_ALL_MASK, "C", NULL));
    printf("%s %s", text, tzname[0]);
    printf(" %ld", (long)timegm(&t));
    printf(" %d %s %s\n", gmtime_r(&(time_t){ 86400 }, &t)->tm_mday, t.tm_zone, tzname[1]);
    setenv("TZ", arg ? "JST-9" : "EST5EDT", 1);
    memset(&t, 0, sizeof t);
    printf("%d", strptime("100000", "%s", &t) != NULL);
    printf(" %d %s %s\n", t.tm_hour, tzname[0], tzname[1]);
    return arg;
}

int main(void)
{
    run_everywhere(universal);
    setenv("TZ", "CET-1CEST", 1);
    tzset();
    shows("main");
    run_everywhere(reads);
    run_everywhere(tells_time);
    for (setter = 0; setter < THREADS; setter++) {
        run_in(stores, NULL);
        shows("main");
        run_everywhere(reads);
        run_everywhere(tells_time);
    }
    signgam = 5; /* by the program */
    optind = 3;
    run_everywhere(reads);
    streams();
    return 0;
}
