#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/run with the smallest sizes: every combination is in the table and in the JSON file, and the three lines at the end
# say what the JSON file says. A program that fails is reported and counted, and the lines are about the others.
. "$(dirname "$0")/lib.sh"
perl=${PERL:-perl}
"$perl" -MJSON::PP -e 1 2>/dev/null || skip "no perl with JSON::PP, which the script is written in"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "instrumented: of a script; the applications have tests"

run() {
    status=0
    "$perl" "$top_srcdir/scripts/run" --no-deps --no-build --build "$top_builddir" --size tiny --repeat 1 --timeout 60 "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

run --nodes 1,2 --protocols async,ardmar,onesided,native --json "$work/runs.json" radix is
expect_status "two applications" 0
[ "$(grep -cE '^  (async|ardmar|onesided|native) +[12] +[0-9.]+ s +[0-9.]+ +yes' "$work/out")" -eq 16 ] ||
    fail "two applications: $(cat "$work/out")"
sed -n '/^  protocol/,/^(none)/p' "$work/out" >"$work/table"
[ "$(wc -L <"$work/table")" -le 80 ] && [ "$(grep -cE '^  (async|ardmar|onesided) .* yes( +[0-9.]+[kM]?){8}$' "$work/table")" -eq 12 ] ||
    fail "the table: $(cat "$work/table")"

# The lines again, from the JSON file.
cat >"$work/seen.pl" <<'END'
use strict; use warnings; use JSON::PP; use List::Util qw(sum0);
my (@apps, %time, %part); local $/;
for my $run (@{ decode_json(<STDIN>) }) {
    next if !defined $run->{protocol};
    push @apps, $run->{app} if !grep { $_ eq $run->{app} } @apps;
    $time{ $run->{protocol} }{ $run->{nodes} }{ $run->{app} } = $run->{result}{time_s};
    my @nodes = @{ $run->{stats}{per_node} // [] } or next;
    $part{ $run->{protocol} }{ $run->{app} } = { map { my $p = $_; $p => 100 * sum0(map { $_->{"${p}_s"} } @nodes) / sum0(map { $_->{wall_s} } @nodes) }
        qw(compute page lock barrier diff) } if $run->{nodes} == 2;
}
sub mean { my $product = 1; $product *= $_ for @_; return $product ** (1 / @_) }
my %mean = map { $_ => mean(values %{ $time{$_}{2} }) } qw(async ardmar onesided);
my ($best, @rest) = sort { $mean{$a} <=> $mean{$b} || $a cmp $b } keys %mean;
print "On 2 nodes $best was the fastest protocol: ", join(', ', map { sprintf '%.2f times as fast as %s', $mean{$_} / $mean{$best}, $_ } @rest),
    ' (geometric mean of ', scalar @apps, " applications).\n";
my %gain = map { $_ => $time{$best}{1}{$_} / $time{$best}{2}{$_} } @apps;
printf "2 nodes under $best: %.2f times as fast as 1 node (%s).\n", mean(values %gain), join ', ', map { sprintf '%s %.2f', $_, $gain{$_} } @apps;
my %all = map { my $p = $_; $p => sum0(map { $_->{$p} } values %{ $part{$best} }) / @apps } qw(compute page lock barrier diff);
my ($wait) = sort { $all{$b} <=> $all{$a} } qw(page lock barrier diff);
my ($most) = sort { $part{$best}{$b}{$wait} <=> $part{$best}{$a}{$wait} } @apps;
printf "The nodes computed for %.0f %% of their time there; most of the rest was $wait, %.0f %% ($most: %.0f %%).\n", $all{compute}, $all{$wait},
    $part{$best}{$most}{$wait};
END
"$perl" "$work/seen.pl" <"$work/runs.json" >"$work/seen" || fail "the JSON file cannot be read"
[ "$(wc -l <"$work/seen")" -eq 3 ] || fail "seen: $(cat "$work/seen")"
diff <(tail -n 3 "$work/out") "$work/seen" || fail "the last three lines are not what the JSON file says"

# One application fails with an argument; nothing is said of what did not run.
run --nodes 1,2 --protocols ardmar radix -- --max-key 2^40
expect_status "a failure" 2
expect_err "a failure" '^scripts/run: .*max-key'
run --nodes 2 --protocols ardmar,native is
expect_status "one protocol" 0
tail -n 3 "$work/out" | grep -q '^On 2 nodes ardmar was the only protocol' || fail "one protocol: $(tail -n 3 "$work/out")"
# The two protocols of the paper: each application in both tables, which fit a terminal.
run --compare --nodes 2 radix is
expect_status "--compare" 0
[ "$(wc -L <"$work/out")" -le 80 ] && [ "$(grep -cE '^(radix|is) ( *[0-9.]+){3}  [0-9.]+-[0-9.]+ +-$' "$work/out")" -eq 2 ] &&
    [ "$(grep -cE '^(radix|is) ( +[0-9]+[kM]? / [0-9]+[kM]?){4}$' "$work/out")" -eq 2 ] || fail "--compare: $(cat "$work/out")"
run --nodes 2 --protocols nothing is
expect_status "a protocol of another name" 2
finish
