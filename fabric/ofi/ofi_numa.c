/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ofi_numa.c - how far an adapter is from this process; see ofi.h. */
#include "fabric/ofi/ofi.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* The first line of a file; false: there is none. */
static bool ofi_numa_read(const char *path, char *line, int len)
{
    FILE *f = fopen(path, "re");
    bool good = f && fgets(line, len, f);
    if (f)
        fclose(f);
    return good;
}

/* The NUMA node of the adapter; -1: unknown, as of an interface without a device. */
static int ofi_numa_node_of(const struct fi_info *info)
{
    const struct fi_bus_attr *bus = info->nic ? info->nic->bus_attr : NULL;
    char path[256], line[32];
    if (bus && bus->bus_type == FI_BUS_PCI)
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.%x/numa_node",
                 bus->attr.pci.domain_id, bus->attr.pci.bus_id, bus->attr.pci.device_id,
                 bus->attr.pci.function_id);
    else
        snprintf(path, sizeof path, "/sys/class/net/%.64s/device/numa_node",
                 info->domain_attr->name);
    return ofi_numa_read(path, line, sizeof line) ? atoi(line) : -1;
}

int ofi_numa_distance(const struct fi_info *info)
{
    unsigned cpu, here;
    int there = ofi_numa_node_of(info);
    char path[128], line[4096], *at = line;
    if (there < 0 || getcpu(&cpu, &here) != 0)
        return -1;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%u/distance", here);
    if (!ofi_numa_read(path, line, sizeof line))
        return -1;
    long distance = -1;
    for (int n = 0; n <= there; n++) {
        char *end;
        distance = strtol(at, &end, 10);
        if (end == at)
            return -1;
        at = end;
    }
    return (int)distance;
}
