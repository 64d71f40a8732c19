# SPDX-License-Identifier: LGPL-2.1-or-later
# Random access patterns, every load checked: who stores to a page and who loads it changes from page to page and with
# time, so that pages become hot, exclusive, are opened ahead, and move. With HLRC_SOAK others each time, and 1,000.
set -u
. "$(dirname "$0")/lib.sh"
JOB_SECONDS=300
seed=1 count=60
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || count=8
[ -z "${HLRC_SOAK:-}" ] || seed=$(date +%s)000 count=1000

for protocol in ardmar async; do
    for nodes in 2 3 4; do
        run_job $nodes $protocol "$top_builddir/microbench/patterns" --patterns "$count" --seed "$seed"
        test $status = 0 ||
            fail "$nodes nodes, $protocol, $count patterns from $seed: status $status: $(cat "$work/out" "$work/err")"
        seed=$((seed + count))
    done
done
finish
