/*
 * Deciding on several threads. A second thread is worth it for a single state here, so that small
 * systems show it: random ones are compared with brute force, and for each number of threads with
 * one thread, to the lengths of witnesses.
 */
#include "compare.h"

#include "check/parallel.h"

static const unsigned numbers[] = {1, 2, 3, 4, 8};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

/* ---- against brute force ---- */

static void any_number_of_threads_agrees_with_brute_force(void **unused)
{
    (void)unused;
    check_worth_threads = 1;
    for (unsigned k = 0; k < NUMBERS; k++) {
        deciding_threads = numbers[k];
        random_systems(300 + k, scaled(16), (struct random_wish){.n = 2, .deaths = k % 2 != 0},
                       false);
        random_systems(400 + k, scaled(8), (struct random_wish){.n = 3}, false);
    }
}

/* ---- against one thread ---- */

enum { ASKED = CHECK_PROPERTIES };

struct said {
    struct check_result result[ASKED];
    size_t count;
};

static void ask(const struct table *table, unsigned threads, bool tight, struct said *said)
{
    struct check_budget budget = budget_of(64);
    struct check_limits limits = limits_of(&budget, true);
    struct check_query queries[ASKED];
    struct check_report report;
    limits.threads = threads;
    said->count = 0;
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        if (check_applies(&table->check, (enum check_property)p))
            queries[said->count++] =
                (struct check_query){.property = (enum check_property)p, .has_bound = tight};
    }
    assert_true(check_run(&table->check, &limits, queries, said->count, said->result, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    assert_null(report.fault);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void forget(struct said *said)
{
    for (size_t q = 0; q < said->count; q++)
        check_witness_free(&said->result[q].witness);
}

static unsigned witnesses, lassos;

static void compare_said(const struct table *table, unsigned threads, const struct said *one,
                         const struct said *many)
{
    for (size_t q = 0; q < one->count; q++) {
        const struct check_result *a = &one->result[q], *b = &many->result[q];
        witnesses += a->witness.edge != NULL;
        lassos += a->witness.stem < a->witness.length;
        if (a->answer == b->answer && a->has_bound == b->has_bound && a->bound == b->bound &&
            a->has_bound_active == b->has_bound_active && a->bound_active == b->bound_active &&
            a->witness.length == b->witness.length && a->witness.stem == b->witness.stem &&
            strcmp(a->about, b->about) == 0)
            continue;
        print_error("%s on %u threads: %d, bound %llu, %zu steps, \"%s\"; on one: %d, %llu, %zu, "
                    "\"%s\"\n",
                    check_property_name(a->query.property), threads, b->answer,
                    (unsigned long long)b->bound, b->witness.length, b->about, a->answer,
                    (unsigned long long)a->bound, a->witness.length, a->about);
        table_print(table);
        fail();
    }
}

static void any_number_of_threads_says_what_one_says(void **unused)
{
    (void)unused;
    static struct said one, many;
    struct dice dice = {77};
    check_worth_threads = 1;
    for (unsigned s = 0; s < scaled(40); s++) {
        struct table table;
        struct random_wish wish = {.n = 2 + dice_below(&dice, 2),
                                   .deaths = dice_below(&dice, 3) == 0,
                                   .doorway = dice_below(&dice, 2) == 0,
                                   .exits = dice_below(&dice, 2) == 0};
        random_table(&table, &dice, wish);
        const bool tight = dice_below(&dice, 2) == 0;
        ask(&table, 1, tight, &one);
        for (unsigned k = 1; k < NUMBERS; k++) {
            ask(&table, numbers[k], tight, &many);
            compare_said(&table, numbers[k], &one, &many);
            forget(&many);
        }
        forget(&one);
    }
    print_message("%u witnesses compared, %u of them with a cycle\n", witnesses, lassos);
    assert_true(witnesses > scaled(600));
    assert_true(lassos > scaled(100));
}

/* ---- sharing ---- */

struct count {
    unsigned threads, depth;
    _Atomic(unsigned) done;
};

static void count_piece(void *context, uint64_t piece)
{
    struct count *count = context;
    (void)piece;
    if (count->depth > 0) {
        struct count inner = {.threads = count->threads, .depth = count->depth - 1};
        check_share(count->threads, 7, count_piece, &inner);
        atomic_fetch_add(&count->done, atomic_load(&inner.done));
    } else {
        atomic_fetch_add(&count->done, 1);
    }
}

static void every_piece_is_done_once_however_deep(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < scaled(400); round++) {
        struct count count = {.threads = numbers[round % NUMBERS], .depth = round % 4};
        unsigned expected = 7;
        for (unsigned d = 0; d < count.depth; d++)
            expected *= 7;
        check_share(count.threads, 7, count_piece, &count);
        assert_int_equal(atomic_load(&count.done), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_is_done_once_however_deep),
        cmocka_unit_test(any_number_of_threads_agrees_with_brute_force),
        cmocka_unit_test(any_number_of_threads_says_what_one_says),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
