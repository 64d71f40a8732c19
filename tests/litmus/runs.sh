# SPDX-License-Identifier: LGPL-2.1-or-later
# For the scripts here that run litmus programs as they are; sourced after ../lib.sh. With sanitizers, under which each
# job takes several times as long, every other program, with three nodes alone, and with one protocol each in turn.
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
test -x "$programs/rule03_lock" || skip "the litmus programs are not built"
export HLRCRUN=$hlrcrun
test -z "${HLRC_TEST_SANITIZERS:-}" || export LITMUS_NODES=${LITMUS_NODES:-3}

turn=0
of_this_turn() { # "PROTOCOL...": all of them, or one of them with sanitizers
    local -a all
    read -ra all <<<"$1"
    if [ -n "${HLRC_TEST_SANITIZERS:-}" ]; then echo "${all[turn / 2 % ${#all[@]}]}"; else echo "$1"; fi
}

runs() { # WHAT PROGRAM...
    what=$1
    shift
    for program; do
        turn=$((turn + 1))
        [ -z "${HLRC_TEST_SANITIZERS:-}" ] || ((turn % 2)) || continue
        LITMUS_PROTOCOLS=$(of_this_turn "${LITMUS_PROTOCOLS:-async ardmar}") "$programs/$program" >"$work/out" 2>"$work/err" ||
            fail "$program, $what: $(head -5 "$work/err")"
    done
}
