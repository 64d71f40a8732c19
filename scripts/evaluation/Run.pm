# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Run - runs one experiment of Plan, and makes rows of what it wrote: { metric, unit, median, and of microbenchmarks mean, p10,
# p90, count; shape: what the metric is of }.

package Run;

use strict;
use warnings;
use Runs;

my @GUEST_FABRICS = qw(verbs ofi);
my $CANNOT = 77; # status of scripts/rdma-guest on a machine that has no guest

sub micro_rows {
    my ($json) = @_;
    return map {
        my $result = $_;
        my %of = map { $_ => $result->{$_} } qw(unit median mean p10 p90 count);
        my %shape = map { $_ => $result->{$_} }
            grep { !ref $result->{$_} && !/^(name|unit|load|median|mean|min|max|count|p\d+)$/ } keys %$result;
        { metric => $result->{name}, %of, shape => \%shape }
    } @{ $json->{results} };
}

# Of fault, which has names of its own.
sub floor_rows {
    my ($json) = @_;
    return map { { metric => $_, unit => 'us', median => $json->{$_} + 0, shape => {} } }
        grep { /_us$/ && !ref $json->{$_} } sort keys %$json;
}

# Averages of the nodes: seconds of a node, counts of a node.
sub app_rows {
    my ($result, $stats) = @_;
    my @rows = { metric => 'time', unit => 's', median => $result->{time_s}, shape => {} };
    return @rows if !$stats;
    my @nodes = @{ $stats->{per_node} };
    for my $name (sort keys %{ $nodes[0] }) {
        next if $name eq 'node';
        my $sum = 0;
        $sum += $_->{$name} for @nodes;
        push @rows, { metric => $name, unit => $name =~ /_s$/ ? 's' : 'count', median => $sum / @nodes, shape => {} };
    }
    return @rows;
}

# Of the files that guest/put-get has left.
sub guest_rows {
    my ($set) = @_;
    my @rows;
    for my $fabric (@GUEST_FABRICS) {
        for my $json (map { read_json("$set->{work}/$fabric.$_.json") // {} } qw(get put)) {
            push @rows, map { $_->{shape}{fabric} = $fabric; $_ } micro_rows($json);
        }
    }
    return @rows;
}

# The drawings of fetches and traffic that hlrcrun --profile has made.
sub maps {
    my ($page) = @_;
    my %map = map { /data-map="(\w+)"/ ? ($1 => $_) : () } $page =~ /(<svg .*?<\/svg>)/gs;
    my @maps = map { $map{$_} // () } qw(fetches traffic);
    s/ data-map="\w+"// for @maps;
    return \@maps;
}

sub mpi_rows {
    my ($text) = @_;
    return map { /^(?:(.+)\|)?([0-9.]+)$/ ? { metric => $1 // 'barriers', unit => 'us', median => $2 + 0, shape => {} } : () }
        split /\n/, $text;
}

sub hlrcrun {
    my ($set, $e) = @_;
    return ("$set->{build}/hlrcrun", '-n', $e->{nodes}, '--protocol', $e->{protocol},
        defined $set->{fabric} ? ('--fabric', $set->{fabric}) : (), @{ $e->{job} // [] });
}

sub app_command {
    my ($set, $e) = @_;
    my $app = $Plan::APP{ $e->{app} };
    my $suffix = { sequential => '_seq', native => '_native' }->{ $e->{protocol} } // '';
    my @program = ("$set->{build}/apps/$e->{program}$suffix", @{ $app->{arguments} // [] }, $app->{option}, $app->{size}{ $e->{size} },
        '--json', "$set->{work}/json");
    return @program if $suffix;
    return (hlrcrun($set, $e), "--profile=$set->{work}/profile.html", @program) if $e->{kind} eq 'profile';
    return (hlrcrun($set, $e), "--stats=$set->{work}/stats.json", @program);
}

sub command_of {
    my ($set, $e) = @_;
    my @program = ("$set->{build}/microbench/$e->{program}", @{ $e->{args} // [] }, '--json', "$set->{work}/json");
    return app_command($set, $e) if $e->{app};
    return @program if $e->{kind} eq 'alone';
    return ("$set->{top}/scripts/rdma-guest", qw(--memory 1G --work), $set->{work}, '--timeout', $set->{timeout},
        "$set->{top}/scripts/guest/put-get", @$set{qw(build work)}, @{ $e->{args} }) if $e->{kind} eq 'guest';
    # the window of memory that the machine's own ranks share: the component for one machine
    return (qw(mpirun --oversubscribe --mca osc sm -n), $e->{nodes}, "$set->{mpi}/$e->{program}") if $e->{kind} eq 'mpi';
    return (hlrcrun($set, $e), @program);
}

# Runs a command. WAITING is called now and then.
sub command {
    my ($set, $waiting, @command) = @_;
    my %how = (timeout => $set->{timeout}, waiting => $waiting);
    return run_command({ output => "$set->{work}/output", errors => "$set->{work}/errors", %how }, @command);
}

sub why {
    my ($set, $status) = @_;
    my ($last) = reverse grep { /\S/ } split /\n/, file_text("$set->{work}/errors");
    return $status == 124 ? "took longer than $set->{timeout} s" : $status ? "status $status" . ($last ? ": $last" : '')
        : 'wrote no figures';
}

# What was measured: { rows, fabric, of a profile maps }, { failed }, or { left_out }: why this machine cannot.
sub experiment {
    my ($set, $e, $waiting) = @_;
    my ($out, $counters, $profile) = map { "$set->{work}/$_" } qw(json stats.json profile.html);
    unlink $out, $counters, $profile, map { my $fabric = $_; map { "$set->{work}/$fabric.$_.json" } qw(get put) } @GUEST_FABRICS;
    local @ENV{qw(OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM NATIVE_NODES)} = (1, 1, $e->{nodes});
    my $status = command($set, $waiting, command_of($set, $e));
    return { rows => [], left_out => why($set, $status), fabric => 'none' } if $e->{kind} eq 'guest' && $status == $CANNOT;
    my $json = $e->{kind} eq 'mpi' ? undef : read_json($out);
    my $stats = read_json($counters);
    my @rows = $status != 0 ? () : $e->{kind} eq 'mpi' ? mpi_rows(file_text("$set->{work}/output"))
        : $e->{kind} eq 'guest' ? guest_rows($set) : !$json ? () : $e->{app} ? ($json->{verified} ? app_rows($json, $stats) : ())
        : $json->{results} ? micro_rows($json) : floor_rows($json);
    return { failed => why($set, $status) } if !@rows;
    my %maps = $e->{kind} eq 'profile' ? (maps => maps(file_text($profile))) : ();
    return { rows => \@rows, %maps, fabric => ($stats // $json // {})->{fabric} // 'none' };
}

1;
