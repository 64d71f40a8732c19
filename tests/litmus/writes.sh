# SPDX-License-Identifier: LGPL-2.1-or-later
# Diffs by remote writes (--diffs write, onesided/diffs_write.c): the litmus programs, on a fabric as it is, on one
# without reads and atomics, and on the worst one that fabric.h allows.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/runs.sh"
export HLRC_DIFFS=write

runs shm rule01_release rule02_home rule02_many rule03_causality rule04_access rule04_home rule04_parts rule04_copies rule05_merge rule06_bytes rule06_edges \
    rule07_home rule10_free rule11_split threads
export LITMUS_NODES=3
HLRC_FABRIC=shm-noread LITMUS_PROTOCOLS=async runs "no reads" rule02_home rule06_bytes rule06_edges
HLRC_LOCKS=mcs HLRC_BARRIER=tree LITMUS_PROTOCOLS=ardmar runs "locks and barriers by atomics" rule02_home rule10_free threads
export HLRC_FABRIC=shm+chaos
runs chaos rule01_release rule02_home rule02_many rule03_barrier rule05_merge rule06_bytes rule06_edges threads
HLRC_CHAOS_ORDERED=1 LITMUS_PROTOCOLS=ardmar runs "reads in order" rule02_home rule04_home
finish
