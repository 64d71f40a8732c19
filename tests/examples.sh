# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples say what they should, with one node and several, under all protocols. tests/parts.sh has them with every part of
# a protocol.
set -u
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/examplelib.sh"
examples=$top_builddir/examples

says() { # N PROTOCOL EXAMPLE [ARGUMENT...]
    run_job "$1" "$2" "$examples/$3" "${@:4}"
    expect_status "$3, $1 nodes, $2" 0
    test "$(sort "$work/out")" = "$(example_says "$3" "$1")" || fail "$3, $1 nodes, $2: $(cat "$work/out")"
}

for protocol in ardmar async onesided; do
    for nodes in 1 3; do
        for example in 01-hello 02-counter 04-mailbox 05-shares 06-rod 07-flag; do says $nodes $protocol $example; done
    done
    for nodes in 1 2 5; do
        example_file "$work"
        says $nodes $protocol 08-file "$example_in" "$example_out"
        example_written || fail "08-file, $nodes nodes, $protocol: the file is another one"
    done
    says 2 $protocol 03-homes
    says 5 $protocol 06-rod
done
finish
