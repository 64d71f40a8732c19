/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of JIAJIA 2 on HLRC, for programs in C and C++ written for it: jia(7) describes
 * each call. Written anew from JIAJIA's publications: Hu, Shi and Tang, JIAJIA: A Software DSM
 * System Based on a New Cache Coherence Protocol (1999), its user's manual, and the declarations
 * that its programs rely on.
 */
#ifndef HLRC_JIA_H
#define HLRC_JIA_H

#include <stddef.h>

#define Maxhosts 1024 /* HLRC_MAX_NODES */
#define Maxlocks 1024 /* locks 0 to Maxlocks - 1 */
#define Maxcvs   64   /* condition variables 0 to Maxcvs - 1 */

#define jiapid   jia_pid
#define jiahosts jia_hosts

/* jia_config: the second argument is ON or OFF. */
#ifndef ON
#    define OFF 0
#    define ON  1
#endif
#define HMIG      0 /* home migration */
#define ADWD      1 /* adaptive write detection */
#define BROADCAST 2
#define LOADBAL   3 /* jia_divtask divides by measured load */
#define WVEC      4 /* write vectors */

/* jia_recv: any host, any tag. */
#define MSG_PROC_ALL (-1)
#define MSG_TAG_ALL  (-1)

/* jia_reduce */
#define SUM_INT    0
#define MAX_INT    1
#define MIN_INT    2
#define SUM_FLOAT  10
#define MAX_FLOAT  11
#define MIN_FLOAT  12
#define SUM_DOUBLE 20
#define MAX_DOUBLE 21
#define MIN_DOUBLE 22

#ifdef __GNUC__
#    define HLRC_JIA_(attributes) __attribute__(attributes)
#else
#    define HLRC_JIA_(attributes)
#endif

#ifdef __cplusplus
extern "C" {
#endif

extern int jia_pid, jia_hosts, jia_lock_index;

void jia_init(int argc, char **argv);
void jia_exit(void);
void jia_error(const char *format, ...) HLRC_JIA_((noreturn, format(printf, 1, 2)));
#define jia_errexit jia_error

unsigned long jia_alloc(size_t size);
unsigned long jia_alloc1(size_t size);
unsigned long jia_alloc2(size_t size, size_t block);
unsigned long jia_alloc2p(size_t size, int host);
unsigned long jia_alloc3(size_t size, size_t block, int host);
unsigned long jia_alloc3b(size_t size, const int *blocks, int host);
unsigned long jia_alloc4(size_t size, const int *blocks, int count, int host);

void jia_lock(int lock);
void jia_unlock(int lock);
void jia_barrier(void);
void jia_wait(void);
void jia_setcv(int cv);
void jia_resetcv(int cv);
void jia_waitcv(int cv);

void jia_send(const void *buf, int len, int host, int tag);
int jia_recv(void *buf, int len, int host, int tag);
void jia_bcast(void *buf, int len, int root);
void jia_reduce(const void *from, void *to, int count, int op, int root);

void jia_config(int option, int value);
void jia_divtask(int *begin, int *end);
void jia_loadcheck(void);
unsigned int jia_startstat(void);
unsigned int jia_stopstat(void);
float jia_clock(void);

#ifdef __cplusplus
}
#endif

#undef HLRC_JIA_

/* Compilers for JIAJIA report stores by these; HLRC detects them itself. */
#define jia_wtnt(addr, size)
#define jia_wtntw(addr)
#define jia_wtntd(addr)

/* Argonne (ANL) macros that JIAJIA's programs use. */
#define LOCKDEC(lock)  int lock;
#define LOCKINIT(lock) (lock) = jia_lock_index++ % Maxlocks;
#define LOCK(lock)     jia_lock(lock);
#define UNLOCK(lock)   jia_unlock(lock);

#define ALOCKDEC(locks, count) int locks[count];
#define ALOCKINIT(locks, count)                             \
    {                                                       \
        int hlrc_i_;                                        \
        for (hlrc_i_ = 0; hlrc_i_ < (count); hlrc_i_++)     \
            (locks)[hlrc_i_] = jia_lock_index++ % Maxlocks; \
    }
#define ALOCK(locks, i)  jia_lock((locks)[i]);
#define AULOCK(locks, i) jia_unlock((locks)[i]);

#define BARDEC(barrier) int barrier;
#define BARINIT(barrier)
#define BARRIER(barrier, count) jia_barrier();

#define EXTERN_ENV
#define MAIN_ENV
#define MAIN_INITENV(a, b)
#define MAIN_END
#define WAIT_FOR_END(count) jia_barrier();

#define G_MALLOC(size) jia_alloc1(size);
#define CLOCK(time)    time = jia_clock();

#endif
