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
if [ -n "${HLRC_SOAK:-}" ]; then
    everywhere "1 2 3 4 8 16" --keys 524288
    everywhere "1 2 3 4 8 16" --keys 2621440
fi

# A file; numbers come in large and small ones, many of them more than once.
awk 'BEGIN {
    srand(5)
    for (i = 0; i < 30000; i++)
        printf "%.0f\n", int(rand() * (i % 3 ? 4294967296 : 1000))
}' >"$work/keys"
sort -n "$work/keys" >"$work/sorted"
everywhere "1 3" --input "$work/keys" --radix 256
run_job 3 ardmar "$app" --input "$work/keys" --output "$work/result"
expect_status "--output" 0
cmp "$work/sorted" "$work/result" || fail "the sorted file differs from that of sort -n"

# Two sorts of two passes; after each, half of each node's keys go over, in pages not more than once. A quarter for
# the histograms, and the ends of pages.
least=$((2 * 2 * (1 << 18) * 4 / 2))
expect_traffic $least $((least * 5 / 4)) --keys 2^18 --no-verify

run_job 2 ardmar "$app" --radix 1000
expect_status "--radix 1000" 2
expect_err "--radix 1000" "--radix 1000: not a power of two"
echo 17 x >"$work/keys"
run_job 2 ardmar "$app" --input "$work/keys"
expect_status "bad file" 2
expect_err "bad file" "line 1 is no key"
run_job 2 ardmar "$app" --input "$work/none"
expect_status "no file" 2
finish
