#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs in a container as Docker, Podman and Kubernetes make it by default: their filter of system calls, 64 MiB of /dev/shm, 8
# MiB of locked memory, a root that is read-only, and a user without privileges.
. "$(dirname "$0")/../lib.sh"
here=$(realpath "$(dirname "$0")")
profile=/usr/share/containers/seccomp.json
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitizer needs system calls that the filter denies"
[ -r $profile ] || skip "no $profile"
/usr/bin/python3 -c 'import seccomp' 2>/dev/null || skip "no python3-seccomp"
[ "$(id -u)" = 0 ] && unshare -mpfniu --mount-proc true 2>/dev/null || skip "not allowed to make namespaces (needs root)"

mkdir "$work/tmp"
chmod 755 "$work"
build=$(realpath "$top_builddir")
in_container() { # COMMAND...
    status=0
    "$within" 120 unshare -mpfniu --mount-proc sh "$here/inside.sh" "$work" "$here/filter.py" $profile "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}
in_container test -r "$build/hlrcrun"
[ $status = 0 ] || skip "nobody cannot read $build: $(head -2 "$work/err")"

# ---- it is a container ----
in_container setarch -R true
test $status -ne 0 || fail "personality(2) is allowed"
in_container touch "$work/x"
test $status -ne 0 || fail "the root is writable"
in_container sh -c 'id -u; ulimit -l; df -k --output=size /dev/shm | tail -1'
test "$(tr -s ' \n' ' ' <"$work/out")" = '65534 8192 65536 ' || fail "the container: $(cat "$work/out")"

# ---- programs of HLRC ----
for protocol in ardmar async onesided; do
    in_container "$build/hlrcrun" -n 4 --protocol $protocol "$build/apps/is"
    expect_status "is, $protocol" 0
    expect_out "is, $protocol" 'verification *SUCCESSFUL'
done
in_container "$build/hlrcrun" -n 2 "$build/hlrc_info"
expect_status "hlrc_info" 0

# ---- unchanged programs ----
[ -x "$build/hlrcc" ] && command -v gcc >/dev/null || finish
cat >"$work/sum.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#ifdef _OPENMP
int main(void)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < 1000; i++)
        sum += i;
    printf("%ld\n", sum);
    return 3;
}
#else
static void *add(void *to)
{
    *(long *)to += 499500;
    return NULL;
}
int main(void)
{
    static long sum;
    pthread_t t;
    if (pthread_create(&t, NULL, add, &sum) == 0)
        pthread_join(t, NULL);
    printf("%ld\n", sum);
    return 3;
}
#endif
END
for flag in fopenmp pthread; do
    "$build/hlrcc" -$flag -O2 "$work/sum.c" -o "$work/$flag" 2>"$work/err" || fail "hlrcc -$flag: $(head -3 "$work/err")"
    in_container "$build/hlrcrun" -n 3 --stats "$work/$flag"
    expect_status "-$flag" 3
    expect_out "-$flag" '^499500$'
    expect_err "-$flag" '^hlrc: one process ran the program, instead of 3'
    for protocol in ardmar async onesided; do
        in_container "$build/hlrcrun" -n 3 --protocol $protocol --placement-control off --stats "$work/$flag"
        expect_status "-$flag on three nodes, $protocol" 3
        expect_out "-$flag on three nodes, $protocol" '^499500$'
        expect_err "-$flag on three nodes, $protocol" '^hlrc: .* on all nodes: --placement-control$'
    done
done

# a function of a library, a stream, memory and an exception that all nodes have at the same addresses
command -v g++ >/dev/null || finish
g++ -O1 -fopenmp "$here/../compat/containers.cc" -o "$work/native" && "$build/hlrc++" -O1 -fopenmp "$here/../compat/containers.cc" -o "$work/containers" ||
    fail "containers.cc"
"$work/native" streams | sort >"$work/wanted"
in_container "$build/hlrcrun" -n 3 --placement-control off "$work/containers" streams
expect_status "C++ on three nodes" 0
sort "$work/out" | cmp -s - "$work/wanted" || fail "C++ on three nodes: $(sort "$work/out" | diff - "$work/wanted" | head -3)"
finish
