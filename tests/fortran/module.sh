# SPDX-License-Identifier: LGPL-2.1-or-later
# The module hlrc for Fortran, on 1, 2 and 3 nodes.
set -u
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")
command -v gfortran >/dev/null || skip "no gfortran"
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
gfortran -std=f2018 -O2 -Wall -Wno-uninitialized -Werror -J"$work" "$top_srcdir/include/hlrc.f90" "$here/module.f90" -o "$work/module" \
    "$top_builddir/.libs/libhlrc.so" -Wl,-rpath,"$(realpath "$top_builddir/.libs")" 2>"$work/err" || fail "gfortran: $(head -5 "$work/err")"
for nodes in 1 2 3; do
    for protocol in ardmar async onesided; do
        run_job $nodes $protocol "$work/module"
        test $status = 0 && test "$(cat "$work/out")" = "$nodes nodes, bad 0" ||
            fail "$nodes nodes, $protocol: status $status: $(cat "$work/out" "$work/err")"
    done
done
finish
