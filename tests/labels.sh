#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A rule is defined once, in the head of the file that keeps it, as a line " *   LABEL  what holds"; the labels of a head are
# numbered from 1. Whatever cites a label, in a comment, a model, a mutant or a text, cites one that is defined; and a rule
# of doc/design.md that is cited is there.
set -u
perl=${PERL:-perl}
command -v "$perl" >/dev/null || { echo "SKIP: no perl"; exit 77; }
cd "${top_srcdir:-.}" || exit 1
exec "$perl" - <<'END'
use strict;
use warnings;

my $label = qr/\b(?!C11\b)[A-Z]{1,2}[1-9][0-9]?\b/; # C11 is the language
my @folders = qw(base boot fabric fabric/* hlrc hlrc/* async ardmar onesided launch sim compat compat/* include apps microbench examples tests
    tests/*);
my ($failures, $cited) = (0, 0);
my (%defined, %last);

sub fail { print "FAILED: @_\n"; $failures++ }

sub text {
    open my $in, '<', $_[0] or do { fail("$_[0]: $!"); return '' };
    local $/;
    return scalar <$in>;
}

my @sources = grep { -f } map { glob("$_/*.[ch]") } @folders;
fail('only ' . @sources . ' sources found') if @sources < 150;
for my $file (@sources) {
    fail("$file: a rule has a number and no label") if text($file) =~ /^ \*   [0-9]+\.  ?\w/m;
    for my $found (text($file) =~ /^ \*   ($label)  (?=\S)/mg) {
        my ($letters, $number) = $found =~ /^([A-Z]+)([0-9]+)$/;
        fail("$file: $found is defined in $defined{$found}, too") if $defined{$found};
        $defined{$found} = $file;
        fail("$file: $found does not follow ${letters}" . ($last{$letters} // 0)) if $number != ($last{$letters} // 0) + 1;
        $last{$letters} = $number;
    }
}
fail('only ' . keys(%defined) . ' labels found') if keys %defined < 100;

my $rules = () = text('doc/design.md') =~ /^[0-9]+\. \*\*/mg;

# Where in a file labels are cited: comments of C and of models, and those of scripts; texts as a whole, without what is
# code in them.
sub citing {
    my ($file) = @_;
    my $text = text($file);
    if ($file =~ /\.([ch]|pml)$/) { return join "\n", $text =~ m{(/\*.*?\*/|//[^\n]*)}gs }
    if ($file =~ /\.sh$/) { return join "\n", $text =~ /^\s*(#[^\n]*)/mg }
    if ($file =~ /\.patch$/) { return join "\n", $text =~ /^(Rule:[^\n]*)/mg, $text =~ m{(/\*.*?\*/)}g }
    $text =~ s/`[^`\n]*`//g;
    return $text;
}

my @cite = grep { -f } @sources, map { glob($_) } qw(doc/*.md doc/model/* tests/*.sh tests/*/*.sh tests/mutants/*);
for my $file (@cite) {
    my $text = citing($file);
    while ($text =~ /(?<![-\w])($label)(?![-\w\/])/g) {
        $cited++;
        fail("$file cites $1, which no head defines") if !$defined{$1};
    }
    while ($text =~ /\brules? ([0-9]+)/g) {
        fail("$file cites rule $1 of $rules") if $1 < 1 || $1 > $rules;
    }
}
printf "%d labels, %d citations, %d rules, %d failed\n", scalar keys %defined, $cited, $rules, $failures;
exit($failures > 0 || $rules == 0 || $cited < 200);
END
