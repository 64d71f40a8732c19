# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tell - numbers as text, and the parts of a figure.
#
# A figure: id, title, source, what (a paragraph), plots (of Plot), table { head, rows }, claims, why (a paragraph). A claim is
# what a paper says, what was measured here, and whether they agree: 'agrees', 'differs', 'unclear' where the turns' spread is
# wider than the difference, 'fitted' where a model was made to agree, '' for figures of another machine, undef where it was not measured.

package Tell;

use strict;
use warnings;
use Exporter qw(import);

our @EXPORT = qw(number span percent points claim verdict below all_of ratio names_of);

# Three digits that count, as many as there are before the point.
sub number {
    my ($x) = @_;
    return '-' if !defined $x;
    return '0' if $x == 0;
    my $size = abs $x;
    return $size >= 100 ? sprintf('%.0f', $x) : $size >= 10 ? sprintf('%.1f', $x) : $size >= 1 ? sprintf('%.2f', $x)
        : sprintf('%.3g', $x);
}

# A median, in brackets the least and the largest of the turns.
sub span {
    my ($cell) = @_;
    return '-' if !$cell;
    return number($cell->{mid}) if $cell->{turns} < 2;
    return number($cell->{mid}) . ' (' . number($cell->{lo}) . ' to ' . number($cell->{hi}) . ')';
}

sub percent { my ($x) = @_; return sprintf '%.0f %%', 100 * $x }

sub ratio { my ($a, $b) = @_; return $a && $b && $b->{mid} > 0 ? $a->{mid} / $b->{mid} : undef }

# [x, mid, lo, hi] of [x, cell], without those that were not measured.
sub points { return [map { $_->[1] ? [$_->[0], @{ $_->[1] }{qw(mid lo hi)}] : () } @_] }

# Whether one is less than the other, by all turns of both: a verdict.
sub below {
    my ($x, $y) = @_;
    return undef if !$x || !$y;
    return $x->{hi} < $y->{lo} ? 'agrees' : $x->{lo} >= $y->{hi} ? 'differs' : 'unclear';
}

# Of verdicts: that all agree.
sub all_of {
    my @known = grep { defined } @_;
    my %seen = map { $_ => 1 } @known;
    return !@known ? undef : $seen{differs} ? 'differs' : $seen{unclear} ? 'unclear' : 'agrees';
}

sub verdict { my ($holds) = @_; return defined $holds ? $holds ? 'agrees' : 'differs' : undef }

sub claim {
    my ($paper, $here, $verdict) = @_;
    return { paper => $paper, here => $here // 'not measured', verdict => defined $here ? $verdict : undef };
}

# "a, b", or "none".
sub names_of { return @_ ? join ', ', @_ : 'none' }

1;
