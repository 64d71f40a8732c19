# SPDX-License-Identifier: LGPL-2.1-or-later
# --trace FILE: what is in it is what the statistics of the same job say, by one clock (tracelib.sh). Of a job that fails
# there is what its nodes had noted; what did not fit is told of.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../tracelib.sh"
traced=$(realpath "$top_builddir/tests/launch/traced")
test -x "$traced" || skip "$traced is not built"
file=$work/trace.json
export work

refused() { # FILE WHY
    file_refused "--trace " HLRC_TRACE "$traced" "$@"
}
refused "$work/none/x.json" 'No such file or directory'
refused "$work" 'Is a directory'

expect_sum() { # WHAT NODES
    expect_status "$1" 0
    test "$(cat "$work/out")" = "sum $(($2 * 72))" || fail "$1: $(cat "$work/out" "$work/err")"
    test ! -s "$work/err" || fail "$1: $(cat "$work/err")"
}

expect_name() { # WHAT PATTERN
    grep -qE "$2" "$work/names" || fail "$1: no '$2' among: $(cat "$work/names")"
}

for protocol in async ardmar onesided; do
    for nodes in 1 3; do
        what="$protocol, $nodes nodes"
        (cd "$work" && run "$hlrcrun" -n $nodes --protocol $protocol --trace trace.json --stats=stats.json "$traced" &&
            echo "$status" >"$work/status")
        status=$(cat "$work/status")
        expect_sum "$what" $nodes
        trace_check "$what" "$file" "$work/stats.json"
        test -s "$work/names" || continue
        expect_name "$what" '^0 thread thread 1$'
        expect_name "$what" '^0 wait for signal 1$'
        test $nodes -eq 1 && continue
        expect_name "$what" '^2 thread thread 1$'
        expect_name "$what" '^all arrow signal 1$'
        expect_name "$what" '^all arrow changes '
        # locks that move by handlers do so by grants
        test $protocol = onesided || expect_name "$what" '^all arrow grant '
        test $protocol != async || expect_name "$what" '^[012] serve page '
    done
done

# a job that fails
for how in kill segv; do
    test $how != segv || test -z "${HLRC_TEST_SANITIZERS-}" || continue # which take SIGSEGV for themselves
    echo old >"$file"
    run "$hlrcrun" -n 3 --trace "$file" "$traced" $how
    test "$status" -ne 0 || fail "$how: status 0"
    grep -q '"complete":false' "$file" || fail "$how: $(head -c 300 "$file")"
    trace_check "$how" "$file"
    expect_name "$how" '^1 lock [0-9]'
    grep -q '"ph":"b","cat":"held","name":"lock 7",.*"pid":1,' "$file" || fail "$how: node 1 does not hold lock 7"
    ! grep -q '"ph":"e","cat":"held","name":"lock 7"' "$file" || fail "$how: node 1 has let go of lock 7"
done

# a buffer of 64 KiB has 1638 records: the last ones are there, and a line says how many are not
run "$hlrcrun" -n 2 --trace "$file" --trace-size 64K "$traced" many
expect_status "full" 0
expect_line "full" "^hlrc: --trace $file: the oldest [0-9]* events of 2 nodes are missing: a thread recorded more than 64K events; raise --trace-size\$"
trace_check "full" "$file"
told=$(sed -n 's/.*the oldest \([0-9]*\) events.*/\1/p' "$work/err")
kept=$(grep -c '"ph":"X".*"tid":0,' "$file")
test "$kept" -le 3276 || fail "full: $kept events of two threads are in 64 KiB each"
test "${told:-0}" -ge 36000 || fail "full: 40000 locks and unlocks, and $told are not there"
expect_name "full" '^0 barrier '

# a bare program writes its own, and one that runs out of room for the file says so
run env HLRC_TRACE="$file" HLRC_STATS="$work/stats.json" "$traced"
expect_sum "a bare program" 1
trace_check "a bare program" "$file" "$work/stats.json"
run "$hlrcrun" --trace /dev/full "$traced"
expect_status "no room" 74
expect_line "no room" '^hlrc: --trace /dev/full: cannot write the timeline: No space left on device; give a file in'

# a signal ends the wait for the reader of a pipe, and hlrc_timeline
mkfifo "$work/pipe"
for sig in TERM INT; do
    begin "$hlrcrun" -n 2 --trace "$work/pipe" "$traced"
    writes() { grep -qs "hlrc_timeline" $(left | sed 's|.*|/proc/&/cmdline|'); }
    until_true 60 writes || fail "a pipe: hlrc_timeline does not run: $(cat "$work/err")"
    kill -$sig "$launcher"
    until_true 30 nothing_left || kill -KILL $(left)
    end
    expect_status "a pipe, $sig" $((128 + $(kill -l $sig)))
    expect_line "a pipe, $sig" "^hlrc: --trace $work/pipe: signal [0-9]* \(.*\) has ended hlrc_timeline; the file is not complete\$"
done

# without the program that joins, the records are kept, and a line has the command to run
mkdir "$work/hlrc_timeline"
run env HLRC_TOOLS="$work" "$hlrcrun" -n 2 --trace "$file" --trace-size 64K "$traced"
command=$(sed -n 's/^hlrc: --trace .*: hlrc_timeline cannot be run: .*; run: //p' "$work/err")
test -n "$command" || fail "no hlrc_timeline: $(cat "$work/err")"
(PATH=$(realpath "$top_builddir"):$PATH && eval "$command") || fail "no hlrc_timeline: $command"
expect_status "no hlrc_timeline" 0
trace_check "no hlrc_timeline" "$file"
expect_name "no hlrc_timeline" '^1 lock [0-9]'

# clocks: node 2's is a day ahead of the others', as another machine's may be
if unshare -T --fork --monotonic 86400 true 2>/dev/null; then
    run "$hlrcrun" -n 3 --trace "$file" --stats="$work/stats.json" sh -c \
        'test "$HLRC_NODE" -ne 2 || exec unshare -T --fork --monotonic 86400 "$0"; exec "$0"' "$traced"
    expect_sum "clocks" 3
    set -- $(sed -n 's/.*"clock_ahead_at_start_ns":\(-\{0,1\}[0-9]*\),"clock_ahead_at_end_ns":\(-\{0,1\}[0-9]*\),"clock_error_ns":\([0-9]*\)}.*/\1 \2 \3/p' "$file" | tail -n 1)
    test $# -eq 3 || fail "clocks: $(head -c 600 "$file")"
    # what the true difference is, the kernel knows
    for ahead in "${1:-0}" "${2:-0}"; do
        off=$((ahead - 86400000000000))
        test "${off#-}" -le "${3:-0}" || fail "clocks: $ahead ns ahead, which is off by more than ${3:-0}"
    done
    trace_check "clocks" "$file" "$work/stats.json" "${3:-0}"
else
    echo "note: no namespace with a clock of its own may be made here"
fi
expect_nothing_left "all"
finish
