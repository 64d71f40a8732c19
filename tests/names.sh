#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Names of functions: each begins with its module, which is its file (page_flush_begin is in page_flush.c), the header that
# declares it, or a file of which its own is a part (page.c, for page_flush.c); and a library defines a name once. Names of
# structs, unions and enums begin with a module of their folder, or with their folder's name.
set -u
perl=${PERL:-perl}
. "$(dirname "$0")/faillib.sh"
once_with "$perl" ctags
ctags --version | grep -q '^Universal' || { echo "SKIP: ctags is not Universal Ctags (Debian: universal-ctags)"; exit 77; }
cd "${top_srcdir:-.}" || exit 1
exec "$perl" - <<'END'
use strict;
use warnings;

my @folders = qw(base boot fabric hlrc async ardmar onesided compat launch sim tools);
# Interfaces that others have named.
my $published = qr/^(hlrc_|GOMP_|GOACC_|omp_|kmp_|pthread_|sem_|P?ARMCI_|parmci_|shmem|Tmk_|jia_|_|main$|start_pes$)/;
# Functions of the C library that HLRC takes the place of, and names that an attribute or a pasted token requires.
my %other = map { $_ => 1 } qw(fopen fopen64 fread fstat fstat64 fwrite getcwd getrusage mmap printf lstat lstat64 msgctl msgrcv msgsnd nanosleep open open64
    pread pread64 pwrite pwrite64 read readv stat stat64 write writev sigaction signal sigprocmask
    alias nand);

my ($failures, $functions, $types) = (0, 0, 0);
sub fail { print "FAILED: @_\n"; $failures++ }

my @files = split /\n/, `find @folders -name '*.[ch]' | sort`;
my (%module, %declared, @defined, @types);
for (@files) { $module{$1}{$2} = 1 if m{^(.*)/([^/]+)\.[ch]$} }
open my $tags, '-|', 'ctags', '-x', '--kinds-C=fpsgu', '--languages=C', '--langmap=C:.c.h', "--_xformat=%N %K %F %f %C", @files or die;
while (<$tags>) {
    my ($name, $kind, $file, $static) = split;
    if ($kind eq 'prototype') { push @{ $declared{$name} }, $file if $file =~ /\.h$/ }
    elsif ($kind ne 'function') { push @types, [$name, $file] if /\b$kind\s+$name\b\s*\{/ }
    else { push @defined, [$name, $file, defined $static && $static ne '-'] }
}

# The module of a file, those of which it is a part, and the same with its folder before it.
sub modules {
    my ($folder, $own) = $_[0] =~ m{^(.*)/([^/]+)\.[ch]$};
    my @found = ($own);
    for (my $part = $own; $part =~ s/_[^_]*$//;) { push @found, $part if $module{$folder}{$part} }
    my ($room) = $folder =~ m{([^/]+)$};
    return (@found, "${room}_$own");
}

# Programs and libraries that are linked by themselves.
sub library {
    my ($file) = @_;
    return $1 if $file =~ m{^(compat/(?:shmem|armci|jiajia|treadmarks|reads)|sim|(?:launch|tools)/hlrc\w+|launch|tools|compat)\b};
    return 'libhlrc';
}

my %home;
for (@defined) {
    my ($name, $file, $static) = @$_;
    next if $name =~ /^[A-Z0-9_]+$/ || $other{$name} || ($name =~ $published && !$static);
    $functions++;
    my @may = modules($file);
    push @may, map { modules($_) } @{ $declared{$name} // [] } unless $static;
    fail("$file: $name does not begin with its module") unless grep { $name =~ /^\Q$_\E(_|$)/ } @may;
    $home{ library($file) }{$name}{$file} = 1;
}
for my $library (sort keys %home) {
    for my $name (sort keys %{ $home{$library} }) {
        my @in = sort keys %{ $home{$library}{$name} };
        fail("$library defines $name in @in") if @in > 1;
    }
}
for (@types) {
    my ($name, $file) = @$_;
    next if $name =~ $published;
    $types++;
    my ($folder) = $file =~ m{^(.*)/};
    fail("$file: $name does not begin with a module of its folder")
        unless grep { $name =~ /^\Q$_\E(_|$)/ } modules($file), keys %{ $module{$folder} }, $folder =~ m{([^/]+)$};
}
printf "%d functions, %d structs, unions and enums, %d failed\n", $functions, $types, $failures;
exit($failures > 0 || $functions < 3000 || $types < 500);
END
