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

/* ---- the ways that tests can go ---- */

static std::vector<bool> step_ways;           /* in this run */
static std::vector<std::string> step_tested; /* what was tested, as it came out */
static std::vector<word> step_is_0;           /* by equations that came out true */
static std::vector<word> step_is_natural;     /* by orders, and by equations */
static size_t step_asked;

enum { STEP_MAX_TESTS = 64 };

/* Whether the word is 0 or more because of what has been tested, or because it has no other way. */
static bool step_surely_at_least_0(const word &a)
{
    if (step_surely_natural(a))
        return true;
    for (const word &natural : step_is_natural)
        if (step_surely_natural(step_combine(a, natural, -1)))
            return true;
    return false;
}

/* 0 or 1: the tests before tell; -1: they do not, or a side of it may be below 0, where C has a
 * large number. */
static int step_told(const cond &condition)
{
    if (condition.at_least_0.id != 0 &&
        !(step_surely_at_least_0(condition.left) && step_surely_at_least_0(condition.right)))
        return -1;
    if (condition.at_least_0.id != 0)
        return step_surely_at_least_0(condition.at_least_0)                               ? 1
               : step_surely_at_least_0(step_not(condition).at_least_0)                   ? 0
                                                                                          : -1;
    if (condition.equal_to_0.is_number())
        return -1;
    const word less = step_combine(condition.equal_to_0, 1, -1);
    const word more = step_combine(step_combine(0, condition.equal_to_0, -1), 1, -1);
    return step_surely_at_least_0(less) || step_surely_at_least_0(more) ? 0 : -1;
}

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
    if (STEP_ONE_BY_ONE) {
        const int told = step_told(condition);
        if (told >= 0)
            return told == 1;
    }
    if (step_asked == STEP_MAX_TESTS)
        step_cannot("a step makes too many tests: a loop without an access?");
    if (step_asked == step_ways.size())
        step_ways.push_back(true);
    const bool way = step_ways[step_asked++];
    step_tested.push_back(way ? condition.text : no.text);
    if (way && !condition.equal_to_0.is_number()) {
        step_is_0.push_back(condition.equal_to_0);
        step_is_natural.push_back(condition.equal_to_0);
        step_is_natural.push_back(step_combine(0, condition.equal_to_0, -1));
    }
    if (condition.at_least_0.id != 0)
        step_is_natural.push_back(way ? condition.at_least_0 : no.at_least_0);
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
    step_is_natural.clear();
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
    STEP_CELLS(STEP_LIST_NO_CELL, STEP_LIST_ARRAY, STEP_LIST_ARRAY)
    WITNESSES(STEP_LIST_ARRAY){NULL, NULL}};

/* How many values each variable has; of what has several parts, by part. */
static std::map<std::string, word> step_values_of;
#define STEP_FIND_CELL(name, values) step_values_of[#name] = word(values);
#define STEP_FIND_CELLS(name, count, values) step_values_of[#name] = word(values);
#define STEP_FIND_REGISTERS(name, values) step_values_of[#name] = word(values);
#define STEP_FIND_LOCAL(name, values) step_values_of["my." #name] = word(values);
static void step_find_values(const struct step_params *params)
{
    const word step_me = 0;
    STEP_NAMES
    step_values_of.clear();
    STEP_CELLS(STEP_FIND_CELL, STEP_FIND_CELLS, STEP_FIND_REGISTERS)
    WITNESSES(STEP_FIND_CELLS)
    LOCALS(STEP_FIND_LOCAL)
}

static word step_named(const std::string &name)
{
    return step_variable_of(step_values_of[name],
                            [&](const std::string &part) { return name + part; });
}

static word step_local_of(const char *name, const word &p)
{
    return step_variable_of(step_values_of[std::string("my.") + name], [&](const std::string &part) {
        return "(@ |." + (name + part) + "| " + p.text() + ")";
    });
}

static void step_name_arrays(struct step_shared &shared)
{
    for (const auto *array = step_arrays; array->name != NULL; array++) {
        (shared.*array->array).name = array->name;
        (shared.*array->array).values = step_values_of[array->name];
    }
    shared.step_alive.name = "alive";
}

static void step_name_variables(struct step_shared &shared)
{
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        shared.*cell->cell = step_named(cell->name);
    step_name_arrays(shared);
}

/* The name and the value of each part of what a variable has become. */
static std::vector<std::pair<std::string, word>>
step_parts_of(const std::string &name, const word &values, const word &value)
{
    if (!values.is_packed())
        return {{name, value}};
    std::vector<std::pair<std::string, word>> parts;
    const std::vector<std::string> names = values.linear().names;
    for (size_t part = 0; part < names.size(); part++)
        parts.push_back({name + "." + names[part], step_part(value, part)});
    return parts;
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

#define STEP_LIST_SUB(name) {#name, &step_local::pc_##name},
static const struct {
    const char *name;
    step_place step_local::*pc;
} step_subs[] = {SUBS(STEP_LIST_SUB){NULL, NULL}};

struct step_rule {
    std::string kind, step;          /* rule or broken; label, file and line */
    int to;                          /* the number of a place */
    std::vector<std::string> tested; /* in this order */
    std::string effects;
};

struct step_found { /* a place */
    std::set<std::string> carried;
    /* where there are subroutines: variables that are not carried, and the places in these */
    std::map<std::string, int64_t> known;
    std::vector<step_place> within;
    std::string label;
    std::vector<struct step_rule> rules;
    bool done = false;
};

struct step_reading {
    struct step_params params = {};
    std::map<int, step_found> places;
    std::map<std::vector<step_place>, int> number; /* where there are subroutines */
};

/* The number of the place; made if need be. */
static int step_number_of(step_reading &reading, const struct step_local &my)
{
    std::vector<step_place> places = {my.pc};
    if (step_subs[0].name == NULL)
        return (int)my.pc;
    for (const auto *sub = step_subs; sub->name != NULL; sub++)
        places.push_back(my.*sub->pc);
    const auto found = reading.number.insert({places, (int)reading.number.size()}).first;
    reading.places[found->second].within = places;
    return found->second;
}

static int step_main_pc(const step_reading &reading, int place)
{
    const auto found = reading.places.find(place);
    return step_subs[0].name == NULL || found == reading.places.end() ||
                   found->second.within.empty()
               ? step_pc_of(place)
               : (int)found->second.within[0];
}

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

/* What the step has made of an array. */
static std::string step_stored_in(const step_words_at &array)
{
    const auto *changed = array.changed();
    std::string text;
    for (const auto &store : array.stored)
        text += " (store " + array.name + " " + store.first + " " + store.second + ")";
    if (changed != NULL)
        for (const auto &part : step_parts_of(array.name, array.values, changed->second.value))
            text += " (store " + part.first + " " + changed->first + " " + part.second.text() + ")";
    if (!array.taken_out.empty())
        text += " (takeout " + array.name + " " + array.taken_out + ")";
    return text;
}

/* Runs one step from `pc`, with the outcomes of tests that step_ways says. Makes the rule, and
 * notes what has to be known at the place that it leads to. */
static void step_start(step_reading &reading, int from, struct step_local &my)
{
    const step_found &place = reading.places[from];
    for (const auto *local = step_locals; local->name != NULL; local++) {
        const std::string name = std::string("my.") + local->name;
        const word values = step_values_of[name];
        word atoms = step_named(name);
        if (!values.is_packed()) {
            const auto known = place.known.find(local->name);
            my.*local->local = place.carried.count(local->name) != 0 ? atoms
                               : known == place.known.end()          ? word(0)
                                                                     : word(known->second);
            continue;
        }
        step_linear made;
        bool any = false;
        for (const auto &part : step_parts_of(local->name, values, atoms)) {
            const auto known = place.known.find(part.first);
            const bool carried = place.carried.count(part.first) != 0;
            const word now = carried                       ? part.second
                             : known == place.known.end() ? word(0)
                                                          : word(known->second);
            any |= carried || (known != place.known.end() && known->second != 0);
            made.parts.push_back(now.id);
        }
        my.*local->local = any ? step_word(made) : word(0);
    }
    my.pc = (step_place)step_main_pc(reading, from);
    for (size_t s = 0; step_subs[s].name != NULL && !place.within.empty(); s++)
        my.*step_subs[s].pc = place.within[s + 1];
}

/* A place has been come to with this value of a local variable. */
static void step_bring(step_found &target, const std::string &name, const word &value)
{
    const bool number = value.is_number();
    const int64_t constant = number ? value.linear().constant : 0;
    if (target.carried.count(name) != 0)
        return;
    if (step_subs[0].name == NULL) {
        if (number && constant == 0)
            return;
    } else if (number && target.known.insert({name, constant}).first->second == constant) {
        return; /* the place is run again if this is the first value: it has not been run then */
    }
    target.carried.insert(name);
    target.known.erase(name);
    target.done = false;
}

/* What a part of a local variable was before the step: what stays is not said. */
static std::string step_before(step_reading &reading, int from, const std::string &name)
{
    const step_found &place = reading.places[from];
    const auto known = place.known.find(name);
    return place.carried.count(name) != 0 ? "my." + name
           : known == place.known.end()   ? "0"
                                          : step_number(known->second);
}

/* The rule is the one of a choice, if one was asked for. */
static std::string step_chosen(bool choice, bool asked)
{
    return !asked ? "" : choice ? " (choice 1)" : " (choice 0)";
}

static void step_run_once(step_reading &reading, int from, bool choice, bool *asked)
{
    const int pc = step_main_pc(reading, from);
    struct step_shared shared = {};
    struct step_local my = {};
    struct check_note note = {};
    struct step_run run = {};
    step_name_variables(shared);
    step_start(reading, from, my);
    run.note = &note;
    run.frame = (const word *)&shared;
    run.choice = choice;
    step_begin_way();
    TRANSFORMED_MOVE(&run, &reading.params, &shared, &my, step_atom("me"));
    *asked = run.asked;
    if (pc != 0 && TRANSFORMED_REGION(pc) != CHECK_CRITICAL &&
        TRANSFORMED_FROM(pc) != CHECK_CRITICAL && note.label != NULL)
        reading.places[from].label = note.label;
    const std::string step =
        step_quoted(note.label) + " " + step_quoted(note.file) + " " + std::to_string(note.line);
    if (run.broken) { /* a TRUST that does not hold: it has to be shown that this cannot be */
        reading.places[from].rules.push_back({"broken", step, from, step_tested, ""});
        return;
    }
    for (const auto *local = step_locals; local->name != NULL; local++)
        if (!(my.*local->local).is_packed() && step_tested_zero(my.*local->local))
            my.*local->local = 0;
    int to = step_number_of(reading, my);
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
    std::string rule, cleared;
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        for (const auto &part :
             step_parts_of(cell->name, step_values_of[cell->name], shared.*cell->cell))
            if (part.second.text() != part.first)
                rule += " (cell " + part.first + " " + part.second.text() + ")";
    for (const auto *array = step_arrays; array->name != NULL; array++)
        rule += step_stored_in(shared.*array->array);
    rule += step_stored_in(shared.step_alive);
    step_found &target = reading.places[to];
    for (const auto *local = step_locals; local->name != NULL; local++)
        for (const auto &part : step_parts_of(
                 local->name, step_values_of[std::string("my.") + local->name], my.*local->local)) {
            const std::string before = step_subs[0].name == NULL ? "0" : step_before(reading, from, part.first);
            if (part.second.text() == "0" && before != "0")
                cleared += " " + part.first;
            else if (part.second.text() != before)
                rule += " (local " + part.first + " " + part.second.text() + ")";
            step_bring(target, part.first, part.second);
        }
    if (!cleared.empty())
        rule += " (clear" + cleared + ")";
    rule += step_chosen(choice, run.asked);
    reading.places[from].rules.push_back({"rule", step, to, step_tested, rule});
}

/* Where the last test makes no difference, it is left out. */
static void step_join_rules(std::vector<step_rule> &rules)
{
    for (size_t r = 1; STEP_ONE_BY_ONE && r < rules.size();) {
        step_rule &a = rules[r - 1], &b = rules[r];
        const bool same = a.kind == b.kind && a.step == b.step && a.to == b.to &&
                          a.effects == b.effects && !a.tested.empty() &&
                          a.tested.size() == b.tested.size() &&
                          std::equal(a.tested.begin(), a.tested.end() - 1, b.tested.begin()) &&
                          b.tested.back() == "(not " + a.tested.back() + ")";
        if (!same) {
            r++;
            continue;
        }
        a.tested.pop_back();
        rules.erase(rules.begin() + (ptrdiff_t)r);
        r = r > 1 ? r - 1 : 1;
    }
}

static void step_run_place(step_reading &reading, int pc)
{
    bool asked = false, any = false;
    step_found &place = reading.places[pc]; /* a map's elements stay where they are */
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
    step_join_rules(place.rules);
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

#define STEP_WRITE_CELL(name, values) step_write_cell(#name, word(values), shared.name);
#define STEP_WRITE_LOCAL(name, values) step_write_local(#name, word(values));
#define STEP_WRITE_CONSTANT(name, in_model, condition)                                             \
    printf("  (constant %s %s %s)\n", #name, word(in_model).text().c_str(), (condition).text.c_str());
#define STEP_TIMES_CELL(name, values) whole = whole * word(values);
#define STEP_WRITE_CELLS(name, count, values)                                                      \
    step_write_array(#name, word(count), word(values), shared.name);
#define STEP_WRITE_WITNESS(name, count, values)                                                    \
    STEP_WRITE_CELLS(name, count, values)                                                          \
    printf("  (witness %s)\n", #name);
#define STEP_WRITE_REGISTERS(name, values) step_write_array(#name, n, word(values), shared.name);
#ifndef HAS_NAMES
#define STEP_NAMES_NEEDED(name) step_cannot(std::string("an array, and no HAS_NAMES: ") + (name));
#else
#define STEP_NAMES_NEEDED(name)
#endif
#define STEP_NO_CELLS(name, ...) is_product = false;

/* That a variable is a part of one of the checker's, the lowest bits first. */
static void step_write_part(const char *of, const std::string &name)
{
    if (name != of)
        printf("  (part %s %s)\n", name.c_str(), of);
}

static void step_write_cell(const char *name, const word &values, const word &first)
{
    const auto firsts = step_parts_of(name, values, first);
    const auto ranges = step_parts_of(name, values, values);
    for (size_t part = 0; part < firsts.size(); part++) {
        printf("  (cell %s %s %s)\n", firsts[part].first.c_str(), ranges[part].second.text().c_str(),
               firsts[part].second.text().c_str());
        step_write_part(name, firsts[part].first);
    }
}

/* At first one element is this, and all others are 0: a term in the index, $e. */
static std::string step_one_at_first(const step_words_at &array)
{
    const auto *changed = array.changed();
    if (changed == NULL || changed->first == "$e" || array.values.is_packed())
        return "";
    return " (ite (= $e " + changed->first + ") " + changed->second.value.text() + " 0)";
}

/* At first all elements are 0, or what FOR_EACH has stored, or INITIAL in one of them. */
static void step_write_array(const char *name, const word &count, const word &values,
                             const step_words_at &array)
{
    STEP_NAMES_NEEDED(name)
    const std::string one = step_one_at_first(array);
    for (const auto &each : array.elements)
        if (each.first != "$e" && each.second.value.text() != each.second.before.text() &&
            (one.empty() || array.elements.count("$e") != 0))
            step_cannot(std::string("not 0 at first: ") + name);
    if (!array.stored.empty())
        step_cannot(std::string("several are not 0 at first: ") + name);
    const auto stored = array.elements.find("$e");
    const auto firsts = stored == array.elements.end()
                            ? step_parts_of(name, values, 0)
                            : step_parts_of(name, values, stored->second.value);
    const auto ranges = step_parts_of(name, values, values);
    for (size_t part = 0; part < firsts.size(); part++) {
        printf("  (array %s %s %s", firsts[part].first.c_str(), count.text().c_str(),
               ranges[part].second.text().c_str());
        if (stored != array.elements.end())
            printf(" (ite (< $e %s) %s 0)", array.each.text().c_str(),
                   firsts[part].second.text().c_str());
        else
            printf("%s", one.c_str());
        printf(")\n");
        step_write_part(name, firsts[part].first);
    }
}

static const char *step_split_word(const char *name)
{
    for (int s = 0; step_splits[s] != NULL; s++)
        if (std::string(name) == step_splits[s])
            return " split";
    return "";
}

static void step_write_local(const char *name, const word &values)
{
    for (const auto &part : step_parts_of(name, values, values)) {
        printf("  (local %s %s%s)\n", part.first.c_str(), part.second.text().c_str(),
               step_split_word(name));
        step_write_part(name, part.first);
    }
}

/* How many values are claimed; nothing where no term says it, as of a sum of n parts. */
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
    step_name_arrays(shared);
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
        printf("  (whole %s)\n", whole.text().c_str());
    else
        printf("  (uncounted)\n");
#endif
    if (step_asked != 0)
        step_cannot("what is there at first depends on a test");
    step_write_values(params);
}

/* A process may be there, with all its local variables 0. */
static void step_come(step_reading &reading, const struct step_local &my)
{
    step_found &place = reading.places[step_number_of(reading, my)];
    for (const auto *local = step_locals; local->name != NULL; local++)
        for (const auto &part :
             step_parts_of(local->name, step_values_of[std::string("my.") + local->name], 0))
            step_bring(place, part.first, 0);
}

static std::string step_tests(const step_rule &rule)
{
    std::string tests = "(when";
    for (const std::string &test : rule.tested)
        tests += " " + test;
    return tests + ")";
}

static void step_write_place(int number, int pc, const char *region, const char *from,
                             const step_found &place)
{
    printf("  (place %d %d %s %s %s", number, pc, region, from, step_quoted(place.label.c_str()).c_str());
    for (const std::string &local : place.carried)
        printf(" %s", local.c_str());
    printf(")\n");
}

static void step_write_places(const step_reading &reading)
{
    for (auto &each : reading.places) {
        const int pc = step_pc_of(each.first);
        step_write_place(each.first, pc, step_region_name(TRANSFORMED_REGION(pc)),
                         step_region_name(TRANSFORMED_FROM(pc)), each.second);
    }
    for (auto &each : reading.places)
        for (const step_rule &rule : each.second.rules)
            printf("  (%s %d %d %s %s%s)\n", rule.kind.c_str(), each.first, rule.to,
                   rule.step.c_str(), step_tests(rule).c_str(), rule.effects.c_str());
}

#if STEP_ONE_BY_ONE /* most files have none, and are compiled sooner */
/* Where there are subroutines: the place in the innermost one that has been called, and from where
 * it was called. A sub is listed after those that it calls. */
struct step_split_place {
    int place, context;
};

struct step_called {
    std::map<std::pair<size_t, step_place>, int> place; /* by the sub (0: none) and its place */
    std::map<std::vector<step_place>, int> context;     /* by what is around that */
    std::map<int, step_split_place> of;
};

static void step_split_places(const step_reading &reading, step_called &called)
{
    for (const auto &each : reading.places) {
        std::vector<step_place> around = each.second.within;
        size_t sub = 1;
        while (sub < around.size() && around[sub] == 0)
            sub++;
        const bool main = sub == around.size();
        const std::pair<size_t, step_place> inner = {main ? 0 : sub, around[main ? 0 : sub]};
        if (main)
            around.assign(around.size(), 0); /* context 0 */
        else
            around[sub] = 0;
        const int place = called.place.insert({inner, (int)called.place.size()}).first->second;
        const int context =
            called.context.insert({around, (int)called.context.size()}).first->second;
        called.of[each.first] = {place, context};
    }
}

/* The labels of the calls that a context is made of. */
static void step_write_calls(size_t number, const std::vector<step_place> &around)
{
    struct step_local my;
    for (size_t s = 0; s < around.size(); s++) {
        const step_place *pc = s == 0 ? &my.pc : &(my.*step_subs[s - 1].pc);
        const auto found =
            step_call_labels.find({(size_t)((const char *)pc - (const char *)&my), (int)around[s]});
        if (around[s] != 0 && found != step_call_labels.end())
            printf("  (call %zu %s)\n", number, step_quoted(found->second.c_str()).c_str());
    }
}

static void step_write_called_places(const step_reading &reading, const step_called &called)
{
    for (size_t number = 0; number < called.place.size(); number++) {
        for (const auto &inner : called.place) {
            if ((size_t)inner.second != number)
                continue;
            step_found all;
            for (const auto &each : reading.places) {
                if (called.of.at(each.first).place != (int)number)
                    continue;
                all.label = each.second.label;
                all.carried.insert(each.second.carried.begin(), each.second.carried.end());
                for (const auto &known : each.second.known)
                    if (known.second != 0)
                        all.carried.insert(known.first);
            }
            const int pc = (int)inner.first.second;
            const char *region = inner.first.first == 0 ? step_region_name(step_region(pc)) : "called";
            step_write_place((int)number, pc, region, region, all);
            if (inner.first.first != 0)
                printf("  (sub %zu %zu)\n", number, inner.first.first);
        }
    }
    printf("  (subs");
    for (const auto *sub = step_subs; sub->name != NULL; sub++)
        printf(" %s", sub->name);
    printf(")\n");
    for (size_t number = 0; number < called.context.size(); number++) {
        for (const auto &around : called.context) {
            if ((size_t)around.second != number)
                continue;
            printf("  (context %zu %s", number, step_region_name(step_region((int)around.first[0])));
            for (const step_place at : around.first)
                printf(" %d", (int)at);
            printf(")\n");
            step_write_calls(number, around.first);
        }
    }
    for (const auto &each : reading.places) {
        const step_split_place of = called.of.at(each.first);
        printf("  (at %d %d", of.place, of.context);
        for (const std::string &local : each.second.carried)
            printf(" %s", local.c_str());
        for (const auto &known : each.second.known)
            if (known.second != 0)
                printf(" (%s %s)", known.first.c_str(), step_number(known.second).c_str());
        printf(")\n");
    }
}

/* A step within a subroutine is one rule, from wherever that was called. */
static void step_write_called(const step_reading &reading)
{
    step_called called;
    std::vector<std::string> order;
    std::map<std::string, std::set<int>> in; /* each rule without it: the contexts */
    step_split_places(reading, called);
    step_write_called_places(reading, called);
    for (const auto &each : reading.places) {
        const step_split_place from = called.of[each.first];
        for (const step_rule &rule : each.second.rules) {
            const step_split_place to = called.of[rule.to];
            std::string text = "(" + rule.kind + " " + std::to_string(from.place) + " " +
                               std::to_string(to.place) + " " + rule.step + " " + step_tests(rule) +
                               rule.effects;
            if (to.context != from.context)
                text += " (to " + std::to_string(to.context) + ")";
            if (in.count(text) == 0)
                order.push_back(text);
            in[text].insert(from.context);
        }
    }
    for (const std::string &text : order) {
        printf("  %s (in", text.c_str());
        for (const int context : in[text])
            printf(" %d", context);
        printf("))\n");
    }
}
#endif

#ifdef HAS_DEATH
/* What a death does, wherever the process is: it has nothing left, and its registers are dead. */
static void step_write_death(struct step_params params)
{
    struct step_shared shared = {};
    struct step_local my = {};
    struct step_run run = {};
    step_name_variables(shared);
    run.frame = (const word *)&shared;
    params.fault = STEP_FAULT_DEATH;
    step_begin_way();
    step_fail(&run, &params, &shared, &my, step_atom("me"));
    if (step_asked != 0)
        step_cannot("what a death does depends on a test");
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        if ((shared.*cell->cell).text() != step_named(cell->name).text())
            step_cannot(std::string("a death changes a cell: ") + cell->name);
    printf("  (dies");
    for (const auto *array = step_arrays; array->name != NULL; array++)
        printf("%s", step_stored_in(shared.*array->array).c_str());
    printf(")\n");
}
#endif

static void step_write_variant(unsigned variant)
{
    step_reading reading;
    reading.params.n = step_atom("n");
    reading.params.l = step_atom("l");
    reading.params.k = step_atom("k");
    reading.params.limit = step_atom("limit");
    reading.params.variant = variant;
    step_begin_way();
    step_find_values(&reading.params);
    struct step_local begins = {};
    step_come(reading, begins);
#ifdef HAS_REVIVAL
    begins.pc = STEP_PC_DEAD;
    step_come(reading, begins);
#endif
    while (step_run_some(reading))
        continue;
    printf("(variant %u\n", variant);
#ifdef HAS_NAMES
    printf("  (names)\n");
#endif
    step_write_variables(&reading.params);
#if STEP_ONE_BY_ONE
    if (step_subs[0].name != NULL)
        step_write_called(reading);
    else
#endif
        step_write_places(reading);
#ifdef HAS_DEATH
    step_write_death(reading.params);
#endif
    struct step_shared shared = {};
    step_name_variables(shared);
    step_said.clear();
    step_begin_way();
#ifdef HAS_PROOF
    step_proves = true;
    step_proof(&reading.params, &shared);
#ifdef HAS_MORE_PROOF
    step_more_proof(&reading.params, &shared);
#endif
    if (step_asked != 0)
        step_cannot("PROOF decides by a test; say implies(a, b), or ONE(a)");
    step_proves = false;
#endif
    for (const std::string &said : step_said)
        printf("  %s\n", said.c_str());
#ifdef HAS_SLOT
    struct step_local my = {};
    for (const auto *local = step_locals; local->name != NULL; local++)
        my.*local->local = step_named(std::string("my.") + local->name);
    step_begin_way();
    printf("  (holds %s)\n", step_holds(&reading.params, &shared, &my, step_atom("me")).text().c_str());
    if (step_asked != 0)
        step_cannot("HOLDS decides by a test");
#endif
#ifdef HAS_SLOTS
    step_begin_way();
    printf("  (slots %s)\n", step_slots(&reading.params, &shared).text().c_str());
    if (step_asked != 0)
        step_cannot("SLOTS decides by a test");
#endif
    printf(")\n");
}

#define STEP_NO_LOCAL_ARRAY(name, count, values)                                                   \
    step_cannot("a local variable is an array: " #name);

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
