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
 *
 * What depends on no protocol is compiled once for all of them (tools/rules --precompile): this
 * header, and word.cc. So no macro of it stays defined, and what can be in word.cc is there.
 */
#ifndef BERTH_STEP_WORD_HH
#define BERTH_STEP_WORD_HH

#include "step/standard.hh"

struct step_unreadable {
    std::string why;
};

[[noreturn]] void step_cannot(const std::string &why);
[[noreturn]] void step_cannot(const char *why);

/* A linear combination; atoms are known by how they are written. */
struct step_linear {
    std::map<std::string, int64_t> of;
    int64_t constant;
    std::vector<uint32_t> parts;    /* of a tuple, the lowest bits first; otherwise empty */
    std::vector<std::string> names; /* of the parts, where how many values each has is declared */
    step_linear();
    step_linear(const step_linear &other);
    step_linear &operator=(const step_linear &other);
    ~step_linear();
};

struct cond;

/* Words are numbers into a table, so that they are a trivial type: the sections jump over
 * declarations. Word 0 is the constant 0. */
struct word {
    uint32_t id;
    word() = default;
    template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
    word(T number)
    {
        set((int64_t)number);
    }
    word(const cond &condition); /* 1 or 0 */
    void set(int64_t number);
    const step_linear &linear() const;
    bool is_number() const;
    bool is_packed() const;
    bool asked_not_0() const;
    int64_t number() const; /* it must be one */
    /* Where C wants a number, it must be one; where it wants a truth, it is not 0. */
    template <class T, class = std::enable_if_t<std::is_integral_v<T>>> explicit operator T() const
    {
        if constexpr (std::is_same_v<T, bool>)
            return asked_not_0();
        else
            return (T)number();
    }
    std::string text() const;
    word &operator+=(const word &other);
    word &operator-=(const word &other);
    word &operator*=(const word &other);
    word operator++(int);
    word operator--(int);
    word &operator++();
    word &operator--();
};

std::string step_number(int64_t number);
word step_word(const step_linear &linear);

/* A variable, or anything else that is not linear, by how it is written. */
word step_atom(const std::string &text);
word step_atom(const char *text);

/* ---- several in one ---- */

word step_packed(std::initializer_list<word> parts);

/* How many values the parts of a variable have, by name. */
struct step_named_part {
    const char *name;
    word values;
};
word step_parts(std::initializer_list<step_named_part> parts);
word step_part(const word &of, size_t which);

word step_combine(const word &a, const word &b, int64_t times);
word step_times(const word &a, const word &b);
word step_divide(const char *how, const word &a, const word &b);

/* ---- conditions ---- */

struct cond {
    std::string text;
    int known;        /* 0 or 1, or -1: it depends */
    word equal_to_0;  /* of an equation, or not: left less right; otherwise 0 */
    word at_least_0;  /* of an order, or not: what is so if it is; otherwise 0 */
    word left, right; /* its sides */
    char joined;      /* & or |: of these two */
    std::vector<cond> both;
    cond(bool value);
    cond(const std::string &how, int value);
    cond(const std::string &how, const word &less);
    cond(char symbol, const std::string &how, const cond &a, const cond &b);
    cond(const cond &other);
    cond &operator=(const cond &other);
    ~cond();
    operator bool() const; /* also where a protocol keeps what came out in a bool */
};

/* Which way a test goes in this run: the runner asks for one way after the other (reading.cc). */
bool step_ask(const cond &condition);

/* Where there are subroutines, steps make many tests. Then they are asked one by one, as in C, and
 * a test that the earlier ones decide is not asked. The protocol's file says which it is. */
extern const bool step_one_by_one;

/* Never negative, whatever the variables are: they are not. */
bool step_surely_natural(const word &a);

extern bool step_proves; /* PROOF speaks of integers, where 0 - 1 is below 0 */

cond step_compare(const char *how, const word &a, const word &b);
cond step_equal(const word &a, const word &b);
cond step_not(const cond &a);
cond step_both(const cond &a, const cond &b);
cond step_either(const cond &a, const cond &b);

/* Each operator for words and for a word with a number on either side. */
#define STEP_OPERATOR(type, symbol, made)                                                          \
    static inline type operator symbol(const word &a, const word &b)                               \
    {                                                                                              \
        return made;                                                                               \
    }                                                                                              \
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

/* Bits are for numbers. */
#define STEP_BITS(symbol) STEP_OPERATOR(word, symbol, word((uint64_t)a symbol(uint64_t) b))
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
    static inline cond operator symbol(const cond &a, const cond &b)                               \
    {                                                                                              \
        return made(a, b);                                                                         \
    }                                                                                              \
    static inline cond operator symbol(const cond &a, bool b)                                      \
    {                                                                                              \
        return made(a, b);                                                                         \
    }                                                                                              \
    static inline cond operator symbol(bool a, const cond &b)                                      \
    {                                                                                              \
        return made(a, b);                                                                         \
    }
STEP_CONNECTIVE(&&, step_both)
STEP_CONNECTIVE(||, step_either)
static inline cond operator!(const cond &a)
{
    return step_not(a);
}

#undef STEP_OPERATOR
#undef STEP_BITS
#undef STEP_CONNECTIVE

/* Where C wants a number and nothing depends on it: 0 for what is not known. */
uint64_t step_known(const word &value);

/* A variable, or the tuple of its parts: `written` says how, given ".part" or nothing. */
word step_variable_of(const word &values,
                      const std::function<std::string(const std::string &)> &written);

extern uint32_t step_each_count; /* of the FOR_EACH that is being read: a word */

/* An array. A step may read several elements and change several, one after the other: which are the
 * same depends on their indices, so that what is found after a change depends on whether it is the
 * one that was changed. */
struct step_words_at {
    struct element {
        word value, before;
    };
    std::string name;                        /* end_rules.hh gives it, */
    word values;                             /* and this, where an element has several parts */
    word each;                               /* how many were stored by FOR_EACH */
    std::map<std::string, element> elements; /* since the last of these changes: */
    std::vector<std::pair<std::string, std::string>> stored; /* index and value, in their order */
    std::string taken_out; /* where, and the length before it; or empty */
    step_words_at();
    step_words_at(const step_words_at &other);
    step_words_at &operator=(const step_words_at &other);
    ~step_words_at();
    const std::map<std::string, element>::value_type *changed() const;
    void settle(); /* another element is used than the one that was changed */
    word found_after(const std::string &index) const;
    word &operator[](const word &at);
    const word &operator[](const word &at) const;
};

/* As in sequence.h. */
word step_position(const step_words_at &sequence, const word &length, const word &value);
void step_take_out(step_words_at &sequence, const word &length, const word &at);
/* To the prover no number, but what it stands for (src/prove/names_next.c). */
word step_sequences(const word &n);

#endif
