/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* special.h - calls that a table of arguments cannot describe (struct calls_entry). */
#ifndef HLRC_SPECIAL_H
#define HLRC_SPECIAL_H

struct trap;

/* special.c */
long special_bulk(struct trap *t);   /* read, write and those with an offset */
long special_poll(struct trap *t);   /* poll, ppoll */
long special_select(struct trap *t); /* select, pselect6 */
long special_fcntl(struct trap *t);
long special_ioctl(struct trap *t);
long special_prctl(struct trap *t);
long special_semctl(struct trap *t);
long special_shmctl(struct trap *t);
long special_mincore(struct trap *t);
long special_mask(struct trap *t);  /* rt_sigprocmask */
long special_stack(struct trap *t); /* sigaltstack */

/* vectors.c: arguments that contain pointers */
long special_vector(struct trap *t);   /* readv, writev and those with an offset */
long special_message(struct trap *t);  /* sendmsg, recvmsg */
long special_messages(struct trap *t); /* sendmmsg, recvmmsg */
long special_other(struct trap *t);    /* process_vm_readv, process_vm_writev */
long special_lent(struct trap *t);     /* memory that the system keeps: vmsplice, io_submit */

#endif
