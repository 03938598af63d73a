/* Plays with slots that are lent: trees of runs, threads of one handle, cancellation, inherited
 * descriptors, and pools without a free seat. */
#include "script.h"

#include "api.h"
#include "calls.h"
#include "choice.h"
#include "pool/file.h"

#include <errno.h>
#include <fcntl.h>

/* Of the whole run: what is lent, the latest first, as a command's environment has it. */
static struct {
    struct api_loan loan[ORACLE_LENDERS];
    unsigned count;
    unsigned inside; /* runs that are still to come or to end */
} tree;

static berth_pool *open_pool(const char *name, unsigned slots)
{
    berth_pool *pool = NULL;
    if (api_open(&pool, name, slots, 0) != 0)
        sim_fail("the pool cannot be opened");
    return pool;
}

static void tell(const struct api_loan *loan)
{
    for (unsigned i = ORACLE_LENDERS - 1; i > 0; i--)
        tree.loan[i] = tree.loan[i - 1];
    tree.loan[0] = *loan;
    tree.count += tree.count < ORACLE_LENDERS;
}

/* The loans around a run are those that its own ancestors have told; here it is inside of each
 * lender up to the one that it draws. */
static unsigned draw_ancestors(struct api_loan loans[ORACLE_LENDERS])
{
    const unsigned from = tree.count > 0 ? choice_below(tree.count) : 0;
    for (unsigned i = from; i < tree.count; i++)
        loans[i - from] = tree.loan[i];
    return tree.count - from;
}

/* Works in what it has, and perhaps lends it on for a while; then gives it back, or (false) leaves
 * that to the end of its handle. */
static bool work(berth_pool *pool, const berth_grant *grant)
{
    struct api_loan loan;
    if (choice_one_in(2) && api_lend(pool, grant, &loan) == 0)
        tell(&loan);
    sim_sleep(choice_around(SIM_MS << choice_below(5)));
    return choice_one_in(3) ? false : api_release(pool, grant) == 0;
}

/* ---- a tree ---- */

static void lends(void *argument)
{
    berth_grant grant;
    struct api_loan loan;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    if (api_acquire(pool, &grant) == 0 && api_lend(pool, &grant, &loan) == 0) {
        tell(&loan);
        sim_sleep(choice_around(SIM_MS << choice_below(6)));
        if (choice_one_in(2))
            api_release(pool, &grant); /* waits for those that have borrowed it */
    }
    api_close(pool);
    api_check_clean(3);
}

static void works_inside(void *argument)
{
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    sim_sleep(choice_around(SIM_MS));
    for (unsigned i = 0; i < 2; i++) {
        berth_grant grant;
        struct api_loan loans[ORACLE_LENDERS];
        const berth_want want = {pool, 1, &grant};
        const unsigned count = draw_ancestors(loans);
        const int64_t after = choice_one_in(2) ? 0 : (int64_t)choice_around(20 * SIM_MS);
        if (api_within(&want, 1, loans, count, after, choice_one_in(6) ? BERTH_TRY : 0) != 0)
            continue;
        if (!work(pool, &grant))
            break;
    }
    api_close(pool);
    api_check_clean(3);
}

static void takes_one(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    if (api_acquire(pool, &grant) == 0)
        api_release(pool, &grant);
    api_close(pool);
}

void script_loans(void *argument)
{
    (void)argument;
    tree.count = 0;
    script_start("lender", lends, NULL);
    for (unsigned i = 0; i < 3; i++)
        script_start("inside", works_inside, NULL);
    script_start("outside", takes_one, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- one handle in several threads ---- */

struct shared {
    berth_pool *pool, *inner;
    berth_grant grant;
    struct api_loan loan;
};

static void *lends_it(void *argument)
{
    struct shared *shared = argument;
    struct api_loan loan;
    if (api_lend(shared->pool, &shared->grant, &loan) == 0)
        shared->loan = loan;
    return NULL;
}

static void *releases_it(void *argument)
{
    struct shared *shared = argument;
    api_release_perhaps(shared->pool, &shared->grant);
    return NULL;
}

static void *borrows_it(void *argument)
{
    const struct shared *shared = argument;
    berth_grant grant;
    const berth_want want = {shared->inner, 1, &grant};
    if (api_within(&want, 1, &shared->loan, 1, 20 * (int64_t)SIM_MS, 0) != 0)
        return NULL;
    sim_sleep(choice_around(SIM_MS));
    api_release(shared->inner, &grant);
    return NULL;
}

static void join_all(int *threads, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        sim_join_thread(threads[i]);
}

static void shares_a_handle(void *argument)
{
    (void)argument;
    struct shared shared = {.pool = open_pool("a", 1), .inner = open_pool("a", 1)};
    int thread[3];
    for (unsigned i = 0; i < 2; i++) {
        if (api_acquire(shared.pool, &shared.grant) != 0)
            break;
        thread[0] = sim_start_thread(lends_it, &shared);
        thread[1] = sim_start_thread(choice_one_in(2) ? lends_it : releases_it, &shared);
        join_all(thread, 2);
        if (api_lend(shared.pool, &shared.grant, &shared.loan) != 0)
            continue; /* it has been released */
        thread[0] = sim_start_thread(borrows_it, &shared);
        thread[1] = sim_start_thread(borrows_it, &shared);
        thread[2] = sim_start_thread(choice_one_in(2) ? borrows_it : releases_it, &shared);
        join_all(thread, 3);
        api_release_perhaps(shared.pool, &shared.grant);
    }
    api_close(shared.pool);
    api_close(shared.inner);
    api_check_clean(3);
}

/* The lender has closed its handle, and the borrower's looks for slots of the dead. */
static void looks_while_it_borrows(void *argument)
{
    (void)argument;
    struct shared shared = {.pool = open_pool("a", 1), .inner = open_pool("a", 1)};
    berth_grant lent, other;
    const berth_want want = {shared.inner, 1, &lent};
    if (api_acquire(shared.pool, &shared.grant) != 0 ||
        api_lend(shared.pool, &shared.grant, &shared.loan) != 0)
        sim_fail("it cannot be lent");
    if (api_within(&want, 1, &shared.loan, 1, 0, 0) != 0)
        sim_fail("it cannot be borrowed");
    api_close(shared.pool);
    if (api_until(shared.inner, &other, 20 * (int64_t)SIM_MS) == 0)
        api_release(shared.inner, &other);
    api_release(shared.inner, &lent);
    api_close(shared.inner);
    api_check_clean(3);
}

void script_loan_threads(void *argument)
{
    (void)argument;
    sim_spawn("threads", shares_a_handle, NULL);
    sim_spawn("looks", looks_while_it_borrows, NULL);
    sim_spawn("outside", takes_one, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- cancellation ---- */

static void *borrows_and_waits(void *argument)
{
    const struct shared *shared = argument;
    berth_grant grant[2];
    const berth_want wants[2] = {{shared->inner, 1, &grant[0]}, {shared->pool, 1, &grant[1]}};
    const unsigned count = choice_one_in(3) ? 1 : 2;
    const int64_t after = choice_one_in(2) ? 0 : (int64_t)choice_around(5 * SIM_MS);
    if (api_within(wants, count, &shared->loan, 1, after, 0) != 0)
        return NULL;
    sim_pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* it has to be released now */
    api_release_all(wants, count);
    return NULL;
}

static void holds_b(void *argument)
{
    berth_grant grant;
    berth_pool *pool = open_pool("b", 1);
    if (api_acquire(pool, &grant) == 0) {
        sim_sleep(choice_around(*(const uint64_t *)argument));
        api_release(pool, &grant);
    }
    api_close(pool);
}

static void cancels(void *argument)
{
    berth_grant lent;
    (void)argument;
    berth_pool *lender = open_pool("a", 1);
    struct shared shared = {.pool = open_pool("b", 1), .inner = open_pool("a", 1)};
    if (api_acquire(lender, &shared.grant) != 0 ||
        api_lend(lender, &shared.grant, &shared.loan) != 0)
        sim_fail("it cannot be lent");
    const int thread = sim_start_thread(borrows_and_waits, &shared);
    sim_sleep(choice_around((uint64_t)1000 << choice_below(16)));
    sim_cancel_thread(thread);
    sim_join_thread(thread);
    /* Whatever became of the thread: its handle has borrowed nothing. */
    berth_pool *next = open_pool("a", 1);
    const berth_want want = {next, 1, &lent};
    if (api_within(&want, 1, &shared.loan, 1, 0, BERTH_TRY) != 0)
        sim_fail("a thread that was cancelled, or waited in vain, has kept its loan");
    else
        api_release(next, &lent);
    api_release(lender, &shared.grant);
    api_close(next);
    api_close(lender);
    api_close(shared.pool);
    api_close(shared.inner);
    api_check_clean(3);
}

void script_loan_cancel(void *argument)
{
    static uint64_t for_a_while = 20 * SIM_MS;
    (void)argument;
    sim_spawn("holder", holds_b, &for_a_while);
    sim_spawn("cancels", cancels, NULL);
    script_wait_for_all();
    api_audit("a");
    api_audit("b");
}

/* ---- inherited descriptors ---- */

/* The command: it has a copy of its lender's descriptor, and becomes a run itself. */
static void works_in_the_command(void *argument)
{
    berth_grant grant;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    const berth_want want = {pool, 1, &grant};
    sim_sleep(choice_around(SIM_MS << choice_below(4)));
    if (api_within(&want, 1, tree.loan, tree.count, 0, 0) == 0) {
        sim_sleep(choice_around(SIM_MS));
        api_release(pool, &grant);
    }
    api_close(pool);
}

static void lends_to_its_command(void *argument)
{
    berth_grant grant;
    struct api_loan loan;
    (void)argument;
    berth_pool *pool = open_pool("a", 1);
    if (api_acquire(pool, &grant) != 0)
        return;
    if (api_lend(pool, &grant, &loan) == 0)
        tell(&loan);
    sim_fcntl(berth_fd(pool), F_SETFD, NULL);
    if (sim_fork() == 0)
        sim_exec("command", works_in_the_command, NULL);
    sim_sleep(choice_around(SIM_MS << choice_below(6)));
    if (choice_one_in(2)) {
        api_release(pool, &grant);
        if (choice_one_in(2) && api_acquire(pool, &grant) == 0)
            sim_sleep(choice_around(10 * SIM_MS)); /* by another ticket, and perhaps it dies */
    }
    if (choice_one_in(2))
        api_close(pool);
}

void script_loan_copies(void *argument)
{
    (void)argument;
    tree.count = 0;
    script_start("lender", lends_to_its_command, NULL);
    script_start("outside", takes_one, NULL);
    script_wait_for_all();
    api_audit("a");
}

/* ---- all seats are taken ---- */

static void nests(void *argument)
{
    berth_grant grant, lent;
    struct api_loan loan;
    berth_pool *inner = NULL;
    (void)argument;
    berth_pool *pool = NULL;
    if (api_open(&pool, "a", 1, 0) != 0)
        return; /* an inner run has the last seat */
    if (api_acquire(pool, &grant) == 0 && api_lend(pool, &grant, &loan) == 0) {
        sim_sleep(choice_around(5 * SIM_MS)); /* until others have the seats */
        if (api_open(&inner, "a", 0, BERTH_EXISTING | POOL_UNSEATED) != 0)
            sim_fail("a run that can borrow gets no handle");
        const berth_want want = {inner, 1, &lent};
        if (inner != NULL && api_within(&want, 1, &loan, 1, 0, 0) == 0)
            api_release(inner, &lent);
        if (inner != NULL)
            api_close(inner);
        api_release(pool, &grant);
    }
    api_close(pool);
    api_check_clean(3);
}

void script_loan_seats(void *argument)
{
    (void)argument;
    api_seats = 3;
    for (unsigned i = 0; i < 3; i++)
        script_start("nests", nests, NULL);
    script_wait_for_all();
    api_audit("a");
}
