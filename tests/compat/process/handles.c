/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles of dlopen of one node, which threads of others use. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static void *math, *database, *self;

static int adds(int a, int b)
{
    return a + b;
}
int (*exported)(int, int) = adds; /* of the program, for dlsym(NULL) */

static void *opens(void *arg)
{
    if (!arg) {
        errno = 0;
        math = dlopen("libm.so.6", RTLD_NOW);
        printf("error %d\n", errno);
        self = dlopen(NULL, RTLD_NOW);
    }
    double (*cosine)(double) = (double (*)(double))dlsym(math, "cos");
    printf("opened %d, cos %.3f\n", math != NULL, cosine ? cosine(0.5) : -1);
    printf("program %d, next %d\n", dlsym(self, "exported") == (void *)&exported,
           dlsym(RTLD_NEXT, "puts") != NULL);
    return arg;
}

static void *uses(void *arg)
{
    struct link_map *map = NULL;
    int rc = dlinfo(database, RTLD_DI_LINKMAP, &map);
    printf("info %d %s", rc, rc == 0 ? strrchr(map->l_name, '/') + 1 : dlerror());
    printf(" known %d", dlsym(database, "td_init") != NULL);
    printf(" unknown %d", dlsym(database, "no_such_name") != NULL);
    printf(" error %d\n", dlerror() != NULL);
    return arg;
}

static void *closes(void *arg)
{
    printf("closed %d\n", dlclose(database));
    database = dlopen("libthread_db.so.1", RTLD_LAZY);
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    run_everywhere(opens);
    database = dlopen("libthread_db.so.1", RTLD_LAZY);
    run_everywhere(uses);
    run_everywhere(closes);
    run_everywhere(uses);
    printf("none %d %s\n", dlopen("no_such_library.so", RTLD_NOW) == NULL, dlerror());
    return 0;
}
