/* Each step of each protocol knows its line, and the source that was compiled in has its label
 * there. */
#include "support.h"

#include "protocol/checked.h"
#include "protocol/source.h"
#include "stress/random.h"

#include <string.h>

/* Line `number` of the source, copied. */
static void line_of(const struct text_file *source, unsigned number, char *text, size_t size)
{
    const char *at = source->text;
    for (unsigned n = 1; n < number; n++) {
        at = strchr(at, '\n');
        assert_non_null(at);
        at++;
    }
    snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void has_its_label(const struct check_note *note)
{
    const struct text_file *source = protocol_source_find(note->file);
    if (source == NULL)
        fail_msg("%s is not compiled in", note->file);
    char line[512], label[128];
    line_of(source, protocol_source_line(source, note->line, note->label), line, sizeof line);
    snprintf(label, sizeof label, "(%s", note->label);
    if (strstr(line, label) == NULL)
        fail_msg("%s:%u has no %s: %s", note->file, note->line, note->label, line);
}

/* Some moves at random, and what else each process could have done. */
static unsigned walk(const struct protocol_choice *choice)
{
    static struct step_model model;
    const struct step_params params = protocol_defaults(choice);
    assert_null(choice->model->make(&model, &params));
    const struct check_model *check = &model.check;
    uint64_t state[CHECK_MAX_WORDS], random = 1;
    unsigned labels = 0;
    check->initial(check, state);
    for (unsigned s = 0; s < scaled_full(600); s++) {
        uint64_t next[CHECK_MAX_WORDS];
        const unsigned edges = check->n * check->kinds, first = (unsigned)stress_random(&random);
        bool moved = false;
        for (unsigned i = 0; i < edges; i++) {
            const unsigned e = (first + i) % edges;
            struct check_note note;
            uint64_t to[CHECK_MAX_WORDS];
            if (!check->describe(check, state, e, to, &note))
                continue;
            if (note.file != NULL) {
                has_its_label(&note);
                labels++;
            }
            if (!moved)
                memcpy(next, to, sizeof next);
            moved = true;
        }
        if (!moved)
            break;
        memcpy(state, next, sizeof state);
    }
    return labels;
}

static void test_lines(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            const struct protocol_choice choice = {protocol_models[i], protocol_natives[i],
                                                   protocol, v};
            const unsigned labels = walk(&choice);
            /* A variant may leave its ranges at once, or make no access at all. */
            if (labels < 50 && v == 0)
                fail_msg("%s, variant %u: only %u steps have a line", protocol->name, v, labels);
        }
    }
}

static void test_protocols_have_their_file(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        const struct text_file *source = protocol_source_find(protocol->file);
        if (source == NULL)
            fail_msg("%s: %s is not compiled in", protocol->name, protocol->file);
        assert_non_null(strstr(source->text, protocol->name));
    }
}

/* A word over several lines is found from its last one, as some compilers count, and from its
 * first. */
static void test_a_word_of_several_lines(void **unused)
{
    (void)unused;
    static const struct text_file source = {
        "x",
        "READ(A, u, x);\nAWAIT(E, v, P[j],\n      v == 1 ||\n      v == 2);\nREAD(A, u, y);\n"};
    assert_int_equal(protocol_source_line(&source, 1, "A"), 1);
    assert_int_equal(protocol_source_line(&source, 5, "A"), 5);
    assert_int_equal(protocol_source_line(&source, 2, "E"), 2);
    assert_int_equal(protocol_source_line(&source, 4, "E"), 2);
    assert_int_equal(protocol_source_line(&source, 3, "none"), 3);
    assert_null(protocol_source_find("src/protocol/none.c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_protocols_have_their_file),
        cmocka_unit_test(test_a_word_of_several_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
