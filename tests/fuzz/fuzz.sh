# SPDX-License-Identifier: LGPL-2.1-or-later
# The fuzz targets: a few seconds each with their own driver, and by libFuzzer with the address and undefined-behaviour
# sanitizers where clang has it; command lines by their number, some of them with hlrcrun itself. In `make soak`
# HLRC_SOAK_SECONDS each (default 600), and a million command lines, with another seed.
set -u
top=${top_srcdir:-.}
build=$(cd "${top_builddir:-.}" && pwd)
clang=${CLANG:-clang}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=2 seed=1 commands=50000 started=300 failures=0
[ -z "${HLRC_SOAK:-}" ] || { seconds=${HLRC_SOAK_SECONDS:-600}; seed=$(date +%s); commands=1000000 started=10000; }

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

keep() { # FILE: the input that failed stays in the build folder
    [ -f "$1" ] || return
    cp "$1" "$build/tests/fuzz/" && echo "the input is tests/fuzz/${1##*/} of the build folder"
}

own_driver() { # TARGET OPTION...
    (cd "$work" && "$build/tests/fuzz/$1" "${@:2}" --seed "$seed") && return
    fail "$1"
    keep "$work/fuzz-failure"
}

# What is fuzzed is compiled anew, for coverage and sanitizers; the rest comes from the library.
libfuzzer() {
    local target=$1 flags
    shift
    flags="-std=gnu11 -w -g -O1 -include $build/config.h -I$top -I$top/include -fsanitize=fuzzer,address,undefined"
    # shellcheck disable=SC2086
    $clang $flags -fno-sanitize-recover=undefined "$top/tests/fuzz/$target.c" "$@" "$build/.libs/libhlrc_core.a" \
        $libs -pthread -o "$work/$target" >"$work/build.log" 2>&1 ||
        { echo "$target: cannot be built with libFuzzer, left out"; return; }
    mkdir -p "$work/corpus-$target"
    (cd "$work" && "./$target" -max_total_time="$seconds" -seed="$seed" -artifact_prefix="$work/" "corpus-$target") \
        >"$work/log" 2>&1 && { tail -n 1 "$work/log"; return; }
    fail "$target by libFuzzer"
    tail -n 30 "$work/log"
    for input in "$work"/crash-* "$work"/timeout-* "$work"/oom-*; do
        keep "$input"
    done
}

for target in diff config hosts messages; do
    own_driver $target --seconds "$seconds"
done
own_driver commands --runs $commands
FUZZ_HLRCRUN=$build/hlrcrun own_driver commands --runs $started
if [ -z "${HLRC_TEST_SANITIZERS:-}" ] && command -v "$clang" >/dev/null; then
    libs=$(sed -n "s/^dependency_libs='\(.*\)'/\1/p" "$build/libhlrc_core.la")
    libfuzzer diff "$top/hlrc/memory/diff.c" "$top/hlrc/memory/diff_loops.c"
    libfuzzer commands "$top"/launch/{aliases,command,hosts,options,program}.c
    libfuzzer config "$top/base/config.c" "$top/base/config_memory.c" "$top/base/config_show.c" "$top/base/config_table.c"
fi
[ $failures -eq 0 ]
