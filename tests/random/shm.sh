# SPDX-License-Identifier: LGPL-2.1-or-later
# Random programs on shared memory, each with both protocols.
set -u
. "${top_srcdir:-.}/tests/random/lib.sh"
random_programs 300 35 --protocol ardmar,async --fabric shm
