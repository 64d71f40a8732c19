# SPDX-License-Identifier: LGPL-2.1-or-later
# For programs that use HLRC, in which a SIGSEGV is how a page is fetched. hlrcrun --gdb reads this file; by hand:
#     gdb -x .../share/hlrc/hlrc.gdb program        or, at a node that runs,  gdb -x ... -p PID
# While the runtime handles faults, SIGSEGV goes to the program unseen, at full speed. At a fault outside shared memory
# gdb stops, with the frame that faulted selected (unless the program handles SIGSEGV itself: then that goes unseen, too).

# System calls with shared memory (--syscalls) are made by a handler of SIGSYS.
handle SIGSYS nostop noprint pass

python
import os
import sys
import time
import gdb

def hlrc_signals(action):
    gdb.execute("handle SIGSEGV " + action, to_string=True)

class HlrcPlace(gdb.Breakpoint):
    """A function of the library that is there for debuggers, whether it was stripped or not; it is passed unseen."""
    def __init__(self, function):
        super().__init__(function, internal=True)
        self.silent = True

class HlrcBegin(HlrcPlace):
    """The runtime is about to handle SIGSEGV."""
    def stop(self):
        hlrc_signals("nostop noprint pass")
        return False

class HlrcEnd(HlrcPlace):
    def stop(self):
        hlrc_signals("stop print pass")
        return False

def hlrc_faulting_frame():
    frame = gdb.newest_frame()
    while frame is not None and frame.type() != gdb.SIGTRAMP_FRAME:
        frame = frame.older()
    return frame.older() if frame is not None else None

class HlrcForeign(HlrcPlace):
    """The runtime has found, within its handler, that a fault is not its own."""
    def stop(self):
        return hlrc_faulting_frame() is not None

hlrc_begin = HlrcBegin("hlrc_debug_faults_begin")
HlrcEnd("hlrc_debug_faults_end")
hlrc_foreign = HlrcForeign("hlrc_debug_fault_foreign")

def hlrc_stopped(event):
    if isinstance(event, gdb.BreakpointEvent) and hlrc_foreign in event.breakpoints:
        hlrc_faulting_frame().select()
        print("\nProgram received signal SIGSEGV, outside shared memory. The frame that faulted is selected:")
        gdb.execute("frame")
    elif isinstance(event, gdb.SignalEvent) and event.stop_signal == "SIGSEGV" and hlrc_begin.pending:
        print("hlrc: this program has the library in it and no symbols, so its page faults cannot be told from others;"
              " link it dynamically, do not strip it, or pass all by: handle SIGSEGV nostop noprint pass")

gdb.events.stop.connect(hlrc_stopped)
if gdb.selected_inferior().pid > 0:
    # attached to a job, which is past hlrc_init
    hlrc_signals("nostop noprint pass")

# ---- what this node is at: hlrc page, hlrc locks, hlrc waiters ----
# They read the runtime's tables, at any moment, and change nothing: what a thread is just changing may be told half. They
# need the debugging information of the library; in a core dump also the tables, which are there if it was built with
# --enable-debug. Numbers are those of enum page_flags (hlrc/memory/page.h), of the enums of async/locks_manager.c and
# onesided/locks_mcs.c, and of a slot's `what` (hlrc/core/waits.h).

HLRC_PAGE = 4096

def hlrc_value(expression):
    return gdb.parse_and_eval(expression)

def hlrc_address(pointer):
    return int(pointer.cast(gdb.lookup_type("unsigned long")))

def hlrc_bytes(address, count):
    return gdb.selected_inferior().read_memory(address, count).tobytes()

def hlrc_word(address):
    return int.from_bytes(hlrc_bytes(address, 8), sys.byteorder)

def hlrc_control(offset):
    return hlrc_address(hlrc_value("engine.control.base")) + int(offset)

def hlrc_runs():
    """A process of this machine, and no core dump."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return connection is not None and connection.type == "native"

def hlrc_since(ns):
    if hlrc_runs():
        return "since %.1f s" % (time.monotonic() - ns / 1e9)
    return "since second %.1f of the machine's clock" % (ns / 1e9)

def hlrc_spaces():
    """(address, first page, pages) of the heap, then of memory that was shared where it is."""
    engine = hlrc_value("engine")
    ranges = [engine["ranges"][i] for i in range(int(engine["range_count"]))]
    heap = int(ranges[0]["first"]) if ranges else int(engine["pages"])
    return [(hlrc_address(engine["app"]), 0, heap)] + \
        [(hlrc_address(r["app"]), int(r["first"]), int(r["pages"])) for r in ranges]

def hlrc_needs(word):
    """(writer, interval) of all that the page needs, as need.h keeps it."""
    low = (1 << 48) - 1
    if word >> 63 == 0:
        return [(word >> 48, word & low)] if word else []
    lines, words = hlrc_value("'need.c'::lines"), int(hlrc_value("'need.c'::words"))
    found, link = [], word & low
    while link and len(found) < 1024:
        line = [int(lines[link * words + i]) for i in range(words)]
        group = line[3] >> 48 if words == 8 else 0
        found += [(group * 8 + i, v & low) for i, v in enumerate(line) if v & low]
        link = line[0] >> 48 | line[1] >> 48 << 16 | line[2] >> 48 << 32 if words == 8 else 0
    return sorted(found)

def hlrc_versions(pairs):
    return ", ".join("node %d interval %d" % pair for pair in pairs)

def hlrc_entries(table, limit):
    """Numbers and values of entries that are not zero, of a table which is address space for the most part."""
    entry, first = table.type.target(), hlrc_address(table)
    step = max(1, (1 << 20) // entry.sizeof)
    for at in range(0, limit, step):
        count = min(step, limit - at)
        if not hlrc_touched(first + at * entry.sizeof, count * entry.sizeof):
            continue
        part = hlrc_bytes(first + at * entry.sizeof, count * entry.sizeof)
        for i in range(count):
            if any(part[i * entry.sizeof:(i + 1) * entry.sizeof]):
                yield at + i, table[at + i]

def hlrc_touched(address, count):
    """Whether any of it is in memory, where that can be seen."""
    if not hlrc_runs():
        return True
    pages = range(address // HLRC_PAGE, (address + count - 1) // HLRC_PAGE + 1)
    with open("/proc/%d/pagemap" % gdb.selected_inferior().pid, "rb") as table:
        table.seek(pages[0] * 8)
        map = table.read(len(pages) * 8)
    return any(map[i + 7] & 0xc0 for i in range(0, len(map), 8))

class HlrcCommand(gdb.Command):
    """What this node of a job that shares memory by HLRC is at."""
    def invoke(self, argument, from_tty):
        try:
            if int(hlrc_value("engine.nodes")) == 0:
                raise gdb.GdbError("hlrc: this process is no node: before hlrc_init, or behind hlrc_finalize")
            self.show(argument)
        except gdb.MemoryError as error:
            raise gdb.GdbError("hlrc: %s; a core dump has the tables if libhlrc was built with --enable-debug" % error)
        except gdb.error as error:
            raise gdb.GdbError("hlrc: %s; libhlrc must have its debugging information" % error)

class HlrcPrefix(gdb.Command):
    """What a node of HLRC is at: hlrc page ADDRESS, hlrc locks, hlrc waiters."""
    def __init__(self):
        super().__init__("hlrc", gdb.COMMAND_DATA, prefix=True)

class HlrcShowPage(HlrcCommand):
    """hlrc page ADDRESS: state, home, access and versions of the page that an address of shared memory is in."""
    def __init__(self):
        super().__init__("hlrc page", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def show(self, argument):
        address = int(gdb.parse_and_eval(argument or "0").cast(gdb.lookup_type("unsigned long")))
        found = [(first, base) for base, first, pages in hlrc_spaces() if base <= address < base + pages * HLRC_PAGE]
        if not found:
            raise gdb.GdbError("hlrc: %#x is not in shared memory; give an address that is" % address)
        page = found[0][0] + (address - found[0][1]) // HLRC_PAGE
        p, node, nodes = hlrc_value("'page.c'::table")[page], int(hlrc_value("engine.node")), int(hlrc_value("engine.nodes"))
        flags, home = int(p["flags"]), int(p["home"]) - 1
        words = [("stale", 2, 2), ("dirty", 4, 4), ("busy", 8, 8), ("being prefetched", 16, 16),
                 ("exclusive", 32, 32), ("kept writable", 64, 64), ("on the dirty list", 128, 128)]
        state = [word for word, mask, value in words if flags & mask == value]
        line = "page %d at %#x: " % (page, found[0][1] + (page - found[0][0]) * HLRC_PAGE)
        if flags & 1:
            line += "home %s, %s, access %s" % (
                "unknown" if home < 0 else "node %d%s" % (home, " (here)" if home == node else ""),
                ", ".join(state) or "complete", ["none", "read", "write"][int(p["access"])])
        else:
            line += "not used by this node"
        if int(p["twin"]):
            line += ", twin"
        if int(p["held"]):
            line += ", its home moves"
        needs = hlrc_needs(int(p["need"]))
        if needs:
            line += "; needs " + hlrc_versions(needs)
        print(line + (self.applied(page, nodes) if home == node else ""))

    def applied(self, page, nodes):
        at = hlrc_control(hlrc_value("engine.at.applied")) + page * nodes * 8
        try:
            applied = [(w, v) for w, v in ((w, hlrc_word(at + w * 8)) for w in range(nodes)) if v]
        except gdb.MemoryError:
            return "; what it has is not in this core dump"
        return "; has " + (hlrc_versions(applied) or "nothing that was written")

class HlrcShowLocks(HlrcCommand):
    """hlrc locks: those that this node has, asks for or is asked for."""
    def __init__(self):
        super().__init__("hlrc locks", gdb.COMMAND_DATA)

    def show(self, argument):
        name = "mcs" if hlrc_value("engine.protocol.locks == &locks_by_mcs") else "manager"
        file = "locks_%s.c" % name
        of = getattr(self, "of_" + name)
        none = True
        for number, lock in hlrc_entries(hlrc_value("'%s'::table" % file), int(hlrc_value("'%s'::limit" % file))):
            said = of(number, lock)
            if said and int(lock["waiters"]):
                said.append("threads of this node that wait: %d" % int(lock["waiters"]))
            if said:
                print("lock %s: %s" % (number if number != 1024 else "of the heap", ", ".join(said)))
                none = False
        if none:
            print("no lock is held, asked for or waited for here")

    def of_manager(self, number, lock):
        mode, flags, nodes = int(lock["mode"]), int(lock["flags"]), int(hlrc_value("engine.nodes"))
        tokens, node = int(hlrc_value("engine.tokens")), int(hlrc_value("engine.node"))
        said = []
        if mode >= 3 or (mode == 0 and flags & 4):
            said.append("held by thread %d" % (mode - 3 if mode >= 3 else int(lock["holder"])))
        if mode != 2 and flags & 2:
            said.append("asked for")
        if int(lock["next"]):
            said.append("next is node %d" % ((int(lock["next"]) - 1) // tokens))
        if said and number % nodes == node and int(lock["last"]) and int(lock["last"]) - 1 != node:
            said.append("last in the queue is node %d" % (int(lock["last"]) - 1))
        return said

    def of_mcs(self, number, lock):
        flags, said = int(lock["flags"]), []
        if flags & 4:
            said.append("held by thread %d" % int(lock["holder"]))
        elif flags & 1:
            said.append("let go of" if flags & 2 else "asked for")
        if flags & 2 and int(hlrc_value("engine.nodes")) > 1:
            at = hlrc_value("engine.at")
            next = hlrc_word(hlrc_control(at["lock_nodes"]) + int(lock["node"]) * int(at["lock_node_size"]))
            if next:
                said.append("next is node %d" % ((next >> 32) - 1))
        return said

class HlrcShowWaiters(HlrcCommand):
    """hlrc waiters: which threads of this node wait in HLRC, for what and since when."""
    def __init__(self):
        super().__init__("hlrc waiters", gdb.COMMAND_DATA)

    def show(self, argument):
        slots, rows, none = hlrc_value("'thread.c'::slots"), hlrc_value("'waits.c'::rows"), True
        node = int(hlrc_value("engine.node"))
        for i in range(int(hlrc_value("'thread.c'::slot_count"))):
            t = slots[i]
            wait = t["probe"]["waits"]
            what = int(wait["what"])
            kind, peer = what & 0xff, (what >> 8) - 1
            if not int(t["probe"]["taken"]) or kind == 0:
                continue
            row, number = rows[kind], int(wait["object"])
            words = "the lock of the shared heap" if (kind, number) == (1, 1024) else row["words"].string() + \
                (" %d" % number if int(row["number"]) else "") + \
                ("%s%d" % (row["node"].string(), peer) if hlrc_address(row["node"]) else "")
            print("node %d thread %d waits %s for %s" % (node, i, hlrc_since(int(wait["since"])), words))
            none = False
        if none:
            print("no thread of node %d waits" % node)

HlrcPrefix()
HlrcShowPage()
HlrcShowLocks()
HlrcShowWaiters()
end
