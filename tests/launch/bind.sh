# SPDX-License-Identifier: LGPL-2.1-or-later
# What nodes are bound to: on machines that hwloc is told of (HWLOC_SYNTHETIC), by --report-bindings; on this one, by what
# the kernel says. Jobs that run at once take other cores.
. "$(dirname "$0")/lib.sh"
for variable in ${!HWLOC_@}; do
    unset $variable
done

reported() { # WHAT LINES: nothing else is on standard error
    expect_status "$1" 0
    test "$(sed 's/^hlrcrun: //' "$work/err")" = "$2" || fail "$1: $(cat "$work/err")"
}

plan() { # MACHINE ARGUMENTS LINES
    HWLOC_SYNTHETIC=$1 run "$hlrcrun" $2 --report-bindings true
    reported "$1, $2" "$3"
}

node() { # NUMBER CPUS CORES [NUMA]
    local s='' numas=''
    case $2 in *[-,]*) s=s ;; esac
    case ${4-} in *[-,]*) numas=s ;; esac
    echo "node $1 is bound to cpu$s $2: $3 core$(test "$3" = 1 || echo s)${4:+ of NUMA node$numas $4}"
}

# ---- what hlrcrun says of machines that are not here ----

if "$hlrc_info" | grep -q '^  cores  *by hwloc'; then
    big='package:2 numa:2 core:16 pu:2'
    plan "$big" '-n 2' "$(node 0 0-63 32 0-1; node 1 64-127 32 2-3)"
    plan "$big" '-n 2 --bind share' "$(node 0 0-63 32 0-1; node 1 64-127 32 2-3)"
    plan "$big" '-n 4' "$(node 0 0-31 16 0; node 1 32-63 16 1; node 2 64-95 16 2; node 3 96-127 16 3)"
    plan "$big" '-n 8' "$(for i in 0 1 2 3 4 5 6 7; do node $i $((16 * i))-$((16 * i + 15)) 8 $((i / 2)); done)"
    plan "$big" '-n 3' "$(node 0 0-41 21 0-1; node 1 42-83 21 1-2; node 2 84-127 22 2-3)"
    plan "$big" '-n 64' "$(for ((i = 0; i < 64; i++)); do node $i $((2 * i))-$((2 * i + 1)) 1 $((i / 16)); done)"
    plan "$big" '-n 65' 'no node is bound: more nodes than cores'
    plan "$big" '-n 65 --bind share' 'no node is bound: more nodes than cores'
    plan "$big" '-n 2 --bind core' "$(node 0 0-1 1 0; node 1 2-3 1 0)"
    plan "$big" '-n 2 --bind-to core' "$(node 0 0-1 1 0; node 1 2-3 1 0)"
    plan "$big" '-n 2 --bind none' 'no node is bound: --bind none'
    plan "$big" '-n 1' 'no node is bound: a job of one node has the whole machine'
    plan "$big" '-n 1 --bind core' "$(node 0 0-1 1 0)"
    # siblings have other numbers on most machines
    plan 'package:2 core:4 pu:2(indexes=2*8:8*1)' '-n 4' \
        "$(node 0 0-1,8-9 2; node 1 2-3,10-11 2; node 2 4-5,12-13 2; node 3 6-7,14-15 2)"
    # NUMA nodes whose CPUs take turns
    plan 'numa:2 core:4 pu:1(indexes=0,2,4,6,1,3,5,7)' '-n 2' "$(node 0 0,2,4,6 4 0; node 1 1,3,5,7 4 1)"
    # nobody has a single core while there are more of them than nodes
    plan 'core:3 pu:1' '-n 2' "$(node 0 0-1 2; node 1 1-2 2)"
    plan 'core:5 pu:1' '-n 2' "$(node 0 0-1 2; node 1 2-4 3)"
    plan 'core:5 pu:1' '-n 4' "$(node 0 0-1 2; node 1 1-2 2; node 2 2-3 2; node 3 3-4 2)"
    plan 'core:4 pu:1' '-n 4' "$(node 0 0 1; node 1 1 1; node 2 2 1; node 3 3 1)"
    plan 'core:2 pu:1' '-n 5 --bind core' "$(node 0 0 1; node 1 1 1; node 2 0 1; node 3 1 1; node 4 0 1)"

    # ---- jobs at once: a machine of this test's own, by the size of its memory ----

    export HWLOC_SYNTHETIC="numa:2(memory=$$) core:4 pu:1"
    begin_waiting 2 --bind core
    first=$launcher
    run "$hlrcrun" -n 2 --bind core --report-bindings true
    reported "a second job" "$(node 0 2 1 0; node 1 3 1 0)"
    run "$hlrcrun" -n 2 --report-bindings true
    reported "a second job, shares" "$(node 0 2-4 3 0-1; node 1 5-7 3 1)"
    run "$hlrcrun" -n 6 --report-bindings true # one more core than nodes, or they would have one each
    reported "a second job, nearly all" "$(for i in 0 1 2 3 4 5; do
        node $i $((8 * i / 6))-$(((8 * i + 13) / 6 - 1)) 2 $((i / 3)); done)"
    HWLOC_SYNTHETIC="numa:2(memory=$$$$) core:4 pu:1" run "$hlrcrun" -n 2 --bind core --report-bindings true
    reported "another machine" "$(node 0 0 1 0; node 1 1 1 0)"
    # as much again by another one, then by all: who comes next has to share, and takes what is shared by fewest
    begin_waiting 8 --bind core
    second=$launcher
    run "$hlrcrun" -n 2 --bind core --report-bindings true
    reported "all are taken, two of them twice" "$(node 0 2 1 0; node 1 3 1 0)"
    # the kernel gives back what a job had that is killed
    kill -9 "$first"
    wait "$first" 2>/dev/null
    begin_waiting 2 --bind core
    third=$launcher
    run "$hlrcrun" -n 2 --bind core --report-bindings true
    reported "after a job was killed" "$(node 0 2 1 0; node 1 3 1 0)"
    kill "$second" "$third"
    wait "$second" "$third" 2>/dev/null
    run "$hlrcrun" -n 2 --bind core --report-bindings true
    reported "after all" "$(node 0 0 1 0; node 1 1 1 0)"

    # jobs that begin together
    jobs=()
    for i in 1 2 3 4; do
        HLRCTEST_MARK=$mark "$hlrcrun" -n 2 --bind core --report-bindings "$probe" wait >"$work/out.$i" 2>"$work/err.$i" &
        jobs+=($!)
    done
    all_ready() {
        test "$(cat "$work"/out.[1-4] | grep -c '^ready')" -eq 8
    }
    until_true 60 all_ready || fail "jobs at once: $(cat "$work"/err.[1-4])"
    test "$(cat "$work"/err.[1-4] | sed -n 's/.* cpu \([0-9]*\): .*/\1/p' | sort -n | tr '\n' ' ')" = '0 1 2 3 4 5 6 7 ' ||
        fail "jobs at once: $(cat "$work"/err.[1-4])"
    kill "${jobs[@]}"
    wait "${jobs[@]}" 2>/dev/null
    expect_nothing_left "jobs at once"
    unset HWLOC_SYNTHETIC
else
    echo "note: built without hwloc, each CPU is a core"
fi

# ---- what the kernel says here ----

# each node's own, in their order
masks() {
    run "$hlrcrun" "$@" --report-bindings sh -c 'echo "$HLRC_NODE $(sed -n "s/Cpus_allowed_list:\t//p" /proc/self/status)"'
    expect_status "$*" 0
    sort -n "$work/out"
}
own=$(sed -n 's/Cpus_allowed_list:\t//p' /proc/self/status)
cpus=$(nproc)
for arguments in "-n $cpus" "-n $cpus --bind core" '-n 1 --bind core' "-n $((cpus + 1)) --bind core"; do
    got=$(masks $arguments)
    said=$(sed -n 's/^hlrcrun: node \([0-9]*\) is bound to cpus\{0,1\} \([0-9,-]*\): .*/\1 \2/p' "$work/err")
    # with several CPUs to a core there are not as many cores
    test "$got" = "$said" || grep -q 'more nodes than cores' "$work/err" || fail "$arguments: '$got' is not '$said'"
done
for arguments in '-n 1' '-n 2 --bind none' "-n $((cpus + 1))" "-n $((cpus + 1)) --bind share"; do
    test "$(masks $arguments | cut -d' ' -f2 | sort -u)" = "$own" || fail "$arguments: $(cat "$work/out")"
    grep -q '^hlrcrun: no node is bound: ' "$work/err" || fail "$arguments: $(cat "$work/err")"
done

# A name by which jobs choose one after the other, held by another user, delays no job: each waited a second for it.
if test "$(id -u)" -eq 0 && command -v python3 >/dev/null; then
    begin_waiting 1 --bind core
    identity=$(sed -n 's/.*@hlrc-core-\([0-9a-f]*\)-.*/\1/p' /proc/net/unix | head -n 1)
    kill -TERM "$launcher"
    end
    python3 -c 'import os, socket, sys, time
os.setuid(65534)
held = [socket.socket(socket.AF_UNIX, kind) for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)]
for s in held: s.bind("\0hlrc-cores-" + sys.argv[1])
held[1].listen(100)
print("bound", flush=True)
time.sleep(600)' "$identity" >"$work/bound" &
    squatter=$!
    until_true 30 grep -q bound "$work/bound" || fail "the name of jobs is not @hlrc-cores-$identity: $(cat "$work/bound")"
    run bash -c 'for ((i = 0; i < 20; i++)); do "$hlrcrun" -n 1 --bind core true || exit; done'
    expect_status "another user's name" 0
    test "$took" -lt 15000 || fail "another user's name: 20 jobs took $took ms"
    kill $squatter
    wait $squatter 2>"$work/wait"
fi

# a mask that hlrcrun itself has, and a control group's
last=${own##*[,-]}
if test "$cpus" -gt 1 && command -v taskset >/dev/null; then
    run taskset -c "$last" "$hlrcrun" -n 1 --bind core sh -c 'sed -n "s/Cpus_allowed_list:\t//p" /proc/self/status'
    expect_out "a mask, core" "$last"
    run taskset -c "$last" "$hlrcrun" -n 2 --report-bindings true
    reported "a mask" 'no node is bound: more nodes than cores'
fi
group=/sys/fs/cgroup/cpuset/hlrc-test-$$
if test "$cpus" -gt 1 && mkdir "$group" 2>/dev/null; then
    trap 'test "$BASHPID" != $$ || { rmdir "$group"; rm -rf "$work"; }' EXIT
    if cat /sys/fs/cgroup/cpuset/cpuset.mems >"$group/cpuset.mems" && echo "$last" >"$group/cpuset.cpus"; then
        run bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$hlrcrun" -n 2 --bind core --report-bindings true
        reported "a control group" "$(node 0 "$last" 1; node 1 "$last" 1)"
    fi
fi

# a container without /sys: nodes are bound by the numbers of the CPUs, without a word of hwloc
if unshare --mount mount -t tmpfs none /sys 2>/dev/null; then
    run unshare --mount bash -c 'mount -t tmpfs none /sys && exec "$hlrcrun" -n 1 --bind core true'
    expect_status "no /sys" 0
    test ! -s "$work/err" || fail "no /sys: $(cat "$work/err")"
fi
finish
