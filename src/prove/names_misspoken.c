/*
 * What PROOF must not say where processes are told apart, because the arguments of docs/PROOFS.md
 * do not cover it.
 */
#include "prove/names_scope.h"

/* Which of I, J and BEHIND a term may contain; it may contain no other process. */
static bool speaks_of(struct prove_system *system, prove_t term, bool j, bool behind)
{
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    if (used == NULL)
        return false;
    prove_symbols_of(term, used);
    return (j || !used[system->j]) && (behind || !used[system->behind]) &&
           !prove_speaks_of_others(system, term);
}

/* I or J, BEHIND, a number that is arbitrary, or a place or a local variable of any process. */
static bool speaks_of_processes(struct prove_system *system, prove_t term)
{
    const unsigned arbitrary[] = {system->me,     system->i,    system->j,      system->any,
                                  system->second, system->turn, system->vacant, system->behind};
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used), any = used == NULL;
    if (used != NULL)
        prove_symbols_of(term, used);
    for (unsigned a = 0; used != NULL && a < sizeof arbitrary / sizeof arbitrary[0]; a++)
        any |= used[arbitrary[a]];
    return any || prove_speaks_of_others(system, term);
}

static const char *misspoken_said(struct prove_system *system, const struct prove_said *said)
{
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    if (used == NULL)
        return "out of memory";
    prove_symbols_of(said->condition, used);
    if (said->kind != PROVE_ORDER_INVARIANT && used[system->behind])
        return "PROOF speaks of BEHIND elsewhere than in ORDER_INVARIANT";
    if (said->kind == PROVE_ORDER_INVARIANT && !speaks_of(system, said->condition, true, true))
        return "ORDER_INVARIANT speaks of a process that is neither I nor J";
    if (said->kind == PROVE_KNOWN_ALONE && !speaks_of(system, said->condition, false, false))
        return "KNOWS_ALONE speaks of a process that is not I";
    return NULL;
}

/* Whether ENABLED, LET_IN and the ranks of one process speak of no other. */
static bool speak_of_one(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    const struct {
        const prove_t *term;
        unsigned count;
    } ranks[] = {{&reading->enabled, reading->enabled != NULL},
                 {reading->own, reading->owns},
                 {reading->leave, reading->leaves},
                 {reading->enter, reading->enters},
                 {&reading->let_in, reading->let_in != NULL},
                 {reading->let, reading->lets},
                 {reading->trying, reading->tryings}};
    for (unsigned r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
        for (unsigned t = 0; t < ranks[r].count; t++) {
            if (!speaks_of(system, ranks[r].term[t], false, false))
                return false;
        }
    }
    return true;
}

static const char *misspoken_terms(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    const prove_t of_one[] = {reading->seat, reading->number, reading->each};
    for (unsigned r = 0; r < sizeof of_one / sizeof of_one[0]; r++) {
        bool *of = prove_alloc(system->pool, system->pool->names * sizeof *of);
        if (of_one[r] == NULL || of == NULL)
            continue;
        prove_symbols_of(of_one[r], of);
        if (of[system->j] || of[system->behind])
            return "SEAT, NUMBERED or RANK_OF_EACH speaks of J";
    }
    for (unsigned r = 0; r < reading->rules; r++) {
        if (reading->rule[r].choice >= 0 && reading->each != NULL)
            return "RANK_OF_EACH, and processes choose: one may choose for ever to change nothing";
    }
    for (unsigned r = 0; r < reading->fall_each; r++) {
        if (!prove_is_own(system, reading->falls_each[r]))
            return "FALLS_FOR_EACH speaks of more than one process and its local variables";
    }
    for (unsigned r = 0; r < reading->fall_all; r++) {
        if (speaks_of_processes(system, reading->falls_all[r]))
            return "FALLS_FOR_ALL speaks of processes";
    }
    return NULL;
}

const char *prove_names_misspoken(struct prove_system *system)
{
    const struct prove_reading *reading = system->reading;
    if (system->counts && (reading->kills || reading->deaths))
        return "PROOF counts processes, and those that are killed are not counted";
    for (unsigned a = 0; reading->deaths && a < reading->arrays; a++) {
        if (reading->array[a].many)
            return "HOW_MANY, and what a death stores is not counted";
    }
    if (reading->kills && (reading->each != NULL || reading->blocked > 0))
        return "RANK_OF_EACH or BLOCKED_BY, and a process that is killed stops outside its remainder";
    const char *error = NULL;
    for (unsigned s = 0; error == NULL && s < reading->saids; s++)
        error = misspoken_said(system, &reading->said[s]);
    if (error == NULL)
        error = misspoken_terms(system);
    if (error == NULL && !speak_of_one(system))
        error = "ENABLED, or a rank of one process, speaks of another process";
    return error;
}
