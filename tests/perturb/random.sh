# SPDX-License-Identifier: LGPL-2.1-or-later
# Random programs with threads delayed at named points, on shm and on the hook fabric.
. "$(dirname "$0")/../lib.sh"
seconds=40
. "$(dirname "$0")/lib.sh"
both() {
    local fabric
    for fabric in shm shm+chaos; do
        in_time || return 1
        HLRC_PERTURB_SEED=$seed "$top_builddir/tests/random/random" --seed "$seed" --runs 2 --protocol ardmar,async \
            --fabric $fabric --timeout 90 >"$work/out" 2>"$work/err" || failed $seed "random --seed $seed, $fabric"
        runs=$((runs + 1))
    done
}
each_seed both
