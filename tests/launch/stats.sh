# SPDX-License-Identifier: LGPL-2.1-or-later
# --stats=FILE: a file that cannot be written is refused before the job begins; from then on it says what is known, and
# of a job that fails what its nodes had counted. Figures are those that tests/blackbox/figures.c foretells.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../statslib.sh"
figures=$(realpath "$top_builddir/tests/blackbox/figures")
test -x "$figures" || skip "$figures is not built"
file=$work/stats.json

refused() { # FILE WHY
    file_refused "--stats=" HLRC_STATS "$figures" "$@"
}
refused "$work/none/x.json" 'No such file or directory'
refused "$work" 'Is a directory'
refused "$work/err/x" 'Not a directory'
# a command line that is wrong leaves no file
run "$hlrcrun" --stats="$file" nosuchprogram
test ! -e "$file" || fail "no program: a file is there"

incomplete() { # WHAT [PATTERN]
    grep -q '^{"protocol": "[a-z]*", "fabric": "[a-z+]*", "nodes": 3, "wall_s": [0-9.]*, "complete": false, "per_node": \[' "$file" ||
        fail "$1: $(head -c 300 "$file")"
}

counted() { # WHAT FIELD VALUES: of the nodes, in their order
    stats_from_json "$file" >"$work/figures"
    test "$(figure "$2" | tr '\n' ' ')" = "$3 " || fail "$1: $2 $(figure "$2" | tr '\n' ' ')not $3"
}

# a node that ends says what it had counted, unless it is killed: then it is what it had told before
for protocol in async ardmar; do
    for how in exit misuse segv; do
        test $how != segv || test -z "${HLRC_TEST_SANITIZERS-}" || continue # which take SIGSEGV for themselves
        echo old >"$file"
        run "$hlrcrun" -n 3 --protocol $protocol --stats="$file" "$figures" end $how
        what="$protocol, $how"
        test "$status" -ne 0 || fail "$what: status 0"
        sed -i '/^hlrc: node 1: #[0-9]/d' "$work/err" # where it crashed
        expect_line "$what" '^hlrc(run)?: node 1'
        incomplete "$what"
        counted "$what" lock_acquires '1 2 3'
        counted "$what" barriers '1 1 1'
        expect_nothing_left "$what"
    done
done
run "$hlrcrun" -n 3 --stats="$file" "$figures" end kill
expect_status kill 137
expect_line kill '^hlrcrun: node 1 .*was killed by signal 9'
incomplete kill
stats_from_json "$file" >"$work/figures"
test "$(figure lock_acquires | sed 2d | tr '\n' ' ')" = '1 3 ' || fail "kill: $(figure lock_acquires)"
test "$(figure lock_acquires | sed -n 2p)" -le 2 || fail "kill: $(figure lock_acquires)"

# a table, behind the line that says why
run "$hlrcrun" -n 3 --stats "$figures" end exit
expect_status table 3
test "$(grep -c '^hlrc' "$work/err")" -eq 4 || fail "table: $(grep '^hlrc' "$work/err")"
head -1 "$work/err" | grep -q '^hlrcrun: node 1 .*exited with status 3; ending the job$' || fail "table: $(head -3 "$work/err")"
grep -qx 'hlrc: statistics: before the end of the job, of 3 of 3 nodes' "$work/err" || fail "table: $(head -3 "$work/err")"
grep -qE '^lock_acquires +1 +2 +3 +6$' "$work/err" || fail "table: $(grep lock_acquires "$work/err")"

# while the job runs the file says that it does; a user's signal ends it as a failure does, and so it is with a node that
# is stopped and tells nothing more
began() {
    begin "$hlrcrun" -n 3 --stats=stats.json --wdir "$work" "$figures" end wait
    until_true 60 test -e "$work/ready" || fail "nodes did not start: $(cat "$work/err")"
    rm -f "$work/ready"
}
cd "$work" || exit 99
echo old >"$file"
began
incomplete "while it runs"
kill -INT "$launcher"
end
expect_status "SIGINT" 130
incomplete "SIGINT"
counted "SIGINT" lock_acquires '1 2 3'
began
for pid in $(left); do
    test "$(tr '\0' ' ' <"/proc/$pid/cmdline")" != "$figures end wait " || stopped=$pid
done
kill -STOP "$stopped"
kill -TERM "$launcher"
end
expect_status "a stopped node" 143
expect_quick "a stopped node"
expect_nothing_left "a stopped node"
incomplete "a stopped node"
stats_from_json "$file" >"$work/figures"
test "$(figure lock_acquires | wc -l)" -eq 3 || fail "a stopped node: $(figure lock_acquires)"

# where hlrcrun was started, wherever the node goes
mkdir "$work/dir"
run "$hlrcrun" -n 3 --stats=here.json --wdir dir sh -c 'cd / && exec "$0"' "$figures"
expect_status "elsewhere" 0
stats_read "elsewhere" "$work/here.json" 3
grep -q complete "$work/here.json" && fail "complete: $(head -1 "$work/here.json")"
test ! -e "$work/dir/here.json" || fail "elsewhere: it is in the directory of --wdir"

# no node ever told anything; and a pipe that nobody reads
run "$hlrcrun" -n 3 --stats="$file" false
expect_status "not a program of HLRC" 1
incomplete "not a program of HLRC"
! grep -q barriers "$file" || fail "not a program of HLRC: $(cat "$file")"
run "$hlrcrun" -n 3 --stats false
expect_line "not a program of HLRC, table" '^hlrcrun: node [0-2] .*exited with status 1'
mkfifo "$work/pipe"
run "$within" 60 "$hlrcrun" -n 3 --stats="$work/pipe" "$figures" end exit
expect_status "a pipe" 3
test -p "$work/pipe" || fail "the pipe is gone"

# Files of all options: with no room for one at the end, a status that would be 0 is 74.
for option in --stats=/dev/full '--trace /dev/full' '--trace-sim /dev/full' --profile=/dev/full; do
    run "$hlrcrun" -n 2 $option "$figures"
    expect_status "$option" 74
    grep -q "^hlrc: .*$option: .*No space left on device" "$work/err" || fail "$option: $(cat "$work/err")"
done
for variable in HLRC_STATS HLRC_TRACE HLRC_PROFILE; do
    run env $variable=/dev/full "$figures"
    expect_status "a bare program, $variable=/dev/full" 74
done
run "$hlrcrun" -n 3 --stats=/dev/full "$figures" end exit
expect_status "no room, and a node fails" 3
grep -q 'No space left on device' "$work/err" || fail "no room, and a node fails: $(cat "$work/err")"

test -z "$(ls "$work" | grep tmp)" || fail "left: $(ls "$work")"
finish
