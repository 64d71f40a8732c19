/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* checkpoint_manifest.c - see checkpoint_manifest.h. */
#include "hlrc/checkpoint/checkpoint_manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/procfs.h"

#define MAGIC      "hlrc-checkpoint 1\n"
#define DIGEST     "digest %016" PRIx64 "\n"
#define DIGEST_LEN 24
#define LENGTH     "bytes %020" PRIu64 "\n" /* of one width: it may be written later */
#define LENGTH_LEN 27
#define TEXT_MOST  (16u << 20)

char *checkpoint_manifest_path(char *path, size_t len, const char *dir, uint32_t generation)
{
    snprintf(path, len, "%s/manifest.%u", dir, generation);
    return path;
}

char *checkpoint_manifest_file(char *path, size_t len, const char *dir, uint32_t generation,
                               uint32_t node)
{
    snprintf(path, len, "%s/%u.node.%u", dir, generation, node);
    return path;
}

char *checkpoint_manifest_node_dir(char *path, size_t len, const char *root, uint32_t node)
{
    snprintf(path, len, "%s/%u", root, node);
    return path;
}

bool checkpoint_manifest_has_file(const char *dir, const struct checkpoint_manifest *m,
                                  uint32_t generation, uint32_t node)
{
    char path[PATH_MAX];
    struct stat st;
    checkpoint_manifest_file(path, sizeof path, dir, generation, node);
    return stat(path, &st) == 0 &&
           (uint64_t)st.st_size == m->bytes[(generation - m->base) * m->nodes + node];
}

/* ---- the directory ---- */

/* Calls fn with the number of each file: of a manifest, or of a node's file. */
static void checkpoint_manifest_each(const char *dir,
                                     void (*fn)(const char *name, uint32_t manifest, uint32_t file,
                                                void *arg),
                                     void *arg)
{
    DIR *d = opendir(dir);
    for (const struct dirent *e; d && (e = readdir(d));) {
        unsigned number, node;
        char end;
        if (sscanf(e->d_name, "manifest.%u%c", &number, &end) == 1)
            fn(e->d_name, number, 0, arg);
        else if (sscanf(e->d_name, "%u.node.%u%c", &number, &node, &end) == 2)
            fn(e->d_name, 0, number, arg);
    }
    if (d)
        closedir(d);
}

static void checkpoint_manifest_newer(const char *name, uint32_t manifest, uint32_t file, void *arg)
{
    uint32_t *newest = arg;
    (void)name, (void)file;
    if (manifest > *newest)
        *newest = manifest;
}

uint32_t checkpoint_manifest_newest(const char *dir)
{
    uint32_t newest = 0;
    checkpoint_manifest_each(dir, checkpoint_manifest_newer, &newest);
    return newest;
}

struct checkpoint_manifest_kept {
    const char *dir;
    uint32_t base, oldest;
};

static void checkpoint_manifest_remove(const char *name, uint32_t manifest, uint32_t file,
                                       void *arg)
{
    const struct checkpoint_manifest_kept *kept = arg;
    char path[PATH_MAX];
    if (manifest >= kept->oldest || file >= kept->base)
        return;
    snprintf(path, sizeof path, "%s/%s", kept->dir, name);
    (void)unlink(path);
}

void checkpoint_manifest_clean(const char *dir, uint32_t base, uint32_t oldest)
{
    struct checkpoint_manifest_kept kept = { dir, base, oldest };
    checkpoint_manifest_each(dir, checkpoint_manifest_remove, &kept);
}

static void checkpoint_manifest_remove_newer(const char *name, uint32_t manifest, uint32_t file,
                                             void *arg)
{
    const struct checkpoint_manifest_kept *kept = arg;
    char path[PATH_MAX];
    if (manifest <= kept->oldest && file <= kept->oldest)
        return;
    snprintf(path, sizeof path, "%s/%s", kept->dir, name);
    (void)unlink(path);
}

/* [checkpoint.newer-removed] */
void checkpoint_manifest_clean_newer(const char *dir, uint32_t newest)
{
    struct checkpoint_manifest_kept kept = { dir, 0, newest };
    checkpoint_manifest_each(dir, checkpoint_manifest_remove_newer, &kept);
}

/* ---- writing ---- */

/* A line; bytes that would end it are written as %XX. */
static void checkpoint_manifest_line(FILE *out, const char *word, const char *value)
{
    fprintf(out, "%s ", word);
    for (const char *c = value; *c; c++)
        if (*c == '%' || *c == '\n')
            fprintf(out, "%%%02X", (unsigned)*c);
        else
            fputc(*c, out);
    fputc('\n', out);
}

/* The options that were set. */
static void checkpoint_manifest_options(FILE *out, const struct config *config)
{
    char value[CONFIG_TEXT_MAX], line[CONFIG_TEXT_MAX + 64], name[64];
    for (int i = 0; i < CONFIG_COUNT; i++) {
        enum config_id id = (enum config_id)i;
        if (id == CONFIG_ID_restart || id == CONFIG_ID_restarts || id == CONFIG_ID_nodes ||
            id == CONFIG_ID_partner || config->source[id] == CONFIG_DEFAULT)
            continue;
        config_value(config, id, value, sizeof value);
        if (id == CONFIG_ID_checkpoint) /* without the directory, which may be moved */
            value[strcspn(value, ":")] = '\0';
        snprintf(line, sizeof line, "%s=%s", config_environment_name(id, name, sizeof name), value);
        checkpoint_manifest_line(out, "option", line);
    }
}

/* The program, its directory and its arguments. */
static void checkpoint_manifest_process(FILE *out)
{
    char path[PATH_MAX + 16] = "", cwd[PATH_MAX] = "", line[PATH_MAX + 16];
    char *args = NULL;
    size_t room = 0;
    if (procfs_program(path, PATH_MAX) > 0)
        checkpoint_manifest_line(out, "program", path);
    if (getcwd(cwd, sizeof cwd)) {
        snprintf(line, sizeof line, "HLRC_WDIR=%s", cwd);
        checkpoint_manifest_line(out, "option", line);
    }
    FILE *in = fopen("/proc/self/cmdline", "re");
    for (int i = 0; in && getdelim(&args, &room, '\0', in) > 0; i++)
        if (i > 0)
            checkpoint_manifest_line(out, "arg", args);
    if (in)
        fclose(in);
    free(args);
}

static char *checkpoint_manifest_print(const struct checkpoint_manifest *m,
                                       const struct config *config, size_t *len)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    if (!out)
        return NULL;
    fprintf(out, MAGIC "version %s\nnumbers %u %u %u %u %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
            m->version, m->generation, m->base, m->nodes, m->any, m->app, m->memory, m->program);
    for (uint32_t i = 0; i < (m->generation - m->base + 1) * m->nodes; i++)
        fprintf(out, LENGTH, m->bytes[i]);
    if (m->partner)
        fprintf(out, "partner\n");
    if (m->processes > 0)
        fprintf(out, "processes %u\noption HLRC_NODES=%u\n", m->processes, m->processes);
    checkpoint_manifest_options(out, config);
    checkpoint_manifest_process(out);
    if (fflush(out) == 0)
        fprintf(out, DIGEST, digest_add(DIGEST_START, text, *len));
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int checkpoint_manifest_store(const char *path, const char *text, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc = 0;
    if (fd < 0)
        return -errno;
    errno = ENOSPC; /* of a short write */
    if (write(fd, text, len) != (ssize_t)len || fsync(fd) != 0)
        rc = -errno;
    if (close(fd) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

/* The names of the files are on the disk. */
static int checkpoint_manifest_sync(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd >= 0 && fsync(fd) == 0 ? 0 : -errno;
    if (fd >= 0)
        close(fd);
    return rc == -EINVAL ? 0 : rc; /* a file system that cannot */
}

static int checkpoint_manifest_publish(const char *dir, const struct checkpoint_manifest_text *t)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (!t->text)
        return -ENOMEM;
    snprintf(temporary, sizeof temporary, "%s/manifest.new", dir);
    int rc = checkpoint_manifest_store(temporary, t->text, t->len);
    if (rc == 0)
        rc = checkpoint_manifest_sync(dir);
    if (rc == 0 &&
        rename(temporary, checkpoint_manifest_path(path, sizeof path, dir, t->generation)) != 0)
        rc = -errno;
    else if (rc == 0 && (rc = checkpoint_manifest_sync(dir)) != 0)
        (void)unlink(path);
    if (rc)
        (void)unlink(temporary);
    return rc;
}

struct checkpoint_manifest_text checkpoint_manifest_prepare(const struct checkpoint_manifest *m,
                                                            const struct config *config)
{
    struct checkpoint_manifest_text t = { .generation = m->generation };
    t.text = checkpoint_manifest_print(m, config, &t.len);
    return t;
}

/* Lengths have a fixed number of digits. */
void checkpoint_manifest_set_last_length(struct checkpoint_manifest_text *t, uint64_t bytes)
{
    char line[LENGTH_LEN + 2], *last = NULL;
    for (char *at = t->text; (at = strstr(at, "\nbytes ")); at++)
        last = at + 1;
    if (!last)
        return;
    snprintf(line, sizeof line, LENGTH, bytes);
    memcpy(last, line, LENGTH_LEN);
    snprintf(t->text + t->len - DIGEST_LEN, DIGEST_LEN + 1, DIGEST,
             digest_add(DIGEST_START, t->text, t->len - DIGEST_LEN));
}

int checkpoint_manifest_write(const char *dir, const struct checkpoint_manifest *m,
                              const struct config *config)
{
    struct checkpoint_manifest_text t = checkpoint_manifest_prepare(m, config);
    int rc = checkpoint_manifest_publish(dir, &t);
    free(t.text);
    return rc;
}

/* ---- reading ---- */

static int checkpoint_manifest_slurp(const char *path, struct checkpoint_manifest *m, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct stat st;
    int rc = fstat(fd, &st) != 0 ? -errno : st.st_size > TEXT_MOST ? -EBADMSG : 0;
    *len = rc ? 0 : (size_t)st.st_size;
    if (rc == 0 && !(m->text = malloc(*len + 1)))
        rc = -ENOMEM;
    if (rc == 0 && read(fd, m->text, *len) != (ssize_t)*len)
        rc = -EIO;
    close(fd);
    if (rc == 0)
        m->text[*len] = '\0';
    return rc;
}

/* True if the text is as it was written; ends it before its digest. */
static bool checkpoint_manifest_whole(char *text, size_t len)
{
    char digest[DIGEST_LEN + 1];
    if (len < DIGEST_LEN || strlen(text) != len || strncmp(text, MAGIC, strlen(MAGIC)) != 0)
        return false;
    snprintf(digest, sizeof digest, DIGEST, digest_add(DIGEST_START, text, len - DIGEST_LEN));
    bool same = strcmp(text + len - DIGEST_LEN, digest) == 0;
    text[len - DIGEST_LEN] = '\0';
    return same;
}

static char *checkpoint_manifest_unescape(char *value)
{
    char *to = value;
    for (const char *from = value; *from; to++) {
        unsigned byte;
        if (*from == '%' && sscanf(from + 1, "%2X", &byte) == 1) {
            *to = (char)byte;
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return value;
}

/* The texts point into the manifest, which has been checked. */
static bool checkpoint_manifest_parse(struct checkpoint_manifest *m)
{
    size_t options = 0, args = 0, sizes = 0, wanted = 0, lines = 1;
    for (const char *c = m->text; *c; c++)
        lines += *c == '\n';
    m->options = calloc(lines, sizeof *m->options);
    m->args = calloc(lines, sizeof *m->args);
    m->bytes = calloc(lines, sizeof *m->bytes);
    if (!m->options || !m->args || !m->bytes)
        return false;
    char *next = NULL;
    for (char *line = strtok_r(m->text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        char *value = line + strcspn(line, " ");
        value += *value == ' ';
        if (strncmp(line, "option ", 7) == 0)
            m->options[options++] = checkpoint_manifest_unescape(value);
        else if (strncmp(line, "arg ", 4) == 0)
            m->args[args++] = checkpoint_manifest_unescape(value);
        else if (strncmp(line, "program ", 8) == 0)
            m->path = checkpoint_manifest_unescape(value);
        else if (strncmp(line, "bytes ", 6) == 0)
            m->bytes[sizes++] = strtoull(value, NULL, 10);
        else if (strncmp(line, "processes ", 10) == 0)
            m->processes = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(line, "partner") == 0)
            m->partner = true;
        else if (strncmp(line, "version ", 8) == 0)
            snprintf(m->version, sizeof m->version, "%s", value);
        else if (sscanf(line, "numbers %u %u %u %u %" SCNx64 " %" SCNx64 " %" SCNx64,
                        &m->generation, &m->base, &m->nodes, &m->any, &m->app, &m->memory,
                        &m->program) == 7)
            wanted = (size_t)(m->generation - m->base + 1) * m->nodes;
    }
    return m->path && wanted > 0 && wanted == sizes && m->nodes <= NODES_MAX;
}

static int checkpoint_manifest_check_files(const char *dir, const struct checkpoint_manifest *m,
                                           char *err, size_t errlen)
{
    for (uint32_t i = 0; i < (m->generation - m->base + 1) * m->nodes; i++) {
        char path[PATH_MAX];
        struct stat st;
        checkpoint_manifest_file(path, sizeof path, dir, m->base + i / m->nodes, i % m->nodes);
        int rc = stat(path, &st) != 0 ? -errno : 0;
        if (rc)
            snprintf(err, errlen, "--restart: %.300s: %s", path, strerror(-rc));
        else if ((uint64_t)st.st_size != m->bytes[i])
            snprintf(err, errlen, "--restart: %.300s has %lld bytes, and %llu were written", path,
                     (long long)st.st_size, (unsigned long long)m->bytes[i]);
        else
            continue;
        return rc ? rc : -EBADMSG;
    }
    return 0;
}

int checkpoint_manifest_read_one(const char *dir, uint32_t generation,
                                 struct checkpoint_manifest *m, char *err, size_t errlen)
{
    char path[PATH_MAX];
    size_t len = 0;
    *m = (struct checkpoint_manifest){ .generation = generation };
    checkpoint_manifest_path(path, sizeof path, dir, m->generation);
    int rc = checkpoint_manifest_slurp(path, m, &len);
    if (rc == 0 && !(checkpoint_manifest_whole(m->text, len) && checkpoint_manifest_parse(m)))
        rc = -EBADMSG;
    if (rc)
        snprintf(err, errlen,
                 "--restart: %.300s: %s; without this file, the checkpoint before it is used", path,
                 rc == -EBADMSG ? "damaged" : strerror(-rc));
    if (rc == 0 && !m->partner)
        rc = checkpoint_manifest_check_files(dir, m, err, errlen);
    if (rc)
        checkpoint_manifest_free(m);
    return rc;
}

int checkpoint_manifest_adopt(const char *text, size_t len, struct checkpoint_manifest *m)
{
    *m = (struct checkpoint_manifest){ .text = malloc(len + 1) };
    if (!m->text)
        return -ENOMEM;
    memcpy(m->text, text, len);
    m->text[len] = '\0';
    if (checkpoint_manifest_whole(m->text, len) && checkpoint_manifest_parse(m))
        return 0;
    checkpoint_manifest_free(m);
    return -EBADMSG;
}

int checkpoint_manifest_read(const char *dir, struct checkpoint_manifest *m, char *err,
                             size_t errlen)
{
    uint32_t newest = checkpoint_manifest_newest(dir);
    if (newest > 0)
        return checkpoint_manifest_read_one(dir, newest, m, err, errlen);
    *m = (struct checkpoint_manifest){ 0 };
    snprintf(err, errlen, "--restart %.300s: no complete checkpoint is there", dir);
    return -ENOENT;
}

void checkpoint_manifest_free(struct checkpoint_manifest *m)
{
    free(m->text);
    free(m->options);
    free(m->args);
    free(m->bytes);
    *m = (struct checkpoint_manifest){ 0 };
}

/* ---- the program ---- */

uint64_t checkpoint_manifest_program(void)
{
    uint64_t digest = 0;
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        size_t len = (size_t)st.st_size;
        void *at = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) {
            digest = digest_of_words(at, len);
            munmap(at, len);
        }
    }
    close(fd);
    return digest;
}
