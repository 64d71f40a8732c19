# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plan - what is measured: a list of experiments, the same for the same options, and the order in which they are run.
#
# An experiment: id, by which figures find it; kind (micro: a program of microbench/ as a job; alone: one without a job; app;
# coherent: without HLRC; mpi; guest: in the guest of scripts/rdma-guest, in one turn; profile: an app whose pages are looked at, in
# one turn); program, nodes, protocol, job (options of hlrcrun), args; app and size; guess, seconds.
# Those whose figures are compared stand beside each other.

package Plan;

use strict;
use warnings;
use Apps;

our @APPS = qw(barnes radix is fft3d water); # the paper's
our @MORE = qw(lu lu_gets gups gups_puts fft3d_gets);
our @ALL = (@APPS, @MORE);
our @SIZES = qw(small large);
our @PROTOCOLS = qw(async ardmar onesided);

our %APP = (%Apps::APP, lu_gets => Apps::variant('lu', 'LU by gets', '--by', 'gets'),
    gups_puts => Apps::variant('gups', 'RandomAccess by puts', '--by', 'puts'), fft3d_gets => Apps::variant('fft3d', '3DFFT by gets', '--by', 'gets'));
for (values %APP) { $_ = { %$_, size => { %{ $_->{size} }, %{ $_->{evaluate} // {} } } } }

# Nodes of the largest job: what the lock and barrier figures are shown for.
sub most { my ($opt) = @_; my ($most) = sort { $b <=> $a } @{ $opt->{nodes} }; return $most }

# Parents and children of a tree node: from 2 (dimension 1) to all.
sub fans {
    my ($nodes, $all) = @_;
    my %wanted = map { $_ => 1 } $all ? (2 .. $nodes) : (2, 3, 4, 5, 9, $nodes);
    return grep { $_ >= 2 && $_ <= $nodes } sort { $a <=> $b } keys %wanted;
}

sub micro {
    my ($id, $program, $nodes, $protocol, $guess, $job, @args) = @_;
    return { id => $id, kind => 'micro', program => $program, nodes => $nodes, protocol => $protocol, job => $job,
             args => \@args, guess => $guess };
}

# As little as can be, for a test of the script; MORE: arguments that only it has; ELSE: those without it.
sub brief { my ($opt, $more, $else) = @_; return $opt->{tiny} ? (qw(--repetitions 3 --warmup 1), @{ $more // [] }) : @{ $else // [] } }

sub network {
    my ($opt) = @_;
    my $most = $opt->{tiny} ? '64' : '4M';
    my @brief = brief($opt);
    return (
        { id => 'floors', kind => 'alone', program => 'fault', nodes => 1,
          args => $opt->{tiny} ? [qw(--pages 64 --rounds 3)] : $opt->{quick} ? [qw(--rounds 10)] : [], guess => 1 },
        micro('ops', 'ops', 2, 'ardmar', 2, [], @brief, '--sizes', '140,4K'),
        micro('latbw', 'latbw', 2, 'ardmar', 3, [], @brief, '--sizes', "1-$most"));
}

# Two protocols and three nodes, whatever is asked for: the figure is of these.
sub pagefetch {
    my ($opt) = @_;
    my @brief = brief($opt, ['--pages', 64]);
    my %seen;
    my @nodes = grep { $_ > 1 && !$seen{$_}++ } sort { $a <=> $b } 3, @{ $opt->{nodes} };
    return map {
        my $n = $_;
        map { micro("pagefetch/$_/$n", 'pagefetch', $n, $_, 0.5 * $n, [], @brief, '--only', 'sequential') } qw(async ardmar)
    } @nodes;
}

sub atomics {
    my ($opt) = @_;
    my @brief = brief($opt);
    my @span = $opt->{tiny} ? ('--repetitions', 3, '--delays', '0,100') : ('--delays', '0,10,30,100,300,1000');
    my @words = (micro('words/nic', 'words', 2, 'ardmar', 0.5, [], @brief));
    push @words, micro("words/$_", 'words', 2, 'async', 0.5, ['--handler', $_], @brief) for qw(poll spin-block block);
    my ($least) = grep { $_ >= 2 } sort { $a <=> $b } @{ $opt->{nodes} }, 2;
    my $n = most($opt) > 8 ? 8 : most($opt) < $least ? $least : most($opt);
    push @words, micro("locks/$_", 'locks', $n, 'async', 4, ['--locks', $_], @brief, '--only', 'lock_unlock', '--sizes', "1-$n")
        for qw(mcs manager);
    my @ways = (['nic', 'onesided'], map { [$_, 'async', '--handler', $_] } qw(poll spin-block block));
    for my $way (@ways) {
        my ($name, $protocol, @job) = @$way;
        my @words_lock = (@brief, '--only', 'words');
        push @words, micro("cpu/$name", 'cpu', 2, $protocol, 3, \@job, '--only', 'queue', @span),
            micro("cpu-word/$name", 'cpu', 2, $protocol, 1, \@job, '--only', 'word', @span[0 .. $#span - 1], 0),
            micro("queue/$name", 'locks', $n, $protocol, 2, \@job, @words_lock, '--sizes', "1-$n");
        next if $name eq 'spin-block';
        push @words, micro("send/$name", 'cpu', 3, $protocol, 3, \@job, '--only', 'send', @span);
        push @words, map { micro("queue-$_/$name", 'locks', 2, $protocol, 1, ['--bind', $_, @job], @words_lock, '--sizes', '1,2') } qw(core none);
    }
    for my $n (grep { $_ > 1 } @{ $opt->{nodes} }) {
        push @words, map { micro("$_/$n", 'atomics', $n, 'ardmar', 0.5 + 0.1 * $n, [], @brief, '--only', $_) }
            qw(target_one target_sixteen);
    }
    return @words;
}

sub gets {
    my ($opt) = @_;
    my @sizes = ('--sizes', $opt->{tiny} ? '1K,4K' : '1K,4K,16K,64K,256K,1M,4M');
    my @brief = (brief($opt, [], [qw(--seconds 0.1)]), @sizes);
    return map { micro("gets/$_", 'gets', 2, 'ardmar', 2, [], @brief, '--only', $_) } qw(contiguous strided);
}

# Get and put by the fabric of all jobs, and by TCP; in the guest by RDMA, and by TCP.
sub transfers {
    my ($opt) = @_;
    my $sizes = $opt->{tiny} ? '8,4K' : '8,256,4K,64K,1M';
    my @brief = brief($opt, [], [qw(--seconds 0.1)]);
    my @list = map { my ($id, @job) = @$_; map { micro("rma/$id/$_", 'rma', 2, 'ardmar', 1, \@job, @brief, '--sizes', $sizes, '--only', $_) }
        qw(get put) } ['here'], $opt->{ofi} ? ['tcp', '--fabric', 'ofi'] : ();
    push @list, { id => 'rma/guest', kind => 'guest', once => 1, program => 'rma', nodes => 2, protocol => 'ardmar', guess => 60,
        args => ['--sizes', $sizes, qw(--repetitions 20 --warmup 2 --seconds 2)] } if $opt->{guest};
    return @list;
}

sub barriers {
    my ($opt) = @_;
    my @brief = (brief($opt), '--only', 'barriers');
    my @list;
    for my $n (grep { $_ > 1 } @{ $opt->{nodes} }) {
        my $job = sub { my ($id, @options) = @_; micro("barrier/$id/$n", 'barrier', $n, 'onesided', 0.1 * $n, \@options, @brief) };
        push @list, map { $job->($_, '--barrier', $_) } qw(pairs counter master);
        push @list, map { $job->("tree$_", '--barrier', 'tree', '--barrier-fan', $_) } fans($n, !$opt->{quick});
        push @list, map { my $kind = $_; map { micro("barrier-$kind/$_->[0]/$n", 'barrier', $n, $_->[1], 0.2 * $n, [], @brief[0 .. $#brief - 1],
            "${kind}_words") } ['nic', 'onesided'], ['host', 'async'] } $n & ($n - 1) ? 'gb' : ('pe', 'gb');
        push @list, { id => "mpi_barrier/$n", kind => 'mpi', program => 'mpi_barrier', nodes => $n, guess => 1 } if $opt->{mpi};
    }
    push @list, map { my $kind = $_; map { micro("split-$_/$kind", 'barrier', 2, 'onesided', 0.5, ['--barrier', $kind], @brief[0 .. $#brief - 1],
        $_, '--compute', '0,1,2,5,10,20') } qw(whole split) } qw(pairs counter master);
    return @list;
}

sub others {
    my ($opt) = @_;
    my @brief = brief($opt);
    my @list = $opt->{mpi} ? { id => 'mpi_rma', kind => 'mpi', program => 'mpi_rma', nodes => 2, guess => 1 } : ();
    push @list, micro('page/two', 'pagefetch', 2, 'onesided', 1, [], brief($opt, ['--pages', 64]), '--only', 'sequential');
    for my $n (grep { $_ > 1 } @{ $opt->{nodes} }) {
        push @list, { id => "coherent/$_/$n", kind => 'alone', program => 'coherent', nodes => $n,
                      args => [@brief, '--workers', $n, '--as', $_], guess => 0.5 } for qw(processes threads);
    }
    return @list;
}

# The numbers of nodes of an application: all, or few where it has to be quick. A page says so.
our $QUICK = "large sizes: the paper's applications on the most nodes, the others not at all; small sizes of the others on the "
    . 'fewest and the most nodes; few fans of trees; a third of the samples of floors';

sub app_nodes {
    my ($opt, $app, $size) = @_;
    my @nodes = @{ $opt->{nodes} };
    return @nodes if !$opt->{quick};
    my $of_paper = grep { $_ eq $app } @APPS;
    return $of_paper ? most($opt) : () if $size eq 'large';
    return $of_paper || @nodes < 3 ? @nodes : @nodes[0, -1];
}

sub apps {
    my ($opt) = @_;
    my @list;
    for my $app (@{ $opt->{apps} }) {
        for my $size (@{ $opt->{sizes} }) {
            my %base = (kind => 'app', app => $app, size => $size, program => $APP{$app}{program} // $app);
            my $weight = $opt->{tiny} ? 0.1 : $size eq 'large' ? 3 : 1;
            my @nodes = app_nodes($opt, $app, $size) or next;
            push @list, { %base, id => "app/$app/$size/seq/1", protocol => 'sequential', nodes => 1, guess => 0.5 * $weight };
            for my $n (@nodes) {
                push @list, map { { %base, id => "app/$app/$size/$_/$n", protocol => $_, nodes => $n,
                                    guess => $weight * (0.4 + 0.06 * $n) } } @{ $opt->{protocols} }, 'native';
            }
        }
    }
    return @list;
}

# One job of each application, of a size, a protocol and as many nodes as a picture has room for.
sub profiles {
    my ($opt) = @_;
    my ($protocol) = ((grep { $_ eq 'ardmar' } @{ $opt->{protocols} }), @{ $opt->{protocols} });
    my ($n) = ((grep { $_ > 1 && $_ <= 8 } reverse @{ $opt->{nodes} }), most($opt));
    my $size = $opt->{sizes}[0];
    my %paper = map { $_ => 1 } @APPS;
    return map { { kind => 'profile', once => 1, app => $_, size => $size, program => $APP{$_}{program} // $_,
                   id => "profile/$_/$size/$protocol/$n", protocol => $protocol, nodes => $n, guess => 1 } } grep { $paper{$_} } @{ $opt->{apps} };
}

sub experiments {
    my ($opt) = @_;
    my %part = (micro => [map { $_->($opt) } \&network, \&pagefetch, \&atomics, \&gets, \&transfers, \&barriers, \&others],
        apps => [apps($opt), profiles($opt)]);
    return map { @{ $part{$_} } } @{ $opt->{parts} };
}

# Turn by turn, each of all experiments, every other one backwards: what drifts in the machine hits those early and those late
# in the list alike.
sub turns {
    my ($opt) = @_;
    my @list = experiments($opt);
    return map { my $turn = $_; map { { turn => $turn, experiment => $_ } } grep { $turn == 1 || !$_->{once} }
        $turn % 2 ? @list : reverse @list }
        1 .. $opt->{repeat};
}

1;
