/* berth-sim: runs scripts on the simulated kernel, and says how a failure can be seen again. */
#include "api.h"
#include "choice.h"
#include "kernel.h"
#include "oracle.h"
#include "policy.h"
#include "script.h"
#include "sim.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "Usage: berth-sim [OPTION]...\n"
    "Runs the library on a simulated kernel, and looks for runs that break a promise of berth.h.\n"
    "\n"
    "  --list               the scripts\n"
    "  --script NAME        only this one; may be given more than once\n"
    "  --seed N             one random run, with this seed\n"
    "  --runs N             this many random runs of each script (default: the script's own number)\n"
    "  --first N            the first seed (default 1)\n"
    "  --times N            N times the usual number of runs\n"
    "  --systematic D       all runs of a script with up to D deviations from the usual order\n"
    "  --limit N            not more than N of them\n"
    "  --deviations P:O,... the one run with these deviations\n"
    "  --faults             runs in the usual order, in each of which one system call fails\n"
    "  --fault CALL:ERROR   the one run in which that one fails\n"
    "  --cancels            random runs, in each of which a thread is cancelled, at each\n"
    "                       cancellation point in turn\n"
    "  --cancel POINT       with --seed: the run in which that is at this one\n"
    "  --kernel N           no scripts: N random plays of system calls, on the simulated kernel and\n"
    "                       on the real one, whose answers have to be alike\n"
    "  -v                   tell what happens\n"
    "  -q                   do not show a failing run again\n"
    "  --help\n"
    "\n"
    "BERTH_SIM_TIMES in the environment is a default for --times.\n"
    "Exit status: 0 nothing was found, 1 a run failed, 2 usage.\n";

enum { SCRIPTS = 32, MANY_STEPS = 30000000, CANCEL_SEEDS = 12, CANCEL_RUNS = 600 };

static struct {
    const struct script *script[SCRIPTS];
    unsigned scripts;
    bool has_seed, verbose, quiet, has_systematic, has_deviations, faults;
    unsigned fault, fault_choice; /* the system call that fails; 0: none */
    bool cancels;
    unsigned cancel; /* the cancellation point at which a thread is cancelled; 0: none */
    uint64_t seed, runs, first, times, limit, kernel;
    unsigned depth;
    struct policy_deviation deviation[POLICY_DEVIATIONS];
    unsigned deviations;
} options = {.first = 1, .times = 1, .limit = UINT64_MAX};

/* ---- one run ---- */

static void begin(const struct script *script, bool verbose)
{
    sim.verbose = verbose;
    sim_world_begin();
    sim_fault_begin(options.fault, options.fault_choice);
    sim.cancels = options.cancels || options.cancel > 0;
    sim.cancel_at = options.cancel;
    sim.cancel_points = 0;
    oracle_begin();
    api_begin();
    oracle.removals_are_noticed = script->removals;
}

static bool finish(const struct script *script)
{
    sim_spawn("init", script->program, NULL);
    sim_world_run();
    return !sim.failed;
}

static bool run_random(const struct script *script, uint64_t seed, bool verbose)
{
    choice_seed(seed);
    begin(script, verbose);
    policy_begin_random(script->may);
    return finish(script);
}

static bool run_deviating(const struct script *script, const struct policy_deviation *deviation,
                          unsigned deviations, bool verbose)
{
    choice_seed(1);
    begin(script, verbose);
    policy_begin_systematic(script->may, script->inside, deviation, deviations);
    return finish(script);
}

/* The usual order, with one system call that fails. */
static bool run_fault(const struct script *script, unsigned at, unsigned choice, bool verbose)
{
    options.fault = at;
    options.fault_choice = choice;
    const bool fine = run_deviating(script, NULL, 0, verbose);
    options.fault = options.fault_choice = 0;
    return fine;
}

/* ---- failures ---- */

static void describe(char *text, size_t size, const struct policy_deviation *deviation,
                     unsigned deviations)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < deviations && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%u:%u", i == 0 ? "" : ",",
                               deviation[i].point, deviation[i].option);
}

static void show_again(const struct script *script, const char *how)
{
    printf("FAILED: %s: %s\n", script->name, sim.why);
    printf("to see it again: berth-sim --script %s %s -v\n", script->name, how);
}

static void fail_random(const struct script *script, uint64_t seed)
{
    char how[64];
    const int length = snprintf(how, sizeof how, "--seed %" PRIu64, seed);
    if (options.cancel > 0)
        snprintf(how + length, sizeof how - (size_t)length, " --cancel %u", options.cancel);
    if (!options.quiet && !options.verbose)
        run_random(script, seed, true);
    show_again(script, how);
}

static void fail_deviating(const struct script *script, const struct policy_deviation *deviation,
                           unsigned deviations)
{
    char list[128], how[192];
    describe(list, sizeof list, deviation, deviations);
    snprintf(how, sizeof how, "--deviations '%s'", list);
    if (!options.quiet && !options.verbose)
        run_deviating(script, deviation, deviations, true);
    show_again(script, how);
}

static void fail_fault(const struct script *script, unsigned at, unsigned choice)
{
    char how[64];
    snprintf(how, sizeof how, "--fault %u:%u", at, choice);
    if (!options.quiet && !options.verbose)
        run_fault(script, at, choice, true);
    show_again(script, how);
}

/* ---- many runs ---- */

static bool all_random(const struct script *script)
{
    const uint64_t runs = (options.runs != 0 ? options.runs : script->runs) * options.times;
    uint64_t grants = 0, recoveries = 0;
    const clock_t began = clock();
    for (uint64_t i = 0; i < runs; i++) {
        if (!run_random(script, options.first + i, options.verbose)) {
            fail_random(script, options.first + i);
            return false;
        }
        grants += oracle.grants;
        recoveries += oracle.recoveries;
    }
    printf("%-14s %8" PRIu64 " random runs, %" PRIu64 " grants, %" PRIu64
           " of them after a death; %.1f s\n",
           script->name, runs, grants, recoveries, (double)(clock() - began) / CLOCKS_PER_SEC);
    return true;
}

struct search {
    const struct script *script;
    struct policy_deviation deviation[POLICY_DEVIATIONS];
    uint64_t runs;
    bool cut;
};

/* All runs that deviate as far as `depth` says, and then up to the bound. */
static bool explore(struct search *search, unsigned depth, unsigned bound)
{
    if (search->runs >= options.limit) {
        search->cut = true;
        return true;
    }
    search->runs++;
    if (!run_deviating(search->script, search->deviation, depth, options.verbose)) {
        fail_deviating(search->script, search->deviation, depth);
        return false;
    }
    if (depth == bound)
        return true;
    const unsigned points = policy.point < POLICY_POINTS ? policy.point : POLICY_POINTS;
    unsigned char *kept = malloc(points);
    if (kept == NULL)
        return false;
    memcpy(kept, policy.options, points);
    bool fine = true;
    for (unsigned p = depth == 0 ? 0 : search->deviation[depth - 1].point + 1; p < points && fine;
         p++) {
        const unsigned movers = kept[p] & 15, deeds = kept[p] >> 4;
        for (unsigned o = 1; o <= movers + deeds && fine; o++) {
            search->deviation[depth] =
                (struct policy_deviation){p, o <= movers ? o : 64 + o - movers - 1};
            fine = explore(search, depth + 1, bound);
        }
    }
    free(kept);
    return fine;
}

static bool all_deviating(const struct script *script, unsigned bound)
{
    const clock_t began = clock();
    struct search search = {.script = script};
    const bool fine = explore(&search, 0, bound);
    if (fine)
        printf("%-14s %8" PRIu64 " runs with up to %u deviations%s; %.1f s\n", script->name,
               search.runs, bound, search.cut ? " (not all of them)" : "",
               (double)(clock() - began) / CLOCKS_PER_SEC);
    return fine;
}

/* Each system call of the usual order fails, once in each way in which it can. */
static bool all_faults(const struct script *script)
{
    static unsigned char choices[SIM_FAULTS];
    const clock_t began = clock();
    unsigned runs = 0;
    if (!run_fault(script, 0, 0, options.verbose)) {
        fail_fault(script, 0, 0);
        return false;
    }
    if (sim.steps * sim.fault.calls > MANY_STEPS) {
        printf("%-14s is too long for this\n", script->name);
        return true;
    }
    const unsigned calls = sim.fault.calls < SIM_FAULTS ? sim.fault.calls : SIM_FAULTS;
    memcpy(choices, sim.fault.choices, sizeof choices);
    for (unsigned at = 1; at <= calls; at++) {
        for (unsigned choice = 0; choice < choices[at - 1]; choice++, runs++) {
            if (!run_fault(script, at, choice, options.verbose)) {
                fail_fault(script, at, choice);
                return false;
            }
        }
    }
    printf("%-14s %8u runs, in each of which one of %u system calls fails; %.1f s\n", script->name,
           runs, calls, (double)(clock() - began) / CLOCKS_PER_SEC);
    return true;
}

/* In each of some random runs the thread is cancelled at each cancellation point in turn. */
static bool all_cancels(const struct script *script)
{
    const clock_t began = clock();
    unsigned runs = 0;
    for (uint64_t seed = options.first; seed < options.first + CANCEL_SEEDS; seed++) {
        options.cancel = 0;
        if (!run_random(script, seed, options.verbose)) {
            fail_random(script, seed);
            return false;
        }
        const unsigned points = sim.cancel_points;
        if (sim.steps * points > MANY_STEPS)
            continue; /* too long for this */
        for (options.cancel = 1; options.cancel <= points && runs < CANCEL_RUNS;
             options.cancel++, runs++) {
            if (!run_random(script, seed, options.verbose)) {
                fail_random(script, seed);
                return false;
            }
        }
        options.cancel = 0;
    }
    printf("%-14s %8u runs, in each of which a thread is cancelled; %.1f s\n", script->name, runs,
           (double)(clock() - began) / CLOCKS_PER_SEC);
    return true;
}

/* A script with loans, whose calls are not made again as yet if a system call fails in them. */
static bool has_loans(const struct script *script)
{
    return strncmp(script->name, "loan", 4) == 0;
}

static bool go(const struct script *script)
{
    if ((options.faults || options.cancels) && has_loans(script))
        return true;
    if (options.cancels)
        return all_cancels(script);
    if (options.faults)
        return all_faults(script);
    if (options.fault > 0) {
        const unsigned at = options.fault, choice = options.fault_choice;
        const bool fine = run_fault(script, at, choice, options.verbose);
        if (!fine)
            fail_fault(script, at, choice);
        return fine;
    }
    if (options.has_deviations) {
        const bool fine =
            run_deviating(script, options.deviation, options.deviations, options.verbose);
        if (!fine)
            fail_deviating(script, options.deviation, options.deviations);
        return fine;
    }
    if (options.has_seed) {
        const bool fine = run_random(script, options.seed, options.verbose);
        if (!fine)
            fail_random(script, options.seed);
        else
            printf("%s: seed %" PRIu64 " is fine\n", script->name, options.seed);
        return fine;
    }
    if (options.has_systematic)
        return script->bound == 0 ||
               all_deviating(script, options.depth < script->bound ? options.depth : script->bound);
    return all_random(script);
}

/* ---- arguments ---- */

static _Noreturn void refuse(const char *what)
{
    fprintf(stderr, "berth-sim: %s\nTry 'berth-sim --help'\n", what);
    exit(2);
}

static uint64_t number_of(const char *text)
{
    char *end;
    errno = 0;
    const uint64_t number = text == NULL ? 0 : strtoull(text, &end, 10);
    if (text == NULL || *text == '\0' || *end != '\0' || errno != 0)
        refuse("a number is missing");
    return number;
}

static void read_deviations(const char *text)
{
    options.has_deviations = true;
    while (text != NULL && *text != '\0') {
        unsigned point, option;
        int length;
        if (options.deviations == POLICY_DEVIATIONS ||
            sscanf(text, "%u:%u%n", &point, &option, &length) != 2)
            refuse("deviations are POINT:OPTION,...");
        options.deviation[options.deviations++] = (struct policy_deviation){point, option};
        text += length;
        text += *text == ',';
    }
}

static void read_fault(const char *text)
{
    if (text == NULL || sscanf(text, "%u:%u", &options.fault, &options.fault_choice) != 2)
        refuse("a system call that fails is CALL:ERROR");
}

static void list_scripts(void)
{
    for (const struct script *script = script_list; script->name != NULL; script++)
        printf("%-14s %s\n", script->name, script->about);
}

static void add_script(const char *name)
{
    const struct script *script = name == NULL ? NULL : script_find(name);
    if (script == NULL || options.scripts == SCRIPTS)
        refuse("there is no such script: see berth-sim --list");
    options.script[options.scripts++] = script;
}

/* An option with a value; false: it is none of them. */
static bool read_valued(const char *name, const char *value)
{
    if (strcmp(name, "--script") == 0)
        add_script(value);
    else if (strcmp(name, "--seed") == 0)
        options.seed = number_of(value), options.has_seed = true;
    else if (strcmp(name, "--runs") == 0)
        options.runs = number_of(value);
    else if (strcmp(name, "--first") == 0)
        options.first = number_of(value);
    else if (strcmp(name, "--kernel") == 0)
        options.kernel = number_of(value);
    else if (strcmp(name, "--times") == 0)
        options.times = number_of(value);
    else if (strcmp(name, "--limit") == 0)
        options.limit = number_of(value);
    else if (strcmp(name, "--systematic") == 0)
        options.depth = (unsigned)number_of(value), options.has_systematic = true;
    else if (strcmp(name, "--cancel") == 0)
        options.cancel = (unsigned)number_of(value);
    else if (strcmp(name, "--fault") == 0)
        read_fault(value);
    else if (strcmp(name, "--deviations") == 0)
        read_deviations(value);
    else
        return false;
    return true;
}

static void read_arguments(int count, char **argument)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(argument[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (strcmp(argument[i], "--list") == 0) {
            list_scripts();
            exit(0);
        } else if (strcmp(argument[i], "-v") == 0) {
            options.verbose = true;
        } else if (strcmp(argument[i], "--cancels") == 0) {
            options.cancels = true;
        } else if (strcmp(argument[i], "--faults") == 0) {
            options.faults = true;
        } else if (strcmp(argument[i], "-q") == 0) {
            options.quiet = true;
        } else if (read_valued(argument[i], i + 1 < count ? argument[i + 1] : NULL)) {
            i++;
        } else {
            refuse(argument[i]);
        }
    }
}

int main(int count, char **argument)
{
    const char *times = getenv("BERTH_SIM_TIMES");
    if (times != NULL)
        options.times = number_of(times);
    read_arguments(count, argument);
    setvbuf(stdout, NULL, _IOLBF, 0);
    sim_memory_setup();
    sim_crashes_are_caught();
    bool fine = true;
    if (options.kernel > 0) {
        fine = kernel_compare(options.first, options.kernel * options.times, options.verbose);
    } else if (options.scripts > 0) {
        for (unsigned i = 0; i < options.scripts; i++)
            fine = go(options.script[i]) && fine;
    } else {
        for (const struct script *script = script_list; script->name != NULL; script++)
            fine = go(script) && fine;
    }
    return fine ? 0 : 1;
}
