# SPDX-License-Identifier: LGPL-2.1-or-later
# For programs that use HLRC, in which a SIGSEGV is how a page is fetched. hlrcrun --gdb reads this file; by hand:
#     gdb -x .../share/hlrc/hlrc.gdb program        or, at a node that runs,  gdb -x ... -p PID
# While the runtime handles faults, SIGSEGV goes to the program unseen, at full speed. At a fault outside shared memory
# gdb stops, with the frame that faulted selected (unless the program handles SIGSEGV itself: then that goes unseen, too).

python
import gdb

def hlrc_signals(action):
    gdb.execute("handle SIGSEGV " + action, to_string=True)

class HlrcInstalled(gdb.FinishBreakpoint):
    """The runtime's handler is in place from here on."""
    def __init__(self):
        super().__init__(gdb.newest_frame(), internal=True)
        self.silent = True
    def stop(self):
        hlrc_signals("nostop noprint pass")
        return False

class HlrcInstall(gdb.Breakpoint):
    def __init__(self):
        super().__init__("fault_install", internal=True)
        self.silent = True
    def stop(self):
        HlrcInstalled()
        return False

class HlrcRemove(gdb.Breakpoint):
    def __init__(self):
        super().__init__("fault_remove", internal=True)
        self.silent = True
    def stop(self):
        hlrc_signals("stop print pass")
        return False

def hlrc_faulting_frame():
    frame = gdb.newest_frame()
    while frame is not None and frame.type() != gdb.SIGTRAMP_FRAME:
        frame = frame.older()
    return frame.older() if frame is not None else None

class HlrcForeign(gdb.Breakpoint):
    """The runtime is about to say that a fault is not its own: it does so within a signal handler."""
    def __init__(self):
        super().__init__("diag_report", internal=True)
        self.silent = True
    def stop(self):
        return hlrc_faulting_frame() is not None

def hlrc_stopped(event):
    if not isinstance(event, gdb.BreakpointEvent) or not any(isinstance(b, HlrcForeign) for b in event.breakpoints):
        return
    hlrc_faulting_frame().select()
    print("\nProgram received signal SIGSEGV, outside shared memory. The frame that faulted is selected:")
    gdb.execute("frame")

HlrcInstall()
HlrcRemove()
HlrcForeign()
gdb.events.stop.connect(hlrc_stopped)
if gdb.selected_inferior().pid > 0:
    # attached to a job, which is past hlrc_init
    hlrc_signals("nostop noprint pass")
end
