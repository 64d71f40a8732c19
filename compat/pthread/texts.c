/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * texts.c - texts that the C library keeps in memory of one thread: addresses of hosts, signals
 * and errors without a name. The program gets a copy in shared memory, which the thread has for
 * itself, so that threads of other nodes can read it, too. Of texts that the C library keeps in
 * variables of the process, such as digits of ecvt, all threads have one copy. Texts that are
 * constants are at the same address on all nodes (early.h).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <mntent.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/process/here.h"
#include "compat/pthread/wrap.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#define ENTRY_BYTES  4096
#define NUMBER_BYTES 5120 /* 4933 digits before the point, and 21 after it */

/* In the shared heap, for each thread that needs one. */
struct texts_room {
    char address[32], signal[128], error[128];
};

/* In shared memory. */
static struct texts_common {
    pthread_once_t once;
    pthread_key_t key;
    bool has_key;
    /* one each, as in the C library */
    char ethernet[32], base64[16], terminal[L_ctermid], file[L_tmpnam];
    char ecvt[64], qecvt[64], fcvt[NUMBER_BYTES], qfcvt[NUMBER_BYTES];
    struct mntent entry;
    char entry_text[ENTRY_BYTES];
} * common;

extern int __wrap_pthread_once(pthread_once_t *, void (*)(void));
extern int __wrap_pthread_key_create(pthread_key_t *, void (*)(void *));
extern void *__wrap_pthread_getspecific(pthread_key_t);
extern int __wrap_pthread_setspecific(pthread_key_t, const void *);

static void texts_make_key(void)
{
    common->has_key = __wrap_pthread_key_create(&common->key, heap_free) == 0;
}

/* The calling thread's, on whatever node it is; NULL: no memory. */
static struct texts_room *texts_own_room(void)
{
    (void)__wrap_pthread_once(&common->once, texts_make_key);
    if (!common->has_key)
        return NULL;
    struct texts_room *room = __wrap_pthread_getspecific(common->key);
    if (!room && (room = heap_calloc(1, sizeof *room)) &&
        __wrap_pthread_setspecific(common->key, room) != 0) {
        heap_free(room);
        return NULL;
    }
    return room;
}

/* A copy of `text` in that field of the room. Without memory the text of this node, which other
 * nodes cannot read. */
static char *texts_copy(char *text, size_t at, size_t bytes)
{
    int before = errno;
    struct texts_room *room = texts_own_room();
    errno = before;
    return room ? strncpy((char *)room + at, text, bytes - 1) : text;
}
#define OWN_COPY(field, text) \
    texts_copy(text, offsetof(struct texts_room, field), sizeof((struct texts_room *)0)->field)

/* The same for a text that all threads have in common. */
#define COMMON_COPY(field, text) strncpy(common->field, text, sizeof common->field - 1)

char *__wrap_inet_ntoa(struct in_addr address)
{
    char *text = inet_ntoa(address);
    if (start_sharing)
        text = OWN_COPY(address, text);
    return text;
}

char *__wrap_strsignal(int sig)
{
    char *text = strsignal(sig);
    if (start_sharing && text != sigdescr_np(sig))
        text = OWN_COPY(signal, text);
    return text;
}

char *__wrap_strerror(int error)
{
    char *text = strerror(error);
    if (start_sharing && text != strerrordesc_np(error))
        text = OWN_COPY(error, text);
    return text;
}

char *__wrap_l64a(long value)
{
    char *text = l64a(value);
    return start_sharing ? COMMON_COPY(base64, text) : text;
}

char *__wrap_ether_ntoa(const struct ether_addr *address)
{
    char *text = ether_ntoa(address);
    return start_sharing ? COMMON_COPY(ethernet, text) : text;
}

/* Without a buffer of the caller's. */
char *__wrap_ctermid(char *buffer)
{
    return ctermid(start_sharing && !buffer ? common->terminal : buffer);
}

/* By their names: the linker warns of programs that use them. */
char *__wrap_tmpnam(char *buffer)
{
    static void *next;
    char *(*fn)(char *) = (char *(*)(char *))(uintptr_t)wrap_next(&next, "tmpnam");
    return fn(start_sharing && !buffer ? common->file : buffer);
}

char *__wrap_tempnam(const char *folder, const char *prefix)
{
    static void *next;
    char *(*fn)(const char *, const char *) =
        (char *(*)(const char *, const char *))(uintptr_t)wrap_next(&next, "tempnam");
    char *name = fn(folder, prefix), *copy = name;
    if (start_sharing && name) {
        copy = heap_malloc(strlen(name) + 1);
        if (copy)
            strcpy(copy, name);
        free(name);
    }
    return copy;
}

#define CONVERSION(name, type)                                         \
    char *__wrap_##name(type value, int digits, int *point, int *sign) \
    {                                                                  \
        char *text = name(value, digits, point, sign);                 \
        return start_sharing ? COMMON_COPY(name, text) : text;         \
    }
CONVERSION(ecvt, double)
CONVERSION(fcvt, double)
CONVERSION(qecvt, long double)
CONVERSION(qfcvt, long double)

/* ---- entries of file systems: node 0 has the stream, and the C library's entry ---- */

static char *texts_put(size_t *used, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (bytes > ENTRY_BYTES - *used)
        start_fail("getmntent: an entry has more than %d bytes", ENTRY_BYTES);
    char *to = memcpy(common->entry_text + *used, text, bytes);
    *used += bytes;
    return to;
}

HERE(struct mntent *, getmntent, (FILE * file), (file), WORDS((long)file))
{
    size_t used = 0;
    const struct mntent *from = getmntent(file);
    if (!from)
        return NULL;
    common->entry = *from;
    common->entry.mnt_fsname = texts_put(&used, from->mnt_fsname);
    common->entry.mnt_dir = texts_put(&used, from->mnt_dir);
    common->entry.mnt_type = texts_put(&used, from->mnt_type);
    common->entry.mnt_opts = texts_put(&used, from->mnt_opts);
    return &common->entry;
}

static void texts_begin(void)
{
    if (start_sharing)
        common = start_shared_memory(sizeof *common, "results of the C library");
}

__attribute__((constructor)) static void texts_at_start(void)
{
    start_at_begin(texts_begin);
}
