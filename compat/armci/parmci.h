/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * parmci.h - second names of ARMCI's calls, for programs that put functions of their own in place
 * of these: a program's ARMCI_Put may call PARMCI_Put. The library's own calls among these have the
 * second names, so that a program's function sees only the program's calls.
 */
#ifndef HLRC_PARMCI_H
#define HLRC_PARMCI_H

#include "armci.h"

/* X(name): after ARMCI_ and PARMCI_ */
/* clang-format off */
#define HLRC_PARMCI_NAMES(X) \
    X(Init) X(Init_args) X(Initialized) X(Finalize) \
    X(Malloc) X(Free) X(Malloc_local) X(Free_local) \
    X(Malloc_memdev) X(Malloc_group_memdev) X(Free_memdev) \
    X(Memget) X(Memat) X(Memdt) X(Memctl) \
    X(Put) X(Get) X(Acc) X(PutS) X(GetS) X(AccS) X(PutV) X(GetV) X(AccV) \
    X(NbPut) X(NbGet) X(NbAcc) X(NbPutS) X(NbGetS) X(NbAccS) X(NbPutV) X(NbGetV) X(NbAccV) \
    X(Wait) X(Test) X(WaitAll) X(WaitProc) X(Put_flag) X(PutS_flag) \
    X(PutValueInt) X(PutValueLong) X(PutValueFloat) X(PutValueDouble) \
    X(NbPutValueInt) X(NbPutValueLong) X(NbPutValueFloat) X(NbPutValueDouble) \
    X(GetValueInt) X(GetValueLong) X(GetValueFloat) X(GetValueDouble) \
    X(Fence) X(AllFence) X(Barrier) X(Rmw) \
    X(Create_mutexes) X(Destroy_mutexes) X(Lock) X(Unlock)
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

#define HLRC_PARMCI_(name) extern __typeof__(ARMCI_##name) PARMCI_##name;
HLRC_PARMCI_NAMES(HLRC_PARMCI_)
#undef HLRC_PARMCI_

int parmci_notify(int proc);
int parmci_notify_wait(int proc, int *pval);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group *group);

#ifdef __cplusplus
}
#endif

#endif
