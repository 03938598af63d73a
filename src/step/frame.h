/*
 * What the model expansion of every protocol shares: one run of a step over an unpacked frame, and
 * the model with its layout. Invariant of a run: at most one access is made (a death may store into
 * several registers of its own), and every store is in the journal, so that it can be packed and
 * taken back without looking at the rest of the frame; except LOCK, which takes the whole frame.
 */
#ifndef BERTH_STEP_FRAME_H
#define BERTH_STEP_FRAME_H

#include "check/model.h"
#include "step/params.h"
#include "step/protocol.h"

enum {
    STEP_MAX_STORES = 16,
    STEP_MAX_LOCALS = 96,
    STEP_MAX_PRIVATES = 64,
    STEP_MAX_OFFSETS = 1024,
    STEP_MAX_PLACES = 256,
    STEP_MAX_ARRAY = 64,
    STEP_MAX_LOCAL_ARRAY = 16,
    STEP_NO_CELL = UINT16_MAX,
};

/* What a step must not do. The run is over then, and nothing of the step is used. */
enum step_slip {
    STEP_NO_SLIP,
    STEP_SLIP_RANGE,    /* a cell, a value outside of its range */
    STEP_SLIP_REGISTER, /* a store into the register of another process */
    STEP_SLIP_INDEX,    /* an index outside of an array */
    STEP_SLIP_OWN,      /* OWN of a cell that is not the process's register */
    STEP_SLIP_LOCAL,    /* a local variable, a value outside of its range */
    STEP_SLIP_STORES,   /* more stores than there is room for */
    STEP_SLIP_TRUST,    /* TRUST does not hold */
    STEP_SLIP_REST,     /* a local variable is not 0 in the remainder, and there is no HAS_MEMORY */
    STEP_SLIP_ARGUMENT, /* of a CALL: it has changed while the subroutine runs */
    STEP_SLIP_PLACE,    /* a place that is not in this section */
    STEP_SLIP_PRIVATE,  /* a variable of the supervisor, a value outside of its range */
    STEP_SLIP_NORMAL,   /* NORMAL left a value outside of its range, or SETTLED was wrong */
    STEP_SLIP_CHOICE    /* MAY a second time in one step */
};

enum step_cells { STEP_CELL, STEP_ARRAY_OF_CELLS, STEP_REGISTERS };

struct step_stored {
    word *cell;
    word old;
};

struct step_run {
    bool moved;                /* the step has made its access */
    bool settled;              /* the step is made only if it is settled */
    bool barred;               /* LIMIT does not let the process begin */
    bool left, entered, waits; /* by goto REMAINDER, goto CRITICAL, goto TRYING */
    bool choice, asked;        /* what MAY says, and whether it was asked */
    bool broken;               /* the step must not be made: `slip` says why */
    bool all;                  /* the access is to the whole frame */
    step_place here;           /* the place of the access */
    struct check_note *note;   /* NULL unless the step is to be described to a person */
    const word *frame;         /* the first cell, for naming cells in the note */
#ifndef STEP_DEVICE
    uint8_t *to; /* NULL, or where NORMAL says which processes it has exchanged (exchange.h) */
#endif
    const struct step_model *model;
    /* The first slip: the cell as an offset in the frame, or -1; the value that was meant; and the
     * local variable, with its index or -1. */
    enum step_slip slip;
    int slip_cell, slip_index;
    word slip_value, slip_limit; /* the largest that fits */
    const char *slip_name;
    unsigned stores;
    /* The last member: what is behind `stores` of them has no value. On a GPU it lies elsewhere, so
     * that the rest can be kept in registers. */
#ifdef STEP_DEVICE
    struct step_stored *store;
#define STEP_JOURNAL(run)                                                                          \
    struct step_stored step_stored[STEP_MAX_STORES];                                               \
    (run).store = step_stored
#else
    struct step_stored store[STEP_MAX_STORES];
#define STEP_JOURNAL(run) ((void)(run))
#endif
};

/* Clears everything except the journal, which is most of it and is valid up to `stores`. */
static inline void step_run_begin(struct step_run *run)
{
    __builtin_memset(run, 0, offsetof(struct step_run, store));
}

struct step_model {
    struct check_model check; /* first: the checker's callbacks get a pointer to it */
    struct step_params params;
    const struct protocol *protocol;
    unsigned locals; /* fields of a process: program counters, then variables */
    struct check_field local[STEP_MAX_LOCALS]; /* within the block of process 0 */
    bool split;                                /* what does not fit into the block is in `rest` */
    struct check_field rest[CHECK_MAX_PROCESSES];
    const char *local_name[STEP_MAX_LOCALS];
    int local_index[STEP_MAX_LOCALS]; /* in an array, or -1 */
    unsigned privates;                /* the supervisor's variables: anywhere in the state */
    struct check_field private[STEP_MAX_PRIVATES];
    const char *private_name[STEP_MAX_PRIVATES];
    int private_index[STEP_MAX_PRIVATES];
    uint8_t no_region[STEP_MAX_PLACES]; /* CHECK_SUPERVISOR throughout */
    uint8_t region[STEP_MAX_PLACES];    /* enum check_region, by main program counter */
    unsigned own_cells; /* the file's, which come first; others say who is alive, for example */
    uint16_t offset[CHECK_MAX_CELLS];   /* of each cell in the frame, in words */
    uint16_t cell_at[STEP_MAX_OFFSETS]; /* and back; STEP_NO_CELL: there is none */
    /* Where there is a NORMAL section. Replaces a state by the one that stands for it; false: it
     * cannot be packed, or a settled step was none. */
    bool (*normal)(const struct step_model *model, uint64_t *state);
    /* Where NORMAL can say how it exchanges processes (check/model.h: expand_exchanging). */
    struct check_moves (*expand_exchanging)(const struct check_model *check, const uint64_t *state,
                                            uint64_t *out, uint8_t *to);
    /* The set of processes whose next step is settled and left out. */
    uint64_t (*settled)(const struct step_model *model, const uint64_t *state);
    void (*show)(const struct step_params *params, const char *cell, word value, char *text,
                 size_t size);     /* or NULL: a number */
    int16_t home[CHECK_MAX_CELLS]; /* the process that a cell is local to, or -1 (HOMES) */
    struct step_memory *memory;    /* NULL: memory is what the papers take it for (memory.h) */
    bool wrong;                    /* the file is, and not the size that is asked for */
    char error[256]; /* why it cannot be made, where that takes a sentence of its own */
};

static inline void step_slip(struct step_run *run, enum step_slip slip, const word *cell,
                             word value)
{
    if (run->slip == STEP_NO_SLIP) {
        run->slip = slip;
        run->slip_cell = cell == NULL ? -1 : (int)(cell - run->frame);
        run->slip_value = value;
    }
    run->broken = true;
}

/* Whether a place in the frame is one of a cell. The third reading has no layout, and no
 * numbers. */
#ifdef STEP_RULES
#define STEP_IS_CELL(run, cell) true
#else
#define STEP_IS_CELL(run, cell) (step_cell_at(run, cell) != STEP_NO_CELL)

/* The number of the cell at this place; STEP_NO_CELL: an index was outside of its array. */
static inline unsigned step_cell_at(const struct step_run *run, const word *cell)
{
    const ptrdiff_t offset = cell - run->frame;
    return offset < 0 || offset >= STEP_MAX_OFFSETS ? STEP_NO_CELL : run->model->cell_at[offset];
}
#endif

static inline void step_say(struct check_note *note, const char *label, const char *file,
                            unsigned line)
{
    note->label = label;
    note->file = file;
    note->line = line;
}

/* What the access that is about to be made does to stores that wait in a buffer. */
static inline void step_orders(struct step_run *run, enum check_ordering ordering)
{
    if (run->note != NULL)
        run->note->ordering = ordering;
}

static inline word step_load(struct step_run *run, const word *cell)
{
    if (run->note != NULL) {
        run->note->access = CHECK_READ;
        run->note->cell = (int)(cell - run->frame);
    }
    if (!STEP_IS_CELL(run, cell)) {
        step_slip(run, STEP_SLIP_INDEX, cell, 0);
        return 0;
    }
    if (run->note != NULL) {
        run->note->value = STEP_NUMBER(*cell);
        run->note->old = STEP_NUMBER(*cell);
    }
    return *cell;
}

#ifndef STEP_RULES
/* ALIVE. Where nobody is killed, these words are no cells. */
static inline word step_ask_alive(struct step_run *run, const word *alive, word p, word n)
{
    if (p >= n) {
        step_slip(run, STEP_SLIP_INDEX, alive + (p < STEP_MAX_OFFSETS ? p : STEP_MAX_OFFSETS), 0);
        return 0;
    }
    if (run->note != NULL) {
        run->note->access = CHECK_READ;
        run->note->cell = (int)(alive + p - run->frame);
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        run->note->value = run->note->old = alive[p];
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    return alive[p];
}

/* A choice; a step makes one, and a second one would have the same outcome. */
static inline bool step_ask(struct step_run *run, unsigned line)
{
    if (run->asked)
        step_slip(run, STEP_SLIP_CHOICE, NULL, line);
    run->asked = true;
    return run->choice;
}

/* The process's own register. */
static inline const word *step_own(struct step_run *run, const word *cell, word me)
{
    const unsigned c = step_cell_at(run, cell);
    if (c == STEP_NO_CELL)
        step_slip(run, STEP_SLIP_INDEX, cell, 0);
    else if (run->model->check.cell[c].owner != (int)me)
        step_slip(run, STEP_SLIP_OWN, cell, 0);
    return c == STEP_NO_CELL ? run->frame : cell;
}

/* Whether the arguments of a subroutine are still what they were. */
static inline void step_compare(struct step_run *run, const word *given, const word *now,
                                size_t count, unsigned line)
{
    for (size_t i = 0; i < count; i++) {
        if (given[i] != now[i]) {
            step_slip(run, STEP_SLIP_ARGUMENT, NULL, line);
            run->slip_index = (int)i + 1;
        }
    }
}
#endif

/* A store that the step is not about. A cell is in the journal once. */
static inline void step_record(struct step_run *run, word *cell, word value)
{
    for (unsigned s = 0; s < run->stores; s++) {
        if (run->store[s].cell == cell) {
            *cell = value;
            return;
        }
    }
    if (run->stores == STEP_MAX_STORES) {
        step_slip(run, STEP_SLIP_STORES, cell, value);
        return;
    }
    if (!STEP_IS_CELL(run, cell)) {
        step_slip(run, STEP_SLIP_INDEX, cell, value);
        return;
    }
    run->store[run->stores].cell = cell;
    run->store[run->stores].old = *cell;
    run->stores++;
    *cell = value;
}

static inline void step_store(struct step_run *run, word *cell, word value, enum check_access how)
{
    if (!STEP_IS_CELL(run, cell)) {
        step_slip(run, STEP_SLIP_INDEX, cell, value);
        return;
    }
    if (run->note != NULL) {
        run->note->access = how;
        run->note->cell = (int)(cell - run->frame);
        run->note->old = STEP_NUMBER(*cell);
        run->note->value = STEP_NUMBER(value);
    }
    step_record(run, cell, value);
}

static inline void *step_take_all(struct step_run *run, void *shared)
{
    run->all = true;
    if (run->note != NULL)
        run->note->access = CHECK_ALL;
    return shared;
}

/* The layout is made by these, called by the code that end.h generates. Sizes that do not fit set
 * `*error` to a sentence. */
void step_layout_begin(struct step_model *model, const struct step_params *params);
void step_layout_cells(struct step_model *model, const char *name, size_t offset,
                       enum step_cells kind, uint64_t count, uint64_t values, const char **error);
void step_layout_local(struct step_model *model, const char *name, int index, uint64_t values,
                       const char **error);
void step_layout_local_array(struct step_model *model, const char *name, uint64_t count,
                             uint64_t values, const char **error);
/* The process after the workers is a supervisor; these declare its variables. */
void step_layout_supervisor(struct step_model *model);
void step_layout_private(struct step_model *model, const char *name, int index, uint64_t values,
                         const char **error);
void step_layout_private_array(struct step_model *model, const char *name, uint64_t count,
                               uint64_t values, const char **error);
void step_layout_end(struct step_model *model, const char **error);

/* slip.c: what process p did wrong in this run, as the end of a sentence that begins with its name.
 * The text lasts until the next one in the same thread. */
const char *step_slip_text(const struct step_model *model, const struct step_run *run, unsigned p);
/* What is wrong with the first state: NULL, or a sentence in model->error. `frame` has `words`
 * words, and is what INITIAL made of a frame of zeros. */
const char *step_initial_wrong(struct step_model *model, const word *frame, size_t words);

#endif
