#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of OpenMP and of threads that hlrcc compiles by clang print what gcc's print: on threads of several nodes and, as all
# nodes are on one host, in one process. The soak has the programs of features.sh and openmp.sh as well. What hlrcc cannot compile
# by clang it refuses.
. "$(dirname "$0")/compatlib.sh"
command -v clang++ >/dev/null || skip "no clang"
export HLRC_CC=clang HLRC_CXX=clang++ HLRC_FC=flang OMP_CANCELLATION=true
echo '#include <omp.h>' | clang -fopenmp -x c -fsyntax-only - 2>/dev/null || skip "clang has no omp.h (Debian: libomp-dev)"

by_clang() { # SOURCE...: on 2 nodes of 1 and 2 threads, on 3, in one process
    local source program gnu hlrc
    for source; do
        program=$(basename "${source%.*}")
        [[ $source = *.cc ]] && gnu=g++ hlrc=hlrc++ || gnu=gcc hlrc=hlrcc
        build "$program" "$source" $gnu $hlrc || continue
        ! grep -q warning "$work/said" || fail "$source by clang: $(head -3 "$work/said")"
        compare "$program" 2 '1 2' ardmar "$work/file"
        compare "$program" 3 1 onesided "$work/file"
        HLRC_PLACEMENT_CONTROL=on compare "$program" 2 1 ardmar "$work/file"
        if [ -n "${HLRC_SOAK-}" ]; then
            compare "$program" '1 2 4' '1 2' 'ardmar async onesided' "$work/file"
            HLRC_PLACEMENT_CONTROL=alternate compare "$program" '2 3' '1 2' ardmar "$work/file"
        fi
    done
}

by_clang clang/regions.cc clang/atomics.c feature/cancel.c feature/task_detach.c feature/threadprivate.c sync.c
if [ -n "${HLRC_SOAK-}" ]; then
    for program in collapse constructs critical depend doacross flush histogram locks memory mixed nested \
        privates reduction schedule simd task_graph task_team task_tree taskgroup team_size teams; do
        by_clang feature/$program.c
    done
    by_clang feature/task_cancel.cc data.c fences.c loops.c tasks.c
fi
unset OMP_CANCELLATION

# threads; nothing of another runtime is linked
for source in mutexes.c classes.cc; do
    program=${source%.*}
    [ $source = classes.cc ] && gnu='g++ -std=c++17' hlrc='hlrc++ -std=c++17' || gnu=gcc hlrc=hlrcc
    $gnu -pthread -O2 "$here/pthread/$source" -o "$work/$program.gomp" || fail "$gnu $source"
    "$top_builddir"/$hlrc -pthread -O2 "$here/pthread/$source" -o "$work/$program" 2>"$work/err" || fail "$hlrc $source: $(head -3 "$work/err")"
    compare $program 3 1 ardmar
    HLRC_PLACEMENT_CONTROL=on compare $program 2 1 ardmar
done
ldd "$work/regions" | grep -E 'lib(omp|iomp|tsan|atomic)' && fail "another runtime is linked"

# refused by one line
refused() { # NAME PATTERN COMMAND...
    local name=$1 pattern=$2
    shift 2
    "$@" "$work/try.c" -o "$work/none" 2>"$work/err" && fail "$name is accepted"
    expect_err "$name" "$pattern"
    test "$(grep -c . "$work/err")" = 1 || fail "$name: $(cat "$work/err")"
}
for option in -fopenmp-targets=nvptx64 -fnoopenmp-use-tls -fopenmp=libgomp -flto -fsanitize=thread -stdlib=libc++; do
    refused "clang $option" "^hlrcc: ${option//+/\\+}: " "${hlrcc[@]}" $option
done
refused flang '^hlrcfort: flang: makes calls of another runtime of Fortran; set HLRC_FC to gfortran' "$top_builddir/hlrcfort"
"${hlrcc[@]}" --show "$work/try.c" -fopenmp-version=50 >"$work/out"
expect_out "hlrcc --show" '^clang -O2 .*try\.c -Xclang -fopenmp-version=50 .*-Xclang -fopenmp '
finish
