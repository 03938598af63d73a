/* The native expansion of the pool protocol, on a mapped file. */
#include "pool/queue.h"

#include "os/clock.h"
#include "os/futex.h"
#include "pool/loan.h"
#include "os/threads.h"
#include "pool/pause.h"
#include "pool/reason.h"
#include "pool/words.h"
#include "step/params.h"

#include <errno.h>
#include <pthread.h>

/* One call of the library. The protocol's sections get a pointer to `params`. */
struct call {
    struct step_params params; /* first; l is how many slots are looked at */
    struct pause pause;
};

static unsigned wanted_slots(const struct pool_file *file)
{
    const uint64_t wanted = atomic_load(&file->control->target);
    return wanted < BERTH_MAX_SLOTS ? (unsigned)wanted : BERTH_MAX_SLOTS;
}

/* A wait that a thread is cancelled in. */
struct wait {
    struct call *call;
    const struct pool_words *words;
    uint64_t ticket;
};

static void give_up(void *context);

static void sleep_in_line(struct wait wait, _Atomic(uint64_t) *entry, uint64_t asleep,
                          const struct timespec *until)
{
    if (os_is_single_threaded()) { /* there is no other thread that could cancel it */
        os_futex_sleep(entry, (uint32_t)asleep, until);
        return;
    }
    pthread_cleanup_push(give_up, &wait);
    os_futex_sleep_cancellably(entry, (uint32_t)asleep, until);
    pthread_cleanup_pop(0);
}

static void call_pause(struct call *call, const struct pool_words *words, _Atomic(uint64_t) *entry,
                       uint64_t ticket, uint64_t asleep)
{
    struct timespec until;
    if (pause_plan(&call->pause, words, ticket, &until))
        sleep_in_line((struct wait){call, words, ticket}, entry, asleep, &until);
    call->params.l = wanted_slots(words->file);
}

static void call_pause_at_door(struct call *call, const struct pool_words *words)
{
    pause_at_door(&call->pause, words);
    call->params.l = wanted_slots(words->file);
}

/* What the protocol asks of its surroundings. */
#define STEP_NATIVE
#define STEP_EMBEDDED
#define STEP_OWN_SHARED
#define step_shared pool_words
#define T control->draw
#define A control->admission
#define target control->target
#define STEP_ALIVE(p) /* the holder of the slot, or a process that has borrowed it */              \
    ((p) == step_me || pool_seat_alive(shared->file, (unsigned)(p)) ||                             \
     loan_keeps(shared->file, (unsigned)slot_no) ||                                                \
     loan_works_in(shared->queue, (unsigned)slot_no))
#define CALL_OF(params) ((struct call *)(uintptr_t)(params))
#define STEP_KNOWN(ticket)                                                                         \
    (atomic_load_explicit(&shared->queue->written, memory_order_acquire) == (ticket))
#define STEP_MAY_resize false
#define STEP_MAY_leave (CALL_OF(params)->pause.none)
#define STEP_MAY_give_up (CALL_OF(params)->pause.expired)
#define STEP_DUE_sleep (CALL_OF(params)->pause.sleeps)
#define STEP_DUE_look (CALL_OF(params)->pause.look)
#define STEP_PAUSE(cell)                                                                           \
    call_pause(CALL_OF(params), shared, cell, ticket, ENTRY_OF(ticket, ASLEEP, ME))
#define STEP_PAUSE_AT_DOOR call_pause_at_door(CALL_OF(params), shared)
#define STEP_WAKE(cell) os_futex_wake(cell)
#include "protocol/pool/pool.c"

static struct pool_words words_of(struct queue *queue)
{
    struct pool_words words = pool_words_of(&queue->file);
    words.queue = queue;
    return words;
}

/* A call that does not wait, and looks at every slot. */
static const struct call at_once = {.params = {.n = 1, .l = BERTH_MAX_SLOTS}};
#define all_slots (at_once.params)

void queue_initialise(struct pool_file *file, unsigned slots)
{
    const struct step_params params = {.n = 1, .l = slots};
    struct pool_words words = pool_words_of(file), *shared = &words;
    for (unsigned j = slots; j < BERTH_MAX_SLOTS; j++)
        atomic_store(&file->slot[j], HOLDER((uint64_t)0, NOBODY));
    step_set_initial(&params, shared);
}

int queue_sweep(struct queue *queue)
{
    struct pool_words words = words_of(queue);
    struct step_local my = {0};
    step_revival(&words, &my, &all_slots, queue->seat);
    return my.broken ? pool_is_damaged(&queue->file) : 0;
}

int queue_resize(struct queue *queue, unsigned slots)
{
    const struct call call = {.params = {.n = 1, .l = slots}};
    struct pool_words words = words_of(queue);
    struct step_local my = {.slot_no = slots};
    resize(&words, &my, &call.params, queue->seat);
    return my.broken ? pool_is_damaged(&queue->file) : 0;
}

unsigned queue_slots(const struct queue *queue)
{
    return wanted_slots(&queue->file);
}

/* When a slot was taken is known to the millisecond, for the ticket with these low bits. A handle
 * that asks for it pays for it: reading the clock costs more than taking a free slot. */
static __attribute__((noinline)) int stamp(struct queue *queue, uint64_t ticket, uint64_t slot)
{
    const uint64_t now = os_now(CLOCK_REALTIME_COARSE) / OS_MILLISECOND;
    atomic_store_explicit(&queue->file.since[slot & (BERTH_MAX_SLOTS - 1)], pool_stamp(now, ticket),
                          memory_order_relaxed);
    return 0;
}

/* `written`: whatever the protocol has to write down of this ticket has been. */
static inline void granted(struct queue *queue, uint64_t ticket, uint64_t slot, berth_grant *grant)
{
    atomic_store_explicit(&queue->written, ticket, memory_order_release);
    atomic_store_explicit(&queue->held[slot & (BERTH_MAX_SLOTS - 1)], ticket, memory_order_relaxed);
    grant->token = queue->file.token_base + ticket;
    grant->slot = (unsigned)slot;
    grant->seat = queue->seat;
    grant->ticket = ticket;
}

/* How far a call has come that goes on elsewhere: small enough to be handed over in registers, so
 * that a release with nothing to hand over needs no memory at all. */
struct begun {
    uint64_t value; /* the ticket; or the admission of a slot that was handed on */
    uint32_t slot;
    uint8_t outcome;
    bool broken;
};

/* Not inlined: the compiler would split `begun` into its members. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

static inline struct begun begun_of(const struct step_local *my, uint64_t value)
{
    return (struct begun){value, (uint32_t)my->slot_no, (uint8_t)my->outcome, my->broken};
}

/* The waiting room. */
static enum step_way wait_in_line(struct call *call, struct pool_words *words,
                                  struct step_local *my)
{
    pause_begin(&call->pause, words, my->ticket);
    const enum step_way way = step_entry(words, my, &call->params, words->queue->seat);
    if (way == STEP_ON && !my->broken)
        pause_tell_next(&call->pause, words, my->ticket);
    return way;
}

static struct call call_of(const struct queue *queue, const struct store_patience *patience)
{
    struct call call = {.params = {.n = 1, .l = wanted_slots(&queue->file)}};
    call.pause.none = patience->none;
    call.pause.instead = patience->instead;
    call.pause.context = patience->context;
    call.pause.stop = patience->stop;
    call.pause.deadline =
        patience->deadline != NULL ? os_nanoseconds(patience->deadline) : UINT64_MAX;
    return call;
}

/* The doorway, after what take_free made of it. */
static enum step_way get_in_line(struct call *call, struct pool_words *words, struct step_local *my)
{
    if (my->outcome == UNWANTED)
        withdraw(words, my, &call->params, words->queue->seat);
    if (my->outcome == HAS_TO_WAIT || my->broken)
        return STEP_ON;
    *my = (struct step_local){0};
    return step_doorway(words, my, &call->params, words->queue->seat);
}

/* A call that fails leaves nothing behind: its ticket is given up, or the slot that it has got. */
static void abandon(struct pool_words *words, uint64_t ticket)
{
    struct queue *queue = words->queue;
    struct call call = {.params = {.n = 1, .l = wanted_slots(&queue->file)},
                        .pause = {.expired = true}};
    struct step_local my = {.ticket = ticket};
    berth_grant grant;
    if (step_entry(words, &my, &call.params, queue->seat) == STEP_ON && !my.broken) {
        granted(queue, my.ticket, my.slot_no, &grant);
        queue_release(queue, &grant);
    }
}

static void give_up(void *context)
{
    const struct wait *wait = context;
    struct pool_words words = *wait->words;
    abandon(&words, wait->ticket);
}

static int cannot_wait(const struct queue *queue, int why)
{
    const char *name = queue->file.name;
    switch (why) {
    case EIDRM: return pool_fail(why, "the file of the pool %s has been deleted", name);
    case ECANCELED: return pool_fail(why, "pool %s: the wait was stopped", name);
    case EBADF: return pool_fail(why, "the program has closed the descriptor of the pool %s", name);
    default: return why; /* the caller knows */
    }
}

/* What came of a call, whichever way it went. */
static int conclude(struct pool_words *words, const struct call *call, const struct step_local *my,
                    enum step_way way, berth_grant *grant)
{
    struct queue *queue = words->queue;
    if (my->broken) {
        if (my->ticket != 0)
            abandon(words, my->ticket);
        return pool_is_damaged(&queue->file);
    }
    if (way == STEP_TO_REMAINDER && call->pause.why != 0)
        return cannot_wait(queue, call->pause.why);
    if (way == STEP_TO_REMAINDER)
        return call->pause.none ? EBUSY : ETIMEDOUT;
    granted(queue, my->ticket, my->slot_no, grant);
    if (atomic_load_explicit(&queue->file.control->removed, memory_order_relaxed) != 0) {
        queue_release(queue, grant);
        return cannot_wait(queue, EIDRM);
    }
    return queue->timed || call->pause.has_looked ? stamp(queue, my->ticket, my->slot_no) : 0;
}

/* Whatever is not a free slot at first sight. */
static APART int acquire_slowly(struct queue *queue, const struct store_patience *patience,
                                berth_grant *grant, struct begun begun)
{
    struct call call = call_of(queue, patience);
    struct pool_words words = words_of(queue);
    struct step_local my = {.ticket = begun.value,
                            .slot_no = begun.slot,
                            .outcome = begun.outcome,
                            .broken = begun.broken};
    enum step_way way = get_in_line(&call, &words, &my);
    call.pause.expired = patience->none;
    if (way == STEP_ON && !my.broken)
        way = wait_in_line(&call, &words, &my);
    return conclude(&words, &call, &my, way, grant);
}

int queue_draw(struct queue *queue, const struct store_patience *patience, berth_grant *grant)
{
    struct call call = call_of(queue, patience);
    struct pool_words words = words_of(queue);
    struct step_local my = {0};
    enum step_way way = STEP_TO_CRITICAL;
    take_free(&words, &my, &all_slots, queue->seat);
    if (my.outcome != IS_MINE || my.broken)
        way = get_in_line(&call, &words, &my);
    if (way != STEP_ON || my.broken)
        return conclude(&words, &call, &my, way, grant);
    *grant = (berth_grant){.slot = QUEUE_NO_SLOT, .seat = queue->seat, .ticket = my.ticket};
    return 0;
}

int queue_wait(struct queue *queue, const struct store_patience *patience,
               const struct queue_need *need, berth_grant *grant)
{
    if (grant->slot != QUEUE_NO_SLOT)
        return 0;
    struct call call = call_of(queue, patience);
    call.pause.need = need;
    struct pool_words words = words_of(queue);
    struct step_local my = {.ticket = grant->ticket};
    call.pause.expired = patience->none;
    grant->ticket = 0;
    const enum step_way way = wait_in_line(&call, &words, &my);
    return conclude(&words, &call, &my, way, grant);
}

/* Also where the pool's file is gone: then everything is given back as ever, and that is said. */
static APART int release_slowly(struct queue *queue, struct begun begun)
{
    struct pool_words words = words_of(queue);
    struct step_local my = {
        .slot_no = begun.slot, .outcome = begun.outcome, .broken = begun.broken};
    *(begun.outcome == HANDED_ON ? &my.admission : &my.ticket) = begun.value;
    if (!my.broken)
        give_on(&words, &my, &all_slots, queue->seat);
    if (my.broken)
        return pool_is_damaged(&queue->file);
    return atomic_load(&queue->file.control->removed) == 0 ? 0 : cannot_wait(queue, EIDRM);
}

/* Most pools have the default number of seats; the compiler then knows all widths. The code is the
 * same, and is there twice. */
static inline bool usual_widths(const struct queue *queue)
{
    return __builtin_expect(queue->file.geometry.seat_bits == POOL_USUAL_SEAT_BITS &&
                                queue->file.geometry.ring_bits == POOL_USUAL_RING_BITS,
                            1);
}

static inline struct pool_words usual_words(struct queue *queue)
{
    struct pool_words words = words_of(queue);
    words.seat_bits = POOL_USUAL_SEAT_BITS;
    words.ring_bits = POOL_USUAL_RING_BITS;
    return words;
}

static inline __attribute__((always_inline)) int
acquire_with(struct pool_words words, const struct store_patience *patience, berth_grant *grant)
{
    struct queue *queue = words.queue;
    struct step_local my = {0};
    take_free(&words, &my, &all_slots, queue->seat);
    if (__builtin_expect(my.outcome != IS_MINE || my.broken, 0))
        return acquire_slowly(queue, patience, grant, begun_of(&my, my.ticket));
    granted(queue, my.ticket, my.slot_no, grant);
    return __builtin_expect(queue->timed, 0) ? stamp(queue, my.ticket, my.slot_no) : 0;
}

static __attribute__((noinline)) int
acquire_unusual(struct queue *queue, const struct store_patience *patience, berth_grant *grant)
{
    return acquire_with(words_of(queue), patience, grant);
}

/* Taking a free slot keeps everything of this function in registers. */
int queue_acquire(struct queue *queue, const struct store_patience *patience, berth_grant *grant)
{
    return usual_widths(queue) ? acquire_with(usual_words(queue), patience, grant)
                               : acquire_unusual(queue, patience, grant);
}

static inline __attribute__((always_inline)) int release_with(struct pool_words words,
                                                              const berth_grant *grant)
{
    struct step_local my = {.ticket = grant->ticket, .slot_no = grant->slot};
    give_back(&words, &my, &all_slots, words.queue->seat);
    if (__builtin_expect(my.outcome == IS_FREE && !my.broken, 1))
        return __builtin_expect(
                   atomic_load_explicit(&words.control->removed, memory_order_relaxed) == 0, 1)
                   ? 0
                   : cannot_wait(words.queue, EIDRM);
    return release_slowly(words.queue,
                          begun_of(&my, my.outcome == HANDED_ON ? my.admission : my.ticket));
}

static __attribute__((noinline)) int release_unusual(struct queue *queue, const berth_grant *grant)
{
    return release_with(words_of(queue), grant);
}

int queue_does_not_hold(const struct queue *queue, unsigned slot)
{
    return pool_fail(EPERM, "pool %s: this handle does not hold slot %u with that token",
                     queue->file.name, slot);
}

/* If several threads release one grant, only one of them succeeds. */
static inline bool claim(struct queue *queue, const berth_grant *grant)
{
    _Atomic(uint64_t) *const held = &queue->held[grant->slot];
    uint64_t ticket = grant->ticket;
    if (!os_is_single_threaded())
        return atomic_compare_exchange_strong(held, &ticket, 0);
    if (atomic_load_explicit(held, memory_order_relaxed) != ticket)
        return false;
    atomic_store_explicit(held, 0, memory_order_relaxed);
    return true;
}

bool queue_claim(struct queue *queue, const berth_grant *grant)
{
    return grant->slot < BERTH_MAX_SLOTS && grant->seat == queue->seat && grant->ticket != 0 &&
           claim(queue, grant);
}

int queue_release(struct queue *queue, const berth_grant *grant)
{
    if (__builtin_expect(grant->slot >= BERTH_MAX_SLOTS || grant->seat != queue->seat ||
                             grant->ticket == 0 || !claim(queue, grant),
                         0))
        return queue_does_not_hold(queue, grant->slot);
    return usual_widths(queue) ? release_with(usual_words(queue), grant)
                               : release_unusual(queue, grant);
}

void queue_interrupt(struct queue *queue)
{
    const struct pool_words words = words_of(queue);
    pause_interrupt(&words, queue->seat);
}

bool queue_holds(struct queue *queue, const berth_grant *grant)
{
    return grant->slot < BERTH_MAX_SLOTS && grant->seat == queue->seat && grant->ticket != 0 &&
           atomic_load(&queue->held[grant->slot]) == grant->ticket;
}
