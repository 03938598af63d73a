/*
 * Too little memory is never an answer. Every property of small systems is decided with as much
 * memory as it wants; and then again and again, each time with one request for memory fewer that is
 * granted. What is said then is what was said before, or nothing.
 */
#include "catalogue.h"

#include "check/parallel.h"

struct sweep {
    const struct check_model *model;
    const char *name;
    struct check_query query;
    struct check_result whole; /* with all the memory that it wants */
    unsigned threads;
};

static unsigned asked, undecided, contradicted;

/* From request number `from` on there is no memory; 0: there is enough. Returns whether it ran. */
static bool ask(const struct sweep *sweep, uint64_t from, struct check_result *result,
                struct check_report *report, uint64_t *requests)
{
    struct check_budget budget = {.limit = UINT64_C(1) << 30, .refuse_from = from};
    struct check_limits limits = limits_of(&budget, true);
    limits.threads = sweep->threads;
    check_worth_threads = 1; /* where there are two, both are at work */
    const bool ran = check_run(sweep->model, &limits, &sweep->query, 1, result, report);
    assert_int_equal(atomic_load(&budget.used), 0);
    *requests = atomic_load(&budget.requests);
    return ran;
}

static bool same_answer(const struct check_result *a, const struct check_result *b)
{
    return a->answer == b->answer && a->has_bound == b->has_bound && a->bound == b->bound &&
           a->has_bound_active == b->has_bound_active && a->bound_active == b->bound_active &&
           (b->witness.edge == NULL ||
            (a->witness.length == b->witness.length && a->witness.stem == b->witness.stem));
}

/* A part of the graph may show that a property fails, and by how much is not known then. */
static bool agrees(const struct sweep *sweep, const struct check_result *result,
                   const struct check_report *report)
{
    if (report->end != CHECK_COMPLETE)
        return result->answer == CHECK_FAILS && sweep->whole.answer == CHECK_FAILS &&
               !result->has_bound;
    return same_answer(&sweep->whole, result);
}

/* Whether the exploration came to its end. */
static bool ask_with(const struct sweep *sweep, uint64_t from)
{
    struct check_result result;
    struct check_report report;
    uint64_t requests = 0;
    asked++;
    if (!ask(sweep, from, &result, &report, &requests))
        return false;
    assert_null(report.fault);
    if (result.answer == CHECK_UNDECIDED) {
        undecided++;
        assert_null(result.witness.edge);
    } else if (!agrees(sweep, &result, &report)) {
        contradicted++;
        print_error("%s, %s, %u threads, no memory from request %u on: answer %d and not %d, "
                    "bound %llu and not %llu, %zu steps and not %zu\n",
                    sweep->name, check_property_name(sweep->query.property), sweep->threads,
                    (unsigned)from, result.answer, sweep->whole.answer,
                    (unsigned long long)result.bound, (unsigned long long)sweep->whole.bound,
                    result.witness.length, sweep->whole.witness.length);
    }
    check_witness_free(&result.witness);
    return report.end == CHECK_COMPLETE;
}

static void sweep_memory(struct sweep *sweep)
{
    struct check_report report;
    uint64_t requests = 0;
    assert_true(ask(sweep, 0, &sweep->whole, &report, &requests));
    assert_int_equal(report.end, CHECK_COMPLETE);
    /* Every request of the decision, and some of the exploration. */
    const unsigned next = some_is_enough() ? 5 : 1;
    for (uint64_t from = 1; from <= requests;)
        from += ask_with(sweep, from) ? next : 1 + requests / 4;
    check_witness_free(&sweep->whole.witness);
}

/* The properties of the set `only`; 0: all. */
static void sweep_all(const char *name, unsigned n, unsigned l, uint64_t only)
{
    static struct step_model model;
    struct protocol_choice choice;
    assert_true(protocol_find(name, &choice));
    struct step_params params = protocol_defaults(&choice);
    params.n = n;
    params.l = l;
    assert_null(choice.model->make(&model, &params));
    for (unsigned p = 0; p < CHECK_PROPERTIES; p++) {
        const enum check_property property = (enum check_property)p;
        if ((only != 0 && (only >> p & 1) == 0) || !check_applies(&model.check, property) ||
            (p == CHECK_WAIT_FREE_DOORWAY && !choice.model->has_doorway))
            continue;
        for (unsigned tight = only != 0 || p % 2; tight < 2; tight++) {
            struct sweep sweep = {.model = &model.check,
                                  .name = name,
                                  .query = {.property = property, .has_bound = tight != 0},
                                  .threads = 1 + (p + tight) % 2};
            sweep_memory(&sweep);
        }
    }
}

static void too_little_memory_is_no_answer(void **unused)
{
    (void)unused;
    const uint64_t enabling = UINT64_C(1) << CHECK_L_FULL | UINT64_C(1) << CHECK_FIFO_ENABLING |
                              UINT64_C(1) << CHECK_BOUNDED_WAITING_ENABLING |
                              UINT64_C(1) << CHECK_FIRST_IN_FIRST_ENABLED |
                              UINT64_C(1) << CHECK_OVERTAKING;
    /* One with everything in it, and others for what it does not have, or what needs more
     * states. */
    sweep_all("flbb-colored", 3, 2, enabling);
    sweep_all("flbb-queue", 4, 2, UINT64_C(1) << CHECK_QUEUELIKE);
    sweep_all("burns-c", 4, 1,
              UINT64_C(1) << CHECK_LOCKOUT_FREE | UINT64_C(1) << CHECK_BOUNDED_WAITING);
    sweep_all("dining/printed", 2, 1, 0);
    sweep_all("flbb-buckets", 2, 1, UINT64_C(1) << CHECK_KL_DEADLOCK_FREE);
    sweep_all("pool/no-recheck", 2, 1, UINT64_C(1) << CHECK_EXCLUSION);
    if (!SANITIZED)
        sweep_all("dining/printed", 3, 1, UINT64_C(1) << CHECK_RESPONSIVE);
    print_message("%u runs, %u of them undecided\n", asked, undecided);
    assert_int_equal(contradicted, 0);
    assert_true(undecided > asked / 8);
    assert_true(undecided < asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_little_memory_is_no_answer),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
