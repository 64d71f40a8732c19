# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Compared - how far what hlrc_sim predicts is from what was counted and timed here.

package Compared;

use strict;
use warnings;
use Plan;
use Tell;
use Traces;

my @COUNTS = (['faults', qw(read_faults write_faults)], ['fetches', 'page_fetches'], ['invalidations', 'invalidations'],
    ['notices', 'write_notices'], ['messages', 'messages']);

sub sum {
    my ($values, @names) = @_;
    return undef if !$values || grep { !defined $values->{$_} } @names;
    my $sum = 0;
    $sum += $values->{$_} for @names;
    return $sum;
}

# In per cent. Counts that are three apart or less are as good as equal: one page more at one home.
sub off { my ($predicted, $measured) = @_; return abs($predicted - $measured) <= 3 ? 0 : $measured ? 100 * ($predicted / $measured - 1) : 100 }

# Of the run that is nearer.
sub nearer { my ($predicted, @runs) = @_; my ($near) = sort { abs $a <=> abs $b } map { off($predicted, $_) } @runs; return $near }

# A row: program, nodes, protocol, a cell for each of the counts. How far off each is, and how far two runs are apart.
sub row_of {
    my ($program, $n, $how, $predicted, @runs) = @_;
    my (@cells, @off, @apart);
    for (@COUNTS) {
        my ($what, @names) = @$_;
        my ($p, @m) = map { sum($_, @names) } $predicted, @runs;
        my $known = !grep { !defined } $p, @m;
        push @cells, $known ? join('; ', $p, @m) . sprintf(' (%+.1f)', nearer($p, @m)) : '-';
        next if !$known;
        push @off, nearer($p, @m);
        push @apart, off(@m) if @m == 2;
    }
    return { row => [$program, $n, $how, @cells], off => \@off, apart => \@apart };
}

sub within { my ($limit, @off) = @_; return scalar grep { abs $_ <= $limit } @off }

sub claim_of {
    my ($title, @rows) = @_;
    my @off = map { @{ $_->{off} } } @rows;
    return () if !@off;
    my @apart = map { @{ $_->{apart} } } @rows;
    return note(sprintf('%s: of %d counts %d are within 1 %%, %d within 5 %%, %d within 10 %%', $title, scalar @off, map { within($_, @off) } 1, 5, 10)
        . (@apart ? sprintf(' of one of two runs; of these two %d, %d and %d are of each other.', map { within($_, @apart) } 1, 5, 10) : '.'));
}

sub head { return ['Program', 'nodes', 'protocol', map { $_->[0] } @COUNTS] }

# As Traces::compared has them, of the names that are there.
sub programs {
    my ($t) = @_;
    my %name = ((map { $_ => $Plan::APP{$_}{name} } @Plan::APPS), map { ("law-$_" => $Traces::GROWN{$_}{name}) } keys %Traces::GROWN);
    my %there = map { m{^run/ardmar/([^/]+)/} ? ($1 => 1) : () } keys %$t;
    return map { [$_, $name{$_}] } grep { $there{$_} } @Plan::APPS, sort grep { /^law-/ } keys %name;
}

sub counts {
    my ($t) = @_;
    my %rows;
    for my $program (programs($t)) {
        my ($key, $name) = @$program;
        for my $protocol (@Traces::PROTOCOLS) {
            for my $n (Traces::nodes_of($t, "run/ardmar/$key")) {
                my @lines = map { $t->{"$_/$protocol/$key/$n"} } qw(own run again);
                push @{ $rows{$protocol} }, row_of($name, $n, uc $protocol, map { $_->{values} } @lines) if !grep { !$_ } @lines;
            }
        }
    }
    my @all = map { @{ $rows{$_} // [] } } @Traces::PROTOCOLS;
    return {
        id => 'sim-validation', title => 'Simulated: how far counts are from those of runs', source => 'hlrc_sim replay; doc/trace.md',
        what => 'Counts of all nodes, predicted; of two runs here with a job\'s own options, and by how many per cent the first is off from the nearer '
            . 'one. Predicted from one trace under ARDMAR that shows every access (--trace-sim-detail all), replayed with a job\'s own options under '
            . 'each protocol. Differences of up to three count as none.',
        plots => [], table => { open => 1, head => head(), rows => [map { $_->{row} } @all] },
        claims => [map { claim_of(uc, @{ $rows{$_} // [] }) } @Traces::PROTOCOLS],
        why => 'Who comes first at the start of a job decides who becomes home of what several nodes write, so two runs differ, too, and so '
            . 'do a trace and a run; doc/trace.md says what is known of each difference.',
    };
}

sub grown {
    my ($t) = @_;
    my @rows;
    for my $p (@Traces::GROWN) {
        my ($grown, $run) = map { $t->{$_} } "grown/$p/16", "replay/infiniband-2004/ardmar/law/$p/16";
        push @rows, row_of($Traces::GROWN{$p}{name}, 16, 'ARDMAR', $grown->{values}, $run->{traced}) if $grown && $run;
    }
    return () if !@rows;
    return {
        id => 'sim-validation-grown', title => 'Simulated: how far sixteen nodes are from what two, four and eight predict',
        source => 'hlrc_sim grow; doc/growth.md', what => 'Grown from traces of two, four and eight nodes and replayed; counted by a run of sixteen.',
        plots => [], table => { open => 1, head => head(), rows => [map { $_->{row} } @rows] }, claims => [claim_of('In all', @rows)],
        why => 'As above; doc/growth.md.',
    };
}

# ---- Times ----

sub time_of { my ($t, $key, $n, $protocol) = @_; my $line = $t->{"timed/$protocol/$key/$n"}; return $line && $line->{values}{time_us} / 1000 }

sub how_long {
    my ($t) = @_;
    my (@rows, @off, @bars);
    for my $program (programs($t)) {
        my ($key, $name) = @$program;
        my $here = ($t->{"times/$key/2"} // next)->{ms};
        my %there = map { $_ => time_of($t, $key, 2, $_) } @Traces::PROTOCOLS;
        next if grep { !$_ } values %there;
        my ($measured, $predicted) = map { $_->{async} / $_->{ardmar} } $here, \%there;
        push @off, 100 * ($predicted / $measured - 1);
        push @bars, [$name, $measured, $predicted];
        push @rows, [$name, map({ number($there{$_}) . '; ' . number($here->{$_}) } @Traces::PROTOCOLS),
            sprintf('%.2f; %.2f (%+.0f)', $predicted, $measured, $off[-1]),
            sprintf('%.2f; %.2f', map { $_->{onesided} / $_->{ardmar} } \%there, $here)];
    }
    return () if !@rows;
    return {
        id => 'sim-validation-times', title => 'Simulated: how far times are from those of runs', source => 'hlrc_sim replay; doc/trace.md',
        what => 'Two nodes, on share/machines/shm-here: milliseconds of a job, predicted; measured, the median of runs in turns with the other '
            . 'protocols. Pages are those of the trace above, computing that of a trace with a job\'s own options.',
        plots => [bars('Time of ASYNC / time of ARDMAR, 2 nodes', 'times', [map { $_->[0] } @bars],
            [['measured', map { $_->[1] } @bars], ['predicted', map { $_->[2] } @bars]])],
        table => { open => 1, head => ['Program', (map { "\U$_\E, ms" } @Traces::PROTOCOLS), 'ASYNC / ARDMAR (off by, %)', 'ONESIDED / ARDMAR'],
            rows => \@rows },
        claims => [note(sprintf('ASYNC / ARDMAR: of %d programs %d are within 10 %%.', scalar @off, within(10, @off)))],
        why => 'The machine\'s values are those of microbench/fault on the machine of share/machines/shm-here; on another one times are others.',
    };
}

sub all {
    my ($t) = @_;
    return () if !$t || !grep { m{^run/} } keys %$t;
    return counts($t), how_long($t), grown($t);
}

1;
