/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job of one node without a launcher. Refuses to be one of many such jobs by mistake.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/diag.h"
#include "boot/boot_backend.h"

/* Launchers that did not connect their processes: without a refusal each would silently be a job
 * of one node. */
static const struct {
    const char *size, *rank, *remedy;
} others[] = {
    /* the count of the step: an interactive shell of an allocation is one task, whatever the size
     * of the allocation */
    { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "start them with srun --mpi=pmix -n " },
    { "SLURM_NTASKS", "SLURM_PROCID", "start them with srun --mpi=pmix -n " },
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
      "their mpirun offered no PMIx; use Open MPI 4 or later, or hlrcrun -n " },
    { "PMI_SIZE", "PMI_RANK",
      "their launcher speaks PMI, HLRC speaks PMIx; use Open MPI's mpirun, srun --mpi=pmix or "
      "hlrcrun -n " },
    { "HLRC_NODES", NULL, "start them with hlrcrun -n " },
};

static const char *boot_single_without_pmix(void)
{
#ifdef HAVE_PMIX
    return NULL;
#else
    return getenv("PMIX_NAMESPACE") != NULL ? "this build of HLRC has no PMIx; install libpmix-dev "
                                              "and configure it again, or use hlrcrun -n "
                                            : NULL;
#endif
}

/* With more rights than its caller, a program runs as a single node or not at all. */
static bool boot_single_heeds_launchers(const char *variable, const char *value)
{
    if (getauxval(AT_SECURE) == 0)
        return true;
    diag_warn("%s=%s, but a program that has more rights than its caller (set-user-ID, "
              "set-group-ID, capabilities) takes nothing from the environment and is no node of a "
              "job; run it without them",
              variable, value);
    return false;
}

static int boot_single_refuse_other_launchers(void)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *size = getenv(others[i].size),
                   *rank = others[i].rank != NULL ? getenv(others[i].rank) : NULL;
        const char *remedy = boot_single_without_pmix();

        if (size == NULL)
            continue;
        if (atoi(size) <= 1 && strcmp(others[i].size, "SLURM_STEP_NUM_TASKS") == 0)
            return 0;
        if (atoi(size) <= 1)
            continue;
        if (remedy == NULL)
            remedy = others[i].remedy;
        /* one line for the job, not one per process */
        if ((rank == NULL || atoi(rank) == 0) && boot_single_heeds_launchers(others[i].size, size))
            diag_warn("%s=%s, but these processes do not know each other: %s%s", others[i].size,
                      size, remedy, size);
        return -ENOTSUP;
    }
    return 0;
}

static int boot_single_exchange(struct boot *boot, const void *mine, size_t len, void *all)
{
    (void)boot;
    if (len > 0)
        memcpy(all, mine, len);
    return 0;
}

static void boot_single_close(struct boot *boot)
{
    free(boot);
}

static const struct boot_ops single_ops = {
    .launcher = BOOT_NOBODY,
    .exchange = boot_single_exchange,
    .close = boot_single_close,
};

int boot_single_open(struct boot **out)
{
    int err = boot_inherited() ? 0 : boot_single_refuse_other_launchers();
    struct boot *boot;

    if (err < 0)
        return err;
    boot = malloc(sizeof *boot);
    if (boot == NULL) {
        diag_warn("out of memory at start");
        return -ENOMEM;
    }
    *boot = (struct boot){ .ops = &single_ops, .nodes = 1, .fd = -1 };
    *out = boot;
    return 0;
}
