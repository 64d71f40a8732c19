# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs of some processes, which connect themselves (hlrc_init_with): two at a time run right, and when a node of one ends, in
# whatever way, its other nodes do within seconds, with a line that names it, and the other job continues.
. "$(dirname "$0")/../lib.sh"
part=$top_builddir/tests/blackbox/part
test -x "$part" || skip "$part is not built"
run() { # [HOW]
    status=0
    timeout 60 "$part" "$@" >"$work/out" 2>"$work/err" || status=$?
    test $status = 0 && test "$(cat "$work/out")" = right || fail "${1-both}: status $status: $(cat "$work/out" "$work/err")"
}
for protocol in ardmar async onesided; do
    export HLRC_PROTOCOL=$protocol
    run
    test "$(grep -c '^hlrc: hlrc_init_with: ' "$work/err")" -eq 3 || fail "$protocol, arguments: $(cat "$work/err")"
done
for how in exit kill misuse; do
    run $how
    grep -v '^hlrc: hlrc_init_with: ' "$work/err" | grep -q 'node 1' || fail "$how: no line names node 1: $(cat "$work/err")"
done
finish
