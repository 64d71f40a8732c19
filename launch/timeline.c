/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/timeline.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "hlrc/report/timeline_json.h"
#include "launch/job.h"

static void timeline_memory_map(int fd, struct timeline_read_memory *memory)
{
    struct stat st;
    void *at;

    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
        return;
    at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED)
        *memory = (struct timeline_read_memory){ at, (size_t)st.st_size };
}

void timeline_keep(struct job *job)
{
    size_t nodes = (size_t)job->config->nodes;
    struct timeline_read_memory *memory;
    struct timeline_json_report report = { .config = job->config, .nodes = job->config->nodes };

    if (job->config->trace[0] == '\0')
        return;
    memory = calloc(nodes, sizeof *memory);
    if (memory == NULL)
        return;
    for (size_t i = 0; i < nodes; i++) {
        node_receive(job, (int)i);
        timeline_memory_map(job->nodes[i].timeline, &memory[i]);
    }
    report.memory = memory;
    report.before = job->began;
    report.after = timeline_moment();
    report.complete = !job->ending;
    (void)timeline_json_write(&report, job->config->trace);
    for (size_t i = 0; i < nodes; i++)
        if (memory[i].at != NULL)
            munmap((void *)(uintptr_t)memory[i].at, memory[i].bytes);
    free(memory);
}
