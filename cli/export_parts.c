/*
 * The processes of a system, each as a table: from its local state (a number), by the value of the
 * one cell that its next step accesses, to its next local state and what it stores. Another tool
 * puts the processes together again by itself; so what it finds about states and schedules is found
 * independently of the explorer here.
 *
 * The tables are read off the reachable states. That a step is a function of these two is checked
 * on the way, for every state. Where LIMIT keeps a process in its remainder is written as the
 * values that all cells have there.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STORES = 8, KEY_WORDS = CHECK_MAX_WORDS + 1 };

struct step {
    unsigned process, from, to; /* local states */
    unsigned kind;              /* that of the edge */
    int cell;                   /* -1: none is accessed */
    uint64_t value;             /* that it has */
    enum check_region region_from, region_to;
    unsigned stores;
    struct {
        unsigned cell;
        uint64_t value;
    } store[MOST_STORES];
    char label[32];
};

struct barred { /* a process that may not begin, and the cells as they are then */
    unsigned process;
    uint64_t value[CHECK_MAX_CELLS];
};

struct parts {
    const struct check_graph *graph;
    uint64_t (*local[CHECK_MAX_PROCESSES])[KEY_WORDS]; /* local states, by number */
    unsigned locals[CHECK_MAX_PROCESSES], room[CHECK_MAX_PROCESSES];
    struct step *step;
    size_t steps, steps_room;
    struct barred *barred;
    size_t bars, bars_room;
    const char *wrong;
};

/* The local state of process p, with its registers, as a number. */
static unsigned local_number(struct parts *parts, const uint64_t *state, unsigned p)
{
    const struct check_model *model = parts->graph->model;
    uint64_t key[KEY_WORDS] = {0};
    unsigned used = model->block_words;
    model->local_state(model, state, p, key);
    for (unsigned c = 0; c < model->cells && used < KEY_WORDS; c++) {
        if (model->cell[c].owner == (int)p)
            key[used++] = check_get(state, model->cell[c].field);
    }
    for (unsigned i = 0; i < parts->locals[p]; i++) {
        if (memcmp(parts->local[p][i], key, sizeof key) == 0)
            return i;
    }
    if (parts->locals[p] == parts->room[p]) {
        const unsigned room = parts->room[p] == 0 ? 64 : 2 * parts->room[p];
        void *larger = realloc(parts->local[p], room * sizeof *parts->local[p]);
        if (larger == NULL) {
            parts->wrong = "out of memory";
            return 0;
        }
        parts->local[p] = larger;
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): export_parts frees it
        parts->room[p] = room;
    }
    memcpy(parts->local[p][parts->locals[p]], key, sizeof key);
    return parts->locals[p]++;
}

static bool same_effect(const struct step *a, const struct step *b)
{
    if (a->to != b->to || a->cell != b->cell || a->stores != b->stores)
        return false;
    for (unsigned s = 0; s < a->stores; s++) {
        if (a->store[s].cell != b->store[s].cell || a->store[s].value != b->store[s].value)
            return false;
    }
    return true;
}

static void add_step(struct parts *parts, const struct step *step)
{
    for (size_t i = 0; i < parts->steps; i++) {
        const struct step *other = &parts->step[i];
        if (other->process != step->process || other->from != step->from ||
            other->kind != step->kind || other->value != step->value)
            continue;
        if (!same_effect(other, step))
            parts->wrong = "a step depends on more than its process and one cell";
        return;
    }
    if (parts->steps == parts->steps_room) {
        const size_t room = parts->steps_room == 0 ? 256 : 2 * parts->steps_room;
        struct step *larger = realloc(parts->step, room * sizeof *larger);
        if (larger == NULL) {
            parts->wrong = "out of memory";
            return;
        }
        parts->step = larger;
        parts->steps_room = room;
    }
    parts->step[parts->steps++] = *step;
}

static void add_barred(struct parts *parts, const uint64_t *state, unsigned p)
{
    const struct check_model *model = parts->graph->model;
    struct barred barred = {.process = p};
    for (unsigned c = 0; c < model->cells; c++)
        barred.value[c] = check_get(state, model->cell[c].field);
    for (size_t i = 0; i < parts->bars; i++) {
        if (parts->barred[i].process == p &&
            memcmp(parts->barred[i].value, barred.value, sizeof barred.value) == 0)
            return;
    }
    if (parts->bars == parts->bars_room) {
        const size_t room = parts->bars_room == 0 ? 64 : 2 * parts->bars_room;
        struct barred *larger = realloc(parts->barred, room * sizeof *larger);
        if (larger == NULL) {
            parts->wrong = "out of memory";
            return;
        }
        parts->barred = larger;
        parts->bars_room = room;
    }
    parts->barred[parts->bars++] = barred;
}

static void read_edge(struct parts *parts, const uint64_t *state, unsigned edge)
{
    const struct check_model *model = parts->graph->model;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    const unsigned p = edge % model->n;
    uint64_t next[CHECK_MAX_WORDS];
    struct check_note note = {.label = "", .cell = -1};
    if (!model->describe(model, state, edge, next, &note)) {
        if (note.barred)
            add_barred(parts, state, p);
        return;
    }
    const bool fault = model->has_fault && edge / model->n == model->kinds - 1;
    struct step step = {.process = p,
                        .kind = edge / model->n,
                        .from = local_number(parts, state, p),
                        .to = local_number(parts, next, p),
                        .cell = fault ? -1 : note.cell,
                        .region_from = check_region_of(model, state, p),
                        .region_to = check_region_of(model, next, p)};
    if (step.cell >= 0)
        step.value = check_get(state, model->cell[step.cell].field);
    snprintf(step.label, sizeof step.label, "%s", note.label);
    for (unsigned c = 0; c < model->cells; c++) {
        const uint64_t now = check_get(next, model->cell[c].field);
        if (now == check_get(state, model->cell[c].field))
            continue;
        if (step.stores == MOST_STORES) {
            parts->wrong = "a step stores into too many cells";
            return;
        }
        step.store[step.stores].cell = c;
        step.store[step.stores++].value = now;
    }
    add_step(parts, &step);
}

/* ---- Promela ---- */

/* Whether process p is kept in its remainder, as a macro. */
static void put_barred(const struct parts *parts, unsigned p)
{
    printf("#define barred_%u (false", p);
    for (size_t i = 0; i < parts->bars; i++) {
        if (parts->barred[i].process != p)
            continue;
        printf(" \\\n    || (true");
        for (unsigned c = 0; c < parts->graph->model->cells; c++)
            printf(" && c%u == %llu", c, (unsigned long long)parts->barred[i].value[c]);
        printf(")");
    }
    printf(")\n");
}

static void put_promela_process(const struct parts *parts, unsigned p)
{
    const struct check_model *model = parts->graph->model;
    printf("\nactive proctype P%u()\n{\nend:\n    do\n", p);
    printf("    :: d_step { r[%u] == %d -> skip } /* it may rest */\n", p, (int)CHECK_REMAINDER);
    for (size_t i = 0; i < parts->steps; i++) {
        const struct step *step = &parts->step[i];
        if (step->process != p)
            continue;
        printf("    :: d_step { u[%u] == %u", p, step->from);
        if (step->cell >= 0)
            printf(" && c%d == %llu", step->cell, (unsigned long long)step->value);
        if (parts->bars > 0 && step->region_from == CHECK_REMAINDER)
            printf(" && !barred_%u", p);
        printf(" -> u[%u] = %u", p, step->to);
        for (unsigned s = 0; s < step->stores; s++)
            printf("; c%u = %llu", step->store[s].cell, (unsigned long long)step->store[s].value);
        if (step->region_to != step->region_from)
            printf("; r[%u] = %d", p, (int)step->region_to);
        if (step->region_to == CHECK_CRITICAL && step->region_from != CHECK_CRITICAL)
            printf("; inside = inside + 1; assert(inside <= %u)", model->l);
        else if (step->region_from == CHECK_CRITICAL && step->region_to != CHECK_CRITICAL)
            printf("; inside = inside - 1");
        printf(" } /* %s */\n", step->label);
    }
    printf("    od\n}\n");
}

static void put_promela(const struct parts *parts, const char *name, const uint64_t *initial)
{
    const struct check_model *model = parts->graph->model;
    printf(
        "/* %s, n = %u, l = %u: written by berth check --export promela.\n"
        " * c0, c1, ..: the shared variables; u: the local state of each process; r: its region (0 remainder,\n"
        " * 1 doorway, 2 trying, 3 critical, 4 exit). Exclusion is an assertion; that process p is not\n"
        " * locked out is the formula lockout_p, under weak fairness. */\n",
        name, model->n, model->l);
    for (unsigned c = 0; c < model->cells; c++) {
        char cell[64];
        cli_cell_name(model, (int)c, cell, sizeof cell);
        printf("/* c%u is %s */\n", c, cell);
    }
    for (unsigned c = 0; c < model->cells; c++)
        printf("int c%u = %llu;\n", c,
               (unsigned long long)check_get(initial, model->cell[c].field));
    printf("int u[%u];\nbyte r[%u];\nbyte inside;\n", model->n, model->n);
    for (unsigned p = 0; p < model->n && parts->bars > 0; p++)
        put_barred(parts, p);
    for (unsigned p = 0; p < model->n; p++)
        put_promela_process(parts, p);
    for (unsigned p = 0; p < model->n; p++)
        printf("\nltl lockout_%u { [] <> (r[%u] == 0 || r[%u] == 3) }\n", p, p, p);
}

/* ---- TLA+ ---- */

static void put_tla(const struct parts *parts, const char *name, const uint64_t *initial)
{
    const struct check_model *model = parts->graph->model;
    printf(
        "---- MODULE exported ----\n\\* %s, n = %u, l = %u: written by berth check --export tla.\n"
        "\\* A step is <<process, local state, cell or -1, its value, next local state, stores>>.\n"
        "EXTENDS Integers, FiniteSets, Sequences\nVARIABLES u, c\n\nSteps == {\n",
        name, model->n, model->l);
    for (size_t i = 0; i < parts->steps; i++) {
        const struct step *step = &parts->step[i];
        printf("  <<%u, %u, %d, %llu, %u, <<", step->process, step->from, step->cell,
               (unsigned long long)step->value, step->to);
        for (unsigned s = 0; s < step->stores; s++)
            printf("%s<<%u, %llu>>", s > 0 ? ", " : "", step->store[s].cell,
                   (unsigned long long)step->store[s].value);
        printf(">>>>%s \\* %s\n", i + 1 < parts->steps ? "," : "", step->label);
    }
    printf("}\n\nCritical == {\n");
    bool first = true;
    for (size_t i = 0; i < parts->steps; i++) {
        const struct step *step = &parts->step[i];
        if (step->region_to != CHECK_CRITICAL)
            continue;
        printf("%s  <<%u, %u>>", first ? "" : ",\n", step->process, step->to);
        first = false;
    }
    printf("\n}\n\nStored(s, i) == LET w == {k \\in 1..Len(s[6]) : s[6][k][1] = i}\n"
           "  IN IF w = {} THEN c[i] ELSE s[6][CHOOSE k \\in w : TRUE][2]\n\n"
           "Init == u = [p \\in 0..%u |-> 0] /\\ c = [i \\in 0..%u |->",
           model->n - 1, model->cells > 0 ? model->cells - 1 : 0);
    for (unsigned i = 0; i < model->cells; i++)
        printf(" IF i = %u THEN %llu ELSE", i,
               (unsigned long long)check_get(initial, model->cell[i].field));
    printf(" 0]\n\nNext == \\E s \\in Steps :\n"
           "  /\\ u[s[1]] = s[2]\n"
           "  /\\ s[3] = -1 \\/ c[s[3]] = s[4]\n"
           "  /\\ u' = [u EXCEPT ![s[1]] = s[5]]\n"
           "  /\\ c' = [i \\in DOMAIN c |-> Stored(s, i)]\n\n"
           "Spec == Init /\\ [][Next]_<<u, c>>\n\n"
           "Exclusion == Cardinality({p \\in 0..%u : <<p, u[p]>> \\in Critical}) <= %u\n====\n",
           model->n - 1, model->l);
}

int cli_export_parts(const struct protocol_choice *choice, const struct check_graph *graph,
                     enum cli_export format)
{
    const struct check_model *model = graph->model;
    struct parts parts = {.graph = graph};
    char name[128];
    protocol_full_name(choice, name, sizeof name);
    if (model->more_than_parts || model->supervisors > 0 || model->one_variable ||
        model->clash != NULL || model->has_choice)
        return cli_error(
            CLI_USAGE,
            "the steps of %s are not each of one process and one variable: dot and aut "
            "write its state graph",
            name);
    for (unsigned p = 0; p < model->n; p++) /* the first state is number 0 */
        local_number(&parts, check_graph_key(graph, graph->initial), p);
    for (uint32_t id = 0; id < graph->count && parts.wrong == NULL; id++) {
        for (unsigned e = 0; e < graph->edges && parts.wrong == NULL; e++)
            read_edge(&parts, check_graph_key(graph, id), e);
    }
    const uint64_t *initial = check_graph_key(graph, graph->initial);
    if (parts.wrong == NULL && format == CLI_EXPORT_TLA && parts.bars > 0)
        parts.wrong = "LIMIT is written for Spin alone";
    if (parts.wrong == NULL && format == CLI_EXPORT_PROMELA)
        put_promela(&parts, name, initial);
    else if (parts.wrong == NULL)
        put_tla(&parts, name, initial);
    for (unsigned p = 0; p < model->n; p++)
        free(parts.local[p]);
    free(parts.step);
    free(parts.barred);
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    return parts.wrong == NULL ? CLI_OK : cli_error(CLI_USAGE, "%s: %s", name, parts.wrong);
}
