# SPDX-License-Identifier: LGPL-2.1-or-later
"""11-primes: Python, with the package hlrc. The primes of 05-shares: each node fills its part of an array of NumPy.

Run it by "hlrcrun -n 4 python3 11-primes.py", with PYTHONPATH=python in the source tree.
"""
import hlrc
import numpy as np

LIMIT = 200000
prime = hlrc.zeros(LIMIT, dtype=bool)  # the same memory on all nodes
small = [n for n in range(2, int(LIMIT**0.5) + 1) if all(n % i for i in range(2, int(n**0.5) + 1))]

part = hlrc.parallel_for(2, LIMIT)  # a range
mine = np.arange(part.start, part.stop)
prime[part.start : part.stop] = np.all([(mine % n != 0) | (mine == n) for n in small], axis=0)
hlrc.barrier()
if hlrc.node == 0:
    print(prime.sum(), "primes below", LIMIT)
