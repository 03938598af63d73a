/*
 * The notation. A protocol file reads like the figure in its paper and is compiled twice: as native
 * code over C11 atomics (STEP_NATIVE) and as a function from one packed state to the next
 * (STEP_MODEL). A file has this shape:
 *
 *     #define NAME ticket                             the C name
 *     #define CELLS(cell, cells, registers)           shared variables:
 *         cell(V, n + 6)                                one, holding 0 .. n+5
 *         cells(F, l, 4)                                an array of l, each holding 0 .. 3
 *         registers(S, 4)                               one for each process, written by it alone
 *     #define LOCALS(local) local(u, 4)               local variables, each holding 0 .. 3
 *     #define LOCAL_ARRAYS(array) array(q, l, 4)      local arrays, if there are any
 *     #define PRIVATE(local, array)                   variables of the supervisor alone, if there
 *                                                     is one:
 *         local(pc, 5) array(line, l, 4)                X->pc, X->line[i]
 *     #define SUBS(sub) sub(race)                     subroutines, if there are any
 *     #define HOMES(home) home(flag, i)               where memory is distributed, flag[i] lives
 *                                                     with process i (any expression of i and n);
 *                                                     registers live with their owner, and what is
 *                                                     not named here with nobody
 *     #define HAS_DOORWAY                             if DOORWAY and WAITING stand for ENTRY
 *     #define HAS_DEATH                               if there is a DEATH section
 *     #define HAS_ACTIVE                              if there is an ACTIVE section
 *     #define HAS_INVARIANTS                          if there is an INVARIANTS section
 *     #define HAS_INITIAL                             if not every cell is 0 at first
 *     #define HAS_SHOW                                if values have names
 *     #define HAS_MEMORY                              if local variables survive the remainder
 *     #define HAS_REVIVAL                             if there is a REVIVAL section
 *     #define HAS_CHOICE                              if MAY is used
 *     #define HAS_SLOT                                if there is a HOLDS section
 *     #define HAS_SLOTS                               if there is a SLOTS section
 *     #define HAS_NORMAL                              if there is a NORMAL section
 *     #define HAS_ORBIT                               if there is an ORBIT section
 *     #define HAS_SETTLED                             if SETTLED is used (it takes HAS_NORMAL)
 *     #define HAS_TRUST                               if TRUST is used
 *     #define HAS_LOCK                                if the cells are the parts of one variable
 *                                                     that is accessed by LOCK alone
 *     #define HAS_SUPERVISOR                          if there is a SUPERVISOR section
 *     #define HAS_NORMAL_CHOICE                       if MAY is used in NORMAL
 *     #define HAS_CLASH                               if there is a CLASH section
 *     #define HAS_RANKS                               if there is a RANKS section
 *     #define HAS_AHEAD                               if there is an AHEAD section
 *     #define HAS_HISTORY                             if RECORD is used
 *     #define HAS_PROMISES                            if BROKEN is used
 *     #define HAS_PROOF                               if there is a PROOF section, for `berth
 *                                                     prove`
 *     #define SPLITS(local) local(u)                  local variables by which PROOF tells places
 *                                                     apart: whether they are 0 (see rules.hh)
 *     #define HAS_PROPERTIES                          if there is a PROPERTIES section
 *     #define HAS_OWNED_CELLS                         if OWN is used of cells, which the algorithm
 *                                                     gives to one process at a time; else it is of
 *                                                     registers only
 *     #include "step/step.h"
 *
 *     SUB(race, word j) ... END_SUB(race)
 *     DOORWAY ... END   WAITING ... END               or   ENTRY ... END
 *     EXIT ... END
 *     DEATH ... END
 *     REVIVAL ... END                                 what a killed process does when it comes
 *                                                     back, before it rests; a part of the exit
 *                                                     region. By goto CRITICAL it is critical
 *                                                     again, by goto TRYING it goes on with WAITING
 *     SUPERVISOR(label) ... END_SUPERVISOR            one step of a process without regions, which
 *                                                     is made again for ever; it is the whole of
 *                                                     it, in terms of V and X (the notation needs
 *                                                     HAS_LOCK)
 *     PROOF ... END_PROOF                             what holds for every n, in #ifdef STEP_RULES:
 *                                                     see rules.hh and docs/PROOFS.md
 *     PROTOCOL(...)                                   name, citation, claims: see protocol.h
 *     #include "step/end.h"
 *
 * Words for one step, that is one atomic access to shared memory with the local work after it. The
 * first argument is the label, as in the paper; it is printed in witnesses.
 *
 *     READ(label, variable, cell)                     variable := cell
 *     WRITE(label, cell, value)                       cell := value
 *     WRITE_LATE(label, cell, value)                  the same; others may see it late, up to the
 *                                                     next step that is more than a READ: say why
 *     AWAIT(label, name, cell, condition)             repeat name := cell until condition
 *     TEST(label, name, cell)                         the papers' test-and-set: name is the value
 *         ON(condition, value, action...);            found; the first alternative whose condition
 *         ON(...);                                    holds sets the cell to its value and acts; if
 *     END_TEST                                        none does, the test is made again
 *     CAS(label, done, cell, old, new)                compare-and-swap; done := whether it was old
 *     UPDATE(label, variable, cell, value)            variable := cell, and cell := value, which
 *                                                     may depend on the variable
 *     LOCK(label) ... UNLOCK                          the papers' LOCK and UNLOCK: one step, in
 *                                                     which the parts of the variable, V->cell, may
 *                                                     all be read and set. It is left by UNLOCK
 *                                                     only.
 *
 * Words for local work:
 *
 *     OWN(cell)           the process's own register, which it knows without an access
 *     FORGET(variable)    this local variable is 0 from here on
 *     CALL(label, sub, arguments...)                  a subroutine with steps of its own
 *     CALL0(label, sub)                               the same without arguments
 *     RETURN              from a subroutine
 *     goto CRITICAL       from the middle of ENTRY, DOORWAY or WAITING: to the critical region
 *     goto TRYING         from REVIVAL, where there is a DOORWAY: to the beginning of WAITING
 *     goto REMAINDER      from the middle of any of them or of EXIT: to the remainder region
 *     VARIANT(v)          whether variant v of the protocol is meant
 *     LIMIT(condition)    first thing in ENTRY or DOORWAY: where it fails, the checker does not let
 *                         the process leave its remainder (an unbounded counter is cut off there)
 *     ME, n, l, k         as in the papers, processes counted from 0
 *     POSITION(array, length, value)                  the first place of the value among the first
 *                                                     `length` words of an array; length: none
 *     TAKE_OUT(array, length, at)                     takes what is at this place out of them: what
 *                                                     follows moves up, and the last one becomes 0
 *     SEQUENCES(n)        in what .values names: how many sequences of distinct numbers below n
 *                         there are, the empty one among them
 *     FOR_EACH(i, count)  in INITIAL: for i = 0 .. count - 1, before SHARED(array[i]) = value;
 *     DIES(cell, value)   in DEATH: the register takes this value
 *     ALIVE(label, variable, p)                       variable := has p not been killed
 *     MAY(reason)         a choice of the process: the checker tries both, the program asks the
 *                         code that includes the file, by STEP_MAY_reason
 *     DUE(reason)         always true to the checker; the program asks STEP_DUE_reason
 *     PAUSE(cell)         the program may sleep, by STEP_PAUSE, at most until the cell changes;
 *                         the checker has no notion of time
 *     RELAX               before looking again in a loop of READs: the program lets others run; no
 *                         step for the checker
 *     WAKE(cell)          wakes the processes that sleep there, by STEP_WAKE; only speed may depend
 *                         on it
 *     AGAIN               for (;;) around what may fail: the program gives up, as after a false
 *                         TRUST, after a number of rounds without PAUSE or PROGRESS that no honest
 *                         run comes near to
 *     AGAIN_UP_TO(most)   the same with another number
 *     PROGRESS            in AGAIN: this round has advanced a counter, or has met a process that
 *                         did; the count of rounds starts again at 0
 *     TRUST(condition)    holds unless another process misbehaves: the checker refutes the protocol
 *                         where it fails; the program ends the call, and `my->broken` is set
 *
 * A word for the checker alone:
 *
 *     SETTLED(condition)                              right before a step: where the condition
 *                                                     holds, the step changes no cell, and leads to
 *                                                     the same place, whatever others do before it
 *                                                     is made. So it may be made at once, and
 *                                                     counts for nothing (params->abridged), unless
 *                                                     it leads to another region than the remainder
 *                                                     or asks MAY. tests/unit/test_normal.c tries
 *                                                     such claims
 *
 * Words that only describe a run; nothing depends on them:
 *
 *     RECORD(cell, value)                             sets a history variable in the step that is
 *                                                     being made; the program has none
 *     GHOST(variable, value)                          sets a local variable that only NORMAL and
 *                                                     the invariants look at: FORGET clears it
 *     WITNESS(array[i], value)                        sets what only PROOF speaks of, an array in
 *                                                     WITNESSES(cells), in the step that is being
 *                                                     made; nothing to the program and the checker
 *     BROKEN(set)                                     the invariants in the set (bit 0: the first)
 *                                                     have been broken, and stay so. The program
 *                                                     notes it in `my->failed`, for `berth stress`
 *                                                     to see
 *
 * Sections over whole states:
 *
 *     INVARIANTS          gives the set of invariants that do not hold, bit 0 for the first: given
 *                         `shared`, the local states `each[0 .. n-1]`, the set `critical`, and X if
 *                         there is a supervisor; IS_TRYING(p) and IS_CRITICAL(p) tell regions
 *     PROPERTIES          states what is also asked of every process, WHO in turn, by lines such as
 *                           ALWAYS("name", condition)
 *                           NEVER("name", condition)
 *                           AFTER("name", condition, then)    whenever the condition holds,
 *                                                             `then` holds now or later, under
 *                                                             a fair schedule; also LEADS_TO
 *                           ALWAYS_EVENTUALLY("name", then)   `then` holds again and again
 *                         given `shared`, by SHARED(cell), the local variables of process p, by
 *                         LOCAL(p, variable), its region, by IS_RESTING(p), IS_TRYING(p),
 *                         IS_WAITING(p) (past its doorway), IS_CRITICAL(p), IS_LEAVING(p), and its
 *                         next access, by AT(p, label)
 *     HOLDS               gives the slot that process ME, which is critical, holds
 *     SLOTS               gives the number of slots that there are
 *     AHEAD               gives the set of processes that ME, which waits past its doorway, waits
 *                         for; it is checked that it does not grow, and that ME is enabled iff it
 *                         has fewer than l members
 *     NORMAL              makes the state smaller where counters only matter by comparison: given
 *                         `shared` and the local states `each[0 .. n-1]`; true: it changed
 *                         something. It may ask MAY after a step that did not: then one state
 *                         stands for more than one, and both outcomes are tried
 *     ORBIT               where NORMAL exchanges processes: gives the number of states that are
 *                         exchanges of the one that NORMAL has left, itself included (exchange.h)
 *     CLASH               gives whether the processes of the set `inside` must not be critical at
 *                         once, where that is not simply l of them
 *     RANKS               fills in `ranks`: which processes are ranked, and how (check/model.h)
 *
 * A local variable is 0 in the remainder region, and a dead one must be 0: AWAIT and TEST see to
 * that for the names they bind, FORGET for the rest. A plain C variable may be used within a step,
 * to READ into and to decide by; its value is lost at the next step.
 *
 * How the model expansion works. A section is a resumable function over a switch on the saved
 * program counter. Each access is "if this step has made its access already, save this place and
 * return; place: make the access". So a step makes one access and does the local work after it, and
 * the first access of the entry code needs no step of its own. A subroutine is a function of the
 * same kind with a program counter of its own. Nothing in it calls libc, recurses, or touches a
 * global or a function pointer.
 */
#ifndef BERTH_STEP_STEP_H
#define BERTH_STEP_STEP_H

#ifdef STEP_TEXT
#include "step/bare_words.h"
#else

#include "check/model.h"
#include "step/params.h"
#include "step/protocol.h"
#include "step/sequence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SUBS
#define SUBS(sub)
#endif
#ifndef USES
#define USES(sub) true /* whether it is ever called, with these parameters */
#endif
#ifndef LOCALS
#define LOCALS(local)
#endif
#ifndef LOCAL_ARRAYS
#define LOCAL_ARRAYS(array)
#endif

struct step_run; /* model expansion: see frame.h */

enum {
    STEP_ARRAY = 64, /* room in an array of cells; frame.h has it too */
    STEP_LOCAL_ARRAY = 16,
};

/* What a transformation adds (transform.h). */
#ifndef MORE_CELLS
#define MORE_CELLS(cell, cells, registers)
#endif
#define STEP_CELLS(cell, cells, registers)                                                         \
    CELLS(cell, cells, registers)                                                                  \
    MORE_CELLS(cell, cells, registers)

#define STEP_JOIN_(a, b) a##b
#define STEP_JOIN(a, b) STEP_JOIN_(a, b)
#define STEP_STRING_(a) #a
#define STEP_STRING(a) STEP_STRING_(a)

/* Something to be known about the file (protocol.h). It ends up in a section of the object, which
 * is read as an array. */
#if defined(STEP_MODEL) && !defined(STEP_BARE) && !defined(STEP_RULES)
#define STEP_MARKS STEP_STRING(STEP_JOIN(berth_marks_, STEP_NAME))
#define STEP_MARK(word_, text_, value_)                                                            \
    do {                                                                                           \
        static const struct step_mark step_mark __attribute__((section(STEP_MARKS), used)) = {     \
            word_, text_, __FILE__, value_, __LINE__};                                             \
    } while (0)
/* The same of something that a step goes through, which is told by the note of the step. */
#define STEP_PASS_BY(member, word_, text_)                                                         \
    do {                                                                                           \
        static const struct step_mark step_mark                                                    \
            __attribute__((section(STEP_MARKS), used)) = {word_, text_, __FILE__, 0, __LINE__};    \
        if (run->note != NULL)                                                                     \
            run->note->member =                                                                    \
                (unsigned)(&step_mark - STEP_JOIN(__start_berth_marks_, STEP_NAME)) + 1;           \
    } while (0)
#else
#define STEP_MARK(word_, text_, value_) ((void)0)
#define STEP_PASS_BY(member, word_, text_) ((void)0)
#endif

/* A file that berth-lab loads is checked more strictly than the catalogue, which has been reviewed:
 * its model expansion reports mistakes that the compiler can be made to see, or that show in a
 * run. */
#if defined(STEP_OWN) && defined(STEP_MODEL)
#define STEP_OWN_MODEL
#define ME                                                                                         \
    (__extension__({                                                                               \
        STEP_MARK("ME", "", 0);                                                                    \
        step_me;                                                                                   \
    }))
#define STEP_DECLARE_ME
#define STEP_USE_ME (void)step_me
#else
#define STEP_DECLARE_ME , ME = step_me
#define STEP_USE_ME (void)ME
#endif

#include "step/needs.h"

/* Every process's local state: program counters first, then the variables. */
#define STEP_MEMBER_LOCAL(name, values) word name;
#define STEP_MEMBER_SUB(name) step_place pc_##name;
#define STEP_MEMBER_LOCAL_ARRAY(name, count, values) word name[STEP_LOCAL_ARRAY];
struct step_local {
    step_place pc;
    SUBS(STEP_MEMBER_SUB)
    LOCALS(STEP_MEMBER_LOCAL)
    LOCAL_ARRAYS(STEP_MEMBER_LOCAL_ARRAY)
#if defined(HAS_TRUST) && defined(STEP_NATIVE)
    bool broken; /* TRUST did not hold */
#endif
#if defined(TRANSFORMED) && defined(STEP_NATIVE)
    bool joins;  /* the next access is one step with something of the transformation */
#endif
#if defined(HAS_PROMISES) && defined(STEP_NATIVE)
    word failed; /* what BROKEN was told of */
#endif
};

/* A local state is words and nothing else. They are cleared, copied and compared one by one where
 * the compiler would do it byte by byte, which it does for a GPU. */
#ifndef STEP_RULES
static inline void step_clear_local(struct step_local *my)
{
#ifdef STEP_DEVICE
    for (unsigned w = 0; w < sizeof *my / sizeof(uint64_t); w++)
        ((uint64_t *)my)[w] = 0;
#else
    *my = (struct step_local){0};
#endif
}

static inline void step_copy_local(struct step_local *to, const struct step_local *from)
{
#ifdef STEP_DEVICE
    for (unsigned w = 0; w < sizeof *to / sizeof(uint64_t); w++)
        ((uint64_t *)to)[w] = ((const uint64_t *)from)[w];
#else
    *to = *from;
#endif
}

static inline bool step_same_local(const struct step_local *a, const struct step_local *b)
{
#ifdef STEP_DEVICE
    uint64_t differ = 0;
    for (unsigned w = 0; w < sizeof *a / sizeof(uint64_t); w++)
        differ |= ((const uint64_t *)a)[w] ^ ((const uint64_t *)b)[w];
    return differ == 0;
#else
    return __builtin_memcmp(a, b, sizeof *a) == 0;
#endif
}
#endif

/* The supervisor's own variables. */
#ifdef PRIVATE
struct step_private {
    PRIVATE(STEP_MEMBER_LOCAL, STEP_MEMBER_LOCAL_ARRAY)
};
#endif
#if defined(HAS_SUPERVISOR) && !(defined(PRIVATE) && defined(HAS_LOCK))
#error "a supervisor has PRIVATE variables and accesses V by LOCK"
#endif

/* A section keeps the local variables in C variables of the same names, and the arrays where they
 * are. */
#define STEP_DECLARE_LOCAL(name, values) word name = my->name;
#ifdef STEP_OWN_MODEL /* of the declared length: the compiler checks each index */
#define STEP_DECLARE_LOCAL_ARRAY(name, count, values)                                              \
    word name[(count)];                                                                            \
    STEP_LOAD_LOCAL_ARRAY(name, count, values)
#define STEP_LOAD_LOCAL_ARRAY(name, count, values)                                                 \
    for (word step_i = 0; step_i < (count); step_i++)                                              \
        name[step_i] = my->name[step_i];
#define STEP_SAVE_LOCAL_ARRAY(name, count, values)                                                 \
    for (word step_i = 0; step_i < (count); step_i++)                                              \
        my->name[step_i] = name[step_i];
#define STEP_LOAD_LOCALS                                                                           \
    LOCALS(STEP_LOAD_LOCAL)                                                                        \
    LOCAL_ARRAYS(STEP_LOAD_LOCAL_ARRAY)
#define STEP_SAVE_LOCALS                                                                           \
    LOCALS(STEP_SAVE_LOCAL)                                                                        \
    LOCAL_ARRAYS(STEP_SAVE_LOCAL_ARRAY)
#else
#define STEP_DECLARE_LOCAL_ARRAY(name, count, values)                                              \
    word *const name = my->name;                                                                   \
    (void)name;
#define STEP_LOAD_LOCALS LOCALS(STEP_LOAD_LOCAL)
#define STEP_SAVE_LOCALS LOCALS(STEP_SAVE_LOCAL)
#endif
#define STEP_LOAD_LOCAL(name, values) name = my->name;
#define STEP_SAVE_LOCAL(name, values) my->name = name;

#define STEP_NAMES                                                                                 \
    const word n = params->n, l = params->l, k = params->k STEP_DECLARE_ME;                        \
    (void)n, (void)l, (void)k, STEP_USE_ME, (void)params;                                          \
    if (n == 0) /* there is always somebody */                                                     \
        __builtin_unreachable();

#ifdef TRANSFORMED /* the variants are those of the transformation */
#define STEP_NAME TRANSFORMED
#define VARIANT(v) ((v) == 0)
#else
#define STEP_NAME NAME
#ifdef STEP_OWN_MODEL /* records the variant's name: variants[] has to agree */
#define VARIANT(v)                                                                                 \
    (__extension__({                                                                               \
        STEP_MARK("VARIANT", #v, (int)(v));                                                        \
        params->variant == (v);                                                                    \
    }))
#else
#define VARIANT(v) (params->variant == (v))
#endif
#endif
#if defined(STEP_MODEL) && !defined(STEP_BARE) && !defined(STEP_RULES)
/* The linker has put the marks into one section; it may be empty. */
extern const struct step_mark STEP_JOIN(__start_berth_marks_, STEP_NAME)[]
    __attribute__((weak, visibility("hidden")));
extern const struct step_mark STEP_JOIN(__stop_berth_marks_, STEP_NAME)[]
    __attribute__((weak, visibility("hidden")));
#endif
#define RETURN goto step_end

/* clang-format off: they open a brace and another macro closes it */
/* Sections over whole states, without accesses. */
#define STEP_STATE_SECTION                                                                         \
    {                                                                                              \
        const word step_me = 0;                                                                    \
        STEP_NAMES

#ifndef STEP_RULES
#define FOR_EACH(i, count) for (word i = 0; i < (count); i++)
#define WITNESS(element, value) ((void)0)
#endif
#define INITIAL                                                                                    \
    STEP_INITIAL_IS_THERE static inline void step_set_initial(                                     \
        const struct step_params *params, struct step_shared *shared) STEP_STATE_SECTION
#define END_INITIAL }

#define ACTIVE                                                                                     \
    STEP_ACTIVE_IS_THERE static inline bool step_active(                                           \
        const struct step_params *params, const struct step_shared *shared, word step_me)          \
    {                                                                                              \
        STEP_NAMES
#define END_ACTIVE }

struct step_private;
#define INVARIANTS                                                                                 \
    STEP_INVARIANTS_IS_THERE static inline word step_violated(                                     \
        const struct step_params *params, const struct step_shared *shared,                        \
        const struct step_local *each, uint64_t critical, const struct step_private *X)            \
        STEP_STATE_SECTION(void) each,                                                             \
        (void)critical, (void)X;
/* A process that a section over states asks about. Where the file is loaded, the program that has
 * loaded it ends if there is none. */
#if defined(STEP_OWN_MODEL) && !defined(STEP_DEVICE)
void berth_own_process(uint64_t p, uint64_t n, const char *file, unsigned line);
static inline word step_within(word p, word n, unsigned line)
{
    if (p >= n)
        berth_own_process(p, n, __BASE_FILE__, line);
    return p;
}
#define STEP_WHICH(p) step_within((p), n, __LINE__)
#else
#define STEP_WHICH(p) (p)
#endif
#ifdef STEP_MODEL /* by the program counter; the program has none */
#define IS_RESTING(p) (each[STEP_WHICH(p)].pc == 0)
#define IS_WAITING(p) (each[STEP_WHICH(p)].pc >= STEP_ENTRY - STEP_FIRST && IS_TRYING(p))
#define IS_LEAVING(p)                                                                              \
    (each[STEP_WHICH(p)].pc > STEP_EXIT - STEP_FIRST && shared->step_alive[p] != 0)
#define IS_TRYING(p) (each[STEP_WHICH(p)].pc > 0 && each[p].pc < STEP_EXIT - STEP_FIRST)
#define IS_CRITICAL(p) (each[STEP_WHICH(p)].pc == STEP_EXIT - STEP_FIRST)
#else
#define IS_RESTING(p) ((void)(p), false)
#define IS_WAITING(p) ((void)(p), false)
#define IS_LEAVING(p) ((void)(p), false)
#define IS_TRYING(p) ((void)(p), false)
#define IS_CRITICAL(p) ((void)(p), false)
#endif
#define END_INVARIANTS }

/* What the file states of every process, WHO in turn. Each line gives its conditions in this
 * state. */
struct step_look; /* a state, to look up the region of each process */
struct step_stated {
    unsigned count;
    struct check_own_property property[CHECK_MAX_OWN];
    uint64_t first, second;
};
static inline void step_state(struct step_stated *stated, enum check_own_kind kind,
                              const char *name, bool first, bool second)
{
    if (stated->count < CHECK_MAX_OWN) {
        stated->property[stated->count] = (struct check_own_property){kind, name};
        stated->first |= (uint64_t)first << stated->count;
        stated->second |= (uint64_t)second << stated->count;
    }
    stated->count++;
}
#define PROPERTIES                                                                                 \
    STEP_PROPERTIES_IS_THERE                                                                       \
    static inline void step_properties(                                                            \
        const struct step_params *params, const struct step_shared *shared,                        \
        const struct step_local *each, const struct step_look *look, const word WHO,               \
        struct step_stated *stated) STEP_STATE_SECTION(void) shared,                               \
        (void)each, (void)look, (void)WHO;
#ifdef HAS_PROPERTIES /* elsewhere these are the file's words */
#define END_PROPERTIES }
#define ALWAYS(name, condition) step_state(stated, CHECK_ALWAYS, name, (condition), true);
#define NEVER(name, condition) step_state(stated, CHECK_NEVER, name, (condition), true);
#define AFTER(name, condition, then) step_state(stated, CHECK_AFTER, name, (condition), (then));
#define LEADS_TO(name, condition, then) AFTER(name, condition, then)
#define ALWAYS_EVENTUALLY(name, then) step_state(stated, CHECK_RECURS, name, true, (then));
#define LOCAL(p, variable) (each[STEP_WHICH(p)].variable)
#if defined(STEP_MODEL) && (!defined(STEP_BARE) || defined(STEP_DEVICE))
static bool step_is_at(const struct step_look *look, word p, const char *label)
    __attribute__((unused));
#define AT(p, label)                                                                               \
    (__extension__({                                                                               \
        STEP_MARK("AT", #label, 0);                                                                \
        step_is_at(look, STEP_WHICH(p), #label);                                                   \
    }))
#else
#define AT(p, label) ((void)(p), false)
#endif
#endif

#define HOLDS                                                                                      \
    STEP_HOLDS_IS_THERE static inline word step_holds(const struct step_params *params,            \
                                                      const struct step_shared *shared,            \
                                                      const struct step_local *my, word step_me)   \
    {                                                                                              \
        STEP_NAMES(void) shared;
#define END_HOLDS }

#define AHEAD                                                                                      \
    STEP_AHEAD_IS_THERE static inline word step_ahead(const struct step_params *params,            \
                                                      const struct step_shared *shared,            \
                                                      const struct step_local *my, word step_me)   \
    {                                                                                              \
        STEP_NAMES(void) shared;
#define END_AHEAD }

#define SLOTS                                                                                      \
    STEP_SLOTS_IS_THERE static inline word step_slots(                                             \
        const struct step_params *params, const struct step_shared *shared) STEP_STATE_SECTION
#define END_SLOTS }

#define NORMAL                                                                                     \
    STEP_NORMAL_IS_THERE static inline bool step_normal(                                           \
        struct step_run *run __attribute__((unused)), const struct step_params *params,            \
        struct step_shared *shared, struct step_local *each) STEP_STATE_SECTION
#define END_NORMAL }

#define ORBIT                                                                                      \
    STEP_ORBIT_IS_THERE static inline word step_orbit(                                             \
        const struct step_params *params, const struct step_shared *shared,                        \
        const struct step_local *each) STEP_STATE_SECTION
#define END_ORBIT }

#define CLASH                                                                                      \
    STEP_CLASH_IS_THERE static inline bool step_clash(                                             \
        const struct step_params *params, const struct step_shared *shared, word inside)           \
        STEP_STATE_SECTION(void) shared;                                                           \
    (void)inside;
#define END_CLASH }

#define RANKS                                                                                      \
    STEP_RANKS_IS_THERE static inline void step_ranks(                                             \
        const struct step_params *params, const struct step_shared *shared,                        \
        const struct step_local *each, struct check_ranks *ranks) STEP_STATE_SECTION(void) each;
#define END_RANKS }

/* SHOW: writes the name of `value` in the cell called `cell` into `text`. */
#define SHOW                                                                                       \
    STEP_SHOW_IS_THERE static inline void step_show(const struct step_params *params,              \
                                                    const char *cell, word value, char *text,      \
                                                    size_t size) STEP_STATE_SECTION(void) cell;
#define END_SHOW }

/* clang-format on */

#if defined(STEP_RULES)
#include "step/rules.hh"
#elif defined(STEP_MODEL)
#include "step/model.h"
#elif defined(STEP_NATIVE)
#include "step/native.h"
#else
#error "compile a protocol with STEP_MODEL or STEP_NATIVE"
#endif

#ifdef TRANSFORMED
#define PROTOCOL(...) STEP_PROTOCOL(step_source, __VA_ARGS__)
#define TRANSFORMED_PROTOCOL(...) STEP_PROTOCOL(step_protocol, __VA_ARGS__)
#else
#define PROTOCOL(...) STEP_PROTOCOL(step_protocol, __VA_ARGS__)
#endif

#endif
#endif
