#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Projects that find OpenMP by themselves are configured with hlrcc for compiler: one of CMake, with the runtime of gcc named by
# its file as well; in the soak one of autotools. Their programs run on three nodes.
. "$(dirname "$0")/../lib.sh"
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
[ -x "$top_builddir/hlrcc" ] || skip "this build has no hlrcc"
hlrcc=$(realpath "$top_builddir/hlrcc")
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS CC CXX HLRC_CC HLRC_CXX
make=${MAKE:-make}
export HLRC_PLACEMENT_CONTROL=off # on one host there would be one process

cat >"$work/prog.c" <<'END'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    long *a = malloc(1000 * sizeof *a), sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += a[i] = i;
    printf("%ld\n", sum + a[999]);
    return 0;
}
END

built() { # WHAT PROGRAM
    run_job 3 ardmar --stats="$work/stats.json" "$2"
    [ "$status:$(cat "$work/out")" = 0:500499 ] || fail "$1: status $status, $(cat "$work/out" "$work/err")"
    ! ldd "$2" | grep -q libgomp || fail "$1: linked with gcc's runtime"
    grep -q '"nodes": *3' "$work/stats.json" || fail "$1: not on three nodes: $(head -c 200 "$work/stats.json")"
}

by_cmake() {
    mkdir "$work/cmake"
    cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(sum C)
find_package(OpenMP REQUIRED)
add_executable(prog ../prog.c)
target_link_libraries(prog PRIVATE ${LIBGOMP} OpenMP::OpenMP_C)
END
    (cd "$work/cmake" && cmake -DCMAKE_C_COMPILER="$hlrcc" -DLIBGOMP="$(gcc -print-file-name=libgomp.so)" . &&
        cmake --build .) >"$work/log" 2>&1 || { tail "$work/log"; fail "CMake"; return; }
    built CMake "$work/cmake/prog"
}

by_autotools() {
    mkdir "$work/auto" && cp "$work/prog.c" "$work/auto"
    printf '%s\n' 'AC_INIT([sum], [1])' 'AM_INIT_AUTOMAKE([foreign])' AC_PROG_CC AC_OPENMP AC_FUNC_MALLOC \
        'AC_CONFIG_FILES([Makefile])' AC_OUTPUT >"$work/auto/configure.ac"
    printf '%s\n' 'bin_PROGRAMS = prog' 'AM_CFLAGS = $(OPENMP_CFLAGS)' >"$work/auto/Makefile.am"
    (cd "$work/auto" && autoreconf -fi && CC=$hlrcc ./configure && $make) >"$work/log" 2>&1 || { tail "$work/log"; fail autotools; return; }
    built autotools "$work/auto/prog"
}

command -v cmake >/dev/null || [ -n "${HLRC_SOAK-}" ] || skip "no cmake"
! command -v cmake >/dev/null || by_cmake
[ -z "${HLRC_SOAK-}" ] || by_autotools
finish
