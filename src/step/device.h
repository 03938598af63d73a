/*
 * What the host and a GPU share: one block of memory on the device that says where everything is
 * and takes the counts. The kernels are in kernel.h. Both sides are compilers with the same sizes
 * and alignments (LP64), so the model travels as it is, and only its few pointers are set again on
 * the device.
 */
#ifndef BERTH_STEP_DEVICE_H
#define BERTH_STEP_DEVICE_H

#include "check/model.h"
#include "check/property.h"

struct step_model;

enum {
    STEP_LOG_PIECES = 1 << 17,
    STEP_KINDS_OF_MOVES = 1 << 12, /* moves are sorted by as many */
};
#define STEP_NO_SLOT UINT64_MAX

/* A lane was the first to find a violation, and has stored the state. */
struct step_find {
    uint64_t found;
    uint64_t state[CHECK_MAX_WORDS];
};

struct step_device {
    /* Set by the host. */
    const struct step_model *model;
    uint64_t
        *slots; /* the set of states, as in check/set.h: open addressing, filled word by word */
    uint64_t capacity;
    /* The states as they were found, level by level: the number of the slot, or where a state is
     * one word, the state. Pieces that are no longer needed are used again for later ones. */
    uint64_t *const *log;
    uint64_t log_shift;    /* the binary logarithm of the entries in a piece of the log */
    uint64_t first, count; /* the range a kernel works on: entries of the log, or slots */
    uint64_t asked;        /* properties of single states to look at */
    uint64_t *visited; /* a bit for each slot: states are not added, but found once more; or NULL */
    uint64_t *possible; /* a bit for each slot: from this state all slots can be filled; or NULL */
    uint64_t sweeps;    /* moves only find out what is possible; no states are added */
    uint64_t by_slot;   /* a sweep goes through slots, not through the log */
    uint8_t *seen;      /* values of cells: 1 where one was there; or NULL */
    uint64_t seen_first[CHECK_MAX_CELLS]; /* where the values of each cell begin */
    uint64_t *other; /* another set of states: an old one, or one of the values of all cells */
    uint64_t other_capacity;
    uint64_t mask[CHECK_MAX_WORDS]; /* the cells, in a state */
    uint64_t initial[CHECK_MAX_WORDS];
    uint64_t target[CHECK_MAX_WORDS]; /* whose predecessor is looked for */
    uint64_t reduced;                 /* states are canonical ones (check/symmetry.h) */
    /* Where moves are sorted by what they run, so that neighbouring lanes run the same: each as the
     * entry of the log and the edge, and where the next one of a kind goes. */
    uint64_t *sorted, *kind;
    /* Set by the device. */
    uint64_t tail; /* entries of the log */
    uint64_t states, transitions;
    uint64_t barred;         /* how often a limit kept a process in its remainder */
    uint64_t changed;        /* by a sweep, or values that are new */
    struct step_find wrong;  /* a state with a move that must not be made */
    struct step_find before; /* the target's predecessor; or a state that cannot be filled */
    struct step_find bad[CHECK_PROPERTIES];
};

/*
 * The kernels of a protocol are called berth_NAME_explore and so on.
 *
 *     explore     expands `count` entries of the log from `first` on
 *     count       the same in three parts: counts the moves of each kind,
 *     place       sorts them,
 *     move        and makes `count` of them, from `first` on; with `sweeps`, a sweep in these parts
 *     rehash      adds the states of `other`
 *     remap       entries of the log name slots of `other`: now those of `slots`
 *     fill        marks the slots of states in which all slots are held
 *     sweep       marks those from which a living step leads to a marked one
 *     lost        finds an entry of the log that is not marked
 *     back        finds an entry of the log with a move to `target`
 *     whole       adds the values of all cells, of the states in `slots`, to `other`
 */
#define STEP_KERNELS(kernel)                                                                       \
    kernel(explore) kernel(count) kernel(place) kernel(move) kernel(rehash) kernel(remap)          \
        kernel(fill) kernel(sweep) kernel(lost) kernel(back) kernel(whole)

#endif
