/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * 08-file IN OUT: reads a file into shared memory and writes it from there; OUT has the lines of
 * IN in capitals. All nodes can access both files.
 *
 * The kernel does not fetch pages. If shared memory is not accessible at that moment, read and
 * write fail with EFAULT, or stop early at the first inaccessible page. hlrc_touch before each
 * call makes the bytes accessible.
 */
#include <ctype.h>
#include <fcntl.h>
#include <hlrc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE  4096
#define PIECE ((size_t)64 << 10) /* bytes made accessible at once */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reads bytes `from` to `end` of the file to the same offset of `text`. */
static int part_read(int fd, char *text, size_t from, size_t end)
{
    while (from < end) {
        size_t len = least(PIECE, end - from);
        if (hlrc_touch(text + from, len, 1) != 0) /* pread will write to this memory */
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
        if (hlrc_touch(text + from, len, 0) != 0) /* pwrite will read it */
            return -1;
        ssize_t put = pwrite(fd, text + from, len, (off_t)from);
        if (put <= 0)
            return -1;
        from += (size_t)put;
    }
    return 0;
}

/* Returns the number of letters changed. */
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
    size_t part = (size / nodes + PAGE) / PAGE * PAGE; /* rounded up, so that each node has its own
                                                        * pages */
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

    /* the next node's part, so its pages are fetched first */
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
