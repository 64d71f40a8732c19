#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The models and the code cite each other: a comment "label: functions" of a model names functions that exist and cite
# that label, which the head of one file defines; every label of the heads that a model covers is cited there or listed
# as left out; every variant of a model is in the table of doc/model/README.md, with a mutant of the code that breaks
# the same rule. And every mutant applies to the tree as it is.
set -u
perl=${PERL:-perl}
command -v "$perl" >/dev/null || { echo "SKIP: no perl"; exit 77; }
cd "${top_srcdir:-.}" || exit 1
exec "$perl" - <<'END'
use strict;
use warnings;

# Whose heads a model covers.
my %covers = (
    progress => [qw(hlrc/progress/progress.h fabric/shm/shm_queue.h)],
    homes => [qw(hlrc/sync/homes.h)],
    standstill => [qw(hlrc/report/deadlock_detect.h hlrc/report/deadlock_report.h)],
    locks => [qw(onesided/locks_mcs.c hlrc/sync/mcs.h)],
    conds => [qw(onesided/conds_mcs.c hlrc/sync/cond.h)],
    pairs => [qw(hlrc/sync/pairs.h)],
    counters => [qw(onesided/barrier_counter.c)],
    notices => [qw(onesided/notices_read.c)],
    diffs => [qw(onesided/diffs_write.c)],
    given => [qw(hlrc/heap/collective.h)],
    words => [qw(hlrc/memory/page_word.h hlrc/memory/page_part.h)],
    intervals => [],
    room => [],
    protocol => [qw(hlrc/memory/page.h hlrc/memory/need.h hlrc/memory/exclusive.h hlrc/memory/copies.h hlrc/memory/renew.h hlrc/memory/interval.h hlrc/memory/notices.h hlrc/sync/lock.h hlrc/progress/bulk.h ardmar/pages_ardmar.c)],
);
# A model may cite a few rules of a head that another one covers.
my %borrows = (
    progress => [qw(hlrc/memory/interval.h)],
    conds => [qw(hlrc/sync/mcs.h)],
    diffs => [qw(hlrc/memory/page.h)],
    given => [qw(hlrc/memory/exclusive.h)],
    words => [qw(hlrc/memory/page.h hlrc/memory/need.h hlrc/memory/exclusive.h hlrc/memory/renew.h hlrc/memory/interval.h ardmar/pages_ardmar.c)],
    intervals => [qw(hlrc/memory/page.h hlrc/memory/dirty.h hlrc/memory/exclusive.h hlrc/memory/interval.h hlrc/sync/lock.h)],
    room => [qw(hlrc/memory/copies.h hlrc/memory/interval.h)],
);
my $label = qr/\b[A-Z]{1,2}[0-9]+\b/;
my ($failures, $citations, $variants) = (0, 0, 0);

sub fail { print "FAILED: @_\n"; $failures++ }

sub text {
    open my $in, '<', $_[0] or do { fail("$_[0]: $!"); return '' };
    local $/;
    return scalar <$in>;
}

# The labels that the first comment behind the licence line defines.
sub defined_at {
    my ($head) = text($_[0]) =~ m{\A(?:[^\n]*\n)?(.*?)\*/}s;
    return ($head // '') =~ /^ \*   ($label)  /mg;
}

# By name of function: its text and the comment right above.
sub functions {
    my %found;
    for my $file (glob('hlrc/*.c hlrc/*/*.[ch] async/*.c ardmar/*.c onesided/*.c fabric/*.c fabric/*/*.c')) {
        my @above;
        my $source = text($file);
        while ($source =~ m{\G(?:(/\*.*?\*/)\n|((?:\w[^\n;{}#]*\b(\w+)\([^;{}]*\))\n\{\n.*?^\}\n)|([^\n]*\n))}gsm) {
            if (defined $1) { @above = ($1) }
            elsif (defined $2) { $found{$3} .= join("\n", @above, $2); @above = () }
            else { @above = () }
        }
    }
    return %found;
}

my %function = functions();
fail('only ' . keys(%function) . ' functions found') if keys %function < 300;

# ---- the table of the README, by model ----

my (%row, %mutant, %configuration, %left_out, $model);
(my $readme = text('doc/model/README.md')) =~ s/(?<=[^\n|])\n(?=[A-Za-z0-9`(])/ /g;      # a paragraph is a line
for (split /\n/, $readme) {
    $model = $1 if /^## (\w+)\.pml/;
    next unless defined $model;
    if (s/^Left out: //) {                      # labels, a comma and the reason; the next ones
        for (split /;/) {
            if (/^ ?($label(?: $label)*), \w/) { $left_out{$model}{$_} = 1 for split / /, $1 }
            else { fail("doc/model/README.md: '$_' is left out without a reason") }
        }
    } elsif (/^\| `\w+`/) {
        my (undef, $names, undef, $rules, $patch) = split /\s*\|\s*/;
        for my $name (($names // '') =~ /`([A-Z_]+)`/g) {
            $row{$model}{$name} = $rules // '';
            ($mutant{$model}{$name}) = ($patch // '') =~ /`([\w-]+)`/;
        }
    }
    if (/^\|/) { $configuration{$model}{$_} = 1 for /-D([A-Z_]+)/g }
}

# ---- each model ----

for my $model (sort keys %covers) {
    my $source = text("doc/model/$model.pml");
    my %at;
    for my $file (@{ $covers{$model} }, @{ $borrows{$model} // [] }) { push @{ $at{$_} }, $file for defined_at($file) }

    my %cited;
    (my $body = $source) =~ s{\A.*?\*/\n.*?\*/}{}s;     # the licence line and the head
    for my $comment ($body =~ m{/\*(.*?)\*/}sg) {
        (my $rest = $comment) =~ s/\s*\n \*\s*/ /g;
        while ($rest =~ s/($label): ([a-z]\w*(?:, [a-z]\w*)*)//) {
            my ($rule, $names) = ($1, $2);
            $cited{$rule} = 1;
            for my $name (split /, /, $names) {
                $citations++;
                if (!exists $function{$name}) { fail("$model.pml: $rule: there is no function $name") }
                elsif ($function{$name} !~ /\b$rule\b/) { fail("$model.pml: $rule: $name does not cite $rule") }
            }
        }
        fail("$model.pml: $1 is cited without the functions that perform it:$comment") if $rest =~ /($label)/;
    }
    for my $rule (sort keys %cited) {
        my @heads = @{ $at{$rule} // [] };
        fail("$model.pml: $rule is defined at no head that it covers") if @heads == 0;
        fail("$model.pml: $rule is defined at @heads") if @heads > 1;
        fail("$model: $rule is cited and left out") if $left_out{$model}{$rule};
    }
    for my $file (@{ $covers{$model} }) {
        my @rules = defined_at($file) or fail("$file: its head defines no rule");
        for my $rule (@rules) {
            my $elsewhere = grep { $_ ne $model && text("doc/model/$_.pml") =~ /\b$rule: [a-z]/ &&
                                   grep { $_ eq $file } @{ $borrows{$_} // [] } } keys %covers;
            fail("$file: $rule is neither cited in $model.pml nor left out in doc/model/README.md")
                unless $cited{$rule} || $left_out{$model}{$rule} || $elsewhere;
        }
    }
    for my $rule (sort keys %{ $left_out{$model} // {} }) {
        fail("doc/model/README.md: $model leaves out $rule, which is defined nowhere") unless $at{$rule};
    }

    # variants: what the file tests and does not define itself
    my %tested;
    for ($source =~ /^#\s*(?:el)?if(?:n?def)?\b([^\n]*)/mg) { $tested{$_} = 1 for /\b([A-Z][A-Z_]+)\b/g }
    delete $tested{$1} while $source =~ /^#define (\w+)/mg;
    for my $name (sort keys %tested) {
        next if $configuration{$model}{$name};
        if (!exists $row{$model}{$name}) { fail("$model.pml: variant $name is not in doc/model/README.md"); next }
        $variants++;
        my $patch = $mutant{$model}{$name};
        if (!defined $patch) { fail("doc/model/README.md: no mutant of $name"); next }
        if (!-e "tests/mutants/$patch.patch") { fail("$name: there is no mutant $patch"); next }
        my ($rules) = (text("tests/mutants/$patch.patch") . "\nRule:") =~ /^Rule: *(.*)/m;
        for my $rule ($row{$model}{$name} =~ /$label|rule \d+/g) {
            fail("$name: mutant $patch breaks '$rules', not $rule") unless $rules =~ /\b$rule\b/;
        }
        fail("$name: the table names no rule") unless $row{$model}{$name} =~ /$label|rule \d+/;
    }
    for my $name (sort keys %{ $row{$model} // {} }) {
        fail("doc/model/README.md: there is no variant $name of $model.pml") unless $tested{$name};
    }
}

# A mutant that does not apply any more shows nothing; as scripts/mutants puts it in.
if (system('command -v patch >/dev/null 2>&1') == 0) {
    for my $patch (sort glob('tests/mutants/*.patch')) {
        fail("$patch does not apply; make it anew")
            if system("patch -s -p1 -F1 -f --dry-run <'$patch' >/dev/null 2>&1") != 0;
    }
}

print "$citations citations, $variants variants, $failures failed\n";
exit($failures ? 1 : 0);
END
