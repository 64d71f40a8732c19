/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where threads are: each says the number of its node, in the order of their creation. With an
 * argument: how many can be at once, and that the next one is refused. */
#include <hlrc.h>

#include "common.h"

static int where[8];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *tells(void *arg)
{
    where[(long)arg] = hlrc_node_id();
    return NULL;
}

static void *waits(void *arg)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return arg;
}

static int fill(void)
{
    static pthread_t t[2000];
    int n = 0, rc = 0;
    pthread_mutex_lock(&gate);
    while (n < 2000 && (rc = pthread_create(&t[n], NULL, waits, NULL)) == 0)
        n++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < n; i++)
        EXPECT(pthread_join(t[i], NULL) == 0);
    printf("%d, then %s\n", n, rc == EAGAIN ? "EAGAIN" : "another error");
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return fill();
    with_threads(8, tells);
    for (int i = 0; i < 8; i++)
        printf("%d%s", where[i], i < 7 ? " " : "\n");
    return 0;
}
