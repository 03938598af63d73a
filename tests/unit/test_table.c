/* Tables from text: what is understood, what is refused and where, and that no bytes whatever do
 * harm. */
#include "support.h"

#include "refute/loops.h"
#include "refute/table.h"

static const char bit[] = "# section 3.1\n"
                          "berth-table 1\n"
                          "processes 3\n"
                          "slots 1\n"
                          "values free taken\n"
                          "remainder R\n"
                          "trying T # waits\n"
                          "critical C\n"
                          "claims exclusion deadlock-free\n"
                          "\n"
                          "program\n"
                          "R free -> taken C\n"
                          "R taken -> taken T\n"
                          "T free -> taken C\n"
                          "T taken -> * T\n"
                          "C * -> free R\n";

static bool parses(const char *text, char *error)
{
    struct table table;
    bool parsed = table_parse(&table, "x", text, strlen(text), error, 256);
    table_free(&table);
    return parsed;
}

static void a_table_is_understood(void **unused)
{
    (void)unused;
    struct table table;
    char error[256];
    assert_true(table_parse(&table, "bit", bit, strlen(bit), error, sizeof error));
    assert_int_equal(table.processes, 3);
    assert_int_equal(table.values, 2);
    assert_int_equal(table.states, 3);
    assert_true(table.alike);
    assert_int_equal(table.variant.claim_count, 2);
    assert_int_equal(table_entry(&table, 0, 0, 0)->value, 1);
    assert_int_equal(table_entry(&table, 0, 0, 0)->state, 2);
    assert_int_equal(table_entry(&table, 0, 1, 1)->value, 1);
    assert_int_equal(table_entry(&table, 0, 2, 1)->value, 0);

    /* And checked like any protocol: the counts are those of burns-bit. */
    static struct protocol_checked checked;
    struct check_budget budget = budget_of(64);
    const struct check_limits limits = limits_of(&budget, false);
    const struct protocol_choice choice = table_choice(&table);
    struct step_params params = table_params(&table);
    for (unsigned n = 2; n <= 10; n += n == 3 ? 2 : n == 5 ? 5 : 1) {
        memset(&checked, 0, sizeof checked);
        params.n = n;
        assert_null(table_make(&checked.model, &table, &params));
        assert_null(protocol_check_made(&checked, &choice, &params, &limits, 0, false));
        assert_int_equal(checked.verdict, PROTOCOL_AS_CLAIMED);
        assert_int_equal(checked.report.states, n == 2 ? 7 : n == 3 ? 19 : n == 5 ? 111 : 6143);
        protocol_checked_free(&checked);
    }
    table_free(&table);
}

static void programs_of_their_own(void **unused)
{
    (void)unused;
    static const char ring[] = "berth-table 1\nprocesses 2\nvalues 0 1\ninitial 1\nremainder R\n"
                               "trying T U\ncritical C\n"
                               "program 1\nR * -> * T\nT 1 -> 1 C\nT 0 -> 0 T\nC * -> 0 R\n"
                               "program 0\nR * -> * U\nU 0 -> 0 C\nU * -> * U\nC * -> 1 R\n";
    struct table table;
    char error[256];
    assert_true(table_parse(&table, "ring", ring, strlen(ring), error, sizeof error));
    assert_false(table.alike);
    assert_int_equal(table.programs, 2);
    assert_int_equal(table.first_value, 1);
    assert_int_equal(table.protocol.min_n, 2);
    assert_int_equal(table.protocol.max_n, 2);
    assert_int_equal(table_entry(&table, 1, 1, 1)->state, 3);
    assert_int_equal(table_entry(&table, 0, 2, 0)->state, 3);
    table_free(&table);
}

/* One line of the table above is put in place of another; the error is at that line. */
static void errors_name_their_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *from, *to, *error;
    } wrong[] = {
        {"berth-table 1", "berth-table 2", "x:2: not a number from 1 to 1: 2"},
        {"berth-table 1", "table", "x:2: a table begins with the line: berth-table 1"},
        {"processes 3", "processes 17", "x:3: not a number from 1 to 16: 17"},
        {"processes 3", "processes", "x:3: a number is missing"},
        {"processes 3", "processes 3 4", "x:3: nothing was expected here: 4"},
        {"processes 3", "", "x:11: processes are missing before the program"},
        {"processes 3", "processes -1", "x:3: not a number from 1 to 16: -1"},
        {"slots 1", "slots 0", "x:4: not a number from 1 to 16: 0"},
        {"slots 1", "slots 1\nslots 1", "x:5: slots are given already"},
        {"values free taken", "values free free", "x:5: value free is there already"},
        {"values free taken", "values free *", "x:5: * is no name"},
        {"values free taken", "value free", "x:5: value is no declaration"},
        {"values free taken", "values free t\001", "x:5: byte 0x01 has no place in a table"},
        {"values free taken", "values free t\377", "x:5: byte 0xff has no place in a table"},
        {"values free taken", "values 01234567890123456789012345678901",
         "x:5: a word of more than 31 characters: 0123456789012345..."},
        {"remainder R", "remainder", "x:6: a name is missing"},
        {"remainder R", "", "x:11: a remainder state is missing before the program"},
        {"critical C", "critical T", "x:8: local state T is there already"},
        {"claims exclusion", "claims excluson", "x:9: there is no property excluson to claim"},
        {"claims exclusion", "claims deadlock-free", "x:9: deadlock-free is claimed already"},
        {"program\n", "program 1\n", "x:16: process 0 has no program"},
        {"program\n", "program 3\n", "x:11: not a process from 0 to 2: 3"},
        {"C * -> free R\n", "C * -> free R\nprogram\n",
         "x:17: there is a program for all processes already"},
        {"R free -> taken C", "Q free -> taken C", "x:12: there is no local state Q"},
        {"R free -> taken C", "R fre -> taken C", "x:12: there is no value fre"},
        {"R free -> taken C", "R free taken C", "x:12: -> was expected, not taken"},
        {"R free -> taken C", "R free -> taken", "x:12: local state is missing"},
        {"R free -> taken C", "R free -> taken R",
         "x:12: a step may not lead from R (remainder) to R (remainder)"},
        {"R free -> taken C", "", "x:11: the program does not say what R does with free"},
        {"T free -> taken C", "R free -> taken C", "x:14: what R does with free was said before"},
        {"C * -> free R", "C * -> free R\nC * -> free R",
         "x:17: C has a row for every other value at line 16"},
        {"C * -> free R", "C * -> free T",
         "x:16: a step may not lead from C (critical) to T (trying)"},
    };
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        char text[1024], error[256] = "";
        const char *place = strstr(bit, wrong[w].from);
        assert_non_null(place);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(place - bit), bit, wrong[w].to,
                 place + strlen(wrong[w].from));
        assert_false(parses(text, error));
        assert_string_equal(error, wrong[w].error);
    }
    char error[256];
    assert_false(parses("", error));
    assert_string_equal(error, "x:1: there is no program");
}

/* Whatever the bytes are, there is a table or an error with a line. */
static void no_bytes_do_harm(void **unused)
{
    (void)unused;
    struct dice dice = {.state = 5};
    unsigned good = 0;
    for (unsigned i = 0; i < scaled(20000); i++) {
        char text[2 * sizeof bit], error[256] = "";
        size_t size = sizeof bit - 1;
        memcpy(text, bit, sizeof bit);
        for (unsigned change = 1 + dice_below(&dice, 4); change > 0 && size > 0; change--) {
            const size_t at = dice_below(&dice, (unsigned)size);
            const size_t from = dice_below(&dice, sizeof bit - 1);
            size_t length = 1 + dice_below(&dice, 24);
            switch (dice_below(&dice, 4)) {
            case 0: text[at] = (char)dice_below(&dice, 256); break;
            case 1: text[at] = bit[from]; break;
            case 2: /* take some out */
                length = length < size - at ? length : size - at;
                memmove(text + at, text + at + length, size - at - length);
                size -= length;
                break;
            default: /* put some in twice */
                length = length < sizeof bit - 1 - from ? length : sizeof bit - 1 - from;
                if (size + length > sizeof text)
                    break;
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, bit + from, length);
                size += length;
            }
        }
        char *exact = malloc(size > 0 ? size : 1); /* so that a sanitizer sees one byte too far */
        memcpy(exact, text, size);
        struct table table;
        unsigned line;
        if (table_parse(&table, "x", exact, size, error, sizeof error)) {
            static struct step_model model;
            const struct step_params params = table_params(&table);
            uint64_t state[CHECK_MAX_WORDS], out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
            assert_null(table_make(&model, &table, &params));
            model.check.initial(&model.check, state);
            assert_false(model.check.expand(&model.check, state, out).error);
            good++;
        } else {
            assert_int_equal(sscanf(error, "x:%u: ", &line), 1);
        }
        table_free(&table);
        free(exact);
    }
    assert_true(good > 0);
}

/* ---- Lemma 4.11 ---- */

static bool passes(const struct loops_graph *graph, const struct loops_highway *way, unsigned x)
{
    bool found = way->begin == x;
    for (unsigned e = 0; e < way->length; e++)
        found |= graph->edge[way->edge[e]].to == x;
    return found;
}

/* A path with no label twice; its labels. */
static uint32_t labels_of(const struct loops_graph *graph, const struct loops_highway *way)
{
    uint32_t labels = 0;
    unsigned at = way->begin;
    for (unsigned e = 0; e < way->length; e++) {
        const struct loops_edge *edge = &graph->edge[way->edge[e]];
        assert_int_equal(edge->from, at);
        assert_int_equal(labels >> edge->label & 1, 0);
        labels |= UINT32_C(1) << edge->label;
        at = edge->to;
    }
    return labels;
}

static void few_vertices_are_loopy(void **unused)
{
    (void)unused;
    struct dice dice = {.state = 7};
    for (unsigned i = 0; i < scaled(20000); i++) {
        struct loops_graph graph = {.vertices = 1 + dice_below(&dice, 7)};
        graph.labels = 2 * graph.vertices + dice_below(&dice, 2);
        for (unsigned v = 0; v < graph.vertices; v++) {
            for (unsigned l = 0; l < graph.labels; l++) {
                for (unsigned more = 1 + (dice_below(&dice, 4) == 0); more > 0; more--)
                    assert_true(loops_add(
                        &graph, (struct loops_edge){.from = v,
                                                    .to = dice_below(&dice, graph.vertices),
                                                    .label = l}));
            }
        }
        struct loops_trail trail[LOOPS_VERTICES];
        unsigned stuck;
        assert_true(loops_find(&graph, trail, &stuck));
        uint32_t ways = 0, loops = 0;
        for (unsigned v = 0; v < graph.vertices; v++) {
            const struct loops_highway *loop = &trail[v].loop;
            assert_int_equal(trail[v].way.begin, v);
            assert_true(loop->length > 0);
            assert_int_equal(graph.edge[loop->edge[loop->length - 1]].to, loop->begin);
            for (unsigned x = 0; x < graph.vertices; x++)
                assert_true(!passes(&graph, loop, x) || passes(&graph, &trail[v].way, x));
            ways |= labels_of(&graph, &trail[v].way);
            loops |= labels_of(&graph, loop);
        }
        assert_int_equal(ways & loops, 0);
        loops_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_understood),  cmocka_unit_test(programs_of_their_own),
        cmocka_unit_test(errors_name_their_line), cmocka_unit_test(no_bytes_do_harm),
        cmocka_unit_test(few_vertices_are_loopy),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
