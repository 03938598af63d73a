#include "crew.h"

#include "os/clock.h"
#include "stress/random.h"
#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void child(const struct crew *crew, unsigned place, uint64_t seed)
{
    /* Nobody outlives the driver. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == crew->driver)
        worker_live(crew->plan, crew->board, place, seed);
    _exit(0);
}

/* From the change of life on, a process that finds the old one on the occupancy page knows that it
 * is over; so that comes after the process has been waited for. */
static void start(struct crew *crew, unsigned place)
{
    struct board_place *at = &crew->board->place[place];
    const uint64_t seed = stress_random(&crew->random);
    atomic_store(&at->life, ++crew->lives);
    for (unsigned i = 0; i < BOARD_THREADS; i++)
        atomic_store(&at->thread[i].call, 0);
    crew->stopped[place] = false;
    const pid_t pid = fork();
    if (pid == 0)
        child(crew, place, seed);
    if (pid < 0)
        complain(&crew->board->complaints, "cannot fork: %s", strerror(errno));
    crew->pid[place] = pid > 0 ? pid : 0;
}

void crew_start(struct crew *crew, const struct plan *plan)
{
    crew->plan = plan;
    for (unsigned place = 0; place < plan->places; place++)
        start(crew, place);
}

/* The place of a process that was started here; else it is somebody's child, and an orphan. */
static unsigned place_of(const struct crew *crew, pid_t pid)
{
    unsigned place = 0;
    while (place < BOARD_PLACES && crew->pid[place] != pid)
        place++;
    return place;
}

static void take_note(struct crew *crew, pid_t pid, int status)
{
    const unsigned place = place_of(crew, pid);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        crew->kills += place < BOARD_PLACES;
    else if (WIFSIGNALED(status))
        complain(&crew->board->complaints, "a process was ended by signal %d", WTERMSIG(status));
    if (place < BOARD_PLACES)
        crew->pid[place] = 0;
}

void crew_renew(struct crew *crew)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        take_note(crew, pid, status);
    for (unsigned place = 0; place < crew->plan->places; place++) {
        if (crew->pid[place] == 0 && !complaint_found(&crew->board->complaints))
            start(crew, place);
    }
}

static unsigned somebody(struct crew *crew)
{
    return (unsigned)(stress_random(&crew->random) % crew->plan->places);
}

static void tell(const struct crew *crew, unsigned place, int signal)
{
    if (crew->pid[place] != 0)
        kill(crew->pid[place], signal); /* which has not been waited for, so it is there */
}

void crew_kill_one(struct crew *crew)
{
    tell(crew, somebody(crew), SIGKILL);
}

void crew_stop_one(struct crew *crew)
{
    const unsigned place = somebody(crew);
    tell(crew, place, SIGSTOP);
    crew->stopped[place] = true;
    crew->stops++;
}

/* It may have stopped itself at a kill point, so that anybody may be meant. */
void crew_continue_one(struct crew *crew)
{
    const unsigned start = somebody(crew);
    unsigned place = start;
    for (unsigned i = 0; i < crew->plan->places; i++) {
        if (crew->stopped[(start + i) % crew->plan->places])
            place = (start + i) % crew->plan->places;
    }
    crew->stopped[place] = false;
    tell(crew, place, SIGCONT);
    tell(crew, start, SIGCONT);
    crew->stopped[start] = false;
}

void crew_continue_all(struct crew *crew)
{
    for (unsigned place = 0; place < crew->plan->places; place++) {
        crew->stopped[place] = false;
        tell(crew, place, SIGCONT);
    }
}

bool crew_end(struct crew *crew)
{
    const uint64_t deadline = os_now(CLOCK_MONOTONIC) + 30 * (uint64_t)OS_SECOND;
    for (unsigned place = 0; place < BOARD_PLACES; place++)
        tell(crew, place, SIGKILL);
    for (;;) {
        int status;
        const pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0)
            take_note(crew, pid, status);
        else if (pid < 0 && errno == ECHILD)
            return true;
        else if (os_now(CLOCK_MONOTONIC) > deadline)
            return false;
        else
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}
