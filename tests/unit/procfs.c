/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * base/procfs.h: values in texts, a program's name with parentheses, and mappings of files with odd
 * and very long names, compared with what the system calls say.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procfs.h"
#include "tests/unit/unit.h"

#define PAGE 4096u

static char folder[] = "/tmp/hlrc-procfs-XXXXXX";

static uint64_t number_in(const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/number", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    return procfs_number(path, 7);
}

static void numbers(void)
{
    char text[8] = "before";
    assert_int_equal(number_in("0\n"), 0);
    assert_int_equal(number_in("65530\n"), 65530);
    assert_int_equal(number_in("12 kB"), 12);
    assert_int_equal(number_in("max\n"), 7);
    assert_int_equal(number_in(""), 7);
    assert_int_equal(number_in("-1"), 7);
    assert_true(number_in("18446744073709551614") == UINT64_MAX - 1);
    assert_true(number_in("18446744073709551616") == UINT64_MAX);
    assert_true(number_in("99999999999999999999999") == UINT64_MAX);
    assert_int_equal(procfs_number("/proc/none", 7), 7);
    assert_int_equal(procfs_read("/proc/none", text, sizeof text), -ENOENT);
    assert_string_equal(text, "");
    assert_int_equal(procfs_read("/proc", text, sizeof text), -EISDIR);
    assert_int_equal(procfs_read("/proc/version", text, sizeof text), 7);
    assert_string_equal(text, "Linux v");
}

static void values(void)
{
    static const char text[] =
        "Mem 5\nMemTotal:  8000 kB\nFree: 1\noom_kill_disable 0\noom_kill 4\n"
        "State:\tR (running)\nEmpty:\nLast\t9";
    assert_int_equal(procfs_value(text, "Mem", 0), 5);
    assert_int_equal(procfs_value(text, "MemTotal", 0), 8000);
    assert_int_equal(procfs_value(text, "oom_kill", 0), 4);
    assert_int_equal(procfs_value(text, "Last", 0), 9);
    assert_int_equal(procfs_value(text, "Total", 3), 3); /* within a line */
    assert_int_equal(procfs_value(text, "State", 3), 3);
    assert_int_equal(procfs_value(text, "Empty", 3), 3); /* not the next line's */
    assert_int_equal(procfs_value("", "Mem", 3), 3);
    assert_int_equal(*procfs_find(text, "State"), 'R');
    assert_null(procfs_find(text, "Stat"));
}

/* PS1 */
static void odd_program(void)
{
    char text[1024];
    assert_int_equal(prctl(PR_SET_NAME, "a) Z 1 (b) 2"), 0);
    assert_true(procfs_read("/proc/self/stat", text, sizeof text) > 0);
    assert_int_equal(*procfs_stat_field(text, 3), 'R');
    assert_int_equal(atoi(procfs_stat_field(text, 4)), getppid());
    assert_int_equal(atoi(procfs_stat_field(text, 5)), getpgrp());
    assert_int_equal(atoi(procfs_stat_field(text, 6)), getsid(0));
    assert_null(procfs_stat_field(text, 400));
    assert_null(procfs_stat_field("12 (x", 3));
}

/* A folder of 19 levels, each named by 200 times `letter`; the process is in it afterwards. */
static void enter_deep(char letter)
{
    char name[201];
    memset(name, letter, 200);
    name[200] = '\0';
    for (int level = 0; level < 19; level++) {
        (void)mkdir(name, 0700);
        assert_int_equal(chdir(name), 0);
    }
}

static void remove_deep(char letter)
{
    char name[201];
    memset(name, letter, 200);
    name[200] = '\0';
    for (int level = 0; level < 19; level++) {
        assert_int_equal(chdir(".."), 0);
        assert_int_equal(rmdir(name), 0);
    }
}

/* Maps the second page of a new file for reading, `name` within the working folder. */
static char *map_file(const char *name, int flags, uint64_t *inode)
{
    struct stat st;
    int fd = open(name, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && ftruncate(fd, 2 * PAGE) == 0 && fstat(fd, &st) == 0);
    char *at = mmap(NULL, PAGE, PROT_READ, flags, fd, PAGE);
    assert_ptr_not_equal(at, MAP_FAILED);
    close(fd);
    *inode = st.st_ino;
    return at;
}

static bool find(const void *at, struct procfs_maps *maps, struct procfs_map *out)
{
    assert_true(procfs_maps_open(maps, 0));
    while (procfs_maps_next(maps, out))
        if (out->begin <= (uintptr_t)at && (uintptr_t)at < out->end)
            return true;
    return false;
}

static void check_file(const char *at, uint64_t inode, bool is_shared, const char *name)
{
    static struct procfs_maps maps;
    struct procfs_map m;
    assert_true(find(at, &maps, &m));
    assert_ptr_equal((char *)m.begin, at);
    assert_ptr_equal((char *)m.end, at + PAGE);
    assert_true(m.readable && !m.writable && !m.executable && m.is_shared == is_shared);
    assert_int_equal(m.offset, PAGE);
    assert_int_equal(m.inode, inode);
    assert_non_null(strstr(m.name, name));
    procfs_maps_close(&maps);
}

static void odd_files(void)
{
    static const char odd[] = " a b-c rwxp\n7f00-8000 rw-p 0 0:0 5 [heap]";
    uint64_t inode;
    assert_int_equal(chdir(folder), 0);
    char *at = map_file(odd, MAP_SHARED, &inode);
    check_file(at, inode, true, "/ a b-c rwxp\\0127f00-8000 rw-p 0 0:0 5 [heap]");
    assert_int_equal(unlink(odd), 0);
    check_file(at, inode, true, "[heap] (deleted)");
    munmap(at, PAGE);
}

/* Terabytes without a page, and a mapping amid them of which three pages are written. */
static void used_parts(void)
{
    static struct procfs_maps maps;
    struct procfs_map m;
    size_t large = (size_t)1 << 40, small = 64 * PAGE, seen = 0;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *none = mmap(NULL, large, PROT_NONE, flags, -1, 0), *some = none + large / 2;
    assert_ptr_not_equal(none, MAP_FAILED);
    assert_ptr_equal(mmap(some, small, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0), some);
    (void)madvise(some, small, MADV_NOHUGEPAGE);
    some[0] = some[5 * PAGE] = some[6 * PAGE] = 1;
    assert_true(procfs_maps_open_used(&maps));
    while (procfs_maps_next(&maps, &m)) {
        if (m.begin < (uintptr_t)none || m.begin >= (uintptr_t)(none + large))
            continue;
        assert_int_equal(m.used_kb, m.begin == (uintptr_t)some ? 3 * PAGE / 1024 : 0);
        assert_int_equal(m.writable, m.begin == (uintptr_t)some);
        assert_string_equal(m.name, "");
        seen++;
    }
    assert_int_equal(maps.error, 0);
    assert_int_equal(seen, 3);
    procfs_maps_close(&maps);
    munmap(none, large);
}

/* PS2: every mapping, compared with the lines that stdio reads; one has 15,000 characters. */
static void long_names(void)
{
    static struct procfs_maps maps;
    struct procfs_map m;
    uint64_t inode;
    size_t room = 65536; /* so that getline maps nothing */
    char *line = malloc(room), *file[2];
    uintptr_t begin, end;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chdir(folder), 0);
        enter_deep(i ? '\n' : 'x');
        file[i] = map_file("f", MAP_PRIVATE, &inode);
        check_file(file[i], inode, false, i ? "\\012\\012" : "xx/f");
        unlink("f");
        remove_deep(i ? '\n' : 'x');
    }
    FILE *f = fopen("/proc/self/maps", "re");
    assert_non_null(f);
    assert_true(procfs_maps_open(&maps, 0));
    while (getline(&line, &room, f) > 0) {
        assert_int_equal(sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end), 2);
        assert_true(procfs_maps_next(&maps, &m));
        if (!strstr(line, "[heap]") && !strstr(line, "[stack]")) { /* these may grow */
            assert_int_equal(m.begin, begin);
            assert_int_equal(m.end, end);
        }
    }
    assert_false(procfs_maps_next(&maps, &m));
    assert_int_equal(maps.error, 0);
    procfs_maps_close(&maps);
    fclose(f);
    free(line);
    munmap(file[0], PAGE);
    munmap(file[1], PAGE);
}

static void programs(void)
{
    char path[4096], own[4096], small[4];
    struct procfs_map m;
    static struct procfs_maps maps;
    assert_true(procfs_program(path, sizeof path) > 0);
    assert_non_null(realpath("/proc/self/exe", own));
    assert_string_equal(path, own);
    assert_int_equal(procfs_program(small, sizeof small), 3);
    assert_memory_equal(small, own, 3);
    assert_int_equal(small[3], '\0');
    assert_true(find((const void *)(uintptr_t)programs, &maps, &m));
    assert_true(m.executable && strcmp(m.name, own) == 0);
    procfs_maps_close(&maps);
    assert_false(procfs_maps_open(&maps, 0x7fffffff));
    assert_int_equal(maps.error, -ENOENT);
}

static void begin(void)
{
    strcpy(folder, "/tmp/hlrc-procfs-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void end(void)
{
    char path[64];

    snprintf(path, sizeof path, "%s/number", folder);
    unlink(path);
    rmdir(folder);
}

UNIT_MAIN(begin, end, TEST(numbers), TEST(values), TEST(odd_program), TEST(odd_files),
          TEST(used_parts), TEST(long_names), TEST(programs))
