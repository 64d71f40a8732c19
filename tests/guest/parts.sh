#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tests/parts.sh over RDMA: on verbs and on mixed, in a guest with two soft-RoCE devices that the nodes take in turn. All
# combinations take hours there, so HLRC_PARTS_SECONDS (default 1500, 2800 in the soak) bounds them; rows come in any order,
# drawn from HLRC_PARTS_SEED.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=$(cd "${top_builddir:-$top_srcdir/build}" && pwd) || exit 1
export top_srcdir top_builddir
grep -qs '^#define HAVE_VERBS 1' "$top_builddir/config.h" || { echo "SKIP: no verbs in this build (libibverbs-dev)"; exit 77; }
[ -x "$top_builddir/apps/is" ] || { echo "SKIP: the applications are not built"; exit 77; }
export HLRC_PARTS_FABRICS=${HLRC_PARTS_FABRICS:-verbs mixed mixed-apart} HLRC_PARTS_SEED=${HLRC_PARTS_SEED:-$$}
export HLRC_SOAK=${HLRC_SOAK:-} HLRC_PARTS_SECONDS=${HLRC_PARTS_SECONDS:-$([ -n "${HLRC_SOAK:-}" ] && echo 2800 || echo 1500)}
exec "$top_srcdir/scripts/rdma-guest" --memory 2G --timeout $((HLRC_PARTS_SECONDS + 500)) bash "$top_srcdir/tests/parts.sh"
