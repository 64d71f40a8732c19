#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The verbs fabric on soft-RoCE devices in a guest (scripts/rdma-guest): the conformance suite, the litmus
# programs, random programs and the applications, under all protocols, with the nodes of a job alternating between two
# devices on a link. At last that link is cut. With the sanitizers a small part of it, in a minute.
#
#   verbs.sh [PART...]          runs conformance, litmus, blackbox, random, apps, compat, limits, loss,
#                               multicast, cut, silence or all
#   verbs.sh --list [PART...]   prints what it would run
#
# Environment: VERBS_WHOLE=1 runs all programs of each part, and litmus programs by all protocols, not most of them by one in
# turn, with 2, 3 and 4 nodes instead of 3; LITMUS_PROTOCOLS (default "async ardmar"), LITMUS_NODES, LITMUS_SECONDS as in
# tests/litmus/litmus.h; CONFORMANCE_PERCENT as in tests/fabric/conformance.c; VERBS_RANDOM, seconds of random programs;
# VERBS_SECONDS limits all.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
top_builddir=$(cd "${top_builddir:-$top_srcdir/build}" && pwd) || exit 1
export top_srcdir top_builddir
self=$(cd "$(dirname "$0")" && pwd)/${0##*/}
helpers=$top_srcdir/scripts/guest
protocols=${LITMUS_PROTOCOLS:-async ardmar}
failures=0
. "$top_srcdir/tests/withinlib.sh"
kernels=$top_builddir/tests/compat/kernels # compiled outside, where there is hlrcc

# Whether everything is to be run: about twenty minutes, where a part takes three.
whole() { [ -n "${VERBS_WHOLE:-}" ] && ! sanitized; }
sanitized() { [ -n "${HLRC_TEST_SANITIZERS:-}" ]; }

# ---- the cases: one line each, "SECONDS COMMAND..." ----

list_conformance() {
    local fabric nodes program="900 env CONFORMANCE_SECONDS=200 $top_builddir/tests/fabric/conformance"
    if sanitized; then
        echo "900 env CONFORMANCE_SECONDS=200 $top_builddir/tests/fabric/conformance mixed 3"
        return
    fi
    for nodes in $(whole && echo 1 2 3 4 5 || echo 3); do echo "$program verbs $nodes"; done
    whole || program=${program/env/env CONFORMANCE_PERCENT=1}
    for fabric in verbs+chaos $(whole && echo verbs-noread verbs-noimm mixed); do echo "$program $fabric 3"; done
    echo "${program/env/env CONFORMANCE_APART=1} mixed $(whole && echo 4 || echo 3)"
}

list_litmus() {
    local program turn=0 of="" some=' rule04_access rule07_home rule08_atomics rule11_cond '
    local -a all
    read -ra all <<<"$protocols"
    if sanitized; then some=' rule05_merge rule07_home '; fi
    for program in "$top_builddir"/tests/litmus/*; do
        whole || [[ $some == *" ${program##*/} "* ]] || continue
        [ -f "$program" ] && [ -x "$program" ] || continue
        turn=$((turn + 1))
        whole || of="LITMUS_NODES=3 LITMUS_PROTOCOLS=${all[turn % ${#all[@]}]} "
        echo "600 env ${of}HLRCRUN=$helpers/hlrcrun $program"
    done
    sanitized || echo "600 env LITMUS_NODES=2 HLRCRUN=$helpers/hlrcrun $top_builddir/tests/litmus/rule08_words"
    ! whole || echo "100 env LITMUS_NODES=2 LITMUS_PROTOCOLS=onesided HLRCRUN=$helpers/hlrcrun $top_builddir/tests/litmus/windows"
    for program in rule03_lock $(sanitized || echo rule02_home) $(whole && echo locks threads rule03_causality rule09_log rule11_cond); do
        echo "600 env LITMUS_PROTOCOLS=onesided HLRCRUN=$helpers/hlrcrun $top_builddir/tests/litmus/$program"
    done
}

list_random() {
    local program="300 $top_builddir/tests/random/random --hlrcrun $helpers/hlrcrun --timeout 60"
    echo "$program --runs 1000 --seconds ${VERBS_RANDOM:-6} --protocol ${protocols// /,},onesided --fabric verbs"
    echo "$program --runs 1000 --seconds ${VERBS_RANDOM:-6} --protocol ${protocols// /,},onesided --fabric mixed"
}

# counts and fetches wait until nobody is awake, so their times are those of an idle machine.
list_blackbox() {
    local program
    for program in counts fetches homes nobody_serves stopped_home $(whole && echo alone efault million_locks prefetch quiet tiny views); do
        echo "300 env HLRCRUN=$helpers/hlrcrun $top_builddir/tests/blackbox/$program"
    done
}

list_cut() {
    local protocol
    for protocol in $(whole && echo "$protocols" || echo ardmar); do echo "60 $self --cut $protocol 2"; done
}

list_silence() { echo "120 $self --silence ${protocols%% *} 40"; }

list_limits() { echo "60 $self --limits"; }
list_loss() { echo "100 $self --loss"; }
list_multicast() { echo "100 $self --multicast"; }

list_apps() {
    local app nodes protocol
    for app in is-2 $(whole && echo is-3 is-4 fft3d-2 fft3d-4); do
        nodes=${app#*-}
        for protocol in $(whole && echo "$protocols" || echo ardmar) $([ $app = is-2 ] && echo onesided); do echo "200 $self --app ${app%-*} $nodes $protocol"; done
    done
    for protocol in $(whole && echo "$protocols"); do echo "200 $self --app fft3d 3 $protocol"; done
    # put and get
    echo "200 $self --app lu 2 onesided --size 96 --by gets"
    echo "200 env VERBS_FABRIC=mixed $self --app gups 3 ardmar --table 2^8 --by puts"
    whole || return 0
    echo "200 env VERBS_FABRIC=mixed $self --app lu 3 ardmar --size 96 --layout rows --by gets"
    echo "200 env VERBS_FABRIC=mixed $self --app gups 3 onesided --table 2^8 --by locks"
    for protocol in $protocols onesided; do
        echo "200 $self --app gups 2 $protocol --table 2^8 --by atomics"
        echo "200 $self --app fft3d 2 $protocol --grid 16^3 --by gets"
    done
}

# NPB kernels as programs of OpenMP; programs of put and get.
list_compat() {
    local kernel protocol program
    for program in shmem $(whole && echo shmem_examples shmem_groups armci); do
        echo "100 $helpers/hlrcrun -n 3 --protocol onesided $top_builddir/tests/compat/$program"
    done
    for kernel in is $(whole && echo ep cg mg ft); do
        for protocol in $(whole && echo "$protocols") onesided; do echo "200 $self --kernel $kernel 2 $protocol"; done
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
    local app=$1 nodes=$2 protocol=$3 json expected
    shift 3
    [ $# -gt 0 ] || set -- --class S
    expected=/tmp/$app$(printf %s "$*" | tr -c 0-9a-z _).expected json=/tmp/$app.json
    "$top_builddir/hlrcrun" -n "$nodes" --protocol "$protocol" --fabric "${VERBS_FABRIC:-verbs}" "$helpers/by-node" \
        "$top_builddir/apps/$app" "$@" --json "$json" || return
    [ -s "$expected" ] || "$top_builddir/apps/${app}_seq" "$@" --json "$expected" || return
    [ "$(field verified "$json")" = true ] || { echo "not verified"; return 1; }
    [ "$(field checksum "$json")" = "$(field checksum "$expected")" ] || {
        echo "checksum $(field checksum "$json"), without HLRC $(field checksum "$expected")"
        return 1
    }
    echo "time: $(field time_s "$json") s"
}

# It verifies, by published values.
run_kernel() {
    "$top_builddir/hlrcrun" -n "$2" --protocol "$3" --fabric verbs "$helpers/by-node" "$kernels/$1" S
}

# Two nodes that wait (tests/guest/waiting), or are busy with each other; then something happens to their link. Sets
# status, and $took: milliseconds until the job has ended.
# lose_link PROTOCOL SECONDS MODE BREAK REPAIR
lose_link() {
    local job begun
    "$top_builddir/hlrcrun" -n 2 --protocol "$1" --fabric verbs --peer-timeout "$2" "$helpers/by-node" \
        "$top_builddir/tests/guest/waiting" 60 $3 >/tmp/cut.out 2>/tmp/cut.err &
    job=$!
    until [ "$(grep -c waits /tmp/cut.out)" -eq 2 ]; do
        kill -0 $job 2>/dev/null || { cat /tmp/cut.out /tmp/cut.err; return 1; }
        sleep 0.1
    done
    sleep 1
    begun=${EPOCHREALTIME/[.,]/}
    $4
    status=0
    wait $job || status=$?
    took=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
    $5
    echo "ended with status $status after $took ms: $(cat /tmp/cut.err)"
    [ $status -eq 1 ] || { echo "status $status, not 1"; return 1; }
    [ $took -lt $(($2 * 1000 + 15000)) ] || # they wait for a minute
        { echo "not within --peer-timeout $2, and the time to end the job"; return 1; }
}

# The link goes down: both nodes end within --peer-timeout, with one line that says why.
run_cut() {
    lose_link "$1" "$2" '' 'ip link set v1 down' 'ip link set v1 up' || return
    [ "$(wc -l </tmp/cut.err)" -eq 1 ] && grep -qE 'node [01] no longer answers|adapter rxe[01] is down' /tmp/cut.err ||
        { echo "not one line that says so"; return 1; }
    await_link
}

accept_local() { echo "$1" >/proc/sys/net/ipv4/conf/all/accept_local; }

# The link stays up and loses all packets (they come from addresses of this machine, which it takes no more): what is
# under way fails when the adapter gives up. Its times are powers of two; all of them together are the largest that fit
# into a third of --peer-timeout, so at least a sixth. With 40 that tells the option from its default of 5, for which it
# is one second, on a slow machine too.
run_silence() {
    lose_link "$1" "$2" busy 'accept_local 0' 'accept_local 1' || return
    [ "$took" -gt $(($2 * 1000 / 6)) ] || { echo "before a sixth of --peer-timeout $2"; return 1; }
    expect_line "node [01] no longer answers: .*--peer-timeout $2" /tmp/cut.err
}

# An ordinary user with enough locked memory runs a job; with too little he is told what to raise. A device that is not
# there is named, and those that are.
run_limits() {
    local as="setpriv --reuid=65534 --regid=65534 --clear-groups" is=$top_builddir/apps/is run
    run="$top_builddir/hlrcrun -n 2 --fabric verbs --memory 32M"
    chmod 666 /dev/infiniband/uverbs*
    (ulimit -l 131072; exec $as $run "$helpers/by-node" "$is" --class S) >/tmp/l.out 2>&1 || { cat /tmp/l.out; return 1; }
    ! (ulimit -l 2048; exec $as $run "$is" --class S) >/tmp/l.out 2>/tmp/l.err || { echo "2 MiB are enough"; return 1; }
    expect_one_line 'locked memory is limited to 2048 KiB; raise the limit' || return
    ! $run --device rxe7 "$is" --class S >/tmp/l.out 2>/tmp/l.err || { echo "rxe7 is taken"; return 1; }
    expect_one_line 'no adapter rxe7 with a port that is up; there are rxe[01], rxe[01]' || return
    "$top_builddir/hlrc_info" --fabric verbs >/tmp/l.out || { cat /tmp/l.out; return 1; }
    grep -q '^  rxe0:1:1  RoCE, active, packet payload 4096 bytes' /tmp/l.out &&
        grep -q 'in flight: [1-9][0-9]* with one node' /tmp/l.out || { cat /tmp/l.out; return 1; }
}

# The link loses replies of atomics. The adapter asks again, and the other one performs none twice: the program checks each
# result and the words at the end. That it was asked again is counted by the other adapter.
run_loss() {
    local status=0 again=/sys/class/infiniband/rxe1/ports/1/hw_counters/duplicate_request before
    before=$(cat $again)
    tc qdisc add dev v1 root netem loss 5% || return
    "$top_builddir/hlrcrun" -n 2 --fabric verbs --memory 32M "$helpers/by-node" "$top_builddir/microbench/atomics" \
        --only fetch_add --sizes 1 --warmup 1 --repetitions 8 --seconds 60 || status=$?
    tc qdisc del dev v1 root
    echo "$(($(cat $again) - before)) requests came again"
    [ $status -eq 0 ] && [ "$(cat $again)" -gt "$before" ]
}

# Datagrams to a group reach the processes of both devices, with what was sent; so do requests after others.
run_multicast() {
    "$top_builddir/hlrcrun" -n 3 --fabric verbs --memory 64M "$helpers/by-node" "$top_builddir/microbench/multicast" \
        --warmup 1 --repetitions 3 --seconds 60 --sizes 8,2K --json /tmp/multicast.json || return
    [ "$(grep -c '"name": "multicast".*"part": "arrival".* "count": [1-3],' /tmp/multicast.json)" -eq 2 ] ||
        { echo "all were lost"; return 1; }
    "$top_builddir/hlrcrun" -n 2 --fabric verbs --memory 64M "$helpers/by-node" "$top_builddir/microbench/levels" \
        --warmup 1 --repetitions 3 --seconds 60 --json /tmp/levels.json || return
    [ "$(grep -cE '"name": "(alone|after|ahead)".* "count": [1-3],' /tmp/levels.json)" -eq 3 ] ||
        { echo "all requests were lost"; return 1; }
}

expect_one_line() { expect_line "$1" /tmp/l.err; }

expect_line() { # PATTERN FILE
    if [ "$(wc -l <"$2")" -eq 1 ] && grep -q "$1" "$2"; then return; fi
    echo "not one line with: $1"
    cat "$2"
    return 1
}

# Until both devices are up again.
await_link() {
    local i
    for ((i = 0; i < 100; i++)); do
        grep -hqv ACTIVE /sys/class/infiniband/*/ports/1/state || return 0
        sleep 0.1
    done
    echo "the link does not come up again"
    return 1
}

sent() { cat "/sys/class/net/$1/statistics/tx_packets"; }

# one SECONDS COMMAND...
one() {
    local status=0 begun=$SECONDS limit=$1 name
    shift
    name=${*//"$top_builddir/"/}
    name=${name//"$top_srcdir/"/}
    echo -n "$name: "
    "$within" "$limit" "$@" >/tmp/out 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        echo "ok, $((SECONDS - begun)) s"
        return
    fi
    echo "FAILED, status $status after $((SECONDS - begun)) s"
    tail -n 15 /tmp/out | sed 's/^/    /'
    failures=$((failures + 1))
}

inside() {
    local command before
    export HLRC_FABRIC=verbs LITMUS_PROTOCOLS=$protocols LITMUS_SECONDS=${LITMUS_SECONDS:-100}
    export LITMUS_NODES=${LITMUS_NODES:-$(whole && echo 2 3 4 || echo 3)}
    export CONFORMANCE_PERCENT=${CONFORMANCE_PERCENT:-$(whole && echo 20 || echo 2)} CONFORMANCE_DEVICES=rxe0,rxe1
    export GCOV_PREFIX=/tmp/gcov # the build folder cannot be written to
    if sanitized; then CONFORMANCE_PERCENT=1 LITMUS_NODES=2; fi
    before=$(sent v1)
    while read -r -a command; do one "${command[@]}" </dev/null; done < <(list "$@")
    echo "$(($(sent v1) - before)) packets crossed the link"
    [ $(($(sent v1) - before)) -gt 0 ] || { echo "FAILED: all went within one device"; exit 1; }
    exit $((failures > 0))
}

# ---- outside ----

skip() { echo "skipped: $*"; exit 77; }

parts=(conformance litmus blackbox random apps compat limits loss multicast cut silence)
memory=2G
if sanitized; then parts=(conformance) memory=4G; fi
action=run
case ${1-} in
--app) shift; run_app "$@"; exit ;;
--kernel) shift; run_kernel "$@"; exit ;;
--cut) shift; run_cut "$@"; exit ;;
--silence) shift; run_silence "$@"; exit ;;
--limits) run_limits; exit ;;
--loss) run_loss; exit ;;
--multicast) run_multicast; exit ;;
--inside) shift; inside "$@" ;;
--list) action=list; shift ;;
esac
[ $# -eq 0 ] || parts=("$@")
for part in "${parts[@]}"; do
    [ "$(type -t "list_$part")" = function ] || { echo "verbs.sh: no part $part" >&2; exit 2; }
done
if [ $action = list ]; then list "${parts[@]}" | cut -d' ' -f2-; exit; fi

grep -qs '^#define HAVE_VERBS 1' "$top_builddir/config.h" || skip "the verbs fabric is not in this build (libibverbs-dev)"
needed=(hlrcrun)
[[ " ${parts[*]} " != *' cut '* && " ${parts[*]} " != *' silence '* ]] || needed+=(tests/guest/waiting)
[[ " ${parts[*]} " != *' conformance '* ]] || needed+=(tests/fabric/conformance)
[[ " ${parts[*]} " != *' apps '* ]] || needed+=(apps/is apps/is_seq apps/fft3d apps/lu apps/lu_seq apps/gups apps/gups_seq)
[[ " ${parts[*]} " != *' compat '* ]] || needed+=(hlrcc tests/compat/armci tests/compat/shmem tests/compat/shmem_examples tests/compat/shmem_groups)
[[ " ${parts[*]} " != *' limits '* ]] || needed+=(apps/is)
[[ " ${parts[*]} " != *' loss '* ]] || needed+=(microbench/atomics)
[[ " ${parts[*]} " != *' multicast '* ]] || needed+=(microbench/multicast microbench/levels)
for program in "${needed[@]}"; do
    [ -x "$top_builddir/$program" ] || skip "$program is not built"
done
if [[ " ${parts[*]} " == *' compat '* ]]; then
    mkdir -p "$kernels" || exit 1
    for source in "$top_srcdir"/tests/compat/npb/*.c; do
        program=$kernels/$(basename "$source" .c)
        [ "$program" -nt "$source" ] || "$top_builddir/hlrcc" -fopenmp -O2 "$source" -o "$program" -lm || exit 1
    done
fi
status=0
limit=$(whole && echo 1700 || echo 1000)
error=$(mktemp)
trap 'rm -f "$error"' EXIT
"$top_srcdir/scripts/rdma-guest" --memory $memory --timeout "${VERBS_SECONDS:-$limit}" "$self" --inside "${parts[@]}" \
    2>"$error" || status=$?
[ $status -ne 77 ] || skip "$(cat "$error")"
cat "$error"
exit $status
