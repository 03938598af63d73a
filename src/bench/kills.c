/*
 * How many slots are left when processes have been killed. They take slots, hold them for a moment
 * and give them back, while the driver kills one after another with SIGKILL, at random instants,
 * and starts another in its place. Afterwards the rest are asked to stop. The slots that can then
 * be acquired without waiting are the ones left.
 */
#include "bench/crew.h"
#include "bench/plan.h"
#include "bench/work.h"
#include "stress/random.h"

#include <errno.h>
#include <stdio.h>

enum { WORKERS = 8 };

/* A process that has not ended after this long without any grant will never get a slot. */
static const double grace = 0.6;

struct shared {
    _Atomic(bool) stop;
    _Atomic(uint64_t) entries;
    _Atomic(uint32_t) left;
    struct bench_gate gate;
};

struct kills {
    struct bench_run *run;
    struct bench_place place;
    struct bench_crew crew;
    struct shared *shared;
    uint64_t seed;
};

/* ---- in a child ---- */

static int work(void *context, unsigned me)
{
    struct kills *kills = context;
    const struct bench_subject *subject = kills->place.subject;
    struct bench_seat seat = {.place = &kills->place};
    uint64_t random = kills->seed + me;
    int error = subject->join(&seat);
    atomic_fetch_add(&kills->shared->gate.ready, 1);
    while (error == 0 && !atomic_load(&kills->shared->stop)) {
        error = subject->acquire(&seat);
        if (error != 0)
            break;
        atomic_fetch_add(&kills->shared->entries, 1);
        bench_work(stress_random(&random) % (50 * kills->run->work_per_us));
        error = subject->release(&seat);
        bench_work(stress_random(&random) % (10 * kills->run->work_per_us));
    }
    return error;
}

/* Each slot by a seat of its own: some subjects give one process the same slot twice. More slots
 * than there were would be worse than fewer. */
static int count(void *context, unsigned me)
{
    (void)me;
    struct kills *kills = context;
    const struct bench_subject *subject = kills->place.subject;
    struct bench_seat seat[BENCH_SLOTS + 1];
    for (unsigned i = 0; i <= kills->place.slots; i++) {
        seat[i] = (struct bench_seat){.place = &kills->place};
        int error = subject->join(&seat[i]);
        if (error == 0)
            error = subject->try_acquire(&seat[i]);
        if (error != 0)
            return error == EBUSY ? 0 : error;
        atomic_fetch_add(&kills->shared->left, 1);
    }
    return 0;
}

/* ---- in the driver ---- */

static int start(struct kills *kills, unsigned index)
{
    kills->seed = stress_random(&kills->run->random);
    return bench_crew_start(&kills->crew, index, work, kills);
}

/* False: interrupted, or *error. */
static bool kill_many(struct kills *kills, struct bench_row *row, int *error)
{
    struct bench_run *run = kills->run;
    uint64_t entries = 0;
    for (unsigned killed = 0; killed < run->size->kills; killed++) {
        /* A millisecond apart on average, and at irregular intervals. */
        if (!bench_sleep(run, bench_now() + 0.0002 + bench_pick(run, 1600) / 1e6))
            return false;
        if (bench_crew_failed(&kills->crew, error))
            return false;
        unsigned who = bench_pick(run, WORKERS);
        bench_crew_kill(&kills->crew, who);
        bench_crew_reap(&kills->crew, who);
        uint64_t now = atomic_load(&kills->shared->entries);
        if (now != entries)
            row->dead_after = killed; /* kills that it had survived until then */
        entries = now;
        *error = start(kills, who);
        if (*error != 0)
            return false;
    }
    row->kills = run->size->kills;
    return true;
}

/* Waits until all children have ended, or nothing has happened for a while. */
static bool let_them_end(struct kills *kills)
{
    double deadline = bench_now() + grace;
    uint64_t seen = 0;
    while (bench_crew_living(&kills->crew) > 0 && bench_now() < deadline) {
        uint64_t now = atomic_load(&kills->shared->entries) + atomic_load(&kills->shared->left);
        if (now != seen)
            deadline = bench_now() + grace;
        seen = now;
        if (!bench_doze(kills->run, 0.01))
            return false;
    }
    return true;
}

static bool count_left(struct kills *kills, struct bench_row *row, int *error)
{
    atomic_store(&kills->shared->stop, true);
    if (!let_them_end(kills))
        return false;
    unsigned stuck = bench_crew_living(&kills->crew);
    bench_crew_end(&kills->crew);
    *error = bench_crew_start(&kills->crew, 0, count, kills);
    if (*error != 0 || !let_them_end(kills))
        return false;
    row->slots_left = atomic_load(&kills->shared->left);
    if (stuck == 0 && row->slots_left > 0)
        row->dead_after = bench_unknown.median;
    if (stuck > 0)
        snprintf(row->note, sizeof row->note, "%u of %d waited in vain", stuck, WORKERS);
    return true;
}

static bool kill_and_count(struct kills *kills, struct bench_row *row)
{
    int error = 0;
    for (unsigned i = 0; i < WORKERS && error == 0; i++)
        error = start(kills, i);
    bool ran = error == 0 && bench_gate_full(&kills->shared->gate, &kills->crew, WORKERS, &error) &&
               kill_many(kills, row, &error) && count_left(kills, row, &error);
    bench_crew_end(&kills->crew);
    if (error != 0)
        bench_note(row, "failed", error);
    return ran || error != 0;
}

static bool measure(struct bench_run *run, const struct bench_subject *subject)
{
    struct kills kills = {.run = run};
    struct bench_row row = bench_row_of(BENCH_KILLS, subject->name, WORKERS, subject->most);
    bench_crew_init(&kills.crew, run);
    kills.shared = bench_map(sizeof *kills.shared);
    if (kills.shared == NULL)
        return bench_fail(run, "cannot map shared memory", errno);
    int error = bench_place_make(run, &kills.place, subject, subject->most);
    bool ran = true;
    if (error != 0)
        bench_note(&row, "cannot be set up", error);
    else
        ran = kill_and_count(&kills, &row);
    bench_place_unmake(&kills.place);
    bench_unmap(kills.shared, sizeof *kills.shared);
    return ran && bench_add(run, &row);
}

bool bench_kills(struct bench_run *run)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        bench_progress(run, "kills", s, BENCH_SUBJECTS);
        if (bench_chosen(run, bench_subjects[s]) && !measure(run, bench_subjects[s]))
            return false;
    }
    return true;
}
