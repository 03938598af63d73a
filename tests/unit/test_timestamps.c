/* Proposition 3.1 as it is looked at in history.inc: each of its five parts can be seen to fail. */
#include "support.h"

#include "fields.h"

#include "check/exploration.h"
#include "check/graph.h"
#include "protocol/checked.h"

/* The invariants that are violated in the first `states` states. */
static uint64_t violated_by(const char *name, unsigned n, uint64_t states)
{
    static struct step_model model;
    make_model(&model, name, (struct step_params){.n = n});
    struct check_budget budget = budget_of(1024);
    struct check_limits limits = limits_of(&budget, false);
    struct check_space space;
    struct check_graph graph;
    uint64_t violated = 0;
    limits.states = states;
    assert_true(check_explore(&space, &model.check, &limits));
    assert_int_not_equal(space.end, CHECK_OUT_OF_RANGE);
    assert_true(check_graph_freeze(&graph, &space, &limits, false));
    for (uint32_t id = 0; id < graph.count; id++)
        violated |= model.check.violated(&model.check, check_graph_key(&graph, id));
    check_graph_close(&graph);
    return violated;
}

static void every_part_can_fail(void **unused)
{
    (void)unused;
    const uint64_t states = SANITIZED ? 100000 : 400000;
    const uint64_t by_value = violated_by("timestamps-unbounded/by-value", 3, states);
    const uint64_t latest = violated_by("timestamps-unbounded/latest-only", 3, states);
    print_message("by-value %llx, latest-only %llx\n", (unsigned long long)by_value,
                  (unsigned long long)latest);
    assert_int_equal(by_value | latest, 0x1f);
}

static void and_none_does_where_it_should_not(void **unused)
{
    (void)unused;
    assert_int_equal(violated_by("timestamps-unbounded", 3, 100000), 0);
    assert_int_equal(violated_by("timestamps-bounded/atomic", 3, 100000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_can_fail),
        cmocka_unit_test(and_none_does_where_it_should_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
