# SPDX-License-Identifier: LGPL-2.1-or-later
# README's "By hand", "A program" and "OpenMP, POSIX threads and other systems", word for word: by root, into a /usr/local that
# this test alone sees, from sources in a folder with a blank in its name; then by a user who knows nothing of it but these
# lines, and by one who installs for himself. What the packages bring is there already.
set -u
: "${top_srcdir:?}" "${MAKE:=make}"
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/userlib.sh"
. "$top_srcdir/tests/textlib.sh"
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "once is enough: the default build's tests do it"
for tool in autoreconf libtoolize pkg-config; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
other_user
chmod 755 "$work"
# shorter, and nothing of the build that runs this test; static libraries are those of tests/install.sh
export CFLAGS=-O0 MAKEFLAGS=-j2 CONFIG_SITE=${2-$work}/site
echo 'enable_static=no enable_dependency_tracking=no' >"$CONFIG_SITE"
unset MFLAGS MAKELEVEL LD_LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR

readme=$top_srcdir/README.md
text_block "$readme" "## By hand" 1 | grep -v '^apt-get ' >"$work/root.sh"
text_block "$readme" "## By hand" 2 >"$work/user.sh"
text_block "$readme" "## A program" 1 >"$work/sum.c"
text_block "$readme" "## A program" 2 >"$work/sum.sh"
[ "$(grep -c . "$work/root.sh")" -eq 2 ] || fail "By hand, first: $(cat "$work/root.sh")"
[ "$(grep -c . "$work/user.sh")" -ge 2 ] || fail "By hand, second: $(cat "$work/user.sh")"
[ "$(grep -c . "$work/sum.sh")" -ge 2 ] || fail "A program: $(cat "$work/sum.sh")"
grep -q hlrc_init "$work/sum.c" || fail "A program: $(cat "$work/sum.c")"

# One line of README for each language, in a folder with a program that prints 6.
mkdir "$work/home" "$work/home"/{openmp,fortran,posix,treadmarks,python}
text_block "$readme" "## OpenMP, POSIX threads and other systems" 1 >"$work/lines"
[ "$(grep -c . "$work/lines")" -eq 5 ] || fail "OpenMP, POSIX threads and other systems: $(cat "$work/lines")"
grep '# OpenMP$' "$work/lines" >"$work/home/openmp/line.sh"
cat >"$work/home/openmp/prog.c" <<'END'
#include <stdio.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 4; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
END
! command -v gfortran >/dev/null || grep '# OpenMP in Fortran$' "$work/lines" >"$work/home/fortran/line.sh"
cat >"$work/home/fortran/prog.f90" <<'END'
program add
  integer :: i, total
  total = 0
  !$omp parallel do reduction(+ : total)
  do i = 0, 3
    total = total + i
  end do
  print '(i0)', total
end program add
END
grep '# POSIX' "$work/lines" >"$work/home/posix/line.sh"
cat >"$work/home/posix/prog.c" <<'END'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void *add(void *number)
{
    pthread_mutex_lock(&mutex);
    sum += (long)number;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
int main(void)
{
    pthread_t thread[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, add, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
END
grep '# TreadMarks$' "$work/lines" >"$work/home/treadmarks/line.sh"
cat >"$work/home/treadmarks/prog.c" <<'END'
#include <Tmk.h>
#include <stdio.h>
static int *sum;
int main(int argc, char **argv)
{
    Tmk_startup(argc, argv);
    if (Tmk_proc_id == 0) {
        sum = (int *)Tmk_malloc(sizeof *sum);
        *sum = 0;
        Tmk_distribute((char *)&sum, sizeof sum);
    }
    Tmk_barrier(0);
    Tmk_lock_acquire(0);
    *sum += Tmk_proc_id;
    Tmk_lock_release(0);
    Tmk_barrier(0);
    if (Tmk_proc_id == 0)
        printf("%d\n", *sum);
    Tmk_exit(0);
    return 0;
}
END
! python3 -c 'import numpy' 2>/dev/null || grep '# Python' "$work/lines" >"$work/home/python/line.sh"
cat >"$work/home/python/prog.py" <<'END'
import hlrc
a = hlrc.zeros(4)
for i in hlrc.parallel_for(4):
    a[i] = i
hlrc.barrier()
if hlrc.node == 0:
    print(int(a.sum()))
END

# said WHAT: 0 + 1 + 2 + 3, and the table
said() {
    [ "$status" -eq 0 ] || { tail -n 20 "$work/out" "$work/err"; fail "$1: status $status"; return; }
    [ "$(tail -n 1 "$work/sum.out")" = 6 ] || fail "$1: the program says $(cat "$work/sum.out" "$work/sum.err")"
    grep -q '^hlrc: statistics: protocol ardmar, fabric shm, 4 nodes' "$work/sum.err" || fail "$1: $(cat "$work/sum.err")"
}

# Where root may do as he likes: what he installs, and what ldconfig notes, is gone with this process's mounts.
if [ "${1-}" = root ]; then
    work=$2
    trap - EXIT
    cp -a /etc "$work/etc" 2>/dev/null
    mount --bind "$work/etc" /etc && mount -t tmpfs none /usr/local && mount -t tmpfs none /var/cache/ldconfig || exit 77
    cd "$work/my tree" || exit 1
    # shellcheck source=/dev/null
    (set -e && . "$work/root.sh") || exit 1
    cd "$work/home" && cp "$work/sum.c" . && chmod a+r sum.c && as=("${as_user[@]}")
    "${as[@]}" bash -e "$work/sum.sh" >"$work/sum.out" 2>"$work/sum.err"
    exit
fi
[ ${#as_user[@]} -eq 0 ] || chown -R 65534:65534 "$work/home"

namespaces=(unshare --mount)
[ "$(id -u)" -eq 0 ] || namespaces=(unshare --user --map-root-user --mount)
if ! "${namespaces[@]}" mount -t tmpfs none /mnt 2>/dev/null; then
    echo "note: not allowed to make namespaces: root's part was not run"
else
    text_sources "$work/my tree"
    status=0
    "${namespaces[@]}" bash "$0" root "$work" >"$work/out" 2>"$work/err" || status=$?
    said root
fi

export HOME=$work/home
text_sources "$work/sources"
# what root compiled need not be compiled again; only where hlrcrun was installed stands in an object
[ ! -e "$work/my tree/config.h" ] || (cd "$work/my tree" && rm -f launch/hlrcrun-*.o &&
    find . \( -name '*.o' -o -name '*.lo' -o -name '*.Po' -o -name '*.Plo' -o -name 'config.h*' -o -name stamp-h1 -o -name .dirstamp \) -print0 |
    tar c --null --files-from=-) | tar x -C "$work/sources"
[ ${#as_user[@]} -eq 0 ] || chown -R 65534:65534 "$work/sources"
rm -f "$work/home"/sum*
cp "$work/sum.c" "$work/home"
status=0
(cd "$work/sources" && "${as_user[@]}" bash -c '
    set -e; . "$1/user.sh"; ln -s "$PWD/python" "$1/home/python/python"; cd
    bash -e "$1/sum.sh" >"$1/home/sum.out" 2>"$1/home/sum.err"
    for line in */line.sh; do (cd "${line%/*}" && bash -e line.sh >out 2>err || echo "status $?" >>out); done' - "$work") \
    >"$work/out" 2>"$work/err" || status=$?
mv "$work/home/sum.out" "$work/home/sum.err" "$work" 2>/dev/null
said "a user"
for line in "$work"/home/*/line.sh; do
    [ "$(cat "${line%/*}/out")" = 6 ] || fail "$(cat "$line"): $(cat "${line%/*}/out" "${line%/*}/err")"
done

# what cannot be had is said at once, in one line
status=0
(cd "$work/sources" && "${as_user[@]}" ./configure --prefix="$work/a b") >"$work/out" 2>"$work/err" || status=$?
expect_status "a prefix with a blank" 1
[ "$(cat "$work/err")" = "configure: error: --prefix='$work/a b': has a blank in it, at which libtool and pkg-config split; \
choose one without" ] || fail "a prefix with a blank: $(cat "$work/err")"
mkdir "$work/out of the way" && mv "$work/sources" "$work/out of the way/a tree"
status=0
(cd "$work/out of the way" && mkdir build && cd build && ../a\ tree/configure) >"$work/out" 2>"$work/err" || status=$?
expect_status "sources with a blank" 1
[ "$(cat "$work/err")" = "configure: error: the sources are called '../a tree', with a blank in it; \
configure in their folder, or in one within it: mkdir build && cd build && ../configure" ] ||
    fail "sources with a blank: $(cat "$work/err")"
finish
