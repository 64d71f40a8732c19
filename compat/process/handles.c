/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handles.c - see handles.h. */
#include "compat/process/handles.h"

#include <dlfcn.h>
#include <hlrc.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/process/delegate.h"
#include "compat/start/lane.h"
#include "compat/start/numbers.h"
#include "compat/start/start.h"

#define MOST 128

/* In shared memory; guarded by LOCK_DELEGATE. */
static struct handles_table {
    uint32_t used, changes;
    struct handles_entry {
        void *handle; /* of `node`, which may use the address again after dlclose */
        int node, mode;
        uint32_t changed;
        char path[HANDLES_PATH];
    } entries[MOST];
} * table;

/* Of this node, in the place of the entry's; guarded by LOCK_DELEGATE. */
static struct handles_here {
    void *handle;
    uint32_t changed; /* it is for this content of the entry */
} here[MOST];

/* Under the lock; NULL: none. */
static struct handles_entry *handles_find(void *handle)
{
    struct handles_entry *found = NULL;
    for (uint32_t i = 0; i < table->used; i++)
        if (table->entries[i].handle == handle &&
            (!found || table->entries[i].node == hlrc_node_id()))
            found = &table->entries[i];
    return found;
}

struct handles_task {
    void *handle, *here;
    int mode;
    bool opens;
    char path[HANDLES_PATH];
};

/* ---- on the private stack ---- */

static void handles_note(void *arg)
{
    const struct handles_task *t = arg;
    hlrc_lock(LOCK_DELEGATE);
    struct handles_entry *e = handles_find(t->handle);
    if (e && e->node != hlrc_node_id() && strcmp(e->path, t->path) == 0) {
        hlrc_unlock(LOCK_DELEGATE);
        return;
    }
    if (e && e->node != hlrc_node_id())
        start_fail("dlopen: nodes %d and %d have %s and %s at one address; link the program with "
                   "them",
                   e->node, hlrc_node_id(), e->path, t->path);
    if (!e && table->used == MOST)
        start_fail("dlopen: more than %d libraries; open fewer", MOST);
    if (!e)
        e = &table->entries[table->used++];
    if (!e->changed || strcmp(e->path, t->path) != 0)
        e->changed = ++table->changes;
    e->handle = t->handle;
    e->node = hlrc_node_id();
    e->mode = t->mode;
    strcpy(e->path, t->path);
    hlrc_unlock(LOCK_DELEGATE);
}

static void handles_get(void *arg)
{
    struct handles_task *t = arg;
    hlrc_lock(LOCK_DELEGATE);
    const struct handles_entry *e = handles_find(t->handle);
    if (e && e->node != hlrc_node_id()) {
        const struct handles_here *h = &here[e - table->entries];
        t->opens = h->changed != e->changed || !h->handle;
        t->here = h->handle;
        t->mode = e->mode;
        strcpy(t->path, e->path);
    }
    hlrc_unlock(LOCK_DELEGATE);
}

static void handles_set(void *arg)
{
    const struct handles_task *t = arg;
    hlrc_lock(LOCK_DELEGATE);
    const struct handles_entry *e = handles_find(t->handle);
    if (e)
        here[e - table->entries] = (struct handles_here){ t->here, e->changed };
    hlrc_unlock(LOCK_DELEGATE);
}

/* ---- by begin.c ---- */

static char *handles_folder(char *room, long bytes)
{
    return getcwd(room, (size_t)bytes);
}

const char *hlrc_handle_path(const char *file, char room[HANDLES_PATH])
{
    char folder[HANDLES_PATH];
    if (!start_away || !file || file[0] == '/' || !strchr(file, '/') ||
        !DELEGATE(handles_folder, (long)folder, (long)sizeof folder))
        return file;
    int length = snprintf(room, HANDLES_PATH, "%s/%s", folder, file);
    return length < HANDLES_PATH ? room : file;
}

void hlrc_handle_note(void *handle, int mode)
{
    struct link_map *map = NULL;
    char full[PATH_MAX];
    struct handles_task t = { .handle = handle, .mode = mode & ~RTLD_NOLOAD };
    if (!start_sharing || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return;
    const char *path = map->l_name[0] && realpath(map->l_name, full) ? full : map->l_name;
    if (strlen(path) >= sizeof t.path)
        start_fail("dlopen: %s: the name is longer than %d bytes; move the library", path,
                   HANDLES_PATH - 1);
    strcpy(t.path, path);
    lane_call(handles_note, &t);
}

bool hlrc_handle_find(void **handle, char path[HANDLES_PATH], int *mode)
{
    struct handles_task t = { .handle = *handle, .here = *handle };
    if (!start_sharing || *handle == RTLD_DEFAULT || *handle == RTLD_NEXT)
        return false;
    lane_call(handles_get, &t);
    *handle = t.here;
    *mode = t.mode;
    strcpy(path, t.path);
    return t.opens;
}

void hlrc_handle_opened(void *handle, void *opened)
{
    struct handles_task t = { .handle = handle, .here = opened };
    lane_call(handles_set, &t);
}

static void handles_begin(void)
{
    if (start_sharing)
        table = start_shared_memory(sizeof *table, "names of libraries");
}

__attribute__((constructor)) static void handles_at_start(void)
{
    start_at_begin(handles_begin);
}
