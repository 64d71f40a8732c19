# SPDX-License-Identifier: LGPL-2.1-or-later
# --check races (races/races.h): two nodes that write the same bytes are told of, with both lines of the source, and the
# status is 66 [races.last-writers], [races.tracked], [word.ordered], [races.reads-first]; what only looks like that is not.
# Random programs, which have no races, give no report.
. "$(dirname "$0")/../lib.sh"
race=$top_builddir/tests/blackbox/race random=$top_builddir/tests/random/random
test -x "$race" || skip "$race is not built"
export HLRC_CHECK=races
line() { grep -n "$1 of node $2" "$top_srcdir/tests/blackbox/race.c" | head -1 | cut -d: -f1; }
side() { # NODE VERB: how its side is told of, with addr2line and without
    local function=write_first line
    [ "$1" = 0 ] || function=${2% }_second
    line=$(case $2 in read*) line reads "$1" ;; *) line line "$1" ;; esac)
    echo "node $1, thread 0 in interval [0-9]+ \($function(, race.c:$line|\+0x[0-9a-f]+ in .*race(_reads)?)\)"
}

# who allocated the block: a call of main
call="main(, race.c:$(grep -n 'page = hlrc_malloc_all' "$top_srcdir/tests/blackbox/race.c" | cut -d: -f1)|\\+0x[0-9a-f]+ in .*race(_reads)?)"

# PROTOCOL PROGRAM HOW RESULT: with a race, which VERB says how node 1 took part in it, or without
found() { # PROTOCOL PROGRAM HOW VERB
    local what="$1, $3"
    rm -f "$work"/go*
    HLRC_PERTURB=open_compared:100:2000 run_job 3 "$1" "$2" "$3" "$work/go"
    expect_status "$what" 66
    expect_err "$what" "^hlrc: race: 4 bytes from byte 24 of page [0-9]+, byte 24 of the block of [0-9]+ bytes at 0x[0-9a-f]+ \\($call\\), were written by $(side 0 write) and $4by $(side 1 "${4:-write}"), and no lock and no barrier orders the two\$"
    expect_err "$what" '^hlrc: --check races found 1 race$'
    test "$(wc -l <"$work/err")" -eq 2 || fail "$what: $(head -5 "$work/err")"
}
clean() { # PROTOCOL PROGRAM HOW
    rm -f "$work"/go*
    HLRC_PERTURB=open_compared:100:2000,diff_arrived:50:1000 run_job 3 "$1" "$2" "$3" "$work/go"
    expect_status "$1, $3" 0
    test -s "$work/err" && fail "$1, $3: $(head -5 "$work/err")"
}

export HLRC_LAZY_RELEASE=0 # each unlock is an interval
for protocol in async ardmar onesided; do
    for how in same locks home word over before after; do
        found $protocol "$race" $how ""
    done
    for how in joined open read-behind read-behind read-behind clean; do # by chance
        clean $protocol "$race" $how
    done
    test -n "${HLRC_TEST_SANITIZERS:-}" && continue # then no reads are noted
    for how in reads read-locks read-before read-early; do
        found $protocol "${race}_reads" $how "read "
    done
    clean $protocol "${race}_reads" clean
done
unset HLRC_LAZY_RELEASE

what="an option that would hide writes"
run_job 2 ardmar --diffs write "$race" clean
expect_status "$what" 2
expect_err "$what" '^hlrcrun: --diffs write: --check races needs message; leave one of the two out$'

# what random programs choose at random and --check races needs otherwise
export HLRC_LOCKS=mcs HLRC_DIFFS=message HLRC_MOVE_HOMES=off
. "$top_srcdir/tests/random/lib.sh"
test -n "${HLRC_TEST_SANITIZERS:-}" || random=${random}_reads
random_programs 10 5 --protocol ardmar,async,onesided >"$work/random" 2>&1 || fail "random programs: $(head -30 "$work/random")"
finish
