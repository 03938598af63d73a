/* The simulated kernel's part of the comparison (kernel.h): actors are simulated processes, and the
 * director is the first. */
#include "kernel.h"

#include "calls.h"
#include "choice.h"
#include "oracle.h"
#include "policy.h"
#include "sim.h"

#include <fcntl.h>
#include <stdio.h>

static struct {
    struct sim_process *process;
    bool has_move, has_answer;
    struct kernel_move move;
    struct kernel_answer answer;
} actors[KERNEL_ACTORS];

static void take(unsigned actor, struct kernel_move *move)
{
    actors[actor].process = sim.self->process;
    while (!actors[actor].has_move)
        sim_sched_yield();
    actors[actor].has_move = false;
    *move = actors[actor].move;
}

static void answer(unsigned actor, const struct kernel_answer *answer)
{
    actors[actor].answer = *answer;
    actors[actor].has_answer = true;
}

static void sleeps(unsigned actor)
{
    (void)actor; /* it is seen */
}

static void give(const struct kernel_move *move)
{
    actors[move->actor].move = *move;
    actors[move->actor].has_answer = false;
    actors[move->actor].has_move = true;
}

static bool has_answered(unsigned actor)
{
    sim_sched_yield();
    return actors[actor].has_answer;
}

static bool is_asleep(unsigned actor)
{
    const struct sim_thread *thread = &actors[actor].process->thread[0];
    return thread->state == SIM_BLOCKED && thread->wait == SIM_ON_FUTEX &&
           thread->until == SIM_FOREVER;
}

static bool hear(unsigned actor, bool must, struct kernel_answer *heard)
{
    while (!has_answered(actor)) {
        if (!must && is_asleep(actor))
            return false;
    }
    *heard = actors[actor].answer;
    actors[actor].has_answer = false;
    return true;
}

static void kill_actor(unsigned actor)
{
    struct sim_process *process = actors[actor].process;
    sim_kill(process);
    while (process->life == SIM_DYING)
        sim_sched_yield();
    actors[actor].has_move = actors[actor].has_answer = false;
}

static void signal_actor(unsigned actor)
{
    sim_signal(actors[actor].process);
}

static const struct kernel_stage simulated_stage = {
    .file = "/store/file",
    .take = take,
    .answer = answer,
    .sleeps = sleeps,
    .open = sim_open,
    .close = sim_close,
    .fcntl = sim_fcntl,
    .lseek = sim_lseek,
    .mmap = sim_mmap,
    .munmap = sim_munmap,
    .madvise = sim_madvise,
    .syscall = sim_syscall,
    .fork = sim_fork,
    .give = give,
    .hear = hear,
    .has_answered = has_answered,
    .kill = kill_actor,
    .signal = signal_actor,
};

static void be_first_actor(void *argument)
{
    (void)argument;
    kernel_act(&simulated_stage, 0);
}

static uint64_t seed_of_play;

static void be_director(void *play)
{
    const int fd = sim_open(simulated_stage.file, O_RDWR | O_CREAT, 0600);
    if (sim_posix_fallocate(fd, 0, 4096) != 0)
        sim_fail("the file cannot be made");
    sim_close(fd);
    actors[0].process = sim_spawn("actor", be_first_actor, NULL);
    kernel_direct(&simulated_stage, seed_of_play, play);
}

void kernel_play_simulated(uint64_t seed, struct kernel_play *play)
{
    for (unsigned i = 0; i < KERNEL_ACTORS; i++)
        actors[i].process = NULL, actors[i].has_move = actors[i].has_answer = false;
    seed_of_play = seed;
    choice_seed(seed);
    sim_world_begin();
    oracle_begin();
    policy_begin_random(0);
    sim_spawn("director", be_director, play);
    sim_world_run();
    if (sim.failed)
        printf("the simulated kernel: %s\n", sim.why);
}
