/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files and streams that threads of several nodes open, read, write and close. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

static int fd, ends[2], queue;
static FILE *file;
static char text[200];
static _Thread_local char own[64];

static void *writes(void *arg)
{
    long me = (long)arg;
    strcpy(own, "thread-local ");
    printf("thread %ld: %zd %zd", me, write(fd, "abcdefgh", 8), write(fd, own, strlen(own)));
    printf(", at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    return NULL;
}

static void *reads(void *arg)
{
    long me = (long)arg;
    char line[20];
    memset(line, 0, sizeof line);
    memset(own, 0, sizeof own);
    ssize_t got = read(fd, line, 5), more = read(fd, own, 6);
    printf("thread %ld reads %zd '%s', %zd '%s'\n", me, got, line, more, own);
    struct iovec pieces[2] = { { line, 2 }, { text, 3 } };
    got = readv(fd, pieces, 2);
    printf("%zd '%.2s' '%.3s'", got, line, text);
    got = pread(fd, line, 4, 2);
    printf(", %zd '%.4s'\n", got, line);
    return NULL;
}

static void descriptors(void)
{
    fd = open("a", O_RDWR | O_CREAT | O_TRUNC, 0640);
    run_everywhere(writes);
    lseek(fd, 0, SEEK_SET);
    run_everywhere(reads);
    printf("main at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
    close(fd);
}

static void *opens(void *arg)
{
    struct stat s;
    int copy, was = errno;
    errno = 0;
    fd = open("b", O_RDWR | O_CREAT, 0600);
    copy = dup(fd);
    printf("written %zd, copy %d", write(copy, "12345", 5), copy != fd && copy > 2);
    printf(", closed %d", close(copy));
    printf(", again %d", close(copy));
    printf(" %s\n", strerror(errno));
    errno = was;
    printf("size %ld", fstat(fd, &s) == 0 ? (long)s.st_size : -1);
    printf(", %d", open("/no/such", O_RDONLY));
    printf(" %s\n", strerror(errno));
    return arg;
}

static void opened_by_threads(void)
{
    for (long i = 0; i < THREADS; i++) {
        char back[6] = "";
        run_in(opens, NULL);
        printf("main %zd", pread(fd, back, 5, 0));
        printf(" %s %d %d\n", back, close(fd), unlink("b"));
    }
}

/* ---- streams ---- */

static void *prints(void *arg)
{
    long me = (long)arg;
    int n = 0;
    strcpy(own, "own");
    fprintf(file, "%ld %s %5.2f|%n", me, own, 1.5 * (double)me, &n);
    fputs(own, file);
    fputc('\n', file);
    fwrite(own, 1, 2, file);
    putc('\n', file);
    for (int i = 0; i < 3000; i++)
        fprintf(file, "%d,", i);
    fputc('\n', file);
    printf("thread %ld: %d at %ld\n", me, n, ftell(file));
    return NULL;
}

static void *scans(void *arg)
{
    long me = (long)arg;
    int n = -1, c, sum = 0, count = 0;
    double d = -1;
    char word[20] = "", *line = NULL;
    size_t room = 0;
    printf("scanned %d", fscanf(file, "%d %19s %lf|", &n, word, &d));
    printf(" %d %s %.2f", n, word, d);
    printf(" '%s'", fgets(own, sizeof own, file) ? own : "end");
    printf(" '%s'\n", fgets(word, sizeof word, file) ? word : "end");
    while ((c = getc(file)) != EOF && c != ',')
        count++;
    ungetc('7', file);
    printf("getc %d, back %d", count, getc(file));
    ssize_t length = getline(&line, &room, file);
    for (ssize_t i = 0; i < length; i++)
        sum += line[i];
    free(line);
    printf(", line %zd %d, eof %d error %d\n", length, sum, feof(file), ferror(file));
    return (void *)me;
}

static void streams(void)
{
    file = fopen("c", "w+");
    setvbuf(file, NULL, _IOFBF, 1 << 15);
    run_everywhere(prints);
    fprintf(file, "main\n");
    rewind(file);
    run_everywhere(scans);
    printf("main reads '%s'", fgets(text, sizeof text, file) ? text : "end");
    printf("then %d %d\n", getc(file), feof(file) != 0);
    fclose(file);
}

static void *opens_stream(void *arg)
{
    file = fopen("d", "w");
    fprintf(file, "by a thread %ld\n", (long)arg);
    return NULL;
}

static void *closes_stream(void *arg)
{
    printf("closed %d\n", fclose(file));
    return arg;
}

static void streams_of_threads(void)
{
    run_in(opens_stream, NULL);
    fprintf(file, "by main\n");
    run_in(closes_stream, NULL);
    file = fopen("d", "r");
    printf("%zu bytes", fread(text, 1, sizeof text, file));
    printf(": %.*s", 24, text);
    fclose(file);
}

/* Standard output has one buffer: order is kept. */
static void *says(void *arg)
{
    puts("said by a thread");
    putchar('0' + (int)(long)arg);
    putchar_unlocked('\n');
    return NULL;
}

static void *locked(void *arg)
{
    for (int i = 0; i < 20; i++) {
        flockfile(stdout);
        printf("line ");
        printf("of ");
        puts("three");
        funlockfile(stdout);
    }
    return arg;
}

static void output(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < 3; i++) {
        printf("main %d, ", i);
        run_in(says, (void *)(long)i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, locked, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

/* ---- a call that blocks holds up no other ---- */

static void *waits_for_byte(void *arg)
{
    char c = 0;
    return read(ends[0], &c, 1) == 1 ? arg : NULL;
}

static void *gives_byte(void *arg)
{
    printf("given %zd\n", write(ends[1], "x", 1));
    return arg;
}

static void *makes_pipe(void *arg)
{
    printf("pipe %d\n", pipe(ends));
    return arg;
}

static void blocking(void)
{
    pthread_t t[THREADS];
    run_in(makes_pipe, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, waits_for_byte, ends);
    usleep(50000);
    run_everywhere(gives_byte);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(t[i], &result);
        printf("has read %d\n", result == ends);
    }
    struct pollfd p = { .fd = ends[0], .events = POLLIN };
    printf("nothing left %d\n", poll(&p, 1, 0));
    close(ends[0]);
    close(ends[1]);
}

/* ---- asynchronous transfers, begun, awaited and asked for by threads of several nodes ---- */

static struct aiocb transfer[2];
static char moved[2][32];

static void *begins_transfer(void *arg)
{
    int reads = arg != NULL;
    transfer[reads] = (struct aiocb){ .aio_fildes = fd, .aio_buf = moved[reads], .aio_nbytes = 20 };
    printf("begun %d\n", reads ? aio_read(&transfer[1]) : aio_write(&transfer[0]));
    return arg;
}

static void *awaits_transfer(void *arg)
{
    const struct aiocb *list[] = { arg };
    printf("suspended %d\n", aio_suspend(list, 1, NULL));
    return arg;
}

static void *ends_transfer(void *arg)
{
    struct aiocb *t = arg;
    printf("ended %d %zd %s\n", aio_error(t), aio_return(t), moved[1]);
    return arg;
}

static void *lists_transfers(void *arg)
{
    struct aiocb *list[] = { &transfer[1], NULL };
    memset(moved[1], 0, sizeof moved[1]);
    transfer[1].aio_offset = 8;
    transfer[1].aio_lio_opcode = LIO_READ;
    printf("list %d %d", lio_listio(LIO_WAIT, list, 2, NULL), aio_error(&transfer[1]));
    printf(" %zd %s\n", aio_return(&transfer[1]), moved[1]);
    printf("cancelled %d\n", aio_cancel(fd, &transfer[1]) == AIO_ALLDONE);
    return arg;
}

static void transfers(void)
{
    strcpy(moved[0], "asynchronous input.");
    fd = open("transfers", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int reads = 0; reads < 2; reads++) {
        run_in(begins_transfer, reads ? &fd : NULL);
        run_in(awaits_transfer, &transfer[reads]);
        run_in(ends_transfer, &transfer[reads]);
    }
    run_everywhere(lists_transfers);
    transfer[1].aio_fildes = -1;
    printf("begun %d\n", aio_read(&transfer[1]));
    while (aio_error(&transfer[1]) == EINPROGRESS)
        usleep(1000);
    printf("refused %d %zd\n", aio_error(&transfer[1]), aio_return(&transfer[1]));
    close(fd);
}

/* ---- names ---- */

static void *renames(void *arg)
{
    struct stat s;
    char name[] = "temp-XXXXXX";
    int made = mkstemp(name);
    printf("mkstemp %d, rename %d, link %d", made > 2, rename(name, "e"), symlink("e", "f"));
    ssize_t length = readlink("f", text, sizeof text);
    printf(", %.*s, %d", (int)length, text, stat("f", &s) == 0 && S_ISREG(s.st_mode));
    printf(", access %d, %d", access("e", R_OK), access("none", R_OK));
    printf(", unlink %d %d close %d\n", unlink("e"), unlink("f"), close(made));
    return arg;
}

/* ---- memory that the system refuses, or of which it requires an alignment ---- */

static void *fails(void *arg)
{
    void *page;
    int plain = open("g", O_RDWR | O_CREAT, 0600), direct = open("g", O_RDWR | O_DIRECT);
    errno = 0;
    ssize_t put = write(plain, (void *)8, 5);
    printf("write %zd %s", put, strerror(errno));
    put = write(plain, "text", 4);
    errno = 0;
    ssize_t got = pread(plain, (void *)8, 4, 0);
    printf(", %zd, read %zd %s", put, got, strerror(errno));
    direct = direct < 0 ? plain : direct; /* not there on all file systems */
    if (posix_memalign(&page, 4096, 8192) != 0)
        exit(3);
    memset(page, 'd', 8192);
    put = pwrite(direct, page, 8192, 0);
    memset(page, 0, 8192);
    got = pread(direct, page, 4096, 4096);
    printf(", direct %zd %zd %c", put, got, *(char *)page);
    printf(", %d %d\n", direct == plain ? 0 : close(direct), unlink("g"));
    close(plain);
    free(page);
    return arg;
}

/* ---- a request of ioctl whose number does not contain the size ---- */

static void *asks_for_interface(void *arg)
{
    char name[IF_NAMESIZE] = "";
    unsigned index = if_nametoindex("lo");
    printf("interface %d %s\n", index > 0, if_indextoname(index, name));
    return arg;
}

/* ---- messages of System V ---- */

static void *sends_message(void *arg)
{
    struct {
        long type;
        char text[16];
    } m = { 1 + (long)arg, "message" };
    struct msqid_ds state;
    printf("msgsnd %d", msgsnd(queue, &m, 8, 0));
    memset(&m, 0, sizeof m);
    printf(" msgctl %d", msgctl(queue, IPC_STAT, &state));
    printf(" %d", (int)state.msg_qnum);
    printf(" msgrcv %zd", msgrcv(queue, &m, sizeof m.text, 0, IPC_NOWAIT));
    printf(" %ld %s\n", m.type, m.text);
    return arg;
}

static void *asks_for_semaphores(void *arg)
{
    struct semid_ds set;
    unsigned short values[3] = { 4, 5, 6 };
    int id = semget(IPC_PRIVATE, 3, 0600), rc = semctl(id, 0, IPC_STAT, &set);
    printf("semctl %d %lu", rc, set.sem_nsems);
    printf(" %d", semctl(id, 0, SETALL, values));
    memset(values, 0, sizeof values);
    printf(" %d", semctl(id, 0, GETALL, values));
    printf(" %d %d %d\n", values[0], values[2], semctl(id, 1, GETVAL));
    semctl(id, 0, IPC_RMID);
    struct shmid_ds segment;
    id = shmget(IPC_PRIVATE, 5000, 0600);
    rc = shmctl(id, IPC_STAT, &segment);
    printf("shmctl %d %zu %d\n", rc, segment.shm_segsz, shmctl(id, IPC_RMID, NULL));
    return arg;
}

/* HLRC's own have other numbers, and stay open. */
static void *closes_all(void *arg)
{
    int first = open("a", O_RDONLY);
    printf("first %d\n", first);
    for (int i = first; i < 1024; i++)
        close(i);
    first = open("a", O_RDONLY);
    printf("again %d", first);
    printf(" %d", close_range((unsigned)first, ~0U, 0));
    first = open("a", O_RDONLY);
    closefrom(first);
    printf(" %d %d\n", first, fcntl(first, F_GETFD));
    return arg;
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    descriptors();
    opened_by_threads();
    streams();
    streams_of_threads();
    output();
    blocking();
    transfers();
    run_everywhere(renames);
    run_everywhere(fails);
    run_everywhere(asks_for_interface);
    queue = msgget(IPC_PRIVATE, 0600);
    run_everywhere(sends_message);
    run_everywhere(asks_for_semaphores);
    msgctl(queue, IPC_RMID, NULL);
    run_everywhere(closes_all);
    printf("end\n");
    return 0;
}
