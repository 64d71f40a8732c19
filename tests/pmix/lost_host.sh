# SPDX-License-Identifier: LGPL-2.1-or-later
# A job on two hosts of three loses one, which dies or is no longer reached. It continues with the spare one, or ends
# with one line if there is none. With --partner all that is left is in the memory of the other host.
. "$(dirname "$0")/hosts_lib.sh"
hosts_isolate "$0"
. "$(dirname "$0")/lib.sh"
need_mpirun
saved=$top_builddir/tests/blackbox/saved
test -x "$saved" || skip "$saved is not built"
hosts_up "$work"
host_up h3 3
on h1 "$(realpath "$hlrc_info")" | grep -q '^  ofi  *available' || skip "no libfabric (libfabric1), or it is left out of this build"
cd "$work" || exit 99
export HLRC_PEER_TIMEOUT=3 HLRC_PROTOCOL=${LOST_HOST_PROTOCOL:-ardmar}

begin_saved() { # OPTIONS, PROGRAM...
    rm -rf dir
    begin "$hlrcrun" --checkpoint 0:dir --restarts 2 "$@"
    until_true 60 grep -q waits "$work/out" || fail "nodes did not start: $(cat "$work/err")"
}
ends() { # WHAT STATUS LINE: the one line of hlrcrun, besides the one with its command
    expect_status "$1" "$2"
    echo "note: $1: $took ms"
    grep '^hlrcrun: ' "$work/err" | grep -v '^hlrcrun: mpirun starts ' >lines
    test "$(cat lines)" = "${3:+hlrcrun: $3}" || fail "$1: not '$3': $(cat "$work/err")"
    expect_nothing_left "$1"
}
right() { # WHAT: the result, after one restart
    grep -q '^restored 5$' "$work/out" || fail "$1: $(cat "$work/out")"
    test "$(grep ^grid "$work/out")" = "$plain" || fail "$1: wrong result: $(cat "$work/out")"
}

run "$hlrcrun" -n 4 "$saved" 24
plain=$(grep ^grid "$work/out")

# not reached: its nodes end themselves when they find themselves alone
begin_saved -n 4 --hosts h1:2,h2:2,h3:2 "$saved" 24 wait=5
ip link set v2 down
end
ip link set v2 up
until_true 20 reaches h2 h1 && until_true 20 reaches h2 login || fail "h2 is not back"
ends "not reached" 0 "continues from checkpoint 6 in $work/dir; restarts left: 1; host h2 is lost: nodes 2-3 now on h3"
right "not reached"

# died; the spare host is the first one
begin_saved -n 3 --hosts h2:1,h1:2,h3:1 "$saved" 24 wait=5
host_down h2
end
ends "died" 0 "continues from checkpoint 6 in $work/dir; restarts left: 1; host h2 is lost: node 0 now on h3"
right "died"

# no place is left
begin_saved --hosts h1:2,h3:2 "$saved" 24 wait=5
host_down h3
end
test "$status" != 0 || fail "no place: status 0"
status=1
ends "no place" 1 "not continued: host h3 is lost: no place is left for nodes 2-3; checkpoint 6 is the newest: hlrcrun --restart $work/dir"

host_up h3 3

# a node that is killed runs again where it was, and a job that fails ends
begin_saved --hosts h1:2 "$saved" 24 wait=5
kill -9 "$(left | while read -r pid; do test "$(cat "/proc/$pid/comm")" = saved && echo "$pid"; done | head -n 1)"
end
ends "a node" 0 "continues from checkpoint 6 in $work/dir; restarts left: 1"
right "a node"
rm -rf dir
run "$hlrcrun" --checkpoint 0:dir --restarts 2 --hosts h1:2 "$saved" 24 leave=5
expect_status "a node that fails" 3
! grep 'continue' "$work/err" || fail "a node that fails: $(cat "$work/err")"

# another number of nodes; not of a program that is saved for one number
resized() { # N
    "$hlrcrun" --resize "$1" "$launcher" >"$work/said" 2>&1 || fail "--resize $1: $(cat "$work/said")"
}
run "$hlrcrun" -n 4 "$saved" 100
longer=$(grep ^grid "$work/out")
begin_saved -n 2 --hosts h1:2,h3:2 --checkpoint 1h:dir "$saved" 100 slow any wait=5
resized 4
end
ends "resized" 0 "saved in checkpoint 1; continues with 4 instead of 2 nodes"
grep -q '^restored 6$' "$work/out" || fail "resized: $(cat "$work/out")"
test "$(grep ^grid "$work/out" | tail -n 1)" = "$longer" || fail "resized: wrong result: $(cat "$work/out")"
begin_saved -n 2 --hosts h1:2,h3:2 --checkpoint 1h:dir "$saved" 24 slow wait=5
resized 4
end
ends "not resized" 0 "not resized from 2 to 4 nodes: the program is saved by hlrc_checkpoint for this number of nodes; have it call hlrc_checkpoint_any; the job continues"
test "$(grep ^grid "$work/out")" = "$plain" || fail "not resized: wrong result: $(cat "$work/out")"
begin_saved -n 2 --hosts h1:2,h3:2 --checkpoint 1h:dir "$saved" 24 slow any window wait=5
resized 4
end
ends "windows" 0 "not resized from 2 to 4 nodes: the program has windows (hlrc_window_create), which are saved for this number of nodes only; the job continues"

# ---- checkpoints in memory ----
all='h1 h3'
stores() { # the directories in the memory of all hosts
    for host in $all; do on $host find /dev/shm -maxdepth 1 -name 'hlrc-*'; done
}
is_freed() {
    test -z "$(stores)"
}
freed() { # WHAT
    until_true 10 is_freed || fail "$1: not freed: $(stores)"
}
memory() { # OPTIONS, PROGRAM...
    begin_saved --partner on "$@"
    test -z "$(ls dir)" || fail "on the disk: $(ls dir)"
}

# a host with the only copies of its nodes' files, in memory; the nodes on the other host have theirs
host_up h2 2
all='h1 h2 h3'
on h2 mkdir /dev/shm/hlrc-hosts.old /dev/shm/hlrc-hosts.new
on h2 touch -d '2 hours ago' /dev/shm/hlrc-hosts.old
memory -n 4 --hosts h1:2,h2:2,h3:2 "$saved" 24 private wait=5
test "$(on h2 sh -c 'ls -d /dev/shm/hlrc-hosts.[on]*')" = /dev/shm/hlrc-hosts.new || fail "swept: $(stores)"
on h2 rmdir /dev/shm/hlrc-hosts.new
for host in h1 h2; do
    test "$(echo $(on $host sh -c 'ls /dev/shm/hlrc-hosts.*/' | grep ^6.node))" = '6.node.0 6.node.1 6.node.2 6.node.3' ||
        fail "files of $host: $(on $host find /dev/shm)"
done
host_down h2
all='h1 h3'
end
ends "memory of a host" 0 "continues from the newest checkpoint in memory; restarts left: 1; host h2 is lost: nodes 2-3 now on h3"
right "memory of a host"
freed "memory of a host"

# nodes in unequal numbers, a node that is killed, and the user's signal, which has it saved on the disk
memory --hosts h1:3,h3:1 "$saved" 24 private wait=5
kill -9 "$(left | while read -r pid; do test "$(cat "/proc/$pid/comm")" = saved && echo "$pid"; done | head -n 1)"
end
ends "memory, a node" 0 "continues from the newest checkpoint in memory; restarts left: 1"
right "memory, a node"
freed "memory, a node"
memory --hosts h1:2,h3:2 "$saved" 24 wait=5
kill -USR1 "$launcher"
until_true 20 grep -q ^grid "$work/out"
end
ends "SIGUSR1" 0 ''
test -e dir/manifest.7 || fail "SIGUSR1: $(ls dir)"
freed "SIGUSR1"

memory -n 2 --hosts h1:2,h3:2 "$saved" 100 slow any wait=5
resized 4
end
ends "memory, resized" 0 "saved in checkpoint 7; continues with 4 instead of 2 nodes"
test "$(grep ^grid "$work/out" | tail -n 1)" = "$longer" || fail "memory, resized: wrong result: $(cat "$work/out")"
freed "memory, resized"

# both copies are lost; hlrcrun is killed
memory --hosts h1:2,h3:2 "$saved" 24 wait=5
for host in h1 h3; do on $host sh -c 'rm /dev/shm/hlrc-hosts.*/[56].node.2'; done
kill -9 "$(left | while read -r pid; do test "$(cat "/proc/$pid/comm")" = saved && echo "$pid"; done | head -n 1)"
end
ends "both copies" 1 "continues from the newest checkpoint in memory; restarts left: 1"
grep -q '^hlrc: node 0: not continued: checkpoint 6 in memory is lost, since no copy of node 2 is left; no checkpoint is on a disk$' "$work/err" ||
    fail "both copies: $(cat "$work/err")"
freed "both copies"
memory --hosts h1:2,h3:2 "$saved" 24 wait=5
kill -9 "$launcher"
end
expect_nothing_left "kill of hlrcrun"
freed "kill of hlrcrun"

# no place is left
memory --hosts h1:2,h3:2 "$saved" 24 wait=5
host_down h3
all=h1
end
status=1
ends "memory, no place" 1 "not continued: host h3 is lost: no place is left for nodes 2-3; no checkpoint is on a disk"
freed "memory, no place"
finish
