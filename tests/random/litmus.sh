# SPDX-License-Identifier: LGPL-2.1-or-later
# The litmus programs over the hook fabric, each with a few seeds.
set -u
build=${top_builddir:-.}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0 count=0
end=$((SECONDS + ${HLRC_SOAK:+${HLRC_SOAK_SECONDS:-600}}+0))
export HLRC_FABRIC=shm+chaos HLRC_CHAOS_SEED=1
round() {
    local test
    for test in "$build"/tests/litmus/rule* "$build/tests/litmus/locks" "$build/tests/litmus/threads"; do
        [ -x "$test" ] && [ -f "$test" ] || continue
        count=$((count + 1))
        HLRC_CHAOS_ORDERED=$((count % 2)) timeout -k 5 100 "$test" >"$out" 2>&1 </dev/null && continue
        echo "FAILED: ${test##*/} over shm+chaos, HLRC_CHAOS_SEED=$HLRC_CHAOS_SEED HLRC_CHAOS_ORDERED=$((count % 2)) (status $?)"
        sed 's/^/    /' "$out"
        failures=$((failures + 1))
    done
}
round
while [ $SECONDS -lt $end ] && [ $failures -eq 0 ]; do
    HLRC_CHAOS_SEED=$((HLRC_CHAOS_SEED + 1))
    round
done
echo "$count litmus programs, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 0 ]
