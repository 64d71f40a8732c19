# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Options - the command line of the Perl scripts. The usage text declares the options: a line of it that begins with
# "  --name" is a switch, with "  --name VALUE" an option with a value, with "  --name LIST" one with values between commas.

package Options;

use strict;
use warnings;
use Exporter qw(import);
use Getopt::Long qw(:config no_auto_abbrev bundling);

our @EXPORT = qw(parse_options usage_error fail);
our $clear = sub { }; # called before a message, where a script has a line of progress on the terminal

my $script = 'scripts/' . $0 =~ s{.*/}{}r;

sub stop_with { my ($status, @text) = @_; $clear->(); print STDERR "$script: @text\n"; exit $status }
sub usage_error { stop_with(2, @_) }
sub fail { stop_with(1, @_) }

# One value, as CHECK says: "1-100" is a range of numbers, a list of words has the values to choose from.
sub check_value {
    my ($option, $value, $check) = @_;
    if (ref $check) {
        return $value if grep { $_ eq $value } @$check;
        usage_error("--$option '$value': unknown; choose from " . join ', ', @$check);
    }
    my ($min, $max) = split /-/, $check;
    return $value + 0 if $value =~ /^\d{1,9}$/ && $value >= $min && $value <= $max;
    usage_error("--$option '$value': not a number from $min to $max");
}

# The values of a list, each once.
sub check_list {
    my ($option, $value, $check) = @_;
    my %seen;
    return [grep { !$seen{$_}++ } map { check_value($option, $_, $check) } $value eq '' ? '' : split /,/, $value, -1];
}

# The options by name, checked, and under "extra" what is after "--", where the usage text has that. %$default has the
# values of options that are not given; %check what check_value says of an option; arguments => 1 leaves arguments in @ARGV.
sub parse_options {
    my ($usage, $default, %check) = @_;
    my %opt = (%$default, extra => []);
    my ($dashes) = grep { $ARGV[$_] eq '--' } 0 .. $#ARGV;
    (undef, @{ $opt{extra} }) = splice @ARGV, $dashes if defined $dashes && $usage =~ /\[-- /;
    my @declared = grep { $_->[1] ne 'help' } map { /^  (?:-(\w), )?--([\w-]+)(?: ([A-Z]+)\b)?/ ? [$1, $2, $3] : () } split /\n/, $usage;
    my %value = map { $_->[1] => $_->[2] } @declared;
    local $SIG{__WARN__} = sub {
        chomp(my $text = $_[0]);
        $text =~ s/^Unknown option: (.*)/--$1: unknown option/;
        $text =~ s/^Option (\S+) requires an argument/--$1: a value is missing/;
        usage_error("$text; see $script --help");
    };
    GetOptions(\%opt, 'help|h', map { my ($short, $name, $value) = @$_; $name . ($short ? "|$short" : '') . ($value ? '=s' : '') } @declared);
    if ($opt{help}) { print $usage; exit 0 }
    @ARGV == 0 || $check{arguments} or usage_error("$ARGV[0]: no such argument; see $script --help");
    for my $option (grep { defined $opt{$_} } grep { $_ ne 'arguments' } sort keys %check) {
        my $test = ($value{$option} // '') eq 'LIST' ? \&check_list : \&check_value;
        $opt{$option} = $test->($option, $opt{$option}, $check{$option});
    }
    return %opt;
}

1;
