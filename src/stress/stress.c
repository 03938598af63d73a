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

/* The same where some are asleep: what they block stays blocked. */
static const double grace_with_sleepers = 3;

/* How often the driver looks at the board. */
static const double glance = 0.01;

struct run {
    const struct stress_plan *plan;
    struct stress_arena arena;
    struct stress_signals signals;
    struct stress_crew crew;
    struct stress_report *report;
    struct stress_failure *failure;
    uint64_t before[STRESS_MAX_N]; /* entries of each when the last fell asleep */
    double began;
    bool hurried; /* a second signal came: nothing is waited for */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The driver's sleep. A participant that ends cuts it short, and so does a signal to end the
 * run. */
static bool doze(struct run *run, double seconds)
{
    int signal = stress_signals_wait(&run->signals, seconds < glance ? seconds : glance);
    if (signal != 0 && signal != SIGCHLD) {
        run->hurried = run->report->interrupted != 0;
        run->report->interrupted = signal;
    }
    if (run->plan->progress != NULL)
        run->plan->progress(now() - run->began, run->plan->progress_context);
    return stress_crew_sweep(&run->crew, run->failure);
}

static double patience(const struct run *run)
{
    return run->plan->asleep > 0 ? grace_with_sleepers : grace;
}

/* Kills and stops come a millisecond apart on average, at irregular intervals. */
static double pause_before_fault(struct run *run)
{
    return 0.0002 + (double)(stress_random(&run->crew.random) % 1600) / 1e6;
}

static void note_progress(struct run *run)
{
    for (unsigned i = 0; i < run->plan->params.n; i++)
        run->before[i] = atomic_load(&run->arena.board->place[i].entries);
}

/* One fault; *begun: when the time of the run began, which is when the last has fallen asleep. */
static bool make_fault(struct run *run, double *begun)
{
    struct stress_crew *crew = &run->crew;
    if (run->plan->kill)
        return stress_crew_kill_one(crew, run->failure);
    if (stress_crew_asleep(crew) == run->plan->asleep)
        return stress_crew_nap(crew, run->failure);
    const unsigned asleep = stress_crew_asleep(crew);
    if (!stress_crew_lull(crew, run->failure))
        return false;
    if (stress_crew_asleep(crew) > asleep) {
        note_progress(run);
        *begun = now();
    }
    return true;
}

static bool run_until_stop(struct run *run)
{
    const struct stress_plan *plan = run->plan;
    struct stress_board *board = run->arena.board;
    const bool faults = plan->kill || plan->sleep;
    double begun = now();
    double moved = begun, next_fault = begun + pause_before_fault(run);
    uint64_t entered = 0;
    while (!atomic_load(&board->stop) && run->report->interrupted == 0) {
        double time = now();
        double left = plan->entries != 0 ? glance : begun + plan->seconds - time;
        if (entered != atomic_load(&board->entered)) {
            entered = atomic_load(&board->entered);
            moved = time;
        }
        if (left <= 0 || time > moved + patience(run))
            break;
        if (faults && time >= next_fault) {
            if (!make_fault(run, &begun))
                return false;
            next_fault = now() + pause_before_fault(run);
        }
        if (faults && next_fault - time < left)
            left = next_fault - time;
        if (!doze(run, left))
            return false;
    }
    run->report->seconds = now() - begun;
    return run->crew.napping == 0 || stress_crew_nap(&run->crew, run->failure);
}

/* Nobody is killed or stopped from here on, and those that are done stay away: so a participant
 * that is in its entry or its exit must get through, whatever fairness the protocol has. */
static bool run_to_an_end(struct run *run)
{
    const double deadline = now() + patience(run);
    atomic_store(&run->arena.board->stop, true);
    while (!stress_crew_is_over(&run->crew) && !run->hurried) {
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
    report->counts_progress = plan->sleep;
    report->least_progress = plan->sleep ? UINT64_MAX : 0;
    for (unsigned i = 0; i < plan->params.n; i++) {
        const uint64_t entries = atomic_load(&board->place[i].entries);
        report->entries += entries;
        report->gave_up += atomic_load(&board->place[i].gave_up);
        if (stress_crew_sleeps(&run->crew, i))
            continue;
        report->stuck += !atomic_load(&board->place[i].done);
        if (entries - run->before[i] < report->least_progress)
            report->least_progress = entries - run->before[i];
    }
    report->naps = run->crew.naps;
    report->asleep = stress_crew_asleep(&run->crew);
    report->fell_asleep = report->asleep == plan->asleep;
    report->violations = atomic_load(&board->violations) + atomic_load(&board->broken);
    report->kills = run->crew.kills;
    report->counts_lost = plan->params.l == 1 && !plan->kill && plan->native->clash == NULL;
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
    run->began = now();
    bool ran = stress_crew_start(&run->crew, &run->arena, run->failure) && run_until_stop(run) &&
               run_to_an_end(run);
    stress_crew_end(&run->crew);
    stress_signals_give_back(&run->signals);
    return ran && (run->hurried || collect(run));
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
           report->stuck == 0 && report->fell_asleep &&
           (!report->counts_progress || report->least_progress > 0);
}
