#include "bench/plan.h"

#include "os/clock.h"
#include "stress/random.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

bool bench_fail(struct bench_run *run, const char *what, int error)
{
    snprintf(run->report->failure, sizeof run->report->failure, "%s: %s", what, strerror(error));
    return false;
}

uint64_t bench_now_ns(void)
{
    return os_now(CLOCK_MONOTONIC);
}

double bench_now(void)
{
    return (double)bench_now_ns() / 1e9;
}

bool bench_doze(struct bench_run *run, double seconds)
{
    int signal = stress_signals_wait(&run->signals, seconds);
    if (signal != 0 && signal != SIGCHLD)
        run->report->interrupted = signal;
    return run->report->interrupted == 0;
}

bool bench_sleep(struct bench_run *run, double until)
{
    for (double left; (left = until - bench_now()) > 0;) {
        if (!bench_doze(run, left))
            return false;
    }
    return true;
}

bool bench_add(struct bench_run *run, const struct bench_row *row)
{
    struct bench_report *report = run->report;
    if (report->count == report->room) {
        size_t room = report->room == 0 ? 64 : 2 * report->room;
        struct bench_row *grown = reallocarray(report->row, room, sizeof *grown);
        if (grown == NULL)
            return bench_fail(run, "cannot keep the results", ENOMEM);
        report->row = grown;
        report->room = room;
    }
    report->row[report->count++] = *row;
    return true;
}

struct bench_row bench_row_of(enum bench_case of, const char *subject, unsigned processes,
                              unsigned slots)
{
    return (struct bench_row){
        .of = of,
        .subject = subject,
        .processes = processes,
        .slots = slots,
        .section_us = NAN,
        .ns_per_pair = bench_unknown,
        .ratio = bench_unknown,
        .cpu_ns_per_pair = bench_unknown,
        .ratio_to_sysv = bench_unknown,
        .cpu_ratio_to_sysv = bench_unknown,
        .ratio_to_flock = bench_unknown,
        .fairness = bench_unknown,
        .watched = NAN,
        .overtakes = NAN,
        .overtakes_by_ticket = NAN,
        .overtakes_from_call = NAN,
        .p50_us = NAN,
        .p99_us = NAN,
        .max_us = NAN,
        .kills = NAN,
        .slots_left = NAN,
        .dead_after = NAN,
        .cpu_percent = NAN,
    };
}

void bench_note(struct bench_row *row, const char *what, int error)
{
    snprintf(row->note, sizeof row->note, "%s: %s", what, strerror(error));
}

void bench_progress(const struct bench_run *run, const char *what, unsigned done, unsigned of)
{
    if (run->plan->progress != NULL)
        run->plan->progress(what, done, of);
}

bool bench_chosen(const struct bench_run *run, const struct bench_subject *subject)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (bench_subjects[s] == subject)
            return run->plan->subjects[s] && subject->missing == NULL;
    }
    return false;
}

unsigned bench_pick(struct bench_run *run, unsigned below)
{
    return (unsigned)(stress_random(&run->random) % below);
}

void bench_shuffle(uint64_t *random, unsigned *order, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (unsigned)(stress_random(random) % (i + 1));
        order[i] = order[at];
        order[at] = i;
    }
}

void *bench_map(size_t size)
{
    /* Filled in at once: a first touch in the middle of a measurement would be measured. */
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void bench_unmap(void *memory, size_t size)
{
    munmap(memory, size);
}

int bench_place_make(struct bench_run *run, struct bench_place *place,
                     const struct bench_subject *subject, unsigned slots)
{
    *place = (struct bench_place){.subject = subject, .slots = slots, .directory = run->directory};
    snprintf(place->name, sizeof place->name, "bench-%u", ++run->places);
    place->shared = bench_map(BENCH_SHARED);
    if (place->shared == NULL)
        return errno;
    int error = subject->make(place);
    if (error != 0) {
        bench_unmap(place->shared, BENCH_SHARED);
        place->shared = NULL;
    }
    return error;
}

void bench_place_unmake(struct bench_place *place)
{
    if (place->shared == NULL)
        return;
    place->subject->unmake(place);
    bench_unmap(place->shared, BENCH_SHARED);
    place->shared = NULL;
}
