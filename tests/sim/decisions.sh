#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The decisions of the engine about pages, beside those of a replay of its trace: the same, one by one, and as many as below.
. "$(dirname "$0")/../lib.sh"
sim=$top_builddir/hlrc_sim

# decided PROTOCOL: the totals of what a run decided and, from its trace, a replay; the decisions that only one of them made
decided() {
    # memory: the pages' numbers depend on it, and whether neighbours are in one block; by default it is the machine's
    run_job 2 "$1" --memory 256M --trace-sim "$work/t" "$top_builddir/tests/sim/decisions"
    expect_status "decisions, $1" 0
    test -s "$work/t" || skip "no trace: $(head -1 "$work/err")"
    status=0
    "$sim" replay --decisions --protocol "$1" --machine "$top_srcdir/share/machines/shm-here" "$work/t" >"$work/out" 2>"$work/err" ||
        status=$?
    expect_status "replay, $1" 0
    awk -F, '
        NF == 6 && $1 != "decision" {
            traced[$1 " " $2] += $6
            if ($5 != $6) print "differs", $0
        }
        /^(hot_pages|hot_unchanged|exclusive_pages|homes_moved|renewed_pages|ahead_pages),/ {
            if ($2 != $3) print "differs", $0
            print $1, $3
        }
        END { for (key in traced) print key, traced[key] }' "$work/out" | LC_ALL=C sort >"$work/decided"
}

for protocol in ardmar onesided; do
    decided $protocol
    diff -u "$top_srcdir/tests/sim/decisions.$protocol" "$work/decided" >"$work/diff" || fail "$protocol: $(head -40 "$work/diff")"
    rm -f "$work/t"
done
finish
