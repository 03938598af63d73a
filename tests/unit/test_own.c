/* What is said about protocols as data: the catalogue is in order, and what is not is told. */
#include "support.h"

#include "protocol/checked.h"
#include "protocol/own.h"

#include <string.h>

static const struct protocol_claim twice[] = {
    {CHECK_EXCLUSION, CLAIMED, "one"},
    {CHECK_EXCLUSION, NOT_CLAIMED, "two"},
};
static const struct protocol_claim once[] = {{CHECK_EXCLUSION, CLAIMED, "one"}};

/* What is wrong with a protocol with these variants. */
static const char *wrong_with(const struct protocol_variant *variants, size_t count,
                              const struct step_mark *marks, size_t mark_count, bool anonymous)
{
    static char text[256];
    static struct protocol protocol;
    protocol = (struct protocol){.file = "x.c",
                                 .name = "x",
                                 .title = "X",
                                 .citation = "nobody",
                                 .min_n = 2,
                                 .default_n = 2,
                                 .max_n = 4,
                                 .max_l = 1,
                                 .anonymous = anonymous,
                                 .variants = variants,
                                 .variant_count = count};
    const struct protocol_model model = {
        .protocol = &protocol, .marks = marks, .marks_end = marks + mark_count};
    return protocol_wrong(&model, text, sizeof text);
}

static void the_catalogue_has_one_protocol_of_each_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < protocol_count; i++) {
        struct protocol_choice choice;
        const struct protocol *protocol = protocol_models[i]->protocol;
        assert_true(protocol_find(protocol->name, &choice));
        assert_ptr_equal(choice.protocol, protocol);
        assert_null(protocol_namesake(&choice));
    }
}

static void a_second_claim_and_odd_variants_are_told(void **state)
{
    (void)state;
    const struct protocol_variant good[] = {{"", "itself", CLAIMS(once)},
                                            {"late", "late", CLAIMS(once)}};
    const struct protocol_variant doubled[] = {{"", "itself", CLAIMS(twice)}};
    const struct protocol_variant same[] = {{"", "itself", CLAIMS(once)},
                                            {"late", "late", CLAIMS(once)},
                                            {"late", "again", CLAIMS(once)}};
    const struct protocol_variant named[] = {{"first", "itself", CLAIMS(once)}};
    assert_null(wrong_with(good, 2, NULL, 0, false));
    assert_non_null(strstr(wrong_with(doubled, 1, NULL, 0, false), "two claims about exclusion"));
    assert_non_null(strstr(wrong_with(same, 3, NULL, 0, false), "two variants are called"));
    assert_non_null(strstr(wrong_with(named, 1, NULL, 0, false), "is called \"\""));
}

static void what_the_code_says_has_to_agree(void **state)
{
    (void)state;
    const struct protocol_variant variants[] = {{"", "itself", CLAIMS(once)},
                                                {"too-late", "late", CLAIMS(once)}};
    const struct step_mark right[] = {{"VARIANT", "TOO_LATE", "x.c", 1, 10},
                                      {"VARIANT", "ITSELF", "x.c", 0, 11},
                                      {"label", "a", "x.c", 0, 12},
                                      {"label", "b", "x.c", 0, 13},
                                      {"AT", "b", "x.c", 0, 14},
                                      {"ME", "", "x.c", 0, 15}};
    const struct step_mark moved[] = {{"VARIANT", "EARLY", "x.c", 1, 10}};
    const struct step_mark beyond[] = {{"VARIANT", "TOO_LATE", "x.c", 2, 10}};
    const struct step_mark labels[] = {{"label", "a", "x.c", 0, 12}, {"label", "a", "x.c", 0, 20}};
    const struct step_mark nowhere[] = {{"label", "a", "x.c", 0, 12}, {"AT", "b", "x.c", 0, 20}};
    const struct step_mark limit[] = {{"LIMIT", "", "x.c", 0, 12}};
    assert_null(wrong_with(variants, 2, right, 6, false));
    assert_non_null(strstr(wrong_with(variants, 2, right, 6, true), "uses ME"));
    assert_non_null(strstr(wrong_with(variants, 2, moved, 1, false), "which is called"));
    assert_non_null(strstr(wrong_with(variants, 2, beyond, 1, false), "and there are 2"));
    assert_null(wrong_with(variants, 2, labels, 2, false)); /* two variants may say the same */
    assert_true(
        protocol_labels_twice(&(struct protocol_model){.marks = labels, .marks_end = labels + 2}));
    assert_false(
        protocol_labels_twice(&(struct protocol_model){.marks = right, .marks_end = right + 6}));
    assert_non_null(strstr(wrong_with(variants, 2, nowhere, 2, false), "no access has that label"));
    assert_non_null(strstr(wrong_with(variants, 2, limit, 1, false), ".default_limit"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalogue_has_one_protocol_of_each_name),
        cmocka_unit_test(a_second_claim_and_odd_variants_are_told),
        cmocka_unit_test(what_the_code_says_has_to_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
