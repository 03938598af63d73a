#include "reachable.h"

/* The number of a state, which is a new one if need be. */
static uint32_t walk_number(struct walk *walk, const uint64_t *state)
{
    const unsigned words = walk->model->words;
    uint64_t slot = check_set_home(check_set_hash(state, words), WALK_INDEX);
    for (; walk->index[slot] != 0; slot = (slot + 1) % WALK_INDEX) {
        if (check_same_state(walk->state[walk->index[slot] - 1], state, words))
            return walk->index[slot] - 1;
    }
    assert_true(walk->count < WALK_STATES);
    memcpy(walk->state[walk->count], state, words * sizeof *state);
    walk->slot[walk->count] = (uint32_t)slot;
    walk->index[slot] = ++walk->count;
    return walk->count - 1;
}

/* One walk at a time: the memory is always the same. */
static struct walk *walk_from(const struct check_model *model, const uint64_t *state,
                              walk_goes *goes, unsigned i)
{
    static struct walk the_walk;
    struct walk *walk = &the_walk;
    while (walk->count > 0)
        walk->index[walk->slot[--walk->count]] = 0;
    walk->model = model;
    walk->i = i;
    walk->edges = model->n * model->kinds;
    walk_number(walk, state);
    for (uint32_t at = 0; at < walk->count; at++) {
        for (unsigned e = 0; e < walk->edges; e++) {
            struct check_note note;
            uint64_t to[CHECK_MAX_WORDS];
            const bool there = model->describe(model, walk->state[at], e, to, &note) &&
                               goes(model, i, walk->state[at], e, to);
            walk->next[at][e] = there ? walk_number(walk, to) : CHECK_NONE;
        }
    }
    return walk;
}

/* ---- enabled by the next step ---- */

static bool walk_without(const struct check_model *model, unsigned i, const uint64_t *from,
                         unsigned edge, const uint64_t *to)
{
    (void)from, (void)to;
    return edge % model->n != i;
}

/* The step of i leads from R or T into C. */
static bool walk_able(const struct check_model *model, const uint64_t *state, unsigned i)
{
    struct check_note note;
    uint64_t next[CHECK_MAX_WORDS];
    enum check_region now = check_region_of(model, state, i);
    return (now == CHECK_REMAINDER || check_trying(now)) &&
           model->describe(model, state, i, next, &note) &&
           check_region_of(model, next, i) == CHECK_CRITICAL;
}

/* Able to enter after every schedule without i. */
static bool walk_always_able(const struct check_model *model, const uint64_t *state, unsigned i)
{
    if (!walk_able(model, state, i))
        return false;
    const struct walk *walk = walk_from(model, state, walk_without, i);
    for (unsigned at = 0; at < walk->count; at++) {
        if (!walk_able(model, walk->state[at], i))
            return false;
    }
    return true;
}

/* ---- enabled in own steps ---- */

static bool walk_trying(const struct check_model *model, unsigned i, const uint64_t *from,
                        unsigned edge, const uint64_t *to)
{
    (void)to;
    return check_trying(check_region_of(model, from, i)) && (edge == i || edge % model->n != i);
}

/* Whether `sure` may stay for state `at`: the others lead to where it is said, and the step of i to
 * the critical region or to where it was said a round before. */
static bool walk_stays_sure(const struct walk *walk, const bool *sure, const bool *before,
                            unsigned at)
{
    for (unsigned e = 0; e < walk->edges; e++) {
        const uint32_t to = walk->next[at][e];
        if (to == CHECK_NONE)
            continue;
        const bool in = check_region_of(walk->model, walk->state[to], walk->i) == CHECK_CRITICAL;
        if (e == walk->i ? !in && !before[to] : !sure[to])
            return false;
    }
    return true;
}

/* Sure to enter within N steps of its own, for N = 0, 1, 2 and so on, until no state is added. */
static bool walk_sure(const struct check_model *model, const uint64_t *state, unsigned i)
{
    static bool before[WALK_STATES], sure[WALK_STATES];
    if (!check_trying(check_region_of(model, state, i)))
        return false;
    const struct walk *walk = walk_from(model, state, walk_trying, i);
    memset(before, false, walk->count);
    for (bool added = true; added;) {
        for (unsigned at = 0; at < walk->count; at++)
            sure[at] = check_trying(check_region_of(model, walk->state[at], i));
        for (bool taken = true; taken;) {
            taken = false;
            for (unsigned at = 0; at < walk->count; at++) {
                if (sure[at] && !walk_stays_sure(walk, sure, before, at)) {
                    sure[at] = false;
                    taken = true;
                }
            }
        }
        added = memcmp(before, sure, walk->count * sizeof *sure) != 0;
        memcpy(before, sure, walk->count * sizeof *sure);
    }
    return sure[0];
}

bool walk_enabled(const struct check_model *model, const uint64_t *state, unsigned i)
{
    return model->own_steps ? walk_sure(model, state, i) : walk_always_able(model, state, i);
}

/* ---- slots ---- */

static bool walk_living(const struct check_model *model, unsigned i, const uint64_t *from,
                        unsigned edge, const uint64_t *to)
{
    const unsigned p = edge % model->n;
    (void)i;
    return edge < model->n * (model->has_choice ? 2 : 1) &&
           check_region_of(model, from, p) != CHECK_DEAD &&
           check_region_of(model, to, p) != CHECK_DEAD;
}

bool walk_can_fill(const struct check_model *model, const uint64_t *state)
{
    const struct walk *walk = walk_from(model, state, walk_living, 0);
    for (unsigned at = 0; at < walk->count; at++) {
        const uint64_t *now = walk->state[at];
        const unsigned slots = model->slots != NULL ? model->slots(model, now) : model->l;
        unsigned critical = 0, living = 0;
        for (unsigned p = 0; p < model->n; p++) {
            critical += check_region_of(model, now, p) == CHECK_CRITICAL;
            living += p < check_workers(model) && check_region_of(model, now, p) != CHECK_DEAD;
        }
        if (critical >= slots || critical == living)
            return true;
    }
    return false;
}

bool walk_slots_clash(const struct check_model *model, const uint64_t *state)
{
    for (unsigned p = 0; p < model->n; p++) {
        if (check_region_of(model, state, p) != CHECK_CRITICAL)
            continue;
        if (model->slot(model, state, p) >= model->l)
            return true;
        for (unsigned q = 0; q < p; q++) {
            if (check_region_of(model, state, q) == CHECK_CRITICAL &&
                model->slot(model, state, q) == model->slot(model, state, p))
                return true;
        }
    }
    return false;
}
