#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of OpenMP, compiled by hlrcc, print what the same sources print that gcc has compiled for its own libgomp: on 1
# to 3 nodes of 1 and 2 threads, under each protocol (the soak has all combinations). Then how such programs begin and end,
# and what hlrcc makes of its arguments.
. "$(dirname "$0")/compatlib.sh"
export COMPAT_TEXT='a text of the environment'

for program in data fences loops own sync tasks; do
    build $program $program.c gcc hlrcc || continue
    compare $program '1 2 3' '1 2' ardmar
    if [ -n "${HLRC_SOAK-}" ]; then
        compare $program '1 2 3' '1 2' 'async onesided'
    else
        compare $program 2 2 'async onesided'
        compare $program 3 1 'async onesided'
    fi
    HLRC_PLACEMENT_CONTROL=on compare $program '2 3' '1 2' ardmar
    HLRC_PLACEMENT_CONTROL=alternate compare $program '2 3' '1 2' ardmar
done
if command -v g++ >/dev/null; then
    build containers containers.cc g++ hlrc++ && compare containers '1 2 3' '1 2' ardmar "$work/file"
    [ -x "$work/containers" ] && compare containers 2 2 'async onesided' "$work/file"
    [ -x "$work/containers" ] && SORTED=yes compare containers 3 1 ardmar streams # where no constructor of the program ran
fi
if command -v gfortran >/dev/null; then
    build fortran fortran.f90 gfortran hlrcfort && compare fortran '1 2 3' '1 2' ardmar
    [ -x "$work/fortran" ] && compare fortran 2 2 'async onesided'
    # sources for the preprocessor, beside one in C that has the atomic operations of before C11
    cat >"$work/upper.F90" <<'END'
#define SQUARE(x) ((x)*(x))
program upper
  use iso_c_binding
  implicit none
  interface
    subroutine count_one(n) bind(c)
      import c_int
      integer(c_int) :: n
    end subroutine
  end interface
  integer(c_int) :: n = 0
  integer :: i
#ifdef _OPENMP
!$omp parallel do
#endif
  do i = 1, 40
    call count_one(n)
  end do
  print *, n * SCALE, SQUARE(n)
end program
END
    cat >"$work/upper.c" <<'END'
static int lock, other;
void count_one(int *n)
{
    while (__sync_lock_test_and_set(&lock, 1))
        ;
    other++;
    __sync_lock_release(&lock);
    if (__sync_fetch_and_add(n, 2) >= 0)
        __sync_sub_and_fetch(n, 1);
}
END
    for compiler in gfortran hlrcfort; do
        program=$work/upper.gomp
        [ $compiler = gfortran ] || program=$work/upper compiler=$top_builddir/hlrcfort
        "$compiler" -fopenmp -O2 -DSCALE=3 -w "$work/upper.F90" "$work/upper.c" -o "$program" 2>"$work/err" ||
            fail "$compiler upper.F90: $(head -3 "$work/err")"
    done
    compare upper '1 3' '1 2' ardmar
    for name in a.F a.FOR a.fpp a.F03 'a.f90 -cpp' '-x f95-cpp-input a.f'; do
        printf '#define X end\n      X\n' | tee "$work/a.F" "$work/a.FOR" "$work/a.fpp" "$work/a.F03" "$work/a.f90" >"$work/a.f"
        "$top_builddir/hlrcfort" -c ${name/a./$work/a.} -o "$work/a.o" 2>"$work/err" || fail "hlrcfort $name: $(head -3 "$work/err")"
    done
fi
# system calls with what the program has, on several nodes
build calls calls.c gcc hlrcc && compare calls 2 '1 2' 'ardmar async onesided' "$work/file" && compare calls 3 1 ardmar "$work/file"
compare loops 8 2 ardmar # more than there are cores

# The threads that OMP_NUM_THREADS and OMP_SCHEDULE say.
export OMP_NUM_THREADS=2 OMP_SCHEDULE=guided,3
compare loops 3 1 'ardmar async'
compare sync 3 1 onesided
unset OMP_NUM_THREADS OMP_SCHEDULE

# where the threads run, and why
one_process='^hlrc: one process ran the program, instead of'
HLRC_PLACEMENT_CONTROL=on run_job 2 ardmar --stats "$work/loops"
expect_err "all on one host" "$one_process 2: all nodes are on one host\$"
HLRC_PLACEMENT_CONTROL=on run_job 3 ardmar --stats --threads-per-node 30 --threads 40 "$work/sync"
expect_err "90 threads" "$one_process 3: "
HLRC_PLACEMENT_CONTROL=on run_job 3 ardmar --stats --profile="$work/profile" "$work/loops"
expect_err "--profile" '^hlrc: 0 parallel regions ran on node 0, [1-9][0-9]* on all nodes: --profile$'
HLRC_PLACEMENT_CONTROL=measure run_job 3 ardmar --stats --threads 4 "$work/loops"
expect_err "--threads 4" '^hlrc: 0 parallel regions ran on node 0, [1-9][0-9]* on all nodes: --threads allows no more on one node$'

# [readahead.first-blocks]: both nodes' threads on one of them, which writes the memory for the first time
build kinds ../../microbench/user/kinds.c gcc hlrcc || finish
HLRC_PLACEMENT_CONTROL=measure run_job 2 ardmar --stats "$work/kinds" wave .2
expect_status "kinds wave, measured" 0
awk '$1 == "first_write_faults" { faults = $4 } $1 == "homes_assigned" { pages = $4 } END { exit !(faults > 0 && pages > 20 * faults) }' \
    "$work/err" || fail "kinds wave, measured: $(grep -E '^(first_write_faults|homes_assigned)' "$work/err")"
HLRC_PLACEMENT_CONTROL=measure run_job 2 ardmar --stats "$work/kinds" locks .02
expect_status "kinds locks, measured" 0
awk '$1 == "lock_acquires" { n = $4 } END { exit !(n < 500) }' "$work/err" || # of 120,000
    fail "kinds locks, measured: HLRC's locks: $(grep '^lock_acquires' "$work/err")"

# [threads.worth]: calls that node 0 would perform, and mutexes, are counted before threads are spread
build stays stays.c gcc hlrcc || finish
for by in rand mutex; do
    HLRC_PLACEMENT_CONTROL=measure run_job 2 ardmar --stats "$work/stays" $by
    expect_status "stays $by" 0
    expect_err "stays $by" '^hlrc: [1-9][0-9]* parallel regions ran on node 0, 0 on all nodes: measured$'
    grep -qx right "$work/out" || fail "stays $by: $(cat "$work/out")"
done
awk '$1 == "lock_acquires" { n = $4 } END { exit !(n < 500) }' "$work/err" ||
    fail "stays mutex: HLRC's locks: $(grep '^lock_acquires' "$work/err")"
# on one of four nodes, all, and two; then on eight
build spans spans.c gcc hlrcc || finish
HLRC_PLACEMENT_CONTROL=alternate compare spans 4 '1 2' 'ardmar async onesided'
HLRC_PLACEMENT_CONTROL=alternate compare spans 8 1 onesided
HLRC_PLACEMENT_CONTROL=alternate run_job 4 ardmar --stats "$work/spans"
expect_err "spans" '^hlrc: [1-9][0-9]* parallel regions ran on node 0, [1-9][0-9]* on all nodes and [1-9][0-9]* on some: --placement-control$'
# [gather.lock-kept]
HLRC_PLACEMENT_CONTROL=alternate compare stays 2 1 'ardmar async' held

# ---- beginning and end: SM1, SM3, SM4 ----
build plain plain.c gcc hlrcc || finish
for end in '' exit; do
    compare plain '1 2' '1 2' 'ardmar async' "$work/file" "$end"
done
run_job 2 ardmar "$work/plain" "$work/file" inside
expect_status "exit in a region" 7
test ! -s "$work/err" || fail "exit in a region: $(head -3 "$work/err")"
for end in "first 8" "at once 9"; do
    run_job 2 ardmar "$work/plain" "$work/file" "${end% *}"
    expect_status "exit in a region, $end" "${end##* }"
    test ! -s "$work/err" || fail "exit in a region, $end: $(head -3 "$work/err")"
done
run_job 2 ardmar "$work/plain" "$work/file" abort
expect_status abort 134
expect_err abort ': SIGABRT: the program called abort\(\)'

# bare: a job of one
status=0
printf 'some\nlines\n' | "$work/plain.gomp" "$work/file" "" >"$work/wanted"
printf 'some\nlines\n' | "$work/plain" "$work/file" "" >"$work/out" || status=$?
expect_status bare 3
cmp -s "$work/wanted" "$work/out" || fail "bare: $(diff "$work/wanted" "$work/out" | head -5)"

# the atomic instructions of a function are told of, once
echo 'void operations(int *n) { __asm__("lock incl %0" : "+m"(n[0])); __asm__("lock incl %0" : "+m"(n[1])); }' >"$work/lock.c"
"$top_builddir/hlrcc" -O2 -c "$work/lock.c" -o "$work/lock.o" 2>"$work/err"
expect_err "lock incl" '^hlrcc: lock\.c:operations: warning: atomic instruction'
test "$(grep -c operations "$work/err")" = 1 || fail "lock incl: $(cat "$work/err")"

# relaxed operations take no locks, whatever else the program has
build relaxed relaxed.c gcc hlrcc && compare relaxed 2 1 'ardmar async onesided'
locks() { # into $taken
    run_job 2 ardmar --stats="$work/relaxed.json" "$work/relaxed" "$@"
    expect_status "relaxed $*" 0
    stats_read "relaxed $*" "$work/relaxed.json" 2
    taken=$(figure lock_acquires | tr '\n' ' ')
}
locks without
expected=$taken
locks
test -n "$expected" && test "$taken" = "$expected" || fail "relaxed operations: $taken locks taken, not $expected"

# which atomic operations an object has
notes() { readelf -n "$work/says.o" | sed -n 's/.*HLRC .*type: (0x0*100\([12]\)).*/\1/p'; }
says() { # WHAT CODE OPTION...
    local what=$1 code=$2
    shift 2
    printf 'int a[9], f(int); double d;\n%s\n' "$code" >"$work/says.c"
    "$top_builddir/hlrcc" -O2 "$@" -c "$work/says.c" -o "$work/says.o" 2>/dev/null || fail "hlrcc: $code"
    test "$(notes)" = "$what" || fail "$code: $(readelf -n "$work/says.o")"
}
atomic='_Pragma("omp atomic'
says '' "void f1(int n) { $atomic\") a[n]++; $atomic update\") d += n; a[n] = f(n); }" -fopenmp
says '' "int f2(int n) { int b; $atomic capture\") b = a[n]++; return b; }" -fopenmp
says '' "int f3(int n) { int b; $atomic read\") b = a[n]; return b; }" -fopenmp
says 2 "void f4(int n) { $atomic\") a[n]++; _Pragma(\"omp flush acq_rel\") }" -fopenmp
says '' "void f5(int n) { _Pragma(\"omp flush\") a[n]++; }" -fopenmp
says 2 "void f6(int n) { a[n]++; __atomic_thread_fence(__ATOMIC_RELEASE); }"
says '' "int f7(int n) { return __atomic_fetch_add(a, n, __ATOMIC_RELAXED) + __atomic_load_n(a, __ATOMIC_ACQUIRE); }"
says '' "int f8(int n) { return __sync_fetch_and_add(a, n) + __sync_bool_compare_and_swap(a, n, 2); }"
says 1 "void f9(int n) { __asm__(\"lock addl %1, %0\" : \"+m\"(a[n]) : \"r\"(n)); }"
# nobody knows what pragmas there were
echo 'void f(int *a, int n) { __atomic_fetch_add(a, n, 0); }' | "$top_builddir/hlrcc" -x c -c - -o "$work/says.o"
test "$(notes)" = 2 || fail "from standard input: $(readelf -n "$work/says.o")"

run_job 2 ardmar "$work/own" store
test "$status" -ne 0 || fail "a store to another node's thread-local variable went unnoticed: $(cat "$work/out")"
expect_err "store to another's" 'SIGSEGV'

# ---- what is not there ----
"${hlrcc[@]}" "$here/missing.c" -o "$work/missing" 2>"$work/err" || fail "missing.c: $(head -3 "$work/err")"
run_job 1 ardmar "$work/missing"
test "$status" -ne 0 || fail "a program of an older gcc runs"
test "$(grep -c . "$work/err")" -le 2 || fail "missing.c: $(cat "$work/err")"
expect_err "missing.c" '^hlrc: GOMP_parallel_start belongs to gcc before 4.9; compile with hlrcc$'
OMP_PLACES='{0},{1' run_job 2 ardmar "$work/loops"
test "$status" -ne 0 || fail "OMP_PLACES is not read"
expect_err OMP_PLACES "^hlrc: OMP_PLACES=\\{0\\},\\{1: not understood from '' on; use threads, cores, "
OMP_DISPLAY_ENV=true OMP_NUM_THREADS=2 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='thread %n of %N' run_job 2 ardmar "$work/loops"
test "$(grep -c "OMP_NUM_THREADS = '2'" "$work/err")" = 1 || fail "OMP_DISPLAY_ENV: $(cat "$work/err")"
test "$(grep '^thread' "$work/err" | sort | tr '\n' ,)" = 'thread 0 of 2,thread 1 of 2,' || fail "OMP_DISPLAY_AFFINITY: $(cat "$work/err")"
for set in OMP_NUM_THREADS=4,2,3 'OMP_STACKSIZE=4M OMP_WAIT_POLICY=active OMP_SCHEDULE=guided,5' 'OMP_PLACES=cores OMP_THREAD_LIMIT=7'; do
    # shellcheck disable=SC2086
    env $set OMP_DISPLAY_ENV=true "$work/loops.gomp" 2>&1 >"$work/out" </dev/null | sed -n '/DISPLAY/,/DISPLAY/p' >"$work/wanted"
    # shellcheck disable=SC2086
    env -u HLRC_THREADS_PER_NODE $set HLRC_PLACEMENT_CONTROL=on OMP_DISPLAY_ENV=true "$hlrcrun" -n 2 "$work/loops" 2>&1 >"$work/out" </dev/null | sed -n '/DISPLAY/,/DISPLAY/p' >"$work/err"
    test -s "$work/wanted" && cmp -s "$work/wanted" "$work/err" || fail "OMP_DISPLAY_ENV, $set: $(diff "$work/wanted" "$work/err")"
done
for option in -static -shared; do
    "${hlrcc[@]}" $option "$here/loops.c" -o "$work/none" 2>"$work/err" && fail "hlrcc $option links"
    expect_err "hlrcc $option" "^hlrcc: $option: "
done

# ---- hlrcc: options are the compiler's ----
"${hlrcc[@]}" --show 'a b.c' -DX='"y z"' -o prog >"$work/out"
expect_out "hlrcc --show" "^gcc -fopenmp -O2 'a b.c' '-DX=\"y z\"' -o prog "
mkdir "$work/parts"
"${hlrcc[@]}" -DTWICE=2 -c -x c - -o "$work/parts/a.o" <<<'int twice(int x) { return TWICE * x; }' || fail "hlrcc -c -"
"${hlrcc[@]}" -pipe -g -c "$work/try.c" -o "$work/parts/b.o" || fail "hlrcc -pipe"
cat >"$work/use.c" <<'END'
int twice(int);
int main(void)
{
    int n = 0;
#pragma omp parallel for reduction(+ : n)
    for (int i = 0; i < 10; i++)
        n += twice(i);
    return n;
}
END
"${hlrcc[@]}" -flto "$work/use.c" "$work/parts/a.o" -o "$work/use" -lgomp -latomic || fail "hlrcc of several parts"
run_job 2 ardmar "$work/use"
expect_status "several parts" 90
ldd "$work/use" | grep -E 'libgomp|libatomic' && fail "the libraries that stand in the way are linked"
"$top_builddir/hlrcc" -O0 "$work/use.c" "$work/parts/a.o" -o "$work/use" 2>"$work/err" || fail "hlrcc without -fopenmp"
expect_err "hlrcc without -fopenmp" "^hlrcc: .*/use\.c: gcc ignores each '#pragma omp' without -fopenmp; add it for threads\$"
"$top_builddir/hlrcc" -fopenmp-simd -c "$work/use.c" -o "$work/use.o" 2>"$work/err" && test ! -s "$work/err" || fail "hlrcc -fopenmp-simd: $(head -3 "$work/err")"
run_job 2 ardmar "$work/use"
expect_status "without OpenMP" 90
"$top_builddir/hlrcc" >/dev/null 2>&1 && fail "hlrcc without arguments has status 0"
"$top_builddir/hlrcc" --help | grep -q '^usage: hlrcc ' || fail "hlrcc --help"
finish
