#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program that operates on a word of shared memory: what it counts is what the run has counted.
. "$(dirname "$0")/../lib.sh"
sim=$top_builddir/hlrc_sim

for protocol in ardmar onesided; do
    run_job 2 "$protocol" --trace-sim "$work/t" "$top_builddir/tests/sim/words"
    expect_status "words, $protocol" 0
    test -s "$work/t" || skip "no trace: $(head -1 "$work/err")"
    status=0
    "$sim" replay --protocol "$protocol" --machine "$top_srcdir/share/machines/shm-here" "$work/t" >"$work/out" 2>"$work/err" ||
        status=$?
    expect_status "replay, $protocol" 0
    sed -i '/ASan doesn.t fully support makecontext/d' "$work/err" # the replay's own stacks
    test -s "$work/err" && fail "$protocol: $(head -3 "$work/err")"
    awk -F, '
        function off(most) { d = $2 - $3; d = d < 0 ? -d : d; return d * 100 > $3 * most && d > 3 }
        /^(word_ops|page_fetches|diffs|write_notices|messages|atomics),/ { n++; if (off(0)) { print; bad = 1 } }
        /^word_ops,/ { if ($2 != 100) { print; bad = 1 } }
        END { exit bad || n != 6 }' "$work/out" >"$work/bad" || fail "$protocol: far from the run: $(cat "$work/bad")"
    rm -f "$work/t"
done
finish
