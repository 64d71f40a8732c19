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

/* Values and the layout of structures agree with Debian's libarmci-mpi-dev: objects compiled
 * for that library, such as Debian's Global Arrays, link with this one. */

/* Accumulated values: numbers of this type are multiplied by *scale and added. */
#define ARMCI_ACC_INT 0
#define ARMCI_ACC_LNG 1
#define ARMCI_ACC_FLT 2
#define ARMCI_ACC_DBL 3
#define ARMCI_ACC_CPL 4
#define ARMCI_ACC_DCP 5

#define ARMCI_FETCH_AND_ADD      0
#define ARMCI_FETCH_AND_ADD_LONG 1
#define ARMCI_SWAP               2
#define ARMCI_SWAP_LONG          3

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
    int bytes;
    int ptr_array_len;
} armci_giov_t;

typedef struct {
    float real, imag;
} complex_t;
typedef struct {
    double real, imag;
} dcomplex_t;

/* One non-blocking operation, or several at one process; the fields are private to the library. */
typedef struct {
    unsigned op;
    int proc;
} armci_hdl_t;

void ARMCI_INIT_HANDLE(armci_hdl_t *handle);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle);

/* A group of processes, valid on its members. `comm` is its communicator where the program uses
 * MPI, else NULL; the other field is private to the library. */
typedef struct {
    void *comm;
    int number;
} ARMCI_Group;

/* Processes whose memory the caller can load and store directly. */
typedef int armci_domain_t;
#define ARMCI_DOMAIN_SMP 0

/* All processes, all of the caller's domain, and one of each domain. */
#define SCOPE_ALL     0
#define SCOPE_NODE    1
#define SCOPE_MASTERS 2

/* Types of values in messages. */
#define ARMCI_INT       0
#define ARMCI_LONG      1
#define ARMCI_LONG_LONG 2
#define ARMCI_FLOAT     3
#define ARMCI_DOUBLE    4

/* Memory that process `cpid` allocated by ARMCI_Memget. */
typedef struct {
    void *armci_addr, *addr;
    size_t size;
    int cpid;
} armci_meminfo_t;

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
int ARMCI_Malloc_group(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group);
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);
int ARMCI_Malloc_memdev(void *ptr_arr[], armci_size_t bytes, const char *device);
int ARMCI_Malloc_group_memdev(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group,
                              const char *device);
int ARMCI_Free_memdev(void *ptr);
void ARMCI_Memget(size_t bytes, armci_meminfo_t *info, int flags);
void *ARMCI_Memat(armci_meminfo_t *info, long offset);
void ARMCI_Memdt(armci_meminfo_t *info, long offset);
void ARMCI_Memctl(armci_meminfo_t *info);
void ARMCI_Set_shm_limit(unsigned long bytes);

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

void ARMCI_Group_create(int count, int *procs, ARMCI_Group *group);
void ARMCI_Group_create_child(int count, int *procs, ARMCI_Group *group, ARMCI_Group *parent);
void ARMCI_Group_free(ARMCI_Group *group);
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
void ARMCI_Group_get_default(ARMCI_Group *group);
void ARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_world(ARMCI_Group *group);
int ARMCI_Absolute_id(ARMCI_Group *group, int rank);

double armci_timer(void);
int ARMCI_Same_node(int proc);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int proc);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int rank);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);

/* A section of an array, in the caller's memory, to or from a contiguous buffer. */
void armci_write_strided(void *ptr, int levels, int strides[], int count[], char *buffer);
void armci_read_strided(void *ptr, int levels, int strides[], int count[], char *buffer);

/* Message passing for programs that use no other library for it. */
int armci_msg_me(void);
int armci_msg_nproc(void);
void armci_msg_abort(int code) HLRC_ARMCI_((noreturn));
void armci_msg_snd(int tag, void *buffer, int len, int to);
void armci_msg_rcv(int tag, void *buffer, int size, int *len, int from);
int armci_msg_rcvany(int tag, void *buffer, int size, int *len);
void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right);
void armci_msg_barrier(void);
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_gop_scope(int scope, void *x, int n, const char *op, int type);
void armci_msg_sel_scope(int scope, void *x, int len, const char *op, int type, int contribute);
void armci_msg_group_barrier(ARMCI_Group *group);
void armci_msg_group_bcast_scope(int scope, void *buffer, int len, int root, ARMCI_Group *group);
void armci_msg_group_gop_scope(int scope, void *x, int n, const char *op, int type,
                               ARMCI_Group *group);
void armci_msg_igop(int *x, int n, const char *op);
void armci_msg_lgop(long *x, int n, const char *op);
void armci_msg_llgop(long long *x, int n, const char *op);
void armci_msg_fgop(float *x, int n, const char *op);
void armci_msg_dgop(double *x, int n, const char *op);
void armci_msg_group_igop(int *x, int n, const char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, const char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, const char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, const char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, const char *op, ARMCI_Group *group);

#ifdef __cplusplus
}
#endif

#undef HLRC_ARMCI_

#endif
