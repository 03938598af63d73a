/*
 * How long it takes from the SIGKILL of a holder until the waiter behind it has the slot. The
 * holder is a small process: what a large one adds is the kernel's time to free its memory. The
 * waiter has been asleep for a random while, so that its habits, if it looks at a clock, average
 * out. It notes the time itself as soon as it has the slot.
 */
#include "bench/plan.h"
#include "bench/sitters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMBINATIONS = 2 * BENCH_SUBJECTS };

static const double patience = 2; /* a slot that has not come back by then does not come back */

struct recovery {
    struct bench_sitters sitters; /* as many as slots, and a waiter */
    unsigned waiter;              /* its index */
    double *us;
    unsigned count;
    int error; /* ends the measurement */
};

struct recoveries {
    struct bench_run *run;
    unsigned count;
    struct recovery *one;
};

/* False: interrupted. */
static bool set_up(struct recovery *one, struct bench_run *run, const struct bench_subject *subject,
                   unsigned slots)
{
    one->error = bench_sitters_open(run, &one->sitters, subject, slots, slots + 1);
    one->us = calloc(run->size->recoveries, sizeof *one->us);
    if (one->us == NULL)
        one->error = ENOMEM;
    for (unsigned i = 0; i < slots && one->error == 0; i++) {
        if (!bench_sitters_hold(&one->sitters, i, &one->error))
            return one->error != 0;
    }
    one->waiter = slots;
    return true;
}

/* Starts the waiter, kills a holder, and waits for the change. False: interrupted. */
static bool sample(struct recovery *one, struct bench_run *run)
{
    struct bench_sitters *sitters = &one->sitters;
    if (one->error != 0)
        return true;
    if (!bench_sitters_park(sitters, one->waiter, &one->error))
        return one->error != 0;
    if (!bench_sleep(run, bench_now() + bench_pick(run, 10000) / 1e6))
        return false;
    unsigned victim = bench_pick(run, sitters->place.slots);
    victim += victim >= one->waiter;
    uint64_t killed_at = bench_now_ns();
    bench_crew_kill(&sitters->crew, victim);
    if (!bench_sitters_await(sitters, one->waiter, patience, &one->error))
        return one->error != 0;
    uint64_t held_at = atomic_load(&sitters->sitter[one->waiter].holds_since);
    one->us[one->count++] = ((double)held_at - (double)killed_at) / 1e3;
    bench_crew_reap(&sitters->crew, victim);
    one->waiter = victim;
    return true;
}

static bool report(struct recovery *one, struct bench_run *run)
{
    const struct bench_place *place = &one->sitters.place;
    struct bench_row row =
        bench_row_of(BENCH_RECOVERY, place->subject->name, place->slots + 1, place->slots);
    row.samples = one->count;
    row.p50_us = bench_quantile(one->us, one->count, 0.5);
    row.p99_us = bench_quantile(one->us, one->count, 0.99);
    row.max_us = one->count > 0 ? one->us[one->count - 1] : NAN; /* sorted by now */
    if (one->error == ETIMEDOUT)
        snprintf(row.note, sizeof row.note, "a slot did not come back in %g s", patience);
    else if (one->error != 0)
        bench_note(&row, "failed", one->error);
    return bench_add(run, &row);
}

static bool report_lost(struct bench_run *run, const struct bench_subject *subject, unsigned slots)
{
    struct bench_row row = bench_row_of(BENCH_RECOVERY, subject->name, slots + 1, slots);
    snprintf(row.note, sizeof row.note, "never: the slot is lost");
    return bench_add(run, &row);
}

/* Each subject that recovers, with one slot and with several. */
static bool set_up_all(struct recoveries *all)
{
    for (unsigned slots = 1; slots <= BENCH_SLOTS; slots += BENCH_SLOTS - 1) {
        for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
            const struct bench_subject *subject = bench_subjects[s];
            if (!bench_chosen(all->run, subject) || subject->most < slots || !subject->recovers)
                continue;
            if (!set_up(&all->one[all->count++], all->run, subject, slots))
                return false;
        }
    }
    return true;
}

static bool sample_all(struct recoveries *all)
{
    for (unsigned i = 0; i < all->run->size->recoveries; i++) {
        unsigned order[COMBINATIONS];
        bench_progress(all->run, "recovery", i, all->run->size->recoveries);
        bench_shuffle(&all->run->random, order, all->count);
        for (unsigned k = 0; k < all->count; k++) {
            if (!sample(&all->one[order[k]], all->run))
                return false;
        }
    }
    return true;
}

static bool report_all(struct recoveries *all)
{
    for (unsigned i = 0; i < all->count; i++) {
        if (!report(&all->one[i], all->run))
            return false;
    }
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        const struct bench_subject *subject = bench_subjects[s];
        if (bench_chosen(all->run, subject) && !subject->recovers &&
            !report_lost(all->run, subject, 1))
            return false;
    }
    return true;
}

bool bench_recovery(struct bench_run *run)
{
    struct recoveries all = {.run = run, .one = calloc(COMBINATIONS, sizeof *all.one)};
    if (all.one == NULL)
        return bench_fail(run, "cannot keep the results", ENOMEM);
    bool ran = set_up_all(&all) && sample_all(&all) && report_all(&all);
    for (unsigned i = 0; i < all.count; i++) {
        bench_sitters_close(&all.one[i].sitters);
        free(all.one[i].us);
    }
    free(all.one);
    return ran;
}
