/*
 * An NVIDIA GPU by way of its driver alone: libcuda.so.1, which comes with the driver, is opened at
 * run time, and nothing of a toolkit is needed to build or to run. Memory on the card is an
 * address, and 0 where there was none.
 */
#ifndef BERTH_GPU_CARD_H
#define BERTH_GPU_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a library is opened: a program that is linked statically cannot. */
struct gpu_loader {
    void *(*open)(const char *name);
    void *(*find)(void *library, const char *name);
};

struct gpu_calls;
struct gpu_card {
    const struct gpu_calls *calls;
    void *context, *module;
    char name[128];
    int processors;  /* multiprocessors */
    char error[256]; /* what went wrong last */
};

/* Opens the first card; false: card->error says why there is none. */
bool gpu_open(struct gpu_card *card, const struct gpu_loader *loader);
void gpu_close(struct gpu_card *card);

/* Compiles kernels from the text of a PTX file; what was loaded before is given up. */
bool gpu_load(struct gpu_card *card, const char *text);
/* One of them; NULL: there is none of this name. */
void *gpu_kernel(struct gpu_card *card, const char *name);
/* A variable of theirs of this many bytes; 0: there is none. */
uint64_t gpu_variable(struct gpu_card *card, const char *name, uint64_t bytes);
/* Starts it on about this many lanes, with the address of the memory that it works on, and waits
 * for its end. */
bool gpu_launch(struct gpu_card *card, void *kernel, uint64_t lanes, uint64_t argument);

uint64_t gpu_free_memory(struct gpu_card *card);
uint64_t gpu_take(struct gpu_card *card, uint64_t bytes);
void gpu_give(struct gpu_card *card, uint64_t address);
bool gpu_clear(struct gpu_card *card, uint64_t address, uint64_t bytes);
bool gpu_write(struct gpu_card *card, uint64_t address, const void *from, uint64_t bytes);
bool gpu_read(struct gpu_card *card, uint64_t address, void *to, uint64_t bytes);

#endif
