#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The documents against the tree: files that they name exist, links lead somewhere, options and HLRC_ variables are ones that
# a program here takes, doc/README.md lists every document, and all of them together stay readable (at most 35,000 words,
# generated lists apart).
set -u
perl=${PERL:-perl}
command -v "$perl" >/dev/null || { echo "SKIP: no perl"; exit 77; }
cd "${top_srcdir:-.}" || exit 1
exec "$perl" - "$@" <<'END_PERL'
use strict;
use warnings;
use File::Basename;
use File::Find;

my $most_words = 35_000;
my $most_lines = 100;       # of README.md, up to the first heading that most readers skip
# Options of other programs, which the documents name beside their own.
my %other = map { $_ => 1 } qw(mpi host cpu-bind gpu track prefix no-verify system);
my $failures = 0;
sub fail { print "FAILED: @_\n"; $failures++ }

sub text {
    open my $in, '<', $_[0] or do { fail("$_[0]: $!"); return '' };
    local $/;
    return scalar <$in>;
}

# ---- the tree ----

my (@documents, @sources, %exists, %base, %built);
sub note {
    my $path = $File::Find::name =~ s{^\./}{}r;
    return if $path eq '.';
    $exists{$path} = 1;
    push @{ $base{$_} }, $path;
    return unless -f;
    if (/\.md$/) { push @documents, $path } elsif (!/\.(?:patch|svg)$/) { push @sources, $path }
}
# Folders of a build have a config.status.
sub sources_only { grep { !-d || !(/^\.[^.]/ || $_ eq 'autom4te.cache' || -e "$_/config.status") } @_ }
find({ wanted => \&note, preprocess => \&sources_only }, '.');
@documents = sort @documents;
fail('only ' . @documents . ' documents found') if @documents < 10;

# Programs of tests have other names than their sources.
for my $path (grep { m{(?:^|/)local\.mk$} } @sources) { $built{$_} = 1 for text($path) =~ m{(?<![\w./-])(tests/[\w/-]+)(?![\w./-])}g }

# What a program takes: --name in scripts, texts and messages; "name" in the tables of C programs; HLRC_NAME.
my (%option, %variable);
for my $path (@sources) {
    next if $path =~ m{^tests/documents\.sh$};
    next unless $path =~ /\.(?:[ch]|sh|p[lm]|in|ac|am|mk|m4|gdb|[1-8])$/ || $path =~ m{^scripts/|^share/|^\.ci/};
    next if $path =~ m{^tests/} && $path =~ /\.[ch]$/;
    my $source = text($path);
    if ($path =~ /\.[ch]$/) {
        $option{$1} = 1 while $source =~ /(?:[{(]|, )\s*"([a-z][a-z0-9-]+)"/g;
        $option{$1} = 1 while $source =~ /X\(\w+,[^"]*"([a-z][a-z0-9-]+)"/g;
    }
    $option{$1 =~ s/\\//gr} = 1 while $source =~ /\\?-\\?-([a-z](?:[a-z0-9]|\\?-(?=[a-z0-9]))+)/g;
    $variable{$1} = 1 while $source =~ /\b(HLRC_[A-Z][A-Z_0-9]*[A-Z0-9])\b/g;
}
$variable{ 'HLRC_' . uc tr/-/_/r } = 1 for keys %option;

# ---- each document ----

sub file_exists {
    my ($path) = @_;
    return 1 if $exists{$path} || $built{$path} || -e $path;
    if ($path =~ /\*/) { my @found = glob($path); return @found > 0 }
    return 1 if grep { $exists{"$path.$_"} } qw(c sh h in);         # a program, by its source
    return 0;
}

my %folder = map { $_ => 1 } grep { -d } glob('* .ci');
my $words = 0;
for my $document (@documents) {
    my $content = text($document);
    my $written = $content; # what scripts/rules makes is looked up, not read
    $written =~ s/^<!-- scripts\/rules .*?^<!-- end of the list/<!--/gms;
    $words += () = $written =~ /\S+/g unless $document eq 'doc/rules.md';
    my @code = $content =~ /`([^`]+)`/g;
    push @code, $content =~ /^    (.*)/mg;
    for my $target ($content =~ /\]\(([^)]+)\)/g) {
        next if $target =~ /^https?:/;
        my $path = join '/', grep { $_ ne '.' } split m{/}, ($document =~ m{/} ? dirname($document) . '/' : '') . $target =~ s/#.*//r;
        1 while $path =~ s{[^/]+/\.\./}{};
        fail("$document: a link leads to $target, which is not there") unless $exists{$path};
    }
    for my $code (@code) {
        next if $code =~ /^\s*HLRC_/ && $code !~ / / && $code =~ /PROTOCL/;      # the misspelt one of an example
        for my $path ($code =~ m{(?<![\w./-])((?:[\w.-]+/)+[\w.*+-]*[\w*])}g) {
            my ($top) = split m{/}, $path;
            next unless $folder{$top} && $top !~ /^(?:build.*|report)$/;
            next if $path =~ m{^(?:tests/mutants/log|hlrc/hlrc\.gdb|share/hlrc)};
            fail("$document: there is no $path") unless file_exists($path);
        }
        for my $name ($code =~ m{(?<![\w/.*-])([\w-]+\.(?:c|h|pml|sh|pm))(?![\w.(])}g) {
            fail("$document: there is no file $name") unless $base{$name} || $name =~ /^(?:stdio|prog|sum|program|list|file|jia|Tmk|shmem|armci|pan)\./;
        }
        for my $name ($code =~ /(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9])/g) {
            fail("$document: --$name is no option of any program here") unless $option{$name} || $other{$name};
        }
        for my $name ($code =~ /\b(HLRC_[A-Z][A-Z_0-9]*[A-Z0-9])\b/g) {
            fail("$document: $name is no variable of any program here") unless $variable{$name};
        }
    }
}

# ---- the index, the first impression and the size ----

my $index = text('doc/README.md');
for my $document (@documents) {
    next if $document eq 'doc/README.md';
    my $from_doc = $document =~ m{^doc/(.*)} ? $1 : "../$document";
    fail("doc/README.md does not list $document") unless $index =~ /\(\Q$from_doc\E\)/;
}
my @before = split /\n/, text('README.md') =~ s/^## By hand.*//msr;
fail('README.md: By hand begins in line ' . (@before + 1) . ", after line $most_lines") if @before > $most_lines;
fail("$words words in the documents, more than $most_words") if $words > $most_words;

printf "%d documents, %d words, %d options known, %d failed\n", scalar @documents, $words, scalar keys %option, $failures;
exit($failures ? 1 : 0);
END_PERL
