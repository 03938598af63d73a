#include "oracle.h"

#include "pool/format.h"

#include <errno.h>
#include <string.h>

struct oracle oracle;

void oracle_begin(void)
{
    memset(&oracle, 0, sizeof oracle);
    oracle.events = 1;
    oracle.bound = ORACLE_BOUND;
}

/* ---- pools ---- */

static bool is_current(const struct oracle_pool *pool)
{
    return pool->inode != NULL && pool->inode->used && pool->inode->number == pool->number;
}

struct oracle_pool *oracle_pool_of(struct sim_inode *inode, unsigned slots)
{
    struct oracle_pool *unused = NULL;
    for (unsigned i = 0; i < ORACLE_POOLS; i++) {
        struct oracle_pool *pool = &oracle.pool[i];
        if (pool->inode == inode && pool->number == inode->number)
            return pool;
        if (unused == NULL && !is_current(pool))
            unused = pool;
    }
    if (unused == NULL) {
        sim_fail("the oracle has room for %d pools", ORACLE_POOLS);
        return &oracle.pool[0];
    }
    *unused = (struct oracle_pool){
        .inode = inode, .number = inode->number, .fewest = slots, .most = slots};
    return unused;
}

/* As long as anybody has the handle's file open, the slot is held. */
static bool is_alive(const struct oracle_holder *holder)
{
    return holder->state != ORACLE_NOBODY && holder->ofd->refs > 0 &&
           holder->ofd->serial == holder->serial;
}

/* Whether somebody works in the slot at this level or a deeper one. */
static bool is_borrowed(const struct oracle_pool *pool, unsigned slot, unsigned level)
{
    for (; level < ORACLE_LEVELS; level++) {
        if (is_alive(&pool->loan[slot][level]))
            return true;
    }
    return false;
}

static bool wants_slots(const struct sim_call *call)
{
    return call->kind == ORACLE_ACQUIRE || call->kind == ORACLE_TRY || call->kind == ORACLE_UNTIL;
}

static bool is_open(const struct oracle_want *want)
{
    return want->ofd->refs > 0 && want->ofd->serial == want->serial;
}

/* Slots that no living process has, and that no stopped one can have got unseen. */
unsigned oracle_free(const struct oracle_pool *pool)
{
    unsigned unheld = 0;
    for (unsigned j = 0; j < pool->fewest && j < ORACLE_SLOTS; j++)
        unheld += !is_alive(&pool->holder[j]) && !is_borrowed(pool, j, 1);
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        const struct sim_call *call = &oracle.call[i];
        if (!call->used || !(call->ghost || call->thread->process->stopped))
            continue;
        for (unsigned w = 0; w < call->wants; w++) {
            if (call->want[w].pool != pool || (call->ghost && !is_open(&call->want[w])))
                continue;
            const unsigned may_have = wants_slots(call) ? call->want[w].slots : 1;
            unheld -= may_have < unheld ? may_have : unheld;
        }
    }
    return unheld;
}

static void changed(struct oracle_pool *pool)
{
    oracle.events++;
    pool->changes++;
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        struct sim_call *call = &oracle.call[i];
        for (unsigned w = 0; call->used && w < call->wants; w++)
            call->alone &= call->want[w].pool != pool;
    }
}

/* ---- calls ---- */

struct sim_call *oracle_call(enum oracle_kind kind, uint64_t deadline)
{
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        struct sim_call *call = &oracle.call[i];
        if (call->used)
            continue;
        *call = (struct sim_call){.used = true,
                                  .kind = kind,
                                  .thread = sim.self,
                                  .deadline = deadline,
                                  .began = ++oracle.events};
        sim.self->call = call;
        return call;
    }
    sim_fail("the oracle has room for %d calls", ORACLE_CALLS);
    return NULL;
}

void oracle_wants(struct sim_call *call, struct oracle_pool *pool, struct sim_ofd *ofd,
                  unsigned slots)
{
    changed(pool);
    call->want[call->wants++] =
        (struct oracle_want){pool, ofd, ofd->serial, slots, pool->newest, pool->most};
}

/* The dead whose files have been closed are no longer of interest. */
static void drop_ghosts(void)
{
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        struct sim_call *call = &oracle.call[i];
        bool open = false;
        for (unsigned w = 0; call->used && w < call->wants; w++)
            open |= is_open(&call->want[w]);
        if (call->ghost && !open)
            call->used = false;
    }
}

/* Whether nobody else is in a call about this pool. */
static bool is_quiet(const struct oracle_pool *pool, const struct sim_call *mine)
{
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        const struct sim_call *call = &oracle.call[i];
        for (unsigned w = 0; call->used && call != mine && w < call->wants; w++) {
            if (call->want[w].pool == pool)
                return false;
        }
    }
    return true;
}

const struct oracle_pool *oracle_quiet(const struct sim_inode *inode)
{
    drop_ghosts();
    for (unsigned i = 0; i < ORACLE_POOLS && inode != NULL; i++) {
        const struct oracle_pool *pool = &oracle.pool[i];
        if (pool->inode == inode && pool->number == inode->number)
            return is_quiet(pool, NULL) && pool->fewest == pool->most ? pool : NULL;
    }
    return NULL;
}

unsigned oracle_holders(const struct oracle_pool *pool)
{
    unsigned count = 0;
    for (unsigned j = 0; j < ORACLE_SLOTS; j++)
        count += pool->holder[j].state == ORACLE_HOLDS && is_alive(&pool->holder[j]);
    return count;
}

void oracle_goes(struct sim_call *call)
{
    drop_ghosts();
    call->alone = wants_slots(call);
    for (unsigned w = 0; w < call->wants; w++) {
        const struct oracle_pool *pool = call->want[w].pool;
        call->alone &= is_quiet(pool, call) && oracle_free(pool) >= call->want[w].slots &&
                       pool->inode->links > 0;
    }
}

static void forget(struct sim_call *call)
{
    call->thread->call = NULL;
    call->used = false;
}

void oracle_ends(struct sim_call *call)
{
    for (unsigned w = 0; w < call->wants; w++)
        changed(call->want[w].pool);
    forget(call);
}

void oracle_thread_is_gone(struct sim_thread *thread, bool killed)
{
    struct sim_call *call = thread->call;
    if (call == NULL)
        return;
    if (!killed || call->wants == 0) {
        oracle_ends(call);
        return;
    }
    for (unsigned w = 0; w < call->wants; w++)
        changed(call->want[w].pool);
    call->ghost = true;
    thread->call = NULL;
}

void oracle_process_stops(struct sim_process *process)
{
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        struct sim_call *call = &oracle.call[i];
        if (call->used && !call->ghost && call->thread->process == process)
            call->was_stopped = true;
        call->alone = false;
    }
}

/* A call that sleeps on a word of a pool's ring has drawn all of its tickets. (It sleeps elsewhere
 * at a door.) This is all that the oracle knows of the file. */
void oracle_sleeps(const void *cell)
{
    int memory;
    unsigned view;
    struct sim_call *call = sim.self->call;
    if (call == NULL || call->drawn != 0 || !wants_slots(call) ||
        !sim_view_of(cell, &memory, &view))
        return;
    const char *const file = sim_view_address(memory, view);
    if ((const char *)cell >= file + POOL_RING_AT)
        call->drawn = ++oracle.events;
}

/* ---- grants ---- */

static void check_order(struct sim_call *call, const struct oracle_want *want,
                        const berth_grant *grant)
{
    struct oracle_pool *pool = want->pool;
    if (grant->token <= want->floor)
        sim_fail("pool %llu: token %llu was given after token %llu",
                 (unsigned long long)pool->number, (unsigned long long)grant->token,
                 (unsigned long long)want->floor);
    for (unsigned i = 0; i < 64 && i < pool->logged; i++) {
        if (call->drawn != 0 && pool->log[i].began > call->drawn &&
            pool->log[i].token < grant->token)
            sim_fail("P%u.%u has been overtaken: it slept with its ticket before another called, "
                     "which got token %llu, and its own is %llu",
                     call->thread->process->pid, call->thread->number,
                     (unsigned long long)pool->log[i].token, (unsigned long long)grant->token);
    }
    pool->log[pool->logged % 64].began = call->began;
    pool->log[pool->logged++ % 64].token = grant->token;
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        struct sim_call *other = &oracle.call[i];
        if (other->used && !other->ghost && other->kind == ORACLE_ACQUIRE && other->wants == 1 &&
            other->want[0].slots == 1 && other->want[0].pool == pool && other->drawn != 0 &&
            other->drawn < call->began && other->overtaken == 0)
            other->overtaken = sim.now;
    }
}

void oracle_granted(struct sim_call *call, struct oracle_pool *pool, struct sim_ofd *ofd,
                    const berth_grant *grant)
{
    const struct oracle_want *want = NULL;
    for (unsigned w = 0; w < call->wants; w++) {
        if (call->want[w].pool == pool)
            want = &call->want[w];
    }
    if (want == NULL)
        return;
    if (grant->slot >= want->highest || grant->slot >= ORACLE_SLOTS) {
        sim_fail("slot %u was given, and the pool has had at most %u", grant->slot, want->highest);
        return;
    }
    struct oracle_holder *holder = &pool->holder[grant->slot];
    if (holder->state == ORACLE_HOLDS && is_alive(holder))
        sim_fail("slot %u is given twice: to P%u, and P%u still holds it", grant->slot,
                 call->thread->process->pid, holder->pid);
    for (unsigned d = 1; d < ORACLE_LEVELS; d++) {
        const struct oracle_holder *loan = &pool->loan[grant->slot][d];
        if (loan->state == ORACLE_HOLDS && is_alive(loan))
            sim_fail("slot %u is given to P%u, and P%u works in it at level %u", grant->slot,
                     call->thread->process->pid, loan->pid, d);
    }
    memset(pool->loan[grant->slot], 0, sizeof pool->loan[grant->slot]);
    oracle.recoveries += holder->state == ORACLE_HOLDS;
    if (holder->token >= grant->token)
        sim_fail("slot %u: token %llu comes after token %llu", grant->slot,
                 (unsigned long long)grant->token, (unsigned long long)holder->token);
    check_order(call, want, grant);
    *holder = (struct oracle_holder){ORACLE_HOLDS, ofd, ofd->serial, grant->token,
                                     call->thread->process->pid};
    if (grant->token > pool->newest)
        pool->newest = grant->token;
    pool->starved_since = 0;
    oracle.grants++;
}

void oracle_borrowed(struct sim_call *call, struct oracle_pool *pool, struct sim_ofd *ofd,
                     const berth_grant *grant, unsigned level)
{
    if (grant->slot >= ORACLE_SLOTS || level >= ORACLE_LEVELS) {
        sim_fail("slot %u is borrowed at level %u, and there is none", grant->slot, level);
        return;
    }
    if (pool->holder[grant->slot].token != grant->token)
        sim_fail("slot %u is borrowed with token %llu, and was given with token %llu", grant->slot,
                 (unsigned long long)grant->token,
                 (unsigned long long)pool->holder[grant->slot].token);
    for (unsigned d = level; d < ORACLE_LEVELS; d++) {
        const struct oracle_holder *loan = &pool->loan[grant->slot][d];
        if (loan->state == ORACLE_HOLDS && is_alive(loan))
            sim_fail("slot %u is borrowed twice: by P%u at level %u, and by P%u at level %u",
                     grant->slot, call->thread->process->pid, level, loan->pid, d);
    }
    pool->loan[grant->slot][level] = (struct oracle_holder){
        ORACLE_HOLDS, ofd, ofd->serial, grant->token, call->thread->process->pid};
    oracle.grants++;
}

static struct oracle_holder *find_loan(struct oracle_pool *pool, const struct sim_ofd *ofd,
                                       const berth_grant *grant, unsigned level)
{
    if (grant->slot >= ORACLE_SLOTS || level >= ORACLE_LEVELS)
        return NULL;
    struct oracle_holder *loan = &pool->loan[grant->slot][level];
    return loan->ofd == ofd && loan->token == grant->token ? loan : NULL;
}

void oracle_gives_back(struct oracle_pool *pool, const struct sim_ofd *ofd,
                       const berth_grant *grant, unsigned level)
{
    struct oracle_holder *loan = find_loan(pool, ofd, grant, level);
    changed(pool);
    if (loan != NULL && loan->state == ORACLE_HOLDS)
        loan->state = ORACLE_RELEASES;
}

void oracle_gave_back(struct oracle_pool *pool, const struct sim_ofd *ofd, const berth_grant *grant,
                      unsigned level)
{
    struct oracle_holder *loan = find_loan(pool, ofd, grant, level);
    changed(pool);
    if (loan != NULL && loan->state == ORACLE_RELEASES)
        loan->state = ORACLE_NOBODY;
}

void oracle_refused(struct sim_call *call, int error)
{
    const uint64_t waited = call->deadline;
    if (error == ETIMEDOUT) {
        oracle.timeouts++;
        if (call->kind != ORACLE_UNTIL || sim.now < waited)
            sim_fail("ETIMEDOUT before the time has come");
    }
    oracle.refusals += error == EBUSY;
    if (error == EBUSY && call->kind != ORACLE_TRY)
        sim_fail("EBUSY from a call that waits");
    if ((error == EBUSY || error == ETIMEDOUT) && call->alone)
        sim_fail("P%u gets %s, and all the while a slot was available, and nobody else asked",
                 call->thread->process->pid, strerrorname_np(error));
}

void oracle_releases(struct oracle_pool *pool, unsigned slot)
{
    changed(pool);
    if (slot < ORACLE_SLOTS && pool->holder[slot].state == ORACLE_HOLDS)
        pool->holder[slot].state = ORACLE_RELEASES;
}

void oracle_released(struct oracle_pool *pool, unsigned slot)
{
    changed(pool);
    if (slot < ORACLE_SLOTS && pool->holder[slot].state == ORACLE_RELEASES)
        pool->holder[slot].state = ORACLE_NOBODY;
}

void oracle_closes(struct oracle_pool *pool, const struct sim_ofd *ofd)
{
    changed(pool);
    for (unsigned j = 0; j < ORACLE_SLOTS; j++) {
        if (pool->holder[j].ofd == ofd && pool->holder[j].state == ORACLE_HOLDS)
            pool->holder[j].state = ORACLE_RELEASES;
        for (unsigned d = 1; d < ORACLE_LEVELS; d++) {
            struct oracle_holder *loan = &pool->loan[j][d];
            if (loan->ofd == ofd && loan->state == ORACLE_HOLDS)
                loan->state = ORACLE_RELEASES;
        }
    }
}

void oracle_resizes(struct oracle_pool *pool, unsigned slots)
{
    changed(pool);
    if (slots > pool->most)
        pool->most = slots;
    if (slots < pool->fewest)
        pool->fewest = slots;
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        struct sim_call *call = &oracle.call[i];
        for (unsigned w = 0; call->used && w < call->wants; w++) {
            if (call->want[w].pool != pool)
                continue;
            if (call->want[w].highest < slots)
                call->want[w].highest = slots;
            if (call->kind == ORACLE_RESIZE && call != sim.self->call && !call->ghost)
                call->overlapped = sim.self->call->overlapped = true;
        }
    }
}

/* Two that resize at once leave one of the two sizes. */
void oracle_resized(struct oracle_pool *pool, unsigned slots)
{
    if (!sim.self->call->overlapped)
        pool->fewest = pool->most = slots;
    changed(pool);
}

/* ---- time ---- */

static bool waits(const struct sim_call *call)
{
    return call->used && !call->ghost && wants_slots(call) && call->kind != ORACLE_TRY &&
           !call->thread->process->stopped;
}

static bool is_hopeless(const struct sim_call *call)
{
    for (unsigned w = 0; w < call->wants; w++) {
        if (call->want[w].slots > call->want[w].pool->most)
            return true;
    }
    return false;
}

/* One of the pools that have enough slots has not enough that are free: the call sleeps there, and
 * looks at the others when it is through. */
static bool waits_elsewhere(const struct sim_call *call)
{
    for (unsigned w = 0; w < call->wants; w++) {
        const struct oracle_want *want = &call->want[w];
        if (want->slots <= want->pool->most && oracle_free(want->pool) < want->slots)
            return true;
    }
    return false;
}

/* What those that wait want of the pool, together. */
static unsigned wanted_of(const struct oracle_pool *pool)
{
    unsigned wanted = 0;
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        const struct sim_call *call = &oracle.call[i];
        for (unsigned w = 0; waits(call) && !is_hopeless(call) && w < call->wants; w++)
            wanted += call->want[w].pool == pool ? call->want[w].slots : 0;
    }
    return wanted;
}

/* There is enough for all that wait, or nobody holds anything: then the first in the line
 * lacks nothing here. */
static bool is_plentiful(const struct oracle_pool *pool)
{
    const unsigned unheld = oracle_free(pool);
    return unheld >= wanted_of(pool) || unheld >= pool->fewest;
}

/* A slot could be given to somebody. Where some want more than one slot, others may rightly wait
 * behind them, unless there is plenty in every pool that they want slots of. */
static bool is_starved(const struct oracle_pool *pool)
{
    bool several = false;
    if (oracle_free(pool) == 0 || pool->inode->links == 0 || wanted_of(pool) == 0)
        return false;
    for (unsigned i = 0; i < ORACLE_CALLS; i++) {
        const struct sim_call *call = &oracle.call[i];
        bool here = false, plenty = true;
        for (unsigned w = 0; waits(call) && !is_hopeless(call) && w < call->wants; w++) {
            here |= call->want[w].pool == pool;
            several |= call->want[w].pool == pool && (call->wants > 1 || call->want[w].slots > 1);
            plenty &= call->want[w].pool == pool || is_plentiful(call->want[w].pool);
        }
        if (here && !plenty)
            return false;
    }
    return !several || is_plentiful(pool);
}

static void look_at_pool(struct oracle_pool *pool)
{
    if (!is_starved(pool)) {
        pool->starved_since = 0;
        return;
    }
    if (pool->starved_since == 0)
        pool->starved_since = sim.now;
    if (sim.now - pool->starved_since > oracle.bound)
        sim_fail("for %llu ms a slot of the pool is held by nobody that lives, somebody waits for "
                 "it, and does not get it",
                 (unsigned long long)(oracle.bound / SIM_MS));
}

/* Whether a process around it lends, and nobody has borrowed. */
static bool is_lent_something(const struct sim_call *call)
{
    for (unsigned i = 0; i < call->lenders; i++) {
        const struct oracle_lender *lender = &call->lender[i];
        const struct oracle_pool *pool = lender->pool;
        const struct oracle_holder *worker = lender->level == 0
                                                 ? &pool->holder[lender->slot]
                                                 : &pool->loan[lender->slot][lender->level];
        if (is_current(pool) && worker->state == ORACLE_HOLDS && is_alive(worker) &&
            worker->ofd == lender->ofd && worker->serial == lender->serial &&
            worker->token == lender->token && !is_borrowed(pool, lender->slot, lender->level + 1))
            return true;
    }
    return false;
}

static void look_at_call(struct sim_call *call)
{
    if (!waits(call) || call->was_stopped)
        return;
    if (call->wants > 1 || !is_lent_something(call))
        call->unlent = 0;
    else if (call->unlent == 0)
        call->unlent = sim.now;
    else if (sim.now - call->unlent > oracle.bound)
        sim_fail("P%u.%u waits, and for %llu ms nobody has borrowed what is lent to it",
                 call->thread->process->pid, call->thread->number,
                 (unsigned long long)(oracle.bound / SIM_MS));
    const struct sim_process *process = call->thread->process;
    if (call->kind == ORACLE_UNTIL && sim.now > call->deadline &&
        sim.now - call->deadline > ORACLE_LATE)
        sim_fail("P%u.%u waits on, %llu ms after its deadline", process->pid, call->thread->number,
                 (unsigned long long)(ORACLE_LATE / SIM_MS));
    if (call->overtaken != 0 && sim.now - call->overtaken > oracle.bound)
        sim_fail("P%u.%u is overtaken: somebody who called later has been served, and it has not",
                 process->pid, call->thread->number);
    if (!is_hopeless(call) || waits_elsewhere(call))
        call->hopeless = 0;
    else if (call->hopeless == 0)
        call->hopeless = sim.now;
    else if (sim.now - call->hopeless > oracle.bound)
        sim_fail("P%u.%u waits for more slots than the pool has", process->pid,
                 call->thread->number);
    for (unsigned w = 0; w < call->wants && oracle.removals_are_noticed; w++) {
        if (call->want[w].pool->inode->links != 0)
            continue;
        if (call->removed == 0)
            call->removed = sim.now;
        else if (sim.now - call->removed > ORACLE_REMOVED)
            sim_fail("P%u.%u does not notice that its pool's file was removed", process->pid,
                     call->thread->number);
    }
}

void oracle_tick(bool now)
{
    if (!now && sim.now - oracle.last_tick < SIM_MS)
        return;
    oracle.last_tick = sim.now;
    drop_ghosts();
    for (unsigned i = 0; i < ORACLE_POOLS && !sim.failed; i++) {
        if (is_current(&oracle.pool[i]))
            look_at_pool(&oracle.pool[i]);
    }
    for (unsigned i = 0; i < ORACLE_CALLS && !sim.failed; i++) {
        if (oracle.call[i].used)
            look_at_call(&oracle.call[i]);
    }
}
