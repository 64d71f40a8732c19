# SPDX-License-Identifier: LGPL-2.1-or-later
# However a job ends: quickly, with one message that names the cause, and with nothing left.
. "$(dirname "$0")/lib.sh"

case_over() { # NAME STATUS PATTERN
    expect_status "$1" "$2"
    expect_quick "$1"
    expect_nothing_left "$1" # the guard too, before its line is looked for
    expect_line "$1" "$3"
}

# what a node does while others wait for it
run "$hlrcrun" -n 4 "$probe" 2 kill 9
case_over "killed" 137 '^hlrcrun: node 2 \(pid [0-9]+\) was killed by signal 9 \(Killed\); ending the job$'
run "$hlrcrun" -n 4 "$probe" 0 kill 6
case_over "SIGABRT" 134 '^hlrcrun: node 0 \(pid [0-9]+\) was killed by signal 6'
run "$hlrcrun" -n 4 "$probe" 1 exit 3
case_over "exit 3" 3 '^hlrcrun: node 1 \(pid [0-9]+\) exited with status 3; ending the job$'
run "$hlrcrun" -n 4 "$probe" 3 leave
case_over "no goodbye" 1 '^hlrcrun: node 3 \(pid [0-9]+\) ended without hlrc_finalize; ending the job$'
run "$hlrcrun" -n 4 "$probe" 3 silent
case_over "no hello" 1 '^hlrcrun: node 3 \(pid [0-9]+\) ended before hlrc_init, where node [0-9] waits for it; ending the job$'
run "$hlrcrun" -n 4 "$probe" 1 report 4
case_over "report" 4 '^hlrc: node 1: something went wrong at 1$'
run "$hlrcrun" -n 4 "$probe" 1 fatal 5
case_over "fatal" 5 '^hlrc: node 1: something fatal happened$'
for status in 0 4; do # hlrc_exit
    run "$hlrcrun" -n 4 "$probe" 2 quit $status
    expect_status "quit $status" $status
    expect_quick "quit $status"
    expect_nothing_left "quit $status"
    test -s "$work/err" && fail "quit $status: $(cat "$work/err")"
done
run "$hlrcrun" -n 1 "$probe" 0 fatal 5
case_over "fatal, one node" 5 '^hlrc: something fatal happened$'
run "$probe" 0 fatal 5
case_over "fatal, no launcher" 5 '^hlrc: something fatal happened$'
if test -z "${HLRC_TEST_SANITIZERS-}"; then # which take SIGSEGV for themselves
    run "$hlrcrun" -n 4 "$probe" 1 segv
    case_over "segv" 139 '^hlrc: node 1: SIGSEGV at 0x10: not shared memory$'
fi
run "$hlrcrun" -n 4 "$probe" 2 mix
case_over "other length" 1 '^hlrcrun: node [0-9] sends 1[67] bytes'

# all nodes fail at once: still one line
run "$hlrcrun" -n 8 sh -c 'exit 5'
case_over "all" 5 '^hlrcrun: node [0-7] \(pid [0-9]+\) exited with status 5; ending the job$'

# programs in scripts: the script's status tells how the program ended, or nothing does
run "$hlrcrun" -n 3 sh -c '$probe 1 kill 9; exit $?' 2>/dev/null
expect_status "in a script" 137
expect_nothing_left "in a script"
grep -q '^hlrcrun: node 1 (pid [0-9]*) was killed by signal 9' "$work/err" || fail "in a script: $(cat "$work/err")"
run "$hlrcrun" -n 3 sh -c '$probe 1 kill 9; sleep 60'
expect_status "in a script that goes on" 1
expect_quick "in a script that goes on"
expect_nothing_left "in a script that goes on"
grep -q '^hlrcrun: node 1 (pid [0-9]*) ended without hlrc_finalize' "$work/err" || fail "in a script: $(cat "$work/err")"
run "$hlrcrun" -n 3 sh -c 'sleep 60 & sleep 60 | cat & $probe 1 exit 2; exit 2'
sed -i '/^Terminated$/d' "$work/err" # by a shell that sees its program end before it is ended itself
case_over "script with children" 2 'node 1 .* exited with status 2'

# kill -9 of a node from outside, also with one that is stopped
begin_waiting 4
kill -9 "$(pid_of 2)"
end
case_over "kill -9" 137 "^hlrcrun: node 2 \(pid $(pid_of 2)\) was killed by signal 9"
begin_waiting 4
kill -STOP "$(pid_of 1)"
sleep 1
kill -0 "$launcher" || fail "a stopped node is taken for dead"
kill -9 "$(pid_of 3)"
end
case_over "kill -9 with a stopped node" 137 "^hlrcrun: node 3 \(pid $(pid_of 3)\) was killed by signal 9"

# signals to hlrcrun
for signal in TERM INT HUP; do
    begin_waiting 3
    kill -$signal "$launcher"
    end
    number=$(kill -l $signal)
    case_over "SIG$signal" $((128 + number)) "^hlrcrun: ended by signal $number "
done
begin_waiting 3
kill -STOP "$(pid_of 0)" "$(pid_of 1)"
kill -TERM "$launcher"
end
case_over "SIGTERM with stopped nodes" 143 '^hlrcrun: ended by signal 15 '
begin "$hlrcrun" -n 3 sh -c 'trap "" TERM; echo ready; while :; do sleep 1; done'
until_true 60 ready 3
kill -TERM "$launcher"
end
case_over "SIGTERM to nodes that ignore it" 143 '^hlrcrun: ended by signal 15 '
handled() { # SIGNAL STATUS: nodes that handle it say so; the job's status
    begin "$hlrcrun" -n 2 sh -c "trap 'echo handled; exit 0' $1; echo ready; while :; do sleep 0.05; done"
    until_true 60 ready 2
    kill "-$1" "$launcher"
    end
    expect_status "SIG$1 that is handled" "$2"
    test "$(grep -c handled "$work/out")" -eq 2 || fail "SIG$1 that is handled: $(cat "$work/out")"
}
handled TERM 143
handled USR1 0

# kill -9 of hlrcrun: its guard says so and ends the nodes
begin_waiting 4
kill -9 "$launcher"
end
case_over "kill -9 of hlrcrun" 137 "^hlrcrun: the launcher \(pid $launcher\) was killed; ending the job$"
begin_waiting 4
kill -STOP "$(pid_of 1)"
kill -9 "$launcher"
end
case_over "kill -9 of hlrcrun, node stopped" 137 "^hlrcrun: the launcher"
begin "$hlrcrun" -n 3 sh -c 'trap "" TERM; echo ready; sleep 60; sleep 60'
until_true 60 ready 3
kill -9 "$launcher"
end
case_over "kill -9 of hlrcrun, any program" 137 "^hlrcrun: the launcher"
begin "$hlrcrun" -n 2 sh -c '$probe wait; echo over'
until_true 60 ready 2
kill -9 "$launcher"
end
expect_nothing_left "kill -9 of hlrcrun, scripts"

# without the guard the monitor of each node ends it, and the witness says so
guard_of() {
    for p in $(left); do
        test "$(cat "/proc/$p/comm" 2>/dev/null)" != hlrc-guard || echo "$p"
    done
}
begin_waiting 3
guard=$(guard_of)
test -n "$guard" || fail "no guard"
kill -9 $guard "$launcher"
end
case_over "kill -9 of hlrcrun and its guard" 137 \
    "^hlrcrun: the launcher \(pid $launcher\) and its guard \(pid $guard\) were killed; ending the job\$"
begin "$hlrcrun" -n 3 sh -c 'trap "" TERM; echo ready; sleep 60; sleep 60' # they have no monitor
until_true 60 ready 3
kill -9 "$(guard_of)"
sleep 0.1
kill -9 "$launcher"
end
case_over "kill -9 of the guard, then of hlrcrun" 137 '^hlrcrun: the launcher \(pid [0-9]+\) and its guard'

# the guard's own end, or rest, harms nobody
begin_waiting 2
kill -9 "$(guard_of)"
kill -9 "$(pid_of 1)"
end
case_over "no guard" 137 'node 1 .* killed by signal 9'
begin_waiting 2
kill -STOP "$(guard_of)"
kill -9 "$(pid_of 1)"
end
case_over "stopped guard" 137 'node 1 .* killed by signal 9'

# a normal end leaves nothing either
run "$hlrcrun" -n 8 "$probe" exchange 64 3
expect_status "normal end" 0
test -z "$(left)" || fail "normal end: $(left)"
begin "$hlrcrun" -n 2 sh -c "echo ready; while ! test -e '$work/go'; do sleep 0.02; done"
until_true 60 ready 2
kill -9 "$(guard_of)"
touch "$work/go"
end
expect_status "normal end without the guard" 0
expect_nothing_left "normal end without the guard"
test ! -s "$work/err" || fail "normal end without the guard: $(cat "$work/err")"

finish
