# SPDX-License-Identifier: LGPL-2.1-or-later
# Write notices that are read from their writers (--notices read, onesided/notices_read.c): the litmus programs, on a
# fabric as it is and on the worst one that fabric.h allows; alone and with the other one-sided parts.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/runs.sh"
export HLRC_NOTICES=read

export LITMUS_NODES=3
runs shm rule03_barrier rule03_causality rule03_lazy rule03_lock rule05_merge rule09_log rule11_cond rule11_split
HLRC_LAZY_RELEASE=0 runs "no lazy release" rule09_log
HLRC_LAZY_RELEASE=0 HLRC_CHECK=races LITMUS_PROTOCOLS=ardmar runs "intervals of reads" rule09_log
HLRC_DIFFS=write HLRC_LOCKS=mcs LITMUS_PROTOCOLS=ardmar runs "barriers by messages" rule03_causality rule03_barrier threads
export HLRC_FABRIC=shm+chaos
runs chaos rule03_barrier rule03_causality rule09_log
HLRC_CHAOS_ORDERED=1 LITMUS_PROTOCOLS=ardmar runs "reads in order" rule03_causality rule09_log
finish
