# SPDX-License-Identifier: LGPL-2.1-or-later
# Time limits of tests (time_limit.h, within.c): a command that sleeps is ended, as timeout(1) does; one that computes is not
# ended for lack of a CPU, where timeout(1) ends it.
. "$(dirname "$0")/lib.sh"
test "$within" != timeout || skip "tests/within is not built"

ends() { # STATUS COMMAND...
    local expected=$1
    shift
    status=0
    "$@" >"$work/out" 2>"$work/err" || status=$?
    expect_status "$*" "$expected"
}

ends 0 "$within" 60 true
ends 7 "$within" 60 sh -c 'exit 7'
ends 137 "$within" 60 sh -c 'kill -9 $$'
ends 127 "$within" 60 "$work/none"
ends 125 "$within" 0 true
ends 124 "$within" 1 sleep 60
ends 124 "$within" -k 5 1 sh -c "trap 'echo kept >\"$work/kept\"' TERM; sleep 60; exit 3"
test -s "$work/kept" || fail "SIGTERM did not reach the command before its end"
# SIGTERM is ignored: all of the group are killed, within as well
ends 137 "$within" -k 0.5 1 sh -c 'trap "" TERM; sleep 60 & wait; sleep 60'

# a signal is passed on
"$within" 60 sh -c 'echo ready >"$0"; exec sleep 60' "$work/ready" &
until test -s "$work/ready"; do sleep 0.05; done
kill -TERM $!
wait $! 2>/dev/null
status=$?
test $status -eq 143 || fail "SIGTERM to within: status $status, not 143"

# Three processes for each CPU beside a command that needs 0.8 seconds of one: it has them after about three.
compute='while ((times)[0] < 0.8) { $n++ for 1 .. 100000 }'
burners=()
trap 'test "$BASHPID" != $$ || { kill "${burners[@]}" 2>/dev/null; rm -rf "$work"; }' EXIT
for ((i = 0; i < 3 * $(nproc); i++)); do
    "${PERL:-perl}" -e 'while (getppid > 1) { $n++ for 1 .. 100000 }' &
    burners+=($!)
done
ends 0 "$within" 1.8 "${PERL:-perl}" -e "$compute"
ends 124 timeout 1.8 "${PERL:-perl}" -e "$compute"
ends 124 "$within" 0.4 "${PERL:-perl}" -e 'while (getppid > 1) { $n++ for 1 .. 100000 }'
finish
