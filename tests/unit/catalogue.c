#include "catalogue.h"

#include "large.h"

/* As count_states; whether it is 0 because there are more, or they were not all explored, is in
 * `*more`. */
static uint64_t count_at_most(const struct protocol_choice *choice,
                              const struct step_params *params, uint64_t most, bool *more)
{
    static struct step_model model;
    char refused[200];
    *more = false;
    if (protocol_refuse(choice, params, refused, sizeof refused) != NULL ||
        choice->model->make(&model, params) != NULL)
        return 0;
    struct check_budget budget = {.limit = (16 << 20) + most * 400};
    struct check_limits limits = limits_of(&budget, true);
    limits.seconds = 60; /* a busy machine makes no size too large */
    limits.states = most + 1;
    struct check_report report;
    struct check_query query = {.property = CHECK_EXCLUSION};
    struct check_result result;
    if (!check_run(&model.check, &limits, &query, 1, &result, &report))
        return 0;
    check_witness_free(&report.slip.witness); /* an affordable size may be too large for a cell */
    check_witness_free(&result.witness);
    *more =
        report.states > most || (report.end != CHECK_COMPLETE && report.end != CHECK_OUT_OF_RANGE);
    return report.end == CHECK_COMPLETE && !*more ? report.states : 0;
}

uint64_t count_states(const struct protocol_choice *choice, const struct step_params *params,
                      uint64_t most)
{
    bool more;
    return count_at_most(choice, params, most, &more);
}

/* How many sizes of the choice were visited. */
static unsigned visit_sizes(const struct protocol_choice *choice, unsigned first, unsigned last,
                            uint64_t most, catalogue_visit *visit, void *context)
{
    const struct protocol *protocol = choice->protocol;
    unsigned visited = 0;
    bool more[3] = {false}; /* by l: a size was too large, and another process makes it larger */
    for (unsigned n = first; n <= last; n++) {
        for (unsigned l = 1; l <= 2 && l <= protocol->max_l; l++) {
            struct step_params params = protocol_defaults(choice);
            params.n = n;
            params.l = l;
            if (n < protocol->min_n || n > protocol->max_n || more[l] ||
                count_at_most(choice, &params, most, &more[l]) == 0)
                continue;
            visit(choice, &params, context);
            visited++;
        }
    }
    return visited;
}

/* Whether a variant may have been left out, or is listed as one that may be and was not. */
static unsigned wrongly_listed(const struct protocol_choice *choice, unsigned first, uint64_t most,
                               unsigned visited)
{
    char name[80];
    protocol_full_name(choice, name, sizeof name);
    const uint64_t above = large_above(name);
    if (visited == 0 && above < most) {
        print_error("%s: no size has at most %llu states: give it a smaller one, or list it in "
                    "tests/unit/large.c\n",
                    name, (unsigned long long)most);
        return 1;
    }
    if (visited > 0 && above >= most && first > 1) {
        print_error("%s: a size has at most %llu states: tests/unit/large.c says that none has\n",
                    name, (unsigned long long)most);
        return 1;
    }
    return 0;
}

void for_each_small(unsigned first, unsigned last, unsigned most,
                    bool (*wanted)(const struct protocol_choice *choice), catalogue_visit *visit,
                    void *context)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            if (wanted != NULL && !wanted(&choice))
                continue;
            const unsigned visited =
                visit_sizes(&choice, first, last, scaled_full(most), visit, context);
            if (scaled_full(most) == most) /* the list is for the usual effort */
                wrong += wrongly_listed(&choice, first, most, visited);
        }
    }
    assert_int_equal(wrong, 0);
}
