#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Five kernels of the NAS Parallel Benchmarks as programs of OpenMP: compiled by hlrcc they meet the published values, and print
# what the same sources print that gcc has compiled. Class S on some numbers of nodes and threads under each protocol; the soak
# has all of them, and class W.
. "$(dirname "$0")/compatlib.sh"

programs=(ep cg mg ft is)
protocols=(ardmar async onesided)
for i in "${!programs[@]}"; do
    program=${programs[i]}
    build "$program" "npb/$program.c" gcc hlrcc || continue
    "$work/$program" S >"$work/out" 2>"$work/err" || fail "$program alone: $(cat "$work/out" "$work/err")"
    expect_out "$program alone" '^verified$'
    expect_err "$program alone" '^time_s [0-9]+\.[0-9]+$'
    if [ -n "${HLRC_SOAK-}" ]; then
        compare "$program" '1 2 3 4' '1 2' "${protocols[*]}" S
        compare "$program" '1 2 3 4' '1 2' "${protocols[*]}" W
    else
        compare "$program" 2 2 "${protocols[*]}" S
        compare "$program" 3 1 "${protocols[*]}" S
        compare "$program" 4 2 "${protocols[i % 3]}" S
    fi
done
if [ -x "$work/is" ]; then
    compare is 2 2 "${protocols[*]}" S histograms
    compare is 3 1 ardmar W histograms
fi

# a class that there is not
status=0
"$work/ep" X >"$work/out" 2>"$work/err" || status=$?
expect_status "ep X" 2
expect_err "ep X" 'usage: .*ep CLASS, one of SWAB$'
finish
