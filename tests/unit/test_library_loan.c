/* Slots that are lent, within one program: the calls, and what they refuse. (What kills do to loans
 * is for tests/cli/loan-kills.sh and tests/torture/loans.c.) */
#include "library_support.h"

#include <pthread.h>
#include <string.h>

static int borrow(berth_pool *pool, berth_grant *grant, const char *loans, unsigned flags)
{
    const berth_want want = {.pool = pool, .slots = 1, .grants = grant};
    return berth_acquire_within(&want, 1, loans, NULL, flags);
}

static unsigned level_of(berth_pool *pool, const berth_grant *grant)
{
    unsigned level = 99;
    assert_int_equal(berth_loan_level(pool, grant, &level), 0);
    return level;
}

static void test_chain(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *pool[4];
    berth_grant grant[4], other;
    char text[4][BERTH_LOAN_MAX];
    for (unsigned i = 0; i < 4; i++)
        pool[i] = open_slots(fixture, "a", 1);
    assert_int_equal(berth_acquire(pool[0], &grant[0]), 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(berth_lend(pool[i], &grant[i], text[i]), 0);
        assert_null(strchr(text[i], ' '));
        assert_int_equal(borrow(pool[i + 1], &grant[i + 1], text[i], BERTH_TRY), 0);
        assert_int_equal(grant[i + 1].slot, 0);
        assert_true(grant[i + 1].token == grant[0].token);
        assert_int_equal(level_of(pool[i + 1], &grant[i + 1]), i + 1);
    }
    berth_pool *outside = open_slots(fixture, "a", 1);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(borrow(outside, &other, text[i], BERTH_TRY), EBUSY);
    struct timespec left;
    assert_int_equal(berth_good_for(pool[2], &grant[2], &left), 0);
    assert_int_equal(berth_release(pool[3], &grant[3]), 0);
    assert_int_equal(borrow(outside, &other, text[2], BERTH_TRY), 0); /* again */
    assert_int_equal(berth_release(outside, &other), 0);
    assert_refused(EPERM, berth_release(outside, &other), "hold");
    for (unsigned i = 3; i-- > 0;)
        assert_int_equal(berth_release(pool[i], &grant[i]), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(borrow(outside, &other, text[i], BERTH_TRY | BERTH_OWN), 0),
            assert_int_equal(level_of(outside, &other), 0),
            assert_int_equal(berth_release(outside, &other), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(berth_close(pool[i]), 0);
    assert_int_equal(berth_close(outside), 0);
}

/* The lender closes its handle: the slot stays with the borrower, and comes back after it. */
static void test_left(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1),
               *outside = open_slots(fixture, "a", 1);
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_try_acquire(outside, &other), EBUSY);
    assert_int_equal(borrow(outside, &other, text, BERTH_TRY), EBUSY);
    for (unsigned i = 0; i < 50;
         i++) { /* newcomers do not take the lender's seat, which has the slot */
        berth_pool *newcomer = open_slots(fixture, "a", 1);
        assert_int_equal(berth_try_acquire(newcomer, &other), EBUSY);
        assert_int_equal(berth_close(newcomer), 0);
    }
    berth_view *view;
    assert_int_equal(berth_look(&view, "a", &fixture->options), 0);
    assert_int_equal(view->holder_count, 1);
    assert_int_equal(view->loan_count, 1);
    assert_int_equal(view->loans[0]->level, 1);
    assert_true(view->loans[0]->left);
    berth_view_free(view);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(berth_try_acquire(outside, &other), 0);
    assert_int_equal(berth_close(borrower), 0);
    assert_int_equal(berth_close(outside), 0);
}

/* There is a seat for every process that comes, though one is kept by a loan. */
static void test_few_seats(void **state)
{
    const struct fixture *fixture = *state;
    berth_options options = fixture->options;
    options.slots = 1;
    options.seats = 3;
    berth_pool *lender, *borrower, *third, *fourth = NULL;
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_open(&lender, "few", &options), 0);
    assert_int_equal(berth_open(&borrower, "few", &options), 0);
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_open(&third, "few", &options), 0);
    assert_int_equal(berth_open(&fourth, "few", &options), EUSERS); /* its seat is the lender's */
    assert_int_equal(berth_try_acquire(third, &other), EBUSY);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(berth_open(&fourth, "few", &options), 0);
    assert_int_equal(berth_try_acquire(fourth, &other), 0);
    assert_int_equal(berth_close(borrower), 0);
    assert_int_equal(berth_close(third), 0);
    assert_int_equal(berth_close(fourth), 0);
}

struct release {
    berth_pool *pool;
    const berth_grant *grant;
    int result;
};

static void *release_later(void *context)
{
    struct release *release = context;
    release->result = berth_release(release->pool, release->grant);
    return NULL;
}

/* A handle that stays open waits for what it has lent. */
static void test_release_waits(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1);
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    pthread_t thread;
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    struct release release = {lender, &grant, -1};
    assert_int_equal(pthread_create(&thread, NULL, release_later, &release), 0);
    const struct timespec moment = {.tv_nsec = 30 * 1000 * 1000};
    nanosleep(&moment, NULL);
    assert_int_equal(berth_try_acquire(borrower, &other), EBUSY);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(release.result, 0);
    assert_int_equal(berth_try_acquire(borrower, &other), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(borrower), 0);
}

static void test_refused(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "b", 2), *other = open_slots(fixture, "b", 2);
    berth_grant grant, grants[3];
    char text[BERTH_LOAN_MAX];
    const berth_want two = {.pool = other, .slots = 2, .grants = grants};
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_refused(EDEADLK, berth_acquire_within(&two, 1, text, NULL, 0),
                   "inside a run that has 1");
    assert_refused(EDEADLK, berth_acquire_within(&two, 1, text, NULL, BERTH_OWN), "2 slots");
    assert_int_equal(borrow(other, grants, text, BERTH_OWN), 0);
    assert_int_equal(level_of(other, grants), 0);
    assert_int_equal(berth_release(other, grants), 0);
    assert_refused(EINVAL, borrow(other, grants, text, 4), "flags");
    assert_refused(EINVAL, berth_acquire_within(NULL, 1, text, NULL, 0), "NULL");
    assert_refused(EINVAL, berth_acquire_within(&two, 0, text, NULL, 0), "pools");
    assert_refused(EINVAL, berth_lend(NULL, &grant, text), "NULL");
    assert_refused(EINVAL, berth_lend(lender, NULL, text), "NULL");
    assert_refused(EPERM, berth_lend(other, &grant, text), "hold");
    static const char *const rubbish[] = {
        "", " ", "b", "b/", "b/0", "b/0/0/0/0", "b/-1/0/1/1", "b/0/255/1/1", "/////", "b/0/0/1/1x"};
    for (size_t i = 0; i < sizeof rubbish / sizeof rubbish[0]; i++) {
        assert_int_equal(borrow(other, grants, rubbish[i], BERTH_TRY), 0); /* a slot of its own */
        assert_int_equal(level_of(other, grants), 0);
        assert_int_equal(berth_release(other, grants), 0);
    }
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(other), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_chain),         pool_test(test_left),    pool_test(test_few_seats),
        pool_test(test_release_waits), pool_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
