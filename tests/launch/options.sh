# SPDX-License-Identifier: LGPL-2.1-or-later
# Options by the names that mpirun has for them, and names that are none: each does what it does there, or gives exactly
# the line that says what to write.
. "$(dirname "$0")/lib.sh"

line() { # STATUS LINE ARGUMENT...: nothing else is said, and no node starts
    local wanted=$1 text="hlrcrun: $2"
    shift 2
    run "$hlrcrun" "$@"
    expect_status "$*" "$wanted"
    test "$(cat "$work/err"; echo .)" = "$text"$'\n'. || fail "$*: not '$text' but '$(cat "$work/err")'"
    test ! -s "$work/out" || fail "$*: output $(cat "$work/out")"
}

variable() { # VARIABLE=VALUE LINE
    run env "$1" "$hlrcrun" true
    expect_status "$1" 2
    test "$(cat "$work/err"; echo .)" = "hlrcrun: $1: $2"$'\n'. || fail "$1: not '$2' but '$(cat "$work/err")'"
    run env "$1" "$hlrc_info"
    expect_status "$1, hlrc_info" 2
    test "$(cat "$work/err")" = "hlrc_info: $1: $2" || fail "hlrc_info: $(cat "$work/err")"
    test ! -s "$work/out" || fail "$1, hlrc_info: output $(head -3 "$work/out")"
}

# variables that mean nothing
variable HLRC_PROTOCL=async 'no such option; did you mean HLRC_PROTOCOL?'
variable HLRC_PROTOCOL_=async 'no such option; did you mean HLRC_PROTOCOL?'
variable HLRC_PROTOOCL=async 'no such option; did you mean HLRC_PROTOCOL?'
variable HLRC_protocol=async 'no such option; did you mean HLRC_PROTOCOL?'
variable HLRC_CACHESIZE=1G 'no such option; did you mean HLRC_CACHE_SIZE?'
variable HLRC_HOT-PAGES=3 'no such option; did you mean HLRC_HOT_PAGES?'
variable HLRC_MEM=1G 'no such option; did you mean HLRC_MEMORY?'
variable HLRC_NOASLR=1 'no such option; did you mean HLRC_NO_ASLR?'
variable HLRC_RELEASE=3 'no such option; did you mean HLRC_LAZY_RELEASE?'
variable HLRC_CHAOS_SED=3 'no such option; did you mean HLRC_CHAOS_SEED?'
variable HLRC_QUUX=1 'no such option; unset it (hlrc_info lists the options)'
variable HLRC_=1 'no such option; unset it (hlrc_info lists the options)'
long=$(head -c 2000 /dev/zero | tr '\0' X)
run env HLRC_$long=1 "$hlrcrun" true
expect_status "a long name" 2
expect_line "a long name" '^hlrcrun: HLRC_X{195}: no such option; unset it'
run env 'HLRC_PROTOCL=a
b' "$hlrcrun" true
expect_line "a line's end in a value" '^hlrcrun: HLRC_PROTOCL=a\?b: no such option; did you mean HLRC_PROTOCOL\?$'
# an empty one is as good as none; names of the test suite, of hooks and of a site's modules are left alone
run env HLRC_QUUX= HLRC_TEST_X=1 HLRC_SOAK_X=1 HLRC_CHAOS_SEED=2 HLRC_ROOT=/opt HLRC_HOME=/opt HLRCX=1 "$hlrcrun" true
expect_status "other names" 0
# a node that nobody checked for says it, too
run env HLRC_PROTOCL=async "$top_builddir/apps/is" -c S
test "$status" -ne 0 || fail "bare program: status 0"
expect_line "bare program" '^hlrc: HLRC_PROTOCL=async: no such option; did you mean HLRC_PROTOCOL\?$'

# options that are none
line 2 '--protcol: no such option; did you mean --protocol?' --protcol async true
line 2 '--protcol=async: no such option; did you mean --protocol?' --protcol=async true
line 2 '-protcol: no such option; did you mean --protocol?' -protcol async true
line 2 '--Protocol: no such option; did you mean --protocol?' --Protocol async true
line 2 '--hotpages: no such option; did you mean --hot-pages?' --hotpages 3 true
line 2 '--release: no such option; did you mean --lazy-release?' --release 3 true
line 2 '--noaslr: no such option; did you mean --no-aslr?' --noaslr true
line 2 '--bind-core: no such option; did you mean --bind?' --bind-core true
line 2 '--frob: no such option; hlrcrun --help lists them' --frob true
line 2 '--fr?ob: no such option; hlrcrun --help lists them' $'--fr\nob' true
line 2 '--=3: no such option; hlrcrun --help lists them' --=3 true
line 2 '-q: no such option; hlrcrun --help lists them' -q true
line 2 '-g: no such option; hlrcrun --help lists them' -g 0 true
line 2 '-q: no such option; hlrcrun --help lists them' -hq true
line 2 '--pro: ambiguous; it abbreviates: --protocol, --profile, --progress' --pro true
line 2 '-no: ambiguous; it abbreviates: --nodes, --notices, --no-aslr, --nodelist' -no true
line 127 '-: no such program in PATH; check the name, or give a path' -

# mpirun's names
echo 'n=$HLRC_NODES; echo "$HLRC_NODE of ${n:-?} in $(basename "$PWD") $MARK"' >"$work/who"
mkdir "$work/dir"
expect_nodes() { # WHAT NODES LINE: each node printed its number and LINE
    expect_status "$1" 0
    test "$(sort "$work/out")" = "$(for ((i = 0; i < $2; i++)); do echo "$i of $2 $3"; done)" || fail "$1: $(cat "$work/out")"
    test ! -s "$work/err" || fail "$1: $(cat "$work/err")"
}
here="in $(basename "$PWD") "
for spelling in '-np 3' '--np 3' '-np=3' '-c 3' '-n 3' '-n3' '--n 3 -n 3' '--ntasks=3' '-nodes 3'; do
    test "$spelling" != '--n 3 -n 3' || continue # short for several, above
    run "$hlrcrun" $spelling sh "$work/who"
    expect_nodes "$spelling" 3 "$here"
done
for spelling in --wdir -wdir --wd -wd --chdir; do
    run "$hlrcrun" -np 2 $spelling "$work/dir" sh "$work/who"
    expect_nodes "$spelling" 2 'in dir '
done
run env MARK=old "$hlrcrun" -np 2 -x MARK=new sh "$work/who"
expect_nodes "-x MARK=new" 2 "${here}new"
run env MARK=old "$hlrcrun" -np 2 -x MARK -x NEVER_SET sh "$work/who"
expect_nodes "-x MARK" 2 "${here}old"
run "$hlrcrun" -np 3 --oversubscribe -oversubscribe --allow-run-as-root --bind-to none -bind-to core sh "$work/who"
expect_nodes "what is so anyway" 3 "$here"
for spelling in --tag-output -tag-output; do
    run "$hlrcrun" -np 2 $spelling echo x
    test "$(sort "$work/out" | tr '\n' ' ')" = '[0] x [1] x ' || fail "$spelling: $(cat "$work/out")"
done
run "$hlrcrun" -x HLRC_NODES=2 sh "$work/who"
expect_nodes "-x HLRC_NODES=2" 2 "$here"
# the program is looked for where it begins
cp "$work/who" "$work/dir/whoami"
chmod +x "$work/dir/whoami"
sed -i '1i #!/bin/sh' "$work/dir/whoami"
run "$hlrcrun" -np 1 --wdir "$work/dir" ./whoami
expect_nodes "a program in --wdir" 1 'in dir '
run env HLRC_WDIR="$work/dir" "$hlrcrun" sh -c 'echo "$(basename "$PWD") ${HLRC_WDIR-unset}"'
test "$(cat "$work/out")" = 'dir unset' || fail "HLRC_WDIR: $(cat "$work/out" "$work/err")"

line 2 '--nodes x: not a number; give 1 to 1024' -np x true
line 2 '-np: a value is missing; hlrcrun --help shows which' -np
line 2 '-x =3: not a variable; give NAME or NAME=VALUE' -x =3 true
line 2 '-x : not a variable; give NAME or NAME=VALUE' -x '' true
line 2 'HLRC_PROTOCL=async: no such option; did you mean HLRC_PROTOCOL?' -x HLRC_PROTOCL=async true
line 2 "--wdir $work/none: No such file or directory; give a directory that can be entered" --wdir "$work/none" true
line 2 "--wdir $work/who: Not a directory; give a directory that can be entered" -wd "$work/who" true
line 2 '--bind-to numa: choose from core|none, or use --bind share, which gives each node its share of the machine' --bind-to numa true
places='not an option here: nodes are placed along NUMA domains and cores in the order of their numbers; see --bind'
line 2 "--map-by: $places" --map-by ppr:2:socket true
line 2 "--map-by: $places" -map-by=core true
line 2 "--rank-by: $places" --rank-by core true
hosts='not an option here: write --hosts HOST:N,HOST:N, with N nodes for each host'
line 2 "--npernode: $hosts" -npernode 2 true
line 2 "--ntasks-per-node: $hosts" --ntasks-per-node=2 true
line 2 "--nodelist: $hosts" --nodelist a,b true
line 2 "--mca: not an option here: a setting of Open MPI; --help lists the options of HLRC" --mca btl tcp true
line 2 '--output-filename: not an option here: redirect the output, and use --label to distinguish the nodes' --output-filename x true
line 2 '--cpu-bind: not an option here: see --bind' --cpu-bind=cores true

# hosts, and files of them
line 2 '--hosts h2:0: not a host; give NAME or NAME:NODES (1 to 1024), with commas between' --host h1:2,h2:0 true
line 2 '--nodes 4: the hosts have slots for 3; write HOST:NODES' -np 4 -H h1:2,h2 true
line 2 "--hostfile $work/none: No such file or directory; give a file with a host in each line" --hostfile "$work/none" true
line 2 "--hostfile $work: Is a directory; give a file with a host in each line" --machinefile "$work" true
echo '# nobody' >"$work/hosts"
line 2 "--hostfile $work/hosts: contains no host; write one host in each line" -hostfile "$work/hosts" true
bad_line="is not a host; write HOST, HOST:N or HOST slots=N (1 to 1024)"
for text in 'h2 slots=' 'h2 slots=0' 'h2 slots=1025' 'h2 slots=x' 'h2 2' 'h2 slot=2' 'h2:0' '-h2' "$long"; do
    printf 'h1 slots=2\n\n%s\n' "$text" >"$work/hosts"
    line 2 "--hostfile $work/hosts: line 3 $bad_line" --hostfile "$work/hosts" true
done
printf '# two\nh1 slots=2 max_slots=4 # one\n  \n\th2:3\r\nh3 max-slots=9\nh1' >"$work/hosts"
line 2 '--nodes 8: the hosts have slots for 7; write HOST:NODES' -n 8 --hostfile "$work/hosts" true
line 2 "--hostfile $work/hosts: conflicts with --hosts h1; give only one of them" --hosts h1 --hostfile "$work/hosts" true
line 2 '--gdb: works on this machine only; omit it or --hostfile' --gdb 0 --hostfile "$work/hosts" true
line 2 '--bind share: works on this machine only; omit it or --hosts' --bind share --hosts h1 true
line 2 '--progress: works on this machine only; omit it or --hosts' --progress --hosts h1 true
# what becomes of them: a mpirun that says what it was given
cat >"$work/mpirun" <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo 'mpirun (Open MPI) 4.1.4'; exit; }
echo "$@"
env | grep ^HLRC_ | sort
END
chmod +x "$work/mpirun"
printf '#!/bin/sh\nexit 1\n' >"$work/srun"
chmod +x "$work/srun"
expect_handed() { # WHAT LINE VARIABLE...
    local what=$1 wanted=$2
    shift 2
    expect_status "$what" 0
    test "$(cat "$work/out")" = "$wanted$(printf '\n%s' "$@")" || fail "$what: not '$wanted' and '$*' but '$(cat "$work/out")'"
}
run env -u HLRC_TEST_SANITIZERS PATH="$work:$PATH" LD_LIBRARY_PATH= "$hlrcrun" -np 6 --hostfile "$work/hosts" --wdir /tmp --label --report-bindings -x MARK=3 -x NEVER \
    -x HLRC_SPIN=7 --bind none --no-aslr prog -n 3
expect_handed --hostfile "--tag-output --report-bindings -n 6 --host h1:2,h2:3,h3:1 --bind-to none --wdir /tmp -x MARK -x NEVER -x LD_LIBRARY_PATH -x \
HLRC_SPIN -x HLRC_NO_ASLR setarch -R prog -n 3" HLRC_NO_ASLR=yes HLRC_SPIN=7
# a host without an address is reported before the launcher starts, but not if ssh has another name for it
unknown=$(printf 'x%.0s' {1..70}) # longer than a label of a name can be: no server is queried
printf '#!/bin/sh\n[ "$1" = -G ] || exit 1\necho "host $2"\necho "hostname $(cat "%s")"\n' "$work/alias" >"$work/ssh"
chmod +x "$work/ssh"
for alias in "$unknown" 10.0.0.7; do
    echo "$alias" >"$work/alias"
    run env PATH="$work:$PATH" LD_LIBRARY_PATH= "$hlrcrun" --hosts "127.0.0.1,$unknown" prog
    expect_status "unknown host" 0
    grep -vE '^hlrcrun: mpirun starts' "$work/err" >"$work/rest"
    if [ "$alias" = "$unknown" ]; then
        grep -qE "^hlrcrun: --hosts: $unknown has no address here \\(.+\\), so mpirun will probably fail; check the name, or add the host to /etc/hosts$" \
            "$work/rest" && test "$(wc -l <"$work/rest")" -eq 1 || fail "unknown host: $(cat "$work/err")"
    else
        test ! -s "$work/rest" || fail "a host that ssh knows: $(cat "$work/err")"
    fi
done
# programs that a job runs at its end
for tool in hlrc_profile hlrc_timeline; do
    for option in --help -h; do
        run "$top_builddir/$tool" $option
        expect_status "$tool $option" 0
        grep -q "^usage: $tool " "$work/out" || fail "$tool $option: $(cat "$work/out")"
    done
    run "$top_builddir/$tool" --version
    grep -q "^$tool [0-9]" "$work/out" || fail "$tool --version: $(cat "$work/out")"
done
# help that cannot be printed
for program in "$hlrcrun" "$hlrc_info"; do
    for option in --help --man --version; do
        status=0
        "$program" $option >/dev/full 2>"$work/err" || status=$?
        expect_status "$program $option, no room" 1
        expect_line "$program $option, no room" 'standard output: No space left on device; free some room$'
    done
done

finish
