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

sub nodes_of {
    my ($t, $program) = @_;
    my %seen = map { m{^load/\Q$program\E/(\d+)$} ? ($1 => 1) : () } keys %$t;
    my @nodes = sort { $a <=> $b } keys %seen;
    return @nodes;
}

sub programs { my ($t) = @_; return grep { nodes_of($t, $_) } @Traces::GROWN }

sub at { my ($t, $program, $n, $machine, $what) = @_; my $line = $t->{"load/$program/$n"}; return $line && $line->{on}{$machine}{$what} }

sub name_of { my ($program) = @_; return $Traces::GROWN{$program}{name} }

# VALUE gives a number by nodes; undef: none.
sub line {
    my ($title, $nodes, $value) = @_;
    return { name => $title, points => [map { my $x = $value->($_); defined $x ? [$_, ($x) x 3] : () } @$nodes] };
}

sub plot { my ($title, $y, %more) = @_; return { kind => 'lines', title => $title, x => 'nodes', y => $y, logx => 1, %more } }

# ---- Figures ----

sub times {
    my ($t) = @_;
    my @plots = map { my $p = $_; my @nodes = nodes_of($t, $p);
        plot(name_of($p), 'ms', logy => 1, series => [map { my $m = $_; line($MACHINE{$m}, \@nodes,
            sub { at($t, $p, $_[0], $m, 'time_us') / 1000 }) } @Traces::MACHINES]) } programs($t);
    my @notes = map { my $p = $_; my @best = map { my $m = $_; my ($n) = sort { at($t, $p, $a, $m, 'time_us') <=> at($t, $p, $b, $m, 'time_us') }
        nodes_of($t, $p); "with $n nodes on $MACHINE{$m}" } @Traces::MACHINES;
        { paper => '', here => name_of($p) . ': of those here, fastest ' . join(', ', @best) . '.', verdict => '' } } programs($t);
    return {
        id => 'sim-grow-time', title => 'Simulated: time with 32 to 1,024 nodes', source => $SOURCE,
        what => 'Milliseconds of a job under ARDMAR, on the paper\'s machine and on one of today.', plots => \@plots,
        table => numbers($t, 'time_us'), claims => \@notes, why => $HOW,
    };
}

my %SHOWN = (async => 'ASYNC', ardmar => 'ARDMAR', onesided => 'ONESIDED');

sub by { my ($t, $program, $n, $protocol, $machine, $what) = @_; my $line = $t->{"load/$program/$n"};
    return $line && $line->{by} && $line->{by}{$protocol} && $line->{by}{$protocol}{$machine}{$what} }

# The three beside each other, of those programs that are replayed under all.
sub protocols {
    my ($t) = @_;
    my @programs = grep { my $p = $_; grep { defined by($t, $p, $_, 'async', $Traces::MACHINES[0], 'time_us') } nodes_of($t, $p) } programs($t);
    return () if !@programs;
    my @plots = map { my $p = $_; my @nodes = nodes_of($t, $p); map { my $m = $_; plot(name_of($p) . ", $MACHINE{$m}", 'ms', logy => 1,
        series => [map { my $q = $_; line($SHOWN{$q}, \@nodes, sub { my $us = by($t, $p, $_[0], $q, $m, 'time_us'); defined $us ? $us / 1000 : undef })
        } @Traces::PROTOCOLS]) } @Traces::MACHINES } @programs;
    my @notes = map { my $p = $_; map { my $m = $_; my ($n) = reverse grep { defined by($t, $p, $_, 'async', $m, 'time_us') } nodes_of($t, $p);
        my %ms = map { $_ => by($t, $p, $n, $_, $m, 'time_us') / 1000 } @Traces::PROTOCOLS;
        { paper => '', verdict => '', here => name_of($p) . ", $MACHINE{$m}, $n nodes: " . join(', ', map { "$SHOWN{$_} " . number($ms{$_}) . ' ms' }
            @Traces::PROTOCOLS) . '.' } } @Traces::MACHINES } @programs;
    return {
        id => 'sim-grow-protocols', title => 'Simulated: three protocols with 32 to 256 nodes', source => $SOURCE,
        what => 'Milliseconds of a job. ONESIDED has no handler: its barrier is a tree of counters (--barrier gb), where the others meet at a master; '
            . 'with more nodes its replays take minutes, since each reads the notices of each.',
        plots => \@plots, table => { head => ['Program', 'nodes', 'machine', map { "$SHOWN{$_}, ms" } @Traces::PROTOCOLS],
            rows => [map { my $p = $_; map { my $n = $_; map { my $m = $_; [name_of($p), $n, $MACHINE{$m}, map { my $us = by($t, $p, $n, $_, $m, 'time_us');
                defined $us ? number($us / 1000) : '-' } @Traces::PROTOCOLS] } @Traces::MACHINES } nodes_of($t, $p) } @programs] },
        claims => \@notes, why => $HOW,
    };
}

sub numbers {
    my ($t, @columns) = @_;
    return { head => ['Program', 'nodes', 'machine', map { tr/_/ /r } @columns], rows => [map { my $p = $_; map { my $n = $_;
        map { my $m = $_; [name_of($p), $n, $MACHINE{$m}, map { at($t, $p, $n, $m, $_) } @columns] } @Traces::MACHINES } nodes_of($t, $p) }
        programs($t)] };
}

my @WAITS = (['pages_us', 'pages'], ['locks_us', 'locks'], ['barriers_us', 'barriers'], ['closings_us', 'closings']);
my @BUSY = (['handler', 'handler'], ['adapter', 'adapter, of reads'], ['out', 'link out'], ['in', 'link in']);

sub waits {
    my ($t) = @_;
    my @plots = map { my $p = $_; my @nodes = nodes_of($t, $p);
        map { my $m = $_; plot(name_of($p) . ", $MACHINE{$m}", 'per cent', series => [map { my ($what, $title) = @$_; line($title, \@nodes,
            sub { 100 * at($t, $p, $_[0], $m, $what) / at($t, $p, $_[0], $m, 'time_us') }) } @WAITS]) } @Traces::MACHINES } programs($t);
    return {
        id => 'sim-grow-waits', title => 'Simulated: what nodes wait for', source => $SOURCE,
        what => 'Shares of the time of a node, the mean of all. What is missing to 100 is computing, and faults.',
        plots => \@plots, table => numbers($t, map { $_->[0] } @WAITS), claims => [], why => 'Of the same replays as the times above.',
    };
}

# What is busiest of all with the most nodes.
sub breaks {
    my ($t, $p, $m) = @_;
    my ($n) = reverse nodes_of($t, $p);
    my ($busy) = sort { at($t, $p, $n, $m, "$b->[0]_most") <=> at($t, $p, $n, $m, "$a->[0]_most") } @BUSY;
    my ($wait) = sort { at($t, $p, $n, $m, $b->[0]) <=> at($t, $p, $n, $m, $a->[0]) } @WAITS;
    my $share = 100 * at($t, $p, $n, $m, $wait->[0]) / at($t, $p, $n, $m, 'time_us');
    return sprintf '%s, %s: with %d nodes %.0f %% of the time is %s; busiest is the %s of node %d, for %.0f %% of the time, the mean of all '
        . 'nodes is %.0f %%.', name_of($p), $MACHINE{$m}, $n, $share, $wait->[1], $busy->[1], map({ at($t, $p, $n, $m, $_) }
        map { "$busy->[0]_$_" } qw(node most mean));
}

sub busy {
    my ($t) = @_;
    my @plots = map { my $p = $_; my @nodes = nodes_of($t, $p);
        map { my $m = $_; plot(name_of($p) . ", $MACHINE{$m}", 'per cent', series => [map({ my ($what, $title) = @$_;
            line("$title, busiest", \@nodes, sub { at($t, $p, $_[0], $m, "${what}_most") }) } @BUSY),
            line('adapter, mean', \@nodes, sub { at($t, $p, $_[0], $m, 'adapter_mean') })]) } @Traces::MACHINES } programs($t);
    my @notes = map { my $p = $_; map { { paper => '', here => breaks($t, $p, $_), verdict => '' } } @Traces::MACHINES } programs($t);
    return {
        id => 'sim-grow-busy', title => 'Simulated: what breaks first', source => $SOURCE,
        what => 'How much of the time handler, adapter and link are busy, of the node where that is most. Adapters serve reads: the hottest '
            . 'home is the one whose adapter is busiest, beside the mean of all.',
        plots => \@plots, table => numbers($t, map { ("${_}_most", "${_}_node", "${_}_mean") } map { $_->[0] } @BUSY), claims => \@notes,
        why => "Node 0 is the master of barriers (--barrier handler): each brings it a vector time, 8 bytes for each node, and it "
            . 'sends one to each.',
    };
}

sub metadata {
    my ($t) = @_;
    my ($m) = @Traces::MACHINES;
    my $of = sub { my ($title, $what) = @_; plot($title, 'number', logy => 1, series => [map { my $p = $_; my @nodes = nodes_of($t, $p);
        line(name_of($p), \@nodes, sub { at($t, $p, $_[0], $m, $what) }) } programs($t)]) };
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
