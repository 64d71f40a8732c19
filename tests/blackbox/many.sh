# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs of 33 and 64 nodes, and with HLRC_SOAK of 129; few threads each, and little memory.
. "$(dirname "$0")/../lib.sh"
many=${MANY:-$top_builddir/tests/blackbox/many}
test -x "$many" || skip "$many is not built"
export HLRCRUN=$hlrcrun HLRC_MEMORY=16M HLRC_THREADS=2 LITMUS_SECONDS=${LITMUS_SECONDS:-100}
test -n "${LITMUS_NODES:-}" || LITMUS_NODES="33 64${HLRC_SOAK:+ 129}"
export LITMUS_NODES

"$many" >"$work/out" 2>"$work/err" || fail "$(head -5 "$work/err")"
cat "$work/out"
finish
