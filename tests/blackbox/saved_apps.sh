# SPDX-License-Identifier: LGPL-2.1-or-later
# Each application is saved before each of its steps. A restart from what the job wrote last does its last step again: the result
# is exactly that of a job which was never saved, so all that a node keeps from step to step was saved. Then a node is killed.
. "$(dirname "$0")/../lib.sh"
hlrcrun=$(realpath "$hlrcrun")
apps=$(realpath "$top_builddir/apps")
ulimit -S -c 0
cd "$work" || exit 99

run() { # COMMAND...
    status=0
    "$within" 120 "$@" >out 2>err </dev/null || status=$?
}

# The checksum of a run that verified its result.
result() { # WHAT FILE
    expect_status "$1" 0
    grep -q '^  verification  SUCCESSFUL' out || fail "$1: $(tail -n 3 out)"
    sed -n 's/^  checksum  *//p' out >"$2"
    test -s "$2" || fail "$1: no checksum"
}

barriers() { # FILE: of node 0
    grep -oE '"barriers": *[0-9]+' "$1" | head -1 | grep -oE '[0-9]+$'
}

saved() { # PROTOCOL NODES APPLICATION ARGUMENTS...
    local protocol=$1 nodes=$2 what="$1, $2 nodes: ${*:3}"
    shift 2
    rm -rf dir whole.json rest.json
    run "$hlrcrun" -n "$nodes" --protocol "$protocol" "$apps/$1" "${@:2}"
    result "$what" plain
    run "$hlrcrun" -n "$nodes" --protocol "$protocol" --checkpoint 0:dir --stats=whole.json "$apps/$1" "${@:2}"
    result "$what, saved" kept
    run "$hlrcrun" --restart dir --stats=rest.json
    result "$what, restored" restored
    cmp -s plain kept || fail "$what: saved: $(cat kept), not $(cat plain)"
    cmp -s plain restored || fail "$what: restored: $(cat restored), not $(cat plain)"
    test "$(barriers rest.json)" -lt "$(barriers whole.json)" ||
        fail "$what: not restored: $(barriers rest.json) of $(barriers whole.json) barriers"
}

saved ardmar 3 is --class S
saved async 2 is --class S --by lock
saved onesided 3 fft3d --grid 32^3
saved async 3 radix --keys 50000 --radix 16
saved ardmar 2 radix --keys 50000 --radix 16 --by writes
saved onesided 2 barnes --bodies 1000
saved ardmar 3 barnes --bodies 1000 --tree locks
saved async 3 water --molecules 512 --steps 20
saved onesided 2 water --molecules 512 --steps 10 --forces locks
saved ardmar 10 water --molecules 64 --cutoff 4 # a node without rows

# at any step after the first complete checkpoint
what="water, a node killed"
run "$hlrcrun" -n 3 "$apps/water" --steps 60
result "$what: never" plain
rm -rf dir
"$within" 120 "$hlrcrun" -n 3 --checkpoint 0:dir --restarts 1 "$apps/water" --steps 60 >out 2>err </dev/null &
job=$!
for _ in $(seq 6000); do
    ls dir/manifest.* >/dev/null 2>&1 && break
    sleep 0.01
done
launcher=$(cat /proc/$job/task/*/children)
victim=$(for pid in $(cat /proc/"${launcher%% *}"/task/*/children); do
    test "$(cat "/proc/$pid/comm")" = water && echo "$pid"
done | tail -n 1)
kill -KILL "$victim" || fail "$what: no node to kill"
status=0
wait $job || status=$?
result "$what" restored
expect_err "$what" '^hlrcrun: continues from checkpoint [0-9]+ in .*/dir; restarts left: 0$'
cmp -s plain restored || fail "$what: $(cat restored), not $(cat plain)"
finish
