/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * barnes.c - gravitational N-body simulation: the method of Barnes and Hut (Nature 324, 446,
 * 1986), in three dimensions.
 *
 * In each step the octree of the bodies is rebuilt. The force on each body is found by a walk
 * through the tree, in which a cell that is far enough away represents all its bodies. Then all
 * bodies advance by a leapfrog step. A node computes the bodies of a zone of space; zones are
 * chosen to have had equal cost in the last step. The parts of a step:
 *
 *   sort     a node sorts its bodies, at their new positions, by their keys, and offers cuts:
 *            barnes_zone.h
 *   barrier
 *   gather   it determines its zone and takes over the bodies in it; they are copied, in order, to
 *            the other of two arrays. Then it builds the branches of the tree in its zone, without
 *            a lock: barnes_tree.h
 *   barrier
 *   forces   it builds the top of the tree from the roots of all branches, and walks for each of
 *            its bodies. The velocity is written to the other of two arrays, and the bounding box
 *            of the new positions is computed
 *   barrier
 *
 * This is --tree zones. With --tree locks all nodes insert their bodies into one tree, as in
 * SPLASH-2: barnes_shared.h. Results are the same.
 *
 * Bodies are thus stored in spatial order. The bodies and cells of a node are together, in its own
 * pages. Every page is written by one node per step, which touched it first and is its home, so
 * there are no diffs. A body that changes its zone is moved.
 *
 * How pages move. A node reads the entries and bodies of its neighbours that have come into its
 * zone, some dozen pages. Of the tree and the positions in it, 80 bytes per cell and 32 per body,
 * it reads the part that its walks reach: nine tenths of the pages with two nodes, six tenths with
 * sixteen. Requesting all of them at once, before the walks, takes less time than a fault for
 * each. Notes, one page per node, are read by all after each barrier.
 *
 * The results have the same bits for any number of nodes, as the tree, the order of the walk and
 * the order of all sums depend only on the positions. Only the energy is summed by zones; it is
 * reported and not used otherwise.
 *
 * Defaults are those of SPLASH-2: 16,384 bodies, theta 1.0, four steps of 0.025, the first two of
 * which are not timed, and eps 0.05. A leaf holds up to ten bodies. Positions and velocities are
 * half a step apart between the first and the last force computation; the last one follows the
 * last step and is not timed.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/barnes.h"
#include "apps/barnes_check.h"
#include "apps/barnes_input.h"
#include "apps/barnes_shared.h"
#include "apps/barnes_tree.h"
#include "apps/barnes_zone.h"

#define UNTIMED 2 /* steps, if the run has more */

#define ENERGY_TOLERANCE 0.01
#define MAX_THETA        1.15 /* below 2 / sqrt(3), no body is far from a cell that contains it */

struct problem {
    uint32_t bodies;
    uint32_t steps;
    double theta, dt, eps;
    bool locks;                 /* one tree for all nodes */
    const char *input, *output; /* files, or NULL */
};

struct energy {
    double kinetic, potential;
};

enum stage { FIRST, BETWEEN, LAST };

struct simulation {
    const struct problem *problem;
    struct space space;
    struct zone zone;
    struct tree tree;
    struct shared_tree shared; /* with problem->locks */
    int now;                   /* which of two arrays holds the bodies */
    struct energy energy[2];   /* at the start and the end; node 0 */
    uint64_t interactions;     /* of the timed steps; node 0 */
    struct app_steps steps;
};

/* Node 0's result of reading the input, for all nodes; one page. */
struct input_note {
    uint32_t bodies;
    int status;
    size_t line;
};

static _Noreturn void input_error(const char *path, const struct input_note *note)
{
    if (note->status == -EINVAL)
        app_usage_error("--input %s: line %zu is no body; write mass, position, velocity: seven "
                        "numbers, mass above 0",
                        path, note->line);
    if (note->status == -EFBIG)
        app_usage_error("--input %s: too many bodies; %" PRIu64 " are possible", path, MAX_BODIES);
    if (note->status != 0)
        app_usage_error("--input %s: %s; name a file that can be read", path,
                        strerror(-note->status));
    app_usage_error("--input %s: %u bodies; 2 are needed", path, (unsigned)note->bodies);
}

/* Node 0 reads the file; all nodes get the number of bodies, or exit. */
static void read_input(struct problem *problem, struct bodies *bodies)
{
    struct input_note *note = app_shared("the input", APP_PAGE);

    if (app.node == 0) {
        note->status = bodies_read(problem->input, bodies, &note->line);
        note->bodies = bodies->count;
    }
    hlrc_barrier();
    if (note->status != 0 || note->bodies < 2)
        input_error(problem->input, note);
    problem->bodies = note->bodies;
}

/* A part has room for all bodies: address space, of which only the used pages take memory. */
static void space_init(struct space *s, uint32_t bodies, bool locks)
{
    size_t nodes = (size_t)app.nodes;

    s->total = bodies;
    s->stride = stride_of(bodies);
    s->cell_stride = stride_of(2 * (size_t)bodies); /* every inner cell has at least two children */
    for (int i = 0; i < 2; i++) {
        s->body[i] = app_shared("the bodies", nodes * s->stride * sizeof *s->body[i]);
        s->motion[i] = app_shared("the velocities", nodes * s->stride * sizeof *s->motion[i]);
    }
    s->sorted = app_shared("the order of bodies", nodes * s->stride * sizeof *s->sorted);
    if (!locks) {
        s->cell = app_shared("the cells", nodes * s->cell_stride * sizeof *s->cell);
        s->root = app_shared("the roots", nodes * ROOTS * sizeof *s->root);
    }
    s->notes = app_shared("the notes", nodes * sizeof *s->notes);
}

/* All bodies start at node 0; the first step distributes them. */
static void place_bodies(struct simulation *sim, struct bodies *input)
{
    struct bodies bodies = { sim->space.body[0], sim->space.motion[0], sim->space.total };

    if (input->body == NULL) {
        plummer_model(&bodies, app.seed);
    } else {
        memcpy(bodies.body, input->body, bodies.count * sizeof *bodies.body);
        memcpy(bodies.motion, input->motion, bodies.count * sizeof *bodies.motion);
        free(input->body);
        free(input->motion);
    }
    for (uint32_t i = 0; i < bodies.count; i++) {
        bodies.motion[i].cost = 1;
        box_add(&note_of(&sim->space, 0)->box, bodies.body[i].x, bodies.body[i].y,
                bodies.body[i].z);
    }
    sim->zone.count = bodies.count;
}

static void simulation_init(struct simulation *sim, struct problem *problem)
{
    struct bodies input = { 0 };

    *sim = (struct simulation){ .problem = problem };
    if (problem->input != NULL)
        read_input(problem, &input);
    space_init(&sim->space, problem->bodies, problem->locks);
    zone_init(&sim->zone, &sim->space);
    tree_init(&sim->tree, &sim->space);
    if (problem->locks) {
        shared_init(&sim->shared, &sim->space);
        sim->tree.shared = &sim->shared;
    }
    note_of(&sim->space, app.node)->box = box_empty();
    if (app.node == 0)
        place_bodies(sim, &input);
}

static double square(double x, double y, double z)
{
    return x * x + y * y + z * z;
}

/* Computes the body's next velocity. Energy uses position and velocity at the same time, which
 * holds at both ends of the run. */
static struct motion accelerate(const struct motion *m, const struct body *b, const struct force *f,
                                double kick, enum stage stage, struct note *note)
{
    struct motion next = { m->x + f->ax * kick, m->y + f->ay * kick, m->z + f->az * kick, m->id,
                           f->cost };
    const struct motion *same_time = stage == FIRST ? m : &next;

    note->kinetic += 0.5 * b->mass * square(same_time->x, same_time->y, same_time->z);
    note->potential += 0.5 * b->mass * f->potential;
    note->interactions += f->cost;
    return next;
}

/* Forces on all bodies of this node; updates velocities and the note. */
static void move_bodies(struct simulation *sim, double kick, enum stage stage)
{
    const struct problem *problem = sim->problem;
    const struct space *s = &sim->space;
    size_t base = (size_t)app.node * s->stride;
    const struct body *body = &s->body[sim->now][base];
    struct motion *motion = &s->motion[sim->now][base];
    struct note *note = note_of(s, app.node), sums = { .box = box_empty() };

    app_will_write(motion, sim->zone.count * sizeof *motion);
    for (uint32_t i = 0; i < sim->zone.count; i++) {
        const struct body *b = &body[i];
        const struct motion *m = &s->motion[!sim->now][sim->zone.list[i].from];
        struct force f = { .self = b, .x = b->x, .y = b->y, .z = b->z };

        f.inverse_theta = 1 / problem->theta;
        f.eps2 = problem->eps * problem->eps;
        tree_force(&sim->tree, &f);
        motion[i] = accelerate(m, b, &f, kick, stage, &sums);
        box_add(&sums.box, b->x + motion[i].x * problem->dt, b->y + motion[i].y * problem->dt,
                b->z + motion[i].z * problem->dt);
    }
    note->box = sums.box;
    note->kinetic = sums.kinetic;
    note->potential = sums.potential;
    note->interactions = sums.interactions;
}

static void make_tree(struct simulation *sim)
{
    if (!sim->problem->locks) {
        tree_build(&sim->space, &sim->zone, sim->now);
        hlrc_barrier();
        tree_join(&sim->tree, &sim->zone, sim->now);
        return;
    }
    shared_build(&sim->shared, &sim->zone, sim->now);
    hlrc_barrier();
    shared_finish(&sim->shared, &sim->zone.cube);
    sim->tree.body = sim->space.body[sim->now];
}

/* Advances positions by `drift`, finds the forces there, and advances velocities by `kick`. */
static void step(struct simulation *sim, double drift, double kick, enum stage stage)
{
    int old = sim->now;

    zone_sort(&sim->zone, &sim->space, old, drift);
    if (sim->problem->locks)
        shared_begin(&sim->shared);
    hlrc_barrier();
    zone_gather(&sim->zone, &sim->space, old, drift);
    sim->now = !old;
    make_tree(sim);
    move_bodies(sim, kick, stage);
    hlrc_barrier();
}

/* Node 0, between steps. */
static struct energy total_energy(const struct space *s)
{
    struct energy energy = { 0, 0 };

    for (int node = 0; node < app.nodes; node++) {
        energy.kinetic += note_of(s, node)->kinetic;
        energy.potential += note_of(s, node)->potential;
    }
    return energy;
}

static uint64_t total_interactions(const struct space *s)
{
    uint64_t sum = 0;

    for (int node = 0; node < app.nodes; node++)
        sum += note_of(s, node)->interactions;
    return sum;
}

static uint32_t untimed_steps(const struct problem *problem)
{
    return problem->steps > UNTIMED ? UNTIMED : problem->steps - 1;
}

/* What a node keeps from step to step, besides shared memory. */
static void protect(struct simulation *sim)
{
    app_protect(&sim->zone, offsetof(struct zone, list));
    app_protect(&sim->shared.step, sizeof sim->shared.step);
    app_protect(&sim->shared.lost, sizeof sim->shared.lost);
    app_protect(&sim->now, sizeof sim->now);
    app_protect(sim->energy, sizeof sim->energy);
    app_protect(&sim->interactions, sizeof sim->interactions);
}

static double timed_run(struct simulation *sim)
{
    const struct problem *problem = sim->problem;
    double dt = problem->dt, time;

    hlrc_barrier();
    protect(sim);
    app_steps_begin(&sim->steps);
    for (; sim->steps.done < problem->steps; sim->steps.done++) {
        if (sim->steps.done == untimed_steps(problem))
            sim->steps.begun = app_now();
        app_steps_save(&sim->steps, hlrc_checkpoint);
        uint64_t i = sim->steps.done;
        step(sim, i == 0 ? 0 : dt, i == 0 ? 0.5 * dt : dt, i == 0 ? FIRST : BETWEEN);
        if (i == 0 && app.node == 0)
            sim->energy[0] = total_energy(&sim->space);
        if (i >= untimed_steps(problem) && app.node == 0)
            sim->interactions += total_interactions(&sim->space);
        app_progress(i + 1, problem->steps);
    }
    time = app_steps_seconds(&sim->steps);
    step(sim, dt, 0.5 * dt, LAST);
    if (app.node == 0)
        sim->energy[1] = total_energy(&sim->space);
    return time;
}

/* Called on every node. */
static void examine(struct simulation *sim)
{
    const struct problem *problem = sim->problem;

    check_bodies(&sim->tree, &sim->zone, sim->now, problem->theta, problem->eps,
                 &note_of(&sim->space, app.node)->findings);
    hlrc_barrier();
}

static struct findings all_findings(const struct space *s)
{
    struct findings all = { 0 };

    for (int node = 0; node < app.nodes; node++) {
        const struct findings *f = &note_of(s, node)->findings;

        for (int i = 0; i < CHECKS; i++) {
            all.error2[i] += f->error2[i];
            all.ratio[i] = fmax(all.ratio[i], f->ratio[i]);
        }
        all.force2 += f->force2;
        all.moments = fmax(all.moments, f->moments);
        all.hash += f->hash;
        all.id_hash += f->id_hash;
        all.sample += f->sample;
        all.lost += f->lost;
    }
    return all;
}

static bool forces_good(const struct problem *problem, const struct findings *f,
                        const double error[CHECKS])
{
    bool good = f->moments <= CHECK_MOMENTS,
         model = problem->input == NULL && problem->bodies >= 1000;
    double thetas[CHECKS], tolerance[CHECKS];

    check_thetas(problem->theta, thetas, tolerance);
    for (int i = 0; i < CHECKS; i++)
        good = good && f->ratio[i] <= 1 && (!model || error[i] <= tolerance[i]);
    return good;
}

/* 0 / 0 gives 0. */
static double ratio(double part, double whole)
{
    return part != 0 ? part / whole : 0;
}

/* The change of energy is given relative to the potential energy, as the total may be 0. */
static void verify(const struct simulation *sim, const struct findings *f,
                   struct app_result *result)
{
    const struct problem *problem = sim->problem;
    struct energy begin = sim->energy[0], end = sim->energy[1];
    double drift =
        ratio(end.kinetic + end.potential - begin.kinetic - begin.potential, fabs(begin.potential));
    bool kept = f->id_hash == check_id_hash(problem->bodies) && f->lost == 0;
    double error[CHECKS], greatest = 0;

    for (int i = 0; i < CHECKS; i++) {
        error[i] = sqrt(ratio(f->error2[i], f->force2));
        greatest = fmax(greatest, f->ratio[i]);
    }
    result->verified = kept && forces_good(problem, f, error) && fabs(drift) <= ENERGY_TOLERANCE;
    APP_PRINT(result->evidence,
              "%s; %u forces: rms error %.2g, theta %g %.2g, at most %.2g of their bounds; energy "
              "%.5g, drift %.1e",
              !kept                         ? "BODIES LOST"
              : f->moments <= CHECK_MOMENTS ? "all bodies there"
                                            : "MOMENTS WRONG",
              (unsigned)f->sample, error[0], CHECK_THETA, error[1], greatest,
              end.kinetic + end.potential, drift);
}

/* Only on node 0. */
static void report(struct simulation *sim, struct app_result *result)
{
    const struct problem *problem = sim->problem;
    struct findings findings = all_findings(&sim->space);
    uint32_t timed = problem->steps - untimed_steps(problem);

    APP_PRINT(result->size, "%u", (unsigned)problem->bodies);
    APP_PRINT(
        result->problem,
        "Barnes-Hut, %u bodies %s, %stheta %g, dt %g, eps %g, %u steps (%u timed), seed %" PRIu64,
        (unsigned)problem->bodies, problem->input != NULL ? "from a file" : "of Plummer's model",
        problem->locks ? "shared tree, " : "", problem->theta, problem->dt, problem->eps,
        (unsigned)problem->steps, (unsigned)timed, app.seed);
    APP_PRINT(result->checksum, "%016" PRIx64, findings.hash);
    result->mops = 1e-6 * (double)sim->interactions / result->time_s;
    if (app.verify)
        verify(sim, &findings, result);
}

static const struct app_option options[] = {
    { "bodies", 'n', "N", "Size: number of bodies, 2 to 2^22, also as 2^n (default 16384)",
      APP_NUMBER(problem, bodies, 2, MAX_BODIES) },
    { "input", 'i', "FILE",
      "Bodies from FILE: lines of mass, position, velocity (default: Plummer's model)",
      APP_TEXT(problem, input) },
    { "output", 'o', "FILE", "Write the bodies to FILE at the end, in the same form",
      APP_TEXT(problem, output) },
    { "theta", 't', "X", "Open a cell nearer than its side / X (default 1.0)",
      APP_REAL(problem, theta, 0.05, MAX_THETA) },
    { "dt", 'd', "X", "Length of a step (default 0.025)", APP_REAL(problem, dt, 0, 1e6) },
    { "eps", 'e', "X", "Softening length (default 0.05)", APP_REAL(problem, eps, 0, 1e6) },
    { "tree", 'T', "WAY",
      "How the tree is built: in branches, one zone by one node (zones, the default), or by all "
      "nodes in one, with a lock for each cell (locks)",
      APP_WORDS(problem, locks, "zones", "locks") },
    { "steps", 's', "N", "Number of steps (default 4); the first two are not timed",
      APP_NUMBER(problem, steps, 1, 1000000) },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct simulation sim;
    struct problem problem = {
        .bodies = 16384, .steps = 4, .theta = 1.0, .dt = 0.025, .eps = 0.05
    };
    struct app_result result = { 0 };
    int unwritten = 0;

    app_begin("barnes", "Gravitation of many bodies by the method of Barnes and Hut.", options,
              &problem, argc, argv);
    simulation_init(&sim, &problem);
    result.time_s = timed_run(&sim);
    examine(&sim);
    if (app.node == 0) {
        report(&sim, &result);
        if (problem.output != NULL)
            unwritten = bodies_write(problem.output, &sim.space, sim.now);
    }
    return app_end(&result) | unwritten;
}
