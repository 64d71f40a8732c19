/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* vectors.c - system calls whose arguments point to structures with pointers; see special.h. The
 * structures may be private and point to shared memory, or the reverse. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "hlrc/core/engine.h"
#include "hlrc/system/special.h"
#include "hlrc/system/trap.h"

#if defined(__x86_64__)

#    define MESSAGES_MOST 1024

/* ---- pieces ---- */

/* Pieces of memory as the program passes them, and as the system gets them. */
struct vectors_pieces {
    struct iovec *theirs, *own;
    size_t count;
};

/* False: pass them unchanged to the system, which refuses them. */
static bool vectors_pieces_look(struct trap *t, struct vectors_pieces *p, uint64_t from,
                                uint64_t count)
{
    if (count > IOV_MAX)
        return false;
    p->count = (size_t)count;
    p->theirs = bounce_take(&t->own, p->count * sizeof *p->theirs);
    p->own = bounce_take(&t->own, p->count * sizeof *p->own);
    if (!p->theirs || !p->own || !trap_look(p->theirs, from, p->count * sizeof *p->theirs))
        return false;
    memcpy(p->own, p->theirs, p->count * sizeof *p->own);
    return true;
}

/* False: no memory, or the size is too large. */
static bool vectors_pieces_own(struct trap *t, struct vectors_pieces *p, bool copied)
{
    for (size_t i = 0; i < p->count; i++) {
        struct iovec *v = &p->own[i];
        if (!engine_in_space(v->iov_base))
            continue;
        v->iov_base = bounce_take(&t->own, v->iov_len);
        if (!v->iov_base)
            return false;
        if (copied && v->iov_len)
            memcpy(v->iov_base, p->theirs[i].iov_base, v->iov_len);
    }
    return true;
}

/* [syscalls.copies]: copies the first `bytes` of all pieces to the program. */
static void vectors_pieces_give(const struct vectors_pieces *p, size_t bytes)
{
    for (size_t i = 0; i < p->count && bytes; i++) {
        size_t part = p->own[i].iov_len < bytes ? p->own[i].iov_len : bytes;
        if (p->own[i].iov_base != p->theirs[i].iov_base && part)
            memcpy(p->theirs[i].iov_base, p->own[i].iov_base, part);
        bytes -= part;
    }
}

static long vectors_vector(struct trap *t, bool writes)
{
    struct vectors_pieces p;
    if (!vectors_pieces_look(t, &p, t->args[1], t->args[2]))
        return trap_make(t);
    if (!vectors_pieces_own(t, &p, writes))
        return -ENOMEM;
    t->pass[1] = (uintptr_t)p.own;
    long result = trap_make(t);
    if (!writes && result > 0)
        vectors_pieces_give(&p, (size_t)result);
    return result;
}

long special_vector(struct trap *t)
{
    return vectors_vector(t, t->number == SYS_writev || t->number == SYS_pwritev ||
                                 t->number == SYS_pwritev2);
}

/* The other process's pieces are addresses in that process. */
long special_other(struct trap *t)
{
    if (t->args[4] <= IOV_MAX)
        (void)trap_own(t, 3, t->args[4] * sizeof(struct iovec), true);
    return vectors_vector(t, t->number == SYS_process_vm_writev);
}

/* ---- messages ---- */

struct vectors_message {
    struct msghdr theirs, own;
    struct vectors_pieces p;
};

/* Replaces `*at`, if it is shared, by memory of the handler; false: no memory. */
static bool vectors_part_own(struct trap *t, void **at, size_t bytes, bool copied)
{
    const void *theirs = *at;
    if (!theirs || !engine_in_space(theirs))
        return true;
    *at = bounce_take(&t->own, bytes);
    if (*at && copied && bytes)
        memcpy(*at, theirs, bytes);
    return *at != NULL;
}

static void vectors_part_give(void *theirs, const void *own, size_t room, size_t bytes)
{
    if (theirs != own && bytes && room)
        memcpy(theirs, own, bytes < room ? bytes : room);
}

/* 0; 1: pass it unchanged to the system, which refuses it; or a negative errno. */
static int vectors_message_own(struct trap *t, struct vectors_message *m, uint64_t from, bool sends)
{
    if (!trap_look(&m->theirs, from, sizeof m->theirs) ||
        !vectors_pieces_look(t, &m->p, (uintptr_t)m->theirs.msg_iov, m->theirs.msg_iovlen))
        return 1;
    m->own = m->theirs;
    m->own.msg_iov = m->p.own;
    bool room = vectors_pieces_own(t, &m->p, sends) &&
                vectors_part_own(t, &m->own.msg_name, m->own.msg_namelen, sends) &&
                vectors_part_own(t, &m->own.msg_control, m->own.msg_controllen, sends);
    return room ? 0 : -ENOMEM;
}

/* Copies the system's output to the header, which may be shared, and to the memory it points
 * to. */
static void vectors_message_give(struct vectors_message *m, uint64_t to, size_t bytes)
{
    struct msghdr *header = (struct msghdr *)(uintptr_t)to;
    vectors_pieces_give(&m->p, bytes);
    vectors_part_give(m->theirs.msg_name, m->own.msg_name, m->theirs.msg_namelen,
                      m->own.msg_namelen);
    vectors_part_give(m->theirs.msg_control, m->own.msg_control, m->theirs.msg_controllen,
                      m->own.msg_controllen);
    if (m->theirs.msg_name)
        header->msg_namelen = m->own.msg_namelen;
    header->msg_controllen = m->own.msg_controllen;
    header->msg_flags = m->own.msg_flags;
}

long special_message(struct trap *t)
{
    bool sends = t->number == SYS_sendmsg;
    struct vectors_message m;
    int rc = vectors_message_own(t, &m, t->args[1], sends);
    if (rc)
        return rc > 0 ? trap_make(t) : rc;
    t->pass[1] = (uintptr_t)&m.own;
    long result = trap_make(t);
    if (!sends && !trap_failed(result))
        vectors_message_give(&m, t->args[1], (size_t)result);
    return result;
}

/* Timeout of recvmmsg, which the system changes. */
static void vectors_time_own(struct trap *t)
{
    if (t->number == SYS_recvmmsg)
        (void)trap_own(t, 4, 16, true);
}

static void vectors_messages_give(struct trap *t, struct vectors_message *m,
                                  const struct mmsghdr *own, long count)
{
    struct mmsghdr *theirs = (struct mmsghdr *)(uintptr_t)t->args[1];
    for (long i = 0; i < count; i++) {
        theirs[i].msg_len = own[i].msg_len;
        m[i].own = own[i].msg_hdr;
        if (t->number == SYS_recvmmsg)
            vectors_message_give(&m[i], (uintptr_t)&theirs[i].msg_hdr, own[i].msg_len);
    }
}

long special_messages(struct trap *t)
{
    bool sends = t->number == SYS_sendmmsg;
    size_t count = (uint32_t)t->args[2] < MESSAGES_MOST ? (uint32_t)t->args[2] : MESSAGES_MOST;
    struct vectors_message *m = bounce_take(&t->own, count * sizeof *m);
    struct mmsghdr *own = bounce_take(&t->own, count * sizeof *own);
    if (!m || !own)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        int rc = vectors_message_own(t, &m[i], t->args[1] + i * sizeof *own, sends);
        if (rc < 0)
            return rc;
        if (rc > 0 && i == 0)
            return trap_make(t);
        if (rc > 0)
            count = i; /* the system stops there as well, and returns the number before */
        else
            own[i].msg_hdr = m[i].own;
    }
    t->pass[1] = (uintptr_t)own;
    t->pass[2] = count;
    vectors_time_own(t);
    long result = trap_make(t);
    vectors_messages_give(t, m, own, result);
    trap_give(t, 4, !sends && !trap_failed(result) ? 16 : 0);
    return result;
}

/* ---- memory that the system keeps after the call ---- */

struct vectors_control {
    uint64_t data, key_and_flags, kind_and_fd, at, bytes, more[3];
};

static void vectors_refuse_if_shared(const struct trap *t, int at, uint64_t address)
{
    if (engine_in_space((const void *)(uintptr_t)address))
        trap_refuse(t, at, address, "which the system would keep using after the call returns");
}

long special_lent(struct trap *t)
{
    bool splices = t->number == SYS_vmsplice;
    uint64_t count = t->args[splices ? 2 : 1], at = t->args[splices ? 1 : 2];
    for (uint64_t i = 0; i < count && i < 65536; i++) {
        struct iovec piece;
        struct vectors_control c;
        uint64_t where;
        if (splices && trap_look(&piece, at + i * sizeof piece, sizeof piece)) {
            vectors_refuse_if_shared(t, 1, (uintptr_t)piece.iov_base);
        } else if (!splices && trap_look(&where, at + i * sizeof where, sizeof where)) {
            vectors_refuse_if_shared(t, 2, where);
            if (trap_look(&c, where, sizeof c))
                vectors_refuse_if_shared(t, 2, c.at);
        } else {
            break;
        }
    }
    if (splices)
        return vectors_vector(t, true);
    (void)trap_own(t, 2, count * sizeof at, true);
    return trap_make(t);
}
#endif
