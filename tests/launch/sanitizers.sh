# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs with sanitizers, over a library without: they run and are right; their bugs are reported, and nothing else. Of
# the threads of a node ThreadSanitizer reports what is a race (base/race.h).
. "$(dirname "$0")/lib.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${CC:=cc}"
test -z "${HLRC_TEST_SANITIZERS-}" || skip "the library has sanitizers itself"
libs=$(cd "$top_builddir" && pwd)/.libs
test -e "$libs/libhlrc.so" || skip "configured without a shared library"
unset ASAN_OPTIONS TSAN_OPTIONS
echo 'int main(void) { return 0; }' >"$work/empty.c"

# built NAME FLAGS...: false where the sanitizer is not there
built() {
    local name=$1
    shift
    if ! { $CC "$@" -o "$work/empty" "$work/empty.c" && "$work/empty"; } >"$work/log" 2>&1; then
        echo "note: no $name here: $(tail -n 1 "$work/log")"
        return 1
    fi
    $CC -O1 -g "$@" -pthread -I"$top_srcdir/include" -o "$work/$name" "$top_srcdir/tests/launch/tooled.c" \
        -L"$libs" -lhlrc -Wl,-rpath,"$libs" >"$work/log" 2>&1 || fail "$name: tooled.c does not build: $(cat "$work/log")"
}

# right PROGRAM: 3 (0 + 1 + ... + 16383) + (0 + 1 + 2) 16384; 2 nodes, 2 threads, 50 times
right() {
    local protocol
    for protocol in ardmar async onesided; do
        run "$hlrcrun" -n 2 --protocol $protocol "$work/$1"
        expect_status "$1, $protocol" 0
        expect_out "$1, $protocol" "402677760 200"
        test ! -s "$work/err" || fail "$1, $protocol: it says $(cat "$work/err")"
    done
    run "$work/$1"
    expect_status "$1, one node" 0
    expect_out "$1, one node" "402677760 100"
    test ! -s "$work/err" || fail "$1, one node: it says $(cat "$work/err")"
}

if built address -fsanitize=address; then
    right address
    run "$hlrcrun" -n 2 "$work/address" heap
    expect_status "heap" 1
    grep -qE '^SUMMARY: AddressSanitizer: heap-buffer-overflow .*tooled\.c:[0-9:]+ in write_behind$' "$work/err" ||
        fail "heap: $(cat "$work/err")"
    expect_nothing_left "heap"
fi

if built thread -fsanitize=thread; then
    right thread
    for bug in race lock; do
        run "$hlrcrun" -n 2 "$work/thread" $bug
        expect_status "$bug" 66
        grep -qE '^SUMMARY: ThreadSanitizer: data race .*tooled\.c:[0-9:]+ in count_unguarded$' "$work/err" ||
            fail "$bug: $(cat "$work/err")"
        expect_nothing_left "$bug"
    done
    # more than it leaves room for
    run "$hlrcrun" -n 2 --memory 449G "$work/thread"
    expect_status "449G" 1
    grep -qE '^hlrc: node [01]: ThreadSanitizer leaves no address range for 482110078976 bytes of shared memory; '\
'lower --memory \(448G at most, on x86-64\), or build without -fsanitize=thread$' "$work/err" || fail "449G: $(cat "$work/err")"
fi
finish
