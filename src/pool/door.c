/* The native expansion of the door protocol, on a mapped file. */
#include "pool/door.h"

#include "os/clock.h"
#include "os/futex.h"
#include "pool/reason.h"
#include "pool/words.h"
#include "step/params.h"

#include <errno.h>
#include <sched.h>

/* A call behind a door draws a few tickets there, which takes microseconds, unless it is stopped.
 * In nanoseconds: how long to sleep until it is looked at again whether it lives. */
enum { YIELDS = 20, FIRST_PAUSE = 50 * 1000, LAST_PAUSE = 5 * OS_MILLISECOND };

/* The protocol's sections get a pointer to `params`. */
struct door_call {
    struct step_params params; /* first */
    uint64_t deadline, pause;
    unsigned rounds;
    int why; /* it gives up; or 0 */
};

static int cannot_go_on(const struct pool_file *file, uint64_t now, uint64_t deadline)
{
    if (!pool_file_is_ours(file))
        return EBADF;
    if (atomic_load(&file->control->removed) != 0 || pool_file_is_gone(file))
        return EIDRM;
    return now >= deadline ? ETIMEDOUT : 0;
}

/* A process that has ended is not behind the door, even if a child that it forked keeps its
 * seat. */
static bool is_alive(const struct pool_file *file, unsigned seat)
{
    return pool_seat_alive(file, seat) && !pool_seat_is_orphaned(file, seat);
}

static void pause_at(struct door_call *call, const struct pool_words *words,
                     _Atomic(uint64_t) *door)
{
    if (call->rounds++ < YIELDS) {
        sched_yield();
        return;
    }
    const uint64_t now = os_now(CLOCK_MONOTONIC), until = now + call->pause;
    call->why = cannot_go_on(words->file, now, call->deadline);
    if (call->why != 0)
        return;
    const struct timespec wake_up = os_timespec(until < call->deadline ? until : call->deadline);
    call->pause = 2 * call->pause < LAST_PAUSE ? 2 * call->pause : LAST_PAUSE;
    const uint64_t seen = atomic_load(door);
    if (seen != 0)
        os_futex_sleep_cancellably(door, (uint32_t)seen, &wake_up);
}

/* What the protocol asks of its surroundings. */
#define STEP_NATIVE
#define STEP_EMBEDDED
#define STEP_OWN_SHARED
#define step_shared pool_words
#define door control->door
#define CALL_OF(params) ((struct door_call *)(uintptr_t)(params))
#define STEP_ALIVE(p) ((p) == step_me || is_alive(shared->file, (unsigned)(p)))
#define STEP_MAY_give_up (CALL_OF(params)->why != 0)
#define STEP_PAUSE(cell) pause_at(CALL_OF(params), shared, cell)
#define STEP_WAKE(cell) os_futex_wake(cell)
#include "protocol/pool/door.c"
#undef door

static int refuse(const struct pool_file *file, int why)
{
    switch (why) {
    case ETIMEDOUT:
        return pool_fail(why,
                         "pool %s: the process that draws for several pools did not finish "
                         "in time",
                         file->name);
    case EIDRM: return pool_fail(why, "the file of the pool %s has been deleted", file->name);
    default:
        return pool_fail(why, "the program has closed the descriptor of the pool %s", file->name);
    }
}

int door_enter(struct queue *queue, uint64_t deadline)
{
    struct door_call call = {
        .params = {.n = 1, .l = 1}, .deadline = deadline, .pause = FIRST_PAUSE};
    struct pool_words words = pool_words_of(&queue->file);
    struct step_local my = {0};
    return step_entry(&words, &my, &call.params, queue->seat) == STEP_TO_REMAINDER
               ? refuse(&queue->file, call.why)
               : 0;
}

void door_leave(struct queue *queue)
{
    const struct door_call call = {.params = {.n = 1, .l = 1}};
    struct pool_words words = pool_words_of(&queue->file);
    struct step_local my = {0};
    step_exit(&words, &my, &call.params, queue->seat);
}

void door_sweep(struct queue *queue)
{
    const struct door_call call = {.params = {.n = 1, .l = 1}};
    struct pool_words words = pool_words_of(&queue->file);
    struct step_local my = {0};
    step_revival(&words, &my, &call.params, queue->seat);
}

int door_compare(const struct queue *one, const struct queue *other)
{
    const struct pool_file *a = &one->file, *b = &other->file;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->inode == b->inode ? 0 : a->inode < b->inode ? -1 : 1;
}
