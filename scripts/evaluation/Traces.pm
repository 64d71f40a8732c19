# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Traces - programs that are traced here and run again on machines that are not here: what is recorded, replayed and grown, in
# order, and what came of it, in the file DIR/replays.jsonl, a line each when it is done.
#
# A step: name, by which figures find it; kind (trace, run, times, replay, grown, load); and what it depends on. Its key is a digest of
# all that decides what comes of it - command, machine, law, traces, simulator -, so that only what has changed is done again.
# A trace is recorded once, and again with --fresh.

package Traces;

use strict;
use warnings;
use Digest::MD5;
use Plan;
use Run;
use Runs;

# As the paper's protocols: no page is opened or left open ahead, none is hidden, no home moves. hlrc_sim grow needs the same.
my @PLAIN = ('--ahead', 0, '--renew', 0, '--hot-pages', 0, '--exclusive-pages', 'off', '--lazy-release', 0, '--move-homes', 'off');

# For replays with a job's own options.
my @ALL = ('--trace-sim-detail', 'all');

# The paper's small size where a trace of sixteen nodes on two cores takes seconds, else a smaller one.
our %SIZE = (barnes => 4096, radix => 524288, is => '2^21', fft3d => '64^3', water => 1728);

# Programs with a law, what they are run with, and the numbers of nodes that they are grown to: what a replay of takes less than
# half a minute and 2 GB. Node 0 looks at the whole grid or matrix in the end of SOR and LU, which is left out with more nodes. CG has
# 128 parts to deal, and Water of this size 100.
our @GROWN = qw(sor is fft3d gauss radix lu cg water);
our %GROWN = (
    sor   => { name => 'SOR 1,024', args => ['--size', 1024, '--sweeps', 10, '--no-verify'], set => ['sweeps=10'], grow => ['verify=0'],
               most => 1024, others => ['async', 'onesided'] },
    is    => { name => 'IS class W', args => ['--class', 'W'], set => [], most => 256, others => ['async', 'onesided'] },
    fft3d => { name => '3DFFT 64^3', args => ['--grid', '64^3'], set => [], most => 1024 },
    gauss => { name => 'Gauss 512', args => ['--size', 512], set => [], most => 256 },
    radix => { name => 'Radix 2^20', args => ['--keys', '2^20'], set => [], most => 512 },
    lu    => { name => 'LU 1,024', args => ['--size', 1024, '--no-verify'], set => [], grow => ['look=0'], most => 1024 },
    cg    => { name => 'CG class W', args => ['--class', 'W', '--iterations', 3, '--no-verify'],
               set => ['rows=7000', 'elements=508402', 'iterations=3'], most => 128 },
    water => { name => 'Water 10,648', args => ['--molecules', 10648, '--no-verify'], set => [], most => 64 },
);
my %TINY = (name => 'SOR 200', args => ['--size', 200, '--sweeps', 5, '--no-verify'], set => ['size=200', 'sweeps=5'],
    grow => ['verify=0'], most => 16, others => ['async', 'onesided']);

our @MACHINES = qw(infiniband-2004 infiniband-ndr);
our $SLOWER = 4; # times as long for computing
our $TURNS = 7;  # runs of each protocol, of which the median is taken

sub grown { my ($opt) = @_; return $opt->{tiny} ? (sor => \%TINY) : map { $_ => $GROWN{$_} } @GROWN }
sub few { my ($opt) = @_; return $opt->{tiny} ? (2, 3, 4) : (2, 4, 8) }
sub paper_nodes { my ($opt) = @_; return grep { $_ > 1 && $_ <= 64 } @{ $opt->{nodes} } }

# ---- Steps ----

sub trace {
    my ($opt, $name, $nodes, $options, @program) = @_;
    my ($program, @args) = @program;
    return { name => "trace/$name", kind => 'trace', file => 'traces/' . $name =~ tr{/}{-}r, guess => 0.5 + 0.2 * $nodes,
        command => ["$opt->{build}/hlrcrun", '-n', $nodes, '--protocol', 'ardmar', @$options, '--trace-sim-size', '256M'],
        program => ["$opt->{build}/$program", @args] };
}

sub replay {
    my ($opt, $name, $trace, $machine, $protocol) = @_;
    return { name => "replay/$machine/$protocol/$name", kind => 'replay', of => [$trace], guess => 0.2, machine => $machine,
        protocol => $protocol };
}

sub app_size { my ($opt, $app) = @_; return $opt->{tiny} ? $Plan::APP{$app}{size}{tiny} : $SIZE{$app} }

sub app_steps {
    my ($opt) = @_;
    my @steps;
    for my $app (@Plan::APPS) {
        my @program = ("apps/$app", $Plan::APP{$app}{option}, app_size($opt, $app), '--no-verify', '--no-hints');
        for my $n (paper_nodes($opt)) {
            my $trace = trace($opt, "paper/$app/$n", $n, \@PLAIN, @program);
            push @steps, $trace, map { my $machine = $_; map { replay($opt, "$app/$n", $trace, $machine, $_) } qw(async ardmar) }
                'infiniband-2004', 'slower';
        }
    }
    return @steps;
}

sub page_steps {
    my ($opt) = @_;
    return map {
        my $n = $_;
        my $trace = trace($opt, "page/$n", $n, \@PLAIN, 'microbench/pagefetch', qw(--only sequential --states cold --repetitions 1
            --warmup 1), $opt->{tiny} ? ('--pages', 64) : ());
        ($trace, map { replay($opt, "page/$n", $trace, 'infiniband-2004', $_) } qw(async ardmar))
    } paper_nodes($opt);
}

# What replays and runs are compared of: the paper's programs, and those with a law, of which the machine's values know nothing.
# Each by key, name, and what it is run with.
sub compared {
    my ($opt) = @_;
    my @paper = map { my $app = $_; { key => $app, name => $Plan::APP{$app}{name},
        program => ["apps/$app", $Plan::APP{$app}{option}, app_size($opt, $app), '--no-verify', '--no-hints'] } } @Plan::APPS;
    return @paper, map { { key => "law-$_", name => $GROWN{$_}{name}, program => ["apps/$_", @{ $GROWN{$_}{args} }] } }
        $opt->{tiny} ? () : qw(sor gauss lu cg);
}

our @PROTOCOLS = qw(async ardmar onesided);

sub as_job { my ($opt, $protocol, $n, @program) = @_; return (guess => 0.5 + 0.2 * $n,
    command => ["$opt->{build}/hlrcrun", '-n', $n, '--protocol', $protocol], program => ["$opt->{build}/$program[0]", @program[1 .. $#program]]) }

sub job_run {
    my ($opt, $protocol, $c, $n, $turn) = @_;
    return { name => ($turn // 'run') . "/$protocol/$c->{key}/$n", kind => 'run', as_job($opt, $protocol, $n, @{ $c->{program} }) };
}

# Counts: of two runs with a job's own options, and of replays with these of traces that show every access.
sub count_steps {
    my ($opt) = @_;
    return map { my $c = $_; map { my $n = $_;
        my $trace = trace($opt, "all/$c->{key}/$n", $n, \@ALL, @{ $c->{program} });
        ($trace, map { my $p = $_; ({ %{ replay($opt, "$c->{key}/$n", $trace, 'shm-here', $p) }, name => "own/$p/$c->{key}/$n", own => 1 },
            job_run($opt, $p, $c, $n), job_run($opt, $p, $c, $n, 'again')) } @PROTOCOLS)
    } grep { $_ <= 16 } paper_nodes($opt) } compared($opt);
}

# Times: of two nodes, each with a core of its own; how long they compute between is another trace's, with a job's own options.
sub time_steps {
    my ($opt) = @_;
    my @two = grep { $_ == 2 } paper_nodes($opt);
    return map { my $c = $_; map { my $n = $_;
        my $pages = trace($opt, "all/$c->{key}/$n", $n, \@ALL, @{ $c->{program} });
        my $times = trace($opt, "own/$c->{key}/$n", $n, [], @{ $c->{program} });
        ($times, map({ { %{ replay($opt, "$c->{key}/$n", $pages, 'shm-here', $_) }, name => "timed/$_/$c->{key}/$n", own => 1,
            of => [$pages, $times] } } @PROTOCOLS),
            { %{ job_run($opt, 'PROTOCOL', $c, $n) }, name => "times/$c->{key}/$n", kind => 'times', guess => 8,
              turns => $opt->{tiny} ? 1 : $TURNS })
    } @two } compared($opt);
}

sub growth_steps {
    my ($opt) = @_;
    my %programs = grown($opt);
    my @steps;
    for my $name (grep { $programs{$_} } @GROWN) {
        my $p = $programs{$name};
        my @traces = map { trace($opt, "law/$name/$_", $_, \@PLAIN, "apps/$name", @{ $p->{args} }) } few($opt);
        my %law = (law => $name, set => $p->{set}, grow => $p->{grow} // [], others => $p->{others} // [], of => \@traces);
        push @steps, @traces;
        if (!$opt->{tiny}) {
            my $check = trace($opt, "law/$name/16", 16, \@PLAIN, "apps/$name", @{ $p->{args} });
            push @steps, $check, replay($opt, "law/$name/16", $check, 'infiniband-2004', 'ardmar'),
                { name => "grown/$name/16", kind => 'grown', nodes => 16, guess => 1, %law };
        }
        for (my $n = $opt->{tiny} ? 8 : 32; $n <= $p->{most}; $n *= 2) {
            push @steps, { name => "load/$name/$n", kind => 'load', nodes => $n, guess => $n / 30, %law, $n > 256 ? (others => []) : () };
        }
    }
    return @steps;
}

sub steps {
    my ($opt) = @_;
    my %seen;
    return grep { !$seen{ $_->{name} }++ } page_steps($opt), app_steps($opt), growth_steps($opt), count_steps($opt), time_steps($opt);
}

# ---- What came of them ----

sub load {
    my ($dir) = @_;
    my ($good, @lines) = read_lines("$dir/replays.jsonl");
    return @lines ? { map { ($_->{name} => $_) } @lines } : undef;
}

# For which numbers of nodes there is a line NAME/NODES, ascending.
sub nodes_of {
    my ($lines, $name) = @_;
    my @nodes = sort { $a <=> $b } map { m{^\Q$name\E/(\d+)$} ? $1 : () } keys %$lines;
    return @nodes;
}

sub content { my ($file) = @_; open my $in, '<:raw', $file or die "$file: $!\n"; local $/; return scalar <$in> }

sub digest { return Digest::MD5::md5_hex(join "\0", @_) }

sub machine_file {
    my ($set, $name) = @_;
    return "$set->{top}/share/machines/$name" if $name ne 'slower';
    my $text = content("$set->{top}/share/machines/infiniband-2004");
    $text =~ s/^(compute_percent\s+)(\d+)/$1 . $2 * $SLOWER/me;
    open my $out, '>', "$set->{work}/slower" or die "$set->{work}/slower: $!\n";
    print $out $text;
    close $out or die "$set->{work}/slower: $!\n";
    return "$set->{work}/slower";
}

# What decides what comes of a step; traces have been recorded.
sub key {
    my ($set, $s) = @_;
    return digest(map { s{^\Q$set->{build}\E/}{}r } @{ $s->{command} }, @{ $s->{program} }) if $s->{command};
    my @files = (map({ "$set->{dir}/$_->{file}" } @{ $s->{of} }), map { machine_file($set, $_) } machines_of($s));
    return digest($set->{simulator}, $s->{name}, @{ $s->{others} // [] }, @{ $s->{set} // [] }, @{ $s->{grow} // [] }, map { digest(content($_)) } @files);
}

sub machines_of {
    my ($s) = @_;
    return $s->{kind} eq 'replay' ? $s->{machine} : $s->{kind} eq 'grown' ? 'infiniband-2004' : @MACHINES;
}

# Of hlrc_sim replay, by name: what was replayed, and what was traced.
sub replayed {
    my (%values, %traced);
    for (csv_rows(@_)) {
        my ($name, $here, $there) = @$_{qw(what replayed traced)};
        $values{$name} = $here + 0;
        $traced{$name} = $there + 0 if $there ne '';
    }
    return { values => \%values, traced => \%traced };
}

# Of hlrc_sim load.
sub loaded {
    my ($row) = csv_rows(@_);
    delete $row->{trace};
    return { map { $_ => $row->{$_} + 0 } keys %$row };
}

# Counts of all nodes, with the names that a replay has.
sub counted {
    my ($file) = @_;
    my $stats = read_json($file) // die "no counters were written\n";
    my %sum;
    for my $node (@{ $stats->{per_node} }) { $sum{$_} += $node->{$_} for grep { $_ ne 'node' && !/_s$/ } keys %$node }
    return { values => \%sum };
}

sub command {
    my ($set, @command) = @_;
    my $status = Run::command($set, $set->{waiting}, @command);
    die Run::why($set, $status) . "\n" if $status != 0;
    return content("$set->{work}/output");
}

sub grow {
    my ($set, $s, @more) = @_;
    command($set, $set->{sim}, 'grow', '--law', $s->{law}, map({ ('--set', $_) } @{ $s->{set} }),
        map({ "$set->{dir}/$_->{file}" } @{ $s->{of} }), '--nodes', $s->{nodes}, @more, '-o', "$set->{work}/grown");
    return "$set->{work}/grown";
}

my %DO = (
    trace => sub {
        my ($set, $s) = @_;
        my $file = "$set->{dir}/$s->{file}";
        command($set, @{ $s->{command} }, '--trace-sim', "$file.new", @{ $s->{program} });
        rename "$file.new", $file or die "no trace was written\n";
        return { digest => digest(content($file)) };
    },
    run => sub {
        my ($set, $s) = @_;
        command($set, @{ $s->{command} }, "--stats=$set->{work}/stats.json", @{ $s->{program} });
        return counted("$set->{work}/stats.json");
    },
    replay => sub {
        my ($set, $s) = @_;
        my ($pages, $times) = map { "$set->{dir}/$_->{file}" } @{ $s->{of} };
        return replayed(command($set, $set->{sim}, 'replay', '--machine', machine_file($set, $s->{machine}), '--protocol',
            $s->{protocol}, $s->{own} ? '--default-options' : (), $times ? ('--times', $times) : (), $pages));
    },
    times => sub {
        my ($set, $s) = @_;
        my %ms;
        for my $turn (1 .. $s->{turns}) {
            for my $protocol (@PROTOCOLS) {
                command($set, map({ s/^PROTOCOL$/$protocol/r } @{ $s->{command} }), "--stats=$set->{work}/stats.json", @{ $s->{program} });
                push @{ $ms{$protocol} }, 1000 * (read_json("$set->{work}/stats.json") // die "no counters were written\n")->{wall_s};
            }
        }
        return { ms => { map { my @sorted = sort { $a <=> $b } @{ $ms{$_} }; $_ => $sorted[$#sorted / 2] } keys %ms } };
    },
    grown => sub {
        my ($set, $s) = @_;
        my $file = grow($set, $s, '--traced-options');
        return replayed(command($set, $set->{sim}, 'replay', '--machine', machine_file($set, 'infiniband-2004'), $file));
    },
    load => sub {
        my ($set, $s) = @_;
        my $file = grow($set, $s, map { ('--grow', $_) } @{ $s->{grow} });
        my %by = map { my $protocol = $_; $protocol => { map { $_ => loaded(command($set, $set->{sim}, 'load', '--machine',
            machine_file($set, $_), '--protocol', $protocol, $file)) } @MACHINES } } 'ardmar', @{ $s->{others} };
        unlink $file;
        return { on => $by{ardmar}, by => \%by };
    },
);

sub is_done {
    my ($set, $s, $old) = @_;
    return 0 if !$old || $old->{key} ne key($set, $s);
    return $s->{kind} ne 'trace' || -e "$set->{dir}/$s->{file}";
}

# Does what is not done yet. SET: top, build, dir, work, timeout, waiting, told (a sub that is called with how many are done, of
# how many, and the name of the next). Dies with a line where one fails.
sub make {
    my ($set, @steps) = @_;
    my $done = load($set->{dir}) // {};
    my $number = 0;
    $set->{sim} = "$set->{build}/hlrc_sim";
    $set->{simulator} = digest(content($set->{sim}));
    my $file = "$set->{dir}/replays.jsonl";
    my $out = append_to($file, (read_lines($file))[0]) // die "$file: $!\n";
    for my $s (@steps) {
        $set->{told}->($number++, $s, @steps);
        next if is_done($set, $s, $done->{ $s->{name} });
        my $got = eval { $DO{ $s->{kind} }->($set, $s) } // die "$s->{name}: $@";
        my $line = { name => $s->{name}, key => key($set, $s), %$got };
        append_line($out, $line);
        $done->{ $s->{name} } = $line;
    }
}

1;
