# SPDX-License-Identifier: LGPL-2.1-or-later
# For tests that run the examples, sourced: what each of them says.

# example_says EXAMPLE NODES: its standard output, sorted
example_says() {
    local i
    case $1 in
    01-hello) for ((i = 0; i < $2; i++)); do echo "node $i of $2"; done ;;
    02-counter) echo "100 times by each of $2 nodes" ;;
    # node k's neighbour wrote k + 1 into 16 pages of 512 words
    03-homes)
        for ((i = 0; i < $2; i++)); do
            echo "node $i: its part lives at node $i, its neighbour's at node $(((i + 1) % $2));" \
                "sum $((16 * 512 * ((i + 1) % $2))), 16 pages fetched"
        done ;;
    # 60 * 61 / 2; a node alone has nobody to write to
    04-mailbox) echo "$((60 * ($2 > 1))) letters taken, sum $((60 * 61 / 2 * ($2 > 1)))" ;;
    # pi(200000), from published tables
    05-shares) echo "17984 primes below 200000" ;;
    # Half of the rod at 100, and no heat is lost. A point's heat has gone a quarter to either side 200 times, as the sum of
    # 400 coins does; the middle is right of the step.
    06-rod)
        awk 'BEGIN {
            for (even = i = 1; i <= 200; i++)
                even *= (200 + i) / i / 4
            printf "in the middle %.6f, all together 3276800.000\n", 100 * (1 - even) / 2
        }' ;;
    esac
}
