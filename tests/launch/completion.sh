# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion in bash: each option that hlrc_info lists, which has them from the table, is offered by hlrcrun and
# hlrc_info, and each value that an option has by its name.
. "$(dirname "$0")/lib.sh"
. "${top_srcdir:-.}/share/bash-completion/hlrcrun"
hlrc_sim=$(realpath "$top_builddir")/hlrc_sim
hlrc_profile=$(realpath "$top_builddir")/hlrc_profile
hlrcc=$(realpath "$top_builddir")/hlrcc
hlrc_info=$(realpath "$hlrc_info")

# offers COMMAND WORD...: $work/offers gets what replaces the last word, whose parts the shell divides at "="
offers() {
    local word parts
    COMP_WORDS=("$1")
    for word in "${@:2}"; do
        parts=${word/=/ = }
        test "$word" != "${word/=}" || parts=$word
        read -ra parts <<<"$parts"
        COMP_WORDS+=("${parts[@]:-}")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _hlrc "$1"
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u >"$work/offers"
}

# expect_offers WHAT EXPECTED...: at least these
expect_offers() {
    local what=$1 one
    for one in "${@:2}"; do
        grep -qxF -e "$one" "$work/offers" || fail "$what: $one is not offered: $(paste -sd ' ' "$work/offers")"
    done
}

# expect_only WHAT EXPECTED...: these and no others
expect_only() {
    test "$(paste -sd ' ' "$work/offers")" = "${*:2}" || fail "$1: not '${*:2}': $(paste -sd ' ' "$work/offers")"
}

run "$hlrc_info"
table=$(sed -n '/^options$/,/^limits/s/^  \([a-z-]*\) .*/--\1/p' "$work/out")
test "$(wc -l <<<"$table")" -gt 40 || fail "hlrc_info lists few options: $table"
for command in "$hlrcrun" "$hlrc_info"; do
    offers "$command" --
    expect_offers "$command" $table --help --version --man
done
offers "$hlrcrun" --
expect_offers 'names of other launchers' --np --ntasks --bind-to --host --wd --tag-output

offers "$hlrcrun" --placement
expect_only '--placement' --placement --placement-control
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
offers "$hlrcrun" -n 2 --protocol=
expect_only '--protocol=' ardmar async onesided
offers "$hlrcrun" -n 2 --protocol=a
expect_only '--protocol=a' ardmar async
offers "$hlrcrun" --pages ''
expect_only '--pages' ardmar async auto
offers "$hlrcrun" --barrier-fan ''
expect_only '--barrier-fan' ''
COMP_WORDBREAKS=$' \t\n"\'><;|&(:'
COMP_WORDS=("$hlrcrun" --locks=m) COMP_CWORD=1
_hlrc "$hlrcrun"
test "${COMPREPLY[*]}" = '--locks=manager --locks=mcs' || fail "--locks=m, not divided: ${COMPREPLY[*]}"

# a file of an option, a program, and what is after it
mkdir "$work/d" && cd "$work/d" && touch profile.json prog && chmod +x prog
offers "$hlrcrun" --trace ''
expect_only '--trace' profile.json prog
offers "$hlrcrun" --stats --wdir / ./pr
expect_only 'program' ./prog
offers "$hlrcrun" -n 2 ./prog --pro
expect_only 'an option of the program' ''

offers "$hlrc_sim" ''
expect_offers hlrc_sim atomics barrier grow load replay trace
offers "$hlrc_sim" replay --
expect_offers 'hlrc_sim replay' --machine --protocol --default-options --ahead --times --decisions
offers "$hlrc_sim" atomics --
expect_offers 'hlrc_sim atomics' --workload --pes --latency
offers "$hlrc_sim" replay --protocol ''
expect_only 'hlrc_sim replay --protocol' ardmar async onesided
offers "$hlrc_profile" --
expect_only hlrc_profile --advise --html --open
if test -x "$hlrcc"; then
    offers "$hlrcc" --
    expect_offers hlrcc --show
fi
finish
