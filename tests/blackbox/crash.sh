# SPDX-License-Identifier: LGPL-2.1-or-later
# What is said of a program that crashes: node, thread, signal, address and what lies there, then the stack with functions
# and lines; the status is 128 + the signal (crash.h). ADDRESS and BLOCK are what the program itself has printed, other
# numbers are N.
. "$(dirname "$0")/../lib.sh"
crash=$(realpath "$top_builddir/tests/blackbox/crash") && test -x "$crash" || skip "crash is not built"
source=$top_srcdir/tests/blackbox/crash.c
case $HLRC_TEST_SANITIZERS in
*address*) skip "the sanitizer handles these signals itself" ;;
esac
ulimit -S -c 0
export HLRC_MEMORY=16M

# The lines of standard error without what differs from run to run.
masked() {
    local at block
    at=$(sed -n 's/^at //p' "$work/out" | tail -1)
    block=$(sed -n 's/^block //p' "$work/out" | tail -1)
    sed -E -e "s/${at:-none}([^0-9a-f]|\$)/ADDRESS\1/" -e "s/${block:-none}([^0-9a-f]|\$)/BLOCK\1/" \
        -e 's/0x[0-9a-f]+/N/g' -e 's/(pid|process) [0-9]+/\1 N/' -e 's/ulimit -s is [0-9]+/ulimit -s is N/' "$work/err"
}

expect_crash() { # WHAT STATUS LINE
    expect_status "$1" "$2"
    test "$(masked | head -1)" = "$3" || fail "$1: '$(masked | head -1)', not '$3'"
}

while read -r name status line; do
    run_job 2 ardmar "$crash" "$name"
    expect_crash "$name" "$status" "hlrc: node 1, $line"
done <<'END'
null-write 139 thread 0: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer
null-read 139 thread 0: SIGSEGV at ADDRESS: not shared memory: read through a NULL pointer
null-call 139 thread 0: SIGSEGV at N: not shared memory: call through a NULL pointer
wild 139 thread 0: SIGSEGV at ADDRESS: not shared memory: read where no memory is mapped
overflow 139 thread 0: SIGSEGV at N: not shared memory: stack overflow: unbounded recursion, or large local arrays; ulimit -s is N KiB
overrun 139 thread 0: SIGSEGV at N: not shared memory: write beyond the upper end of the stack: an array on the stack is too short for this access
overflow-thread 139 thread 1: SIGSEGV at N: not shared memory: stack overflow: unbounded recursion, or large local arrays; ulimit -s is N KiB
thread 139 thread 1: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer
block 139 thread 0: SIGSEGV at ADDRESS: execution of memory of hlrc_malloc (block of 64 bytes at BLOCK, 16 bytes into it)
freed 139 thread 0: SIGSEGV at ADDRESS: execution of memory freed by hlrc_free (block of 64 bytes at BLOCK, 32 bytes into it)
large 139 thread 0: SIGSEGV at ADDRESS: execution of memory of hlrc_malloc (block of 102400 bytes at BLOCK, 50000 bytes into it)
freed-large 139 thread 0: SIGSEGV at ADDRESS: execution of memory freed by hlrc_free
all 139 thread 0: SIGSEGV at ADDRESS: execution of memory of hlrc_malloc_all (block of 4000 bytes at BLOCK, 8 bytes into it)
freed-all 139 thread 0: SIGSEGV at ADDRESS: execution of memory freed by hlrc_free_all (block of 9000 bytes at BLOCK, 5000 bytes into it), unless another node has allocated there since
unused 139 thread 0: SIGSEGV at ADDRESS: execution of shared memory that was never allocated
tables 139 thread 0: SIGSEGV at ADDRESS: execution of the tables of the shared heap
others-block 139 thread 0: SIGSEGV at ADDRESS: execution of memory freed by hlrc_free_all (block of 9000 bytes at BLOCK, 16 bytes into it), unless another node has allocated there since
protect 139 thread 0: SIGSEGV at ADDRESS: write to memory of hlrc_malloc_all (block of 4000 bytes at BLOCK, 0 bytes into it): the program has changed its protection or mapping (mprotect, mmap, munmap)
beyond 139 thread 0: SIGSEGV at ADDRESS: not shared memory: read 8192 bytes beyond its end (N); --memory sets its size
before 139 thread 0: SIGSEGV at ADDRESS: not shared memory: write 4096 bytes before its beginning (N)
finalized 139 thread 0: SIGSEGV at ADDRESS: write to shared memory after hlrc_finalize, which unmapped it
finalized-null 139 thread 0: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer
others-heap 139 thread 0: SIGSEGV at ADDRESS: not shared memory: read of node 0's private memory [heap]: pointers to it are not valid on other nodes; hlrc_malloc allocates shared memory
no-code 139 thread 0: SIGSEGV at ADDRESS: not shared memory: execution of memory that is no code ([heap])
divide 136 thread 0: SIGFPE at N: integer division by zero, or a quotient that is too large
trap 132 thread 0: SIGILL at N: not an instruction of this processor: a compiler trap, code for another processor, or not code
abort 134 thread 0: SIGABRT: the program called abort()
raise 139 thread 0: SIGSEGV: the program sent it to itself
sent 139 thread 0: SIGSEGV: sent by process N
END

# as the system and the processor have it
case $(uname -m) in
x86_64)
    run_job 2 ardmar "$crash" no-address
    expect_crash no-address 139 'hlrc: node 1, thread 0: SIGSEGV: not shared memory: an invalid address, from a damaged pointer; the processor does not report it'
    ;;
esac
run_job 2 ardmar "$crash" read-only
expect_crash read-only 139 "hlrc: node 1, thread 0: SIGSEGV at ADDRESS: not shared memory: write to memory that is read-only ($crash)"
run_job 2 ardmar "$crash" behind-file
expect_status behind-file 135
masked | head -1 | grep -qE '^hlrc: node 1, thread 0: SIGBUS at ADDRESS: no memory is available for the page, or the mapped file is shorter than its mapping: not shared memory: read of memory that is mapped \(/.*\(deleted\)\)$' ||
    fail "behind-file: $(masked | head -1)"

# pointers to functions and static data, which --no-aslr makes the same
randomized() {
    test "$(cat /proc/sys/kernel/randomize_va_space)" != 0 && readelf -h "$crash" | grep -q 'Type: *DYN'
}
for name in others-function:execution others-data:read; do
    run_job 2 ardmar --no-aslr "$crash" ${name%:*}
    if grep -q 'not allowed' "$work/err"; then
        echo "not tested here: --no-aslr"
    elif [ ${name%:*} = others-data ]; then
        expect_status "$name, --no-aslr" 0
    else
        grep -q 'stack overflow' "$work/err" || fail "$name, --no-aslr: the other node's function is not called: $(cat "$work/err")"
    fi
    randomized || { echo "not tested here: addresses that differ"; continue; }
    run_job 2 ardmar "$crash" ${name%:*}
    expect_crash $name 139 "hlrc: node 1, thread 0: SIGSEGV at ADDRESS: not shared memory: ${name#*:} of the program as node 0 has loaded it: pointers to functions, virtual tables and static data differ between nodes; start with --no-aslr"
done
# which is said too where this node has something else at the address
if randomized; then
    run_job 2 ardmar "$crash" others-code
    expect_crash others-code 139 'hlrc: node 1, thread 0: SIGSEGV at ADDRESS: not shared memory: execution of the program as node 0 has loaded it: pointers to functions, virtual tables and static data differ between nodes; start with --no-aslr'
fi

# a handler that the program sets later gets what is no page fault, after the first crash was told of
run_job 2 ardmar "$crash" late-handler
expect_crash late-handler 3 'hlrc: node 1, thread 0: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer; the program handles it'
expect_out late-handler '^own handler$'
run_job 2 ardmar "$crash" late-default
expect_crash late-default 139 'hlrc: node 1, thread 0: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer'
run_job 2 ardmar "$crash" late-abort
expect_crash late-abort 134 'hlrc: node 1, thread 0: SIGABRT: the program called abort(); the program handles it'
expect_out late-abort '^own handler$'

# a job of one, with no launcher
alone() {
    status=0
    "$crash" "$1" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
alone null-write
expect_crash "null-write, alone" 139 'hlrc: thread 0: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer'
alone overflow
expect_crash "overflow, alone" 139 'hlrc: thread 0: SIGSEGV at N: not shared memory: stack overflow: unbounded recursion, or large local arrays; ulimit -s is N KiB'
alone finalized
expect_crash "finalized, alone" 139 'hlrc: thread 0: SIGSEGV at ADDRESS: write to shared memory after hlrc_finalize, which unmapped it'
test "$(grep -vc '^hlrc: #' "$work/err")" -eq 1 || fail "finalized, alone: $(cat "$work/err")"

# the other protocols, which have other handlers beside
for protocol in async onesided; do
    run_job 3 $protocol "$crash" thread
    expect_crash "$protocol" 139 'hlrc: node 2, thread 1: SIGSEGV at ADDRESS: not shared memory: write through a NULL pointer'
done

# the stack
frame() { # WHAT NUMBER PATTERN
    grep -qE "^hlrc: (node 1: )?#$2 $3\$" "$work/err" || fail "$1: no '#$2 $3': $(cat "$work/err")"
}
line_of() {
    grep -n "$1" "$source" | head -1 | cut -d : -f 1
}
run_job 2 ardmar "$crash" null-write
if command -v addr2line >/dev/null && addr2line -f -e "$crash" 0x$(nm "$crash" | sed -n 's/ t write_to$//p') | grep -q 'crash.c:'; then
    frame "stack" 0 "write_to at .*crash\\.c:$(line_of 'the line that writes')"
    frame "stack" '[1-9]' 'main at .*crash\.c:[0-9]+'
    run_job 2 ardmar "$crash" null-call
    frame "stack of a jump" 0 '0x0, in no file'
    frame "stack of a jump" 1 "call at .*crash\\.c:$(line_of 'the line that calls')"
    run_job 2 ardmar "$crash" overflow
    frame "stack of an overflow" '[0-9]+' 'recurse at .*crash\.c:[0-9]+, [0-9]+ times'
    grep -qE '^hlrc: node 1: \.\.\. [0-9]{3,} more calls$' "$work/err" || fail "stack of an overflow: $(cat "$work/err")"
    frame "stack of an overflow" '[0-9]{3,}' 'main at .*crash\.c:[0-9]+'
else
    echo "not tested here: lines of source, without addr2line or debugging information"
fi

# a program without debugging information, and one without any names
if strip -g -o "$work/named" "$crash" && strip -o "$work/bare" "$crash"; then
    run_job 2 ardmar "$work/named" null-write
    frame "without lines" 0 'write_to\+0x[0-9a-f]+ in named'
    run_job 2 ardmar "$work/bare" null-write
    frame "without names" 0 '0x[0-9a-f]+ in bare\+0x[0-9a-f]+'
    expect_status "without names" 139
else
    echo "not tested here: programs without debugging information; strip does not work"
fi
finish
