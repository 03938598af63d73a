/*
 * berth-torture-several: processes take slots of several pools at once, and of one, while they are
 * killed, stopped and continued at random instants. Afterwards: no slot was in two hands, each
 * process made progress, and every slot of every pool is available again.
 */
#include "alive.h"

#include "berth.h"
#include "complaint.h"
#include "os/clock.h"
#include "stress/random.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POOLS = 3, MOST_SLOTS = 3, PLACES = 8, KILLS_A_CALM = 100, CALLS_A_CALM = 50 };

static const char *const names[POOLS] = {"one", "two", "three"}; /* of one, two and three slots */

/* In memory that survives the kills. */
struct board {
    _Atomic(uint64_t) holder[POOLS][MOST_SLOTS]; /* who is in there, by its own account */
    _Atomic(uint64_t)
        life[PLACES]; /* grows: the process that had the place before has been reaped */
    _Atomic(int) pid[PLACES];
    _Atomic(uint64_t) had[PLACES]; /* calls that got what they asked for */
    struct complaints complaints;
};

static struct board *board;
static char store[] = "/dev/shm/berth-several.XXXXXX";

/* The identity of a process: a life in a place. */
static uint64_t identity(unsigned place)
{
    return atomic_load(&board->life[place]) * PLACES + place;
}

static bool is_dead(uint64_t who)
{
    const unsigned place = (unsigned)(who % PLACES);
    const int pid = atomic_load(&board->pid[place]);
    return identity(place) != who || thread_is_dead(pid, pid);
}

/* ---- a process ---- */

struct life {
    berth_pool *pool[POOLS];
    berth_want wants[POOLS];
    unsigned number[POOLS]; /* of the pool of each want */
    berth_grant grants[POOLS][MOST_SLOTS];
    size_t count;
    uint64_t random;
};

static unsigned below(struct life *life, unsigned limit)
{
    return (unsigned)(stress_random(&life->random) % limit);
}

/* Some pools, in any order, some slots of each. */
static void want_something(struct life *life)
{
    unsigned first = below(life, POOLS), step = 1 + below(life, POOLS - 1);
    life->count = 1 + below(life, POOLS);
    for (unsigned i = 0; i < life->count; i++) {
        const unsigned p = (first + i * step) % POOLS;
        life->number[i] = p;
        life->wants[i] = (berth_want){life->pool[p], 1 + below(life, p + 1), life->grants[i]};
    }
}

static int take(struct life *life)
{
    struct timespec deadline;
    if (life->count == 1 && life->wants[0].slots == 1)
        return berth_acquire(life->wants[0].pool, life->wants[0].grants);
    switch (below(life, 4)) {
    case 0: return berth_try_acquire_all(life->wants, life->count);
    case 1:
        deadline = os_timespec(os_now(CLOCK_MONOTONIC) + below(life, 3 * OS_MILLISECOND));
        return berth_acquire_all_until(life->wants, life->count, &deadline);
    default: return berth_acquire_all(life->wants, life->count);
    }
}

static void be_inside(struct life *life, uint64_t me)
{
    for (unsigned i = 0; i < life->count; i++) {
        for (unsigned s = 0; s < life->wants[i].slots; s++) {
            const unsigned slot = life->grants[i][s].slot;
            const uint64_t other = atomic_exchange(&board->holder[life->number[i]][slot], me);
            if (other != 0 && (other == me || !is_dead(other)))
                complain(&board->complaints, "slot %u was given twice", slot);
        }
    }
    const struct timespec work = {.tv_nsec = below(life, 200 * 1000)};
    nanosleep(&work, NULL);
    for (unsigned i = 0; i < life->count; i++) {
        for (unsigned s = 0; s < life->wants[i].slots; s++)
            atomic_store(&board->holder[life->number[i]][life->grants[i][s].slot], 0);
    }
}

static void live(unsigned place, uint64_t seed)
{
    struct life life = {.random = seed};
    int error = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    atomic_store(&board->pid[place], (int)getpid());
    for (unsigned p = 0; p < POOLS && error == 0; p++)
        error = berth_open(&life.pool[p], names[p], &(berth_options){.store = store});
    while (error == 0) {
        want_something(&life);
        error = take(&life);
        if (error == EBUSY || error == ETIMEDOUT) {
            error = 0;
            continue;
        }
        if (error != 0)
            break;
        atomic_fetch_add(&board->had[place], 1);
        be_inside(&life, identity(place));
        error = berth_release_all(life.wants, life.count);
    }
    fprintf(stderr, "%s\n", berth_reason());
    complain(&board->complaints, "an error: %u", (unsigned)error);
}

/* ---- the driver ---- */

static pid_t pids[PLACES];
static uint64_t chance, kills;

static void start(unsigned place)
{
    atomic_fetch_add(&board->life[place], 1);
    pids[place] = fork();
    if (pids[place] == 0) {
        live(place, stress_random(&chance) ^ place);
        _exit(1);
    }
}

static void end(unsigned place)
{
    kill(pids[place], SIGKILL);
    waitpid(pids[place], NULL, 0);
}

static void pause_for(uint64_t nanoseconds)
{
    const struct timespec time = os_timespec(nanoseconds);
    nanosleep(&time, NULL);
}

static void disturb(void)
{
    const unsigned place = (unsigned)(stress_random(&chance) % PLACES);
    pause_for(stress_random(&chance) % (2 * OS_MILLISECOND));
    if (stress_random(&chance) % 4 == 0) {
        kill(pids[place], SIGSTOP);
        pause_for(stress_random(&chance) % (5 * OS_MILLISECOND));
        kill(pids[place], SIGCONT);
    } else {
        end(place);
        start(place);
        kills++;
    }
}

/* Nobody is killed, and everybody makes progress. */
static void be_calm(uint64_t patience)
{
    uint64_t before[PLACES];
    const uint64_t until = os_now(CLOCK_MONOTONIC) + patience;
    for (unsigned p = 0; p < PLACES; p++)
        before[p] = atomic_load(&board->had[p]);
    for (unsigned p = 0; p < PLACES && !complaint_found(&board->complaints);) {
        if (atomic_load(&board->had[p]) >= before[p] + CALLS_A_CALM)
            p++;
        else if (os_now(CLOCK_MONOTONIC) > until)
            complain(&board->complaints, "process %u is stuck", p);
        else
            pause_for(OS_MILLISECOND);
    }
}

/* All slots at once, by a process that does not wait. */
static void look_for_lost(void)
{
    struct life life = {.count = POOLS};
    bool seen[POOLS][MOST_SLOTS] = {{false}};
    for (unsigned p = 0; p < POOLS; p++) {
        if (berth_open(&life.pool[p], names[p], &(berth_options){.store = store}) != 0)
            complain(&board->complaints, "pool %u cannot be opened", p);
        life.wants[p] = (berth_want){life.pool[p], p + 1, life.grants[p]};
    }
    if (berth_try_acquire_all(life.wants, POOLS) != 0)
        complain(&board->complaints, "of %u pools, not all slots came back", POOLS);
    else
        for (unsigned p = 0; p < POOLS; p++) {
            for (unsigned s = 0; s <= p; s++) {
                if (life.grants[p][s].slot > p || seen[p][life.grants[p][s].slot])
                    complain(&board->complaints, "slot %u was given twice at the end",
                             life.grants[p][s].slot);
                else
                    seen[p][life.grants[p][s].slot] = true;
            }
        }
    for (unsigned p = 0; p < POOLS; p++) {
        berth_close(life.pool[p]);
        if (berth_remove(names[p], &(berth_options){.store = store}) != 0)
            complain(&board->complaints, "pool %u cannot be removed", p);
    }
    if (rmdir(store) != 0)
        complain(&board->complaints, "something was left in the store: %u", (unsigned)errno);
}

int main(int argc, char **argv)
{
    uint64_t wanted = 500, patience = 20;
    static const struct option long_options[] = {{"kills", required_argument, NULL, 'k'},
                                                 {"patience", required_argument, NULL, 'p'},
                                                 {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) {
        if (option == '?')
            return 2;
        *(option == 'k' ? &wanted : &patience) = strtoull(optarg, NULL, 10);
    }
    if (!thread_is_dead_works()) {
        puts("left out: the kernel does not tell who is dead");
        return 77;
    }
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED || mkdtemp(store) == NULL)
        return 2;
    chance = os_now(CLOCK_REALTIME);
    printf("seed %" PRIu64 "\n", chance);
    fflush(stdout);
    for (unsigned p = 0; p < POOLS; p++) {
        berth_pool *pool;
        if (berth_open(&pool, names[p], &(berth_options){.store = store, .slots = p + 1}) != 0)
            return 2;
        berth_close(pool);
    }
    for (unsigned p = 0; p < PLACES; p++)
        start(p);
    while (kills < wanted && !complaint_found(&board->complaints)) {
        disturb();
        if (kills % KILLS_A_CALM == 0)
            be_calm(patience * OS_SECOND);
    }
    be_calm(patience * OS_SECOND);
    uint64_t had = 0;
    for (unsigned p = 0; p < PLACES; p++) {
        end(p);
        had += atomic_load(&board->had[p]);
    }
    look_for_lost();
    const bool failed = complaint_print(&board->complaints, stdout);
    printf("%" PRIu64 " kills, %" PRIu64 " calls had what they asked for\n", kills, had);
    return failed;
}
