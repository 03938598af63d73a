/*
 * The end of a protocol file in the third expansion (rules.hh): a program that writes the rules.
 * Each place that can be come to is run once for each way that its tests can go. A local variable
 * that is 0 whenever a process is at a place is taken as 0 there. To find these, start from
 * "all", and take out those that some step leaves with another value.
 *
 * What is written, one list for each variant, is described in src/prove/read.c.
 */
#undef uint64_t
#undef private
#include "step/sections.h"

#include <set>

#ifndef TRANSFORMATION
#define TRANSFORMED_REGION step_region
#define TRANSFORMED_FROM step_region
#define TRANSFORMED_MOVE step_move
#endif

/* ---- the ways that tests can go ---- */

static std::vector<bool> step_ways;           /* in this run */
static std::vector<std::string> step_tested; /* what was tested, as it came out */
static std::vector<word> step_is_0;           /* by equations that came out true */
static size_t step_asked;

enum { STEP_MAX_TESTS = 64 };

static inline bool step_ask(const cond &condition)
{
    const cond no = step_not(condition);
    if (condition.text.rfind("(not ", 0) == 0)
        return !step_ask(no);
    for (const std::string &test : step_tested) { /* the same again */
        if (test == condition.text)
            return true;
        if (test == no.text)
            return false;
    }
    /* x = y + 1 where x = y has been found: it is not. */
    for (const word &zero : step_is_0)
        for (int sign = -1; sign <= 1 && !condition.equal_to_0.is_number(); sign += 2) {
            const word left = step_combine(condition.equal_to_0, zero, sign);
            if (left.is_number())
                return left.linear().constant == 0;
        }
    if (step_asked == STEP_MAX_TESTS)
        step_cannot("a step makes too many tests: a loop without an access?");
    if (step_asked == step_ways.size())
        step_ways.push_back(true);
    const bool way = step_ways[step_asked++];
    step_tested.push_back(way ? condition.text : no.text);
    if (way && !condition.equal_to_0.is_number())
        step_is_0.push_back(condition.equal_to_0);
    return way;
}

static bool step_next_way()
{
    step_ways.resize(step_asked);
    while (!step_ways.empty() && !step_ways.back())
        step_ways.pop_back();
    if (step_ways.empty())
        return false;
    step_ways.back() = false;
    return true;
}

static void step_begin_way()
{
    step_asked = 0;
    step_tested.clear();
    step_is_0.clear();
}

/* ---- variables ---- */

struct step_variable_name {
    const char *name;
    word step_local::*local;
    word step_shared::*cell;
};

#define STEP_LIST_LOCAL(name, values) {#name, &step_local::name, NULL},
static const struct step_variable_name step_locals[] = {
    LOCALS(STEP_LIST_LOCAL){NULL, NULL, NULL}};

#define STEP_LIST_CELL(name, values) {#name, NULL, &step_shared::name},
#define STEP_LIST_CELLS(name, count, values)
#define STEP_LIST_REGISTERS(name, values)
static const struct step_variable_name step_cell_names[] = {
    STEP_CELLS(STEP_LIST_CELL, STEP_LIST_CELLS, STEP_LIST_REGISTERS){NULL, NULL, NULL}};

struct step_array_name {
    const char *name;
    step_words_at step_shared::*array;
};
#define STEP_LIST_NO_CELL(name, values)
#define STEP_LIST_ARRAY(name, ...) {#name, &step_shared::name},
static const struct step_array_name step_arrays[] = {
    STEP_CELLS(STEP_LIST_NO_CELL, STEP_LIST_ARRAY, STEP_LIST_ARRAY){NULL, NULL}};

static void step_name_variables(struct step_shared &shared)
{
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        shared.*cell->cell = step_atom(cell->name);
    for (const auto *array = step_arrays; array->name != NULL; array++)
        (shared.*array->array).name = array->name;
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

/* ---- one variant ---- */

/* Local variables by which places are told apart: whether it is 0 makes two of one. */
#ifndef SPLITS
#define SPLITS(local)
#endif
#define STEP_LIST_SPLIT(name) #name,
static const char *const step_splits[] = {SPLITS(STEP_LIST_SPLIT) NULL};

enum { STEP_PLACE_BITS = 8 }; /* a place's number: the program counter, and above it the split */

static int step_pc_of(int place)
{
    return place & ((1 << STEP_PLACE_BITS) - 1);
}

struct step_found { /* a place */
    std::set<std::string> carried;
    std::string label;
    std::vector<std::string> rules;
    bool done = false;
};

struct step_reading {
    struct step_params params = {};
    std::map<int, step_found> places;
};

static std::string step_quoted(const char *text)
{
    /* A step of a transformation has no line. */
    return "\"" + std::string(text == NULL ? "" : text) + "\"";
}

/* Whether the tests of this run say that it is 0. */
static bool step_tested_zero(const word &value)
{
    for (const std::string &test : step_tested)
        if (test == "(not (< 0 " + value.text() + "))" || test == "(= " + value.text() + " 0)")
            return true;
    return false;
}

/* A run of one step from `pc`, the tests going as step_ways says. Gives the rule; and what the
 * place that it leads to must know. */
static void step_run_once(step_reading &reading, int from, bool choice, bool *asked)
{
    const int pc = step_pc_of(from);
    struct step_shared shared = {};
    struct step_local my = {};
    struct check_note note = {};
    struct step_run run = {};
    step_found &place = reading.places[from];
    step_name_variables(shared);
    for (const auto *local = step_locals; local->name != NULL; local++)
        if (place.carried.count(local->name) != 0)
            my.*local->local = step_atom(std::string("my.") + local->name);
    my.pc = (step_place)pc;
    run.note = &note;
    run.frame = (const word *)&shared;
    run.choice = choice;
    step_begin_way();
    TRANSFORMED_MOVE(&run, &reading.params, &shared, &my, step_atom("me"));
    *asked = run.asked;
    if (run.broken)
        step_cannot("a TRUST that does not hold");
    int to = (int)my.pc;
    for (const auto *local = step_locals; local->name != NULL; local++)
        if (step_tested_zero(my.*local->local))
            my.*local->local = 0;
    for (int s = 0; step_splits[s] != NULL; s++) {
        for (const auto *local = step_locals; local->name != NULL; local++) {
            if (std::string(local->name) != step_splits[s])
                continue;
            if ((bool)(0 < my.*local->local))
                to |= 1 << (STEP_PLACE_BITS + s);
            else
                my.*local->local = 0;
        }
    }
    if (pc != 0 && TRANSFORMED_REGION(pc) != CHECK_CRITICAL &&
        TRANSFORMED_FROM(pc) != CHECK_CRITICAL)
        place.label = note.label;
    std::string rule = "(rule " + std::to_string(from) + " " + std::to_string(to) + " " +
                       step_quoted(note.label) + " " + step_quoted(note.file) + " " +
                       std::to_string(note.line) + " (when";
    for (const std::string &test : step_tested)
        rule += " " + test;
    rule += ")";
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++) {
        const std::string text = (shared.*cell->cell).text();
        if (text != cell->name)
            rule += " (cell " + std::string(cell->name) + " " + text + ")";
    }
    for (const auto *array = step_arrays; array->name != NULL; array++) {
        const auto *changed = (shared.*array->array).changed();
        if (changed != NULL)
            rule += " (store " + std::string(array->name) + " " + changed->first + " " +
                    changed->second.value.text() + ")";
        const std::string &taken_out = (shared.*array->array).taken_out;
        if (!taken_out.empty())
            rule += " (takeout " + std::string(array->name) + " " + taken_out + ")";
    }
    step_found &target = reading.places[to];
    for (const auto *local = step_locals; local->name != NULL; local++) {
        const word value = my.*local->local;
        if (value.is_number() && value.linear().constant == 0)
            continue;
        rule += " (local " + std::string(local->name) + " " + value.text() + ")";
        if (target.carried.insert(local->name).second)
            target.done = false;
    }
    place.rules.push_back(rule + ")");
}

static void step_run_place(step_reading &reading, int pc)
{
    bool asked = false, any = false;
    step_found &place = reading.places[pc];
    place.done = true;
    place.rules.clear();
    for (int choice = 0; choice < (any ? 2 : 1); choice++) {
        step_ways.clear();
        do {
            const size_t before = place.rules.size();
            step_run_once(reading, pc, choice == 1, &asked);
            any |= asked;
            if (choice == 1 && !asked)
                place.rules.resize(before); /* there was nothing to choose */
        } while (step_next_way());
    }
}

static bool step_run_some(step_reading &reading)
{
    for (auto &each : reading.places) {
        if (!each.second.done) {
            step_run_place(reading, each.first);
            return true;
        }
    }
    return false;
}

#define STEP_WRITE_CELL(name, values)                                                              \
    printf("  (cell %s %s %s)\n", #name, word(values).text().c_str(),                              \
           shared.name.text().c_str());
#define STEP_WRITE_LOCAL(name, values)                                                             \
    printf("  (local %s %s%s)\n", #name, word(values).text().c_str(), step_split_word(#name));
#define STEP_TIMES_CELL(name, values) whole = whole * word(values);
#define STEP_WRITE_CELLS(name, count, values)                                                      \
    step_write_array(#name, word(count), word(values), shared.name);
#define STEP_WRITE_REGISTERS(name, values) step_write_array(#name, n, word(values), shared.name);
#ifndef HAS_NAMES
#define STEP_NAMES_NEEDED(name) step_cannot(std::string("an array, and no HAS_NAMES: ") + (name));
#else
#define STEP_NAMES_NEEDED(name)
#endif
#define STEP_NO_CELLS(name, ...) is_product = false;

static void step_write_array(const char *name, const word &count, const word &values,
                             const step_words_at &array)
{
    STEP_NAMES_NEEDED(name)
    for (const auto &each : array.elements)
        if (each.second.value.text() != each.second.before.text())
            step_cannot(std::string("not 0 at first: ") + name);
    printf("  (array %s %s %s)\n", name, count.text().c_str(), values.text().c_str());
}

static const char *step_split_word(const char *name)
{
    for (int s = 0; step_splits[s] != NULL; s++)
        if (std::string(name) == step_splits[s])
            return " split";
    return "";
}

/* How many values are claimed; unless that is a number which no term gives: a sum of n parts. */
static void step_write_values(const struct step_params *params)
{
    try {
        const word claimed = step_has_values ? step_values(params) : word(0);
        if (step_has_values && step_asked == 0)
            printf("  (values %s)\n", claimed.text().c_str());
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
#ifdef HAS_INITIAL
    step_set_initial(params, &shared);
#endif
    STEP_CELLS(STEP_WRITE_CELL, STEP_WRITE_CELLS, STEP_WRITE_REGISTERS)
    LOCALS(STEP_WRITE_LOCAL)
#ifdef HAS_LOCK
    word whole = 1; /* the cells are the parts of one variable */
    bool is_product = true; /* of an array, as many values as the elements have together */
    STEP_CELLS(STEP_TIMES_CELL, STEP_NO_CELLS, STEP_NO_CELLS)
    if (is_product)
        printf("  (whole %s)\n", whole.text().c_str());
    else
        printf("  (uncounted)\n");
#endif
    if (step_asked != 0)
        step_cannot("what is there at first depends on a test");
    step_write_values(params);
}

static void step_write_variant(unsigned variant)
{
    step_reading reading;
    reading.params.n = step_atom("n");
    reading.params.l = step_atom("l");
    reading.params.k = step_atom("k");
    reading.params.limit = step_atom("limit");
    reading.params.variant = variant;
    reading.places[0];
    while (step_run_some(reading))
        continue;
    printf("(variant %u\n", variant);
#ifdef HAS_NAMES
    printf("  (names)\n");
#endif
    step_write_variables(&reading.params);
    for (auto &each : reading.places) {
        const int pc = step_pc_of(each.first);
        printf("  (place %d %d %s %s %s", each.first, pc, step_region_name(TRANSFORMED_REGION(pc)),
               step_region_name(TRANSFORMED_FROM(pc)),
               step_quoted(each.second.label.c_str()).c_str());
        for (const std::string &local : each.second.carried)
            printf(" %s", local.c_str());
        printf(")\n");
    }
    for (auto &each : reading.places)
        for (const std::string &rule : each.second.rules)
            printf("  %s\n", rule.c_str());
    struct step_shared shared = {};
    step_name_variables(shared);
    step_said.clear();
    step_begin_way();
#ifdef HAS_PROOF
    step_proof(&reading.params, &shared);
#ifdef HAS_MORE_PROOF
    step_more_proof(&reading.params, &shared);
#endif
    if (step_asked != 0)
        step_cannot("PROOF decides by a test; say implies(a, b), or ONE(a)");
#endif
    for (const std::string &said : step_said)
        printf("  %s\n", said.c_str());
    printf(")\n");
}

int main()
{
    try {
#ifdef HAS_MEMORY
        step_cannot("local variables survive the remainder");
#endif
        for (unsigned v = 0; v < step_variants; v++)
            step_write_variant(v);
    } catch (const step_unreadable &unreadable) {
        fprintf(stderr, "cannot be read as rules: %s\n", unreadable.why.c_str());
        return 1;
    }
    return 0;
}
