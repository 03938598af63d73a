/* Processes: how they begin, what can happen to them, and how the kernel tears them down. */
#include "sim.h"

#include "oracle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- beginning ---- */

static struct sim_process *new_process(const char *name)
{
    for (unsigned p = 0; p < SIM_PROCESSES; p++) {
        struct sim_process *process = &sim.process[p];
        if (process->life != SIM_FREE)
            continue;
        memset(process, 0, sizeof *process);
        process->life = SIM_ALIVE;
        process->birth = ++sim.births;
        process->pid = 100 + process->birth;
        process->name = name;
        process->continues_at = SIM_FOREVER;
        if (p >= sim.processes)
            sim.processes = p + 1;
        return process;
    }
    sim_fail("the simulator has room for %d processes", SIM_PROCESSES);
    return NULL;
}

struct program {
    void (*program)(void *);
    void *argument;
};

static void *run_program(void *context)
{
    struct program program = *(struct program *)context;
    free(context);
    program.program(program.argument);
    return NULL;
}

static void start_program(struct sim_process *process, void (*program)(void *), void *argument)
{
    struct program *context = malloc(sizeof *context);
    if (context == NULL)
        abort();
    *context = (struct program){program, argument};
    struct sim_thread *main = sim_new_thread(process, run_program, context);
    main->is_main = true;
}

/* ---- programs whose threads can be cancelled ---- */

static void *run_cancellably(void *context)
{
    sim.self->can_be_cancelled = true;
    return run_program(context);
}

/* The process lives on for a while, so that what a cancelled call leaves behind is not cleared away
 * with it. */
static void run_in_thread(void *program)
{
    const unsigned before = sim.cancel_points;
    sim_join_thread(sim_start_thread(run_cancellably, program));
    if (before < sim.cancel_at && sim.cancel_points >= sim.cancel_at)
        sim_sleep(200 * SIM_MS);
}

static struct program *make_program(void (*program)(void *), void *argument)
{
    struct program *made = malloc(sizeof *made);
    if (made == NULL)
        abort();
    *made = (struct program){program, argument};
    return made;
}

struct sim_process *sim_spawn(const char *name, void (*program)(void *), void *argument)
{
    struct sim_process *process = new_process(name);
    if (process == NULL)
        return NULL;
    sim_memory_fork(NULL, process);
    if (sim.failed)
        return NULL;
    for (int fd = 0; fd < 3; fd++)
        process->fd[fd] = (struct sim_fd){.ofd = sim_ofd_new(SIM_TEXT, NULL, 0)};
    if (sim.cancels && process->birth > 1)
        start_program(process, run_in_thread, make_program(program, argument));
    else
        start_program(process, program, argument);
    sim_say("P%u begins: %s", process->pid, name);
    return process;
}

struct sim_process *sim_find(unsigned pid)
{
    for (unsigned p = 0; p < sim.processes; p++) {
        if (sim.process[p].life != SIM_FREE && sim.process[p].pid == pid)
            return &sim.process[p];
    }
    return NULL;
}

/* ---- fork ---- */

static void inherit(struct sim_process *parent, struct sim_process *child)
{
    for (unsigned fd = 0; fd < SIM_FDS; fd++) {
        child->fd[fd] = parent->fd[fd];
        if (child->fd[fd].ofd != NULL)
            child->fd[fd].ofd->refs++;
    }
    for (unsigned m = 0; m < SIM_FILES; m++) {
        for (unsigned v = 0; v < SIM_VIEWS; v++) {
            const struct sim_view *view = &parent->view[m][v];
            if (view->ofd == NULL || view->dont_fork)
                continue;
            child->view[m][v] = *view;
            view->ofd->refs++;
        }
    }
    memcpy(child->anonymous, parent->anonymous, sizeof child->anonymous);
    memcpy(child->key_end, parent->key_end, sizeof child->key_end);
    child->keys = parent->keys;
}

static void fork_thread(struct sim_thread *thread)
{
    struct sim_process *parent = thread->process;
    struct sim_process *child = new_process(parent->name);
    if (child == NULL)
        return;
    sim_memory_fork(parent, child);
    inherit(parent, child);
    struct sim_thread *copy = &child->thread[thread->number];
    *copy = *thread;
    copy->process = child;
    copy->is_main = true;
    copy->call = NULL;
    child->live = 1;
    child->had_threads = parent->had_threads;
    child->killable = parent->killable;
    copy->forked = 0;
    thread->forked = (int)child->pid;
    sim_say("P%u.%u forks P%u", parent->pid, thread->number, child->pid);
}

/* In the child: what MADV_WIPEONFORK and MADV_DONTFORK say about its own memory. */
static void wipe(void)
{
    struct sim_process *process = sim.self->process;
    for (unsigned i = 0; i < SIM_ANONYMOUS; i++) {
        struct sim_anonymous *one = &process->anonymous[i];
        if (one->at == NULL)
            continue;
        if (one->wipe)
            memset(one->at, 0, one->size);
        if (one->dont_fork) {
            sim_heap_free(one->at);
            one->at = NULL;
        }
    }
}

int sim_fork(void)
{
    sim_enter();
    sim_request(fork_thread);
    if (sim.self->forked == 0) /* in the child another thread than before */
        wipe();
    return sim.self->forked;
}

/* ---- exec ---- */

static struct {
    const char *name;
    struct program program;
} next_program;

static void drop_threads(struct sim_process *process)
{
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        struct sim_thread *thread = &process->thread[t];
        if (thread->state == SIM_READY || thread->state == SIM_BLOCKED)
            oracle_thread_is_gone(thread, true);
        thread->state = SIM_NONE;
    }
    process->live = 0;
}

static void unmap_all(struct sim_process *process)
{
    for (unsigned m = 0; m < SIM_FILES; m++) {
        for (unsigned v = 0; v < SIM_VIEWS; v++)
            sim_process_unmap(process, m, v);
    }
    memset(process->anonymous, 0, sizeof process->anonymous);
}

static void exec_thread(struct sim_thread *thread)
{
    struct sim_process *process = thread->process;
    drop_threads(process);
    unmap_all(process);
    for (unsigned fd = 0; fd < SIM_FDS; fd++) {
        if (process->fd[fd].ofd != NULL && process->fd[fd].cloexec) {
            sim_ofd_drop(process->fd[fd].ofd);
            process->fd[fd].ofd = NULL;
        }
    }
    sim_memory_leave(process);
    sim_memory_fork(NULL, process);
    process->keys = 0;
    process->had_threads = false;
    process->name = next_program.name;
    sim_say("P%u becomes %s", process->pid, process->name);
    start_program(process, next_program.program.program, next_program.program.argument);
}

void sim_exec(const char *name, void (*program)(void *), void *argument)
{
    sim_enter();
    next_program.name = name;
    next_program.program = (struct program){program, argument};
    sim_request(exec_thread);
    abort();
}

/* ---- the end ---- */

static void begin_to_die(struct sim_process *process)
{
    drop_threads(process);
    process->life = SIM_DYING;
    process->stopped = false;
    process->tick = 0;
    process->dying_fd = 0;
}

static void exit_thread(struct sim_thread *thread)
{
    sim_say("P%u exits with %d", thread->process->pid, thread->process->exit_code);
    begin_to_die(thread->process);
}

void sim_exit(int code)
{
    sim_enter();
    sim.self->process->exit_code = code;
    sim_request(exit_thread);
    abort();
}

/* Memory first, then one descriptor after the other, and only then is anybody told: as the kernel
 * does it. */
void sim_die_a_little(struct sim_process *process)
{
    sim.now += SIM_CALL_NS;
    sim.steps++;
    if (process->dying_fd == 0) {
        unmap_all(process);
        sim_memory_leave(process);
    }
    while (process->dying_fd < SIM_FDS && process->fd[process->dying_fd].ofd == NULL)
        process->dying_fd++;
    if (process->dying_fd < SIM_FDS) {
        struct sim_fd *fd = &process->fd[process->dying_fd++];
        sim_ofd_drop(fd->ofd);
        fd->ofd = NULL;
        return;
    }
    process->life = process->keeps_zombie ? SIM_ZOMBIE : SIM_FREE;
    sim_say("P%u is gone%s", process->pid, process->keeps_zombie ? " (a zombie)" : "");
    sim_poll_changed();
    sim_wake(SIM_ON_JOIN, (uint64_t)process->birth << 32, 64);
}

void sim_reap(unsigned pid)
{
    sim_enter();
    for (;;) {
        struct sim_process *process = sim_find(pid);
        if (process == NULL)
            return;
        if (process->life == SIM_ZOMBIE) {
            process->life = SIM_FREE;
            return;
        }
        sim_block(SIM_ON_JOIN, (uint64_t)process->birth << 32, SIM_FOREVER, false);
    }
}

/* ---- what others do to it ---- */

void sim_kill(struct sim_process *process)
{
    if (process->life != SIM_ALIVE)
        return;
    sim_say("P%u is killed", process->pid);
    if (sim.self != NULL && sim.self->process == process)
        sim_exit(137);
    begin_to_die(process);
}

void sim_stop(struct sim_process *process, uint64_t until)
{
    if (process->life != SIM_ALIVE || process->stopped)
        return;
    sim_say("P%u is stopped", process->pid);
    process->stopped = true;
    process->continues_at = until;
    if (until < sim.next_timer)
        sim.next_timer = until;
    oracle_process_stops(process);
    if (sim.self != NULL && sim.self->process == process)
        sim_give_way();
}

void sim_continue(struct sim_process *process)
{
    if (!process->stopped)
        return;
    sim_say("P%u goes on", process->pid);
    process->stopped = false;
    process->continues_at = SIM_FOREVER;
    /* Continuing is a signal too, and interrupts some calls. */
    for (unsigned t = 0; t < SIM_THREADS; t++)
        sim_interrupt(&process->thread[t]);
}

/* A signal with a handler: the kernel prefers the main thread. */
void sim_signal(struct sim_process *process)
{
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        struct sim_thread *thread = &process->thread[t];
        if ((thread->state != SIM_READY && thread->state != SIM_BLOCKED))
            continue;
        sim_say("P%u.%u handles a signal", process->pid, t);
        sim_interrupt(thread);
        return;
    }
}

/* ---- threads of a program ---- */

void sim_end_thread(struct sim_thread *thread)
{
    struct sim_process *process = thread->process;
    for (unsigned k = 0; k < process->keys; k++) {
        void *const value = thread->specific[k];
        thread->specific[k] = NULL;
        if (value != NULL && process->key_end[k] != NULL)
            process->key_end[k](value);
    }
    oracle_thread_is_gone(thread, false);
    thread->state = SIM_ENDED;
    process->live--;
    sim_wake(SIM_ON_JOIN, (uint64_t)process->birth << 32 | (thread->number + 1), 64);
}

int sim_start_thread(void *(*start)(void *), void *argument)
{
    sim_enter();
    struct sim_thread *thread = sim_new_thread(sim.self->process, start, argument);
    return thread == NULL ? -1 : (int)thread->number;
}

void sim_join_thread(int number)
{
    sim_enter();
    struct sim_process *process = sim.self->process;
    struct sim_thread *thread = &process->thread[number];
    while (thread->state == SIM_READY || thread->state == SIM_BLOCKED)
        sim_block(SIM_ON_JOIN, (uint64_t)process->birth << 32 | (unsigned)(number + 1), SIM_FOREVER,
                  false);
    if (thread->state == SIM_ENDED)
        thread->state = SIM_NONE;
}

void sim_sleep(uint64_t nanoseconds)
{
    sim_enter();
    const uint64_t until = sim.now + nanoseconds;
    while (sim.now < until)
        sim_block(SIM_ON_SLEEP, 0, until, false);
}
