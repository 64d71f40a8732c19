#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of TreadMarks and of JIAJIA: every call of each, and programs in their style (tmk.c, jia.c), on 1 and 3 nodes under
# all protocols; with 2 and 5 as well in the soak. Mistakes end the job with one line that names them. The headers stand alone,
# in C++ too, and take a program from before prototypes.
. "$(dirname "$0")/../lib.sh"
programs=$top_builddir/tests/compat

nodes='1 3' times=1
[ -z "${HLRC_SOAK-}" ] || nodes='1 2 3 5' times=20
for protocol in ardmar async onesided; do
    for n in $nodes; do
        for program in tmk jia; do
            for ((i = 0; i < times; i++)); do
                run_job "$n" $protocol "$programs/$program"
                expect_status "$program, $n nodes, $protocol" 0
                [ "$(cat "$work/out")" = right ] || fail "$program, $n nodes, $protocol: $(cat "$work/out")"
            done
        done
    done
done
run_job 2 ardmar "$programs/tmk"
[ "$(cat "$work/err")" = said ] || fail "Tmk_err: $(cat "$work/err")"

# Mistakes: PROGRAM ARGUMENTS, the line that names it.
refused() {
    run_job 2 ardmar "$programs/$1" $2
    expect_status "$1 $2" 1
    expect_err "$1 $2" "$3"
}
for word in automatic malloc constant; do
    refused tmk "-w $word" '^Tmk_distribute: [48] bytes at 0x[0-9a-f]* are not in a global or static variable, .*; make it one$'
done
refused tmk '-w lock' '^Tmk_lock_acquire: lock 1024: they are 0 to 1023$'
refused tmk '-w barrier' '^Tmk_barrier: barrier 32: they are 0 to 31$'
refused tmk '-w cond' '^Tmk_lock_cond_wait: lock 0 is not held; acquire it first$'
refused tmk '-w perrexit' '^a file: No such file or directory$'
refused tmk '-- -n 5' '^Tmk_startup: -n 5: this job has 2 processes; start it by hlrcrun -n 5$'
refused jia lock '^jia_lock: lock 1024: they are 0 to 1023$'
refused jia cv '^jia_waitcv: condition variable -1: they are 0 to 63$'
refused jia host '^jia_alloc2p: host 2: they are 0 to 1$'
refused jia block '^jia_alloc4: blocks of 0 bytes: give them at least one$'
refused jia op '^jia_reduce: operation 13: there is none$'
refused jia bcast '^jia_bcast: host 0 sends 3 bytes, host 1 takes 4$'

# A program that returns from main, or exits, with 0 has ended well; so has one that is told how many processes it has.
for ends_well in 'tmk -w return' 'tmk -w return -- -n2' 'tmk -w none -- -n 2 -x' 'jia return'; do
    run_job 2 ardmar $programs/$ends_well
    expect_status "$ends_well" 0
done

cat >"$work/old.c" <<'END'
#include <stdio.h>
#include "Tmk.h"
int *count;
main(argc, argv)
    int argc;
    char *argv[];
{
    extern char *optarg;
    int c;
    while ((c = getopt(argc, argv, "d:")) != -1);
    Tmk_startup(argc, argv);
    if (Tmk_proc_id == 0) {
        count = (int *) Tmk_malloc(sizeof(int));
        Tmk_distribute(&count, sizeof(count));
    }
    Tmk_barrier(0);
    Tmk_lock_acquire(0);
    (*count)++;
    Tmk_lock_release(0);
    Tmk_barrier(1);
    if (Tmk_proc_id == 0)
        printf("%d of %d\n", *count, Tmk_nprocs);
    Tmk_exit(0);
}
END
if [ -z "${HLRC_TEST_SANITIZERS-}" ] && [ -e "$top_builddir/.libs/libhlrc_tmk.so" ]; then
    libs=$top_builddir/.libs
    if ${CC:-cc} -std=gnu89 -w -I"$top_srcdir/compat/treadmarks" "$work/old.c" -L"$libs" -lhlrc_tmk -lhlrc -o "$work/old" \
        2>"$work/err"; then
        LD_LIBRARY_PATH=$libs run_job 3 async "$work/old" -d 1
        [ "$status:$(cat "$work/out")" = '0:3 of 3' ] || fail "a program from before prototypes: $(cat "$work/out" "$work/err")"
    else
        fail "a program from before prototypes: $(head -3 "$work/err")"
    fi
    for names in Tmk_:libhlrc_tmk.so jia_:libhlrc_jia.so; do
        others=$(nm -D --defined-only "$libs/${names#*:}" | awk '{ print $3 }' | grep -v "^${names%:*}")
        [ -z "$others" ] || fail "${names#*:} exports $others"
    done
fi
if [ -n "${CXX-}" ]; then
    for header in treadmarks/Tmk.h jiajia/jia.h; do
        "$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror -x c++ -fsyntax-only -include "$top_srcdir/compat/$header" - \
            </dev/null 2>"$work/err" || fail "$header in C++: $(head -3 "$work/err")"
    done
fi
finish
