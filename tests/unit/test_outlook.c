/*
 * The adversary of `berth explore`: a search that runs out of memory says so. It is never taken for
 * one that looked at all states and found nothing.
 */
#include "support.h"

#include "outlook.h"
#include "protocol/checked.h"

/* What it says of the initial state where request number `more` for memory, and all after it, are
 * refused; 0: none is. */
static enum cli_broken adversary(const char *name, uint64_t more, uint64_t *requests)
{
    static struct step_model model;
    struct protocol_choice choice;
    assert_true(protocol_find(name, &choice));
    struct step_params params = protocol_defaults(&choice);
    params.n = 2;
    assert_null(choice.model->make(&model, &params));
    struct cli_outlook outlook;
    cli_outlook_open(&outlook, &model.check);
    assert_true(outlook.known);
    const uint64_t before = atomic_load(&outlook.budget.requests);
    outlook.budget.refuse_from = more == 0 ? 0 : before + more;
    uint64_t state[CHECK_MAX_WORDS];
    struct cli_schedule schedule = {0};
    model.check.initial(&model.check, state);
    const enum cli_broken found = cli_outlook_break(&outlook, state, true, &schedule);
    assert_true((found == CLI_BREAKS) == (schedule.length > 0));
    *requests = atomic_load(&outlook.budget.requests) - before;
    cli_schedule_free(&schedule);
    cli_outlook_close(&outlook);
    assert_int_equal(atomic_load(&outlook.budget.used), 0);
    return found;
}

static void no_memory_is_no_answer(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        enum cli_broken answer;
    } known[] = {{"peterson", CLI_NEVER_BREAKS}, {"rp-n/printed", CLI_BREAKS}};
    for (size_t k = 0; k < 2; k++) {
        uint64_t requests, unused_requests;
        assert_int_equal(adversary(known[k].name, 0, &requests), known[k].answer);
        assert_true(requests > 0);
        for (uint64_t more = 1; more <= requests; more++)
            assert_int_equal(adversary(known[k].name, more, &unused_requests), CLI_BREAKS_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
