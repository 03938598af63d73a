#include "stage.h"

#include "os/clock.h"
#include "os/futex.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

static const struct points *the_points;
static struct actor *myself; /* NULL: this is no actor */

void step_kill_point(const char *label, unsigned line);

/* Some plays pass points a hundred thousand times: a label is looked up once, by its address. */
static unsigned number_of(const char *label)
{
    static struct {
        const char *label;
        unsigned point;
    } known[POINTS_MAX];
    const unsigned at = (unsigned)(((uintptr_t)label * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
    if (known[at].label != label) {
        known[at].label = label;
        known[at].point = points_find(the_points, label);
    }
    return known[at].point;
}

void step_kill_point(const char *label, unsigned line)
{
    (void)line;
    if (myself == NULL)
        return;
    const unsigned point = number_of(label);
    const unsigned passage = atomic_fetch_add(&myself->passed[point], 1) + 1;
    for (unsigned i = 0; i < 2; i++) {
        const struct arm *arm = &myself->arm[i];
        if (arm->deed != NOTHING && arm->point == point && arm->passage == passage)
            raise(arm->deed == STOPS ? SIGSTOP : SIGKILL);
    }
}

struct role {
    berth_pool *pool;
    berth_grant grant[ACTOR_GRANTS];
};

static int took(int error)
{
    if (error == 0)
        atomic_fetch_add(&myself->held, 1);
    return error;
}

static berth_grant *next_grant(struct role *role)
{
    return &role->grant[atomic_load(&myself->held) % ACTOR_GRANTS];
}

static int release(struct role *role)
{
    const unsigned held = atomic_load(&myself->held);
    if (held == 0)
        return EPERM;
    atomic_store(&myself->held, held - 1);
    return berth_release(role->pool, &role->grant[held - 1]);
}

static int go_round(struct role *role, unsigned times)
{
    int error = 0;
    for (unsigned i = 0; i < times && error == 0; i++) {
        error = release(role);
        if (error == 0)
            error = took(berth_acquire(role->pool, next_grant(role)));
    }
    return error;
}

static int wait_for(struct role *role, unsigned milliseconds)
{
    const struct timespec deadline =
        os_timespec(os_now(CLOCK_MONOTONIC) + milliseconds * (uint64_t)1000000);
    return took(berth_acquire_until(role->pool, next_grant(role), &deadline));
}

static int give_up(struct role *role, unsigned times)
{
    int error = ETIMEDOUT;
    for (unsigned i = 0; i < times && error == ETIMEDOUT; i++)
        error = wait_for(role, 0);
    return error == 0 ? release(role) : error; /* there was nothing to wait for */
}

static int close_pool(struct role *role)
{
    berth_pool *pool = role->pool;
    role->pool = NULL;
    atomic_store(&myself->held, 0);
    return berth_close(pool);
}

static int obey(const struct stage *stage, struct role *role)
{
    const berth_options options = {.store = stage->store, .flags = BERTH_EXISTING};
    const unsigned argument = myself->argument;
    if (role->pool == NULL && myself->command != TO_OPEN)
        return myself->command == TO_CLOSE ? 0 : EBADF;
    switch (myself->command) {
    case TO_OPEN: return berth_open(&role->pool, stage->name, &options);
    case TO_ACQUIRE: return took(berth_acquire(role->pool, next_grant(role)));
    case TO_TRY: return took(berth_try_acquire(role->pool, next_grant(role)));
    case TO_WAIT_FOR: return wait_for(role, argument);
    case TO_RELEASE: return release(role);
    case TO_RESIZE: return berth_resize(role->pool, argument);
    case TO_GO_ROUND: return go_round(role, argument);
    case TO_GIVE_UP: return give_up(role, argument);
    case TO_CLOSE: return close_pool(role);
    }
    return EINVAL;
}

_Noreturn void actor_live(const struct stage *stage, unsigned who)
{
    static struct role role;
    the_points = &stage->points;
    myself = &stage->actor[who];
    for (uint64_t done = 0;; done++) {
        while (atomic_load(&myself->asked) == done) {
            const struct timespec until = os_timespec(os_now(CLOCK_MONOTONIC) + OS_SECOND);
            os_futex_sleep(&myself->asked, (uint32_t)done, &until);
        }
        myself->error = obey(stage, &role);
        atomic_store(&myself->done, done + 1);
        os_futex_wake(&myself->done);
    }
}
