#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The verbs fabric on soft-RoCE devices in a guest (scripts/rdma-guest): the conformance suite, the litmus
# programs and the applications, under both protocols, with the nodes of a job alternating between two devices
# on a link.
#
#   verbs.sh [PART...]          runs conformance, litmus, apps or all three
#   verbs.sh --list [PART...]   prints what it would run
#
# Environment: LITMUS_PROTOCOLS (default "async ardmar"), LITMUS_NODES, LITMUS_SECONDS as in
# tests/litmus/litmus.h; VERBS_SECONDS limits all.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=$(cd "${top_builddir:-$top_srcdir/build}" && pwd) || exit 1
export top_srcdir top_builddir
self=$(cd "$(dirname "$0")" && pwd)/${0##*/}
helpers=$top_srcdir/scripts/guest
protocols=${LITMUS_PROTOCOLS:-async ardmar}
failures=0

# ---- the cases: one line each, "SECONDS COMMAND..." ----

list_conformance() {
    local fabric nodes
    for nodes in 1 2 3 5; do echo "120 $top_builddir/tests/fabric/conformance verbs $nodes"; done
    for fabric in verbs-noread verbs-noimm verbs+chaos; do
        echo "120 $top_builddir/tests/fabric/conformance $fabric 3"
    done
}

list_litmus() {
    local program
    for program in "$top_builddir"/tests/litmus/*; do
        if [ -f "$program" ] && [ -x "$program" ]; then echo "600 env HLRCRUN=$helpers/hlrcrun $program"; fi
    done
}

list_apps() {
    local app nodes protocol
    for app in is fft3d; do
        for nodes in 2 3 4; do
            for protocol in $protocols; do echo "200 $self --app $app $nodes $protocol"; done
        done
    done
}

list() {
    local part
    for part in "$@"; do "list_$part"; done
}

# ---- in the guest ----

field() {
    sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p' "$2" | head -n 1
}

# One run of an application: it verifies, and has the checksum of the same program without HLRC.
run_app() {
    local app=$1 nodes=$2 protocol=$3 json=/tmp/$1.json expected=/tmp/$1.expected
    "$top_builddir/hlrcrun" -n "$nodes" --protocol "$protocol" --fabric verbs "$helpers/by-node" \
        "$top_builddir/apps/$app" --class S --json "$json" || return
    [ -s "$expected" ] || "$top_builddir/apps/${app}_seq" --class S --json "$expected" || return
    [ "$(field verified "$json")" = true ] || { echo "not verified"; return 1; }
    [ "$(field checksum "$json")" = "$(field checksum "$expected")" ] || {
        echo "checksum $(field checksum "$json"), without HLRC $(field checksum "$expected")"
        return 1
    }
    echo "time: $(field time_s "$json") s"
}

sent() { cat "/sys/class/net/$1/statistics/tx_packets"; }

# one SECONDS COMMAND...
one() {
    local status=0 begun=$SECONDS limit=$1 name
    shift
    name=${*//"$top_builddir/"/}
    name=${name//"$top_srcdir/"/}
    timeout -k 5 "$limit" "$@" >/tmp/out 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        echo "ok, $((SECONDS - begun)) s: $name"
        return
    fi
    echo "FAILED, status $status after $((SECONDS - begun)) s: $name"
    tail -n 15 /tmp/out | sed 's/^/    /'
    failures=$((failures + 1))
}

inside() {
    local command before
    export HLRC_FABRIC=verbs LITMUS_PROTOCOLS=$protocols LITMUS_SECONDS=${LITMUS_SECONDS:-100}
    export LITMUS_NODES=${LITMUS_NODES:-2 3 4}
    before=$(sent v1)
    while read -r -a command; do one "${command[@]}" </dev/null; done < <(list "$@")
    echo "$(($(sent v1) - before)) packets crossed the link"
    [ $(($(sent v1) - before)) -gt 0 ] || { echo "FAILED: all went within one device"; exit 1; }
    exit $((failures > 0))
}

# ---- outside ----

skip() { echo "skipped: $*"; exit 77; }

parts=(conformance litmus apps)
action=run
case ${1-} in
--app) shift; run_app "$@"; exit ;;
--inside) shift; inside "$@" ;;
--list) action=list; shift ;;
esac
[ $# -eq 0 ] || parts=("$@")
for part in "${parts[@]}"; do
    [ "$(type -t "list_$part")" = function ] || { echo "verbs.sh: no part $part" >&2; exit 2; }
done
if [ $action = list ]; then list "${parts[@]}" | cut -d' ' -f2-; exit; fi

grep -qs '^#define HAVE_VERBS 1' "$top_builddir/config.h" || skip "the verbs fabric is not in this build (libibverbs-dev)"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "sanitizers are too slow in an emulated machine"
for program in hlrcrun apps/is apps/fft3d tests/fabric/conformance; do
    [ -x "$top_builddir/$program" ] || skip "$program is not built"
done
status=0
error=$(mktemp)
trap 'rm -f "$error"' EXIT
"$top_srcdir/scripts/rdma-guest" --memory 2G --timeout "${VERBS_SECONDS:-1700}" "$self" --inside "${parts[@]}" \
    2>"$error" || status=$?
[ $status -ne 77 ] || skip "$(cat "$error")"
cat "$error"
exit $status
