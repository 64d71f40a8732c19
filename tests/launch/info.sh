# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_info, --help and the manual pages show every option of the table, with its default, its range, its variable, and
# the value that it was given; the ends of a range can be given, what is beyond them cannot.
. "$(dirname "$0")/lib.sh"
for variable in ${!HLRC_@}; do
    test $variable = HLRC_TEST_SANITIZERS || unset $variable
done

# As the manual has it: name, what may be given, default, what hlrc_info shows of it, another value that it can show.
options='nodes        1..1024                    1      1       3
protocol     async|ardmar|onesided      ardmar ardmar  async
pages        auto|async|ardmar          auto   ardmar  async
diffs        auto|message|write         auto   message message
notices      auto|log|read              auto   log     log
locks        auto|manager|mcs           auto   manager mcs
barrier      auto|master|counter|tree|pairs auto master tree
barrier-fan  2..1024                    4      4       16
fabric       NAME                       auto   auto    shm+chaos
device       NAME[:PORT[:GID]]          off    (off)   mlx5_0:1:3
memory       SIZE|auto                  auto   auto    1536K
cache-size   SIZE|auto                  auto   auto    64K
stats        FILE                       off    (off)   x.json
trace        FILE                       off    (off)   y.json
trace-size   SIZE                       8M     8M      256K
trace-sim    FILE                       off    (off)   s.trace
trace-sim-size SIZE                     64M    64M     512K
trace-sim-detail own|all                own    own     own
profile      FILE                       off    (off)   z.json
advise       -                          no     no      yes
check        off|races                  off    off     races
handler      block|spin-block|poll      block  block   spin-block
spin         0..1000000|auto            auto   auto    7
threads      1..1024                    64     64      5
threads-per-node 1..1024|auto           auto   auto    2
placement    cyclic|block|local         cyclic cyclic  block
placement-control on|off|measure|alternate on on off
hot-pages    0..255                     16     16      3
exclusive-pages on|off                 on     on      off
lazy-release 0..255                     8      8       1
move-homes   on|off                    on     on      off
default-homes dealt|first              dealt  dealt   first
ahead        0..256                     32     32      8
renew        0..255                     32     32      1
signals      refuse|mask                refuse refuse  mask
syscalls     off|touch|auto             off    off     touch
core         small|full                 small  small   full
bind         auto|core|share|none       auto   auto    core
checkpoint   TIME[:DIR]                 off    (off)   5m:d
restart      DIR                        off    (off)   d
restarts     0..1000000                 0      0       3
partner      on|DIR                     off    (off)   on
report-bindings -                       no     no      yes
label        -                          no     no      yes
progress     -                          no     no      yes
hosts        HOST:N,HOST:N,...          off    (off)   a:2,b:3
hostfile     FILE                       off    (off)   list
wdir         DIR                        off    (off)   /tmp
no-aslr      -                          no     no      yes
gdb          0..1023|none|all           none   none    all
watchdog     1..86400|off               off    off     30
timeout      1..31536000|off            off    off     60
peer-timeout 1..3600                    5      5       9'

# row NAME: the line of hlrc_info's last output
row() {
    sed -n '/^options$/,/^limits/p' "$work/out" | grep -E "^  $1 "
}

expect_row() { # WHAT NAME VALUE SOURCE
    test "$(row "$2" | tr -s ' ' | cut -c "-$((3 + ${#2} + ${#3} + ${#4}))")" = " $2 $3 $4" ||
        fail "$1: not '$3' by '$4': $(row "$2")"
}

run "$hlrcrun" --help
expect_status help 0
cp "$work/out" "$work/help"
run "$hlrcrun" --man
expect_status man 0
sed 's/\\-/-/g' "$work/out" >"$work/man"
run "$hlrc_info"
expect_status hlrc_info 0
cp "$work/out" "$work/info"

# spelling NAME RANGE: "-n, --nodes=1..1024"
spelling() {
    case $1 in
    nodes) echo "-n, --$1=$2" ;;
    stats | profile) echo "--$1[=$2]" ;;
    *) test "$2" = - && echo "--$1" || echo "--$1=$2" ;;
    esac
}

# empty variables, all at once: as if they were not there
empty=()
while read -r name range default shown other; do empty+=("HLRC_$(echo "$name" | tr a-z- A-Z_)="); done <<<"$options"
run env "${empty[@]}" "$hlrc_info"
cp "$work/out" "$work/empty"

turn=0
while read -r name range default shown other; do
    variable=HLRC_$(echo "$name" | tr a-z- A-Z_)
    spelled=$(spelling "$name" "$range")
    help=$(grep -A 1 -E "^ +(-n, )?--$name(\\[|=|$)" "$work/help")
    test "$(echo "$help" | sed -n '1s/^ *//p')" = "$spelled" || fail "--help: no '$spelled': $help"
    echo "$help" | grep -qE "^ +[a-z].* \($default; (or )?$variable\)$" ||
        fail "--help, $name: not '$default', $variable: $help"
    man=$(grep -A 2 -F -x ".B $spelled" "$work/man")
    text=$(echo "$help" | sed -n '2s/^ *\(.*\) ([^(]*)$/\1/p')
    test "$(echo "$man" | sed -n 2p)" = "$text." || fail "man, $name: '$man' is not '$text'"
    test "$(echo "$man" | sed -n 3p)" = "Default: $default.  Environment: $variable." || fail "man, $name: $man"
    cp "$work/info" "$work/out"
    expect_row "no $name" "$name" "$shown" default
    cp "$work/empty" "$work/out"
    expect_row "$variable=" "$name" "$shown" default
    # with sanitizers every third one: the others are read by the same code
    [ -z "${HLRC_TEST_SANITIZERS:-}" ] || ((++turn % 3 == 0)) || continue
    run env "$variable=$other" "$hlrc_info"
    expect_status "$variable=$other" 0
    expect_row "$variable=$other" "$name" "$other" environment
    run env "$variable=$default" "$hlrc_info" --"$name=$other"
    expect_row "--$name=$other" "$name" "$other" 'command line'
done <<<"$options"
test "$(sed -n 's/^ \{2,6\}\(-n, \)\?--\([a-z-]*\).*/\2/p' "$work/help" | grep -vxE 'man|resize' | sort)" = \
    "$(echo "$options" | sed '/^$/d; s/ .*//' | sort)" || fail "--help: other options than those of this test"
test "$(sed -n '/^options$/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/info" | sort)" = \
    "$(echo "$options" | sed '/^$/d; s/ .*//' | sort)" || fail "hlrc_info: other options than those of this test"

# Older values mean what they meant; what is shown, and what the nodes get, is the value of now.
older=
while read -r name old value; do
    variable=HLRC_$(echo "$name" | tr a-z A-Z)
    run "$hlrc_info" --"$name=$old"
    expect_row "--$name=$old" "$name" "$value" 'command line'
    run env "$variable=$old" "$hlrc_info"
    expect_row "$variable=$old" "$name" "$value" environment
    run "$hlrcrun" --"$name=$old" printenv "$variable"
    expect_out "--$name=$old, exported" "$value"
    case $older in *" --$name "*) older+=, ;; *) older+="${older:+,} --$name" ;; esac
    older+=" $old ($value)"
done <<END
diffs handler message
notices handler log
locks handler manager
locks queue mcs
barrier handler master
barrier central counter
barrier gb tree
barrier pe pairs
END
grep -qxF "Older values are accepted:$older." "$work/man" || fail "man: no older values:$older"
for wrong in 'pages handler' 'diffs queue' 'notices queue' 'barrier queue' 'locks central' 'locks gb' 'handler handler'; do
    run "$hlrc_info" --"${wrong% *}=${wrong#* }"
    expect_status "--$wrong" 2
done

# the ends of a range, what is beyond them, and what is no number
taken() { # NAME VALUE SHOWN
    run "$hlrc_info" -n 1024 --"$1=$2"
    expect_row "--$1=$2" "$1" "$3" 'command line'
}

refused() { # NAME VALUE PATTERN
    run "$hlrc_info" -n 1024 --"$1=$2"
    expect_status "--$1=$2" 2
    expect_line "--$1=$2" "^hlrc_info: --$1 $2: $3"
}

ends() {
    printf '%s\n' 'nodes 1 1024' 'spin 0 1000000'
    [ -n "${HLRC_TEST_SANITIZERS:-}" ] || # the rest are read by the same code
        printf '%s\n' 'threads 1 1024' 'hot-pages 0 255' 'ahead 0 256' 'renew 0 255' 'gdb 0 1023' 'peer-timeout 1 3600' \
            'watchdog 1 86400' 'timeout 1 31536000'
}
while read -r name low high; do
    taken "$name" "$low" "$low"
    taken "$name" "$high" "$high"
    for value in $((low - 1)) $((high + 1)) 4294967297 -4294967295; do
        test "$value" != -1 -o "$name" = nodes -o "$low" != 0 || value=-2 # -1 stands for auto, or none
        refused "$name" "$value" "out of range; give $low to $high( or|$)"
    done
    for value in "${low}x" "${low}K" "$low.0" "0x$low" "$low,1" "$low $high" auto,; do
        refused "$name" "$value" "not a number; give $low to $high( or|$)"
    done
done < <(ends)
taken spin -1 auto
taken gdb -1 none
taken memory 1M 1M
taken memory 1048576 1M
taken memory 15T 15T
taken memory 1.5m 1536K
taken memory 3G 3G
taken memory 1025K 1028K # whole pages
for value in 1048575 1023K 16492674416641 15.1T 16T; do
    refused memory $value 'out of range; give 1M to 15T$'
done
for value in 1P 1KM 1MBB 1M1 M 1,5G 1MiBs ' 2G' '2 G'; do
    refused memory "$value" 'not a size; '
done

run "$hlrc_info" -n 3 --protocol async
expect_status hlrc_info 0
cp "$work/out" "$work/info"
grep -qE '^  pages +async +default' "$work/info" || fail "pages do not follow the protocol"
grep -qE '^  protocol +async +command line' "$work/info" || fail "source of protocol"
grep -qE '^  shm +available' "$work/info" || fail "fabrics"
grep -qE '^  verbs +(no RDMA device|no port|left out|available)' "$work/info" || fail "why verbs is missing"
grep -qE '^  cores +[0-9]+' "$work/info" || fail "cores"
run env HLRC_SPIN=7 "$hlrc_info"
grep -qE '^  spin +7 +environment' "$work/out" || fail "source of spin"

# whether this machine suffices
limit() { # WHAT NAME PATTERN
    grep -qE "^  $2 +$3" "$work/out" || fail "$1: no '$2 $3': $(grep "^  $2" "$work/out")"
}
cores=$(nproc)
run "$hlrc_info" -n "$cores"
limit "as many nodes as cores" cores "$cores +enough"
run "$hlrc_info" -n $((cores + 1))
limit "more nodes than cores" cores "$cores +few: $((cores + 1)) nodes"
run bash -c 'ulimit -n 500; exec "$0" --memory 2M' "$hlrc_info"
limit "ulimit -n" 'open files' '500 +few'
if (ulimit -l 2048) 2>/dev/null; then
    run bash -c 'ulimit -l 2048; exec "$0" --memory 1M' "$hlrc_info"
    limit "ulimit -l" memlock '2.0 MiB +enough$'
    run bash -c 'ulimit -l 2048; exec "$0" --memory 2M' "$hlrc_info"
    limit "ulimit -l, too little" memlock '2.0 MiB +enough for shm; verbs needs'
    test "$(sed -n '/^limits/,$p' "$work/out" | wc -L)" -le 80 || fail "more than 80 columns: $(sed -n '/^limits/,$p' "$work/out")"
fi
if test -z "${HLRC_TEST_SANITIZERS-}"; then # which need terabytes of address space
    run bash -c 'ulimit -v 2097152; exec "$0" --memory 1023M' "$hlrc_info"
    expect_status "ulimit -v" 0
    limit "ulimit -v" 'address space' '2.0 GiB +enough'
    run bash -c 'ulimit -v 2097152; exec "$0" --memory 1025M' "$hlrc_info"
    expect_status "ulimit -v, too little" 1
    expect_line "ulimit -v" '--memory 1025M: needs twice as much address space, the limit is 2.0 GiB'
    limit "ulimit -v" 'address space' '2.0 GiB +too little'
fi
run "$hlrc_info" --memory 14T
expect_status "too much memory" 0
expect_line "too much memory" '^hlrc_info: --memory 14T: only'
run "$hlrc_info" --frob
expect_status "unknown option" 2
expect_line "unknown option" '^hlrc_info: --frob: no such option'
for program in "$hlrcrun" "$hlrc_info"; do
    run "$program" --version
    expect_status "--version" 0
    grep -qE '^hlrc(run|_info) [0-9]+\.' "$work/out" || fail "--version: $(cat "$work/out")"
done
if command -v man >/dev/null && man --help 2>&1 | grep -q warnings; then
    for program in "$hlrcrun" "$hlrc_info"; do
        "$program" --man | LC_ALL=C MANROFFSEQ='' MANWIDTH=80 man --warnings -l - >/dev/null 2>"$work/err"
        test ! -s "$work/err" || fail "manual page: $(cat "$work/err")"
    done
fi
# On a terminal of 80 columns help is folded there, and has the same words.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    for program in "$hlrcrun" "$top_builddir/hlrc_info"; do
        "$program" --help >"$work/out"
        script -qec "stty cols 80 rows 24; '$program' --help" /dev/null </dev/null 2>&1 | tr -d '\r' >"$work/folded"
        [ "$(tr -s ' \n' '\n\n' <"$work/folded")" = "$(tr -s ' \n' '\n\n' <"$work/out")" ] || fail "$program --help on a terminal: other words"
        awk '/^        / && length > 80 { exit 1 }' "$work/folded" || fail "$program --help: $(awk 'length > 80' "$work/folded")"
        awk '/^        / && length > 80 { found = 1 } END { exit !found }' "$work/out" || fail "$program --help is folded without a terminal"
    done
fi
finish
