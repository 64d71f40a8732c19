# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes end with prefetches under way, which come late: what the address sanitizer says of it ends the job.
. "$(dirname "$0")/../lib.sh"
unfinished=$top_builddir/tests/blackbox/unfinished

for protocol in ardmar async; do
    for seed in 1 2 3; do
        HLRC_CHAOS_SEED=$seed HLRC_CHAOS_STRENGTH=9 run_job 2 $protocol --fabric shm+chaos "$unfinished"
        expect_status "$protocol, seed $seed" 0
    done
done
finish
