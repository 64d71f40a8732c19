# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs - what scripts that run programs have in common: a command with a limit of time, files of JSON, medians.

package Runs;

use strict;
use warnings;
use Exporter qw(import);
use JSON::PP;
use POSIX qw(:sys_wait_h);

our @EXPORT = qw(run_command end_command file_text read_json write_json median first_line);

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

# The content of a file; empty where there is none.
sub file_text {
    my ($file) = @_;
    open my $in, '<', $file or return '';
    local $/;
    return scalar(<$in>) // '';
}

sub first_line { my ($file) = @_; return (split /\n/, file_text($file))[0] // '' }

# Undefined where the file is absent or is no JSON.
sub read_json { my ($file) = @_; return eval { JSON::PP->new->decode(file_text($file)) } }

sub write_json {
    my ($file, $value) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    print $out JSON::PP->new->canonical->pretty->encode($value);
    close $out or die "$file: $!\n";
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    my $mid = int(@sorted / 2);
    return @sorted % 2 ? $sorted[$mid] : ($sorted[$mid - 1] + $sorted[$mid]) / 2;
}

1;
