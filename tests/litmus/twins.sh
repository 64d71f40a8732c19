# SPDX-License-Identifier: LGPL-2.1-or-later
# With --check races, and with --profile, a page has a twin at its home from its first store on ([races.tracked],
# memory/profile.h, [page.retained-twin], [page.equal-twin]): the litmus programs about homes, bytes, parts and words, which
# have no races.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/runs.sh"
export LITMUS_PROTOCOLS="async ardmar onesided"

HLRC_CHECK=races HLRC_DIFFS=message HLRC_LOCKS=mcs HLRC_MOVE_HOMES=off \
    runs "--check races" rule01_release rule02_home rule04_first_read rule04_home rule06_bytes rule07_home rule08_words
HLRC_PROFILE=$work/profile runs "--profile" rule02_home rule06_bytes rule08_words
finish
