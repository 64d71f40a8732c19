# SPDX-License-Identifier: LGPL-2.1-or-later
# The shared heap and the collectives with 1, 2 and 3 nodes, both protocols, and what a program may do wrong.
set -u
. "$(dirname "$0")/withinlib.sh"
hlrcrun=${top_builddir:-.}/hlrcrun
heap=${top_builddir:-.}/tests/heap
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    /' "$out"
    failures=$((failures + 1))
}

passes() {
    "$within" 300 "$hlrcrun" "$@" >"$out" 2>&1 || fail "$* (status $?)"
}

# refused LINE OPTIONS...: the job ends with a status that is not zero, and with one line that begins like this
refused() {
    local line=$1 status=0
    shift
    "$within" 300 "$hlrcrun" "$@" >"$out" 2>&1 || status=$?
    test $status -ne 0 && test $status -lt 124 && grep -q "^hlrc: .*$line" "$out" &&
        test "$(grep -c '^hlrc: .*hlrc_[a-z_]*(' "$out")" -eq 1 || fail "$* (status $status)"
}

for protocol in ardmar async; do
    for nodes in 1 2 3; do
        passes -n $nodes --protocol $protocol --memory 16M "$heap"
        passes -n $nodes --protocol $protocol --memory 4M "$heap" exhaustion
        passes -n $nodes --protocol $protocol --memory 16M --ahead 0 "$heap" collectives
    done
    passes -n 2 --protocol $protocol --memory 1M "$heap" exhaustion
    refused 'hlrc_free(' -n 2 --protocol $protocol "$heap" free-on-two-nodes
    refused 'hlrc_free(' -n 2 --protocol $protocol "$heap" free-foreign-twice
    refused 'hlrc_malloc_all(' -n 2 --protocol $protocol "$heap" sizes-differ
done
for part in free-twice free-large-twice free-inside free-inside-large free-private free-all-memory \
    free-never-allocated free-on-two-nodes; do
    refused 'hlrc_free(' -n 1 "$heap" $part
done
refused 'hlrc_free_all(' -n 2 "$heap" free-all-of-malloc
refused 'hlrc_free_all(' -n 2 "$heap" pointers-differ
refused 'hlrc_broadcast(' -n 2 "$heap" lengths-differ
refused 'hlrc_' -n 2 "$heap" calls-differ

test $failures -eq 0 || { echo "$failures failures"; exit 1; }
