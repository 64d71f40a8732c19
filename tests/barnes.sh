# SPDX-License-Identifier: LGPL-2.1-or-later
# barnes verifies, by direct summation, and its positions and velocities have the same bits whatever the number of
# nodes and the protocol. Its data moves by the DSM: not fewer bytes than the bodies that the nodes have to have. Bodies
# come from a file and go to one. The tree that all nodes build together, with locks, gives the same bits as well. With
# HLRC_SOAK each combination runs twenty times.
set -u
app=${top_builddir:-.}/apps/barnes
. "$(dirname "$0")/applib.sh"
JOB_SECONDS=300

# instrumented, it takes ten times as long
many=3000
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || many=1000

# shared_tree "N..." OPTION...: everywhere with --tree locks, and the results are those of the other tree
shared_tree() {
    local list=$1 zones
    shift
    "${app}_seq" "$@" --json "$work/json" >"$work/out" 2>"$work/err" || fail "sequential, $*: status $?"
    zones=$(field checksum)
    everywhere "$list" "$@" --tree locks
    test "$expected" = "$zones" || fail "$*: checksum $expected with --tree locks, $zones without"
}

all() {
    everywhere "1 2 3 4" --bodies $many
    shared_tree "1 2 3 4" --bodies $((many / 3))
    everywhere "4" --bodies $many --no-hints
    everywhere "3" --bodies $((many / 2)) --theta 0.5 --seed 7 --steps 9
    everywhere "8" --bodies 100 --eps 0.2
    shared_tree "8" --bodies 100 --eps 0.2
    everywhere "4" --bodies 2
    shared_tree "3" --bodies 2
}
over_rounds all

# All bodies begin at node 0; a body is 64 bytes, and zones are not quite equal. The tree moves as well, in every step.
least=$((3000 * 64 / 2 * 9 / 10))
expect_traffic $least $((least * 40)) --bodies 3000

# Out and in again. The third file has bodies that no key tells apart, and most of the mass in one.
run_job 1 ardmar "$app" --bodies 1000 --output "$work/one"
expect_status "one node, --output" 0
run_job 3 ardmar "$app" --bodies 1000 --output "$work/three"
expect_status "three nodes, --output" 0
cmp "$work/one" "$work/three" || fail "the output depends on the number of nodes"
[ "$(grep -vc '^#' "$work/one")" -eq 1000 ] || fail "the output has not 1000 bodies"
everywhere "3" --input "$work/one"
awk 'BEGIN { print "# a comment\n\n1 0 0 0 0 0 0"
    for (i = 0; i < 400; i++) printf "1e-6 %d.5 %d %g 0 0 0 # %d\n", i % 3, i % 2, i < 200 ? 0 : i, i }' >"$work/dense"
everywhere "4" --input "$work/dense" --dt 0.001
shared_tree "4" --input "$work/dense" --dt 0.001

printf '1 0 0 0 0 0 0\n1 0 0 0 0 0\n' >"$work/short"
refused 'line 2' --input "$work/short"
refused 'No such file' --input "$work/none"
refused 'out of range' --theta 1.5
refused 'choose zones or locks' --tree private
finish
