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
    # 1000 * 1001 * 2001 / 6
    07-flag) echo "sum of the squares up to 1000: 333833500" ;;
    # the file that example_file has made
    primes-openmp | 09-primes | 10-primes | 11-primes) echo "17984 primes below 200000" ;;
    collatz-pthread) echo "below 1000000 it is 837799, with 524 steps" ;; # from published tables
    pi-parmacs) echo "pi is 3.141593" ;;
    letters-openmp)
        echo "$(stat -c %s "$example_in") bytes, $(wc -l <"$example_in") lines, $(tr -cd aeiou <"$example_in" | wc -c) small vowels" ;;
    # from published tables
    queens-treadmarks) echo "10 queens: 724 solutions" ;;
    # the energy that the program itself finds with a Fock matrix by one process
    field-armci) echo "16 atoms, 10 iterations, 640 tasks: energy -7.806524, as by one process" ;;
    08-file) echo "$(stat -c %s "$example_in") bytes, $(tr -cd a-z <"$example_in" | wc -c) letters changed" ;;
    esac
}

# example_file FOLDER: sets $example_in, two hundred pages and a bit, and $example_out, for 08-file
example_file() {
    example_in=$1/text example_out=$1/capitals
    seq -f 'line %.0f of a File' 50000 | head -c 820001 >"$example_in"
    rm -f "$example_out"
}

# Whether 08-file has written what it should.
example_written() {
    tr a-z A-Z <"$example_in" | cmp - "$example_out"
}
