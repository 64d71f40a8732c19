# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples say what they should, with one node and several, under all protocols. tests/parts.sh has them with every part of
# a protocol. Those of your-program/ are compiled by the lines in their heads.
set -u
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/examplelib.sh"
examples=$top_builddir/examples

# build_as_said EXAMPLE: the first line of its head that is indented, with what is beside this build for what is installed
build_as_said() {
    local source=$top_srcdir/examples/your-program/$1.c line
    [ -e "$source" ] || source=$top_srcdir/examples/your-program/$1.C
    line=$(sed -n 's/^ \*     //p' "$source" | head -1)
    case $line in
    m4*) # comes before the compiler
        line=${line//'$(pkg-config --variable=macros hlrc)'/$top_srcdir/compat/parmacs/c.m4.hlrc}
        (cd "$examples" && cp "$source" . && eval "$line") >"$work/err" 2>&1 || { fail "$1: $line: $(head -3 "$work/err")"; return 1; }
        line=$(sed -n 's/^ \*     //p' "$source" | sed -n 2p) ;;
    esac
    case $line in
    hlrcc*)
        [ -x "$top_builddir/hlrcc" ] || return 1
        line="\"$top_builddir/\"$line" ;;
    esac
    line=${line//'$(pkg-config --cflags --libs hlrc-tmk)'/"'-I$top_srcdir/compat/treadmarks' '-L$top_builddir/.libs' -lhlrc_tmk -lhlrc"}
    line=${line//'$(pkg-config --cflags --libs hlrc-armci)'/"'-I$top_srcdir/compat/armci' '-L$top_builddir/.libs' -lhlrc_armci -lhlrc"}
    (cd "$examples" && cp "$source" . && eval "$line") >"$work/err" 2>&1 || { fail "$1: $line: $(head -3 "$work/err")"; return 1; }
}

# your_program EXAMPLE [ARGUMENT...]: on one node and three, under one protocol after the other
your_program() {
    build_as_said "$1" || return
    says 1 async "$1" "${@:2}"
    for protocol in ardmar async onesided; do says 3 $protocol "$1" "${@:2}"; done
}

says() { # N PROTOCOL EXAMPLE [ARGUMENT...]
    run_job "$1" "$2" "$examples/$3" "${@:4}"
    expect_status "$3, $1 nodes, $2" 0
    test "$(sort "$work/out")" = "$(example_says "$3" "$1")" || fail "$3, $1 nodes, $2: $(cat "$work/out")"
}

for protocol in ardmar async onesided; do
    for nodes in 1 3; do
        for example in 01-hello 02-counter 04-mailbox 05-shares 06-rod 07-flag; do says $nodes $protocol $example; done
    done
    for nodes in 1 2 5; do
        example_file "$work"
        says $nodes $protocol 08-file "$example_in" "$example_out"
        example_written || fail "08-file, $nodes nodes, $protocol: the file is another one"
    done
    says 2 $protocol 03-homes
    says 5 $protocol 06-rod
done

if [ -n "${HLRC_TEST_SANITIZERS-}" ] || [ ! -e "$top_builddir/.libs/libhlrc.so" ]; then
    echo "note: those of your-program/ need a shared library without sanitizers"
    finish
fi
examples=$work/yours
mkdir "$examples"
export LD_LIBRARY_PATH=$top_builddir/.libs
command -v gcc >/dev/null && your_program primes-openmp
command -v gcc >/dev/null && your_program letters-openmp "$example_in"
command -v gcc >/dev/null && your_program collatz-pthread
command -v gcc >/dev/null && command -v m4 >/dev/null && your_program pi-parmacs
your_program queens-treadmarks -n 10
your_program field-armci

# In other languages, by the line in the head.
for example in 09-primes.cc 10-primes.f90; do
    line=$(sed -n 's/^[ !]*[!*]     //p' "$top_srcdir/examples/$example" | head -1)
    command -v "${line%% *}" >/dev/null || continue
    [ "${line%% *}" != g++ ] || echo '#include <span>' | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null || continue
    line=${line//'$(pkg-config --cflags --libs hlrc)'/"'-I$top_srcdir/include' '-L$top_builddir/.libs' -lhlrc"}
    line=${line//'$(pkg-config --variable=includedir hlrc)'/"'$top_srcdir/include'"}
    line=${line//'$(pkg-config --libs hlrc)'/"'-L$top_builddir/.libs' -lhlrc"}
    if (cd "$examples" && cp "$top_srcdir/examples/$example" . && eval "$line") >"$work/err" 2>&1; then
        for nodes in 1 3; do says $nodes ardmar "${example%.*}"; done
    else
        fail "$example: $line: $(head -3 "$work/err")"
    fi
done
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    export PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
    printf '#!/bin/sh\nexec /usr/bin/python3 "%s"\n' "$top_srcdir/examples/11-primes.py" >"$examples/11-primes"
    chmod +x "$examples/11-primes"
    for nodes in 1 3; do says $nodes ardmar 11-primes; done
fi
finish
