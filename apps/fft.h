/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fft.h - complex Fourier transforms along the lines of a grid, FFT_LANES lines at a time.
 *
 * A batch of lines is loaded from the grid into a private buffer, transformed there, and stored to
 * a grid. Loads and stores take the distance between the elements of a line and between the lines,
 * so they also transpose, and no separate pass over the grid is needed to move data. In the buffer
 * the lanes are innermost, and real and imaginary parts are separate. So every step of the
 * transform is one vector operation per line and part, for any length. Lanes never mix, so a
 * line's result does not depend on its neighbours.
 *
 * The transform is Stockham's, radix 4 with one step of radix 2 for odd powers of two: it needs no
 * reordering, and alternates between two buffers. It is not scaled.
 *
 * Order of calls: fft_load(), fft_load_part() for all elements, or fft_load_scaled(); fft_run();
 * fft_store(); with the same direction in all of them.
 */
#ifndef APPS_FFT_H
#define APPS_FFT_H

#include <stddef.h>

#define FFT_LANES      8
#define FFT_MAX_LENGTH 1024

struct complex_value {
    double re, im;
};

/* The same element of FFT_LANES lines. */
struct fft_lanes {
    double re[FFT_LANES], im[FFT_LANES];
};

/* exp(-2 pi i k / length) */
struct fft_root {
    double re, im;
};

enum fft_direction { FFT_FORWARD, FFT_INVERSE };

struct fft {
    size_t length;           /* a power of two up to FFT_MAX_LENGTH */
    struct fft_root *root;   /* of unity, `length` of them */
    struct fft_lanes *front; /* holds the batch between the calls */
    struct fft_lanes *back;
};

/* Lines in a grid: element e of line l is at[e * step + l * pitch], for l < count <= FFT_LANES. */
struct fft_lines {
    size_t step, pitch;
    size_t count;
};

void fft_init(struct fft *fft, size_t length);

void fft_free(struct fft *fft);

void fft_load(struct fft *fft, enum fft_direction direction, const struct complex_value *from,
              struct fft_lines lines);

/* Loads only the `count` elements from `first` on, the first of which is at `from`: several calls
 * load a batch. */
void fft_load_part(struct fft *fft, enum fft_direction direction, const struct complex_value *from,
                   struct fft_lines lines, size_t first, size_t count);

/* Multiplies element e of line l by by_line[l] * by_element[e] while loading. */
void fft_load_scaled(struct fft *fft, enum fft_direction direction,
                     const struct complex_value *from, struct fft_lines lines,
                     const double *by_line, const double *by_element);

void fft_run(struct fft *fft);

void fft_store(const struct fft *fft, enum fft_direction direction, struct complex_value *to,
               struct fft_lines lines);

#endif
