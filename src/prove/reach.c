#include "prove/reach.h"

#include "prove/tables.h"

#include <stdlib.h>
#include <string.h>

static int field_named(const struct step_model *model, const char *name)
{
    for (unsigned f = 0; f < model->locals; f++) {
        if (strcmp(model->local_name[f], name) == 0 && model->local_index[f] < 0)
            return (int)f;
    }
    return -1;
}

static int64_t field_of(const struct step_model *model, const uint64_t *local, unsigned f)
{
    const struct check_field field = model->local[f];
    return (int64_t)(local[field.word] >> field.shift & field.mask);
}

static int64_t local_of(const struct prove_reading *reading, unsigned v,
                        const struct step_model *model, const uint64_t *local)
{
    const int f = field_named(model, reading->local[v].name);
    return f < 0 ? 0 : field_of(model, local, (unsigned)f);
}

/* Whether it is this one of several places with the same program counter. */
static bool splits_alike(const struct prove_reading *reading, const struct prove_place *at,
                         const struct step_model *model, const uint64_t *local)
{
    for (unsigned v = 0; v < reading->locals; v++) {
        if (reading->local[v].splits && at->carries[v] != (local_of(reading, v, model, local) != 0))
            return false;
    }
    return true;
}

/* Puts process p where it is. */
static bool place(const struct prove_system *system, const struct step_model *model,
                  const uint64_t *local, int64_t *value)
{
    const struct prove_reading *reading = system->reading;
    const int64_t pc = field_of(model, local, 0);
    unsigned at = 0;
    while (at < reading->places && !(reading->place[at].pc == pc &&
                                     splits_alike(reading, &reading->place[at], model, local)))
        at++;
    if (at == reading->places)
        return false;
    if (++value[system->at[at]] > 1 && reading->place[at].carried > 0)
        return false;
    for (unsigned v = 0; v < reading->locals; v++) {
        const int64_t is = local_of(reading, v, model, local);
        if (reading->place[at].carries[v])
            value[system->role[at][v]] = is;
        else if (is != 0)
            return false;
    }
    return true;
}

bool prove_counters_of(const struct prove_system *system, const struct step_model *model,
                       const uint64_t *state, int64_t *value)
{
    const struct check_model *check = &model->check;
    uint64_t cells[CHECK_MAX_CELLS], local[CHECK_MAX_WORDS];
    for (unsigned v = 0; v < system->variables; v++)
        value[system->variable[v]] = 0;
    value[system->n] = (int64_t)model->params.n;
    value[system->l] = (int64_t)model->params.l;
    value[system->k] = (int64_t)model->params.k;
    check->cell_values(check, state, cells);
    if (check->cells != system->reading->cells)
        return false;
    for (unsigned c = 0; c < check->cells; c++)
        value[system->reading->cell[c].symbol] = (int64_t)cells[c];
    for (unsigned p = 0; p < check->n; p++) {
        check->local_state(check, state, p, local);
        if (!place(system, model, local, value))
            return false;
    }
    return true;
}

struct search {
    const struct check_model *check;
    uint64_t count, room, slots;
    uint64_t *state; /* rows of check->words */
    uint32_t *from;
    uint8_t *edge;
    uint32_t *slot; /* number of the row + 1 */
};

static bool make_room(struct search *search, uint64_t most)
{
    search->room = most;
    search->slots = 2 * most + 1;
    search->state = malloc(most * search->check->words * sizeof *search->state);
    search->from = malloc(most * sizeof *search->from);
    search->edge = malloc(most);
    search->slot = calloc(search->slots, sizeof *search->slot);
    return search->state != NULL && search->from != NULL && search->edge != NULL &&
           search->slot != NULL;
}

static void free_room(struct search *search)
{
    free(search->state);
    free(search->from);
    free(search->edge);
    free(search->slot);
}

static void add(struct search *search, const uint64_t *state, uint32_t from, unsigned edge)
{
    const unsigned words = search->check->words;
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (unsigned w = 0; w < words; w++) {
        h = (h ^ state[w]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    uint64_t at = h % search->slots;
    for (; search->slot[at] != 0; at = (at + 1) % search->slots) {
        const uint64_t *there = search->state + (uint64_t)(search->slot[at] - 1) * words;
        if (check_same_state(there, state, words))
            return;
    }
    if (search->count < search->room) {
        memcpy(search->state + search->count * words, state, words * sizeof *state);
        search->from[search->count] = from;
        search->edge[search->count] = (uint8_t)edge;
        search->slot[at] = (uint32_t)search->count + 1;
    }
    search->count++;
}

static bool same_counters(const struct prove_system *system, const int64_t *a, const int64_t *b)
{
    for (unsigned v = 0; v < system->variables; v++) {
        if (a[system->variable[v]] != b[system->variable[v]])
            return false;
    }
    return true;
}

static bool run_to(const struct search *search, uint32_t end, struct check_witness *run)
{
    size_t length = 0;
    for (uint32_t r = end; r != 0; r = search->from[r])
        length++;
    *run = (struct check_witness){.edge = malloc(length + 1), .length = length, .stem = length};
    if (run->edge == NULL)
        return false;
    for (uint32_t r = end; r != 0; r = search->from[r])
        run->edge[--length] = search->edge[r];
    return true;
}

typedef bool is_sought(void *context, const uint64_t *state);

static enum prove_reached look_for(const struct check_model *check, uint64_t most,
                                   is_sought *sought, void *context, struct check_witness *run)
{
    struct search search = {.check = check};
    enum prove_reached reached = PROVE_NOT_SOUGHT;
    uint64_t *next = malloc((size_t)CHECK_MAX_EDGES * check->words * sizeof *next);
    uint64_t first[CHECK_MAX_WORDS];
    *run = (struct check_witness){0};
    if (next == NULL || !make_room(&search, most))
        goto end;
    check->initial(check, first);
    add(&search, first, 0, 0);
    for (uint64_t r = 0; r < search.count; r++) {
        if (search.count > most)
            goto end;
        const uint64_t *state = search.state + r * check->words;
        if (sought(context, state)) {
            reached = run_to(&search, (uint32_t)r, run) ? PROVE_REACHED : PROVE_NOT_SOUGHT;
            goto end;
        }
        const struct check_moves moves = check->expand(check, state, next);
        if (moves.error)
            goto end;
        for (unsigned e = 0; e < check->kinds * check->n; e++) {
            if (moves.change >> e & 1)
                add(&search, next + (uint64_t)e * check->words, (uint32_t)r, e);
        }
    }
    reached = PROVE_UNREACHABLE;
end:
    free_room(&search);
    free(next);
    return reached;
}

struct counters {
    const struct prove_system *system;
    const struct step_model *model;
    const int64_t *value;
    int64_t *here;
};

static bool has_counters(void *context, const uint64_t *state)
{
    const struct counters *sought = context;
    return prove_counters_of(sought->system, sought->model, state, sought->here) &&
           same_counters(sought->system, sought->here, sought->value);
}

enum prove_reached prove_reach(const struct prove_system *system, const struct step_model *model,
                               const int64_t *value, uint64_t most, struct check_witness *run)
{
    struct counters sought = {system, model, value,
                              malloc((system->pool->names + 1) * sizeof *sought.here)};
    *run = (struct check_witness){0};
    if (sought.here == NULL)
        return PROVE_NOT_SOUGHT;
    const enum prove_reached reached = look_for(&model->check, most, has_counters, &sought, run);
    free(sought.here);
    return reached;
}

/* ---- where processes are told apart ---- */

struct named {
    const struct prove_obligation *obligation;
    const struct step_model *model;
    const int64_t *value;
    struct prove_tables here, after;
};

/* Whether those that the obligation is about are where it says. */
static bool are_there(const struct named *sought)
{
    const struct prove_system *system = sought->here.system;
    const struct prove_reading *reading = system->reading;
    const unsigned who[] = {system->me, system->i, system->j};
    for (unsigned w = 0; w < 3; w++) {
        const int64_t p = sought->value[who[w]], place = sought->value[system->shown[w][0]];
        if (!prove_is_about(sought->obligation, w))
            continue;
        if (p < 0 || p >= sought->value[system->n] || place < 0 || place >= reading->places)
            return false;
        if (*prove_tables_element(&sought->here, system->place_of, p) != place)
            return false;
        for (unsigned v = 0; v < reading->locals; v++) {
            if (reading->place[place].carries[v] &&
                *prove_tables_element(&sought->here, system->local_of[v], p) !=
                    sought->value[system->shown[w][v + 1]])
                return false;
        }
    }
    for (unsigned c = 0; c < reading->cells; c++) {
        if (sought->here.of[reading->cell[c].symbol] != sought->value[reading->cell[c].symbol])
            return false;
    }
    return true;
}

/* And it is not only alike: what has to be shown does not hold. */
static bool is_broken(void *context, const uint64_t *state)
{
    struct named *sought = context;
    const struct prove_obligation *obligation = sought->obligation;
    const struct prove_system *system = sought->here.system;
    const unsigned given[] = {system->me, system->i, system->j, system->any, system->second};
    if (!prove_tables_fill(&sought->here, sought->model, state) || !are_there(sought))
        return false;
    for (unsigned g = 0; g < sizeof given / sizeof given[0]; g++) {
        const int64_t number = sought->value[given[g]];
        sought->here.of[given[g]] = number < 0 || number >= STEP_MAX_ARRAY ? 0 : number;
    }
    if (obligation->step != NULL) {
        prove_t here =
            obligation->kind == PROVE_WELLFORMED ? obligation->when : obligation->step->guard;
        if (prove_evaluate(here, sought->here.of) == 0)
            return false;
        prove_tables_step(&sought->here, obligation->step, &sought->after);
    } else if (prove_evaluate(obligation->when, sought->here.of) == 0) {
        return false;
    }
    return prove_evaluate(obligation->shown, sought->here.of) == 0;
}

enum prove_reached prove_reach_names(const struct prove_obligation *obligation,
                                     const struct step_model *model, const int64_t *value,
                                     uint64_t most, struct check_witness *run)
{
    struct named sought = {.obligation = obligation, .model = model, .value = value};
    enum prove_reached reached = PROVE_NOT_SOUGHT;
    *run = (struct check_witness){0};
    const bool made = prove_tables_make(&sought.here, obligation->system) &
                      prove_tables_make(&sought.after, obligation->system);
    if (made && obligation->shown != NULL)
        reached = look_for(&model->check, most, is_broken, &sought, run);
    prove_tables_free(&sought.here);
    prove_tables_free(&sought.after);
    return reached;
}

/* ---- what is assumed ---- */

enum { MOST_TURNS = 16 };

struct untrue {
    const struct prove_system *system;
    const struct step_model *model;
    struct prove_tables here;
    const char *name;
};

/* What the checker does not have cannot be looked at: WITNESSES, and quotients by a constant. */
static bool is_seen(const struct prove_system *system, prove_t condition)
{
    const struct prove_reading *reading = system->reading;
    bool *used = prove_alloc(system->pool, system->pool->names * sizeof *used);
    bool seen = used != NULL;
    if (seen)
        prove_symbols_of(condition, used);
    for (unsigned a = 0; seen && a < reading->arrays; a++)
        seen = !(reading->array[a].witness && used[reading->array[a].symbol]);
    return seen;
}

/* Of some processes and numbers it does not hold in this state. */
static bool fails_for_some(struct untrue *untrue, const struct prove_conjunct *conjunct)
{
    const struct prove_system *system = untrue->system;
    int64_t *of = untrue->here.of;
    const unsigned n = untrue->model->params.n;
    const unsigned is = conjunct->of & PROVE_OF_I ? n : 1;
    const unsigned js = conjunct->of & PROVE_OF_J ? n : 1;
    const unsigned anys = conjunct->of & PROVE_OF_ANY ? n + 1 : 1;
    const unsigned turns = conjunct->of & PROVE_OF_TURN ? MOST_TURNS : 1;
    const bool both = is * js > 1 && is == js;
    for (unsigned x = 0; x < is * js * anys * turns; x++) {
        of[system->i] = x % is;
        of[system->j] = x / is % js;
        of[system->any] = x / is / js % anys;
        of[system->turn] = x / is / js / anys;
        if (!(both && of[system->i] == of[system->j]) &&
            prove_evaluate(conjunct->condition, of) == 0)
            return true;
    }
    return false;
}

static bool is_untrue(void *context, const uint64_t *state)
{
    struct untrue *untrue = context;
    const struct prove_system *system = untrue->system;
    if (!prove_tables_fill(&untrue->here, untrue->model, state))
        return false;
    for (unsigned c = 0; c < system->conjuncts; c++) {
        const struct prove_conjunct *conjunct = &system->conjunct[c];
        if (conjunct->assumed && conjunct->said && is_seen(system, conjunct->condition) &&
            fails_for_some(untrue, conjunct)) {
            untrue->name = conjunct->name;
            return true;
        }
    }
    return false;
}

const char *prove_reach_untrue(const struct prove_system *system, const struct step_model *model,
                               uint64_t most, struct check_witness *run)
{
    struct untrue untrue = {.system = system, .model = model};
    *run = (struct check_witness){0};
    if (prove_tables_make(&untrue.here, system))
        look_for(&model->check, most, is_untrue, &untrue, run);
    prove_tables_free(&untrue.here);
    return untrue.name;
}
