# SPDX-License-Identifier: LGPL-2.1-or-later
# For shell tests that read what --stats wrote, as JSON or as a table; sourced by those who have $work and fail.

# The fields of struct hlrc_stats, as the header has them.
stats_fields() {
    sed -nE '/^struct hlrc_stats \{/,/^\};/s/^ *(double|uint64_t) ([a-z_]+);.*/\2/p' "${top_srcdir:-.}/include/hlrc.h"
}

# JSON, to lines "FIELD NODE VALUE".
stats_from_json() {
    sed -n '/"per_node"/,$p' "$1" | grep -oE '"[a-z_]+": *[0-9.]+' | tr -d '":' | awk '
        $1 == "node" { node = $2; next }
        $1 != "nodes" && node != "" { print $1, node, $2 }'
}

# A table with a column for each node, likewise; its column of all nodes is that of node "all".
stats_from_table() {
    sed -n '/^hlrc: statistics:/,$p' "$1" | awk '
        $1 == "hlrc:" || $1 == "node" { next }
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
