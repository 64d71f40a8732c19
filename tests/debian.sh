#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Debian packages are built from a copy of the sources. Out of a scratch root, where they are unpacked and where libraries are
# stripped, a program is linked by pkg-config and runs on three nodes, under gdb too; hlrcc, whose paths are those of the root,
# where one may lay them over /usr. Takes two minutes: run with HLRC_SOAK.
. "$(dirname "$0")/lib.sh"
[ -n "${HLRC_SOAK-}" ] || skip "takes minutes; set HLRC_SOAK"
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "packages have no sanitizers"
for tool in dpkg-buildpackage dh fakeroot; do
    command -v $tool >/dev/null || skip "$tool is not installed (dpkg-dev, debhelper, fakeroot)"
done
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CPPFLAGS DESTDIR
top=$(cd "$top_srcdir" && pwd)
version=$(sed -n 's/^hlrc (\(.*\)) .*/\1/p;q' "$top/debian/changelog")
source=$work/hlrc-$version root=$work/root
mkdir -p "$source" "$root"
(cd "$top" && tar -cf - --exclude=./.git --exclude='./build*' --exclude='./hlrc-[0-9]*' .) | tar -xf - -C "$source"
! [ -e "$source/Makefile" ] || (cd "$source" && make distclean >/dev/null 2>&1)
cd "$source" || exit 99
dpkg-checkbuilddeps 2>"$work/err" || skip "$(head -1 "$work/err")"
if ! dpkg-buildpackage -us -uc -b -j2 >"$work/log" 2>&1 </dev/null; then
    tail -30 "$work/log"
    fail "dpkg-buildpackage"
    finish
fi
cd "$work" || exit 99
arch=$(dpkg-architecture -qDEB_HOST_ARCH) multi=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
[ "$version" = "$(sed -n 's/^AC_INIT(\[hlrc\], \[\(.*\)\])$/\1/p' "$top/configure.ac")" ] || fail "debian/changelog: version $version"
for package in libhlrc0 libhlrc-dev hlrc-bin; do
    dpkg -x "$work/${package}_${version}_$arch.deb" "$root" || fail "no package $package"
done
dpkg -x "$work/python3-hlrc_${version}_all.deb" "$root" || fail "no package python3-hlrc"
if command -v lintian >/dev/null; then
    lintian --fail-on error "$work/hlrc_${version}_$arch.changes" >"$work/out" 2>&1 || fail "lintian: $(grep '^E' "$work/out")"
fi
library=$root/usr/lib/$multi/libhlrc.so.0
[ -z "$(nm "$library" 2>/dev/null)" ] || fail "$library is not stripped"

export PKG_CONFIG_LIBDIR=$root/usr/lib/$multi/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
hlrcrun=$root/usr/bin/hlrcrun
export LD_LIBRARY_PATH=${library%/*}
# shellcheck disable=SC2046
for package in hlrc:02-counter; do
    gcc -g "$root/usr/share/doc/libhlrc-dev/examples/${package#*:}.c" -o "$work/program" \
        $(pkg-config --cflags --libs "${package%:*}") 2>"$work/err" || fail "${package%:*}: $(head -3 "$work/err")"
done
run_job 3 ardmar "$work/program"
[ "$status:$(cat "$work/out")" = '0:100 times by each of 3 nodes' ] || fail "a program: status $status, $(cat "$work/out" "$work/err")"
if command -v gdb >/dev/null && gdb -q -nx -batch -ex run --args true 2>&1 | grep -q 'exited normally'; then
    printf 'set confirm off\nset disable-randomization off\nrun\nquit\n' >"$work/in"
    status=0
    timeout 60 "$hlrcrun" -n 2 --gdb 1 "$work/program" <"$work/in" >"$work/out" 2>&1 || status=$?
    grep -q 'exited normally' "$work/out" && ! grep -q SIGSEGV "$work/out" || fail "gdb: status $status, $(cat "$work/out")"
fi

# hlrcc knows where its files are installed.
cat >"$work/sum.c" <<'END'
#include <stdio.h>
int main(void)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= 1000; i++)
        sum += i;
    printf("%ld\n", sum);
    return 0;
}
END
if [ -x "$root/usr/bin/hlrcc" ] && unshare -m mount -t overlay overlay -o "lowerdir=$root/usr:/usr" /usr 2>/dev/null; then
    # shellcheck disable=SC2016
    said=$(unset LD_LIBRARY_PATH && cd "$work" && unshare -m sh -c 'mount -t overlay overlay -o "lowerdir=$1:/usr" /usr &&
        hlrcc -fopenmp -O2 sum.c -o sum && hlrcrun -n 3 ./sum' sh "$root/usr" 2>&1)
    [ "$said" = 500500 ] || fail "hlrcc: $said"
else
    echo "note: hlrcc was not run from the package"
fi
finish
