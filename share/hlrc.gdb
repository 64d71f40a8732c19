# SPDX-License-Identifier: LGPL-2.1-or-later
# For programs that use HLRC, in which a SIGSEGV is how a page is fetched. hlrcrun --gdb reads this file; by hand:
#     gdb -x .../share/hlrc/hlrc.gdb program        or, at a node that runs,  gdb -x ... -p PID
# While the runtime handles faults, SIGSEGV goes to the program unseen, at full speed. At a fault outside shared memory
# gdb stops, with the frame that faulted selected (unless the program handles SIGSEGV itself: then that goes unseen, too).

# System calls with shared memory (--syscalls) are made by a handler of SIGSYS.
handle SIGSYS nostop noprint pass

python
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
end
