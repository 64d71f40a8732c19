# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Others - figures of two papers on operations that adapters do by themselves (Buntinas, Panda and Gropp, "NIC-Based Atomic
# Remote Memory Operations in Myrinet/GM"; Buntinas, Panda and Sadayappan, "Fast NIC-Based Barrier over Myrinet/GM"), of one on
# how many of them an adapter does (Underwood et al., "High Message Rate, NIC-Based Atomics"), and of one on gets (Nieplocha, Ju
# and Apra, "One-sided Communication on the Myrinet-based SMP Clusters"); what a user could take instead of HLRC on one machine,
# and programs of put and get.

package Others;

use strict;
use warnings;
use Plan;
use Tell;

my $ATOMICS = 'Buntinas, Panda and Gropp';
my $RATE = 'Underwood et al., High Message Rate, NIC-Based Atomics';
my $ARMCI = 'Nieplocha, Ju and Apra';
my $BARRIER = 'Buntinas, Panda and Sadayappan';
my @WAYS = (['nic', 'by the adapter'], ['poll', 'handler polls'], ['spin-block', 'handler spins, then blocks'],
    ['block', 'handler blocks']);
# compare-and-swap that succeeds: 300 MHz hosts with 33 MHz adapters, 700 MHz hosts with 66 MHz adapters
my %PAPER = (nic => [42.1, 29.7], poll => [49.9, 32.2], 'spin-block' => [50.2, 32.4], block => [94.3, 45.4]);
my $ADAPTER = 'Their adapter has a slow processor, and a host-based operation costs a message each way. Here, unless a fabric of '
    . 'RDMA adapters was chosen, the "adapter" is an instruction of the asking CPU on memory that both have mapped, so that the '
    . 'gap to a handler is as wide as it can be.';

sub nodes_of {
    my ($r, $pattern) = @_;
    my %seen;
    for ($r->ids) { $seen{$1} = 1 if /$pattern/ }
    return sort { $a <=> $b } keys %seen;
}

sub triple { my ($cell) = @_; return $cell && [@$cell{qw(mid lo hi)}] }

# Dashed lines from the first to the last of X.
sub floors {
    my ($r, $x, @which) = @_;
    return map { my ($name, $metric) = @$_; my $floor = $r->cell('floors', $metric);
        $floor && @$x ? { name => $name, floor => 1, points => [map { [$_, $floor->{mid}] } @$x[0, -1]] } : () } @which;
}

my @TURNS = (['floor: hand-over of a word', 'handover_us'], ['floor: wake of a sleeper', 'wake_us']);

sub operations {
    my ($r) = @_;
    my @ops = (['fetch_add', 'fetch-and-add'], ['exchange', 'exchange'], ['compare_exchange', 'compare-and-swap, hit'],
        ['compare_exchange_miss', 'compare-and-swap, miss']);
    my $cell = sub { my ($way, $op) = @_; $r->cell("words/$way", $op, word => 'other') };
    my @rows = map { my $way = $_; ["$way->[1]", map({ span($cell->($way->[0], $_->[0])) } @ops), span($r->cell("cpu/$way->[0]", 'operation',
            use => 'word', delay_us => 0)), map { number($_) } @{ $PAPER{ $way->[0] } }] }
        grep { $r->has("words/$_->[0]") } @WAYS;
    my $best = sub { my ($op) = @_; (sort { $a->{mid} <=> $b->{mid} } grep { $_ } map { $cell->($_, $op) } qw(poll spin-block block))[0] };
    my @known = grep { $cell->('nic', $_->[0]) && $best->($_->[0]) } @ops;
    my @faster = grep { $cell->('nic', $_->[0])->{mid} < $best->($_->[0])->{mid} } @known;
    my ($nic, $host) = ($cell->('nic', 'compare_exchange'), $best->('compare_exchange'));
    my $busy = sub { $r->cell("cpu/$_[0]", 'operation', use => 'word', delay_us => 0) };
    my ($poll, $block) = map { $busy->($_) } qw(poll block);
    return {
        id => 'atomics4', title => 'Latency of atomic operations', source => "$ATOMICS, figure 4",
        what => 'One operation on a word of the other node, by the fabric, and by that node with a handler thread that polls, spins for '
            . 'a while and then blocks, or blocks: while the node waits in a barrier, and a fetch-and-add while it computes.',
        plots => [{ kind => 'bars', title => 'Atomic operations', y => 'us', logy => 1,
            categories => ['fetch-add', 'exchange', 'CAS, hit', 'CAS, miss', 'computing'],
            series => [map { my $way = $_; { name => $way->[1], values => [map({ triple($cell->($way->[0], $_->[0])) } @ops),
                triple($busy->($way->[0]))] } } grep { $r->has("words/$_->[0]") } @WAYS] }],
        table => { head => ['', map({ "$_->[1], us" } @ops), 'fetch-and-add, home computes, us', 'the paper, hit, 33 MHz',
            '66 MHz'], rows => \@rows },
        claims => [
            claim('The adapter is faster than any host-based way, for each operation', @known ? sprintf('for %d of %d', scalar @faster,
                scalar @known) : undef, all_of(map { below($cell->('nic', $_->[0]), $best->($_->[0])) } @known)),
            claim('Compare-and-swap improves by 15.7 % (33 MHz adapters) and 7.6 % (66 MHz) over the best of them',
                $nic && $host ? 'by ' . percent(1 - $nic->{mid} / $host->{mid}) : undef,
                below($nic, $host)),
            claim('A handler that blocks is the slowest, one that polls the fastest', $poll && $block ? number($block->{mid}) . ' and '
                . number($poll->{mid}) . ' us while the home computes' : undef, below($poll, $block))],
        why => "$ADAPTER A node that waits serves requests itself here, however its handler waits, so that the three ways are alike then. "
            . 'While it computes its handler has to, and that needs a core: where two nodes have all there are, it takes turns with them.',
    };
}

sub contended {
    my ($r) = @_;
    my @counts = $r->values_of('locks/queue', 'lock_unlock', 'contending');
    my $cell = sub { my ($kind, $k) = @_; $r->cell_of('mean', "locks/$kind", 'lock_unlock', contending => $k) };
    my @series = map { my $s = $_; { name => $s->[1], points => points(map { [$_, $cell->($s->[0], $_)] } @counts) } }
        ['queue', 'queue lock, by atomics'], ['handler', 'lock of a handler'];
    for my $as ('processes', 'threads') {
        my @n = grep { $_ <= ($counts[-1] // 0) } nodes_of($r, qr{^coherent/$as/(\d+)$});
        push @series, { name => "mutex, $as", points => points(map { [$_, $r->cell_of('mean', "coherent/$as/$_", 'lock_unlock')] } @n) };
    }
    my @both = grep { $cell->('queue', $_) && $cell->('handler', $_) } @counts;
    my @better = grep { $cell->('queue', $_)->{mid} < $cell->('handler', $_)->{mid} } @both;
    my ($most) = sort { $b <=> $a } map { 1 - $cell->('queue', $_)->{mid} / $cell->('handler', $_)->{mid} } @both;
    return {
        id => 'atomics5', title => 'Locks that nodes contend for', source => "$ATOMICS, figures 5 and 6",
        what => 'Each of the nodes locks, increments a counter of shared memory and unlocks, over and over: mean time from before '
            . 'the lock to behind the unlock. Beside it a mutex of POSIX in memory that caches keep coherent.',
        plots => [{ kind => 'lines', title => 'Lock and unlock', x => 'nodes that contend', y => 'us', logx => 1, logy => 1,
            series => [(grep { @{ $_->{points} } } @series), floors($r, \@counts, @TURNS)] }],
        table => { head => ['nodes', 'queue lock, us', 'handler, us', 'less by, %'], rows => [map { my $k = $_;
            my ($q, $h) = map { $cell->($_, $k) } qw(queue handler);
            [$k, span($q), span($h), $q && $h ? sprintf('%.0f', 100 * (1 - $q->{mid} / $h->{mid})) : '-'] } @counts] },
        claims => [
            claim('Locks by atomics of the adapter are faster with any number of nodes', @both ? sprintf('with %d of %d numbers of nodes',
                scalar @better, scalar @both) : undef, all_of(map { my $k = $_; below(map { $cell->($_, $k) } qw(queue handler)) } @both)),
            claim('By up to 62.3 % (33 MHz adapters) and 57.8 % (66 MHz)', defined $most ? 'by up to ' . percent($most) : undef,
                verdict(defined $most ? $most > 0 : undef))],
        why => 'A lock of a handler that was held here last costs no message here, as the paper\'s does: a node alone pays next to '
            . 'nothing, and of several a holder may take it again before the others run, which makes the mean short. With more '
            . 'nodes than cores a hand-over waits until the next one is given a core, whoever grants the lock.',
    };
}

sub counter {
    my ($r) = @_;
    my (@series, @rows, %worst);
    for my $way (@WAYS) {
        my @points;
        for my $delay (reverse $r->values_of("cpu/$way->[0]", 'iterations', 'delay_us')) {
            my @rates = map { $_ ? $_->{shape}{per_s} : () } $r->rows("cpu/$way->[0]", 'iterations', delay_us => $delay);
            my $rate = Results::median(@rates) / 1000;
            my $kept = $r->cell_from(sub { $_[0] && $_[1] && $_[1]{median} > 0 ? 100 * $_[0]{median} / $_[1]{median} : undef },
                "cpu/$way->[0]", ['iterations', 'iterations_idle'], delay_us => $delay);
            next if !$kept || $rate <= 0;
            push @points, [$rate, $kept];
            push @rows, [$way->[1], $delay, number($rate), span($kept)];
        }
        push @series, { name => $way->[1], points => points(@points) };
        $worst{ $way->[0] } = $points[-1][1]{mid} if @points;
    }
    my @of = map { $worst{$_} } qw(nic block);
    return {
        id => 'atomics7', title => 'What a home that computes gets done', source => "$ATOMICS, figure 7",
        what => 'A node counts while another one operates on its words at one rate or another: how far it comes, in per cent of what '
            . 'it does undisturbed. The paper\'s operations are a lock and an unlock; here, a fetch-and-add, of which a lock has two.',
        plots => [{ kind => 'lines', title => 'Iterations of a computing home', x => 'operations, thousands per second',
            y => 'per cent of idle', logx => 1, xtics => "set format x \"%g\"\nset logscale x 10\n", series =>
            [grep { @{ $_->{points} } } @series] }],
        table => { head => ['', 'delay, us', 'operations, thousands/s', 'iterations, % of idle'], rows => \@rows },
        claims => [
            claim('Operations of the adapter cost the home nothing', defined $of[0] ? sprintf('%.1f %% at the highest rate', $of[0]) : undef,
                verdict(defined $of[0] ? $of[0] >= 95 : undef)),
            claim('Those of a handler that blocks cost it more the more there are', defined $of[1] ? sprintf('%.1f %% at the highest rate', $of[1])
                : undef, verdict(defined $of[0] && defined $of[1] ? $of[1] < $of[0] - 1 : undef))],
        why => 'The paper\'s home has one CPU for both of its processes. Here the handler may run on the other core, where the asking '
            . 'node is; the home loses what the scheduler takes from it. A machine that does other things as well disturbs the idle '
            . 'measurement too, so that values above 100 occur.',
    };
}

# ---- Atomics at one target, and what is made of put and get ----

# 8 bytes an operation.
sub rate { my ($cell) = @_; return $cell && { mid => 8 / $cell->{mid}, lo => 8 / $cell->{hi}, hi => 8 / $cell->{lo}, turns => $cell->{turns} } }

sub targets {
    my ($r) = @_;
    my @nodes = nodes_of($r, qr{^target_one/(\d+)$});
    my $cell = sub { my ($what, $n, $under_way) = @_; rate($r->cell("$what/$n", $what, under_way => $under_way)) };
    my @kinds = (['target_one', 1, 'one word, one at a time'], ['target_one', 16, 'one word, 16 under way'],
        ['target_sixteen', 1, '16 words each, one at a time'], ['target_sixteen', 16, '16 words each, 16 under way']);
    my $most = $nodes[-1];
    my @of = defined $most ? map { $cell->($_, $most, 16) } qw(target_one target_sixteen) : ();
    return {
        id => 'targets', title => 'All nodes at one target', source => "$RATE, section IV and figure 2",
        what => 'All other nodes do 1,000 fetch-and-adds each on words of node 0, on one or each on 16 of its own: what they do '
            . 'together, from the first to the last of them, 8 bytes an operation.',
        plots => [{ kind => 'lines', title => 'Fetch-and-adds at node 0', x => 'nodes', y => 'MB/s', logx => 1, logy => 1, series =>
            [grep { @{ $_->{points} } } map { my $k = $_; { name => $k->[2], points => points(map { [$_, $cell->(@$k[0], $_, $k->[1])] }
                @nodes) } } @kinds] }],
        table => { head => ['nodes', map { "$_->[2], MB/s" } @kinds],
            rows => [map { my $n = $_; [$n, map { span($cell->($_->[0], $n, $_->[1])) } @kinds] } @nodes] },
        claims => [claim('One word is slower than many, where nothing keeps it near', @of == 2 && $of[0] && $of[1] ?
            number($of[0]{mid}) . ' and ' . number($of[1]{mid}) . " MB/s with $most nodes" : undef, below(@of))],
        why => "$ADAPTER So the cache that keeps a word near is that of a CPU, and the nodes of one core take turns in which each has it "
            . 'to itself.',
    };
}

# [name, nodes, cells of protocols and native] of each program, size and number of nodes.
# By which scheme, and its name; those of a paper first.
my @CONTIGUOUS = (['baseline', 'copied, a buffer at a time'], ['pipelined', 'copied, pipelined'], ['overlap', 'to new memory'],
    ['kept', 'to the same memory'], ['window', 'into a window']);
my @STRIDED = (['baseline', 'piece by piece'], ['pipelined', 'in one call'], ['packed', 'with what lies between']);

sub gets {
    my ($r) = @_;
    my $cell = sub { my ($what, $by, $bytes) = @_; $r->cell("gets/$what", $what, by => $by, bytes => $bytes) };
    my %sizes = map { $_ => [$r->values_of("gets/$_", $_, 'bytes')] } qw(contiguous strided);
    my $plot = sub {
        my ($what, $title, @by) = @_;
        return { kind => 'lines', title => $title, x => 'size', y => 'MB/s', logx => 1, logy => 1, bytes => 1, series =>
            [grep { @{ $_->{points} } } map { my $b = $_; { name => $b->[1], points => points(map { [$_, $cell->($what, $b->[0], $_)] }
                @{ $sizes{$what} }) } } @by] };
    };
    my $most = $sizes{contiguous}[-1];
    my @of = defined $most ? map { $cell->('contiguous', $_, $most) } qw(baseline overlap) : ();
    my $pieces = $sizes{strided}[-1];
    my @each = defined $pieces ? map { $cell->('strided', $_, $pieces) } qw(baseline pipelined) : ();
    return {
        id => 'gets', title => 'Gets by scheme', source => "$ARMCI, figures 3 to 5",
        what => 'hlrc_get from a window of the other node into private memory: bytes in a row, and pieces of which every second is got.',
        plots => [$plot->('contiguous', 'Bytes in a row', @CONTIGUOUS), $plot->('strided', 'Every second piece', @STRIDED)],
        table => { head => ['bytes', map({ "$_->[1], MB/s" } @CONTIGUOUS, @STRIDED)],
            rows => [map { my $n = $_; [$n, map({ span($cell->('contiguous', $_->[0], $n)) } @CONTIGUOUS),
                map({ span($cell->('strided', $_->[0], $n)) } @STRIDED)] } @{ $sizes{contiguous} }] },
        claims => [
            claim('All in one get, not a buffer at a time: 43 MB/s become 73.5', @of == 2 && $of[0] && $of[1] ?
                number($of[0]{mid}) . ' and ' . number($of[1]{mid}) . " MB/s with $most bytes" : undef, below(@of)),
            claim('What we ask: pieces in one call are not slower than one by one', @each == 2 && $each[0] && $each[1] ?
                number($each[0]{mid}) . ' and ' . number($each[1]{mid}) . " MB/s with $pieces bytes" : undef, below(@each))],
        why => 'On one machine a get is a copy by the CPU that asks: there are no buffers to fill meanwhile, and nothing to register, so that '
            . 'the schemes differ by what they do besides. With --fabric verbs private memory goes by buffers that are registered.',
    };
}

sub sided {
    my ($r) = @_;
    my @ways = (qw(seq async ardmar onesided native));
    my @rows;
    for my $app (qw(lu lu_gets gups gups_puts fft3d fft3d_gets)) {
        for my $size ('tiny', @Plan::SIZES) {
            my $time = sub { my ($way, $n) = @_; $r->cell("app/$app/$size/$way/$n", 'time') };
            my %seen = map { m{^app/\Q$app/$size\E/\w+/(\d+)$} ? ($1 => 1) : () } $r->ids;
            push @rows, map { my $n = $_; my %of = map { $_ => $time->($_, $_ eq 'seq' ? 1 : $n) } @ways;
                { app => $app, size => $size, n => $n, %of } } grep { $time->('ardmar', $_) || $time->('async', $_) }
                sort { $a <=> $b } keys %seen;
        }
    }
    my %at = map { ("$_->{app} $_->{size} $_->{n}" => $_) } @rows;
    my $pair = sub { my ($plain, $gets, $way) = @_; map { my $g = $at{"$gets $_->{size} $_->{n}"}; $_->{app} eq $plain && $g && $_->{$way}
        && $g->{$way} ? [$_->{$way}, $g->{$way}, "$_->{size} on $_->{n}"] : () } @rows };
    my $not_slower = sub { my ($text, @pairs) = @_; my @ok = grep { $_->[1]{lo} <= $_->[0]{hi} } @pairs;
        return claim($text, @pairs ? sprintf('in %d of %d', scalar @ok, scalar @pairs) : undef, verdict(@pairs ? @ok == @pairs : undef)) };
    return {
        id => 'sided', title => 'Programs of put and get', source => 'not of a paper',
        what => 'LU of SPLASH-2 by loads and by gets, RandomAccess by atomics and by puts, and 3DFFT by loads and by gets.',
        plots => [], table => { head => ['Application', 'nodes', map { "$_, s" } 'sequential', 'ASYNC', 'ARDMAR', 'ONESIDED', 'processes'],
            rows => [map { my $row = $_; ["$Plan::APP{ $row->{app} }{name} $Plan::APP{ $row->{app} }{size}{ $row->{size} }", $row->{n},
                map { span($row->{$_}) } @ways] } @rows] },
        claims => [map { $not_slower->("What we ask: 3DFFT by gets is not slower than by loads, by " . uc, $pair->('fft3d', 'fft3d_gets', $_)) }
            qw(async ardmar)],
        why => 'Gets bring what a program asks for, and no page changes its state; but the program says what it needs, and copies it.',
    };
}

sub barrier_cell { my ($r, $kind, $n) = @_; return $r->cell("barrier/$kind/$n", 'barriers') }

# The dimensions that were run with that many nodes: children of a tree node.
sub dimensions {
    my ($r, $n) = @_;
    return map { $_ - 1 } nodes_of($r, qr{^barrier/gb(\d+)/$n$});
}

sub best_tree {
    my ($r, $n) = @_;
    my @cells = sort { $a->[1]{mid} <=> $b->[1]{mid} } grep { $_->[1] } map { [$_, barrier_cell($r, 'gb' . ($_ + 1), $n)] } dimensions($r, $n);
    return @cells ? @{ $cells[0] } : ();
}

my @BARRIERS = (['pe', 'pairwise exchange'], ['gb', 'best tree'], ['central', 'one counter'], ['handler', 'by a handler'],
    ['mpi', 'MPI_Barrier'], ['processes', 'POSIX, processes'], ['threads', 'POSIX, threads']);

sub any_barrier {
    my ($r, $kind, $n) = @_;
    return (best_tree($r, $n))[1] if $kind eq 'gb';
    return $r->cell("mpi_barrier/$n", 'barriers') if $kind eq 'mpi';
    return $r->cell("coherent/$kind/$n", 'barriers') if $kind =~ /^(processes|threads)$/;
    return barrier_cell($r, $kind, $n);
}

sub factor_claim {
    my ($r, $n, $paper, $text) = @_;
    my $factor = ratio(map { barrier_cell($r, $_, $n) } qw(handler pe));
    return claim("$n nodes: $text", defined $factor ? sprintf('%.2f times', $factor) : undef,
        below(map { barrier_cell($r, $_, $n) } qw(pe handler)));
}

sub barriers {
    my ($r) = @_;
    my @nodes = nodes_of($r, qr{^barrier/pe/(\d+)$});
    my @series = map { my $b = $_; { name => $b->[1], points => points(map { [$_, any_barrier($r, $b->[0], $_)] } @nodes) } } @BARRIERS;
    my $most = $nodes[-1] // 16;
    my ($pe, $gb) = (barrier_cell($r, 'pe', $most), (best_tree($r, $most))[1]);
    return {
        id => 'barrier5', title => 'Barriers', source => "$BARRIER, figure 5",
        what => 'Barriers back to back in which nothing was written: of ONESIDED by pairwise exchange (PE), by a tree (GB, of the '
            . 'dimension that is best), by one counter, by a handler; beside them those of Open MPI and of POSIX.',
        plots => [{ kind => 'lines', title => 'Barriers', x => 'nodes', y => 'us', logx => 1, logy => 1,
            series => [(grep { @{ $_->{points} } } @series), floors($r, \@nodes, @TURNS), @nodes ? ({ name => 'PE, the paper, 33 MHz', points => [[16, (102.14) x 3]] },
                { name => 'GB, the paper, 33 MHz', points => [[16, (152.27) x 3]] }) : ()] }],
        table => { head => ['nodes', map { "$_->[1], us" } @BARRIERS],
            rows => [map { my $n = $_; [$n, map { span(any_barrier($r, $_->[0], $n)) } @BARRIERS] } @nodes] },
        claims => [
            factor_claim($r, 8, 1.83, 'PE of the adapter is 1.66 times (33 MHz) and 1.83 times (66 MHz) as fast as of the host'),
            factor_claim($r, 16, 1.78, 'PE of the adapter is 1.78 times as fast as of the host (102.14 us)'),
            claim('PE is faster than the best tree (16 nodes: 102.14 and 152.27 us)', $pe && $gb ? number($pe->{mid}) . ' and '
                . number($gb->{mid}) . " us on $most nodes" : undef, below($pe, $gb))],
        why => 'Theirs has a machine for each node, so that the exchanges of a step go on at once and a step costs a latency. Where nodes '
            . 'take turns on a core, each step of a barrier is a switch of processes: what has fewer of those is faster, and '
            . 'pairwise exchange, which has the most messages, need not be. The host-based barrier here is one of a handler, with '
            . 'messages to node 0, not their pairwise exchange by the host.',
    };
}

sub trees {
    my ($r) = @_;
    my @nodes = grep { dimensions($r, $_) > 1 } nodes_of($r, qr{^barrier/gb2/(\d+)$});
    my @series = map { my $n = $_; { name => "$n nodes", points => points(map { [$_, barrier_cell($r, 'gb' . ($_ + 1), $n)] }
        dimensions($r, $n)) } } @nodes;
    my %all = map { $_ => 1 } map { dimensions($r, $_) } @nodes;
    my @best = map { my ($d, $cell) = best_tree($r, $_); defined $d ? "$d with $_ nodes" : () } @nodes;
    return {
        id => 'barrier-dimensions', title => 'Trees of barriers by dimension', source => "$BARRIER, section 6",
        what => 'The barrier by a tree (GB) with each number of children that a node of it has. The paper ran all from 1 to N - 1 and '
            . 'reports the least alone.',
        plots => [{ kind => 'lines', title => 'Barriers by a tree', x => 'dimension', y => 'us', logx => 1, logy => 1, series => \@series }],
        table => { head => ['dimension', map { "$_ nodes, us" } @nodes], rows => [map { my $d = $_;
            [$d, map { span(barrier_cell($r, 'gb' . ($d + 1), $_)) } @nodes] } sort { $a <=> $b } keys %all] },
        claims => [claim('The best dimension depends on the number of nodes', @best ? 'best here: ' . names_of(@best) : undef, '')],
        why => 'A tree of more children has fewer levels, and its root more to wait for. With more nodes than cores levels cost most, '
            . 'since at each of them somebody has to be given a core.',
    };
}

# ---- What else a user could take ----

sub beside {
    my ($r) = @_;
    my %warm = (pattern => 'sequential', state => 'warm');
    my $coherent = sub { my ($as, $metric) = @_; $r->cell("coherent/$as/2", $metric) };
    my $mpi = sub { $r->cell('mpi_rma', $_[0]) };
    my @rows = (
        ['page of 4 KiB, read', $r->cell('pagefetch/ardmar/2', 'page', %warm), $r->cell('page/two', 'page', %warm),
            $mpi->('get 4096'), map { $coherent->($_, 'page') } qw(processes threads)],
        ['fetch-and-add, other\'s word', $r->cell('words/nic', 'fetch_add', word => 'other'), undef, $mpi->('fetch_add'),
            map { $coherent->($_, 'fetch_add') } qw(processes threads)],
        ['compare-and-swap, other\'s word', $r->cell('words/nic', 'compare_exchange', word => 'other'), undef,
            $mpi->('compare_swap'), undef, undef],
        ['barrier', undef, $r->cell('barrier/pe/2', 'barriers'), $r->cell('mpi_barrier/2', 'barriers'),
            map { $coherent->($_, 'barriers') } qw(processes threads)]);
    my @systems = ('HLRC, ARDMAR', 'HLRC, ONESIDED', 'Open MPI', 'processes', 'threads');
    my @known = grep { grep { $_ } @$_[1 .. 5] } @rows;
    my $window = $mpi->('lock_unlock');
    return {
        id => 'beside', title => 'Beside what else there is on one machine', source => 'not of a paper',
        what => 'Two nodes, ranks, processes or threads. Of MPI, one-sided operations (MPI_Get, MPI_Fetch_and_op, '
            . 'MPI_Compare_and_swap, each with its flush) and MPI_Barrier; of processes and threads, memory that the caches keep '
            . 'coherent, where a page is read by the word, and barriers of POSIX. The applications as processes are in figures 9 and 10.',
        plots => @known ? [{ kind => 'bars', title => 'Two nodes', y => 'us', logy => 1, categories => [map { $_->[0] } @known],
            series => [map { my $s = $_; { name => $systems[$s], values => [map { triple($_->[1 + $s]) } @known] } } 0 .. $#systems] }]
            : [],
        table => { head => ['', map { "$_, us" } @systems], rows => [map { my ($name, @cells) = @$_; [$name, map { span($_) } @cells] } @rows] },
        claims => [claim('', $window && 'An exclusive lock and unlock of an MPI window at the other rank takes ' . span($window) . ' us.',
            '')],
        why => 'A page fetch has a signal and a change of the page table in it, of which a program that calls MPI knows nothing: it has to '
            . 'say what it needs. What HLRC saves is that. On one machine coherent memory is cheaper always; across machines it is '
            . 'not there.',
    };
}

sub all {
    my ($r) = @_;
    return map { $_->($r) } \&operations, \&contended, \&counter, \&targets, \&barriers, \&trees, \&beside, \&gets, \&sided;
}

1;
