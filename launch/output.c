/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "launch/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_SIZE = 64 * 1024 };

static bool output_same_file(int a, int b)
{
    struct stat one, other;

    return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino && one.st_rdev == other.st_rdev;
}

void output_sink_pair(struct output_sink *out, struct output_sink *err_room,
                      struct output_sink **err)
{
    *out = (struct output_sink){ .fd = STDOUT_FILENO, .terminal = isatty(STDOUT_FILENO) == 1 };
    *err_room = (struct output_sink){ .fd = STDERR_FILENO, .terminal = isatty(STDERR_FILENO) == 1 };
    *err = output_same_file(STDOUT_FILENO, STDERR_FILENO) ? out : err_room;
}

bool output_sink_pending(const struct output_sink *sink)
{
    return sink->end > sink->begin;
}

bool output_sink_full(const struct output_sink *sink)
{
    return sink->end - sink->begin >= OUTPUT_SINK_FULL;
}

/* Makes room for len more bytes at the end. */
static int output_sink_grow(struct output_sink *sink, size_t len)
{
    if (sink->begin > 0) {
        memmove(sink->data, sink->data + sink->begin, sink->end - sink->begin);
        sink->end -= sink->begin;
        sink->begin = 0;
    }
    if (sink->end + len > sink->room) {
        size_t room = 2 * (sink->end + len);
        char *grown = realloc(sink->data, room);

        if (grown == NULL)
            return -ENOMEM;
        sink->data = grown;
        sink->room = room;
    }
    return 0;
}

static void output_sink_append(struct output_sink *sink, const char *data, size_t len)
{
    if (sink->error != 0 || len == 0)
        return;
    if (sink->end + len > sink->room && output_sink_grow(sink, len) < 0) {
        sink->error = ENOMEM;
        return;
    }
    memcpy(sink->data + sink->end, data, len);
    sink->end += len;
}

void output_sink_clear(struct output_sink *sink)
{
    static const char wipe[] = "\r\033[K";

    if (sink->transient)
        output_sink_append(sink, wipe, sizeof wipe - 1);
    sink->transient = false;
}

void output_sink_put(struct output_sink *sink, const char *data, size_t len)
{
    if (len == 0)
        return;
    output_sink_clear(sink);
    if (sink->midline)
        output_sink_append(sink, "\n", 1);
    output_sink_append(sink, data, len);
    sink->midline = data[len - 1] != '\n';
}

void output_sink_transient(struct output_sink *sink, const char *text)
{
    output_sink_clear(sink);
    if (sink->midline)
        output_sink_append(sink, "\n", 1);
    sink->midline = false;
    output_sink_append(sink, text, strlen(text));
    sink->transient = true;
}

/* A pipe that poll() calls writable takes PIPE_BUF bytes without blocking, but perhaps no more. */
static bool output_has_room(int fd)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

    return poll(&poll_fd, 1, 0) > 0;
}

void output_sink_write(struct output_sink *sink)
{
    while (output_sink_pending(sink) && output_has_room(sink->fd)) {
        size_t len = sink->end - sink->begin;
        ssize_t put = write(sink->fd, sink->data + sink->begin, len < PIPE_BUF ? len : PIPE_BUF);

        if (put >= 0) {
            sink->begin += (size_t)put;
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            sink->error = errno;
            sink->begin = sink->end = 0;
        }
    }
}

void output_sink_free(struct output_sink *sink)
{
    free(sink->data);
    sink->data = NULL;
    sink->begin = sink->end = sink->room = 0;
}

void output_stream_open(struct output_stream *stream, int fd, int label, struct output_sink *sink)
{
    *stream = (struct output_stream){ .fd = fd, .label = label, .sink = sink };
}

static void output_line_put(const struct output_stream *stream, const char *line, size_t len)
{
    char label[16];

    if (stream->label >= 0) {
        int used = snprintf(label, sizeof label, "[%d] ", stream->label);

        output_sink_put(stream->sink, label, (size_t)used);
        stream->sink->midline = false; /* the line itself follows */
    }
    output_sink_put(stream->sink, line, len);
}

/* Whether the rest of the stream is a progress line; a newline may still make a line of it. */
static bool output_progress_left(const struct output_stream *stream)
{
    return stream->sink->terminal && stream->len > 0 && stream->line[stream->len - 1] == '\r';
}

/* Shows the last progress text only; earlier ones on the same line are overwritten. */
static void output_progress_put(struct output_stream *stream)
{
    const char *before;
    size_t begin;

    stream->line[stream->len - 1] = '\0';
    before = memrchr(stream->line, '\r', stream->len - 1);
    begin = before != NULL ? (size_t)(before - stream->line) + 1 : 0;
    output_sink_transient(stream->sink, stream->line + begin);
    stream->sink->busy = true;
    stream->line[stream->len - 1] = '\r';
}

/* Passes on whole lines; the rest moves to the front. The first `old` bytes contain no newline. */
static void output_lines_put(struct output_stream *stream, size_t old)
{
    size_t begin = 0, from = old;
    const char *newline;

    while (from < stream->len &&
           (newline = memchr(stream->line + from, '\n', stream->len - from)) != NULL) {
        size_t end = (size_t)(newline - stream->line) + 1;

        output_line_put(stream, stream->line + begin, end - begin);
        begin = from = end;
    }
    stream->len -= begin;
    memmove(stream->line, stream->line + begin, stream->len);
    if (stream->len >= OUTPUT_LINE_MAX) {
        output_line_put(stream, stream->line, stream->len);
        stream->len = 0;
    }
}

static int output_stream_grow(struct output_stream *stream)
{
    size_t room = stream->room > 0 ? 2 * stream->room : 2 * READ_SIZE;
    char *grown;

    if (stream->room - stream->len >= READ_SIZE)
        return 0;
    grown = realloc(stream->line, room);
    if (grown == NULL)
        return -ENOMEM;
    stream->line = grown;
    stream->room = room;
    return 0;
}

bool output_stream_read(struct output_stream *stream)
{
    bool progress;
    ssize_t got;

    if (stream->fd < 0)
        return false;
    progress = output_progress_left(stream);
    if (output_stream_grow(stream) < 0) {
        output_line_put(stream, stream->line, stream->len);
        stream->len = 0;
    }
    if (stream->room == 0)
        return false;
    got = read(stream->fd, stream->line + stream->len, stream->room - stream->len);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (got <= 0) {
        output_stream_close(stream);
        return false;
    }
    if (progress && stream->line[stream->len] != '\n') {
        memmove(stream->line, stream->line + stream->len, (size_t)got);
        stream->len = 0;
    }
    stream->len += (size_t)got;
    output_lines_put(stream, stream->len - (size_t)got);
    if (output_progress_left(stream))
        output_progress_put(stream);
    return true;
}

void output_stream_close(struct output_stream *stream)
{
    if (stream->fd < 0)
        return;
    if (stream->len > 0 && !output_progress_left(stream))
        output_line_put(stream, stream->line, stream->len);
    close(stream->fd);
    free(stream->line);
    *stream = (struct output_stream){ .fd = -1, .label = stream->label, .sink = stream->sink };
}
