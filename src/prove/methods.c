#include "prove/methods.h"

#include "prove/known_words.h"
#include "prove/names_scope.h"

#include <stdio.h>

/* ---- groups ---- */

#define NEEDS(...)                                                                                 \
    .conditions = sizeof((enum prove_condition[]){__VA_ARGS__}) / sizeof(enum prove_condition),    \
    .condition = {__VA_ARGS__}
#define SHOWS(...)                                                                                 \
    .groups = sizeof((enum prove_groups[]){__VA_ARGS__}) / sizeof(enum prove_groups),              \
    .group = {__VA_ARGS__}

enum { MOST_RULES = 3 };

/* A group is made where one of these lists of words is there; where it has none, always. */
static const struct {
    const char *name, *text;
    struct {
        unsigned conditions;
        enum prove_condition condition[PROVE_MOST_CONDITIONS];
    } where[2];
    struct prove_leads leads[MOST_RULES];
} groups[PROVE_GROUPS] = {
    [PROVE_GROUP_INVARIANT] = {"invariant", "it holds at first, and each step keeps it"},
    [PROVE_GROUP_ASSUMPTIONS] = {"assumptions",
                                 "CONSTANTS and ASSUMED have a model, for all sizes",
                                 {{NEEDS(PROVE_IF_NAMES)}}},
    [PROVE_GROUP_TRUST] = {"trust", "what the protocol trusts is so", {{NEEDS(PROVE_IF_NAMES)}}},
    [PROVE_GROUP_EXCLUSION] = {"exclusion", "no more are critical than there are slots"},
    [PROVE_GROUP_VALUES] = {"values",
                            "each variable has as many values as claimed, at most",
                            {{NEEDS(PROVE_IF_VALUES)}, {NEEDS(PROVE_IF_SEQUENCES)}}},
    [PROVE_GROUP_DEADLOCK] =
        {"deadlock-free",
         "changes lower a rank, and somebody can make one",
         {{NEEDS(PROVE_IF_COUNTERS, PROVE_IF_RANK)},
          {NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH, PROVE_IF_BLOCKED_OR_NUMBERED)}},
         .leads = {{"somebody is outside its remainder", "a region changes",
                    "one that can change something",
                    "RANK; or RANK_OF_EACH of all, of which each step lowers one"}}},
    [PROVE_GROUP_DOORWAY] = {"doorway",
                             "each step in the doorway changes something, and no step of another "
                             "raises the number of a process in it",
                             {{NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH)}},
                             .leads = {{"I is in its doorway", "I is past it", "I",
                                        "RANK_OF_EACH"}}},
    [PROVE_GROUP_WAITING] = {"bounded-waiting",
                             "nobody overtakes the waiter more often",
                             {{NEEDS(PROVE_IF_COUNTERS, PROVE_IF_BOUNDED)}}},
    [PROVE_GROUP_LOCKOUT] = {"lockout-free",
                             "what keeps a process waiting comes to an end",
                             {{NEEDS(PROVE_IF_COUNTERS, PROVE_IF_LOCKOUT_RANK)},
                              {NEEDS(PROVE_IF_NAMES, PROVE_IF_RELEASED)}},
                             .leads = {{"the waiter is in T or E", "it is critical, or rests",
                                        "HELPER, or one that can change something",
                                        "LOCKOUT_RANK; without a HELPER then RANK"},
                                       {"I is RELEASED by the process that it is BLOCKED_BY",
                                        "I changes something", "I", "none: it is the next step"}}},
    [PROVE_GROUP_ORDER] = {"order",
                           "who is behind is not critical before",
                           {{NEEDS(PROVE_IF_NAMES, PROVE_IF_ORDER)}}},
    [PROVE_GROUP_ENABLED] = {"enabled",
                             "what is enabled stays so, and enters by its own steps",
                             {{NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_OWN_STEPS)}},
                             .leads = {{"I is ENABLED", "I is critical, or gives up", "I",
                                        "OWN_RANK"}}},
    [PROVE_GROUP_ALONE] = {"alone",
                           "a process that goes on alone comes out, and in",
                           {{NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_OWN_STEPS,
                                   PROVE_IF_ALONE)}},
                           .leads = {{"only I makes steps, outside its remainder",
                                      "I rests, is critical, or ENABLED", "I", "LEAVES_ALONE"},
                                     {"only I makes steps, and KNOWS_ALONE",
                                      "I is critical, or ENABLED", "I", "ENTERS_ALONE"}}},
    [PROVE_GROUP_CALM] =
        {"calm",
         "what falls, and the ranks of single processes once it has fallen",
         {{NEEDS(PROVE_IF_NAMES, PROVE_IF_CALM)}},
         .leads = {{"I leaves, and what falls stays", "a region changes", "I", "LEAVES_ALONE"},
                   {"I is LET_IN, and what falls stays", "a region changes", "I", "LET_IN_RANK"},
                   {"I tries, nobody leaves or is LET_IN, and what falls stays",
                    "I is LET_IN, or a region changes", "I", "TRYING_RANK"}}},
    [PROVE_GROUP_ALLOCATION] = {"allocation",
                                "where a slot is free, one that waits goes on, or enters",
                                {{NEEDS(PROVE_IF_NAMES, PROVE_IF_NUMBERED, PROVE_IF_K_IS_1)},
                                 {NEEDS(PROVE_IF_COUNTERS)}}},
    [PROVE_GROUP_NEXT] = {"next-step",
                          "what is enabled stays so, and enters by its next step",
                          {{NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP)}},
                          .leads = {{"I is ENABLED", "I is critical", "I",
                                     "none: it is the next step"}}},
    [PROVE_GROUP_FULL] = {"full",
                          "as many are enabled as there are slots for",
                          {{NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP,
                                  PROVE_IF_SEATS_TAKEN)}}},
};

/* ---- methods ---- */

#define SAFETY PROVE_GROUP_ASSUMPTIONS, PROVE_GROUP_INVARIANT, PROVE_GROUP_TRUST

static const struct prove_method methods[] = {
    {CHECK_EXCLUSION, "exclusion", "the invariant", SHOWS(SAFETY, PROVE_GROUP_EXCLUSION)},

    {CHECK_VALUES, "values of a queue", "the invariant: the queue is a sequence of distinct names",
     SHOWS(SAFETY, PROVE_GROUP_VALUES), NEEDS(PROVE_IF_SEQUENCES)},
    {CHECK_VALUES, "values", "the invariant: every value stored is in its variable's range",
     SHOWS(SAFETY, PROVE_GROUP_VALUES), NEEDS(PROVE_IF_VALUES)},

    {CHECK_NO_MEMORY, "no memory", "the rules: none brings a local variable to the remainder",
     NEEDS(PROVE_IF_NO_MEMORY)},

    {CHECK_DISTINCT_SLOTS, "distinct slots",
     "the invariant: no two critical processes hold the same slot",
     SHOWS(SAFETY, PROVE_GROUP_EXCLUSION), NEEDS(PROVE_IF_NAMES, PROVE_IF_SEAT_IS_SLOT)},

    {CHECK_NO_SLOT_LOST, "going on alone",
     "exclusion, and what a process comes to that goes on alone",
     SHOWS(SAFETY, PROVE_GROUP_EXCLUSION, PROVE_GROUP_ENABLED, PROVE_GROUP_ALONE),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_OWN_STEPS, PROVE_IF_ALONE)},

    {CHECK_DEADLOCK_FREE, "calm",
     "the invariant, what falls, and the ranks of those that try and that leave",
     SHOWS(SAFETY, PROVE_GROUP_CALM), NEEDS(PROVE_IF_NAMES, PROVE_IF_CALM)},
    {CHECK_DEADLOCK_FREE, "numbers of processes", "the invariant and the numbers of the processes",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH, PROVE_IF_BLOCKED_OR_NUMBERED)},
    {CHECK_DEADLOCK_FREE, "a rank", "the invariant and the rank",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK), NEEDS(PROVE_IF_COUNTERS, PROVE_IF_RANK)},

    {CHECK_KL_DEADLOCK_FREE, "full", "l-full", SHOWS(SAFETY, PROVE_GROUP_NEXT, PROVE_GROUP_FULL),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP, PROVE_IF_SEATS_TAKEN)},
    {CHECK_KL_DEADLOCK_FREE, "the first goes on",
     "the invariant, the rank, and progress beside those who sleep inside",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_ALLOCATION),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH, PROVE_IF_NUMBERED, PROVE_IF_K_IS_1)},
    {CHECK_KL_DEADLOCK_FREE, "one of those that wait goes on",
     "the invariant, the rank, and progress beside those who sleep inside",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_ALLOCATION),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_RANK, PROVE_IF_K_IS_1)},
    {CHECK_KL_DEADLOCK_FREE, "all of those that wait enter",
     "the invariant: a waiting process enters by its next step",
     SHOWS(SAFETY, PROVE_GROUP_ALLOCATION), NEEDS(PROVE_IF_COUNTERS, PROVE_IF_EVERY_K)},

    {CHECK_LOCKOUT_FREE, "release",
     "deadlock-free, and what a process that is kept waiting comes to",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_LOCKOUT),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH, PROVE_IF_BLOCKED_OR_NUMBERED, PROVE_IF_RELEASED)},
    {CHECK_LOCKOUT_FREE, "no lockout by order", "deadlock-free and fifo",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_DOORWAY, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH, PROVE_IF_BLOCKED_OR_NUMBERED, PROVE_IF_ORDER,
           PROVE_IF_NOT_ENABLED, PROVE_IF_NOBODY_GIVES_UP)},
    {CHECK_LOCKOUT_FREE, "the waiter's rank", "the invariant, the rank, and the waiter's rank",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_LOCKOUT),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_RANK, PROVE_IF_LOCKOUT_RANK)},
    {CHECK_LOCKOUT_FREE, "no lockout by bounded waiting", "deadlock-free and bounded-waiting",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_WAITING),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_RANK, PROVE_IF_BOUNDED, PROVE_IF_NOBODY_GIVES_UP)},

    {CHECK_FIFO, "order", "the invariant and the order", SHOWS(SAFETY, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ORDER, PROVE_IF_NOT_ENABLED)},

    {CHECK_BOUNDED_WAITING, "waiting by order", "fifo", SHOWS(SAFETY, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ORDER, PROVE_IF_NOT_ENABLED, PROVE_IF_NO_DOORWAY)},
    {CHECK_BOUNDED_WAITING, "bounded waiting", "the invariant", SHOWS(SAFETY, PROVE_GROUP_WAITING),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_BOUNDED)},

    {CHECK_LINEAR_WAITING, "waiting by order", "fifo", SHOWS(SAFETY, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ORDER, PROVE_IF_NOT_ENABLED, PROVE_IF_AT_LEAST_1)},
    {CHECK_LINEAR_WAITING, "bounded waiting", "bounded-waiting, and one visit more",
     SHOWS(SAFETY, PROVE_GROUP_WAITING),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_BOUNDED, PROVE_IF_ONE_MORE)},

    {CHECK_FINITE_WAITING, "waiting by order", "fifo", SHOWS(SAFETY, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ORDER, PROVE_IF_NOT_ENABLED, PROVE_IF_NO_DOORWAY)},
    {CHECK_FINITE_WAITING, "the waiter's rank", "the invariant and the waiter's rank",
     SHOWS(SAFETY, PROVE_GROUP_LOCKOUT),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_NOT_BOUNDED, PROVE_IF_LOCKOUT_RANK, PROVE_IF_K_IS_1)},
    {CHECK_FINITE_WAITING, "bounded waiting", "bounded-waiting", SHOWS(SAFETY, PROVE_GROUP_WAITING),
     NEEDS(PROVE_IF_COUNTERS, PROVE_IF_BOUNDED)},

    {CHECK_WAIT_FREE_DOORWAY, "a doorway of one step", "the rules: the doorway is one step",
     NEEDS(PROVE_IF_NAMES, PROVE_IF_NO_DOORWAY, PROVE_IF_AT_LEAST_1)},
    {CHECK_WAIT_FREE_DOORWAY, "a doorway of several steps",
     "the invariant and the numbers of the processes",
     SHOWS(SAFETY, PROVE_GROUP_DEADLOCK, PROVE_GROUP_DOORWAY),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_RANK_OF_EACH, PROVE_IF_BLOCKED_OR_NUMBERED, PROVE_IF_NO_BOUND,
           PROVE_IF_NUMBER_IS_BOUNDED)},

    {CHECK_FIFO_ENABLING, "order by the next step",
     "the invariant, the order, and that an enabled process enters by its next step",
     SHOWS(SAFETY, PROVE_GROUP_NEXT, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP, PROVE_IF_ORDER)},
    {CHECK_FIFO_ENABLING, "order by own steps",
     "the invariant, the order, and the rank of a process that is enabled",
     SHOWS(SAFETY, PROVE_GROUP_ORDER, PROVE_GROUP_ENABLED),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_OWN_STEPS, PROVE_IF_ORDER)},
    {CHECK_FIRST_IN_FIRST_ENABLED, "order by own steps",
     "the invariant, the order, and the rank of a process that is enabled",
     SHOWS(SAFETY, PROVE_GROUP_ORDER, PROVE_GROUP_ENABLED),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_OWN_STEPS, PROVE_IF_ORDER)},
    {CHECK_BOUNDED_WAITING_ENABLING, "order by the next step", "fifo-enabling",
     SHOWS(SAFETY, PROVE_GROUP_NEXT, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP, PROVE_IF_ORDER,
           PROVE_IF_NO_DOORWAY)},
    {CHECK_FINITE_WAITING_ENABLING, "order by the next step", "fifo-enabling",
     SHOWS(SAFETY, PROVE_GROUP_NEXT, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP, PROVE_IF_ORDER,
           PROVE_IF_NO_DOORWAY)},
    {CHECK_L_FULL, "full", "the invariant: a process that waits is enabled, or all seats are taken",
     SHOWS(SAFETY, PROVE_GROUP_NEXT, PROVE_GROUP_FULL),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP, PROVE_IF_SEATS_TAKEN)},
    {CHECK_QUEUELIKE, "full", "exclusion, l-full and fifo-enabling; there is no exit region",
     SHOWS(SAFETY, PROVE_GROUP_EXCLUSION, PROVE_GROUP_NEXT, PROVE_GROUP_FULL, PROVE_GROUP_ORDER),
     NEEDS(PROVE_IF_NAMES, PROVE_IF_ENABLED, PROVE_IF_NEXT_STEP, PROVE_IF_SEATS_TAKEN,
           PROVE_IF_ORDER)},
};

const struct prove_method *prove_method(unsigned number)
{
    return number < sizeof methods / sizeof methods[0] ? &methods[number] : NULL;
}

const char *prove_group_name(enum prove_groups group)
{
    return groups[group].name;
}

const char *prove_group_text(enum prove_groups group)
{
    return groups[group].text;
}

const struct prove_leads *prove_group_leads(enum prove_groups group, unsigned number)
{
    return number < MOST_RULES && groups[group].leads[number].from != NULL
               ? &groups[group].leads[number]
               : NULL;
}

bool prove_group_may_be_empty(enum prove_groups group)
{
    return group == PROVE_GROUP_ASSUMPTIONS || group == PROVE_GROUP_TRUST ||
           group == PROVE_GROUP_DOORWAY;
}

/* ---- conditions ---- */

const struct protocol_claim *prove_claim_of(const struct prove_run *run,
                                            enum check_property property)
{
    const struct protocol_variant *variant = &run->choice.protocol->variants[run->choice.variant];
    for (size_t c = 0; c < variant->claim_count; c++) {
        if (variant->claims[c].property == property && variant->claims[c].stance == CLAIMED)
            return &variant->claims[c];
    }
    return NULL;
}

static bool says_order(const struct prove_reading *reading)
{
    for (unsigned s = 0; s < reading->saids; s++) {
        if (reading->said[s].kind == PROVE_ORDER_INVARIANT)
            return reading->contexts == 0 || reading->enabled != NULL;
    }
    return false;
}

/* There is no exit region, and all that can happen are steps of those who are in the others. */
static bool has_null_exit(const struct prove_run *run)
{
    const enum step_fault fault = run->choice.protocol->fault;
    bool null = !run->reading.kills && run->reading.contexts == 0 &&
                (fault == STEP_FAULT_NONE || fault == STEP_FAULT_SLEEP);
    for (unsigned p = 0; p < run->reading.places; p++)
        null = null && run->reading.place[p].region != PROVE_EXIT &&
               run->reading.place[p].region != PROVE_DEAD;
    return null;
}

/* Whether the term contains only the process, and local variables that have a largest value. */
static bool is_bounded(const struct prove_run *run, prove_t number)
{
    const struct prove_reading *reading = &run->reading;
    struct prove_system *system = (struct prove_system *)&run->system; /* terms are added to it */
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    if (used == NULL || number == NULL || !prove_is_own(system, number))
        return false;
    prove_symbols_of(number, used);
    for (unsigned v = 0; v < reading->locals; v++) {
        if (used[system->local_of[v]] && reading->local[v].values == NULL)
            return false;
    }
    return true;
}

/* Whether the step may be made outside the critical and the exit region. */
static bool may_begin_before(const struct prove_reading *reading, const struct prove_rule *rule)
{
    const enum prove_region from = reading->place[rule->from].region;
    bool any = from != PROVE_EXIT && from != PROVE_CRITICAL && from != PROVE_CALLED;
    for (unsigned c = 0; from == PROVE_CALLED && c < reading->contexts; c++)
        any |= rule->in[c] && reading->context[c].region != PROVE_EXIT;
    return any;
}

/* A process may come back to its remainder without having entered, by way of its exit region or
 * not: then regions can change for ever while nobody overtakes anybody. */
static bool somebody_gives_up(const struct prove_reading *reading)
{
    bool any = reading->deaths || reading->kills;
    for (unsigned r = 0; r < reading->rules; r++) {
        const struct prove_rule *rule = &reading->rule[r];
        enum prove_region to = reading->place[rule->to].region;
        if (to == PROVE_CALLED && rule->to_context >= 0)
            to = reading->context[rule->to_context].region;
        any |= (rule->to == 0 || to == PROVE_EXIT) && may_begin_before(reading, rule);
    }
    return any;
}

static bool claims_up_to_1(const struct prove_run *run, const struct prove_line *line)
{
    const struct protocol_claim *claim =
        line != NULL ? line->claim : prove_claim_of(run, CHECK_KL_DEADLOCK_FREE);
    return claim != NULL && claim->up_to_k == 1;
}

static bool claims_every_k(const struct prove_run *run, const struct prove_line *line)
{
    const struct protocol_claim *claim =
        line != NULL ? line->claim : prove_claim_of(run, CHECK_KL_DEADLOCK_FREE);
    return claim != NULL && claim->up_to_k != 1;
}

/* The bound is larger by 1 than that of bounded waiting. */
static bool claims_one_more(const struct prove_run *run, const struct prove_line *line)
{
    const struct protocol_claim *bounded = prove_claim_of(run, CHECK_BOUNDED_WAITING);
    return bounded != NULL && line != NULL && line->claim != NULL &&
           line->claim->bound >= bounded->bound + 1 && line->claim->bound_n >= bounded->bound_n;
}

const char *prove_condition_text(enum prove_condition condition)
{
    static const char *const texts[PROVE_CONDITIONS] = {
        [PROVE_IF_NAMES] = "that processes are told apart (HAS_NAMES)",
        [PROVE_IF_COUNTERS] = "that processes are not told apart",
        [PROVE_IF_RANK_OF_EACH] = "that PROOF has RANK_OF_EACH",
        [PROVE_IF_BLOCKED_OR_NUMBERED] = "that PROOF has BLOCKED_BY or NUMBERED",
        [PROVE_IF_NUMBERED] = "that PROOF has NUMBERED",
        [PROVE_IF_RELEASED] = "that PROOF has RELEASED",
        [PROVE_IF_ORDER] = ("that PROOF has ORDER_INVARIANT, and no subroutine is called where "
                            "nobody is ENABLED"),
        [PROVE_IF_ENABLED] = "that PROOF has ENABLED",
        [PROVE_IF_NOT_ENABLED] = "that PROOF has no ENABLED, of which the order would be",
        [PROVE_IF_OWN_STEPS] = "that enabling is in own steps",
        [PROVE_IF_NEXT_STEP] = ("that enabling is by the next step, without an exit region, kills "
                                "and subroutines"),
        [PROVE_IF_SEATS_TAKEN] = "that PROOF has SEAT and TAKEN_BY",
        [PROVE_IF_SEAT_IS_SLOT] = "that HOLDS says which slot is held, and no SEAT another number",
        [PROVE_IF_ALONE] = "that PROOF has LEAVES_ALONE and ENTERS_ALONE, and there are slots",
        [PROVE_IF_CALM] = ("that PROOF has FALLS_FOR_EACH, LEAVES_ALONE, LET_IN, LET_IN_RANK and "
                           "TRYING_RANK"),
        [PROVE_IF_RANK] = "that PROOF has RANK",
        [PROVE_IF_LOCKOUT_RANK] = "that PROOF has LOCKOUT_RANK",
        [PROVE_IF_VALUES] = "that terms say how many values there are, and are claimed",
        [PROVE_IF_SEQUENCES] = ("that the variable is a length and an array of n names, with as "
                                "many values as there are SEQUENCES"),
        [PROVE_IF_NO_MEMORY] = "that no rule leads to the remainder with a local variable",
        [PROVE_IF_NO_DOORWAY] = "that nobody can be in the doorway between two steps",
        [PROVE_IF_NUMBER_IS_BOUNDED] = ("that RANK_OF_EACH is of the process's place and its local "
                                        "variables alone, which have largest values"),
        [PROVE_IF_NOBODY_GIVES_UP] =
            "that nobody dies, is killed, or leaves without having entered",
        [PROVE_IF_K_IS_1] = "that it is claimed for k = 1 alone",
        [PROVE_IF_EVERY_K] = "that it is claimed for every k",
        [PROVE_IF_NO_BOUND] = "that no bound is claimed",
        [PROVE_IF_AT_LEAST_1] = "that the claimed bound is at least 1",
        [PROVE_IF_BOUNDED] = "that a bound of bounded-waiting is claimed",
        [PROVE_IF_NOT_BOUNDED] = "that bounded-waiting is not claimed",
        [PROVE_IF_ONE_MORE] = "that the claimed bound is that of bounded-waiting and one more",
    };
    return texts[condition];
}

static bool holds(const struct prove_run *run, const struct prove_line *line,
                  enum prove_condition condition)
{
    const struct prove_reading *reading = &run->reading;
    const struct protocol_claim *bounded = prove_claim_of(run, CHECK_BOUNDED_WAITING);
    const struct protocol_claim *claim = line != NULL ? line->claim : NULL;
    switch (condition) {
    case PROVE_IF_NAMES: return reading->names;
    case PROVE_IF_COUNTERS: return !reading->names;
    case PROVE_IF_RANK_OF_EACH: return reading->each != NULL;
    case PROVE_IF_BLOCKED_OR_NUMBERED: return reading->blocked > 0 || reading->number != NULL;
    case PROVE_IF_NUMBERED: return reading->number != NULL;
    case PROVE_IF_RELEASED: return reading->released != NULL;
    case PROVE_IF_ORDER: return says_order(reading);
    case PROVE_IF_ENABLED: return reading->enabled != NULL;
    case PROVE_IF_NOT_ENABLED: return reading->enabled == NULL;
    case PROVE_IF_OWN_STEPS: return run->choice.protocol->own_steps;
    case PROVE_IF_NEXT_STEP: return !run->choice.protocol->own_steps && has_null_exit(run);
    case PROVE_IF_SEATS_TAKEN: return reading->seat != NULL && reading->taken != NULL;
    case PROVE_IF_SEAT_IS_SLOT: return run->system.seat_is_slot;
    case PROVE_IF_ALONE: return reading->leaves > 0 && reading->enters > 0 && reading->seat != NULL;
    case PROVE_IF_CALM:
        return reading->fall_each > 0 && reading->leaves > 0 && reading->lets > 0 &&
               reading->let_in != NULL && reading->tryings > 0;
    case PROVE_IF_RANK: return reading->ranks > 0;
    case PROVE_IF_LOCKOUT_RANK: return reading->lockouts > 0;
    case PROVE_IF_VALUES: return reading->values != NULL && !reading->uncounted;
    case PROVE_IF_SEQUENCES: return reading->names && prove_is_queue_of_names(&run->system);
    case PROVE_IF_NO_MEMORY: return reading->place[0].carried == 0;
    case PROVE_IF_NO_DOORWAY: return !prove_has_doorway(reading);
    case PROVE_IF_NUMBER_IS_BOUNDED: return is_bounded(run, reading->each);
    case PROVE_IF_NOBODY_GIVES_UP: return !somebody_gives_up(reading);
    case PROVE_IF_K_IS_1: return claims_up_to_1(run, line);
    case PROVE_IF_EVERY_K: return claims_every_k(run, line);
    case PROVE_IF_NO_BOUND: return claim != NULL && !claim->has_bound;
    case PROVE_IF_AT_LEAST_1: return claim != NULL && claim->bound >= 1;
    case PROVE_IF_BOUNDED: return bounded != NULL && bounded->has_bound;
    case PROVE_IF_NOT_BOUNDED: return bounded == NULL;
    case PROVE_IF_ONE_MORE: return claims_one_more(run, line);
    default: return false;
    }
}

bool prove_group_applies(const struct prove_run *run, enum prove_groups group)
{
    if (groups[group].where[0].conditions == 0)
        return true;
    for (unsigned w = 0; w < 2 && groups[group].where[w].conditions > 0; w++) {
        bool all = true;
        for (unsigned c = 0; c < groups[group].where[w].conditions; c++)
            all = all && holds(run, NULL, groups[group].where[w].condition[c]);
        if (all)
            return true;
    }
    return false;
}

/* ---- the method for a property ---- */

const struct prove_method *prove_method_for(struct prove_run *run, struct prove_line *line)
{
    unsigned farthest = 0;
    const char *used = prove_word_changing(&run->reading, line->property);
    line->rests_on = "";
    if (used != NULL) {
        snprintf(line->why, sizeof line->why,
                 "the file uses %s, with which there is no method for it here", used);
        return NULL;
    }
    snprintf(line->why, sizeof line->why, "there is no method for it here");
    for (unsigned m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        const struct prove_method *method = &methods[m];
        unsigned met = 0;
        if (method->property != line->property)
            continue;
        while (met < method->conditions && holds(run, line, method->condition[met]))
            met++;
        if (met == method->conditions) {
            line->why[0] = '\0';
            line->rests_on = method->rests_on;
            return method;
        }
        if (met >= farthest) /* the one that comes closest says what is missing */
            snprintf(line->why, sizeof line->why, "the method \"%s\" takes %s", method->name,
                     prove_condition_text(method->condition[met]));
        farthest = met > farthest ? met : farthest;
    }
    return NULL;
}
