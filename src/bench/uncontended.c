/*
 * An acquire and release that nobody disputes, from one process, while a second one has everything
 * open too. All subjects are measured by the same process in batches of a millisecond or so, one
 * batch of each in every round, in an order that is new for each round: whatever slows the machine
 * down for longer than that slows all of them down.
 */
#include "bench/crew.h"
#include "bench/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { COMBINATIONS = 2 * BENCH_SUBJECTS };

/* Written by the child that measures. */
struct results {
    int error[COMBINATIONS];
    double ns[]; /* per pair: round after round, COMBINATIONS in each; 0: not measured */
};

struct uncontended {
    struct bench_run *run;
    unsigned count; /* of combinations of a subject and a number of slots */
    struct bench_place place[COMBINATIONS];
    struct bench_seat seat[COMBINATIONS];
    struct bench_gate *gate;
    struct results *results;
};

static double *cell(const struct results *results, unsigned round, unsigned combination)
{
    return (double *)&results->ns[(size_t)round * COMBINATIONS + combination];
}

/* ---- in a child ---- */

static void join_all(struct uncontended *all)
{
    for (unsigned c = 0; c < all->count; c++) {
        all->seat[c] = (struct bench_seat){.place = &all->place[c]};
        if (all->results->error[c] == 0)
            all->results->error[c] = all->place[c].subject->join(&all->seat[c]);
    }
}

static int time_pairs(struct uncontended *all, unsigned c, uint64_t pairs, double *ns)
{
    uint64_t begun = bench_now_ns();
    int error = all->place[c].subject->pairs(&all->seat[c], pairs);
    *ns = (double)(bench_now_ns() - begun);
    return error;
}

/* As many pairs as take about the time of a batch. */
static uint64_t batch_of(struct uncontended *all, unsigned c)
{
    const double wanted = all->run->size->batch_s * 1e9;
    double ns = 0;
    for (uint64_t pairs = 64; all->results->error[c] == 0; pairs *= 2) {
        all->results->error[c] = time_pairs(all, c, pairs, &ns);
        if (ns >= wanted / 4)
            return (uint64_t)((double)pairs * wanted / ns) + 1;
    }
    return 0;
}

static int measure(void *context, unsigned me)
{
    (void)me;
    struct uncontended *all = context;
    uint64_t batch[COMBINATIONS], random = all->run->random;
    unsigned order[COMBINATIONS];
    join_all(all);
    bench_gate_wait(all->gate);
    for (unsigned c = 0; c < all->count; c++)
        batch[c] = batch_of(all, c);
    for (unsigned round = 0; round < all->run->size->uncontended_rounds; round++) {
        bench_shuffle(&random, order, all->count);
        for (unsigned i = 0; i < all->count; i++) {
            unsigned c = order[i];
            double ns = 0;
            if (all->results->error[c] == 0)
                all->results->error[c] = time_pairs(all, c, batch[c], &ns);
            if (all->results->error[c] == 0)
                *cell(all->results, round, c) = ns / (double)batch[c];
        }
    }
    return 0;
}

static int look_on(void *context, unsigned me)
{
    (void)me;
    struct uncontended *all = context;
    join_all(all);
    bench_gate_wait(all->gate);
    while (pause() != 0) /* which it always does, if it returns */
        continue;
    return 0;
}

/* ---- in the driver ---- */

static bool report(const struct uncontended *all, unsigned c, double *value, double *ratio)
{
    const struct bench_place *place = &all->place[c];
    struct bench_row row = bench_row_of(BENCH_UNCONTENDED, place->subject->name, 1, place->slots);
    const unsigned rounds = all->run->size->uncontended_rounds;
    unsigned base = 0; /* sem_t with as many slots */
    while (base < all->count &&
           (all->place[base].subject != &bench_sem || all->place[base].slots != place->slots))
        base++;
    for (unsigned round = 0; round < rounds; round++) {
        double mine = *cell(all->results, round, c);
        double its = base < all->count ? *cell(all->results, round, base) : 0;
        row.samples += mine > 0;
        value[round] = mine > 0 ? mine : NAN;
        ratio[round] = mine > 0 && its > 0 ? mine / its : NAN;
    }
    row.section_us = 0;
    row.ns_per_pair = bench_spread_of(value, rounds);
    row.ratio = bench_spread_of(ratio, rounds);
    if (all->results->error[c] != 0)
        bench_note(&row, "failed", all->results->error[c]);
    else if (row.samples < rounds)
        bench_note(&row, "not measured to the end", ETIMEDOUT);
    return bench_add(all->run, &row);
}

static bool report_all(const struct uncontended *all)
{
    const unsigned rounds = all->run->size->uncontended_rounds;
    double *value = calloc(2 * (size_t)rounds, sizeof *value);
    bool kept = true;
    if (value == NULL)
        return bench_fail(all->run, "cannot work it out", ENOMEM);
    for (unsigned c = 0; c < all->count && kept; c++)
        kept = report(all, c, value, value + rounds);
    free(value);
    return kept;
}

/* Waits for the child that measures; one that hangs is given up, with what it has measured. */
static bool wait_for_it(struct uncontended *all, struct bench_crew *crew)
{
    const struct bench_sizes *size = all->run->size;
    const double expected = size->uncontended_rounds * size->batch_s * all->count;
    const double deadline = bench_now() + 4 * expected + 10;
    int error = 0;
    while (bench_now() < deadline) {
        if (bench_crew_ended(crew, 0, &error))
            return error == 0 || bench_fail(all->run, "cannot measure", error);
        if (!bench_doze(all->run, 0.1))
            return false;
    }
    return true;
}

static bool run_crew(struct uncontended *all)
{
    struct bench_crew crew;
    bench_crew_init(&crew, all->run);
    int error = bench_crew_start(&crew, 0, measure, all);
    if (error == 0)
        error = bench_crew_start(&crew, 1, look_on, all);
    bool ran = error == 0 && bench_gate_full(all->gate, &crew, 2, &error);
    if (ran) {
        bench_gate_open(all->gate);
        ran = wait_for_it(all, &crew);
    } else if (error != 0) {
        bench_fail(all->run, "cannot start the processes", error);
    }
    bench_crew_end(&crew);
    return ran;
}

static void make_places(struct uncontended *all)
{
    for (unsigned slots = 1; slots <= BENCH_SLOTS; slots += BENCH_SLOTS - 1) {
        for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
            if (!bench_chosen(all->run, bench_subjects[s]) || bench_subjects[s]->most < slots)
                continue;
            unsigned c = all->count++;
            all->results->error[c] =
                bench_place_make(all->run, &all->place[c], bench_subjects[s], slots);
        }
    }
}

bool bench_uncontended(struct bench_run *run)
{
    struct uncontended all = {.run = run};
    const size_t size =
        sizeof(struct results) + run->size->uncontended_rounds * COMBINATIONS * sizeof(double);
    all.results = bench_map(size);
    all.gate = bench_map(sizeof *all.gate);
    bool ran = false;
    bench_progress(run, "uncontended", 0, 1);
    if (all.results == NULL || all.gate == NULL) {
        bench_fail(run, "cannot map shared memory", errno);
    } else {
        make_places(&all);
        ran = run_crew(&all) && report_all(&all);
        for (unsigned c = 0; c < all.count; c++)
            bench_place_unmake(&all.place[c]);
    }
    if (all.results != NULL)
        bench_unmap(all.results, size);
    if (all.gate != NULL)
        bench_unmap(all.gate, sizeof *all.gate);
    return ran;
}
