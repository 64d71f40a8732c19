#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs of POSIX threads, and of those of C++, compiled by hlrcc, print what the same sources print that gcc has compiled
# for the C library: on 1 to 3 nodes, under the protocols in turn (the soak has all combinations). Then where threads are,
# how such programs end, and what is refused. Arguments: only programs of these names; gives_up.sh has one. In one_process.sh
# one process runs them.
. "$(dirname "$0")/pthreadlib.sh"

each() { # PROGRAM
    local nodes protocol
    if [ -n "${HLRC_SOAK-}" ]; then
        for nodes in 1 2 3 5 8; do
            for protocol in ardmar async onesided; do
                compare "$1" $nodes $protocol
            done
        done
        return
    fi
    compare "$1" 1 ardmar
    compare "$1" 2 "$2"
    compare "$1" 3 "$3"
}

# threads that move: from node to node, time after time
moves() {
    HLRC_PLACEMENT_CONTROL=alternate compare moves 2 ardmar
    HLRC_PLACEMENT_CONTROL=alternate compare moves 3 async
    HLRC_PLACEMENT_CONTROL=alternate compare moves 3 onesided
    HLRC_PLACEMENT_CONTROL=alternate run_job 2 ardmar --stats "$work/moves"
    moved=$(sed -n 's/^hlrc: .* threads moved \([0-9]*\) times.*/\1/p' "$work/err")
    test "${moved:-0}" -ge 100 || fail "threads that move did not: $(head -3 "$work/err")"
    # without waits
    HLRC_PLACEMENT_CONTROL=alternate run_job 3 ardmar --stats "$work/computes" 8e7
    "$work/computes.libc" 8e7 | cmp -s - "$work/out" || fail "threads that compute: $(cat "$work/out")"
    moved=$(sed -n 's/^hlrc: .* threads moved \([0-9]*\) times.*/\1/p' "$work/err")
    test "${moved:-0}" -ge 3 || fail "threads that compute did not move: $(head -3 "$work/err")"
}

if [ $# -gt 0 ]; then
    for program; do
        if [ $program = moves ]; then
            build moves moves.cc g++ hlrc++ && build computes computes.c gcc hlrcc && moves
            continue
        fi
        compilers='gcc hlrcc' source=$program.c
        [ -e "$here/pthread/$source" ] || compilers='g++ hlrc++' source=$program.cc
        build "$program" "$source" $compilers && each "$program" ardmar async
    done
    finish
fi
build c11 c11.c gcc hlrcc && each c11 ardmar onesided
build mutexes mutexes.c gcc hlrcc && each mutexes ardmar async
build waits waits.c gcc hlrcc && each waits async onesided
build life life.c gcc hlrcc && each life onesided ardmar
build signals signals.c gcc hlrcc && each signals async ardmar
build children children.c gcc hlrcc && each children onesided async
if command -v g++ >/dev/null; then
    build classes classes.cc g++ hlrc++ && each classes ardmar onesided
    [ -x "$work/classes" ] && compare classes 3 async streams
    build futures futures.cc g++ hlrc++ && each futures onesided async
fi
if command -v g++ >/dev/null && build moves moves.cc g++ hlrc++ && build computes computes.c gcc hlrcc; then
    moves
    HLRC_PLACEMENT_CONTROL=alternate compare classes 2 ardmar
    HLRC_PLACEMENT_CONTROL=alternate compare futures 3 async
fi
for program in mutexes waits; do
    HLRC_PLACEMENT_CONTROL=alternate compare $program 3 onesided
    HLRC_PLACEMENT_CONTROL=measure compare $program 2 async
done
HLRC_PLACEMENT_CONTROL=measure compare life 3 ardmar
for program in holds sleeps; do
    build $program $program.c gcc hlrcc && HLRC_PLACEMENT_CONTROL=measure compare $program 2 ardmar
done
# few threads fit on node 0, where a program begins: the others begin elsewhere
HLRC_THREADS=10 HLRC_PLACEMENT_CONTROL=measure compare mutexes 3 ardmar
HLRC_THREADS=12 HLRC_PLACEMENT_CONTROL=measure compare waits 3 async
compare mutexes 8 ardmar # more than there are cores
compare waits 2 onesided

# bare: a job of one
for program in mutexes life; do
    status=0 expected=0
    "$work/$program.libc" >"$work/wanted" || expected=$?
    "$work/$program" >"$work/out" || status=$?
    expect_status "bare $program" $expected
    cmp -s "$work/wanted" "$work/out" || fail "bare $program: $(diff "$work/wanted" "$work/out" | head -5)"
done

# stacks without a limit are not read, a page at a time, when a node starts
if (ulimit -s unlimited) 2>/dev/null && [ -r /proc/self/io ]; then
    (ulimit -s unlimited
        run_job 2 ardmar bash -c '"$0" >/dev/null && while read -r key n; do [ $key != syscr: ] || echo $n; done </proc/self/io' \
            "$work/mutexes")
    reads=$(sort -n "$work/out" | tail -n 1)
    test "$reads" -le 20000 || fail "ulimit -s unlimited: $(tr '\n' ' ' <"$work/out") reads $(head -3 "$work/err")"
fi

# ---- the end: with threads, by a thread, after main; what each node's stdio has buffered is written ----
for end in main status thread exit; do
    ends $end 2 ardmar
    ends $end 3 async
done

# ---- places ----
build_places
places 3 '1 2 0 1 2 0 1 2'
places 3 '0 1 1 2 2 0 0 1' --placement block --threads-per-node 2
places 3 '0 0 0 0 0 0 0 0' --placement local
run_job 2 ardmar "$work/places" all
expect_status "all at once" 0
test "$(cat "$work/out")" = '512, then EAGAIN' || fail "all at once: $(cat "$work/out" "$work/err" | head -3)"
run_job 2 ardmar --threads 28 "$work/places" all
test "$(cat "$work/out")" = '40, then EAGAIN' || fail "--threads: $(cat "$work/out" "$work/err" | head -3)"
chmod 755 "$work"
if [ "$(id -u)" = 0 ] && setpriv --reuid=54321 --clear-groups "$work/places" heap &>/dev/null; then # no such limit is root's
    processes() { # NODES LIMIT
        JOB_SECONDS=60 run_job "$1" ardmar setpriv --reuid=54321 --clear-groups bash -c 'ulimit -u '"$2"'; exec "$0" "$@"' \
            "$work/places" processes
        expect_status "ulimit -u $2" 0
        test "$(sed 's/^[1-9][0-9]*,/N,/' "$work/out")" = "$(echo 'N, then EAGAIN'; echo 'EAGAIN, EAGAIN, created')" ||
            fail "ulimit -u $2: $(cat "$work/out" "$work/err" | head -3)"
    }
    processes 2 40
    processes 3 60
fi

# ---- what is not there ----
refused() { # NAME PATTERN DECLARATIONS BODY
    printf '#define _GNU_SOURCE\n#include <pthread.h>\n#include <signal.h>\n#include <semaphore.h>\n#include <threads.h>\n' >"$work/no.c"
    printf '%s\nstatic void *f(void *a) { return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); %s; return 0; }\n' \
        "$3" "$4" >>"$work/no.c"
    "$top_builddir/hlrcc" -fopenmp "$work/no.c" -o "$work/no" 2>"$work/err" || fail "$1: $(head -3 "$work/err")"
    run_job 2 ardmar "$work/no"
    test "$status" -ne 0 || fail "$1 is overlooked"
    expect_err "$1" "$2"
}
refused processes '^hlrc: pthread_mutexattr_setpshared and fork: processes share no locks ' '#include <unistd.h>' \
    'pthread_mutexattr_t m; fork(); pthread_mutexattr_init(&m); pthread_mutexattr_setpshared(&m, 1)'
refused OpenMP '^hlrc: this program uses (OpenMP|POSIX threads) and (OpenMP|POSIX threads): threads of only one ' 'int x;' '_Pragma("omp parallel") x++'
expect_err "the remedy" 'without --placement-control it runs on one node$'
HLRC_PLACEMENT_CONTROL=measure run_job 2 ardmar --stats "$work/no"
expect_status "OpenMP and POSIX threads on several hosts" 0
expect_err "OpenMP and POSIX threads on several hosts" '^hlrc: one process ran the program, instead of 2: this program uses '

# what node 0 alone has loaded
build_plugin
run_job 2 ardmar "$work/loads" "$work/plugged.so"
expect_status "a plugin" 139
expect_err "a plugin" 'plugged.so as node 0 has loaded it: .*; link the program with it, so that all nodes load it$'

# OpenMP with mutexes
cat >"$work/both.c" <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
int main(void)
{
#pragma omp parallel for
    for (int i = 0; i < 60; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return n;
}
END
"$top_builddir/hlrcc" -fopenmp "$work/both.c" -o "$work/both" || fail "OpenMP with mutexes"
for HLRC_PLACEMENT_CONTROL in off on; do
    run_job 2 ardmar --threads-per-node 2 "$work/both"
    expect_status "OpenMP with mutexes, placement control $HLRC_PLACEMENT_CONTROL" 60
done
finish
