# SPDX-License-Identifier: LGPL-2.1-or-later
# Litmus programs with threads delayed at named points: other points by another seed.
. "$(dirname "$0")/../lib.sh"
seconds=60
. "$(dirname "$0")/lib.sh"
all() {
    local program name
    for program in "$top_builddir"/tests/litmus/*; do
        name=${program##*/}
        case $name in *.* | local | mappings | locks) continue ;; esac # those two are about numbers, not about order
        test -f "$program" && test -x "$program" || continue
        in_time || return 1
        HLRC_PERTURB_SEED=$seed LITMUS_NODES=$((2 + (seed + runs) % 2)) "$program" >"$work/out" 2>"$work/err" ||
            failed $seed "$name"
        runs=$((runs + 1))
    done
}
each_seed all
