/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wire-up with any launcher that serves PMIx: Open MPI's mpirun, srun --mpi=pmix, prterun.
 *
 *   - libpmix is loaded only if such a launcher started the process: hlrcrun's jobs and programs
 *     without a launcher have neither its threads nor the libraries that it loads.
 *   - An exchange puts a blob under new keys, "hlrc.EXCHANGE.PIECE": PMIx caches what it has once
 *     returned, so no key is used twice. Every fence collects: without that, it is no barrier
 *     between hosts under Slurm.
 *   - The launcher's death is an event, delivered in PMIx's thread, which closes the write end of a
 *     pipe; the read end is boot_fd().
 *   - A report writes its line and ends the process with its status; every launcher then ends the
 *     job with that status. PMIx_Abort is not used: it allocates and locks, which a handler that
 *     interrupted malloc must not, and it sometimes crashes or hangs Open MPI 4.1's mpirun.
 *   - Of the nodes of one host only the first that binds the job's socket name reports; the reports
 *     of the others are the same, or follow from it. Node 0 draws the name at random, and only the
 *     job knows it: any other process that could bind it would silence the nodes.
 *   - An exchange that fails reports nothing at first: a node has died, its launcher is about to
 *     end this one as well, and messages of the survivors would hide the cause.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pmix.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/system_sigaction.h"
#include "base/tasks.h"
#include "boot/boot_backend.h"

/*
 * The reporting node keeps the name until the others had time to fail for the same reason. The
 * others wait longer, so that its status reaches the launcher first.
 */
enum { SPEAKER_MS = 200, OTHERS_MS = 1500 };

/* Bytes under one key; milliseconds within which a launcher that ends a job ends this process. */
enum { PIECE = 32 * 1024, ENDING_MS = 5000 };

/* The calls that are used, by name; their types are in pmix.h. */
#define PMIX_CALLS(X) \
    X(Init) X(Finalize) X(Put) X(Commit) X(Fence) X(Get) X(Register_event_handler) X(Error_string)

static struct {
#define POINTER(name) __typeof__(PMIx_##name) *name;
    PMIX_CALLS(POINTER)
#undef POINTER
} pmix;

/* Random bytes in the name of the job, so that it cannot be guessed. */
enum { SECRET_BYTES = 16 };

struct boot_pmix {
    struct boot head;
    pmix_proc_t self;
    unsigned exchanges;
    pmix_status_t status;       /* of the last call that failed */
    struct sockaddr_un speaker; /* name that the first reporter of a host binds */
    socklen_t speaker_len;
    bool speaks; /* this node has reported for its host */
};

/* Write end of boot_fd()'s pipe; the thread that closes it takes it. */
static atomic_int alive_fd = -1;

static struct boot_pmix *boot_pmix_of(struct boot *boot)
{
    return (struct boot_pmix *)boot;
}

static void boot_pmix_alive_close(void)
{
    int fd = atomic_exchange(&alive_fd, -1);

    if (fd >= 0)
        close(fd);
}

static void boot_pmix_connection_lost(size_t id, pmix_status_t status, const pmix_proc_t *source,
                                      pmix_info_t *info, size_t infos, pmix_info_t *results,
                                      size_t nresults, pmix_event_notification_cbfunc_fn_t done,
                                      void *data)
{
    (void)id, (void)status, (void)source, (void)info, (void)infos, (void)results, (void)nresults;
    boot_pmix_alive_close();
    if (done != NULL)
        done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, data);
}

/* The name is free again when this process ends. */
static bool boot_pmix_speaks_for_host(const struct boot_pmix *p)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return fd < 0 || bind(fd, (const struct sockaddr *)&p->speaker, p->speaker_len) == 0 ||
           errno != EADDRINUSE;
}

static void boot_pmix_speaker_name(struct boot_pmix *p, const unsigned char *secret)
{
    char *name = p->speaker.sun_path + 1;
    int len = snprintf(name, sizeof p->speaker.sun_path - 1, "hlrc-");

    p->speaker.sun_family = AF_UNIX;
    /* an abstract name: leaves nothing in a file system that would have to be removed */
    for (int i = 0; i < SECRET_BYTES; i++)
        len += snprintf(name + len, 3, "%02x", secret[i]);
    p->speaker_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static void boot_pmix_report(struct boot *boot, int status, const char *line)
{
    bool speaks = boot_pmix_speaks_for_host(boot_pmix_of(boot));

    if (speaks)
        diag_warn("%s", line);
    boot_pmix_of(boot)->speaks = speaks;
    if (status > 128) /* a signal ends the caller, which must still dump core */
        return;
    poll(NULL, 0, speaks ? SPEAKER_MS : OTHERS_MS);
    _exit(status > 0 ? status : 1);
}

static void boot_pmix_detail(struct boot *boot, const char *line)
{
    if (boot_pmix_of(boot)->speaks)
        diag_warn("%s", line);
}

static bool boot_pmix_succeeded(struct boot_pmix *p, pmix_status_t status)
{
    if (status != PMIX_SUCCESS)
        p->status = status;
    return status == PMIX_SUCCESS;
}

static bool boot_pmix_put_pieces(struct boot_pmix *p, const char *blob, size_t len)
{
    for (size_t at = 0, piece = 0; at < len; at += PIECE, piece++) {
        pmix_value_t value = { .type = PMIX_BYTE_OBJECT };
        char key[64];

        value.data.bo.bytes = (char *)(uintptr_t)(blob + at);
        value.data.bo.size = len - at < PIECE ? len - at : PIECE;
        snprintf(key, sizeof key, "hlrc.%u.%zu", p->exchanges, piece);
        if (!boot_pmix_succeeded(p, pmix.Put(PMIX_GLOBAL, key, &value)))
            return false;
    }
    return len == 0 || boot_pmix_succeeded(p, pmix.Commit());
}

static bool boot_pmix_fence(struct boot_pmix *p)
{
    pmix_info_t collect = { .key = PMIX_COLLECT_DATA,
                            .value = { .type = PMIX_BOOL, .data.flag = true } };

    return boot_pmix_succeeded(p, pmix.Fence(NULL, 0, &collect, 1));
}

/* One piece of a node's blob, which must have this many bytes. */
static int boot_pmix_get_piece(struct boot_pmix *p, const pmix_proc_t *from, size_t piece,
                               char *out, size_t bytes)
{
    pmix_value_t *value = NULL;
    char key[64];
    int err = 0;

    snprintf(key, sizeof key, "hlrc.%u.%zu", p->exchanges, piece);
    /* if the node has died there may be nothing, although the fence succeeded */
    if (!boot_pmix_succeeded(p, pmix.Get(from, key, NULL, 0, &value)))
        return -ECONNRESET;
    if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size != bytes)
        err = -EPROTO;
    else
        memcpy(out, value->data.bo.bytes, bytes);
    if (value->type == PMIX_BYTE_OBJECT)
        free(value->data.bo.bytes);
    free(value);
    return err;
}

static int boot_pmix_get_blob(struct boot_pmix *p, int node, char *out, size_t len)
{
    pmix_proc_t from = p->self;
    int err = 0;

    from.rank = (pmix_rank_t)node;
    for (size_t at = 0; at < len && err == 0; at += PIECE)
        err = boot_pmix_get_piece(p, &from, at / PIECE, out + at,
                                  len - at < PIECE ? len - at : PIECE);
    if (err == -EPROTO)
        diag_report(1,
                    "node %d sends another number of bytes in a collective exchange than this node "
                    "(%zu); the nodes run different versions of the library or of the program",
                    node, len);
    return err;
}

static int boot_pmix_lost(const struct boot_pmix *p)
{
    poll(NULL, 0, ENDING_MS);
    diag_report(1,
                "an exchange with the other nodes failed (PMIx: %s), but the launcher has not "
                "ended the job",
                pmix.Error_string(p->status));
    return -ECONNRESET;
}

static int boot_pmix_exchange(struct boot *boot, const void *mine, size_t len, void *all)
{
    struct boot_pmix *p = boot_pmix_of(boot);
    int err = boot_pmix_put_pieces(p, mine, len) && boot_pmix_fence(p) ? 0 : -ECONNRESET;

    for (int node = 0; node < boot->nodes && err == 0 && len > 0; node++)
        if (node == boot->node)
            memcpy((char *)all + (size_t)node * len, mine, len);
        else
            err = boot_pmix_get_blob(p, node, (char *)all + (size_t)node * len, len);
    p->exchanges++;
    return err == -ECONNRESET ? boot_pmix_lost(p) : err;
}

/* Node 0 draws the name, all nodes get it. */
static int boot_pmix_speaker_agree(struct boot_pmix *p)
{
    unsigned char secret[SECRET_BYTES];
    pmix_proc_t first = p->self;
    bool mine = p->head.node == 0;
    int err = 0;

    first.rank = 0;
    if (mine && getrandom(secret, sizeof secret, 0) != (ssize_t)sizeof secret) {
        diag_warn("node 0: no random bytes for the wire-up with PMIx: %s", strerror(errno));
        return -EIO;
    }
    if (!boot_pmix_put_pieces(p, (const char *)secret, mine ? sizeof secret : 0) ||
        !boot_pmix_fence(p))
        return boot_pmix_lost(p);
    if (!mine)
        err = boot_pmix_get_piece(p, &first, 0, (char *)secret, sizeof secret);
    p->exchanges++;
    if (err == 0)
        boot_pmix_speaker_name(p, secret);
    return err == 0 ? 0 : boot_pmix_lost(p);
}

static void boot_pmix_goodbye(struct boot *boot, bool finalized)
{
    (void)finalized;
    (void)boot;
    pmix.Finalize(NULL, 0);
}

static int boot_pmix_quit(struct boot *boot, int status)
{
    (void)boot;
    return status == 0 ? -ENOTSUP : 0;
}

static void boot_pmix_close(struct boot *boot)
{
    boot_pmix_alive_close();
    close(boot->fd);
    free(boot);
}

static const struct boot_ops pmix_ops = {
    .launcher = BOOT_OTHER,
    .exchange = boot_pmix_exchange,
    .goodbye = boot_pmix_goodbye,
    .quit = boot_pmix_quit,
    .report = boot_pmix_report,
    .detail = boot_pmix_detail,
    .close = boot_pmix_close,
};

/* One line for the job, not one per process. */
static bool boot_pmix_first_rank(void)
{
    const char *rank = secure_getenv("PMIX_RANK");

    return rank == NULL || atoi(rank) == 0;
}

static int boot_pmix_library_load(void)
{
    static const struct {
        const char *name;
        void *pointer;
    } calls[] = {
#define ROW(name) { "PMIx_" #name, &pmix.name },
        PMIX_CALLS(ROW)
#undef ROW
    };
    void *library, *call = NULL;

    /* no dynamic loader: libpmix would load a second C library */
    if (getauxval(AT_BASE) == 0) {
        if (boot_pmix_first_rank())
            diag_warn("a program that is linked statically cannot load libpmix; link it "
                      "dynamically, or use hlrcrun");
        return -ENOTSUP;
    }
    /* in the system's path, or where it was at build time; RTLD_GLOBAL for the components that it
     * loads */
    library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        library = dlopen(PMIX_LIBDIR "/libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; library != NULL && i < sizeof calls / sizeof *calls; i++) {
        call = dlsym(library, calls[i].name);
        if (call == NULL)
            break;
        memcpy(calls[i].pointer, &call, sizeof call);
    }
    if (call != NULL)
        return 0;
    if (boot_pmix_first_rank())
        diag_warn("%s; a launcher with PMIx started this program, so install libpmix (Debian: "
                  "libpmix2), or use hlrcrun",
                  dlerror());
    return -ENOTSUP;
}

static int boot_pmix_job_size(struct boot_pmix *p)
{
    pmix_proc_t job = p->self;
    pmix_value_t *value = NULL;
    uint32_t size = 0;

    job.rank = PMIX_RANK_WILDCARD;
    if (pmix.Get(&job, PMIX_JOB_SIZE, NULL, 0, &value) == PMIX_SUCCESS &&
        value->type == PMIX_UINT32)
        size = value->data.uint32;
    free(value);
    if (size > NODES_MAX || p->self.rank >= size) {
        if (p->self.rank == 0)
            diag_warn("%u processes in this job; HLRC supports 1 to %d, numbered from 0", size,
                      NODES_MAX);
        return -ERANGE;
    }
    p->head.node = (int)p->self.rank;
    p->head.nodes = (int)size;
    return 0;
}

static int boot_pmix_connection_watch(struct boot_pmix *p)
{
    pmix_status_t code = PMIX_ERR_LOST_CONNECTION;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    p->head.fd = ends[0];
    atomic_store(&alive_fd, ends[1]);
    return pmix.Register_event_handler(&code, 1, NULL, 0, boot_pmix_connection_lost, NULL, NULL) < 0
               ? -EIO
               : 0;
}

/* After PMIx_Init. */
static int boot_pmix_node_make(struct boot_pmix *p)
{
    int err = boot_pmix_job_size(p);

    if (err < 0)
        return err;
    err = boot_pmix_connection_watch(p);
    if (err < 0) {
        diag_warn("node %d: starting the wire-up with PMIx: %s", p->head.node, strerror(-err));
        return err;
    }
    return boot_pmix_speaker_agree(p);
}

/* All threads that start here inherit a mask that blocks the program's signals, which only the
 * program's threads handle. */
static int boot_pmix_connect(struct boot_pmix *p)
{
    sigset_t all, old;
    pmix_status_t status;
    int err = -ENOENT, threads;

    sigfillset(&all);
    system_sigaction_mask(SIG_SETMASK, &all, &old);
    threads = tasks_all();
    status = pmix.Init(&p->self, NULL, 0);
    tasks_own(tasks_all() - threads); /* libpmix's threads, which stay */
    if (status == PMIX_SUCCESS)
        err = boot_pmix_node_make(p);
    system_sigaction_mask(SIG_SETMASK, &old, NULL);
    /* variables left over from a launcher that has ended */
    if (status == PMIX_SUCCESS || status == PMIX_ERR_UNREACH)
        return err;
    if (boot_pmix_first_rank())
        diag_warn(
            "PMIx_Init: %s (%d); the versions of the launcher and of libpmix are incompatible",
            pmix.Error_string(status), status);
    return -EPROTO;
}

int boot_pmix_open(struct boot **out)
{
    struct boot_pmix *p;
    int err;

    if (secure_getenv("PMIX_NAMESPACE") == NULL || secure_getenv("PMIX_RANK") == NULL ||
        boot_inherited())
        return -ENOENT;
    err = boot_pmix_library_load();
    if (err < 0)
        return err;
    p = calloc(1, sizeof *p);
    if (p == NULL) {
        diag_warn("out of memory at start");
        return -ENOMEM;
    }
    p->head.ops = &pmix_ops;
    err = boot_pmix_connect(p);
    if (err < 0) {
        free(p);
        return err;
    }
    *out = &p->head;
    return 0;
}
