# SPDX-License-Identifier: LGPL-2.1-or-later
# For shell tests that run jobs; sourced. A test calls fail as often as it must, and finish at its end.

top_builddir=${top_builddir:-.}
top_srcdir=${top_srcdir:-.}
hlrcrun=${HLRCRUN:-$top_builddir/hlrcrun}
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset HLRC_NODES HLRC_NODE HLRC_LAUNCH_FD SLURM_NTASKS OMPI_COMM_WORLD_SIZE PMI_SIZE

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    test $failures -eq 0 || { echo "$failures failures"; exit 1; }
    exit 0
}

skip() {
    echo "SKIP: $*"
    exit 77
}

# run_job N PROTOCOL COMMAND...: output in $work/out and $work/err, exit status in $status
run_job() {
    local nodes=$1 protocol=$2
    shift 2
    status=0
    timeout -k 5 "${JOB_SECONDS:-120}" "$hlrcrun" -n "$nodes" --protocol "$protocol" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

expect_status() { # WHAT STATUS
    test "$status" = "$2" || fail "$1: status $status, not $2: $(head -5 "$work/err")"
}

expect_err() { # WHAT PATTERN: some line of standard error matches
    grep -qE -- "$2" "$work/err" || fail "$1: no '$2' on standard error: $(head -5 "$work/err")"
}

expect_out() { # WHAT PATTERN
    grep -qE -- "$2" "$work/out" || fail "$1: no '$2' in the output: $(head -5 "$work/out")"
}

# ---- what --stats wrote ----

# The fields of struct hlrc_stats, as the header has them.
stats_fields() {
    sed -nE '/^struct hlrc_stats \{/,/^\};/s/^ *(double|uint64_t) ([a-z_]+);.*/\2/p' "$top_srcdir/include/hlrc.h"
}

# JSON, to lines "FIELD NODE VALUE".
stats_from_json() {
    sed -n '/"per_node"/,$p' "$1" | grep -oE '"[a-z_]+": *[0-9.]+' | tr -d '":' | awk '
        $1 == "node" { node = $2; next }
        $1 != "nodes" && node != "" { print $1, node, $2 }'
}

# A table of either layout, likewise; its line of all nodes is that of node "all".
stats_from_table() {
    sed -n '/^hlrc: statistics:/,$p' "$1" | awk '
        NR == 1 { next }
        $1 == "node" && $2 == "0" { by_node = 0; next }
        $1 == "node" { by_node = 1; for (i = 2; i <= NF; i++) name[i] = $i; next }
        by_node { for (i = 2; i <= NF; i++) print name[i], $1, $i; next }
        { for (i = 2; i < NF; i++) print $1, i - 2, $i; print $1, "all", $NF }'
}

# stats_read WHAT FILE NODES: for figure, below. A field that is missing on some node, or is there twice, is a failure;
# so are totals of a table that are not those of its nodes.
stats_read() {
    local from=table
    : >"$work/figures"
    test -s "$2" || { fail "$1: no statistics in $2"; return; }
    case $2 in *.json) from=json ;; esac
    stats_from_$from "$2" >"$work/figures"
    stats_fields | awk -v nodes="$3" -v from=$from '
        function check(field, node) {
            if (seen[field, node] != 1)
                print field " of node " node " is there " seen[field, node] + 0 " times"
        }
        function check_total(field, sum, off) {
            check(field, "all")
            off = value[field, "all"] - (field ~ /_s$/ ? sum / nodes : sum)
            if (off < -0.0011 || off > 0.0011)
                print field " of all is " value[field, "all"] ", the sum of the nodes " sum
        }
        FILENAME == "-" { fields[++count] = $1; next }
        { seen[$1, $2]++; value[$1, $2] = $3 }
        END {
            if (count < 20)
                print "no fields in the header"
            for (i = 1; i <= count; i++) {
                sum = 0
                for (n = 0; n < nodes; n++) {
                    check(fields[i], n)
                    sum += value[fields[i], n]
                }
                if ((fields[i], nodes) in seen)
                    print "there is a node " nodes
                if (from == "table")
                    check_total(fields[i], sum)
            }
        }' - "$work/figures" >"$work/missing"
    test ! -s "$work/missing" || fail "$1: $(head -5 "$work/missing")"
}

# figure FIELD: its value on each node, in their order, one a line
figure() {
    awk -v field="$1" '$1 == field && $2 != "all" { print $2, $3 }' "$work/figures" | sort -n | cut -d' ' -f2
}

# stats_wall FILE: the job's own wall time, in JSON
stats_wall() {
    sed -nE '1s/.*"nodes": *[0-9]+, *"wall_s": *([0-9.]+).*/\1/p' "$1"
}
