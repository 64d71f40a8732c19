# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of NumPy in memory that all nodes of a job share.

    import hlrc
    a = hlrc.zeros((1000, 1000))              # the same memory on all nodes
    for i in hlrc.parallel_for(1000):         # this node's part
        a[i] = i
    hlrc.barrier()
    if hlrc.node == 0:
        print(a.sum())

Run it by "hlrcrun -n 4 python3 prog.py", or by mpirun or srun. Without a launcher it is a job of one node. The job begins with the
import and ends with the program; an uncaught exception ends it on all nodes, with status 1. Every node runs the whole
program. Functions marked collective are called by all nodes, in the same order. Rules of memory are those of hlrc(7): what a
node has written is visible to others after a barrier, or to the next holder of a lock. Two threads of Python in one node are
ordered by Python's own locks; one of them makes the collective calls.

node, nodes: this node's number, from 0, and how many there are.
"""
import atexit
import ctypes
import os
import pickle
import sys

import numpy as np

__all__ = ["node", "nodes", "zeros", "array", "free", "barrier", "lock", "atomic", "reduce", "broadcast", "parallel_for", "pmap", "home"]

_TYPES = {np.dtype(name): number for number, name in enumerate(["int32", "uint32", "int64", "uint64", "float32", "float64"])}
_OPS = {name: number for number, name in enumerate(["sum", "product", "min", "max", "and", "or", "xor", "replace", "none"])}


def _open():
    """The library that the linker finds, or the one beside the hlrcrun of this job: in a build, or in a prefix."""
    tools = os.environ.get("HLRC_TOOLS", "")
    first = None
    for folder in ["", os.path.join(tools, ".libs", ""), os.path.join(tools, "..", "lib", "")] if tools else [""]:
        try:
            return ctypes.CDLL(folder + "libhlrc.so.0")
        except OSError as error:
            first = first or error
    raise ImportError(f"{first}; install HLRC and run ldconfig, or set LD_LIBRARY_PATH to its folder lib")


def _load():
    library = _open()
    size, pointer, number, word = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32
    u64 = ctypes.c_uint64
    for function, result, *arguments in (
        ("init", number, pointer, pointer), ("finalize", None), ("exit", None, number), ("node_id", number),
        ("node_count", number), ("barrier", None), ("malloc_all", pointer, size), ("free_all", None, pointer),
        ("alloc_placed", pointer, size, number, size), ("home", number, pointer),
        ("lock", None, word), ("trylock", number, word), ("lock_for", number, word, ctypes.c_int64), ("unlock", None, word), ("lock_create", number, pointer),
        ("atomic_create", number, pointer, u64), ("atomic_load", u64, word), ("atomic_fetch_add", u64, word, u64),
        ("atomic_exchange", u64, word, u64), ("atomic_compare_exchange", number, word, pointer, u64),
        ("broadcast", number, pointer, size, number), ("reduce", number, pointer, pointer, size, number, number),
    ):
        call = getattr(library, "hlrc_" + function)
        call.restype, call.argtypes = result, arguments
    return library


def _check(error, what):
    if error < 0:
        raise OSError(-error, f"{what}: {os.strerror(-error)}")


def _begin():
    if _library.hlrc_init(None, None) != 0:
        raise ImportError("hlrc_init failed; its line says why")
    hook = sys.excepthook

    def ends_the_job(kind, value, trace):
        hook(kind, value, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        _library.hlrc_exit(1)

    sys.excepthook = ends_the_job
    atexit.register(_library.hlrc_finalize)


_library = _load()
_begin()
node = _library.hlrc_node_id()
nodes = _library.hlrc_node_count()
_addresses = {}  # of arrays: what to free


def zeros(shape, dtype=float, *, placement=None):
    """Collective. A shared array, zero. placement: None (a page is at the node that first writes it), "block" (each node has as many
    consecutive pages), "cyclic" (page by page). MemoryError if there is no memory (--memory)."""
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError("objects of Python cannot be shared; use numbers")
    shape = tuple(int(n) for n in np.atleast_1d(shape))
    size = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if placement is None:
        at = _library.hlrc_malloc_all(max(size, 1))
    else:
        at = _library.hlrc_alloc_placed(max(size, 1), {"block": 0, "cyclic": 1}[placement], 0)
    if not at:
        raise MemoryError(f"no shared memory for {size} bytes; raise --memory")
    made = np.ndarray(shape, dtype, (ctypes.c_char * size).from_address(at))
    _addresses[made.ctypes.data] = at
    return made


def array(values, dtype=None, *, root=0, placement=None):
    """Collective. A shared copy of node root's values, which may be None on the others."""
    like = np.asarray(values, dtype) if node == root else None
    shape, kind = broadcast((like.shape, like.dtype) if node == root else None, root)
    made = zeros(shape, kind, placement=placement)
    if node == root:
        made[...] = like
    barrier()
    return made


def free(shared):
    """Collective. Frees an array of zeros() or array(), of which no view is used any more."""
    at = _addresses.pop(shared.ctypes.data, None)
    if at is None:
        raise ValueError("not an array of hlrc.zeros or hlrc.array, or free already")
    _library.hlrc_free_all(at)


def barrier():
    """Collective. Waits for all nodes; what they wrote before is visible after."""
    _library.hlrc_barrier()


def home(shared):
    """The node that holds the reference copy of an array's first page; negative: none yet."""
    return _library.hlrc_home(shared.ctypes.data)


def broadcast(value, root=0):
    """Collective. Node root's value, of any kind that pickle takes, on all nodes."""
    text = pickle.dumps(value) if node == root else b""
    length = ctypes.c_uint64(len(text))
    _check(_library.hlrc_broadcast(ctypes.addressof(length), 8, root), "broadcast")
    buffer = ctypes.create_string_buffer(text if node == root else length.value, length.value)
    _check(_library.hlrc_broadcast(ctypes.addressof(buffer), length.value, root), "broadcast")
    return pickle.loads(buffer.raw)


def reduce(values, op="sum"):
    """Collective. Each value combined with the other nodes' values: a number, or an array of their shape. op: sum, product, min,
    max; of integers also and, or, xor."""
    given = np.array(values, order="C")
    if given.dtype not in _TYPES:
        raise TypeError(f"values of type {given.dtype}; use one of " + ", ".join(str(kind) for kind in _TYPES))
    result = np.empty_like(given)
    _check(_library.hlrc_reduce(given.ctypes.data, result.ctypes.data, given.size, _TYPES[given.dtype], _OPS[op]), "reduce")
    return result if result.ndim else result[()]


def parallel_for(*limits):
    """This node's part of range(*limits): consecutive numbers."""
    every = range(*limits)
    return every[len(every) * node // nodes : len(every) * (node + 1) // nodes]


def pmap(function, items):
    """Collective. [function(item) for item in items], as by multiprocessing.Pool.map: each node computes its part, all get the
    results, of any kind that pickle takes."""
    items = list(items)
    mine = [function(items[i]) for i in parallel_for(len(items))]
    return [result for at in range(nodes) for result in broadcast(mine if node == at else None, at)]


def _created(create, *arguments):
    handle, error = ctypes.c_uint32(), 0
    if node == 0:
        error = create(ctypes.byref(handle), *arguments)
    handle, error = broadcast((handle.value, error))
    _check(error, create.__name__)
    return handle


class lock:
    """At most one thread of all nodes holds it: "with guard: ...". Memory is ordered by it. Collective to make, except with a number:
    lock(0) is the lock of hlrc_lock(0)."""

    def __init__(self, number=None):
        if number is not None and not 0 <= number < 2**32:
            raise ValueError(f"lock({number}): numbers begin at 0 and have 32 bits")
        self._handle = _created(_library.hlrc_lock_create) if number is None else ctypes.c_uint32(number)

    def acquire(self, blocking=True, timeout=-1):
        """As threading.Lock.acquire: timeout in seconds, -1 for no limit."""
        if not blocking:
            return _library.hlrc_trylock(self._handle) == 0
        if timeout >= 0:
            return _library.hlrc_lock_for(self._handle, int(timeout * 1e9)) == 0
        _library.hlrc_lock(self._handle)
        return True

    def release(self):
        _library.hlrc_unlock(self._handle)

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *unused):
        self.release()


class atomic:
    """Collective to make. A 64-bit number, changed atomically by any node; it does not order other memory."""

    def __init__(self, value=0):
        self._handle = _created(_library.hlrc_atomic_create, value)

    def load(self):
        return _library.hlrc_atomic_load(self._handle)

    def fetch_add(self, value=1):
        return _library.hlrc_atomic_fetch_add(self._handle, value)

    def exchange(self, value):
        return _library.hlrc_atomic_exchange(self._handle, value)

    def compare_exchange(self, expected, desired):
        """True if the word was `expected` and is now `desired`."""
        seen = ctypes.c_uint64(expected)
        return _library.hlrc_atomic_compare_exchange(self._handle, ctypes.byref(seen), desired) == 1
