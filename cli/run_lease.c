/*
 * Slots that can be lost, and how the command is then ended: its process, its children, and
 * orphaned descendants. This process becomes the parent of any that loses its own, so that all of
 * them can be found below it (PR_SET_CHILD_SUBREAPER). If it is killed itself, the guardian finds
 * them by a mark in their environment (store/etcd/guard.h).
 */
#include "run.h"

#include "os/clock.h"
#include "os/environment.h"
#include "os/family.h"
#include "pool/loan.h"
#include "store/etcd/guard.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void run_lease_prepare(const char *store)
{
    char value[GUARD_MARKS];
    const char *around = getenv(GUARD_MARK);
    const char *where = store != NULL ? store : getenv("BERTH_STORE");
    if (where == NULL || !store_is_etcd(where))
        return;
    /* The thread of a session needs no heap of its own, which takes a tenth of a millisecond. */
    mallopt(M_ARENA_MAX, 1);
    /* Those of the runs around this one stay: what is lent to it ends with them. */
    snprintf(value, sizeof value, "%d.%llu %s", (int)getpid(),
             (unsigned long long)os_now(CLOCK_REALTIME), around != NULL ? around : "");
    os_environment_set(GUARD_MARK, value); /* without it, what has fled stays unknown */
    value[strcspn(value, " ")] = '\0';
    run_cgroup_make(value);
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
            const uint64_t time = held ? os_nanoseconds(&left) : 0;
            least = time < least ? time : least;
        }
    }
    return least;
}

/* ---- before the command is started ---- */

bool run_lease_begin(struct run_lease *lease)
{
    const uint64_t now = os_now(CLOCK_BOOTTIME), left = left_of(lease);
    lease->good_until = now + left;
    lease->too_late = left == 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return left > 0;
}

/* In the memory of berth run, in a process of its own. From here on, should it be stopped, the
 * guardian kills it when the lease is over. */
int run_lease_last(void *context)
{
    struct run_lease *lease = context;
    for (size_t i = 0; i < lease->pools->count; i++)
        berth_ward(lease->pools->pool[i].handle, getpid());
    lease->too_late = os_now(CLOCK_BOOTTIME) >= lease->good_until;
    return lease->too_late ? ESTALE : 0;
}

/* ---- while it runs ---- */

static struct os_family family(void)
{
    return (struct os_family){.of = {getpid()}, .spare = GUARD_PROGRAM};
}

static void ask_to_end(void)
{
    const struct os_family all = family();
    struct os_family_result result;
    os_family_signal(&all, SIGTERM, &result);
    os_family_signal(&all, SIGCONT, &result);
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
        const struct os_family all = family();
        struct os_family_result result;
        lease->lost = true;
        if (!child->ended)
            kill(child->pid, SIGKILL); /* not reaped yet, so the number is still its own */
        run_cgroup_kill();
        os_family_kill(&all, &result);
        return os_timespec(OS_SECOND);
    }
    if (left > grace) /* it may be lost before its time, too: then the guardian kills the command at
                       * once */
        return os_timespec(left - grace < OS_SECOND ? left - grace : OS_SECOND);
    if (!lease->lost) {
        lease->lost = true;
        ask_to_end();
    }
    return os_timespec(left);
}

/* ---- when it has ended ---- */

/* The first pool of which a slot is lent to a run that the command has left behind; NULL: there is
 * none. */
static const struct run_pool *lent(const struct run_lease *lease)
{
    for (size_t i = 0; i < lease->pools->count; i++) {
        const struct run_pool *pool = &lease->pools->pool[i];
        for (unsigned s = 0; s < pool->slots; s++) {
            if (run_loan_level(pool) == 0 && loan_is_out(pool->handle, &pool->grants[s]))
                return pool;
        }
    }
    return NULL;
}

void run_lease_wait(const struct run_lease *lease, const struct run_child *child)
{
    const struct run_pool *pool = lent(lease);
    if (pool == NULL)
        return;
    fprintf(stderr,
            "berth: run: the command has left runs behind that work in its slot of pool %s: "
            "waiting for them\n",
            pool->name);
    while (lent(lease) != NULL && left_of(lease) > 0) {
        const struct timespec pause = os_timespec((uint64_t)20 * OS_MILLISECOND);
        siginfo_t info;
        const int number = sigtimedwait(&child->watched, &info, &pause);
        if (number == SIGCHLD) {
            while (waitpid(-1, NULL, WNOHANG) > 0)
                continue;
        } else if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
            ask_to_end();
        }
    }
}

/* The guardian may have killed it while this process was stopped, and then nothing was looked
 * at. */
bool run_lease_lost(const struct run_lease *lease, pid_t *refused)
{
    *refused = 0;
    if (!lease->lost && left_of(lease) > 0)
        return false;
    const struct os_family all = family();
    struct os_family_result result;
    run_cgroup_kill();
    os_family_kill(&all, &result);
    *refused = result.refused;
    return true;
}
