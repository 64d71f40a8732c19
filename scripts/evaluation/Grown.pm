# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Grown - programs on 32 to 1,024 nodes, by hlrc_sim grow and load, and how far what is predicted is from what was counted.

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

# ---- How far it is ----

my @COUNTS = (['faults', qw(read_faults write_faults)], ['fetches', 'page_fetches'], ['invalidations', 'invalidations'],
    ['notices', 'write_notices'], ['messages', 'messages']);

sub sum {
    my ($values, @names) = @_;
    return undef if !$values || grep { !defined $values->{$_} } @names;
    my $sum = 0;
    $sum += $values->{$_} for @names;
    return $sum;
}

sub off { my ($predicted, $measured) = @_; return $measured ? sprintf('%.1f', 100 * ($predicted / $measured - 1)) : $predicted ? '-' : '0.0' }

sub rows_of {
    my ($program, $how, $predicted, $measured) = @_;
    return map { my ($what, @names) = @$_; my ($p, $m) = map { sum($_, @names) } $predicted, $measured;
        defined $p && defined $m ? [$program, $how, $what, $p, $m, off($p, $m)] : () } @COUNTS;
}

sub validation {
    my ($t) = @_;
    my @rows;
    for my $app (@Plan::APPS) {
        for my $name (sort grep { m{^run/\Q$app\E/} } keys %$t) {
            my ($n) = $name =~ m{(\d+)$};
            push @rows, rows_of("$Plan::APP{$app}{name}, $n nodes", 'ASYNC, from a trace of ARDMAR',
                map { $t->{$_} && $t->{$_}{values} } "replay/shm-here/async/own/$app/$n", $name);
            my $same = $t->{"replay/shm-here/ardmar/own/$app/$n"};
            push @rows, rows_of("$Plan::APP{$app}{name}, $n nodes", 'ARDMAR, the run that was traced', @$same{qw(values traced)}) if $same;
        }
    }
    for my $p (@Traces::GROWN) {
        my ($grown, $run) = map { $t->{$_} } "grown/$p/16", "replay/infiniband-2004/ardmar/law/$p/16";
        push @rows, rows_of(name_of($p) . ', 16 nodes', 'ARDMAR, grown from 2, 4 and 8', $grown->{values}, $run->{traced}) if $grown && $run;
    }
    my @known = map { abs $_->[5] } grep { $_->[5] ne '-' } @rows;
    my $near = grep { $_ <= 5 } @known;
    return {
        id => 'sim-validation', title => 'How far predicted counts are from measured ones', source => 'doc/trace.md, doc/growth.md',
        what => 'Counts of all nodes: of a replay, or of a trace that was grown and replayed, beside what a run here counted itself, one of '
            . 'each. Off by: per cent of what was measured.',
        plots => [], table => { open => 1, head => ['Program', 'Predicted', '', 'predicted', 'measured', 'off by, %'], rows => \@rows },
        claims => [@known ? { paper => '', here => sprintf('%d of %d counts are within 5 %%.', $near, scalar @known), verdict => '' } : ()],
        why => 'Who comes first at the start of a job decides who becomes home of what several nodes write, so two runs differ, too; '
            . 'doc/trace.md and doc/growth.md say what is known of each difference.',
    };
}

sub all {
    my ($t) = @_;
    return () if !$t;
    return ((programs($t) ? map { $_->($t) } \&times, \&busy, \&waits, \&metadata : ()),
        (grep { m{^run/} } keys %$t) ? validation($t) : ());
}

1;
