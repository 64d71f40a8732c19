# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Figures - of Noronha and Panda, "Designing High Performance DSM Systems using InfiniBand": operations of the network, and page
# fetches, of what was measured and of what was replayed; maps of pages. Programs has its other figures. What is quoted as
# the paper's are figures and findings of its sections 2.3 and 5.

package Figures;

use strict;
use warnings;
use Programs;
use Tell;

my $PAPER = $Programs::PAPER;
my ($NETWORK, $CORES) = ($Programs::NETWORK, $Programs::CORES);
my @BOTH = qw(async ardmar);
my @NAMED = map { [$_, uc] } @BOTH;

sub table1 {
    my ($r) = @_;
    my @rows = (['Remote atomic, 8 B', 23, 'remote atomic', 'ops', 'cas', part => 'completion', bytes => 8],
        ['Local atomic, 8 B', 20, 'local atomic', 'words/nic', 'compare_exchange', word => 'own'],
        ['RDMA Read, 4096 B', 36.39, 'read 4 KiB', 'ops', 'read', part => 'completion', bytes => 4096],
        ['RDMA Write, 4096 B, posting', 9.5, 'write 4 KiB', 'ops', 'write', part => 'post', bytes => 4096],
        ['RDMA Write, 140 B, posting', 6.7, 'write 140 B', 'ops', 'write', part => 'post', bytes => 140],
        ['RDMA Write with immediate, 140 B, posting', 8.69, 'with immediate', 'ops', 'write_imm', part => 'post', bytes => 140]);
    my @cells = map { $r->cell(@$_[3 .. $#$_]) } @rows;
    my ($atomic, undef, $read, $write, $short, $immediate) = @cells;
    return {
        id => 'table1', title => 'Basic operations of the network', source => "$PAPER, table 1",
        what => 'The time of one operation between two nodes with nothing else under way; of writes, the time that the call '
            . 'takes which starts them. Local atomic: on the own node\'s word.',
        plots => [bars('One operation', 'us', [map { $_->[2] } @rows],
            [['here', @cells], ['the paper (InfiniBand 4x)', map { $_->[1] } @rows]], logy => 1)],
        table => { head => ['Operation', 'paper, us', 'here, us'], rows => [map { [@{ $rows[$_] }[0, 1], span($cells[$_])] } 0 .. $#rows] },
        claims => [compared('An atomic (23 us) costs less than reading a page (36.39 us)', $atomic, $read, 'us'),
            compared('A write is shorter to start where it is shorter: 140 bytes (6.7 us), 4096 (9.5 us)', $short, $write, 'us'),
            compared('An immediate value makes a write more expensive (6.7 and 8.69 us)', $short, $immediate, 'us')],
        why => $NETWORK,
    };
}

# Of messages by size: METRICS are pairs of a metric and its name in the plot; PAPER is a broken line.
sub by_size {
    my ($r, $title, $unit, $metrics, @paper) = @_;
    my @sizes = $r->values_of('latbw', $metrics->[0][0], 'bytes');
    my $cell = sub { my ($metric, $bytes) = @_; $r->cell('latbw', $metric, bytes => $bytes) };
    return (plots => [lines($title, 'size', $unit, [curves(\@sizes, $cell, @$metrics), dashed($paper[0], \@sizes, $paper[1])],
            logy => 1, bytes => 1)],
        table => { head => ['bytes', map { $_->[0] =~ tr/_/ /r . ", $unit" } @$metrics],
            rows => rows(\@sizes, [map { $_->[0] } @$metrics], $cell) });
}

sub figure1 {
    my ($r) = @_;
    my $first = $r->cell('latbw', 'message_latency', bytes => 1);
    return {
        id => 'fig1', title => 'Latency of messages by size', source => "$PAPER, figure 1",
        what => 'Half of the round trip of a message; beside it one read and one write until it is complete.',
        by_size($r, 'Latency', 'us', [['message_latency', 'message, one way'], ['read_latency', 'read'], ['write_latency', 'write']],
            'the paper, short messages: 6.5 us', 6.5),
        claims => [claim('A short message over InfiniBand takes about 6.5 us', $first && span($first) . ' us for 1 B', '')],
        why => $NETWORK,
    };
}

sub figure2 {
    my ($r) = @_;
    my ($best) = sort { $b->[1] <=> $a->[1] } map { my $c = $r->cell('latbw', 'write_bandwidth', bytes => $_); $c ? [$_, $c->{mid}] : () }
        $r->values_of('latbw', 'write_bandwidth', 'bytes');
    return {
        id => 'fig2', title => 'Bandwidth by size', source => "$PAPER, figure 2",
        what => 'Writes, or reads, of which many are under way, until the last is complete.',
        by_size($r, 'Bandwidth, one direction', 'MB/s', [['write_bandwidth', 'write'], ['read_bandwidth', 'read']],
            'the paper, InfiniBand 4x: 790 MB/s', 787.5),
        claims => [claim('About 6.3 Gb/s (printed as GBps), which is what InfiniBand 4x carries',
            $best && sprintf('%.1f Gb/s at best, with %d bytes', $best->[1] * 8 / 1000, $best->[0]), '')],
        why => $NETWORK . ' What is moved again and again stays in a cache, so that sizes up to it are faster than memory.',
    };
}

# ---- Page fetches ----

my @OF_PAPER = (marks('ASYNC, the paper', [2, 33.33]), marks('ARDMAR, the paper', [2, 59.49]));

# What both figures 8 claim. CELL by protocol and nodes.
sub growth_claims {
    my ($cell, $few, @nodes) = @_;
    my ($least, $most) = @nodes ? @nodes[0, -1] : (2, 16);
    my $times = sub { my ($p, $n, $of) = @_; ratio($cell->($p, $n), $cell->($p, $of)) };
    my $last = $times->('ardmar', 16, 8);
    return (
        claim('ASYNC is a little faster on 2 and 4 nodes', $few, all_of(map { below($cell->('async', $_), $cell->('ardmar', $_)) } 2, 4)),
        holds('ASYNC grows much faster with the nodes than ARDMAR', "from $least to $most nodes ASYNC grows %.1f times, ARDMAR %.1f times",
            sub { $_[0] > $_[1] }, map { @nodes > 1 ? $times->($_, $most, $least) : undef } @BOTH),
        claim('ARDMAR falls slightly from 8 to 16 nodes', defined $last ? sprintf('%.2f times', $last) : undef,
            below($cell->('ardmar', 16), $cell->('ardmar', 8))));
}

sub figure8 {
    my ($r) = @_;
    my @nodes = grep { $_ != 3 } $r->numbers(qr{^pagefetch/ardmar/(\d+)$});
    my $of = sub { my ($metric) = @_; sub { my ($p, $n) = @_; $r->cell("pagefetch/$p/$n", $metric, pattern => 'sequential', state => 'cold') } };
    my ($page, $cpu) = map { $of->($_) } qw(page cpu);
    my $floor = $r->cell('floors', 'floor_cold_us');
    my @floor = dashed('two faults, mprotect, copy', \@nodes, $floor && $floor->{mid});
    my @columns = map { my $cell = $_; map { [$cell, $_] } @BOTH } $page, $cpu;
    my @few = grep { defined $_->[0] } map { [ratio($page->('ardmar', $_), $page->('async', $_)), $_] } 2, 4;
    my $most = $nodes[-1] // 16;
    my ($async, $ardmar) = map { $page->($_, 2) } @BOTH;
    return {
        id => 'fig8', title => 'A page fetch while all other nodes fetch from the same one', source => "$PAPER, figure 8",
        what => 'Node 0 has written 1,024 pages; all others read a word of each, for the first time. Time of a reader by its '
            . 'pages; and the CPU time that its process used for it, which waiting for a core does not add to.',
        plots => [lines('Time of a page fetch', 'nodes', 'us', [curves(\@nodes, $page, @NAMED), @floor, @OF_PAPER], logy => 1),
            lines('CPU time of a page fetch', 'nodes', 'us', [curves(\@nodes, $cpu, @NAMED), @floor])],
        table => { head => ['nodes', 'ASYNC, us', 'ARDMAR, us', 'ASYNC, CPU, us', 'ARDMAR, CPU, us'],
            rows => rows(\@nodes, \@columns, sub { my ($column, $n) = @_; $column->[0]->($column->[1], $n) }) },
        claims => [
            claim('Two nodes: ASYNC 33.33 us, ARDMAR 59.49 us, of which 23 are the atomic and 36.39 the read',
                $async && $ardmar ? number($async->{mid}) . ' and ' . number($ardmar->{mid}) . ' us' : undef, ''),
            growth_claims($page, @few ? 'ARDMAR takes ' . join(', ', map { sprintf '%.2f times as long on %d', @$_ } @few) : undef, @nodes),
            holds('What we ask of ARDMAR: with most nodes at most 1.2 times the CPU time per page of 3 nodes', "%.2f times on $most nodes",
                sub { $_[0] <= 1.2 }, ratio(map { $cpu->('ardmar', $_) } $most, 3))],
        why => "$CORES Readers then wait for a core, in both protocols: in proportion to the readers of each core, so that the "
            . 'time cannot level off as it does in the paper; the CPU time can. ASYNC beyond that waits until its one home, '
            . "which serves it, has a core. $NETWORK",
    };
}

sub replayed8 {
    my ($t) = @_;
    my $s = Programs::replayed($t);
    my @nodes = $s->{nodes}->('page') or return ();
    # A reader waits so long for a page; node 0 reads none.
    my $page = sub {
        my ($p, $n) = @_;
        my ($us, $count) = map { $s->{value}->('page', $p, $n, $_) } qw(pages_us page_fetches);
        return exact($count ? $us * $n / $count : undef);
    };
    my $say = sub { my ($n) = @_; "on $n: " . join(' and ', map { number($page->($_, $n)->{mid}) } @BOTH) . ' us' };
    my ($async, $ardmar) = map { my $c = $page->($_, 2); $c && $c->{mid} } @BOTH;
    my @few = grep { $page->('async', $_) } 2, 4;
    return {
        id => 'sim-fig8', title => 'Simulated: a page fetch while all other nodes fetch from the same one', source => "$PAPER, figure 8",
        what => 'Node 0 has written 1,024 pages; all others read a word of each, for the first time. What a reader waits for a page.',
        plots => [lines('Time of a page fetch', 'nodes', 'us', [curves(\@nodes, $page, @NAMED), @OF_PAPER])],
        table => { head => ['nodes', 'ASYNC, us', 'ARDMAR, us'], rows => rows(\@nodes, \@BOTH, $page) },
        claims => [holds('Two nodes: ARDMAR 59.49 us', '%s us', 'fitted', $ardmar),
            holds('Two nodes: ASYNC 33.33 us', '%s us', sub { abs($_[0] / 33.33 - 1) < 0.1 }, $async),
            growth_claims($page, @few ? join('; ', map { $say->($_) } @few) : undef, @nodes)],
        why => "$Programs::HOW What one read, one atomic and one page of ASYNC take the machine has from the paper; what follows from it are other "
            . 'numbers of nodes. Half of the pages are asked for at a node that is not their home and forwards, which the paper does not '
            . 'count in its 33 us. With sixteen nodes node 0 sends fifteen pages at once, and the link alone takes 5.2 us for each: the '
            . 'time cannot fall where readers come together, so the paper\'s do not, by then. That an adapter answers four reads at once '
            . 'is assumed: one after the other, ARDMAR would grow as ASYNC does.',
    };
}

# Of each application one job, by hlrcrun --profile.
sub maps {
    my ($r) = @_;
    my $called = sub { my ($m) = @_; Programs::label("$m->{app} $m->{size}") . ", \U$m->{protocol}\E, $m->{nodes} nodes" };
    my @profiles = grep { $_->{kind} eq 'profile' && @{ $_->{maps} // [] } } @{ $r->{all} };
    my @jobs = map { my $app = $_; map { { %$_, called => $called->($_) } } grep { $_->{app} eq $app } @profiles } @Plan::APPS;
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
    return map({ $_->($r) } \&table1, \&figure1, \&figure2, \&figure8), Programs::figures(Programs::measured($r)), maps($r);
}

sub simulated {
    my ($t) = @_;
    return $t ? (replayed8($t), Programs::figures(Programs::replayed($t))) : ();
}

1;
