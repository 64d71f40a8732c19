/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_file.c - see checkpoint_file.h. */
#include "hlrc/checkpoint/checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "hlrc/checkpoint/checkpoint_queue.h"

#ifdef HAVE_ZSTD
#    include <dlfcn.h>
#    include <zstd.h>
#endif

#define BLOCK_BYTES (256u << 10) /* uncompressed */
#define LIMIT_BYTES (4u << 20)   /* between two looks at the limit */

/* A block is compressed if that halves a sample of it. Otherwise compression takes more CPU time
 * than the bytes that it saves are worth. In memory a byte and its copy at the partner cost 1 ns,
 * and level 1 costs 2 to 6 ns. There the level is one of the fast ones, at 0.3 to 1.1 ns, and a
 * sample has to shrink to a quarter. */
#define SAMPLE_PARTS 4
#define SAMPLE_PART  (4u << 10)
#define SAMPLE_BYTES (SAMPLE_PARTS * SAMPLE_PART)
#define SAMPLE_MOST  (SAMPLE_BYTES / 2)
#define LEVEL        1
#define LEVEL_MEMORY (-10)

/* Before each block. */
struct checkpoint_file_head {
    uint32_t stored; /* bytes in the file; 0: the end of the file */
    uint32_t length; /* uncompressed; equal to `stored`: it is not compressed */
    uint64_t digest; /* of the stored bytes */
};

struct checkpoint_file {
    int fd, rc;
    char *block, *stored;
    void *packer;          /* of a file that was created; NULL: not compressed */
    uint32_t used, length; /* of the block */
    uint64_t bytes;
    int (*room)(void);              /* NULL: the file is not in memory */
    uint64_t looked;                /* at this length */
    struct checkpoint_queue *queue; /* what is put there passes through it; no file is open */
    char *kept;                     /* memory of the caller; NULL: none */
    size_t kept_bytes, kept_room;
    bool waited; /* it was full */
};

/* ---- compression ---- */

#ifdef HAVE_ZSTD
static struct {
    __typeof__(&ZSTD_createCCtx) create;
    __typeof__(&ZSTD_freeCCtx) end;
    __typeof__(&ZSTD_compressCCtx) pack;
    __typeof__(&ZSTD_decompress) unpack;
    __typeof__(&ZSTD_isError) failed;
} zstd;

static bool checkpoint_file_has_zstd(void)
{
    void *library = zstd.failed ? NULL : dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)(void *)&zstd.create = dlsym(library, "ZSTD_createCCtx");
        *(void **)(void *)&zstd.end = dlsym(library, "ZSTD_freeCCtx");
        *(void **)(void *)&zstd.pack = dlsym(library, "ZSTD_compressCCtx");
        *(void **)(void *)&zstd.unpack = dlsym(library, "ZSTD_decompress");
        *(void **)(void *)&zstd.failed = dlsym(library, "ZSTD_isError");
    }
    return zstd.create && zstd.end && zstd.pack && zstd.unpack && zstd.failed;
}

/* Its memory is allocated by the first block, of which there is one here. */
static void checkpoint_file_packer_open(struct checkpoint_file *f)
{
    f->packer = checkpoint_file_has_zstd() ? zstd.create() : NULL;
    memset(f->block, 0, BLOCK_BYTES);
    if (f->packer)
        (void)zstd.pack(f->packer, f->stored, BLOCK_BYTES, f->block, BLOCK_BYTES, 1);
}

static void checkpoint_file_packer_close(struct checkpoint_file *f)
{
    if (f->packer)
        (void)zstd.end(f->packer);
}

static int checkpoint_file_level(const struct checkpoint_file *f)
{
    return f->room ? LEVEL_MEMORY : LEVEL;
}

static bool checkpoint_file_sample_shrinks(const struct checkpoint_file *f, const char *block,
                                           uint32_t len)
{
    char *sample = f->stored + BLOCK_BYTES - SAMPLE_BYTES;
    if (len < 2 * SAMPLE_BYTES)
        return true;
    for (uint32_t i = 0; i < SAMPLE_PARTS; i++)
        memcpy(sample + i * SAMPLE_PART, block + i * (len / SAMPLE_PARTS), SAMPLE_PART);
    size_t n = zstd.pack(f->packer, f->stored, SAMPLE_BYTES, sample, SAMPLE_BYTES,
                         checkpoint_file_level(f));
    return !zstd.failed(n) && n <= (f->room ? SAMPLE_MOST / 2 : SAMPLE_MOST);
}

static uint32_t checkpoint_file_pack(const struct checkpoint_file *f, const char *block,
                                     uint32_t len)
{
    if (!f->packer || !checkpoint_file_sample_shrinks(f, block, len))
        return 0;
    size_t n = zstd.pack(f->packer, f->stored, BLOCK_BYTES, block, len, checkpoint_file_level(f));
    return zstd.failed(n) || n >= len ? 0 : (uint32_t)n;
}

static int checkpoint_file_unpack(const struct checkpoint_file *f, uint32_t stored, uint32_t length)
{
    if (!checkpoint_file_has_zstd())
        return -ENOTSUP;
    size_t n = zstd.unpack(f->block, length, f->stored, stored);
    return zstd.failed(n) || n != length ? -EBADMSG : 0;
}
#else
static void checkpoint_file_packer_open(struct checkpoint_file *f)
{
    (void)f;
}

static void checkpoint_file_packer_close(struct checkpoint_file *f)
{
    (void)f;
}

/* Bytes in f->stored; 0: the block does not become smaller. */
static uint32_t checkpoint_file_pack(const struct checkpoint_file *f, const char *block,
                                     uint32_t len)
{
    (void)f, (void)block, (void)len;
    return 0;
}

static int checkpoint_file_unpack(const struct checkpoint_file *f, uint32_t stored, uint32_t length)
{
    (void)f, (void)stored, (void)length;
    return -ENOTSUP;
}
#endif

/* ---- open and close ---- */

static void checkpoint_file_free(struct checkpoint_file *f)
{
    if (f) {
        checkpoint_file_packer_close(f);
        free(f->block);
        free(f->stored);
    }
    free(f);
}

static struct checkpoint_file *checkpoint_file_new(const char *path, int flags, int *rc)
{
    struct checkpoint_file *f = calloc(1, sizeof *f);
    if (f) {
        f->block = malloc(BLOCK_BYTES);
        f->stored = malloc(BLOCK_BYTES);
    }
    bool ready = f && f->block && f->stored;
    *rc = ready ? 0 : -ENOMEM;
    if (ready && (f->fd = open(path, flags | O_CLOEXEC, 0666)) < 0)
        *rc = -errno;
    if (*rc == 0)
        return f;
    checkpoint_file_free(f);
    return NULL;
}

struct checkpoint_file *checkpoint_file_create(const char *path, int *rc)
{
    struct checkpoint_file *f = checkpoint_file_new(path, O_WRONLY | O_CREAT | O_TRUNC, rc);
    if (f)
        checkpoint_file_packer_open(f);
    return f;
}

struct checkpoint_file *checkpoint_file_divert(struct checkpoint_queue *queue, int *rc)
{
    struct checkpoint_file *f = calloc(1, sizeof *f);
    *rc = f ? 0 : -ENOMEM;
    if (f)
        f->queue = queue;
    return f;
}

struct checkpoint_file *checkpoint_file_open(const char *path, int *rc)
{
    return checkpoint_file_new(path, O_RDONLY, rc);
}

int checkpoint_file_close(struct checkpoint_file *f)
{
    int rc = f->rc;
    if (!f->queue && close(f->fd) != 0 && rc == 0)
        rc = -errno;
    checkpoint_file_free(f);
    return rc;
}

void checkpoint_file_fail(struct checkpoint_file *f, int rc)
{
    if (f->rc == 0)
        f->rc = rc;
}

int checkpoint_file_status(const struct checkpoint_file *f)
{
    return f->rc;
}

/* ---- writing ---- */

void checkpoint_file_limit(struct checkpoint_file *f, int (*room)(void))
{
    f->room = room;
}

static void checkpoint_file_look(struct checkpoint_file *f)
{
    if (!f->room || f->rc || (f->looked > 0 && f->bytes - f->looked < LIMIT_BYTES))
        return;
    f->rc = f->room();
    f->looked = f->bytes + 1;
}

static void checkpoint_file_write(struct checkpoint_file *f, const void *from, size_t len)
{
    const char *at = from;
    checkpoint_file_look(f);
    f->bytes += len;
    while (f->rc == 0 && len > 0) {
        ssize_t n = write(f->fd, at, len);
        if (n < 0 && errno != EINTR)
            f->rc = -errno;
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

static void checkpoint_file_put_block(struct checkpoint_file *f, const char *block, uint32_t len)
{
    uint32_t packed = checkpoint_file_pack(f, block, len);
    const char *stored = packed ? f->stored : block;
    struct checkpoint_file_head head = { packed ? packed : len, len, 0 };
    head.digest = digest_of_words(stored, head.stored);
    checkpoint_file_write(f, &head, sizeof head);
    checkpoint_file_write(f, stored, head.stored);
}

static void checkpoint_file_flush(struct checkpoint_file *f)
{
    checkpoint_file_put_block(f, f->block, f->used);
    f->used = 0;
}

/* A block that lies there as a whole is not copied. */
static void checkpoint_file_put_blocks(struct checkpoint_file *f, const void *from, size_t len)
{
    const char *at = from;
    while (f->rc == 0 && len > 0) {
        size_t n = BLOCK_BYTES - f->used < len ? BLOCK_BYTES - f->used : len;
        if (n == BLOCK_BYTES) {
            checkpoint_file_put_block(f, at, BLOCK_BYTES);
        } else {
            memcpy(f->block + f->used, at, n);
            f->used += (uint32_t)n;
            if (f->used == BLOCK_BYTES)
                checkpoint_file_flush(f);
        }
        at += n;
        len -= n;
    }
}

void checkpoint_file_keep(struct checkpoint_file *f, void *memory, size_t bytes)
{
    f->kept = memory;
    f->kept_room = memory ? bytes : 0;
}

/* False: there is no room, and what was kept has been put. */
static bool checkpoint_file_keep_more(struct checkpoint_file *f, const void *from, size_t len)
{
    if (len > f->kept_room - f->kept_bytes) {
        checkpoint_file_put_blocks(f, f->kept, f->kept_bytes);
        f->kept_bytes = 0;
        f->waited = true;
    }
    if (len > f->kept_room)
        return false;
    memcpy(f->kept + f->kept_bytes, from, len);
    f->kept_bytes += len;
    return true;
}

void checkpoint_file_put(struct checkpoint_file *f, const void *from, size_t len)
{
    if (f->queue && f->rc == 0)
        checkpoint_queue_put(f->queue, from, len);
    else if (!f->kept || !checkpoint_file_keep_more(f, from, len))
        checkpoint_file_put_blocks(f, from, len);
}

void checkpoint_file_put_kept(struct checkpoint_file *f)
{
    if (f->kept)
        checkpoint_file_put_blocks(f, f->kept, f->kept_bytes);
    checkpoint_file_keep(f, NULL, 0);
}

bool checkpoint_file_has_waited(const struct checkpoint_file *f)
{
    return f->waited;
}

int checkpoint_file_complete(struct checkpoint_file *f, uint64_t *bytes)
{
    const struct checkpoint_file_head end = { 0, 0, 0 };
    if (f->rc == 0 && f->used > 0)
        checkpoint_file_flush(f);
    checkpoint_file_write(f, &end, sizeof end);
    if (f->rc == 0 && fsync(f->fd) != 0)
        f->rc = -errno;
    *bytes = f->bytes;
    return f->rc;
}

int checkpoint_file_finish(struct checkpoint_file *f, uint64_t *bytes)
{
    (void)checkpoint_file_complete(f, bytes);
    return checkpoint_file_close(f);
}

int checkpoint_file_descriptor(const struct checkpoint_file *f)
{
    return f->fd;
}

/* ---- reading ---- */

static void checkpoint_file_read(struct checkpoint_file *f, void *to, size_t len)
{
    char *at = to;
    while (f->rc == 0 && len > 0) {
        ssize_t n = read(f->fd, at, len);
        if (n == 0)
            f->rc = -EBADMSG; /* cut short */
        else if (n < 0 && errno != EINTR)
            f->rc = -errno;
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

/* Reads and checks the next block. */
static void checkpoint_file_fill(struct checkpoint_file *f)
{
    struct checkpoint_file_head head = { 0, 0, 0 };
    checkpoint_file_read(f, &head, sizeof head);
    if (f->rc == 0 && (head.stored == 0 || head.stored > head.length || head.length > BLOCK_BYTES))
        f->rc = -EBADMSG;
    bool packed = head.stored < head.length;
    char *stored = packed ? f->stored : f->block;
    checkpoint_file_read(f, stored, head.stored);
    if (f->rc == 0 && digest_of_words(stored, head.stored) != head.digest)
        f->rc = -EBADMSG;
    if (f->rc == 0 && packed)
        f->rc = checkpoint_file_unpack(f, head.stored, head.length);
    f->used = 0;
    f->length = f->rc ? 0 : head.length;
}

void checkpoint_file_get(struct checkpoint_file *f, void *to, size_t len)
{
    char *at = to;
    while (f->rc == 0 && len > 0) {
        size_t n = f->length - f->used < len ? f->length - f->used : len;
        if (n == 0) {
            checkpoint_file_fill(f);
            continue;
        }
        memcpy(at, f->block + f->used, n);
        f->used += (uint32_t)n;
        at += n;
        len -= n;
    }
    memset(at, 0, len);
}

void checkpoint_file_skip(struct checkpoint_file *f, uint64_t len)
{
    char some[4096];
    for (size_t n; f->rc == 0 && len > 0; len -= n) {
        n = len < sizeof some ? (size_t)len : sizeof some;
        checkpoint_file_get(f, some, n);
    }
}
