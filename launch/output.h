/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_OUTPUT_H
#define HLRC_OUTPUT_H

/*
 * Passes the nodes' output on to the user.
 *
 *     node's stdout --pipe--> stream --whole lines--> sink --> hlrcrun's stdout
 *
 *   - A stream puts only whole lines into a sink, so that lines of different nodes are not mixed.
 *     The last line of a stream may lack its newline; the sink adds one only if something follows.
 *   - A line longer than OUTPUT_LINE_MAX is passed on in pieces of that size, a line each.
 *   - Writing never blocks the launcher, which has to watch for deaths: a sink is written to only
 *     when poll() reports room. Other processes share the descriptor, so it must not be made
 *     non-blocking.
 *   - A full sink takes no input: its nodes then block in their own writes, as they would without a
 *     launcher.
 *   - Descriptors of the same file share one sink, so that a line written in pieces stays whole.
 *   - On a terminal, a piece that ends in a carriage return is shown at once, until the next
 *     output. So programs can show their progress. It is discarded unless a newline follows.
 */

#include <stdbool.h>
#include <stddef.h>

enum { OUTPUT_LINE_MAX = 16 << 20, OUTPUT_SINK_FULL = 1 << 20 };

struct output_sink {
    int fd;
    int error;      /* errno of a failed write: everything else is discarded */
    bool terminal;  /* constant */
    bool midline;   /* the last output has no newline */
    bool transient; /* a progress line is shown on the terminal */
    bool busy;      /* a node has shown its progress there */
    char *data;     /* not yet written: data[begin..end) */
    size_t begin, end, room;
};

struct output_stream {
    int fd;    /* read end of the pipe; -1: ended */
    int label; /* node to name before each line, or -1 */
    struct output_sink *sink;
    char *line; /* begins at the beginning of a line */
    size_t len, room;
};

/* output_sink_pair - sinks for standard output and error; *err is out itself if they are one file
 * */
void output_sink_pair(struct output_sink *out, struct output_sink *err_room,
                      struct output_sink **err);
void output_sink_put(struct output_sink *sink, const char *data, size_t len);
/* a line that the next output erases */
void output_sink_transient(struct output_sink *sink, const char *text);
void output_sink_clear(struct output_sink *sink);
bool output_sink_pending(const struct output_sink *sink);
bool output_sink_full(const struct output_sink *sink);
void output_sink_write(struct output_sink *sink); /* as much as fits without blocking */
void output_sink_free(struct output_sink *sink);

void output_stream_open(struct output_stream *stream, int fd, int label, struct output_sink *sink);
/* output_stream_read - pass on the available input; false if there is no more for now. Closes the
 * stream at the end of the file. */
bool output_stream_read(struct output_stream *stream);
void output_stream_close(struct output_stream *stream);

#endif
