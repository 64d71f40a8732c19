# SPDX-License-Identifier: LGPL-2.1-or-later
# water: forces are the gradient of the energy, which is conserved; and the final state has the same bits with any
# number of nodes and both protocols, with hints and without, also when molecules change hands. So it is with forces that
# are added up under locks, whatever the order of additions.
set -u
app=${top_builddir:-.}/apps/water
. "$(dirname "$0")/applib.sh"

# instrumented, it takes ten times as long
steps=150 nodes="3 4"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || steps=100 nodes=3

everywhere "1 2 3 4" --molecules 343
everywhere "2 3" --molecules 64 --cutoff 4 --steps 10 --no-hints
# a lattice with vacancies
everywhere "4" --molecules 100 --cutoff 4.7
# Long enough that molecules go from row to row; nearly all rows have another node's beside them.
everywhere "$nodes" --molecules 343 --cutoff 4 --steps $steps --dt 0.35
expect_out "moving" "verification .* [1-9][0-9]* changed rows"
everywhere "1 2 3 4" --molecules 343 --forces locks
everywhere "3" --molecules 100 --cutoff 4.7 --forces locks
everywhere "4" --molecules 343 --cutoff 3.3 --steps 45 --dt 0.4 --forces locks
expect_out "moving, locks" "verification .* [1-9][0-9]* changed rows"
# more nodes than rows of cells
everywhere "12" --molecules 64 --cutoff 4
everywhere "12" --molecules 64 --cutoff 4 --forces locks
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --molecules 4096
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --molecules 8192

# At the start and in each of 3 steps each node reads the two layers of cells, of 7, on either side of its own: 72
# bytes for each molecule. The lattice has layers of unequal size, hence less; rows end within pages, hence more.
layers=$((2 * 4 * 72 * 4096 * 2 / 7))
expect_traffic $((layers * 3 / 4)) $((layers * 2)) --molecules 4096 --no-verify

refused "choose a smaller cut-off or more molecules" --molecules 64
refused "choose rows or locks" --molecules 343 --forces all
run_job 2 ardmar "$app" --molecules 343 --steps 40 --dt 5
test "$status" != 0 || fail "a time step of 5 fs passed"
finish
