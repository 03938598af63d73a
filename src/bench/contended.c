/*
 * Many processes that want slots and give them back, again and again. In every round each subject
 * has one window for each combination of processes, slots and critical section, and those that are
 * compared follow one another directly, in an order that is new each time.
 *
 * Throughput, CPU time and fairness are of plain windows. What is measured from inside, the waits
 * and the order of entry, comes from traced windows: writing things down costs time, and would be
 * measured with the rest.
 */
#include "bench/plan.h"
#include "bench/window.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 4, SECTIONS = 3, CELLS = SIZES * 2 * SECTIONS, MOST_ROUNDS = 16 };

static const unsigned sizes[SIZES] = {2, 8, 16, BENCH_CONTENDERS};
static const double sections_us[SECTIONS] = {0, 1, 100};

struct cell {
    unsigned processes, slots;
    double section_us;
};

/* One subject in one cell. */
struct outcome {
    struct bench_plain plain[MOST_ROUNDS];
    struct bench_traced traced; /* all rounds together */
    bool measured;
    int error; /* why it was given up */
};

struct contended {
    struct bench_run *run;
    struct bench_board *board;
    unsigned cells;
    struct cell cell[CELLS];
    struct outcome (*outcome)[BENCH_SUBJECTS]; /* of each cell */
};

/* ---- measuring ---- */

static void add_up(struct bench_traced *sum, const struct bench_traced *more)
{
    bench_histogram_merge(&sum->waits, &more->waits);
    sum->violations += more->violations;
    sum->overtaken.watched += more->overtaken.watched;
    sum->overtaken.overtakes += more->overtaken.overtakes;
    sum->overtaken.by_ticket += more->overtaken.by_ticket;
    sum->overtaken.from_call += more->overtaken.from_call;
    sum->overtaken.has_by_ticket = more->overtaken.has_by_ticket;
    sum->overtaken.has_from_call = more->overtaken.has_from_call;
}

static bool measure(struct contended *all, unsigned c, unsigned s, unsigned round)
{
    static struct bench_traced traced; /* large */
    const struct bench_sizes *size = all->run->size;
    struct outcome *outcome = &all->outcome[c][s];
    struct bench_window window = {.run = all->run,
                                  .subject = bench_subjects[s],
                                  .processes = all->cell[c].processes,
                                  .slots = all->cell[c].slots,
                                  .section_us = all->cell[c].section_us,
                                  .board = all->board};
    if (outcome->error != 0)
        return true;
    outcome->measured = true;
    if (round < size->plain_rounds)
        return bench_window_plain(&window, &outcome->plain[round], &outcome->error);
    if (!bench_window_traced(&window, &traced, &outcome->error))
        return false;
    if (outcome->error == 0)
        add_up(&outcome->traced, &traced);
    return true;
}

static bool measure_all(struct contended *all)
{
    const unsigned rounds = all->run->size->plain_rounds + all->run->size->traced_rounds;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned c = 0; c < all->cells; c++) {
            unsigned order[BENCH_SUBJECTS];
            bench_progress(all->run, "contended", round * all->cells + c, rounds * all->cells);
            bench_shuffle(&all->run->random, order, BENCH_SUBJECTS);
            for (unsigned i = 0; i < BENCH_SUBJECTS; i++) {
                const struct bench_subject *subject = bench_subjects[order[i]];
                if (!bench_chosen(all->run, subject) || subject->most < all->cell[c].slots)
                    continue;
                if (!measure(all, c, order[i], round))
                    return false;
            }
        }
    }
    return true;
}

/* ---- reporting ---- */

enum what { WALL, CPU, FAIRNESS };

static double value_of(const struct bench_plain *plain, enum what what)
{
    return what == WALL  ? plain->ns_per_pair
           : what == CPU ? plain->cpu_ns_per_pair
                         : plain->fairness;
}

/* Over all rounds; as a ratio to `base` in the same round, where that is not NULL. */
static struct bench_spread over_rounds(const struct contended *all, const struct outcome *outcome,
                                       const struct outcome *base, enum what what)
{
    double value[MOST_ROUNDS];
    if (base != NULL && (!base->measured || base->error != 0))
        return bench_unknown;
    for (unsigned round = 0; round < all->run->size->plain_rounds; round++) {
        value[round] = value_of(&outcome->plain[round], what);
        if (base != NULL)
            value[round] /= value_of(&base->plain[round], what);
    }
    return bench_spread_of(value, all->run->size->plain_rounds);
}

static void report_traced(struct bench_row *row, const struct bench_traced *traced,
                          const struct bench_subject *subject)
{
    const struct bench_overtaken *overtaken = &traced->overtaken;
    row->p50_us = bench_histogram_quantile(&traced->waits, 0.5) / 1e3;
    row->p99_us = bench_histogram_quantile(&traced->waits, 0.99) / 1e3;
    row->max_us = traced->waits.max > 0 ? (double)traced->waits.max / 1e3 : NAN;
    if (!subject->spins) {
        row->watched = (double)overtaken->watched;
        row->overtakes = overtaken->watched > 0 ? (double)overtaken->overtakes : NAN;
    }
    if (overtaken->has_by_ticket)
        row->overtakes_by_ticket = (double)overtaken->by_ticket;
    if (overtaken->has_from_call)
        row->overtakes_from_call = (double)overtaken->from_call;
    if (traced->violations > 0)
        snprintf(row->note, sizeof row->note, "let too many in, %llu times",
                 (unsigned long long)traced->violations);
}

static unsigned index_of(const struct bench_subject *subject)
{
    unsigned s = 0;
    while (bench_subjects[s] != subject)
        s++;
    return s;
}

static bool report(const struct contended *all, unsigned c, unsigned s)
{
    const struct outcome *outcome = &all->outcome[c][s];
    const struct outcome *sem = &all->outcome[c][index_of(&bench_sem)];
    const struct outcome *sysv = &all->outcome[c][index_of(&bench_sysv)];
    const struct cell *cell = &all->cell[c];
    struct bench_row row =
        bench_row_of(BENCH_CONTENDED, bench_subjects[s]->name, cell->processes, cell->slots);
    row.section_us = cell->section_us;
    if (outcome->error != 0) {
        bench_note(&row, "failed", outcome->error);
        return bench_add(all->run, &row);
    }
    row.samples = all->run->size->plain_rounds;
    row.ns_per_pair = over_rounds(all, outcome, NULL, WALL);
    row.cpu_ns_per_pair = over_rounds(all, outcome, NULL, CPU);
    row.fairness = over_rounds(all, outcome, NULL, FAIRNESS);
    row.ratio = over_rounds(all, outcome, sem, WALL);
    row.ratio_to_sysv = over_rounds(all, outcome, sysv, WALL);
    row.cpu_ratio_to_sysv = over_rounds(all, outcome, sysv, CPU);
    if (isnan(row.ns_per_pair.median))
        snprintf(row.note, sizeof row.note, "nobody got a slot in %g s", all->run->size->window_s);
    report_traced(&row, &outcome->traced, bench_subjects[s]);
    return bench_add(all->run, &row);
}

static bool report_all(const struct contended *all)
{
    for (unsigned c = 0; c < all->cells; c++) {
        for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
            if (all->outcome[c][s].measured && !report(all, c, s))
                return false;
        }
    }
    return true;
}

/* ---- */

static void choose_cells(struct contended *all)
{
    const unsigned only = all->run->plan->processes;
    for (unsigned i = 0; i < SIZES; i++) {
        unsigned processes = only != 0 ? only : sizes[i];
        if (processes > all->run->size->most_processes && only == 0)
            break;
        for (unsigned slots = 1; slots <= BENCH_SLOTS; slots += BENCH_SLOTS - 1) {
            for (unsigned section = 0; section < SECTIONS; section++)
                all->cell[all->cells++] = (struct cell){processes, slots, sections_us[section]};
        }
        if (only != 0)
            break;
    }
}

bool bench_contended(struct bench_run *run)
{
    struct contended all = {.run = run};
    choose_cells(&all);
    all.outcome = calloc(CELLS, sizeof *all.outcome);
    all.board = bench_map(sizeof *all.board);
    bool ran;
    if (all.outcome == NULL || all.board == NULL)
        ran = bench_fail(run, "cannot get memory for the measurement", ENOMEM);
    else
        ran = measure_all(&all) && report_all(&all);
    free(all.outcome);
    if (all.board != NULL)
        bench_unmap(all.board, sizeof *all.board);
    return ran;
}
