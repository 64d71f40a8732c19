/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layers.c - see layers.h. */
#include "compat/start/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/start/image.h"

#define LAYERS_MOST 4
static const struct start_layer *layers[LAYERS_MOST], *layer;
static size_t count;
static bool taken[LAYERS_MOST];

static int nodes_asked;
static const char *shares; /* such a function, NULL: none */
static bool forks;
static char why_not[512]; /* empty: nothing */

void start_register(const struct start_layer *above)
{
    if (count == LAYERS_MOST)
        start_fail("more than %d layers", LAYERS_MOST);
    layers[count++] = above;
}

const struct start_layer *layers_chosen(void)
{
    return layer;
}

static void layers_look_at_name(const char *name, bool copied, size_t bytes)
{
    (void)copied, (void)bytes;
    for (size_t i = 0; i < count; i++)
        taken[i] |= layers[i]->takes(name);
}

/* In one process threads need no layer. */
static void layers_take(void)
{
    layer = NULL;
    for (size_t i = 0; i < count; i++) {
        if (taken[i] && layer && nodes_asked > 1 && !*why_not)
            snprintf(why_not, sizeof why_not,
                     "this program uses %s and %s: threads of only one can run on other nodes",
                     layer->name, layers[i]->name);
        if (taken[i] && (!layer || layer->threads))
            layer = layers[i];
    }
    for (size_t i = 0; i < count && !layer; i++)
        if (!layers[i]->threads)
            layer = layers[i];
}

bool layers_sets_handlers(const char *name)
{
    static const char *const setters[] = { "sigaction",  "signal",  "__sysv_signal",
                                           "bsd_signal", "ssignal", "sysv_signal",
                                           "sigset" };
    static const char prefix[] = "__wrap_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++)
        if (strcmp(name + sizeof prefix - 1, setters[i]) == 0)
            return true;
    return false;
}

/* Sets an option if the program sets signal handlers. */
static void layers_look_for_handlers(const char *name)
{
    if (layers_sets_handlers(name) || strcmp(name, "__wrap_pthread_cancel") == 0)
        (void)setenv("HLRC_SIGNALS", "mask", 0);
}

/* A forked process stores to none of the job's memory (fork.c). */
static void layers_look_for_processes(const char *name)
{
    static const char *const sharers[] = {
        "pthread_mutexattr_setpshared",
        "pthread_condattr_setpshared",
        "pthread_rwlockattr_setpshared",
        "pthread_barrierattr_setpshared",
    };
    forks |= strcmp(name, "__wrap_fork") == 0;
    for (size_t i = 0; i < sizeof sharers / sizeof sharers[0]; i++)
        if (strcmp(name, sharers[i]) == 0)
            shares = sharers[i];
}

static void layers_look_for_obstacle(const char *name, bool copied, size_t bytes)
{
    const char *why = layer ? layer->refuse(name, nodes_asked) : NULL;
    layers_look_for_handlers(name);
    layers_look_for_processes(name);
    if (!why && nodes_asked > 1 && copied && bytes > sizeof(void *))
        why = "is a library's variable in the program's own data; compile all of the program with "
              "hlrcc";
    if (why && !*why_not)
        snprintf(why_not, sizeof why_not, "%s %s", name, why);
}

const char *layers_choose(int nodes)
{
    nodes_asked = nodes;
    *why_not = '\0';
    image_each_needed(layers_look_at_name);
    layers_take();
    image_each_needed(layers_look_for_obstacle);
    if (nodes > 1 && forks && shares && !*why_not)
        snprintf(why_not, sizeof why_not,
                 "%s and fork: processes share no locks with threads of several nodes", shares);
    return *why_not ? why_not : NULL;
}
