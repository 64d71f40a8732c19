# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Simulated - what hlrc_sim makes of two papers' figures: which runs there are, and the figures of the page that come of their
# tables. A table is a file DIR/NAME.csv; where they are not, nothing is drawn.

package Simulated;

use strict;
use warnings;
use Runs;
use Tell;
use Traces;

my $ATOMICS = 'Underwood et al., High Message Rate, NIC-Based Atomics';
my $BARRIER = 'Buntinas et al., Fast NIC-Based Barrier over Myrinet/GM';
my $NETWORK = 4000 / 6; # MB/s of payload: 8 of 48 bytes
my $MODEL = 'Simulated by hlrc_sim; doc/simulation.md says what the model has, and what the paper does not say.';

# Name of the table, arguments of hlrc_sim, arguments where little is to be done.
my @RUNS = ((map { ["atomics-$_", ['atomics', '--figure', $_], ['--operations', 20]] } 2 .. 8),
    ['atomics-tables', ['atomics', '--tables'], []],
    ['atomics-3-pass', ['atomics', '--figure', 3, '--busy-set', 'pass'], ['--operations', 20]],
    (map { ["barrier-$_", ['barrier', '--figure', $_], ['--barriers', 3]] } qw(5 dimension early groups split scale)));

sub runs { my ($tiny) = @_; return map { [$_->[0], @{ $_->[1] }, $tiny ? @{ $_->[2] } : ()] } @RUNS }

# By name: rows, by column. undef: there is none.
sub load {
    my ($dir) = @_;
    my %of;
    for my $name (map { $_->[0] } @RUNS) {
        my @rows = csv_rows(file_text("$dir/$name.csv")) or next;
        $of{$name} = \@rows;
    }
    my $replays = Traces::load($dir);
    $of{replays} = $replays if $replays;
    return %of ? \%of : undef;
}

sub rows_of {
    my ($s, $name, %with) = @_;
    return grep { my $row = $_; !grep { $row->{$_} ne $with{$_} } keys %with } @{ $s->{$name} // [] };
}

# One cell; undef where there is no such row.
sub cell { my ($s, $column, $name, %with) = @_; my ($row) = rows_of($s, $name, %with); return $row && $row->{$column} }

sub series {
    my ($s, $title, $x, $y, $name, %with) = @_;
    return marks($title, map { [@$_{ $x, $y }] } sort { $a->{$x} <=> $b->{$x} } rows_of($s, $name, %with));
}

sub table {
    my ($s, $name, @columns) = @_;
    return { head => [map { tr/_/ /r } @columns], rows => [map { my $row = $_; [map { $row->{$_} } @columns] } rows_of($s, $name)] };
}

sub atomics_plot { my ($title, $x, $logx, @series) = @_; return lines($title, $x, 'MB/s of payload', \@series, logx => $logx) }

sub with_limit {
    my (@series) = @_;
    my @x = sort { $a <=> $b } map { $_->[0] } map { @{ $_->{points} } } @series;
    return @series, dashed('network, a sixth of 4 GB/s', \@x, $NETWORK);
}

sub uncached {
    my ($s) = @_;
    my $at = sub { my ($load, $tags, $ns) = @_; cell($s, 'mb_s', 'atomics-2', workload => $load, tags => $tags, latency_ns => $ns) };
    my @series = (series($s, 'one word', 'latency_ns', 'mb_s', 'atomics-2', workload => 'one'),
        map { series($s, "16 words each, $_ tags", 'latency_ns', 'mb_s', 'atomics-2', workload => 'sixteen', tags => $_) } 16, 32, 64, 128);
    return {
        id => 'sim-atomics2', title => 'Simulated: atomics without a cache', source => "$ATOMICS, figure 2",
        what => 'All of 64 processes but one operate on words of one node, whose adapter reads and writes each in the memory of '
            . 'its host. By the latency to the host and the requests that may be outstanding.',
        plots => [atomics_plot('No cache', 'latency to the host, ns', 0, with_limit(@series))],
        table => table($s, 'atomics-2', qw(workload tags latency_ns mb_s mean_ns host_reads host_writes)),
        claims => [holds('One location: very poor, a round trip for each', '%s MB/s at 250 ns, beside %s',
                sub { $_[0] * 10 < $_[1] }, $at->('one', 32, 250), $at->('sixteen', 32, 250)),
            holds('32 tags will do with the lowest latency', '%s MB/s at 50 ns', sub { $_[0] > 0.95 * $NETWORK }, $at->('sixteen', 32, 50)),
            holds('At 250 ns 128 tags are clearly sufficient, 64 are close', '%s and %s MB/s',
                sub { $_[0] > 0.98 * $NETWORK && $_[1] > 0.85 * $NETWORK }, map { $at->('sixteen', $_, 250) } 128, 64)],
        why => $MODEL,
    };
}

sub small_cache {
    my ($s) = @_;
    my @series = (series($s, 'one word', 'latency_ns', 'mb_s', 'atomics-3', workload => 'one'),
        map { series($s, "16 words each, $_ PEs", 'latency_ns', 'mb_s', 'atomics-3', workload => 'sixteen', pes => $_) } 8, 16, 32, 64);
    my $cached = cell($s, 'mb_s', 'atomics-3', workload => 'sixteen', pes => 64, latency_ns => 250);
    return {
        id => 'sim-atomics3', title => 'Simulated: atomics with a small cache', source => "$ATOMICS, figure 3",
        what => 'The same with a direct mapped cache of 32 words, and 32 tags.',
        plots => [atomics_plot('32 lines, direct mapped', 'latency to the host, ns', 0, with_limit(@series))],
        table => table($s, 'atomics-3', qw(workload pes latency_ns mb_s hits misses kept stalls_set)),
        claims => [holds('One location: the limit of the network', '%s MB/s at 250 ns', sub { abs($_[0] / $NETWORK - 1) < 0.03 },
                cell($s, 'mb_s', 'atomics-3', workload => 'one', latency_ns => 250)),
            holds('16 locations each: minimal benefit, if a miss passes a set in use', '%s MB/s at 250 ns, without a cache %s',
                sub { my $gain = $_[0] / $_[1]; $gain > 0.9 && $gain < 1.3 },
                cell($s, 'mb_s', 'atomics-3-pass', workload => 'sixteen', pes => 64, latency_ns => 250),
                cell($s, 'mb_s', 'atomics-2', workload => 'sixteen', tags => 32, latency_ns => 250)),
            holds('the same, if it waits, as the text has it', '%s MB/s at 250 ns with 64 PEs, without a cache %s',
                sub { my $gain = $_[0] / $_[1]; $gain > 0.9 && $gain < 1.3 }, $cached,
                cell($s, 'mb_s', 'atomics-2', workload => 'sixteen', tags => 32, latency_ns => 250))],
        why => "$MODEL A line that waits for the host takes the place of all other words of its set, so that some seven operations are under way "
            . 'until two have the same of 32 lines.',
    };
}

sub cache_sizes {
    my ($s, $figure, $tags) = @_;
    my $name = "atomics-$figure";
    my $at = sub { my ($lines, $ways) = @_; cell($s, 'mb_s', $name, lines => $lines, ways => $ways, pes => 64) };
    my @ways = map { series($s, $_ == 1 ? 'direct mapped' : "$_ ways", 'lines', 'mb_s', $name, ways => $_, pes => 64) } 1, 4, 16, 64;
    my @pes = map { series($s, "$_ PEs", 'lines', 'mb_s', $name, ways => 16, pes => $_) } 8, 16, 32, 64;
    my @full = grep { $_->{mb_s} > 0.95 * $NETWORK && $_->{hits} < $_->{misses} } rows_of($s, $name);
    my @claims = $figure == 4
        ? (holds('More ways matter more than more lines', 'from 128 lines, direct mapped: %s MB/s with 4 ways, %s with four times the lines',
                sub { $_[0] > $_[1] }, $at->(128, 4), $at->(512, 1)),
            rows_of($s, $name) ? claim('The full bandwidth only where many operations hit', 'rows at 95 % of it that miss more often: ' . @full,
                verdict(@full ? 0 : 1)) : ())
        : (holds('A relatively small cache sustains most of the network, if concurrency is not constrained',
            '%s MB/s with 128 lines of 16 ways, 1,008 words being used', sub { $_[0] > 0.9 * $NETWORK }, $at->(128, 16)));
    return {
        id => "sim-atomics$figure", title => "Simulated: size and ways of the cache, $tags tags", source => "$ATOMICS, figure $figure",
        what => 'Each process operates on 16 words in turn, which lie anywhere, at 250 ns. Lines of the cache are words.',
        plots => [atomics_plot('64 PEs', 'lines', 1, with_limit(@ways)), atomics_plot('16 ways', 'lines', 1, with_limit(@pes))],
        table => table($s, $name, qw(pes lines ways mb_s hits misses stalls_set stalls_tag)), claims => \@claims,
        why => "$MODEL Words that are used in turn are replaced before they are used again, where the cache is smaller than all of them.",
    };
}

sub random_access {
    my ($s) = @_;
    my $at = sub { my ($tags, $lines, $ways) = @_; cell($s, 'mb_s', 'atomics-6', tags => $tags, lines => $lines, ways => $ways, pes => 64) };
    my $lines_of = sub {
        my ($tags) = @_;
        map { my $lines = $_; map { series($s, "$lines lines, $_ ways", 'pes', 'mb_s', 'atomics-6', tags => $tags, lines => $lines, ways => $_) }
            1, 4, 16 } 32, 128;
    };
    my ($hits, $all) = (0, 0);
    for (rows_of($s, 'atomics-6')) { $hits += $_->{hits}; $all += $_->{operations} }
    return {
        id => 'sim-atomics6', title => 'Simulated: RandomAccess with a cache', source => "$ATOMICS, figure 6",
        what => 'All processes, two to a node, operate on any word of all nodes.',
        plots => [map { atomics_plot("$_ tags", 'PEs', 1, $lines_of->($_)) } 32, 64],
        table => table($s, 'atomics-6', qw(pes tags lines ways mb_s hits misses stalls_set stalls_tag)),
        claims => [holds('Updates never hit', '%s of %s', sub { $_[0] < $_[1] / 100 }, map { $all ? $_ : undef } $hits, $all),
            holds('4 ways are as good as 16, with 128 lines', '%s and %s MB/s', sub { abs($_[0] / $_[1] - 1) < 0.05 },
                $at->(64, 128, 4), $at->(64, 128, 16)),
            holds('and with 32 lines', '%s and %s MB/s', sub { abs($_[0] / $_[1] - 1) < 0.05 }, $at->(64, 32, 4), $at->(64, 32, 16)),
            holds('64 tags are needed', '%s MB/s, with 32 %s', sub { $_[0] > 1.2 * $_[1] }, $at->(64, 128, 16), $at->(32, 128, 16))],
        why => $MODEL,
    };
}

sub random_uncached {
    my ($s) = @_;
    my @series = map { series($s, "$_ tags", 'pes', 'mb_s', 'atomics-7', tags => $_) } 32, 64, 128;
    return {
        id => 'sim-atomics7', title => 'Simulated: RandomAccess without a cache', source => "$ATOMICS, figure 7",
        what => 'The same without a cache.', plots => [atomics_plot('No cache', 'PEs', 1, @series)],
        table => table($s, 'atomics-7', qw(pes tags mb_s stalls_raw stalls_tag mean_ns)),
        claims => [holds('No penalty where there is no cache', '%s MB/s with 64 PEs and tags; with 128 lines of 16 ways %s',
            sub { abs($_[0] / $_[1] - 1) < 0.05 }, cell($s, 'mb_s', 'atomics-7', pes => 64, tags => 64),
            cell($s, 'mb_s', 'atomics-6', pes => 64, tags => 64, lines => 128, ways => 16))],
        why => $MODEL,
    };
}

# Peaks of --tables: "figure 9: atomics of 4 PEs".
sub peaks {
    my ($s, $what) = @_;
    return map { $_->{what} =~ /^figure 9: $what of (\d+) PEs/ ? [$1, $_->{here}] : () } rows_of($s, 'atomics-tables');
}

sub messages {
    my ($s) = @_;
    my @series = (series($s, 'by messages', 'pes', 'mb_s', 'atomics-8', workload => 'shmem'),
        series($s, 'by atomics', 'pes', 'mb_s', 'atomics-8', workload => 'random'));
    my @peaks = map { marks("$_, the bound", peaks($s, $_)) } qw(messages atomics network);
    my $at = sub { my ($load) = @_; cell($s, 'mb_s', 'atomics-8', workload => $load, pes => 64) };
    my ($bound) = map { $_->[1] } grep { $_->[0] == 64 } peaks($s, 'atomics');
    return {
        id => 'sim-atomics8', title => 'Simulated: RandomAccess by messages and by atomics', source => "$ATOMICS, figures 8 and 9",
        what => 'Messages are written to the memory of the target, whose CPUs apply the updates, as fast as they come.',
        plots => [atomics_plot('As events', 'PEs', 1, @series), atomics_plot('Bounds of equation 5', 'PEs', 1, @peaks)],
        table => table($s, 'atomics-8', qw(workload pes mb_s mean_ns to_host_used to_nic_used network_used)),
        claims => [holds('Messages are faster', '%s MB/s with 64 PEs, atomics %s', sub { $_[0] > $_[1] }, $at->('shmem'), $at->('random')),
            holds('The interface to the host is what bounds atomics', '%s MB/s of %s', sub { $_[0] > 0.9 * $_[1] && $_[0] <= $_[1] },
                $at->('random'), $bound)],
        why => "$MODEL An atomic has the word read, over the link that brings the commands as well.",
    };
}

sub equations {
    my ($s) = @_;
    my @rows = grep { $_->{what} !~ /^figure/ } rows_of($s, 'atomics-tables');
    return {
        id => 'sim-atomics-tables', title => 'Requests that have to be outstanding', source => "$ATOMICS, equations 1 to 6, tables III and IV",
        what => 'By arithmetic. Table III comes by rounding to the nearest number, from the 52 million updates a second that the '
            . 'paper has; table IV by rounding up, from 83 million. Neither way gives both.',
        plots => [], table => { open => 1, head => ['', 'paper', 'here', 'unit'], rows => [map { [@$_{qw(what paper here unit)}] } @rows] },
        claims => [map { claim($_->{what} . ": $_->{paper}", $_->{here}, verdict($_->{paper} == $_->{here} ? 1 : 0)) }
            grep { $_->{what} =~ /^table/ } @rows],
        why => 'Equation 3 takes 8 bytes for a read request, the text before it 16; with 16 the rate at a target would be 72 million, not 95.',
    };
}

# ---- barriers ----

my %NAME = (pe => 'PE', gb => 'GB');

sub barrier_plot { my ($title, $x, $logx, @series) = @_; return lines($title, $x, 'us', \@series, logx => $logx) }

sub places {
    my ($s, $x, $name, %with) = @_;
    return map { my $algorithm = $_; map { series($s, "$NAME{$algorithm}, $_", $x, $_ eq 'host' ? 'host_us' : 'nic_us', $name, %with,
        algorithm => $algorithm) } 'host', 'adapter' } qw(pe gb);
}

sub measured_barriers {
    my ($s) = @_;
    my @claims;
    for my $row (grep { $_->{paper_factor} ne '' } rows_of($s, 'barrier-5')) {
        my $what = "$row->{card}, $NAME{ $row->{algorithm} }, $row->{nodes} nodes";
        push @claims, claim("$what: $row->{paper_nic_us} us", number($row->{nic_us}) . ' us', 'fitted') if $row->{paper_nic_us} ne '';
        push @claims, claim("$what: the host takes $row->{paper_factor} times as long", number($row->{factor}) . ' times', 'fitted');
    }
    my $at = sub { my ($column, $algorithm, $nodes) = @_; cell($s, $column, 'barrier-5', card => 'lanai4', algorithm => $algorithm, nodes => $nodes) };
    push @claims, holds('Of 2 nodes GB is slower at the adapter than at the host', '%s us, and %s', sub { $_[0] > $_[1] },
            map { $at->($_, 'gb', 2) } qw(nic_us host_us)),
        holds('At the host PE is faster than GB', '%s us, and %s, of 16 nodes', sub { $_[0] < $_[1] }, map { $at->('host_us', $_, 16) } qw(pe gb)),
        holds('GB at the adapter is faster than PE at the host', '%s us, and %s, of 16 nodes', sub { $_[0] < $_[1] },
            $at->('nic_us', 'gb', 16), $at->('host_us', 'pe', 16));
    return {
        id => 'sim-barrier5', title => 'Simulated: barriers at the host and at the adapter', source => "$BARRIER, figure 5",
        what => 'The mean of consecutive barriers, with the best tree for each.',
        plots => [map { barrier_plot($_->[1], 'nodes', 1, places($s, 'nodes', 'barrier-5', card => $_->[0])) }
            ['lanai4', 'LANai 4.3'], ['lanai7', 'LANai 7.2']],
        table => table($s, 'barrier-5', qw(card algorithm nodes dimension_host host_us dimension_nic nic_us factor equation_host_us
            equation_nic_us paper_nic_us paper_factor)),
        claims => \@claims,
        why => 'The paper has totals and no parts: the parts were chosen so that the model comes near the seven totals, and that it does '
            . 'says no more than that it can. What it says of other numbers of nodes follows from them.',
    };
}

sub other_barriers {
    my ($s) = @_;
    my $factor = sub { my ($nodes) = @_; cell($s, 'factor', 'barrier-scale', card => 'lanai4', nodes => $nodes) };
    return {
        id => 'sim-barrier-more', title => 'Simulated: trees, early arrivals, several barriers at once, more nodes', source => $BARRIER,
        what => 'LANai 4.3. Where it is not the axis: 16 nodes, trees of dimension 4. Processes compute up to the given time before each barrier.',
        plots => [barrier_plot('Dimension of the tree', 'children', 0, map { series($s, $_->[0], 'dimension_host', $_->[1], 'barrier-dimension') }
                ['host', 'host_us'], ['adapter', 'nic_us']),
            barrier_plot('Time between barriers', 'computing up to, ns', 0, places($s, 'skew_ns', 'barrier-early')),
            barrier_plot('Barriers at once', 'processes of a node', 1, places($s, 'groups', 'barrier-groups')),
            barrier_plot('A split barrier of LANai 4.3', 'computing, ns', 0, places($s, 'compute_ns', 'barrier-split', card => 'lanai4')),
            lines('How much faster at the adapter, PE', 'nodes', 'times',
                [map { series($s, $_, 'nodes', 'factor', 'barrier-scale', card => $_) } qw(lanai4 lanai7)])],
        table => table($s, 'barrier-scale', qw(card nodes host_us nic_us factor equation_factor printed_factor)),
        claims => [holds('The advantage grows with the nodes', '%s times of 16, %s of 1,024', sub { $_[0] < $_[1] }, $factor->(16), $factor->(1024)),
            holds('The host computes while the adapter performs the barrier', '100 us of computing add %s us at the adapter, %s at the host',
                sub { $_[0] < 0.2 * 100 && $_[0] < $_[1] }, map { my $place = $_; my ($with, $without) = map { cell($s, $place, 'barrier-split',
                card => 'lanai4', algorithm => 'pe', compute_ns => $_) } 100000, 0; defined $with ? $with - $without : undef } qw(nic_us host_us)),
            holds('and with the speed of the adapter', '%s times of 16 nodes, with LANai 7.2 %s', sub { $_[0] < $_[1] }, $factor->(16),
                cell($s, 'factor', 'barrier-scale', card => 'lanai7', nodes => 16))],
        why => 'A barrier at the adapter costs the host one message and each round one packet, whatever the rounds.',
    };
}

sub all {
    my ($s) = @_;
    return () if !$s;
    return (map { $_->($s) } \&uncached, \&small_cache), cache_sizes($s, 4, 32), cache_sizes($s, 5, 128),
        map { $_->($s) } \&random_access, \&random_uncached, \&messages, \&equations, \&measured_barriers, \&other_barriers;
}

1;
