#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# One small program for each feature of OpenMP: compiled by hlrcc it prints what gcc's print, on two or three nodes of one or two
# threads, of which each program gets two, and under one protocol after the other, and those whose tasks go from node to node get
# more. The soak has all of them. Arguments: only programs of these names; without any, all but those of tasks.sh.
. "$(dirname "$0")/compatlib.sh"

protocols=(ardmar async onesided)
turn=0
for source in "$here"/feature/*; do
    program=$(basename "${source%.*}")
    case $source in
    *.c) gnu=gcc hlrc=hlrcc ;;
    *.cc) gnu=g++ hlrc=hlrc++ ;;
    *.f90) gnu=gfortran hlrc=hlrcfort ;;
    *) continue ;;
    esac
    command -v $gnu >/dev/null || continue
    if [ $# -gt 0 ]; then
        [[ " $* " == *" $program "* ]] || continue
    elif [[ $program = task* || $program = depend ]]; then
        continue
    fi
    build "$program" "feature/${source##*/}" $gnu $hlrc || continue
    unset "${!OMP_@}"
    case $program in
    larger) export OMP_WAIT_POLICY=passive ;; # libgomp's threads spin
    affinity) export OMP_PLACES=threads OMP_PROC_BIND=close ;;
    cancel | task_cancel | task_team | nested_teams) export OMP_CANCELLATION=true ;;
    stack) export OMP_STACKSIZE=24M ;;
    esac
    if [[ $program = @(larger|nested_teams) ]]; then
        compare "$program" 2 2 "${protocols[turn % 3]}"
        compare "$program" 3 1 "${protocols[(turn + 1) % 3]}"
        HLRC_PLACEMENT_CONTROL=alternate compare "$program" 2 1 "${protocols[(turn + 2) % 3]}"
        build "$program" "feature/${source##*/}" $gnu $hlrc -DTHREADS || continue # runs on one node
        HLRC_PLACEMENT_CONTROL=on compare "$program" '1 2' '1 4' ardmar
    elif [ -n "${HLRC_SOAK-}" ]; then
        for control in off on alternate; do
            HLRC_PLACEMENT_CONTROL=$control compare "$program" '1 2 3 4' '1 2' "${protocols[*]}" "$work/file"
        done
    elif [[ $program = task_@(graph|team|cancel) ]]; then
        compare "$program" '2 3' 1 "${protocols[*]}"
        compare "$program" 2 2 "${protocols[*]}"
        compare "$program" 1 2 ardmar
        compare "$program" 4 1 ardmar
        HLRC_PLACEMENT_CONTROL=on compare "$program" 3 1 "${protocols[turn % 3]}"
        HLRC_PLACEMENT_CONTROL=alternate compare "$program" 2 2 "${protocols[turn % 3]}"
    else
        compare "$program" 2 $((turn % 2 + 1)) "${protocols[turn % 3]}" "$work/file"
        compare "$program" 3 1 "${protocols[(turn + 1) % 3]}" "$work/file"
        HLRC_PLACEMENT_CONTROL=on compare "$program" $((turn % 2 + 2)) 1 "${protocols[(turn + 2) % 3]}" "$work/file"
        HLRC_PLACEMENT_CONTROL=alternate compare "$program" 2 $(((turn + 1) % 2 + 1)) "${protocols[(turn + 2) % 3]}" "$work/file"
    fi
    turn=$((turn + 1))
done
test $turn -ge 28 || [ $# -gt 0 ] || fail "only $turn programs found"
finish
