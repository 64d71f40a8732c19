# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Page - index.html, which needs no other file and asks for none, and its twin in Markdown without the plots. Both are made of
# the measurements alone: the same ones make the same page, whenever and in whatever order they were taken. page.css is the
# style that is put into it.

package Page;

use strict;
use warnings;
use File::Basename qw(dirname);
use Figures;
use Compared;
use Grown;
use Others;
use Plan;
use Plot;
use Runs;
use Simulated;
use Tell;

my %MARK = (agrees => 'agrees', direction => 'same direction', differs => 'differs', unclear => 'within the spread', fitted => 'fitted to it', '' => 'another machine');

sub html { my ($text) = @_; $text =~ s/&/&amp;/g; $text =~ s/</&lt;/g; $text =~ s/>/&gt;/g; $text =~ s/"/&quot;/g; return $text }

sub table_html {
    my ($head, $rows, $class) = @_;
    my $text = "<div class=\"scroll\"><table class=\"$class\">\n<thead><tr>" . join('', map { '<th>' . html($_) . '</th>' } @$head)
        . "</tr></thead>\n<tbody>\n";
    $text .= '<tr>' . join('', map { '<td>' . html($_) . '</td>' } @$_) . "</tr>\n" for @$rows;
    return "$text</tbody></table></div>\n";
}

sub table_md {
    my ($head, $rows) = @_;
    my @lines = map { '| ' . join(' | ', map { s/\|/\\|/gr } @$_) . ' |' } $head, [map { '---' } @$head], @$rows;
    return join("\n", @lines) . "\n\n";
}

sub mark { my ($verdict) = @_; return defined $verdict ? $MARK{$verdict} : 'not measured' }

sub claims_html {
    my ($figure) = @_;
    my @rows = map { sprintf '<tr><td>%s</td><td>%s</td><td class="%s">%s</td></tr>', html($_->{paper}), html($_->{here}),
        $_->{verdict} || 'neither', mark($_->{verdict}) } grep { $_->{paper} ne '' } @{ $figure->{claims} };
    my $notes = join '', map { '<p>' . html($_->{here}) . "</p>\n" } grep { $_->{paper} eq '' && defined $_->{verdict} }
        @{ $figure->{claims} };
    return $notes if !@rows;
    return "$notes<div class=\"scroll\"><table class=\"claims\">\n<thead><tr><th>The paper</th><th>Here</th><th></th></tr></thead>\n<tbody>\n"
        . join("\n", @rows) . "\n</tbody></table></div>\n";
}

sub drawn {
    my ($plot) = @_;
    return $plot->{kind} eq 'lines' ? grep { @{ $_->{points} } && !$_->{floor} } @{ $plot->{series} }
        : grep { grep { defined } @{ $_->{values} } } @{ $plot->{series} };
}

# WHERE: the machine, for a figure of measurements.
sub figure_html {
    my ($f, $where) = @_;
    my $text = "<section id=\"$f->{id}\">\n<h2>" . html($f->{title}) . "</h2>\n<p class=\"source\">" . html($f->{source}) . "</p>\n<p>"
        . html($f->{what}) . "</p>\n";
    my @plots = grep { drawn($_) } @{ $f->{plots} };
    my @drawings = @{ $f->{drawings} // [] };
    $text .= "<p class=\"source\">Not measured in this run.</p>\n" if !@plots && !@drawings && !$f->{table}{open};
    my $n = 0;
    $text .= '<div class="plots">' . join('', map { '<figure>' . Plot::svg($_, "$f->{id}-" . ++$n) . "</figure>\n" } @plots) . "</div>\n"
        if @plots;
    $text .= '<p class="source">Measured on ' . html($where) . ".</p>\n" if (@plots || @drawings) && $f->{id} !~ /^sim-/;
    $text .= '<div class="plots pairs">' . join('', map { my ($called, $svg) = @$_; "<figure><figcaption>" . html($called)
        . "</figcaption>$svg</figure>\n" } @drawings) . "</div>\n" if @drawings;
    $text .= claims_html($f) . '<p><b>Why.</b> ' . html($f->{why}) . "</p>\n";
    my $open = $f->{table}{open} ? ' open="open"' : '';
    $text .= "<details$open><summary>The numbers</summary>\n" . table_html($f->{table}{head}, $f->{table}{rows}, 'numbers') . "</details>\n"
        if @{ $f->{table}{rows} };
    return "$text</section>\n";
}

sub figure_md {
    my ($f) = @_;
    my $text = "## $f->{title}\n\n$f->{source}\n\n$f->{what}\n\n";
    my @claims = grep { $_->{paper} ne '' } @{ $f->{claims} };
    $text .= "$_->{here}\n\n" for grep { $_->{paper} eq '' && defined $_->{verdict} } @{ $f->{claims} };
    $text .= table_md(['The paper', 'Here', ''], [map { [@$_{qw(paper here)}, mark($_->{verdict})] } @claims]) if @claims;
    $text .= "Why: $f->{why}\n\n";
    $text .= @{ $f->{table}{rows} } ? table_md($f->{table}{head}, $f->{table}{rows}) : "Not measured in this run.\n\n";
    return $text;
}

# ---- What stands before the figures ----

sub different {
    my ($r, $name) = @_;
    my %seen = map { $_->{$name} => 1 } grep { defined $_->{$name} && $_->{$name} ne '' } @{ $r->{all} };
    return join ', ', sort keys %seen;
}

sub conditions {
    my ($r) = @_;
    my @loads = sort { $a <=> $b } map { $_->{load} } @{ $r->{all} };
    my %turns = map { $_->{turn} => 1 } @{ $r->{all} };
    my $failed = grep { $_->{failed} } @{ $r->{all} };
    my ($fabric) = grep { $_ ne '' } join ', ', grep { $_ ne 'none' } split /, /, different($r, 'fabric');
    return ([
        ['Machine', join ', ', grep { $_ ne '' } map { different($r, $_) } qw(machine architecture cpu)],
        ['Cores', different($r, 'cores')], ['Kernel', different($r, 'kernel')], ['HLRC', different($r, 'version')],
        ['Fabric', $fabric // 'none'],
        ['Load when a measurement began', @loads ? sprintf '%.2f to %.2f, median %.2f', @loads[0, -1], median(@loads) : '-'],
        ['Measurements', sprintf '%d, in %d turn%s%s', scalar @{ $r->{all} }, scalar keys %turns, keys %turns == 1 ? '' : 's',
            $failed ? ", $failed of them failed" : ''],
        $r->{quick} ? ['Left out by --quick', $Plan::QUICK] : (),
        ['Floors', join ', ', map { my ($name, $metric) = @$_; my $c = $r->cell('floors', $metric); $c ? "$name " . span($c) . ' us' : () }
            ['page fetch', 'floor_us'], ['never touched page', 'floor_cold_us'], ['wake of a sleeper', 'wake_us']]]);
}

sub where {
    my ($r) = @_;
    return join ', ', grep { $_ ne '' } map({ different($r, $_) } qw(machine cpu)), different($r, 'cores') . ' cores';
}

sub summary {
    my ($simulated, @figures) = @_;
    my %count = (agrees => 0, direction => 0, differs => 0, unclear => 0);
    for (map { @{ $_->{claims} } } @figures) { $count{ $_->{verdict} }++ if $_->{verdict} }
    my $said = "$count{agrees} agree with what was %s, $count{direction} have the same direction with a value more than 15 %% "
        . "from the paper's, $count{differs} differ";
    return sprintf "Of the papers' findings, $said.", 'simulated' if $simulated;
    return sprintf "Of the papers' findings, $said, and in $count{unclear} the difference is within the spread of the turns. Times of other "
        . 'machines are not judged.', 'measured here';
}

# All findings of all figures. The cause is given where a finding does not agree: the sentence of the figure's reasons that says so,
# or the first one.
sub overview {
    my ($link, @figures) = @_;
    my @rows;
    for my $f (@figures) {
        my ($cause) = ($f->{why} // '') =~ /Cause: (.*?\.)$/s ? ucfirst $1 : ($f->{why} // '') =~ /^(.*?\.)(?: |$)/s;
        push @rows, map { [$link->($f), @$_{qw(paper here)}, mark($_->{verdict}),
            ($_->{verdict} // '') =~ /^(?:direction|differs|unclear)$/ ? $cause // '' : ''] } grep { $_->{paper} ne '' } @{ $f->{claims} };
    }
    return (['Figure', 'The paper', 'Here', '', 'Cause'], \@rows);
}

sub overview_html {
    my $text = table_html(overview(sub { "\0$_[0]{id}\0$_[0]{title}" }, @_), 'overview');
    return '<h2>All findings</h2>' . $text =~ s{\0([^\0]*)\0([^<]*)}{<a href="#$1">$2</a>}gr;
}

my $INTRO = 'Each measurement is a run of a program, whose median is taken; they were taken turn by turn. Points, bars and numbers are '
    . 'medians of the turns, error bars and what stands in brackets the least and the largest of them. Floors, dashed, are what the '
    . 'machine takes for the parts that cannot be left out.';

# What was measured, and what was simulated.
sub summaries {
    my ($r, @figures) = @_;
    my @simulated = grep { $_->{id} =~ /^sim-/ } @figures;
    return join ' ', @{ $r->{all} } ? summary(0, grep { $_->{id} !~ /^sim-/ } @figures) . " $INTRO" : (),
        @simulated ? summary(1, @simulated) : ();
}

sub failures { my ($r) = @_; return map { [$_->{id}, $_->{turn}, $_->{failed}] } grep { $_->{failed} } @{ $r->{all} } }

sub style {
    open my $in, '<', dirname(__FILE__) . '/page.css' or die "scripts/evaluation/page.css: $!\n";
    local $/;
    return scalar <$in>;
}

sub page_html {
    my ($r, @figures) = @_;
    my @failures = failures($r);
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
        . "content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        . "<title>HLRC beside the papers</title>\n<style>\n" . style() . "</style>\n</head>\n<body>\n<h1>HLRC beside the papers</h1>\n<p>"
        . html(summaries($r, @figures)) . "</p>\n" . overview_html(@figures)
        . (@{ $r->{all} } ? table_html(['Measured', ''], conditions($r), 'conditions') : '')
        . (@failures ? '<h2>Failed</h2>' . table_html(['measurement', 'turn', 'cause'], \@failures, 'claims') : '')
        . "<nav><ul>\n" . join('', map { "<li><a href=\"#$_->{id}\">" . html($_->{title}) . '</a> <span class="source">'
            . html($_->{source}) . "</span></li>\n" } @figures) . "</ul></nav>\n" . join('', map { figure_html($_, where($r)) } @figures)
        . "</body>\n</html>\n";
}

sub page_md {
    my ($r, @figures) = @_;
    my @failures = failures($r);
    return "# HLRC beside the papers\n\n" . summaries($r, @figures) . " The plots are in index.html.\n\n"
        . "## All findings\n\n" . table_md(overview(sub { $_[0]{title} }, @figures))
        . (@{ $r->{all} } ? table_md(['Measured', ''], conditions($r)) : '') . (@failures ? "## Failed\n\n" . table_md(['measurement', 'turn', 'cause'],
            \@failures) : '') . join('', map { figure_md($_) } @figures);
}

# Of measurements, where there are any, and of simulations.
sub figures {
    my ($r, $simulated) = @_;
    my $replays = $simulated ? $simulated->{replays} : undef;
    return (@{ $r->{all} } ? (Figures::all($r), Others::all($r)) : (), Figures::simulated($replays), Grown::all($replays),
        Compared::all($replays), Simulated::all($simulated));
}

# The first plot of a figure, as a file; undef where it was not measured.
sub picture {
    my ($r, $simulated, $id) = @_;
    my ($figure) = grep { $_->{id} eq $id } figures($r, $simulated);
    my ($plot) = $figure ? grep { drawn($_) } @{ $figure->{plots} } : ();
    return $plot && Plot::alone(Plot::svg($plot, $id));
}

sub make {
    my ($r, $simulated) = @_;
    my @figures = figures($r, $simulated);
    return { 'index.html' => page_html($r, @figures), 'index.md' => page_md($r, @figures) };
}

1;
