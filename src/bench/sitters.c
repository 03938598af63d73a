#include "bench/sitters.h"

#include <errno.h>
#include <unistd.h>

static int sit(void *context, unsigned me)
{
    struct bench_sitters *sitters = context;
    struct bench_sitter *own = &sitters->sitter[me];
    struct bench_seat seat = {.place = &sitters->place};
    int error = sitters->place.subject->join(&seat);
    if (error != 0)
        return error;
    atomic_store(&own->begun, 1);
    error = sitters->place.subject->acquire(&seat);
    if (error != 0)
        return error;
    atomic_store(&own->holds_since, bench_now_ns());
    for (;;)
        pause();
}

int bench_sitters_open(struct bench_run *run, struct bench_sitters *sitters,
                       const struct bench_subject *subject, unsigned slots, unsigned most)
{
    sitters->most = most;
    sitters->place.shared = NULL;
    bench_crew_init(&sitters->crew, run);
    sitters->sitter = bench_map(most * sizeof *sitters->sitter);
    if (sitters->sitter == NULL)
        return errno;
    return bench_place_make(run, &sitters->place, subject, slots);
}

void bench_sitters_close(struct bench_sitters *sitters)
{
    bench_crew_end(&sitters->crew);
    bench_place_unmake(&sitters->place);
    if (sitters->sitter != NULL)
        bench_unmap(sitters->sitter, sitters->most * sizeof *sitters->sitter);
}

int bench_sitters_start(struct bench_sitters *sitters, unsigned index)
{
    atomic_store(&sitters->sitter[index].begun, 0);
    atomic_store(&sitters->sitter[index].holds_since, 0);
    return bench_crew_start(&sitters->crew, index, sit, sitters);
}

bool bench_sitters_await(struct bench_sitters *sitters, unsigned index, double seconds, int *error)
{
    const double deadline = bench_now() + seconds;
    *error = 0;
    while (atomic_load(&sitters->sitter[index].holds_since) == 0) {
        if (bench_crew_failed(&sitters->crew, error) && *error != ECHILD)
            return false;
        if (bench_now() > deadline) {
            *error = ETIMEDOUT;
            return false;
        }
        if (!bench_doze(sitters->crew.run, 0.0003))
            return false;
    }
    *error = 0;
    return true;
}

bool bench_sitters_hold(struct bench_sitters *sitters, unsigned index, int *error)
{
    *error = bench_sitters_start(sitters, index);
    return *error == 0 && bench_sitters_await(sitters, index, 5, error);
}

bool bench_sitters_park(struct bench_sitters *sitters, unsigned index, int *error)
{
    *error = bench_sitters_start(sitters, index);
    return *error == 0 &&
           bench_crew_park(&sitters->crew, index, &sitters->sitter[index].begun, error);
}
