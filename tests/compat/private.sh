#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Memory that is private to node 0 has no value on other nodes: a program of hlrcc that passes its address to them is right, or
# ends with a line that says what it is. And what is accessible at an address on one node, and is no shared memory, is
# accessible there on no other, as /proc/PID/maps has it [addresses.reserved].
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
[ -x "$top_builddir/hlrcc" ] || skip "this build has no hlrcc"
command -v gcc >/dev/null || skip "no gcc"
perl=${PERL:-perl}
command -v "$perl" >/dev/null || skip "no perl"
unset HLRC_CC HLRC_CXX HLRC_FC
export HLRC_PLACEMENT_CONTROL=off # on one host there would be one node
times=1
[ -z "${HLRC_SOAK-}" ] || times=20

gcc -shared -fPIC -O2 -pthread "$here/private/library.c" -o "$work/libprivate.so" || { fail "the library"; finish; }
"$top_builddir/hlrcc" -fopenmp -O2 "$here/private/program.c" "$work/libprivate.so" "-Wl,-rpath,$work" -o "$work/program" \
    2>"$work/err" || { fail "hlrcc: $(head -3 "$work/err")"; finish; }
"$perl" -e 'print chr(1 + $_ * 7 % 255) for 1 .. 200; print "\n"; print chr($_ % 251) for 1 .. 900000' >"$work/file"

# ---- what programs do with it ----
for how in file shared pages block copy getcwd getline stack; do
    for protocol in ardmar async onesided; do
        for ((i = 0; i < times; i++)); do
            run_job 2 $protocol "$work/program" $how "$work/file"
            [ "$status" = 0 ] && [ "$(cat "$work/out")" = right ] && continue
            { [ "$status" = 139 ] && grep -q 'SIGSEGV at 0x[0-9a-f]*: not shared memory: .* node 0' "$work/err"; } ||
                fail "$how, $protocol: status $status, $(cat "$work/out"), $(head -2 "$work/err")"
        done
    done
done

run_job 1 ardmar "$work/program" file "$work/file"
expect_out "file, one node" '^right$'
for how in file pages; do # mapping.c
    run_job 3 onesided "$work/program" $how "$work/file"
    expect_status "$how, three nodes" 0
    expect_out "$how, three nodes" '^right$'
done
run_job 2 ardmar "$work/program" shared "$work/file"
expect_err "shared" "SIGSEGV at .*: not shared memory: read of .*/file as node 0 has mapped it: this mapping is on that node only; malloc in "
run_job 3 async "$work/program" block "$work/file"
expect_err "block" "SIGSEGV at .*: not shared memory: write to node 0's private memory: .*; malloc in the program's own code"

# ---- what is mapped where ----
cat >"$work/compare" <<'END'
use strict;
use warnings;
no warnings 'portable';

# HLRC's own ranges, and where shared memory and stacks are: what is there is no program's private memory.
my @hlrc = ([0x001000000000, 0x500000000000], [0x580000000000, 0x7e0000000000]);
my ($prefix, $nodes) = @ARGV;

sub mappings {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    return map { /^(\w+)-(\w+) (....) \S+ \S+ \S+ *(.*)/ ? [hex $1, hex $2, $3, $4] : () } <$in>;
}

# Parts of [begin, end) that lie in none of the list.
sub outside {
    my ($begin, $end, @list) = @_;
    my @parts = ([$begin, $end]);
    for my $cut (@list) {
        @parts = map {
            my ($b, $e) = @$_;
            $cut->[1] <= $b || $cut->[0] >= $e ? $_
                : (($b < $cut->[0] ? [$b, $cut->[0]] : ()), ($cut->[1] < $e ? [$cut->[1], $e] : ()))
        } @parts;
    }
    return @parts;
}

my (%mine, %accessible);
for my $node (0 .. $nodes - 1) {
    my @begin = grep { $_->[2] =~ /[rwx]/ } mappings("$prefix.$node.begin");
    my @now = grep { $_->[2] =~ /[rwx]/ } mappings("$prefix.$node");
    $accessible{$node} = \@now;
    for my $m (@now) {
        next if $m->[3] eq '[stack]' || $m->[3] eq '[vsyscall]'; # of no thread that runs the program
        my @parts = outside($m->[0], $m->[1], @begin, @hlrc);
        printf "node %d: HLRC's window lies at %x, among private memory\n", $node, $m->[0] if @parts && $m->[3] =~ /hlrc-window/
            && $m->[0] > 0x1000000000;
        push @{ $mine{$node} }, map { [@$_, $m->[3]] } grep { $m->[2] =~ /p$/ || $m->[3] !~ /memfd/ } @parts;
    }
    my $bytes = 0;
    $bytes += $_->[1] - $_->[0] for @{ $mine{$node} };
    print "node $node has only $bytes bytes of private memory\n" if $bytes < 16 << 20;
}
for my $node (0 .. $nodes - 1) {
    for my $other (grep { $_ != $node } 0 .. $nodes - 1) {
        for my $m (@{ $mine{$node} }) {
            for my $o (@{ $accessible{$other} }) {
                printf "%x-%x %s of node %d is %x-%x %s %s on node %d\n", $m->[0], $m->[1], $m->[2], $node, @$o, $other
                    if $o->[0] < $m->[1] && $m->[0] < $o->[1];
            }
        }
    }
}
END
for protocol in ardmar async onesided; do
    run_job 3 $protocol --threads-per-node 1 "$work/program" maps "$work/file" "$work/maps"
    expect_status "maps, $protocol" 0
    "$perl" "$work/compare" "$work/maps" 3 >"$work/found" 2>&1 || fail "comparison: $(head -3 "$work/found")"
    [ ! -s "$work/found" ] || fail "maps, $protocol: $(wc -l <"$work/found") times, as $(head -4 "$work/found")"
done

# ---- where it cannot be so ----
status=0
(ulimit -v 67108864 && exec "$within" 60 "$hlrcrun" -n 2 --memory 64M "$work/program" file "$work/file") >"$work/out" 2>"$work/err" ||
    status=$?
expect_status "ulimit -v" 1
expect_err "ulimit -v" 'reserves 128 TiB of addresses to separate the private memory of nodes, which the limit on address space forbids; use ulimit -v unlimited$'
finish
