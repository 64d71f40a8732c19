/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Black box: hlrc_init_with. Five processes of one parent: the first three are a job, and so are
 * the last two, at the same time. They gather through memory that the parent has mapped. Each job
 * adds under a lock. The argument: a way in which the second node of the first job ends.
 */
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 5
#define ROOM      ((size_t)1 << 20)

static struct common {
    pthread_barrier_t barrier[2];
    char bytes[2][PROCESSES][ROOM];
} * common;

static struct part {
    int job, node, nodes;
} part;

static int gather(const void *mine, size_t bytes, void *all, void *arg)
{
    struct part *p = arg;
    if (bytes > ROOM)
        return 1;
    memcpy(common->bytes[p->job][p->node], mine, bytes);
    pthread_barrier_wait(&common->barrier[p->job]);
    for (int n = 0; n < p->nodes; n++)
        memcpy((char *)all + (size_t)n * bytes, common->bytes[p->job][n], bytes);
    pthread_barrier_wait(&common->barrier[p->job]);
    return 0;
}

static int run(const char *how)
{
    struct hlrc_exchange e = { sizeof e, part.node, part.nodes, gather, &part };
    if (part.job == 0 && part.node == 0) { /* nothing has begun after these */
        struct hlrc_exchange none = e, beyond = e;
        none.gather = NULL;
        beyond.node = beyond.nodes;
        if (hlrc_init_with(NULL) == 0 || hlrc_init_with(&none) == 0 || hlrc_init_with(&beyond) == 0)
            return 4;
    }
    if (hlrc_init_with(&e) != 0 || hlrc_node_id() != part.node || hlrc_node_count() != part.nodes)
        return 5;
    long *sum = hlrc_malloc_all(sizeof *sum);
    for (int i = 0; i < 100; i++) {
        hlrc_lock(0);
        *sum += part.job + 1;
        hlrc_unlock(0);
    }
    hlrc_barrier();
    long want = 100L * part.nodes * (part.job + 1), got = *sum;
    if (how && part.job == 0 && part.node == 1) {
        if (strcmp(how, "exit") == 0)
            _exit(3);
        if (strcmp(how, "kill") == 0)
            abort();
        hlrc_unlock(7); /* not held */
    }
    if (how && part.job == 0)
        hlrc_barrier(); /* for ever */
    hlrc_finalize();
    return got == want ? 0 : 6;
}

int main(int argc, char **argv)
{
    pthread_barrierattr_t shared;
    pid_t pid[PROCESSES];
    int bad = 0;
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED || pthread_barrierattr_init(&shared) != 0 ||
        pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) != 0)
        return 2;
    for (int j = 0; j < 2; j++)
        if (pthread_barrier_init(&common->barrier[j], &shared, j ? 2 : 3) != 0)
            return 2;
    for (int i = 0; i < PROCESSES; i++) {
        pid[i] = fork();
        if (pid[i] != 0)
            continue;
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        part = (struct part){ i > 2, i % 3, i > 2 ? 2 : 3 };
        _exit(run(argc > 1 ? argv[1] : NULL));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status, failed = argc > 1 && i < 3;
        if (pid[i] < 0 || waitpid(pid[i], &status, 0) < 0)
            return 2;
        if ((status != 0) != failed) {
            fprintf(stderr, "process %d: status %#x\n", i, (unsigned)status);
            bad = 1;
        }
    }
    puts(bad ? "wrong" : "right");
    return bad;
}
