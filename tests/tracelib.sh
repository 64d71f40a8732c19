# SPDX-License-Identifier: LGPL-2.1-or-later
# For the tests that look at timelines (--trace); sourced, behind a library that has fail. What reads them is perl's JSON::PP,
# which knows nothing of HLRC.

perl=${PERL:-perl}
"$perl" -MJSON::PP -e1 2>/dev/null || { echo "skipped: no perl with JSON::PP"; exit 77; }

# trace_check WHAT FILE [STATS [SLACK]]: events as the format has them; spans of a thread nest; each arrow has two ends in
# spans, of which the first begins earlier; a lock is held by one node at a time, and nobody leaves a barrier before all have
# come, by more than SLACK ns; and what is counted is what the statistics of the same job say. Writes what there is of each
# name to $work/names, as "node name count".
trace_check() {
    "$perl" - "${@:2}" >"$work/checked" 2>&1 <<'END' || fail "$1: $(head -n 5 "$work/checked")"
use strict;
use warnings;
use JSON::PP;

my ($file, $stats, $slack) = @ARGV;
$slack //= 0;
sub text { open my $in, '<', $_[0] or die "$_[0]: $!\n"; local $/; return scalar <$in> }
my $trace = decode_json(text($file));
my $other = $trace->{otherData};
my $whole = $other->{complete} && !grep { $_->{dropped} } @{ $other->{per_node} };
my (%lanes, %count, %flow, %held, %barrier, %named);
my ($failures, $arrows) = (0, 0);
sub wrong { print "@_\n"; exit 1 if ++$failures > 9 }
sub ns { $_[0] =~ /^[0-9]+\.[0-9]{3}$/ or wrong("no time in us: $_[0]"); return int($_[0] * 1000 + 0.5) }

# numbers as they stand in the file: what JSON::PP makes of them loses the last zero
my $text = text($file);
wrong('a time is negative, or has not three decimals') if $text =~ /"(?:ts|dur)":(?![0-9]+\.[0-9]{3}[,}])/;
sub time_of { return int($_[0] * 1000 + 0.5) }

for my $e (@{ $trace->{traceEvents} }) {
    my $ph = $e->{ph};
    if ($ph eq 'M') {
        $named{ $e->{pid} }{ $e->{tid} } = $e->{args}{name} if $e->{name} eq 'thread_name';
        next;
    }
    my $lane = "$e->{pid}.$e->{tid}";
    my $at = time_of($e->{ts});
    if ($ph eq 'X') {
        my $span = { begin => $at, end => $at + time_of($e->{dur}), e => $e };
        push @{ $lanes{$lane} }, $span;
        $count{ $e->{pid} }{ $e->{name} }++;
        $barrier{ $e->{args}{number} }{ $e->{pid} }{left} = $span->{end} if $e->{name} eq 'barrier';
        $barrier{ $e->{args}{number} }{ $e->{pid} }{came} //= $span->{begin} if $e->{name} =~ /barrier$/;
        $barrier{ $e->{args}{number} }{ $e->{pid} }{came} = $span->{begin} if $e->{name} eq 'arrive at barrier';
        wrong("no name of thread $lane") if !$named{ $e->{pid} }{ $e->{tid} };
    } elsif ($ph eq 's' || $ph eq 'f') {
        wrong("arrow $e->{id}: two ends $ph") if $flow{ $e->{id} }{$ph};
        $flow{ $e->{id} }{$ph} = { at => $at, lane => $lane, name => $e->{name}, node => $e->{pid} };
    } elsif ($ph eq 'b' || $ph eq 'e') {
        my $list = $held{"$e->{pid} $e->{id2}{local}"} //= [];
        if ($ph eq 'b') { push @$list, [$at]; next }
        wrong("lock $e->{id2}{local} is let go of, and not held") if !@$list || defined $list->[-1][1];
        $list->[-1][1] = $at if @$list;
    } else {
        wrong("an event '$ph'");
    }
}

# spans of a thread
for my $lane (keys %lanes) {
    my @open;
    for my $s (sort { $a->{begin} <=> $b->{begin} || $b->{end} <=> $a->{end} } @{ $lanes{$lane} }) {
        pop @open while @open && $open[-1]{end} <= $s->{begin};
        wrong("$lane: $s->{e}{name} at $s->{begin} ends behind $open[-1]{e}{name} around it")
            if @open && $s->{end} > $open[-1]{end};
        push @open, $s;
    }
}

# arrows: the innermost span around each end
sub around {
    my ($end) = @_;
    my $found;
    for my $s (@{ $lanes{ $end->{lane} } }) {
        next if $s->{begin} > $end->{at} || $s->{end} < $end->{at};
        $found = $s if !$found || $s->{end} - $s->{begin} <= $found->{end} - $found->{begin};
    }
    return $found;
}
my %from = (
    grant => qr/^grant$/, signal => qr/^wake$/, changes => qr/^(?:diff|close interval)$/
);
my %to = (
    grant => qr/^(?:lock|lock again|lock of heap)$/, signal => qr/^wait for signal$/, changes => qr/^fetch(?: ahead)?$/
);
my %ends;
my $looked = 0;
for my $id (sort { $a <=> $b } keys %flow) {
    my ($s, $f) = @{ $flow{$id} }{qw(s f)};
    if (!$s || !$f) { wrong("arrow $id has one end"); next }
    $arrows++;
    $ends{ $s->{name} }++;
    wrong("arrow $id begins at $s->{at}, ends at $f->{at}") if $s->{at} > $f->{at};
    next if ++$looked > 300;
    my ($a, $b) = (around($s), around($f));
    if (!$a || !$b) { wrong("arrow $id, $s->{name}: an end is in no span"); next }
    # at the very moment another span may begin within
    wrong("arrow $id, $s->{name}: from $a->{e}{name}") if $a->{e}{name} !~ $from{ $s->{name} } && $a->{begin} != $s->{at};
    if ($s->{name} eq 'changes' && $a->{e}{name} eq 'diff' && $b->{e}{name} =~ $to{changes}) {
        wrong("arrow $id: page $a->{e}{args}{page} to page $b->{e}{args}{page}")
            if $a->{e}{args}{page} != $b->{e}{args}{page};
        wrong("arrow $id: changes from a node to itself") if $s->{node} == $f->{node};
    }
}
wrong("arrows: $arrows, said to be $other->{arrows}") if $arrows != $other->{arrows};

# one node at a time
my %all;
for my $key (keys %held) {
    my ($node, $lock) = split / /, $key;
    push @{ $all{$lock} }, map { [@$_, $node] } @{ $held{$key} };
}
for my $lock (keys %all) {
    my $last;
    for my $h (sort { $a->[0] <=> $b->[0] } @{ $all{$lock} }) {
        if (!defined $h->[1]) { wrong("lock $lock is held at the end") if $whole; next }
        wrong("lock $lock: node $h->[2] has it at $h->[0], node $last->[2] until $last->[1]")
            if $last && $h->[0] + $slack < $last->[1];
        $last = $h if !$last || $h->[1] > $last->[1];
    }
}
for my $number (keys %barrier) {
    my ($came, $left) = (0, 9e18);
    for my $s (values %{ $barrier{$number} }) {
        $came = $s->{came} if $s->{came} > $came;
        $left = $s->{left} if defined $s->{left} && $s->{left} < $left;
    }
    wrong("barrier $number: left at $left, a node came at $came") if $left + $slack < $came;
}

# counts
sub of { my ($node, @names) = @_; my $sum = 0; $sum += $count{$node}{$_} // 0 for @names; return $sum }
if ($stats && $stats ne '-') {
    my ($messages, $served) = (0, 0);
    for my $n (@{ decode_json(text($stats))->{per_node} }) {
        my %is = (
            page_fetches => of($n->{node}, 'fetch', 'fetch ahead'),
            lock_acquires => of($n->{node}, 'lock'),
            barriers => of($n->{node}, 'barrier', 'barrier of group'),
            diffs => of($n->{node}, 'diff'),
            read_faults => of($n->{node}, 'read fault'),
            write_faults => of($n->{node}, 'write fault'),
        );
        for my $what (sort keys %is) {
            wrong("node $n->{node}: $is{$what} events, $n->{$what} $what") if $is{$what} != $n->{$what};
        }
        $messages += $n->{messages};
        $served += $count{ $n->{node} }{$_} for grep { /^serve|^apply diffs/ } keys %{ $count{ $n->{node} } };
    }
    wrong("$messages messages, $served served") if $messages != $served;
}
if ($whole && $other->{arrows_left_out} == 0) {
    my ($grants, $wakes) = (0, 0);
    for (keys %count) { $grants += of($_, 'grant'); $wakes += of($_, 'wake') }
    wrong("$grants grants, " . ($ends{grant} // 0) . ' taken') if $grants != ($ends{grant} // 0);
    wrong("$wakes wakes, " . ($ends{signal} // 0) . ' awaited') if $wakes != ($ends{signal} // 0);
}
exit 1 if $failures;
open my $names, '>', "$ENV{work}/names" or die;
for my $node (sort { $a <=> $b } keys %count) {
    print $names "$node $_ $count{$node}{$_}\n" for sort keys %{ $count{$node} };
}
print $names "all arrow $_ $ends{$_}\n" for sort keys %ends;
for my $node (sort { $a <=> $b } keys %named) {
    print $names "$node thread $named{$node}{$_}\n" for sort { $a <=> $b } keys %{ $named{$node} };
}
END
}
