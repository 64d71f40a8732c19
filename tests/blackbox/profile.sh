# SPDX-License-Identifier: LGPL-2.1-or-later
# --profile (hlrc/report/profile_shared.h): twenty programs that share pages falsely are told of, with the line that
# allocated them and a remedy; those that only look like it are not. What is counted is what --stats counts. The report's
# estimate is not compared with a time here: doc/profile.md has measurements.
. "$(dirname "$0")/../lib.sh"
sharing=$top_builddir/tests/blackbox/sharing perl=${PERL:-perl}
test -x "$sharing" || skip "$sharing is not built"
export HLRC_PROFILE=- HLRC_NO_ASLR=yes
protocols=(ardmar async onesided)
line() { grep -n "$1" "$top_srcdir/tests/blackbox/sharing.c" | head -1 | cut -d: -f1; }
call() { echo "($1, sharing.c:$(line "$2")|$1\\+0x[0-9a-f]+ in .*sharing)"; }
block="[0-9]+ pages? of $(call allocate 'mem = hlrc_malloc_all'), block of [0-9]+ bytes at 0x[0-9a-f]+"
tail='would save [0-9]+\.[0-9]{6} s$'

# Which of the remedies: what lies how far apart, parts of one block, a border, blocks, variables.
together='align the data of each node to separate pages: hlrc_aligned_alloc'
apart() { echo "data of different nodes is $1 bytes apart: pad elements to 4096 bytes"; }
border='align the data of each node to a multiple of 4096 bytes'
cure=("$together" "$together" "$together" "$together" "$(apart 16)" "$(apart 24)" "$border" "$(apart 1000)" "$together" "$border"
    'allocate each block by hlrc_aligned_alloc' 'align the data of each node to separate pages: _Alignas' "$(apart 8)" "$together" "$together" "$together" "$together" "$together"
    "$together" "$together")
for ((i = 0; i < ${#cure[@]}; i++)); do
    protocol=${protocols[i % 3]} what="planted case $i"
    run_job $((2 + i % 2)) "$protocol" "$sharing" $i
    expect_status "$what" 0
    case $i in
    10) where="1 page of allocate_two[,+].*, and the block of [0-9]+ bytes at 0x[0-9a-f]+" ;;
    11) where='1 page of globals' ;;
    *) where=$block ;;
    esac
    expect_err "$what" "^hlrc: false sharing: $where: nodes 0 1( 2)? write different bytes and do not read each other's; ${cure[i]}.*; $tail"
done

for how in aligned producer locked migrates exchange own_first halo words alone once; do
    for n in 2 3; do
        what="$how on $n nodes"
        run_job $n "${protocols[n % 3]}" "$sharing" $how
        expect_status "$what" 0
        expect_err "$what" '^hlrc: profile: protocol'
        grep 'false sharing' "$work/err" && fail "$what: told of"
    done
done

# JSON: the sums are those of --stats, but for faults of samples. Twelve turns under a lock of three nodes.
what=JSON
HLRC_PROFILE=$work/profile.json HLRC_STATS=$work/stats.json run_job 3 ardmar "$sharing" locked 12
expect_status "$what" 0
stats_read "$what" "$work/stats.json" 3
total() { figure "$1" | awk '{ sum += $1 } END { printf "%.0f", sum }'; }
JSON=$work/profile.json "$perl" -MJSON::PP -e '
    open my $in, "<", $ENV{JSON} or die; local $/; my $p = decode_json(<$in>);
    die "format" unless $p->{format} eq "hlrc-profile" && $p->{version} == 1 && $p->{nodes} == 3;
    my %sum;
    for my $b (@{ $p->{blocks} }) { $sum{$_} += $b->{$_} for qw(read_faults write_faults fetches diffs diff_bytes invalidations) }
    my ($pages, $locks, $barriers) = (0, 0, 0);
    for my $n (@{ $p->{by_node} }) {
        $pages += $_ for @{ $n->{pages_from} };
        for my $l (grep { $_->{lock} == 3 } @{ $n->{locks} }) { $locks += $l->{waits} }
        $barriers = $n->{barriers};
    }
    my (%map, @short);
    for my $row (@{ $p->{map}{rows} }) {
        for my $what (qw(faults fetches diffs)) { $map{$what} += $_ for @{ $row->{$what} } }
        push @short, $row if grep { @{ $row->{$_} } != $p->{map}{columns} } qw(faults fetches diffs);
    }
    die "columns" if @short;
    $sum{faults} = $sum{read_faults} + $sum{write_faults};
    for my $what (keys %map) { print STDERR "$map{$what} $what in the map, $sum{$what} of blocks\n" if $map{$what} != $sum{$what} }
    my $time = $p->{map}{seconds_each} * $p->{map}{columns};
    print STDERR "$time s in the map of $p->{wall_seconds} s\n" if $time < $p->{wall_seconds} - 1e-5;
    print join(" ", $sum{fetches}, $sum{diffs}, $sum{diff_bytes}, $sum{read_faults} + $sum{write_faults}, $pages, $locks, $barriers), "\n";
' >"$work/sums" 2>"$work/map" || fail "$what: not as documented"
test ! -s "$work/map" || fail "$what: $(head -1 "$work/map")"
read -r fetches diffs bytes faults pages locks barriers <"$work/sums"
test "$fetches" = "$(total page_fetches)" || fail "$what: $fetches fetches, --stats has $(total page_fetches)"
test "$pages" = "$fetches" || fail "$what: $pages pages by home, $fetches fetches"
test "$diffs" = "$(total diffs)" || fail "$what: $diffs diffs, --stats has $(total diffs)"
test "$bytes" = "$(total diff_bytes)" || fail "$what: $bytes bytes of diffs, --stats has $(total diff_bytes)"
test "$locks" -ge 3 && test "$locks" -le 36 || fail "$what: $locks waits for a lock that is taken 36 times, on three nodes"
test "$barriers" -ge 12 || fail "$what: $barriers barriers"
all=$(($(total read_faults) + $(total write_faults)))
test "$faults" -le "$all" || fail "$what: $faults faults, --stats has $all"

what="faults of samples"
HLRC_PROFILE=$work/profile.json HLRC_STATS=$work/stats.json run_job 2 ardmar "$sharing" 0
stats_read "$what" "$work/stats.json" 2
faults=$(grep -oE '^\{"kind.*"by_node"' "$work/profile.json" | grep -oE '"(read|write)_faults":[0-9]+' | awk -F: '{ sum += $2 } END { print sum }')
all=$(($(total read_faults) + $(total write_faults)))
test "$((faults + 8))" -le "$all" || fail "$what: $faults faults, --stats has $all"

# What goes past copies (page_part.h) and is operated on (page_word.h): sharing.c says how often in each of 60 turns.
what="parts of pages"
HLRC_PROFILE=$work/profile.json run_job 3 onesided "$sharing" parts
expect_status "$what" 0
grep -q '"kind":"heap".*"parts":240,"part_bytes":3840,"words":240,.*"by_node"' "$work/profile.json" || fail "$what: not counted by block"
test "$(grep -c '"got_bytes_from":\[1440,0,0\],"put_bytes_to":\[480,0,0\]' "$work/profile.json")" = 2 || fail "$what: not counted by node"

# A page for a browser: nothing from elsewhere, three maps over time and one of what went from node to node, as JSON has it.
what="a page"
HLRC_PROFILE=$work/profile.html run_job 3 ardmar "$sharing" locked 12
expect_status "$what" 0
test "$(grep -c '<svg viewBox=' "$work/profile.html")" = 4 || fail "$what: not four drawings"
! grep -nE 'https?:|//[a-z]+\.|@import|<script|<link|src=|url\(|href=' "$work/profile.html" || fail "$what: refers to something outside"
grep -qE '<title>[0-9.]+ [KM]?i?B from node [0-9] to node [0-9]</title>' "$work/profile.html" || fail "$what: no bytes from node to node"
grep -qE "<td class=\"text\">allocate, sharing.c:|<td class=\"text\">allocate\+" "$work/profile.html" || fail "$what: no block"
if command -v xmllint >/dev/null; then
    xmllint --noout "$work/profile.html" 2>"$work/lint" || fail "$what: not well formed: $(head -3 "$work/lint")"
fi

# Without the program that prints: the profile is kept, and a line has the command to run.
what="no hlrc_profile"
mkdir "$work/hlrc_profile"
HLRC_TOOLS=$work HLRC_PROFILE=$work/kept.html run_job 3 ardmar "$sharing" locked 12
expect_status "$what" 0
expect_err "$what" "^hlrc: node 0: --profile: hlrc_profile cannot be run: .*; run: hlrc_profile --html=$work/kept.html $work/kept.html.json\$"
"$top_builddir/hlrc_profile" --html="$work/kept.html" "$work/kept.html.json" >"$work/err" || fail "$what: status $?"
expect_err "$what" '^hlrc: profile: protocol ardmar, 3 nodes,'
test "$(grep -c '<svg viewBox=' "$work/kept.html")" = 4 || fail "$what: not four drawings"
# In a browser: the first command of BROWSER that exists, then xdg-open; PATH has nothing else.
mkdir "$work/pages" "$work/b"
open_page() { # STATUS WORDS...: prints what it says
    local wanted=$1 got=0
    shift
    env -u BROWSER TMPDIR="$work/pages" PATH="$work/b" "$@" >"$work/out" 2>"$work/err" || got=$?
    test "$got" = "$wanted" || fail "$what, $*: status $got: $(cat "$work/err")"
}
what="--open"
tool=$(realpath "$top_builddir")/hlrc_profile
for name in browser xdg-open; do
    printf '#!/bin/sh\necho %s "$#" "$@" >%s/opened\n' $name "$work" >"$work/b/$name"
done
chmod +x "$work/b/"*
open_page 0 BROWSER='none:browser' "$tool" --open "$work/kept.html.json"
page=$(echo "$work/pages/"*.html)
test "$(cat "$work/opened")" = "browser 1 $page" || fail "$what: $(cat "$work/opened")"
test "$(grep -c '<svg viewBox=' "$page")" = 4 || fail "$what: not four drawings in $page"
open_page 0 BROWSER='browser -a' "$tool" --html="$work/two  blanks.html" --open "$work/kept.html.json"
test "$(cat "$work/opened")" = "browser 2 -a $work/two  blanks.html" || fail "$what: $(cat "$work/opened")"
open_page 0 "$tool" --open "$page"
test "$(cat "$work/opened")" = "xdg-open 1 $page" || fail "$what, a page: $(cat "$work/opened")"
rm "$work/b/xdg-open"
open_page 1 "$tool" --open "$page"
grep -q "^hlrc_profile: --open: no browser: BROWSER is not set, .* or open $page in one\$" "$work/err" || fail "$what: $(cat "$work/err")"
printf '#!/bin/sh\nexit 7\n' >"$work/b/bad" && chmod +x "$work/b/bad"
open_page 1 BROWSER=bad "$tool" --open "$page"
grep -q "^hlrc_profile: --open: bad exited with status 7; set BROWSER" "$work/err" || fail "$what: $(cat "$work/err")"
open_page 2 "$tool" --opne "$page"
grep -q '^hlrc_profile: --opne: unknown option$' "$work/err" || fail "$what: $(cat "$work/err")"
echo '{"format":"hlrc-profile","version":1' >"$work/cut.json"
! "$top_builddir/hlrc_profile" "$work/cut.json" >"$work/out" 2>"$work/err" || fail "$what: takes half a file"
expect_err "$what" '^hlrc_profile: .*/cut.json: no comma, and no end;'

what="one node"
run_job 1 ardmar "$sharing" 0
expect_status "$what" 0
expect_err "$what" '^hlrc: profile: protocol ardmar, 1 node,'

what="a file that cannot be written"
HLRC_PROFILE=$work/none/profile.json run_job 2 ardmar "$sharing" 0
expect_status "$what" 2
expect_err "$what" '^hlrcrun: --profile=.*/none/profile.json: No such file or directory; give a file in a directory that can be written$'
finish
