/* The lock-free set of packed states. */
#include "support.h"

#include "check/model.h"
#include "check/parallel.h"
#include "check/set.h"

enum { WIDEST = 3 };

static bool add(struct check_set *set, const uint64_t *state)
{
    return check_set_add(set, state,
                         check_set_home(check_set_hash(state, set->words), set->capacity));
}

/* Random states from a universe of `kinds`, many of which share their first words: that is where a
 * slot that is half written is met by another state. */
static void make_state(uint64_t number, unsigned words, uint64_t *state)
{
    for (unsigned w = 0; w < words; w++) {
        uint64_t part = w + 1 < words ? number % 7 : number;
        state[w] = CHECK_PRESENT | part;
    }
}

static uint64_t stored(const struct check_set *set)
{
    uint64_t count = 0;
    for (uint64_t s = 0; s < set->capacity; s++)
        count += atomic_load(&set->slots[s * set->words]) != 0;
    return count;
}

static void a_state_is_new_once(void **unused)
{
    (void)unused;
    for (unsigned words = 1; words <= WIDEST; words++) {
        struct check_budget budget = budget_of(16);
        struct check_set set;
        assert_true(check_set_open(&set, &budget, words, 256));
        for (uint64_t i = 0; i < 100; i++) {
            uint64_t state[WIDEST];
            make_state(i, words, state);
            assert_true(add(&set, state));
            assert_false(add(&set, state));
        }
        for (uint64_t i = 0; i < 100; i++) {
            uint64_t state[WIDEST];
            make_state(i, words, state);
            assert_false(add(&set, state));
        }
        assert_int_equal(stored(&set), 100);
        check_set_close(&set);
        assert_int_equal(atomic_load(&budget.used), 0);
    }
}

static void states_that_differ_in_one_word_are_different(void **unused)
{
    (void)unused;
    struct check_budget budget = budget_of(16);
    for (unsigned w = 0; w < WIDEST; w++) {
        struct check_set set;
        assert_true(check_set_open(&set, &budget, WIDEST, 64));
        uint64_t state[WIDEST] = {CHECK_PRESENT | 1, CHECK_PRESENT | 2, CHECK_PRESENT | 3};
        assert_true(add(&set, state));
        state[w] ^= 8;
        assert_true(add(&set, state));
        assert_false(add(&set, state));
        state[w] ^= 8;
        assert_false(add(&set, state));
        check_set_close(&set);
    }
}

/* After growth the set holds the same states: each is found, and nothing else is. */
static void growth_keeps_everything_and_nothing_else(void **unused)
{
    (void)unused;
    for (unsigned words = 1; words <= WIDEST; words++) {
        struct check_budget budget = budget_of(64);
        struct check_set set;
        assert_true(check_set_open(&set, &budget, words, 64));
        uint64_t count = 0;
        for (uint64_t i = 0; i < 20000; i++) {
            if (count * 4 >= set.capacity * 3) {
                uint64_t larger = i % 2 == 0 ? set.capacity * 2 : set.capacity + set.capacity / 2;
                assert_true(check_set_grow(&set, larger));
                assert_int_equal(set.capacity, larger);
                assert_int_equal(stored(&set), count);
            }
            uint64_t state[WIDEST];
            make_state(2 * i, words, state);
            assert_true(add(&set, state));
            count++;
        }
        assert_true(check_set_grow(&set, set.capacity * 4));
        assert_int_equal(stored(&set), count);
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t state[WIDEST];
            make_state(2 * i, words, state);
            assert_false(add(&set, state));
            make_state(2 * i + 1, words, state);
            assert_true(add(&set, state));
        }
        check_set_close(&set);
        assert_int_equal(atomic_load(&budget.used), 0);
    }
}

static void growth_over_the_budget_leaves_the_set_as_it_was(void **unused)
{
    (void)unused;
    struct check_budget budget = {.limit = 64 * 1024};
    struct check_set set;
    assert_true(check_set_open(&set, &budget, 2, 1024));
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t state[2];
        make_state(i, 2, state);
        assert_true(add(&set, state));
    }
    uint64_t used = atomic_load(&budget.used);
    assert_false(check_set_grow(&set, 1 << 20));
    assert_int_equal(atomic_load(&budget.used), used);
    assert_int_equal(set.capacity, 1024);
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t state[2];
        make_state(i, 2, state);
        assert_false(add(&set, state));
    }
    check_set_close(&set);
}

/* All states have their home near the end, so the run of full slots goes round to the front. */
static void a_search_goes_round_the_end_of_the_table(void **unused)
{
    (void)unused;
    enum { CAPACITY = 97, COUNT = 60 };
    for (unsigned words = 1; words <= WIDEST; words++) {
        struct check_budget budget = budget_of(16);
        struct check_set set;
        assert_true(check_set_open(&set, &budget, words, CAPACITY));
        uint64_t state[COUNT][WIDEST], number = 0;
        for (unsigned found = 0; found < COUNT; number++) {
            make_state(number, words, state[found]);
            found += check_set_home(check_set_hash(state[found], words), CAPACITY) >= CAPACITY - 10;
        }
        for (unsigned i = 0; i < COUNT; i++)
            assert_true(add(&set, state[i]));
        for (unsigned i = 0; i < COUNT; i++)
            assert_false(add(&set, state[i]));
        assert_int_equal(stored(&set), COUNT);
        assert_int_not_equal(atomic_load(&set.slots[0]), 0);
        assert_true(check_set_grow(&set, 2 * CAPACITY + 1));
        for (unsigned i = 0; i < COUNT; i++)
            assert_false(add(&set, state[i]));
        assert_int_equal(stored(&set), COUNT);
        check_set_close(&set);
    }
}

static void a_table_with_one_free_slot_still_answers(void **unused)
{
    (void)unused;
    enum { CAPACITY = 1000 };
    for (unsigned words = 1; words <= WIDEST; words++) {
        struct check_budget budget = budget_of(16);
        struct check_set set;
        assert_true(check_set_open(&set, &budget, words, CAPACITY));
        for (uint64_t i = 0; i < CAPACITY - 1; i++) {
            uint64_t state[WIDEST];
            make_state(i, words, state);
            assert_true(add(&set, state));
        }
        for (uint64_t i = 0; i < CAPACITY - 1; i++) {
            uint64_t state[WIDEST];
            make_state(i, words, state);
            assert_false(add(&set, state));
        }
        assert_int_equal(stored(&set), CAPACITY - 1);
        check_set_close(&set);
    }
}

/* ---- many at once ---- */

enum { THREADS = 8, UNIVERSE = 3000 };

struct crowd {
    struct check_set *set;
    uint64_t seed;
    unsigned adds;
    _Atomic(unsigned) ready;
    _Atomic(unsigned) new_to[UNIVERSE]; /* how often each state was new to somebody */
    _Atomic(bool) added[UNIVERSE];
};

static void add_at_random(void *context, unsigned thread)
{
    struct crowd *crowd = context;
    struct dice dice = {crowd->seed * THREADS + thread};
    atomic_fetch_add(&crowd->ready, 1);
    for (unsigned spin = 0; spin < 1000000 && atomic_load(&crowd->ready) < THREADS; spin++) {
    }
    for (unsigned a = 0; a < crowd->adds; a++) {
        /* All threads walk the same way for a while, so that they meet in the same slots. */
        uint64_t number = a % 2 == 0 ? a / 2 % UNIVERSE : dice_below(&dice, UNIVERSE);
        uint64_t state[WIDEST];
        make_state(number, crowd->set->words, state);
        if (add(crowd->set, state))
            atomic_fetch_add(&crowd->new_to[number], 1);
        atomic_store(&crowd->added[number], true);
    }
}

static void of_many_threads_one_finds_each_state_new(void **unused)
{
    (void)unused;
    for (unsigned words = 1; words <= WIDEST; words++) {
        for (unsigned seed = 0; seed < scaled(60); seed++) {
            struct check_budget budget = budget_of(64);
            struct check_set set;
            /* Nearly full: long runs, much meeting. */
            assert_true(check_set_open(&set, &budget, words, UNIVERSE + UNIVERSE / 16));
            struct crowd *crowd = calloc(1, sizeof *crowd);
            assert_non_null(crowd);
            crowd->set = &set;
            crowd->seed = seed;
            crowd->adds = 2 * UNIVERSE;
            check_parallel(THREADS, add_at_random, crowd);
            uint64_t count = 0;
            for (unsigned i = 0; i < UNIVERSE; i++) {
                assert_int_equal(atomic_load(&crowd->new_to[i]), atomic_load(&crowd->added[i]));
                count += atomic_load(&crowd->added[i]);
            }
            assert_int_equal(stored(&set), count);
            free(crowd);
            check_set_close(&set);
        }
    }
}

/* A table this large takes only address space, as long as few of its slots are touched. */
static void a_table_may_have_more_slots_than_32_bits_count(void **unused)
{
    (void)unused;
    enum { STATES = 2000 };
    struct check_budget budget = {.limit = UINT64_C(1) << 40};
    struct check_set set;
    uint64_t beyond = 0;
    if (!check_set_open(&set, &budget, 1, UINT64_C(3) << 32))
        skip(); /* where address space is short */
    for (uint64_t i = 0; i < STATES; i++) {
        uint64_t state = CHECK_PRESENT | i;
        const uint64_t home = check_set_home(check_set_hash(&state, 1), set.capacity);
        assert_true(add(&set, &state));
        assert_int_equal(atomic_load(&set.slots[home]), state);
        beyond += home > UINT32_MAX;
    }
    for (uint64_t i = 0; i < STATES; i++) {
        const uint64_t state = CHECK_PRESENT | i;
        assert_false(add(&set, &state));
    }
    assert_in_range(beyond, STATES / 2, STATES); /* two thirds, more or less */
    check_set_close(&set);
    assert_int_equal(atomic_load(&budget.used), 0);
}

/* Two threads that step together from state to state, so that they are in the same slot at once. */
struct duel {
    struct check_set *set;
    bool same; /* both add the same state; else states that differ in their last word only */
    unsigned rounds;
    _Atomic(unsigned) arrived[2];
    uint8_t *new_to[2];
};

static void fight(void *context, unsigned thread)
{
    struct duel *duel = context;
    for (unsigned r = 0; r < duel->rounds; r++) {
        uint64_t state[WIDEST];
        make_state(2 * r + (duel->same ? 0 : thread), duel->set->words, state);
        for (unsigned w = 0; w + 1 < duel->set->words; w++)
            state[w] = CHECK_PRESENT | 5;
        /* The same home for both: that is where they meet. */
        uint64_t home = 4 * (uint64_t)r;
        atomic_store(&duel->arrived[thread], r + 1);
        for (unsigned spin = 0; spin < 10000 && atomic_load(&duel->arrived[1 - thread]) <= r;
             spin++) {
        }
        duel->new_to[thread][r] = check_set_add(duel->set, state, home);
    }
}

static void of_two_in_one_slot_one_finds_the_state_new(void **unused)
{
    (void)unused;
    for (unsigned words = 1; words <= WIDEST; words++) {
        for (unsigned same = 0; same < 2; same++) {
            struct check_budget budget = budget_of(256);
            struct check_set set;
            struct duel duel = {.set = &set, .same = same != 0, .rounds = scaled(100000)};
            assert_true(check_set_open(&set, &budget, words, 4 * (uint64_t)duel.rounds));
            for (unsigned t = 0; t < 2; t++) {
                duel.new_to[t] = calloc(duel.rounds, 1);
                assert_non_null(duel.new_to[t]);
            }
            check_parallel(2, fight, &duel);
            uint64_t expected = same ? 1 : 2;
            for (unsigned r = 0; r < duel.rounds; r++)
                assert_int_equal(duel.new_to[0][r] + duel.new_to[1][r], expected);
            assert_int_equal(stored(&set), expected * duel.rounds);
            free(duel.new_to[0]);
            free(duel.new_to[1]);
            check_set_close(&set);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_new_once),
        cmocka_unit_test(states_that_differ_in_one_word_are_different),
        cmocka_unit_test(growth_keeps_everything_and_nothing_else),
        cmocka_unit_test(growth_over_the_budget_leaves_the_set_as_it_was),
        cmocka_unit_test(a_search_goes_round_the_end_of_the_table),
        cmocka_unit_test(a_table_with_one_free_slot_still_answers),
        cmocka_unit_test(a_table_may_have_more_slots_than_32_bits_count),
        cmocka_unit_test(of_many_threads_one_finds_each_state_new),
        cmocka_unit_test(of_two_in_one_slot_one_finds_the_state_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
