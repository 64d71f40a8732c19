# SPDX-License-Identifier: LGPL-2.1-or-later
# sor: each point is what theory says after so many sweeps, and in the end the solution; the same bits with any number
# of nodes, both protocols and both methods; and rows do move between the nodes.
set -u
app=${top_builddir:-.}/apps/sor
. "$(dirname "$0")/applib.sh"

# rows that end within pages; rows that are less than a page, so that all nodes write all pages
everywhere "1 2 3 4" --size 601 --sweeps 5
everywhere "2 4" --size 30 --sweeps 25 --omega 1.3
everywhere "1 2 3 4" --size 301 --sweeps 8 --method jacobi
# more nodes than rows
everywhere "3 5" --size 2 --sweeps 3
everywhere "2" --size 1 --sweeps 1 --method jacobi
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --size 1024
test -z "${HLRC_SOAK:-}" || everywhere "1 2 3 4 8 16" --size 1024 --method jacobi

# With the best omega the error is gone after some multiple of the size; Jacobi's method would have removed a tenth.
everywhere "3" --size 20 --sweeps 200
expect_out "solved" "verification .*at most [0-9.]*e-1[4-9] off the solution"
everywhere "3" --size 20 --sweeps 10 --method jacobi
expect_out "not solved" "verification .*at most 0[.][5-9][0-9]* off the solution"

# With rows of one page. In each half of 40 sweeps each node needs half of a row of the other, and gets a page at most;
# and node 0 the other half of the grid, in the end.
least=$((2 * 40 * 2 * 255 * 8 + 255 * 4096))
expect_traffic $least $((2 * 40 * 2 * 4096 * 5 / 4 + 257 * 4096 * 5 / 4)) --size 510 --sweeps 40 --no-verify

# Saved before each sweep, and continued on fewer nodes; the arrays of Jacobi's method have swapped roles at one of these
# checkpoints, and not at the other.
everywhere "3" --size 201 --sweeps 25 --method jacobi
run_job 3 ardmar --checkpoint "0:$work/saved" "$app" --size 201 --sweeps 25 --method jacobi --json "$work/json"
verified "saved"
for number in 25 24; do
    rm -rf "$work/copy" "$work/json"
    cp -r "$work/saved" "$work/copy"
    rm -f "$work/copy/manifest.$((number + 1))"
    run_job 2 ardmar --restart "$work/copy" --checkpoint 1h
    verified "from checkpoint $number"
    test "$(field nodes)" = 2 || fail "from checkpoint $number: $(field nodes) nodes"
done

refused "--size 0: out of range" --size 0
refused "--omega 2: out of range" --omega 2
refused "choose sor or jacobi" --method gauss
refused "of no use to --method jacobi" --omega 1.5 --method jacobi
finish
