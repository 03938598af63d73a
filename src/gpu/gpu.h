/*
 * `berth check --gpu`: what a GPU can decide is explored there, from the same protocol file; the
 * rest on the CPU. It decides what a scan of all states decides, and no-slot-lost.
 */
#ifndef BERTH_GPU_GPU_H
#define BERTH_GPU_GPU_H

#include "check/exploration.h"
#include "gpu/card.h"

struct gpu {
    struct check_elsewhere elsewhere; /* first */
    struct gpu_loader loader;
    /* The text of the PTX file with the kernels of the protocol that is checked, for states of this
     * many words; the caller frees it. NULL: there is none; *why is a sentence that says so. */
    char *(*kernels)(void *context, unsigned words, const char **why);
    void *context;
    void (*message)(const char *text);
    /* Afterwards: what was explored there. */
    struct gpu_card card;
    bool used;
    double seconds, compile_seconds; /* the exploration; and until it began */
    uint64_t stored;
};

void gpu_prepare(struct gpu *gpu);

#endif
