# SPDX-License-Identifier: LGPL-2.1-or-later
# tsp: finds the shortest tour, as dynamic programming does, and on a grid of cities, where its length is known; the
# same length with any number of nodes and both protocols, wherever tours are completed, and when the pool is full.
set -u
app=${top_builddir:-.}/apps/tsp
. "$(dirname "$0")/applib.sh"

everywhere "1 2 3 4" --cities 13
everywhere "2 3" --cities 9 --threshold 1 --seed 7
# one node: the pool is full again and again
everywhere "1" --cities 13 --threshold 1
everywhere "4" --cities 3
everywhere "2" --cities 12 --threshold 20
[ -z "${HLRC_SOAK:-}" ] || everywhere "1 2 3 4 8 16" --cities 16

# On a grid with an even side no step need be longer than the distance of neighbours; with odd sides one must be a
# diagonal.
grid() { # WIDTH HEIGHT
    awk -v width="$1" -v height="$2" 'BEGIN {
        for (i = 0; i < width * height; i++)
            print 100 * (i * 7 % width), 100 * int(i / width)
    }' >"$work/cities"
}
grid 4 4
everywhere "1 3" --input "$work/cities"
test "$expected" = 1600 || fail "a grid of 4 by 4: a tour of $expected, not 1600"
grid 3 3
everywhere "2" --input "$work/cities"
test "$expected" = 941 || fail "a grid of 3 by 3: a tour of $expected, not 941"

refused "--cities 21: out of range" --cities 21
refused "--threshold x: not a number" --threshold x
grid 2 1
refused "too few cities" --input "$work/cities"
grid 7 3
refused "too many cities" --input "$work/cities"
echo 17 x >"$work/cities"
refused "line 1 is no city" --input "$work/cities"
refused "name a file that every node can read" --input "$work/none"
finish
