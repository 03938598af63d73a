/* What words and conditions do: see word.hh. */
#include "step/word.hh"

void step_cannot(const std::string &why)
{
    throw step_unreadable{why};
}

void step_cannot(const char *why)
{
    step_cannot(std::string(why));
}

step_linear::step_linear() : constant(0)
{
}
step_linear::step_linear(const step_linear &other) = default;
step_linear &step_linear::operator=(const step_linear &other) = default;
step_linear::~step_linear() = default;

/* ---- words ---- */

static std::vector<step_linear> &step_words()
{
    static std::vector<step_linear> words(1);
    return words;
}

static uint32_t step_new_word(const step_linear &linear)
{
    step_words().push_back(linear);
    return (uint32_t)step_words().size() - 1;
}

void word::set(int64_t number)
{
    step_linear linear;
    linear.constant = number;
    id = number == 0 ? 0 : step_new_word(linear);
}

const step_linear &word::linear() const
{
    if (id >= step_words().size())
        step_cannot("a variable is used before it is set");
    return step_words()[id];
}

bool word::is_number() const
{
    return linear().of.empty() && linear().parts.empty();
}

bool word::is_packed() const
{
    return !linear().parts.empty();
}

int64_t word::number() const
{
    if (!is_number())
        step_cannot("a value that is not known is used as a number: " + text());
    return linear().constant;
}

std::string step_number(int64_t number)
{
    return number < 0 ? "(- " + std::to_string(-number) + ")" : std::to_string(number);
}

std::string word::text() const
{
    const step_linear &of = linear();
    std::string terms;
    unsigned count = 0;
    if (is_packed()) { /* no term: what is written are its parts */
        for (const uint32_t part : of.parts) {
            word each;
            each.id = part;
            terms += " " + each.text();
        }
        return "(packed" + terms + ")";
    }
    for (const auto &part : of.of) {
        count++;
        terms +=
            " " + (part.second == 1 ? part.first
                                    : "(* " + step_number(part.second) + " " + part.first + ")");
    }
    if (of.constant != 0 || count == 0) {
        count++;
        terms += " " + step_number(of.constant);
    }
    return count == 1 ? terms.substr(1) : "(+" + terms + ")";
}

word step_word(const step_linear &linear)
{
    word made;
    made.id = linear.of.empty() && linear.parts.empty() && linear.constant == 0
                  ? 0
                  : step_new_word(linear);
    return made;
}

static const size_t STEP_MAX_TEXT = 1 << 16; /* a loop may make a term that doubles each time */

word step_atom(const std::string &text)
{
    step_linear linear;
    if (text.size() > STEP_MAX_TEXT)
        step_cannot("a term is too large");
    linear.of[text] = 1;
    return step_word(linear);
}

word step_atom(const char *text)
{
    return step_atom(std::string(text));
}

/* ---- several in one ---- */

word step_packed(std::initializer_list<word> parts)
{
    step_linear made;
    for (const word &part : parts)
        made.parts.push_back(part.id);
    return step_word(made);
}

word step_parts(std::initializer_list<step_named_part> parts)
{
    step_linear made;
    for (const step_named_part &part : parts) {
        made.parts.push_back(part.values.id);
        made.names.push_back(part.name);
    }
    return step_word(made);
}

word step_part(const word &of, size_t which)
{
    word part = 0;
    if (of.is_packed() && which < of.linear().parts.size())
        part.id = of.linear().parts[which];
    else if (of.is_packed())
        step_cannot("a word has no such part: " + of.text());
    else if (which == 0)
        part = of;
    if (!of.is_packed() && !of.is_number())
        step_cannot("a word that is not packed has no parts: " + of.text());
    return part;
}

word step_combine(const word &a, const word &b, int64_t times)
{
    if (a.is_packed() || b.is_packed())
        step_cannot("a packed word is used as a number: " + (a.is_packed() ? a : b).text());
    step_linear sum = a.linear();
    for (const auto &part : b.linear().of)
        if ((sum.of[part.first] += times * part.second) == 0)
            sum.of.erase(part.first);
    sum.constant += times * b.linear().constant;
    return step_word(sum);
}

word step_times(const word &a, const word &b)
{
    if (a.is_number())
        return step_combine(0, b, a.linear().constant);
    if (b.is_number())
        return step_combine(0, a, b.linear().constant);
    word sum = 0; /* distributed, so that equal products look equal */
    step_linear a_part = a.linear(), b_part = b.linear(); /* copies: new terms move old ones */
    for (const auto &x : a_part.of)
        for (const auto &y : b_part.of) {
            const bool swap = x.first == "n" || (y.first != "n" && y.first < x.first);
            const std::string product =
                "(* " + (swap ? y.first + " " + x.first : x.first + " " + y.first) + ")";
            sum = step_combine(sum, step_atom(product), x.second * y.second);
        }
    const int64_t a_number = a_part.constant, b_number = b_part.constant;
    a_part.constant = b_part.constant = 0;
    sum = step_combine(sum, step_word(b_part), a_number);
    sum = step_combine(sum, step_word(a_part), b_number);
    return step_combine(sum, a_number * b_number, 1);
}

word step_divide(const char *how, const word &a, const word &b)
{
    if (a.is_number() && b.is_number() && a.linear().constant >= 0 && b.linear().constant > 0)
        return how[0] == 'd' ? a.linear().constant / b.linear().constant
                             : a.linear().constant % b.linear().constant;
    return step_atom(std::string("(") + how + " " + a.text() + " " + b.text() + ")");
}

/* ---- conditions ---- */

cond::cond(bool value)
    : text(value ? "true" : "false"), known(value), equal_to_0(0), at_least_0(0), left(0), right(0),
      joined(0)
{
}

cond::cond(const std::string &how, int value)
    : text(how), known(value), equal_to_0(0), at_least_0(0), left(0), right(0), joined(0)
{
}

cond::cond(const std::string &how, const word &less)
    : text(how), known(-1), equal_to_0(less), at_least_0(0), left(0), right(0), joined(0)
{
}

cond::cond(char symbol, const std::string &how, const cond &a, const cond &b)
    : text(how), known(-1), equal_to_0(0), at_least_0(0), left(0), right(0),
      joined(symbol), both{a, b}
{
}

cond::cond(const cond &other) = default;
cond &cond::operator=(const cond &other) = default;
cond::~cond() = default;

cond::operator bool() const
{
    if (known >= 0)
        return known == 1;
    if (step_one_by_one && joined == '&')
        return (bool)both[0] && (bool)both[1];
    if (step_one_by_one && joined == '|')
        return (bool)both[0] || (bool)both[1];
    return step_ask(*this);
}

word::word(const cond &condition)
{
    *this = condition.known >= 0 ? word(condition.known)
                                 : step_atom("(ite " + condition.text + " 1 0)");
}

bool step_surely_natural(const word &a)
{
    for (const auto &part : a.linear().of)
        if (part.second < 0)
            return false;
    return a.linear().constant >= 0;
}

bool step_proves;

/* A number below 0 is a large one in C, larger than what it is compared with. */
static bool step_is_large(const word &a)
{
    return !step_proves && a.is_number() && a.linear().constant < 0;
}

cond step_compare(const char *how, const word &a, const word &b)
{
    int known = -1;
    if (step_is_large(a) != step_is_large(b) && step_surely_natural(step_is_large(a) ? b : a))
        return cond(how[0] == '<' && step_is_large(b));
    const word less = step_combine(a, b, -1);
    const int64_t by = less.linear().constant;
    if (step_surely_natural(a) && step_surely_natural(b)) {
        if (less.is_number())
            known = how[0] == '=' ? by == 0 : how[1] == '=' ? by <= 0 : by < 0;
        else if (how[0] == '=' && a.is_number() && a.linear().constant == 0 && b.text() == "n")
            known = 0; /* there is always somebody */
        else if (how[0] == '=' && b.is_number() && b.linear().constant == 0 && a.text() == "n")
            known = 0;
    }
    if (known >= 0)
        return cond(known == 1);
    const std::string text = std::string("(") + how + " " + a.text() + " " + b.text() + ")";
    if (how[0] == '=')
        return cond(text, less);
    cond order(text, -1);
    order.left = a;
    order.right = b;
    order.at_least_0 = step_combine(step_combine(0, less, -1), how[1] == '=' ? 0 : 1, -1);
    return order;
}

cond step_equal(const word &a, const word &b)
{
    const word &packed = a.is_packed() ? a : b;
    cond all = true;
    if (!packed.is_packed())
        return step_compare("=", a, b);
    for (size_t part = 0; part < packed.linear().parts.size(); part++)
        all = step_both(all, step_equal(step_part(a, part), step_part(b, part)));
    return all;
}

cond step_not(const cond &a)
{
    if (a.known >= 0)
        return cond(a.known == 0);
    cond made(a.text.rfind("(not ", 0) == 0 ? a.text.substr(5, a.text.size() - 6)
                                            : "(not " + a.text + ")",
              a.equal_to_0);
    made.left = a.left;
    made.right = a.right;
    if (a.at_least_0.id != 0) /* -x - 1 */
        made.at_least_0 = step_combine(step_combine(0, a.at_least_0, -1), 1, -1);
    if (step_one_by_one && a.joined != 0) {
        made.joined = a.joined == '&' ? '|' : '&';
        made.both = {step_not(a.both[0]), step_not(a.both[1])};
    }
    return made;
}

cond step_both(const cond &a, const cond &b)
{
    if (a.known == 0 || (a.known == 1 && b.known == 0))
        return cond(false);
    if (a.known == 1)
        return b;
    return b.known == 1 ? a : cond('&', "(and " + a.text + " " + b.text + ")", a, b);
}

cond step_either(const cond &a, const cond &b)
{
    if (a.known == 1 || (a.known == 0 && b.known == 1))
        return cond(true);
    if (a.known == 0)
        return b;
    return b.known == 0 ? a : cond('|', "(or " + a.text + " " + b.text + ")", a, b);
}

bool word::asked_not_0() const
{
    return (bool)(*this != 0);
}

word &word::operator+=(const word &other)
{
    return *this = *this + other;
}

word &word::operator-=(const word &other)
{
    return *this = *this - other;
}

word &word::operator*=(const word &other)
{
    return *this = *this * other;
}

word word::operator++(int)
{
    const word before = *this;
    *this += 1;
    return before;
}

word word::operator--(int)
{
    const word before = *this;
    *this -= 1;
    return before;
}

word &word::operator++()
{
    return *this += 1;
}

word &word::operator--()
{
    return *this -= 1;
}

uint64_t step_known(const word &value)
{
    return value.is_number() ? (uint64_t)value.linear().constant : 0;
}

/* ---- arrays ---- */

word step_variable_of(const word &values,
                      const std::function<std::string(const std::string &)> &written)
{
    if (!values.is_packed())
        return step_atom(written(std::string()));
    const std::vector<std::string> names = values.linear().names;
    step_linear made;
    for (const std::string &name : names)
        made.parts.push_back(step_atom(written("." + name)).id);
    return step_word(made);
}

uint32_t step_each_count;

step_words_at::step_words_at() : values(0), each(0)
{
}
step_words_at::step_words_at(const step_words_at &other) = default;
step_words_at &step_words_at::operator=(const step_words_at &other) = default;
step_words_at::~step_words_at() = default;

const std::map<std::string, step_words_at::element>::value_type *step_words_at::changed() const
{
    const std::map<std::string, element>::value_type *found = NULL;
    for (const auto &each : elements)
        if (each.second.value.text() != each.second.before.text()) {
            if (found != NULL)
                step_cannot("a step changes two elements of " + name + " by pointers");
            found = &each;
        }
    return found;
}

void step_words_at::settle()
{
    if (values.is_packed())
        step_cannot("a step uses an element of " + name + " after it changed another");
    stored.push_back({changed()->first, changed()->second.value.text()});
    elements.clear();
}

word step_words_at::found_after(const std::string &index) const
{
    std::string found = "(@ " + name + " " + index + ")";
    for (const auto &store : stored)
        found = store.first == index ? store.second
                                     : "(ite (= " + index + " " + store.first + ") " +
                                           store.second + " " + found + ")";
    return step_atom(found);
}

word &step_words_at::operator[](const word &at)
{
    const std::string index = at.text();
    if (index == "$e")
        each.id = step_each_count;
    if (!taken_out.empty())
        step_cannot("a step uses an element of " + name + " after it took one out");
    if (changed() != NULL && changed()->first != index)
        settle();
    if (elements.count(index) == 0 && !stored.empty())
        elements[index].value = elements[index].before = found_after(index);
    if (elements.count(index) == 0)
        elements[index].value = elements[index].before =
            step_variable_of(values, [&](const std::string &part) {
                return "(@ " + name + part + " " + index + ")";
            });
    return elements[index].value;
}

const word &step_words_at::operator[](const word &at) const
{
    return (*const_cast<step_words_at *>(this))[at];
}

static void step_unchanged(const step_words_at &sequence)
{
    if (sequence.changed() != NULL || !sequence.stored.empty() || !sequence.taken_out.empty())
        step_cannot("a step looks through " + sequence.name + " after it changed it");
}

word step_position(const step_words_at &sequence, const word &length, const word &value)
{
    step_unchanged(sequence);
    return step_atom("(position " + sequence.name + " " + length.text() + " " + value.text() + ")");
}

void step_take_out(step_words_at &sequence, const word &length, const word &at)
{
    step_unchanged(sequence);
    sequence.taken_out = at.text() + " " + length.text();
}

word step_sequences(const word &n)
{
    if (n.text() != "n")
        step_cannot("sequences of numbers that are not below n");
    return step_atom("|sequences:n|");
}
