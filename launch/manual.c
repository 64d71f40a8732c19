/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/manual.h"

#include "base/config.h"
#include "launch/aliases.h"

static void title(FILE *out, const char *name, const char *what)
{
    fprintf(out, ".TH %s 1 \"\" \"hlrc %s\" \"HLRC\"\n.SH NAME\n%s \\- %s\n", name, PACKAGE_VERSION,
            name, what);
}

static void own_options(FILE *out)
{
    fputs(".TP\n.B \\-h, \\-\\-help\nA list of the options.\n"
          ".TP\n.B \\-V, \\-\\-version\nThe version.\n"
          ".TP\n.B \\-\\-man\nThis page.\n",
          out);
    alias_man(out);
}

static void standstill(FILE *out)
{
    fputs(".SH A JOB THAT STANDS STILL\n"
          "A job in which every thread of every node waits for another one can never go on. It is "
          "found some seconds\n"
          "later, and ends. A line for each thread says what it waits for, since when, and who "
          "holds it up; the last one\n"
          "names the circle:\n"
          ".PP\n.nf\n"
          "hlrcrun: node 0 thread 0 waits since 2.0 s for lock 2 held by node 1\n"
          "hlrcrun: node 1 thread 0 waits since 2.0 s for barrier 12: node 0 has not arrived; it "
          "waits for lock 2 held by node 1\n"
          "hlrcrun: deadlock: node 0 waits for lock 2 held by node 1, which waits at barrier 12 "
          "for node 0\n"
          ".fi\n"
          ".PP\n"
          "Barriers are numbered from 0; a collective call counts as those that it makes. Only "
          "waits in HLRC count: a\n"
          "thread that computes, sleeps, reads, waits for another thread of its process or is "
          "stopped may go on, and so\n"
          "the job may; so may one with threads that have never used HLRC.\n"
          ".PP\n"
          "SIGQUIT, which a terminal sends for Ctrl\\-\\e, prints the same lines at any moment, "
          "and the job goes on; nodes\n"
          "ignore it, unless they handle it.\n"
          ".B \\-\\-timeout\nprints them and ends the job. Under another launcher node 0 does "
          "what hlrcrun does here,\n"
          "without SIGQUIT.\n",
          out);
}

static void system_calls(FILE *out)
{
    fputs(
        ".SH SYSTEM CALLS\n"
        "A system call that is given shared memory, such as read into an array, fails with "
        "EFAULT where a page of it is\n"
        "not accessible at that moment; hlrc_touch(3) before the call helps. With\n"
        ".B \\-\\-syscalls touch\nsuch calls do what they do with other memory, and so do those "
        "whose structures point there,\n"
        "as readv and sendmsg do: a handler of SIGSYS makes them with memory of its own. This is "
        "so in the thread that\n"
        "calls hlrc_init(3) and in those that come from it, not in threads that were there "
        "before.\n"
        ".PP\n"
        "A call of which HLRC does not know what it does with the memory ends the job with one "
        "line, as do those that\n"
        "leave it to the system when they are over, vmsplice and io_submit. Not looked at are "
        "execve, clone, futex,\n"
        "io_uring, and calls that the program makes by assembly code of its own: give them "
        "private memory.\n"
        ".PP\n"
        "The system is told by seccomp(2) which calls these are. So what the program starts gains "
        "no privileges by\n"
        "set\\-user\\-ID (no_new_privs), unless the job is root's; and hlrcrun has the libraries "
        "of nodes loaded where the\n"
        "flag ADDR_COMPAT_LAYOUT of personality(2) puts them, by which the system tells calls of "
        "the node from those of\n"
        "programs that it starts. Under other launchers,\n"
        ".B setarch \\-\\-addr\\-compat\\-layout\nbefore the program does. A job that a node "
        "starts has none of this. This is for x86\\-64, "
        "and neither under valgrind nor with ThreadSanitizer.\n"
        "With\n.B touch\nthe job ends with a line where it cannot be; with\n.B auto\nit goes on "
        "without. Programs that hlrcc(1) has compiled have auto unless told otherwise.\n",
        out);
}

static void debugger(FILE *out)
{
    fputs(".SH DEBUGGER\n"
          "With\n.B \\-\\-gdb\ngdb passes page faults to the program unseen, and has these "
          "commands of the node that it looks at:\n"
          ".TP\n.BI \"hlrc page \" ADDRESS\n"
          "State, home, access and versions of the page that an address of shared memory is in.\n"
          ".TP\n.B hlrc locks\n"
          "The locks that this node has, asks for or is asked for: who holds them, and who is "
          "next.\n"
          ".TP\n.B hlrc waiters\n"
          "The threads of this node that wait in HLRC, for what and since when.\n"
          ".PP\n"
          "They read the runtime's tables by the debugging information of the library; core dumps "
          "have the tables if\n"
          "it was built with \\-\\-enable\\-debug. A node that runs already:\n"
          ".B gdb \\-x PREFIX/share/hlrc/hlrc.gdb \\-p PID\n",
          out);
}

static void profile(FILE *out)
{
    fputs(
        ".SH PROFILE\n"
        "With\n.B \\-\\-profile\neach node counts by page what shared memory costs it, and when "
        "the job "
        "finalizes node 0 says on standard\n"
        "error, by block of hlrc_malloc(3) and the other allocations, or variable of "
        "hlrc_share(3): "
        "the time of its threads that went into it, faults,\n"
        "fetches, invalidations, diffs and their bytes, who writes it, who reads it, and which "
        "line "
        "allocated it (with \\-g and\n"
        "addr2line; else the function). A page in which several blocks lie counts for one of them. "
        "Then the locks that were waited for most, with how often they came from another node,\n"
        "and how long each node waited in barriers: who waits least comes last.\n"
        ".PP\n"
        "Pages that are shared falsely have a line of their own, which says what would cure that, "
        "and how much time it would save:\n"
        ".PP\n.nf\n"
        "hlrc: false sharing: 1 page of main, prog.c:30, block of 64 bytes at 0x200000005000: "
        "nodes "
        "0 1\n"
        "write different bytes and do not read each other's; give what each node writes 4096 bytes "
        "of its\n"
        "own: hlrc_aligned_alloc(4096, 4096 for each); would save 0.095217 s\n"
        ".fi\n.PP\n"
        "(in one line). What a node writes is known: the bytes that its diffs have changed since "
        "it "
        "knew of another writer of the page.\n"
        "What it reads is inferred, from the addresses of page faults, some of which are made for "
        "that: the first\n"
        "accesses to the page behind an acquire or a barrier. So a page is named if no byte of it "
        "is "
        "changed by two nodes, if it went to and fro four times at least,\n"
        "and if of the accesses seen at each node no more than one in eight was to bytes of "
        "another "
        "node's, or came in a time between two barriers in which the node read and\n"
        "wrote nothing; nor where nodes fetch the pages beside a border that they share. A node "
        "that "
        "only fetches the page counts as one that reads it. A program whose\n"
        "nodes read others' bytes, but always behind their own and in the phase in which they "
        "write "
        "these, may be named wrongly.\n"
        "The time is what those pages have cost the node that they cost most, in faults, fetches, "
        "diffs, and acquires; what\n"
        "handlers do for other nodes is not in it.\n"
        ".PP\n"
        "With\n.B \\-\\-profile=FILE\nall of it, and each page, is in FILE, too, as JSON in the "
        "format of doc/profile.md.\n"
        "If the name of FILE ends with .html it is a page for a browser instead, with maps of "
        "which pages had faults, fetches and diffs when,\n"
        "and of the bytes that went from node to node. Of a job that fails there is no profile. "
        "A node takes 104 bytes for each page that it\n"
        "uses, 608 more for one that another node writes, and 0.2 MiB.\n",
        out);
}

static void data_races(FILE *out)
{
    fputs(
        ".SH DATA RACES\n"
        "With\n.B \\-\\-check races\na line on standard error tells of two nodes that wrote the "
        "same bytes of shared memory, or of one\n"
        "that read what the other wrote, without a lock, a barrier, a signal or a collective call "
        "that orders the two:\n"
        ".PP\n.nf\n"
        "hlrc: race: 4 bytes from byte 24 of page 5, byte 24 of the block of 64 bytes at "
        "0x200000005000,\n"
        "were written by node 0, thread 0 in interval 2 (work, prog.c:30) and by node 1, thread 0 "
        "in\n"
        "interval 1 (work, prog.c:30), and no lock and no barrier orders the two\n"
        ".fi\n.PP\n"
        "(in one line). A node's interval ends where it lets go of a lock or comes to a barrier; "
        "thread and line are those that wrote the\n"
        "page first, in that interval or, where it is written in one after the other, in an "
        "earlier "
        "one; which need not be those that wrote these bytes. A line needs "
        "debugging information (\\-g) and\n"
        "addr2line; else there is the function. A page and two nodes are told of once; where races "
        "come faster than\n"
        "lines can be found, some are counted only. At the "
        "end of the job a line says how many\n"
        "races there were, and a status that would be 0 is 66. What orders two writes in one run "
        "by chance need not do so in the next:\n"
        "a program without a report may have races all the same.\n"
        ".PP\n"
        "Compared is what pages have changed. So a write of what was there before is not seen, nor "
        "are the threads of one node\n"
        "against each other (for these there is \\-fsanitize=thread). Reads are seen where the "
        "program says so: compile it with\n"
        ".BR \\-fsanitize=thread ,\n"
        "and link it without that but with\n"
        ".B \\-lhlrc_reads \\-lhlrc\n"
        "(or call hlrc_note_read(3)). Not seen are reads in functions that were not compiled so, "
        "as "
        "in memcpy(3) of the C library.\n"
        ".PP\n"
        "C11 atomics, those of the compiler, and flags that\n"
        "are set for others to spin on order nothing between nodes: they are races here, and told "
        "of "
        "like other accesses; hlrc_fetch_op(3) and\n"
        "hlrc_compare_swap(3) are not. A result of hlrc_reduce(3) that several nodes store at one "
        "place in shared memory is a race.\n"
        ".PP\n"
        "What would hide writes is off:\n"
        ".B \\-\\-diffs handler \\-\\-locks queue \\-\\-move\\-homes off ,\n"
        "and another value of these is refused. A page's home takes "
        "half a kilobyte for each interval of a node that has bytes of the page,\n"
        "and keeps a copy of each page of its own that is written.\n",
        out);
}

static void timeline(FILE *out)
{
    fputs(
        ".SH TIMELINE\n"
        "With\n.B \\-\\-trace FILE\neach thread notes what it does: faults, fetches, locks, "
        "barriers, closings of intervals, diffs, and what it\n"
        "serves for other nodes, as does the handler's thread. FILE is JSON in the format of "
        "Chrome's trace events:\n"
        "open it at ui.perfetto.dev, or in chrome://tracing. A node is a process there. Arrows go "
        "from the grant of a lock\n"
        "to the thread that gets it, from a signal to the thread that it wakes, and from a diff, "
        "or the interval that announced the page,\n"
        "to the fetch that brings it. Which locks a node holds is shown on lines of their own.\n"
        ".PP\n"
        "Each thread has\n.B \\-\\-trace\\-size\nof memory, of which what it does not use is "
        "not taken: 200,000 events in 8 MiB. Then the oldest are\n"
        "dropped, and a line at the end says how many. Of a job that fails, FILE has what its "
        "nodes had noted, and\n"
        "\"complete\":false; what a thread was about is not in it, since spans are noted when they "
        "are over. Under another launcher than\n"
        "hlrcrun node 0 writes FILE in hlrc_finalize(3), and of a job that fails there is "
        "none.\n"
        ".PP\n"
        "The nodes of one machine have one clock, exact to some ten nanoseconds. The clocks of "
        "other machines are put on node 0's\n"
        "by round trips over the fabric, at the start and at the end, with a straight line in "
        "between; the true difference\n"
        "was then within half the shortest of 200 round trips of what is in the file, under "
        "\"otherData\": some microseconds.\n"
        "What a clock is steered by in the midst of a long job comes on top. Arrows that would go "
        "back in time are left out, and\n"
        "counted there.\n",
        out);
}

void manual_hlrcrun(FILE *out)
{
    title(out, "hlrcrun", "run a program on several nodes that share memory");
    fputs(".SH SYNOPSIS\n.B hlrcrun \\-n\n.I N\n.RI [ options ]\n.RB [ \\-\\- ]\n.I program\n.RI [ "
          "arguments ]\n"
          ".SH DESCRIPTION\n"
          "Starts\n.I N\nprocesses (nodes) of the program on this machine, and ends when all of "
          "them have.\n"
          "A program that is started without hlrcrun is a job of one node.\n"
          ".PP\n"
          "The nodes inherit directory, environment, limits and umask. Standard input goes to node "
          "0, the others get\n"
          "/dev/null. Output passes line by line: a line of one node is never mixed with that of "
          "another. What a node\n"
          "writes without a newline is seen when the newline comes, or when the node ends.\n"
          ".PP\n"
          "With no more nodes than cores each node is bound to its share of the cores that hlrcrun "
          "may use, along NUMA\n"
          "nodes and with all threads of a core: two nodes on 64 cores to 32 each. Cores to which "
          "other jobs of this\n"
          "machine have bound their nodes are taken last. See\n.BR \\-\\-bind\nand\n"
          ".BR \\-\\-report\\-bindings .\n"
          ".PP\n"
          "A node that is killed, exits with a status other than 0, or ends between hlrc_init(3) "
          "and hlrc_finalize(3)\n"
          "ends the job: the others get SIGTERM and, half a second later, SIGKILL. One line names "
          "the node and the\n"
          "cause. SIGINT, SIGTERM and SIGHUP are passed on and end the job; SIGUSR1 and SIGUSR2 "
          "are passed on.\n"
          "A node that is stopped is not dead. If hlrcrun itself is killed, its nodes end.\n"
          ".PP\n"
          "A node that crashes says where, and has a while for that. A node of which the system "
          "dumps core is waited\n"
          "for, ten minutes at most; a signal to hlrcrun, such as that of Ctrl\\-C, ends the "
          "wait. Core dumps have nothing\n"
          "of shared memory; see\n.BR \\-\\-core .\n",
          out);
    standstill(out);
    system_calls(out);
    timeline(out);
    profile(out);
    data_races(out);
    debugger(out);
    fputs(".SH OPTIONS\n"
          "Each option is an environment variable, too; the command line comes first. A variable "
          "that begins with HLRC_\n"
          "and means nothing is refused, by hlrcrun and by the nodes of other launchers. Those "
          "refuse as well what their\n"
          "launcher would have to do: \\-\\-label, \\-\\-progress, \\-\\-bind, \\-\\-gdb, "
          "\\-\\-wdir and the hosts are for hlrcrun\n"
          "alone. With \\-\\-no\\-aslr they look whether they do lie at equal addresses.\n",
          out);
    config_man(out);
    own_options(out);
    fputs(
        ".SH EXIT STATUS\n"
        "That of the first node that failed, 128 + N for signal N; 0 if none did.\n"
        "66: the job has succeeded, and\n.B \\-\\-check races\nhas found some. "
        "123: all nodes waited for each other. 124:\n.B \\-\\-timeout\nwas over.\n"
        "126: the program may not be run. 127: there is no such program. 2: the command line is "
        "wrong.\n"
        "128 + N: hlrcrun got signal N.\n"
        ".SH ENVIRONMENT\n"
        "Besides the variables of the options, each node finds its number in\n.B HLRC_NODE\nand "
        "their count in\n"
        ".BR HLRC_NODES ,\nuntil hlrc_init(3) takes both away together with\n.BR HLRC_LAUNCH_FD .\n"
        ".B HLRC_TERMINAL\nis set if standard error is a terminal and \\-\\-progress does not use "
        "it: a node may\n"
        "show its own progress there, each time by a line that ends in a carriage return instead "
        "of a newline.\n"
        ".SH EXAMPLES\n.nf\n"
        "hlrcrun \\-n 4 ./program\n"
        "hlrcrun \\-n 4 \\-\\-protocol async \\-\\-memory 4G \\-\\-stats ./program input\n"
        "hlrcrun \\-n 4 \\-\\-trace timeline.json ./program\n"
        "hlrcrun \\-n 4 \\-\\-profile ./program\n"
        "hlrcrun \\-n 2 \\-\\-gdb 1 ./program\n"
        ".fi\n.SH SEE ALSO\nhlrc(7), hlrc_info(1)\n",
        out);
}

void manual_hlrc_info(FILE *out)
{
    title(out, "hlrc_info", "show the configuration of HLRC and the limits of this machine");
    fputs(".SH SYNOPSIS\n.B hlrc_info\n.RI [ options ]\n"
          ".SH DESCRIPTION\n"
          "Shows version and build, the fabrics and why one cannot be used, each option with its "
          "value and where that\n"
          "comes from, and whether the limits of this machine suffice. With options, shows what a "
          "job with these\n"
          "options would get.\n"
          ".SH OPTIONS\nThose of hlrcrun(1), among them:\n",
          out);
    own_options(out);
    fputs(".SH EXIT STATUS\n0; 1 if a job with these options cannot run here; 2 if the command "
          "line is wrong.\n"
          ".SH SEE ALSO\nhlrc(7), hlrcrun(1)\n",
          out);
}
