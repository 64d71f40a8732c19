/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shm_map.c - see shm_map.h. */
#include "fabric/shm/shm_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/addresses.h"

int shm_make_object(size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur)
        return -EFBIG; /* ftruncate would raise SIGXFSZ */
    int fd = memfd_create("hlrc-window", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)size) != 0) {
        int rc = -errno;
        close(fd);
        return rc;
    }
    return fd;
}

int shm_map_object(int fd, size_t size, char **base)
{
    void *p = addresses_map(size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd);
    if (p == MAP_FAILED)
        return -errno;
    (void)madvise(p, size, MADV_DONTDUMP);
    /* needed for registered memory as well: a fork must not move its pages */
    (void)madvise(p, size, MADV_DONTFORK);
    *base = p;
    return 0;
}

/* Without stdio, which is not allowed in a fault handler. */
static char *shm_map_put_number(char *at, int number)
{
    char digits[12];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *at++ = digits[--n];
    return at;
}

#define PATH_BYTES 48

static char *shm_map_path_of(const struct shm_ticket *t, char *path)
{
    char *at = shm_map_put_number(stpcpy(path, "/proc/"), t->pid);
    *shm_map_put_number(stpcpy(at, "/fd/"), t->fd) = '\0';
    return path;
}

static const char *shm_map_remedy_of(int rc, size_t size)
{
    switch (rc) {
    case -ENOMEM:
        return addresses_remedy(size);
    case -EMFILE:
    case -ENFILE:
        return "close files, or raise ulimit -n";
    default:
        return "mount this PID namespace's /proc without hidepid, and make the program readable to "
               "its user, without "
               "setuid or capabilities";
    }
}

int shm_peer_refused(const struct fabric_job *job, int node, const struct shm_ticket *t,
                     size_t size, int rc)
{
    char line[256], path[PATH_BYTES];
    snprintf(line, sizeof line,
             "fabric shm: cannot open the memory of node %d (%zu bytes, %s): %s; %s", node, size,
             shm_map_path_of(t, path), strerror(-rc), shm_map_remedy_of(rc, size));
    if (job->fail)
        job->fail(line);
    return rc;
}

int shm_map_peer(const struct shm_ticket *t, size_t size, char **base)
{
    char path[PATH_BYTES];
    int fd = open(shm_map_path_of(t, path), O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = shm_map_object(fd, size, base);
    close(fd);
    return rc;
}

/* Up to this size memcpy uses vectors, and every aligned 8 bytes arrive whole. Above it may use the
 * CPU's string instruction for bytes, which an interrupt can end within a word [fabric.whole-word].
 * The compiler inlines that instruction if it knows the size to be small, so the call is made
 * through a pointer. */
#define VECTOR_BYTES 1024

static void *(*const volatile copy_vectors)(void *, const void *, size_t) = memcpy;

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) /* AddressSanitizer checks memcpy only */
/* The string instruction for words ends between words only, and is as fast as the one for bytes.
 * With vectors, a copy from another CPU's cache takes half as long again. */
static void shm_map_copy_more(char *dst, const char *src, size_t len)
{
    size_t lead = -(uintptr_t)dst % 8, words = (len - lead) / 8, rest = (len - lead) % 8;
    copy_vectors(dst, src, lead);
    dst += lead;
    src += lead;
    __asm__ volatile("rep movsq" : "+D"(dst), "+S"(src), "+c"(words) : : "memory");
    copy_vectors(dst, src, rest);
}
#else
static void shm_map_copy_more(char *dst, const char *src, size_t len)
{
    size_t piece = VECTOR_BYTES - (uintptr_t)dst % 64; /* later pieces begin with a cache line */
    for (; len > piece; len -= piece, dst += piece, src += piece, piece = VECTOR_BYTES)
        copy_vectors(dst, src, piece);
    copy_vectors(dst, src, len);
}
#endif

int shm_map_near(const struct fabric_job *job, const bool *near, int fd, size_t size, char **base)
{
    struct shm_ticket mine = { getpid(), fd }, all[NODES_MAX];
    int32_t done = 0, every[NODES_MAX];
    int rc = job->exchange(job->ctx, &mine, sizeof mine, all);
    if (rc)
        return rc;
    for (int n = 0; n < job->nodes && done == 0; n++) {
        if (n != job->node && near[n])
            done = shm_map_peer(&all[n], size, &base[n]);
        if (done)
            done = shm_peer_refused(job, n, &all[n], size, done);
    }
    rc = job->exchange(job->ctx, &done, sizeof done, every);
    for (int n = 0; n < job->nodes && rc == 0; n++)
        rc = every[n];
    return rc;
}

void shm_copy(void *dst, const void *src, size_t len)
{
    if (len > 128 || (((uintptr_t)dst | (uintptr_t)src | len) & 7)) {
        len <= VECTOR_BYTES ? (void)copy_vectors(dst, src, len) : shm_map_copy_more(dst, src, len);
        return;
    }
    _Atomic uint64_t *d = dst;
    const _Atomic uint64_t *s = src;
    for (size_t i = 0; i < len / 8; i++)
        atomic_store_explicit(&d[i], atomic_load_explicit(&s[i], memory_order_relaxed),
                              memory_order_relaxed);
}
