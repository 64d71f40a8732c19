#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Comments, messages, documents and manual pages are in plain technical English: words that other systems of this kind hardly
# use (libfabric, UCX, SQLite, liburing and others have 0.2 of them per 1,000) stay rare here. Tests are left out.
set -u
perl=${PERL:-perl}
command -v "$perl" >/dev/null || { echo "SKIP: no perl"; exit 77; }
cd "${top_srcdir:-.}" || exit 1
exec "$perl" - "$@" <<'END_PERL'
use strict;
use warnings;
use File::Find;

my $most = 2;                       # per 1,000 words, of each kind
my $listed = qr/\b(?:who|whoever|those (?:that|of|which|who)|behind|what is|nobody|no one|alone|told|tells of|lets? go of
                 |gives? back|given back|amid|in the midst|in vain|likewise|meanwhile|so many|so much|goes on|go on|dearer
                 |come to|comes to|stands for|of its own)\b/xi;
my (%words, %hits, @lines);

sub count {
    my ($kind, $file, $line, $text) = @_;
    $words{$kind} += () = $text =~ /[A-Za-z']+/g;
    for (split /\n/, $text) {
        while (/($listed)/g) { $hits{$kind}++; push @lines, "$file:$line: $1" }
        $line++;
    }
}

sub count_source {
    my ($file, $text) = @_;
    my $line = 1;
    while ($text =~ m{\G(.*?)(?:/\*(.*?)\*/|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+')}gs) {
        my ($all, $code, $comment, $string) = ($&, $1, $2, $3);
        my $at = $line + ($code =~ tr/\n//);
        count('comments', $file, $at, $comment) if defined $comment;
        count('messages', $file, $at, $string) if defined $string;
        $line += $all =~ tr/\n//;
    }
}

sub count_file {
    my $path = $File::Find::name =~ s{^\./}{}r;
    my $kind = /\.[ch]$/ ? 'source' : /\.md$/ ? 'documents' : /\.[1-8](?:\.in)?$/ ? 'manual pages' : return;
    return if !-f || ($kind eq 'source' && $path =~ m{^tests/});
    open my $in, '<', $_ or die "$path: $!\n";
    my $text = do { local $/; <$in> };
    if ($kind eq 'source') { count_source($path, $text) } else { count($kind, $path, 1, $text) }
}

# Folders of a build have a config.status.
sub sources_only { grep { !-d || !(/^\.[^.]/ || $_ eq 'autom4te.cache' || -e "$_/config.status") } @_ }
find({ wanted => \&count_file, preprocess => \&sources_only }, '.');

my $failed = 0;
for my $kind (sort keys %words) {
    my $rate = 1000 * ($hits{$kind} // 0) / $words{$kind};
    printf "%-13s %6d words, %.1f of the listed per 1,000\n", $kind, $words{$kind}, $rate;
    $failed = 1 if $rate > $most;
}
if (keys %words < 4) { print "FAILED: only ", join(', ', sort keys %words), " found\n"; $failed = 1 }
print "FAILED: more than $most per 1,000; the lines:\n", map { "    $_\n" } @lines if $failed;
exit $failed;
END_PERL
