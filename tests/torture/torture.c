/*
 * berth-torture: processes take and give back the slots of a pool while they are killed, stopped
 * and continued at random instants, round after round, each with another pool. What is checked is
 * in occupancy.h, order.h, audit.h and, for processes that make no progress, below.
 */
#include "alive.h"
#include "audit.h"
#include "board.h"
#include "crew.h"
#include "dump.h"
#include "order.h"

#include "berth.h"
#include "os/clock.h"
#include "stress/random.h"
#include "stress/signals.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct torture {
    struct board *board;
    struct crew crew;
    struct stress_signals signals;
    char store[64];
    uint64_t kills;   /* to be reached; 0: as many as there is time for */
    uint64_t seconds; /* 0: as long as it takes */
    uint64_t begun, rounds, calms, analysed;
    int interrupted; /* by this signal */
    bool verbose;
    bool polite; /* see plan.h */
    bool tidy;   /* nothing is left to be looked at, even after a failure */
};

enum {
    KILLS_A_ROUND = 400,
    KILLS_A_CALM = 100,
    PATIENCE = 20, /* seconds without getting on, on a machine that others use too */
};

/* ---- rounds ---- */

static struct plan plan_of(const struct torture *torture)
{
    const uint64_t r = torture->rounds;
    return (struct plan){
        .store = torture->store,
        .name = "torture",
        .slots = 1 + (unsigned)(r % 4),
        .places = 4 + (unsigned)(r * 5 % 9),
        .seats = r % 3 == 0 ? 14 : 200, /* few, so that seats are taken over at once */
        .threads = r % 2 == 0 ? 1 : BOARD_THREADS,
        .resized = r % 5 == 1 || r % 5 == 3,
        .removed = r % 5 == 4,
        .polite = torture->polite,
        .odds = 400 + (unsigned)(r % 7) * 400,
    };
}

static uint64_t elapsed(const struct torture *torture)
{
    return (os_now(CLOCK_MONOTONIC) - torture->begun) / OS_SECOND;
}

static bool is_over(const struct torture *torture)
{
    return torture->interrupted != 0 || complaint_found(&torture->board->complaints) ||
           (torture->kills != 0 && torture->crew.kills >= torture->kills) ||
           (torture->seconds != 0 && elapsed(torture) >= torture->seconds);
}

static void doze(struct torture *torture, double seconds)
{
    const int signal = stress_signals_wait(&torture->signals, seconds);
    if (signal != 0 && signal != SIGCHLD)
        torture->interrupted = signal;
    crew_renew(&torture->crew);
}

/* ---- does everybody make progress? ---- */

struct progress {
    uint64_t life[BOARD_PLACES], laps[BOARD_PLACES][BOARD_THREADS];
};

static void note_progress(const struct board *board, struct progress *progress)
{
    for (unsigned i = 0; i < BOARD_PLACES; i++) {
        progress->life[i] = atomic_load(&board->place[i].life);
        for (unsigned k = 0; k < BOARD_THREADS; k++)
            progress->laps[i][k] = atomic_load(&board->place[i].thread[k].laps);
    }
}

/* The first place with a thread that is in the call in which it was at the start; else none. */
static unsigned stuck_place(const struct board *board, const struct progress *since)
{
    for (unsigned i = 0; i < BOARD_PLACES; i++) {
        const struct board_place *place = &board->place[i];
        for (unsigned k = 0; k < BOARD_THREADS; k++) {
            if (atomic_load(&place->thread[k].call) != 0 &&
                atomic_load(&place->thread[k].laps) == since->laps[i][k] &&
                atomic_load(&place->life) == since->life[i])
                return i;
        }
    }
    return BOARD_PLACES;
}

/* With everybody running and nobody killed, each call that is under way comes to an end. */
static void calm(struct torture *torture)
{
    struct board *board = torture->board;
    const uint64_t deadline = os_now(CLOCK_MONOTONIC) + PATIENCE * (uint64_t)OS_SECOND;
    struct progress since;
    atomic_store(&board->calm, true);
    crew_continue_all(&torture->crew);
    note_progress(board, &since);
    while (!complaint_found(&board->complaints) && torture->interrupted == 0) {
        const unsigned stuck = stuck_place(board, &since);
        if (stuck == BOARD_PLACES)
            break;
        if (os_now(CLOCK_MONOTONIC) > deadline)
            complain(&board->complaints, "place %u is stuck: it has been in one call for %d s",
                     stuck, PATIENCE);
        crew_continue_all(&torture->crew);
        doze(torture, 0.001);
    }
    torture->calms++;
    atomic_store(&board->calm, false);
}

/* ---- the driver ---- */

static void act(struct crew *crew)
{
    const uint64_t r = stress_random(&crew->random) % 16;
    if (r < 9)
        crew_kill_one(crew);
    else if (r < 12)
        crew_stop_one(crew);
    else
        crew_continue_one(crew);
}

static void drive(struct torture *torture)
{
    struct crew *crew = &torture->crew;
    const uint64_t end = crew->kills + KILLS_A_ROUND;
    uint64_t next_calm = crew->kills + KILLS_A_CALM;
    while (!is_over(torture) && crew->kills < end) {
        doze(torture, (double)(stress_random(&crew->random) % 1500) / 1e6);
        act(crew);
        if (crew->kills >= next_calm) {
            calm(torture);
            next_calm = crew->kills + KILLS_A_CALM;
        }
    }
    if (!complaint_found(&torture->board->complaints))
        calm(torture);
}

static bool make_pool(struct torture *torture, const struct plan *plan)
{
    const berth_options options = {
        .store = plan->store, .slots = plan->slots, .seats = plan->seats};
    berth_pool *pool;
    const int error = berth_open(&pool, plan->name, &options);
    if (error == 0)
        return berth_close(pool) == 0;
    complain(&torture->board->complaints, "cannot make a pool: %s", berth_reason());
    return false;
}

static void describe(const struct torture *torture, const struct plan *plan)
{
    if (torture->verbose)
        printf("round %" PRIu64 ": %u slots, %u seats, %u processes of %u threads%s%s\n",
               torture->rounds, plan->slots, plan->seats, plan->places, plan->threads,
               plan->resized ? ", resized" : "", plan->removed ? ", removed and made again" : "");
}

static void play_round(struct torture *torture)
{
    const struct plan plan = plan_of(torture);
    struct board *board = torture->board;
    describe(torture, &plan);
    board_clear(board);
    atomic_store(&board->size, plan.slots);
    if (!make_pool(torture, &plan))
        return;
    crew_start(&torture->crew, &plan);
    drive(torture);
    if (complaint_found(&board->complaints)) {
        dump_board(stderr, board, plan.places);
        dump_pool(stderr, plan.store, plan.name);
    }
    if (!crew_end(&torture->crew))
        complain(&board->complaints, "somebody does not die");
    if (complaint_found(&board->complaints) || !order_analyse(board, &torture->analysed))
        return;
    audit(&plan, board);
    torture->rounds++;
}

static void report(const struct torture *torture)
{
    const struct board *board = torture->board;
    printf("%" PRIu64 " rounds, %" PRIu64 " kills, %" PRIu64 " stops, %" PRIu64 " s; %" PRIu64
           " grants (%" PRIu64 " of slots that the dead had), %" PRIu64 " refusals, %" PRIu64
           " timeouts, %" PRIu64 " opens, %" PRIu64 " forks, %" PRIu64 " resizes; order of %" PRIu64
           " grants analysed; %" PRIu64 " times all got on\n",
           torture->rounds, torture->crew.kills, torture->crew.stops, elapsed(torture),
           atomic_load(&board->grants), atomic_load(&board->taken_from_dead),
           atomic_load(&board->refusals), atomic_load(&board->timeouts), atomic_load(&board->opens),
           atomic_load(&board->forks), atomic_load(&board->resizes), torture->analysed,
           torture->calms);
}

/* ---- the command ---- */

static int usage(void)
{
    fputs("usage: berth-torture [--kills N] [--seconds N] [--seed N] [--first ROUND] [--polite]\n"
          "                     [--verbose] [--tidy]\n",
          stderr);
    return 2;
}

static bool parse(struct torture *torture, int argc, char **argv)
{
    static const struct option options[] = {
        {"kills", required_argument, NULL, 'k'}, {"seconds", required_argument, NULL, 's'},
        {"seed", required_argument, NULL, 'r'},  {"first", required_argument, NULL, 'f'},
        {"verbose", no_argument, NULL, 'v'},     {"tidy", no_argument, NULL, 't'},
        {"polite", no_argument, NULL, 'p'},      {0},
    };
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        const uint64_t number = optarg != NULL ? strtoull(optarg, NULL, 10) : 0;
        switch (option) {
        case 'k': torture->kills = number; break;
        case 's': torture->seconds = number; break;
        case 'r': torture->crew.random = number; break;
        case 'f': torture->rounds = number; break;
        case 'v': torture->verbose = true; break;
        case 't': torture->tidy = true; break;
        case 'p': torture->polite = true; break;
        default: return false;
        }
    }
    if (torture->kills == 0 && torture->seconds == 0)
        torture->seconds = 15;
    return optind == argc;
}

static bool prepare(struct torture *torture)
{
    if (!thread_is_dead_works()) {
        fputs("SKIPPED: the kernel does not tell who is dead\n", stdout);
        return false;
    }
    snprintf(torture->store, sizeof torture->store, "%s/berth-torture-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    torture->board = board_make();
    torture->crew.board = torture->board;
    torture->crew.driver = getpid();
    /* Children of those that are killed come to us. */
    if (torture->board != NULL && stress_signals_take(&torture->signals) &&
        prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && mkdtemp(torture->store) != NULL)
        return true;
    perror("berth-torture");
    return false;
}

static void leave(const struct torture *torture)
{
    const berth_options options = {.store = torture->store};
    if (torture->tidy && berth_remove("torture", &options) == 0 && rmdir(torture->store) == 0)
        return;
    printf("  the store is left at %s\n", torture->store);
}

int main(int argc, char **argv)
{
    static struct torture torture;
    setvbuf(stdout, NULL, _IOLBF, 0); /* and nothing is in it when we fork */
    torture.crew.random = os_now(CLOCK_REALTIME);
    if (!parse(&torture, argc, argv))
        return usage();
    printf("seed %" PRIu64 "\n", torture.crew.random);
    if (!prepare(&torture))
        return 77;
    torture.begun = os_now(CLOCK_MONOTONIC);
    do
        play_round(&torture);
    while (!is_over(&torture));
    report(&torture);
    if (complaint_print(&torture.board->complaints, stdout)) {
        leave(&torture);
        return 1;
    }
    if (rmdir(torture.store) != 0) {
        printf("FAILED: %s: %s\n", torture.store, strerror(errno));
        return 1;
    }
    if (torture.interrupted != 0)
        printf("interrupted by signal %d\n", torture.interrupted);
    else
        puts("nothing was found");
    return torture.interrupted != 0 ? 128 + torture.interrupted : 0;
}
