# SPDX-License-Identifier: LGPL-2.1-or-later
# Locks by remote atomics (--locks mcs, onesided/locks_mcs.c): the litmus programs that take locks, on a fabric as it is,
# on one without an exchange, where words of windows are looked at, too, and on the worst one that fabric.h allows, with reads in any order and in order.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/runs.sh"
export HLRC_LOCKS=mcs

runs shm lock_turns locks rule01_release rule03_causality rule03_lock rule10_heap rule11_cond rule11_tries rule11_trylock threads wake_threads
export LITMUS_NODES=3
HLRC_FABRIC=shm-noswap runs "no exchange" locks rule03_lock
HLRC_FABRIC=shm-noswap LITMUS_PROTOCOLS=ardmar runs "wide atomics" windows
export HLRC_FABRIC=shm+chaos
runs chaos locks rule03_causality rule03_lock rule11_cond rule11_tries rule11_trylock threads
HLRC_CHAOS_ORDERED=1 LITMUS_PROTOCOLS=ardmar runs "reads in order" locks rule03_lock
HLRC_FABRIC=shm-noswap+chaos LITMUS_PROTOCOLS=ardmar runs "no exchange, chaos" locks rule03_lock
finish
