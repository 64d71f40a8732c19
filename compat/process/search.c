/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * search.c - memory that the C library allocates inside its own functions and the program uses
 * afterwards: trees and tables of search.h, argz vectors, lists of file names and interfaces.
 *
 * With several nodes the C library's calls of malloc and so on reach functions of this file. While
 * a thread calls a function whose memory is the program's (`shares`), they allocate shared memory.
 * Memory that is freed is recognised by its address (heap.h).
 */
#include <argz.h>
#include <dirent.h>
#include <envz.h>
#include <execinfo.h>
#include <fts.h>
#include <glob.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/heap.h"
#include "compat/start/image.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

/* ---- the C library's calls ---- */

/* Volatile: the compiler takes some of these functions to call none of this file. */
static _Thread_local volatile bool shares;

static void *search_malloc(size_t size)
{
    return shares ? heap_malloc(size) : malloc(size);
}

static void *search_calloc(size_t count, size_t size)
{
    return shares ? heap_calloc(count, size) : calloc(count, size);
}

static void *search_realloc(void *ptr, size_t size)
{
    return heap_is_shared(ptr) || (shares && !ptr) ? heap_realloc(ptr, size) : realloc(ptr, size);
}

static const void *search_find(const char *name)
{
    static const struct {
        const char *name;
        void (*fn)(void);
    } calls[] = { { "malloc", (void (*)(void))search_malloc },
                  { "calloc", (void (*)(void))search_calloc },
                  { "realloc", (void (*)(void))search_realloc },
                  { "free", (void (*)(void))heap_free } };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(name, calls[i].name) == 0)
            return (const void *)(uintptr_t)calls[i].fn;
    return NULL;
}

/* ---- functions whose memory is the program's ---- */

#define SHARING(type, name, arguments) \
    bool outer = shares;               \
    shares = start_sharing;            \
    type result = name arguments;      \
    shares = outer;                    \
    return result

/* On the calling node. */
#define ALLOCATES(type, name, parameters, arguments) \
    type __wrap_##name parameters                    \
    {                                                \
        SHARING(type, name, arguments);              \
    }

ALLOCATES(int, hcreate_r, (size_t count, struct hsearch_data *to), (count, to))
ALLOCATES(error_t, argz_create, (char *const argv[], char **argz, size_t *len), (argv, argz, len))
ALLOCATES(error_t, argz_create_sep, (const char *s, int sep, char **argz, size_t *len),
          (s, sep, argz, len))
ALLOCATES(error_t, argz_add, (char **argz, size_t *len, const char *s), (argz, len, s))
ALLOCATES(error_t, argz_add_sep, (char **argz, size_t *len, const char *s, int sep),
          (argz, len, s, sep))
ALLOCATES(error_t, argz_append, (char **argz, size_t *len, const char *from, size_t bytes),
          (argz, len, from, bytes))
ALLOCATES(error_t, argz_insert, (char **argz, size_t *len, char *before, const char *s),
          (argz, len, before, s))
ALLOCATES(error_t, argz_replace,
          (char **argz, size_t *len, const char *s, const char *with, unsigned *count),
          (argz, len, s, with, count))
ALLOCATES(error_t, envz_add, (char **envz, size_t *len, const char *name, const char *value),
          (envz, len, name, value))
ALLOCATES(error_t, envz_merge,
          (char **envz, size_t *len, const char *more, size_t bytes, int replace),
          (envz, len, more, bytes, replace))
ALLOCATES(char **, backtrace_symbols, (void *const *at, int count), (at, count))

/* By node 0. */
HERE(int, hcreate, (size_t count), (count), WORDS((long)count))
{
    SHARING(int, hcreate, (count));
}

HERE(int, getifaddrs, (struct ifaddrs * *list), (list), WORDS((long)list))
{
    SHARING(int, getifaddrs, (list));
}

HERE(struct if_nameindex *, if_nameindex, (void), (), WORDS(0))
{
    SHARING(struct if_nameindex *, if_nameindex, ());
}

/* Walks of directories, with the program's comparison. */
typedef int search_order_fn(const FTSENT **, const FTSENT **);

HERE(FTS *, fts_open, (char *const *paths, int options, search_order_fn *order),
     (paths, options, order), WORDS((long)paths, options, (long)order))
{
    SHARING(FTS *, fts_open, (paths, options, order));
}

HERE(FTSENT *, fts_read, (FTS * walk), (walk), WORDS((long)walk))
{
    SHARING(FTSENT *, fts_read, (walk));
}

HERE(FTSENT *, fts_children, (FTS * walk, int options), (walk, options), WORDS((long)walk, options))
{
    SHARING(FTSENT *, fts_children, (walk, options));
}

HERE(int, fts_set, (FTS * walk, FTSENT *entry, int options), (walk, entry, options),
     WORDS((long)walk, (long)entry, options))
{
    return fts_set(walk, entry, options);
}

HERE(int, fts_close, (FTS * walk), (walk), WORDS((long)walk))
{
    return fts_close(walk);
}

FTS64 *__wrap_fts64_open(char *const *, int, int (*)(const FTSENT64 **, const FTSENT64 **))
    __attribute__((alias("__wrap_fts_open")));
FTSENT64 *__wrap_fts64_read(FTS64 *) __attribute__((alias("__wrap_fts_read")));
FTSENT64 *__wrap_fts64_children(FTS64 *, int) __attribute__((alias("__wrap_fts_children")));
int __wrap_fts64_set(FTS64 *, FTSENT64 *, int) __attribute__((alias("__wrap_fts_set")));
int __wrap_fts64_close(FTS64 *) __attribute__((alias("__wrap_fts_close")));

/* ---- trees: the program's comparison allocates as usual ---- */

typedef int search_compare_fn(const void *, const void *);
static _Thread_local search_compare_fn *compares;

static int search_compare(const void *a, const void *b)
{
    search_compare_fn *fn = compares;
    shares = false;
    int order = fn(a, b);
    shares = true;
    compares = fn;
    return order;
}

void *__wrap_tsearch(const void *key, void **root, search_compare_fn *compare)
{
    if (!start_sharing)
        return tsearch(key, root, compare);
    bool outer = shares;
    shares = true;
    compares = compare;
    void *found = tsearch(key, root, search_compare);
    shares = outer;
    return found;
}

/* ---- lists of texts: glob and wordexp return private ones, which are copied ---- */

struct search_list {
    char **texts;
    size_t count, offset; /* after `offset` null pointers */
};

/* `old`: to which these are appended. False: no memory. */
static bool search_copy(struct search_list *to, const struct search_list *old, char **texts,
                        size_t count)
{
    size_t offset = old->offset, kept = old->texts ? old->count : 0;
    char **all = heap_calloc(offset + kept + count + 1, sizeof *all);
    for (size_t i = 0; all && i < kept; i++)
        all[offset + i] = old->texts[offset + i];
    for (size_t i = 0; all && i < count; i++) {
        size_t bytes = strlen(texts[i]) + 1;
        char *copy = heap_malloc(bytes);
        if (!copy)
            return false;
        all[offset + kept + i] = memcpy(copy, texts[i], bytes);
    }
    if (all && kept)
        heap_free(old->texts);
    *to = (struct search_list){ all, kept + count, offset };
    return all;
}

static void search_free(char **texts, size_t count, size_t offset)
{
    for (size_t i = 0; i < count; i++)
        heap_free(texts[offset + i]);
    heap_free(texts);
}

typedef int search_error_fn(const char *path, int error);

HERE(int, glob, (const char *pattern, int flags, search_error_fn *on_error, glob_t *out),
     (pattern, flags, on_error, out), WORDS((long)pattern, flags, (long)on_error, (long)out))
{
    glob_t mine = *out;
    struct search_list old = { flags & GLOB_APPEND ? out->gl_pathv : NULL, out->gl_pathc,
                               flags & GLOB_DOOFFS ? out->gl_offs : 0 },
                       all;
    int rc = glob(pattern, flags & ~(GLOB_APPEND | GLOB_DOOFFS), on_error, &mine);
    bool found = rc == 0 || (rc == GLOB_ABORTED && mine.gl_pathc > 0);
    if (!(flags & GLOB_APPEND)) {
        out->gl_pathc = 0;
        out->gl_pathv = NULL;
    }
    if (found && search_copy(&all, &old, mine.gl_pathv, mine.gl_pathc)) {
        out->gl_pathv = all.texts;
        out->gl_pathc = all.count;
    } else if (found) {
        rc = GLOB_NOSPACE;
    }
    out->gl_flags = mine.gl_flags | (flags & (GLOB_APPEND | GLOB_DOOFFS));
    if (found)
        globfree(&mine);
    return rc;
}

void __wrap_globfree(glob_t *list)
{
    if (!heap_is_shared(list->gl_pathv)) {
        globfree(list);
        return;
    }
    search_free(list->gl_pathv, list->gl_pathc, list->gl_flags & GLOB_DOOFFS ? list->gl_offs : 0);
    list->gl_pathv = NULL;
    list->gl_pathc = 0;
}

void __wrap_wordfree(wordexp_t *list)
{
    if (heap_is_shared(list->we_wordv)) {
        search_free(list->we_wordv, list->we_wordc, list->we_offs);
        list->we_wordv = NULL;
    } else {
        wordfree(list);
    }
}

HERE(int, wordexp, (const char *words, wordexp_t *out, int flags), (words, out, flags),
     WORDS((long)words, (long)out, flags))
{
    wordexp_t mine = { 0 };
    if (flags & WRDE_REUSE)
        __wrap_wordfree(out);
    struct search_list old = { flags & WRDE_APPEND ? out->we_wordv : NULL, out->we_wordc,
                               flags & WRDE_DOOFFS ? out->we_offs : 0 },
                       all;
    int rc = wordexp(words, &mine, flags & ~(WRDE_APPEND | WRDE_DOOFFS | WRDE_REUSE));
    if (rc != 0)
        return rc;
    if (search_copy(&all, &old, mine.we_wordv, mine.we_wordc)) {
        out->we_wordv = all.texts;
        out->we_wordc = all.count;
        out->we_offs = all.offset;
    } else {
        rc = WRDE_NOSPACE;
    }
    wordfree(&mine);
    return rc;
}

int __wrap_glob64(const char *, int, search_error_fn *, glob64_t *)
    __attribute__((alias("__wrap_glob")));
void __wrap_globfree64(glob64_t *) __attribute__((alias("__wrap_globfree")));

static void search_begin(void)
{
    if (start_sharing)
        image_bind_c_library(search_find);
}

__attribute__((constructor)) static void search_at_start(void)
{
    start_at_begin(search_begin);
}
