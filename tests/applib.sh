# SPDX-License-Identifier: LGPL-2.1-or-later
# For tests of one application, sourced: it is built as $app, and as ${app}_seq and ${app}_native without the library.

. "$(dirname "$0")/lib.sh"

field() { # NAME: of the result written last
    sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p' "$work/json" 2>/dev/null | head -n 1
}

verified() { # WHAT: the last run verified its result, and its checksum is the one expected
    expect_status "$1" 0
    test "$(field verified)" = true || fail "$1: not verified: $(cat "$work/out")"
    test "$(field checksum)" = "$expected" || fail "$1: checksum $(field checksum), not $expected"
}

# Whether this combination is run: all are, but with sanitizers, where one takes ten times as long, each number of nodes has
# one of the protocols, and the other one with the next problem.
problems=0
in_turn() { # NUMBER PROTOCOL: counts of each
    [ -z "${HLRC_TEST_SANITIZERS:-}" ] || [ -n "${HLRC_SOAK:-}" ] || [ $((($1 + $2 + problems) % 2)) = 0 ]
}

# everywhere "N..." OPTION...: one problem, sequentially, natively, then with each number of nodes and both protocols
everywhere() {
    local protocol nodes list=$1 number kind=0
    shift
    problems=$((problems + 1))
    status=0
    rm -f "$work/json"
    "${app}_seq" "$@" --json "$work/json" >"$work/out" 2>"$work/err" || status=$?
    expected=$(field checksum)
    verified "sequential, $*"
    # on memory that needs no runtime: where this is right and the rest is not, the runtime is to blame
    NATIVE_NODES=3 "$within" "${JOB_SECONDS:-120}" "${app}_native" "$@" --json "$work/json" >"$work/out" 2>"$work/err" ||
        status=$?
    verified "native, $*"
    for protocol in async ardmar; do
        number=0 kind=$((kind + 1))
        for nodes in $list; do
            number=$((number + 1))
            in_turn $number $kind || continue
            rm -f "$work/json"
            run_job "$nodes" $protocol "$app" "$@" --json "$work/json"
            verified "$nodes nodes, $protocol, $*"
            test "$(field protocol)" = $protocol || fail "\"protocol\" is $(field protocol), not $protocol"
            test "$(field nodes)" = "$nodes" || fail "\"nodes\" is $(field nodes), not $nodes"
        done
    done
}

# sorts_file OPTION...: a file of keys, large and small, many of them more than once, into one as sort(1) sorts it
sorts_file() {
    awk 'BEGIN {
        srand(5)
        for (i = 0; i < 30000; i++)
            printf "%.0f\n", int(rand() * (i % 3 ? 4294967296 : 1000))
    }' >"$work/keys"
    sort -n "$work/keys" >"$work/sorted"
    everywhere "1 3" --input "$work/keys" "$@"
    run_job 3 ardmar "$app" --input "$work/keys" --output "$work/result"
    expect_status "--output" 0
    cmp "$work/sorted" "$work/result" || fail "the sorted file differs from that of sort -n"
}

# over_rounds COMMAND...: once; with HLRC_SOAK twenty times
over_rounds() {
    local round rounds=1
    [ -z "${HLRC_SOAK:-}" ] || rounds=20
    for ((round = 1; round <= rounds; round++)); do
        "$@"
        [ $rounds -eq 1 ] || echo "round $round of $rounds: $failures failures"
    done
}

# expect_traffic LEAST MOST OPTION...: bytes that two nodes receive together
expect_traffic() {
    local least=$1 most=$2 bytes
    shift 2
    HLRC_STATS=$work/stats.json run_job 2 ardmar "$app" "$@"
    expect_status "$*" 0
    stats_read "$*" "$work/stats.json" 2
    bytes=$(figure bytes_in | awk '{ sum += $1 } END { printf "%.0f", sum }')
    test "$bytes" -ge "$least" || fail "$*: $bytes bytes moved, $least at least must have"
    test "$bytes" -le "$most" || fail "$*: $bytes bytes moved, more than $most"
}

# refused TEXT OPTIONS...: ends with status 2 and says so
refused() {
    local text=$1
    shift
    run_job 2 ardmar "$app" "$@"
    expect_status "$*" 2
    expect_err "$*" "$text"
}
