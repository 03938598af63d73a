/*
 * berth-killpoints: in small plays with a pool (scenarios.c), a process is killed at each access of
 * the pool protocol that it makes, once just before it and once just after, at its first passages
 * (one in the short form) and at the last. After each kill all other processes make progress, and
 * all slots are available. Points of the protocol's source at which no process was killed in any
 * play are a failure.
 */
#include "dump.h"
#include "scenarios.h"

#include "os/clock.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIRST_PASSAGES = 3,
    PATIENCE = 5, /* seconds, on a machine that others use too */
};

/* Points that no play has to reach, and why. */
static const struct {
    const char *point, *reason;
} explained[] = {
    {NULL, NULL},
};

struct run {
    struct stage stage;
    unsigned passages; /* of each point; the first ones and, if there are more, the last */
    const char *only;  /* this scenario */
    bool table;
    bool tidy; /* nothing is left to be looked at, even after a failure */
    unsigned plays, kills;
    unsigned killed[POINTS_MAX];
    const char *where[POINTS_MAX]; /* the first scenario in which that happened */
};

static bool play(struct run *run, const struct scenario *scenario, const char *point,
                 unsigned passage)
{
    struct stage *stage = &run->stage;
    if (!stage_set(stage, scenario->slots, scenario->seats))
        return false;
    if (point != NULL)
        stage_arm(stage, VICTIM, DIES_THERE, point, passage);
    scenario->play(stage);
    run->plays++;
    stage_judge(stage);
    if (point != NULL && stage->pid[VICTIM] == 0) {
        run->kills++;
        const unsigned number = points_find(&stage->points, point);
        run->killed[number]++;
        if (run->where[number] == NULL)
            run->where[number] = scenario->name;
    }
    if (stage->failed) {
        fprintf(stderr, "scenario %s, killed at %s, passage %u\n", scenario->name,
                point != NULL ? point : "no point", passage);
        dump_pool(stderr, stage->store, stage->name);
    }
    return stage_clear(stage);
}

/* Once to see which accesses the victim makes; then once for each. */
static bool play_all(struct run *run, const struct scenario *scenario)
{
    unsigned passed[POINTS_MAX];
    if (!play(run, scenario, NULL, 0))
        return false;
    for (unsigned i = 0; i < run->stage.points.count; i++)
        passed[i] = atomic_load(&run->stage.actor[VICTIM].passed[i]);
    for (unsigned i = 0; i < run->stage.points.count; i++) {
        for (unsigned passage = 1; passage <= passed[i]; passage++) {
            if (passage > run->passages && run->passages == 1)
                break;
            if (passage > run->passages)
                passage = passed[i];
            if (!play(run, scenario, run->stage.points.name[i], passage))
                return false;
        }
    }
    return true;
}

static const char *reason_of(const char *point)
{
    for (unsigned i = 0; explained[i].point != NULL; i++) {
        if (strcmp(explained[i].point, point) == 0)
            return explained[i].reason;
    }
    return NULL;
}

/* The number of points that nobody was killed at, and no reason given. */
static unsigned report(const struct run *run, double seconds)
{
    const struct points *points = &run->stage.points;
    unsigned missed = 0, hit = 0;
    for (unsigned i = 0; i < points->count; i++) {
        const char *reason = reason_of(points->name[i]);
        hit += run->killed[i] != 0;
        if (run->killed[i] != 0 && run->table)
            printf("  %-7s %4u kills, first in %s\n", points->name[i], run->killed[i],
                   run->where[i]);
        if (run->killed[i] == 0) {
            missed += reason == NULL;
            printf("  %-7s nobody was killed here: %s\n", points->name[i],
                   reason != NULL ? reason : "NOT EXPLAINED");
        }
    }
    printf("%u plays, %u kills, %u of %u points, %.1f s; slots were back after at most %.3f s\n",
           run->plays, run->kills, hit, points->count, seconds, run->stage.worst);
    return missed;
}

static bool parse(struct run *run, int argc, char **argv)
{
    static const struct option options[] = {
        {"passages", required_argument, NULL, 'p'}, {"only", required_argument, NULL, 'o'},
        {"patience", required_argument, NULL, 's'}, {"table", no_argument, NULL, 't'},
        {"tidy", no_argument, NULL, 'y'},           {0},
    };
    run->passages = FIRST_PASSAGES;
    run->stage.patience = PATIENCE;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'p': run->passages = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'o': run->only = optarg; break;
        case 's': run->stage.patience = strtoul(optarg, NULL, 10); break;
        case 't': run->table = true; break;
        case 'y': run->tidy = true; break;
        default: return false;
        }
    }
    return optind == argc;
}

static void leave(const struct run *run)
{
    const berth_options options = {.store = run->stage.store};
    if (run->tidy && berth_remove(run->stage.name, &options) == 0 && rmdir(run->stage.store) == 0)
        return;
    printf("  the store is left at %s\n", run->stage.store);
}

int main(int argc, char **argv)
{
    static struct run run;
    setvbuf(stdout, NULL, _IOLBF, 0); /* and nothing is in it when we fork */
    if (!parse(&run, argc, argv)) {
        fputs("usage: berth-killpoints [--passages N] [--only SCENARIO] [--patience SECONDS]\n"
              "                        [--table] [--tidy]\n",
              stderr);
        return 2;
    }
    const uint64_t begun = os_now(CLOCK_MONOTONIC);
    bool good = stage_make(&run.stage, TORTURE_POOL_SOURCE);
    for (unsigned i = 0; good && i < scenario_count; i++) {
        if (run.only == NULL || strcmp(run.only, scenarios[i].name) == 0)
            good = play_all(&run, &scenarios[i]);
    }
    const unsigned missed = report(&run, (double)(os_now(CLOCK_MONOTONIC) - begun) / 1e9);
    if (!good) {
        printf("FAILED: %s\n", run.stage.text);
        leave(&run);
        return 1;
    }
    rmdir(run.stage.store);
    if (run.only != NULL)
        return 0;
    if (missed != 0)
        printf("FAILED: %u points were missed\n", missed);
    else
        puts("nothing was found");
    return missed != 0;
}
