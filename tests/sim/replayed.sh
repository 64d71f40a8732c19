# SPDX-License-Identifier: LGPL-2.1-or-later
# For the scripts here that compare replays of a real program with what its run has counted; sourced after ../lib.sh.
sim=$top_builddir/hlrc_sim

# replayed WHAT AWK PROGRAM...: $nodes nodes, two unless it is set, traced and replayed under ARDMAR and under ONESIDED. AWK gets the lines "name,replayed,traced",
# off(MOST) there says whether the two differ by more than MOST per cent, and its status and output tell what is wrong.
replayed() {
    local what=$1 compare=$2 protocol
    shift 2
    for protocol in ardmar onesided; do
        run_job "${nodes:-2}" "$protocol" --trace-sim "$work/t" "$@"
        expect_status "$what, $protocol" 0
        test -s "$work/t" || skip "no trace: $(head -1 "$work/err")"
        status=0
        "$sim" replay --protocol "$protocol" --machine "$top_srcdir/share/machines/shm-here" "$work/t" >"$work/out" 2>"$work/err" ||
            status=$?
        expect_status "replay, $protocol" 0
        sed -i '/ASan doesn.t fully support makecontext/d' "$work/err" # the replay's own stacks
        test -s "$work/err" && fail "$protocol: $(head -3 "$work/err")"
        awk -F, "function off(most) { d = \$2 - \$3; d = d < 0 ? -d : d; return d * 100 > \$3 * most && d > 3 } $compare" \
            "$work/out" >"$work/bad" || fail "$protocol: far from the run: $(cat "$work/bad")"
        rm -f "$work/t"
    done
}
