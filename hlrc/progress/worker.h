/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * worker.h - a runtime thread for work that serving a message must not do, because it would wait
 * (progress.h).
 *
 *   - The work begins after each worker_call, in a thread that may wait. It runs once for each
 *     call, or once for several calls.
 *   - worker_call never waits, and may be called while serving and with a spin lock held.
 */
#ifndef HLRC_WORKER_H
#define HLRC_WORKER_H

int worker_start(void);                 /* 0 or a negative errno */
void worker_stop(void);                 /* returns when the current work is done */
void worker_handle(void (*work)(void)); /* before worker_start */
void worker_call(void);

#endif
