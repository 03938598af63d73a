/*
 * The third reading of a protocol file (rules.hh): `word` is a type whose operations build terms,
 * and `cond` one whose tests ask which way to go. C++ is used for this at build time alone.
 *
 * A word is a linear combination of atoms: sum of coefficient * atom, and a constant. So +, - and
 * multiplication by a number are exact in the integers, as in arithmetic modulo 2^64 wherever the
 * result is in range; that it is, where it is compared, divided or stored, is for the prover to
 * show (src/prove/wellformed.c). Nothing is simplified that would hide such a place.
 *
 * A word of several parts (PACKED), which the program keeps in the bits of one number, is a tuple
 * of such words. A number is a tuple too: of itself and 0 in all other parts.
 */
#ifndef BERTH_STEP_TERM_HH
#define BERTH_STEP_TERM_HH

#include "step/standard.hh"

struct step_unreadable {
    std::string why;
};

[[noreturn]] static inline void step_cannot(const std::string &why)
{
    throw step_unreadable{why};
}

/* A linear combination; atoms are known by how they are written. */
struct step_linear {
    std::map<std::string, int64_t> of;
    int64_t constant = 0;
    std::vector<uint32_t> parts;    /* of a tuple, the lowest bits first; otherwise empty */
    std::vector<std::string> names; /* of the parts, where how many values each has is declared */
};

/* Words and conditions are numbers into these tables, so that both are trivial types: the sections
 * jump over declarations. Word 0 is the constant 0. */
static inline std::vector<step_linear> &step_words()
{
    static std::vector<step_linear> words(1);
    return words;
}

static inline uint32_t step_new_word(const step_linear &linear)
{
    step_words().push_back(linear);
    return (uint32_t)step_words().size() - 1;
}

struct cond;

struct word {
    uint32_t id;
    word() = default;
    template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
    word(T number)
    {
        step_linear linear;
        linear.constant = (int64_t)number;
        id = linear.constant == 0 ? 0 : step_new_word(linear);
    }
    inline word(const cond &condition); /* 1 or 0 */
    const step_linear &linear() const
    {
        if (id >= step_words().size())
            step_cannot("a variable is used before it is set");
        return step_words()[id];
    }
    bool is_number() const { return linear().of.empty() && linear().parts.empty(); }
    bool is_packed() const { return !linear().parts.empty(); }
    inline bool asked_not_0() const;
    /* Where C wants a number, it must be one; where it wants a truth, it is not 0. */
    template <class T, class = std::enable_if_t<std::is_integral_v<T>>> explicit operator T() const
    {
        if constexpr (std::is_same_v<T, bool>)
            return asked_not_0();
        if (!is_number())
            step_cannot("a value that is not known is used as a number: " + text());
        return (T)linear().constant;
    }
    std::string text() const;
    inline word &operator+=(const word &other);
    inline word &operator-=(const word &other);
    inline word &operator*=(const word &other);
    inline word operator++(int);
    inline word operator--(int);
    inline word &operator++();
    inline word &operator--();
};

static inline std::string step_number(int64_t number)
{
    return number < 0 ? "(- " + std::to_string(-number) + ")" : std::to_string(number);
}

inline std::string word::text() const
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
        terms += " " + (part.second == 1
                            ? part.first
                            : "(* " + step_number(part.second) + " " + part.first + ")");
    }
    if (of.constant != 0 || count == 0) {
        count++;
        terms += " " + step_number(of.constant);
    }
    return count == 1 ? terms.substr(1) : "(+" + terms + ")";
}

static inline word step_word(const step_linear &linear)
{
    word made;
    made.id = linear.of.empty() && linear.parts.empty() && linear.constant == 0
                  ? 0
                  : step_new_word(linear);
    return made;
}

enum { STEP_MAX_TEXT = 1 << 16 }; /* a loop may make a term that doubles each time */

/* A variable, or anything else that is not linear, by how it is written. */
static inline word step_atom(const std::string &text)
{
    step_linear linear;
    if (text.size() > STEP_MAX_TEXT)
        step_cannot("a term is too large");
    linear.of[text] = 1;
    return step_word(linear);
}

/* ---- several in one ---- */

static inline word step_packed(std::initializer_list<word> parts)
{
    step_linear made;
    for (const word &part : parts)
        made.parts.push_back(part.id);
    return step_word(made);
}

/* How many values the parts of a variable have, by name. */
struct step_named_part {
    const char *name;
    word values;
};
static inline word step_parts(std::initializer_list<step_named_part> parts)
{
    step_linear made;
    for (const step_named_part &part : parts) {
        made.parts.push_back(part.values.id);
        made.names.push_back(part.name);
    }
    return step_word(made);
}

static inline word step_part(const word &of, size_t which)
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

#define PACKED(...) step_packed({__VA_ARGS__})
#define PART(w, which) step_part((w), (which))
#define PARTS(...) step_parts({__VA_ARGS__})
#define UNBOUNDED step_atom("limit") /* the checker's alone: see src/prove/read.c */
#define CONSTANT(name) step_atom(#name)

static inline word step_combine(const word &a, const word &b, int64_t times)
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

static inline word step_times(const word &a, const word &b)
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
            const std::string product = "(* " + (swap ? y.first + " " + x.first
                                                      : x.first + " " + y.first) + ")";
            sum = step_combine(sum, step_atom(product), x.second * y.second);
        }
    const int64_t a_number = a_part.constant, b_number = b_part.constant;
    a_part.constant = b_part.constant = 0;
    sum = step_combine(sum, step_word(b_part), a_number);
    sum = step_combine(sum, step_word(a_part), b_number);
    return step_combine(sum, a_number * b_number, 1);
}

static inline word step_divide(const char *how, const word &a, const word &b)
{
    if (a.is_number() && b.is_number() && a.linear().constant >= 0 && b.linear().constant > 0)
        return how[0] == 'd' ? a.linear().constant / b.linear().constant
                             : a.linear().constant % b.linear().constant;
    return step_atom(std::string("(") + how + " " + a.text() + " " + b.text() + ")");
}

/* ---- conditions ---- */

struct cond {
    std::string text;
    int known;       /* 0 or 1, or -1: it depends */
    word equal_to_0; /* of an equation, or not: left less right; otherwise 0 */
    word at_least_0; /* of an order, or not: what is so if it is; otherwise 0 */
    word left = 0, right = 0; /* its sides */
    char joined = 0; /* & or |: of these two */
    std::vector<cond> both;
    cond(bool value) : text(value ? "true" : "false"), known(value), equal_to_0(0), at_least_0(0) {}
    cond(const std::string &how, int value)
        : text(how), known(value), equal_to_0(0), at_least_0(0)
    {
    }
    cond(const std::string &how, const word &less)
        : text(how), known(-1), equal_to_0(less), at_least_0(0)
    {
    }
    cond(char symbol, const std::string &how, const cond &a, const cond &b)
        : text(how), known(-1), equal_to_0(0), at_least_0(0), joined(symbol), both{a, b}
    {
    }
    inline operator bool() const; /* also where a protocol keeps what came out in a bool */
};

/* Which way a test goes in this run: the runner asks for one way after the other (end_rules.hh). */
static inline bool step_ask(const cond &condition);

/* Where there are subroutines, steps make many tests. Then they are asked one by one, as in C, and
 * a test that the earlier ones decide is not asked. */
#ifdef SUBS
#define STEP_ONE_BY_ONE 1
#else
#define STEP_ONE_BY_ONE 0
#endif

inline cond::operator bool() const
{
    if (known >= 0)
        return known == 1;
    if (STEP_ONE_BY_ONE && joined == '&')
        return (bool)both[0] && (bool)both[1];
    if (STEP_ONE_BY_ONE && joined == '|')
        return (bool)both[0] || (bool)both[1];
    return step_ask(*this);
}

inline word::word(const cond &condition)
{
    *this = condition.known >= 0 ? word(condition.known)
                                 : step_atom("(ite " + condition.text + " 1 0)");
}

/* Never negative, whatever the variables are: they are not. */
static inline bool step_surely_natural(const word &a)
{
    for (const auto &part : a.linear().of)
        if (part.second < 0)
            return false;
    return a.linear().constant >= 0;
}

static bool step_proves; /* PROOF speaks of integers, where 0 - 1 is below 0 */

/* A number below 0 is a large one in C, larger than what it is compared with. */
static inline bool step_is_large(const word &a)
{
    return !step_proves && a.is_number() && a.linear().constant < 0;
}

static inline cond step_compare(const char *how, const word &a, const word &b)
{
    int known = -1;
    if (step_is_large(a) != step_is_large(b) &&
        step_surely_natural(step_is_large(a) ? b : a))
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

static inline cond step_not(const cond &a);
static inline cond step_both(const cond &a, const cond &b);

static inline cond step_equal(const word &a, const word &b)
{
    const word &packed = a.is_packed() ? a : b;
    cond all = true;
    if (!packed.is_packed())
        return step_compare("=", a, b);
    for (size_t part = 0; part < packed.linear().parts.size(); part++)
        all = step_both(all, step_equal(step_part(a, part), step_part(b, part)));
    return all;
}

static inline cond step_not(const cond &a)
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
    if (STEP_ONE_BY_ONE && a.joined != 0) {
        made.joined = a.joined == '&' ? '|' : '&';
        made.both = {step_not(a.both[0]), step_not(a.both[1])};
    }
    return made;
}

static inline cond step_both(const cond &a, const cond &b)
{
    if (a.known == 0 || (a.known == 1 && b.known == 0))
        return cond(false);
    if (a.known == 1)
        return b;
    return b.known == 1 ? a : cond('&', "(and " + a.text + " " + b.text + ")", a, b);
}

static inline cond step_either(const cond &a, const cond &b)
{
    if (a.known == 1 || (a.known == 0 && b.known == 1))
        return cond(true);
    if (a.known == 0)
        return b;
    return b.known == 0 ? a : cond('|', "(or " + a.text + " " + b.text + ")", a, b);
}

/* Each operator for words and for a word with a number on either side. */
#define STEP_OPERATOR(type, symbol, made)                                                          \
    static inline type operator symbol(const word &a, const word &b) { return made; }              \
    template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>       \
    static inline type operator symbol(const word &a, T number)                                    \
    {                                                                                              \
        const word b = number;                                                                     \
        return made;                                                                               \
    }                                                                                              \
    template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>       \
    static inline type operator symbol(T number, const word &b)                                    \
    {                                                                                              \
        const word a = number;                                                                     \
        return made;                                                                               \
    }
STEP_OPERATOR(word, +, step_combine(a, b, 1))
STEP_OPERATOR(word, -, step_combine(a, b, -1))
STEP_OPERATOR(word, *, step_times(a, b))
STEP_OPERATOR(word, /, step_divide("div", a, b))
STEP_OPERATOR(word, %, step_divide("mod", a, b))
STEP_OPERATOR(cond, ==, step_equal(a, b))
STEP_OPERATOR(cond, !=, step_not(step_equal(a, b)))
STEP_OPERATOR(cond, <, step_compare("<", a, b))
STEP_OPERATOR(cond, <=, step_compare("<=", a, b))
STEP_OPERATOR(cond, >, step_compare("<", b, a))
STEP_OPERATOR(cond, >=, step_compare("<=", b, a))

inline bool word::asked_not_0() const
{
    return (bool)(*this != 0);
}

/* Bits are for numbers. */
#define STEP_BITS(symbol)                                                                          \
    STEP_OPERATOR(word, symbol, word((uint64_t)a symbol(uint64_t) b))
STEP_BITS(&)
STEP_BITS(|)
STEP_BITS(<<)
STEP_BITS(>>)
static inline word operator~(const word &a)
{
    return word(~(uint64_t)a);
}

/* Both sides are written down, the right one for where the left one does not decide:
 * wellformed.c. */
#define STEP_CONNECTIVE(symbol, made)                                                              \
    static inline cond operator symbol(const cond &a, const cond &b) { return made(a, b); }        \
    static inline cond operator symbol(const cond &a, bool b) { return made(a, b); }               \
    static inline cond operator symbol(bool a, const cond &b) { return made(a, b); }
STEP_CONNECTIVE(&&, step_both)
STEP_CONNECTIVE(||, step_either)
static inline cond operator!(const cond &a)
{
    return step_not(a);
}

inline word &word::operator+=(const word &other)
{
    return *this = *this + other;
}
inline word &word::operator-=(const word &other)
{
    return *this = *this - other;
}
inline word &word::operator*=(const word &other)
{
    return *this = *this * other;
}
inline word word::operator++(int)
{
    const word before = *this;
    *this += 1;
    return before;
}
inline word word::operator--(int)
{
    const word before = *this;
    *this -= 1;
    return before;
}
inline word &word::operator++()
{
    return *this += 1;
}
inline word &word::operator--()
{
    return *this -= 1;
}

typedef word step_size;
/* Where C wants a number and nothing depends on it: 0 for what is not known. */
static inline uint64_t step_known(const word &value)
{
    return value.is_number() ? (uint64_t)value.linear().constant : 0;
}
#define STEP_NUMBER(value) step_known(value)
#define STEP_WORDS(name, count) step_words_at name

/* A variable, or the tuple of its parts: `written` says how, given ".part" or nothing. */
template <class Written> static inline word step_variable_of(const word &values, Written written)
{
    if (!values.is_packed())
        return step_atom(written(std::string()));
    const std::vector<std::string> names = values.linear().names;
    step_linear made;
    for (const std::string &name : names)
        made.parts.push_back(step_atom(written("." + name)).id);
    return step_word(made);
}

static uint32_t step_each_count; /* of the FOR_EACH that is being read: a word */

/* An array. A step may read several elements and change several, one after the other: which are the
 * same depends on their indices, so that what is found after a change depends on whether it is the
 * one that was changed. */
struct step_words_at {
    struct element {
        word value, before;
    };
    std::string name; /* end_rules.hh gives it, */
    word values;      /* and this, where an element has several parts */
    word each;        /* how many were stored by FOR_EACH */
    std::map<std::string, element> elements; /* since the last of these changes: */
    std::vector<std::pair<std::string, std::string>> stored; /* index and value, in their order */
    std::string taken_out; /* where, and the length before it; or empty */
    const std::map<std::string, element>::value_type *changed() const
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
    /* Another element is used than the one that was changed. */
    void settle()
    {
        if (values.is_packed())
            step_cannot("a step uses an element of " + name + " after it changed another");
        stored.push_back({changed()->first, changed()->second.value.text()});
        elements.clear();
    }
    word found_after(const std::string &index) const
    {
        std::string found = "(@ " + name + " " + index + ")";
        for (const auto &store : stored)
            found = store.first == index ? store.second
                                         : "(ite (= " + index + " " + store.first + ") " +
                                               store.second + " " + found + ")";
        return step_atom(found);
    }
    word &operator[](const word &at)
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
            elements[index].value = elements[index].before = step_variable_of(
                values, [&](const std::string &part) { return "(@ " + name + part + " " + index + ")"; });
        return elements[index].value;
    }
    const word &operator[](const word &at) const
    {
        return (*const_cast<step_words_at *>(this))[at];
    }
};

/* As in sequence.h. */
static inline void step_unchanged(const step_words_at &sequence)
{
    if (sequence.changed() != NULL || !sequence.stored.empty() || !sequence.taken_out.empty())
        step_cannot("a step looks through " + sequence.name + " after it changed it");
}

static inline word step_position(const step_words_at &sequence, const word &length,
                                 const word &value)
{
    step_unchanged(sequence);
    return step_atom("(position " + sequence.name + " " + length.text() + " " + value.text() + ")");
}

static inline void step_take_out(step_words_at &sequence, const word &length, const word &at)
{
    step_unchanged(sequence);
    sequence.taken_out = at.text() + " " + length.text();
}

/* To the prover no number, but what it stands for (src/prove/names_next.c). */
static inline word step_sequences(const word &n)
{
    if (n.text() != "n")
        step_cannot("sequences of numbers that are not below n");
    return step_atom("|sequences:n|");
}

#define private private_variables /* a name in headers; end_rules.hh takes this back */

#endif
