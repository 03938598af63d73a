/*
 * Breadth-first exploration on a card: the set of states and the log of what was found are in its
 * memory, a kernel expands a part of a level at a time, and before that the host makes room for
 * everything that the part may lead to. So nothing on the card ever overflows, waits or gives up.
 */
#ifndef BERTH_GPU_LEVELS_H
#define BERTH_GPU_LEVELS_H

#include "check/exploration.h"
#include "gpu/card.h"
#include "step/device.h"
#include "step/frame.h"

enum gpu_kernel {
#define GPU_KERNEL(name) GPU_##name,
    STEP_KERNELS(GPU_KERNEL)
#undef GPU_KERNEL
        GPU_KERNELS
};

struct gpu_search {
    struct gpu_card *card;
    const struct check_limits *limits;
    const struct step_model *model;
    void *kernel[GPU_KERNELS];
    struct step_device device; /* as it is on the card, at `at` */
    uint64_t at, model_at, log_at, seen_at, sorted_at, kind_at;
    uint64_t constant_at; /* where kernels expect the model */
    uint64_t *kind;       /* how many moves there are of each kind */
    bool sorts;           /* moves are sorted by what they run */
    uint64_t seen_bytes;
    unsigned words, edges;
    uint64_t part; /* states that are expanded at once, at most */
    bool reduced;

    uint64_t budget, used; /* bytes on the card */
    uint64_t final_bytes;  /* of the largest table */
    uint64_t table_bytes;
    uint64_t stored;      /* states in the table */
    uint64_t *piece;      /* of the log; 0 where there is none */
    uint64_t held;        /* the first entry of the log that is still there */
    uint64_t *level;      /* the first entry of each level, and of the one after the last */
    uint64_t depth, room; /* levels, and room for this many */

    uint64_t states, transitions, expanded;
    bool barred;                          /* see struct check_report */
    uint64_t bad_depth[CHECK_PROPERTIES]; /* the level in which a property was found to fail */
    uint64_t bytes;                       /* the most that was used */
    enum check_end end;
    double start;
};

/* `text`: PTX with the kernels of the protocol called `name`. False: it cannot be done on this
 * card, card->error says why. */
bool gpu_search_open(struct gpu_search *search, struct gpu_card *card, const char *text,
                     const char *name, const struct step_model *model,
                     const struct check_limits *limits);
void gpu_search_close(struct gpu_search *search);

/* Explores everything, and looks at the properties in `asked` (and at the values of cells) as it
 * goes. False: the card failed; otherwise search->end says how far it came. */
bool gpu_search_run(struct gpu_search *search, uint64_t asked, bool values);

/* Runs a kernel over `count` entries of the log from `first` on, or over slots. */
bool gpu_search_launch(struct gpu_search *search, enum gpu_kernel kernel, uint64_t first,
                       uint64_t count);
/* Makes the moves of `count` states, from entry `first` of the log on, sorted by what they run. */
bool gpu_search_sorted(struct gpu_search *search, uint64_t first, uint64_t count);
/* Memory within the budget; 0: there is none. */
uint64_t gpu_search_take(struct gpu_search *search, uint64_t bytes);
void gpu_search_give(struct gpu_search *search, uint64_t address, uint64_t bytes);

/* Makes sure that the log holds this level: if it no longer does, the search is repeated over the
 * states that are in the table already. */
bool gpu_search_hold(struct gpu_search *search, uint64_t level);

/* path.c: the states on a shortest way from the initial state to `target`, which is in this level:
 * level + 1 of them, canonical where the search is. NULL: it failed, or there is no memory. */
uint64_t *gpu_search_path(struct gpu_search *search, const uint64_t *target, uint64_t level);

/* lost.c: decides no-slot-lost. 1: it holds; 0: it fails, *level and `state` are those of a first
 * state from which slots cannot be filled; -1: no memory, or the card failed. */
int gpu_search_lost(struct gpu_search *search, uint64_t *level, uint64_t *state);

/* The number of values of all cells together; 0: no memory, or the card failed. */
uint64_t gpu_search_whole(struct gpu_search *search);

#endif
