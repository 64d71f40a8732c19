# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs in which all threads wait for each other end, with a line for each thread and one that names the circle; jobs that only
# seem to stand still do not, and nothing is said of them ([deadlock.two-rounds], [deadlock.in-transit], look.h). The
# cases are in hang.c.
. "$(dirname "$0")/../lib.sh"
hang=$top_builddir/tests/blackbox/hang
test -x "$hang" || skip "$hang is not built"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "once is enough: the default build's tests do it"
at_once=24 # jobs that mostly sleep
trap 'test "$BASHPID" != $$ || rm -rf "$work"' EXIT

# begin ID CASE NODES OPTIONS...: in the background; what it says and how it ends is in files of that name
begin() {
    local id=$1 case=$2 nodes=$3
    shift 3
    while [ "$(jobs -rp | wc -l)" -ge $at_once ]; do wait -n; done
    (
        status=0
        HLRCTEST_FILE=$work/$id.pid "$within" 60 "$hlrcrun" -n "$nodes" "$@" "$hang" "$case" \
            >"$work/$id.out" 2>"$work/$id.err" </dev/null || status=$?
        echo "$status" >"$work/$id.status"
    ) &
}

ends() { # ID STATUS: with the lines of standard input on standard error, but for the seconds
    cat >"$work/wanted"
    test "$(cat "$work/$1.status")" = "$2" || fail "$1: status $(cat "$work/$1.status"), not $2"
    sed -E 's/since [0-9]+\.[0-9] s /since S s /' "$work/$1.err" >"$work/said"
    cmp -s "$work/wanted" "$work/said" || fail "$1: $(diff "$work/wanted" "$work/said")"
}

goes_on() { # ID NODES: all nodes do, and nothing is said
    test "$(cat "$work/$1.status")" = 0 || fail "$1: status $(cat "$work/$1.status")"
    test "$(grep -c 'goes on' "$work/$1.out")" -eq "$2" || fail "$1: $(cat "$work/$1.out")"
    test ! -s "$work/$1.err" || fail "$1: $(cat "$work/$1.err")"
}

# holds PID-FILE: the process has stopped
holds() {
    test -s "$1" && ! grep -h '^State:' /proc/"$(cat "$1")"/task/*/status | grep -qv T
}

until_true() { # COMMAND...: polls
    local i
    for ((i = 0; i < 3000; i++)); do
        "$@" && return 0
        sleep 0.02
    done
    fail "$*: not within a minute"
    return 1
}

# ---- jobs that only seem to stand still, and one with a node that is stopped meanwhile ----

begin ardmar-stopped stopped 3
begin onesided-stopped stopped 3 --protocol onesided
begin abba-stopped abba 2
until_true test -s "$work/abba-stopped.pid" && kill -STOP "$(cat "$work/abba-stopped.pid")"
until_true holds "$work/abba-stopped.pid"
for protocol in ardmar async onesided; do
    for case in signal helper; do begin $protocol-$case $case 3 --protocol $protocol; done
done
begin ardmar-sleep sleep 3
begin ardmar-compute compute 2
for locks in manager mcs; do begin $locks-trickle trickle 2 --locks $locks; done

# ---- jobs that stand still ----

# with a handler, and with none
for protocol in ardmar onesided; do
    for case in create conds threads group; do begin $protocol-$case $case 3 --protocol $protocol; done
done
for case in left finalize ended; do begin $case $case 3; done
# under every protocol, at every barrier
for protocol in ardmar async onesided; do
    for case in abba skip cond; do begin $protocol-$case $case 3 --protocol $protocol; done
done
for barrier in counter pairs; do begin $barrier-skip skip 3 --barrier $barrier; done
begin mcs-abba abba 3 --locks mcs
begin chaos-abba abba 3 --fabric shm+chaos
begin split split 3 --barrier pairs
for case in abba late; do begin two-$case $case 2; done
begin one-ended ended 1
begin one-conds conds 1 --locks mcs
for locks in manager mcs; do begin $locks-relock relock 2 --locks $locks; done

# those that are stopped were so for longer than it takes to find a deadlock, which others were found in
until_true holds "$work/ardmar-stopped.pid"
until_true holds "$work/onesided-stopped.pid"
until_true test -s "$work/two-abba.status"
test ! -e "$work/abba-stopped.status" || fail "a node that is stopped: the job has ended"
for id in ardmar-stopped onesided-stopped abba-stopped; do kill -CONT "$(cat "$work/$id.pid")"; done
wait

for id in ardmar-abba async-abba onesided-abba mcs-abba chaos-abba; do
    ends $id 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 1 held by node 1
hlrcrun: node 1 thread 0 waits since S s for lock 2 held by node 2
hlrcrun: node 2 thread 0 waits since S s for lock 0 held by node 0
hlrcrun: deadlock: node 0 waits for lock 1 held by node 1, which waits for lock 2 held by node 2, which waits for lock 0 held by node 0
END
done
for id in two-abba two-late; do
    ends $id 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 1 held by node 1
hlrcrun: node 1 thread 0 waits since S s for lock 0 held by node 0
hlrcrun: deadlock: node 0 waits for lock 1 held by node 1, which waits for lock 0 held by node 0
END
done
for id in ardmar-skip async-skip onesided-skip counter-skip pairs-skip; do
    ends $id 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for barrier 4: node 1 has not arrived; it waits for lock 3 held by node 0
hlrcrun: node 1 thread 0 waits since S s for lock 3 held by node 0
hlrcrun: node 2 thread 0 waits since S s for barrier 4: node 1 has not arrived; it waits for lock 3 held by node 0
hlrcrun: deadlock: node 0 waits at barrier 4 for node 1, which waits for lock 3 held by node 0
END
done
for id in ardmar-cond async-cond onesided-cond; do
    ends $id 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for a signal of condition variable 0
hlrcrun: node 1 thread 0 waits since S s for barrier 3: node 0 has not arrived; it waits for a signal of condition variable 0
hlrcrun: node 2 thread 0 waits since S s for barrier 3: node 0 has not arrived; it waits for a signal of condition variable 0
hlrcrun: deadlock: node 1 waits at barrier 3 for node 0, which waits for a signal of condition variable 0, which no thread is left to send
END
done
for protocol in ardmar onesided; do
    ends $protocol-conds 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for a signal of condition variable 0
hlrcrun: node 1 thread 0 waits since S s for a signal of condition variable 0
hlrcrun: node 2 thread 0 waits since S s for a signal of condition variable 0
hlrcrun: deadlock: node 0 waits for a signal of condition variable 0, which no thread is left to send
END
    ends $protocol-threads 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 12 held by node 0 thread 1
hlrcrun: node 0 thread 1 waits since S s for lock 11 held by node 0 thread 0
hlrcrun: node 1 thread 0 waits since S s for barrier 3: node 0 has not arrived; it waits for lock 12 held by node 0 thread 1
hlrcrun: node 2 thread 0 waits since S s for barrier 3: node 0 has not arrived; it waits for lock 12 held by node 0 thread 1
hlrcrun: deadlock: node 0 thread 0 waits for lock 12 held by node 0 thread 1, which waits for lock 11 held by node 0 thread 0
END
    ends $protocol-group 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for the barrier of group 0: node 1 has not arrived; it waits for lock 3 held by node 0
hlrcrun: node 1 thread 0 waits since S s for lock 3 held by node 0
hlrcrun: node 2 thread 0 waits since S s for barrier 4: nodes 0, 1 have not arrived; node 0 waits for the barrier of group 0
hlrcrun: deadlock: node 0 waits at the barrier of group 0 for node 1, which waits for lock 3 held by node 0
END
    ends $protocol-create 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for hlrc_group_create of node 1: node 1 has not reached it; it waits for lock 3 held by node 0
hlrcrun: node 1 thread 0 waits since S s for lock 3 held by node 0
hlrcrun: node 2 thread 0 waits since S s for barrier 4: nodes 0, 1 have not arrived; node 0 waits for hlrc_group_create of node 1
hlrcrun: deadlock: node 0 waits for hlrc_group_create of node 1, which waits for lock 3 held by node 0
END
done
ends finalize 123 <<'END'
hlrc: node 0: hlrc_finalize, but this node holds lock 3 (thread 0); call hlrc_unlock first
hlrcrun: node 0 thread 0 waits since S s for barrier 4 (hlrc_finalize): node 1 has not arrived; it waits for lock 3 held by node 0
hlrcrun: node 1 thread 0 waits since S s for lock 3 held by node 0
hlrcrun: node 2 thread 0 waits since S s for barrier 4 (hlrc_finalize): node 1 has not arrived; it waits for lock 3 held by node 0
hlrcrun: deadlock: node 0 waits at barrier 4 (hlrc_finalize) for node 1, which waits for lock 3 held by node 0
END
ends ended 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 6 held by a thread of node 0 that has ended
hlrcrun: node 1 thread 0 waits since S s for barrier 3: node 0 has not arrived; it waits for lock 6 held by a thread of node 0 that has ended
hlrcrun: node 2 thread 0 waits since S s for barrier 3: node 0 has not arrived; it waits for lock 6 held by a thread of node 0 that has ended
hlrcrun: deadlock: node 0 waits for lock 6 held by a thread of node 0 that has ended
END
ends left 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 6 held by node 1
hlrcrun: node 1 thread 0 waits since S s for barrier 4: node 0 has not arrived; it waits for lock 6 held by node 1
hlrcrun: node 2 thread 0 waits since S s for barrier 4: node 0 has not arrived; it waits for lock 6 held by node 1
hlrcrun: deadlock: node 0 waits for lock 6 held by node 1, which waits at barrier 4 for node 0
END
ends split 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 5 held by node 2
hlrcrun: node 1 thread 0 waits since S s for barrier 5 (hlrc_finalize): nodes 0, 2 have not arrived; node 0 waits for lock 5 held by node 2
hlrcrun: node 2 thread 0 waits since S s for barrier 4: node 0 has not departed from it; it waits for lock 5 held by node 2
hlrcrun: deadlock: node 0 waits for lock 5 held by node 2, which waits at barrier 4 for the departure of node 0
END
ends one-ended 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 6 held by a thread of node 0 that has ended
hlrcrun: deadlock: node 0 waits for lock 6 held by a thread of node 0 that has ended
END
ends one-conds 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for a signal of condition variable 0
hlrcrun: deadlock: node 0 waits for a signal of condition variable 0, which no thread is left to send
END
# at once
for id in manager-relock mcs-relock; do
    ends $id 123 <<'END'
hlrc: node 0: deadlock: node 0 waits for lock 3, which it holds itself: thread 0 calls hlrc_lock twice; unlock it in between, locks are not recursive
END
done

for id in {ardmar,async,onesided}-{signal,helper} {ardmar,onesided}-stopped ardmar-sleep; do goes_on $id 3; done
for id in ardmar-compute {manager,mcs}-trickle; do goes_on $id 2; done
ends abba-stopped 123 <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 1 held by node 1
hlrcrun: node 1 thread 0 waits since S s for lock 0 held by node 0
hlrcrun: deadlock: node 0 waits for lock 1 held by node 1, which waits for lock 0 held by node 0
END
finish
