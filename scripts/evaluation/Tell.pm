# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tell - numbers as text, and the parts of a figure.
#
# A figure: id, title, source, what (a paragraph), plots (of Plot), table { head, rows }, claims, why (a paragraph). A claim is
# what a paper says, what was measured here, and whether they agree: 'agrees', 'direction' where a value
# is more than 15 % from the paper's but to the same side, 'differs', 'unclear' where the turns' spread is
# wider than the difference, 'fitted' where a model was made to agree, '' for figures of another machine, undef where it was not measured.

package Tell;

use strict;
use warnings;
use Exporter qw(import);

our @EXPORT = qw(number span percent claim note verdict below all_of ratio holds compared near rows curve curves marks dashed lines bars exact);

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

# What is said without a paper.
sub note { my ($text) = @_; return { paper => '', here => $text, verdict => '' } }

# A claim about values that must all be there: FORMAT says them, numbers with three digits for %s, and TEST whether it holds.
sub holds {
    my ($paper, $format, $test, @values) = @_;
    return claim($paper) if grep { !defined } @values;
    my @kinds = $format =~ /%[.\d]*([a-z])/g;
    my @said = map { $kinds[$_] eq 's' && $values[$_] =~ /^[-\d.e+]+$/ ? number($values[$_]) : $values[$_] } 0 .. $#kinds;
    return claim($paper, sprintf($format, @said), ref $test ? verdict($test->(@values) ? 1 : 0) : $test);
}

# That one cell is less than another.
sub compared {
    my ($paper, $x, $y, $after) = @_;
    return claim($paper, $x && $y ? number($x->{mid}) . ' and ' . number($y->{mid}) . " $after" : undef, below($x, $y));
}

# A claim with a value beside the paper's: if it holds, 'agrees' only if the two are within 15 %.
sub near {
    my ($claim, $paper, $here) = @_;
    $claim->{verdict} = 'direction' if ($claim->{verdict} // '') eq 'agrees' && abs($here / $paper - 1) > 0.15;
    return $claim;
}

# ---- Tables and plots ----

# A cell of one value.
sub exact { my ($x) = @_; return defined $x ? { mid => $x, lo => $x, hi => $x, turns => 1 } : undef }

# Median, least and largest of a cell, or three times a number; undef: not measured.
sub triple { my ($x) = @_; return ref $x ? [@$x{qw(mid lo hi)}] : defined $x ? [($x) x 3] : undef }

# A row for each key: the key, and the text of a cell in each column.
sub rows { my ($keys, $columns, $cell) = @_; return [map { my $key = $_; [$key, map { span($cell->($_, $key)) } @$columns] } @$keys] }

# A line of a plot by what VALUE gives of each x: a cell, a number, or undef.
sub curve {
    my ($name, $xs, $value) = @_;
    return { name => $name, points => [map { my $y = triple($value->($_)); $y ? [$_, @$y] : () } @$xs] };
}

# Curves of keys [key, name]; CELL gives what a key has at x.
sub curves {
    my ($xs, $cell, @keys) = @_;
    return map { my ($key, $name) = @$_; curve($name, $xs, sub { $cell->($key, @_) }) } @keys;
}

# Points [x, y].
sub marks { my ($name, @points) = @_; return { name => $name, points => [map { [$_->[0], ($_->[1]) x 3] } @points] } }

# A broken line over all x, where there is any.
sub dashed {
    my ($name, $xs, $y) = @_;
    return @$xs && defined $y ? { name => $name, floor => 1, points => [map { [$_, $y] } @$xs[0, -1]] } : ();
}

# A plot of those lines that have points.
sub lines {
    my ($title, $x, $y, $series, %more) = @_;
    return { kind => 'lines', title => $title, x => $x, y => $y, logx => 1, %more, series => [grep { @{ $_->{points} } } @$series] };
}

# A plot of series [name, cells or numbers, one for each category].
sub bars {
    my ($title, $y, $categories, $series, %more) = @_;
    return { kind => 'bars', title => $title, y => $y, categories => $categories, %more,
        series => [map { my ($name, @cells) = @$_; { name => $name, values => [map { triple($_) } @cells] } } @$series] };
}

1;
