/*
 * The constants of Lemma 4.3 for the systems with a supervisor, counted over all their states: c2,
 * the supervisor's states where at most c1 processes try (R7), which must not grow with n; and c3,
 * the states that it goes on to from any one (R8). And that the shared variable has O(n) values.
 */
#include "support.h"

#include "fields.h"

#include "check/decide.h"
#include "check/graph.h"
#include "protocol/checked.h"

#include <stdlib.h>

static struct step_model model;

/* The supervisor's state, in one word. */
static uint64_t supervisor_of(const uint64_t *state)
{
    uint64_t code = 0;
    for (unsigned f = 0; f < model.privates; f++)
        code = code * model.private[f].values + check_get(state, model.private[f]);
    assert_true(code < UINT64_C(1) << 32);
    return code;
}

static unsigned trying(const uint64_t *state)
{
    unsigned count = 0;
    for (unsigned p = 0; p < check_workers(&model.check); p++)
        count += check_trying(check_region_of(&model.check, state, p));
    return count;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t distinct(uint64_t *array, size_t count)
{
    size_t kept = 0;
    qsort(array, count, sizeof *array, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || array[i] != array[i - 1])
            array[kept++] = array[i];
    }
    return kept;
}

struct constants {
    size_t c2, c3;
    uint64_t values; /* of the shared variable */
};

static struct constants count(const char *name, unsigned n, unsigned l, unsigned k, unsigned c1)
{
    make_model(&model, name, (struct step_params){.n = n, .l = l, .k = k});
    struct check_budget budget = budget_of(1024);
    struct check_limits limits = limits_of(&budget, true);
    struct check_space space;
    struct check_graph graph;
    assert_true(check_explore(&space, &model.check, &limits));
    assert_int_equal(space.end, CHECK_COMPLETE);
    assert_true(check_graph_freeze(&graph, &space, &limits, false));
    uint64_t *few = calloc(graph.count, sizeof *few), *pairs = calloc(graph.count, sizeof *pairs);
    assert_non_null(few);
    assert_non_null(pairs);
    size_t fews = 0;
    for (uint32_t id = 0; id < graph.count; id++) {
        const uint64_t *state = check_graph_key(&graph, id);
        uint64_t next[CHECK_MAX_WORDS];
        struct check_note note;
        assert_true(model.check.describe(&model.check, state, n, next, &note));
        pairs[id] = supervisor_of(state) << 32 | supervisor_of(next);
        if (trying(state) <= c1)
            few[fews++] = supervisor_of(state);
    }
    struct constants constants = {.c2 = distinct(few, fews)};
    const size_t edges = distinct(pairs, graph.count);
    for (size_t i = 0, run = 0; i < edges; i++) {
        run = i > 0 && pairs[i] >> 32 == pairs[i - 1] >> 32 ? run + 1 : 1;
        constants.c3 = run > constants.c3 ? run : constants.c3;
    }
    constants.values = check_count_whole(&graph);
    free(few);
    free(pairs);
    check_graph_close(&graph);
    print_message("%s n=%u l=%u k=%u: c1 = %u, c2 = %zu, c3 = %zu, %llu values\n", name, n, l, k,
                  c1, constants.c2, constants.c3, (unsigned long long)constants.values);
    return constants;
}

/* c1 = l(k-1) + 2k-2; at most max(2^l, l+3) codes. */
static void buckets(void **unused)
{
    (void)unused;
    const struct constants four = count("flbb-buckets", 4, 1, 2, 3);
    assert_true(four.c3 <= 4);
    assert_true(four.c3 > 1);
    if (SANITIZED)
        return;
    const struct constants five = count("flbb-buckets", 5, 1, 2, 3);
    assert_int_equal(five.c2, four.c2);
    assert_int_equal(five.c3, four.c3);
    const struct constants three = count("flbb-buckets", 3, 1, 2, 3);
    assert_int_equal(five.values - four.values, four.values - three.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(buckets)};
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
