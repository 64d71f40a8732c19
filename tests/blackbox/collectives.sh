# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes that meet in different collective calls [collective.same-call]: one line names both, and a node that is in each;
# whoever finds it out. The two ways to pass a barrier are one call. And what a program does wrong with windows
# (hlrc_rma.h): one line.
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

for barrier in master counter tree pairs; do
    differ 2 1 finalize barrier 'hlrc_barrier\(\) on node 0, but hlrc_finalize\(\) on node 1'
    differ 3 0 malloc broadcast 'hlrc_malloc_all\(\) on node 0, but hlrc_broadcast\(\) on node [12]'
    # whoever compares, in a tree of two levels too
    differ 6 5 barrier free 'hlrc_free_all\(\) on node [0-4], but hlrc_barrier\(\) on node 5'
    run_job 3 ardmar --barrier $barrier "$meet" 1 split barrier
    expect_status "--barrier $barrier, hlrc_barrier_arrive" 0
    test ! -s "$work/err" || fail "--barrier $barrier, hlrc_barrier_arrive: $(cat "$work/err")"
done
outside=$top_builddir/tests/blackbox/outside
wrong() { # CASE LINE
    run_job 2 onesided "$outside" "$1"
    expect_status "$1" 1
    test "$(wc -l <"$work/err")" -eq 1 || fail "$1: not one line: $(cat "$work/err")"
    expect_err "$1" "^hlrc: node [01]: $2"
}
if test -x "$outside"; then
    wrong no-node 'hlrc_put: there is no node 2; this job has nodes 0 to 1'
    wrong negative 'hlrc_get: there is no node -2;'
    wrong behind 'hlrc_put: 8 bytes at 0x[0-9a-f]*, node 1, are not within one window; use'
    wrong before 'hlrc_get: 1 bytes at'
    wrong long 'hlrc_get_nb: 18446744073709551615 bytes at'
    wrong private 'hlrc_put: 8 bytes at'
    wrong word 'hlrc_word_fetch: 8 bytes at'
    wrong strided 'hlrc_put_strided: 6104 bytes at'
    wrong levels 'hlrc_get_strided: 9 levels of strides; pass 0 to 8'
    wrong huge 'hlrc_get_strided: 18446744073709551615 bytes at'
    wrong listed 'hlrc_put_vector: 8 bytes at'
    wrong homes 'hlrc_get: 8 bytes at 0x[0-9a-f]*, HLRC_HOMES, are not shared memory; use memory of hlrc_malloc'
    wrong freed 'hlrc_put: 8 bytes at'
    wrong twice 'hlrc_wait\(0x[0-9a-f]*\): no pending operation has this handle; complete each handle once'
    wrong tested 'hlrc_test\(0x[0-9a-f]*\): no pending operation'
    wrong added 'hlrc_wait\(0x[0-9a-f]*\): no pending operation has this handle; complete each handle once'
    wrong beyond 'hlrc_acc_nb: 16 bytes at'
    wrong none 'hlrc_wait\(0\): no pending operation'
    wrong many '65536 operations have handles that were not waited for; call hlrc_wait'
    wrong unlock 'hlrc_mutex_unlock\(3, 1\): no thread of this node holds it; lock it first'
    wrong mutex 'hlrc_mutex_lock\(1024, 0\): no such mutex; nodes are 0 to 1, mutexes of each 0 to 1023'
    wrong fence 'hlrc_fence: there is no node 2;'
    wrong inside 'hlrc_window_free\(0x[0-9a-f]*\): no window begins there; free each pointer from hlrc_window_create once'
    wrong size 'hlrc_window_create\(0x65\) here, but 0x64 on node 0; all nodes make the same'
    wrong other 'hlrc_window_free\(\) on node 0, but hlrc_window_create\(\) on node 1; all nodes'
    if [ -z "${HLRC_TEST_SANITIZERS-}" ]; then # else that is who tells
        run_job 2 onesided "$outside" touched
        expect_status "touched when freed" 139
        expect_err "touched when freed" 'not shared memory'
    fi
fi
finish
