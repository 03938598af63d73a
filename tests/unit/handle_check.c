#include "handle_check.h"

#include "pool/bits.h"
#include "pool/handle.h"
#include "pool/loan.h"
#include "pool_support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { POOLS = 8 };

struct handle_check {
    const char *what;
    size_t count;
    struct {
        berth_pool *pool;
        long had, gains; /* slots, before the call, and by it if it succeeds */
        unsigned calls;  /* of this handle that had begun by then */
    } at[POOLS];
};

/* Of each handle that was ever seen: how many calls have begun with it, and how many go on. */
static struct {
    berth_pool *pool;
    unsigned begun, going_on;
} handles[1024];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Of calls in a child made by fork nothing is known. */
static bool is_usable(const berth_pool *pool)
{
    return pool != NULL && *pool->mine == HERE;
}

static size_t find(berth_pool *pool)
{
    size_t i = 0;
    while (i < sizeof handles / sizeof handles[0] - 1 && handles[i].pool != NULL &&
           handles[i].pool != pool)
        i++;
    handles[i].pool = pool;
    return i;
}

/* Slots that the handle holds, lends, or has borrowed. */
static long count_slots(berth_pool *pool, long *loans)
{
    long held = 0;
    *loans = 0;
    for (unsigned j = 0; j < BERTH_MAX_SLOTS; j++)
        held += atomic_load(&pool->queue.held[j]) != 0;
    loan_lock_list(&pool->queue);
    for (const struct loan *at = pool->queue.loans; at != NULL; at = at->next)
        *loans += 1;
    loan_unlock_list(&pool->queue);
    return held + *loans;
}

/* Tickets of this seat that still wait. */
static unsigned count_places(berth_pool *pool)
{
    const struct pool_words words = pool_words_of(&pool->queue.file), *shared = &words;
    const word admit = bits_admit(shared), tail = bits_tail(shared);
    unsigned places = 0;
    for (word ticket = admit; ticket < tail && ticket < admit + RING; ticket++) {
        const word e = bits_entry(shared, ticket);
        const word kind = KIND(e, ticket);
        places +=
            (kind == WAITS || kind == ASLEEP || kind == BOUND) && VALUE(e) == pool->queue.seat;
    }
    return places;
}

/* Locks that the kernel keeps for the handle's own open file; -1: it does not tell. */
static long count_locks(const berth_pool *pool)
{
    char path[64], line[256];
    long locks = 0;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pool->queue.file.fd);
    FILE *in = fopen(path, "re");
    if (in == NULL || !pool_file_is_ours(&pool->queue.file)) {
        if (in != NULL)
            fclose(in);
        return -1;
    }
    while (fgets(line, sizeof line, in) != NULL)
        locks += strncmp(line, "lock:", 5) == 0;
    fclose(in);
    return locks;
}

static void add_pool(struct handle_check *check, berth_pool *pool, long gains)
{
    long loans;
    for (size_t i = 0; i < check->count; i++) {
        if (check->at[i].pool == pool) {
            check->at[i].gains += gains;
            return;
        }
    }
    if (!is_usable(pool) || check->count == POOLS)
        return;
    pthread_mutex_lock(&mutex);
    const size_t handle = find(pool);
    const bool alone = handles[handle].going_on++ == 0;
    handles[handle].begun++;
    check->at[check->count].pool = pool;
    check->at[check->count].gains = gains;
    check->at[check->count].calls = alone ? handles[handle].begun : 0;
    check->at[check->count++].had = count_slots(pool, &loans);
    pthread_mutex_unlock(&mutex);
}

static void add_wants(struct handle_check *check, const berth_want *wants, size_t count, long sign)
{
    for (size_t i = 0; wants != NULL && i < count && i < BERTH_MAX_WANTS; i++)
        add_pool(check, wants[i].pool, sign * (long)wants[i].slots);
}

/* What is wrong with the handle; false: nothing. */
static bool is_wrong(const struct handle_check *check, size_t i, long gained, char text[256])
{
    berth_pool *pool = check->at[i].pool;
    long loans = 0;
    if (!is_usable(pool))
        return false;
    const long has = count_slots(pool, &loans), expected = check->at[i].had + gained;
    const unsigned places = gained == 0 ? count_places(pool) : 0;
    const long locks = gained == 0 ? count_locks(pool) : -1;
    snprintf(text, 256,
             "%s: the handle has %ld slots, not %ld; %u places in line; %ld locks, not %ld",
             check->what, has, expected, places, locks, 1 + loans);
    return has != expected || places != 0 || (locks >= 0 && locks != 1 + loans);
}

/* A thread that is about to be cancelled is not cancelled here. */
static bool look(struct handle_check *check, bool succeeded, char text[256])
{
    bool wrong = false;
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < check->count; i++) {
        const size_t handle = find(check->at[i].pool);
        const bool alone = handles[handle].begun == check->at[i].calls;
        handles[handle].going_on--;
        if (alone && !wrong)
            wrong = is_wrong(check, i, succeeded ? check->at[i].gains : 0, text);
    }
    pthread_mutex_unlock(&mutex);
    pthread_setcancelstate(before, NULL);
    return wrong;
}

/* Fails the test where the handle is not as it has to be. */
static void end_check(struct handle_check *check, int error)
{
    char text[256];
    /* A release that gives EIDRM has given the slot back. */
    const bool succeeded = error == 0 || (error == EIDRM && check->at[0].gains < 0);
    if (look(check, succeeded, text)) {
        fprintf(stderr, "%s\n", text);
        abort();
    }
}

static void end_cancelled(void *context)
{
    char text[256];
    if (look(context, false, text)) {
        fprintf(stderr, "cancelled: %s\n", text);
        abort();
    }
}

/* A clean-up handler is entered by a jump, from which nothing comes back to the functions here. */
#pragma GCC diagnostic ignored "-Wclobbered"

#define CHECKED(name, parameters, call, enter)                                                     \
    int checked_##name parameters                                                                  \
    {                                                                                              \
        struct handle_check check = {.what = #name};                                               \
        int error;                                                                                 \
        enter;                                                                                     \
        pthread_cleanup_push(end_cancelled, &check);                                               \
        error = (berth_##name)call;                                                                \
        pthread_cleanup_pop(0);                                                                    \
        end_check(&check, error);                                                                  \
        return error;                                                                              \
    }
CHECKED(acquire, (berth_pool * pool, berth_grant *grant), (pool, grant), add_pool(&check, pool, 1))
CHECKED(try_acquire, (berth_pool * pool, berth_grant *grant), (pool, grant),
        add_pool(&check, pool, 1))
CHECKED(acquire_until, (berth_pool * pool, berth_grant *grant, const struct timespec *deadline),
        (pool, grant, deadline), add_pool(&check, pool, 1))
CHECKED(acquire_for, (berth_pool * pool, berth_grant *grant, const struct timespec *timeout),
        (pool, grant, timeout), add_pool(&check, pool, 1))
CHECKED(acquire_unless,
        (berth_pool * pool, berth_grant *grant, const struct timespec *deadline,
         const volatile int *stop),
        (pool, grant, deadline, stop), add_pool(&check, pool, 1))
CHECKED(release, (berth_pool * pool, const berth_grant *grant), (pool, grant),
        add_pool(&check, pool, -1))
CHECKED(lend, (berth_pool * pool, const berth_grant *grant, char text[BERTH_LOAN_MAX]),
        (pool, grant, text), add_pool(&check, pool, 0))
CHECKED(resize, (berth_pool * pool, unsigned slots), (pool, slots), add_pool(&check, pool, 0))
CHECKED(acquire_all, (const berth_want *wants, size_t count), (wants, count),
        add_wants(&check, wants, count, 1))
CHECKED(try_acquire_all, (const berth_want *wants, size_t count), (wants, count),
        add_wants(&check, wants, count, 1))
CHECKED(acquire_all_until, (const berth_want *wants, size_t count, const struct timespec *deadline),
        (wants, count, deadline), add_wants(&check, wants, count, 1))
CHECKED(acquire_all_for, (const berth_want *wants, size_t count, const struct timespec *timeout),
        (wants, count, timeout), add_wants(&check, wants, count, 1))
CHECKED(release_all, (const berth_want *wants, size_t count), (wants, count),
        add_wants(&check, wants, count, -1))
CHECKED(acquire_within,
        (const berth_want *wants, size_t count, const char *loans, const struct timespec *deadline,
         unsigned flags),
        (wants, count, loans, deadline, flags), add_wants(&check, wants, count, 1))
