# SPDX-License-Identifier: LGPL-2.1-or-later
# The protocol without a handler thread (--protocol onesided; [progress.no-handler]): the litmus programs, on a fabric as it
# is, on one without messages, and on the worst one that fabric.h allows.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/runs.sh"
export LITMUS_PROTOCOLS=onesided

runs shm accumulate rule01_release rule01_toggle rule02_home rule02_many rule03_barrier rule03_lock rule03_vt rule04_copies rule04_first_read \
    rule04_home rule04_parts rule04_prefetch rule04_renew rule04_runs rule07_home rule07_move rule08_atomics rule08_words rule10_heap rule10_reuse rule11_cond rule11_reduce rule11_rwlock rule11_group \
    rule11_trylock locks sections threads windows
export LITMUS_NODES=3
HLRC_FABRIC=shm-noimm runs "no messages" rule01_release rule03_causality rule03_lock rule09_log rule10_free rule11_cond rule11_split threads
HLRC_FABRIC=shm+chaos runs chaos rule03_barrier rule03_causality rule04_access rule05_merge rule07_home threads
finish
