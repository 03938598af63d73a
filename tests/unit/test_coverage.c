/* What was never done: by tables, by looking through all states, and by describing every move of
 * every state here, it has to be the same. */
#include "catalogue.h"
#include "visited.h"

#include "check/check.h"

#include <string.h>

static unsigned differences, compared;

/* All points and regions, by a search of the test's own. */
static void cover_by_hand(const struct check_model *model, struct check_coverage *coverage)
{
    struct visited visited;
    uint64_t first[CHECK_MAX_WORDS];
    *coverage = (struct check_coverage){.known = true, .whole = true};
    visited_open(&visited, model->words);
    model->initial(model, first);
    visited_add(&visited, first);
    for (size_t s = 0; s < visited.count; s++) {
        uint64_t from[CHECK_MAX_WORDS], to[CHECK_MAX_WORDS];
        memcpy(from, visited.state[s], sizeof from);
        for (unsigned p = 0; p < check_workers(model); p++)
            coverage->regions |= (uint8_t)(1U << check_region_of(model, from, p));
        for (unsigned e = 0; e < model->n * model->kinds; e++) {
            struct check_note note = {.label = "", .cell = -1};
            if (!model->describe(model, from, e, to, &note))
                continue;
            check_make_point(coverage, note.point);
            check_make_point(coverage, note.outcome);
            visited_add(&visited, to);
        }
    }
    visited_close(&visited);
}

static void compare(const struct protocol_choice *choice, const struct step_params *params,
                    void *context)
{
    static struct step_model model;
    static struct check_coverage expected;
    char name[80];
    (void)context;
    protocol_full_name(choice, name, sizeof name);
    assert_null(choice->model->make(&model, params));
    cover_by_hand(&model.check, &expected);
    for (unsigned way = 0; way < 4; way++) {
        static struct check_report report;
        struct check_budget budget = budget_of(512);
        struct check_limits limits = limits_of(&budget, way % 2 == 1);
        const struct check_query query = {.property = CHECK_EXCLUSION};
        struct check_result result;
        limits.plain = way >= 2;
        assert_true(check_run(&model.check, &limits, &query, 1, &result, &report));
        check_witness_free(&result.witness);
        assert_int_equal(report.end, CHECK_COMPLETE);
        assert_true(report.coverage.known && report.coverage.whole);
        compared++;
        bool same = report.coverage.regions == expected.regions;
        for (unsigned point = 1; point <= model.check.points; point++)
            same &= check_is_made(&report.coverage, point) == check_is_made(&expected, point);
        if (same)
            continue;
        print_error("%s, n = %u: way %u differs\n", name, (unsigned)params->n, way);
        differences++;
    }
}

static void every_way_misses_the_same(void **state)
{
    (void)state;
    differences = compared = 0;
    for_each_small(2, 3, 3500, NULL, compare, NULL);
    print_message("%u compared\n", compared);
    assert_int_equal(differences, 0);
    assert_true(compared > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way_misses_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
