# SPDX-License-Identifier: LGPL-2.1-or-later
#
# History - figures of one commit after another: a file of JSON, one object a line, and a drawing of it.

package History;

use strict;
use warnings;
use Exporter qw(import);
use List::Util qw(max min);
use POSIX qw(strftime);
use Runs;

our @EXPORT = qw(history_add history_draw);

sub command_line { my $line = qx($_[0] 2>/dev/null) // ''; chomp $line; return $line }

# The processor's name and the number of CPUs.
sub machine {
    my ($name) = file_text('/proc/cpuinfo') =~ /^(?:model name|CPU part)\s*:\s*(.*)$/m;
    return ($name // 'unknown') . ', ' . command_line('nproc') . ' CPUs';
}

# Appends the ratios of GOALS ({ what, us, floor_us }) for the commit of the tree TOP. Dies with one line if it cannot.
sub history_add {
    my ($file, $top, @goals) = @_;
    my ($good) = read_lines($file);
    my $out = append_to($file, $good) // die "$file: $!\n";
    my $load = (split ' ', file_text('/proc/loadavg'))[0];
    my $commit = command_line("git -C '$top' rev-parse --short HEAD") || 'unknown';
    $commit .= '+' if command_line("git -C '$top' status --porcelain --untracked-files=no");
    append_line($out, { commit => $commit, date => strftime('%Y-%m-%d %H:%M', gmtime), machine => machine(), load => $load + 0,
        ratios => { map { $_->{what} => sprintf('%.3f', $_->{us} / $_->{floor_us}) + 0 } grep { $_->{floor_us} } @goals } });
}

sub escaped { my ($text) = @_; $text =~ s/&/&amp;/g; $text =~ s/</&lt;/g; return $text }

# Draws FILE as FILE.svg: a line per figure, as a share of its first value, for the lines of one machine, the last one's.
# Returns the name of the drawing, or undef if there is nothing to draw.
sub history_draw {
    my ($file) = @_;
    my (undef, @all) = read_lines($file);
    my @lines = @all ? grep { $_->{machine} eq $all[-1]{machine} } @all : ();
    my %named = map { map { $_ => 1 } keys %{ $_->{ratios} } } @lines;
    my @names = sort keys %named;
    return undef if !@names;
    my ($left, $top, $wide, $high, $step) = (60, 30, 600, 300, 14);
    my ($most, %points) = (1.2);
    for my $name (@names) {
        my $first;
        for my $i (0 .. $#lines) {
            my $ratio = $lines[$i]{ratios}{$name} // next;
            $first //= $ratio || 1;
            push @{ $points{$name} }, [$i, $ratio / $first];
            $most = max($most, $ratio / $first);
        }
    }
    my $x = sub { $left + (@lines > 1 ? $wide * $_[0] / $#lines : 0) };
    my $y = sub { $top + $high * (1 - $_[0] / $most) };
    my $svg = sprintf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n",
        $left + $wide + 20, $top + $high + 40 + $step * @names;
    $svg .= sprintf "<text x=\"%d\" y=\"16\">%s: ratio to the floor, as a share of the first</text>\n", $left, escaped($lines[-1]{machine});
    for my $share (0, 0.5, 1, $most) {
        $svg .= sprintf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/><text x=\"8\" y=\"%.1f\">%.2f</text>\n", $left,
            $left + $wide, $y->($share), $y->($share), $y->($share) + 4, $share;
    }
    for my $i (0, $#lines) {
        $svg .= sprintf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", $x->($i), $top + $high + 16, $i ? 'end' : 'start',
            escaped($lines[$i]{commit});
    }
    for my $n (0 .. $#names) {
        my ($name, $hue) = ($names[$n], int(360 * $n / @names));
        my $last = $lines[ $points{$name}[-1][0] ]{ratios}{$name};
        $svg .= sprintf "<polyline fill=\"none\" stroke=\"hsl(%d,70%%,40%%)\" points=\"%s\"/>\n", $hue,
            join ' ', map { sprintf '%.1f,%.1f', $x->($_->[0]), $y->($_->[1]) } @{ $points{$name} };
        $svg .= sprintf "<text x=\"%d\" y=\"%d\" fill=\"hsl(%d,70%%,40%%)\">%s: %s</text>\n", $left, $top + $high + 36 + $step * $n, $hue,
            escaped($name), $last;
    }
    open my $out, '>', "$file.svg" or die "$file.svg: $!\n";
    print $out "$svg</svg>\n";
    close $out or die "$file.svg: $!\n";
    return "$file.svg";
}

1;
