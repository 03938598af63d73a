#include "stress/crew.h"

#include "stress/failure.h"
#include "stress/participant.h"
#include "stress/random.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in a child ---- */

struct thread {
    pthread_t id;
    const struct stress_arena *arena;
    unsigned me;
    uint64_t seed;
};

static void *thread_body(void *context)
{
    const struct thread *thread = context;
    if (thread->me == thread->arena->plan->params.n)
        stress_supervise(thread->arena);
    else
        stress_participate(thread->arena, thread->me, thread->seed);
    return NULL;
}

/* 0 or an errno value; the caller ends the process, and with it the threads that there are. */
static int run_threads(const struct stress_arena *arena, uint64_t seed)
{
    struct thread thread[STRESS_MAX_N + 1];
    const unsigned n = arena->plan->params.n + (arena->plan->native->supervise != NULL);
    for (unsigned i = 0; i < n; i++) {
        thread[i] = (struct thread){.arena = arena, .me = i, .seed = stress_random(&seed)};
        int error = pthread_create(&thread[i].id, NULL, thread_body, &thread[i]);
        if (error != 0)
            return error;
    }
    for (unsigned i = 0; i < n; i++) {
        int error = pthread_join(thread[i].id, NULL);
        if (error != 0)
            return error;
    }
    return 0;
}

/* No child outlives its driver, even if the driver is killed, also before prctl. */
static int tie_to(pid_t driver)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return errno;
    return getppid() == driver ? 0 : ESRCH;
}

static _Noreturn void live(const struct stress_crew *crew, unsigned index, uint64_t seed)
{
    const struct stress_arena *arena = crew->arena;
    int error = tie_to(crew->driver);
    if (error == 0 && arena->plan->mode == STRESS_THREADS)
        error = run_threads(arena, seed);
    else if (error == 0 && index == arena->plan->params.n)
        stress_supervise(arena);
    else if (error == 0)
        stress_participate(arena, index, seed);
    if (error != 0)
        atomic_store(&arena->board->error, error);
    _exit(error == 0 ? 0 : 1);
}

/* ---- in the driver ---- */

static bool start(struct stress_crew *crew, unsigned index, struct stress_failure *failure)
{
    uint64_t seed = stress_random(&crew->random);
    pid_t pid = fork();
    if (pid < 0)
        return stress_fail(failure, "cannot fork", errno);
    if (pid == 0)
        live(crew, index, seed);
    crew->pid[index] = pid;
    return true;
}

bool stress_crew_start(struct stress_crew *crew, const struct stress_arena *arena,
                       struct stress_failure *failure)
{
    const struct stress_plan *plan = arena->plan;
    *crew = (struct stress_crew){.arena = arena,
                                 .driver = getpid(),
                                 .size = plan->mode == STRESS_THREADS ? 1 : plan->params.n,
                                 .random = plan->seed};
    crew->whole = crew->size + (plan->mode == STRESS_PROCESSES && plan->native->supervise != NULL);
    for (unsigned i = 0; i < crew->whole; i++) {
        if (!start(crew, i, failure))
            return false;
    }
    return true;
}

static pid_t wait_for(pid_t pid, int *status, int options)
{
    pid_t ended;
    do
        ended = waitpid(pid, status, options);
    while (ended < 0 && errno == EINTR);
    return ended;
}

static bool ended_badly(const struct stress_crew *crew, int status, struct stress_failure *failure)
{
    int error = atomic_load(&crew->arena->board->error);
    if (error != 0)
        return stress_fail(failure, "cannot start a participant", error);
    if (WIFSIGNALED(status))
        snprintf(failure->text, sizeof failure->text, "a participant was ended by signal %d",
                 WTERMSIG(status));
    else
        snprintf(failure->text, sizeof failure->text, "a participant ended with status %d",
                 WEXITSTATUS(status));
    return false;
}

static bool ended_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool stress_crew_sweep(struct stress_crew *crew, struct stress_failure *failure)
{
    for (unsigned i = 0; i < crew->whole; i++) {
        int status;
        if (crew->pid[i] == 0)
            continue;
        pid_t ended = wait_for(crew->pid[i], &status, WNOHANG);
        if (ended < 0)
            return stress_fail(failure, "cannot wait for a participant", errno);
        if (ended == 0)
            continue;
        crew->pid[i] = 0;
        if (!ended_well(status))
            return ended_badly(crew, status, failure);
    }
    return true;
}

/* The papers let a dead process's public variables take their dead values by themselves; here the
 * driver does it. That is legal because the process has been waited for: it can make no access any
 * more, so that nothing of it comes after its death, and nobody else writes its registers. The
 * instants between the kill and the stores are the process being slow, which it may always be.
 * It leaves the critical section first, since the stores let the next one in. */
static void make_dead(const struct stress_arena *arena, unsigned who)
{
    if (arena->plan->recover) { /* it stays in its critical section, if that is where it was */
        atomic_store(&arena->board->place[who].killed, true);
        return;
    }
    atomic_fetch_add(&arena->board->place[who].turn, 1);
    atomic_fetch_and(&arena->board->inside, ~(UINT64_C(1) << who));
    arena->plan->native->die(arena->shared, stress_arena_local(arena, who), &arena->plan->params,
                             who);
}

bool stress_crew_kill_one(struct stress_crew *crew, struct stress_failure *failure)
{
    unsigned who = (unsigned)(stress_random(&crew->random) % crew->size);
    int status;
    if (crew->pid[who] == 0)
        return true;
    if (kill(crew->pid[who], SIGKILL) != 0)
        return stress_fail(failure, "cannot kill a participant", errno);
    if (wait_for(crew->pid[who], &status, 0) < 0)
        return stress_fail(failure, "cannot wait for a participant", errno);
    crew->pid[who] = 0;
    if (ended_well(status)) /* it had come to an end before the kill */
        return true;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return ended_badly(crew, status, failure);
    crew->kills++;
    make_dead(crew->arena, who);
    return start(crew, who, failure);
}

/* ---- sleep ---- */

unsigned stress_crew_asleep(const struct stress_crew *crew)
{
    return (unsigned)__builtin_popcountll(crew->asleep);
}

bool stress_crew_sleeps(const struct stress_crew *crew, unsigned index)
{
    return crew->asleep >> index & 1;
}

/* Stops one at random, and waits until it has stopped. *who: crew->size if there is none to
 * stop. */
static bool stop_one(struct stress_crew *crew, unsigned *who, struct stress_failure *failure)
{
    const unsigned i = (unsigned)(stress_random(&crew->random) % crew->size);
    const pid_t pid = crew->pid[i];
    int status;
    *who = crew->size;
    if (pid == 0 || stress_crew_sleeps(crew, i))
        return true;
    if (kill(pid, SIGSTOP) != 0)
        return stress_fail(failure, "cannot stop a participant", errno);
    if (wait_for(pid, &status, WUNTRACED) < 0)
        return stress_fail(failure, "cannot wait for a participant", errno);
    if (!WIFSTOPPED(status)) {
        crew->pid[i] = 0;
        return ended_well(status) || ended_badly(crew, status, failure);
    }
    *who = i;
    return true;
}

static bool go_on(pid_t pid, struct stress_failure *failure)
{
    return kill(pid, SIGCONT) == 0 || stress_fail(failure, "cannot wake a participant", errno);
}

bool stress_crew_nap(struct stress_crew *crew, struct stress_failure *failure)
{
    unsigned who;
    const pid_t napping = crew->napping;
    crew->napping = 0;
    if (napping != 0)
        return go_on(napping, failure);
    if (!stop_one(crew, &who, failure))
        return false;
    if (who < crew->size) {
        crew->napping = crew->pid[who];
        crew->naps++;
    }
    return true;
}

bool stress_crew_lull(struct stress_crew *crew, struct stress_failure *failure)
{
    unsigned who;
    if (crew->napping != 0)
        return stress_crew_nap(crew, failure);
    if (!stop_one(crew, &who, failure))
        return false;
    if (who == crew->size)
        return true;
    if (!atomic_load(&crew->arena->board->place[who].trying))
        return go_on(crew->pid[who], failure);
    crew->asleep |= UINT64_C(1) << who;
    return true;
}

/* A supervisor waits for those that are asleep as for all others; it is ended with them. */
bool stress_crew_is_over(const struct stress_crew *crew)
{
    for (unsigned i = 0; i < crew->size; i++) {
        if (crew->pid[i] != 0 && !stress_crew_sleeps(crew, i))
            return false;
    }
    return true;
}

void stress_crew_end(struct stress_crew *crew)
{
    /* Errors are ignored: both calls fail only for a child that has already gone. */
    for (unsigned i = 0; i < crew->whole; i++) {
        if (crew->pid[i] != 0)
            kill(crew->pid[i], SIGKILL);
    }
    for (unsigned i = 0; i < crew->whole; i++) {
        int status;
        if (crew->pid[i] != 0)
            wait_for(crew->pid[i], &status, 0);
        crew->pid[i] = 0;
    }
}
