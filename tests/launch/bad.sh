# SPDX-License-Identifier: LGPL-2.1-or-later
# Every wrong input gives exactly one line, with the cause and a remedy, and a status that is not 0.
. "$(dirname "$0")/lib.sh"

bad() { # STATUS PATTERN ARGUMENTS...
    local wanted=$1 pattern=$2
    shift 2
    run "$hlrcrun" "$@"
    expect_status "$*" "$wanted"
    expect_line "$*" "^hlrcrun: .*$pattern"
    test ! -s "$work/out" || fail "$*: output $(cat "$work/out")"
    expect_nothing_left "$*"
}

bad_env() { # VARIABLE=VALUE PATTERN
    run env "$1" "$hlrcrun" true
    expect_status "$1" 2
    expect_line "$1" "^hlrcrun: ${1%%=*}=.*$2"
}

touch "$work/plain"
mkdir "$work/folder"
long=$(head -c 2000 /dev/zero | tr '\0' x)

bad 2 'no program is given'
bad 2 'no program is given' -n 2
bad 2 'no program is given' -n 2 --
bad 2 'hlrcrun: the program is hlrcrun, and each of the 2 nodes would start a job of its own; write hlrcrun only once' -n 2 "$hlrcrun" -n 2 true
bad 2 'the program is hlrcrun, and each of the 3 nodes' --hosts localhost:3 "$hlrcrun" -n 2 true
run "$hlrcrun" "$hlrcrun" -n 2 echo inner
expect_status "hlrcrun of one node, within it another" 0
test "$(cat "$work/out")" = $'inner\ninner' || fail "hlrcrun of one node, within it another: $(cat "$work/out" "$work/err")"
bad 2 '--frob: no such option' --frob true
bad 2 '-q: no such option' -q true
bad 2 '--label.*: not yes or no' --label=maybe true
bad 2 '--help=3: takes no value' --help=3 true
bad 2 '-n: a value is missing' -n
bad 2 '--memory: a value is missing' --memory
bad 2 '--pro: ambiguous; it abbreviates: --protocol, --profile, --progress' --pro true
bad 2 '--nodes 0: out of range; give 1 to 1024' -n 0 true
bad 2 '--nodes -1: out of range' -n -1 true
bad 2 '--nodes 1025: out of range; give 1 to 1024' -n 1025 true
bad 2 '--nodes 99999999999999999999: out of range' -n 99999999999999999999 true
bad 2 '--nodes x: not a number' -n x true
bad 2 '--nodes 2x: not a number' -n 2x true
bad 2 '--nodes : not a number' -n '' true
bad 2 '--protocol foo: no such choice; choose from async\|ardmar\|onesided' --protocol foo true
bad 2 '--protocol : no such choice' --protocol= true
bad 2 '--pages onesided: no such choice; choose from auto\|async\|ardmar' --pages onesided true
bad 2 '--diffs onesided: no such choice; choose from auto\|message\|write' --diffs onesided true
bad 2 '--notices write: no such choice; choose from auto\|log\|read' --notices write true
bad 2 '--locks onesided: no such choice; choose from auto\|manager\|mcs' --locks onesided true
bad 2 '--barrier onesided: no such choice; choose from auto\|master\|counter\|tree\|pairs' --barrier onesided true
bad 2 '--barrier-fan 1: out of range' --barrier-fan 1 true
bad 2 '--diffs async: no such choice' --diffs async true
bad 2 '--fabric verbs: (no RDMA device|no port|left out).*; use shm' --fabric verbs true
bad 2 '--fabric tcp: no such fabric; choose from shm\|verbs' --fabric tcp true
if "$hlrc_info" | grep -q '^  ofi  *available'; then # the nodes look for it, and one reports
    figures=$top_builddir/tests/blackbox/figures
    run "$hlrcrun" -n 3 --fabric ofi --device nonesuch "$figures"
    expect_status "no such device" 1
    expect_line "no such device" '^hlrc: node [0-2]: ofi: --device nonesuch: no such provider or interface'
    expect_nothing_left "no such device"
    yes 'not a library' | head -500 >"$work/libfabric.so.1"
    run env LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$hlrcrun" -n 3 --fabric ofi "$figures"
    expect_status "no libfabric" 1
    expect_line "no libfabric" '^hlrc: node [0-2]: ofi: libfabric.so.1 cannot be loaded; install libfabric1$'
    expect_nothing_left "no libfabric"
fi
bad 2 '--memory 12Q: not a size' --memory 12Q true
bad 2 '--memory : not a size' --memory '' true
bad 2 '--memory -1G: not a size' --memory -1G true
bad 2 '--memory nan: not a size' --memory nan true
bad 2 '--memory 0x10: not a size' --memory 0x10 true
bad 2 '--memory 0: out of range; give 1M to 15T' --memory 0 true
bad 2 '--memory 1000K: out of range' --memory 1000K true
bad 2 '--memory none: not a size; give bytes, or a number with K, M, G or T, such as 512M, or auto' --memory none true
bad 2 '--cache-size 63K: out of range; give 64K to 15T' --cache-size 63K true
bad 2 '--cache-size none: not a size; give bytes, or a number with K, M, G or T, such as 512M, or auto' --cache-size none true
bad 2 '--memory 1e300: not a size' --memory 1e300 true
bad 2 '--handler no: no such choice' --handler no true
bad 2 '--spin -2: out of range; give 0 to 1000000 or auto' --spin -2 true
bad 2 '--threads 0: out of range; give 1 to 1024' --threads 0 true
bad 2 '--bind all: no such choice' --bind all true
bad 2 '--peer-timeout 0: out of range' --peer-timeout 0 true
bad 2 '--timeout 0: out of range; give 1 to 31536000 or off' --timeout 0 true
bad 2 '--timeout 2m: not a number; give 1 to 31536000 or off' --timeout 2m true
bad 2 '--gdb 2: no such node; the nodes of this job are 0 to 1' -n 2 --gdb 2 true
bad 2 '--stats x+: longer than 1023' --stats="$long" true
bad 127 'nosuchprogram: no such program in PATH' -n 2 nosuchprogram
bad 127 "$work/none: no such program" "$work/none"
bad 127 'no such program' ''
bad 127 'no such program' "$work/plain/x"
bad 126 "$work/folder: a directory" "$work/folder"
test "$(id -u)" -eq 0 -a -x "$work/plain" || bad 126 "$work/plain: cannot be executed .*chmod \+x" "$work/plain"
cp "$(type -P true)" "$work/here"
status=0
(cd "$work" && "$hlrcrun" here 2>err) || status=$?
expect_status "here" 127
expect_line "here" 'here: not in PATH, but in this directory; write ./here'

# files that exec refuses: what is missing is named, and a shell never reads a program as a script
printf '#!/no/such/sh -e\necho x\n' >"$work/script"
printf '#!/bin/sh\r\necho x\r\n' >"$work/carriage"
sed 's|/ld-linux-\([^/]*\)\.so\.|/ld-linex-\1.so.|' "$(type -P true)" >"$work/loader"
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\1\1\1\0\0\0echo x\n' >"$work/foreign"
{
    printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\0\200\4\10\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'
    printf '\3\0\0\0\124\0\0\0\0\0\0\0\0\0\0\0\20\0\0\0\20\0\0\0\4\0\0\0\1\0\0\0/lib/ld-none.so\0'
} >"$work/small"
chmod +x "$work"/{script,carriage,loader,foreign,small}
bad 127 "$work/script: its interpreter /no/such/sh is missing; correct the first line" -n 2 "$work/script"
bad 127 "$work/carriage: the lines of this script end with a carriage return; remove them" "$work/carriage"
! grep -q /ld-linex- "$work/loader" || bad 127 "$work/loader: its loader is missing .*; build it on this machine" "$work/loader"
bad 126 "$work/foreign: built for another kind of processor; build it on this machine" -n 2 "$work/foreign"
run "$hlrcrun" "$work/small"
expect_line "a program of 32 bits" "^hlrcrun: $work/small: (its loader is missing: a program of 32 bits; install|built for another kind)"

bad_env HLRC_NODES=0 'out of range'
bad_env HLRC_NODES=many 'not a number'
bad_env HLRC_PROTOCOL=foo 'no such choice'
bad_env HLRC_PAGES=onesided 'no such choice'
bad_env HLRC_MEMORY=1X 'not a size'
bad_env HLRC_LABEL=2 'not yes or no'
bad_env HLRC_PEER_TIMEOUT=4000 'out of range'
bad_env HLRC_FABRIC=verbs '(no RDMA device|no port|left out)'

# an empty variable is as good as none
run env HLRC_NODES= HLRC_MEMORY= HLRC_STATS= "$hlrcrun" true
expect_status "empty variables" 0

# limits of the shell
run bash -c 'ulimit -n 40; exec "$hlrcrun" -n 20 true'
expect_status "ulimit -n" 1
expect_line "ulimit -n" '^hlrcrun: --nodes 20: needs [0-9]+ open files, the limit is 40'
if test -z "${HLRC_TEST_SANITIZERS-}"; then # which need terabytes of address space
    run bash -c 'ulimit -v 1500000; exec "$hlrcrun" --memory 1G true'
    expect_status "ulimit -v" 2
    expect_line "ulimit -v" 'needs twice as much address space'
fi
run bash -c 'ulimit -f 100000; exec "$hlrcrun" --memory 1G true'
expect_status "ulimit -f" 2
expect_line "ulimit -f" 'file size limit, which includes memory objects, is'

# shell limit 1000 KiB: less than any window of a node
run bash -c 'ulimit -f 1000; exec "$hlrcrun" -n 2 "$0"' "$top_builddir/tests/blackbox/figures"
expect_status "ulimit -f, small" 1
expect_line "ulimit -f, small" '^hlrc: node [01]: cannot create .* bytes: File too large; .*\(ulimit -f\)$'
expect_nothing_left "ulimit -f, small"

# the /proc of another PID namespace, as in a container
if test -z "${HLRC_TEST_SANITIZERS-}" && # which read /proc/self/maps
    unshare --mount mount -t tmpfs none /proc 2>/dev/null; then
    run unshare --mount bash -c 'mount -t tmpfs none /proc && exec "$hlrcrun" -n 2 --placement-control off "$0"' \
        "$top_builddir/tests/blackbox/figures"
    expect_status "no /proc" 1
    expect_line "no /proc" "^hlrc: node [01]: fabric shm: cannot open the memory of node .*; mount this PID namespace's /proc"
    expect_nothing_left "no /proc"
fi

# more threads than --threads: as many as it says may use shared memory, the one that began it included
figures=$top_builddir/tests/blackbox/figures
for threads in 1 2 5; do
    run "$hlrcrun" -n 2 --threads $threads "$figures" threads $((threads - 1))
    expect_status "--threads $threads" 0
    run "$hlrcrun" -n 2 --threads $threads "$figures" threads $threads
    expect_status "--threads $threads, one more" 1
    expect_line "--threads $threads, one more" \
        "^hlrc: node [01]: more than $threads threads of one node use shared memory; raise --threads \(HLRC_THREADS\)$"
    expect_nothing_left "--threads $threads, one more"
done
run "$hlrcrun" -n 2 --threads 1024 "$figures"
expect_status "--threads 1024" 0

# other launchers, and a node whose socket was taken away
for variable in SLURM_NTASKS OMPI_COMM_WORLD_SIZE PMI_SIZE HLRC_NODES; do
    run env $variable=4 "$probe" exchange 1 1
    expect_status "$variable" 1
    expect_line "$variable" "^hlrc: $variable=4, but these processes do not know each other: .* -n 4$"
    run env $variable=1 "$probe" exchange 1 1
    expect_status "$variable=1" 0
done
run env SLURM_NTASKS=4 SLURM_PROCID=1 "$probe" exchange 1 1
expect_status "rank 1" 1
test ! -s "$work/err" || fail "rank 1 repeats the line: $(cat "$work/err")"
run env SLURM_NTASKS=4 "$hlrcrun" -n 2 "$probe" exchange 1 1
expect_status "hlrcrun within an allocation" 0
run env HLRC_LAUNCH_FD=99 HLRC_NODE=0 HLRC_NODES=2 "$probe" exchange 1 1
expect_status "no socket" 1
expect_line "no socket" '^hlrc: HLRC_LAUNCH_FD=99: no connection to hlrcrun'
run env HLRC_LAUNCH_FD=99 HLRC_NODE=5 HLRC_NODES=2 "$probe" exchange 1 1
expect_status "node out of range" 1
expect_line "node out of range" '^hlrc: HLRC_NODE=5: not a number from 0 to 1'

finish
