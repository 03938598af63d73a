#include "check/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/*
 * A piece of work is announced by counting `announced` up; a thread that has a part in it does it and
 * counts `done` up. Between pieces threads look at the counter for a while, since the next piece often
 * comes at once, and then sleep. One piece at a time: `taken` is held by whoever has announced it.
 */
enum { LOOKS = 4000 };

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
    for (unsigned look = 0; look < LOOKS; look++) {
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

/* The last one to be done wakes whoever waits for it. */
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

/* As many threads as are wanted, or as can be had. */
static unsigned hire_up_to(unsigned threads)
{
    if (crew.process != getpid()) {
        crew.process = getpid();
        atomic_store(&crew.hired, 0);
    }
    unsigned hired = atomic_load(&crew.hired);
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
    for (unsigned look = 0; look < LOOKS; look++) {
        if (atomic_load_explicit(&crew.done, memory_order_acquire) == parts)
            return;
        look_again();
    }
    pthread_mutex_lock(&crew.lock);
    while (atomic_load(&crew.done) < parts)
        pthread_cond_wait(&crew.finished, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

/* ---- from inside other work: threads of its own, for this once ---- */

struct part {
    void (*work)(void *context, unsigned thread);
    void *context;
    unsigned thread;
};

static void *do_part(void *argument)
{
    const struct part *part = argument;
    inside = true;
    part->work(part->context, part->thread);
    return NULL;
}

static void work_apart(unsigned threads, void (*work)(void *context, unsigned thread),
                       void *context)
{
    struct part part[CHECK_MAX_THREADS];
    pthread_t id[CHECK_MAX_THREADS];
    bool started[CHECK_MAX_THREADS];
    for (unsigned t = 1; t < threads; t++) {
        part[t] = (struct part){work, context, t};
        started[t] = pthread_create(&id[t], NULL, do_part, &part[t]) == 0;
    }
    work(context, 0);
    for (unsigned t = 1; t < threads; t++) {
        if (started[t])
            pthread_join(id[t], NULL);
        else
            work(context, t);
    }
}

/* ---- */

void check_parallel(unsigned threads, void (*work)(void *context, unsigned thread), void *context)
{
    if (inside) {
        work_apart(threads, work, context);
        return;
    }
    unsigned with = 1;
    const bool mine = threads > 1 && !atomic_exchange(&crew.taken, true);
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
    inside = false;
    if (with > 1)
        wait_until_done(atomic_load(&crew.hired));
    if (mine)
        atomic_store(&crew.taken, false);
}

struct blocks {
    uint64_t count;
    bool down;
    void (*work)(void *context, uint64_t first, uint64_t last);
    void *context;
    _Atomic(uint64_t) taken;
};

static void work_on_blocks(void *context, unsigned thread)
{
    struct blocks *blocks = context;
    const uint64_t all = (blocks->count + CHECK_BLOCK - 1) / CHECK_BLOCK;
    (void)thread;
    for (uint64_t taken; (taken = atomic_fetch_add(&blocks->taken, 1)) < all;) {
        const uint64_t first = (blocks->down ? all - 1 - taken : taken) * CHECK_BLOCK;
        const uint64_t last =
            first + CHECK_BLOCK < blocks->count ? first + CHECK_BLOCK : blocks->count;
        blocks->work(blocks->context, first, last);
    }
}

void check_parallel_blocks(unsigned threads, uint64_t count, bool down,
                           void (*work)(void *context, uint64_t first, uint64_t last),
                           void *context)
{
    struct blocks blocks = {.count = count, .down = down, .work = work, .context = context};
    check_parallel(count < check_worth_threads ? 1 : threads, work_on_blocks, &blocks);
}
