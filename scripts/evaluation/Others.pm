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
use Runs;
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

my @TURNS = (['floor: hand-over of a word', 'handover_us'], ['floor: wake of a sleeper', 'wake_us']);

# Dashed lines from the first to the last of X.
sub floors {
    my ($r, $x) = @_;
    return map { my ($name, $metric) = @$_; my $floor = $r->cell('floors', $metric); dashed($name, $x, $floor && $floor->{mid}) } @TURNS;
}

sub operations {
    my ($r) = @_;
    my @ops = (['fetch_add', 'fetch-and-add'], ['exchange', 'exchange'], ['compare_exchange', 'compare-and-swap, hit'],
        ['compare_exchange_miss', 'compare-and-swap, miss']);
    my $cell = sub { my ($way, $op) = @_; $r->cell("words/$way", $op, word => 'other') };
    my $busy = sub { my ($way) = @_; $r->cell("cpu-word/$way", 'operation', use => 'word', delay_us => 0) };
    my @ways = grep { $r->has("words/$_->[0]") } @WAYS;
    my $cells = sub { my ($way) = @_; map({ $cell->($way, $_->[0]) } @ops), $busy->($way) };
    my $best = sub { my ($op) = @_; (sort { $a->{mid} <=> $b->{mid} } grep { $_ } map { $cell->($_, $op) } qw(poll spin-block block))[0] };
    my @pairs = grep { $_->[0] && $_->[1] } map { [$cell->('nic', $_->[0]), $best->($_->[0])] } @ops;
    my @faster = grep { $_->[0]{mid} < $_->[1]{mid} } @pairs;
    my ($nic, $host) = ($cell->('nic', 'compare_exchange'), $best->('compare_exchange'));
    return {
        id => 'atomics4', title => 'Latency of atomic operations', source => "$ATOMICS, figure 4",
        what => 'One operation on a word of the other node, by the fabric, and by that node with a handler thread that polls, spins for '
            . 'a while and then blocks, or blocks: while the node waits in a barrier, and a fetch-and-add while it computes.',
        plots => [bars('Atomic operations', 'us', ['fetch-add', 'exchange', 'CAS, hit', 'CAS, miss', 'computing'],
            [map { [$_->[1], $cells->($_->[0])] } @ways], logy => 1)],
        table => { head => ['', map({ "$_->[1], us" } @ops), 'fetch-and-add, home computes, us', 'the paper, hit, 33 MHz', '66 MHz'],
            rows => [map { [$_->[1], map({ span($_) } $cells->($_->[0])), map { number($_) } @{ $PAPER{ $_->[0] } }] } @ways] },
        claims => [
            claim('The adapter is faster than any host-based way, for each operation', @pairs ? sprintf('for %d of %d', scalar @faster,
                scalar @pairs) : undef, all_of(map { below(@$_) } @pairs)),
            near(claim('Compare-and-swap improves by 15.7 % (33 MHz adapters) and 7.6 % (66 MHz) over the best of them',
                $nic && $host ? 'by ' . percent(1 - $nic->{mid} / $host->{mid}) : undef, below($nic, $host)), 15.7,
                $nic && $host ? 100 * (1 - $nic->{mid} / $host->{mid}) : undef),
            holds('A handler that blocks is the slowest, one that polls the fastest', '%s and %s us while the home computes',
                below(map { $busy->($_) } qw(poll block)), map { my $c = $busy->($_); $c && $c->{mid} } qw(block poll))],
        why => "$ADAPTER A node that waits serves requests itself here, however its handler waits, so that the three ways are alike then. "
            . 'While it computes its handler has to, and that needs a core: where two nodes have all there are, it takes turns with them.',
    };
}

sub contended {
    my ($r) = @_;
    my @counts = $r->values_of('locks/mcs', 'lock_unlock', 'contending');
    my $cell = sub { my ($kind, $k) = @_; $r->cell_of('mean', "locks/$kind", 'lock_unlock', contending => $k) };
    my @series = curves(\@counts, $cell, ['mcs', 'queue lock, by atomics'], ['manager', 'lock of a handler']);
    for my $as ('processes', 'threads') {
        my @n = grep { $_ <= ($counts[-1] // 0) } $r->numbers(qr{^coherent/$as/(\d+)$});
        push @series, curve("mutex, $as", \@n, sub { $r->cell_of('mean', "coherent/$as/$_[0]", 'lock_unlock') });
    }
    return {
        id => 'atomics5', title => 'Locks that nodes contend for', source => 'the locks of HLRC',
        what => 'Each of the nodes locks, increments a counter of shared memory and unlocks, over and over: mean time from before '
            . 'the lock to behind the unlock. Beside it a mutex of POSIX in memory that caches keep coherent.',
        plots => [lines('Lock and unlock', 'nodes that contend', 'us', [@series, floors($r, \@counts)], logy => 1)],
        table => { head => ['nodes', 'queue lock, us', 'handler, us', 'less by, %'], rows => [map { my $k = $_;
            my ($q, $h) = map { $cell->($_, $k) } qw(mcs manager);
            [$k, span($q), span($h), $q && $h ? sprintf('%.0f', 100 * (1 - $q->{mid} / $h->{mid})) : '-'] } @counts] },
        claims => [],
        why => 'A lock of a handler that was held here last costs no message here: a node alone pays next to '
            . 'nothing, and of several a holder may take it again before the others run, which makes the mean short. With more '
            . 'nodes than cores a hand-over waits until the next one is given a core, whoever grants the lock.',
    };
}

# The same lock with an atomic by adapter or by handler.
my @CPUS = (['core', 'a node has one CPU'], ['none', 'nodes share two']);

sub queues {
    my ($r) = @_;
    my @counts = $r->values_of('queue/nic', 'words', 'contending');
    my $cell = sub { my ($way, $k) = @_; $r->cell_of('mean', "queue/$way", 'words', contending => $k) };
    my $two = sub { my ($way, $bind, $k) = @_; $r->cell_of('mean', "queue-$bind/$way", 'words', contending => $k) };
    my @both = grep { $cell->('nic', $_) && $cell->('block', $_) } @counts;
    my @less = map { my $k = $_; map { [$k, $_, 100 - 100 * $cell->('nic', $k)->{mid} / $cell->($_, $k)->{mid}] } grep { $cell->($_, $k) }
        qw(poll block) } @both;
    my ($most) = sort { $b <=> $a } map { $_->[2] } @less;
    my @rows = map { my $k = $_; [$k, map { span($cell->($_->[0], $k)) } @WAYS] } @counts;
    for my $cpus (@CPUS) { push @rows, map { my $k = $_; ["$k of two, $cpus->[1]", map { span($two->($_->[0], $cpus->[0], $k)) } @WAYS] } 1, 2 }
    my $cpu_claim = sub {
        my ($cpus, $host) = @_;
        return holds("$cpus->[1]: the adapter is faster than a handler that ${host}s", '%s us, and %s, of one node that locks', sub { $_[0] < $_[1] },
            map { my $c = $two->($_, $cpus->[0], 1); $c && $c->{mid} } 'nic', $host);
    };
    return {
        id => 'atomics6', title => 'The paper\'s queue lock, by adapter and by handler', source => "$ATOMICS, figures 5 and 6",
        what => 'The same algorithm with the word of the lock at the last node: its atomics are performed by the adapter, or by the handler of that '
            . 'node. Nothing is done under the lock. Mean of lock and unlock.',
        plots => [lines('Lock and unlock', 'nodes that contend', 'us', [curves(\@counts, $cell, @WAYS)], logy => 1)],
        table => { head => ['nodes', map { "$_->[1], us" } @WAYS], rows => \@rows },
        claims => [
            claim('The adapter is faster with any number of nodes', @less ? sprintf('in %d of %d', scalar(grep { $_->[2] > 0 } @less), scalar @less)
                : undef, verdict(@less ? !grep({ $_->[2] <= 0 } @less) || 0 : undef)),
            near(holds('By up to 62.3 %', 'by up to %.0f %%', sub { $_[0] > 0 }, $most), 62.3, $most // 0),
            $cpu_claim->($CPUS[0], 'block'), $cpu_claim->($CPUS[1], 'poll')],
        why => 'Cause: an atomic of the "adapter" is an instruction here, and a message to a handler costs the same as on any machine. With more '
            . 'nodes than cores a node locks many times before another one runs.',
    };
}

# Points [rate in thousands, cell of FROM] and rows of one way, by ascending rate.
sub by_rate {
    my ($r, $way, $metrics, $from) = @_;
    return map {
        my $delay = $_;
        my @rates = map { $_ ? $_->{shape}{per_s} : () } $r->rows($way->{id}, $metrics->[0], delay_us => $delay);
        my $cell = $r->cell_from($from, $way->{id}, $metrics, delay_us => $delay);
        $cell && @rates && median(@rates) > 0 ? { rate => median(@rates) / 1000, cell => $cell, delay => $delay } : ()
    } reverse $r->values_of($way->{id}, $metrics->[0], 'delay_us');
}

my $KEPT = sub { $_[0] && $_[1] && $_[1]{median} > 0 ? 100 * $_[0]{median} / $_[1]{median} : undef };

sub rate_series { my ($name, @points) = @_; return { name => $name, points => [map { [$_->{rate}, @{ $_->{cell} }{qw(mid lo hi)}] } @points] } }

# What a home gets done while others lock: figures 7 and 8. OTHERS: CPU time of its handler.
sub disturbed {
    my ($r, $prefix, $metric, %figure) = @_;
    my (@series, @rows, %last, %taken);
    for my $way (map { { id => "$prefix/$_->[0]", name => $_->[1], way => $_->[0] } } @WAYS) {
        my @points = by_rate($r, $way, [$metric, "${metric}_idle"], $KEPT);
        my %cpu = map { $_->{delay} => $_->{cell} } by_rate($r, $way, ['others', 'others_idle'], sub { $_[0] && $_[0]{median} });
        push @series, rate_series($way->{name}, @points);
        push @rows, map { [$way->{name}, $_->{delay}, number($_->{rate}), span($_->{cell}), span($cpu{ $_->{delay} })] } @points;
        next if !@points;
        my $end = $points[-1];
        $last{ $way->{way} } = $end->{cell};
        $taken{ $way->{way} } = 10 * $cpu{ $end->{delay} }{mid} / $end->{rate} if $cpu{ $end->{delay} };
    }
    return {
        %figure, plots => [lines($figure{title}, 'locks and unlocks, thousands per second', 'per cent of idle', \@series,
            xtics => "set format x \"%g\"\nset logscale x 10\n")],
        table => { head => ['', 'delay, us', 'locks, thousands/s', "$metric, % of idle", 'CPU time of the handler, %'], rows => \@rows },
        claims => [
            holds('The adapter costs the home no CPU time, a handler that blocks some for each lock', '%.2f and %.2f us for each',
                sub { $_[0] < 0.05 && $_[1] > 10 * $_[0] }, map { $taken{$_} } qw(nic block)),
            claim("By the adapter $figure{left} than by a handler that blocks", $last{nic} && $last{block} ? sprintf('%.0f and %.0f %% of idle',
                map { $last{$_}{mid} } qw(nic block)) : undef, below($last{block}, $last{nic}))],
    };
}

sub counter {
    my ($r) = @_;
    return disturbed($r, 'cpu', 'iterations', left => 'more iterations are left',
        id => 'atomics7', title => 'What a home that computes gets done', source => "$ATOMICS, figure 7",
        what => 'A node counts while another one locks and unlocks a queue lock of its words at one rate or another: how far it comes, in per cent of '
            . 'what it does undisturbed.',
        why => 'Here the handler may run on the other core, where the asking node is; the home loses what the scheduler takes from it. A machine '
            . 'that does other things as well disturbs this measurement, but not the CPU time of the handler.');
}

sub bandwidth {
    my ($r) = @_;
    return disturbed($r, 'send', 'bandwidth', left => 'more bandwidth is left',
        id => 'atomics8', title => 'What bandwidth a home has left', source => "$ATOMICS, figure 8",
        what => 'The home of the lock puts blocks of 16 KiB to a third node, while another one locks and unlocks.',
        why => 'On one machine the home\'s CPU copies the blocks, so that what the handler takes of it is bandwidth, and the messages of the locks '
            . 'take none.');
}

# ---- Atomics at one target, and what is made of put and get ----

# 8 bytes an operation.
sub rate { my ($cell) = @_; return $cell && { mid => 8 / $cell->{mid}, lo => 8 / $cell->{hi}, hi => 8 / $cell->{lo}, turns => $cell->{turns} } }

sub targets {
    my ($r) = @_;
    my @nodes = $r->numbers(qr{^target_one/(\d+)$});
    my $cell = sub { my ($kind, $n) = @_; rate($r->cell("$kind->[0]/$n", $kind->[0], under_way => $kind->[1])) };
    my @kinds = (['target_one', 1, 'one word, one at a time'], ['target_one', 16, 'one word, 16 under way'],
        ['target_sixteen', 1, '16 words each, one at a time'], ['target_sixteen', 16, '16 words each, 16 under way']);
    my $most = $nodes[-1];
    my @of = defined $most ? map { $cell->($_, $most) } @kinds[1, 3] : ();
    return {
        id => 'targets', title => 'All nodes at one target', source => "$RATE, section IV and figure 2",
        what => 'All other nodes do 1,000 fetch-and-adds each on words of node 0, on one or each on 16 of its own: what they do '
            . 'together, from the first to the last of them, 8 bytes an operation.',
        plots => [lines('Fetch-and-adds at node 0', 'nodes', 'MB/s', [curves(\@nodes, $cell, map { [$_, $_->[2]] } @kinds)], logy => 1)],
        table => { head => ['nodes', map { "$_->[2], MB/s" } @kinds], rows => rows(\@nodes, \@kinds, $cell) },
        claims => [compared('One word is slower than many, where nothing keeps it near', @of[0, 1], 'MB/s with ' . ($most // 0) . ' nodes')],
        why => "$ADAPTER So the cache that keeps a word near is that of a CPU, and the nodes of one core take turns in which each has it "
            . 'to itself.',
    };
}

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
        return lines($title, 'size', 'MB/s', [curves($sizes{$what}, sub { $cell->($what, @_) }, @by)], logy => 1, bytes => 1);
    };
    my @columns = (map({ ['contiguous', @$_] } @CONTIGUOUS), map { ['strided', @$_] } @STRIDED);
    my $most = $sizes{contiguous}[-1];
    my @of = defined $most ? map { $cell->('contiguous', $_, $most) } qw(baseline overlap) : ();
    my $pieces = $sizes{strided}[-1];
    my @each = defined $pieces ? map { $cell->('strided', $_, $pieces) } qw(baseline pipelined) : ();
    return {
        id => 'gets', title => 'Gets by scheme', source => "$ARMCI, figure 3",
        what => 'hlrc_get from a window of the other node into private memory: bytes in a row, and pieces of which every second is got.',
        plots => [$plot->('contiguous', 'Bytes in a row', @CONTIGUOUS), $plot->('strided', 'Every second piece', @STRIDED)],
        table => { head => ['bytes', map { "$_->[2], MB/s" } @columns],
            rows => rows($sizes{contiguous}, \@columns, sub { my ($c, $bytes) = @_; $cell->(@$c[0, 1], $bytes) }) },
        claims => [compared('All in one get, not a buffer at a time: 43 MB/s become 73.5', @of[0, 1], 'MB/s with ' . ($most // 0) . ' bytes'),
            compared('What we ask: pieces in one call are not slower than one by one', @each[0, 1], 'MB/s with ' . ($pieces // 0) . ' bytes')],
        why => 'On one machine a get is a copy by the CPU that asks: there are no buffers to fill meanwhile, and nothing to register, so that '
            . 'the schemes differ by what they do besides. With --fabric verbs private memory goes by buffers that are registered.',
    };
}

# Where, by which fabric there, and the name of both.
sub networks {
    my ($r) = @_;
    my ($here) = grep { defined } map { $_->{fabric} } @{ $r->{of}{'rma/here/get'} // [] };
    return (['here', undef, 'here, ' . ($here // 'default')], ['tcp', undef, 'here, TCP'], ['guest', 'verbs', 'emulated machine, RDMA'],
        ['guest', 'ofi', 'emulated machine, TCP']) if ($here // '') ne 'verbs';
    return (['here', undef, 'here, RDMA'], ['tcp', undef, 'here, TCP']);
}

# The time of hlrc_get or hlrc_put. In the emulated machine a tenth of the samples: the rest wait for its CPUs.
sub transfer {
    my ($r, $what, $network, $bytes) = @_;
    my ($where, $fabric) = @$network;
    my %shape = (by => 'hlrc', bytes => $bytes);
    return $where eq 'guest' ? $r->cell_of('p10', 'rma/guest', $what, %shape, fabric => $fabric) : $r->cell("rma/$where/$what", $what, %shape);
}

# MB/s of a time in us.
sub rate_of {
    my ($bytes, $cell) = @_;
    return $cell && { mid => $bytes / $cell->{mid}, lo => $bytes / $cell->{hi}, hi => $bytes / $cell->{lo}, turns => $cell->{turns} };
}

sub transfers {
    my ($r) = @_;
    my @networks = networks($r);
    my @sizes = $r->values_of('rma/here/get', 'get', 'bytes');
    my ($rdma, $tcp) = @networks[-2, -1]; # the last two of the list are these
    my $pair = sub { my ($bytes) = @_; map { $bytes ? transfer($r, 'get', $_, $bytes) : undef } $rdma, $tcp };
    my ($least, $most) = @sizes ? @sizes[0, -1] : (8, 1 << 20);
    my ($fast) = $pair->($least);
    my ($left_out) = map { $_->{left_out} // () } @{ $r->{of}{'rma/guest'} // [] };
    my @columns = map { my $what = $_; map { [$what, $_] } @networks } qw(get put);
    return {
        id => 'gets-network', title => 'Get and put over RDMA and over TCP', source => "$ARMCI, figure 4",
        what => 'hlrc_get and hlrc_put of bytes in a row, of which none begins before the last is complete. RDMA is that of an adapter (--fabric '
            . 'verbs), or of soft-RoCE in an emulated machine of two CPUs, of whose times the tenth percentile is shown.',
        plots => [map { my ($what, $title) = @$_; lines($title, 'size', 'MB/s', [curves(\@sizes, sub { my ($network, $bytes) = @_;
            rate_of($bytes, transfer($r, $what, $network, $bytes)) }, map { [$_, $_->[2]] } @networks)], logy => 1, bytes => 1) }
            ['get', 'Get'], ['put', 'Put']],
        table => { head => ['bytes', map { "$_->[0], $_->[1][2], us" } @columns],
            rows => rows(\@sizes, \@columns, sub { my ($column, $bytes) = @_; transfer($r, @$column, $bytes) }) },
        claims => [claim('A get takes 75 us over Myrinet', $fast && span($fast) . ' us over RDMA', ''),
            map({ compared('A get over Myrinet takes less time than over TCP', $pair->($_), "us for $_ bytes") } $least, $most),
            $left_out ? note("The emulated machine was left out: $left_out") : ()],
        why => 'Cause: soft-RoCE makes packets of up to 4 KiB, and the CPU computes a checksum of each, while TCP hands 64 KiB at a time to the same '
            . 'machine. Small gets over TCP wait until the other process has a CPU; those over RDMA do not need it.',
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
    return map { $_ - 1 } $r->numbers(qr{^barrier/tree(\d+)/$n$});
}

sub best_tree {
    my ($r, $n) = @_;
    my @cells = sort { $a->[1]{mid} <=> $b->[1]{mid} } grep { $_->[1] } map { [$_, barrier_cell($r, 'tree' . ($_ + 1), $n)] } dimensions($r, $n);
    return @cells ? @{ $cells[0] } : ();
}

my @BARRIERS = (['pairs', 'pairwise exchange'], ['tree', 'best tree'], ['counter', 'one counter'], ['master', 'by a handler'],
    ['mpi', 'MPI_Barrier'], ['processes', 'POSIX, processes'], ['threads', 'POSIX, threads']);

sub any_barrier {
    my ($r, $kind, $n) = @_;
    return (best_tree($r, $n))[1] if $kind eq 'tree';
    return $r->cell("mpi_barrier/$n", 'barriers') if $kind eq 'mpi';
    return $r->cell("coherent/$kind/$n", 'barriers') if $kind =~ /^(processes|threads)$/;
    return barrier_cell($r, $kind, $n);
}

sub barriers {
    my ($r) = @_;
    my @nodes = $r->numbers(qr{^barrier/pairs/(\d+)$});
    my $cell = sub { my ($barrier, $n) = @_; any_barrier($r, $barrier->[0], $n) };
    my $most = $nodes[-1] // 16;
    my ($pairs, $tree) = (barrier_cell($r, 'pairs', $most), (best_tree($r, $most))[1]);
    return {
        id => 'barrier5', title => 'Barriers', source => "$BARRIER, figure 5",
        what => 'Barriers back to back in which nothing was written: of ONESIDED by pairwise exchange (PE), by a tree (GB, of the '
            . 'dimension that is best), by one counter, by a handler; beside them those of Open MPI and of POSIX.',
        plots => [lines('Barriers', 'nodes', 'us', [curves(\@nodes, $cell, map { [$_, $_->[1]] } @BARRIERS), floors($r, \@nodes),
            @nodes ? (marks('PE, the paper, 33 MHz', [16, 102.14]), marks('GB, the paper, 33 MHz', [16, 152.27])) : ()], logy => 1)],
        table => { head => ['nodes', map { "$_->[1], us" } @BARRIERS], rows => rows(\@nodes, \@BARRIERS, $cell) },
        claims => [
            compared('PE is faster than the best tree (16 nodes: 102.14 and 152.27 us)', $pairs, $tree, "us on $most nodes")],
        why => 'Theirs has a machine for each node, so that the exchanges of a step go on at once and a step costs a latency. Where nodes '
            . 'take turns on a core, each step of a barrier is a switch of processes: what has fewer of those is faster, and '
            . 'pairwise exchange, which has the most messages, need not be.',
    };
}

sub trees {
    my ($r) = @_;
    my @nodes = grep { dimensions($r, $_) > 1 } $r->numbers(qr{^barrier/tree2/(\d+)$});
    my $cell = sub { my ($n, $dimension) = @_; barrier_cell($r, 'tree' . ($dimension + 1), $n) };
    my %all = map { $_ => 1 } map { dimensions($r, $_) } @nodes;
    my @best = map { my ($d, $cell) = best_tree($r, $_); defined $d ? "$d with $_ nodes" : () } @nodes;
    return {
        id => 'barrier-dimensions', title => 'Trees of barriers by dimension', source => "$BARRIER, section 6",
        what => 'The barrier by a tree (GB) with each number of children that a node of it has. The paper ran all from 1 to N - 1 and '
            . 'reports the least alone.',
        plots => [lines('Barriers by a tree', 'dimension', 'us', [map { curves([dimensions($r, $_)], $cell, [$_, "$_ nodes"]) } @nodes], logy => 1)],
        table => { head => ['dimension', map { "$_ nodes, us" } @nodes], rows => rows([sort { $a <=> $b } keys %all], \@nodes, $cell) },
        claims => [claim('The best dimension depends on the number of nodes', @best ? 'best here: ' . join(', ', @best) : undef, '')],
        why => 'A tree of more children has fewer levels, and its root more to wait for. With more nodes than cores levels cost most, '
            . 'since at each of them somebody has to be given a core.',
    };
}

# The same algorithm with a step as a message to a handler, or as a remote operation.
sub alike {
    my ($r) = @_;
    my @kinds = (['pe', 'nic', 'PE, remote'], ['pe', 'host', 'PE, handler'], ['gb', 'nic', 'GB, remote'], ['gb', 'host', 'GB, handler']);
    my @nodes = $r->numbers(qr{^barrier-gb/nic/(\d+)$});
    my $cell = sub { my ($kind, $n) = @_; $r->cell("barrier-$kind->[0]/$kind->[1]/$n", "$kind->[0]_words") };
    my $factor = sub {
        my ($kind, $n, $paper, $mhz) = @_;
        my ($nic, $host) = map { $cell->([$kind, $_], $n) } qw(nic host);
        my $here = ratio($host, $nic);
        return near(holds(uc($kind) . " of the adapter is $paper times as fast as of the host ($n nodes, $mhz MHz)", '%.2f times',
            below($nic, $host), $here), $paper, $here);
    };
    return {
        id => 'barrier-alike', title => 'Barriers by one algorithm at host and adapter', source => "$BARRIER, figure 5",
        what => 'Pairwise exchange (PE), and gathering and broadcast along a tree of dimension 4 (GB). A step is an atomic operation on a word of the '
            . 'partner, by the fabric, or by a message to the partner\'s handler; nothing else differs.',
        plots => [lines('Barriers', 'nodes', 'us', [curves(\@nodes, $cell, map { [$_, $_->[2]] } @kinds)], logy => 1)],
        table => { head => ['nodes', map { "$_->[2], us" } @kinds], rows => rows(\@nodes, \@kinds, $cell) },
        claims => [$factor->('pe', 8, 1.66, 33), $factor->('pe', 8, 1.83, 66), $factor->('pe', 16, 1.78, 33), $factor->('gb', 16, 1.46, 33)],
        why => 'Cause: a remote operation is an instruction here, and a message is handled by a thread that has to be given a core.',
    };
}

# How much of a barrier is hidden by computing between its halves.
sub overlap {
    my ($r) = @_;
    my @kinds = (['pairs', 'pairwise exchange'], ['counter', 'one counter'], ['master', 'by a handler']);
    my @computes = $r->values_of('split-split/pairs', 'split', 'compute_us');
    my $cell = sub { my ($key, $c) = @_; $r->cell("split-$key->[0]/$key->[1]", $key->[0], compute_us => $c) };
    my @keys = map { my $k = $_; map { [$_, @$k] } qw(whole split) } @kinds;
    my @pair = map { $cell->([$_, 'pairs'], $computes[-1] // 20) } qw(split whole);
    return {
        id => 'barrier-split', title => 'Overlap of a split barrier', source => "$BARRIER, section 5.2",
        what => 'A barrier after computing, and a split one with the same computing between its halves; both less the computing.',
        plots => [lines('Cost beside computing, 2 nodes', 'computing, us', 'us', [curves(\@computes, $cell, map { [$_, "$_->[2], $_->[0]"] } @keys)],
            logx => 0)],
        table => { head => ['computing, us', map { "$_->[2], $_->[0], us" } @keys], rows => rows(\@computes, \@keys, $cell) },
        claims => [compared('The host computes while the adapter performs the barrier: a split barrier costs less', @pair, 'us with '
            . ($computes[-1] // 20) . ' us of computing')],
        why => 'Cause: on one machine a barrier is made of instructions of the nodes themselves, and only the waiting for each other can be hidden. '
            . 'What an adapter hides is simulated.',
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
        ['barrier', undef, $r->cell('barrier/pairs/2', 'barriers'), $r->cell('mpi_barrier/2', 'barriers'),
            map { $coherent->($_, 'barriers') } qw(processes threads)]);
    my @systems = ('HLRC, ARDMAR', 'HLRC, ONESIDED', 'Open MPI', 'processes', 'threads');
    my @known = grep { grep { $_ } @$_[1 .. 5] } @rows;
    my $window = $mpi->('lock_unlock');
    return {
        id => 'beside', title => 'Beside what else there is on one machine', source => 'not of a paper',
        what => 'Two nodes, ranks, processes or threads. Of MPI, one-sided operations (MPI_Get, MPI_Fetch_and_op, '
            . 'MPI_Compare_and_swap, each with its flush) and MPI_Barrier; of processes and threads, memory that the caches keep '
            . 'coherent, where a page is read by the word, and barriers of POSIX. The applications as processes are in figures 9 and 10.',
        plots => [bars('Two nodes', 'us', [map { $_->[0] } @known],
            [map { my $s = $_; [$systems[$s], map { $_->[1 + $s] } @known] } 0 .. $#systems], logy => 1)],
        table => { head => ['', map { "$_, us" } @systems], rows => [map { my ($name, @cells) = @$_; [$name, map { span($_) } @cells] } @rows] },
        claims => [$window ? note('An exclusive lock and unlock of an MPI window at the other rank takes ' . span($window) . ' us.') : ()],
        why => 'A page fetch has a signal and a change of the page table in it, of which a program that calls MPI knows nothing: it has to '
            . 'say what it needs. What HLRC saves is that. On one machine coherent memory is cheaper always; across machines it is '
            . 'not there.',
    };
}

sub all {
    my ($r) = @_;
    return map { $_->($r) } \&operations, \&contended, \&queues, \&counter, \&bandwidth, \&targets, \&barriers, \&trees,
        \&alike, \&overlap, \&beside, \&gets, \&transfers, \&sided;
}

1;
