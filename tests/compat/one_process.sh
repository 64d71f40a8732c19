#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The programs of pthread.sh with placement control: since all nodes are on one host, one process runs the program. They print
# what they print with the C library. Then where threads are, when they are spread, by which processors they run, and how
# such programs end.
. "$(dirname "$0")/pthreadlib.sh"
export HLRC_PLACEMENT_CONTROL=on

protocols=(ardmar async onesided)
turn=0
each() { # PROGRAM
    local nodes protocol
    if [ -n "${HLRC_SOAK-}" ]; then
        for nodes in 2 3 5 8; do
            for protocol in "${protocols[@]}"; do compare "$1" $nodes $protocol; done
        done
        return
    fi
    compare "$1" 2 "${protocols[turn++ % 3]}"
    compare "$1" 3 "${protocols[turn % 3]}"
}

for program in life mutexes waits signals; do
    build $program $program.c gcc hlrcc && each $program
done
if command -v g++ >/dev/null; then
    for program in classes futures; do
        build $program $program.cc g++ hlrc++ && each $program
    done
    [ -x "$work/classes" ] && compare classes 2 async streams
fi
build gives_up gives_up.c gcc hlrcc && compare gives_up 2 ardmar
for end in main status thread exit; do
    ends $end 2 ardmar
done

# ---- numbers of descriptors are the program's, and so is what it closes ----
cat >"$work/closes.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    int first = open("/dev/null", O_RDONLY);
    for (int i = first; i < 1024; i++)
        close(i);
    printf("%d %d\n", first, open("/dev/null", O_RDONLY));
}
END
gcc "$work/closes.c" -o "$work/closes.libc" && "$top_builddir/hlrcc" "$work/closes.c" -o "$work/closes" && compare closes 2 ardmar || fail "closes.c"

# ---- calls of the C library are the program's own: directly, but those that a program or a preloaded library has replaced ----
cat >"$work/direct.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int getppid_calls;
pid_t getppid(void) { return ++getppid_calls; }
static int is_libc(const void *fn)
{
    Dl_info info;
    return dladdr(fn, &info) && strstr(info.dli_fname, "/libc.so.");
}
#define SHOW(name) printf("%s %d\n", #name, is_libc((const void *)name))
int main(void)
{
    SHOW(malloc); SHOW(free); SHOW(read); SHOW(fwrite); SHOW(lseek); SHOW(pthread_mutex_lock);
    SHOW(rand); SHOW(pthread_create); SHOW(fork);
    return printf("%d\n", (int)getppid() + getppid_calls) < 0;
}
END
wanted=$'malloc 1\nfree 1\nread 1\nfwrite 1\nlseek 1\npthread_mutex_lock 1\nrand 1\npthread_create 0\nfork 0\n2'
"$top_builddir/hlrcc" -O1 -rdynamic "$work/direct.c" -o "$work/direct" || fail "direct.c"
for nodes in 1 2; do
    run_job $nodes ardmar "$work/direct"
    expect_status "direct calls, $nodes nodes" 0
    test "$(cat "$work/out")" = "$wanted" || fail "direct calls, $nodes nodes: $(cat "$work/out" "$work/err" | head -20)"
done
printf '#include <stdlib.h>\nint rand(void) { return 17; }\n' >"$work/preloaded.c"
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return printf("%%d\\n", rand()) < 0; }\n' >"$work/rand.c"
${CC:-gcc} -shared -fPIC "$work/preloaded.c" -o "$work/preloaded.so" && "$top_builddir/hlrcc" -O1 "$work/rand.c" -o "$work/rand" || fail "preloaded.c"
run_job 2 ardmar env LD_PRELOAD="$work/preloaded.so" "$work/rand"
test "$(cat "$work/out")" = 17 || fail "a preloaded function: $(cat "$work/out" "$work/err" | head -3)"

# ---- what belongs to the process: as in a native run, and no line of HLRC's own ----
if command -v g++ >/dev/null; then
    g++ -O1 -fopenmp "$here/pthread/endings.cc" -o "$work/endings.native" && "$top_builddir/hlrc++" -O1 -fopenmp "$here/pthread/endings.cc" -o "$work/endings" ||
        fail "endings.cc"
    for how in $("$work/endings.native" | grep -v ' '); do
        wanted_status=0
        "$work/endings.native" "$how" >"$work/wanted" 2>/dev/null || wanted_status=$?
        for nodes in 1 2; do
            run_job $nodes ardmar "$work/endings" "$how"
            expect_status "$how, $nodes nodes" $wanted_status
            cmp -s "$work/out" "$work/wanted" || fail "$how, $nodes nodes: $(diff "$work/out" "$work/wanted" | head -3)"
            test ! -s "$work/err" || fail "$how, $nodes nodes: $(head -3 "$work/err")"
        done
    done
    for nodes in 1 2; do
        : >"$work/out"
        "$hlrcrun" -n $nodes --timeout 60 "$work/endings" signals >"$work/out" 2>"$work/err" &
        job=$!
        for count in 0 1; do
            until grep -q "^signals $count" "$work/out" || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
            kill -TERM $job
        done
        status=0
        wait $job || status=$?
        expect_status "signals, $nodes nodes" 12
        test "$(cat "$work/out")" = $'signals 0\nsignals 1\nsignals 2' || fail "signals, $nodes nodes: $(cat "$work/out")"
        test ! -s "$work/err" || fail "signals, $nodes nodes: $(head -3 "$work/err")"
    done
    run_job 3 ardmar --timeout 1 "$work/endings" wait
    expect_status "--timeout" 124
    expect_err "--timeout" '^hlrcrun: node 0 runs the program as one process$'
fi

# ---- where: in one process, unless other nodes are to be seen ----
build_places
places 3 '0 0 0 0 0 0 0 0'
places 9 '0 0 0 0 0 0 0 0'
places 3 '0 0 0 0 0 0 0 0' --placement block --threads-per-node 2 --threads 28
for option in --watchdog=60 --check=races --trace-sim="$work/sim" --trace="$work/trace" --profile="$work/profile" --placement-control=off; do
    places 3 '1 2 0 1 2 0 1 2' "$option"
done
prints() { # WHAT WANTED OPTIONS... ARGUMENT
    run_job 2 ardmar "${@:3:$#-3}" "$work/places" "${!#}"
    expect_status "$1" 0
    test "$(cat "$work/out")" = "$2" || fail "$1: $(cat "$work/out" "$work/err" | head -3), not $2"
}
prints "all at once" '600, then Success' all
prints "all at once while spread" '512, then EAGAIN' --placement-control off all
prints "all at once of few" '40, then EAGAIN' --placement-control off --threads 28 all
prints "malloc" private heap
prints "bytes left in fresh memory" 0 fresh
prints "malloc while spread" shared --placement-control off heap
prints "stacks" '3 3' stacks
if [ "$(nproc)" -ge 2 ]; then
    prints "processors" '2 2' --bind core processors
    prints "processors of one node" '1 1' --bind core --placement-control off processors
fi

said() { # CONTROL PATTERN
    run_job 3 ardmar --stats="$work/stats" --placement-control "$1" "$work/places"
    expect_err "the line of --stats, $1" "^hlrc: $2\$"
}
said on 'one process ran the program, instead of 3: all nodes are on one host'
said off '8 threads ran on all nodes: --placement-control'

build_plugin
run_job 2 ardmar "$work/loads" "$work/plugged.so"
expect_status "a plugin" 0
finish
