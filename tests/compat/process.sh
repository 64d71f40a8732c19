#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What belongs to a process belongs to the job: programs whose threads on several nodes share files, streams, directories and the
# rest of the process print what the same sources print that gcc has compiled. Arguments: only programs of these names.
. "$(dirname "$0")/pthreadlib.sh"

same() { # PROGRAM NODES PROTOCOL ARGUMENTS...
    rm -rf "$work/folder" && mkdir "$work/folder"
    local program=$1 nodes=$2 protocol=$3 expected=0
    shift 3
    "$work/$program.libc" "$work/folder" "$@" >"$work/wanted" 2>"$work/wanted.err" </dev/null || expected=$?
    rm -rf "$work/folder" && mkdir "$work/folder"
    JOB_SECONDS=$seconds run_job "$nodes" "$protocol" "$work/$program" "$work/folder" "$@"
    cmp -s "$work/out" "$work/wanted" && [ $status = $expected ] && cmp -s "$work/err" "$work/wanted.err" && return
    fail "$program $*, $protocol, $nodes nodes: status $status, not $expected; $(diff "$work/out" "$work/wanted" | head -6)" \
        "$(diff "$work/err" "$work/wanted.err" | head -3)"
    [ -z "${LITMUS_STOP-}" ] || finish
}

build_library() { # the same program of Fortran, whose threads are OpenMP's
    local flags="-fopenmp -fno-sign-zero -O1 $here/process/library.f90 -o"
    gfortran $flags "$work/library.libc" 2>"$work/err" && "$top_builddir/hlrcfort" $flags "$work/library" 2>"$work/err" ||
        { fail "library.f90: $(head -3 "$work/err")"; return 1; }
}

each() { # PROGRAM ARGUMENTS...
    local program=$1 seconds=60
    shift
    unset HLRC_MEMORY
    case $program in
    objects) export HLRC_MEMORY=256M ;;& # less than all that it maps
    taken | blocked | forks) seconds=20 ;;& # hangs if a signal is not handled
    locales) command -v g++ >/dev/null || return; [ -x "$work/locales" ] || build locales ../process/locales.cc g++ hlrc++ || return ;;
    inherit) command -v g++ >/dev/null || return; [ -x "$work/inherit" ] || build inherit ../process/inherit.cc g++ hlrc++ || return ;;
    library) command -v gfortran >/dev/null || return; build_library || return ;;
    *) [ -x "$work/$program" ] || build "$program" "../process/$program.c" gcc hlrcc || return ;;
    esac
    same "$program" 2 ardmar "$@"
    same "$program" 3 onesided "$@"
    [ -z "${HLRC_SOAK-}" ] || { same "$program" 2 onesided "$@"; same "$program" 3 ardmar "$@"; same "$program" 2 async "$@"; }
}

overflows() { # a variable of a thread that is larger than its stack, and less than the stacks of two
    cat >"$work/overflow.c" <<'END'
#include <pthread.h>
static void *fill(void *arg)
{
    volatile char large[12 << 20];
    for (int i = 0; i < (int)sizeof large; i += 4096)
        large[i] = 1;
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, fill, 0);
    return pthread_join(t[0], 0) + pthread_join(t[1], 0);
}
END
    "$top_builddir/hlrcc" -O1 -pthread "$work/overflow.c" -o "$work/overflow" || fail "overflow.c"
    ulimit -s 8192
    run_job 2 ardmar "$work/overflow"
    expect_status "a stack that overflows" 139
    expect_err "a stack that overflows" "SIGSEGV at .*: not shared memory: stack overflow: .* ulimit -s is 8192 KiB"
}

shares_with_child() { # what a child stores to would be lost
    cat >"$work/child.c" <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status;
    int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *shared = 1;
    if (fork() == 0) {
        *shared = 2;
        _exit(0);
    }
    wait(&status);
    printf("%d\n", *shared);
    return !WIFEXITED(status) || WEXITSTATUS(status);
}
END
    "$top_builddir/hlrcc" -O1 "$work/child.c" -o "$work/child" || fail "child.c"
    run_job 2 ardmar "$work/child"
    expect_err "a child that stores to shared memory" "a forked child accessed shared memory"
    [ $status != 0 ] || fail "a child that stores to shared memory: status 0"
}

# hlrcrun gets signals: one is handled, and sent to the whole group; a thread of another node waits for the other
signalled() { # COMMAND...: its output in $work/out, its status
    local pid text
    : >"$work/out" # the command may be slow to begin, and must not be seen ready before
    setsid "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    for text in ready:HUP HUP:TERM; do
        await grep -q "${text%:*}" "$work/out" || fail "$*: no ${text%:*}"
        [ $text = ready:HUP ] && kill -HUP $pid || kill -TERM -- -$pid
    done
    wait $pid 2>/dev/null
}

forwards() {
    cat >"$work/forwards.c" <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void on_signal(int sig) { got = sig; }
static void *waits(void *arg)
{
    int sig;
    sigwait(arg, &sig);
    puts(sig == SIGHUP ? "HUP" : "?");
    return arg;
}
static void *sleeps(void *arg)
{
    sleep(60);
    return arg;
}
int main(int argc, char **argv)
{
    static sigset_t set;
    pthread_t t[2];
    alarm(30);
    setvbuf(stdout, 0, _IOLBF, BUFSIZ);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    signal(SIGTERM, argc > 1 ? SIG_IGN : on_signal);
    pthread_create(&t[0], 0, waits, &set);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[1], 0, sleeps, 0);
    puts("ready");
    pthread_join(t[0], 0);
    while (!got)
        usleep(1000);
    puts(got == SIGTERM ? "TERM" : "?");
    return 5;
}
END
    gcc -pthread "$work/forwards.c" -o "$work/forwards.libc" && "$top_builddir/hlrcc" -pthread "$work/forwards.c" -o "$work/forwards" ||
        fail "forwards.c"
    local nodes expected=0
    signalled "$work/forwards.libc" || expected=$?
    mv "$work/out" "$work/wanted"
    for nodes in 2 3; do
        status=0
        signalled "$hlrcrun" -n $nodes "$work/forwards" || status=$?
        expect_status "signals to hlrcrun" $expected
        cmp -s "$work/out" "$work/wanted" && ! [ -s "$work/err" ] || fail "signals to hlrcrun: $(head -5 "$work/out" "$work/err")"
    done
    # a second one, soon after the first, ends the job even if the program ignores it
    : >"$work/out"
    "$hlrcrun" -n 2 "$work/forwards" ignores >"$work/out" 2>"$work/err" </dev/null &
    await grep -q ready "$work/out" || fail "signals that are ignored: $(head -5 "$work/err")"
    kill -TERM $!
    sleep 0.3
    kill -TERM $!
    status=0
    wait $! || status=$?
    expect_status "a signal that is ignored, twice" 143
    expect_err "a signal that is ignored, twice" '^hlrcrun: ended by signal 15 '
}

[ $# -gt 0 ] || set -- files state variables texts signals blocked taken objects forks endings inherit handles locales library cancel
for program; do
    if [ "$program" = endings ]; then
        for how in return main exit quick_exit _exit exec signal; do
            each endings $how
        done
        overflows
        forwards
    elif [ "$program" = forks ]; then
        each forks
        shares_with_child
    elif [ "$program" = inherit ]; then
        each inherit
        each inherit ends
        each inherit ends later
    else
        each "$program"
    fi
done
finish
