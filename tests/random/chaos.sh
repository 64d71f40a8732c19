# SPDX-License-Identifier: LGPL-2.1-or-later
# Random programs over the hook fabric, which does all that fabric.h allows; ASYNC also where reads and atomics are
# missing; some where sleeps end early and arming fails.
set -u
. "${top_srcdir:-.}/tests/random/lib.sh"
soak=$((soak / 3))
random_programs 250 25 --protocol ardmar,async --fabric shm+chaos || exit 1
random_programs 30 6 --protocol async --fabric shm-noread+chaos || exit 1
export HLRC_CHAOS_HEAL=1
random_programs 30 6 --protocol ardmar,async --fabric shm+chaos
