# SPDX-License-Identifier: LGPL-2.1-or-later
# The command line of the shell scripts; sourced by one that has usage() and die(). The usage text declares the options: a line of
# it that begins with "  --name" is a switch, with "  --name VALUE" an option with a value, where N and S are numbers from 1.

# parse_options ARGUMENT...: gives the variable NAME of each option (a "_" for each "-") its value, a switch "yes". The other
# arguments go to the array `arguments`: with "[--" in the first line of the text, all after "--"; with COMMAND, all after the first.
# shellcheck disable=SC2034 # the scripts read them
parse_options() {
    local text name
    text=$(usage)
    arguments=()
    while [ $# -gt 0 ]; do
        name=${1#--}
        case $1 in
        -h | --help)
            perl -I"$(dirname "${BASH_SOURCE[0]}")" -MOptions -0777 -ne 'print Options::columns($_)' <<<"$text" 2>/dev/null || printf '%s\n' "$text"
            exit 0 ;;
        --) shift; break ;;
        -*)
            [[ $'\n'$text =~ $'\n  '"$1"\ ([A-Z]+[A-Z,/]*)?(\ |$'\n') ]] || die "$1: unknown option; see scripts/${0##*/} --help"
            if [ -z "${BASH_REMATCH[1]}" ]; then
                printf -v "${name//-/_}" yes
            else
                [ $# -ge 2 ] || die "$1: a value is missing; see scripts/${0##*/} --help"
                case ${BASH_REMATCH[1]}:$2 in [NS]: | [NS]:*[!0-9]* | [NS]:0 | [NS]:????????*) die "$1 $2: not a number from 1" ;; esac
                printf -v "${name//-/_}" %s "$2"
                shift
            fi
            ;;
        *)
            [[ ${text%%$'\n'*} != *"[-- "* ]] || die "$1: no such argument; see scripts/${0##*/} --help"
            [[ ${text%%$'\n'*} != *COMMAND* ]] || break
            arguments+=("$1")
            ;;
        esac
        shift
    done
    arguments+=("$@")
}
