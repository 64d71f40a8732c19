# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes that meet in different collective calls (meeting.h ME1): one line names both, and a node that is in each; whoever finds
# it out. The two ways to pass a barrier are one call.
. "$(dirname "$0")/../lib.sh"
meet=$top_builddir/tests/blackbox/meet
test -x "$meet" || skip "$meet is not built"

differ() { # NODES NODE THIS OTHER LINE: the job ends with this line, which says more behind it
    local what="--barrier $barrier, $1 nodes, node $2 in $3, others in $4"
    run_job "$1" ardmar --barrier $barrier "$meet" "$2" "$3" "$4"
    expect_status "$what" 1
    test "$(wc -l <"$work/err")" -eq 1 || fail "$what: not one line: $(cat "$work/err")"
    expect_err "$what" "^hlrc: node [0-9]: $5; all nodes make the same collective calls in the same order\$"
}

for barrier in handler central gb pe; do
    differ 2 1 finalize barrier 'hlrc_barrier\(\) on node 0, but hlrc_finalize\(\) on node 1'
    differ 3 0 malloc broadcast 'hlrc_malloc_all\(\) on node 0, but hlrc_broadcast\(\) on node [12]'
    # whoever compares, in a tree of two levels too
    differ 6 5 barrier free 'hlrc_free_all\(\) on node [0-4], but hlrc_barrier\(\) on node 5'
    run_job 3 ardmar --barrier $barrier "$meet" 1 split barrier
    expect_status "--barrier $barrier, hlrc_barrier_arrive" 0
    test ! -s "$work/err" || fail "--barrier $barrier, hlrc_barrier_arrive: $(cat "$work/err")"
done
finish
