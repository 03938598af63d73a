/* The calls of <pthread.h> that the library makes. Mutexes and conditions keep their state in the
 * memory that the library gives them, so that a fork copies it as it is. */
#include "sim.h"

#include "calls.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

/* What a program's own thread-local variables take from the stack of every thread, and what else a
 * thread needs. */
enum { PROGRAM_TLS = 9 * 1024, THREAD_NEEDS = 8 * 1024, USUAL_STACK = 8 << 20 };

char sim___libc_single_threaded;

struct attributes { /* in a pthread_attr_t */
    size_t stack;
    int detached;
};
_Static_assert(sizeof(struct attributes) <= sizeof(pthread_attr_t), "there is room for it");

int sim_pthread_attr_init(pthread_attr_t *attributes)
{
    *(struct attributes *)attributes = (struct attributes){.stack = USUAL_STACK};
    return 0;
}

int sim_pthread_attr_destroy(pthread_attr_t *attributes)
{
    (void)attributes;
    return 0;
}

int sim_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size)
{
    ((struct attributes *)attributes)->stack = size;
    return 0;
}

int sim_pthread_attr_setdetachstate(pthread_attr_t *attributes, int state)
{
    ((struct attributes *)attributes)->detached = state == PTHREAD_CREATE_DETACHED;
    return 0;
}

/* The library has at most one thread of its own, with enough stack, and with the program's signals
 * blocked. */
static void check_library_thread(const struct attributes *attributes)
{
    const struct sim_process *process = sim.self->process;
    unsigned others = 0;
    if (sim.many_threads)
        return;
    for (unsigned t = 0; t < SIM_THREADS; t++) {
        const struct sim_thread *thread = &process->thread[t];
        others += thread->library && (thread->state == SIM_READY || thread->state == SIM_BLOCKED);
    }
    if (others > 0)
        sim_fail("P%u: the library starts a second thread in one process", process->pid);
    if (attributes->stack < PROGRAM_TLS + THREAD_NEEDS)
        sim_crash("a thread of the library with a stack of %zu bytes overflows it, in a program "
                  "with %d bytes of thread-local variables",
                  attributes->stack, PROGRAM_TLS);
    if (!sim.self->signals_blocked)
        sim_fail("P%u: a thread of the library takes the program's signals", process->pid);
}

int sim_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                       void *argument)
{
    struct attributes usual = {.stack = USUAL_STACK};
    const struct attributes *chosen =
        attributes == NULL ? &usual : (const struct attributes *)attributes;
    sim_enter();
    check_library_thread(chosen);
    struct sim_thread *new = sim_new_thread(sim.self->process, start, argument);
    if (new == NULL)
        return EAGAIN;
    new->library = true;
    new->detached = chosen->detached != 0;
    new->signals_blocked = sim.self->signals_blocked;
    *thread = new->number + 1;
    sim_say("  the library starts thread %u", new->number);
    return 0;
}

int sim_pthread_join(pthread_t thread, void **result)
{
    struct sim_thread *joined = &sim.self->process->thread[thread - 1];
    sim_enter();
    sim_cancellation_point();
    while (joined->state == SIM_READY || joined->state == SIM_BLOCKED)
        sim_block(SIM_ON_JOIN, (uint64_t)sim.self->process->birth << 32 | (unsigned)thread,
                  SIM_FOREVER, false);
    if (joined->state != SIM_ENDED)
        return ESRCH;
    if (result != NULL)
        *result = joined->result;
    joined->state = SIM_NONE;
    return 0;
}

int sim_pthread_detach(pthread_t thread)
{
    struct sim_thread *detached = &sim.self->process->thread[thread - 1];
    detached->detached = true;
    if (detached->state == SIM_ENDED)
        detached->state = SIM_NONE;
    return 0;
}

pthread_t sim_pthread_self(void)
{
    return sim.self->number + 1;
}

int sim_pthread_setname_np(pthread_t thread, const char *name)
{
    (void)thread, (void)name;
    return 0;
}

/* All signals are one signal here. */
int sim_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    struct sim_thread *self = sim.self;
    if (before != NULL) {
        sigemptyset(before);
        if (self->signals_blocked)
            sigaddset(before, SIGALRM);
    }
    if (set == NULL)
        return 0;
    const bool named = sigismember(set, SIGALRM) == 1;
    if (how == SIG_SETMASK || named)
        self->signals_blocked = named && how != SIG_UNBLOCK;
    return 0;
}

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
    self->result = PTHREAD_CANCELED;
    sim_end_thread(self);
    sim_never();
}

void sim_cancellation_point(void)
{
    struct sim_thread *self = sim.self;
    if (self == NULL || !self->cancelled || self->cancel_disabled || self->unwinding)
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

void sim_pthread_testcancel(void)
{
    sim_cancellation_point();
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

/* ---- fork, keys, once ---- */

int sim_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    struct sim_process *process = sim.self->process;
    if (process->atforks == SIM_ATFORK)
        return ENOMEM;
    process->atfork[process->atforks].prepare = prepare;
    process->atfork[process->atforks].parent = parent;
    process->atfork[process->atforks++].child = child;
    return 0;
}

int sim___register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                          void *object)
{
    (void)object;
    return sim_pthread_atfork(prepare, parent, child);
}

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

int sim_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)attributes;
    memset(mutex, 0, sizeof *mutex);
    return 0;
}

int sim_pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

int sim_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    SIM_POINT();
    sim_reach(mutex, sizeof *mutex, true);
    if (*owner_of(mutex) != 0)
        return EBUSY;
    *owner_of(mutex) = sim.self->number + 1;
    return 0;
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

/* ---- conditions ---- */

int sim_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    (void)attributes;
    memset(condition, 0, sizeof *condition);
    return 0;
}

int sim_pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until)
{
    sim_cancellation_point();
    *owner_of(mutex) = 0;
    sim_wake(SIM_ON_MUTEX, key_of(mutex), 64);
    const enum sim_woken woken = sim_block(SIM_ON_MUTEX, key_of(condition), until, true);
    sim_pthread_mutex_lock(mutex);
    return woken == SIM_TIMED_OUT ? ETIMEDOUT : 0; /* a signal is a stray wake-up */
}

int sim_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_until(condition, mutex, SIM_FOREVER);
}

int sim_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                               const struct timespec *until)
{
    return wait_until(condition, mutex,
                      (uint64_t)until->tv_sec * SIM_SECOND + (uint64_t)until->tv_nsec);
}

int sim_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                               const struct timespec *until)
{
    (void)clock;
    return sim_pthread_cond_timedwait(condition, mutex, until);
}

int sim_pthread_cond_signal(pthread_cond_t *condition)
{
    SIM_POINT();
    sim_wake(SIM_ON_MUTEX, key_of(condition), 1);
    return 0;
}

int sim_pthread_cond_broadcast(pthread_cond_t *condition)
{
    SIM_POINT();
    sim_wake(SIM_ON_MUTEX, key_of(condition), 64);
    return 0;
}
