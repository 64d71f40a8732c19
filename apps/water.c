/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * water.c - molecular dynamics of liquid water: the problem of SPLASH-2's water-spatial (Woo et
 * al., ISCA 1995).
 *
 * Molecules move in a periodic box by Newton's equations, under forces within a molecule and
 * between molecules nearer than a cut-off: the flexible model SPC/Fw (water_model.h). They are
 * kept in cells no thinner than the cut-off, so that only the 27 cells around a molecule are
 * searched, and the work grows linearly with the number of molecules. Equations are integrated by
 * Gear's predictor-corrector method with six derivatives: a Taylor series forward, the forces
 * there, then a correction of all derivatives in proportion to the error of the acceleration.
 *
 * A node owns rows of cells (water_cells.h). It computes the whole force on its own molecules,
 * visiting the neighbours in a fixed order; no node adds to another node's forces. That computes
 * each pair twice, but needs neither locks nor a second exchange, and makes the results bitwise
 * equal for any number of nodes.
 *
 * This is --forces rows. With --forces locks each pair is computed once, and both molecules'
 * forces are added up under a lock for each molecule, as in water-nsquared: water_forces.h. Results
 * differ, as sums are rounded differently, but are also bitwise equal for any number of nodes.
 * There are then two barriers per step.
 *
 * How pages move. Per step a node writes the state of its molecules (512 bytes each) and publishes
 * their positions (72 bytes), at home, on pages with one writer. It reads the positions published
 * in the rows beside its own: with slabs of whole layers, two layers of cells; with n cells along
 * an axis 2/n of all molecules, so 2 * 72 * molecules / n bytes, for 8,192 molecules 118 KB or
 * some 35 pages. State moves only when a molecule leaves a row for one of another node, a page
 * each. False sharing occurs in that page, read by one node while the other writes other molecules
 * on it, and in the page of energies, read once at the end. There is one barrier per step.
 *
 * Forces are checked at the start, on a sample of the molecules of every node, against differences
 * of the energy (water_check.h). Then the energy must stay constant within ENERGY_BOUND of the
 * initial kinetic energy, and momentum within MOMENTUM_BOUND. The checksum covers every bit of the
 * final state.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/common.h"
#include "apps/water_cells.h"
#include "apps/water_check.h"
#include "apps/water_forces.h"
#include "apps/water_start.h"

/* Default sizes as in SPLASH-2. */
#define DEFAULT_MOLECULES 512
#define DEFAULT_STEPS     3
#define DEFAULT_CUTOFF    6.212752 /* angstrom */
#define DEFAULT_DT        0.15     /* femtoseconds */

#define MAX_MOLECULES (UINT64_C(1) << 20)
#define MAX_STEPS     1000000
#define RECORDS       1000 /* maximum energy records, besides the one at the start */
#define SAMPLES       64   /* molecules whose forces are checked */

#define FORCE_BOUND    1e-5
#define ENERGY_BOUND   1e-3
#define MOMENTUM_BOUND 1e-10

struct problem {
    uint64_t molecules, steps;
    double cutoff, dt;
    bool locks; /* forces are added up under locks */
};

/* Of one row at one time, or of all. */
struct energies {
    double potential, kinetic;
    double pairs; /* molecules within the cut-off of each, summed; equals the number of forces */
};

/* Data of a node for the others; written between barriers, read by all after them. */
struct note {
    _Alignas(APP_PAGE) struct check_forces forces;
    double momentum[2][3]; /* at the start, at the end */
    double momenta;        /* sum of the absolute momenta at the start */
    uint64_t checksum, molecules;
    uint64_t adopted; /* molecules that changed their row */
};

struct water {
    struct start start;
    struct water_switch law;
    struct cells cells;
    bool locks;
    struct sums sums;         /* with locks */
    double cutoff, dt;        /* picoseconds */
    uint64_t steps, interval; /* energies are recorded at the start and every `interval` steps */
    size_t records;
    char *energies;           /* shared: energies_at() */
    size_t energies_per_node; /* bytes, whole pages */
    struct note *notes;       /* shared, by node */
    struct app_steps done;
};

static double mass_of(int coordinate)
{
    return coordinate < 3 ? WATER_MASS_O : WATER_MASS_H;
}

/* The energies of a node's rows are together, separate from those of other nodes. */
static struct energies *energies_at(const struct water *w, size_t record, size_t row)
{
    int owner = w->cells.owner[row];
    struct app_range rows = w->cells.share[owner].rows;
    char *part = w->energies + (size_t)owner * w->energies_per_node;

    return (struct energies *)(void *)part + record * app_length(rows) + (row - rows.begin);
}

static void share_energies(struct water *w)
{
    size_t rows = 0;

    for (int node = 0; node < app.nodes; node++) {
        size_t here = app_length(w->cells.share[node].rows);

        rows = here > rows ? here : rows;
    }
    w->interval = (w->steps + RECORDS - 1) / RECORDS;
    w->records = (size_t)(w->steps / w->interval) + 1;
    w->energies_per_node = app_pages(rows * w->records * sizeof(struct energies));
    w->energies = app_shared("the energies", w->energies_per_node * (size_t)app.nodes);
}

static void place_molecule(struct water *w, size_t row, uint64_t number)
{
    struct molecule *m = cells_add(&w->cells, row, number);

    start_molecule(&w->start, number, m->d[0], m->d[1]);
    for (int k = 0; k < WATER_DOF; k++)
        m->d[1][k] *= w->dt;
}

static void place_molecules(struct water *w)
{
    double o[3];

    for (uint64_t i = 0; i < w->start.molecules; i++) {
        start_place(&w->start, i, o);
        size_t row = cells_row_at(&w->cells, o);

        if (row >= w->cells.mine.begin && row < w->cells.mine.end)
            place_molecule(w, row, i);
    }
}

static void init_cells(struct water *w, size_t n)
{
    uint32_t *count;
    double o[3];

    cells_shape(&w->cells, w->start.box, n);
    w->cells.numbered = w->locks;
    count = app_zeros("the rows", w->cells.rows * sizeof *count);
    for (uint64_t i = 0; i < w->start.molecules; i++) {
        start_place(&w->start, i, o);
        count[cells_row_at(&w->cells, o)]++;
    }
    cells_init(&w->cells, count);
    free(count);
}

static void water_init(struct water *w, const struct problem *problem)
{
    size_t n;

    w->start = start_make(problem->molecules);
    w->cutoff = problem->cutoff;
    w->law = water_switch_make(w->cutoff);
    w->dt = 1e-3 * problem->dt;
    w->steps = problem->steps;
    w->locks = problem->locks;
    n = cells_along(w->start.box, w->cutoff);
    if (n < CELLS_LEAST || n > CELLS_MOST)
        app_usage_error("--cutoff %g: the box of %.3f makes %zu cells along an axis; %s", w->cutoff,
                        w->start.box, n,
                        n < CELLS_LEAST
                            ? "choose a smaller cut-off or more molecules, for 3 at least"
                            : "choose a larger cut-off, for 512 at most");
    init_cells(w, n);
    if (w->locks)
        sums_init(&w->sums, w->start.molecules);
    share_energies(w);
    w->notes = app_shared("the notes", (size_t)app.nodes * sizeof *w->notes);
    place_molecules(w);
}

/* Taylor series: Pascal's triangle, on values scaled by powers of the time step. */
static void predict(struct water *w)
{
    for (size_t row = w->cells.mine.begin; row < w->cells.mine.end; row++)
        for (size_t i = 0; i < cells_count(&w->cells, row); i++) {
            struct molecule *m = cells_molecule(&w->cells, row, i);

            for (int from = 0; from < GEAR_VALUES - 1; from++)
                for (int n = GEAR_VALUES - 2; n >= from; n--)
                    for (int k = 0; k < WATER_DOF; k++)
                        m->d[n][k] += m->d[n + 1][k];
        }
}

/*
 * Gear's coefficients for second-order equations, seven values. In the first step only the
 * acceleration is known. Its whole change is then attributed to the third derivative and corrected
 * in all lower ones.
 */
static void correct(const struct water *w, struct molecule *m, const struct water_force *force,
                    bool first)
{
    static const double later[GEAR_VALUES] = { 863.0 / 6048, 665.0 / 1008, 1,        25.0 / 36,
                                               35.0 / 144,   1.0 / 24,     1.0 / 360 };
    static const double starting[GEAR_VALUES] = { 1.0 / 3, 1, 1, 1.0 / 3 };
    const double *gear = first ? starting : later;
    double error[WATER_DOF];

    for (int k = 0; k < WATER_DOF; k++)
        error[k] = 0.5 * w->dt * w->dt * WATER_FORCE * force->f[k] / mass_of(k) - m->d[2][k];
    for (int n = 0; n < GEAR_VALUES; n++)
        for (int k = 0; k < WATER_DOF; k++)
            m->d[n][k] += gear[n] * error[k];
}

static void begin_with(const struct water *w, struct molecule *m, const struct water_force *force)
{
    for (int k = 0; k < WATER_DOF; k++)
        m->d[2][k] = 0.5 * w->dt * w->dt * WATER_FORCE * force->f[k] / mass_of(k);
}

static double kinetic_energy(const struct water *w, const struct molecule *m)
{
    double sum = 0;

    for (int k = 0; k < WATER_DOF; k++)
        sum += 0.5 * mass_of(k) * m->d[1][k] * m->d[1][k];
    return sum / (WATER_FORCE * w->dt * w->dt);
}

/* Adds up the forces of the pairs that are assigned to this node's molecules. */
static void add_pairs(struct water *w, uint64_t step)
{
    struct forces_around around;

    for (size_t row = w->cells.mine.begin; row < w->cells.mine.end; row++) {
        forces_prepare(&around, &w->cells, &w->law, (unsigned)step, row);
        for (size_t i = 0; i < cells_count(&w->cells, row); i++)
            forces_of_pairs(&around, cells_molecule(&w->cells, row, i), &w->sums);
    }
    sums_share(&w->sums);
    hlrc_barrier();
}

/* Computes the forces on a row of this node and moves its molecules; adds up the energies. */
static void move_row(struct water *w, uint64_t step, size_t row, struct energies *sum)
{
    struct forces_around around;
    struct water_force force;

    *sum = (struct energies){ 0 };
    if (!w->locks)
        forces_prepare(&around, &w->cells, &w->law, (unsigned)step, row);
    for (size_t i = 0; i < cells_count(&w->cells, row); i++) {
        struct molecule *m = cells_molecule(&w->cells, row, i);

        sum->pairs +=
            w->locks ? sums_take(&w->sums, m->number, &force) : forces_on(&around, m, &force);
        if (step == 0)
            begin_with(w, m, &force);
        else
            correct(w, m, &force, step == 1);
        sum->potential += force.energy;
        sum->kinetic += kinetic_energy(w, m);
    }
}

/* Starts from published positions; step 0 computes the initial accelerations. */
static void move_rows(struct water *w, uint64_t step)
{
    struct energies sum;

    cells_publish(&w->cells, (unsigned)step);
    hlrc_barrier();
    cells_will_look(&w->cells, (unsigned)step);
    cells_adopt(&w->cells, (unsigned)step);
    cells_will_move(&w->cells);
    if (w->locks)
        add_pairs(w, step);
    for (size_t row = w->cells.mine.begin; row < w->cells.mine.end; row++) {
        move_row(w, step, row, &sum);
        if (step % w->interval == 0)
            *energies_at(w, (size_t)(step / w->interval), row) = sum;
    }
}

static double timed_run(struct water *w)
{
    hlrc_barrier();
    cells_protect(&w->cells);
    app_steps_begin(&w->done);
    while (w->done.done < w->steps) {
        if (app_steps_save(&w->done, hlrc_checkpoint))
            cells_restore(&w->cells);
        w->done.done++;
        predict(w);
        move_rows(w, w->done.done);
        app_progress(w->done.done, w->steps);
    }
    hlrc_barrier();
    return app_steps_seconds(&w->done);
}

/* Each node checks its own molecules of the sample, with the forces computed for the start. */
static void check_forces(struct water *w)
{
    struct note *note = &w->notes[app.node];
    /* odd, so that the sample covers all places of a lattice */
    uint64_t stride = ((w->start.molecules + SAMPLES - 1) / SAMPLES) | 1;
    double force[WATER_DOF];

    for (size_t row = w->cells.mine.begin; row < w->cells.mine.end; row++)
        for (size_t i = 0; i < cells_count(&w->cells, row); i++) {
            const struct molecule *m = cells_molecule(&w->cells, row, i);

            if (m->number % stride != 0)
                continue;
            for (int k = 0; k < WATER_DOF; k++)
                force[k] = m->d[2][k] * mass_of(k) / (0.5 * w->dt * w->dt * WATER_FORCE);
            check_force(&w->cells, 0, w->cutoff, m, force, &note->forces);
        }
}

static uint64_t hash_of(const struct molecule *m)
{
    uint64_t bits[sizeof *m / sizeof(uint64_t)], hash = 0;

    memcpy(bits, m, sizeof bits);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        hash = app_scramble(hash ^ bits[i]);
    return hash;
}

/* Sums over this node's molecules, at the start (0) or the end (1). */
static void take_notes(struct water *w, int when)
{
    struct note *note = &w->notes[app.node];

    note->checksum = note->molecules = 0;
    note->adopted = w->cells.adopted;
    for (size_t row = w->cells.mine.begin; row < w->cells.mine.end; row++)
        for (size_t i = 0; i < cells_count(&w->cells, row); i++) {
            const struct molecule *m = cells_molecule(&w->cells, row, i);

            note->molecules++;
            note->checksum += hash_of(m);
            for (int k = 0; k < WATER_DOF; k++) {
                double momentum = mass_of(k) * m->d[1][k] / w->dt;

                note->momentum[when][k % 3] += momentum;
                note->momenta += when == 0 ? fabs(momentum) : 0;
            }
        }
}

/* Computes the forces at the start. Publishes to both alternating areas once before, which touches
 * every page. */
static void start_run(struct water *w)
{
    cells_publish(&w->cells, 1);
    hlrc_barrier();
    cells_will_look(&w->cells, 1);
    move_rows(w, 0);
    take_notes(w, 0);
}

/* Rows are added up in order, so that the sum has the same bits for any number of nodes. */
static struct energies total(const struct water *w, size_t record)
{
    struct energies sum = { 0 };

    for (size_t row = 0; row < w->cells.rows; row++) {
        const struct energies *e = energies_at(w, record, row);

        sum.potential += e->potential;
        sum.kinetic += e->kinetic;
        sum.pairs += e->pairs;
    }
    return sum;
}

/* The largest change of the energy since the start, relative to the initial kinetic energy. */
static double energy_change(const struct water *w)
{
    struct energies first = total(w, 0);
    double worst = 0;

    for (size_t record = 1; record < w->records; record++) {
        struct energies now = total(w, record);
        double change =
            fabs(now.potential + now.kinetic - first.potential - first.kinetic) / first.kinetic;

        worst = change > worst || isnan(change) ? change : worst;
    }
    return worst;
}

static struct note notes_of_all(const struct water *w)
{
    struct note all = { 0 };

    for (int node = 0; node < app.nodes; node++) {
        const struct note *note = &w->notes[node];

        all.forces.worst =
            note->forces.worst > all.forces.worst ? note->forces.worst : all.forces.worst;
        all.forces.squares += note->forces.squares;
        all.forces.count += note->forces.count;
        for (int k = 0; k < 6; k++)
            all.momentum[k / 3][k % 3] += note->momentum[k / 3][k % 3];
        all.momenta += note->momenta;
        all.checksum += note->checksum;
        all.molecules += note->molecules;
        all.adopted += note->adopted;
    }
    return all;
}

static void verify(const struct water *w, const struct note *all, struct app_result *result)
{
    double forces = all->forces.worst / sqrt(all->forces.squares / (double)all->forces.count);
    double energy = energy_change(w), momentum = 0;

    for (int k = 0; k < 3; k++)
        momentum += fabs(all->momentum[1][k] - all->momentum[0][k]) / all->momenta;
    result->verified = forces <= FORCE_BOUND && energy <= ENERGY_BOUND &&
                       momentum <= MOMENTUM_BOUND && all->molecules == w->start.molecules;
    APP_PRINT(result->evidence,
              "%" PRIu64 " molecules, %" PRIu64 " changed rows; %" PRIu64
              " forces off the gradient by %.1e, energy by %.1e, momentum by %.1e",
              all->molecules, all->adopted, all->forces.count, forces, energy, momentum);
}

/* Only on node 0. */
static void report(const struct water *w, const struct problem *problem, struct app_result *result)
{
    struct note all = notes_of_all(w);

    APP_PRINT(result->size, "%" PRIu64, problem->molecules);
    APP_PRINT(result->problem,
              "SPC/Fw, %" PRIu64 " molecules in %zu^3 cells, cut-off %g A, %" PRIu64
              " steps of %g fs, %sseed %" PRIu64,
              problem->molecules, w->cells.n, problem->cutoff, problem->steps, problem->dt,
              w->locks ? "forces under locks, " : "", app.seed);
    APP_PRINT(result->checksum, "%016" PRIx64, all.checksum);
    result->mops = 1e-6 * total(w, w->records - 1).pairs * (double)problem->steps / result->time_s;
    if (app.verify)
        verify(w, &all, result);
}

static const struct app_option options[] = {
    { "molecules", 'm', "N", "Number of molecules (default 512)",
      APP_NUMBER(problem, molecules, 1, MAX_MOLECULES) },
    { "steps", 's', "N", "Time steps (default 3)", APP_NUMBER(problem, steps, 1, MAX_STEPS) },
    { "cutoff", 'c', "A", "Reach of the forces between molecules, in angstrom (default 6.212752)",
      APP_REAL(problem, cutoff, 2, 100) },
    { "dt", 't', "FS", "Time step in femtoseconds (default 0.15)",
      APP_REAL(problem, dt, 1e-3, 10) },
    { "forces", 'f', "WAY",
      "How forces are found: each pair twice, by the nodes whose rows its molecules are in (rows, "
      "the default), or once, and added up under a lock for each molecule (locks)",
      APP_WORDS(problem, locks, "rows", "locks") },
    { 0 },
};

int main(int argc, char **argv)
{
    static struct water w;
    struct problem problem = { DEFAULT_MOLECULES, DEFAULT_STEPS, DEFAULT_CUTOFF, DEFAULT_DT,
                               false };
    struct app_result result = { 0 };

    app_begin("water",
              "Molecular dynamics of liquid water: the problem of SPLASH-2's water-spatial.",
              options, &problem, argc, argv);
    water_init(&w, &problem);
    start_run(&w);
    if (app.verify)
        check_forces(&w);
    result.time_s = timed_run(&w);
    take_notes(&w, 1);
    hlrc_barrier();
    if (app.node == 0)
        report(&w, &problem, &result);
    return app_end(&result);
}
