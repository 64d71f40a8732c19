/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job_signals.c - see job_signals.h. */
#include "hlrc/job_signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/system_sigaction.h"
#include "boot/boot.h"
#include "hlrc/core/engine.h"

static pid_t launcher;

static void job_signals_receive(int sig, siginfo_t *info, void *context)
{
    struct sigaction usual = { .sa_handler = SIG_DFL };

    (void)context;
    if (info->si_code == SI_KERNEL || info->si_pid != launcher)
        return;
    (void)system_sigaction(sig, &usual, NULL);
    (void)raise(sig); /* once this handler has returned */
}

/* What nohup and the like ignore stays ignored. */
static void job_signals_take(int sig)
{
    struct sigaction now, act = { .sa_sigaction = job_signals_receive };

    act.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    if (system_sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
        now.sa_handler == SIG_DFL)
        (void)system_sigaction(sig, &act, NULL);
}

static void job_signals_begin(void)
{
    struct ucred peer;
    socklen_t len = sizeof peer;

    if (boot_nodes(engine.boot) == 1 || boot_launcher(engine.boot) != BOOT_HLRCRUN)
        return;
    if (engine.node == 0) {
        boot_take_signals(engine.boot);
        return;
    }
    if (getsockopt(boot_fd(engine.boot), SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
        return;
    launcher = peer.pid;
    job_signals_take(SIGINT);
    job_signals_take(SIGTERM);
    job_signals_take(SIGHUP);
}

/* As without HLRC: whole blocks, but lines at a terminal. */
static void job_signals_set_buffer(void)
{
    bool terminal = secure_getenv("HLRC_LINES") || isatty(STDOUT_FILENO) == 1;

    setvbuf(stdout, NULL, terminal ? _IOLBF : _IOFBF, 0);
    unsetenv("HLRC_LINES");
}

void hlrc_program_unaware(void)
{
    engine.unaware = true;
    job_signals_set_buffer();
    job_signals_begin();
}
