/* Which obligations a property rests on, and whether they are discharged. */
#include "prove/proving.h"

#include "prove/known_words.h"
#include "prove/names_scope.h"
#include "prove/smt.h"

#include <errno.h>
#include <string.h>

/* ---- groups of obligations ---- */

static bool write_file(struct prove_run *run, const struct prove_obligation *obligation,
                       const char *group)
{
    char path[4096];
    const int length =
        snprintf(path, sizeof path, "%s/%s-%s.smt2", run->options.folder, group, obligation->name);
    FILE *stream = length < (int)sizeof path ? fopen(path, "w") : NULL;
    if (stream == NULL)
        return false;
    const bool written = prove_write_smt(stream, obligation, &(struct prove_question){0});
    run->files++;
    return (fclose(stream) == 0) & written;
}

static const char *write_group(struct prove_run *run, enum prove_groups g)
{
    static const char *const names[PROVE_GROUPS] = {
        "invariant",     "assumptions",     "doorway",      "trust", "exclusion", "values",
        "deadlock-free", "bounded-waiting", "lockout-free", "order", "enabled",   "alone",
        "calm",          "allocation",      "next-step",    "full"};
    static char error[512];
    const struct prove_obligations *list = &run->group[g].list;
    for (unsigned o = 0; o < list->count; o++) {
        if (!write_file(run, &list->all[o], names[g])) {
            snprintf(error, sizeof error, "cannot write to %s: %s", run->options.folder,
                     strerror(errno));
            return error;
        }
    }
    return NULL;
}

static void ask_group(struct prove_run *run, enum prove_groups g)
{
    struct prove_group *group = &run->group[g];
    const double began = check_clock();
    if (group->asked || !run->options.ask)
        return;
    group->asked = true;
    group->discharged = prove_ask_all(run->options.solver, &group->list, run->options.seconds);
    for (unsigned o = group->discharged; o < group->list.count && group->failed == NULL; o++) {
        const struct prove_obligation *obligation = &group->list.all[o];
        const struct prove_verdict verdict =
            prove_ask(run->options.solver, obligation, run->options.seconds);
        if (verdict.answer == PROVE_DISCHARGED) {
            group->discharged++;
            continue;
        }
        group->failed = obligation;
        group->verdict = verdict;
    }
    group->seconds = check_clock() - began;
}

static const struct protocol_claim *claim_of(const struct prove_run *run,
                                             enum check_property property)
{
    const struct protocol_variant *variant = &run->choice.protocol->variants[run->choice.variant];
    for (size_t c = 0; c < variant->claim_count; c++) {
        if (variant->claims[c].property == property && variant->claims[c].stance == CLAIMED)
            return &variant->claims[c];
    }
    return NULL;
}

static bool says_order(const struct prove_run *run)
{
    for (unsigned s = 0; s < run->reading.saids; s++) {
        if (run->reading.said[s].kind == PROVE_ORDER_INVARIANT)
            return true;
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

/* Where a process is enabled if its next step enters. */
static void make_next(struct prove_run *run)
{
    struct prove_group *group = run->group;
    const struct prove_reading *reading = &run->reading;
    if (reading->enabled == NULL || run->choice.protocol->own_steps || !has_null_exit(run))
        return;
    prove_oblige_names_next(&group[PROVE_GROUP_NEXT].list, &run->system);
    if (reading->seat != NULL && reading->taken != NULL)
        prove_oblige_names_full(&group[PROVE_GROUP_FULL].list, &run->system);
}

/* For kl-deadlock-free: with k = 1 nobody stops in T or E, so that progress there is enough; for
 * every k, that each enters by its next step. */
static void make_allocation(struct prove_run *run)
{
    const struct protocol_claim *claim = claim_of(run, CHECK_KL_DEADLOCK_FREE);
    struct prove_obligations *list = &run->group[PROVE_GROUP_ALLOCATION].list;
    if (claim == NULL)
        return;
    if (run->reading.names && run->reading.number != NULL && claim->up_to_k == 1)
        prove_oblige_names_allocation(list, &run->system);
    else if (!run->reading.names && claim->up_to_k == 1)
        prove_oblige_allocation(list, &run->system);
    else if (!run->reading.names)
        prove_oblige_entering(list, &run->system);
}

const char *prove_make_groups(struct prove_run *run)
{
    struct prove_group *group = run->group;
    const struct protocol_claim *waiting = claim_of(run, CHECK_BOUNDED_WAITING);
    if (run->reading.names) {
        prove_oblige_names_invariant(&group[PROVE_GROUP_INVARIANT].list, &run->system);
        prove_oblige_names_assumptions(&group[PROVE_GROUP_ASSUMPTIONS].list, &run->system);
        if (run->reading.each != NULL)
            prove_oblige_names_doorway(&group[PROVE_GROUP_DOORWAY].list, &run->system);
        prove_oblige_names_trust(&group[PROVE_GROUP_TRUST].list, &run->system);
        prove_oblige_names_exclusion(&group[PROVE_GROUP_EXCLUSION].list, &run->system);
        if (run->reading.each != NULL && (run->reading.blocked > 0 || run->reading.number != NULL))
            prove_oblige_names_deadlock_free(&group[PROVE_GROUP_DEADLOCK].list, &run->system);
        if (run->reading.released != NULL)
            prove_oblige_names_lockout_free(&group[PROVE_GROUP_LOCKOUT].list, &run->system);
        if (says_order(run) && (run->reading.contexts == 0 || run->reading.enabled != NULL))
            prove_oblige_names_order(&group[PROVE_GROUP_ORDER].list, &run->system);
        if (run->reading.enabled != NULL && run->choice.protocol->own_steps)
            prove_oblige_names_enabled(&group[PROVE_GROUP_ENABLED].list, &run->system);
        if (run->group[PROVE_GROUP_ENABLED].list.count > 0 && run->reading.leaves > 0 &&
            run->reading.enters > 0 && run->reading.seat != NULL)
            prove_oblige_names_alone(&group[PROVE_GROUP_ALONE].list, &run->system);
        if (run->reading.fall_each > 0 && run->reading.leaves > 0 && run->reading.lets > 0 &&
            run->reading.let_in != NULL && run->reading.tryings > 0)
            prove_oblige_names_calm(&group[PROVE_GROUP_CALM].list, &run->system);
        make_next(run);
        if (prove_is_queue_of_names(&run->system))
            prove_oblige_names_sequences(&group[PROVE_GROUP_VALUES].list, &run->system);
    } else {
        prove_oblige_invariant(&group[PROVE_GROUP_INVARIANT].list, &run->system);
        prove_oblige_exclusion(&group[PROVE_GROUP_EXCLUSION].list, &run->system);
    }
    if (run->reading.values != NULL && !run->reading.uncounted)
        prove_oblige_values(&group[PROVE_GROUP_VALUES].list, &run->system);
    if (run->reading.ranks > 0 && !run->reading.names)
        prove_oblige_deadlock_free(&group[PROVE_GROUP_DEADLOCK].list, &run->system);
    if (waiting != NULL && waiting->has_bound && !run->reading.names) {
        prove_oblige_invariant(&group[PROVE_GROUP_WAITING].list, &run->marked);
        prove_oblige_waiting(&group[PROVE_GROUP_WAITING].list, &run->marked, waiting->bound,
                             waiting->bound_n);
    }
    if (run->reading.lockouts > 0 && !run->reading.names)
        prove_oblige_lockout_free(&group[PROVE_GROUP_LOCKOUT].list, &run->watched);
    make_allocation(run);
    for (unsigned g = 0; g < PROVE_GROUPS; g++) {
        if (group[g].list.failed || prove_pool_failed(&run->pool))
            return "out of memory";
        group[g].made = group[g].list.count > 0;
        const char *error = run->options.folder != NULL ? write_group(run, g) : NULL;
        if (error != NULL)
            return error;
    }
    return NULL;
}

/* ---- one property ---- */

/* Whether all obligations of the group are discharged; the line says what is not. */
static bool rests_on(struct prove_run *run, struct prove_line *line, enum prove_groups g)
{
    struct prove_group *group = &run->group[g];
    if (!group->made) {
        snprintf(line->why, sizeof line->why, "%s",
                 g == PROVE_GROUP_DEADLOCK ? "PROOF has no RANK"
                                           : "PROOF has no LOCKOUT_RANK, and no bound is claimed");
        return false;
    }
    ask_group(run, g);
    if (!group->asked) {
        snprintf(line->why, sizeof line->why, "no solver was asked");
        return false;
    }
    line->obligations += group->discharged;
    line->seconds += group->seconds;
    if (group->failed == NULL)
        return true;
    line->failed = group->failed;
    snprintf(line->why, sizeof line->why, "%s: %s",
             group->verdict.answer == PROVE_BROKEN ? "not so" : "the solver does not know",
             group->failed->text);
    return false;
}

/* What is taken for granted, if anything is, does not contradict itself; the invariant holds; and
 * what the protocol trusts, if it trusts anything, is so. */
static bool is_sound(struct prove_run *run, struct prove_line *line)
{
    return (!run->group[PROVE_GROUP_ASSUMPTIONS].made ||
            rests_on(run, line, PROVE_GROUP_ASSUMPTIONS)) &&
           rests_on(run, line, PROVE_GROUP_INVARIANT) &&
           (!run->group[PROVE_GROUP_TRUST].made || rests_on(run, line, PROVE_GROUP_TRUST));
}

/* Bounded waiting with its bound. Linear waiting follows, with a bound that is larger by 1: between
 * two visits of its critical region the other process is in its remainder. */
static bool waits_boundedly(struct prove_run *run, struct prove_line *line)
{
    const struct protocol_claim *bounded = claim_of(run, CHECK_BOUNDED_WAITING);
    if (line->property == CHECK_LINEAR_WAITING) {
        line->rests_on = "bounded-waiting, and one visit more";
        if (bounded == NULL || line->claim == NULL || line->claim->bound < bounded->bound + 1 ||
            line->claim->bound_n < bounded->bound_n) {
            snprintf(line->why, sizeof line->why, "bounded-waiting does not give this bound");
            return false;
        }
    }
    if (line->property == CHECK_FINITE_WAITING && bounded == NULL) {
        snprintf(line->why, sizeof line->why, "no bound is claimed that it would follow from");
        return false;
    }
    return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_WAITING);
}

static bool has_doorway(const struct prove_run *run)
{
    return prove_has_doorway(&run->reading);
}

static bool decide_allocation(struct prove_run *run, struct prove_line *line)
{
    const bool one = line->claim != NULL && line->claim->up_to_k == 1;
    line->rests_on = one ? "the invariant, the rank, and progress beside those who sleep inside"
                         : "the invariant: a waiting process enters by its next step";
    if (!run->group[PROVE_GROUP_ALLOCATION].made) {
        line->rests_on = "";
        snprintf(line->why, sizeof line->why, "there is no way here to prove it for every k");
        return false;
    }
    return is_sound(run, line) && (!one || rests_on(run, line, PROVE_GROUP_DEADLOCK)) &&
           rests_on(run, line, PROVE_GROUP_ALLOCATION);
}

/* Whether the term contains only the process, and local variables that have a largest value. */
static bool is_bounded(struct prove_run *run, prove_t number)
{
    const struct prove_reading *reading = &run->reading;
    bool *used = prove_alloc(&run->pool, run->pool.names * sizeof *used);
    if (used == NULL || number == NULL || !prove_is_own(&run->system, number))
        return false;
    prove_symbols_of(number, used);
    for (unsigned v = 0; v < reading->locals; v++) {
        if (used[run->system.local_of[v]] && reading->local[v].values == NULL)
            return false;
    }
    return true;
}

/* A process may come back to its remainder without having entered: then regions can change for ever
 * while nobody overtakes anybody. The line says so. */
static bool comes_back_without(const struct prove_run *run, struct prove_line *line)
{
    const struct prove_reading *reading = &run->reading;
    bool any = reading->deaths || reading->kills;
    for (unsigned r = 0; r < reading->rules; r++) {
        const enum prove_region from = reading->place[reading->rule[r].from].region;
        any |= reading->rule[r].to == 0 && from != PROVE_EXIT && from != PROVE_CRITICAL;
    }
    if (any)
        snprintf(line->why, sizeof line->why,
                 "a process may give up, or die: regions change for ever, and nobody enters");
    return any;
}

/* Where processes are told apart, the order is what says how long somebody waits. */
static bool decide_by_order(struct prove_run *run, struct prove_line *line)
{
    /* Nothing keeps a process in its doorway, and each of its steps there lowers its number. */
    const bool doorway = line->property == CHECK_WAIT_FREE_DOORWAY && line->claim != NULL &&
                         !line->claim->has_bound && is_bounded(run, run->reading.each);
    const bool deadlock = line->property == CHECK_DEADLOCK_FREE || doorway;
    if (line->property == CHECK_WAIT_FREE_DOORWAY && !has_doorway(run) && line->claim != NULL &&
        line->claim->bound >= 1) {
        line->rests_on = "the rules: the doorway is one step";
        return true;
    }
    const bool bounded = line->property == CHECK_BOUNDED_WAITING && !has_doorway(run);
    const bool finite = line->property == CHECK_FINITE_WAITING && !has_doorway(run);
    const bool linear =
        line->property == CHECK_LINEAR_WAITING && line->claim != NULL && line->claim->bound >= 1;
    const bool lockout = line->property == CHECK_LOCKOUT_FREE;
    const bool order = run->reading.enabled == NULL && /* otherwise it says who is enabled */
                       (line->property == CHECK_FIFO || bounded || finite || linear || lockout);
    line->rests_on = deadlock  ? "the invariant and the numbers of the processes"
                     : lockout ? "deadlock-free and fifo"
                     : line->property == CHECK_FIFO ? "the invariant and the order"
                                                    : "fifo";
    if ((deadlock || lockout) && !run->group[PROVE_GROUP_DEADLOCK].made) {
        snprintf(line->why, sizeof line->why, "PROOF has no RANK_OF_EACH");
        return false;
    }
    if (order && !run->group[PROVE_GROUP_ORDER].made) {
        snprintf(line->why, sizeof line->why, "PROOF has no ORDER_INVARIANT");
        return false;
    }
    if (lockout && comes_back_without(run, line))
        return false;
    if (!deadlock && !order) {
        line->rests_on = "";
        snprintf(line->why, sizeof line->why,
                 "there is no way here to prove it where processes are told apart");
        return false;
    }
    return is_sound(run, line) &&
           (!(deadlock || lockout) || rests_on(run, line, PROVE_GROUP_DEADLOCK)) &&
           (!(doorway || lockout) || !has_doorway(run) ||
            rests_on(run, line, PROVE_GROUP_DOORWAY)) &&
           (!order || rests_on(run, line, PROVE_GROUP_ORDER));
}

/* First come, first enabled, where a process is enabled in own steps. */
static bool decide_by_enabling(struct prove_run *run, struct prove_line *line)
{
    line->rests_on = "the invariant, the order, and the rank of a process that is enabled";
    return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_ORDER) &&
           rests_on(run, line, PROVE_GROUP_ENABLED);
}

/* No process that came later enters before one that is not enabled; and the properties that follow
 * from that. */
static bool is_in_order_of_enabling(struct prove_run *run, struct prove_line *line)
{
    if (!run->group[PROVE_GROUP_ORDER].made) {
        snprintf(line->why, sizeof line->why, "PROOF has no ORDER_INVARIANT");
        return false;
    }
    if (line->property != CHECK_FIFO_ENABLING && line->property != CHECK_QUEUELIKE &&
        has_doorway(run)) {
        snprintf(line->why, sizeof line->why, "the doorway counts, and the order begins past it");
        return false;
    }
    return rests_on(run, line, PROVE_GROUP_ORDER);
}

static bool is_full(struct prove_run *run, struct prove_line *line)
{
    if (!run->group[PROVE_GROUP_FULL].made) {
        snprintf(line->why, sizeof line->why, "PROOF has no TAKEN_BY, or no SEAT");
        return false;
    }
    return rests_on(run, line, PROVE_GROUP_FULL);
}

/* Properties about processes that are enabled by their next step. False: this property is none of
 * them. */
static bool is_by_next_step(const struct prove_run *run, enum check_property property)
{
    return run->group[PROVE_GROUP_NEXT].made &&
           (property == CHECK_FIFO_ENABLING || property == CHECK_BOUNDED_WAITING_ENABLING ||
            property == CHECK_FINITE_WAITING_ENABLING || property == CHECK_L_FULL ||
            property == CHECK_QUEUELIKE || property == CHECK_KL_DEADLOCK_FREE);
}

static bool decide_by_next_step(struct prove_run *run, struct prove_line *line)
{
    const bool all = line->property == CHECK_QUEUELIKE;
    const bool full =
        all || line->property == CHECK_L_FULL || line->property == CHECK_KL_DEADLOCK_FREE;
    line->rests_on =
        all    ? "exclusion, l-full and fifo-enabling; there is no exit region"
        : full ? line->property == CHECK_L_FULL
                     ? "the invariant: a process that waits is enabled, or all seats are taken"
                     : "l-full"
        : line->property == CHECK_FIFO_ENABLING
            ? "the invariant, the order, and that an enabled process enters by its next step"
            : "fifo-enabling";
    return is_sound(run, line) && (!all || rests_on(run, line, PROVE_GROUP_EXCLUSION)) &&
           rests_on(run, line, PROVE_GROUP_NEXT) && (!full || is_full(run, line)) &&
           ((full && !all) || is_in_order_of_enabling(run, line));
}

/* Processes that go on one after the other fill the slots. */
static bool decide_by_going_alone(struct prove_run *run, struct prove_line *line)
{
    line->rests_on = "exclusion, and what a process comes to that goes on alone";
    return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_EXCLUSION) &&
           rests_on(run, line, PROVE_GROUP_ENABLED) && rests_on(run, line, PROVE_GROUP_ALONE);
}

/* Nobody keeps all others from changing their regions. */
static bool decide_in_calm(struct prove_run *run, struct prove_line *line)
{
    line->rests_on = "the invariant, what falls, and the ranks of those that try and that leave";
    return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_CALM);
}

/* A process that keeps another waiting for ever is kept waiting itself. */
static bool decide_by_release(struct prove_run *run, struct prove_line *line)
{
    line->rests_on = "deadlock-free, and what a process that is kept waiting comes to";
    return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_DEADLOCK) &&
           rests_on(run, line, PROVE_GROUP_LOCKOUT);
}

bool prove_decide(struct prove_run *run, struct prove_line *line)
{
    line->rests_on = "the invariant";
    const char *used = prove_word_changing(&run->reading, line->property);
    if (used != NULL) {
        line->rests_on = "";
        snprintf(line->why, sizeof line->why,
                 "the file uses %s, with which there is no way here to prove it", used);
        return false;
    }
    const bool by_counting = line->property != CHECK_EXCLUSION && line->property != CHECK_VALUES &&
                             line->property != CHECK_NO_MEMORY;
    if (is_by_next_step(run, line->property))
        return decide_by_next_step(run, line);
    if (line->property == CHECK_KL_DEADLOCK_FREE)
        return decide_allocation(run, line);
    if (line->property == CHECK_DISTINCT_SLOTS && run->system.seat_is_slot) {
        line->rests_on = "the invariant: no two critical processes hold the same slot";
        return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_EXCLUSION);
    }
    if (run->group[PROVE_GROUP_ENABLED].made && run->group[PROVE_GROUP_ORDER].made &&
        (line->property == CHECK_FIFO_ENABLING || line->property == CHECK_FIRST_IN_FIRST_ENABLED))
        return decide_by_enabling(run, line);
    if (run->group[PROVE_GROUP_ALONE].made && line->property == CHECK_NO_SLOT_LOST)
        return decide_by_going_alone(run, line);
    if (run->group[PROVE_GROUP_CALM].made && line->property == CHECK_DEADLOCK_FREE)
        return decide_in_calm(run, line);
    if (run->reading.names && line->property == CHECK_LOCKOUT_FREE &&
        run->group[PROVE_GROUP_LOCKOUT].made)
        return decide_by_release(run, line);
    if (run->reading.names && by_counting)
        return decide_by_order(run, line);
    switch (line->property) {
    case CHECK_EXCLUSION: return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_EXCLUSION);
    case CHECK_VALUES:
        line->rests_on = prove_is_queue_of_names(&run->system)
                             ? "the invariant: the queue is a sequence of distinct names"
                             : "the invariant: every value stored is in its variable's range";
        if (!run->group[PROVE_GROUP_VALUES].made) {
            snprintf(line->why, sizeof line->why,
                     "no term says how many values there are, or are claimed");
            return false;
        }
        return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_VALUES);
    case CHECK_NO_MEMORY:
        line->rests_on = "the rules: none brings a local variable to the remainder";
        if (run->reading.place[0].carried > 0) {
            snprintf(line->why, sizeof line->why, "a local variable survives the remainder");
            return false;
        }
        return true;
    case CHECK_DEADLOCK_FREE:
        line->rests_on = "the invariant and the rank";
        return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_DEADLOCK);
    case CHECK_FINITE_WAITING: /* nobody gets ahead for ever, whichever processes fail */
        if (claim_of(run, CHECK_BOUNDED_WAITING) == NULL && run->group[PROVE_GROUP_LOCKOUT].made &&
            line->claim != NULL &&
            line->claim->up_to_k == 1) { /* with k = 1 the helper does not stop */
            line->rests_on = "the invariant and the waiter's rank";
            return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_LOCKOUT);
        }
        line->rests_on = "bounded-waiting";
        return waits_boundedly(run, line);
    case CHECK_BOUNDED_WAITING:
    case CHECK_LINEAR_WAITING: return waits_boundedly(run, line);
    case CHECK_LOCKOUT_FREE:
        if (!run->group[PROVE_GROUP_LOCKOUT].made && comes_back_without(run, line))
            return false;
        line->rests_on = run->group[PROVE_GROUP_LOCKOUT].made
                             ? "the invariant, the rank, and the waiter's rank"
                             : "deadlock-free and bounded-waiting";
        return is_sound(run, line) && rests_on(run, line, PROVE_GROUP_DEADLOCK) &&
               rests_on(run, line,
                        run->group[PROVE_GROUP_LOCKOUT].made ? PROVE_GROUP_LOCKOUT
                                                             : PROVE_GROUP_WAITING);
    default:
        line->rests_on = "";
        snprintf(line->why, sizeof line->why, "there is no way here to prove it for every n");
        return false;
    }
}
