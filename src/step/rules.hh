/*
 * The third expansion of the notation (see step.h), for `berth prove`: rules. It is the model
 * expansion, word for word, with two differences: a `word` is a term (term.hh), and what cuts off
 * an unbounded counter does nothing. Each step is then run once for each way that its tests can go
 * (end_rules.hh), and each run is a rule: what was tested, and what the variables became.
 *
 * It also has the section that the other expansions leave out:
 *
 *     #ifdef STEP_RULES
 *     PROOF
 *         INVARIANT("name", condition);
 *         ...
 *     END_PROOF
 *     #endif
 *
 * in terms of the cells by their names, and of
 *
 *     AT(label)            how many processes are about to make the step with this label
 *     IN(region)           how many are in REMAINDER, TRYING, CRITICAL or EXIT; in a
 *                          transformation, in that region of its source (IS_IN knows WAITING
 *                          too: past the doorway)
 *     TRANSFORMED_IN(region)   in a transformation, in that region of its own
 *     SUM(local)           a local variable, summed over all processes
 *     VALUE(label, local)  the same over those at this label
 *     VALUE_IN(region, local)  the same over those in a region
 *     ONE(condition)       1 if it holds, 0 if not
 *     EITHER(c, a, b)      a if c holds, b if not
 *     implies(a, b), &&, ||, !
 *
 * What else can be in it is said at the macros below.
 */
#ifndef BERTH_STEP_RULES_HH
#define BERTH_STEP_RULES_HH

#include "step/model.h"
#include "step/reading.hh"

#undef LIMIT
#define LIMIT(condition)

/* Where a step that changes nothing may be left out: here none is. The place is the model's. */
#ifdef HAS_SETTLED
#undef SETTLED
#define SETTLED(condition) STEP_SETTLED_(__COUNTER__, false)
#endif

/* A call has a label too: by the place in the section or subroutine that makes it. */
#undef CALL
#undef CALL0
#define CALL(label, sub, ...)                                                                      \
    STEP_LABELLED_CALL_(__COUNTER__, #label, sub, STEP_PASS_ON, __VA_ARGS__)
#define CALL0(label, sub) STEP_LABELLED_CALL_(__COUNTER__, #label, sub, STEP_PASS_ON)
#define STEP_LABELLED_CALL_(counter, label, sub, ...)                                              \
    do {                                                                                           \
        step_label_call((size_t)((char *)step_pc - (char *)my), (counter)-step_base, (label));    \
        STEP_CALL_(counter, sub, , , __VA_ARGS__);                                                 \
    } while (0)

/* To store what is there already is no other step. */
#undef UPDATE
#define UPDATE(label, variable, member, value)                                                     \
    do {                                                                                           \
        STEP_POINT(#label)                                                                         \
        variable = step_load(run, &step_cells->member);                                            \
        const word step_value = (value);                                                           \
        step_store(run, &step_cells->member, step_value, CHECK_UPDATE);                            \
    } while (0)

/* Things that only PROOF uses. */
#ifndef WITNESSES
#define WITNESSES(cells)
#endif
#define WITNESS(element, value) (shared->element = (value))

/* All elements at once: what is stored is a term in the index. */
#define FOR_EACH(i, count) if (const word i = step_each_up_to(count); true)

/* What PROTOCOL says is read by the prover, from the model. But for the name of one function, and
 * the fault, which tools/rules finds in this text. */
#undef STEP_PROTOCOL
#define STEP_PROTOCOL(name, ...) static const char name##_text[] = #__VA_ARGS__;

/* Names of values are for people. */
#undef SHOW
#define SHOW                                                                                       \
    template <class word>                                                                          \
    static void step_show(const struct step_params *params, const char *cell, word value,          \
                          char *text, size_t size) STEP_STATE_SECTION(void) cell;

#define AT(label) step_atom("|#" #label "|")
#define IN(region) step_atom("|#:" #region "|")
#define TRANSFORMED_IN(region) step_atom("|#!" #region "|")
#define SUM(local) step_atom("|+" #local "|")
#define VALUE(label, local) step_atom("|" #label "." #local "|")
#define VALUE_IN(region, local) step_atom("|:" #region "." #local "|")
#define ONE(condition) word(cond(condition))
#define EITHER(condition, yes, no) step_either_of((condition), (yes), (no))

#define PROOF STEP_PROOF(step_proof)
#define MORE_PROOF STEP_PROOF(step_more_proof) /* of a transformation: transform.h */
#define STEP_PROOF(name)                                                                           \
    static void name(const struct step_params *params, const struct step_shared *shared)           \
    {                                                                                              \
        const word step_me = 0;                                                                    \
        STEP_NAMES                                                                                 \
        const word I = step_atom("$i"), J = step_atom("$j"), ANY = step_atom("$k"),                \
                   ANY_TURN = step_atom("$t");                                                     \
        (void)shared, (void)I, (void)J, (void)ANY, (void)ANY_TURN;                                 \
        STEP_CELLS(STEP_PROOF_CELL, STEP_PROOF_CELLS, STEP_PROOF_REGISTERS)                        \
        WITNESSES(STEP_PROOF_CELLS)
#define END_PROOF }
#define STEP_PROOF_CELL(name, values)                                                              \
    const word name = shared->name;                                                                \
    (void)name;
#define STEP_PROOF_CELLS(name, count, values) const step_words_at &name = shared->name;
#define STEP_PROOF_REGISTERS(name, values) const step_words_at &name = shared->name;

/* Where processes are told apart (HAS_NAMES), arrays are written as in the protocol, and an
 * invariant holds for every process I, every process J that is not I, and every number ANY in it.
 * ANY_TURN is any number too: it is for numbers that are divided by a CONSTANT. */
#define IS_AT(p, label) step_is_1_of("|@" #label "|", (p))
#define IS_IN(p, region) step_is_1_of("|@:" #region "|", (p))
/* In this subroutine, or in one that is called from it. */
#define IS_WITHIN(p, sub) step_is_1_of("|@/" #sub "|", (p))
/* In what was called by the call with this label, or called from there. */
#define IS_CALLED_AT(p, label) step_is_1_of("|@^" #label "|", (p))
#define IS_TRANSFORMED_IN(p, region) step_is_1_of("|@!" #region "|", (p))
#define MINE(p, local) step_local_of(#local, (p))
#define IS_ALIVE(p) step_is_1_of("alive", (p))
#define IS_PROCESS(p) (0 <= word(p) && word(p) < n)
/* How two processes cannot both be critical: if I and J were, ANY from 1 to n - 1 would each give
 * another process that is neither. */
#define CROWD(term) step_say_words("crowd", {term})
/* How more than l processes cannot be critical: I, which is, has this number, which is below l, and
 * no other critical process has the same. */
#define SEAT(term) HELD_ALONE(term)
#define HELD_ALONE(term) step_say_words("seat", {term}) /* where a protocol has seats of its own */

/* No deadlock, where processes are told apart. Each process has a number, by where it is and by its
 * local variables, which is less after each of its steps that changes something but no region: */
#define RANK_OF_EACH(term) step_say_words("each", {term})
/* and whenever somebody is outside its remainder, one that is can change something. A process I
 * that cannot is kept waiting by this process, which is outside its remainder and has less,
 * lexicographically, of the rest of the list: */
#define BLOCKED_BY(...) step_say_words("blocked", {__VA_ARGS__})
/* or those outside the remainder (in a transformation: of its source) have numbers, each another,
 * that are less than there are of them; so that one has 0. Where that one cannot change something,
 * or there is none, there is somebody at a place from which nothing keeps it. */
#define NUMBERED(number) step_say_words("numbered", {number})
/* No lockout, where I's place and local variables alone say which process J it is BLOCKED_BY:
 * once J has been in its remainder, this holds of the two until I makes its next step, whatever the
 * others do, and by that step I can change something. */
#define RELEASED(condition) step_say_cond("released", "", (condition))
/* First come, first served: while I waits past its doorway and J has been in its remainder since,
 * which BEHIND says, this holds of the two. */
#define ORDER_INVARIANT(name, condition) step_say_cond("order", name, (condition))
#define BEHIND step_is_1("$behind")
/* First come, first enabled, where enabling is in own steps. A process I that waits past its
 * doorway is enabled if this holds. Whatever others do, it goes on to hold; and each of I's own
 * steps, unless I chooses to give up, lowers the tuple of natural numbers, lexicographically, or
 * leads to the critical region. No step of another makes the tuple higher. What ORDER_INVARIANT
 * says is then about an I that waits in its trying region; where I is not enabled, J is not
 * critical. */
#define ENABLED(condition) step_say_cond("enabled", "", (condition))
#define OWN_RANK(...) step_say_words("own", {__VA_ARGS__})
/* The same where a process is enabled if its next step enters, whatever others do before it: then
 * there is no tuple. As many are enabled as there are slots for: I, where it is critical or
 * enabled, has a SEAT to itself; and where somebody waits who is not enabled, every number ANY
 * below l is the SEAT of this process, which is critical or enabled. */
#define TAKEN_BY(process) step_say_words("taken", {process})
/* No slot is lost: processes that go on one after the other, each of them alone, fill the slots.
 * Where I alone makes steps, outside its remainder and its critical region, and gives up where it
 * may, each step lowers this tuple, or leads to one of the two, or to where I is ENABLED: */
#define LEAVES_ALONE(...) step_say_words("leaves", {__VA_ARGS__})
/* and where everybody else that is alive is in its remainder or critical, and VACANT is a slot that
 * no critical process holds, I comes from its remainder to its critical region, or to where it is
 * ENABLED, without giving up: each of its steps lowers this tuple and keeps what it KNOWS_ALONE. */
#define ENTERS_ALONE(...) step_say_words("enters", {__VA_ARGS__})
#define KNOWS_ALONE(name, condition) step_say_cond("alone", name, (condition))
#define VACANT step_atom("$w")
/* No deadlock, where no one process keeps another waiting. No step that changes no region raises
 * these two tuples together, lexicographically: the first is of where the process that moves is and
 * of its local variables, the second of shared variables. So there comes a time from which on both
 * stay as they are. */
#define FALLS_FOR_EACH(...) step_say_words("falls-each", {__VA_ARGS__})
#define FALLS_FOR_ALL(...) step_say_words("falls-all", {__VA_ARGS__})
/* Then a process that leaves comes out: its own steps lower what LEAVES_ALONE says, and those of
 * others do not raise it. In the same way a process that tries, and of which this holds, enters or
 * gives up: */
#define LET_IN(condition) step_say_cond("let-in", "", (condition))
#define LET_IN_RANK(...) step_say_words("let-in-rank", {__VA_ARGS__})
/* and where everybody tries, rests or is dead, and nobody is let in, a process that tries comes to
 * be let in. */
#define TRYING_RANK(...) step_say_words("trying-rank", {__VA_ARGS__})

/* How many elements of an array, which is 0 at first, have this value: counted with each store. */
#define HOW_MANY(array, value) step_how_many((array).name, (value))

/* Is taken for granted in every state, and named in docs/PROOFS.md: it is not shown. */
#define ASSUMED(name, condition) step_say_cond("assumed", name, (condition))
/* No more than `limit` numbers are in low .. high - 1, if any are: each of them, ANY_TURN, has this
 * `hole`, a number from 0 to limit - 1, and no two have the same. Shown is what is said of the
 * holes. */
#define PIGEONHOLES(name, low, high, hole, limit)                                                  \
    step_say_pigeonholes(name, {low, high, hole, limit})
/* Holds in every state: at first, and after each step if before it. */
#define INVARIANT(name, condition) step_say_cond("invariant", name, (condition))
/* The same, of a process that waits (T or E) and another, and of how often the other one has gone
 * from its remainder to its critical region since: */
#define WAITING_INVARIANT(name, condition) step_say_cond("waiting", name, (condition))
#define WAITER(label) step_is_at("w", #label)
#define OTHER(label) step_is_at("o", #label)
#define WAITER_IN(region) step_is_at("w", ":" #region)
#define OTHER_IN(region) step_is_at("o", ":" #region)
#define WAITER_TRANSFORMED_IN(region) step_is_at("w", "!" #region)
#define OTHER_TRANSFORMED_IN(region) step_is_at("o", "!" #region)
#define ENTRIES_SO_FAR step_atom("entries")
#define RETURNED_SINCE step_is_1("returned") /* J has been in its remainder */
#ifndef ENTRIES /* a transformation says what they are to its source */
#define ENTRIES ENTRIES_SO_FAR
#define RETURNED RETURNED_SINCE
#endif
/* What becomes less with each process that begins to try; a transformation says what that is. */
#ifndef YET_TO_COME
#define YET_TO_COME IN(REMAINDER)
#endif
/* Lexicographically less after each step that changes something but no region. */
#define RANK(...) step_say_words("rank", {__VA_ARGS__})
/* In a transformation: this goes before the rank of the source. */
#define MORE_RANK(...) step_say_words("before", {__VA_ARGS__})
/* While a process waits, in T or E: lexicographically never more after a step, and less after each
 * step that changes something; but where somebody is the HELPER, only its steps have to make it
 * less, and all others may leave it (and the helper) as it is. RANK is taken to follow, where there
 * is no helper. */
#define LOCKOUT_RANK(...) step_say_words("lockout", {__VA_ARGS__})
/* Where the condition holds, the process that is about to make the step with this label. */
#define HELPER(label, condition) step_say_cond("helper", #label, (condition))


#define uint64_t word /* `values` may give a term; end_rules.hh takes this back */
/* As in step.h. */
static inline void step_clear_local(struct step_local *my)
{
    *my = (struct step_local){0};
}

static inline void step_copy_local(struct step_local *to, const struct step_local *from)
{
    *to = *from;
}

#endif
