#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The floors of doc/design.md, by the symbols of the objects: an object calls, and reads, what lies on its own floor or below,
# never above; and no objects call each other in a circle but those named here.
set -u
perl=${PERL:-perl}
. "$(dirname "$0")/faillib.sh"
once_with "$perl" nm
source=$(cd "${top_srcdir:-.}" && pwd) && export source
cd "${top_builddir:-build}" || exit 1
exec "$perl" - <<'END'
use strict;
use warnings;

# From the ground up. A folder stands for its objects, but for those that are named themselves.
my @floors = (
    [qw(base)],
    [qw(tools)],
    [qw(hlrc/policy)],
    [qw(sim)],
    [qw(boot fabric/locality fabric/failure)],
    [qw(fabric/shm fabric/verbs fabric/chaos)],
    [qw(fabric)],
    [qw(hlrc/core)],
    [qw(hlrc/probe)],
    [qw(hlrc/progress)],
    [qw(hlrc/memory)],
    [qw(hlrc/races/races)],
    [qw(hlrc/memory/interval)],
    [map { "hlrc/report/deadlock_$_" } qw(collect detect watchdog)],
    [qw(hlrc/sync)],
    [qw(hlrc/heap hlrc/rma)],
    [qw(hlrc/checkpoint)],
    [qw(hlrc/crash)],
    [qw(hlrc/races)],
    [qw(hlrc/report)],
    [qw(hlrc/system)],
    [qw(async ardmar onesided)],
    [qw(hlrc)],
    [qw(compat/treadmarks compat/jiajia compat/shmem compat/armci)],
    [qw(compat/start)],
    [qw(compat/process)],
    [qw(compat/openmp)],
    [qw(compat/pthread)],
    [qw(compat/process/bind)],
);

# Circles that are meant: a thread that waits serves, and one that serves wakes; a page that is opened may have to be fetched,
# and a fetched one is opened, in the simulator too; a registered piece is asked for by a message of the fabric that needs it; a
# thread of a team begins a nested team.
my @circles = (
    [map { "hlrc/progress/$_" } qw(bulk msg progress thread)],
    [map { "hlrc/memory/$_" } qw(copies exclusive page page_claim page_fetch page_flush page_move page_view renew unchanged)],
    [map { "hlrc/sync/$_" } qw(barrier homes)],
    [map { "fabric/verbs/verbs$_" } '', qw(_count _long _memory _near _pieces _registrar _rx)],
    [map { "compat/openmp/team$_" } '', qw(_nest _place _size)],
    [map { "sim/replay_$_" } qw(ahead close page renew write)],
    [map { "sim/replay_$_" } qw(queue round sync)],
);

# What these define the C library has, too: for all but programs of hlrcc, and for programs without HLRC.
my %in_place_of_libc = map { $_ => 1 } qw(compat/process/calls compat/process/library compat/process/stdio compat/pthread/restored
    hlrc/crash/masks);

my ($failures, %floor, %object, %home, %needs, %calls) = (0);
for my $i (0 .. $#floors) { $floor{$_} = $i for @{ $floors[$i] } }

sub fail { print "FAILED: @_\n"; $failures++ }

# The objects, once each: those of the shared library, else those of the static one; not what an earlier source left.
for my $folder (keys %floor) {
    for my $file (sort glob("$folder/.libs/*.o"), sort glob("$folder/*.o")) {
        my ($name) = $file =~ m{([^/]+)\.o$};
        $name =~ s/^lib\w+_la-//;
        $object{"$folder/$name"} //= $file if -e "$ENV{source}/$folder/$name.c";
    }
}
fail('only ' . keys(%object) . ' objects found') if keys %object < 50;

sub floor_of {
    my ($name) = @_;
    my ($folder) = $name =~ m{^(.*)/};
    return $floor{$name} // $floor{$folder};
}

for my $name (sort keys %object) {
    for (`nm -P '$object{$name}'`) {
        my ($symbol, $kind) = split;
        if ($kind =~ /[TDBRC]/) { $home{$symbol} = $name unless $in_place_of_libc{$name} }
        elsif ($kind eq 'U') { $needs{$name}{$symbol} = 1 }
    }
}

my $calls = 0;
for my $name (sort keys %needs) {
    for my $symbol (sort keys %{ $needs{$name} }) {
        my $to = $home{$symbol} // next;
        next if $to eq $name;
        $calls++;
        $calls{$name}{$to} = 1;
        fail("$name needs $symbol of $to, which is above it") if floor_of($to) > floor_of($name);
    }
}

# Everything that can be reached from an object; those that reach each other are a circle.
sub reached {
    my ($from) = @_;
    my (%seen, @next);
    @next = keys %{ $calls{$from} // {} };
    while (defined(my $to = shift @next)) {
        next if $seen{$to}++;
        push @next, keys %{ $calls{$to} // {} };
    }
    return \%seen;
}

my %reach = map { $_ => reached($_) } keys %object;
my %meant;
for my $i (0 .. $#circles) { $meant{$_} = $i for @{ $circles[$i] } }
for my $name (sort grep { $reach{$_}{$_} } keys %object) {
    my @with = grep { $_ ne $name && $reach{$name}{$_} && $reach{$_}{$name} } sort keys %object;
    for my $other (@with) {
        next if defined $meant{$name} && defined $meant{$other} && $meant{$name} == $meant{$other};
        fail("$name and $other call each other in a circle") if $name lt $other;
    }
}

# A protocol knows the engine and the network, and no other protocol.
for my $protocol (qw(async ardmar onesided)) {
    for my $file (glob("$ENV{source}/$protocol/*.[ch]")) {
        open my $in, '<', $file or die "$file: $!\n";
        while (<$in>) {
            next unless /^#include "([^"]+)"/;
            fail("$file includes $1") unless $1 =~ m{^(base/|fabric/fabric\.h$|hlrc/\w+/|$protocol/)};
        }
    }
}

# The simulator uses none of the engine's code but its decisions, and the tools only formats. These are functions of their arguments: they share no state
# with other threads, and call only each other, base/ and the C library's functions on memory.
my %includes = (sim => qr{^(base|hlrc/policy|sim)/}, 'hlrc/policy' => qr{^(base|hlrc/policy)/},
    tools => qr{^(?:(?:base|tools)/|hlrc/(?:probe/(?:profile|timeline)|progress/bulk)\.h)});
for my $folder (sort keys %includes) {
    for my $file (glob("$ENV{source}/$folder/*.[ch]")) {
        open my $in, '<', $file or die "$file: $!\n";
        while (<$in>) {
            fail("$file includes $1") if /^#include "([^"]+)"/ && $1 !~ $includes{$folder};
            fail("$file line $.: shared state") if $folder eq 'hlrc/policy' && /_Atomic|stdatomic|<stdio|_Thread_local/;
        }
    }
}
for my $name (grep { m{^hlrc/policy/} } sort keys %needs) {
    for my $symbol (grep { !defined $home{$_} } sort keys %{ $needs{$name} }) {
        fail("$name needs $symbol") unless $symbol =~ /^(mem(cpy|set|move|cmp)|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$/;
    }
    for (`nm -P '$object{$name}'`) {
        my ($symbol, $kind) = split;
        fail("$name has the variable $symbol") if $kind =~ /^[BDCbdc]$/;
    }
}

printf "%d objects, %d uses of each other, %d failed\n", scalar keys %object, $calls, $failures;
exit($failures > 0 || $calls < 300);
END
