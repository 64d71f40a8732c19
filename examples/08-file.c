/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 08-file IN OUT: a file is read into shared memory and written from there; OUT has the lines of IN
 * in capitals. All nodes see both files.
 *
 * The kernel does not fetch pages: given shared memory that is not accessible at that moment, read
 * and write fail with EFAULT, or end early where a page is reached that is not. hlrc_touch before
 * each call makes the bytes accessible.
 */
#include <ctype.h>
#include <fcntl.h>
#include <hlrc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE  4096
#define PIECE ((size_t)64 << 10) /* bytes that are made accessible at once */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bytes `from` to `end` of the file, to the same place of `text`. */
static int part_read(int fd, char *text, size_t from, size_t end)
{
    while (from < end) {
        size_t len = least(PIECE, end - from);
        if (hlrc_touch(text + from, len, 1) != 0) /* the call writes to memory */
            return -1;
        ssize_t got = pread(fd, text + from, len, (off_t)from);
        if (got <= 0)
            return -1;
        from += (size_t)got;
    }
    return 0;
}

static int part_write(int fd, char *text, size_t from, size_t end)
{
    while (from < end) {
        size_t len = least(PIECE, end - from);
        if (hlrc_touch(text + from, len, 0) != 0) /* reads memory */
            return -1;
        ssize_t put = pwrite(fd, text + from, len, (off_t)from);
        if (put <= 0)
            return -1;
        from += (size_t)put;
    }
    return 0;
}

/* Returns how many letters have changed. */
static long part_change(char *text, size_t from, size_t end)
{
    long changed = 0;
    for (size_t i = from; i < end; i++) {
        char letter = (char)toupper((unsigned char)text[i]);
        changed += letter != text[i];
        text[i] = letter;
    }
    return changed;
}

static int work(int in, int out, size_t size)
{
    size_t nodes = (size_t)hlrc_node_count(), me = (size_t)hlrc_node_id();
    size_t part = (size / nodes + PAGE) / PAGE * PAGE; /* pages of its own for each node */
    size_t from = least(me * part, size), end = least(from + part, size);
    long *changed = hlrc_malloc_all(sizeof *changed);
    char *text = hlrc_malloc_all(size + 1);
    if (!changed || !text || part_read(in, text, from, end) != 0)
        return -1;

    long mine = part_change(text, from, end);
    hlrc_lock(0);
    *changed += mine;
    hlrc_unlock(0);
    hlrc_barrier();

    /* what another node read and changed, so that it comes here first */
    size_t next = (me + 1) % nodes;
    from = least(next * part, size), end = least(from + part, size);
    if (part_write(out, text, from, end) != 0)
        return -1;
    if (me == 0)
        printf("%zu bytes, %ld letters changed\n", size, *changed);
    return 0;
}

int main(int argc, char **argv)
{
    struct stat about;
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    if (argc != 3) {
        fprintf(stderr, "usage: 08-file IN OUT\n");
        return 1;
    }
    int in = open(argv[1], O_RDONLY), out = open(argv[2], O_WRONLY | O_CREAT, 0666);
    if (in < 0 || out < 0 || fstat(in, &about) != 0 || ftruncate(out, about.st_size) != 0 ||
        work(in, out, (size_t)about.st_size) != 0) {
        perror("08-file");
        return 1;
    }
    hlrc_finalize();
    return close(in) == 0 && close(out) == 0 ? 0 : 1;
}
