/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * users.c - entries of users, groups and hosts: node 0 has the C library's variables for them
 * (delegate.h), and the program gets copies in shared memory.
 */
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/process/delegate.h"
#include "compat/process/here.h"
#include "compat/start/heap.h"
#include "compat/start/start.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the program's names for them */

#define MEMBERS    256
#define TEXT_BYTES 16384

/* In shared memory, one of each kind, as in the C library. */
static struct users_results {
    struct passwd user;
    struct group group;
    char *members[MEMBERS + 1];
    char user_text[TEXT_BYTES], group_text[TEXT_BYTES];
} * results;

/* Space for the texts of a result. */
struct users_room {
    char *at;
    size_t left;
};

static char *users_text(struct users_room *room, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    if (bytes == 0)
        return NULL;
    if (bytes > room->left)
        start_fail("an entry of a user or group has more than %d bytes", TEXT_BYTES);
    char *copy = memcpy(room->at, text, bytes);
    room->at += bytes;
    room->left -= bytes;
    return copy;
}

static struct passwd *users_user(const struct passwd *from)
{
    struct users_room room = { results->user_text, TEXT_BYTES };
    struct passwd *to = &results->user;
    if (!from)
        return NULL;
    *to = *from;
    to->pw_name = users_text(&room, from->pw_name);
    to->pw_passwd = users_text(&room, from->pw_passwd);
    to->pw_gecos = users_text(&room, from->pw_gecos);
    to->pw_dir = users_text(&room, from->pw_dir);
    to->pw_shell = users_text(&room, from->pw_shell);
    return to;
}

static struct group *users_group(const struct group *from)
{
    struct users_room room = { results->group_text, TEXT_BYTES };
    struct group *to = &results->group;
    int count = 0;
    if (!from)
        return NULL;
    *to = *from;
    to->gr_name = users_text(&room, from->gr_name);
    to->gr_passwd = users_text(&room, from->gr_passwd);
    for (; from->gr_mem[count]; count++) {
        if (count == MEMBERS)
            start_fail("group %s has more than %d members", from->gr_name, MEMBERS);
        results->members[count] = users_text(&room, from->gr_mem[count]);
    }
    results->members[count] = NULL;
    to->gr_mem = results->members;
    return to;
}

HERE(struct passwd *, getpwnam, (const char *name), (name), WORDS((long)name))
{
    return users_user(getpwnam(name));
}

HERE(struct passwd *, getpwuid, (uid_t uid), (uid), WORDS((long)uid))
{
    return users_user(getpwuid(uid));
}

HERE(struct passwd *, getpwent, (void), (), WORDS(0))
{
    return users_user(getpwent());
}

HERE(struct passwd *, fgetpwent, (FILE * file), (file), WORDS((long)file))
{
    return users_user(fgetpwent(file));
}

HERE(struct group *, fgetgrent, (FILE * file), (file), WORDS((long)file))
{
    return users_group(fgetgrent(file));
}

HERE(struct group *, getgrnam, (const char *name), (name), WORDS((long)name))
{
    return users_group(getgrnam(name));
}

HERE(struct group *, getgrgid, (gid_t gid), (gid), WORDS((long)gid))
{
    return users_group(getgrgid(gid));
}

HERE(struct group *, getgrent, (void), (), WORDS(0))
{
    return users_group(getgrent());
}

/* ---- hosts ---- */

/* One block for each. */
static struct addrinfo *users_host(const struct addrinfo *from)
{
    size_t name = from->ai_canonname ? strlen(from->ai_canonname) + 1 : 0;
    struct addrinfo *to = heap_malloc(sizeof *to + from->ai_addrlen + name);
    if (!to)
        return NULL;
    *to = *from;
    to->ai_addr = memcpy(to + 1, from->ai_addr, from->ai_addrlen);
    if (name)
        to->ai_canonname = memcpy((char *)(to + 1) + from->ai_addrlen, from->ai_canonname, name);
    to->ai_next = NULL;
    return to;
}

void __wrap_freeaddrinfo(struct addrinfo *list)
{
    if (!heap_is_shared(list)) {
        if (list)
            freeaddrinfo(list);
        return;
    }
    while (list) {
        struct addrinfo *next = list->ai_next;
        heap_free(list);
        list = next;
    }
}

HERE(int, getaddrinfo,
     (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out),
     (node, service, hints, out), WORDS((long)node, (long)service, (long)hints, (long)out))
{
    struct addrinfo *list, *first = NULL, **end = &first;
    int rc = getaddrinfo(node, service, hints, &list);
    if (rc != 0)
        return rc;
    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        if (!(*end = users_host(a))) {
            freeaddrinfo(list);
            __wrap_freeaddrinfo(first);
            return EAI_MEMORY;
        }
        end = &(*end)->ai_next;
    }
    freeaddrinfo(list);
    *out = first;
    return 0;
}

static void users_begin(void)
{
    if (start_sharing)
        results = start_shared_memory(sizeof *results, "results of the C library");
}

__attribute__((constructor)) static void users_at_start(void)
{
    start_at_begin(users_begin);
}
