/* The search: what it says of each protocol is what the checker says, and it misses none. */
#include "support.h"

#include "refute/search.h"
#include "refute/table.h"

/* ---- a protocol as text, for the table's parser ---- */

static void state_name(const uint8_t *region, unsigned state, char *text, size_t size)
{
    static const char letters[] = "R.TCE";
    snprintf(text, size, "%c%u", letters[region[state]], state);
}

static size_t put(char *text, size_t size, size_t used, const char *what)
{
    return used + (size_t)snprintf(text + used, size - used, "%s", what);
}

static void write_text(const struct search_protocol *protocol, char *text, size_t size)
{
    static const char *const names[] = {"remainder", "", "trying", "critical", "exit"};
    char name[32], other[32], line[128];
    size_t used = put(text, size, 0, "berth-table 1\nprocesses 2\nvalues");
    for (unsigned v = 0; v < protocol->values; v++) {
        snprintf(name, sizeof name, " %u", v);
        used = put(text, size, used, name);
    }
    for (unsigned s = 0; s < protocol->states; s++) {
        state_name(protocol->region, s, name, sizeof name);
        snprintf(line, sizeof line, "\n%s %s", names[protocol->region[s]], name);
        used = put(text, size, used, line);
    }
    for (unsigned p = 0; p < (protocol->size.distinct ? 2 : 1); p++) {
        snprintf(line, sizeof line, protocol->size.distinct ? "\nprogram %u\n" : "\nprogram\n", p);
        used = put(text, size, used, line);
        for (unsigned s = 0; s < protocol->states; s++) {
            unsigned anywhere = 0;
            const bool first =
                protocol->region[s] == CHECK_REMAINDER || protocol->region[s] == CHECK_WAITING;
            while (protocol->region[anywhere] != (first ? CHECK_CRITICAL : CHECK_REMAINDER))
                anywhere++;
            state_name(protocol->region, s, name, sizeof name);
            for (unsigned v = 0; v < protocol->values; v++) {
                const struct search_entry entry = protocol->next[p][s][v];
                const bool unset = entry.value == SEARCH_UNSET;
                state_name(protocol->region, unset ? anywhere : entry.state, other, sizeof other);
                snprintf(line, sizeof line, "%s %u -> %u %s\n", name, v, unset ? 0 : entry.value,
                         other);
                used = put(text, size, used, line);
            }
        }
    }
    assert_true(used < size);
}

/* What the checker finds: exclusion, deadlock-free, lockout-free, bounded-waiting, as bits. */
static unsigned ask_checker(const struct table *table)
{
    static const struct check_query queries[] = {{.property = CHECK_EXCLUSION},
                                                 {.property = CHECK_DEADLOCK_FREE},
                                                 {.property = CHECK_LOCKOUT_FREE},
                                                 {.property = CHECK_BOUNDED_WAITING}};
    static struct step_model model;
    struct check_budget budget = budget_of(64);
    const struct check_limits limits = {.budget = &budget, .threads = 1};
    const struct step_params params = table_params(table);
    struct check_result results[4];
    struct check_report report;
    unsigned has = 0;
    assert_null(table_make(&model, table, &params));
    assert_true(check_run(&model.check, &limits, queries, 4, results, &report));
    for (unsigned q = 0; q < 4; q++) {
        assert_int_not_equal(results[q].answer, CHECK_UNDECIDED);
        has |= (unsigned)(results[q].answer == CHECK_HOLDS) << q;
        check_witness_free(&results[q].witness);
    }
    return has;
}

struct visited {
    unsigned count, every;
};

static void compare(const struct search_protocol *protocol, void *context)
{
    struct visited *visited = context;
    char text[4096], error[256];
    struct table table;
    if (visited->count++ % visited->every != 0)
        return;
    write_text(protocol, text, sizeof text);
    assert_true(table_parse(&table, "found", text, strlen(text), error, sizeof error));
    const unsigned has = ask_checker(&table);
    assert_int_equal(has & 1, 1);
    assert_int_equal(has >> 1 & 1, 1);
    assert_int_equal(has >> 2 & 1, (protocol->has & SEARCH_LOCKOUT) != 0);
    assert_int_equal(has >> 3 & 1, (protocol->has & SEARCH_BOUNDED) != 0);
    table_free(&table);
}

static void the_checker_agrees(void **unused)
{
    (void)unused;
    static const struct search_size sizes[] = {
        {.values = 2, .remainder = 1, .trying = 2, .critical = 1, .exit = 0},
        {.values = 2, .remainder = 2, .trying = 1, .critical = 1, .exit = 1},
        {.values = 3, .remainder = 1, .trying = 1, .critical = 1, .exit = 0},
        {.values = 2, .remainder = 1, .trying = 1, .critical = 1, .exit = 1, .distinct = true},
    };
    static struct search_result result;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct visited visited = {.every = SANITIZED ? 16 : 2};
        assert_null(search_run(&sizes[s], &(struct search_limits){0}, compare, &visited, &result));
        assert_true(result.all);
        assert_int_equal(visited.count, result.complete);
    }
}

/* All 1024 tables of the smallest size, by the checker; those that exclude and do not deadlock,
 * told apart by the entries that two processes come to. */
static void none_is_missed(void **unused)
{
    (void)unused;
    static const struct search_size size = {
        .values = 2, .remainder = 1, .trying = 1, .critical = 1, .exit = 0};
    static struct search_result result;
    static uint64_t seen[1024];
    unsigned good = 0, different = 0;
    for (unsigned code = 0; code < 1024; code++) {
        struct search_protocol protocol = {
            .size = size,
            .region = {CHECK_REMAINDER, CHECK_WAITING, CHECK_CRITICAL},
            .states = 3,
            .values = 2};
        unsigned rest = code;
        for (unsigned s = 0; s < 3; s++) {
            for (unsigned v = 0; v < 2; v++) {
                const unsigned choices = s < 2 ? 4 : 2, choice = rest % choices;
                rest /= choices;
                protocol.next[0][s][v] = (struct search_entry){
                    (uint8_t)(choice % 2), (uint8_t)(s < 2 ? 1 + choice / 2 : 0)};
            }
        }
        char text[1024], error[256];
        struct table table;
        write_text(&protocol, text, sizeof text);
        assert_true(table_parse(&table, "x", text, strlen(text), error, sizeof error));
        if ((ask_checker(&table) & 3) == 3) {
            /* Which entries are come to: all pairs (value, state) of reachable states. */
            bool at[2][3][3] = {{{false}}};
            unsigned used = 0;
            at[0][0][0] = true;
            for (unsigned again = 0; again < 18; again++) {
                for (unsigned k = 0; k < 18; k++) {
                    const unsigned v = k / 9, x = k / 3 % 3, y = k % 3;
                    if (!at[v][x][y])
                        continue;
                    const struct search_entry a = protocol.next[0][x][v];
                    const struct search_entry b = protocol.next[0][y][v];
                    at[a.value][a.state][y] = at[b.value][x][b.state] = true;
                    used |= 1U << (2 * x + v) | 1U << (2 * y + v);
                }
            }
            uint64_t key = used;
            for (unsigned e = 0; e < 6; e++) {
                const struct search_entry entry = protocol.next[0][e / 2][e % 2];
                key = key << 8 | (used >> e & 1 ? entry.value * 4U + entry.state : 255U);
            }
            bool fresh = true;
            for (unsigned d = 0; d < different; d++)
                fresh = fresh && seen[d] != key;
            if (fresh)
                seen[different++] = key;
            good++;
        }
        table_free(&table);
    }
    assert_null(search_run(&size, &(struct search_limits){0}, NULL, NULL, &result));
    assert_int_equal(result.complete, different);
    assert_true(good >= different);
}

static void limits_are_kept(void **unused)
{
    (void)unused;
    static struct search_result result;
    struct search_size size = {.values = 3, .remainder = 1, .trying = 3, .critical = 1, .exit = 2};
    assert_null(search_run(&size, &(struct search_limits){.seconds = 0.05}, NULL, NULL, &result));
    assert_false(result.all);
    size.values = SEARCH_VALUES + 1;
    assert_non_null(search_run(&size, &(struct search_limits){0}, NULL, NULL, &result));
    size.values = 2;
    size.trying = SEARCH_STATES;
    assert_non_null(search_run(&size, &(struct search_limits){0}, NULL, NULL, &result));
    size.trying = 1;
    size.critical = 0;
    assert_non_null(search_run(&size, &(struct search_limits){0}, NULL, NULL, &result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_agrees),
        cmocka_unit_test(none_is_missed),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, no_huge_pages, NULL);
}
