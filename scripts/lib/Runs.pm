# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs - what scripts that run programs have in common: a command with a limit of time, files of JSON, medians.

package Runs;

use strict;
use warnings;
use Exporter qw(import);
use POSIX qw(:sys_wait_h);

our @EXPORT = qw(run_command end_command file_text first_line read_json write_json read_lines append_to append_line csv_rows median);

my $child; # the process that runs, to be ended with this one

sub end_command {
    return if !$child;
    kill 'TERM', $child;
    waitpid $child, 0;
    undef $child;
}

# Runs a command without input. Returns a shell's status, 124 after HOW's timeout. HOW: timeout, seconds; output and errors, files
# (without errors, both go to output); waiting, a sub that is called now and then meanwhile.
sub run_command {
    my ($how, @command) = @_;
    $child = fork // die "fork: $!\n";
    if ($child == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', $how->{output};
        defined $how->{errors} ? open STDERR, '>', $how->{errors} : open STDERR, '>&', \*STDOUT;
        exec 'timeout', '-k', 5, $how->{timeout}, @command or exit 127;
    }
    if ($how->{waiting}) {
        # the signal of the child's end cuts the wait short; a twentieth of a second, should it come before the wait
        local $SIG{CHLD} = sub { };
        while (waitpid($child, WNOHANG) == 0) {
            $how->{waiting}->();
            select undef, undef, undef, 0.05;
        }
    } else {
        waitpid $child, 0;
    }
    my $status = $?;
    undef $child;
    return $status & 127 ? 128 + ($status & 127) : $status >> 8;
}

# Loaded when it is first needed: perl-base does not have it, and scripts/run starts on machines that have no other perl.
sub json { require JSON::PP; return JSON::PP->new->canonical }

# The content of a file; empty where there is none.
sub file_text {
    my ($file) = @_;
    open my $in, '<', $file or return '';
    local $/;
    return scalar(<$in>) // '';
}

sub first_line { my ($file) = @_; return (split /\n/, file_text($file))[0] // '' }

# Undefined where the file is absent or is no JSON.
sub read_json { my ($file) = @_; return eval { json()->decode(file_text($file)) } }

sub write_json {
    my ($file, $value) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    print $out json()->pretty->encode($value);
    close $out or die "$file: $!\n";
}

# ---- Files of one JSON object a line, of which a run that ends early leaves at most the last one torn ----

# The objects of a file, and the bytes of its whole lines.
sub read_lines {
    my ($file) = @_;
    my ($good, @values) = (0);
    for my $line (file_text($file) =~ /(.*\n)/g) {
        my $value = eval { json()->decode($line) };
        last if ref $value ne 'HASH';
        push @values, $value;
        $good += length $line;
    }
    return ($good, @values);
}

# To append to a file, behind so many bytes.
sub append_to {
    my ($file, $good) = @_;
    open my $out, '>>', $file or return undef;
    truncate $out, $good or return undef;
    return $out;
}

# By one write.
sub append_line {
    my ($out, $value) = @_;
    my $line = json()->encode($value) . "\n";
    my $written = syswrite $out, $line;
    die "a result is not written: $!; free some room, and start again: what is done is kept\n" if !defined $written || $written != length $line;
}

# The rows of a table of CSV without quotes, by column.
sub csv_rows {
    my ($text) = @_;
    my ($head, @lines) = split /\n/, $text;
    my @columns = split /,/, $head // '';
    return map { my %row; @row{@columns} = split /,/, $_, -1; \%row } @lines;
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    my $mid = int(@sorted / 2);
    return @sorted % 2 ? $sorted[$mid] : ($sorted[$mid - 1] + $sorted[$mid]) / 2;
}

1;
