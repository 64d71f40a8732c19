#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The library, installed below a DESTDIR, serves a C and a C++ program through pkg-config, shared and static, and where
# it was configured without a shared one; pkg-config needs to find no other package. CMake finds it, too, and both find the
# interfaces of TreadMarks, JIAJIA, OpenSHMEM and ARMCI. The programs run bare: a job of one node. Uninstalling leaves nothing.
set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}" "${CXX:=}" "${MAKE:=make}" "${HLRC_TEST_SANITIZERS:=}"
skip() { echo "skipped: $*"; exit 77; }
[ -z "$HLRC_TEST_SANITIZERS" ] || skip "a sanitized library needs sanitized programs"
command -v pkg-config >/dev/null || skip "no pkg-config"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }
stage=$work/stage
unset MAKEFLAGS MFLAGS MAKELEVEL HLRC_LAUNCH_FD HLRC_NODE HLRC_NODES

make_in_build() { # a target, below the stage; the log is shown on failure
    (cd "$top_builddir" && $MAKE "$1" DESTDIR="$stage") >"$work/log" 2>&1 && return
    tail -20 "$work/log"
    fail "make $1 DESTDIR=..."
}

make_in_build install
pc=$(find "$stage" -name hlrc.pc)
[ -n "$pc" ] || { fail "hlrc.pc is not installed below DESTDIR"; exit 1; }
installed() { # the end of a path
    [ -n "$(find "$stage" -path "*/$1")" ] || fail "$1 is not installed"
}
shared=no static=no
[ -e "$top_builddir/.libs/libhlrc.so" ] && shared=yes && installed libhlrc.so
[ -e "$top_builddir/.libs/libhlrc.a" ] && static=yes && installed libhlrc.a
[ $shared$static = yesyes ] || echo "note: configured with shared: $shared, static: $static; the other is not tested"
for file in include/hlrc.h include/hlrc.f90 include/hlrc.hpp include/hlrc_atomic.h include/hlrc_group.h include/hlrc_memory.h include/hlrc_rma.h include/hlrc_sync.h include/hlrc_types.h include/hlrc/Tmk.h include/hlrc/jia.h \
    include/hlrc/shmem.h include/hlrc/shmem_generic.h man7/shmem.7 include/hlrc/armci.h include/hlrc/message.h include/hlrc/parmci.h man7/armci.7 \
    bin/hlrcrun bin/hlrc_info bin/hlrc_sim bin/hlrc_profile bin/hlrc_timeline bash-completion/completions/hlrcrun \
    bash-completion/completions/hlrcc man7/tmk.7 man7/jia.7 \
    man3/hlrc_malloc.3 man7/hlrc.7 man1/hlrcrun.1 man1/hlrc_info.1 man1/hlrc_sim.1 man1/hlrc_profile.1 man1/hlrc_timeline.1; do
    installed "$file"
done
# as on a machine that has no packages for developers but this one: no libibverbs.pc
unset PKG_CONFIG_PATH
export PKG_CONFIG_LIBDIR=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$stage
libdir=$stage$(PKG_CONFIG_SYSROOT_DIR='' pkg-config --variable=libdir hlrc)

cat >"$work/use.c" <<'END'
#include <hlrc.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    long *shared = (long *)hlrc_malloc_all(4 * sizeof *shared);
    if (shared == NULL)
        return 2;
    hlrc_lock(0);
    shared[3] = shared[0] + 41 + hlrc_node_count();
    hlrc_unlock(0);
    hlrc_barrier();
    int right = shared[3] == 42 && hlrc_node_id() == 0 && strcmp(hlrc_version(), HLRC_VERSION_STRING) == 0;
    hlrc_free_all(shared);
    hlrc_finalize();
    puts(right ? "right" : "wrong");
    return right ? 0 : 3;
}
END
cp "$work/use.c" "$work/use.cc"

build_and_run() { # what, compiler, source, option of pkg-config, option of the link
    local what=$1 compiler=$2 source=$3 flags said code
    flags=$(pkg-config $4 --cflags --libs "${package:-hlrc}") || { fail "$what: pkg-config"; return; }
    # shellcheck disable=SC2086
    if ! $compiler $5 -o "$work/use" "$source" $flags >"$work/log" 2>&1; then
        cat "$work/log"
        fail "$what: does not build"
        return
    fi
    said=$(LD_LIBRARY_PATH=$libdir "$work/use" 2>&1)
    code=$?
    [ "$code:$said" = 0:right ] || fail "$what: status $code, output: $said"
}

build_both() { # language, compiler, source
    build_and_run "$1, dynamic" "$2" "$3" "" ""
    [ $static = no ] || build_and_run "$1, static" "$2" "$3" --static -static
}

# Linked statically and started without HLRC_TOOLS, a program finds the other programs where they are installed.
expect_companions() {
    local bin said
    bin=$(find "$stage" -name hlrc_profile -printf %h)
    if ! unshare -rm mount --bind "$bin" "${bin#"$stage"}" 2>/dev/null; then
        echo "note: no mount namespace: hlrc_profile was not searched in ${bin#"$stage"}"
        return
    fi
    said=$(unshare -rm sh -c 'mount --bind "$0" "$1" && shift && "$@"' "$bin" "${bin#"$stage"}" \
        env PATH=/usr/bin:/bin HLRC_TOOLS="$work" "$top_builddir/hlrcrun" -n 2 --profile "$work/use" 2>&1)
    grep -q '^hlrc: profile: protocol ' <<<"$said" || fail "a static program does not find hlrc_profile: $said"
}

build_both C "$CC" "$work/use.c"
[ $static = no ] || expect_companions
cat >"$work/tmk.c" <<'END'
#include <Tmk.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    Tmk_startup(argc, argv);
    int *shared = Tmk_malloc(sizeof *shared);
    Tmk_lock_acquire(0);
    *shared = (int)Tmk_nprocs;
    Tmk_lock_release(0);
    puts(*shared == 1 ? "right" : "wrong");
    Tmk_exit(0);
}
END
cat >"$work/jia.c" <<'END'
#include <jia.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    jia_init(argc, argv);
    int *shared = (int *)jia_alloc(sizeof *shared);
    *shared = jiahosts;
    puts(*shared == 1 ? "right" : "wrong");
    jia_exit();
    return 0;
}
END
cat >"$work/shmem.c" <<'END'
#include <shmem.h>
#include <stdio.h>

int main(void)
{
    shmem_init();
    int *shared = shmem_calloc(1, sizeof *shared);
    shmem_int_p(shared, shmem_n_pes(), 0);
    puts(*shared == 1 ? "right" : "wrong");
    shmem_finalize();
    return 0;
}
END
cat >"$work/armci.c" <<'END'
#include <armci.h>
#include <stdio.h>

int main(void)
{
    void *at[1];
    ARMCI_Init();
    ARMCI_Malloc(at, 8);
    ARMCI_PutValueInt(armci_msg_nproc(), at[0], 0);
    puts(ARMCI_GetValueInt(at[0], 0) == 1 ? "right" : "wrong");
    ARMCI_Finalize();
    return 0;
}
END
for system in tmk jia shmem armci; do package=hlrc-$system build_both "$system" "$CC" "$work/$system.c"; done
if [ -n "$CXX" ]; then
    build_both C++ "$CXX" "$work/use.cc"
else
    echo "note: no C++ compiler, that half was not run"
fi

# CMake: every target that is there, from a prefix that has moved.
by_cmake() {
    mkdir "$work/cmake"
    cat >"$work/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(use C)
find_package(hlrc 1.0 REQUIRED)
foreach(name hlrc static tmk jia shmem armci)
    if(TARGET hlrc::${name})
        file(APPEND "${CMAKE_BINARY_DIR}/made" "${name}\n")
        set(source ../use.c)
        if(name MATCHES "tmk|jia|shmem|armci")
            set(source ../${name}.c)
        endif()
        add_executable(use-${name} ${source})
        target_link_libraries(use-${name} PRIVATE hlrc::${name})
    endif()
endforeach()
file(WRITE "${CMAKE_BINARY_DIR}/hlrcrun" "${hlrc_HLRCRUN}")
END
    local prefix=${pc%/pkgconfig/hlrc.pc} said target
    if ! (cd "$work/cmake" && CC=$CC cmake -Dhlrc_DIR="$prefix/cmake/hlrc" . && cmake --build .) >"$work/log" 2>&1; then
        tail -20 "$work/log"
        fail "CMake: does not build"
        return
    fi
    for target in hlrc tmk jia shmem armci $([ $static = no ] || echo static); do
        grep -qx "$target" "$work/cmake/made" || fail "CMake: no target hlrc::$target"
        said=$(LD_LIBRARY_PATH=$libdir "$work/cmake/use-$target" 2>&1)
        [ "$said" = right ] || fail "CMake: hlrc::$target: $said"
    done
    [ -x "$(cat "$work/cmake/hlrcrun")" ] || fail "CMake: hlrcrun is not at $(cat "$work/cmake/hlrcrun")"
    ! (cd "$work/cmake" && cmake -P /dev/stdin <<<"set(PACKAGE_FIND_VERSION 0.9.0)
include($prefix/cmake/hlrc/hlrc-config-version.cmake)
if(NOT PACKAGE_VERSION_COMPATIBLE)
message(FATAL_ERROR no)
endif()" >/dev/null 2>&1) || fail "CMake: takes this for version 0.9.0"
}
if command -v cmake >/dev/null && command -v make >/dev/null; then
    by_cmake
else
    echo "note: no cmake, that part was not run"
fi

# Configured with --disable-shared: hlrc.pc is made by configure, the library is that of this build.
static_only() {
    mkdir "$work/static-only"
    if ! (cd "$work/static-only" &&
        unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR && eval "'$top_srcdir/configure' $configured --disable-shared '--srcdir=$top_srcdir'") \
        >"$work/log" 2>&1; then
        tail -5 "$work/log"
        fail "configure --disable-shared"
        return
    fi
    # its libraries, and a program with a function that a library has, too; compiled already
    local targets='libhlrc.la libhlrc_tmk.la libhlrc_jia.la libhlrc_shmem.la libhlrc_armci.la libhlrc_reads.la apps/tsp'
    (cd "$top_builddir" && find . \( -name '*.o' -o -name '*.lo' -o -name 'config.h' -o -name .dirstamp \) -print0 |
        tar c --null --files-from=-) | tar x -C "$work/static-only"
    # shellcheck disable=SC2086
    if ! $MAKE -C "$work/static-only" -j2 $targets >"$work/log" 2>&1; then
        tail -20 "$work/log"
        fail "make, configured with --disable-shared"
    elif grep -q '^  CC ' "$work/log"; then
        echo "note: compiled once more for --disable-shared: $(grep -c '^  CC ' "$work/log") files"
    fi
    cp "$work/static-only/hlrc.pc" "$pc"
    find "$stage" -name 'libhlrc.so*' -delete
    build_and_run "C, a static library alone" "$CC" "$work/use.c" "" ""
    build_and_run "C, a static library alone, linked statically" "$CC" "$work/use.c" --static -static
}
configured=$("$top_builddir/config.status" --config)
if [ $shared$static != yesyes ]; then
    :
elif [ -e "$top_srcdir/config.status" ]; then
    echo "note: built in the source tree, where no other build can be configured: --disable-shared was not tested"
else
    case $top_srcdir in
    *[[:space:]]*) echo "note: the sources have a blank in their path: --disable-shared was not tested" ;;
    *) static_only ;;
    esac
fi

make_in_build uninstall
left=$(find "$stage" ! -type d)
[ -z "$left" ] || fail "left after make uninstall: $left"
exit $status
