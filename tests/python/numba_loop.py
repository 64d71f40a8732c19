# SPDX-License-Identifier: LGPL-2.1-or-later
"""A loop that numba compiles for the threads of each node, over a shared array. Prints its sum."""
import hlrc
import numba


@numba.njit(parallel=True, cache=False)
def fill(a, begin, end):
    for i in numba.prange(begin, end):
        a[i] = 2 * i


a = hlrc.zeros(1000000, "i8")
mine = hlrc.parallel_for(len(a))
fill(a, mine.start, mine.stop)
hlrc.barrier()
if hlrc.node == 0:
    print("sum", a.sum())
