# SPDX-License-Identifier: LGPL-2.1-or-later
# qsort: sorts, also in the eyes of sort(1) and of radix; the same result with any number of nodes and both protocols,
# however the keys are distributed, and when nodes take many small ranges.
set -u
app=${top_builddir:-.}/apps/qsort
. "$(dirname "$0")/applib.sh"

everywhere "1 2 3 4" --keys 50003
sum=$expected
"${top_builddir:-.}/apps/radix_seq" --keys 50003 --max-key 2^32 --json "$work/json" >"$work/out" 2>&1
test "$(field checksum)" = "$sum" || fail "radix sorts the same keys to $(field checksum), not $sum"

everywhere "2 3" --keys 5000 --threshold 16
everywhere "2" --keys 20000 --distribution sorted
everywhere "3" --keys 20000 --distribution reversed
everywhere "2" --keys 20000 --distribution few
for keys in 1 2 3 17; do everywhere "2" --keys $keys --threshold 16; done
[ -z "${HLRC_SOAK:-}" ] || everywhere "1 2 3 4 8 16" --keys 2^20

sorts_file

refused "--threshold 15: out of range" --threshold 15
refused "--distribution normal: unknown; choose uniform, sorted, reversed or few" --distribution normal
refused "--keys 0: out of range" --keys 0
echo 17 x >"$work/keys"
refused "line 1 is no key" --input "$work/keys"
refused "name a file that every node can read" --input "$work/none"
finish
