#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of TreadMarks and of JIAJIA: every call of each, and programs in their style (tmk.c, jia.c), on 1 and 3 nodes under
# all protocols; with 2 and 5 as well in the soak. Programs of put and get, of OpenSHMEM and ARMCI, likewise, by one protocol: on
# 1, 2, 3 and 5 nodes, and on the fabric that reorders. Mistakes end the job with one line that names them. The headers stand alone,
# in C++ too, and take a program from before prototypes. Arguments: only these programs of put and get, on shm.
. "$(dirname "$0")/../lib.sh"
programs=$top_builddir/tests/compat

if [ $# -gt 0 ]; then
    for program; do
        for n in 1 2 3; do
            run_job $n onesided "$programs/$program"
            expect_status "$program, $n nodes" 0
            [ "$(cat "$work/out")" = right ] || fail "$program, $n nodes: $(cat "$work/out")"
            [ $failures = 0 ] || finish
        done
    done
    finish
fi
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
every='1 2 3 5'
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || every=3 # instrumented, they take long
for fabric in shm shm+chaos; do
    for n in $every; do
        for program in shmem shmem_examples shmem_groups shmem_waits armci armci_memget; do
            for ((i = 0; i < times; i++)); do
                run_job "$n" onesided --fabric "$fabric" "$programs/$program"
                expect_status "$program, $n nodes, $fabric" 0
                [ "$(cat "$work/out")" = right ] || fail "$program, $n nodes, $fabric: $(cat "$work/out")"
            done
        done
    done
done
SHMEM_SYMMETRIC_SIZE=64M run_job 2 async "$programs/shmem"
[ "$(cat "$work/out")" = right ] || fail "SHMEM_SYMMETRIC_SIZE: $(cat "$work/out" "$work/err")"
run_job 2 ardmar "$programs/tmk"
[ "$(cat "$work/err")" = said ] || fail "Tmk_err: $(cat "$work/err")"

# Mistakes: PROGRAM ARGUMENTS, the line that names it.
refused() {
    run_job 2 ardmar "$programs/$1" $2
    expect_status "$1 $2" 1
    expect_err "$1 $2" "$3"
}
for word in automatic malloc constant; do
    refused tmk "-w $word" '^Tmk_distribute: [48] bytes at 0x[0-9a-f]* are not in a global or static variable, .*; use a global or static variable$'
done
refused tmk '-w lock' '^Tmk_lock_acquire: no lock 1024; use 0 to 1023$'
refused tmk '-w barrier' '^Tmk_barrier: no barrier 32; use 0 to 31$'
refused tmk '-w cond' '^Tmk_lock_cond_wait: lock 0 is not held; acquire it first$'
refused tmk '-w perrexit' '^a file: No such file or directory$'
refused tmk '-- -n 5' '^Tmk_startup: -n 5: this job has 2 processes; start it by hlrcrun -n 5$'
refused jia lock '^jia_lock: no lock 1024; pass 0 to 1023$'
refused jia cv '^jia_waitcv: no condition variable -1; pass 0 to 63$'
refused jia host '^jia_alloc2p: no host 2; pass 0 to 1$'
refused jia block '^jia_alloc4: blocks of 0 bytes; pass 1 or more$'
refused jia op '^jia_reduce: unknown operation 13$'
refused jia bcast '^jia_bcast: host 0 sends 3 bytes, host 1 receives 4; pass one size on all hosts$'
refused shmem early '^shmem_my_pe: called before shmem_init; call that first$'
refused shmem pe '^shmem_put: no PE 2; pass 0 to 1$'
refused shmem automatic '^shmem_put: 8 bytes at 0x[0-9a-f]* are not symmetric; use memory of shmem_malloc, or a global variable of the'
refused shmem beyond '^shmem_put: 88 bytes at 0x[0-9a-f]* go beyond the end of their symmetric object$'
refused shmem freed '^shmem_put: 8 bytes at 0x[0-9a-f]* are in the symmetric heap, but in no block; use .* before shmem_free$'
refused shmem twice '^shmem_free: no block begins at 0x[0-9a-f]*; free each pointer from shmem_malloc once$'
refused shmem sizes "^shmem_malloc: this PE's arguments are 0x[89] and 0x1, another PE's differ; all PEs make this call"
refused shmem lock '^shmem_clear_lock: the lock at 0x[0-9a-f]* is not set by this PE; set it first$'
refused shmem stride '^shmem_iput: strides of 0 and 1 elements; pass 1 or more$'
refused shmem context '^shmem_put: there is no context 0x9; use one that shmem_ctx_create created, before shmem_ctx_destroy$'
refused shmem team '^shmem_team_destroy: SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED cannot be destroyed; destroy teams of'
refused shmem set '^shmem_barrier: PE_start 0, logPE_stride 1, PE_size 2: not all of these PEs are 0 to 1$'
refused shmem aligned '^shmem_atomic_add: the word at 0x[0-9a-f]*2 is not aligned to its 4 bytes$'
SHMEM_SYMMETRIC_SIZE=3Q refused shmem size '^SHMEM_SYMMETRIC_SIZE=3Q: not a size; give a number of bytes, from 1 on, with K, M, G or T$'
run_job 2 ardmar "$programs/shmem" late
expect_err 'shmem late' '^shmem_put: called after shmem_finalize; make shmem_finalize the last call$'
run_job 2 ardmar "$programs/shmem" exit
expect_status 'shmem_global_exit' 3
refused armci early '^ARMCI_Barrier: called before ARMCI_Init; call that first$'
refused armci process '^ARMCI_Put: no process 2; pass 0 to 1$'
refused armci private '^ARMCI_Put: 4 bytes at 0x[0-9a-f]*, process 0, are not in memory of ARMCI_Malloc, or were freed by'
refused armci beyond '^ARMCI_Put: 4 bytes at 0x[0-9a-f]* go beyond the 100 that process 0 allocated there; pass a larger size to ARMCI_Malloc$'
refused armci freed '^ARMCI_Get: 4 bytes at 0x[0-9a-f]*, process 0, are not in memory of ARMCI_Malloc, or were freed by'
refused armci stride '^ARMCI_PutS: a stride of -4; pass 0 or more$'
refused armci levels '^ARMCI_PutS: 9 levels of strides; pass 0 to 8$'
refused armci type '^ARMCI_Acc: unknown type 7; pass ARMCI_ACC_INT, 0, to ARMCI_ACC_DCP, 5$'
refused armci mutex '^ARMCI_Lock: mutex 1: process 0 has 1 mutexes; create more with ARMCI_Create_mutexes$'
refused armci rmw '^ARMCI_Rmw: the word at 0x[0-9a-f]*2 is not aligned to its 4 bytes$'
refused armci member '^ARMCI_Group_create: no process -4 in the parent group; pass 0 to 1$'
refused armci other '^armci_msg_group_barrier: process 0 is not in the group; only its members make this call$'
refused armci lists '^ARMCI_Group_create: processes [01] and [01] pass different lists; pass one list on all members, and create'
refused armci long '^armci_msg_rcv: the message of process 0 has 8 bytes, the buffer 4; pass a larger buffer$'
refused armci operation '^armci_msg_igop: unknown operation xor; use'
refused armci_memget none '^ARMCI_Memat: describes no memory; pass a structure that ARMCI_Memget stored, before ARMCI_Memctl$'
refused armci_memget empty '^ARMCI_Memget: 0 bytes, flags 0; pass 1 byte or more, and 0$'
refused armci_memget private '^ARMCI_Memat: 16 bytes at 0x[0-9a-f]* are not in memory of ARMCI_Memget; pass a structure that it stored$'
refused armci_memget beyond '^ARMCI_Put: 32 bytes at 0x[0-9a-f]* go beyond the 16 that process [01] has there in memory of'
refused armci_memget detached '^ARMCI_Put: 32 bytes at 0x[0-9a-f]* go beyond the 0 that process [01] has there in memory of'
ARMCI_DEFAULT_SHMMAX=1x refused armci member '^ARMCI_DEFAULT_SHMMAX=1x: not a size; give a number of MiB, from 1 on$'
run_job 2 ardmar "$programs/armci" error
expect_status 'ARMCI_Error' 5
expect_err 'ARMCI_Error' '^process 0: enough: 5$'

# A program that returns from main, or exits, with 0 has ended well; so has one that is told how many processes it has.
for ends_well in 'tmk -w return' 'tmk -w return -- -n2' 'tmk -w none -- -n 2 -x' 'jia return' 'shmem return' 'armci return'; do
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
    for names in Tmk_:libhlrc_tmk.so jia_:libhlrc_jia.so '\(P\?ARMCI_\|p\?armci_msg_\|p\?armci_notify\|armci_domain_\|armci_timer\|armci_\(read\|write\)_strided$\)':libhlrc_armci.so \
        '\(shmem_\|shm\?[a-z]*$\|start_pes$\|_my_pe$\|_num_pes$\)':libhlrc_shmem.so; do
        others=$(nm -D --defined-only "$libs/${names#*:}" | awk '{ print $3 }' | grep -v "^${names%:*}")
        [ -z "$others" ] || fail "${names#*:} exports $others"
    done
fi
if [ -n "${CXX-}" ]; then
    for header in treadmarks/Tmk.h jiajia/jia.h shmem/shmem.h armci/armci.h armci/parmci.h; do
        "$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror -x c++ -fsyntax-only -include "$top_srcdir/compat/$header" - \
            </dev/null 2>"$work/err" || fail "$header in C++: $(head -3 "$work/err")"
    done
fi
# std::complex and the compiler's complex numbers take the same reductions.
cat >"$work/complex.cc" <<'END'
#include "shmem.h"
#include <cstdio>
static std::complex<double> mine, all;
__extension__ static float _Complex plain_mine, plain_all;
static std::complex<float> work[SHMEM_REDUCE_MIN_WRKDATA_SIZE], part, whole;
static long sync_all[SHMEM_REDUCE_SYNC_SIZE];
int main()
{
    shmem_init();
    mine = std::complex<double>(0, 1 + shmem_my_pe());
    part = std::complex<float>(1, 2);
    __real__ plain_mine = 3;
    shmem_barrier_all();
    shmem_complexd_prod_reduce(SHMEM_TEAM_WORLD, &all, &mine, 1);
    shmem_complexf_sum_reduce(SHMEM_TEAM_WORLD, &plain_all, &plain_mine, 1);
    shmem_complexf_sum_reduce(SHMEM_TEAM_WORLD, NULL, NULL, 0);
    shmem_complexf_sum_to_all(&whole, &part, 1, 0, 0, shmem_n_pes(), work, sync_all);
    if (shmem_my_pe() == 0)
        std::printf("%g %g %g %g %g\n", all.real(), all.imag(), double(__real__ plain_all), double(whole.real()), double(whole.imag()));
    shmem_finalize();
}
END
if [ -n "${CXX-}" ] && [ -z "${HLRC_TEST_SANITIZERS-}" ] && [ -e "$top_builddir/.libs/libhlrc_shmem.so" ]; then
    libs=$top_builddir/.libs
    if "$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$top_srcdir/compat/shmem" "$work/complex.cc" -L"$libs" -lhlrc_shmem \
        -lhlrc -o "$work/complex" 2>"$work/err"; then
        LD_LIBRARY_PATH=$libs run_job 2 onesided "$work/complex"
        [ "$status:$(cat "$work/out")" = '0:-2 0 6 2 4' ] || fail "std::complex: $(cat "$work/out" "$work/err")"
    else
        fail "std::complex: $(head -3 "$work/err")"
    fi
fi
for std in c99 c11; do
    ${CC:-cc} -std=$std -Wall -Wextra -Wpedantic -Werror -x c -fsyntax-only -include "$top_srcdir/compat/shmem/shmem.h" - \
        </dev/null 2>"$work/err" || fail "shmem.h in $std: $(head -3 "$work/err")"
done
finish
