# SPDX-License-Identifier: LGPL-2.1-or-later
# What --stats writes at the end of a job balances: bytes that leave arrive, and the parts of the time add up to the whole.
. "$(dirname "$0")/../lib.sh"
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
test -x "$programs/rule03_barrier" || skip "the litmus programs are not built"

# field NAME: its values on all nodes, one per line
field() {
    grep -oE "\"$1\": *[0-9.e+-]+" "$work/stats.json" | sed 's/.*: *//'
}

total() {
    field "$1" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

for protocol in async ardmar; do
    for program in rule03_barrier rule07_home locks; do
        rm -f "$work/stats.json"
        run_job 3 $protocol --stats="$work/stats.json" "$programs/$program"
        what="$protocol, $program"
        expect_status "$what" 0
        test "$(field bytes_in | wc -l)" = 3 || fail "$what: not three nodes in $(head -c 300 "$work/stats.json")"
        test "$(total bytes_in)" = "$(total bytes_out)" || fail "$what: $(total bytes_in) bytes in, $(total bytes_out) out"
        paste <(field compute_s) <(field page_s) <(field lock_s) <(field barrier_s) <(field diff_s) <(
            grep -oE '"per_node".*' "$work/stats.json" >/dev/null && field wall_s | tail -n 3) |
            awk '{ if (NF < 5) exit }
                 NF == 6 { s = $1 + $2 + $3 + $4 + $5; if (s < 0.98 * $6 || s > 1.02 * $6) print "parts", s, "of", $6 }' \
                >"$work/times"
        test ! -s "$work/times" || fail "$what: $(cat "$work/times")"
    done
done
finish
