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

# ---- A usage text in 80 columns ----

my $COLUMNS = 80;

sub wrapped {
    my ($first, $indent, @words) = @_;
    my @lines = $first;
    for my $word (@words) {
        my $line = $lines[-1] =~ /\s$/ || $lines[-1] eq '' ? "$lines[-1]$word" : "$lines[-1] $word";
        if (length $line > $COLUMNS && $lines[-1] =~ /\S/) { push @lines, ' ' x $indent . $word } else { $lines[-1] = $line }
    }
    return @lines;
}

# An entry of a list, whose first line begins in column 3, or a paragraph. It stays as it is if it fits. Explanations begin in the
# column of the entry's own, or of the one before.
my $explained = 2;

sub item_lines {
    my @lines = @_;
    my ($name, $rest) = $lines[0] =~ /^(  \S+(?: \S+)*?  +)(\S.*)$/ ? ($1, $2) : $lines[0] =~ /^( *)(.*)$/;
    $explained = length $name if $name =~ /\S/;
    return @lines if !grep { length > $COLUMNS } @lines;
    return wrapped($name, $name eq '' ? 0 : $explained, map { split } $rest, @lines[1 .. $#lines]);
}

sub columns {
    my ($text) = @_;
    my @items;
    for my $line (split /\n/, $text, -1) {
        my $begins = !@items || $line eq '' || $line =~ /^  \S/ || $items[-1][0] =~ /^(?:usage:.*)?$/ || $line =~ /^\S/ && $items[-1][0] =~ /^ /;
        if ($begins) { push @items, [$line] } else { push @{ $items[-1] }, $line }
    }
    return join "\n", map { item_lines(@$_) } @items;
}

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
    if ($opt{help}) { print columns($usage); exit 0 }
    @ARGV == 0 || $check{arguments} or usage_error("$ARGV[0]: no such argument; see $script --help");
    for my $option (grep { defined $opt{$_} } grep { $_ ne 'arguments' } sort keys %check) {
        my $test = ($value{$option} // '') eq 'LIST' ? \&check_list : \&check_value;
        $opt{$option} = $test->($option, $opt{$option}, $check{$option});
    }
    return %opt;
}

1;
