#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The public header needs no other, and is free of warnings, in C11 and in C++17. A handle of one kind is not accepted for another.
# Names of before 1.0 still compile, with a warning.
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/.." && pwd)}" "${CC:=cc}" "${CXX:=}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
cat >"$work/use.c" <<'END'
#include <hlrc.h>
#include <hlrc.h>
#if HLRC_VERSION != 0x010000
#error "HLRC_VERSION is not that of this test"
#endif
/* Programs kept elsewhere rely on these types. */
int (*init)(int *, char ***) = hlrc_init;
void *(*aligned)(size_t, size_t) = hlrc_aligned_alloc;
int (*trylock)(hlrc_lock_t) = hlrc_trylock;
void (*wait)(hlrc_cond_t, hlrc_lock_t) = hlrc_cond_wait;
int (*exchange)(hlrc_atomic_t, uint64_t *, uint64_t) = hlrc_atomic_compare_exchange;
int (*place)(void *, size_t, int) = hlrc_place;
hlrc_lock_t last = HLRC_STATIC_LOCKS - 1;
void (*put)(void *, const void *, size_t, int) = hlrc_put;
void (*get_nb)(void *, const void *, size_t, int, hlrc_handle_t *) = hlrc_get_nb;
int (*test)(hlrc_handle_t) = hlrc_test;
char mutexes[HLRC_MUTEXES == 1024 && HLRC_STRIDE_LEVELS == 8 && HLRC_HOMES == -1 ? 1 : -1];
int (*share)(void *, size_t) = hlrc_share;
char nodes[HLRC_MAX_NODES == 1024 && HLRC_MAX_SHARED == 16 ? 1 : -1];
char fields[sizeof(struct hlrc_stats) == sizeof(size_t) + 9 * sizeof(double) + 37 * sizeof(uint64_t) ? 1 : -1];
END
cp "$work/use.c" "$work/use.cc"
try() { # a statement: compiled as C, the messages in $work/said
    printf '#include <hlrc.h>\nint main(void)\n{\n    hlrc_cond_t c = { 0 };\n    hlrc_atomic_t a = { 0 };\n    hlrc_handle_t h = { 0 };\n    hlrc_group_t g = { 0 };\n    hlrc_lock_t l = 0;\n    (void)c, (void)a, (void)h, (void)g, (void)l;\n    %s;\n    return 0;\n}\n' "$1" >"$work/try.c"
    $CC -std=c11 -Wall -I"$top_srcdir/include" -fsyntax-only "$work/try.c" >"$work/said" 2>&1
}
for right in 'hlrc_cond_signal(c)' 'hlrc_atomic_load(a)' 'hlrc_wait(h)' 'hlrc_group_barrier(g)' 'hlrc_lock(0), hlrc_cond_wait(c, l)'; do
    try "$right" || { echo "FAIL: $right does not compile: $(cat "$work/said")"; status=1; }
done
for wrong in 'hlrc_cond_signal(a)' 'hlrc_atomic_load(c)' 'hlrc_wait(a)' 'hlrc_group_barrier(c)' 'hlrc_cond_wait(l, l)' 'hlrc_atomic_load(0)' 'hlrc_lock(g)' 'c = a'; do
    try "$wrong" && { echo "FAIL: $wrong compiles"; status=1; }
done
for old in 'hlrc_group o = g; (void)o' 'hlrc_fetch_op(&l, &l, &l, HLRC_UINT32, HLRC_SUM)' 'hlrc_compare_swap(&l, &l, &l, HLRC_UINT32)' \
    'hlrc_rmw(&l, &l, &l, HLRC_UINT32, HLRC_SUM, 0)' 'hlrc_rmw_nb(&l, &l, &l, HLRC_UINT32, HLRC_SUM, 0, &h)' \
    'hlrc_rmw_compare(&l, &l, &l, HLRC_UINT32, 0)'; do
    try "$old" && grep -q deprecated "$work/said" || { echo "FAIL: $old: $(cat "$work/said")"; status=1; }
done
# shellcheck disable=SC2086
$CC -std=c11 $warn -I"$top_srcdir/include" -c "$work/use.c" -o "$work/use.o" || { echo "FAIL: C11"; status=1; }
if [ -n "$CXX" ]; then
    # shellcheck disable=SC2086
    $CXX -std=c++17 $warn -I"$top_srcdir/include" -c "$work/use.cc" -o "$work/use.o" || { echo "FAIL: C++17"; status=1; }
elif [ $status -eq 0 ]; then
    echo "skipped: C11 is fine, no C++ compiler for the other half"
    status=77
fi
exit $status
