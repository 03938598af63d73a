/* Singh 1993: what the checker finds with normalised ranks and with exact ones that are cut off is
 * the same; and the paper's own examples, played. */
#include "catalogue.h"
#include "fields.h"
#include "replay_ranks.h"

/* ---- normalised and exact ---- */

static const enum check_property compared[] = {
    CHECK_EXCLUSION,      CHECK_DISTINCT_SLOTS,    CHECK_DEADLOCK_FREE, CHECK_LOCKOUT_FREE,
    CHECK_FIFO,           CHECK_WAIT_FREE_DOORWAY, CHECK_RESPONSIVE,    CHECK_PRECEDENCE,
    CHECK_ACYCLIC,        CHECK_COMPARABLE,        CHECK_STABLE,        CHECK_BOUNDED_WAITING,
    CHECK_LINEAR_WAITING,
};
enum { COMPARED = sizeof compared / sizeof compared[0] };

struct verdicts {
    enum check_answer answer[COMPARED];
    uint64_t bound[COMPARED];
    uint64_t states;
};

static void find_verdicts(const struct protocol_choice *choice, const struct step_params *params,
                          struct verdicts *verdicts)
{
    static struct step_model model;
    struct check_budget budget = budget_of(512);
    struct check_limits limits = limits_of(&budget, true);
    struct check_query queries[COMPARED] = {{0}};
    struct check_result results[COMPARED];
    struct check_report report;
    assert_null(choice->model->make(&model, params));
    for (unsigned q = 0; q < COMPARED; q++)
        queries[q].property = compared[q];
    assert_true(check_run(&model.check, &limits, queries, COMPARED, results, &report));
    assert_int_equal(report.end, CHECK_COMPLETE);
    verdicts->states = report.states;
    for (unsigned q = 0; q < COMPARED; q++) {
        /* Ranks that are cut off: nothing was found up to there. */
        verdicts->answer[q] = results[q].answer == CHECK_UNDECIDED && results[q].cut
                                  ? CHECK_HOLDS
                                  : results[q].answer;
        verdicts->bound[q] = results[q].has_bound ? results[q].bound : UINT64_MAX;
        check_witness_free(&results[q].witness);
    }
}

static unsigned differences, agreements, failures;

/* Exact are ranks that are cut off; with a limit of 0, those of ranker 0, which need none. How many
 * times as many states there are with them. */
static double compare_at(const struct protocol_choice *choice, struct step_params params,
                         unsigned limit)
{
    struct verdicts normalised, exact;
    char name[80];
    protocol_full_name(choice, name, sizeof name);
    params.fault = STEP_FAULT_NONE;
    params.limit = 0;
    find_verdicts(choice, &params, &normalised);
    params.limit = limit;
    params.as_it_is = limit == 0;
    find_verdicts(choice, &params, &exact);
    for (unsigned q = 0; q < COMPARED; q++) {
        agreements++;
        failures += exact.answer[q] == CHECK_FAILS;
        if (normalised.answer[q] == exact.answer[q] && normalised.bound[q] == exact.bound[q])
            continue;
        differences++;
        print_error("%s n=%u l=%u ranker=%u reads=%u: %s: %u (%lld) normalised, %u (%lld) exact\n",
                    name, params.n, params.l, params.ranker, params.reads,
                    check_property_name(compared[q]), normalised.answer[q],
                    (long long)normalised.bound[q], exact.answer[q], (long long)exact.bound[q]);
    }
    return (double)exact.states / (double)normalised.states;
}

/* For two processes, exact ranks up to 4 are enough to find all answers; for three, ranks up to
 * 3. */
static void normalised_and_exact_ranks_agree(void **unused)
{
    (void)unused;
    static const char *const large[] = {"mutex", "dining", "k-exclusion", "ranker-s"};
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        if (!protocol->cuts_off)
            continue;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            struct step_params params = protocol_defaults(&choice);
            params.n = protocol->min_n;
            for (unsigned ranker = STEP_RANKER_A; ranker <= STEP_RANKER_S; ranker++) {
                if (!protocol->takes_ranker && ranker != (unsigned)params.ranker)
                    continue;
                params.ranker = (enum step_ranker)ranker;
                for (unsigned reads = 0; reads < (protocol->takes_reads ? 3U : 1U); reads++) {
                    params.reads = (enum step_reads)reads;
                    compare_at(&choice, params, 4);
                }
            }
        }
    }
    for (unsigned i = 0; i < sizeof large / sizeof large[0] && !SANITIZED; i++) {
        struct protocol_choice choice;
        assert_true(protocol_find(large[i], &choice));
        struct step_params params = protocol_defaults(&choice);
        params.n = 3;
        params.ranker = STEP_RANKER_S;
        compare_at(&choice, params, 3);
    }
    print_message("%u answers, %u of them that something fails\n", agreements, failures);
    assert_int_equal(differences, 0);
    assert_true(failures > agreements / 20);
}

/* Each pair of numbers may be moved by 0, 1 or 2, whatever the others do. */
static void numbers_of_pairs_may_be_moved(void **unused)
{
    (void)unused;
    static const char *const names[] = {"ranker-0", "ranker-0/union", "ranker-0/black-first"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct protocol_choice choice;
        assert_true(protocol_find(names[i], &choice));
        struct step_params params = protocol_defaults(&choice);
        params.n = 2;
        assert_true(compare_at(&choice, params, 0) == 3);
        params.n = 3;
        if (i == 0 && !SANITIZED)
            assert_true(compare_at(&choice, params, 0) == 27);
    }
    assert_int_equal(differences, 0);
}

/* ---- the paper's examples ---- */

struct play {
    struct step_model model;
    uint64_t state[CHECK_MAX_WORDS];
};

static void begin(struct play *play, const char *name)
{
    make_model(&play->model, name, (struct step_params){.n = 2, .limit = 3});
    play->model.check.initial(&play->model.check, play->state);
}

static void step(struct play *play, unsigned p, unsigned count)
{
    for (unsigned s = 0; s < count; s++) {
        uint64_t next[CHECK_MAX_WORDS];
        struct check_note note;
        assert_true(play->model.check.describe(&play->model.check, play->state, p, next, &note));
        memcpy(play->state, next, sizeof next);
    }
}

static struct check_ranks ranks(const struct play *play)
{
    struct check_ranks found;
    play->model.check.ranks(&play->model.check, play->state, &found);
    return found;
}

/* The history of section 9.3, up to where v is about to set r.v to 0. */
static void play_history(struct play *play, unsigned u, unsigned v)
{
    begin(play, "ranker-c");
    step(play, u, 4); /* grey, sees v white, r.u = 0, black */
    step(play, v, 5); /* grey, sees u black, reads r.u, r.v = -1, black */
    step(play, u, 1); /* both turn white */
    step(play, v, 1);
    step(play, u, 1); /* both turn grey and see the other so */
    step(play, v, 1);
    step(play, u, 1);
    step(play, v, 1);
    step(play, u, 2); /* r.u = 0, black */
    const struct check_ranks before = ranks(play);
    assert_int_equal(before.colour[u], CHECK_BLACK);
    assert_int_equal(before.colour[v], CHECK_GREY);
    assert_true(is_lower(&before, v, u));
}

static void the_history_of_section_9_3_needs_the_other_tie_break(void **unused)
{
    (void)unused;
    static struct play play;
    play_history(&play, 0, 1); /* q.u.v is false, as in the paper: ties go to the smaller number */
    step(&play, 1, 1);
    struct check_ranks after = ranks(&play);
    assert_true(is_lower(&after, 1, 0)); /* nothing has happened */
    play_history(&play, 1, 0);           /* q.u.v is true */
    step(&play, 0, 1);
    after = ranks(&play);
    assert_int_equal(after.colour[1], CHECK_BLACK);
    assert_false(is_lower(&after, 0, 1)); /* stability is violated */
}

/* The invariant of section 6.1 with enter.u, as printed: one process that comes alone breaks it. */
static void the_printed_fcfs_breaks_in_a_run_of_one(void **unused)
{
    (void)unused;
    static struct play play;
    begin(&play, "doorway");
    bool before = false; /* before.0.1 */
    enum check_region region = CHECK_REMAINDER;
    for (unsigned s = 0; s < 5; s++) {
        step(&play, 0, 1);
        region = check_region_of(&play.model.check, play.state, 0);
        before = region == CHECK_WAITING || region == CHECK_CRITICAL; /* and process 1 is out */
    }
    assert_true(before && region == CHECK_CRITICAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalised_and_exact_ranks_agree),
        cmocka_unit_test(numbers_of_pairs_may_be_moved),
        cmocka_unit_test(the_history_of_section_9_3_needs_the_other_tie_break),
        cmocka_unit_test(the_printed_fcfs_breaks_in_a_run_of_one),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
