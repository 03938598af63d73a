/* A thread that is to be cancelled, and calls the library: calls that do not wait go on to their
 * end, and none leaves anything behind. */
#include "library_support.h"

struct calls {
    const struct fixture *fixture;
    berth_pool *pool, *other;
    const char *failed; /* the call that did not do what it has to do */
    unsigned named;
};

static int count_name(const char *name, void *context)
{
    (void)name;
    ((struct calls *)context)->named++;
    pthread_testcancel(); /* as any call that the program may make here */
    return 0;
}

static int count_user(const berth_user *user, void *context)
{
    return count_name(user->command, context);
}

#define expect(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            calls->failed = #condition;                                                            \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

/* With a cancellation that is due from the beginning. */
static void *call_all(void *context)
{
    struct calls *calls = context;
    const berth_options *options = &calls->fixture->options;
    char text[BERTH_LOAN_MAX];
    struct timespec left;
    berth_grant grant, other;
    berth_view *view;
    berth_pool *pool;
    unsigned level;
    pthread_cancel(pthread_self());
    expect(berth_open(&pool, "c", options) == 0 && berth_lost_fd(pool) >= 0);
    expect(berth_close(pool) == 0);
    expect(berth_look(&view, "a", options) == 0);
    berth_view_free(view);
    expect(berth_list(options, count_name, calls) == 0 && calls->named == 3);
    expect(berth_openers("a", options, count_user, calls) == 0 && calls->named == 4);
    expect(berth_remove("c", options) == 0);
    expect(berth_try_acquire(calls->pool, &grant) == 0);
    expect(berth_good_for(calls->pool, &grant, &left) == 0);
    expect(berth_describe(calls->pool, 1, "x") == 0 && berth_interrupt(calls->pool) == 0);
    expect(berth_resize(calls->pool, 2) == 0 && berth_slots(calls->pool) == 2);
    expect(berth_try_acquire(calls->pool, &other) == 0);
    expect(berth_try_acquire(calls->pool, &other) == EBUSY);
    expect(berth_release(calls->pool, &other) == 0);
    expect(berth_lend(calls->pool, &grant, text) == 0);
    expect(berth_loan_level(calls->pool, &grant, &level) == 0);
    expect(berth_release(calls->pool, &grant) == 0);
    const berth_want wants[] = {{calls->pool, 1, &grant}, {calls->other, 1, &other}};
    expect(berth_try_acquire_all(wants, 2) == 0 && berth_release_all(wants, 2) == 0);
    return calls;
}

static void test_calls_that_do_not_wait(void **state)
{
    struct fixture *fixture = *state;
    struct calls calls = {.fixture = fixture,
                          .pool = open_slots(fixture, "a", 1),
                          .other = open_slots(fixture, "b", 1)};
    void *result;
    pthread_t thread;
    const unsigned before = count_descriptors();
    assert_int_equal(pthread_create(&thread, NULL, call_all, &calls), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    if (calls.failed != NULL)
        fail_msg("not so: %s", calls.failed);
    assert_ptr_equal(result, &calls); /* it was not cancelled */
    assert_int_equal(count_descriptors(), before);
    assert_int_equal(count_free(fixture, "a"), 2);
    assert_int_equal(berth_close(calls.pool), 0);
    assert_int_equal(berth_close(calls.other), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        pool_test(test_calls_that_do_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
