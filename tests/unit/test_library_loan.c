/* Slots that are lent, within one program: the calls, and what they refuse. (What kills do to loans
 * is for tests/cli/loan-kills.sh and tests/torture/loans.c.) */
#include "library_support.h"

#include "os/range_lock.h"
#include "pool/heir.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

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

/* ---- one grant, one handle, several threads ---- */

enum { THREAD_ROUNDS = 200 };

/* A call that a thread makes at the same moment as another one. */
struct racer {
    _Atomic(unsigned) *start; /* how many are there: they spin until both are */
    berth_pool *pool;
    const berth_grant *grant;
    const char *loans; /* to borrow by; NULL: it lends the grant */
    bool releases;     /* it releases the grant */
    berth_grant lent;
    char text[BERTH_LOAN_MAX];
    int result;
};

static void *race(void *context)
{
    struct racer *racer = context;
    const berth_want want = {racer->pool, 1, &racer->lent};
    atomic_fetch_add(racer->start, 1);
    for (unsigned spins = 0; atomic_load(racer->start) < 2; spins++) {
        if (spins > 10000)
            sched_yield(); /* the other one has no processor */
    }
    /* In parentheses: without a look at the handle, which would keep the two threads apart. */
    racer->result = racer->releases ? (berth_release)(racer->pool, racer->grant)
                    : racer->loans != NULL
                        ? (berth_acquire_within)(&want, 1, racer->loans, NULL, BERTH_TRY)
                        : (berth_lend)(racer->pool, racer->grant, racer->text);
    return NULL;
}

static void race_two(struct racer racers[2])
{
    _Atomic(unsigned) start = 0;
    pthread_t thread[2];
    for (unsigned i = 0; i < 2; i++) {
        racers[i].start = &start;
        assert_int_equal(pthread_create(&thread[i], NULL, race, &racers[i]), 0);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

/* Two threads lend one grant: it is one loan. */
static void test_lend_twice(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *pool = open_slots(fixture, "a", 1);
    berth_grant grant;
    for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
        assert_int_equal(berth_acquire(pool, &grant), 0);
        struct racer racers[2] = {{.pool = pool, .grant = &grant}, {.pool = pool, .grant = &grant}};
        race_two(racers);
        assert_int_equal(racers[0].result, 0);
        assert_int_equal(racers[1].result, 0);
        assert_string_equal(racers[0].text, racers[1].text);
        assert_int_equal(berth_release(pool, &grant), 0);
        assert_refused(EPERM, berth_release(pool, &grant), "hold");
        assert_int_equal(count_free(fixture, "a"), 1);
    }
    assert_int_equal(berth_close(pool), 0);
}

/* One thread lends a grant that another one releases: the release counts, and counts once. */
static void test_lend_beside_release(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *pool = open_slots(fixture, "a", 1);
    berth_grant grant;
    for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
        assert_int_equal(berth_acquire(pool, &grant), 0);
        struct racer racers[2] = {{.pool = pool, .grant = &grant},
                                  {.pool = pool, .grant = &grant, .releases = true}};
        race_two(racers);
        assert_true(racers[0].result == 0 || racers[0].result == EPERM);
        assert_int_equal(racers[1].result, 0);
        assert_refused(EPERM, berth_release(pool, &grant), "hold");
        assert_int_equal(count_free(fixture, "a"), 1);
    }
    assert_int_equal(berth_close(pool), 0);
}

/* A handle borrows a slot once, also where its threads ask at the same moment. */
static void test_borrow_twice(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *pool = open_slots(fixture, "a", 1);
    berth_grant grant, first, second;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(pool, &first, text, BERTH_TRY), 0);
    assert_int_equal(borrow(pool, &second, text, BERTH_TRY), EBUSY);
    assert_int_equal(berth_release(pool, &first), 0);
    for (unsigned round = 0; round < THREAD_ROUNDS; round++) {
        struct racer racers[2] = {{.pool = pool, .loans = text}, {.pool = pool, .loans = text}};
        race_two(racers);
        const unsigned winner = racers[0].result == 0 ? 0 : 1;
        assert_int_equal(racers[winner].result, 0);
        assert_int_equal(racers[1 - winner].result, EBUSY);
        assert_int_equal(berth_release(pool, &racers[winner].lent), 0);
    }
    assert_int_equal(berth_release(lender, &grant), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* One call that names a handle twice borrows two slots. */
static void test_want_twice(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "b", 2), *pool = open_slots(fixture, "b", 2);
    berth_grant grants[2], lent[2];
    char text[2 * BERTH_LOAN_MAX];
    const berth_want both = {.pool = lender, .slots = 2, .grants = grants};
    const berth_want twice[2] = {{.pool = pool, .slots = 1, .grants = &lent[0]},
                                 {.pool = pool, .slots = 1, .grants = &lent[1]}};
    assert_int_equal(berth_acquire_all(&both, 1), 0);
    assert_int_equal(berth_lend(lender, &grants[0], text), 0);
    strcat(text, " ");
    assert_int_equal(berth_lend(lender, &grants[1], text + strlen(text)), 0);
    assert_int_equal(berth_acquire_within(twice, 2, text, NULL, 0), 0);
    assert_int_not_equal(lent[0].slot, lent[1].slot);
    assert_int_equal(berth_release_all(twice, 2), 0);
    assert_int_equal(berth_release_all(&both, 1), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(pool), 0);
}

/* ---- cancellation ---- */

struct within {
    berth_want wants[2];
    const char *loans;
};

static void *wait_within(void *context)
{
    struct within *within = context;
    berth_acquire_within(within->wants, 2, within->loans, NULL, 0);
    return NULL;
}

/* A thread that is cancelled while it waits for the rest gives its loans back. */
static void test_cancel_within(void **state)
{
    SKIP_WITH_SANITIZER;
    const struct fixture *fixture = *state;
    berth_pool *a = open_slots(fixture, "a", 1), *b = open_slots(fixture, "b", 1),
               *inner_a = open_slots(fixture, "a", 1), *inner_b = open_slots(fixture, "b", 1),
               *other = open_slots(fixture, "a", 1);
    berth_grant in_a, in_b, lent[2], again;
    char text[BERTH_LOAN_MAX];
    pthread_t thread;
    assert_int_equal(berth_acquire(a, &in_a), 0);
    assert_int_equal(berth_acquire(b, &in_b), 0);
    assert_int_equal(berth_lend(a, &in_a, text), 0);
    struct within within = {{{inner_a, 1, &lent[0]}, {inner_b, 1, &lent[1]}}, text};
    assert_int_equal(pthread_create(&thread, NULL, wait_within, &within), 0);
    eventually(2000, borrow(other, &again, text, BERTH_TRY) == EBUSY ||
                         berth_release(other, &again) != 0);
    sleep_ms(30);
    assert_int_equal(pthread_cancel(thread), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(borrow(other, &again, text, BERTH_TRY), 0);
    assert_int_equal(berth_release(other, &again), 0);
    assert_int_equal(berth_release(a, &in_a), 0);
    assert_int_equal(berth_release(b, &in_b), 0);
    assert_int_equal(berth_try_acquire(inner_b, &again), 0); /* no place in line is left */
    assert_int_equal(berth_release(inner_b, &again), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(berth_close((berth_pool *[]){a, b, inner_a, inner_b, other}[i]), 0);
}

/* A release of a lent slot is no cancellation point: it comes to its end. */
static void test_cancel_release(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1);
    berth_grant grant, lent;
    char text[BERTH_LOAN_MAX];
    pthread_t thread;
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    struct release release = {lender, &grant, -1};
    assert_int_equal(pthread_create(&thread, NULL, release_later, &release), 0);
    sleep_ms(30);
    assert_int_equal(pthread_cancel(thread), 0);
    sleep_ms(10);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(release.result, 0);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(borrower), 0);
}

/* ---- descriptors ---- */

/* The program has closed the descriptor: nothing is known of the loans, and nothing is waited
 * for. */
static void test_closed_descriptor(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1);
    berth_grant grant;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(close(berth_fd(lender)), 0);
    assert_refused(EBADF, berth_release(lender, &grant), "descriptor");
    berth_close(lender);
    eventually(2000, count_free(fixture, "a") == 1);
}

/* A handle of the lender's own process that asks within its loans, while the lender's descriptor
 * is left to programs: it is not a copy that was inherited. */
static void test_own_descriptors(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *second = open_slots(fixture, "a", 1);
    berth_grant grant, lent;
    struct timespec left;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(fcntl(berth_fd(lender), F_SETFD, 0), 0);
    assert_int_equal(borrow(second, &lent, text, BERTH_TRY), 0);
    assert_int_equal(berth_good_for(lender, &grant, &left), 0);
    assert_int_equal(berth_release(second, &lent), 0);
    assert_int_equal(berth_release(lender, &grant), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(second), 0);
}

/* A borrowed grant that is lent on is released as any other: the call waits until it is back. */
static void test_release_waits_in_the_middle(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *middle = open_slots(fixture, "a", 1),
               *inner = open_slots(fixture, "a", 1);
    berth_grant grant, lent, deep;
    char text[BERTH_LOAN_MAX], more[BERTH_LOAN_MAX];
    pthread_t thread;
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(middle, &lent, text, 0), 0);
    assert_int_equal(berth_lend(middle, &lent, more), 0);
    assert_int_equal(borrow(inner, &deep, more, 0), 0);
    struct release release = {middle, &lent, -1};
    assert_int_equal(pthread_create(&thread, NULL, release_later, &release), 0);
    sleep_ms(50);
    assert_int_equal(release.result, -1);
    assert_int_equal(berth_release(inner, &deep), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(release.result, 0);
    assert_int_equal(berth_release(lender, &grant), 0);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(middle), 0);
    assert_int_equal(berth_close(inner), 0);
}

/* ---- what a borrower's own handle sees ---- */

/* The lender has ended, and the borrower's handle looks for slots of the dead: the one that it
 * works in is none. The kernel does not show it its own locks. */
static void test_own_loan_is_no_free_slot(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1);
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_try_acquire(borrower, &other), EBUSY);
    const struct timespec soon = in_ms(50);
    assert_int_equal(berth_acquire_until(borrower, &other, &soon), ETIMEDOUT);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(berth_try_acquire(borrower, &other), 0);
    assert_int_equal(berth_close(borrower), 0);
}

/* A lender that waits in its release lends on, so that no run inside waits for the slot itself. */
static void test_lends_while_it_waits(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1),
               *next = open_slots(fixture, "a", 1);
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    pthread_t thread;
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    struct release release = {lender, &grant, -1};
    assert_int_equal(pthread_create(&thread, NULL, release_later, &release), 0);
    sleep_ms(150); /* then it looks again after a tenth of a second only */
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(borrow(next, &other, text, 0), 0);
    assert_int_equal(level_of(next, &other), 1);
    assert_int_equal(berth_release(next, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(release.result, 0);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(borrower), 0);
    assert_int_equal(berth_close(next), 0);
}

struct inside {
    berth_pool *pool;
    berth_grant grant;
    const char *loans;
    int result;
};

static void *borrow_later(void *context)
{
    struct inside *inside = context;
    inside->result = borrow(inside->pool, &inside->grant, inside->loans, 0);
    return NULL;
}

/* A run waits for what the nearest of the runs around it lends, and that one ends: then the next
 * one around it lends to it. */
static void test_the_nearest_lender_ends(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *outer = open_slots(fixture, "a", 1), *middle = open_slots(fixture, "a", 1),
               *other = open_slots(fixture, "a", 1);
    struct inside inside = {.pool = open_slots(fixture, "a", 1), .result = -1};
    berth_grant grant, lent, deep;
    char text[BERTH_LOAN_MAX], both[2 * BERTH_LOAN_MAX];
    pthread_t thread;
    assert_int_equal(berth_acquire(outer, &grant), 0);
    assert_int_equal(berth_lend(outer, &grant, text), 0);
    assert_int_equal(borrow(middle, &lent, text, 0), 0);
    assert_int_equal(berth_lend(middle, &lent, both), 0);
    assert_int_equal(borrow(other, &deep, both, 0), 0);
    strcat(strcat(both, " "), text);
    inside.loans = both;
    assert_int_equal(pthread_create(&thread, NULL, borrow_later, &inside), 0);
    sleep_ms(30);
    assert_int_equal(berth_close(middle), 0);
    assert_int_equal(berth_release(other, &deep), 0);
    eventually(2000, inside.result == 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(level_of(inside.pool, &inside.grant), 1);
    assert_int_equal(berth_release(inside.pool, &inside.grant), 0);
    assert_int_equal(berth_release(outer, &grant), 0);
    assert_int_equal(count_free(fixture, "a"), 1);
    assert_int_equal(berth_close(outer), 0);
    assert_int_equal(berth_close(other), 0);
    assert_int_equal(berth_close(inside.pool), 0);
}

/* The heir keeps the seat and the loans when the handle's own descriptor is gone, and nothing when
 * they were given back; it cannot write. */
static void test_heir(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1),
               *outside = open_slots(fixture, "a", 1);
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    const int heir = dup(heir_fd(lender));
    assert_true(heir >= 0);
    assert_int_equal(heir_fd(lender), heir_fd(lender));
    assert_int_equal(ftruncate(heir, 0), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(fcntl(heir, F_GETFL) & O_ACCMODE, O_RDONLY);
    /* Killed, but for what its command has inherited: as if the process ended. */
    struct queue *queue = &lender->queue;
    assert_int_equal(os_lock_drop(queue->file.fd, (struct os_range){0}), 0);
    assert_int_equal(berth_try_acquire(outside, &other), EBUSY);
    assert_int_equal(borrow(borrower, &lent, text, BERTH_TRY), 0);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(berth_try_acquire(outside, &other), EBUSY);
    assert_int_equal(berth_release(lender, &grant), 0);
    assert_int_equal(berth_try_acquire(outside, &other), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(borrow(borrower, &lent, text, BERTH_TRY), EBUSY);
    close(heir);
    assert_int_equal(berth_release(outside, &other), 0);
    assert_int_equal(berth_close(borrower), 0);
    assert_int_equal(berth_close(outside), 0);
}

/* A borrower's heir keeps the loan. */
static void test_heir_of_a_loan(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "a", 1), *borrower = open_slots(fixture, "a", 1),
               *next = open_slots(fixture, "a", 1);
    berth_grant grant, lent, other;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    const int heir = dup(heir_fd(borrower));
    assert_int_equal(os_lock_drop(borrower->queue.file.fd, (struct os_range){0}), 0);
    assert_int_equal(borrow(next, &other, text, BERTH_TRY), EBUSY);
    close(heir);
    assert_int_equal(berth_close(borrower), 0);
    assert_int_equal(borrow(next, &other, text, BERTH_TRY), 0);
    assert_int_equal(berth_release(next, &other), 0);
    assert_int_equal(berth_release(lender, &grant), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(next), 0);
}

/* ---- seats ---- */

/* All seats are taken, by a holder and by runs that wait: one that can borrow needs none. */
static void test_borrows_without_a_seat(void **state)
{
    const struct fixture *fixture = *state;
    berth_options options = fixture->options;
    options.slots = 1;
    options.seats = 1;
    berth_pool *lender, *borrower = NULL;
    berth_grant grant, lent, deep;
    char text[BERTH_LOAN_MAX];
    assert_int_equal(berth_open(&lender, "few", &options), 0);
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(berth_open(&borrower, "few", &options), EUSERS);
    options.flags = POOL_UNSEATED;
    assert_int_equal(berth_open(&borrower, "few", &options), 0);
    assert_refused(EUSERS, berth_try_acquire(borrower, &lent), "seats");
    assert_refused(EUSERS, berth_acquire_unless(borrower, &lent, NULL, &(int){0}), "seats");
    const berth_want want = {borrower, 1, &lent};
    assert_refused(EUSERS, berth_try_acquire_all(&want, 1), "seats");
    assert_refused(EPERM, berth_release(borrower, &grant), "hold");
    assert_int_equal(berth_slots(borrower), 1);
    assert_int_equal(borrow(borrower, &lent, text, 0), 0);
    assert_int_equal(borrow(borrower, &deep, text, BERTH_TRY), EBUSY);
    const struct timespec soon = in_ms(30);
    const berth_want once_more = {borrower, 1, &deep};
    assert_int_equal(berth_acquire_within(&once_more, 1, text, &soon, 0), ETIMEDOUT);
    assert_int_equal(level_of(borrower, &lent), 1);
    assert_true(heir_fd(borrower) >= 0);
    assert_int_equal(berth_close(lender), 0); /* it gives up its seat, which the slot keeps */
    assert_int_equal(borrow(borrower, &deep, text, BERTH_TRY), EBUSY);
    assert_int_equal(berth_release(borrower, &lent), 0);
    assert_int_equal(borrow(borrower, &deep, text, 0), 0); /* a slot and a seat of its own */
    assert_int_equal(level_of(borrower, &deep), 0);
    assert_int_equal(berth_release(borrower, &deep), 0);
    assert_int_equal(berth_acquire(borrower, &deep), 0);
    assert_int_equal(berth_close(borrower), 0);
}

/* ---- the last level ---- */

static void test_deepest(void **state)
{
    enum { LEVELS = 255 };
    const struct fixture *fixture = *state;
    static berth_pool *pool[LEVELS + 1];
    static berth_grant grant[LEVELS + 1];
    static char text[LEVELS + 1][BERTH_LOAN_MAX];
    for (unsigned i = 0; i <= LEVELS; i++)
        pool[i] = open_slots(fixture, "b", 2);
    assert_int_equal(berth_acquire(pool[0], &grant[0]), 0);
    for (unsigned i = 0; i < LEVELS; i++) {
        assert_int_equal(berth_lend(pool[i], &grant[i], text[i]), 0);
        if (i + 1 < LEVELS)
            assert_int_equal(borrow(pool[i + 1], &grant[i + 1], text[i], BERTH_TRY), 0);
    }
    assert_int_equal(level_of(pool[LEVELS - 1], &grant[LEVELS - 1]), LEVELS - 1);
    /* Inside of all of them: another slot if there is one, and never a wait for this one. */
    assert_int_equal(borrow(pool[LEVELS], &grant[LEVELS], text[LEVELS - 1], 0), 0);
    assert_int_equal(level_of(pool[LEVELS], &grant[LEVELS]), 0);
    berth_pool *more = open_slots(fixture, "b", 2);
    berth_grant none;
    assert_refused(EDEADLK, borrow(more, &none, text[LEVELS - 1], 0), "255");
    assert_int_equal(berth_release(pool[LEVELS], &grant[LEVELS]), 0);
    for (unsigned i = LEVELS; i-- > 0;)
        assert_int_equal(berth_release(pool[i], &grant[i]), 0);
    assert_int_equal(count_free(fixture, "b"), 2);
    for (unsigned i = 0; i <= LEVELS; i++)
        assert_int_equal(berth_close(pool[i]), 0);
    assert_int_equal(berth_close(more), 0);
}

/* ---- pools that change meanwhile ---- */

static void *shrink_and_give_back(void *context)
{
    const berth_want *lent = context;
    sleep_ms(50);
    berth_resize(lent->pool, 1);
    sleep_ms(50);
    berth_release(lent->pool, lent->grants);
    return NULL;
}

/* Two slots that are lent are waited for, and the pool shrinks to one: they still come back. */
static void test_shrinks_while_loans_are_awaited(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "b", 2), *first = open_slots(fixture, "b", 2),
               *second = open_slots(fixture, "b", 2);
    berth_grant grants[2], lent, both[2];
    char text[2 * BERTH_LOAN_MAX];
    pthread_t thread;
    const berth_want all = {lender, 2, grants}, one = {first, 1, &lent}, two = {second, 2, both};
    assert_int_equal(berth_acquire_all(&all, 1), 0);
    assert_int_equal(berth_lend(lender, &grants[0], text), 0);
    strcat(text, " ");
    assert_int_equal(berth_lend(lender, &grants[1], text + strlen(text)), 0);
    assert_int_equal(berth_acquire_within(&one, 1, text, NULL, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, shrink_and_give_back, (void *)&one), 0);
    assert_int_equal(berth_acquire_within(&two, 1, text, NULL, 0), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(berth_release_all(&two, 1), 0);
    assert_int_equal(berth_release_all(&all, 1), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(first), 0);
    assert_int_equal(berth_close(second), 0);
}

/* With BERTH_OWN in a drained pool: it waits until there are slots again. */
static void test_own_in_a_drained_pool(void **state)
{
    const struct fixture *fixture = *state;
    berth_pool *lender = open_slots(fixture, "b", 2), *inner = open_slots(fixture, "b", 2);
    berth_grant grant, own;
    char text[BERTH_LOAN_MAX];
    const berth_want want = {inner, 1, &own};
    assert_int_equal(berth_acquire(lender, &grant), 0);
    assert_int_equal(berth_lend(lender, &grant, text), 0);
    assert_int_equal(berth_resize(lender, 0), 0);
    const struct timespec soon = in_ms(30);
    assert_int_equal(berth_acquire_within(&want, 1, text, &soon, BERTH_OWN), ETIMEDOUT);
    assert_int_equal(berth_resize(lender, 2), 0);
    assert_int_equal(berth_acquire_within(&want, 1, text, NULL, BERTH_OWN), 0);
    assert_int_equal(berth_release(inner, &own), 0);
    assert_int_equal(berth_release(lender, &grant), 0);
    assert_int_equal(berth_close(lender), 0);
    assert_int_equal(berth_close(inner), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_chain),
        pool_test(test_left),
        pool_test(test_few_seats),
        pool_test(test_release_waits),
        pool_test(test_refused),
        pool_test(test_own_loan_is_no_free_slot),
        pool_test(test_lends_while_it_waits),
        pool_test(test_heir),
        pool_test(test_the_nearest_lender_ends),
        pool_test(test_heir_of_a_loan),
        pool_test(test_borrows_without_a_seat),
        pool_test(test_deepest),
        pool_test(test_shrinks_while_loans_are_awaited),
        pool_test(test_own_in_a_drained_pool),
        pool_test(test_lend_twice),
        pool_test(test_lend_beside_release),
        pool_test(test_borrow_twice),
        pool_test(test_want_twice),
        pool_test(test_cancel_within),
        pool_test(test_cancel_release),
        pool_test(test_closed_descriptor),
        pool_test(test_own_descriptors),
        pool_test(test_release_waits_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
