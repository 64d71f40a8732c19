#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/programs with a folder of programs made here: all runs are in the table and in the JSON file, and the table says what
# the JSON file says. Results within the tolerance are accepted, others are not; a run that is too slow ends; a program that
# fails, or does not build, is reported. And the kinds of sharing of microbench/user: native results, on several nodes too.
. "$(dirname "$0")/lib.sh"
perl=${PERL:-perl}
"$perl" -MJSON::PP -MTime::HiRes -e 1 2>/dev/null || skip "no perl with JSON::PP and Time::HiRes, which the script is written in"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "instrumented: of a script; programs of hlrcc have tests"
[ -x "$top_builddir/hlrcc" ] || skip "built without hlrcc"
command -v gcc >/dev/null || skip "no gcc, which hlrcc calls"
unset OMP_NUM_THREADS

# The program fails unless its argument, its input and OpenMP agree about the number of threads. Built by hlrcc, it differs from
# the native program as its first argument says.
mkdir -p "$work/progs/fake"
cat >"$work/progs/fake/fake.c" <<'END'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    double sum = 0;
    int input;
    if (argc < 3 || scanf("%d", &input) != 1 || input != atoi(argv[2]) || input != omp_get_max_threads()) return 4;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i < 100000; i++) sum += 1.0 / i;
    if (strcmp(argv[1], "slow") == 0) usleep(800000);
#ifdef HLRC
    if (strcmp(argv[1], "differs") == 0) sum *= 1.001;
    if (strcmp(argv[1], "silent") == 0) return 0;
    if (strcmp(argv[1], "crash") == 0) return 3;
    if (strcmp(argv[1], "slow") == 0 && input > 1) sleep(1000);
#endif
    printf("pid %d\nsum %.12f\n", (int)getpid(), sum);
    return 0;
}
END
cat >"$work/progs/programs.rules" <<'END'
# a comment
family fake
folder fake
build case $CC in *hlrcc) more=-DHLRC ;; *) more= ;; esac
 $CC $FLAGS -fopenmp $more "$SRC"/$PART.c -o $OUT
part fake
input echo $T
same sum (\S+)
within 1e-9
full -

program fake-right
like fake
small right $T

program fake-near
like fake
small differs $T
within 0.002

program fake-differs
like fake
small differs $T

program fake-silent
like fake
small silent $T

program fake-crash
like fake
small crash $T

program fake-slow
like fake
small slow $T

program fake-unbuilt
like fake
build case $CC in *hlrcc) echo this compiler refuses >&2; false ;; esac
 $CC $FLAGS -fopenmp "$SRC"/fake.c -o $OUT
small right $T

program fake-elsewhere
like fake
folder nowhere
small right $T
END

programs() {
    status=0
    "$perl" "$top_srcdir/scripts/programs" --build "$top_builddir" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
row() { grep -E "^$1 " "$work/out" | tr -s ' '; }

programs --repeat 3 --slowest 2000 --nodes 2,3 --only fake-right --json "$work/right.json" "$work/progs"
expect_status "a right program" 0

# The tables again, from the JSON file.
cat >"$work/table.pl" <<'END'
use strict; use warnings; use JSON::PP; local $/;
my $all = decode_json(<STDIN>)->{by_nodes};
sub text { my ($x) = @_; return sprintf $x < 10 ? '%.2f' : '%.0f', $x }
for my $n (sort keys %$all) {
    my $runs = $all->{$n}{'fake-right'};
    my %time = map { my @s = sort { $a <=> $b } @{ $runs->{$_}{seconds} }; @s == 3 && $runs->{$_}{end} eq 'ok' or die "$_: @s"; $_ => $s[1] } keys %$runs;
    my ($one, @rest) = @time{'native 1 thread', "native $n threads", '1 node 1 thread', "1 node $n threads", map { "$n nodes $_" } qw(ardmar async onesided)};
    print join(' ', 'fake-right', sprintf('%.3f', $one), 's', map { text($_ / $one) } @rest), "\n";
    print join(' ', 'worst', map { text($_ / $one) } @rest), "\n";
    print join(' ', 'worst / 1 node', map { text($_ / $rest[1]) } @rest[2 .. 5]), "\n";
    print join(' ', 'speed-up', map { text($one / $_) } @rest), "\n";
    print "slowest of $n nodes $_: fake-right ", text($time{"$n nodes $_"} / $one), "\n" for qw(ardmar async onesided);
}
END
"$perl" "$work/table.pl" <"$work/right.json" >"$work/expected" || fail "the JSON file: $(head -c 500 "$work/right.json")"
[ "$(wc -l <"$work/expected")" -eq 14 ] || fail "not two tables: $(cat "$work/expected")"
grep -E '^(fake-right|worst|speed-up|slowest of) ' "$work/out" | tr -s ' ' | diff - "$work/expected" || fail "the table is not what the JSON file says"

# Results that differ, and failures.
programs --repeat 1 --slowest 2000 --protocols ardmar --only fake-near,fake-differs,fake-silent,fake-crash,fake-unbuilt "$work/progs"
expect_status "wrong programs" 1
row fake-near | grep -qE '^fake-near [0-9.]+ s( [0-9.]+){4}$' || fail "a result within the tolerance: $(row fake-near)"
row fake-differs | grep -qE '^fake-differs [0-9.]+ s [0-9.]+ wrong wrong wrong$' || fail "a wrong result: $(row fake-differs)"
expect_err "a wrong result" "^scripts/programs: fake-differs, 2 nodes ardmar: wrong: /sum .*: '12\.10[0-9]*', native '12\.09"
row fake-silent | grep -qE '^fake-silent [0-9.]+ s [0-9.]+ wrong wrong wrong$' || fail "no result: $(row fake-silent)"
row fake-crash | grep -qE '^fake-crash [0-9.]+ s [0-9.]+ failed failed failed$' || fail "a failure: $(row fake-crash)"
expect_err "a failure" '^scripts/programs: fake-crash, 1 node 1 thread: failed: status 3$'
row fake-unbuilt | grep -qE '^fake-unbuilt not built$' || fail "not built: $(row fake-unbuilt)"
expect_err "not built" 'this compiler refuses'
! grep -q fake-elsewhere "$work/out" || fail "a program whose sources are missing is in the table"

# A run that takes too long: five times as long as one native thread.
programs --repeat 1 --slowest 5 --protocols ardmar --only fake-slow --keep "$work/kept" --json "$work/slow.json" "$work/progs"
expect_status "a run without end" 0
row fake-slow | grep -qE '^fake-slow [0-9.]+ s( (> )?[0-9.]+){2} > 5\.00 > 5\.00$' || fail "a run without end: $(row fake-slow)"
row speed-up | grep -qE '^speed-up( (< )?[0-9.]+){2} < 0\.20 < 0\.20$' || fail "speed-up of a run without end: $(row speed-up)"
grep -q '^slowest of 2 nodes ardmar: fake-slow > 5.00$' "$work/out" || fail "the slowest: $(tail -1 "$work/out")"
[ "$(grep -c '"end" : "slow"' "$work/slow.json")" -ge 2 ] || fail "a run without end: $(cat "$work/slow.json")"
[ -x "$work/kept/fake-slow/hlrc/program" ] || fail "--keep kept nothing"

# The command line.
programs --only fake-elsewhere "$work/progs"
expect_status "sources that are missing" 2
for arguments in '--nodes 1' '--size huge' '--protocols other' '--repeat 0' '--only nothing' "--build $work" "$work/none"; do
    # shellcheck disable=SC2086 # several words
    programs $arguments
    expect_status "$arguments" 2
done
programs --help
expect_status "--help" 0
for name in LULESH gapbs NPB3.0-omp-C miniFE HPCCG Splash-3 Kernels; do expect_out "--help" "^  $name +[a-z]+"; done

# The kinds of sharing.
kinds=$top_srcdir/microbench/user/kinds.c
gcc -O2 -fopenmp "$kinds" -o "$work/native" -lm || fail "kinds.c: gcc"
"$top_builddir/hlrcc" -O2 -w -fopenmp "$kinds" -o "$work/hlrc" -lm 2>/dev/null || fail "kinds.c: hlrcc"
for kind in temps scatter wave locks turn fine stencil; do
    OMP_NUM_THREADS=1 "$work/native" $kind 0.01 >"$work/expected" || fail "$kind: native: $(cat "$work/expected")"
    grep -qE "^$kind seconds [0-9.]+ sum [0-9.e+]+ wrong 0$" "$work/expected" || fail "$kind: native: $(cat "$work/expected")"
    run_job 2 ardmar "$work/hlrc" $kind 0.01
    expect_status "$kind" 0
    diff <(sed 's/seconds [0-9.]*//' "$work/expected") <(sed 's/seconds [0-9.]*//' "$work/out") || fail "$kind: another result"
done
sed 's/0\.25 \* sqrt(sum/0.26 * sqrt(sum/' "$kinds" >"$work/broken.c"
gcc -O2 -fopenmp "$work/broken.c" -o "$work/broken" -lm || fail "broken.c: gcc"
! "$work/broken" stencil 0.01 >/dev/null || fail "kinds does not verify its result"
finish
