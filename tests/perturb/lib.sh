# SPDX-License-Identifier: LGPL-2.1-or-later
# For the scripts here; sourced after ../lib.sh. A build with --enable-perturb delays threads at named points
# (base/perturb.h); a hang is told by the nodes themselves, who waits for what, and by the seed.
points=$top_builddir/tests/perturb/points
test -x "$points" && "$points" >/dev/null || skip "this build does not delay threads; configure with --enable-perturb"
export HLRCRUN=$hlrcrun HLRC_WATCHDOG=${HLRC_WATCHDOG:-60}
test -n "${HLRC_SOAK:-}" && seconds=${HLRC_SOAK_SECONDS:-600} first=$(date +%s) || first=1
end=$((SECONDS + seconds))

# in_time: whether there is time for another run
in_time() { [ $SECONDS -lt $end ]; }

# each_seed COMMAND: with one seed after the other, until the time is over or a run fails; COMMAND raises `runs`
each_seed() {
    runs=0
    for ((seed = first; failures == 0; seed++)); do "$1" || break; done
    echo "$runs runs, seeds $first to $seed"
    [ $runs -gt 0 ] || fail "there was time for nothing"
    finish
}

# failed SEED WHAT: what the run said, and which points the seed makes act
failed() {
    fail "HLRC_PERTURB_SEED=$1 $2: $(head -40 "$work/out" "$work/err" 2>/dev/null)"
    HLRC_PERTURB_SEED=$1 "$points" | grep -v ' 0 of 1024'
}
