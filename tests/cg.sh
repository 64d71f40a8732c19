# SPDX-License-Identifier: LGPL-2.1-or-later
# cg: finds the published eigenvalue, and for other sizes that of the outer products; the same bits with any number of
# nodes and both protocols; and the direction does move between the nodes in each step.
set -u
app=${top_builddir:-.}/apps/cg
. "$(dirname "$0")/applib.sh"

# instrumented, each of the thousand barriers takes ten times as long
nodes="1 2 3 4"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || nodes="1 3"

everywhere "$nodes" --class S
expect_out "class S" "published"
# blocks of 9 rows, of which the last has 3; and a matrix that is not the class's
everywhere "2 3" --rows 1029 --nonzer 5 --iterations 2
expect_out "1029 rows" "outer products"
everywhere "4" --class S --seed 77 --iterations 1
# fewer rows than nodes; solved long before the last step
everywhere "4" --rows 3 --nonzer 3 --iterations 1
if [ -n "${HLRC_SOAK:-}" ]; then
    everywhere "1 2 3 4 8 16" --class W
    everywhere "1 2 3 4 8 16" --class A
fi

# Two iterations, one of them beforehand, of 25 steps, in each of which each node reads the other half of 8,192 numbers;
# and once the solution. The page of sums moves twice in each step.
least=$((2 * (25 + 1) * 8192 * 8))
# What is written in one of four intervals and announced in each, since it is writable, would be renewed in each.
HLRC_RENEW=0 expect_traffic $least $((least * 3 / 2)) --rows 8192 --nonzer 1 --iterations 1 --no-verify

refused "--class X: unknown; choose S, W, A or B" --class X
refused "--nonzer 7: a vector has 5 places" --rows 5
refused "choose an odd one" --seed 8
# between the eigenvalues
run_job 2 ardmar "$app" --rows 1000 --nonzer 5 --shift 3 --iterations 1
expect_status "--shift 3" 1
expect_out "--shift 3" "below an eigenvalue.*choose a larger one"
finish
