# SPDX-License-Identifier: LGPL-2.1-or-later
# IS and FT verify, against published values, with every number of nodes and both protocols, give the same bits whatever
# those are, and move their data by the DSM; FT also by gets. With HLRC_SOAK each combination runs twenty times.
set -u
app=${top_builddir:-.}/apps/is
. "$(dirname "$0")/applib.sh"
JOB_SECONDS=300
# instrumented, class A takes minutes
is_class=A nodes="1 2 3 4 8 16"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || is_class=S nodes="1 2 4"

all() {
    app=${top_builddir:-.}/apps/is
    everywhere "$nodes" --class $is_class
    everywhere "3" --class S --by lock
    app=${top_builddir:-.}/apps/fft3d
    everywhere "$nodes" --class S
    everywhere "$nodes" --class S --by gets
    everywhere "1 3 5" --grid 512x8x16 --by gets
    run_job 3 onesided "$app" --grid 512x8x16 --by gets --json "$work/json"
    verified "3 nodes, onesided, by gets"
}
over_rounds all

# Seven transposes of 64^3 complex numbers, for each of which a node reads a quarter of the array.
least=$((7 * 2 * (64 * 64 * 64 * 16) / 4))
expect_traffic $least $((least * 5 / 4)) --class S --no-verify
# By gets the same bytes, and hardly a page: of checksums.
expect_traffic $least $((least * 5 / 4)) --class S --no-verify --by gets
pages=$(figure page_fetches | awk '{ sum += $1 } END { print sum }')
test "$pages" -le 16 || fail "by gets $pages pages were fetched"
# Ten times each node reads what the other counted of its half of the key values: 2^16 of them in class W. Once more
# before the time is taken; the keys themselves stay where they are. A page of counts that did not change would stay as
# well: with --hot-pages the home compares.
app=${top_builddir:-.}/apps/is
least=$((10 * 2 * (1 << 16) / 2 * 4))
HLRC_HOT_PAGES=0 expect_traffic $least $((least * 3 / 2)) --class W --no-verify
finish
