# SPDX-License-Identifier: LGPL-2.1-or-later
# The shared heap and the collectives with 1, 2 and 3 nodes, both protocols, and what a program may do wrong.
set -u
. "$(dirname "$0")/lib.sh"
heap=$top_builddir/tests/heap
JOB_SECONDS=300

passes() { # NODES PROTOCOL OPTIONS...
    run_job "$@"
    test $status = 0 || fail "$* (status $status): $(cat "$work/out" "$work/err")"
}

# refused LINE NODES PROTOCOL OPTIONS...: the job ends with a status that is not zero, and with one line that begins like this
refused() {
    local line=$1
    shift
    run_job "$@"
    test $status -ne 0 && test $status -lt 124 && grep -q "^hlrc: .*$line" "$work/err" &&
        test "$(grep -c '^hlrc: .*hlrc_[a-z_]*(' "$work/err")" -eq 1 || fail "$* (status $status): $(cat "$work/out" "$work/err")"
}

every='1 2 3'
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || every=3 # instrumented, exhaustion takes long
for protocol in ardmar async; do
    for nodes in $every; do
        passes $nodes $protocol --memory 16M "$heap"
        passes $nodes $protocol --memory 4M "$heap" exhaustion
        passes $nodes $protocol --memory 16M --ahead 0 "$heap" collectives
    done
    passes 2 $protocol --memory 1M "$heap" exhaustion
    refused 'hlrc_free(' 2 $protocol "$heap" free-on-two-nodes
    refused 'hlrc_free(' 2 $protocol "$heap" free-foreign-twice
    refused 'hlrc_malloc_all(' 2 $protocol "$heap" sizes-differ
done
for part in free-twice free-large-twice free-inside free-inside-large free-private free-all-memory \
    free-never-allocated free-on-two-nodes; do
    refused 'hlrc_free(' 1 ardmar "$heap" $part
done
refused 'hlrc_free_all(' 2 ardmar "$heap" free-all-of-malloc
refused 'hlrc_free_all(' 2 ardmar "$heap" pointers-differ
refused 'hlrc_broadcast(' 2 ardmar "$heap" lengths-differ
refused 'hlrc_' 2 ardmar "$heap" calls-differ
finish
