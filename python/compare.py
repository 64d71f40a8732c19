# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Jacobi iteration by processes that share an array: by hlrc, or by multiprocessing.shared_memory.

    hlrcrun -n 4 python3 compare.py 1000 50       # hlrc: 4 nodes, on one host or several
    python3 compare.py 1000 50 4                  # multiprocessing: 4 processes of one host

Prints the seconds of the iterations, and a checksum that is the same in both ways.
"""
import sys
import time

import numpy as np


def rows(n, part, parts):
    return range(1 + (n - 2) * part // parts, 1 + (n - 2) * (part + 1) // parts)


def start(a, n, mine):
    """Fills these rows, and the border beside them. No value is a zero that stays one: its store would change nothing."""
    begin, end = 0 if mine.start == 1 else mine.start, n if mine.stop == n - 1 else mine.stop
    a[begin:end] = np.cos(np.arange(begin, end))[:, None] + np.linspace(2, 4, n)


def iterate(a, b, mine, steps, barrier):
    """Every process calls it with its own rows; barrier() waits for all."""
    if not mine:
        mine = range(1, 1)
    begin, end = mine.start, mine.stop
    for _ in range(steps):
        b[begin:end, 1:-1] = 0.25 * (a[begin - 1 : end - 1, 1:-1] + a[begin + 1 : end + 1, 1:-1] + a[begin:end, :-2] + a[begin:end, 2:])
        barrier()
        a, b = b, a
    return a


def by_hlrc(n, steps):
    import hlrc

    a, b = hlrc.zeros((n, n), placement="block"), hlrc.zeros((n, n), placement="block")
    mine = rows(n, hlrc.node, hlrc.nodes)
    start(a, n, mine)
    start(b, n, mine)
    hlrc.barrier()
    began = time.perf_counter()
    last = iterate(a, b, mine, steps, hlrc.barrier)
    took = time.perf_counter() - began
    if hlrc.node == 0:
        print(f"hlrc, {hlrc.nodes} nodes: {took:.3f} s, sum {last.sum():.9e}")


def work(name, n, steps, part, parts, barrier):
    from multiprocessing import shared_memory

    memory = shared_memory.SharedMemory(name)
    both = np.ndarray((2, n, n), buffer=memory.buf)
    barrier.wait()
    iterate(both[0], both[1], rows(n, part, parts), steps, barrier.wait)
    del both
    memory.close()


def by_multiprocessing(n, steps, parts):
    import multiprocessing
    from multiprocessing import shared_memory

    memory = shared_memory.SharedMemory(create=True, size=2 * n * n * 8)
    both = np.ndarray((2, n, n), buffer=memory.buf)
    start(both[0], n, range(1, n - 1))
    start(both[1], n, range(1, n - 1))
    barrier = multiprocessing.Barrier(parts + 1)
    processes = [multiprocessing.Process(target=work, args=(memory.name, n, steps, part, parts, barrier)) for part in range(parts)]
    for process in processes:
        process.start()
    barrier.wait()
    began = time.perf_counter()
    for _ in range(steps):
        barrier.wait()
    took = time.perf_counter() - began
    for process in processes:
        process.join()
    print(f"multiprocessing, {parts} processes: {took:.3f} s, sum {both[steps % 2].sum():.9e}")
    del both
    memory.close()
    memory.unlink()


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    if len(numbers) == 2:
        by_hlrc(*numbers)
    elif len(numbers) == 3:
        by_multiprocessing(*numbers)
    else:
        sys.exit(__doc__)
