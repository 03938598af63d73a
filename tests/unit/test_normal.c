/*
 * What NORMAL and SETTLED may do to a state: nothing that makes a difference. Random runs of the
 * program as it is, with its real counters; at each state r and for each move e from it, with N(r)
 * for the state that stands for r:
 *
 *  - if e is a settled step, N(e(r)) = N(r): to leave it out changes nothing, whatever others did;
 *  - else the same move can be made from N(r), and N(e(r)) = N(e(N(r))).
 *
 * So a run as it is and the run of the checker stay together, step by step. Then the same in a
 * search, which goes to what is new and meets each N(r) once: where it ends, it has met all.
 *
 * And where states are counted up to an exchange of processes: two runs with the same steps, made
 * by other processes in the second, lead to states with one normal form. The states that each of
 * them stands for add up to those that there are without, and so do their transitions.
 */
#include "support.h"

#include "fields.h"
#include "visited.h"

enum { STEPS = 100000, FROZEN_FOR = 60 }; /* steps for which one process may stand still */

static struct step_model raw, normal;
static bool expected_to_fail;

static bool is_fault(unsigned e)
{
    return raw.check.has_fault && e / raw.check.n == raw.check.kinds - 1;
}

static void show(const char *what, const uint64_t *state)
{
    if (expected_to_fail)
        return;
    const struct check_model *model = &raw.check;
    uint64_t value[CHECK_MAX_CELLS];
    char text[400];
    print_error("%s:", what);
    model->cell_values(model, state, value);
    for (unsigned c = 0; c < model->cells; c++) {
        model->show(model, c, value[c], text, sizeof text);
        print_error(" %s[%d] = %s;", model->cell[c].name, model->cell[c].index, text);
    }
    print_error("\n");
    for (unsigned p = 0; p < model->n; p++) {
        model->show_local(model, state, p, text, sizeof text);
        struct check_note note;
        uint64_t to[CHECK_MAX_WORDS];
        model->describe(model, state, p, to, &note);
        print_error("    process %u, region %d, before %s: %s\n", p,
                    check_region_of(model, state, p), note.label, text);
    }
}

/* False: the move and its image come apart. */
static bool stay_together(const uint64_t *from, const uint64_t *image, uint64_t settled, unsigned e,
                          const uint64_t *to, uint64_t *to_image)
{
    const unsigned words = raw.check.words, p = e % raw.check.n;
    struct check_note note;
    uint64_t expected[CHECK_MAX_WORDS], again[CHECK_MAX_WORDS];
    memcpy(to_image, to, words * sizeof *to);
    if (!normal.normal(&normal, to_image)) {
        print_message("edge %u: no normal form\n", e);
        show("from", from);
        show("to", to);
        return false;
    }
    const bool left_out = !is_fault(e) && settled >> p & 1;
    if (left_out) {
        memcpy(expected, image, words * sizeof *image);
    } else if (!normal.check.describe(&normal.check, image, e, expected, &note)) {
        print_message("edge %u does not exist in the image\n", e);
        show("from", from);
        show("image", image);
        return false;
    }
    if (check_same_state(expected, to_image, words))
        return true;
    raw.check.describe(&raw.check, from, e, again, &note);
    print_message("edge %u (process %u, %s%s) comes apart\n", e, p, note.label,
                  left_out ? ", settled" : "");
    show("from", from);
    show("its image", image);
    show("to", to);
    show("image of that", to_image);
    show("expected", expected);
    return false;
}

struct size {
    const char *name;
    unsigned n, l, kills;
    unsigned images; /* that a search meets, at most */
};

/* The program as it is, and as the checker sees it. */
static void make_both(const struct size *size)
{
    const struct step_params sizes = {.n = size->n, .l = size->l, .kills = size->kills};
    make_model(&raw, size->name, sizes);
    make_model(&normal, size->name, sizes);
    raw.params.as_it_is = true;
    raw.params.abridged = normal.params.abridged = normal.protocol->abridges;
}

static unsigned run(const struct size *size)
{
    struct dice dice = {1};
    make_both(size);
    const unsigned n = size->n, words = raw.check.words, edges = raw.check.n * raw.check.kinds;
    uint64_t state[CHECK_MAX_WORDS], image[CHECK_MAX_WORDS];
    const unsigned steps = scaled_full(STEPS);
    unsigned frozen = n, until = 0, runs = 0, apart = 0;
    uint64_t left_out = 0;
    bool fresh = true;
    for (unsigned step = 0; step < steps && apart == 0; step++) {
        if (fresh) {
            raw.check.initial(&raw.check, state);
            normal.check.initial(&normal.check, image);
            runs++;
            fresh = false;
        }
        if (step >= until) {
            frozen = dice_below(&dice, n + 1); /* or nobody */
            until = step + dice_below(&dice, FROZEN_FOR);
        }
        uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS], after[CHECK_MAX_EDGES][CHECK_MAX_WORDS];
        const struct check_moves moves = raw.check.expand(&raw.check, state, out);
        const uint64_t settled = normal.settled != NULL ? normal.settled(&normal, state) : 0;
        left_out += (unsigned)__builtin_popcountll(settled);
        fresh = moves.error; /* the counters have come to their end */
        unsigned go[CHECK_MAX_EDGES], can = 0;
        for (unsigned e = 0; e < edges && !fresh; e++) {
            if (moves.exist >> e & 1) {
                if (!(moves.change >> e & 1))
                    memcpy(out + e * words, state, words * sizeof *state);
                apart += !stay_together(state, image, settled, e, out + e * words, after[e]);
                if (e % n != frozen && (!is_fault(e) || dice_below(&dice, 40) == 0))
                    go[can++] = e;
            }
        }
        if (can == 0) {
            until = 0; /* only the frozen one can move */
            continue;
        }
        const unsigned e = go[dice_below(&dice, can)];
        memcpy(state, out + e * words, words * sizeof *state);
        memcpy(image, after[e], words * sizeof *image);
    }
    assert_true(runs <= steps / 100 + 1); /* it is not for anything else that a run ended */
    print_message("%s, n = %u, l = %u, kills %u: %u runs, %llu settled steps seen\n", size->name, n,
                  size->l, size->kills, runs, (unsigned long long)left_out);
    return apart;
}

/* ---- a search that prefers what is new ---- */

/* States of the program with their images, each image once. */
struct frontier {
    struct visited seen;                /* images */
    uint64_t (*state)[CHECK_MAX_WORDS]; /* of the program, that has not been looked at */
    uint64_t (*image)[CHECK_MAX_WORDS];
    size_t count, room;
};

static void push(struct frontier *frontier, const uint64_t *state, const uint64_t *image)
{
    if (frontier->count == frontier->room) {
        frontier->room = frontier->room == 0 ? 1024 : 2 * frontier->room;
        frontier->state = realloc(frontier->state, frontier->room * sizeof *frontier->state);
        frontier->image = realloc(frontier->image, frontier->room * sizeof *frontier->image);
        assert_non_null(frontier->state);
        assert_non_null(frontier->image);
    }
    memcpy(frontier->state[frontier->count], state, raw.check.words * sizeof *state);
    memcpy(frontier->image[frontier->count++], image, raw.check.words * sizeof *image);
}

/* Mostly the newest one, so that the program comes far, or any. */
static void pop(struct frontier *frontier, struct dice *dice, uint64_t *state, uint64_t *image)
{
    const size_t words = raw.check.words, last = --frontier->count;
    const size_t taken =
        dice_below(dice, 8) != 0 ? last : dice_below(dice, (unsigned)frontier->count + 1);
    memcpy(state, frontier->state[taken], words * sizeof *state);
    memcpy(image, frontier->image[taken], words * sizeof *image);
    memcpy(frontier->state[taken], frontier->state[last], words * sizeof *state);
    memcpy(frontier->image[taken], frontier->image[last], words * sizeof *image);
}

/* What the checker says of `normal`. */
static void explore(struct check_report *report)
{
    struct check_budget budget = {.limit = UINT64_C(1) << 30};
    struct check_limits limits = {.budget = &budget, .threads = 1};
    const struct check_query query = {.property = CHECK_EXCLUSION};
    struct check_result result;
    assert_true(check_run(&normal.check, &limits, &query, 1, &result, report));
    assert_int_equal(report->end, CHECK_COMPLETE);
    assert_int_equal(result.answer, CHECK_HOLDS);
}

/*
 * Until there is nothing new, or enough images have been met. If there is nothing new, each image
 * has been met with a state of the program, so these are all that the checker finds. Where the
 * counters come to their end, they begin anew at the image, which is a state of the program as
 * well. A settled step leads to the image that it comes from; the search goes on with one of those
 * from each state, so that the others are tried in what follows.
 */
static unsigned search(const struct size *size)
{
    struct dice dice = {1};
    struct frontier frontier = {0};
    make_both(size);
    const unsigned n = size->n, words = raw.check.words, edges = n * raw.check.kinds;
    const unsigned most = scaled_full(size->images);
    uint64_t state[CHECK_MAX_WORDS], image[CHECK_MAX_WORDS], after[CHECK_MAX_WORDS];
    unsigned apart = 0;
    raw.check.initial(&raw.check, state);
    normal.check.initial(&normal.check, image);
    visited_open(&frontier.seen, words);
    visited_add(&frontier.seen, image);
    push(&frontier, state, image);
    while (frontier.count > 0 && frontier.seen.count < most && apart == 0) {
        uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
        pop(&frontier, &dice, state, image);
        struct check_moves moves = raw.check.expand(&raw.check, state, out);
        if (moves.error) {
            memcpy(state, image, words * sizeof *state);
            moves = raw.check.expand(&raw.check, state, out);
            assert_false(moves.error);
        }
        const uint64_t settled = normal.settled != NULL ? normal.settled(&normal, state) : 0;
        bool goes_on = false;
        for (unsigned e = 0, first = dice_below(&dice, edges); e < edges && apart == 0; e++) {
            const unsigned edge = (first + e) % edges;
            uint64_t *to = out + edge * words;
            if (!(moves.exist >> edge & 1))
                continue;
            if (!(moves.change >> edge & 1))
                memcpy(to, state, words * sizeof *state);
            apart += !stay_together(state, image, settled, edge, to, after);
            const size_t before = frontier.seen.count;
            visited_add(&frontier.seen, after);
            const bool left_out = !is_fault(edge) && settled >> (edge % n) & 1;
            if (frontier.seen.count > before || (left_out && !goes_on))
                push(&frontier, to, after);
            goes_on |= left_out;
        }
    }
    const bool over = frontier.count == 0 && apart == 0;
    print_message("%s, n = %u, l = %u, kills %u: %zu states, %s\n", size->name, n, size->l,
                  size->kills, frontier.seen.count, over ? "which are all" : "of more");
    if (over) {
        struct check_report report;
        explore(&report);
        assert_int_equal(frontier.seen.count, report.states);
    }
    visited_close(&frontier.seen);
    free(frontier.state);
    free(frontier.image);
    return apart;
}

/* ---- scenes: what a search seldom comes by ---- */

#define OTHERWISE "" /* one step, with the other outcome of its choice */

/* A process goes on until its next step is this one. */
struct move {
    unsigned p;
    const char *before;
};

enum { MOST_MOVES = 24, MOST_STEPS = 100 };

struct scene {
    struct size size;
    struct move move[MOST_MOVES];
};

static bool is_before(const uint64_t *state, struct move move)
{
    uint64_t to[CHECK_MAX_WORDS];
    struct check_note note;
    return raw.check.describe(&raw.check, state, move.p, to, &note) &&
           strcmp(note.label, move.before) == 0;
}

/* All moves from the state are tried, also those that the scene does not go on with. */
static unsigned look_around(const uint64_t *state)
{
    uint64_t image[CHECK_MAX_WORDS], to[CHECK_MAX_WORDS], after[CHECK_MAX_WORDS];
    const uint64_t settled = normal.settled(&normal, state);
    struct check_note note;
    unsigned apart = 0;
    memcpy(image, state, raw.check.words * sizeof *image);
    assert_true(normal.normal(&normal, image));
    for (unsigned e = 0; e < raw.check.n * raw.check.kinds; e++) {
        if (raw.check.describe(&raw.check, state, e, to, &note))
            apart += !stay_together(state, image, settled, e, to, after);
    }
    return apart;
}

static unsigned play(const struct scene *scene)
{
    uint64_t state[CHECK_MAX_WORDS], to[CHECK_MAX_WORDS];
    struct check_note note;
    unsigned apart = 0;
    make_both(&scene->size);
    raw.check.initial(&raw.check, state);
    for (const struct move *move = scene->move; move->before != NULL && apart == 0; move++) {
        const bool otherwise = move->before[0] == '\0';
        unsigned steps = 0;
        while (apart == 0 && (otherwise ? steps == 0 : !is_before(state, *move))) {
            const unsigned edge = otherwise ? raw.check.n + move->p : move->p;
            apart += look_around(state);
            assert_true(steps++ < MOST_STEPS);
            assert_true(raw.check.describe(&raw.check, state, edge, to, &note));
            memcpy(state, to, raw.check.words * sizeof *state);
        }
    }
    return apart > 0 ? apart : look_around(state);
}

/* clang-format off */
#define LOOKS_LATE                                                                                 \
    {{0, "X4"}, {2, "X2"}, {1, "X2"}, {2, "D1"}, {2, "X2"}, {2, "D1"}, {2, "X2"}, {2, "D1"},       \
     {2, "X2"}, {1, "X4"}, {2, "X3"}}
/* clang-format on */

static const struct scene scenes[] = {
    /* Process 2 has two tickets, which are both admitted. It leaves the slot of the first, while
     * the one that handed that on has not looked yet whose it is (W8, R7). */
    {{"pool", 3, 2, 0, 0},
     {{0, "X2"},
      {1, "X2"},
      {2, "W3"},
      {2, OTHERWISE},
      {2, "D1"},
      {2, "W3"},
      {2, "W6"},
      {2, "W7"},
      {0, "R7"},
      {1, "K3"},
      {2, "W8"},
      {2, "W1"}}},
    /* Process 0 has handed slot 0 on, and does not look whether it was free before the ring has
     * come round, and somebody writes there (X4). */
    {{"pool", 3, 2, 0, 0}, LOOKS_LATE},
    {{"pool/resize", 3, 2, 0, 0}, LOOKS_LATE},
    /* So does process 2, with slot 1, which is wanted no more: its owner leaves it after the ring
     * has come round, */
    {{"pool/resize", 3, 2, 0, 0},
     {{0, "X1"},
      {2, "X4"},
      {1, "X1"},
      {0, "D1"},
      {0, OTHERWISE},
      {0, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "X1"},
      {1, "D1"}}},
    /* or before, and a ticket at the same place is all that is not old. */
    {{"pool/resize", 3, 2, 0, 0},
     {{0, "X1"},
      {2, "X4"},
      {1, "X1"},
      {0, "D1"},
      {0, OTHERWISE},
      {0, "D1"},
      {1, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "X1"},
      {0, "D1"},
      {0, "D2"},
      {2, "D1"}}},
};

static void test_scenes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        assert_int_equal(play(&scenes[i]), 0);
}

static const struct size sizes[] = {
    {"pool", 2, 1, 2, 20000},         {"pool", 2, 2, 2, 40000},
    {"pool", 3, 1, 2, 20000},         {"pool", 3, 2, 2, 20000},
    {"pool", 4, 2, 1, 20000},         {"pool", 4, 3, 1, 20000},
    {"pool/try", 3, 2, 2, 20000},     {"pool/asleep", 3, 2, 2, 20000},
    {"pool/patient", 4, 2, 2, 20000}, {"pool/resize", 2, 1, 2, 20000},
    {"pool/resize", 3, 2, 2, 20000},
};

static void test_pool(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(run(&sizes[i]), 0);
}

static void test_search(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(search(&sizes[i]), 0);
}

static void shuffle(struct dice *dice, unsigned *to, unsigned n)
{
    for (unsigned p = 0; p < n; p++)
        to[p] = p;
    for (unsigned p = n; p > 1; p--) {
        const unsigned q = dice_below(dice, p), other = to[q];
        to[q] = to[p - 1];
        to[p - 1] = other;
    }
}

/* States of which the exchanged ones have another normal form. */
static unsigned run_exchanged(const struct size *size)
{
    struct dice dice = {1};
    make_both(size);
    normal.params.symmetric = true;
    const unsigned n = size->n, words = raw.check.words, edges = n * raw.check.kinds;
    uint64_t state[CHECK_MAX_WORDS], other[CHECK_MAX_WORDS];
    unsigned to[CHECK_MAX_PROCESSES], differ = 0;
    bool fresh = true;
    for (unsigned step = 0; step < scaled_full(STEPS) && differ == 0; step++) {
        if (fresh) {
            raw.check.initial(&raw.check, state);
            raw.check.initial(&raw.check, other);
            shuffle(&dice, to, n);
        }
        uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
        const struct check_moves moves = raw.check.expand(&raw.check, state, out);
        fresh = moves.error; /* the counters have come to their end */
        if (fresh)
            continue;
        unsigned e = dice_below(&dice, edges);
        while (!(moves.exist >> e & 1) || (is_fault(e) && dice_below(&dice, 40) != 0))
            e = dice_below(&dice, edges);
        struct check_note note;
        uint64_t next[CHECK_MAX_WORDS], one[CHECK_MAX_WORDS], two[CHECK_MAX_WORDS];
        assert_true(raw.check.describe(&raw.check, state, e, next, &note));
        memcpy(state, next, words * sizeof *next);
        assert_true(raw.check.describe(&raw.check, other, e / n * n + to[e % n], next, &note));
        memcpy(other, next, words * sizeof *next);
        memcpy(one, state, words * sizeof *one);
        memcpy(two, other, words * sizeof *two);
        assert_true(normal.normal(&normal, one) && normal.normal(&normal, two));
        if (check_same_state(one, two, words))
            continue;
        print_message("%s, n = %u, l = %u: an exchange makes a difference\n", size->name, n,
                      size->l);
        show("a state", state);
        show("its image", one);
        show("exchanged", other);
        show("image of that", two);
        differ++;
    }
    return differ;
}

static void test_exchange(void **state)
{
    (void)state;
    const struct size exchanged[] = {
        {"pool", 2, 1, 2},        {"pool", 2, 2, 2},         {"pool", 3, 1, 2},
        {"pool", 3, 2, 2},        {"pool", 4, 2, 2},         {"pool/try", 3, 2, 2},
        {"pool/asleep", 4, 1, 2}, {"pool/patient", 4, 2, 2}, {"pool/resize", 3, 2, 2},
    };
    for (size_t i = 0; i < sizeof exchanged / sizeof exchanged[0]; i++)
        assert_int_equal(run_exchanged(&exchanged[i]), 0);
}

static void explore_as(bool symmetric, const char *name, struct step_params params,
                       struct check_report *report)
{
    make_model(&normal, name, params);
    normal.params.abridged = normal.protocol->abridges;
    normal.params.symmetric = symmetric;
    explore(report);
}

static void compare_counts(const char *name, struct step_params params)
{
    struct check_report with, without;
    explore_as(true, name, params, &with);
    explore_as(false, name, params, &without);
    print_message("%s, n = %u, l = %u, kills %u: %llu states, %llu kept\n", name, params.n,
                  params.l, params.kills, (unsigned long long)with.states,
                  (unsigned long long)with.stored);
    assert_int_equal(with.states, without.states);
    assert_int_equal(with.transitions, without.transitions);
    assert_int_equal(without.stored, without.states);
    assert_true(with.stored * 3 < without.stored * 2);
}

static void test_orbits(void **state)
{
    (void)state;
    const struct step_params two = {.n = 2, .l = 1, .kills = 2},
                             both = {.n = 2, .l = 2, .kills = 1},
                             three = {.n = 3, .l = 1, .kills = 1},
                             once = {.n = 2, .l = 1, .kills = 1};
    compare_counts("pool", two);
    compare_counts("pool", both);
    compare_counts("pool/try", two);
    compare_counts("pool/asleep", two);
    compare_counts("pool/patient", two);
    compare_counts("pool/patient", three);
    compare_counts("pool/resize", once);
    if (scaled_full(100) > 100) /* make check-long */
        compare_counts("pool", three);
}

/* What is settled in the pool is not where A is changed by a store: that must be noticed. */
static void test_is_noticed(void **state)
{
    (void)state;
    expected_to_fail = true;
    assert_int_not_equal(run(&(struct size){"pool/plain-store", 3, 1, 1, 0}), 0);
    expected_to_fail = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool),   cmocka_unit_test(test_search),
        cmocka_unit_test(test_scenes), cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_orbits), cmocka_unit_test(test_is_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
