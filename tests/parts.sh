#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every application and example, but 08-file, which works on files, with the parts of a protocol mixed
# (hlrc/core/parts.h): results are those of the program without HLRC. By itself, rows in which each two values of program,
# parts, fabric and nodes meet once at least, drawn anew each time, and each program under --protocol onesided; with HLRC_SOAK
# all combinations of parts, on each fabric.
#
# Environment: HLRC_PARTS_FABRICS (default "shm shm+chaos"; mixed-apart: mixed with every second node as on another machine);
# HLRC_PARTS_SEED of the draw; HLRC_PARTS_SECONDS, after which no row begins; HLRC_PARTS_ROWS, a file of rows to run instead.
set -u
. "$(dirname "$0")/applib.sh"
. "$(dirname "$0")/examplelib.sh"
fabrics=${HLRC_PARTS_FABRICS:-shm shm+chaos}
seed=${HLRC_PARTS_SEED:-$$}
export -n HLRC_PARTS_FABRICS HLRC_PARTS_SEED HLRC_PARTS_SECONDS HLRC_PARTS_ROWS # no options of hlrcrun
seconds=${HLRC_PARTS_SECONDS:-$([ -n "${HLRC_SOAK:-}" ] && echo 1000000 || echo 20)}
helpers=$top_srcdir/scripts/guest
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "each run takes ten times as long; random programs have drawn parts there, too"

# The smallest sizes that verify, and in which nodes still depend on each other.
declare -A arguments=(
    [is]="--keys 2^12" [fft3d]="--grid 16^3 --iterations 2" [barnes]="--bodies 64 --steps 2"
    [barnes-locks]="--bodies 64 --steps 2 --tree locks" [radix]="--keys 3000" [water]="--molecules 64 --cutoff 4 --steps 3"
    [water-locks]="--molecules 64 --cutoff 4 --steps 3 --forces locks" [sor]="--size 60 --sweeps 6"
    [sor-jacobi]="--size 60 --sweeps 6 --method jacobi" [gauss]="--size 33" [lu]="--size 60 --block 16"
    [lu-gets]="--size 60 --block 16 --by gets" [lu-rows]="--size 60 --block 16 --layout rows --by gets"
    [fft3d-gets]="--grid 16^3 --iterations 2 --by gets"
    [gups]="--table 2^10 --by locks" [gups-atomics]="--table 2^8" [gups-puts]="--table 2^10 --by puts" [cg]="--rows 300 --nonzer 3 --iterations 1"
    [tsp]="--cities 8" [qsort]="--keys 5000 --threshold 64")
examples="01-hello 02-counter 03-homes 04-mailbox 05-shares 06-rod 07-flag"
programs="$(printf '%s\n' "${!arguments[@]}" | sort | tr '\n' ' ')$examples"

# ---- rows: PROGRAM FABRIC NODES PROTOCOL PAGES DIFFS NOTICES LOCKS BARRIER, the parts "-" where the protocol decides ----

draw() { # pairs|all
    awk -v mode="$1" -v seed="$seed" -v programs="$programs" -v fabrics="$fabrics" '
    function add(values) { width[++columns] = split(values, words, " "); for (v in words) value[columns, v] = words[v] }
    function below(n) { return int(rand() * n) + 1 }
    function pair(a, va, b, vb) { return a < b ? a " " va " " b " " vb : b " " vb " " a " " va }
    function show(   c, line) {
        for (c = 1; c <= columns; c++) line = line value[c, row[c]] " "
        rows[++rows_drawn] = line
    }
    function print_shuffled(   i, k) {
        for (i = rows_drawn; i > 0; i--) { k = below(i); print rows[k]; rows[k] = rows[i] }
    }
    # The value of column c that meets most values of the columns decided so far for the first time.
    function best(c,   v, other, gain, most, found, n) {
        most = -1
        for (v = 1; v <= width[c]; v++) {
            gain = 0
            for (other = 1; other <= columns; other++)
                gain += decided[other] && (pair(c, v, other, row[other]) in open)
            if (gain > most) { most = gain; n = 0 }
            if (gain == most && below(++n) == 1) found = v
        }
        return found
    }
    function cover(   a, b) {
        for (a = 1; a < columns; a++)
            for (b = a + 1; b <= columns; b++)
                delete open[pair(a, row[a], b, row[b])]
    }
    function pairs(   a, b, va, vb, n, list, i, k, p, c, part) {
        for (a = 1; a < columns; a++) for (b = a + 1; b <= columns; b++)
            for (va = 1; va <= width[a]; va++) for (vb = 1; vb <= width[b]; vb++) {
                open[p = pair(a, va, b, vb)]
                list[++n] = p
            }
        for (i = n; i > 0; i--) { # in any order
            k = below(i); p = list[k]; list[k] = list[i]
            if (!(p in open)) continue
            split(p, part, " ")
            delete decided
            row[part[1]] = part[2]; decided[part[1]] = 1
            row[part[3]] = part[4]; decided[part[3]] = 1
            for (k = columns; k > 0; k--) {
                for (c = below(columns); decided[c] && k > 2; c = c % columns + 1);
                if (decided[c]) break
                row[c] = best(c); decided[c] = 1
            }
            cover()
            show()
        }
    }
    function all(c,   v) { # nodes and protocol at random
        if (c > columns) { row[3] = below(width[3]); row[4] = below(width[4]); show(); return }
        if (c == 3 || c == 4) { all(c + 1); return }
        for (v = 1; v <= width[c]; v++) { row[c] = v; all(c + 1) }
    }
    BEGIN {
        srand(seed)
        add(programs); add(fabrics); add("2 3 4"); add("async ardmar onesided")
        add("async ardmar"); add("message write"); add("log read"); add("manager mcs"); add("master counter tree pairs")
        if (mode == "all") all(1); else pairs()
        # and the protocol alone
        for (p = 1; p <= width[1]; p++)
            for (f = 1; f <= (mode == "all" ? width[2] : 1); f++)
                rows[++rows_drawn] = value[1, p] " " value[2, mode == "all" ? f : below(width[2])] " " \
                    value[3, below(width[3])] " onesided - - - - -"
        print_shuffled()
    }'
}

# ---- one row ----

declare -A sums # checksums of the programs without HLRC

# Sets app and expected; $name is a variant, such as barnes-locks.
expect_result() {
    app=$top_builddir/apps/${name%%-*}
    if [ -z "${sums[$name]:-}" ]; then
        status=0
        "${app}_seq" ${arguments[$name]} --json "$work/json" >"$work/out" 2>"$work/err" || status=$?
        sums[$name]=$(field checksum)
        expected=${sums[$name]}
        verified "$name without HLRC"
    fi
    expected=${sums[$name]}
}

# Sets options: those of hlrcrun.
row_options() {
    local part i=0
    options=(-n "$nodes" --protocol "$protocol" --fabric "${fabric%-apart}" --memory=64M "--watchdog=$((limit / 2))")
    for part in pages diffs notices locks barrier; do
        [ "${parts[i]}" = - ] || options+=("--$part=${parts[i]}")
        i=$((i + 1))
    done
}

# Whether an example has said what it should. With ASYNC over an adapter a page in which nothing but zeros was written has no
# home yet [pages-async.first-request], so who has it depends on who comes next.
example_said() { # PAGES
    local said expected
    said=$(sort "$work/out") expected=$(example_says "$name" "$nodes")
    case $name:$fabric:$1 in
    03-homes:[vm]*:async) said=$(sums_of "$said") expected=$(sums_of "$expected") ;;
    esac
    test "$said" = "$expected" || fail "$name: $said"
}

sums_of() { sed 's/its part.*sum/sum/; s/, [0-9]* pages fetched//' <<<"$1"; }

run_row() {
    local name=$1 fabric=$2 nodes=$3 protocol=$4 program begun=$failures
    shift 4
    local parts=("$@") options=() limit=100 # seconds
    case $fabric in verbs* | mixed*) limit=400 ;; esac # emulated
    case $fabric in mixed-apart) export VERBS_APART=1 ;; *) unset VERBS_APART ;; esac
    case $fabric in verbs* | mixed*) local hlrcrun=$helpers/hlrcrun ;; esac
    row_options
    rm -f "$work/json"
    status=0
    if [ -n "${arguments[$name]:-}" ]; then
        expect_result
        program=("$app" ${arguments[$name]} --json "$work/json")
    else
        program=("$top_builddir/examples/$name")
    fi
    "$within" $limit "$hlrcrun" "${options[@]}" "${program[@]}" >"$work/out" 2>"$work/err" </dev/null ||
        status=$?
    if [ -n "${arguments[$name]:-}" ]; then
        verified "$name"
    else
        expect_status "$name" 0
        example_said "$1"
    fi
    [ $failures -eq $begun ] || {
        echo "    row: $name $fabric $nodes $protocol ${parts[*]}"
        echo "    ${VERBS_APART:+VERBS_APART=1 }HLRC_CHAOS_SEED=$HLRC_CHAOS_SEED HLRC_CHAOS_ORDERED=$HLRC_CHAOS_ORDERED" \
            "$hlrcrun ${options[*]} ${program[*]}"
        tail -n 20 "$work/err" | sed 's/^/    /'
    }
}

mode=pairs
[ -z "${HLRC_SOAK:-}" ] || mode=all
if [ -n "${HLRC_PARTS_ROWS:-}" ]; then cp "$HLRC_PARTS_ROWS" "$work/rows"; else draw $mode >"$work/rows"; fi
total=$(wc -l <"$work/rows") count=0
[ "$total" -gt 0 ] || fail "no rows were drawn"
echo "HLRC_PARTS_SEED=$seed: $total rows"
end=$((SECONDS + seconds))
while read -r -a row; do
    [ $SECONDS -lt $end ] || { echo "time is up: $((total - count)) rows are left out"; break; }
    count=$((count + 1))
    export HLRC_CHAOS_SEED=$(((seed + count) % 1000000)) HLRC_CHAOS_ORDERED=$((count % 2))
    run_row "${row[@]}"
    [ $((count % 200)) -ne 0 ] || echo "$count rows, $failures failures, $SECONDS s"
done <"$work/rows"
echo "$count rows, $failures failures"
finish
