# SPDX-License-Identifier: LGPL-2.1-or-later
# radix: sorts, also in the eyes of sort(1); the same result with any number of nodes and both protocols, with hints and
# without; and keys do move between the nodes.
set -u
app=${top_builddir:-.}/apps/radix
. "$(dirname "$0")/applib.sh"

everywhere "1 2 3 4" --keys 100003
everywhere "2 3" --keys 20000 --radix 16 --max-key 2^32 --no-hints
everywhere "1 4" --keys 5000 --max-key 3
everywhere "2" --keys 1 --max-key 1
everywhere "1 3" --keys 50003 --by writes
if [ -n "${HLRC_SOAK:-}" ]; then
    everywhere "1 2 3 4 8 16" --keys 524288
    everywhere "1 2 3 4 8 16" --keys 2621440
fi

sorts_file --radix 256

# Two sorts of two passes; after each, half of each node's keys go over, in pages not more than once. A quarter for
# the histograms, and the ends of pages.
least=$((2 * 2 * (1 << 18) * 4 / 2))
expect_traffic $least $((least * 5 / 4)) --keys 2^18 --no-verify

refused "--radix 1000: not a power of two" --radix 1000
echo 17 x >"$work/keys"
refused "line 1 is no key" --input "$work/keys"
refused '' --input "$work/none"
finish
