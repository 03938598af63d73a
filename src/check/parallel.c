#include "check/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/*
 * A piece of work is announced by counting `announced` up; a thread that has a part in it does it
 * and counts `done` up. Between pieces threads look at the counter for a while, since the next
 * piece often comes at once, and then sleep. Where there are more threads than cores they sleep at
 * once: one that looks would keep a core from one that works. One piece at a time: `taken` is held
 * by the thread that has announced it.
 */
enum { LOOKS = 10000 };
static _Atomic(unsigned) looks = LOOKS;

uint64_t check_worth_threads = 1 << 18;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
static struct crew {
    pthread_mutex_t lock;
    pthread_cond_t more, finished;
    _Atomic(bool) taken;
    _Atomic(unsigned) hired; /* threads that exist, numbered from 1 */
    pid_t process;           /* whose they are: a child of it has none */
    _Alignas(CHECK_LINE) _Atomic(unsigned long) announced;
    unsigned threads; /* with a part in what was announced last */
    void (*work)(void *context, unsigned thread);
    void *context;
    _Alignas(CHECK_LINE) _Atomic(unsigned) done;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .more = PTHREAD_COND_INITIALIZER,
          .finished = PTHREAD_COND_INITIALIZER};

static _Thread_local bool inside; /* this thread is at work */

struct hire {
    unsigned thread;
    unsigned long seen; /* pieces announced before it came */
};

static inline void look_again(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static unsigned long wait_for_more(unsigned long seen)
{
    const unsigned most = atomic_load_explicit(&looks, memory_order_relaxed);
    for (unsigned look = 0; look < most; look++) {
        if (atomic_load_explicit(&crew.announced, memory_order_acquire) != seen)
            return seen + 1;
        look_again();
    }
    pthread_mutex_lock(&crew.lock);
    while (atomic_load(&crew.announced) == seen)
        pthread_cond_wait(&crew.more, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
    return seen + 1;
}

/* The last one to be done wakes the thread that waits for it. */
static void report_done(unsigned parts)
{
    if (atomic_fetch_add(&crew.done, 1) + 1 < parts)
        return;
    pthread_mutex_lock(&crew.lock);
    pthread_cond_signal(&crew.finished);
    pthread_mutex_unlock(&crew.lock);
}

static struct hire hires[CHECK_MAX_THREADS];

static void *stand_by(void *argument)
{
    const struct hire *hire = argument;
    unsigned long seen = hire->seen;
    inside = true;
    for (;;) {
        seen = wait_for_more(seen);
        /* Nothing else is announced before this thread has reported, so nothing here changes. */
        const unsigned threads = crew.threads;
        if (hire->thread < threads)
            crew.work(crew.context, hire->thread);
        report_done(atomic_load(&crew.hired));
    }
    return NULL;
}

/* As many threads as are wanted, or as can be created. */
static unsigned hire_up_to(unsigned threads)
{
    if (crew.process != getpid()) {
        crew.process = getpid();
        atomic_store(&crew.hired, 0);
    }
    unsigned hired = atomic_load(&crew.hired);
    if (hired + 1 < threads)
        atomic_store(&looks, (long)threads > sysconf(_SC_NPROCESSORS_ONLN) ? 0 : LOOKS);
    while (hired + 1 < threads) {
        pthread_t id;
        pthread_attr_t attributes;
        struct hire *hire = &hires[hired + 1];
        *hire = (struct hire){hired + 1, atomic_load(&crew.announced)};
        if (pthread_attr_init(&attributes) != 0)
            break;
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        const int failed = pthread_create(&id, &attributes, stand_by, hire);
        pthread_attr_destroy(&attributes);
        if (failed != 0)
            break;
        atomic_store(&crew.hired, ++hired);
    }
    return hired + 1 < threads ? hired + 1 : threads;
}

static void wait_until_done(unsigned parts)
{
    const unsigned most = atomic_load_explicit(&looks, memory_order_relaxed);
    for (unsigned look = 0; look < most; look++) {
        if (atomic_load_explicit(&crew.done, memory_order_acquire) == parts)
            return;
        look_again();
    }
    pthread_mutex_lock(&crew.lock);
    while (atomic_load(&crew.done) < parts)
        pthread_cond_wait(&crew.finished, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

void check_parallel(unsigned threads, void (*work)(void *context, unsigned thread), void *context)
{
    unsigned with = 1;
    const bool outermost = !inside;
    const bool mine = outermost && threads > 1 && !atomic_exchange(&crew.taken, true);
    if (mine)
        with = hire_up_to(threads);
    if (with > 1) {
        crew.work = work;
        crew.context = context;
        crew.threads = with;
        atomic_store(&crew.done, 0);
        pthread_mutex_lock(&crew.lock);
        atomic_fetch_add(&crew.announced, 1);
        pthread_cond_broadcast(&crew.more);
        pthread_mutex_unlock(&crew.lock);
    }
    inside = true;
    work(context, 0);
    for (unsigned t = with; t < threads; t++)
        work(context, t);
    inside = !outermost;
    if (with > 1)
        wait_until_done(atomic_load(&crew.hired));
    if (mine)
        atomic_store(&crew.taken, false);
}

/* ---- pieces that any thread may take ---- */

/*
 * Pieces are taken one by one. A thread that has finished its own takes some of those that others
 * have offered from inside their work, until all have finished: so all threads share what is left
 * at the end.
 */
struct offer {
    uint64_t count;
    void (*work)(void *context, uint64_t piece);
    void *context;
    _Atomic(uint64_t) taken;
    unsigned helpers; /* others that are at work on it */
    struct offer *next;
};

static struct exchange {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct offer *first;
    unsigned busy; /* threads with pieces of their own */
} exchange = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void take_pieces(struct offer *offer)
{
    for (uint64_t piece; (piece = atomic_fetch_add(&offer->taken, 1)) < offer->count;)
        offer->work(offer->context, piece);
}

/* An offer of which something is left; the lock is held. */
static struct offer *find_offer(void)
{
    struct offer *offer = exchange.first;
    while (offer != NULL && atomic_load(&offer->taken) >= offer->count)
        offer = offer->next;
    return offer;
}

/* Helps the others until they are through as well. */
static void help_others(void)
{
    pthread_mutex_lock(&exchange.lock);
    if (--exchange.busy == 0)
        pthread_cond_broadcast(&exchange.changed);
    while (exchange.busy > 0) {
        struct offer *offer = find_offer();
        if (offer == NULL) {
            pthread_cond_wait(&exchange.changed, &exchange.lock);
            continue;
        }
        offer->helpers++;
        pthread_mutex_unlock(&exchange.lock);
        take_pieces(offer);
        pthread_mutex_lock(&exchange.lock);
        if (--offer->helpers == 0)
            pthread_cond_broadcast(&exchange.changed);
    }
    pthread_mutex_unlock(&exchange.lock);
}

static void take_and_help(void *context, unsigned thread)
{
    (void)thread;
    pthread_mutex_lock(&exchange.lock);
    exchange.busy++;
    pthread_mutex_unlock(&exchange.lock);
    take_pieces(context);
    help_others();
}

/* From inside other work: a thread that has nothing to do comes and helps. */
static void take_and_offer(struct offer *offer)
{
    pthread_mutex_lock(&exchange.lock);
    offer->next = exchange.first;
    exchange.first = offer;
    pthread_cond_broadcast(&exchange.changed);
    pthread_mutex_unlock(&exchange.lock);
    take_pieces(offer);
    pthread_mutex_lock(&exchange.lock);
    struct offer **link = &exchange.first;
    while (*link != offer)
        link = &(*link)->next;
    *link = offer->next;
    while (offer->helpers > 0)
        pthread_cond_wait(&exchange.changed, &exchange.lock);
    pthread_mutex_unlock(&exchange.lock);
}

void check_share(unsigned threads, uint64_t count, void (*work)(void *context, uint64_t piece),
                 void *context)
{
    struct offer offer = {.count = count, .work = work, .context = context};
    if (threads < 2 || count < 2)
        take_pieces(&offer);
    else if (inside)
        take_and_offer(&offer);
    else
        check_parallel(threads, take_and_help, &offer);
}

struct blocks {
    uint64_t count, last; /* block */
    bool down;
    void (*work)(void *context, uint64_t first, uint64_t last);
    void *context;
};

static void work_on_block(void *context, uint64_t piece)
{
    const struct blocks *blocks = context;
    const uint64_t first = (blocks->down ? blocks->last - piece : piece) * CHECK_BLOCK;
    const uint64_t left = blocks->count - first;
    blocks->work(blocks->context, first, first + (left < CHECK_BLOCK ? left : CHECK_BLOCK));
}

void check_parallel_blocks(unsigned threads, uint64_t count, bool down,
                           void (*work)(void *context, uint64_t first, uint64_t last),
                           void *context)
{
    const uint64_t all = (count + CHECK_BLOCK - 1) / CHECK_BLOCK;
    struct blocks blocks = {count, all - 1, down, work, context};
    check_share(count < check_worth_threads ? 1 : threads, all, work_on_block, &blocks);
}
