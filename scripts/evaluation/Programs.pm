# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs - figures 9 to 14 of Noronha and Panda, the applications: of what was measured here (Plan), and of programs that were
# traced here and replayed on a model of the paper's machine (Traces).
#
# Both are a source: all, one, many: keys of what was run, in order (all of them; one for each application; one that has several
# numbers of nodes); label of a key, and name without a size; nodes of a key; cell of (key, protocol, nodes, metric); what the
# figures show of it and say of it. The metrics are time (s), page, handler (s, or ms), faults, and those of the parts.

package Programs;

use strict;
use warnings;
use Plan;
use Tell;
use Traces;

our $PAPER = 'Noronha and Panda';
my @BOTH = qw(async ardmar);
my %SHOWN = (async => 'ASYNC', ardmar => 'ARDMAR', onesided => 'ONESIDED', native => 'processes', seq => 'sequential');
# time(ASYNC) / time(ARDMAR) on 16 nodes, by application and size
my %RATIO = map { my $app = $_; my $paper = $Plan::APP{$app}{paper}; map { ("$app $_" => $paper->{$_}) } grep { $paper->{$_} =~ /^[\d.]+$/ }
    keys %$paper } @Plan::APPS;

our $NETWORK = 'The paper has adapters that take microseconds for an operation and leave the CPUs alone. Here, unless a fabric of '
    . 'RDMA adapters was chosen, an operation is a copy or an instruction of the CPU that asks for it, so a message costs '
    . 'less than a page fault, and what the paper saves in operations of the adapter is not to be saved.';
our $CORES = 'The paper has a machine for each node. On one machine all nodes share its cores: where there are more of them than '
    . 'cores, they take turns, nothing becomes faster by more nodes, and a wait contains the time of others.';
our $HOW = 'Traced here under ARDMAR, without hints to the runtime and without what HLRC has beyond the paper (no pages ahead, no '
    . 'pages that are hidden, homes stay), and run again by hlrc_sim replay on share/machines/infiniband-2004; doc/trace.md says how '
    . 'far a replay is from a run. Times are from the beginning to the end of a job.';
my $AS = 'Traced and replayed as the page fetches above.';

# ---- What was measured ----

my %MEASURED = (
    9 => ['Time of the same program compiled without HLRC, divided by the time of the job. Processes: the same program as '
            . 'processes that share memory which the caches keep coherent, without HLRC.',
        "$CORES So a speedup cannot be above the number of cores, and what the processes reach is the most there is."],
    10 => ['The time that an application takes of its own work, which is verified after it. The paper has two to sixteen '
            . 'nodes and the same sizes.',
        "$CORES $NETWORK HLRC's ASYNC is not the paper's either: a home that waits serves requests itself, without a "
            . 'handler that has to be woken, and both protocols fetch pages ahead.'],
    11 => ['Shares of the nodes\' time, by the runtime\'s clocks, averaged over the nodes; of the whole job, making the input '
            . 'and verifying the result included.',
        "$CORES $NETWORK So ARDMAR, whose reads of pages are copies, waits for hardly any page; what it loses it loses in barriers, "
            . 'waiting for nodes that have no core.'],
    12 => ['CPU time of the handler thread of a node, average of the nodes; requests that are served by a thread which waits for '
            . 'something itself are not in it.',
        'As in the paper, ARDMAR needs the handler for locks, diffs and barriers, but not for pages; --protocol onesided has none. '
            . 'Where a node waits, in a barrier or for a page, it serves requests itself here, and the handler '
            . "sleeps: its time is short by both protocols. $CORES"],
    13 => ['Time that the nodes wait for pages, by the runtime\'s clocks: average of the nodes, of the whole job.', "$CORES $NETWORK"],
    14 => ['Read and write faults of a node, averaged over the nodes. A count: no machine changes it much.',
        'The paper\'s ARDMAR write-protects all pages of a home, so that each is faulted on again. HLRC does not: a page that is '
            . 'written again and again stays open and is compared, by both protocols, and one fault opens what follows it.'],
);

# Of an application and a size.
sub label { my ($app, $size) = split / /, $_[0]; return "$Plan::APP{$app}{name} $Plan::APP{$app}{size}{$size}" }

sub measured {
    my ($r) = @_;
    my %s = (text => \%MEASURED, unit => 's', table => [qw(async ardmar native)],
        speedups => [['Speedup on %d nodes', qw(async ardmar onesided native)]], curves => [qw(async ardmar onesided native)], least => 2,
        rate => ' on 16 nodes', paper_key => sub { $_[0] },
        parts => [['compute_s', 'computing'], ['page_s', 'pages'], ['lock_s', 'locks'], ['barrier_s', 'barriers'], ['diff_s', 'diffs']]);
    my $id = sub { my ($key, @more) = @_; join '/', 'app', split(/ /, $key), @more };
    $s{nodes} = sub { my ($key) = @_; $r->numbers(qr{^\Q${\ $id->($key)}\E/(?:async|ardmar|onesided)/(\d+)$}) };
    $s{label} = \&label;
    my %metric = (page => 'page_s', handler => 'handler_s');
    $s{cell} = sub {
        my ($key, $p, $n, $metric) = @_;
        return $r->cell($id->($key, $p, $n), $metric{$metric} // $metric) if $metric ne 'faults';
        my $sum = sub { $_[0] && $_[1] ? $_[0]{median} + $_[1]{median} : undef };
        return $r->cell_from($sum, $id->($key, $p, $n), ['read_faults', 'write_faults']);
    };
    $s{speedup} = sub {
        my ($key, $p, $n) = @_;
        my ($base, $time) = ($s{cell}->($key, 'seq', 1, 'time'), $s{cell}->($key, $p, $n, 'time'));
        return $base && $time && { mid => $base->{mid} / $time->{mid}, lo => $base->{mid} / $time->{hi}, hi => $base->{mid} / $time->{lo},
            turns => $time->{turns} };
    };
    # of each turn
    $s{faster} = sub {
        my ($key, $n) = @_;
        my ($async, $ardmar) = map { [$r->rows($id->($key, $_, $n), 'time')] } @BOTH;
        return Results::spread(map { $ardmar->[$_]{median} > 0 ? $async->[$_]{median} / $ardmar->[$_]{median} : () }
            @$async == @$ardmar ? 0 .. $#$async : ());
    };
    my @keys = grep { my $key = $_; grep { index($_, $id->($key) . '/') == 0 } $r->ids }
        map { my $app = $_; map { "$app $_" } 'tiny', @Plan::SIZES } @Plan::APPS;
    my $largest = sub { my %of = map { /^(\w+)/ ? ($1 => $_) : () } @_; map { $of{$_} // () } @Plan::APPS };
    @s{qw(all one many)} = (\@keys, [$largest->(@keys)], [$largest->(grep { $s{nodes}->($_) > 1 } @keys)]);
    return \%s;
}

# ---- What was replayed ----

my %REPLAYED = (
    9 => ['What all nodes of the smallest job compute, added up, divided by the time of a job. Sizes: SIZES. The second plot is of nodes that take '
            . "$Traces::SLOWER times as long for computing as a core here does, as a CPU of 2004 may: an assumption.",
        "$AS Sizes are smaller than the paper's for Barnes and Water, and a core of today computes faster than the paper's, so "
            . 'that a larger part of the time is the network\'s. With ARDMAR the first store to each page costs an atomic, which with '
            . 'ASYNC the default home of the page does without: with few nodes that is a large part of all pages.'],
    10 => ['Times by the number of nodes, and how much longer ASYNC takes than ARDMAR.',
        "$AS Cause: sizes are smaller, and the system of 2004 is left out; with both as in the paper, by hlrc_sim replay --as-2004 "
            . '(doc/trace.md), Barnes, IS and Water are within 15 %, 3DFFT is 31 % too high and RS 29 % too low.'],
    11 => ['Shares of the time of a node, the mean of all. Faults are with computing.', $AS],
    12 => ['What handlers are busy with messages, of a node, the mean of all.',
        "$AS What is left with ARDMAR are locks, diffs and barriers; the smaller the problem, the more of its messages are those."],
    13 => ['What a node waits for pages, the mean of all.',
        "$AS RS reads each page of its keys once in a pass, and has no other pages than those: each node has fewer of them the more "
            . 'nodes there are. Why the paper\'s has more, it does not say. Water was not looked into.'],
    14 => ['Read and write faults of a node, the mean of all.',
        "$AS A default home of ASYNC writes its pages without a fault until another node asks for them; with ARDMAR each page is "
            . 'faulted on once.'],
);

my $MACHINE = 'infiniband-2004';
# A metric's name in a replay, and what its microseconds are divided by.
my %IN_REPLAY = (time => ['time_us', 1e6], page => ['pages_us', 1e3], handler => ['handler_us', 1e3]);
my @WAITS = (['pages_us', 'pages'], ['locks_us', 'locks'], ['barriers_us', 'barriers'], ['closings_us', 'closings']);

sub replayed {
    my ($t) = @_;
    my $slower = "computing takes $Traces::SLOWER times as long";
    my %s = (id => 'sim-', title => 'Simulated: ', text => \%REPLAYED, unit => 'ms', table => \@BOTH, least => 1, rate => '', curves => \@BOTH,
        speedups => [['Speedup on %d nodes', @BOTH], ["Speedup, $slower", map { "$_ slower" } @BOTH]],
        paper_key => sub { "$_[0] large" }, parts => [['computing', 'computing and the rest'], @WAITS]);
    $s{value} = sub {
        my ($app, $protocol, $n, $what) = @_;
        my ($p, $machine) = split / /, $protocol;
        my $line = $t->{'replay/' . ($machine // $MACHINE) . "/$p/$app/$n"};
        return $line && $line->{values}{$what};
    };
    $s{nodes} = sub { Traces::nodes_of($t, "replay/$MACHINE/ardmar/$_[0]") };
    $s{label} = sub { $Plan::APP{ $_[0] }{name} };
    $s{cell} = sub {
        my ($app, $p, $n, $metric) = @_;
        my $value = sub { $s{value}->($app, $p, $n, @_) };
        my $time = $value->('time_us') // return undef;
        return exact(($value->('read_faults') + $value->('write_faults')) / $n) if $metric eq 'faults';
        my ($name, $unit) = @{ $IN_REPLAY{$metric} // [$metric, 1] };
        return exact($value->($name) / $unit) if $metric ne 'computing';
        my $waits = 0;
        $waits += $value->($_->[0]) for @WAITS;
        return exact($waits > $time ? 0 : $time - $waits);
    };
    $s{speedup} = sub {
        my ($app, $p, $n) = @_;
        my ($fewest) = $s{nodes}->($app);
        my ($base, $time) = ($s{value}->($app, 'ardmar' . ($p =~ / / ? ' slower' : ''), $fewest, 'compute_us'), $s{cell}->($app, $p, $n, 'time'));
        return $base && $time ? exact($base * $fewest / 1e6 / $time->{mid}) : undef;
    };
    $s{faster} = sub { my ($app, $n, $slower) = @_; exact(ratio(map { $s{cell}->($app, $slower ? "$_ slower" : $_, $n, 'time') } @BOTH)) };
    $s{slower} = "here, computing $Traces::SLOWER times";
    @s{qw(all one many)} = ([grep { $s{nodes}->($_) } @Plan::APPS]) x 3;
    my $sizes = join ', ', map { $s{label}->($_) . " $Traces::SIZE{$_}" } @{ $s{all} };
    $s{text} = { %REPLAYED, 9 => [map { s/SIZES/$sizes/r } @{ $REPLAYED{9} }] };
    return \%s;
}

# ---- What figures have in common ----

sub figure {
    my ($s, $number, $title, %more) = @_;
    my ($what, $why) = @{ $s->{text}{$number} };
    return { id => ($s->{id} // '') . "fig$number", title => $s->{title} ? $s->{title} . lcfirst $title : $title,
        source => "$PAPER, figure $number", what => $what, why => $why, %more };
}

sub most { my ($s, @keys) = @_; my ($most) = sort { $b <=> $a } map { $s->{nodes}->($_) } @keys; return $most // 16 }

sub only { my ($apps, @keys) = @_; return grep { /^(?:$apps)\b/ } @keys }

sub shown { my ($protocol) = @_; my ($p, $slower) = split / /, $protocol; return $SHOWN{$p} . ($slower ? ', slower' : '') }

# A bar of each protocol for each key.
sub key_bars {
    my ($s, $title, $unit, $keys, $cell, @protocols) = @_;
    my @series = map { my $p = $_; [$SHOWN{ (split / /, $p)[0] }, map { $cell->($_, $p) } @$keys] } @protocols;
    return bars($title, $unit, [map { $s->{label}->($_) } @$keys], [grep { grep { defined } @$_[1 .. $#$_] } @series]);
}

# A row for each key and number of nodes, a column for each protocol.
sub node_table {
    my ($s, $keys, $metric, $unit, @protocols) = @_;
    return { head => ['Application', 'nodes', map { "$SHOWN{$_}, $unit" } @protocols], rows => [map { my $key = $_; map { my $n = $_;
        [$s->{label}->($key), $n, map { span($s->{cell}->($key, $_, $n, $metric)) } @protocols] } $s->{nodes}->($key) } @$keys] };
}

# In how many of the keys it is so, and in which not, or not certainly.
sub count_claim {
    my ($s, $paper, $verdict, @keys) = @_;
    my %of;
    for (@keys) { my $v = $verdict->($_) // next; push @{ $of{$v} }, $s->{label}->($_) }
    my $known = map { @$_ } values %of;
    my @but = map { my ($verdict, $where) = @$_; $of{$verdict} ? "; $where " . join(', ', @{ $of{$verdict} }) : () }
        ['differs', 'not in'], ['unclear', 'within the spread in'];
    return claim($paper, $known ? sprintf('in %d of %d', scalar @{ $of{agrees} // [] }, $known) . join('', @but) : undef,
        all_of(map { $verdict->($_) } @keys));
}

# Whether a metric is less by one protocol than by the other.
sub less_in { my ($s, $metric, $n, @order) = @_; return sub { my ($key) = @_; below(map { $s->{cell}->($key, $_, $n, $metric) } @order) } }

# Whether the time for pages falls from the fewest to the most nodes, or grows.
sub trend {
    my ($s, $protocol, $falls) = @_;
    return sub {
        my ($key) = @_;
        my @nodes = $s->{nodes}->($key);
        return undef if @nodes < 2;
        return below(map { $s->{cell}->($key, $protocol, $_, 'page') } $falls ? @nodes[-1, 0] : @nodes[0, -1]);
    };
}

# ---- The figures ----

sub figure9 {
    my ($s) = @_;
    my @keys = @{ $s->{all} };
    my $n = most($s, @keys);
    my $cell = sub { my ($key, $p) = @_; $s->{speedup}->($key, $p, $n) };
    my ($radix) = grep { !/ small/ } only('radix', @keys);
    my @rs = map { $radix && $cell->($radix, $_) } reverse @BOTH;
    my @columns = $s->{id} ? map { @$_[1 .. $#$_] } @{ $s->{speedups} } : @{ $s->{table} };
    my $one = exact(1);
    return figure($s, 9, "Speedups on $n nodes",
        plots => [map { my ($title, @of) = @$_; key_bars($s, $title =~ s{%d}{$n}r, 'times', \@keys, $cell, @of) } @{ $s->{speedups} }],
        table => { head => ['Application', map { shown($_) } @columns],
            rows => [map { my $key = $_; [$s->{label}->($key), map { span($cell->($key, $_)) } @columns] } @keys] },
        claims => [count_claim($s, 'ARDMAR has the better speedup in all cases', less_in($s, 'time', $n, reverse @BOTH), @keys),
            holds('RS gains by ARDMAR and loses by ASYNC', 'ARDMAR %.2f, ASYNC %.2f', all_of(below($one, $rs[0]), below($rs[1], $one)),
                map { $_ && $_->{mid} } @rs)]);
}

# Times of a key by nodes.
sub times_plot {
    my ($s, $key) = @_;
    my @nodes = $s->{nodes}->($key);
    return () if @nodes < $s->{least};
    my $alone = $s->{cell}->($key, 'seq', 1, 'time');
    return lines($s->{label}->($key), 'nodes', 's', [curves(\@nodes, sub { $s->{cell}->($key, @_, 'time') },
        map { [$_, $SHOWN{$_}] } @{ $s->{curves} }), dashed('sequential', \@nodes, $alone && $alone->{mid})]);
}

sub ratios_plot {
    my ($s, $n, @keys) = @_;
    my @here = map { $s->{faster}->($_, $n) } @keys;
    return () if !grep { defined } @here;
    return bars("Time of ASYNC / time of ARDMAR, $n nodes", 'times', [map { $s->{label}->($_) } @keys], [['here', @here],
        $s->{slower} ? [$s->{slower}, map { $s->{faster}->($_, $n, 1) } @keys] : (),
        ['the paper, 16 nodes', map { $RATIO{ $s->{paper_key}->($_) } } @keys]]);
}

sub times_ratio { my ($s, $key, $n) = @_; return ratio(map { $s->{cell}->($key, $_, $n, 'time') } @BOTH) }

sub ratio_claim {
    my ($s, $key, $n) = @_;
    my $paper = $RATIO{ $s->{paper_key}->($key) } // return ();
    my $here = times_ratio($s, $key, $n);
    my $holds = $s->{id} ? sub { $_[0] > 1 } : less_in($s, 'time', $n, reverse @BOTH)->($key);
    return near(holds($s->{label}->($key) . ": ARDMAR is $paper times as fast as ASYNC$s->{rate}", "%.2f times, on $n nodes", $holds,
        $here), $paper, $here);
}

sub figure10 {
    my ($s) = @_;
    my @keys = @{ $s->{all} };
    my $n = most($s, @keys);
    my $table = node_table($s, \@keys, 'time', 's', @{ $s->{table} });
    push @{ $table->{head} }, 'ASYNC / ARDMAR';
    my @at = map { my $key = $_; map { [$key, $_] } $s->{nodes}->($key) } @keys;
    push @{ $table->{rows}[$_] }, number(times_ratio($s, @{ $at[$_] })) for 0 .. $#at;
    my ($small) = grep { $_ eq 'water small' } @keys;
    return figure($s, 10, 'Times of the applications', plots => [ratios_plot($s, $n, @keys), map { times_plot($s, $_) } @keys], table => $table,
        claims => [map({ ratio_claim($s, $_, $s->{id} ? $n : most($s, $_)) } @keys), $s->{id} ? () :
            holds("Water $Plan::APP{water}{size}{small}: ARDMAR is slower than ASYNC on 16 nodes", "%.2f times as fast, on $n nodes",
                $small && less_in($s, 'time', $n, @BOTH)->($small), $small && times_ratio($s, $small, $n))]);
}

# Per cent of the time of a node, a part each.
sub shares {
    my ($s, $key, $protocol, $n) = @_;
    my @cells = map { $s->{cell}->($key, $protocol, $n, $_->[0]) } @{ $s->{parts} };
    return undef if grep { !$_ } @cells;
    my $all = 0;
    $all += $_->{mid} for @cells;
    return $all > 0 ? [map { 100 * $_->{mid} / $all } @cells] : undef;
}

sub figure11 {
    my ($s) = @_;
    my @keys = @{ $s->{one} };
    my $n = most($s, @keys);
    my $row = sub { my ($key, $p) = @_; my $of = shares($s, $key, $p, $n); $of ? [$s->{label}->($key) =~ s/ .*//r . " $SHOWN{$p}", @$of] : () };
    my @all = map { my $key = $_; map { $row->($key, $_) } @BOTH } @keys;
    my @parts = map { $_->[1] } @{ $s->{parts} };
    return figure($s, 11, "Where the time goes on $n nodes",
        plots => @all ? [{ %{ bars("Shares of the time, $n nodes", 'per cent', [map { $_->[0] } @all],
            [map { my $i = $_; [$parts[$i], map { $_->[$i + 1] } @all] } 0 .. $#parts]) }, kind => 'stacked' }] : [],
        table => { head => ['Application', map { "$_, %" } @parts],
            rows => [map { my ($name, @of) = @$_; [$name, map { sprintf '%.1f', $_ } @of] } @all] },
        claims => [count_claim($s, 'Page time is less by ARDMAR than by ASYNC in Barnes, RS, IS and 3DFFT',
            less_in($s, 'page', $n, reverse @BOTH), only('barnes|radix|is|fft3d', @keys))]);
}

sub figure12 {
    my ($s) = @_;
    my @keys = @{ $s->{one} };
    my $n = most($s, @keys);
    my $cell = sub { my ($key, $p) = @_; $s->{cell}->($key, $p, $n, 'handler') };
    my $none = sub { my $ratio = ratio(map { $cell->($_[0], $_) } reverse @BOTH); verdict(defined $ratio ? $ratio <= 0.1 : undef) };
    return figure($s, 12, 'Time in the handler',
        plots => [key_bars($s, ($s->{id} ? 'Time' : 'CPU time') . " of the handler, $n nodes", "$s->{unit} per node", \@keys, $cell, @BOTH)],
        table => node_table($s, \@keys, 'handler', $s->{unit}, @BOTH),
        claims => [count_claim($s, 'Less time in the handler by ARDMAR', less_in($s, 'handler', $n, reverse @BOTH), @keys),
            count_claim($s, 'Next to none by ARDMAR in 3DFFT and Water (here: a tenth of ASYNC\'s)', $none, only('fft3d|water', @keys))]);
}

sub figure13 {
    my ($s) = @_;
    my @keys = @{ $s->{many} };
    my $n = most($s, @keys);
    my $both = sub { my ($key) = @_; all_of(map { trend($s, $_)->($key) } @BOTH) };
    my @plots = map { my $key = $_; lines($s->{label}->($key), 'nodes', "$s->{unit} per node", [curves([$s->{nodes}->($key)],
        sub { $s->{cell}->($key, @_, 'page') }, map { [$_, $SHOWN{$_}] } @BOTH)], $s->{id} ? () : (logy => 1)) } @keys;
    return figure($s, 13, 'Time in page fetches', plots => \@plots, table => node_table($s, \@keys, 'page', $s->{unit}, @BOTH),
        claims => [count_claim($s, "With most nodes ($n) less by ARDMAR than by ASYNC", less_in($s, 'page', $n, reverse @BOTH), @keys),
            count_claim($s, 'It grows with the nodes in Barnes, RS and IS by both', $both, only('barnes|radix|is', @keys)),
            count_claim($s, 'By ARDMAR it falls with the nodes in 3DFFT and Water', trend($s, 'ardmar', 1), only('fft3d|water', @keys))]);
}

sub figure14 {
    my ($s) = @_;
    my @keys = @{ $s->{one} };
    my $n = most($s, @keys);
    return figure($s, 14, 'Page faults', plots => [key_bars($s, "Page faults, $n nodes", 'per node', \@keys, sub { my ($key, $p) = @_;
            $s->{cell}->($key, $p, $n, 'faults') }, @BOTH)],
        table => node_table($s, \@keys, 'faults', 'faults', @BOTH),
        claims => [count_claim($s, 'ARDMAR has more of them in 3DFFT and Water', less_in($s, 'faults', $n, @BOTH), only('fft3d|water', @keys))]);
}

sub figures {
    my ($s) = @_;
    return () if $s->{id} && !@{ $s->{all} };
    return map { $_->($s) } \&figure9, \&figure10, \&figure11, \&figure12, \&figure13, \&figure14;
}

1;
