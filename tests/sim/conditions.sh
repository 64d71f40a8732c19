#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program in which two nodes take turns by a condition variable, under ARDMAR and under ONESIDED: as many
# locks, barriers and diffs as the run had; the rest is left to chance, which decides who has the lock next.
. "$(dirname "$0")/../lib.sh"
sim=$top_builddir/hlrc_sim

for protocol in ardmar onesided; do
    run_job 2 "$protocol" --trace-sim "$work/t" "$top_builddir/examples/04-mailbox"
    expect_status "mailbox, $protocol" 0
    test -s "$work/t" || skip "no trace: $(head -1 "$work/err")"
    status=0
    "$sim" replay --protocol "$protocol" --machine "$top_srcdir/share/machines/shm-here" "$work/t" >"$work/out" 2>"$work/err" ||
        status=$?
    expect_status "replay, $protocol" 0
    sed -i '/ASan doesn.t fully support makecontext/d' "$work/err" # the replay's own stacks
    test -s "$work/err" && fail "$protocol: $(head -3 "$work/err")"
    awk -F, '
        /^(lock_acquires|barriers|diffs),/ { n++; if ($2 != $3) { print; bad = 1 } }
        END { exit bad || n != 3 }' "$work/out" >"$work/bad" || fail "$protocol: far from the run: $(cat "$work/bad")"
    rm -f "$work/t"
done
finish
