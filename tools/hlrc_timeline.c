/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hlrc_timeline - joins the records of all nodes to the file of --trace. hlrcrun runs it, or node 0
 * under another launcher (hlrc/report/timeline_tool.h). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/limits.h"
#include "tools/timeline_json.h"
#include "tools/usage.h"

#define USAGE                                                                          \
    "usage: hlrc_timeline [--failed] FILE RECORDS-OF-NODE-0 [RECORDS-OF-NODE-1 ...]\n" \
    "hlrc_timeline(1) says what it reads.\n"

static struct timeline_read_memory hlrc_timeline_map(const char *name)
{
    struct timeline_read_memory memory = { NULL, 0 };
    struct stat st;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
        return memory;
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (at != MAP_FAILED)
        memory = (struct timeline_read_memory){ at, (size_t)st.st_size };
    return memory;
}

int main(int argc, char **argv)
{
    static struct timeline_read_memory memory[NODES_MAX];
    static struct timeline_read_all all;
    bool failed = argc > 1 && strcmp(argv[1], "--failed") == 0;
    char **file = argv + 1 + failed, **parts = file + 1;
    int nodes = argc - 2 - failed;
    if (usage_asked(argc, argv, "hlrc_timeline", USAGE))
        return fflush(stdout) == 0 ? 0 : 1;
    if (nodes < 1 || nodes > NODES_MAX || **file == '-') {
        fputs(USAGE, stderr);
        return 2;
    }
    for (int n = 0; n < nodes; n++)
        memory[n] = hlrc_timeline_map(parts[n]);
    clock_choose();
    int rc = timeline_read(&all, memory, nodes, clock_both());
    if (rc == 0)
        rc = timeline_json_write(&all, *file, !failed);
    if (rc)
        diag_warn("--trace %s: cannot write the timeline: %s; give a file in a directory that can "
                  "be written and has room",
                  *file, strerror(-rc));
    return rc ? 1 : 0;
}
