# SPDX-License-Identifier: LGPL-2.1-or-later
# Random access patterns, every load checked: who stores to a page and who loads it changes from page to page and with
# time, so that pages become hot, exclusive, are opened ahead, and move. With HLRC_SOAK others each time, and 1,000.
set -u
. "$(dirname "$0")/withinlib.sh"
hlrcrun=${top_builddir:-.}/hlrcrun
patterns=${top_builddir:-.}/microbench/patterns
out=$(mktemp)
trap 'rm -f "$out"' EXIT
seed=1 count=60
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || count=20
[ -z "${HLRC_SOAK:-}" ] || seed=$(date +%s)000 count=1000
failures=0

for protocol in ardmar async; do
    for nodes in 2 3 4; do
        run=(-n $nodes --protocol $protocol "$patterns" --patterns "$count" --seed "$seed")
        if ! "$within" 300 "$hlrcrun" "${run[@]}" >"$out" 2>&1; then
            echo "FAILED: hlrcrun ${run[*]} (status $?)"
            sed 's/^/    /' "$out"
            failures=$((failures + 1))
        fi
        seed=$((seed + count))
    done
done
test $failures -eq 0
