# SPDX-License-Identifier: LGPL-2.1-or-later
# A peer that is dropped (HLRC_CHAOS_DROP: it is killed when it starts its K-th operation on the network, be that amid a
# barrier, a fetch or a diff): the job ends, says which node it was, and leaves nothing.
set -u
. "$(dirname "$0")/../withinlib.sh"
build=${top_builddir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    sed 's/^/    /' "$work/err"
    failures=$((failures + 1))
}

export HLRC_FABRIC=shm+chaos HLRC_MEMORY=64M
for protocol in ardmar async; do
    for node in 0 1 2; do
        for k in 1 2 3 5 8 13 40 100 300 700; do
            status=0
            HLRC_CHAOS_DROP=$node:$k HLRC_CHAOS_SEED=$k "$within" 120 "$build/hlrcrun" -n 3 --protocol $protocol \
                "$build/apps/fft3d" --class S --no-verify >"$work/out" 2>"$work/err" || status=$?
            what="$protocol, node $node dropped at operation $k"
            [ $status -eq 137 ] || fail "$what: status $status, not 137"
            [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: not one line"
            grep -q "^hlrcrun: node $node (pid [0-9]*) was killed by signal 9" "$work/err" || fail "$what: the line does not say so"
        done
    done
done
exit $((failures > 0))
