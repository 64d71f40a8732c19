# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrcrun --resize: a job that continues with another number of nodes has the result, the output and the exit status of one that
# does not. What cannot be done is one line, and the job continues.
. "$(dirname "$0")/../lib.sh"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "once is enough: checkpoint.sh does the same parts of the library"
saved=$(realpath "$top_builddir/tests/blackbox/saved")
hlrcrun=$(realpath "$hlrcrun")
test -x "$saved" || skip "$saved is not built"
ulimit -S -c 0
unset SLURM_JOB_ID
cd "$work" || exit 99
# of this test: others count, and kill, the processes of their own
cp "$saved" saved && saved=$(realpath saved) || exit 99
protocols=${CHECKPOINT_PROTOCOLS:-async ardmar onesided}

start() { # OPTIONS, PROGRAM...: of hlrcrun, in the background
    rm -rf dir
    : >out
    : >err
    "$hlrcrun" "$@" >out 2>err </dev/null &
    launcher=$!
    await grep -q -x hlrcrun /proc/$launcher/comm
}

resize() { # NODES [PID]: status in $told, its line in `said`
    told=0
    "$within" 60 "$hlrcrun" --resize "$1" "${2:-$launcher}" >said 2>&1 </dev/null || told=$?
}

resized() { # FROM TO
    grep -qE "^hlrcrun: resized from $1 to $2 nodes in [0-9]+\.[0-9]+ s\$" err
}

finish_job() { # WHAT STATUS RESULT LINES: of standard error
    status=0
    wait $launcher || status=$?
    expect_status "$1" "$2"
    test -z "$3" || test "$(tail -n 1 out)" = "$3" || fail "$1: $(tail -n 3 out; head -3 err) instead of $3"
    test "$(wc -l <err)" -eq "$4" || fail "$1: not $4 lines: $(cat err)"
}

nodes_are() { # NUMBER
    test "$(processes_of "$saved" | wc -l)" = "$1"
}

run_job 1 ardmar "$saved" 150 any
expect_status uninterrupted 0
plain=$(tail -n 1 out)

# ---- other numbers of nodes ----
for protocol in $protocols; do
    for nodes in '2 4' '4 1'; do
        read -r before after <<<"$nodes"
        what="$protocol, $before to $after nodes"
        start -n "$before" --protocol "$protocol" --checkpoint 1h:dir "$saved" 150 any slow
        await nodes_are "$before"
        sleep 0.2
        resize "$after"
        test $told = 0 && grep -q "with $after instead of $before nodes" said || fail "$what: $told $(cat said)"
        await resized "$before" "$after"
        nodes_are "$after" || fail "$what: $(processes_of "$saved" | wc -l) nodes"
        finish_job "$what" 0 "$plain" 1
        test "$(grep -c '^restored [0-9]*$' out)" = 1 && test "$(wc -l <out)" = 2 || fail "$what: $(cat out)"
    done
done
start -n 2 --checkpoint 1h:dir "$saved" 150 any slow leave=149
resize 3 # perhaps before hlrc_init
await resized 2 3
resize 1
await resized 3 1
finish_job 'twice, and a status' 3 '' 3

# ---- checkpoints in memory are of the number before; a death after it ----
mkdir mem
in_memory() {
    ls mem/*/2/manifest.*
}
start -n 2 --partner mem --checkpoint 0:dir "$saved" 150 any slow
resize 3
await resized 2 3
await in_memory
kill -9 "$(processes_of "$saved" | tail -n 1)"
finish_job 'in memory' 0 "$plain" 3
expect_err 'in memory' 'continues from checkpoint [0-9]+ in memory; restarts left: 9$'
test "$(grep -c '^restored' out)" = 2 && test -z "$(ls mem)" || fail "in memory: $(cat out; ls mem)"

# ---- not with this program, or not now: one line, and the job continues ----
continues() { # WHAT PATTERN RESULT LINES OPTIONS, PROGRAM...
    local what=$1 pattern=$2 result=$3 lines=$4
    shift 4
    start "$@"
    resize 3
    test $told = 0 || fail "$what: $told $(cat said)"
    finish_job "$what" 0 "$result" "$lines"
    expect_err "$what" "^hlrcrun: not resized from 2 to 3 nodes: $pattern"
    ! grep -q restored out || fail "$what: restored"
    test ! -e dir/manifest.1 || fail "$what: saved"
}
run_job 1 ardmar "$saved" 24 any
few=$(tail -n 1 out)
continues 'hlrc_checkpoint' 'the program is saved by hlrc_checkpoint for this number .* hlrc_checkpoint_any; the job continues$' "$few" 1 \
    -n 2 --checkpoint 1h:dir "$saved" 24 slow
continues windows 'the program has windows .* only; the job continues$' "$few" 1 -n 2 --checkpoint 1h:dir "$saved" 24 any slow window
continues 'no call' 'the program ended before$' '' 1 -n 2 --checkpoint 1h:dir sh -c 'sleep 1'
cat >node <<'END'
mkdir -p dir
ln -sf /dev/full dir/1.node.1
exec "$@"
END
continues full 'it cannot be saved; the job continues$' "$few" 2 -n 2 --checkpoint 1h:dir bash ./node "$saved" 24 any slow
expect_err full 'checkpoint 1: .*1.node.1: No space left on device'
# the job fails with the new number
cat >node <<'END'
test "$HLRC_NODES" != 3 || exit 9
exec "$@"
END
start -n 2 --checkpoint 1h:dir bash ./node "$saved" 100 any slow leave=99
resize 3
finish_job 'fails with 3' 3 '' 3
expect_err 'fails with 3' '^hlrcrun: not resized from 2 to 3 nodes: the job fails with that number; it continues$'
expect_out 'fails with 3' '^restored'

refused() { # WHAT PATTERN STATUS NODES [PID]
    resize "$4" "${5:-}"
    test $told = "$3" || fail "$1: status $told"
    test "$(wc -l <said)" = 1 && grep -qE "^hlrcrun: --resize$2" said || fail "$1: $(cat said)"
}
start -n 2 "$saved" 100 any slow
refused 'no --checkpoint' ': not resized from 2 to 3 nodes: the job is not saved; start it with --checkpoint TIME$' 2 3
if kill --help 2>&1 | grep -q queue || /bin/kill --help 2>&1 | grep -q queue; then
    /bin/kill -q 3 -USR2 $launcher
    await grep -q '^hlrcrun: not resized from 2 to 3 nodes: the job is not saved; start it with --checkpoint TIME$' err
fi
kill -TERM $launcher
wait $launcher 2>/dev/null
start -n 2 --checkpoint 1h:dir "$saved" 1000 any slow
refused 'as many' ': not resized from 2 to 2 nodes: it has as many$' 2 2
if test "$(id -u)" = 0 && command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups test -x "$hlrcrun"; then
    told=0
    setpriv --reuid=65534 --clear-groups "$hlrcrun" --resize 3 $launcher >said 2>&1 || told=$?
    test $told = 2 && grep -qE "^hlrcrun: --resize: job $launcher is of user .*; only that user may resize it\$" said ||
        fail "another user: $told $(cat said)"
fi
for many in 0 -1 1025 2x ''; do
    refused "$many nodes" " ${many:-}: not a number of nodes from 1 to 1024\$" 2 "$many"
done
refused 'another program' ": process $$ is .*, not hlrcrun; .* --restart\$" 2 3 $$
refused 'no pid' ': abc: not the pid of a process$' 2 3 abc
sleep 0 &
gone=$!
wait $gone
refused 'no process' ": there is no process $gone; give the pid of a running hlrcrun\$" 2 3 $gone
guard=$(pgrep -P $launcher hlrc-guard)
test -z "$guard" || refused 'a guard' ": process $guard is hlrc-guard, not hlrcrun;" 2 3 "$guard"
told=0
"$hlrcrun" -n 2 --resize 3 $launcher >said 2>&1 || told=$?
test $told = 2 && grep -q -x 'hlrcrun: --resize 3: other options: give only the number of nodes and a pid' said || fail "options: $told $(cat said)"
kill -TERM $launcher
wait $launcher 2>/dev/null
test "$(grep -c resized err)" = 0 || fail "refused: $(cat err)"

# ---- while the program ends ----
for moment in 0 1 2 3 4 5 6 7; do
    start -n 2 --checkpoint 1h:dir "$saved" 24 any slow
    sleep 0.$((4 + moment / 2))$((moment % 2 * 5))
    resize $((moment % 3 + 1))
    test $told -le 2 && test "$(wc -l <said)" = 1 || fail "at the end: $told $(cat said)"
    status=0
    wait $launcher || status=$?
    expect_status 'at the end' 0
    test "$(tail -n 1 out)" = "$few" && test "$(wc -l <err)" -le 1 || fail "at the end: $(cat out err said)"
done
finish
