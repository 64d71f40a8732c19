#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim grow with real runs: the law of SOR, from two, three and four nodes, has the pages that five nodes use; the grown
# trace is the same each time, and is replayed with what that of five nodes has; a wrong size or law is refused in one line. The laws
# of LU, CG and Water, too, have the pages that five nodes use.
. "$(dirname "$0")/../lib.sh"
sim=$top_builddir/hlrc_sim
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "tests/sim/growth has the simulator's part with the sanitizers"
law=sor
size=(--size 200 --sweeps 5)
set_size=(--set size=200 --set sweeps=5)
plain=(--ahead 0 --renew 0 --hot-pages 0 --exclusive-pages off --lazy-release 0 --move-homes off)

# sim ARGUMENT...: its status in $status
sim() {
    status=0
    "$sim" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# replayed WHAT FILE: what is counted, as "name number"
replayed() {
    sim replay --machine "$top_srcdir/share/machines/infiniband-2004" "$2"
    expect_status "$1" 0
    awk -F, 'NR > 1 { print $1, $2 }' "$work/out" >"$2.counts"
}

for nodes in 2 3 4 5; do
    run_job "$nodes" ardmar "${plain[@]}" --trace-sim "$work/t$nodes" "$top_builddir/apps/sor" "${size[@]}"
    expect_status "sor, $nodes nodes" 0
    test -s "$work/t$nodes" || skip "no trace: $(head -1 "$work/err")"
done
few=("$work/t2" "$work/t3" "$work/t4")

# All pages but one in fifty are those of the law, with five nodes too, of which it knows nothing else.
sim grow --law "$law" "${set_size[@]}" "${few[@]}" --check "$work/t5"
expect_status "grow" 0
awk -F, '$2 ~ /^pages/ { n++; if ($4 < 50 || $5 > $4 * 1.02 || $5 < $4 * 0.98) { print; bad = 1 } } END { exit bad || n != 12 }' \
    "$work/out" || fail "pages that are not those of the law: $(head -40 "$work/out")"

sim grow --law "$law" "${set_size[@]}" "${few[@]}" --nodes 5 --traced-options -o "$work/g5"
expect_status "grown to five" 0
cp "$work/g5" "$work/again"
sim grow --law "$law" "${set_size[@]}" "${few[@]}" --nodes 5 --traced-options -o "$work/g5"
cmp -s "$work/g5" "$work/again" || fail "not the same the second time"
replayed "traced" "$work/t5"
replayed "grown" "$work/g5"
for name in read_faults write_faults page_fetches write_notices invalidations barriers; do
    traced=$(awk -v n="$name" '$1 == n { print $2 }' "$work/t5.counts")
    grown=$(awk -v n="$name" '$1 == n { print $2 }' "$work/g5.counts")
    test $((grown * 100)) -ge $((traced * 95)) && test $((grown * 100)) -le $((traced * 105)) ||
        fail "$name: $grown grown, $traced traced"
done

# Each machine that there is.
for machine in "$top_srcdir"/share/machines/*; do
    for protocol in async ardmar onesided; do
        sim replay --machine "$machine" --protocol "$protocol" "$work/t5"
        expect_status "$machine, $protocol" 0
    done
done

# Many nodes, and a size that grows with them.
sim grow --law "$law" "${set_size[@]}" "${few[@]}" --nodes 64 --weak -o "$work/g64"
expect_status "grown to 64" 0
sim replay --machine "$top_srcdir/share/machines/infiniband-2004" "$work/g64"
expect_status "replay of 64" 0
expect_out "replay of 64" '^nodes,64,64$'
expect_out "replay of 64" "^barriers,$((64 * 13)),"

# A row for each trace, as wide as the head; the master's handler is the busiest.
sim load --machine "$top_srcdir/share/machines/infiniband-2004" "$work/t5" "$work/g5" "$work/g64"
expect_status "load" 0
awk -F, 'NR == 1 { n = NF; for (i = 1; i <= NF; i++) at[$i] = i; next }
    NF != n || $at["handler_node"] != 0 || $at["time_us"] < 1 { exit 1 }
    { sum = $at["pages_us"] + $at["locks_us"] + $at["barriers_us"] + $at["closings_us"]; if (sum > $at["time_us"]) exit 1 }
    END { exit NR != 4 }' "$work/out" || fail "load: $(cat "$work/out")"
# Under ONESIDED no handler has anything to do, under ASYNC no adapter.
for protocol in async:adapter_most onesided:handler_most; do
    sim load --machine "$top_srcdir/share/machines/infiniband-2004" --protocol "${protocol%:*}" --ahead 8 "$work/g64"
    expect_status "load, ${protocol%:*}" 0
    awk -F, -v idle="${protocol#*:}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { exit $at[idle] != 0 || $at["out_most"] == 0 }' \
        "$work/out" || fail "load, $protocol: $(cat "$work/out")"
done
for wrong in 'load' 'load --machine' 'load x y z' "load --machine $work/t5"; do
    # shellcheck disable=SC2086
    sim $wrong
    expect_status "$wrong" 2
    expect_err "$wrong" 'load: it takes --machine FILE'
done

refused() { # WHAT STATUS PATTERN ARGUMENT...
    local what=$1 want=$2 pattern=$3
    shift 3
    sim grow "$@"
    expect_status "$what" "$want"
    test "$(wc -l <"$work/err")" = 1 || fail "$what: not one line: $(head -3 "$work/err")"
    expect_err "$what" "$pattern"
}
run_job 2 ardmar --trace-sim "$work/usual" "$top_builddir/apps/sor" "${size[@]}"
refused "usual options" 1 'not traced with --ahead 0' --law "$law" "${set_size[@]}" "$work/usual"
refused "another size" 1 'pages that are used .* do not match the law' --law "$law" --set size=150 --set sweeps=5 "${few[@]}"
refused "other sweeps" 1 'the law ends here, and the trace continues' --law "$law" --set size=200 --set sweeps=4 "${few[@]}"
refused "another law" 1 'line [1-9][0-9]* of sim/law_is.c: the law has' --law is "${few[@]}"
refused "a bad size" 1 'line [1-9][0-9]* of sim/law_is.c: a range lies outside' --law is --set keys=1024 "${few[@]}"
refused "no cells" 1 'line [1-9][0-9]* of sim/law_water.c: the molecules fill no row' --law water --set side=1 "${few[@]}"
refused "no such law" 2 '--law nothing: there is no such law; give one of cg, .*, water' --law nothing "${few[@]}"
refused "no trace" 1 'no file of --trace-sim' --law "$law" "$0"
refused "no law at all" 2 'it takes --law NAME' "${few[@]}"
refused "no nodes" 2 'it takes --law NAME' --law "$law" "${few[@]}" -o "$work/x"
refused "too many nodes" 2 '--nodes 2000: give a number' --law "$law" "${few[@]}" --nodes 2000 -o "$work/x"
refused "no parameter" 2 '--set colour=3: the law has no such' --law "$law" --set colour=3 "${few[@]}"
refused "no number" 2 '--set size=x: give' --law "$law" --set size=x "${few[@]}"
refused "small number" 2 '--set size=0: give a number from 1 to' --law "$law" --set size=0 "${few[@]}"
refused "large number" 2 '--grow size=9999999: give a number from 1 to' --law "$law" "${set_size[@]}" --grow size=9999999 "${few[@]}"
refused "no option" 2 '--nothing: not understood' --law "$law" "${few[@]}" --nothing 3
refused "no room" 1 '-o /nowhere/x: ' --law "$law" "${set_size[@]}" "${few[@]}" --nodes 8 -o /nowhere/x

# The largest sizes end with that line, too, and not when they have been computed.
for large in fft3d:nx=32768:ny=32768:nz=32768 gauss:size=1048576 lu:size=1048576:block=1 lu:size=16384:block=1 \
    sor:size=1048576:sweeps=1048576 water:side=1024:spacing=1000000:cutoff=1000; do
    # shellcheck disable=SC2046 # an option and its value are two words
    "$within" 60 "$sim" grow --law $(echo "$large" | sed 's/:/ --set /g') "${few[@]}" >"$work/out" 2>"$work/err"
    status=$?
    expect_status "$large" 1
    test "$(grep -c '^hlrc_sim: .*line [0-9]* of sim/law_' "$work/err")" = 1 || fail "$large: $(head -3 "$work/err")"
done

# The pages of other programs, too, are those of the law with five nodes, all but one in fifty; and no range is outside its array with
# many nodes and a larger size.
other() { # LAW SETTINGS ARGUMENT...
    local name=$1 settings=$2 nodes
    shift 2
    for nodes in 2 3 4 5; do
        run_job "$nodes" ardmar "${plain[@]}" --trace-sim "$work/$name$nodes" "$top_builddir/apps/$name" "$@"
        expect_status "$name, $nodes nodes" 0
    done
    # shellcheck disable=SC2086
    sim grow --law "$name" $settings "$work/${name}2" "$work/${name}3" "$work/${name}4" --check "$work/${name}5" --nodes 20 --weak \
        -o "$work/g20"
    expect_status "$name" 0
    awk -F, '$2 ~ /^pages/ { n++; if ($5 > $4 * 1.02 || $5 < $4 * 0.98 || $2 == "pages_changed" && $4 < 50) { print; bad = 1 } }
        END { exit bad || n != 12 }' "$work/out" || fail "$name: pages that are not those of the law: $(grep ,pages "$work/out")"
}
other lu '--set size=256' --size 256 --no-verify
other cg '--set iterations=2' --iterations 2 --no-verify
other water '--set side=10' --molecules 1000 --no-verify
other gauss '' --size 512
other fft3d '--set nx=32 --set ny=32 --set nz=32' --grid 32^3
other radix '--set keys=262144' --keys 2^18
other is '' --class W
finish
