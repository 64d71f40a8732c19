# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/evaluate with the least that programs can do: it measures what its plan says, each once; stopped in the middle, and
# with a torn line at the end of its file, it goes on with what is missing; the page is made of the measurements alone, in
# whatever order they stand; it needs no other file, is well formed, and has every figure; a failure is told and tried again.
. "$(dirname "$0")/lib.sh"
perl=${PERL:-perl}
"$perl" -MJSON::PP -MTime::HiRes -e 1 2>/dev/null || skip "no perl with JSON::PP and Time::HiRes, which the script is written in"
command -v gnuplot >/dev/null || skip "no gnuplot, which makes the plots (package gnuplot-nox)"
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "instrumented: of a script; tests/microbench.sh and the applications' tests run its programs"
out=$work/report
file=$out/results.jsonl
few=(--tiny --nodes 2 --sizes tiny --apps is,lu_gets,gups --timeout 60 --build "$top_builddir")

# evaluate ARGUMENT...: its status in $status
evaluate() {
    status=0
    "$top_srcdir/scripts/evaluate" "${few[@]}" --output "$out" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
ids() { "$perl" -MJSON::PP -ne '$m = decode_json($_); print "$m->{turn} $m->{id}\n" if exists $m->{id}' "$file"; }
measured() { tail -n +2 "$file" | grep -c . ; }

# --quick leaves out no kind of experiment, and no application.
kinds() { "$top_srcdir/scripts/evaluate" --plan "$@" 2>"$work/err" | cut -d' ' -f2 |
    sed 's,^\(app/[^/]*\)/.*,\1,; t; s,/.*,,' | sort | uniq -c; }
kinds >"$work/all"
kinds --quick >"$work/quick"
diff <(awk '{ print $2 }' "$work/all") <(awk '{ print $2 }' "$work/quick") >"$work/diff" || fail "--quick has no $(head -3 "$work/diff")"
total() { awk '{ sum += $1 } END { print sum }' "$1"; }
test "$(total "$work/quick")" -lt $(($(total "$work/all") / 2)) || fail "--quick measures $(total "$work/quick") of $(total "$work/all")"

evaluate --plan
sort "$work/out" >"$work/plan"
planned=$(wc -l <"$work/plan")
test "$planned" -gt 20 || fail "a plan of $planned: $(head -3 "$work/err")"

# Stopped by a signal while it measures: one line is whole at least, then it ends.
"$top_srcdir/scripts/evaluate" "${few[@]}" --output "$out" >"$work/out" 2>"$work/err" </dev/null &
pid=$!
for ((i = 0; i < 2400; i++)); do
    test -e "$file" && test "$(wc -l <"$file")" -ge 3 && break
    sleep 0.05
done
kill -TERM $pid
status=0
wait $pid || status=$?
first=$(measured)
if test "$first" -lt "$planned"; then
    expect_status "stopped" 130
    expect_err "stopped" 'the same command goes on'
    test ! -e "$out/index.html" || fail "stopped, and there is a page"
else # this script came too late
    expect_status "not stopped" 0
    head -n 4 "$file" >"$work/short" && cp "$work/short" "$file"
    first=3
fi

# What a machine that lost its power might leave.
cp "$file" "$work/before"
printf '{"id": "floors", "tur' >>"$file"
evaluate
expect_status "resumed" 0
expect_err "resumed" "going on: $first of $planned"
cmp -s -n "$(stat -c %s "$work/before")" "$work/before" "$file" || fail "resumed: what was measured before is not the same"
ids | sort | diff "$work/plan" - >"$work/diff" || fail "measurements are not those of the plan: $(head -5 "$work/diff")"
grep -q . "$work/diff" || test "$(measured)" = "$planned" || fail "$(measured) measurements of $planned"

# The same again, from lines in another order: nothing is measured, and the page is the same.
mkdir "$work/first"
cp "$out"/index.* "$out"/*.csv "$work/first"
{ head -n 1 "$file"; tail -n +2 "$file" | tac; } >"$work/other" && cp "$work/other" "$file"
evaluate
expect_status "again" 0
cmp -s "$work/other" "$file" || fail "nothing was left to measure, and something was"
for name in index.html index.md results.csv; do
    cmp -s "$work/first/$name" "$out/$name" || fail "$name depends on the order in which was measured"
done

# The page.
page=$out/index.html
for figure in table1 fig1 fig2 fig8 fig9 fig10 fig11 fig12 fig13 fig14 atomics4 atomics5 atomics6 atomics7 \
    atomics8 targets barrier5 barrier-dimensions barrier-alike barrier-split beside gets gets-network sided maps; do
    grep -q "<section id=\"$figure\">" "$page" || fail "the page has no $figure"
    case $figure in
    fig10 | fig13 | barrier-dimensions) ;; # need more than two numbers of nodes, or three nodes
    sided) grep -q '<td>LU by gets 64</td>' "$page" && grep -q '<td>RandomAccess by atomics 2^8</td>' "$page" ||
        fail "$figure has no LU, or no RandomAccess" ;;
    *)
        sed -n "/<section id=\"$figure\">/,/<\/section>/p" "$page" >"$work/section"
        grep -q '<svg viewBox=' "$work/section" || fail "$figure has no plot"
        grep -q "Measured on .*[0-9] cores" "$work/section" || fail "$figure does not say where it was measured" ;;
    esac
done
! grep -nE "https?:|//[a-z]+\.|@import|<script|<link|src=|url\([^#]|href=[\"'][^#]" "$page" || fail "the page refers to something outside"
! grep -nE 'xlink|NaN|ARRAY\(0x|HASH\(0x' "$page" "$out/index.md" || fail "the page has what nobody wrote"
"$perl" -ne 'while (/\bid=["\x27]([^"\x27]+)/g) { $n{$1}++ } while (/(?:href=["\x27]|url\()#([^"\x27)]+)/g) { $r{$1} = 1 }
    END { print "twice: $_\n" for grep { $n{$_} > 1 } keys %n; print "nowhere: $_\n" for grep { !$n{$_} } keys %r }' "$page" >"$work/ids"
test ! -s "$work/ids" || fail "names of the page: $(head -3 "$work/ids")"
if command -v xmllint >/dev/null; then
    xmllint --noout "$page" 2>"$work/lint" || fail "not well formed: $(head -3 "$work/lint")"
fi

# Before the figures, each finding of each of them; a value that is farther than 15 % from the paper's does not agree.
"$perl" -0ne '($all) = m{<table class="overview">(.*?)</table>}s; $n = () = $all =~ /<tr><td>/g;
    $m += () = $_ =~ /<tr><td>/g for m{<table class="claims">(.*?)</table>}sg; print "$n and $m findings" if $n != $m || !$n;
    print "before none" if index($_, "All findings") > index($_, "<section") || $all !~ m{<td><a href="#fig10">}' "$page" >"$work/all"
test ! -s "$work/all" || fail "the table of findings: $(cat "$work/all")"
"$perl" -I"$top_srcdir/scripts/evaluation" -MTell -e 'for ([1.9, 1.21], [1.02, 1.1], [1.02, 0.9]) { my ($paper, $here) = @$_;
    print near(holds("", "%s", sub { $_[0] > 1 }, $here), $paper, $here)->{verdict}, " " }' >"$work/near"
test "$(cat "$work/near")" = "direction agrees differs " || fail "beside the paper: $(cat "$work/near")"

# A page of --quick says what that left out, and no other does.
mkdir "$work/brief"
sed '1s/^{/{"quick":1,/' "$file" >"$work/brief/results.jsonl"
out=$work/brief evaluate --render
expect_status "--render of --quick" 0
grep -q 'Left out by --quick.*large sizes' "$work/brief/index.html" || fail "a page of --quick does not say what is left out"
! grep -q 'Left out by' "$page" || fail "a page of all measurements says that something is left out"

# Put and get in the emulated machine: RDMA beside TCP, by the rows that guest/put-get's files become; or why it was left out.
mkdir "$work/bare" "$work/bare/microbench" "$work/files" "$work/guest" "$work/cannot"
cat >"$work/bare/hlrcrun" <<'END'
#!/bin/sh
# stands in for a guest's job: the file that rma would leave, of 8 us by verbs and 20 us by ofi
for word; do
    case $word in verbs | ofi) fabric=$word ;; get | put) what=$word ;; */by-node) devices=yes ;; *.json) file=$word ;; esac
done
[ "$fabric${devices-}" != verbs ] || exit 1
echo "{\"results\": [{\"name\": \"$what\", \"unit\": \"us\", \"by\": \"hlrc\", \"bytes\": 8, \"median\": 99, \"p10\":" \
    "$([ "$fabric" = verbs ] && echo 8 || echo 20)}]}" >"$file"
END
chmod +x "$work/bare/hlrcrun"
"$top_srcdir/scripts/guest/put-get" "$work/bare" "$work/files" --sizes 8 || fail "guest/put-get: status $?"
"$perl" -I"$top_srcdir/scripts/evaluation" -I"$top_srcdir/scripts/lib" -MPlan -MRun -MJSON::PP -e '
    my $m = decode_json($ARGV[1]); my %of = (id => "rma/guest", kind => "guest", turn => 1, map { ($_ => $m->{$_}) } qw(machine kernel cores at load));
    print encode_json({ %of, rows => [Run::guest_rows({ work => $ARGV[0] })] }), "\n"' \
    "$work/files" "$(tail -n 1 "$file")" >"$work/line"
{ cat "$file" "$work/line"; } >"$work/guest/results.jsonl"
out=$work/guest evaluate --render
expect_status "--render with the guest" 0
grep -qF '| A get over Myrinet takes less time than over TCP | 8.00 and 20.0 us for 8 bytes | agrees |' "$work/guest/index.md" ||
    fail "RDMA beside TCP: $(grep 'over Myrinet' "$work/guest/index.md")"
"$perl" -MJSON::PP -ne '$m = decode_json($_); print encode_json({ %$m, rows => [], left_out => "no kernel" }), "\n"' "$work/line" >"$work/other"
{ cat "$file" "$work/other"; } >"$work/cannot/results.jsonl"
out=$work/cannot evaluate --render
expect_status "--render without the guest" 0
grep -q '^The emulated machine was left out: no kernel' "$work/cannot/index.md" || fail "the page does not say why the emulated machine was left out"
grep -qF '| A get over Myrinet takes less time than over TCP | not measured | not measured |' "$work/cannot/index.md" ||
    fail "without RDMA: $(grep 'over Myrinet' "$work/cannot/index.md")"

evaluate --picture fig8
expect_status "--picture" 0
expect_out "--picture" '^<svg xmlns='
evaluate --picture fig99
expect_status "--picture of nothing" 2

# The table: as many rows as the file has, and a number that is in both.
"$perl" -MJSON::PP -e '
    open my $in, "<", $ARGV[0]; my ($rows, $time) = (0);
    while (<$in>) { my $m = decode_json($_); $rows += @{ $m->{rows} // [] };
        $time = $m->{rows}[0]{median} if ($m->{id} // "") eq "app/is/tiny/seq/1" }
    open my $csv, "<", $ARGV[1]; my @lines = <$csv>;
    print "columns: $lines[0]" if $lines[0] ne "experiment,turn,kind,program,nodes,protocol,app,size,options,metric,unit,shape,"
        . "median,mean,p10,p90,count,failed,machine,cpu,cores,architecture,kernel,fabric,load,version,at,seconds\n";
    print scalar(@lines) - 1, " rows, not $rows\n" if @lines != $rows + 1;
    print "no row of $time s\n" if !grep { /^app\/is\/tiny\/seq\/1,1,app,.*,time,s,,$time,/ } @lines;
' "$file" "$out/results.csv" >"$work/csv"
test ! -s "$work/csv" || fail "results.csv: $(head -3 "$work/csv")"

! grep -q 'Simulated:' "$out/index.md" || fail "nothing was simulated, and the page has findings of it"

# What is simulated comes behind it, the same each time, and alone where nothing was measured.
simulated=$out/simulated
evaluate --simulate
expect_status "--simulate" 0
cp -r "$simulated" "$work/tables"
cp "$page" "$work/both"
evaluate --simulate
diff -r "$work/tables" "$simulated" >/dev/null || fail "--simulate: other tables the second time"
cmp -s "$work/both" "$page" || fail "--simulate: another page the second time"
out=$work/alone
evaluate --simulate
expect_status "--simulate alone" 0
for page in "$work/both" "$out/index.html"; do
    for figure in atomics2 atomics3 atomics4 atomics5 atomics6 atomics7 atomics8 barrier5 barrier-more fig8 fig9 fig10 fig11 fig12 \
        fig13 fig14 grow-time grow-protocols grow-busy grow-waits grow-metadata; do
        sed -n "/<section id=\"sim-$figure\">/,/<\/section>/p" "$page" | grep -q '<svg viewBox=' || fail "$page: sim-$figure has no plot"
    done
    grep -q '<section id="sim-atomics-tables">' "$page" || fail "$page has no tables of the simulator"
    sed -n '/<section id="sim-validation">/,/<\/section>/p' "$page" | grep -q '<td>ONESIDED</td>' ||
        fail "$page has nothing of how far predicted counts are"
    ! grep -nE 'xlink|NaN|ARRAY\(0x|HASH\(0x' "$page" || fail "$page has what nobody wrote"
done
grep -q '<section id="fig8">' "$work/both" || fail "--simulate: what was measured is gone"
! grep -q '<section id="fig8">' "$out/index.html" || fail "nothing was measured, and there is a figure of it"
test ! -e "$out/results.csv" || fail "nothing was measured, and there is a table of it"
# What is torn, or depends on what has changed, is done again, and nothing else.
lines=$(wc -l <"$out/simulated/replays.jsonl")
rm "$out/simulated/traces/page-2"
printf '{"name": "torn' >>"$out/simulated/replays.jsonl"
evaluate --simulate
expect_status "--simulate, a trace is missing" 0
again=$(($(wc -l <"$out/simulated/replays.jsonl") - lines))
test "$again" -ge 2 && test "$again" -le 4 || fail "a trace was missing: $again lines are new"
evaluate --picture sim-atomics2
expect_out "--picture of what is simulated" '^<svg xmlns='
out=$work/report

# Another plan does not mix with it; one that fails is told, stands on the page, and is tried again.
evaluate --nodes 3
expect_status "another plan" 2
expect_err "another plan" 'is of another plan'
mkdir "$work/bin" "$work/bin/apps" "$work/bin/microbench"
ln -s "$(cd "$top_builddir" && pwd)/hlrcrun" "$work/bin/hlrcrun"
few=(--tiny --nodes 2 --sizes tiny --apps is --parts apps --protocols async --build "$work/bin")
out=$work/broken file=$work/broken/results.jsonl
evaluate
expect_status "without programs" 1
expect_err "without programs" '^app/is/tiny/async/2, turn 1: status'
grep -q '<h2>Failed</h2>' "$out/index.html" || fail "a failure is not on the page"
rmdir "$work/bin/apps"
ln -s "$(cd "$top_builddir" && pwd)/apps" "$work/bin/apps"
evaluate
expect_status "with them" 0
! grep -q '<h2>Failed</h2>' "$out/index.html" || fail "what failed before is on the page still"

# Lines that are no measurements end it with one line, before anything is drawn or measured.
for line in '{"id":[],"turn":1}' '{"id":"a","turn":"b","rows":5}' '{"turn":1}' \
    "$(tail -n 1 "$file" | sed 's/"shape": *{[^}]*}/"shape":3/')" "$(tail -n 1 "$file" | sed 's/"median": *[0-9.e-]*/"median":"x"/')"; do
    { cat "$file"; echo "$line"; } >"$work/lines" && mkdir -p "$work/malformed" && mv "$work/lines" "$work/malformed/results.jsonl"
    status=0
    "$top_srcdir/scripts/evaluate" --render --output "$work/malformed" >"$work/out" 2>"$work/err" || status=$?
    expect_status "$line" 1
    test "$(cat "$work/err")" = "scripts/evaluate: $work/malformed/results.jsonl: line $(wc -l <"$work/malformed/results.jsonl") is no measurement; remove that line, or measure again with --fresh" ||
        fail "$line: $(head -3 "$work/err")"
done

for wrong in '--apps nothing' '--nodes 0' '--sizes small,,' '--parts x' '--repeat 0' 'word' '--nothing'; do
    # shellcheck disable=SC2086
    evaluate $wrong
    expect_status "$wrong" 2
    test "$(wc -l <"$work/err")" = 1 || fail "$wrong: not one line: $(head -3 "$work/err")"
done
"$top_srcdir/scripts/evaluate" --help | grep -q -- '--quick' || fail "--help"
finish
