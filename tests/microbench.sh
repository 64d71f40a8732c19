# SPDX-License-Identifier: LGPL-2.1-or-later
# Each microbenchmark, very briefly, on shm: it ends well, checks what it reads, and its JSON has what microbench/README.md
# says, by another program's parser: every figure of --list, as many samples as repetitions and nodes make, statistics in
# order, a histogram that adds up. No time is asserted. And what is said of bad arguments: one line.
. "$(dirname "$0")/lib.sh"
perl=${PERL:-perl}
"$perl" -MJSON::PP -e 1 2>/dev/null || skip "no perl with JSON::PP, which reads what is written"
bench=$top_builddir/microbench
brief=(--warmup 1 --repetitions 3 --seconds 60)

# checked NAME COUNT...: of the benchmark that has just run; COUNT is RESULT=SAMPLES, of all results of that name
checked() {
    test "$status" = 0 || { fail "$1: status $status: $(tail -n 3 "$work/err")"; return; }
    "$bench/$1" --list >"$work/list" || fail "$1 --list: status $?"
    "$perl" "$work/check.pl" "$work/json" "$work/list" "$@" || fail "$1: its JSON"
}
alone() { # NAME ARGUMENT...
    status=0
    "$bench/$1" "${brief[@]}" --json "$work/json" "${@:2}" >"$work/out" 2>"$work/err" || status=$?
}
job() { # NODES PROTOCOL NAME ARGUMENT...
    run_job "$1" "$2" "$bench/$3" "${brief[@]}" --json "$work/json" "${@:4}"
}

cat >"$work/check.pl" <<'END'
use strict;
use warnings;
use JSON::PP;
my ($json, $list, $benchmark, @counts) = @ARGV;
my %count = map { /(.*)=(.*)/ } @counts;
my $failures = 0;

sub fail { print "    $benchmark: @_\n"; $failures++ }
sub text { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }

# A number as it is in the file, not a string of digits.
sub number { return defined $_[0] && !ref $_[0] && JSON::PP->new->allow_nonref->encode($_[0]) =~ /^-?[0-9]/ }

my $run = decode_json(text($json));
fail("it calls itself $run->{benchmark}") if $run->{benchmark} ne $benchmark;
for (qw(version kernel fabric)) { fail("no $_") if ($run->{$_} // '') eq '' }
for (qw(load nodes warmup repetitions seconds clock_ns)) { fail("$_ is no number") if !number($run->{$_}) }
for (qw(name architecture)) { fail("no $_ of the machine") if ($run->{machine}{$_} // '') eq '' }
fail('no number of cores') if !number($run->{machine}{cores});
fail('not of 3 repetitions') if $run->{repetitions} != 3;
fail('a job without protocol and options') if exists $run->{protocol} && ref $run->{options} ne 'HASH';

my %seen;
for my $result (@{ $run->{results} }) {
    my ($name, $n) = ($result->{name}, $result->{count});
    my $what = join ' ', map { ref $result->{$_} ? () : "$_=$result->{$_}" } sort keys %$result;
    $seen{$_} = 1 for grep { defined } $name, $result->{pattern}, $result->{use};
    fail("unit: $what") if $result->{unit} !~ m{^(us|ns|MB/s|percent|count|ratio)$};
    if (my @missing = grep { !number($result->{$_}) } qw(count min p10 p50 p90 p99 p999 max median mean load)) {
        fail("no @missing: $what");
        next;
    }
    for (['min', 'p10', 'p50', 'p90', 'p99', 'p999', 'max'], ['min', 'median', 'p99'], ['p50', 'median', 'max']) {
        my @order = map { $result->{$_} } @$_;
        fail("not in order, @$_: $what") if grep { $order[$_] > $order[$_ + 1] } 0 .. $#order - 1;
    }
    my $little = 1e-6 * (abs($result->{min}) + abs($result->{max}));
    fail("mean: $what") if $result->{mean} < $result->{min} - $little || $result->{mean} > $result->{max} + $little;
    fail("$n samples, not $count{$name}: $what") if $n < 1 || $n != ($count{$name} // $n);

    my @histogram = @{ $result->{histogram} };
    my $sum = 0;
    $sum += $_->[1] for @histogram;
    fail("$sum in the histogram: $what") if $sum != $n || grep { $_->[1] < 1 } @histogram;
    fail("histogram not in order: $what") if grep { $histogram[$_][0] >= $histogram[$_ + 1][0] } 0 .. $#histogram - 1;
    for (['min', $histogram[0][0]], ['max', $histogram[-1][0]]) {
        my ($value, $from) = ($result->{ $_->[0] }, $_->[1]);
        my $within = $from == 0 ? $value < 2**-20 : $value >= $from * (1 - 1e-6) && $value < 2 * $from * (1 + 1e-6);
        fail("$_->[0] is not where the histogram begins or ends: $what") if !$within;
    }
}
# that nodes hand a lock over is not certain in so short a time
for (grep { $_ ne 'hand_over' } map { /^(\S+)/ } split /\n/, text($list)) { fail("no result for $_") if !$seen{$_} }
exit($failures > 0);
END

alone diff
checked diff scan=3 memcpy=3 encode=3 apply=3
for as in processes threads; do
    alone coherent --workers 3 --as $as
    checked coherent page=3 fetch_add=3 lock_unlock=3 barriers=3
done
job 2 ardmar ops --sizes 8,4K
checked ops read=3 write=3 write_imm=3 cas=3 fetch_add=3 exchange=3 version_page=3 asked_page=3
job 2 ardmar latbw --sizes 1,4K,4M
checked latbw read_latency=3 write_latency=3 message_latency=3 read_bandwidth=3 write_bandwidth=3
job 3 ardmar atomics
checked atomics fetch_add=3 cas_hit=3 cas_miss=3 exchange=3 fetch_add_many=3 cas_miss_many=3 fetch_add_all=3 target_one=3 target_sixteen=3
job 2 onesided rma --sizes 8,4K
checked rma put=3 get=3 acc=3 rmw=3 homes=3 get_pieces=3 put_pieces=3
job 2 onesided gets --sizes 8,64K
checked gets contiguous=3 strided=3 gap=3 computing=3 messages=1
job 3 async words
checked words load=3 fetch_add=3 compare_exchange=3 compare_exchange_miss=3 exchange=3 fetch_add_all=9
job 3 onesided locks --sizes 1,3 --slice 5
checked locks cached=3 remote=6 per_increment=3 unequal=3
job 2 async locks --only words --sizes 1,2 --slice 5 # the queue lock excludes, by messages too
test "$status" = 0 || fail "locks by words: status $status: $(tail -n 3 "$work/err")"
job 4 async barrier
checked barrier barrier=12 barriers=12 arrive=12 depart=12 pe_words=12 gb_words=12 whole=12 split=12
for protocol in ardmar async onesided; do
    job 3 $protocol release --sizes 0,1,40
    checked release arrive=3 barrier=3 unlock=3 two_writers=6
done
job 4 ardmar pagefetch --pages 64 --threads 1,4
checked pagefetch cpu=9
for name in us_per_page us_per_page_cold; do
    grep -q "\"$name\": {\"median\": [0-9]" "$work/json" || fail "pagefetch: no $name"
done
job 3 ardmar cpu --locks 2000 --repetitions 3 --delays 0,50
checked cpu bandwidth=3 bandwidth_idle=3 iterations=3 iterations_idle=3 others=3 others_idle=3 handler=3

# refused STATUS PATTERN COMMAND...: one line of the program on standard error, and nothing else of it
refused() {
    local wanted=$1 pattern=$2
    shift 2
    status=0
    "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    sed -i '/^hlrcrun: /d' "$work/err"
    test "$status" = "$wanted" || fail "$*: status $status, not $wanted"
    test "$(wc -l <"$work/err")" = 1 && grep -qE -- "$pattern" "$work/err" || fail "$*: $(head -n 3 "$work/err")"
    test ! -s "$work/out" || fail "$*: output $(head -n 3 "$work/out")"
}
refused 2 '^diff: --nothing: no such option' "$bench/diff" --nothing
refused 2 '^diff: --json: .*its value is missing' "$bench/diff" --json
refused 2 '^diff: --repetitions 0: not a number from 1' "$bench/diff" --repetitions 0
refused 2 '^diff: --seconds never: not a number' "$bench/diff" --seconds never
refused 2 '^diff: --only nothing: no such figure; --list' "$bench/diff" --only nothing
refused 2 '^diff: word: no argument is expected' "$bench/diff" word
refused 1 "^diff: --json $work/no/file: No such file" "$bench/diff" --json "$work/no/file"
refused 2 '^coherent: --as nothing: no such choice; choose processes or threads' "$bench/coherent" --as nothing
refused 2 '^tracking: --rounds 0: not a number from 1 to 100000' "$bench/tracking" --rounds 0
refused 2 '^rewrite: --nothing: no such option' "$bench/rewrite" --nothing
refused 2 '^latbw: --sizes 0: not a list' "$bench/latbw" --sizes 0
refused 2 '^latbw: --sizes 1,,2: not a list' "$bench/latbw" --sizes 1,,2
refused 2 '^latbw: --sizes 8-4: not a list' "$bench/latbw" --sizes 8-4
refused 2 '^barrier: --sizes: no such option' "$hlrcrun" -n 3 "$bench/barrier" --sizes 1
refused 2 '^release: a job of 1 node: at least 2 are needed' "$hlrcrun" -n 1 "$bench/release"
# The history of scripts/bench: a line for a commit, and a drawing of the lines of one machine.
"${PERL:-perl}" -I"$top_srcdir/scripts/lib" -MHistory -e '
    my ($file, $top) = @ARGV;
    history_add($file, $top, { what => "a < b", us => 3, floor_us => 2 }, { what => "no floor", us => 3, floor_us => 0 });
    history_add($file, $top, { what => "a < b", us => 6, floor_us => 2 }, { what => "new", us => 1, floor_us => 1 });
    open my $other, ">>", $file; print $other qq({"commit":"x","date":"","load":0,"machine":"other","ratios":{"a < b":9}}\n{"torn"); close $other;
    history_add($file, $top, { what => "a < b", us => 3, floor_us => 2 });
    print history_draw($file), "\n"' "$work/history" "$top_srcdir" >"$work/out" 2>&1 || fail "history: $(cat "$work/out")"
test "$(cat "$work/out")" = "$work/history.svg" && test "$(wc -l <"$work/history")" = 4 && grep -q '"a < b":3[,}]' "$work/history" &&
    grep -q 'points="60.0,[0-9.]* 360.0,[0-9.]* 660.0,[0-9.]*"' "$work/history.svg" && grep -q '>a &lt; b: 1.5<' "$work/history.svg" &&
    ! grep -q 'no floor' "$work/history" || fail "history: $(cat "$work/history" "$work/history.svg" | head -20)"
"$bench/diff" --help | grep -q -- --repetitions=N || fail "diff --help"
finish
