/* What is found in a protocol file, and how it is written: see reading.hh. */
#include "step/reading.hh"

/* ---- the ways that tests can go ---- */

static std::vector<bool> step_ways;          /* in this run */
static std::vector<std::string> step_tested; /* what was tested, as it came out */
static std::vector<word> step_is_0;          /* by equations that came out true */
static std::vector<word> step_is_natural;    /* by orders, and by equations */
size_t step_asked;

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
        return step_surely_at_least_0(condition.at_least_0)             ? 1
               : step_surely_at_least_0(step_not(condition).at_least_0) ? 0
                                                                        : -1;
    if (condition.equal_to_0.is_number())
        return -1;
    const word less = step_combine(condition.equal_to_0, 1, -1);
    const word more = step_combine(step_combine(0, condition.equal_to_0, -1), 1, -1);
    return step_surely_at_least_0(less) || step_surely_at_least_0(more) ? 0 : -1;
}

bool step_ask(const cond &condition)
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
    if (step_one_by_one) {
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

void step_begin_way()
{
    step_asked = 0;
    step_tested.clear();
    step_is_0.clear();
    step_is_natural.clear();
}

/* ---- variables ---- */

static const word &step_word_at(const void *in, const step_member *member)
{
    return *(const word *)((const char *)in + member->at);
}

static word &step_word_at(void *in, const step_member *member)
{
    return *(word *)((char *)in + member->at);
}

static const step_words_at &step_array_at(const void *in, const step_member *member)
{
    return *(const step_words_at *)((const char *)in + member->at);
}

static step_words_at &step_array_at(void *in, const step_member *member)
{
    return *(step_words_at *)((char *)in + member->at);
}

static const step_place &step_place_at(const void *in, size_t at)
{
    return *(const step_place *)((const char *)in + at);
}

static step_place &step_place_at(void *in, size_t at)
{
    return *(step_place *)((char *)in + at);
}

static std::map<std::string, word> step_values_of;

void step_find_none()
{
    step_values_of.clear();
}

void step_find(const char *name, const word &values)
{
    step_values_of[name] = values;
}

static word step_named(const std::string &name)
{
    return step_variable_of(step_values_of[name],
                            [&](const std::string &part) { return name + part; });
}

word step_named(const char *name)
{
    return step_named(std::string(name));
}

word step_local_of(const char *name, const word &p)
{
    return step_variable_of(
        step_values_of[std::string("my.") + name],
        [&](const std::string &part) { return "(@ |." + (name + part) + "| " + p.text() + ")"; });
}

void step_name_arrays(void *shared, step_words_at *alive)
{
    for (const auto *array = step_arrays; array->name != NULL; array++) {
        step_array_at(shared, array).name = array->name;
        step_array_at(shared, array).values = step_values_of[array->name];
    }
    alive->name = "alive";
}

void step_name_variables(void *shared, step_words_at *alive)
{
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        step_word_at(shared, cell) = step_named(cell->name);
    step_name_arrays(shared, alive);
}

void step_name_locals(void *my)
{
    for (const auto *local = step_locals; local->name != NULL; local++)
        step_word_at(my, local) = step_named(std::string("my.") + local->name);
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

/* ---- one variant ---- */

step_reading::step_reading() = default;
step_reading::~step_reading() = default;

enum { STEP_PLACE_BITS = 8 }; /* a place's number: the program counter, and above it the split */

static int step_pc_of(int place)
{
    return place & ((1 << STEP_PLACE_BITS) - 1);
}

/* The number of the place; made if need be. */
static int step_number_of(step_reading &reading, const void *my)
{
    std::vector<step_place> places = {step_place_at(my, step_pc_at)};
    if (step_subs[0].name == NULL)
        return (int)step_place_at(my, step_pc_at);
    for (const auto *sub = step_subs; sub->name != NULL; sub++)
        places.push_back(step_place_at(my, sub->at));
    const auto found = reading.number.insert({places, (int)reading.number.size()}).first;
    reading.places[found->second].within = places;
    return found->second;
}

int step_main_pc(const step_reading &reading, int place)
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

/* What is known of the variables at a place, before a step from there. */
void step_start(step_reading &reading, int from, void *my)
{
    const step_found &place = reading.places[from];
    for (const auto *local = step_locals; local->name != NULL; local++) {
        const std::string name = std::string("my.") + local->name;
        const word values = step_values_of[name];
        word atoms = step_named(name);
        if (!values.is_packed()) {
            const auto known = place.known.find(local->name);
            step_word_at(my, local) = place.carried.count(local->name) != 0 ? atoms
                                      : known == place.known.end()          ? word(0)
                                                                            : word(known->second);
            continue;
        }
        step_linear made;
        bool any = false;
        for (const auto &part : step_parts_of(local->name, values, atoms)) {
            const auto known = place.known.find(part.first);
            const bool carried = place.carried.count(part.first) != 0;
            const word now = carried                      ? part.second
                             : known == place.known.end() ? word(0)
                                                          : word(known->second);
            any |= carried || (known != place.known.end() && known->second != 0);
            made.parts.push_back(now.id);
        }
        step_word_at(my, local) = any ? step_word(made) : word(0);
    }
    step_place_at(my, step_pc_at) = (step_place)step_main_pc(reading, from);
    for (size_t s = 0; step_subs[s].name != NULL && !place.within.empty(); s++)
        step_place_at(my, step_subs[s].at) = place.within[s + 1];
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

/* Makes the rule of one run of a step, and notes what has to be known at the place that it leads
 * to. */
void step_make_rule(step_reading &reading, int from, const step_outcome &outcome)
{
    void *shared = outcome.shared, *my = outcome.my;
    if (outcome.labels)
        reading.places[from].label = outcome.label;
    const std::string step = step_quoted(outcome.label) + " " + step_quoted(outcome.file) + " " +
                             std::to_string(outcome.line);
    if (outcome.broken) { /* a TRUST that does not hold: it has to be shown that this cannot be */
        reading.places[from].rules.push_back({"broken", step, from, step_tested, ""});
        return;
    }
    for (const auto *local = step_locals; local->name != NULL; local++)
        if (!step_word_at(my, local).is_packed() && step_tested_zero(step_word_at(my, local)))
            step_word_at(my, local) = 0;
    int to = step_number_of(reading, my);
    for (int s = 0; step_splits[s] != NULL; s++) {
        for (const auto *local = step_locals; local->name != NULL; local++) {
            if (std::string(local->name) != step_splits[s])
                continue;
            if ((bool)(0 < step_word_at(my, local)))
                to |= 1 << (STEP_PLACE_BITS + s);
            else
                step_word_at(my, local) = 0;
        }
    }
    std::string rule, cleared;
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        for (const auto &part :
             step_parts_of(cell->name, step_values_of[cell->name], step_word_at(shared, cell)))
            if (part.second.text() != part.first)
                rule += " (cell " + part.first + " " + part.second.text() + ")";
    for (const auto *array = step_arrays; array->name != NULL; array++)
        rule += step_stored_in(step_array_at(shared, array));
    rule += step_stored_in(*outcome.alive);
    step_found &target = reading.places[to];
    for (const auto *local = step_locals; local->name != NULL; local++)
        for (const auto &part :
             step_parts_of(local->name, step_values_of[std::string("my.") + local->name],
                           step_word_at(my, local))) {
            const std::string before =
                step_subs[0].name == NULL ? "0" : step_before(reading, from, part.first);
            if (part.second.text() == "0" && before != "0")
                cleared += " " + part.first;
            else if (part.second.text() != before)
                rule += " (local " + part.first + " " + part.second.text() + ")";
            step_bring(target, part.first, part.second);
        }
    if (!cleared.empty())
        rule += " (clear" + cleared + ")";
    rule += step_chosen(outcome.choice, outcome.asked);
    reading.places[from].rules.push_back({"rule", step, to, step_tested, rule});
}

/* Where the last test makes no difference, it is left out. */
static void step_join_rules(std::vector<step_rule> &rules)
{
    for (size_t r = 1; step_one_by_one && r < rules.size();) {
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

void step_run_all(step_reading &reading)
{
    while (step_run_some(reading))
        continue;
}

/* A process may be there, with all its local variables 0. */
void step_come(step_reading &reading, const void *my)
{
    step_found &place = reading.places[step_number_of(reading, my)];
    for (const auto *local = step_locals; local->name != NULL; local++)
        for (const auto &part :
             step_parts_of(local->name, step_values_of[std::string("my.") + local->name], 0))
            step_bring(place, part.first, 0);
}

/* ---- what is written ---- */

/* That a variable is a part of one of the checker's, the lowest bits first. */
static void step_write_part(const char *of, const std::string &name)
{
    if (name != of)
        printf("  (part %s %s)\n", name.c_str(), of);
}

void step_write_cell(const char *name, const word &values, const word &first)
{
    const auto firsts = step_parts_of(name, values, first);
    const auto ranges = step_parts_of(name, values, values);
    for (size_t part = 0; part < firsts.size(); part++) {
        printf("  (cell %s %s %s)\n", firsts[part].first.c_str(),
               ranges[part].second.text().c_str(), firsts[part].second.text().c_str());
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
void step_write_array(const char *name, const word &count, const word &values,
                      const step_words_at &array)
{
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

void step_write_local(const char *name, const word &values)
{
    for (const auto &part : step_parts_of(name, values, values)) {
        printf("  (local %s %s%s)\n", part.first.c_str(), part.second.text().c_str(),
               step_split_word(name));
        step_write_part(name, part.first);
    }
}

void step_write_constant(const char *name, const word &in_model, const cond &condition)
{
    printf("  (constant %s %s %s)\n", name, in_model.text().c_str(), condition.text.c_str());
}

void step_write_term(const char *kind, const word &term)
{
    printf("  (%s %s)\n", kind, term.text().c_str());
}

void step_write_stores(const void *shared)
{
    for (const auto *array = step_arrays; array->name != NULL; array++)
        printf("%s", step_stored_in(step_array_at(shared, array)).c_str());
}

void step_same_cells(const void *shared)
{
    for (const auto *cell = step_cell_names; cell->name != NULL; cell++)
        if (step_word_at(shared, cell).text() != step_named(cell->name).text())
            step_cannot(std::string("a death changes a cell: ") + cell->name);
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
    printf("  (place %d %d %s %s %s", number, pc, region, from,
           step_quoted(place.label.c_str()).c_str());
    for (const std::string &local : place.carried)
        printf(" %s", local.c_str());
    printf(")\n");
}

static void step_write_places(const step_reading &reading)
{
    for (auto &each : reading.places) {
        const int pc = step_pc_of(each.first);
        step_write_place(each.first, pc, step_region_at(pc), step_region_from(pc), each.second);
    }
    for (auto &each : reading.places)
        for (const step_rule &rule : each.second.rules)
            printf("  (%s %d %d %s %s%s)\n", rule.kind.c_str(), each.first, rule.to,
                   rule.step.c_str(), step_tests(rule).c_str(), rule.effects.c_str());
}

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

static std::map<std::pair<size_t, int>, std::string> step_call_labels;

void step_label_call(size_t pc_at, int place, const char *label)
{
    step_call_labels[{pc_at, place}] = label;
}

/* The labels of the calls that a context is made of. */
static void step_write_calls(size_t number, const std::vector<step_place> &around)
{
    for (size_t s = 0; s < around.size(); s++) {
        const size_t pc_at = s == 0 ? step_pc_at : step_subs[s - 1].at;
        const auto found = step_call_labels.find({pc_at, (int)around[s]});
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
            const char *region = inner.first.first == 0 ? step_region_within(pc) : "called";
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
            printf("  (context %zu %s", number, step_region_within((int)around.first[0]));
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

void step_write_reading(const step_reading &reading)
{
    if (step_one_by_one && step_subs[0].name != NULL)
        step_write_called(reading);
    else
        step_write_places(reading);
}

/* ---- what is said in PROOF ---- */

static std::vector<std::string> step_said;

void step_write_said()
{
    for (const std::string &said : step_said)
        printf("  %s\n", said.c_str());
}

void step_say_nothing()
{
    step_said.clear();
}

void step_say_cond(const char *kind, const char *name, const cond &condition)
{
    step_said.push_back(std::string("(") + kind + " \"" + name + "\" " + condition.text + ")");
}

void step_say_words(const char *kind, std::initializer_list<word> words)
{
    std::string text = std::string("(") + kind;
    for (const word &each : words)
        text += " " + each.text();
    step_said.push_back(text + ")");
}

void step_say_pigeonholes(const char *name, std::initializer_list<word> words)
{
    step_say_words(("pigeonholes \"" + std::string(name) + "\"").c_str(), words);
}

word step_either_of(const cond &condition, const word &yes, const word &no)
{
    return condition.known >= 0
               ? condition.known == 1 ? yes : no
               : step_atom("(ite " + condition.text + " " + yes.text() + " " + no.text() + ")");
}

cond implies(const cond &a, const cond &b)
{
    return step_either(step_not(a), b);
}

word step_each_up_to(const word &count)
{
    step_each_count = count.id;
    return step_atom("$e");
}

word step_how_many(const std::string &array, const word &value)
{
    const std::string counted = "(counted " + array + ")";
    bool known = false;
    for (const std::string &said : step_said)
        known |= said == counted;
    if (!known)
        step_said.push_back(counted);
    return step_atom("(@ |many " + array + "| " + value.text() + ")");
}

cond step_is_at(const char *who, const char *place)
{
    return cond("(= |" + std::string(who) + "@" + place + "| 1)", -1);
}

cond step_is_1_of(const char *array, const word &p)
{
    return cond("(= (@ " + std::string(array) + " " + p.text() + ") 1)", -1);
}

cond step_is_1(const char *variable)
{
    return cond("(= " + std::string(variable) + " 1)", -1);
}
