/* The calls of <pthread.h> that the library makes. Mutexes keep their state in the
 * memory that the library gives them, so that a fork copies it as it is. */
#include "sim.h"

#include "calls.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

char sim___libc_single_threaded;

/* ---- cancelling ---- */

int sim_pthread_setcancelstate(int state, int *before)
{
    struct sim_thread *self = sim.self;
    if (before != NULL)
        *before = self->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

static void unwind(void)
{
    struct sim_thread *self = sim.self;
    self->cancel_at_once = false;
    if (self->cleanups > 0)
        siglongjmp(*(sigjmp_buf *)self->cleanup[--self->cleanups], 1);
    if (self->is_main)
        sim_exit(0); /* a child of fork, which had no other thread */
    self->result = PTHREAD_CANCELED;
    sim_end_thread(self);
    sim_never();
}

void sim_cancellation_point(void)
{
    struct sim_thread *self = sim.self;
    if (self == NULL || self->cancel_disabled || self->unwinding)
        return;
    if (self->can_be_cancelled && ++sim.cancel_points == sim.cancel_at)
        self->cancelled = true;
    if (!self->cancelled)
        return;
    sim_say("is cancelled");
    self->unwinding = true;
    unwind();
}

void sim_cancel_if_at_once(void)
{
    if (sim.self != NULL && sim.self->cancel_at_once)
        sim_cancellation_point();
}

int sim_pthread_setcanceltype(int type, int *before)
{
    struct sim_thread *self = sim.self;
    if (before != NULL)
        *before = self->cancel_at_once ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    self->cancel_at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    sim_cancel_if_at_once();
    return 0;
}

void sim_cancel_thread(int number)
{
    struct sim_thread *thread = &sim.self->process->thread[number];
    sim_enter();
    sim_say("cancels thread %d", number);
    thread->cancelled = true;
    /* glibc sends a signal, which ends a wait; whether the thread then is cancelled is its own
     * affair. */
    if (!thread->cancel_disabled && (thread->cancel_at_once || thread->wait != SIM_ON_FUTEX))
        sim_interrupt(thread);
}

void sim___pthread_register_cancel(void *buffer)
{
    struct sim_thread *self = sim.self;
    if (self->cleanups == 16)
        sim_fail("the simulator has room for 16 clean-up handlers");
    else
        self->cleanup[self->cleanups++] = buffer;
}

void sim___pthread_unregister_cancel(void *buffer)
{
    (void)buffer;
    sim.self->cleanups--;
}

void sim___pthread_unwind_next(void *buffer)
{
    (void)buffer;
    unwind();
    __builtin_unreachable();
}

/* ---- keys, once ---- */

int sim_pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
    struct sim_process *process = sim.self->process;
    if (process->keys == SIM_KEYS)
        return EAGAIN;
    process->key_end[process->keys] = end;
    *key = process->keys++;
    return 0;
}

int sim_pthread_setspecific(pthread_key_t key, const void *value)
{
    sim.self->specific[key] = (void *)(uintptr_t)value;
    return 0;
}

void *sim_pthread_getspecific(pthread_key_t key)
{
    return sim.self->specific[key];
}

/* A routine that was running in the parent when a child was forked starts again in the child, as in
 * glibc: the word says in which process it runs. */
int sim_pthread_once(pthread_once_t *once, void (*routine)(void))
{
    enum { NOW = 1, DONE = 2 }; /* or PTHREAD_ONCE_INIT */
    SIM_POINT();
    const int now = (int)(sim.self->process->birth << 2 | NOW);
    while (*once == now)
        sim_give_way();
    if (*once == DONE)
        return 0;
    *once = now;
    routine();
    *once = DONE;
    return 0;
}

/* ---- mutexes: who has it, in the first word ---- */

static uint32_t *owner_of(pthread_mutex_t *mutex)
{
    return (uint32_t *)mutex;
}

static uint64_t key_of(const void *at)
{
    return sim_futex_key(at);
}

int sim_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    SIM_POINT();
    sim_reach(mutex, sizeof *mutex, true);
    while (*owner_of(mutex) != 0)
        sim_block(SIM_ON_MUTEX, key_of(mutex), SIM_FOREVER, false);
    *owner_of(mutex) = sim.self->number + 1;
    return 0;
}

int sim_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    sim_reach(mutex, sizeof *mutex, true);
    if (*owner_of(mutex) == 0)
        sim_fail("P%u.%u unlocks a mutex that nobody has", sim.self->process->pid,
                 sim.self->number);
    *owner_of(mutex) = 0;
    sim_wake(SIM_ON_MUTEX, key_of(mutex), 64);
    SIM_POINT();
    return 0;
}
