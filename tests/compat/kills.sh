#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs with --checkpoint lose a random node, or hlrcrun, at random moments, within checkpoints and restarts as well. Each is
# continued until it ends, with the result of a job that was not interrupted; some by --restarts, or by --partner, where the
# memory of the node is often lost as well. KILLS_JOBS, or --rounds N: jobs of each program; KILLS_SEED. Half of the jobs of
# `saved` are saved each second, and continue while that is written.
. "$(dirname "$0")/compatlib.sh"
jobs_are_saved
build team restart/team.c gcc hlrcc
build threads restart/threads.c gcc hlrcc
programs=(team threads)
if [ -x "$top_builddir/tests/blackbox/saved" ]; then
    programs+=(saved)
fi
saved=$(realpath -m "$top_builddir/tests/blackbox/saved")
cd "$work" || exit 99
echo ax >input
test "${1-}" != --rounds || KILLS_JOBS=$2
jobs=${KILLS_JOBS:-1} seed=${KILLS_SEED:-$$} deaths=0 restarts=0 itself=0 losses=0 seconds=0 ends=0
mkdir mem
RANDOM=$seed

start() { # OPTIONS...: of hlrcrun, in the background
    "$hlrcrun" "$@" >out 2>err </dev/null &
    job=$!
}

is_freed() {
    test -z "$(ls mem)"
}

has_checkpoint() {
    local name
    for name in dir/manifest.[0-9]*; do
        test -e "$name" && return 0
    done
    return 1
}

continue_job() {
    if has_checkpoint; then
        restarts=$((restarts + 1))
        start -n "$1" --restart dir --checkpoint $interval:dir "${more[@]}"
    else
        rm -rf dir steps
        start -n "$1" --checkpoint $interval:dir "${more[@]}" "${command[@]}"
    fi
}

# kill_with_memory PROCESS: of a node; hlrcrun learns of it when the memory is lost
kill_with_memory() {
    local node
    node=$(cat "/proc/$1/environ" 2>/dev/null | tr '\0' '\n' | sed -n 's/^HLRC_NODE=//p')
    kill -STOP $job 2>/dev/null
    kill -9 "$1" 2>/dev/null
    if test -n "$node"; then
        "$within" 5 tail --pid="$1" -s 0.01 -f /dev/null
        rm -rf mem/*/"$node" && losses=$((losses + 1))
    fi
    kill -CONT $job 2>/dev/null
}

node_or() { # OTHER: a process of the job, or that one
    local -a all
    read -ra all <<<"$(processes_of "$path" | tr '\n' ' ')"
    test ${#all[@]} -gt 0 || all=("$1")
    victim=${all[RANDOM % ${#all[@]}]}
}

kill_one() {
    if test $kind = 2 && test "$path" = "$saved" && test "$victim" != $job && test $((RANDOM % 2)) = 0; then
        kill_with_memory "$victim" && deaths=$((deaths + 1))
    else
        kill -9 "$victim" 2>/dev/null && deaths=$((deaths + 1))
    fi
}

# At times another node dies at the same moment, or shortly after it: while hlrcrun continues the job, and the nodes recover it.
kill_something() {
    local victim first
    sleep "0.$(printf %03d $((RANDOM % 700)))"
    victim=$job
    test $((RANDOM % 5)) = 0 || node_or $job
    first=$victim
    kill_one
    if test "$first" != $job && test $((RANDOM % 2)) = 0; then
        test $((RANDOM % 3)) = 0 || sleep "0.$(printf %03d $((RANDOM % 400)))"
        node_or ''
        test -z "$victim" || test "$victim" = "$first" || { kill_one && seconds=$((seconds + 1)); }
    fi
    test ${#more[@]} = 0 || test "$first" = $job || return 0
    # the victim may have been the process that writes a checkpoint, without which the job continues
    "$within" 1 tail --pid=$job -s 0.02 -f /dev/null || kill -9 $job
    wait $job 2>/dev/null
    await gone "$path"
}

# With --restarts it may have had no checkpoint from which to continue.
has_ended() {
    ! kill -0 $job 2>/dev/null
}

one_job() { # PROGRAM
    local what="$1, seed $seed, job $turn" status=0 kind=$((RANDOM % 3))
    rm -rf dir steps go
    more=() interval=0 command=("$path")
    if test "$1" = saved; then
        command+=(60 any)
        test $((RANDOM % 2)) = 0 || { command+=(slow) interval=1; }
    fi
    test "$1" != saved || test $((RANDOM % 3)) = 0 || kind=2
    test $kind != 1 || more=(--restarts 1000)
    test $kind != 2 || more=(--partner mem)
    continue_job $(((kind == 2 ? 2 : 1) + RANDOM % 3))
    for _ in 1 2 3; do
        kill_something
        ! grep -e --restart err || fail "$what: refused" # status 0: it had ended
        if test ${#more[@]} = 0 || has_ended; then continue_job $((1 + RANDOM % 3)); fi
    done
    touch go
    "$within" 120 tail --pid=$job -s 0.05 -f /dev/null || kill -9 $job
    wait $job || status=$?
    if test $status = 137 && grep -q -e 'not continued: no checkpoint' -e ' in memory is lost, since no copy of node . is left; no' err; then
        status=0 ends=$((ends + 1))
        continue_job 2
        wait $job || status=$?
    fi
    itself=$((itself + $(grep -c 'continues from' err)))
    test $status = 0 || fail "$what: status $status: $(head -3 err)"
    if test "$1" = saved; then
        test "$(tail -n 1 out)" = "$(tail -n 1 wanted)" || fail "$what: $(tail -n 2 out) instead of $(tail -n 1 wanted)"
    else
        cmp -s out wanted || fail "$what: $(diff out wanted | head -3)"
        cmp -s steps wanted.steps || fail "$what: steps: $(diff steps wanted.steps | head -3)"
    fi
}

for program in "${programs[@]}"; do
    path=$work/$program
    touch go
    if test "$program" = saved; then
        path=$saved
        "$hlrcrun" -n 1 "$saved" 60 any >wanted 2>err || fail "saved: $(head -3 err)"
    else
        rm -f steps
        "./$program.gomp" >wanted 2>/dev/null
        cp steps wanted.steps
    fi
    for ((turn = 1; turn <= jobs; turn++)); do
        one_job "$program"
    done
done
await is_freed
echo "$deaths deaths, $seconds of them right after another, $losses with memory, $restarts restarts, $itself by hlrcrun itself, $ends from the beginning"
finish
