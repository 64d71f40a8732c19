# SPDX-License-Identifier: LGPL-2.1-or-later
# barnes verifies, by direct summation, and its positions and velocities have the same bits whatever the number of
# nodes and the protocol. Its data moves by the DSM: not fewer bytes than the bodies that the nodes have to have. Bodies
# come from a file and go to one. With HLRC_SOAK each combination runs twenty times.
set -u
build=${top_builddir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rounds=1
[ -z "${HLRC_SOAK:-}" ] || rounds=20
failures=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

field() {
    sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p' "$work/json" | head -n 1
}

# run NODES PROTOCOL OPTIONS...: checks what it says of itself
run() {
    local nodes=$1 protocol=$2
    shift 2
    rm -f "$work/json"
    timeout -k 5 100 "$build/hlrcrun" -n "$nodes" --protocol "$protocol" --stats="$work/stats.json" \
        "$build/apps/barnes" --json "$work/json" "$@" >"$work/out" 2>&1 ||
        { fail "$nodes nodes, $protocol, $*: status $?"; return 1; }
    [ "$(field verified)" = true ] || { fail "$nodes nodes, $protocol, $*: not verified"; return 1; }
    [ "$(field nodes)" = "$nodes" ] || fail "\"nodes\" is $(field nodes) of $nodes"
}

# same NODES PROTOCOL OPTIONS...: the checksum is that of the sequential program with the same options
same() {
    local known=$work/known-$(echo "${*:3}" | tr -c 'a-zA-Z0-9\n' _)
    if [ ! -s "$known" ]; then
        "$build/apps/barnes_seq" --json "$work/json" "${@:3}" >"$work/out" 2>&1 || fail "barnes_seq ${*:3}: status $?"
        field checksum >"$known"
    fi
    run "$@" || return
    field checksum | cmp -s - "$known" || fail "$*: checksum $(field checksum), not $(cat "$known")"
}

# moved BYTES: all nodes together have received so many
moved() {
    local bytes
    bytes=$(grep -o '"bytes_in": *[0-9]*' "$work/stats.json" | awk '{ sum += $NF } END { printf "%d", sum }')
    [ "$bytes" -ge "$1" ] || fail "$bytes bytes moved: at least $1 have to"
}

# refused TEXT OPTIONS...: ends with status 2 and says so
refused() {
    timeout -k 5 20 "$build/hlrcrun" -n 2 "$build/apps/barnes" "${@:2}" >"$work/out" 2>&1
    [ $? -eq 2 ] || fail "${*:2}: not status 2"
    grep -q -e "$1" "$work/out" || fail "${*:2}: does not say '$1'"
}

for ((round = 0; round < rounds; round++)); do
    for protocol in async ardmar; do
        for nodes in 1 2 3 4; do
            same $nodes $protocol --bodies 3000
            # all bodies begin at node 0; a body is 64 bytes, and zones are not quite equal
            [ $nodes -eq 1 ] || moved $((3000 * 64 * (nodes - 1) / nodes * 9 / 10))
        done
        same 4 $protocol --bodies 3000 --no-hints
        same 3 $protocol --bodies 1500 --theta 0.5 --seed 7 --steps 9
        same 8 $protocol --bodies 100 --eps 0.2
        same 4 $protocol --bodies 2
    done
    [ $rounds -eq 1 ] || echo "round $((round + 1)) of $rounds: $failures failures"
done

# Out and in again. The third file has bodies that no key tells apart, and most of the mass in one.
run 1 ardmar --bodies 1000 --output "$work/one"
run 3 ardmar --bodies 1000 --output "$work/three"
cmp "$work/one" "$work/three" >"$work/out" 2>&1 || fail "the output depends on the number of nodes"
[ "$(grep -vc '^#' "$work/one")" -eq 1000 ] || fail "the output has not 1000 bodies"
same 3 async --input "$work/one"
awk 'BEGIN { print "# a comment\n\n1 0 0 0 0 0 0"
    for (i = 0; i < 400; i++) printf "1e-6 %d.5 %d %g 0 0 0 # %d\n", i % 3, i % 2, i < 200 ? 0 : i, i }' >"$work/dense"
same 4 ardmar --input "$work/dense" --dt 0.001

printf '1 0 0 0 0 0 0\n1 0 0 0 0 0\n' >"$work/short"
refused 'line 2' --input "$work/short"
refused 'No such file' --input "$work/none"
refused 'out of range' --theta 1.5
exit $((failures > 0))
