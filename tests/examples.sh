# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples say what they should, with one node and several, under both protocols.
set -u
. "$(dirname "$0")/lib.sh"
examples=$top_builddir/examples

# says N PROTOCOL EXAMPLE "LINE": standard output, sorted
says() {
    run_job "$1" "$2" "$examples/$3"
    expect_status "$3, $1 nodes, $2" 0
    test "$(sort "$work/out")" = "$4" || fail "$3, $1 nodes, $2: $(cat "$work/out")"
}

for protocol in ardmar async; do
    for nodes in 1 3; do
        says $nodes $protocol 01-hello "$(for ((i = 0; i < nodes; i++)); do echo "node $i of $nodes"; done)"
        says $nodes $protocol 02-counter "100 times by each of $nodes nodes"
        # pi(200000), from published tables
        says $nodes $protocol 05-shares "17984 primes below 200000"
    done
    # 60 * 61 / 2
    says 3 $protocol 04-mailbox "60 letters taken, sum 1830"
    # half of the rod at 100, and no heat is lost; the middle, right of the step, is not yet half as warm
    run_job 1 $protocol "$examples/06-rod"
    one=$(cat "$work/out")
    case $one in "in the middle 4"?.*", all together 3276800.000") ;; *) fail "06-rod: $one" ;; esac
    for nodes in 2 5; do says $nodes $protocol 06-rod "$one"; done
done
says 1 ardmar 04-mailbox "0 letters taken, sum 0"
# node k's neighbour wrote k + 1 into 16 pages of 512 words
says 2 ardmar 03-homes "node 0: its part lives at node 0, its neighbour's at node 1; sum 8192, 16 pages fetched
node 1: its part lives at node 1, its neighbour's at node 0; sum 0, 16 pages fetched"
finish
