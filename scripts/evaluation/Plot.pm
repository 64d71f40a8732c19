# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Plot - gnuplot's SVG of one plot, to stand in a page: without a head, a size or names that others have too, in colours that
# are told apart on white and on black, and text in the page's.
#
# A plot: title, x, y (axes); logx, logy; kind lines (series of points [x, mid, lo, hi]), bars or stacked (categories, and
# series of [mid, lo, hi] or undef for each). A series with "floor" is a broken line in grey.

package Plot;

use strict;
use warnings;
use File::Temp qw(tempfile);

my @COLOURS = map { "#$_" } qw(3a86d6 cf6f1c 2f9e5f b04fb0 c8413c 1f98a8 98723c 7a7fd0);
my $FLOOR = '#8a8f98';

sub text { my ($text) = @_; $text =~ s/\\/\\\\/g; $text =~ s/"/\\"/g; return "\"$text\"" }

sub axes {
    my ($p) = @_;
    my $height = $p->{kind} eq 'lines' ? 270 + 24 * @{ $p->{series} } : 400;
    my $script = join "\n", "set terminal svg size 480,$height dynamic font \"sans-serif,15\"", 'set border 3 lw 1 lc rgb "black"',
        'set grid ytics lc rgb "#8a8f98" lw 0.4 dt 3', 'set tics nomirror', 'set key outside bottom center horizontal',
        'set offsets graph 0.03, graph 0.03, 0, 0', 'set termoption noenhanced', 'set title ' . text($p->{title}),
        'set xlabel ' . text($p->{x} // '') . ' offset 0,0.7', 'set ylabel ' . text($p->{y}), 'set style fill solid 1 border -1', '';
    $script .= "set logscale y 10\nset format y \"%.10g\"\n" if $p->{logy};
    $script .= 'set yrange [0:' . ($p->{kind} eq 'stacked' ? 100 : '*') . "]\n" if !$p->{logy};
    $script .= "set logscale x 2\n" if $p->{logx};
    return $script;
}

my %UNIT = (10 => 'K', 20 => 'M');
sub bytes_text {
    my ($n) = @_;
    for my $power (20, 10) { return $n / 2**$power . " $UNIT{$power}iB" if $n >= 2**$power }
    return "$n B";
}

# Where points are, up to nine of them; of sizes in bytes up to six.
sub tics {
    my ($p) = @_;
    my %seen;
    $seen{ $_->[0] } = 1 for map { @{ $_->{points} } } @{ $p->{series} };
    my @x = sort { $a <=> $b } keys %seen;
    my $some = $p->{bytes} ? 6 : 9;
    my $step = int((@x + $some - 1) / $some) || 1;
    my @shown = @x[grep { $_ % $step == 0 } 0 .. $#x];
    return 'set xtics (' . join(', ', map { ($p->{bytes} ? text(bytes_text($_)) . ' ' : '') . $_ } @shown) . ")\n";
}

# What is 0 has no place on a logarithmic axis.
sub point {
    my ($p, $x, $mid, $lo, $hi) = @_;
    return '' if $p->{logy} && $mid <= 0;
    return "$x $mid " . ($p->{logy} && defined $lo && $lo <= 0 ? $mid : $lo // '') . ' ' . ($hi // '') . "\n";
}

sub lines {
    my ($p) = @_;
    my ($blocks, $colour, $floors, @parts) = ('', 0, 0);
    for my $i (0 .. $#{ $p->{series} }) {
        my $s = $p->{series}[$i];
        $blocks .= "\$d$i << EOD\n" . join('', map { point($p, @$_) } @{ $s->{points} }) . "EOD\n";
        my $title = text($s->{name});
        if ($s->{floor}) {
            push @parts, "\$d$i using 1:2 with lines lc rgb \"$FLOOR\" dt " . (2 + $floors++) . " lw 2 title $title";
            next;
        }
        my $style = sprintf 'lc rgb "%s" lw 1.6', $COLOURS[$colour % @COLOURS];
        push @parts, "\$d$i using 1:2 with linespoints $style pt " . (5 + 2 * ($colour % 5)) . " ps 0.7 title $title",
            "\$d$i using 1:2:3:4 with yerrorbars $style pt 0 notitle";
        $colour++;
    }
    return $blocks . ($p->{xtics} // tics($p)) . 'plot ' . join(', ', @parts) . "\n";
}

sub bars {
    my ($p) = @_;
    my $stacked = $p->{kind} eq 'stacked';
    my $data = "\$d << EOD\n";
    my @series = grep { grep { defined } @{ $_->{values} } } @{ $p->{series} };
    for my $c (0 .. $#{ $p->{categories} }) {
        my @cells = map { my $v = $_->{values}[$c]; $v ? $stacked ? $v->[0] : @$v[0 .. 2] : $stacked ? 0 : ('NaN') x 3 } @series;
        $data .= join(' ', text($p->{categories}[$c]), @cells) . "\n";
    }
    my $width = $stacked ? 1 : 3;
    my @parts = map {
        my $from = 2 + $width * $_;
        my $using = $stacked ? $from : join ':', $from, $from + 1, $from + 2;
        "\$d using $using" . ($_ == 0 ? ':xtic(1)' : '') . sprintf(' lc rgb "%s" title %s', $COLOURS[$_ % @COLOURS],
            text($series[$_]{name}))
    } 0 .. $#series;
    my $style = $stacked ? 'rowstacked' : 'errorbars gap 1.5 lw 1';
    my $turn = length join('', @{ $p->{categories} }) > 40 ? "set xtics rotate by -35 font \",12\"\n" : '';
    return "${data}EOD\nset style data histograms\nset style histogram $style\nset boxwidth 0.9\n"
        . "set errorbars 0.5 front\n$turn"
        . 'plot ' . join(', ', @parts) . "\n";
}

# The drawing, of which ids begin with NAME.
sub tidy {
    my ($svg, $name, $title) = @_;
    $svg =~ s/\A.*?(?=<svg)//s;
    my ($box) = $svg =~ /viewBox="([^"]*)"/;
    my $label = $title;
    $label =~ s/([&<>"])/sprintf '&#%d;', ord $1/ge;
    $svg =~ s/\A<svg[^>]*>/<svg viewBox="$box" role="img" aria-label="$label">/s;
    $svg =~ s/<title>Gnuplot<\/title>\s*//;
    $svg =~ s/<use [^>]*color='white'\/>\s*//g; # what is put beneath points: nothing to be seen on white
    $svg =~ s/<title>gnuplot_plot_\w+<\/title>//g;
    $svg =~ s/<desc>.*?<\/desc>\s*//s;
    $svg =~ s/xlink:href=/href=/g;
    $svg =~ s/(\bid=["'])/$1$name-/g;
    $svg =~ s/(href=['"]#|url\(#)/$1$name-/g;
    $svg =~ s/(?:black|rgb\(\s*0,\s*0,\s*0\))/currentColor/g;
    $svg =~ s/[ \t]+$//gm;
    $svg =~ s/\n{2,}/\n/g;
    return $svg;
}

sub svg {
    my ($p, $name) = @_;
    my ($out, $script) = tempfile(SUFFIX => '.gp', UNLINK => 1);
    print $out axes($p), $p->{kind} eq 'lines' ? lines($p) : bars($p);
    close $out;
    my $svg = `LC_ALL=C gnuplot '$script' 2>'$script.err'`;
    my $status = $?;
    open my $in, '<', "$script.err";
    my $said = join '', <$in>;
    unlink $script, "$script.err";
    die "scripts/evaluate: gnuplot failed on $name: $said" if $status != 0 || $svg !~ /<\/svg>/;
    return tidy($svg, $name, $p->{title});
}

# A drawing of its own, for a file.
sub alone {
    my ($svg) = @_;
    my $style = '<style>svg { color: #1c1f24 } @media (prefers-color-scheme: dark) { svg { color: #e3e6ea } }</style>';
    $svg =~ s/\A<svg ([^>]*)>/<svg xmlns="http:\/\/www.w3.org\/2000\/svg" $1>\n$style/;
    return $svg;
}

1;
