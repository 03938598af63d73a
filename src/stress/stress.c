#include "stress/stress.h"

#include "stress/arena.h"
#include "stress/crew.h"
#include "stress/failure.h"
#include "stress/overtaken.h"
#include "stress/random.h"
#include "stress/signals.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* How long a participant may take for the entry and exit it is in when all are asked to stop; also,
 * how long there may be no entry at all before they are asked. */
static const double grace = 10;

/* The driver looks at the board so often. */
static const double glance = 0.01;

struct run {
    const struct stress_plan *plan;
    struct stress_arena arena;
    struct stress_signals signals;
    struct stress_crew crew;
    struct stress_report *report;
    struct stress_failure *failure;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The driver's sleep. A participant that ends cuts it short, and so does a signal to end the run. */
static bool doze(struct run *run, double seconds)
{
    int signal = stress_signals_wait(&run->signals, seconds < glance ? seconds : glance);
    if (signal != 0 && signal != SIGCHLD)
        run->report->interrupted = signal;
    return stress_crew_sweep(&run->crew, run->failure);
}

/* Kills come a millisecond apart on average, at no regular distance. */
static double pause_before_kill(struct run *run)
{
    return 0.0002 + (double)(stress_random(&run->crew.random) % 1600) / 1e6;
}

static bool run_until_stop(struct run *run)
{
    const struct stress_plan *plan = run->plan;
    struct stress_board *board = run->arena.board;
    const double begun = now();
    double moved = begun, next_kill = begun + pause_before_kill(run);
    uint64_t entered = 0;
    while (!atomic_load(&board->stop) && run->report->interrupted == 0) {
        double time = now();
        double left = plan->entries != 0 ? glance : begun + plan->seconds - time;
        if (entered != atomic_load(&board->entered)) {
            entered = atomic_load(&board->entered);
            moved = time;
        }
        if (left <= 0 || time > moved + grace)
            break;
        if (plan->kill && time >= next_kill) {
            if (!stress_crew_kill_one(&run->crew, run->failure))
                return false;
            next_kill = now() + pause_before_kill(run);
        }
        if (plan->kill && next_kill - time < left)
            left = next_kill - time;
        if (!doze(run, left))
            return false;
    }
    run->report->seconds = now() - begun;
    return true;
}

/* Nobody is killed from here on, and those that are done stay away: so whoever is in its entry or
 * its exit must get through, whatever the protocol says about fairness. */
static bool run_to_an_end(struct run *run)
{
    const double deadline = now() + grace;
    atomic_store(&run->arena.board->stop, true);
    while (!stress_crew_is_over(&run->crew) && run->report->interrupted == 0) {
        double left = deadline - now();
        if (left <= 0)
            break;
        if (!doze(run, left))
            return false;
    }
    return true;
}

static bool collect(struct run *run)
{
    const struct stress_plan *plan = run->plan;
    struct stress_board *board = run->arena.board;
    struct stress_report *report = run->report;
    for (unsigned i = 0; i < plan->params.n; i++) {
        report->entries += atomic_load(&board->place[i].entries);
        report->stuck += !atomic_load(&board->place[i].done);
    }
    report->violations = atomic_load(&board->violations) + atomic_load(&board->broken);
    report->kills = run->crew.kills;
    report->counts_lost = plan->params.l == 1 && !plan->kill;
    if (report->counts_lost)
        report->lost = report->entries - board->plain;
    uint64_t entered = atomic_load(&board->entered);
    struct stress_overtaken overtaken;
    if (!stress_count_overtaken(run->arena.log, entered < STRESS_LOG ? entered : STRESS_LOG,
                                &overtaken))
        return stress_fail(run->failure, "cannot analyse the order", ENOMEM);
    report->analysed = overtaken.analysed;
    report->overtaken = overtaken.total;
    report->overtaken_max = overtaken.max;
    return true;
}

static bool run_in_arena(struct run *run)
{
    if (!stress_signals_take(&run->signals))
        return stress_fail(run->failure, "cannot set up signals", errno);
    bool ran = stress_crew_start(&run->crew, &run->arena, run->failure) && run_until_stop(run) &&
               run_to_an_end(run);
    stress_crew_end(&run->crew);
    stress_signals_give_back(&run->signals);
    return ran && (run->report->interrupted != 0 || collect(run));
}

bool stress_run(const struct stress_plan *plan, struct stress_report *report,
                struct stress_failure *failure)
{
    struct run run = {.plan = plan, .report = report, .failure = failure};
    *report = (struct stress_report){0};
    if (!stress_arena_make(&run.arena, plan))
        return stress_fail(failure, "cannot map shared memory", errno);
    bool ran = run_in_arena(&run);
    stress_arena_free(&run.arena);
    return ran;
}

bool stress_holds(const struct stress_report *report)
{
    return report->entries > 0 && report->violations == 0 && report->lost == 0 &&
           report->stuck == 0;
}
