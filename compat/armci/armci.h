/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of ARMCI on HLRC, for programs in C and C++ written for it: armci(7) describes
 * each call. Written anew from published descriptions: Nieplocha, Ju and Apra, One-sided
 * Communication on the Myrinet-based SMP Clusters using the GM Message-Passing Library, and the
 * descriptions of its calls.
 */
#ifndef HLRC_ARMCI_H
#define HLRC_ARMCI_H

#include <stddef.h>

/* Accumulated values: numbers of this type are multiplied by *scale and added. */
#define ARMCI_ACC_INT 1
#define ARMCI_ACC_DBL 2
#define ARMCI_ACC_FLT 3
#define ARMCI_ACC_CPL 4
#define ARMCI_ACC_DCP 5
#define ARMCI_ACC_LNG 6

#define ARMCI_FETCH_AND_ADD      11
#define ARMCI_FETCH_AND_ADD_LONG 12
#define ARMCI_SWAP               13
#define ARMCI_SWAP_LONG          14

#define ARMCI_MAX_STRIDE_LEVEL 8

#ifdef __GNUC__
#    define HLRC_ARMCI_(attributes) __attribute__(attributes)
#else
#    define HLRC_ARMCI_(attributes)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef long armci_size_t;

/* Pieces of one size, with source and destination addresses. */
typedef struct {
    void **src_ptr_array;
    void **dst_ptr_array;
    int ptr_array_len;
    int bytes;
} armci_giov_t;

typedef struct {
    float real, imag;
} complex_t;
typedef struct {
    double real, imag;
} dcomplex_t;

/* One non-blocking operation, or several at one process; the fields are private to the library. */
typedef struct {
    unsigned entry, use, aggregate;
    int proc;
} armci_hdl_t;

#define ARMCI_INIT_HANDLE(handle)            ((void)(*(handle) = armci_hdl_none()))
#define ARMCI_SET_AGGREGATE_HANDLE(handle)   armci_hdl_aggregate((handle), 1)
#define ARMCI_UNSET_AGGREGATE_HANDLE(handle) armci_hdl_aggregate((handle), 0)
armci_hdl_t armci_hdl_none(void);
void armci_hdl_aggregate(armci_hdl_t *handle, int on);

int ARMCI_Init(void);
int ARMCI_Init_args(int *argc, char ***argv);
int ARMCI_Initialized(void);
void ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char *message, int code) HLRC_ARMCI_((noreturn));

int ARMCI_Malloc(void *ptr_arr[], armci_size_t bytes);
int ARMCI_Free(void *ptr);
void *ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void *ptr);

int ARMCI_Put(void *src, void *dst, int bytes, int proc);
int ARMCI_Get(void *src, void *dst, int bytes, int proc);
int ARMCI_Acc(int optype, void *scale, void *src, void *dst, int bytes, int proc);
int ARMCI_PutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
               int proc);
int ARMCI_GetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
               int proc);
int ARMCI_AccS(int optype, void *scale, void *src, int *src_stride, void *dst, int *dst_stride,
               int *count, int levels, int proc);
int ARMCI_PutV(armci_giov_t *darr, int len, int proc);
int ARMCI_GetV(armci_giov_t *darr, int len, int proc);
int ARMCI_AccV(int optype, void *scale, armci_giov_t *darr, int len, int proc);

int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);
int ARMCI_NbAcc(int optype, void *scale, void *src, void *dst, int bytes, int proc,
                armci_hdl_t *handle);
int ARMCI_NbPutS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                 int proc, armci_hdl_t *handle);
int ARMCI_NbGetS(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                 int proc, armci_hdl_t *handle);
int ARMCI_NbAccS(int optype, void *scale, void *src, int *src_stride, void *dst, int *dst_stride,
                 int *count, int levels, int proc, armci_hdl_t *handle);
int ARMCI_NbPutV(armci_giov_t *darr, int len, int proc, armci_hdl_t *handle);
int ARMCI_NbGetV(armci_giov_t *darr, int len, int proc, armci_hdl_t *handle);
int ARMCI_NbAccV(int optype, void *scale, armci_giov_t *darr, int len, int proc,
                 armci_hdl_t *handle);
int ARMCI_Wait(armci_hdl_t *handle);
int ARMCI_Test(armci_hdl_t *handle);
int ARMCI_WaitAll(void);
int ARMCI_WaitProc(int proc);

int ARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc);
int ARMCI_PutS_flag(void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels,
                    int *flag, int value, int proc);
int ARMCI_PutValueInt(int src, void *dst, int proc);
int ARMCI_PutValueLong(long src, void *dst, int proc);
int ARMCI_PutValueFloat(float src, void *dst, int proc);
int ARMCI_PutValueDouble(double src, void *dst, int proc);
int ARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *handle);
int ARMCI_GetValueInt(void *src, int proc);
long ARMCI_GetValueLong(void *src, int proc);
float ARMCI_GetValueFloat(void *src, int proc);
double ARMCI_GetValueDouble(void *src, int proc);

void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_Barrier(void);

/* A notification arrives after all earlier puts of the caller at that process. */
int armci_notify(int proc);
int armci_notify_wait(int proc, int *pval);

int ARMCI_Rmw(int op, void *ploc, void *prem, int extra, int proc);
int ARMCI_Create_mutexes(int num);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

int ARMCI_Same_node(int proc);
int ARMCI_Uses_shm(void);

/* Message passing for programs that use no other library for it. */
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_barrier(void);
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_igop(int *x, int n, const char *op);
void armci_msg_lgop(long *x, int n, const char *op);
void armci_msg_llgop(long long *x, int n, const char *op);
void armci_msg_fgop(float *x, int n, const char *op);
void armci_msg_dgop(double *x, int n, const char *op);

#ifdef __cplusplus
}
#endif

#undef HLRC_ARMCI_

#endif
