# SPDX-License-Identifier: LGPL-2.1-or-later
# Lines of the nodes are never mixed, whatever their length and wherever they go.
. "$(dirname "$0")/lib.sh"

# Every node writes lines of one letter, of many lengths, in small writes.
cat >"$work/writer.sh" <<'END'
letter=$(printf abcdefgh | cut -c$((HLRC_NODE + 1)))
awk -v c=$letter -v lines=$1 -v len=$2 'BEGIN {
    for (i = 0; i < len; i++) long = long c
    for (i = 0; i < lines; i++) { printf "%s", substr(long, 1, 1 + (i * 7919) % len); printf "%s\n", c; fflush() }
}'
END

check_lines() { # NAME FILE LINES
    test "$(wc -l <"$2")" -eq "$3" || fail "$1: $(wc -l <"$2") lines, not $3"
    if grep -vqE '^(a+|b+|c+|d+)$' "$2"; then fail "$1: mixed lines"; fi
}

for len in 10 3000 100000; do
    run "$hlrcrun" -n 4 sh "$work/writer.sh" 200 $len
    expect_status "length $len" 0
    check_lines "length $len to a file" "$work/out" 800
    run sh -c '"$hlrcrun" -n 4 sh "$0" 200 "$1" 2>&1 | cat' "$work/writer.sh" $len
    check_lines "length $len to a pipe" "$work/out" 800
done

# standard output and error into one pipe, whose reader is slow: lines are written in pieces
run bash -c '"$hlrcrun" -n 4 sh -c "sh $0 10 50000 >&2 & sh $0 10 50000; wait" 2>&1 |
    while IFS= read -r -N 4096 piece || test -n "$piece"; do printf %s "$piece"; done' "$work/writer.sh"
check_lines "both into one pipe" "$work/out" 80

# a line of many megabytes, and one without an end
run "$hlrcrun" -n 2 sh -c 'head -c 9000000 /dev/zero | tr "\0" "a$HLRC_NODE" | tr a x; echo'
test "$(wc -c <"$work/out")" -eq 18000002 || fail "long lines: $(wc -c <"$work/out") bytes"
test "$(wc -l <"$work/out")" -eq 2 || fail "long lines: $(wc -l <"$work/out")"
run "$hlrcrun" -n 1 head -c 40000000 /dev/zero
test "$(tr -d '\n' <"$work/out" | wc -c)" -eq 40000000 || fail "endless line: $(wc -c <"$work/out") bytes"

# all that was written before a death is passed on
run "$hlrcrun" -n 1 sh -c 'seq 10000; exit 3'
expect_status "before death" 3
test "$(wc -l <"$work/out")" -eq 10000 || fail "before death: $(wc -l <"$work/out") lines"

# a reader that does not read must not keep the job from noticing a death
mkfifo "$work/fifo"
sleep 600 <"$work/fifo" &
sleeper=$!
new_mark
HLRCTEST_MARK=$mark "$hlrcrun" -n 2 sh -c 'test $HLRC_NODE = 0 && exec yes; while ! test -e '"$work"'/go; do sleep 0.05; done; kill -9 $$' \
    >"$work/fifo" 2>"$work/err" &
launcher=$!
sleep 0.5
touch "$work/go"
end
expect_status "blocked reader" 137
expect_quick "blocked reader"
expect_line "blocked reader" 'node 1 .* killed by signal 9'
expect_nothing_left "blocked reader"
kill $sleeper
wait $sleeper 2>"$work/wait"

# a reader that goes away ends the job
run bash -c 'set -o pipefail; "$hlrcrun" -n 2 yes | head -1'
expect_status "reader gone" 141
expect_line "reader gone" 'standard output: Broken pipe'
expect_nothing_left "reader gone"

# what a node leaves in the background neither keeps the job nor its output waiting
run "$hlrcrun" -n 2 sh -c 'sleep 60 & echo x'
expect_out "background" "x
x"
expect_quick "background"
for p in $(left); do kill "$p"; done

finish
