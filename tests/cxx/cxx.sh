# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc.hpp by each compiler of C++20 that is there, without a warning, on 1, 2 and 3 nodes.
set -u
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")
warn=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
tried=0
for cxx in g++ clang++; do
    echo '#include <span>' | "$cxx" -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || continue
    tried=$((tried + 1))
    "$cxx" -std=c++20 -O1 "${warn[@]}" -I"$top_srcdir/include" "$here/cxx.cc" -o "$work/$cxx" "$top_builddir/.libs/libhlrc.so" \
        -Wl,-rpath,"$(realpath "$top_builddir/.libs")" 2>"$work/err" || { fail "$cxx: $(head -5 "$work/err")"; continue; }
    for nodes in 1 2 3; do
        for protocol in ardmar async onesided; do
            run_job $nodes $protocol "$work/$cxx"
            test $status = 0 && test "$(cat "$work/out")" = "$nodes nodes, bad 0" ||
                fail "$cxx, $nodes nodes, $protocol: status $status: $(cat "$work/out" "$work/err")"
        done
    done
    run_job 3 ardmar "$work/$cxx" throw
    test $status = 1 && test "$(cat "$work/err")" = "hlrc: node 2: an exception left the scope of hlrc::job" || fail "$cxx, an exception: status $status, not 1: $(cat "$work/err")"
done
[ $tried -gt 0 ] || skip "no compiler of C++20"
finish
