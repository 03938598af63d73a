/*
 * The system under check, as the checker sees it: n processes, packed states of fixed size, and a
 * function from one state to its successors. The checker knows no paper and no notation.
 *
 * A packed state is `words` 64-bit words. Bit 63 of each word is always set in a state, so that an
 * all-zero word means "not written yet" to the state set; 63 bits of each word carry data.
 *
 * Edges. A state has `kinds` * n edge slots. Slot e is a move of process e % n, of kind e / n. Kind
 * 0 is a step of its program; of a dead process, its revival. Kind 1 is, where the model has
 * choices, the same next step of the process with the other outcome of a choice that it makes, such
 * as that of a waiter to give up; it exists only in states where the step asks for a choice. The
 * last kind is a fault where the model has faults.
 */
#ifndef BERTH_CHECK_MODEL_H
#define BERTH_CHECK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CHECK_MAX_PROCESSES = 16,
    CHECK_MAX_WORDS =
        47, /* not a multiple of 8: rows of states for all edges would share cache sets */
    CHECK_MAX_EDGES = 64,
    CHECK_MAX_CELLS = 160,
    CHECK_MAX_RANKED = 16,
};

#define CHECK_PRESENT (UINT64_C(1) << 63)

enum check_region {
    CHECK_REMAINDER,
    CHECK_DOORWAY, /* trying, in the bounded part before the waiting room */
    CHECK_WAITING, /* trying, past the doorway */
    CHECK_CRITICAL,
    CHECK_EXIT,
    CHECK_DEAD,       /* killed: does not move until it is revived */
    CHECK_SUPERVISOR, /* no region at all: see `supervisors` below */
};

/* A bit field of a packed state. */
struct check_field {
    uint8_t word;
    uint8_t shift;
    uint64_t mask;   /* before shifting */
    uint64_t values; /* it holds 0 .. values - 1 */
};

/* One shared variable. `index` is its place in an array, or -1; `owner` the only process that
 * writes it, or -1. In a compact model the fields of cells with an owner are not used. */
struct check_cell {
    const char *name;
    int index;
    int owner;
    struct check_field field;
};

enum check_access {
    CHECK_NO_ACCESS,
    CHECK_READ,
    CHECK_WRITE,
    CHECK_UPDATE,
    CHECK_FAULT,
    CHECK_ALL, /* an update of several cells in one step; compare the states to see which */
};

/* What an access does to stores that wait in a buffer (step/tso.c). */
enum check_ordering {
    CHECK_PLAIN,         /* nothing */
    CHECK_LATE,          /* a store that the program lets wait */
    CHECK_ATOMIC,        /* a read-modify-write, whether it changes anything or not */
    CHECK_ATOMIC_CHANGE, /* the same, but the program only reads if nothing changes */
};

/* What one move did, for a person to read. */
struct check_note {
    const char *label;
    enum check_access access;
    int cell;         /* which shared variable was accessed, or -1 */
    uint64_t value;   /* what was read or written; for an update the value written */
    uint64_t old;     /* for a write or update: the value before */
    const char *file; /* where the source says so; NULL: it is no step of a program */
    unsigned line;
    enum check_ordering ordering;
    const char *says; /* NULL, or what to print in place of the access */
    const char
        *slip;   /* NULL, or what the process does that it must not do: "stores 5 into V, ..." */
    bool barred; /* it is no edge because a limit keeps the process in its remainder */
    unsigned point, outcome; /* of the source that it went through (coverage.h); 0: none */
};

/* Sets of edges. */
struct check_moves {
    uint64_t exist;
    uint64_t change; /* of those, the ones that lead to another state; the rest are busy waits */
    bool error;      /* a value left its declared range; nothing else is defined */
    bool barred;     /* a limit keeps some process in its remainder: this is not the whole graph */
};

/* What is ranked (Singh 1993): processes, or things such as the slots of a buffer. */
enum check_colour { CHECK_WHITE, CHECK_GREY, CHECK_BLACK }; /* no rank, asking for one, ranked */

struct check_ranks {
    unsigned count;
    uint8_t colour[CHECK_MAX_RANKED]; /* enum check_colour */
    uint16_t lower[CHECK_MAX_RANKED]; /* lower[u], bit v: u has a lower rank than v */
    uint16_t served; /* things whose turn it is; not used where they are processes */
};

/* A property that the file states of every process (stated.c). */
enum check_own_kind {
    CHECK_ALWAYS,
    CHECK_NEVER,
    CHECK_AFTER,  /* p leads to q; this and what follows is about infinite runs */
    CHECK_RECURS, /* always eventually q: the same with a p that is always true */
};
enum { CHECK_MAX_OWN = 16 };
struct check_own_property {
    enum check_own_kind kind;
    const char *name;
};

struct check_coverage;

struct check_model {
    unsigned n, l, k;
    unsigned words;
    unsigned kinds;
    unsigned
        supervisors;   /* this many of the last processes have no regions and never stop; properties
                          are about the others, the workers */
    const char *agent; /* what a supervisor is called, before its number; NULL: it is the one */
    bool has_choice;   /* kind 1 is a step with the other outcome of a choice */
    bool has_fault;    /* the last kind is a fault */
    bool anonymous;    /* processes are interchangeable: no identity in any shared or local value */
    bool kills;        /* the fault is a kill: it leads to CHECK_DEAD, and a step leads back */
    bool comes_back;   /* a killed process does not stay dead for ever in an admissible schedule */
    bool more_than_parts; /* a state is more than its cells and the local states of its processes */
    bool one_variable; /* the cells are the parts of one variable: its values are counted whole */
    bool
        own_steps; /* a process is enabled if steps of its own are sure to lead it into its critical
                        region, however many; else, if the next one is (see enabling.c) */

    /* Process p's local state is at block[p]. A block of more than 63 bits spans words; then the
     * model is not used with symmetry. Its low bits, those of `region_mask`, tell the region. */
    struct check_field block[CHECK_MAX_PROCESSES];
    unsigned block_words;
    bool has_rest; /* the second word of a block is not behind the first, but a part of another */
    struct check_field rest[CHECK_MAX_PROCESSES];
    uint64_t region_mask;
    const uint8_t *region[CHECK_MAX_PROCESSES]; /* enum check_region, by those bits */

    bool local_moves; /* what a process does next, and to which cell, depends on its own local state
                         and registers alone; and so does its fault */

    unsigned cells;
    struct check_cell cell[CHECK_MAX_CELLS + 1]; /* the last is no cell */

    unsigned points; /* of the source, at most as many as there can be; else there are none */
    bool (*is_point)(const struct check_model *model, unsigned point); /* or is it something else */

    unsigned invariants;
    const char *const *invariant_name; /* as many as there are invariants; or NULL */

    unsigned own_properties;
    struct check_own_property own_property[CHECK_MAX_OWN];

    bool first_come;   /* fifo: nobody enters before i has left again (FCFS of Singh 1993) */
    bool ranks_things; /* `ranks` is not about processes, but about other things */

    void (*initial)(const struct check_model *model, uint64_t *state);

    /* The moves from `state`. The successor along edge e is written to out + e * words, where it
     * differs from `state`. */
    struct check_moves (*expand)(const struct check_model *model, const uint64_t *state,
                                 uint64_t *out);

    /* The same, where `expand` leads to one of the states that are exchanges of each other, and how
     * the processes are exchanged for that: process p of `state` is process to[e * n + p] after the
     * move along edge e. NULL: nothing can be said, or nothing is exchanged. */
    struct check_moves (*expand_exchanging)(const struct check_model *model, const uint64_t *state,
                                            uint64_t *out, uint8_t *to);
    const struct check_model *named; /* then, the same without exchanges: it makes witnesses */

    /* What the move along `edge` does; the successor is written to `out`, also where the move is no
     * edge because nothing would change, or may not be made. False: no such edge. */
    bool (*describe)(const struct check_model *model, const uint64_t *state, unsigned edge,
                     uint64_t *out, struct check_note *note);

    /* What a complete exploration came across, where the model itself knows; else NULL. */
    void (*cover)(const struct check_model *model, struct check_coverage *coverage);

    /* The set of invariants that `state` violates; NULL where there are none. */
    uint64_t (*violated)(const struct check_model *model, const uint64_t *state);

    /* Which conditions hold of process p, one bit for each property that the file states: always or
     * never this, and after it that. NULL where it states none. */
    void (*own)(const struct check_model *model, const uint64_t *state, unsigned p, uint64_t *first,
                uint64_t *second);

    /* The set of processes whose public variable says that they compete; NULL: those that try. */
    uint64_t (*active)(const struct check_model *model, const uint64_t *state);

    /* The processes that p, which waits past its doorway, still waits for, as the model says: a set
     * that does not grow while p waits, and that is smaller than l if and only if p is enabled.
     * NULL where the model does not say. */
    uint64_t (*ahead)(const struct check_model *model, const uint64_t *state, unsigned p);

    /* The slot that process p, which is critical, holds; NULL where slots have no numbers. */
    unsigned (*slot)(const struct check_model *model, const uint64_t *state, unsigned p);

    /* How many states are exchanges of this one, itself included, where `expand` leads to one of
     * them only; NULL: it is the only one. */
    uint64_t (*orbit)(const struct check_model *model, const uint64_t *state);

    /* Whether the processes of the set `inside` must not be critical at once in `state`; NULL: more
     * than l of them must not. A process that is not in the set does not matter. */
    bool (*clash)(const struct check_model *model, const uint64_t *state, uint64_t inside);

    /* Ranks and what they are for; NULL where nothing is ranked. */
    void (*ranks)(const struct check_model *model, const uint64_t *state,
                  struct check_ranks *ranks);

    /* How many slots there are in `state`; NULL: always l. */
    unsigned (*slots)(const struct check_model *model, const uint64_t *state);

    /* Whether the move along `edge` is a remote reference of the process that makes it; NULL where
     * they are not counted. */
    bool (*remote)(const struct check_model *model, const uint64_t *state, unsigned edge);

    /* The values of all cells in `state`. */
    void (*cell_values)(const struct check_model *model, const uint64_t *state, uint64_t *values);

    /* The local state of process p without its registers, `block_words` words at most. */
    void (*local_state)(const struct check_model *model, const uint64_t *state, unsigned p,
                        uint64_t *local);

    /* Writes a value of cell `c` as its protocol names it. */
    void (*show)(const struct check_model *model, unsigned c, uint64_t value, char *text,
                 size_t size);

    /* Writes the local variables of process p that are not 0, such as "MAIN=1 BUFF=2". */
    void (*show_local)(const struct check_model *model, const uint64_t *state, unsigned p,
                       char *text, size_t size);
};

/* How many bits hold 0 .. values - 1. */
static inline unsigned check_bits_for(uint64_t values)
{
    unsigned bits = 0;
    while (bits < 64 && values > UINT64_C(1) << bits)
        bits++;
    return bits;
}

/* A word of a state. Code for states of one word, or of two, does not index an array, so that the
 * state can be kept in registers. */
#ifndef STEP_STATE_WORDS
#define CHECK_STATE_WORD(state, index) ((state)[index])
#elif STEP_STATE_WORDS == 1
#define CHECK_STATE_WORD(state, index) ((void)(index), (state)[0])
#else
#define CHECK_STATE_WORD(state, index) ((index) == 0 ? (state)[0] : (state)[1])
#endif

static inline uint64_t check_get_at(const uint64_t *state, const struct check_field *field)
{
    return CHECK_STATE_WORD(state, field->word) >> field->shift & field->mask;
}

static inline void check_put_at(uint64_t *state, const struct check_field *field, uint64_t value)
{
    const uint64_t in = CHECK_STATE_WORD(state, field->word);
    const uint64_t with = (in & ~(field->mask << field->shift)) | (value << field->shift);
#ifndef STEP_STATE_WORDS
    state[field->word] = with;
#elif STEP_STATE_WORDS == 1
    state[0] = with;
#else
    state[0] = field->word == 0 ? with : state[0];
    state[1] = field->word == 0 ? state[1] : with;
#endif
}

#ifdef STEP_DEVICE /* its compiler copies a structure byte by byte */
#define check_get(state, field) check_get_at((state), &(field))
#define check_put(state, field, value) check_put_at((state), &(field), (value))
#else
static inline uint64_t check_get(const uint64_t *state, struct check_field field)
{
    return check_get_at(state, &field);
}

static inline void check_put(uint64_t *state, struct check_field field, uint64_t value)
{
    check_put_at(state, &field, value);
}
#endif

static inline enum check_region check_region_of(const struct check_model *model,
                                                const uint64_t *state, unsigned p)
{
    const struct check_field *block = &model->block[p];
    return (enum check_region)
        model->region[p][CHECK_STATE_WORD(state, block->word) >> block->shift & model->region_mask];
}

/* The processes that have regions: all except supervisors. They are numbered first. */
static inline unsigned check_workers(const struct check_model *model)
{
    return model->n - model->supervisors;
}

/* The trying region T and the exit region E of the papers. */
static inline bool check_trying(enum check_region region)
{
    return region == CHECK_DOORWAY || region == CHECK_WAITING;
}

/* Regions as the papers' properties see them: the doorway is a part of the trying region. */
static inline enum check_region check_paper_region(enum check_region region)
{
    return region == CHECK_DOORWAY ? CHECK_WAITING : region;
}

/* The edges that are steps of the programs, whatever is chosen: all but the faults. */
static inline uint64_t check_step_edges(const struct check_model *model)
{
    return (UINT64_C(1) << (model->has_choice ? 2 : 1) * model->n) - 1;
}

/* Of those, the ones with the other outcome of a choice. */
static inline uint64_t check_choice_edges(const struct check_model *model)
{
    return check_step_edges(model) & ~((UINT64_C(1) << model->n) - 1);
}

/* Whether the processes of the set `inside` exclude each other. */
static inline bool check_clash(const struct check_model *model, const uint64_t *state,
                               uint64_t inside)
{
    if (model->clash != NULL)
        return model->clash(model, state, inside);
    return (unsigned)__builtin_popcountll(inside) > model->l;
}

static inline uint64_t check_critical_set(const struct check_model *model, const uint64_t *state)
{
    uint64_t set = 0;
    for (unsigned p = 0; p < model->n; p++)
        set |= (uint64_t)(check_region_of(model, state, p) == CHECK_CRITICAL) << p;
    return set;
}

static inline bool check_same_state(const uint64_t *a, const uint64_t *b, unsigned words)
{
    for (unsigned w = 0; w < words; w++) {
        if (a[w] != b[w])
            return false;
    }
    return true;
}

#endif
