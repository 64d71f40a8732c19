#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrcrun --resize of programs that do not know HLRC: their output, each line once, is the native one, and their exit status, too.
. "$(dirname "$0")/compatlib.sh"
jobs_are_saved
for program in team lines; do
    build $program restart/$program.c gcc hlrcc || finish
done
cd "$work" || exit 99
echo ax >input

start() { # OPTIONS, PROGRAM...: of hlrcrun, in the background
    rm -rf dir go steps
    : >err
    "$hlrcrun" "$@" >out 2>err </dev/null &
    job=$!
    await grep -q -x hlrcrun /proc/$job/comm
}

resize() { # FROM TO
    "$within" 60 "$hlrcrun" --resize "$2" $job >said 2>&1 || fail "$1 to $2: $? $(cat said)"
    await grep -qE "^hlrcrun: resized from $1 to $2 nodes in [0-9]+\.[0-9]+ s\$" err
}

ended() { # WHAT STATUS
    status=0
    wait $job || status=$?
    expect_status "$1" "$2"
}

touch go
./team.gomp >wanted 2>/dev/null
cp steps wanted.steps
for nodes in '2 4' '4 1'; do
    read -r before after <<<"$nodes"
    start -n "$before" --checkpoint 1h:dir ./team
    await test -s steps
    resize "$before" "$after"
    touch go
    ended "$nodes" 0
    cmp -s out wanted || fail "$nodes: $(diff out wanted | head -3)"
    cmp -s steps wanted.steps || fail "$nodes: steps: $(diff steps wanted.steps | head -3)"
    test "$(wc -l <err)" = 1 || fail "$nodes: $(cat err)"
    grep -q "^processes $before\$" dir/manifest.1 || fail "$nodes: $(cat dir/manifest.1)"
done

# ---- a program that writes all the time; the next checkpoint has the new number ----
./lines.gomp >/dev/null 2>wanted
start -n 2 --checkpoint 1h:dir ./lines
await grep -q . out
resize 2 3
resize 3 1
resize 1 2
ended lines 7
grep '^step' err | cmp -s - wanted || fail "lines: $(grep '^step' err | diff - wanted | head -3)"
seq 0 $(($(wc -l <out) - 1)) | cmp -s - out || fail "lines: numbers: $(seq 0 $(($(wc -l <out) - 1)) | diff - out | head -5)"
test "$(grep -c -v '^step' err)" = 3 || fail "lines: $(grep -v '^step' err)"
grep -q '^processes 1$' dir/manifest.3 || fail "lines: $(cat dir/manifest.*)"

# ---- what cannot be saved ----
start -n 2 --checkpoint 1h:dir ./team pipe
await test -s steps
"$within" 60 "$hlrcrun" --resize 3 $job >said 2>&1 || fail "pipe: $? $(cat said)"
await grep -q '^hlrcrun: not resized from 2 to 3 nodes: it cannot be saved; the job continues$' err
touch go
ended pipe 0
expect_err pipe '^hlrc: checkpoint 1 cannot be saved: descriptor [0-9]+, pipe:\[[0-9]+\], is a pipe; there is none yet$'
finish
