/*
 * What a waiter costs while it waits: its CPU time, for some seconds, behind a holder that does
 * nothing. All that sleep are measured in the same seconds, so that one of each costs no more time
 * than one; one that spins comes after them, by itself. A crowd of waiters is measured subject by
 * subject.
 */
#include "bench/plan.h"
#include "bench/sitters.h"

#include <errno.h>
#include <stdlib.h>

struct parked {
    const struct bench_subject *subject;
    struct bench_sitters sitters; /* the holder is number 0 */
    unsigned waiters;
    double begun_at, seconds;
    uint64_t cpu_ns;
    int error;
};

static uint64_t cpu_of_waiters(const struct parked *parked)
{
    uint64_t sum = 0;
    for (unsigned i = 1; i <= parked->waiters; i++)
        sum += bench_crew_cpu_ns(&parked->sitters.crew, i);
    return sum;
}

/* A holder, and waiters that are seen to sleep, if they do. False: interrupted. */
static bool set_up(struct parked *parked, struct bench_run *run)
{
    const bool sleeps = !parked->subject->spins;
    parked->error =
        bench_sitters_open(run, &parked->sitters, parked->subject, 1, parked->waiters + 1);
    if (parked->error != 0)
        return true;
    if (!bench_sitters_hold(&parked->sitters, 0, &parked->error))
        return parked->error != 0;
    for (unsigned i = 1; i <= parked->waiters && parked->error == 0; i++) {
        if (!sleeps)
            parked->error = bench_sitters_start(&parked->sitters, i);
        else if (!bench_sitters_park(&parked->sitters, i, &parked->error))
            return parked->error != 0;
    }
    return true;
}

static void begin(struct parked *parked)
{
    parked->begun_at = bench_now();
    parked->cpu_ns = cpu_of_waiters(parked);
}

static void end(struct parked *parked)
{
    int error;
    parked->cpu_ns = cpu_of_waiters(parked) - parked->cpu_ns;
    parked->seconds = bench_now() - parked->begun_at;
    if (parked->error == 0 && bench_crew_failed(&parked->sitters.crew, &error))
        parked->error = error;
}

static bool report(struct parked *parked, struct bench_run *run)
{
    struct bench_row row = bench_row_of(BENCH_PARKED, parked->subject->name, parked->waiters, 1);
    row.samples = 1;
    if (parked->error != 0)
        bench_note(&row, "failed", parked->error);
    else
        row.cpu_percent = (double)parked->cpu_ns / 1e7 / parked->seconds;
    return bench_add(run, &row);
}

/* Measures `count` of them in the same seconds, and reports them. */
static bool measure(struct bench_run *run, struct parked *parked, unsigned count, double seconds)
{
    bool ran = true;
    unsigned open = 0;
    while (open < count && ran)
        ran = set_up(&parked[open++], run);
    for (unsigned i = 0; i < count && ran; i++)
        begin(&parked[i]);
    ran = ran && bench_sleep(run, bench_now() + seconds);
    for (unsigned i = 0; i < count && ran; i++)
        end(&parked[i]);
    for (unsigned i = 0; i < open; i++)
        bench_sitters_close(&parked[i].sitters);
    for (unsigned i = 0; i < count && ran; i++)
        ran = report(&parked[i], run);
    return ran;
}

static bool crowds(struct bench_run *run, struct parked *parked)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        bench_progress(run, "parked, a crowd", s, BENCH_SUBJECTS);
        if (!bench_chosen(run, bench_subjects[s]) || bench_subjects[s]->spins)
            continue;
        *parked = (struct parked){.subject = bench_subjects[s], .waiters = run->size->crowd};
        if (!measure(run, parked, 1, run->size->crowd_s))
            return false;
    }
    return true;
}

static bool singles(struct bench_run *run, struct parked *parked, bool spins, double seconds)
{
    unsigned count = 0;
    bench_progress(run, "parked", spins, 2);
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (bench_chosen(run, bench_subjects[s]) && bench_subjects[s]->spins == spins)
            parked[count++] = (struct parked){.subject = bench_subjects[s], .waiters = 1};
    }
    return count == 0 || measure(run, parked, count, seconds);
}

bool bench_parked(struct bench_run *run)
{
    struct parked *parked = calloc(BENCH_SUBJECTS, sizeof *parked);
    if (parked == NULL)
        return bench_fail(run, "cannot keep the results", ENOMEM);
    bool ran = singles(run, parked, false, run->size->parked_s) && singles(run, parked, true, 1) &&
               (run->size->crowd == 0 || crowds(run, parked));
    free(parked);
    return ran;
}
