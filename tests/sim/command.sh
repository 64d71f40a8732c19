#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim: the same options give the same table to the bit, and another seed another one; a list is as good as one run after
# the other; what is wrong is told in one line; and the equations give what the papers print.
. "$(dirname "$0")/../lib.sh"
sim=$top_builddir/hlrc_sim

# sim ARGUMENT...: its status in $status
sim() {
    status=0
    "$sim" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

fail_realloc() { # WHAT ARGUMENT...
    local what=$1
    shift
    sim "$@"
    expect_status "$what" 0
    cp "$work/out" "$work/first"
    sim "$@"
    cmp -s "$work/first" "$work/out" || fail "$what: not the same the second time"
    sim "$@" --seed 2
    ! cmp -s "$work/first" "$work/out" || fail "$what: the seed changes nothing"
    ! grep -qE 'nan|inf' "$work/first" || fail "$what: $(grep -E 'nan|inf' "$work/first" | head -1)"
}

fail_realloc "atomics" atomics --workload sixteen,random --lines 0,32 --pes 8 --operations 200
sim atomics --workload one --operations 50 --tags 32,64
cp "$work/out" "$work/list"
sim atomics --workload one --operations 50 --tags 32
cp "$work/out" "$work/each"
sim atomics --workload one --operations 50 --tags=64
tail -n 1 "$work/out" >>"$work/each"
cmp -s "$work/list" "$work/each" || fail "a list is not what its values are one by one"

fail_realloc "barriers" barrier --algorithm pe,gb --skew 1000 --nodes 5,8 --groups 2 --barriers 20

# Each figure, small; columns as in the head.
for figure in 2 3 4 5 6 7 8; do
    sim atomics --figure "$figure" --operations 5 --speed
    expect_status "figure $figure" 0
    expect_err "figure $figure" ' events in '
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 5 }' "$work/out" || fail "figure $figure: rows of other lengths"
done

for figure in 5 dimension early groups; do
    sim barrier --figure "$figure" --barriers 2
    expect_status "figure $figure" 0
    awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 5 }' "$work/out" || fail "figure $figure: rows of other lengths"
done

# What the paper measured, and the model beside it: not farther than doc/simulation.md says.
sim barrier --figure 5
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    function off(here, paper) { return paper != "" && (here / paper > 1.03 || here / paper < 0.97) }
    $at["paper_factor"] != "" { n++ }
    off($at["nic_us"], $at["paper_nic_us"]) || off($at["factor"], $at["paper_factor"]) { print; bad = 1 }
    END { exit bad || n != 4 }' "$work/out" || fail "far from what was measured"

# Schemes of a get: as the formulas of the ARMCI paper and its values, but for one that its formula does not give. Chunks hide the
# copy of all but the first.
sim get
awk -F, 'function near(a, b) { return a < b * 1.001 && b < a * 1.001 } NR == 1 { next } { n++ }
    !near($7, $8) || near($8, $9) == ($1 == "registered") { print; bad = 1 } END { exit bad || n != 3 }' "$work/out" ||
    fail "gets: $(cat "$work/out")"
# 4 ms to register, 0.5 to copy the first chunk, 16 on the wire.
sim get --scheme pipelined,overlapped --bytes 1600000 --chunk 100000 --copy 200000 --register 400000 --network 100000
awk -F, 'NR > 1 { print $7 }' "$work/out" | tr '\n' ' ' >"$work/each"
test "$(cat "$work/each")" = "78.05 80.00 " || fail "chunks: $(cat "$work/out")"

# With twice the tags, and no cache, twice as many reads are under way; what is in the network is one message for each operation.
sim atomics --workload sixteen --lines 0 --tags 8,16 --pes 8
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { rate[NR] = $at["mb_s"]; if ($at["network_bytes"] != 6000 * 48 || $at["host_reads"] != 7000) exit 1 }
    END { twice = rate[3] / rate[2]; exit twice < 1.9 || twice > 2.1 }' "$work/out" || fail "8 and 16 tags: $(cat "$work/out")"

sim atomics --tables
awk -F, '/^table|^equation [1-4]/ && $2 != $3 { print; bad = 1 } /^table|^equation/ { n++ }
    /^equation 5/ && $2 != "" && $2 != int($3) { print; bad = 1 } END { exit bad || n != 13 }' "$work/out" ||
    fail "equations 1 to 5, tables III and IV"

for wrong in 'nothing' '' 'atomics --tags 0' 'atomics --tags 5000' 'atomics --tags x' 'atomics --tags 1,' 'atomics --tags' \
    'atomics --workload two' 'atomics --lines 32 --ways 64' 'atomics --figure 1' 'atomics --nothing 3' 'atomics word' \
    'atomics --pes 4096 --table 65535' 'atomics --seed 99999999999999999999' 'atomics --tags -1' \
    'barrier --nodes 1' 'barrier --nodes 16 --algorithm gb --dimension 16' 'barrier --barriers 1000000 --groups 8' \
    'barrier --tables' 'get --scheme best' 'get --bytes 0' 'get --bytes 10 --chunk 20' 'replay --move-homes perhaps' 'replay --move-homes on' 'replay --ahead many' \
    'replay --renew 256' 'replay --times' 'replay --as-2004 eager,fast' 'replay --between 3,2' 'replay --with reads,luck'; do
    # shellcheck disable=SC2086
    sim $wrong
    expect_status "$wrong" 2
    test "$(wc -l <"$work/err")" = 1 || fail "$wrong: not one line: $(head -3 "$work/err")"
    expect_err "$wrong" '^hlrc_sim: .+: .+;|^hlrc_sim: .*; see'
done
sim atomics --help
expect_status "--help" 0
expect_out "--help" '--tags VALUE'
for command in atomics barrier get grow load replay trace; do
    for help in --help -h; do
        sim $command $help
        expect_status "$command $help" 0
        expect_out "$command $help" "^Usage: hlrc_sim $command "
    done
done
sim --version
expect_out "--version" '^hlrc_sim [0-9]'
if test -w /dev/full; then
    "$sim" atomics --operations 1 >/dev/full 2>"$work/err" && fail "no room, and no word of it"
    expect_err "no room" 'standard output'
    for command in --help --man --version 'replay --help'; do
        # shellcheck disable=SC2086
        "$sim" $command >/dev/full 2>"$work/err" && fail "no room, $command: status 0"
        expect_err "no room, $command" 'standard output'
    done
fi
finish
