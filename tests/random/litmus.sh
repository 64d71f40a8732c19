# SPDX-License-Identifier: LGPL-2.1-or-later
# The litmus programs over the hook fabric. Left out: rule11_trylock, which reads what no synchronisation orders, and so
# counts on the page not being at home where it reads; that is decided by who comes first.
set -u
. "$(dirname "$0")/../withinlib.sh"
build=${top_builddir:-.}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0 count=0
end=$((SECONDS + ${HLRC_SOAK:+${HLRC_SOAK_SECONDS:-600}}+0))
enough=$((end > SECONDS ? end : SECONDS + 70)) # on a busy machine not all are run
export HLRC_FABRIC=shm+chaos HLRC_CHAOS_SEED=1
round() {
    local test
    for test in "$build"/tests/litmus/rule* "$build/tests/litmus/locks" "$build/tests/litmus/threads"; do
        case $test in *.* | */rule11_trylock) continue ;; esac
        [ $SECONDS -lt $enough ] || { echo "time is up: ${test##*/} is left out"; continue; }
        count=$((count + 1))
        export HLRC_CHAOS_ORDERED=$((count % 2)) HLRC_CHAOS_LAZY=$((count / 2 % 2))
        "$within" 900 "$test" >"$out" 2>&1 </dev/null && continue
        echo "FAILED (status $?): HLRC_FABRIC=shm+chaos HLRC_CHAOS_SEED=$HLRC_CHAOS_SEED \
HLRC_CHAOS_ORDERED=$HLRC_CHAOS_ORDERED HLRC_CHAOS_LAZY=$HLRC_CHAOS_LAZY $test"
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
