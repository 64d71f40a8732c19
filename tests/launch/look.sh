# SPDX-License-Identifier: LGPL-2.1-or-later
# What hlrcrun asks its nodes and what it makes of the answers: SIGQUIT tells who waits for what, and the job goes on; --timeout
# tells it and ends the job; a job whose nodes say that they wait is asked once more before it counts as one that stands still
# ([deadlock.two-rounds], look.h), by made-up nodes that answer as they like.
. "$(dirname "$0")/lib.sh"
stranger=$top_builddir/tests/launch/stranger
hang=$top_builddir/tests/blackbox/hang
for program in "$stranger" "$hang"; do
    test -x "$program" || skip "$program is not built"
done

says() { # WHAT: the lines of standard input on standard error, but for the seconds
    cat >"$work/wanted"
    sed -E 's/since [0-9]+\.[0-9] s /since S s /' "$work/err" >"$work/said"
    cmp -s "$work/wanted" "$work/said" || fail "$1: $(diff "$work/wanted" "$work/said")"
}

lines() { # COUNT: on standard error
    test "$(wc -l <"$work/err")" -ge "$1"
}

# Every thread of a process.
stopped() { # PID
    ! grep -h '^State:' /proc/"$1"/task/*/status | grep -qv T
}

# ---- two looks ----

# aside NAME COMMAND...: beside the others; aside_is NAME: its end is that of the last run
aside() {
    local name=$1
    shift
    (
        "$@" >"$work/$name.out" 2>"$work/$name.err"
        echo $? >"$work/$name.status"
    ) &
}

aside_is() {
    status=$(cat "$work/$1.status")
    cp "$work/$1.err" "$work/err"
}

aside steady "$hlrcrun" -n 2 "$stranger" waits steady
aside moving "$hlrcrun" -n 2 "$stranger" waits moving 3
aside deaf "$hlrcrun" -n 2 "$stranger" waits deaf
aside mute "$hlrcrun" -n 2 "$stranger" waits mute
aside late "$hlrcrun" -n 2 sh -c 'test $HLRC_NODE = 0 && exec "$0" waits late; exec "$0" waits steady' "$stranger"
aside timeout "$hlrcrun" -n 2 --timeout 8 "$hang" half
aside timeout-alone env HLRC_TIMEOUT=1 "$hang" sleep
aside alone "$hang" conds
wait
for name in steady late; do
    aside_is $name
    expect_status "$name" 123
    says "$name" <<'END'
hlrcrun: node 0 thread 0 waits since S s for lock 1 held by node 1
hlrcrun: node 1 thread 0 waits since S s for lock 0 held by node 0
hlrcrun: deadlock: node 0 waits for lock 1 held by node 1, which waits for lock 0 held by node 0
END
done
for name in moving mute deaf; do
    aside_is $name
    expect_status "$name" 0
    test ! -s "$work/err" || fail "$name: $(cat "$work/err")"
done
run "$hlrcrun" -n 2 "$stranger" waits badly
expect_status "no report" 1
expect_line "no report" '^hlrcrun: node [01] sent an invalid report of 72 bytes; use the hlrcrun that was installed with'

# ---- SIGQUIT, which is for hlrcrun alone, and then the job goes on ----

begin "$hlrcrun" -n 3 "$hang" asked
until_true 60 ready 3 || fail "nodes did not start: $(cat "$work/err")"
# What is said last stays said once all three are where they wait; a slow node may be asked before it gets there.
cat >"$work/there" <<'END'
hlrcrun: node 0 thread 0 computes, or waits outside HLRC
hlrcrun: node 1 thread 0 waits since S s for lock 5 held by node 0
hlrcrun: node 2 thread 0 waits since S s for barrier 4: nodes 0, 1 have not arrived; node 0 computes, or waits outside HLRC
END
questions=0
there() {
    kill -QUIT "$launcher" "$(pid_of 1)" # the terminal sends it to all
    until_true 30 lines $((questions += 3)) || fail "SIGQUIT: $(cat "$work/err")"
    tail -n +$((questions - 2)) "$work/err" | sed -E 's/since [0-9]+\.[0-9] s /since S s /' | cmp -s - "$work/there"
}
until_true 30 there || fail "SIGQUIT: $(tail -n 3 "$work/err")"
kill -STOP "$(pid_of 2)"
until_true 60 stopped "$(pid_of 2)" || fail "node 2 does not stop"
kill -QUIT "$launcher"
until_true 30 lines $((questions + 3)) || fail "SIGQUIT, stopped: $(cat "$work/err")"
sed -i "1,${questions}d" "$work/err"
says "SIGQUIT, stopped" <<'END'
hlrcrun: node 0 thread 0 computes, or waits outside HLRC
hlrcrun: node 1 thread 0 waits since S s for lock 5 held by node 0
hlrcrun: node 2 does not answer; it may be stopped
END
kill -CONT "$(pid_of 2)"
kill -USR1 "$(pid_of 0)"
end
expect_status "SIGQUIT" 0

# nodes that have not begun, of which one meets the question in an exchange
begin "$hlrcrun" -n 2 sh -c 'test $HLRC_NODE = 1 || { echo ready; while ! test -e $0; do sleep 0.02; done; }; exec "$probe" wait' "$work/go"
until_true 60 ready 1 || fail "the node did not start"
kill -QUIT "$launcher"
until_true 30 lines 2 || fail "SIGQUIT at the start: $(cat "$work/err")"
grep -qx 'hlrcrun: node 0 has not called hlrc_init' "$work/err" || fail "SIGQUIT at the start: $(cat "$work/err")"
grep -qE '^hlrcrun: node 1 (has not called hlrc_init|waits for the other nodes in hlrc_init, or at the end of hlrc_finalize)$' "$work/err" ||
    fail "SIGQUIT at the start: $(cat "$work/err")"
touch "$work/go"
until_true 30 ready 3 || fail "SIGQUIT at the start: $(cat "$work/out" "$work/err")"
kill -TERM "$launcher"
end

# ---- --timeout ----

aside_is timeout
expect_status "--timeout" 124
says "--timeout" < <(half_said hlrcrun "the job takes longer than --timeout 8; ending it")
run env HLRC_TIMEOUT=60 "$hlrcrun" -n 2 "$probe" exchange 1 1
expect_status "HLRC_TIMEOUT=60" 0
test ! -s "$work/err" || fail "HLRC_TIMEOUT=60: $(cat "$work/err")"
# by the node itself, where nobody launched it
aside_is timeout-alone
expect_status "HLRC_TIMEOUT=1, alone" 124
says "HLRC_TIMEOUT=1, alone" <<'END'
hlrc: node 0 thread 0 computes, or waits outside HLRC
hlrc: the job takes longer than --timeout 1
END
# a job of one that nobody launched, and that stands still
aside_is alone
expect_status "alone" 123
says "alone" <<'END'
hlrc: node 0 thread 0 waits since S s for a signal of condition variable 0
hlrc: deadlock: node 0 waits for a signal of condition variable 0, which no thread is left to send
END
finish
