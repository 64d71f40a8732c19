# SPDX-License-Identifier: LGPL-2.1-or-later
# The tiers of the tests: mutants are detected in the first tier; each row of tests/covers.txt names files and tests of the
# later tier that exist; a change of a file selects what covers it; shards contain each test once; scripts/tests-for lists what
# the patches name; continuous integration runs everything.
. "$(dirname "$0")/lib.sh"
top_srcdir=$(cd "$top_srcdir" && pwd)
unset MAKEFLAGS MAKEOVERRIDES MFLAGS # of a make that was given the tests to run
cd "$top_srcdir" || exit 1
covers=tests/covers.txt
"${MAKE:-make}" -s -C "$top_builddir" list-tests >"$work/list" 2>"$work/err" || fail "list-tests: $(cat "$work/err")"
sed -n 's/^first //p' "$work/list" | sort -u >"$work/first"
sed -n 's/^later //p' "$work/list" | sort -u >"$work/later"
test "$(wc -l <"$work/first")" -gt 150 || fail "the first tier has $(wc -l <"$work/first") tests"
comm -12 "$work/first" "$work/later" >"$work/both"
test ! -s "$work/both" || fail "in both tiers: $(cat "$work/both")"

# ---- mutants: each program or script that a Test: line names, once for each mutant ----
for patch in tests/mutants/*.patch; do
    sed -n '/^--- /q; s/^Test: *//p' "$patch" | grep -o 'tests/[^ =]*' | sort -u
done | sort >"$work/named"
total=$(wc -l <"$work/named") in_first=$(grep -cxF -f "$work/first" "$work/named")
echo "$in_first of $total tests that mutants name are in the first tier"
test "$((in_first * 100))" -ge "$((total * 84))" || fail "less than 84 %"

# ---- the table ----
rows=0
while read -r pattern tests; do
    case $pattern in '' | '#'*) continue ;; esac
    rows=$((rows + 1)) found=no
    while IFS= read -r file; do
        # shellcheck disable=SC2254 # a pattern it is
        case $file in ./$pattern) found=yes; break ;; esac
    done < <(find . -name .git -prune -o -path './build*' -prune -o -type f -print)
    test $found = yes || fail "$covers: no file is $pattern"
    for test in $tests; do grep -qxF "$test" "$work/later" || fail "$covers: $test is not in the later tier"; done
done <$covers
test $rows -gt 20 || fail "$covers: $rows rows"

# ---- scripts/tests-for, against the patches ----
scripts/tests-for tests/sim/spans.c >"$work/out" 2>&1 || fail "tests-for: $(cat "$work/out")"
expect_out "tests-for" '^\| `pace-ends-unpaid` \|'
expect_out "tests-for" '^tests/sim/spans$'
scripts/tests-for ardmar/pages_ardmar.c >"$work/out" 2>&1
for patch in $(grep -lxF '+++ b/ardmar/pages_ardmar.c' tests/mutants/*.patch); do
    while read -r test; do
        grep -qxF -- "$test" "$work/out" || fail "tests-for ardmar/pages_ardmar.c does not list '$test' of $patch"
    done < <(sed -n '/^--- /q; s/^Test: *//p' "$patch")
done

# ---- what a change selects, in a repository with the table alone ----
if command -v git >/dev/null; then
    mkdir -p "$work/tree/scripts" "$work/tree/tests" "$work/tree/doc/model"
    cp scripts/tests-for "$work/tree/scripts/" && cp $covers "$work/tree/tests/"
    (
        cd "$work/tree" && git init -q . && echo a >doc/model/one.pml && git add . &&
            git -c user.name=t -c user.email=t@t commit -qm one && echo b >>doc/model/one.pml && mkdir -p fabric/verbs &&
            echo new >fabric/verbs/new.c
    ) >"$work/err" 2>&1 || fail "git: $(cat "$work/err")"
    "$work/tree/scripts/tests-for" --since HEAD >"$work/out" 2>&1
    printf '%s\n' tests/guest/verbs.sh tests/model.sh tests/pmix/two_guests.sh | cmp -s - "$work/out" ||
        fail "a change selects $(cat "$work/out")"
fi

# ---- shards ----
for k in 1 2 3 4; do
    scripts/check --all --quick --list --build "$top_builddir" --shard $k/4 | grep -v '^==' >"$work/shard.$k"
done
cat "$work"/shard.* | sort >"$work/shards"
cut -d' ' -f2 "$work/list" | sort | cmp -s - "$work/shards" || fail "the shards are not the tests: $(diff <(cut -d' ' -f2 "$work/list" | sort) "$work/shards" | head -5)"
test $(($(wc -l <"$work/shard.1") - $(wc -l <"$work/shard.4"))) -le 1 || fail "the shards differ in size"
grep -q -- 'scripts/check --all ' .ci/run || fail ".ci/run does not run everything"
finish
