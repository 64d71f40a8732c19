# SPDX-License-Identifier: LGPL-2.1-or-later
# The applications verify, with every number of nodes and both protocols, and give the same bits whatever those are.
# Each checks itself against published values; the comparison here is between runs. With HLRC_SOAK each combination
# runs twenty times.
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

# verify APP CLASS NODES PROTOCOL: runs once, checks what it says of itself, and its checksum against the first run's
verify() {
    local app=$1 class=$2 nodes=$3 protocol=$4 known=$work/$1-$2
    rm -f "$work/json"
    timeout -k 5 100 "$build/hlrcrun" -n "$nodes" --protocol "$protocol" "$build/apps/$app" --class "$class" \
        --json "$work/json" >"$work/out" 2>&1 || { fail "$app $class, $nodes nodes, $protocol: status $?"; return; }
    [ "$(field verified)" = true ] || { fail "$app $class, $nodes nodes, $protocol: not verified"; return; }
    [ "$(field nodes)" = "$nodes" ] || fail "$app: \"nodes\" is $(field nodes) of $nodes"
    [ "$(field protocol)" = "$protocol" ] || fail "$app: \"protocol\" is $(field protocol), not $protocol"
    field checksum >"$work/checksum"
    [ -s "$known" ] || cp "$work/checksum" "$known"
    cmp -s "$work/checksum" "$known" || fail "$app $class, $nodes nodes, $protocol: checksum $(cat "$work/checksum"), not $(cat "$known")"
}

sequential() {
    local app=$1 class=$2
    "$build/apps/${app}_seq" --class "$class" --json "$work/json" >"$work/out" 2>&1 || fail "${app}_seq: status $?"
    field checksum >"$work/$app-$class"
}

# The same program on memory that needs no runtime: what differs from it is the runtime's doing.
native() {
    local app=$1 class=$2
    NATIVE_NODES=3 timeout -k 5 100 "$build/apps/${app}_native" --class "$class" --json "$work/json" >"$work/out" 2>&1 ||
        fail "${app}_native: status $?"
    field checksum >"$work/checksum"
    cmp -s "$work/checksum" "$work/$app-$class" || fail "${app}_native $class: checksum $(cat "$work/checksum")"
}

# moved LEAST APP CLASS: the data goes through the DSM; bytes that two nodes receive together
moved() {
    local least=$1 app=$2 class=$3 protocol bytes
    for protocol in async ardmar; do
        timeout -k 5 100 "$build/hlrcrun" -n 2 --protocol $protocol --stats="$work/stats.json" \
            "$build/apps/$app" --class "$class" --no-verify >"$work/out" 2>&1 || fail "$app: status $?"
        bytes=$(grep -o '"bytes_in": *[0-9]*' "$work/stats.json" | awk '{ sum += $NF } END { printf "%.0f", sum }')
        [ "${bytes:-0}" -ge "$least" ] || fail "$app $class, $protocol: $bytes bytes moved, $least at least must have"
    done
}

# instrumented, class A takes minutes
is_class=A node_counts="1 2 3 4 8 16"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || is_class=S node_counts="1 2 3 4"
sequential is $is_class
sequential fft3d S
native is $is_class
native fft3d S
# ten times each node reads what the other counted of its half of the key values: 2^11 of them in class S
moved $((10 * 2 * (1 << 11) / 2 * 4)) is S
# seven transposes of 64^3 complex numbers, for each of which a node reads a quarter of the array
moved $((7 * 2 * (64 * 64 * 64 * 16) / 4)) fft3d S
for ((round = 0; round < rounds; round++)); do
    for protocol in async ardmar; do
        for nodes in $node_counts; do
            verify is $is_class $nodes $protocol
            verify fft3d S $nodes $protocol
        done
    done
    [ $rounds -eq 1 ] || echo "round $((round + 1)) of $rounds: $failures failures"
done
exit $((failures > 0))
