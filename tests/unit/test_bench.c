/* What berth bench makes of its measurements: quartiles, fairness, waits, and who passed whom. */
#include "support.h"

#include "bench/overtakes.h"
#include "bench/statistics.h"

#include <math.h>

static bool near(double value, double expected, double share)
{
    return fabs(value - expected) <= share * fabs(expected);
}

/* ---- statistics ---- */

static void test_spread(void **unused)
{
    (void)unused;
    double some[] = {5, 1, NAN, 3, 2, INFINITY, 4};
    struct bench_spread spread = bench_spread_of(some, 7);
    assert_true(spread.low == 2 && spread.median == 3 && spread.high == 4);
    double two[] = {2, 1};
    spread = bench_spread_of(two, 2);
    assert_true(spread.low == 1.25 && spread.median == 1.5 && spread.high == 1.75);
    double none[] = {NAN};
    assert_true(isnan(bench_spread_of(none, 1).median) && isnan(bench_spread_of(none, 0).low));
}

static void test_quantile(void **unused)
{
    (void)unused;
    double value[200];
    for (unsigned i = 0; i < 200; i++)
        value[i] = 200 - i;
    assert_true(bench_quantile(value, 200, 0.5) == 100);
    assert_true(bench_quantile(value, 200, 0.99) == 198);
    assert_true(bench_quantile(value, 200, 1) == 200);
    assert_true(isnan(bench_quantile(value, 0, 0.5)));
}

static void test_jain(void **unused)
{
    (void)unused;
    assert_true(bench_jain((uint64_t[]){7, 7, 7}, 3) == 1);
    assert_true(near(bench_jain((uint64_t[]){0, 9, 0}, 3), 1.0 / 3, 1e-12));
    assert_true(isnan(bench_jain((uint64_t[]){0, 0}, 2)));
}

/* Against the sorted values themselves, over all sizes of them. */
static void test_histogram(void **unused)
{
    (void)unused;
    enum { COUNT = 5000 };
    static struct bench_histogram half[2];
    static double value[COUNT];
    struct dice dice = {.state = 1};
    memset(half, 0, sizeof half);
    assert_true(isnan(bench_histogram_quantile(&half[0], 0.5)));
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t number = dice_next(&dice) >> (25 + dice_below(&dice, 39));
        value[i] = (double)number;
        bench_histogram_add(&half[i % 2], number);
    }
    bench_histogram_merge(&half[0], &half[1]);
    for (double share = 0.01; share < 1; share += 0.01)
        assert_true(near(bench_histogram_quantile(&half[0], share),
                         bench_quantile(value, COUNT, share), 1.0 / 32));
    assert_true((double)half[0].max == value[COUNT - 1]);
}

/* ---- who passed whom ---- */

static struct bench_board board;
static struct bench_order order;
static const struct bench_subject silent = {.name = "silent"};

/* Numbers in order of entry, counted from 1. */
static void entries(const uint32_t *number, unsigned count)
{
    memset((void *)&board, 0, sizeof board);
    for (unsigned i = 0; i < count; i++)
        board.log[i].number = number[i];
    atomic_store(&board.entered.value, count);
    bench_order_close(&order, &board);
}

static uint64_t overtakes(unsigned slots, struct bench_watch watch)
{
    const struct bench_place place = {.subject = &silent, .slots = slots};
    struct bench_overtaken overtaken;
    order.count = 1;
    order.watch[0] = watch;
    assert_true(bench_order_count(&order, &board, &place, &overtaken));
    assert_int_equal(overtaken.watched, 1);
    assert_false(overtaken.has_by_ticket);
    return overtaken.overtakes;
}

static void test_one_slot(void **unused)
{
    (void)unused;
    /* 1 is seen asleep when 3 numbers are out and one entry has been made. */
    const struct bench_watch watch = {.number = 1, .arrivals = 3, .from = 1, .until = 1};
    /* 3 called later, and was first; but it had called before the look: nothing is proved. */
    entries((uint32_t[]){2, 3, 1, 4}, 4);
    assert_int_equal(overtakes(1, watch), 0);
    /* 4 and 5 called after the look. What comes after 1 does not count. */
    entries((uint32_t[]){2, 4, 3, 5, 1, 6}, 6);
    assert_int_equal(overtakes(1, watch), 2);
    /* 1 never entered: what is certain is what happened before the last look. */
    entries((uint32_t[]){2, 4, 5, 6}, 4);
    assert_int_equal(overtakes(1, watch), 0);
    struct bench_watch longer = watch;
    longer.until = 3;
    assert_int_equal(overtakes(1, longer), 2);
}

static void test_several_slots(void **unused)
{
    (void)unused;
    /* The same as above, and 1 may have been in when 4 came: only a later look can tell. */
    struct bench_watch watch = {.number = 1, .arrivals = 3, .from = 1, .until = 1};
    entries((uint32_t[]){2, 4, 3, 5, 1, 6}, 6);
    assert_int_equal(overtakes(2, watch), 0);
    watch.until = 2;
    assert_int_equal(overtakes(2, watch), 1);
}

static uint64_t any_ticket(const struct bench_seat *seat)
{
    (void)seat;
    return 0;
}

static void test_tickets(void **unused)
{
    (void)unused;
    static const struct bench_subject telling = {.name = "telling", .ticket = any_ticket};
    const struct bench_place place = {.subject = &telling, .slots = 1};
    struct bench_overtaken overtaken;
    /* The low halves of tickets that pass 2 to the 32nd: two neighbours changed places, twice. */
    const uint32_t ticket[] = {UINT32_MAX - 1, UINT32_MAX, 0, 2, 1, 3, 6, 5};
    entries((uint32_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    for (unsigned i = 0; i < 8; i++)
        board.log[i].ticket = ticket[i];
    order.count = 0;
    assert_true(bench_order_count(&order, &board, &place, &overtaken));
    assert_true(overtaken.has_by_ticket && overtaken.has_from_call);
    assert_int_equal(overtaken.by_ticket, 2);
    assert_int_equal(overtaken.from_call, 0);
    assert_int_equal(overtaken.overtakes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),   cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_jain),     cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_one_slot), cmocka_unit_test(test_several_slots),
        cmocka_unit_test(test_tickets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
