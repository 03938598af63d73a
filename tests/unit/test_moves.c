/*
 * A model makes its moves in two ways: `expand` makes all of them at once and packs what has
 * changed, `describe` makes one and packs it whole. They lead to the same states, from every state
 * of small systems of the catalogue.
 */
#include "catalogue.h"

#include "check/graph.h"

static unsigned compared;

static void compare_moves(const struct check_model *model, const uint64_t *state)
{
    uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    const struct check_moves moves = model->expand(model, state, out);
    assert_false(moves.error);
    for (unsigned e = 0; e < model->n * model->kinds; e++) {
        struct check_note note;
        const bool there = model->describe(model, state, e, next, &note);
        assert_int_equal(moves.exist >> e & 1, there);
        if (!there)
            continue;
        const bool changes = !check_same_state(state, next, model->words);
        assert_int_equal(moves.change >> e & 1, changes);
        assert_true(!changes || check_same_state(out + e * model->words, next, model->words));
        compared++;
    }
}

static void compare_all(const struct protocol_choice *choice, const struct step_params *params,
                        void *context)
{
    static struct step_model model;
    (void)context;
    for (unsigned way = 0; way < 4; way++) {
        struct step_params with = *params;
        const struct protocol *protocol = choice->protocol;
        with.symmetric = way % 2 != 0;
        with.abridged = way / 2 != 0;
        if ((with.symmetric && !protocol->symmetric) ||
            (with.abridged && (!protocol->abridges || (protocol->broken_from != 0 &&
                                                       choice->variant >= protocol->broken_from))))
            continue;
        assert_null(choice->model->make(&model, &with));
        if (with.symmetric)
            model.check.anonymous = false;
        struct check_budget budget = budget_of(1024);
        struct check_limits limits = limits_of(&budget, false);
        struct check_space space;
        struct check_graph graph;
        limits.states = 20000;
        assert_true(check_explore(&space, &model.check, &limits));
        assert_true(space.end == CHECK_COMPLETE || space.end == CHECK_TOO_MANY);
        assert_true(check_graph_freeze(&graph, &space, &limits, false));
        for (uint32_t id = 0; id < graph.count; id++)
            compare_moves(&model.check, check_graph_key(&graph, id));
        check_graph_close(&graph);
    }
}

static void expanding_and_describing_are_the_same(void **unused)
{
    (void)unused;
    for_each_small(2, 3, 4000, NULL, compare_all, NULL);
    /* The pool has more states than that: some of them do. */
    struct protocol_choice choice;
    assert_true(protocol_find("pool", &choice));
    struct step_params params = protocol_defaults(&choice);
    for (params.n = 2; params.n <= 3; params.n++)
        compare_all(&choice, &params, NULL);
    print_message("%u moves compared\n", compared);
    assert_true(compared > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expanding_and_describing_are_the_same),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
