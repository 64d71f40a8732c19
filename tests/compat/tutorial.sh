#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# doc/tutorial.md: its changes of the program are made in order, its commands run, and each line of output that it shows is one
# of the command's. Numbers with seconds, of tables and of advice are masked; what the program prints on standard output is not.
# Then the counts are compared: the changes must have the effect that the page says.
. "$(dirname "$0")/compatlib.sh"
unset HLRC_PLACEMENT_CONTROL HLRC_THREADS_PER_NODE
page=$(cd "$top_srcdir" && pwd)/doc/tutorial.md
export PATH="$(cd "$top_builddir" && pwd):$PATH" HLRC_PROTOCOL=ardmar
mkdir "$work/user" && ln -s "$(cd "$top_srcdir" && pwd)/examples" "$work/user/examples" && cd "$work/user" || exit 99

mask() { sed -E '/^hlrc: |seconds$|^[a-z_]+ /{/^last change/!s/[0-9]+(\.[0-9]+)?/N/g}; s/ +/ /g; s/(, )?\.\.\.$//'; }
commands=0
checked() { # compares what the last command printed with what the page shows of it
    local line
    [ -n "$shown" ] || return
    while IFS= read -r line; do
        grep -qF -- "$line" <<<"$printed" || fail "$command: no '$line' in $(head -c 3000 <<<"$printed")"
    done < <(mask <<<"$shown")
    shown=
}
changed() { # one block of lines with - and +: the first run of lines that are equal, but for blanks before them
    [ -n "$old$new" ] || return
    old=$old new=$new perl -0pi -e '
        my @old = map { s/^\s+//r } split /\n/, $ENV{old};
        my $pattern = join("", map { "[ \\t]*\Q$_\E\\n" } @old);
        s/$pattern/$ENV{new}/ or exit 3' heat.c || fail "the page changes lines that heat.c does not have: $old"
    hlrcc -g -fopenmp -O2 heat.c -o heat -lm 2>"$work/err" || fail "$(cat "$work/err")"
    old='' new=''
}
shown='' printed='' old='' new='' command=''
while IFS= read -r line; do
    case $line in
    '    $ '*)
        checked
        changed
        command=${line#'    $ '}
        eval "$command" >"$work/out" 2>&1 </dev/null || fail "$command: status $?: $(cat "$work/out")"
        printed=$(mask <"$work/out")
        case $command in *--stats*grep*) cp "$work/out" "$work/counts.$((++commands))" ;; esac
        ;;
    '    - '*) checked; old+=${line#'    - '}$'\n' ;;
    '    + '*) new+=${line#'    + '}$'\n' ;;
    '') changed ;;
    '    '*) shown+=${shown:+$'\n'}${line#'    '} ;;
    esac
done <"$page"
checked
changed

[ $commands -eq 4 ] || fail "$commands tables of counts in the page"
count() { awk -v name="$2" '$1 == name { print $NF }' "$work/counts.$1"; }
[ "$(count 1 page_fetches)" -gt $((5 * $(count 2 page_fetches))) ] || fail "larger parts: $(cat "$work"/counts.[12])"
# How many of the fetches first touch saves depends on when homes move.
for table in '2 0' '3 1'; do
    [ "$(awk '$1 == "first_write_faults" { print ($3 * 4 > $2) }' "$work/counts.${table% *}")" = "${table#* }" ] ||
        fail "first touch: $(cat "$work"/counts.[23])"
done

# A variable is named by the bytes of it that nodes write.
hlrcc -g -fopenmp -O2 examples/your-program/heat-openmp.c -o first -lm && hlrcrun -n 2 --profile=p.json ./first >/dev/null 2>&1
grep -q '"where": *"worst"' p.json && ! grep -q 'completed\.0' p.json || fail "worst is not named: $(grep -o '"where": *"[^"]*"' p.json)"
finish
