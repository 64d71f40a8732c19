# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Apps - the applications that scripts run: a line for a list of them, a name for tables, the option of their size.
#
# Sizes: small and large are the paper's, where it has the application; its programs take milliseconds on a CPU of today. At the
# size long a run of the first five, its input and its verification, takes one to three seconds, so that two nodes can be faster
# than one; numbers of steps are left to the applications, which follow SPLASH-2 and NAS, but for that size (MORE of scripts/run).
# `evaluate` has the sizes that are others in scripts/evaluate, where tiny ones are for a test of the script. `paper` has the
# paper's time(async) / time(ardmar) on 16 nodes; for water at the small size it says only "below 1".

package Apps;

use strict;
use warnings;

our %APP = (
    is     => { what => 'integer sort of the NAS benchmarks', name => 'IS', unit => 'keys', option => '--keys', paper => { large => 1.41 },
                size => { tiny => '2^16', small => '2^21', large => '2^23', long => '2^25' }, evaluate => { tiny => '2^10' } },
    fft3d  => { what => '3-D FFT of the NAS benchmarks', name => '3DFFT', unit => 'points', option => '--grid', paper => { large => 1.18 },
                size => { tiny => '32^3', small => '64^3', large => '128^3', long => '256x256x128' }, evaluate => { tiny => '8^3' } },
    barnes => { what => 'Barnes-Hut N-body', name => 'Barnes', unit => 'bodies', option => '--bodies', paper => { small => 1.9, large => 1.73 },
                size => { tiny => 1024, small => 16384, large => 32768, long => 32768 }, evaluate => { tiny => 256 } },
    radix  => { what => 'radix sort of SPLASH-2', name => 'RS', unit => 'keys', option => '--keys', paper => { large => 2.25 },
                size => { tiny => 65536, small => 524288, large => 2621440, long => '2^24' }, evaluate => { tiny => 4096 } },
    water  => { what => 'molecular dynamics of water', name => 'Water', unit => 'molecules', option => '--molecules',
                paper => { small => '< 1', large => 1.02 }, size => { tiny => 512, small => 4096, large => 8192, long => 8192 } },
    tsp    => { what => 'travelling salesman', unit => 'cities', option => '--cities',
                size => { tiny => 10, small => 16, large => 19, long => 19 } },
    qsort  => { what => 'quicksort on a stack of ranges', unit => 'keys', option => '--keys',
                size => { tiny => '2^14', small => '2^20', large => '2^22', long => '2^22' } },
    cg     => { what => 'conjugate gradients of NAS', unit => 'rows', option => '--rows',
                size => { tiny => 1400, small => 7000, large => 14000, long => 14000 } },
    sor    => { what => 'red-black over-relaxation', unit => 'rows', option => '--size',
                size => { tiny => 128, small => 1024, large => 2048, long => 2048 } },
    gauss  => { what => 'Gaussian elimination', unit => 'equations', option => '--size',
                size => { tiny => 128, small => 1024, large => 2048, long => 2048 } },
    lu     => { what => 'LU of SPLASH-2, by blocks', name => 'LU', unit => 'rows', option => '--size',
                size => { tiny => 128, small => 1024, large => 3072, long => 3072 }, evaluate => { tiny => 64 } },
    gups   => { what => 'RandomAccess, by atomics', name => 'RandomAccess by atomics', unit => 'words', option => '--table',
                size => { tiny => '2^12', small => '2^20', large => '2^22', long => '2^22' },
                evaluate => { tiny => '2^8', small => '2^16', large => '2^20' } },
);

# A program with arguments of its own.
sub variant {
    my ($program, $what, @arguments) = @_;
    return { %{ $APP{$program} }, program => $program, what => $what, name => $what, arguments => \@arguments, paper => {} };
}

1;
