/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A job whose statistics can be told in advance, for totals.sh: node n takes n + 1 locks and passes two barriers.
 * "figures reset" starts the count anew when all have met: what went before is in no figure.
 */
#include <hlrc.h>
#include <string.h>

static void take(int count)
{
    for (int i = 0; i < count; i++) {
        hlrc_lock((hlrc_lock_t)hlrc_node_id());
        hlrc_unlock((hlrc_lock_t)hlrc_node_id());
    }
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    if (argc > 1 && strcmp(argv[1], "reset") == 0) {
        take(100);
        hlrc_barrier();
        hlrc_stats_reset();
    }
    take(hlrc_node_id() + 1);
    hlrc_barrier();
    hlrc_finalize();
    return 0;
}
