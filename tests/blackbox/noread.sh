# SPDX-License-Identifier: LGPL-2.1-or-later
# On a fabric without reads and atomics ASYNC passes everything; ARDMAR is refused with one clear line. Without write with
# immediate both are.
. "$(dirname "$0")/../lib.sh"
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
test -x "$programs/rule03_lock" || skip "the litmus programs are not built"
export HLRCRUN=$hlrcrun

turn=0
for source in "$top_srcdir"/tests/litmus/*.c; do
    program=$(basename "$source" .c)
    case $program in
    litmus | mappings) continue ;; # no program; nothing that the fabric has to do with
    accumulate | api | sections | windows) continue ;; # see below
    esac
    turn=$((turn + 1))
    [ -z "${HLRC_TEST_SANITIZERS-}" ] || ((turn % 3 == 0)) || continue # they take several times as long
    HLRC_FABRIC=shm-noread LITMUS_PROTOCOLS=async LITMUS_NODES=3 "$programs/$program" >"$work/out" 2>"$work/err" ||
        fail "$program on shm-noread: $(head -5 "$work/err")"
done
HLRC_FABRIC=shm-noread LITMUS_PROTOCOLS=async LITMUS_NODES=3 "$top_builddir/tests/blackbox/streams" >"$work/out" 2>"$work/err" ||
    fail "long broadcasts on shm-noread: $(head -5 "$work/err")"
run_job 3 async --fabric shm-noread "$top_builddir/tests/blackbox/outside" # hlrc_window_create refuses
test $status = 4 || fail "windows on shm-noread: status $status: $(head -3 "$work/err")"
for fabric in noread noimm; do
    for protocol in async ardmar; do
        test $fabric-$protocol != noread-async || continue
        run_job 3 $protocol --fabric shm-$fabric "$programs/rule03_lock"
        test $status != 0 || fail "$protocol runs on shm-$fabric"
        test "$(wc -l <"$work/err")" = 1 || fail "$protocol on shm-$fabric: not one line: $(cat "$work/err")"
        expect_err "$protocol on shm-$fabric" "fabric shm-$fabric lacks .*protocol $protocol needs for its .*--fabric or --protocol"
    done
done
finish
