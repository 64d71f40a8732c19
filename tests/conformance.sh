#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/conformance with a suite made here: cases that pass natively are run with hlrcc on all numbers of nodes, as their
# directives say; those that end otherwise are listed, with the reason if there is one; a reason without a difference is
# reported.
. "$(dirname "$0")/lib.sh"
perl=${PERL:-perl}
"$perl" -MJSON::PP -e 1 2>/dev/null || skip "no perl with JSON::PP, which the script is written in"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "instrumented: of a script; programs of hlrcc have tests"
[ -x "$top_builddir/hlrcc" ] || skip "built without hlrcc"
command -v gcc >/dev/null || skip "no gcc, which hlrcc calls"

suite_name=libgomp
suite=$work/src/libgomp/testsuite/libgomp.c
mkdir -p "$suite"
case_of() { # NAME DIRECTIVES BODY
    printf '%s\n#include <omp.h>\n#include <stdlib.h>\nint helper(void);\nint main(void) { %s }\n' "$2" "$3" >"$suite/$1.c"
}
case_of good '' 'return omp_get_max_threads() != 3;'
case_of differs '' 'return getenv("HLRC_TOOLS") ? 7 : 0;' # hlrcrun sets it
case_of aborts '/* { dg-shouldfail "" } */' 'abort();'
case_of native '' 'return 1;'
case_of compiled '/* { dg-do compile } */' 'return 1;'
case_of options '/* { dg-options "-fopenmp -DRIGHT" } */
/* { dg-set-target-env-var HLRCTEST_CASE "said" } */
/* { dg-additional-sources "helper.c" } */' '
#ifdef RIGHT
    return !getenv("HLRCTEST_CASE") || helper();
#endif
    return 1;'
printf '/* { dg-do compile } */\nint helper(void) { return 0; }\n' >"$suite/helper.c"

known() { printf '%s\n' "$@" >"$work/known"; }
conformance() { # OPTION...
    status=0
    "$perl" "$top_srcdir/scripts/conformance" --build "$top_builddir" --known "$work/known" --threads 3 "$@" $suite_name "$work/src" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}
known '# nothing'
conformance --nodes 1,2 --json "$work/json"
expect_status "a difference" 1
expect_out "the table" '^libgomp\.c  *4  *3  *3$'
expect_out "what differs" '^2: libgomp\.c/differs\.c: status 7: '
test "$(grep -c : "$work/out")" = 2 || fail "what differs: $(cat "$work/out")"
grep -q '"name" *: *"libgomp.c/differs.c"' "$work/json" || fail "--json: $(head -5 "$work/json")"

known 'libgomp process libgomp.c/diff*.c it is made so' 'libgomp spread libgomp.c/good.c never'
conformance --nodes 2
expect_status "a known difference" 0
expect_out "the reason" '^2: .*\(known: it is made so\)$'

known 'libgomp process libgomp.c/differs.c so' 'libgomp process libgomp.c/good.c wrong'
conformance --nodes 1 --only 'good|differs'
expect_status "a reason too many" 1
expect_out "a reason too many" '^libgomp\.c/good\.c: known as a difference, but passes; remove it from the list$'

known
conformance --nodes 1 --only good --keep "$work/kept"
case_of good '' 'return 1;'
conformance --nodes 1 --only good --keep "$work/kept"
expect_out "a kept program" '^libgomp\.c  *1  *1$'

known 'libgomp process'
conformance
expect_err "a torn list" "known:1: a line is SUITE WHERE CASE REASON"
known
conformance --only '('
expect_err "no pattern" "^scripts/conformance: --only \(: not a pattern"
conformance --only nothing
expect_err "no case" "^scripts/conformance: no case matches --only nothing"

# ---- suites of other forms: which cases, headers and variables ----
folder=$work/src/runtime/test/lock
mkdir -p "$folder"
printf 'int right(void);\n' >"$work/src/runtime/test/omp_testsuite.h"
llvm() { # NAME RUN
    printf '// RUN: %s\n#include "omp_testsuite.h"\n#include <stdlib.h>\nint main(void) { return !getenv("OMP_SCHEDULE"); }\n' "$2" >"$folder/$1.c"
}
llvm variable "%libomp-compile && env OMP_SCHEDULE='static,3' %libomp-run"
llvm without '%libomp-compile-and-run'
llvm compared '%libomp-compile-and-run | FileCheck %s'
suite_name=llvm
known
conformance --nodes 2
expect_out "LLVM's" '^\.  *1  *1$'

folder=$work/src/open_posix_testsuite/conformance/interfaces
mkdir -p "$folder/pthread_join" "$folder/fork" "$work/src/open_posix_testsuite/include"
printf '#define PTS_PASS 0\n' >"$work/src/open_posix_testsuite/include/posixtest.h"
for name in pthread_join/1-1 pthread_join/helper fork/1-1; do
    printf '#include "posixtest.h"\nint test_main(void) { return PTS_PASS; }\n' >"$folder/$name.c"
done
suite_name=posix
conformance --nodes 1
expect_out "POSIX's" '^conformance/interfaces  *1  *1$'

# ---- without a folder: sources of the compiler's version ----
mkdir "$work/bin"
printf '#!/bin/sh\necho 99\n' >"$work/bin/gcc"
chmod +x "$work/bin/gcc"
sources() { # SUITE
    status=0
    PATH=$work/bin:$PATH "$perl" "$top_srcdir/scripts/conformance" --build "$top_builddir" "$1" >"$work/out" 2>"$work/err" || status=$?
}
sources libgomp
expect_err "no package" "^scripts/conformance: no sources of gcc 99; install Debian's package gcc-99-source, or give DIR$"
sources llvm
expect_err "no folder" '^scripts/conformance: llvm: its sources are needed, as DIR'
finish
