/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mapping.c - memory that the program maps, with several nodes. Anonymous memory, and a private
 * mapping of a file, which is read into memory, are shared memory, so threads of all nodes can use
 * them. Node 0 keeps the list of them, and has the files (delegate.h). Other mappings are the C
 * library's, on the calling node: shared ones of files, executable and inaccessible ones, and those
 * at an address of the program's choice.
 */
#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/start/heap.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old);

#define PAGE       4096
#define FILE_PIECE ((size_t)1 << 20) /* bytes read from a file at once */
#ifndef MAP_32BIT                    /* only x86-64 has it */
#    define MAP_32BIT 0
#endif
#define OTHER_KINDS (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_HUGETLB | MAP_32BIT)

struct mapping {
    char *at;
    size_t bytes, unmapped;
    int flags; /* of mmap */
    struct mapping *next;
};
/* Of node 0. */
static struct mapping *mappings;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static size_t mapping_round(size_t bytes)
{
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* Anonymous memory that is not writable has no contents: the program will change its protection. */
static bool mapping_can_share(size_t bytes, int protection, int flags)
{
    bool anonymous = flags & MAP_ANONYMOUS;
    return start_sharing && bytes && !(flags & OTHER_KINDS) && !(protection & PROT_EXEC) &&
           (anonymous ? (protection & PROT_WRITE) != 0
                      : (flags & MAP_TYPE) == MAP_PRIVATE && protection != PROT_NONE);
}

struct mapping_pages {
    size_t bytes;
    void *at;
};

static void mapping_allocate(void *arg)
{
    struct mapping_pages *p = arg;
    p->at = hlrc_aligned_alloc(PAGE, p->bytes);
}

static char *mapping_add(size_t bytes, int flags)
{
    struct mapping_pages p = { mapping_round(bytes), NULL };
    struct mapping *m = malloc(sizeof *m);
    if (m)
        lane_call(mapping_allocate, &p);
    if (!p.at) {
        free(m);
        errno = ENOMEM;
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    *m = (struct mapping){ p.at, p.bytes, 0, flags, mappings };
    mappings = m;
    pthread_mutex_unlock(&mutex);
    return p.at;
}

/* The link to the mapping with this byte; with the mutex. */
static struct mapping **mapping_find(const char *at)
{
    struct mapping **link = &mappings;
    while (*link && (at < (*link)->at || at >= (*link)->at + (*link)->bytes))
        link = &(*link)->next;
    return link;
}

/* Counts bytes as unmapped, and takes a mapping of which all are from the list. */
static struct mapping *mapping_take(struct mapping **link, size_t bytes)
{
    struct mapping *m = *link;
    m->unmapped += bytes;
    if (m->unmapped < m->bytes)
        return NULL;
    *link = m->next;
    return m;
}

/* ---- by node 0 ---- */

static long mapping_unmap(char *at, size_t bytes)
{
    pthread_mutex_lock(&mutex);
    struct mapping **link = mapping_find(at), *m = NULL;
    bool known = *link && (uintptr_t)at % PAGE == 0 && bytes;
    if (known)
        m = mapping_take(link, mapping_round(bytes));
    pthread_mutex_unlock(&mutex);
    if (m)
        heap_free(m->at);
    free(m);
    if (!known)
        errno = EINVAL;
    return known ? 0 : -1;
}

/* Bytes after the end of the file stay zero. */
static bool mapping_read(char *to, size_t bytes, int fd, off_t offset)
{
    for (size_t have = 0; have < bytes;) {
        size_t most = bytes - have < FILE_PIECE ? bytes - have : FILE_PIECE;
        ssize_t n = pread(fd, to + have, most, offset + (off_t)have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        have += (size_t)n;
    }
    return true;
}

/* Returns (long)MAP_FAILED on failure. */
static long mapping_map(size_t bytes, int flags, int fd, off_t offset)
{
    char *at = mapping_add(bytes, flags);
    if (!at)
        return (long)MAP_FAILED;
    if (!(flags & MAP_ANONYMOUS) && !mapping_read(at, bytes, fd, offset)) {
        bool no_file = errno == EBADF && fcntl(fd, F_GETFL) < 0; /* or not open for reading */
        int error = errno == EISDIR || errno == ESPIPE || errno == EINVAL ? ENODEV
                    : no_file                                             ? EBADF
                                                                          : EACCES;
        mapping_unmap(at, bytes);
        errno = error;
        return (long)MAP_FAILED;
    }
    return (long)at;
}

static long mapping_remap(char *at, size_t bytes, size_t wanted, int flags)
{
    pthread_mutex_lock(&mutex);
    struct mapping *m = *mapping_find(at);
    int kind = m ? m->flags : 0;
    size_t room = m ? (size_t)(m->at + m->bytes - at) : 0;
    pthread_mutex_unlock(&mutex);
    if (room < bytes || !wanted || (flags & ~MREMAP_MAYMOVE)) {
        errno = room < bytes ? EFAULT : EINVAL;
        return (long)MAP_FAILED;
    }
    if (wanted <= bytes) {
        size_t kept = mapping_round(wanted), rest = mapping_round(bytes) - kept;
        return rest && mapping_unmap(at + kept, rest) != 0 ? (long)MAP_FAILED : (long)at;
    }
    char *to = flags & MREMAP_MAYMOVE ? mapping_add(wanted, kind) : NULL;
    if (!to) {
        errno = ENOMEM;
        return (long)MAP_FAILED;
    }
    memcpy(to, at, bytes);
    (void)mapping_unmap(at, bytes);
    return (long)to;
}

static long mapping_is_anonymous(char *at)
{
    pthread_mutex_lock(&mutex);
    struct mapping *m = *mapping_find(at);
    bool anonymous = m && m->flags & MAP_ANONYMOUS;
    pthread_mutex_unlock(&mutex);
    return anonymous;
}

/* ---- children of the program ---- */

/* A child shares a mapping with its parent if this is MAP_SHARED. A copy would hide from each what
 * the other stores, so the child's access ends it. */
static void mapping_leave_child(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    pthread_mutex_unlock(&mutex);
    for (const struct mapping *m = start_is_child ? mappings : NULL; m; m = m->next)
        if ((m->flags & MAP_TYPE) == MAP_SHARED &&
            mmap(m->at, m->bytes, PROT_NONE, flags, -1, 0) != m->at)
            start_fail("fork: no memory for the child's mappings: %s", strerror(errno));
}

static void mapping_hold(void)
{
    pthread_mutex_lock(&mutex);
}

static void mapping_release(void)
{
    pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void mapping_at_start(void)
{
    if (pthread_atfork(mapping_hold, mapping_release, mapping_leave_child) != 0)
        start_fail("no memory for what fork calls");
}

/* ---- the program's calls ---- */

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (!mapping_can_share(bytes, protection, flags))
        return mmap(at, bytes, protection, flags, fd, offset);
    long to = start_away ? DELEGATE(mapping_map, (long)bytes, flags, fd, offset)
                         : mapping_map(bytes, flags, fd, offset);
    if (to == (long)MAP_FAILED && errno == ENOMEM && (flags & MAP_NORESERVE))
        return mmap(at, bytes, protection, flags, fd, offset);
    return (void *)to;
}

int __wrap_munmap(void *at, size_t bytes)
{
    if (!start_sharing || !heap_is_shared(at))
        return munmap(at, bytes);
    return (int)(start_away ? DELEGATE(mapping_unmap, (long)at, (long)bytes)
                            : mapping_unmap(at, bytes));
}

void *__wrap_mremap(void *at, size_t bytes, size_t wanted, int flags, void *to)
{
    if (!start_sharing || !heap_is_shared(at))
        return mremap(at, bytes, wanted, flags, to);
    return (void *)(start_away ? DELEGATE(mapping_remap, (long)at, (long)bytes, (long)wanted, flags)
                               : mapping_remap(at, bytes, wanted, flags));
}

/* HLRC sets the protection of shared memory. It stays readable and writable, unless the program
 * would see the difference. */
int __wrap_mprotect(void *at, size_t bytes, int protection)
{
    struct sigaction act;
    if (!start_sharing || !heap_is_shared(at))
        return mprotect(at, bytes, protection);
    if (!(protection & PROT_WRITE) && __wrap_sigaction(SIGSEGV, NULL, &act) == 0 &&
        act.sa_handler != SIG_DFL && act.sa_handler != SIG_IGN)
        start_fail("mprotect(%p): the program handles SIGSEGV, and this is memory that several "
                   "nodes share, whose protection is HLRC's; run the program on one node",
                   at);
    if (!(protection & PROT_EXEC))
        return 0;
    errno = EACCES;
    return -1;
}

static bool mapping_is_anonymous_here(char *at)
{
    return start_away ? DELEGATE(mapping_is_anonymous, (long)at) : mapping_is_anonymous(at);
}

int __wrap_madvise(void *at, size_t bytes, int advice)
{
    if (!start_sharing || !heap_is_shared(at))
        return madvise(at, bytes, advice);
    if (advice == MADV_DONTNEED && mapping_is_anonymous_here(at))
        memset(at, 0, mapping_round(bytes));
    return 0;
}

int __wrap_posix_madvise(void *at, size_t bytes, int advice)
{
    return start_sharing && heap_is_shared(at) ? 0 : posix_madvise(at, bytes, advice);
}

int __wrap_msync(void *at, size_t bytes, int flags)
{
    return start_sharing && heap_is_shared(at) ? 0 : msync(at, bytes, flags);
}

void *__wrap_mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("__wrap_mmap")));
