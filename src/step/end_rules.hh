/*
 * The end of a protocol file in the third expansion (rules.hh): a program that writes the rules.
 * Each place that can be come to is run once for each way that its tests can go. A local variable
 * that is 0 whenever a process is at a place is taken as 0 there; which ones are is found by
 * starting from "all" and taking out what some step brings along. Within subroutines (SUBS) a place
 * is the places of all that have been called, and a variable that always has the same value there
 * is known.
 *
 * What is written, one list for each variant, is described in src/prove/read.c.
 */
#undef uint64_t
#undef private
#include "step/sections.h"

#ifndef TRANSFORMATION
#define TRANSFORMED_REGION step_region
#define TRANSFORMED_FROM step_region
#define TRANSFORMED_MOVE step_move
#endif

const bool step_one_by_one = STEP_ONE_BY_ONE;

/* ---- variables ---- */

#define STEP_LIST_LOCAL(name, values) {#name, offsetof(struct step_local, name)},
const struct step_member step_locals[] = {LOCALS(STEP_LIST_LOCAL){NULL, 0}};

#define STEP_LIST_CELL(name, values) {#name, offsetof(struct step_shared, name)},
#define STEP_LIST_CELLS(name, count, values)
#define STEP_LIST_REGISTERS(name, values)
const struct step_member step_cell_names[] = {
    STEP_CELLS(STEP_LIST_CELL, STEP_LIST_CELLS, STEP_LIST_REGISTERS){NULL, 0}};

#define STEP_LIST_NO_CELL(name, values)
#define STEP_LIST_ARRAY(name, ...) {#name, offsetof(struct step_shared, name)},
const struct step_member step_arrays[] = {
    STEP_CELLS(STEP_LIST_NO_CELL, STEP_LIST_ARRAY, STEP_LIST_ARRAY)
    WITNESSES(STEP_LIST_ARRAY){NULL, 0}};

#ifndef SPLITS
#define SPLITS(local)
#endif
#define STEP_LIST_SPLIT(name) #name,
const char *const step_splits[] = {SPLITS(STEP_LIST_SPLIT) NULL};

const size_t step_pc_at = offsetof(struct step_local, pc);
#define STEP_LIST_SUB(name) {#name, offsetof(struct step_local, pc_##name)},
const struct step_member step_subs[] = {SUBS(STEP_LIST_SUB){NULL, 0}};

#define STEP_FIND_CELL(name, values) step_find(#name, word(values));
#define STEP_FIND_CELLS(name, count, values) step_find(#name, word(values));
#define STEP_FIND_REGISTERS(name, values) step_find(#name, word(values));
#define STEP_FIND_LOCAL(name, values) step_find("my." #name, word(values));
static void step_find_values(const struct step_params *params)
{
    const word step_me = 0;
    STEP_NAMES
    step_find_none();
    STEP_CELLS(STEP_FIND_CELL, STEP_FIND_CELLS, STEP_FIND_REGISTERS)
    WITNESSES(STEP_FIND_CELLS)
    LOCALS(STEP_FIND_LOCAL)
}

static const char *step_region_name(enum check_region region)
{
    switch (region) {
    case CHECK_REMAINDER: return "remainder";
    case CHECK_DOORWAY: return "doorway";
    case CHECK_WAITING: return "waiting";
    case CHECK_CRITICAL: return "critical";
    case CHECK_EXIT: return "exit";
    default: return "dead";
    }
}

const char *step_region_at(int pc)
{
    return step_region_name(TRANSFORMED_REGION(pc));
}

const char *step_region_from(int pc)
{
    return step_region_name(TRANSFORMED_FROM(pc));
}

const char *step_region_within(int pc)
{
    return step_region_name(step_region(pc));
}

/* ---- one variant ---- */

static struct step_params step_read_with;

/* Runs one step from a place, with the outcomes of tests that are next, and has its rule made. */
void step_run_once(step_reading &reading, int from, bool choice, bool *asked)
{
    const int pc = step_main_pc(reading, from);
    struct step_shared shared = {};
    struct step_local my = {};
    struct check_note note = {};
    struct step_run run = {};
    step_name_variables(&shared, &shared.step_alive);
    step_start(reading, from, &my);
    run.note = &note;
    run.frame = (const word *)&shared;
    run.choice = choice;
    step_begin_way();
    TRANSFORMED_MOVE(&run, &step_read_with, &shared, &my, step_atom("me"));
    *asked = run.asked;
    const bool labels = pc != 0 && TRANSFORMED_REGION(pc) != CHECK_CRITICAL &&
                        TRANSFORMED_FROM(pc) != CHECK_CRITICAL && note.label != NULL;
    step_make_rule(reading, from,
                   {&shared, &my, &shared.step_alive, note.label, note.file, note.line, labels,
                    run.broken, choice, run.asked});
}

#define STEP_WRITE_CELL(name, values) step_write_cell(#name, word(values), shared.name);
#define STEP_WRITE_LOCAL(name, values) step_write_local(#name, word(values));
#define STEP_WRITE_CONSTANT(name, in_model, condition)                                             \
    step_write_constant(#name, word(in_model), (condition));
#define STEP_TIMES_CELL(name, values) whole = whole * word(values);
#define STEP_WRITE_CELLS(name, count, values)                                                      \
    STEP_NAMES_NEEDED(#name)                                                                       \
    step_write_array(#name, word(count), word(values), shared.name);
#define STEP_WRITE_WITNESS(name, count, values)                                                    \
    STEP_WRITE_CELLS(name, count, values)                                                          \
    printf("  (witness %s)\n", #name);
#define STEP_WRITE_REGISTERS(name, values)                                                         \
    STEP_NAMES_NEEDED(#name)                                                                       \
    step_write_array(#name, n, word(values), shared.name);
#ifndef HAS_NAMES
#define STEP_NAMES_NEEDED(name) step_cannot(std::string("an array, and no HAS_NAMES: ") + (name));
#else
#define STEP_NAMES_NEEDED(name)
#endif
#define STEP_NO_CELLS(name, ...) is_product = false;

/* How many values are claimed; nothing where no term says it, as of a sum of n parts. */
static void step_write_values(const struct step_params *params)
{
    try {
        const word claimed = step_has_values ? step_values(params) : word(0);
        if (step_has_values && step_asked == 0)
            step_write_term("values", claimed);
    } catch (const step_unreadable &) {
    }
    step_begin_way();
}

static void step_write_variables(const struct step_params *params)
{
    const word step_me = 0;
    STEP_NAMES
    struct step_shared shared = {};
    step_begin_way();
    step_name_arrays(&shared, &shared.step_alive);
#ifdef HAS_INITIAL
    step_set_initial(params, &shared);
#endif
#ifdef CONSTANTS
    CONSTANTS(STEP_WRITE_CONSTANT)
#endif
    STEP_CELLS(STEP_WRITE_CELL, STEP_WRITE_CELLS, STEP_WRITE_REGISTERS)
    WITNESSES(STEP_WRITE_WITNESS)
#ifdef HAS_REVIVAL
    printf("  (array alive n 2 1)\n  (kills)\n");
#endif
    LOCALS(STEP_WRITE_LOCAL)
#ifdef HAS_LOCK
    word whole = 1; /* the cells are the parts of one variable */
    bool is_product = true; /* of an array, as many values as the elements have together */
    STEP_CELLS(STEP_TIMES_CELL, STEP_NO_CELLS, STEP_NO_CELLS)
    if (is_product)
        step_write_term("whole", whole);
    else
        printf("  (uncounted)\n");
#endif
    if (step_asked != 0)
        step_cannot("what is there at first depends on a test");
    step_write_values(params);
}

#ifdef HAS_DEATH
/* What a death does, wherever the process is: it has nothing left, and its registers are dead. */
static void step_write_death(struct step_params params)
{
    struct step_shared shared = {};
    struct step_local my = {};
    struct step_run run = {};
    step_name_variables(&shared, &shared.step_alive);
    run.frame = (const word *)&shared;
    params.fault = STEP_FAULT_DEATH;
    step_begin_way();
    step_fail(&run, &params, &shared, &my, step_atom("me"));
    if (step_asked != 0)
        step_cannot("what a death does depends on a test");
    step_same_cells(&shared);
    printf("  (dies");
    step_write_stores(&shared);
    printf(")\n");
}
#endif

static void step_write_variant(unsigned variant)
{
    step_reading reading;
    struct step_params &params = step_read_with;
    params = {};
    params.n = step_atom("n");
    params.l = step_atom("l");
    params.k = step_atom("k");
    params.limit = step_atom("limit");
    params.variant = variant;
    step_begin_way();
    step_find_values(&params);
    struct step_local begins = {};
    step_come(reading, &begins);
#ifdef HAS_REVIVAL
    begins.pc = STEP_PC_DEAD;
    step_come(reading, &begins);
#endif
    step_run_all(reading);
    printf("(variant %u\n", variant);
#ifdef HAS_NAMES
    printf("  (names)\n");
#endif
    step_write_variables(&params);
    step_write_reading(reading);
#ifdef HAS_DEATH
    step_write_death(params);
#endif
    struct step_shared shared = {};
    step_name_variables(&shared, &shared.step_alive);
    step_say_nothing();
    step_begin_way();
#ifdef HAS_PROOF
    step_proves = true;
    step_proof(&params, &shared);
#ifdef HAS_MORE_PROOF
    step_more_proof(&params, &shared);
#endif
    if (step_asked != 0)
        step_cannot("PROOF decides by a test; say implies(a, b), or ONE(a)");
    step_proves = false;
#endif
    step_write_said();
#ifdef HAS_SLOT
    struct step_local my = {};
    step_name_locals(&my);
    step_begin_way();
    step_write_term("holds", step_holds(&params, &shared, &my, step_atom("me")));
    if (step_asked != 0)
        step_cannot("HOLDS decides by a test");
#endif
#ifdef HAS_SLOTS
    step_begin_way();
    step_write_term("slots", step_slots(&params, &shared));
    if (step_asked != 0)
        step_cannot("SLOTS decides by a test");
#endif
    printf(")\n");
}

#define STEP_NO_LOCAL_ARRAY(name, count, values)                                                   \
    step_cannot("a local variable is an array: " #name);

/* The HAS_ words of the file, and the fields of PROTOCOL that it sets: whether a property means
 * what is proved of it depends on them (prove/known_words.c). */
static void step_write_words()
{
    printf("(words");
    for (const char *const *word = step_words; *word != nullptr; word++)
        printf(" \"%s\"", *word);
    printf(")\n");
}

int main()
{
    try {
#ifdef HAS_MEMORY
        step_cannot("local variables survive the remainder");
#endif
#ifdef HAS_SUPERVISOR
        step_cannot("there is a supervisor");
#endif
        LOCAL_ARRAYS(STEP_NO_LOCAL_ARRAY)
#ifndef HAS_REVIVAL
        if (step_kills)
            step_cannot("processes are killed, and there is no REVIVAL");
#endif
#ifndef HAS_DEATH
        if (step_dies)
            step_cannot("processes die, and there is no DEATH");
#endif
#if defined(HAS_DEATH) && !defined(HAS_NAMES)
        step_cannot("processes die, and no HAS_NAMES");
#endif
#if defined(HAS_DEATH) && defined(HAS_REVIVAL)
        step_cannot("processes die, and they are killed");
#endif
        step_write_words();
        for (unsigned v = 0; v < step_variants; v++)
#ifdef PROOF_IS_NOT_FOR /* a variant that PROOF is not about */
            if (v == PROOF_IS_NOT_FOR)
                printf("(variant %u (cannot))\n", v);
            else
#endif
                step_write_variant(v);
    } catch (const step_unreadable &unreadable) {
        fprintf(stderr, "cannot be read as rules: %s\n", unreadable.why.c_str());
        return 1;
    }
    return 0;
}
