# SPDX-License-Identifier: LGPL-2.1-or-later
# For tests of programs of POSIX threads, and of those of C++, which gcc compiles for the C library and hlrcc for several nodes;
# sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
[ -x "$top_builddir/hlrcc" ] || skip "this build has no hlrcc"
command -v gcc >/dev/null || skip "no gcc"
unset HLRC_CC HLRC_CXX HLRC_FC
# Threads run on several nodes, unless a test says otherwise: on one host they would all run on node 0.
export HLRC_PLACEMENT_CONTROL=off

build() { # PROGRAM SOURCE GNU-COMPILER HLRC-COMPILER
    local program=$1 source=$here/pthread/$2 guards=-fno-stack-protector
    [ $program != moves ] || guards=-fstack-protector-all
    "$3" -pthread -O2 $guards "$source" -o "$work/$program.libc" -lm 2>"$work/err" || { fail "$3 $2: $(head -3 "$work/err")"; return 1; }
    "$top_builddir/$4" -pthread -O2 $guards "$source" -o "$work/$program" -lm 2>"$work/said" ||
        { fail "$4 $2: $(head -3 "$work/said")"; return 1; }
}

compare() { # PROGRAM NODES PROTOCOL ARGUMENTS...
    local program=$1 nodes=$2 protocol=$3 expected=0
    shift 3
    "$work/$program.libc" "$@" >"$work/wanted" 2>/dev/null </dev/null || expected=$?
    run_job "$nodes" "$protocol" "$work/$program" "$@"
    cmp -s "$work/out" "$work/wanted" && [ $status = $expected ] && return
    fail "$program $*, $protocol, $nodes nodes: status $status, not $expected; $(diff "$work/out" "$work/wanted" | head -5)" \
        "$(head -3 "$work/err")"
    [ -z "${LITMUS_STOP-}" ] || finish
}

# ---- the end: with threads, by a thread, after main; what each node's stdio has buffered is written ----
ends() { # HOW NODES PROTOCOL: nodes write when they end, in whatever order
    local expected=0
    "$work/life.libc" "$1" </dev/null | sort >"$work/wanted"
    expected=${PIPESTATUS[0]}
    run_job "$2" "$3" "$work/life" "$1"
    expect_status "end by $1, $3" "$expected"
    sort "$work/out" | cmp -s - "$work/wanted" || fail "end by $1, $3: $(sort "$work/out" | diff - "$work/wanted" | head -5)"
    test -s "$work/err" && fail "end by $1, $3: $(head -3 "$work/err")"
}

build_places() {
    "$top_builddir/hlrcc" -pthread "$here/pthread/places.c" -o "$work/places" 2>"$work/err" || fail "places: $(cat "$work/err")"
}

places() { # NODES WHERE OPTIONS...
    local nodes=$1 wanted=$2
    shift 2
    run_job "$nodes" ardmar "$@" "$work/places"
    expect_status "places $*" 0
    test "$(cat "$work/out")" = "$wanted" || fail "places $*, $nodes nodes: $(cat "$work/out"), not $wanted"
}

# A program that calls what it has loaded, on another thread.
build_plugin() {
    cat >"$work/loads.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
static void *(*fn)(void *);
static void *call(void *arg) { return fn(arg); }
int main(int argc, char **argv)
{
    pthread_t t;
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    if (!plugin || !(fn = (void *(*)(void *))dlsym(plugin, "plugged")))
        return 2;
    pthread_create(&t, 0, call, 0);
    return pthread_join(t, 0);
}
END
    echo 'void *plugged(void *arg) { return arg; }' >"$work/plugged.c"
    gcc -shared -fPIC "$work/plugged.c" -o "$work/plugged.so" && "$top_builddir/hlrcc" "$work/loads.c" -o "$work/loads" || fail "a plugin"
}
