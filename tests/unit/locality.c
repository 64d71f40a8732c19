/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which nodes share memory, and what a job is told of which some do not. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "fabric/locality.h"
#include "tests/unit/unit.h"

static struct locality here(void)
{
    struct locality w;
    locality_here(&w);
    return w;
}

static void test_here(void)
{
    struct locality a = here(), b = here();
    assert_int_equal(strlen(a.boot_id), 36);
    assert_true(a.pid_namespace != 0 && a.ipc_namespace != 0 && a.host[0] != '\0');
    assert_null(locality_apart(&a, &b));
}

static void test_names_prove_nothing(void)
{
    struct locality a = here(), b = here();
    strcpy(b.host, "another");
    assert_null(locality_apart(&a, &b));
    b = here();
    b.boot_id[0] = b.boot_id[0] == '0' ? '1' : '0';
    assert_string_equal(locality_apart(&a, &b), "they run on different machines");
}

static void test_each_reason(void)
{
    struct locality a = here(), b = a;
    b.pid_namespace++;
    assert_non_null(strstr(locality_apart(&a, &b), "PID namespaces"));
    b = a;
    b.ipc_namespace++;
    assert_non_null(strstr(locality_apart(&a, &b), "IPC namespaces"));
    b = a;
    b.shm_device++;
    assert_non_null(strstr(locality_apart(&a, &b), "/dev/shm"));
    b = a;
    b.user++;
    assert_non_null(strstr(locality_apart(&a, &b), "different users"));
}

/* A job of three of which node `far` is elsewhere. Digests are exchanged first; where they differ
 * all of it, and then all wait for the end in a third exchange. */
static struct {
    int far, exchanges;
    char line[1024];
} job;

static int exchange(void *ctx, const void *mine, size_t len, void *all)
{
    (void)ctx;
    for (int n = 0; n < 3; n++)
        memcpy((char *)all + (size_t)n * len, mine, len);
    job.exchanges++;
    if (len == sizeof(uint64_t) && job.far >= 0)
        ((uint64_t *)all)[job.far]++;
    if (len == sizeof(struct locality) && job.far >= 0) {
        struct locality *far = (struct locality *)all + job.far;
        far->boot_id[0] = far->boot_id[0] == '0' ? '1' : '0';
        strcpy(far->host, "faraway");
    }
    return 0;
}

static void fail_line(const char *line)
{
    strcpy(job.line, line);
}

static int check(int node, int far)
{
    struct fabric_job j = { .node = node, .nodes = 3, .exchange = exchange, .fail = fail_line };
    job.far = far;
    job.exchanges = 0;
    job.line[0] = '\0';
    return locality_all_together(&j);
}

static void test_job(void)
{
    assert_int_equal(check(0, -1), 0);
    assert_string_equal(job.line, "");
    assert_int_equal(job.exchanges, 1);
    assert_int_equal(check(0, 2), -EXDEV);
    assert_non_null(strstr(job.line, "nodes 0 (host "));
    assert_non_null(
        strstr(job.line,
               " and 2 (host faraway) share no memory: they run on different machines; "));
    assert_non_null(strstr(job.line, "--fabric auto"));
    assert_int_equal(check(1, 2), -EXDEV); /* node 0 speaks */
    assert_string_equal(job.line, "");
    assert_int_equal(job.exchanges, 3);
}

/* Nodes of other machines share no core, those in other namespaces do. */
static void test_neighbours(void)
{
    int count = 0;
    for (int far = -1; far < 3; far++) {
        struct fabric_job j = { .node = 1, .nodes = 3, .exchange = exchange };
        job.far = far;
        job.exchanges = 0;
        assert_int_equal(locality_neighbours(&j, &count), 0);
        /* node 1 is here, whatever the others were told */
        assert_int_equal(count, far < 0 || far == 1 ? 3 : 2);
    }
}

UNIT_MAIN(NULL, NULL, TEST(test_here), TEST(test_names_prove_nothing), TEST(test_each_reason),
          TEST(test_job), TEST(test_neighbours))
