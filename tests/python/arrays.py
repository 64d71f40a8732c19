# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package hlrc on all nodes of a job. Prints "NODES nodes, bad NUMBER". An argument: a way to fail."""
import resource
import sys
import threading

import hlrc
import numpy as np

bad = 0


def expect(right, what):
    global bad
    if not right:
        bad += 1
        print(f"node {hlrc.node}: {what}", file=sys.stderr)


def arrays():
    for placement in (None, "block", "cyclic"):
        a = hlrc.zeros((300, 40), np.float64, placement=placement)
        expect(a.shape == (300, 40) and not a.any(), "zeros")
        hlrc.barrier()
        for i in hlrc.parallel_for(300):
            a[i] = np.arange(40) + i
        hlrc.barrier()
        expect(a.sum() == 40 * 44850 + 300 * 780, "rows of all nodes")
        hlrc.barrier()
        hlrc.free(a)
    b = hlrc.array(np.arange(10, dtype="u1").reshape(2, 5) if hlrc.node == 0 else None)
    expect(b.dtype == np.uint8 and b.tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], "array")
    scalar = hlrc.zeros(1)
    expect(scalar.shape == (1,) and hlrc.zeros((0, 3)).size == 0, "shapes")
    parts = hlrc.reduce(np.array([len(hlrc.parallel_for(7)), sum(hlrc.parallel_for(3, 20, 2))]))
    expect(parts.tolist() == [7, sum(range(3, 20, 2))], "parts")


def together():
    expect(hlrc.reduce(hlrc.node + 1.5, "max") == hlrc.nodes + 0.5, "reduce")
    expect(hlrc.broadcast({"from": hlrc.node}, hlrc.nodes - 1) == {"from": hlrc.nodes - 1}, "broadcast")
    guard, count, total = hlrc.lock(), hlrc.atomic(5), hlrc.zeros(2, np.int64)
    for _ in range(100):
        with guard:
            total[0] += 1
        count.fetch_add(2)
    hlrc.barrier()
    expect(total[0] == 100 * hlrc.nodes and count.load() == 5 + 200 * hlrc.nodes, "lock and atomic")
    for _ in range(100):
        with hlrc.lock(7):
            total[1] += 1
    hlrc.barrier()
    expect(total[1] == 100 * hlrc.nodes, "a lock by its number")
    try:
        hlrc.lock(-1)
        expect(False, "a lock of number -1")
    except ValueError:
        pass
    hlrc.barrier()
    if hlrc.node == 0:
        expect(not count.compare_exchange(1, 2) and count.compare_exchange(5 + 200 * hlrc.nodes, 2), "compare_exchange")


def calls():
    guard = hlrc.lock()
    if hlrc.node == 0:
        guard.acquire()
    hlrc.barrier()
    expect(not guard.acquire(timeout=0.01), "a lock that is held")
    hlrc.barrier()
    if hlrc.node == 0:
        guard.release()
    expect(guard.acquire(timeout=60), "a lock that gets free")
    guard.release()
    expect(hlrc.pmap(lambda x: (x, hlrc.node), range(7))[5][0] == 5 and hlrc.pmap(str, "") == [], "pmap")


# The interpreter's lock is free while a thread waits for the lock of the job.
def threads():
    guard, total = hlrc.lock(), hlrc.zeros(1, np.int64)

    def adds():
        for _ in range(50):
            with guard:
                total[0] += 1

    workers = [threading.Thread(target=adds) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    hlrc.barrier()
    expect(total[0] == 150 * hlrc.nodes, "threads")
    hlrc.barrier()


def leaks():
    def once():
        a = hlrc.zeros(1 << 18)
        a[hlrc.node :: hlrc.nodes] = 1
        hlrc.free(a)
        hlrc.broadcast(b"x" * 100000)

    for _ in range(10):
        once()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        once()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    expect(grown < 20 << 10, f"{grown} KiB more after 100 rounds of 2 MiB")


def errors():
    for wrong, kind in (
        (lambda: hlrc.zeros(3, object), TypeError),
        (lambda: hlrc.zeros((1 << 40, 1 << 10)), MemoryError),
        (lambda: hlrc.free(np.zeros(3)), ValueError),
        (lambda: hlrc.reduce(np.zeros(3, "f2")), TypeError),
        (lambda: hlrc.broadcast(1, hlrc.nodes), OSError),
    ):
        try:
            wrong()
            expect(False, f"no {kind.__name__}")
        except kind:
            pass


if sys.argv[1:] == ["raise"] and hlrc.node == hlrc.nodes - 1:
    raise RuntimeError("nobody catches it")
for part in (arrays, together, calls, threads, leaks, errors):
    part()
bad = hlrc.reduce(bad)
if hlrc.node == 0:
    print(f"{hlrc.nodes} nodes, bad {bad}")
