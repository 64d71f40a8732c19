/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fft.c - see fft.h.
 *
 * Stockham's algorithm: D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing
 * 4, 1990. A step of radix r takes sequences of length n, `stride` of them interleaved, to r times
 * that number of sequences of length n / r.
 *
 * Only the forward transform is implemented: the inverse one is the same with real and imaginary
 * parts swapped on load and on store, which costs nothing.
 */
#include "apps/fft.h"

#include <math.h>
#include <stdlib.h>

#include "apps/common.h"

/*
 * The loops are also compiled for wider vectors, and the dynamic linker selects a version at
 * start. The sanitizers' start-up code cannot run that early.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define WIDE_VECTORS \
        __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#    define WIDE_VECTORS
#endif

#define INLINE static inline __attribute__((always_inline))

void fft_init(struct fft *fft, size_t length)
{
    double turn = 2 * acos(-1.0) / (double)length;

    fft->length = length;
    fft->root = app_private("roots of unity", length * sizeof *fft->root);
    fft->front = app_private("transform buffer", length * sizeof *fft->front);
    fft->back = app_private("transform buffer", length * sizeof *fft->back);
    for (size_t k = 0; k < length; k++)
        fft->root[k] = (struct fft_root){ cos(turn * (double)k), -sin(turn * (double)k) };
}

void fft_free(struct fft *fft)
{
    free(fft->root);
    free(fft->front);
    free(fft->back);
}

/* Elements [first, end) of the lines. */
struct part {
    size_t first, end;
};

/* Unused lanes of a batch are zero: their results are not used. */
static void clear_part(struct fft *fft, struct part part)
{
    for (size_t e = part.first; e < part.end; e++)
        fft->front[e] = (struct fft_lanes){ { 0 }, { 0 } };
}

INLINE void load_element(struct fft_lanes *restrict to, const struct complex_value *restrict from,
                         size_t pitch, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        to->re[l] = from[l * pitch].re;
        to->im[l] = from[l * pitch].im;
    }
}

INLINE void load_swapped(struct fft_lanes *restrict to, const struct complex_value *restrict from,
                         size_t pitch, size_t count)
{
    for (size_t l = 0; l < count; l++) {
        to->im[l] = from[l * pitch].re;
        to->re[l] = from[l * pitch].im;
    }
}

/* With constant pitch and count in the relevant cases, the loops above are vectorised. */
INLINE void load_as(struct fft *fft, struct part part, enum fft_direction direction,
                    const struct complex_value *from, size_t step, size_t pitch, size_t count)
{
    struct fft_lanes *to = &fft->front[part.first];
    size_t elements = part.end - part.first;

    if (direction == FFT_FORWARD)
        for (size_t e = 0; e < elements; e++)
            load_element(&to[e], &from[e * step], pitch, count);
    else
        for (size_t e = 0; e < elements; e++)
            load_swapped(&to[e], &from[e * step], pitch, count);
}

WIDE_VECTORS
void fft_load_part(struct fft *fft, enum fft_direction direction, const struct complex_value *from,
                   struct fft_lines lines, size_t first, size_t count)
{
    struct part part = { first, first + count };

    if (lines.count < FFT_LANES) {
        clear_part(fft, part);
        load_as(fft, part, direction, from, lines.step, lines.pitch, lines.count);
    } else if (lines.pitch == 1) {
        load_as(fft, part, direction, from, lines.step, 1, FFT_LANES);
    } else if (lines.step == 1) {
        load_as(fft, part, direction, from, 1, lines.pitch, FFT_LANES);
    } else {
        load_as(fft, part, direction, from, lines.step, lines.pitch, FFT_LANES);
    }
}

void fft_load(struct fft *fft, enum fft_direction direction, const struct complex_value *from,
              struct fft_lines lines)
{
    fft_load_part(fft, direction, from, lines, 0, fft->length);
}

WIDE_VECTORS
void fft_load_scaled(struct fft *fft, enum fft_direction direction,
                     const struct complex_value *from, struct fft_lines lines,
                     const double *by_line, const double *by_element)
{
    fft_load(fft, direction, from, lines);
    for (size_t e = 0; e < fft->length; e++) {
        struct fft_lanes *at = &fft->front[e];
        double scale = by_element[e];

        for (size_t l = 0; l < FFT_LANES; l++) {
            at->re[l] *= by_line[l] * scale;
            at->im[l] *= by_line[l] * scale;
        }
    }
}

INLINE void store_as(const struct fft *fft, enum fft_direction direction, struct complex_value *to,
                     size_t step, size_t pitch, size_t count)
{
    for (size_t e = 0; e < fft->length; e++) {
        const struct fft_lanes *from = &fft->front[e];
        const double *re = direction == FFT_FORWARD ? from->re : from->im;
        const double *im = direction == FFT_FORWARD ? from->im : from->re;

        for (size_t l = 0; l < count; l++)
            to[e * step + l * pitch] = (struct complex_value){ re[l], im[l] };
    }
}

WIDE_VECTORS
void fft_store(const struct fft *fft, enum fft_direction direction, struct complex_value *to,
               struct fft_lines lines)
{
    if (lines.count < FFT_LANES)
        store_as(fft, direction, to, lines.step, lines.pitch, lines.count);
    else if (lines.pitch == 1)
        store_as(fft, direction, to, lines.step, 1, FFT_LANES);
    else
        store_as(fft, direction, to, lines.step, lines.pitch, FFT_LANES);
}

/* One butterfly of radix 4; `distance` is that of the inputs, `stride` that of the outputs. */
INLINE void butterfly4(const struct fft_lanes *restrict in, size_t distance,
                       struct fft_lanes *restrict out, size_t stride, const struct fft_root w[3])
{
    const struct fft_lanes *a = in, *b = in + distance, *c = in + 2 * distance,
                           *d = in + 3 * distance;

    for (size_t l = 0; l < FFT_LANES; l++) {
        double sum_re = a->re[l] + c->re[l], sum_im = a->im[l] + c->im[l];
        double dif_re = a->re[l] - c->re[l], dif_im = a->im[l] - c->im[l];
        double mum_re = b->re[l] + d->re[l], mum_im = b->im[l] + d->im[l];
        /* i (b - d) */
        double rot_re = d->im[l] - b->im[l], rot_im = b->re[l] - d->re[l];
        double one_re = dif_re - rot_re, one_im = dif_im - rot_im;
        double two_re = sum_re - mum_re, two_im = sum_im - mum_im;
        double three_re = dif_re + rot_re, three_im = dif_im + rot_im;

        out[0].re[l] = sum_re + mum_re;
        out[0].im[l] = sum_im + mum_im;
        out[stride].re[l] = one_re * w[0].re - one_im * w[0].im;
        out[stride].im[l] = one_re * w[0].im + one_im * w[0].re;
        out[2 * stride].re[l] = two_re * w[1].re - two_im * w[1].im;
        out[2 * stride].im[l] = two_re * w[1].im + two_im * w[1].re;
        out[3 * stride].re[l] = three_re * w[2].re - three_im * w[2].im;
        out[3 * stride].im[l] = three_re * w[2].im + three_im * w[2].re;
    }
}

INLINE void step4(const struct fft *fft, size_t n, size_t stride)
{
    for (size_t p = 0; p < n / 4; p++) {
        const struct fft_root w[3] = { fft->root[p * stride], fft->root[2 * p * stride],
                                       fft->root[3 * p * stride] };

        for (size_t q = 0; q < stride; q++)
            butterfly4(&fft->front[q + stride * p], stride * (n / 4),
                       &fft->back[q + stride * 4 * p], stride, w);
    }
}

/* The last step when the length is an odd power of two. */
INLINE void step2(const struct fft *fft, size_t stride)
{
    for (size_t q = 0; q < stride; q++) {
        const struct fft_lanes *a = &fft->front[q], *b = &fft->front[q + stride];
        struct fft_lanes *restrict sum = &fft->back[q], *restrict difference =
                                                            &fft->back[q + stride];

        for (size_t l = 0; l < FFT_LANES; l++) {
            sum->re[l] = a->re[l] + b->re[l];
            sum->im[l] = a->im[l] + b->im[l];
            difference->re[l] = a->re[l] - b->re[l];
            difference->im[l] = a->im[l] - b->im[l];
        }
    }
}

INLINE void swap_buffers(struct fft *fft)
{
    struct fft_lanes *filled = fft->back;

    fft->back = fft->front;
    fft->front = filled;
}

WIDE_VECTORS
void fft_run(struct fft *fft)
{
    size_t n = fft->length;
    size_t stride = 1;

    for (; n >= 4; n /= 4, stride *= 4) {
        step4(fft, n, stride);
        swap_buffers(fft);
    }
    if (n == 2) {
        step2(fft, stride);
        swap_buffers(fft);
    }
}
