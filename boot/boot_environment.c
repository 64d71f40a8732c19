/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* boot_environment.c - which process the launcher's variables belong to, and what MPI in
 * the same process may do; see boot_backend.h. */
#include "boot/boot_backend.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS_NAME_MAX = 300 }; /* a namespace has at most 255 bytes */

/* "NAMESPACE.RANK" of the process that PMIx's variables describe, or PMI's; 0, or -ENOENT if they
 * are not set. */
static int boot_environment_process_name(char *name, size_t len)
{
    const char *space = secure_getenv("PMIX_NAMESPACE"), *rank = secure_getenv("PMIX_RANK");

    if (space == NULL || rank == NULL) {
        space = "PMI";
        rank = secure_getenv("PMI_RANK");
    }
    if (rank == NULL)
        return -ENOENT;
    snprintf(name, len, "%s.%s", space, rank);
    return 0;
}

bool boot_inherited(void)
{
    const char *parent = secure_getenv("HLRC_PMIX_NODE");
    char name[PROCESS_NAME_MAX];

    return parent != NULL && boot_environment_process_name(name, sizeof name) == 0 &&
           strcmp(parent, name) == 0;
}

void boot_mark_environment(void)
{
    char name[PROCESS_NAME_MAX];

    unsetenv("HLRC_LAUNCH_FD");
    unsetenv("HLRC_NODE");
    unsetenv("HLRC_NODES");
    if (boot_environment_process_name(name, sizeof name) == 0)
        setenv("HLRC_PMIX_NODE", name, 1);
}

/* Open MPI lets the receiver of a long message read it from the sender's memory
 * (process_vm_readv). The kernel refuses that for pages that are protected there: Open MPI prints
 * a line for each message, and then sends it. */
static const char single_copies[] = "OMPI_MCA_btl_vader_single_copy_mechanism";
static bool forbidden;

__attribute__((constructor)) static void boot_forbid_single_copies(void)
{
    forbidden =
        secure_getenv("OMPI_COMM_WORLD_SIZE") != NULL && secure_getenv(single_copies) == NULL;
    if (forbidden)
        (void)setenv(single_copies, "none", 1);
}

void boot_allow_single_copies(void)
{
    if (forbidden)
        unsetenv(single_copies);
}
