# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Grown - programs on 32 to 1,024 nodes, by hlrc_sim grow and load.

package Grown;

use strict;
use warnings;
use Plan;
use Tell;
use Traces;

my %MACHINE = ('infiniband-2004' => 'InfiniBand 4x, 2004', 'infiniband-ndr' => 'InfiniBand NDR');
my $SOURCE = 'hlrc_sim grow and load; doc/growth.md';
my $HOW = 'Traces of two, four and eight nodes under ARDMAR, from which the law of the program makes those of more: which pages a node uses '
    . 'is the law\'s, how long it computes is fitted. The size stays the same, so that each node has less to do the more there are.';

# ---- What there is ----

sub nodes_of { my ($t, $program) = @_; return Traces::nodes_of($t, "load/$program") }

sub programs { my ($t) = @_; return grep { nodes_of($t, $_) } @Traces::GROWN }

sub at { my ($t, $program, $n, $machine, $what) = @_; my $line = $t->{"load/$program/$n"}; return $line && $line->{on}{$machine}{$what} }

sub name_of { my ($program) = @_; return $Traces::GROWN{$program}{name} }

# A plot of a program by nodes: curves [name, sub that gives a number by nodes].
sub plot {
    my ($t, $program, $title, $y, $curves, %more) = @_;
    my @nodes = nodes_of($t, $program);
    return lines($title, 'nodes', $y, [map { curve($_->[0], \@nodes, $_->[1]) } @$curves], %more);
}

# The same for each program and machine. CURVES gives them.
sub plots {
    my ($t, $y, $curves, $programs, %more) = @_;
    return map { my $p = $_; map { plot($t, $p, name_of($p) . ", $MACHINE{$_}", $y, [$curves->($p, $_)], %more) } @Traces::MACHINES } @$programs;
}

# Rows of each program, number of nodes and machine: what CELLS gives.
sub numbers_of {
    my ($t, $programs, $cells) = @_;
    my $row = sub { my ($p, $n, $m) = @_; [name_of($p), $n, $MACHINE{$m}, $cells->($p, $n, $m)] };
    return [map { my $p = $_; map { my $n = $_; map { $row->($p, $n, $_) } @Traces::MACHINES } nodes_of($t, $p) } @$programs];
}

sub numbers {
    my ($t, @columns) = @_;
    return { head => ['Program', 'nodes', 'machine', map { tr/_/ /r } @columns],
        rows => numbers_of($t, [programs($t)], sub { my ($p, $n, $m) = @_; map { at($t, $p, $n, $m, $_) } @columns }) };
}

# How much of the time, in per cent.
sub share { my ($t, $p, $m, $what) = @_; return sub { 100 * at($t, $p, $_[0], $m, $what) / at($t, $p, $_[0], $m, 'time_us') } }

# ---- Figures ----

sub times {
    my ($t) = @_;
    my $ms = sub { my ($p, $m) = @_; [$MACHINE{$m}, sub { at($t, $p, $_[0], $m, 'time_us') / 1000 }] };
    my @plots = map { my $p = $_; plot($t, $p, name_of($p), 'ms', [map { $ms->($p, $_) } @Traces::MACHINES], logy => 1) } programs($t);
    my $best = sub { my ($p, $m) = @_; (sort { at($t, $p, $a, $m, 'time_us') <=> at($t, $p, $b, $m, 'time_us') } nodes_of($t, $p))[0] };
    my @notes = map { my $p = $_; note(name_of($p) . ': of those here, fastest '
        . join(', ', map { "with ${\ $best->($p, $_)} nodes on $MACHINE{$_}" } @Traces::MACHINES) . '.') } programs($t);
    return {
        id => 'sim-grow-time', title => 'Simulated: time with 32 to 1,024 nodes', source => $SOURCE,
        what => 'Milliseconds of a job under ARDMAR, on the paper\'s machine and on one of today.', plots => \@plots,
        table => numbers($t, 'time_us'), claims => \@notes, why => $HOW,
    };
}

# Milliseconds; undef where it was not replayed under the protocol.
sub ms { my ($t, $program, $n, $protocol, $machine) = @_; my $line = $t->{"load/$program/$n"};
    return $line && $line->{by} && $line->{by}{$protocol} && $line->{by}{$protocol}{$machine}{time_us} / 1000 }

# The three beside each other, of those programs that are replayed under all.
sub protocols {
    my ($t) = @_;
    my ($first) = @Traces::MACHINES;
    my @programs = grep { my $p = $_; grep { defined ms($t, $p, $_, 'async', $first) } nodes_of($t, $p) } programs($t) or return ();
    my $curves = sub { my ($p, $m) = @_; map { my $q = $_; [uc $q, sub { ms($t, $p, $_[0], $q, $m) }] } @Traces::PROTOCOLS };
    my $say = sub {
        my ($p, $m) = @_;
        my ($n) = reverse grep { defined ms($t, $p, $_, 'async', $m) } nodes_of($t, $p);
        my @times = map { "\U$_\E " . number(ms($t, $p, $n, $_, $m)) . ' ms' } @Traces::PROTOCOLS;
        return note(name_of($p) . ", $MACHINE{$m}, $n nodes: " . join(', ', @times) . '.');
    };
    return {
        id => 'sim-grow-protocols', title => 'Simulated: three protocols with 32 to 256 nodes', source => $SOURCE,
        what => 'Milliseconds of a job. ONESIDED has no handler: its barrier is a tree of counters (--barrier tree), where the others meet at a master; '
            . 'with more nodes its replays take minutes, since each reads the notices of each.',
        plots => [plots($t, 'ms', $curves, \@programs, logy => 1)],
        table => { head => ['Program', 'nodes', 'machine', map { "\U$_\E, ms" } @Traces::PROTOCOLS],
            rows => numbers_of($t, \@programs, sub { my ($p, $n, $m) = @_; map { number(ms($t, $p, $n, $_, $m)) } @Traces::PROTOCOLS }) },
        claims => [map { my $p = $_; map { $say->($p, $_) } @Traces::MACHINES } @programs], why => $HOW,
    };
}

my @WAITS = (['pages_us', 'pages'], ['locks_us', 'locks'], ['barriers_us', 'barriers'], ['closings_us', 'closings']);
my @BUSY = (['handler', 'handler'], ['adapter', 'adapter, of reads'], ['out', 'link out'], ['in', 'link in']);

sub waits {
    my ($t) = @_;
    my $curves = sub { my ($p, $m) = @_; map { [$_->[1], share($t, $p, $m, $_->[0])] } @WAITS };
    return {
        id => 'sim-grow-waits', title => 'Simulated: what nodes wait for', source => $SOURCE,
        what => 'Shares of the time of a node, the mean of all. What is missing to 100 is computing, and faults.',
        plots => [plots($t, 'per cent', $curves, [programs($t)])], table => numbers($t, map { $_->[0] } @WAITS), claims => [],
        why => 'Of the same replays as the times above.',
    };
}

# What is busiest of all with the most nodes.
sub breaks {
    my ($t, $p, $m) = @_;
    my ($n) = reverse nodes_of($t, $p);
    my ($busy) = sort { at($t, $p, $n, $m, "$b->[0]_most") <=> at($t, $p, $n, $m, "$a->[0]_most") } @BUSY;
    my ($wait) = sort { at($t, $p, $n, $m, $b->[0]) <=> at($t, $p, $n, $m, $a->[0]) } @WAITS;
    my $share = share($t, $p, $m, $wait->[0])->($n);
    return sprintf '%s, %s: with %d nodes %.0f %% of the time is %s; busiest is the %s of node %d, for %.0f %% of the time, the mean of all '
        . 'nodes is %.0f %%.', name_of($p), $MACHINE{$m}, $n, $share, $wait->[1], $busy->[1], map({ at($t, $p, $n, $m, $_) }
        map { "$busy->[0]_$_" } qw(node most mean));
}

sub busy {
    my ($t) = @_;
    my $of = sub { my ($p, $m, $what) = @_; sub { at($t, $p, $_[0], $m, $what) } };
    my $curves = sub { my ($p, $m) = @_; map({ ["$_->[1], busiest", $of->($p, $m, "$_->[0]_most")] } @BUSY),
        ['adapter, mean', $of->($p, $m, 'adapter_mean')] };
    my @notes = map { my $p = $_; map { note(breaks($t, $p, $_)) } @Traces::MACHINES } programs($t);
    return {
        id => 'sim-grow-busy', title => 'Simulated: what breaks first', source => $SOURCE,
        what => 'How much of the time handler, adapter and link are busy, of the node where that is most. Adapters serve reads: the hottest '
            . 'home is the one whose adapter is busiest, beside the mean of all.',
        plots => [plots($t, 'per cent', $curves, [programs($t)])], claims => \@notes,
        table => numbers($t, map { ("${_}_most", "${_}_node", "${_}_mean") } map { $_->[0] } @BUSY),
        why => "Node 0 is the master of barriers (--barrier master): each brings it a vector time, 8 bytes for each node, and it "
            . 'sends one to each.',
    };
}

sub metadata {
    my ($t) = @_;
    my ($m) = @Traces::MACHINES;
    my $of = sub { my ($title, $what) = @_; lines($title, 'nodes', 'number', [map { my $p = $_; curve(name_of($p), [nodes_of($t, $p)],
        sub { at($t, $p, $_[0], $m, $what) }) } programs($t)], logy => 1) };
    return {
        id => 'sim-grow-metadata', title => 'Simulated: what a node has to remember', source => $SOURCE,
        what => 'Write notices of all nodes, which each node keeps; pages that the node with the most of them knows; versions that the '
            . 'node with the most of them needs of such pages; intervals of all nodes.',
        plots => [$of->('Write notices of all', 'notices'), $of->('Pages that a node knows', 'copies_most'),
            $of->('Versions that a node needs', 'versions_most'), $of->('Intervals of all', 'intervals')],
        table => numbers($t, qw(intervals notices copies_most versions_most)), claims => [], why => 'Of the same replays as the times above.',
    };
}

sub all {
    my ($t) = @_;
    return () if !$t;
    return programs($t) ? map { $_->($t) } \&times, \&protocols, \&busy, \&waits, \&metadata : ();
}

1;
