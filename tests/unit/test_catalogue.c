/* The catalogue: names, sources, and that the checker finds what each protocol file says it
 * finds. */
#include "catalogue.h"

static unsigned faults;

static uint64_t most_states(void)
{
    return SANITIZED ? scaled_full(50000) : 500000;
}

/* Of the sizes that are recorded in a protocol file. The larger ones are checked by cli/results
 * when anything that they depend on has changed, and by make check-long. */
static uint64_t most_recorded(void)
{
    return SANITIZED || scaled_full(100) > 100 ? most_states() : 60000;
}

static bool complete(struct protocol_checked *checked, const struct protocol_choice *choice,
                     const struct step_params *params, uint64_t only)
{
    struct check_budget budget = budget_of(4096);
    struct check_limits limits = limits_of(&budget, true);
    const char *refused = protocol_check(checked, choice, params, &limits, only, false);
    if (refused != NULL) {
        print_error("%s, n = %u: %s\n", choice->protocol->name, params->n, refused);
        faults++;
    }
    return refused == NULL;
}

/* ---- names ---- */

static void every_name_is_found_and_unique(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        assert_true(protocol->variant_count > 0);
        assert_string_equal(protocol->variants[0].name, "");
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            struct protocol_choice found;
            char name[80];
            protocol_full_name(&choice, name, sizeof name);
            assert_true(protocol_find(name, &found));
            assert_ptr_equal(found.protocol, protocol);
            assert_ptr_equal(found.native, protocol_natives[i]);
            assert_int_equal(found.variant, v);
            for (unsigned w = 0; w < v; w++)
                assert_string_not_equal(protocol->variants[w].name, protocol->variants[v].name);
        }
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(protocol_models[j]->protocol->name, protocol->name);
        /* The native expansion beside it is of the same file: its name in C has "_" for "-" and
         * "/". */
        char c_name[80];
        snprintf(c_name, sizeof c_name, "%s", protocol->name);
        for (char *c = c_name; *c != '\0'; c++)
            *c = *c == '-' || *c == '/' ? '_' : *c;
        assert_string_equal(protocol_natives[i]->name, c_name);
    }
}

static void a_wrong_name_is_not_found(void **unused)
{
    (void)unused;
    struct protocol_choice choice;
    char name[80];
    assert_false(protocol_find("", &choice));
    assert_false(protocol_find("/", &choice));
    for (size_t i = 0; i < protocol_count; i++) {
        const char *right = protocol_models[i]->protocol->name;
        static const char *const tails[] = {"/", "/no-such-variant", "x", " ", "//"};
        for (unsigned t = 0; t < sizeof tails / sizeof tails[0]; t++) {
            snprintf(name, sizeof name, "%s%s", right, tails[t]);
            assert_false(protocol_find(name, &choice));
        }
        snprintf(name, sizeof name, "%.*s", (int)strlen(right) - 1, right);
        assert_false(protocol_find(name, &choice));
    }
}

static void every_protocol_says_where_it_comes_from(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        assert_non_null(protocol->title);
        assert_non_null(protocol->citation);
        assert_in_range(protocol->default_n, protocol->min_n, protocol->max_n);
        assert_true(protocol->max_l >= 1);
        for (size_t v = 0; v < protocol->variant_count; v++) {
            const struct protocol_variant *variant = &protocol->variants[v];
            assert_non_null(variant->about);
            assert_true(variant->claim_count > 0);
            uint64_t claimed = 0;
            for (size_t c = 0; c < variant->claim_count; c++) {
                const struct protocol_claim *claim = &variant->claims[c];
                assert_true(claim->stance == CLAIMED || claim->stance == NOT_CLAIMED);
                assert_true(claim->source != NULL || claim->why != NULL);
                assert_string_not_equal(protocol_basis(claim, (char[PROTOCOL_BASIS]){0}), "");
                assert_in_range(claim->property, 0, CHECK_PROPERTIES - 1);
                assert_false(claimed >> claim->property & 1); /* one claim for each property */
                claimed |= UINT64_C(1) << claim->property;
            }
        }
    }
}

static enum check_answer expected_at(const struct protocol_claim *claim, unsigned n, unsigned k)
{
    return protocol_expects(claim, &(struct step_params){.n = n, .l = 1, .k = k});
}

static void what_is_expected_of_a_claim(void **unused)
{
    (void)unused;
    const struct protocol_claim plain = {CHECK_EXCLUSION, CLAIMED, "x"};
    const struct protocol_claim wrong = {CHECK_EXCLUSION, CLAIMED, "x", .refuted_from_n = 3};
    const struct protocol_claim never = {CHECK_EXCLUSION, NOT_CLAIMED, "x"};
    const struct protocol_claim later = {CHECK_EXCLUSION, NOT_CLAIMED, "x", .fails_from_n = 3};
    const struct protocol_claim frail = {CHECK_EXCLUSION, CLAIMED, "x", .up_to_k = 1,
                                         .fails_from_k = 3};
    assert_int_equal(expected_at(&plain, 5, 1), CHECK_HOLDS);
    assert_int_equal(expected_at(&plain, 5, 3), CHECK_HOLDS);
    assert_int_equal(expected_at(&frail, 5, 1), CHECK_HOLDS);
    assert_int_equal(expected_at(&frail, 5, 2), CHECK_UNDECIDED);
    assert_int_equal(expected_at(&frail, 5, 3), CHECK_FAILS);
    assert_int_equal(protocol_stance(&frail, &(struct step_params){.k = 1}), CLAIMED);
    assert_int_equal(protocol_stance(&frail, &(struct step_params){.k = 2}), NOT_CLAIMED);
    assert_int_equal(expected_at(&wrong, 2, 1), CHECK_HOLDS);
    assert_int_equal(expected_at(&wrong, 3, 1), CHECK_FAILS);
    assert_int_equal(expected_at(&never, 1, 1), CHECK_FAILS);
    assert_int_equal(expected_at(&later, 2, 1), CHECK_UNDECIDED);
    assert_int_equal(expected_at(&later, 4, 1), CHECK_FAILS);
    const struct protocol_claim slots = {CHECK_EXCLUSION, CLAIMED, "x", .refuted_from_n = 3,
                                         .from_l = 2};
    const struct step_params one = {.n = 3, .l = 1, .k = 1}, two = {.n = 3, .l = 2, .k = 1};
    assert_int_equal(protocol_expects(&slots, &one), CHECK_HOLDS);
    assert_int_equal(protocol_expects(&slots, &two), CHECK_FAILS);
    const struct protocol_claim sleepers = {CHECK_EXCLUSION, CLAIMED, "x", .refuted_from_n = 3,
                                            .from_k = 3};
    assert_int_equal(expected_at(&sleepers, 3, 2), CHECK_HOLDS);
    assert_int_equal(expected_at(&sleepers, 3, 3), CHECK_FAILS);
}

/* ---- results ---- */

static void judge_claims(const struct protocol_choice *choice, const struct step_params *params,
                         const struct protocol_checked *checked)
{
    char name[80];
    protocol_full_name(choice, name, sizeof name);
    for (size_t c = 0; c < checked->lines; c++) {
        const struct protocol_line *line = &checked->line[c];
        if (line->claim == NULL)
            continue;
        enum check_answer expected = protocol_expects(line->claim, params);
        if (expected == CHECK_UNDECIDED || line->result.answer == expected ||
            (line->result.answer == CHECK_UNDECIDED && line->result.cut && line->claim->uncut))
            continue;
        static const char *const words[] = {"undecided", "true", "false"};
        print_error("%s, n = %u, l = %u, k = %u: %s is %s (bound %llu), expected %s\n", name,
                    params->n, params->l, params->k, check_property_name(line->claim->property),
                    words[line->result.answer], (unsigned long long)line->result.bound,
                    words[expected]);
        faults++;
    }
}

static void what_is_recorded_is_found(void **unused)
{
    (void)unused;
    static struct protocol_checked checked;
    unsigned entries = 0;
    faults = 0;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            char name[80];
            protocol_full_name(&choice, name, sizeof name);
            for (size_t x = 0; x < protocol->variants[v].expected_count; x++) {
                const struct protocol_expected *expected = &protocol->variants[v].expected[x];
                struct step_params params = expected->params;
                char refused[200];
                params.variant = v;
                if (expected->states > most_recorded())
                    continue;
                if (protocol_refuse(&choice, &params, refused, sizeof refused) != NULL) {
                    print_error("%s: %s\n", name, refused);
                    faults++;
                    continue;
                }
                if (!complete(&checked, &choice, &params, 0))
                    continue;
                entries++;
                if (checked.report.states != expected->states ||
                    checked.report.transitions != expected->transitions) {
                    print_error("%s, n = %u: %llu states and %llu transitions, recorded are %llu "
                                "and %llu\n",
                                name, params.n, (unsigned long long)checked.report.states,
                                (unsigned long long)checked.report.transitions,
                                (unsigned long long)expected->states,
                                (unsigned long long)expected->transitions);
                    faults++;
                }
                judge_claims(&choice, &params, &checked);
                protocol_checked_free(&checked);
            }
        }
    }
    print_message("%u entries\n", entries);
    assert_int_equal(faults, 0);
    assert_true(entries > 0);
}

static void check_claims(const struct protocol_choice *choice, const struct step_params *params,
                         void *context)
{
    static struct protocol_checked checked;
    (void)context;
    if (!complete(&checked, choice, params, 0))
        return;
    judge_claims(choice, params, &checked);
    protocol_checked_free(&checked);
}

static void claims_come_out_as_expected_at_small_sizes(void **unused)
{
    (void)unused;
    faults = 0;
    for_each_small(1, 4, 20000, NULL, check_claims, NULL);
    assert_int_equal(faults, 0);
}

/* Some variant of each protocol is wrong, and the checker says so: else what do its answers
 * mean? */
static void every_protocol_has_a_variant_that_is_refuted(void **unused)
{
    (void)unused;
    static struct protocol_checked checked;
    faults = 0;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        bool refuted = false, large = false;
        for (unsigned v = 0; v < protocol->variant_count && !refuted; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            for (size_t c = 0; c < protocol->variants[v].claim_count && !refuted; c++) {
                const struct protocol_claim *claim = &protocol->variants[v].claims[c];
                if (claim->stance != CLAIMED || claim->fails_from_n == 0)
                    continue;
                struct step_params params = protocol_defaults(&choice);
                params.n =
                    claim->fails_from_n > protocol->min_n ? claim->fails_from_n : protocol->min_n;
                params.kills = 1; /* enough, and cheaper */
                if (count_states(&choice, &params, most_states()) == 0) {
                    large = true;
                    continue;
                }
                if (!complete(&checked, &choice, &params, UINT64_C(1) << claim->property))
                    continue;
                refuted = checked.lines == 1 && checked.line[0].result.answer == CHECK_FAILS &&
                          checked.verdict == PROTOCOL_REFUTED;
                protocol_checked_free(&checked);
            }
        }
        if (!refuted && !(large && SANITIZED)) {
            print_error("%s: no variant is refuted%s\n", protocol->name,
                        large ? " at a size that can be checked here" : "");
            faults++;
        }
    }
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found_and_unique),
        cmocka_unit_test(a_wrong_name_is_not_found),
        cmocka_unit_test(every_protocol_says_where_it_comes_from),
        cmocka_unit_test(what_is_expected_of_a_claim),
        cmocka_unit_test(what_is_recorded_is_found),
        cmocka_unit_test(claims_come_out_as_expected_at_small_sizes),
        cmocka_unit_test(every_protocol_has_a_variant_that_is_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
