/*
 * Exchanges of processes by the kinds of their words (step/exchange.h), in a protocol that is made
 * for them: everybody remembers who came before it, alive or not, so that processes name each other
 * in chains and in rings, and so do cells. As many states and transitions are counted where those
 * that differ by an exchange are kept once as where all of them are kept; and not so where the
 * kinds do not tell of all the seats that are named.
 */
#include "support.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"

#define STEP_MODEL
#define NAME test_neighbours
#define CELLS(cell, cells, registers)                                                              \
    cell(last, COMERS) cells(board, 2, NOTES) cell(left, COUNTS(2))
#define LOCALS(local) local(before, GUESTS) local(gone, COUNTS(2))
#define HAS_NORMAL
#define HAS_ORBIT
#include "step/step.h"

/* Laid out by hand, as protocol files are. */
/* clang-format off */
enum { ITSELF, SILENT_CELL, SILENT_ARRAY, SILENT_LOCAL };

/* A seat in the lowest bits, and above it 1 or 2, by turns; 0: nobody. */
#define COMERS 24
#define NOTES COMERS
#define GUESTS COMERS
#define COUNTS(values) (values)
#define TURN(w) ((w) >> 3)
#define SEAT(w) ((w) & 7)
#define NAMED(w, silent) (TURN(w) == 0 || VARIANT(silent) ? STEP_NO_SEAT : SEAT(w))

#define SEAT_IN_COMERS(w) NAMED(w, SILENT_CELL)
#define SEAT_IN_NOTES(w) NAMED(w, SILENT_ARRAY)
#define SEAT_IN_GUESTS(w) NAMED(w, SILENT_LOCAL)
#define SEAT_IN_COUNTS(values) NAMES_NOBODY
#define NAMES_NOBODY(w) STEP_NO_SEAT
#define SORT_FIRST gone
#include "step/exchange.h"

ENTRY
    TEST(comes, v, last)
        ON(true, (word)(TURN(v) == 1 ? 2 : 1) << 3 | ME, before = v);
    END_TEST
    if (before != 0) {
        word alive;
        ALIVE(looks, alive, SEAT(before));
        gone = !alive;
    }
END

EXIT
    WRITE(notes, board[gone], before);
    FORGET(before);
    FORGET(gone);
    WRITE(leaves, left, 1);
END

NORMAL
    if (params->symmetric)
        SORT_PROCESSES;
    return params->symmetric;
END_NORMAL

ORBIT
    return EXCHANGES;
END_ORBIT

static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, NOT_CLAIMED, "a test"}};
static const struct protocol_variant variants[] = {
    {"", "all seats are told of", CLAIMS(claims)},
    {"silent-cell", "that in `last` is not", CLAIMS(claims)},
    {"silent-array", "those in `board` are not", CLAIMS(claims)},
    {"silent-local", "those in `before` are not", CLAIMS(claims)},
};
PROTOCOL(.name = "test-neighbours", .title = "a test", .citation = "none", .min_n = 2, .max_n = 4,
         .default_n = 2, .max_l = 1, .fault = STEP_FAULT_KILL, .symmetric = true,
         VARIANTS(variants))
/* clang-format on */
#include "step/end.h"

#pragma GCC diagnostic pop

enum { STEPS = 100000, RUN = 50 };

static struct step_model model;

static void make(unsigned variant, unsigned n, unsigned kills)
{
    const struct step_params params = {.n = n,
                                       .l = 1,
                                       .k = 1,
                                       .kills = kills,
                                       .variant = variant,
                                       .fault = kills > 0 ? STEP_FAULT_KILL : STEP_FAULT_NONE};
    assert_null(protocol_model_test_neighbours.make(&model, &params));
}

static void explore(bool symmetric, struct check_report *report)
{
    struct check_budget budget = {.limit = UINT64_C(1) << 30};
    struct check_limits limits = {.budget = &budget, .threads = 1};
    const struct check_query query = {.property = CHECK_NO_MEMORY};
    struct check_result result;
    model.params.symmetric = symmetric;
    assert_true(check_run(&model.check, &limits, &query, 1, &result, report));
    assert_int_equal(report->end, CHECK_COMPLETE);
}

/* Whether as many are counted with exchanges as without. */
static bool counts_agree(unsigned variant, unsigned n, unsigned kills)
{
    struct check_report with, without;
    make(variant, n, kills);
    explore(true, &with);
    explore(false, &without);
    print_message("variant %u, n = %u, kills %u: %llu states, %llu kept, and %llu without\n",
                  variant, n, kills, (unsigned long long)with.states,
                  (unsigned long long)with.stored, (unsigned long long)without.states);
    assert_true(with.stored < without.stored);
    return with.states == without.states && with.transitions == without.transitions;
}

/* The same steps by other processes: the states have one form, step by step. */
static unsigned run_exchanged(unsigned n, unsigned kills)
{
    struct dice dice = {n};
    uint64_t one[CHECK_MAX_WORDS], other[CHECK_MAX_WORDS];
    unsigned differ = 0;
    make(ITSELF, n, kills);
    const unsigned edges = n * model.check.kinds;
    for (unsigned step = 0; step < scaled_full(STEPS); step++) {
        if (step % RUN == 0) {
            model.check.initial(&model.check, one);
            model.check.initial(&model.check, other);
        }
        /* Process p of the one is process n - 1 - p of the other. */
        const unsigned e = dice_below(&dice, edges), p = e % n;
        uint64_t next[2][CHECK_MAX_WORDS];
        struct check_note note;
        model.params.symmetric = false;
        if (!model.check.describe(&model.check, one, e, next[0], &note))
            continue;
        assert_true(model.check.describe(&model.check, other, e - p + (n - 1 - p), next[1], &note));
        memcpy(one, next[0], sizeof one);
        memcpy(other, next[1], sizeof other);
        model.params.symmetric = true;
        assert_true(model.normal(&model, next[0]) && model.normal(&model, next[1]));
        differ += !check_same_state(next[0], next[1], model.check.words);
    }
    return differ;
}

/* What `expand_exchanging` says of each move from `state`: the successor is what the plain move
 * leads to, with the processes exchanged just so. */
static void compare_exchanges(const uint64_t *state)
{
    const unsigned n = model.check.n, words = model.check.words;
    uint64_t plain[CHECK_MAX_EDGES * CHECK_MAX_WORDS], sorted[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
    uint8_t to[CHECK_MAX_EDGES * CHECK_MAX_PROCESSES];
    model.params.symmetric = false;
    const struct check_moves before = model.check.expand(&model.check, state, plain);
    model.params.symmetric = true;
    const struct check_moves after = model.expand_exchanging(&model.check, state, sorted, to);
    assert_int_equal(before.exist, after.exist);
    for (unsigned e = 0; e < n * model.check.kinds; e++) {
        static struct step_source moved, there; /* what is not unpacked is 0 in both */
        word exchange[CHECK_MAX_PROCESSES];
        if ((before.exist >> e & 1) == 0)
            continue;
        step_unpack(&model, before.change >> e & 1 ? plain + e * words : state, &moved);
        step_unpack(&model, after.change >> e & 1 ? sorted + e * words : state, &there);
        for (unsigned p = 0; p < n; p++)
            exchange[p] = to[e * n + p];
        step_move_processes(&model.params, &moved.shared, moved.each, exchange);
        assert_memory_equal(&moved.shared, &there.shared, sizeof moved.shared);
        for (unsigned p = 0; p < n; p++)
            assert_true(step_same_local(&moved.each[p], &there.each[p]));
    }
}

static void run_exchanging(unsigned n, unsigned kills)
{
    struct dice dice = {n};
    uint64_t now[CHECK_MAX_WORDS], next[CHECK_MAX_WORDS];
    struct check_note note;
    make(ITSELF, n, kills);
    for (unsigned step = 0; step < scaled_full(STEPS / 10); step++) {
        if (step % RUN == 0)
            model.check.initial(&model.check, now);
        compare_exchanges(now);
        if (model.check.describe(&model.check, now, dice_below(&dice, n * model.check.kinds), next,
                                 &note))
            memcpy(now, next, sizeof now);
    }
}

static void test_exchanges_are_told(void **state)
{
    (void)state;
    run_exchanging(2, 2);
    run_exchanging(3, 2);
    run_exchanging(4, 2);
}

static void test_one_form(void **state)
{
    (void)state;
    assert_int_equal(run_exchanged(2, 2), 0);
    assert_int_equal(run_exchanged(3, 2), 0);
    assert_int_equal(run_exchanged(4, 2), 0);
}

static void test_all_are_counted(void **state)
{
    (void)state;
    assert_true(counts_agree(ITSELF, 2, 2));
    assert_true(counts_agree(ITSELF, 3, some_is_enough() ? 0 : 1));
    assert_true(counts_agree(ITSELF, 4, 0));
}

static void test_is_noticed(void **state)
{
    (void)state;
    const unsigned kills = some_is_enough() ? 0 : 1;
    assert_false(counts_agree(SILENT_CELL, 3, kills));
    assert_false(counts_agree(SILENT_ARRAY, 3, kills));
    assert_false(counts_agree(SILENT_LOCAL, 3, kills));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchanges_are_told), cmocka_unit_test(test_one_form),
        cmocka_unit_test(test_all_are_counted), cmocka_unit_test(test_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
