# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Results - the file of a run: JSON, one object a line. The first says of which plan; each other one is a measurement, appended
# by one write when it is done. So whatever ends a run leaves whole lines and at most one torn one, which is cut off before
# more are appended. What figures are made of is the same in whatever order the lines stand.

package Results;

use strict;
use warnings;
use Options;
use Runs;

# The median, least and largest of the turns.
sub spread {
    my @sorted = sort { $a <=> $b } @_;
    return @sorted ? { mid => median(@sorted), lo => $sorted[0], hi => $sorted[-1], turns => scalar @sorted } : undef;
}

sub is_text { return defined $_[0] && !ref $_[0] && $_[0] ne '' }
sub is_number { return is_text($_[0]) && $_[0] =~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/i }

sub is_row {
    my ($row) = @_;
    return ref $row eq 'HASH' && is_text($row->{metric}) && (!defined $row->{shape} || ref $row->{shape} eq 'HASH')
        && !grep({ ref } values %{ $row->{shape} // {} }) && !grep { defined $row->{$_} && !is_number($row->{$_}) } qw(median mean p10 p90 count);
}

# Whether another program has left the line as this one writes it.
sub is_measurement {
    my ($m) = @_;
    return is_text($m->{id}) && is_number($m->{turn}) && !grep({ !is_text($m->{$_}) } qw(kind machine kernel cores at))
        && !grep({ ref $m->{$_} && ref $m->{$_} ne 'ARRAY' } keys %$m) && (ref($m->{rows} // []) eq 'ARRAY')
        && !grep { !is_row($_) } @{ $m->{rows} // [] };
}

# { plan, quick, done: by "ID#TURN" the measurements, good: bytes of whole lines }; undef: there is no file, or none that is begun.
sub load {
    my ($file) = @_;
    my ($good, $first, @measured) = read_lines($file);
    for my $i (0 .. $#measured) {
        is_measurement($measured[$i])
            or fail("$file: line @{[$i + 2]} is no measurement; remove that line, or measure again with --fresh");
    }
    return defined $first && is_text($first->{plan})
        ? { plan => $first->{plan}, quick => $first->{quick}, done => { map { ("$_->{id}#$_->{turn}" => $_) } @measured }, good => $good } : undef;
}

# ---- What figures ask for ----

# Of load's: measurements that succeeded, by experiment, in the order of turns.
sub new {
    my ($class, $loaded) = @_;
    my $self = bless { plan => $loaded->{plan}, quick => $loaded->{quick}, all => [], of => {} }, $class;
    my @all = sort { $a->{id} cmp $b->{id} || $a->{turn} <=> $b->{turn} } values %{ $loaded->{done} };
    for my $m (@all) {
        push @{ $self->{all} }, $m;
        push @{ $self->{of}{ $m->{id} } }, $m if !$m->{failed};
    }
    return $self;
}

sub has { my ($self, $id) = @_; return exists $self->{of}{$id} }
sub ids { my ($self) = @_; return sort keys %{ $self->{of} } }

# Numbers, such as of nodes, that PATTERN finds in the names of experiments, ascending.
sub numbers {
    my ($self, $pattern) = @_;
    my %seen = map { /$pattern/ ? ($1 => 1) : () } $self->ids;
    my @numbers = sort { $a <=> $b } keys %seen;
    return @numbers;
}

sub fits {
    my ($row, $metric, $shape) = @_;
    return $row->{metric} eq $metric
        && !grep { !defined $row->{shape}{$_} || $row->{shape}{$_} ne $shape->{$_} } keys %$shape;
}

# The spread of the turns' VALUE ("median" or "mean"); undef: not measured.
sub cell_of {
    my ($self, $value, $id, $metric, %shape) = @_;
    return spread(map { $_ ? $_->{$value} // () : () } $self->rows($id, $metric, %shape));
}

sub cell { my ($self, @what) = @_; return $self->cell_of('median', @what) }

# The row of each turn, undef where it has none.
sub rows {
    my ($self, $id, $metric, %shape) = @_;
    return map { my ($row) = grep { fits($_, $metric, \%shape) } @{ $_->{rows} }; $row } @{ $self->{of}{$id} // [] };
}

# The same of numbers that FROM makes of each turn's rows: a hash by metric.
sub cell_from {
    my ($self, $from, $id, $metrics, %shape) = @_;
    my @rows = map { [$self->rows($id, $_, %shape)] } @$metrics;
    return spread(map { my $turn = $_; grep { defined } $from->(map { $_->[$turn] } @rows) } 0 .. $#{ $rows[0] });
}

# All values that NAME of the shape takes for METRIC, ascending.
sub values_of {
    my ($self, $id, $metric, $name) = @_;
    my %seen;
    for my $m (@{ $self->{of}{$id} // [] }) {
        $seen{ $_->{shape}{$name} } = 1 for grep { $_->{metric} eq $metric && defined $_->{shape}{$name} } @{ $m->{rows} };
    }
    return sort { $a <=> $b } keys %seen;
}

# ---- CSV ----

my @COLUMNS = qw(experiment turn kind program nodes protocol app size options metric unit shape median mean p10 p90 count failed
    machine cpu cores architecture kernel fabric load version at seconds);

sub quoted {
    my ($text) = map { $_ // '' } @_;
    $text =~ s/"/""/g;
    return $text =~ /[",\n]/ ? "\"$text\"" : $text;
}

sub csv {
    my ($self) = @_;
    my $text = join(',', @COLUMNS) . "\n";
    for my $m (@{ $self->{all} }) {
        for my $row (@{ $m->{rows} // [ {} ] }) {
            my %of = (%$m, experiment => $m->{id}, options => join(' ', @{ $m->{job} // [] }, @{ $m->{args} // [] }), %$row);
            my $shape = $row->{shape} // {};
            $of{shape} = join ' ', map { "$_=$shape->{$_}" } sort keys %$shape;
            $text .= join(',', map { quoted($of{$_}) } @COLUMNS) . "\n";
        }
    }
    return $text;
}

1;
