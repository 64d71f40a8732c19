/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/topology.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_HWLOC
#    include <hwloc.h>

#    include "base/digest.h"

/* hwloc's plug-ins search for devices, which takes ten times as long as finding the cores. Where a
 * container has no /sys, hwloc would print a line, and the CPUs are bound by number. */
static const struct {
    const char *name, *value;
} quick[] = { { "HWLOC_COMPONENTS", "linux,stop" },
              { "HWLOC_PLUGINS_PATH", "/nowhere" },
              { "HWLOC_HIDE_ERRORS", "2" } };

enum { QUICK = sizeof quick / sizeof *quick };

static bool topology_user_describes(void)
{
    static const char *const names[] = { "HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT",
                                         "HWLOC_COMPONENTS" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return true;
    return false;
}

static bool launch_topology_load(hwloc_topology_t *out)
{
    bool set[QUICK] = { false }, whole = topology_user_describes();

    for (size_t i = 0; i < QUICK && !whole; i++)
        set[i] = getenv(quick[i].name) == NULL && setenv(quick[i].name, quick[i].value, 1) == 0;
    bool begun = hwloc_topology_init(out) == 0, done = begun && hwloc_topology_load(*out) == 0;
    if (begun && !done)
        hwloc_topology_destroy(*out);
    for (size_t i = 0; i < QUICK; i++)
        if (set[i])
            unsetenv(quick[i].name); /* not for the nodes */
    return done;
}

/* False if a CPU's number is too high for a set. */
static bool topology_set_of(hwloc_const_bitmap_t bitmap, cpu_set_t *set)
{
    CPU_ZERO(set);
    if (hwloc_bitmap_last(bitmap) >= CPU_SETSIZE)
        return false;
    for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu))
        CPU_SET((size_t)cpu, set);
    return true;
}

static void topology_core_add(struct topology *t, hwloc_obj_t object, const cpu_set_t *allowed)
{
    struct topology_core *core = &t->core[t->cores];

    if (t->cores == CORES_MAX || !topology_set_of(object->cpuset, &core->cpus))
        return;
    if (!t->described)
        CPU_AND(&core->cpus, &core->cpus, allowed); /* bind.h */
    core->numa = object->nodeset != NULL ? hwloc_bitmap_first(object->nodeset) : 0;
    t->cores += CPU_COUNT(&core->cpus) > 0;
}

static bool topology_by_hwloc(struct topology *t, const cpu_set_t *allowed)
{
    hwloc_topology_t all;

    if (!launch_topology_load(&all))
        return false;
    int cores = hwloc_get_nbobjs_by_type(all, HWLOC_OBJ_CORE);
    hwloc_obj_type_t type = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    const char *synthetic = getenv("HWLOC_SYNTHETIC");

    t->described = !hwloc_topology_is_thissystem(all);
    if (t->described)
        t->identity = synthetic != NULL ? digest_add(DIGEST_START, synthetic, strlen(synthetic))
                                        : DIGEST_START;
    t->numas = hwloc_get_nbobjs_by_type(all, HWLOC_OBJ_NUMANODE);
    for (hwloc_obj_t at = NULL; (at = hwloc_get_next_obj_by_type(all, type, at)) != NULL;)
        topology_core_add(t, at, allowed);
    hwloc_topology_destroy(all);
    return t->cores > 0;
}
#else
static bool topology_by_hwloc(struct topology *t, const cpu_set_t *allowed)
{
    (void)t, (void)allowed;
    return false;
}
#endif

static void topology_by_number(struct topology *t, const cpu_set_t *allowed)
{
    t->numas = 1;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, allowed)) {
            struct topology_core *core = &t->core[t->cores++];

            CPU_ZERO(&core->cpus);
            CPU_SET(cpu, &core->cpus);
            core->numa = 0;
        }
}

void topology_load(struct topology *t)
{
    cpu_set_t allowed; /* affinity mask of this process, limited by its control group */

    t->cores = 0;
    t->numas = 1;
    t->described = false;
    t->identity = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        CPU_ZERO(&allowed);
    if (!topology_by_hwloc(t, &allowed)) {
        t->cores = 0;
        t->described = false;
        t->identity = 0;
        topology_by_number(t, &allowed);
    }
}
