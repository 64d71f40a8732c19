/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calls.c - system calls on the program's buffers. A system call fails with EFAULT if memory is
 * inaccessible at that moment, as any shared page may be. So if the program's buffer is shared its
 * data goes through a private one.
 *
 * These functions replace the C library's in the whole process: libraries of C++ and Fortran read
 * directly into the program's buffers. For calls that node 0 performs, see bind.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hlrc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/start.h"

#define EXPORTED __attribute__((visibility("default")))
#define LIBC(name)                        \
    static __typeof__(&name) libc_##name; \
    if (!libc_##name)                     \
    libc_##name = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* Most bytes of fread and fwrite at once. */
#define PIECE ((size_t)64 << 10)
/* With a smaller buffer the C library passes all bytes on. */
#define ROOM_LEAST 128
/* Bytes that a call passes to the system without allocating memory. */
#define ROOM 4096
/* Alignment of private buffers, which a file that is open with O_DIRECT requires. */
#define ALIGNMENT 4096

/* ---- read and write ---- */

/* A private buffer that the thread keeps. A handler that interrupts a call gets another one. Not a
 * thread-local array: that would take from small stacks. */
static _Thread_local struct {
    volatile bool lent;
    char *bytes;
} own_room;
static pthread_key_t exit_key;

static void calls_free_room(void *bytes)
{
    own_room.bytes = NULL;
    free(bytes);
}

__attribute__((constructor)) static void calls_at_start(void)
{
    if (pthread_key_create(&exit_key, calls_free_room) != 0)
        start_fail("no pthread key for threads that end");
}

static __attribute__((noinline)) void *calls_make_room(void)
{
    own_room.bytes = aligned_alloc(ALIGNMENT, ROOM);
    if (own_room.bytes)
        (void)pthread_setspecific(exit_key, own_room.bytes);
    else
        own_room.lent = false;
    return own_room.bytes;
}

/* Lends a private buffer; `calls_done` takes it back and keeps errno. */
static void *calls_borrow(size_t len)
{
    void *mine = NULL;
    if (len <= ROOM && !own_room.lent) {
        own_room.lent = true;
        mine = own_room.bytes ? own_room.bytes : calls_make_room();
    } else if (posix_memalign(&mine, ALIGNMENT, len) != 0) {
        mine = NULL;
    }
    if (!mine)
        errno = ENOMEM;
    return mine;
}

static void calls_done(void *mine)
{
    if (mine == own_room.bytes) {
        own_room.lent = false;
        return;
    }
    int before = errno;
    free(mine);
    errno = before;
}

/* The arguments of the call have `mine` in place of the program's buffer. */
#define DEFINE_READ(name, parameters, arguments)                    \
    EXPORTED ssize_t name parameters                                \
    {                                                               \
        LIBC(name);                                                 \
        if (!start_sharing) {                                       \
            void *mine = buffer;                                    \
            return libc_##name arguments;                           \
        }                                                           \
        bool shared = start_is_shared(buffer);                      \
        void *mine = shared ? calls_borrow(len) : buffer;           \
        ssize_t got = shared && !mine ? -1 : libc_##name arguments; \
        if (shared && got > 0)                                      \
            memcpy(buffer, mine, (size_t)got);                      \
        if (shared)                                                 \
            calls_done(mine);                                       \
        return got;                                                 \
    }
DEFINE_READ(read, (int fd, void *buffer, size_t len), (fd, mine, len))
DEFINE_READ(pread, (int fd, void *buffer, size_t len, off_t at), (fd, mine, len, at))

#define DEFINE_WRITE(name, parameters, arguments)                     \
    EXPORTED ssize_t name parameters                                  \
    {                                                                 \
        LIBC(name);                                                   \
        if (!start_sharing) {                                         \
            const void *mine = buffer;                                \
            return libc_##name arguments;                             \
        }                                                             \
        void *copy = NULL;                                            \
        if (start_is_shared(buffer) && !(copy = calls_borrow(len)))   \
            return -1;                                                \
        const void *mine = copy ? memcpy(copy, buffer, len) : buffer; \
        ssize_t put = libc_##name arguments;                          \
        if (copy)                                                     \
            calls_done(copy);                                         \
        return put;                                                   \
    }
DEFINE_WRITE(write, (int fd, const void *buffer, size_t len), (fd, mine, len))
DEFINE_WRITE(pwrite, (int fd, const void *buffer, size_t len, off_t at), (fd, mine, len, at))

/* Like one read or write of all pieces together. */
static size_t calls_sum(const struct iovec *pieces, int count)
{
    size_t len = 0;
    for (int i = 0; i < count; i++)
        len += pieces[i].iov_len;
    return len;
}

static int calls_any_shared(const struct iovec *pieces, int count)
{
    int any = start_is_shared(pieces);
    for (int i = 0; i < count; i++)
        any |= start_is_shared(pieces[i].iov_base);
    return any;
}

EXPORTED ssize_t readv(int fd, const struct iovec *pieces, int count)
{
    LIBC(readv);
    if (count <= 0 || !calls_any_shared(pieces, count))
        return libc_readv(fd, pieces, count);
    size_t len = calls_sum(pieces, count), at = 0;
    char *mine = calls_borrow(len);
    ssize_t got = mine ? read(fd, mine, len) : -1;
    for (int i = 0; i < count && got > 0 && at < (size_t)got; i++) {
        size_t part = pieces[i].iov_len;
        part = part < (size_t)got - at ? part : (size_t)got - at;
        memcpy(pieces[i].iov_base, mine + at, part);
        at += part;
    }
    calls_done(mine);
    return got;
}

EXPORTED ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    LIBC(writev);
    if (count <= 0 || !calls_any_shared(pieces, count))
        return libc_writev(fd, pieces, count);
    size_t len = calls_sum(pieces, count), at = 0;
    char *mine = calls_borrow(len);
    if (!mine)
        return -1;
    for (int i = 0; i < count; i++) {
        memcpy(mine + at, pieces[i].iov_base, pieces[i].iov_len);
        at += pieces[i].iov_len;
    }
    ssize_t put = write(fd, mine, len);
    calls_done(mine);
    return put;
}

/* ---- stdio, which passes large pieces directly to the system ---- */

static size_t calls_in_pieces(char *buffer, size_t len, FILE *file, bool reads)
{
    LIBC(fread);
    LIBC(fwrite);
    size_t at = 0, done = 1;
    char *mine = calls_borrow(len < PIECE ? len : PIECE);
    flockfile(file);
    while (mine && at < len && done > 0) {
        size_t part = len - at < PIECE ? len - at : PIECE;
        if (!reads)
            memcpy(mine, buffer + at, part);
        done = reads ? libc_fread(mine, 1, part, file) : libc_fwrite(mine, 1, part, file);
        if (reads)
            memcpy(buffer + at, mine, done);
        at += done;
    }
    funlockfile(file);
    calls_done(mine);
    return at;
}

/* The C library copies so few bytes to or from its own buffer. */
static inline bool calls_is_buffered(FILE *file, size_t len)
{
    size_t bytes = (size_t)(file->_IO_buf_end - file->_IO_buf_base); /* __fbufsize(file) */
    return bytes >= ROOM_LEAST && len < bytes;
}

/* The program's memory does not get to the system. */
static inline bool calls_is_direct(const void *buffer, size_t size, size_t count, FILE *file)
{
    return !start_sharing || size == 0 || count == 0 || count > SIZE_MAX / size ||
           calls_is_buffered(file, size * count) || !start_is_shared(buffer);
}

EXPORTED size_t fread(void *buffer, size_t size, size_t count, FILE *from)
{
    LIBC(fread);
    if (calls_is_direct(buffer, size, count, from))
        return libc_fread(buffer, size, count, from);
    return calls_in_pieces(buffer, size * count, from, true) / size;
}

EXPORTED size_t fwrite(const void *buffer, size_t size, size_t count, FILE *to)
{
    LIBC(fwrite);
    if (calls_is_direct(buffer, size, count, to))
        return libc_fwrite(buffer, size, count, to);
    return calls_in_pieces((char *)(uintptr_t)buffer, size * count, to, false) / size;
}

/* ---- file names ---- */

/* Makes it accessible until another thread of the node acquires. */
static const char *calls_touched(const char *path)
{
    if (start_is_shared(path))
        (void)*(const volatile char *)(path + strlen(path));
    return path;
}

EXPORTED FILE *fopen(const char *restrict path, const char *restrict mode)
{
    LIBC(fopen);
    return libc_fopen(calls_touched(path), calls_touched(mode));
}

EXPORTED int open(const char *path, int flags, ...)
{
    LIBC(open);
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return libc_open(calls_touched(path), flags, mode);
}

/* ---- results of system calls ---- */

/* Calls with a buffer of this thread, and copies from there. */
#define ANSWER(type, call)            \
    static _Thread_local type answer; \
    int rc = call;                    \
    if (rc == 0)                      \
        *out = answer;                \
    return rc

EXPORTED int stat(const char *restrict path, struct stat *restrict out)
{
    LIBC(stat);
    ANSWER(struct stat, libc_stat(calls_touched(path), &answer));
}

EXPORTED int lstat(const char *restrict path, struct stat *restrict out)
{
    LIBC(lstat);
    ANSWER(struct stat, libc_lstat(calls_touched(path), &answer));
}

EXPORTED int fstat(int fd, struct stat *out)
{
    LIBC(fstat);
    ANSWER(struct stat, libc_fstat(fd, &answer));
}

EXPORTED int getrusage(__rusage_who_t who, struct rusage *out)
{
    LIBC(getrusage);
    ANSWER(struct rusage, libc_getrusage(who, &answer));
}

EXPORTED char *getcwd(char *out, size_t len)
{
    LIBC(getcwd);
    if (!out || !start_is_shared(out))
        return libc_getcwd(out, len);
    char *mine = calls_borrow(len);
    char *got = mine ? libc_getcwd(mine, len) : NULL;
    if (got)
        memcpy(out, mine, strlen(mine) + 1);
    calls_done(mine);
    return got ? out : NULL;
}

EXPORTED int nanosleep(const struct timespec *time, struct timespec *left)
{
    LIBC(nanosleep);
    static _Thread_local struct timespec wanted, rest;
    wanted = *time;
    int rc = libc_nanosleep(&wanted, &rest);
    if (rc != 0 && left)
        *left = rest;
    return rc;
}

/* ---- files in memory ---- */

/* By node 0: the name of an open file, and how it was opened. */
static int calls_describe(int fd, char *name, size_t room, struct stat *file)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, name, room - 1);
    if (len < 0 || fstat(fd, file) != 0)
        return -1;
    name[len] = '\0';
    return fcntl(fd, F_GETFL);
}

/* Opens the file here, too; on the shared stack. */
static int calls_open_here(int fd)
{
    LIBC(open);
    LIBC(fstat);
    char name[4096];
    struct stat there, here;
    int flags = (int)DELEGATE(calls_describe, fd, (long)name, (long)sizeof name, (long)&there);
    if (flags < 0) {
        errno = EBADF;
        return -1;
    }
    int mine = libc_open(name, (flags & O_ACCMODE) | O_CLOEXEC);
    if (mine >= 0 && libc_fstat(mine, &here) == 0 && here.st_ino == there.st_ino &&
        here.st_size == there.st_size)
        return mine;
    start_fail("mmap of %s by a thread of node %d: this node does not have the file of node 0; map "
               "a file of a file system that all nodes have",
               name, hlrc_node_id());
}

static bool calls_is_away(void)
{
    return start_away && lane_is_shared(__builtin_frame_address(0));
}

/* Memory is mapped on the calling node, files are node 0's. */
EXPORTED void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    LIBC(mmap);
    if (fd < 0 || (flags & MAP_ANONYMOUS) || !calls_is_away())
        return libc_mmap(at, bytes, protection, flags, fd, offset);
    int mine = calls_open_here(fd);
    void *map = mine < 0 ? MAP_FAILED : libc_mmap(at, bytes, protection, flags, mine, offset);
    int error = errno;
    if (mine >= 0)
        (void)syscall(SYS_close, mine);
    errno = error;
    return map;
}

/* The names that -D_FILE_OFFSET_BITS=64 uses; off_t has 64 bits in any case. */
#define ALIAS(name, as) \
    extern __typeof__(as) calls_##name __asm__(#name) __attribute__((alias(#as), copy(as))) EXPORTED
ALIAS(fopen64, fopen);
ALIAS(open64, open);
ALIAS(mmap64, mmap);
ALIAS(pread64, pread);
ALIAS(pwrite64, pwrite);
ALIAS(stat64, stat);
ALIAS(lstat64, lstat);
ALIAS(fstat64, fstat);
