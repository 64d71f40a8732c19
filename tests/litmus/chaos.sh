# SPDX-License-Identifier: LGPL-2.1-or-later
# Litmus programs on the worst fabric that fabric.h allows, with reads in any order and with reads in order; some where
# sleeps end early and arming fails.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/runs.sh"
export LITMUS_NODES=3 HLRC_FABRIC=shm+chaos

runs chaos accumulate rule02_home rule03_lock rule03_causality rule04_access rule04_home rule04_parts rule05_merge rule07_home rule08_words rule11_cond rule11_reduce sections threads windows
HLRC_CHAOS_HEAL=1 runs healing rule03_lock rule11_cond threads
HLRC_CHAOS_ORDERED=1 LITMUS_PROTOCOLS=ardmar runs "reads in order" accumulate rule02_home rule03_lock rule04_access rule04_home
LITMUS_NODES="2 4" runs chaos rule04_prefetch
# a fetch that has to be repeated, since another thread acquires meanwhile, is rare
for seed in 2 3 4 5 6; do
    HLRC_CHAOS_SEED=$seed LITMUS_PROTOCOLS=ardmar runs "seed $seed" threads
done
finish
