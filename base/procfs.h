/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * procfs.h - small text files of /proc, /sys and control groups, and the mappings of a process.
 *
 * No function allocates or takes a lock, so all may run in a signal handler and in the child of a
 * process with several threads.
 *
 *   PS1  The name of a program, in /proc/PID/stat, may contain blanks and parentheses. It ends with
 *        the last parenthesis.
 *   PS2  A line of /proc/PID/maps may be longer than the buffer, because a path has up to 4,096
 *        characters, each up to four in the line. It is cut off, which shortens the name only.
 */
#ifndef HLRC_PROCFS_H
#define HLRC_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads up to room - 1 bytes of the file and a '\0' after them. Returns their count, or a negative
 * errno with text empty. */
ssize_t procfs_read(const char *path, char *text, size_t room);

/* The same for a file of one number and other text. Returns `otherwise` without a number. */
uint64_t procfs_number(const char *path, uint64_t otherwise);

/* Path of the running program, with a '\0'. Returns its length or a negative errno. */
ssize_t procfs_program(char *path, size_t room);

/* The value in the line "KEY: value" or "KEY value"; the rest of the text follows it. NULL: no such
 * line. */
const char *procfs_find(const char *text, const char *key);

/* The number in that line; `otherwise` without one. */
uint64_t procfs_value(const char *text, const char *key, uint64_t otherwise);

/* A field of /proc/PID/stat by its number in proc(5), from 3 on (PS1). NULL: none. */
const char *procfs_stat_field(const char *text, int field);

/* ---- mappings, by ascending address ---- */

struct procfs_map {
    uintptr_t begin, end;
    bool readable, writable, executable, is_shared;
    uint64_t offset, inode; /* in the file; 0: none */
    const char *name;       /* of the file, "[heap]", ...; "" for none. Until the next map */
    uint64_t used_kb;       /* of procfs_maps_open_used: present or swapped out */
};

struct procfs_maps {
    int fd;
    int error; /* negative errno of the read that ended it; 0: none */
    bool skips, used;
    size_t at, end;
    char text[8192]; /* PS2 */
};

/* `pid` 0: this process. Returns false, with `error`, if the mappings cannot be read. */
bool procfs_maps_open(struct procfs_maps *m, pid_t pid);
/* Of this process, with used_kb; name is "". Takes time for each page that is present. */
bool procfs_maps_open_used(struct procfs_maps *m);
bool procfs_maps_next(struct procfs_maps *m, struct procfs_map *out);
void procfs_maps_close(struct procfs_maps *m);

#endif
