/* Which obligations a property rests on, and whether they are discharged. */
#include "prove/proving.h"

#include "prove/methods.h"
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
    static char error[512];
    const struct prove_obligations *list = &run->group[g].list;
    for (unsigned o = 0; o < list->count; o++) {
        if (!write_file(run, &list->all[o], prove_group_name(g))) {
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

typedef void make_group(struct prove_run *run, struct prove_obligations *list);

static void make_invariant(struct prove_run *run, struct prove_obligations *list)
{
    if (run->reading.names)
        prove_oblige_names_invariant(list, &run->system);
    else
        prove_oblige_invariant(list, &run->system);
}

static void make_assumptions(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_assumptions(list, &run->system);
}

static void make_doorway(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_doorway(list, &run->system);
}

static void make_trust(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_trust(list, &run->system);
}

static void make_exclusion(struct prove_run *run, struct prove_obligations *list)
{
    if (run->reading.names)
        prove_oblige_names_exclusion(list, &run->system);
    else
        prove_oblige_exclusion(list, &run->system);
}

static void make_values(struct prove_run *run, struct prove_obligations *list)
{
    if (run->reading.names && prove_is_queue_of_names(&run->system))
        prove_oblige_names_sequences(list, &run->system);
    else
        prove_oblige_values(list, &run->system);
}

static void make_deadlock_free(struct prove_run *run, struct prove_obligations *list)
{
    if (run->reading.names)
        prove_oblige_names_deadlock_free(list, &run->system);
    else
        prove_oblige_deadlock_free(list, &run->system);
}

static void make_waiting(struct prove_run *run, struct prove_obligations *list)
{
    const struct protocol_claim *claim = prove_claim_of(run, CHECK_BOUNDED_WAITING);
    prove_oblige_invariant(list, &run->marked);
    prove_oblige_waiting(list, &run->marked, claim->bound, claim->bound_n);
}

static void make_lockout_free(struct prove_run *run, struct prove_obligations *list)
{
    if (run->reading.names)
        prove_oblige_names_lockout_free(list, &run->system);
    else
        prove_oblige_lockout_free(list, &run->watched);
}

static void make_order(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_order(list, &run->system);
}

static void make_enabled(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_enabled(list, &run->system);
}

static void make_alone(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_alone(list, &run->system);
}

static void make_calm(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_calm(list, &run->system);
}

/* With k = 1 nobody stops in T or E, so that progress there is enough; for every k, each enters by
 * its next step. */
static void make_allocation(struct prove_run *run, struct prove_obligations *list)
{
    const struct protocol_claim *claim = prove_claim_of(run, CHECK_KL_DEADLOCK_FREE);
    if (claim == NULL)
        return;
    if (run->reading.names)
        prove_oblige_names_allocation(list, &run->system);
    else if (claim->up_to_k == 1)
        prove_oblige_allocation(list, &run->system);
    else
        prove_oblige_entering(list, &run->system);
}

static void make_next_step(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_next(list, &run->system);
}

static void make_full(struct prove_run *run, struct prove_obligations *list)
{
    prove_oblige_names_full(list, &run->system);
}

const char *prove_make_groups(struct prove_run *run)
{
    static make_group *const makes[PROVE_GROUPS] = {
        [PROVE_GROUP_INVARIANT] = make_invariant,
        [PROVE_GROUP_ASSUMPTIONS] = make_assumptions,
        [PROVE_GROUP_DOORWAY] = make_doorway,
        [PROVE_GROUP_TRUST] = make_trust,
        [PROVE_GROUP_EXCLUSION] = make_exclusion,
        [PROVE_GROUP_VALUES] = make_values,
        [PROVE_GROUP_DEADLOCK] = make_deadlock_free,
        [PROVE_GROUP_WAITING] = make_waiting,
        [PROVE_GROUP_LOCKOUT] = make_lockout_free,
        [PROVE_GROUP_ORDER] = make_order,
        [PROVE_GROUP_ENABLED] = make_enabled,
        [PROVE_GROUP_ALONE] = make_alone,
        [PROVE_GROUP_CALM] = make_calm,
        [PROVE_GROUP_ALLOCATION] = make_allocation,
        [PROVE_GROUP_NEXT] = make_next_step,
        [PROVE_GROUP_FULL] = make_full,
    };
    for (unsigned g = 0; g < PROVE_GROUPS; g++) {
        struct prove_group *group = &run->group[g];
        if (prove_group_applies(run, g))
            makes[g](run, &group->list);
        if (group->list.failed || prove_pool_failed(&run->pool))
            return "out of memory";
        group->made = group->list.count > 0;
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
    if (!group->made && prove_group_may_be_empty(g))
        return true;
    if (!group->made) {
        snprintf(line->why, sizeof line->why, "nothing is said of what is to be shown: %s",
                 prove_group_text(g));
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

bool prove_decide(struct prove_run *run, struct prove_line *line)
{
    line->method = prove_method_for(run, line);
    bool all = line->method != NULL;
    for (unsigned g = 0; all && g < line->method->groups; g++)
        all = rests_on(run, line, line->method->group[g]);
    return all;
}
