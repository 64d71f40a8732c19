/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stdio.c - calls with a buffer of known size, and formatted output and input: performed by node 0
 * (delegate.h). Text is formatted by the caller, since its arguments may be thread-local, and
 * written by node 0 at once. Input is read and converted by node 0, since the arguments are
 * addresses of variables.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include "compat/process/delegate.h"
#include "compat/process/memory.h"
#include "compat/process/stdio_format.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* ---- buffers ---- */

/* Argument 0 is memory that the C library accesses itself. */
static long stdio_call(delegate_fn *fn, const long *words, int at, size_t bytes, bool stores)
{
    void *memory = (void *)words[at];
    struct delegate_buffer buffer = { at, memory, bytes, stores, at > 0 };
    bool lent = bytes > 0 && memory && !start_is_shared(memory);
    return delegate_call(fn, words, lent ? &buffer : NULL);
}

/* Argument `at`, which is `buffer`, has `size` bytes. */
#define BUFFER(type, name, parameters, arguments, words, at, size, stores)                         \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        if (__builtin_expect(!delegate_looks_at_points, 1))                                        \
            return name arguments;                                                                 \
        delegate_point();                                                                          \
        type result =                                                                              \
            !delegate_is_away()                                                                    \
                ? name arguments                                                                   \
                : (type)stdio_call(DELEGATE_FN(name), (const long[6]){ words }, at, size, stores); \
        delegate_point();                                                                          \
        return result;                                                                             \
    }
#define WORDS(...) __VA_ARGS__

BUFFER(ssize_t, read, (int fd, void *b, size_t n), (fd, b, n), WORDS(fd, (long)b, (long)n), 1, n,
       true)
BUFFER(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n), WORDS(fd, (long)b, (long)n),
       1, n, false)
BUFFER(ssize_t, pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o),
       WORDS(fd, (long)b, (long)n, o), 1, n, true)
BUFFER(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o),
       WORDS(fd, (long)b, (long)n, o), 1, n, false)
BUFFER(ssize_t, recv, (int fd, void *b, size_t n, int f), (fd, b, n, f),
       WORDS(fd, (long)b, (long)n, f), 1, n, true)
BUFFER(ssize_t, send, (int fd, const void *b, size_t n, int f), (fd, b, n, f),
       WORDS(fd, (long)b, (long)n, f), 1, n, false)
BUFFER(size_t, fread, (void *b, size_t s, size_t n, FILE *f), (b, s, n, f),
       WORDS((long)b, (long)s, (long)n, (long)f), 0, s *n, true)
BUFFER(size_t, fwrite, (const void *b, size_t s, size_t n, FILE *f), (b, s, n, f),
       WORDS((long)b, (long)s, (long)n, (long)f), 0, s *n, false)
BUFFER(char *, fgets, (char *b, int n, FILE *f), (b, n, f), WORDS((long)b, n, (long)f), 0,
       n > 0 ? (size_t)n : 0, true)
BUFFER(int, fputs, (const char *b, FILE *f), (b, f), WORDS((long)b, (long)f), 0, strlen(b) + 1,
       false)
BUFFER(int, puts, (const char *b), (b), WORDS((long)b), 0, strlen(b) + 1, false)

ssize_t __wrap_pread64(int, void *, size_t, off_t) __attribute__((alias("__wrap_pread")));
ssize_t __wrap_pwrite64(int, const void *, size_t, off_t) __attribute__((alias("__wrap_pwrite")));

/* ---- formatted output ---- */

/* By node 0. A stream's lock is held for all of the text. */
static int stdio_put_text(FILE *file, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, file) == bytes ? (int)bytes : -1;
}

static int stdio_put_to(int fd, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t put = write(fd, text + at, bytes - at);
        if (put < 0)
            return -1;
        at += (size_t)put;
    }
    return (int)bytes;
}

int stdio_format(delegate_fn *put, long to, const char *format, va_list args)
{
    char *text = NULL;
    int bytes = vasprintf(&text, format, args);
    if (bytes < 0)
        return bytes;
    const long words[6] = { to, (long)text, bytes };
    bytes = (int)stdio_call(put, words, 1, (size_t)bytes, false);
    int error = errno;
    free(text);
    errno = error;
    return bytes;
}

int __wrap_vfprintf(FILE *file, const char *format, va_list args)
{
    return delegate_is_away() ? stdio_format(DELEGATE_FN(stdio_put_text), (long)file, format, args)
                              : vfprintf(file, format, args);
}

int __wrap_vdprintf(int fd, const char *format, va_list args)
{
    return delegate_is_away() ? stdio_format(DELEGATE_FN(stdio_put_to), fd, format, args)
                              : vdprintf(fd, format, args);
}

int __wrap_vprintf(const char *format, va_list args)
{
    return __wrap_vfprintf(stdout, format, args);
}

/* Begins with the va_list `args` after `last`. */
#define VARIADIC(type, name, parameters, last, call) \
    type __wrap_##name parameters                    \
    {                                                \
        va_list args;                                \
        va_start(args, last);                        \
        type result = call;                          \
        va_end(args);                                \
        return result;                               \
    }
VARIADIC(int, printf, (const char *format, ...), format, __wrap_vfprintf(stdout, format, args))
VARIADIC(int, fprintf, (FILE * file, const char *format, ...), format,
         __wrap_vfprintf(file, format, args))
VARIADIC(int, dprintf, (int fd, const char *format, ...), format, __wrap_vdprintf(fd, format, args))

/* Of -D_FORTIFY_SOURCE, which also refuses %n in memory that can be changed. */
extern int __vfprintf_chk(FILE *file, int flag, const char *format, va_list args);
extern int __vdprintf_chk(int fd, int flag, const char *format, va_list args);

int __wrap___vfprintf_chk(FILE *file, int flag, const char *format, va_list args)
{
    return delegate_is_away() ? __wrap_vfprintf(file, format, args)
                              : __vfprintf_chk(file, flag, format, args);
}

int __wrap___vdprintf_chk(int fd, int flag, const char *format, va_list args)
{
    return delegate_is_away() ? __wrap_vdprintf(fd, format, args)
                              : __vdprintf_chk(fd, flag, format, args);
}

int __wrap___vprintf_chk(int flag, const char *format, va_list args)
{
    return __wrap___vfprintf_chk(stdout, flag, format, args);
}

VARIADIC(int, __printf_chk, (int flag, const char *format, ...), format,
         __wrap___vfprintf_chk(stdout, flag, format, args))
VARIADIC(int, __fprintf_chk, (FILE * file, int flag, const char *format, ...), format,
         __wrap___vfprintf_chk(file, flag, format, args))
VARIADIC(int, __dprintf_chk, (int fd, int flag, const char *format, ...), format,
         __wrap___vdprintf_chk(fd, flag, format, args))

/* ---- formatted input, and wide characters: by node 0, from the caller's arguments ---- */

typedef int stdio_formatted_fn(FILE *file, const void *format, va_list args);

extern int stdio_isoc99_vfscanf(FILE *file, const char *format,
                                va_list args) __asm__("__isoc99_vfscanf");
extern int stdio_gnu_vfscanf(FILE *file, const char *format, va_list args) __asm__("vfscanf");

extern int stdio_isoc99_vfwscanf(FILE *file, const wchar_t *format,
                                 va_list args) __asm__("__isoc99_vfwscanf");
extern int stdio_gnu_vfwscanf(FILE *file, const wchar_t *format, va_list args) __asm__("vfwscanf");

static int stdio_scan_or_print(stdio_formatted_fn *fn, FILE *file, const void *format, va_list args)
{
    bool narrow = fn == (stdio_formatted_fn *)(void (*)(void))stdio_isoc99_vfscanf ||
                  fn == (stdio_formatted_fn *)(void (*)(void))stdio_gnu_vfscanf,
         wide = fn == (stdio_formatted_fn *)(void (*)(void))stdio_isoc99_vfwscanf ||
                fn == (stdio_formatted_fn *)(void (*)(void))stdio_gnu_vfwscanf;
    va_list again;
    va_copy(again, args);
    int count = fn(file, format, args);
    if (start_sharing && (narrow || wide))
        memory_share_scanned(format, wide, count, again);
    va_end(again);
    return count;
}

/* By node 0. */
static int stdio_use_arguments(stdio_formatted_fn *fn, FILE *file, const void *format,
                               va_list *args)
{
    return stdio_scan_or_print(fn, file, format, *args);
}

static int stdio_formatted(void (*fn)(void), FILE *file, const void *format, va_list args)
{
    va_list copy; /* on the shared stack, unlike a parameter that may be an address */
    if (!delegate_is_away())
        return stdio_scan_or_print((stdio_formatted_fn *)fn, file, format, args);
    va_copy(copy, args);
    int result =
        (int)DELEGATE(stdio_use_arguments, (long)fn, (long)file, (long)format, (long)&copy);
    va_end(copy);
    return result;
}

#define FORMATTED(name, vname, here, type)                                \
    int __wrap_##vname(FILE *file, const type *format, va_list args)      \
    {                                                                     \
        return stdio_formatted((void (*)(void))here, file, format, args); \
    }                                                                     \
    VARIADIC(int, name, (FILE * file, const type *format, ...), format,   \
             stdio_formatted((void (*)(void))here, file, format, args))
#define FORMATTED_STANDARD(name, vname, here, type, stream)                 \
    int __wrap_##vname(const type *format, va_list args)                    \
    {                                                                       \
        return stdio_formatted((void (*)(void))here, stream, format, args); \
    }                                                                       \
    VARIADIC(int, name, (const type *format, ...), format,                  \
             stdio_formatted((void (*)(void))here, stream, format, args))

FORMATTED(fscanf, vfscanf, stdio_gnu_vfscanf, char)
FORMATTED(__isoc99_fscanf, __isoc99_vfscanf, stdio_isoc99_vfscanf, char)
FORMATTED(__isoc99_fwscanf, __isoc99_vfwscanf, stdio_isoc99_vfwscanf, wchar_t)
FORMATTED(fwscanf, vfwscanf, stdio_gnu_vfwscanf, wchar_t)
FORMATTED_STANDARD(wscanf, vwscanf, stdio_gnu_vfwscanf, wchar_t, stdin)
FORMATTED(fwprintf, vfwprintf, vfwprintf, wchar_t)
FORMATTED_STANDARD(scanf, vscanf, stdio_gnu_vfscanf, char, stdin)
FORMATTED_STANDARD(__isoc99_scanf, __isoc99_vscanf, stdio_isoc99_vfscanf, char, stdin)
FORMATTED_STANDARD(__isoc99_wscanf, __isoc99_vwscanf, stdio_isoc99_vfwscanf, wchar_t, stdin)
FORMATTED_STANDARD(wprintf, vwprintf, vfwprintf, wchar_t, stdout)

/* Of -D_FORTIFY_SOURCE. */
int __wrap___vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list args)
{
    extern int __vfwprintf_chk(FILE *, int, const wchar_t *, va_list);
    return delegate_is_away() ? __wrap_vfwprintf(file, format, args)
                              : __vfwprintf_chk(file, flag, format, args);
}

int __wrap___vwprintf_chk(int flag, const wchar_t *format, va_list args)
{
    return __wrap___vfwprintf_chk(stdout, flag, format, args);
}

VARIADIC(int, __wprintf_chk, (int flag, const wchar_t *format, ...), format,
         __wrap___vfwprintf_chk(stdout, flag, format, args))
VARIADIC(int, __fwprintf_chk, (FILE * file, int flag, const wchar_t *format, ...), format,
         __wrap___vfwprintf_chk(file, flag, format, args))

ssize_t __wrap___recv_chk(int fd, void *b, size_t n, size_t most, int flags)
{
    extern ssize_t __recv_chk(int, void *, size_t, size_t, int);
    return delegate_is_away() ? __wrap_recv(fd, b, n, flags) : __recv_chk(fd, b, n, most, flags);
}

ssize_t __wrap_recvfrom(int, void *, size_t, int, struct sockaddr *, socklen_t *);
ssize_t __wrap___recvfrom_chk(int fd, void *b, size_t n, size_t most, int flags,
                              struct sockaddr *from, socklen_t *len)
{
    extern ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
    return delegate_is_away() ? __wrap_recvfrom(fd, b, n, flags, from, len)
                              : __recvfrom_chk(fd, b, n, most, flags, from, len);
}

/* ---- streams of the program's own functions, which node 0 calls ---- */

static FILE *stdio_open_cookie(void *cookie, const char *mode, const cookie_io_functions_t *calls)
{
    return fopencookie(cookie, mode, *calls);
}

FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls)
{
    return delegate_is_away()
               ? (FILE *)DELEGATE(stdio_open_cookie, (long)cookie, (long)mode, (long)&calls)
               : fopencookie(cookie, mode, calls);
}
