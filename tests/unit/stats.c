/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What --stats prints, from figures that are all different: each is in its place, under its name
 * and its node, whatever the layout; the totals are sums of counts and averages of seconds; a file
 * is whole or not there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hlrc.h>

#include "hlrc/core/engine.h"
#include "hlrc/probe/stats.h"
#include "tests/stats_counters.h"
#include "tests/unit/unit.h"

static const struct counter_named seconds[] = {
    STATS_COUNTER(wall_s, 0),    STATS_COUNTER(compute_s, 0), STATS_COUNTER(page_s, 0),
    STATS_COUNTER(lock_s, 0),    STATS_COUNTER(barrier_s, 0), STATS_COUNTER(diff_s, 0),
    STATS_COUNTER(handler_s, 0), STATS_COUNTER(fault_s, 0),   STATS_COUNTER(kernel_s, 0),
};
enum {
    SECONDS = sizeof seconds / sizeof seconds[0],
    FIELDS = SECONDS + COUNTERS,
    MANY = HLRC_MAX_NODES
};

static const struct counter_named *field_at(int i)
{
    return i < SECONDS ? &seconds[i] : &counters[i - SECONDS];
}

static struct hlrc_stats stats[MANY];
static char folder[] = "/tmp/hlrc-stats-XXXXXX", path[64];

/* The greatest figure is neither the first node's nor the last one's. */
static int rank_of(int node, int nodes)
{
    return (node + nodes / 2) % nodes;
}

static double seconds_value(int field, int rank)
{
    return 100 * (field + 1) + rank + 0.125;
}

static uint64_t count_value(int field, int rank)
{
    return (uint64_t)(100000 * (field + 1) + rank);
}

static void fill(int nodes)
{
    memset(stats, 0, sizeof stats);
    for (int n = 0; n < nodes; n++)
        for (int i = 0; i < FIELDS; i++) {
            char *at = (char *)&stats[n] + field_at(i)->at;
            if (i < SECONDS)
                memcpy(at, &(double){ seconds_value(i, rank_of(n, nodes)) }, sizeof(double));
            else
                memcpy(at, &(uint64_t){ count_value(i, rank_of(n, nodes)) }, sizeof(uint64_t));
        }
}

/* What is to be read of a node, or, for node == nodes, of all. */
static void want(int field, int node, int nodes, int digits, char *text, size_t len)
{
    if (field < SECONDS && node < nodes)
        snprintf(text, len, "%.*f", digits, seconds_value(field, rank_of(node, nodes)));
    else if (field < SECONDS)
        snprintf(text, len, "%.*f", digits, seconds_value(field, 0) + (nodes - 1) / 2.0);
    else if (node < nodes)
        snprintf(text, len, "%ju", (uintmax_t)count_value(field, rank_of(node, nodes)));
    else
        snprintf(text, len, "%ju",
                 (uintmax_t)count_value(field, 0) * (uintmax_t)nodes +
                     (uintmax_t)nodes * (uintmax_t)(nodes - 1) / 2);
}

static char *file_text(const char *name)
{
    static char text[2 << 20];
    FILE *file = fopen(name, "re");
    size_t got;

    assert_non_null(file);
    got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(got < sizeof text - 1);
    text[got] = '\0';
    return text;
}

static char *print_to(const char *name, int nodes)
{
    fill(nodes);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(stats_print(stats, nodes, path), 0);
    return file_text(path);
}

/* ---- tables: lines of words ---- */

enum { LINES = 3 + FIELDS };
static char *lines[LINES];
static int line_count;

static void split_lines(char *text)
{
    line_count = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        assert_true(line_count < LINES);
        lines[line_count++] = line;
    }
}

/* Word number index of a line; "" behind its last. */
static const char *word(int line, int index)
{
    static char copies[4][64];
    static unsigned next;
    const char *at = lines[line] + strspn(lines[line], " ");
    char *copy = copies[next++ % 4];

    while (index-- > 0) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    snprintf(copy, sizeof copies[0], "%.*s", (int)strcspn(at, " "), at);
    return copy;
}

static void check_cell(int line, int index, int field, int node, int nodes)
{
    char text[32];

    want(field, node, nodes, 3, text, sizeof text);
    assert_string_equal(word(line, index), text);
}

/* Numbers stand under one another, so all lines are equally long. */
static void check_width(int first, int end)
{
    for (int i = first; i < end; i++)
        assert_int_equal(strlen(lines[i]), strlen(lines[first]));
}

/* Few nodes: a line per field, a column per node. */
static void check_by_node(int nodes)
{
    char number[16];

    for (int n = 0; n < nodes; n++) {
        snprintf(number, sizeof number, "%d", n);
        assert_string_equal(word(2, 2 * n), "node");
        assert_string_equal(word(2, 2 * n + 1), number);
    }
    assert_string_equal(word(2, 2 * nodes), "all");
    assert_int_equal(line_count, 3 + FIELDS);
    for (int i = 0; i < FIELDS; i++) {
        assert_string_equal(word(3 + i, 0), field_at(i)->name);
        for (int n = 0; n <= nodes; n++)
            check_cell(3 + i, 1 + n, i, n, nodes);
        assert_string_equal(word(3 + i, 2 + nodes), "");
    }
    check_width(2, line_count);
}

/* Many nodes: the first node of the least rank, and of the greatest, with their values. */
static void check_extremes(int nodes)
{
    char text[32];
    int least = nodes - nodes / 2, most = least - 1;

    assert_int_equal(line_count, 3 + FIELDS);
    for (int i = 0; i < FIELDS; i++) {
        int line = 3 + i;
        assert_string_equal(word(line, 0), field_at(i)->name);
        check_cell(line, 1, i, least, nodes);
        assert_int_equal(atoi(word(line, 2)), least);
        if (i < SECONDS)
            want(i, nodes, nodes, 3, text, sizeof text);
        else
            snprintf(text, sizeof text, "%.1f", (double)count_value(i, 0) + (nodes - 1) / 2.0);
        assert_string_equal(word(line, 3), text);
        check_cell(line, 4, i, most, nodes);
        assert_int_equal(atoi(word(line, 5)), most);
        check_cell(line, 6, i, nodes, nodes);
        assert_string_equal(word(line, 7), "");
    }
    check_width(2, line_count);
}

static void check_table(char *text, int nodes)
{
    char head[128];

    split_lines(text);
    snprintf(head, sizeof head, "hlrc: statistics: protocol async, fabric auto, %d node%s, %.3f s",
             nodes, nodes == 1 ? "" : "s", seconds_value(0, nodes - 1));
    assert_int_equal(strncmp(lines[0], head, strlen(head)), 0);
    assert_string_equal(word(1, 0), "hlrc:");
    if (nodes <= 4)
        check_by_node(nodes);
    else
        check_extremes(nodes);
    for (int i = 0; i < line_count; i++)
        assert_true(strlen(lines[i]) <= 80);
}

static void tables(void)
{
    static const int counts[] = { 1, 2, 3, 4, 5, 16, MANY };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check_table(print_to("table", counts[i]), counts[i]);
}

/* ---- JSON ---- */

static void squeeze(char *text)
{
    char *to = text;

    for (; *text != '\0'; text++)
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
    *to = '\0';
}

static void check_json(char *text, int nodes)
{
    char *wanted, value[32];
    size_t len;
    FILE *out = open_memstream(&wanted, &len);

    fprintf(
        out,
        "{\"protocol\":\"async\",\"fabric\":\"auto\",\"nodes\":%d,\"wall_s\":%.6f,\"per_node\":[",
        nodes, seconds_value(0, nodes - 1));
    for (int n = 0; n < nodes; n++) {
        fprintf(out, "%s{\"node\":%d", n > 0 ? "," : "", n);
        for (int i = 0; i < FIELDS; i++) {
            want(i, n, nodes, 6, value, sizeof value);
            fprintf(out, ",\"%s\":%s", field_at(i)->name, value);
        }
        fprintf(out, "}");
    }
    fprintf(out, "]}");
    fclose(out);
    squeeze(text);
    assert_string_equal(text, wanted);
    free(wanted);
}

static void json(void)
{
    check_json(print_to("1.json", 1), 1);
    check_json(print_to("9.json", 9), 9);
    check_json(print_to("many.json", MANY), MANY);
}

/* ---- values, places ---- */

/* Rounded to the nearest, with carry; what is below 0 by a clock's whim is 0. */
static void rounding(void)
{
    static const struct {
        double value;
        const char *table, *json;
    } cases[] = {
        { 1.9996, "2.000", "1.999600" },
        { 0.0004, "0.000", "0.000400" },
        { 59.9999996, "60.000", "60.000000" },
        { -0.5, "0.000", "0.000000" },
        { 12345.0625, "12345.063", "12345.062500" },
    };
    char wanted[64];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill(1);
        stats[0].lock_s = cases[i].value;
        snprintf(path, sizeof path, "%s/round", folder);
        assert_int_equal(stats_print(stats, 1, path), 0);
        split_lines(file_text(path));
        assert_string_equal(word(6, 0), "lock_s");
        assert_string_equal(word(6, 1), cases[i].table);
        snprintf(path, sizeof path, "%s/round.json", folder);
        assert_int_equal(stats_print(stats, 1, path), 0);
        snprintf(wanted, sizeof wanted, "\"lock_s\": %s,", cases[i].json);
        assert_non_null(strstr(file_text(path), wanted));
    }
}

static void to_stderr(const char *where)
{
    int saved = dup(STDERR_FILENO), fd;

    snprintf(path, sizeof path, "%s/stderr", folder);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && saved >= 0);
    fill(2);
    dup2(fd, STDERR_FILENO);
    int rc = stats_print(stats, 2, where);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(fd);
    assert_int_equal(rc, 0);
    check_table(file_text(path), 2);
}

static void standard_error(void)
{
    to_stderr("-");
    to_stderr("");
}

/* A file that is there is replaced, a link to it stays; what is no file is written to; nothing else
 * is left. */
static void places(void)
{
    char other[96], command[128];
    struct stat st;

    snprintf(other, sizeof other, "%s/a-link.json", folder);
    snprintf(path, sizeof path, "%s/many.json", folder);
    fill(2);
    assert_int_equal(stats_print(stats, 2, path), 0);
    assert_int_equal(symlink(path, other), 0);
    fill(1);
    assert_int_equal(stats_print(stats, 1, other), 0);
    check_json(file_text(path), 1);
    assert_int_equal(lstat(other, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stats_print(stats, 1, "/dev/null"), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    snprintf(other, sizeof other, "%s/none/x.json", folder);
    assert_int_equal(stats_print(stats, 1, other), -ENOENT);
    assert_int_equal(stats_print(stats, 1, folder), -EISDIR);
    snprintf(command, sizeof command, "! ls %s* | grep -q tmp", folder);
    assert_int_equal(system(command), 0);
}

/* What has the name of the temporary file, such as a link of another user, is not written to. */
static void temporary_name(void)
{
    char temporary[128], victim[96];

    snprintf(path, sizeof path, "%s/many.json", folder);
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    snprintf(victim, sizeof victim, "%s/victim", folder);
    assert_int_equal(symlink(victim, temporary), 0);
    fill(2);
    assert_int_equal(stats_print(stats, 2, path), 0);
    check_json(file_text(path), 2);
    assert_int_equal(access(victim, F_OK), -1);
    assert_int_equal(mkdir(temporary, 0700), 0); /* cannot be removed: written directly */
    fill(1);
    assert_int_equal(stats_print(stats, 1, path), 0);
    check_json(file_text(path), 1);
}

static void begin(void)
{
    config_default(&engine.config);
    engine.config.protocol = PROTOCOL_ASYNC;
    strcpy(folder, "/tmp/hlrc-stats-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void end(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

UNIT_MAIN(begin, end, TEST(tables), TEST(json), TEST(rounding), TEST(standard_error), TEST(places),
          TEST(temporary_name))
