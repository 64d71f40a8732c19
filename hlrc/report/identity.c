/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identity.c - see identity.h. Nodes exchange a digest of eight bytes each; only if these differ
 * they exchange everything. */
#include "hlrc/report/identity.h"

#include <errno.h>
#include <hlrc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/digest.h"

void identity_fill(struct identity *out, const struct config *config)
{
    memset(out, 0, sizeof *out);
    strcpy(out->version, HLRC_VERSION_STRING);
    out->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
    out->config = *config;
    if (config->no_aslr) {
        out->code[0] = getauxval(AT_ENTRY);
        out->code[1] = (uint64_t)(uintptr_t)&identity_fill;
    }
    if (!engine.alone)
        range_identify(out->ranges);
}

uint64_t identity_digest(const struct identity *id)
{
    uint64_t digest = digest_add(DIGEST_START, id->version, sizeof id->version);
    digest = digest_add(digest, &id->page_size, sizeof id->page_size);
    digest = digest_add(digest, id->code, sizeof id->code);
    digest = digest_add(digest, id->ranges, sizeof id->ranges);
    return config_digest(&id->config, digest);
}

/* True if there was no difference. */
static bool identity_compare_ranges(const struct identity *mine, const struct identity *other,
                                    int n)
{
    for (const struct range_identity *a = mine->ranges, *b = other->ranges;
         a < mine->ranges + RANGES_MAX; a++, b++) {
        if (a->at != b->at || a->bytes != b->bytes)
            diag_report(
                1,
                "memory to be shared is %ju bytes at %#jx here, %ju bytes at %#jx on node %d; "
                "share the same range on all nodes; if only the addresses differ, use --no-aslr",
                (uintmax_t)a->bytes, (uintmax_t)a->at, (uintmax_t)b->bytes, (uintmax_t)b->at, n);
        else if (a->digest != b->digest)
            diag_report(1,
                        "the %ju bytes to be shared at %#jx differ from those on node %d; store "
                        "the same values there on all nodes before hlrc_init; if the values are "
                        "addresses, use --no-aslr",
                        (uintmax_t)a->bytes, (uintmax_t)a->at, n);
        else
            continue;
        return false;
    }
    return true;
}

static int identity_compare(const struct identity *mine, const struct identity *other, int n)
{
    const char *option = config_difference(&mine->config, &other->config);
    if (strcmp(mine->version, other->version) != 0)
        diag_report(
            1, "this node runs version %s, node %d version %s; start the same build everywhere",
            mine->version, n, other->version);
    else if (mine->page_size != other->page_size)
        diag_report(1,
                    "pages have %u bytes here and %u on node %d; use machines with one page size",
                    mine->page_size, other->page_size, n);
    else if (option)
        diag_report(1,
                    "option %s differs between this node and node %d; set it for all nodes alike",
                    option, n);
    else if (mine->code[0] && other->code[0] &&
             memcmp(mine->code, other->code, sizeof mine->code) != 0)
        diag_report(1,
                    "--no-aslr: program and library have other addresses here than on node %d; "
                    "under mpirun and srun, write 'setarch -R' before the program and set the same "
                    "ulimit -s on all nodes",
                    n);
    else if (identity_compare_ranges(mine, other, n))
        return 0;
    return -EINVAL;
}

static int identity_find_difference(struct boot *boot, const struct identity *mine)
{
    int nodes = boot_nodes(boot);
    struct identity *all = calloc((size_t)nodes, sizeof *all);
    int rc = all ? boot_exchange(boot, mine, sizeof *mine, all) : -ENOMEM;
    for (int n = 0; n < nodes && rc == 0; n++)
        rc = identity_compare(mine, &all[n], n);
    free(all);
    return rc;
}

int identity_agree(struct boot *boot, const struct identity *mine)
{
    uint64_t digest = identity_digest(mine), all[NODES_MAX];
    int rc = boot_exchange(boot, &digest, sizeof digest, all);
    return rc || digest_alike(all, boot_nodes(boot)) ? rc : identity_find_difference(boot, mine);
}
