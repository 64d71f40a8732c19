# SPDX-License-Identifier: LGPL-2.1-or-later
# What users of a launcher take for granted: statuses, standard input, labels, inheritance, binding.
. "$(dirname "$0")/lib.sh"

# Of jobs that take long, while the others here run: on a terminal, not wanted, with output into a pipe, and idle.
if command -v script >/dev/null; then
    script -qec "'$hlrcrun' -n 2 '$probe' progress 7" "$work/long" >/dev/null </dev/null &
    script -qec "'$hlrcrun' -n 2 --progress=no '$probe' progress 7" "$work/unwanted" >/dev/null </dev/null &
    script -qec "'$hlrcrun' -n 2 '$probe' progress 7 | cat" "$work/piped" >/dev/null </dev/null &
    script -qec "'$hlrcrun' -n 2 sleep 7" "$work/idle" >/dev/null </dev/null &
fi

# exit status
run "$hlrcrun" -n 3 true
expect_status "true" 0
test ! -s "$work/err" || fail "true: says $(cat "$work/err")"
run "$hlrcrun" true
expect_status "no -n" 0
run "$hlrcrun" -n 3 sh -c 'test $HLRC_NODE != 1 || exit 7; exec sleep 60'
expect_status "exit 7" 7
expect_line "exit 7" '^hlrcrun: node 1 \(pid [0-9]+\) exited with status 7; ending the job$'
expect_quick "exit 7"
run "$hlrcrun" -n 3 sh -c 'test $HLRC_NODE != 2 || kill -9 $$; exec sleep 60'
expect_status "kill -9" 137
expect_line "kill -9" '^hlrcrun: node 2 \(pid [0-9]+\) was killed by signal 9 \(Killed\); ending the job$'
expect_nothing_left "kill -9"
run "$hlrcrun" -n 2 sh -c 'kill -SEGV $$'
expect_status "SIGSEGV" 139

# a program of threads that was built without hlrcc runs once for each node; hlrcrun says so
cat >"$work/threads.c" <<'END'
#include <pthread.h>
static void *nothing(void *arg) { return arg; }
int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, 0, nothing, 0) || pthread_join(thread, 0);
}
END
if ${CC:-cc} -pthread -o "$work/threads" "$work/threads.c" 2>/dev/null; then
    run "$hlrcrun" -n 2 "$work/threads"
    expect_status "built without hlrcc" 0
    expect_line "built without hlrcc" '^hlrcrun: no process called hlrc_init, so 2 processes ran .*/threads, each by itself; build a program of threads with hlrcc$'
    run "$hlrcrun" -n 1 "$work/threads"
    test ! -s "$work/err" || fail "one process without hlrcc: $(cat "$work/err")"
fi

# arguments are the program's own
run "$hlrcrun" -n 1 echo -n x --label
expect_out "arguments" "x --label"
run "$hlrcrun" -n1 -- echo -- a
expect_out "after --" "-- a"

# standard input goes to node 0
echo hello >"$work/in"
run "$hlrcrun" -n 3 --label cat <"$work/in"
expect_out "stdin" "[0] hello"

# label, standard error, what each node knows
run "$hlrcrun" -n 3 --label sh -c 'echo "$HLRC_NODE of $HLRC_NODES"; echo "e$HLRC_NODE" >&2'
test "$(sort "$work/out")" = "[0] 0 of 3
[1] 1 of 3
[2] 2 of 3" || fail "label: $(cat "$work/out")"
test "$(sort "$work/err")" = "[0] e0
[1] e1
[2] e2" || fail "label on standard error: $(cat "$work/err")"
HLRC_LABEL=1 run "$hlrcrun" -n 1 echo x
expect_out "label from the environment" "[0] x"
HLRC_LABEL=1 run "$hlrcrun" -n 1 --label=no echo x
expect_out "the command line comes first" "x"
HLRC_NODES=2 run "$hlrcrun" sh -c 'echo $HLRC_NODES'
expect_out "nodes from the environment" "2
2"

# a last line without newline is passed on as it is
run "$hlrcrun" -n 1 printf 'a\nb'
test "$(od -An -c "$work/out" | tr -d ' ')" = 'a\nb' || fail "partial line: $(od -An -c "$work/out")"
run "$hlrcrun" -n 2 printf abc
test "$(od -An -c "$work/out" | tr -d ' ')" = 'abc\nabc' || fail "partial lines: $(od -An -c "$work/out")"

# directory, umask, environment, limits, signal dispositions but that of SIGQUIT, which is for hlrcrun
(cd "$work" && umask 027 && FOO=bar "$hlrcrun" -n 2 sh -c 'pwd; umask; echo $FOO') >"$work/o" 2>&1
test "$(sort -u "$work/o")" = "$(printf '%s\n' "$(cd "$work" && pwd)" 0027 bar | sort)" || fail "inheritance: $(cat "$work/o")"
for n in 2 128; do
    inner=$(sh -c 'trap "" QUIT; ulimit -n; grep SigBlk /proc/self/status; grep SigIgn /proc/self/status')
    run "$hlrcrun" -n $n sh -c 'ulimit -n; grep SigBlk /proc/self/status; grep SigIgn /proc/self/status'
    test "$(sort -u "$work/out")" = "$(echo "$inner" | sort -u)" || fail "$n nodes: limits or signals: $(sort -u "$work/out")"
done
run "$hlrcrun" -n 2 sh -c 'ls -l /proc/$$/fd | grep -c socket'
expect_out "one socket per node" "1
1"
run "$hlrcrun" -n 2 sh -c 'ps -o pgid= -p $$ | tr -d " "'
test "$(sort -u "$work/out" | wc -l)" -eq 1 || fail "process groups: $(cat "$work/out")"

# the options go to the nodes as environment
run "$hlrcrun" -n 1 --protocol async --memory=64M --peer-timeout 9 --spin auto --stats \
    sh -c 'echo $HLRC_PROTOCOL $HLRC_MEMORY $HLRC_PEER_TIMEOUT $HLRC_SPIN $HLRC_STATS ${HLRC_FABRIC-none}'
expect_out "environment" "async 64M 9 auto - none"

# binding
cores=$(nproc)
run "$hlrcrun" -n "$cores" sh -c 'grep Cpus_allowed_list /proc/self/status'
test "$(sort -u "$work/out" | wc -l)" -eq "$cores" || fail "bind auto: $(cat "$work/out")"
run "$hlrcrun" -n 1 nproc
expect_out "bind auto, one node" "$cores"
run "$hlrcrun" -n 1 --bind core nproc
expect_out "bind core, one node" 1
run "$hlrcrun" -n $((cores + 1)) nproc
test "$(sort -u "$work/out")" = "$cores" || fail "bind auto, too many nodes: $(cat "$work/out")"
run "$hlrcrun" -n $((cores + 1)) --bind core nproc
test "$(sort -u "$work/out")" = 1 || fail "bind core: $(cat "$work/out")"
run "$hlrcrun" -n "$cores" --bind none nproc
test "$(sort -u "$work/out")" = "$cores" || fail "bind none: $(cat "$work/out")"

# --no-aslr
run "$hlrcrun" -n 2 --no-aslr sh -c 'sed -n "s/ .*\[stack\]//p" /proc/self/maps'
if grep -q 'not allowed' "$work/err"; then
    echo "not tested here: --no-aslr"
else
    test "$(sort -u "$work/out" | wc -l)" -eq 1 || fail "no-aslr: $(cat "$work/out")"
fi

# a script with an unknown interpreter fails only when it is run
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
run "$hlrcrun" -n 3 "$work/script"
expect_status "interpreter" 127
expect_line "interpreter" "^hlrcrun: $work/script: its interpreter /no/such/interpreter is missing; "

# what runs under a node's script is no node
run "$hlrcrun" -n 2 sh -c '"$hlrcrun" -n 1 sh -c "echo \$HLRC_NODE of \$HLRC_NODES"'
expect_out "hlrcrun within a node" "0 of 1
0 of 1"

# standard descriptors may be closed
status=0
"$hlrcrun" -n 2 sh -c 'echo x' >&- 2>&- <&- || status=$?
expect_status "closed descriptors" 0

# progress where there is no terminal: one line in ten seconds, so none here
run "$hlrcrun" -n 2 --progress "$probe" progress
expect_status progress 0
test ! -s "$work/err" || fail "progress says $(cat "$work/err")"
if command -v script >/dev/null; then
    script -qec "'$hlrcrun' -n 2 --progress '$probe' progress" "$work/typescript" >/dev/null </dev/null
    grep -q 'faults/s' "$work/typescript" || fail "progress on a terminal: $(cat "$work/typescript")"
    wait
    grep -q 'hlrcrun: 0:00:05  2 nodes  .*faults/s' "$work/long" || fail "no progress of a long job: $(cat "$work/long")"
    ! grep -q 'hlrcrun: 0:00:0[0-4]' "$work/long" || fail "progress of a short job: $(cat "$work/long")"
    for kind in unwanted piped idle; do
        test -s "$work/$kind" || fail "$kind: did not run"
        ! grep -q 'faults/s' "$work/$kind" || fail "progress, $kind: $(cat "$work/$kind")"
    done
fi

finish
