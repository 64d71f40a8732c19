#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The models and the code cite each other. A comment "[module.rule]: functions" of a model names functions that exist and
# cite that rule ("code: functions": that exist). Every rule of the modules that a model covers is cited in a model, or listed
# as left out. Every variant of a model is in the table of doc/model/README.md, with a mutant of the code that breaks the
# same rule. Every mutant applies to the tree as it is.
set -u
perl=${PERL:-perl}
command -v "$perl" >/dev/null || { echo "SKIP: no perl"; exit 77; }
cd "${top_srcdir:-.}" || exit 1
exec "$perl" - <<'END'
use strict;
use warnings;

# The modules whose rules a model covers.
my %covers = (
    progress => [qw(progress shm-queue)],
    homes => [qw(home-migration)],
    standstill => [qw(deadlock)],
    locks => [qw(locks-mcs mcs)],
    conds => [qw(conds-mcs cond)],
    pairs => [qw(barrier-pairs)],
    counters => [qw(barrier-counter)],
    notices => [qw(notices-read)],
    diffs => [qw(diffs-write)],
    given => [qw(heap)],
    partner => [],
    checkpoint => [],
    words => [qw(word part)],
    intervals => [],
    room => [],
    protocol => [qw(page need unshared copies update interval notices-log lock bulk pages-ardmar)],
);
my $label = qr/\[[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\]/;
my ($failures, $citations, $variants) = (0, 0, 0);

sub fail { print "FAILED: @_\n"; $failures++ }

sub text {
    open my $in, '<', $_[0] or do { fail("$_[0]: $!"); return '' };
    local $/;
    return scalar <$in>;
}

# The rules that the first comment after the licence line defines.
sub defined_at {
    my ($head) = text($_[0]) =~ m{\A(?:[^\n]*\n)?(.*?)\*/}s;
    return ($head // '') =~ /^ \*   ($label) /mg;
}

my (%defined, %rules_of);                           # file, by rule; rules, by module
for my $file (glob('*/*.[ch] */*/*.[ch] */*/*/*.[ch]')) {
    for my $rule (defined_at($file)) {
        $defined{$rule} = $file;
        push @{ $rules_of{$1} }, $rule if $rule =~ /^\[([^.]*)/;
    }
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
    my %cited;
    (my $body = $source) =~ s{\A.*?\*/\n.*?\*/}{}s;     # the licence line and the head
    for my $comment ($body =~ m{/\*(.*?)\*/}sg) {
        (my $rest = $comment) =~ s/\s*\n \*\s*/ /g;
        while ($rest =~ s/($label|\bcode): ([a-z]\w*(?:, [a-z]\w*)*)//) {
            my ($rule, $names) = ($1, $2);
            $cited{$rule} = 1 if $rule ne 'code';
            for my $name (split /, /, $names) {
                $citations++;
                if (!exists $function{$name}) { fail("$model.pml: $rule: there is no function $name") }
                elsif ($rule ne 'code' && $function{$name} !~ /\Q$rule\E/) { fail("$model.pml: $rule: $name does not cite $rule") }
            }
        }
        fail("$model.pml: $1 is cited without the functions that perform it:$comment") if $rest =~ /($label)/;
    }
    for my $rule (sort keys %cited) {
        fail("$model.pml: $rule is defined in no head") unless $defined{$rule};
        fail("$model: $rule is cited and left out") if $left_out{$model}{$rule};
    }
    for my $module (@{ $covers{$model} }) {
        fail("$model.pml covers $module, which has no rule") unless $rules_of{$module};
        for my $rule (@{ $rules_of{$module} // [] }) {
            next if $cited{$rule} || $left_out{$model}{$rule};
            fail("$defined{$rule}: $rule is neither cited in a model nor left out of $model.pml in doc/model/README.md")
                unless grep { text("doc/model/$_.pml") =~ /\Q$rule\E: [a-z]/ } keys %covers;
        }
    }
    for my $rule (sort keys %{ $left_out{$model} // {} }) {
        fail("doc/model/README.md: $model leaves out $rule, which is defined nowhere") unless $defined{$rule};
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
            my $plain = $rule =~ s/[\[\]]//gr;
            fail("$name: mutant $patch breaks '$rules', not $rule") unless $rules =~ /(?<![-\w.])\Q$plain\E(?![-\w])/;
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
