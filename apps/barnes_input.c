/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* barnes_input.c - see barnes_input.h. */
#include "apps/barnes_input.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI           3.14159265358979323846
#define NUMBERS      1024  /* random numbers reserved for one body */
#define MASS_INSIDE  0.999 /* fraction of the model's mass that is used */
#define LINE_NUMBERS 7

struct vector {
    double x, y, z;
};

static double uniform(uint64_t *state)
{
    return 0x1p-46 * (double)app_random(state);
}

/* A vector of this length in a random direction. */
static struct vector any_direction(uint64_t *state, double length)
{
    double z = length * (1 - 2 * uniform(state)), angle = 2 * PI * uniform(state);
    double across = sqrt(fmax(0, length * length - z * z));

    return (struct vector){ across * cos(angle), across * sin(angle), z };
}

/* A random radius: the mass fraction inside it is uniform. */
static double any_radius(uint64_t *state)
{
    double inside;

    do
        inside = uniform(state);
    while (inside > MASS_INSIDE);
    return 1 / sqrt(pow(inside, -2.0 / 3) - 1);
}

/* Speed relative to the escape speed: distributed as q^2 (1 - q^2)^(7/2), whose maximum is below
 * 0.1; by rejection. */
static double any_speed(uint64_t *state)
{
    double q, height;

    do {
        q = uniform(state);
        height = 0.1 * uniform(state);
    } while (height > q * q * pow(1 - q * q, 3.5));
    return q;
}

/* Each body has its own part of the random sequence. */
static void plummer_body(struct body *b, struct motion *m, uint64_t seed)
{
    /* from the model's length unit to the one in which the energy is -1/4 */
    const double scale = 3 * PI / 16;
    uint64_t state = app_random_skip(seed, (uint64_t)NUMBERS * m->id);
    double r = any_radius(&state);
    double speed = any_speed(&state) * sqrt(2) * pow(1 + r * r, -0.25);
    struct vector at = any_direction(&state, r * scale),
                  v = any_direction(&state, speed / sqrt(scale));

    *b = (struct body){ at.x, at.y, at.z, b->mass };
    m->x = v.x;
    m->y = v.y;
    m->z = v.z;
}

/* Bodies have equal masses here. */
static void rest_at_origin(const struct bodies *bodies)
{
    struct vector at = { 0, 0, 0 }, v = { 0, 0, 0 };
    double n = bodies->count;

    for (uint32_t i = 0; i < bodies->count; i++) {
        at.x += bodies->body[i].x;
        at.y += bodies->body[i].y;
        at.z += bodies->body[i].z;
        v.x += bodies->motion[i].x;
        v.y += bodies->motion[i].y;
        v.z += bodies->motion[i].z;
    }
    for (uint32_t i = 0; i < bodies->count; i++) {
        bodies->body[i].x -= at.x / n;
        bodies->body[i].y -= at.y / n;
        bodies->body[i].z -= at.z / n;
        bodies->motion[i].x -= v.x / n;
        bodies->motion[i].y -= v.y / n;
        bodies->motion[i].z -= v.z / n;
    }
}

void plummer_model(const struct bodies *bodies, uint64_t seed)
{
    uint64_t odd = (seed << 1 | 1) & APP_RANDOM_MASK; /* an even seed would shorten the sequence */

    for (uint32_t i = 0; i < bodies->count; i++) {
        bodies->body[i].mass = 1.0 / bodies->count;
        bodies->motion[i].id = i;
        plummer_body(&bodies->body[i], &bodies->motion[i], odd);
    }
    rest_at_origin(bodies);
}

/* Returns 1 for a body, 0 for a line without one, -EINVAL otherwise. */
static int parse_line(char *text, struct body *b, struct motion *m)
{
    double value[LINE_NUMBERS];
    int n = 0;

    text[strcspn(text, "#\n")] = '\0';
    for (char *rest; text[strspn(text, " \t\r")] != '\0'; text = rest, n++) {
        double number = strtod(text, &rest);

        if (rest == text || n == LINE_NUMBERS || !isfinite(number))
            return -EINVAL;
        value[n] = number;
    }
    if (n == 0)
        return 0;
    if (n != LINE_NUMBERS || value[0] <= 0)
        return -EINVAL;
    *b = (struct body){ value[1], value[2], value[3], value[0] };
    *m = (struct motion){ .x = value[4], .y = value[5], .z = value[6] };
    return 1;
}

static int read_lines(FILE *f, struct bodies *bodies, size_t *number)
{
    char *line = NULL;
    size_t length = 0;
    int status = 0;

    while (status >= 0 && getline(&line, &length, f) >= 0) {
        struct body body;
        struct motion motion;

        ++*number;
        status = parse_line(line, &body, &motion);
        if (status == 1 && bodies->count == MAX_BODIES)
            status = -EFBIG;
        if (status == 1) {
            motion.id = bodies->count;
            bodies->body[bodies->count] = body;
            bodies->motion[bodies->count++] = motion;
        }
    }
    free(line);
    return status < 0 ? status : ferror(f) ? -EIO : 0;
}

int bodies_read(const char *path, struct bodies *bodies, size_t *line)
{
    FILE *f = fopen(path, "r");
    int status;

    *line = 0;
    if (f == NULL)
        return -errno;
    /* address space, of which only the used pages take memory */
    bodies->body = app_private("the input", MAX_BODIES * sizeof *bodies->body);
    bodies->motion = app_private("the input", MAX_BODIES * sizeof *bodies->motion);
    bodies->count = 0;
    status = read_lines(f, bodies, line);
    fclose(f);
    return status;
}

/* Index of each body, by its position in the input. */
static uint32_t *find_bodies(const struct space *s, int now)
{
    uint32_t *at = app_private("the order of the output", s->total * sizeof *at);

    for (int node = 0; node < app.nodes; node++)
        for (uint32_t i = 0; i < note_of(s, node)->bodies; i++) {
            size_t index = (size_t)node * s->stride + i;

            at[s->motion[now][index].id] = (uint32_t)index;
        }
    return at;
}

int bodies_write(const char *path, const struct space *s, int now)
{
    FILE *f = fopen(path, "w");
    uint32_t *at;
    bool good;

    if (f == NULL)
        return app_unwritten("output", path);
    at = find_bodies(s, now);
    fprintf(f, "# mass, position, velocity; %u bodies\n", (unsigned)s->total);
    for (uint32_t id = 0; id < s->total; id++) {
        const struct body *b = &s->body[now][at[id]];
        const struct motion *m = &s->motion[now][at[id]];

        fprintf(f, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", b->mass, b->x, b->y, b->z, m->x,
                m->y, m->z);
    }
    free(at);
    good = !ferror(f);
    return fclose(f) == 0 && good ? 0 : app_unwritten("output", path);
}
