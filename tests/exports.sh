#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The shared library exports exactly what the public headers declare, what a debugger finds by name, what
# libhlrc_compat calls before the job begins (base/addresses.h, hlrc/unite.h), and what the C library has, too (hlrc/crash/handlers.h).
# The static library has exactly these global names as well, and each other installed static library only names with the
# prefixes of its interface. A program that has a function by the name of each internal one links with all of them, and
# runs right.
set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${PERL:=perl}" "${CC:=cc}" "${HLRC_TEST_SANITIZERS:=}"
command -v "${PERL:-none}" >/dev/null || { echo "skipped: no perl, which reads the header"; exit 77; }
libs=$top_builddir/.libs
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }
unset HLRC_LAUNCH_FD HLRC_NODE HLRC_NODES

sed -n 's/^void \(hlrc_debug_[a-z_]*\)(void);$/\1/p' "$top_srcdir/hlrc/memory/debugger.h" >"$work/debugger"
[ "$(wc -l <"$work/debugger")" -eq 3 ] || { echo "FAIL: debugger.h declares $(cat "$work/debugger")"; exit 1; }
sed -n 's/^[a-z].*[ *]\(hlrc_addresses_[a-z_]*\)(.*/\1/p' "$top_srcdir/base/addresses.h" >"$work/addresses"
[ "$(wc -l <"$work/addresses")" -eq 3 ] || { echo "FAIL: addresses.h declares $(cat "$work/addresses")"; exit 1; }
{
    cat "$work/debugger" "$work/addresses"
    sed -n 's/^int \(hlrc_unite\)(enum unite_way way, int \*here);$/\1/p' "$top_srcdir/hlrc/unite.h"
    sed -n 's/^[a-z0-9_]* \(hlrc_[a-z_]*\)([a-z ]*);$/\1/p' "$top_srcdir/hlrc/memory/only_node.h"
    sed -n 's/^[a-z]* \(hlrc_[a-z_]*\)(.*);$/\1/p' "$top_srcdir/hlrc/checkpoint/restored_thread.h"
    sed -n 's/^[a-z *]*\(hlrc_cached_[a-z]*\)(.*);$/\1/p' "$top_srcdir/hlrc/heap/heap_cached.h"
    sed -n 's/^bool \(hlrc_lock_soon\)(.*);$/\1/p' "$top_srcdir/hlrc/sync/lock_soon.h"
    sed -n 's/^void \(hlrc_thread_[a-z]*\)(.*);$/\1/p' "$top_srcdir/hlrc/progress/uncounted.h"
    sed -n 's/^void \(hlrc_activity_get\)(.*);$/\1/p' "$top_srcdir/hlrc/probe/activity.h"
    sed -n 's/^void \(hlrc_crash_handled\)(.*/\1/p' "$top_srcdir/hlrc/crash/crash.h"
    sed -n 's/^void \(hlrc_signal_handled\|hlrc_fault_other\)(.*/\1/p' "$top_srcdir/hlrc/memory/fault.h"
    sed -n 's/^void \(hlrc_program_unaware\)(void);$/\1/p' "$top_srcdir/hlrc/job_signals.h"
    sed -n 's/^void \(hlrc_share_guards\)(.*/\1/p' "$top_srcdir/hlrc/memory/range.h"
    "$PERL" "$top_srcdir/scripts/mkman" --list "$top_srcdir"/include/hlrc*.h | sed -n 's/\.3$//p'
    printf 'pthread_sigmask\nsigprocmask\n'
    case $HLRC_TEST_SANITIZERS in *address*) ;; *) printf 'sigaction\nsignal\n' ;; esac
} | sort >"$work/declared"
[ -s "$work/declared" ] || fail "no declarations found"

names() { # [-D] FILE: the global names that it defines
    nm -g --defined-only "$@" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}

shared_exports() {
    names -D "$libs/libhlrc.so" >"$work/exported"
    diff -u "$work/declared" "$work/exported" || fail "declared (-) and exported by libhlrc.so (+) differ"
}

static_names() {
    local name pattern
    names "$libs/libhlrc.a" | grep -v '^__odr_asan' >"$work/global"
    diff -u "$work/declared" "$work/global" || fail "declared (-) and global in libhlrc.a (+) differ"
    while read -r name pattern; do
        names "$libs/lib$name.a" >"$work/global"
        [ -s "$work/global" ] || fail "lib$name.a: no names"
        ! grep -Ev "^$pattern" "$work/global" || fail "lib$name.a: these names do not begin as those of its interface"
    done <<'LINES'
hlrc_tmk Tmk_
hlrc_jia jia_
hlrc_shmem (shmem_|start_pes|_my_pe|_num_pes|sh(malloc|memalign|realloc|free)$)
hlrc_armci (P?ARMCI_|p?armci_(msg_|notify|domain_|timer|(read|write)_strided))
hlrc_reads __tsan_
LINES
}

# A function by the name of each of the library's, and of some of those of the other libraries.
colliding_program() {
    {
        names "$libs/libhlrc_core.a"
        printf 'fail\nsay\nplace\n'
    } | grep -vxF -f "$work/declared" | grep -E '^[a-z][a-z_0-9]*$' | grep -v '^hlrc_' | sort -u >"$work/internal"
    for name in profile_map_make diag_warn msg_send page_access; do
        grep -qx "$name" "$work/internal" || fail "$name is not among the internal names"
    done
    echo 'void wrong(const char *);' >"$work/names.c"
    sed 's/.*/void &(void); void &(void) { wrong("&"); }/' "$work/internal" >>"$work/names.c"
    cat >"$work/use.c" <<'END_C'
#include <hlrc.h>
#include <stdio.h>
#include <stdlib.h>

void wrong(const char *name);
void wrong(const char *name)
{
    printf("HLRC calls the program's %s\n", name);
    fflush(stdout);
    abort();
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    long *shared = hlrc_malloc_all(1 << 20);
    for (int i = 0; i < 20; i++) {
        hlrc_lock(0);
        shared[0]++;
        shared[512 * (1 + hlrc_node_id())] += i;
        hlrc_unlock(0);
    }
    hlrc_barrier();
    int right = shared[0] == 20 * hlrc_node_count() && shared[512] == 190 && shared[1024] == 190;
    hlrc_free_all(shared);
    hlrc_finalize();
    return right ? 0 : 2;
}
END_C
    # what libhlrc.a needs, as its .la says
    local dependency_libs='' libhlrc
    # shellcheck source=/dev/null
    . "$top_builddir/libhlrc.la"
    for libhlrc in hlrc_tmk hlrc_jia hlrc_shmem hlrc_armci; do printf '%s ' "$libs/lib$libhlrc.a"; done >"$work/others"
    # shellcheck disable=SC2046,SC2086
    $CC $HLRC_TEST_SANITIZERS -fno-builtin -w -O1 -I"$top_srcdir/include" -I"$top_builddir/include" -o "$work/use" \
        "$work/use.c" "$work/names.c" -Wl,--whole-archive $(cat "$work/others") -Wl,--no-whole-archive \
        "$libs/libhlrc.a" $dependency_libs -pthread >"$work/log" 2>&1 || {
        grep -v ': in function' "$work/log" | head -20
        fail "a program with functions by the names of internal ones does not link"
        return
    }
    for protocol in async ardmar onesided; do
        "$top_builddir/hlrcrun" -n 2 --protocol $protocol "$work/use" >"$work/log" 2>&1 || {
            cat "$work/log"
            fail "a program with functions by the names of internal ones, $protocol"
        }
    done
}

[ -e "$libs/libhlrc.so" ] || [ -e "$libs/libhlrc.a" ] || { echo "skipped: no library"; exit 77; }
if [ -e "$libs/libhlrc.so" ]; then shared_exports; else echo "note: configured without a shared library"; fi
if [ ! -e "$libs/libhlrc.a" ]; then
    echo "note: configured without a static library"
elif ! grep -q "^LOCAL_NAMES_OBJCOPY = ." "$top_builddir/Makefile"; then
    echo "note: objcopy cannot make names local here: the static library has all"
else
    static_names
    colliding_program
fi
exit $status
