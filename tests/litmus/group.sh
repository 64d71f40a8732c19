# SPDX-License-Identifier: LGPL-2.1-or-later
# Barriers of groups (hlrc/sync/group.c) beside every way in which all nodes meet (--barrier) and locks go (--locks), on a
# fabric as it is, without reads, and on the worst one that fabric.h allows; and lists that are not the same.
. "$(dirname "$0")/../lib.sh"
program=${LITMUS_DIR:-$top_builddir/tests/litmus}/rule11_group
test -x "$program" || skip "the litmus programs are not built"

runs() { # NODES PROTOCOL OPTIONS...
    run_job "$@" "$program"
    expect_status "rule11_group, $*" 0
}

for protocol in async ardmar; do
    for barrier in master counter tree pairs; do
        runs 5 $protocol --locks mcs --barrier $barrier
    done
    runs 3 $protocol --fabric shm+chaos
    runs 4 $protocol --fabric shm+chaos --locks mcs --barrier pairs
    runs 2 $protocol --hot-pages 0 --renew 0 --lazy-release 0
done
runs 13 ardmar --barrier pairs
runs 3 async --fabric shm-noread+chaos

GROUP_LISTS=differ run_job 3 ardmar "$program"
expect_status "lists that differ" 1
expect_err "lists that differ" 'hlrc_group_create\(1, 0\) here, but \(0, 1\) on node 0; the nodes of a group pass the same list'
GROUP_LISTS=none run_job 2 async "$program"
expect_status "a group that is none" 1
expect_err "a group that is none" 'hlrc_group_barrier\(99\): no such group'
finish
