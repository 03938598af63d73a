/* Which thread moves, and what time it is. Threads are coroutines, which run until a point at which
 * the policy (policy.c) lets somebody else move. */
#include "sim.h"

#include "oracle.h"
#include "policy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sim_world sim;

static void *scheduler_sp;
static sigjmp_buf to_scheduler;

/* ---- coroutines ---- */

#ifndef __x86_64__
#error "the simulator switches stacks in the assembler of x86-64"
#endif
void sim_switch(void **save, void *load);
__asm__(".text\n"
        ".globl sim_switch\n"
        ".type sim_switch, @function\n"
        "sim_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size sim_switch, . - sim_switch\n");

/* To the scheduler, until it is this thread's turn again. */
static void leave(void)
{
    struct sim_thread *self = sim.self;
    const int saved = errno;
    sim_switch(&self->sp, scheduler_sp);
    errno = saved;
}

static void begin_thread(void)
{
    struct sim_thread *self = sim.self;
    void *const result = self->start(self->argument);
    self = sim.self; /* it may be the child of a fork */
    if (self->is_main)
        sim_exit(0);
    self->result = result;
    sim_end_thread(self);
    sim_never();
}

struct sim_thread *sim_new_thread(struct sim_process *process, void *(*start)(void *),
                                  void *argument)
{
    struct sim_thread *thread = NULL;
    for (unsigned round = 0; round < 2 && thread == NULL; round++) {
        for (unsigned t = 0; t < SIM_THREADS && thread == NULL; t++) {
            /* An inherited stack is kept as long as there is another. */
            if (process->thread[t].state == SIM_NONE &&
                (round == 1 || process->frozen_sp[t] == NULL))
                thread = &process->thread[t];
        }
    }
    if (thread == NULL)
        return NULL;
    const unsigned number = (unsigned)(thread - process->thread);
    *thread = (struct sim_thread){.state = SIM_READY,
                                  .process = process,
                                  .number = number,
                                  .start = start,
                                  .argument = argument,
                                  .until = SIM_FOREVER};
    process->frozen_sp[number] = NULL;
    process->live++;
    if (process->live > 1) {
        process->had_threads = true;
        if (sim.self != NULL && sim.self->process == process)
            sim___libc_single_threaded = 0;
    }
    uint64_t *top = sim_stack_top(thread);
    *--top = 0; /* so that the stack is aligned as after a call */
    *--top = (uint64_t)(uintptr_t)begin_thread;
    top -= 6;
    memset(top, 0, 6 * sizeof *top);
    thread->sp = top;
    return thread;
}

/* ---- points ---- */

void sim_point_at(const void *where)
{
    struct sim_thread *self = sim.self;
    sim.steps++;
    sim.now += SIM_STEP_NS;
    sim.slice--;
    if (policy.systematic) {
        if (where == self->last_point && sim.slice > 0)
            return;
        self->last_point = where;
        if (!policy_point() && sim.slice > 0)
            return;
    } else if (sim.slice > 0 && sim.now < sim.next_timer) {
        return;
    }
    leave();
}

void sim_enter(void)
{
    if (sim.self == NULL)
        return;
    sim.now += SIM_CALL_NS;
    sim_point_at(__builtin_return_address(0));
    sim_cancel_if_at_once();
}

void sim_give_way(void)
{
    policy.gives_way = true;
    sim.steps++;
    leave();
}

void sim_request(void (*what)(struct sim_thread *))
{
    sim.request = what;
    leave();
}

void sim_never(void)
{
    leave();
    abort(); /* nobody runs what has ended */
}

/* ---- waiting ---- */

enum sim_woken sim_block(enum sim_wait wait, uint64_t key, uint64_t until, bool interruptible)
{
    struct sim_thread *self = sim.self;
    self->wait = wait;
    self->key = key;
    self->until = until;
    self->asleep = ++sim.serials;
    self->interruptible = interruptible;
    self->state = SIM_BLOCKED;
    if (until < sim.next_timer)
        sim.next_timer = until;
    leave();
    sim_cancel_if_at_once();
    return self->woken;
}

static void wake_up(struct sim_thread *thread, enum sim_woken how)
{
    thread->state = SIM_READY;
    thread->woken = how;
    thread->until = SIM_FOREVER;
}

static struct sim_thread *first_waiter(enum sim_wait wait, uint64_t key)
{
    struct sim_thread *first = NULL;
    for (unsigned p = 0; p < sim.processes; p++) {
        struct sim_process *process = &sim.process[p];
        for (unsigned t = 0; t < SIM_THREADS && process->live > 0; t++) {
            struct sim_thread *thread = &process->thread[t];
            if (thread->state == SIM_BLOCKED && thread->wait == wait && thread->key == key &&
                (first == NULL || thread->asleep < first->asleep))
                first = thread;
        }
    }
    return first;
}

/* In the order in which they went to sleep, as futexes do. */
unsigned sim_wake(enum sim_wait wait, uint64_t key, unsigned most)
{
    unsigned woken = 0;
    struct sim_thread *thread;
    while (woken < most && (thread = first_waiter(wait, key)) != NULL) {
        wake_up(thread, SIM_WOKEN);
        woken++;
    }
    return woken;
}

void sim_interrupt(struct sim_thread *thread)
{
    if (thread->state == SIM_BLOCKED && thread->interruptible)
        wake_up(thread, SIM_INTERRUPTED);
}

static void fire_timers_of(struct sim_process *process)
{
    if (process->stopped && process->continues_at <= sim.now)
        sim_continue(process);
    if (process->tick != 0 && process->next_tick <= sim.now) {
        process->next_tick = sim.now + process->tick;
        if (!process->stopped)
            sim_signal(process);
    }
    if (process->stopped && process->continues_at < sim.next_timer)
        sim.next_timer = process->continues_at;
    if (process->tick != 0 && process->next_tick < sim.next_timer)
        sim.next_timer = process->next_tick;
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        struct sim_thread *thread = &process->thread[t];
        if (thread->state != SIM_BLOCKED)
            continue;
        if (thread->until <= sim.now)
            wake_up(thread, SIM_TIMED_OUT);
        else if (thread->until < sim.next_timer)
            sim.next_timer = thread->until;
    }
}

static void fire_timers(void)
{
    sim.next_timer = policy.next_time;
    for (unsigned p = 0; p < sim.processes; p++) {
        if (sim.process[p].life == SIM_ALIVE)
            fire_timers_of(&sim.process[p]);
    }
}

/* ---- the run ---- */

static unsigned collect(struct policy_mover *mover)
{
    unsigned count = 0;
    for (unsigned p = 0; p < sim.processes; p++) {
        struct sim_process *process = &sim.process[p];
        if (process->life == SIM_DYING)
            mover[count++] = (struct policy_mover){.dying = process};
        if (process->life != SIM_ALIVE || process->stopped)
            continue;
        for (unsigned t = 0; t < SIM_THREADS; t++) {
            if (process->thread[t].state == SIM_READY)
                mover[count++] = (struct policy_mover){.thread = &process->thread[t]};
        }
    }
    return count;
}

static void move(struct sim_thread *thread)
{
    sim_memory_enter(thread->process);
    sim.self = sim.last = thread;
    sim_switch(&scheduler_sp, thread->sp);
    sim.self = NULL;
    if (sim.request != NULL && !sim.failed) {
        void (*const request)(struct sim_thread *) = sim.request;
        sim.request = NULL;
        request(thread);
    }
}

/* Nobody can move: to the next moment at which somebody can. False: there is none. */
static bool pass_time(void)
{
    oracle_tick(true);
    if (sim.next_timer == SIM_FOREVER || sim.failed)
        return false;
    if (sim.next_timer > sim.now)
        sim.now = sim.next_timer;
    oracle_tick(true);
    return !sim.failed;
}

static void look_for_stuck(void)
{
    for (unsigned p = 0; p < sim.processes && !sim.failed; p++) {
        const struct sim_process *process = &sim.process[p];
        for (unsigned t = 0; t < SIM_THREADS && process->life == SIM_ALIVE; t++) {
            if (process->thread[t].state == SIM_BLOCKED)
                sim_fail("P%u.%u waits for ever, and nobody is left who could wake it",
                         process->pid, t);
        }
    }
}

void sim_world_run(void)
{
    struct policy_mover mover[SIM_PROCESSES * (SIM_THREADS + 1)];
    if (sigsetjmp(to_scheduler, 1) != 0)
        sim.self = NULL;
    while (!sim.failed) {
        if (sim.now >= sim.next_timer)
            fire_timers();
        policy_interfere();
        oracle_tick(false);
        const unsigned count = collect(mover);
        if (count == 0) {
            fire_timers();
            if (collect(mover) > 0)
                continue;
            if (!pass_time())
                break;
            continue;
        }
        if (sim.steps > sim.step_limit) {
            sim_fail("after %llu steps it has not come to an end", (unsigned long long)sim.steps);
            break;
        }
        const struct policy_mover *chosen = &mover[policy_pick(mover, count)];
        if (chosen->dying != NULL)
            sim_die_a_little(chosen->dying);
        else
            move(chosen->thread);
    }
    if (!sim.failed)
        look_for_stuck();
}

void sim_world_begin(void)
{
    const bool verbose = sim.verbose;
    sim_memory_begin();
    const unsigned used = sim.processes;
    for (unsigned p = 0; p < used; p++)
        memset(&sim.process[p], 0, sizeof sim.process[p]);
    memset(sim.inode, 0, sizeof sim.inode);
    memset(sim.ofd, 0, sim.ofds * sizeof sim.ofd[0]);
    sim.ofds = 0;
    memset(sim.name, 0, sizeof sim.name);
    sim.locks = 0;
    sim.now = SIM_BEGINNING;
    sim.steps = 0;
    sim.step_limit = 4000000;
    sim.slice = 0;
    sim.next_timer = SIM_FOREVER;
    sim.self = sim.last = NULL;
    sim.births = sim.processes = 0;
    sim.serials = 0;
    sim.request = NULL;
    sim.no_tmpfile = sim.no_empty_path = sim.removed_by_hand = sim.failed = false;
    sim.why[0] = '\0';
    sim.verbose = verbose;
    sim_files_begin();
}

/* ---- crashes ---- */

static void caught(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (sim.self == NULL) {
        fprintf(stderr, "the simulator itself crashes with signal %d\n", signal);
        _exit(2);
    }
    sim_crash("signal %d at address %p", signal, info->si_addr);
}

void sim_crashes_are_caught(void)
{
    static char stack[1 << 16];
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&alternative, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
}

/* ---- what is said ---- */

static void print_head(void)
{
    const struct sim_thread *self = sim.self;
    printf("%14.6f ms  ", (double)(sim.now - SIM_BEGINNING) / 1e6);
    if (self != NULL)
        printf("P%u.%u %-10s ", self->process->pid, self->number,
               self->process->name != NULL ? self->process->name : "");
    else
        printf("%-15s ", "--");
}

void sim_say(const char *format, ...)
{
    if (!sim.verbose)
        return;
    const int saved = errno;
    va_list arguments;
    print_head();
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
    errno = saved;
}

static void fail(const char *format, va_list arguments)
{
    if (!sim.failed)
        vsnprintf(sim.why, sizeof sim.why, format, arguments);
    sim.failed = true;
    sim_say("FAILED: %s", sim.why);
    if (sim.self != NULL)
        siglongjmp(to_scheduler, 1);
}

void sim_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(format, arguments);
    va_end(arguments);
}

void sim_crash(const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const struct sim_thread *self = sim.self;
    if (self == NULL)
        return;
    sim_fail("P%u.%u crashes%s%s: %s", self->process->pid, self->number,
             self->label != NULL ? " near " : "", self->label != NULL ? self->label : "", what);
}
