/* The ticket lock by hand, over sequentially consistent C11 atomics. Tickets are drawn as the
 * papers' test-and-set is written, by a compare-and-swap loop, or by fetch-and-add, which some
 * machines have. */
#include "ticket.h"

#include <sched.h>
#include <stdatomic.h>

struct lock {
    _Atomic(uint64_t) next;
    _Atomic(uint64_t) serving;
};

static _Alignas(64) struct lock swapped, added;

static inline uint64_t after(uint64_t ticket)
{
    return ticket + 1 == LOCK_THREADS ? 0 : ticket + 1;
}

static inline void wait_for(struct lock *lock, uint64_t mine)
{
    for (unsigned spins = 0; atomic_load(&lock->serving) != mine; spins++) {
        if (spins < 64) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            __asm__ volatile("yield");
#endif
        } else {
            sched_yield();
        }
    }
}

static inline uint64_t swap_lock(struct lock *lock)
{
    uint64_t mine = atomic_load(&lock->next);
    while (!atomic_compare_exchange_strong(&lock->next, &mine, after(mine))) {
    }
    wait_for(lock, mine);
    return mine;
}

static inline void swap_unlock(struct lock *lock, uint64_t mine)
{
    atomic_store(&lock->serving, after(mine));
}

static inline uint64_t add_lock(struct lock *lock)
{
    uint64_t mine = atomic_fetch_add(&lock->next, 1);
    wait_for(lock, mine);
    return mine;
}

static inline void add_unlock(struct lock *lock, uint64_t mine)
{
    atomic_store(&lock->serving, mine + 1);
}

static void run_swapped(volatile uint64_t *counter, uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i++) {
        uint64_t mine = swap_lock(&swapped);
        ++*counter;
        swap_unlock(&swapped, mine);
    }
}

static void run_added(volatile uint64_t *counter, uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i++) {
        uint64_t mine = add_lock(&added);
        ++*counter;
        add_unlock(&added, mine);
    }
}

const struct subject ticket_hand = {"hand", run_swapped};
const struct subject ticket_add = {"fetch-and-add", run_added};
