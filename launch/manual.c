/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/manual.h"

#include "base/config.h"
#include "launch/aliases.h"

static void manual_title(FILE *out, const char *name, const char *what)
{
    fprintf(out, ".TH %s 1 \"\" \"hlrc %s\" \"HLRC\"\n.SH NAME\n%s \\- %s\n", name, PACKAGE_VERSION,
            name, what);
}

static void manual_own_options(FILE *out)
{
    fputs(".TP\n.B \\-h, \\-\\-help\nPrints the list of options.\n"
          ".TP\n.B \\-V, \\-\\-version\nPrints the version.\n"
          ".TP\n.B \\-\\-man\nPrints this page.\n",
          out);
    aliases_alias_man(out);
}

static void manual_deadlock_detection(FILE *out)
{
    fputs(".SH DEADLOCK DETECTION\n"
          "If every thread of every node waits for another thread, the job can make no\n"
          "progress. HLRC detects this within some seconds and ends the job. It prints one\n"
          "line for each thread: what the thread waits for, since when, and which node or\n"
          "thread delays it. The last line names the cycle:\n"
          ".PP\n"
          ".nf\n"
          "hlrcrun: node 0 thread 0 waits since 2.0 s for lock 2 held by node 1\n"
          "hlrcrun: node 1 thread 0 waits since 2.0 s for barrier 12: node 0 has not arrived; it "
          "waits for lock 2 held by node 1\n"
          "hlrcrun: deadlock: node 0 waits for lock 2 held by node 1, which waits at barrier 12 "
          "for node 0\n"
          ".fi\n"
          ".PP\n"
          "Barriers are numbered from 0. A collective call counts as the barriers that it\n"
          "executes. Only waits in HLRC count. A thread that computes, sleeps, reads, waits\n"
          "for another thread of its process or is stopped may continue, so no deadlock is\n"
          "reported. The same holds for a job with threads that have never used HLRC.\n"
          ".PP\n"
          "SIGQUIT, which a terminal sends for Ctrl\\-\\e, prints the same lines at any time,\n"
          "and the job continues. Nodes ignore SIGQUIT, unless they handle it.\n"
          ".B \\-\\-timeout\n"
          "prints the lines and ends the job. Under another launcher, node 0 does the work of\n"
          "hlrcrun described here, without SIGQUIT.\n",
          out);
}

static void manual_system_calls(FILE *out)
{
    fputs(".SH SYSTEM CALLS\n"
          "A system call with a pointer to shared memory, such as read into an array, fails\n"
          "with EFAULT if a page of the buffer is not accessible at that time. Call\n"
          "hlrc_touch(3) before the system call to avoid this. With\n"
          ".B \\-\\-syscalls touch\n"
          "such system calls work as with private memory. So do calls whose structures point\n"
          "to shared memory, such as readv and sendmsg: a handler of SIGSYS performs them\n"
          "with a private buffer. This applies to the thread that calls hlrc_init(3) and to\n"
          "the threads that descend from it after that call. It does not apply to threads\n"
          "that already existed.\n"
          ".PP\n"
          "If HLRC does not know how a system call uses the memory, the call ends the job\n"
          "with one line. The same happens for vmsplice and io_submit, because the kernel\n"
          "uses the memory after these calls return. HLRC does not check execve, clone,\n"
          "futex, io_uring, and system calls from assembly code of the program. Use private\n"
          "memory with these.\n"
          ".PP\n"
          "HLRC selects the calls with a seccomp(2) filter. Therefore programs that the job\n"
          "starts gain no privileges by set\\-user\\-ID (no_new_privs), unless the job runs\n"
          "as root. hlrcrun sets the flag ADDR_COMPAT_LAYOUT of personality(2) so that the\n"
          "libraries of nodes are loaded at addresses by which the filter distinguishes the\n"
          "calls of a node from the calls of programs that it starts. Under other launchers,\n"
          ".B setarch \\-\\-addr\\-compat\\-layout\n"
          "before the program has the same effect. A job that a node starts has no such\n"
          "filter. The option works on x86\\-64 only, and neither under valgrind nor with\n"
          "ThreadSanitizer. If the filter cannot be used,\n"
          ".B touch\n"
          "ends the job with a line, and\n"
          ".B auto\n"
          "continues without it. Programs compiled by hlrcc(1) use auto by default.\n",
          out);
}

static void manual_debugger(FILE *out)
{
    fputs(".SH DEBUGGER\n"
          "With\n"
          ".B \\-\\-gdb\n"
          "gdb passes page faults to the program without stopping. It has these commands for\n"
          "the node that it debugs:\n"
          ".TP\n"
          ".BI \"hlrc page \" ADDRESS\n"
          "Prints state, home, access and versions of the page that contains an address of\n"
          "shared memory.\n"
          ".TP\n"
          ".B hlrc locks\n"
          "Prints the locks that this node holds, requests or manages, with the owner and the\n"
          "next waiter.\n"
          ".TP\n"
          ".B hlrc waiters\n"
          "Prints the threads of this node that wait in HLRC, for what and since when.\n"
          ".PP\n"
          "The commands read the tables of the runtime with the debugging information of the\n"
          "library. Core dumps contain the tables if the library was built with\n"
          "\\-\\-enable\\-debug.\n"
          ".PP\n"
          "With\n"
          ".B \\-\\-gdb all\n"
          "each node waits, before it executes the program, until a gdb attaches. In tmux, a\n"
          "new window has a pane for each of up to 16 nodes. Elsewhere hlrcrun prints the\n"
          "command for each node. gdb stops again where the program begins: set breakpoints\n"
          "there, then enter continue.\n"
          ".PP\n"
          "To attach to a running node:\n"
          ".B gdb \\-x PREFIX/share/hlrc/hlrc.gdb \\-p PID\n",
          out);
}

static void manual_profile(FILE *out)
{
    fputs(".SH PROFILE\n"
          "With\n"
          ".B \\-\\-profile\n"
          "each node counts for each page what shared memory costs it. When the job\n"
          "finalizes, node 0 prints a table on standard error. The table has an entry for\n"
          "each block of hlrc_malloc(3) and the other allocations, and for each variable of\n"
          "hlrc_share(3). An entry shows the time that threads spent on it, faults, fetches,\n"
          "invalidations, diffs and their bytes, the nodes that write it, the nodes that read\n"
          "it, and the line that allocated it (with \\-g and addr2line; otherwise the\n"
          "function). A page that contains several blocks is counted for one of them. After\n"
          "this come the locks with the longest waiting times and how often they came from\n"
          "another node, and the time that each node waited in barriers. The node that waits\n"
          "least arrives last.\n"
          ".PP\n"
          "False sharing is reported in a separate line for each case, with a remedy and the\n"
          "time that the remedy would save:\n"
          ".PP\n"
          ".nf\n"
          "hlrc: false sharing: 1 page of main, prog.c:30, block of 64 bytes at 0x200000005000: "
          "nodes 0 1\n"
          "write different bytes and do not read each other's; align the data of each node to\n"
          "separate pages: hlrc_aligned_alloc(4096, 4096 for each); would save 0.095217 s\n"
          ".fi\n"
          ".PP\n"
          "(printed in one line). The bytes that a node writes are known exactly: they are\n"
          "the bytes that its diffs have changed since the node first learned of another\n"
          "writer of the page. The bytes that it reads are inferred from the addresses of\n"
          "page faults, some of which are forced for this purpose. They show the first\n"
          "accesses to the page after an acquire or a barrier. A page is reported if no byte\n"
          "of it is changed by two nodes and if it moved between nodes at least four times.\n"
          "In addition, at most one in eight of the accesses sampled at each node may be to\n"
          "bytes that another node writes. A sample counts as such an access, too, if it is\n"
          "from a period between two barriers in which the node read the page and did not\n"
          "write it. A page on a border between the data of nodes is not reported if one of\n"
          "the nodes also fetches a neighbouring page that another node writes. A node that\n"
          "only fetches the page counts as a reader. A program whose nodes read the bytes of\n"
          "other nodes may be reported wrongly if they always do so after their own accesses\n"
          "and in the phase in which the other nodes write these bytes. The time is the cost\n"
          "of those pages at the node with the highest cost: faults, fetches, diffs, and\n"
          "acquires. It excludes the work of handlers for other nodes.\n"
          ".PP\n"
          "With\n"
          ".B \\-\\-profile=FILE\n"
          "the whole profile, with a record for each page, is also written to FILE, as JSON\n"
          "in the format of doc/profile.md. If the name of FILE ends with .html, FILE is a\n"
          "page for a browser instead. It contains maps of the faults, fetches and diffs of\n"
          "pages over time, and of the bytes transferred between nodes. A job that fails\n"
          "writes no profile. A node needs 120 bytes for each page that it uses, 608 more for\n"
          "a page that another node writes, and 0.2 MiB. hlrc_profile(1) prints and draws such\n"
          "JSON again.\n",
          out);
}

static void manual_advice(FILE *out)
{
    fputs(
        ".SH ADVICE\n"
        ".BR \\-\\-advise\n"
        "counts the same, but prints only advice, which also ends the report of\n"
        "\\-\\-profile. The advice begins with an estimate of the time on one node: the time that\n"
        "all threads computed, divided by the processors that one node would use, but at\n"
        "least what the busiest thread computed. These processors are those of the host of\n"
        "node 0, and no more than there are threads. A thread computes while it is in the\n"
        "program, at most its CPU time. So work of HLRC for the program and loops that wait\n"
        "for a variable count as computing. A program that calls hlrc_stats_reset(3) starts\n"
        "these times again. Then come the parts of the threads\\(aq time, and at most three\n"
        "blocks of memory or lines that acquire locks, the most costly first. A block is\n"
        "named by the line that allocated it and the lines of most of its faults. Frames of\n"
        "namespace std and of the runtime libraries are skipped. The advice for it is one of\n"
        "these, with the number of pages, diffs or fetches that would be left, as far as the\n"
        "counts show it:\n"
        ".IP \\(bu 3\n"
        "padding, if nodes write different bytes of a page;\n"
        ".IP \\(bu 3\n"
        "one writer for each page, if alternating nodes overwrite it;\n"
        ".IP \\(bu 3\n"
        "first touch by the reader, if one node writes and others read;\n"
        ".IP \\(bu 3\n"
        "private sums, if nodes update few bytes in turn, or wait for one lock;\n"
        ".IP \\(bu 3\n"
        "larger parts, if nodes read what others write in the same page, or barriers follow\n"
        "each other closely;\n"
        ".IP \\(bu 3\n"
        "one node, if that would take less than 80 % of the time.\n"
        ".PP\n"
        "If sharing cost less than 5 % of the time, one line says so.\n",
        out);
}

static void manual_data_races(FILE *out)
{
    fputs(".SH DATA RACES\n"
          "With\n"
          ".B \\-\\-check races\n"
          "HLRC reports data races on standard error. A race is reported if two nodes wrote\n"
          "the same bytes of shared memory, or if one node read bytes that the other wrote,\n"
          "and no lock, barrier, signal or collective call orders the two accesses:\n"
          ".PP\n"
          ".nf\n"
          "hlrc: race: 4 bytes from byte 24 of page 5, byte 24 of the block of 64 bytes at "
          "0x200000005000,\n"
          "were written by node 0, thread 0 in interval 2 (work, prog.c:30) and by node 1, thread "
          "0 in\n"
          "interval 1 (work, prog.c:30), and no lock and no barrier orders the two\n"
          ".fi\n"
          ".PP\n"
          "(printed in one line). A node's interval ends when the node releases a lock or\n"
          "arrives at a barrier. The thread and the line belong to the first write to the\n"
          "page in that interval. If the page is written in consecutive intervals, they may\n"
          "belong to an earlier interval. They need not belong to the write of the reported\n"
          "bytes. The line number requires debugging information (\\-g) and addr2line;\n"
          "otherwise the function is printed. Each combination of a page and two nodes is\n"
          "reported once. If races occur faster than lines can be found, some races are only\n"
          "counted. At the end of the job a line gives the number of races, and an exit\n"
          "status that would be 0 is 66. Two writes that one run orders by chance may be\n"
          "unordered in the next run. A program without a report may therefore still have\n"
          "races.\n"
          ".PP\n"
          "HLRC compares the changes of pages. It does not detect a write that stores the old\n"
          "value, or races between threads of one node (use \\-fsanitize=thread for these).\n"
          "Reads are detected if the program is instrumented: compile it with\n"
          ".BR \\-fsanitize=thread ,\n"
          "and link it without that option but with\n"
          ".B \\-lhlrc_reads \\-lhlrc\n"
          "(or call hlrc_note_read(3)). Reads in functions that were compiled without this\n"
          "option are not detected, such as reads in memcpy(3) of the C library.\n"
          ".PP\n"
          "C11 atomics, atomics of the compiler, and flags on which other nodes spin do not\n"
          "order accesses of different nodes. They are races, and are reported like other\n"
          "accesses. hlrc_word_fetch(3) and hlrc_word_compare(3) are no races. If several nodes\n"
          "store a result of hlrc_reduce(3) at the same address in shared memory, this is a\n"
          "race.\n"
          ".PP\n"
          "Options that would hide writes are disabled:\n"
          ".B \\-\\-diffs message \\-\\-locks mcs \\-\\-move\\-homes off ,\n"
          "and another value of these options is refused. The home of a page needs half a\n"
          "kilobyte for each interval of a node with bytes of the page. It also keeps a copy\n"
          "of each of its home pages that is written.\n",
          out);
}

static void manual_timeline(FILE *out)
{
    fputs(".SH TIMELINE\n"
          "With\n"
          ".B \\-\\-trace FILE\n"
          "each thread records its events: faults, fetches, locks, barriers, flushes of\n"
          "intervals, diffs, and requests that it serves for other nodes. The handler thread\n"
          "records its events as well. FILE is JSON in the format of Chrome's trace events:\n"
          "open it at ui.perfetto.dev, or in chrome://tracing. Each node is shown as a\n"
          "process. Arrows connect the grant of a lock with the thread that acquires it, a\n"
          "signal with the thread that it wakes, and a diff, or the interval that announced\n"
          "the page, with the fetch that transfers the page. Separate lines show the locks\n"
          "that a node holds.\n"
          ".PP\n"
          "Each thread has a buffer of\n"
          ".B \\-\\-trace\\-size\n"
          "bytes, of which unused memory is not allocated: 8 MiB hold 200,000 events. When\n"
          "the buffer is full, the oldest events are dropped, and a line at the end reports\n"
          "their number. If the job fails, FILE contains the events that its nodes had\n"
          "recorded, and \"complete\":false. It does not contain the operations in progress,\n"
          "since a span is recorded when it ends. Under another launcher than hlrcrun, node 0\n"
          "writes FILE in hlrc_finalize(3), and a job that fails writes no FILE.\n"
          ".PP\n"
          "The nodes of one machine share a clock that is accurate to some ten nanoseconds.\n"
          "The clocks of other machines are converted to the clock of node 0. For this, node\n"
          "0 measures round trips over the fabric at the start and at the end, and\n"
          "interpolates linearly. The error at these two times is less than half the shortest\n"
          "of 200 round trips, which is given under \"otherData\" in the file: some\n"
          "microseconds. Clock adjustments during a long job add to the error. Arrows that\n"
          "would point backwards in time are omitted, and counted under \"otherData\".\n",
          out);
}

static void manual_checkpoints(FILE *out)
{
    fputs(
        ".SH CHECKPOINTS\n"
        "With\n"
        ".B \\-\\-checkpoint\n"
        ".IR TIME [: DIR ]\n"
        "a program that calls hlrc_checkpoint(3) is saved in the first such call after each\n"
        ".IR TIME ,\n"
        "and after a SIGUSR1 to hlrcrun, which the program must not handle itself. A program of\n"
        "hlrcc(1) is saved at these times themselves. In a job of\n"
        "Slurm (SLURM_JOB_ID is set) SIGUSR1 announces the end of the time limit: the job is\n"
        "saved and ends with status 85.\n"
        ".PP\n"
        "DIR must be the same directory on all hosts. It keeps the last two checkpoints, each\n"
        "with the pages that have changed, compressed if libzstd is installed. If one cannot be\n"
        "written, a line gives the reason, hlrc_checkpoint(3) fails, and the one before is kept.\n"
        "\\-\\-progress reports each one. \\-\\-stats counts them, and the pages, bytes and\n"
        "microseconds of each node in them. \\-\\-trace shows when each one is written.\n"
        ".PP\n"
        "The program runs while a checkpoint is written. That of a program of hlrcc(1) is\n"
        "written with a lower priority, unless SIGUSR1 has requested it, or the one before took\n"
        "longer than\n"
        ".IR TIME .\n"
        ".PP\n"
        ".B \\-\\-restart\n"
        ".I DIR\n"
        "continues the job from the last complete checkpoint, with the program, arguments,\n"
        "options, working directory and number of nodes of then. Options on the command line\n"
        "override those. Another number of nodes needs hlrc_checkpoint_any(3); another program\n"
        "or version of HLRC is refused. Under other launchers, set HLRC_RESTART and give\n"
        "program and arguments.\n"
        ".PP\n"
        "With\n"
        ".B \\-\\-restarts\n"
        ".IR N ,\n"
        "hlrcrun itself continues the job when a node was killed by a signal, at most\n"
        ".I N\n"
        "times, and reports it in one line. The job continues from its newest complete\n"
        "checkpoint, or from the one of\n"
        ".BR \\-\\-restart .\n"
        "If it has neither, it ends as usual, and a line says so. It also ends if a node exits\n"
        "with a status other than 0, or if hlrcrun gets SIGINT, SIGTERM or SIGHUP. Output after\n"
        "the checkpoint is printed again. \\-\\-timeout begins again.\n"
        ".PP\n"
        "With\n"
        ".B \\-\\-hosts\n"
        "and \\-\\-restarts, hlrcrun waits for srun or mpirun, and starts the nodes again on the\n"
        "same hosts, which all have the directory. A host is lost if it does not answer for ten\n"
        "seconds, or if no command can be started on it after the job has failed. Its nodes then\n"
        "move to places that are spare: those of \\-\\-hosts or \\-\\-hostfile after the first N\n"
        "of \\-n N. \\-n 4 \\-\\-hosts a:2,b:2,c:2 survives the loss of one host. The line that\n"
        "reports the restart names the host, its nodes and where they are now. If too few places\n"
        "are left, the job ends, and a line names what is lost and the newest checkpoint.\n",
        out);
}

static void manual_partner(FILE *out)
{
    fputs(
        ".PP\n"
        "With\n"
        ".B \\-\\-partner on\n"
        "checkpoints are in memory: each node's own one below /dev/shm, or another directory\n"
        "that is given instead of\n"
        ".BR on ,\n"
        "and a copy in that of another node. After the death of a node the job continues from\n"
        "the last one, as with\n"
        ".B \\-\\-restarts\n"
        "10 unless that is given. A node whose files are lost gets the copies. If a\n"
        "node's own files and their copies are lost, the job ends. A line names the node, and\n"
        "the newest checkpoint in DIR, where one is written after each SIGUSR1. A program of\n"
        "hlrcc has no copy, since it runs as one process. Each node has up to two checkpoints of\n"
        "its own and two copies, which count against the limit of a container. If there is too\n"
        "little room, a line says so, and the checkpoint before is kept. The memory is freed\n"
        "when hlrcrun ends, also if it is killed.\n"
        ".PP\n"
        "With\n"
        ".B \\-\\-hosts\n"
        "all nodes of a host share a directory, and each copy is on another host, if there are\n"
        "several. So the loss of one host leaves all files, and its nodes continue in places that\n"
        "are spare. The memory of a host that could not be reached in the end is freed by the\n"
        "next such job on it, an hour after the next checkpoint would have been due.\n"
        ".PP\n"
        "Programs of hlrcc are saved only where they run as one process, on x86\\-64. The threads\n"
        "stop while the process is copied, and continue while the copy is written; the time\n"
        "that is reported is that of the stop. Saved are:\n"
        "memory, threads, signal handlers, interval timers, directory, umask, limits, and open\n"
        "files with their positions. At the restart a file that can be written is truncated to\n"
        "the size that it had. A file that the program opens and closes for each line is not.\n"
        "Sockets, pipes, locked or deleted files, devices, child processes, timers of\n"
        "timer_create, robust mutexes and mutexes that inherit priorities, System V shared\n"
        "memory, and shared mappings of files that can be written\n"
        "are refused: a line names the reason, and the job continues. Standard input, output\n"
        "and error are the ones of the new hlrcrun, unless standard input is a file. The\n"
        "number of threads stays, whatever\n"
        ".B \\-n\n"
        "is; threads are not bound to processors. Process and thread ids change, and clocks are\n"
        "the ones of the new host. Kernel, CPU features and all libraries must be the same.\n",
        out);
}

static void manual_resize(FILE *out)
{
    fputs(
        ".SH RESIZE\n"
        ".B hlrcrun \\-\\-resize\n"
        ".IR N \" [\" PID ]\n"
        "has a running job of the same user continue with N nodes. PID is the one of its\n"
        "hlrcrun, and may be omitted if the user runs one job on this machine. The command\n"
        "returns when that hlrcrun has accepted the request, or with one line and status 2 when\n"
        "it has refused it, as it does without\n"
        ".BR \\-\\-checkpoint .\n"
        "The job is saved at the next call of hlrc_checkpoint_any(3), and continues from there\n"
        "under the same hlrcrun, with the rest of its\n"
        ".BR \\-\\-timeout .\n"
        "A line reports the number of nodes and the time of the interruption. A program that\n"
        "calls hlrc_checkpoint(3), or has windows, is not resized: a line gives the reason, and\n"
        "it continues. If the job fails with N nodes before it is restored, it continues with as\n"
        "many as before. Output before the first call is printed again, and files of\n"
        "\\-\\-stats, \\-\\-trace and the like describe the last part. A program of hlrcc(1) is\n"
        "resized at once, and prints nothing twice: it keeps its threads, which get the\n"
        "processors of N nodes. To do the same in a program, send hlrcrun SIGUSR2 with the value\n"
        "N: kill \\-q N \\-USR2 PID. Jobs on several hosts, and those of other launchers, are not\n"
        "resized.\n",
        out);
}

void manual_hlrcrun(FILE *out)
{
    manual_title(out, "hlrcrun", "run a program on several nodes that share memory");
    fputs(".SH SYNOPSIS\n.B hlrcrun \\-n\n.I N\n.RI [ options ]\n.RB [ \\-\\- ]\n.I program\n.RI [ "
          "arguments ]\n"
          ".SH DESCRIPTION\n"
          "Starts\n"
          ".I N\n"
          "processes (nodes) of the program on this machine, and ends when all nodes have\n"
          "ended. A program that is started without hlrcrun is a job of one node.\n"
          ".PP\n"
          "The nodes inherit directory, environment, limits and umask. Standard input goes to\n"
          "node 0, and the other nodes read /dev/null. Output is forwarded line by line, and\n"
          "lines of different nodes are never mixed. An incomplete line is forwarded when the\n"
          "node writes the newline or ends.\n"
          ".PP\n"
          "If there are at least as many cores as nodes, each node is bound to its share of\n"
          "the cores that hlrcrun may use. Shares follow NUMA nodes and include all hardware\n"
          "threads of a core: with two nodes on 64 cores, each is bound to 32. hlrcrun uses\n"
          "cores to which other jobs on this machine have bound their nodes only if the other\n"
          "cores do not suffice. See\n"
          ".BR \\-\\-bind\n"
          "and\n"
          ".BR \\-\\-report\\-bindings .\n"
          ".PP\n"
          "A node that is killed, exits with a status other than 0, or ends between\n"
          "hlrc_init(3) and hlrc_finalize(3) ends the job: the other nodes get SIGTERM and,\n"
          "half a second later, SIGKILL. One line names the node and the cause. hlrcrun\n"
          "forwards SIGINT, SIGTERM and SIGHUP to the nodes and ends the job. It forwards\n"
          "SIGUSR1 and SIGUSR2 as well, and the job continues. A program that runs as one\n"
          "process gets all of them, and decides itself whether it ends, and with which status.\n"
          "So does a program of hlrcc(1) on several nodes, at node 0, if it handles, ignores or\n"
          "blocks the signal. The same signal 0.1 to 1 seconds later ends the job nevertheless.\n"
          "A stopped node does not count as dead. If hlrcrun itself is killed, its nodes end.\n"
          ".PP\n"
          "A node that crashes has some time to report the address of the crash. If the\n"
          "system writes a core dump of a node, hlrcrun waits for it, for at most ten\n"
          "minutes. A signal to hlrcrun, such as the signal of Ctrl\\-C, ends the wait. By\n"
          "default core dumps contain no shared memory; see\n"
          ".BR \\-\\-core .\n",
          out);
    manual_deadlock_detection(out);
    manual_system_calls(out);
    manual_timeline(out);
    manual_profile(out);
    manual_advice(out);
    manual_data_races(out);
    manual_debugger(out);
    manual_checkpoints(out);
    manual_partner(out);
    manual_resize(out);
    fputs(".SH OPTIONS\n"
          "Each option is also an environment variable. The command line overrides the\n"
          "environment. hlrcrun, and nodes under other launchers, refuse an unknown variable\n"
          "whose name begins with HLRC_. Nodes under other launchers also refuse options that\n"
          "only hlrcrun implements: \\-\\-label, \\-\\-progress, \\-\\-bind,\n"
          "\\-\\-report\\-bindings, \\-\\-gdb, \\-\\-restarts, \\-\\-partner, \\-\\-wdir,\n"
          "\\-\\-hosts and \\-\\-hostfile. With \\-\\-no\\-aslr they check that all nodes\n"
          "are loaded at equal addresses.\n"
          ".PP\n"
          "With bash\\-completion, Tab completes options, their values and the program.\n",
          out);
    config_man(out);
    manual_own_options(out);
    fputs(".TP\n.B \\-\\-resize=N [PID]\nContinues the running job of the hlrcrun PID with N "
          "nodes.\n",
          out);
    fputs(".SH EXIT STATUS\n"
          "The exit status of the first node that failed, or 128 + N if signal N killed it; 0\n"
          "if no node failed. Other values:\n"
          ".TP\n"
          ".B 2\n"
          "The command line is wrong.\n"
          ".TP\n"
          ".B 66\n"
          "The job has succeeded, and \\-\\-check races has found races.\n"
          ".TP\n"
          ".B 74\n"
          "The job has succeeded, and a file of \\-\\-stats, \\-\\-trace, \\-\\-trace\\-sim or\n"
          "\\-\\-profile was not written.\n"
          ".TP\n"
          ".B 85\n"
          "A batch system announced the end of the job, which was saved: continue it with\n"
          "\\-\\-restart.\n"
          ".TP\n"
          ".B 123\n"
          "Deadlock: all nodes waited for each other.\n"
          ".TP\n"
          ".B 124\n"
          "The time of \\-\\-timeout has expired.\n"
          ".TP\n"
          ".B 126\n"
          "The program cannot be executed.\n"
          ".TP\n"
          ".B 127\n"
          "The program does not exist.\n"
          ".TP\n"
          ".B 128 + N\n"
          "hlrcrun received signal N.\n"
          ".SH ENVIRONMENT\n"
          "In addition to the variables of the options, each node finds its number in\n"
          ".B HLRC_NODE\n"
          "and the number of nodes in\n"
          ".BR HLRC_NODES .\n"
          "hlrc_init(3) removes both variables and\n"
          ".BR HLRC_LAUNCH_FD .\n"
          ".B HLRC_TERMINAL\n"
          "is set if standard error is a terminal and \\-\\-progress does not use it. A node\n"
          "may then show its own progress there, in lines that end with a carriage return\n"
          "instead of a newline.\n"
          ".B HLRC_LINES\n"
          "is set if standard output is a terminal: an unchanged program writes whole lines to\n"
          "it, and otherwise blocks, as without HLRC.\n"
          ".B HLRC_PROCESSORS\n"
          "is the number of processors of each node, for \\-\\-threads\\-per\\-node auto. Under\n"
          "other launchers a node divides the processors of its host by the nodes there, and\n"
          "uses no more than the launcher bound it to; mpirun may bind each node to one core.\n"
          ".SH EXAMPLES\n.nf\n"
          "hlrcrun \\-n 4 ./program\n"
          "hlrcrun \\-n 4 \\-\\-protocol async \\-\\-memory 4G \\-\\-stats ./program input\n"
          "hlrcrun \\-n 4 \\-\\-trace timeline.json ./program\n"
          "hlrcrun \\-n 4 \\-\\-profile ./program\n"
          "hlrcrun \\-n 4 \\-\\-advise ./program\n"
          "hlrcrun \\-n 2 \\-\\-gdb 1 ./program\n"
          ".fi\n.SH SEE ALSO\nhlrc(7), hlrc_info(1)\n",
          out);
}

void manual_hlrc_info(FILE *out)
{
    manual_title(out, "hlrc_info", "show the configuration of HLRC and the limits of this machine");
    fputs(".SH SYNOPSIS\n.B hlrc_info\n.RI [ options ]\n"
          ".SH DESCRIPTION\n"
          "Shows version and build, the fabrics with the reason if a fabric is unavailable,\n"
          "each option with its value and the source of the value, and whether the limits of\n"
          "this machine suffice. With options, shows the configuration of a job with these\n"
          "options.\n"
          ".SH OPTIONS\n"
          "The options of hlrcrun(1), and:\n",
          out);
    manual_own_options(out);
    fputs(".SH EXIT STATUS\n0; 1 if a job with these options cannot run here; 2 if the command "
          "line is wrong.\n"
          ".SH SEE ALSO\nhlrc(7), hlrcrun(1)\n",
          out);
}
