# SPDX-License-Identifier: LGPL-2.1-or-later
# A node killed with -9 at any moment, and so hlrcrun itself: the whole job ends, with one message that says who and
# why, and nothing is left. SIGINT and SIGTERM to hlrcrun end it likewise. All within two seconds on an idle machine; a
# busy one takes longer now and then, so that of the jobs that end in one way the fastest must be as quick, and the
# others must end. Applications run meanwhile; the moment is random. Each case once (HLRC_KILL_ROUNDS), the protocols in
# turn, and the other way round with sanitizers; with HLRC_SOAK a hundred times (HLRC_SOAK_KILLS).
set -u
build=${top_builddir:-.}
work=$(mktemp -d)
mark="HLRC_KILL_MARK=$$.$RANDOM"
rounds=${HLRC_KILL_ROUNDS:-1}
[ -z "${HLRC_SOAK:-}" ] || rounds=${HLRC_SOAK_KILLS:-100}
RANDOM=${HLRC_KILL_SEED:-$$}
failures=0

# Every process of ours carries the mark in its environment.
marked() {
    grep -lz "^$mark\$" /proc/[0-9]*/environ 2>/dev/null | sed 's|/proc/\([0-9]*\)/.*|\1|'
}

cleanup() {
    local pid
    for pid in $(marked); do kill -9 "$pid" 2>/dev/null; done
    rm -rf "$work"
}
trap cleanup EXIT

fail() {
    echo "FAILED: $*"
    sed 's/^/    | /' "$work/err" | head -n 20
    failures=$((failures + 1))
}

now_ms() {
    local t=${EPOCHREALTIME/./}
    echo $((t / 1000))
}

children() {
    cat /proc/"$1"/task/*/children 2>/dev/null
}

# The pids of the nodes, in the order of the nodes; waits until all are there and in the application.
nodes_of() {
    local launcher=$1 app=$2 count=$3 pid found
    for _ in $(seq 3000); do
        found=
        for pid in $(children "$launcher"); do
            [ "$(cat /proc/"$pid"/comm 2>/dev/null)" = "$app" ] && found="$found $pid"
        done
        set -- "$launcher" "$app" "$count" $found
        [ $# -eq $((3 + count)) ] && { shift 3; echo "$@"; return 0; }
        sleep 0.02
    done
    return 1
}

shm_entries() {
    find /dev/shm -maxdepth 1 -user "$(id -u)" -name '*hlrc*' | sort
}

# try APP PROTOCOL VICTIM SIGNAL: VICTIM is a node's number or "launcher"
try() {
    local app=$1 protocol=$2 victim=$3 signal=$4 what="$1, $2, $4 to $3" pid start took status=0
    local kind="$4 to ${3/[0-9]/a node}"
    local -a nodes
    shm_entries >"$work/before"
    env "$mark" "$build/hlrcrun" -n 3 --protocol "$protocol" "$build/apps/$app" --no-verify "${size[@]}" \
        >"$work/out" 2>"$work/err" &
    local launcher=$!
    read -r -a nodes < <(nodes_of $launcher "$app" 3) || { fail "$what: the nodes did not start"; wait $launcher; return; }
    sleep "0.$(printf '%03d' $((RANDOM % 700)))"
    pid=$launcher
    [ "$victim" = launcher ] || pid=${nodes[$victim]}
    start=$(now_ms)
    kill -"$signal" "$pid" 2>/dev/null || { fail "$what: the job had ended before; make it longer"; wait $launcher; return; }
    wait $launcher 2>/dev/null || status=$?
    while [ -n "$(marked)" ] && [ $(($(now_ms) - start)) -lt 60000 ]; do sleep 0.02; done
    took=$(($(now_ms) - start))
    [ -z "$(marked)" ] || fail "$what: still running: $(marked | tr '\n' ' ')"
    [ "$took" -ge "${fastest[$kind]:-60000}" ] || fastest[$kind]=$took
    [ $status -ne 0 ] || fail "$what: status 0"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: not one line on standard error"
    if [ "$victim" = launcher ]; then
        grep -q 'hlrcrun' "$work/err" || fail "$what: the message does not name hlrcrun"
    else
        grep -q "node $victim (pid $pid) was killed by signal 9" "$work/err" || fail "$what: the message does not name the node"
    fi
    shm_entries >"$work/after"
    cmp -s "$work/before" "$work/after" || fail "$what: left in /dev/shm: $(comm -13 "$work/before" "$work/after")"
}

declare -A fastest=() # of the jobs that SIGNAL to VICTIM has ended, in milliseconds

# Sizes that last for seconds, at least.
declare -A size_of=(
    [is]="--class C" [fft3d]="--class A --iterations 100" [barnes]="--bodies 32768 --steps 10000"
    [radix]="--keys 2^26 --max-key 2^32" [water]="--molecules 8192 --steps 100000"
    [tsp]="--cities 20 --seed 3" [qsort]="--keys 2^26"
    [cg]="--class A --iterations 1000"
)
export HLRC_MEMORY=2G
turn=0
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || turn=1
for ((round = 0; round < rounds; round++)); do
    for app in is fft3d barnes radix water tsp qsort cg; do
        read -r -a size <<<"${size_of[$app]}"
        turn=$((turn + 1))
        protocol=ardmar
        [ $((turn % 2)) -eq 0 ] || protocol=async
        for victim in 0 1 2 launcher; do
            try $app $protocol $victim KILL
        done
        try $app $protocol launcher INT
        try $app $protocol launcher TERM
    done
    turn=$((turn + 1)) # each application with the other protocol in the next round
    [ "$rounds" -eq 1 ] || echo "round $((round + 1)) of $rounds: $failures failures"
done
for what in "${!fastest[@]}"; do
    echo "$what: the fastest job ended in ${fastest[$what]} ms"
    : >"$work/err"
    [ "${fastest[$what]}" -le 2000 ] || fail "$what: no job ended within two seconds"
done
exit $((failures > 0))
