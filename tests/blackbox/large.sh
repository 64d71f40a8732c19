# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared memory beyond 4 GiB. The job takes 6 GiB of address space and some hundred megabytes; where the runtime says
# that this machine has not got them (base/config_memory.c), the test is skipped.
. "$(dirname "$0")/../lib.sh"
large=${LARGE:-$top_builddir/tests/blackbox/large}
test -x "$large" || skip "$large is not built"

for protocol in async ardmar; do
    run_job 2 $protocol --memory 6G "$large"
    refused=$(grep -E -- '--memory 6G: (only|needs twice|files are)|bytes of shared memory|bytes is free' "$work/err")
    test -z "$refused" || skip "$refused"
    expect_status "$protocol" 0
done
finish
