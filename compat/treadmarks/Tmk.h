/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of TreadMarks 1.0 on HLRC, for programs in C and C++ written for it: tmk(7)
 * describes each call. Written anew from TreadMarks' publications: Amza, Cox, Dwarkadas, Keleher,
 * Lu, Rajamony, Yu and Zwaenepoel, TreadMarks: Shared Memory Computing on Networks of Workstations
 * (1996), figure 2, and the declarations that its programs rely on.
 */
#ifndef HLRC_TMK_H
#define HLRC_TMK_H

#include <stddef.h>

#define TMK_NPROCS    1024 /* most processes: HLRC_MAX_NODES */
#define TMK_NLOCKS    1024 /* locks 0 to TMK_NLOCKS - 1 */
#define TMK_NCONDS    4    /* condition variables of each lock */
#define TMK_NBARRIERS 32

#ifdef __GNUC__
#    define HLRC_TMK_(attributes) __attribute__(attributes)
#else
#    define HLRC_TMK_(attributes)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Set by Tmk_startup: this process's number, from 0, number of processes, bytes of a page. */
extern unsigned Tmk_proc_id, Tmk_nprocs, Tmk_page_size;

/* Statistics of this process; 0 for events that HLRC does not count. */
struct Tmk_stat {
    unsigned acquires;
    unsigned acquire_time; /* microseconds */
    unsigned arrivals;
    unsigned broadcasts;
    unsigned signals;
    unsigned waits;
    unsigned bytes;
    unsigned bytes_of_data;
    unsigned cold_misses;
    unsigned messages;
    unsigned messages_for_acquires;
    unsigned rexmits;
    unsigned diffs;
    unsigned twins;
    unsigned repos;
    unsigned total_diff_size; /* bytes */
};
/* Current values of Tmk_stat.messages and so on. */
struct Tmk_stat *Tmk_stat_now(void);
#define Tmk_stat (*Tmk_stat_now())

void Tmk_startup(int argc, char *const *argv);
void Tmk_exit(int status) HLRC_TMK_((noreturn));

void *Tmk_malloc(size_t size);
void Tmk_free(void *ptr);
void *Tmk_sbrk(size_t incr);
void Tmk_distribute(const void *ptr, size_t size);

void Tmk_barrier(unsigned barrier_id);
void Tmk_lock_acquire(unsigned lock_id);
void Tmk_lock_release(unsigned lock_id);
void Tmk_lock_cond_wait(unsigned lock_id, unsigned cond_id);
void Tmk_lock_cond_signal(unsigned lock_id, unsigned cond_id);
void Tmk_lock_cond_broadcast(unsigned lock_id, unsigned cond_id);

/* Loops that one process distributes: called by code of compilers for TreadMarks. */
struct Tmk_sched_arg {
    int sharedLen;
    int byvalueLen;
    void *shared[15];
    union {
        short short_by_value;
        int int_by_value;
        long long_by_value;
        float float_by_value;
        double double_by_value;
    } byvalue[15];
};
typedef struct Tmk_sched_arg *Tmk_sched_arg_t;

int Tmk_sched_start(unsigned proc_id);
void Tmk_sched_fork(void (*func)(Tmk_sched_arg_t arg), Tmk_sched_arg_t arg);
void Tmk_sched_join(void);
void Tmk_sched_exit(void);

/* Messages on standard error; the last two end the job with status 1. */
void Tmk_err(const char *format, ...) HLRC_TMK_((format(printf, 1, 2)));
void Tmk_errexit(const char *format, ...) HLRC_TMK_((noreturn, format(printf, 1, 2)));
void Tmk_perrexit(const char *format, ...) HLRC_TMK_((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#undef HLRC_TMK_

#endif
