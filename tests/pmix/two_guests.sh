# SPDX-License-Identifier: LGPL-2.1-or-later
# One job across two machines with RDMA devices: two virtual machines (scripts/rdma-guest), two nodes on each, started by a
# launcher in them, over the verbs fabric, the mixed one and ofi (VERBS_WHOLE=1: each under both protocols). At last the
# machines are cut off from each other.
# The launcher is mpirun, or else srun; with VERBS_WHOLE=1 both, one after the other, and one of the machines is killed.

# ---- inside: both machines run this; jobs start on the first ----

# What mpirun calls in place of ssh: AGENT HOST COMMAND...; the other machine takes commands out of the common folder.
mpirun_agent() {
    cat >"$1/agent" <<'AGENT'
#!/bin/bash
at=$(dirname "$0") host=$1 id=$$
shift
echo "$*" >"$at/new.$id"
mv "$at/new.$id" "$at/command.$host.$id"
until test -e "$at/status.$id"; do sleep 0.1; done
exit "$(cat "$at/status.$id")"
AGENT
    chmod +x "$1/agent"
}

serve_commands() {
    local file id
    for file in "$1/command.guest$RDMA_GUEST".*; do
        test -e "$file" || continue
        id=${file##*.}
        mv "$file" "$1/taken.$id"
        (sh -c "$(cat "$1/taken.$id")" </dev/null >>"$1/agent.log" 2>&1; echo $? >"$1/status.$id") &
    done
}

start_launcher() { # launcher, folder
    if test "$1" = mpirun; then
        test "$RDMA_GUEST" != 0 || mpirun_agent "$2"
        return
    fi
    . "$2/slurm_lib.sh"
    slurm_configure /tmp/slurm guest0=10.77.0.1 guest1=10.77.0.2
    test "$RDMA_GUEST" != 0 || slurmctld -D -c >/tmp/controller 2>&1 </dev/null &
    slurmd -D -N "guest$RDMA_GUEST" >/tmp/daemon 2>&1 </dev/null &
    test "$RDMA_GUEST" = 0 || return 0
    for ((i = 0; i < 60; i++)); do
        slurm_idle 2 && return
        sleep 1
    done
    cat /tmp/controller /tmp/daemon
    return 1
}

# job COMMAND...: on both machines, with the HLRC_ variables of this shell
job() {
    local name pass=()
    if test "$launcher" = srun; then
        exec srun --mpi=pmix -N 2 -n 4 --ntasks-per-node=2 --distribution=block "$@"
    fi
    for name in LD_LIBRARY_PATH $(compgen -e | grep ^HLRC_); do pass+=(-x "$name"); done
    exec mpirun --host guest0:2,guest1:2 -n 4 --mca plm_rsh_agent "$work/agent" "${pass[@]}" "$@"
}

limited() { # SECONDS COMMAND...: a job that may hang
    (job "${@:2}") &
    local pid=$! i
    for ((i = 0; i < $1 * 5; i++)); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.2
    done
    kill -KILL $pid 2>/dev/null
    wait $pid
}

# This machine is gone from one moment to the next, and nothing on it says farewell.
die_now() {
    echo 0 >"/run/rdma-guest/status.$RDMA_GUEST" # it is meant
    echo b >/proc/sysrq-trigger
    sleep 1000
}

# The link of the second machine goes down while all nodes wait for a barrier; or the machine is killed.
cut_off() {
    local card
    test "$loss" = cut || die_now
    card=$(ls -d /sys/class/net/*/device | head -n 1)
    card=${card%/device}
    ip link set "${card##*/}" down
    watch_end
}

# Milliseconds until no node runs on this machine any more.
watch_end() {
    local begun=${EPOCHREALTIME/[.,]/} i
    for ((i = 0; i < 700; i++)); do
        pgrep -x waiting >/dev/null || break
        sleep 0.1
    done
    echo $(((${EPOCHREALTIME/[.,]/} - begun) / 1000)) >"$work/ended.$RDMA_GUEST"
}

second_machine() {
    until test -e "$work/cut" || test -e "$work/done"; do
        serve_commands "$work"
        sleep 0.2
    done
    if test -e "$work/cut"; then cut_off; fi
    until test -e "$work/done"; do sleep 0.5; done
}

run_jobs() {
    local run
    for run in $(cat "$work/runs"); do
        export HLRC_FABRIC=${run%.*} HLRC_PROTOCOL=${run#*.} HLRC_STATS="$work/$run.json"
        limited 100 "$work/is" -c S >"$work/$run" 2>&1
    done
    unset HLRC_STATS
    HLRC_FABRIC=shm limited 60 "$work/is" -c S >"$work/shm" 2>&1
}

first_machine() {
    test "$loss" != cut || run_jobs
    export HLRC_FABRIC=verbs
    (job "$work/waiting" 100) >"$work/waiting.out" 2>"$work/waiting.err" &
    for ((i = 0; i < 300; i++)); do
        test "$(grep -c waits "$work/waiting.out")" -lt 4 || break
        sleep 0.2
    done
    touch "$work/cut"
    watch_end
    sleep 1         # its output
    kill -KILL $!   # it goes on looking for the other machine
}

if test "${1-}" = --inside; then
    launcher=$2 work=$3 loss=$4
    export LD_LIBRARY_PATH=$work HLRC_MEMORY=64M
    ulimit -l unlimited # of daemons, whose tasks inherit it
    if ! start_launcher "$launcher" "$work"; then
        touch "$work/no-launcher" "$work/done"
        exit 1
    fi
    if test "$RDMA_GUEST" != 0; then second_machine; else first_machine; fi
    touch "$work/done"
    exit 0
fi

# ---- outside ----

. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_VERBS 1' "$top_builddir/config.h" || skip "the verbs fabric is not in this build (libibverbs-dev)"
test -z "${HLRC_TEST_SANITIZERS-}" || skip "sanitizers are too slow in an emulated machine"
launchers=()
for tool in mpirun srun; do
    if command -v $tool >/dev/null && { test $tool = mpirun || command -v slurmd >/dev/null; }; then launchers+=($tool); fi
done
test ${#launchers[@]} -gt 0 || skip "neither mpirun (openmpi-bin) nor Slurm (slurm-wlm, slurm-wlm-basic-plugins) is installed"
test -n "${VERBS_WHOLE-}" || launchers=("${launchers[0]}")
runs='verbs.ardmar mixed.async ofi.async'
test -z "${VERBS_WHOLE-}" || runs='verbs.ardmar verbs.async mixed.ardmar mixed.async ofi.ardmar ofi.async'

check_job() { # RUN: "FABRIC.PROTOCOL"
    grep -q "nodes  *4, protocol ${1#*.}" "$at/$1" && grep -q 'verification  SUCCESSFUL' "$at/$1" ||
        fail "$launcher, $1: $(cat "$at/$1")"
    grep -q "\"fabric\": *\"${1%.*}[ \"]" "$at/$1.json" || fail "$launcher, $1: not over ${1%.*}"
    sed -n "s/^  time  */$launcher, $1, 4 nodes on 2 machines: /p" "$at/$1"
}

check_loss() { # GUEST
    local ended
    ended=$(cat "$at/ended.$1")
    echo "$launcher: $loss, the nodes on guest$1 ended after $ended ms"
    test "$ended" -gt 500 && test "$ended" -lt 60000 ||
        fail "$launcher: $loss, the nodes on guest$1 ended after $ended ms (--peer-timeout 5)"
}

check_jobs() {
    for job in $runs; do check_job $job; done
    grep -qE '^hlrc: node 0: fabric shm: nodes 0 \(host guest0\) and 2 \(host guest1\) share no memory: .* different machines; use --fabric auto' \
        "$at/shm" || fail "$launcher: shm between machines: $(cat "$at/shm")"
}

two_guests() { # LAUNCHER LOSS: how the second machine is lost at the end, "cut" or "kill"
    local launcher=$1 loss=$2 at=$work/$1.$2 status=0
    mkdir "$at"
    echo "$runs" >"$at/runs"
    # copies, since of this machine's folders the guests may not see all
    cp "$is" "$top_builddir/tests/guest/waiting" "$0" "$(dirname "$0")/slurm_lib.sh" "$at/"
    cp -P "$top_builddir"/.libs/libhlrc.so* "$at/" 2>/dev/null
    "${top_srcdir:-.}/scripts/rdma-guest" --guests 2 --timeout 500 --work "$at" \
        bash "$at/${0##*/}" --inside "$launcher" "$at" "$loss" >"$at/out" 2>"$at/err" || status=$?
    test $status -ne 77 || skip "$(cat "$at/err")"
    test ! -e "$at/no-launcher" || skip "$launcher does not come up in the guests: $(tail -n 2 "$at/out")"
    test $status -eq 0 || fail "$launcher: guests: status $status: $(cat "$at/err")"
    test $loss = kill || check_jobs
    check_loss 0
    test $loss = kill || check_loss 1
    # of a line of the other machine nobody knows whether it comes through
    grep -qE '^hlrc: node [0-3]: verbs: (node [0-3] no longer answers|port 1 of)' "$at/waiting.err" ||
        fail "$launcher: $loss: $(cat "$at/waiting.err")"
}

for launcher in "${launchers[@]}"; do
    two_guests "$launcher" cut
    test -z "${VERBS_WHOLE-}" || two_guests "$launcher" kill
done
finish
