/*
 * No dead local: a local variable that will not be read before it is written again is 0. Otherwise
 * states that differ in nothing that matters are counted as different.
 *
 * Liveness is found by experiment. At each program point, the step is made again with the variable
 * replaced by every other value that it has at that point somewhere. If anything but the variable
 * itself comes out differently, it is used there; if only the variable does, it is live where it is
 * live at the next point; the rest is a fixed point. Values that it never has are not tried: with
 * them an index may point nowhere.
 *
 * That the lint finds something is shown by a protocol of its own, below, one variant of which
 * keeps a variable too long.
 */
#include "catalogue.h"
#include "large.h"

#include "check/set.h"

/* ---- a protocol with a dead local ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-const-variable"

#define STEP_MODEL
#define NAME test_keeper
#define CELLS(cell, cells, registers) cell(V, 3) cell(W, 3)
#define LOCALS(local) local(u, 3) local(w, 3)
#include "step/step.h"

/* Laid out by hand, as protocol files are. */
/* clang-format off */
enum { CLEAN, KEEPS_U, KEEPS_W };

ENTRY
    READ(A, u, V);
    READ(B, w, W);
    if (!VARIANT(KEEPS_W))
        FORGET(w); /* read, and never looked at */
    WRITE(C, V, (u + 1) % 3);
    if (!VARIANT(KEEPS_U))
        FORGET(u);
    WRITE(D, W, 1);
END

EXIT
    WRITE(E, V, 0);
END

static const struct protocol_claim claims[] = {{CHECK_EXCLUSION, NOT_CLAIMED, "a test"}};
static const struct protocol_variant variants[] = {
    {"", "clean", CLAIMS(claims)},
    {"keeps-u", "u is dead after C", CLAIMS(claims)},
    {"keeps-w", "w is dead after B", CLAIMS(claims)},
};
PROTOCOL(.name = "test-keeper", .title = "a test", .citation = "none", .min_n = 2, .max_n = 2,
         .default_n = 2, .max_l = 1, VARIANTS(variants))
/* clang-format on */
#include "step/end.h"

#pragma GCC diagnostic pop

/* ---- all reachable states ---- */

enum { MOST_STATES = 60000, MOST_POINTS = 2048 };

struct states {
    unsigned words;
    uint64_t (*state)[CHECK_MAX_WORDS];
    size_t count;
};

static bool add(struct check_set *set, const uint64_t *state)
{
    return check_set_add(set, state,
                         check_set_home(check_set_hash(state, set->words), set->capacity));
}

/* False: too many, or a value leaves its range (as it may in a variant that is wrong). */
static bool collect(const struct check_model *model, size_t most, struct states *states)
{
    struct check_budget budget = budget_of(256);
    struct check_set seen;
    states->words = model->words;
    states->count = 1;
    states->state = calloc(most + 1, sizeof *states->state);
    assert_non_null(states->state);
    assert_true(check_set_open(&seen, &budget, model->words, 2 * most));
    model->initial(model, states->state[0]);
    add(&seen, states->state[0]);
    bool fits = true;
    for (size_t at = 0; at < states->count && fits; at++) {
        uint64_t out[CHECK_MAX_EDGES * CHECK_MAX_WORDS];
        struct check_moves moves = model->expand(model, states->state[at], out);
        fits = !moves.error;
        for (unsigned e = 0; e < model->n * model->kinds && fits; e++) {
            const uint64_t *next = &out[e * model->words];
            if ((moves.change >> e & 1) == 0 || !add(&seen, next))
                continue;
            fits = states->count < most;
            if (fits)
                memcpy(states->state[states->count++], next, model->words * sizeof *next);
        }
    }
    check_set_close(&seen);
    if (!fits)
        free(states->state);
    return fits;
}

/* ---- the lint ---- */

struct point { /* of the program: the values of all its counters */
    uint64_t counter[STEP_MAX_LOCALS];
    bool live[STEP_MAX_LOCALS];
    bool not_zero[STEP_MAX_LOCALS];  /* in some reachable state */
    bool has[STEP_MAX_LOCALS][64];   /* which values it has; 63 stands for all larger ones */
    uint64_t large[STEP_MAX_LOCALS]; /* one of those */
    const char *label;
};

struct carry { /* the variable lives at `from` if it lives at `to` */
    uint16_t from, to;
    uint8_t field;
};

struct lint {
    struct step_model *model;
    struct states states;
    struct point *point;
    unsigned points, counters;
    struct carry *carry;
    size_t carries, carry_room;
};

/* Program counters have no names; variables do. */
static unsigned count_counters(const struct step_model *model)
{
    unsigned count = 0;
    while (count < model->locals && model->local_name[count][0] == '\0')
        count++;
    return count;
}

static struct check_field field_of(const struct step_model *model, unsigned p, unsigned f)
{
    struct check_field field = model->local[f];
    field.word = (uint8_t)(field.word + model->check.block[p].word);
    field.shift = (uint8_t)(field.shift + model->check.block[p].shift);
    return field;
}

static unsigned point_of(struct lint *lint, const uint64_t *state, unsigned p)
{
    uint64_t counter[STEP_MAX_LOCALS] = {0};
    for (unsigned c = 0; c < lint->counters; c++)
        counter[c] = check_get(state, field_of(lint->model, p, c));
    for (unsigned i = 0; i < lint->points; i++) {
        if (memcmp(lint->point[i].counter, counter, sizeof counter) == 0)
            return i;
    }
    assert_true(lint->points < MOST_POINTS);
    memcpy(lint->point[lint->points].counter, counter, sizeof counter);
    return lint->points++;
}

static void note_values(struct lint *lint)
{
    const struct step_model *model = lint->model;
    for (size_t s = 0; s < lint->states.count; s++) {
        for (unsigned p = 0; p < model->check.n; p++) {
            struct point *point = &lint->point[point_of(lint, lint->states.state[s], p)];
            for (unsigned f = lint->counters; f < model->locals; f++) {
                uint64_t value = check_get(lint->states.state[s], field_of(model, p, f));
                point->not_zero[f] |= value != 0;
                point->has[f][value < 63 ? value : 63] = true;
                if (value >= 63)
                    point->large[f] = value;
            }
        }
    }
}

static void add_carry(struct lint *lint, struct carry carry)
{
    for (size_t c = lint->carries; c-- > 0;) {
        struct carry known = lint->carry[c];
        if (known.from == carry.from && known.to == carry.to && known.field == carry.field)
            return;
    }
    if (lint->carries == lint->carry_room) {
        lint->carry_room = lint->carry_room == 0 ? 256 : 2 * lint->carry_room;
        lint->carry = realloc(lint->carry, lint->carry_room * sizeof *lint->carry);
        assert_non_null(lint->carry);
    }
    lint->carry[lint->carries++] = carry;
}

/* The step of p from `state`, which leads to `usual`, with field f replaced by `value`. */
static void try_value(struct lint *lint, const uint64_t *state, const uint64_t *usual, unsigned p,
                      unsigned f, uint64_t value, unsigned at)
{
    struct check_model *model = &lint->model->check;
    const struct check_field field = field_of(lint->model, p, f);
    uint64_t other[CHECK_MAX_WORDS], after[CHECK_MAX_WORDS], masked[CHECK_MAX_WORDS];
    struct check_note note;
    memcpy(other, state, sizeof other);
    check_put(other, field, value);
    if (!model->describe(model, other, p, after, &note))
        return; /* out of range: that says nothing */
    memcpy(masked, after, sizeof masked);
    check_put(masked, field, check_get(usual, field));
    if (!check_same_state(masked, usual, model->words))
        lint->point[at].live[f] = true;
    else if (check_get(after, field) != check_get(usual, field))
        add_carry(lint,
                  (struct carry){(uint16_t)at, (uint16_t)point_of(lint, usual, p), (uint8_t)f});
}

static void experiment(struct lint *lint)
{
    struct step_model *model = lint->model;
    const unsigned n = model->check.n;
    struct check_budget budget = budget_of(256);
    struct check_set seen; /* what others have in their locals does not matter: once is enough */
    assert_true(check_set_open(&seen, &budget, model->check.words + 1, 2 * n * MOST_STATES));
    for (size_t s = 0; s < lint->states.count; s++) {
        const uint64_t *state = lint->states.state[s];
        for (unsigned p = 0; p < n; p++) {
            uint64_t alone[CHECK_MAX_WORDS + 1], usual[CHECK_MAX_WORDS];
            memcpy(alone, state, model->check.words * sizeof *alone);
            for (unsigned q = 0; q < n; q++) {
                for (unsigned f = 0; f < model->locals && q != p; f++)
                    check_put(alone, field_of(model, q, f), 0);
            }
            alone[model->check.words] = CHECK_PRESENT | p;
            struct check_note note;
            if (!add(&seen, alone) || !model->check.describe(&model->check, state, p, usual, &note))
                continue;
            const unsigned at = point_of(lint, state, p);
            lint->point[at].label = note.label;
            for (unsigned f = lint->counters; f < model->locals; f++) {
                const uint64_t now = check_get(state, field_of(model, p, f));
                for (unsigned v = 0; v < 64 && !lint->point[at].live[f]; v++) {
                    uint64_t value = v < 63 ? v : lint->point[at].large[f];
                    if (lint->point[at].has[f][v] && value != now)
                        try_value(lint, state, usual, p, f, value, at);
                }
            }
        }
    }
    check_set_close(&seen);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t c = 0; c < lint->carries; c++) {
            struct carry carry = lint->carry[c];
            if (!lint->point[carry.from].live[carry.field] &&
                lint->point[carry.to].live[carry.field])
                lint->point[carry.from].live[carry.field] = changed = true;
        }
    }
}

/* Variables that make no difference at one size for a reason of their own. */
static bool excused(const char *name, unsigned n, const char *variable)
{
    /* With clocks modulo 2, what process reads at 4 is its own clock or the one before it, and it
     * stores its own in both cases. */
    const bool own_clock = strcmp(name, "rp-linear") == 0 && n == 2 && strcmp(variable, "m") == 0;
    /* A process that is critical holds its ticket, number and all: the invariants of the proof read
     * it. */
    const bool ticket = strncmp(name, "flbb-colored", 12) == 0 && strcmp(variable, "number") == 0;
    return own_clock || ticket;
}

/* A variable with one value only at a point is not experimented with: it splits no states there. */
static bool one_value(const struct point *point, unsigned f)
{
    unsigned values = 0;
    for (unsigned v = 0; v < 64; v++)
        values += point->has[f][v];
    return values == 1;
}

/* The number of dead locals that are not 0; they are printed with `name` in front. -1: too
 * large. */
static int dead_locals(struct step_model *model, const char *name)
{
    struct lint lint = {.model = model, .counters = count_counters(model)};
    if (!collect(&model->check, SANITIZED ? 8000 : MOST_STATES, &lint.states))
        return -1;
    lint.point = calloc(MOST_POINTS, sizeof *lint.point);
    assert_non_null(lint.point);
    note_values(&lint);
    experiment(&lint);
    int dead = 0;
    for (unsigned i = 0; i < lint.points; i++) {
        const struct point *point = &lint.point[i];
        for (unsigned f = lint.counters; f < model->locals; f++) {
            if (!point->not_zero[f] || point->live[f] || one_value(point, f) ||
                (name != NULL && excused(name, model->check.n, model->local_name[f])))
                continue;
            dead++;
            if (name != NULL)
                print_error("%s, n = %u: %s is dead and not 0 before the step %s (at %llu)\n", name,
                            model->check.n, model->local_name[f],
                            point->label != NULL ? point->label : "?",
                            (unsigned long long)point->counter[0]);
        }
    }
    free(lint.carry);
    free(lint.point);
    free(lint.states.state);
    return dead;
}

/* ---- tests ---- */

static int dead_in_keeper(unsigned variant)
{
    static struct step_model model;
    const struct step_params params = {.n = 2, .l = 1, .k = 1, .variant = variant};
    assert_null(protocol_model_test_keeper.make(&model, &params));
    return dead_locals(&model, NULL);
}

static void the_lint_finds_a_local_that_is_kept_too_long(void **unused)
{
    (void)unused;
    assert_int_equal(dead_in_keeper(CLEAN), 0);
    assert_int_equal(dead_in_keeper(KEEPS_U), 2); /* before D, and in the critical region */
    assert_int_equal(dead_in_keeper(KEEPS_W), 3);
}

static void no_protocol_has_a_dead_local(void **unused)
{
    (void)unused;
    static struct step_model model;
    int dead = 0;
    for (size_t i = 0; i < protocol_count; i++) {
        const struct protocol *protocol = protocol_models[i]->protocol;
        for (unsigned v = 0; v < protocol->variant_count; v++) {
            struct protocol_choice choice = {protocol_models[i], protocol_natives[i], protocol, v};
            char name[80];
            if (protocol->broken_from != 0 && v >= protocol->broken_from)
                continue; /* it gets to where its steps are not made: nothing is read there */
            protocol_full_name(&choice, name, sizeof name);
            bool looked = false;
            for (unsigned n = protocol->min_n; n <= protocol->max_n && n <= 4; n++) {
                struct step_params params = protocol_defaults(&choice);
                params.n = n;
                char refused[200];
                if (protocol_refuse(&choice, &params, refused, sizeof refused) != NULL)
                    continue;
                assert_null(choice.model->make(&model, &params));
                int found = dead_locals(&model, name);
                if (found < 0)
                    break;
                looked = true;
                dead += found;
            }
            if (!looked && large_above(name) == 0) {
                print_error("%s: too large: give it a smaller size, or list it in "
                            "tests/unit/large.c\n",
                            name);
                dead++;
            }
        }
    }
    assert_int_equal(dead, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lint_finds_a_local_that_is_kept_too_long),
        cmocka_unit_test(no_protocol_has_a_dead_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
