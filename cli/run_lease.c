#include "run.h"

static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct timespec timespec(uint64_t time)
{
    return (struct timespec){.tv_sec = (time_t)(time / 1000000000),
                             .tv_nsec = (long)(time % 1000000000)};
}

/* Of what is left for each of the grants, the least. */
static uint64_t left_of(const struct run_lease *lease)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < lease->pools->count; i++) {
        const struct run_pool *pool = &lease->pools->pool[i];
        for (unsigned s = 0; s < pool->slots; s++) {
            struct timespec left;
            const bool held = berth_good_for(pool->handle, &pool->grants[s], &left) == 0;
            const uint64_t time = held ? nanoseconds(left) : 0;
            least = time < least ? time : least;
        }
    }
    return least;
}

/* The library renews the lease as long as it reaches the store. Where it does not, the time that is
 * left runs down; also while this process was stopped. */
struct timespec run_lease_look(const struct run_child *child, void *context)
{
    struct run_lease *lease = context;
    const uint64_t left = left_of(lease);
    if (left > lease->whole)
        lease->whole = left;
    const uint64_t grace = lease->whole / 4;
    if (left == 0) {
        lease->lost = true;
        kill(child->pid, SIGKILL); /* nobody but us reaps it: the number is still its own */
        return timespec(1000000000);
    }
    if (left > grace)
        return timespec(left - grace);
    if (!lease->lost) {
        lease->lost = true;
        kill(child->pid, SIGTERM);
        kill(child->pid, SIGCONT);
    }
    return timespec(left);
}

/* The guardian may have killed it while this process was stopped, and then nothing was looked at. */
bool run_lease_lost(const struct run_lease *lease)
{
    return lease->lost || left_of(lease) == 0;
}
