#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What belongs to a process belongs to the job: programs whose threads on several nodes share files, streams, directories and the
# rest of the process print what the same sources print that gcc has compiled. Arguments: only programs of these names.
. "$(dirname "$0")/pthreadlib.sh"

same() { # PROGRAM NODES PROTOCOL ARGUMENTS...
    rm -rf "$work/folder" && mkdir "$work/folder"
    local program=$1 nodes=$2 protocol=$3 expected=0
    shift 3
    "$work/$program.libc" "$work/folder" "$@" >"$work/wanted" 2>"$work/wanted.err" </dev/null || expected=$?
    rm -rf "$work/folder" && mkdir "$work/folder"
    JOB_SECONDS=60 run_job "$nodes" "$protocol" "$work/$program" "$work/folder" "$@"
    cmp -s "$work/out" "$work/wanted" && [ $status = $expected ] && cmp -s "$work/err" "$work/wanted.err" && return
    fail "$program $*, $protocol, $nodes nodes: status $status, not $expected; $(diff "$work/out" "$work/wanted" | head -6)" \
        "$(diff "$work/err" "$work/wanted.err" | head -3)"
}

build_library() { # the same program of Fortran, whose threads are OpenMP's
    local flags="-fopenmp -O1 $here/process/library.f90 -o"
    gfortran $flags "$work/library.libc" 2>"$work/err" && "$top_builddir/hlrcfort" $flags "$work/library" 2>"$work/err" ||
        { fail "library.f90: $(head -3 "$work/err")"; return 1; }
}

each() { # PROGRAM ARGUMENTS...
    local program=$1
    shift
    unset HLRC_MEMORY
    case $program in
    objects) export HLRC_MEMORY=256M ;;& # less than all that it maps
    inherit) command -v g++ >/dev/null || return; [ -x "$work/inherit" ] || build inherit ../process/inherit.cc g++ hlrc++ || return ;;
    library) command -v gfortran >/dev/null || return; build_library || return ;;
    *) [ -x "$work/$program" ] || build "$program" "../process/$program.c" gcc hlrcc || return ;;
    esac
    same "$program" 2 ardmar "$@"
    same "$program" 3 onesided "$@"
    [ -z "${HLRC_SOAK-}" ] || { same "$program" 2 onesided "$@"; same "$program" 3 ardmar "$@"; same "$program" 2 async "$@"; }
}

overflows() { # a variable of a thread that is larger than its stack, and less than the stacks of two
    cat >"$work/overflow.c" <<'END'
#include <pthread.h>
static void *fill(void *arg)
{
    volatile char large[12 << 20];
    for (int i = 0; i < (int)sizeof large; i += 4096)
        large[i] = 1;
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, fill, 0);
    return pthread_join(t[0], 0) + pthread_join(t[1], 0);
}
END
    "$top_builddir/hlrcc" -O1 -pthread "$work/overflow.c" -o "$work/overflow" || fail "overflow.c"
    ulimit -s 8192
    run_job 2 ardmar "$work/overflow"
    expect_status "a stack that overflows" 139
    expect_err "a stack that overflows" "SIGSEGV at .*: not shared memory: stack overflow: .* ulimit -s is 8192 KiB"
}

[ $# -gt 0 ] || set -- files state signals objects endings inherit library cancel
for program; do
    if [ "$program" = endings ]; then
        for how in return main exit quick_exit _exit exec signal; do
            each endings $how
        done
        overflows
    elif [ "$program" = inherit ]; then
        each inherit
        each inherit ends
    else
        each "$program"
    fi
done
finish
