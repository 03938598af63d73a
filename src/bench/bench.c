/*
 * Ways to hand out slots among processes, side by side in one run.
 *
 * Method. All subjects are measured in the same run, interleaved: a round has one batch, window or
 * sample of each, in an order that is new for every round. What is reported is the median of the
 * rounds, with the quartiles as its spread; a ratio is the median of the rounds' own ratios, so
 * that a machine that is slower for a while does not tilt it. No process is pinned to a processor,
 * and none has a priority. Every subject runs in children of a driver that only looks on; the
 * children are forked before they open anything, so that each is a process of its own for a pool.
 *
 *   uncontended  acquire and release in one process, nobody else wants a slot (uncontended.c)
 *   contended    2 to 64 processes, with a critical section of 0, 1 or 100 microseconds of
 *                arithmetic and nothing between a release and the next acquire (contended.c,
 *                window.c); overtakes: overtakes.h says what is counted
 *   kills        slots left when 200 processes were killed at random instants (kills.c)
 *   recovery     from the SIGKILL of a holder to the next holder (recovery.c)
 *   parked       CPU time of a waiter while it waits (parked.c)
 *   command      a command run with a slot, and without (command_cost.c)
 *
 * What is not there: other machines, other loads, threads. On a machine with other work to do,
 * ratios still tell something and absolute numbers do not.
 */
#include "bench/bench.h"

#include "bench/hardware.h"
#include "bench/plan.h"
#include "bench/work.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *const bench_case_names[BENCH_CASES] = {
    [BENCH_UNCONTENDED] = "uncontended",
    [BENCH_CONTENDED] = "contended",
    [BENCH_KILLS] = "kills",
    [BENCH_RECOVERY] = "recovery",
    [BENCH_PARKED] = "parked",
    [BENCH_COMMAND] = "command",
};

static bool (*const harness[BENCH_CASES])(struct bench_run *run) = {
    [BENCH_UNCONTENDED] = bench_uncontended,
    [BENCH_CONTENDED] = bench_contended,
    [BENCH_KILLS] = bench_kills,
    [BENCH_RECOVERY] = bench_recovery,
    [BENCH_PARKED] = bench_parked,
    [BENCH_COMMAND] = bench_command,
};

static const struct bench_sizes full = {
    .uncontended_rounds = 500,
    .batch_s = 0.002,
    .plain_rounds = 7,
    .traced_rounds = 2,
    .warmup_s = 0.02,
    .window_s = 0.2,
    .most_processes = 64,
    .kills = 200,
    .recoveries = 300,
    .parked_s = 10,
    .crowd = 1000,
    .crowd_s = 5,
    .command_rounds = 200,
    .slow_command_rounds = 20,
};

static const struct bench_sizes quick = {
    .uncontended_rounds = 150,
    .batch_s = 0.001,
    .plain_rounds = 3,
    .traced_rounds = 1,
    .warmup_s = 0.01,
    .window_s = 0.05,
    .most_processes = 8,
    .kills = 200,
    .recoveries = 100,
    .parked_s = 2,
    .command_rounds = 50,
    .slow_command_rounds = 5,
};

/* ---- the directory for temporary files ---- */

/* In shared memory, as pools are, or else where temporary files go. */
static bool make_directory(struct bench_run *run)
{
    const char *temporary = getenv("TMPDIR");
    const char *parent = access("/dev/shm", W_OK | X_OK) == 0       ? "/dev/shm"
                         : temporary != NULL && temporary[0] == '/' ? temporary
                                                                    : "/tmp";
    int length = snprintf(run->directory, sizeof run->directory, "%s/berth-bench-XXXXXX", parent);
    if (length >= (int)sizeof run->directory)
        return bench_fail(run, "cannot name a temporary directory", ENAMETOOLONG);
    if (mkdtemp(run->directory) == NULL)
        return bench_fail(run, "cannot make a temporary directory", errno);
    return true;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    remove(path); /* go on with the rest, whatever it says */
    return 0;
}

static void remove_directory(const struct bench_run *run)
{
    nftw(run->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- the run ---- */

static bool run_cases(struct bench_run *run)
{
    run->work_per_us = bench_work_calibrate();
    for (unsigned c = 0; c < BENCH_CASES; c++) {
        if (run->plan->cases[c] && !harness[c](run))
            return false;
    }
    return true;
}

bool bench_run(const struct bench_plan *plan, struct bench_report *report)
{
    *report = (struct bench_report){0};
    struct bench_run run = {
        .plan = plan, .size = plan->quick ? &quick : &full, .report = report, .random = plan->seed};
    const double begun = bench_now();
    bench_machine_look(&report->machine);
    if (!stress_signals_take(&run.signals))
        return bench_fail(&run, "cannot set up signals", errno);
    bool ran = make_directory(&run);
    if (ran) {
        ran = run_cases(&run);
        remove_directory(&run);
    }
    stress_signals_give_back(&run.signals);
    report->seconds = bench_now() - begun;
    return ran || report->interrupted != 0;
}

void bench_report_free(struct bench_report *report)
{
    free(report->row);
    *report = (struct bench_report){0};
}
