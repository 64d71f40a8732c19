/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memory.c - functions that return memory, which the C library allocates or keeps: with several
 * nodes the program gets shared memory, whichever node has called. Node 0 performs them
 * (delegate.h).
 */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/process/memory.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* Frees the C library's memory. */
static void *memory_shared(void *from, size_t bytes)
{
    void *copy = from ? heap_malloc(bytes) : NULL;
    if (copy)
        memcpy(copy, from, bytes);
    free(from);
    return copy;
}

static char *memory_shared_text(char *text)
{
    return memory_shared(text, text ? strlen(text) + 1 : 0);
}

/* ---- file names ---- */

HERE(char *, getcwd, (char *out, size_t room), (out, room), WORDS((long)out, (long)room))
{
    return out ? getcwd(out, room) : memory_shared_text(getcwd(NULL, room));
}

HERE(char *, get_current_dir_name, (void), (), WORDS(0))
{
    return memory_shared_text(get_current_dir_name());
}

HERE(char *, realpath, (const char *path, char *out), (path, out), WORDS((long)path, (long)out))
{
    return out ? realpath(path, out) : memory_shared_text(realpath(path, NULL));
}

HERE(char *, canonicalize_file_name, (const char *path), (path), WORDS((long)path))
{
    return memory_shared_text(canonicalize_file_name(path));
}

/* Of -D_FORTIFY_SOURCE, which has compared the sizes. */
char *__wrap___getcwd_chk(char *out, size_t room, size_t most)
{
    extern char *__getcwd_chk(char *, size_t, size_t);
    return start_sharing ? __wrap_getcwd(out, room) : __getcwd_chk(out, room, most);
}

char *__wrap___realpath_chk(const char *path, char *out, size_t most)
{
    extern char *__realpath_chk(const char *, char *, size_t);
    return start_sharing ? __wrap_realpath(path, out) : __realpath_chk(path, out, most);
}

/* ---- text ---- */

wchar_t *__wrap_wcsdup(const wchar_t *text)
{
    size_t bytes = (wcslen(text) + 1) * sizeof *text;
    wchar_t *copy = heap_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void *__wrap_pvalloc(size_t size)
{
    return heap_aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
}

int __wrap_vasprintf(char **out, const char *format, va_list args);
int __wrap___vasprintf_chk(char **out, int flag, const char *format, va_list args)
{
    (void)flag;
    return __wrap_vasprintf(out, format, args);
}

int __wrap___asprintf_chk(char **out, int flag, const char *format, ...)
{
    va_list args;
    (void)flag;
    va_start(args, format);
    int bytes = __wrap_vasprintf(out, format, args);
    va_end(args);
    return bytes;
}

/* The program's buffer may be shared; then the C library cannot reallocate it. */
HERE(ssize_t, getdelim, (char **line, size_t *room, int delimiter, FILE *from),
     (line, room, delimiter, from), WORDS((long)line, (long)room, delimiter, (long)from))
{
    char *mine = NULL;
    size_t mine_room = 0;
    ssize_t len = getdelim(&mine, &mine_room, delimiter, from);
    if (len >= 0 && (!*line || *room < (size_t)len + 1)) {
        char *longer = heap_realloc(*line, (size_t)len + 1);
        if (longer) {
            *line = longer;
            *room = (size_t)len + 1;
        } else {
            len = -1;
        }
    }
    if (len >= 0)
        memcpy(*line, mine, (size_t)len + 1);
    free(mine);
    return len;
}

ssize_t __wrap_getline(char **line, size_t *room, FILE *from)
{
    return __wrap_getdelim(line, room, '\n', from);
}

ssize_t __wrap___getdelim(char **, size_t *, int, FILE *) __attribute__((alias("__wrap_getdelim")));

/* ---- memory of scanf's %m ---- */

/* After the % of a conversion: its letter. */
static const char *memory_conversion(const char *f, bool *skipped, bool *allocated)
{
    for (; *f && strchr("*'I0123456789mhlLqjzt", *f); f++) {
        *skipped |= *f == '*';
        *allocated |= *f == 'm';
    }
    return f;
}

/* The ']' that ends a set; the first character may be one. */
static const char *memory_set_end(const char *f)
{
    f += f[1] == '^' ? 2 : 1;
    const char *end = *f ? strchr(f + 1, ']') : NULL;
    return end ? end : "";
}

static void memory_share_narrow(const char *f, int count, va_list args)
{
    while (count > 0 && (f = strchr(f, '%'))) {
        bool skipped = false, allocated = false;
        f = memory_conversion(f + 1, &skipped, &allocated);
        void **to = *f == '%' || skipped ? NULL : va_arg(args, void **);
        if (to && *f != 'n')
            count--;
        if (to && allocated)
            *to = memory_shared(*to, malloc_usable_size(*to));
        if (*f == '[')
            f = memory_set_end(f);
        if (*f)
            f++;
    }
}

/* The letters of conversions are ASCII. */
void memory_share_scanned(const void *format, bool wide, int count, va_list args)
{
    const wchar_t *from = format;
    if (!wide) {
        memory_share_narrow(format, count, args);
        return;
    }
    size_t n = wcslen(from);
    char *narrow = malloc(n + 1);
    for (size_t i = 0; narrow && i <= n; i++)
        narrow[i] = (uint32_t)from[i] < 128 ? (char)from[i] : '?';
    if (narrow)
        memory_share_narrow(narrow, count, args);
    free(narrow);
}

typedef int memory_scan_fn(const void *text, const void *format, va_list args);

static int memory_scan(void (*scan)(void), const void *text, const void *format, bool wide,
                       va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = ((memory_scan_fn *)scan)(text, format, args);
    if (start_sharing)
        memory_share_scanned(format, wide, count, again);
    va_end(again);
    return count;
}

#define SCAN(type, name, vname, libc)                                                      \
    extern int memory_##name(const type *text, const type *f, va_list args) __asm__(libc); \
    int __wrap_##vname(const type *text, const type *f, va_list args)                      \
    {                                                                                      \
        return memory_scan((void (*)(void))memory_##name, text, f,                         \
                           sizeof(type) == sizeof(wchar_t), args);                         \
    }                                                                                      \
    int __wrap_##name(const type *text, const type *f, ...)                                \
    {                                                                                      \
        va_list args;                                                                      \
        va_start(args, f);                                                                 \
        int count = __wrap_##vname(text, f, args);                                         \
        va_end(args);                                                                      \
        return count;                                                                      \
    }
SCAN(char, sscanf, vsscanf, "vsscanf")
SCAN(char, __isoc99_sscanf, __isoc99_vsscanf, "__isoc99_vsscanf")
SCAN(wchar_t, __isoc99_swscanf, __isoc99_vswscanf, "__isoc99_vswscanf")

/* ---- streams to memory ---- */

struct memory_stream {
    char **text;
    size_t *bytes;
    size_t room, len, at;
};

static bool memory_grow(struct memory_stream *s, size_t needed)
{
    if (needed < s->room)
        return true;
    size_t room = needed < 2 * s->room ? 2 * s->room : needed + 1;
    char *more = heap_realloc(*s->text, room);
    if (!more)
        return false;
    memset(more + s->room, 0, room - s->room);
    *s->text = more;
    s->room = room;
    return true;
}

static ssize_t memory_write(void *stream, const char *from, size_t bytes)
{
    struct memory_stream *s = stream;
    if (!memory_grow(s, s->at + bytes))
        return 0;
    memcpy(*s->text + s->at, from, bytes);
    s->at += bytes;
    if (s->at > s->len)
        s->len = s->at;
    *s->bytes = s->at;
    return (ssize_t)bytes;
}

static int memory_seek(void *stream, off64_t *to, int whence)
{
    struct memory_stream *s = stream;
    size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? s->at : s->len;
    off64_t at = (off64_t)from + *to;
    if (at < 0 || !memory_grow(s, (size_t)at))
        return -1;
    s->at = (size_t)at;
    *to = at;
    return 0;
}

static int memory_close(void *stream)
{
    free(stream);
    return 0;
}

HERE(FILE *, open_memstream, (char **text, size_t *bytes), (text, bytes),
     WORDS((long)text, (long)bytes))
{
    static const cookie_io_functions_t calls = { .write = memory_write,
                                                 .seek = memory_seek,
                                                 .close = memory_close };
    struct memory_stream *s = malloc(sizeof *s);
    char *first = heap_calloc(1, BUFSIZ);
    FILE *file = s && first ? fopencookie(s, "w", calls) : NULL;
    if (!file) {
        heap_free(first);
        free(s);
        return NULL;
    }
    *s = (struct memory_stream){ text, bytes, BUFSIZ, 0, 0 };
    *text = first;
    *bytes = 0;
    return file;
}

/* Of wide characters: the C library's stream has private memory, and each flush copies it. */
struct memory_wide {
    FILE *file;
    wchar_t **text, *mine;
    size_t *count, len;
    struct memory_wide *next;
};
static struct memory_wide *wide_streams;
static pthread_mutex_t wide_mutex = PTHREAD_MUTEX_INITIALIZER;

/* The stream's, taken off the list if it is about to be closed. */
static struct memory_wide *memory_find_wide(FILE *file, bool closes)
{
    pthread_mutex_lock(&wide_mutex);
    struct memory_wide **at = &wide_streams, *s;
    while ((s = *at) && s->file != file)
        at = &s->next;
    if (s && closes)
        *at = s->next;
    pthread_mutex_unlock(&wide_mutex);
    return s;
}

static void memory_show_wide(struct memory_wide *s)
{
    size_t bytes = (s->len + 1) * sizeof *s->mine;
    wchar_t *copy = heap_realloc(*s->text, bytes);
    if (!copy)
        return;
    memcpy(copy, s->mine, bytes);
    *s->text = copy;
    *s->count = s->len;
}

HERE(FILE *, open_wmemstream, (wchar_t * *text, size_t *count), (text, count),
     WORDS((long)text, (long)count))
{
    struct memory_wide *s = calloc(1, sizeof *s);
    FILE *file = s ? open_wmemstream(&s->mine, &s->len) : NULL;
    if (!file) {
        free(s);
        return NULL;
    }
    *text = NULL;
    *count = 0;
    pthread_mutex_lock(&wide_mutex);
    *s = (struct memory_wide){ file, text, s->mine, count, s->len, wide_streams };
    wide_streams = s;
    pthread_mutex_unlock(&wide_mutex);
    return file;
}

static void memory_flush_wide(void)
{
    pthread_mutex_lock(&wide_mutex);
    for (struct memory_wide *s = wide_streams; s; s = s->next)
        if (s->mine)
            memory_show_wide(s);
    pthread_mutex_unlock(&wide_mutex);
}

HERE(int, fflush, (FILE * file), (file), WORDS((long)file))
{
    int rc = fflush(file);
    struct memory_wide *s = file ? memory_find_wide(file, false) : NULL;
    if (s && s->mine)
        memory_show_wide(s);
    if (!file)
        memory_flush_wide();
    return rc;
}

HERE(int, fclose, (FILE * file), (file), WORDS((long)file))
{
    struct memory_wide *s = memory_find_wide(file, true);
    int rc = fclose(file);
    if (s && s->mine)
        memory_show_wide(s);
    if (s)
        free(s->mine);
    free(s);
    return rc;
}

/* ---- directories: each has one entry in shared memory ---- */

struct memory_directory {
    DIR *dir;
    struct dirent *entry;
    struct memory_directory *next;
};
static struct memory_directory *directories;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct dirent *memory_entry_of(DIR *dir)
{
    pthread_mutex_lock(&mutex);
    struct memory_directory *d = directories;
    while (d && d->dir != dir)
        d = d->next;
    if (!d && (d = malloc(sizeof *d))) {
        *d = (struct memory_directory){ dir, heap_malloc(sizeof *d->entry), directories };
        directories = d;
    }
    pthread_mutex_unlock(&mutex);
    return d ? d->entry : NULL;
}

HERE(struct dirent *, readdir, (DIR * dir), (dir), WORDS((long)dir))
{
    const struct dirent *from = readdir(dir);
    struct dirent *entry = from ? memory_entry_of(dir) : NULL;
    return entry ? memcpy(entry, from, from->d_reclen) : NULL;
}

HERE(int, closedir, (DIR * dir), (dir), WORDS((long)dir))
{
    pthread_mutex_lock(&mutex);
    for (struct memory_directory **at = &directories; *at; at = &(*at)->next)
        if ((*at)->dir == dir) {
            struct memory_directory *d = *at;
            *at = d->next;
            heap_free(d->entry);
            free(d);
            break;
        }
    pthread_mutex_unlock(&mutex);
    return closedir(dir);
}

typedef int memory_filter_fn(const struct dirent *);
typedef int memory_order_fn(const struct dirent **, const struct dirent **);

static int memory_share_list(int count, struct dirent **list, struct dirent ***out)
{
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++)
        list[i] = memory_shared(list[i], list[i]->d_reclen);
    *out = memory_shared(list, (size_t)(count ? count : 1) * sizeof *list);
    return count;
}

HERE(int, scandir,
     (const char *path, struct dirent ***out, memory_filter_fn *takes, memory_order_fn *order),
     (path, out, takes, order), WORDS((long)path, (long)out, (long)takes, (long)order))
{
    struct dirent **list;
    int count = scandir(path, &list, takes, order);
    return memory_share_list(count, list, out);
}

HERE(int, scandirat,
     (int dir, const char *path, struct dirent ***out, memory_filter_fn *takes,
      memory_order_fn *order),
     (dir, path, out, takes, order), WORDS(dir, (long)path, (long)out, (long)takes, (long)order))
{
    struct dirent **list;
    int count = scandirat(dir, path, &list, takes, order);
    return memory_share_list(count, list, out);
}

struct dirent64 *__wrap_readdir64(DIR *) __attribute__((alias("__wrap_readdir")));
int __wrap_scandir64(const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
                     int (*)(const struct dirent64 **, const struct dirent64 **))
    __attribute__((alias("__wrap_scandir")));
int __wrap_scandirat64(int, const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
                       int (*)(const struct dirent64 **, const struct dirent64 **))
    __attribute__((alias("__wrap_scandirat")));
