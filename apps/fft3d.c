/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fft3d.c - 3-D Fourier transforms: the FT benchmark of the NAS Parallel Benchmarks.
 *
 * A grid of nx x ny x nz random complex numbers is transformed once. Then, for t = 1, 2, ..., each
 * mode is damped by exp(-4 alpha pi^2 t k^2), the result is transformed back, and 1,024 of its
 * values are added up.
 *
 * Two arrays of the grid's size are shared and distributed in slabs of equal size:
 *
 *   spectrum  [y][z][x]  the transform of the starting values. A node owns a range of y; no other
 *                        node touches it, and it is written once. Damping for time t is applied on
 *                        load into the inverse transform, from three private tables of one axis
 *                        each, rather than step by step in place.
 *   work      [z][y][x]  forward: transformed along x and y. A node owns a range of z.
 *             [y][z][x]  inverse: transformed along z. A node owns a range of y.
 *
 * With equally divisible axes a node's slab of work has the same addresses in both layouts. A node
 * writes only its own slab, which it touched first and is the home of.
 *
 * How pages move. Every transform along two axes happens in a slab, and the third axis is reached
 * by reading the other nodes' slabs. In the forward transform, the owner of a range of y reads,
 * for each z, the rows of its y. In the inverse, the owner of a range of z reads, for each y, the
 * rows of its z. In both a node reads 1/N of each slab, in runs of consecutive rows, and each page
 * once: a fetched page serves all its rows. So every transpose moves to each node (N-1)/N^2 of the
 * array, 16 nx ny nz (N-1)/N^2 bytes: a quarter of the array for two nodes. Each node writes 1/N
 * of the array, in place, at home. Rows of one page belong to two readers only where a range is no
 * multiple of 4096 / (16 nx) rows. There are two barriers per iteration: before the rows are read,
 * and before they are overwritten.
 *
 * With --by gets no page is fetched: rows of other nodes are copied to a private buffer, a page or
 * a row of each line at a time, as sections of shared memory; own rows are read in place.
 *
 * The inverse transform ends in a private plane (x, y), one z after the other, from which the
 * checksum's points are taken. A plane's sum is taken in the order of the points, and node 0 adds
 * up the planes in the order of z: the result has the same bits for any number of nodes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/common.h"
#include "apps/fft.h"
#include "apps/fft3d_check.h"

#define TOLERANCE  1e-12
#define ITERATIONS 6 /* for a size that is no class */

struct problem {
    const struct ft_class *class; /* NULL for a user-defined grid */
    size_t n[FT_AXES];
    int iterations; /* 0: as many as the class says */
    bool gets;
};

struct transform {
    size_t nx, ny, nz;
    int iterations;
    bool gets;
    struct complex_value *spectrum, *work; /* shared; layouts above */
    struct complex_value *sums;            /* shared: checksum_at() */
    size_t sums_per_node;
    struct complex_value *plane; /* private, [y][x] */
    struct complex_value *rows;  /* private, with gets: rows of other nodes, in this batch */
    size_t batch;                /* number of y, or z, whose rows are copied together */
    struct app_range y, z;       /* of this node */
    struct fft along_x, along_y, along_z;
    double *decay_x, *decay_y, *decay_z, *decay_xy;
    struct app_steps steps;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The sum over plane z at iteration t. The planes of a node are together, separate from those of
 * other nodes. */
static struct complex_value *checksum_at(const struct transform *ft, int t, size_t z)
{
    int owner = app_owner(ft->nz, 1, z);
    size_t first = app_part(ft->nz, 1, owner).begin;

    return &ft->sums[(size_t)owner * ft->sums_per_node + (z - first) * (size_t)ft->iterations +
                     (size_t)(t - 1)];
}

static void share_sums(struct transform *ft)
{
    size_t planes = (ft->nz + (size_t)app.nodes - 1) / (size_t)app.nodes;
    size_t bytes = app_pages(planes * (size_t)ft->iterations * sizeof *ft->sums);

    ft->sums_per_node = bytes / sizeof *ft->sums;
    ft->sums = app_shared("the checksums", bytes * (size_t)app.nodes);
}

/* Pieces of a get are whole pages, or a row. */
static void make_room_for_rows(struct transform *ft)
{
    size_t row = ft->nx * sizeof *ft->rows, lines = ft->ny > ft->nz ? ft->ny : ft->nz;

    ft->batch = row < APP_PAGE ? APP_PAGE / row : 1;
    ft->rows = app_private("rows of other nodes", lines * ft->batch * row);
}

static void transform_init(struct transform *ft, const struct problem *problem)
{
    size_t total = problem->n[0] * problem->n[1] * problem->n[2];

    ft->nx = problem->n[0];
    ft->ny = problem->n[1];
    ft->nz = problem->n[2];
    ft->iterations = problem->iterations;
    ft->gets = problem->gets;
    ft->y = app_part(ft->ny, 1, app.node);
    ft->z = app_part(ft->nz, 1, app.node);
    ft->spectrum = app_shared("the spectrum", total * sizeof *ft->spectrum);
    ft->work = app_shared("the work array", total * sizeof *ft->work);
    share_sums(ft);
    ft->plane = app_private("a plane", ft->nx * ft->ny * sizeof *ft->plane);
    if (problem->gets)
        make_room_for_rows(ft);
    fft_init(&ft->along_x, ft->nx);
    fft_init(&ft->along_y, ft->ny);
    fft_init(&ft->along_z, ft->nz);
    ft->decay_x = app_private("damping", ft->nx * sizeof(double));
    ft->decay_y = app_private("damping", ft->ny * sizeof(double));
    ft->decay_z = app_private("damping", ft->nz * sizeof(double));
    ft->decay_xy = app_private("damping", FFT_LANES * sizeof(double));
}

/* First touch by the owner of the slab, in the layout of the inverse transform, which takes most
 * of the time. */
static void place_slabs(struct transform *ft)
{
    size_t block = ft->nz * ft->nx;
    size_t bytes = app_length(ft->y) * block * sizeof *ft->work;

    memset(&ft->spectrum[ft->y.begin * block], 0, bytes);
    memset(&ft->work[ft->y.begin * block], 0, bytes);
    hlrc_barrier();
}

static void generate_plane(struct transform *ft, size_t z)
{
    size_t points = ft->nx * ft->ny;
    uint64_t x = app_random_skip(app.seed, 2 * points * z);

    for (size_t i = 0; i < points; i++) {
        ft->plane[i].re = 0x1p-46 * (double)app_random(&x);
        ft->plane[i].im = 0x1p-46 * (double)app_random(&x);
    }
}

/* Transforms lines of a plane along x: from rows `pitch` apart into the private plane. */
static void rows_along_x(struct transform *ft, enum fft_direction direction,
                         const struct complex_value *from, size_t pitch, struct app_range lines)
{
    for (size_t y = lines.begin; y < lines.end; y += FFT_LANES) {
        size_t count = least(FFT_LANES, lines.end - y);

        fft_load(&ft->along_x, direction, &from[(y - lines.begin) * pitch],
                 (struct fft_lines){ 1, pitch, count });
        fft_run(&ft->along_x);
        fft_store(&ft->along_x, direction, &ft->plane[y * ft->nx],
                  (struct fft_lines){ 1, ft->nx, count });
    }
}

/* Transforms all lines of the private plane along y, into a plane of the same layout. */
static void columns_along_y(struct transform *ft, enum fft_direction direction,
                            struct complex_value *to)
{
    for (size_t x = 0; x < ft->nx; x += FFT_LANES) {
        struct fft_lines lines = { ft->nx, 1, least(FFT_LANES, ft->nx - x) };

        fft_load(&ft->along_y, direction, &ft->plane[x], lines);
        fft_run(&ft->along_y);
        fft_store(&ft->along_y, direction, &to[x], lines);
    }
}

/* A transpose of work, [line][along][x]: this node reads the rows of its `own` range of `along`
 * from all lines. Each node has written a range of lines. */
struct crossing {
    size_t lines, along;
    struct app_range own;
};

/* Location of the rows of these lines: at `at` the row of `first` of `along`, and `step` further
 * that of the next line. */
struct rows {
    struct app_range lines;
    const struct complex_value *at;
    size_t step;
};

/* Number of separate locations: with gets one per node. */
static int places(const struct transform *ft)
{
    return ft->gets ? app.nodes : 1;
}

/* Starts to fetch the other nodes' rows in place, where they will be loaded. */
static void fetch_rows(const struct transform *ft, struct crossing c)
{
    for (int distance = 1; !ft->gets && distance < app.nodes; distance++) {
        struct app_range theirs = app_part(c.lines, 1, (app.node + distance) % app.nodes);

        for (size_t i = theirs.begin; i < theirs.end; i++)
            app_will_read(&ft->work[(i * c.along + c.own.begin) * ft->nx],
                          app_length(c.own) * ft->nx * sizeof *ft->work);
    }
}

/* The rows of `count` numbers of `along`, from `first` on, at one location. */
static struct rows rows_in(const struct transform *ft, struct crossing c, int place, size_t first,
                           size_t count)
{
    struct rows r = { { 0, c.lines }, NULL, c.along * ft->nx };

    if (ft->gets)
        r.lines = app_part(c.lines, 1, place);
    r.at = &ft->work[(r.lines.begin * c.along + first) * ft->nx];
    if (ft->gets && place != app.node) {
        r.step = count * ft->nx;
        r.at = &ft->rows[r.lines.begin * r.step];
    }
    return r;
}

/* Copies these rows of all other nodes. */
static void get_rows(const struct transform *ft, struct crossing c, size_t first, size_t count)
{
    size_t width = count * ft->nx * sizeof *ft->rows, pitch = c.along * ft->nx * sizeof *ft->rows;

    for (int distance = 1; distance < app.nodes; distance++) {
        struct app_range theirs = app_part(c.lines, 1, (app.node + distance) % app.nodes);
        size_t counts[] = { width, app_length(theirs) };

        hlrc_get_strided_nb(&ft->rows[theirs.begin * count * ft->nx], &width,
                            &ft->work[(theirs.begin * c.along + first) * ft->nx], &pitch, counts, 1,
                            HLRC_HOMES, NULL);
    }
    hlrc_fence_all();
}

/* How many numbers of `along` can be read together, from `first` on; on return their rows are
 * available. */
static size_t next_rows(const struct transform *ft, struct crossing c, size_t first)
{
    size_t count = c.own.end - first;

    if (!ft->gets)
        return count;
    count = least(ft->batch, count);
    get_rows(ft, c, first, count);
    return count;
}

/* Layout [z][y][x] of work: planes of this node, transformed along x and y. */
static void forward_planes(struct transform *ft)
{
    size_t points = ft->nx * ft->ny;

    app_will_write(&ft->work[ft->z.begin * points], app_length(ft->z) * points * sizeof *ft->work);
    for (size_t z = ft->z.begin; z < ft->z.end; z++) {
        generate_plane(ft, z);
        rows_along_x(ft, FFT_FORWARD, ft->plane, ft->nx, (struct app_range){ 0, ft->ny });
        columns_along_y(ft, FFT_FORWARD, &ft->work[z * points]);
    }
    hlrc_barrier();
}

/* Lines along z, of one y. */
static void columns_along_z(struct transform *ft, struct crossing c, size_t first, size_t count,
                            size_t y)
{
    for (size_t x = 0; x < ft->nx; x += FFT_LANES) {
        size_t lanes = least(FFT_LANES, ft->nx - x);

        for (int place = 0; place < places(ft); place++) {
            struct rows r = rows_in(ft, c, place, first, count);

            fft_load_part(&ft->along_z, FFT_FORWARD, &r.at[(y - first) * ft->nx + x],
                          (struct fft_lines){ r.step, 1, lanes }, r.lines.begin,
                          app_length(r.lines));
        }
        fft_run(&ft->along_z);
        fft_store(&ft->along_z, FFT_FORWARD, &ft->spectrum[y * ft->nz * ft->nx + x],
                  (struct fft_lines){ ft->nx, 1, lanes });
    }
}

/* From work as [z][y][x], of all nodes, to spectrum as [y][z][x]. */
static void forward_columns(struct transform *ft)
{
    struct crossing c = { ft->nz, ft->ny, ft->y };
    size_t block = ft->nz * ft->nx, count;

    fetch_rows(ft, c);
    app_will_write(&ft->spectrum[ft->y.begin * block],
                   app_length(ft->y) * block * sizeof *ft->spectrum);
    for (size_t first = ft->y.begin; first < ft->y.end; first += count) {
        count = next_rows(ft, c, first);
        for (size_t y = first; y < first + count; y++)
            columns_along_z(ft, c, first, count, y);
    }
    hlrc_barrier();
}

static void forward(struct transform *ft)
{
    forward_planes(ft);
    forward_columns(ft);
}

/* From spectrum, damped for time t, to work, both as [y][z][x]. */
static void backward_columns(struct transform *ft, int t)
{
    size_t block = ft->nz * ft->nx;

    ft_decay(ft->decay_x, ft->nx, t);
    ft_decay(ft->decay_y, ft->ny, t);
    ft_decay(ft->decay_z, ft->nz, t);
    app_will_write(&ft->work[ft->y.begin * block], app_length(ft->y) * block * sizeof *ft->work);
    for (size_t y = ft->y.begin; y < ft->y.end; y++)
        for (size_t x = 0; x < ft->nx; x += FFT_LANES) {
            struct fft_lines lines = { ft->nx, 1, least(FFT_LANES, ft->nx - x) };

            for (size_t l = 0; l < lines.count; l++)
                ft->decay_xy[l] = ft->decay_x[x + l] * ft->decay_y[y];
            fft_load_scaled(&ft->along_z, FFT_INVERSE, &ft->spectrum[y * block + x], lines,
                            ft->decay_xy, ft->decay_z);
            fft_run(&ft->along_z);
            fft_store(&ft->along_z, FFT_INVERSE, &ft->work[y * block + x], lines);
        }
    hlrc_barrier();
}

static struct complex_value plane_sum(const struct transform *ft, size_t z)
{
    struct complex_value sum = { 0, 0 };

    for (size_t j = 1; j <= FT_POINTS; j++) {
        if (ft_direction[2] * j % ft->nz != z)
            continue;
        size_t x = ft_direction[0] * j % ft->nx, y = ft_direction[1] * j % ft->ny;
        sum.re += ft->plane[y * ft->nx + x].re;
        sum.im += ft->plane[y * ft->nx + x].im;
    }
    return sum;
}

/* One z, from the rows of all nodes to the private plane. */
static void backward_plane(struct transform *ft, struct crossing c, size_t first, size_t count,
                           size_t z)
{
    for (int place = 0; place < places(ft); place++) {
        struct rows r = rows_in(ft, c, place, first, count);

        rows_along_x(ft, FFT_INVERSE, &r.at[(z - first) * ft->nx], r.step, r.lines);
    }
    columns_along_y(ft, FFT_INVERSE, ft->plane);
}

/* From work as [y][z][x], of all nodes, to the checksums of each plane of this node. */
static void backward_planes(struct transform *ft, int t)
{
    struct crossing c = { ft->ny, ft->nz, ft->z };
    size_t count;

    fetch_rows(ft, c);
    for (size_t first = ft->z.begin; first < ft->z.end; first += count) {
        count = next_rows(ft, c, first);
        for (size_t z = first; z < first + count; z++) {
            backward_plane(ft, c, first, count, z);
            *checksum_at(ft, t, z) = plane_sum(ft, z);
        }
    }
    hlrc_barrier();
}

/* One untimed forward transform precedes, as the benchmark requires: it touches every page. */
static double timed_run(struct transform *ft)
{
    uint64_t iterations = (uint64_t)ft->iterations;

    place_slabs(ft);
    forward(ft);
    app_steps_begin(&ft->steps);
    forward(ft);
    while (ft->steps.done < iterations) {
        app_steps_save(&ft->steps, hlrc_checkpoint);
        ft->steps.done++;
        backward_columns(ft, (int)ft->steps.done);
        backward_planes(ft, (int)ft->steps.done);
        app_progress(ft->steps.done, iterations);
    }
    return app_steps_seconds(&ft->steps);
}

static struct complex_value checksum(const struct transform *ft, int t)
{
    double points = (double)(ft->nx * ft->ny * ft->nz);
    struct complex_value sum = { 0, 0 };

    for (size_t z = 0; z < ft->nz; z++) {
        const struct complex_value *part = checksum_at(ft, t, z);

        sum.re += part->re;
        sum.im += part->im;
    }
    return (struct complex_value){ sum.re / points, sum.im / points };
}

static bool near(double value, double expected)
{
    return fabs(value - expected) <= TOLERANCE * fabs(expected);
}

/* The published checksums if available, otherwise those of the reference. */
static const char *expectations(const struct problem *problem, struct complex_value *expected)
{
    const struct ft_class *class = problem->class;

    if (class != NULL && app.seed == APP_SEED && problem->iterations <= class->iterations) {
        memcpy(expected, class->checksums, (size_t)problem->iterations * sizeof *expected);
        return "published";
    }
    ft_reference(problem->n, app.seed, problem->iterations, expected);
    return "computed without a transform";
}

static void verify(const struct transform *ft, const struct problem *problem,
                   struct app_result *result)
{
    struct complex_value expected[FT_MAX_TIME];
    const char *source = expectations(problem, expected);

    result->verified = true;
    APP_PRINT(result->evidence, "%d checksums equal those %s within %g", ft->iterations, source,
              TOLERANCE);
    for (int t = ft->iterations; t >= 1; t--) {
        struct complex_value sum = checksum(ft, t), e = expected[t - 1];

        if (near(sum.re, e.re) && near(sum.im, e.im))
            continue;
        result->verified = false;
        APP_PRINT(result->evidence, "iteration %d: checksum %.13g %.13g, %s: %.13g %.13g", t,
                  sum.re, sum.im, source, e.re, e.im);
    }
}

/* Only on node 0. */
static void report(const struct transform *ft, const struct problem *problem,
                   struct app_result *result)
{
    double points = (double)(ft->nx * ft->ny * ft->nz);
    struct complex_value last = checksum(ft, ft->iterations);
    char grid[sizeof result->size];

    APP_PRINT(grid, "%zux%zux%zu", ft->nx, ft->ny, ft->nz);
    APP_PRINT(result->size, "%s", grid);
    if (problem->class != NULL)
        APP_PRINT(result->size, "%c", problem->class->name);
    APP_PRINT(result->problem, "NAS FT, %s%.1s%sgrid %s, %d iterations, seed %" PRIu64,
              problem->class != NULL ? "class " : "", problem->class != NULL ? result->size : "",
              problem->class != NULL ? ", " : "", grid, ft->iterations, app.seed);
    APP_PRINT(result->checksum, "%.17g %.17g", last.re, last.im);
    result->mops =
        1e-6 * points *
        (14.8157 + 7.19641 * log(points) + (5.23518 + 7.21113 * log(points)) * ft->iterations) /
        result->time_s;
    if (app.verify)
        verify(ft, problem, result);
}

/* "64x32x16", or "64^3". */
static void parse_grid(void *input, const char *text)
{
    struct problem *problem = input;
    size_t *n = problem->n;
    int end = 0;

    problem->class = NULL;
    if (sscanf(text, "%4zu^3%n", &n[0], &end) == 1 && end != 0 && text[end] == '\0')
        n[1] = n[2] = n[0];
    else if (sscanf(text, "%4zux%4zux%4zu%n", &n[0], &n[1], &n[2], &end) != 3 || text[end] != '\0')
        app_usage_error("--grid %s: not a grid; write one such as 128x128x64 or 128^3", text);
    for (int i = 0; i < FT_AXES; i++)
        if (n[i] < 2 || n[i] > FFT_MAX_LENGTH || (n[i] & (n[i] - 1)) != 0)
            app_usage_error("--grid %s: %zu is no power of two from 2 to %d; choose one", text,
                            n[i], FFT_MAX_LENGTH);
}

static void set_class(void *input, const char *name)
{
    struct problem *problem = input;

    problem->class =
        app_class(name, ft_classes, sizeof *ft_classes, "S, W, A or B, or a size by --grid");
    memcpy(problem->n, problem->class->n, sizeof problem->n);
}

static const struct app_option options[] = {
    { "class", 'c', "CLASS",
      "Size: S (64^3, default), W (128x128x32), A (256x256x128), B (512x256x256)",
      .call = set_class },
    { "grid", 'g', "NXxNYxNZ", "Size: any powers of two from 2 to 1024; also N^3",
      .call = parse_grid },
    { "iterations", 'i', "N", "Inverse transforms (default: 6, class B 20)",
      APP_NUMBER(problem, iterations, 1, FT_MAX_TIME) },
    { "by", 'w', "HOW", "loads (default), or gets: rows of other nodes are copied",
      APP_WORDS(problem, gets, "loads", "gets") },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct transform ft;
    struct problem problem = { 0 };
    struct app_result result = { 0 };

    set_class(&problem, "S");
    app_begin("fft3d", "3-D Fourier transforms: the FT benchmark of the NAS Parallel Benchmarks.",
              options, &problem, argc, argv);
    if (problem.iterations == 0)
        problem.iterations = problem.class != NULL ? problem.class->iterations : ITERATIONS;
    transform_init(&ft, &problem);
    result.time_s = timed_run(&ft);
    if (app.node == 0)
        report(&ft, &problem, &result);
    return app_end(&result);
}
