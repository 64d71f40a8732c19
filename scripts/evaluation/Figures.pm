# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Figures - those of Noronha and Panda, "Designing High Performance DSM Systems using InfiniBand", of what was measured.
# What is quoted as the paper's are figures and findings of its sections 2.3 and 5.

package Figures;

use strict;
use warnings;
use Plan;
use Tell;

my $PAPER = 'Noronha and Panda';
my %SHOWN = (async => 'ASYNC', ardmar => 'ARDMAR', onesided => 'ONESIDED', native => 'processes', sequential => 'sequential');
# time(ASYNC) / time(ARDMAR) on 16 nodes
my %RATIO = ('barnes large' => 1.73, 'barnes small' => 1.9, 'radix large' => 2.25, 'is large' => 1.41, 'fft3d large' => 1.18,
    'water large' => 1.02);

my $NETWORK = 'The paper has adapters that take microseconds for an operation and leave the CPUs alone. Here, unless a fabric of '
    . 'RDMA adapters was chosen, an operation is a copy or an instruction of the CPU that asks for it, so a message costs '
    . 'less than a page fault, and what the paper saves in operations of the adapter is not to be saved.';
my $CORES = 'The paper has a machine for each node. On one machine all nodes share its cores: where there are more of them than '
    . 'cores, they take turns, nothing becomes faster by more nodes, and a wait contains the time of others.';

sub nodes_of {
    my ($r, $prefix) = @_;
    my %seen;
    for ($r->ids) { $seen{$1} = 1 if m{^\Q$prefix\E/(\d+)$} }
    return sort { $a <=> $b } keys %seen;
}

sub table1 {
    my ($r) = @_;
    my @rows = (['Remote atomic, 8 B', 23, 'ops', 'cas', part => 'completion', bytes => 8],
        ['Local atomic, 8 B', 20, 'words/nic', 'compare_exchange', word => 'own'],
        ['RDMA Read, 4096 B', 36.39, 'ops', 'read', part => 'completion', bytes => 4096],
        ['RDMA Write, 4096 B, posting', 9.5, 'ops', 'write', part => 'post', bytes => 4096],
        ['RDMA Write, 140 B, posting', 6.7, 'ops', 'write', part => 'post', bytes => 140],
        ['RDMA Write with immediate, 140 B, posting', 8.69, 'ops', 'write_imm', part => 'post', bytes => 140]);
    my @cells = map { my (undef, undef, @what) = @$_; $r->cell(@what) } @rows;
    my ($atomic, undef, $read, $write, $short, $immediate) = @cells;
    my $less = sub {
        my ($paper, $x, $y) = @_;
        return claim($paper, $x && $y ? number($x->{mid}) . ' and ' . number($y->{mid}) . ' us' : undef,
            below($x, $y));
    };
    my @short = ('remote atomic', 'local atomic', 'read 4 KiB', 'write 4 KiB', 'write 140 B', 'with immediate');
    return {
        id => 'table1', title => 'Basic operations of the network', source => "$PAPER, table 1",
        what => 'The time of one operation between two nodes with nothing else under way; of writes, the time that the call '
            . 'takes which starts them. Local atomic: on the own node\'s word.',
        plots => [{ kind => 'bars', title => 'One operation', y => 'us', logy => 1, categories => \@short,
            series => [{ name => 'here', values => [map { $_ && [@$_{qw(mid lo hi)}] } @cells] },
                { name => 'the paper (InfiniBand 4x)', values => [map { [($_->[1]) x 3] } @rows] }] }],
        table => { head => ['Operation', 'paper, us', 'here, us'],
            rows => [map { [$rows[$_][0], $rows[$_][1], span($cells[$_])] } 0 .. $#rows] },
        claims => [$less->('An atomic (23 us) costs less than reading a page (36.39 us)', $atomic, $read),
            $less->('A write is shorter to start where it is shorter: 140 bytes (6.7 us), 4096 (9.5 us)', $short, $write),
            $less->('An immediate value makes a write dearer (6.7 and 8.69 us)', $short, $immediate)],
        why => $NETWORK,
    };
}

sub message_sizes {
    my ($r, $metric) = @_;
    return points(map { [$_, $r->cell('latbw', $metric, bytes => $_)] } $r->values_of('latbw', $metric, 'bytes'));
}

sub figure1 {
    my ($r) = @_;
    my @series = map { { name => $_->[1], points => message_sizes($r, $_->[0]) } }
        ['message_latency', 'message, one way'], ['read_latency', 'read'], ['write_latency', 'write'];
    my ($first) = $r->cell('latbw', 'message_latency', bytes => 1);
    my @x = map { $_->[0] } @{ $series[0]{points} };
    push @series, { name => 'the paper, short messages: 6.5 us', floor => 1, points => [map { [$_, 6.5] } @x[0, -1]] } if @x;
    return {
        id => 'fig1', title => 'Latency of messages by size', source => "$PAPER, figure 1",
        what => 'Half of the round trip of a message; beside it one read and one write until it is complete.',
        plots => [{ kind => 'lines', title => 'Latency', x => 'size', y => 'us', logx => 1, logy => 1, bytes => 1,
            series => \@series }],
        table => size_table($r, 'us', qw(message_latency read_latency write_latency)),
        claims => [claim('A short message over InfiniBand takes about 6.5 us', $first && span($first) . ' us for 1 B', '')],
        why => $NETWORK,
    };
}

sub size_table {
    my ($r, $unit, @metrics) = @_;
    return { head => ['bytes', map { tr/_/ /r . ", $unit" } @metrics],
        rows => [map { my $bytes = $_; [$bytes, map { span($r->cell('latbw', $_, bytes => $bytes)) } @metrics] }
            $r->values_of('latbw', $metrics[0], 'bytes')] };
}

sub figure2 {
    my ($r) = @_;
    my @series = map { { name => $_->[1], points => message_sizes($r, $_->[0]) } } ['write_bandwidth', 'write'],
        ['read_bandwidth', 'read'];
    my @all = @{ $series[0]{points} };
    my ($best) = sort { $b->[1] <=> $a->[1] } @all;
    push @series, { name => 'the paper, InfiniBand 4x: 790 MB/s', floor => 1, points => [map { [$_->[0], 787.5] } @all[0, -1]] }
        if @all;
    return {
        id => 'fig2', title => 'Bandwidth by size', source => "$PAPER, figure 2",
        what => 'Writes, or reads, of which many are under way, until the last is complete.',
        plots => [{ kind => 'lines', title => 'Bandwidth, one direction', x => 'size', y => 'MB/s', logx => 1, logy => 1,
            bytes => 1, series => \@series }],
        table => size_table($r, 'MB/s', qw(write_bandwidth read_bandwidth)),
        claims => [claim('About 6.3 Gb/s (printed as GBps), which is what InfiniBand 4x carries',
            $best && sprintf('%.1f Gb/s at best, with %d bytes', $best->[1] * 8 / 1000, $best->[0]), '')],
        why => $NETWORK . ' What is moved again and again stays in a cache, so that sizes up to it are faster than memory.',
    };
}

my %COLD = (pattern => 'sequential', state => 'cold');

sub grows {
    my ($first, $last) = @_;
    return $first && $last ? $last->{mid} / $first->{mid} : undef;
}

sub figure8 {
    my ($r) = @_;
    my @nodes = grep { $_ != 3 } nodes_of($r, 'pagefetch/ardmar');
    my %cell;
    for my $p (qw(async ardmar)) {
        $cell{$p}{$_} = $r->cell("pagefetch/$p/$_", 'page', %COLD) for @nodes;
        $cell{"$p cpu"}{$_} = $r->cell("pagefetch/$p/$_", 'cpu', %COLD) for @nodes, 3;
    }
    my $line = sub { my ($of, $name) = @_; { name => $name, points => points(map { [$_, $cell{$of}{$_}] } @nodes) } };
    my ($floor) = $r->cell('floors', 'floor_cold_us');
    my @floor = $floor && @nodes ? { name => 'two faults, mprotect, copy', floor => 1,
        points => [map { [$_, $floor->{mid}] } @nodes[0, -1]] } : ();
    my ($least, $most) = @nodes ? @nodes[0, -1] : (2, 16);
    my ($async, $ardmar) = map { grows(@{ $cell{$_} }{ $least, $most }) } qw(async ardmar);
    my $last = $cell{ardmar}{16} && $cell{ardmar}{8} ? ratio(@{ $cell{ardmar} }{ 16, 8 }) : undef;
    my $few = sub { my ($n) = @_; ratio(@{ $cell{ardmar} }{$n}, @{ $cell{async} }{$n}) };
    my @few = grep { defined $_->[1] } map { [$_, $few->($_)] } 2, 4;
    my $cpu = $cell{'ardmar cpu'}{$most} && $cell{'ardmar cpu'}{3} ? ratio(@{ $cell{'ardmar cpu'} }{ $most, 3 }) : undef;
    return {
        id => 'fig8', title => 'A page fetch while all other nodes fetch from the same one', source => "$PAPER, figure 8",
        what => 'Node 0 has written 1,024 pages; all others read a word of each, for the first time. Time of a reader by its '
            . 'pages; and the CPU time that its process used for it, which waiting for a core does not add to.',
        plots => [{ kind => 'lines', title => 'Time of a page fetch', x => 'nodes', y => 'us', logx => 1, logy => 1,
                series => [$line->('async', 'ASYNC'), $line->('ardmar', 'ARDMAR'), @floor,
                    { name => 'ASYNC, the paper', points => [[2, (33.33) x 3]] },
                    { name => 'ARDMAR, the paper', points => [[2, (59.49) x 3]] }] },
            { kind => 'lines', title => 'CPU time of a page fetch', x => 'nodes', y => 'us', logx => 1,
                series => [$line->('async cpu', 'ASYNC'), $line->('ardmar cpu', 'ARDMAR'), @floor] }],
        table => { head => ['nodes', 'ASYNC, us', 'ARDMAR, us', 'ASYNC, CPU, us', 'ARDMAR, CPU, us'],
            rows => [map { my $n = $_; [$n, map { span($cell{$_}{$n}) } 'async', 'ardmar', 'async cpu', 'ardmar cpu'] } @nodes] },
        claims => [
            claim('Two nodes: ASYNC 33.33 us, ARDMAR 59.49 us, of which 23 are the atomic and 36.39 the read',
                $cell{async}{2} && $cell{ardmar}{2} ? number($cell{async}{2}{mid}) . ' and ' . number($cell{ardmar}{2}{mid}) . ' us'
                : undef, ''),
            claim('ASYNC is a little faster on 2 and 4 nodes', @few ? 'ARDMAR takes ' . join(', ', map { sprintf '%.2f times as long '
                . 'on %d', @$_[1, 0] } @few) : undef, all_of(map { below($cell{async}{$_}, $cell{ardmar}{$_}) } 2, 4)),
            claim('ASYNC grows much faster with the nodes than ARDMAR', defined $async && defined $ardmar ? sprintf(
                'from %d to %d nodes ASYNC grows %.1f times, ARDMAR %.1f times', $least, $most, $async, $ardmar) : undef,
                verdict(defined $async && defined $ardmar ? $async > $ardmar : undef)),
            claim('ARDMAR falls slightly from 8 to 16 nodes', defined $last ? sprintf('%.2f times', $last) : undef,
                below(@{ $cell{ardmar} }{ 16, 8 })),
            claim('What we ask of ARDMAR: with most nodes at most 1.2 times the CPU time per page of 3 nodes',
                defined $cpu ? sprintf('%.2f times on %d nodes', $cpu, $most) : undef, verdict(defined $cpu ? $cpu <= 1.2 : undef))],
        why => "$CORES Readers then wait for a core, in both protocols: in proportion to the readers of each core, so that the "
            . 'time cannot level off as it does in the paper; the CPU time can. ASYNC beyond that waits until its one home, '
            . "which serves it, has a core. $NETWORK",
    };
}

# ---- Applications ----

sub app_name { my ($app, $size) = @_; return "$Plan::APP{$app}{name} $Plan::APP{$app}{size}{$size}" }

sub app_nodes {
    my ($r, $app, $size) = @_;
    my %seen = map { $_ => 1 } map { nodes_of($r, "app/$app/$size/$_") } @Plan::PROTOCOLS;
    my @nodes = sort { $a <=> $b } keys %seen;
    return @nodes;
}

# The pairs of application and size that were run, in the order of the plan.
sub pairs {
    my ($r) = @_;
    my %seen;
    for ($r->ids) { $seen{"$1 $2"} = 1 if m{^app/([^/]+)/([^/]+)/} }
    return grep { $seen{"@$_"} } map { my $app = $_; map { [$app, $_] } 'tiny', @Plan::SIZES } @Plan::APPS;
}

# One pair for each application: the largest size; with MANY the largest that ran on more than one number of nodes.
sub one_size {
    my ($r, $many) = @_;
    my %of;
    for (pairs($r)) {
        my @nodes = app_nodes($r, @$_);
        $of{ $_->[0] } = $_ if !$many || @nodes > 1;
    }
    return map { $of{$_} // () } @Plan::APPS;
}

sub most_of { my ($r, @pairs) = @_; my %all = map { $_ => 1 } map { app_nodes($r, @$_) } @pairs; return (sort { $b <=> $a } keys %all)[0] // 16 }

sub app_cell { my ($r, $pair, $protocol, $n, $metric) = @_; return $r->cell("app/$pair->[0]/$pair->[1]/$protocol/$n", $metric) }

sub speedup {
    my ($r, $pair, $protocol, $n) = @_;
    my ($base, $time) = (app_cell($r, $pair, 'seq', 1, 'time'), app_cell($r, $pair, $protocol, $n, 'time'));
    return undef if !$base || !$time;
    return { mid => $base->{mid} / $time->{mid}, lo => $base->{mid} / $time->{hi}, hi => $base->{mid} / $time->{lo},
             turns => $time->{turns} };
}

# A group of bars for each pair, a bar for each protocol.
sub by_protocol {
    my ($pairs, $cell, @protocols) = @_;
    my @of = map { my $p = $_; { name => $SHOWN{$p}, values => [map { my $c = $cell->($_, $p); $c && [@$c{qw(mid lo hi)}] } @$pairs] } }
        @protocols;
    return [grep { grep { defined } @{ $_->{values} } } @of];
}

sub bars_of {
    my ($title, $y, $pairs, $cell, @protocols) = @_;
    return { kind => 'bars', title => $title, y => $y, categories => [map { app_name(@$_) } @$pairs],
             series => by_protocol($pairs, $cell, @protocols) };
}

# In how many of the pairs it is so, and in which not, or not certainly.
sub count_claim {
    my ($paper, $verdict, @pairs) = @_;
    my %of;
    for (@pairs) { my $v = $verdict->($_) // next; push @{ $of{$v} }, app_name(@$_) }
    my $known = map { @$_ } values %of;
    my @but = map { $of{ $_->[0] } ? "; $_->[1] " . join(', ', @{ $of{ $_->[0] } }) : () } ['differs', 'not in'],
        ['unclear', 'within the spread in'];
    return claim($paper, $known ? sprintf('in %d of %d', scalar @{ $of{agrees} // [] }, $known) . join('', @but) : undef,
        all_of(map { $verdict->($_) } @pairs));
}

sub less_in {
    my ($r, $metric, $n) = @_;
    return sub { my ($pair) = @_; below(map { app_cell($r, $pair, $_, $n, $metric) } qw(ardmar async)) };
}

sub figure9 {
    my ($r) = @_;
    my @pairs = pairs($r);
    my $n = most_of($r, @pairs);
    my $cell = sub { my ($pair, $p) = @_; speedup($r, $pair, $p, $n) };
    my ($radix) = grep { $_->[0] eq 'radix' && $_->[1] ne 'small' } @pairs;
    my @rs = $radix ? map { $cell->($radix, $_) } qw(ardmar async) : ();
    my $rs = @rs == 2 && $rs[0] && $rs[1];
    return {
        id => 'fig9', title => "Speedups on $n nodes", source => "$PAPER, figure 9",
        what => 'Time of the same program compiled without HLRC, divided by the time of the job. Processes: the same program as '
            . 'processes that share memory which the caches keep coherent, without HLRC.',
        plots => [bars_of("Speedup on $n nodes", 'times', \@pairs, $cell, qw(async ardmar onesided native))],
        table => { head => ['Application', map { $SHOWN{$_} } qw(async ardmar native)],
            rows => [map { my $pair = $_; [app_name(@$pair), map { span($cell->($pair, $_)) } qw(async ardmar native)] } @pairs] },
        claims => [count_claim('ARDMAR has the better speedup in all cases', less_in($r, 'time', $n), @pairs),
            claim('RS gains by ARDMAR and loses by ASYNC', $rs ? sprintf('ARDMAR %.2f, ASYNC %.2f', map { $_->{mid} } @rs) : undef,
                $rs ? all_of(below({ lo => 1, hi => 1 }, $rs[0]), below($rs[1], { lo => 1, hi => 1 })) : undef)],
        why => "$CORES So a speedup cannot be above the number of cores, and what the processes reach is the most there is.",
    };
}

sub times_plot {
    my ($r, $pair) = @_;
    my @nodes = app_nodes($r, @$pair);
    return () if @nodes < 2;
    my ($base) = app_cell($r, $pair, 'seq', 1, 'time');
    my @series = map { my $p = $_; { name => $SHOWN{$p}, points => points(map { [$_, app_cell($r, $pair, $p, $_, 'time')] } @nodes) } }
        qw(async ardmar onesided native);
    return { kind => 'lines', title => app_name(@$pair), x => 'nodes', y => 's', logx => 1, series => [
        (grep { @{ $_->{points} } } @series),
        $base ? { name => 'sequential', floor => 1, points => [map { [$_, $base->{mid}] } @nodes[0, -1]] } : ()] };
}

# time(ASYNC) / time(ARDMAR) of each turn.
sub faster {
    my ($r, $pair, $n) = @_;
    my ($async, $ardmar) = map { [$r->rows("app/$pair->[0]/$pair->[1]/$_/$n", 'time')] } qw(async ardmar);
    my @each = map { $ardmar->[$_]{median} > 0 ? $async->[$_]{median} / $ardmar->[$_]{median} : () }
        @$async == @$ardmar ? 0 .. $#$async : ();
    my @sorted = sort { $a <=> $b } @each;
    return @sorted ? [Results::median(@sorted), @sorted[0, -1]] : undef;
}

sub ratios_plot {
    my ($r, @pairs) = @_;
    my $n = most_of($r, @pairs);
    my @here = map { faster($r, $_, $n) } @pairs;
    return () if !grep { defined } @here;
    return { kind => 'bars', title => "Time of ASYNC / time of ARDMAR, $n nodes", y => 'times', categories => [map { app_name(@$_) } @pairs],
        series => [{ name => 'here', values => \@here },
            { name => 'the paper, 16 nodes', values => [map { my $x = $RATIO{"@$_"}; defined $x ? [($x) x 3] : undef } @pairs] }] };
}

sub ratio_claim {
    my ($r, $pair) = @_;
    my $paper = $RATIO{"@$pair"} // return ();
    my $n = most_of($r, $pair);
    my $here = ratio(map { app_cell($r, $pair, $_, $n, 'time') } qw(async ardmar));
    return claim(app_name(@$pair) . ": ARDMAR is $paper times as fast as ASYNC on 16 nodes",
        defined $here ? sprintf('%.2f times, on %d nodes', $here, $n) : undef, less_in($r, 'time', $n)->($pair));
}

sub figure10 {
    my ($r) = @_;
    my @pairs = pairs($r);
    my @rows;
    for my $pair (@pairs) {
        for my $n (app_nodes($r, @$pair)) {
            push @rows, [app_name(@$pair), $n, map({ span(app_cell($r, $pair, $_, $n, 'time')) } qw(async ardmar native)),
                number(ratio(map { app_cell($r, $pair, $_, $n, 'time') } qw(async ardmar)))];
        }
    }
    my ($water) = grep { "@$_" eq 'water small' } @pairs;
    my $n = most_of($r, @pairs);
    my $small = $water ? ratio(map { app_cell($r, $water, $_, $n, 'time') } qw(async ardmar)) : undef;
    return {
        id => 'fig10', title => 'Times of the applications', source => "$PAPER, figure 10",
        what => 'The time that an application takes of its own work, which is verified after it. The paper has two to sixteen '
            . 'nodes and the same sizes.',
        plots => [ratios_plot($r, @pairs), map { times_plot($r, $_) } @pairs],
        table => { head => ['Application', 'nodes', 'ASYNC, s', 'ARDMAR, s', 'processes, s', 'ASYNC / ARDMAR'], rows => \@rows },
        claims => [map({ ratio_claim($r, $_) } @pairs),
            claim("Water $Plan::APP{water}{size}{small}: ARDMAR is slower than ASYNC on 16 nodes",
                defined $small ? sprintf('%.2f times as fast, on %d nodes', $small, $n) : undef,
                $water ? below(map { app_cell($r, $water, $_, $n, 'time') } qw(async ardmar)) : undef)],
        why => "$CORES $NETWORK HLRC's ASYNC is not the paper's either: a home that waits serves requests itself, without a "
            . 'handler that has to be woken, and both protocols fetch pages ahead.',
    };
}

my @PARTS = (['compute_s', 'computing'], ['page_s', 'pages'], ['lock_s', 'locks'], ['barrier_s', 'barriers'], ['diff_s', 'diffs']);

sub shares {
    my ($r, $pair, $protocol, $n) = @_;
    my @cells = map { app_cell($r, $pair, $protocol, $n, $_->[0]) } @PARTS;
    return undef if grep { !$_ } @cells;
    my $all = 0;
    $all += $_->{mid} for @cells;
    return $all > 0 ? [map { 100 * $_->{mid} / $all } @cells] : undef;
}

sub figure11 {
    my ($r) = @_;
    my @pairs = one_size($r);
    my $n = most_of($r, @pairs);
    my (@names, @shares);
    for my $pair (@pairs) {
        for my $p (qw(async ardmar)) {
            my $shares = shares($r, $pair, $p, $n) // next;
            push @names, "$Plan::APP{$pair->[0]}{name} $SHOWN{$p}";
            push @shares, $shares;
        }
    }
    my $series = [map { my $i = $_; { name => $PARTS[$i][1], values => [map { [$_->[$i]] } @shares] } } 0 .. $#PARTS];
    return {
        id => 'fig11', title => "Where the time goes on $n nodes", source => "$PAPER, figure 11",
        what => 'Shares of the nodes\' time, by the runtime\'s clocks, averaged over the nodes; of the whole job, making the input '
            . 'and verifying the result included.',
        plots => @names ? [{ kind => 'stacked', title => "Shares of the time, $n nodes", y => 'per cent', categories => \@names,
            series => $series }] : [],
        table => { head => ['Application', map { "$_->[1], %" } @PARTS],
            rows => [map { my $i = $_; [$names[$i], map { sprintf '%.1f', $_ } @{ $shares[$i] }] } 0 .. $#names] },
        claims => [count_claim('Page time is less by ARDMAR than by ASYNC in Barnes, RS, IS and 3DFFT', less_in($r, 'page_s', $n),
            grep { $_->[0] ne 'water' } @pairs)],
        why => "$CORES $NETWORK So ARDMAR, whose reads of pages are copies, waits for hardly any page; what it loses it loses in barriers, "
            . 'waiting for nodes that have no core.',
    };
}

sub figure12 {
    my ($r) = @_;
    my @pairs = one_size($r);
    my $n = most_of($r, @pairs);
    my $cell = sub { my ($pair, $p) = @_; app_cell($r, $pair, $p, $n, 'handler_s') };
    my $none = sub {
        my ($async, $ardmar) = map { $cell->($_[0], $_) } qw(async ardmar);
        return $async && $ardmar ? verdict($ardmar->{mid} <= 0.1 * $async->{mid}) : undef;
    };
    return {
        id => 'fig12', title => 'Time in the handler', source => "$PAPER, figure 12",
        what => 'CPU time of the handler thread of a node, average of the nodes; requests that are served by a thread which waits for '
            . 'something itself are not in it.',
        plots => [bars_of("CPU time of the handler, $n nodes", 's per node', \@pairs, $cell, qw(async ardmar))],
        table => app_table($r, \@pairs, $n, 'handler_s', 's'),
        claims => [count_claim('Less time in the handler by ARDMAR', less_in($r, 'handler_s', $n), @pairs),
            count_claim('Next to none by ARDMAR in 3DFFT and Water (here: a tenth of ASYNC\'s)', $none,
                grep { $_->[0] =~ /fft3d|water/ } @pairs)],
        why => 'As in the paper, ARDMAR leaves locks, diffs and barriers to the handler, pages alone not; without any of it is '
            . '--protocol onesided. Where a node waits, in a barrier or for a page, it serves requests itself here, and the handler '
            . "sleeps: its time is short by both protocols. $CORES",
    };
}

sub app_table {
    my ($r, $pairs, $n, $metric, $unit) = @_;
    return { head => ['Application', "ASYNC, $unit", "ARDMAR, $unit"],
        rows => [map { my $pair = $_; [app_name(@$pair), map { span(app_cell($r, $pair, $_, $n, $metric)) } qw(async ardmar)] } @$pairs] };
}

# Whether it grows from the fewest to the most nodes, or falls, by one protocol.
sub trend {
    my ($r, $protocol, $falls) = @_;
    return sub {
        my ($pair) = @_;
        my @nodes = app_nodes($r, @$pair);
        return undef if @nodes < 2;
        return below(map { app_cell($r, $pair, $protocol, $_, 'page_s') } $falls ? @nodes[-1, 0] : @nodes[0, -1]);
    };
}

sub figure13 {
    my ($r) = @_;
    my @pairs = one_size($r, 1);
    my $n = most_of($r, @pairs);
    my $both = sub { my ($pair) = @_; all_of(map { trend($r, $_)->($pair) } qw(async ardmar)) };
    my $fall = trend($r, 'ardmar', 1);
    my @plots = map { my $pair = $_; my @nodes = app_nodes($r, @$pair);
        { kind => 'lines', title => app_name(@$pair), x => 'nodes', y => 's per node', logx => 1, logy => 1, series => [map { my $p = $_;
            { name => $SHOWN{$p}, points => points(map { [$_, app_cell($r, $pair, $p, $_, 'page_s')] } @nodes) } } qw(async ardmar)] }
    } @pairs;
    my @rows = map { my $pair = $_; map { my $m = $_; [app_name(@$pair), $m, map { span(app_cell($r, $pair, $_, $m, 'page_s')) }
        qw(async ardmar)] } app_nodes($r, @$pair) } @pairs;
    return {
        id => 'fig13', title => 'Time in page fetches', source => "$PAPER, figure 13",
        what => 'Time that the nodes wait for pages, by the runtime\'s clocks: average of the nodes, of the whole job.',
        plots => \@plots, table => { head => ['Application', 'nodes', 'ASYNC, s', 'ARDMAR, s'], rows => \@rows },
        claims => [count_claim("With most nodes ($n) less by ARDMAR than by ASYNC", less_in($r, 'page_s', $n), @pairs),
            count_claim('It grows with the nodes in Barnes, RS and IS by both', $both, grep { $_->[0] =~ /barnes|radix|is/ } @pairs),
            count_claim('By ARDMAR it falls with the nodes in 3DFFT and Water', $fall, grep { $_->[0] =~ /fft3d|water/ } @pairs)],
        why => "$CORES $NETWORK",
    };
}

# Faults of a node: reads and writes, added turn by turn.
sub faults {
    my ($r, $pair, $protocol, $n) = @_;
    return $r->cell_from(sub { $_[0] && $_[1] ? $_[0]{median} + $_[1]{median} : undef },
        "app/$pair->[0]/$pair->[1]/$protocol/$n", ['read_faults', 'write_faults']);
}

sub figure14 {
    my ($r) = @_;
    my @pairs = one_size($r);
    my $n = most_of($r, @pairs);
    my $cell = sub { my ($pair, $p) = @_; faults($r, $pair, $p, $n) };
    my $more = sub { my ($pair) = @_; below(map { $cell->($pair, $_) } qw(async ardmar)) };
    return {
        id => 'fig14', title => 'Page faults', source => "$PAPER, figure 14",
        what => 'Read and write faults of a node, averaged over the nodes. A count: no machine changes it much.',
        plots => [bars_of("Page faults, $n nodes", 'per node', \@pairs, $cell, qw(async ardmar))],
        table => { head => ['Application', 'ASYNC', 'ARDMAR'],
            rows => [map { my $pair = $_; [app_name(@$pair), map { span($cell->($pair, $_)) } qw(async ardmar)] } @pairs] },
        claims => [count_claim('ARDMAR has more of them in 3DFFT and Water', $more, grep { $_->[0] =~ /fft3d|water/ } @pairs)],
        why => 'The paper\'s ARDMAR write-protects all pages of a home, so that each is faulted on again. HLRC does not: a page that is '
            . 'written again and again stays open and is compared, by both protocols, and one fault opens what follows it.',
    };
}

# Of each application one job, by hlrcrun --profile.
sub maps {
    my ($r) = @_;
    my @jobs = map { my $app = $_; map { { %$_, called => join ', ', app_name($app, $_->{size}), $SHOWN{ $_->{protocol} },
        "$_->{nodes} nodes" } } grep { $_->{kind} eq 'profile' && $_->{app} eq $app && @{ $_->{maps} // [] } } @{ $r->{all} } } @Plan::APPS;
    return {
        id => 'maps', title => 'Which pages, when, and between which nodes', source => 'hlrcrun --profile',
        what => 'One job of each application. Fetches of pages, by their place in memory and in time; bytes that went from node to node, '
            . 'as pages and as diffs. A colour begins at the value below it.',
        plots => [], drawings => [map { my $job = $_; map { [$job->{called}, $_] } @{ $job->{maps} } } @jobs],
        table => { head => ['Application', 'time of it, profiled, s'], rows => [map { [$_->{called}, $_->{rows}[0]{median}] } @jobs] },
        claims => [], why => 'Columns are phases, rows are data: what is fetched in each phase by nodes that did not write it. A program of one\'s own '
            . 'has such a page from hlrcrun --profile=FILE.html.',
    };
}

sub all {
    my ($r) = @_;
    return map { $_->($r) } \&table1, \&figure1, \&figure2, \&figure8, \&figure9, \&figure10, \&figure11, \&figure12, \&figure13,
        \&figure14, \&maps;
}

1;
