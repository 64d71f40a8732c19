# SPDX-License-Identifier: LGPL-2.1-or-later
# --watchdog: a job that stands still ends, and its nodes have said who waits for what and since when, what their threads did
# before, and whom a barrier or a lock waits for. A job that only computes for long is let be.
. "$(dirname "$0")/../lib.sh"
stuck=$top_builddir/tests/blackbox/stuck
test -x "$stuck" || skip "$stuck is not built"
export HLRC_WATCHDOG=3

for protocol in async ardmar; do
    what="$protocol, a node that does not come to a barrier"
    run_job 3 $protocol "$stuck" barrier
    expect_status "$what" 1
    expect_err "$what" '^hlrc: node 0: thread 0 waits for barrier [0-9]+, since [1-9][0-9]*\.[0-9] s$'
    expect_err "$what" '^hlrc: node 2: thread 0 waits for barrier [0-9]+, since '
    expect_err "$what" '^hlrc: node 0: barrier [0-9]+: 2 of 3 nodes have arrived, but not node 1$'
    expect_err "$what" '^hlrc: node 2: thread 0 before: .*opened for write page [0-9]+ \([0-9.]+ s ago\), arrived at barrier '
    expect_err "$what" '^hlrc: node 0: .*progress lock held by a thread that sleeps; 1 threads wait'
    expect_err "$what" 'a wait took longer than --watchdog 3'
    # three nodes on less than three cores do not spin for long
    test "$(nproc)" -ge 3 && spin=200000 || spin=500
    expect_err "$what" "^hlrc: node 0: progress lock .*; a wait spins for $spin ns\$"
done

what="a lock that is kept"
run_job 3 ardmar "$stuck" lock
expect_status "$what" 1
expect_err "$what" '^hlrc: node 0: thread 0 waits for lock 7, since '
expect_err "$what" '^hlrc: node 2: thread 0 waits for lock 7, since '
expect_err "$what" '^hlrc: node 0: thread 0 before: .*left barrier [0-9]+ \([0-9.]+ s ago\), asked for lock 7 '

# all threads wait: that is found out after two seconds, so the nodes report before
what="a signal that does not come"
HLRC_WATCHDOG=1 run_job 2 async "$stuck" cond
expect_status "$what" 123
expect_err "$what" '^hlrc: node 0: thread 0 before: .*got lock 3 .*waited on condition variable [0-9]+ '
expect_err "$what" '^hlrc: node 0: barrier [0-9]+: 1 of 2 nodes have arrived, but not node 0$'
test "$(nproc)" -lt 2 || expect_err "$what" '^hlrc: node 0: progress lock .*; a wait spins for 200000 ns$'

what="a node that computes"
HLRC_WATCHDOG=60 run_job 2 ardmar "$stuck" none
expect_status "$what" 0
test -s "$work/err" && fail "$what: $(head -5 "$work/err")"
finish
