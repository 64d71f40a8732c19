# SPDX-License-Identifier: LGPL-2.1-or-later
# gauss: the residual is small, by a published measure, and the solution the known one; the same bits with any number of
# nodes and both protocols; and rows do move between the nodes. lu likewise, however it has its blocks and reads those of
# others; the bits do not depend on that. gups: a second pass finds the same table, whichever way updates go.
set -u
app=${top_builddir:-.}/apps/gauss
. "$(dirname "$0")/applib.sh"

# rows that end within pages; several rows in a page; another system
everywhere "1 2 3 4" --size 150
everywhere "2 3" --size 33
everywhere "2" --size 60 --seed 5
expect_out "solved" "verification .*unknowns at most [0-9.]*e-1[0-9] off"
# more nodes than rows
everywhere "5" --size 3
everywhere "1 2" --size 1
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --size 512
test -z "${HLRC_SOAK:-}" || everywhere "2 16" --size 1000

# With rows of one page. Each pivot row goes to the node of two that has not made it, except perhaps the last ones; and
# in each step one of them gets the page of the right-hand side and that of the offers. Pages are counted, not bytes: how
# often a node looks whether a page is up to date depends on how busy the machine is.
HLRC_STATS=$work/stats.json run_job 2 ardmar "$app" --size 512 --no-verify
expect_status "fetches" 0
stats_read "fetches" "$work/stats.json" 2
fetches=$(figure page_fetches | awk '{ sum += $1 } END { print sum + 0 }')
test "$fetches" -ge 500 || fail "$fetches pages fetched, fewer than rows that must move"
test "$fetches" -le $((512 * 3 * 5 / 4)) || fail "$fetches pages fetched, more than are read after a change"

refused "--size 40000: out of range" --size 40000
refused '' 100

app=${top_builddir:-.}/apps/lu
everywhere "2 3" --size 100 --block 16
first=$expected
everywhere "2 4" --size 100 --block 16 --by gets
everywhere "3" --size 100 --block 16 --layout rows --distribution block
everywhere "4" --size 100 --block 16 --layout rows --by gets
everywhere "5" --size 100 --block 16 --by gets --distribution block
test "$expected" = "$first" || fail "the layout changes the result: $expected, not $first"
everywhere "2" --size 7 --block 32
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --size 512
refused "unknown; choose blocks or rows" --layout diagonal

app=${top_builddir:-.}/apps/gups
everywhere "1 2 3" --table 2^12
first=$expected
everywhere "1 2 3" --table 2^12 --by puts
test "$expected" = "$first" || fail "puts change the result: $expected, not $first"
everywhere "2 3" --table 2^10 --by locks
everywhere "1" --table 2^12 --by locks --locks 7
test "$expected" = "$first" || fail "locks change the result: $expected, not $first"
# the published period of the stream
everywhere "2" --table 2^12 --first 1317624576693539401
test "$expected" = "$first" || fail "another result a period later: $expected, not $first"
everywhere "3" --table 2 --by puts
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --table 2^18 --by puts
refused "not a power of two" --table 1000
finish
