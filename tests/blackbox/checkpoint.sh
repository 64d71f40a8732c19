# SPDX-License-Identifier: LGPL-2.1-or-later
# --checkpoint and --restart: a job that dies and is continued has the result of one that was not interrupted, on as many
# nodes, on fewer and on more. What cannot be written, or is damaged, is one line, and the last complete checkpoint stays.
. "$(dirname "$0")/../lib.sh"
saved=$(realpath "$top_builddir/tests/blackbox/saved")
hlrcrun=$(realpath "$hlrcrun")
test -x "$saved" || skip "$saved is not built"
ulimit -S -c 0
cd "$work" || exit 99
# of this test: others count, and kill, the processes of their own
cp "$saved" saved && saved=$(realpath saved) || exit 99
# instrumented, all take long: one of them there
protocols=${CHECKPOINT_PROTOCOLS:-${HLRC_TEST_SANITIZERS:+onesided}}
protocols=${protocols:-async ardmar onesided}

run() { # COMMAND...
    status=0
    "$within" 120 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

result() { # WHAT WANTED: the last line
    test "$(tail -n 1 "$work/out")" = "$2" || fail "$1: $(tail -n 3 "$work/out"; head -3 "$work/err") instead of $2"
}

one_line() { # WHAT PATTERN: a failure with one line that matches
    test "$status" -ne 0 || fail "$1: status 0"
    test "$(wc -l <"$work/err")" -eq 1 || fail "$1: not one line: $(cat "$work/err")"
    expect_err "$1" "$2"
}

# What an uninterrupted job says, with and without the static array; it does not depend on the number of nodes.
run "$hlrcrun" -n 1 "$saved" 24
expect_status uninterrupted 0
plain=$(tail -n 1 out)
run "$hlrcrun" -n 3 --no-aslr "$saved" 24 share
expect_status "uninterrupted, shared array" 0
array=$(tail -n 1 out)
test "$plain" != "$array" || fail "both say $plain"

# ---- a death, and a restart with each protocol ----
for protocol in $protocols; do
    for nodes in '3 3' '3 2' '2 5' '4 1' '1 3'; do
        read -r before after <<<"$nodes"
        what="$protocol, $before to $after nodes"
        rm -rf dir
        run "$hlrcrun" -n "$before" --protocol "$protocol" --checkpoint 0:dir --no-aslr "$saved" 24 any share kill=13
        expect_status "$what: death" 137
        run "$hlrcrun" -n "$after" --restart dir
        expect_status "$what" 0
        expect_out "$what" '^restored 13$'
        result "$what" "$array"
    done
    # from the last checkpoint of the continued job, with another protocol
    run "$hlrcrun" -n 2 --restart dir --protocol async
    expect_out "$protocol: again" '^restored 23$'
    result "$protocol: again" "$array"
    # windows
    rm -rf dir
    run "$hlrcrun" -n 3 --protocol "$protocol" --checkpoint 0:dir "$saved" 24 window any kill=9
    if ! grep -q 'part is wrong' out && test "$status" -eq 137; then
        run "$hlrcrun" --restart dir
        expect_out "$protocol: window" '^restored 9$'
        result "$protocol: window" "$plain"
        run "$hlrcrun" -n 2 --restart dir
        one_line "$protocol: window, other nodes" 'made other windows'
    else
        fail "$protocol: window: status $status"
    fi
done

# ---- two are kept, changed pages only ----
rm -rf dir
run "$hlrcrun" -n 2 --checkpoint 0:dir --stats=stats.json --progress --trace trace.json "$saved" 12
expect_status incremental 0
for node in 0 1; do
    test "$(grep -c "\"name\":\"write checkpoint\".*\"pid\":$node,.*\"number\":[0-9]*,\"bytes\":[1-9]" trace.json)" = 12 ||
        fail "timeline of node $node: $(grep -m 3 'write checkpoint' trace.json)"
done
test "$(echo dir/manifest.*)" = 'dir/manifest.11 dir/manifest.12' || fail "kept: $(ls dir)"
expect_err progress '^hlrc: checkpoint 12: [0-9]+ pages, [0-9]+ bytes, stopped for [0-9]+ ms, written in [0-9]+ ms$'
pages() { # of checkpoint N
    sed -n "s/^hlrc: checkpoint $1: \([0-9]*\) pages.*/\1/p" err
}
grep -q '"checkpoints": 12' stats.json || fail "stats: $(grep -o '"checkpoint[^,]*' stats.json)"
test "$(grep -o '"checkpoint_pages": [0-9]*' stats.json | awk '{ n += $2 } END { print n }')" = \
    "$(for i in {1..12}; do pages $i; done | awk '{ n += $1 } END { print n }')" || fail 'stats: other pages'
run "$hlrcrun" --restart dir "$saved" 14 # the first one of a process has all pages
test "$(($(pages 14) * 2))" -lt "$(pages 13)" || fail "checkpoint 14 has $(pages 14) pages, the full one $(pages 13)"
run "$hlrcrun" -n 2 --checkpoint 1h:late "$saved" 12
expect_status late 0
test -z "$(ls late)" || fail "before its time: $(ls late)"
run "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 12
one_line 'an earlier job' 'has checkpoints of an earlier job'
run "$hlrcrun" -n 2 --checkpoint 0:none "$saved" 0
expect_err 'no call' 'has not called hlrc_checkpoint'

# ---- what cannot be saved ----
rm -rf dir
run "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 24 hold=5
expect_out held '^failed 5 Device or resource busy$'
expect_err held 'holds lock 7'
result held "$plain"
# checkpoint 9 is not a full one
rm -rf dir && mkdir dir
ln -s /dev/full dir/9.node.1
run "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 24
expect_out full '^failed 8 No space left on device$'
test "$(wc -l <err)" -eq 1 || fail "full: $(cat err)"
expect_err full 'checkpoint 9: .*/9.node.1: No space left on device; checkpoint 8 is the last complete one'
result full "$plain"
test ! -L dir/9.node.1 || fail 'full: the file that was not complete is there'
rm -rf dir && mkdir dir
ln -s /dev/full dir/9.node.1
run "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 24 kill=9
run "$hlrcrun" --restart dir
expect_out 'full, the next one, a death' '^restored 9$'
result 'full, the next one, a death' "$plain"
rm -rf dir && mkdir dir
ln -s /dev/full dir/9.node.1
run "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 24 kill=8
run "$hlrcrun" --restart dir
expect_out 'full, then a death' '^restored 7$'
result 'full, then a death' "$plain"

# ---- a death in the middle of a checkpoint: node 1 waits for a reader of the pipe ----
for victim in node hlrcrun; do
    rm -rf dir && mkdir dir
    mkfifo dir/7.node.1
    "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 24 >out 2>err </dev/null &
    launcher=$!
    await test -e dir/7.node.0
    if test $victim = node; then
        kill -9 "$(processes_of "$saved" | tail -n 1)"
    else
        kill -9 $launcher
    fi
    wait $launcher 2>/dev/null
    await gone "$saved"
    rm dir/7.node.1
    run "$hlrcrun" --restart dir
    expect_out "death of $victim" '^restored 5$'
    result "death of $victim" "$plain"
done

# ---- signals: asked for one, and the end of the time of a batch job ----
for slurm in '' 1; do
    rm -rf dir
    (
        test -z "$slurm" || export SLURM_JOB_ID=7
        exec "$hlrcrun" -n 2 --checkpoint 1h:dir "$saved" 24 wait=4 >out 2>err </dev/null
    ) &
    launcher=$!
    await grep -q -s waits out
    if test -z "$slurm"; then
        run2=0
        "$within" 60 "$hlrcrun" -n 2 --checkpoint 1h:dir "$saved" 1 >/dev/null 2>err2 </dev/null || run2=$?
        test $run2 -ne 0 && grep -q 'in use by another job' err2 || fail "two jobs: $run2 $(cat err2)"
    fi
    kill -USR1 $launcher
    status=0
    wait $launcher || status=$?
    test "$(echo dir/manifest.*)" = dir/manifest.1 || fail "signal: $(ls dir)"
    if test -z "$slurm"; then
        expect_status signal 0
        result signal "$plain"
    else
        expect_status "signal of Slurm" 85
        expect_err 'signal of Slurm' 'continue it with hlrcrun --restart'
    fi
    run "$hlrcrun" --restart dir
    expect_out 'after the signal' '^restored 5$'
    result 'after the signal' "$plain"
done

# ---- written while the program runs: node 1's file of the second checkpoint is not complete, or fails ----
waits_are() { # NUMBER: of the nodes' lines
    test "$(grep -c waits out)" = "$1"
}
for what in death full request end; do
    rm -rf dir && mkdir dir
    steps=4,9,14 last=2
    test $what != end || steps=4,9 last=1
    if test $what = full; then ln -s /dev/full dir/2.node.1; else mkfifo dir/2.node.1; fi
    "$hlrcrun" -n 2 --checkpoint 1h:dir "$saved" 24 large wait=$steps >out 2>err </dev/null &
    launcher=$!
    await waits_are 2
    kill -USR1 $launcher
    await waits_are 4
    await test -e dir/manifest.1
    kill -USR1 $launcher
    test $what = end || await waits_are 6
    test ! -e dir/manifest.2 || fail "$what: it is complete"
    case $what in
    death)
        kill -9 "$(processes_of "$saved" | tail -n 1)"
        wait $launcher 2>/dev/null
        rm dir/2.node.1
        run "$hlrcrun" --restart dir
        expect_out "$what" '^restored 5$'
        result $what "$plain"
        continue
        ;;
    full) kill -USR1 $launcher ;;
    request) # the second one waits for the first
        kill -USR1 $launcher
        sleep 0.3
        ! grep -q grid out || fail "$what: did not wait"
        cat dir/2.node.1 >/dev/null
        ;;
    end)
        await grep -q grid out
        sleep 0.2
        kill -0 $launcher || fail "$what: did not wait"
        cat dir/2.node.1 >/dev/null
        ;;
    esac
    status=0
    wait $launcher || status=$?
    expect_status $what 0
    result $what "$plain"
    error='Invalid argument'
    test $what != full || error='No space left on device'
    test $what = end || expect_out $what "^failed 1[1-5] $error\$"
    expect_err $what "checkpoint 2: .*/2.node.1: $error; checkpoint 1 is the last complete one"
    test "$(wc -l <err)" -eq 1 && test -e dir/manifest.$last && test ! -e dir/manifest.$((last + 1)) || fail "$what: $(ls dir; cat err)"
    run "$hlrcrun" --restart dir
    expect_out $what "^restored $((last * 10 - 5))\$"
    result $what "$plain"
done

rm -rf dir
run "$hlrcrun" -n 2 --checkpoint 0:dir "$saved" 24 large tight kill=7
test "$(grep -c 'checkpoint 1: memory is short: the program waits while it is written$' err)" = 1 || fail "tight: $(cat err)"
run "$hlrcrun" --restart dir "$saved" 24 large
expect_out tight '^restored 7$'
result tight "$plain"

# ---- hlrcrun continues the job itself ----
continued() { # WHAT TIMES
    test "$(grep -c '^hlrcrun: continues from checkpoint [0-9]* in /.*/dir; restarts left: [0-9]*$' err)" = "$2" || fail "$1: not $2 times: $(cat err)"
}
again() { # OPTIONS, PROGRAM...
    rm -rf dir
    run "$hlrcrun" -n 2 --checkpoint 0:dir --restarts 2 "$@"
}
# what nodes inherit is the same in each job
mkdir -p sub
cat >sub/node <<'END'
test "$HLRC_NODE" != 0 || { grep -E '^Sig(Blk|Ign)|^Umask' /proc/self/status; ulimit -n; pwd; echo "$GIVEN ${HLRC_RERUN-no}"; } >>said.$GIVEN
exec "$@"
END
again --wdir sub -x GIVEN=x --stats=counts.json -- bash ./node "$saved" 24 kill=13
expect_status 'continued' 0
expect_out 'continued' '^restored 13$'
result 'continued' "$plain"
continued 'continued' 1
test "$(wc -l <err)" -eq 2 || fail "continued: $(cat err)"
test "$(sort sub/said.x | uniq -c | awk '{ print $1 }' | sort -u)" = 2 || fail "other surroundings: $(cat sub/said.x)"
grep -q x.no sub/said.x && grep -q "/sub$" sub/said.x && test -s counts.json && ! grep -q '"complete": false' counts.json || fail "continued: $(ls; cat sub/said.x)"
again "$saved" 24 die=13
expect_status 'at most twice' 137
continued 'at most twice' 2
expect_err 'at most twice' '^hlrcrun: not continued: no restart is left; checkpoint 14 is the newest: hlrcrun --restart /.*/dir$'
again "$saved" 24 leave=13
expect_status 'a status' 3
continued 'a status' 0
cp -r dir other
again --checkpoint 1h:dir "$saved" 24 kill=13
expect_status 'no checkpoint' 137
expect_err 'no checkpoint' '^hlrcrun: not continued: no checkpoint of this job is complete$'
run "$hlrcrun" --checkpoint 0:other --restarts 2 sh -c 'kill -9 $$'
expect_status 'of another job' 137
expect_err 'of another job' '^hlrcrun: not continued: no checkpoint of this job is complete$'
for all in no yes; do # a terminal signals all processes
    rm -rf dir out
    "$hlrcrun" -n 2 --checkpoint 0:dir --restarts 2 "$saved" 24 wait=4 >out 2>err </dev/null &
    launcher=$!
    await grep -q -s waits out
    nodes=
    test $all = no || nodes=$(processes_of "$saved")
    kill -TERM $launcher $nodes 2>/dev/null
    status=0
    wait $launcher || status=$?
    expect_status "SIGTERM, $all" 143
    continued "SIGTERM, $all" 0
done
for wrong in '--restarts 2@needs --checkpoint TIME:DIR' '--restarts 2 --checkpoint 0:dir --gdb 0@does not work with --gdb' \
    '--restarts 2 --hosts localhost:2@needs --checkpoint TIME:DIR' '--spares 1@give --hosts more places than -n has nodes'; do
    rm -rf dir
    read -ra words <<<"${wrong%@*}"
    run "$hlrcrun" "${words[@]}" "$saved"
    expect_status "$wrong" 2
    one_line "$wrong" "${wrong#*@}"
done

# ---- checkpoints in memory, with copies ----
mkdir mem
memory() { # NODES OPTIONS, PROGRAM...
    rm -rf dir death.* blocked
    run "$hlrcrun" -n "$1" --partner mem --checkpoint 0:dir "${@:2}"
}
is_freed() {
    test -z "$(ls mem)"
}
freed() { # WHAT
    is_freed || fail "$1: not freed: $(find mem)"
}
survived() { # WHAT STEP TIMES: from the checkpoint of STEP, that often
    expect_status "$1" 0
    result "$1" "$plain"
    test "$(grep -c "^hlrcrun: continues from checkpoint $(($2 + 1)) in memory; restarts left: [0-9]*$" err)" = "$3" || fail "$1: not $3 times: $(cat err)"
    test "$(wc -l <err)" = $((2 * $3)) || fail "$1: $(cat err)"
    test "$3" = 0 || expect_out "$1" "^restored $2\$"
    freed "$1"
}
# the second loss leaves what the first restart has copied
memory 2 "$saved" 24 kill=13 lose=1,2
survived 'the memory of node 0, then of node 1' 13 2
memory 3 "$saved" 24 block=9
survived 'a death during a checkpoint' 8 1
for protocol in $protocols; do
    memory 4 --protocol "$protocol" "$saved" 24 window private kill=13 lose=5,8
    survived "$protocol: the memory of nodes 0 and 2, then of node 3" 13 2
done
memory 3 "$saved" 24 kill=13 lose=6
expect_status neighbours 137
expect_err neighbours '^hlrcrun: not continued: checkpoint 14 in memory is lost, since no copy of node 1 is left; no checkpoint is on a disk$'
freed neighbours
memory 2 "$saved" 24 full=9
expect_status 'no room for a copy' 0
expect_out 'no room for a copy' '^failed 9 No space left on device$'
expect_err 'no room for a copy' 'checkpoint 10: copy of the file of node 0 in .*: No space left on device; checkpoint 9 is the last complete one$'
test "$(wc -l <err)" -eq 1 || fail "no room for a copy: $(cat err)"
result 'no room for a copy' "$plain"
freed 'no room for a copy'
test -z "$(ls dir)" || fail "on the disk: $(ls dir)"
# a signal has it saved on the disk; without hlrcrun, and its guard, the memory is freed as well
for end in usr1 hlrcrun guard; do
    rm -rf dir out
    "$hlrcrun" -n 2 --partner mem --checkpoint 0:dir "$saved" 24 wait=4 >out 2>err </dev/null &
    launcher=$!
    await grep -q -s waits out
    test -e mem/*/0/manifest.5 || fail "$end: $(find mem)"
    if test $end = usr1; then
        kill -USR1 $launcher
        wait $launcher || fail "$end: status $?"
        result $end "$plain"
        test "$(echo $(ls dir))" = '6.node.0 6.node.1 manifest.6' || fail "$end: $(ls dir)"
        run "$hlrcrun" --restart dir
        expect_out "$end" '^restored 5$'
        result "$end" "$plain"
    else
        test $end = hlrcrun || kill -9 "$(pgrep -P $launcher hlrc-guard)"
        kill -9 $launcher
        wait $launcher 2>/dev/null
        await is_freed
    fi
    freed $end
done
# a file of a checkpoint that was not complete does not survive a restart
rm -rf dir out
"$hlrcrun" -n 2 --partner mem --checkpoint 0:dir "$saved" 80 slow wait=4 >out 2>err </dev/null &
launcher=$!
await grep -q -s waits out
touch "$(echo mem/*/0)/99.node.0"
kill -9 "$(processes_of "$saved" | head -n 1)"
await grep -q -s restored out
test ! -e "$(echo mem/*/0)/99.node.0" || fail "kept: $(find mem)"
wait $launcher || fail "kept: status $?: $(cat err)"
freed kept
for wrong in '--partner on@needs --checkpoint TIME' '--partner mem --checkpoint 0:dir --gdb 0@does not work with --gdb' \
    '--partner on --hosts localhost:2@needs --checkpoint TIME' '--partner nowhere --checkpoint 0:dir@nowhere: No such file'; do
    rm -rf dir
    read -ra words <<<"${wrong%@*}"
    run "$hlrcrun" "${words[@]}" "$saved"
    expect_status "$wrong" 2
    one_line "$wrong" "${wrong#*@}"
done

# ---- damage ----
rm -rf good
run "$hlrcrun" -n 3 --checkpoint 0:good "$saved" 24 kill=7
run "$hlrcrun" -n 2 --restart good
one_line 'other nodes' 'saved by 3 nodes .*start with -n 3, or have the program call hlrc_checkpoint_any'

damaged() { # WHAT PATTERN COMMAND...: in dir, a copy
    local what=$1 pattern=$2 sums
    shift 2
    rm -rf dir
    cp -r good dir
    (cd dir && "$@") || fail "$what: cannot be made"
    sums=$(cd dir && sha256sum -- * 2>&1)
    run "$hlrcrun" --restart dir --checkpoint 0:dir
    one_line "$what" "$pattern"
    ! grep -q restored out || fail "$what: restored"
    test "$sums" = "$(cd dir && sha256sum -- * 2>&1)" || fail "$what: the files have changed"
}

flip() { # FILE OFFSET
    perl -e 'open my $f, "+<", $ARGV[0] or die; seek $f, $ARGV[1], 0; read $f, my $c, 1; seek $f, $ARGV[1], 0;
        print $f chr(ord($c) ^ 16)' "$1" "$2"
}

resign() { # EDIT: a manifest with a right digest
    perl -e 'use integer; local $/; open my $f, "<", "manifest.8" or die; $_ = <$f>; s/digest.*\n//; eval $ARGV[0]; die $@ if $@;
        my $d = 0xcbf29ce484222325; for my $c (unpack "C*") { $d = ($d ^ $c) * 0x100000001b3 }
        open $f, ">", "manifest.8" or die; printf $f "%sdigest %016x\n", $_, $d' "$1"
}

size=$(stat -c %s good/8.node.1)
damaged 'no manifest' 'no complete checkpoint' sh -c 'rm manifest.*'
damaged 'a file is missing' '8.node.1: No such file' rm 8.node.1
damaged 'a file is cut short' '8.node.1 has [0-9]+ bytes, and [0-9]+ were written' truncate -s $((size - 3)) 8.node.1
damaged 'a manifest is cut short' 'manifest.8: damaged; without this file, the checkpoint before' truncate -s 200 manifest.8
for offset in 0 5 9 20 $((size / 2)) $((size - 20)); do
    damaged "a bit is flipped at $offset" '8.node.1: damaged' flip 8.node.1 "$offset"
done
damaged 'a bit of an older file is flipped' '7.node.0: damaged|1.node.0: damaged|5.node.0: damaged' \
    sh -c "for g in 1 2 3 4 5 6 7; do test ! -e \$g.node.0 || perl -e 'open my \$f, \"+<\", \$ARGV[0]; seek \$f, 60, 0; print \$f \"XYZ\"' \$g.node.0; done"
damaged 'a bit of the manifest is flipped' 'manifest.8: damaged' flip manifest.8 70
damaged 'another version' 'saved by version 0.0.9; this is version' resign 's/version .*/version 0.0.9/'
damaged 'another program' 'saved by another program' resign 's/^(numbers.* )\S+$/${1}1234/m'
damaged 'another address' 'shared memory is at 0x[0-9a-f]+, and was at 0x123000' resign 's/^(numbers(?: \S+){4}) \S+/$1 123000/m'
# the one before it
rm -rf dir
cp -r good dir
rm dir/manifest.8
run "$hlrcrun" --restart dir
expect_out 'the one before' '^restored 6$'
result 'the one before' "$plain"
for wrong in x 60x -1 60s: ''; do
    test -n "$wrong" || continue
    run "$hlrcrun" --checkpoint "$wrong" "$saved"
    expect_status "--checkpoint $wrong" 2
    one_line "--checkpoint $wrong" "checkpoint $wrong: not TIME"
done
finish
