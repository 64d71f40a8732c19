# SPDX-License-Identifier: LGPL-2.1-or-later
# --check races on many pages in one interval [races.last-writers], [races.reads-first]: each race that the plan of
# race_pages.c has is reported once, with the page, its bytes, their place in the block or variable, and both nodes; and no
# other.
. "$(dirname "$0")/../lib.sh"
race=$top_builddir/tests/blackbox/race_pages
test -x "$race" || skip "$race is not built"
export HLRC_CHECK=races

# Each report as "offset bytes node node", the offset from the first page of the plan; those that say something else as they are.
reports() { # FROM
    sed -E -e '/^hlrc: --check races found|hlrc_malloc_all: no room/d' \
        -e 's/ of (the block of [0-9]+ bytes at 0x[0-9a-f]+|variable)( \([^)]*\))?, were / of memory, were /' \
        -e 's/^hlrc: race: ([0-9]+) bytes from byte ([0-9]+) of page ([0-9]+), byte ([0-9]+) of memory, were (read|written) by node ([0-9]+), .* and (written )?by node ([0-9]+), thread .* and no lock and no barrier orders the two$/\4 \1 \6 \8 \2 \3 \5/' "$work/err" |
        awk -v from="$1" -v access="$2" 'NF == 7 {
            if ($1 % 4096 != $5 % 4096 && from % 4096 == 0) print "place in the page:", $0
            if ($7 != (access == "read" && $3 == 0 ? "read" : "written")) print "kind of access:", $0
            first = $1 - from - $5
            if (seen && first / 4096 - $6 != page) print "number of the page:", $0
            page = first / 4096 - $6; seen = 1
            print $1 - from, $2, $3, $4; next } { print }' | sort
}

check() { # PROTOCOL MEMORY ACCESS SEED HOMES
    run_job 3 "$1" --memory 1M --no-aslr "$race" "$2" "$3" "$4" "$5"
    expect_status "$*" 66
    grep -v '^from' "$work/out" | sort >"$work/wanted"
    reports "$(sed -n 's/^from //p' "$work/out")" "$3" >"$work/got"
    cmp -s "$work/wanted" "$work/got" || fail "$*: $(diff "$work/wanted" "$work/got" | head -5)"
    expect_err "$*" "^hlrc: --check races found $(wc -l <"$work/wanted") races\$"
    [ -z "${LITMUS_STOP-}" ] || [ $failures = 0 ] || finish
}

seeds='1 2 3'
[ -z "${HLRC_SOAK-}" ] || seeds=$(seq 40)
for seed in $seeds; do
    for access in write read; do
        check ardmar heap $access "$seed" all
        check async heap $access "$seed" none
        check onesided variable $access "$seed" 1
        check ardmar variable $access "$seed" 0
    done
done
finish
