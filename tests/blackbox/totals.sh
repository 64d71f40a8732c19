# SPDX-License-Identifier: LGPL-2.1-or-later
# What --stats writes at the end of a job, as table and as JSON: every field of every node is there, and the node's own;
# bytes that leave arrive; the parts of the time add up to the whole, which is no longer than the job took.
. "$(dirname "$0")/../lib.sh"
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
figures=$top_builddir/tests/blackbox/figures
test -x "$programs/rule03_barrier" -a -x "$figures" || skip "the litmus programs are not built"

# parts WHAT NODES ROUNDED: compute + page + lock + barrier + diff is wall on each node, which is no more than $seconds;
# each of them may be off by ROUNDED
parts() {
    paste <(figure wall_s) <(figure compute_s) <(figure page_s) <(figure lock_s) <(figure barrier_s) <(figure diff_s) \
        <(figure fault_s) | awk -v nodes="$2" -v off="$3" -v most="$seconds" '
            NF != 7 { print "a figure is missing:", $0; next }
            { s = $2 + $3 + $4 + $5 + $6 }
            s < 0.98 * $1 - 6 * off || s > 1.02 * $1 + 6 * off { print "parts", s, "of", $1 }
            $1 <= -off || $1 > most + off { print "wall", $1, "in a job of", most }
            $7 > $2 + 2 * off { print "faults", $7, "of", $2, "computing" }
            END { if (NR != nodes) print NR, "nodes" }' >"$work/wrong"
    test ! -s "$work/wrong" || fail "$1: $(cat "$work/wrong")"
}

# job N PROTOCOL FILE PROGRAM...: with --stats=FILE ("-": standard error), read
job() {
    local begun=${EPOCHREALTIME/[.,]/} nodes=$1 protocol=$2 file=$3
    shift 3
    rm -f "$work/stats" "$work/stats.json"
    what="$protocol, $nodes nodes, ${*##*/}, --stats=${file##*/}"
    run_job "$nodes" "$protocol" --stats="$file" "$@"
    seconds=$(awk -v us=$((${EPOCHREALTIME/[.,]/} - begun)) 'BEGIN { print us / 1e6 }')
    expect_status "$what" 0
    test "$file" != - || file=$work/err
    stats_read "$what" "$file" "$nodes"
}

total() {
    figure "$1" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

for protocol in async ardmar; do
    for program in rule03_barrier rule07_home locks; do
        job 3 $protocol "$work/stats.json" "$programs/$program"
        test "$(total bytes_in)" = "$(total bytes_out)" ||
            fail "$what: $(total bytes_in) bytes in, $(total bytes_out) out"
        test "$(total bytes_in)" -gt 0 || fail "$what: no bytes moved"
        parts "$what" 3 0.0000005
    done
done

# each node's figures are its own, whatever the layout, and nothing that was before a reset is in them
own() { # NODES FILE ROUNDED [reset]
    job "$1" ardmar "$2" "$figures" ${4-}
    test "$(figure lock_acquires | tr '\n' ' ')" = "$(seq -s ' ' "$1") " ||
        fail "$what: lock_acquires $(figure lock_acquires | tr '\n' ' ')"
    test "$(figure barriers | sort -u)" = 2 || fail "$what: barriers $(figure barriers | tr '\n' ' ')"
    parts "$what" "$1" "$3"
}
for nodes in 1 3 4; do
    own $nodes - 0.0005
    own $nodes "$work/stats" 0.0005
    own $nodes "$work/stats.json" 0.0000005
done
own 9 "$work/stats.json" 0.0000005 reset
run_job 9 ardmar --stats "$figures"
expect_err "9 nodes" '^lock_acquires +1 +0 +5\.0 +9 +8 +45$'
expect_err "9 nodes" '^barriers +2 +0 +2\.0 +2 +0 +18$'
own 3 "$work/stats.json" 0.0000005 reset

# the head says what the job was
export HLRC_FABRIC=shm
job 2 async - "$figures"
expect_err "$what" '^hlrc: statistics: protocol async, fabric shm, 2 nodes, [0-9.]+ s$'
job 2 async "$work/stats.json" "$figures"
head='^\{"protocol": *"async", *"fabric": *"shm", *"nodes": *2, *"wall_s": *[0-9.]+, *"per_node": *\['
grep -qE "$head" "$work/stats.json" || fail "$what: $(head -1 "$work/stats.json")"
test "$(stats_wall "$work/stats.json")" = "$(figure wall_s | sort -g | tail -1)" ||
    fail "$what: wall $(stats_wall "$work/stats.json") is not the longest of $(figure wall_s | tr '\n' ' ')"

# what is not there is missed: the reader of the statistics itself can fail
sed 's/"diff_s": [0-9.]*, //' "$work/stats.json" >"$work/less.json"
missed() { # WHAT PATTERN FILE NODES
    (failures=0; stats_read "$1" "$3" "$4" >"$work/said"; test $failures -gt 0) || fail "$1 is not missed"
    grep -q -- "$2" "$work/said" || fail "$1 is not named: $(cat "$work/said")"
}
missed "a field" 'diff_s of node 0' "$work/less.json" 2
missed "a node" 'of node 2' "$work/stats.json" 3
missed "a file" 'no statistics' "$work/none" 2
finish
